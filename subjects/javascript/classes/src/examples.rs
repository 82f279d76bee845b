//! Worked examples, one JSON object per line: a source, a question about it, and the expected
//! answer.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use catherd_javascript_machine::instrument::{GoalKind, Units};
use catherd_javascript_machine::{
    Argument, ExecuteOptions, Execution, LineHints, Machine, MachineSettings, Operation, Package,
    Program, Statement, TestOutcome,
};
use catherd_search::{Algorithm, Budget, Stream};
use serde_json::{Value, json};

use crate::generate::{Method, Request, generate};
use crate::genes::Genes;
use crate::model::{Model, TargetKind};
use crate::problem::Subject;
use crate::settings::{GenerationSettings, Profile};
use crate::types::type_name;

/// The result of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The example's `id`.
    pub id: String,
    /// Descriptions of the differences.
    pub differences: Vec<String>,
    /// Whether nothing was compared, because this implementation does not support the question.
    pub skipped: bool,
}

/// Error for a line that is not an example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExampleError(String);

impl From<String> for ExampleError {
    fn from(line: String) -> ExampleError {
        ExampleError(line)
    }
}

/// Checks an example.
///
/// # Errors
/// If the line is not an example.
pub fn check(line: &str) -> Result<Verdict, ExampleError> {
    let example: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |key: &str| example[key].as_str().map(str::to_owned);
    let id = text("id").ok_or_else(|| "the example has no `id`".to_owned())?;
    let ask = &example["ask"];
    let Some(action) = ask["do"].as_str() else {
        return Err(format!("{id}: `ask` has no `do`").into());
    };
    let run = match action {
        "goals" => goals,
        "analyse" => analyse,
        "infer" => infer,
        "execute" => execute,
        "distances" => distances,
        "generate" => generated,
        "mutants" => mutants,
        _ => return Ok(Verdict { id, differences: Vec::new(), skipped: true }),
    };
    let source = text("source").unwrap_or_default();
    let file =
        text("file").filter(|file| !file.is_empty()).unwrap_or_else(|| "empty.js".to_owned());
    let program = Package::of_source(&file, &source)
        .map_err(|error| error.to_string())
        .and_then(|package| Program::new(package).map_err(|error| error.to_string()));
    let differences = match program {
        Ok(program) => {
            let mut found = Differences(Vec::new());
            if let Err(error) = run(&program, ask, &example["expect"], &mut found) {
                found.0.push(error);
            }
            found.0
        }
        Err(error) => vec![error],
    };
    Ok(Verdict { id, differences, skipped: false })
}

struct Differences(Vec<String>);

impl Differences {
    fn compare(&mut self, what: &str, expected: &Value, found: &Value) {
        if !expected.is_null() && !same(expected, found) {
            self.0.push(format!("{what}: expected {expected}, found {found}"));
        }
    }
}

/// Numbers are compared by value, and an instance only by the name of its class if nothing else is
/// expected.
fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            if a.len() == 1 && a.get("object").is_some_and(Value::is_string) {
                return a.get("object") == b.get("object");
            }
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        (a, b) => a == b,
    }
}

type Outcomes = Result<(), String>;

fn mutants(program: &Rc<Program>, _: &Value, expect: &Value, found: &mut Differences) -> Outcomes {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &program.units.files {
        let mutants = program.mutants(&file.path).map_err(|error| error.to_string())?;
        for mutant in mutants {
            *counts.entry(mutant.operator.name()).or_default() += 1;
        }
    }
    for (name, expected) in expect.as_object().into_iter().flatten() {
        let count = match name.as_str() {
            "total" => counts.values().sum(),
            "note" => continue,
            operator => counts.get(operator).copied().unwrap_or(0),
        };
        found.compare(name, expected, &json!(count));
    }
    Ok(())
}

fn goals(program: &Rc<Program>, _: &Value, expect: &Value, found: &mut Differences) -> Outcomes {
    let units: &Units = &program.units;
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for branch in &units.branches {
        *kinds.entry(branch.kind.name()).or_default() += branch.locations.len();
    }
    let of_kind = |kind| units.goals.iter().filter(|goal| goal.kind == kind).count();
    let lines: usize = (0..units.files.len()).map(|file| units.lines(file as u32).len()).sum();
    let functions = units.functions.iter().filter(|function| function.counted).count();
    found.compare("statements", &expect["statements"], &json!(units.statements.len()));
    found.compare("functions", &expect["functions"], &json!(functions));
    found.compare("branches", &expect["branches"], &json!(kinds.values().sum::<usize>()));
    found.compare("branch_kinds", &expect["branch_kinds"], &json!(kinds));
    found.compare("lines", &expect["lines"], &json!(lines));
    let search = json!({
        "functions": of_kind(GoalKind::Function),
        "loops": of_kind(GoalKind::Loop),
        "optional": of_kind(GoalKind::Optional),
    });
    found.compare("search_goals", &expect["search_goals"], &search);
    Ok(())
}

