//! Search for policies: short lists of rules that cover goals under any seed.

mod alphabet;
mod arena;
mod language;
mod search;
mod settings;
mod shorten;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use alphabet::Alphabet;
pub(crate) use arena::Arena;
pub(crate) use search::Learner;
pub use settings::Reflex;
pub(crate) use shorten::policy_tests;
