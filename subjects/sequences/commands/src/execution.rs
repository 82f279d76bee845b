//! The commands `catherd sequences risk` and `catherd dev sequences examples`.

use std::collections::HashMap;
use std::fmt::Write as _;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_sequences_testing::examples::Example;
use catherd_sequences_testing::risk::{self, Evidence, Policy, UnknownPolicy};
use catherd_sequences_testing::{Criterion, EventId, Pool, Sampler};
use clap::Args;
use serde_json::json;

use crate::{Settings, Subject, read, read_tests};

/// Estimates the risk of each item from executed tests, and chooses the next tests.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences risk builtin:abp results.csv --criterion subsequence:2
  catherd sequences risk builtin:abp results.csv --criterion consecutive:2 --next 10
  catherd sequences risk builtin:abp results.csv --partition atoms --profile usage.txt

A line of results has passed or failed, then the events of the test: failed,send,rAck,sAck. A line with
the word changed says that the system was changed: what is known so far is forgotten, or, with --decay,
counts less. Risk is a score, not a probability, because a test may cover several items; with
--partition each test belongs to one class, and risk is the probability that a use fails.")]
pub struct RiskArguments {
    /// Model: a file, or builtin:NAME
    #[arg(value_name = "MODEL")]
    model: String,

    /// Results of tests
    #[arg(value_name = "RESULTS")]
    results: String,

    #[command(flatten)]
    settings: Settings,

    /// Coverage criterion whose items have a risk
    #[arg(long, value_name = "CRITERION", default_value = "subsequence:2")]
    criterion: String,

    /// Divide the tests into classes, and estimate the risk of these: by the first item of a test
    /// (first), or by the set of all its items (atoms)
    #[arg(long, value_name = "HOW", value_parser = ["first", "atoms"])]
    partition: Option<String>,

    /// Weight of the results before a change of the system, from 0 (forgotten) to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    decay: f64,

    /// File with traces of the system in use, which say how often each item is used [default: all
    /// items equally often; with --partition as often as in random walks of the model]
    #[arg(long, value_name = "FILE")]
    profile: Option<String>,

    /// File with the losses that failures cause: lines of an item and a number, such as sAck, sAck,
    /// 10
    #[arg(long, value_name = "FILE")]
    losses: Option<String>,

    /// Number of next tests to choose from walks of the model
    #[arg(long, value_name = "N", default_value_t = 0)]
    next: usize,

    /// How items for the next tests are chosen: expected-loss, thompson, variance or ucb
    #[arg(long, default_value = "expected-loss")]
    policy: String,

    /// Seed of the random numbers of walks and policy
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Checks worked examples: JSON lines with an input and its exact result.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dev sequences examples examples.jsonl

Exit codes: 0 if all are equal, 4 if one differs or cannot be checked, 1 if the file cannot be read.")]
pub struct Examples {
    /// File of examples, one JSON object per line
    #[arg(value_name = "FILE")]
    file: String,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

enum Line {
    Test { failed: bool, events: Vec<EventId> },
    Changed,
}

fn results(arguments: &RiskArguments, subject: &Subject) -> Result<Vec<Line>, Failure> {
    let path = &arguments.results;
    let mut found = Vec::new();
    for (number, line) in read(path)?.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || (number == 0 && line.starts_with("result")) {
            continue;
        }
        let (result, test) = line.split_once(',').unwrap_or((line, ""));
        let failed = match result.trim() {
            "passed" | "pass" => false,
            "failed" | "fail" => true,
            "changed" if test.trim().is_empty() => {
                found.push(Line::Changed);
                continue;
            }
            other => {
                let cause = format!("{path}: line {}: `{other}` is not a result", number + 1);
                return Err(Failure::new(cause).hint("begin each line with passed or failed"));
            }
        };
        let labels = catherd_sequences_testing::parse_line(test);
        let test = subject.tests(&[labels], &format!("{path}: line {}", number + 1))?;
        found.extend(test.into_iter().map(|events| Line::Test { failed, events }));
    }
    Ok(found)
}

fn losses(arguments: &RiskArguments) -> Result<HashMap<String, f64>, Failure> {
    let Some(path) = &arguments.losses else { return Ok(HashMap::new()) };
    let mut losses = HashMap::new();
    for (number, line) in read(path)?.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let parts = line.rsplit_once(',');
        let loss = parts.and_then(|(item, loss)| Some((item, loss.trim().parse::<f64>().ok()?)));
        let Some((item, loss)) = loss.filter(|(_, loss)| loss.is_finite() && *loss >= 0.0) else {
            return Err(Failure::new(format!("{path}: line {}: not a loss", number + 1))
                .hint("write an item and a number: sAck, sAck, 10"));
        };
        losses.insert(item.split(',').map(str::trim).collect::<Vec<_>>().join(", "), loss);
    }
    Ok(losses)
}

const WALKS: u64 = 2000;

/// The classes whose risk is estimated: the items of a criterion, or classes of a partition of all
/// tests.
struct Classes<'s> {
    subject: &'s Subject,
    criterion: Criterion,
    /// The index of each class in `names`, by the items that identify the class.
    places: HashMap<Vec<u64>, usize>,
    names: Vec<String>,
    partition: Option<Partition>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Partition {
    First,
    Atoms,
}

