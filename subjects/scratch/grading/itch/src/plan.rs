//! Plans: their source code and its loading.

use catherd_javascript_engine::quickjs::{Function, Value};
use catherd_javascript_engine::{Session, Thrown};
use thiserror::Error;

/// Maximum length of a plan in bytes.
const SIZE_LIMIT: usize = 8 << 20;

/// The source code of a plan.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Error for a submission that cannot be judged by a plan.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// The plan is longer than 8 MiB.
    #[error("the plan has {0} bytes; the maximum is {SIZE_LIMIT}")]
    TooLong(usize),
    /// The plan cannot be parsed, or threw an error when it was evaluated.
    #[error("{0}")]
    Thrown(String),
    /// The judge did not start, or loading the plan ended early, for example because of a limit.
    #[error("{0}")]
    Stopped(String),
    /// The submission cannot be compiled.
    #[error("the submission cannot be executed: {0}")]
    Program(String),
}

pub(crate) struct Phases<'js> {
    pub(crate) before: Option<Function<'js>>,
    pub(crate) during: Option<Function<'js>>,
    pub(crate) after: Option<Function<'js>>,
}

impl Plan {
    /// Creates a plan with a name for messages.
    ///
    /// # Errors
    /// If the plan is longer than 8 MiB.
    pub fn new(name: &str, text: &str) -> Result<Plan, PlanError> {
        if text.len() > SIZE_LIMIT {
            return Err(PlanError::TooLong(text.len()));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // Plans are scripts. The only module syntax accepted is `export` before a declaration.
        let lines = text.split_inclusive('\n').map(|line| match line.strip_prefix("export ") {
            Some(rest) if !rest.starts_with(['{', '*']) => rest,
            _ => line,
        });
        Ok(Plan { name: name.to_owned(), text: lines.collect() })
    }

    /// Evaluates the plan in the global scope.
    pub(crate) fn load<'js>(&self, session: &Session<'js>) -> Result<Phases<'js>, PlanError> {
        let result = session.evaluate::<Value>(&self.name, &self.text);
        session.drain();
        if let Some(stop) = session.stopped() {
            return Err(PlanError::Stopped(stop.to_string()));
        }
        result.map_err(|thrown| PlanError::Thrown(self.described(&thrown)))?;
        let phase = |name: &str| {
            let text = format!("typeof {name} === 'function' ? {name} : undefined");
            session.evaluate::<Option<Function>>(&self.name, &text).ok().flatten()
        };
        Ok(Phases {
            before: phase("beforeExecution"),
            during: phase("duringExecution"),
            after: phase("afterExecution"),
        })
    }

    pub(crate) fn described(&self, thrown: &Thrown) -> String {
        let Some(number) = thrown.line else { return thrown.to_string() };
        let line = self.text.lines().nth(number as usize - 1).unwrap_or_default().trim();
        let line: String = line.chars().take(200).collect();
        match thrown.column {
            Some(column) => format!("{thrown}, on line {number}, column {column}: `{line}`"),
            None => format!("{thrown}, on line {number}: `{line}`"),
        }
    }
}