fn machine(program: &Rc<Program>, settings: MachineSettings) -> Machine {
    Machine::new(program, settings, 1)
}

fn analyse(program: &Rc<Program>, _: &Value, expect: &Value, found: &mut Differences) -> Outcomes {
    let mut machine = machine(program, MachineSettings::default());
    let model = Model::of(program, &mut machine).map_err(|error| error.to_string())?;
    let names = |target: usize| -> Vec<&str> {
        model.targets[target].parameters.iter().map(|parameter| parameter.name.as_str()).collect()
    };
    let mut classes = Vec::new();
    for (number, class) in model.classes.iter().enumerate() {
        let constructor = (0..model.targets.len()).find(|target| {
            let target = &model.targets[*target];
            target.kind == TargetKind::Constructor && target.class == Some(number)
        });
        let methods = model
            .methods(number)
            .into_iter()
            .filter(|target| model.targets[*target].kind == TargetKind::Method);
        let methods: Vec<Value> = methods
            .map(|target| json!({"name": model.targets[target].member, "params": names(target)}))
            .collect();
        let mut fields: Vec<&str> = class
            .members
            .iter()
            .filter(|member| member.kind == "field")
            .map(|member| member.name.as_str())
            .collect();
        fields.sort_unstable();
        classes.push(json!({
            "name": class.name,
            "constructor_params": constructor.map(names).unwrap_or_default(),
            "methods": methods,
            "fields": fields,
        }));
    }
    let functions = model.targets.iter().filter(|target| {
        target.kind == TargetKind::Function
            && model.functions.iter().any(|function| function.path == target.path)
    });
    let functions: Vec<Value> = functions
        .map(|target| {
            let names: Vec<&str> =
                target.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            json!({"name": target.name, "params": names})
        })
        .collect();
    found.compare("classes", &expect["classes"], &json!(classes));
    found.compare("functions", &expect["functions"], &json!(functions));
    found.compare("values", &expect["values"], &json!(model.values));
    let crashed = model.classes.iter().any(|class| class.crashed);
    found.compare("crashed", &expect["crashed"], &json!(crashed));
    Ok(())
}

fn infer(program: &Rc<Program>, ask: &Value, expect: &Value, found: &mut Differences) -> Outcomes {
    let method = ask["method"].as_str().ok_or("`ask` has no `method`")?;
    let scored = ask["profile"].as_str() == Some("scored");
    let profile = if scored { Profile::Scored } else { Profile::Flycatcher };
    let settings = GenerationSettings { profile, delay: 0, ..GenerationSettings::default() };
    let line_hints = (ask["hints"] == "line").then_some(match ask["line_comments"] == true {
        true => LineHints::WithComments,
        false => LineHints::Code,
    });
    let limits = MachineSettings {
        proxy_number: Some(5.0),
        paths: scored,
        line_hints,
        ..MachineSettings::default()
    };
    let machine = machine(program, limits);
    let failed = |error: catherd_javascript_machine::MachineError| error.to_string();
    let mut subject = Subject::new(program, machine, settings, 1).map_err(failed)?;
    let model = subject.model.clone();
    let number = model.targets.iter().position(|target| target.name == method);
    let number = number.ok_or_else(|| format!("no target {method}"))?;
    let target = model.targets[number].clone();
    let mut genes = Genes::default();
    let unknown = |target: &crate::model::Target| -> Vec<Argument> {
        let first = target.first_parameter;
        (0..target.parameters.len())
            .map(|index| Argument::Unknown((first + index) as u32))
            .collect()
    };
    let statement = |operation, arguments| Statement {
        operation,
        path: target.path.clone(),
        receiver: 0,
        name: target.member.clone(),
        arguments,
        awaits: operation != Operation::New,
    };
    if let Some(class) = target.class {
        let constructor = model.constructor(class).ok_or("no constructor")?;
        genes.statements.push(statement(Operation::New, unknown(constructor)));
        let of_class = |other: &&crate::model::Target| std::ptr::eq(*other, constructor);
        genes.targets.push(model.targets.iter().position(|other| of_class(&other)).unwrap_or(0));
    }
    let operation = match target.kind {
        TargetKind::Constructor => None,
        TargetKind::Function => Some(Operation::Call),
        TargetKind::Method => Some(Operation::Method),
        TargetKind::Getter => Some(Operation::Get),
        TargetKind::Setter => Some(Operation::Set),
    };
    if let Some(operation) = operation {
        genes.statements.push(statement(operation, unknown(&target)));
        genes.targets.push(number);
    }
    for _ in 0..ask["uses"].as_u64().unwrap_or(1) {
        subject.run(&genes);
    }
    let mut rng = Stream::new(1, Stream::SEARCH);
    for expected in expect["params"].as_array().into_iter().flatten() {
        let name = expected["name"].as_str().unwrap_or("");
        let index = target.parameters.iter().position(|parameter| parameter.name == name);
        let Some(index) = index else {
            found.0.push(format!("no parameter {name}"));
            continue;
        };
        let known = &subject.knowledge[target.first_parameter + index];
        if scored {
            let best = known.best(&model).map(|type_| type_name(&type_, &model));
            let best = best.unwrap_or_else(|| "unused".to_owned());
            found.compare(&format!("{name}: best"), &expected["best"], &json!(best));
            found.compare(
                &format!("{name}: arity"),
                &expected["arity"],
                &json!(known.evidence.arity),
            );
            continue;
        }
        let members: Vec<&String> = known.evidence.members.keys().collect();
        found.compare(&format!("{name}: members"), &expected["members"], &json!(members));
        for score in ["number", "string"] {
            let points = known.evidence.scores.get(score).copied().unwrap_or(0);
            let least = expected[score].as_u64().unwrap_or(points);
            let enough = expected["at_least"] == true && points >= least;
            if !enough {
                found.compare(&format!("{name}: {score}"), &expected[score], &json!(points));
            }
        }
        let inferred = known.infer(&model, &mut rng);
        let type_ = match inferred.type_ {
            _ if inferred.unsure => Value::Null,
            None => json!("inaccessible"),
            Some(type_) => json!(type_name(&type_, &model)),
        };
        if type_ != expected["type"] {
            found.0.push(format!("{name}: type: expected {}, found {type_}", expected["type"]));
        }
    }
    Ok(())
}

