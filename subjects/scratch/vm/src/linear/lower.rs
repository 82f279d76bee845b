//! Lowering of the commands of custom blocks to the linear form.

use rustc_hash::{FxHashMap, FxHashSet};

use super::form::{Form, Instruction, KEPT, NOWHERE, Operand, Origin, REGISTERS, Resumption};
use super::shared::Shared;
use crate::code::{Command, CommandId, Comparison, Expr, ExprId, NONE, Op};
use crate::program::{Procedure, Sprite};
use crate::value::Value;

/// Maximum number of branches and loops around a block in linear form.
pub(crate) const DEEPEST: usize = 30;

/// Maximum number of blocks of a run, so that a run fits into the fuel with which the form is
/// entered.
pub(crate) const LONGEST_RUN: u16 = 48;

/// Maximum number of instructions of a block before the last of its operands, and of a run before
/// the last of its blocks: a bound on the [chains of handlers](super::steps).
const MAX_INSTRUCTIONS: usize = 128;

#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) commands: &'a [Command],
    pub(crate) exprs: &'a [Expr],
    pub(crate) constants: &'a [Value],
    pub(crate) arguments: &'a [(u32, ExprId)],
    pub(crate) sprites: &'a [Sprite],
    pub(crate) stage: usize,
}

pub(crate) fn lower(source: Source<'_>) -> Form {
    let count = source.commands.len();
    let mut lowering = Lowering {
        source,
        form: Form {
            entries: vec![NOWHERE; count],
            parents: vec![NONE; count],
            resumptions: vec![Resumption { at: NOWHERE, branches: 0 }; count],
            numbers: vec![0.0; REGISTERS + KEPT],
            values: vec![Value::Number(0.0); REGISTERS + KEPT],
            ..Form::default()
        },
        references: references(source),
        owner: 0,
        procedures: &[],
        wanted: Vec::new(),
        asking: FxHashSet::default(),
        command: NONE,
        current: Current::NONE,
        room_for_expansions: MAX_BLOCKS,
        run: None,
        first: 0,
        registers: 0,
        draws: false,
        reads_items: true,
        branches: 0,
        constants: FxHashMap::default(),
        shared: Shared::default(),
    };
    for (owner, sprite) in source.sprites.iter().enumerate() {
        lowering.owner = owner;
        lowering.sprite(sprite);
    }
    let mut form = lowering.form;
    for site in &mut form.sites {
        site.entry = form.entries[site.definition as usize];
        if lowering.asking.contains(&site.definition) {
            site.delayed = 0;
        }
    }
    form
}

/// For each command, the number of commands, scripts and custom blocks that continue with it. In
/// damaged files, the number can be more than 1.
fn references(source: Source<'_>) -> Vec<u8> {
    let mut references = vec![0_u8; source.commands.len()];
    let mut count = |command: CommandId| {
        if let Some(number) = references.get_mut(command as usize) {
            *number = number.saturating_add(1);
        }
    };
    for command in source.commands {
        count(command.next);
        command.op.branches().into_iter().for_each(&mut count);
    }
    for sprite in source.sprites {
        sprite.scripts.iter().for_each(|script| count(script.hat));
        sprite.procedures.iter().for_each(|procedure| count(procedure.definition));
    }
    references
}

/// Maximum number of blocks of all expansions of a program, including abandoned expansions.
pub(super) const MAX_BLOCKS: u32 = 20_000;

#[derive(Clone, Copy)]
pub(super) struct Current {
    /// [`NOWHERE`] outside expansions.
    pub(super) expansion: u32,
    /// Number of registers for the parameters of this expansion and the expansions around it.
    pub(super) registers: u32,
    pub(super) levels: u32,
    pub(super) parameters: (u32, u32),
}

impl Current {
    pub(super) const NONE: Current =
        Current { expansion: NOWHERE, registers: 0, levels: 0, parameters: (0, 0) };
}

