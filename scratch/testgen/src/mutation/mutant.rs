//! A mutant: one small change to the blocks of one target.

use std::sync::Arc;

use catherd_sb3::{
    Block, BlockIndex, BlockNo, Input, Literal, Opcode, Project, Slot, Target, Value,
};

use super::Operator;

/// A first-order mutant of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    /// What made it.
    pub operator: Operator,
    /// The block that the operator chose. For a variable that stands in an input without
    /// being a block of its own: the block with the input.
    pub block: BlockNo,
    /// The statement that has the block among its operands, or is it: the change cannot show
    /// before it is executed. (Except for a hat that waits for another key.)
    pub statement: BlockNo,
    /// The topmost block of the script.
    pub script: BlockNo,
    /// The change.
    pub(super) edit: Edit,
}

/// Names and words for a mutant, unique and stable for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantName {
    /// `OPERATOR:TARGET/BLOCK`, with `.INPUT` behind it for a variable in an input.
    pub id: String,
    /// The stage or sprite that owns the block.
    pub target: Arc<str>,
    /// The id of the topmost block of the script.
    pub script: Arc<str>,
    /// The id of the block.
    pub block: Arc<str>,
    /// The change for people: `key a -> key b`.
    pub change: String,
}

/// What an operator changes, positions within the target.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Edit {
    /// The block's key is another one.
    Key(&'static str),
    /// What leads to the block leads to the one below it.
    Unlink(Above),
    /// The hat has nothing below it.
    Behead,
    /// The block does something else with its operands.
    Replace(Opcode),
    /// A *not* stands between the input and the block.
    Negate(BlockIndex, usize),
    /// The block, or the variable in its input of this number, reports another variable.
    Variable { input: Option<usize>, name: Arc<str>, id: Arc<str> },
}

/// What leads to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Above {
    pub(super) block: BlockIndex,
    pub(super) via: Via,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Next,
    /// An input by its position.
    Input(usize),
    /// An input that something else covers.
    Covered(usize),
}

/// What [`Mutant::apply`] changed, to be put back.
#[derive(Debug)]
#[must_use = "the project stays mutated until this is undone"]
pub struct Undo {
    target: usize,
    blocks: Vec<(BlockIndex, Block)>,
    length: usize,
}

impl Mutant {
    /// Changes the project. Block numbers stay what they are; only reporters are added.
    ///
    /// # Panics
    /// If the mutant is of another project.
    pub fn apply(&self, project: &mut Project) -> Undo {
        let (position, index) = project.locate(self.block);
        let target = &mut project.targets[position];
        let length = target.blocks.len();
        let mut change = Change { target, before: Vec::new() };
        match &self.edit {
            Edit::Key(key) => {
                let keys = |field: &&mut catherd_sb3::Field| *field.name == *KEY;
                if let Some(field) = change.block(index).fields.iter_mut().find(keys) {
                    field.value = Value::Text((*key).into());
                }
            }
            Edit::Unlink(above) => change.unlink(index, *above),
            Edit::Behead => {
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
                let variables = |field: &&mut catherd_sb3::Field| &*field.name == "VARIABLE";
                if let Some(field) = change.block(index).fields.iter_mut().find(variables) {
                    (field.value, field.id) = (Value::Text(name.clone()), Some(id.clone()));
                }
            }
        }
        Undo { target: position, blocks: change.before, length }
    }

    /// Names for the mutant of this project, in its original state.
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
            Edit::Behead => format!("script below {opcode} deleted"),
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

/// The field and the input that name a key.
pub(super) const KEY: &str = "KEY_OPTION";

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
    /// Makes the project what it was.
    pub fn undo(self, project: &mut Project) {
        let blocks = &mut project.targets[self.target].blocks;
        blocks.truncate(self.length);
        // The first copy of a block is the oldest.
        for (index, block) in self.blocks.into_iter().rev() {
            blocks[index as usize] = block;
        }
    }
}

/// A target that is being changed.
struct Change<'a> {
    target: &'a mut Target,
    /// The blocks as they were.
    before: Vec<(BlockIndex, Block)>,
}

impl Change<'_> {
    fn block(&mut self, index: BlockIndex) -> &mut Block {
        let block = &mut self.target.blocks[index as usize];
        self.before.push((index, block.clone()));
        block
    }

    fn unlink(&mut self, index: BlockIndex, above: Above) {
        let below = {
            let block = self.block(index);
            block.parent = None;
            block.next.take()
        };
        let holder = self.block(above.block);
        match above.via {
            Via::Next => holder.next = below,
            Via::Input(input) => {
                holder.inputs[input].block = below.map_or(Slot::Empty, Slot::Block);
            }
            Via::Covered(input) => {
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
