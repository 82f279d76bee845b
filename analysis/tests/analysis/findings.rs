//! Tests the findings of studies through the public API.

use std::collections::BTreeSet;

use catherd_analysis::comparison::{Comparison, Correction, Samples};
use catherd_analysis::findings::{
    Cause, Configuration, Convergence, Cost, FullCoverage, Machine, Milestone, Missing, PooledPair,
    Ranking, Relation, SHARES, Suites, Trivial,
};
use catherd_analysis::report::Report;
use catherd_analysis::tables;
use catherd_analysis::tidy::{self, Results};
use catherd_experiments::{Budget, RunOutcome, RunRecord, RunSpec};
use tempfile::TempDir;

fn results(runs: impl Iterator<Item = (RunSpec, RunRecord)>) -> (Results, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    (Results::read(dir.path()).unwrap(), dir)
}

#[test]
fn the_last_milestone_is_the_comparison() {
    let (results, _dir) = results(crate::synthetic::runs(6, 5));
    let samples = Samples::coverage(&results);
    let end = Comparison::pairs(&samples);
    let milestones =
        Milestone::all(&results, &results.clock_of("executions").unwrap(), &[0.0, 0.5, 1.0])
            .unwrap();
    assert_eq!(milestones.iter().map(|m| m.at).collect::<Vec<_>>(), [1, 150, 300]);
    for (pair, last) in end.iter().zip(&milestones[2].comparisons) {
        assert_eq!(pair.per_project, last.per_project);
    }
    for project in 0..6 {
        let sum = |m: &Milestone| m.samples.values(project, 0).iter().sum::<f64>();
        assert!(sum(&milestones[0]) < sum(&milestones[1]));
        assert!(sum(&milestones[1]) <= sum(&milestones[2]));
    }
    assert!(
        Milestone::all(&results, &results.clock_of("steps").unwrap(), &[1.0]).unwrap()[0].at
            == 27_000
    );
}

/// The run that ends early has nothing left to try, so it is censored at the end of the longest
/// search.
#[test]
fn a_run_below_its_budget_would_not_have_covered_more() {
    let mut runs: Vec<_> =
        crate::synthetic::runs(1, 2).filter(|(spec, _)| spec.algorithm.name == "mio").collect();
    for (number, (_, record)) in runs.iter_mut().enumerate() {
        let (spent, covered) = [(10, 5), (300, 12)][number];
        record.work.insert("executions".to_owned(), spent);
        record.criteria[0].covered = (0..covered).collect();
        record.timeline.truncate(1);
        record.timeline[0].work[0] = [4, 200][number];
        record.timeline[0].covered = covered;
    }
    let (results, _dir) = results(runs.into_iter());
    let rows = FullCoverage::all(&results, &results.clock_of("executions").unwrap()).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].survival.observations, rows[0].survival.events), (2, 1));
    assert_eq!(rows[0].survival.steps, [(200.0, 0.5)]);
    assert_eq!(rows[0].survival.quantile(0.75), None);
}

#[test]
fn a_search_reaches_more_later() {
    let (results, _dir) = results(crate::synthetic::runs(4, 5));
    let rows = Convergence::all(&results, &results.clock_of("executions").unwrap()).unwrap();
    assert_eq!(rows.len(), 3 * SHARES.len());
    for algorithm in rows.chunk_by(|a, b| a.algorithm == b.algorithm) {
        let medians: Vec<f64> =
            algorithm.iter().map(|r| r.spent.as_ref().unwrap().median).collect();
        assert!(medians.is_sorted() && medians[0] < medians[4], "{medians:?}");
        assert!(algorithm.iter().all(|row| row.runs.len() == 20));
    }
    let points = results.improvements(&results.clock_of("executions").unwrap()).unwrap();
    let last = points.chunk_by(|a, b| a.run == b.run).map(|p| p[p.len() - 1].at).max().unwrap();
    let latest = rows.iter().map(|row| row.spent.as_ref().unwrap().maximum).fold(0.0, f64::max);
    assert_eq!(latest, last as f64);
}

