//! The configurations of a study file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Source, Value, decimal, kind};
use crate::plan::check::MAX_ALGORITHMS;
use crate::study::StudyError;
use crate::study::check::{self, Flaw, flaw};
use crate::study::grid::{self, Axis, Grid, Sample};
use crate::{Algorithm, Parameter};

pub(super) const ALGORITHM_KEYS: &[&str] =
    &["name", "label", "parameters", "sample", "sample_seed"];

/// The parameter whose value may be a list of words. Its grid is a list of lists.
pub(super) const CRITERIA: &str = "criteria";

fn is_one_value(name: &str, entries: &[Value<'_>]) -> bool {
    let is_list = |entry: &Value<'_>| matches!(entry.get_ref(), DeValue::Array(_));
    name == CRITERIA && !entries.is_empty() && !entries.iter().any(is_list)
}

pub(super) struct Configuration {
    pub(super) algorithm: Algorithm,
    pub(super) entry: Range<usize>,
    pub(super) values: BTreeMap<String, Range<usize>>,
}

impl Source<'_> {
    pub(super) fn algorithms(&self, root: &DeTable<'_>) -> Result<Vec<Configuration>, StudyError> {
        let advice = "list at least one, such as [\"random\"]";
        let value = self.required(root, "algorithms", advice)?;
        let mut configurations = Vec::new();
        for entry in self.non_empty(value, "algorithms", "no algorithms", advice)? {
            configurations.extend(self.entry(entry)?);
            if configurations.len() > MAX_ALGORITHMS {
                let found = configurations.len();
                let problem =
                    format!("{found} configurations are more than the maximum of {MAX_ALGORITHMS}");
                return self.fail(entry.span(), "algorithms", problem, "divide the study");
            }
        }
        self.add_defaults(root, &mut configurations)?;
        let algorithms: Vec<_> = configurations.iter().map(|one| one.algorithm.clone()).collect();
        check::algorithms(&algorithms).map_err(|(number, flaw)| {
            self.error(configurations[number].entry.clone(), "algorithms", flaw)
        })?;
        Ok(configurations)
    }

    fn entry(&self, value: &Value<'_>) -> Result<Vec<Configuration>, StudyError> {
        let entry = value.span();
        let table = match value.get_ref() {
            DeValue::String(name) => {
                let algorithm = Algorithm::plain(name);
                return Ok(vec![Configuration { algorithm, entry, values: BTreeMap::new() }]);
            }
            DeValue::Table(table) => table,
            other => {
                return self.fail(
                    entry,
                    "algorithms",
                    format!("{} is neither a name nor a table", kind(other)),
                    "write \"mosa\" or { name = \"mosa\", label = \"...\", parameters = { ... } }",
                );
            }
        };
        self.known_keys(table, "algorithms.", ALGORITHM_KEYS)?;
        let Some(name) = table.get("name") else {
            let advice = "add name = \"...\"";
            return self.fail(entry, "algorithms.name", "missing", advice);
        };
        let name = self.word(name, "algorithms.name")?;
        let label = table.get("label").map(|label| self.word(label, "algorithms.label"));
        let label = label.transpose()?.unwrap_or_else(|| name.clone());
        let parameters = table.get("parameters");
        let grid = Grid(parameters.map_or(Ok(Vec::new()), |value| self.parameters(value))?);
        let sample = self.sample(table, &grid)?;
        let numbers = grid.numbers(sample).map_err(|flaw| {
            let key = if sample.is_some() { "sample" } else { "parameters" };
            let place = table.get(key).map_or(entry.clone(), Value::span);
            self.error(place, &format!("algorithms.{key}"), flaw)
        })?;
        let configurations = numbers.into_iter().map(|number| {
            let combination = grid.combination(number);
            let label = grid::label(&label, &combination);
            let (mut parameters, mut values) = (BTreeMap::new(), BTreeMap::new());
            for (axis, (value, span)) in combination {
                parameters.insert(axis.name.clone(), value.clone());
                values.insert(axis.name.clone(), span.clone());
            }
            let algorithm = Algorithm { label, name: name.clone(), parameters };
            Configuration { algorithm, entry: entry.clone(), values }
        });
        Ok(configurations.collect())
    }

    fn sample(&self, table: &DeTable<'_>, grid: &Grid) -> Result<Option<Sample>, StudyError> {
        let size = self.number(table, "algorithms", "sample", check::positive)?;
        let seed = self.number(table, "algorithms", "sample_seed", check::seed)?;
        let misplaced = |key: &str, problem: &str, advice: &str| {
            let place = table.get(key).map_or(0..0, Value::span);
            self.fail(place, &format!("algorithms.{key}"), problem, advice)
        };
        match (size, seed) {
            (Some(_), _) if !grid.has_lists() => misplaced(
                "sample",
                "no parameter is a list",
                "give lists of values, such as parameters = { population = [10, 50] }",
            ),
            (Some(size), seed) => Ok(Some(Sample { size, seed: seed.unwrap_or(0) })),
            (None, Some(_)) => misplaced(
                "sample_seed",
                "there is no sample",
                "add the number of configurations, such as sample = 100",
            ),
            (None, None) => Ok(None),
        }
    }

    fn parameters(&self, value: &Value<'_>) -> Result<Vec<Axis>, StudyError> {
        let DeValue::Table(table) = value.get_ref() else {
            let problem = format!("{} is not a table", kind(value.get_ref()));
            let advice = "write { population = 10 }";
            return self.fail(value.span(), "algorithms.parameters", problem, advice);
        };
        let mut parameters = Vec::new();
        self.add_parameters("", table, &mut parameters)?;
        parameters.sort_by_key(|(place, _)| *place);
        let mut known = BTreeSet::new();
        if let Some((_, axis)) = parameters.iter().find(|(_, axis)| !known.insert(&axis.name)) {
            let field = format!("algorithms.parameters.{}", axis.name);
            return self.fail(value.span(), &field, "given twice", "give each parameter once");
        }
        Ok(parameters.into_iter().map(|(_, axis)| axis).collect())
    }

    /// The name of a nested table becomes a prefix of the names of its parameters: `compat.x`.
    fn add_parameters(
        &self,
        prefix: &str,
        table: &DeTable<'_>,
        parameters: &mut Vec<(usize, Axis)>,
    ) -> Result<(), StudyError> {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let (values, is_list) = match value.get_ref() {
                DeValue::Table(table) => {
                    self.add_parameters(&format!("{name}."), table, parameters)?;
                    continue;
                }
                DeValue::Array(entries) if !is_one_value(&name, entries) => {
                    (self.list(&name, value, entries)?, true)
                }
                _ => {
                    let field = format!("algorithms.parameters.{name}");
                    (vec![(self.parameter(&field, value)?, value.span())], false)
                }
            };
            parameters.push((key.span().start, Axis { name, values, is_list }));
        }
        Ok(())
    }

    fn list(
        &self,
        name: &str,
        list: &Value<'_>,
        entries: &[Value<'_>],
    ) -> Result<Vec<grid::Value>, StudyError> {
        let field = format!("algorithms.parameters.{name}");
        if entries.is_empty() {
            return self.fail(list.span(), &field, "no values", "list at least one value");
        }
        let mut values: Vec<grid::Value> = Vec::new();
        let mut known = BTreeSet::new();
        for entry in entries {
            let value = self.parameter(&field, entry)?;
            // Values that look the same in labels, such as 1, 1.0 and "1", count as equal.
            let text = grid::short(&value);
            if !known.insert(text.clone()) {
                let problem = format!("{text} is given twice");
                return self.fail(entry.span(), &field, problem, "list each value once");
            }
            values.push((value, entry.span()));
        }
        Ok(values)
    }

    /// Messages call the parameter `field`.
    pub(super) fn parameter(
        &self,
        field: &str,
        value: &Value<'_>,
    ) -> Result<Parameter, StudyError> {
        let parameter = match value.get_ref() {
            DeValue::Boolean(flag) => Some(Parameter::Bool(*flag)),
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(Parameter::Integer)
            }
            DeValue::Float(number) => number.as_str().parse().ok().map(Parameter::Number),
            DeValue::String(text) => Some(Parameter::Text(text.to_string())),
            DeValue::Array(words) if field.ends_with(&format!(".{CRITERIA}")) => {
                let words: Option<Vec<&str>> =
                    words.iter().map(|it| it.get_ref().as_str()).collect();
                words
                    .filter(|words| !words.is_empty())
                    .map(|words| Parameter::Text(words.join(",")))
            }
            _ => None,
        };
        let advice = "give a number, a word, true or false";
        let flawed: Result<Parameter, Flaw> = match parameter {
            Some(Parameter::Number(number)) if !number.is_finite() => {
                flaw(format!("{} is not finite", decimal(value)), "give an ordinary number")
            }
            Some(parameter) => Ok(parameter),
            None => flaw(format!("{} cannot be a parameter", kind(value.get_ref())), advice),
        };
        flawed.map_err(|flaw| self.error(value.span(), field, flaw))
    }
}
