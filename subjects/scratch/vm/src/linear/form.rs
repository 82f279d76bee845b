//! The linear form: instructions and operands.

use catherd_scratch_sb3::BlockNo;

use crate::code::{CommandId, Comparison, ExprId, MathOp, Slot};
use crate::interpreted::Fallback;
use crate::value::Value;

/// No instruction.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Number of registers.
pub(crate) const REGISTERS: usize = 32;

/// Maximum number of comparisons whose outcomes wait for others.
pub(super) const MAX_TESTS: usize = 8;

/// Where an instruction reads or writes a value: three bits for the kind, the others for an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand(u16);

/// The kind of an [`Operand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number between instructions of one block: one of the first of [`Form::numbers`].
    Register,
    /// One of the other [`Form::numbers`], or of [`Form::values`].
    Constant,
    /// A variable of the stage.
    Stage,
    /// A variable of the target that executes.
    Own,
    /// A parameter of the innermost call.
    Parameter,
}

impl Operand {
    const INDEX_BITS: u32 = 13;

    /// The first register.
    pub(crate) const REGISTER: Operand = Operand(0);

    /// `None` if the index is too large.
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

    /// Whether a variable is one of the target that executes, not of the stage.
    #[inline(always)]
    pub(crate) fn is_own(self) -> bool {
        self.0 & (1 << Self::INDEX_BITS) != 0
    }
}

// The lowest bit of the kind, which `is_own` reads.
const _: () = assert!(Kind::Stage as u16 & 1 == 0 && Kind::Own as u16 & 1 == 1);

/// A list of the stage or of the target that executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListNo(u16);

impl ListNo {
    const OWN: u16 = 1 << 15;

    /// `None` if the index is too large.
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

    /// Whether the list is one of the target that executes, not of the stage.
    #[inline(always)]
    pub(crate) fn is_own(self) -> bool {
        self.0 & Self::OWN != 0
    }
}

/// How a value is read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The number cast of any value.
    Number,
    /// What a comparison reads: a number, or a short text that is a numeral.
    Comparand,
    /// The index of an item: a number, or a text that is a numeral.
    Index,
    /// A value that is a number.
    Value,
}

/// A comparison or its negation, in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    Equals,
    Greater,
    NotLess,
    NotEqual,
    NotGreater,
}

impl Relation {
    pub(crate) fn new(how: Comparison, negated: bool) -> Relation {
        match (how, negated) {
            (Comparison::Less, false) => Relation::Less,
            (Comparison::Equals, false) => Relation::Equals,
            (Comparison::Greater, false) => Relation::Greater,
            (Comparison::Less, true) => Relation::NotLess,
            (Comparison::Equals, true) => Relation::NotEqual,
            (Comparison::Greater, true) => Relation::NotGreater,
        }
    }

    /// The comparison, and whether it is negated.
    #[inline(always)]
    pub(crate) fn parts(self) -> (Comparison, bool) {
        match self {
            Relation::Less => (Comparison::Less, false),
            Relation::Equals => (Comparison::Equals, false),
            Relation::Greater => (Comparison::Greater, false),
            Relation::NotLess => (Comparison::Less, true),
            Relation::NotEqual => (Comparison::Equals, true),
            Relation::NotGreater => (Comparison::Greater, true),
        }
    }
}

/// How an outcome is combined with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// Both are kept.
    Push,
    And,
    Or,
}

impl Link {
    /// The link that gives the negated result for negated outcomes.
    pub(crate) fn negated(self) -> Link {
        match self {
            Link::Push => Link::Push,
            Link::And => Link::Or,
            Link::Or => Link::And,
        }
    }
}

/// An operator of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A function of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Round,
    Math(MathOp),
}

