//! Collections of Scratch projects: finding them, loading them, describing them.
//!
//! [`find`] turns the arguments of a study into checked [`Entry`]s and sets aside what cannot
//! be used, each with its reason. [`Entry::load`] gives a [`Subject`]: the project with the
//! archive that every worker receives. [`describe`] counts what a project is made of.
//!
//! The demo corpus lies in `demo/`, one unpacked project a folder.

mod collection;
mod description;
mod name;
mod subject;

pub use collection::{Entry, FindError, Found, Skipped, find};
pub use description::{Description, describe};
pub use subject::{Subject, Unusable};
