//! Reports of outcomes.

mod tap;

pub use tap::tap;
