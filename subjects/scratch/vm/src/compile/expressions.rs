//! Compilation of inputs and reporters to expressions.

use catherd_scratch_sb3::{self as sb3, Block, Literal, Opcode};

use super::{CompileError, Compiler, MAX_NESTING};
use crate::code::*;
use crate::text::Text;
use crate::value::Value;

impl<'a> Compiler<'a> {
    pub(super) fn expr(&mut self, expr: Expr, draws: bool) -> ExprId {
        self.exprs.push(expr);
        self.draws.push(draws);
        ExprId(self.exprs.len() as u32 - 1)
    }

    pub(super) fn draws(&self, e: ExprId) -> bool {
        self.draws[e.0 as usize]
    }

    pub(super) fn undefined(&mut self) -> ExprId {
        self.expr(Expr::Undefined, false)
    }

    fn constant(&mut self, value: Value) -> ExprId {
        if let Value::Number(n) = value {
            return self.expr(Expr::Number(n), false);
        }
        self.constants.push(value);
        self.expr(Expr::Constant(self.constants.len() as u32 - 1), false)
    }

    pub(super) fn text(&mut self, text: &str) -> ExprId {
        self.constant(Value::from(text))
    }

    pub(super) fn input(&mut self, block: &'a Block, name: &str) -> ExprId {
        match block.input(name) {
            Some(input) => self.slot(&input.block),
            None => self.undefined(),
        }
    }

    pub(super) fn slot(&mut self, slot: &'a sb3::Slot) -> ExprId {
        match slot {
            sb3::Slot::Empty => self.undefined(),
            sb3::Slot::Literal(literal) => self.literal(literal),
            sb3::Slot::Block(index) => {
                let target = self.scope.target;
                let Some(block) = target.blocks.get(*index as usize) else {
                    return self.undefined();
                };
                self.depth += 1;
                if self.depth > MAX_NESTING {
                    self.depth -= 1;
                    self.error.get_or_insert_with(|| CompileError::Nesting {
                        target: target.name.to_string(),
                        block: block.id.to_string(),
                    });
                    return self.undefined();
                }
                let e = self.reporter(block);
                self.depth -= 1;
                e
            }
        }
    }

    fn literal(&mut self, literal: &'a Literal) -> ExprId {
        match literal {
            Literal::Value { value, .. } => self.constant(Value::from(value)),
            Literal::Broadcast { name, .. } => self.text(name),
            Literal::Variable { name, id } => self.variable_expr(id, name),
            Literal::List { name, id } => {
                let list = self.list(id, name);
                self.expr(Expr::ListContents(list), false)
            }
        }
    }

    fn variable_expr(&mut self, id: &'a str, name: &str) -> ExprId {
        let (slot, lazy) = self.variable(id, name);
        self.expr(if lazy { Expr::LazyVariable(slot) } else { Expr::Variable(slot) }, false)
    }

    /// Like [`draws`](Self::draws), but false for `item` blocks whose index is computed as a
    /// number, because only an index that is a word can take a random number.
    pub(super) fn takes(&self, e: ExprId) -> bool {
        self.draws(e)
            && match self.exprs[e.0 as usize] {
                Expr::Add(a, b)
                | Expr::Subtract(a, b)
                | Expr::Multiply(a, b)
                | Expr::Divide(a, b)
                | Expr::Modulo(a, b)
                | Expr::Less(a, b)
                | Expr::Equals(a, b)
                | Expr::Greater(a, b)
                | Expr::And(a, b)
                | Expr::Or(a, b)
                | Expr::Join(a, b)
                | Expr::LetterOf { letter: a, text: b }
                | Expr::Contains { text: a, part: b } => self.takes(a) || self.takes(b),
                Expr::Round(a)
                | Expr::Math(_, a)
                | Expr::Not(a)
                | Expr::Outcome(a)
                | Expr::Length(a)
                | Expr::ItemNumberOfList(_, a)
                | Expr::ListContains(_, a) => self.takes(a),
                Expr::ItemOfList(_, index) => {
                    self.takes(index) || !self.exprs[index.0 as usize].is_number()
                }
                _ => true,
            }
    }

