//! Types declared in TypeScript.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Class, ClassElement, Expression, FormalParameters, Function, MethodDefinitionKind, Program,
    PropertyKey, TSAccessibility, TSEnumDeclaration, TSInterfaceDeclaration, TSLiteral,
    TSSignature, TSType, TSTypeAliasDeclaration, TSTypeName, TSTypeParameterDeclaration,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

use crate::words::Literal;

const DEEPEST: usize = 6;

/// A type, simplified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A named type, such as `string`, a class or an interface.
    Named(String),
    /// One value.
    Literal(Literal),
    /// One of several types.
    Union(Vec<Shape>),
    /// An array of elements.
    Array(Box<Shape>),
    /// An object with these members. The boolean is true for members that may be absent.
    Object(Vec<(String, Shape, bool)>),
    /// A function with this result.
    Function(Box<Shape>),
    /// Anything else.
    Any,
}

/// The types that a file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Types of parameters by the name of the function (`f`), method (`C.m`) or constructor (`C`).
    /// Each declaration of an overloaded function is an entry.
    pub functions: Vec<(String, Vec<Shape>)>,
    /// Number of required parameters of such a function; for an overloaded function, the smallest
    /// number.
    pub required: BTreeMap<String, usize>,
    /// Interfaces, type aliases and enums by name, and named types of variables.
    pub types: BTreeMap<String, Shape>,
    /// Members that are `private` or `protected`, as `C.m`.
    pub hidden: BTreeSet<String>,
}

impl Declarations {
    pub(crate) fn of(program: &Program<'_>) -> Declarations {
        let mut finder = Finder::default();
        finder.visit_program(program);
        finder.found
    }
}

#[derive(Default)]
struct Finder {
    found: Declarations,
    class: Option<String>,
    /// Type parameters with their bounds.
    bounds: Vec<(String, Shape)>,
}

impl Finder {
    fn shape(&self, type_: &TSType<'_>, depth: usize) -> Shape {
        if depth > DEEPEST {
            return Shape::Any;
        }
        let named = |name: &str| Shape::Named(name.to_owned());
        let inner = |type_: &TSType<'_>| self.shape(type_, depth + 1);
        match type_ {
            TSType::TSStringKeyword(_) | TSType::TSTemplateLiteralType(_) => named("string"),
            TSType::TSNumberKeyword(_) => named("number"),
            TSType::TSBooleanKeyword(_) => named("boolean"),
            TSType::TSBigIntKeyword(_) => named("bigint"),
            TSType::TSSymbolKeyword(_) => named("symbol"),
            TSType::TSNullKeyword(_) => named("null"),
            TSType::TSUndefinedKeyword(_) | TSType::TSVoidKeyword(_) => named("undefined"),
            TSType::TSObjectKeyword(_) => named("object"),
            TSType::TSParenthesizedType(it) => inner(&it.type_annotation),
            TSType::TSTypeOperatorType(it) => inner(&it.type_annotation),
            TSType::TSArrayType(it) => Shape::Array(Box::new(inner(&it.element_type))),
            TSType::TSTupleType(_) => Shape::Array(Box::new(Shape::Any)),
            TSType::TSUnionType(it) => Shape::Union(it.types.iter().map(inner).collect()),
            TSType::TSIntersectionType(it) => {
                let mut members = Vec::new();
                for part in &it.types {
                    if let Shape::Object(more) = inner(part) {
                        members.extend(more);
                    }
                }
                match (members.is_empty(), it.types.first()) {
                    (true, Some(first)) => inner(first),
                    _ => Shape::Object(members),
                }
            }
            TSType::TSLiteralType(it) => match &it.literal {
                TSLiteral::StringLiteral(text) => {
                    Shape::Literal(Literal::Text(text.value.to_string()))
                }
                TSLiteral::NumericLiteral(it) => {
                    Shape::Literal(Literal::Number(it.value.to_bits()))
                }
                TSLiteral::BooleanLiteral(it) => Shape::Literal(Literal::Boolean(it.value)),
                _ => Shape::Any,
            },
            TSType::TSFunctionType(it) => {
                Shape::Function(Box::new(inner(&it.return_type.type_annotation)))
            }
            TSType::TSTypeLiteral(it) => Shape::Object(self.members(&it.members, depth + 1)),
            TSType::TSTypeReference(it) => {
                let name = match &it.type_name {
                    TSTypeName::IdentifierReference(id) => id.name.to_string(),
                    TSTypeName::QualifiedName(it) => it.right.name.to_string(),
                    TSTypeName::ThisExpression(_) => return Shape::Any,
                };
                let first = it.type_arguments.as_ref().and_then(|types| types.params.first());
                match (name.as_str(), first) {
                    ("Array" | "ReadonlyArray" | "Iterable" | "ArrayLike", Some(first)) => {
                        Shape::Array(Box::new(inner(first)))
                    }
                    (
                        "Partial" | "Required" | "Readonly" | "Omit" | "Pick" | "NonNullable",
                        Some(first),
                    ) => inner(first),
                    _ => match self.bounds.iter().rev().find(|(known, _)| *known == name) {
                        Some((_, bound)) => bound.clone(),
                        None => Shape::Named(name),
                    },
                }
            }
            _ => Shape::Any,
        }
    }

