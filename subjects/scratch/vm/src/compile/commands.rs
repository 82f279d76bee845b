//! Compilation of stack blocks to commands.

use catherd_scratch_render::Effect;
use catherd_scratch_sb3::{self as sb3, Block, Opcode, RotationStyle};

use super::{Compiler, message};
use crate::code::*;
use crate::compat::Compat;

impl<'a> Compiler<'a> {
    /// The operation of a stack block, and the range of its early inputs in
    /// [`Program::early_inputs`](crate::Program).
    pub(super) fn operation(&mut self, block: &'a Block) -> (Op, (u32, u32)) {
        self.translates = false;
        let (op, (from, mut to)) = self.operation_at_once(block);
        if self.translates {
            let translation = self.expr(Expr::AwaitedTranslation, false);
            self.early_inputs.push(translation);
            to += 1;
        }
        (op, (from, to))
    }

    fn operation_at_once(&mut self, block: &'a Block) -> (Op, (u32, u32)) {
        let today = (self.compat == Compat::Today).then(|| super::today::operands(block.opcode));
        let (names, constructor) = today.flatten().unwrap_or_else(|| operands(block.opcode));
        let mut operands = [ExprId(0); 3];
        for (slot, name) in names.iter().enumerate() {
            operands[slot] = self.input(block, name);
        }
        let before = self.early_inputs_of(block, names, &mut operands);
        let op = match constructor {
            Constructor::Fixed(op) => op,
            Constructor::Unary(make) => make(operands[0]),
            Constructor::Binary(make) => make(operands[0], operands[1]),
            Constructor::Ternary(make) => make(operands[0], operands[1], operands[2]),
            Constructor::Special => self.special(block, operands),
        };
        if matches!(op, Op::Nothing | Op::HatNever) && before.0 == before.1 {
            // The block has no effect, but its inputs also take random numbers in the original.
            let draws = operands[..names.len()].iter().copied().filter(|&e| self.draws(e));
            let draws: Vec<ExprId> = draws.collect();
            self.early_inputs.extend(draws);
            return (op, (before.0, self.early_inputs.len() as u32));
        }
        (op, before)
    }

    /// Selects the inputs that are evaluated before the operation, so that all random numbers are
    /// taken in file order.
    fn early_inputs_of(
        &mut self,
        block: &'a Block,
        names: &[&str],
        operands: &mut [ExprId; 3],
    ) -> (u32, u32) {
        let start = self.early_inputs.len() as u32;
        if block.opcode == Opcode::ProceduresCall {
            return (start, start); // Arguments are evaluated in file order.
        }
        // A condition that is evaluated early has no separate distances.
        let decides = names.contains(&"CONDITION");
        let takes = |e| if decides { self.draws(e) } else { self.takes(e) };
        let used: Vec<_> = (0..names.len()).filter(|&i| takes(operands[i])).collect();
        let place = |i: &usize| block.inputs.iter().position(|input| *input.name == *names[*i]);
        let in_order = used.iter().map(place).is_sorted();
        let mut list: Vec<(usize, ExprId)> = Vec::new();
        for (at, input) in block.inputs.iter().enumerate() {
            let name = &*input.name;
            if names.contains(&name) || name.starts_with("SUBSTACK") || name == "custom_block" {
                continue;
            }
            if matches!(input.block, sb3::Slot::Block(_)) {
                let e = self.slot(&input.block);
                if self.draws(e) {
                    list.push((at, e));
                }
            }
        }
        if list.is_empty() && in_order {
            return (start, start);
        }
        list.extend(used.iter().filter_map(|i| Some((place(i)?, operands[*i]))));
        list.sort_by_key(|&(at, _)| at);
        for slot in used {
            let at = list.iter().position(|&(_, e)| e == operands[slot]);
            if let Some(at) = at {
                operands[slot] = self.expr(Expr::EarlyInput(at as u32), false);
            }
        }
        self.early_inputs.extend(list.iter().map(|&(_, e)| e));
        (start, self.early_inputs.len() as u32)
    }

