//! Templates of command lines: words with placeholders, which are filled in for each run.

use std::path::Path;

use catherd_experiments::{Algorithm, Parameter, RunSpec};

use super::UNITS;
use crate::algorithm::FieldError;

pub(super) const PARAMETER: &str = "command";

pub(super) const ENVIRONMENT: &str = "environment";

const PLACES: [&str; 8] =
    ["project", "algorithm", "seed", "executions", "steps", "seconds", "budget", "out"];

pub(super) fn check(algorithm: &Algorithm) -> Result<(), FieldError> {
    program(algorithm)?;
    let words = words(PARAMETER, template(algorithm)?)?;
    let places = known_places(PARAMETER, &words)?;
    if !places.contains(&"out") {
        let cause = "`command` lacks {out}, the path of the file for the result";
        return Err(wrong(PARAMETER, cause, "add {out} where the tool takes the file to write"));
    }
    let variables = environment(algorithm)?;
    known_places(ENVIRONMENT, &variables)?;
    for variable in &variables {
        variable_parts(variable)?;
    }
    Ok(())
}

fn known_places<'a>(parameter: &str, words: &'a [String]) -> Result<Vec<&'a str>, FieldError> {
    let places = words.iter().flat_map(|word| Parts(word)).filter_map(|part| part.1);
    let places: Vec<&str> = places.collect();
    match places.iter().find(|place| !PLACES.contains(place)) {
        None => Ok(places),
        Some(unknown) => {
            let known = PLACES.map(|place| format!("{{{place}}}")).join(" ");
            let cause = format!(
                "`{{{unknown}}}` in `{parameter}` is unknown; the placeholders are {known}"
            );
            Err(wrong(parameter, cause, "use one of these"))
        }
    }
}

fn environment(algorithm: &Algorithm) -> Result<Vec<String>, FieldError> {
    match algorithm.parameters.get(ENVIRONMENT) {
        None => Ok(Vec::new()),
        Some(Parameter::Text(text)) => words(ENVIRONMENT, text),
        Some(_) => {
            let cause = "`environment` is not a string";
            Err(wrong(ENVIRONMENT, cause, "write it in quotation marks"))
        }
    }
}

fn variable_parts(word: &str) -> Result<(&str, &str), FieldError> {
    let usual = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match word.split_once('=') {
        Some((name, value))
            if name.chars().all(usual) && !name.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            if !name.is_empty() {
                return Ok((name, value));
            }
            Err(wrong(ENVIRONMENT, format!("`{word}` in `environment` has no name"), SHAPE))
        }
        _ => {
            let cause = format!("`{word}` in `environment` is not NAME=VALUE");
            Err(wrong(ENVIRONMENT, cause, SHAPE))
        }
    }
}

fn template(algorithm: &Algorithm) -> Result<&str, FieldError> {
    match algorithm.parameters.get(PARAMETER) {
        Some(Parameter::Text(template)) => Ok(template),
        Some(_) => {
            Err(wrong(PARAMETER, "`command` is not a string", "write it in quotation marks"))
        }
        None => Err(FieldError {
            field: None,
            cause: format!("`{}` lacks the parameter `command`", algorithm.label),
            advice: "set it, such as \"tool {project} --seed {seed} -o {out}\"".to_owned(),
        }),
    }
}

fn wrong(parameter: &str, cause: impl Into<String>, advice: &str) -> FieldError {
    let field = Some(parameter.to_owned());
    FieldError { field, cause: cause.into(), advice: advice.to_owned() }
}

pub(super) fn program(algorithm: &Algorithm) -> Result<String, FieldError> {
    let words = words(PARAMETER, template(algorithm)?)?;
    let empty = || wrong(PARAMETER, "`command` is empty", "name a program and {out}");
    words.into_iter().next().ok_or_else(empty)
}

pub(super) struct Filled {
    /// The command line, which is never empty.
    pub(super) words: Vec<String>,
    pub(super) variables: Vec<(String, String)>,
}

