//! Executing the tests of suites: events, and what must hold between them.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_vm::{Program, Random, Snapshot, Text, Tracer, Value, Vm};

use crate::assertion::{Aspect, Comparison, Object, Seen};
use crate::event::{Event, Interaction, Vocabulary};
use crate::suite::{Assertion, Effect, Expected, Suite, SuiteError, SuiteTest};

/// A suite whose names have been looked up in a program: ready to be executed, any number
/// of times, on any machine that runs this program.
///
/// Mutants of a project need a linked suite each (a mutant may lack what a block of the
/// original brought into being), which is cheap: no event is executed.
pub struct LinkedSuite {
    /// The suite's seed, with which a [`Runner`] executes its tests.
    pub seed: u64,
    names: Names,
    words: Vocabulary,
    comparison: Comparison,
    tests: Vec<LinkedTest>,
}

/// A test with numbers in place of names.
struct LinkedTest {
    events: Vec<Event>,
    /// By event.
    checks: Vec<Check>,
}

/// An assertion with numbers in place of names.
struct Check {
    after: u32,
    object: Object,
    aspect: Aspect,
    /// None: the program has nothing of that name, so the assertion fails.
    expected: Option<Seen>,
    place: AssertionNo,
}

/// Which assertion of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssertionNo {
    /// From [`SuiteTest::flaky`], not [`SuiteTest::assertions`]?
    pub flaky: bool,
    /// Its position there.
    pub position: u32,
}

/// What an execution may do before it is ended, and what it looks at.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Steps. A test runs a number of steps that its events determine, whatever the
    /// program does; a longer test is not begun.
    pub steps: u64,
    /// Blocks that its steps execute. Whatever was left to do then is not done, and the test
    /// ends with [`Verdict::Fault`].
    pub blocks: u64,
    /// End with [`Verdict::Fault`] once the program runs into a limit of its machine,
    /// instead of going on as the machine does. Each step of a program that loops without
    /// end can cost millions of blocks.
    pub faults_end: bool,
    /// Check [`SuiteTest::flaky`], too. They hold on the project with the suite's seed; under
    /// another seed they are no evidence.
    pub flaky: bool,
}

impl Default for Bounds {
    /// 100,000 steps (nearly an hour of Scratch time), any number of blocks, faults do not end
    /// a test, all assertions.
    fn default() -> Self {
        Self { steps: 100_000, blocks: u64::MAX, faults_end: false, flaky: true }
    }
}

/// What a test says about a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All events were sent and all assertions held.
    Passed,
    /// An assertion did not hold. The execution ended there.
    Failed(Failure),
    /// The test has more steps than [`Bounds::steps`]; nothing was executed.
    StepLimit,
    /// The program ran into a limit of the machine, in words, and [`Bounds::faults_end`].
    Fault(&'static str),
}

impl Verdict {
    /// Did the test pass?
    pub fn is_pass(&self) -> bool {
        *self == Verdict::Passed
    }
}

/// An assertion that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which one.
    pub assertion: AssertionNo,
    /// The position of the event after which it was checked.
    pub after: u32,
    /// What was there instead, as text; none if the object or the attribute does not exist.
    pub got: Option<String>,
}

/// An execution of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// What it says.
    pub verdict: Verdict,
    /// Steps that ran.
    pub steps: u64,
    /// Blocks that they executed, counted as the budgets of [`catherd_vm::Settings`] count.
    pub blocks: u64,
    /// The first limit of the machine that the program ran into, in words, whether it ended
    /// the test or not.
    pub fault: Option<&'static str>,
}

impl LinkedSuite {
    /// Looks up a suite's names in a program.
    ///
    /// # Errors
    /// If an event names a sprite that the program lacks, or an assertion makes no sense
    /// for its object. Assertions about sprites, variables and lists that the program lacks
    /// are no error: they fail when they are checked.
    pub fn new(suite: &Suite, program: &Program) -> Result<Self, SuiteError> {
        let mut words = Vocabulary::of(program);
        let tests = suite.tests.iter().enumerate();
        let tests = tests.map(|(number, test)| LinkedTest::new(number, test, &mut words, program));
        Ok(Self {
            seed: suite.seed,
            names: Names::of(program),
            tests: tests.collect::<Result<_, _>>()?,
            words,
            comparison: Comparison { tolerances: suite.tolerances, nan_equal: suite.nan_equal },
        })
    }