    fn special(&mut self, block: &'a Block, operands: [ExprId; 3]) -> Op {
        use Opcode::*;
        let field = |name: &str| block.field(name).map_or("", |f| f.text());
        let [a, b, _] = operands;
        let body = block.substack(1);
        match block.opcode {
            EventWhenGreaterThan => match &*field("WHENGREATERTHANMENU").to_lowercase() {
                "timer" => Op::HatGreater { sensor: Sensor::Timer, value: a },
                "loudness" => Op::HatGreater { sensor: Sensor::Loudness, value: a },
                _ => Op::HatNever,
            },
            MotionSetRotationStyle => match field("STYLE") {
                "all around" => Op::SetRotationStyle(RotationStyle::AllAround),
                "left-right" => Op::SetRotationStyle(RotationStyle::LeftRight),
                "don't rotate" => Op::SetRotationStyle(RotationStyle::DontRotate),
                _ => Op::Nothing,
            },
            LooksChangeEffectBy | LooksSetEffectTo => {
                match Effect::from_name(&field("EFFECT").to_lowercase()) {
                    Some(effect) if block.opcode == LooksSetEffectTo => Op::SetEffect(effect, a),
                    Some(effect) => Op::ChangeEffect(effect, a),
                    None => Op::Nothing,
                }
            }
            LooksGoToFrontBack => {
                if field("FRONT_BACK") == "front" {
                    Op::GoToFront
                } else {
                    Op::GoToBack
                }
            }
            LooksGoForwardBackwardLayers => {
                Op::GoLayers { by: a, backward: field("FORWARD_BACKWARD") != "forward" }
            }
            SoundSetEffectTo | SoundChangeEffectBy => {
                let effect = match &*field("EFFECT").to_lowercase() {
                    "pitch" => SoundEffect::Pitch,
                    "pan" => SoundEffect::Pan,
                    _ => return Op::Nothing,
                };
                Op::SetSoundEffect { effect, value: a, change: block.opcode == SoundChangeEffectBy }
            }
            EventBroadcast => Op::Broadcast(self.message(block, a)),
            EventBroadcastAndWait => Op::BroadcastAndWait(self.message(block, a)),
            ControlRepeat => Op::Repeat { times: a, body: self.command_or_none(body) },
            ControlForever => Op::Forever { body: self.command_or_none(body) },
            ControlIf => Op::If { condition: a, then: self.command_or_none(body) },
            ControlIfElse => Op::IfElse {
                condition: a,
                then: self.command_or_none(body),
                otherwise: self.command_or_none(block.substack(2)),
            },
            ControlWaitUntil => Op::WaitUntil { condition: a, draws: self.draws(a) },
            ControlRepeatUntil => {
                Op::RepeatUntil { condition: a, body: self.command_or_none(body) }
            }
            ControlWhile => Op::While { condition: a, body: self.command_or_none(body) },
            ControlForEach => match block.field("VARIABLE") {
                Some(f) => {
                    let (variable, _) = self.variable(f.id.as_deref().unwrap_or(""), f.text());
                    Op::ForEach { variable, count: a, body: self.command_or_none(body) }
                }
                None => Op::Nothing,
            },
            ControlAllAtOnce => Op::AllAtOnce { body: self.command_or_none(body) },
            ControlStop => match field("STOP_OPTION") {
                "all" => Op::StopAll,
                "this script" => Op::StopThisScript,
                "other scripts in sprite" | "other scripts in stage" => Op::StopOtherScripts,
                _ => Op::Nothing,
            },
            SensingSetDragMode => Op::SetDraggable(field("DRAG_MODE") == "draggable"),
            DataSetVariableTo | DataChangeVariableBy => {
                let Some(f) = block.field("VARIABLE") else { return Op::Nothing };
                let (slot, _) = self.variable(f.id.as_deref().unwrap_or(""), f.text());
                if block.opcode == DataSetVariableTo {
                    Op::SetVariable(slot, a)
                } else {
                    Op::ChangeVariable(slot, a)
                }
            }
            DataShowVariable | DataHideVariable | DataShowList | DataHideList => {
                let list = matches!(block.opcode, DataShowList | DataHideList);
                let field = block.field(if list { "LIST" } else { "VARIABLE" });
                match self.monitors.of(field.and_then(|f| f.id.as_deref()).unwrap_or("")) {
                    Some(monitor) => Op::SetMonitorShown {
                        monitor,
                        shown: matches!(block.opcode, DataShowVariable | DataShowList),
                    },
                    None => Op::Nothing,
                }
            }
            DataAddToList
            | DataDeleteOfList
            | DataDeleteAllOfList
            | DataInsertAtList
            | DataReplaceItemOfList => {
                let Some(f) = block.field("LIST") else { return Op::Nothing };
                let list = self.list(f.id.as_deref().unwrap_or(""), f.text());
                match block.opcode {
                    DataAddToList => Op::AddToList(list, a),
                    DataDeleteOfList => Op::DeleteOfList(list, a),
                    DataDeleteAllOfList => Op::DeleteAllOfList(list),
                    DataInsertAtList => Op::InsertAtList { list, index: b, item: a },
                    _ => Op::ReplaceItemOfList { list, index: a, item: b },
                }
            }
            ProceduresCall => self.call(block),
            _ => Op::Nothing,
        }
    }

