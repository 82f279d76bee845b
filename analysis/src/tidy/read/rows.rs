//! Rows of the table `runs` of each folder, including runs that several folders contain.

use catherd_experiments::Digest;
use polars_arrow::array::{StaticArray as _, Utf8ViewArray};

use super::Source;
use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Error, Results};

/// A row of `runs`.
#[derive(Clone, Copy, Debug)]
pub struct RawRow<'a> {
    /// The run, as an index into [`Results::runs`], which is the same in every folder.
    pub run: u32,
    /// Digests of the record.
    pub record: RecordDigests,
    /// Name of the host, or an empty string.
    pub host: &'a str,
    /// Work in the unit of [`Results::program_time`].
    pub program_time: Option<u64>,
    /// Time of the search in milliseconds.
    pub search_ms: Option<u64>,
}

/// The digests of a record, by format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordDigests {
    /// Digest in format 1.
    pub format_1: Option<Digest>,
    /// Digest in format 2.
    pub format_2: Option<Digest>,
}

impl RecordDigests {
    /// Whether both are digests of the same record, compared in the newest format that both
    /// contain.
    pub fn agree(&self, other: &RecordDigests) -> bool {
        match (self.format_2, other.format_2) {
            (Some(one), Some(another)) => one == another,
            _ => self.format_1.is_some() && self.format_1 == other.format_1,
        }
    }
}

impl Results {
    /// Reads the rows of all folders, in the order of the folders.
    ///
    /// # Errors
    /// [`Error`] if a table cannot be read or names an unknown run.
    pub fn rows(&self, mut each: impl FnMut(RawRow<'_>)) -> Result<(), Error> {
        let known = self.numbers();
        let unit = self.program_time().map(|(at, _)| self.subject.units[at].name.as_str());
        for Source { dir, subject, names, .. } in self.sources() {
            let path = dir.join("runs.parquet");
            let unit = unit.filter(|unit| subject.unit(unit).is_some());
            let digests = [names.records.0, names.records.1];
            let mut columns = vec!["run", "host", "search_ms"];
            columns.extend(digests.iter().copied().flatten().chain(unit));
            read_slices(&path, &columns, |batch| {
                let slice = Slice { batch, path: &path };
                let (runs, hosts) = (slice.text("run")?, slice.text("host")?);
                let work = unit.map(|unit| slice.u64(unit)).transpose()?;
                let search_ms = slice.u64("search_ms")?;
                let texts = |name: Option<&str>| name.map(|name| slice.text(name)).transpose();
                let (format_1, format_2) = (texts(digests[0])?, texts(digests[1])?);
                let digest = |texts: Option<&Utf8ViewArray>, row| {
                    texts.and_then(|texts| texts.get(row)).and_then(|text| text.parse().ok())
                };
                for row in 0..batch.len() {
                    let id = slice.value("run", runs.get(row))?;
                    let run = match known.get(&slice.digest(id)?) {
                        Some(run) => *run,
                        None if self.is_selection() => continue,
                        None => return Err(slice.cell("run", id.to_owned())),
                    };
                    each(RawRow {
                        run,
                        record: RecordDigests {
                            format_1: digest(format_1, row),
                            format_2: digest(format_2, row),
                        },
                        host: hosts.get(row).unwrap_or(""),
                        program_time: work.and_then(|work| work.get(row)),
                        search_ms: search_ms.get(row),
                    });
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
