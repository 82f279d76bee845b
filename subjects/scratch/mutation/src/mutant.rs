//! A mutant: one small change to the blocks of one target.

use std::sync::Arc;

use catherd_scratch_sb3::{
    Block, BlockIndex, BlockNo, Input, Literal, Opcode, Project, Slot, Target, Value,
};

use crate::operator::Operator;

/// A first-order mutant of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    /// The operator that created the mutant.
    pub operator: Operator,
    /// The block that the operator chose, or the block with the input for a variable that is not a
    /// separate block.
    pub block: BlockNo,
    /// The statement that is the block or contains the block as an operand.
    pub statement: BlockNo,
    /// The topmost block of the script.
    pub script: BlockNo,
    pub(crate) edit: Edit,
}

/// Names that identify and describe a mutant of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantName {
    /// `OPERATOR:TARGET/BLOCK`, followed by `.INPUT` for a variable in an input.
    pub id: String,
    /// The stage or sprite that owns the block.
    pub target: Arc<str>,
    /// The id of the topmost block of the script.
    pub script: Arc<str>,
    /// The id of the block.
    pub block: Arc<str>,
    /// Description of the change, such as `key a -> key b`.
    pub change: String,
}

/// Positions are counted within the target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// Replaces the key of the block.
    Key(&'static str),
    /// Links the block's predecessor to the block below.
    Unlink(Predecessor),
    /// Removes all blocks below the hat.
    RemoveBody,
    /// Replaces the opcode.
    Replace(Opcode),
    /// Inserts a *not* between the block and the input at this position of another block.
    Negate(BlockIndex, usize),
    /// Replaces the variable that the block reports or, if `input` is given, the variable in
    /// that input.
    Variable { input: Option<usize>, name: Arc<str>, id: Arc<str> },
}

/// The block above or around a block, and the link between the two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predecessor {
    pub(crate) block: BlockIndex,
    pub(crate) link: Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Next,
    /// The block in the input at this position.
    Input(usize),
    /// The covered shadow of the input at this position.
    Covered(usize),
}

/// The original versions of the blocks that [`Mutant::apply`] changed.
#[derive(Debug)]
#[must_use = "the project stays mutated until this is undone"]
pub struct Undo {
    target: usize,
    blocks: Vec<(BlockIndex, Block)>,
    length: usize,
}

impl Mutant {
    /// Changes the project into the mutant. The original block numbers remain valid, because blocks
    /// are only added at the end of a target.
    ///
    /// # Panics
    /// May panic if the mutant belongs to a different project.
    pub fn apply(&self, project: &mut Project) -> Undo {
        let (position, index) = project.locate(self.block);
        let target = &mut project.targets[position];
        let length = target.blocks.len();
        let mut change = Change { target, before: Vec::new() };
        match &self.edit {
            Edit::Key(key) => {
                let keys = |field: &&mut catherd_scratch_sb3::Field| *field.name == *KEY;
                if let Some(field) = change.block(index).fields.iter_mut().find(keys) {
                    field.value = Value::Text((*key).into());
                }
            }
            Edit::Unlink(above) => change.unlink(index, *above),
            Edit::RemoveBody => {
                let body = change.block(index).next.take();
                if let Some(body) = body {
                    change.block(body).parent = None;
                }
            }
            Edit::Replace(opcode) => change.block(index).opcode = *opcode,
            Edit::Negate(holder, input) => change.negate(index, *holder, *input),
            Edit::Variable { input: Some(input), name, id } => {
                let literal = Literal::Variable { name: name.clone(), id: id.clone() };
                change.block(index).inputs[*input].block = Slot::Literal(literal);
            }
            Edit::Variable { input: None, name, id } => {
                let variables =
                    |field: &&mut catherd_scratch_sb3::Field| &*field.name == "VARIABLE";
                if let Some(field) = change.block(index).fields.iter_mut().find(variables) {
                    (field.value, field.id) = (Value::Text(name.clone()), Some(id.clone()));
                }
            }
        }
        Undo { target: position, blocks: change.before, length }
    }