pub(super) struct Lowering<'a> {
    pub(super) source: Source<'a>,
    pub(super) form: Form,
    references: Vec<u8>,
    /// The index of the sprite whose custom blocks are lowered.
    pub(super) owner: usize,
    /// The custom blocks of the sprite, and whether each of them is lowered.
    pub(super) procedures: &'a [Procedure],
    pub(super) wanted: Vec<bool>,
    /// Definitions of the custom blocks in which some instruction needs frames.
    asking: FxHashSet<CommandId>,
    pub(super) command: CommandId,
    pub(super) current: Current,
    /// Number of blocks that may still be expanded.
    pub(super) room_for_expansions: u32,
    /// The instruction of the run that the next block may join.
    pub(super) run: Option<usize>,
    /// The index of the first instruction of the block that is being lowered.
    first: usize,
    /// Number of registers in use.
    pub(super) registers: u32,
    /// Whether the block that is being lowered has drawn a random number; the interpreter must then
    /// not execute the block from its beginning.
    pub(super) draws: bool,
    /// Whether instructions may read items.
    pub(super) reads_items: bool,
    /// Number of branches around the command within the innermost loop.
    pub(super) branches: u32,
    /// The constants of [`Form::numbers`], by their values.
    pub(super) constants: FxHashMap<String, Operand>,
    pub(super) shared: Shared,
}

impl<'a> Lowering<'a> {
    fn sprite(&mut self, sprite: &'a Sprite) {
        self.procedures = &sprite.procedures;
        self.wanted = vec![false; sprite.procedures.len()];
        let warp = (0..).zip(&sprite.procedures).filter(|(_, procedure)| procedure.warp);
        let mut open: Vec<u32> = warp.map(|(number, _)| number).collect();
        // Custom blocks that are called without screen refresh also execute without screen refresh.
        while let Some(number) = open.pop() {
            let procedure = &sprite.procedures[number as usize];
            if !self.wanted[number as usize] && self.is_unique(procedure.definition) {
                self.wanted[number as usize] = true;
                self.called_from(procedure.definition, &mut open);
            }
        }
        for (procedure, wanted) in sprite.procedures.iter().zip(self.wanted.clone()) {
            if wanted {
                self.form.entries[procedure.definition as usize] = self.here();
                let first = self.form.instructions.len();
                self.branch(procedure.definition, NONE, 0);
                self.emit(Instruction::Return);
                if self.form.instructions[first..].iter().any(Instruction::asks_for_frames) {
                    self.asking.insert(procedure.definition);
                }
            }
        }
    }

    /// Whether exactly one command, script or custom block continues with a command.
    pub(super) fn is_unique(&self, command: CommandId) -> bool {
        self.references.get(command as usize) == Some(&1)
    }

    /// Adds to `open` the custom blocks that the sequence of commands from `first` calls.
    fn called_from(&self, first: CommandId, open: &mut Vec<u32>) {
        let mut pending = vec![first];
        while let Some(id) = pending.pop() {
            // A command with which several others continue is not lowered. This also ends cycles.
            if !self.is_unique(id) {
                continue;
            }
            let command = &self.source.commands[id as usize];
            if let Op::Call { procedure: Some(number), .. } = command.op {
                open.push(number);
            }
            pending.push(command.next);
            pending.extend(command.op.branches());
        }
    }

    pub(super) fn here(&mut self) -> u32 {
        // Begin a new run, because jumps may lead to this instruction.
        self.run = None;
        self.form.instructions.len() as u32
    }

    pub(super) fn emit(&mut self, instruction: Instruction) -> usize {
        self.emit_for(instruction, ExprId(0))
    }

    pub(super) fn emit_for(&mut self, instruction: Instruction, expr: ExprId) -> usize {
        let no = self.source.commands[self.command as usize].no;
        self.form.instructions.push(instruction);
        self.form.origins.push(Origin {
            command: self.command,
            no,
            expr,
            expansion: self.current.expansion,
        });
        self.form.instructions.len() - 1
    }

