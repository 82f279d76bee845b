//! Instrumentation of JavaScript: converts a file to the body of a function that reports what is
//! executed, and numbers statements, functions, branches and goals.
//!
//! - [`instrument`] changes one file and adds its units to [`Units`].
//! - [`untyped`] converts TypeScript to JavaScript, which [`instrument`] and [`mutants`] expect.
//! - [`mutants`] lists copies of a file with one small change each.
//! - [`Build`] selects how much is reported.
//! - The instrumented code calls probes, which its caller provides ([`PROBES`]). For example, `s`
//!   is the array of counters; `d` receives the value of a decision, `c` a comparison, `g` a
//!   logical chain, and `t` a string test.
//!
//! Statements, functions, branches and lines are counted as in istanbul-lib-instrument 6.
//!
//! # Example
//!
//! ```
//! use catherd_javascript_instrument::{Build, FileKind, Units, instrument};
//!
//! let source = "exports.larger = (a, b) => { if (a > b) { return a; } return b; };";
//! let mut units = Units::default();
//! let file = instrument(&mut units, "larger.js", source, FileKind::Script, Build::Search)?;
//! assert_eq!(units.functions.len(), 1);
//! assert_eq!(units.goals.len(), 3);
//! // The comparison reports its operands to a probe.
//! assert!(file.text.contains(&format!("{}c(", file.prefix)), "{}", file.text);
//!
//! let error = instrument(&mut units, "broken.js", "f((", FileKind::Script, Build::Search);
//! assert!(error.unwrap_err().to_string().starts_with("broken.js"));
//! # Ok::<(), catherd_javascript_instrument::SyntaxError>(())
//! ```

mod anonymous;
mod decisions;
mod declarations;
mod functions;
mod hints;
mod ignored;
mod jsdoc;
mod modules;
mod mutants;
mod mutation_operator;
mod numbering;
mod owners;
mod parameters;
mod recursion;
mod sessions;
mod shown;
mod splice;
mod statements;
mod text_tests;
mod typescript;
mod units;
mod visitor;
mod words;

use oxc_allocator::Allocator;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};

use crate::splice::Splicer;
pub use declarations::{Declarations, Shape};
pub use hints::{LineScores, line_scores};
pub use jsdoc::Documented;
pub use mutants::{Mutant, mutants};
pub use mutation_operator::MutationOperator;
pub use owners::OF_RESULT;
pub use sessions::{Given, Step, sessions};
pub use shown::{Example, Shown, example};
pub use typescript::{Untyped, is_typescript, untyped};
pub use units::{
    Branch, BranchKind, Callable, Control, DefaultValue, Function, Goal, GoalKind, Hit, Node,
    NodeKind, Parameter, SourceFile, Statement, Units,
};
pub use words::{Literal, Words, words};

/// How much an instrumented file reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Build {
    /// Nothing, for files that are not targets.
    Plain,
    /// Counters and distances.
    Search,
    /// Like [`Build::Search`], with the operands of operators in addition.
    Inference,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A CommonJS file or a script.
    Script,
    /// A module.
    Module,
    /// A module if the file imports or exports, or is valid only as a module; otherwise a script.
    Unknown,
}

/// The letters of the probes. The instrumented code is the body of a function with a parameter for
/// each probe, named [`Instrumented::prefix`] followed by the letter.
pub const PROBES: &str = "sdcgqbwhopnxyzktjuEISYM";

/// An instrumented file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrumented {
    /// The body of a function.
    pub text: String,
    /// The prefix of the names of the probes.
    pub prefix: String,
    /// Whether the file is a module.
    pub module: bool,
    /// Names that a script declares at its top level; empty for a module.
    pub declared: Vec<String>,
}

/// The reason why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}: {cause}")]
pub struct SyntaxError {
    /// The path of the file.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// The reason.
    pub cause: String,
}

