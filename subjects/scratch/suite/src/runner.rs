//! Execution of the tests of suites.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_vm::{LONG_SLICE, Program, Random, Snapshot, TargetId, Tracer, Value, Vm};

use crate::attribute::{AttributeValue, Range};
use crate::event::{Interaction, Vocabulary, center_mouse};
use crate::linked::{Check, LinkedSuite, LinkedTest};
use crate::verdict::{AssertionNo, Bounds, Execution, Failure, Verdict};

/// Maximum size in bytes of the stretches that the VM remembers.
const STRETCH_BYTES: usize = 8 << 20;

/// Runner of tests in sequence. Before each test, the runner restores the state after loading
/// instead of loading the program again. Each execution is a pure function of the program, the
/// settings, the seed and the test.
pub struct Runner<T: Tracer = ()> {
    vm: Vm<T>,
    /// The project as loaded, with the mouse at the centre, before the green flag.
    start: Snapshot,
}

impl<T: Tracer> Runner<T> {
    /// Creates a runner for a program. The settings of the VM should be the settings of the suite
    /// ([`Suite::machine`](crate::Suite::machine)).
    pub fn new(program: Arc<Program>, machine: catherd_scratch_vm::VmSettings, tracer: T) -> Self {
        Runner::of(Vm::new(program, machine, Random::portable(0), tracer))
    }

    /// Creates a runner whose costumes have different edges ([`Vm::with_fine_edges`]).
    pub fn with_fine_edges(
        program: Arc<Program>,
        machine: catherd_scratch_vm::VmSettings,
        tracer: T,
    ) -> Self {
        Runner::of(Vm::with_fine_edges(program, machine, Random::portable(0), tracer))
    }

    fn of(mut vm: Vm<T>) -> Self {
        vm.remember(LONG_SLICE, STRETCH_BYTES);
        center_mouse(&mut vm);
        Self { start: vm.snapshot(), vm }
    }

    /// The tracer of all executions. The runner never clears it.
    pub fn tracer(&mut self) -> &mut T {
        &mut self.vm.tracer
    }

    /// Whether the program drew no random numbers in the latest execution.
    pub fn drew_nothing(&self) -> bool {
        self.vm.random().is_fresh()
    }

