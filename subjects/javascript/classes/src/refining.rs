//! Refinement of suites before their export. Each test of a refined suite shows one call.

mod accidents;
mod arguments;
mod assertions;
mod comments;
mod conventions;
mod documented;
mod domains;
mod errors;
mod examples;
mod files;
mod filled;
mod idle;
mod kinds;
mod likeness;
mod needed;
mod outcomes;
mod parameters;
mod plausible;
mod promised;
mod readers;
mod reads;
mod repeated;
mod replacing;
mod sessions;
mod simpler;
mod slices;
mod supply;
mod telling;
mod unusual;
mod usage;
mod usual;
mod variables;
mod weights;
mod worth;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use catherd_javascript_machine::instrument::{Goal, words};
use catherd_javascript_machine::{
    Argument, ExecuteOptions, Execution, Machine, MachineError, Program, Statement, TestOutcome,
};

pub use self::parameters::Parameters;
pub(crate) use self::parameters::key;
pub use self::variables::Variables;
use crate::export::{Code, Tells, possible, strength_of};
use crate::generate::machine;
use crate::mined::own_names;
use crate::model::Model;
use crate::settings::GenerationSettings;
use crate::suite::{self, OF_THE_LANGUAGE, Suite, SuiteTest};

/// Settings of refining.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// Maximum number of tests that are executed on the program, each up to three times.
    pub executions: u64,
    /// Maximum work of these executions: their steps, and five for each value that they show. The
    /// executions on mutants may take as many steps again.
    pub work: u64,
    /// Maximum number of mutants, drawn with equal chances, by which assertions are chosen.
    pub mutants: u64,
    /// Approximate maximum number of executions of tests on mutants.
    pub mutant_executions: u64,
    /// Whether tests that only show an error of the language are kept.
    pub all_errors: bool,
    /// Whether tests that a person would not write are kept.
    pub all_values: bool,
    /// Whether large values are compared with snapshots.
    pub snapshots: bool,
    /// Ends refining early when it becomes true.
    pub stop: Arc<AtomicBool>,
}

impl Default for Refinement {
    fn default() -> Refinement {
        Refinement {
            executions: 20_000,
            work: 30_000_000,
            mutants: 300,
            mutant_executions: 2_400,
            all_errors: false,
            all_values: false,
            snapshots: false,
            stop: Arc::default(),
        }
    }
}

/// Exported classes: by name, the members that lead from the exports to the class.
pub type Classes = BTreeMap<String, Vec<String>>;

/// The exported classes of a program that have unique names.
///
/// # Errors
///
/// If the program cannot be loaded.
pub fn exported_classes(program: &Rc<Program>) -> Result<Classes, MachineError> {
    let mut machine = machine(program, &GenerationSettings::default(), 0, true);
    classes_of(program, &mut machine)
}

fn classes_of(program: &Program, machine: &mut Machine) -> Result<Classes, MachineError> {
    let model = Model::of(program, machine)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for class in &model.classes {
        *counts.entry(&class.name).or_default() += 1;
    }
    let exported = model.classes.iter().filter(|class| class.kind == "class");
    let unique: Vec<_> = exported.filter(|class| counts[class.name.as_str()] == 1).collect();
    let mut classes: Classes =
        unique.iter().map(|class| (class.name.clone(), class.path.clone())).collect();
    // Tools may shorten the names in class definitions.
    for class in &unique {
        let others = unique.iter().filter(|other| other.own == class.own).count();
        if others == 1 && !class.own.is_empty() && !counts.contains_key(class.own.as_str()) {
            classes.insert(class.own.clone(), class.path.clone());
        }
    }
    Ok(classes)
}

/// A name for the export itself; may be empty.
pub fn name_of_export(program: &Program, classes: &Classes) -> String {
    let mut of_export = classes.iter().filter(|(_, path)| path.is_empty());
    let named = |name: &str| name.len() > 2 && name != "default";
    let class = of_export.find(|(name, _)| named(name)).map(|(name, _)| name.clone());
    let own = own_names(&program.package);
    // Without the name of a class, use the name in the documentation, or else the name of the
    // package.
    let documents = program.package.files.keys().filter(|path| {
        let lower = path.to_lowercase();
        lower.starts_with("readme") && lower.ends_with(".md")
    });
    let text = documents.map(|path| program.package.text(path).unwrap_or_default()).next();
    let bound = comments::bindings(&text.unwrap_or_default(), &own).into_iter().next();
    class.or(bound).or_else(|| own.into_iter().next_back()).unwrap_or_default()
}

