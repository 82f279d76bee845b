//! `catherd sequences generate`: generates or selects suites.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_sequences_testing::suite::{self, Matrix, Profile, Ties};
use catherd_sequences_testing::systems;
use catherd_sequences_testing::{
    Criterion, DirectLimits, EventId, Pool, Sampler, TestCase, Tests, direct, negatives, suite_json,
};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;

use crate::{Settings, Subject, is_model, output, read_tests, up_to, write};

/// Maximum number of events of `--events`: 8 events have 40,320 orders.
const MAX_PERMUTED: usize = 8;

const ALGORITHMS: [&str; 7] = ["greedy", "ga", "best-of", "unranked", "local", "direct", "optimal"];

/// Generates a small suite that covers many items, or selects it from given tests.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences generate builtin:moodle --criterion consecutive:3 --size 10 -o suite.json
  catherd sequences generate log.txt --criterion subsequence:2 --until 100%
  catherd sequences generate --events a,b,c,d --criterion 'subsequence:3 distinct' --until 100%")]
pub struct Generate {
    /// Model (a file *.bp, or builtin:NAME), or a file of tests, one per line
    #[arg(value_name = "MODEL|TESTS", required_unless_present = "events")]
    source: Option<String>,

    #[command(flatten)]
    settings: Settings,

    /// Events whose orders are the given tests, instead of a model
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', conflicts_with = "source")]
    events: Vec<String>,

    /// Coverage criterion, such as subsequence:2 or consecutive:3
    #[arg(long, value_name = "CRITERION")]
    criterion: String,

    /// Number of tests
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    size: usize,

    /// Share of items to cover, such as 95%, instead of --size: with `direct`, of the reachable
    /// items, and otherwise of the items in the pool, chosen by `greedy`
    #[arg(long, value_name = "SHARE")]
    until: Option<String>,

    /// Algorithm that selects or makes the tests
    #[arg(long, default_value = "greedy", value_parser = ALGORITHMS)]
    algorithm: String,

    /// Number of random walks in the pool
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pool: u64,

    /// How walks choose events, as in catherd sequences walk
    #[arg(long, default_value = "steps", value_parser = Sampler::NAMES)]
    sampler: String,

    /// Maximum length of a test, in events
    #[arg(long, value_name = "N", default_value_t = catherd_sequences_testing::DEFAULT_LENGTH, value_parser = up_to(10_000_000))]
    length: usize,

    /// File of tests that the suite must contain; `greedy` adds tests to them, whatever --algorithm
    /// says, but `direct` ignores the file
    #[arg(long, value_name = "FILE")]
    seed_tests: Option<String>,

    /// File of an older suite; its tests are kept if the model still allows them, and used like
    /// those of --seed-tests
    #[arg(long, value_name = "FILE")]
    keep: Option<String>,

    /// Drop final events that no item needs, and tests that become empty
    #[arg(long)]
    shorten: bool,

    /// Add a negative test for each test: its first events, and then an event, marked with `!`,
    /// that the model does not allow there and the system must refuse
    #[arg(long)]
    negative: bool,

    /// Seed of the random numbers of pool and search
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// File of the suite: *.json, *.csv (a row for each event), *.feature (scenarios without step
    /// definitions), otherwise lines of text [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,

    /// Print one JSON object instead of lines: the suite and how many items it covers
    #[arg(long)]
    json: bool,
}

