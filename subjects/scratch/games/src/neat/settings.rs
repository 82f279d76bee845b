//! Parameters of Neatest.

use catherd_search::{Field, Parameters};

use super::genome::Start;

/// Attempts to find two nodes for a new link.
const TRIES: usize = 50;

/// How networks begin and change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operators {
    pub(super) add_node: f64,
    pub(super) add_link: f64,
    pub(super) change_weights: f64,
    pub(super) weight_power: f64,
    /// Attempts to find two nodes for a new link.
    pub(super) tries: usize,
    pub(super) start: Start,
}

/// Parameters of `neatest`. The defaults are those of the publication of 2022.
#[derive(Clone, Debug, PartialEq)]
pub struct Neatest {
    /// Most steps of an execution of a network.
    pub network_steps: usize,
    /// Networks of a population.
    pub population: usize,
    /// Species that a population should have.
    pub species: usize,
    /// Executions, each under a seed of its own, that must cover a goal.
    pub repetitions: usize,
    /// Generations without improvement after which the goal is changed.
    pub switch: usize,
    /// Share of new networks in the first population for a goal.
    pub new_networks: f64,
    /// Probability that a mutation adds a node.
    pub add_node: f64,
    /// Probability that a mutation adds a link.
    pub add_link: f64,
    /// Probability that another mutation changes weights.
    pub change_weights: f64,
    /// Largest new weight, and deviation of changes.
    pub weight_power: f64,
    /// Most steps of a key press.
    pub press: usize,
    /// Most steps of a wait.
    pub wait: usize,
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
            add_node: 0.03,
            add_link: 0.05,
            change_weights: 0.5,
            weight_power: 1.0,
            press: 10,
            wait: 50,
        }
    }
}

impl Neatest {
    pub(super) fn operators(&self) -> Operators {
        Operators {
            add_node: self.add_node,
            add_link: self.add_link,
            change_weights: self.change_weights,
            weight_power: self.weight_power,
            tries: TRIES,
            start: Start::Hidden,
        }
    }
}

impl Parameters for Neatest {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::count("network_steps", &mut self.network_steps, 1, 100_000)
                .meaning("maximum steps of an execution of a network"),
            Field::count("population", &mut self.population, 4, 10_000)
                .meaning("networks of a population"),
            Field::count("species", &mut self.species, 1, 1_000)
                .meaning("species that a population should have"),
            Field::count("repetitions", &mut self.repetitions, 1, 1_000)
                .meaning("executions under different seeds that must cover a goal"),
            Field::count("switch", &mut self.switch, 1, 10_000)
                .meaning("generations without improvement after which the goal is changed"),
            Field::share("new_networks", &mut self.new_networks)
                .meaning("share of new networks in the first population for a goal"),
            Field::share("add_node", &mut self.add_node)
                .meaning("probability that a mutation adds a node"),
            Field::share("add_link", &mut self.add_link)
                .meaning("probability that a mutation adds a link"),
            Field::share("change_weights", &mut self.change_weights)
                .meaning("probability that another mutation changes weights"),
            Field::number("weight_power", &mut self.weight_power, 0.0, 100.0)
                .meaning("largest new weight, and deviation of changes"),
            Field::count("press", &mut self.press, 1, 10_000)
                .meaning("maximum steps of a key press"),
            Field::count("wait", &mut self.wait, 1, 10_000).meaning("maximum steps of a wait"),
        ]
    }
}