#[test]
fn ranks_and_configurations_agree_on_the_best() {
    let (results, _dir) = results(crate::synthetic::runs(12, 5));
    let samples = Samples::coverage(&results);
    let ranking = Ranking::new(&samples).unwrap();
    assert_eq!(ranking.projects.len(), 12);
    assert_eq!(ranking.runs.len(), results.runs.len());
    let ranks = &ranking.nemenyi.mean_ranks;
    assert!((ranks.iter().sum::<f64>() - 6.0).abs() < 1e-12);
    // In this artificial study, MIO covers goals fastest. Rank 1 is the best.
    assert!(ranks[2] < ranks[0], "{ranks:?}");
    let rows = Configuration::all(&samples);
    let mean = |row: &Configuration| row.coverage.as_ref().unwrap().mean;
    assert!(mean(&rows[2]) > mean(&rows[0]));
    assert_eq!(rows[0].runs.len(), 60);
    let pooled = PooledPair::all(&samples);
    assert_eq!(pooled.len(), 3);
    assert!(pooled[1].a12 > 0.5);
}

fn edited(
    projects: u32,
    seeds: u64,
    edit: impl Fn(u32, &RunSpec, &mut RunRecord),
) -> impl Iterator<Item = (RunSpec, RunRecord)> {
    crate::synthetic::runs(projects, seeds).map(move |(spec, mut record)| {
        let project = spec.project_name.trim_start_matches("project-").parse().unwrap();
        edit(project, &spec, &mut record);
        (spec, record)
    })
}

#[test]
fn projects_below_the_threshold_are_trivial() {
    // Random covers the projects with 1, 2, 3, 4 and 5 executions, except for a goal of the fourth.
    let (results, _dir) = results(edited(5, 2, |project, _, record| {
        record.work.insert("executions".to_owned(), u64::from(project) + 1);
        record.criteria[0].covered = (0..record.goals()).collect();
        if project == 3 {
            record.criteria[0].covered.pop();
        }
    }));
    assert_eq!(Trivial::baseline(&results), Some(0));
    let trivial = Trivial::new(&results, 0);
    assert_eq!((trivial.threshold, trivial.count()), (Some(4.0), 3));
    assert!(!trivial.is_trivial(&trivial.projects[4]), "more executions than the threshold");
    assert_eq!(trivial.projects[1].runs.len(), 2);
}

#[test]
fn suites_are_compared_on_projects_with_equal_coverage() {
    let (results, _dir) = results(edited(3, 4, |project, spec, record| {
        let covered = if project == 1 && spec.algorithm.name == "mio" { 9 } else { 10 };
        record.criteria[0].covered = (0..covered).collect();
        record.suite.size = if spec.algorithm.name == "random" { 30 } else { 20 };
        record.suite.tests = 2;
    }));
    let suites = Suites::new(&results);
    assert_eq!(suites.projects, [0, 2]);
    assert_eq!(suites.sizes[0].size.as_ref().unwrap().mean, 30.0);
    assert_eq!(suites.sizes[0].runs.len(), 8);
    assert_eq!(suites.sizes[1].test_size, Some(10.0));
    let effects: Vec<_> = suites.comparisons.iter().map(|c| c.mean_a12().unwrap()).collect();
    assert_eq!(effects, [0.0, 0.0, 0.5]);
}

#[test]
fn missing_runs_have_causes() {
    let runs = edited(3, 2, |project, spec, record| {
        if project == 0 && spec.algorithm.name == "mosa" {
            (record.outcome, record.reason) = (RunOutcome::Failed, "no stage".to_owned());
        }
    });
    let (results, _dir) = results(runs.skip(1));
    let missing = Missing::new(&results);
    assert_eq!((missing.planned, missing.covered, missing.groups.len()), (18, 15, 2));
    assert_eq!((missing.groups[0].cause, missing.groups[0].count), (Cause::NotRun, 1));
    let failed = &missing.groups[1];
    assert_eq!((failed.cause, failed.reason.as_deref()), (Cause::Failed, Some("no stage")));
    assert_eq!((failed.projects.clone(), failed.runs.len()), (BTreeSet::from([0]), 2));
}