pub(super) fn fill(spec: &RunSpec, project: &Path, out: &Path) -> Result<Filled, FieldError> {
    check(&spec.algorithm)?;
    let budget = &spec.budget;
    let seconds = budget.wall_ms.map(|ms| ms.div_ceil(1000));
    let limits = [budget.limit(UNITS[0]), budget.limit(UNITS[1]), seconds];
    let first = limits.into_iter().flatten().next().unwrap_or_default();
    let [executions, steps, seconds] = limits.map(|limit| limit.unwrap_or_default().to_string());
    let values = [
        project.display().to_string(),
        spec.algorithm.name.clone(),
        spec.seed.to_string(),
        executions,
        steps,
        seconds,
        first.to_string(),
        out.display().to_string(),
    ];
    let value =
        |place: &str| PLACES.iter().position(|known| *known == place).map_or("", |at| &values[at]);
    let fill = |word: &str| {
        let parts = Parts(word).flat_map(|(text, place)| [text, place.map_or("", value)]);
        parts.collect::<String>()
    };
    let words = words(PARAMETER, template(&spec.algorithm)?)?;
    let mut variables = Vec::new();
    for variable in environment(&spec.algorithm)? {
        let (name, value) = variable_parts(&variable)?;
        variables.push((name.to_owned(), fill(value)));
    }
    Ok(Filled { words: words.iter().map(|word| fill(word)).collect(), variables })
}

const SHAPE: &str = "write NAME=VALUE, such as \"PYTHONHASHSEED=0 LC_ALL=C\"";

/// Quotation marks keep words together. Other syntax of shells is not supported.
fn words(parameter: &str, template: &str) -> Result<Vec<String>, FieldError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in template.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(quote) => {
            let cause = format!("`{parameter}` has a {quote} without an end");
            Err(wrong(parameter, cause, "close the quotation"))
        }
        None => Ok(words),
    }
}

/// The parts of a word: text, and the placeholder that follows the text.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = (&'a str, Option<&'a str>);

    fn next(&mut self) -> Option<(&'a str, Option<&'a str>)> {
        if self.0.is_empty() {
            return None;
        }
        for (open, _) in self.0.match_indices('{') {
            let rest = &self.0[open + 1..];
            let length = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
            if length > 0 && rest[length..].starts_with('}') {
                let text = &self.0[..open];
                self.0 = &rest[length + 1..];
                return Some((text, Some(&rest[..length])));
            }
        }
        Some((std::mem::take(&mut self.0), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_checked() {
        let with = |command: &str| {
            let mut algorithm = Algorithm::plain("mio");
            algorithm.parameters.insert(PARAMETER.into(), Parameter::Text(command.into()));
            check(&algorithm)
        };
        assert_eq!(with("tool {project} {out}"), Ok(()));
        let flaw = |command: &str| {
            let error = with(command).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(PARAMETER));
            error.cause
        };
        assert!(flaw("tool {oops} {out}").contains("the placeholders are {project}"));
        assert!(flaw("tool {seed}").contains("lacks {out}"));
        assert!(flaw("tool 'x {out}").contains("without an end"));
        assert!(flaw(" ").contains("empty"));
        let lacking = check(&Algorithm::plain("x")).unwrap_err();
        assert!(lacking.cause.contains("lacks the parameter") && lacking.field.is_none());
        assert_eq!(words(PARAMETER, r#"a "b c"'d' ''"#).unwrap(), ["a", "b cd", ""]);
        let with_variables = |text: &str| {
            let mut algorithm = Algorithm::plain("mio");
            let command = Parameter::Text("tool {out}".into());
            algorithm.parameters.insert(PARAMETER.into(), command);
            algorithm.parameters.insert(ENVIRONMENT.into(), Parameter::Text(text.into()));
            check(&algorithm)
        };
        assert_eq!(with_variables("A=1 B_2='x = y' C={seed}"), Ok(()));
        for (text, flaw) in [
            ("HOME", "is not NAME=VALUE"),
            ("=1", "has no name"),
            ("2A=1", "is not NAME=VALUE"),
            ("A={oops}", "`{oops}` in `environment`"),
        ] {
            let error = with_variables(text).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(ENVIRONMENT));
            assert!(error.cause.contains(flaw), "{}", error.cause);
        }
    }
}
