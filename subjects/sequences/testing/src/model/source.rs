//! Reads and packs the files of a model.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::compile::{Compiled, compile};
use super::error::{ModelError, closest};
use super::syntax::Syntax;
use super::{Model, graphwalker, javascript, parser, table};
use crate::span::Span;

/// The built-in models: name and text.
pub const BUILTIN: [(&str, &str); 11] = [
    ("abp", include_str!("../../models/abp.bp")),
    ("cart-checkout", include_str!("../../models/cart-checkout.bp")),
    ("leader-election-ring", include_str!("../../models/leader-election-ring.bp")),
    ("moodle", include_str!("../../models/moodle.bp")),
    ("readers-writers", include_str!("../../models/readers-writers.bp")),
    ("saga-payment", include_str!("../../models/saga-payment.bp")),
    ("sliding-window", include_str!("../../models/sliding-window.bp")),
    ("tcp-handshake", include_str!("../../models/tcp-handshake.bp")),
    ("tic-tac-toe", include_str!("../../models/tic-tac-toe.bp")),
    ("two-phase-commit", include_str!("../../models/two-phase-commit.bp")),
    ("vault", include_str!("../../models/vault.bp")),
];

const BUILTIN_PREFIX: &str = "builtin:";

const GRAPHWALKER_PREFIX: &str = "graphwalker:";

/// The ending of the path of a model in JavaScript.
const JAVASCRIPT: &str = ".bp.js";

/// Maximum size of a file of a model in bytes: 16 MiB.
const LARGEST: u64 = 16 << 20;

const MAX_FILES: usize = 100;

/// The format of packed models that have several files or replaced constants.
const FORMAT: &str = "catherd-sequences-files/1";

/// The files and the settings of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSource {
    name: String,
    /// Name and text of each file, the model itself first.
    files: Vec<(String, String)>,
    /// Values that replace the values of constants of the model.
    settings: Vec<(String, i32)>,
}

#[derive(Serialize, Deserialize)]
struct Packed {
    format: String,
    name: String,
    files: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    settings: Vec<(String, i32)>,
}

impl ModelSource {
    /// Reads the files of a model. `path` is a file (JavaScript if it ends with `.bp.js`),
    /// `graphwalker:PATH` for JSON of GraphWalker, or `builtin:NAME`. A number after a second
    /// colon, as in `builtin:abp:3`, sets the first constant of a built-in model.
    ///
    /// # Errors
    ///
    /// If there is no such model, or its files cannot be read or used.
    pub fn open(path: &str) -> Result<ModelSource, ModelError> {
        if let Some(name) = path.strip_prefix(BUILTIN_PREFIX) {
            return ModelSource::builtin(name);
        }
        let (path, is_graph) = match path.strip_prefix(GRAPHWALKER_PREFIX) {
            Some(path) => (path, true),
            None => (path, false),
        };
        let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        let name = name.trim_end_matches(".json").trim_end_matches(".js").trim_end_matches(".bp");
        let mut source =
            ModelSource { name: name.to_owned(), files: Vec::new(), settings: Vec::new() };
        if path.ends_with(JAVASCRIPT) {
            let text = read(Path::new(path), path)?;
            let tables = javascript::convert(&text)
                .map_err(|error| ModelError { file: path.to_owned(), ..error })?;
            source.files.push((path.to_owned(), tables));
        } else if is_graph {
            let text = read(Path::new(path), path)?;
            let tables = graphwalker::convert(&text)
                .map_err(|error| ModelError { file: path.to_owned(), ..error })?;
            source.files.push((path.to_owned(), tables));
        } else {
            source.add(Path::new(path), path, Span::default(), &mut Vec::new())?;
        }
        Ok(source)
    }

    /// A source that consists of one string.
    pub fn of_text(name: &str, text: &str) -> ModelSource {
        ModelSource {
            name: name.to_owned(),
            files: vec![(name.to_owned(), text.to_owned())],
            settings: Vec::new(),
        }
    }

    fn builtin(name: &str) -> Result<ModelSource, ModelError> {
        let (name, setting) = match name.split_once(':') {
            Some((name, setting)) => (name, Some(setting)),
            None => (name, None),
        };
        let Some((_, text)) = BUILTIN.iter().find(|(known, _)| *known == name) else {
            let names: Vec<_> = BUILTIN.iter().map(|(name, _)| *name).collect();
            let cause = format!("there is no built-in model `{name}`");
            return Err(ModelError::new(Span::default(), cause).hint(
                match closest(name, names.iter().copied()) {
                    Some(near) => format!("write {BUILTIN_PREFIX}{near}"),
                    None => format!("choose one of {}", names.join(", ")),
                },
            ));
        };
        let mut source = ModelSource::of_text(name, text);
        if let Some(setting) = setting {
            let number = setting.parse().map_err(|_| {
                ModelError::new(Span::default(), format!("`{setting}` is not a number"))
                    .hint("write a number after the second colon, as in builtin:abp:3")
            })?;
            let syntax = source.syntax()?;
            let Some((constant, _)) = syntax.constants.first() else {
                let cause = format!("the built-in model `{name}` has no size to set");
                return Err(ModelError::new(Span::default(), cause).hint("leave the number out"));
            };
            source.settings.push((constant.clone(), number));
        }
        Ok(source)
    }

