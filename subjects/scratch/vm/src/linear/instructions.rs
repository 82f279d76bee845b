//! The instructions of the linear form.

use super::form::{ListNo, Operand};
use crate::code::{Comparison, MathOp};
use crate::interpreted::Fallback;

/// The rule by which a value is read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Any value, cast to a number.
    Number,
    /// As an operand of a comparison: a number, or a short string that is a numeral.
    Comparand,
    /// A letter that is compared with a numeral for equality: the number of a digit, otherwise NaN,
    /// which has the same outcome and distances as any letter that is not a digit.
    Digit,
    /// The index of an item: a number, or a string that is a numeral or blank.
    Index,
    /// A value that is a number.
    Value,
}

/// A comparison or its negation.
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

/// The rule by which an outcome is combined with the previous outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// Both outcomes are kept.
    Push,
    And,
    Or,
}

impl Link {
    /// The link whose result for negated outcomes is the negated result.
    pub(crate) fn negated(self) -> Link {
        match self {
            Link::Push => Link::Push,
            Link::And => Link::Or,
            Link::Or => Link::And,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    Round,
    Math(MathOp),
}

/// The relation, link and jump of an instruction that compares, in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way(u8);

impl Way {
    const JUMPS: u8 = 1;
    const NEGATED: u8 = 2;
    const LINK: u32 = 2;
    const COMPARISON: u32 = 4;

    pub(crate) fn new(how: Comparison, negated: bool, link: Link, jumps: bool) -> Way {
        let flags = u8::from(jumps) * Self::JUMPS + u8::from(negated) * Self::NEGATED;
        Way(flags | (link as u8) << Self::LINK | (how as u8) << Self::COMPARISON)
    }

    #[inline(always)]
    pub(crate) fn jumps(self) -> bool {
        self.0 & Self::JUMPS != 0
    }

    #[inline(always)]
    pub(crate) fn negated(self) -> bool {
        self.0 & Self::NEGATED != 0
    }

    #[inline(always)]
    pub(crate) fn link(self) -> Link {
        match self.0 >> Self::LINK & 3 {
            0 => Link::Push,
            1 => Link::And,
            _ => Link::Or,
        }
    }

    #[inline(always)]
    pub(crate) fn comparison(self) -> Comparison {
        match self.0 >> Self::COMPARISON {
            0 => Comparison::Less,
            1 => Comparison::Equals,
            _ => Comparison::Greater,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quantity {
    X,
    Y,
    Direction,
    Size,
    Costume,
    Backdrop,
    Volume,
    Tempo,
    Counter,
}

impl Quantity {
    pub(crate) const COUNT: usize = Quantity::Counter as usize + 1;
}

/// An instruction. Results are written to the operand `to`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    /// Consumes the fuel of `count` blocks, beginning with `first` in [`Form::blocks`], and reports
    /// these blocks, or leaves the linear form before them.
    Run {
        first: u32,
        count: u16,
        calls: bool,
    },
    /// The interpreter executes the block and the following blocks.
    Leave,
    /// The interpreter executes the block.
    Perform,
    /// The interpreter executes the operation of the block with the values of its operands.
    Apply {
        a: Operand,
        b: Operand,
    },
    /// The interpreter evaluates the expression as a number.
    Evaluate {
        to: Operand,
    },

    Quantity {
        to: Operand,
        quantity: Quantity,
    },
    /// A random number between two operands. The interpreter must not take over within the same
    /// block after this instruction, because the interpreter would draw again.
    Random {
        to: Operand,
        a: Operand,
        b: Operand,
    },
    Length {
        to: Operand,
        a: Operand,
    },
    Binary {
        operator: Operator,
        to: Operand,
        a: Operand,
        b: Operand,
    },
    /// Adds a number to a variable.
    Change {
        to: Operand,
        b: Operand,
    },
    Unary {
        function: Function,
        to: Operand,
        a: Operand,
    },
    /// Reads an item as a number. If the item or its index cannot be read in this way, the
    /// interpreter executes the block or condition that ends with the instruction `whole`.
    Item {
        reading: Reading,
        to: Operand,
        list: ListNo,
        index: Operand,
        whole: u32,
    },
    /// Reads a letter of a string as a number. Before the instruction, the register `to` contains
    /// the position of the letter, from 1. If the letter cannot be read in this way, the
    /// interpreter executes the block or condition that ends with the instruction `whole`.
    Letter {
        reading: Reading,
        to: Operand,
        text: Operand,
        whole: u32,
    },
    /// Like `Letter`, for a letter of an item.
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
    /// Sets a variable to a letter of a string.
    CopyLetter {
        to: Operand,
        place: Operand,
        text: Operand,
    },
    /// Sets a variable to two joined strings.
    Join {
        to: Operand,
        a: Operand,
        b: Operand,
    },
    /// Sets a variable to a string followed by a letter of a string.
    JoinLetter {
        to: Operand,
        a: Operand,
        place: Operand,
        text: Operand,
    },
    AddToList {
        list: ListNo,
        item: Operand,
    },
    /// Adds an item of the list `from` to a list.
    AddItem {
        list: ListNo,
        from: ListNo,
        index: Operand,
    },
    ReplaceItem {
        list: ListNo,
        index: Operand,
        item: Operand,
    },
    /// Replaces an item with the item of the list `from` at the index `at`.
    ReplaceByItem {
        list: ListNo,
        index: Operand,
        from: ListNo,
        at: Operand,
    },

    Jump {
        to: u32,
    },
    /// Compares, combines the outcome with a waiting outcome unless `link` is [`Link::Push`], and
    /// jumps if the result equals `jumps`.
    Compare {
        relation: Relation,
        link: Link,
        jumps: bool,
        a: Operand,
        b: Operand,
        to: u32,
    },
    /// Pushes the outcome of a comparison, or combines it with the outcome on top. The condition
    /// ends with the instruction `whole`.
    Test {
        relation: Relation,
        link: Link,
        a: Operand,
        b: Operand,
        whole: u32,
    },
    /// Like `Compare`, with an item as the first operand.
    CompareItem {
        way: Way,
        list: ListNo,
        index: Operand,
        b: Operand,
        to: u32,
    },
    /// Like `Test`, with an item as the first operand.
    TestItem {
        way: Way,
        list: ListNo,
        index: Operand,
        b: Operand,
        whole: u32,
    },
    /// Like `Compare`, with a letter of a string as the first operand.
    CompareLetter {
        way: Way,
        place: Operand,
        text: Operand,
        b: Operand,
        to: u32,
    },
    /// Like `Test`, with a letter of a string as the first operand.
    TestLetter {
        way: Way,
        place: Operand,
        text: Operand,
        b: Operand,
        whole: u32,
    },
    /// Skips the second side of a link if the outcome on top decides the result, the distances of
    /// the block are not measured, and the list indices of the side that may be words are numerals.
    Skip {
        skip: u32,
    },
    /// Combines the two outcomes on top.
    Combine(Link),
    /// Replaces the distances of the outcome on top with those of a condition that is not a
    /// comparison.
    Outcome,
    /// Pops an outcome, and jumps if the outcome equals `jumps`.
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
    /// Begins an iteration of `repeat`, or jumps to `end` if no iteration is left.
    Count {
        end: u32,
    },
    /// Reports the distances of `forever`.
    Endless,
    /// Ends an iteration, and begins the loop's block again at `head`.
    Again {
        head: u32,
    },
    /// Ends an iteration of `repeat` and begins the next, or jumps to `end` if no iteration is
    /// left.
    CountAgain {
        body: u32,
        end: u32,
    },
    /// Pops the frames of a loop and of this number of branches around it.
    LeaveLoop {
        branches: u16,
    },

    /// Sets a register to the number in a variable or parameter, or jumps if the value is not a
    /// number.
    Take {
        to: Operand,
        a: Operand,
        otherwise: u32,
    },
    /// Pushes the frames of the expansions around the instruction.
    PushExpansions,
    /// Pushes a parameter of the next call, in the order of parameters: a value, or the default if
    /// the value is undefined.
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
    /// Whether the executor always stops at the instruction.
    pub(crate) fn is_interpreted(&self) -> bool {
        use Instruction::{Apply, Decide, Evaluate, Leave, Perform, PushValue};
        matches!(
            self,
            Leave | Perform | Apply { .. } | Evaluate { .. } | Decide { .. } | PushValue { .. }
        )
    }

    pub(crate) fn fallback(&self) -> Fallback {
        match self {
            Instruction::Perform => Fallback::Block,
            Instruction::Decide { .. } => Fallback::Condition,
            Instruction::Evaluate { .. } | Instruction::PushValue { .. } => Fallback::Operand,
            _ => Fallback::Value,
        }
    }

    /// Whether the instruction always needs the frames of calls.
    pub(crate) fn asks_for_frames(&self) -> bool {
        self.is_interpreted() || matches!(self, Instruction::EnterLoop { .. })
    }
}

// Instructions must be small, because an instruction is read every few nanoseconds.
const _: () = assert!(size_of::<Instruction>() <= 12);
