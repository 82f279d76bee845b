//! Files of a package as the engine evaluates them.

use std::fmt::Write as _;

use catherd_javascript_engine::{CompileError, CompiledScript, Limits};
use catherd_javascript_instrument::{Instrumented, PROBES};

#[derive(Debug)]
pub(crate) enum CompiledFile {
    Json(String),
    /// A script whose value is a function that takes the probes and returns the function of the
    /// file.
    Script {
        script: CompiledScript,
        module: bool,
    },
}

impl CompiledFile {
    pub(crate) fn compile(
        path: &str,
        file: &Instrumented,
        limits: Limits,
    ) -> Result<CompiledFile, String> {
        let mut text = "(function(".to_owned();
        for (index, letter) in PROBES.chars().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}{letter}", file.prefix);
        }
        // A module may declare these names itself.
        let names = if file.module { "" } else { "exports,require,module,__filename,__dirname" };
        let _ = write!(text, "){{return function({names}){{");
        text.push_str(&file.text);
        text.push_str("\n}})");
        let script = CompiledScript::compile(path, &text, limits).map_err(|error| match error {
            CompileError::Thrown(thrown) => thrown.message,
            other => other.to_string(),
        })?;
        Ok(CompiledFile::Script { script, module: file.module })
    }
}