    /// Replaces the value of a constant.
    #[must_use]
    pub fn set(mut self, constant: &str, value: i32) -> ModelSource {
        self.settings.push((constant.to_owned(), value));
        self
    }

    fn add(
        &mut self,
        path: &Path,
        name: &str,
        span: Span,
        open: &mut Vec<PathBuf>,
    ) -> Result<(), ModelError> {
        let failed = |cause: String| ModelError::new(span, cause);
        if open.iter().any(|known| known == path) {
            return Err(failed(format!("{name}: the file includes itself"))
                .hint("remove one of the `include`s"));
        }
        if self.files.iter().any(|(known, _)| known == name) {
            return Ok(());
        }
        if self.files.len() == MAX_FILES {
            return Err(failed(format!("more than {MAX_FILES} files")).hint("join some of them"));
        }
        let text = read(path, name).map_err(|error| ModelError { span, ..error })?;
        let file = self.files.len() as u32;
        self.files.push((name.to_owned(), text));
        if !name.ends_with(".json") {
            let mut syntax = Syntax::default();
            let text = &self.files[file as usize].1;
            parser::parse(text, file, &mut syntax).map_err(|error| self.named(error))?;
            open.push(path.to_owned());
            for (included, span) in syntax.includes {
                let included_path = path.parent().unwrap_or(Path::new("")).join(&included);
                self.add(&included_path, &included, span, open)
                    .map_err(|error| self.named(error))?;
            }
            open.pop();
        }
        Ok(())
    }

    /// Packs the model into bytes, which [`ModelSource::unpack`] reads.
    pub fn pack(&self) -> Vec<u8> {
        match (self.files.as_slice(), self.settings.as_slice()) {
            ([(_, text)], []) => text.clone().into_bytes(),
            _ => {
                let packed = Packed {
                    format: FORMAT.to_owned(),
                    name: self.name.clone(),
                    files: self.files.clone(),
                    settings: self.settings.clone(),
                };
                serde_json::to_vec(&packed).expect("strings and numbers serialise to JSON")
            }
        }
    }

    /// Reads the bytes of [`ModelSource::pack`]. `name` is the name of a model that does not name
    /// itself.
    ///
    /// # Errors
    ///
    /// If the bytes are not UTF-8.
    pub fn unpack(name: &str, bytes: &[u8]) -> Result<ModelSource, ModelError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| ModelError::new(Span::default(), "the model is not UTF-8 text"))?;
        match serde_json::from_str::<Packed>(text) {
            Ok(Packed { format, name, files, settings }) if format == FORMAT => {
                Ok(ModelSource { name, files, settings })
            }
            _ => Ok(ModelSource::of_text(name, text)),
        }
    }

    fn named(&self, mut error: ModelError) -> ModelError {
        if error.file.is_empty() && error.span.line > 0 {
            error.file = self.files[error.span.file as usize].0.clone();
        }
        error
    }

    fn syntax(&self) -> Result<Syntax, ModelError> {
        let mut whole = Syntax::default();
        // Parse included files first, because constants must be declared before they are used.
        for (number, (_, text)) in self.files.iter().enumerate().rev() {
            parser::parse(text, number as u32, &mut whole).map_err(|error| self.named(error))?;
        }
        if self.files.len() == 1
            && let Some((file, span)) = whole.includes.first()
        {
            let error = ModelError::new(*span, format!("the included file `{file}` is missing"));
            return Err(self.named(error));
        }
        Ok(whole)
    }

    /// Compiles the model.
    ///
    /// # Errors
    ///
    /// If the model has an error.
    pub fn model(&self) -> Result<Model, ModelError> {
        let (file, text) = &self.files[0];
        let mut model = if text.trim_start().starts_with('{') {
            table::read(&self.name, text)
                .map_err(|error| ModelError { file: file.clone(), ..error })?
        } else {
            let syntax = self.syntax()?;
            let compiled = compile(&syntax, &self.settings).map_err(|error| self.named(error))?;
            let Compiled { program, faults, requirements, warnings } = compiled;
            Model {
                name: syntax.name.unwrap_or_else(|| self.name.clone()),
                program,
                faults,
                requirements,
                strength: syntax.strength,
                warnings,
            }
        };
        model.find_warnings();
        Ok(model)
    }
}

fn read(path: &Path, name: &str) -> Result<String, ModelError> {
    let failed = |cause: String| ModelError::new(Span::default(), cause);
    let size = fs::metadata(path).map_err(|cause| failed(format!("{name}: {cause}")))?;
    if !size.is_file() || size.len() > LARGEST {
        return Err(failed(format!("{name}: not a file of at most {LARGEST} bytes")));
    }
    fs::read_to_string(path).map_err(|cause| failed(format!("{name}: {cause}")))
}
