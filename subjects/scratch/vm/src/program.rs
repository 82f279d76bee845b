//! Compiled programs: flat tables that all VMs of a project share.

use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use catherd_scratch_render::{SkinId, SkinSet};
use catherd_scratch_sb3::{BlockNo, Opcode, RotationStyle};
use rustc_hash::FxHashMap;

use crate::code::{Command, CommandId, Expr, ExprId, Op};
use crate::compat::Compat;
use crate::linear::{Form, Units};
use crate::text::Text;
use crate::trigger::Trigger;
use crate::value::Value;

/// A compiled project, shared by all VMs that execute it.
pub struct Program {
    pub(crate) compat: Compat,
    pub(crate) commands: Vec<Command>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) constants: Vec<Value>,
    /// See [`Command::early_inputs`].
    pub(crate) early_inputs: Vec<ExprId>,
    /// Arguments of custom-block calls: parameter slot (`NONE` for an argument that the custom
    /// block does not have) and value.
    pub(crate) arguments: Vec<(u32, ExprId)>,
    /// By position in the project.
    pub(crate) sprites: Vec<Sprite>,
    pub(crate) stage: usize,
    /// The stage and sprites in the order of their layers, from back to front.
    pub(crate) execution_order: Vec<u32>,
    /// The stage's messages in file order.
    pub(crate) broadcasts: Vec<Broadcast>,
    /// By name in upper case, including messages to which only hats refer.
    pub(crate) messages: FxHashMap<Text, u32>,
    pub(crate) skins: Arc<SkinSet>,
    /// Whether blocks or callers sense colours.
    pub(crate) senses_colors: bool,
    /// Opcodes of the edge-activated hats in the project, which every step evaluates.
    pub(crate) edge_hats: Vec<Opcode>,
    /// Whether each monitor is shown at the start.
    pub(crate) monitors: Vec<bool>,
    pub(crate) block_count: usize,
    /// Custom blocks that can execute without screen refresh, in linear form.
    pub(crate) linear: Form,
    #[cfg_attr(not(feature = "native"), expect(dead_code, reason = "only native code uses it"))]
    pub(crate) native: Units,
}

impl Program {
    /// The version of Scratch for which the project was compiled.
    pub fn compat(&self) -> Compat {
        self.compat
    }

    /// Number of blocks in the project. Every [`BlockNo`] is less than this number.
    pub fn block_count(&self) -> usize {
        self.block_count
    }

    /// The blocks that were compiled to commands.
    pub fn commands(&self) -> impl Iterator<Item = BlockNo> + '_ {
        self.commands.iter().map(|c| c.no)
    }

    /// Hash of the code. Two programs compiled from mutants of one project almost certainly behave
    /// the same if their hashes are equal. Do not store hashes, because they may change with every
    /// release.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Fingerprint(DefaultHasher::new());
        for sprite in &self.sprites {
            // Sorted by script, because a hash map has no order.
            let mut hats: Vec<_> = sprite.scripts_by_trigger.iter().collect();
            hats.sort_unstable_by_key(|(_, scripts)| scripts.first());
            hasher.add(&(hats, &sprite.scripts, &sprite.procedures));
            hasher.add(&(&sprite.variables, sprite.lists.len()));
        }
        hasher.add(&(&self.commands, &self.exprs, &self.constants));
        hasher.add(&(&self.early_inputs, &self.arguments));
        hasher.0.finish()
    }

    #[cold]
    pub(crate) fn default_of(&self, sprite: usize, call: CommandId, place: u16) -> Value {
        let procedure = match self.commands[call as usize].op {
            Op::Call { procedure: Some(number), .. } => {
                self.sprites[sprite].procedures.get(number as usize)
            }
            _ => None,
        };
        let default = procedure.and_then(|procedure| procedure.defaults.get(usize::from(place)));
        default.cloned().unwrap_or(Value::Undefined)
    }

    /// The first sprite with this name; never the stage.
    pub(crate) fn sprite_named(&self, name: &Text) -> Option<usize> {
        self.sprites.iter().position(|s| !s.is_stage && s.name == *name)
    }
}

/// Hasher of `Debug` output, which contains the fields and distinguishes different numbers.
struct Fingerprint(DefaultHasher);

impl Fingerprint {
    fn add(&mut self, value: &impl fmt::Debug) {
        // Writing to a hasher cannot fail.
        let _ = write!(self, "{value:?}");
    }
}

impl fmt::Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// A message of the stage.
pub(crate) struct Broadcast {
    pub(crate) name: Text,
    /// The name in lower case, with which computed names are compared.
    pub(crate) lower: Text,
    pub(crate) message: u32,
}

pub(crate) struct Sprite {
    pub(crate) name: Text,
    pub(crate) is_stage: bool,
    pub(crate) variables: Vec<VariableDef>,
    pub(crate) lists: Vec<ListDef>,
    /// The costumes, at least one. The programs of a project and its mutants share costumes.
    pub(crate) costumes: Arc<[Costume]>,
    pub(crate) sounds: Vec<Sound>,
    pub(crate) procedures: Vec<Procedure>,
    /// Scripts with a hat, in script order.
    pub(crate) scripts: Vec<Script>,
    /// Indices of the scripts that each event starts.
    pub(crate) scripts_by_trigger: FxHashMap<Trigger, Vec<u32>>,
    pub(crate) initial: InitialState,
}

#[derive(Debug)]
pub(crate) struct VariableDef {
    pub(crate) name: Text,
    /// [`Value::Undefined`] for a variable that a block names but the file does not declare.
    pub(crate) value: Value,
}

pub(crate) struct ListDef {
    pub(crate) name: Text,
    pub(crate) items: Arc<Vec<Value>>,
    /// Whether the file declares the list.
    pub(crate) declared: bool,
}

pub(crate) struct Costume {
    pub(crate) name: Text,
    /// The name in upper case, with which backdrop hats are compared.
    pub(crate) upper_name: Text,
    pub(crate) skin: SkinId,
}

pub(crate) struct Sound {
    pub(crate) name: Text,
    /// In seconds.
    pub(crate) length: f64,
}

#[derive(Debug)]
pub(crate) struct Procedure {
    /// The definition block; `NONE` if only a prototype exists.
    pub(crate) definition: CommandId,
    pub(crate) warp: bool,
    /// Values of parameters for which a call has no argument.
    pub(crate) defaults: Vec<Value>,
}

#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) hat: CommandId,
    /// Position among the sprite's edge-activated hats; `None` for other hats.
    pub(crate) edge_hat: Option<u32>,
}

impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for unit in self.units() {
            state.write_u16(unit);
        }
    }
}

/// The state of a target in the project file.
pub(crate) struct InitialState {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) direction: f64,
    pub(crate) visible: bool,
    pub(crate) draggable: bool,
    pub(crate) rotation_style: RotationStyle,
    pub(crate) costume: usize,
    pub(crate) volume: f64,
    pub(crate) tempo: f64,
}
