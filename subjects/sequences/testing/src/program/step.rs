//! Steps: the events that are enabled in a state, and the state that follows.

use crate::events::{EventId, has, ones};

use super::{Body, Environment, Fault, Program};

/// The events that are enabled in a state, in the order of their numbers.
pub type Enabled = Vec<EventId>;

/// Steps through the states of a program. Buffers are reused between steps.
#[derive(Clone, Debug)]
pub struct Stepper<'p> {
    program: &'p Program,
    requested: Vec<u64>,
    blocked: Vec<u64>,
}

impl<'p> Stepper<'p> {
    /// A stepper of a program.
    pub fn new(program: &'p Program) -> Stepper<'p> {
        let words = vec![0; program.words];
        Stepper { program, requested: words.clone(), blocked: words }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The initial state.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules.
    pub fn initial(&self) -> Result<Vec<i32>, Fault> {
        let program = self.program;
        let mut state = vec![0; program.width()];
        state[program.data_at..].copy_from_slice(&program.data);
        for number in 0..program.threads.len() {
            if self.guard(number, &program.data)? {
                self.start(number, &mut state)?;
            }
        }
        Ok(state)
    }

    /// Writes the enabled events of a state to `enabled`.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules.
    pub fn enabled(&mut self, state: &[i32], enabled: &mut Enabled) -> Result<(), Fault> {
        enabled.clear();
        let program = self.program;
        self.blocked.fill(0);
        self.requested.fill(0);
        if program.has_priorities {
            return self.enabled_by_priority(state, enabled);
        }
        for thread in &program.threads {
            let position = state[thread.at];
            if position == 0 {
                continue;
            }
            match &thread.body {
                Body::Table(rows, _) => {
                    let row = &rows[position as usize - 1];
                    unite(&mut self.requested, program.set(row.request));
                    unite(&mut self.blocked, program.set(row.block));
                }
                Body::Code(code) => {
                    let locals = &state[thread.at + 1..][..code.locals];
                    let sync = &code.syncs[position as usize - 1];
                    let sets = sync.sets(locals, &program.facts, &program.events)?;
                    unite(&mut self.requested, sets[0].words());
                    unite(&mut self.blocked, sets[2].words());
                }
            }
        }
        self.requested.iter_mut().zip(&self.blocked).for_each(|(a, b)| *a &= !b);
        enabled.extend(ones(&self.requested));
        Ok(())
    }

    /// Like [`Stepper::enabled`], but with only the events that are requested by the statements of
    /// the highest priority among the statements with an enabled event.
    fn enabled_by_priority(&mut self, state: &[i32], enabled: &mut Enabled) -> Result<(), Fault> {
        let program = self.program;
        let mut requests: Vec<(i32, Vec<u64>)> = Vec::new();
        for thread in &program.threads {
            let position = state[thread.at];
            if position == 0 {
                continue;
            }
            match &thread.body {
                Body::Table(rows, _) => {
                    let row = &rows[position as usize - 1];
                    requests.push((row.priority, program.set(row.request).to_vec()));
                    unite(&mut self.blocked, program.set(row.block));
                }
                Body::Code(code) => {
                    let locals = &state[thread.at + 1..][..code.locals];
                    let sync = &code.syncs[position as usize - 1];
                    let sets = sync.sets(locals, &program.facts, &program.events)?;
                    requests.push((sync.priority, sets[0].words().to_vec()));
                    unite(&mut self.blocked, sets[2].words());
                }
            }
        }
        for (_, request) in &mut requests {
            request.iter_mut().zip(&self.blocked).for_each(|(a, b)| *a &= !b);
        }
        requests.retain(|(_, request)| request.iter().any(|&word| word != 0));
        let highest = requests.iter().map(|(priority, _)| *priority).max();
        for (_, request) in requests.iter().filter(|(priority, _)| Some(*priority) == highest) {
            unite(&mut self.requested, request);
        }
        enabled.extend(ones(&self.requested));
        Ok(())
    }

    /// Writes the weight of each enabled event to `weights`. The weight of an event is the largest
    /// weight of the statements that request the event, and at least 1.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules.
    pub fn weights(
        &self,
        state: &[i32],
        enabled: &[EventId],
        weights: &mut Vec<u64>,
    ) -> Result<(), Fault> {
        let program = self.program;
        weights.clear();
        weights.resize(enabled.len(), 1);
        let mut raise = |weight: u32, request: &[u64]| {
            for (&event, known) in enabled.iter().zip(&mut *weights) {
                if weight > 1 && has(request, event) {
                    *known = (*known).max(weight.into());
                }
            }
        };
        for thread in program.threads.iter().filter(|thread| state[thread.at] != 0) {
            let position = state[thread.at] as usize - 1;
            match &thread.body {
                Body::Table(rows, _) => {
                    raise(rows[position].weight, program.set(rows[position].request));
                }
                Body::Code(code) if code.syncs[position].weight > 1 => {
                    let locals = &state[thread.at + 1..][..code.locals];
                    let sync = &code.syncs[position];
                    let sets = sync.sets(locals, &program.facts, &program.events)?;
                    raise(sync.weight, sets[0].words());
                }
                Body::Code(_) => {}
            }
        }
        Ok(())
    }

    /// Writes the state after an event to `next`.
    ///
    /// # Errors
    ///
    /// If the model breaks one of its own rules.
    pub fn step(&self, state: &[i32], event: EventId, next: &mut Vec<i32>) -> Result<(), Fault> {
        let program = self.program;
        next.clear();
        next.extend_from_slice(state);
        let before = &state[program.data_at..];
        let effects = &program.effects_of[event as usize];
        for &effect in effects {
            for effect in &program.effects[effect as usize] {
                effect.apply(event, &mut next[program.data_at..], &program.facts)?;
            }
        }
        let changed = !effects.is_empty() && before != &next[program.data_at..];
        for number in 0..program.threads.len() {
            let thread = &program.threads[number];
            if changed && thread.guard.is_some() {
                if !self.guard(number, &next[program.data_at..])? {
                    self.end(number, next);
                    continue;
                }
                if !self.guard(number, before)? {
                    self.start(number, next)?;
                    continue;
                }
            }
            let position = state[thread.at];
            if position == 0 {
                continue;
            }
            match &thread.body {
                Body::Table(rows, _) => {
                    let row = &rows[position as usize - 1];
                    if has(program.set(row.interrupt), event) {
                        next[thread.at] = 0;
                    } else if has(program.set(row.wake), event) {
                        next[thread.at] = row.next.get(event) as i32;
                    }
                }
                Body::Code(code) => {
                    let locals = &state[thread.at + 1..][..code.locals];
                    let sync = &code.syncs[position as usize - 1];
                    let sets = sync.sets(locals, &program.facts, &program.events)?;
                    if sets[3].contains(event) {
                        self.end(number, next);
                    } else if sets[0].contains(event) || sets[1].contains(event) {
                        let (locals, data) = (locals.to_vec(), &next[program.data_at..]);
                        let sync = position as usize - 1;
                        let running = code.resume(sync, locals, event, data, &program.facts)?;
                        next[thread.at] = running.position;
                        next[thread.at + 1..][..code.locals].copy_from_slice(&running.locals);
                    }
                }
            }
        }
        Ok(())
    }

    fn guard(&self, number: usize, data: &[i32]) -> Result<bool, Fault> {
        let facts = &self.program.facts;
        match &self.program.threads[number].guard {
            None => Ok(true),
            Some(guard) => Ok(guard.scalar(&Environment { locals: &[], data, facts })? != 0),
        }
    }

    fn start(&self, number: usize, state: &mut [i32]) -> Result<(), Fault> {
        let thread = &self.program.threads[number];
        match &thread.body {
            Body::Table(_, first) => state[thread.at] = first.map_or(0, |row| row as i32 + 1),
            Body::Code(code) => {
                let data = &state[self.program.data_at..];
                let running = code.start(data, &self.program.facts)?;
                state[thread.at] = running.position;
                state[thread.at + 1..][..code.locals].copy_from_slice(&running.locals);
            }
        }
        Ok(())
    }

    fn end(&self, number: usize, state: &mut [i32]) {
        let thread = &self.program.threads[number];
        let locals = match &thread.body {
            Body::Table(..) => 0,
            Body::Code(code) => code.locals,
        };
        state[thread.at..=thread.at + locals].fill(0);
    }
}

fn unite(a: &mut [u64], b: &[u64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
}
