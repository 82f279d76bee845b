//! Raw data of FuzzBench experiments, published as `data.csv.gz` next to each report.
//!
//! As in FuzzBench's reports, the trials of a benchmark are compared at the last snapshot that at
//! least half of them have. The file does not contain the number of edges that can be covered, so
//! the number of goals of a benchmark is the largest number of edges covered by a trial.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catherd_experiments::RunOutcome;
use catherd_experiments::text::{printable, truncated};

use super::row::{Header, Row, records};
use super::{Coverage, Format, ImportError, RawRun, improvements};

/// The file format of FuzzBench.
#[derive(Clone, Debug, Default)]
pub struct FuzzBench {
    /// Label of all runs; `None` to use the column `fuzzer`.
    pub algorithm: Option<String>,
}

const BENCHMARK: &str = "benchmark";
const FUZZER: &str = "fuzzer";
const TRIAL: &str = "trial_id";
const TIME: &str = "time";
const EDGES: &str = "edges_covered";
const CRASH: &str = "crash_key";

const MAX_FAULT_BYTES: usize = 200;

#[derive(Default)]
struct Trial {
    benchmark: String,
    fuzzer: String,
    line: u64,
    edges: BTreeMap<u64, u32>,
    crashes: BTreeMap<String, u64>,
}

struct Trials {
    by_number: BTreeMap<u64, Trial>,
    crashes: bool,
}

impl Trials {
    fn read(path: &Path) -> Result<Trials, ImportError> {
        let mut header: Option<Header> = None;
        let mut trials = Trials { by_number: BTreeMap::new(), crashes: false };
        records(path, true, |line, fields| {
            let Some(header) = &header else {
                let new = Header::strict(path, line, fields)?;
                let needed = [BENCHMARK, FUZZER, TRIAL, TIME, EDGES];
                if let Some(column) = needed.into_iter().find(|column| !new.has(column)) {
                    let (path, column) = (path.to_owned(), column.to_owned());
                    return Err(ImportError::Column { path, column });
                }
                trials.crashes = new.has(CRASH);
                header = Some(new);
                return Ok(());
            };
            trials.add(&header.row(path, line, fields)?)
        })?;
        Ok(trials)
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        let number = whole(row, TRIAL)?;
        // Before its first snapshot, a trial has rows without a time or edges.
        let (Some(_), Some(_)) = (row.text(TIME), row.text(EDGES)) else { return Ok(()) };
        let at = whole(row, TIME)?.saturating_mul(1000);
        let edges = u32::try_from(whole(row, EDGES)?).unwrap_or(u32::MAX);
        let name = |column| row.text(column).map(printable).unwrap_or_default().into_owned();
        let trial = self.by_number.entry(number).or_insert_with(|| Trial {
            benchmark: name(BENCHMARK),
            fuzzer: name(FUZZER),
            line: row.line,
            ..Trial::default()
        });
        if (trial.benchmark != name(BENCHMARK)) || (trial.fuzzer != name(FUZZER)) {
            return Err(ImportError::Csv {
                path: row.path.to_owned(),
                line: row.line,
                problem: format!(
                    "trial {number} belongs to {} on {} here, but to {} on {} in an earlier row",
                    name(FUZZER),
                    name(BENCHMARK),
                    trial.fuzzer,
                    trial.benchmark
                ),
            });
        }
        let known = trial.edges.entry(at).or_insert(edges);
        *known = edges.max(*known);
        if let Some(crash) = row.text(CRASH) {
            let one_line = crash.split_whitespace().collect::<Vec<_>>().join(" ");
            let crash = truncated(&printable(&one_line), MAX_FAULT_BYTES).into_owned();
            let first = trial.crashes.entry(crash).or_insert(at);
            *first = at.min(*first);
        }
        Ok(())
    }

