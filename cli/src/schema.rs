//! `catherd schema`: JSON Schemas of study files and adapters, for editors. Units, algorithms and
//! parameters come from the subject kinds of this program.

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::{Parameter, Stop};
use catherd_interface::{ANY_ALGORITHM, AlgorithmInfo, ParameterInfo, SubjectKind, Values};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::subjects::{kinds, units};

/// The version of JSON Schema that editors for TOML support.
const DIALECT: &str = "http://json-schema.org/draft-07/schema#";

/// The files that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Of {
    /// A study file
    Study,
    /// The adapter.toml of an external tool
    Adapter,
}

/// Prints the JSON Schema of study files, or of adapters.
///
/// With this schema, an editor that checks TOML files completes keys, algorithms and parameters,
/// and marks wrong ones. The first line of a file says where its schema is:
/// `#:schema study.schema.json`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd schema > study.schema.json
  catherd schema adapter > adapter.schema.json")]
pub(crate) struct Arguments {
    /// The file that is described
    #[arg(value_name = "FILE", default_value = "study")]
    of: Of,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let schema = match arguments.of {
        Of::Study => study(),
        Of::Adapter => adapter(),
    };
    terminal::print(&format!("{schema:#}\n"));
    Ok(Exit::Success)
}

pub(crate) fn study() -> Value {
    let kinds: Vec<_> = kinds().iter().collect();
    let default = kinds.first().map(|kind| kind.name());
    let mut properties = Map::new();
    for (key, schema) in parts() {
        properties.insert(key.to_owned(), schema);
    }
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    properties.insert(
        "subject".to_owned(),
        described(json!({ "enum": names, "default": default }), "Subject kind of the projects"),
    );
    properties.insert("budget".to_owned(), budget());
    // A table of defaults has the name of the kind.
    for kind in &kinds {
        let meaning = "Parameters of all algorithms that do not set them";
        let table = described(parameters(&merged(*kind), true), meaning);
        properties.entry(kind.name()).or_insert(table);
    }
    // The permitted algorithms depend on the kind.
    let by_kind = kinds.iter().map(|kind| {
        let is_default = Some(kind.name()) == default;
        let named = json!({
            "properties": { "subject": { "const": kind.name() } }, "required": ["subject"],
        });
        let unnamed = json!({ "not": { "required": ["subject"] } });
        let when = if is_default { json!({ "anyOf": [named, unnamed] }) } else { named };
        json!({ "if": when, "then": { "properties": { "algorithms": {
            "items": { "anyOf": entries(*kind) },
        } } } })
    });
    json!({
        "$schema": DIALECT, "title": "Study of catherd", "type": "object",
        "required": ["projects", "algorithms", "seeds", "budget"],
        "properties": properties, "additionalProperties": false,
        "allOf": by_kind.collect::<Vec<_>>(),
    })
}

fn parts() -> [(&'static str, Value); 8] {
    let number = |least: u64| json!({ "type": "integer", "minimum": least });
    let level = json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 });
    [
        ("name", described(json!({ "type": "string" }), "Name of the study in reports")),
        (
            "projects",
            described(
                json!({ "anyOf": [
                    { "type": "array", "minItems": 1, "items": { "type": "string" } },
                    table(&[("synthetic", table(&[
                        ("count", number(1)), ("seed", number(1)), ("threads", number(1)),
                        ("events", number(1)), ("depth", number(1)),
                        ("density", json!({ "type": "number" })),
                    ]))]),
                ] }),
                "Files or folders of projects, relative to the study file, or synthetic projects",
            ),
        ),
        (
            "algorithms",
            described(json!({ "type": "array", "minItems": 1 }), "Configurations to compare"),
        ),
        (
            "seeds",
            described(
                json!({ "anyOf": [
                    { "type": "integer", "minimum": 1, "maximum": 1_000_000 },
                    { "type": "array", "minItems": 1, "uniqueItems": true, "items": number(0) },
                ] }),
                "Number of seeds, or a list of them",
            ),
        ),
        ("assertions", described(json!({ "type": "boolean" }), "Suites get regression assertions")),
        (
            "mutation",
            described(
                json!({ "anyOf": [{ "type": "boolean" }, table(&[
                    ("operators", json!({ "type": "array", "minItems": 1, "items": { "type": "string" } })),
                    ("sample", number(1)), ("seed", number(0)), ("block_factor", number(1)),
                ])] }),
                "Mutation analysis of the suite of each run",
            ),
        ),
        (
            "race",
            described(
                json!({ "anyOf": [{ "type": "boolean" }, table(&[
                    ("level", level.clone()), ("first", number(2)), ("every", number(1)),
                ])] }),
                "Drop configurations that are significantly worse than the best",
            ),
        ),
        (
            "stop",
            described(
                json!({ "anyOf": [{ "type": "boolean" }, table(&[
                    ("margin", level), ("first", number(Stop::MIN_FIRST)), ("every", number(1)),
                ])] }),
                "Execute seeds until every comparison of algorithms is decided",
            ),
        ),
    ]
}