    /// Executes a test under its seed up to the first assertion that does not hold.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn run(&mut self, suite: &LinkedSuite, test: usize, bounds: Bounds) -> Execution {
        self.check(suite, test, suite.seed_of(test), bounds, |_, _| ControlFlow::Break(()))
    }

    /// Executes a test under any seed. `failed` is called with each assertion that does not hold,
    /// and with the actual value if there is one; the first assertion for which `failed` breaks
    /// determines the verdict.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn check(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        seed: u64,
        bounds: Bounds,
        mut failed: impl FnMut(AssertionNo, Option<&AttributeValue>) -> ControlFlow<()>,
    ) -> Execution {
        if suite.steps(test) > bounds.steps {
            return Execution { verdict: Verdict::StepLimit, steps: 0, blocks: 0, fault: None };
        }
        let checks = suite.tests[test].checks.iter();
        let checks = checks.filter(|check| bounds.flaky || !check.number.flaky);
        let mut seen = Ranges::new(checks.clone());
        let mut checks = checks.peekable();
        self.begin(seed);
        self.vm.set_fuel(bounds.blocks);
        let early = self.send(&suite.tests[test], &suite.words, &mut seen, |event, vm, seen| {
            if vm.is_out_of_fuel() {
                let fault = "the test executed more blocks than allowed";
                return ControlFlow::Break(Verdict::Fault(fault));
            }
            if let Some(fault) = vm.fault().filter(|_| bounds.faults_end) {
                return ControlFlow::Break(Verdict::Fault(fault));
            }
            while let Some(check) = checks.next_if(|check| check.after == event) {
                let actual = match check.in_play() {
                    Some(variable) => seen.get(variable).map(AttributeValue::Range),
                    None => check.read(vm),
                };
                let both = check.expected.as_ref().zip(actual.as_ref());
                let holds = both.is_some_and(|(expected, actual)| {
                    suite.comparison.agree(check.attribute, expected, actual)
                });
                let got = actual.as_ref().filter(|_| check.expected.is_some());
                if !holds && failed(check.number, got).is_break() {
                    let got = got.map(|seen| seen.to_string());
                    let failure = Failure { assertion: check.number, after: event, got };
                    return ControlFlow::Break(Verdict::Failed(failure));
                }
            }
            ControlFlow::Continue(())
        });
        let verdict = early.break_value().unwrap_or(Verdict::Passed);
        let (steps, blocks) = (self.vm.steps(), self.vm.executed_blocks());
        Execution { verdict, steps, blocks, fault: self.vm.fault() }
    }

    /// Executes a test under any seed without checking assertions. `after` is called with the
    /// position of each event after its steps and the following wait, and may end the execution.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn drive<B>(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        seed: u64,
        mut after: impl FnMut(u32, &mut Vm<T>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.begin(seed);
        let seen = &mut Ranges::default();
        self.send(&suite.tests[test], &suite.words, seen, |event, vm, _| after(event, vm))
    }

    /// Executes a test under any seed without checking assertions. `each` is called after each
    /// step, with the number of the policy's rule that chose the event, if a rule chose it.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn watch(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        seed: u64,
        mut each: impl FnMut(&Vm<T>, Option<usize>),
    ) {
        self.begin(seed);
        let (test, words) = (&suite.tests[test], &suite.words);
        let mut interaction = Interaction::default();
        for &event in &test.events {
            interaction.send_watched(event, &mut self.vm, words, &mut |vm| each(vm, None));
        }
        if let Some(policy) = &test.policy {
            policy.play_shown(&mut self.vm, &mut interaction, words, |_| true, &mut each);
        }
    }

    /// Sends the events of a test to the program. Then executes the policy of the test, if any,
    /// which counts as one more event, and adds the values of variables after each step of the
    /// policy to `seen`.
    fn send<B>(
        &mut self,
        test: &LinkedTest,
        words: &Vocabulary,
        seen: &mut Ranges,
        mut after: impl FnMut(u32, &mut Vm<T>, &Ranges) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut interaction = Interaction::default();
        for (&event, number) in test.events.iter().zip(0..) {
            interaction.send(event, &mut self.vm, words);
            after(number, &mut self.vm, seen)?;
        }
        if let Some(policy) = &test.policy {
            let each = &mut |vm: &Vm<T>| seen.see(vm);
            policy.play_watched(&mut self.vm, &mut interaction, words, |_| true, each);
            after(test.events.len() as u32, &mut self.vm, seen)?;
        }
        ControlFlow::Continue(())
    }

    /// Executes a test whose keys and answers are in `words`, without checking assertions.
    pub(crate) fn execute(&mut self, test: &LinkedTest, words: &Vocabulary, seed: u64) {
        self.begin(seed);
        let seen = &mut Ranges::default();
        let _: ControlFlow<()> = self.send(test, words, seen, |_, _, _| ControlFlow::Continue(()));
    }

    /// Returns the VM under a seed, after the green flag and before the first step.
    pub fn at_start(&mut self, seed: u64) -> &mut Vm<T> {
        self.begin(seed);
        &mut self.vm
    }

    fn begin(&mut self, seed: u64) {
        self.vm.restore(&self.start);
        self.vm.set_random(Random::portable(seed));
        self.vm.green_flag();
    }
}

#[derive(Default)]
struct Ranges {
    all: Vec<Seen>,
}

struct Seen {
    /// The target of the variable, and the position of the variable in the target.
    variable: (u16, u32),
    /// The range of all values, and the last value; `None` before the first step.
    values: Option<(Range, f64)>,
}

impl Ranges {
    fn new<'a>(checks: impl Iterator<Item = &'a Check>) -> Self {
        let mut variables: Vec<(u16, u32)> = checks.filter_map(Check::in_play).collect();
        variables.dedup();
        let seen = |variable| Seen { variable, values: None };
        Self { all: variables.into_iter().map(seen).collect() }
    }

    fn see<T: Tracer>(&mut self, vm: &Vm<T>) {
        for Seen { variable: (target, variable), values } in &mut self.all {
            let view = vm.target(TargetId(u32::from(*target)));
            let value = view.as_ref().and_then(|view| view.variable(*variable as usize));
            let value = value.map_or(f64::NAN, Value::js_number);
            match values {
                None => {
                    *values = Some((Range { least: value, most: value, rises: true }, value));
                }
                Some((range, last)) => {
                    range.add(Some(*last), value);
                    *last = value;
                }
            }
        }
    }

    fn get(&self, variable: (u16, u32)) -> Option<Range> {
        let found = self.all.iter().find(|seen| seen.variable == variable);
        found.and_then(|seen| seen.values.map(|(range, _)| range))
    }
}

#[cfg(test)]
mod tests;
