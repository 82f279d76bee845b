//! Commands about results: `risk`, and the check of worked examples.

use std::collections::HashMap;
use std::fmt::Write as _;

use catherd_sequences::examples::Example;
use catherd_sequences::risk::{self, Evidence, Policy, UnknownPolicy};
use catherd_sequences::{EventId, Sampler};
use clap::Args;
use serde_json::json;

use super::{Settings, Subject, read, read_tests};
use crate::failure::{Exit, Failure};
use crate::terminal;

/// Estimates the risk of each item from executed tests, and chooses the next ones.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences risk builtin:abp results.csv --criterion subsequence:2
  catherd sequences risk builtin:abp results.csv --criterion consecutive:2 --next 10

A line of results is passed or failed, and the events of the test: failed,send,rAck,sAck. Risk is
a score, not a probability, because a test may cover several items.")]
pub(crate) struct RiskArguments {
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

    /// Traces of the system's use: how often each item is used
    #[arg(long, value_name = "FILE")]
    profile: Option<String>,

    /// Losses: lines of an item and a number, such as sAck, sAck, 10
    #[arg(long, value_name = "FILE")]
    losses: Option<String>,

    /// Number of next tests to choose from walks of the model
    #[arg(long, value_name = "N", default_value_t = 0)]
    next: usize,

    /// How items are chosen for the next tests: expected-loss, thompson, variance or ucb
    #[arg(long, default_value = "expected-loss")]
    policy: String,

    /// Seed of walks and draws
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Computes worked examples, JSON lines with an input and an exact result, and compares.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences examples examples.jsonl

Exit codes: 0 if all are equal, 4 if one differs, 1 if the file cannot be read.")]
pub(crate) struct Examples {
    /// File of examples, one JSON object a line
    #[arg(value_name = "FILE")]
    file: String,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Tests and whether they failed.
fn results(
    arguments: &RiskArguments,
    subject: &Subject,
) -> Result<Vec<(bool, Vec<EventId>)>, Failure> {
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
            other => {
                let cause = format!("{path}: line {}: `{other}` is no result", number + 1);
                return Err(Failure::new(cause).hint("begin each line with passed or failed"));
            }
        };
        let labels = catherd_sequences::split_list(test);
        let test = subject.tests(&[labels], &format!("{path}: line {}", number + 1))?;
        found.extend(test.into_iter().map(|test| (failed, test)));
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
            return Err(Failure::new(format!("{path}: line {}: no loss", number + 1))
                .hint("write an item and a number: sAck, sAck, 10"));
        };
        losses.insert(item.split(',').map(str::trim).collect::<Vec<_>>().join(", "), loss);
    }
    Ok(losses)
}

pub(crate) fn risk(arguments: &RiskArguments) -> Result<Exit, Failure> {
    let subject = arguments.settings.open(&arguments.model)?;
    let policy: Policy =
        arguments.policy.parse().map_err(|error: UnknownPolicy| Failure::new(error))?;
    let criterion = subject.criterion(&arguments.criterion)?;
    let Some(space) = subject.space() else { return Err(Failure::new("there is no model")) };
    let items = criterion
        .reachable(space, &subject.alphabet)
        .map_err(|error| Failure::new(error).hint("raise --limit, or choose another criterion"))?;
    let place: HashMap<u64, usize> = items.iter().copied().zip(0..).collect();
    let of = |test: &[EventId]| -> Vec<usize> {
        let items = criterion.items(test, &subject.alphabet, Some(space));
        items.iter().filter_map(|item| place.get(item).copied()).collect()
    };
    let losses = losses(arguments)?;
    let names: Vec<String> =
        items.iter().map(|&item| criterion.item_name(item, &subject.alphabet)).collect();
    let uniform = 1.0 / items.len().max(1) as f64;
    let mut evidence: Vec<Evidence> = names
        .iter()
        .map(|name| {
            let loss = losses.get(name).copied().unwrap_or(1.0);
            Evidence { passed: 0.0, failed: 0.0, profile: uniform, loss }
        })
        .collect();
    let results = results(arguments, &subject)?;
    let executed: Vec<Vec<EventId>> = results.iter().map(|(_, test)| test.clone()).collect();
    subject.check_items(&criterion, &executed)?;
    for (failed, test) in &results {
        for item in of(test) {
            let evidence = &mut evidence[item];
            if *failed { evidence.failed += 1.0 } else { evidence.passed += 1.0 }
        }
    }
    if let Some(path) = &arguments.profile {
        let uses = subject.tests(&read_tests(path)?, path)?;
        evidence.iter_mut().for_each(|item| item.profile = 0.0);
        for test in &uses {
            of(test).into_iter().for_each(|item| evidence[item].profile += 1.0 / uses.len() as f64);
        }
    }
    let sum = risk::assess(&evidence);
    let scores = risk::scores(&evidence, policy, arguments.seed);
    let order = risk::ranking(&scores);
    let next = next_tests(arguments, &subject, &of, &scores)?;
    let text = if arguments.json {
        let item = |&at: &usize| {
            let beta = evidence[at].risk();
            let (low, high) = beta.interval(0.95);
            json!({"item": names[at], "mean": beta.mean(), "variance": beta.variance(),
                   "low": low, "high": high, "score": scores[at]})
        };
        let value = json!({
            "tests": results.len(),
            "risk": sum.risk,
            "expected_loss": sum.expected_loss,
            "largest_variance": sum.largest_variance,
            "items": order.iter().map(item).collect::<Vec<_>>(),
            "next": next,
        });
        value.to_string() + "\n"
    } else {
        let mut text = format!(
            "{}, {} items of {criterion}\nrisk score {:.6}, expected loss {:.6}, largest variance \
             {:.3e}\n",
            terminal::plural(results.len(), "test"),
            items.len(),
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

/// The next tests, chosen from walks of the model.
fn next_tests(
    arguments: &RiskArguments,
    subject: &Subject,
    items: &dyn Fn(&[EventId]) -> Vec<usize>,
    scores: &[f64],
) -> Result<Vec<String>, Failure> {
    const POOL: u64 = 2000;
    if arguments.next == 0 {
        return Ok(Vec::new());
    }
    let length = catherd_sequences::DEFAULT_LENGTH;
    let Some(walker) = subject.walker(Sampler::Steps, arguments.seed, length) else {
        return Ok(Vec::new());
    };
    let pool = walker?.pool(POOL, &subject.alphabet).map_err(Failure::new)?;
    let tests: Vec<Vec<usize>> =
        (0..pool.len()).map(|number| items(&pool.tests.test(number))).collect();
    let chosen = risk::next_tests(&tests, scores, arguments.next);
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
