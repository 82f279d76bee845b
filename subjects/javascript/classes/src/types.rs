//! Types of parameters, inferred from their uses in executed tests and from default values, names
//! and comments.

use std::collections::BTreeMap;

use catherd_javascript_machine::instrument::DefaultValue;
use catherd_javascript_machine::{Evidence, Program};
use catherd_search::Stream;

use crate::model::Model;

/// A type of values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// A number.
    Number,
    /// A string.
    String,
    /// `true` or `false`.
    Boolean,
    /// `null`.
    Null,
    /// `undefined`.
    Undefined,
    /// A whole number of any size.
    BigInt,
    /// A symbol.
    Symbol,
    /// A regular expression.
    RegExp,
    /// A date.
    Date,
    /// A promise.
    Promise,
    /// An array.
    Array,
    /// A `Map`.
    Map,
    /// A `Set`.
    Set,
    /// A function.
    Function,
    /// An instance of a class, by its number.
    Class(usize),
    /// A plain object.
    Object,
}

/// Built-in types, each with members that are evidence for the type.
const BUILT_IN: [(Type, &str); 8] = [
    (
        Type::Array,
        "length concat copyWithin entries every fill filter find findIndex flat flatMap forEach \
         includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice \
         some sort splice unshift values at",
    ),
    (
        Type::String,
        "length charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf \
         localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search \
         slice split startsWith substr substring toLowerCase toUpperCase trim trimEnd trimStart at",
    ),
    (Type::Map, "clear delete entries forEach get has keys set size values"),
    (Type::Set, "add clear delete entries forEach has keys size values"),
    (
        Type::Date,
        "getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds getTime \
         setDate setFullYear setHours setMinutes setMonth toISOString toUTCString",
    ),
    (Type::RegExp, "exec test source flags lastIndex global"),
    (Type::Promise, "then catch finally"),
    (Type::Number, "toExponential toFixed toPrecision"),
];
const FUNCTION: &str = "apply bind call";

/// Members by which profile `flycatcher` recognises numbers and strings.
const F_NUMBER: &str = "toExponential toFixed toPrecision";
const F_STRING: &str = "length charAt charCodeAt concat indexOf lastIndexOf localeCompare match \
    quote replace search slice split substr substring toLocaleLowerCase toLocaleUpperCase \
    toLowerCase toUpperCase trim trimLeft trimRight";

fn lists(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|each| each == name)
}

/// Evidence about the type of a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// Number of calls of its function in executed tests.
    pub uses: u64,
    /// The evidence of all these tests together.
    pub evidence: Evidence,
    /// Points in addition to those of the evidence, such as points of default values and comments.
    pub points: BTreeMap<Type, f64>,
    /// The type that profile `flycatcher` has inferred.
    pub inferred: Option<Inferred>,
}

/// A type that profile `flycatcher` inferred.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// The type; `None` if no known type has the members.
    pub type_: Option<Type>,
    /// Whether the type was drawn at random, because there was no evidence.
    pub unsure: bool,
}

impl Knowledge {
    /// Adds the evidence of a test.
    pub fn add(&mut self, seen: &Evidence) {
        merge(&mut self.evidence, seen);
    }

    /// The type by the rules of the thesis (profile `flycatcher`). `rng` is used only if there is
    /// no evidence.
    pub fn infer(&self, model: &Model, rng: &mut Stream) -> Inferred {
        let sure = |type_| Inferred { type_, unsure: false };
        let members: Vec<&String> = self.evidence.members.keys().collect();
        if !members.is_empty() {
            let matching = |number: usize| {
                members.iter().filter(|name| model.classes[number].has(name)).count()
            };
            let best = (0..model.classes.len()).map(|number| (matching(number), number));
            // Take the first class with the maximum.
            let best = best.fold((0, 0), |best, each| if each.0 > best.0 { each } else { best });
            return sure(if best.0 > 0 {
                Some(Type::Class(best.1))
            } else if members.iter().any(|name| lists(F_NUMBER, name)) {
                Some(Type::Number)
            } else if members.iter().any(|name| lists(F_STRING, name)) {
                Some(Type::String)
            } else {
                None
            });
        }
        let (number, string) = (score(&self.evidence, "number"), score(&self.evidence, "string"));
        if number > 0 || string > 0 {
            return sure(Some(if number >= string { Type::Number } else { Type::String }));
        }
        let type_ = if rng.chance(0.5) { Type::Number } else { Type::String };
        Inferred { type_: Some(type_), unsure: true }
    }

    /// Whether executed tests have provided evidence about the type.
    pub fn has_evidence(&self) -> bool {
        !self.evidence.members.is_empty() || self.evidence.scores.values().any(|score| *score > 0)
    }

