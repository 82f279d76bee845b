//! Mutation analysis: executes a suite on programs with one small fault each (mutants).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use catherd_javascript_machine::instrument::{Mutant, MutationOperator};
use catherd_javascript_machine::{ExecuteOptions, Machine, MachineError, Program, TestOutcome};
use catherd_search::Stream;

use crate::generate::machine;
use crate::settings::GenerationSettings;
use crate::suite::{Suite, Verdict, check};

/// Settings of mutation analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationSettings {
    /// The operators.
    pub operators: Vec<MutationOperator>,
    /// Maximum number of mutants, drawn with equal chances; `None` for all.
    pub sample: Option<u64>,
    /// Seed of the sample.
    pub seed: u64,
    /// The limit of a test on a mutant, as a multiple of its steps on the program; 10,000 steps are
    /// added.
    pub factor: u64,
}

impl Default for MutationSettings {
    fn default() -> MutationSettings {
        let operators = MutationOperator::ALL.to_vec();
        MutationSettings { operators, sample: None, seed: 0, factor: 10 }
    }
}

/// The result of a suite on a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantOutcome {
    /// A test fails.
    Killed,
    /// Tests execute the change, and all pass.
    Survived,
    /// A test reached a limit, and none failed.
    Limit,
    /// No test executes the change.
    NotCovered,
}

/// A mutant with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct MutantResult {
    /// Name that is unique in the project.
    pub id: String,
    /// Path of the file.
    pub file: String,
    /// The mutant.
    pub mutant: Mutant,
    /// Description of the change.
    pub change: String,
    /// The result.
    pub outcome: MutantOutcome,
    /// Number of the test that killed the mutant, from 0.
    pub killed_by: Option<usize>,
    /// Number of tests executed on the mutant.
    pub executions: u32,
}

/// The result of the analysis of a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MutationReport {
    /// The mutants.
    pub results: Vec<MutantResult>,
    /// Numbers of the tests that do not pass on the original program and are therefore left out.
    pub left_out: Vec<usize>,
    /// Number of mutants that cannot be loaded; they are not among the results.
    pub unloadable: usize,
}

struct Original {
    passes: bool,
    steps: u64,
    counters: Vec<u32>,
}

pub(crate) fn all_mutants(program: &Program, settings: &MutationSettings) -> Vec<(String, Mutant)> {
    let mut found = Vec::new();
    let mut files: Vec<&str> = program.units.files.iter().map(|file| file.path.as_str()).collect();
    files.sort_unstable();
    for path in files {
        // Ignore the error: target files were parsed when the program was made.
        let mutants = program.mutants(path).unwrap_or_default();
        let wanted = mutants.into_iter().filter(|m| settings.operators.contains(&m.operator));
        found.extend(wanted.map(|mutant| (path.to_owned(), mutant)));
    }
    if let Some(most) = settings.sample {
        let mut rng = Stream::new(settings.seed, 43);
        let mut left = found.len() as u64;
        let mut wanted = most.min(left);
        found.retain(|_| {
            let taken = left > 0 && rng.below(left) < wanted;
            left -= 1;
            wanted -= u64::from(taken);
            taken
        });
    }
    found
}

