//! The Scratch project model: reading and writing `.sb3`, reading `.sb2`.

mod model;
mod opcode;

pub use model::*;
pub use opcode::Opcode;
