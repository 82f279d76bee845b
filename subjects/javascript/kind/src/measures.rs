//! Measures of projects for `projects.csv`.

use catherd_experiments::Measure;
use catherd_interface::{FindError, FoundProject, ProjectTable};
use catherd_javascript_classes::machine::instrument::{BranchKind, Goal, GoalKind, Units};
use catherd_javascript_classes::machine::{Package, Program};
use catherd_javascript_classes::{GenerationSettings, Model, machine_of};

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
        let cells = on_a_large_stack(|| measured(package));
        let first = [("project", found.name.clone()), ("sha256", found.digest.to_string())];
        let (columns, cells) = first.into_iter().chain(cells).unzip();
        table.columns = columns;
        table.rows.push(cells);
    }
    Ok(table)
}

/// The measures of a package. Measures of the analysis are empty if a limit ends it, as a limit of the
/// constructor of a class can.
fn measured(package: Package) -> Vec<(&'static str, String)> {
    let program = Program::new(package).ok();
    let model = program.as_ref().and_then(|program| {
        let mut machine = machine_of(program, &GenerationSettings::default(), 0, false);
        Model::of(program, &mut machine).ok()
    });
    let units = program.as_ref().map(|program| &program.units);
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

/// The mean cyclomatic complexity of the functions (McCabe 1976): the number of decisions plus 1. `None` if
/// there are no functions.
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
