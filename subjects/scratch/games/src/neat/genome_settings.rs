//! The parameters that all algorithms of this module have: mutations of networks, and durations of
//! events.

use catherd_search::Field;

use super::genome::Start;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operators {
    pub(super) add_node: f64,
    pub(super) add_link: f64,
    pub(super) change_weights: f64,
    pub(super) weight_power: f64,
    /// Maximum number of attempts to find two nodes for a new link.
    pub(super) tries: usize,
    pub(super) start: Start,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct GenomeSettings {
    pub(super) add_node: f64,
    pub(super) add_link: f64,
    pub(super) change_weights: f64,
    /// Maximum new weight, and standard deviation of changes.
    pub(super) weight_power: f64,
    pub(super) press: usize,
    pub(super) wait: usize,
}

impl GenomeSettings {
    pub(super) fn operators(&self, tries: usize, start: Start) -> Operators {
        Operators {
            add_node: self.add_node,
            add_link: self.add_link,
            change_weights: self.change_weights,
            weight_power: self.weight_power,
            tries,
            start,
        }
    }

    pub(super) fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::share("add_node", &mut self.add_node)
                .meaning("probability that a mutation adds a node"),
            Field::share("add_link", &mut self.add_link)
                .meaning("probability that a mutation adds a link"),
            Field::share("change_weights", &mut self.change_weights)
                .meaning("probability that any other mutation changes weights"),
            Field::number("weight_power", &mut self.weight_power, 0.0, 100.0)
                .meaning("largest new weight, and deviation of changes"),
            Field::count("press", &mut self.press, 1, 10_000)
                .meaning("maximum number of steps of a key press"),
            Field::count("wait", &mut self.wait, 1, 10_000)
                .meaning("maximum number of steps of a wait"),
        ]
    }
}
