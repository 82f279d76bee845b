//! A slice of the rows of a table, with access by column.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;

use catherd_experiments::{Digest, RunOutcome};
use polars_arrow::array::{Array, Float64Array, UInt32Array, UInt64Array, Utf8ViewArray};
use polars_arrow::record_batch::RecordBatch;
use polars_error::PolarsError;

use super::{Error, OUTCOMES};

pub(super) struct Slice<'a> {
    pub(super) batch: &'a RecordBatch,
    pub(super) path: &'a Path,
}

impl<'a> Slice<'a> {
    pub(super) fn text(&self, column: &str) -> Result<&'a Utf8ViewArray, Error> {
        self.column(column, "text")
    }

    pub(super) fn u64(&self, column: &str) -> Result<&'a UInt64Array, Error> {
        self.column(column, "u64")
    }

    pub(super) fn u32(&self, column: &str) -> Result<&'a UInt32Array, Error> {
        self.column(column, "u32")
    }

    pub(super) fn f64(&self, column: &str) -> Result<&'a Float64Array, Error> {
        self.column(column, "f64")
    }

    fn column<A: Array>(&self, column: &str, expected: &str) -> Result<&'a A, Error> {
        let wrong = |cause| Error::Table { path: self.path.to_owned(), cause };
        let at = self.batch.schema().try_index_of(column).map_err(wrong)?;
        let array = &self.batch.arrays()[at];
        array.as_any().downcast_ref().ok_or_else(|| {
            let found = array.dtype();
            let message = format!("column {column}: expected {expected}, found {found:?}");
            wrong(PolarsError::SchemaMismatch(message.into()))
        })
    }

    pub(super) fn value<T>(&self, column: &str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| self.cell(column, "null".to_owned()))
    }

    pub(super) fn digest(&self, text: &str) -> Result<Digest, Error> {
        text.parse().map_err(|_| self.cell("run", text.to_owned()))
    }

    pub(super) fn outcome(&self, text: &str) -> Result<RunOutcome, Error> {
        let known = OUTCOMES.iter().find(|o| o.1 == text);
        known.map(|o| o.0).ok_or_else(|| self.cell("outcome", text.to_owned()))
    }

    pub(super) fn cell(&self, column: &str, value: String) -> Error {
        Error::Cell { path: self.path.to_owned(), column: column.to_owned(), value }
    }
}

pub(super) struct Interner<T> {
    pub(super) items: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { items: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(super) fn index(&mut self, item: T) -> u32 {
        if let Some(&number) = self.numbers.get(&item) {
            return number;
        }
        let number = self.items.len() as u32;
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        number
    }
}
