//! The results of examples, by kind.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::alphabet::Alphabet;
use crate::criterion::{Criterion, Expression};
use crate::events::{EventId, Events};
use crate::model::{Model, ModelSource};
use crate::pool::{Pool, Tests};
use crate::program::Stepper;
use crate::risk::{self, Beta, Evidence, Orientation, Policy};
use crate::space::Space;
use crate::suite::{self, Matrix, Ties};
use crate::systems;

use super::games;

/// Maximum number of states of models in examples.
const LIMIT: usize = 10_000_000;

struct Input<'i>(&'i Value);

impl Input<'_> {
    fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let value = self.0.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
        serde_json::from_value(value.clone()).map_err(|error| format!("`{name}`: {error}"))
    }

    fn or<T: DeserializeOwned>(&self, name: &str, default: T) -> Result<T, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(_) => self.get(name),
        }
    }

    fn number(&self, names: &[&str]) -> Result<u64, String> {
        let found = names.iter().find_map(|name| self.0.get(name)).and_then(Value::as_u64);
        found.ok_or_else(|| format!("`{}` is missing", names[0]))
    }
}

pub(super) fn answer(kind: &str, input: &Value) -> Result<Map<String, Value>, String> {
    let input = Input(input);
    let value = match kind {
        "items" => items(&input),
        "suite" => suite_rank(&input),
        "relaxation" => relaxation(&input),
        "space" => space(&input),
        "reachable" => reachable(&input),
        "moodle" => moodle(),
        "abp-space" => abp_space(&input),
        "abp-reachable" => abp_reachable(&input),
        "abp-enabled" => abp_enabled(&input),
        "detect" => {
            let (test, word): (Vec<String>, Vec<String>) =
                (input.get("test")?, input.get("trigger")?);
            Ok(json!({
                "consecutive": systems::contains(&test, &word, false),
                "subsequence": systems::contains(&test, &word, true),
            }))
        }
        "suite-detection" => {
            let (pool, failing) = (input.get("pool")?, input.get("failing")?);
            let probability = suite::random_detection(pool, failing, input.get("suite")?);
            Ok(json!({ "probability": probability }))
        }
        "pmx" => {
            let (mut a, mut b): (Vec<u32>, Vec<u32>) = (input.get("a")?, input.get("b")?);
            suite::partially_matched(&mut a, &mut b, input.get("begin")?, input.get("end")?);
            Ok(json!({"a": a, "b": b}))
        }
        "convergence" => {
            let best: Vec<u64> = input.get("best")?;
            let (short, long) = (input.get("short")?, input.get("long")?);
            let epsilon = input.get("epsilon")?;
            let stops = |length: &usize| suite::converged(&best[..*length], short, long, epsilon);
            Ok(json!({ "stops_after": (1..=best.len()).find(stops) }))
        }
        "beta" => {
            let orientation = match input.or("orientation", "risk".to_owned())?.as_str() {
                "confidence" => Orientation::Confidence,
                _ => Orientation::Risk,
            };
            let beta = Beta::new(input.get("passed")?, input.get("failed")?, orientation);
            Ok(json!({
                "alpha": beta.alpha,
                "beta": beta.beta,
                "mean": beta.mean(),
                "variance": beta.variance(),
            }))
        }
        "risk" => {
            let sum = risk::assess(&evidence(&input)?);
            Ok(json!({"risk": sum.risk, "expected_loss": sum.expected_loss}))
        }
        "next-class" => next_class(&input),
        "greedy" => greedy(&input),
        "expression" => {
            let (expression, test): (String, Vec<String>) =
                (input.get("expression")?, input.get("test")?);
            let expression = Expression::parse(&expression).map_err(|error| error.to_string())?;
            let matches = expression.matches(&test).map_err(|error| error.to_string())?;
            Ok(json!({ "matches": matches }))
        }
        "tic-tac-toe" => games::played(input.number(&["side", "board", "size", "squares"])?),
        "tic-tac-toe-orders" => games::orders(input.number(&["squares", "side", "board"])?),
        _ => Err(format!("unknown kind `{kind}`")),
    }?;
    match value {
        Value::Object(members) => Ok(members),
        _ => Err("the result is not an object".to_owned()),
    }
}

