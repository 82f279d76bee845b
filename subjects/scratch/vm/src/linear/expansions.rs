//! Custom blocks that are expanded where they are called (inlined).
//!
//! Parameters become constants and registers, which hold numbers: if a value is not a number, the
//! call is executed without expansion.

use super::executor::Executor;
use super::form::{Expansion, Form, Instruction, Kind, NOWHERE, Operand, Reading};
use super::lower::{Current, Lowering};
use crate::code::{ExprId, NONE, Op};
use crate::tracer::Tracer;

/// Maximum number of blocks of a custom block that is expanded, including the blocks that are
/// expanded in it.
const MAX_SIZE: u32 = 32;

/// Maximum number of expansions around a block.
const MAX_LEVELS: u32 = 4;

impl Lowering<'_> {
    pub(super) fn parameter(&self, index: u32) -> Option<Operand> {
        if self.current.expansion == NOWHERE {
            return Operand::new(Kind::Parameter, index);
        }
        let (first, count) = self.current.parameters;
        (index < count).then(|| self.form.operands[(first + index) as usize])
    }

    /// Returns the instructions that jump to the call without expansion.
    pub(super) fn expand(
        &mut self,
        procedure: u32,
        arguments: &[(u32, ExprId)],
        depth: usize,
    ) -> Option<Vec<usize>> {
        let callee = &self.procedures[procedure as usize];
        let size = self.size(procedure, MAX_LEVELS - self.current.levels)?;
        let room = self.room_for_expansions.checked_sub(size)?;
        let is_each_given = (0..).zip(arguments).all(|(place, argument)| argument.0 == place);
        if !is_each_given || arguments.len() != callee.defaults.len() {
            return None;
        }
        let (mut parameters, mut guards) = (Vec::new(), Vec::new());
        for &(_, e) in arguments {
            let a = self.read(e, Reading::Value)?;
            if let Kind::Register | Kind::Constant = a.kind() {
                parameters.push(a);
                continue;
            }
            let to = self.register()?;
            guards.push(self.emit(Instruction::Take { to, a, otherwise: NOWHERE }));
            parameters.push(to);
        }
        if !guards.is_empty() {
            if self.draws {
                // The call without expansion would draw the random numbers again.
                return None;
            }
            // End the run, because the blocks of the expansion may be skipped.
            self.run = None;
        }
        self.room_for_expansions = room;
        let body = self.form.instructions.len();
        let first = self.form.operands.len() as u32;
        let current = Current {
            expansion: self.form.expansions.len() as u32,
            registers: self.registers,
            levels: self.current.levels + 1,
            parameters: (first, parameters.len() as u32),
        };
        self.form.operands.extend(parameters);
        let (call, outer) = (self.command, self.current.expansion);
        let (definition, parameters) = (callee.definition, current.parameters);
        self.form.expansions.push(Expansion { outer, call, definition, parameters });
        let around = std::mem::replace(&mut self.current, current);
        self.reads_items = true;
        self.branch(definition, NONE, depth + 1);
        (self.command, self.current, self.reads_items) = (call, around, false);
        // Expand only if no instruction always needs the interpreter, which would need the frames
        // of the call.
        let is_whole = !self.form.instructions[body..].iter().any(Instruction::is_interpreted);
        is_whole.then_some(guards)
    }

    /// The number of blocks of a custom block; `None` if it must not be expanded.
    fn size(&self, procedure: u32, levels: u32) -> Option<u32> {
        let levels = levels.checked_sub(1)?;
        let mut pending = vec![self.procedures[procedure as usize].definition];
        let mut size = 0;
        while let Some(id) = pending.pop() {
            if id == NONE {
                continue;
            }
            let command = &self.source.commands[id as usize];
            if !self.is_unique(id) || command.early_inputs.0 != command.early_inputs.1 {
                return None;
            }
            size += 1;
            match command.op {
                Op::Call { procedure: Some(procedure), .. } => {
                    size += self.size(procedure, levels)?
                }
                Op::Nothing | Op::If { .. } | Op::IfElse { .. } => {}
                ref op if op.only_computes() => {}
                _ => return None,
            }
            if size > MAX_SIZE {
                return None;
            }
            pending.push(command.next);
            pending.extend(command.op.branches());
        }
        Some(size)
    }
}

impl<T: Tracer> Executor<'_, T> {
    #[inline(always)]
    pub(super) fn push_expansions(&mut self, at: usize) {
        if self.form.origins[at].expansion != NOWHERE {
            self.push_some_expansions(at);
        }
    }

    #[cold]
    fn push_some_expansions(&mut self, at: usize) {
        let form: &Form = self.form;
        let mut around = Vec::new();
        let mut expansion = form.origins[at].expansion;
        while expansion != NOWHERE {
            around.push(expansion);
            expansion = form.expansions[expansion as usize].outer;
        }
        for expansion in around.into_iter().rev() {
            let Expansion { call, definition, parameters: (first, count), .. } =
                form.expansions[expansion as usize];
            for &a in &form.operands[first as usize..(first + count) as usize] {
                let value = self.value(a);
                self.parameters.push(value);
            }
            self.push_call(call, definition, count as usize);
        }
    }
}
