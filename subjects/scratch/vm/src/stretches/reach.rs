//! What code can read and change.

use rustc_hash::FxHashSet;

use crate::code::{CommandId, Expr, ExprId, NONE, Op, Slot};
use crate::program::Program;

/// Maximum number of blocks and reporters of code that is remembered.
const MAX_CODE: usize = 20_000;

/// What code senses besides variables, lists and parameters, as bits.
pub(super) struct Senses;

impl Senses {
    /// Place, looks and pen of its own target.
    pub(super) const OWN: u16 = 1;
    /// It may change them.
    pub(super) const CHANGES_OWN: u16 = 1 << 1;
    /// It may draw with the pen.
    pub(super) const PEN: u16 = 1 << 2;
    /// It may select rasters of costumes.
    pub(super) const RASTERS: u16 = 1 << 3;
    pub(super) const KEYS: u16 = 1 << 4;
    pub(super) const MOUSE: u16 = 1 << 5;
    /// Timer and clock.
    pub(super) const TIME: u16 = 1 << 6;
    pub(super) const ANSWER: u16 = 1 << 7;
    pub(super) const BACKDROP: u16 = 1 << 8;
    /// Counter and tempo.
    pub(super) const NUMBERS: u16 = 1 << 9;
}

/// The values that code may read or change. Lists of slots have no duplicates.
#[derive(Default)]
pub(super) struct Reach {
    /// Variables that are read or set.
    pub(super) variables: Vec<Slot>,
    /// Those that are set.
    pub(super) set: Vec<Slot>,
    /// Lists that are read or changed.
    pub(super) lists: Vec<Slot>,
    /// Those that are changed.
    pub(super) changed: Vec<Slot>,
    /// See [`Senses`].
    pub(super) senses: u16,
}

impl Reach {
    /// The reach of the commands at which frames are, with all that follows them and the custom
    /// blocks that they call; `None` if some block may read or change anything else.
    pub(super) fn of(
        program: &Program,
        sprite: usize,
        code: impl Iterator<Item = CommandId>,
    ) -> Option<Reach> {
        let mut scan =
            Scan { program, reach: Reach::default(), known: FxHashSet::default(), left: MAX_CODE };
        let mut visited = FxHashSet::default();
        let mut pending: Vec<CommandId> = code.collect();
        while let Some(id) = pending.pop() {
            if id == NONE || !visited.insert(id) {
                continue;
            }
            let command = &program.commands[id as usize];
            let (from, to) = command.early_inputs;
            for early in &program.early_inputs[from as usize..to as usize] {
                scan.expression(*early)?;
            }
            scan.command(&command.op)?;
            if let Op::Call { procedure: Some(number), .. } = command.op {
                pending.push(program.sprites[sprite].procedures[number as usize].definition);
            }
            pending.push(command.next);
            pending.extend(command.op.branches());
        }
        Some(scan.reach)
    }
}

struct Scan<'a> {
    program: &'a Program,
    reach: Reach,
    /// What is in the reach already: the slot, whether it is a list, whether it is changed.
    known: FxHashSet<(Slot, bool, bool)>,
    /// Number of blocks and reporters that may still be scanned.
    left: usize,
}

