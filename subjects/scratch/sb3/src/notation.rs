//! Text notation of blocks, similar to the notation of the Scratch community: `move (10) steps`,
//! `if <touching [Cat v] ?> then`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Block, BlockIndex, Literal, Mutation, Opcode, Slot, Target, Value};

/// Maximum nesting of inputs on a line; the content of deeper inputs becomes an ellipsis.
const MAX_DEPTH: usize = 24;

/// Length of a line, in bytes, after which inputs become an ellipsis, and length of a value, in
/// characters, after which the value is cut off.
const MAX_LENGTH: usize = 240;

/// Writer of the blocks of one target.
pub struct Notation<'a> {
    target: &'a Target,
    arguments: HashMap<&'a str, &'a [Arc<str>]>,
}

/// A line of a script in text notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLine {
    /// Number of enclosing C-shaped blocks.
    pub depth: usize,
    /// The block that the line shows; `None` for `else` and `end`.
    pub block: Option<BlockIndex>,
    /// Text of the line.
    pub text: String,
}

impl<'a> Notation<'a> {
    /// Creates the notation for the blocks of a target.
    pub fn new(target: &'a Target) -> Self {
        let mut arguments = HashMap::new();
        for block in &target.blocks {
            if let Some(Mutation::Prototype { proccode, ids, .. }) = &block.mutation {
                arguments.entry(&**proccode).or_insert(&ids[..]);
            }
        }
        Self { target, arguments }
    }