    /// Tests.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// True without tests.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// Do the numbers that were looked up mean the same in this program, a changed copy of
    /// the one in which they were?
    pub fn fits(&self, program: &Program) -> bool {
        self.names == Names::of(program)
    }

    /// Steps that a test runs if nothing ends it.
    pub fn steps(&self, test: usize) -> u64 {
        self.tests[test].events.iter().map(Event::steps).sum()
    }
}

/// What the numbers of a target's variables and lists stand for. Cheap to make: texts are
/// shared.
#[derive(PartialEq)]
struct Names(Vec<[Vec<Text>; 2]>);

impl Names {
    fn of(program: &Program) -> Self {
        let targets = 0..program.targets().len();
        let names = targets.map(|target| {
            [program.variables(target).cloned().collect(), program.lists(target).cloned().collect()]
        });
        Self(names.collect())
    }
}

impl LinkedTest {
    fn new(
        number: usize,
        test: &SuiteTest,
        words: &mut Vocabulary,
        program: &Program,
    ) -> Result<Self, SuiteError> {
        let events: Result<Vec<Event>, String> =
            test.events.iter().map(|event| event.resolve(words)).collect();
        let events = events.map_err(|sprite| SuiteError::Sprite { test: number, sprite })?;
        let mut checks = Vec::with_capacity(test.assertions.len() + test.flaky.len());
        for (flaky, list) in [(false, &test.assertions), (true, &test.flaky)] {
            for (assertion, position) in list.iter().zip(0..) {
                if assertion.after as usize >= events.len() {
                    let cause = format!(
                        "an assertion after event {}, which does not exist",
                        assertion.after
                    );
                    return Err(SuiteError::Assertion { test: number, cause });
                }
                checks.push(Check::new(assertion, AssertionNo { flaky, position }, words, program));
            }
        }
        checks.sort_by_key(|check| check.after);
        Ok(Self { events, checks })
    }
}

impl Check {
    fn new(
        assertion: &Assertion,
        place: AssertionNo,
        words: &Vocabulary,
        program: &Program,
    ) -> Self {
        let target = match &assertion.sprite {
            None => Some(words.stage()),
            Some(name) => words.sprite_no(name),
        };
        let found = target.and_then(|target| {
            let (aspect, expected) = look_up(&assertion.expect, target, words, program)?;
            Some((Object { target, clone: assertion.clone }, aspect, expected))
        });
        let after = assertion.after;
        match found {
            Some((object, aspect, expected)) => {
                Self { after, object, aspect, expected: Some(expected), place }
            }
            None => {
                let object = Object { target: words.stage(), clone: 0 };
                Self { after, object, aspect: Aspect::Backdrop, expected: None, place }
            }
        }
    }
}

/// What to read for an expectation, and what to compare it with; none if the program has
/// nothing of that name.
fn look_up(
    expected: &Expected,
    target: u16,
    words: &Vocabulary,
    program: &Program,
) -> Option<(Aspect, Seen)> {
    let number = |number: &u32| Seen::Number(f64::from(*number));
    let owner = usize::from(target);
    Some(match expected {
        Expected::Backdrop(index) => (Aspect::Backdrop, number(index)),
        Expected::CloneCount(clones) => (Aspect::CloneCount, number(clones)),
        Expected::Costume(index) => (Aspect::Costume, number(index)),
        Expected::Direction(degrees) => (Aspect::Direction, Seen::Number(*degrees)),
        Expected::Effect { effect, value } => {
            let position = Effect::ALL.iter().position(|other| other == effect)?;
            (Aspect::Effect(position as u8), Seen::Number(*value))
        }
        Expected::Layer(rank) => (Aspect::Layer, number(rank)),
        Expected::List { list, length } => {
            let position = program.lists(owner).position(|name| *name == **list)?;
            (Aspect::List(position as u32), Seen::Number(*length as f64))
        }
        Expected::Position { x, y } => (Aspect::Position, Seen::Place(*x, *y)),
        Expected::Bubble(text) => (Aspect::Bubble, Seen::Bubble(text.as_deref().map(Text::new))),
        Expected::Size(percent) => (Aspect::Size, Seen::Number(*percent)),
        Expected::Touching { sprite, touching } => {
            (Aspect::Touching(words.sprite_no(sprite)?), Seen::Flag(*touching))
        }
        Expected::TouchingEdge(touching) => (Aspect::TouchingEdge, Seen::Flag(*touching)),
        Expected::Variable { variable, value } => {
            let position = program.variables(owner).position(|name| *name == **variable)?;
            (Aspect::Variable(position as u32), Seen::Value(Value::from(value.as_str())))
        }
        Expected::Visible(visible) => (Aspect::Visible, Seen::Flag(*visible)),
        Expected::Volume(percent) => (Aspect::Volume, Seen::Number(*percent)),
    })
}

