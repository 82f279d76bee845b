//! Compiles threads to code, which is converted to a table of states if possible.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::events::{EventSet, MAX_EVENTS};
use crate::program::{BinaryOp, MAX_WEIGHT, PlaceStep};
use crate::program::{Body, Code, Expr, Next, Op, Place, Row, Running, SetExpr, SetTable, Sync};

use super::super::error::ModelError;
use super::super::syntax::{self, ExprKind, Statement, StatementKind, ThreadSyntax};
use super::{Compiler, Variable, constant};
use crate::span::Span;
use crate::types::{INTEGER, Type};

/// Maximum number of words of the variables of a thread: the number of bits of [`Sync::live`].
const MAX_LOCALS: usize = 64;

/// Maximum number of states of a thread that is converted to a table.
const MAX_ROWS: usize = 4096;
/// Maximum number of transitions of a thread that is converted to a table.
const MAX_TRANSITIONS: usize = 1 << 20;

/// Maximum memory of all sets of events in tables, in bytes.
const MAX_SET_BYTES: usize = 64 << 20;

/// The name of hidden variables that keep values of data during one statement.
const CAPTURED: &str = " captured";

struct Emitter {
    ops: Vec<Op>,
    syncs: Vec<Sync>,
    /// For each enclosing loop, the indices of the operations that jump to its end.
    loops: Vec<Vec<usize>>,
}

impl Compiler {
    /// Returns the body and the number of its elements in a state, and appends the largest value of
    /// each element to `largest`.
    pub(super) fn thread(
        &mut self,
        thread: &ThreadSyntax,
        sets: &mut SetTable,
        largest: &mut Vec<Option<u32>>,
    ) -> Result<(Body, usize), ModelError> {
        self.locals.clear();
        self.local_words = 0;
        let mut emitter = Emitter { ops: Vec::new(), syncs: Vec::new(), loops: Vec::new() };
        self.block(&thread.body, &mut emitter)?;
        emitter.ops.push(Op::Stop);
        let Emitter { ops, syncs, .. } = emitter;
        let code = Code { ops, syncs, locals: self.local_words, span: thread.span };
        self.locals.clear();
        if let Some((rows, first)) = self.table(&code, sets) {
            largest.push(Some(rows.len() as u32));
            return Ok((Body::Table(rows, first), 1));
        }
        largest.push(Some(code.syncs.len() as u32));
        largest.extend(std::iter::repeat_n(None, code.locals));
        let width = 1 + code.locals;
        Ok((Body::Code(code), width))
    }

    fn block(&mut self, statements: &[Statement], to: &mut Emitter) -> Result<(), ModelError> {
        let outer = self.locals.len();
        for statement in statements {
            self.statement(statement, to)?;
        }
        self.locals.truncate(outer);
        Ok(())
    }

    fn local(&mut self, name: &str, of: Type, span: Span) -> Result<usize, ModelError> {
        let width = of.width().unwrap_or(usize::MAX);
        if width > MAX_LOCALS - self.local_words {
            let cause = format!("the variables of a thread need more than {MAX_LOCALS} values");
            return Err(ModelError::new(span, cause).hint("keep lists in `data`"));
        }
        let offset = self.local_words;
        self.local_words += width;
        self.locals.push(Variable { name: name.to_owned(), of, offset });
        Ok(offset)
    }

