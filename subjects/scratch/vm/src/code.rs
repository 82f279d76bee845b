//! Compiled code: [`Command`]s (stack blocks) and [`Expr`]s (reporters and booleans), linked by
//! index.

use catherd_scratch_render::Effect;
use catherd_scratch_sb3::{BlockNo, RotationStyle};

use crate::text::Text;

/// Index into [`crate::Program::commands`].
pub(crate) type CommandId = u32;
/// The id that stands for no command: the end of a script or an empty branch.
pub(crate) const NONE: CommandId = u32::MAX;

/// Index into [`crate::Program::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExprId(pub(crate) u32);

#[derive(Debug)]
/// A compiled stack block.
pub(crate) struct Command {
    pub(crate) op: Op,
    pub(crate) next: CommandId,
    pub(crate) no: BlockNo,
    /// Range in [`crate::Program::early_inputs`]: expressions that are evaluated before `op`, for
    /// example so that random numbers are taken in file order.
    pub(crate) early_inputs: (u32, u32),
}

/// The storage of a variable or list: its owner, and its index in the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    Stage(u32),
    /// The target that executes the block.
    Own(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    /// A message of the stage; `None` if the stage has no message with the id.
    Fixed(Option<u32>),
    Computed(ExprId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sensor {
    Timer,
    Loudness,
    /// Motion in the picture of the camera; the VM has no camera.
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

/// Pattern that matches operations of motion, looks and pen that have one numeric operand.
macro_rules! one_number {
    ($number:pat) => {
        Op::MoveSteps($number)
            | Op::Turn { degrees: $number, .. }
            | Op::PointInDirection($number)
            | Op::ChangeX($number)
            | Op::SetX($number)
            | Op::ChangeY($number)
            | Op::SetY($number)
            | Op::ChangeEffect(_, $number)
            | Op::SetEffect(_, $number)
            | Op::ChangeSize($number)
            | Op::SetSize($number)
            | Op::PenSize { value: $number, .. }
    };
}
pub(crate) use one_number;

#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub(crate) enum Op {
    /// Has no effect, for example because the block is unknown or obsolete.
    Nothing,
    /// An edge-activated hat that compares a quantity with a number, such as `when loudness > 10`.
    HatGreater {
        sensor: Sensor,
        value: ExprId,
    },
    HatTouching(ExprId),
    /// A hat whose predicate is never true.
    HatNever,
    HatMakeyKey(ExprId),
    HatMakeyCode(ExprId),

    MoveSteps(ExprId),
    GoTo(ExprId),
    GoToXY(ExprId, ExprId),
    Turn {
        degrees: ExprId,
        left: bool,
    },
    PointInDirection(ExprId),
    PointTowards(ExprId),
    GlideTo {
        seconds: ExprId,
        to: ExprId,
    },
    GlideToXY {
        seconds: ExprId,
        x: ExprId,
        y: ExprId,
    },
    ChangeX(ExprId),
    SetX(ExprId),
    ChangeY(ExprId),
    SetY(ExprId),
    BounceOnEdge,
    SetRotationStyle(RotationStyle),

    Say {
        text: ExprId,
    },
    SayFor {
        text: ExprId,
        seconds: ExprId,
    },
    Show,
    Hide,
    SwitchCostume(ExprId),
    NextCostume,
    SwitchBackdrop(ExprId),
    SwitchBackdropAndWait(ExprId),
    NextBackdrop,
    ChangeEffect(Effect, ExprId),
    SetEffect(Effect, ExprId),
    ClearEffects,
    ChangeSize(ExprId),
    SetSize(ExprId),
    GoToFront,
    GoToBack,
    GoLayers {
        by: ExprId,
        backward: bool,
    },

    PlaySound(ExprId),
    PlaySoundUntilDone(ExprId),
    StopAllSounds,
    /// Ends the slice, because the original returns a promise.
    SetSoundEffect {
        effect: SoundEffect,
        value: ExprId,
        change: bool,
    },
    ClearSoundEffects,
    SetVolume {
        value: ExprId,
        change: bool,
    },

    Broadcast(Message),
    BroadcastAndWait(Message),

    Wait(ExprId),
    Repeat {
        times: ExprId,
        body: CommandId,
    },
    Forever {
        body: CommandId,
    },
    If {
        condition: ExprId,
        then: CommandId,
    },
    IfElse {
        condition: ExprId,
        then: CommandId,
        otherwise: CommandId,
    },
    WaitUntil {
        condition: ExprId,
        draws: bool,
    },
    RepeatUntil {
        condition: ExprId,
        body: CommandId,
    },
    While {
        condition: ExprId,
        body: CommandId,
    },
    ForEach {
        variable: Slot,
        count: ExprId,
        body: CommandId,
    },
    AllAtOnce {
        body: CommandId,
    },
    StopAll,
    StopThisScript,
    StopOtherScripts,
    CreateClone(ExprId),
    DeleteThisClone,
    IncrementCounter,
    ClearCounter,

    Ask(ExprId),
    SetDraggable(bool),
    ResetTimer,

    SetVariable(Slot, ExprId),
    ChangeVariable(Slot, ExprId),
    AddToList(Slot, ExprId),
    DeleteOfList(Slot, ExprId),
    DeleteAllOfList(Slot),
    InsertAtList {
        list: Slot,
        index: ExprId,
        item: ExprId,
    },
    ReplaceItemOfList {
        list: Slot,
        index: ExprId,
        item: ExprId,
    },

    SetMonitorShown {
        monitor: u32,
        shown: bool,
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
    PenColor(ExprId),
    PenParam {
        param: ExprId,
        value: ExprId,
        change: bool,
    },
    PenSize {
        value: ExprId,
        change: bool,
    },
    PenShade {
        value: ExprId,
        change: bool,
    },
    PenHue {
        value: ExprId,
        change: bool,
    },

    /// The drum, note and rest blocks. A note of 0 beats takes no time.
    PlayBeats {
        beats: ExprId,
        note: bool,
    },
    SetTempo {
        value: ExprId,
        change: bool,
    },
    Speak(ExprId),
    /// A block for hardware that the VM does not have, but for which the original waits.
    Device(Device, ExprId),
}

impl Op {
    /// Whether the operation changes only variables and lists, and neither the thread nor its
    /// stack.
    #[inline]
    pub(crate) fn only_computes(&self) -> bool {
        matches!(
            self,
            Op::SetVariable(..)
                | Op::ChangeVariable(..)
                | Op::AddToList(..)
                | Op::DeleteOfList(..)
                | Op::DeleteAllOfList(_)
                | Op::InsertAtList { .. }
                | Op::ReplaceItemOfList { .. }
        )
    }
}

/// Blocks for which the original waits even if the hardware does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// Text that scrolls over a micro:bit.
    Text,
    /// A motor that turns for some seconds.
    Motor,
    /// A tone for some seconds.
    Beep,
    /// A command that is sent to the device.
    Send,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    Equals,
    Greater,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Properties of `[property] of [object]`.
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

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(f64),
    Constant(u32),
    Undefined,
    /// The value that the enclosing [`Expr::Reversed`] has computed.
    DeferredOperand,
    /// The n-th value of [`Command::early_inputs`].
    EarlyInput(u32),
    /// Evaluates `first`, then `node`, which uses the value of `first` as
    /// [`Expr::DeferredOperand`]. Needed if two operands both take random numbers and are in
    /// reverse order in the file.
    Reversed {
        first: ExprId,
        node: ExprId,
    },
    /// Evaluates `first` only for the random numbers that it takes, then `node`.
    Then {
        first: ExprId,
        node: ExprId,
    },

    Variable(Slot),
    /// A variable that is created when it is first read.
    LazyVariable(Slot),
    ListContents(Slot),
    /// Parameter of the innermost custom-block call.
    Parameter(u32),

    Add(ExprId, ExprId),
    Subtract(ExprId, ExprId),
    Multiply(ExprId, ExprId),
    Divide(ExprId, ExprId),
    Modulo(ExprId, ExprId),
    Round(ExprId),
    Math(MathOp, ExprId),
    Random(ExprId, ExprId),
    Less(ExprId, ExprId),
    Equals(ExprId, ExprId),
    Greater(ExprId, ExprId),
    And(ExprId, ExprId),
    Or(ExprId, ExprId),
    Not(ExprId),
    /// The truth value of a condition, without its distances.
    Outcome(ExprId),
    Join(ExprId, ExprId),
    LetterOf {
        letter: ExprId,
        text: ExprId,
    },
    Length(ExprId),
    Contains {
        text: ExprId,
        part: ExprId,
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

    Touching(ExprId),
    TouchingColor(ExprId),
    ColorTouchingColor(ExprId, ExprId),
    DistanceTo(ExprId),
    Answer,
    KeyPressed(ExprId),
    MouseDown,
    MouseX,
    MouseY,
    Loudness,
    Loud,
    Timer,
    Of {
        property: Property,
        object: ExprId,
    },
    Current(Calendar),
    DaysSince2000,
    Username,
    /// Motion in the picture of the camera; the VM has no camera.
    VideoMotion,
    Translate(ExprId),
    /// The last of [`Command::early_inputs`] of a block that may wait for a translation.
    AwaitedTranslation,

    ItemOfList(Slot, ExprId),
    ItemNumberOfList(Slot, ExprId),
    LengthOfList(Slot),
    ListContains(Slot, ExprId),
}

impl Expr {
    /// Whether the kind of the expression ensures that its value is a number.
    pub(crate) fn is_number(&self) -> bool {
        matches!(
            self,
            Expr::Number(_)
                | Expr::Add(..)
                | Expr::Subtract(..)
                | Expr::Multiply(..)
                | Expr::Divide(..)
                | Expr::Modulo(..)
                | Expr::Round(_)
                | Expr::Math(..)
                | Expr::Length(_)
                | Expr::LengthOfList(_)
                | Expr::ItemNumberOfList(..)
                | Expr::XPosition
                | Expr::YPosition
        )
    }
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