#[test]
fn dropped_configurations_do_not_count_as_zero() {
    let dir = tempfile::tempdir().unwrap();
    let mut tables = tidy::Writer::create(dir.path(), &crate::synthetic::subject()).unwrap();
    for (spec, record) in crate::synthetic::runs(6, 2) {
        let late = spec.project_name.as_str() > "project-3";
        if !(late && spec.algorithm.label == "random") {
            tables.push(&spec, &record).unwrap();
        }
    }
    let algorithm = "random".to_owned();
    let dropped =
        tidy::Dropped { algorithm, projects: 4, mean_rank: 3.0, best_mean_rank: 1.5, p: 0.01 };
    tables.finish(&[], std::slice::from_ref(&dropped)).unwrap();
    let results = Results::read(dir.path()).unwrap();
    assert_eq!((results.lost(0), results.lost(1)), (Some(&dropped), None));
    let missing = Missing::new(&results);
    let [group] = &missing.groups[..] else { panic!("{:?}", missing.groups) };
    assert_eq!((group.cause, group.algorithm, group.count), (Cause::Dropped, 0, 4));
    let table = tables::race(&results).table;
    let shown = |row: usize| table.rows()[row].iter().map(|c| c.display()).collect::<Vec<_>>();
    assert_eq!(shown(0), ["random", "dropped", "4", "3.00", "1.50", "0.0100"]);
    assert_eq!(shown(1), ["mosa", "in the race", "6", "n/a", "n/a", "n/a"]);
    let samples = Samples::coverage(&results);
    let pairs = Comparison::pairs(&samples);
    assert_eq!(pairs.iter().map(|pair| pair.per_project.len()).collect::<Vec<_>>(), [4, 4, 6]);
    let report = Report::new(&results, "race", |_| ()).unwrap();
    assert!(report.figures().any(|figure| figure.name == "race"));
}

#[test]
fn repeated_runs_agree_or_not_and_machines_have_their_speed() {
    let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    tidy::write(here.path(), &crate::synthetic::subject(), crate::synthetic::runs(3, 2), &[])
        .unwrap();
    let other = edited(3, 2, |project, spec, record| {
        record.provenance.host = "bee".to_owned();
        record.resources.search_ms *= 2;
        if project == 0 && spec.seed == 0 {
            *record.work.get_mut("steps").unwrap() += 1;
        }
    });
    tidy::write(there.path(), &crate::synthetic::subject(), other, &[]).unwrap();
    let results = Results::read_all(&[here.path(), there.path()]).unwrap();
    assert_eq!(results.runs.len(), 18);
    let [ant, bee] = &Machine::all(&results).unwrap()[..] else { panic!("two machines") };
    assert_eq!((&*ant.host, ant.runs.len(), ant.repeated.len()), ("ant", 18, 0));
    // The digest of a record depends on the number of steps but not on the search time.
    assert_eq!((&*bee.host, bee.repeated.len(), bee.identical.len()), ("bee", 18, 15));
    let median = |machine: &Machine| machine.factor.as_ref().unwrap().median;
    assert!((median(ant) - 2.0 * median(bee)).abs() < 1e-9);
    let report = Report::new(&results, "repeated", |_| ()).unwrap();
    assert!(report.figures().any(|figure| figure.name == "machines"));
}

#[test]
fn cost_and_relations() {
    let (results, _dir) = results(crate::synthetic::runs(8, 3));
    let cost = Cost::all(&results);
    assert!((cost[0].core_hours.unwrap() - 24.0 * 0.7 / 3600.0).abs() < 1e-12);
    assert_eq!((cost[0].work[0], cost[0].ms_per_unit), (Some(24 * 300), Some(2.0)));
    let samples = Samples::coverage(&results);
    let relations = Relation::all(&samples, &results.measure("goals").unwrap());
    assert_eq!(relations[1].points.len(), 8);
    assert_eq!(relations[1].points[0].0, 20.0);
    assert!(relations[1].pearson.is_ok() && relations[1].line.is_ok());
    // For a number that is the same in every run, the correlation with coverage is undefined, not
    // zero.
    let constant = Relation::all(&samples, &results.measure("iterations").unwrap());
    assert!(constant[0].pearson.is_err());
    assert!(Relation::all(&samples, &results.measure("unheard").unwrap())[0].points.is_empty());
}

