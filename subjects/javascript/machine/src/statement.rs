//! Statements of tests and their arguments.

use serde_json::{Value, json};

/// An argument of a call in a test. Numbers are compared as by `Object.is`.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The result of an earlier statement.
    Variable(usize),
    /// A number.
    Number(f64),
    /// A string.
    String(String),
    /// `true` or `false`.
    Boolean(bool),
    /// `null`.
    Null,
    /// `undefined`.
    Undefined,
    /// A whole number of any size, in decimal.
    BigInt(String),
    /// A new symbol with a description.
    Symbol(String),
    /// A regular expression with its flags.
    RegExp(String, String),
    /// A date in milliseconds.
    Date(f64),
    /// An array.
    Array(Vec<Argument>),
    /// A plain object.
    Object(Vec<(String, Argument)>),
    /// A `Map`.
    Map(Vec<(Argument, Argument)>),
    /// A `Set`.
    Set(Vec<Argument>),
    /// A function of the kind `constant`, `first`, `throws`, `writes`, `calls` or `passes`, and its
    /// value.
    Function(String, Box<Argument>),
    /// A promise, and whether it is rejected.
    Promise(Box<Argument>, bool),
    /// A collecting proxy with its number.
    Unknown(u32),
}

impl PartialEq for Argument {
    fn eq(&self, other: &Argument) -> bool {
        use Argument as A;
        match (self, other) {
            (A::Number(a), A::Number(b)) | (A::Date(a), A::Date(b)) => {
                a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
            }
            (A::Variable(a), A::Variable(b)) => a == b,
            (A::String(a), A::String(b))
            | (A::BigInt(a), A::BigInt(b))
            | (A::Symbol(a), A::Symbol(b)) => a == b,
            (A::Boolean(a), A::Boolean(b)) => a == b,
            (A::Null, A::Null) | (A::Undefined, A::Undefined) => true,
            (A::RegExp(a, flags), A::RegExp(b, others)) => (a, flags) == (b, others),
            (A::Array(a), A::Array(b)) | (A::Set(a), A::Set(b)) => a == b,
            (A::Object(a), A::Object(b)) => a == b,
            (A::Map(a), A::Map(b)) => a == b,
            (A::Function(a, result), A::Function(b, other)) => (a, result) == (b, other),
            (A::Promise(a, rejected), A::Promise(b, other)) => (a, rejected) == (b, other),
            (A::Unknown(a), A::Unknown(b)) => a == b,
            _ => false,
        }
    }
}

pub(crate) fn number_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        number.to_string()
    }
}

impl Argument {
    /// The JSON form in suites and in the prelude.
    pub fn to_json(&self) -> Value {
        let list = |items: &[Argument]| items.iter().map(Argument::to_json).collect::<Vec<_>>();
        match self {
            Argument::Variable(index) => json!(["variable", index]),
            Argument::Number(number) => json!(["number", number_text(*number)]),
            Argument::String(text) => json!(["string", text]),
            Argument::Boolean(is) => json!(["boolean", is]),
            Argument::Null => json!(["null"]),
            Argument::Undefined => json!(["undefined"]),
            Argument::BigInt(text) => json!(["bigint", text]),
            Argument::Symbol(text) => json!(["symbol", text]),
            Argument::RegExp(text, flags) => json!(["regexp", text, flags]),
            // An invalid date has the time NaN, which is not a number in JSON.
            Argument::Date(time) if time.is_nan() => json!(["date", "NaN"]),
            Argument::Date(time) => json!(["date", time]),
            Argument::Array(items) => json!(["array", list(items)]),
            Argument::Set(items) => json!(["set", list(items)]),
            Argument::Object(members) => {
                let pairs = members.iter().map(|(name, value)| json!([name, value.to_json()]));
                json!(["object", pairs.collect::<Vec<_>>()])
            }
            Argument::Map(members) => {
                let pairs =
                    members.iter().map(|(key, value)| json!([key.to_json(), value.to_json()]));
                json!(["map", pairs.collect::<Vec<_>>()])
            }
            Argument::Function(what, result) => json!(["function", what, result.to_json()]),
            Argument::Promise(value, rejected) => json!(["promise", value.to_json(), rejected]),
            Argument::Unknown(number) => json!(["unknown", number]),
        }
    }