/// A line of code as a statement: `name = ...`, `await ...`, `<unknown>`.
fn code(line: &str) -> Statement {
    let mut rest = line.trim();
    let mut name = "";
    if let Some((left, right)) = rest.split_once(" = ")
        && left.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        (name, rest) = (left, right);
    }
    let awaits = rest.starts_with("await ");
    let rest = rest.strip_prefix("await ").unwrap_or(rest).replace("<unknown>", "$unknown()");
    Statement {
        operation: Operation::Code,
        path: vec![rest],
        receiver: 0,
        name: name.to_owned(),
        arguments: Vec::new(),
        awaits,
    }
}

/// The results of all lines. If a line throws, the other lines are executed again without it.
fn results(machine: &mut Machine, lines: &[Statement]) -> Result<(Vec<Value>, Execution), String> {
    let mut open: Vec<usize> = (0..lines.len()).collect();
    let mut results = vec![Value::Null; lines.len()];
    loop {
        let test: Vec<Statement> = open.iter().map(|index| lines[*index].clone()).collect();
        let options =
            ExecuteOptions { infer: true, observe: true, seed: 1, ..ExecuteOptions::default() };
        let execution = machine.execute(&test, options).map_err(|error| error.to_string())?;
        for (value, index) in execution.observed.iter().zip(&open) {
            results[*index] = value.clone();
        }
        let TestOutcome::Threw { thrown, rejected } = &execution.outcome else {
            return Ok((results, execution));
        };
        let Some(at) = open.get(execution.ended).copied() else {
            return Err(format!("loading throws {}: {}", thrown.name, thrown.message));
        };
        let key = if *rejected { "rejects" } else { "throws" };
        results[at] = json!({key: thrown.name, "message": thrown.message});
        open.remove(execution.ended);
    }
}

