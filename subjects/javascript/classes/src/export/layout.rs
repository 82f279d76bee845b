//! Layout of expressions in lines of at most 100 characters if possible.

/// Maximum length of a line, in characters.
pub(super) const WIDTH: usize = 100;

/// Width of one level of indentation, in characters.
const STEP: usize = 2;

/// An expression that can be written in one line or in several.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Doc {
    /// Text without a line break.
    Text(String),
    /// A list in brackets, whose items are all on one line or each on a separate line.
    List {
        /// Text up to the opening bracket, such as `new Map([` or `list.add(`.
        open: String,
        items: Vec<Doc>,
        /// The closing bracket and the text after it.
        close: String,
        /// Whether brackets have spaces inside, as in `{ a: 1 }`.
        spaced: bool,
        /// Whether a list on several lines ends with a comma.
        trailing: bool,
    },
    /// A sequence of parts without line breaks between them.
    Row(Vec<Doc>),
    /// A literal that is written as the sum of its parts, each on a separate line, if it is too
    /// long for one line.
    Sum(String, Vec<String>),
}

impl Doc {
    pub(super) fn text(text: impl Into<String>) -> Doc {
        Doc::Text(text.into())
    }

    pub(super) fn list(open: impl Into<String>, items: Vec<Doc>, close: &str) -> Doc {
        Doc::List {
            open: open.into(),
            items,
            close: close.to_owned(),
            spaced: false,
            trailing: true,
        }
    }

    pub(super) fn object(items: Vec<Doc>) -> Doc {
        if items.is_empty() {
            return Doc::text("{}");
        }
        let (open, close) = ("{".to_owned(), "}".to_owned());
        Doc::List { open, items, close, spaced: true, trailing: true }
    }

    pub(super) fn flat(&self) -> String {
        match self {
            Doc::Text(text) => text.clone(),
            Doc::Row(parts) => parts.iter().map(Doc::flat).collect(),
            Doc::Sum(whole, _) => whole.clone(),
            Doc::List { open, items, close, spaced, .. } => {
                let items: Vec<String> = items.iter().map(Doc::flat).collect();
                let space = if *spaced { " " } else { "" };
                format!("{open}{space}{}{space}{close}", items.join(", "))
            }
        }
    }

    /// Writes the expression from `column` of a line that is indented by `indent`.
    pub(super) fn write(&self, column: usize, indent: usize) -> String {
        let flat = self.flat();
        if column + length(&flat) <= WIDTH && !flat.contains('\n') {
            return flat;
        }
        match self {
            Doc::Text(text) => text.clone(),
            Doc::Row(parts) => {
                let mut text = String::new();
                let mut column = column;
                for (number, part) in parts.iter().enumerate() {
                    let rest: usize =
                        parts[number + 1..].iter().map(|part| length(&part.head())).sum();
                    let written = part.write(column + rest.min(12), indent);
                    column = match written.rsplit_once('\n') {
                        Some((_, last)) => length(last),
                        None => column + length(&written),
                    };
                    text += &written;
                }
                text
            }
            Doc::Sum(_, parts) => parts.join(&format!(" +\n{}", " ".repeat(indent + STEP))),
            Doc::List { open, items, close, trailing, .. } => {
                // The brackets of a call's only argument are directly next to the brackets of the
                // call.
                if let [only @ Doc::List { open: inner, .. }] = items.as_slice()
                    && !open.ends_with('{')
                    && !inner.is_empty()
                {
                    return format!("{open}{}{close}", only.write(column + length(open), indent));
                }
                let inside = indent + STEP;
                let margin = " ".repeat(inside);
                let mut lines = String::new();
                for (number, item) in items.iter().enumerate() {
                    let comma = if *trailing || number + 1 < items.len() { "," } else { "" };
                    lines += &format!("\n{margin}{}{comma}", item.write(inside + 1, inside));
                }
                format!("{open}{lines}\n{}{close}", " ".repeat(indent))
            }
        }
    }

    /// Sorts the members of objects by the order of their names in a list; other members follow.
    pub(super) fn ordered(mut self, order: &[String]) -> Doc {
        let parts = match &mut self {
            Doc::Text(_) | Doc::Sum(..) => return self,
            Doc::List { items, .. } | Doc::Row(items) => items,
        };
        *parts = std::mem::take(parts).into_iter().map(|part| part.ordered(order)).collect();
        if let Doc::List { items, spaced: true, .. } = &mut self {
            items.sort_by_key(|item| {
                let head = item.head();
                let name = head.trim_end_matches(": ");
                let known = order.iter().position(|known| known == name);
                (name != "__proto__", known.unwrap_or(order.len()))
            });
        }
        self
    }

    /// Moves empty, null and undefined members of an object to the end.
    pub(super) fn filled(mut self) -> Doc {
        let Doc::List { items, spaced: true, .. } = &mut self else { return self };
        let nothing = [": []", ": {}", ": ''", ": null", ": undefined"];
        let is_empty = |item: &Doc| nothing.iter().any(|end| item.flat().ends_with(end));
        let (empty, full): (Vec<Doc>, Vec<Doc>) =
            std::mem::take(items).into_iter().partition(|item| is_empty(item));
        items.extend(full);
        items.extend(empty);
        self
    }

    /// The beginning that cannot be broken.
    fn head(&self) -> String {
        match self {
            Doc::Text(text) => text.clone(),
            Doc::Row(parts) => parts.first().map(Doc::head).unwrap_or_default(),
            Doc::Sum(_, parts) => parts.first().cloned().unwrap_or_default(),
            Doc::List { open, .. } => open.clone(),
        }
    }
}

/// Number of characters.
pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_have_a_line_for_each_item() {
        let items = |count: usize| (0..count).map(|n| Doc::text(format!("{n}"))).collect();
        let short = Doc::list("f(", items(3), ")");
        assert_eq!(short.write(4, 4), "f(0, 1, 2)");
        let long = Doc::list("f(", items(40), ")");
        let lines = long.write(4, 4);
        assert!(
            lines.starts_with("f(\n      0,\n      1,\n") && lines.ends_with(",\n    )"),
            "{lines}"
        );
        let object =
            Doc::object(vec![Doc::Row(vec![Doc::text("a: "), Doc::list("[", items(40), "]")])]);
        let nested = Doc::list("equal(", vec![object], ")");
        assert!(
            nested.write(0, 0).starts_with("equal({\n  a: [\n    0,\n"),
            "{}",
            nested.write(0, 0)
        );
        assert_eq!(Doc::object(Vec::new()).flat(), "{}");
        let members = ["a: []", "b: 1", "c: null", "d: false"].map(Doc::text).to_vec();
        assert_eq!(Doc::object(members).filled().flat(), "{ b: 1, d: false, a: [], c: null }");
    }
}
