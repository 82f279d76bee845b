//! The data that code can read and change.

use catherd_scratch_render::Fingerprint;
use rustc_hash::FxHashSet;

use crate::code::{CommandId, Expr, ExprId, Message, NONE, Op, Property, Slot, one_number};
use crate::program::Program;
use crate::text::Text;

/// Code with at least this number of blocks and reporters is not remembered.
const MAX_CODE: usize = 20_000;

/// Bits for the data that code reads or changes, except variables, lists and parameters.
pub(super) struct Senses;

impl Senses {
    /// Reads the state of its target.
    pub(super) const OWN: u16 = 1;
    /// May change the state of its target.
    pub(super) const CHANGES_OWN: u16 = 1 << 1;
    /// May draw with the pen.
    pub(super) const PEN: u16 = 1 << 2;
    /// May select rasters of costumes.
    pub(super) const RASTERS: u16 = 1 << 3;
    pub(super) const KEYS: u16 = 1 << 4;
    pub(super) const MOUSE: u16 = 1 << 5;
    /// Reads the timer or the clock.
    pub(super) const TIME: u16 = 1 << 6;
    pub(super) const ANSWER: u16 = 1 << 7;
    pub(super) const BACKDROP: u16 = 1 << 8;
    /// Reads the counter or the tempo.
    pub(super) const NUMBERS: u16 = 1 << 9;
    /// Depends on the targets in which scripts start.
    pub(super) const TARGETS: u16 = 1 << 10;
}

/// The values that code may read or change. The vectors are sorted and have no duplicates, so equal
/// reaches are equal values.
#[derive(Default, PartialEq)]
pub(super) struct Reach {
    /// Variables that are read or set.
    pub(super) variables: Vec<Slot>,
    pub(super) set: Vec<Slot>,
    /// Lists that are read or changed.
    pub(super) lists: Vec<Slot>,
    pub(super) changed: Vec<Slot>,
    /// Targets whose state is read by name.
    pub(super) others: Vec<usize>,
    /// Sprites whose instances may be touched.
    pub(super) touched: Vec<usize>,
    /// See [`Senses`].
    pub(super) senses: u16,
}

impl Reach {
    /// The reach of commands with all commands that may follow them, and whether it is complete.
    /// Code that may sense colours has no reach, because distances to colours take longer when they
    /// are recorded.
    pub(super) fn of(
        program: &Program,
        sprite: usize,
        code: impl Iterator<Item = CommandId>,
    ) -> Option<(Reach, bool)> {
        let mut scan = Scan::new(program);
        let mut complete = true;
        let mut visited = FxHashSet::default();
        let mut pending: Vec<CommandId> = code.collect();
        while let Some(id) = pending.pop() {
            if id == NONE || !visited.insert(id) {
                continue;
            }
            complete &= scan.whole_command(id).is_some();
            if scan.left == 0 || scan.senses_colors {
                return None;
            }
            let command = &program.commands[id as usize];
            if let Op::Call { procedure: Some(number), .. } = command.op {
                pending.push(program.sprites[sprite].procedures[number as usize].definition);
            }
            pending.push(command.next);
            pending.extend(command.op.branches());
        }
        Some((scan.into_reach(), complete))
    }

    /// The reach of commands without the following commands.
    pub(super) fn of_executed(
        program: &Program,
        mut commands: impl Iterator<Item = CommandId>,
    ) -> Option<Reach> {
        let mut scan = Scan::new(program);
        commands.try_for_each(|id| scan.whole_command(id))?;
        Some(scan.into_reach())
    }

    /// A fingerprint that distinguishes reaches.
    pub(super) fn print(&self) -> Fingerprint {
        let slot = |slot: &Slot| match *slot {
            Slot::Stage(number) => u64::from(number) << 1,
            Slot::Own(number) => u64::from(number) << 1 | 1,
        };
        let mut print = Fingerprint::of(u64::from(self.senses));
        for (slots, kind) in
            [(&self.variables, 1), (&self.set, 2), (&self.lists, 3), (&self.changed, 4)]
        {
            print = slots.iter().fold(print, |print, number| print.with(slot(number), kind));
        }
        let print = self.others.iter().fold(print, |print, other| print.with(*other as u64, 5));
        self.touched.iter().fold(print, |print, sprite| print.with(*sprite as u64, 6))
    }
}

