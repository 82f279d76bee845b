//! `catherd mutate` for a Scratch project: executes a suite on mutants of the project.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, Mutation};
use catherd_experiments::instead;
use catherd_scratch_grading_kind::JavaScriptTests;
use catherd_scratch_grading_whisker::SuiteKind;
use catherd_scratch_grading_whisker::whisker::{Executed, SuiteFile, SuiteOptions};
use catherd_scratch_mutation::{
    Analysis, Kill, MutantName, MutantOutcome, MutantResult, MutationSettings, Operator, Tally,
    Tests, UnknownOperator, duplicates,
};
use catherd_scratch_sb3::{BlockIndex, Notation, Target};
use catherd_scratch_vm::Compat;
use clap::Args;
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use serde_json::{Value, json};

use crate::project;

/// Flags of `catherd mutate` for Scratch projects.
#[derive(Args)]
pub struct Flags {
    /// Find all tests that kill a mutant instead of only the first
    #[arg(long)]
    pub all_killers: bool,

    /// Leave out flaky assertions
    #[arg(long)]
    pub stable: bool,

    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// Default of [`MutationSettings::block_factor`].
pub fn default_factor() -> u64 {
    MutationSettings::default().block_factor
}

/// The mutation operators with their changes, for the help.
pub fn operators() -> String {
    let lines = Operator::ALL.map(|operator| {
        format!("\n  {}  {}: {}", operator.name(), operator.title(), operator.change())
    });
    format!("Mutation operators of Scratch:{}", lines.concat())
}

/// Executes the suite with this text on mutants of its project.
///
/// # Errors
///
/// If the mutants cannot be executed.
pub fn run(asked: &Mutation, flags: &Flags, text: &str) -> Result<Exit, Failure> {
    let arguments = Arguments { asked, flags };
    if project::is_javascript(text) {
        return arguments.analyse_javascript(text);
    }
    let pair = &asked.pair;
    let (subject, suite) = project::open_pair(pair)?;
    let program = project::compile(&pair.project, &subject, suite.machine.compat)?;
    let analysis = Analysis::new(&subject.project, program, suite, arguments.settings()?)
        .map_err(|error| project::suite_failure(pair, error))?;
    arguments.report(&analysis, &|kill: &Kill| {
        json!({
            "test": kill.test,
            "event": kill.failure.after,
            "list": if kill.failure.assertion.flaky { "flaky" } else { "assertions" },
            "assertion": kill.failure.assertion.position,
            "got": kill.failure.got,
        })
    })
}

struct Arguments<'a> {
    asked: &'a Mutation,
    flags: &'a Flags,
}

