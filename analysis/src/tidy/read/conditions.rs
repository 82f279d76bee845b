//! The conditions of the computer during each run.

use std::collections::HashMap;

use polars_arrow::array::StaticArray as _;

use crate::tidy::slice::{Interner, Slice};
use crate::tidy::table::{columns_of, read_slices};
use crate::tidy::{Error, Results};

/// The place and the conditions of the execution of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConditions {
    /// Index into [`Results::runs`].
    pub run: u32,
    /// The start in milliseconds since 1970.
    pub started_ms: Option<u64>,
    /// Index into [`PlacedRuns::hosts`].
    pub host: u32,
    /// The core of the worker.
    pub core: Option<u32>,
    /// Shares of the time, in the order of [`SHARES`]: use of the core by other programs, use of
    /// its sibling threads, use of the rest of the computer, and use of the core by other virtual
    /// machines.
    pub shares: [Option<f64>; 4],
    /// Number of times that the core was slowed down because of its temperature.
    pub throttled: Option<u64>,
}

/// The columns of [`RunConditions::shares`].
pub const SHARES: [&str; 4] = ["others_busy", "siblings_busy", "machine_busy", "steal"];

/// The runs with a known host, in the order of the tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedRuns {
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// The runs.
    pub runs: Vec<RunConditions>,
}

impl Results {
    /// Processor time of each run in milliseconds.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn processor_ms(&self) -> Result<Vec<Option<u64>>, Error> {
        let known: HashMap<_, u32> = self.numbers();
        let mut found = vec![None; self.runs.len()];
        let mut first = 0;
        for source in self.sources() {
            let begin = std::mem::replace(&mut first, source.end);
            let path = source.dir.join("runs.parquet");
            if !columns_of(&path)?.iter().any(|name| name == "cpu_ms") {
                continue;
            }
            read_slices(&path, &["run", "cpu_ms"], |batch| {
                let slice = Slice { batch, path: &path };
                let (ids, times) = (slice.text("run")?, slice.u64("cpu_ms")?);
                for row in 0..batch.len() {
                    let id = slice.value("run", ids.get(row))?;
                    let run = known.get(&slice.digest(id)?).map(|&run| run as usize);
                    if let Some(run) = run.filter(|run| (begin..source.end).contains(run)) {
                        found[run] = times.get(row);
                    }
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The conditions of all runs with a known host.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn conditions(&self) -> Result<PlacedRuns, Error> {
        let known: HashMap<_, u32> = self.numbers();
        let mut hosts = Interner::default();
        let mut runs = Vec::new();
        let mut first = 0;
        for source in self.sources() {
            let begin = std::mem::replace(&mut first, source.end);
            let path = source.dir.join("runs.parquet");
            let present = columns_of(&path)?;
            let has = |column: &str| present.iter().any(|name| name == column);
            let optional: Vec<&str> = SHARES
                .into_iter()
                .chain(["started_ms", "throttled", "core"])
                .filter(|column| has(column))
                .collect();
            let mut columns = vec!["run", "host"];
            columns.extend(&optional);
            read_slices(&path, &columns, |batch| {
                let slice = Slice { batch, path: &path };
                let (ids, names) = (slice.text("run")?, slice.text("host")?);
                let count = |name| if has(name) { slice.u64(name).map(Some) } else { Ok(None) };
                let (started, throttled) = (count("started_ms")?, count("throttled")?);
                let cores = if has("core") { Some(slice.u32("core")?) } else { None };
                let mut shares = [None; 4];
                for (column, name) in shares.iter_mut().zip(SHARES) {
                    *column = if has(name) { Some(slice.f64(name)?) } else { None };
                }
                for row in 0..batch.len() {
                    let id = slice.value("run", ids.get(row))?;
                    let run = known.get(&slice.digest(id)?).copied();
                    // If several folders contain a run, the first folder is used.
                    let run = run.filter(|run| (begin..source.end).contains(&(*run as usize)));
                    let (Some(run), Some(host)) = (run, names.get(row)) else { continue };
                    runs.push(RunConditions {
                        run,
                        host: hosts.index(host.to_owned()),
                        started_ms: started.and_then(|started| started.get(row)),
                        core: cores.and_then(|cores| cores.get(row)),
                        shares: shares.map(|column| column.and_then(|column| column.get(row))),
                        throttled: throttled.and_then(|throttled| throttled.get(row)),
                    });
                }
                Ok(())
            })?;
        }
        Ok(PlacedRuns { hosts: hosts.items, runs })
    }
}
