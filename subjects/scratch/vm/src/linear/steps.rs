//! The linear form of one VM: each instruction with the function that executes it.

use super::executor::{Delayed, Handler, MAX_DELAYED, Step, Tests};
use super::form::{Form, Function, Instruction, Kind, Link, Operand, Operator, Site};
use super::handlers::control::*;
use super::handlers::numbers::*;
use super::handlers::{items, letters, texts, values};
use super::native::Native;
use super::operands::{Any, Number, Parameter, Register, Variable};
use crate::code::{Comparison, MathOp};
use crate::tracer::Tracer;
use crate::value::Value;

/// Number of instructions after which the handler of the next run returns, because the stack would
/// grow without bound if the compiler did not replace the calls of handlers with jumps.
const LONGEST_CHAIN: usize = 32;

pub(crate) struct Steps<T: Tracer> {
    /// The step for each instruction; empty before the linear form is first entered.
    pub(super) steps: Vec<Step<T>>,
    /// For native code: each step, followed by a step whose handler returns; empty without native
    /// code.
    pub(super) single: Vec<Step<T>>,
    /// See [`Form::numbers`].
    pub(super) numbers: Vec<f64>,
    pub(super) tests: Tests,
    pub(super) delayed: [Delayed; MAX_DELAYED],
    pub(crate) native: Native,
}

impl<T: Tracer> Default for Steps<T> {
    fn default() -> Steps<T> {
        Steps {
            steps: Vec::new(),
            single: Vec::new(),
            numbers: Vec::new(),
            tests: Tests::default(),
            delayed: [Delayed::default(); MAX_DELAYED],
            native: Native::default(),
        }
    }
}

impl<T: Tracer> Steps<T> {
    /// Selects the handlers at the first call.
    #[inline]
    pub(super) fn prepare(&mut self, form: &Form) {
        if self.steps.is_empty() {
            self.choose(form);
        }
    }

    #[cold]
    fn choose(&mut self, form: &Form) {
        self.numbers = form.numbers.clone();
        self.steps.reserve_exact(form.instructions.len());
        let mut chain = 0;
        for (&instruction, origin) in form.instructions.iter().zip(&form.origins) {
            chain += 1;
            let rests = chain > LONGEST_CHAIN && matches!(instruction, Instruction::Run { .. });
            if rests {
                chain = 0;
            }
            let handler = handler(form, &instruction, rests);
            self.steps.push(Step { handler, instruction, no: origin.no });
        }
    }
}

/// Evaluates an expression for the kind of an operand that is read as a number.
macro_rules! by_number {
    ($operand:expr, $S:ident => $handler:expr) => {
        match $operand.kind() {
            Kind::Register | Kind::Constant => {
                type $S = Number;
                $handler
            }
            Kind::Stage | Kind::Own => {
                type $S = Variable;
                $handler
            }
            Kind::Parameter => {
                type $S = Parameter;
                $handler
            }
        }
    };
}

/// Evaluates an expression for the kind of an operand that is read as a value.
macro_rules! by_value {
    ($form:expr, $operand:expr, $S:ident => $handler:expr) => {
        if is_text($form, $operand) {
            type $S = Any;
            $handler
        } else {
            by_number!($operand, $S => $handler)
        }
    };
}

/// Evaluates an expression for the kind of an operand that is written.
macro_rules! by_destination {
    ($operand:expr, $D:ident => $handler:expr) => {
        if $operand.kind() == Kind::Register {
            type $D = Register;
            $handler
        } else {
            type $D = Variable;
            $handler
        }
    };
}

macro_rules! by_comparison {
    ($comparison:expr, $C:ident => $handler:expr) => {
        match $comparison {
            Comparison::Less => {
                type $C = Less;
                $handler
            }
            Comparison::Equals => {
                type $C = Equals;
                $handler
            }
            Comparison::Greater => {
                type $C = Greater;
                $handler
            }
        }
    };
}

fn is_text(form: &Form, a: Operand) -> bool {
    a.kind() == Kind::Constant && !matches!(form.values[a.index()], Value::Number(_))
}

