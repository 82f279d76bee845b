//! The host of JavaScript programs under test, which have no access to files, network or clock:
//! loads them, and executes tests on them statement by statement, within counted limits.
//!
//! - [`Package`]: the files of a project, from a file, a folder or an archive, and their packed
//!   bytes.
//! - [`Program`]: a package whose target files are instrumented, with their units.
//! - [`Machine`]: loads a program, analyses it, and executes tests ([`Statement`], [`Argument`]).
//! - [`Execution`]: the result of a test, such as its outcome, counters, distances, and evidence on
//!   unknown arguments.

mod compile;
mod depth;
mod execution;
mod hashes;
mod images;
mod live;
mod loading;
mod machine;
mod manifest;
mod package;
mod prelude;
mod program;
mod resolve;
mod settings;
mod statement;
mod typescript;
mod zlib;

pub use catherd_javascript_instrument as instrument;
pub use execution::{Evidence, Execution, Reached, TestOutcome, Thrown};
pub use machine::{Machine, MachineError};
pub use package::{Package, PackageError, ProjectConfig};
pub use program::{Program, ProgramError};
pub use settings::{ExecuteOptions, LineHints, MachineSettings};
pub use statement::{Argument, Operation, Statement};
pub use typescript::TypedFile;
