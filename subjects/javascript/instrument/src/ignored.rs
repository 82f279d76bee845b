//! Code that comments tell Istanbul to ignore: `istanbul ignore next`, `if`, `else` and `file`.
//!
//! A comment belongs to the outermost node that begins after it, as Babel attaches comments.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::AstKind;
use oxc_ast::ast::{Comment, Expression, Program, PropertyKey, PropertyKind};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Next,
    If,
    Else,
    File,
}

impl Hint {
    fn of(comment: &Comment, source: &str) -> Option<Hint> {
        let text = comment.content_span().source_text(source).trim_start();
        let words = text.strip_prefix("istanbul").and_then(after_space)?;
        let words = words.strip_prefix("ignore").and_then(after_space)?;
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        match words.find(|letter| !is_word(letter)).map_or(words, |end| &words[..end]) {
            "next" => Some(Hint::Next),
            "if" => Some(Hint::If),
            "else" => Some(Hint::Else),
            "file" => Some(Hint::File),
            _ => None,
        }
    }
}

fn after_space(text: &str) -> Option<&str> {
    let rest = text.trim_start();
    (rest.len() < text.len()).then_some(rest)
}

#[derive(Default)]
pub(crate) struct Ignored {
    /// Ranges of ignored nodes, ascending, without overlaps.
    ranges: Vec<(u32, u32)>,
    /// Starts of operands and of sides of `?:` that do not count as locations of their branch.
    parts: BTreeSet<u32>,
    /// For the start of an `if`, the outcome that does not count as a location of its branch.
    outcomes: BTreeMap<u32, bool>,
}

impl Ignored {
    pub(crate) fn of(program: &Program<'_>, source: &str) -> Ignored {
        let hints: Vec<(&Comment, Hint)> = program
            .comments
            .iter()
            .filter_map(|comment| Some((comment, Hint::of(comment, source)?)))
            .collect();
        if hints.is_empty() {
            return Ignored::default();
        }
        if hints.iter().any(|(_, hint)| *hint == Hint::File) {
            return Ignored { ranges: vec![(0, u32::MAX)], ..Ignored::default() };
        }
        let comments: BTreeMap<u32, u32> =
            program.comments.iter().map(|each| (each.span.start, each.span.end)).collect();
        // If several hints precede a token, the last one is used.
        let hints = hints
            .into_iter()
            .map(|(comment, hint)| (next_token(comment.span.end, source, &comments), hint));
        let mut finder = Finder {
            source,
            hints: hints.collect(),
            around: Vec::new(),
            found: Ignored::default(),
        };
        finder.visit_program(program);
        let mut found = finder.found;
        found.ranges.sort_unstable_by_key(|(start, end)| (*start, u32::MAX - end));
        let mut last = 0;
        found.ranges.retain(|(_, end)| {
            let outside = *end > last;
            last = last.max(*end);
            outside
        });
        found
    }

    pub(crate) fn at(&self, start: u32) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= start);
        after > 0 && start < self.ranges[after - 1].1
    }

    pub(crate) fn part(&self, it: &Expression<'_>) -> bool {
        let start = it.without_parentheses().span().start;
        self.parts.contains(&start) || self.at(start)
    }

    pub(crate) fn outcome(&self, start: u32, outcome: bool) -> bool {
        self.outcomes.get(&start) == Some(&outcome)
    }
}

fn next_token(mut at: u32, source: &str, comments: &BTreeMap<u32, u32>) -> u32 {
    loop {
        let rest = source.get(at as usize..).unwrap_or("");
        at += (rest.len() - rest.trim_start().len()) as u32;
        match comments.get(&at) {
            Some(end) => at = *end,
            None => return at,
        }
    }
}

struct Finder<'s, 'a> {
    source: &'s str,
    /// Hints that are not assigned yet, by the start of the token after them.
    hints: BTreeMap<u32, Hint>,
    /// The ancestors of the current node, outermost first.
    around: Vec<AstKind<'a>>,
    found: Ignored,
}

impl<'a> Visit<'a> for Finder<'_, 'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.forget(kind);
        let start = kind.span().start;
        match kind {
            AstKind::Program(_) => {}
            AstKind::ParenthesizedExpression(it) => {
                if let Some(hint) = self.hints.remove(&start) {
                    self.hints.entry(it.expression.span().start).or_insert(hint);
                }
            }
            _ => match self.hints.remove(&start) {
                Some(Hint::Next) => self.ignore(kind),
                Some(hint) => self.ignore_outcome(kind, hint == Hint::If),
                None => {}
            },
        }
        self.around.push(kind);
    }

    fn leave_node(&mut self, _: AstKind<'a>) {
        self.around.pop();
    }
}

