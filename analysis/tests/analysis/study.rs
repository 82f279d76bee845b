//! Tests the steps from runs to tables and summaries through the public API.

use std::fs;
use std::path::Path;

use catherd_analysis::comparison::{MeanCoverage, Samples};
use catherd_analysis::progress::Progress;
use catherd_analysis::tidy::{self, Error, Results, Skipped};
use catherd_experiments::{Budget, Criterion, RunOutcome, TimelinePoint};

fn skipped() -> Vec<Skipped> {
    vec![Skipped { project: "broken, \"odd\"".to_owned(), reason: "not a zip file".to_owned() }]
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn tables_contain_the_results_of_the_runs() {
    let dir = tempfile::tempdir().unwrap();
    tidy::write(dir.path(), &crate::synthetic::subject(), crate::synthetic::runs(4, 3), &skipped())
        .unwrap();
    let results = Results::read(dir.path()).unwrap();
    assert_eq!(results.algorithms, ["random", "mosa", "mio"]);
    assert_eq!((results.projects.len(), results.runs.len()), (4, 36));
    assert_eq!(results.skipped, skipped());
    assert!(results.budgets.iter().all(|budget| budget.limit("executions") == Some(300)));
    for (run, (spec, record)) in results.runs.iter().zip(crate::synthetic::runs(4, 3)) {
        assert_eq!((run.id, run.seed), (record.run, spec.seed));
        assert_eq!(run.coverage(), record.coverage());
        assert_eq!(results.projects[run.project as usize].name, spec.project_name);
        assert_eq!(results.algorithms[run.algorithm as usize], spec.algorithm.label);
    }
    let points = results.improvements(&results.clock_of("steps").unwrap()).unwrap();
    let expected: Vec<_> = crate::synthetic::runs(4, 3)
        .zip(0_u32..)
        .flat_map(|((_, record), run)| record.timeline.into_iter().map(move |p| (run, p)))
        .collect();
    assert_eq!(points.len(), expected.len());
    for (found, (run, point)) in points.iter().zip(expected) {
        assert_eq!((found.run, found.at, found.covered), (run, point.work[1], point.covered));
    }

    let runs = lines(&dir.path().join("runs.csv"));
    assert_eq!(runs.len(), 37);
    assert!(
        runs[0].starts_with("run,record,record_format_1,project,project_digest,subject,algorithm,")
    );
    assert!(runs[1].contains(",project-0,") && runs[1].contains(",random,random,{},0,300,,,"));
    assert_eq!(
        lines(&dir.path().join("skipped.csv")),
        ["project,reason", "\"broken, \"\"odd\"\"\",not a zip file"]
    );
    let mutants = lines(&dir.path().join("mutants.csv"));
    // For each of three algorithms on four projects, only the first seed has mutants.
    assert_eq!(mutants.len(), 1 + 2 * 3 * 4);
    assert_eq!(
        mutants[0],
        "run,mutant,operator,target,script,block,change,outcome,killed_by,executions,duplicate_of"
    );
    let (killed, same) = (&mutants[1], &mutants[2]);
    assert!(killed.ends_with(",\"SBD:Cat/a,b\",SBD,Cat,hat,\"a,b\",looks_say deleted,killed,3,2,"));
    assert!(same.ends_with(",not-covered,,2,\"SBD:Cat/a,b\""), "{same}");
    let left_over = fs::read_dir(dir.path())
        .unwrap()
        .filter(|e| e.as_ref().unwrap().path().extension().is_some_and(|e| e == "partial"));
    assert_eq!(left_over.count(), 0);
}

#[test]
fn names_are_escaped_in_every_table() {
    let dir = tempfile::tempdir().unwrap();
    let mut runs: Vec<_> = crate::synthetic::runs(1, 1).take(1).collect();
    let (spec, record) = &mut runs[0];
    spec.project_name = "two\nlines, \"and\" more".to_owned();
    spec.algorithm.label = "r\u{202e}andom".to_owned();
    let second = Criterion { name: "lines".to_owned(), goals: 9, covered: vec![0] };
    record.criteria.push(second);
    let point = TimelinePoint { covered: 1, ..record.timeline[0].clone() };
    record.timelines.insert("lines".to_owned(), vec![point]);
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    for table in ["runs.csv", "timeline.csv", "criteria-timeline.csv"] {
        for line in &lines(&dir.path().join(table))[1..] {
            let names = ["\"two\\nlines, \"\"and\"\" more\",", ",r\\u{202e}andom,"];
            assert!(names.iter().all(|name| line.contains(name)), "{table}: {line}");
        }
    }
}

#[test]
fn outcomes_keep_their_names() {
    let outcomes = [
        (RunOutcome::NoGoals, "no-goals"),
        (RunOutcome::Failed, "failed"),
        (RunOutcome::TimedOut, "timed-out"),
        (RunOutcome::OutOfMemory, "out-of-memory"),
    ];
    for (outcome, name) in outcomes {
        assert_eq!(serde_json::to_value(outcome).unwrap(), name);
        let dir = tempfile::tempdir().unwrap();
        let runs = crate::synthetic::runs(1, 2).map(|(spec, mut record)| {
            if spec.algorithm.name == "mio" {
                (record.outcome, record.reason) = (outcome, "it broke".to_owned());
            }
            (spec, record)
        });
        tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
        let results = Results::read(dir.path()).unwrap();
        assert_eq!(results.runs[5].outcome, outcome);
        assert_eq!(results.runs[5].coverage(), None);
        assert!(lines(&dir.path().join("runs.csv"))[6].contains(&format!(",{name},it broke,")));
    }
}

#[test]
fn the_curve_ends_at_the_mean() {
    let dir = tempfile::tempdir().unwrap();
    tidy::write(dir.path(), &crate::synthetic::subject(), crate::synthetic::runs(5, 6), &[])
        .unwrap();
    let results = Results::read(dir.path()).unwrap();
    let progress = Progress::new(&results, &results.clock()).unwrap().unwrap();
    assert_eq!((progress.projects, progress.runs, progress.end), (5, (6, 6), 300));
    let means = MeanCoverage::all(&Samples::coverage(&results));
    for (curve, mean) in progress.curves.iter().zip(means) {
        let last = curve.points.last().unwrap();
        assert!((last.mean - mean.mean.unwrap()).abs() < 1e-12);
        let (low, high) = last.band.unwrap();
        assert!(low <= last.mean + 1e-12 && last.mean <= high + 1e-12);
        assert!(curve.points.is_sorted_by(|a, b| a.at < b.at && a.mean <= b.mean));
    }
}

#[test]
fn a_summary_names_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let runs = crate::synthetic::runs(4, 3).enumerate().filter(|(i, _)| *i != 0).map(
        |(i, (spec, mut record))| {
            if (9..12).contains(&i) {
                (record.outcome, record.reason) = (RunOutcome::Failed, "no stage".to_owned());
            }
            (spec, record)
        },
    );
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &skipped()).unwrap();
    let summary = catherd_analysis::summarise(dir.path()).unwrap();
    let text = &summary.text;
    assert!(text.contains("4 of 36 runs have no coverage (3 failed, 1 not run)"), "{text}");
    assert!(text.contains("On 4 projects there are too few runs"), "{text}");
    assert!(text.contains("Skipped broken, \"odd\": not a zip file"), "{text}");
    assert!(text.contains("Mean on shared projects"), "{text}");
    for file in &summary.files {
        assert!(fs::metadata(file).unwrap().len() > 0, "{}", file.display());
    }
    let table6 = lines(&dir.path().join("table6.csv"));
    let pairs: Vec<_> =
        table6[1..].iter().map(|l| l.splitn(3, ',').take(2).collect::<Vec<_>>()).collect();
    assert_eq!(pairs, [["mosa", "random"], ["mio", "random"], ["mio", "mosa"]]);
    assert!(table6[1].ends_with(",1,3") && table6[3].ends_with(",0,4"), "{table6:?}");
    let coverage = lines(&dir.path().join("coverage.csv"));
    assert!(coverage[4].starts_with("project-1,") && coverage[4].ends_with(",random,0,3,,,,,"));
}

