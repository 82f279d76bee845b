//! Settings of test generation, and configurations with named parameters as in study files.

use catherd_scratch_suite::goals::GoalSet;
use catherd_search::{Algorithm, Field, Parameters, Setting};

use catherd_scratch_vm::{Compat as Machine, VmSettings};

use crate::compat::Compat;
use crate::criteria::Criteria;
use crate::error::GenerateError;
use crate::extraction::Extraction;
use crate::parameters::{DurationBounds, MAX_CODON};

const GOAL_SETS: &[(&str, GoalSet)] =
    &[("published", GoalSet::Published), ("reachable", GoalSet::Reachable)];

const MACHINES: &[(&str, Machine)] = &[("2022", Machine::Of2022), ("today", Machine::Today)];

/// Seconds by which `timer` advances in each step in Whisker (Whisker paper, section 3.2).
const TIMER: f64 = 0.075;

/// Settings of test generation that are not parameters of a search algorithm. The defaults come
/// from the Whisker paper, section 6.1.4, and from the program that the paper names.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationSettings {
    /// Settings of the VM.
    pub machine: catherd_scratch_vm::VmSettings,
    /// The set of blocks to cover.
    pub goals: GoalSet,
    /// The goals at which the search aims. Default: blocks.
    pub criteria: Criteria,
    /// The method for extracting events.
    pub extraction: Extraction,
    /// The method by which a codon selects one of the extracted events.
    pub selection: Selection,
    /// Minimum number of events of a random test. Default: 2.
    pub min_events: usize,
    /// Maximum number of events of any test. Default: 20.
    pub max_events: usize,
    /// Standard deviation of the changes of codons in mutation. Default: 5.
    pub deviation: f64,
    /// Bounds on the durations of key presses and waits.
    pub bounds: DurationBounds,
    /// Probability that extension uses a new event if there is one. Default: 0.5.
    pub new_event_probability: f64,
    /// Whether the final suite is minimised (Whisker paper, section 5.4).
    pub minimise: bool,
    /// Number of executions after which minimisation removes no more events; 0 for no limit.
    /// Default: 100,000.
    pub minimisation_executions: usize,
    /// Deviations of the published code of Whisker.
    pub compat: Compat,
}

impl GenerationSettings {
    pub(crate) fn for_machine(mut self) -> Self {
        if self.machine.compat == Machine::Today {
            let VmSettings { timer_increment, batches, one_timer, .. } =
                VmSettings::of(Machine::Today);
            self.machine = VmSettings { timer_increment, batches, one_timer, ..self.machine };
        }
        self
    }
}

impl Default for GenerationSettings {
    fn default() -> Self {
        Self {
            machine: catherd_scratch_vm::VmSettings {
                timer_increment: TIMER,
                ..Default::default()
            },
            goals: GoalSet::Published,
            criteria: Criteria::Blocks,
            extraction: Extraction::Dynamic,
            selection: Selection::Modulo,
            min_events: 2,
            max_events: 20,
            deviation: 5.0,
            bounds: DurationBounds::default(),
            new_event_probability: 0.5,
            minimise: true,
            minimisation_executions: 100_000,
            compat: Compat::default(),
        }
    }
}

/// Rule by which a codon selects one of the extracted events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The codon modulo the number of events (Whisker paper, equation 1).
    Modulo,
    /// Codons are divided into ranges, so similar codons usually select the same event. This is an
    /// option of the published code of Whisker.
    Clustering,
}

impl Selection {
    const WORDS: &[(&str, Self)] = &[("modulo", Self::Modulo), ("clustering", Self::Clustering)];

    pub(crate) fn index(self, codon: u16, events: usize) -> usize {
        let (codon, codons) = (usize::from(codon), usize::from(MAX_CODON) + 1);
        match self {
            Self::Clustering if events <= codons => codon / codons.div_ceil(events),
            _ => codon % events,
        }
    }

    /// Number of events, counted from the first, that codons can select.
    pub(crate) fn reach(self, events: usize) -> usize {
        match self {
            Self::Modulo => events.min(usize::from(MAX_CODON) + 1),
            Self::Clustering if events == 0 => 0,
            Self::Clustering => self.index(MAX_CODON, events) + 1,
        }
    }

    /// The smallest codon that selects the event at an index among this number of events.
    pub(crate) fn codon(self, index: usize, events: usize) -> u16 {
        let codons = usize::from(MAX_CODON) + 1;
        match self {
            Self::Clustering if events <= codons => (index * codons.div_ceil(events)) as u16,
            _ => index as u16,
        }
    }
}

