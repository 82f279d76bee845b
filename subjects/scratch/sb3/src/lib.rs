//! Scratch project model, with readers of `.sb3` and `.sb2` archives and unpacked folders, and a
//! writer of archives.
//!
//! [`Project::read`] reads a file or a folder, and [`Project::from_bytes`] reads a file in memory.
//! [`pack()`], [`pack_files`] and [`repack`] write archives whose bytes are the same on every
//! computer. [`Notation`] writes blocks as text. [`Limits`] bound the size of the input.
//!
//! # Example
//!
//! ```
//! use catherd_scratch_sb3::{Limits, Notation, Opcode, Project};
//!
//! let json = r#"{"meta": {"semver": "3.0.0"}, "targets": [{
//!     "isStage": true, "name": "Stage", "costumes": [], "sounds": [],
//!     "variables": {"v": ["score", 0]}, "lists": {}, "broadcasts": {},
//!     "blocks": {
//!         "hat": {"opcode": "event_whenflagclicked", "next": "add", "topLevel": true},
//!         "add": {"opcode": "data_changevariableby", "parent": "hat",
//!             "inputs": {"VALUE": [1, [4, "5"]]}, "fields": {"VARIABLE": ["score", "v"]}}
//!     }
//! }]}"#;
//! let project = Project::from_bytes("score", json.as_bytes(), &Limits::default())?;
//! let stage = &project.targets[project.stage()];
//! assert_eq!(stage.blocks[0].opcode, Opcode::EventWhenFlagClicked);
//! assert_eq!(Notation::new(stage).block(1), "change [score v] by (5)");
//!
//! let error = Project::from_bytes("empty", b"{}", &Limits::default()).unwrap_err();
//! assert!(error.to_string().starts_with("empty: "));
//! # Ok::<(), catherd_scratch_sb3::ReadError>(())
//! ```

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
