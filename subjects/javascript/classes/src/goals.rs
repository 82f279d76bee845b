//! Goals other than branches.

use catherd_javascript_machine::Program;
use catherd_javascript_machine::instrument::{Goal, GoalKind, Hit};

use crate::model::{Model, TargetKind};

pub(crate) fn statement_goals(program: &Program) -> Vec<Goal> {
    let entries = program.units.goals.iter().filter(|goal| goal.kind == GoalKind::Function);
    let statements = program.units.statements.iter().map(|statement| Goal {
        file: statement.file,
        start: statement.range.0,
        kind: GoalKind::Statement,
        outcome: String::new(),
        hit: Hit::Counter(statement.counter),
        function: statement.function,
        control: statement.control.clone(),
    });
    entries.cloned().chain(statements).collect()
}

/// Goals as in the thesis: the statements of the methods under test, without the statements of
/// nested functions. With `nodes`, also calls and operators, as in Flycatcher's program.
pub(crate) fn method_goals(program: &Program, model: &Model, nodes: bool) -> Vec<Goal> {
    let functions = |constructors: bool| -> std::collections::BTreeSet<u32> {
        let targets = model.targets.iter();
        let wanted = targets.filter(|t| constructors || t.kind != TargetKind::Constructor);
        wanted.filter_map(|target| target.function).collect()
    };
    let methods = functions(false);
    let methods = if methods.is_empty() { functions(true) } else { methods };
    let mut goals = statement_goals(program);
    goals.extend(program.units.nodes.iter().filter(|_| nodes).map(|node| Goal {
        file: node.file,
        start: node.start,
        kind: GoalKind::Node,
        outcome: node.kind.name().to_owned(),
        hit: node.hit,
        function: node.function,
        control: node.control.clone(),
    }));
    goals.retain(|goal| {
        goal.kind != GoalKind::Function && goal.function.is_some_and(|f| methods.contains(&f))
    });
    goals
}
