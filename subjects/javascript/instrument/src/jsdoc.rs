//! Types of parameters from the `@param` tags of documentation comments.

use crate::declarations::{Declarations, Shape};

struct Tag<'c> {
    type_: &'c str,
    name: &'c str,
    name_first: bool,
    /// Whether the tag describes a member of the parameter, as in `options.depth`.
    member: bool,
    bracket: bool,
}

/// The documentation of a parameter in a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documented {
    /// The type, if it can be read and is not `any`.
    pub shape: Option<Shape>,
    /// Whether calls may leave the parameter out.
    pub optional: bool,
}

fn in_braces(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{')?;
    let mut depth = 1;
    let end = inner.char_indices().find_map(|(at, letter)| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        (depth == 0).then_some(at)
    })?;
    Some((&inner[..end], &inner[end + 1..]))
}

/// Returns a tag without a type, and the rest.
fn named(text: &str) -> (Tag<'_>, &str) {
    let inner = text.trim_start();
    let bracket = inner.starts_with('[');
    let inner = inner.trim_start_matches('[');
    let stop = inner.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let (name, rest) = inner.split_at(stop.unwrap_or(inner.len()));
    let member = !name.is_empty() && (rest.starts_with('.') || rest.starts_with("[]."));
    let rest = match bracket {
        true => rest.split_once(']').map_or("", |(_, rest)| rest),
        false => rest,
    };
    (Tag { type_: "", name, name_first: true, member, bracket }, rest)
}

/// `None` stands for a tag that begins with an unclosed type.
fn tags(comment: &str) -> impl Iterator<Item = Option<Tag<'_>>> {
    comment.split("@param").skip(1).map(|part| {
        let part = part.trim_start();
        if part.starts_with('{') {
            let (type_, rest) = in_braces(part)?;
            return Some(Tag { type_, name_first: false, ..named(rest).0 });
        }
        let (tag, rest) = named(part);
        let (type_, _) = in_braces(rest.trim_start()).unwrap_or_default();
        Some(Tag { type_, ..tag })
    })
}

fn shape(type_: &str) -> Option<Shape> {
    let type_ = type_.trim().trim_matches(['?', '!', '=']).trim_start_matches("...");
    let type_ = type_.replace('*', "any").replace(".<", "<");
    let words = crate::words::words("type.d.ts", &format!("type T = {type_};"));
    words.declarations.types.get("T").cloned().filter(|shape| *shape != Shape::Any)
}

impl Declarations {
    /// The shape of a parameter according to `@param {T} name` in a comment; `None` if it is
    /// unknown. A tag of a member, such as `@param {T} name.part`, also counts.
    pub fn documented(comment: &str, parameter: &str) -> Option<Shape> {
        let of_this = |tag: &Tag<'_>| !tag.name_first && tag.name == parameter;
        let tag = tags(comment).find(|tag| tag.as_ref().is_none_or(of_this))??;
        shape(tag.type_)
    }

    /// The documentation of each of these parameters in a comment. The forms `@param {T} name` and
    /// `@param name {T}` are read; if no tag has a known name, tags may be assigned by position.
    pub fn all_documented(comment: &str, parameters: &[&str]) -> Vec<Documented> {
        let tags: Vec<Tag<'_>> = tags(comment).flatten().filter(|tag| !tag.member).collect();
        let known = |tag: &Tag<'_>| parameters.contains(&tag.name);
        let in_order = tags.len() <= parameters.len() && !tags.iter().any(known);
        let tag = |(at, name): (usize, &&str)| match in_order {
            true => tags.get(at).filter(|tag| !tag.name_first),
            false => tags.iter().find(|tag| tag.name == *name),
        };
        let of = |tag: &Tag<'_>| Documented {
            shape: shape(tag.type_),
            optional: tag.bracket || tag.type_.trim_end().ends_with('='),
        };
        let tags = parameters.iter().enumerate().map(tag);
        tags.map(|tag| tag.map(of).unwrap_or_default()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Literal;

    #[test]
    fn comments_give_types_as_well() {
        let comment =
            "/** @param {{a: number}|string} x the value\n * @param {'up'|'down'} [way] */";
        let text = |text: &str| Shape::Literal(Literal::Text(text.to_owned()));
        let way = Declarations::documented(comment, "way");
        assert_eq!(way, Some(Shape::Union(vec![text("up"), text("down")])));
        assert!(matches!(Declarations::documented(comment, "x"), Some(Shape::Union(_))));
        assert_eq!(Declarations::documented(comment, "y"), None);
    }

    #[test]
    fn comments_give_types_in_other_forms() {
        let of = |comment: &str, parameters: &[&str]| {
            let found = Declarations::all_documented(comment, parameters).into_iter();
            let name = |shape: Shape| match shape {
                Shape::Named(name) => name,
                shape => format!("{shape:?}"),
            };
            let mark = |it: &Documented| if it.optional { "?" } else { "" };
            found
                .map(|it| format!("{}{}", mark(&it), it.shape.map_or(String::new(), name)))
                .collect::<Vec<_>>()
        };
        let first = "@param text {string} the text\n@param [size] {number} its size\n@param [at = 0] {Date}";
        assert_eq!(of(first, &["text", "size", "at"]), ["string", "?number", "?Date"]);
        let unnamed = "@param {string} - the text\n@param {Number=}\n@return {boolean}";
        assert_eq!(of(unnamed, &["a", "b", "c"]), ["string", "?Number", ""]);
        let members = "@param {Object} options\n@param {string} options.a\n@param {boolean} deep";
        assert_eq!(of(members, &["options", "deep"]), ["Object", "boolean"]);
        assert_eq!(of("@param {string} a\n@param b", &["b", "a"]), ["", "string"]);
        assert_eq!(of("@param {string", &["a"]), [""]);
    }
}
