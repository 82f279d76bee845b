//! Instrumentation of decisions, logical chains and optional chaining, and of operators for type
//! inference.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, BinaryExpression, CallExpression, Expression,
    LogicalExpression, MemberExpression, SimpleAssignmentTarget, UnaryExpression, UpdateExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::{AssignmentOperator, BinaryOperator, LogicalOperator, UnaryOperator};

use crate::Build;
use crate::anonymous::is_anonymous_function;
use crate::text_tests::TextTest;
use crate::units::{BranchKind, Control, GoalKind, Hit, NodeKind};
use crate::visitor::{Operand, Visitor};

/// Factor of the kind of the left literal in the code of an operator. The factor of the right
/// literal is four times as large.
const LITERAL: u32 = 32;

/// 1 for a number, 2 for a string or template, 0 for other expressions.
fn literal(expression: &Expression<'_>) -> u32 {
    match expression.without_parentheses() {
        Expression::NumericLiteral(_) => 1,
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => 2,
        Expression::UnaryExpression(unary)
            if unary.operator == UnaryOperator::UnaryNegation
                && matches!(unary.argument, Expression::NumericLiteral(_)) =>
        {
            1
        }
        _ => 0,
    }
}

fn code(it: &BinaryExpression<'_>) -> u32 {
    it.operator as u32 + LITERAL * literal(&it.left) + 4 * LITERAL * literal(&it.right)
}

fn is_comparison(operator: BinaryOperator) -> bool {
    operator.is_equality()
        || operator.is_compare()
        || matches!(operator, BinaryOperator::In | BinaryOperator::Instanceof)
}

