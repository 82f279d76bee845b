//! Many-objective search for test suites. Knows tests only through [`Problem`] and
//! [`Test`]: what a test is made of, how it runs and what it covers is the caller's.
//!
//! - What is searched: [`Problem`], [`Test`].
//! - How much may be spent, and what was: [`Budget`], [`Meter`], [`Clock`].
//! - What is found: [`Archive`], [`Search`], [`Improvement`].
//! - How it is found: [`Algorithm`], which is one of [`RandomSearch`] (with random
//!   testing), [`Mosa`] (with DynaMOSA), [`Mio`], [`WholeSuite`] and [`OnePlusOne`].
//! - Settings by name, as study files have them: [`Parameters`], [`Setting`].
//! - Where chance comes from: [`Stream`].
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
mod session;
mod stream;
mod targets;
#[cfg(test)]
mod toy;
mod whole_suite;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use archive::Archive;
pub use budget::{Budget, Clock, Cost, Meter, Stopwatch};
pub use mio::{Mio, MioTargets};
pub use mosa::Mosa;
pub use one_plus_one::OnePlusOne;
pub use parameters::{Field, Kind, Parameter, ParameterError, Parameters, Setting};
pub use problem::{Problem, Test};
pub use random::RandomSearch;
pub use session::{Improvement, Observer, Progress, Search, Stop};
pub use stream::Stream;
pub use whole_suite::WholeSuite;
