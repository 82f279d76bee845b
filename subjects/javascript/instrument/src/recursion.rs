//! Detection of functions that may call themselves, by the names of the functions that they call.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, CallExpression, Class,
    Expression, Function, MethodDefinition, NewExpression, ObjectProperty, Program,
    PropertyDefinition, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

#[derive(Default)]
struct Calls {
    /// Start of each function, its name, and the names that it calls.
    functions: Vec<(u32, String, BTreeSet<String>)>,
    open: Vec<usize>,
    /// The name that the next function gets from the place where it is defined.
    name: Option<String>,
    class: Vec<String>,
}

/// The starts of the functions that may call a function with the same name, directly or indirectly.
pub(crate) fn recursive(program: &Program<'_>) -> BTreeSet<u32> {
    let mut calls = Calls::default();
    calls.visit_program(program);
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, name, called) in &calls.functions {
        edges.entry(name).or_default().extend(called.iter().map(String::as_str));
    }
    let returns = |name: &str| {
        let mut open: Vec<&str> = edges.get(name).into_iter().flatten().copied().collect();
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            if next == name {
                return true;
            }
            if seen.insert(next) {
                open.extend(edges.get(next).into_iter().flatten());
            }
        }
        false
    };
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    let mut starts = BTreeSet::new();
    for (start, name, _) in &calls.functions {
        if !name.is_empty() && *known.entry(name).or_insert_with(|| returns(name)) {
            starts.insert(*start);
        }
    }
    starts
}

impl Calls {
    fn enter(&mut self, start: u32, own: Option<&str>) {
        let around = self.name.take();
        let name = own.map(str::to_owned).or(around).unwrap_or_default();
        self.open.push(self.functions.len());
        self.functions.push((start, name, BTreeSet::new()));
    }

    fn called(&mut self, name: &str) {
        // A nested function may be called back while the enclosing functions run.
        for index in &self.open {
            self.functions[*index].2.insert(name.to_owned());
        }
    }

    fn callee(&mut self, callee: &Expression<'_>) {
        match callee.get_inner_expression() {
            Expression::Identifier(name) => self.called(name.name.as_str()),
            Expression::StaticMemberExpression(member) => {
                self.called(member.property.name.as_str());
            }
            Expression::PrivateFieldExpression(member) => self.called(member.field.name.as_str()),
            _ => {}
        }
    }
}

impl<'a> Visit<'a> for Calls {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.enter(it.span.start, it.id.as_ref().map(|id| id.name.as_str()));
        walk::walk_function(self, it, flags);
        self.open.pop();
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.enter(it.span.start, None);
        walk::walk_arrow_function_expression(self, it);
        self.open.pop();
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        self.name = it.id.get_identifier_name().map(|name| name.to_string());
        walk::walk_variable_declarator(self, it);
        self.name = None;
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        self.name = match &it.left {
            AssignmentTarget::AssignmentTargetIdentifier(id) => Some(id.name.to_string()),
            AssignmentTarget::StaticMemberExpression(member) => {
                Some(member.property.name.to_string())
            }
            _ => None,
        };
        self.visit_expression(&it.right);
        self.name = None;
        self.visit_assignment_target(&it.left);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        self.name = it.key.name().map(|name| name.to_string());
        walk::walk_object_property(self, it);
        self.name = None;
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.name = it.key.name().map(|name| name.to_string());
        walk::walk_property_definition(self, it);
        self.name = None;
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        let name = it.key.name().map(|name| name.to_string());
        self.name = match name.as_deref() {
            Some("constructor") => self.class.last().cloned(),
            _ => name,
        };
        walk::walk_method_definition(self, it);
        self.name = None;
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let name = it.id.as_ref().map(|id| id.name.to_string()).or_else(|| self.name.take());
        self.class.push(name.unwrap_or_default());
        walk::walk_class(self, it);
        self.class.pop();
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.callee(&it.callee);
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.callee(&it.callee);
        walk::walk_new_expression(self, it);
    }
}