#[test]
fn runs_that_cannot_be_compared_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let runs = crate::synthetic::runs(2, 2).enumerate().map(|(i, (mut spec, record))| {
        spec.budget = Budget::of("executions", if i < 5 { 300 } else { 600 });
        (spec, record)
    });
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    let error = catherd_analysis::summarise(dir.path()).unwrap_err();
    assert!(matches!(error, Error::Mixed { what: "budget", .. }));
    assert!(error.to_string().contains("(300 executions; 600 executions)"), "{error}");
}

#[test]
fn a_study_without_runs_has_a_summary() {
    let dir = tempfile::tempdir().unwrap();
    tidy::write(dir.path(), &crate::synthetic::subject(), [], &skipped()).unwrap();
    let summary = catherd_analysis::summarise(dir.path()).unwrap();
    assert!(summary.text.contains("Skipped broken"), "{}", summary.text);
    assert!(!dir.path().join("coverage-over-time.svg").exists());
}

#[test]
fn files_that_are_not_tables_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = catherd_analysis::summarise(dir.path()).unwrap_err().to_string();
    assert!(error.contains("runs.parquet"), "{error}");
    fs::write(dir.path().join("runs.parquet"), "not a table").unwrap();
    let error = catherd_analysis::summarise(dir.path()).unwrap_err().to_string();
    assert!(error.contains("runs.parquet"), "{error}");
}
