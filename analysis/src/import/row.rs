//! Rows of CSV files with named columns.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::ImportError;

/// Calls `each` with the line number, from 1, and the fields of every record of a file. A file with
/// the extension `gz` is decompressed.
pub(super) fn records(
    path: &Path,
    quoting: bool,
    mut each: impl FnMut(u64, &[String]) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let failed = |cause| ImportError::Io { path: path.to_owned(), cause };
    let file = File::open(path).map_err(failed)?;
    let compressed = path.extension().is_some_and(|extension| extension == "gz");
    let file: Box<dyn Read> = match compressed {
        // A gzip file may consist of several members.
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .quoting(quoting)
        .from_reader(Lines { file, length: 0 });
    let mut record = csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        let more = reader.read_record(&mut record).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(cause) => ImportError::Io { path: path.to_owned(), cause },
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
        // The reader skips empty lines before the record.
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

const MAX_LINE_BYTES: usize = 64 << 20;

/// A reader that fails on a line that is too long, because a record is read into memory as a whole.
/// Devices and small compressed files can contain such lines.
struct Lines<R> {
    file: R,
    /// Bytes since the last newline.
    length: usize,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let bytes = &buffer[..count];
        self.length = match bytes.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => count - end - 1,
            None => self.length + count,
        };
        if self.length > MAX_LINE_BYTES {
            let problem = format!("a line has more than {MAX_LINE_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        Ok(count)
    }
}

#[derive(Default)]
pub(super) struct Header {
    positions: HashMap<String, usize>,
    pub(super) names: Vec<String>,
}

impl Header {
    pub(super) fn new(names: &[String]) -> Header {
        let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        let positions = names.iter().enumerate().rev().map(|(i, name)| (name.clone(), i)).collect();
        Header { positions, names }
    }

    pub(super) fn strict(path: &Path, line: u64, names: &[String]) -> Result<Header, ImportError> {
        let header = Header::new(names);
        let duplicate = (0..header.names.len()).find(|&i| header.positions[&header.names[i]] != i);
        match duplicate.map(|i| &header.names[i]) {
            Some(name) if !name.is_empty() => Err(ImportError::Csv {
                path: path.to_owned(),
                line,
                problem: format!("two columns have the name `{name}`"),
            }),
            _ => Ok(header),
        }
    }

    /// The usual cause of an error is an unquoted comma, which shifts all later fields to wrong
    /// columns.
    pub(super) fn row<'a>(
        &'a self,
        path: &'a Path,
        line: u64,
        fields: &'a [String],
    ) -> Result<Row<'a>, ImportError> {
        if fields.len() == self.names.len() {
            return Ok(Row { path, line, header: self, fields });
        }
        let (found, expected) = (fields.len(), self.names.len());
        let fields = if found == 1 { "field" } else { "fields" };
        Err(ImportError::Csv {
            path: path.to_owned(),
            line,
            problem: format!(
                "{found} {fields} where the header has {expected}: fields with a comma need quotes"
            ),
        })
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.positions.contains_key(column)
    }
}

pub(super) struct Row<'a> {
    pub(super) path: &'a Path,
    pub(super) line: u64,
    pub(super) header: &'a Header,
    pub(super) fields: &'a [String],
}

impl Row<'_> {
    /// Returns a field, unless the field is empty or a placeholder such as `NA`.
    pub(super) fn text(&self, column: &str) -> Option<&str> {
        let text = self.fields.get(*self.header.positions.get(column)?)?.trim();
        let empty = ["", "null", "undefined", "NaN", "nan", "NA", "None", "-"];
        (!empty.contains(&text)).then_some(text)
    }

    pub(super) fn required(&self, column: &str) -> Result<String, ImportError> {
        if !self.header.has(column) {
            return Err(ImportError::Column {
                path: self.path.to_owned(),
                column: column.to_owned(),
            });
        }
        let text = self.text(column).map(str::to_owned);
        text.ok_or_else(|| self.invalid(column, "", "a name"))
    }

    pub(super) fn f64(&self, column: &str) -> Result<Option<f64>, ImportError> {
        let Some(text) = self.text(column) else { return Ok(None) };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.invalid(column, text, "a number")),
        }
    }

    /// Parses an integer, which may be written as `12.0`.
    pub(super) fn u64(&self, column: &str) -> Result<Option<u64>, ImportError> {
        // Parse an integer first, because floating-point numbers cannot represent every seed.
        if let Some(Ok(count)) = self.text(column).map(str::parse) {
            return Ok(Some(count));
        }
        let Some(number) = self.f64(column)? else { return Ok(None) };
        if number >= 0.0 && number.fract() == 0.0 && number < 9e15 {
            Ok(Some(number as u64))
        } else {
            Err(self.invalid(
                column,
                self.text(column).unwrap_or_default(),
                "a non-negative whole number",
            ))
        }
    }

    pub(super) fn u32(&self, column: &str) -> Result<Option<u32>, ImportError> {
        let Some(count) = self.u64(column)? else { return Ok(None) };
        u32::try_from(count)
            .ok()
            .map(Some)
            .ok_or_else(|| self.invalid(column, &count.to_string(), "a whole number below 2^32"))
    }

    pub(super) fn invalid(&self, column: &str, value: &str, expected: &'static str) -> ImportError {
        ImportError::Field {
            path: self.path.to_owned(),
            line: self.line,
            column: column.to_owned(),
            value: value.to_owned(),
            expected,
        }
    }
}