    fn unary(&mut self, block: &'a Block, a: &str, make: impl FnOnce(ExprId) -> Expr) -> ExprId {
        let a = self.input(block, a);
        let draws = self.draws(a);
        self.expr(make(a), draws)
    }

    /// Operands that both take random numbers are evaluated in file order.
    fn binary(
        &mut self,
        block: &'a Block,
        a: &str,
        b: &str,
        make: impl FnOnce(ExprId, ExprId) -> Expr,
    ) -> ExprId {
        let (ea, eb) = (self.input(block, a), self.input(block, b));
        let draws = self.draws(ea) || self.draws(eb);
        let place = |name: &str| block.inputs.iter().position(|i| *i.name == *name);
        let reversed = self.draws(ea) && self.draws(eb) && place(b) < place(a);
        if !reversed {
            return self.expr(make(ea, eb), draws);
        }
        if !self.takes(ea) || !self.takes(eb) {
            // The order of evaluation does not matter here, but the second operand must have no
            // separate distances, as if it were evaluated early.
            let node = match make(ea, eb) {
                Expr::And(a, b) => Expr::And(a, self.expr(Expr::Outcome(b), draws)),
                Expr::Or(a, b) => Expr::Or(a, self.expr(Expr::Outcome(b), draws)),
                node => node,
            };
            return self.expr(node, draws);
        }
        let aside = self.expr(Expr::DeferredOperand, false);
        let node = self.expr(make(ea, aside), draws);
        self.expr(Expr::Reversed { first: eb, node }, draws)
    }

