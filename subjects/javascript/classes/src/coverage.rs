//! Coverage of a suite in the units of Istanbul.

use std::collections::BTreeMap;

use catherd_javascript_machine::instrument::{Goal, Units};
use catherd_javascript_machine::{ExecuteOptions, Execution, Machine, Program};
use serde_json::{Value, json};

use crate::suite::SuiteTest;

/// How often the loading of a program and the tests of a suite reached each unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Counts by statement.
    pub statements: Vec<u64>,
    /// Counts by branch and location.
    pub branches: Vec<Vec<u64>>,
    /// Counts by function, including functions that Istanbul does not count.
    pub functions: Vec<u64>,
    /// Whether each goal is covered.
    pub goals: Vec<bool>,
}

impl Coverage {
    /// Measures a suite. An error of the machine ends the measurement.
    pub fn measure(
        program: &Program,
        machine: &mut Machine,
        tests: &[SuiteTest],
        seed: u64,
    ) -> Coverage {
        Coverage::complete(program, machine, tests, Vec::new(), seed)
    }

    /// `executions` contains known executions under the same seed, by the number of the test.
    pub(crate) fn complete(
        program: &Program,
        machine: &mut Machine,
        tests: &[SuiteTest],
        mut executions: Vec<Option<Execution>>,
        seed: u64,
    ) -> Coverage {
        let units = &program.units;
        let mut coverage = Coverage {
            statements: vec![0; units.statements.len()],
            branches: units.branches.iter().map(|b| vec![0; b.locations.len()]).collect(),
            functions: vec![0; units.functions.len()],
            goals: vec![false; units.goals.len()],
        };
        executions.resize_with(tests.len(), || None);
        let tests = tests.iter().map(|test| &test.statements[..]).zip(executions);
        for (number, (statements, known)) in
            std::iter::once((&[][..], None)).chain(tests).enumerate()
        {
            let options =
                ExecuteOptions { seed, loading: number == 0, ..ExecuteOptions::default() };
            let execution = known.map_or_else(|| machine.execute(statements, options), Ok);
            let Ok(execution) = execution else { break };
            coverage.add(units, &execution);
        }
        coverage
    }

    fn add(&mut self, units: &Units, execution: &Execution) {
        let counted = |counter: u32| u64::from(execution.counters[counter as usize]);
        for (times, statement) in self.statements.iter_mut().zip(&units.statements) {
            *times += counted(statement.counter);
        }
        for (times, branch) in self.branches.iter_mut().zip(&units.branches) {
            for (times, hit) in times.iter_mut().zip(&branch.locations) {
                *times += u64::from(execution.hits(*hit));
            }
        }
        for (times, function) in self.functions.iter_mut().zip(&units.functions) {
            *times += counted(function.counter);
        }
        for (covered, goal) in self.goals.iter_mut().zip(&units.goals) {
            *covered |= execution.hits(goal.hit);
        }
    }

    /// Counts of covered and all statements, branches, functions and lines.
    pub fn totals(&self, units: &Units) -> [(usize, usize); 4] {
        let count = |times: &[u64]| (times.iter().filter(|n| **n > 0).count(), times.len());
        let mut lines = BTreeMap::new();
        for (times, statement) in self.statements.iter().zip(&units.statements) {
            *lines.entry((statement.file, statement.line)).or_insert(0) += times;
        }
        let functions = self.functions.iter().zip(&units.functions);
        let counted: Vec<u64> = functions.filter(|(_, f)| f.counted).map(|(n, _)| *n).collect();
        [
            count(&self.statements),
            count(&self.branches.concat()),
            count(&counted),
            count(&lines.into_values().collect::<Vec<_>>()),
        ]
    }

    pub(crate) fn covered_branches(&self) -> (u32, Vec<u32>) {
        let times = self.branches.iter().flatten();
        let covered = times.clone().zip(0..).filter(|(times, _)| **times > 0);
        (times.count() as u32, covered.map(|(_, number)| number).collect())
    }

    /// The goals that are not covered.
    pub fn uncovered<'u>(&self, units: &'u Units) -> Vec<&'u Goal> {
        let goals = units.goals.iter().zip(&self.goals);
        goals.filter(|(_, covered)| !**covered).map(|(goal, _)| goal).collect()
    }

    /// The coverage in the format of `coverage-final.json`. All locations of a branch have the
    /// location of the branch itself.
    pub fn to_json(&self, units: &Units) -> Value {
        let mut files = serde_json::Map::new();
        for (number, file) in units.files.iter().enumerate() {
            let number = number as u32;
            let place = |(start, end): (u32, u32)| {
                let at = |at: u32| {
                    let (line, column) = file.position(at);
                    json!({"line": line, "column": column})
                };
                json!({"start": at(start), "end": at(end)})
            };
            let mut maps = [(); 6].map(|()| serde_json::Map::new());
            let mut insert = |map: usize, value: Value, times: Value| {
                let key = maps[map].len().to_string();
                maps[map].insert(key.clone(), value);
                maps[map + 3].insert(key, times);
            };
            for (times, unit) in self.statements.iter().zip(&units.statements) {
                if unit.file == number {
                    insert(0, place(unit.range), json!(times));
                }
            }
            for (times, unit) in self.functions.iter().zip(&units.functions) {
                if unit.file == number && unit.counted {
                    let value = json!({"name": unit.name, "loc": place(unit.range),
                        "decl": place((unit.range.0, unit.range.0)), "line": unit.line});
                    insert(1, value, json!(times));
                }
            }
            for (times, unit) in self.branches.iter().zip(&units.branches) {
                if unit.file == number {
                    let loc = place(unit.range);
                    let value = json!({"type": unit.kind.name(), "loc": loc, "line": unit.line,
                        "locations": vec![loc.clone(); times.len()]});
                    insert(2, value, json!(times));
                }
            }
            let [statements, functions, branches, s, f, b] = maps;
            let entry = json!({"path": file.path, "statementMap": statements, "fnMap": functions,
                "branchMap": branches, "s": s, "f": f, "b": b});
            files.insert(file.path.clone(), entry);
        }
        Value::Object(files)
    }
}
