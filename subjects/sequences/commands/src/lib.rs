//! The commands of `catherd sequences` and `catherd dev sequences`.

mod coverage;
mod execution;
mod generate;
mod model;
mod output;
mod picture;
mod synth;
mod test;

use std::fs;
use std::io::Read as _;

use catherd_cli_console::{Exit, Failure, places, terminal};
use catherd_experiments::text::truncated;
use catherd_sequences_testing::{
    Alphabet, Criterion, EventId, Events, Model, ModelError, Sampler, Space, TestCase, Walker,
    parse_tests, unmarked,
};
use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};

/// Tests orders of events: models, coverage, suites and risk.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command contain its help")]
pub enum Command {
    Check(model::Check),
    Space(model::SpaceArguments),
    Walk(model::Walk),
    Compile(model::Compile),
    Generate(generate::Generate),
    Coverage(coverage::Coverage),
    Test(test::Test),
    Risk(execution::RiskArguments),
    // The names of two commands of `catherd dev sequences` in version 0.3, accepted for one more
    // version.
    #[command(hide = true)]
    Synth(synth::Synth),
    #[command(hide = true)]
    Examples(execution::Examples),
}

/// Writes synthetic models, and checks worked examples.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command contain its help")]
pub enum DevCommand {
    Synth(synth::Synth),
    Examples(execution::Examples),
}

impl From<DevCommand> for Command {
    fn from(command: DevCommand) -> Command {
        match command {
            DevCommand::Synth(arguments) => Command::Synth(arguments),
            DevCommand::Examples(arguments) => Command::Examples(arguments),
        }
    }
}

/// Executes `catherd sequences`.
///
/// # Errors
///
/// If the command fails.
pub fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => model::check(&arguments),
        Command::Space(arguments) => model::space(&arguments),
        Command::Walk(arguments) => model::walk(&arguments),
        Command::Compile(arguments) => model::compile(&arguments),
        Command::Generate(arguments) => generate::generate(&arguments),
        Command::Coverage(arguments) => coverage::coverage(&arguments),
        Command::Test(arguments) => test::test(&arguments),
        Command::Risk(arguments) => execution::risk(&arguments),
        Command::Synth(arguments) => synth::synth(&arguments),
        Command::Examples(arguments) => execution::examples(&arguments),
    }
}

fn up_to(largest: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=largest)
}

/// How a model is explored and projected.
#[derive(Args)]
struct Settings {
    /// Maximum number of states that are explored
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    limit: usize,

    /// What a criterion distinguishes: only the names of events, or events with their fields
    #[arg(long, value_name = "LETTERS", default_value = "names", value_parser = ["names", "events"])]
    alphabet: String,
}

/// An explored model, or the events of given tests, with the alphabet of criteria.
struct Subject {
    name: String,
    events: Events,
    alphabet: Alphabet,
    model: Option<(Model, Space)>,
}

impl Settings {
    fn open(&self, path: &str) -> Result<Subject, Failure> {
        let model = open(path)?;
        let space = explore(&model, path, self.limit)?;
        let events = model.program.events().clone();
        let alphabet = self.letters(&events);
        Ok(Subject { name: model.name.clone(), events, alphabet, model: Some((model, space)) })
    }

    fn letters(&self, events: &Events) -> Alphabet {
        match self.alphabet.as_str() {
            "events" => Alphabet::events(events),
            _ => Alphabet::names(events),
        }
    }

    fn of_tests(&self, name: &str, tests: &[Vec<String>]) -> Subject {
        let events = Events::plain(tests.iter().flatten().cloned());
        let alphabet = self.letters(&events);
        Subject { name: name.to_owned(), events, alphabet, model: None }
    }
}

impl Subject {
    fn space(&self) -> Option<&Space> {
        self.model.as_ref().map(|(_, space)| space)
    }

    fn criterion(&self, text: &str) -> Result<Criterion, Failure> {
        let strength = self.model.as_ref().and_then(|(model, _)| model.strength);
        Criterion::parse(text, &self.alphabet, strength, self.space(), &read_up_to)
            .map_err(|error| Failure::new(&error).hint(error.hint.clone()))
    }

    /// Checks that the items of all tests together fit into memory.
    fn check_items(&self, criterion: &Criterion, tests: &[Vec<EventId>]) -> Result<(), Failure> {
        let mut letters = Vec::new();
        for test in tests {
            let mut own = Vec::new();
            self.alphabet.project(test, &mut own);
            letters.push(own);
        }
        criterion
            .check_tests(letters.iter().map(Vec::as_slice))
            .map_err(|error| Failure::new(&error).hint(error.hint.clone()))
    }

