//! Generation of suites.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use catherd_javascript_machine::MachineSettings;
use catherd_javascript_machine::{LineHints, Machine, MachineError, Program};
use catherd_search::{
    Algorithm, Budget, Improvement, Observer, Problem as _, Progress, Stop, Stopwatch, Stream,
    Test as _,
};

use crate::coverage::Coverage;
use crate::flycatcher;
use crate::genes::Genes;
use crate::journal::Journal;
use crate::minimisation::minimised;
use crate::problem::{RunCounts, Subject};
use crate::progress::Searched;
use crate::results::{CallResults, FailedTest};
use crate::settings::{GenerationSettings, Goals, Hints, Profile};
use crate::suite::{self, Suite};
use crate::types::{Inferred, Type, type_name};

/// An algorithm that generates tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Flycatcher's random generation.
    Flycatcher,
    /// One of the searches.
    Search(Algorithm),
}

/// The input of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The algorithm.
    pub method: Method,
    /// Settings of test generation.
    pub settings: GenerationSettings,
    /// The seed.
    pub seed: u64,
    /// The budget.
    pub budget: Budget,
    /// The digest of the project, which is written into the suite.
    pub project: String,
    /// The engine id, which is written into the suite.
    pub engine: String,
    /// The numbers of the functions whose goals are pursued; `None` for all functions.
    pub functions: Option<Vec<u32>>,
}

/// The type that was inferred for a parameter, with its evidence.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ParameterReport {
    /// Name of the target.
    pub target: String,
    /// Position among the parameters of the target, from 0.
    pub index: usize,
    /// Name of the parameter.
    pub name: String,
    /// Number of calls of the function.
    pub uses: u64,
    /// Members that were used, with counts.
    pub members: std::collections::BTreeMap<String, u64>,
    /// Points by type.
    pub scores: std::collections::BTreeMap<String, f64>,
    /// The type, if one was inferred.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// Whether the type was drawn at random, because there was no evidence.
    pub unsure: bool,
}

/// The result of a run.
#[derive(Debug)]
pub struct Generated {
    /// Names of all goals.
    pub goals: Vec<String>,
    /// Numbers of the covered goals.
    pub covered: Vec<u32>,
    /// Increases of coverage.
    pub timeline: Vec<Improvement>,
    /// Counts of executions and steps of the search.
    pub work: (u64, u64),
    /// The suite.
    pub suite: Suite,
    /// Number of statements that minimisation removed.
    pub removed: usize,
    /// The inferred types of all parameters.
    pub parameters: Vec<ParameterReport>,
    /// The results that calls of each target returned, by the name of the target.
    pub results: Vec<(String, CallResults)>,
    /// Tests that threw.
    pub failures: Vec<FailedTest>,
    /// Counts of traps, failures and limits.
    pub counts: RunCounts,
    /// Counts of covered and all statements, branches, functions and lines.
    pub coverage: [(usize, usize); 4],
    /// Number of locations of branches as Istanbul counts them, and the numbers of the covered
    /// locations.
    pub branches: (u32, Vec<u32>),
    /// Number of executed tests and of analyses of the program.
    pub loads: u64,
    /// Number of tests whose results differ between executions.
    pub flaky: usize,
    /// Number of targets.
    pub targets: usize,
    /// Number of classes.
    pub classes: usize,
    /// Number of uses of `eval`, `new Function` and `with` in target files.
    pub dynamic: u32,
    /// Methods and functions with the counts of their covered and all goals; may be empty.
    pub methods: Vec<(String, usize, usize)>,
    /// Why the search ended; `None` if there was nothing to search.
    pub stop: Option<Stop>,
    /// The error of the machine that ended the search early; `None` if none did.
    pub failed: Option<MachineError>,
}

/// The machine of a run. Without `reuse`, each execution has a new context; the results are the
/// same.
pub fn machine(
    program: &Rc<Program>,
    settings: &GenerationSettings,
    seed: u64,
    reuse: bool,
) -> Machine {
    let limits = MachineSettings {
        trap_threshold: settings.trap_threshold as u32,
        idle_threshold: settings.idle_threshold as u32,
        zero: settings.zero,
        paths: settings.profile == Profile::Scored,
        shapes: settings.uses_words(),
        line_hints: (settings.hints == Hints::Line).then_some(match settings.line_comments {
            true => LineHints::WithComments,
            false => LineHints::Code,
        }),
        reuse,
        ..MachineSettings::default()
    };
    Machine::new(program, limits, seed)
}