fn budget() -> Value {
    let time = json!({ "type": "string", "pattern": "^ *[0-9.]+ *(ms|s|min|h) *$" });
    let number = json!({ "type": "integer", "minimum": 1 });
    let mut properties = Map::new();
    properties.insert("wall".to_owned(), described(time, "Real time, such as 10s"));
    let meaning = "Real time in milliseconds";
    properties.insert("wall_ms".to_owned(), described(number.clone(), meaning));
    for unit in units() {
        let meaning = unit.meaning();
        properties.insert(unit.name, described(number.clone(), &meaning));
    }
    described(
        json!({
            "type": "object", "minProperties": 1, "properties": properties,
            "additionalProperties": false,
        }),
        "What each run may spend; the first limit that is reached ends it",
    )
}

fn entries(kind: &dyn SubjectKind) -> Vec<Value> {
    let algorithms = kind.algorithms();
    let any = algorithms.iter().any(|algorithm| algorithm.name == ANY_ALGORITHM);
    let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name.as_str()).collect();
    let mut forms = vec![match any {
        true => json!({ "type": "string" }),
        false => json!({ "enum": names }),
    }];
    forms.extend(algorithms.iter().map(|algorithm| {
        let name = match algorithm.name.as_str() {
            ANY_ALGORITHM => json!({ "type": "string" }),
            name => json!({ "const": name, "description": algorithm.summary }),
        };
        let number = |least: u64| json!({ "type": "integer", "minimum": least });
        let mut entry = table(&[
            ("name", name),
            ("label", described(json!({ "type": "string" }), "Name in tables")),
            ("parameters", parameters(algorithm, any)),
            ("sample", described(number(1), "Number of configurations of a grid")),
            ("sample_seed", described(number(0), "Seed of the sample")),
        ]);
        entry["required"] = json!(["name"]);
        entry
    }));
    forms
}

fn merged(kind: &dyn SubjectKind) -> AlgorithmInfo {
    let mut all: Vec<ParameterInfo> = Vec::new();
    for parameter in kind.algorithms().into_iter().flat_map(|algorithm| algorithm.parameters) {
        if !all.iter().any(|known| known.name == parameter.name) {
            all.push(parameter);
        }
    }
    AlgorithmInfo { name: kind.name(), summary: String::new(), parameters: all }
}