    /// The time of the comparison in milliseconds, and the number of goals, by benchmark.
    fn compared(&self) -> BTreeMap<&str, (u64, u32)> {
        let mut snapshots: BTreeMap<&str, (usize, BTreeMap<u64, usize>)> = BTreeMap::new();
        for trial in self.by_number.values() {
            let (trials, times) = snapshots.entry(&trial.benchmark).or_default();
            *trials += 1;
            trial.edges.keys().for_each(|&at| *times.entry(at).or_default() += 1);
        }
        let of = |(benchmark, (trials, times)): (_, (usize, BTreeMap<u64, usize>))| {
            let usual = times.iter().rev().find(|(_, count)| **count * 2 >= trials);
            let at = usual.map_or(0, |(&at, _)| at);
            let own = self.by_number.values().filter(|trial| trial.benchmark == benchmark);
            let most =
                own.filter_map(|trial| trial.edges.range(..=at).map(|one| *one.1).max()).max();
            (benchmark, (at, most.unwrap_or(0)))
        };
        snapshots.into_iter().map(of).collect()
    }
}

/// Parses an integer, which may be written as `1234.0`.
fn whole(row: &Row<'_>, column: &str) -> Result<u64, ImportError> {
    let text = row.text(column).unwrap_or_default();
    let number = text.parse::<u64>().ok().or_else(|| {
        let number = text.parse::<f64>().ok()?;
        // Larger numbers may have been rounded.
        (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
    });
    number.ok_or_else(|| ImportError::Field {
        path: row.path.to_owned(),
        line: row.line,
        column: column.to_owned(),
        value: text.to_owned(),
        expected: "a non-negative whole number",
    })
}

impl FuzzBench {
    /// Returns the latest time, in milliseconds, at which the trials of a benchmark are compared.
    /// This time is the budget of the experiment.
    ///
    /// # Errors
    /// [`ImportError`] if a file cannot be read or is malformed.
    pub fn budget(files: &[PathBuf]) -> Result<u64, ImportError> {
        let mut longest = 0;
        for path in files {
            let trials = Trials::read(path)?;
            longest = trials.compared().values().map(|one| one.0).fold(longest, u64::max);
        }
        Ok(longest)
    }
}

impl Format for FuzzBench {
    fn engine(&self) -> String {
        "fuzzbench".to_owned()
    }

    fn goals(&self) -> (&'static str, &'static str) {
        ("edge", "edges")
    }

    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(RawRun) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let trials = Trials::read(path)?;
        let compared = trials.compared();
        for (&number, trial) in &trials.by_number {
            let (at, goals) = compared[&*trial.benchmark];
            let covered = trial.edges.range(..=at).map(|one| *one.1).max().unwrap_or(0);
            let last = trial.edges.keys().next_back().copied().unwrap_or(0);
            let ended = !trial.edges.contains_key(&at);
            let until = trial.crashes.iter().filter(|(_, first)| **first <= at);
            let exposed = until.map(|(name, &first)| (format!("exposed_ms.{name}"), first as f64));
            let mut counts: BTreeMap<String, f64> = exposed.collect();
            if trials.crashes {
                counts.insert("faults".to_owned(), counts.len() as f64);
            }
            let points = trial.edges.range(..=at).map(|(&at, &edges)| (at, Some(edges)));
            each(RawRun {
                project: trial.benchmark.clone(),
                algorithm: self.algorithm.clone().unwrap_or_else(|| trial.fuzzer.clone()),
                seed: Some(number),
                renumbered: true,
                outcome: ended.then_some(RunOutcome::Failed),
                reason: ended.then(|| {
                    format!(
                        "no snapshot at {} s, when the trials of the benchmark are compared; the last one is at {} s",
                        at / 1000,
                        last / 1000
                    )
                }),
                coverage: (!ended).then_some(Coverage { goals, covered }),
                search_ms: Some(at.min(last)),
                wall_ms: Some(at.min(last)),
                counts,
                timeline: if ended { Vec::new() } else { improvements(points) },
                text: number.to_string(),
                line: trial.line,
                ..RawRun::default()
            })?;
        }
        Ok(())
    }
}
