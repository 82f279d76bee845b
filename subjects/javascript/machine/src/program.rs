//! Programs: packages whose target files are instrumented.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use catherd_javascript_engine::Limits;
use catherd_javascript_instrument::{
    Build, FileKind, Instrumented, LineScores, SyntaxError, Units, instrument, is_typescript,
    untyped,
};

use crate::compile::CompiledFile;
use crate::package::Package;
use crate::resolve;
use crate::settings::LineHints;

/// The reason why a package cannot be a subject.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// There is nothing to load.
    #[error("no entry file: check subject.toml or package.json, or add index.js")]
    NoEntry,
    /// A file cannot be parsed or converted to JavaScript.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The entry throws or reaches a limit when it is loaded.
    #[error("loading fails: {0}")]
    Load(String),
}

/// A package that can be loaded, with the units of its target files.
#[derive(Debug)]
pub struct Program {
    /// The package.
    pub package: Package,
    /// The file that is loaded.
    pub entry: String,
    /// Statements, functions, branches and goals of the target files that loading reaches.
    pub units: Units,
    /// Points of primitive types for each line with operators: first computed from lines without
    /// comments, then from lines with comments.
    pub(crate) lines: [Vec<LineScores>; 2],
    /// Instrumented files by path, for the search build and the inference build.
    pub(crate) texts: [BTreeMap<String, Instrumented>; 2],
    pub(crate) loaded: RefCell<BTreeMap<(String, usize), Rc<CompiledFile>>>,
}

impl Program {
    pub(crate) fn line_scores(&self, hints: LineHints) -> &[LineScores] {
        &self.lines[usize::from(hints == LineHints::WithComments)]
    }

    /// The JavaScript code of a file: the text or, for a TypeScript file, the text without types.
    ///
    /// # Errors
    /// If the file is TypeScript that cannot be converted.
    pub fn source(&self, path: &str) -> Result<Option<String>, SyntaxError> {
        match self.package.text(path) {
            Some(text) if is_typescript(path) => Ok(Some(untyped(path, &text)?.text)),
            text => Ok(text),
        }
    }

    /// The members that are declared `private` or `protected` in TypeScript, as `C.m`.
    pub fn hidden(&self) -> BTreeSet<String> {
        self.units.files.iter().flat_map(|file| file.words.declarations.hidden.clone()).collect()
    }

    /// The mutants of a target file.
    ///
    /// # Errors
    /// If the file cannot be parsed or converted.
    pub fn mutants(
        &self,
        path: &str,
    ) -> Result<Vec<catherd_javascript_instrument::Mutant>, ProgramError> {
        let source = self.source(path)?.unwrap_or_default();
        Ok(catherd_javascript_instrument::mutants(path, &source, self.kind(path))?)
    }

    /// The program with changed JavaScript code in one file (see [`Program::source`]), as for a
    /// mutant. Goals are numbered differently.
    ///
    /// # Errors
    /// If the text is not JavaScript.
    pub fn variant(&self, path: &str, text: &str) -> Result<Rc<Program>, ProgramError> {
        let mut package = self.package.clone();
        package.files.insert(path.to_owned(), text.as_bytes().to_vec());
        let mut variant = Program {
            package,
            entry: self.entry.clone(),
            units: Units::default(),
            lines: Default::default(),
            texts: [BTreeMap::new(), BTreeMap::new()],
            loaded: RefCell::default(),
        };
        let made = instrument(&mut variant.units, path, text, self.kind(path), Build::Search)?;
        let made = variant.finished(path, made);
        variant.texts[0].insert(path.to_owned(), made);
        // Messages of errors are compared with the strings of the original program.
        variant.units.texts = self.units.texts.clone();
        Ok(Rc::new(variant))
    }

    /// Whether a file that loading reaches is a module.
    pub fn is_module(&self, path: &str) -> bool {
        self.texts[0].get(path).is_some_and(|text| text.module)
    }

    pub(crate) fn kind(&self, path: &str) -> FileKind {
        match resolve::is_module(&self.package, path) {
            Some(true) => FileKind::Module,
            Some(false) => FileKind::Script,
            None => FileKind::Unknown,
        }
    }

    pub(crate) fn finished(&self, path: &str, mut text: Instrumented) -> Instrumented {
        if self.package.config.globals && path == self.entry && !text.module {
            for name in &text.declared {
                text.text.push_str(&format!("\n;module.exports[{name:?}]={name};"));
            }
        }
        text
    }

    /// A compiled file. Each file is compiled once for all contexts.
    pub(crate) fn loaded(
        &self,
        path: &str,
        build: usize,
        limits: Limits,
    ) -> Result<Rc<CompiledFile>, String> {
        let key = (path.to_owned(), build);
        if let Some(known) = self.loaded.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(self.compile(path, build, limits)?);
        self.loaded.borrow_mut().insert(key, Rc::clone(&made));
        Ok(made)
    }

    fn compile(&self, path: &str, build: usize, limits: Limits) -> Result<CompiledFile, String> {
        if path.ends_with(".json") {
            let text = self.package.text(path).unwrap_or_default();
            return Ok(CompiledFile::Json(text));
        }
        if let Some(text) = self.texts[build].get(path) {
            return CompiledFile::compile(path, text, limits);
        }
        let source = self.source(path).map_err(|error| error.to_string())?;
        let source = source.ok_or_else(|| format!("{path}: no such file"))?;
        let kind = self.kind(path);
        let text = instrument(&mut Units::default(), path, &source, kind, Build::Plain);
        let text = text.map_err(|error| error.to_string())?;
        CompiledFile::compile(path, &self.finished(path, text), limits)
    }

    /// The source text of the function or class with this number.
    pub fn callable_text(&self, number: usize) -> Option<&str> {
        let callable = self.units.callables.get(number)?;
        let file = self.units.files.get(callable.file as usize)?;
        file.source.get(callable.range.0 as usize..callable.range.1 as usize)
    }

    /// The parameters of a callable: of the function, or of the constructor of the class.
    pub fn parameters(
        &self,
        callable: usize,
    ) -> Option<&[catherd_javascript_instrument::Parameter]> {
        let function = self.units.callables.get(callable)?.function?;
        Some(&self.units.functions.get(function as usize)?.parameters)
    }
}
