//! The opcodes of Scratch 3, core and extensions.

macro_rules! opcodes {
    ($($variant:ident $name:literal,)*) => {
        /// Operation of a block.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // Each variant is documented by its opcode.
        pub enum Opcode {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
            /// Any other opcode.
            Unknown,
        }

        impl Opcode {
            /// The opcode with this name, or [`Opcode::Unknown`].
            pub fn from_name(name: &str) -> Opcode {
                match name { $($name => Opcode::$variant,)* _ => Opcode::Unknown }
            }

            /// The name in project files; `"?"` for [`Opcode::Unknown`].
            pub fn name(self) -> &'static str {
                match self { $(Opcode::$variant => $name,)* Opcode::Unknown => "?" }
            }
        }
    };
}

opcodes! {
    MotionMoveSteps "motion_movesteps",
    MotionTurnRight "motion_turnright",
    MotionTurnLeft "motion_turnleft",
    MotionGoTo "motion_goto",
    MotionGoToXY "motion_gotoxy",
    MotionGlideTo "motion_glideto",
    MotionGlideSecsToXY "motion_glidesecstoxy",
    MotionPointInDirection "motion_pointindirection",
    MotionPointTowards "motion_pointtowards",
    MotionChangeXBy "motion_changexby",
    MotionSetX "motion_setx",
    MotionChangeYBy "motion_changeyby",
    MotionSetY "motion_sety",
    MotionIfOnEdgeBounce "motion_ifonedgebounce",
    MotionSetRotationStyle "motion_setrotationstyle",
    MotionXPosition "motion_xposition",
    MotionYPosition "motion_yposition",
    MotionDirection "motion_direction",
    MotionGoToMenu "motion_goto_menu",
    MotionGlideToMenu "motion_glideto_menu",
    MotionPointTowardsMenu "motion_pointtowards_menu",
    MotionScrollRight "motion_scroll_right",
    MotionScrollUp "motion_scroll_up",
    MotionAlignScene "motion_align_scene",
    MotionXScroll "motion_xscroll",
    MotionYScroll "motion_yscroll",
    LooksSayForSecs "looks_sayforsecs",
    LooksSay "looks_say",
    LooksThinkForSecs "looks_thinkforsecs",
    LooksThink "looks_think",
    LooksSwitchCostumeTo "looks_switchcostumeto",
    LooksNextCostume "looks_nextcostume",
    LooksSwitchBackdropTo "looks_switchbackdropto",
    LooksSwitchBackdropToAndWait "looks_switchbackdroptoandwait",
    LooksNextBackdrop "looks_nextbackdrop",
    LooksChangeSizeBy "looks_changesizeby",
    LooksSetSizeTo "looks_setsizeto",
    LooksChangeEffectBy "looks_changeeffectby",
    LooksSetEffectTo "looks_seteffectto",
    LooksClearGraphicEffects "looks_cleargraphiceffects",
    LooksShow "looks_show",
    LooksHide "looks_hide",
    LooksGoToFrontBack "looks_gotofrontback",
    LooksGoForwardBackwardLayers "looks_goforwardbackwardlayers",
    LooksCostumeNumberName "looks_costumenumbername",
    LooksBackdropNumberName "looks_backdropnumbername",
    LooksSize "looks_size",
    LooksCostume "looks_costume",
    LooksBackdrops "looks_backdrops",
    LooksHideAllSprites "looks_hideallsprites",
    LooksChangeStretchBy "looks_changestretchby",
    LooksSetStretchTo "looks_setstretchto",
    SoundPlay "sound_play",
    SoundPlayUntilDone "sound_playuntildone",
    SoundStopAllSounds "sound_stopallsounds",
    SoundSetEffectTo "sound_seteffectto",
    SoundChangeEffectBy "sound_changeeffectby",
    SoundClearEffects "sound_cleareffects",
    SoundSetVolumeTo "sound_setvolumeto",
    SoundChangeVolumeBy "sound_changevolumeby",
    SoundVolume "sound_volume",
    SoundSoundsMenu "sound_sounds_menu",
    SoundBeatsMenu "sound_beats_menu",
    SoundEffectsMenu "sound_effects_menu",
    EventWhenFlagClicked "event_whenflagclicked",
    EventWhenKeyPressed "event_whenkeypressed",
    EventWhenThisSpriteClicked "event_whenthisspriteclicked",
    EventWhenStageClicked "event_whenstageclicked",
    EventWhenBackdropSwitchesTo "event_whenbackdropswitchesto",
    EventWhenGreaterThan "event_whengreaterthan",
    EventWhenTouchingObject "event_whentouchingobject",
    EventWhenBroadcastReceived "event_whenbroadcastreceived",
    EventBroadcast "event_broadcast",
    EventBroadcastAndWait "event_broadcastandwait",
    EventBroadcastMenu "event_broadcast_menu",
    EventTouchingObjectMenu "event_touchingobjectmenu",
    ControlWait "control_wait",
    ControlRepeat "control_repeat",
    ControlForever "control_forever",
    ControlIf "control_if",
    ControlIfElse "control_if_else",
    ControlWaitUntil "control_wait_until",
    ControlRepeatUntil "control_repeat_until",
    ControlWhile "control_while",
    ControlForEach "control_for_each",
    ControlAllAtOnce "control_all_at_once",
    ControlStop "control_stop",
    ControlStartAsClone "control_start_as_clone",
    ControlCreateCloneOf "control_create_clone_of",
    ControlCreateCloneOfMenu "control_create_clone_of_menu",
    ControlDeleteThisClone "control_delete_this_clone",
    ControlGetCounter "control_get_counter",
    ControlIncrCounter "control_incr_counter",
    ControlClearCounter "control_clear_counter",
    SensingTouchingObject "sensing_touchingobject",
    SensingTouchingObjectMenu "sensing_touchingobjectmenu",
    SensingTouchingColor "sensing_touchingcolor",
    SensingColorIsTouchingColor "sensing_coloristouchingcolor",
    SensingDistanceTo "sensing_distanceto",
    SensingDistanceToMenu "sensing_distancetomenu",
    SensingAskAndWait "sensing_askandwait",
    SensingAnswer "sensing_answer",
    SensingKeyPressed "sensing_keypressed",
    SensingKeyOptions "sensing_keyoptions",
    SensingMouseDown "sensing_mousedown",
    SensingMouseX "sensing_mousex",
    SensingMouseY "sensing_mousey",
    SensingSetDragMode "sensing_setdragmode",
    SensingLoudness "sensing_loudness",
    SensingLoud "sensing_loud",
    SensingTimer "sensing_timer",
    SensingResetTimer "sensing_resettimer",
    SensingOf "sensing_of",
    SensingOfObjectMenu "sensing_of_object_menu",
    SensingCurrent "sensing_current",
    SensingDaysSince2000 "sensing_dayssince2000",
    SensingUsername "sensing_username",
    SensingUserId "sensing_userid",
    SensingOnline "sensing_online",
    OperatorAdd "operator_add",
    OperatorSubtract "operator_subtract",
    OperatorMultiply "operator_multiply",
    OperatorDivide "operator_divide",
    OperatorRandom "operator_random",
    OperatorGt "operator_gt",
    OperatorLt "operator_lt",
    OperatorEquals "operator_equals",
    OperatorAnd "operator_and",
    OperatorOr "operator_or",
    OperatorNot "operator_not",
    OperatorJoin "operator_join",
    OperatorLetterOf "operator_letter_of",
    OperatorLength "operator_length",
    OperatorContains "operator_contains",
    OperatorMod "operator_mod",
    OperatorRound "operator_round",
    OperatorMathOp "operator_mathop",
    DataVariable "data_variable",
    DataSetVariableTo "data_setvariableto",
    DataChangeVariableBy "data_changevariableby",
    DataShowVariable "data_showvariable",
    DataHideVariable "data_hidevariable",
    DataListContents "data_listcontents",
    DataAddToList "data_addtolist",
    DataDeleteOfList "data_deleteoflist",
    DataDeleteAllOfList "data_deletealloflist",
    DataInsertAtList "data_insertatlist",
    DataReplaceItemOfList "data_replaceitemoflist",
    DataItemOfList "data_itemoflist",
    DataItemNumOfList "data_itemnumoflist",
    DataLengthOfList "data_lengthoflist",
    DataListContainsItem "data_listcontainsitem",
    DataShowList "data_showlist",
    DataHideList "data_hidelist",
    ProceduresDefinition "procedures_definition",
    ProceduresPrototype "procedures_prototype",
    ProceduresCall "procedures_call",
    ArgumentReporterStringNumber "argument_reporter_string_number",
    ArgumentReporterBoolean "argument_reporter_boolean",
    MathNumber "math_number",
    MathPositiveNumber "math_positive_number",
    MathWholeNumber "math_whole_number",
    MathInteger "math_integer",
    MathAngle "math_angle",
    ColourPicker "colour_picker",
    Text "text",
    Note "note",
    Matrix "matrix",
    PenClear "pen_clear",
    PenStamp "pen_stamp",
    PenPenDown "pen_penDown",
    PenPenUp "pen_penUp",
    PenSetPenColorToColor "pen_setPenColorToColor",
    PenChangePenColorParamBy "pen_changePenColorParamBy",
    PenSetPenColorParamTo "pen_setPenColorParamTo",
    PenChangePenSizeBy "pen_changePenSizeBy",
    PenSetPenSizeTo "pen_setPenSizeTo",
    PenSetPenShadeToNumber "pen_setPenShadeToNumber",
    PenChangePenShadeBy "pen_changePenShadeBy",
    PenSetPenHueToNumber "pen_setPenHueToNumber",
    PenChangePenHueBy "pen_changePenHueBy",
    PenMenuColorParam "pen_menu_colorParam",
    MusicPlayDrumForBeats "music_playDrumForBeats",
    MusicMidiPlayDrumForBeats "music_midiPlayDrumForBeats",
    MusicRestForBeats "music_restForBeats",
    MusicPlayNoteForBeats "music_playNoteForBeats",
    MusicSetInstrument "music_setInstrument",
    MusicMidiSetInstrument "music_midiSetInstrument",
    MusicSetTempo "music_setTempo",
    MusicChangeTempo "music_changeTempo",
    MusicGetTempo "music_getTempo",
    MusicMenuDrum "music_menu_DRUM",
    MusicMenuInstrument "music_menu_INSTRUMENT",
    Text2SpeechSpeakAndWait "text2speech_speakAndWait",
    Text2SpeechSetVoice "text2speech_setVoice",
    Text2SpeechSetLanguage "text2speech_setLanguage",
    Text2SpeechMenuVoices "text2speech_menu_voices",
    Text2SpeechMenuLanguages "text2speech_menu_languages",
    TranslateGetTranslate "translate_getTranslate",
    TranslateGetViewerLanguage "translate_getViewerLanguage",
    TranslateMenuLanguages "translate_menu_languages",
    VideoSensingWhenMotionGreaterThan "videoSensing_whenMotionGreaterThan",
    VideoSensingVideoOn "videoSensing_videoOn",
    VideoSensingVideoToggle "videoSensing_videoToggle",
    VideoSensingSetVideoTransparency "videoSensing_setVideoTransparency",
    VideoSensingMenuAttribute "videoSensing_menu_ATTRIBUTE",
    VideoSensingMenuSubject "videoSensing_menu_SUBJECT",
    VideoSensingMenuVideoState "videoSensing_menu_VIDEO_STATE",
    MakeyMakeyWhenMakeyKeyPressed "makeymakey_whenMakeyKeyPressed",
    MakeyMakeyWhenCodePressed "makeymakey_whenCodePressed",
    MakeyMakeyMenuKey "makeymakey_menu_KEY",
    MakeyMakeyMenuSequence "makeymakey_menu_SEQUENCE",
    FaceSensingGoToPart "faceSensing_goToPart",
    FaceSensingPointInFaceTiltDirection "faceSensing_pointInFaceTiltDirection",
    FaceSensingSetSizeToFaceSize "faceSensing_setSizeToFaceSize",
    FaceSensingWhenTilted "faceSensing_whenTilted",
    FaceSensingWhenSpriteTouchesPart "faceSensing_whenSpriteTouchesPart",
    FaceSensingWhenFaceDetected "faceSensing_whenFaceDetected",
    FaceSensingFaceIsDetected "faceSensing_faceIsDetected",
    FaceSensingFaceTilt "faceSensing_faceTilt",
    FaceSensingFaceSize "faceSensing_faceSize",
    FaceSensingMenuPart "faceSensing_menu_PART",
    FaceSensingMenuTilt "faceSensing_menu_TILT",
    MicrobitDisplayText "microbit_displayText",
    MicrobitDisplaySymbol "microbit_displaySymbol",
    MicrobitDisplayClear "microbit_displayClear",
    MicrobitIsButtonPressed "microbit_isButtonPressed",
    MicrobitMenuButtons "microbit_menu_buttons",
    Ev3MotorTurnClockwise "ev3_motorTurnClockwise",
    Ev3MotorTurnCounterClockwise "ev3_motorTurnCounterClockwise",
    Ev3Beep "ev3_beep",
    BoostMotorOnFor "boost_motorOnFor",
    BoostMotorOn "boost_motorOn",
    BoostMotorOff "boost_motorOff",
    BoostSetMotorPower "boost_setMotorPower",
    BoostSetMotorDirection "boost_setMotorDirection",
    BoostSetLightHue "boost_setLightHue",
    Wedo2MotorOnFor "wedo2_motorOnFor",
    Wedo2MotorOn "wedo2_motorOn",
    Wedo2MotorOff "wedo2_motorOff",
    Wedo2StartMotorPower "wedo2_startMotorPower",
    Wedo2SetMotorDirection "wedo2_setMotorDirection",
    Wedo2SetLightHue "wedo2_setLightHue",
    Wedo2PlayNoteFor "wedo2_playNoteFor",
    BoostMotorOnForRotation "boost_motorOnForRotation",
    BoostGetMotorPosition "boost_getMotorPosition",
    BoostWhenColor "boost_whenColor",
    BoostSeeingColor "boost_seeingColor",
    BoostWhenTilted "boost_whenTilted",
    BoostGetTiltAngle "boost_getTiltAngle",
    Ev3MotorSetPower "ev3_motorSetPower",
    Ev3GetMotorPosition "ev3_getMotorPosition",
    Ev3WhenButtonPressed "ev3_whenButtonPressed",
    Ev3WhenDistanceLessThan "ev3_whenDistanceLessThan",
    Ev3WhenBrightnessLessThan "ev3_whenBrightnessLessThan",
    Ev3ButtonPressed "ev3_buttonPressed",
    Ev3GetDistance "ev3_getDistance",
    Ev3GetBrightness "ev3_getBrightness",
    GdxForWhenGesture "gdxfor_whenGesture",
    GdxForWhenForcePushedOrPulled "gdxfor_whenForcePushedOrPulled",
    GdxForGetForce "gdxfor_getForce",
    GdxForWhenTilted "gdxfor_whenTilted",
    GdxForIsTilted "gdxfor_isTilted",
    GdxForGetTilt "gdxfor_getTilt",
    GdxForIsFreeFalling "gdxfor_isFreeFalling",
    GdxForGetSpinSpeed "gdxfor_getSpinSpeed",
    GdxForGetAcceleration "gdxfor_getAcceleration",
    MicrobitWhenButtonPressed "microbit_whenButtonPressed",
    MicrobitWhenGesture "microbit_whenGesture",
    MicrobitWhenTilted "microbit_whenTilted",
    MicrobitIsTilted "microbit_isTilted",
    MicrobitGetTiltAngle "microbit_getTiltAngle",
    MicrobitWhenPinConnected "microbit_whenPinConnected",
    Speech2TextListenAndWait "speech2text_listenAndWait",
    Speech2TextWhenIHearHat "speech2text_whenIHearHat",
    Speech2TextGetSpeech "speech2text_getSpeech",
    Wedo2WhenDistance "wedo2_whenDistance",
    Wedo2WhenTilted "wedo2_whenTilted",
    Wedo2GetDistance "wedo2_getDistance",
    Wedo2IsTilted "wedo2_isTilted",
    Wedo2GetTiltAngle "wedo2_getTiltAngle",
}

