//! Whether runs can be repeated, and how fast each machine is (Whisker paper, RQ1 and figure
//! 12): the same runs in several folders.

use std::collections::{BTreeMap, HashMap};

use super::speed::acceleration;
use crate::stats::{Description, Unavailable};
use crate::tidy::{Error, RecordDigests, Results};

/// What a machine ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Its name.
    pub host: String,
    /// Its runs in all folders.
    pub runs: Vec<u32>,
    /// Program time over real time of each of its searches: 1 is as fast as Scratch.
    pub factors: Vec<f64>,
    /// [`Machine::factors`] in a few numbers.
    pub factor: Result<Description, Unavailable>,
    /// Runs that an earlier folder has, too.
    pub repeated: Vec<u32>,
    /// Those of them whose record is the same to the last bit.
    pub agreeing: Vec<u32>,
}

impl Machine {
    /// One for each host, by name; runs of which the tables do not say where they ran are left
    /// out.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<Machine>, Error> {
        let mut machines: BTreeMap<String, Machine> = BTreeMap::new();
        let mut records: HashMap<u32, RecordDigests> = HashMap::new();
        let time = results.program_time();
        results.rows(|row| {
            if row.host.is_empty() {
                return;
            }
            let machine = machines.entry(row.host.to_owned()).or_insert_with(|| Machine {
                host: row.host.to_owned(),
                runs: Vec::new(),
                factors: Vec::new(),
                factor: Err(Unavailable::Empty),
                repeated: Vec::new(),
                agreeing: Vec::new(),
            });
            machine.runs.push(row.run);
            machine.factors.extend(time.and_then(|(_, per_second)| {
                acceleration(row.program_time, per_second, row.search_ms)
            }));
            match records.get(&row.run) {
                Some(first) => {
                    machine.repeated.push(row.run);
                    machine.agreeing.extend(first.agree(&row.record).then_some(row.run));
                }
                None => drop(records.insert(row.run, row.record)),
            }
        })?;
        let described = |mut machine: Machine| {
            machine.factor = Description::of(&machine.factors);
            machine
        };
        Ok(machines.into_values().map(described).collect())
    }
}
