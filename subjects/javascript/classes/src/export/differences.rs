//! Words for titles about the member in which the arguments of two calls of a function differ.

use catherd_javascript_machine::Argument;

use super::layout::length;
use super::literals::{argument, is_name};

/// Maximum length of such words, in characters.
const LONGEST: usize = 40;

/// The name of a member in which two objects differ, and its value in the first object.
type Difference<'a> = (&'a str, Option<&'a Argument>);

/// The only member in which two objects differ, also within nested objects.
fn difference<'a>(one: &'a Argument, other: &'a Argument) -> Option<Difference<'a>> {
    let (Argument::Object(members), Argument::Object(others)) = (one, other) else { return None };
    let of = |list: &'a [(String, Argument)], name: &str| {
        list.iter().find(|(known, _)| known == name).map(|(_, it)| it)
    };
    let new = members.iter().filter(|(name, it)| of(others, name) != Some(it));
    let gone = others.iter().filter(|(name, _)| of(members, name).is_none());
    let new: Vec<&(String, Argument)> = new.collect();
    let gone: Vec<&(String, Argument)> = gone.collect();
    match (&new[..], &gone[..]) {
        ([(name, value)], []) => match of(others, name) {
            Some(before @ Argument::Object(_)) if matches!(value, Argument::Object(_)) => {
                difference(value, before)
            }
            _ => Some((name.as_str(), Some(value))),
        },
        ([], [(name, _)]) => Some((name.as_str(), None)),
        _ => None,
    }
}

/// Words about the only member in which arguments differ from other arguments.
pub(super) fn decisive(given: &[Argument], other: &[Argument]) -> Option<String> {
    if given.len() != other.len() {
        return None;
    }
    let mut differing = given.iter().zip(other).filter(|(one, other)| one != other);
    let (one, other) = differing.next()?;
    if differing.next().is_some() {
        return None;
    }
    let (name, value) = difference(one, other)?;
    let words = match value {
        Some(value) => format!("with {name} {}", argument(value, &[]).flat()),
        None => format!("without {name}"),
    };
    (is_name(name) && length(&words) <= LONGEST).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(members: &[(&str, Argument)]) -> Argument {
        let members = members.iter();
        Argument::Object(members.map(|(name, it)| ((*name).to_owned(), it.clone())).collect())
    }

    #[test]
    fn one_member_tells_arguments_apart() {
        let user = |name: &str, age: f64| {
            let user =
                [("name", Argument::String(name.to_owned())), ("age", Argument::Number(age))];
            vec![object(&[("user", object(&user))]), Argument::Number(1.0)]
        };
        let words = decisive(&user("Ada", 2.0), &user("Bob", 2.0));
        assert_eq!(words.as_deref(), Some("with name 'Ada'"));
        assert_eq!(decisive(&user("Ada", 2.0), &user("Bob", 3.0)), None);
        let (one, none) = (object(&[("a", Argument::Null)]), object(&[]));
        assert_eq!(decisive(&[none], &[one]).as_deref(), Some("without a"));
    }
}
