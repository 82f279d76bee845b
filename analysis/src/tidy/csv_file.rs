//! CSV files of tables. A missing value is an empty field, and an empty string is `""`. The crate
//! `csv` is not used, because it does not distinguish missing values from empty strings.

use std::fs::File;
use std::io::Write as _;

use polars_arrow::array::{Array, Float64Array, UInt32Array, UInt64Array, Utf8ViewArray};
use polars_arrow::datatypes::ArrowSchema;
use polars_arrow::record_batch::RecordBatch;
use polars_error::PolarsError;

pub(super) struct CsvWriter(File);

impl CsvWriter {
    pub(super) fn create(file: File, schema: &ArrowSchema) -> Result<CsvWriter, PolarsError> {
        let mut text = String::new();
        let names = schema.iter_names().map(|name| name.as_str());
        push_row(&mut text, names, push_string);
        let mut writer = CsvWriter(file);
        writer.0.write_all(text.as_bytes())?;
        Ok(writer)
    }

    pub(super) fn write(&mut self, rows: &RecordBatch) -> Result<(), PolarsError> {
        let columns = rows.arrays().iter().map(|array| Cells::of(array.as_ref()));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let mut text = String::new();
        for row in 0..rows.len() {
            push_row(&mut text, &columns, |text, cells| cells.push(text, row));
        }
        self.0.write_all(text.as_bytes())?;
        Ok(())
    }
}

enum Cells<'a> {
    Text(&'a Utf8ViewArray),
    U32(&'a UInt32Array),
    U64(&'a UInt64Array),
    F64(&'a Float64Array),
}

impl Cells<'_> {
    fn of(array: &dyn Array) -> Result<Cells<'_>, PolarsError> {
        let any = array.as_any();
        let text = any.downcast_ref().map(Cells::Text);
        let cells = text
            .or_else(|| any.downcast_ref().map(Cells::U32))
            .or_else(|| any.downcast_ref().map(Cells::U64))
            .or_else(|| any.downcast_ref().map(Cells::F64));
        let unknown = || format!("tables cannot have values of type {:?}", array.dtype());
        cells.ok_or_else(|| PolarsError::InvalidOperation(unknown().into()))
    }

    fn push(&self, text: &mut String, row: usize) {
        match self {
            Cells::Text(cells) => {
                cells.get(row).into_iter().for_each(|cell| push_string(text, cell))
            }
            Cells::U32(cells) if cells.is_valid(row) => *text += &cells.value(row).to_string(),
            Cells::U64(cells) if cells.is_valid(row) => *text += &cells.value(row).to_string(),
            Cells::F64(cells) if cells.is_valid(row) => {
                text.push_str(zmij::Buffer::new().format(cells.value(row)));
            }
            _ => {}
        }
    }
}

fn push_row<T>(
    text: &mut String,
    cells: impl IntoIterator<Item = T>,
    push: impl Fn(&mut String, T),
) {
    for (at, cell) in cells.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        push(text, cell);
    }
    text.push('\n');
}

fn push_string(text: &mut String, cell: &str) {
    if !cell.is_empty() && !cell.contains([',', '"', '\n', '\r']) {
        text.push_str(cell);
        return;
    }
    text.push('"');
    text.push_str(&cell.replace('"', "\"\""));
    text.push('"');
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _};

    use super::*;
    use crate::tidy::table::{batch, column};

    #[test]
    fn missing_values_are_empty_and_strings_quoted_where_they_must_be() {
        let strings = [None, Some(""), Some("a b"), Some("a,b"), Some("\"a\""), Some("a\r\nb")];
        let numbers = [None, Some(0.1), Some(1.0), Some(0.000_02), Some(1e-7), Some(f64::NAN)];
        let columns = [
            column("name, quoted", &strings, |&string| string),
            column("f64", &numbers, |&number| number),
            column("u32", &numbers, |number| number.map(|_| u32::MAX)),
            column("u64", &strings, |_| u64::MAX),
        ];
        let rows = batch(strings.len(), columns).unwrap();
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = CsvWriter::create(file.try_clone().unwrap(), rows.schema()).unwrap();
        writer.write(&rows).unwrap();
        let mut written = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut written).unwrap();
        let expected = "\"name, quoted\",f64,u32,u64\n\
            ,,,18446744073709551615\n\
            \"\",0.1,4294967295,18446744073709551615\n\
            a b,1.0,4294967295,18446744073709551615\n\
            \"a,b\",0.00002,4294967295,18446744073709551615\n\
            \"\"\"a\"\"\",1e-7,4294967295,18446744073709551615\n\
            \"a\r\nb\",NaN,4294967295,18446744073709551615\n";
        assert_eq!(written, expected);
    }
}
