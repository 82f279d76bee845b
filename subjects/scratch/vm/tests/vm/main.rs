//! Tests that the VM follows the rules of Scratch 3, with the changes of the Whisker paper.
//!
//! In comments, `Mistake N` is the number, from 1 to 30, of a detail of the original Scratch that
//! is easy to get wrong. `(run)` marks expectations that were confirmed by executing the original;
//! the other expectations follow from its source code.

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
