//! The variables and lists that the loops of a unit probably read and write most often.

use super::unit::{Unit, is_variable, parts};
use crate::linear::form::{Form, Instruction, ListNo, Operand};

/// Maximum number of variables whose numbers are kept.
const MAX_VARIABLES: usize = 8;

/// Maximum number of lists whose places are kept.
const MAX_LISTS: usize = 4;

/// The most frequent variables and lists, in descending order of estimated frequency.
#[derive(Default)]
pub(super) struct Frequent {
    pub(super) variables: Vec<Operand>,
    pub(super) lists: Vec<ListNo>,
}

impl Frequent {
    pub(super) fn new(form: &Form, unit: &Unit) -> Frequent {
        let instructions = &form.instructions[unit.first..unit.end];
        let (mut variables, mut lists) = (Vec::new(), Vec::new());
        let depths = depths(instructions, unit.first);
        for (instruction, depth) in instructions.iter().zip(depths).filter(|(_, depth)| *depth > 0)
        {
            let weight = 8_u64.pow(depth.min(6));
            let (operands, of_lists) = parts(form, instruction);
            for operand in operands.into_iter().flatten().filter(|operand| is_variable(*operand)) {
                add(&mut variables, operand, weight);
            }
            for list in of_lists.into_iter().flatten() {
                add(&mut lists, list, weight);
            }
        }
        Frequent { variables: first(variables, MAX_VARIABLES), lists: first(lists, MAX_LISTS) }
    }
}

/// For each instruction, the number of loops around it.
pub(super) fn depths(instructions: &[Instruction], first: usize) -> Vec<u32> {
    let mut depths = vec![0; instructions.len()];
    for (at, instruction) in instructions.iter().enumerate() {
        if let Instruction::Again { head: to } | Instruction::CountAgain { body: to, .. } =
            instruction
            && let Some(begin) = (*to as usize).checked_sub(first)
            && begin <= at
        {
            depths[begin..=at].iter_mut().for_each(|depth| *depth += 1);
        }
    }
    depths
}

fn add<X: PartialEq>(weights: &mut Vec<(X, u64)>, item: X, weight: u64) {
    match weights.iter_mut().find(|(known, _)| *known == item) {
        Some((_, sum)) => *sum += weight,
        None => weights.push((item, weight)),
    }
}

fn first<X>(mut weights: Vec<(X, u64)>, count: usize) -> Vec<X> {
    weights.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    weights.into_iter().take(count).map(|(item, _)| item).collect()
}
