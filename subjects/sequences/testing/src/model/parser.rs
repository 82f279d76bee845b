//! The parser of the model language.

mod expression;
mod statement;

use super::error::{ModelError, closest};
use super::syntax::{EffectSyntax, ExprKind, Syntax, ThreadSyntax, TypeSyntax};
use super::syntax::{Statement, StatementKind, Sync, Variable, WordSyntax};
use super::token::{Token, tokens};
use crate::span::Span;

/// Maximum depth of nesting.
const DEEPEST: usize = 100;

/// Maximum number of operators of a statement.
const MAX_OPERATORS: usize = 400;

/// Words that begin a declaration.
const ITEMS: [&str; 11] = [
    "model",
    "include",
    "const",
    "events",
    "data",
    "on",
    "thread",
    "request",
    "fault",
    "requirement",
    "default",
];

/// The only word of [`ITEMS`] that may also be a name.
const NAME: &str = "requirement";

/// Other words that cannot be names.
const WORDS: [&str; 24] = [
    "wait",
    "block",
    "interrupt",
    "priority",
    "let",
    "loop",
    "for",
    "in",
    "if",
    "else",
    "while",
    "break",
    "stop",
    "push",
    "pop",
    "reverse",
    "when",
    "and",
    "or",
    "not",
    "mod",
    "all",
    "true",
    "false",
];

fn keywords() -> impl Iterator<Item = &'static str> {
    ITEMS.into_iter().filter(|word| *word != NAME).chain(WORDS)
}

