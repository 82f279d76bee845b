//! The speed of machines (Whisker paper, RQ1 and figure 12), and runs that several folders contain.

use std::collections::{BTreeMap, HashMap};

use super::speed::acceleration;
use crate::stats::{Description, Unavailable};
use crate::tidy::{Error, RecordDigests, Results};

/// The runs on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The name of the host.
    pub host: String,
    /// The runs on the host in all folders.
    pub runs: Vec<u32>,
    /// Program time divided by real time of each search of at least a millisecond with known times;
    /// 1 means that the program ran at its normal speed.
    pub factors: Vec<f64>,
    /// Statistics of [`Machine::factors`].
    pub factor: Result<Description, Unavailable>,
    /// Runs that are also in an earlier folder.
    pub repeated: Vec<u32>,
    /// The repeated runs whose record has the same digest as in the first folder.
    pub identical: Vec<u32>,
}

impl Machine {
    /// Returns a value for each host, by name. Runs without a host in the tables are left out.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<Machine>, Error> {
        let time = results.program_time();
        let mut machines: BTreeMap<String, Machine> = BTreeMap::new();
        let mut records: HashMap<u32, RecordDigests> = HashMap::new();
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
                identical: Vec::new(),
            });
            machine.runs.push(row.run);
            machine.factors.extend(time.and_then(|(_, per_second)| {
                acceleration(row.program_time, per_second, row.search_ms)
            }));
            match records.get(&row.run) {
                Some(first) => {
                    machine.repeated.push(row.run);
                    machine.identical.extend(first.agree(&row.record).then_some(row.run));
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