/// A machine that executes tests one after the other. Between them it puts its state back
/// instead of loading the program anew; each execution is a pure function of program,
/// settings, seed and test.
pub struct Runner<T: Tracer = ()> {
    vm: Vm<T>,
    /// The project as loaded, before the green flag.
    start: Snapshot,
}

impl<T: Tracer> Runner<T> {
    /// A machine with a program, whose settings should be the suite's
    /// ([`Suite::machine`]). `()` as tracer is the fastest.
    pub fn new(program: Arc<Program>, machine: catherd_vm::Settings, tracer: T) -> Self {
        let vm = Vm::new(program, machine, Random::portable(0), tracer);
        Self { start: vm.snapshot(), vm }
    }

    /// What watched, and goes on watching. Executions add to it; it is never cleared here.
    pub fn tracer(&mut self) -> &mut T {
        &mut self.vm.tracer
    }

    /// Executes a test up to the first assertion that does not hold.
    ///
    /// # Panics
    /// If there is no such test.
    pub fn run(&mut self, suite: &LinkedSuite, test: usize, bounds: Bounds) -> Execution {
        self.watch(suite, test, suite.seed, bounds, |_| ControlFlow::Break(()))
    }

    /// Executes a test with any seed and tells about each assertion that does not hold;
    /// the first that `failed` breaks at is the verdict, none makes it pass.
    pub(crate) fn watch(
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
        let mut checks = checks.filter(|check| bounds.flaky || !check.place.flaky).peekable();
        self.begin(seed);
        self.vm.allow(bounds.blocks);
        let early = self.send(suite, test, |event, vm| {
            if vm.is_exhausted() {
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
                    suite.comparison.agree(check.aspect, expected, actual)
                });
                if !holds && failed(check.place).is_break() {
                    let got = actual.filter(|_| check.expected.is_some());
                    let got = got.map(|seen| seen.to_string());
                    let failure = Failure { assertion: check.place, after: event, got };
                    return ControlFlow::Break(Verdict::Failed(failure));
                }
            }
            ControlFlow::Continue(())
        });
        let verdict = early.break_value().unwrap_or(Verdict::Passed);
        let (steps, blocks) = (self.vm.steps(), self.vm.executed());
        Execution { verdict, steps, blocks, fault: self.vm.fault() }
    }

    /// Executes a test from the green flag on; `after` is called with the position of each
    /// event when its steps and the wait that follows have run, and may end the execution.
    pub(crate) fn drive<B>(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        seed: u64,
        after: impl FnMut(u32, &mut Vm<T>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.begin(seed);
        self.send(suite, test, after)
    }

    fn send<B>(
        &mut self,
        suite: &LinkedSuite,
        test: usize,
        mut after: impl FnMut(u32, &mut Vm<T>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut interaction = Interaction::default();
        for (&event, number) in suite.tests[test].events.iter().zip(0..) {
            interaction.send(event, &mut self.vm, &suite.words);
            after(number, &mut self.vm)?;
        }
        ControlFlow::Continue(())
    }

    /// Looks at the machine after the green flag, before any step.
    pub(crate) fn at_start<R>(&mut self, seed: u64, look: impl FnOnce(&mut Vm<T>) -> R) -> R {
        self.begin(seed);
        look(&mut self.vm)
    }

    /// Resets everything, seeds the machine and sends the green flag.
    fn begin(&mut self, seed: u64) {
        self.vm.restore(&self.start);
        self.vm.set_random(Random::portable(seed));
        self.vm.green_flag();
    }
}

impl Check {
    fn read<T: Tracer>(&self, vm: &mut Vm<T>) -> Option<Seen> {
        let id = self.object.find(vm)?;
        self.aspect.read(id, vm)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seen::Number(number) => write!(f, "{number}"),
            Seen::Place(x, y) => write!(f, "({x}, {y})"),
            Seen::Flag(flag) => write!(f, "{flag}"),
            Seen::Bubble(None) => f.write_str("no bubble"),
            Seen::Bubble(Some(text)) => write!(f, "{:?}", text.to_str()),
            Seen::Value(value) => write!(f, "{:?}", value.to_text().to_str()),
        }
    }
}

#[cfg(test)]
mod tests;
