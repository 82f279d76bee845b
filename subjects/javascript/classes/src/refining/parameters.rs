//! Names of parameters that explain a number or a flag.

use std::collections::BTreeMap;

use catherd_javascript_machine::{Operation, Statement};

use crate::model::{Model, TargetKind};

/// The names of parameters, by function (`a.b`) or method (`#m`); names that explain nothing are
/// empty.
pub type Parameters = BTreeMap<String, Vec<String>>;

/// Whether the name of a parameter explains a flag or a number.
pub(super) fn is_telling(name: &str) -> bool {
    const OTHERS: [&str; 16] = [
        "arg", "args", "num", "number", "val", "value", "other", "input", "data", "flag", "bool",
        "param", "int", "integer", "float", "boolean",
    ];
    name.len() > 2
        && name.chars().all(|c| c.is_ascii_alphabetic())
        && !OTHERS.contains(&name.to_lowercase().as_str())
}

/// The function or method that a statement calls, as a key.
pub(crate) fn key(statement: &Statement) -> Option<String> {
    match statement.operation {
        Operation::Method => Some(format!("#{}", statement.name)),
        Operation::New | Operation::Call => Some(of_path(&statement.path)),
        _ => None,
    }
}

fn of_path(path: &[String]) -> String {
    let names = path.iter().filter(|name| *name != "default").map(String::as_str);
    names.collect::<Vec<_>>().join(".")
}

pub(super) fn of(model: &Model) -> Parameters {
    let mut found = Parameters::new();
    for target in &model.targets {
        let key = match target.kind {
            TargetKind::Function | TargetKind::Constructor => of_path(&target.path),
            TargetKind::Method => format!("#{}", target.member),
            _ => continue,
        };
        let names = target.parameters.iter().map(|it| match is_telling(&it.name) {
            true => it.name.clone(),
            false => String::new(),
        });
        let names: Vec<String> = names.collect();
        let known = found.entry(key).or_insert_with(|| names.clone());
        // Several methods may have the same name.
        known.truncate(names.len());
        for (known, name) in known.iter_mut().zip(names) {
            if *known != name {
                known.clear();
            }
        }
    }
    found.retain(|_, names| names.iter().any(|name| !name.is_empty()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_flag_is_for() {
        assert!(["size", "includeZeros", "max"].iter().all(|name| is_telling(name)));
        assert!(["n", "value", "a1", "{}", "...rest"].iter().all(|name| !is_telling(name)));
    }
}
