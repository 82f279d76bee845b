//! Values of parameters, checked against their descriptions.

use std::collections::BTreeMap;

use catherd_experiments::Parameter;
use catherd_interface::{FieldError, ParameterInfo, Values};

/// The values of all parameters of an algorithm.
pub(super) struct Settings(BTreeMap<String, Parameter>);

/// The error for a parameter that cannot be used.
pub(super) fn refused(
    name: &str,
    cause: impl Into<String>,
    advice: impl Into<String>,
) -> FieldError {
    FieldError { field: Some(name.to_owned()), cause: cause.into(), advice: advice.into() }
}

impl Settings {
    /// The values that a study sets, and the defaults of the others.
    pub(super) fn new(
        known: Vec<ParameterInfo>,
        set: &[(&String, &Parameter)],
    ) -> Result<Settings, FieldError> {
        for (name, value) in set {
            let Some(info) = known.iter().find(|info| info.name == **name) else {
                let names: Vec<_> = known.iter().map(|info| info.name.as_str()).collect();
                let cause = format!("unknown parameter `{name}`; there are {}", names.join(", "));
                return Err(refused(name, cause, "choose one of the parameters listed above"));
            };
            if !fits(value, &info.values) {
                let shown = shown(value);
                let cause = format!("parameter `{name}` is `{shown}`, but must be {}", info.values);
                return Err(refused(name, cause, "give a value that is allowed"));
            }
        }
        let mut values: BTreeMap<String, Parameter> =
            known.into_iter().filter_map(|info| Some((info.name, info.default?))).collect();
        values.extend(set.iter().map(|(name, value)| ((*name).clone(), (*value).clone())));
        Ok(Settings(values))
    }

    /// A value as a string; empty if the algorithm does not have the parameter.
    pub(super) fn text(&self, name: &str) -> String {
        self.0.get(name).map(shown).unwrap_or_default()
    }

    /// A value as a number; 1 if the algorithm does not have the parameter.
    pub(super) fn number(&self, name: &str) -> u64 {
        match self.0.get(name) {
            Some(Parameter::Integer(number)) => number.unsigned_abs(),
            _ => 1,
        }
    }
}

fn shown(value: &Parameter) -> String {
    match value {
        Parameter::Bool(flag) => flag.to_string(),
        Parameter::Integer(number) => number.to_string(),
        Parameter::Number(number) => number.to_string(),
        Parameter::Text(text) => text.clone(),
    }
}

fn fits(value: &Parameter, values: &Values) -> bool {
    match (values, value) {
        (Values::Flag, Parameter::Bool(_)) => true,
        (Values::Integer { low, high }, Parameter::Integer(number)) => {
            (low..=high).contains(&number)
        }
        (Values::Number { low, high }, Parameter::Number(number)) => (low..=high).contains(&number),
        (Values::Choice { words }, Parameter::Text(text)) => words.contains(text),
        (Values::Text, Parameter::Text(_) | Parameter::Integer(_)) => true,
        _ => false,
    }
}
