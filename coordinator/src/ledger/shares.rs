//! Fair shares of workers, between owners and between the studies of an owner.
//!
//! The time of a worker is charged to the study whose run it executes. Each study has a *virtual
//! time*: the time that was charged to it, divided by its share. Among studies of the same
//! priority, the study with the smallest virtual time gets the next worker. Therefore workers are
//! divided by shares, even if the runs of one study are longer. Workers are divided between owners
//! in the same way. The weight of an owner is the largest share of the owner's studies that
//! compete, so an owner gets no more workers by dividing a study into several.
//!
//! Three rules keep the division fair over short periods. A leased run is charged in advance,
//! because otherwise all workers that request runs at the same time would get runs of the same
//! study. A study that begins to wait has no claim on time in which it did not wait. The time that
//! a study can make up for, after a period in which no worker could execute its runs, is limited.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::ids::{StudyNumber, StudySetNumber};

/// Maximum time that is charged in advance for a leased run.
const HORIZON: Duration = Duration::from_secs(5);

/// Time that a study can make up for, for each worker.
const CATCH_UP: Duration = Duration::from_secs(10);

/// A study can make up for at least this multiple of the longest run time.
const CATCH_UP_RUNS: u32 = 2;

/// The claim of an active study on workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyClaim {
    /// The study.
    pub study: StudyNumber,
    /// The name of the owner; empty if unknown.
    pub owner: String,
    /// Priority among the owner's studies.
    pub priority: i32,
    /// Weight among the owner's studies of the same priority; at least 1.
    pub share: u32,
    /// Maximum number of workers at the same time.
    pub quota: Option<u32>,
}

impl StudyClaim {
    /// The default claim of a study without an owner.
    pub fn usual(study: StudyNumber) -> StudyClaim {
        StudyClaim { study, owner: String::new(), priority: 0, share: 1, quota: None }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// The virtual time in seconds.
    time: f64,
    /// The time charged in advance, in seconds.
    advance: f64,
    /// Whether runs waited at the last call to [`Shares::admit`].
    waits: bool,
}

impl Account {
    fn level(&self, weight: f64) -> f64 {
        self.time + self.advance / weight
    }

    fn competes(&self) -> bool {
        self.waits || self.advance > 0.0
    }
}

#[derive(Clone, Copy, Debug)]
struct Owner {
    account: Account,
    /// The largest share of the studies that competed last.
    weight: f64,
}

impl Default for Owner {
    fn default() -> Owner {
        Owner { account: Account::default(), weight: 1.0 }
    }
}

#[derive(Clone, Debug)]
struct Study {
    claim: StudyClaim,
    account: Account,
    lanes: Vec<StudySetNumber>,
    workers: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    studies: BTreeMap<StudyNumber, Study>,
    owners: BTreeMap<String, Owner>,
    /// Time charged to each study, active or not.
    spent: BTreeMap<StudyNumber, Duration>,
}

/// The use of workers by a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of workers with leases that are charged to the study, if the study is active.
    pub workers: u32,
    /// Time of workers that was charged to the study since the ledger was restored.
    pub spent: Duration,
}

impl Shares {
    /// A study that already had a claim keeps its account.
    pub(super) fn set_claims(&mut self, claims: Vec<StudyClaim>) {
        let mut former = std::mem::take(&mut self.studies);
        for claim in claims {
            self.owners.entry(claim.owner.clone()).or_default();
            let study = match former.remove(&claim.study) {
                Some(study) => Study { claim, ..study },
                None => {
                    let (account, lanes) = (Account::default(), Vec::new());
                    Study { claim, account, lanes, workers: 0 }
                }
            };
            self.studies.insert(study.claim.study, study);
        }
        let named: BTreeSet<&String> =
            self.studies.values().map(|study| &study.claim.owner).collect();
        self.owners.retain(|owner, _| named.contains(owner));
        for (name, owner) in &mut self.owners {
            let own = self.studies.values().filter(|study| study.claim.owner == *name);
            owner.account.advance = own.map(|study| study.account.advance).sum();
        }
    }

    pub(super) fn set_lanes<'s>(
        &mut self,
        sets: impl Iterator<Item = (StudySetNumber, &'s [StudyNumber])>,
    ) {
        self.studies.values_mut().for_each(|study| study.lanes.clear());
        for (set, studies) in sets {
            for study in studies {
                if let Some(study) = self.studies.get_mut(study) {
                    study.lanes.push(set);
                }
            }
        }
    }

    pub(super) fn lanes(&self, study: StudyNumber) -> &[StudySetNumber] {
        self.studies.get(&study).map_or(&[], |study| &study.lanes)
    }

    pub(super) fn usage(&self, study: StudyNumber) -> Usage {
        let workers = self.studies.get(&study).map_or(0, |study| study.workers);
        Usage { workers, spent: self.spent.get(&study).copied().unwrap_or_default() }
    }

    pub(super) fn is_at_quota(&self, study: StudyNumber) -> bool {
        let study = self.studies.get(&study);
        study.is_some_and(|study| study.claim.quota.is_some_and(|quota| study.workers >= quota))
    }