pub(crate) fn generate(arguments: &Generate) -> Result<Exit, Failure> {
    let spinner = terminal::spinner("tests");
    let (subject, given) = subject(arguments)?;
    let criterion = subject.criterion(&arguments.criterion)?;
    let items = match subject.space() {
        Some(space) => criterion.reachable(space, &subject.alphabet).ok(),
        None => None,
    };
    let tests = if arguments.algorithm == "direct" {
        made(arguments, &subject, &criterion, items.as_deref())?
    } else {
        let wanted = wanted(arguments, &subject)?;
        // First add the tests that the suite must contain, so that they have the first numbers of
        // the pool.
        let mut tests = Tests::default();
        wanted.iter().for_each(|test| tests.push(test));
        let first = Pool::new(&tests, &subject.alphabet).len() as u32;
        let others = match given {
            Some(tests) => tests,
            None => {
                let sampler = Sampler::named(&arguments.sampler).unwrap_or_default();
                let walker = subject.walker(sampler, arguments.seed, arguments.length);
                let walker = walker.ok_or_else(|| Failure::new("there is no model"))??;
                let walks = walker.pool_walks(arguments.pool);
                let failed = |fault| Failure::new(fault).hint("set a smaller --pool or --length");
                walks.map_err(failed)?.0
            }
        };
        (0..others.len()).for_each(|number| tests.push(&others.test(number)));
        let pool = Pool::new(&tests, &subject.alphabet);
        criterion
            .check_tests(pool.letters.iter().map(Vec::as_slice))
            .map_err(|error| Failure::new(&error).hint(error.hint.clone()))?;
        let matrix = Matrix::new(&criterion, &pool, subject.space());
        let chosen = choose(arguments, &matrix, (0..first).collect())?;
        chosen.iter().map(|&test| pool.tests.test(test as usize)).collect()
    };
    let tests = match arguments.shorten {
        true => shortened(&criterion, &subject, tests),
        false => tests,
    };
    let covered = covered(&criterion, &subject, &tests);
    let rank = covered.iter().map(|&item| criterion.weight(item)).sum();
    spinner.finish_and_clear();
    let (count, verb) = match tests.len() {
        1 => ("1 test".to_owned(), "covers"),
        several => (terminal::plural(several, "test"), "cover"),
    };
    let cases = cases(arguments, &subject, tests)?;
    let json = || suite_json(&subject.name, &arguments.criterion, rank, &subject.events, &cases);
    if let Some(file) = arguments.output.as_deref() {
        let text = match file {
            file if file.ends_with(".json") => json(),
            file if file.ends_with(".csv") => output::csv(&subject, &cases)?,
            file if file.ends_with(".feature") => output::feature(&subject, &cases),
            _ => output::lines(&subject, &cases),
        };
        write(file, &text)?;
    }
    if arguments.json {
        let mut value: serde_json::Value = serde_json::from_str(&json()).map_err(Failure::new)?;
        value["covered"] = json!(covered.len());
        value["reachable"] = json!(items.as_ref().map(Vec::len));
        value["bound"] = json!(criterion.bound());
        terminal::print(&(value.to_string() + "\n"));
    } else if arguments.output.is_none() {
        terminal::print(&output::lines(&subject, &cases));
    }
    let of = items.map_or(criterion.bound(), |items| items.len() as u64);
    terminal::note(&format!("{count} {verb} {} of {of} items of {criterion}", covered.len()));
    Ok(Exit::Success)
}

fn cases(
    arguments: &Generate,
    subject: &Subject,
    tests: Vec<Vec<EventId>>,
) -> Result<Vec<TestCase>, Failure> {
    let mut negative = Vec::new();
    if arguments.negative {
        let space = subject.space().ok_or_else(|| {
            Failure::new("--negative: only a model says which events must be refused")
                .hint("write a model, or leave --negative out")
        })?;
        negative = negatives(space, subject.events.len(), &tests, arguments.seed);
    }
    Ok(tests.into_iter().map(TestCase::from).chain(negative).collect())
}

fn subject(arguments: &Generate) -> Result<(Subject, Option<Tests>), Failure> {
    let labels = match &arguments.source {
        Some(path) if is_model(path) => return Ok((arguments.settings.open(path)?, None)),
        Some(path) => read_tests(path)?,
        None if arguments.events.len() > MAX_PERMUTED => {
            let count = arguments.events.len();
            return Err(Failure::new(format!("--events: {count} events have too many orders"))
                .hint(format!("name at most {MAX_PERMUTED}, or write a model")));
        }
        None => orders(&arguments.events),
    };
    let subject = arguments.settings.of_tests("tests", &labels);
    let mut tests = Tests::default();
    for test in subject.tests(&labels, "tests")? {
        tests.push(&test);
    }
    Ok((subject, Some(tests)))
}

fn orders(events: &[String]) -> Vec<Vec<String>> {
    if events.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for at in 0..events.len() {
        let mut rest = events.to_vec();
        let first = rest.remove(at);
        for mut order in orders(&rest) {
            order.insert(0, first.clone());
            found.push(order);
        }
    }
    found
}

fn share(arguments: &Generate) -> Result<Option<f64>, Failure> {
    let Some(text) = &arguments.until else { return Ok(None) };
    let number = text
        .strip_suffix('%')
        .map_or(text.parse::<f64>(), |percent| percent.parse::<f64>().map(|number| number / 100.0));
    match number {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(Some(share)),
        _ => Err(Failure::new(format!("--until: `{text}` is not a percentage"))
            .hint("write for example 95%")),
    }
}

