//! Reads a study from a TOML file without Serde, because errors must contain lines and advice.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check::{self, Flaw, flaw};
use super::{ProjectSource, SourceLocation, Study, StudyError};
use crate::{ASSERTIONS, Algorithm, Budget, Mutation, Race, Stop};

mod algorithms;
mod defaults;
mod keys;

const STUDY_KEYS: &[&str] = &[
    "name",
    "subject",
    "projects",
    "algorithms",
    "seeds",
    "budget",
    "assertions",
    "mutation",
    "race",
    "stop",
];
const REAL_TIME: &[&str] = &["wall", "wall_ms"];
/// Keys of synthetic projects. A subject kind may support only some of them.
const SHAPE_KEYS: &[&str] = &["threads", "events", "depth", "density"];
const MUTATION_KEYS: &[&str] = &["operators", "sample", "seed", "block_factor"];
const RACE_KEYS: &[&str] = &["level", "first", "every"];
const STOP_KEYS: &[&str] = &["margin", "first", "every"];

/// Each project takes memory.
const MAX_SYNTHETIC: u64 = 1_000_000;

const MAX_BYTES: u64 = 16 << 20;

/// Reading a pipe or a device might never end.
pub(super) fn read(file: &Path) -> io::Result<String> {
    let refused = |problem: String| Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    let metadata = fs::metadata(file)?;
    if !metadata.is_file() && !metadata.is_dir() {
        return refused("it is a pipe or a device; name a file".to_owned());
    }
    let mut text = String::new();
    File::open(file)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return refused(format!("it has more than the maximum of {MAX_BYTES} bytes"));
    }
    Ok(text)
}

/// A value with its position in the file.
type Value<'i> = Spanned<DeValue<'i>>;

pub(super) fn parse(text: &str, file: &Path) -> Result<Study, StudyError> {
    Source { text, file }.study()
}

/// Lines are counted from 1, configurations from 0.
pub(super) fn algorithm_line(text: &str, number: usize, parameter: Option<&str>) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let configurations = Source { text, file: Path::new("") }.algorithms(root.get_ref()).ok()?;
    let configuration = configurations.get(number)?;
    let span = match parameter {
        Some(name) => configuration.values.get(name)?,
        None => &configuration.entry,
    };
    Some(line_at(text, span.start))
}

