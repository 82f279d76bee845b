//! Tests times until faults are exposed and metrics by project, with known results.

use catherd_analysis::comparison::Samples;
use catherd_analysis::findings::Exposure;
use catherd_analysis::table::Table;
use catherd_analysis::tables;
use catherd_analysis::tidy::{self, Results};
use catherd_experiments::{Budget, Metric};
use tempfile::TempDir;

/// Six runs of each of two algorithms on one project. Five runs of random expose a fault after 1 to
/// 5 ms; no other run exposes a fault.
fn results() -> (Results, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut runs: Vec<_> = crate::synthetic::runs(1, 6).collect();
    runs.retain(|(spec, _)| spec.algorithm.name != "mio");
    for (spec, record) in &mut runs {
        let exposes = spec.algorithm.name == "random" && spec.seed < 5;
        record.metrics.insert("faults".to_owned(), Metric::Integer(exposes.into()));
        if exposes {
            let ms = Metric::Integer(1 + spec.seed as i64);
            record.metrics.insert("exposed_ms.SEGV in f".to_owned(), ms);
        }
    }
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    (Results::read(dir.path()).unwrap(), dir)
}

#[test]
fn runs_that_expose_no_fault_are_censored_at_their_end() {
    let (results, _dir) = results();
    let all = Exposure::all(&results).unwrap();
    assert_eq!(all.len(), 2);
    let (random, mosa) = (&all[0], &all[1]);
    assert_eq!((random.survival.events, random.survival.observations), (5, 6));
    assert_eq!(random.survival.quantile(0.5), Some(3.0));
    assert_eq!((mosa.survival.events, mosa.survival.observations), (0, 6));
    assert_eq!(mosa.survival.quantile(0.5), None);
    // Computed by hand: with 5 exposures, 1.938 expected exposures and a variance of 1.1476,
    // chi-squared is 8.170.
    let p = mosa.p.unwrap();
    assert!((p - 0.00426).abs() < 2e-5, "{p}");
    assert_eq!((random.p, mosa.adjusted), (None, Some(p)));
    let table = tables::exposure(&results, &all).table.csv().unwrap();
    let table = String::from_utf8(table).unwrap();
    assert!(table.contains("project-0,SEGV in f,random,6,5,"), "{table}");
    assert_eq!(Exposure::longest(&all), 600.0);
}

#[test]
fn metrics_are_compared_on_each_project() {
    let dir = tempfile::tempdir().unwrap();
    let mut runs: Vec<_> = crate::synthetic::runs(2, 6).collect();
    runs.retain(|(spec, _)| spec.algorithm.name != "mio");
    for (spec, record) in &mut runs {
        // On the first project, every count of random exceeds every count of mosa. On the second
        // project, the counts are equal.
        let more = spec.project_name == "project-0" && spec.algorithm.name == "random";
        let count = 10 * i64::from(more) + spec.seed as i64;
        record.metrics.insert("executions".to_owned(), Metric::Integer(count));
    }
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    let results = Results::read(dir.path()).unwrap();
    let values = results.metrics(|_| true).unwrap().remove("executions").unwrap();
    let samples = Samples::of_measure(&results, |run, _| values[run]);
    let found = tables::metrics_by_project(&results, &[("executions".to_owned(), samples)]);
    let text = |table: Table| String::from_utf8(table.csv().unwrap()).unwrap();
    let table = text(found.unwrap().table);
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|row| row.split(',').collect()).collect();
    // The columns are metric, project, first, second, medians, A12, from, to, p and p (Holm). Of
    // the 924 assignments, 2 are as extreme.
    assert_eq!(rows.len(), 2, "{table}");
    assert_eq!(rows[0][..7], ["executions", "project-0", "mosa", "random", "2.5", "12.5", "0"]);
    let p = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert!((p(0, 9) - 2.0 / 924.0).abs() < 1e-12 && (p(0, 10) - 4.0 / 924.0).abs() < 1e-12);
    assert_eq!(rows[1][1..7], ["project-1", "mosa", "random", "2.5", "2.5", "0.5"]);
    assert_eq!((p(1, 9), p(1, 10)), (1.0, 1.0));
}

#[test]
fn goals_have_the_labels_of_a_selection() {
    let dir = tempfile::tempdir().unwrap();
    let runs = crate::synthetic::runs(1, 2).filter(|(spec, _)| spec.algorithm.name != "mio");
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    let goals = "project,project_digest,criterion,goal,name,runs,covering,runs:random,\
                 covering:random,runs:mosa,covering:mosa\n\
                 project-0,00,blocks,0,a,4,3,2,1,2,2\nproject-0,00,blocks,1,b,4,2,2,0,2,2\n";
    std::fs::write(dir.path().join("goals.csv"), goals).unwrap();
    let select = |algorithms: &[&str], label: (&str, &str)| {
        let algorithms = algorithms.iter().map(|&one| one.to_owned()).collect();
        let labels = vec![(label.0.to_owned(), label.1.to_owned())];
        let selection = tidy::Selection { algorithms, labels, ..tidy::Selection::default() };
        Results::read(dir.path()).unwrap().select(&selection).unwrap()
    };
    let results = select(&[], ("mosa", "MOSA"));
    let sets = results.goals().unwrap();
    assert_eq!(sets[0].covering_of("MOSA"), Some((2, vec![2, 2])));
    assert_eq!(sets[0].covering_of("mosa"), None);
    let table = tables::unique_goals(&results, &sets).table.csv().unwrap();
    let table = String::from_utf8(table).unwrap();
    assert!(table.contains("project-0,blocks,MOSA,2,2,1,"), "{table}");
    // The label of an algorithm that is left out does not stand for two algorithms.
    let results = select(&["mosa"], ("mosa", "random"));
    assert_eq!(results.goals().unwrap()[0].covering_of("random"), Some((2, vec![2, 2])));
}

/// The goals of an algorithm that is left out are not those of the algorithm with its label in
/// another folder.
#[test]
fn goals_of_folders_with_the_same_label_are_kept_apart() {
    let folder = |executions: u64, covering: u64| {
        let dir = tempfile::tempdir().unwrap();
        let runs = crate::synthetic::runs(1, 2)
            .filter(|(spec, _)| spec.algorithm.name == "random")
            .map(|(mut spec, record)| {
                spec.budget = Budget::of("executions", executions);
                (spec, record)
            });
        tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
        let goals = format!(
            "project,project_digest,criterion,goal,name,runs,covering,runs:random,\
             covering:random\nproject-0,00,blocks,0,a,2,{covering},2,{covering}\n"
        );
        std::fs::write(dir.path().join("goals.csv"), goals).unwrap();
        dir
    };
    let (first, second) = (folder(100, 1), folder(200, 2));
    let joined = Results::read_all(&[first.path(), second.path()]).unwrap();
    let [one, other] = &joined.algorithms[..] else { panic!("{:?}", joined.algorithms) };
    for (shown, left_out, covering) in [(one, other, 1), (other, one, 2)] {
        let algorithms = vec![shown.clone()];
        let selection = tidy::Selection { algorithms, ..tidy::Selection::default() };
        let selected = joined.clone().select(&selection).unwrap();
        let sets = selected.goals().unwrap();
        assert_eq!(sets[0].covering_of(shown), Some((2, vec![covering])));
        assert_eq!(sets[0].covering_of(left_out), None);
    }
}
