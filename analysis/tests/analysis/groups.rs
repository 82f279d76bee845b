//! Tests intervals that respect groups of projects, from tables with a `group` column.

use std::fs;

use catherd_analysis::comparison::Samples;
use catherd_analysis::findings::{GroupShare, Grouped, GroupedQuantity};
use catherd_analysis::report::Report;
use catherd_analysis::tidy::{self, Results};

/// A study of 24 projects with 3 seeds. `group` returns the group of a project, given its number.
/// Projects of a group have the same coverage.
fn study(group: impl Fn(usize) -> Option<usize>) -> (Results, tempfile::TempDir) {
    let place = tempfile::tempdir().unwrap();
    let number = |name: &str| -> usize { name.trim_start_matches("project-").parse().unwrap() };
    let runs: Vec<_> = crate::synthetic::runs(24, 3)
        .map(|(spec, mut record)| {
            let number = number(&spec.project_name);
            let covered = 4 + group(number).unwrap_or(number) as u32 % 9;
            record.criteria[0].goals = 20;
            record.criteria[0].covered = (0..covered).collect();
            record.timeline.truncate(1);
            record.timeline[0].covered = covered;
            record.resources.cpu_ms = if number == 3 { 360_000 } else { 3_600 };
            (spec, record)
        })
        .collect();
    let mut described = "project,sha256,group\n".to_owned();
    for (spec, _) in &runs {
        let group = group(number(&spec.project_name)).map(|g| format!("author {g}"));
        let group = group.unwrap_or_default();
        described += &format!("{},{},{group}\n", spec.project_name, spec.project);
    }
    tidy::write(place.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    fs::write(place.path().join("projects.csv"), described).unwrap();
    (Results::read(place.path()).unwrap(), place)
}

fn coverage(all: &[Grouped]) -> &Grouped {
    all.iter().find(|one| one.quantity == GroupedQuantity::Coverage(0)).unwrap()
}

#[test]
#[ignore = "slow"]
fn groups_of_equal_projects_count_once() {
    // The three projects of each author have the same coverage, which triples the variance.
    let (results, _place) = study(|number| Some(number / 3));
    let samples = Samples::coverage(&results);
    let all = Grouped::all(&results, &samples).unwrap();
    let one = coverage(&all);
    assert_eq!((one.projects, one.groups), (24, 8));
    let effect = one.design_effect().unwrap();
    assert!((2.0..4.2).contains(&effect), "{effect}");
    let hours = all.iter().find(|one| one.quantity == GroupedQuantity::CoreHours).unwrap();
    let runs = results.runs.len() as f64 / 24.0;
    assert!((hours.value - runs * (0.1 + 23.0 * 0.001)).abs() < 1e-9, "{hours:?}");

    let shares = GroupShare::all(&results, &samples).unwrap();
    assert_eq!(shares.len(), 8);
    assert_eq!((shares[0].group.as_str(), shares[0].projects), ("author 1", 3));
    assert_eq!(shares[0].runs.len(), 3 * runs as usize);
    let total: f64 = shares.iter().filter_map(|one| one.core_hours).sum();
    assert!((total - hours.value).abs() < 1e-9);

    let report = Report::new(&results, "groups", |_| {}).unwrap();
    assert!(report.tables().any(|table| table.name == "groups"));
}

#[test]
fn a_project_without_a_group_is_one_of_its_own() {
    let (results, _place) = study(|number| (number < 2).then_some(0));
    let samples = Samples::coverage(&results);
    let all = Grouped::all(&results, &samples).unwrap();
    assert_eq!((coverage(&all).projects, coverage(&all).groups), (24, 23));
    let (results, _place) = study(|_| None);
    let samples = Samples::coverage(&results);
    assert!(Grouped::all(&results, &samples).unwrap().is_empty());
    let (results, _place) = study(|number| Some(number % 3));
    let samples = Samples::coverage(&results);
    let all = Grouped::all(&results, &samples).unwrap();
    assert!(coverage(&all).by_groups.is_err() && coverage(&all).by_projects.is_ok());
    assert_eq!(coverage(&all).design_effect(), None);
}
