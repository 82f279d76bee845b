//! Projects for the tests of other crates, built in code or written as text. Only with the
//! feature `test-support`.

mod builder;
mod labelled;

pub use builder::{TargetBuilder, number, project, variable};
pub use labelled::LabelledProject;
