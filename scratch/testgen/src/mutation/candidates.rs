//! Where the operators apply.

use std::sync::Arc;

use catherd_sb3::{Block, BlockIndex, Literal, Opcode, Project, Slot, Target};
use catherd_search::Stream;

use super::Operator;
use super::mutant::{Above, Edit, KEY, Mutant, Via};
use crate::compat::Compat;
use crate::graph::statement::is_statement;

/// The keys that replace others (Whisker's list, which lacks *enter*).
const KEYS: [&str; 42] = [
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "h",
    "i",
    "j",
    "k",
    "l",
    "m",
    "n",
    "o",
    "p",
    "q",
    "r",
    "s",
    "t",
    "u",
    "v",
    "w",
    "x",
    "y",
    "z",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "space",
    "left arrow",
    "up arrow",
    "right arrow",
    "down arrow",
    "any",
];

/// The inputs in which a condition is negated.
const CONDITIONS: [&str; 5] =
    ["CONDITION", "OPERAND", "TOUCHINGOBJECTMENU", "OPERAND1", "OPERAND2"];

/// All mutants of a project by these operators: operators in the order of the paper's table,
/// blocks in file order, loose scripts included. What an operator puts in place of something
/// is drawn from a stream of its own, so it does not depend on the other operators.
pub fn mutants(
    project: &Project,
    operators: &[Operator],
    compat: Compat,
    seed: u64,
) -> Vec<Mutant> {
    let scripts: Vec<Links> = project.targets.iter().map(Links::new).collect();
    let mut mutants = Vec::new();
    for operator in Operator::ALL.into_iter().filter(|o| operators.contains(o)) {
        let stream = Stream::new(seed, Stream::MUTATION + operator as u64);
        let mut finder = Finder { project, compat, stream, found: &mut mutants };
        for (target, links) in project.targets.iter().zip(&scripts) {
            for index in 0..target.blocks.len() as BlockIndex {
                finder.visit(operator, target, links, index);
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
    fn visit(&mut self, operator: Operator, target: &Target, links: &Links, index: BlockIndex) {
        let block = &target.blocks[index as usize];
        let above = links.0[index as usize];
        if operator == Operator::Vrm {
            return self.variables(target, links, index);
        }
        let edit = match operator {
            Operator::Krm => self.other_key(block).map(Edit::Key),
            Operator::Sbd => above.filter(|_| is_deletable(block)).map(Edit::Unlink),
            Operator::Sdm => (is_hat(block.opcode) && block.next.is_some()).then_some(Edit::Behead),
            Operator::Aor => self.other(block.opcode, &ARITHMETIC).map(Edit::Replace),
            Operator::Lor => self.other(block.opcode, &LOGICAL).map(Edit::Replace),
            Operator::Ror => self.other(block.opcode, &RELATIONAL).map(Edit::Replace),
            Operator::Ncm => above.and_then(|above| self.negation(target, block, above)),
            Operator::Vrm => None,
        };
        if let Some(edit) = edit {
            self.push(operator, target, links, index, edit);
        }
    }

    fn push(
        &mut self,
        operator: Operator,
        target: &Target,
        links: &Links,
        index: BlockIndex,
        edit: Edit,
    ) {
        let [block, statement, script] =
            [index, links.statement(target, index), links.script(index)]
                .map(|index| target.number(index));
        self.found.push(Mutant { operator, block, statement, script, edit });
    }

    fn other_key(&mut self, block: &Block) -> Option<&'static str> {
        let old = block.field(KEY)?.text();
        let others: Vec<_> =
            KEYS.into_iter().filter(|key| !key.eq_ignore_ascii_case(old)).collect();
        Some(*self.stream.pick(&others))
    }

    /// Another operator of the same kind, if the block is of the kind.
    fn other(&mut self, opcode: Opcode, kind: &[Opcode]) -> Option<Opcode> {
        if !kind.contains(&opcode) {
            return None;
        }
        let others: Vec<_> = kind.iter().copied().filter(|&other| other != opcode).collect();
        Some(*self.stream.pick(&others))
    }

    fn negation(&mut self, target: &Target, block: &Block, above: Above) -> Option<Edit> {
        let Via::Input(input) = above.via else { return None };
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

    /// The variables that the inputs of a block hold, and the block if it reports one.
    fn variables(&mut self, target: &Target, links: &Links, index: BlockIndex) {
        let block = &target.blocks[index as usize];
        if block.opcode == Opcode::DataVariable
            && matches!(links.0[index as usize], Some(Above { via: Via::Input(_), .. }))
            && let Some(field) = block.field("VARIABLE")
            && let Some((name, id)) = self.other_variable(target, field.id.as_deref(), field.text())
        {
            let edit = Edit::Variable { input: None, name, id };
            self.push(Operator::Vrm, target, links, index, edit);
        }
        for (number, input) in block.inputs.iter().enumerate() {
            if let Slot::Literal(Literal::Variable { name, id }) = &input.block
                && let Some((name, id)) = self.other_variable(target, Some(id), name)
            {
                let edit = Edit::Variable { input: Some(number), name, id };
                self.push(Operator::Vrm, target, links, index, edit);
            }
        }
    }

    /// Another variable that the target can read: the stage's or its own.
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
        // Blocks that name a variable by an unknown id mean the one of that name.
        let by_id = id.filter(|&id| known.clone().any(|variable| *variable.id == *id));
        let is_other = |variable: &&catherd_sb3::Variable| match by_id {
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

/// The hats that [`Operator::Sdm`] beheads and [`Operator::Sbd`] leaves alone.
fn is_hat(opcode: Opcode) -> bool {
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

/// Commands that are neither hats nor branch. Loops that the palette does not show count as
/// plain blocks.
fn is_deletable(block: &Block) -> bool {
    use Opcode::*;
    is_statement(block.opcode)
        && !block.shadow
        && !is_hat(block.opcode)
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

/// Reporters of conditions, *not* and *list contains* excepted.
fn is_condition(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        SensingTouchingObject
            | SensingTouchingColor
            | SensingColorIsTouchingColor
            | SensingKeyPressed
            | SensingMouseDown
            | OperatorContains
            | OperatorAnd
            | OperatorOr
            | OperatorLt
            | OperatorGt
            | OperatorEquals
    )
}

/// What leads to each block of a target, found by following links forward, for nobody else
/// reads the links back. If there are several, the first in file order.
struct Links(Vec<Option<Above>>);

impl Links {
    fn new(target: &Target) -> Self {
        let mut links = Self(vec![None; target.blocks.len()]);
        for (block, index) in target.blocks.iter().zip(0..) {
            links.note(block.next, Above { block: index, via: Via::Next });
            for (number, input) in block.inputs.iter().enumerate() {
                let held = |slot: &Slot| match slot {
                    Slot::Block(block) => Some(*block),
                    _ => None,
                };
                links.note(held(&input.block), Above { block: index, via: Via::Input(number) });
                links.note(held(&input.shadow), Above { block: index, via: Via::Covered(number) });
            }
        }
        links
    }

    fn note(&mut self, block: Option<BlockIndex>, above: Above) {
        let known = block.and_then(|block| self.0.get_mut(block as usize));
        if let Some(known) = known {
            known.get_or_insert(above);
        }
    }

    /// The block above or around a block.
    fn parent(&self, index: BlockIndex) -> Option<Above> {
        self.0[index as usize]
    }

    /// The statement of which the block is an operand, or the block itself. The reader of
    /// projects has made sure that links have no cycles.
    fn statement(&self, target: &Target, index: BlockIndex) -> BlockIndex {
        let mut statement = index;
        while let Some(Above { block, via: Via::Input(input) | Via::Covered(input) }) =
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
