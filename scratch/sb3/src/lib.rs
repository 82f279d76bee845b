//! The Scratch project model: reading `.sb3` and `.sb2` archives and unpacked
//! folders, packing them.
//!
//! [`Project::read`] opens whatever a path names, [`Project::from_bytes`] an archive in
//! memory, [`read_archive`] gives the bytes between the two. [`pack()`], [`pack_files`] and
//! [`repack`] write archives that are the same everywhere, [`Notation`] writes blocks as text.
//! Any input ends in a [`Project`] or a one-line [`ReadError`] within [`Limits`].

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

pub use error::{Cause, Place, ReadError};
pub use limits::Limits;
pub use load::read_archive;
pub use model::*;
pub use notation::{Line, Notation};
pub use opcode::Opcode;
pub use pack::{pack, pack_files, repack};
