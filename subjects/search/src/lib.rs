//! Many-objective search for test suites.
//!
//! - The problem: [`Problem`], [`Test`].
//! - Budget and work: [`Budget`], [`Meter`], [`Clock`].
//! - Results: [`Archive`], [`Search`], [`Improvement`].
//! - The registry of algorithms: [`Algorithm`]. A new algorithm needs an implementation of
//!   `SearchAlgorithm` and a line in the registry in `algorithm.rs`.
//! - Parameters by name, as in study files: [`Parameters`], [`Setting`].
//! - Random numbers: [`Stream`].
//!
//! Without a limit on real time, the result of a search depends only on its arguments, except for
//! times.
//!
//! # Example
//!
//! ```
//! use std::ops::ControlFlow;
//! use catherd_search::{Algorithm, Budget, Cost, Meter, Problem, Stopwatch, Stream, Test};
//!
//! #[derive(Clone)]
//! struct Number(u64, [f64; 3]); // Its distances from three goals.
//! impl Test for Number {
//!     fn fitness(&self) -> &[f64] { &self.1 }
//!     fn length(&self) -> usize { 1 }
//!     fn same_genes(&self, other: &Number) -> bool { self.0 == other.0 }
//! }
//! struct Find([u64; 3]);
//! impl Problem for Find {
//!     type Genes = u64; type Test = Number;
//!     fn goals(&self) -> usize { 3 }
//!     fn sample(&mut self, rng: &mut Stream) -> u64 { rng.below(1_000) }
//!     fn genes(&self, test: &Number) -> u64 { test.0 }
//!     fn mutate(&mut self, n: &u64, rng: &mut Stream) -> u64 { (n + rng.below(9)).saturating_sub(4) }
//!     fn crossover(&mut self, a: &u64, b: &u64, _: &mut Stream) -> (u64, u64) { (*a, *b) }
//!     fn execute(&mut self, n: u64, meter: &mut Meter) -> Number {
//!         meter.execution(Cost::default());
//!         Number(n, self.0.map(|goal| n.abs_diff(goal) as f64))
//!     }
//!     fn extend(&mut self, _: &Number, _: &mut Stream, _: &mut Meter) -> Option<Number> { None }
//!     fn reduce(&mut self, _: &Number) -> Option<Number> { None }
//! }
//! let budget = Budget { executions: Some(5_000), ..Budget::default() };
//! let search = Algorithm::named("mosa")?.search(&mut Find([7, 500, 993]), &budget,
//!     &mut Stream::new(1, Stream::SEARCH), &Stopwatch::start(), &mut |_| ControlFlow::Continue(()));
//! assert_eq!(search.archive.covered(), 3);
//! # Ok::<(), catherd_search::UnknownAlgorithm>(())
//! ```

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