    fn statement(&mut self, statement: &Statement, to: &mut Emitter) -> Result<(), ModelError> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Sync(sync) => self.sync(sync, None, to)?,
            StatementKind::LetSync(name, sync) => {
                let bind = self.local(name, Type::Event, span)?;
                // Remove the name while the statement is compiled, because the name is not visible
                // in its own statement.
                let own = self.locals.pop();
                self.sync(sync, Some(bind), to)?;
                self.locals.extend(own);
            }
            StatementKind::Let(name, value) => {
                let (value, of) = self.value(value, None)?;
                let width = of.width().unwrap_or(1);
                let at = self.local(name, of, span)?;
                to.ops.push(Op::Store(at, width, value));
            }
            StatementKind::Assign(target, value) => self.assign(target, value, to)?,
            StatementKind::Loop(body) => {
                let start = to.ops.len();
                to.loops.push(Vec::new());
                self.block(body, to)?;
                to.ops.push(Op::Jump(start));
                to.end_loop();
            }
            StatementKind::While(condition, body) => {
                let start = to.ops.len();
                let condition = self.flag(condition)?;
                to.ops.push(Op::Unless(condition, 0));
                to.loops.push(vec![start]);
                self.block(body, to)?;
                to.ops.push(Op::Jump(start));
                to.end_loop();
            }
            StatementKind::For(name, list, body) => self.for_loop(name, list, body, span, to)?,
            StatementKind::If(condition, then, otherwise) => {
                let at = to.ops.len();
                let condition = self.flag(condition)?;
                to.ops.push(Op::Unless(condition, 0));
                self.block(then, to)?;
                let end = to.ops.len();
                if otherwise.is_empty() {
                    to.aim(at, end);
                } else {
                    to.ops.push(Op::Jump(0));
                    to.aim(at, end + 1);
                    self.block(otherwise, to)?;
                    to.aim(end, to.ops.len());
                }
            }
            StatementKind::Break => match to.loops.last_mut() {
                Some(breaks) => {
                    breaks.push(to.ops.len());
                    to.ops.push(Op::Jump(0));
                }
                None => {
                    return Err(ModelError::new(span, "`break` outside a loop")
                        .hint("write `stop` to end the thread"));
                }
            },
            StatementKind::Stop => to.ops.push(Op::Stop),
            StatementKind::Push(..) | StatementKind::PopFront(_) | StatementKind::Reverse(_) => {
                return Err(ModelError::new(span, "a thread cannot change data")
                    .hint("put it into the effect of an event: on EVENT { ... }"));
            }
        }
        Ok(())
    }

    fn assign(
        &self,
        target: &syntax::Expr,
        value: &syntax::Expr,
        to: &mut Emitter,
    ) -> Result<(), ModelError> {
        let ExprKind::Name(name) = &target.kind else {
            return Err(ModelError::new(
                target.span,
                "a thread can assign only to whole variables",
            ));
        };
        match self.variable(name) {
            Some((variable, false)) => {
                let (offset, of) = (variable.offset, variable.of.clone());
                let value = self.value_of(value, &of)?;
                to.ops.push(Op::Store(offset, of.width().unwrap_or(1), value));
                Ok(())
            }
            Some((_, true)) => Err(ModelError::new(target.span, "a thread cannot change data")
                .hint("put it into the effect of an event: on EVENT { ... }")),
            None => {
                let names = self.locals.iter().map(|variable| variable.name.as_str());
                Err(self.unknown(target, "variable", names).hint("declare it: let x = ..."))
            }
        }
    }

    /// Compiles `for x in list`, in which a hidden variable counts the items.
    fn for_loop(
        &mut self,
        name: &str,
        list: &syntax::Expr,
        body: &[Statement],
        span: Span,
        to: &mut Emitter,
    ) -> Result<(), ModelError> {
        let range;
        let list = match &list.kind {
            ExprKind::Range(..) => {
                range = syntax::Expr { span: list.span, kind: ExprKind::List(vec![list.clone()]) };
                &range
            }
            _ => list,
        };
        let (items, of) = match self.value(list, None)? {
            (items, Type::List(of, _)) => (items, *of),
            (_, of) => {
                return Err(ModelError::new(list.span, format!("{} is not a list", of.shown()))
                    .hint("write [a, b, c] or 1..5"));
            }
        };
        let outer = self.locals.len();
        let counter = self.local(" counter", INTEGER, span)?;
        let load = |offset: usize, data: bool| Place {
            data,
            offset,
            variable: (offset, 1),
            path: Vec::new(),
            width: 1,
        };
        to.ops.push(Op::Store(counter, 1, constant([0])));
        let start = to.ops.len();
        let count = || Box::new(Expr::Load(load(counter, false)));
        let length = Box::new(Expr::Length(Box::new(items.clone())));
        to.ops.push(Op::Unless(Expr::Binary(BinaryOp::Less, count(), length, span), 0));
        let width = of.width().unwrap_or(1);
        let item = match items {
            Expr::Load(mut place) => {
                place.path.push(PlaceStep::Index { index: *count(), width, span });
                place.width = width;
                Expr::Load(place)
            }
            Expr::List { items, .. } => self.choose(items, &of, counter, span)?,
            Expr::Constant(words) => {
                let items = words[1..].chunks(width).take(words[0] as usize);
                let items = items.map(|item| constant(item.to_vec())).collect();
                self.choose(items, &of, counter, span)?
            }
            _ => return Err(ModelError::new(list.span, "this is not a list of known items")),
        };
        let at = self.local(name, of, span)?;
        to.ops.push(Op::Store(at, width, item));
        to.loops.push(vec![start]);
        let next = Expr::Binary(BinaryOp::Add, count(), Box::new(constant([1])), span);
        to.ops.push(Op::Store(counter, 1, next));
        self.block(body, to)?;
        to.ops.push(Op::Jump(start));
        to.end_loop();
        self.locals.truncate(outer);
        Ok(())
    }

    fn choose(
        &self,
        items: Vec<Expr>,
        of: &Type,
        counter: usize,
        span: Span,
    ) -> Result<Expr, ModelError> {
        if of.width() != Some(1) {
            return Err(ModelError::new(
                span,
                "a literal list in a loop must not contain tuples or lists",
            )
            .hint("loop over numbers, or keep the list in `data`"));
        }
        let place =
            Place { data: false, offset: counter, variable: (counter, 1), path: vec![], width: 1 };
        Ok(Expr::Choose(Box::new(Expr::Load(place)), items))
    }

    fn sync(
        &mut self,
        sync: &syntax::Sync,
        bind: Option<usize>,
        to: &mut Emitter,
    ) -> Result<(), ModelError> {
        let mut set = |expr: &Option<syntax::Expr>, to: &mut Emitter| match expr {
            None => Ok(SetExpr::Constant(EventSet::empty(self.events.len()))),
            Some(expr) => {
                let set = self.set(expr)?;
                self.captured(set, expr.span, to)
            }
        };
        let request = set(&sync.request, to)?;
        let wait = set(&sync.wait, to)?;
        let block = set(&sync.block, to)?;
        let interrupt = set(&sync.interrupt, to)?;
        let priority = match &sync.priority {
            None => 0,
            Some(expr) => self.constant_integer(expr)?,
        };
        let weight = match &sync.weight {
            None => 1,
            Some(expr) => match u32::try_from(self.constant_integer(expr)?) {
                Ok(weight @ 1..=MAX_WEIGHT) => weight,
                _ => {
                    let cause = format!("a weight is a whole number from 1 to {MAX_WEIGHT}");
                    return Err(ModelError::new(expr.span, cause).hint("write weight 3"));
                }
            },
        };
        let empty = |set: &SetExpr| matches!(set, SetExpr::Constant(set) if set.is_empty());
        let inert = empty(&request) && empty(&wait);
        let mut sets = [request, wait, block, interrupt];
        let mut live = 0;
        for set in &mut sets {
            set.expressions(&mut |expr| live |= reads(expr));
        }
        // Keep all variables that are in scope, because later statements may read them, unless no
        // event can resume the thread.
        if !inert {
            let named = self.locals.iter().filter(|variable| variable.name != CAPTURED);
            live |= named.fold(0, |mask, variable| {
                mask | words(variable.offset, variable.of.width().unwrap_or(1))
            });
        }
        let [request, wait, block, interrupt] = sets;
        let op = to.ops.len();
        to.ops.push(Op::Sync(to.syncs.len()));
        to.syncs.push(Sync { request, wait, block, interrupt, priority, weight, bind, op, live });
        Ok(())
    }

    /// Compiles a set so that the set uses the values of data at the time when the statement is
    /// reached.
    fn captured(
        &mut self,
        mut set: SetExpr,
        span: Span,
        to: &mut Emitter,
    ) -> Result<SetExpr, ModelError> {
        let mut failed = None;
        set.expressions(&mut |expr| {
            if !expr.reads_data() {
                return;
            }
            match self.local(CAPTURED, INTEGER, span) {
                Ok(at) => {
                    let place = Place {
                        data: false,
                        offset: at,
                        variable: (at, 1),
                        path: Vec::new(),
                        width: 1,
                    };
                    let value = std::mem::replace(expr, Expr::Load(place));
                    to.ops.push(Op::Store(at, 1, value));
                }
                Err(error) => failed = Some(error),
            }
        });
        match failed {
            None => Ok(set),
            Some(error) => Err(error),
        }
    }

    /// Returns the rows and the index of the first state, which is `None` if the thread ends at
    /// once.
    fn table(&self, code: &Code, sets: &mut SetTable) -> Option<(Vec<Row>, Option<u32>)> {
        if code.reads_data() {
            return None;
        }
        let mut ids: FxHashMap<Running, u32> = FxHashMap::default();
        let mut queue = VecDeque::new();
        let mut number = |running: Running, queue: &mut VecDeque<Running>| -> u32 {
            if running.position == 0 {
                return 0;
            }
            let next = ids.len() as u32 + 1;
            *ids.entry(running.clone()).or_insert_with(|| {
                queue.push_back(running);
                next
            })
        };
        let start = code.start(&[], &self.facts).ok()?;
        let first = number(start, &mut queue).checked_sub(1);
        let (mut rows, mut transitions) = (Vec::new(), 0);
        while let Some(running) = queue.pop_front() {
            let sync = running.position as usize - 1;
            let [request, wait, block, interrupt] =
                code.syncs[sync].sets(&running.locals, &self.facts, &self.events).ok()?;
            let mut wake = request.clone();
            wake.unite(&wait);
            let mut targets = Vec::new();
            for event in wake.iter() {
                let locals = running.locals.clone();
                let next = code.resume(sync, locals, event, &[], &self.facts).ok()?;
                targets.push((event, number(next, &mut queue)));
            }
            transitions += targets.len();
            let next = next_of(targets);
            let (priority, weight) = (code.syncs[sync].priority, code.syncs[sync].weight);
            let [request, wake, block, interrupt] =
                [request, wake, block, interrupt].map(|set| sets.add(set));
            rows.push(Row { request, wake, block, interrupt, priority, weight, next });
            if rows.len() + queue.len() > MAX_ROWS
                || transitions > MAX_TRANSITIONS
                || sets.bytes() > MAX_SET_BYTES
            {
                return None;
            }
        }
        Some((rows, first))
    }
}

