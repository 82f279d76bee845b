//! Parts that the expressions of a block or condition contain several times, and that are usually
//! computed once and kept in registers.
//!
//! Within a block or condition, nothing changes the values that instructions read, so a second
//! computation would have the same result. Parts that draw random numbers are computed each time.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::form::{Function, KEPT, Kind, ListNo, Operand, Operator, Quantity, REGISTERS, Reading};
use super::lower::Lowering;
use crate::code::{Expr, ExprId, MathOp, Op, one_number};

/// Maximum number of parts of a block or condition that are analysed.
const MAX_PARTS: u32 = 512;

/// The key of a part of an expression, which refers to smaller parts by their numbers. Equal parts
/// have equal keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Operand(Operand),
    Binary(Operator, u32, u32),
    Unary(Function, u32),
    Quantity(Quantity),
    Length(Operand),
    ListLength(ListNo),
    Item(ListNo, u32),
}

#[derive(Default)]
pub(super) struct Shared {
    numbers: FxHashMap<Key, u32>,
    /// For each expression, the number of its part.
    parts: FxHashMap<u32, u32>,
    /// For each part, the number of instructions that read it.
    uses: Vec<u32>,
    items: FxHashSet<u32>,
    visited: u32,
    /// The parts that are computed and kept, with their readings and registers.
    kept: Vec<((u32, Reading), Operand)>,
}

impl Shared {
    fn clear(&mut self) {
        self.numbers.clear();
        self.parts.clear();
        self.uses.clear();
        self.items.clear();
        self.kept.clear();
        self.visited = 0;
    }

    pub(super) fn kept(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn truncate(&mut self, kept: usize) {
        self.kept.truncate(kept);
    }

    pub(super) fn find(&self, e: ExprId, reading: Reading) -> Option<Operand> {
        let name = self.name(e, reading)?;
        self.kept.iter().find(|kept| kept.0 == name).map(|kept| kept.1)
    }

    /// A register for an expression that is read again later.
    pub(super) fn keep(&mut self, e: ExprId, reading: Reading) -> Option<Operand> {
        let name = self.name(e, reading)?;
        if self.uses[name.0 as usize] < 2 || self.kept.len() >= KEPT {
            return None;
        }
        let to = Operand::new(Kind::Register, (REGISTERS + self.kept.len()) as u32)?;
        self.kept.push((name, to));
        Some(to)
    }

    /// The part for an expression, and its reading if different readings result in different
    /// numbers.
    fn name(&self, e: ExprId, reading: Reading) -> Option<(u32, Reading)> {
        let part = *self.parts.get(&e.0)?;
        Some((part, if self.items.contains(&part) { reading } else { Reading::Number }))
    }
}

impl Op {
    /// The operands that instructions compute.
    pub(super) fn operands(&self) -> SmallVec<[ExprId; 2]> {
        match *self {
            Op::SetVariable(_, a) | Op::ChangeVariable(_, a) | Op::AddToList(_, a) => smallvec![a],
            Op::ReplaceItemOfList { index, item, .. } => smallvec![index, item],
            Op::GoToXY(x, y) => smallvec![x, y],
            one_number!(a) => smallvec![a],
            Op::PenParam { value, .. } => smallvec![value],
            _ => SmallVec::new(),
        }
    }
}

impl Lowering<'_> {
    /// Computes equal parts of the expressions once.
    pub(super) fn sharing<R>(
        &mut self,
        expressions: &[ExprId],
        lower: impl FnOnce(&mut Self) -> Option<R>,
    ) -> Option<R> {
        self.shared.clear();
        for &e in expressions {
            self.count_use(e);
        }
        let result = self.attempt(lower);
        self.shared.clear();
        result
    }

    fn count_use(&mut self, e: ExprId) {
        if let Some(part) = self.part(e) {
            self.shared.uses[part as usize] += 1;
        }
    }

