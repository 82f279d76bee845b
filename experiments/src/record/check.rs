//! Checks of records. `docs/reference/limits.md` lists the bounds.

use super::{Conditions, Criterion, MAX_BINARY_BYTES, RunRecord, TimelinePoint};
use crate::MutantRecord;
use crate::text::is_printable;

/// Maximum length of a string that is neither a name nor a file, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 10;

const MAX_NAME_BYTES: usize = 256;

const MAX_NAMES: usize = 256;

const MAX_METRICS: usize = 4096;

const MAX_MUTANTS: usize = 1_000_000;

/// Maximum duration in milliseconds: 366 days.
const MAX_MS: u64 = 366 * 24 * 3600 * 1000;

/// Maximum amount: 2^53 - 1, up to which common JSON parsers read integers exactly.
const MAX_AMOUNT: u64 = (1 << 53) - 1;

/// A part of a record that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {problem}")]
pub struct InvalidRecord {
    /// The part, such as `timeline`.
    pub part: String,
    /// The problem with the part.
    pub problem: String,
}

type Checked = Result<(), InvalidRecord>;

fn invalid(part: impl Into<String>, problem: impl Into<String>) -> Checked {
    Err(InvalidRecord { part: part.into(), problem: problem.into() })
}

impl RunRecord {
    /// Checks that the parts of a record match each other. Every record is checked when it is read.
    pub(super) fn check_consistency(&self) -> Checked {
        let units = self.work.len();
        let points = self.timeline.iter().chain(self.timelines.values().flatten());
        if let Some(point) = points.into_iter().find(|point| point.work.len() != units) {
            let amounts = point.work.len();
            return invalid(
                "timeline",
                format!("a point has amounts for {amounts} of {units} units"),
            );
        }
        self.criteria.iter().try_for_each(criterion)
    }

    /// Checks the bounds of a record that a worker delivers.
    ///
    /// # Errors
    ///
    /// If a part is out of bounds or contradicts another part.
    pub fn check_bounds(&self) -> Checked {
        self.check_counts()?;
        text("reason", &self.reason, MAX_TEXT_BYTES)?;
        names("criteria", self.criteria.iter().map(|criterion| &*criterion.name), MAX_NAMES)?;
        names("work", self.work.keys().map(String::as_str), MAX_NAMES)?;
        names("metrics", self.metrics.keys().map(String::as_str), MAX_METRICS)?;
        for (part, files) in [("artifacts", &self.artifacts), ("logs", &self.logs)] {
            names(part, files.keys().map(String::as_str), MAX_NAMES)?;
            if let Some(name) = files.keys().find(|name| !is_file_name(name)) {
                return invalid(part, format!("{name:?} is not the name of a file"));
            }
        }
        names("binaries", self.binaries.keys().map(String::as_str), MAX_NAMES)?;
        let bytes: usize = self.binaries.values().map(|binary| binary.0.len()).sum();
        if bytes > MAX_BINARY_BYTES {
            return invalid(
                "binaries",
                format!("{bytes} bytes; the maximum is {MAX_BINARY_BYTES}"),
            );
        }
        text("suite", &self.suite.unit, MAX_NAME_BYTES)?;
        at_most("mutants", self.mutants.len(), MAX_MUTANTS)?;
        self.mutants.iter().try_for_each(mutant)?;
        self.work.values().try_for_each(|&amount| number("work", amount, MAX_AMOUNT))?;
        for duration in [self.resources.wall_ms, self.resources.search_ms] {
            number("resources", duration, MAX_MS)?;
        }
        // Several processors may work at the same time.
        for amount in [self.resources.cpu_ms, self.resources.peak_rss_kib] {
            number("resources", amount, MAX_AMOUNT)?;
        }
        self.resources.conditions.iter().try_for_each(conditions)?;
        let provenance = &self.provenance;
        text("provenance", &provenance.isolation, MAX_TEXT_BYTES)?;
        let places = [&provenance.host, &provenance.worker, &provenance.memory_limit];
        names("provenance", places.map(String::as_str).into_iter(), MAX_NAMES)
    }