    /// The lines of a script, beginning with the block `top`.
    pub fn script(&self, top: BlockIndex) -> Vec<ScriptLine> {
        enum Part {
            Stack(BlockIndex),
            Word(&'static str),
        }
        let mut lines = Vec::new();
        let mut parts = vec![(Part::Stack(top), 0)];
        while let Some((part, depth)) = parts.pop() {
            let number = match part {
                Part::Stack(number) => number,
                Part::Word(word) => {
                    lines.push(ScriptLine { depth, block: None, text: word.to_owned() });
                    continue;
                }
            };
            let block = &self.target.blocks[number as usize];
            lines.push(ScriptLine { depth, block: Some(number), text: self.block(number) });
            if let Some(next) = block.next {
                parts.push((Part::Stack(next), depth));
            }
            if is_c_shaped(block.opcode) {
                parts.push((Part::Word("end"), depth));
                if block.opcode == Opcode::ControlIfElse {
                    parts.extend(block.substack(2).map(|inner| (Part::Stack(inner), depth + 1)));
                    parts.push((Part::Word("else"), depth));
                }
                parts.extend(block.substack(1).map(|inner| (Part::Stack(inner), depth + 1)));
            }
        }
        lines
    }

    /// Writes a block with the content of its inputs on one line.
    pub fn block(&self, block: BlockIndex) -> String {
        let mut line = String::new();
        self.write(block, 0, &mut line);
        line.replace(char::is_control, " ")
    }

    fn write(&self, number: BlockIndex, depth: usize, line: &mut String) {
        let block = &self.target.blocks[number as usize];
        match (&block.mutation, block.opcode) {
            (Some(Mutation::Call { proccode }), Opcode::ProceduresCall) => {
                let ids = self.arguments.get(&**proccode).copied().unwrap_or_default();
                let mut ids = ids.iter();
                self.custom(proccode, line, |_, line| {
                    let input = ids.next().and_then(|id| block.input(id));
                    self.slot(input.map(|input| &input.block), depth, line);
                });
            }
            (Some(Mutation::Prototype { proccode, names, .. }), _) => {
                let mut names = names.iter();
                self.custom(proccode, line, |boolean, line| {
                    let (open, close) = if boolean { ('<', '>') } else { ('(', ')') };
                    line.push(open);
                    line.push_str(names.next().map_or("", |name| name));
                    line.push(close);
                });
            }
            (_, Opcode::ProceduresDefinition) => {
                line.push_str("define ");
                if let Some(Slot::Block(inner)) = block.input("custom_block").map(|i| &i.block) {
                    self.write(*inner, depth + 1, line);
                }
            }
            _ => match template(block.opcode) {
                Some(template) => self.fill(template, block, depth, line),
                None => self.write_generic(block, depth, line),
            },
        }
    }

    /// Writes a signature with an argument in place of each `%s`, `%n` and `%b`.
    fn custom(
        &self,
        proccode: &str,
        line: &mut String,
        mut argument: impl FnMut(bool, &mut String),
    ) {
        let mut rest = proccode;
        while let Some((before, after)) = rest.split_once('%') {
            line.push_str(before);
            match after.chars().next() {
                Some(kind @ ('s' | 'n' | 'b')) => {
                    argument(kind == 'b', line);
                    rest = &after[1..];
                }
                _ => {
                    line.push('%');
                    rest = after;
                }
            }
        }
        line.push_str(rest);
    }

    fn fill(&self, template: &str, block: &Block, depth: usize, line: &mut String) {
        for (position, word) in template.split(' ').enumerate() {
            if position > 0 {
                line.push(' ');
            }
            let is_name = word.len() > 1
                && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
            if let Some(input) = block.input(word) {
                self.slot(Some(&input.block), depth, line);
            } else if let Some(field) = block.field(word) {
                line.push_str(&format!("[{} v]", text(&field.value)));
            } else if is_name {
                line.push_str("( )");
            } else {
                line.push_str(word);
            }
        }
    }

    fn write_generic(&self, block: &Block, depth: usize, line: &mut String) {
        // A menu is written as its chosen value.
        if let ([field], []) = (&block.fields[..], &block.inputs[..]) {
            line.push_str(&text(&field.value));
            return;
        }
        line.push_str(block.opcode_name());
        for field in &block.fields {
            line.push_str(&format!(" [{} v]", text(&field.value)));
        }
        for input in &block.inputs {
            line.push(' ');
            self.slot(Some(&input.block), depth, line);
        }
    }

    fn slot(&self, slot: Option<&Slot>, depth: usize, line: &mut String) {
        match slot {
            None | Some(Slot::Empty) => line.push_str("< >"),
            _ if depth >= MAX_DEPTH || line.len() > MAX_LENGTH => line.push('…'),
            Some(Slot::Block(inner)) => {
                let block = &self.target.blocks[*inner as usize];
                let (open, close) = match block.opcode {
                    _ if block.shadow => ("[", " v]"),
                    opcode if opcode.is_boolean() => ("<", ">"),
                    _ => ("(", ")"),
                };
                line.push_str(open);
                self.write(*inner, depth + 1, line);
                line.push_str(close);
            }
            Some(Slot::Literal(literal)) => line.push_str(&match literal {
                Literal::Value { opcode: Opcode::Text | Opcode::ColourPicker, value } => {
                    format!("[{}]", text(value))
                }
                Literal::Value { value, .. } => format!("({})", text(value)),
                Literal::Broadcast { name, .. } => format!("[{name} v]"),
                Literal::Variable { name, .. } | Literal::List { name, .. } => format!("({name})"),
            }),
        }
    }
}

fn text(value: &Value) -> String {
    let text = match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
    };
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn is_c_shaped(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        ControlRepeat
            | ControlForever
            | ControlIf
            | ControlIfElse
            | ControlRepeatUntil
            | ControlWhile
            | ControlForEach
            | ControlAllAtOnce
    )
}