    fn part(&mut self, e: ExprId) -> Option<u32> {
        self.shared.visited += 1;
        if self.shared.visited > MAX_PARTS {
            return None;
        }
        let key = self.key(e)?;
        let next = self.shared.uses.len() as u32;
        let part = *self.shared.numbers.entry(key).or_insert(next);
        self.shared.parts.insert(e.0, part);
        if part == next {
            self.shared.uses.push(0);
            let read = match key {
                Key::Binary(_, a, b) => [Some(a), Some(b)],
                Key::Unary(_, a) | Key::Item(_, a) => [Some(a), None],
                _ => [None, None],
            };
            for part in read.into_iter().flatten() {
                self.shared.uses[part as usize] += 1;
            }
            if let Key::Item(..) = key {
                self.shared.items.insert(part);
            }
        }
        Some(part)
    }

    fn key(&mut self, e: ExprId) -> Option<Key> {
        if let Some(operand) = self.literal(e).or_else(|| self.stored(e)) {
            return Some(Key::Operand(operand));
        }
        let exprs = self.source.exprs;
        match exprs[e.0 as usize] {
            Expr::Add(a, b) => self.binary_key(Operator::Add, a, b),
            Expr::Subtract(a, b) => self.binary_key(Operator::Subtract, a, b),
            Expr::Multiply(a, b) => self.binary_key(Operator::Multiply, a, b),
            Expr::Divide(a, b) => self.binary_key(Operator::Divide, a, b),
            Expr::Modulo(a, b) => self.binary_key(Operator::Modulo, a, b),
            Expr::Round(a) => Some(Key::Unary(Function::Round, self.part(a)?)),
            Expr::Math(MathOp::Unknown, _) => None,
            Expr::Math(op, a) => Some(Key::Unary(Function::Math(op), self.part(a)?)),
            Expr::ItemOfList(list, index) => {
                let index = self.without_floor(index);
                Some(Key::Item(ListNo::new(list)?, self.part(index)?))
            }
            Expr::LengthOfList(list) => Some(Key::ListLength(ListNo::new(list)?)),
            Expr::Length(text) => {
                let text = self.literal(text).or_else(|| self.stored(text))?;
                Some(Key::Length(text))
            }
            Expr::Less(a, b) | Expr::Equals(a, b) | Expr::Greater(a, b) => {
                self.count_compared(a, b);
                None
            }
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Random(a, b) => {
                self.count_use(a);
                self.count_use(b);
                None
            }
            Expr::Not(a) | Expr::Outcome(a) => {
                self.count_use(a);
                None
            }
            Expr::LetterOf { letter, text } => {
                self.count_use(letter);
                // The item has no separate instruction.
                if let Expr::ItemOfList(_, index) = exprs[text.0 as usize] {
                    let index = self.without_floor(index);
                    self.count_use(index);
                }
                None
            }
            _ => self.quantity(e).map(Key::Quantity),
        }
    }

    fn binary_key(&mut self, operator: Operator, a: ExprId, b: ExprId) -> Option<Key> {
        // Call `part` for both operands, even if one of them is not kept.
        match (self.part(a), self.part(b)) {
            (Some(a), Some(b)) => Some(Key::Binary(operator, a, b)),
            (one, other) => {
                for part in one.into_iter().chain(other) {
                    self.shared.uses[part as usize] += 1;
                }
                None
            }
        }
    }

    /// Counts the operands of a comparison, one of which may be an item without a separate
    /// instruction.
    fn count_compared(&mut self, a: ExprId, b: ExprId) {
        let (other, item) = match (self.item(b), self.item(a)) {
            (Some((_, index)), _) => (a, Some(index)),
            (None, Some((_, index))) => (b, Some(index)),
            (None, None) => (a, None),
        };
        self.count_use(other);
        let rest = item.map_or(b, |index| self.without_floor(index));
        self.count_use(rest);
    }

    /// Removes `floor` from a computed index, because a positive index is rounded down anyway.
    pub(super) fn without_floor(&self, e: ExprId) -> ExprId {
        let exprs = self.source.exprs;
        match exprs[e.0 as usize] {
            Expr::Math(MathOp::Floor, a)
                if matches!(
                    exprs[a.0 as usize],
                    Expr::Add(..)
                        | Expr::Subtract(..)
                        | Expr::Multiply(..)
                        | Expr::Divide(..)
                        | Expr::Modulo(..)
                ) =>
            {
                a
            }
            _ => e,
        }
    }
}
