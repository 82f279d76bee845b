//! Table of Scratch 2 blocks: their opcodes in Scratch 3 and the targets of their arguments.

use crate::Opcode;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ArgumentTarget {
    /// The opcode implies the argument.
    Dropped,
    Field(&'static str),
    /// An input whose default is an inline primitive of this opcode.
    Literal(Opcode, &'static str),
    /// An input whose default is a menu block of this opcode. The second string is the value of the
    /// menu if a block covers the menu.
    Menu(Opcode, &'static str, &'static str),
    Message(&'static str),
    Boolean(&'static str),
    Branch(&'static str),
}

/// Calls of custom blocks have no targets here, because their targets depend on the signature.
pub(super) struct BlockEntry {
    pub(super) opcode: Opcode,
    pub(super) targets: &'static [ArgumentTarget],
}

const fn number(name: &'static str) -> ArgumentTarget {
    ArgumentTarget::Literal(Opcode::MathNumber, name)
}

const fn integer(name: &'static str) -> ArgumentTarget {
    ArgumentTarget::Literal(Opcode::MathInteger, name)
}

const fn text(name: &'static str) -> ArgumentTarget {
    ArgumentTarget::Literal(Opcode::Text, name)
}

const fn colour(name: &'static str) -> ArgumentTarget {
    ArgumentTarget::Literal(Opcode::ColourPicker, name)
}

const fn menu(opcode: Opcode, name: &'static str) -> ArgumentTarget {
    ArgumentTarget::Menu(opcode, name, "")
}

macro_rules! vocabulary {
    ($($old:literal => $new:ident [$($target:expr),*],)*) => {
        fn entry(old: &str) -> Option<BlockEntry> {
            Some(match old {
                $($old => {
                    const TARGETS: &[ArgumentTarget] = &[$($target),*];
                    BlockEntry { opcode: Opcode::$new, targets: TARGETS }
                })*
                _ => return None,
            })
        }
    };
}

/// The first argument can select one of two Scratch 3 blocks that correspond to one Scratch 2
/// block.
pub(super) fn look_up(old: &str, first: Option<&str>) -> Option<BlockEntry> {
    let old = match (old, first) {
        ("whenSensorGreaterThan", Some("video motion")) => "whenSensorGreaterThan video",
        _ => old,
    };
    entry(old)
}

use ArgumentTarget::{Boolean, Branch, Dropped, Field, Literal, Menu, Message};

vocabulary! {
    "forward:" => MotionMoveSteps [number("STEPS")],
    "turnRight:" => MotionTurnRight [number("DEGREES")],
    "turnLeft:" => MotionTurnLeft [number("DEGREES")],
    "heading:" => MotionPointInDirection [Literal(Opcode::MathAngle, "DIRECTION")],
    "pointTowards:" => MotionPointTowards [menu(Opcode::MotionPointTowardsMenu, "TOWARDS")],
    "gotoX:y:" => MotionGoToXY [number("X"), number("Y")],
    "gotoSpriteOrMouse:" => MotionGoTo [menu(Opcode::MotionGoToMenu, "TO")],
    "glideSecs:toX:y:elapsed:from:" => MotionGlideSecsToXY [number("SECS"), number("X"), number("Y")],
    "changeXposBy:" => MotionChangeXBy [number("DX")],
    "xpos:" => MotionSetX [number("X")],
    "changeYposBy:" => MotionChangeYBy [number("DY")],
    "ypos:" => MotionSetY [number("Y")],
    "bounceOffEdge" => MotionIfOnEdgeBounce [],
    "setRotationStyle" => MotionSetRotationStyle [Field("STYLE")],
    "xpos" => MotionXPosition [],
    "ypos" => MotionYPosition [],
    "heading" => MotionDirection [],
    "scrollRight" => MotionScrollRight [number("DISTANCE")],
    "scrollUp" => MotionScrollUp [number("DISTANCE")],
    "scrollAlign" => MotionAlignScene [Field("ALIGNMENT")],
    "xScroll" => MotionXScroll [],
    "yScroll" => MotionYScroll [],

    "say:duration:elapsed:from:" => LooksSayForSecs [text("MESSAGE"), number("SECS")],
    "say:" => LooksSay [text("MESSAGE")],
    "think:duration:elapsed:from:" => LooksThinkForSecs [text("MESSAGE"), number("SECS")],
    "think:" => LooksThink [text("MESSAGE")],
    "show" => LooksShow [],
    "hide" => LooksHide [],
    "hideAll" => LooksHideAllSprites [],
    "lookLike:" => LooksSwitchCostumeTo [menu(Opcode::LooksCostume, "COSTUME")],
    "nextCostume" => LooksNextCostume [],
    "startScene" => LooksSwitchBackdropTo [menu(Opcode::LooksBackdrops, "BACKDROP")],
    "startSceneAndWait" => LooksSwitchBackdropToAndWait [menu(Opcode::LooksBackdrops, "BACKDROP")],
    "nextScene" => LooksNextBackdrop [],
    "changeGraphicEffect:by:" => LooksChangeEffectBy [Field("EFFECT"), number("CHANGE")],
    "setGraphicEffect:to:" => LooksSetEffectTo [Field("EFFECT"), number("VALUE")],
    "filterReset" => LooksClearGraphicEffects [],
    "changeSizeBy:" => LooksChangeSizeBy [number("CHANGE")],
    "setSizeTo:" => LooksSetSizeTo [number("SIZE")],
    "changeStretchBy:" => LooksChangeStretchBy [number("CHANGE")],
    "setStretchTo:" => LooksSetStretchTo [number("STRETCH")],
    "comeToFront" => LooksGoToFrontBack [],
    "goBackByLayers:" => LooksGoForwardBackwardLayers [integer("NUM")],
    "costumeIndex" => LooksCostumeNumberName [],
    "costumeName" => LooksCostumeNumberName [],
    "sceneName" => LooksBackdropNumberName [],
    "backgroundIndex" => LooksBackdropNumberName [],
    "scale" => LooksSize [],

    "playSound:" => SoundPlay [menu(Opcode::SoundSoundsMenu, "SOUND_MENU")],
    "doPlaySoundAndWait" => SoundPlayUntilDone [menu(Opcode::SoundSoundsMenu, "SOUND_MENU")],
    "stopAllSounds" => SoundStopAllSounds [],
    "changeVolumeBy:" => SoundChangeVolumeBy [number("VOLUME")],
    "setVolumeTo:" => SoundSetVolumeTo [number("VOLUME")],
    "volume" => SoundVolume [],
    "playDrum" => MusicPlayDrumForBeats [Menu(Opcode::MusicMenuDrum, "DRUM", "1"), number("BEATS")],
    "drum:duration:elapsed:from:" => MusicMidiPlayDrumForBeats [number("DRUM"), number("BEATS")],
    "rest:elapsed:from:" => MusicRestForBeats [number("BEATS")],
    "noteOn:duration:elapsed:from:" => MusicPlayNoteForBeats [Menu(Opcode::Note, "NOTE", "60"), number("BEATS")],
    "instrument:" => MusicSetInstrument [Menu(Opcode::MusicMenuInstrument, "INSTRUMENT", "1")],
    "midiInstrument:" => MusicMidiSetInstrument [number("INSTRUMENT")],
    "changeTempoBy:" => MusicChangeTempo [number("TEMPO")],
    "setTempoTo:" => MusicSetTempo [number("TEMPO")],
    "tempo" => MusicGetTempo [],

    "clearPenTrails" => PenClear [],
    "stampCostume" => PenStamp [],
    "putPenDown" => PenPenDown [],
    "putPenUp" => PenPenUp [],
    "penColor:" => PenSetPenColorToColor [colour("COLOR")],
    "changePenHueBy:" => PenChangePenHueBy [number("HUE")],
    "setPenHueTo:" => PenSetPenHueToNumber [number("HUE")],
    "changePenShadeBy:" => PenChangePenShadeBy [number("SHADE")],
    "setPenShadeTo:" => PenSetPenShadeToNumber [number("SHADE")],
    "changePenSizeBy:" => PenChangePenSizeBy [number("SIZE")],
    "penSize:" => PenSetPenSizeTo [number("SIZE")],

    "senseVideoMotion" => VideoSensingVideoOn [
        Menu(Opcode::VideoSensingMenuAttribute, "ATTRIBUTE", "motion"),
        Menu(Opcode::VideoSensingMenuSubject, "SUBJECT", "this sprite")],
    "setVideoState" => VideoSensingVideoToggle [Menu(Opcode::VideoSensingMenuVideoState, "VIDEO_STATE", "on")],
    "setVideoTransparency" => VideoSensingSetVideoTransparency [number("TRANSPARENCY")],
    "whenSensorGreaterThan video" => VideoSensingWhenMotionGreaterThan [Dropped, number("REFERENCE")],

    "whenGreenFlag" => EventWhenFlagClicked [],
    "whenKeyPressed" => EventWhenKeyPressed [Field("KEY_OPTION")],
    "whenClicked" => EventWhenThisSpriteClicked [],
    "whenSceneStarts" => EventWhenBackdropSwitchesTo [Field("BACKDROP")],
    "whenSensorGreaterThan" => EventWhenGreaterThan [Field("WHENGREATERTHANMENU"), number("VALUE")],
    "whenIReceive" => EventWhenBroadcastReceived [Field("BROADCAST_OPTION")],
    "broadcast:" => EventBroadcast [Message("BROADCAST_INPUT")],
    "doBroadcastAndWait" => EventBroadcastAndWait [Message("BROADCAST_INPUT")],

    "wait:elapsed:from:" => ControlWait [Literal(Opcode::MathPositiveNumber, "DURATION")],
    "doRepeat" => ControlRepeat [Literal(Opcode::MathWholeNumber, "TIMES"), Branch("SUBSTACK")],
    "doForever" => ControlForever [Branch("SUBSTACK")],
    "doIf" => ControlIf [Boolean("CONDITION"), Branch("SUBSTACK")],
    "doIfElse" => ControlIfElse [Boolean("CONDITION"), Branch("SUBSTACK"), Branch("SUBSTACK2")],
    "doWaitUntil" => ControlWaitUntil [Boolean("CONDITION")],
    "doUntil" => ControlRepeatUntil [Boolean("CONDITION"), Branch("SUBSTACK")],
    "doWhile" => ControlWhile [Boolean("CONDITION"), Branch("SUBSTACK")],
    "doForLoop" => ControlForEach [Field("VARIABLE"), text("VALUE"), Branch("SUBSTACK")],
    "stopScripts" => ControlStop [Field("STOP_OPTION")],
    "whenCloned" => ControlStartAsClone [],
    "createCloneOf" => ControlCreateCloneOf [menu(Opcode::ControlCreateCloneOfMenu, "CLONE_OPTION")],
    "deleteClone" => ControlDeleteThisClone [],
    "COUNT" => ControlGetCounter [],
    "INCR_COUNT" => ControlIncrCounter [],
    "CLR_COUNT" => ControlClearCounter [],
    "warpSpeed" => ControlAllAtOnce [Branch("SUBSTACK")],

    "touching:" => SensingTouchingObject [menu(Opcode::SensingTouchingObjectMenu, "TOUCHINGOBJECTMENU")],
    "touchingColor:" => SensingTouchingColor [colour("COLOR")],
    "color:sees:" => SensingColorIsTouchingColor [colour("COLOR"), colour("COLOR2")],
    "distanceTo:" => SensingDistanceTo [menu(Opcode::SensingDistanceToMenu, "DISTANCETOMENU")],
    "doAsk" => SensingAskAndWait [text("QUESTION")],
    "answer" => SensingAnswer [],
    "keyPressed:" => SensingKeyPressed [menu(Opcode::SensingKeyOptions, "KEY_OPTION")],
    "mousePressed" => SensingMouseDown [],
    "mouseX" => SensingMouseX [],
    "mouseY" => SensingMouseY [],
    "soundLevel" => SensingLoudness [],
    "isLoud" => SensingLoud [],
    "timer" => SensingTimer [],
    "timerReset" => SensingResetTimer [],
    "getAttribute:of:" => SensingOf [Field("PROPERTY"), Menu(Opcode::SensingOfObjectMenu, "OBJECT", "_stage_")],
    "timeAndDate" => SensingCurrent [Field("CURRENTMENU")],
    "timestamp" => SensingDaysSince2000 [],
    "getUserName" => SensingUsername [],
    "getUserId" => SensingUserId [],

    "+" => OperatorAdd [number("NUM1"), number("NUM2")],
    "-" => OperatorSubtract [number("NUM1"), number("NUM2")],
    "*" => OperatorMultiply [number("NUM1"), number("NUM2")],
    "/" => OperatorDivide [number("NUM1"), number("NUM2")],
    "randomFrom:to:" => OperatorRandom [number("FROM"), number("TO")],
    "<" => OperatorLt [text("OPERAND1"), text("OPERAND2")],
    "=" => OperatorEquals [text("OPERAND1"), text("OPERAND2")],
    ">" => OperatorGt [text("OPERAND1"), text("OPERAND2")],
    "&" => OperatorAnd [Boolean("OPERAND1"), Boolean("OPERAND2")],
    "|" => OperatorOr [Boolean("OPERAND1"), Boolean("OPERAND2")],
    "not" => OperatorNot [Boolean("OPERAND")],
    "concatenate:with:" => OperatorJoin [text("STRING1"), text("STRING2")],
    "letter:of:" => OperatorLetterOf [Literal(Opcode::MathWholeNumber, "LETTER"), text("STRING")],
    "stringLength:" => OperatorLength [text("STRING")],
    "%" => OperatorMod [number("NUM1"), number("NUM2")],
    "rounded" => OperatorRound [number("NUM")],
    "computeFunction:of:" => OperatorMathOp [Field("OPERATOR"), number("NUM")],

    "readVariable" => DataVariable [Field("VARIABLE")],
    "getVar:" => DataVariable [Field("VARIABLE")],
    "setVar:to:" => DataSetVariableTo [Field("VARIABLE"), text("VALUE")],
    "changeVar:by:" => DataChangeVariableBy [Field("VARIABLE"), number("VALUE")],
    "showVariable:" => DataShowVariable [Field("VARIABLE")],
    "hideVariable:" => DataHideVariable [Field("VARIABLE")],
    "contentsOfList:" => DataListContents [Field("LIST")],
    "append:toList:" => DataAddToList [text("ITEM"), Field("LIST")],
    "deleteLine:ofList:" => DataDeleteOfList [integer("INDEX"), Field("LIST")],
    "insert:at:ofList:" => DataInsertAtList [text("ITEM"), integer("INDEX"), Field("LIST")],
    "setLine:ofList:to:" => DataReplaceItemOfList [integer("INDEX"), Field("LIST"), text("ITEM")],
    "getLine:ofList:" => DataItemOfList [integer("INDEX"), Field("LIST")],
    "lineCountOfList:" => DataLengthOfList [Field("LIST")],
    "list:contains:" => DataListContainsItem [Field("LIST"), text("ITEM")],
    "showList:" => DataShowList [Field("LIST")],
    "hideList:" => DataHideList [Field("LIST")],

    "procDef" => ProceduresDefinition [],
    "getParam" => ArgumentReporterStringNumber [Field("VALUE")],
    "call" => ProceduresCall [],
}