/// Names of the goals of runs with these settings, each with the number of a goal on which it
/// depends, if there is one.
///
/// # Errors
///
/// If the program cannot be loaded.
pub fn goals_of(
    program: &Rc<Program>,
    settings: &GenerationSettings,
) -> Result<Vec<(String, Option<usize>)>, MachineError> {
    let machine = machine(program, settings, 0, true);
    let subject = Subject::new(program, machine, settings.clone(), 0)?;
    let names = subject.goals.iter().map(|goal| program.units.goal_name(goal));
    let before = subject.dependencies().into_iter().map(|needed| needed.first().copied());
    Ok(names.zip(before).collect())
}

/// Generates a suite.
///
/// # Errors
///
/// If the machine cannot load the program, or cannot continue.
pub fn generate(
    program: &Rc<Program>,
    request: &Request,
    observer: &mut Observer<'_>,
) -> Result<Generated, MachineError> {
    generate_with(program, request, Journal::default(), observer)
}

/// Generates a suite like [`generate`], with a journal.
///
/// # Errors
///
/// If the machine cannot load the program, or cannot continue.
pub fn generate_with(
    program: &Rc<Program>,
    request: &Request,
    mut journal: Journal,
    observer: &mut Observer<'_>,
) -> Result<Generated, MachineError> {
    let settings = &request.settings;
    let machine = machine(program, settings, request.seed, true);
    let mut subject = Subject::new(program, machine, settings.clone(), request.seed)?;
    if let Some(functions) = &request.functions {
        subject.keep_goals_of(functions);
    }
    let mut rng = Stream::new(request.seed, Stream::SEARCH);
    let nothing = subject.goals.is_empty() || subject.model.targets.is_empty();
    let found = journal.take_found(subject.model.targets.len(), subject.goals.len());
    subject.journal = journal;
    let searched = if nothing || found.is_some() {
        found.filter(|_| !nothing)
    } else {
        Some(match &request.method {
            Method::Flycatcher => {
                flycatcher::run(&mut subject, &request.budget, &mut rng, observer)
            }
            Method::Search(algorithm) => {
                search(&mut subject, algorithm, &request.budget, &mut rng, observer)
            }
        })
    };
    let (tests, timeline, work, stop) = match searched {
        None => (Vec::new(), Vec::new(), (0, 0), None),
        Some(found) => (found.tests, found.timeline, found.meter, Some(found.stop)),
    };
    // Keep the tests that were found before an error of the machine.
    let failed = if tests.is_empty() { None } else { subject.error.take() };
    let covered: BTreeSet<usize> = tests.iter().flat_map(|(_, goals)| goals.clone()).collect();
    let (tests, removed) = minimised(&mut subject, tests, settings.minimise);
    let names: Vec<String> =
        subject.goals.iter().map(|goal| program.units.goal_name(goal)).collect();
    let (tests, executions, flaky) = suite::with_assertions(&mut subject, tests, &names);
    subject.journal.end();
    let machine = &mut subject.machine;
    let coverage = Coverage::complete(program, machine, &tests, executions, request.seed);
    if let Some(error) = subject.error {
        return Err(error);
    }
    let suite = Suite {
        engine: request.engine.clone(),
        project: request.project.clone(),
        algorithm: match &request.method {
            Method::Flycatcher => "flycatcher".to_owned(),
            Method::Search(algorithm) => algorithm.name().to_owned(),
        },
        seed: request.seed,
        entry: program.entry.clone(),
        tests,
    };
    Ok(Generated {
        covered: covered.iter().map(|goal| *goal as u32).collect(),
        timeline,
        work,
        suite,
        removed,
        parameters: report(&subject, &mut rng),
        results: results(&subject),
        failures: subject.failures.values().cloned().collect(),
        counts: subject.counts.clone(),
        coverage: coverage.totals(&program.units),
        branches: coverage.covered_branches(),
        loads: subject.machine.loads(),
        flaky,
        targets: subject.model.targets.len(),
        classes: subject.model.classes.iter().filter(|class| class.kind == "class").count(),
        dynamic: program.units.dynamic,
        methods: by_method(&subject, &covered),
        stop,
        failed,
        goals: names,
    })
}

