//! Suites as modules: their text, what it exports, and how it is loaded.

use std::sync::{Arc, OnceLock};

use catherd_javascript_engine::quickjs::{Function, Object, Value};
use catherd_javascript_engine::{CompileError, CompiledScript, Limits, Session, Thrown};
use serde::Deserialize;
use thiserror::Error;

use crate::kind::exported;
use crate::seed::Seed;

/// Longest suite in bytes.
const SIZE_LIMIT: usize = 8 << 20;

/// What stands before the text of a suite when it is evaluated, on the same line.
const OPENING: &str = "(function (module, require) {";

/// The text of a suite.
#[derive(Clone, Debug)]
pub struct SuiteFile {
    /// Name for messages.
    pub(crate) name: String,
    /// The text with `module.exports =` in place of the exports of newer modules.
    text: String,
    /// `None` without models.
    pub(crate) models: Option<Models>,
    /// The text as bytecode, made once: a class of submissions has one suite.
    compiled: Arc<OnceLock<Result<CompiledScript, LoadError>>>,
}

/// Models of a program: graphs whose edges have conditions and effects.
#[derive(Clone, Debug)]
pub struct Models {
    /// A JSON array of graphs.
    pub text: String,
    /// Maximum number of milliseconds of program time of a test of the models alone.
    pub duration: f64,
    /// Number of tests of the models alone.
    pub repetitions: u32,
    /// Whether the case of names in the models counts.
    pub case_sensitive: bool,
}

impl Models {
    /// Models of a text with the default settings: one test of 35 seconds, case does not count.
    pub fn new(text: &str) -> Models {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        Models { text, duration: 35_000.0, repetitions: 1, case_sensitive: false }
    }
}

/// A suite cannot be loaded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LoadError {
    /// The text is longer than 8 MiB.
    #[error("the suite has {0} bytes; the most is {SIZE_LIMIT}")]
    TooLong(usize),
    /// The text cannot be parsed, or threw when it was evaluated.
    #[error("{thrown}{}", place(.thrown, .source_line))]
    Thrown {
        /// What was thrown.
        thrown: Box<Thrown>,
        /// The line of the suite; empty if it is not known.
        source_line: String,
    },
    /// The suite does not stop, or the engine has too little memory.
    #[error("{0}")]
    Stopped(String),
}

/// Where something was thrown, for an error message of one line.
fn place(thrown: &Thrown, line: &str) -> String {
    match (thrown.line, thrown.column) {
        (Some(number), Some(column)) => {
            format!(", in line {number}, column {column}: `{}`", line.trim())
        }
        (Some(number), None) => format!(", in line {number}: `{}`", line.trim()),
        _ => String::new(),
    }
}

/// What a suite says of one of its tests.
#[derive(Clone, Debug, Deserialize)]
pub struct TestInfo {
    /// Its name; `None` if it has none.
    pub name: Option<String>,
    /// What it checks; `None` if the suite does not say.
    pub description: Option<String>,
    /// Words to choose tests by.
    pub categories: Vec<String>,
    /// Whether it is not executed.
    pub skip: bool,
    /// Longest program time in milliseconds; `None` if the test may take as long as it wants.
    pub timeout: Option<f64>,
    seed: Option<String>,
    numeric: bool,
    /// Lines with an assertion.
    pub(crate) assertions: u32,
    /// What generated it; `None` if the suite does not say.
    pub(crate) algorithm: Option<String>,
}

impl TestInfo {
    /// Its own seed; `None` if it has none.
    pub(crate) fn seed(&self) -> Option<Seed> {
        let text = self.seed.as_ref()?;
        match text.parse() {
            Ok(number) if self.numeric => Some(Seed::number(number)),
            _ => Some(Seed::text(text)),
        }
    }
}

impl SuiteFile {
    /// A suite with its name for messages.
    ///
    /// # Errors
    /// If it is longer than 8 MiB.
    pub fn new(name: &str, text: &str) -> Result<SuiteFile, LoadError> {
        if text.len() > SIZE_LIMIT {
            return Err(LoadError::TooLong(text.len()));
        }
        let mut text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        if let Some((start, length)) = exported(&text) {
            text.replace_range(start..start + length, "module.exports =");
        }
        let compiled = Arc::default();
        Ok(SuiteFile { name: name.to_owned(), text, models: None, compiled })
    }

    /// The models; `None` without.
    pub fn models(&self) -> Option<&Models> {
        self.models.as_ref()
    }

    /// A suite of models alone.
    ///
    /// # Errors
    /// If they are longer than 8 MiB.
    pub fn of_models(name: &str, models: Models) -> Result<SuiteFile, LoadError> {
        SuiteFile::new(name, "")?.with_models(models)
    }

    /// The suite with models beside each of its tests.
    ///
    /// # Errors
    /// If the models are longer than 8 MiB.
    pub fn with_models(mut self, models: Models) -> Result<SuiteFile, LoadError> {
        if models.text.len() > SIZE_LIMIT {
            return Err(LoadError::TooLong(models.text.len()));
        }
        self.models = Some(models);
        Ok(self)
    }

    /// A line of the suite, from 1; `None` if it has no such line.
    pub(crate) fn line(&self, number: u32) -> Option<&str> {
        self.text.lines().nth((number as usize).checked_sub(1)?)
    }

    /// Evaluates the suite in the body of a function with `module` and `require`, and returns the
    /// value of `module.exports`.
    pub(crate) fn evaluate<'js>(
        &self,
        session: &Session<'js>,
        require: &Function<'js>,
        limits: Limits,
    ) -> Result<Value<'js>, LoadError> {
        let failed = |thrown: Thrown| self.failed(session, thrown);
        let compiled = self.compiled.get_or_init(|| self.compile(limits));
        let compiled = compiled.as_ref().map_err(LoadError::clone)?;
        let function: Function = session.execute(compiled).map_err(failed)?;
        let ctx = session.ctx();
        let export = || -> catherd_javascript_engine::quickjs::Result<Value<'js>> {
            let module = Object::new(ctx.clone())?;
            module.set_prototype(None)?;
            function.call::<_, ()>((module.clone(), require.clone()))?;
            module.get("exports")
        };
        let exports = session.caught(export()).map_err(failed)?;
        session.drain();
        match session.stopped() {
            Some(stop) => Err(LoadError::Stopped(stop.to_string())),
            None => Ok(exports),
        }
    }

    fn compile(&self, limits: Limits) -> Result<CompiledScript, LoadError> {
        // On the first line of the suite, so that the numbers of lines stay.
        let text = format!("{OPENING}{}\n}})", self.text);
        CompiledScript::compile(&self.name, &text, limits).map_err(|error| match error {
            CompileError::Thrown(thrown) => self.thrown(thrown),
            stopped => LoadError::Stopped(stopped.to_string()),
        })
    }

    /// The error for something that was thrown while the suite was loaded.
    pub(crate) fn failed(&self, session: &Session<'_>, thrown: Thrown) -> LoadError {
        match session.stopped() {
            Some(stop) => LoadError::Stopped(stop.to_string()),
            None => self.thrown(thrown),
        }
    }

    fn thrown(&self, mut thrown: Thrown) -> LoadError {
        // The function begins on the first line of the suite.
        let shift = OPENING.len() as u32;
        if thrown.line == Some(1) {
            thrown.column = thrown.column.map(|column| column.saturating_sub(shift).max(1));
        }
        let line = thrown.line.and_then(|line| self.line(line));
        let source_line = line.unwrap_or_default().chars().take(200).collect();
        LoadError::Thrown { thrown: Box::new(thrown), source_line }
    }
}
