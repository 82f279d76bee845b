//! Measures of projects.

use std::rc::Rc;
use std::sync::Arc;

use catherd_experiments::Measure;
use catherd_interface::{Examination, FindError, FoundProject, ProjectTable, ReadError};
use catherd_javascript_classes::machine::Program;
use catherd_javascript_classes::machine::instrument::{BranchKind, Goal, GoalKind, Units};
use catherd_javascript_classes::{GenerationSettings, Model, machine_of};

use crate::Examiner;

pub(crate) fn related() -> Vec<Measure> {
    vec![Measure::new("statements", "Statements"), Measure::related("mccabe", "Mean complexity")]
}

/// Measures of each project, which are empty if the project cannot be examined.
pub(crate) fn table(
    projects: &[FoundProject],
    examine: Examiner,
) -> Result<ProjectTable, FindError> {
    let mut table = ProjectTable::default();
    for found in projects {
        let bytes = bytes(found)?;
        let examined = examine(found.digest, bytes, &Examination::Measures);
        let mut examined = examined.unwrap_or_default();
        let first = [("project", found.name.clone()), ("sha256", found.digest.to_string())];
        let cells = cells(None).into_iter().map(|(name, empty)| {
            let at = examined.iter().position(|(measured, _)| measured == name);
            (name, at.map_or(empty, |at| examined.swap_remove(at).1))
        });
        let (columns, cells) = first.into_iter().chain(cells).unzip();
        table.columns = columns;
        table.rows.push(cells);
    }
    Ok(table)
}

pub(crate) fn bytes(found: &FoundProject) -> Result<Arc<[u8]>, FindError> {
    let changed = |error: ReadError| FindError {
        cause: format!("{}: {error}", found.path.display()),
        advice: "run the command again while the file can be read and does not change".to_owned(),
    };
    found.bytes().map(Arc::from).map_err(changed)
}

/// The measures of a program by name, all empty without a program. Counts that the analysis does
/// not find are empty as well.
pub(crate) fn cells(program: Option<&Rc<Program>>) -> Vec<(&'static str, String)> {
    let model = program.and_then(|program| {
        let mut machine = machine_of(program, &GenerationSettings::default(), 0, false);
        Model::of(program, &mut machine).ok()
    });
    let units = program.map(|program| &program.units);
    let of_units = |count: fn(&Units) -> usize| {
        units.map_or_else(String::new, |units| count(units).to_string())
    };
    let of_model = |count: fn(&Model) -> usize| {
        model.as_ref().map_or_else(String::new, |model| count(model).to_string())
    };
    let lines = |units: &Units| (0..units.files.len()).map(|at| units.lines(at as u32).len()).sum();
    let mean = units.and_then(complexity);
    vec![
        ("lines", of_units(lines)),
        ("statements", of_units(|units| units.statements.len())),
        (
            "branches",
            of_units(|units| units.branches.iter().map(|each| each.locations.len()).sum()),
        ),
        ("functions", of_units(|units| units.functions.iter().filter(|f| f.counted).count())),
        ("classes", of_model(|model| model.classes.len())),
        ("parameters", of_model(|model| model.parameters)),
        ("mccabe", mean.map_or_else(String::new, |mean| format!("{mean:.3}"))),
    ]
}

/// The mean cyclomatic complexity of the functions (McCabe 1976).
fn complexity(units: &Units) -> Option<f64> {
    let decides = |goal: &&Goal| {
        let outcome = goal.outcome.as_str();
        goal.function.is_some()
            && match goal.kind {
                GoalKind::Branch(BranchKind::If | BranchKind::Conditional) => outcome == "true",
                GoalKind::Branch(BranchKind::Switch) => outcome != "default",
                GoalKind::Branch(BranchKind::Logical) => outcome != "operand 1",
                GoalKind::Loop => outcome == "enters",
                _ => false,
            }
    };
    let decisions = units.goals.iter().filter(decides).count();
    let functions = units.functions.len();
    (functions > 0).then(|| 1.0 + decisions as f64 / functions as f64)
}