/// Makes transitions, with the most frequent target as the default.
pub(in super::super) fn next_of(mut targets: Vec<(u32, u32)>) -> Next {
    debug_assert!(targets.is_sorted() && targets.len() <= MAX_EVENTS);
    let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
    for (_, target) in &targets {
        *counts.entry(*target).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|&(target, count)| (count, u32::MAX - target));
    let default = most.map_or(0, |(target, _)| target);
    targets.retain(|(_, target)| *target != default);
    Next { default, others: targets }
}

impl Emitter {
    /// Makes the innermost loop's `break`s and condition jump to the next operation.
    fn end_loop(&mut self) {
        let end = self.ops.len();
        for at in self.loops.pop().unwrap_or_default() {
            self.aim(at, end);
        }
    }

    fn aim(&mut self, at: usize, to: usize) {
        match &mut self.ops[at] {
            Op::Jump(target) | Op::Unless(_, target) => *target = to,
            Op::Sync(_) | Op::Store(..) | Op::Stop => unreachable!("only jumps have a target"),
        }
    }
}

impl Code {
    fn reads_data(&self) -> bool {
        self.ops.iter().any(|op| match op {
            Op::Unless(expr, _) | Op::Store(_, _, expr) => expr.reads_data(),
            Op::Sync(_) | Op::Jump(_) | Op::Stop => false,
        })
    }
}

/// The words of local variables that an expression reads, as bits.
fn reads(expr: &Expr) -> u64 {
    let mut mask = 0;
    expr.places(&mut |place| {
        if !place.data {
            mask |= words(place.variable.0, place.variable.1);
        }
    });
    mask
}

fn words(at: usize, width: usize) -> u64 {
    (0..width).fold(0, |mask, word| mask | 1 << (at + word))
}
