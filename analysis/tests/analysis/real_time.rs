//! Tests that disturbances of real time are found in simulated studies with disturbances, and not
//! in others.
//!
//! With `CATHERD_STUDIES=200`, the test of injected slowdowns simulates 200 studies of each kind in
//! each of three shapes, instead of 3 in one shape, for the numbers in
//! docs/explanation/real-time.md.

use std::collections::BTreeMap;
use std::io::Write as _;

use catherd_analysis::findings::{RealTime, RealTimeVerdict};
use catherd_analysis::report::Report;
use catherd_analysis::summarise;
use catherd_analysis::tidy::{self, Results};
use catherd_experiments::{
    Algorithm, Budget, Conditions, Criterion, Digest, Provenance, Resources, RunRecord, RunSpec,
};
use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Injected {
    Nothing,
    /// Runs in the second half of the study.
    Later,
    /// Runs in every second eighth of the study, as if the job of another user came and went.
    Stretches,
    /// Runs on one of the cores.
    Core,
    /// Runs during which a sibling is busy, as recorded in their conditions.
    Sibling,
}

struct Shape {
    projects: u32,
    seeds: u64,
    cores: u32,
    noise: f64,
}

/// Runs of 60 s in random blocks, on the cores in turn.
fn study(shape: &Shape, injected: Injected, seed: u64) -> Vec<(RunSpec, RunRecord)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut planned = Vec::new();
    for project in 0..shape.projects {
        let mut blocks: Vec<(u64, usize)> = (0..shape.seeds)
            .flat_map(|seed| (0..3).map(move |algorithm| (seed, algorithm)))
            .collect();
        blocks.chunks_mut(3).for_each(|block| block.shuffle(&mut rng));
        planned.extend(blocks.into_iter().map(|(seed, algorithm)| (project, algorithm, seed)));
    }
    // Blocks of different projects are also mixed.
    let mut order: Vec<usize> = (0..planned.len() / 3).collect();
    order.shuffle(&mut rng);
    let planned = order.into_iter().flat_map(|block| planned[block * 3..block * 3 + 3].to_vec());
    let slots = u64::from(shape.projects) * 3 * shape.seeds / u64::from(shape.cores);
    let run = |(number, (project, algorithm, seed)): (usize, (u32, usize, u64))| {
        let core = number as u32 % shape.cores;
        let slot = number as u64 / u64::from(shape.cores);
        let started_ms = 1_800_000_000_000 + slot * 61_000 + rng.random_range(0..900);
        let busy = rng.random_range(0..2) == 1;
        let slow = match injected {
            Injected::Nothing => false,
            Injected::Later => slot * 2 >= slots,
            Injected::Stretches => slot / slots.div_ceil(8).max(1) % 2 == 1,
            Injected::Core => core == 1,
            Injected::Sibling => busy,
        };
        let normal: f64 = (0..12).map(|_| rng.random_range(0.0..1.0)).sum::<f64>() - 6.0;
        let typical = 50_000.0 * f64::from(project + 1) * [1.0, 1.4, 0.7][algorithm];
        let executions = typical * (shape.noise * normal).exp() * if slow { 0.8 } else { 1.0 };
        let name = ["random", "mosa", "mio"][algorithm].to_owned();
        let spec = RunSpec {
            project: Digest::of(&project.to_le_bytes()),
            project_name: format!("project-{project}"),
            subject: "scratch".to_owned(),
            algorithm: Algorithm { label: name.clone(), name, parameters: BTreeMap::new() },
            seed,
            budget: Budget { wall_ms: Some(60_000), ..Budget::default() },
            mutation: None,
            engine: "catherd/0".to_owned(),
        };
        let covered = (executions / 3e3) as u32 % 100;
        let blocks =
            Criterion { name: "blocks".to_owned(), goals: 100, covered: (0..covered).collect() };
        let idle = rng.random_range(0.0..0.01);
        let conditions = Conditions {
            started_ms,
            others_busy: Some(idle),
            siblings_busy: (injected == Injected::Sibling).then_some(if busy { 0.03 } else { 0.0 }),
            machine_busy: Some(0.9 + idle),
            steal: Some(0.0),
            ..Conditions::default()
        };
        let record = RunRecord {
            work: BTreeMap::from([
                ("executions".to_owned(), executions as u64),
                ("steps".to_owned(), executions as u64 * 90),
            ]),
            resources: Resources {
                wall_ms: 60_500,
                search_ms: 60_000,
                cpu_ms: 60_000,
                conditions: Some(conditions),
                ..Resources::default()
            },
            provenance: Provenance {
                host: "ant".to_owned(),
                core: Some(core),
                attempt: 1,
                ..Provenance::default()
            },
            ..RunRecord::new(&spec, vec![blocks])
        };
        (spec, record)
    };
    planned.enumerate().map(run).collect()
}