impl<'a> Finder<'_, 'a> {
    /// The ancestor that is `up` levels above the parent of the current node, not counting
    /// parentheses.
    fn parent(&self, up: usize) -> Option<AstKind<'a>> {
        let nodes = self.around.iter().rev();
        nodes.filter(|kind| !matches!(kind, AstKind::ParenthesizedExpression(_))).nth(up).copied()
    }

    fn ignore(&mut self, kind: AstKind<'a>) {
        let span = kind.span();
        if self.is_known(kind) {
            self.found.ranges.push((span.start, span.end));
        }
        let is_part = match self.parent(0) {
            Some(AstKind::LogicalExpression(_)) => !matches!(kind, AstKind::LogicalExpression(_)),
            Some(AstKind::ConditionalExpression(it)) => span.start >= it.consequent.span().start,
            _ => false,
        };
        if is_part {
            self.found.parts.insert(span.start);
        }
    }

    fn ignore_outcome(&mut self, kind: AstKind<'a>, outcome: bool) {
        let AstKind::IfStatement(it) = kind else { return };
        self.found.outcomes.insert(it.span.start, outcome);
        let side = if outcome { Some(&it.consequent) } else { it.alternate.as_ref() };
        let span = side.map(GetSpan::span);
        self.found.ranges.extend(span.map(|span| (span.start, span.end)));
    }

    fn is_known(&self, kind: AstKind<'a>) -> bool {
        match kind {
            AstKind::Class(class) => class.is_declaration(),
            AstKind::FormalParameter(parameter) => parameter.initializer.is_some(),
            // The function of a method begins at its parameters, and Babel has no such node.
            AstKind::Function(function) => {
                self.source.as_bytes().get(function.span.start as usize) != Some(&b'(')
            }
            AstKind::MethodDefinition(method) => {
                !matches!(method.key, PropertyKey::PrivateIdentifier(_))
            }
            AstKind::ObjectProperty(it) => it.method || it.kind != PropertyKind::Init,
            _ => matches!(
                kind,
                AstKind::ArrowFunctionExpression(_)
                    | AstKind::AssignmentPattern(_)
                    | AstKind::AssignmentTargetWithDefault(_)
                    | AstKind::BlockStatement(_)
                    | AstKind::BreakStatement(_)
                    | AstKind::ConditionalExpression(_)
                    | AstKind::ContinueStatement(_)
                    | AstKind::DebuggerStatement(_)
                    | AstKind::DoWhileStatement(_)
                    | AstKind::ExportDeclaration(_)
                    | AstKind::ExportDefaultDeclaration(_)
                    | AstKind::ExportFromDeclaration(_)
                    | AstKind::ExportNamedDeclaration(_)
                    | AstKind::ExpressionStatement(_)
                    | AstKind::ForInStatement(_)
                    | AstKind::ForOfStatement(_)
                    | AstKind::ForStatement(_)
                    | AstKind::FunctionBody(_)
                    | AstKind::IfStatement(_)
                    | AstKind::LabeledStatement(_)
                    | AstKind::LogicalExpression(_)
                    | AstKind::PropertyDefinition(_)
                    | AstKind::ReturnStatement(_)
                    | AstKind::SwitchCase(_)
                    | AstKind::SwitchStatement(_)
                    | AstKind::ThrowStatement(_)
                    | AstKind::TryStatement(_)
                    | AstKind::VariableDeclaration(_)
                    | AstKind::VariableDeclarator(_)
                    | AstKind::WhileStatement(_)
                    | AstKind::WithStatement(_)
            ),
        }
    }

    /// Removes the hint before a value that Istanbul replaces with a sequence expression, such as a
    /// default value. Istanbul attaches the hint to the sequence, where it does not look for hints.
    fn forget(&mut self, kind: AstKind<'a>) {
        let value = match kind {
            AstKind::VariableDeclarator(it) => {
                it.init.as_ref().filter(|init| !self.is_hoisted(init))
            }
            AstKind::FormalParameter(it) => it.initializer.as_deref(),
            AstKind::AssignmentPattern(it) => Some(&it.right),
            AstKind::AssignmentTargetWithDefault(it) => Some(&it.init),
            AstKind::AssignmentTargetPropertyIdentifier(it) => it.init.as_ref(),
            AstKind::PropertyDefinition(it) => it.value.as_ref(),
            AstKind::Class(it) if it.is_declaration() => {
                let parent = it.heritage.as_ref().map(|heritage| &heritage.expression);
                parent.filter(|parent| !matches!(parent, Expression::Identifier(_)))
            }
            _ => None,
        };
        let Some(mut value) = value else { return };
        self.hints.remove(&value.span().start);
        while let Expression::ParenthesizedExpression(inner) = value {
            value = &inner.expression;
            self.hints.remove(&value.span().start);
        }
    }

    /// Whether Istanbul inserts the counter of a declarator before the declaration instead of
    /// replacing the value.
    fn is_hoisted(&self, init: &Expression<'a>) -> bool {
        let function = matches!(
            init.without_parentheses(),
            Expression::FunctionExpression(_)
                | Expression::ArrowFunctionExpression(_)
                | Expression::ClassExpression(_)
        );
        // The current node is a declarator, its parent is the declaration, and the next ancestor
        // holds the declaration.
        let holder = self.parent(1);
        let block = matches!(
            holder,
            Some(
                AstKind::Program(_)
                    | AstKind::BlockStatement(_)
                    | AstKind::FunctionBody(_)
                    | AstKind::ExportDeclaration(_)
            )
        );
        function && block
    }
}
