//! Units of native code: the custom blocks of a program.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use super::abi::Abi;
use super::generator::generate;
use super::layout::LAYOUT;
use super::memory::{Entry, Memory, Mode};
use crate::linear::form::{Form, Instruction, Kind, ListNo, NOWHERE, Operand};

/// Maximum number of instructions of a unit, because compile time grows faster than linearly.
const LONGEST: usize = 6_000;

/// Approximate maximum number of instructions of all compiled units, which bounds their memory.
const MAX_INSTRUCTIONS: usize = 60_000;

/// Counts of the variables and lists that the stage and the target must have for a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) variables: [usize; 2],
    pub(super) lists: [usize; 2],
}

/// A custom block that can be compiled.
pub(super) struct Unit {
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) needs: Needs,
    /// For each [`Mode`], the entry, which is set when the unit is compiled; `None` if the unit
    /// cannot be compiled.
    code: [OnceLock<Option<Entry>>; 2],
    /// Number of the [`Mode`] that VMs should use.
    mode: AtomicU8,
}

impl Unit {
    pub(super) fn length(&self) -> usize {
        self.end - self.first
    }

    /// The code in the mode that VMs should use, if it has been compiled. The inner `None` means
    /// that the unit cannot be compiled.
    pub(super) fn compiled(&self) -> Option<Option<(Entry, Mode)>> {
        let mode = match self.mode.load(Relaxed) {
            0 => Mode::Direct,
            _ => Mode::Bridged,
        };
        let entry = *self.code[mode as usize].get()?;
        Some(entry.map(|entry| (entry, mode)))
    }
}

/// The units of a program for one [`Abi`].
pub(in crate::linear) struct Code {
    pub(super) units: Vec<Unit>,
    /// For each instruction, the number of the unit of which it is a leader; [`NOWHERE`] for other
    /// instructions.
    pub(super) leaders: Vec<u32>,
    memory: Mutex<Memory>,
    abi: Abi,
    compiled: AtomicU64,
}

/// The units of a program, by [`Abi`].
#[derive(Default)]
pub(crate) struct Units(Mutex<Vec<Arc<Code>>>);

impl Units {
    pub(super) fn code(&self, form: &Form, abi: &Abi) -> Option<Arc<Code>> {
        let mut all = self.0.lock().ok()?;
        if let Some(code) = all.iter().find(|code| code.abi == *abi) {
            return Some(Arc::clone(code));
        }
        (*LAYOUT)?;
        let code = Arc::new(Code::new(form, *abi)?);
        all.push(Arc::clone(&code));
        Some(code)
    }
}

impl Code {
    fn new(form: &Form, abi: Abi) -> Option<Code> {
        let is_leader = leaders(form);
        let mut units = Vec::new();
        let mut leaders = vec![NOWHERE; form.instructions.len()];
        let mut first = 0;
        for (at, instruction) in form.instructions.iter().enumerate() {
            if is_leader[at] {
                leaders[at] = units.len() as u32;
            }
            if matches!(instruction, Instruction::Return) {
                units.push(Unit {
                    first,
                    end: at + 1,
                    needs: needs(form, first, at + 1),
                    code: [OnceLock::new(), OnceLock::new()],
                    mode: AtomicU8::new(Mode::Direct as u8),
                });
                first = at + 1;
            }
        }
        // Instructions after the end of the last custom block belong to no unit.
        leaders[first..].fill(NOWHERE);
        let (memory, compiled) = (Mutex::new(Memory::new(&abi)?), AtomicU64::new(0));
        Some(Code { units, leaders, memory, abi, compiled })
    }

    /// Compiles a unit unless this has already been done. If the unit has code in this mode, lets
    /// VMs use this mode.
    #[cold]
    pub(super) fn compile(&self, unit: &Unit, form: &Form, mode: Mode) -> Option<Entry> {
        let entry = *unit.code[mode as usize].get_or_init(|| {
            let length = unit.length();
            let before = self.compiled.fetch_add(length as u64, Relaxed);
            if length > LONGEST || before > MAX_INSTRUCTIONS as u64 {
                return None;
            }
            let layout = (*LAYOUT)?;
            let mut memory = self.memory.lock().ok()?;
            memory.compile_unit(mode, |function, target| {
                let is_leader = |at: usize| self.leaders[at] != NOWHERE;
                generate(function, form, unit, &self.abi, &layout, target, is_leader);
            })
        });
        if entry.is_some() {
            unit.mode.store(mode as u8, Relaxed);
        }
        entry
    }
}