/// Names that the files of a package mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentioned {
    /// The names that documentation, tests and examples give to the values that functions return.
    pub variables: Variables,
    /// Names of members in the order in which examples mention them.
    pub members: Vec<String>,
    /// Members that are not public according to declarations, as `C.m`.
    pub hidden: BTreeSet<String>,
    /// The names of parameters that explain a number or a flag, by function (`a.b`) or method
    /// (`#m`); other names are empty.
    pub parameters: Parameters,
}

/// The names that the package of a program mentions.
///
/// # Errors
///
/// If the program cannot be loaded.
pub fn mentioned(program: &Rc<Program>) -> Result<Mentioned, MachineError> {
    let mut machine = machine(program, &GenerationSettings::default(), 0, true);
    Ok(mentioned_with(program, parameters::of(&Model::of(program, &mut machine)?)))
}

fn mentioned_with(program: &Program, parameters: Parameters) -> Mentioned {
    let texts = files::texts(program);
    let package = &program.package;
    let declared = package.files.keys().filter(|path| {
        !path.contains("node_modules/")
            && [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end))
    });
    let hidden = declared
        .flat_map(|path| words(path, &package.text(path).unwrap_or_default()).declarations.hidden);
    Mentioned {
        variables: variables::variables(&texts),
        members: variables::members(&texts),
        hidden: hidden.collect(),
        parameters,
    }
}

/// A refined suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// The suite.
    pub suite: Suite,
    /// Number of tests that were left out because a person would not write them.
    pub implausible: usize,
    /// Number of tests that were left out only because their titles would not tell the calls.
    pub unclear: usize,
    /// Number of tests that were left out because other tests show the same.
    pub repeated: usize,
    /// Number of goals that are covered only by tests that were left out.
    pub left_out: usize,
}

fn covered_by(tests: &[Candidate]) -> Covered {
    tests.iter().flat_map(|test| test.covered.iter().copied()).collect()
}

/// Refines a suite: replaces its tests with tests that each show one call.
///
/// # Errors
///
/// If the program cannot be loaded or the machine cannot continue.
pub fn refined(
    program: &Rc<Program>,
    suite: &Suite,
    settings: &Refinement,
) -> Result<Refined, MachineError> {
    let mut refiner = Refiner::new(program, suite, settings)?;
    let mut candidates = refiner.candidates(suite)?;
    if candidates.is_empty() {
        refiner.weak = true;
        candidates = refiner.candidates(suite)?;
    }
    let mut tests = Vec::new();
    for (number, own) in slices::chosen(&candidates, settings.all_values) {
        let candidate = candidates[number].clone();
        let simpler = refiner.simpler(candidate, &own)?;
        tests.push(refiner.without_idle(simpler)?);
    }
    let mut tests = needed::of(tests);
    let all = covered_by(&tests);
    let documents = !refiner.usage.texts.is_empty();
    let mut odd = Vec::new();
    if !settings.all_values && (documents || tests.iter().any(|test| test.faults == 0)) {
        (tests, odd) = tests.into_iter().partition(|test| test.faults == 0);
    } else if !settings.all_values {
        // Keep one test of each function.
        tests.sort_by(|a, b| a.weight.total_cmp(&b.weight));
        let mut called = BTreeSet::new();
        let first = |test: &Candidate| called.insert(weights::called(&test.test));
        (tests, odd) = tests.into_iter().partition(first);
    }
    let mut unclear = odd.iter().filter(|it| it.faults == 1 && !refiner.tells(&it.test)).count();
    let (implausible, mut repeated) = (odd.len() - unclear, 0);
    if !settings.all_values {
        for further in documented::further(&tests, candidates) {
            let further = refiner.without_idle(further)?;
            tests.extend((further.faults == 0).then_some(further));
        }
        repeated = repeated::without_repetitions(&mut tests);
    }
    tests.sort_by_key(|test| test.origin);
    let mut refined = Suite { tests: Vec::new(), ..suite.clone() };
    let mut seen = BTreeSet::new();
    let mut covered_by_each = Vec::new();
    for Candidate { test, covered, .. } in tests {
        let key: Vec<String> = test.statements.iter().map(|s| s.to_json().to_string()).collect();
        if seen.insert(key) {
            refined.tests.push(test);
            covered_by_each.push(covered);
        }
    }
    assertions::choose(program, &mut refined, settings, &refiner.usual, &refiner.classes)?;
    let mut covered = Covered::new();
    let mut each = covered_by_each.into_iter();
    refined.tests.retain(|test| {
        let own = each.next().unwrap_or_default();
        let kept = settings.all_values || refiner.tells(test);
        if kept {
            covered.extend(own);
        }
        unclear += usize::from(!kept);
        kept
    });
    let left_out = all.difference(&covered).count();
    Ok(Refined { suite: refined, implausible, unclear, repeated, left_out })
}

/// Factor for the weight of a test whose calls are as in the documentation, the tests or the
/// examples of the package.
const DOCUMENTED: f64 = 0.5;

