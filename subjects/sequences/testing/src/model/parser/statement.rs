//! Parser of statements of threads and effects.

use super::super::error::ModelError;
use super::super::syntax::{Statement, StatementKind};
use super::super::token::Token;
use super::Parser;

impl Parser {
    pub(super) fn block(&mut self) -> Result<Vec<Statement>, ModelError> {
        let open = self.span();
        self.expect("{")?;
        self.nested(|parser| {
            let mut statements = Vec::new();
            while !parser.skip("}") {
                if *parser.token() == Token::End {
                    return Err(ModelError::new(open, "this `{` is never closed").hint("add a `}`"));
                }
                statements.push(parser.statement()?);
                while parser.skip(";") {}
            }
            Ok(statements)
        })
    }

    fn statement(&mut self) -> Result<Statement, ModelError> {
        let span = self.span();
        self.operators = 0;
        let word = match self.token() {
            Token::Word(word) => word.clone(),
            _ => return Err(self.unexpected("a statement")),
        };
        let kind = match word.as_str() {
            "request" | "wait" | "block" | "interrupt" | "priority" => {
                StatementKind::Sync(self.sync()?)
            }
            "let" => {
                self.advance();
                let name = self.name("a name")?;
                self.expect("=")?;
                let syncs = ["request", "wait", "block", "interrupt", "priority"];
                if syncs.iter().any(|word| self.is_word(word)) {
                    StatementKind::LetSync(name, self.sync()?)
                } else {
                    StatementKind::Let(name, self.expression()?)
                }
            }
            "push" => {
                self.advance();
                let list = self.expression()?;
                self.expect(",")?;
                StatementKind::Push(list, self.expression()?)
            }
            "pop" => {
                self.advance();
                self.expect_word("front")?;
                StatementKind::PopFront(self.expression()?)
            }
            "reverse" => {
                self.advance();
                StatementKind::Reverse(self.expression()?)
            }
            "loop" => {
                self.advance();
                StatementKind::Loop(self.block()?)
            }
            "while" => {
                self.advance();
                StatementKind::While(self.expression()?, self.block()?)
            }
            "for" => {
                self.advance();
                let name = self.name("a name")?;
                self.expect_word("in")?;
                StatementKind::For(name, self.expression()?, self.block()?)
            }
            "if" => {
                self.advance();
                self.condition()?
            }
            "break" => {
                self.advance();
                StatementKind::Break
            }
            "stop" => {
                self.advance();
                StatementKind::Stop
            }
            _ => {
                let place = self.postfix()?;
                if !self.is_sign("=") {
                    let error = self.unexpected("a statement");
                    return Err(ModelError::new(
                        span,
                        format!("`{word}` does not begin a statement"),
                    )
                    .hint(if error.hint.is_empty() {
                        "begin with request, wait, block, interrupt, let, loop, for, while, if, \
                             break, stop, push, pop front, reverse, or NAME ="
                            .to_owned()
                    } else {
                        error.hint
                    }));
                }
                self.advance();
                StatementKind::Assign(place, self.expression()?)
            }
        };
        Ok(Statement { span, kind })
    }

    fn condition(&mut self) -> Result<StatementKind, ModelError> {
        let condition = self.expression()?;
        let then = self.block()?;
        if !self.skip_word("else") {
            return Ok(StatementKind::If(condition, then, Vec::new()));
        }
        let span = self.span();
        if self.skip_word("if") {
            let kind = self.nested(Parser::condition)?;
            return Ok(StatementKind::If(condition, then, vec![Statement { span, kind }]));
        }
        Ok(StatementKind::If(condition, then, self.block()?))
    }
}
