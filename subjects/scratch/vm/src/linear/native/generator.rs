//! Generation of the code of a unit.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, Function, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch};
use rustc_hash::{FxHashMap, FxHashSet};

use super::abi::{self, Abi, Address};
use super::bridge;
use super::frequent::Frequent;
use super::kept::Kept;
use super::layout::Layout;
use super::lists::Items;
use super::marks::Places;
use super::masks::Masks;
use super::unit::{Unit, jumps};
use crate::linear::form::{Form, Instruction, ListNo, Operand};
use crate::value;

/// Flags of memory accesses that are always valid and aligned.
pub(super) const TRUSTED: MemFlagsData = MemFlagsData::trusted();

pub(super) const VALUE: i32 = size_of::<value::Value>() as i32;
/// log2 of the size of a value.
pub(super) const VALUE_SHIFT: i64 = VALUE.trailing_zeros() as i64;
/// Offset of the number of a value, or of the address of its string.
pub(super) const SECOND: i32 = VALUE / 2;

/// The type of words and addresses.
pub(super) const I: Type = types::I64;
pub(super) const D: Type = types::F64;

/// The generator of the code of a unit.
///
/// Most instructions have a short path and a longer path, on which the handler executes the
/// instruction from its beginning. In [`Mode::Direct`](super::memory::Mode), both paths meet after
/// the instruction, so values that only one path has read are not known after the instruction. In
/// [`Mode::Bridged`](super::memory::Mode), the longer path leaves native code.
pub(super) struct Generator<'b, 'f> {
    pub(super) builder: FunctionBuilder<'b>,
    pub(super) form: &'f Form,
    pub(super) abi: &'f Abi,
    pub(super) layout: &'f Layout,
    pub(super) leaders: FxHashMap<usize, Block>,
    /// Jumps to the leader whose index is the block's parameter, or returns the index to the
    /// dispatcher.
    pub(super) enters: Block,
    /// Instructions that end an iteration and to which no instruction jumps. Entering the unit
    /// there executes a separate copy of their code.
    pub(super) entries: FxHashSet<usize>,
    /// Blocks that return the indices of instructions outside the unit.
    elsewhere: Vec<(Block, usize)>,
    /// Returns the block's parameter to the dispatcher.
    pub(super) returns: Block,
    /// Number of parameters of the custom block if calls to the block have delayed frames.
    pub(super) parameters_here: Option<u16>,
    pub(super) executor: Value,
    pub(super) kept: Kept,
    pub(super) numbers: Value,
    /// Addresses of the variables of the stage and of the executing target.
    pub(super) variables: [Value; 2],
    pub(super) lists: [Value; 2],
    pub(super) tests: Value,
    /// The first half of every value that is a number.
    pub(super) header: Value,
    /// The current time, and the times of the marks.
    pub(super) now: Value,
    pub(super) marks: Value,
    pub(super) places: Places,
    /// The address of the [bridge](super::bridge), and its signature.
    bridge: Option<Address>,
    to_bridge: SigRef,
    signatures: FxHashMap<(&'static [Type], Type), SigRef>,
    /// The numbers of constants, and of operands that are stored as numbers.
    pub(super) known: FxHashMap<Operand, Value>,
    /// The numbers of operands that are numbers or numerals.
    pub(super) numerals: FxHashMap<Operand, Value>,
    /// `known` and `numerals` before the current instruction.
    pub(super) before: (FxHashMap<Operand, Value>, FxHashMap<Operand, Value>),
    /// Operands that are known to be stored as numbers; empty in `Mode::Direct`.
    pub(super) stored: FxHashSet<Operand>,
    /// Numbers that are known not to be NaN.
    pub(super) ordered: FxHashSet<Value>,
    /// Outcomes that have been computed since the last leader, by their places.
    pub(super) outcomes: FxHashMap<usize, Value>,
    /// Amount of fuel that is known to be left.
    pub(super) paid: u32,
    pub(super) masks: Masks,
    /// Calls the handler of the instruction whose index is the block's parameter, and returns to
    /// the dispatcher; `None` in `Mode::Direct`.
    pub(super) leaves: Option<Block>,
    /// Longer paths that leave native code, with the indices of their instructions.
    pub(super) left: Vec<(Block, usize)>,
    /// The addresses and lengths of lists.
    pub(super) items: FxHashMap<ListNo, Items>,
    /// The address of the parameters of the innermost call, and the number of parameters.
    pub(super) parameters: Option<(Value, Value)>,
    /// Number of outcomes that wait to be combined.
    pub(super) waiting: usize,
}

pub(super) fn generate(
    function: &mut Function,
    form: &Form,
    unit: &Unit,
    abi: &Abi,
    layout: &Layout,
    (target, bridge): (TargetFrontendConfig, Option<Address>),
    is_leader: impl Fn(usize) -> bool,
) {
    function.signature.call_conv = CallConv::SystemV;
    function.signature.params.extend([AbiParam::new(I), AbiParam::new(I)]);
    function.signature.returns.push(AbiParam::new(I));
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(function, &mut context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let (executor, at) = (builder.block_params(entry)[0], builder.block_params(entry)[1]);
    let mut load = |from: Value, offset: i32| builder.ins().load(I, TRUSTED, from, offset);
    let numbers = load(executor, abi.numbers);
    // A slice consists of an address and a length, each of 8 bytes.
    let variables = [load(executor, abi.variables), load(executor, abi.variables + 16)];
    let lists = [load(executor, abi.lists), load(executor, abi.lists + 16)];
    let tests = load(executor, abi.tests);
    let native = load(executor, abi.native);
    let now = load(native, abi.marks + abi::NOW);
    let marks = load(native, abi.marks + abi::TIMES);

    let to_bridge = builder.import_signature(bridge::signature());
    // Without the bridge, calls may change registers, so no variables, lists or marks are kept.
    let (frequent, masks) = match bridge {
        Some(_) => (Frequent::new(form, unit), Masks::new(&mut builder, form, unit)),
        None => Default::default(),
    };
    let call = form.sites.iter().find(|site| site.entry as usize == unit.first);
    let parameters_here = call.filter(|site| site.delayed > 0).map(|site| site.parameters);
    let calls = bridge.is_some() && (parameters_here.is_some() || calls(form, unit));
    let kept = Kept::new(&mut builder, (abi, layout), executor, &frequent, calls);
    let leaves = bridge.map(|_| builder.create_block());
    if let Some(leaves) = leaves {
        builder.append_block_param(leaves, I);
        builder.set_cold_block(leaves);
    }

    // The values of registers are numbers.
    let sample = builder.ins().iconst(I, std::ptr::from_ref(&form.values[0]).addr() as i64);
    let header = builder.ins().load(I, TRUSTED, sample, 0);

    let returns = builder.create_block();
    builder.append_block_param(returns, I);
    let (mut leaders, mut switch) = (FxHashMap::default(), Switch::new());
    for leader in (unit.first..unit.end).filter(|at| is_leader(*at)) {
        let block = builder.create_block();
        leaders.insert(leader, block);
        switch.set_entry((leader - unit.first) as u128, block);
    }
    let enters = builder.create_block();
    let at_leader = builder.append_block_param(enters, I);
    builder.ins().jump(enters, &[at.into()]);
    builder.switch_to_block(enters);
    let relative = builder.ins().iadd_imm_s(at_leader, -(unit.first as i64));
    let elsewhere = builder.create_block();
    switch.emit(&mut builder, relative, elsewhere);
    builder.switch_to_block(elsewhere);
    builder.ins().jump(returns, &[at_leader.into()]);

    let mut generator = Generator {
        builder,
        form,
        abi,
        layout,
        leaders,
        enters,
        entries: entries(form, unit),
        elsewhere: Vec::new(),
        returns,
        parameters_here,
        executor,
        kept,
        numbers,
        variables,
        lists,
        tests,
        header,
        now,
        marks,
        places: Places::new(form),
        bridge,
        to_bridge,
        signatures: FxHashMap::default(),
        known: FxHashMap::default(),
        numerals: FxHashMap::default(),
        before: Default::default(),
        stored: FxHashSet::default(),
        ordered: FxHashSet::default(),
        outcomes: FxHashMap::default(),
        paid: 0,
        masks,
        leaves,
        left: Vec::new(),
        items: FxHashMap::default(),
        parameters: None,
        waiting: 0,
    };
    generator.instructions(unit);
    generator.leave();
    generator.builder.switch_to_block(returns);
    generator.put_back();
    let mut builder = generator.builder;
    let next = builder.block_params(returns)[0];
    builder.ins().return_(&[next]);
    builder.seal_all_blocks();
    builder.finalize(target);
}

/// Whether a unit calls custom blocks.
fn calls(form: &Form, unit: &Unit) -> bool {
    let instructions = &form.instructions[unit.first..unit.end];
    instructions.iter().any(|instruction| matches!(instruction, Instruction::Call { .. }))
}

/// See [`Generator::entries`].
fn entries(form: &Form, unit: &Unit) -> FxHashSet<usize> {
    let instructions = &form.instructions[unit.first..unit.end];
    let targets: FxHashSet<u32> =
        instructions.iter().flat_map(|instruction| jumps(form, instruction)).flatten().collect();
    let ends = |at: &usize| {
        matches!(form.instructions[*at], Instruction::Again { .. } | Instruction::CountAgain { .. })
    };
    (unit.first..unit.end).filter(ends).filter(|at| !targets.contains(&(*at as u32))).collect()
}

impl Generator<'_, '_> {
    fn instructions(&mut self, unit: &Unit) {
        // Whether the code of the previous instruction continues with this instruction.
        let mut continues = false;
        let mut apart = Vec::new();
        for at in unit.first..unit.end {
            if let Some(&block) = self.leaders.get(&at) {
                if continues && self.entries.contains(&at) {
                    continues = self.instruction(at);
                    apart.push((at, block));
                    continue;
                }
                if continues {
                    self.builder.ins().jump(block, &[]);
                }
                self.builder.switch_to_block(block);
                self.forget();
                continues = true;
            }
            // Generate no code for instructions that cannot be reached.
            if continues {
                continues = self.instruction(at);
            }
        }
        if continues {
            self.go_to(unit.end);
        }
        for (at, block) in apart {
            self.builder.switch_to_block(block);
            self.forget();
            if self.instruction(at) {
                self.go_to(at + 1);
            }
        }
        for (block, at) in std::mem::take(&mut self.elsewhere) {
            self.builder.switch_to_block(block);
            self.go_to(at);
        }
    }

    fn forget(&mut self) {
        self.known.clear();
        self.numerals.clear();
        self.items.clear();
        self.parameters = None;
        self.kept.certain.clear();
        self.stored.clear();
        self.ordered.clear();
        self.outcomes.clear();
        self.paid = 0;
    }

    /// Updates what is known about an operand that the handler of an instruction has written.
    pub(super) fn written(&mut self, to: Operand) {
        self.stored.remove(&to);
        if self.fetch(to) {
            return;
        }
        self.known.remove(&to);
        self.numerals.remove(&to);
    }

    pub(super) fn know(&mut self, operand: Operand, number: Value) {
        self.known.insert(operand, number);
    }

    /// Calls a Rust function as the current [mode](super::memory::Mode) requires.
    pub(super) fn call(
        &mut self,
        function: Address,
        word: Value,
        numbers: Option<(Value, Value)>,
        result: Type,
    ) -> Value {
        let (x, y) = numbers.unwrap_or_else(|| {
            let zero = self.builder.ins().f64const(0.0);
            (zero, zero)
        });
        let Some(bridge) = self.bridge else {
            let arguments = [self.executor, word, x, y];
            let called = self.call_directly((function, I), &[I, I, D, D], &arguments);
            let is_word = result == I;
            return if is_word {
                called
            } else {
                self.builder.ins().bitcast(D, MemFlagsData::new(), called)
            };
        };
        let function = self.builder.ins().iconst(I, function as i64);
        let bridge = self.builder.ins().iconst(I, bridge as i64);
        let arguments = [function, self.executor, word, x, y];
        self.builder.ins().call_indirect(self.to_bridge, bridge, &arguments);
        let native = self.builder.ins().load(I, TRUSTED, self.executor, self.abi.native);
        self.builder.ins().load(result, TRUSTED, native, self.abi.result)
    }

    pub(super) fn call_math(&mut self, at: usize, x: Value) -> Value {
        let at = self.constant(at as u64);
        self.call_directly((self.abi.math, D), &[I, I, D], &[self.executor, at, x])
    }

    /// The function may change registers.
    fn call_directly(
        &mut self,
        (function, result): (Address, Type),
        types: &'static [Type],
        arguments: &[Value],
    ) -> Value {
        let builder = &mut self.builder;
        let signature = *self.signatures.entry((types, result)).or_insert_with(|| {
            let mut signature = Signature::new(CallConv::SystemV);
            signature.params.extend(types.iter().copied().map(AbiParam::new));
            signature.returns.push(AbiParam::new(result));
            builder.import_signature(signature)
        });
        let function = builder.ins().iconst(I, function as i64);
        let call = builder.ins().call_indirect(signature, function, arguments);
        builder.inst_results(call).first().copied().unwrap_or(function)
    }

    pub(super) fn constant(&mut self, number: impl TryInto<i64>) -> Value {
        // The conversion succeeds, because indices and packed comparisons are far smaller than the
        // maximum.
        self.builder.ins().iconst(I, number.try_into().unwrap_or(i64::MAX))
    }

    /// Executes an instruction with its handler. Returns the index of the next instruction.
    pub(super) fn single(&mut self, at: usize) -> Value {
        self.put_back();
        let at = self.constant(at as u64);
        let next = self.call(self.abi.functions.single, at, None, I);
        self.take_again();
        next
    }

    /// Like [`single`](Self::single), for instructions that are always executed by their handlers.
    pub(super) fn handler(&mut self, at: usize) -> Value {
        let at = self.constant(at as u64);
        let next = self.single_of(self.abi.functions.single, at);
        self.take_again();
        next
    }

    /// Executes an instruction with a function that may change registers. Returns the index of the
    /// next instruction.
    pub(super) fn single_of(&mut self, function: Address, at: Value) -> Value {
        self.put_back();
        let zero = self.builder.ins().f64const(0.0);
        self.call_directly((function, I), &[I, I, D, D], &[self.executor, at, zero, zero])
    }

    pub(super) fn branch(&mut self, condition: Value, to: Block) {
        let next = self.block();
        self.builder.ins().brif(condition, to, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    pub(super) fn unless(&mut self, condition: Value, otherwise: Block) {
        let next = self.block();
        self.builder.ins().brif(condition, next, &[], otherwise, &[]);
        self.builder.switch_to_block(next);
    }

    pub(super) fn seldom(&mut self) -> Block {
        let block = self.builder.create_block();
        self.builder.set_cold_block(block);
        block
    }

    /// Creates a block, which is marked as seldom executed if the current block is.
    pub(super) fn block(&mut self) -> Block {
        match self.builder.current_block() {
            Some(block) if self.builder.func.layout.is_cold(block) => self.seldom(),
            _ => self.builder.create_block(),
        }
    }

    pub(super) fn go_to(&mut self, at: usize) {
        match self.leaders.get(&at) {
            Some(&block) => {
                self.builder.ins().jump(block, &[]);
            }
            None => {
                let at = self.constant(at as u64);
                self.builder.ins().jump(self.returns, &[at.into()]);
            }
        }
    }

    pub(super) fn leader(&mut self, at: u32) -> Block {
        self.leaders.get(&(at as usize)).copied().unwrap_or_else(|| {
            // This block is never executed, because jumps stay within their unit.
            let block = self.seldom();
            self.elsewhere.push((block, at as usize));
            block
        })
    }

    /// Continues with the next instruction if `next` is its index; returns to the dispatcher
    /// otherwise.
    pub(super) fn expect(&mut self, at: usize, next: Value) {
        let block = self.block();
        let is_next = self.builder.ins().icmp_imm_s(IntCC::Equal, next, at as i64 + 1);
        self.builder.ins().brif(is_next, block, &[], self.returns, &[next.into()]);
        self.builder.switch_to_block(block);
    }
}
