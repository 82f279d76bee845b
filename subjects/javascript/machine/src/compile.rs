//! Texts as the engine evaluates them, and the files that loading reaches.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use catherd_javascript_engine::{CompileError, CompiledScript, Limits};
use catherd_javascript_instrument::{Instrumented, PROBES, Units};

use crate::live::Live;
use crate::machine::Settings;
use crate::program::{Program, ProgramError};

/// A file as the engine takes it.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// Data.
    Json(String),
    /// A function of the probes that returns the function of the file.
    Script {
        /// It as bytecode.
        script: CompiledScript,
        /// Whether it was a module.
        module: bool,
    },
}

impl Loaded {
    /// Compiles an instrumented file.
    ///
    /// # Errors
    /// If the engine refuses it, with the reason.
    pub(crate) fn compile(
        path: &str,
        file: &Instrumented,
        limits: Limits,
    ) -> Result<Loaded, String> {
        let mut text = "(function(".to_owned();
        for (index, letter) in PROBES.chars().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}{letter}", file.prefix);
        }
        text.push_str("){return function(exports,require,module,__filename,__dirname){");
        text.push_str(&file.text);
        text.push_str("\n}})");
        let script = CompiledScript::compile(path, &text, limits).map_err(|error| match error {
            CompileError::Thrown(thrown) => thrown.message,
            other => other.to_string(),
        })?;
        Ok(Loaded::Script { script, module: file.module })
    }
}

/// The scripts that loading a package evaluates.
pub(crate) fn reached(program: &Program) -> Result<Vec<String>, ProgramError> {
    let bare = Rc::new(Program {
        package: program.package.clone(),
        entry: program.entry.clone(),
        units: Units::default(),
        lines: Default::default(),
        texts: [BTreeMap::new(), BTreeMap::new()],
        loaded: RefCell::default(),
    });
    let live = Live::new(&bare, &Settings::default()).map_err(ProgramError::Load)?;
    live.try_load().map_err(ProgramError::Load)?;
    Ok(live.compiled())
}
