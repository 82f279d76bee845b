//! Parquet files, which are written and read in slices of rows.
//!
//! Only the arrays and the Parquet crate of polars are used, because its data frames are slow to
//! compile.

use std::fs::File;
use std::io::{Cursor, Read as _, Seek as _, SeekFrom};

use polars_arrow::compute::concatenate::concatenate_unchecked;
use polars_arrow::datatypes::{ArrowSchema, ArrowSchemaRef};
use polars_arrow::record_batch::RecordBatch;
use polars_error::PolarsError;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, FileMetadata, Filter, PageReader,
    column_iter_to_arrays, infer_schema, read_metadata,
};
use polars_parquet::write::{
    CompressionOptions, Encoding, FileWriter, StatisticsOptions, Version, WriteOptions,
    get_dtype_encoding, row_group_iter,
};

pub(super) struct ParquetWriter {
    file: FileWriter<File>,
    /// The encodings of each column, one for each primitive type in the column.
    encodings: Vec<Vec<Encoding>>,
}

impl ParquetWriter {
    pub(super) fn create(file: File, schema: ArrowSchema) -> Result<ParquetWriter, PolarsError> {
        let encodings =
            schema.iter_values().map(|field| get_dtype_encoding(&field.dtype)).collect();
        let options = WriteOptions {
            statistics: StatisticsOptions::default(),
            version: Version::V1,
            compression: CompressionOptions::Zstd(None),
            data_page_size: None,
        };
        Ok(ParquetWriter { file: FileWriter::try_new(file, schema, options)?, encodings })
    }

    pub(super) fn write(&mut self, rows: RecordBatch) -> Result<(), PolarsError> {
        if rows.is_empty() {
            return Ok(());
        }
        let height = rows.len() as u64;
        let encodings = self.encodings.iter().cloned().collect();
        let types = self.file.parquet_schema().fields().to_vec();
        let group = row_group_iter(rows, encodings, types, self.file.options());
        self.file.write(height, group)
    }

    pub(super) fn finish(&mut self) -> Result<(), PolarsError> {
        self.file.end(None).map(drop)
    }
}

pub(super) fn columns_of(mut file: File) -> Result<Vec<String>, PolarsError> {
    let schema = infer_schema(&read_metadata(&mut file)?)?;
    Ok(schema.iter_names().map(ToString::to_string).collect())
}

pub(super) struct ParquetReader {
    file: File,
    bytes: u64,
    metadata: FileMetadata,
    columns: ArrowSchemaRef,
    next: (usize, usize),
}

impl ParquetReader {
    pub(super) fn open(mut file: File, columns: &[&str]) -> Result<ParquetReader, PolarsError> {
        let bytes = file.metadata()?.len();
        let metadata = read_metadata(&mut file)?;
        let schema = infer_schema(&metadata)?;
        let columns = schema.try_project(columns)?;
        Ok(ParquetReader { file, bytes, metadata, columns: columns.into(), next: (0, 0) })
    }

    pub(super) fn read(&mut self, most: usize) -> Result<Option<RecordBatch>, PolarsError> {
        while let Some(group) = self.metadata.row_groups.get(self.next.0) {
            let start = self.next.1;
            let end = group.num_rows().min(start.saturating_add(most));
            if start == end {
                self.next = (self.next.0 + 1, 0);
                continue;
            }
            let mut columns = Vec::with_capacity(self.columns.len());
            for column in self.columns.iter_values() {
                let Some(chunks) = group.columns_under_root_iter(&column.name) else {
                    return Err(damaged("a group of rows lacks a column"));
                };
                let mut pages = Vec::new();
                let mut types = Vec::new();
                for chunk in chunks {
                    let bytes = read_chunk(&mut self.file, self.bytes, chunk)?;
                    let bytes = Cursor::new(bytes.into());
                    let reader = PageReader::new(bytes, chunk, Vec::new(), usize::MAX);
                    pages.push(BasicDecompressor::new(reader, Vec::new()));
                    types.push(&chunk.descriptor().descriptor.primitive_type);
                }
                let rows = Some(Filter::new_ranged(start, end));
                let (arrays, _) = column_iter_to_arrays(pages, types, column.clone(), rows)?;
                columns.push(concatenate_unchecked(&arrays)?);
            }
            self.next.1 = end;
            return RecordBatch::try_new(end - start, self.columns.clone(), columns).map(Some);
        }
        Ok(None)
    }
}

