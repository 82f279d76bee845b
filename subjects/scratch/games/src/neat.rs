//! Neatest (Feldmeier and Fraser, ASE 2022), which breeds networks with NEAT (Stanley and
//! Miikkulainen 2002) for one goal after another, and its many-objective variants (Feldmeier and
//! Fraser, arXiv 2501.07954). All are baselines.

mod change;
mod decomposition;
mod genome;
mod genome_settings;
mod independent;
mod interface;
mod objectives;
mod population;
mod relatives;
mod search;
mod settings;
mod species;
#[cfg(test)]
mod tests;
mod trials;

use catherd_search::{Stop, Stream};

use self::change::Changes;
use self::decomposition::Decomposition;
use self::independent::Independent;
use self::objectives::Objectives;
use self::search::Breeder;
use crate::account::Account;
use crate::reflex::Arena;

pub(crate) use interface::Interface;
pub use relatives::{MioNeatest, MosaNeatest, NewsdNeatest};
pub use settings::Neatest;
pub(crate) use trials::{Trials, networks_of};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Neuroevolution<'a> {
    Neatest(&'a Neatest),
    Mosa(&'a MosaNeatest),
    Mio(&'a MioNeatest),
    Newsd(&'a NewsdNeatest),
}

pub(crate) struct Guide {
    /// For each goal, whether it is a hat that the green flag starts.
    pub(crate) flags: Vec<bool>,
    /// The goals whose coverage implies the coverage of the other goals.
    pub(crate) independent: Vec<usize>,
}

impl<'a> Neuroevolution<'a> {
    pub(crate) fn steps(self) -> usize {
        match self {
            Self::Neatest(settings) => settings.network_steps,
            Self::Mosa(settings) => settings.network_steps,
            Self::Mio(settings) => settings.network_steps,
            Self::Newsd(settings) => settings.network_steps,
        }
    }

    pub(crate) fn repetitions(self) -> usize {
        match self {
            Self::Neatest(settings) => settings.repetitions,
            Self::Mosa(settings) => settings.repetitions,
            Self::Mio(settings) => settings.repetitions,
            Self::Newsd(settings) => settings.repetitions,
        }
    }

    /// Maximum durations of a key press and of a wait, in steps.
    pub(crate) fn bounds(self) -> (u32, u32) {
        let genome = match self {
            Self::Neatest(settings) => &settings.genome,
            Self::Mosa(settings) => &settings.genome,
            Self::Mio(settings) => &settings.genome,
            Self::Newsd(settings) => &settings.genome,
        };
        (genome.press as u32, genome.wait as u32)
    }

    /// Searches until no goal is left or the account stops the search. Returns counts by name.
    pub(crate) fn search(
        self,
        interface: &'a Interface,
        trials: &mut Trials<'a>,
        guide: Guide,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
    ) -> (Stop, Vec<(&'static str, u64)>) {
        match self {
            Self::Neatest(settings) => {
                let changes = Changes::new(settings.operators(), interface);
                let mut breeder = Breeder::new(settings, changes, trials, guide.flags);
                let stop = breeder.search(arena, rng, account);
                let counts =
                    vec![("generations", breeder.generations), ("targets", breeder.targets)];
                (stop, counts)
            }
            Self::Mosa(settings) => {
                let changes = Changes::new(relatives::operators(&settings.genome), interface);
                let mut objectives = Objectives::new(settings, changes, trials);
                let stop = objectives.search(arena, rng, account);
                (stop, vec![("generations", objectives.generations)])
            }
            Self::Mio(settings) => {
                let changes = Changes::new(relatives::operators(&settings.genome), interface);
                let mut independent =
                    Independent::new(settings, changes, trials, guide.independent);
                let stop = independent.search(arena, rng, account);
                (stop, vec![("turns", independent.turns)])
            }
            Self::Newsd(settings) => {
                let changes = Changes::new(relatives::operators(&settings.genome), interface);
                let mut decomposition = Decomposition::new(settings, changes, trials);
                let stop = decomposition.search(arena, rng, account);
                let (generations, topologies) =
                    (decomposition.generations, decomposition.topologies());
                (stop, vec![("generations", generations), ("topologies", topologies)])
            }
        }
    }
}