    fn reporter(&mut self, block: &'a Block) -> ExprId {
        use Opcode::*;
        let field = |name: &str| block.field(name).map_or("", |f| f.text());
        match block.opcode {
            OperatorAdd => self.binary(block, "NUM1", "NUM2", Expr::Add),
            OperatorSubtract => self.binary(block, "NUM1", "NUM2", Expr::Subtract),
            OperatorMultiply => self.binary(block, "NUM1", "NUM2", Expr::Multiply),
            OperatorDivide => self.binary(block, "NUM1", "NUM2", Expr::Divide),
            OperatorMod => self.binary(block, "NUM1", "NUM2", Expr::Modulo),
            OperatorRound => self.unary(block, "NUM", Expr::Round),
            OperatorMathOp => {
                let op = math_op(field("OPERATOR"));
                self.unary(block, "NUM", |a| Expr::Math(op, a))
            }
            OperatorRandom => {
                let e = self.binary(block, "FROM", "TO", Expr::Random);
                self.draws[e.0 as usize] = true;
                e
            }
            OperatorLt => self.binary(block, "OPERAND1", "OPERAND2", Expr::Less),
            OperatorEquals => self.binary(block, "OPERAND1", "OPERAND2", Expr::Equals),
            OperatorGt => self.binary(block, "OPERAND1", "OPERAND2", Expr::Greater),
            OperatorAnd => self.binary(block, "OPERAND1", "OPERAND2", Expr::And),
            OperatorOr => self.binary(block, "OPERAND1", "OPERAND2", Expr::Or),
            OperatorNot => self.unary(block, "OPERAND", Expr::Not),
            OperatorJoin => self.binary(block, "STRING1", "STRING2", Expr::Join),
            OperatorLetterOf => self
                .binary(block, "LETTER", "STRING", |letter, text| Expr::LetterOf { letter, text }),
            OperatorLength => self.unary(block, "STRING", Expr::Length),
            OperatorContains => {
                self.binary(block, "STRING1", "STRING2", |text, part| Expr::Contains { text, part })
            }

            MotionXPosition => self.expr(Expr::XPosition, false),
            MotionYPosition => self.expr(Expr::YPosition, false),
            MotionDirection => self.expr(Expr::Direction, false),
            LooksSize => self.expr(Expr::Size, false),
            LooksCostumeNumberName => {
                let number = field("NUMBER_NAME") == "number";
                self.expr(if number { Expr::CostumeNumber } else { Expr::CostumeName }, false)
            }
            LooksBackdropNumberName => {
                let number = field("NUMBER_NAME") == "number";
                self.expr(if number { Expr::BackdropNumber } else { Expr::BackdropName }, false)
            }
            SoundVolume => self.expr(Expr::Volume, false),
            MusicGetTempo => self.expr(Expr::Tempo, false),
            ControlGetCounter => self.expr(Expr::Counter, false),

            SensingTouchingObject => self.unary(block, "TOUCHINGOBJECTMENU", Expr::Touching),
            SensingTouchingColor => self.unary(block, "COLOR", Expr::TouchingColor),
            SensingColorIsTouchingColor => {
                self.binary(block, "COLOR", "COLOR2", Expr::ColorTouchingColor)
            }
            SensingDistanceTo => self.unary(block, "DISTANCETOMENU", Expr::DistanceTo),
            SensingAnswer => self.expr(Expr::Answer, false),
            SensingKeyPressed => self.unary(block, "KEY_OPTION", Expr::KeyPressed),
            SensingMouseDown => self.expr(Expr::MouseDown, false),
            SensingMouseX => self.expr(Expr::MouseX, false),
            SensingMouseY => self.expr(Expr::MouseY, false),
            SensingLoudness => self.expr(Expr::Loudness, false),
            SensingLoud => self.expr(Expr::Loud, false),
            SensingTimer => self.expr(Expr::Timer, false),
            SensingOf => {
                let property = property(field("PROPERTY"));
                self.unary(block, "OBJECT", |object| Expr::Of { property, object })
            }
            SensingCurrent => self.expr(Expr::Current(calendar(field("CURRENTMENU"))), false),
            SensingDaysSince2000 => self.expr(Expr::DaysSince2000, false),
            SensingUsername => self.expr(Expr::Username, false),
            VideoSensingVideoOn => {
                let node = self.expr(Expr::VideoMotion, false);
                self.with_unused_inputs(block, &[], node)
            }
            TranslateGetTranslate => {
                self.translates = true;
                let node = self.unary(block, "WORDS", Expr::Translate);
                self.with_unused_inputs(block, &["WORDS"], node)
            }
            SensingOnline => self.constant(Value::Bool(true)),
            // No face is detected, because there is no camera.
            FaceSensingFaceIsDetected => self.constant(Value::Bool(false)),
            FaceSensingFaceTilt => self.expr(Expr::Number(90.0), false),
            FaceSensingFaceSize => self.expr(Expr::Number(100.0), false),
            TranslateGetViewerLanguage => self.text("English"),

            DataVariable => match block.field("VARIABLE") {
                Some(f) => self.variable_expr(f.id.as_deref().unwrap_or(""), f.text()),
                None => self.undefined(),
            },
            DataListContents => self.list_node(block, |list, _| Expr::ListContents(list)),
            DataItemOfList => self.list_node(block, |list, c| {
                let index = c.input(block, "INDEX");
                Expr::ItemOfList(list, index)
            }),
            DataItemNumOfList => self.list_node(block, |list, c| {
                let item = c.input(block, "ITEM");
                Expr::ItemNumberOfList(list, item)
            }),
            DataLengthOfList => self.list_node(block, |list, _| Expr::LengthOfList(list)),
            DataListContainsItem => self.list_node(block, |list, c| {
                let item = c.input(block, "ITEM");
                Expr::ListContains(list, item)
            }),

            ArgumentReporterStringNumber | ArgumentReporterBoolean => {
                self.parameter(field("VALUE"))
            }
            SoundSoundsMenu => self.text(field("SOUND_MENU")),
            SoundBeatsMenu => self.text(field("BEATS")),
            SoundEffectsMenu => self.text(field("EFFECT")),
            MotionXScroll | MotionYScroll | SensingUserId => self.undefined(),
            MicrobitIsButtonPressed => {
                let node = self.constant(Value::Bool(false));
                self.with_unused_inputs(block, &[], node)
            }
            opcode if opcode.is_hat() => self.undefined(),
            _ => match (&block.fields[..], block.inputs.is_empty()) {
                // A menu is a block with one field and no inputs. Its value is the value of the
                // field.
                ([field], true) => self.constant(Value::from(&field.value)),
                _ => {
                    let node = self.undefined();
                    self.with_unused_inputs(block, &[], node)
                }
            },
        }
    }