struct Scan<'a> {
    program: &'a Program,
    reach: Reach,
    /// The data that are already in the reach: the slot, whether it is a list, and whether it is
    /// changed.
    known: FxHashSet<(Slot, bool, bool)>,
    /// Number of blocks and reporters that may still be scanned.
    left: usize,
    senses_colors: bool,
}

impl<'a> Scan<'a> {
    fn new(program: &'a Program) -> Self {
        let (reach, known) = (Reach::default(), FxHashSet::default());
        Self { program, reach, known, left: MAX_CODE, senses_colors: false }
    }

    fn into_reach(self) -> Reach {
        fn sort<T: Ord>(items: &mut Vec<T>) {
            items.sort_unstable();
            items.dedup();
        }
        let mut reach = self.reach;
        let slots = [&mut reach.variables, &mut reach.set, &mut reach.lists, &mut reach.changed];
        slots.into_iter().for_each(sort);
        [&mut reach.others, &mut reach.touched].into_iter().for_each(sort);
        reach
    }

    /// Scans a block with its inputs, but without its branches.
    fn whole_command(&mut self, id: CommandId) -> Option<()> {
        let command = &self.program.commands[id as usize];
        let (from, to) = command.early_inputs;
        let early = &self.program.early_inputs[from as usize..to as usize];
        early.iter().try_for_each(|early| self.expression(*early))?;
        self.command(&command.op)
    }

    fn literal(&self, e: ExprId) -> Option<Text> {
        let Expr::Constant(number) = self.program.exprs[e.0 as usize] else { return None };
        Some(self.program.constants[number as usize].to_text())
    }

    fn other(&mut self, name: ExprId) -> Option<()> {
        let name = self.literal(name)?;
        let stage = (name == *"_stage_").then_some(self.program.stage);
        self.reach.others.extend(stage.or_else(|| self.program.sprite_named(&name)));
        Some(())
    }

    fn touching(&mut self, name: ExprId) -> Option<()> {
        let name = self.literal(name)?;
        if name == *"_mouse_" {
            self.senses(Senses::MOUSE)?;
        } else if name != *"_edge_" {
            self.reach.touched.extend(self.program.sprite_named(&name));
        }
        // Sensing computes outlines and rasters that later queries use, so the outcome must contain
        // both.
        self.senses(Senses::CHANGES_OWN | Senses::RASTERS)
    }

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
            Op::Broadcast(Message::Fixed(_)) => self.senses(Senses::TARGETS),
            Op::Broadcast(Message::Computed(name)) => {
                self.senses(Senses::TARGETS)?;
                self.expression(name)
            }
            ref op => {
                self.senses(Senses::CHANGES_OWN)?;
                self.change_of_own(op)
            }
        }
    }

    fn change_of_own(&mut self, op: &Op) -> Option<()> {
        match *op {
            Op::GoTo(place) => {
                self.senses(Senses::MOUSE)?;
                self.other(place)
            }
            Op::GoToXY(x, y) => self.expressions(&[x, y]),
            one_number!(operand)
            | Op::SwitchCostume(operand)
            | Op::PenColor(operand)
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
            Expr::DistanceTo(name) => {
                self.senses(Senses::OWN | Senses::MOUSE)?;
                self.other(name)
            }
            Expr::Of { property: Property::Variable(_), .. } => None,
            Expr::Of { object, .. } => self.other(object),
            Expr::TouchingColor(_) | Expr::ColorTouchingColor(..) => {
                self.senses_colors = true;
                None
            }
            Expr::Touching(name) => self.touching(name),
            Expr::Loudness | Expr::Loud | Expr::Translate(_) | Expr::AwaitedTranslation => None,
        }
    }
}
