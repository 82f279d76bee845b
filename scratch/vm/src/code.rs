//! The code of a compiled project: commands, which do something, and expressions, which have a
//! value. Each names others by number.

use catherd_render::Effect;
use catherd_sb3::{BlockNo, RotationStyle};

use crate::text::Text;

/// Index into [`crate::Program::commands`].
pub(crate) type CommandId = u32;
/// "No block": the end of a chain, an empty branch.
pub(crate) const NONE: CommandId = u32::MAX;

/// Index into [`crate::Program::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct E(pub(crate) u32);

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) op: Op,
    pub(crate) next: CommandId,
    pub(crate) no: BlockNo,
    /// Range in [`crate::Program::before`]: inputs whose draws come before those of the
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

    /// `arguments` is a range in [`crate::Program::arguments`].
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
