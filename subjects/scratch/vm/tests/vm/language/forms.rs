//! The parser of the notation, which consists of words, quoted strings, lists, branches and forms
//! with a key.

use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Debug)]
pub(super) enum Form {
    Word(String),
    Quoted(String),
    List(Vec<Form>),
    Branch(Vec<Form>),
    Keyed(String, Box<Form>),
}

impl Form {
    pub(super) fn text(&self) -> &str {
        match self {
            Form::Word(w) | Form::Quoted(w) => w,
            other => panic!("a word, not {other:?}"),
        }
    }
}

pub(super) fn parse(source: &str) -> Vec<Form> {
    let mut chars = source.chars().peekable();
    let forms = sequence(&mut chars, None);
    assert!(chars.next().is_none());
    forms
}

fn sequence(chars: &mut Peekable<Chars<'_>>, end: Option<char>) -> Vec<Form> {
    let mut forms = Vec::new();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        match chars.peek().copied() {
            None if end.is_none() => return forms,
            c if c == end => {
                chars.next();
                return forms;
            }
            _ => forms.push(form(chars)),
        }
    }
}

fn form(chars: &mut Peekable<Chars<'_>>) -> Form {
    match chars.next().expect("a form") {
        '(' => Form::List(sequence(chars, Some(')'))),
        '[' => Form::Branch(sequence(chars, Some(']'))),
        '"' => Form::Quoted(chars.by_ref().take_while(|&c| c != '"').collect()),
        first => {
            let mut word = String::from(first);
            while let Some(c) = chars.next_if(|&c| !c.is_whitespace() && !"()[]\"".contains(c)) {
                let key = word.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
                if c == '=' && key {
                    return Form::Keyed(word, Box::new(form(chars)));
                }
                word.push(c);
            }
            Form::Word(word)
        }
    }
}