fn handler<T: Tracer>(form: &Form, instruction: &Instruction, rests: bool) -> Handler<T> {
    use Instruction::*;
    match *instruction {
        Run { count, calls, .. } => match (count, calls, rests) {
            (1, false, false) => run::<T, true, false, false>,
            (1, true, false) => run::<T, true, true, false>,
            (_, false, false) => run::<T, false, false, false>,
            (_, true, false) => run::<T, false, true, false>,
            (_, _, true) => run::<T, false, true, true>,
        },
        Leave => leave,
        Apply { .. } => apply,
        Perform | Evaluate { .. } | Decide { .. } | PushValue { .. } => interpret,
        Quantity { .. } => values::quantity,
        Random { .. } => values::random,
        Length { .. } => values::length,
        Binary { operator, to, a, b } => match operator {
            Operator::Add => binary_of::<T, Add>(to, a, b),
            Operator::Subtract => binary_of::<T, Subtract>(to, a, b),
            Operator::Multiply => binary_of::<T, Multiply>(to, a, b),
            Operator::Divide => binary_of::<T, Divide>(to, a, b),
            Operator::Modulo => binary_of::<T, Modulo>(to, a, b),
        },
        Change { b, .. } => by_number!(b, B => change::<T, B>),
        Unary { function, to, a } => match function {
            Function::Round => unary_of::<T, Round>(to, a),
            Function::Math(MathOp::Floor) => unary_of::<T, Floor>(to, a),
            Function::Math(MathOp::Ceiling) => unary_of::<T, Ceiling>(to, a),
            Function::Math(MathOp::Abs) => unary_of::<T, Abs>(to, a),
            Function::Math(MathOp::Sqrt) => unary_of::<T, Sqrt>(to, a),
            Function::Math(_) => by_number!(a, A => values::unary::<T, A>),
        },
        Item { index, .. } => by_number!(index, I => item::<T, I>),
        Letter { .. } => letters::letter,
        LetterOfItem { index, .. } => by_number!(index, I => letters::letter_of_item::<T, I>),
        ListLength { to, .. } => by_destination!(to, D => list_length::<T, D>),
        Copy { a, .. } => by_value!(form, a, A => copy::<T, A>),
        CopyItem { index, .. } => by_number!(index, I => copy_item::<T, I>),
        CopyLetter { .. } => texts::copy_letter,
        Join { .. } => texts::join,
        JoinLetter { .. } => texts::join_letter,
        AddToList { item, .. } if is_text(form, item) => items::add_text,
        AddToList { item, .. } => by_number!(item, V => add_to_list::<T, V>),
        ReplaceItem { index, item, .. } if is_text(form, item) => {
            by_number!(index, I => items::replace_with_text::<T, I>)
        }
        ReplaceItem { index, item, .. } => {
            by_number!(index, I => by_number!(item, V => replace_item::<T, I, V>))
        }
        AddItem { .. } => items::add_item,
        ReplaceByItem { index, at, .. } => {
            by_number!(index, I => by_number!(at, F => replace_by_item::<T, I, F>))
        }
        Jump { .. } => jump,
        Compare { relation, link: Link::Push, a, b, .. } => by_comparison!(
            relation.parts().0, C => by_number!(a, A => by_number!(b, B => compare::<T, C, A, B>))
        ),
        Compare { relation, a, b, .. } => by_comparison!(
            relation.parts().0, C => by_number!(a, A => by_number!(b, B => compare_linked::<T, C, A, B>))
        ),
        Test { relation, a, b, .. } => by_comparison!(
            relation.parts().0, C => by_number!(a, A => by_number!(b, B => test::<T, C, A, B>))
        ),
        CompareItem { way, index, b, .. } if way.link() == Link::Push => by_comparison!(
            way.comparison(),
            C => by_number!(index, I => by_number!(b, B => compare_item::<T, C, I, B>))
        ),
        CompareItem { way, index, b, .. } => by_comparison!(
            way.comparison(),
            C => by_number!(index, I => by_number!(b, B => compare_linked_item::<T, C, I, B>))
        ),
        TestItem { way, index, b, .. } => by_comparison!(
            way.comparison(),
            C => by_number!(index, I => by_number!(b, B => test_item::<T, C, I, B>))
        ),
        CompareLetter { .. } => texts::compare,
        TestLetter { .. } => texts::test,
        Skip { .. } => skip,
        Combine(_) => combine,
        Outcome => outcome,
        Branch { .. } => branch,
        EnterLoop { times, .. } => by_number!(times, N => enter_loop::<T, N>),
        Count { .. } => count,
        Endless => endless,
        Again { .. } => again,
        CountAgain { .. } => count_again,
        LeaveLoop { .. } => leave_loop,
        Take { a, .. } => by_value!(form, a, A => take::<T, A>),
        PushExpansions => push_expansions,
        Push { a, .. } => by_value!(form, a, A => push::<T, A>),
        PushDefault { .. } => push_default,
        Call { site } => match form.sites[site as usize] {
            Site { delayed: 0, .. } => call,
            Site { operands: (first, 1), .. } => {
                by_value!(form, form.operands[first as usize], A => call_with::<T, A>)
            }
            _ => call_delayed,
        },
        Return => return_,
    }
}

fn unary_of<T: Tracer, O: Computes>(to: Operand, a: Operand) -> Handler<T> {
    by_number!(a, A => by_destination!(to, D => unary::<T, O, D, A>))
}

fn binary_of<T: Tracer, O: Operates>(to: Operand, a: Operand, b: Operand) -> Handler<T> {
    by_number!(a, A => by_number!(b, B => by_destination!(to, D => binary::<T, O, D, A, B>)))
}
