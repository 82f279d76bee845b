//! Conversion of TypeScript to JavaScript. Types become spaces, so that other code usually keeps
//! its position.

mod erasing;
mod lowering;

use std::collections::BTreeSet;

use oxc_allocator::Allocator;
use oxc_ast::ast::Expression;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{SourceType, Span};

use crate::declarations::Declarations;
use crate::splice::Splicer;
use crate::{DEEPEST, LONGEST_FILE, SyntaxError, nesting, syntax_error};

/// A file without its types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untyped {
    /// The JavaScript code.
    pub text: String,
    /// The types that the file declares.
    pub declarations: Declarations,
}

/// Whether a path names a TypeScript file with code: `*.ts`, `*.tsx`, `*.mts` or `*.cts`, but not a
/// declaration file such as `*.d.ts`.
pub fn is_typescript(path: &str) -> bool {
    let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
    ends(&[".ts", ".tsx", ".mts", ".cts"]) && !ends(&[".d.ts", ".d.mts", ".d.cts"])
}

/// Converts a TypeScript file to JavaScript, as TypeScript itself does with `isolatedModules`.
///
/// # Errors
/// If the file is not valid or cannot be converted.
pub fn untyped(path: &str, source: &str) -> Result<Untyped, SyntaxError> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if source.len() > LONGEST_FILE || nesting(source) > DEEPEST {
        // The instrumentation reports exceeded limits.
        return Ok(Untyped { text: source.to_owned(), declarations: Declarations::default() });
    }
    let kind = match path.ends_with(".tsx") {
        true => SourceType::tsx(),
        false => SourceType::ts(),
    };
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, kind).with_options(options).parse();
    let line = |at: usize| source.bytes().take(at).filter(|byte| *byte == b'\n').count() as u32 + 1;
    if let Some(error) = parsed.diagnostics.first() {
        let at = error.labels.first().map_or(0, |label| label.offset() as usize);
        return Err(syntax_error(path, line(at), error.message.to_string()));
    }
    let program = &parsed.program;
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    let mut eraser = Eraser {
        source,
        scoping: &scoping,
        out: Splicer::default(),
        known: Vec::new(),
        inside: Vec::new(),
        derived: false,
        refused: None,
    };
    eraser.visit_program(program);
    if let Some((at, cause)) = eraser.refused {
        return Err(syntax_error(path, line(at as usize), cause.to_owned()));
    }
    let text = eraser.out.apply(source);
    Ok(Untyped { text, declarations: Declarations::of(program) })
}

struct Eraser<'s> {
    source: &'s str,
    scoping: &'s Scoping,
    out: Splicer,
    /// Names that are declared as values, for each enclosing list of statements.
    known: Vec<BTreeSet<String>>,
    inside: Vec<String>,
    derived: bool,
    refused: Option<(u32, &'static str)>,
}

