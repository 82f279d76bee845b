//! The visitor that numbers the units of a file and inserts the probes.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, AssignmentExpression, AssignmentPattern,
    AssignmentTargetPropertyIdentifier, AssignmentTargetWithDefault, BinaryExpression,
    BindingPattern, BreakStatement, CallExpression, Class, ClassElement, Comment,
    ComputedMemberExpression, ConditionalExpression, Expression, FormalParameters, Function,
    LogicalExpression, MethodDefinition, MethodDefinitionKind, NewExpression, NumericLiteral,
    ObjectProperty, ObjectPropertyKind, PrivateFieldExpression, Program, PropertyDefinition,
    PropertyKey, Statement, StaticBlock, StaticMemberExpression, StringLiteral, UnaryExpression,
    UpdateExpression, VariableDeclaration, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use crate::Build;
use crate::anonymous::is_anonymous_function;
use crate::ignored::Ignored;
use crate::splice::Splicer;
use crate::units::{BranchKind, Callable, Control, NodeKind, Units};

/// Maximum length of a string that becomes a constant, in bytes.
const LONGEST_CONSTANT: usize = 200;

pub(crate) struct Breakable {
    pub(crate) labels: Vec<String>,
    /// Whether an unlabelled `break` applies.
    pub(crate) plain: bool,
    pub(crate) breaks: Option<u32>,
}

#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub(crate) statement: Option<usize>,
    pub(crate) depth: usize,
    pub(crate) counter: u32,
}

/// Properties of a function that are not in its syntax node.
#[derive(Default)]
pub(crate) struct Surroundings {
    pub(crate) name: Option<String>,
    pub(crate) private: bool,
    /// Start of the source text that `toString` returns.
    pub(crate) start: Option<u32>,
    /// Number of the class, for a constructor.
    pub(crate) class: Option<usize>,
}

pub(crate) struct Visitor<'u, 's> {
    pub(crate) units: &'u mut Units,
    pub(crate) file: u32,
    pub(crate) source: &'s str,
    pub(crate) out: Splicer,
    /// The prefix of the names of the probes.
    pub(crate) prefix: &'s str,
    pub(crate) build: Build,
    pub(crate) function: Option<u32>,
    pub(crate) control: Vec<Control>,
    pub(crate) breakables: Vec<Breakable>,
    pub(crate) labels: Vec<String>,
    pub(crate) recursive: BTreeSet<u32>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) surroundings: Surroundings,
    /// The position for counters of declarators whose values would otherwise lose their names.
    pub(crate) hoist: Option<u32>,
    /// The latest counted statement of this function.
    pub(crate) statement: Option<usize>,
    pub(crate) operand: Option<Operand>,
    pub(crate) ignored: Ignored,
    /// The site of each `if` by its start.
    pub(crate) ifs: BTreeMap<u32, u32>,
}

impl<'u, 's> Visitor<'u, 's> {
    pub(crate) fn new(
        units: &'u mut Units,
        source: &'s str,
        prefix: &'s str,
        build: Build,
        program: &Program<'_>,
    ) -> Self {
        let file = units.files.len() as u32 - 1;
        Visitor {
            units,
            file,
            source,
            out: Splicer::default(),
            prefix,
            build,
            function: None,
            control: Vec::new(),
            breakables: Vec::new(),
            labels: Vec::new(),
            recursive: crate::recursion::recursive(program),
            comments: program.comments.iter().copied().collect(),
            surroundings: Surroundings::default(),
            hoist: None,
            statement: None,
            operand: None,
            ignored: Ignored::of(program, source),
            ifs: BTreeMap::new(),
        }
    }
}

