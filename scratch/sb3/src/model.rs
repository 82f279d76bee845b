//! The project as Scratch stores it: targets, blocks, variables, media.
//!
//! Nothing here runs. Order is kept wherever the machine can observe it: targets,
//! blocks (in JavaScript's key order), inputs, variables and lists.

use std::sync::Arc;

use crate::Opcode;

/// A Scratch project, read from `.sb3`, an unpacked folder or `.sb2`.
#[derive(Clone, Debug)]
pub struct Project {
    /// Stage and sprites in file order; [`Project::stage`] finds the stage.
    pub targets: Vec<Target>,
    /// Watchers on the stage, in file order.
    pub monitors: Vec<Monitor>,
    /// Extension ids that the file declares.
    pub extensions: Vec<Arc<str>>,
    /// Costume and sound files, shared between copies of the project.
    pub assets: Arc<[Asset]>,
    /// What the reader noticed but could live with (unknown blocks, missing media).
    pub warnings: Vec<Warning>,
}

/// The position of a block in [`Target::blocks`].
pub type BlockIndex = u32;

/// The number of a block in the whole project: blocks are numbered through all
/// targets in file order, see [`Target::first_block`]. Copies that only relink
/// blocks (mutants) keep the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockNo(pub u32);

impl Project {
    /// The stage's position in `targets`.
    pub fn stage(&self) -> usize {
        self.targets.iter().position(|t| t.is_stage).unwrap_or(0)
    }

    /// How many blocks all targets have together (menus and reporters included,
    /// inline literals not).
    pub fn block_count(&self) -> usize {
        self.targets.last().map_or(0, |t| t.first_block as usize + t.blocks.len())
    }

    /// The target and the index within it of a block number.
    pub fn locate(&self, no: BlockNo) -> (usize, BlockIndex) {
        let target = self.targets.partition_point(|t| t.first_block <= no.0) - 1;
        (target, no.0 - self.targets[target].first_block)
    }
}

/// The stage or a sprite.
#[derive(Clone, Debug)]
pub struct Target {
    /// True for the stage.
    pub is_stage: bool,
    /// Name, unique among sprites after loading.
    pub name: Arc<str>,
    /// Scalars in file order.
    pub variables: Vec<Variable>,
    /// Lists in file order.
    pub lists: Vec<List>,
    /// Messages (id, name) in file order.
    pub broadcasts: Vec<(Arc<str>, Arc<str>)>,
    /// Blocks in JavaScript key order: canonical array indices ascending first, then file order.
    pub blocks: Vec<Block>,
    /// The project-wide number of `blocks[0]`.
    pub first_block: u32,
    /// Index of the costume shown first, clamped to the costumes; may be fractional in odd files.
    pub current_costume: f64,
    /// Costumes (backdrops for the stage), names unique.
    pub costumes: Vec<Costume>,
    /// Sounds.
    pub sounds: Vec<Sound>,
    /// Percent.
    pub volume: f64,
    /// Drawing order, ascending from the back.
    pub layer_order: f64,
    /// Beats a minute (stage only).
    pub tempo: f64,
    /// Stage units; 0 for the stage, as all that follow to `rotation_style`.
    pub x: f64,
    /// Stage units, up.
    pub y: f64,
    /// Percent.
    pub size: f64,
    /// Degrees, 90 is right, taken verbatim.
    pub direction: f64,
    /// Shown?
    pub visible: bool,
    /// Can be dragged in the player?
    pub draggable: bool,
    /// How the costume follows the direction.
    pub rotation_style: RotationStyle,
}

impl Target {
    /// The indices of the blocks on top of scripts, in script order.
    pub fn scripts(&self) -> impl Iterator<Item = BlockIndex> + '_ {
        (0..self.blocks.len() as u32).filter(|&b| self.blocks[b as usize].top_level)
    }

    /// The project-wide number of a block of this target.
    pub fn number(&self, block: BlockIndex) -> BlockNo {
        BlockNo(self.first_block + block)
    }
}

/// How a costume follows the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RotationStyle {
    /// Turned by the direction.
    #[default]
    AllAround,
    /// Mirrored when the direction is negative.
    LeftRight,
    /// Never turned.
    DontRotate,
}

/// A JSON scalar with its type kept: `"10"` and `10` differ in Scratch.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A JSON number.
    Number(f64),
    /// A JSON string.
    Text(Arc<str>),
    /// A JSON boolean.
    Bool(bool),
}

/// A scalar variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Key in the file.
    pub id: Arc<str>,
    /// Name shown.
    pub name: Arc<str>,
    /// Value at the start.
    pub value: Value,
    /// Stored on the server in the original; local here.
    pub cloud: bool,
}

/// A list variable.
#[derive(Clone, Debug)]
pub struct List {
    /// Key in the file.
    pub id: Arc<str>,
    /// Name shown.
    pub name: Arc<str>,
    /// Items at the start.
    pub items: Vec<Value>,
}