fn results(subject: &Subject) -> Vec<(String, CallResults)> {
    let known = subject.model.targets.iter().zip(&subject.results);
    let known = known.filter(|(_, results)| !results.types.is_empty());
    known.map(|(target, results)| (target.name.clone(), results.clone())).collect()
}

fn by_method(subject: &Subject, covered: &BTreeSet<usize>) -> Vec<(String, usize, usize)> {
    if subject.settings.goals != Goals::Mut {
        return Vec::new();
    }
    let methods = subject.model.targets.iter().filter_map(|target| {
        let function = Some(target.function?);
        let own = (0..subject.goals.len()).filter(|g| subject.goals[*g].function == function);
        let own: Vec<usize> = own.collect();
        let count = own.iter().filter(|goal| covered.contains(goal)).count();
        (!own.is_empty()).then(|| (target.name.clone(), count, own.len()))
    });
    methods.collect()
}

/// Executes tests with unknown values to infer types. Returns the counts of executions and steps.
fn infer(subject: &mut Subject, budget: &Budget, rng: &mut Stream) -> (u64, u64) {
    let targets = subject.model.targets.len() as u64;
    let share = budget.executions.map_or(1_000.0, |most| most as f64 * subject.settings.inference);
    let wanted = (subject.settings.delay as u64).max(1) * targets;
    let most = (share as u64).min(wanted);
    let (mut executions, mut steps) = (0, 0);
    for number in 0..most {
        let target = (number % targets) as usize;
        let genes = subject.maker(true).random(target, rng);
        let Some((execution, _)) = subject.run(&genes) else { break };
        executions += 1;
        steps += execution.steps;
    }
    (executions, steps)
}

fn search(
    subject: &mut Subject,
    algorithm: &Algorithm,
    budget: &Budget,
    rng: &mut Stream,
    observer: &mut Observer<'_>,
) -> Searched {
    let (executions, steps) = if subject.settings.profile == Profile::Scored {
        infer(subject, budget, rng)
    } else {
        (0, 0)
    };
    if subject.settings.profile == Profile::Flycatcher {
        flycatcher::infer_all(subject, rng);
    }
    let left = Budget {
        executions: budget.executions.map(|most| most.saturating_sub(executions)),
        steps: budget.steps.map(|most| most.saturating_sub(steps)),
        ..*budget
    };
    let clock = Stopwatch::start();
    let mut shifted = |progress: &Progress| -> ControlFlow<()> { observer(progress) };
    let found = algorithm.search(subject, &left, rng, &clock, &mut shifted);
    let mut tests: Vec<(Genes, Vec<usize>)> = Vec::new();
    for test in found.archive.tests() {
        let goals = (0..subject.goals()).filter(|goal| test.covers(*goal)).collect();
        tests.push((test.genes().clone(), goals));
    }
    let timeline = found.timeline.into_iter().map(|point| Improvement {
        executions: point.executions + executions,
        steps: point.steps + steps,
        ..point
    });
    Searched {
        tests,
        timeline: timeline.collect(),
        meter: (found.meter.executions() + executions, found.meter.steps() + steps),
        stop: found.stop,
    }
}

/// The inferred types of all parameters.
pub fn report(subject: &Subject, rng: &mut Stream) -> Vec<ParameterReport> {
    let model = &subject.model;
    let mut reports = Vec::new();
    for target in &model.targets {
        for (index, parameter) in target.parameters.iter().enumerate() {
            let known = &subject.knowledge[target.first_parameter + index];
            let (type_, unsure) = match subject.settings.profile {
                Profile::Scored => (known.best(model), false),
                Profile::Flycatcher => {
                    let inferred: Inferred =
                        known.inferred.clone().unwrap_or_else(|| known.infer(model, rng));
                    (inferred.type_, inferred.unsure)
                }
            };
            let scores = known.scored(model);
            let named = |type_: &Type| type_name(type_, model);
            reports.push(ParameterReport {
                target: target.name.clone(),
                index,
                name: parameter.name.clone(),
                uses: known.uses,
                members: known.evidence.members.clone(),
                scores: scores.iter().map(|(type_, points)| (named(type_), *points)).collect(),
                type_: type_.as_ref().map(named),
                unsure,
            });
        }
    }
    reports
}