/// Words in capitals are names of inputs and fields.
fn template(opcode: Opcode) -> Option<&'static str> {
    use Opcode::*;
    Some(match opcode {
        MotionMoveSteps => "move STEPS steps",
        MotionTurnRight => "turn right DEGREES degrees",
        MotionTurnLeft => "turn left DEGREES degrees",
        MotionGoTo => "go to TO",
        MotionGoToXY => "go to x: X y: Y",
        MotionGlideTo => "glide SECS secs to TO",
        MotionGlideSecsToXY => "glide SECS secs to x: X y: Y",
        MotionPointInDirection => "point in direction DIRECTION",
        MotionPointTowards => "point towards TOWARDS",
        MotionChangeXBy => "change x by DX",
        MotionSetX => "set x to X",
        MotionChangeYBy => "change y by DY",
        MotionSetY => "set y to Y",
        MotionIfOnEdgeBounce => "if on edge, bounce",
        MotionSetRotationStyle => "set rotation style STYLE",
        MotionXPosition => "x position",
        MotionYPosition => "y position",
        MotionDirection => "direction",
        LooksSayForSecs => "say MESSAGE for SECS seconds",
        LooksSay => "say MESSAGE",
        LooksThinkForSecs => "think MESSAGE for SECS seconds",
        LooksThink => "think MESSAGE",
        LooksSwitchCostumeTo => "switch costume to COSTUME",
        LooksNextCostume => "next costume",
        LooksSwitchBackdropTo => "switch backdrop to BACKDROP",
        LooksSwitchBackdropToAndWait => "switch backdrop to BACKDROP and wait",
        LooksNextBackdrop => "next backdrop",
        LooksChangeSizeBy => "change size by CHANGE",
        LooksSetSizeTo => "set size to SIZE %",
        LooksChangeEffectBy => "change EFFECT effect by CHANGE",
        LooksSetEffectTo => "set EFFECT effect to VALUE",
        LooksClearGraphicEffects => "clear graphic effects",
        LooksShow => "show",
        LooksHide => "hide",
        LooksGoToFrontBack => "go to FRONT_BACK layer",
        LooksGoForwardBackwardLayers => "go FORWARD_BACKWARD NUM layers",
        LooksCostumeNumberName => "costume NUMBER_NAME",
        LooksBackdropNumberName => "backdrop NUMBER_NAME",
        LooksSize => "size",
        SoundPlay => "start sound SOUND_MENU",
        SoundPlayUntilDone => "play sound SOUND_MENU until done",
        SoundStopAllSounds => "stop all sounds",
        SoundSetEffectTo => "set EFFECT effect to VALUE",
        SoundChangeEffectBy => "change EFFECT effect by VALUE",
        SoundClearEffects => "clear sound effects",
        SoundSetVolumeTo => "set volume to VOLUME %",
        SoundChangeVolumeBy => "change volume by VOLUME",
        SoundVolume => "volume",
        EventWhenFlagClicked => "when flag clicked",
        EventWhenKeyPressed => "when KEY_OPTION key pressed",
        EventWhenThisSpriteClicked => "when this sprite clicked",
        EventWhenStageClicked => "when stage clicked",
        EventWhenBackdropSwitchesTo => "when backdrop switches to BACKDROP",
        EventWhenGreaterThan => "when WHENGREATERTHANMENU > VALUE",
        EventWhenTouchingObject => "when touching TOUCHINGOBJECTMENU",
        EventWhenBroadcastReceived => "when I receive BROADCAST_OPTION",
        EventBroadcast => "broadcast BROADCAST_INPUT",
        EventBroadcastAndWait => "broadcast BROADCAST_INPUT and wait",
        ControlWait => "wait DURATION seconds",
        ControlRepeat => "repeat TIMES",
        ControlForever => "forever",
        ControlIf => "if CONDITION then",
        ControlIfElse => "if CONDITION then",
        ControlWaitUntil => "wait until CONDITION",
        ControlRepeatUntil => "repeat until CONDITION",
        ControlWhile => "while CONDITION",
        ControlForEach => "for each VARIABLE in VALUE",
        ControlAllAtOnce => "all at once",
        ControlStop => "stop STOP_OPTION",
        ControlStartAsClone => "when I start as a clone",
        ControlCreateCloneOf => "create clone of CLONE_OPTION",
        ControlDeleteThisClone => "delete this clone",
        ControlGetCounter => "counter",
        ControlIncrCounter => "increment counter",
        ControlClearCounter => "clear counter",
        SensingTouchingObject => "touching TOUCHINGOBJECTMENU ?",
        SensingTouchingColor => "touching color COLOR ?",
        SensingColorIsTouchingColor => "color COLOR is touching COLOR2 ?",
        SensingDistanceTo => "distance to DISTANCETOMENU",
        SensingAskAndWait => "ask QUESTION and wait",
        SensingAnswer => "answer",
        SensingKeyPressed => "key KEY_OPTION pressed?",
        SensingMouseDown => "mouse down?",
        SensingMouseX => "mouse x",
        SensingMouseY => "mouse y",
        SensingSetDragMode => "set drag mode DRAG_MODE",
        SensingLoudness => "loudness",
        SensingTimer => "timer",
        SensingResetTimer => "reset timer",
        SensingOf => "PROPERTY of OBJECT",
        SensingCurrent => "current CURRENTMENU",
        SensingDaysSince2000 => "days since 2000",
        SensingUsername => "username",
        OperatorAdd => "NUM1 + NUM2",
        OperatorSubtract => "NUM1 - NUM2",
        OperatorMultiply => "NUM1 * NUM2",
        OperatorDivide => "NUM1 / NUM2",
        OperatorRandom => "pick random FROM to TO",
        OperatorGt => "OPERAND1 > OPERAND2",
        OperatorLt => "OPERAND1 < OPERAND2",
        OperatorEquals => "OPERAND1 = OPERAND2",
        OperatorAnd => "OPERAND1 and OPERAND2",
        OperatorOr => "OPERAND1 or OPERAND2",
        OperatorNot => "not OPERAND",
        OperatorJoin => "join STRING1 STRING2",
        OperatorLetterOf => "letter LETTER of STRING",
        OperatorLength => "length of STRING",
        OperatorContains => "STRING1 contains STRING2 ?",
        OperatorMod => "NUM1 mod NUM2",
        OperatorRound => "round NUM",
        OperatorMathOp => "OPERATOR of NUM",
        DataSetVariableTo => "set VARIABLE to VALUE",
        DataChangeVariableBy => "change VARIABLE by VALUE",
        DataShowVariable => "show variable VARIABLE",
        DataHideVariable => "hide variable VARIABLE",
        DataAddToList => "add ITEM to LIST",
        DataDeleteOfList => "delete INDEX of LIST",
        DataDeleteAllOfList => "delete all of LIST",
        DataInsertAtList => "insert ITEM at INDEX of LIST",
        DataReplaceItemOfList => "replace item INDEX of LIST with ITEM",
        DataItemOfList => "item INDEX of LIST",
        DataItemNumOfList => "item # of ITEM in LIST",
        DataLengthOfList => "length of LIST",
        DataListContainsItem => "LIST contains ITEM ?",
        DataShowList => "show list LIST",
        DataHideList => "hide list LIST",
        PenClear => "erase all",
        PenStamp => "stamp",
        PenPenDown => "pen down",
        PenPenUp => "pen up",
        PenSetPenColorToColor => "set pen color to COLOR",
        PenChangePenColorParamBy => "change pen COLOR_PARAM by VALUE",
        PenSetPenColorParamTo => "set pen COLOR_PARAM to VALUE",
        PenChangePenSizeBy => "change pen size by SIZE",
        PenSetPenSizeTo => "set pen size to SIZE",
        MusicPlayDrumForBeats => "play drum DRUM for BEATS beats",
        MusicRestForBeats => "rest for BEATS beats",
        MusicPlayNoteForBeats => "play note NOTE for BEATS beats",
        MusicSetInstrument => "set instrument to INSTRUMENT",
        MusicSetTempo => "set tempo to TEMPO",
        MusicChangeTempo => "change tempo by TEMPO",
        MusicGetTempo => "tempo",
        Text2SpeechSpeakAndWait => "speak WORDS",
        Text2SpeechSetVoice => "set voice to VOICE",
        Text2SpeechSetLanguage => "set language to LANGUAGE",
        _ => return None,
    })
}
