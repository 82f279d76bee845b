//! Suites whose names have been looked up in a program.

use catherd_scratch_vm::{Program, Text, Tracer, Value, Vm};

use crate::attribute::{Attribute, AttributeValue, Object, Range};
use crate::comparison::Comparison;
use crate::error::SuiteError;
use crate::event::{Event, Vocabulary};
use crate::format::{Assertion, Effect, Expected, Suite, SuiteTest};
use crate::policy::Policy;
use crate::verdict::AssertionNo;

/// A suite whose names have been looked up in a program, ready to be executed by any
/// [`Runner`](crate::Runner) of this program.
///
/// A mutant of a project needs a separate linked suite unless the suite of the original
/// [fits](LinkedSuite::fits), because a variable to which only the changed block referred may be
/// missing.
pub struct LinkedSuite {
    /// Seed of the random numbers of the VM in all tests; initially the seed of the suite. Tests
    /// with a separate seed use that seed only while this field is the seed of the suite.
    pub seed: u64,
    own_seed: u64,
    names: Names,
    pub(crate) words: Vocabulary,
    pub(crate) comparison: Comparison,
    pub(crate) tests: Vec<LinkedTest>,
}

pub(crate) struct LinkedTest {
    seed: Option<u64>,
    pub(crate) events: Vec<Event>,
    pub(crate) policy: Option<Policy>,
    /// Ordered by event.
    pub(crate) checks: Vec<Check>,
}

pub(crate) struct Check {
    /// Position of the event after which the assertion is checked.
    pub(crate) after: u32,
    object: Object,
    pub(crate) attribute: Attribute,
    /// `None` if the program has no object or attribute with that name; the assertion then fails.
    pub(crate) expected: Option<AttributeValue>,
    pub(crate) number: AssertionNo,
}

impl LinkedSuite {
    /// Looks up a suite's names in a program.
    ///
    /// # Errors
    /// If the suite cannot be executed on the program. Assertions about sprites, variables and
    /// lists that the program does not have are not errors: they fail when they are checked.
    pub fn new(suite: &Suite, program: &Program) -> Result<Self, SuiteError> {
        let compat = suite.machine.compat;
        if compat != program.compat() {
            return Err(SuiteError::Compat { suite: compat, program: program.compat() });
        }
        let mut words = Vocabulary::of(program);
        let tests = suite.tests.iter().enumerate();
        let tests = tests.map(|(number, test)| LinkedTest::new(number, test, &mut words, program));
        Ok(Self {
            seed: suite.seed,
            own_seed: suite.seed,
            names: Names::of(program),
            tests: tests.collect::<Result<_, _>>()?,
            words,
            comparison: Comparison { tolerances: suite.tolerances, nan_equal: suite.nan_equal },
        })
    }

    /// Number of tests.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Whether the suite has no tests.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// Whether the numbers that were looked up have the same meaning in this program, which must be
    /// a changed copy of the original program.
    pub fn fits(&self, program: &Program) -> bool {
        self.names == Names::of(program)
    }

    /// Number of steps of a test that does not end early. The last event of a policy may exceed
    /// this number.
    pub fn steps(&self, test: usize) -> u64 {
        self.tests[test].steps()
    }

    /// Seed of the VM's random numbers in a test.
    pub fn seed_of(&self, test: usize) -> u64 {
        let own = self.tests[test].seed.filter(|_| self.seed == self.own_seed);
        own.unwrap_or(self.seed)
    }
}

/// Names of the variables and lists of all targets, in the order of their numbers. The list is
/// cheap to create, because strings are shared.
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
    pub(crate) fn steps(&self) -> u64 {
        let events: u64 = self.events.iter().map(Event::steps).sum();
        events.saturating_add(self.policy.as_ref().map_or(0, |policy| policy.most))
    }

    /// A test without its assertions.
    pub(crate) fn unchecked(
        number: usize,
        test: &SuiteTest,
        words: &mut Vocabulary,
        program: &Program,
    ) -> Result<Self, SuiteError> {
        let events = test.resolve(number, words)?;
        let policy = test.policy.as_ref().map(|policy| policy.resolve(words, program));
        let policy =
            policy.transpose().map_err(|cause| SuiteError::Policy { test: number, cause })?;
        Ok(Self { seed: test.seed, events, policy, checks: Vec::new() })
    }

    fn new(
        number: usize,
        test: &SuiteTest,
        words: &mut Vocabulary,
        program: &Program,
    ) -> Result<Self, SuiteError> {
        let unchecked = Self::unchecked(number, test, words, program)?;
        let mut checks = Vec::with_capacity(test.assertions.len() + test.flaky.len());
        for (flaky, list) in [(false, &test.assertions), (true, &test.flaky)] {
            for (assertion, position) in list.iter().zip(0..) {
                if assertion.after as usize >= test.positions() {
                    let cause = format!(
                        "an assertion refers to event {}, which does not exist",
                        assertion.after
                    );
                    return Err(SuiteError::Assertion { test: number, cause });
                }
                let in_play = matches!(assertion.expect, Expected::Range { .. });
                if in_play && (assertion.after as usize) < test.events.len() {
                    let cause = "a range refers to an event that is not a policy".to_owned();
                    return Err(SuiteError::Assertion { test: number, cause });
                }
                checks.push(Check::new(assertion, AssertionNo { flaky, position }, words, program));
            }
        }
        checks.sort_by_key(|check| check.after);
        Ok(Self { checks, ..unchecked })
    }
}

