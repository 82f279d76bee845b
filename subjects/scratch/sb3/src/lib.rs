//! Scratch project model, with readers of `.sb3` and `.sb2` archives and unpacked folders, and a
//! writer of archives.
//!
//! [`Project::read`] reads an archive or a folder, [`Project::from_bytes`] an archive in memory;
//! [`read_archive`] reads the bytes of an archive. [`pack()`], [`pack_files`] and [`repack`] write
//! archives whose bytes are the same on every computer. [`Notation`] writes blocks as text. Any
//! input results in a [`Project`] or a one-line [`ReadError`] within [`Limits`].

mod error;
mod json;
mod limits;
mod links;
mod load;
mod model;
mod names;
mod notation;
mod opcode;
mod pack;
mod sb2;
mod sb3;
mod source;
#[cfg(feature = "test-support")]
pub mod test_support;

pub use error::{Cause, ProjectLocation, ReadError};
pub use limits::Limits;
pub use load::read_archive;
pub use model::*;
pub use notation::{Notation, ScriptLine};
pub use opcode::Opcode;
pub use pack::{pack, pack_files, repack};
