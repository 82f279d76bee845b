//! What is known of the order of ids, and what is still to be probed.

use std::collections::{BTreeMap, BTreeSet};

use super::Candidate;
use super::client::Troubles;
use super::journal::Entry;
use super::outcome::Outcome;
use crate::corpus::Sha;

/// How far a sample is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Projects wanted; none: all there are.
    pub wanted: Option<usize>,
    /// Projects accepted.
    pub accepted: usize,
    /// Ids probed by outcome, those beyond the last project of the sample as well.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Troubles met on the way, by kind.
    pub troubles: BTreeMap<String, u64>,
}

impl Progress {
    /// Ids probed.
    pub fn probed(&self) -> u64 {
        self.outcomes.values().sum()
    }
}

/// The order of ids as far as it was drawn, and what came of them.
pub(super) struct Order {
    ids: Box<dyn Iterator<Item = Candidate>>,
    drawn: Vec<Candidate>,
    wanted: usize,
    /// By position; undecided ones as well.
    entries: BTreeMap<usize, Entry>,
    /// Positions of accepted projects.
    accepted: BTreeSet<usize>,
    /// Drawn positions that are neither decided nor under way nor given up for this round.
    open: BTreeSet<usize>,
    pub(super) progress: Progress,
}

impl Order {
    pub(super) fn new(ids: Box<dyn Iterator<Item = Candidate>>, wanted: Option<usize>) -> Order {
        Order {
            ids,
            drawn: Vec::new(),
            wanted: wanted.unwrap_or(usize::MAX),
            entries: BTreeMap::new(),
            accepted: BTreeSet::new(),
            open: BTreeSet::new(),
            progress: Progress { wanted, ..Progress::default() },
        }
    }

    /// Takes what an earlier process found; `lost`: but its archive is not there. False if
    /// it does not belong to this order.
    pub(super) fn replay(&mut self, entry: Entry, lost: bool) -> bool {
        while self.drawn.len() <= entry.position {
            let Some(candidate) = self.ids.next() else { return false };
            self.open.insert(self.drawn.len());
            self.drawn.push(candidate);
        }
        if self.drawn[entry.position].id != entry.id {
            return false;
        }
        let again = lost || entry.outcome == Outcome::Undecided;
        let position = entry.position;
        self.open.remove(&position);
        self.decide(entry);
        if lost {
            self.accepted.remove(&position);
            self.progress.accepted = self.accepted.len();
        }
        if again {
            self.open.insert(position);
        }
        true
    }

    /// The next id to probe; none if nothing is needed but what is under way.
    pub(super) fn next(&mut self) -> Option<(usize, Candidate)> {
        let horizon = self.horizon();
        let open = self.open.first().copied().filter(|&position| position < horizon);
        if let Some(position) = open {
            self.open.remove(&position);
            return Some((position, self.drawn[position]));
        }
        if self.drawn.len() >= horizon {
            return None;
        }
        let candidate = self.ids.next()?;
        self.drawn.push(candidate);
        Some((self.drawn.len() - 1, candidate))
    }

    /// The position after which nothing matters: that of the last project wanted, if so
    /// many were accepted.
    fn horizon(&self) -> usize {
        if self.accepted.len() < self.wanted {
            return usize::MAX;
        }
        self.accepted.iter().nth(self.wanted - 1).map_or(usize::MAX, |last| last + 1)
    }

    pub(super) fn decide(&mut self, entry: Entry) {
        let Progress { outcomes, troubles, .. } = &mut self.progress;
        add(troubles, &entry.troubles);
        if let Some(before) = self.entries.get(&entry.position)
            && let Some(count) = outcomes.get_mut(&before.outcome)
        {
            *count -= 1;
        }
        *outcomes.entry(entry.outcome).or_default() += 1;
        outcomes.retain(|_, count| *count > 0);
        if entry.outcome == Outcome::Accepted {
            self.accepted.insert(entry.position);
        }
        self.progress.accepted = self.accepted.len();
        self.entries.insert(entry.position, entry);
    }

    /// A probe was called off: as if it had never been sent.
    pub(super) fn forget(&mut self, position: usize) {
        self.open.insert(position);
    }

    /// Opens undecided ids that matter once more; false if there are none.
    pub(super) fn retry(&mut self) -> bool {
        let horizon = self.horizon();
        let undecided = self.entries.range(..horizon);
        let undecided = undecided.filter(|(_, entry)| entry.outcome == Outcome::Undecided);
        self.open.extend(undecided.map(|(position, _)| position));
        !self.open.is_empty()
    }

    /// The probes that make the sample: up to the last project wanted, in order.
    pub(super) fn frame(&self) -> Vec<&Entry> {
        self.entries.range(..self.horizon()).map(|(_, entry)| entry).collect()
    }

    /// Digests of the projects that were accepted beyond the last one wanted.
    pub(super) fn surplus(&self) -> impl Iterator<Item = Sha> + '_ {
        let beyond = self.entries.range(self.horizon()..);
        beyond.filter_map(|(_, entry)| entry.project.as_ref().map(|member| member.sha256))
    }

    /// Ids of the frame about which nothing is known, each with the last trouble.
    pub(super) fn undecided(&self) -> Vec<(u64, String)> {
        let frame = self.frame().into_iter();
        let undecided = frame.filter(|entry| entry.outcome == Outcome::Undecided);
        undecided.map(|e| (e.id, e.detail.clone().unwrap_or_default())).collect()
    }

    /// Were there fewer projects than wanted?
    pub(super) fn is_short(&self) -> bool {
        self.progress.wanted.is_some_and(|wanted| self.accepted.len() < wanted)
    }
}

fn add(sum: &mut BTreeMap<String, u64>, troubles: &Troubles) {
    for (name, count) in troubles {
        *sum.entry(name.clone()).or_default() += count;
    }
}