impl Eraser<'_> {
    fn text(&self, start: u32, end: u32) -> &str {
        self.source.get(start as usize..end as usize).unwrap_or("")
    }

    fn spaces(&self, start: u32, end: u32) -> String {
        let blank = |letter: char| match letter {
            '\n' | '\r' => letter.to_string(),
            other => " ".repeat(other.len_utf8()),
        };
        self.text(start, end).chars().map(blank).collect()
    }

    fn blank(&mut self, start: u32, end: u32) {
        if start < end {
            let spaces = self.spaces(start, end);
            self.out.replace(start, end, spaces);
        }
    }

    /// A `;` keeps the code before and after the erased code separate.
    fn erase(&mut self, span: Span) {
        if span.start < span.end {
            let first = self.text(span.start, span.end).chars().next().map_or(1, char::len_utf8);
            let mut text = format!("{:<first$}", ";");
            text += &self.spaces(span.start + first as u32, span.end);
            self.out.replace(span.start, span.end, text);
        }
    }

    fn marks(&mut self, start: u32, end: u32) {
        let found: Vec<usize> =
            self.text(start, end).match_indices(['?', '!']).map(|m| m.0).collect();
        for at in found {
            self.blank(start + at as u32, start + at as u32 + 1);
        }
    }

    fn blank_item(&mut self, span: Span) {
        let rest = self.source.get(span.end as usize..).unwrap_or("");
        let gap = rest.len() - rest.trim_start().len();
        let comma = rest[gap..].starts_with(',');
        self.blank(span.start, span.end + if comma { gap as u32 + 1 } else { 0 });
    }

    /// In a class, a modifier that comes first becomes `;`, because the code after the modifier
    /// could otherwise continue the previous line.
    fn modifiers(&mut self, start: u32, end: u32, in_class: bool) {
        const WORDS: [&str; 7] =
            ["public", "private", "protected", "readonly", "override", "abstract", "declare"];
        let text = self.text(start, end).to_owned();
        let (mut at, mut first) = (0, in_class);
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        while at < text.len() {
            let rest = &text[at..];
            if let Some(comment) = rest.strip_prefix("/*") {
                at += comment.find("*/").map_or(rest.len(), |end| end + 4);
                continue;
            }
            if rest.starts_with("//") {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            if length == 0 {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
            let (from, to) = (start + at as u32, start + (at + length) as u32);
            if !WORDS.contains(&&rest[..length]) {
                first = false;
            } else if first {
                self.erase(Span::new(from, to));
                first = false;
            } else {
                self.blank(from, to);
            }
            at += length;
        }
    }

    fn refuse(&mut self, span: Span, cause: &'static str) {
        self.refused.get_or_insert((span.start, cause));
    }

    fn is_type_name(&self, expression: &Expression<'_>) -> bool {
        matches!(expression, Expression::Identifier(id) if self.only_type(id.name.as_str()))
    }

    fn only_type(&self, name: &str) -> bool {
        self.scoping.get_root_binding(name.into()).is_some_and(|symbol| {
            let flags = self.scoping.symbol_flags(symbol);
            flags.is_type_import() || !flags.is_value() && !flags.is_import()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(source: &str) -> String {
        untyped("a.ts", source).unwrap().text
    }

    #[test]
    fn types_become_spaces() {
        let cases = [
            ("let x: number = 1", "let x         = 1"),
            ("f<T>(a as any, <B>b, c!)", "f   (a       ,    b, c )"),
            (
                "function f(this: A, a?: B, ...r: C[]): asserts a is D {}",
                "function f(         a    , ...r     )                 {}",
            ),
            ("type A = 1\n(b)", ";         \n(b)"),
            ("const f = async <T,>(x: T): P<T> => x", "const f = async     (x   )       => x"),
            ("const f = (): {\n} => 1", "const f = (    \n) => 1"),
            (
                "abstract class A<T> extends B<T> implements C, D {}",
                "         class A    extends B                    {}",
            ),
            (
                "class A { private static readonly x?: 1 = 1; declare y: 2; [k: string]: 3; z!: 4 }",
                "class A { ;       static          x     = 1; ;             ;               z     }",
            ),
            (
                "class A { m(): void; m(a?: 1): void {} abstract n(): void; get p(): 1 { return 1 } }",
                "class A { ;          m(a    )       {} ;                   get p()    { return 1 } }",
            ),
            (
                "import type { A } from 'a'; export type { A }",
                ";                           ;                ",
            ),
            (
                "import { A, b, type C } from 'a'; b as A",
                "import {    b,        } from 'a'; b     ",
            ),
            ("import { A } from 'a'; let x: A", ";                      let x   "),
            ("interface A {} export { A, b }; let b", ";              export {    b }; let b"),
            (
                "declare const a: 1; export declare function f(): void",
                ";                   ;                                ",
            ),
            ("x = a satisfies B\n;[1]", "x = a            \n;[1]"),
            ("let f = x => <A>{ y: 1 }", "let f = x => (  { y: 1 })"),
            ("import a = require('a'); export = a", "const  a = require('a'); module.exports = a"),
            ("é as 'é'\n", "é        \n"),
        ];
        for (source, wanted) in cases {
            assert_eq!(plain(source), wanted, "{source}");
        }
    }

    #[test]
    fn enums_namespaces_and_parameter_properties_have_values() {
        assert_eq!(
            plain("export enum A { B, C = 1 << 2, D = B | C,\n E = 'e', 'f-g' = 3, H }"),
            "export var A={}; A[A[\"B\"]=0]=\"B\";  A[A[\"C\"]=1 << 2]=\"C\";  A[A[\"D\"]=A.B | A.C]=\"D\"; \n \
             A[\"E\"]='e';  A[A[\"f-g\"]=3]=\"f-g\";  A[A[\"H\"]=4]=\"H\";  "
        );
        assert_eq!(
            plain(
                "class A extends B { constructor(private readonly x: number, y = 1) { super(y); f() } }"
            ),
            "class A extends B { constructor(                 x        , y = 1) { super(y);this.x=x; f() } }"
        );
        assert_eq!(
            plain("function f() {} namespace f { export const a: 1 = 1; type T = 1 }"),
            "function f() {} {        const a    = 1;f.a=a; ;          }"
        );
        assert_eq!(plain("namespace A { export type B = 1 }"), format!(";{}", " ".repeat(32)));
    }

    #[test]
    fn what_cannot_be_converted_is_named() {
        let cause = |source: &str| untyped("a.ts", source).unwrap_err().to_string();
        assert_eq!(cause("\n@a class B {}"), "a.ts:2: decorators are not supported");
        assert!(cause("namespace A.B { f() }").starts_with("a.ts:1: "));
        assert!(cause("let a: = 1").starts_with("a.ts:1: "));
        assert!(is_typescript("a.mts") && !is_typescript("a.d.ts") && !is_typescript("a.js"));
    }
}