fn execute(
    program: &Rc<Program>,
    ask: &Value,
    expect: &Value,
    found: &mut Differences,
) -> Outcomes {
    let defaults = MachineSettings::default();
    let fixed = ask["proxy_numbers"].as_str().and_then(|text| text.strip_prefix("always "));
    let settings = MachineSettings {
        steps: ask["steps"].as_u64().unwrap_or(defaults.steps),
        trap_threshold: ask["threshold"].as_u64().map_or(defaults.trap_threshold, |n| n as u32),
        proxy_number: fixed.and_then(|number| number.parse().ok()),
        ..defaults
    };
    let mut machine = machine(program, settings);
    let lines = ask["test"].as_array().ok_or("`ask` has no `test`")?;
    let lines: Vec<Statement> = lines.iter().filter_map(Value::as_str).map(code).collect();
    let mut all = Vec::new();
    for _ in 0..ask["times"].as_u64().unwrap_or(1) {
        all.push(results(&mut machine, &lines)?);
    }
    let (values, execution) = &all[0];
    found.compare("results", &expect["results"], &json!(values));
    found.compare("traps", &expect["traps"], &json!(execution.traps));
    let last = values.last().cloned().unwrap_or(Value::Null);
    found.compare("value", &expect["value"], &last);
    let number = |value: &Value| value["number"].as_str().and_then(|n| n.parse::<f64>().ok());
    if expect["values"].is_array() {
        let each: Vec<_> = all.iter().map(|(values, _)| values.last().and_then(number)).collect();
        found.compare("values", &expect["values"], &json!(each));
    }
    let stamp = values.get(1).and_then(number);
    found.compare("first_stamp", &expect["first_stamp"], &json!(stamp));
    if expect["equal_executions"] == true && all.iter().any(|(values, _)| *values != all[0].0) {
        found.0.push("executions differ".to_owned());
    }
    let (outcome, limit) = match &execution.outcome {
        TestOutcome::Passed => ("passed", None),
        TestOutcome::Threw { .. } => ("threw", None),
        TestOutcome::Limit("trap-threshold") => ("trap-threshold", None),
        TestOutcome::Limit(name) => ("limit", Some(*name)),
    };
    found.compare("outcome", &expect["outcome"], &json!(outcome));
    found.compare("limit", &expect["limit"], &json!(limit));
    if let Some(evidence) = expect["evidence"].as_object() {
        let seen = execution.evidence.first().cloned().unwrap_or_default();
        for (key, expected) in evidence {
            let value = match key.as_str() {
                "members" => json!(seen.members.keys().collect::<Vec<_>>()),
                score => json!(seen.scores.get(score).copied().unwrap_or(0)),
            };
            found.compare(&format!("evidence {key}"), expected, &value);
        }
    }
    Ok(())
}

fn distances(
    program: &Rc<Program>,
    _: &Value,
    expect: &Value,
    found: &mut Differences,
) -> Outcomes {
    let mut machine = machine(program, MachineSettings::default());
    for row in expect["rows"].as_array().ok_or("no rows")? {
        let operand = |key: &str| row[key].as_str().unwrap_or("undefined").to_owned();
        let (operator, left, right) = (operand("op"), operand("left"), operand("right"));
        let want = row["want"] == true;
        let distance = machine.distance(&operator, [&left, &right], want);
        let distance = distance.map_err(|error| error.to_string())?;
        let what = format!("{left} {operator} {right} is {want}");
        found.compare(&what, &row["distance"], &json!(distance));
    }
    Ok(())
}

fn generated(
    program: &Rc<Program>,
    ask: &Value,
    expect: &Value,
    found: &mut Differences,
) -> Outcomes {
    let name = ask["algorithm"].as_str().unwrap_or("");
    let method = if name == "flycatcher" {
        Method::Flycatcher
    } else {
        Method::Search(Algorithm::named(name).map_err(|error| error.to_string())?)
    };
    let flycatcher = method == Method::Flycatcher;
    let profile = if flycatcher { Profile::Flycatcher } else { Profile::Scored };
    let settings = GenerationSettings {
        profile,
        discard_throwing: flycatcher,
        ..GenerationSettings::default()
    };
    let seeds: Vec<u64> = match &ask["seeds"] {
        Value::Array(seeds) => seeds.iter().filter_map(Value::as_u64).collect(),
        count => (1..=count.as_u64().unwrap_or(1)).collect(),
    };
    let mut full = 0;
    for seed in seeds {
        let request = Request {
            method: method.clone(),
            settings: settings.clone(),
            seed,
            budget: Budget { executions: ask["executions"].as_u64(), ..Budget::default() },
            project: String::new(),
            engine: String::new(),
            functions: None,
        };
        let mut suites = Vec::new();
        for _ in 0..ask["times"].as_u64().unwrap_or(1) {
            let run = generate(program, &request, &mut |_| ControlFlow::Continue(()));
            let run = run.map_err(|error| error.to_string())?;
            full += usize::from(run.covered.len() == run.goals.len());
            suites.push((run.suite, run.covered, run.work));
        }
        if suites.iter().any(|suite| *suite != suites[0]) {
            found.0.push(format!("seed {seed}: repetitions differ"));
        }
    }
    if let Some(least) = expect["in_at_least"].as_u64()
        && (full as u64) < least
    {
        found.0.push(format!("all goals covered in {full} runs, expected at least {least}"));
    }
    Ok(())
}