fn read(runs: Vec<(RunSpec, RunRecord)>) -> (tempfile::TempDir, Results) {
    let place = tempfile::tempdir().unwrap();
    tidy::write(place.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    let results = Results::read(place.path()).unwrap();
    (place, results)
}

fn verdict(shape: &Shape, injected: Injected, seed: u64) -> RealTime {
    let (_place, results) = read(study(shape, injected, seed));
    RealTime::new(&results).unwrap().unwrap()
}

#[test]
#[ignore = "slow"]
fn injected_slowdowns_are_flagged_and_undisturbed_studies_are_not() {
    let asked: Option<u64> = std::env::var("CATHERD_STUDIES").ok().and_then(|n| n.parse().ok());
    let studies = asked.unwrap_or(3);
    let shapes = [
        Shape { projects: 5, seeds: 10, cores: 4, noise: 0.1 },
        Shape { projects: 3, seeds: 10, cores: 2, noise: 0.1 },
        Shape { projects: 8, seeds: 10, cores: 8, noise: 0.15 },
    ];
    let kinds = [
        Injected::Nothing,
        Injected::Later,
        Injected::Stretches,
        Injected::Core,
        Injected::Sibling,
    ];
    // All shapes are simulated only on request, because of the time that the studies take.
    let shown = if asked.is_some() { shapes.len() } else { 1 };
    for (number, shape) in shapes.iter().enumerate().take(shown) {
        for injected in kinds {
            let flagged = (0..studies)
                .filter(|study| {
                    let seed = 1_000_000 * number as u64 + 1_000 * injected as u64 + study;
                    verdict(shape, injected, seed).verdict == RealTimeVerdict::Disturbed
                })
                .count() as f64;
            let share = flagged / studies as f64;
            let _ = writeln!(
                std::io::stderr(),
                "{} projects, {} cores, noise {}, {injected:?}: {flagged} of {studies}",
                shape.projects,
                shape.cores,
                shape.noise
            );
            match injected {
                // Of a few studies, one may be flagged by chance.
                Injected::Nothing => assert!(flagged <= 1.0 || share <= 0.05, "{share}"),
                _ => assert!(share >= 0.95, "{injected:?}: {share}"),
            }
        }
    }
}

#[test]
#[ignore = "slow"]
fn a_report_begins_with_the_verdict_and_no_test_is_without_it() {
    let shape = Shape { projects: 7, seeds: 6, cores: 2, noise: 0.05 };
    let (place, results) = read(study(&shape, Injected::Core, 3));
    let report = Report::new(&results, "study", |_| {}).unwrap();
    let first = &report.summary()[0];
    assert!(first.starts_with("Real time is not to be trusted"), "{first}");
    assert!(first.contains("ant, core 1") && first.contains("% slower"), "{first}");
    for table in report.tables().filter(|table| table.has_tests()) {
        let caption = &table.caption;
        let said =
            caption.contains("Runs disturbed each other") || caption.contains("Real time is not");
        assert!(said, "{}: {caption}", table.name);
    }
    let cost = report.tables().find(|table| table.name == "cost").unwrap();
    assert!(!cost.caption.contains("counts as one core"), "{}", cost.caption);
    for figure in report.figures().filter(|figure| figure.caption.contains("p = ")) {
        assert!(figure.caption.contains("disturbed each other"), "{}", figure.name);
    }
    assert!(report.figures().any(|figure| figure.name == "real-time"));
    let summary = summarise(place.path()).unwrap().text;
    assert!(summary.trim().starts_with("Real time is not to be trusted"), "{summary}");
    let table6 = std::fs::read_to_string(place.path().join("table6.md")).unwrap();
    assert!(table6.starts_with("Real time is not to be trusted"), "{table6}");

    let (_place, results) = read(study(&shape, Injected::Nothing, 3));
    let report = Report::new(&results, "study", |_| {}).unwrap();
    assert!(report.summary()[0].starts_with("Nothing shows"), "{}", report.summary()[0]);
    let cost = report.tables().find(|table| table.name == "cost").unwrap();
    assert!(cost.caption.contains("each run counts as one core"), "{}", cost.caption);
}

#[test]
fn processes_next_to_a_run_are_a_disturbance_by_themselves() {
    let shape = Shape { projects: 3, seeds: 4, cores: 2, noise: 0.05 };
    let mut runs = study(&shape, Injected::Nothing, 1);
    for (_, record) in runs.iter_mut().take(5) {
        record.resources.conditions.as_mut().unwrap().others_busy = Some(0.4);
    }
    let (_place, results) = read(runs);
    let found = RealTime::new(&results).unwrap().unwrap();
    assert_eq!(found.verdict, RealTimeVerdict::Disturbed);
    let sentence = found.sentence();
    assert!(sentence.contains("in 5 of 36 runs other processes used more than 5 %"), "{sentence}");
}

#[test]
fn without_measurements_nothing_is_claimed() {
    let shape = Shape { projects: 2, seeds: 3, cores: 2, noise: 0.05 };
    let mut runs = study(&shape, Injected::Core, 1);
    runs.iter_mut().for_each(|(_, record)| record.resources.conditions = None);
    let (_place, results) = read(runs);
    let found = RealTime::new(&results).unwrap().unwrap();
    assert_eq!((found.verdict, found.measured), (RealTimeVerdict::Unknown, 0));
    assert!(found.sentence().contains("not known"), "{}", found.sentence());

    // There is no verdict on real time for a study with a budget in units of work.
    let (_place, results) = read(crate::synthetic::runs(2, 3).collect());
    assert!(RealTime::new(&results).unwrap().is_none());
}
