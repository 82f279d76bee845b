//! Native code of single instructions.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use super::comparisons::{Check, Way};
use super::generator::{D, Generator, I, SECOND, TRUSTED};
use super::lists::Items;
use super::unit::parts;
use crate::eval::LIST_LIMIT;
use crate::linear::form::{Instruction, Kind, Link, Operand, Operator, Reading};

#[derive(Clone, Copy)]
pub(super) enum Copied {
    Number(Value),
    /// Any value: its address and offset.
    Stored(Value, i32),
    /// The address of a value without a reference count.
    Fixed(Value),
}

impl Generator<'_, '_> {
    /// Returns whether the code continues after the instruction.
    pub(super) fn instruction(&mut self, at: usize) -> bool {
        use Instruction::*;
        let form = self.form;
        let no = form.origins[at].no;
        let instruction = form.instructions[at];
        self.prepare(&instruction);
        match instruction {
            Run { first, count, calls } => self.run(at, first, count, calls),
            Binary { operator, to, a, b } => self.binary(at, operator, to, (a, b)),
            Change { to, b } => self.binary(at, Operator::Add, to, (to, b)),
            Unary { function, to, a } => self.unary(at, function, to, a),
            Item { reading, to, list, index, .. } => {
                let longer = self.seldom();
                let index = self.read(index, longer);
                let item = self.item(list, index, longer);
                let number = if matches!(reading, Reading::Value | Reading::Digit) {
                    self.demand_number((item, 0), longer);
                    self.builder.ins().load(D, TRUSTED, item, SECOND)
                } else {
                    self.numeral((item, 0), longer)
                };
                self.store(at, to, number, longer);
            }
            ListLength { to, list } => {
                let longer = self.seldom();
                let length = self.length(list);
                let length = self.builder.ins().fcvt_from_sint(D, length);
                self.store(at, to, length, longer);
            }
            Copy { to, a } => {
                let longer = self.seldom();
                match self.copied(a, longer) {
                    Copied::Number(number) => self.store(at, to, number, longer),
                    from => {
                        let place = self.place(to, longer);
                        self.copy(from, place, longer);
                        let number = self.kept_number(a);
                        self.end_copy(at, to, number, longer);
                    }
                }
            }
            CopyItem { to, list, index } => {
                let longer = self.seldom();
                let index = self.read(index, longer);
                let item = self.item(list, index, longer);
                let place = self.place(to, longer);
                self.copy(Copied::Stored(item, 0), place, longer);
                let number = self.is_kept(to).then(|| self.number_or_nan((item, 0)));
                self.end_copy(at, to, number, longer);
            }
            AddToList { list, item } => {
                let longer = self.seldom();
                let item = self.copied(item, longer);
                let Items { address, length } = self.open_items(list, longer);
                let vector = self.open_vector(list);
                let capacity = self.layout.values.capacity;
                let capacity = self.builder.ins().load(I, TRUSTED, vector, capacity);
                let fits = self.builder.ins().icmp(IntCC::UnsignedLessThan, length, capacity);
                self.unless(fits, longer);
                let limit = LIST_LIMIT as i64;
                let fits = self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThan, length, limit);
                self.unless(fits, longer);
                let place = self.nth(address, length);
                self.copy_over(item, (place, 0), longer);
                let more = self.builder.ins().iadd_imm_s(length, 1);
                self.builder.ins().store(TRUSTED, more, vector, self.layout.values.length);
                if let Some(kept) = self.kept.list(list) {
                    self.builder.def_var(kept.length, more);
                }
                self.end_list(at, list, longer);
            }
            ReplaceItem { list, index, item } => {
                let longer = self.seldom();
                let index = self.read(index, longer);
                let item = self.copied(item, longer);
                let items = self.open_items(list, longer);
                let place = self.item_of(items, index, longer);
                self.copy(item, (place, 0), longer);
                self.end_list(at, list, longer);
            }
            ReplaceByItem { list, index, from, at: from_index } => {
                let longer = self.seldom();
                let from_index = self.read(from_index, longer);
                let item = self.item(from, from_index, longer);
                let index = self.read(index, longer);
                let items = self.open_items(list, longer);
                let place = self.item_of(items, index, longer);
                self.copy(Copied::Stored(item, 0), (place, 0), longer);
                self.end_list(at, list, longer);
            }
            Jump { to } => {
                self.go_to(to as usize);
                return false;
            }
            Test { link, a, b, .. } if self.is_word(a) || self.is_word(b) => {
                self.test_by_handler(at, link);
            }
            TestItem { way, b, .. } if self.is_word(b) => self.test_by_handler(at, way.link()),
            Compare { link, a, b, to, .. } if self.is_word(a) || self.is_word(b) => {
                self.compare_by_handler(at, link, to);
            }
            CompareItem { way, b, to, .. } if self.is_word(b) => {
                self.compare_by_handler(at, way.link(), to);
            }
            TestLetter { way, .. } => self.test_by_handler(at, way.link()),
            CompareLetter { way, to, .. } => self.compare_by_handler(at, way.link(), to),
            Compare { relation, link, jumps: on, a, b, to } => {
                let longer = self.seldom();
                let (x, y) = (self.read(a, longer), self.read(b, longer));
                let (how, negated) = relation.parts();
                self.compare(at, Check { how, negated, link, x, y }, Way { on, to }, longer);
            }
            CompareItem { way, list, index, b, to } => {
                let longer = self.seldom();
                let index = self.read(index, longer);
                let item = self.item(list, index, longer);
                let (x, y) = (self.numeral((item, 0), longer), self.read(b, longer));
                let (how, negated, link) = (way.comparison(), way.negated(), way.link());
                let jump = Way { on: way.jumps(), to };
                self.compare(at, Check { how, negated, link, x, y }, jump, longer);
            }
            Test { relation, link, a, b, .. } => {
                let longer = self.seldom();
                let (x, y) = (self.read(a, longer), self.read(b, longer));
                self.demand_ordered(x, y, longer);
                let (how, negated) = relation.parts();
                self.test(no, Check { how, negated, link, x, y });
                self.end(at, longer);
            }
            TestItem { way, list, index, b, .. } => {
                let longer = self.seldom();
                let index = self.read(index, longer);
                let item = self.item(list, index, longer);
                let (x, y) = (self.numeral((item, 0), longer), self.read(b, longer));
                self.demand_ordered(x, y, longer);
                let (how, negated, link) = (way.comparison(), way.negated(), way.link());
                self.test(no, Check { how, negated, link, x, y });
                self.end(at, longer);
            }
            Skip { skip } => {
                let known = (self.kept.certain.clone(), self.stored.clone(), self.ordered.clone());
                self.skip(no, form.skips[skip as usize]);
                self.meet();
                (self.kept.certain, self.stored, self.ordered) = known;
            }
            Combine(link) => self.combine(at, no, link),
            Branch { jumps: on, to } => self.branch_on_outcome(no, Way { on, to }),
            Take { to, a, otherwise } => {
                if self.is_text(a) {
                    self.go_to(otherwise as usize);
                    return false;
                }
                let otherwise = self.leader(otherwise);
                let number = self.number(a, otherwise);
                self.builder.ins().store(TRUSTED, number, self.numbers, to.index() as i32 * 8);
                self.know(to, number);
            }
            Count { end } => self.count(no, end),
            Again { head } => {
                self.again(at, no);
                self.go_to(head as usize);
                return false;
            }
            CountAgain { body, end } => {
                self.again(at, no);
                self.count(no, end);
                self.go_to(body as usize);
                return false;
            }
            Quantity { to, .. } | Random { to, .. } | Length { to, .. } => {
                self.by_handler(at);
                self.written(to);
            }
            Letter { to, .. }
            | LetterOfItem { to, .. }
            | CopyLetter { to, .. }
            | Join { to, .. }
            | JoinLetter { to, .. } => {
                self.by_handler(at);
                self.written(to);
            }
            AddItem { list, .. } => {
                self.by_handler(at);
                self.forget_items(list);
            }
            Push { .. } | PushDefault { .. } => {
                self.by_handler(at);
                self.parameters = None;
            }
            Outcome => self.outcome_of_condition(at, no),
            Endless => self.by_handler(at),
            EnterLoop { .. } if self.calls_for_loop(self.path(at).len() - 1) => self.uncounted(at),
            LeaveLoop { branches } if self.calls_for_loop(usize::from(branches)) => {
                self.uncounted(at);
            }
            EnterLoop { counted, times } => self.enter_loop(at, counted, times),
            LeaveLoop { branches } => self.leave_loop(at, branches),
            Call { site } => {
                self.call_block(at, form.sites[site as usize]);
                return false;
            }
            Return => {
                self.return_from_block(at);
                return false;
            }
            Leave
            | Perform
            | Apply { .. }
            | Evaluate { .. }
            | Decide { .. }
            | PushValue { .. }
            | PushExpansions => {
                let next = self.handler(at);
                self.builder.ins().jump(self.returns, &[next.into()]);
                return false;
            }
        }
        true
    }

    /// Executes an instruction with its handler, and continues with the next instruction if the
    /// handler does.
    fn by_handler(&mut self, at: usize) {
        let next = self.handler(at);
        self.expect(at, next);
    }

    /// Computes the values that both paths of an instruction need, before the paths split.
    fn prepare(&mut self, instruction: &Instruction) {
        use Instruction::*;
        if let Item { list, .. }
        | CopyItem { list, .. }
        | CompareItem { list, .. }
        | TestItem { list, .. }
        | ListLength { list, .. }
        | ReplaceByItem { from: list, .. } = *instruction
            && self.kept.list(list).is_none()
        {
            self.items(list);
        }
        let (operands, _) = parts(self.form, instruction);
        let is_parameter = |operand: &Operand| operand.kind() == Kind::Parameter;
        if operands.iter().flatten().any(is_parameter) || matches!(instruction, Skip { .. }) {
            self.parameters();
        }
        if self.leaves.is_none() || matches!(instruction, Skip { .. }) {
            self.begin();
        }
    }

    fn compare(&mut self, at: usize, test: Check, jump: Way, longer: Block) {
        let no = self.form.origins[at].no;
        self.demand_ordered(test.x, test.y, longer);
        match test.link {
            Link::Push => self.decide(no, test, jump),
            _ => self.last_test(no, test, jump),
        }
        if self.leaves(at, longer) {
            return;
        }
        // The handler may jump as well.
        self.meet();
        let next = self.block();
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(longer);
        let index = self.single(at);
        self.continue_after_comparison(at, jump.to, index);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Continues at the instruction that the handler has returned.
    fn continue_after_comparison(&mut self, at: usize, to: u32, next: Value) {
        let is_jump = self.builder.ins().icmp_imm_s(IntCC::Equal, next, i64::from(to));
        let to = self.leader(to);
        self.branch(is_jump, to);
        self.expect(at, next);
    }

    fn test_by_handler(&mut self, at: usize, link: Link) {
        self.by_handler(at);
        self.waiting += usize::from(link == Link::Push);
        // The handler has written the outcome on top in memory.
        self.outcomes.remove(&self.waiting.saturating_sub(1));
    }

    fn compare_by_handler(&mut self, at: usize, link: Link, to: u32) {
        let next = self.handler(at);
        self.continue_after_comparison(at, to, next);
        self.waiting -= usize::from(link != Link::Push).min(self.waiting);
    }

    /// Whether an operand is a constant that is not a numeral.
    fn is_word(&self, operand: Operand) -> bool {
        operand.kind() == Kind::Constant && self.form.numbers[operand.index()].is_nan()
    }

    /// Whether an operand is a constant that is not a number.
    fn is_text(&self, a: Operand) -> bool {
        let value = &self.form.values;
        a.kind() == Kind::Constant && !matches!(value[a.index()], crate::value::Value::Number(_))
    }

    pub(super) fn copied(&mut self, operand: Operand, longer: Block) -> Copied {
        match operand.kind() {
            Kind::Constant if self.is_text(operand) => {
                let value = std::ptr::from_ref(&self.form.values[operand.index()]);
                let address = self.builder.ins().iconst(I, value.addr() as i64);
                match self.layout.is_counted(&self.form.values[operand.index()]) {
                    true => Copied::Stored(address, 0),
                    false => Copied::Fixed(address),
                }
            }
            Kind::Constant | Kind::Register => Copied::Number(self.number(operand, longer)),
            _ => match self.stored_number(operand) {
                Some(number) => Copied::Number(number),
                None => {
                    let (address, offset) = self.place(operand, longer);
                    Copied::Stored(address, offset)
                }
            },
        }
    }

    pub(super) fn demand_defined(&mut self, value: Copied, longer: Block) {
        if let Copied::Stored(address, offset) = value {
            let is_undefined = self.has_tag((address, offset), self.layout.value.undefined);
            let next = self.block();
            self.builder.ins().brif(is_undefined, longer, &[], next, &[]);
            self.builder.switch_to_block(next);
        }
    }

    /// Jumps to `longer` if the old or the new value has a reference count.
    pub(super) fn copy(&mut self, from: Copied, to: (Value, i32), longer: Block) {
        self.demand_uncounted(to, longer);
        self.copy_over(from, to, longer);
    }

    fn halves(&mut self, address: Value, offset: i32) -> (Value, Value) {
        let first = self.builder.ins().load(I, TRUSTED, address, offset);
        (first, self.builder.ins().load(I, TRUSTED, address, offset + SECOND))
    }

    /// Writes a value to a place without a value. Jumps to `longer` if the value has a reference
    /// count.
    fn copy_over(&mut self, from: Copied, (to, offset): (Value, i32), longer: Block) {
        if let Copied::Stored(address, offset) = from {
            self.demand_uncounted((address, offset), longer);
        }
        let (first, second) = match from {
            Copied::Number(number) => (self.header, number),
            Copied::Stored(address, offset) => self.halves(address, offset),
            Copied::Fixed(address) => self.halves(address, 0),
        };
        self.builder.ins().store(TRUSTED, first, to, offset);
        self.builder.ins().store(TRUSTED, second, to, offset + SECOND);
    }
}
