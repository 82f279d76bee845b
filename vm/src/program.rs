//! What a project is compiled to: flat tables that every machine running it shares.

use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use catherd_render::{Effect, SkinId, SkinSet};
use catherd_sb3::{BlockNo, Opcode, RotationStyle};
use rustc_hash::FxHashMap;

use crate::keys::KeyQuery;
use crate::text::Text;
use crate::value::Value;

/// Index into [`Program::commands`].
pub(crate) type CommandId = u32;
/// "No block": the end of a chain, an empty branch.
pub(crate) const NONE: CommandId = u32::MAX;

/// Index into [`Program::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct E(pub(crate) u32);

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

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) op: Op,
    pub(crate) next: CommandId,
    pub(crate) no: BlockNo,
    /// Range in [`Program::before`]: inputs whose draws come before those of the
    /// operands in `op`, or that `op` does not use at all.
    pub(crate) before: (u32, u32),
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Stage(u32),
    Own(u32),
}

/// What `broadcast` sends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    /// A stage message, or none if the id is unknown.
    Fixed(Option<u32>),
    Computed(E),
}

/// What an edge-activated hat measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sensor {
    Timer,
    Loudness,
    /// Of a camera that is not there.
    Motion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoundEffect {
    Pitch,
    Pan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PenParam {
    Color,
    Saturation,
    Brightness,
    Transparency,
}

/// What a stack block does.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub(crate) enum Op {
    /// No effect: unknown blocks, obsolete blocks, monitors' visibility, hats without predicate.
    Nothing,
    /// An edge-activated hat with its predicate (`when loudness > v`, `when touching`).
    HatGreater {
        sensor: Sensor,
        value: E,
    },
    HatTouching(E),
    /// Hats of absent hardware: never true.
    HatNever,

    MoveSteps(E),
    GoTo(E),
    GoToXY(E, E),
    Turn {
        degrees: E,
        left: bool,
    },
    PointInDirection(E),
    PointTowards(E),
    GlideTo {
        seconds: E,
        to: E,
    },
    GlideToXY {
        seconds: E,
        x: E,
        y: E,
    },
    ChangeX(E),
    SetX(E),
    ChangeY(E),
    SetY(E),
    BounceOnEdge,
    SetRotationStyle(RotationStyle),

    Say {
        text: E,
    },
    SayFor {
        text: E,
        seconds: E,
    },
    Show,
    Hide,
    SwitchCostume(E),
    NextCostume,
    SwitchBackdrop(E),
    NextBackdrop,
    ChangeEffect(Effect, E),
    SetEffect(Effect, E),
    ClearEffects,
    ChangeSize(E),
    SetSize(E),
    GoToFront,
    GoToBack,
    GoLayers {
        by: E,
        backward: bool,
    },

    PlaySoundUntilDone(E),
    /// Ends the slice like the original's promise.
    SetSoundEffect {
        effect: SoundEffect,
        value: E,
        change: bool,
    },
    ClearSoundEffects,
    SetVolume {
        value: E,
        change: bool,
    },

    Broadcast(Message),
    BroadcastAndWait(Message),

    Wait(E),
    Repeat {
        times: E,
        body: CommandId,
    },
    Forever {
        body: CommandId,
    },
    If {
        condition: E,
        then: CommandId,
    },
    IfElse {
        condition: E,
        then: CommandId,
        otherwise: CommandId,
    },
    WaitUntil {
        condition: E,
        draws: bool,
    },
    RepeatUntil {
        condition: E,
        body: CommandId,
    },
    While {
        condition: E,
        body: CommandId,
    },
    ForEach {
        variable: Slot,
        count: E,
        body: CommandId,
    },
    AllAtOnce {
        body: CommandId,
    },
    StopAll,
    StopThisScript,
    StopOtherScripts,
    CreateClone(E),
    DeleteThisClone,
    IncrementCounter,
    ClearCounter,

    Ask(E),
    SetDraggable(bool),
    ResetTimer,

    SetVariable(Slot, E),
    ChangeVariable(Slot, E),
    AddToList(Slot, E),
    DeleteOfList(Slot, E),
    DeleteAllOfList(Slot),
    InsertAtList {
        list: Slot,
        index: E,
        item: E,
    },
    ReplaceItemOfList {
        list: Slot,
        index: E,
        item: E,
    },

    /// `arguments` is a range in [`Program::arguments`].
    Call {
        procedure: Option<u32>,
        arguments: (u32, u32),
    },

    PenClear,
    PenStamp,
    PenDown,
    PenUp,
    PenColor(E),
    PenParam {
        param: E,
        value: E,
        change: bool,
    },
    PenSize {
        value: E,
        change: bool,
    },
    PenShade {
        value: E,
        change: bool,
    },
    PenHue {
        value: E,
        change: bool,
    },

    /// Drum, note and rest; `note` is silent and instant at 0 beats.
    PlayBeats {
        beats: E,
        note: bool,
    },
    SetTempo {
        value: E,
        change: bool,
    },
    Speak(E),
    /// A block of absent hardware that takes its time all the same.
    Device(Device, E),
}

