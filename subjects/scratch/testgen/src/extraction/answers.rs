//! Uses of answers in a program, from which useful answers are derived.

use std::sync::Arc;

use catherd_scratch_sb3::{Block, Literal, Opcode, Project, Slot, Target};
use rustc_hash::FxHashSet;

use super::scan::literal_text;

/// Non-empty literals that `=` blocks compare with the answer or with a variable, each once, in
/// file order.
pub(super) fn compared_literals(project: &Project) -> Vec<Arc<str>> {
    let mut known = FxHashSet::default();
    let mut literals = Vec::new();
    for target in &project.targets {
        for block in target.blocks.iter().filter(|b| b.opcode == Opcode::OperatorEquals) {
            let Some((left, right)) = operands(block, "OPERAND1", "OPERAND2") else { continue };
            for (sensed, literal) in [(left, right), (right, left)] {
                if (is_answer(target, sensed) || is_variable(target, sensed))
                    && let Some(text) = literal_text(target, literal)
                    && !text.is_empty()
                    && known.insert(text.clone().into_owned())
                {
                    literals.push(text.as_ref().into());
                }
            }
        }
    }
    literals
}

pub(super) fn compares_numbers(project: &Project) -> bool {
    use Opcode::*;
    project.targets.iter().any(|target| {
        let answer = |slot: &Slot| is_answer(target, slot);
        let either = |slot: &Slot| is_answer(target, slot) || is_variable(target, slot);
        target.blocks.iter().any(|block| match block.opcode {
            OperatorLt | OperatorGt | OperatorEquals => {
                any(block, ["OPERAND1", "OPERAND2"], either)
            }
            OperatorAdd | OperatorSubtract | OperatorMultiply | OperatorDivide | OperatorMod => {
                any(block, ["NUM1", "NUM2"], answer)
            }
            OperatorRound | OperatorMathOp => any(block, ["NUM", "NUM"], answer),
            _ => false,
        })
    })
}

fn any(block: &Block, inputs: [&str; 2], test: impl Fn(&Slot) -> bool) -> bool {
    inputs.iter().any(|name| block.input(name).is_some_and(|input| test(&input.block)))
}

fn operands<'a>(block: &'a Block, left: &str, right: &str) -> Option<(&'a Slot, &'a Slot)> {
    Some((&block.input(left)?.block, &block.input(right)?.block))
}

fn is_answer(target: &Target, slot: &Slot) -> bool {
    matches!(slot, Slot::Block(b) if target.blocks[*b as usize].opcode == Opcode::SensingAnswer)
}

fn is_variable(target: &Target, slot: &Slot) -> bool {
    match slot {
        Slot::Literal(Literal::Variable { .. }) => true,
        Slot::Block(b) => target.blocks[*b as usize].opcode == Opcode::DataVariable,
        _ => false,
    }
}