impl Parameters for GenerationSettings {
    fn fields(&mut self) -> Vec<Field<'_>> {
        let mut fields = vec![
            Field::choice("compat", &mut self.machine.compat, MACHINES)
                .meaning("the machine: Scratch as in the Whisker paper, or today's Scratch"),
            Field::choice("goals", &mut self.goals, GOAL_SETS)
                .meaning("reachable: only blocks that a path from a user event reaches"),
            Field::choice("extraction", &mut self.extraction, Extraction::WORDS).meaning(
                "static: every event with a handler anywhere in the code; naive: most kinds of \
                 events (Whisker paper, Algorithm 1); wait: waits only",
            ),
            Field::choice("selection", &mut self.selection, Selection::WORDS)
                .meaning("how a codon selects an event; clustering: close codons select the same"),
            Field::count("min_events", &mut self.min_events, 1, 1_000)
                .meaning("length of random tests in events; max_events bounds all tests"),
            Field::count("max_events", &mut self.max_events, 1, 1_000)
                .meaning("length of random tests in events; max_events bounds all tests"),
            Field::number("deviation", &mut self.deviation, 0.0, 480.0)
                .meaning("standard deviation by which mutation moves codons"),
            Field::count("key_duration", &mut self.bounds.key, 1, 1_000)
                .meaning("bound on key presses in steps"),
            Field::count("wait_duration", &mut self.bounds.wait, 1, 10_000).meaning(
                "bound on waits in steps; the 100, 200, 300, 400 and 480 steps that \
                 extension writes are exempt",
            ),
            Field::share("new_event_probability", &mut self.new_event_probability)
                .meaning("probability that extension takes an event that has just become possible"),
            Field::switch("minimise", &mut self.minimise).meaning("minimise the final suite"),
            Field::count(
                "minimisation_executions",
                &mut self.minimisation_executions,
                0,
                1_000_000_000,
            )
            .meaning("executions after which minimisation removes no more events; 0: no limit"),
            Field::number("timer_increment", &mut self.machine.timer_increment, 0.0, 1.0).meaning(
                "seconds by which timer advances in a step, for 2022 only; the Whisker paper, \
                     section 3.2, found 0.075",
            ),
        ];
        fields.extend(self.compat.fields());
        fields
    }
}

/// An algorithm with all its parameters and the settings of test generation: one configuration
/// of a study file.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The search algorithm.
    pub algorithm: Algorithm,
    /// Settings of test generation.
    pub settings: GenerationSettings,
}

impl Configuration {
    /// Creates a configuration of a named algorithm, with named parameters of the algorithm and of
    /// test generation, and defaults for the other parameters.
    ///
    /// # Errors
    /// If the algorithm or a parameter is unknown, or a value or a combination of values is not
    /// allowed.
    pub fn new(algorithm: &str, parameters: &[(&str, Setting<'_>)]) -> Result<Self, GenerateError> {
        let mut configuration = Self {
            algorithm: Algorithm::named(algorithm)?,
            settings: GenerationSettings::default(),
        };
        for &(name, value) in parameters {
            configuration.set(name, value)?;
        }
        let GenerationSettings { min_events, max_events, .. } = configuration.settings;
        if min_events > max_events {
            return Err(GenerateError::Events { min_events, max_events });
        }
        Ok(configuration)
    }
}

impl Parameters for Configuration {
    fn fields(&mut self) -> Vec<Field<'_>> {
        let mut fields = self.algorithm.fields();
        fields.extend(self.settings.fields());
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codon_means_an_event_and_events_in_reach_have_a_codon() {
        for selection in [Selection::Modulo, Selection::Clustering] {
            for events in [1, 2, 3, 7, 100, 240, 241, 480, 481, 500] {
                for codon in 0..=480 {
                    assert!(selection.index(codon, events) < events, "{selection:?} {events}");
                }
                let reach = selection.reach(events);
                assert!(2 * reach >= events.min(481) && reach <= events, "{selection:?} {events}");
                for index in 0..reach {
                    let codon = selection.codon(index, events);
                    assert_eq!(selection.index(codon, events), index, "{selection:?} {events}");
                }
            }
        }
        assert_eq!([0, 160, 161, 480].map(|c| Selection::Clustering.index(c, 3)), [0, 0, 1, 2]);
    }
}
