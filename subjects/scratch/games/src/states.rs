//! Programs as state spaces: what a state is, which actions there are, and what tells states apart.

mod effects;
mod layout;
mod memory;
mod recorder;
mod space;
#[cfg(test)]
mod tests;

pub(crate) use effects::Axes;
pub(crate) use layout::Layout;
pub(crate) use recorder::LatestRecorder;
pub(crate) use space::{Space, State, probe};
