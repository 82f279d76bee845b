//! Test generation for games, with state-space search and with policies that react to the program.
//!
//! - [`Game::Explore`] searches the states of a program for paths that cover its goals, each under
//!   one seed.
//! - [`Game::Reflex`] searches for short lists of rules that cover the goals under any seed.
//! - [`Game::Play`] does both, and creates a suite with both kinds of tests.
//! - [`Game::Neatest`] breeds neural networks that cover the goals under any seed, as a published
//!   baseline; [`Game::MosaNeatest`], [`Game::MioNeatest`] and [`Game::NewsdNeatest`] are its
//!   many-objective relatives.
//! - [`LONG`] contains algorithms of `catherd-search` with long tests, as baselines.
//!
//! A run is a pure function of its inputs, unless the budget limits real time.

mod account;
mod algorithm;
mod explore;
mod generation;
mod neat;
mod reflex;
mod states;
mod suite;

pub use account::Counted;
pub use algorithm::{Game, GameConfiguration, LONG, LONG_EVENTS, long};
pub use explore::{Cells, Explore, Guidance};
pub use generation::{GameGenerated, GameRequest, generate};
pub use neat::{MioNeatest, MosaNeatest, Neatest, NewsdNeatest};
pub use reflex::Reflex;