    fn members(&self, signatures: &[TSSignature<'_>], depth: usize) -> Vec<(String, Shape, bool)> {
        let name = |key: &PropertyKey<'_>| key.static_name().map(std::borrow::Cow::into_owned);
        let members = signatures.iter().filter_map(|signature| match signature {
            TSSignature::TSPropertySignature(it) => {
                let annotation = it.type_annotation.as_ref();
                let shape = annotation.map(|type_| self.shape(&type_.type_annotation, depth + 1));
                Some((name(&it.key)?, shape.unwrap_or(Shape::Any), it.optional))
            }
            TSSignature::TSMethodSignature(it) => {
                Some((name(&it.key)?, Shape::Function(Box::new(Shape::Any)), it.optional))
            }
            _ => None,
        });
        members.collect()
    }

    fn parameters(&mut self, name: String, formal: &FormalParameters<'_>) {
        let shapes = formal.items.iter().map(|parameter| {
            let annotation = parameter.type_annotation.as_ref();
            annotation.map_or(Shape::Any, |type_| self.shape(&type_.type_annotation, 0))
        });
        let mut shapes: Vec<Shape> = shapes.collect();
        if formal.items.iter().any(|it| it.type_annotation.is_some()) {
            let items = formal.items.iter();
            let needed = items.take_while(|it| !it.optional && it.initializer.is_none()).count();
            let required = self.found.required.entry(name.clone()).or_insert(needed);
            *required = needed.min(*required);
        }
        if let Some(rest) = &formal.rest
            && let Some(type_) = &rest.type_annotation
            && let Shape::Array(element) = self.shape(&type_.type_annotation, 0)
        {
            shapes.push(*element);
        }
        if shapes.iter().any(|shape| *shape != Shape::Any) {
            self.found.functions.push((name, shapes));
        }
    }

    fn hide(&mut self, element: &ClassElement<'_>) {
        let is_hidden = |accessibility: Option<TSAccessibility>| {
            accessibility.is_some_and(|it| it != TSAccessibility::Public)
        };
        let own = match element {
            ClassElement::MethodDefinition(it) if is_hidden(it.accessibility) => {
                it.key.static_name()
            }
            ClassElement::PropertyDefinition(it) if is_hidden(it.accessibility) => {
                it.key.static_name()
            }
            _ => None,
        };
        let mut names: Vec<String> = own.into_iter().map(std::borrow::Cow::into_owned).collect();
        if let ClassElement::MethodDefinition(it) = element {
            let parameters = it.value.params.items.iter();
            let hidden = parameters.filter(|parameter| is_hidden(parameter.accessibility));
            let identifiers =
                hidden.filter_map(|parameter| parameter.pattern.get_identifier_name());
            names.extend(identifiers.map(|name| name.to_string()));
        }
        if let Some(class) = &self.class {
            self.found.hidden.extend(names.into_iter().map(|name| format!("{class}.{name}")));
        }
    }

    fn value(&mut self, name: String, value: &Expression<'_>) {
        match value.without_parentheses() {
            Expression::ArrowFunctionExpression(it) => {
                self.bounded(it.type_parameters.as_deref(), |this| {
                    this.parameters(name, &it.params);
                });
            }
            Expression::FunctionExpression(it) => {
                self.bounded(it.type_parameters.as_deref(), |this| {
                    this.parameters(name, &it.params);
                });
            }
            _ => {}
        }
    }

    fn bounded(
        &mut self,
        parameters: Option<&TSTypeParameterDeclaration<'_>>,
        work: impl FnOnce(&mut Finder),
    ) {
        let before = self.bounds.len();
        for parameter in parameters.iter().flat_map(|parameters| &parameters.params) {
            let bound = parameter.constraint.as_ref().or(parameter.default.as_ref());
            let bound = bound.map_or(Shape::Any, |type_| self.shape(type_, 0));
            self.bounds.push((parameter.name.name.to_string(), bound));
        }
        work(self);
        self.bounds.truncate(before);
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.bounded(it.type_parameters.as_deref(), |this| {
            if let Some(id) = &it.id {
                this.parameters(id.name.to_string(), &it.params);
            }
            walk::walk_function(this, it, flags);
        });
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let outer =
            std::mem::replace(&mut self.class, it.id.as_ref().map(|id| id.name.to_string()));
        self.bounded(it.type_parameters.as_deref(), |this| {
            for element in &it.body.body {
                if let ClassElement::PropertyDefinition(property) = element
                    && let (Some(class), Some(name), Some(value)) =
                        (&this.class, property.key.static_name(), &property.value)
                {
                    this.value(format!("{class}.{name}"), value);
                }
                this.hide(element);
                let ClassElement::MethodDefinition(method) = element else { continue };
                let (Some(class), Some(name)) = (&this.class, method.key.static_name()) else {
                    continue;
                };
                let name = match method.kind {
                    MethodDefinitionKind::Constructor => class.clone(),
                    _ => format!("{class}.{name}"),
                };
                this.bounded(method.value.type_parameters.as_deref(), |this| {
                    this.parameters(name, &method.value.params);
                });
            }
        });
        walk::walk_class(self, it);
        self.class = outer;
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        let name = it.id.name.to_string();
        self.bounded(it.type_parameters.as_deref(), |this| {
            let members = this.members(&it.body.body, 0);
            for signature in &it.body.body {
                match signature {
                    TSSignature::TSMethodSignature(method) => {
                        if let Some(key) = method.key.static_name() {
                            this.bounded(method.type_parameters.as_deref(), |this| {
                                this.parameters(format!("{name}.{key}"), &method.params);
                            });
                        }
                    }
                    TSSignature::TSCallSignatureDeclaration(call) => {
                        this.parameters(name.clone(), &call.params);
                    }
                    TSSignature::TSConstructSignatureDeclaration(made) => {
                        this.parameters(name.clone(), &made.params);
                    }
                    _ => {}
                }
            }
            match this.found.types.get_mut(&name) {
                Some(Shape::Object(known)) => known.extend(members),
                _ => {
                    this.found.types.insert(name, Shape::Object(members));
                }
            }
        });
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        let name = it.id.name.to_string();
        self.bounded(it.type_parameters.as_deref(), |this| {
            if let TSType::TSFunctionType(function) = &it.type_annotation {
                this.parameters(name.clone(), &function.params);
            }
            let shape = this.shape(&it.type_annotation, 0);
            this.found.types.insert(name, shape);
        });
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        let mut next = 0.0;
        let mut values = Vec::new();
        for member in &it.body.members {
            match &member.initializer {
                Some(Expression::StringLiteral(it)) => {
                    values.push(Shape::Literal(Literal::Text(it.value.to_string())));
                    continue;
                }
                Some(Expression::NumericLiteral(it)) => next = it.value,
                Some(_) => {
                    values.push(Shape::Named("number".to_owned()));
                    continue;
                }
                None => {}
            }
            values.push(Shape::Literal(Literal::Number(f64::to_bits(next))));
            next += 1.0;
        }
        self.found.types.insert(it.id.name.to_string(), Shape::Union(values));
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let (Some(name), Some(value)) = (it.id.get_identifier_name(), &it.init) {
            self.value(name.to_string(), value);
        }
        if let Some(name) = it.id.get_identifier_name()
            && let Some(annotation) = &it.type_annotation
        {
            let name = name.to_string();
            match &annotation.type_annotation {
                TSType::TSFunctionType(function) => {
                    self.bounded(function.type_parameters.as_deref(), |this| {
                        this.parameters(name, &function.params);
                    });
                }
                // A variable whose type is an interface has the methods of the interface.
                TSType::TSTypeReference(_) => {
                    let shape = self.shape(&annotation.type_annotation, 0);
                    self.found.types.entry(name).or_insert(shape);
                }
                _ => {}
            }
        }
        walk::walk_variable_declarator(self, it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_types_that_are_declared() {
        let source = "export interface Options { mode?: 'a' | 'b'; deep: number }
            export declare function f<T extends string>(text: T, options?: Options, ...more: number[]): void;
            declare class C { constructor(n: bigint); m(list: ReadonlyArray<boolean>): this; }";
        let class = "enum E { A, B = 'b' } class C { private a = (x: E) => x; constructor(protected b: 1, readonly c: 1) {} }";
        let found = crate::words::words("index.ts", class).declarations;
        assert_eq!(found.hidden, ["C.a", "C.b"].map(str::to_owned).into());
        assert!(found.functions.contains(&("C.a".to_owned(), vec![Shape::Named("E".to_owned())])));
        assert!(matches!(&found.types["E"], Shape::Union(values) if values.len() == 2));
        let found = crate::words::words("index.d.ts", source).declarations;
        let named = |name: &str| Shape::Named(name.to_owned());
        let wanted = [
            ("f", vec![named("string"), named("Options"), named("number")]),
            ("C", vec![named("bigint")]),
            ("C.m", vec![Shape::Array(Box::new(named("boolean")))]),
        ];
        for (name, shapes) in wanted {
            assert!(found.functions.contains(&(name.to_owned(), shapes)), "{found:?}");
        }
        assert_eq!(["f", "C", "C.m"].map(|name| found.required[name]), [1, 1, 1]);
        let Some(Shape::Object(members)) = found.types.get("Options") else { panic!("{found:?}") };
        let text = |text: &str| Shape::Literal(Literal::Text(text.to_owned()));
        assert_eq!(members[0], ("mode".to_owned(), Shape::Union(vec![text("a"), text("b")]), true));
        assert_eq!(members[1], ("deep".to_owned(), named("number"), false));
    }
}
