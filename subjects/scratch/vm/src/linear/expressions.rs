//! Lowering of expressions to operands.

use super::form::{
    Function, Instruction, Kind, ListNo, NOWHERE, Operand, Operator, Quantity, REGISTERS, Reading,
};
use super::lower::Lowering;
use crate::code::{Expr, ExprId, MathOp};
use crate::value::Value;

impl Lowering<'_> {
    pub(super) fn number(&mut self, e: ExprId) -> Option<Operand> {
        self.read(e, Reading::Number)
    }

    pub(super) fn read(&mut self, e: ExprId, reading: Reading) -> Option<Operand> {
        if self.is_full() {
            return None;
        }
        if let Some(operand) = self.literal(e).or_else(|| self.stored(e)) {
            return Some(operand);
        }
        if let Some(kept) = self.shared.find(e, reading) {
            return Some(kept);
        }
        let registers = self.registers;
        let computed = self.computed(e, reading)?;
        // The registers of the operands are free again.
        self.registers = registers;
        let to = match self.shared.keep(e, reading) {
            Some(kept) => kept,
            None => self.register()?,
        };
        self.redirect(computed, to);
        Some(to)
    }

    /// Returns the last instruction, whose destination the caller must set.
    fn computed(&mut self, e: ExprId, reading: Reading) -> Option<usize> {
        let to = Operand::REGISTER;
        let instruction = match self.source.exprs[e.0 as usize] {
            Expr::Add(a, b) => self.binary(Operator::Add, a, b)?,
            Expr::Subtract(a, b) => self.binary(Operator::Subtract, a, b)?,
            Expr::Multiply(a, b) => self.binary(Operator::Multiply, a, b)?,
            Expr::Divide(a, b) => self.binary(Operator::Divide, a, b)?,
            Expr::Modulo(a, b) => self.binary(Operator::Modulo, a, b)?,
            Expr::Round(a) => self.unary(Function::Round, a)?,
            Expr::Math(op, a) => self.unary(Function::Math(op), a)?,
            Expr::LengthOfList(list) => Instruction::ListLength { to, list: ListNo::new(list)? },
            Expr::Random(a, b) => {
                let (a, b) = (self.read(a, Reading::Value)?, self.read(b, Reading::Value)?);
                self.draws = true;
                Instruction::Random { to, a, b }
            }
            Expr::Length(text) if self.is_stored(text) => {
                let a = self.literal(text).or_else(|| self.stored(text))?;
                Instruction::Length { to, a }
            }
            Expr::ItemOfList(list, index) if self.reads_items => {
                let (list, index) = (ListNo::new(list)?, self.index(index)?);
                if self.draws {
                    return None;
                }
                Instruction::Item { reading, to, list, index, whole: NOWHERE }
            }
            Expr::LetterOf { letter, text } if self.reads_items && reading != Reading::Value => {
                let instruction = self.letter(reading, letter, text)?;
                if self.draws {
                    return None;
                }
                instruction
            }
            _ => match self.quantity(e) {
                Some(quantity) => Instruction::Quantity { to, quantity },
                None if self.is_plain_number(e) => Instruction::Evaluate { to },
                None => return None,
            },
        };
        Some(self.emit_for(instruction, e))
    }

    pub(super) fn quantity(&self, e: ExprId) -> Option<Quantity> {
        Some(match self.source.exprs[e.0 as usize] {
            Expr::XPosition => Quantity::X,
            Expr::YPosition => Quantity::Y,
            Expr::Direction => Quantity::Direction,
            Expr::Size => Quantity::Size,
            Expr::CostumeNumber => Quantity::Costume,
            Expr::BackdropNumber => Quantity::Backdrop,
            Expr::Volume => Quantity::Volume,
            Expr::Tempo => Quantity::Tempo,
            Expr::Counter => Quantity::Counter,
            _ => return None,
        })
    }

    /// The register that receives the letter as a number first contains the letter's position.
    fn letter(&mut self, reading: Reading, letter: ExprId, text: ExprId) -> Option<Instruction> {
        let to = Operand::new(Kind::Register, self.registers)?;
        let place = self.number(letter)?;
        if place != to {
            let (free, zero) = (self.register()?, self.constant(Value::Number(0.0))?);
            debug_assert_eq!(free, to, "an operand outside the registers uses none");
            let operator = Operator::Add;
            self.emit(Instruction::Binary { operator, to, a: place, b: zero });
        }
        if let Some(text) = self.literal(text).or_else(|| self.stored(text)) {
            return Some(Instruction::Letter { reading, to, text, whole: NOWHERE });
        }
        let Expr::ItemOfList(list, index) = self.source.exprs[text.0 as usize] else { return None };
        let (list, index) = (ListNo::new(list)?, self.index(index)?);
        Some(Instruction::LetterOfItem { reading, to, list, index, whole: NOWHERE })
    }

    fn unary(&mut self, function: Function, a: ExprId) -> Option<Instruction> {
        Some(Instruction::Unary { function, to: Operand::REGISTER, a: self.number(a)? })
    }

    fn binary(&mut self, operator: Operator, a: ExprId, b: ExprId) -> Option<Instruction> {
        let (a, b) = (self.number(a)?, self.number(b)?);
        Some(Instruction::Binary { operator, to: Operand::REGISTER, a, b })
    }

    fn redirect(&mut self, at: usize, operand: Operand) {
        use Instruction::*;
        match &mut self.form.instructions[at] {
            Quantity { to, .. }
            | Random { to, .. }
            | Length { to, .. }
            | Binary { to, .. }
            | Unary { to, .. }
            | ListLength { to, .. }
            | Item { to, .. }
            | Letter { to, .. }
            | LetterOfItem { to, .. }
            | Evaluate { to } => *to = operand,
            _ => {}
        }
    }

    pub(super) fn register(&mut self) -> Option<Operand> {
        let index = self.registers;
        self.registers += 1;
        (index < REGISTERS as u32).then(|| Operand::new(Kind::Register, index))?
    }

    pub(super) fn index(&mut self, e: ExprId) -> Option<Operand> {
        let index = self.read(self.without_floor(e), Reading::Index)?;
        // Words, such as `last` and `random`, and the empty string have no number.
        let is_word = index.kind() == Kind::Constant && self.form.numbers[index.index()].is_nan();
        (!is_word).then_some(index)
    }

    pub(super) fn set(&mut self, to: Operand, e: ExprId) -> Option<()> {
        if let Some(a) = self.literal(e).or_else(|| self.stored(e)) {
            self.emit(Instruction::Copy { to, a });
        } else if let Expr::ItemOfList(list, index) = self.source.exprs[e.0 as usize] {
            let (list, index) = (ListNo::new(list)?, self.index(index)?);
            self.keeps(index)?;
            self.emit_for(Instruction::CopyItem { to, list, index }, e);
        } else if let Expr::LetterOf { letter, text } = self.source.exprs[e.0 as usize] {
            let (place, text) = self.letter_of_stored(letter, text)?;
            self.emit_for(Instruction::CopyLetter { to, place, text }, e);
        } else {
            let at = self.computed(e, Reading::Number)?;
            let free = self.register()?;
            if let Instruction::Evaluate { to: register } = &mut self.form.instructions[at] {
                // The interpreter cannot store the result in a variable.
                *register = free;
                self.emit(Instruction::Copy { to, a: free });
            } else {
                self.redirect(at, to);
            }
        }
        Some(())
    }

    pub(super) fn literal(&mut self, e: ExprId) -> Option<Operand> {
        let value = match self.source.exprs[e.0 as usize] {
            Expr::Number(n) => Value::Number(n),
            Expr::Constant(c) => self.source.constants[c as usize].clone(),
            _ => return None,
        };
        self.constant(value)
    }

    fn constant(&mut self, value: Value) -> Option<Operand> {
        let number = match &value {
            Value::Number(n) => *n,
            Value::Text(text) if !text.is_blank() => text.number(),
            Value::Text(_) | Value::Bool(_) | Value::Undefined => f64::NAN,
        };
        if let Value::Bool(_) | Value::Undefined = value {
            return None;
        }
        // The bits distinguish -0 from 0.
        let key = match &value {
            Value::Number(n) => format!("{:x}", n.to_bits()),
            other => format!("{other:?}"),
        };
        if let Some(known) = self.constants.get(&key) {
            return Some(*known);
        }
        let operand = Operand::new(Kind::Constant, self.form.numbers.len() as u32)?;
        self.form.numbers.push(number);
        self.form.values.push(value);
        self.constants.insert(key, operand);
        Some(operand)
    }

    /// Whether an expression is known to be a number whose evaluation takes neither fuel nor random
    /// numbers.
    fn is_plain_number(&self, e: ExprId) -> bool {
        match self.source.exprs[e.0 as usize] {
            Expr::Timer | Expr::DaysSince2000 => true,
            Expr::Length(text) => self.is_stored(text),
            _ => self.quantity(e).is_some(),
        }
    }

    /// Whether the evaluation of an expression is known to take neither fuel nor, except for the
    /// index `random` or `any` of an item, random numbers.
    pub(super) fn is_plain(&self, e: ExprId) -> bool {
        let exprs = &self.source.exprs;
        match exprs[e.0 as usize] {
            Expr::MouseX | Expr::MouseY | Expr::MouseDown | Expr::Answer => true,
            Expr::CostumeName | Expr::BackdropName | Expr::Undefined => true,
            Expr::ItemOfList(_, index) => self.is_plain(index),
            Expr::LetterOf { letter, text } => self.is_plain(letter) && self.is_stored(text),
            Expr::Add(a, b)
            | Expr::Subtract(a, b)
            | Expr::Multiply(a, b)
            | Expr::Divide(a, b)
            | Expr::Modulo(a, b) => self.is_plain(a) && self.is_plain(b),
            Expr::Round(a) | Expr::Math(_, a) => self.is_plain(a),
            Expr::LengthOfList(_) => true,
            _ => self.is_stored(e) || self.is_plain_number(e),
        }
    }

    fn is_stored(&self, e: ExprId) -> bool {
        matches!(
            self.source.exprs[e.0 as usize],
            Expr::Number(_) | Expr::Constant(_) | Expr::Variable(_) | Expr::Parameter(_)
        )
    }

    /// Whether the evaluation of an expression is known to have no effect and may be repeated.
    pub(super) fn is_fixed(&self, e: ExprId) -> bool {
        match self.source.exprs[e.0 as usize] {
            Expr::Add(a, b)
            | Expr::Subtract(a, b)
            | Expr::Multiply(a, b)
            | Expr::Divide(a, b)
            | Expr::Modulo(a, b) => self.is_fixed(a) && self.is_fixed(b),
            Expr::Math(MathOp::Unknown, _) => false,
            Expr::Round(a) | Expr::Math(_, a) => self.is_fixed(a),
            Expr::LengthOfList(_) => true,
            // The words `random` and `any` draw an index.
            Expr::ItemOfList(_, index) => self.is_numeric(index) && self.is_fixed(index),
            _ => self.is_stored(e) || self.is_plain_number(e),
        }
    }

    /// Whether an expression is known to result in a number.
    fn is_numeric(&self, e: ExprId) -> bool {
        match &self.source.exprs[e.0 as usize] {
            Expr::Constant(c) => match &self.source.constants[*c as usize] {
                Value::Number(_) => true,
                Value::Text(text) => !text.is_blank() && !text.number().is_nan(),
                Value::Bool(_) | Value::Undefined => false,
            },
            expr => expr.is_number() || self.is_plain_number(e),
        }
    }

    /// Whether a [fixed](Self::is_fixed) expression reads an item of a list.
    pub(super) fn reads_item(&self, e: ExprId) -> bool {
        match self.source.exprs[e.0 as usize] {
            Expr::ItemOfList(..) => true,
            Expr::Add(a, b)
            | Expr::Subtract(a, b)
            | Expr::Multiply(a, b)
            | Expr::Divide(a, b)
            | Expr::Modulo(a, b) => self.reads_item(a) || self.reads_item(b),
            Expr::Round(a) | Expr::Math(_, a) => self.reads_item(a),
            _ => false,
        }
    }

    /// Lets the interpreter evaluate an expression as a number.
    pub(super) fn evaluated(&mut self, e: ExprId) -> Option<Operand> {
        let to = self.register()?;
        self.emit_for(Instruction::Evaluate { to }, e);
        Some(to)
    }
}