/// An instruction. Results go `to` an operand; numbers are stored as computed, and NaN counts as 0
/// where they are read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    /// Consumes the fuel of `count` blocks, from `first` on in [`Form::blocks`], and reports them.
    /// Leaves before the first if there is not more fuel, or for `calls` not enough room on the
    /// stack.
    Run {
        first: u32,
        count: u16,
        calls: bool,
    },
    /// The interpreter executes the block and those after it.
    Leave,
    /// The interpreter executes the block.
    Perform,
    /// The interpreter evaluates the expression, which always is a number.
    Evaluate {
        to: Operand,
    },

    Binary {
        operator: Operator,
        to: Operand,
        a: Operand,
        b: Operand,
    },
    /// Adds to a variable.
    Change {
        to: Operand,
        b: Operand,
    },
    Unary {
        function: Function,
        to: Operand,
        a: Operand,
    },
    /// The number of an item. If the item cannot be read in this way, or if the index is a word,
    /// the interpreter executes the block or condition that ends with the instruction `whole`.
    Item {
        reading: Reading,
        to: Operand,
        list: ListNo,
        index: Operand,
        whole: u32,
    },
    /// The number of a letter of a text. Its place, from 1, is in the register `to` before. If the
    /// letter cannot be read in this way, or if the operand is no text, the interpreter executes the
    /// block or condition that ends with the instruction `whole`.
    Letter {
        reading: Reading,
        to: Operand,
        text: Operand,
        whole: u32,
    },
    /// Like `Letter`, of an item.
    LetterOfItem {
        reading: Reading,
        to: Operand,
        list: ListNo,
        index: Operand,
        whole: u32,
    },
    ListLength {
        to: Operand,
        list: ListNo,
    },

    /// Sets a variable to a value.
    Copy {
        to: Operand,
        a: Operand,
    },
    /// Sets a variable to an item.
    CopyItem {
        to: Operand,
        list: ListNo,
        index: Operand,
    },
    AddToList {
        list: ListNo,
        item: Operand,
    },
    ReplaceItem {
        list: ListNo,
        index: Operand,
        item: Operand,
    },

    Jump {
        to: u32,
    },
    /// Compares, combines the outcome with the one that waits, reports the distances, and jumps if
    /// the outcome is `jumps`.
    Compare {
        relation: Relation,
        link: Link,
        jumps: bool,
        a: Operand,
        b: Operand,
        to: u32,
    },
    /// Pushes the outcome of a comparison in the condition that ends with the instruction `whole`,
    /// or combines it with the outcome on top.
    Test {
        relation: Relation,
        link: Link,
        a: Operand,
        b: Operand,
        whole: u32,
    },
    /// Combines the two outcomes on top.
    Combine(Link),
    /// Replaces the distances of the outcome on top by those of a condition without a formula.
    Outcome,
    /// Pops an outcome, reports its distances, and jumps if it is `jumps`.
    Branch {
        jumps: bool,
        to: u32,
    },
    /// Like `Branch`, with an outcome that the interpreter evaluates.
    Decide {
        jumps: bool,
        to: u32,
    },

    /// Pushes the frames of a loop and of its body.
    EnterLoop {
        counted: bool,
        times: Operand,
    },
    /// Begins an iteration of `repeat`, or jumps.
    Count {
        end: u32,
    },
    /// Reports the distances of `forever`.
    Endless,
    /// Ends an iteration.
    Again {
        head: u32,
    },
    /// Ends an iteration of `repeat` and begins another, or jumps.
    CountAgain {
        body: u32,
        end: u32,
    },
    /// Pops the frames of a loop and of this number of branches around it.
    LeaveLoop {
        branches: u16,
    },

    /// Sets a register to a variable or parameter that is a number, or jumps.
    Take {
        to: Operand,
        a: Operand,
        otherwise: u32,
    },
    /// Pushes the frames of the expansions around the instruction.
    PushExpansions,
    /// Pushes a parameter of the coming call, by its place: a value, or the default if that is
    /// undefined.
    Push {
        a: Operand,
        place: u16,
    },
    /// Like `Push`, with a value that the interpreter evaluates.
    PushValue {
        place: u16,
    },
    /// Pushes the default of a parameter.
    PushDefault {
        place: u16,
    },
    /// Pushes the remaining parameters and calls a custom block.
    Call {
        site: u32,
    },
    /// Ends a custom block.
    Return,
}