/// The line, from 1, of the value that a field such as `race.level` or `algorithms.2` names.
pub(super) fn line(text: &str, field: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut parts = field.split('.');
    let mut value = root.get_ref().get(parts.next()?)?;
    for part in parts {
        value = match value.get_ref() {
            DeValue::Table(table) => table.get(part)?,
            DeValue::Array(entries) => entries.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(line_at(text, value.span().start))
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

struct Source<'s> {
    text: &'s str,
    file: &'s Path,
}

impl Source<'_> {
    fn study(&self) -> Result<Study, StudyError> {
        let root = DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let mut problem = error.message().replace('\n', ", ");
            if let Some(key) = self.text.get(span.clone()).filter(|_| problem == "duplicate key") {
                problem = format!("{problem} `{key}`");
            }
            self.error(span, "syntax", Flaw { problem, advice: "correct the TOML".to_owned() })
        })?;
        let root = root.get_ref();
        let known: Vec<&str> = STUDY_KEYS.iter().copied().chain(defaults::table(root)).collect();
        self.known_keys(root, "", &known)?;

        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = root.get("name").map(|v| self.word(v, "name")).transpose()?.unwrap_or(stem);
        let subject = root.get("subject").map(|value| self.word(value, "subject")).transpose()?;
        let configurations = self.algorithms(root)?.into_iter();
        let mut algorithms: Vec<_> = configurations.map(|one| one.algorithm).collect();
        if let Some(value) = root.get(ASSERTIONS)
            && self.flag(value, ASSERTIONS)?
        {
            algorithms.iter_mut().for_each(Algorithm::assert);
        }
        Ok(Study {
            name,
            projects: self.projects(root)?,
            algorithms,
            seeds: self.seeds(root)?,
            budget: self.budget(root)?,
            mutation: self.mutation(root)?,
            race: self.race(root)?,
            stop: self.stop(root)?,
            subject,
        })
    }

    fn projects(&self, root: &DeTable<'_>) -> Result<ProjectSource, StudyError> {
        let advice = "list files or folders, such as [\"../datasets/demo\"], or write \
                      { synthetic = { count = 1000, seed = 1 } }";
        let value = self.required(root, "projects", advice)?;
        if let DeValue::Table(table) = value.get_ref() {
            self.known_keys(table, "projects.", &["synthetic"])?;
            let Some(synthetic) = table.get("synthetic") else {
                return self.fail(value.span(), "projects.synthetic", "missing", advice);
            };
            return self.synthetic(synthetic);
        }
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let entries = self.non_empty(value, "projects", "no projects", advice)?;
        let paths = entries.map(|entry| Ok(folder.join(self.word(entry, "projects")?)));
        paths.collect::<Result<_, _>>().map(ProjectSource::Paths)
    }

    fn synthetic(&self, value: &Value<'_>) -> Result<ProjectSource, StudyError> {
        let field = "projects.synthetic";
        let DeValue::Table(table) = value.get_ref() else {
            let problem = format!("{} is not a table", kind(value.get_ref()));
            return self.fail(value.span(), field, problem, "write { count = 1000, seed = 1 }");
        };
        self.known_keys(table, "projects.synthetic.", &[&["count", "seed"], SHAPE_KEYS].concat())?;
        let number = |key: &str| {
            let field = format!("{field}.{key}");
            let Some(value) = table.get(key) else {
                let advice = "write { count = 1000, seed = 1 }";
                return self.fail(value.span(), &field, "missing", advice);
            };
            check::positive(&decimal(value)).map_err(|flaw| self.error(value.span(), &field, flaw))
        };
        let count = number("count")?;
        if let (true, Some(value)) = (count > MAX_SYNTHETIC, table.get("count")) {
            let problem = format!("{count} projects are more than the maximum of {MAX_SYNTHETIC}");
            let advice = "divide the study into several, with different seeds";
            return self.fail(value.span(), &format!("{field}.count"), problem, advice);
        }
        let mut shape = BTreeMap::new();
        for (key, value) in SHAPE_KEYS.iter().filter_map(|&key| Some((key, table.get(key)?))) {
            let text = decimal(value);
            if text.parse::<f64>().is_err() {
                let problem = format!("{text} is not a number");
                let advice = "write a number, or leave it out";
                return self.fail(value.span(), &format!("{field}.{key}"), problem, advice);
            }
            shape.insert(key.to_owned(), text);
        }
        Ok(ProjectSource::Synthetic { count, seed: number("seed")?, shape })
    }

    fn seeds(&self, root: &DeTable<'_>) -> Result<Vec<u64>, StudyError> {
        let advice = "give the number of seeds, such as 5, or a list such as [3, 14, 15]";
        let value = self.required(root, "seeds", advice)?;
        let seeds = match value.get_ref() {
            DeValue::Integer(_) => check::seed_count(&decimal(value)),
            DeValue::Array(entries) => {
                let strings: Vec<_> = entries.iter().map(decimal).collect();
                check::seed_list(strings.iter().map(String::as_str))
            }
            other => flaw(format!("{} is neither a number nor a list", kind(other)), advice),
        };
        seeds.map_err(|flaw| self.error(value.span(), "seeds", flaw))
    }

    fn budget(&self, root: &DeTable<'_>) -> Result<Budget, StudyError> {
        let advice = "set a unit of work, such as executions, or wall under [budget]";
        let value = self.required(root, "budget", advice)?;
        let DeValue::Table(table) = value.get_ref() else {
            let problem = format!("{} is not a table", kind(value.get_ref()));
            return self.fail(value.span(), "budget", problem, advice);
        };
        self.no_study_key(root, "budget", table)?;
        let limit = |key: &str, read| self.number(table, "budget", key, read);
        let mut budget = Budget {
            work: BTreeMap::new(),
            wall_ms: match limit("wall", check::span_ms)? {
                None => limit("wall_ms", check::positive)?,
                Some(_) if table.contains_key("wall_ms") => {
                    let problem = "both wall and wall_ms are set";
                    return self.fail(value.span(), "budget", problem, "keep one of them");
                }
                wall => wall,
            },
        };
        // The subject kind checks the units when the study is planned.
        for unit in table.keys().map(Spanned::get_ref).filter(|key| !REAL_TIME.contains(&&***key)) {
            if let Some(value) = table.get(&**unit)
                && let DeValue::String(text) = value.get_ref()
                && check::span_ms(text).is_ok()
            {
                let (field, problem) = (format!("budget.{unit}"), format!("`{text}` is a time"));
                let advice = format!("write wall = \"{text}\"");
                return self.fail(value.span(), &field, problem, &advice);
            }
            budget
                .work
                .extend(limit(unit, check::positive)?.map(|limit| (unit.to_string(), limit)));
        }
        if budget.is_empty() {
            return self.fail(value.span(), "budget", "no limit is set", advice);
        }
        Ok(budget)
    }

    fn mutation(&self, root: &DeTable<'_>) -> Result<Option<Mutation>, StudyError> {
        let table = match self.part(root, "mutation", MUTATION_KEYS)? {
            Part::None => return Ok(None),
            Part::Plain => return Ok(Some(Mutation::default())),
            Part::Table(table) => table,
        };
        let number = |key, read| self.number(table, "mutation", key, read);
        let operators = match table.get("operators") {
            None => Vec::new(),
            Some(value) => {
                let (field, advice) = ("mutation.operators", "leave it out for all");
                let entries = self.non_empty(value, field, "no operators", advice)?;
                entries.map(|entry| self.word(entry, field)).collect::<Result<_, _>>()?
            }
        };
        Ok(Some(Mutation {
            operators,
            sample: number("sample", check::positive)?,
            seed: number("seed", check::seed)?,
            block_factor: number("block_factor", check::positive)?,
        }))
    }

    fn race(&self, root: &DeTable<'_>) -> Result<Option<Race>, StudyError> {
        let table = match self.part(root, "race", RACE_KEYS)? {
            Part::None => return Ok(None),
            Part::Plain => return Ok(Some(Race::default())),
            Part::Table(table) => table,
        };
        let default = Race::default();
        Ok(Some(Race {
            level: self.number(table, "race", "level", check::level)?.unwrap_or(default.level),
            first: self.number(table, "race", "first", check::several)?.unwrap_or(default.first),
            every: self.number(table, "race", "every", check::positive)?.unwrap_or(default.every),
        }))
    }

    fn stop(&self, root: &DeTable<'_>) -> Result<Option<Stop>, StudyError> {
        let table = match self.part(root, "stop", STOP_KEYS)? {
            Part::None => return Ok(None),
            Part::Plain => return Ok(Some(Stop::default())),
            Part::Table(table) => table,
        };
        let default = Stop::default();
        let positive = |key| self.number(table, "stop", key, check::positive);
        Ok(Some(Stop {
            margin: self.number(table, "stop", "margin", check::level)?.unwrap_or(default.margin),
            first: positive("first")?.unwrap_or(default.first),
            every: positive("every")?.unwrap_or(default.every),
        }))
    }

    fn part<'a, 'i>(
        &self,
        root: &'a DeTable<'i>,
        key: &str,
        known: &[&str],
    ) -> Result<Part<'a, 'i>, StudyError> {
        let Some(value) = root.get(key) else { return Ok(Part::None) };
        match value.get_ref() {
            DeValue::Boolean(true) => Ok(Part::Plain),
            DeValue::Boolean(false) => Ok(Part::None),
            DeValue::Table(table) => {
                self.known_keys(table, &format!("{key}."), known)?;
                Ok(Part::Table(table))
            }
            other => {
                let problem = format!("{} is neither a truth value nor a table", kind(other));
                let advice = format!("write true, or a table [{key}]");
                self.fail(value.span(), key, problem, &advice)
            }
        }
    }

    fn number<T>(
        &self,
        table: &DeTable<'_>,
        part: &str,
        key: &str,
        read: fn(&str) -> Result<T, Flaw>,
    ) -> Result<Option<T>, StudyError> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let error = |flaw| self.error(value.span(), &format!("{part}.{key}"), flaw);
        read(&decimal(value)).map(Some).map_err(error)
    }

    fn required<'a, 'i>(
        &self,
        table: &'a DeTable<'i>,
        key: &str,
        advice: &str,
    ) -> Result<&'a Value<'i>, StudyError> {
        match table.get(key) {
            Some(value) => Ok(value),
            None => match self.misplaced(table, key) {
                Some((span, flaw)) => Err(self.error(span, key, flaw)),
                // A missing value has no line, so the error names the end of the file, where the
                // value could be added.
                None => self.fail(self.text.len()..self.text.len(), key, "missing", advice),
            },
        }
    }

    fn non_empty<'a, 'i>(
        &self,
        value: &'a Value<'i>,
        field: &str,
        problem: &str,
        advice: &str,
    ) -> Result<impl Iterator<Item = &'a Value<'i>>, StudyError> {
        match value.get_ref() {
            DeValue::Array(entries) if !entries.is_empty() => Ok(entries.iter()),
            DeValue::Array(_) => self.fail(value.span(), field, problem, advice),
            DeValue::String(text) if text.contains(|c: char| !c.is_whitespace() && c != ',') => {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
                let advice = format!("write [{}]", words.join(", "));
                self.fail(value.span(), field, "a string is not a list", &advice)
            }
            other => {
                let problem = format!("{} is not a list", kind(other));
                self.fail(value.span(), field, problem, advice)
            }
        }
    }

    fn word(&self, value: &Value<'_>, field: &str) -> Result<String, StudyError> {
        match value.get_ref() {
            DeValue::String(word) if word.contains(char::is_control) => {
                self.fail(value.span(), field, "contains a control character", "write a word")
            }
            DeValue::String(word) if !word.trim().is_empty() => Ok(word.to_string()),
            DeValue::String(_) => self.fail(value.span(), field, "an empty string", "write a word"),
            other => {
                let problem = format!("{} is not a string", kind(other));
                self.fail(value.span(), field, problem, "write it in quotation marks")
            }
        }
    }

    fn flag(&self, value: &Value<'_>, field: &str) -> Result<bool, StudyError> {
        match value.get_ref() {
            DeValue::Boolean(flag) => Ok(*flag),
            other => {
                let problem = format!("{} is neither true nor false", kind(other));
                self.fail(value.span(), field, problem, "write true or false")
            }
        }
    }

    fn known_keys(
        &self,
        table: &DeTable<'_>,
        prefix: &str,
        known: &[&str],
    ) -> Result<(), StudyError> {
        match table.keys().find(|key| !known.contains(&&**key.get_ref())) {
            None => Ok(()),
            Some(key) => {
                let field = format!("{prefix}{}", key.get_ref());
                let advice =
                    keys::advice(key.get_ref(), table.get(&**key.get_ref()), prefix, known);
                self.fail(key.span(), &field, "unknown key", &advice)
            }
        }
    }

    fn fail<T>(
        &self,
        span: Range<usize>,
        field: &str,
        problem: impl Into<String>,
        advice: &str,
    ) -> Result<T, StudyError> {
        let flaw = Flaw { problem: problem.into(), advice: advice.to_owned() };
        Err(self.error(span, field, flaw))
    }

    fn error(&self, span: Range<usize>, field: &str, Flaw { problem, advice }: Flaw) -> StudyError {
        // A newline at the end of the file does not begin another line.
        let last = self.text.strip_suffix('\n').unwrap_or(self.text).len();
        let line = line_at(self.text, span.start.min(last));
        let location = SourceLocation::Line(self.file.to_owned(), line);
        StudyError::Invalid { location, field: field.to_owned(), problem, advice }
    }
}

enum Part<'a, 'i> {
    None,
    /// The value is `true`.
    Plain,
    Table(&'a DeTable<'i>),
}

/// The checks take strings, because the flags of the command line are strings.
fn decimal(value: &Value<'_>) -> String {
    match value.get_ref() {
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string(), |number| number.to_string()),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::String(text) => text.to_string(),
        other => kind(other).to_owned(),
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
