//! `catherd sequences coverage`, which measures how many items of a criterion are covered by tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_sequences_testing::{Criterion, EventId, shortest_trace};
use clap::Args;
use serde_json::{Value, json};

use crate::{Settings, Subject, is_model, picture, read_tests, write};

/// Maximum number of items of a criterion that are enumerated.
const MAX_LISTED: u64 = 1_000_000;

/// Shows how many items of a criterion are covered by tests.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences coverage builtin:moodle suite.json --criterion consecutive:3 --missing
  catherd sequences coverage log.txt --criterion consecutive:2
  catherd sequences coverage builtin:abp results/suites/abp --criterion subsequence:2 --missing
  catherd sequences coverage login.bp suite.json --criterion consecutive:2 --svg coverage.svg
  catherd sequences coverage login.bp suite.json --criterion transitions --dot coverage.dot

Without a model, the items are words over the events of the tests. The tests of several files, or of
all *.json files in a folder, count together: for the suites of a study, --missing lists what no
configuration covers. Requirements of the model are listed with the number of tests that contain their events.")]
pub struct Coverage {
    /// Model (optional), and files or folders of tests
    #[arg(value_name = "[MODEL] TESTS", num_args = 1.., required = true)]
    files: Vec<String>,

    #[command(flatten)]
    settings: Settings,

    /// Coverage criterion, such as subsequence:2 or consecutive:3
    #[arg(long, value_name = "CRITERION")]
    criterion: String,

    /// List the uncovered items, each with a shortest trace of the model that covers it, if known
    #[arg(long)]
    missing: bool,

    /// List the items that no trace of the model can cover
    #[arg(long)]
    unreachable: bool,

    /// File for a picture of the criterion (SVG), with a cell for each item
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,

    /// File for the states of the model in the format of Graphviz; edges that tests take are solid
    #[arg(long, value_name = "FILE")]
    dot: Option<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

struct Items {
    /// Covered items, each with the number of tests that cover it.
    covered: BTreeMap<u64, u64>,
    /// The reachable items in ascending order; `None` if they are not known.
    reachable: Option<Vec<u64>>,
}

impl Items {
    fn missing(&self, criterion: &Criterion) -> Result<Vec<u64>, Failure> {
        let open = |item: &u64| !self.covered.contains_key(item);
        match &self.reachable {
            Some(items) => Ok(items.iter().copied().filter(open).collect()),
            None => Ok(all(criterion, "--missing")?.into_iter().filter(open).collect()),
        }
    }

    fn unreachable(&self, criterion: &Criterion) -> Result<Vec<u64>, Failure> {
        let Some(items) = &self.reachable else {
            let cause = "--unreachable: it is not known which items are reachable";
            let hint = "name a model whose states are all explored, or choose another criterion";
            return Err(Failure::new(cause).hint(hint));
        };
        let is_open = |item: &u64| items.binary_search(item).is_err();
        Ok(all(criterion, "--unreachable")?.into_iter().filter(is_open).collect())
    }
}

fn all(criterion: &Criterion, flag: &str) -> Result<Vec<u64>, Failure> {
    criterion.all_items(MAX_LISTED).ok_or_else(|| {
        let cause = format!("{flag}: {criterion} has too many possible items to list");
        Failure::new(cause).hint("use shorter words, or leave the flag out")
    })
}

const MAX_FILES: usize = 1_000_000;

fn files(path: &str) -> Result<Vec<String>, Failure> {
    let failed = |cause: &dyn std::fmt::Display| Failure::new(format!("{path}: {cause}"));
    if !Path::new(path).is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from(path)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|cause| failed(&cause))? {
            let entry = entry.map_err(|cause| failed(&cause))?;
            let kind = entry.file_type().map_err(|cause| failed(&cause))?;
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                found.push(path.to_string_lossy().into_owned());
            }
        }
        if found.len() > MAX_FILES {
            return Err(failed(&"too many files").hint("name a folder with fewer files"));
        }
    }
    if found.is_empty() {
        return Err(failed(&"no *.json files").hint("name files of tests"));
    }
    found.sort();
    Ok(found)
}

/// A file, and its tests as labels of events.
type Labelled = (String, Vec<Vec<String>>);

fn open(arguments: &Coverage) -> Result<(Subject, Vec<Labelled>), Failure> {
    let (model, paths) = match arguments.files.split_first() {
        Some((first, rest)) if !rest.is_empty() && is_model(first) => (Some(first), rest),
        _ => (None, &arguments.files[..]),
    };
    let mut labels = Vec::new();
    for path in paths {
        for file in files(path)? {
            let tests = read_tests(&file)?;
            labels.push((file, tests));
        }
    }
    let subject = match model {
        Some(model) => arguments.settings.open(model)?,
        None => {
            let all: Vec<_> = labels.iter().flat_map(|(_, tests)| tests.clone()).collect();
            arguments.settings.of_tests("tests", &all)
        }
    };
    Ok((subject, labels))
}

/// A requirement of the model, and the number of tests that contain its events.
struct Requirement {
    name: String,
    tests: usize,
    /// Number of the first test that contains the events, counted from 1.
    first: Option<usize>,
}