fn alphabet(input: &Input<'_>, tests: &[Vec<String>]) -> Result<Alphabet, String> {
    let mut names: Vec<String> = input.or("alphabet", Vec::new())?;
    if names.is_empty() {
        let mut all: BTreeSet<String> = tests.iter().flatten().cloned().collect();
        for set in ["first", "then"] {
            all.extend(input.or::<Vec<String>>(set, Vec::new())?);
        }
        names = all.into_iter().collect();
    }
    Ok(Alphabet::names(&Events::plain(names)))
}

fn criterion(input: &Input<'_>, alphabet: &Alphabet, length: usize) -> Result<Criterion, String> {
    let name: String = input.get("criterion")?;
    let t = input.or("t", 0)?;
    let mut text = match name.as_str() {
        "order" | "safety" => {
            let (first, then): (Vec<String>, Vec<String>) =
                (input.get("first")?, input.get("then")?);
            format!("{name}([{}], [{}])", first.join(" "), then.join(" "))
        }
        "positions" => format!("positions:{t} length={}", input.or("length", length)?),
        _ => format!("{name}:{t}"),
    };
    if input.or("distinct", false)? {
        text += " distinct";
    }
    parse(&text, alphabet)
}

fn parse(text: &str, alphabet: &Alphabet) -> Result<Criterion, String> {
    let no_files = |_: &str| Err("examples have no files".to_owned());
    Criterion::parse(text, alphabet, None, None, &no_files).map_err(|error| error.to_string())
}

fn letters(test: &[String], alphabet: &Alphabet) -> Vec<u32> {
    test.iter().filter_map(|name| alphabet.find(name)).collect()
}

/// An item as the names of its letters; for `positions`, with their positions.
fn named(criterion: &Criterion, item: u64, alphabet: &Alphabet) -> Value {
    let name = criterion.item_name(item, alphabet);
    let (word, places) = match name.split_once(" at ") {
        Some((word, places)) => (word, Some(places)),
        None => (name.as_str(), None),
    };
    let word: Vec<&str> = word.split(", ").collect();
    match places {
        None => json!(word),
        Some(places) => {
            let places: Vec<u64> = places.split(", ").filter_map(|at| at.parse().ok()).collect();
            json!([places, word])
        }
    }
}

fn items(input: &Input<'_>) -> Result<Value, String> {
    let test: Vec<String> = input.get("test")?;
    let alphabet = alphabet(input, std::slice::from_ref(&test))?;
    let criterion = criterion(input, &alphabet, test.len())?;
    let items = criterion.items_of_letters(&letters(&test, &alphabet));
    let mut names: Vec<Value> =
        items.iter().map(|&item| named(&criterion, item, &alphabet)).collect();
    names.sort_by_key(Value::to_string);
    Ok(json!({"items": names, "rank": items.len()}))
}

fn suite_rank(input: &Input<'_>) -> Result<Value, String> {
    let tests: Vec<Vec<String>> = input.get("tests")?;
    let alphabet = alphabet(input, &tests)?;
    let length = tests.first().map_or(0, Vec::len);
    let criterion = criterion(input, &alphabet, length)?;
    let pool = pool_of(&tests, &alphabet);
    let matrix = Matrix::new(&criterion, &pool, None);
    let all: Vec<u32> = (0..pool.len() as u32).collect();
    Ok(json!({"rank": matrix.rank(&all), "total": criterion.bound()}))
}

fn pool_of(tests: &[Vec<String>], alphabet: &Alphabet) -> Pool {
    let mut all = Tests::default();
    tests.iter().for_each(|test| all.push(&letters(test, alphabet)));
    Pool::new(&all, alphabet)
}