/// Adds the declarations of a file to a syntax tree.
pub(super) fn parse(text: &str, file: u32, syntax: &mut Syntax) -> Result<(), ModelError> {
    let mut parser = Parser { tokens: tokens(text, file)?, at: 0, depth: 0, operators: 0 };
    while *parser.token() != Token::End {
        parser.item(syntax)?;
    }
    Ok(())
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    operators: usize,
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) -> Token {
        let token = self.token().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(found) if found == word)
    }

    fn skip(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn skip_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), ModelError> {
        if self.skip(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    fn expect_word(&mut self, word: &str) -> Result<(), ModelError> {
        if self.skip_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    fn unexpected(&self, wanted: &str) -> ModelError {
        let found = self.token().shown();
        let error = ModelError::new(self.span(), format!("expected {wanted}, found {found}"));
        match self.token() {
            Token::Word(word) if keywords().all(|keyword| keyword != word) => {
                match closest(word, keywords()) {
                    Some(keyword) => {
                        error.hint(format!("write `{keyword}`, if that is what you mean"))
                    }
                    None => error,
                }
            }
            Token::Word(word) => {
                error.hint(format!("`{word}` is a keyword: as a name, write \"{word}\""))
            }
            _ => error,
        }
    }

    fn name(&mut self, wanted: &str) -> Result<String, ModelError> {
        match self.token() {
            Token::Word(word) if keywords().all(|keyword| keyword != word) => {
                let word = word.clone();
                self.advance();
                Ok(word)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    fn title(&mut self, wanted: &str) -> Result<String, ModelError> {
        if let Token::Text(text) = self.token() {
            let text = text.clone();
            self.advance();
            return Ok(text);
        }
        self.name(wanted)
    }

    /// Counts an operator, because a chain of operators is nested as deeply as it is long.
    fn operator(&mut self) -> Result<(), ModelError> {
        self.operators += 1;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let cause = format!("more than {MAX_OPERATORS} operators in one statement");
        Err(ModelError::new(self.span(), cause).hint("use constants for parts of the expression"))
    }

    fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        if self.depth == DEEPEST {
            let cause = format!("more than {DEEPEST} levels of nesting");
            return Err(ModelError::new(self.span(), cause).hint("write it with fewer levels"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn item(&mut self, syntax: &mut Syntax) -> Result<(), ModelError> {
        let span = self.span();
        self.operators = 0;
        let Token::Word(word) = self.token().clone() else {
            return Err(self.unexpected(&format!("one of {}", ITEMS.join(", "))));
        };
        if word != "request" && ITEMS.contains(&word.as_str()) {
            self.advance();
        }
        match word.as_str() {
            "model" => syntax.name = Some(self.title("the name of the model")?),
            "include" => match self.advance() {
                Token::Text(path) => syntax.includes.push((path, span)),
                _ => {
                    return Err(ModelError::new(span, "`include` without a file")
                        .hint("write include \"other.bp\""));
                }
            },
            "const" => {
                let name = self.name("the name of the constant")?;
                self.expect("=")?;
                let value = self.expression()?;
                syntax.constants.push((name, value));
            }
            "events" => loop {
                self.operators = 0;
                syntax.events.push(self.expression()?);
                if !self.skip(",") {
                    break;
                }
            },
            "data" => self.data(syntax)?,
            "on" => {
                let event = self.expression()?;
                let alias = self.skip_word("as").then(|| self.name("a name for the event"));
                let alias = alias.transpose()?;
                let body = self.block()?;
                syntax.effects.push(EffectSyntax { event, alias, body });
            }
            "thread" => {
                let name = self.title("the name of the thread")?;
                let guard = self.skip_word("when").then(|| self.expression()).transpose()?;
                let body = self.block()?;
                syntax.threads.push(ThreadSyntax { span, name, guard, body });
            }
            "request" => syntax.threads.push(self.guarded_request()?),
            "fault" => {
                let fault = self.named_word(span, "the name of the fault")?;
                syntax.faults.push(fault);
            }
            // `requirement` is not a keyword, so events and variables may have this name.
            "requirement" => {
                let requirement = self.named_word(span, "the name of the requirement")?;
                syntax.requirements.push(requirement);
            }
            "default" => {
                if self.name("`t`")? != "t" {
                    return Err(
                        ModelError::new(span, "unknown default").hint("write default t = 3")
                    );
                }
                self.expect("=")?;
                match self.advance() {
                    Token::Number(t @ 1..) => syntax.strength = Some(t as u32),
                    _ => {
                        return Err(ModelError::new(span, "`default t` is not a positive number")
                            .hint("write default t = 3"));
                    }
                }
            }
            _ => {
                let error = ModelError::new(span, format!("`{word}` does not begin a declaration"));
                return Err(match closest(&word, ITEMS) {
                    Some(item) => error.hint(format!("write `{item}`, if that is what you mean")),
                    None => error.hint(format!("begin with one of {}", ITEMS.join(", "))),
                });
            }
        }
        self.skip(";");
        Ok(())
    }

    fn named_word(&mut self, span: Span, wanted: &str) -> Result<WordSyntax, ModelError> {
        let name = self.title(wanted)?;
        self.expect(":")?;
        let mut word = vec![self.expression()?];
        while self.skip(",") {
            word.push(self.expression()?);
        }
        Ok(WordSyntax { span, name, word })
    }

    /// Reads `request E when GUARD`: a thread that requests E repeatedly while the guard holds.
    fn guarded_request(&mut self) -> Result<ThreadSyntax, ModelError> {
        let span = self.span();
        let sync = self.sync()?;
        if !self.skip_word("when") {
            return Err(self.unexpected("`when` and a condition").hint(
                "outside threads, write request EVENT when CONDITION, or put it into a thread",
            ));
        }
        let guard = Some(self.expression()?);
        let name = match &sync.request {
            Some(request) => format!("request {}", label(&request.kind)),
            None => "request".to_owned(),
        };
        let again = Statement { span, kind: StatementKind::Sync(sync) };
        let body = vec![Statement { span, kind: StatementKind::Loop(vec![again]) }];
        Ok(ThreadSyntax { span, name, guard, body })
    }

    fn data(&mut self, syntax: &mut Syntax) -> Result<(), ModelError> {
        if !self.skip("{") {
            let variable = self.variable()?;
            syntax.data.push(variable);
            return Ok(());
        }
        while !self.skip("}") {
            let variable = self.variable()?;
            syntax.data.push(variable);
            if !self.skip(",") {
                self.skip(";");
            }
        }
        Ok(())
    }

    fn variable(&mut self) -> Result<Variable, ModelError> {
        let span = self.span();
        self.operators = 0;
        let name = self.name("the name of a variable")?;
        self.expect(":")?;
        let of = self.type_()?;
        self.expect("=")?;
        Ok(Variable { span, name, of, start: self.expression()? })
    }

    fn type_(&mut self) -> Result<TypeSyntax, ModelError> {
        self.nested(|parser| {
            if parser.skip_word("bool") {
                return Ok(TypeSyntax::Flag);
            }
            if parser.skip_word("queue") || parser.skip_word("list") {
                let capacity = parser.sum()?;
                parser.expect_word("of")?;
                return Ok(TypeSyntax::List(capacity, Box::new(parser.type_()?)));
            }
            if parser.skip("{") {
                let mut words = vec![parser.title("a word")?];
                while parser.skip(",") {
                    words.push(parser.title("a word")?);
                }
                parser.expect("}")?;
                return Ok(TypeSyntax::Words(words));
            }
            if parser.skip("(") {
                let mut fields = Vec::new();
                loop {
                    let name = parser.name("the name of a field")?;
                    parser.expect(":")?;
                    fields.push((name, parser.type_()?));
                    if !parser.skip(",") {
                        break;
                    }
                }
                parser.expect(")")?;
                return Ok(TypeSyntax::Tuple(fields));
            }
            let low = parser.sum()?;
            if !parser.skip("..") {
                return Err(parser.unexpected("`..`").hint(
                    "types are 0..9, bool, {idle, busy}, (a: 0..1, b: bool), queue 2 of TYPE and \
                     list 9 of TYPE",
                ));
            }
            Ok(TypeSyntax::Range(low, parser.sum()?))
        })
    }

    fn sync(&mut self) -> Result<Sync, ModelError> {
        let mut sync = Sync::default();
        loop {
            let span = self.span();
            let Token::Word(word) = self.token().clone() else {
                return Err(self.unexpected("request, wait, block, interrupt, priority or weight"));
            };
            let clause = match word.as_str() {
                "request" => &mut sync.request,
                "wait" => &mut sync.wait,
                "block" => &mut sync.block,
                "interrupt" => &mut sync.interrupt,
                "priority" => &mut sync.priority,
                // `weight` is not a keyword, so events and variables may have this name.
                "weight" => &mut sync.weight,
                _ => {
                    return Err(
                        self.unexpected("request, wait, block, interrupt, priority or weight")
                    );
                }
            };
            if clause.is_some() {
                let error = ModelError::new(span, format!("`{word}` twice in one statement"));
                return Err(error.hint("write it once; join sets with `|`"));
            }
            self.advance();
            let value = self.expression()?;
            *match word.as_str() {
                "request" => &mut sync.request,
                "wait" => &mut sync.wait,
                "block" => &mut sync.block,
                "interrupt" => &mut sync.interrupt,
                "priority" => &mut sync.priority,
                _ => &mut sync.weight,
            } = Some(value);
            if !self.skip(",") {
                return Ok(sync);
            }
        }
    }
}

fn label(kind: &ExprKind) -> String {
    match kind {
        ExprKind::Name(name) | ExprKind::Text(name) => name.clone(),
        ExprKind::Number(number) => number.to_string(),
        ExprKind::Member(of, name) => format!("{}.{name}", label(&of.kind)),
        ExprKind::Call(of, _) => label(&of.kind),
        ExprKind::Union(a, b) => format!("{} | {}", label(&a.kind), label(&b.kind)),
        _ => "...".to_owned(),
    }
}
