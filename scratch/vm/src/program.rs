//! What a project is compiled to: flat tables that every machine running it shares.

use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use catherd_render::{SkinId, SkinSet};
use catherd_sb3::{BlockNo, Opcode, RotationStyle};
use rustc_hash::FxHashMap;

use crate::code::{Command, CommandId, E, Expr};
use crate::keys::KeyQuery;
use crate::text::Text;
use crate::value::Value;

/// A compiled project: immutable, shared by all machines that run it.
pub struct Program {
    pub(crate) commands: Vec<Command>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) constants: Vec<Value>,
    /// Operands that must be evaluated before a command's own, see [`Command::before`].
    pub(crate) before: Vec<E>,
    /// Arguments of custom-block calls: parameter slot (`NONE`: dropped) and value.
    pub(crate) arguments: Vec<(u32, E)>,
    /// Stage and sprites, by their position in the project.
    pub(crate) sprites: Vec<Sprite>,
    pub(crate) stage: usize,
    /// Sprites in execution order, back to front.
    pub(crate) order: Vec<u32>,
    /// The stage's messages: lower-cased name and message, in file order.
    pub(crate) broadcasts: Vec<(Text, u32)>,
    pub(crate) skins: Arc<SkinSet>,
    /// Some block asks for colours.
    pub(crate) senses_colors: bool,
    /// Edge-activated hats exist, so every step has to look at them.
    pub(crate) edge_hats: Vec<Opcode>,
    pub(crate) block_count: usize,
}

impl Program {
    /// How many blocks the project has; every [`BlockNo`] is below.
    pub fn block_count(&self) -> usize {
        self.block_count
    }

    /// The blocks that were compiled to commands: all stack blocks and hats that can run.
    pub fn commands(&self) -> impl Iterator<Item = BlockNo> + '_ {
        self.commands.iter().map(|c| c.no)
    }

    /// A number for what the program does when it runs: programs of one project and of
    /// changed copies of it that have the same number behave the same. Different numbers say
    /// nothing. Not to be kept: it may change with the release.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Fingerprint(DefaultHasher::new());
        for sprite in &self.sprites {
            // In order of scripts, for a map has none.
            let mut hats: Vec<_> = sprite.hats.iter().collect();
            hats.sort_unstable_by_key(|(_, scripts)| scripts.first());
            hasher.add(&(hats, &sprite.scripts, &sprite.procedures));
            hasher.add(&(&sprite.variables, sprite.lists.len()));
        }
        hasher.add(&(&self.commands, &self.exprs, &self.constants));
        hasher.add(&(&self.before, &self.arguments));
        hasher.0.finish()
    }

    /// The sprite (never the stage) of that name.
    pub(crate) fn sprite_named(&self, name: &Text) -> Option<usize> {
        self.sprites.iter().position(|s| !s.is_stage && s.name == *name)
    }
}

/// Hashes what a value shows of itself: everything, and floats to the last bit.
struct Fingerprint(DefaultHasher);

impl Fingerprint {
    fn add(&mut self, value: &impl fmt::Debug) {
        // The hasher takes everything.
        let _ = write!(self, "{value:?}");
    }
}

impl fmt::Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

pub(crate) struct Sprite {
    pub(crate) name: Text,
    pub(crate) is_stage: bool,
    pub(crate) variables: Vec<VariableDef>,
    pub(crate) lists: Vec<ListDef>,
    /// Never empty; shared by the programs of a project and its mutants.
    pub(crate) costumes: Arc<[Costume]>,
    pub(crate) sounds: Vec<Sound>,
    pub(crate) procedures: Vec<Procedure>,
    /// Scripts with a hat, in script order.
    pub(crate) scripts: Vec<Script>,
    /// Scripts by what starts them.
    pub(crate) hats: FxHashMap<Start, Vec<u32>>,
    pub(crate) initial: Initial,
}

#[derive(Debug)]
pub(crate) struct VariableDef {
    pub(crate) name: Text,
    /// [`Value::Undefined`] for a variable that a block names but the file lacks: it
    /// comes into being when the block first runs.
    pub(crate) value: Value,
}

pub(crate) struct ListDef {
    pub(crate) name: Text,
    pub(crate) items: Arc<Vec<Value>>,
    /// False for a list that comes into being when a block first runs.
    pub(crate) declared: bool,
}

pub(crate) struct Costume {
    pub(crate) name: Text,
    /// The name as hats of backdrops compare it.
    pub(crate) upper: Text,
    pub(crate) skin: SkinId,
}

pub(crate) struct Sound {
    pub(crate) name: Text,
    /// Seconds.
    pub(crate) length: f64,
}

/// A custom block of one sprite.
#[derive(Debug)]
pub(crate) struct Procedure {
    /// The definition block; none if only a prototype exists.
    pub(crate) definition: CommandId,
    pub(crate) warp: bool,
    /// Values of the parameters that a call does not give.
    pub(crate) defaults: Vec<Value>,
}

#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) hat: CommandId,
    /// Position among the sprite's edge hats.
    pub(crate) edge: Option<u32>,
}

/// What starts a script.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Start {
    Flag,
    Key(KeyQuery),
    SpriteClicked,
    StageClicked,
    /// Upper-cased backdrop name.
    Backdrop(Text),
    Message(u32),
    Clone,
    /// An edge-activated hat of this opcode.
    Edge(Opcode),
}

impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for unit in self.units() {
            state.write_u16(unit);
        }
    }
}

/// A target's state in the project file.
pub(crate) struct Initial {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) direction: f64,
    pub(crate) visible: bool,
    pub(crate) draggable: bool,
    pub(crate) style: RotationStyle,
    pub(crate) costume: usize,
    pub(crate) volume: f64,
    pub(crate) tempo: f64,
}
