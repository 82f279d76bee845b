//! Edits of text at positions in the original.

#[derive(Default)]
pub(crate) struct Splicer {
    edits: Vec<Edit>,
}

struct Edit {
    start: u32,
    end: u32,
    /// Whether the edit is applied after the closing insertions at the same position.
    opens: bool,
    text: String,
}

impl Splicer {
    /// Outer nodes must be opened first.
    pub(crate) fn open(&mut self, at: u32, text: impl Into<String>) {
        self.edits.push(Edit { start: at, end: at, opens: true, text: text.into() });
    }

    /// Inner nodes must be closed first.
    pub(crate) fn close(&mut self, at: u32, text: impl Into<String>) {
        self.edits.push(Edit { start: at, end: at, opens: false, text: text.into() });
    }

    /// No other replacement may overlap the range.
    pub(crate) fn replace(&mut self, start: u32, end: u32, text: impl Into<String>) {
        self.edits.push(Edit { start, end, opens: true, text: text.into() });
    }

    pub(crate) fn apply(mut self, source: &str) -> String {
        self.edits.sort_by_key(|edit| (edit.start, edit.opens));
        let added: usize = self.edits.iter().map(|edit| edit.text.len()).sum();
        let mut text = String::with_capacity(source.len() + added);
        let mut from = 0;
        for edit in &self.edits {
            let start = (edit.start as usize).max(from);
            push(&mut text, &source[from..start]);
            push(&mut text, &edit.text);
            from = start.max(edit.end as usize);
        }
        push(&mut text, &source[from..]);
        text
    }
}

/// Two words must not run together, as after `return` in `return"x"`.
fn push(text: &mut String, part: &str) {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    if text.ends_with(is_word) && part.starts_with(is_word) {
        text.push(' ');
    }
    text.push_str(part);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_apart() {
        let mut splicer = Splicer::default();
        splicer.open(6, "f(");
        splicer.close(9, ")");
        splicer.open(9, "in");
        assert_eq!(splicer.apply("return'x'of"), "return f('x')in of");
    }

    #[test]
    fn nested_insertions_stay_nested() {
        let mut splicer = Splicer::default();
        splicer.open(0, "(");
        splicer.open(0, "[");
        splicer.close(1, "]");
        splicer.replace(1, 2, ",");
        splicer.open(2, "<");
        splicer.close(3, ">");
        splicer.close(3, ")");
        assert_eq!(splicer.apply("a+b"), "([a],<b>)");
    }
}
