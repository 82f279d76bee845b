//! Order of ids: results so far, and the next id to probe.

use std::collections::{BTreeMap, BTreeSet};

use super::Candidate;
use super::client::RetryCounts;
use super::journal::ProbeEntry;
use super::outcome::ProbeOutcome;
use crate::corpus::Sha;

/// Progress of a sample.
#[derive(Clone, Debug, Default)]
pub struct SampleProgress {
    /// Number of projects wanted; `None` for all.
    pub wanted: Option<usize>,
    /// Number of accepted projects.
    pub accepted: usize,
    /// Number of probed ids by outcome.
    pub outcomes: BTreeMap<ProbeOutcome, u64>,
    /// Number of failed attempts at requests, by cause.
    pub retries: BTreeMap<String, u64>,
}

impl SampleProgress {
    /// Number of probed ids.
    pub fn probed(&self) -> u64 {
        self.outcomes.values().sum()
    }
}

pub(super) struct ProbeOrder {
    ids: Box<dyn Iterator<Item = Candidate>>,
    drawn: Vec<Candidate>,
    wanted: usize,
    /// Results by position, including undecided results.
    entries: BTreeMap<usize, ProbeEntry>,
    accepted: BTreeSet<usize>,
    /// Drawn positions that wait for a probe.
    open: BTreeSet<usize>,
    pub(super) progress: SampleProgress,
}

impl ProbeOrder {
    pub(super) fn new(
        ids: Box<dyn Iterator<Item = Candidate>>,
        wanted: Option<usize>,
    ) -> ProbeOrder {
        ProbeOrder {
            ids,
            drawn: Vec::new(),
            wanted: wanted.unwrap_or(usize::MAX),
            entries: BTreeMap::new(),
            accepted: BTreeSet::new(),
            open: BTreeSet::new(),
            progress: SampleProgress { wanted, ..SampleProgress::default() },
        }
    }

    /// Returns whether the entry belongs to this order.
    pub(super) fn restore(&mut self, entry: ProbeEntry, archive_missing: bool) -> bool {
        while self.drawn.len() <= entry.position {
            let Some(candidate) = self.ids.next() else { return false };
            self.open.insert(self.drawn.len());
            self.drawn.push(candidate);
        }
        if self.drawn[entry.position].id != entry.id {
            return false;
        }
        let again = archive_missing || entry.outcome == ProbeOutcome::Undecided;
        let position = entry.position;
        self.open.remove(&position);
        self.decide(entry);
        if archive_missing {
            self.accepted.remove(&position);
            self.progress.accepted = self.accepted.len();
        }
        if again {
            self.open.insert(position);
        }
        true
    }

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

    /// One past the position of the last wanted project, or unlimited.
    fn horizon(&self) -> usize {
        if self.accepted.len() < self.wanted {
            return usize::MAX;
        }
        self.accepted.iter().nth(self.wanted - 1).map_or(usize::MAX, |last| last + 1)
    }

    pub(super) fn decide(&mut self, entry: ProbeEntry) {
        let SampleProgress { outcomes, retries, .. } = &mut self.progress;
        add(retries, &entry.retries);
        if let Some(before) = self.entries.get(&entry.position)
            && let Some(count) = outcomes.get_mut(&before.outcome)
        {
            *count -= 1;
        }
        *outcomes.entry(entry.outcome).or_default() += 1;
        outcomes.retain(|_, count| *count > 0);
        if entry.outcome == ProbeOutcome::Accepted {
            self.accepted.insert(entry.position);
        }
        self.progress.accepted = self.accepted.len();
        self.entries.insert(entry.position, entry);
    }

    pub(super) fn reopen(&mut self, position: usize) {
        self.open.insert(position);
    }

    /// Returns whether any position is then open.
    pub(super) fn reopen_undecided(&mut self) -> bool {
        let horizon = self.horizon();
        let undecided = self.entries.range(..horizon);
        let undecided = undecided.filter(|(_, entry)| entry.outcome == ProbeOutcome::Undecided);
        self.open.extend(undecided.map(|(position, _)| position));
        !self.open.is_empty()
    }

    /// The sampling frame: the probes up to the last wanted project.
    pub(super) fn frame(&self) -> Vec<&ProbeEntry> {
        self.entries.range(..self.horizon()).map(|(_, entry)| entry).collect()
    }

    /// Digests of projects beyond the sampling frame.
    pub(super) fn surplus(&self) -> impl Iterator<Item = Sha> + '_ {
        let beyond = self.entries.range(self.horizon()..);
        beyond.filter_map(|(_, entry)| entry.project.as_ref().map(|member| member.sha256))
    }

    /// Undecided ids of the frame with the cause of their last failed attempt.
    pub(super) fn undecided(&self) -> Vec<(u64, String)> {
        let frame = self.frame().into_iter();
        let undecided = frame.filter(|entry| entry.outcome == ProbeOutcome::Undecided);
        undecided.map(|e| (e.id, e.detail.clone().unwrap_or_default())).collect()
    }

    pub(super) fn is_short(&self) -> bool {
        self.progress.wanted.is_some_and(|wanted| self.accepted.len() < wanted)
    }
}

fn add(sum: &mut BTreeMap<String, u64>, retries: &RetryCounts) {
    for (name, count) in retries {
        *sum.entry(name.clone()).or_default() += count;
    }
}