/// A value may be a list, which makes a grid, and a name with a dot may also be a key of a nested
/// table. `open` permits other parameters, such as the parameters that an adapter declares.
fn parameters(algorithm: &AlgorithmInfo, open: bool) -> Value {
    let mut properties = Map::new();
    for parameter in &algorithm.parameters {
        let value = value_of(parameter);
        let forms = json!({ "anyOf": [value, { "type": "array", "minItems": 1, "items": value }] });
        let schema = described(forms, &parameter.meaning);
        match parameter.name.split_once('.') {
            None => drop(properties.insert(parameter.name.clone(), schema)),
            Some((group, name)) => {
                properties.insert(parameter.name.clone(), schema.clone());
                let group = properties.entry(group).or_insert_with(|| json!({ "type": "object" }));
                group["properties"][name] = schema;
            }
        }
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": open })
}

fn value_of(parameter: &ParameterInfo) -> Value {
    let mut schema = match &parameter.values {
        Values::Flag => json!({ "type": "boolean" }),
        Values::Integer { low, high: i64::MAX } => json!({ "type": "integer", "minimum": low }),
        Values::Integer { low, high } => {
            json!({ "type": "integer", "minimum": low, "maximum": high })
        }
        Values::Number { low, high } => {
            json!({ "type": "number", "minimum": low, "maximum": high })
        }
        Values::Choice { words } => json!({ "enum": words }),
        Values::Text => json!({ "type": ["string", "number", "boolean", "array", "object"] }),
    };
    if let Some(default) = parameter.default.as_ref().filter(|default| !is_empty(default)) {
        schema["default"] = json!(default);
    }
    schema
}

fn is_empty(value: &Parameter) -> bool {
    matches!(value, Parameter::Text(text) if text.is_empty())
}

fn adapter() -> Value {
    let text = || json!({ "type": "string" });
    let list = || json!({ "type": "array", "items": { "type": "string" } });
    let of = |kind: &str, more: &[(&str, Value)]| {
        let own = [&[("kind", json!({ "const": kind })), ("default", json!({}))], more].concat();
        let mut form = table(&own);
        form["required"] = json!(["kind"]);
        form
    };
    let whole = json!({ "type": "integer" });
    let number = json!({ "type": "number" });
    let mut choice = of("choice", &[("values", list())]);
    choice["required"] = json!(["kind", "values"]);
    let declaration = json!({ "anyOf": [
        choice, of("flag", &[]), of("text", &[]),
        of("integer", &[("min", whole.clone()), ("max", whole)]),
        of("number", &[("min", number.clone()), ("max", number)]),
    ] });
    let mut schema = table(&[
        ("contract", described(json!({ "const": 1 }), "Version of the contract with tools")),
        ("tool", described(text(), "Name of the tool")),
        ("version", described(text(), "Version of the tool")),
        ("python", described(text(), "Version of the Python that runs the tool")),
        ("environment", described(text(), "File or folder with the tool's pinned dependencies")),
        ("algorithms", described(list(), "Names of algorithms; any if left out")),
        ("budgets", described(list(), "Limits that the tool observes: units of work, or wall")),
        (
            "determinism",
            described(
                json!({ "enum": ["none", "logical", "always"] }),
                "Which runs give the same result again: none, those without real time, or all",
            ),
        ),
        ("mutation", described(json!({ "type": "boolean" }), "Executes its suites on mutants")),
        ("describe", described(json!({ "type": "boolean" }), "Describes projects")),
        (
            "variables",
            described(
                json!({ "type": "object", "additionalProperties": { "type": "string" } }),
                "Variables of the environment",
            ),
        ),
        ("parameters", json!({ "type": "object", "additionalProperties": declaration })),
    ]);
    schema["required"] = json!(["contract", "tool", "version"]);
    schema["$schema"] = json!(DIALECT);
    schema["title"] = json!("Adapter of an external tool for catherd");
    schema
}

/// Returns the schema of a table that has only these keys.
fn table(properties: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        properties.iter().map(|(key, schema)| ((*key).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn described(mut schema: Value, meaning: &str) -> Value {
    schema["description"] = json!(meaning);
    schema
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_key_of_the_schema_is_a_key_of_study_files() {
        let schema = study();
        let head = "projects = ['a']\nalgorithms = ['random']\nseeds = 1\nbudget.steps = 5\n";
        for key in schema["properties"].as_object().unwrap().keys() {
            let subject = format!("subject = '{key}'\n");
            let is_kind = crate::subjects::kind(key).is_ok();
            let text = match key.as_str() {
                "projects" | "algorithms" | "seeds" | "budget" => head.to_owned(),
                "subject" => format!("subject = 'scratch'\n{head}"),
                "name" => format!("name = 'x'\n{head}"),
                _ if is_kind => format!("{subject}{head}[{key}]\n"),
                _ => format!("{key} = true\n{head}"),
            };
            let study = catherd_experiments::Study::parse(&text, Path::new("x.toml"));
            assert!(study.is_ok(), "{key}: {}", study.unwrap_err());
        }
    }

    #[test]
    fn an_algorithm_has_its_own_parameters() {
        let schema = study();
        let scratch = &schema["allOf"][0]["then"]["properties"]["algorithms"]["items"]["anyOf"];
        let names = scratch[0]["enum"].as_array().unwrap();
        assert!(names.contains(&json!("mio")) && names.contains(&json!("explore")), "{names:?}");
        let of = |name: &str| {
            let forms = scratch.as_array().unwrap().iter();
            let named = |form: &&Value| form["properties"]["name"]["const"] == name;
            forms.clone().find(named).unwrap()["properties"]["parameters"]["properties"].clone()
        };
        assert!(of("mosa").get("population").is_some() && of("random").get("population").is_none());
        assert_eq!(of("mosa")["crossover"]["anyOf"][0]["maximum"], 1.0);
        assert!(of("mosa")["compat"]["properties"].is_object());
    }
}
