//! Instrumentation of statements.

use oxc_ast::ast::{
    ForInStatement, ForOfStatement, ForStatement, IfStatement, Statement, SwitchStatement,
    VariableDeclarationKind,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use crate::units::{BranchKind, Control, GoalKind, Hit};
use crate::visitor::{Breakable, Visitor};

fn is_counted(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::BreakStatement(_)
            | Statement::ContinueStatement(_)
            | Statement::DebuggerStatement(_)
            | Statement::DoWhileStatement(_)
            | Statement::ExpressionStatement(_)
            | Statement::ForInStatement(_)
            | Statement::ForOfStatement(_)
            | Statement::ForStatement(_)
            | Statement::IfStatement(_)
            | Statement::LabeledStatement(_)
            | Statement::ReturnStatement(_)
            | Statement::SwitchStatement(_)
            | Statement::ThrowStatement(_)
            | Statement::TryStatement(_)
            | Statement::WhileStatement(_)
            | Statement::WithStatement(_)
    )
}

/// Whether the syntax of a statement shows that control never reaches the code after it.
fn always_leaves(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::BreakStatement(_)
        | Statement::ContinueStatement(_) => true,
        Statement::BlockStatement(block) => block.body.iter().any(always_leaves),
        Statement::IfStatement(it) => {
            always_leaves(&it.consequent) && it.alternate.as_ref().is_some_and(always_leaves)
        }
        _ => false,
    }
}

impl Visitor<'_, '_> {
    /// The counter is inserted at `at`, which is not after the start of the statement.
    pub(crate) fn statement(&mut self, it: &Statement<'_>, at: u32) {
        let span = it.span();
        if is_counted(it) {
            let counter = self.add_statement(span.start, span.end);
            let text = self.count(counter);
            self.out.open(at, format!("{text};"));
        }
        match it {
            Statement::LabeledStatement(labeled) => {
                self.labels.push(labeled.label.name.to_string());
                let is_loop = matches!(
                    labeled.body,
                    Statement::ForStatement(_)
                        | Statement::ForInStatement(_)
                        | Statement::ForOfStatement(_)
                        | Statement::WhileStatement(_)
                        | Statement::DoWhileStatement(_)
                        | Statement::LabeledStatement(_)
                );
                if is_loop {
                    self.statement(&labeled.body, at);
                } else {
                    let labels = std::mem::take(&mut self.labels);
                    self.breakables.push(Breakable { labels, plain: false, breaks: None });
                    self.statement(&labeled.body, at);
                    self.breakables.pop();
                }
            }
            Statement::IfStatement(it) => self.if_statement(it),
            Statement::WhileStatement(it) => {
                let site = self.loop_test(Some(&it.test), it.span.start);
                self.loop_body(&it.body, site, None);
            }
            Statement::DoWhileStatement(it) => {
                let site = self.loop_test(Some(&it.test), it.span.start);
                self.loop_body(&it.body, None, None);
                // The body runs before the first test, so it does not depend on the test.
                let _ = site;
            }
            Statement::ForStatement(it) => self.for_statement(it),
            Statement::ForInStatement(it) => self.for_in(it),
            Statement::ForOfStatement(it) => self.for_of(it),
            Statement::SwitchStatement(it) => self.switch(it),
            Statement::WithStatement(it) => {
                self.units.dynamic += 1;
                self.visit_expression(&it.object);
                self.body(&it.body);
            }
            Statement::VariableDeclaration(it) => {
                self.hoist_to(Some(at));
                self.visit_variable_declaration(it);
            }
            Statement::ExportDeclaration(it) => {
                if let oxc_ast::ast::Declaration::VariableDeclaration(declaration) = &it.declaration
                {
                    self.hoist_to(Some(declaration.span.start));
                }
                walk::walk_export_declaration(self, it);
            }
            _ => walk::walk_statement(self, it),
        }
    }

    fn body(&mut self, it: &Statement<'_>) {
        let span = it.span();
        let is_var = matches!(it, Statement::VariableDeclaration(declaration)
            if declaration.kind == VariableDeclarationKind::Var);
        if is_counted(it) || is_var {
            self.out.open(span.start, "{");
            self.statement(it, span.start);
            self.out.close(span.end, "}");
        } else {
            self.statement(it, span.start);
        }
    }

    /// Makes the code after an `if` depend on an outcome if exactly one branch always leaves the
    /// block.
    pub(crate) fn after_exit(&mut self, it: &Statement<'_>) {
        let Statement::IfStatement(statement) = it else { return };
        let Some(site) = self.ifs.get(&statement.span.start).copied() else { return };
        let consequent = always_leaves(&statement.consequent);
        let alternate = statement.alternate.as_ref().is_some_and(always_leaves);
        if consequent != alternate {
            self.control.push(Control { site, outcome: alternate });
        }
    }

    fn if_statement(&mut self, it: &IfStatement<'_>) {
        let site = self.site();
        self.ifs.insert(it.span.start, site);
        let counted = [true, false].map(|outcome| !self.ignored.outcome(it.span.start, outcome));
        self.two_way((it.span.start, it.span.end), BranchKind::If, site, counted);
        self.decide(&it.test, site, false);
        self.under(site, true, |this| this.body(&it.consequent));
        if let Some(alternate) = &it.alternate {
            self.under(site, false, |this| this.body(alternate));
        }
    }

