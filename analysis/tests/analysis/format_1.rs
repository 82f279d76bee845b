//! Tests that `tests/format-1`, a results folder of version 0.3.0, can be read.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_analysis::progress::Progress;
use catherd_analysis::summarise;
use catherd_analysis::tidy::{Clock, RecordDigests, Results};
use catherd_experiments::{Budget, RunOutcome};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/format-1")
}

fn copy() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), place.path().join(entry.file_name())).unwrap();
    }
    place
}

fn column(file: &str, name: &str) -> Vec<String> {
    let mut table = csv::Reader::from_path(folder().join(file)).unwrap();
    let at = table.headers().unwrap().iter().position(|column| column == name).unwrap();
    table.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

#[test]
fn the_tables_are_read() {
    let results = Results::read(&folder()).unwrap();
    assert_eq!((&*results.subject.kind, &*results.subject.engine), ("scratch", "catherd/0.3.0"));
    assert_eq!(results.algorithms, ["random", "mio", "small"]);
    assert_eq!(results.budgets, vec![Budget::of("executions", 15); 3]);
    assert_eq!((results.runs.len(), results.projects.len(), results.seeds()), (12, 2, 2));
    assert!(results.runs.iter().all(|run| run.outcome == RunOutcome::Done));
    let strings = |values: &[Option<u64>]| -> Vec<String> {
        values.iter().map(|value| value.map_or(String::new(), |n| n.to_string())).collect()
    };
    assert_eq!(strings(&results.work[0]), column("runs.csv", "executions"));
    assert_eq!(strings(&results.work[1]), column("runs.csv", "steps"));
    let sizes: Vec<_> = results.runs.iter().map(|run| run.suite_size.map(u64::from)).collect();
    assert_eq!(strings(&sizes), column("runs.csv", "suite_events"));
    let removed: Vec<_> = results.runs.iter().map(|run| run.suite_removed.map(u64::from)).collect();
    assert_eq!(strings(&removed), column("runs.csv", "minimised_events"));

    let steps = results.clock_of("steps").unwrap();
    let points = results.improvements(&steps).unwrap();
    let at: Vec<String> = points.iter().map(|point| point.at.to_string()).collect();
    assert_eq!(at, column("timeline.csv", "steps"));
    assert_eq!(results.clock(), results.clock_of("executions").unwrap());
    assert!(Progress::new(&results, &Clock::Wall).unwrap().is_some());

    let mutants = results.mutants().unwrap();
    let killed = column("mutants.csv", "outcome").iter().filter(|one| *one == "killed").count();
    assert_eq!(mutants.mutants.len(), 72);
    assert_eq!(mutants.mutants.iter().filter(|mutant| mutant.killed).count(), killed);
    assert_eq!(results.measure("falsePositiveTests").unwrap(), vec![Some(0.0); 12]);
    assert_eq!(results.measure("sprites").unwrap()[0], Some(2.0));
    let mut records = Vec::new();
    results.rows(|row| records.push(row.record)).unwrap();
    let digests = column("runs.csv", "record");
    for (record, digest) in records.iter().zip(&digests) {
        assert_eq!(record.format_1, Some(digest.parse().unwrap()));
        assert!(record.format_2.is_none() && record.agree(record));
    }
    assert!(!records[0].agree(&records[1]) && !records[0].agree(&RecordDigests::default()));
}

/// Removes the columns of intervals, because version 0.3.0 also computed intervals for fewer than
/// six values.
fn without_intervals(text: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> =
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let kept: Vec<usize> = (0..rows[0].len())
        .filter(|&at| !["a12_low", "a12_high"].contains(&&*rows[0][at]))
        .collect();
    rows.iter().map(|row| kept.iter().map(|&at| row[at].clone()).collect()).collect()
}

/// Apart from intervals, the statistics equal the statistics that version 0.3.0 computed, to the
/// last digit.
#[test]
fn the_summary_is_the_same() {
    let place = copy();
    for table in ["table6.csv", "comparisons.csv", "coverage.csv", "algorithms.csv"] {
        fs::remove_file(place.path().join(table)).unwrap();
    }
    summarise(place.path()).unwrap();
    for table in ["table6.csv", "comparisons.csv", "coverage.csv", "algorithms.csv"] {
        let read = |dir: &Path| fs::read_to_string(dir.join(table)).unwrap();
        let [now, then] =
            [read(place.path()), read(&folder())].map(|text| without_intervals(&text));
        assert_eq!(now, then, "{table}");
    }
}

#[test]
fn old_and_new_folders_are_joined() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("raw.csv");
    fs::write(&file, "project,algorithm,goals,covered\nfireworks,other,53,40\n").unwrap();
    let out = place.path().join("imported");
    let format = catherd_analysis::import::Columns::default();
    catherd_analysis::import::import(&format, &[file], Budget::default(), &out).unwrap();
    let results = Results::read_all(&[folder(), out]).unwrap();
    assert_eq!((results.runs.len(), results.algorithms.len()), (13, 4));
    assert_eq!(results.subject.kind, "scratch, imported");
    assert_eq!(results.subject.units.len(), 2);
    assert_eq!(results.work.iter().map(Vec::len).collect::<Vec<_>>(), [13, 13]);
    assert_eq!((results.work[0][12], results.work[1][12]), (None, None));
    let mut rows = 0;
    results.rows(|_| rows += 1).unwrap();
    assert_eq!(rows, 13);
    let steps = results.clock_of("steps").unwrap();
    assert_eq!(results.improvements(&steps).unwrap().len(), column("timeline.csv", "steps").len());
}
