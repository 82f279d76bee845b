//! Code of threads and effects.

use crate::events::{EventId, EventSet, Events};
use crate::span::Span;
use crate::types::Type;

use super::{Environment, EventFacts, Expr, Fault, Place, SetExpr};

/// Maximum number of operations between two synchronisation statements of a thread.
const FUEL: usize = 100_000;

/// The code of a thread. In a state, the thread is represented by the number of its statement plus
/// 1, followed by its variables.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) syncs: Vec<Sync>,
    /// Number of words of all variables.
    pub(crate) locals: usize,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Sync(usize),
    Jump(usize),
    /// Jumps if the condition does not hold.
    Unless(Expr, usize),
    Store(usize, usize, Expr),
    Stop,
}

#[derive(Clone, Debug)]
pub(crate) struct Sync {
    pub(crate) request: SetExpr,
    pub(crate) wait: SetExpr,
    pub(crate) block: SetExpr,
    pub(crate) interrupt: SetExpr,
    pub(crate) priority: i32,
    /// The weight of the requests in walks.
    pub(crate) weight: u32,
    /// The variable to which the selected event is assigned.
    pub(crate) bind: Option<usize>,
    /// The index of the statement's operation.
    pub(crate) op: usize,
    /// The words of variables whose values are kept at the statement, as bits. All other words are
    /// 0 while the thread is suspended, so states that differ only in unused values are the same.
    pub(crate) live: u64,
}

/// A suspended thread: its statement and its variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Running {
    /// Number of the statement plus 1; 0 if the thread has ended.
    pub(crate) position: i32,
    pub(crate) locals: Vec<i32>,
}

impl Code {
    pub(crate) fn start(&self, data: &[i32], facts: &EventFacts) -> Result<Running, Fault> {
        self.run(0, vec![0; self.locals], data, facts)
    }

    pub(crate) fn resume(
        &self,
        sync: usize,
        mut locals: Vec<i32>,
        event: EventId,
        data: &[i32],
        facts: &EventFacts,
    ) -> Result<Running, Fault> {
        let sync = &self.syncs[sync];
        if let Some(bind) = sync.bind {
            locals[bind] = event as i32;
        }
        self.run(sync.op + 1, locals, data, facts)
    }

    fn run(
        &self,
        mut op: usize,
        mut locals: Vec<i32>,
        data: &[i32],
        facts: &EventFacts,
    ) -> Result<Running, Fault> {
        let mut value = Vec::new();
        for _ in 0..FUEL {
            let environment = Environment { locals: &locals, data, facts };
            match self.ops.get(op) {
                Some(&Op::Sync(number)) => {
                    let live = self.syncs[number].live;
                    for (word, local) in locals.iter_mut().enumerate() {
                        *local *= (live >> word & 1) as i32;
                    }
                    return Ok(Running { position: number as i32 + 1, locals });
                }
                Some(&Op::Jump(to)) => op = to,
                Some(Op::Unless(condition, to)) => {
                    op = if condition.scalar(&environment)? == 0 { *to } else { op + 1 };
                }
                Some(Op::Store(at, width, expression)) => {
                    value.clear();
                    expression.value(&environment, &mut value)?;
                    locals[*at..at + width].copy_from_slice(&value);
                    op += 1;
                }
                Some(Op::Stop) | None => {
                    locals.fill(0);
                    return Ok(Running { position: 0, locals });
                }
            }
        }
        let cause = format!("the thread did not synchronise within {FUEL} operations");
        Err(Fault::new(self.span, cause))
    }
}

impl Sync {
    /// The sets of requested, awaited, blocked and interrupting events, in this order.
    pub(crate) fn sets(
        &self,
        locals: &[i32],
        facts: &EventFacts,
        events: &Events,
    ) -> Result<[EventSet; 4], Fault> {
        let environment = Environment { locals, data: &[], facts };
        let value = |set: &SetExpr| set.value(&environment, events.len());
        Ok([
            value(&self.request)?,
            value(&self.wait)?,
            value(&self.block)?,
            value(&self.interrupt)?,
        ])
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Assign(Place, Expr, Type, Span),
    /// Appends to a list with this capacity.
    Push {
        list: Place,
        capacity: usize,
        item: Expr,
        of: Type,
        span: Span,
    },
    PopFront {
        list: Place,
        width: usize,
        span: Span,
    },
    Reverse {
        list: Place,
        width: usize,
    },
    If(Expr, Vec<Effect>, Vec<Effect>),
}

impl Effect {
    /// `event` is the value of the variable of the effect.
    pub(crate) fn apply(
        &self,
        event: EventId,
        data: &mut [i32],
        facts: &EventFacts,
    ) -> Result<(), Fault> {
        let locals = [event as i32];
        let environment = Environment { locals: &locals, data, facts };
        match self {
            Effect::Assign(place, expression, of, span) => {
                let mut value = Vec::new();
                expression.value(&environment, &mut value)?;
                of.check(&value).map_err(|cause| Fault::new(*span, cause))?;
                let at = place.offset(&environment)?;
                data[at..at + place.width].copy_from_slice(&value);
            }
            Effect::Push { list, capacity, item, of, span } => {
                let mut value = Vec::new();
                item.value(&environment, &mut value)?;
                of.check(&value).map_err(|cause| Fault::new(*span, cause))?;
                let at = list.offset(&environment)?;
                let length = data[at] as usize;
                if length == *capacity {
                    let cause = format!("the list is full: it holds at most {capacity}");
                    return Err(Fault::new(*span, cause));
                }
                data[at] += 1;
                let to = at + 1 + length * value.len();
                data[to..to + value.len()].copy_from_slice(&value);
            }
            Effect::PopFront { list, width, span } => {
                let at = list.offset(&environment)?;
                let length = data[at] as usize;
                if length == 0 {
                    return Err(Fault::new(*span, "nothing to take: the list is empty"));
                }
                data[at] -= 1;
                let items = &mut data[at + 1..at + 1 + length * width];
                items.copy_within(*width.., 0);
                items[(length - 1) * width..].fill(0);
            }
            Effect::Reverse { list, width } => {
                let at = list.offset(&environment)?;
                let length = data[at] as usize;
                let items = &mut data[at + 1..at + 1 + length * width];
                items.reverse();
                // Reversing all words has also reversed the words of each item, so reverse each
                // item again.
                items.chunks_mut(*width).for_each(<[i32]>::reverse);
            }
            Effect::If(condition, then, otherwise) => {
                let effects = if condition.scalar(&environment)? != 0 { then } else { otherwise };
                for effect in effects {
                    effect.apply(event, data, facts)?;
                }
            }
        }
        Ok(())
    }
}
