//! Mutation sites: the blocks and inputs to which the operators apply.

use std::sync::Arc;

use catherd_scratch_sb3::{Block, BlockIndex, Literal, Opcode, Project, Slot, Target};
use catherd_scratch_suite::goals::statement::is_statement;
use catherd_search::Stream;

use crate::mutant::{Edit, KEY, Link, Mutant, Predecessor};
use crate::operator::Operator;

/// The keys that replace other keys: Whisker's list, which does not contain *enter*.
#[rustfmt::skip]
const KEYS: [&str; 42] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r",
    "s", "t", "u", "v", "w", "x", "y", "z", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9",
    "space", "left arrow", "up arrow", "right arrow", "down arrow", "any",
];

/// The inputs in which a condition is negated.
const CONDITIONS: [&str; 5] =
    ["CONDITION", "OPERAND", "TOUCHINGOBJECTMENU", "OPERAND1", "OPERAND2"];

/// Peculiarities of Whisker's published code in the creation of mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compat {
    /// If a block has two operands, the position of the negated operand is drawn at random.
    pub ncm_coin: bool,
    /// Only variables of the stage replace other variables.
    pub vrm_stage_only: bool,
}

/// All mutants that these operators create for a project, in the order of [`Operator::ALL`] and
/// then of the blocks. The replacements of an operator do not depend on the other operators.
pub fn mutants(
    project: &Project,
    operators: &[Operator],
    compat: Compat,
    seed: u64,
) -> Vec<Mutant> {
    let scripts: Vec<Predecessors> = project.targets.iter().map(Predecessors::new).collect();
    let mut mutants = Vec::new();
    for operator in Operator::ALL.into_iter().filter(|o| operators.contains(o)) {
        let stream = Stream::new(seed, Stream::MUTATION + operator as u64);
        let mut finder = Finder { project, compat, stream, found: &mut mutants };
        for (target, predecessors) in project.targets.iter().zip(&scripts) {
            for index in 0..target.blocks.len() as BlockIndex {
                finder.visit(operator, target, predecessors, index);
            }
        }
    }
    mutants
}

struct Finder<'a> {
    project: &'a Project,
    compat: Compat,
    stream: Stream,
    found: &'a mut Vec<Mutant>,
}

impl Finder<'_> {
    fn visit(
        &mut self,
        operator: Operator,
        target: &Target,
        predecessors: &Predecessors,
        index: BlockIndex,
    ) {
        let block = &target.blocks[index as usize];
        let above = predecessors.0[index as usize];
        if operator == Operator::Vrm {
            return self.variables(target, predecessors, index);
        }
        let edit = match operator {
            Operator::Krm => self.other_key(block).map(Edit::Key),
            Operator::Sbd => above.filter(|_| is_deletable(block)).map(Edit::Unlink),
            Operator::Sdm => {
                (is_whisker_hat(block.opcode) && block.next.is_some()).then_some(Edit::RemoveBody)
            }
            Operator::Aor => self.other(block.opcode, &ARITHMETIC).map(Edit::Replace),
            Operator::Lor => self.other(block.opcode, &LOGICAL).map(Edit::Replace),
            Operator::Ror => self.other(block.opcode, &RELATIONAL).map(Edit::Replace),
            Operator::Ncm => above.and_then(|above| self.negation(target, block, above)),
            Operator::Vrm => None,
        };
        if let Some(edit) = edit {
            self.push(operator, target, predecessors, index, edit);
        }
    }

    fn push(
        &mut self,
        operator: Operator,
        target: &Target,
        predecessors: &Predecessors,
        index: BlockIndex,
        edit: Edit,
    ) {
        let [block, statement, script] =
            [index, predecessors.statement(target, index), predecessors.script(index)]
                .map(|index| target.number(index));
        self.found.push(Mutant { operator, block, statement, script, edit });
    }

    fn other_key(&mut self, block: &Block) -> Option<&'static str> {
        let old = block.field(KEY)?.text();
        let others: Vec<_> =
            KEYS.into_iter().filter(|key| !key.eq_ignore_ascii_case(old)).collect();
        Some(*self.stream.pick(&others))
    }

    fn other(&mut self, opcode: Opcode, group: &[Opcode]) -> Option<Opcode> {
        if !group.contains(&opcode) {
            return None;
        }
        let others: Vec<_> = group.iter().copied().filter(|&other| other != opcode).collect();
        Some(*self.stream.pick(&others))
    }

    fn negation(&mut self, target: &Target, block: &Block, above: Predecessor) -> Option<Edit> {
        let Link::Input(input) = above.link else { return None };
        let holder = &target.blocks[above.block as usize];
        let name = &*holder.inputs[input].name;
        if !is_condition(block.opcode) || !CONDITIONS.contains(&name) {
            return None;
        }
        let place = |name| holder.inputs.iter().position(|input| &*input.name == name);
        let input = match (place("OPERAND1"), place("OPERAND2")) {
            (Some(first), Some(second)) if self.compat.ncm_coin => {
                *self.stream.pick(&[first, second])
            }
            _ => input,
        };
        Some(Edit::Negate(above.block, input))
    }

    fn variables(&mut self, target: &Target, predecessors: &Predecessors, index: BlockIndex) {
        let block = &target.blocks[index as usize];
        if block.opcode == Opcode::DataVariable
            && matches!(
                predecessors.0[index as usize],
                Some(Predecessor { link: Link::Input(_), .. })
            )
            && let Some(field) = block.field("VARIABLE")
            && let Some((name, id)) = self.other_variable(target, field.id.as_deref(), field.text())
        {
            let edit = Edit::Variable { input: None, name, id };
            self.push(Operator::Vrm, target, predecessors, index, edit);
        }
        for (number, input) in block.inputs.iter().enumerate() {
            if let Slot::Literal(Literal::Variable { name, id }) = &input.block
                && let Some((name, id)) = self.other_variable(target, Some(id), name)
            {
                let edit = Edit::Variable { input: Some(number), name, id };
                self.push(Operator::Vrm, target, predecessors, index, edit);
            }
        }
    }

    fn other_variable(
        &mut self,
        target: &Target,
        id: Option<&str>,
        name: &str,
    ) -> Option<(Arc<str>, Arc<str>)> {
        let stage = &self.project.targets[self.project.stage()];
        let own =
            if target.is_stage || self.compat.vrm_stage_only { &[][..] } else { &target.variables };
        let known = stage.variables.iter().chain(own);
        // If no variable has the id in the block, the block refers to a variable by name.
        let by_id = id.filter(|&id| known.clone().any(|variable| *variable.id == *id));
        let is_other = |variable: &&catherd_scratch_sb3::Variable| match by_id {
            Some(id) => *variable.id != *id,
            None => *variable.name != *name,
        };
        let others: Vec<_> = known.filter(is_other).collect();
        if others.is_empty() {
            return None;
        }
        let other = self.stream.pick(&others);
        Some((other.name.clone(), other.id.clone()))
    }
}

