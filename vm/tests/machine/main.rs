//! The machine against the rules of Scratch 3, with the changes of the Whisker paper.

mod distances;
mod hostile;
mod language;
mod limits;
mod mutants;
mod rig;
mod scripts;
mod sprites;
mod states;
mod steps;
mod values;