    fn walker(
        &self,
        sampler: Sampler,
        seed: u64,
        length: usize,
    ) -> Option<Result<Walker<'_>, Failure>> {
        let (model, space) = self.model.as_ref()?;
        let walker = Walker::new(&model.program, Some(space), sampler, seed, length);
        Some(
            walker
                .map_err(|error| Failure::new(error).hint("leave --sampler out, or raise --limit")),
        )
    }

    /// Returns the tests without the events that the system must refuse.
    fn tests(&self, tests: &[Vec<String>], path: &str) -> Result<Vec<Vec<EventId>>, Failure> {
        Ok(self.cases(tests, path)?.into_iter().map(|case| case.events).collect())
    }

    /// The last label of a test may be marked as an event that the system must refuse.
    fn cases(&self, tests: &[Vec<String>], path: &str) -> Result<Vec<TestCase>, Failure> {
        let event = |number: usize, label: &String| {
            self.events.find(label).ok_or_else(|| {
                let cause = match self.events.named(label).len() {
                    0 => "unknown event",
                    _ => "several events have the name",
                };
                let label = truncated(label, MAX_SHOWN_BYTES);
                Failure::new(format!("{path}: test {}: {cause} `{label}`", number + 1))
                    .hint("use the events of the model, with their fields")
            })
        };
        let case = |(number, test): (usize, &Vec<String>)| {
            let (last, rest) = match test.split_last() {
                Some((last, rest)) if self.events.find(last).is_none() => (unmarked(last), rest),
                _ => (None, &[][..]),
            };
            let Some(refused) = last else {
                let events = test.iter().map(|label| event(number, label));
                return Ok(TestCase::from(events.collect::<Result<Vec<_>, _>>()?));
            };
            let events = rest.iter().map(|label| event(number, label)).collect::<Result<_, _>>()?;
            Ok(TestCase { events, refused: Some(event(number, &refused.to_owned())?) })
        };
        tests.iter().enumerate().map(case).collect()
    }

    fn label(&self, event: EventId) -> String {
        self.events.get(event).to_string()
    }

    fn labels(&self, case: &TestCase) -> Vec<String> {
        let refused = case.refused.map(|event| format!("!{}", self.label(event)));
        case.events.iter().map(|&event| self.label(event)).chain(refused).collect()
    }
}

fn is_model(path: &str) -> bool {
    path.starts_with("builtin:")
        || path.starts_with("graphwalker:")
        || path.ends_with(".bp")
        || path.ends_with(".bp.json")
        || path.ends_with(".bp.js")
}

fn open(path: &str) -> Result<Model, Failure> {
    // Do not check paths with a prefix: built-in models are part of the program, and the rest of
    // the path of a GraphWalker model is checked when the model is read.
    if !path.starts_with("builtin:") && !path.starts_with("graphwalker:") {
        places::check(path.as_ref(), "name a model: a file *.bp, or builtin:NAME")?;
    }
    let spinner = terminal::spinner("model");
    let model = Model::open(path);
    spinner.finish_and_clear();
    model.map_err(|error| refusal(path, &error))
}

fn refusal(path: &str, error: &ModelError) -> Failure {
    let line = match error.file.is_empty() {
        true if error.cause.starts_with(path) => error.cause.clone(),
        true => format!("{path}: {error}"),
        false => error.to_string(),
    };
    match error.hint.as_str() {
        "" => Failure::new(line),
        hint => Failure::new(line).hint(hint),
    }
}

fn explore(model: &Model, path: &str, limit: usize) -> Result<Space, Failure> {
    Space::explore(&model.program, limit).map_err(|broken| {
        let span = broken.fault.span;
        Failure::new(format!("{path}:{}:{}: {broken}", span.line, span.column))
            .hint("correct the model: it breaks one of its own rules")
    })
}

/// Maximum number of bytes of an unknown event in an error message.
const MAX_SHOWN_BYTES: usize = 100;

/// Maximum size of a file, such as a file of tests or results, in bytes: 512 MiB.
const MAX_FILE_BYTES: u64 = 512 << 20;

/// The error does not name the path.
fn read_up_to(path: &str) -> Result<String, String> {
    let mut text = String::new();
    let file = fs::File::open(path).map_err(|cause| cause.to_string())?;
    let size = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text);
    match size.map_err(|cause| cause.to_string())? as u64 {
        size if size > MAX_FILE_BYTES => {
            Err(format!("the file has more than {MAX_FILE_BYTES} bytes"))
        }
        _ => Ok(text),
    }
}

fn read(path: &str) -> Result<String, Failure> {
    places::check(path.as_ref(), "name an existing file")?;
    read_up_to(path).map_err(|cause| Failure::new(format!("{path}: {cause}")))
}

fn read_tests(path: &str) -> Result<Vec<Vec<String>>, Failure> {
    parse_tests(&read(path)?).map_err(|error| {
        Failure::new(format!("{path}: {error}"))
            .hint("write one test per line, its events separated by commas")
    })
}

fn write(path: &str, text: &str) -> Result<(), Failure> {
    catherd_cli_console::output::write(path.as_ref(), text)
}
