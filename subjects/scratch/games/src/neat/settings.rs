//! Parameters of Neatest.

use catherd_search::{Field, Parameters};

use super::genome::Start;
use super::genome_settings::{GenomeSettings, Operators};

/// Parameters of `neatest`.
#[derive(Clone, Debug, PartialEq)]
pub struct Neatest {
    /// Maximum number of steps of an execution of a network.
    pub network_steps: usize,
    /// Number of networks in a population.
    pub population: usize,
    /// Target number of species in a population.
    pub species: usize,
    /// Number of executions, each under a different seed, that must cover a goal.
    pub repetitions: usize,
    /// Number of generations without improvement after which an untried goal becomes the target.
    pub switch: usize,
    /// Share of new networks in the first population for a goal.
    pub new_networks: f64,
    pub(super) genome: GenomeSettings,
}

impl Default for Neatest {
    fn default() -> Self {
        Self {
            network_steps: 3_000,
            population: 300,
            species: 10,
            repetitions: 10,
            switch: 5,
            new_networks: 0.3,
            genome: GenomeSettings {
                add_node: 0.03,
                add_link: 0.05,
                change_weights: 0.5,
                weight_power: 1.0,
                press: 10,
                wait: 50,
            },
        }
    }
}

impl Neatest {
    pub(super) fn operators(&self) -> Operators {
        const ATTEMPTS: usize = 50;
        self.genome.operators(ATTEMPTS, Start::Hidden)
    }
}

impl Parameters for Neatest {
    fn fields(&mut self) -> Vec<Field<'_>> {
        let mut fields = vec![
            Field::count("network_steps", &mut self.network_steps, 1, 100_000)
                .meaning("maximum number of steps of an execution of a network"),
            Field::count("population", &mut self.population, 4, 10_000)
                .meaning("networks of a population"),
            Field::count("species", &mut self.species, 1, 1_000)
                .meaning("species that a population should have"),
            Field::count("repetitions", &mut self.repetitions, 1, 1_000)
                .meaning("executions under different seeds that must cover a goal"),
            Field::count("switch", &mut self.switch, 1, 10_000)
                .meaning("generations without improvement after which an untried goal is chosen"),
            Field::share("new_networks", &mut self.new_networks)
                .meaning("share of new networks in the first population for a goal"),
        ];
        fields.extend(self.genome.fields());
        fields
    }
}