impl Check {
    fn new(
        assertion: &Assertion,
        number: AssertionNo,
        words: &Vocabulary,
        program: &Program,
    ) -> Self {
        let target = match &assertion.sprite {
            None => Some(words.stage()),
            Some(name) => words.sprite_no(name),
        };
        let found = target.and_then(|target| {
            let (attribute, expected) = look_up(&assertion.expect, target, words, program)?;
            Some((Object { target, clone: assertion.clone }, attribute, expected))
        });
        let after = assertion.after;
        match found {
            Some((object, attribute, expected)) => {
                Self { after, object, attribute, expected: Some(expected), number }
            }
            None => {
                let object = Object { target: words.stage(), clone: 0 };
                Self { after, object, attribute: Attribute::Backdrop, expected: None, number }
            }
        }
    }
}

fn look_up(
    expected: &Expected,
    target: u16,
    words: &Vocabulary,
    program: &Program,
) -> Option<(Attribute, AttributeValue)> {
    let number = |number: &u32| AttributeValue::Number(f64::from(*number));
    let owner = usize::from(target);
    Some(match expected {
        Expected::Backdrop(index) => (Attribute::Backdrop, number(index)),
        Expected::CloneCount(clones) => (Attribute::CloneCount, number(clones)),
        Expected::Costume(index) => (Attribute::Costume, number(index)),
        Expected::Direction(degrees) => (Attribute::Direction, AttributeValue::Number(*degrees)),
        Expected::Effect { effect, value } => {
            let position = Effect::ALL.iter().position(|other| other == effect)?;
            (Attribute::Effect(position as u8), AttributeValue::Number(*value))
        }
        Expected::Layer(rank) => (Attribute::Layer, number(rank)),
        Expected::List { list, length } => {
            let position = program.lists(owner).position(|name| *name == **list)?;
            (Attribute::List(position as u32), AttributeValue::Number(*length as f64))
        }
        Expected::Position { x, y } => (Attribute::Position, AttributeValue::Position(*x, *y)),
        Expected::Bubble(text) => {
            (Attribute::Bubble, AttributeValue::Bubble(text.as_deref().map(Text::new)))
        }
        Expected::Size(percent) => (Attribute::Size, AttributeValue::Number(*percent)),
        Expected::Touching { sprite, touching } => {
            (Attribute::Touching(words.sprite_no(sprite)?), AttributeValue::Flag(*touching))
        }
        Expected::TouchingEdge(touching) => {
            (Attribute::TouchingEdge, AttributeValue::Flag(*touching))
        }
        Expected::Variable { variable, value } => {
            let position = program.variables(owner).position(|name| *name == **variable)?;
            (
                Attribute::Variable(position as u32),
                AttributeValue::Value(Value::from(value.as_str())),
            )
        }
        Expected::Range { variable, least, most, rises } => {
            let position = program.variables(owner).position(|name| *name == **variable)?;
            let range = Range { least: *least, most: *most, rises: *rises };
            (Attribute::Range(position as u32), AttributeValue::Range(range))
        }
        Expected::Visible(visible) => (Attribute::Visible, AttributeValue::Flag(*visible)),
        Expected::Volume(percent) => (Attribute::Volume, AttributeValue::Number(*percent)),
    })
}

impl Check {
    /// The variable whose values are read after each step of a policy: its target and its position
    /// in the target.
    pub(crate) fn in_play(&self) -> Option<(u16, u32)> {
        match self.attribute {
            Attribute::Range(variable) => Some((self.object.target, variable)),
            _ => None,
        }
    }

    pub(crate) fn read<T: Tracer>(&self, vm: &mut Vm<T>) -> Option<AttributeValue> {
        let id = self.object.find(vm)?;
        self.attribute.read(id, vm)
    }
}