impl Arguments<'_> {
    fn analyse_javascript(&self, text: &str) -> Result<Exit, Failure> {
        let failure = |error: &dyn std::fmt::Display| {
            Failure::new(format!("{}: {error}", self.asked.pair.suite.display()))
        };
        if let Ok(SuiteKind::Itch) | Err(_) = SuiteKind::of(text) {
            let error = failure(&"of suites in JavaScript, only those for Whisker run on mutants");
            return Err(error.hint("assign an array of tests: module.exports = [...]"));
        }
        let name = self.asked.pair.suite.file_name().unwrap_or_default().to_string_lossy();
        let suite = SuiteFile::new(&name, text).map_err(|error| failure(&error))?;
        let subject = project::open(&self.asked.pair.project)?;
        let compat = Compat::Of2022;
        let program =
            project::compile_for_scripts(&self.asked.pair.project, &subject, compat, None)?;
        let seen = |_: &Executed| ControlFlow::Continue(());
        let tests = JavaScriptTests::new(suite, &program, SuiteOptions::default(), seen)
            .map_err(|error| failure(&error).hint("correct the suite"))?;
        // `None` would mean that `seen` stopped the tests, which it never does.
        let Some(tests) = tests else { return Ok(Exit::Incomplete) };
        let analysis = Analysis::of(&subject.project, program, tests, self.settings()?);
        let killer = |kill: &Kill<String>| json!({ "test": kill.test, "message": kill.failure });
        self.report(&analysis, &killer)
    }

    fn report<T: Tests>(
        &self,
        analysis: &Analysis<T>,
        killer: &dyn Fn(&Kill<T::Failure>) -> Value,
    ) -> Result<Exit, Failure> {
        let start = Instant::now();
        let results = self.execute_all(analysis)?;
        let names: Vec<MutantName> =
            analysis.mutants().iter().map(|mutant| mutant.name(analysis.project())).collect();
        if self.asked.json {
            terminal::print(&lines(analysis, &results, &names, killer));
        } else {
            terminal::print(&table(analysis, &results));
        }
        if self.asked.survivors {
            terminal::print(&survivors(analysis, &results, &names));
        }
        if !self.asked.quiet {
            let executions: u64 = results.iter().map(|result| u64::from(result.executions)).sum();
            let (mutants, seconds) = (results.len(), start.elapsed().as_secs_f64());
            let rate = mutants as f64 / seconds;
            terminal::note(&format!(
                "{}, {} in {seconds:.2} s: {rate:.0} mutants/s",
                plural(mutants, "mutant"),
                plural(executions as usize, "test execution"),
            ));
        }
        let left_out = analysis.false_positives();
        if left_out.is_empty() {
            return Ok(Exit::Success);
        }
        let numbers: Vec<String> = left_out.iter().map(u32::to_string).collect();
        terminal::note(&format!(
            "{} of {} tests do not pass on the project and are left out: {}",
            left_out.len(),
            left_out.len() + analysis.tests(),
            numbers.join(", ")
        ));
        Ok(Exit::Incomplete)
    }

    fn settings(&self) -> Result<MutationSettings, Failure> {
        let default = MutationSettings::default();
        let known = Operator::ALL.map(|operator| operator.name());
        let operator = |name: &String| {
            name.parse::<Operator>().map_err(|UnknownOperator(name)| {
                Failure::new(format!("--operators: unknown mutation operator `{name}`"))
                    .hint(instead(&name, &known))
            })
        };
        let named = self.asked.operators.iter().map(operator).collect::<Result<Vec<_>, _>>()?;
        Ok(MutationSettings {
            operators: if named.is_empty() { Operator::ALL.to_vec() } else { named },
            seed: self.asked.seed,
            sample: self.asked.sample,
            all_killers: self.flags.all_killers,
            stable_only: self.flags.stable,
            block_factor: self.asked.factor,
            ..default
        })
    }

    fn execute_all<T: Tests>(
        &self,
        analysis: &Analysis<T>,
    ) -> Result<Vec<MutantResult<T::Failure>>, Failure> {
        let threads = self.flags.threads.map_or(0, NonZeroUsize::get);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
            Failure::new(format_args!("cannot start threads: {error}"))
                .hint("use fewer with --threads")
        })?;
        let count = analysis.mutants().len();
        let bar = terminal::bar(if self.asked.quiet { 0 } else { count });
        let next = AtomicUsize::new(0);
        let results = pool.broadcast(|_| {
            let mut runner = analysis.runner();
            let mut results = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return results;
                }
                results.push((number, runner.run(number)));
                bar.inc(1);
            }
        });
        bar.finish_and_clear();
        let mut results: Vec<_> = results.into_iter().flatten().collect();
        results.sort_unstable_by_key(|(number, _)| *number);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }
}

fn table<T: Tests>(analysis: &Analysis<T>, results: &[MutantResult<T::Failure>]) -> String {
    let mut text = "operator mutants  killed survived  limit uncovered equivalent duplicate  \
                    score  of covered\n"
        .to_owned();
    let mut row = |name: &str, tally: Tally| {
        if tally.mutants() == 0 && name != "all" {
            return;
        }
        let percent = |share: Option<f64>| match share {
            Some(share) => format!("{:.1} %", 100.0 * share),
            None => "-".to_owned(),
        };
        text += &format!(
            "{name:8} {:7} {:7} {:8} {:6} {:9} {:10} {:9} {:>6} {:>11}\n",
            tally.mutants(),
            tally.killed,
            tally.survived,
            tally.limit,
            tally.not_covered,
            tally.equivalent,
            tally.duplicates,
            percent(tally.score()),
            percent(tally.score_of_covered()),
        );
    };
    for operator in Operator::ALL {
        row(operator.name(), Tally::of(analysis.mutants(), results, Some(operator)));
    }
    row("all", Tally::of(analysis.mutants(), results, None));
    text
}

