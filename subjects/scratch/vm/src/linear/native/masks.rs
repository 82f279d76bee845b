//! Bits in registers for [marks](super::marks).
//!
//! If a bit is set, the mark is from the current time. Otherwise, the mark is read from memory.

use catherd_scratch_sb3::BlockNo;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use rustc_hash::FxHashMap;

use super::abi::Address;
use super::frequent::depths;
use super::generator::{Generator, I, TRUSTED};
use super::marks::{Mark, Places};
use super::unit::Unit;
use crate::linear::form::{Form, Instruction};

/// Maximum number of masks of a unit.
const MASKS: usize = 2;

/// Maximum number of bits of a mask.
const BITS: usize = 31;

#[derive(Default)]
pub(super) struct Masks {
    /// The masks and bits of marks, by the places of the marks.
    bits: FxHashMap<usize, (Variable, i64)>,
    all: Vec<Variable>,
}

impl Masks {
    /// Marks in deeply nested loops get bits first.
    pub(super) fn new(builder: &mut FunctionBuilder, form: &Form, unit: &Unit) -> Masks {
        let places = Places::new(form);
        let instructions = &form.instructions[unit.first..unit.end];
        let mut all: Vec<(u32, usize)> = Vec::new();
        for (offset, depth) in depths(instructions, unit.first).into_iter().enumerate() {
            let at = unit.first + offset;
            for mark in marks(&form.instructions[at], form.origins[at].no).into_iter().flatten() {
                let place = places.of(mark);
                if !all.iter().any(|known| known.1 == place) {
                    all.push((depth, place));
                }
            }
        }
        all.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
        let mut masks = Masks::default();
        for part in all.chunks(BITS).take(MASKS) {
            let mask = builder.declare_var(types::I32);
            let none = builder.ins().iconst(types::I32, 0);
            builder.def_var(mask, none);
            masks.all.push(mask);
            masks
                .bits
                .extend(part.iter().enumerate().map(|(bit, mark)| (mark.1, (mask, 1 << bit))));
        }
        masks
    }
}

/// The marks that the code of an instruction may read.
fn marks(instruction: &Instruction, no: BlockNo) -> [Option<Mark>; 2] {
    use Instruction::*;
    match *instruction {
        Run { first, .. } => [Some(Mark::Run(first as usize)), None],
        Again { .. } => [Some(Mark::Covered(no)), None],
        CountAgain { .. } => [Some(Mark::Covered(no)), Some(Mark::Settled(no))],
        Count { .. }
        | Compare { .. }
        | Test { .. }
        | CompareItem { .. }
        | TestItem { .. }
        | Skip { .. }
        | Combine(_)
        | Outcome
        | Branch { .. } => [Some(Mark::Settled(no)), None],
        _ => [None, None],
    }
}

impl Generator<'_, '_> {
    /// Generates code with `path` for the case that a mark is not from the current time. This code
    /// must end its block, and may jump to the block that `path` is given.
    pub(super) fn unless_marked(&mut self, mark: Mark, path: impl FnOnce(&mut Self, Block)) {
        let (next, unmarked) = (self.block(), self.seldom());
        match self.masks.bits.get(&self.places.of(mark)) {
            None => {
                let marked = self.is_marked(mark);
                self.builder.ins().brif(marked, next, &[], unmarked, &[]);
            }
            Some(&(mask, bit)) => {
                let (unknown, known) = (self.seldom(), self.seldom());
                let bits = self.builder.use_var(mask);
                let is_set = self.builder.ins().band_imm_u(bits, bit);
                self.builder.ins().brif(is_set, next, &[], unknown, &[]);
                self.builder.switch_to_block(unknown);
                let marked = self.is_marked(mark);
                self.builder.ins().brif(marked, known, &[], unmarked, &[]);
                self.builder.switch_to_block(known);
                self.set_bit(mark);
                self.builder.ins().jump(next, &[]);
            }
        }
        self.builder.switch_to_block(unmarked);
        path(self, next);
        self.builder.switch_to_block(next);
    }

    pub(super) fn forget_bits(&mut self) {
        let none = self.builder.ins().iconst(types::I32, 0);
        for mask in &self.masks.all {
            self.builder.def_var(*mask, none);
        }
    }

    fn set_bit(&mut self, mark: Mark) {
        if let Some(&(mask, bit)) = self.masks.bits.get(&self.places.of(mark)) {
            let bits = self.builder.use_var(mask);
            let bits = self.builder.ins().bor_imm_u(bits, bit);
            self.builder.def_var(mask, bits);
        }
    }

    /// Calls a function that reports and sets a mark, unless the mark is from the current time.
    pub(super) fn report(&mut self, mark: Mark, function: Address, word: u64) {
        self.unless_marked(mark, |generator, next| {
            let word = generator.constant(word);
            generator.call(function, word, None, I);
            generator.set_bit(mark);
            generator.builder.ins().jump(next, &[]);
        });
    }

    /// Whether a mark is from the current time.
    fn is_marked(&mut self, mark: Mark) -> Value {
        let place = self.places.of(mark) as i32 * 8;
        let time = self.builder.ins().load(I, TRUSTED, self.marks, place);
        self.builder.ins().icmp(IntCC::Equal, self.now, time)
    }
}
