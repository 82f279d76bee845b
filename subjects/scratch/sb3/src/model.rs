//! Model of a project, as in the project format.

use std::sync::Arc;

use crate::Opcode;

/// A Scratch project.
#[derive(Clone, Debug)]
pub struct Project {
    /// Stage and sprites; [`Project::stage`] finds the stage.
    pub targets: Vec<Target>,
    /// Monitors on the stage.
    pub monitors: Vec<Monitor>,
    /// Extension ids that the file declares; for Scratch 2, extensions to which blocks belong.
    pub extensions: Vec<Arc<str>>,
    /// Costume and sound files, shared between copies of the project.
    pub assets: Arc<[Asset]>,
    /// Defects that do not prevent the project from running, such as unknown blocks and missing
    /// media.
    pub warnings: Vec<Warning>,
}

/// The position of a block in [`Target::blocks`].
pub type BlockIndex = u32;

/// The number of a block in the whole project. Blocks of all targets are numbered consecutively
/// (see [`Target::first_block`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockNo(pub u32);

impl Project {
    /// The stage's position in `targets`.
    pub fn stage(&self) -> usize {
        self.targets.iter().position(|t| t.is_stage).unwrap_or(0)
    }

    /// Number of blocks of all targets, including menus and reporters, without inline literals.
    pub fn block_count(&self) -> usize {
        self.targets.last().map_or(0, |t| t.first_block as usize + t.blocks.len())
    }

    /// The target of a block, and the index of the block in this target.
    pub fn locate(&self, no: BlockNo) -> (usize, BlockIndex) {
        let target = self.targets.partition_point(|t| t.first_block <= no.0) - 1;
        (target, no.0 - self.targets[target].first_block)
    }
}

/// The stage or a sprite.
#[derive(Clone, Debug)]
pub struct Target {
    /// Whether this is the stage.
    pub is_stage: bool,
    /// Name, usually unique among sprites.
    pub name: Arc<str>,
    /// Scalars, in the order of Scratch.
    pub variables: Vec<Variable>,
    /// Lists, in the order of Scratch.
    pub lists: Vec<List>,
    /// Messages (id, name), in the order of Scratch.
    pub broadcasts: Vec<(Arc<str>, Arc<str>)>,
    /// Blocks, in the order in which JavaScript enumerates their ids.
    pub blocks: Vec<Block>,
    /// The project-wide number of `blocks[0]`.
    pub first_block: u32,
    /// Index of the initial costume, clamped to the costumes; may be fractional.
    pub current_costume: f64,
    /// Costumes (backdrops for the stage), with unique names.
    pub costumes: Vec<Costume>,
    /// Sounds.
    pub sounds: Vec<Sound>,
    /// Volume in percent.
    pub volume: f64,
    /// Position in the drawing order, ascending from the back.
    pub layer_order: f64,
    /// Tempo in beats per minute (stage only).
    pub tempo: f64,
    /// Horizontal position in stage units. This field and the following fields have no meaning for
    /// the stage.
    pub x: f64,
    /// Vertical position in stage units, upwards.
    pub y: f64,
    /// Size in percent.
    pub size: f64,
    /// Direction in degrees as in the file; 90 is right.
    pub direction: f64,
    /// Whether the sprite is visible.
    pub visible: bool,
    /// Whether the sprite can be dragged in the player.
    pub draggable: bool,
    /// How the costume turns with the direction.
    pub rotation_style: RotationStyle,
}

impl Target {
    /// The indices of the top blocks, in ascending order.
    pub fn scripts(&self) -> impl Iterator<Item = BlockIndex> + '_ {
        (0..self.blocks.len() as u32).filter(|&b| self.blocks[b as usize].top_level)
    }

    /// The project-wide number of a block of this target.
    pub fn number(&self, block: BlockIndex) -> BlockNo {
        BlockNo(self.first_block + block)
    }
}

/// How a costume turns with the direction of its sprite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RotationStyle {
    /// Rotated according to the direction.
    #[default]
    AllAround,
    /// Mirrored when the direction is negative.
    LeftRight,
    /// Never rotated.
    DontRotate,
}

/// A JSON scalar with its type, because `"10"` and `10` differ in Scratch.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A JSON number.
    Number(f64),
    /// A string.
    Text(Arc<str>),
    /// A JSON boolean.
    Bool(bool),
}

/// A scalar variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Id in the format of Scratch 3.
    pub id: Arc<str>,
    /// Displayed name.
    pub name: Arc<str>,
    /// Initial value.
    pub value: Value,
    /// Whether Scratch stores the variable on a server.
    pub cloud: bool,
}

/// A list variable.
#[derive(Clone, Debug)]
pub struct List {
    /// Id in the format of Scratch 3.
    pub id: Arc<str>,
    /// Displayed name.
    pub name: Arc<str>,
    /// Initial items.
    pub items: Vec<Value>,
}

/// A block. Shadow menus are blocks, but inline literals are not.
#[derive(Clone, Debug)]
pub struct Block {
    /// Id, unique in its target.
    pub id: Arc<str>,
    /// Operation of the block.
    pub opcode: Opcode,
    /// The original opcode of an [`Opcode::Unknown`] block; `None` for other blocks.
    pub unknown: Option<Arc<str>>,
    /// The block below.
    pub next: Option<BlockIndex>,
    /// The block above or around this block.
    pub parent: Option<BlockIndex>,
    /// Inputs in their order of evaluation.
    pub inputs: Vec<Input>,
    /// Fields of the block.
    pub fields: Vec<Field>,
    /// Whether the block is a shadow, such as a menu.
    pub shadow: bool,
    /// Whether the block is at the top of a script.
    pub top_level: bool,
    /// Custom-block data of a prototype or a call.
    pub mutation: Option<Mutation>,
}