    /// The message of a broadcast block: by id if the input is a menu, otherwise by name.
    fn message(&mut self, block: &'a Block, computed: ExprId) -> Message {
        let Some(input) = block.input("BROADCAST_INPUT") else { return Message::Fixed(None) };
        let id = match &input.block {
            sb3::Slot::Literal(sb3::Literal::Broadcast { id, .. }) => Some(&**id),
            sb3::Slot::Block(menu) => {
                let menu = &self.scope.target.blocks[*menu as usize];
                match (menu.opcode, menu.field("BROADCAST_OPTION")) {
                    (Opcode::EventBroadcastMenu, Some(field)) => {
                        Some(field.id.as_deref().unwrap_or(""))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(id) = id else {
            return Message::Computed(computed);
        };
        let stage = &self.project.targets[self.stage];
        let name = stage.broadcasts.iter().find(|(known, _)| **known == *id);
        Message::Fixed(
            name.map(|(_, name)| message(&mut self.messages, &crate::text::Text::new(&**name))),
        )
    }

    fn call(&mut self, block: &'a Block) -> Op {
        let procedure = match &block.mutation {
            Some(sb3::Mutation::Call { proccode }) => {
                self.scope.by_proccode.get(&**proccode).copied()
            }
            _ => None,
        };
        let arguments: Vec<(u32, ExprId)> = block
            .inputs
            .iter()
            .map(|input| {
                let slot = procedure.and_then(|p| {
                    let (ids, _) = self.scope.parameters[p as usize];
                    ids.iter().position(|id| **id == *input.name)
                });
                (slot.map_or(NONE, |s| s as u32), self.slot(&input.block))
            })
            .collect();
        let start = self.arguments.len() as u32;
        self.arguments.extend(arguments);
        Op::Call { procedure, arguments: (start, self.arguments.len() as u32) }
    }
}

pub(super) enum Constructor {
    Fixed(Op),
    Unary(fn(ExprId) -> Op),
    Binary(fn(ExprId, ExprId) -> Op),
    Ternary(fn(ExprId, ExprId, ExprId) -> Op),
    /// The operation needs fields, branches or names, and is constructed by [`Compiler::special`].
    Special,
}

/// The names of a block's operands in the order of their evaluation, and the function that
/// constructs its operation.
fn operands(opcode: Opcode) -> (&'static [&'static str], Constructor) {
    use Constructor::*;
    use Opcode::*;
    match opcode {
        EventWhenTouchingObject => (&["TOUCHINGOBJECTMENU"], Unary(Op::HatTouching)),
        EventWhenGreaterThan => (&["VALUE"], Special),
        VideoSensingWhenMotionGreaterThan => {
            (&["REFERENCE"], Unary(|value| Op::HatGreater { sensor: Sensor::Motion, value }))
        }
        MakeyMakeyWhenMakeyKeyPressed
        | MakeyMakeyWhenCodePressed
        | FaceSensingWhenTilted
        | FaceSensingWhenSpriteTouchesPart
        | FaceSensingWhenFaceDetected => (&[], Fixed(Op::HatNever)),

        MotionMoveSteps => (&["STEPS"], Unary(Op::MoveSteps)),
        MotionGoTo => (&["TO"], Unary(Op::GoTo)),
        MotionGoToXY => (&["X", "Y"], Binary(Op::GoToXY)),
        MotionTurnRight => (&["DEGREES"], Unary(|degrees| Op::Turn { degrees, left: false })),
        MotionTurnLeft => (&["DEGREES"], Unary(|degrees| Op::Turn { degrees, left: true })),
        MotionPointInDirection => (&["DIRECTION"], Unary(Op::PointInDirection)),
        MotionPointTowards => (&["TOWARDS"], Unary(Op::PointTowards)),
        MotionGlideTo => (&["SECS", "TO"], Binary(|seconds, to| Op::GlideTo { seconds, to })),
        MotionGlideSecsToXY => {
            (&["SECS", "X", "Y"], Ternary(|seconds, x, y| Op::GlideToXY { seconds, x, y }))
        }
        MotionChangeXBy => (&["DX"], Unary(Op::ChangeX)),
        MotionSetX => (&["X"], Unary(Op::SetX)),
        MotionChangeYBy => (&["DY"], Unary(Op::ChangeY)),
        MotionSetY => (&["Y"], Unary(Op::SetY)),
        MotionIfOnEdgeBounce => (&[], Fixed(Op::BounceOnEdge)),

        LooksSay | LooksThink => (&["MESSAGE"], Unary(|text| Op::Say { text })),
        LooksSayForSecs | LooksThinkForSecs => {
            (&["MESSAGE", "SECS"], Binary(|text, seconds| Op::SayFor { text, seconds }))
        }
        LooksShow => (&[], Fixed(Op::Show)),
        LooksHide => (&[], Fixed(Op::Hide)),
        LooksSwitchCostumeTo => (&["COSTUME"], Unary(Op::SwitchCostume)),
        LooksNextCostume => (&[], Fixed(Op::NextCostume)),
        // "and wait" does not wait in the original with the changes of the Whisker paper.
        // See `today::operands`.
        LooksSwitchBackdropTo | LooksSwitchBackdropToAndWait => {
            (&["BACKDROP"], Unary(Op::SwitchBackdrop))
        }
        LooksNextBackdrop => (&[], Fixed(Op::NextBackdrop)),
        LooksChangeEffectBy => (&["CHANGE"], Special),
        LooksSetEffectTo => (&["VALUE"], Special),
        LooksClearGraphicEffects => (&[], Fixed(Op::ClearEffects)),
        LooksChangeSizeBy => (&["CHANGE"], Unary(Op::ChangeSize)),
        LooksSetSizeTo => (&["SIZE"], Unary(Op::SetSize)),
        LooksGoForwardBackwardLayers => (&["NUM"], Special),

        SoundPlayUntilDone => (&["SOUND_MENU"], Unary(Op::PlaySoundUntilDone)),
        SoundSetEffectTo | SoundChangeEffectBy => (&["VALUE"], Special),
        SoundClearEffects => (&[], Fixed(Op::ClearSoundEffects)),
        SoundSetVolumeTo => (&["VOLUME"], Unary(|value| Op::SetVolume { value, change: false })),
        SoundChangeVolumeBy => (&["VOLUME"], Unary(|value| Op::SetVolume { value, change: true })),

        EventBroadcast | EventBroadcastAndWait => (&["BROADCAST_INPUT"], Special),

        ControlWait => (&["DURATION"], Unary(Op::Wait)),
        ControlRepeat => (&["TIMES"], Special),
        ControlIf | ControlIfElse | ControlWaitUntil | ControlRepeatUntil | ControlWhile => {
            (&["CONDITION"], Special)
        }
        ControlForEach => (&["VALUE"], Special),
        ControlCreateCloneOf => (&["CLONE_OPTION"], Unary(Op::CreateClone)),
        ControlDeleteThisClone => (&[], Fixed(Op::DeleteThisClone)),
        ControlIncrCounter => (&[], Fixed(Op::IncrementCounter)),
        ControlClearCounter => (&[], Fixed(Op::ClearCounter)),

        SensingAskAndWait => (&["QUESTION"], Unary(Op::Ask)),
        SensingResetTimer => (&[], Fixed(Op::ResetTimer)),

        DataSetVariableTo | DataChangeVariableBy => (&["VALUE"], Special),
        DataAddToList => (&["ITEM"], Special),
        DataDeleteOfList => (&["INDEX"], Special),
        DataInsertAtList => (&["ITEM", "INDEX"], Special),
        DataReplaceItemOfList => (&["INDEX", "ITEM"], Special),

        PenClear => (&[], Fixed(Op::PenClear)),
        PenStamp => (&[], Fixed(Op::PenStamp)),
        PenPenDown => (&[], Fixed(Op::PenDown)),
        PenPenUp => (&[], Fixed(Op::PenUp)),
        PenSetPenColorToColor => (&["COLOR"], Unary(Op::PenColor)),
        PenSetPenColorParamTo => (
            &["COLOR_PARAM", "VALUE"],
            Binary(|param, value| Op::PenParam { param, value, change: false }),
        ),
        PenChangePenColorParamBy => (
            &["COLOR_PARAM", "VALUE"],
            Binary(|param, value| Op::PenParam { param, value, change: true }),
        ),
        PenSetPenSizeTo => (&["SIZE"], Unary(|value| Op::PenSize { value, change: false })),
        PenChangePenSizeBy => (&["SIZE"], Unary(|value| Op::PenSize { value, change: true })),
        PenSetPenShadeToNumber => {
            (&["SHADE"], Unary(|value| Op::PenShade { value, change: false }))
        }
        PenChangePenShadeBy => (&["SHADE"], Unary(|value| Op::PenShade { value, change: true })),
        PenSetPenHueToNumber => (&["HUE"], Unary(|value| Op::PenHue { value, change: false })),
        PenChangePenHueBy => (&["HUE"], Unary(|value| Op::PenHue { value, change: true })),

        MusicPlayDrumForBeats | MusicMidiPlayDrumForBeats | MusicRestForBeats => {
            (&["BEATS"], Unary(|beats| Op::PlayBeats { beats, note: false }))
        }
        MusicPlayNoteForBeats => (&["BEATS"], Unary(|beats| Op::PlayBeats { beats, note: true })),
        MusicSetTempo => (&["TEMPO"], Unary(|value| Op::SetTempo { value, change: false })),
        MusicChangeTempo => (&["TEMPO"], Unary(|value| Op::SetTempo { value, change: true })),
        MicrobitDisplayText => (&["TEXT"], Unary(|text| Op::Device(Device::Text, text))),
        BoostMotorOnFor | Wedo2MotorOnFor => {
            (&["DURATION"], Unary(|s| Op::Device(Device::Motor, s)))
        }
        Ev3MotorTurnClockwise | Ev3MotorTurnCounterClockwise => {
            (&["TIME"], Unary(|seconds| Op::Device(Device::Motor, seconds)))
        }
        Ev3Beep => (&["TIME"], Unary(|seconds| Op::Device(Device::Beep, seconds))),
        Wedo2PlayNoteFor => (&["DURATION"], Unary(|seconds| Op::Device(Device::Beep, seconds))),
        MicrobitDisplaySymbol
        | MicrobitDisplayClear
        | BoostMotorOn
        | BoostMotorOff
        | BoostSetMotorPower
        | BoostSetMotorDirection
        | BoostSetLightHue
        | Wedo2MotorOn
        | Wedo2MotorOff
        | Wedo2StartMotorPower
        | Wedo2SetMotorDirection
        | Wedo2SetLightHue => (&["MATRIX"], Unary(|e| Op::Device(Device::Send, e))),
        Text2SpeechSpeakAndWait => (&["WORDS"], Unary(Op::Speak)),

        MotionSetRotationStyle
        | LooksGoToFrontBack
        | ControlForever
        | ControlAllAtOnce
        | ControlStop
        | SensingSetDragMode
        | DataDeleteAllOfList
        | DataShowVariable
        | DataHideVariable
        | DataShowList
        | DataHideList
        | ProceduresCall => (&[], Special),
        // Blocks without an effect that a program can sense.
        _ => (&[], Fixed(Op::Nothing)),
    }
}
