//! The table of a study file that is named after the subject kind: default parameters of all
//! algorithms.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::algorithms::{CRITERIA, Configuration};
use super::{STUDY_KEYS, Source, Value, kind};
use crate::Parameter;
use crate::study::StudyError;

pub(super) fn table<'a>(root: &'a DeTable<'_>) -> Option<&'a str> {
    let subject = root.get("subject")?.get_ref().as_str()?;
    Some(subject).filter(|kind| !STUDY_KEYS.contains(kind))
}

impl Source<'_> {
    pub(super) fn add_defaults(
        &self,
        root: &DeTable<'_>,
        configurations: &mut [Configuration],
    ) -> Result<(), StudyError> {
        let Some((name, value)) = table(root).and_then(|name| Some((name, root.get(name)?))) else {
            return Ok(());
        };
        let DeValue::Table(table) = value.get_ref() else {
            let problem = format!("{} is not a table", kind(value.get_ref()));
            return self.fail(value.span(), name, problem, &format!("write a table [{name}]"));
        };
        let mut defaults = Vec::new();
        self.read_defaults(name, "", table, &mut defaults)?;
        for configuration in configurations {
            for (parameter, value, span) in &defaults {
                let parameters = &mut configuration.algorithm.parameters;
                if !parameters.contains_key(parameter) {
                    parameters.insert(parameter.clone(), value.clone());
                    configuration.values.insert(parameter.clone(), span.clone());
                }
            }
        }
        Ok(())
    }

    /// The name of a nested table becomes a prefix of the names of its parameters.
    fn read_defaults(
        &self,
        place: &str,
        prefix: &str,
        table: &DeTable<'_>,
        defaults: &mut Vec<(String, Parameter, Range<usize>)>,
    ) -> Result<(), StudyError> {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let field = format!("{place}.{name}");
            let parameter = match value.get_ref() {
                DeValue::Table(table) => {
                    self.read_defaults(place, &format!("{name}."), table, defaults)?;
                    continue;
                }
                DeValue::Array(words) if name != CRITERIA => self.words(&field, value, words)?,
                _ => self.parameter(&field, value)?,
            };
            defaults.push((name, parameter, value.span()));
        }
        Ok(())
    }

    fn words(
        &self,
        field: &str,
        list: &Value<'_>,
        words: &[Value<'_>],
    ) -> Result<Parameter, StudyError> {
        let strings: Option<Vec<&str>> = words.iter().map(|word| word.get_ref().as_str()).collect();
        match strings {
            Some(strings) => Ok(Parameter::Text(strings.join(", "))),
            None => {
                let advice = "list words, or set a grid in the parameters of an algorithm";
                self.fail(list.span(), field, "not all values are words", advice)
            }
        }
    }
}
