//! The linear form of one VM: each instruction beside the function that executes it.

use catherd_sb3::BlockNo;

use super::form::{Form, Instruction, Kind, Link, Operand, Operator};
use super::handlers::*;
use super::frames::Delayed;
use super::machine::{MOST_DELAYED, Machine, Tests};
use super::operands::{Any, Number, Parameter, Register, Variable};
use crate::code::Comparison;
use crate::tracer::Tracer;
use crate::value::Value;

/// Executes an instruction, which is at the index. Returns the index of the next one.
pub(super) type Handler<T> = for<'a> fn(&mut Machine<'a, T>, &Step<T>, usize) -> usize;

/// An instruction.
pub(super) struct Step<T: Tracer> {
    pub(super) handler: Handler<T>,
    pub(super) instruction: Instruction,
    /// The block to which the instruction belongs.
    pub(super) no: BlockNo,
}

/// What the machine of one VM keeps between its stops.
pub(crate) struct Steps<T: Tracer> {
    pub(super) steps: Vec<Step<T>>,
    /// See [`Form::numbers`].
    pub(super) numbers: Vec<f64>,
    pub(super) tests: Tests,
    pub(super) delayed: [Delayed; MOST_DELAYED],
}

impl<T: Tracer> Default for Steps<T> {
    fn default() -> Steps<T> {
        Steps {
            steps: Vec::new(),
            numbers: Vec::new(),
            tests: Tests::default(),
            delayed: [Delayed::default(); MOST_DELAYED],
        }
    }
}

impl<T: Tracer> Steps<T> {
    /// Chooses the functions, once.
    #[inline]
    pub(super) fn prepare(&mut self, form: &Form) {
        if self.steps.is_empty() {
            self.choose(form);
        }
    }

    #[cold]
    fn choose(&mut self, form: &Form) {
        self.numbers = form.numbers.clone();
        self.steps = form
            .instructions
            .iter()
            .zip(&form.origins)
            .map(|(&instruction, origin)| Step {
                handler: handler(form, &instruction),
                instruction,
                no: origin.no,
            })
            .collect();
    }
}

/// Where an operand is that is read as a number.
enum From {
    Number,
    Variable,
    Parameter,
}

fn number(a: Operand) -> From {
    match a.kind() {
        Kind::Register | Kind::Constant => From::Number,
        Kind::Stage | Kind::Own => From::Variable,
        Kind::Parameter => From::Parameter,
    }
}

/// An expression for each kind of operands that are read as numbers.
macro_rules! by_number {
    ($operand:expr, $S:ident => $handler:expr) => {
        match number($operand) {
            From::Number => {
                type $S = Number;
                $handler
            }
            From::Variable => {
                type $S = Variable;
                $handler
            }
            From::Parameter => {
                type $S = Parameter;
                $handler
            }
        }
    };
}

/// An expression for each kind of operands that are read as values.
macro_rules! by_value {
    ($form:expr, $operand:expr, $S:ident => $handler:expr) => {
        match (number($operand), $operand.kind()) {
            (_, Kind::Constant) if !is_number($form, $operand) => {
                type $S = Any;
                $handler
            }
            (From::Number, _) => {
                type $S = Number;
                $handler
            }
            (From::Variable, _) => {
                type $S = Variable;
                $handler
            }
            (From::Parameter, _) => {
                type $S = Parameter;
                $handler
            }
        }
    };
}

/// An expression for each kind of operands that are written.
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

/// An expression for each comparison.
macro_rules! by_comparison {
    ($relation:expr, $C:ident => $handler:expr) => {
        match $relation.parts().0 {
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

/// Whether a constant is a number.
fn is_number(form: &Form, constant: Operand) -> bool {
    matches!(form.values[constant.index()], Value::Number(_))
}

/// The function that executes an instruction.
fn handler<T: Tracer>(form: &Form, instruction: &Instruction) -> Handler<T> {
    use Instruction::*;
    match *instruction {
        Run { count: 1, calls: false, .. } => run::<T, true, false>,
        Run { count: 1, calls: true, .. } => run::<T, true, true>,
        Run { calls: false, .. } => run::<T, false, false>,
        Run { calls: true, .. } => run::<T, false, true>,
        Leave => leave,
        Perform | Evaluate { .. } | Decide { .. } | PushValue { .. } => interpret,
        Binary { operator, to, a, b } => match operator {
            Operator::Add => binary_of::<T, Add>(to, a, b),
            Operator::Subtract => binary_of::<T, Subtract>(to, a, b),
            Operator::Multiply => binary_of::<T, Multiply>(to, a, b),
            Operator::Divide => binary_of::<T, Divide>(to, a, b),
            Operator::Modulo => binary_of::<T, Modulo>(to, a, b),
        },
        Change { b, .. } => by_number!(b, B => change::<T, B>),
        Round { to, a } => by_number!(a, A => by_destination!(to, D => round::<T, D, A>)),
        Math { to, a, .. } => by_number!(a, A => by_destination!(to, D => mathematics::<T, D, A>)),
        Item { index, .. } => by_number!(index, I => item::<T, I>),
        ListLength { to, .. } => by_destination!(to, D => list_length::<T, D>),
        Copy { a, .. } => by_value!(form, a, A => copy::<T, A>),
        CopyItem { index, .. } => by_number!(index, I => copy_item::<T, I>),
        AddToList { item, .. } => by_value!(form, item, V => add_to_list::<T, V>),
        ReplaceItem { index, item, .. } => {
            by_number!(index, I => by_value!(form, item, V => replace_item::<T, I, V>))
        }
        Jump { .. } => jump,
        Compare { relation, link: Link::Push, a, b, .. } => by_comparison!(
            relation, C => by_number!(a, A => by_number!(b, B => compare::<T, C, A, B>))
        ),
        Compare { relation, a, b, .. } => by_comparison!(
            relation, C => by_number!(a, A => by_number!(b, B => compare_linked::<T, C, A, B>))
        ),
        Test { relation, a, b, .. } => by_comparison!(
            relation, C => by_number!(a, A => by_number!(b, B => test::<T, C, A, B>))
        ),
        Combine(_) => combine,
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
        Call { site } if form.sites[site as usize].delayed > 0 => call_delayed,
        Call { .. } => call,
        Return => return_,
    }
}

fn binary_of<T: Tracer, O: Binary>(to: Operand, a: Operand, b: Operand) -> Handler<T> {
    by_number!(a, A => by_number!(b, B => by_destination!(to, D => binary::<T, O, D, A, B>)))
}