fn relaxation(input: &Input<'_>) -> Result<Value, String> {
    let items: Vec<Vec<String>> = input.get("items")?;
    let classes: Vec<Vec<usize>> = input.get("classes")?;
    let test: Vec<String> = input.get("test")?;
    let covered: BTreeSet<usize> =
        (0..items.len()).filter(|&item| systems::contains(&test, &items[item], true)).collect();
    let any = |class: &&Vec<usize>| class.iter().any(|item| covered.contains(item));
    let relaxed = classes.iter().filter(any).count();
    Ok(json!({
        "original_covered": covered.len(),
        "original_total": items.len(),
        "relaxed_covered": relaxed,
        "relaxed_total": classes.len(),
        "relaxed_ratio": relaxed as f64 / classes.len().max(1) as f64,
    }))
}

fn table(input: &Input<'_>) -> Result<Model, String> {
    Model::parse("example", &input.0.to_string()).map_err(|error| error.to_string())
}

fn explored(model: &Model) -> Result<Space, String> {
    Space::explore(&model.program, LIMIT).map_err(|error| error.to_string())
}

/// A number that does not fit into 64 bits becomes a string.
fn number(value: &num_bigint::BigUint) -> Value {
    u64::try_from(value).map_or_else(|_| json!(value.to_string()), |value| json!(value))
}

fn space_values(space: &Space) -> Map<String, Value> {
    let counts = space.counts(None);
    let mut values = Map::new();
    values.insert("states".into(), json!(counts.states));
    values.insert("edges".into(), json!(counts.edges));
    values.insert("events".into(), json!(counts.events));
    values.insert("deadlocks".into(), json!(counts.deadlocks));
    if let Some(traces) = &counts.traces {
        values.insert("maximal_traces".into(), number(&traces.maximal));
        values.insert("prefixes".into(), number(&traces.prefixes));
    }
    values
}

fn space(input: &Input<'_>) -> Result<Value, String> {
    Ok(Value::Object(space_values(&explored(&table(input)?)?)))
}

fn reachable(input: &Input<'_>) -> Result<Value, String> {
    let model = table(input)?;
    let space = explored(&model)?;
    let alphabet = Alphabet::names(model.program.events());
    let criterion = criterion(input, &alphabet, 0)?;
    let items = criterion.reachable(&space, &alphabet).map_err(|error| error.to_string())?;
    let mut names: Vec<Value> =
        items.iter().map(|&item| named(&criterion, item, &alphabet)).collect();
    names.sort_by_key(Value::to_string);
    Ok(json!({"reachable": items.len(), "bound": criterion.bound(), "items": names}))
}

fn reachable_count(text: &str, space: &Space, alphabet: &Alphabet) -> Result<usize, String> {
    let items = parse(text, alphabet)?.reachable(space, alphabet);
    items.map(|items| items.len()).map_err(|error| error.to_string())
}

fn builtin(name: &str, messages: Option<u64>) -> Result<Model, String> {
    let path = match messages {
        Some(messages) => format!("builtin:{name}:{messages}"),
        None => format!("builtin:{name}"),
    };
    ModelSource::open(&path).and_then(|source| source.model()).map_err(|error| error.to_string())
}

fn moodle() -> Result<Value, String> {
    let model = builtin("moodle", None)?;
    let space = explored(&model)?;
    let alphabet = Alphabet::names(model.program.events());
    let mut values = space_values(&space);
    values.insert("names".into(), json!(alphabet.len()));
    if let Some(traces) = space.projected_traces(&alphabet) {
        values.insert("name_traces".into(), number(&traces));
    }
    let lengths: Map<String, Value> =
        space.lengths().iter().map(|(length, n)| (length.to_string(), number(n))).collect();
    values.insert("lengths".into(), Value::Object(lengths));
    for (name, t) in
        [("subsequence", 2), ("subsequence", 3), ("consecutive", 2), ("consecutive", 3)]
    {
        let count = reachable_count(&format!("{name}:{t}"), &space, &alphabet)?;
        values.insert(format!("{name}{t}_names"), json!(count));
    }
    Ok(Value::Object(values))
}