/// Blocks that wait for hardware, whether it is there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// Text that scrolls over a micro:bit.
    Text,
    /// A motor that turns for some seconds.
    Motor,
    /// A tone for some seconds.
    Beep,
    /// A command on its way.
    Send,
}

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MathOp {
    Abs,
    Floor,
    Ceiling,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Ln,
    Log,
    Exp,
    Exp10,
    Unknown,
}

/// Properties that `[property] of [object]` knows by name.
#[derive(Clone, Debug)]
pub(crate) enum Property {
    X,
    Y,
    Direction,
    CostumeNumber,
    CostumeName,
    Size,
    Volume,
    BackdropNumber,
    BackdropName,
    Variable(Text),
}

/// An expression: literals, reporters, booleans.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(f64),
    Constant(u32),
    Undefined,
    /// The value that [`Expr::Reversed`] put aside last.
    Aside,
    /// The n-th value of [`Command::before`].
    Before(u32),
    /// Evaluates `first`, puts it aside, then `node`, one operand of which is
    /// [`Expr::Aside`]: two operands that both draw and stand in reverse order in the file.
    Reversed {
        first: E,
        node: E,
    },
    /// Evaluates `first` for its draws only, then `node`.
    Then {
        first: E,
        node: E,
    },

    Variable(Slot),
    /// A variable that comes into being when it is first read.
    LazyVariable(Slot),
    ListContents(Slot),
    /// Parameter of the innermost custom-block call.
    Parameter(u32),

    Add(E, E),
    Subtract(E, E),
    Multiply(E, E),
    Divide(E, E),
    Modulo(E, E),
    Round(E),
    Math(MathOp, E),
    Random(E, E),
    Less(E, E),
    Equals(E, E),
    Greater(E, E),
    And(E, E),
    Or(E, E),
    Not(E),
    Join(E, E),
    LetterOf {
        letter: E,
        text: E,
    },
    Length(E),
    Contains {
        text: E,
        part: E,
    },

    XPosition,
    YPosition,
    Direction,
    Size,
    CostumeNumber,
    CostumeName,
    BackdropNumber,
    BackdropName,
    Volume,
    Tempo,
    Counter,

    Touching(E),
    TouchingColor(E),
    ColorTouchingColor(E, E),
    DistanceTo(E),
    Answer,
    KeyPressed(E),
    MouseDown,
    MouseX,
    MouseY,
    Loudness,
    Loud,
    Timer,
    Of {
        property: Property,
        object: E,
    },
    Current(Calendar),
    DaysSince2000,
    Username,
    /// Motion of a camera that is not there.
    VideoMotion,
    /// Translation without a network: the text itself.
    Translate(E),

    ItemOfList(Slot, E),
    ItemNumberOfList(Slot, E),
    LengthOfList(Slot),
    ListContains(Slot, E),
}

/// Fields of `current [...]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calendar {
    Year,
    Month,
    Date,
    DayOfWeek,
    Hour,
    Minute,
    Second,
    Unknown,
}
