//! The VM follows the rules of Scratch 3, with the changes of the Whisker paper.
//!
//! In comments, `Mistake N` numbers the thirty details of the original that are easiest to get
//! wrong, and `(run)` marks expectations that were confirmed by executing the original; the others
//! follow from its source.

mod applications;
mod budgets;
mod clones;
mod computing;
mod cycles;
mod digests;
mod distances;
mod fast_paths;
mod harness;
mod hats;
mod input;
mod language;
mod limits;
mod linear;
mod mutants;
mod noted;
mod procedures;
mod programs;
mod random_numbers;
mod repeated_parts;
mod self_tests;
mod sensing;
mod sprites;
mod states;
mod steady;
mod steps;
mod stretches;
mod timing;
mod values;
