//! Parser of expressions; the functions are ordered from the weakest operator to the strongest.

use super::super::error::ModelError;
use super::super::syntax::{Argument, Expr, ExprKind, Operator};
use super::super::token::Token;
use super::Parser;

impl Parser {
    /// Reads `a or b`.
    pub(super) fn expression(&mut self) -> Result<Expr, ModelError> {
        self.nested(|parser| {
            let mut left = parser.conjunction()?;
            while parser.is_word("or") {
                left = parser.binary(Operator::Or, left, Parser::conjunction)?;
            }
            Ok(left)
        })
    }

    fn conjunction(&mut self) -> Result<Expr, ModelError> {
        let mut left = self.negation()?;
        while self.is_word("and") {
            left = self.binary(Operator::And, left, Parser::negation)?;
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expr, ModelError> {
        let span = self.span();
        if !self.skip_word("not") {
            return self.comparison();
        }
        let of = self.nested(Parser::negation)?;
        Ok(Expr { span, kind: ExprKind::Not(Box::new(of)) })
    }

    fn comparison(&mut self) -> Result<Expr, ModelError> {
        let left = self.union()?;
        let Token::Sign(sign) = self.token() else { return Ok(left) };
        let operator = match *sign {
            "==" => Operator::Equal,
            "!=" => Operator::Unequal,
            "<" => Operator::Less,
            "<=" => Operator::AtMost,
            ">" => Operator::Greater,
            ">=" => Operator::AtLeast,
            _ => return Ok(left),
        };
        self.binary(operator, left, Parser::union)
    }

    fn union(&mut self) -> Result<Expr, ModelError> {
        let mut left = self.range()?;
        while self.is_sign("|") {
            let span = self.span();
            self.operator()?;
            self.advance();
            let right = if self.is_word("not") { self.negation()? } else { self.range()? };
            let kind = ExprKind::Union(Box::new(left), Box::new(right));
            left = Expr { span, kind };
        }
        Ok(left)
    }

    fn range(&mut self) -> Result<Expr, ModelError> {
        let left = self.sum()?;
        let span = self.span();
        if !self.skip("..") {
            return Ok(left);
        }
        let right = self.sum()?;
        Ok(Expr { span, kind: ExprKind::Range(Box::new(left), Box::new(right)) })
    }

    /// Reads `a + b`.
    pub(super) fn sum(&mut self) -> Result<Expr, ModelError> {
        let mut left = self.product()?;
        loop {
            let operator = match self.token() {
                Token::Sign("+") => Operator::Add,
                Token::Sign("-") => Operator::Subtract,
                _ => return Ok(left),
            };
            left = self.binary(operator, left, Parser::product)?;
        }
    }

    fn product(&mut self) -> Result<Expr, ModelError> {
        let mut left = self.signed()?;
        loop {
            let operator = match self.token() {
                Token::Sign("*") => Operator::Multiply,
                Token::Word(word) if word == "mod" => Operator::Modulo,
                _ => return Ok(left),
            };
            left = self.binary(operator, left, Parser::signed)?;
        }
    }

    fn signed(&mut self) -> Result<Expr, ModelError> {
        let span = self.span();
        if !self.skip("-") {
            return self.postfix();
        }
        let of = self.nested(Parser::signed)?;
        Ok(Expr { span, kind: ExprKind::Minus(Box::new(of)) })
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: Expr,
        right: fn(&mut Parser) -> Result<Expr, ModelError>,
    ) -> Result<Expr, ModelError> {
        let span = self.span();
        self.operator()?;
        self.advance();
        let right = right(self)?;
        Ok(Expr { span, kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)) })
    }

    /// Reads `a.b[c](d)`.
    pub(super) fn postfix(&mut self) -> Result<Expr, ModelError> {
        let mut left = self.primary()?;
        loop {
            let span = left.span;
            let kind = if self.skip(".") {
                let name = match self.token().clone() {
                    Token::Word(word) => {
                        self.advance();
                        word
                    }
                    _ => return Err(self.unexpected("a name after `.`")),
                };
                ExprKind::Member(Box::new(left), name)
            } else if self.skip("[") {
                let index = self.expression()?;
                self.expect("]")?;
                ExprKind::Index(Box::new(left), Box::new(index))
            } else if self.is_sign("(")
                && matches!(left.kind, ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Text(_))
            {
                self.advance();
                ExprKind::Call(Box::new(left), self.arguments()?)
            } else {
                return Ok(left);
            };
            self.operator()?;
            left = Expr { span, kind };
        }
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, ModelError> {
        let mut arguments = Vec::new();
        if self.skip(")") {
            return Ok(arguments);
        }
        loop {
            let named = matches!(self.token(), Token::Word(_))
                && matches!(self.tokens.get(self.at + 1), Some((Token::Sign(":"), _)));
            arguments.push(if self.skip("*") {
                Argument::Rest
            } else if named {
                let Token::Word(name) = self.advance() else { unreachable!("a word is next") };
                self.advance();
                Argument::Named(name, self.expression()?)
            } else {
                Argument::Plain(self.expression()?)
            });
            if !self.skip(",") {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, ModelError> {
        let span = self.span();
        let kind = match self.token().clone() {
            Token::Number(number) => ExprKind::Number(number),
            Token::Text(text) => ExprKind::Text(text),
            Token::Word(word) if word == "true" || word == "false" => {
                ExprKind::Flag(word == "true")
            }
            Token::Word(word) if word == "all" => ExprKind::All,
            Token::Word(_) => {
                let name = self.name("an expression")?;
                return Ok(Expr { span, kind: ExprKind::Name(name) });
            }
            Token::Sign("(") => return self.parenthesis(),
            Token::Sign("[") => {
                self.advance();
                let mut items = Vec::new();
                while !self.skip("]") {
                    items.push(self.expression()?);
                    if !self.skip(",") {
                        self.expect("]")?;
                        break;
                    }
                }
                return Ok(Expr { span, kind: ExprKind::List(items) });
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(Expr { span, kind })
    }

    fn parenthesis(&mut self) -> Result<Expr, ModelError> {
        let span = self.span();
        self.expect("(")?;
        let mut fields = Vec::new();
        let mut single = true;
        loop {
            let named = matches!(self.token(), Token::Word(_))
                && matches!(self.tokens.get(self.at + 1), Some((Token::Sign(":"), _)));
            let name = if named {
                let Token::Word(name) = self.advance() else { unreachable!("a word is next") };
                self.advance();
                single = false;
                Some(name)
            } else {
                None
            };
            fields.push((name, self.expression()?));
            if !self.skip(",") {
                self.expect(")")?;
                break;
            }
            single = false;
        }
        if single {
            return Ok(fields.remove(0).1);
        }
        Ok(Expr { span, kind: ExprKind::Tuple(fields) })
    }
}