/// Maximum length of a file, in bytes.
const LONGEST_FILE: usize = 8 << 20;
/// Maximum nesting depth of brackets, which is limited because the parser is recursive.
const DEEPEST: usize = 400;

/// Instruments a file and adds its units.
///
/// # Errors
/// If the file cannot be instrumented.
pub fn instrument(
    units: &mut Units,
    path: &str,
    source: &str,
    kind: FileKind,
    build: Build,
) -> Result<Instrumented, SyntaxError> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let allocator = Allocator::default();
    let program = checked(&allocator, path, source, kind)?;
    let module = program.source_type.is_module();
    let prefix = prefix(source);
    let mut out = if build == Build::Plain {
        Splicer::default()
    } else {
        let mut file = SourceFile::new(path, source);
        file.words = words::of_program(&program);
        units.files.push(file);
        let mut visitor = visitor::Visitor::new(units, source, &prefix, build, &program);
        visitor.visit_statements(&program.body);
        visitor.out
    };
    if let Some(hashbang) = &program.hashbang {
        let Span { start, end, .. } = hashbang.span;
        out.replace(start, end, "");
    }
    let mut text = String::new();
    if module {
        let head = modules::rewrite(&program, &prefix, &mut out);
        text.push_str("\"use strict\";");
        text.push_str(&head.map_err(|cause| syntax_error(path, 1, cause))?);
    }
    text.push_str(&out.apply(source));
    let declared = if module { Vec::new() } else { modules::top_level(&program) };
    Ok(Instrumented { text, prefix, module, declared })
}

fn syntax_error(path: &str, line: u32, cause: String) -> SyntaxError {
    SyntaxError { path: path.to_owned(), line, cause }
}

fn checked<'a>(
    allocator: &'a Allocator,
    path: &str,
    source: &'a str,
    kind: FileKind,
) -> Result<oxc_ast::ast::Program<'a>, SyntaxError> {
    if source.len() > LONGEST_FILE {
        let cause = format!("the file is longer than {LONGEST_FILE} bytes");
        return Err(syntax_error(path, 1, cause));
    }
    if nesting(source) > DEEPEST {
        let cause = format!("brackets are nested more than {DEEPEST} levels deep");
        return Err(syntax_error(path, 1, cause));
    }
    let parsed = parse(allocator, source, kind);
    if let Some(error) = parsed.diagnostics.first() {
        let at = error.labels.first().map_or(0, |label| label.offset() as usize);
        let line = source.bytes().take(at).filter(|byte| *byte == b'\n').count() as u32 + 1;
        return Err(syntax_error(path, line, error.message.to_string()));
    }
    Ok(parsed.program)
}

fn parse<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    kind: FileKind,
) -> oxc_parser::ParserReturn<'a> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let read =
        |source_type| Parser::new(allocator, source, source_type).with_options(options).parse();
    match kind {
        FileKind::Script => read(SourceType::cjs()),
        FileKind::Module => read(SourceType::mjs()),
        FileKind::Unknown => {
            let script = read(SourceType::cjs());
            let declares =
                |statement: &oxc_ast::ast::Statement<'_>| statement.is_module_declaration();
            let is_module = script.program.body.iter().any(declares);
            if script.diagnostics.is_empty() && !is_module {
                return script;
            }
            let module = read(SourceType::mjs());
            if is_module || module.diagnostics.is_empty() { module } else { script }
        }
    }
}

fn parse_typed<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    path: &str,
) -> oxc_parser::ParserReturn<'a> {
    let declarations = [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end));
    let kind = match declarations {
        true => SourceType::d_ts(),
        false if path.ends_with(".tsx") => SourceType::tsx(),
        false => SourceType::ts(),
    };
    Parser::new(allocator, source, kind).parse()
}

fn prefix(source: &str) -> String {
    let mut prefix = "$c_".to_owned();
    while source.contains(&prefix) {
        prefix.push('_');
    }
    prefix
}

/// Counts brackets in strings and comments as well.
fn nesting(source: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    for byte in source.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