fn abp_space(input: &Input<'_>) -> Result<Value, String> {
    let model = builtin("abp", Some(input.number(&["messages"])?))?;
    let mut values = space_values(&explored(&model)?);
    values.insert("threads".into(), json!(model.program.thread_names().len()));
    Ok(Value::Object(values))
}

fn abp_reachable(input: &Input<'_>) -> Result<Value, String> {
    let model = builtin("abp", Some(input.number(&["messages"])?))?;
    let space = explored(&model)?;
    let alphabet = Alphabet::names(model.program.events());
    let mut values = Map::new();
    for text in ["consecutive:2", "consecutive:3", "subsequence:2", "subsequence:3"] {
        values.insert(text.to_owned(), json!(reachable_count(text, &space, &alphabet)?));
    }
    Ok(Value::Object(values))
}

fn abp_enabled(input: &Input<'_>) -> Result<Value, String> {
    let model = builtin("abp", Some(input.number(&["messages"])?))?;
    let trace: Vec<String> = input.get("trace")?;
    let events = model.program.events();
    let mut stepper = Stepper::new(&model.program);
    let mut state = stepper.initial().map_err(|fault| fault.to_string())?;
    let (mut enabled, mut next): (Vec<EventId>, _) = (Vec::new(), Vec::new());
    for name in &trace {
        let event = events.labelled(name).ok_or_else(|| format!("unknown event `{name}`"))?;
        stepper.enabled(&state, &mut enabled).map_err(|fault| fault.to_string())?;
        if !enabled.contains(&event) {
            return Err(format!("`{name}` is not enabled"));
        }
        stepper.step(&state, event, &mut next).map_err(|fault| fault.to_string())?;
        std::mem::swap(&mut state, &mut next);
    }
    stepper.enabled(&state, &mut enabled).map_err(|fault| fault.to_string())?;
    let mut names: Vec<&str> = enabled.iter().map(|&event| &*events.get(event).name).collect();
    names.sort_unstable();
    Ok(json!({ "enabled": names }))
}

fn evidence(input: &Input<'_>) -> Result<Vec<Evidence>, String> {
    let classes: Vec<Value> = input.get("classes")?;
    let evidence = |class: &Value| {
        let class = Input(class);
        Ok(Evidence {
            passed: class.get("passed")?,
            failed: class.get("failed")?,
            profile: class.or("profile", 1.0)?,
            loss: class.or("loss", 1.0)?,
        })
    };
    classes.iter().map(evidence).collect()
}

fn next_class(input: &Input<'_>) -> Result<Value, String> {
    let classes: Vec<Value> = input.get("classes")?;
    let policy: String = input.or("policy", "expected-loss".to_owned())?;
    let policy: Policy = policy.parse().map_err(|error: risk::UnknownPolicy| error.to_string())?;
    let scores = risk::scores(&evidence(input)?, policy, 1);
    let order = risk::ranking(&scores);
    let names: Vec<&Value> = order.iter().map(|&class| &classes[class]["id"]).collect();
    let scores: Vec<f64> = order.iter().map(|&class| scores[class]).collect();
    Ok(json!({"order": names, "scores": scores}))
}

fn greedy(input: &Input<'_>) -> Result<Value, String> {
    let named: Map<String, Value> = input.get("pool")?;
    let tests: Vec<Vec<String>> = named
        .values()
        .map(|test| serde_json::from_value(test.clone()).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let alphabet = alphabet(input, &tests)?;
    let criterion = criterion(input, &alphabet, 0)?;
    let matrix = Matrix::new(&criterion, &pool_of(&tests, &alphabet), None);
    let size = input.get("size")?;
    let found =
        suite::greedy(&matrix, size, Ties::First, 0, u64::MAX, &mut |_| ControlFlow::Continue(()));
    let names: Vec<&String> =
        found.best.suite.iter().filter_map(|&test| named.keys().nth(test as usize)).collect();
    Ok(json!({"suite": names, "rank": found.best.rank}))
}