    fn check_counts(&self) -> Checked {
        timeline(&self.timeline, self.goals())?;
        for (name, points) in &self.timelines {
            let own = self.criteria.iter().skip(1).find(|criterion| criterion.name == *name);
            let Some(own) = own else {
                let problem = format!("`{name}` is not a criterion after the first one");
                return invalid("timelines", problem);
            };
            timeline(points, own.goals)?;
        }
        for (number, one) in self.criteria.iter().enumerate() {
            if self.criteria[..number].iter().any(|other| other.name == one.name) {
                return invalid("criteria", format!("`{}` occurs twice", one.name));
            }
        }
        Ok(())
    }
}

fn timeline(points: &[TimelinePoint], goals: u32) -> Checked {
    let mut seen = 0;
    for point in points {
        if point.covered < seen {
            return invalid("timeline", "coverage decreases");
        }
        seen = point.covered;
        if seen > goals {
            return invalid("timeline", format!("{seen} of {goals} goals are covered"));
        }
        number("timeline", point.wall_ms, MAX_MS)?;
        point.work.iter().try_for_each(|&work| number("timeline", work, MAX_AMOUNT))?;
    }
    Ok(())
}

fn criterion(Criterion { name, goals, covered }: &Criterion) -> Checked {
    let part = || format!("criterion `{name}`");
    if !covered.is_sorted() {
        return invalid(part(), "the covered goals do not ascend");
    }
    if covered.windows(2).any(|pair| pair[0] == pair[1]) {
        return invalid(part(), "a goal is covered twice");
    }
    match covered.last().filter(|last| *last >= goals) {
        Some(last) => invalid(
            part(),
            format!("goal {last} is covered, but there are {goals} goals, numbered from 0"),
        ),
        None => Ok(()),
    }
}

fn conditions(of: &Conditions) -> Checked {
    let wrong = |(name, value): (&str, f64), most: f64| {
        let problem = format!("{name} is {value}, not between 0 and {most}");
        if (0.0..=most).contains(&value) { Ok(()) } else { invalid("conditions", problem) }
    };
    let present = |(name, value): (&'static str, Option<f64>)| Some((name, value?));
    of.shares().into_iter().filter_map(present).try_for_each(|share| wrong(share, 1.0))?;
    let amounts = [("mhz", of.mhz), ("energy_j", of.energy_j)];
    amounts.into_iter().filter_map(present).try_for_each(|one| wrong(one, MAX_AMOUNT as f64))?;
    let counts = [Some(of.started_ms), of.throttled, of.preemptions];
    counts.into_iter().flatten().try_for_each(|count| number("conditions", count, MAX_AMOUNT))
}

fn mutant(mutant: &MutantRecord) -> Checked {
    let parts = mutant.location.iter().flat_map(|level| [&level.level, &level.name]);
    let own = [&mutant.id, &mutant.operator, &mutant.change];
    own.into_iter()
        .chain(parts)
        .chain(&mutant.duplicate_of)
        .try_for_each(|part| text("mutants", part, MAX_TEXT_BYTES))?;
    at_most("mutants", mutant.location.len(), MAX_NAMES)
}

fn names<'a>(part: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Checked {
    let mut found = 0;
    for name in names {
        found += 1;
        text(part, name, MAX_NAME_BYTES)?;
        if let Some(c) = name.chars().find(|c| !is_printable(*c)) {
            return invalid(part, format!("a name with the character {c:?}"));
        }
    }
    at_most(part, found, most)
}

fn text(part: &str, text: &str, most: usize) -> Checked {
    match text.len() {
        bytes if bytes > most => {
            invalid(part, format!("a string of {bytes} bytes; the maximum is {most}"))
        }
        _ => Ok(()),
    }
}

fn number(part: &str, found: u64, most: u64) -> Checked {
    if found <= most { Ok(()) } else { invalid(part, format!("{found} is more than {most}")) }
}

fn at_most(part: &str, entries: usize, most: usize) -> Checked {
    if entries <= most {
        Ok(())
    } else {
        invalid(part, format!("{entries} entries; the maximum is {most}"))
    }
}

/// A file name without a path is written into the intended folder.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && ![".", ".."].contains(&name) && !name.contains(['/', '\\'])
}