/// One block. Shadow menus are blocks; inline literals are not.
#[derive(Clone, Debug)]
pub struct Block {
    /// Key in the file, unique in its target.
    pub id: Arc<str>,
    /// What it does.
    pub opcode: Opcode,
    /// The original opcode of an [`Opcode::Unknown`] block.
    pub unknown: Option<Arc<str>>,
    /// The block below.
    pub next: Option<BlockIndex>,
    /// The block above or around.
    pub parent: Option<BlockIndex>,
    /// Inputs in file order, which is their order of evaluation.
    pub inputs: Vec<Input>,
    /// Fields in file order.
    pub fields: Vec<Field>,
    /// True for menus and defaults that stand in for an input.
    pub shadow: bool,
    /// True at the top of a script.
    pub top_level: bool,
    /// Custom-block data.
    pub mutation: Option<Mutation>,
}

impl Block {
    /// The opcode as the file spells it.
    pub fn opcode_name(&self) -> &str {
        self.unknown.as_deref().unwrap_or_else(|| self.opcode.name())
    }

    /// The input of that name.
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|i| &*i.name == name)
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| &*f.name == name)
    }

    /// The first block of a C-shaped branch: `SUBSTACK` (1) or `SUBSTACK2` (2).
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
    /// What is plugged in: what counts.
    pub block: Slot,
    /// The default beneath; equal to `block` when nothing covers it.
    pub shadow: Slot,
}

/// What fills an input.
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
    /// Number, text, angle, colour: codes 4 to 10.
    Value {
        /// The menu-like opcode that it stands for (`math_number`, `text`, `colour_picker`, ...).
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

/// A named field: a value chosen from a menu on the block itself.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name, such as `VARIABLE` or `KEY_OPTION`.
    pub name: Arc<str>,
    /// The chosen value.
    pub value: Value,
    /// The id of the variable, list or message chosen.
    pub id: Option<Arc<str>>,
}

impl Field {
    /// The value as text; numbers and booleans never occur in files that Scratch wrote.
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
        /// The signature, which is the custom block's identity.
        proccode: Arc<str>,
        /// Ids of the arguments.
        ids: Vec<Arc<str>>,
        /// Names of the arguments, same order.
        names: Vec<Arc<str>>,
        /// Defaults of the arguments, same order; may be shorter.
        defaults: Vec<Value>,
        /// Run without screen refresh.
        warp: bool,
    },
    /// `procedures_call`.
    Call {
        /// The signature called.
        proccode: Arc<str>,
    },
    /// Cannot be parsed: the block fails when it runs, for this reason.
    Invalid(Arc<str>),
}

/// A costume or backdrop.
#[derive(Clone, Debug)]
pub struct Costume {
    /// Unique within its target.
    pub name: Arc<str>,
    /// Position in [`Project::assets`]; none if the file lacks the image.
    pub asset: Option<u32>,
    /// Vector or bitmap, by the extension of `md5ext`.
    pub vector: bool,
    /// 1 or 2 for bitmaps; any other value and none count as 2.
    pub bitmap_resolution: Option<f64>,
    /// Rotation centre in image units; none: the centre of the image.
    pub rotation_center: Option<(f64, f64)>,
}

/// A sound.
#[derive(Clone, Debug)]
pub struct Sound {
    /// Name, not necessarily unique.
    pub name: Arc<str>,
    /// Position in [`Project::assets`]; none if the file lacks the sound.
    pub asset: Option<u32>,
    /// Samples a second.
    pub rate: f64,
    /// Samples.
    pub sample_count: f64,
}

impl Sound {
    /// Length in seconds; 0 when the entry has no usable rate.
    pub fn seconds(&self) -> f64 {
        let s = self.sample_count / self.rate;
        if s.is_finite() && s > 0.0 { s } else { 0.0 }
    }
}

/// A media file of the project.
#[derive(Clone, Debug)]
pub struct Asset {
    /// File name within the archive, `ID.EXTENSION`.
    pub name: Arc<str>,
    /// Contents.
    pub bytes: Arc<[u8]>,
}

/// A watcher on the stage.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Key: the id of the variable or list, or an opcode-like id.
    pub id: Arc<str>,
    /// What it shows.
    pub opcode: Opcode,
    /// The sprite that owns it; none: global.
    pub sprite: Option<Arc<str>>,
    /// Field values by name (`VARIABLE`, `LIST`, `CURRENTMENU`, ...).
    pub params: Vec<(Arc<str>, Arc<str>)>,
    /// Shown?
    pub visible: bool,
}

/// Something odd about a project that does not stop it from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A block with an opcode that is not known; it does nothing.
    UnknownBlock {
        /// Owner.
        target: Arc<str>,
        /// Block id.
        block: Arc<str>,
        /// Its opcode.
        opcode: Arc<str>,
    },
    /// A costume or sound whose file is missing.
    MissingAsset {
        /// Owner.
        target: Arc<str>,
        /// The costume or sound.
        name: Arc<str>,
        /// The file looked for.
        file: Arc<str>,
    },
    /// Anything else, in words.
    Other(Arc<str>),
}
