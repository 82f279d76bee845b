//! Computes the runs of a study from its plan, and compares rows of the store with them.

use std::fmt::Display;

use catherd_experiments::{Plan, RunSpec};

use super::error::StoreError;
use super::model::StoredStudy;
use super::row::Row;

#[derive(Debug)]
pub(super) struct PlannedRuns {
    pub(super) study: String,
    /// Schema version 1 did not store plans.
    plan: Option<Plan>,
}

impl PlannedRuns {
    pub(super) fn of(study: &StoredStudy) -> Result<PlannedRuns, StoreError> {
        let plan = match &*study.plan {
            [] => None,
            json => Some(serde_json::from_slice(json).map_err(|cause| {
                StoreError::Damaged(format!("the plan of study `{}`: {cause}", study.name))
            })?),
        };
        Ok(PlannedRuns { study: study.name.clone(), plan })
    }

    /// The next values of the row must be id, specification, project and label. All but the
    /// specification are compared with the plan, if any.
    pub(super) fn run(&self, position: i64, row: &mut Row) -> Result<RunSpec, StoreError> {
        let (id, json) = (row.digest()?, row.bytes()?);
        let (project, label) = (row.text()?, row.text()?);
        let wrong = || {
            let study = &self.study;
            StoreError::Damaged(format!("run {position} of study `{study}` is inconsistent"))
        };
        let spec = match &self.plan {
            Some(plan) => {
                let planned = usize::try_from(position).ok().filter(|&at| at < plan.count());
                plan.run(planned.ok_or_else(wrong)?)
            }
            None => {
                let mut spec: RunSpec = serde_json::from_slice(&json)?;
                spec.project_name.clone_from(&project);
                spec.algorithm.label.clone_from(&label);
                spec
            }
        };
        let same = spec.id() == id && spec.project_name == project && spec.algorithm.label == label;
        if same { Ok(spec) } else { Err(wrong()) }
    }

    pub(super) fn damaged(&self, spec: &RunSpec, cause: impl Display) -> StoreError {
        StoreError::of_run(&self.study, spec, cause)
    }
}
