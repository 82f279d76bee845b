//! Handlers of runs, jumps, loops and calls.

use super::parts;
use crate::linear::form::Instruction;
use crate::linear::machine::{MOST_DELAYED, Machine, Step, Stop};
use crate::linear::operands::Source;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

/// Consumes the fuel of a run and reports its blocks. `ONE` says that it has one, `CALLS` that it calls;
/// with `RESTS` the handler returns, see [`Steps`](crate::linear::Steps).
pub(crate) fn run<T: Tracer, const ONE: bool, const CALLS: bool, const RESTS: bool>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Run { first, count, .. });
    let count = if ONE { 1 } else { count };
    let full = CALLS && machine.stack.len() + machine.delayed_frames as usize > machine.room;
    if machine.fuel <= u32::from(count) || full {
        return leave(machine, step, rest);
    }
    machine.fuel -= u32::from(count);
    if T::ACTIVE {
        if ONE {
            machine.tracer.covered(step.no);
        } else {
            let first = first as usize;
            for &no in &machine.form.blocks[first..first + usize::from(count)] {
                machine.tracer.covered(no);
            }
        }
    }
    if RESTS { machine.at(rest) + 1 } else { machine.next(rest) }
}

#[cold]
pub(crate) fn leave<T: Tracer>(
    machine: &mut Machine<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    machine.leave_at(machine.at(rest));
    machine.stop(Stop::Leave, rest)
}

pub(crate) fn interpret<T: Tracer>(
    machine: &mut Machine<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    machine.stop(Stop::Interpret, rest)
}

pub(crate) fn jump<T: Tracer>(_: &mut Machine<'_, T>, step: &Step<T>, _: &[Step<T>]) -> usize {
    parts!(step, Instruction::Jump { to });
    to as usize
}

pub(crate) fn combine<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Combine(link));
    let test = machine.pop_test();
    machine.link(link, test);
    machine.next(rest)
}

pub(crate) fn branch<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Branch { jumps, to });
    if machine.finish_test(step.no) == jumps { to as usize } else { machine.next(rest) }
}

pub(crate) fn enter_loop<T: Tracer, N: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::EnterLoop { counted, times });
    let times = N::read(machine, times).number();
    machine.enter_loop(machine.at(rest), counted, if counted { js_round(times) } else { 0.0 });
    machine.next(rest)
}

pub(crate) fn count<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Count { end });
    if machine.count(step.no) { machine.next(rest) } else { end as usize }
}

pub(crate) fn endless<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    machine.report(step.no, 0.0, 1.0);
    machine.next(rest)
}

pub(crate) fn again<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Again { head });
    if machine.again(step.no) { head as usize } else { machine.stop(Stop::Leave, rest) }
}

pub(crate) fn count_again<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CountAgain { body, end });
    if !machine.again(step.no) {
        return machine.stop(Stop::Leave, rest);
    }
    if machine.count(step.no) { body as usize } else { end as usize }
}

pub(crate) fn leave_loop<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::LeaveLoop { branches });
    machine.pop_frames(1 + usize::from(branches));
    machine.next(rest)
}

pub(crate) fn push_expansions<T: Tracer>(
    machine: &mut Machine<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    machine.push_delayed();
    machine.push_expansions(machine.at(rest));
    machine.at(rest) + 1
}

pub(crate) fn push<T: Tracer, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Push { a, place });
    machine.push_operand::<A>(machine.at(rest), a, place);
    machine.at(rest) + 1
}

pub(crate) fn push_default<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::PushDefault { place });
    machine.push(machine.at(rest), Value::Undefined, place);
    machine.at(rest) + 1
}

pub(crate) fn call<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Call { site });
    let site = &machine.form.sites[site as usize];
    machine.call(machine.at(rest), site);
    site.entry as usize
}

/// Calls a custom block whose frames are delayed.
pub(crate) fn call_delayed<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Call { site });
    let site = &machine.form.sites[site as usize];
    let at = machine.at(rest);
    machine.push_parameters(at, site);
    machine.call_delayed(at, site);
    site.entry as usize
}

/// Calls a custom block whose frames are delayed, and pushes one parameter.
pub(crate) fn call_with<T: Tracer, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Call { site });
    let form = machine.form;
    if let Some(site) = form.sites.get(site as usize)
        && let Some(&a) = form.operands.get(site.operands.0 as usize)
        && let Some(number) = A::number(machine, a)
        && machine.calls < MOST_DELAYED
        && let Some(place) = machine.parameters.next_number()
    {
        *place = number;
        machine.call_delayed(machine.at(rest), site);
        return site.entry as usize;
    }
    call_delayed(machine, step, rest)
}

pub(crate) fn return_<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    match machine.leave_delayed() {
        Some(resumption) => resumption,
        None => return_to_frames(machine, step, rest),
    }
}

#[inline(never)]
fn return_to_frames<T: Tracer>(
    machine: &mut Machine<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    match machine.leave_block() {
        Some(resumption) => resumption,
        None => machine.stop(Stop::Leave, rest),
    }
}