/// Executes a suite on the mutants of its program. `observer` receives the number of finished
/// mutants and the number of all mutants. Returns `None` if the observer stops the analysis.
///
/// # Errors
/// If the machine cannot continue.
pub fn analyse(
    program: &Rc<Program>,
    suite: &Suite,
    settings: &MutationSettings,
    observer: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<MutationReport>, MachineError> {
    let mut report = MutationReport::default();
    let originals = originals(program, suite)?;
    let passes = originals.iter().enumerate().filter(|(_, test)| !test.passes);
    report.left_out = passes.map(|(number, _)| number).collect();
    let mutants = all_mutants(program, settings);
    let all = mutants.len();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (done, (file, mutant)) in mutants.into_iter().enumerate() {
        if observer(done, all).is_break() {
            return Ok(None);
        }
        let (line, column) = mutant.position;
        let name = format!("{file}:{line}:{column}:{}", mutant.operator.name());
        let times = names.entry(name.clone()).or_insert(0);
        *times += 1;
        let id = if *times == 1 { name } else { format!("{name}:{times}") };
        let source = program.source(&file).ok().flatten().unwrap_or_default();
        let change = mutant.change(source.trim_start_matches('\u{feff}'));
        let mut result = MutantResult {
            id,
            file,
            mutant,
            change,
            outcome: MutantOutcome::NotCovered,
            killed_by: None,
            executions: 0,
        };
        if execute(program, suite, &originals, settings.factor, &mut result)? {
            report.results.push(result);
        } else {
            report.unloadable += 1;
        }
    }
    Ok(Some(report))
}

fn originals(program: &Rc<Program>, suite: &Suite) -> Result<Vec<Original>, MachineError> {
    let mut machine = machine(program, &GenerationSettings::default(), suite.seed, true);
    let mut originals = Vec::new();
    for test in &suite.tests {
        let options = ExecuteOptions { seed: suite.seed, ..ExecuteOptions::default() };
        let (verdict, execution) = check(program, &mut machine, test, options)?;
        originals.push(Original {
            passes: verdict == Verdict::Passed,
            steps: execution.steps,
            counters: execution.counters,
        });
    }
    Ok(originals)
}

/// The counter that shows whether the place of a mutant was executed: the counter of the innermost
/// statement or function around it.
pub(crate) fn counter(program: &Program, file: &str, at: u32) -> Option<u32> {
    let units = &program.units;
    let number = units.files.iter().position(|each| each.path == file)? as u32;
    let around = |range: (u32, u32)| range.0 <= at && at < range.1;
    let statements = units.statements.iter().chain(&units.ignored);
    let statements = statements.filter(|each| each.file == number);
    let statements = statements.map(|each| (each.range, each.counter));
    let functions = units.functions.iter().filter(|each| each.file == number);
    let functions = functions.map(|each| (each.range, each.counter));
    let inner = statements.chain(functions).filter(|(range, _)| around(*range));
    inner.min_by_key(|(range, _)| range.1 - range.0).map(|(_, counter)| counter)
}

/// Returns false if the mutant cannot be loaded.
fn execute(
    program: &Rc<Program>,
    suite: &Suite,
    originals: &[Original],
    factor: u64,
    result: &mut MutantResult,
) -> Result<bool, MachineError> {
    let counter = counter(program, &result.file, result.mutant.range.0);
    let reaches = |test: &Original| {
        let counted = counter.and_then(|counter| test.counters.get(counter as usize));
        test.passes && counted.is_some_and(|times| *times > 0)
    };
    let source = program.source(&result.file).ok().flatten().unwrap_or_default();
    let text = result.mutant.apply(source.trim_start_matches('\u{feff}'));
    let Ok(mutated) = program.variant(&result.file, &text) else { return Ok(false) };
    let mut machine: Machine = machine(&mutated, &GenerationSettings::default(), suite.seed, true);
    match machine.execute(&[], ExecuteOptions { seed: suite.seed, ..ExecuteOptions::default() }) {
        Ok(loaded) if loaded.outcome == TestOutcome::Passed => {}
        _ => return Ok(false),
    }
    for (number, test) in originals.iter().enumerate().filter(|(_, test)| reaches(test)) {
        let steps = test.steps.saturating_mul(factor).saturating_add(10_000);
        let options =
            ExecuteOptions { seed: suite.seed, steps: Some(steps), ..ExecuteOptions::default() };
        result.executions += 1;
        match check(&mutated, &mut machine, &suite.tests[number], options)?.0 {
            Verdict::Failed { .. } => {
                result.outcome = MutantOutcome::Killed;
                result.killed_by = Some(number);
                return Ok(true);
            }
            Verdict::Limit(_) => result.outcome = MutantOutcome::Limit,
            Verdict::Passed if result.outcome == MutantOutcome::NotCovered => {
                result.outcome = MutantOutcome::Survived;
            }
            Verdict::Passed => {}
        }
    }
    Ok(true)
}
