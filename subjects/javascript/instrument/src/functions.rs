//! Instrumentation of functions.

use oxc_ast::ast::{Expression, FormalParameters, PropertyKey};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use crate::anonymous::is_anonymous_function;
use crate::units::{BranchKind, Callable, Control, Function as FunctionUnit, GoalKind, Hit};
use crate::visitor::{Breakable, Visitor};

/// The state of the enclosing function, which is restored after a nested function.
pub(crate) struct Outside {
    function: Option<u32>,
    control: Vec<Control>,
    breakables: Vec<Breakable>,
    hoist: Option<u32>,
    statement: Option<usize>,
}

impl Visitor<'_, '_> {
    pub(crate) fn under(&mut self, site: u32, outcome: bool, visit: impl FnOnce(&mut Self)) {
        self.control.push(Control { site, outcome });
        visit(self);
        self.control.pop();
    }

    /// Inserts the code `text` before an expression. An anonymous function still gets the name
    /// `name`.
    pub(crate) fn prefixed(&mut self, expression: &Expression<'_>, text: &str, name: Option<&str>) {
        let span = expression.span();
        match name.filter(|_| is_anonymous_function(expression)) {
            Some(name) => {
                self.out.open(span.start, format!("({text},{{{name:?}:"));
                self.visit_any(expression);
                self.out.close(span.end, format!("}})[{name:?}]"));
            }
            None => {
                self.out.open(span.start, format!("({text},"));
                self.visit_any(expression);
                self.out.close(span.end, ")");
            }
        }
    }

    pub(crate) fn visit_any(&mut self, expression: &Expression<'_>) {
        self.visit_expression(expression);
    }

    pub(crate) fn default_value(&mut self, start: u32, value: &Expression<'_>, name: Option<&str>) {
        let counter = self.counter();
        let span = value.span();
        self.add_branch((start, span.end), BranchKind::Default, vec![Hit::Counter(counter)]);
        let kind = GoalKind::Branch(BranchKind::Default);
        self.add_goal(span.start, kind, "default", Hit::Counter(counter));
        let text = self.count(counter);
        self.prefixed(value, &text, name);
    }

    /// The comment before the function `name`, which begins at `at`; may be empty. Only white
    /// space, keywords, the name of the function and an assignment to `exports` may be between the
    /// comment and the position.
    pub(crate) fn comment_before(&self, at: u32, name: &str) -> String {
        let index = self.comments.partition_point(|comment| comment.span.end <= at);
        let Some(comment) = index.checked_sub(1).map(|index| &self.comments[index]) else {
            return String::new();
        };
        let between = self.source.get(comment.span.end as usize..at as usize).unwrap_or("x");
        let plain = between.split_whitespace().all(|word| {
            let words = ["export", "default", "async", "static", "const", "let", "var", "="];
            words.contains(&word)
                || (!name.is_empty() && word.trim_end_matches([':', '=']) == name)
                || word.starts_with("module.exports")
                || word.starts_with("exports.")
        });
        if plain { comment.span.source_text(self.source).to_owned() } else { String::new() }
    }

    /// The returned comment is inserted into the code so that the number can be found in the source
    /// text of the function or class at run time.
    pub(crate) fn marker(&mut self, callable: Callable) -> (usize, String) {
        let number = self.units.callables.len();
        self.units.callables.push(callable);
        (number, format!("/*{}F{number}*/", self.prefix))
    }

    pub(crate) fn enter_function(
        &mut self,
        span: oxc_span::Span,
        own_name: Option<&str>,
        parameters: &FormalParameters<'_>,
    ) -> Outside {
        let around = std::mem::take(&mut self.surroundings);
        let counter = self.step();
        let number = self.units.functions.len() as u32;
        let range = (around.start.unwrap_or(span.start), span.end);
        let name = own_name.map(str::to_owned).or(around.name).unwrap_or_default();
        let unit = FunctionUnit {
            file: self.file,
            range,
            line: self.line(range.0),
            name: name.clone(),
            parameters: crate::parameters::parameters(parameters),
            counter,
            counted: !around.private && !self.ignored.at(range.0),
            holder: self.function,
            control: self.control.clone(),
            assigns_this: false,
            comment: self.comment_before(range.0, &name),
        };
        self.units.functions.push(unit);
        match around.class {
            Some(class) => self.units.callables[class].function = Some(number),
            None => {
                let callable =
                    Callable { file: self.file, range, function: Some(number), class: false };
                let (_, marker) = self.marker(callable);
                let start = parameters.span.start;
                if self.source.as_bytes().get(start as usize) == Some(&b'(') {
                    self.out.open(start + 1, marker);
                } else {
                    self.out.close(parameters.span.end, marker);
                }
            }
        }
        let outside = Outside {
            function: self.function.replace(number),
            control: std::mem::take(&mut self.control),
            breakables: std::mem::take(&mut self.breakables),
            hoist: self.hoist.take(),
            statement: self.statement.take(),
        };
        self.add_goal(range.0, GoalKind::Function, &name, Hit::Counter(counter));
        outside
    }

    pub(crate) fn leave_function(&mut self, outside: Outside) {
        self.function = outside.function;
        self.control = outside.control;
        self.breakables = outside.breakables;
        self.hoist = outside.hoist;
        self.statement = outside.statement;
    }

    /// Recursion deeper than 2,000 calls is ended in functions that may call themselves and do not
    /// suspend.
    pub(crate) fn entry(&mut self, start: u32, suspends: bool) -> (String, &'static str) {
        let counter = self.function.map_or(0, |f| self.units.functions[f as usize].counter);
        let count = self.count(counter);
        if suspends || !self.recursive.contains(&start) {
            return (format!("{count};"), "");
        }
        let p = self.prefix;
        (format!("{count};if({p}k[0]>=2000){p}o();{p}k[0]++;try{{"), "}finally{#k[0]--}")
    }

    pub(crate) fn key_name(key: &PropertyKey<'_>) -> Option<String> {
        match key {
            PropertyKey::PrivateIdentifier(name) => Some(format!("#{}", name.name)),
            key => key.static_name().map(|name| name.into_owned()),
        }
    }
}
