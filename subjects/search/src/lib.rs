//! Many-objective search for test suites. It knows tests only through [`Problem`] and
//! [`Test`]: the caller decides what a test consists of, how it runs and what it covers.
//!
//! - The problem: [`Problem`], [`Test`].
//! - Budget and work: [`Budget`], [`Meter`], [`Clock`].
//! - Results: [`Archive`], [`Search`], [`Improvement`].
//! - The registry of algorithms: [`Algorithm`]. A new algorithm is a file that implements
//!   `SearchAlgorithm`, and one line of the registry in `algorithm.rs`.
//! - Parameters by name, as in study files: [`Parameters`], [`Setting`].
//! - Random numbers: [`Stream`].
//!
//! A search is a pure function of problem, algorithm, budget and stream, unless the
//! budget has a wall limit.

mod algorithm;
mod archive;
mod budget;
mod local_search;
mod mio;
mod mosa;
mod one_plus_one;
mod parameters;
mod populations;
mod problem;
mod random;
mod ranking;
mod search_algorithm;
mod session;
mod stop;
mod stream;
mod targets;
#[cfg(test)]
mod toy;
mod whole_suite;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use archive::Archive;
pub use budget::{Budget, Clock, Cost, Meter, Stopwatch};
pub use mio::{Mio, MioTargets};
pub use mosa::{DynaMosa, Mosa};
pub use one_plus_one::OnePlusOne;
pub use parameters::{Field, Parameter, ParameterError, ParameterKind, Parameters, Setting};
pub use problem::{Problem, Test};
pub use random::{RandomEvents, RandomSearch};
pub use ranking::preference_sorting;
pub use session::{Improvement, Observer, Progress, Search};
pub use stop::Stop;
pub use stream::Stream;
pub use whole_suite::WholeSuite;