    /// Reads the JSON form.
    pub fn from_json(value: &Value) -> Option<Argument> {
        let list = value.as_array()?;
        let data = list.get(1);
        let text = || data.and_then(Value::as_str).map(str::to_owned);
        let items =
            || data?.as_array()?.iter().map(Argument::from_json).collect::<Option<Vec<_>>>();
        Some(match list.first()?.as_str()? {
            "variable" => Argument::Variable(data?.as_u64()? as usize),
            "number" => Argument::Number(match text()?.as_str() {
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                text => text.parse().ok()?,
            }),
            "string" => Argument::String(text()?),
            "boolean" => Argument::Boolean(data?.as_bool()?),
            "null" => Argument::Null,
            "undefined" => Argument::Undefined,
            "bigint" => Argument::BigInt(text()?),
            "symbol" => Argument::Symbol(text()?),
            "regexp" => Argument::RegExp(text()?, list.get(2)?.as_str()?.to_owned()),
            "date" => Argument::Date(match data?.as_str() {
                Some("NaN") => f64::NAN,
                Some(_) => return None,
                None => data?.as_f64()?,
            }),
            "array" => Argument::Array(items()?),
            "set" => Argument::Set(items()?),
            "object" => {
                let pairs = data?.as_array()?.iter().map(|pair| {
                    let name = pair.get(0)?.as_str()?.to_owned();
                    Some((name, Argument::from_json(pair.get(1)?)?))
                });
                Argument::Object(pairs.collect::<Option<Vec<_>>>()?)
            }
            "map" => {
                let pairs = data?.as_array()?.iter().map(|pair| {
                    Some((Argument::from_json(pair.get(0)?)?, Argument::from_json(pair.get(1)?)?))
                });
                Argument::Map(pairs.collect::<Option<Vec<_>>>()?)
            }
            "function" => Argument::Function(text()?, Box::new(Argument::from_json(list.get(2)?)?)),
            "promise" => Argument::Promise(
                Box::new(Argument::from_json(data?)?),
                list.get(2)?.as_bool().unwrap_or(false),
            ),
            "unknown" => Argument::Unknown(data?.as_u64()? as u32),
            _ => return None,
        })
    }

    /// Calls a function with this argument and every nested argument.
    pub fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Argument)) {
        see(self);
        match self {
            Argument::Array(items) | Argument::Set(items) => {
                items.iter().for_each(|item| item.visit(see));
            }
            Argument::Object(members) => members.iter().for_each(|(_, item)| item.visit(see)),
            Argument::Map(members) => members.iter().for_each(|(key, item)| {
                key.visit(see);
                item.visit(see);
            }),
            Argument::Function(_, inner) | Argument::Promise(inner, _) => inner.visit(see),
            _ => {}
        }
    }

    /// Like [`visit`](Argument::visit), but the function may change the arguments.
    pub fn visit_mut(&mut self, see: &mut dyn FnMut(&mut Argument)) {
        see(self);
        match self {
            Argument::Array(items) | Argument::Set(items) => {
                items.iter_mut().for_each(|item| item.visit_mut(see));
            }
            Argument::Object(members) => {
                members.iter_mut().for_each(|(_, item)| item.visit_mut(see));
            }
            Argument::Map(members) => members.iter_mut().for_each(|(key, item)| {
                key.visit_mut(see);
                item.visit_mut(see);
            }),
            Argument::Function(_, inner) | Argument::Promise(inner, _) => inner.visit_mut(see),
            _ => {}
        }
    }
}