impl Opcode {
    /// Whether this is a supported hat block that starts a script. Definitions of custom blocks do
    /// not count.
    pub fn is_hat(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            EventWhenFlagClicked
                | EventWhenKeyPressed
                | EventWhenThisSpriteClicked
                | EventWhenStageClicked
                | EventWhenBackdropSwitchesTo
                | EventWhenGreaterThan
                | EventWhenTouchingObject
                | EventWhenBroadcastReceived
                | ControlStartAsClone
                | VideoSensingWhenMotionGreaterThan
                | MakeyMakeyWhenMakeyKeyPressed
                | MakeyMakeyWhenCodePressed
                | FaceSensingWhenTilted
                | FaceSensingWhenSpriteTouchesPart
                | FaceSensingWhenFaceDetected
        )
    }

    /// Whether this is a supported Boolean reporter.
    pub fn is_boolean(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            SensingTouchingObject
                | SensingTouchingColor
                | SensingColorIsTouchingColor
                | SensingKeyPressed
                | SensingMouseDown
                | SensingLoud
                | SensingOnline
                | FaceSensingFaceIsDetected
                | OperatorGt
                | OperatorLt
                | OperatorEquals
                | OperatorAnd
                | OperatorOr
                | OperatorNot
                | OperatorContains
                | DataListContainsItem
                | ArgumentReporterBoolean
        )
    }

    /// Whether this is an edge-activated hat, which starts its script when its predicate changes
    /// from false to true.
    pub fn is_edge_hat(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            EventWhenGreaterThan
                | EventWhenTouchingObject
                | VideoSensingWhenMotionGreaterThan
                | MakeyMakeyWhenMakeyKeyPressed
                | MakeyMakeyWhenCodePressed
                | FaceSensingWhenTilted
                | FaceSensingWhenSpriteTouchesPart
                | FaceSensingWhenFaceDetected
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Opcode;

    #[test]
    fn names_round_trip() {
        for name in ["motion_movesteps", "pen_penDown", "makeymakey_whenCodePressed"] {
            assert_eq!(Opcode::from_name(name).name(), name);
        }
        assert_eq!(Opcode::from_name("wedo2_dance"), Opcode::Unknown);
    }

    #[test]
    fn all_opcodes_of_todays_scratch_are_known() {
        let list = include_str!("../../../../tests/today/blocks.json");
        let list: serde_json::Value = serde_json::from_str(list).unwrap();
        let opcodes = list["opcodes"].as_array().unwrap().iter();
        let opcodes: Vec<_> = opcodes.map(|opcode| opcode.as_str().unwrap()).collect();
        assert!(opcodes.len() > 240, "{opcodes:?}");
        let unknown = opcodes.iter().filter(|name| Opcode::from_name(name) == Opcode::Unknown);
        assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}