    /// Points by type (profile `scored`); types without evidence are absent.
    pub fn scored(&self, model: &Model) -> BTreeMap<Type, f64> {
        points(&self.evidence, self.points.clone(), model)
    }

    pub(crate) fn points_of(&self, type_: &Type, model: &Model) -> f64 {
        self.scored(model).get(type_).copied().unwrap_or(0.0)
    }

    /// Whether the type may be inferred by the rule of the thesis' draft.
    pub fn is_due_by_draft(&self) -> bool {
        self.evidence.members.len() > 2
            || self.evidence.scores.values().any(|score| *score > 10)
            || self.uses > 15
    }

    /// The type with the most points; `None` without evidence.
    pub fn best(&self, model: &Model) -> Option<Type> {
        best(&self.scored(model))
    }
}

/// The type with the most points; the first if there are several.
pub(crate) fn best(points: &BTreeMap<Type, f64>) -> Option<Type> {
    let best = points.iter().fold(None, |best: Option<(&Type, f64)>, (type_, points)| match best {
        Some((_, most)) if most >= *points => best,
        _ => Some((type_, *points)),
    });
    best.map(|(type_, _)| type_.clone())
}

fn score(evidence: &Evidence, type_: &str) -> u64 {
    evidence.scores.get(type_).copied().unwrap_or(0)
}

/// Maximum number of access paths that are kept for a parameter.
const MAX_PATHS: usize = 64;

fn merge(into: &mut Evidence, from: &Evidence) {
    let add = |into: &mut BTreeMap<String, u64>, from: &BTreeMap<String, u64>| {
        for (name, count) in from {
            *into.entry(name.clone()).or_default() += count;
        }
    };
    add(&mut into.members, &from.members);
    add(&mut into.called, &from.called);
    add(&mut into.written, &from.written);
    add(&mut into.scores, &from.scores);
    add(&mut into.more, &from.more);
    into.arity = into.arity.max(from.arity);
    into.traps += from.traps;
    for (path, evidence) in &from.paths {
        if into.paths.len() < MAX_PATHS || into.paths.contains_key(path) {
            merge(into.paths.entry(path.clone()).or_default(), evidence);
        }
    }
}

/// Points by type from evidence, added to other points (profile `scored`).
pub(crate) fn points(
    evidence: &Evidence,
    mut points: BTreeMap<Type, f64>,
    model: &Model,
) -> BTreeMap<Type, f64> {
    let mut add = |type_: Type, n: f64| *points.entry(type_).or_default() += n;
    add(Type::Number, score(evidence, "number") as f64);
    add(Type::String, score(evidence, "string") as f64);
    for (name, count) in &evidence.members {
        let called = evidence.called.get(name).copied().unwrap_or(0) as f64;
        let written = evidence.written.get(name).copied().unwrap_or(0) as f64;
        let read = (*count as f64 - called - written).max(0.0);
        for (number, class) in model.classes.iter().enumerate() {
            if class.has(name) {
                add(Type::Class(number), 4.0 * (read + written) + 6.0 * called);
            }
        }
        for (type_, list) in &BUILT_IN {
            if lists(list, name) {
                let of_length = name == "length" && *type_ == Type::Array;
                add(type_.clone(), if of_length { 4.0 } else { 2.0 } * read + 3.0 * called);
            }
        }
        if lists(FUNCTION, name) {
            add(Type::Function, 2.0 * read + 3.0 * called);
        }
        add(Type::Object, read + called + 3.0 * written);
    }
    for (what, count) in &evidence.more {
        let n = *count as f64;
        match what.split_once(':') {
            Some(("typeof", name)) => {
                if let Some(type_) = named(name, model) {
                    add(type_, 10.0 * n);
                }
            }
            Some(("instanceof", name)) => {
                if let Some(type_) = named(name, model) {
                    add(type_, 10.0 * n);
                }
            }
            Some(("equals", "null")) => add(Type::Null, n),
            Some(("equals", name)) => {
                if let Some(type_) = named(name, model) {
                    add(type_, 3.0 * n);
                }
            }
            Some(("passed", name)) => {
                if let Some(type_) = named(name, model) {
                    add(type_, 3.0 * n);
                }
            }
            Some(("plus", name)) => {
                if let Some(type_) = named(name, model) {
                    add(type_, n);
                }
            }
            _ => match what.as_str() {
                "truth" => add(Type::Boolean, n),
                "isArray" => add(Type::Array, 10.0 * n),
                "applied" => add(Type::Function, 10.0 * n),
                "index" => {
                    add(Type::Array, 4.0 * n);
                    add(Type::String, 2.0 * n);
                }
                "iterated" => {
                    add(Type::Array, 5.0 * n);
                    for type_ in [Type::String, Type::Set, Type::Map] {
                        add(type_, n);
                    }
                }
                "keys" => add(Type::Object, 3.0 * n),
                "then" => add(Type::Promise, 5.0 * n),
                "asText" => add(Type::String, n),
                _ => {}
            },
        }
    }
    points.retain(|_, points| *points > 0.0);
    points
}