    /// Returns an expression that first evaluates the unused inputs that take random numbers, and
    /// then `node`.
    fn with_unused_inputs(&mut self, block: &'a Block, used: &[&str], mut node: ExprId) -> ExprId {
        for input in block.inputs.iter().rev() {
            if used.contains(&&*input.name) || input.name.starts_with("SUBSTACK") {
                continue;
            }
            let first = self.slot(&input.block);
            if self.draws(first) {
                node = self.expr(Expr::Then { first, node }, true);
            }
        }
        node
    }

    fn list_node(
        &mut self,
        block: &'a Block,
        make: impl FnOnce(Slot, &mut Compiler<'a>) -> Expr,
    ) -> ExprId {
        let Some(field) = block.field("LIST") else { return self.undefined() };
        let list = self.list(field.id.as_deref().unwrap_or(""), field.text());
        let node = make(list, self);
        // An index other than a number may be a word such as `random`, with which the block takes a
        // random number.
        let draws = match node {
            Expr::ItemOfList(_, index) => {
                self.draws(index) || !matches!(self.exprs[index.0 as usize], Expr::Number(_))
            }
            Expr::ItemNumberOfList(_, item) | Expr::ListContains(_, item) => self.draws(item),
            _ => false,
        };
        self.expr(node, draws)
    }

    fn parameter(&mut self, name: &str) -> ExprId {
        let slot = self.scope.procedure.and_then(|p| {
            let (_, names) = self.scope.parameters[p as usize];
            names.iter().rposition(|n| **n == *name)
        });
        match slot {
            Some(slot) => self.expr(Expr::Parameter(slot as u32), false),
            None => self.expr(Expr::Number(0.0), false),
        }
    }
}

fn math_op(name: &str) -> MathOp {
    match &*name.to_lowercase() {
        "abs" => MathOp::Abs,
        "floor" => MathOp::Floor,
        "ceiling" => MathOp::Ceiling,
        "sqrt" => MathOp::Sqrt,
        "sin" => MathOp::Sin,
        "cos" => MathOp::Cos,
        "tan" => MathOp::Tan,
        "asin" => MathOp::Asin,
        "acos" => MathOp::Acos,
        "atan" => MathOp::Atan,
        "ln" => MathOp::Ln,
        "log" => MathOp::Log,
        "e ^" => MathOp::Exp,
        "10 ^" => MathOp::Exp10,
        _ => MathOp::Unknown,
    }
}

fn property(name: &str) -> Property {
    match name {
        "x position" => Property::X,
        "y position" => Property::Y,
        "direction" => Property::Direction,
        "costume #" => Property::CostumeNumber,
        "costume name" => Property::CostumeName,
        "size" => Property::Size,
        "volume" => Property::Volume,
        "backdrop #" | "background #" => Property::BackdropNumber,
        "backdrop name" => Property::BackdropName,
        _ => Property::Variable(Text::new(name)),
    }
}

fn calendar(name: &str) -> Calendar {
    match &*name.to_lowercase() {
        "year" => Calendar::Year,
        "month" => Calendar::Month,
        "date" => Calendar::Date,
        "dayofweek" => Calendar::DayOfWeek,
        "hour" => Calendar::Hour,
        "minute" => Calendar::Minute,
        "second" => Calendar::Second,
        _ => Calendar::Unknown,
    }
}
