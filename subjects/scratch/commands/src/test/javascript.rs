//! `catherd test` with a suite in JavaScript or a suite of models.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::Failure;
use catherd_scratch_grading_whisker::whisker::{Limits, Models, SuiteFile, SuiteOptions};
use catherd_scratch_grading_whisker::{Seed, SuiteKind};
use clap::{Args, ValueEnum};

use super::output::Format;
use super::suite::{Tests, file_name};

/// Options of suites in JavaScript.
#[derive(Args)]
#[command(next_help_heading = "Suites in JavaScript")]
pub(super) struct Choices {
    /// Execute only the tests with this name; may be repeated
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,

    /// Execute only the tests in this category; may be repeated
    #[arg(long, value_name = "NAME")]
    category: Vec<String>,

    /// Version of Whisker whose comparisons and types are used
    #[arg(long, value_name = "VERSION", default_value = "2023")]
    compat: Compat,

    /// Follow Whisker or Itch more closely: no additions of catherd, such as `t.wait` and hints,
    /// and one sequence of random numbers for suite and project
    #[arg(long)]
    pub(super) strict: bool,

    /// Acceleration factor that the suite can read; it does not change how tests are executed
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    acceleration: f64,

    /// Report how many blocks of the project the tests execute
    #[arg(long)]
    coverage: bool,

    /// JSON file with models (an array of graphs) that are checked during each test
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Number of tests of a suite that has only models, each with different random numbers for the
    /// models
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    model_repetitions: u32,

    /// Maximum length of a test of a suite that has only models, in milliseconds of program time
    #[arg(long, value_name = "MS", default_value_t = 35_000)]
    model_duration: u32,

    /// Distinguish upper and lower case in the names that models use
    #[arg(long)]
    model_case: bool,

    /// Maximum work of the scripts of a suite for Whisker between two steps of the project, in
    /// units of 10,000 operations; a whole test may take ten times as much [default: 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    operations: Option<u64>,

    /// Maximum size of what a test logs or a plan writes to its console, in KiB [default: 1024]
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    log_limit: Option<u64>,

    /// Maximum memory of the scripts of a suite for Whisker, in MiB [default: 64]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(4..=4096))]
    memory: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compat {
    /// Of July 2022, which the published studies used
    #[value(name = "2022")]
    Of2022,
    /// Of October 2023
    #[value(name = "2023")]
    Of2023,
}

pub(super) fn tests(arguments: &super::Arguments<'_>, text: &str) -> Result<Tests, Failure> {
    let path = arguments.pair.suite.as_path();
    let tests = match (arguments.flags.kind, SuiteKind::of(text)) {
        (Some(_), _) => suite_of(path, text, options(arguments))?,
        (None, Err(error)) => {
            let error = Failure::new(format!("{}: {error}", path.display()));
            return Err(error.hint(
                "assign an array of tests: module.exports = [{ name, test: async t => ... }], or \
                 choose --kind",
            ));
        }
        (None, Ok(_)) => whisker_suite(path, text, options(arguments))?,
    };
    let Some(file) = &arguments.flags.javascript.model else { return Ok(tests) };
    let Tests::Whisker(whisker) = tests else { return Ok(tests) };
    let models = fs::read_to_string(file).map_err(|error| {
        Failure::new(format!("{}: {error}", file.display()))
            .hint("name a JSON file with models with --model")
    })?;
    let (suite, options) = *whisker;
    let suite = suite.with_models(settings(arguments, &models));
    let suite = suite.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    Ok(Tests::Whisker(Box::new((suite, options))))
}

pub(super) fn is_models(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('[')
}

pub(super) fn models(arguments: &super::Arguments<'_>, text: &str) -> Result<Tests, Failure> {
    let path = arguments.pair.suite.as_path();
    let suite = SuiteFile::of_models(&file_name(path), settings(arguments, text));
    let suite = suite.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(Tests::Whisker(Box::new((suite, options(arguments)))))
}

fn settings(arguments: &super::Arguments<'_>, text: &str) -> Models {
    let choices = &arguments.flags.javascript;
    Models {
        duration: f64::from(choices.model_duration),
        repetitions: choices.model_repetitions,
        case_sensitive: choices.model_case,
        ..Models::new(text)
    }
}

/// Does not check that the text looks like a suite for Whisker.
fn suite_of(path: &Path, text: &str, options: SuiteOptions) -> Result<Tests, Failure> {
    let suite = SuiteFile::new(&file_name(path), text)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(Tests::Whisker(Box::new((suite, options))))
}

pub(crate) fn whisker_suite(
    path: &Path,
    text: &str,
    options: SuiteOptions,
) -> Result<Tests, Failure> {
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    match SuiteKind::of(text) {
        Ok(SuiteKind::Whisker) => {}
        Ok(SuiteKind::Itch) => {
            let error = failure(&"this is a plan for Itch, and not a suite for Whisker");
            return Err(error.hint("judge submissions with it: use catherd test"));
        }
        Err(error) => {
            let hint =
                "assign an array of tests: module.exports = [{ name, test: async t => ... }]";
            return Err(failure(&error).hint(hint));
        }
    }
    suite_of(path, text, options)
}

fn options(arguments: &super::Arguments<'_>) -> SuiteOptions {
    let Choices {
        test, category, compat, strict, acceleration, coverage, operations, memory, ..
    } = &arguments.flags.javascript;
    // The table in the format of Whisker always contains coverage.
    let coverage = *coverage || arguments.flags.format == Some(Format::WhiskerCsv);
    let seed = |text: &String| match text.parse() {
        Ok(number) => Seed::number(number),
        Err(_) => Seed::text(text),
    };
    let mut limits = Limits::default();
    if let Some(units) = operations {
        (limits.turn, limits.test) = (*units, units.saturating_mul(10));
    }
    if let Some(mebibytes) = memory {
        limits.memory = usize::try_from(mebibytes << 20).unwrap_or(usize::MAX);
    }
    SuiteOptions {
        seed: arguments.flags.seed.as_ref().map(seed),
        tests: test.clone(),
        categories: category.clone(),
        strict: *strict,
        compat_p: *compat == Compat::Of2022,
        acceleration: *acceleration,
        steps: arguments.flags.steps,
        coverage,
        limits,
        log_bytes: arguments
            .flags
            .javascript
            .log_bytes()
            .unwrap_or(SuiteOptions::default().log_bytes),
        ..SuiteOptions::default()
    }
}

impl Choices {
    pub(super) fn log_bytes(&self) -> Option<usize> {
        self.log_limit.map(|kibibytes| usize::try_from(kibibytes << 10).unwrap_or(usize::MAX))
    }
}