/// Factor for the weight of a test whose title is only clear because its call is an example.
const VAGUE: f64 = 1.5;

/// Factor for the weight of a test that a person would not write.
const IMPLAUSIBLE: f64 = 4.0;

/// Maximum number of executed tests that are remembered.
const MAX_KNOWN: usize = 8_000;

type Covered = BTreeSet<usize>;

/// A test that may become part of the refined suite.
#[derive(Clone, Debug, Default)]
struct Candidate {
    test: SuiteTest,
    covered: Covered,
    /// Counters of the statements that the test executes and that loading does not execute.
    statements: BTreeSet<u32>,
    /// How much the calls differ from usual calls.
    unusual: f64,
    /// How difficult the test is to read.
    weight: f64,
    /// Number of reasons for which a person would not write the test.
    faults: usize,
    /// Whether the calls are as in the documentation, the tests or the examples of the package.
    documented: bool,
    /// The test of the suite, and the statement in it, from which this test was made.
    origin: (usize, usize),
}

struct Refiner<'p> {
    program: &'p Rc<Program>,
    machine: Machine,
    seed: u64,
    goals: Vec<Goal>,
    classes: Classes,
    all_errors: bool,
    all_values: bool,
    /// Number of tests that may still be executed.
    left: u64,
    /// Remaining work.
    work: u64,
    usage: usage::Usage,
    /// Options for the titles of tests.
    code: Code,
    /// Counters of the statements that loading executes.
    loaded: BTreeSet<u32>,
    /// Accessors and methods without arguments that show the state of an instance, by class.
    readers: readers::Readers,
    /// Calls that sometimes return something other than `undefined`.
    returning: BTreeSet<String>,
    /// Whether tests that only show the type of a result are kept.
    weak: bool,
    /// Values that nearly all calls of a function show.
    usual: usual::Usual,
    /// Arguments with which the tests of the suite construct instances, the shortest of each class.
    made: BTreeMap<Vec<String>, Vec<Argument>>,
    /// Documented calls that return instances, by the name of the class.
    factories: documented::Factories,
    snapshots: bool,
    stop: Arc<AtomicBool>,
    /// Tests that were executed before, without their weights.
    known: HashMap<(String, Option<usize>, bool), Option<Candidate>>,
    /// The names that examples give to the values that functions return.
    variables: Variables,
}