const ARITHMETIC: [Opcode; 4] = [
    Opcode::OperatorAdd,
    Opcode::OperatorSubtract,
    Opcode::OperatorMultiply,
    Opcode::OperatorDivide,
];
const LOGICAL: [Opcode; 2] = [Opcode::OperatorAnd, Opcode::OperatorOr];
const RELATIONAL: [Opcode; 3] = [Opcode::OperatorEquals, Opcode::OperatorLt, Opcode::OperatorGt];

/// Whisker's list of hats contains neither the hats of extensions nor *when touching object*.
fn is_whisker_hat(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        EventWhenFlagClicked
            | EventWhenKeyPressed
            | EventWhenThisSpriteClicked
            | EventWhenStageClicked
            | EventWhenBackdropSwitchesTo
            | EventWhenGreaterThan
            | EventWhenBroadcastReceived
            | ControlStartAsClone
    )
}

fn is_deletable(block: &Block) -> bool {
    use Opcode::*;
    is_statement(block.opcode)
        && !block.shadow
        && !is_whisker_hat(block.opcode)
        && !matches!(
            block.opcode,
            ControlIf
                | ControlIfElse
                | ControlRepeat
                | ControlRepeatUntil
                | ControlForever
                | ControlWaitUntil
        )
}

fn is_condition(opcode: Opcode) -> bool {
    use Opcode::*;
    let is_excluded = matches!(
        opcode,
        OperatorNot | DataListContainsItem | SensingLoud | ArgumentReporterBoolean
    );
    opcode.is_boolean() && !is_excluded
}

/// The predecessor of each block of a target, found by following forward links, because the
/// backward links in project files are not reliable.
struct Predecessors(Vec<Option<Predecessor>>);

impl Predecessors {
    fn new(target: &Target) -> Self {
        let mut predecessors = Self(vec![None; target.blocks.len()]);
        for (block, index) in target.blocks.iter().zip(0..) {
            predecessors.note(block.next, Predecessor { block: index, link: Link::Next });
            for (number, input) in block.inputs.iter().enumerate() {
                let held = |slot: &Slot| match slot {
                    Slot::Block(block) => Some(*block),
                    _ => None,
                };
                predecessors.note(
                    held(&input.block),
                    Predecessor { block: index, link: Link::Input(number) },
                );
                predecessors.note(
                    held(&input.shadow),
                    Predecessor { block: index, link: Link::Covered(number) },
                );
            }
        }
        predecessors
    }

    fn note(&mut self, block: Option<BlockIndex>, above: Predecessor) {
        let known = block.and_then(|block| self.0.get_mut(block as usize));
        if let Some(known) = known {
            known.get_or_insert(above);
        }
    }

    fn parent(&self, index: BlockIndex) -> Option<Predecessor> {
        self.0[index as usize]
    }

    /// The loop ends because the reader of projects refuses cycles.
    fn statement(&self, target: &Target, index: BlockIndex) -> BlockIndex {
        let mut statement = index;
        while let Some(Predecessor { block, link: Link::Input(input) | Link::Covered(input) }) =
            self.parent(statement)
        {
            if target.blocks[block as usize].inputs[input].name.starts_with("SUBSTACK") {
                break;
            }
            statement = block;
        }
        statement
    }

    fn script(&self, index: BlockIndex) -> BlockIndex {
        let parents = std::iter::successors(Some(index), |&index| {
            self.parent(index).map(|above| above.block)
        });
        parents.last().unwrap_or(index)
    }
}
