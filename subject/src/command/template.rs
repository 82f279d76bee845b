//! Templates of command lines: words with places that are filled in for each run.

use std::path::Path;

use catherd_experiments::{Algorithm, Parameter, RunSpec};

use super::UNITS;
use crate::algorithm::FieldError;

/// The parameter that holds the template.
pub(super) const PARAMETER: &str = "command";

/// The names of places.
const PLACES: [&str; 8] =
    ["project", "algorithm", "seed", "executions", "steps", "seconds", "budget", "out"];

/// Checks that an algorithm has a template, and that its places are known.
///
/// # Errors
///
/// What is wrong with the template.
pub(super) fn check(algorithm: &Algorithm) -> Result<(), FieldError> {
    let words = words(template(algorithm)?)?;
    let places = words.iter().flat_map(|word| Parts(word)).filter_map(|part| part.1);
    let places: Vec<&str> = places.collect();
    if let Some(unknown) = places.iter().find(|place| !PLACES.contains(place)) {
        let known = PLACES.map(|place| format!("{{{place}}}")).join(" ");
        let cause = format!("`{{{unknown}}}` in `command`: there are {known}");
        return Err(wrong(cause, "use one of these"));
    }
    if places.contains(&"out") {
        Ok(())
    } else {
        let cause = "`command` lacks {out}, the path of the file for the result";
        Err(wrong(cause, "add {out} where the tool takes the file to write"))
    }
}

fn template(algorithm: &Algorithm) -> Result<&str, FieldError> {
    match algorithm.parameters.get(PARAMETER) {
        Some(Parameter::Text(template)) => Ok(template),
        Some(_) => Err(wrong("`command` is not a text", "write it in quotation marks")),
        None => Err(FieldError {
            field: None,
            cause: format!("`{}` lacks the parameter `command`", algorithm.label),
            advice: "set it, such as \"tool {project} --seed {seed} -o {out}\"".to_owned(),
        }),
    }
}

fn wrong(cause: impl Into<String>, advice: &str) -> FieldError {
    let field = Some(PARAMETER.to_owned());
    FieldError { field, cause: cause.into(), advice: advice.to_owned() }
}

/// The words of a run's command line.
///
/// # Errors
///
/// What is wrong with the template.
pub(super) fn fill(spec: &RunSpec, project: &Path, out: &Path) -> Result<Vec<String>, FieldError> {
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
    let words = words(template(&spec.algorithm)?)?.into_iter();
    let value =
        |place: &str| PLACES.iter().position(|known| *known == place).map_or("", |at| &values[at]);
    let fill = |word: String| {
        let parts = Parts(&word).flat_map(|(text, place)| [text, place.map_or("", value)]);
        parts.collect::<String>()
    };
    Ok(words.map(fill).collect())
}

/// Splits a template at white space as a shell would; quotes keep words together, and nothing
/// else has a meaning.
fn words(template: &str) -> Result<Vec<String>, FieldError> {
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
    match (quote, words.is_empty()) {
        (Some(quote), _) => {
            Err(wrong(format!("`command` has a {quote} without an end"), "close the quotation"))
        }
        (None, true) => Err(wrong("`command` is empty", "name a program and {out}")),
        (None, false) => Ok(words),
    }
}

/// The parts of a word from left to right: text, and the place that follows it. A place is
/// a name in braces; other braces are text.
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
        assert!(flaw("tool {oops} {out}").contains("there are {project}"));
        assert!(flaw("tool {seed}").contains("lacks {out}"));
        assert!(flaw("tool 'x {out}").contains("without an end"));
        assert!(flaw(" ").contains("empty"));
        let lacking = check(&Algorithm::plain("x")).unwrap_err();
        assert!(lacking.cause.contains("lacks the parameter") && lacking.field.is_none());
        assert_eq!(words(r#"a "b c"'d' ''"#).unwrap(), ["a", "b cd", ""]);
    }
}
