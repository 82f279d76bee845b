//! A table as two files. Only one slice of rows is written or read at a time.

use std::borrow::Cow;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use catherd_experiments::text::printable;
use polars_arrow::array::{
    Array, ArrayFromIter, ArrayRef, Float64Array, UInt32Array, UInt64Array, Utf8ViewArray,
};
use polars_arrow::datatypes::{ArrowSchema, Field};
use polars_arrow::record_batch::RecordBatch;
use polars_error::PolarsError;

use super::Error;
use super::csv_file::CsvWriter;
use super::parquet::{ParquetReader, ParquetWriter};

const SLICE: usize = 16_384;

pub(super) trait Row: Sized {
    /// The name of the table. Its files are `NAME.parquet` and `NAME.csv`.
    const NAME: &str;

    fn columns(rows: &[Self], layout: &Layout) -> Vec<Column>;
}

#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) units: Vec<String>,
    pub(super) levels: Vec<String>,
}

pub(super) type Column = (String, ArrayRef);

pub(super) trait Cell: Sized {
    type Column: Array + ArrayFromIter<Self>;
}

impl Cell for &str {
    type Column = Utf8ViewArray;
}

impl Cell for Cow<'_, str> {
    type Column = Utf8ViewArray;
}

impl Cell for u32 {
    type Column = UInt32Array;
}

impl Cell for u64 {
    type Column = UInt64Array;
}

impl Cell for f64 {
    type Column = Float64Array;
}

impl<T: Cell> Cell for Option<T>
where
    T::Column: ArrayFromIter<Option<T>>,
{
    type Column = T::Column;
}

pub(super) fn column<'a, R, T: Cell>(
    name: &str,
    rows: &'a [R],
    field: impl Fn(&'a R) -> T,
) -> Column {
    (name.to_owned(), Box::new(T::Column::arr_from_iter(rows.iter().map(field))))
}

/// Characters that would control a terminal or change the direction of the text are replaced by
/// escapes.
pub(super) fn text<'a, R>(
    name: &str,
    rows: &'a [R],
    field: impl Fn(&'a R) -> Option<&'a str>,
) -> Column {
    column(name, rows, |row| field(row).map(printable))
}

pub(super) fn batch(
    rows: usize,
    columns: impl IntoIterator<Item = Column>,
) -> Result<RecordBatch, PolarsError> {
    let mut schema = ArrowSchema::default();
    let mut arrays = Vec::new();
    for (name, array) in columns {
        let field = Field::new(name.into(), array.dtype().clone(), true);
        schema.try_insert(field.name.clone(), field)?;
        arrays.push(array);
    }
    RecordBatch::try_new(rows, schema.into(), arrays)
}

/// The files get their final names when the table is complete.
pub(super) struct TableWriter<R> {
    rows: Vec<R>,
    layout: Layout,
    parquet: Output<ParquetWriter>,
    csv: Output<CsvWriter>,
}

struct Output<W> {
    writer: W,
    path: PathBuf,
    partial: PathBuf,
}

impl<W> Output<W> {
    fn create(
        path: PathBuf,
        open: impl FnOnce(File) -> Result<W, PolarsError>,
    ) -> Result<Output<W>, Error> {
        let mut partial = path.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file =
            File::create(&partial).map_err(|cause| Error::Io { path: partial.clone(), cause })?;
        let writer = open(file).map_err(|cause| Error::Table { path: path.clone(), cause })?;
        Ok(Output { writer, path, partial })
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut W) -> Result<T, PolarsError>) -> Result<T, Error> {
        act(&mut self.writer).map_err(|cause| Error::Table { path: self.path.clone(), cause })
    }

    fn publish(self) -> Result<(), Error> {
        drop(self.writer);
        fs::rename(&self.partial, &self.path).map_err(|cause| Error::Io { path: self.path, cause })
    }
}

impl<R: Row> TableWriter<R> {
    pub(super) fn create(dir: &Path, layout: &Layout) -> Result<TableWriter<R>, Error> {
        let path = |kind: &str| dir.join(R::NAME).with_extension(kind);
        let schema = rows_of::<R>(&[], layout, &path("parquet"))?.schema().clone();
        Ok(TableWriter {
            rows: Vec::with_capacity(SLICE),
            layout: layout.clone(),
            csv: Output::create(path("csv"), |file| CsvWriter::create(file, &schema))?,
            parquet: Output::create(path("parquet"), |file| ParquetWriter::create(file, schema))?,
        })
    }

    pub(super) fn push(&mut self, row: R) -> Result<(), Error> {
        self.rows.push(row);
        if self.rows.len() == SLICE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let rows = rows_of(&self.rows, &self.layout, &self.parquet.path)?;
        self.rows.clear();
        self.csv.with(|writer| writer.write(&rows))?;
        self.parquet.with(|writer| writer.write(rows))
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        self.parquet.with(ParquetWriter::finish)?;
        self.parquet.publish()?;
        self.csv.publish()
    }
}

fn rows_of<R: Row>(rows: &[R], layout: &Layout, path: &Path) -> Result<RecordBatch, Error> {
    batch(rows.len(), R::columns(rows, layout))
        .map_err(|cause| Error::Table { path: path.to_owned(), cause })
}

pub(super) fn columns_of(path: &Path) -> Result<Vec<String>, Error> {
    let file = File::open(path).map_err(|cause| Error::Io { path: path.to_owned(), cause })?;
    super::parquet::columns_of(file).map_err(|cause| Error::Table { path: path.to_owned(), cause })
}

pub(super) fn read_slices(
    path: &Path,
    columns: &[&str],
    mut each: impl FnMut(&RecordBatch) -> Result<(), Error>,
) -> Result<(), Error> {
    let wrong = |cause| Error::Table { path: path.to_owned(), cause };
    let file = File::open(path).map_err(|cause| Error::Io { path: path.to_owned(), cause })?;
    let mut reader = ParquetReader::open(file, columns).map_err(wrong)?;
    while let Some(rows) = reader.read(SLICE).map_err(wrong)? {
        each(&rows)?;
    }
    Ok(())
}