/// A type by its name in `typeof`, a constructor or a comment.
pub fn named(name: &str, model: &Model) -> Option<Type> {
    Some(match name {
        "number" | "Number" | "int" | "integer" | "float" => Type::Number,
        "string" | "String" => Type::String,
        "boolean" | "Boolean" | "bool" => Type::Boolean,
        "null" => Type::Null,
        "undefined" => Type::Undefined,
        "bigint" | "BigInt" => Type::BigInt,
        "symbol" | "Symbol" => Type::Symbol,
        "function" | "Function" => Type::Function,
        "object" | "Object" => Type::Object,
        "array" | "Array" => Type::Array,
        "Map" => Type::Map,
        "Set" => Type::Set,
        "Date" => Type::Date,
        "RegExp" => Type::RegExp,
        "Promise" => Type::Promise,
        _ => Type::Class(model.classes.iter().position(|class| class.name == name)?),
    })
}

/// The name of a type in reports.
pub fn type_name(type_: &Type, model: &Model) -> String {
    let text = match type_ {
        Type::Class(number) => return model.classes[*number].name.clone(),
        Type::Number => "number",
        Type::String => "string",
        Type::Boolean => "boolean",
        Type::Null => "null",
        Type::Undefined => "undefined",
        Type::BigInt => "bigint",
        Type::Symbol => "symbol",
        Type::RegExp => "regexp",
        Type::Date => "date",
        Type::Promise => "promise",
        Type::Array => "array",
        Type::Map => "map",
        Type::Set => "set",
        Type::Function => "function",
        Type::Object => "object",
    };
    text.to_owned()
}

/// Evidence from default values, names and comments for each parameter of all targets (profile
/// `scored`).
pub fn from_text(program: &Program, model: &Model) -> Vec<Knowledge> {
    let mut knowledge = vec![Knowledge::default(); model.parameters];
    for target in &model.targets {
        let function = target.function.and_then(|f| program.units.functions.get(f as usize));
        let comment = function.map_or("", |function| function.comment.as_str());
        for (index, parameter) in target.parameters.iter().enumerate() {
            let points = &mut knowledge[target.first_parameter + index].points;
            let mut add = |type_: Type, n: f64| *points.entry(type_).or_default() += n;
            match parameter.default {
                Some(DefaultValue::Number) => add(Type::Number, 5.0),
                Some(DefaultValue::String) => add(Type::String, 5.0),
                Some(DefaultValue::Boolean) => add(Type::Boolean, 5.0),
                Some(DefaultValue::Array) => add(Type::Array, 5.0),
                Some(DefaultValue::Object) => add(Type::Object, 5.0),
                Some(DefaultValue::Function) => add(Type::Function, 5.0),
                Some(DefaultValue::Other) | None => {}
            }
            match parameter.name.as_str() {
                "n" | "i" | "count" | "index" => add(Type::Number, 1.0),
                "s" | "str" | "name" => add(Type::String, 1.0),
                "cb" | "fn" | "callback" => add(Type::Function, 1.0),
                "arr" | "list" => add(Type::Array, 1.0),
                "opts" | "options" | "{}" => add(Type::Object, 1.0),
                "[]" => add(Type::Array, 1.0),
                _ => {}
            }
            for type_ in documented(comment, &parameter.name, model) {
                add(type_, 8.0);
            }
        }
    }
    knowledge
}

/// The types of a parameter according to `@param {T} name`.
fn documented(comment: &str, parameter: &str, model: &Model) -> Vec<Type> {
    let mut types = Vec::new();
    for part in comment.split("@param").skip(1) {
        let Some((type_, rest)) =
            part.trim_start().strip_prefix('{').and_then(|t| t.split_once('}'))
        else {
            continue;
        };
        let name = rest.trim_start().trim_start_matches('[');
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        if &name[..end.unwrap_or(name.len())] != parameter {
            continue;
        }
        for each in type_.split('|') {
            let each = each.trim().trim_matches(['(', ')', '?', '!', '=']);
            let base = each.split(['<', '.']).next().unwrap_or(each);
            if each.ends_with("[]") {
                types.push(Type::Array);
            } else {
                types.extend(named(base, model));
            }
        }
    }
    types
}
