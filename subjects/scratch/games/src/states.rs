//! Programs as state spaces: states, actions, and the features that distinguish states.

mod effects;
mod layout;
mod memory;
mod recorder;
mod space;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use effects::Axes;
pub(crate) use layout::Layout;
pub(crate) use recorder::LatestRecorder;
pub(crate) use space::{Space, probe};
pub(crate) use state::State;