    fn loop_test(
        &mut self,
        test: Option<&oxc_ast::ast::Expression<'_>>,
        start: u32,
    ) -> Option<u32> {
        let test = test?;
        if test.without_parentheses().is_literal() {
            self.visit_expression(test);
            return None;
        }
        let site = self.site();
        for (taken, outcome) in [(true, "enters"), (false, "ends")] {
            self.add_goal(start, GoalKind::Loop, outcome, Hit::Outcome { site, taken });
        }
        self.decide(test, site, false);
        Some(site)
    }

    /// Returns the counter of iterations.
    fn loop_body(&mut self, it: &Statement<'_>, site: Option<u32>, breaks: Option<u32>) -> u32 {
        let counter = self.step();
        let text = self.count(counter);
        let labels = std::mem::take(&mut self.labels);
        self.breakables.push(Breakable { labels, plain: true, breaks });
        let depth = self.control.len();
        self.control.extend(site.map(|site| Control { site, outcome: true }));
        let span = it.span();
        if let Statement::BlockStatement(block) = it {
            self.out.open(span.start + 1, format!("{text};"));
            self.visit_statements(&block.body);
        } else {
            self.out.open(span.start, format!("{{{text};"));
            self.statement(it, span.start);
            self.out.close(span.end, "}");
        }
        self.control.truncate(depth);
        self.breakables.pop();
        counter
    }

    fn for_statement(&mut self, it: &ForStatement<'_>) {
        if let Some(init) = &it.init {
            self.hoist_to(None);
            walk::walk_for_statement_init(self, init);
        }
        let site = self.loop_test(it.test.as_ref(), it.span.start);
        if let Some(update) = &it.update {
            self.visit_expression(update);
        }
        self.loop_body(&it.body, site, None);
    }

    fn for_in(&mut self, it: &ForInStatement<'_>) {
        self.hoist_to(None);
        walk::walk_for_statement_left(self, &it.left);
        self.visit_expression(&it.right);
        self.iteration(&it.body, it.span);
    }

    fn for_of(&mut self, it: &ForOfStatement<'_>) {
        self.hoist_to(None);
        walk::walk_for_statement_left(self, &it.left);
        self.visit_expression(&it.right);
        self.iteration(&it.body, it.span);
    }

    /// A for-in or for-of loop ended if the code after it was reached without a `break`.
    fn iteration(&mut self, body: &Statement<'_>, span: Span) {
        let (after, breaks) = (self.counter(), self.counter());
        let entered = self.loop_body(body, None, Some(breaks));
        self.add_goal(span.start, GoalKind::Loop, "enters", Hit::Counter(entered));
        self.add_goal(span.start, GoalKind::Loop, "ends", Hit::Exceeds(after, breaks));
        let text = self.count(after);
        self.out.close(span.end, format!(";{text};"));
    }

    fn switch(&mut self, it: &SwitchStatement<'_>) {
        let sites: Vec<u32> = it.cases.iter().map(|_| self.site()).collect();
        let labels = std::mem::take(&mut self.labels);
        self.breakables.push(Breakable { labels, plain: true, breaks: None });
        let base = sites.first().copied();
        if let Some(base) = base {
            let start = it.discriminant.span();
            self.out.open(start.start, format!("{}w({base},(", self.prefix));
            self.visit_expression(&it.discriminant);
            self.out.close(start.end, "))");
        } else {
            self.visit_expression(&it.discriminant);
        }
        let mut locations = Vec::new();
        let last = it.cases.iter().rposition(|case| case.test.is_some());
        for ((index, case), site) in it.cases.iter().enumerate().zip(&sites) {
            let counter = self.counter();
            if !self.ignored.at(case.span.start) {
                locations.push(Hit::Counter(counter));
            }
            let control = match (&case.test, last) {
                (Some(_), _) => Some(Control { site: *site, outcome: true }),
                (None, Some(last)) => Some(Control { site: sites[last], outcome: false }),
                (None, None) => None,
            };
            if let (Some(test), Some(base)) = (&case.test, base) {
                let span = test.span();
                self.out.open(span.start, format!("{}h({site},{base},(", self.prefix));
                self.visit_expression(test);
                self.out.close(span.end, "))");
            }
            let depth = self.control.len();
            self.control.extend(control);
            let outcome = match case.test {
                Some(_) => format!("case {}", index + 1),
                None => "default".to_owned(),
            };
            let kind = GoalKind::Branch(BranchKind::Switch);
            self.add_goal(case.span.start, kind, &outcome, Hit::Counter(counter));
            let text = self.count(counter);
            let test_end = case.test.as_ref().map_or(case.span.start + 7, |test| test.span().end);
            let colon = self.source[test_end as usize..].find(':').unwrap_or(0) as u32;
            let body = case.consequent.first().map_or(test_end + colon + 1, |s| s.span().start);
            self.out.open(body, format!("{text};"));
            self.visit_statements(&case.consequent);
            self.control.truncate(depth);
        }
        self.breakables.pop();
        self.add_branch((it.span.start, it.span.end), BranchKind::Switch, locations);
    }
}