    pub(super) fn order(&mut self, waits: impl Fn(StudySetNumber) -> bool) -> Vec<StudyNumber> {
        self.admit(waits);
        let mut order: Vec<_> = self.studies.values().filter(|study| study.account.waits).collect();
        let key = |study: &Study| {
            let Owner { account, weight } =
                self.owners.get(&study.claim.owner).copied().unwrap_or_default();
            let share = f64::from(study.claim.share);
            (account.level(weight), study.claim.priority, study.account.level(share))
        };
        order.sort_by(|one, other| {
            let (one_key, other_key) = (key(one), key(other));
            let owners = one_key.0.total_cmp(&other_key.0);
            owners
                .then_with(|| one.claim.owner.cmp(&other.claim.owner))
                .then(other_key.1.cmp(&one_key.1))
                .then_with(|| one_key.2.total_cmp(&other_key.2))
                .then(one.claim.study.cmp(&other.claim.study))
        });
        order.into_iter().map(|study| study.claim.study).collect()
    }

    /// A study or an owner that begins to wait starts at least at the smallest virtual time of its
    /// competitors.
    fn admit(&mut self, waits: impl Fn(StudySetNumber) -> bool) {
        let mut floors: BTreeMap<String, f64> = BTreeMap::new();
        for study in self.studies.values().filter(|study| study.account.competes()) {
            let floor = floors.entry(study.claim.owner.clone()).or_insert(f64::INFINITY);
            *floor = floor.min(study.account.time);
        }
        let competing = self.owners.values().filter(|owner| owner.account.competes());
        let times = competing.map(|owner| owner.account.time);
        let owner_floor = times.fold(f64::INFINITY, f64::min);
        let raise = |account: &mut Account, waits: bool, floor: Option<f64>| {
            if waits && !account.competes() {
                let floor = floor.filter(|floor| floor.is_finite());
                account.time = account.time.max(floor.unwrap_or(account.time));
            }
            account.waits = waits;
        };
        let mut waiting_owners = BTreeSet::new();
        let mut weights: BTreeMap<&str, f64> = BTreeMap::new();
        for study in self.studies.values_mut() {
            let owner = &study.claim.owner;
            let is_waiting = study.lanes.iter().any(|&lane| waits(lane));
            raise(&mut study.account, is_waiting, floors.get(owner).copied());
            if is_waiting {
                waiting_owners.insert(&**owner);
            }
            if study.account.competes() {
                let weight = weights.entry(&**owner).or_insert(1.0);
                *weight = weight.max(f64::from(study.claim.share));
            }
        }
        for (name, owner) in &mut self.owners {
            raise(&mut owner.account, waiting_owners.contains(&**name), Some(owner_floor));
            owner.weight = weights.get(&**name).copied().unwrap_or(owner.weight);
        }
    }

    pub(super) fn charge(&mut self, study: StudyNumber, time: Duration) {
        if time.is_zero() {
            return;
        }
        *self.spent.entry(study).or_default() += time;
        let Some(study) = self.studies.get_mut(&study) else { return };
        study.account.time += time.as_secs_f64() / f64::from(study.claim.share);
        if let Some(Owner { account, weight }) = self.owners.get_mut(&study.claim.owner) {
            account.time += time.as_secs_f64() / *weight;
        }
    }

    pub(super) fn advance_of(expected: Option<Duration>) -> Duration {
        expected.unwrap_or(Duration::from_secs(1)).min(HORIZON)
    }

    /// Charges time in advance if `sign` is 1, and takes it back if `sign` is -1.
    pub(super) fn note_advance(&mut self, study: StudyNumber, time: Duration, sign: f64) {
        let Some(study) = self.studies.get_mut(&study) else { return };
        let seconds = sign * time.as_secs_f64();
        let change = |account: &mut Account| {
            // Rounding errors must not accumulate.
            account.advance = (account.advance + seconds).max(0.0);
            if account.advance < 1e-6 {
                account.advance = 0.0;
            }
        };
        change(&mut study.account);
        if let Some(owner) = self.owners.get_mut(&study.claim.owner) {
            change(&mut owner.account);
        }
    }

    pub(super) fn note_worker(&mut self, study: StudyNumber, holds: bool) {
        if let Some(study) = self.studies.get_mut(&study) {
            let workers = study.workers;
            study.workers = if holds { workers + 1 } else { workers.saturating_sub(1) };
        }
    }

    pub(super) fn bound_lag(&mut self, workers: usize, longest: Duration) {
        let all = CATCH_UP * u32::try_from(workers).unwrap_or(u32::MAX);
        let bound = all.max(longest * CATCH_UP_RUNS).as_secs_f64();
        let mut latest: BTreeMap<String, f64> = BTreeMap::new();
        for study in self.studies.values().filter(|study| study.account.waits) {
            let time = latest.entry(study.claim.owner.clone()).or_insert(f64::NEG_INFINITY);
            *time = time.max(study.account.time);
        }
        for study in self.studies.values_mut().filter(|study| study.account.waits) {
            let latest = latest.get(&study.claim.owner).copied().unwrap_or(f64::NEG_INFINITY);
            let floor = latest - bound / f64::from(study.claim.share);
            study.account.time = study.account.time.max(floor);
        }
        let waiting = self.owners.values().filter(|owner| owner.account.waits);
        let latest = waiting.map(|owner| owner.account.time).fold(f64::NEG_INFINITY, f64::max);
        for Owner { account, weight } in self.owners.values_mut().filter(|o| o.account.waits) {
            account.time = account.time.max(latest - bound / *weight);
        }
    }
}