fn requirements(subject: &Subject, tests: &[Vec<EventId>]) -> Vec<Requirement> {
    let Some((model, _)) = &subject.model else { return Vec::new() };
    let requirement = |word: &catherd_sequences_testing::NamedWord| {
        let of = || (1..).zip(tests).filter(|(_, test)| word.is_in(test)).map(|(number, _)| number);
        Requirement { name: word.name.clone(), tests: of().count(), first: of().next() }
    };
    model.requirements.iter().map(requirement).collect()
}

struct Measured {
    subject: Subject,
    criterion: Criterion,
    tests: Vec<Vec<EventId>>,
    items: Items,
    missing: Vec<u64>,
    unreachable: Vec<u64>,
    requirements: Vec<Requirement>,
}

fn measure(arguments: &Coverage) -> Result<Measured, Failure> {
    let (subject, labels) = open(arguments)?;
    let criterion = subject.criterion(&arguments.criterion)?;
    let mut tests = Vec::new();
    for (file, labels) in &labels {
        tests.extend(subject.tests(labels, file)?);
    }
    subject.check_items(&criterion, &tests)?;
    let reachable = match subject.space() {
        Some(space) => criterion.reachable(space, &subject.alphabet).ok(),
        None => None,
    };
    let mut covered = BTreeMap::new();
    for test in &tests {
        for item in criterion.items(test, &subject.alphabet, subject.space()) {
            *covered.entry(item).or_default() += 1;
        }
    }
    let items = Items { covered, reachable };
    let missing = match arguments.missing {
        true => items.missing(&criterion)?,
        false => Vec::new(),
    };
    let unreachable = match arguments.unreachable {
        true => items.unreachable(&criterion)?,
        false => Vec::new(),
    };
    let requirements = requirements(&subject, &tests);
    Ok(Measured { subject, criterion, tests, items, missing, unreachable, requirements })
}

impl Measured {
    fn name(&self, item: u64) -> String {
        self.criterion.item_name(item, &self.subject.alphabet)
    }

    fn trace(&self, item: u64) -> Option<Vec<String>> {
        let space = self.subject.space()?;
        let trace = shortest_trace(&self.criterion, space, &self.subject.alphabet, item)?;
        Some(trace.into_iter().map(|event| self.subject.label(event)).collect())
    }

    fn draw(&self, arguments: &Coverage) -> Result<(), Failure> {
        if let Some(file) = &arguments.svg {
            let reachable = self.items.reachable.as_deref();
            let alphabet = &self.subject.alphabet;
            write(
                file,
                &picture::draw(&self.criterion, alphabet, &self.items.covered, reachable)?,
            )?;
        }
        if let Some(file) = &arguments.dot {
            let space = self.subject.space().ok_or_else(|| {
                Failure::new("--dot: only a model has states").hint("name a model before the tests")
            })?;
            write(file, &space.coverage(&self.subject.events, &self.tests))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let missing = self.missing.iter();
        let missing: Vec<Value> = missing
            .map(|&item| json!({"item": self.name(item), "trace": self.trace(item)}))
            .collect();
        let unreachable: Vec<String> = self.unreachable.iter().map(|&i| self.name(i)).collect();
        let requirements = self.requirements.iter();
        let requirements: Vec<Value> = requirements
            .map(|one| json!({"name": one.name, "tests": one.tests, "first": one.first}))
            .collect();
        json!({
            "criterion": self.criterion.to_string(),
            "tests": self.tests.len(),
            "rank": self.items.covered.len(),
            "reachable": self.items.reachable.as_ref().map(Vec::len),
            "bound": self.criterion.bound(),
            "missing": missing,
            "unreachable": unreachable,
            "requirements": requirements,
        })
    }

    fn text(&self) -> String {
        let bound = self.criterion.bound();
        let of = self.items.reachable.as_ref().map(Vec::len);
        let (of, what) = of.map_or((bound, "items"), |of| (of as u64, "reachable items"));
        let count = self.items.covered.len();
        let share = 100.0 * count as f64 / (of.max(1)) as f64;
        let criterion = &self.criterion;
        let mut text =
            format!("{criterion}: {count} of {of} {what} ({share:.1} %), bound {bound}\n");
        for &item in &self.missing {
            let _ = match self.trace(item) {
                Some(trace) => writeln!(text, "- {}: {}", self.name(item), trace.join(", ")),
                None => writeln!(text, "- {}", self.name(item)),
            };
        }
        for &item in &self.unreachable {
            let _ = writeln!(text, "- {}: unreachable", self.name(item));
        }
        for Requirement { name, tests, first } in &self.requirements {
            let _ = match first {
                Some(first) => {
                    let tests = terminal::plural(*tests, "test");
                    writeln!(text, "requirement {name}: {tests}, the first is {first}")
                }
                None => writeln!(text, "requirement {name}: no test"),
            };
        }
        text
    }
}

pub(crate) fn coverage(arguments: &Coverage) -> Result<Exit, Failure> {
    let spinner = terminal::spinner("tests");
    let measured = measure(arguments)?;
    measured.draw(arguments)?;
    let text = match arguments.json {
        true => measured.json().to_string() + "\n",
        false => measured.text(),
    };
    spinner.finish_and_clear();
    terminal::print(&text);
    Ok(Exit::Success)
}
