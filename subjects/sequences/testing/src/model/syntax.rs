//! The syntax tree of a model.

use crate::span::Span;

/// An expression: a value or a set of events, depending on the context.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) span: Span,
    pub(super) kind: ExprKind,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(i32),
    Text(String),
    Flag(bool),
    Name(String),
    /// `a.b`
    Member(Box<Expr>, String),
    /// `f(...)`
    Call(Box<Expr>, Vec<Argument>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    Tuple(Vec<(Option<String>, Expr)>),
    List(Vec<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Union(Box<Expr>, Box<Expr>),
    All,
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Modulo,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    And,
    Or,
}

#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// `*`: other fields are free.
    Rest,
    Named(String, Expr),
    Plain(Expr),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sync {
    pub(super) request: Option<Expr>,
    pub(super) wait: Option<Expr>,
    pub(super) block: Option<Expr>,
    pub(super) interrupt: Option<Expr>,
    pub(super) priority: Option<Expr>,
    pub(super) weight: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) span: Span,
    pub(super) kind: StatementKind,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    Sync(Sync),
    /// `let x = request ...`
    LetSync(String, Sync),
    Let(String, Expr),
    Assign(Expr, Expr),
    Push(Expr, Expr),
    PopFront(Expr),
    Reverse(Expr),
    Loop(Vec<Statement>),
    While(Expr, Vec<Statement>),
    For(String, Expr, Vec<Statement>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    Break,
    Stop,
}

#[derive(Clone, Debug)]
pub(super) enum TypeSyntax {
    Range(Expr, Expr),
    Flag,
    Words(Vec<String>),
    Tuple(Vec<(String, TypeSyntax)>),
    List(Expr, Box<TypeSyntax>),
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) span: Span,
    pub(super) name: String,
    pub(super) of: TypeSyntax,
    pub(super) start: Expr,
}

#[derive(Clone, Debug)]
pub(super) struct ThreadSyntax {
    pub(super) span: Span,
    pub(super) name: String,
    pub(super) guard: Option<Expr>,
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct EffectSyntax {
    pub(super) event: Expr,
    /// The name of the event in the effect.
    pub(super) alias: Option<String>,
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct WordSyntax {
    pub(super) span: Span,
    pub(super) name: String,
    pub(super) word: Vec<Expr>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Syntax {
    pub(super) name: Option<String>,
    pub(super) constants: Vec<(String, Expr)>,
    pub(super) events: Vec<Expr>,
    pub(super) data: Vec<Variable>,
    pub(super) effects: Vec<EffectSyntax>,
    pub(super) threads: Vec<ThreadSyntax>,
    pub(super) faults: Vec<WordSyntax>,
    pub(super) requirements: Vec<WordSyntax>,
    /// `default t = N`.
    pub(super) strength: Option<u32>,
    pub(super) includes: Vec<(String, Span)>,
}
