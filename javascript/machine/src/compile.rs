//! Texts as the engine evaluates them, and the files that loading reaches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use catherd_javascript_instrument::{Instrumented, PROBES, Units};

use crate::live::Live;
use crate::machine::Settings;
use crate::program::{Program, ProgramError};

/// A file as the engine takes it.
pub(crate) enum Loaded {
    /// Data.
    Json(String),
    /// A function of the probes that returns the function of the file.
    Script {
        /// Its text.
        text: String,
        /// Whether it was a module.
        module: bool,
    },
}

impl Loaded {
    pub(crate) fn of(file: &Instrumented) -> Loaded {
        let mut text = "(function(".to_owned();
        for (index, letter) in PROBES.chars().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}{letter}", file.prefix);
        }
        text.push_str("){return function(exports,require,module,__filename,__dirname){");
        text.push_str(&file.text);
        text.push_str("\n}})");
        Loaded::Script { text, module: file.module }
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
    });
    let live = Live::new(&bare, &Settings::default()).map_err(ProgramError::Load)?;
    live.try_load().map_err(ProgramError::Load)?;
    Ok(live.compiled())
}
