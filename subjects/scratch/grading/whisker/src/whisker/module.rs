//! Suites as JavaScript modules: their source code, exports and loading.

use std::sync::{Arc, OnceLock};

use catherd_javascript_engine::quickjs::{Function, Object, Value};
use catherd_javascript_engine::{CompileError, CompiledScript, Limits, Session, Thrown};
use serde::Deserialize;
use thiserror::Error;

use crate::kind::exported;
use crate::seed::Seed;

/// Maximum length of a suite in bytes.
const SIZE_LIMIT: usize = 8 << 20;

/// The code that precedes the first line of a suite during evaluation.
const OPENING: &str = "(function (module, require) {";

/// The source code of a suite.
#[derive(Clone, Debug)]
pub struct SuiteFile {
    pub(crate) name: String,
    /// The source code, in which `module.exports =` replaces the first `export default` or `export
    /// const tests =`.
    text: String,
    pub(crate) models: Option<Models>,
    /// The bytecode, which is compiled only once, because the same suite is executed on many
    /// submissions.
    compiled: Arc<OnceLock<Result<CompiledScript, LoadError>>>,
}

/// Models of a program: graphs whose edges have conditions and effects.
#[derive(Clone, Debug)]
pub struct Models {
    /// A JSON array of graphs.
    pub text: String,
    /// Maximum duration of a test that consists only of the models, in milliseconds of program
    /// time.
    pub duration: f64,
    /// Number of tests that consist only of the models.
    pub repetitions: u32,
    /// Whether names in the models are case-sensitive.
    pub case_sensitive: bool,
}

impl Models {
    /// Creates models with the default settings: one test of 35 seconds; names are not
    /// case-sensitive.
    pub fn new(text: &str) -> Models {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        Models { text, duration: 35_000.0, repetitions: 1, case_sensitive: false }
    }
}

/// Error for a suite that cannot be loaded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// The suite or its models are longer than 8 MiB.
    #[error("{0} bytes are too many; the maximum is {SIZE_LIMIT}")]
    TooLong(usize),
    /// The suite cannot be parsed, or threw an error while it was loaded.
    #[error("{thrown}{}", place(.thrown, .source_line))]
    Thrown {
        /// The error that was thrown.
        thrown: Box<Thrown>,
        /// The beginning of the line in the suite; empty if the line is not known.
        source_line: String,
    },
    /// Loading ended early, for example because of a limit.
    #[error("{0}")]
    Stopped(String),
}

fn place(thrown: &Thrown, line: &str) -> String {
    match (thrown.line, thrown.column) {
        (Some(number), Some(column)) => {
            format!(", on line {number}, column {column}: `{}`", line.trim())
        }
        (Some(number), None) => format!(", on line {number}: `{}`", line.trim()),
        _ => String::new(),
    }
}

/// The facts that a suite states about one of its tests.
#[derive(Clone, Debug, Deserialize)]
pub struct TestInfo {
    /// The name of the test; `None` if the test has no name.
    pub name: Option<String>,
    /// The description of the test; `None` if there is no description.
    pub description: Option<String>,
    /// Words for selecting tests.
    pub categories: Vec<String>,
    /// Whether the test is skipped.
    pub skip: bool,
    /// Maximum program time in milliseconds; `None` without a limit.
    pub timeout: Option<f64>,
    seed: Option<String>,
    numeric: bool,
    /// Number of lines with an assertion.
    pub(crate) assertions: u32,
    /// The algorithm that generated the test; `None` if the suite does not name an algorithm.
    pub(crate) algorithm: Option<String>,
}

impl TestInfo {
    pub(crate) fn seed(&self) -> Option<Seed> {
        let text = self.seed.as_ref()?;
        match text.parse() {
            Ok(number) if self.numeric => Some(Seed::number(number)),
            _ => Some(Seed::text(text)),
        }
    }
}

impl SuiteFile {
    /// Creates a suite with a name for messages.
    ///
    /// # Errors
    /// If the suite is longer than 8 MiB.
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

    /// The models of the suite, if it has any.
    pub fn models(&self) -> Option<&Models> {
        self.models.as_ref()
    }

    /// Creates a suite that consists only of models.
    ///
    /// # Errors
    /// If the models are longer than 8 MiB.
    pub fn of_models(name: &str, models: Models) -> Result<SuiteFile, LoadError> {
        SuiteFile::new(name, "")?.with_models(models)
    }

    /// Adds models that run during each test of the suite.
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

    /// A line of the suite, counted from 1; `None` if there is no such line.
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
        // The opening is on the first line of the suite, so line numbers do not change.
        let text = format!("{OPENING}{}\n}})", self.text);
        CompiledScript::compile(&self.name, &text, limits).map_err(|error| match error {
            CompileError::Thrown(thrown) => self.thrown(self.of_suite(thrown, limits)),
            stopped => LoadError::Stopped(stopped.to_string()),
        })
    }

    /// Returns the error of the suite itself. An error on the line after the suite, with which
    /// catherd closes the function around the suite, means that the suite ends too early, so the
    /// suite is compiled without the function.
    fn of_suite(&self, thrown: Thrown, limits: Limits) -> Thrown {
        let last = self.text.trim_end().lines().count().max(1) as u32;
        if thrown.line.is_none_or(|line| line <= last) {
            return thrown;
        }
        let own = match CompiledScript::compile(&self.name, self.text.trim_end(), limits) {
            Err(CompileError::Thrown(own)) => own,
            _ => thrown,
        };
        let message = format!("{} (at the end of the file: is a bracket unclosed?)", own.message);
        let line = own.line.map(|line| line.min(last));
        Thrown { message, line, column: None, ..own }
    }

    pub(crate) fn failed(&self, session: &Session<'_>, thrown: Thrown) -> LoadError {
        match session.stopped() {
            Some(stop) => LoadError::Stopped(stop.to_string()),
            None => self.thrown(thrown),
        }
    }

    fn thrown(&self, mut thrown: Thrown) -> LoadError {
        // The opening has moved the columns of the first line.
        let shift = OPENING.len() as u32;
        if thrown.line == Some(1) {
            thrown.column = thrown.column.map(|column| column.saturating_sub(shift).max(1));
        }
        let line = thrown.line.and_then(|line| self.line(line));
        let source_line = line.unwrap_or_default().chars().take(200).collect();
        LoadError::Thrown { thrown: Box::new(thrown), source_line }
    }
}