fn survivors<T: Tests>(
    analysis: &Analysis<T>,
    results: &[MutantResult<T::Failure>],
    names: &[MutantName],
) -> String {
    let mut text = String::new();
    let mut project = analysis.project().clone();
    for ((mutant, result), name) in analysis.mutants().iter().zip(results).zip(names) {
        if !matches!(result.outcome, MutantOutcome::Survived | MutantOutcome::Limit) {
            continue;
        }
        let (target, script) = project.locate(mutant.script);
        let before = script_lines(&project.targets[target], script);
        let undo = mutant.apply(&mut project);
        let after = script_lines(&project.targets[target], script);
        undo.undo(&mut project);
        let head = format!("{} ({}): {}", name.id, outcome_name(result.outcome), name.change);
        text += &format!("\n{}\n", head.replace(char::is_control, " "));
        text += &difference(&before, &after);
    }
    text
}

fn script_lines(target: &Target, top: BlockIndex) -> Vec<String> {
    let lines = Notation::new(target).script(top).into_iter();
    lines.map(|line| format!("{}{}", "  ".repeat(line.depth), line.text)).collect()
}

const CONTEXT: usize = 2;

/// One range is enough, because a mutant changes a script at one position.
fn difference(before: &[String], after: &[String]) -> String {
    let same = |(a, b): &(&String, &String)| a == b;
    let start = before.iter().zip(after).take_while(same).count();
    let shorter = before.len().min(after.len()) - start;
    let end = before.iter().rev().zip(after.iter().rev()).take(shorter).take_while(same).count();
    let (gone, new) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    let above = &before[start.saturating_sub(CONTEXT)..start];
    let below = before[before.len() - end..].iter().take(CONTEXT);
    let marked = |mark: char, line: &String| format!("  {mark} {line}\n");
    let lines = above.iter().map(|line| marked(' ', line));
    let lines = lines.chain(gone.iter().map(|line| marked('-', line)));
    let lines = lines.chain(new.iter().map(|line| marked('+', line)));
    lines.chain(below.map(|line| marked(' ', line))).collect()
}

fn outcome_name(outcome: MutantOutcome) -> &'static str {
    match outcome {
        MutantOutcome::Killed => "killed",
        MutantOutcome::Survived => "survived",
        MutantOutcome::Limit => "limit",
        MutantOutcome::NotCovered => "not-covered",
        MutantOutcome::Equivalent => "equivalent",
    }
}

#[derive(Serialize)]
struct Line<'a> {
    mutant: &'a str,
    operator: &'static str,
    target: &'a str,
    script: &'a str,
    block: &'a str,
    change: &'a str,
    outcome: &'static str,
    killers: Vec<Value>,
    executions: u32,
    duplicate_of: Option<&'a str>,
}

fn lines<T: Tests>(
    analysis: &Analysis<T>,
    results: &[MutantResult<T::Failure>],
    names: &[MutantName],
    killer: &dyn Fn(&Kill<T::Failure>) -> Value,
) -> String {
    let mutants = analysis.mutants().iter().zip(results).zip(names).zip(duplicates(results));
    let lines = mutants.map(|(((mutant, result), name), original)| Line {
        mutant: &name.id,
        operator: mutant.operator.name(),
        target: &name.target,
        script: &name.script,
        block: &name.block,
        change: &name.change,
        outcome: outcome_name(result.outcome),
        killers: result.kills.iter().map(killer).collect(),
        executions: result.executions,
        duplicate_of: original.map(|original| names[original].id.as_str()),
    });
    // A line has only strings, numbers and JSON values, so writing it cannot fail.
    lines.filter_map(|line| serde_json::to_string(&line).ok()).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_one_place() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let shown = difference(&lines("a b c d e f"), &lines("a b c e f"));
        assert_eq!(shown, "    b\n    c\n  - d\n    e\n    f\n");
        let shown = difference(&lines("a b"), &lines("a x"));
        assert_eq!(shown, "    a\n  - b\n  + x\n");
        assert_eq!(difference(&lines("a a a"), &lines("a a")), "    a\n    a\n  - a\n");
    }
}
