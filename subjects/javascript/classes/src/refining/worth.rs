//! Decides whether a maintainer would keep a test.

use std::collections::{BTreeMap, BTreeSet};

use catherd_javascript_machine::instrument::{Literal, Shape};
use catherd_javascript_machine::{Argument, Operation, Statement};

use super::arguments::{inlined, is_options};
use super::conventions;
use super::errors::{is_about_arguments, is_about_omission};
use super::kinds::kind;
use super::parameters::is_telling;
use super::plausible::{asks, is_optional};
use super::usage::{Usage, WITHOUT};
use super::variables::Variables;
use super::weights::{callee, is_applied};
use crate::export::Strength;
use crate::model::Target;
use crate::suite::{SuiteTest, is_error};

/// Names of parameters for an element of a list.
const ELEMENTS: [&str; 4] = ["item", "element", "elem", "value"];

/// Documentation that mentions at least one in this many functions is assumed to mention all
/// important functions.
const MENTIONED: usize = 3;

pub(super) fn is_empty(argument: &Argument) -> bool {
    match argument {
        Argument::String(text) => text.is_empty(),
        Argument::Array(items) => items.is_empty(),
        Argument::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Whether the names of two parameters show the same meaning: `a` and `b`, `date1` and `date2`.
fn are_alike(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let pairs = [
        ("left", "right"),
        ("first", "second"),
        ("actual", "expected"),
        ("from", "to"),
        ("lhs", "rhs"),
    ];
    let letters = one.len() == 1 && other.len() == 1;
    let stem = |name: &str| {
        let end = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let stem = name[..end].trim_end_matches(['_', 'a', 'b']).to_owned();
        (end < name.len() || stem.len() < end).then_some(stem)
    };
    let numbered = stem(&one).filter(|stem| !stem.is_empty());
    letters || pairs.contains(&(&*one, &*other)) || numbered.is_some() && numbered == stem(&other)
}

/// Whether methods of this name usually need an argument.
fn needs_argument(name: &str) -> bool {
    let names = "compareTo divide equals minus multiply plus subtract times at charAt concat endsWith equals every filter find findIndex forEach includes indexOf map match padEnd \
                 padStart push reduce repeat replace search some split startsWith test";
    names.split(' ').any(|known| known == name)
}

/// Whether a call of an unknown function has plain arguments of a single kind.
fn is_plain_call(statement: &Statement) -> bool {
    let given = &statement.arguments;
    let kinds: BTreeSet<_> = given.iter().map(kind).collect();
    let plain = |it: &Argument| {
        let odd = matches!(it, Argument::Null | Argument::Boolean(_) | Argument::Function(..));
        !odd && !is_empty(it)
    };
    (statement.operation == Operation::Method
        || !given.is_empty()
        || statement.operation == Operation::New)
        && kinds.len() <= 1
        && given.iter().all(plain)
}

/// Whether the arguments of a call equal the first arguments of an example.
fn is_call_of(statement: &Statement, example: &[Literal]) -> bool {
    let given = &statement.arguments;
    let same = |(it, literal): (&Argument, &Literal)| {
        super::kinds::argument(literal).is_some_and(|known| known == *it)
    };
    example.len() >= given.len() && given.iter().zip(example).all(same)
}

/// The type parameter of `T` or `T[]`, and whether the type is an array.
fn type_parameter(shape: &Shape) -> Option<(&str, bool)> {
    match shape {
        Shape::Named(name) if name.len() <= 2 => Some((name, false)),
        Shape::Array(item) => type_parameter(item).filter(|it| !it.1).map(|(name, _)| (name, true)),
        _ => None,
    }
}

impl Usage {
    /// Number of reasons why a maintainer would not keep a test with assertions of this strength.
    pub(super) fn objections(
        &self,
        test: &SuiteTest,
        says: Strength,
        variables: &Variables,
    ) -> usize {
        let calls = (0..test.statements.len()).filter(|at| !self.is_call(test, *at, variables));
        calls.count()
            + usize::from(!self.says_enough(test, says))
            + usize::from(self.is_contradicted(test) || self.depends_on_environment(test))
            + usize::from(self.has_odd_message(test))
            + usize::from(self.is_accident(test))
    }

    /// Whether a statement of a test is a call that a user of the package would make.
    fn is_call(&self, test: &SuiteTest, at: usize, variables: &Variables) -> bool {
        let statements = inlined(&test.statements);
        let statement = &statements[at];
        if statement.operation == Operation::Value {
            return true;
        }
        let fails = test.assertions.last().is_some_and(is_error);
        let checked = at + 1 == statements.len() && fails && is_about_arguments(test);
        if is_applied(test, at) {
            // It is not known which arguments of a function that a call returned are wrong.
            let wrong = fails && at + 1 == statements.len();
            return !wrong && self.is_applied_as_usual(test, at, variables);
        }
        let Some(target) = self.target(&test.statements, at) else {
            let callee = callee(statement);
            let name = callee.rsplit(['.', '#']).next().unwrap_or_default();
            let calls = self.words.calls.get(name).map_or(&[][..], Vec::as_slice);
            let one = statement.arguments.len() <= 1 && is_plain_call(statement);
            let bare = statement.arguments.is_empty();
            if bare && (calls.iter().any(|it| !it.is_empty()) || needs_argument(name)) {
                return calls.iter().any(Vec::is_empty);
            }
            return checked
                || one && !fails
                || calls.iter().any(|call| is_call_of(statement, call));
        };
        let bare = statement.operation == Operation::Method && statement.arguments.is_empty();
        if bare && needs_argument(&statement.name)
            || target.path.iter().filter(|it| *it == "default").count() > 1
        {
            return false;
        }
        // If a function is also exported under a path without `default`, users call it by this
        // path.
        let shorter: Vec<&String> = target.path.iter().filter(|it| *it != "default").collect();
        let other =
            |it: &Target| it.kind == target.kind && it.path.iter().eq(shorter.iter().copied());
        if shorter.len() < target.path.len() && self.targets().iter().any(other) {
            return false;
        }
        let only = statement.arguments.len() <= 1
            || !statement.arguments.iter().any(|it| {
                matches!(it, Argument::Undefined | Argument::Null | Argument::Function(..))
            });
        // An error is about one wrong argument.
        let given = statement.arguments.iter().enumerate();
        let wrong = given.filter(|(position, it)| !self.is_usual_kind(target, *position, it));
        let wrong = wrong.count();
        if checked && wrong == 0 && is_about_omission(test) && self.may_omit(target, statement) {
            return false;
        }
        if fails && at + 1 == statements.len() && !self.has_read_collections(target, statement) {
            return false;
        }
        let checked = checked && only && wrong <= 1;
        let other = |(position, it): (usize, &Argument)| match it {
            Argument::Variable(made) => {
                self.is_of_other_class(target, position, &test.statements[*made])
            }
            _ => false,
        };
        if statement.arguments.iter().enumerate().any(other) {
            return false;
        }
        self.is_mentioned(target)
            && (checked
                || self.has_usual_count(target, statement)
                    && (self.is_documented_call(target, statement)
                        || self.is_usual_call(target, statement)))
    }

    /// Whether the documentation, tests, examples or declarations mention a target, or mention only
    /// a few targets.
    fn is_mentioned(&self, target: &Target) -> bool {
        let names = |target: &Target| self.words.names(target, &self.model);
        let mentions = |target: &Target| {
            target.path.is_empty() && target.member.is_empty()
                || names(target)
                    .iter()
                    .any(|name| name == "default" || self.identifiers.contains(name))
                || self.shape_of(target, 0).is_some()
                || self
                    .class_of(target)
                    .is_some_and(|of| of.iter().any(|class| self.words.declares(class)))
        };
        // Documentation that mentions only a few functions does not show which are important.
        let known: Vec<&Target> = self
            .targets()
            .iter()
            .filter(|it| !it.path.is_empty() || !it.member.is_empty())
            .collect();
        let mentioned = || known.iter().filter(|it| mentions(it)).count();
        mentions(target) || MENTIONED * mentioned() < known.len()
    }

    /// Whether a call has as many arguments as some example, apart from optional arguments.
    fn has_usual_count(&self, target: &Target, statement: &Statement) -> bool {
        let calls = self.calls(target);
        let given = statement.arguments.len();
        let counts = || calls.iter().map(|call| call.len());
        let optional = |position: usize| {
            let parameter = target.parameters.get(position);
            parameter.is_some_and(|it| it.default.is_some() || is_optional(&it.name))
        };
        let reads = statement.operation == Operation::Method
            && WITHOUT.contains(&statement.name.as_str())
            || statement.operation == Operation::New && optional(0);
        match (counts().min(), counts().max()) {
            _ if given == 0 && reads => true,
            (Some(fewest), Some(most)) => {
                let known = |position: usize| {
                    optional(position) || self.shape_of(target, position).is_some()
                };
                (given..fewest).all(optional) && (most..given).all(known)
            }
            _ => {
                let needed = target.parameters.first();
                let needed = needed.is_some_and(|it| !optional(0) && !it.name.starts_with("..."));
                given > 0 || !needed
            }
        }
    }

    pub(super) fn is_documented_call(&self, target: &Target, statement: &Statement) -> bool {
        self.calls(target).iter().any(|call| is_call_of(statement, call))
    }

    /// Whether a user of the package would choose the arguments of a call together.
    fn is_usual_call(&self, target: &Target, statement: &Statement) -> bool {
        let given = &statement.arguments;
        let calls = self.calls(target);
        // Arguments from different examples hardly fit each other.
        let differing = |call: &&Vec<Literal>| {
            let differs = |at: &usize| match (given.get(*at), call.get(*at)) {
                (Some(it), Some(literal)) => {
                    super::kinds::argument(literal).is_some_and(|known| known != *it)
                }
                (None, _) => false,
                _ => true,
            };
            (0..given.len().max(call.len())).filter(differs).count()
        };
        if !calls.is_empty() && calls.iter().map(differing).min() > Some(1) {
            return false;
        }
        // Accept an empty value only if it is the only argument.
        let more = given.len() > 1;
        let nothing = |(position, it): (usize, &Argument)| {
            let known = calls.iter().any(|call| {
                call.get(position).and_then(super::kinds::argument).as_ref() == Some(it)
            });
            !known && (more && is_empty(it) || *it == Argument::Null && !asks(target))
        };
        if given.iter().enumerate().any(nothing) {
            return false;
        }
        // Without examples and types, a list and an object hardly fit each other.
        let is = |kind_of: &str| given.iter().any(|it| kind(it) == Some(kind_of));
        let declared = (0..given.len()).any(|at| self.shape_of(target, at).is_some());
        if calls.is_empty() && !declared && is("array") && is("object")
            || self.is_unknown_key(target, given)
        {
            return false;
        }
        let usual = |(position, it): (usize, &Argument)| match it {
            // A reader must be able to see what a flag is for.
            Argument::Boolean(_) => {
                let parameter = target.parameters.get(position);
                let named = parameter.is_some_and(|it| is_telling(&it.name));
                let known =
                    named || given.len() == 1 || self.is_documented(Some(target), position, it);
                known && self.is_given(target, position, "boolean")
            }
            Argument::Function(what, result) => {
                let declared = self.shape_of(target, position).and_then(result_of);
                let fits = declared.is_none_or(|shape| self.fits(shape, result, 0));
                let fits = fits || what != "constant";
                self.is_given(target, position, "function") && fits
            }
            Argument::Object(members) => {
                // Members that all examples have are hardly optional.
                let objects = calls.iter().filter_map(|call| match call.get(position) {
                    Some(Literal::Object(members)) => Some(members),
                    _ => None,
                });
                // A member whose value is not a literal cannot be given.
                let names = objects.map(|members| {
                    let known = members.iter().filter(|(_, it)| *it != Literal::Other);
                    known.map(|(name, _)| name.as_str()).collect::<BTreeSet<_>>()
                });
                let common = names.reduce(|all, names| all.intersection(&names).copied().collect());
                let has = |name: &&str| members.iter().any(|(known, _)| known == name);
                let options =
                    target.parameters.get(position).is_some_and(|it| is_options(&it.name));
                let given = |(name, value): &(String, Argument)| match value {
                    Argument::String(text) => self.is_option_text(name, text),
                    _ => true,
                };
                common.is_none_or(|common| common.iter().all(has))
                    && (!options || members.iter().all(given))
            }
            _ => true,
        };
        let names: Vec<&str> = target.parameters.iter().map(|it| it.name.as_str()).collect();
        let apart = |(position, it): (usize, &Argument)| {
            let next = given.get(position + 1);
            let alike = names.get(position).zip(names.get(position + 1));
            let kinds = kind(it).zip(next.and_then(kind));
            alike.is_some_and(|(one, other)| are_alike(one, other))
                && kinds.is_some_and(|(one, other)| one != other)
        };
        let unknown = |position: usize| position > 0 && self.is_unknown(target, position);
        given.iter().enumerate().all(usual)
            && self.is_of_one_type(target, given)
            && !given.iter().enumerate().any(apart)
            && !(0..given.len()).any(unknown)
    }

    /// Whether arguments with the same type parameter, or a list and its elements, are of one kind.
    fn is_of_one_type(&self, target: &Target, given: &[Argument]) -> bool {
        let mut kinds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let is_list = |it: &Argument| matches!(it, Argument::Array(_));
        let names = target.parameters.iter().map(|it| ELEMENTS.contains(&it.name.as_str()));
        let mut named = given.iter().zip(names);
        // A list, and an argument that is an element according to its name.
        let element = named.any(|(it, named)| named && !is_list(it)) && given.iter().any(is_list);
        for (position, argument) in given.iter().enumerate() {
            let of_list = target.parameters.get(position).is_some_and(|it| {
                element && (is_list(argument) || ELEMENTS.contains(&it.name.as_str()))
            });
            let shape = self.shape_of(target, position).and_then(type_parameter);
            let shape = if of_list { Some(("", is_list(argument))) } else { shape };
            let known = match (shape, argument) {
                (Some((_, true)), Argument::Array(items)) => {
                    items.iter().filter_map(kind).collect()
                }
                (Some((_, false)), it) => kind(it).into_iter().collect::<Vec<_>>(),
                _ => continue,
            };
            kinds.entry(shape.map_or("", |it| it.0)).or_default().extend(known);
        }
        kinds.values().all(|kinds| kinds.len() <= 1)
    }

    /// Whether neither an example nor the parameter shows which values an argument can have.
    pub(super) fn is_unknown(&self, target: &Target, position: usize) -> bool {
        let calls = self.calls(target);
        let none = |call: &&Vec<Literal>| matches!(call.get(position), None | Some(Literal::Other));
        calls.iter().all(none) && !self.says(target, position)
    }

    /// Whether a variable is an instance of a class other than the declared class.
    fn is_of_other_class(&self, target: &Target, position: usize, made: &Statement) -> bool {
        let Some(Shape::Named(declared)) = self.shape_of(target, position) else { return false };
        let class = self.model.classes.iter().find(|it| it.path == made.path);
        let is =
            |class: &crate::model::FoundItem| class.name == *declared || class.own == *declared;
        made.operation == Operation::New
            && self.model.classes.iter().any(is)
            && class.is_some_and(|class| !is(class))
    }

    /// Whether the program compares an option with a string, or the documentation gives the option
    /// this value.
    fn is_option_text(&self, name: &str, text: &str) -> bool {
        let compared = self.words.compared(name);
        let gives = |quote: char| {
            let separators = [": ", ":", " = ", "="];
            separators
                .iter()
                .any(|it| self.texts.contains(&format!("{name}{it}{quote}{text}{quote}")))
        };
        compared.iter().any(|it| matches!(it, Literal::Text(known) if known == text))
            || ['\'', '"', '`'].into_iter().any(gives)
    }

    /// Whether the type, name, default or comparisons of a parameter show which values it can have.
    pub(super) fn says(&self, target: &Target, position: usize) -> bool {
        let Some(parameter) = target.parameters.get(position) else {
            return target.parameters.iter().any(|it| it.name.starts_with("..."));
        };
        self.shape_of(target, position).is_some()
            || parameter.default.is_some()
            || is_optional(&parameter.name)
            || parameter.name.starts_with("...")
            || conventions::kind_by_name(&parameter.name).is_some()
            || !self.words.compared(&parameter.name).is_empty()
    }

    /// Whether an argument can be of a kind, according to examples, the declared type or the name.
    pub(super) fn is_given(&self, target: &Target, position: usize, of: &str) -> bool {
        let calls = self.calls(target);
        let used = calls.iter().filter_map(|call| super::kinds::kind_of(call.get(position)?));
        let named = target.parameters.get(position);
        let named = named.and_then(|it| conventions::kind_by_name(&it.name));
        let declared = |shape: &Shape| shape_has(shape, of, 0);
        used.into_iter().any(|it| it == of)
            || named == Some(of)
            || self.shape_of(target, position).is_some_and(declared)
    }

    /// Whether a function that a call returned is called as in examples.
    fn is_applied_as_usual(&self, test: &SuiteTest, at: usize, variables: &Variables) -> bool {
        let statement = &test.statements[at];
        let made = &test.statements[statement.receiver];
        let name = self.target(&test.statements, statement.receiver).and_then(|target| {
            let names = self.words.names(target, &self.model);
            names.iter().find_map(|name| variables.get(name))
        });
        let name = name.or_else(|| variables.get(callee(made).rsplit(['.', '#']).next()?));
        let given = &statement.arguments[1.min(statement.arguments.len())..];
        let Some(calls) = name.and_then(|name| self.words.calls.get(name)) else {
            // Without examples, accept one argument if it is a collection or the result is a
            // string.
            let text = test.assertions[at].get("string").is_some();
            return matches!(given, [it] if text || matches!(it, Argument::Array(_) | Argument::Object(_)));
        };
        let kinds = |position: usize| -> BTreeSet<&str> {
            calls.iter().filter_map(|call| super::kinds::kind_of(call.get(position)?)).collect()
        };
        let counts = || calls.iter().map(|call| call.len());
        let fits = |(position, it): (usize, &Argument)| {
            let known = kinds(position);
            known.is_empty() || kind(it).is_none_or(|of| known.contains(of))
        };
        let counted = match (counts().min(), counts().max()) {
            (Some(fewest), Some(most)) => (fewest..=most).contains(&given.len()),
            _ => true,
        };
        counted && given.iter().enumerate().all(fits)
    }
}

/// The type of the result of a function of a declared type.
fn result_of(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::Function(result) => Some(result),
        Shape::Union(shapes) => shapes.iter().find_map(result_of),
        _ => None,
    }
}

/// Whether a declared type permits a kind.
fn shape_has(shape: &Shape, of: &str, depth: usize) -> bool {
    match shape {
        Shape::Union(shapes) => {
            depth < 4 && shapes.iter().any(|shape| shape_has(shape, of, depth + 1))
        }
        Shape::Function(_) => of == "function",
        Shape::Named(name) => name.eq_ignore_ascii_case(of),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_methods_need_an_argument() {
        assert!(needs_argument("startsWith") && needs_argument("equals"));
        assert!(!needs_argument("toString") && !needs_argument("sort"));
    }

    #[test]
    fn names_say_which_parameters_are_alike() {
        let alike = [("a", "b"), ("left", "right"), ("date1", "date2")];
        assert!(alike.iter().all(|(one, other)| are_alike(one, other)));
        let apart = [("text", "size"), ("a", "size"), ("key", "value")];
        assert!(apart.iter().all(|(one, other)| !are_alike(one, other)));
    }
}
