//! Executing the tests of suites.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_vm::{Program, Random, Snapshot, Tracer, Vm};

use crate::event::{Interaction, Vocabulary, center_mouse};
use crate::linked::{LinkedSuite, LinkedTest};
use crate::verdict::{AssertionNo, Bounds, Execution, Failure, Verdict};

/// Machine that executes tests one after the other. Before each test it restores the state after
/// loading instead of loading the program again. Each execution is a pure function of program,
/// settings, seed and test.
pub struct Runner<T: Tracer = ()> {
    vm: Vm<T>,
    /// The project as loaded, with the mouse at the centre, before the green flag.
    start: Snapshot,
}

impl<T: Tracer> Runner<T> {
    /// A machine with a program. Its settings should be the suite's
    /// ([`Suite::machine`](crate::Suite::machine)). The tracer `()` is the fastest.
    pub fn new(program: Arc<Program>, machine: catherd_vm::Settings, tracer: T) -> Self {
        let mut vm = Vm::new(program, machine, Random::portable(0), tracer);
        center_mouse(&mut vm);
        Self { start: vm.snapshot(), vm }
    }

    /// The tracer of all executions. It is never cleared here.
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
        self.check(suite, test, suite.seed_of(test), bounds, |_| ControlFlow::Break(()))
    }

    /// Executes a test under any seed. `failed` is called with each assertion that does not hold;
    /// the first at which it breaks is the verdict. If it never breaks, the test passes.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn check(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        seed: u64,
        bounds: Bounds,
        mut failed: impl FnMut(AssertionNo) -> ControlFlow<()>,
    ) -> Execution {
        if suite.steps(test) > bounds.steps {
            return Execution { verdict: Verdict::StepLimit, steps: 0, blocks: 0, fault: None };
        }
        let checks = suite.tests[test].checks.iter();
        let mut checks = checks.filter(|check| bounds.flaky || !check.number.flaky).peekable();
        self.begin(seed);
        self.vm.set_fuel(bounds.blocks);
        let early = self.send(&suite.tests[test], &suite.words, |event, vm| {
            if vm.is_out_of_fuel() {
                let fault = "the test executed more blocks than allowed";
                return ControlFlow::Break(Verdict::Fault(fault));
            }
            if let Some(fault) = vm.fault().filter(|_| bounds.faults_end) {
                return ControlFlow::Break(Verdict::Fault(fault));
            }
            while let Some(check) = checks.next_if(|check| check.after == event) {
                let actual = check.read(vm);
                let both = check.expected.as_ref().zip(actual.as_ref());
                let holds = both.is_some_and(|(expected, actual)| {
                    suite.comparison.agree(check.attribute, expected, actual)
                });
                if !holds && failed(check.number).is_break() {
                    let got = actual.filter(|_| check.expected.is_some());
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
    /// position of each event when its steps and the wait that follows have run, and may end the
    /// execution.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn drive<B>(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        seed: u64,
        after: impl FnMut(u32, &mut Vm<T>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.begin(seed);
        self.send(&suite.tests[test], &suite.words, after)
    }

    /// Executes a test under any seed without checking assertions. `each` is called after each step.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn watch(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        seed: u64,
        mut each: impl FnMut(&Vm<T>),
    ) {
        self.begin(seed);
        let (test, words) = (&suite.tests[test], &suite.words);
        let mut interaction = Interaction::default();
        for &event in &test.events {
            interaction.send_watched(event, &mut self.vm, words, &mut each);
        }
        if let Some(policy) = &test.policy {
            policy.play_watched(&mut self.vm, &mut interaction, words, |_| true, &mut each);
        }
    }

    /// Sends the events of a test to the program, whose words are in the vocabulary, and lets its
    /// policy play, which counts as one event more.
    fn send<B>(
        &mut self,
        test: &LinkedTest,
        words: &Vocabulary,
        mut after: impl FnMut(u32, &mut Vm<T>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut interaction = Interaction::default();
        for (&event, number) in test.events.iter().zip(0..) {
            interaction.send(event, &mut self.vm, words);
            after(number, &mut self.vm)?;
        }
        if let Some(policy) = &test.policy {
            policy.play(&mut self.vm, &mut interaction, words, |_| true);
            after(test.events.len() as u32, &mut self.vm)?;
        }
        ControlFlow::Continue(())
    }

    /// Executes a test under a seed. Names in it are numbers of the vocabulary.
    pub(crate) fn execute(&mut self, test: &LinkedTest, words: &Vocabulary, seed: u64) {
        self.begin(seed);
        let _: ControlFlow<()> = self.send(test, words, |_, _| ControlFlow::Continue(()));
    }

    /// The machine after the green flag, before any step, under a seed.
    pub fn at_start(&mut self, seed: u64) -> &mut Vm<T> {
        self.begin(seed);
        &mut self.vm
    }

    /// Restores the state after loading, seeds the machine and sends the green flag.
    fn begin(&mut self, seed: u64) {
        self.vm.restore(&self.start);
        self.vm.set_random(Random::portable(seed));
        self.vm.green_flag();
    }
}

#[cfg(test)]
mod tests;