impl<'a> Visit<'a> for Visitor<'_, '_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        self.statement(it, it.span().start);
    }

    fn visit_statements(&mut self, it: &oxc_allocator::Vec<'a, Statement<'a>>) {
        let depth = self.control.len();
        for statement in it {
            self.visit_statement(statement);
            self.after_exit(statement);
        }
        self.control.truncate(depth);
    }

    fn visit_break_statement(&mut self, it: &BreakStatement<'a>) {
        let label = it.label.as_ref().map(|label| label.name.as_str());
        let left = self.breakables.iter().rev().find(|breakable| match label {
            None => breakable.plain,
            Some(label) => breakable.labels.iter().any(|known| known == label),
        });
        if let Some(counter) = left.and_then(|breakable| breakable.breaks) {
            let text = self.count(counter);
            self.out.open(it.span.start, format!("{text};"));
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        walk::walk_variable_declaration(self, it);
        self.hoist = None;
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        let hoist = self.hoist;
        let counter = it.init.as_ref().map(|_| self.add_statement(it.span.start, it.span.end));
        self.visit_binding_pattern(&it.id);
        let (Some(init), Some(counter)) = (&it.init, counter) else { return };
        let text = self.count(counter);
        let name = it.id.get_identifier_name().map(|name| name.to_string());
        self.surroundings.name = name.clone();
        match hoist.filter(|_| is_anonymous_function(init)) {
            Some(at) => {
                self.out.open(at, format!("{text};"));
                self.visit_expression(init);
            }
            None => self.prefixed(init, &text, name.as_deref()),
        }
        self.surroundings = Surroundings::default();
        self.hoist = hoist;
    }

    fn visit_function(&mut self, it: &Function<'a>, _: ScopeFlags) {
        let name = it.id.as_ref().map(|id| id.name.as_str());
        let outside = self.enter_function(it.span, name, &it.params);
        self.visit_formal_parameters(&it.params);
        if let Some(body) = &it.body {
            let (entry, exit) = self.entry(it.span.start, it.generator || it.r#async);
            let at = body.directives.last().map_or(body.span.start + 1, |last| last.span.end);
            self.out.open(at, format!(";{entry}"));
            self.visit_statements(&body.statements);
            if !exit.is_empty() {
                self.out.close(body.span.end - 1, exit.replace('#', self.prefix));
            }
        }
        self.leave_function(outside);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let outside = self.enter_function(it.span, None, &it.params);
        self.visit_formal_parameters(&it.params);
        let (entry, exit) = self.entry(it.span.start, it.r#async);
        let exit = exit.replace('#', self.prefix);
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => {
                let directive = body.directives.last().map(|last| last.span.end);
                self.out.open(directive.unwrap_or(body.span.start + 1), format!(";{entry}"));
                self.visit_statements(&body.statements);
                if !exit.is_empty() {
                    self.out.close(body.span.end - 1, exit);
                }
            }
            body => {
                let body = body.to_expression();
                let span = body.span();
                // Istanbul counts the body as a statement, which is ignored only together with the
                // arrow function.
                let counter = self.add_statement_of(it.span.start, (span.start, span.end));
                let text = self.count(counter);
                if exit.is_empty() {
                    let entry = entry.trim_end_matches(';');
                    self.prefixed(body, &format!("{entry},{text}"), None);
                } else {
                    self.out.open(span.start, format!("{{{entry}{text};return("));
                    self.visit_expression(body);
                    self.out.close(span.end, format!("){exit}}}"));
                }
            }
        }
        self.leave_function(outside);
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        for parameter in &it.items {
            self.visit_binding_pattern(&parameter.pattern);
            if let Some(value) = &parameter.initializer {
                let name = parameter.pattern.get_identifier_name().map(|name| name.to_string());
                self.default_value(parameter.span.start, value, name.as_deref());
            }
        }
        if let Some(rest) = &it.rest {
            self.visit_binding_rest_element(&rest.rest);
        }
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.visit_binding_pattern(&it.left);
        let name = match &it.left {
            BindingPattern::BindingIdentifier(id) => Some(id.name.to_string()),
            _ => None,
        };
        self.default_value(it.span.start, &it.right, name.as_deref());
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'a>) {
        self.visit_assignment_target(&it.binding);
        let name = it.binding.get_identifier_name().map(str::to_owned);
        self.default_value(it.span.start, &it.init, name.as_deref());
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        if let Some(value) = &it.init {
            let name = it.binding.name.to_string();
            self.default_value(it.span.start, value, Some(&name));
        }
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let around = std::mem::take(&mut self.surroundings);
        let name = it.id.as_ref().map(|id| id.name.to_string()).or(around.name);
        let range = (it.span.start, it.span.end);
        let callable = Callable { file: self.file, range, function: None, class: true };
        let (number, marker) = self.marker(callable);
        if let Some(heritage) = &it.heritage {
            // `extends` takes a left-hand-side expression, so the instrumented superclass must be
            // such an expression as well.
            self.visit_expression(&heritage.expression);
        }
        self.out.open(it.body.span.start + 1, marker);
        for element in &it.body.body {
            if let ClassElement::MethodDefinition(method) = element
                && method.kind == MethodDefinitionKind::Constructor
            {
                self.surroundings.class = Some(number);
                self.surroundings.name.clone_from(&name);
            }
            self.visit_class_element(element);
            self.surroundings = Surroundings::default();
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        let around = std::mem::take(&mut self.surroundings);
        if it.computed {
            self.visit_property_key(&it.key);
        }
        let text = it.span.source_text(self.source);
        let skipped = match text.strip_prefix("static") {
            Some(rest) if it.r#static => text.len() - rest.trim_start().len(),
            _ => 0,
        };
        self.surroundings = Surroundings {
            name: around.name.or_else(|| Self::key_name(&it.key)),
            private: matches!(it.key, PropertyKey::PrivateIdentifier(_)),
            start: Some(it.span.start + skipped as u32),
            class: around.class,
        };
        self.visit_function(&it.value, ScopeFlags::empty());
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.computed {
            self.visit_property_key(&it.key);
        }
        let Some(value) = &it.value else { return };
        let span = value.span();
        let counter = self.add_statement(span.start, span.end);
        let text = self.count(counter);
        let name = Self::key_name(&it.key).filter(|_| !it.computed);
        self.surroundings.name.clone_from(&name);
        let outside = std::mem::take(&mut self.control);
        self.prefixed(value, &text, name.as_deref());
        self.control = outside;
        self.surroundings = Surroundings::default();
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.visit_statements(&it.body);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.computed {
            self.visit_property_key(&it.key);
        }
        if it.shorthand {
            return;
        }
        self.surroundings.name = Self::key_name(&it.key);
        let is_method = it.method || it.kind != oxc_ast::ast::PropertyKind::Init;
        self.surroundings.start = is_method.then_some(it.span.start);
        self.visit_expression(&it.value);
        self.surroundings = Surroundings::default();
    }

    fn visit_object_property_kind(&mut self, it: &ObjectPropertyKind<'a>) {
        // Pass the value to a probe, because the engine itself does not spread strings, as in
        // `{...'ab'}`.
        if let ObjectPropertyKind::SpreadProperty(spread) = it {
            let at = spread.argument.span();
            self.out.open(at.start, format!("{}u(", self.prefix));
            walk::walk_object_property_kind(self, it);
            self.out.close(at.end, ")");
        } else {
            walk::walk_object_property_kind(self, it);
        }
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        self.assignment(it);
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        let site = self.site();
        let counted = [&it.consequent, &it.alternate].map(|side| !self.ignored.part(side));
        self.two_way((it.span.start, it.span.end), BranchKind::Conditional, site, counted);
        self.decide(&it.test, site, false);
        self.under(site, true, |this| this.visit_expression(&it.consequent));
        self.under(site, false, |this| this.visit_expression(&it.alternate));
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        self.chain(it, None);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.operation(it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        self.unary(it);
    }

    fn visit_update_expression(&mut self, it: &UpdateExpression<'a>) {
        self.update(it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if it.optional {
            return self.optional_object(&it.object, it.span.start);
        }
        walk::walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        if it.optional {
            self.optional_object(&it.object, it.span.start);
        } else {
            self.visit_expression(&it.object);
        }
        self.visit_expression(&it.expression);
    }

    fn visit_private_field_expression(&mut self, it: &PrivateFieldExpression<'a>) {
        if it.optional {
            return self.optional_object(&it.object, it.span.start);
        }
        walk::walk_private_field_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Expression::Identifier(name) = &it.callee
            && name.name == "eval"
        {
            self.units.dynamic += 1;
        }
        self.add_node(it.span.start, NodeKind::Call);
        if it.optional {
            self.optional_call(it);
        } else if self.array_call(it) {
            return;
        } else {
            self.visit_expression(&it.callee);
        }
        for (index, argument) in it.arguments.iter().enumerate() {
            match self.signature(it, index) {
                Some(kind) => self.passed(kind, argument),
                None => self.visit_argument(argument),
            }
        }
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        if let Expression::Identifier(name) = &it.callee
            && name.name == "Function"
        {
            self.units.dynamic += 1;
        }
        walk::walk_new_expression(self, it);
    }

    fn visit_numeric_literal(&mut self, it: &NumericLiteral<'a>) {
        self.units.numbers.insert(it.value.to_bits(), ());
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        if it.value.len() <= LONGEST_CONSTANT {
            self.units.texts.insert(it.value.to_string(), ());
        }
    }
}

impl Visitor<'_, '_> {
    pub(crate) fn named_by_member(&mut self, name: &str) {
        self.surroundings.name = Some(name.to_owned());
    }

    pub(crate) fn hoist_to(&mut self, at: Option<u32>) {
        self.hoist = at;
    }
}