/// For each instruction, whether other instructions jump to it, or execution may begin or resume at
/// it.
fn leaders(form: &Form) -> Vec<bool> {
    use Instruction::{Call, PushExpansions, Return};
    let mut is_leader = vec![false; form.instructions.len() + 1];
    let mut begins = true;
    for (at, instruction) in form.instructions.iter().enumerate() {
        is_leader[at] |= begins;
        begins = instruction.is_interpreted()
            || matches!(instruction, Return | Call { .. } | PushExpansions);
        for to in jumps(form, instruction).into_iter().flatten() {
            is_leader[to as usize] = true;
        }
    }
    let resumptions = form.resumptions.iter().map(|resumption| resumption.at);
    for at in form.entries.iter().copied().chain(resumptions).filter(|at| *at != NOWHERE) {
        is_leader[at as usize] = true;
    }
    is_leader
}

/// The instructions to which an instruction may jump.
pub(super) fn jumps(form: &Form, instruction: &Instruction) -> Option<[u32; 2]> {
    use Instruction::*;
    Some(match *instruction {
        Jump { to }
        | Compare { to, .. }
        | CompareItem { to, .. }
        | CompareLetter { to, .. }
        | Branch { to, .. }
        | Decide { to, .. }
        | Take { otherwise: to, .. }
        | Count { end: to } => [to, to],
        CountAgain { body, end } => [body, end],
        Again { head } => [head, head],
        Skip { skip } => {
            let skip = form.skips[skip as usize];
            let end = skip.end + u32::from(skip.is_last);
            [end, last_jump(form, skip.end).map_or(end, |(_, to)| to)]
        }
        _ => return None,
    })
}

/// The outcome for which the last comparison of a condition jumps, and the destination.
pub(super) fn last_jump(form: &Form, at: u32) -> Option<(bool, u32)> {
    match form.instructions[at as usize] {
        Instruction::Compare { jumps, to, .. } => Some((jumps, to)),
        Instruction::CompareItem { way, to, .. } | Instruction::CompareLetter { way, to, .. } => {
            Some((way.jumps(), to))
        }
        _ => None,
    }
}

pub(super) fn is_variable(operand: Operand) -> bool {
    matches!(operand.kind(), Kind::Stage | Kind::Own)
}

fn needs(form: &Form, first: usize, end: usize) -> Needs {
    let mut needs = Needs::default();
    for instruction in &form.instructions[first..end] {
        let (operands, lists) = parts(form, instruction);
        for operand in operands.into_iter().flatten().filter(|operand| is_variable(*operand)) {
            let count = &mut needs.variables[usize::from(operand.is_own())];
            *count = (*count).max(operand.index() + 1);
        }
        for list in lists.into_iter().flatten() {
            let count = &mut needs.lists[usize::from(list.is_own())];
            *count = (*count).max(list.index() + 1);
        }
    }
    needs
}

/// Maximum number of list indices that the native code of a skip reads.
pub(super) const MAX_INDICES: usize = 3;

/// Operands and lists that the native code of an instruction uses.
pub(super) fn parts(
    form: &Form,
    instruction: &Instruction,
) -> ([Option<Operand>; 3], [Option<ListNo>; 2]) {
    use Instruction::*;
    let none = [None; 2];
    match *instruction {
        Binary { to, a, b, .. } => ([Some(to), Some(a), Some(b)], none),
        Change { to, b: a } | Unary { to, a, .. } | Copy { to, a } => {
            ([Some(to), Some(a), None], none)
        }
        Compare { a, b, .. } | Test { a, b, .. } => ([Some(a), Some(b), None], none),
        Take { a, .. } => ([Some(a), None, None], none),
        Item { to, list, index, .. } | CopyItem { to, list, index } => {
            ([Some(to), Some(index), None], [Some(list), None])
        }
        ListLength { to, list } => ([Some(to), None, None], [Some(list), None]),
        AddToList { list, item } => ([Some(item), None, None], [Some(list), None]),
        ReplaceItem { list, index, item } => ([Some(index), Some(item), None], [Some(list), None]),
        ReplaceByItem { list, index, from, at } => {
            ([Some(index), Some(at), None], [Some(list), Some(from)])
        }
        CompareItem { list, index, b, .. } | TestItem { list, index, b, .. } => {
            ([Some(index), Some(b), None], [Some(list), None])
        }
        Skip { skip } => {
            let (first, count) = form.skips[skip as usize].indices;
            let indices = &form.operands[first as usize..(first + count) as usize];
            let index = |at| indices.get(at).copied();
            // Native code evaluates the side if there are more operands.
            if indices.len() > MAX_INDICES {
                return ([None; 3], none);
            }
            ([index(0), index(1), index(2)], none)
        }
        _ => ([None; 3], none),
    }
}
