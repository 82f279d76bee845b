//! The literals of one part of a program.

use std::collections::BTreeSet;

use catherd_javascript_machine::instrument::Literal;

#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub(super) texts: Vec<String>,
    pub(super) numbers: Vec<f64>,
    /// Indices of regular expressions.
    pub(super) patterns: Vec<usize>,
    /// Short strings that are not alphanumeric, and characters whose codes occur in the file.
    pub(super) tokens: Vec<String>,
    /// Short alphanumeric strings.
    pub(super) names: Vec<String>,
}

impl Pool {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.patterns.is_empty()
    }

    /// Finds short strings that are not alphanumeric and, if the file reads character codes,
    /// characters whose codes are numbers in the file.
    pub(super) fn find_tokens(&mut self, codes: bool) {
        let mut tokens = BTreeSet::new();
        for text in &self.texts {
            let signs = !text.is_empty() && text.chars().count() <= 3;
            if signs && !text.chars().all(char::is_alphanumeric) {
                tokens.insert(text.clone());
            }
        }
        for number in self.numbers.iter().filter(|_| codes) {
            if (9.0..127.0).contains(number) && number.fract() == 0.0 {
                tokens.insert(char::from(*number as u8).to_string());
            }
        }
        self.tokens = tokens.into_iter().collect();
        let name = |text: &&String| {
            (1..=10).contains(&text.len()) && text.chars().all(char::is_alphanumeric)
        };
        let names: BTreeSet<&String> = self.texts.iter().filter(name).collect();
        self.names = names.into_iter().cloned().collect();
    }

    pub(super) fn add(&mut self, literal: &Literal, pattern: Option<usize>) {
        match literal {
            Literal::Text(text) => self.texts.push(text.clone()),
            Literal::Number(bits) => self.numbers.push(f64::from_bits(*bits)),
            Literal::Pattern(..) => self.patterns.extend(pattern),
            _ => {}
        }
    }
}