impl Block {
    /// The opcode as Scratch 3 writes it.
    pub fn opcode_name(&self) -> &str {
        self.unknown.as_deref().unwrap_or_else(|| self.opcode.name())
    }

    /// The input with this name.
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|i| &*i.name == name)
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| &*f.name == name)
    }

    /// The first block in a branch: `SUBSTACK` (1) or `SUBSTACK2` (2).
    pub fn substack(&self, which: usize) -> Option<BlockIndex> {
        match self.input(if which == 1 { "SUBSTACK" } else { "SUBSTACK2" })?.block {
            Slot::Block(b) => Some(b),
            _ => None,
        }
    }
}

/// A named input of a block.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name, such as `STEPS` or `SUBSTACK`.
    pub name: Arc<str>,
    /// The current content of the input.
    pub block: Slot,
    /// The default content, which `block` may cover.
    pub shadow: Slot,
}

/// Content of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Slot {
    /// Nothing, or a reference to a block that does not exist.
    Empty,
    /// A block of the same target.
    Block(BlockIndex),
    /// An inline primitive.
    Literal(Literal),
}

/// An inline primitive of the project format.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A number, text, angle or colour: codes 4 to 10.
    Value {
        /// The opcode of the corresponding shadow block (`math_number`, `text`, `colour_picker`,
        /// ...).
        opcode: Opcode,
        /// The value with its JSON type.
        value: Value,
    },
    /// A message menu, code 11.
    Broadcast {
        /// Message name.
        name: Arc<str>,
        /// Message id.
        id: Arc<str>,
    },
    /// A variable reporter, code 12.
    Variable {
        /// Variable name.
        name: Arc<str>,
        /// Variable id.
        id: Arc<str>,
    },
    /// A list reporter, code 13.
    List {
        /// List name.
        name: Arc<str>,
        /// List id.
        id: Arc<str>,
    },
}

/// A named field, such as a value chosen from a menu on the block itself.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name, such as `VARIABLE` or `KEY_OPTION`.
    pub name: Arc<str>,
    /// The chosen value.
    pub value: Value,
    /// The id of the chosen variable, list or message.
    pub id: Option<Arc<str>>,
}

impl Field {
    /// The value if it is a string; otherwise empty.
    pub fn text(&self) -> &str {
        match &self.value {
            Value::Text(t) => t,
            _ => "",
        }
    }
}

/// Custom-block data of a prototype or a call.
#[derive(Clone, Debug)]
pub enum Mutation {
    /// `procedures_prototype`.
    Prototype {
        /// The signature, which identifies the custom block.
        proccode: Arc<str>,
        /// Ids of the arguments.
        ids: Vec<Arc<str>>,
        /// Names of the arguments.
        names: Vec<Arc<str>>,
        /// Defaults of the arguments.
        defaults: Vec<Value>,
        /// Whether the custom block runs without screen refresh.
        warp: bool,
    },
    /// `procedures_call`.
    Call {
        /// The signature called.
        proccode: Arc<str>,
    },
    /// Malformed data, with a description of the defect.
    Invalid(Arc<str>),
}

/// A costume or backdrop.
#[derive(Clone, Debug)]
pub struct Costume {
    /// Name, unique within the target.
    pub name: Arc<str>,
    /// Index in [`Project::assets`]; `None` if the image is missing or damaged.
    pub asset: Option<u32>,
    /// Whether this is a vector image instead of a bitmap.
    pub vector: bool,
    /// Number of pixels of a bitmap for each stage unit.
    pub bitmap_resolution: Option<f64>,
    /// Rotation centre in the coordinates of the image; `None` for the centre of the image.
    pub rotation_center: Option<(f64, f64)>,
}

/// A sound.
#[derive(Clone, Debug)]
pub struct Sound {
    /// Name, not necessarily unique.
    pub name: Arc<str>,
    /// Index in [`Project::assets`]; `None` if the sound is missing or damaged.
    pub asset: Option<u32>,
    /// Samples per second.
    pub rate: f64,
    /// Number of samples.
    pub sample_count: f64,
}

impl Sound {
    /// Duration in seconds; 0 if the quotient of sample count and rate is not positive and finite.
    pub fn seconds(&self) -> f64 {
        let s = self.sample_count / self.rate;
        if s.is_finite() && s > 0.0 { s } else { 0.0 }
    }
}

/// A media file of the project.
#[derive(Clone, Debug)]
pub struct Asset {
    /// File name within the archive.
    pub name: Arc<str>,
    /// Contents.
    pub bytes: Arc<[u8]>,
}

/// A monitor on the stage.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Id of the monitor.
    pub id: Arc<str>,
    /// Opcode of the shown reporter.
    pub opcode: Opcode,
    /// The sprite that owns the monitor; `None` for a global monitor.
    pub sprite: Option<Arc<str>>,
    /// Field values by name (`VARIABLE`, `LIST`, `CURRENTMENU`, ...).
    pub params: Vec<(Arc<str>, Arc<str>)>,
    /// Whether the monitor is visible.
    pub visible: bool,
}

/// A defect that does not prevent a project from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A block with an unknown opcode, which does nothing.
    UnknownBlock {
        /// Target that contains the block.
        target: Arc<str>,
        /// Id or position of the block.
        block: Arc<str>,
        /// Opcode of the block.
        opcode: Arc<str>,
    },
    /// A costume or sound whose file is missing or damaged.
    MissingAsset {
        /// Target that contains the costume or sound.
        target: Arc<str>,
        /// Name of the costume or sound.
        name: Arc<str>,
        /// Name of the file.
        file: Arc<str>,
    },
    /// Description of a defect of a different kind.
    Other(Arc<str>),
}
