//! The machine against the rules of Scratch 3, with the changes of the Whisker paper.

mod clones;
mod distances;
mod hats;
mod hostile;
mod input;
mod language;
mod limits;
mod mutants;
mod procedures;
mod rig;
mod scripts;
mod sprites;
mod states;
mod steps;
mod values;