impl Visitor<'_, '_> {
    pub(crate) fn decide(&mut self, it: &Expression<'_>, site: u32, negated: bool) {
        let id = site * 2 + u32::from(negated);
        match it {
            Expression::ParenthesizedExpression(inner) => {
                self.decide(&inner.expression, site, negated);
            }
            Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
                self.add_node(unary.span.start, NodeKind::Unary);
                self.decide(&unary.argument, site, !negated);
            }
            Expression::LogicalExpression(logical) => self.chain(logical, Some(id)),
            Expression::BinaryExpression(binary) if is_comparison(binary.operator) => {
                self.compare('c', Some(id), binary);
            }
            Expression::CallExpression(call) if TextTest::of(call).is_some() => {
                if let Some(test) = TextTest::of(call) {
                    self.text_test(id, call, &test);
                }
            }
            _ => {
                let span = it.span();
                let sequence = matches!(it, Expression::SequenceExpression(_));
                let (open, close) = if sequence { ("(", "))") } else { ("", ")") };
                self.out.open(span.start, format!("{}d({id},{open}", self.prefix));
                self.visit_expression(it);
                self.out.close(span.end, close);
            }
        }
    }

    fn compare(&mut self, function: char, id: Option<u32>, it: &BinaryExpression<'_>) {
        let traced = self.typeof_evidence(it);
        self.add_node(it.span.start, NodeKind::Binary);
        let id = id.map_or(String::new(), |id| format!("{id},"));
        let code = code(it) + self.operator_line(it.span.start);
        self.out.open(it.span.start, format!("{}{function}({id}{code},", self.prefix));
        self.visit_expression(&it.left);
        self.out.replace(it.left.span().end, it.right.span().start, ",");
        self.visit_expression(&it.right);
        self.out.close(it.span.end, ")");
        if traced {
            self.out.close(it.span.end, ")");
        }
    }

    /// In the inference build, makes a comparison such as `typeof x === "t"` report the value of
    /// `x` and the string. Returns whether the caller must close a bracket.
    fn typeof_evidence(&mut self, it: &BinaryExpression<'_>) -> bool {
        if self.build != Build::Inference || !it.operator.is_equality() {
            return false;
        }
        let sides = [(&it.left, &it.right), (&it.right, &it.left)];
        for (asked, text) in sides {
            if let (Expression::UnaryExpression(unary), Expression::StringLiteral(text)) =
                (asked.without_parentheses(), text.without_parentheses())
                && unary.operator == UnaryOperator::Typeof
                && let Expression::Identifier(name) = &unary.argument
            {
                let (p, name, text) = (self.prefix, name.name.as_str(), text.value.as_str());
                let open = format!("({p}y(typeof {name}===\"undefined\"?0:{name},{text:?}),");
                self.out.open(it.span.start, open);
                return true;
            }
        }
        false
    }

    pub(crate) fn operation(&mut self, it: &BinaryExpression<'_>) {
        let literals = literal(&it.left) > 0 && literal(&it.right) > 0;
        if self.build == Build::Inference && !literals {
            self.compare('p', None, it);
        } else {
            self.add_node(it.span.start, NodeKind::Binary);
            walk::walk_binary_expression(self, it);
        }
    }

    pub(crate) fn unary(&mut self, it: &UnaryExpression<'_>) {
        self.add_node(it.span.start, NodeKind::Unary);
        let span = it.argument.span();
        let arithmetic = matches!(
            it.operator,
            UnaryOperator::UnaryNegation | UnaryOperator::UnaryPlus | UnaryOperator::BitwiseNot
        );
        let not = it.operator == UnaryOperator::LogicalNot;
        if self.build != Build::Inference || !(arithmetic || not) || literal(&it.argument) > 0 {
            return self.visit_expression(&it.argument);
        }
        let function = match not {
            true => "z(".to_owned(),
            false => format!("n({},", 2 + self.operator_line(it.span.start)),
        };
        self.out.open(span.start, format!("({}{function}", self.prefix));
        self.visit_expression(&it.argument);
        self.out.close(span.end, "))");
    }

    pub(crate) fn update(&mut self, it: &UpdateExpression<'_>) {
        self.add_node(it.span.start, NodeKind::Unary);
        if let SimpleAssignmentTarget::AssignmentTargetIdentifier(name) = &it.argument {
            if self.build == Build::Inference {
                let points = 10 + self.operator_line(it.span.start);
                let open = format!("({}n({points},{}),", self.prefix, name.name);
                self.out.open(it.span.start, open);
                self.out.close(it.span.end, ")");
            }
        } else {
            walk::walk_update_expression(self, it);
        }
    }

    /// Visits a logical expression that is not an operand of another logical expression.
    pub(crate) fn chain(&mut self, it: &LogicalExpression<'_>, id: Option<u32>) {
        let mut locations = Vec::new();
        self.probed_chain(it, id, &mut locations);
        self.add_branch((it.span.start, it.span.end), BranchKind::Logical, locations);
    }

    fn probed_chain(
        &mut self,
        it: &LogicalExpression<'_>,
        id: Option<u32>,
        locations: &mut Vec<Hit>,
    ) {
        let number = self.units.chains.len();
        self.units.chains.push(Vec::new());
        let id = id.map_or("-1".to_owned(), |id| id.to_string());
        self.out.open(it.span.start, format!("{}g({number},{id},", self.prefix));
        let mut program = Vec::new();
        self.chain_node(it, &mut program, locations);
        self.out.close(it.span.end, ")");
        self.units.chains[number] = program;
    }

    /// Returns the site of the outcomes of the left side.
    fn left_chain(
        &mut self,
        it: &LogicalExpression<'_>,
        nullish: bool,
        program: &mut Vec<i32>,
        locations: &mut Vec<Hit>,
    ) -> u32 {
        if !nullish && it.operator == LogicalOperator::Coalesce {
            return self.coalescing_operand(it, program, locations);
        }
        if !nullish {
            self.chain_node(it, program, locations);
            let site = self.site();
            program.push(-10 - site as i32);
            return site;
        }
        let site = self.site();
        self.out.open(it.span.start, format!("{}q({site},(", self.prefix));
        self.chain_node(it, program, locations);
        self.out.close(it.span.end, "))");
        site
    }

    /// The truth of `??` is known only from its value, so a `??` inside `&&` or `||` has a separate
    /// chain.
    fn coalescing_operand(
        &mut self,
        it: &LogicalExpression<'_>,
        program: &mut Vec<i32>,
        locations: &mut Vec<Hit>,
    ) -> u32 {
        let site = self.site();
        program.push(site as i32);
        self.probed_chain(it, Some(site * 2), locations);
        site
    }

    fn chain_node(
        &mut self,
        it: &LogicalExpression<'_>,
        program: &mut Vec<i32>,
        locations: &mut Vec<Hit>,
    ) {
        self.add_node(it.span.start, NodeKind::Binary);
        let nullish = it.operator == LogicalOperator::Coalesce;
        let site = match it.left.without_parentheses() {
            Expression::LogicalExpression(left) => {
                self.left_chain(left, nullish, program, locations)
            }
            _ => self.operand(&it.left, nullish, program, locations),
        };
        let outcome = it.operator != LogicalOperator::Or;
        self.control.push(Control { site, outcome });
        match it.right.without_parentheses() {
            Expression::LogicalExpression(right)
                if !nullish && right.operator == LogicalOperator::Coalesce =>
            {
                self.coalescing_operand(right, program, locations);
            }
            Expression::LogicalExpression(right) => self.chain_node(right, program, locations),
            _ => {
                self.operand(&it.right, false, program, locations);
            }
        }
        self.control.pop();
        program.push(match it.operator {
            LogicalOperator::And => -1,
            LogicalOperator::Or => -2,
            LogicalOperator::Coalesce => -3,
        });
    }

    /// Returns the operand's site.
    fn operand(
        &mut self,
        it: &Expression<'_>,
        nullish: bool,
        program: &mut Vec<i32>,
        locations: &mut Vec<Hit>,
    ) -> u32 {
        let (counter, site) = (self.counter(), self.site());
        program.push(site as i32);
        let span = it.span();
        if !self.ignored.part(it) {
            locations.push(Hit::Counter(counter));
            let outcome = format!("operand {}", locations.len());
            let kind = GoalKind::Branch(BranchKind::Logical);
            self.add_goal(span.start, kind, &outcome, Hit::Counter(counter));
        }
        let text = self.count(counter);
        let depth = self.control.len();
        let around = self.operand.replace(Operand { statement: self.statement, depth, counter });
        self.out.open(span.start, format!("({text},"));
        if nullish {
            self.out.open(span.start, format!("{}q({site},(", self.prefix));
            self.visit_expression(it);
            self.out.close(span.end, "))");
        } else {
            self.decide(it, site, false);
        }
        self.out.close(span.end, ")");
        self.operand = around;
        site
    }

    fn optional_goals(&mut self, start: u32, site: u32, names: [&str; 2]) {
        for (taken, outcome) in [(true, names[0]), (false, names[1])] {
            self.add_goal(start, GoalKind::Optional, outcome, Hit::Outcome { site, taken });
        }
    }

    pub(crate) fn optional_object(&mut self, object: &Expression<'_>, start: u32) {
        let site = self.site();
        self.optional_goals(start, site, ["stops", "continues"]);
        let span = object.span();
        self.out.open(span.start, format!("{}q({site},", self.prefix));
        self.visit_expression(object);
        self.out.close(span.end, ")");
    }

    /// Visits an optional call without losing the receiver of the call.
    pub(crate) fn optional_call(&mut self, it: &CallExpression<'_>) {
        let callee = match it.callee.without_parentheses() {
            Expression::ChainExpression(chain) => chain.expression.as_member_expression(),
            callee => callee.as_member_expression(),
        };
        let (object, key) = match callee {
            Some(MemberExpression::StaticMemberExpression(member)) => (&member.object, None),
            Some(MemberExpression::ComputedMemberExpression(member)) => {
                (&member.object, Some(&member.expression))
            }
            Some(MemberExpression::PrivateFieldExpression(_)) => {
                return self.visit_expression(&it.callee);
            }
            None => return self.optional_object(&it.callee, it.span.start),
        };
        // An arrow function around the key could not contain `await` or `yield` of the enclosing
        // function.
        let text = |span: Span| span.source_text(self.source);
        let waits = key.is_some_and(|key| {
            text(key.span()).contains("await") || text(key.span()).contains("yield")
        });
        let Some(callee) = callee.filter(|_| !waits && !matches!(object, Expression::Super(_)))
        else {
            return self.visit_expression(&it.callee);
        };
        let in_chain = callee.optional() || has_optional_link(object);
        let (site, span, end) = (self.site(), object.span(), callee.span().end);
        self.optional_goals(it.span.start, site, ["stops", "continues"]);
        self.out.open(span.start, format!("{}b({site},{},", self.prefix, u32::from(in_chain)));
        if callee.optional() {
            self.optional_object(object, callee.span().start);
        } else {
            self.visit_expression(object);
        }
        match key {
            None => {
                let name = callee.static_property_name().unwrap_or_default();
                self.out.replace(span.end, end, format!(",{name:?})"));
            }
            Some(key) => {
                let key_span = key.span();
                self.out.replace(span.end, key_span.start, if in_chain { ",()=>(" } else { ",(" });
                self.visit_expression(key);
                self.out.replace(key_span.end, end, "))");
            }
        }
    }

    pub(crate) fn assignment(&mut self, it: &AssignmentExpression<'_>) {
        let name = match &it.left {
            AssignmentTarget::AssignmentTargetIdentifier(id) => Some(id.name.to_string()),
            _ => None,
        };
        let this = match &it.left {
            AssignmentTarget::StaticMemberExpression(member) => Some(&member.object),
            AssignmentTarget::ComputedMemberExpression(member) => Some(&member.object),
            _ => None,
        };
        if let (Some(Expression::ThisExpression(_)), Some(function)) = (this, self.function) {
            self.units.functions[function as usize].assigns_this = true;
        }
        if !it.operator.is_logical() {
            self.visit_assignment_target(&it.left);
            return self.assigned(it, name.as_deref());
        }
        let (evaluated, assigned) = (self.counter(), self.counter());
        let text = self.count(evaluated);
        self.out.open(it.span.start, format!("({text},"));
        self.visit_assignment_target(&it.left);
        let kind = GoalKind::Optional;
        self.add_goal(it.span.start, kind, "assigns", Hit::Counter(assigned));
        self.add_goal(it.span.start, kind, "keeps", Hit::Exceeds(evaluated, assigned));
        let text = self.count(assigned);
        self.prefixed(&it.right, &text, name.as_deref());
        self.out.close(it.span.end, ")");
    }

    fn assigned(&mut self, it: &AssignmentExpression<'_>, name: Option<&str>) {
        let plain = it.operator == AssignmentOperator::Assign;
        if let AssignmentTarget::StaticMemberExpression(member) = &it.left
            && plain
            && is_anonymous_function(&it.right)
        {
            self.named_by_member(member.property.name.as_str());
        } else if plain && is_anonymous_function(&it.right) {
            self.named_by_member(name.unwrap_or_default());
        }
        let reported = self.build == Build::Inference && !plain;
        let (Some(operator), true) = (it.operator.to_binary_operator(), reported) else {
            self.visit_expression(&it.right);
            return;
        };
        let span = it.right.span();
        let line = self.operator_line(it.span.start);
        let code = operator as u32 + 4 * LITERAL * literal(&it.right) + line;
        let left = name.unwrap_or("0");
        self.out.open(span.start, format!("{}x({code},{left},", self.prefix));
        self.visit_expression(&it.right);
        self.out.close(span.end, ")");
    }
}

/// Whether an expression contains a `?.` that can end the evaluation of the expression early.
fn has_optional_link(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::CallExpression(call) => call.optional || has_optional_link(&call.callee),
        _ => expression
            .as_member_expression()
            .is_some_and(|member| member.optional() || has_optional_link(member.object())),
    }
}