impl Scan<'_> {
    fn variable(&mut self, slot: Slot, sets: bool) {
        if self.known.insert((slot, false, false)) {
            self.reach.variables.push(slot);
        }
        if sets && self.known.insert((slot, false, true)) {
            self.reach.set.push(slot);
        }
    }

    fn list(&mut self, slot: Slot, changes: bool) {
        if self.known.insert((slot, true, false)) {
            self.reach.lists.push(slot);
        }
        if changes && self.known.insert((slot, true, true)) {
            self.reach.changed.push(slot);
        }
    }

    fn senses(&mut self, what: u16) -> Option<()> {
        self.reach.senses |= what;
        Some(())
    }

    fn expressions(&mut self, expressions: &[ExprId]) -> Option<()> {
        expressions.iter().try_for_each(|e| self.expression(*e))
    }

    /// Scans a block without its branches.
    fn command(&mut self, op: &Op) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        match *op {
            Op::Nothing | Op::Forever { .. } | Op::AllAtOnce { .. } | Op::StopThisScript => {
                Some(())
            }
            Op::SetVariable(slot, value) | Op::ChangeVariable(slot, value) => {
                self.variable(slot, true);
                self.expression(value)
            }
            Op::AddToList(list, operand) | Op::DeleteOfList(list, operand) => {
                self.list(list, true);
                self.expression(operand)
            }
            Op::DeleteAllOfList(list) => {
                self.list(list, true);
                Some(())
            }
            Op::InsertAtList { list, index, item }
            | Op::ReplaceItemOfList { list, index, item } => {
                self.list(list, true);
                self.expressions(&[index, item])
            }
            Op::Repeat { times: operand, .. }
            | Op::RepeatUntil { condition: operand, .. }
            | Op::While { condition: operand, .. }
            | Op::If { condition: operand, .. }
            | Op::IfElse { condition: operand, .. } => self.expression(operand),
            Op::ForEach { variable, count, .. } => {
                self.variable(variable, true);
                self.expression(count)
            }
            Op::Call { arguments: (from, to), .. } => {
                let program = self.program;
                let arguments = &program.arguments[from as usize..to as usize];
                arguments.iter().try_for_each(|(_, argument)| self.expression(*argument))
            }
            ref op => {
                self.senses(Senses::CHANGES_OWN)?;
                self.change_of_own(op)
            }
        }
    }

    /// Scans a block that changes the place, the looks or the pen of its own target.
    fn change_of_own(&mut self, op: &Op) -> Option<()> {
        match *op {
            Op::GoToXY(x, y) => self.expressions(&[x, y]),
            Op::MoveSteps(operand)
            | Op::ChangeX(operand)
            | Op::SetX(operand)
            | Op::ChangeY(operand)
            | Op::SetY(operand)
            | Op::Turn { degrees: operand, .. }
            | Op::PointInDirection(operand)
            | Op::SwitchCostume(operand)
            | Op::ChangeEffect(_, operand)
            | Op::SetEffect(_, operand)
            | Op::ChangeSize(operand)
            | Op::SetSize(operand)
            | Op::PenColor(operand)
            | Op::PenSize { value: operand, .. }
            | Op::PenShade { value: operand, .. }
            | Op::PenHue { value: operand, .. } => self.expression(operand),
            Op::PenParam { param, value, .. } => self.expressions(&[param, value]),
            Op::SetRotationStyle(_) | Op::NextCostume | Op::ClearEffects | Op::PenUp => Some(()),
            Op::PenClear | Op::PenDown => self.senses(Senses::PEN),
            Op::PenStamp => self.senses(Senses::PEN | Senses::RASTERS),
            _ => None,
        }
    }

    fn expression(&mut self, e: ExprId) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        match self.program.exprs[e.0 as usize] {
            Expr::Number(_)
            | Expr::Constant(_)
            | Expr::Undefined
            | Expr::DeferredOperand
            | Expr::EarlyInput(_)
            | Expr::Parameter(_)
            | Expr::Username
            | Expr::VideoMotion => Some(()),
            Expr::Variable(slot) => {
                self.variable(slot, false);
                Some(())
            }
            Expr::LazyVariable(slot) => {
                self.variable(slot, true);
                Some(())
            }
            Expr::ListContents(list) | Expr::LengthOfList(list) => {
                self.list(list, false);
                Some(())
            }
            Expr::ItemOfList(list, a)
            | Expr::ItemNumberOfList(list, a)
            | Expr::ListContains(list, a) => {
                self.list(list, false);
                self.expression(a)
            }
            Expr::Reversed { first: a, node: b }
            | Expr::Then { first: a, node: b }
            | Expr::Add(a, b)
            | Expr::Subtract(a, b)
            | Expr::Multiply(a, b)
            | Expr::Divide(a, b)
            | Expr::Modulo(a, b)
            | Expr::Random(a, b)
            | Expr::Less(a, b)
            | Expr::Equals(a, b)
            | Expr::Greater(a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Join(a, b)
            | Expr::LetterOf { letter: a, text: b }
            | Expr::Contains { text: a, part: b } => self.expressions(&[a, b]),
            Expr::Round(a)
            | Expr::Math(_, a)
            | Expr::Not(a)
            | Expr::Outcome(a)
            | Expr::Length(a) => self.expression(a),
            Expr::XPosition
            | Expr::YPosition
            | Expr::Direction
            | Expr::Size
            | Expr::CostumeNumber
            | Expr::CostumeName
            | Expr::Volume => self.senses(Senses::OWN),
            Expr::BackdropNumber | Expr::BackdropName => self.senses(Senses::BACKDROP),
            Expr::Tempo | Expr::Counter => self.senses(Senses::NUMBERS),
            Expr::Answer => self.senses(Senses::ANSWER),
            Expr::KeyPressed(key) => {
                self.senses(Senses::KEYS)?;
                self.expression(key)
            }
            Expr::MouseDown | Expr::MouseX | Expr::MouseY => self.senses(Senses::MOUSE),
            Expr::Timer | Expr::Current(_) | Expr::DaysSince2000 => self.senses(Senses::TIME),
            Expr::Touching(_)
            | Expr::TouchingColor(_)
            | Expr::ColorTouchingColor(..)
            | Expr::DistanceTo(_)
            | Expr::Loudness
            | Expr::Loud
            | Expr::Of { .. }
            | Expr::Translate(_)
            | Expr::AwaitedTranslation => None,
        }
    }
}
