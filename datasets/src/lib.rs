//! Collections of Scratch projects: finding them, loading them, describing them, and
//! corpora that others can check and get again.
//!
//! [`find`] turns the arguments of a study into checked [`Entry`]s and sets aside what cannot
//! be used, each with its reason. [`Entry::load`] gives a [`Subject`]: the project with the
//! archive that every worker receives. [`describe`] counts what a project is made of.
//!
//! A [`corpus::Corpus`] is a folder with a manifest and a recipe. [`sample`] carries out the
//! recipes of Random1000 and Top1000 against Scratch's servers; [`synth`] makes projects
//! where there is no network.
//!
//! The demo corpus lies in `demo/`, one unpacked project a folder.

mod collection;
pub mod corpus;
mod description;
mod name;
pub mod sample;
mod structure;
mod subject;
pub mod synth;
mod whole_file;

pub use collection::{Entry, FindError, Found, Skipped, find};
pub use description::{Description, describe};
pub use structure::structure;
pub use subject::{Subject, Unusable};

/// Today's date in UTC, `2026-11-21`: for manifests, never on the way to a digest.
pub fn today() -> String {
    let now = jiff::Timestamp::now();
    now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}