#[test]
#[ignore = "slow"]
fn a_description_says_what_projects_are_like() {
    let (plain, dir) = results(crate::synthetic::runs(8, 3));
    assert_eq!(plain.measure("mccabe").unwrap(), vec![None; plain.runs.len()]);
    // Projects are identified by digest, not by the names in the description.
    let mut table = "project,sha256,extensions,mccabe\n".to_owned();
    for (number, project) in plain.projects.iter().enumerate().skip(1) {
        table += &format!("copy of {number},{},pen music,1.{number}\n", project.digest);
    }
    table += "project-0,of another,,9\n";
    let apart = tempfile::tempdir().unwrap();
    std::fs::write(apart.path().join("projects.csv"), &table).unwrap();
    let joined = Results::read_all(&[dir.path(), apart.path()]).unwrap();
    let measured = joined.measure("mccabe").unwrap();
    for (run, value) in joined.runs.iter().zip(&measured) {
        let expected = (run.project > 0).then(|| 1.0 + f64::from(run.project) / 10.0);
        assert_eq!(value.map(|v| (v * 10.0).round()), expected.map(|v| v * 10.0));
    }
    assert!(joined.measure("extensions").unwrap().iter().all(Option::is_none));
    let report = Report::new(&joined, "described", |_| ()).unwrap();
    assert!(report.figures().any(|f| f.title == "Coverage against mean McCabe complexity"));
    // The description may also be in the folder of the runs, where studies write it.
    std::fs::write(dir.path().join("projects.csv"), &table).unwrap();
    assert_eq!(Results::read(dir.path()).unwrap().measure("mccabe").unwrap(), measured);
    std::fs::write(dir.path().join("projects.csv"), "project,mccabe\na\n").unwrap();
    let error = Results::read_all(&[dir.path()]).unwrap_err().to_string();
    assert!(error.contains("projects.csv") && error.contains("line: 2"), "{error}");
}

#[test]
#[ignore = "slow"]
fn every_number_of_table_6_has_its_source_runs() {
    let (results, _dir) = results(crate::synthetic::runs(6, 5));
    let samples = Samples::coverage(&results);
    let comparisons = Comparison::pairs(&samples);
    let table = tables::table6(&results, &samples, &comparisons).table;
    let column = |name| table.columns().iter().position(|c| c.0 == name).unwrap();
    for (row, pair) in comparisons.iter().enumerate() {
        assert_eq!(table.source_runs(row, column("mean_a12")).len(), 60);
        let counts = pair.counts(Correction::None);
        for (name, count) in [
            ("significantly_better", counts.significantly_better),
            ("better", counts.better),
            ("equal", counts.equal),
            ("worse", counts.worse),
            ("significantly_worse", counts.significantly_worse),
        ] {
            assert_eq!(table.source_runs(row, column(name)).len(), 10 * count, "{name}");
        }
    }
    for captioned in Report::new(&results, "study", |_| ()).unwrap().tables() {
        let rows = captioned.table.rows().len();
        assert!(rows > 0 || captioned.name == "missing", "{}", captioned.name);
        for row in 0..rows {
            let runs = captioned.table.source_runs(row, 1);
            // No project of this study is covered equally by all algorithms, so there are no suites
            // to compare.
            assert_eq!(runs.is_empty(), captioned.name == "suites", "{}", captioned.name);
            assert!(runs.iter().all(|&run| (run as usize) < results.runs.len()));
        }
    }
}

#[test]
fn folders_are_read_as_one_study() {
    let (a, b, c) = (tempfile::tempdir(), tempfile::tempdir(), tempfile::tempdir());
    let (a, b, c) = (a.unwrap(), b.unwrap(), c.unwrap());
    tidy::write(a.path(), &crate::synthetic::subject(), crate::synthetic::runs(2, 2), &[]).unwrap();
    tidy::write(b.path(), &crate::synthetic::subject(), crate::synthetic::runs(3, 2), &[]).unwrap();
    let both = Results::read_all(&[a.path(), b.path()]).unwrap();
    assert_eq!((both.runs.len(), both.projects.len(), both.algorithms.len()), (18, 3, 3));
    let only_later = Results::read(b.path()).unwrap();
    let key = |r: &Results| -> BTreeSet<_> {
        let points = r.improvements(&r.clock_of("steps").unwrap()).unwrap();
        points.iter().map(|p| (r.runs[p.run as usize].id, p.at, p.covered)).collect()
    };
    assert_eq!(key(&both), key(&only_later));
    // Algorithms with the same name but different budgets are different algorithms.
    let more = crate::synthetic::runs(2, 2).map(|(mut spec, mut record)| {
        spec.budget = Budget::of("executions", 600);
        record.run = spec.id();
        (spec, record)
    });
    tidy::write(c.path(), &crate::synthetic::subject(), more, &[]).unwrap();
    let all = Results::read_all(&[a.path(), c.path()]).unwrap();
    assert_eq!((all.runs.len(), all.projects.len()), (24, 2));
    assert!(all.algorithms[3].starts_with("random ("), "{:?}", all.algorithms);
}
