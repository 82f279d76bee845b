//! Sequence testing: chooses orders of events to test, measures which orders remain untested, and
//! estimates the risk.
//!
//! - [`Model`]: a behavioural program as text or tables; [`Events`], [`Program`], [`Stepper`].
//! - [`Space`], [`SpaceCounts`]: the states of a model, explored up to a limit, and their counts.
//! - [`Criterion`] over an [`Alphabet`]: the items of tests, and the reachable items.
//! - [`Pool`]: tests from walks or files; [`suite`]: algorithms that choose some of them;
//!   [`direct`]: tests generated for items.
//! - [`risk`]: evidence about each item after tests; [`systems`]: the systems on which tests are
//!   executed.
//! - [`examples`]: worked examples with exact results.
//!
//! The method follows A. Elyasaf, E. Farchi, O. Margalit, G. Weiss, Y. Weiss, "Generalized
//! Coverage Criteria for Combinatorial Sequence Testing", IEEE TSE 2023.
//!
//! # Example
//!
//! ```
//! use std::ops::ControlFlow;
//! use catherd_sequences_testing::suite::{self, Matrix, Ties};
//! use catherd_sequences_testing::{Alphabet, Criterion, Model, Sampler, Space, Walker};
//!
//! let text = "events login, logout, buy
//!     thread session { request login  request logout }
//!     thread shop { request buy }
//!     thread rule { wait login  wait logout, block buy }";
//! let model = Model::parse("shop", text)?;
//! let space = Space::explore(&model.program, 1_000).unwrap();
//! let alphabet = Alphabet::names(model.program.events());
//! let no_files = |_: &str| Err("no files".to_owned());
//! let criterion = Criterion::parse("subsequence:2", &alphabet, None, Some(&space), &no_files).unwrap();
//!
//! let walker = Walker::new(&model.program, Some(&space), Sampler::Steps, 1, 100).unwrap();
//! let pool = walker.pool(20, &alphabet).unwrap();
//! let matrix = Matrix::new(&criterion, &pool, Some(&space));
//! let found = suite::greedy(&matrix, 2, Ties::First, 1, u64::MAX, &mut |_| ControlFlow::Continue(()));
//! assert_eq!(matrix.rank(&found.best.suite), matrix.best());
//! # Ok::<(), catherd_sequences_testing::ModelError>(())
//! ```

mod alphabet;
mod bits;
mod criterion;
mod direct;
mod events;
pub mod examples;
mod model;
mod negative;
mod pool;
mod program;
pub mod risk;
mod space;
mod span;
mod streams;
pub mod suite;
mod synthetic;
pub mod systems;
mod test_file;
mod types;

pub use alphabet::{Alphabet, Letter, UnknownEvent};
pub use criterion::{
    Cover, Criterion, CriterionError, Expression, ExpressionError, Unbounded, split_list,
};
pub use direct::{DirectLimits, GeneratedTest, OnTest, direct, reduced, shortest_trace};
pub use events::{Event, EventId, EventSet, Events, FieldValue, MAX_EVENTS};
pub use model::{BUILTIN, Model, ModelError, ModelSource, NamedWord, TableFormError};
pub use negative::{TestCase, negatives, unmarked};
pub use pool::{DEFAULT_LENGTH, MAX_POOL_EVENTS, NoTraceSampler, Pool, Sampler, Tests, Walker};
pub use program::{Enabled, Fault, Program, Stepper};
pub use space::{BrokenModel, Edge, GraphFormat, Space, SpaceCounts, Traces, UnknownGraphFormat};
pub use span::Span;
pub use synthetic::{Shape, SyntheticError, synthetic};
pub use test_file::{TestFileError, parse_line, parse_tests, suite_json, to_word};