impl<'s> Classes<'s> {
    fn new(arguments: &RiskArguments, subject: &'s Subject) -> Result<Classes<'s>, Failure> {
        let criterion = subject.criterion(&arguments.criterion)?;
        let partition = match arguments.partition.as_deref() {
            Some("first") => Some(Partition::First),
            Some(_) => Some(Partition::Atoms),
            None => None,
        };
        let mut classes =
            Classes { subject, criterion, places: HashMap::new(), names: Vec::new(), partition };
        if partition.is_none() {
            let space = subject.space().ok_or_else(|| Failure::new("there is no model"))?;
            let items = classes.criterion.reachable(space, &subject.alphabet);
            let items = items.map_err(|error| {
                Failure::new(error).hint("raise --limit, or choose another criterion")
            })?;
            items.into_iter().for_each(|item| _ = classes.add(vec![item]));
        }
        Ok(classes)
    }

    fn add(&mut self, key: Vec<u64>) -> usize {
        let name = |&item: &u64| self.criterion.item_name(item, &self.subject.alphabet);
        let name = match &key[..] {
            [] => "no item".to_owned(),
            [item] => name(item),
            // Print only some items, because the names of many would fill the screen.
            items => {
                let shown: Vec<_> = items.iter().take(3).map(name).collect();
                let rest = if items.len() > 3 { " and others" } else { "" };
                format!("{} items: {}{rest}", items.len(), shown.join("; "))
            }
        };
        let place = self.names.len();
        self.places.insert(key, place);
        self.names.push(name);
        place
    }

    /// With a partition, each test has exactly one class.
    fn of(&mut self, test: &[EventId]) -> Vec<usize> {
        let items = self.criterion.items(test, &self.subject.alphabet, self.subject.space());
        let key = match self.partition {
            None => {
                let place = |item: u64| self.places.get(&[item][..]).copied();
                return items.into_iter().filter_map(place).collect();
            }
            Some(Partition::First) => items.into_iter().take(1).collect(),
            Some(Partition::Atoms) => items,
        };
        let known = self.places.get(&key).copied();
        vec![known.unwrap_or_else(|| self.add(key))]
    }
}

/// Returns the evidence in the order of `Classes::names`.
fn evidence(
    arguments: &RiskArguments,
    classes: &mut Classes<'_>,
    results: &[Line],
) -> Result<Vec<Evidence>, Failure> {
    if !(0.0..=1.0).contains(&arguments.decay) {
        let cause = format!("--decay: `{}` is not a share", arguments.decay);
        return Err(Failure::new(cause).hint("write a number from 0 to 1"));
    }
    let subject = classes.subject;
    let mut counts: Vec<(f64, f64)> = vec![(0.0, 0.0); classes.names.len()];
    for line in results {
        let Line::Test { failed, events } = line else {
            counts.iter_mut().for_each(|(passed, failed)| {
                *passed *= arguments.decay;
                *failed *= arguments.decay;
            });
            continue;
        };
        for class in classes.of(events) {
            counts.resize(counts.len().max(class + 1), (0.0, 0.0));
            if *failed { counts[class].1 += 1.0 } else { counts[class].0 += 1.0 }
        }
    }
    let uses = match (&arguments.profile, classes.partition) {
        (Some(path), _) => Some(subject.tests(&read_tests(path)?, path)?),
        (None, Some(_)) => {
            let pool = pool(arguments, subject)?;
            let walk = |&walk: &u32| pool.tests.test(walk as usize);
            Some(pool.walks.iter().map(walk).collect())
        }
        (None, None) => None,
    };
    let mut profile = vec![0.0; classes.names.len()];
    for test in uses.iter().flatten() {
        for class in classes.of(test) {
            profile.resize(profile.len().max(class + 1), 0.0);
            profile[class] += 1.0 / uses.as_ref().map_or(1, Vec::len) as f64;
        }
    }
    let losses = losses(arguments)?;
    counts.resize(classes.names.len(), (0.0, 0.0));
    profile.resize(classes.names.len(), 0.0);
    let uniform = 1.0 / classes.names.len().max(1) as f64;
    let one = |(at, name): (usize, &String)| {
        let loss = losses.get(name).copied().unwrap_or(1.0);
        let profile = if uses.is_some() { profile[at] } else { uniform };
        let (passed, failed) = counts[at];
        Evidence { passed, failed, profile, loss }
    };
    Ok(classes.names.iter().enumerate().map(one).collect())
}

pub(crate) fn risk(arguments: &RiskArguments) -> Result<Exit, Failure> {
    let subject = arguments.settings.open(&arguments.model)?;
    let policy: Policy =
        arguments.policy.parse().map_err(|error: UnknownPolicy| Failure::new(error))?;
    let mut classes = Classes::new(arguments, &subject)?;
    let results = results(arguments, &subject)?;
    let test = |line: &Line| match line {
        Line::Test { events, .. } => Some(events.clone()),
        Line::Changed => None,
    };
    let executed: Vec<Vec<EventId>> = results.iter().filter_map(test).collect();
    subject.check_items(&classes.criterion, &executed)?;
    let evidence = evidence(arguments, &mut classes, &results)?;
    let sum = risk::assess(&evidence);
    let scores = risk::scores(&evidence, policy, arguments.seed);
    let order = risk::ranking(&scores);
    let next = next_tests(arguments, &mut classes, evidence.clone(), policy)?;
    let names = &classes.names;
    let text = if arguments.json {
        let item = |&at: &usize| {
            let beta = evidence[at].risk();
            let (low, high) = beta.interval(0.95);
            json!({"item": names[at], "mean": beta.mean(), "variance": beta.variance(),
                   "low": low, "high": high, "score": scores[at]})
        };
        let value = json!({
            "tests": executed.len(),
            "risk": sum.risk,
            "is_probability": classes.partition.is_some(),
            "expected_loss": sum.expected_loss,
            "largest_variance": sum.largest_variance,
            "items": order.iter().map(item).collect::<Vec<_>>(),
            "next": next,
        });
        value.to_string() + "\n"
    } else {
        let (what, risk) = match classes.partition {
            Some(_) if names.len() == 1 => ("class", "probability that a use fails"),
            Some(_) => ("classes", "probability that a use fails"),
            None if names.len() == 1 => ("item", "risk score"),
            None => ("items", "risk score"),
        };
        let mut text = format!(
            "{}, {} {what} of {}\n{risk} {:.6}, expected loss {:.6}, largest variance {:.3e}\n",
            terminal::plural(executed.len(), "test"),
            names.len(),
            classes.criterion,
            sum.risk,
            sum.expected_loss,
            sum.largest_variance
        );
        for &at in order.iter().take(10) {
            let beta = evidence[at].risk();
            let (low, high) = beta.interval(0.95);
            let _ = writeln!(text, "{:<40} {:.4} [{low:.4}, {high:.4}]", names[at], beta.mean());
        }
        next.iter().for_each(|test| _ = writeln!(text, "next: {test}"));
        text
    };
    terminal::print(&text);
    Ok(Exit::Success)
}

fn pool(arguments: &RiskArguments, subject: &Subject) -> Result<Pool, Failure> {
    let length = catherd_sequences_testing::DEFAULT_LENGTH;
    let walker = subject.walker(Sampler::Steps, arguments.seed, length);
    let walker = walker.ok_or_else(|| Failure::new("there is no model"))??;
    walker.pool(WALKS, &subject.alphabet).map_err(Failure::new)
}

/// There is no evidence about classes that occur only in the pool.
fn next_tests(
    arguments: &RiskArguments,
    classes: &mut Classes<'_>,
    mut evidence: Vec<Evidence>,
    policy: Policy,
) -> Result<Vec<String>, Failure> {
    if arguments.next == 0 {
        return Ok(Vec::new());
    }
    let subject = classes.subject;
    let pool = pool(arguments, subject)?;
    let tests: Vec<Vec<usize>> =
        (0..pool.len()).map(|number| classes.of(&pool.tests.test(number))).collect();
    let none = Evidence { passed: 0.0, failed: 0.0, profile: 0.0, loss: 1.0 };
    evidence.resize(classes.names.len(), none);
    let scores = risk::scores(&evidence, policy, arguments.seed);
    let chosen = risk::next_tests(&tests, &scores, arguments.next);
    let labels = |test| subject.labels(&pool.tests.test(test).into()).join(", ");
    Ok(chosen.into_iter().map(labels).collect())
}

pub(crate) fn examples(arguments: &Examples) -> Result<Exit, Failure> {
    let (mut equal, mut all, mut found) = (0, 0, Vec::new());
    for (number, line) in read(&arguments.file)?.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        all += 1;
        let example = Example::parse(line).map_err(|cause| {
            Failure::new(format!("{}: line {}: {cause}", arguments.file, number + 1))
                .hint("write objects with id, kind, input and expect")
        })?;
        match example.check() {
            Ok(differences) if differences.is_empty() => equal += 1,
            Ok(differences) => found.extend(differences.into_iter().map(|one| {
                json!({"id": example.id, "member": one.member, "expected": one.expected,
                       "found": one.found})
            })),
            Err(cause) => found.push(json!({"id": example.id, "error": cause.to_string()})),
        }
    }
    if arguments.json {
        let value = json!({"examples": all, "equal": equal, "differences": found});
        terminal::print(&(value.to_string() + "\n"));
    } else {
        let mut text = String::new();
        for one in &found {
            let id = one["id"].as_str().unwrap_or_default();
            let _ = match one["error"].as_str() {
                Some(cause) => writeln!(text, "{id}: {cause}"),
                None => writeln!(
                    text,
                    "{id}: {}: expected {}, found {}",
                    one["member"].as_str().unwrap_or_default(),
                    one["expected"],
                    one["found"]
                ),
            };
        }
        let _ = writeln!(text, "{equal} of {all} examples are equal");
        terminal::print(&text);
    }
    Ok(if equal < all { Exit::CheckFailed } else { Exit::Success })
}