/// The operation of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Constructs an instance of the class at a path.
    New,
    /// Calls the function at a path.
    Call,
    /// Calls a method of a variable.
    Method,
    /// Reads a property of a variable.
    Get,
    /// Writes a property of a variable.
    Set,
    /// Evaluates code, in examples only.
    Code,
    /// Makes a value, which is the only argument.
    Value,
}

impl Operation {
    const ALL: [(Operation, &'static str); 7] = [
        (Operation::New, "new"),
        (Operation::Call, "call"),
        (Operation::Method, "method"),
        (Operation::Get, "get"),
        (Operation::Set, "set"),
        (Operation::Code, "code"),
        (Operation::Value, "value"),
    ];

    fn name(self) -> &'static str {
        Operation::ALL.iter().find(|(op, _)| *op == self).map_or("", |(_, name)| name)
    }
}

/// A statement of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The operation.
    pub operation: Operation,
    /// The names of members that lead from the exports to the constructor or function; for code,
    /// the code.
    pub path: Vec<String>,
    /// The variable whose member is used.
    pub receiver: usize,
    /// The member, or the name of the variable in examples.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// Whether a promise is awaited.
    pub awaits: bool,
}

impl Statement {
    /// The JSON form in suites and in the prelude.
    pub fn to_json(&self) -> Value {
        let arguments: Vec<Value> = self.arguments.iter().map(Argument::to_json).collect();
        let op = self.operation.name();
        match self.operation {
            Operation::New | Operation::Call => {
                json!({"op": op, "path": self.path, "arguments": arguments, "await": self.awaits})
            }
            Operation::Code => {
                let name = Some(&self.name).filter(|name| !name.is_empty());
                json!({"op": op, "code": self.path.first(), "name": name, "await": self.awaits})
            }
            Operation::Value => json!({"op": op, "arguments": arguments}),
            _ => json!({"op": op, "receiver": self.receiver, "name": self.name,
                "arguments": arguments, "await": self.awaits}),
        }
    }

    /// Reads the JSON form.
    pub fn from_json(value: &Value) -> Option<Statement> {
        let op = value.get("op")?.as_str()?;
        let operation = Operation::ALL.iter().find(|(_, name)| *name == op)?.0;
        let texts = |key: &str| {
            let list = value.get(key)?.as_array()?;
            list.iter().map(|each| Some(each.as_str()?.to_owned())).collect::<Option<Vec<_>>>()
        };
        let arguments = value.get("arguments").and_then(Value::as_array);
        let arguments = arguments.map_or(&[][..], Vec::as_slice);
        Some(Statement {
            operation,
            path: texts("path").unwrap_or_default(),
            receiver: value.get("receiver").and_then(Value::as_u64).unwrap_or(0) as usize,
            name: value.get("name").and_then(Value::as_str).unwrap_or("").to_owned(),
            arguments: arguments.iter().map(Argument::from_json).collect::<Option<_>>()?,
            awaits: value.get("await").and_then(Value::as_bool).unwrap_or(false),
        })
    }

    /// The variables that the statement uses.
    pub fn variables(&self) -> Vec<usize> {
        let mut used = Vec::new();
        if matches!(self.operation, Operation::Method | Operation::Get | Operation::Set) {
            used.push(self.receiver);
        }
        for argument in &self.arguments {
            argument.visit(&mut |inner| {
                if let Argument::Variable(index) = inner {
                    used.push(*index);
                }
            });
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_equal_what_is_read_from_their_own_text() {
        let numbers = [f64::NAN, -0.0, 0.0, f64::NEG_INFINITY, 1e300].map(Argument::Number);
        let list = [&numbers[..], &[Argument::Date(f64::NAN), Argument::Date(5.0)]].concat();
        let whole = Argument::Map(vec![(Argument::Array(list), Argument::Undefined)]);
        assert_eq!(Argument::from_json(&whole.to_json()), Some(whole));
        assert_ne!(Argument::Number(0.0), Argument::Number(-0.0));
    }
}
