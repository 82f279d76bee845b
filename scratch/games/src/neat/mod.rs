//! Neatest (Feldmeier and Fraser, ASE 2022): networks that play, bred by NEAT (Stanley and
//! Miikkulainen 2002), one goal after the other. A baseline with the parameters of the publication.

mod change;
mod genome;
mod interface;
mod population;
mod search;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use interface::Interface;
pub(crate) use search::{Breeder, networks_of};
pub use settings::Neatest;
