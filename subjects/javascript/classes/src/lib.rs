//! Test generation for JavaScript classes and functions: Flycatcher's technique (proxies, type
//! inference while tests run, random sequences of calls) and many-objective search on the same
//! tests.
//!
//! - [`Model`]: classes, functions and targets, found by executing the program.
//! - [`types`]: types of parameters from evidence, by two profiles.
//! - [`Maker`], [`Genes`]: tests and how they are made and changed.
//! - [`Subject`]: the search problem. [`generate`]: a run from request to suite.
//! - [`Suite`], [`check`], [`Coverage`], [`export`]: suites, their verdicts, their coverage, and
//!   their export as code for test frameworks. [`mutation`]: mutation analysis of a suite.
//! - [`examples`]: worked examples of the behaviour, one JSON object per line.

mod building;
mod coverage;
mod entries;
pub mod examples;
mod export;
mod flycatcher;
mod generate;
mod genes;
mod goals;
mod journal;
mod learning;
mod matching;
mod mined;
mod minimisation;
mod model;
pub mod mutation;
mod pattern;
mod problem;
mod progress;
mod refining;
mod results;
mod settings;
mod suite;
mod supplied;
mod texts;
pub mod types;
mod values;
mod variation;
mod words;

pub use building::{Building, Maker};
pub use catherd_javascript_machine as machine;
pub use coverage::Coverage;
pub use export::{
    Code, DATA, Exported, RELOAD, Style, asserted_of, code_of_constant, export, names_of_script,
};
pub use generate::{
    Generated, Method, ParameterReport, Request, generate, generate_with, goals_of,
    machine as machine_of, report,
};
pub use genes::Genes;
pub use journal::{Crash, Journal, NoCrash};
pub use model::{FoundItem, Member, Model, Target, TargetKind};
pub use pattern::{Pattern, PatternError};
pub use problem::{Executed, RunCounts, Subject, has_unknowns};
pub use refining::{
    Classes, Mentioned, Parameters, Refined, Refinement, Variables, exported_classes, mentioned,
    name_of_export, refined,
};
pub use results::{CallResults, FailedTest};
pub use settings::{Drawing, GenerationSettings, Goals, Hints, Profile, Scope};
pub use suite::{ShownValue, Suite, SuiteError, SuiteTest, Verdict, adopt, check};
pub use values::{ConfigError, Constants, check_config};
pub use words::Words;
