//! A row of a CSV file whose columns have names.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use super::ImportError;

/// Reads the records of a file: the number of the line, from 1, and its fields.
pub(super) fn records(
    path: &Path,
    quoting: bool,
    mut each: impl FnMut(u64, &[String]) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let file =
        File::open(path).map_err(|source| ImportError::Io { path: path.to_owned(), source })?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .quoting(quoting)
        .from_reader(file);
    let mut record = csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        let more = reader.read_record(&mut record).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(source) => ImportError::Io { path: path.to_owned(), source },
            csv::ErrorKind::Utf8 { .. } => {
                ImportError::Csv { path: path.to_owned(), line, problem: "not UTF-8".to_owned() }
            }
            other => {
                ImportError::Csv { path: path.to_owned(), line, problem: format!("{other:?}") }
            }
        })?;
        if !more {
            return Ok(());
        }
        // Empty lines were passed over.
        let line = record.position().map_or(line, csv::Position::line);
        let mut fields: Vec<String> = record.iter().map(str::to_owned).collect();
        if line == 1
            && let Some(first) = fields.first_mut()
        {
            *first = first.trim_start_matches('\u{feff}').to_owned();
        }
        each(line, &fields)?;
    }
}

/// Where each column stands.
#[derive(Default)]
pub(super) struct Header {
    places: HashMap<String, usize>,
    pub(super) names: Vec<String>,
}

impl Header {
    pub(super) fn new(names: &[String]) -> Header {
        let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        let places = names.iter().enumerate().rev().map(|(i, name)| (name.clone(), i)).collect();
        Header { places, names }
    }

    /// A header below which every row has as many fields, and whose columns differ.
    pub(super) fn rigid(path: &Path, line: u64, names: &[String]) -> Result<Header, ImportError> {
        let header = Header::new(names);
        let twice = (0..header.names.len()).find(|&i| header.places[&header.names[i]] != i);
        match twice.map(|i| &header.names[i]) {
            Some(name) if !name.is_empty() => Err(ImportError::Csv {
                path: path.to_owned(),
                line,
                problem: format!("two columns are called `{name}`"),
            }),
            _ => Ok(header),
        }
    }

    /// A row below a rigid header. A field too many is a comma too many: behind it, every
    /// field would stand in the wrong column.
    pub(super) fn row<'a>(
        &'a self,
        path: &'a Path,
        line: u64,
        fields: &'a [String],
    ) -> Result<Row<'a>, ImportError> {
        if fields.len() == self.names.len() {
            return Ok(Row { path, line, header: self, fields });
        }
        let (found, needed) = (fields.len(), self.names.len());
        Err(ImportError::Csv {
            path: path.to_owned(),
            line,
            problem: format!(
                "{found} fields below a header of {needed}; a field with a comma needs quotes"
            ),
        })
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.places.contains_key(column)
    }
}

/// A row under its header.
pub(super) struct Row<'a> {
    pub(super) path: &'a Path,
    pub(super) line: u64,
    pub(super) header: &'a Header,
    pub(super) fields: &'a [String],
}

impl Row<'_> {
    /// A field; none if the column is missing or the field says that it is empty.
    pub(super) fn text(&self, column: &str) -> Option<&str> {
        let text = self.fields.get(*self.header.places.get(column)?)?.trim();
        let empty = ["", "null", "undefined", "NaN", "nan", "NA", "None", "-"];
        (!empty.contains(&text)).then_some(text)
    }

    /// A field that must not be empty.
    pub(super) fn needed(&self, column: &str) -> Result<String, ImportError> {
        if !self.header.has(column) {
            return Err(ImportError::Column {
                path: self.path.to_owned(),
                column: column.to_owned(),
            });
        }
        let text = self.text(column).map(str::to_owned);
        text.ok_or_else(|| self.wrong(column, "", "a name"))
    }

    /// A finite number.
    pub(super) fn number(&self, column: &str) -> Result<Option<f64>, ImportError> {
        let Some(text) = self.text(column) else { return Ok(None) };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.wrong(column, text, "a number")),
        }
    }

    /// A whole number, which may be printed with decimals.
    pub(super) fn count(&self, column: &str) -> Result<Option<u64>, ImportError> {
        // A seed may have more digits than a number with decimals.
        if let Some(Ok(count)) = self.text(column).map(str::parse) {
            return Ok(Some(count));
        }
        let Some(number) = self.number(column)? else { return Ok(None) };
        if number >= 0.0 && number.fract() == 0.0 && number < 9e15 {
            Ok(Some(number as u64))
        } else {
            Err(self.wrong(column, self.text(column).unwrap_or_default(), "a whole number"))
        }
    }

    /// A whole number of 32 bits.
    pub(super) fn small(&self, column: &str) -> Result<Option<u32>, ImportError> {
        let Some(count) = self.count(column)? else { return Ok(None) };
        let small = u32::try_from(count).ok();
        small.map(Some).ok_or_else(|| self.wrong(column, &count.to_string(), "a smaller number"))
    }

    pub(super) fn wrong(&self, column: &str, value: &str, expected: &'static str) -> ImportError {
        ImportError::Field {
            path: self.path.to_owned(),
            line: self.line,
            column: column.to_owned(),
            value: value.to_owned(),
            expected,
        }
    }
}
