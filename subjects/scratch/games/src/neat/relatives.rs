//! Parameters of the many-objective variants of Neatest.

use catherd_search::{Field, Parameters};

use super::genome::Start;
use super::genome_settings::{GenomeSettings, Operators};

const GENOME: GenomeSettings = GenomeSettings {
    add_node: 0.2,
    add_link: 0.2,
    change_weights: 0.8,
    weight_power: 1.0,
    press: 10,
    wait: 50,
};

pub(super) fn operators(genome: &GenomeSettings) -> Operators {
    const ATTEMPTS: usize = 10;
    genome.operators(ATTEMPTS, Start::Direct)
}

/// Parameters of `mosa-neatest`.
#[derive(Clone, Debug, PartialEq)]
pub struct MosaNeatest {
    /// Maximum number of steps of an execution of a network.
    pub network_steps: usize,
    /// Number of networks in the population.
    pub population: usize,
    /// Target number of species in the population.
    pub species: usize,
    /// Number of executions, each under a different seed, that must cover a goal.
    pub repetitions: usize,
    /// Probability of crossing a network with another network of its species.
    pub crossover: f64,
    /// Probability of mutating a child.
    pub mutation: f64,
    pub(super) genome: GenomeSettings,
}

/// Parameters of `mio-neatest`.
#[derive(Clone, Debug, PartialEq)]
pub struct MioNeatest {
    /// Maximum number of steps of an execution of a network.
    pub network_steps: usize,
    /// Target number of species in the population of a goal.
    pub species: usize,
    /// Number of executions, each under a different seed, that must cover a goal.
    pub repetitions: usize,
    /// Probability of a new network instead of mutations at the start of the search.
    pub random_start: f64,
    /// Probability of a new network instead of mutations at the end of the budget.
    pub random_end: f64,
    /// Maximum number of networks kept for each goal at the start of the search.
    pub archive_start: usize,
    /// Maximum number of networks kept for each goal at the end of the budget.
    pub archive_end: usize,
    /// Number of successive mutations at the start of the search.
    pub mutations_start: usize,
    /// Number of successive mutations at the end of the budget.
    pub mutations_end: usize,
    /// Probability that a mutation changes the structure.
    pub structure: f64,
    /// Number of neighbours from which the novelty of a network is computed.
    pub neighbours: usize,
    pub(super) genome: GenomeSettings,
}

/// Parameters of `newsd-neatest`.
#[derive(Clone, Debug, PartialEq)]
pub struct NewsdNeatest {
    /// Maximum number of steps of an execution of a network.
    pub network_steps: usize,
    /// Number of networks in the population.
    pub population: usize,
    /// Number of topologies at which structures stop changing.
    pub topologies: usize,
    /// Number of generations during which the best network of a new topology is kept.
    pub protected: usize,
    /// Number of executions, each under a different seed, that must cover a goal.
    pub repetitions: usize,
    /// Probability of crossing two networks.
    pub crossover: f64,
    pub(super) genome: GenomeSettings,
}

impl Default for MosaNeatest {
    fn default() -> Self {
        Self {
            network_steps: 3_000,
            population: 50,
            species: 5,
            repetitions: 10,
            crossover: 0.7,
            mutation: 1.0,
            genome: GENOME,
        }
    }
}

impl Default for MioNeatest {
    fn default() -> Self {
        Self {
            network_steps: 3_000,
            species: 2,
            repetitions: 10,
            random_start: 0.9,
            random_end: 0.5,
            archive_start: 20,
            archive_end: 5,
            mutations_start: 0,
            mutations_end: 3,
            structure: 0.5,
            neighbours: 15,
            genome: GENOME,
        }
    }
}

impl Default for NewsdNeatest {
    fn default() -> Self {
        Self {
            network_steps: 3_000,
            population: 50,
            topologies: 5,
            protected: 3,
            repetitions: 10,
            crossover: 0.7,
            genome: GENOME,
        }
    }
}

const STEPS: &str = "maximum number of steps of an execution of a network";
const REPETITIONS: &str = "executions under different seeds that must cover a goal";
const RANDOM: &str = "probability of a new network instead of mutations";
const KEPT: &str = "networks kept for each goal";
const CHAIN: &str = "successive mutations; if the number rounds to 0, all networks are new";

impl Parameters for MosaNeatest {
    fn fields(&mut self) -> Vec<Field<'_>> {
        let mut fields = vec![
            Field::count("network_steps", &mut self.network_steps, 1, 100_000).meaning(STEPS),
            Field::count("population", &mut self.population, 4, 10_000)
                .meaning("networks of the population"),
            Field::count("species", &mut self.species, 1, 1_000)
                .meaning("species that the population should have"),
            Field::count("repetitions", &mut self.repetitions, 1, 1_000).meaning(REPETITIONS),
            Field::share("crossover", &mut self.crossover)
                .meaning("probability of crossing a network with another network of its species"),
            Field::share("mutation", &mut self.mutation).meaning("probability of mutating a child"),
        ];
        fields.extend(self.genome.fields());
        fields
    }
}

impl Parameters for MioNeatest {
    fn fields(&mut self) -> Vec<Field<'_>> {
        let mut fields = vec![
            Field::count("network_steps", &mut self.network_steps, 1, 100_000).meaning(STEPS),
            Field::count("species", &mut self.species, 1, 1_000)
                .meaning("species that the networks of a goal should have"),
            Field::count("repetitions", &mut self.repetitions, 1, 1_000).meaning(REPETITIONS),
            Field::share("random_start", &mut self.random_start).meaning(RANDOM),
            Field::share("random_end", &mut self.random_end).meaning(RANDOM),
            Field::count("archive_start", &mut self.archive_start, 1, 10_000).meaning(KEPT),
            Field::count("archive_end", &mut self.archive_end, 1, 10_000).meaning(KEPT),
            Field::count("mutations_start", &mut self.mutations_start, 0, 10_000).meaning(CHAIN),
            Field::count("mutations_end", &mut self.mutations_end, 0, 10_000).meaning(CHAIN),
            Field::share("structure", &mut self.structure)
                .meaning("probability that a mutation changes the structure"),
            Field::count("neighbours", &mut self.neighbours, 1, 1_000)
                .meaning("neighbours from which the novelty of a network is computed"),
        ];
        fields.extend(self.genome.fields());
        fields
    }
}

impl Parameters for NewsdNeatest {
    fn fields(&mut self) -> Vec<Field<'_>> {
        let mut fields = vec![
            Field::count("network_steps", &mut self.network_steps, 1, 100_000).meaning(STEPS),
            Field::count("population", &mut self.population, 4, 10_000)
                .meaning("networks of the population"),
            Field::count("topologies", &mut self.topologies, 1, 10_000)
                .meaning("with this number of topologies or more, only weights change"),
            Field::count("protected", &mut self.protected, 0, 10_000)
                .meaning("generations during which the best network of a new topology is kept"),
            Field::count("repetitions", &mut self.repetitions, 1, 1_000).meaning(REPETITIONS),
            Field::share("crossover", &mut self.crossover)
                .meaning("probability of crossing two networks"),
        ];
        fields.extend(self.genome.fields());
        fields
    }
}
