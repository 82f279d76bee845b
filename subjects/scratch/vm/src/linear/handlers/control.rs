//! Handlers of control flow.

use super::parts;
use crate::distance::ConditionDistances;
use crate::linear::executor::{Executor, MAX_DELAYED, Step, Stop};
use crate::linear::form::{Instruction, Link, Skip};
use crate::linear::operands::{Any, Source};
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

/// If `ONE` is true, the run has one block; if `CALLS` is false, it calls no custom block; if
/// `RESTS` is true, the handler returns so that the stack of handlers does not grow.
pub(crate) fn run<T: Tracer, const ONE: bool, const CALLS: bool, const RESTS: bool>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Run { first, count, .. });
    let count = if ONE { 1 } else { count };
    let full = CALLS && executor.stack.len() + executor.delayed_frames as usize > executor.room;
    if executor.fuel <= u32::from(count) || full {
        return leave(executor, step, rest);
    }
    executor.fuel -= u32::from(count);
    if T::ACTIVE {
        if ONE {
            executor.tracer.covered(step.no);
        } else {
            let first = first as usize;
            if let Some(blocks) = executor.form.blocks.get(first..first + usize::from(count)) {
                executor.tracer.covered_all(first, blocks);
            }
        }
    }
    if RESTS { executor.at(rest) + 1 } else { executor.next(rest) }
}

#[cold]
pub(crate) fn leave<T: Tracer>(
    executor: &mut Executor<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    executor.leave_at(executor.at(rest));
    executor.stop(Stop::Leave, rest)
}

pub(crate) fn interpret<T: Tracer>(
    executor: &mut Executor<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    executor.stop(Stop::Interpret, rest)
}

pub(crate) fn apply<T: Tracer>(
    executor: &mut Executor<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    executor.stop(Stop::Apply, rest)
}

pub(crate) fn jump<T: Tracer>(_: &mut Executor<'_, T>, step: &Step<T>, _: &[Step<T>]) -> usize {
    parts!(step, Instruction::Jump { to });
    to as usize
}

pub(crate) fn skip<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Skip { skip });
    let form = executor.form;
    let Skip { link, end, is_last, indices: (first, count) } = form.skips[skip as usize];
    if executor.is_decided(link)
        && !executor.measures(step.no)
        && form.operands[first as usize..(first + count) as usize]
            .iter()
            .all(|index| !Any::numeral(executor, *index).is_nan())
    {
        if !is_last {
            return end as usize;
        }
        let (jumps, to) = match form.instructions[end as usize] {
            Instruction::Compare { jumps, to, .. } => (jumps, to),
            Instruction::CompareItem { way, to, .. }
            | Instruction::CompareLetter { way, to, .. } => (way.jumps(), to),
            _ => return executor.next(rest),
        };
        let test = executor.pop_test();
        return if test.value == jumps { to as usize } else { end as usize + 1 };
    }
    executor.next(rest)
}

pub(crate) fn combine<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Combine(link));
    let test = executor.pop_test();
    executor.link(link, test);
    executor.next(rest)
}

pub(crate) fn outcome<T: Tracer>(
    executor: &mut Executor<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    let test = executor.pop_test();
    executor.link(Link::Push, ConditionDistances::new(test.value, 1.0));
    executor.next(rest)
}

pub(crate) fn branch<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Branch { jumps, to });
    if executor.finish_test(step.no) == jumps { to as usize } else { executor.next(rest) }
}

pub(crate) fn enter_loop<T: Tracer, N: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::EnterLoop { counted, times });
    let times = N::read(executor, times).number();
    executor.enter_loop(executor.at(rest), counted, if counted { js_round(times) } else { 0.0 });
    executor.next(rest)
}

pub(crate) fn count<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Count { end });
    if executor.count(step.no) { executor.next(rest) } else { end as usize }
}

pub(crate) fn endless<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    executor.report(step.no, 0.0, 1.0);
    executor.next(rest)
}

pub(crate) fn again<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Again { head });
    if executor.again(step.no) { head as usize } else { executor.stop(Stop::Leave, rest) }
}

pub(crate) fn count_again<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CountAgain { body, end });
    if !executor.again(step.no) {
        return executor.stop(Stop::Leave, rest);
    }
    if executor.count(step.no) { body as usize } else { end as usize }
}

pub(crate) fn leave_loop<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::LeaveLoop { branches });
    executor.pop_frames(1 + usize::from(branches));
    executor.next(rest)
}

pub(crate) fn push_expansions<T: Tracer>(
    executor: &mut Executor<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    executor.push_delayed();
    executor.push_expansions(executor.at(rest));
    executor.at(rest) + 1
}

pub(crate) fn push<T: Tracer, A: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Push { a, place });
    executor.push_operand::<A>(executor.at(rest), a, place);
    executor.at(rest) + 1
}

pub(crate) fn push_default<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::PushDefault { place });
    executor.push(executor.at(rest), Value::Undefined, place);
    executor.at(rest) + 1
}

pub(crate) fn call<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Call { site });
    let site = &executor.form.sites[site as usize];
    executor.call(executor.at(rest), site);
    site.entry as usize
}

pub(crate) fn call_delayed<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Call { site });
    let site = &executor.form.sites[site as usize];
    let at = executor.at(rest);
    executor.push_parameters(at, site);
    executor.call_delayed(at, site);
    site.entry as usize
}

pub(crate) fn call_with<T: Tracer, A: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Call { site });
    let form = executor.form;
    if let Some(site) = form.sites.get(site as usize)
        && let Some(&a) = form.operands.get(site.operands.0 as usize)
        && let Some(number) = A::number(executor, a)
        && executor.calls < MAX_DELAYED
        && let Some(place) = executor.parameters.next_number()
    {
        *place = number;
        executor.call_delayed(executor.at(rest), site);
        return site.entry as usize;
    }
    call_delayed(executor, step, rest)
}

pub(crate) fn return_<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    match executor.leave_delayed() {
        Some(resumption) => resumption,
        None => return_to_frames(executor, step, rest),
    }
}

#[inline(never)]
fn return_to_frames<T: Tracer>(
    executor: &mut Executor<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    match executor.leave_block() {
        Some(resumption) => resumption,
        None => executor.stop(Stop::Leave, rest),
    }
}
