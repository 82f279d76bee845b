//! The data of the linear form: operands and the tables to which instructions refer.

use catherd_scratch_sb3::BlockNo;

pub(crate) use super::instructions::*;
use crate::code::{CommandId, ExprId, Slot};
use crate::value::Value;

/// The index that stands for no instruction or no expansion.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Number of registers for operands and for parameters of expansions.
pub(crate) const REGISTERS: usize = 32;

/// Number of additional registers for [parts](super::shared) that are read several times.
pub(super) const KEPT: usize = 32;

/// Maximum number of comparisons whose outcomes wait for other outcomes.
pub(super) const MAX_TESTS: usize = 8;

/// The location from which an instruction reads or to which it writes a value: three bits for the
/// kind, and the other bits for an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operand(u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The registers are the first entries of [`Form::numbers`].
    Register,
    /// The constants are in [`Form::numbers`] after the registers, and in [`Form::values`].
    Constant,
    /// A variable of the stage.
    Stage,
    /// A variable of the executing target.
    Own,
    /// A parameter of the innermost call.
    Parameter,
}

impl Operand {
    const INDEX_BITS: u32 = 13;

    pub(crate) const REGISTER: Operand = Operand(0);

    pub(crate) fn new(kind: Kind, index: u32) -> Option<Operand> {
        (index < 1 << Self::INDEX_BITS)
            .then_some(Operand((kind as u16) << Self::INDEX_BITS | index as u16))
    }

    pub(crate) fn variable(slot: Slot) -> Option<Operand> {
        match slot {
            Slot::Stage(index) => Operand::new(Kind::Stage, index),
            Slot::Own(index) => Operand::new(Kind::Own, index),
        }
    }

    #[inline(always)]
    pub(crate) fn kind(self) -> Kind {
        match self.0 >> Self::INDEX_BITS {
            0 => Kind::Register,
            1 => Kind::Constant,
            2 => Kind::Stage,
            3 => Kind::Own,
            _ => Kind::Parameter,
        }
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0 & ((1 << Self::INDEX_BITS) - 1))
    }

    /// Whether an operand that is a variable belongs to the executing target, not to the stage.
    #[inline(always)]
    pub(crate) fn is_own(self) -> bool {
        self.0 & (1 << Self::INDEX_BITS) != 0
    }
}

// `is_own` reads the lowest bit of the kind.
const _: () = assert!(Kind::Stage as u16 & 1 == 0 && Kind::Own as u16 & 1 == 1);

/// A list of the stage or of the executing target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ListNo(u16);

impl ListNo {
    const OWN: u16 = 1 << 15;

    pub(crate) fn new(slot: Slot) -> Option<ListNo> {
        let (index, flag) = match slot {
            Slot::Stage(index) => (index, 0),
            Slot::Own(index) => (index, Self::OWN),
        };
        (index < u32::from(Self::OWN)).then_some(ListNo(index as u16 | flag))
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0 & !Self::OWN)
    }

    #[inline(always)]
    pub(crate) fn is_own(self) -> bool {
        self.0 & Self::OWN != 0
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) definition: CommandId,
    /// The index of the first instruction of the custom block.
    pub(crate) entry: u32,
    pub(crate) parameters: u16,
    /// Number of frames of the call and of the custom block, if they are pushed only when they are
    /// needed; 0 if the call pushes them.
    pub(crate) delayed: u16,
    /// The last parameters, which the call itself pushes: their start in [`Form::operands`] and
    /// their number.
    pub(crate) operands: (u32, u16),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Expansion {
    /// The expansion around the call; [`NOWHERE`] if there is none.
    pub(super) outer: u32,
    pub(super) call: CommandId,
    pub(super) definition: CommandId,
    /// The parameters: their start in [`Form::operands`] and their number.
    pub(super) parameters: (u32, u32),
}

/// The instructions of the second side of an `and` or `or` that can be skipped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skip {
    pub(super) link: Link,
    /// The instruction after the side or, if the side `is_last`, the last instruction of the
    /// condition.
    pub(super) end: u32,
    pub(super) is_last: bool,
    /// Operands that must be numbers: their start in [`Form::operands`] and their number.
    pub(super) indices: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) command: CommandId,
    pub(crate) no: BlockNo,
    /// The expression for the interpreter; unused if the instruction needs no expression.
    pub(crate) expr: ExprId,
    /// [`NOWHERE`] outside expansions.
    pub(crate) expansion: u32,
}

/// The instruction at which the linear form continues after a call, or after a block that the
/// interpreter executes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resumption {
    /// [`NOWHERE`] for blocks without a resumption.
    pub(crate) at: u32,
    /// Number of branches around the block, whose frames are popped.
    pub(crate) branches: u32,
}

/// The custom blocks of a program in linear form.
#[derive(Debug, Default)]
pub(crate) struct Form {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) origins: Vec<Origin>,
    /// The calls to which [`Instruction::Call`] refers.
    pub(crate) sites: Vec<Site>,
    pub(crate) expansions: Vec<Expansion>,
    /// The instructions that can be skipped, to which [`Instruction::Skip`] refers.
    pub(crate) skips: Vec<Skip>,
    pub(crate) operands: Vec<Operand>,
    /// The blocks of all [`Instruction::Run`], one run after the other.
    pub(crate) blocks: Vec<BlockNo>,
    /// The registers, which are 0, and the numbers of the constants, as comparisons read them: NaN
    /// for strings that are not numerals.
    pub(crate) numbers: Vec<f64>,
    pub(crate) values: Vec<Value>,
    /// For each command, the instruction at which the linear form is entered: for definitions of
    /// custom blocks, and for loops at the end of an iteration; [`NOWHERE`] for other commands.
    pub(crate) entries: Vec<u32>,
    /// For each command, the innermost `if` around it within the same loop; `NONE` if there is
    /// none.
    pub(crate) parents: Vec<CommandId>,
    pub(crate) resumptions: Vec<Resumption>,
}

impl Form {
    #[inline]
    pub(crate) fn entry(&self, command: CommandId) -> Option<usize> {
        self.entries.get(command as usize).filter(|at| **at != NOWHERE).map(|at| *at as usize)
    }
}