fn wanted(arguments: &Generate, subject: &Subject) -> Result<Vec<Vec<EventId>>, Failure> {
    let mut wanted = Vec::new();
    if let Some(file) = &arguments.seed_tests {
        wanted = subject.tests(&read_tests(file)?, file)?;
    }
    if let Some(file) = &arguments.keep {
        let labels = read_tests(file)?;
        let all = labels.len();
        let known = labels.into_iter().filter_map(|test| subject.tests(&[test], file).ok());
        let is_allowed = |test: &Vec<EventId>| match subject.space() {
            Some(space) => systems::allowed(space, test),
            None => true,
        };
        let kept: Vec<_> = known.flatten().filter(is_allowed).collect();
        if kept.len() < all {
            let dropped = terminal::plural(all - kept.len(), "test");
            terminal::note(&format!(
                "{file}: left out {dropped} with events that are unknown or not allowed by the model"
            ));
        }
        wanted.extend(kept);
    }
    Ok(wanted)
}

/// Cuts each test to its shortest beginning with which the suite covers exactly the same items.
fn shortened(
    criterion: &Criterion,
    subject: &Subject,
    mut tests: Vec<Vec<EventId>>,
) -> Vec<Vec<EventId>> {
    let all = covered(criterion, subject, &tests);
    for number in 0..tests.len() {
        let whole = std::mem::take(&mut tests[number]);
        let others = covered(criterion, subject, &tests);
        let needed: BTreeSet<u64> = all.difference(&others).copied().collect();
        let suffices = |length: &usize| {
            let items = criterion.items(&whole[..*length], &subject.alphabet, subject.space());
            let items: BTreeSet<u64> = items.into_iter().collect();
            needed.is_subset(&items) && items.is_subset(&all)
        };
        let length = (0..=whole.len()).find(suffices).unwrap_or(whole.len());
        tests[number] = whole[..length].to_vec();
    }
    tests.retain(|test| !test.is_empty());
    tests
}

fn choose(arguments: &Generate, matrix: &Matrix, wanted: Vec<u32>) -> Result<Vec<u32>, Failure> {
    let (size, seed) = (arguments.size, arguments.seed);
    if let Some(share) = share(arguments)? {
        let rank = (share * matrix.best() as f64).ceil() as u64;
        return Ok(suite::greedy_until(matrix, rank, &wanted));
    }
    if !wanted.is_empty() {
        return Ok(suite::greedy_from(matrix, size, &wanted));
    }
    let go = &mut |_: &suite::SearchResult| ControlFlow::Continue(());
    let found = match arguments.algorithm.as_str() {
        "ga" => suite::evolve(matrix, size, Profile::Paper, seed, u64::MAX, go),
        "best-of" => suite::best_of(matrix, size, 1000, seed, u64::MAX, go),
        "unranked" => suite::unranked(matrix, size, seed, u64::MAX, go),
        "local" => suite::local(matrix, size, 2, seed, u64::MAX, go),
        "optimal" => suite::optimal(matrix, size, u64::MAX, go)
            .map_err(|error| Failure::new(error).hint("lower --size or --pool, or use greedy"))?,
        _ => suite::greedy(matrix, size, Ties::First, seed, u64::MAX, go),
    };
    Ok(found.best.suite)
}

fn made(
    arguments: &Generate,
    subject: &Subject,
    criterion: &Criterion,
    items: Option<&[u64]>,
) -> Result<Vec<Vec<EventId>>, Failure> {
    let (Some(space), Some(items)) = (subject.space(), items) else {
        return Err(Failure::new("direct: the reachable items are not known")
            .hint("use a model whose states are all explored, or another algorithm"));
    };
    let share = share(arguments)?;
    let size = if share.is_some() { usize::MAX } else { arguments.size };
    let enough = (share.unwrap_or(1.0) * items.len() as f64).ceil() as usize;
    let aim = DirectLimits { size, length: arguments.length, limit: u64::MAX };
    let seed = arguments.seed;
    Ok(direct(criterion, space, &subject.alphabet, items, aim, seed, &mut |made| {
        if made.covered >= enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }))
}

pub(super) fn covered(
    criterion: &Criterion,
    subject: &Subject,
    tests: &[Vec<EventId>],
) -> BTreeSet<u64> {
    let items = |test| criterion.items(test, &subject.alphabet, subject.space());
    tests.iter().flat_map(|test| items(test)).collect()
}
