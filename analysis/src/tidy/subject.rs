//! `subject.json`: the description of the runs of a folder, such as their units and measures.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use catherd_experiments::{CriterionInfo, Noun, SubjectInfo};

use super::Error;

const FILE: &str = "subject.json";

pub(super) fn read(dir: &Path) -> Result<Option<SubjectInfo>, Error> {
    let path = dir.join(FILE);
    match fs::read(&path) {
        Ok(json) => match serde_json::from_slice(&json) {
            Ok(subject) => Ok(Some(subject)),
            Err(cause) => Err(Error::Json { path, cause }),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(Error::Io { path, cause }),
    }
}

pub(super) fn write(dir: &Path, subject: &SubjectInfo) -> Result<(), Error> {
    let path = dir.join(FILE);
    let mut json = serde_json::to_vec_pretty(subject)
        .map_err(|cause| Error::Json { path: path.clone(), cause })?;
    json.push(b'\n');
    fs::write(&path, json).map_err(|cause| Error::Io { path, cause })
}

/// Different main criteria, and different units of suites, are replaced by a general term.
pub(super) fn add(all: &mut SubjectInfo, other: &SubjectInfo) {
    for (name, more) in [(&mut all.kind, &other.kind), (&mut all.engine, &other.engine)] {
        if !name.split(", ").any(|known| known == more) {
            *name = format!("{name}, {more}");
        }
    }
    for unit in &other.units {
        if all.unit(&unit.name).is_none() {
            all.units.push(unit.clone());
        }
    }
    for measure in &other.measures {
        if all.measures.iter().all(|known| known.column != measure.column) {
            all.measures.push(measure.clone());
        }
    }
    if all.main_criterion() != other.main_criterion() {
        all.criteria = vec![CriterionInfo::new("goal", "goals")];
    } else {
        for criterion in &other.criteria {
            if !all.criteria.contains(criterion) {
                all.criteria.push(criterion.clone());
            }
        }
    }
    if all.suite_unit != other.suite_unit {
        all.suite_unit = Noun::new("element", "elements");
    }
    for level in &other.mutant_levels {
        if !all.mutant_levels.contains(level) {
            all.mutant_levels.push(level.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use catherd_experiments::{Unit, format_1};

    use super::*;

    #[test]
    fn descriptions_are_written_read_and_joined() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = format_1::subject_info("one", "one/1");
        assert_eq!(read(dir.path()).unwrap(), None);
        write(dir.path(), &scratch).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(scratch.clone()));
        std::fs::write(dir.path().join(FILE), "{}").unwrap();
        assert!(matches!(read(dir.path()), Err(Error::Json { .. })));

        let mut all = scratch.clone();
        add(&mut all, &scratch);
        assert_eq!(all, scratch);
        let other = SubjectInfo {
            kind: "other".to_owned(),
            units: vec![Unit::new("calls", "call", "calls", "calls of a method")],
            criteria: vec![CriterionInfo::new("branch", "branches")],
            ..scratch.clone()
        };
        add(&mut all, &other);
        assert_eq!((&*all.kind, &*all.engine), ("one, other", "one/1"));
        assert_eq!(all.units.len(), 3);
        assert_eq!(all.main_criterion().unwrap().goals, "goals");
        assert_eq!(all.suite_unit, scratch.suite_unit);
    }
}
