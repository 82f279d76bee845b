//! Lowering of calls to custom blocks.

use super::form::{Instruction, NOWHERE, Operand, Reading, Site};
use super::lower::Lowering;
use crate::code::ExprId;
use crate::program::Procedure;

impl Lowering<'_> {
    pub(super) fn call(&mut self, procedure: u32, arguments: (u32, u32), depth: usize) {
        let arguments = &self.source.arguments[arguments.0 as usize..arguments.1 as usize];
        // Arguments with list items are evaluated by the interpreter, because they cannot be
        // evaluated again if an item is not a number.
        self.reads_items = false;
        let lowered = self.attempt(|lowering| lowering.any_call(procedure, arguments, depth));
        self.reads_items = true;
        match lowered {
            Some(()) => self.resume(),
            None => self.leave(),
        }
    }

    /// Expands a call to a custom block, emits a call instruction, or does both if the values of the
    /// parameters at run time decide which of the two is executed.
    fn any_call(
        &mut self,
        procedure: u32,
        arguments: &[(u32, ExprId)],
        depth: usize,
    ) -> Option<()> {
        if !self.wanted[procedure as usize] {
            return None;
        }
        self.count();
        if let Some(Instruction::Run { calls, .. }) =
            self.run.and_then(|run| self.form.instructions.get_mut(run))
        {
            *calls = true;
        }
        let registers = self.registers;
        let expanded = self.attempt(|lowering| lowering.expand(procedure, arguments, depth));
        self.registers = registers;
        match expanded {
            None => self.pushes_and_call(procedure, arguments),
            Some(guards) if guards.is_empty() => Some(()),
            Some(guards) => {
                let end = self.emit(Instruction::Jump { to: NOWHERE });
                for guard in guards {
                    self.land(guard);
                }
                self.pushes_and_call(procedure, arguments)?;
                self.land(end);
                Some(())
            }
        }
    }

    fn pushes_and_call(&mut self, procedure: u32, arguments: &[(u32, ExprId)]) -> Option<()> {
        let callee = &self.procedures[procedure as usize];
        let expansion = self.current.expansion;
        if expansion != NOWHERE {
            self.emit(Instruction::PushExpansions);
            self.current.expansion = NOWHERE;
        }
        let waiting = self.pushes(callee, arguments);
        self.current.expansion = expansion;
        let waiting = waiting?;
        let operands = (self.form.operands.len() as u32, waiting.len() as u16);
        self.form.operands.extend(waiting);
        let (definition, parameters) = (callee.definition, callee.defaults.len() as u16);
        let delayed = if expansion == NOWHERE { self.branches as u16 + 1 } else { 0 };
        self.form.sites.push(Site { definition, entry: NOWHERE, parameters, delayed, operands });
        self.emit(Instruction::Call { site: self.form.sites.len() as u32 - 1 });
        Some(())
    }

    /// Returns the last parameters, which the call itself pushes.
    fn pushes(&mut self, callee: &Procedure, arguments: &[(u32, ExprId)]) -> Option<Vec<Operand>> {
        let mut arguments = arguments.iter().peekable();
        let mut waiting = Vec::new();
        for place in 0..u16::try_from(callee.defaults.len()).ok()? {
            let Some(&(_, e)) = arguments.next_if(|(slot, _)| *slot == u32::from(place)) else {
                self.push(&mut waiting, place);
                self.emit(Instruction::PushDefault { place });
                continue;
            };
            if let Some(operand) = self.attempt(|lowering| lowering.read(e, Reading::Value)) {
                waiting.push(operand);
            } else if self.is_plain(e) {
                self.push(&mut waiting, place);
                self.emit_for(Instruction::PushValue { place }, e);
            } else {
                return None;
            }
        }
        // The remaining arguments are not in the order of the parameters, or have no parameter.
        arguments.next().is_none().then_some(waiting)
    }

    /// The waiting parameters directly precede the parameter at position `end`.
    fn push(&mut self, waiting: &mut Vec<Operand>, end: u16) {
        let first = end - waiting.len() as u16;
        for (place, a) in (first..end).zip(waiting.drain(..)) {
            self.emit(Instruction::Push { a, place });
        }
    }
}
