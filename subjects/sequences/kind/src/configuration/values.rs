//! Values of parameters, checked against their descriptions.

use std::collections::BTreeMap;

use catherd_experiments::{Parameter, instead};
use catherd_interface::{FieldError, ParameterInfo, Values};

pub(super) struct Settings(BTreeMap<String, Parameter>);

pub(super) fn refused(
    name: &str,
    cause: impl Into<String>,
    advice: impl Into<String>,
) -> FieldError {
    FieldError { field: Some(name.to_owned()), cause: cause.into(), advice: advice.into() }
}

impl Settings {
    pub(super) fn new(
        known: Vec<ParameterInfo>,
        set: &[(&String, &Parameter)],
    ) -> Result<Settings, FieldError> {
        for (name, value) in set {
            let Some(info) = known.iter().find(|info| info.name == **name) else {
                let names: Vec<_> = known.iter().map(|info| info.name.as_str()).collect();
                return Err(FieldError::unknown_parameter(name, &names));
            };
            if !fits(value, &info.values) {
                let shown = shown(value);
                let cause = format!("parameter `{name}` is `{shown}`, but must be {}", info.values);
                let advice = match &info.values {
                    Values::Choice { words } => instead(&shown, words),
                    values => format!("give {values}"),
                };
                return Err(refused(name, cause, advice));
            }
        }
        let mut values: BTreeMap<String, Parameter> =
            known.into_iter().filter_map(|info| Some((info.name, info.default?))).collect();
        values.extend(set.iter().map(|(name, value)| ((*name).clone(), (*value).clone())));
        Ok(Settings(values))
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.0.get(name).map(shown).unwrap_or_default()
    }

    pub(super) fn number(&self, name: &str) -> u64 {
        self.whole(name).unwrap_or(1)
    }

    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            Parameter::Integer(number) => Some(number.unsigned_abs()),
            _ => None,
        }
    }

    pub(super) fn real(&self, name: &str) -> Option<f64> {
        match self.0.get(name)? {
            Parameter::Integer(number) => Some(*number as f64),
            Parameter::Number(number) => Some(*number),
            _ => None,
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
        (Values::Number { low, high }, Parameter::Integer(number)) => {
            (*low..=*high).contains(&(*number as f64))
        }
        (Values::Choice { words }, Parameter::Text(text)) => words.contains(text),
        (Values::Text, Parameter::Text(_) | Parameter::Integer(_)) => true,
        _ => false,
    }
}
