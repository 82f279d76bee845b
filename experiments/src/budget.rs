//! Budgets of runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::SubjectInfo;

/// The limits of a run. A valid study sets at least one limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Budget {
    /// Limits in units of work of the subject kind, by the name of the unit.
    #[serde(flatten)]
    pub work: BTreeMap<String, u64>,
    /// Limit in milliseconds of real time. With this limit, a run depends on the speed of the
    /// computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

impl Budget {
    /// A budget in a single unit of work.
    pub fn of(unit: &str, limit: u64) -> Budget {
        Budget { work: BTreeMap::from([(unit.to_owned(), limit)]), wall_ms: None }
    }

    /// A budget of real time.
    pub fn wall_ms(limit: u64) -> Budget {
        Budget { work: BTreeMap::new(), wall_ms: Some(limit) }
    }

    /// The limit in a unit of work.
    pub fn limit(&self, unit: &str) -> Option<u64> {
        self.work.get(unit).copied()
    }

    /// Whether no limit is set.
    pub fn is_empty(&self) -> bool {
        self.work.is_empty() && self.wall_ms.is_none()
    }

    /// A unit of the budget that the subject kind does not count.
    pub fn unknown_unit(&self, subject: &SubjectInfo) -> Option<&str> {
        self.work.keys().map(String::as_str).find(|unit| subject.unit(unit).is_none())
    }
}