impl<'p> Refiner<'p> {
    fn new(
        program: &'p Rc<Program>,
        suite: &Suite,
        settings: &Refinement,
    ) -> Result<Refiner<'p>, MachineError> {
        let mut machine = machine(program, &GenerationSettings::default(), suite.seed, true);
        let classes = classes_of(program, &mut machine)?;
        let usage = usage::Usage::of(program, &mut machine)?;
        let own_name = name_of_export(program, &classes);
        let names = mentioned_with(program, parameters::of(&usage.model));
        let code = Code::for_titles(classes.clone(), own_name, names);
        let options =
            ExecuteOptions { seed: suite.seed, loading: true, ..ExecuteOptions::default() };
        let loaded = machine.execute(&[], options)?;
        let goals = program.units.goals.iter().filter(|goal| !loaded.hits(goal.hit));
        let read = Some(usual::read_by(&usage.texts));
        let read = read.filter(|read| !settings.all_values && !read.is_empty());
        Ok(Refiner {
            program,
            goals: goals.cloned().collect(),
            machine,
            seed: suite.seed,
            classes,
            all_errors: settings.all_errors,
            all_values: settings.all_values,
            left: settings.executions,
            work: settings.work,
            usage,
            code,
            loaded: executed_by(program, &loaded).collect(),
            readers: readers::of(suite),
            returning: weights::returning(suite),
            weak: false,
            usual: usual::Usual { read, ..usual::Usual::default() },
            variables: variables::variables(&files::texts(program)),
            made: slices::made_by(suite),
            factories: documented::Factories::new(),
            snapshots: settings.snapshots,
            stop: Arc::clone(&settings.stop),
            known: HashMap::new(),
        })
    }

    /// Executes statements and makes a test from the observed values. `focus` is the number of the
    /// call that the test shows, if it is not the last one.
    fn observed(
        &mut self,
        statements: &[Statement],
        focus: Option<usize>,
    ) -> Result<Option<Candidate>, MachineError> {
        let Some(mut candidate) = self.executed(statements, focus)? else { return Ok(None) };
        let mut possible = self.usual.possible(&candidate.test, &self.classes);
        possible.retain(|each| self.snapshots || !each.is_snapshot());
        let says = strength_of(&candidate.test, &possible);
        let weight = weights::of(&candidate.test, says, &self.returning, self.weak);
        Ok(weight.map(|weight| {
            candidate.unusual = self.usage.unusual(&candidate.test);
            candidate.weight = weight + candidate.unusual;
            candidate.documented = self.usage.documents(&candidate.test.statements);
            if candidate.documented {
                candidate.weight *= DOCUMENTED;
            }
            let statements = &candidate.test.statements;
            let last = statements.len() - 1;
            let otherwise = (0..last).any(|at| self.documented_maker(statements, at).is_some());
            let mut faults = usize::from(otherwise) + self.usage.faults(&candidate.test);
            if !(self.weak && self.usage.texts.is_empty()) {
                faults += self.usage.objections(&candidate.test, says, &self.variables);
            }
            faults += usize::from(accidents::only_keeps(&candidate.test, &possible));
            faults += usize::from(!self.all_values && !self.tells(&candidate.test));
            candidate.faults = faults;
            if faults > 0 && !self.all_values {
                candidate.weight *= IMPLAUSIBLE;
            } else if self.told(&candidate.test) == Tells::Example {
                candidate.weight *= VAGUE;
            }
            candidate
        }))
    }

    /// Like [`observed`](Refiner::observed), but without a weight, and also for tests that do not
    /// show enough.
    fn executed(
        &mut self,
        statements: &[Statement],
        focus: Option<usize>,
    ) -> Result<Option<Candidate>, MachineError> {
        let key: Vec<String> = statements.iter().map(|each| each.to_json().to_string()).collect();
        let key = (key.join(" "), focus, self.weak);
        if let Some(found) = self.known.get(&key) {
            return Ok(found.clone());
        }
        let found = self.executed_now(statements, focus)?;
        if self.known.len() < MAX_KNOWN {
            self.known.insert(key, found.clone());
        }
        Ok(found)
    }

    fn executed_now(
        &mut self,
        statements: &[Statement],
        focus: Option<usize>,
    ) -> Result<Option<Candidate>, MachineError> {
        let spent = self.left == 0 || self.work == 0 || self.stop.load(Ordering::Relaxed);
        if spent || statements.is_empty() {
            return Ok(None);
        }
        self.left -= 1;
        let mut test = SuiteTest { statements: statements.to_vec(), focus, ..SuiteTest::default() };
        let observed = suite::observe(self.program, &mut self.machine, &mut test, self.seed)?;
        self.work = self.work.saturating_sub(observed.work);
        let Some(execution) = observed.execution else { return Ok(None) };
        self.forget_unchanged(&mut test)?;
        let whole = test.statements.len() == statements.len() && test.limit.is_empty();
        let flaky = test.assertions.last().is_none_or(|last| last.get("flaky").is_some());
        if !whole || flaky || self.is_of_the_language(&test) {
            return Ok(None);
        }
        let covered = self.covered(&execution);
        let statements = executed_by(self.program, &execution);
        let statements = statements.filter(|it| !self.loaded.contains(it)).collect();
        let weight = f64::INFINITY;
        Ok(Some(Candidate { test, covered, statements, weight, ..Candidate::default() }))
    }

    /// The goals that are reached before a statement.
    fn before(&mut self, statements: &[Statement], end: usize) -> Result<Covered, MachineError> {
        if end == 0 {
            return Ok(Covered::new());
        }
        let options = ExecuteOptions { seed: self.seed, ..ExecuteOptions::default() };
        let execution = self.machine.execute(&statements[..end], options)?;
        self.work = self.work.saturating_sub(execution.steps);
        Ok(self.covered(&execution))
    }

    /// Whether a test only shows an error of the language with a message of the engine, and such
    /// tests are not requested.
    fn is_of_the_language(&self, test: &SuiteTest) -> bool {
        let last = test.assertions.last();
        let name = last.and_then(|last| last.get("throws").or_else(|| last.get("rejects")));
        let named = name.and_then(|name| name.as_str());
        let own = last.is_some_and(|last| last.get("message").is_some());
        !self.all_errors && !own && named.is_some_and(|name| OF_THE_LANGUAGE.contains(&name))
    }

    fn covered(&self, execution: &Execution) -> Covered {
        let hit = |number: &usize| execution.hits(self.goals[*number].hit);
        (0..self.goals.len()).filter(hit).collect()
    }

    fn goal_names(&self, goals: &Covered) -> Vec<String> {
        goals.iter().map(|goal| self.program.units.goal_name(&self.goals[*goal])).collect()
    }
}

fn executed_by(program: &Program, execution: &Execution) -> impl Iterator<Item = u32> {
    let counters = program.units.statements.iter().map(|statement| statement.counter);
    counters.filter(|counter| execution.counters.get(*counter as usize).is_some_and(|n| *n > 0))
}

fn threw(execution: &Execution) -> bool {
    matches!(execution.outcome, TestOutcome::Threw { .. })
}
