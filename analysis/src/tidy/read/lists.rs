//! The short tables: projects that were not run, and configurations that lost a race.

use std::path::Path;

use polars_arrow::array::StaticArray as _;

use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Dropped, Error, Skipped};

pub(super) fn skipped(path: &Path) -> Result<Vec<Skipped>, Error> {
    let mut skipped = Vec::new();
    read_slices(path, &["project", "reason"], |batch| {
        let slice = Slice { batch, path };
        let (projects, reasons) = (slice.text("project")?, slice.text("reason")?);
        for row in 0..batch.len() {
            skipped.push(Skipped {
                project: slice.value("project", projects.get(row))?.to_owned(),
                reason: slice.value("reason", reasons.get(row))?.to_owned(),
            });
        }
        Ok(())
    })?;
    Ok(skipped)
}

pub(super) fn dropped(path: &Path) -> Result<Vec<Dropped>, Error> {
    let mut dropped = Vec::new();
    if !path.exists() {
        return Ok(dropped);
    }
    read_slices(path, &["algorithm", "projects", "mean_rank", "best_mean_rank", "p"], |batch| {
        let slice = Slice { batch, path };
        let (labels, projects) = (slice.text("algorithm")?, slice.u32("projects")?);
        let (own, best) = (slice.f64("mean_rank")?, slice.f64("best_mean_rank")?);
        let p = slice.f64("p")?;
        for row in 0..batch.len() {
            dropped.push(Dropped {
                algorithm: slice.value("algorithm", labels.get(row))?.to_owned(),
                projects: slice.value("projects", projects.get(row))?,
                mean_rank: slice.value("mean_rank", own.get(row))?,
                best_mean_rank: slice.value("best_mean_rank", best.get(row))?,
                p: slice.value("p", p.get(row))?,
            });
        }
        Ok(())
    })?;
    Ok(dropped)
}
