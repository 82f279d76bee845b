//! Rows of `runs` as they stand in each folder, runs that several folders have included.

use catherd_experiments::Digest;

use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Error, Results};

/// A row of `runs`.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The run: index into [`Results::runs`], the same in every folder.
    pub run: u32,
    /// The digest of its record; none of imported runs.
    pub record: Option<Digest>,
    /// Where it ran; empty if that is not known.
    pub host: &'a str,
    /// Steps of the search.
    pub steps: Option<u64>,
    /// Milliseconds of the search.
    pub search_ms: Option<u64>,
}

impl Results {
    /// Reads the rows of all folders, in their order.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn rows(&self, mut each: impl FnMut(Row<'_>)) -> Result<(), Error> {
        let known = self.numbers();
        for (dir, _) in self.sources() {
            let path = dir.join("runs.parquet");
            read_slices(&path, &["run", "record", "host", "steps", "search_ms"], |frame| {
                let slice = Slice { frame, path: &path };
                let (runs, records) = (slice.text("run")?, slice.text("record")?);
                let (hosts, steps) = (slice.text("host")?, slice.u64("steps")?);
                let search_ms = slice.u64("search_ms")?;
                for row in 0..frame.height() {
                    let id = slice.value("run", runs.get(row))?;
                    let run = known.get(&slice.digest(id)?).copied();
                    each(Row {
                        run: run.ok_or_else(|| slice.cell("run", id.to_owned()))?,
                        record: records.get(row).and_then(|digest| digest.parse().ok()),
                        host: hosts.get(row).unwrap_or(""),
                        steps: steps.get(row),
                        search_ms: search_ms.get(row),
                    });
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
