//! Measures of projects for `projects.csv`.

use catherd_experiments::Measure;
use catherd_javascript_classes::machine::instrument::{BranchKind, Goal, GoalKind, Units};
use catherd_javascript_classes::machine::{Package, Program};
use catherd_javascript_classes::{Model, Settings, machine_of};
use catherd_subject::{FindError, FoundProject, ProjectTable};

use crate::runner::on_a_large_stack;

/// Measures that reports relate to coverage.
pub(crate) fn related() -> Vec<Measure> {
    vec![Measure::new("statements", "Statements"), Measure::related("mccabe", "Mean complexity")]
}

/// Measures of each project.
///
/// # Errors
///
/// If a project cannot be read any more.
pub(crate) fn table(projects: &[FoundProject]) -> Result<ProjectTable, FindError> {
    let mut table = ProjectTable::default();
    for found in projects {
        let changed = |cause: String| FindError {
            cause: format!("{}: {cause}", found.path.display()),
            advice: "run the command again: the file changed after the study was planned"
                .to_owned(),
        };
        let bytes = found.bytes().map_err(|error| changed(error.to_string()))?;
        let package = Package::unpack(&bytes).map_err(|error| changed(error.to_string()))?;
        let cells = on_a_large_stack(|| measured(package)).map_err(changed)?;
        let first = [("project", found.name.clone()), ("sha256", found.digest.to_string())];
        let (columns, cells) = first.into_iter().chain(cells).unzip();
        table.columns = columns;
        table.rows.push(cells);
    }
    Ok(table)
}

fn measured(package: Package) -> Result<Vec<(&'static str, String)>, String> {
    let program = Program::new(package).map_err(|error| error.to_string())?;
    let mut machine = machine_of(&program, &Settings::default(), 0, false);
    let model = Model::of(&program, &mut machine).map_err(|error| error.to_string())?;
    let units = &program.units;
    let lines: usize = (0..units.files.len()).map(|file| units.lines(file as u32).len()).sum();
    let branches: usize = units.branches.iter().map(|branch| branch.locations.len()).sum();
    let functions = units.functions.iter().filter(|function| function.counted).count();
    Ok(vec![
        ("lines", lines.to_string()),
        ("statements", units.statements.len().to_string()),
        ("branches", branches.to_string()),
        ("functions", functions.to_string()),
        ("classes", model.classes.len().to_string()),
        ("parameters", model.parameters.to_string()),
        ("mccabe", complexity(units).map_or_else(String::new, |mean| format!("{mean:.3}"))),
    ])
}

/// The mean cyclomatic complexity of the functions (McCabe 1976): decisions and 1. `None` if there
/// are no functions.
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