    pub(super) fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.form.instructions[jump] {
            Instruction::Jump { to }
            | Instruction::Compare { to, .. }
            | Instruction::CompareItem { to, .. }
            | Instruction::CompareLetter { to, .. }
            | Instruction::Branch { to, .. }
            | Instruction::Decide { to, .. }
            | Instruction::Take { otherwise: to, .. }
            | Instruction::Count { end: to }
            | Instruction::CountAgain { end: to, .. } => *to = here,
            _ => {}
        }
    }

    pub(super) fn count(&mut self) {
        self.form.blocks.push(self.source.commands[self.command as usize].no);
        let first = self.form.instructions.len().saturating_sub(MAX_INSTRUCTIONS);
        let run = self.run.filter(|run| *run >= first);
        if let Some(Instruction::Run { count, .. }) =
            run.and_then(|run| self.form.instructions.get_mut(run))
            && *count < LONGEST_RUN
        {
            *count += 1;
            return;
        }
        let first = self.form.blocks.len() as u32 - 1;
        self.run = Some(self.emit(Instruction::Run { first, count: 1, calls: false }));
    }

    pub(super) fn count_alone(&mut self) {
        self.form.blocks.push(self.source.commands[self.command as usize].no);
        let first = self.form.blocks.len() as u32 - 1;
        self.emit(Instruction::Run { first, count: 1, calls: false });
        self.run = None;
    }

    /// `parent` is the `if` around the branch within the same loop.
    pub(super) fn branch(&mut self, first: CommandId, parent: CommandId, depth: usize) {
        let mut id = first;
        while id != NONE {
            (self.command, self.registers) = (id, self.current.registers);
            if !self.is_unique(id) || depth > DEEPEST {
                self.run = None;
                self.form.parents[id as usize] = parent;
                self.emit(Instruction::Leave);
                return;
            }
            self.form.parents[id as usize] = parent;
            self.block(depth);
            id = self.source.commands[id as usize].next;
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.form.instructions.len() > self.first + MAX_INSTRUCTIONS
    }

    fn block(&mut self, depth: usize) {
        self.first = self.form.instructions.len();
        self.draws = false;
        let command = &self.source.commands[self.command as usize];
        if command.early_inputs.0 != command.early_inputs.1 {
            return self.leave();
        }
        match command.op {
            Op::Nothing => self.count(),
            Op::If { condition, then } => self.if_else(condition, then, NONE, depth),
            Op::IfElse { condition, then, otherwise } => {
                self.if_else(condition, then, otherwise, depth);
            }
            Op::Repeat { times, body } if self.is_fixed(times) => self.repeat(times, body, depth),
            Op::Forever { body } => {
                let head = self.begin_loop();
                self.emit(Instruction::Endless);
                self.end_loop(body, head, None, depth);
            }
            Op::RepeatUntil { condition, body } => {
                let head = self.begin_loop();
                let end = self.condition(condition, true);
                self.end_loop(body, head, Some(end), depth);
            }
            Op::While { condition, body } => {
                let head = self.begin_loop();
                let end = self.condition(condition, false);
                self.end_loop(body, head, Some(end), depth);
            }
            Op::Call { procedure: Some(procedure), arguments } => {
                self.call(procedure, arguments, depth);
            }
            ref op => {
                let operands = op.operands();
                if self.sharing(&operands, |lowering| lowering.computation(op)).is_none()
                    && self.sharing(&operands, |lowering| lowering.application(op)).is_none()
                {
                    if op.changes_no_thread() {
                        self.count_alone();
                        self.emit(Instruction::Perform);
                    } else {
                        self.leave();
                    }
                }
            }
        }
    }

    pub(super) fn leave(&mut self) {
        self.run = None;
        self.emit(Instruction::Leave);
        self.resume();
    }

    /// Lets the linear form continue at the next instruction after the interpreter has executed the
    /// block.
    pub(super) fn resume(&mut self) {
        if self.current.expansion != NOWHERE {
            self.run = None;
            return;
        }
        let resumption = Resumption { at: self.here(), branches: self.branches };
        self.form.resumptions[self.command as usize] = resumption;
    }

    /// If the result of `lower` is `None`, undoes what was lowered.
    pub(super) fn attempt<R>(&mut self, lower: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        let (length, blocks) = (self.form.instructions.len(), self.form.blocks.len());
        let (run, registers, draws) = (self.run, self.registers, self.draws);
        let kept = self.shared.kept();
        let counted = run.map(|run| self.form.instructions[run]);
        let result = lower(self);
        if result.is_none() {
            self.form.instructions.truncate(length);
            self.form.origins.truncate(length);
            self.form.blocks.truncate(blocks);
            (self.run, self.registers, self.draws) = (run, registers, draws);
            self.shared.truncate(kept);
            if let (Some(run), Some(counted)) = (run, counted) {
                self.form.instructions[run] = counted;
            }
        }
        result
    }

    pub(super) fn belongs(&mut self, first: usize, last: usize) {
        for instruction in &mut self.form.instructions[first..last] {
            if let Instruction::Item { whole, .. }
            | Instruction::Letter { whole, .. }
            | Instruction::LetterOfItem { whole, .. }
            | Instruction::TestItem { whole, .. }
            | Instruction::TestLetter { whole, .. }
            | Instruction::Test { whole, .. } = instruction
            {
                *whole = last as u32;
            }
        }
    }

    fn if_else(&mut self, condition: ExprId, then: CommandId, otherwise: CommandId, depth: usize) {
        self.count();
        let id = self.command;
        let skip = self.condition(condition, false);
        self.run = None;
        self.branches += 1;
        self.branch(then, id, depth + 1);
        if otherwise == NONE {
            self.land(skip);
        } else {
            let end = self.emit(Instruction::Jump { to: NOWHERE });
            self.land(skip);
            self.branch(otherwise, id, depth + 1);
            self.land(end);
        }
        self.branches -= 1;
    }

    fn repeat(&mut self, times: ExprId, body: CommandId, depth: usize) {
        let begin = |lowering: &mut Self| {
            lowering.count();
            // An index without a number would let the interpreter execute the whole block.
            let times = match lowering.reads_item(times) {
                true => lowering.evaluated(times)?,
                false => lowering.number(times)?,
            };
            Some(lowering.enter_loop(true, times))
        };
        let Some(head) = self.attempt(begin) else { return self.leave() };
        let end = self.emit(Instruction::Count { end: NOWHERE });
        self.end_loop(body, head, Some(end), depth);
    }

    /// Returns the index of the instruction at which an iteration begins.
    fn begin_loop(&mut self) -> u32 {
        self.count();
        self.enter_loop(false, Operand::REGISTER)
    }

    fn enter_loop(&mut self, counted: bool, times: Operand) -> u32 {
        self.emit(Instruction::EnterLoop { counted, times });
        self.here()
    }

    fn end_loop(&mut self, body: CommandId, head: u32, end: Option<usize>, depth: usize) {
        let (id, branches) = (self.command, std::mem::take(&mut self.branches));
        self.run = None;
        self.branch(body, NONE, depth + 1);
        (self.command, self.branches) = (id, branches);
        let again = self.here();
        let counts = end.filter(|end| *end == head as usize && self.is_count(*end));
        let last = self.emit(match counts {
            Some(_) => Instruction::CountAgain { body: head + 1, end: NOWHERE },
            None => Instruction::Again { head },
        });
        self.form.entries[id as usize] = again;
        for jump in end.into_iter().chain([last]) {
            self.land(jump);
        }
        self.emit(Instruction::LeaveLoop { branches: branches as u16 });
        self.run = None;
    }

    fn is_count(&self, at: usize) -> bool {
        matches!(self.form.instructions[at], Instruction::Count { .. })
    }

    pub(super) fn comparison(&self, e: ExprId) -> Option<(Comparison, ExprId, ExprId)> {
        match self.source.exprs[e.0 as usize] {
            Expr::Less(a, b) => Some((Comparison::Less, a, b)),
            Expr::Equals(a, b) => Some((Comparison::Equals, a, b)),
            Expr::Greater(a, b) => Some((Comparison::Greater, a, b)),
            _ => None,
        }
    }

    pub(super) fn stored(&self, e: ExprId) -> Option<Operand> {
        match self.source.exprs[e.0 as usize] {
            Expr::Variable(slot) => Operand::variable(slot),
            Expr::Parameter(index) => self.parameter(index),
            _ => None,
        }
    }
}