    /// Names of the mutant. The project must be the original.
    pub fn name(&self, project: &Project) -> MutantName {
        let (position, index) = project.locate(self.block);
        let target = &project.targets[position];
        let block = &target.blocks[index as usize];
        let inline = match self.edit {
            Edit::Variable { input: Some(input), .. } => format!(".{}", block.inputs[input].name),
            _ => String::new(),
        };
        let script = &target.blocks[project.locate(self.script).1 as usize];
        MutantName {
            id: format!("{}:{}/{}{inline}", self.operator, target.name, block.id),
            target: target.name.clone(),
            script: script.id.clone(),
            block: block.id.clone(),
            change: self.change(block),
        }
    }

    fn change(&self, block: &Block) -> String {
        let opcode = block.opcode_name();
        match &self.edit {
            Edit::Key(key) => {
                format!("key {} -> key {key}", block.field(KEY).map_or("", |field| field.text()))
            }
            Edit::Unlink(_) => format!("{opcode} deleted"),
            Edit::RemoveBody => format!("script below {opcode} deleted"),
            Edit::Replace(to) => format!("{} -> {}", symbol(block.opcode), symbol(*to)),
            Edit::Negate(..) => format!("{opcode} -> not {opcode}"),
            Edit::Variable { input, name, .. } => {
                let from = match input.map(|input| &block.inputs[input].block) {
                    Some(Slot::Literal(Literal::Variable { name, .. })) => name,
                    _ => block.field("VARIABLE").map_or("", |field| field.text()),
                };
                format!("variable {from} -> variable {name}")
            }
        }
    }
}

pub(crate) const KEY: &str = "KEY_OPTION";

fn symbol(opcode: Opcode) -> &'static str {
    use Opcode::*;
    match opcode {
        OperatorAdd => "+",
        OperatorSubtract => "-",
        OperatorMultiply => "*",
        OperatorDivide => "/",
        OperatorLt => "<",
        OperatorEquals => "=",
        OperatorGt => ">",
        OperatorAnd => "and",
        OperatorOr => "or",
        other => other.name(),
    }
}

impl Undo {
    /// Restores the original project.
    pub fn undo(self, project: &mut Project) {
        let blocks = &mut project.targets[self.target].blocks;
        blocks.truncate(self.length);
        // Undo in reverse order, because the first of several copies of a block is the original.
        for (index, block) in self.blocks.into_iter().rev() {
            blocks[index as usize] = block;
        }
    }
}

struct Change<'a> {
    target: &'a mut Target,
    before: Vec<(BlockIndex, Block)>,
}

impl Change<'_> {
    fn block(&mut self, index: BlockIndex) -> &mut Block {
        let block = &mut self.target.blocks[index as usize];
        self.before.push((index, block.clone()));
        block
    }

    fn unlink(&mut self, index: BlockIndex, above: Predecessor) {
        let below = {
            let block = self.block(index);
            block.parent = None;
            block.next.take()
        };
        let holder = self.block(above.block);
        match above.link {
            Link::Next => holder.next = below,
            Link::Input(input) => {
                holder.inputs[input].block = below.map_or(Slot::Empty, Slot::Block);
            }
            Link::Covered(input) => {
                holder.inputs[input].shadow = below.map_or(Slot::Empty, Slot::Block);
            }
        }
        if let Some(below) = below {
            self.block(below).parent = Some(above.block);
        }
    }

    fn negate(&mut self, index: BlockIndex, holder: BlockIndex, input: usize) {
        let negation = self.target.blocks.len() as BlockIndex;
        self.block(index).parent = Some(negation);
        self.block(holder).inputs[input].block = Slot::Block(negation);
        let operand =
            Input { name: "OPERAND".into(), block: Slot::Block(index), shadow: Slot::Empty };
        self.target.blocks.push(Block {
            id: format!("not {}", self.target.blocks[index as usize].id).into(),
            opcode: Opcode::OperatorNot,
            unknown: None,
            next: None,
            parent: Some(holder),
            inputs: vec![operand],
            fields: Vec::new(),
            shadow: false,
            top_level: false,
            mutation: None,
        });
    }
}