fn read_chunk(
    file: &mut File,
    length: u64,
    chunk: &ColumnChunkMetadata,
) -> Result<Vec<u8>, PolarsError> {
    let outside = || damaged("a column is outside of the file");
    let offset = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let start = u64::try_from(offset).map_err(|_| outside())?;
    let bytes = u64::try_from(chunk.compressed_size()).map_err(|_| outside())?;
    if start.checked_add(bytes).is_none_or(|end| end > length) {
        return Err(outside());
    }
    file.seek(SeekFrom::Start(start))?;
    let mut read = Vec::new();
    file.take(bytes).read_to_end(&mut read)?;
    Ok(read)
}

fn damaged(what: &'static str) -> PolarsError {
    PolarsError::ComputeError(what.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::tidy::table::{batch, column};

    fn rows(start: u64, end: u64) -> RecordBatch {
        let numbers: Vec<u64> = (start..end).collect();
        let names: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let columns = [
            column("number", &numbers, |&n| n),
            column("text", &names, |name| name.as_str()),
            column("share", &numbers, |&n| (n % 3 > 0).then_some(n as f64 / 7.0)),
        ];
        batch(numbers.len(), columns).unwrap()
    }

    fn file(groups: &[(u64, u64)]) -> File {
        let file = tempfile::tempfile().unwrap();
        let schema = rows(0, 0).schema().clone();
        let mut writer = ParquetWriter::create(file.try_clone().unwrap(), schema).unwrap();
        for &(start, end) in groups {
            writer.write(rows(start, end)).unwrap();
        }
        writer.finish().unwrap();
        file
    }

    #[test]
    fn columns_are_read_as_they_were_written_a_few_rows_at_a_time() {
        let columns = ["share", "number", "text"];
        for (most, ends) in [(4, vec![4, 5, 9, 13, 14]), (9, vec![5, 14]), (100, vec![5, 14])] {
            let file = file(&[(0, 5), (5, 5), (5, 14)]);
            let mut reader = ParquetReader::open(file, &columns).unwrap();
            let mut start = 0;
            for end in ends {
                let read = reader.read(most).unwrap().unwrap();
                let [number, text, share] = &rows(start, end).into_arrays()[..] else { panic!() };
                assert!(read.arrays().iter().eq([share, number, text]), "{start}");
                start = end;
            }
            assert!(reader.read(most).unwrap().is_none());
        }
    }

    #[test]
    fn missing_columns_are_named() {
        let error = ParquetReader::open(file(&[(0, 5)]), &["number", "colour"]).err().unwrap();
        assert!(error.to_string().contains("colour"), "{error}");
    }

    #[test]
    fn truncated_files_are_refused() {
        let mut bytes = Vec::new();
        let mut whole = file(&[(0, 5_000)]);
        whole.seek(SeekFrom::Start(0)).unwrap();
        whole.read_to_end(&mut bytes).unwrap();
        for end in (0..bytes.len()).step_by(97) {
            let mut part = tempfile::tempfile().unwrap();
            part.write_all(&bytes[..end]).unwrap();
            assert!(ParquetReader::open(part, &["number"]).is_err(), "{end}");
        }
        let (length, _) = bytes[bytes.len() - 8..].split_at(4);
        let footer = u32::from_le_bytes(length.try_into().unwrap()) as usize + 8;
        let mut part = tempfile::tempfile().unwrap();
        part.write_all(&bytes[bytes.len() - footer..]).unwrap();
        let error = ParquetReader::open(part, &["number"]).unwrap().read(9).err().unwrap();
        assert!(error.to_string().contains("outside of the file"), "{error}");
    }
}