impl Instruction {
    /// Whether the interpreter always does what the instruction says.
    pub(crate) fn is_interpreted(&self) -> bool {
        use Instruction::{Decide, Evaluate, Leave, Perform, PushValue};
        matches!(self, Leave | Perform | Evaluate { .. } | Decide { .. } | PushValue { .. })
    }

    /// Why the interpreter takes over at the instruction.
    pub(crate) fn fallback(&self) -> Fallback {
        match self {
            Instruction::Perform => Fallback::Block,
            Instruction::Decide { .. } => Fallback::Condition,
            Instruction::Evaluate { .. } | Instruction::PushValue { .. } => Fallback::Operand,
            _ => Fallback::Value,
        }
    }

    /// Whether the instruction always asks for the frames of calls.
    pub(crate) fn asks_for_frames(&self) -> bool {
        self.is_interpreted() || matches!(self, Instruction::EnterLoop { .. })
    }
}

/// A call of a custom block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) definition: CommandId,
    /// Where the custom block is in linear form.
    pub(crate) entry: u32,
    pub(crate) parameters: u16,
    /// Frames of the call and of the custom block, if they are pushed only when something asks for
    /// them; 0 if the call pushes them.
    pub(crate) delayed: u16,
    /// The last of the parameters, which the call itself pushes: where they begin in
    /// [`Form::operands`], and how many.
    pub(crate) operands: (u32, u16),
}

/// A call that is expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expansion {
    /// The expansion around the call; [`NOWHERE`] if there is none.
    pub(super) outer: u32,
    pub(super) call: CommandId,
    pub(super) definition: CommandId,
    /// The parameters: where they begin in [`Form::operands`], and how many.
    pub(super) parameters: (u32, u32),
}

/// The block and expansion to which an instruction belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) command: CommandId,
    /// The block of the command.
    pub(crate) no: BlockNo,
    /// The expression for the interpreter; meaningless if the instruction needs none.
    pub(crate) expr: ExprId,
    /// The expansion in which the instruction is; [`NOWHERE`] outside of expansions.
    pub(crate) expansion: u32,
}

/// Where the linear form continues after a call, or after a block that it leaves to the
/// interpreter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resumption {
    /// [`NOWHERE`] for other blocks.
    pub(crate) at: u32,
    /// Branches around the block.
    pub(crate) branches: u32,
}

/// The custom blocks of a program in linear form.
#[derive(Debug, Default)]
pub(crate) struct Form {
    pub(crate) instructions: Vec<Instruction>,
    /// By instruction.
    pub(crate) origins: Vec<Origin>,
    /// Of [`Instruction::Call`].
    pub(crate) sites: Vec<Site>,
    pub(crate) expansions: Vec<Expansion>,
    pub(crate) operands: Vec<Operand>,
    /// Blocks of [`Instruction::Run`].
    pub(crate) blocks: Vec<BlockNo>,
    /// The registers, which are 0, and the numbers of the constants, as comparisons read them: NaN
    /// for texts that are no numerals.
    pub(crate) numbers: Vec<f64>,
    /// The constants as values.
    pub(crate) values: Vec<Value>,
    /// By command: where to enter, for definitions of custom blocks and, at the end of an
    /// iteration, for loops; [`NOWHERE`] for others.
    pub(crate) entries: Vec<u32>,
    /// By command: the innermost `if` around it within the same loop; `NONE` if there is none.
    pub(crate) parents: Vec<CommandId>,
    /// By command.
    pub(crate) resumptions: Vec<Resumption>,
}

impl Form {
    /// Where the interpreter enters the linear form at a command; `None` if it does not.
    #[inline]
    pub(crate) fn entry(&self, command: CommandId) -> Option<usize> {
        self.entries.get(command as usize).filter(|at| **at != NOWHERE).map(|at| *at as usize)
    }
}

// Small, because an instruction is read every few nanoseconds.
const _: () = assert!(size_of::<Instruction>() <= 12);
