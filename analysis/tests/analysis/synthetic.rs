//! An artificial study in which coverage rises as in a real search.

use std::collections::BTreeMap;

use catherd_experiments::{
    Algorithm, Budget, Criterion, Digest, Level, MutantOutcome, MutantRecord, Provenance,
    Resources, RunRecord, RunSpec, SubjectInfo, SuiteSize, TimelinePoint, format_1,
};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

/// The algorithms, each with the speed at which it covers the remaining goals.
const ALGORITHMS: [(&str, f64); 3] = [("random", 0.03), ("mosa", 0.05), ("mio", 0.08)];
const EXECUTIONS: u64 = 300;

pub(crate) fn subject() -> SubjectInfo {
    format_1::subject_info("scratch", "catherd/0")
}

pub(crate) fn runs(projects: u32, seeds: u64) -> impl Iterator<Item = (RunSpec, RunRecord)> {
    (0..projects).flat_map(move |project| {
        ALGORITHMS
            .into_iter()
            .flat_map(move |algorithm| (0..seeds).map(move |seed| run(project, algorithm, seed)))
    })
}

fn mutants() -> Vec<MutantRecord> {
    let mutant = MutantRecord {
        id: "SBD:Cat/a,b".to_owned(),
        operator: "SBD".to_owned(),
        location: vec![
            Level::new("target", "Cat"),
            Level::new("script", "hat"),
            Level::new("block", "a,b"),
        ],
        change: "looks_say deleted".to_owned(),
        outcome: MutantOutcome::Killed,
        killed_by: Some(3),
        executions: 2,
        duplicate_of: None,
    };
    let same = MutantRecord {
        id: "SDM:Cat/hat".to_owned(),
        outcome: MutantOutcome::NotCovered,
        killed_by: None,
        duplicate_of: Some(mutant.id.clone()),
        ..mutant.clone()
    };
    vec![mutant, same]
}

fn run(project: u32, (name, speed): (&str, f64), seed: u64) -> (RunSpec, RunRecord) {
    let spec = RunSpec {
        project: Digest::of(&project.to_le_bytes()),
        project_name: format!("project-{project}"),
        subject: "scratch".to_owned(),
        algorithm: Algorithm {
            label: name.to_owned(),
            name: name.to_owned(),
            parameters: BTreeMap::new(),
        },
        seed,
        budget: Budget::of("executions", EXECUTIONS),
        mutation: None,
        engine: "catherd/0".to_owned(),
    };
    let run = spec.id();
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(run.0[0]) << 32 | u64::from(project));
    let goals = 20 + project * 7 % 90;
    let reachable = f64::from(goals) * (0.55 + 0.45 * f64::from((project * 5 + 3) % 8) / 7.0);
    let mut level = reachable * rng.random_range(0.4..0.7);
    let mut timeline = Vec::new();
    let mut covered = 0;
    for executions in 1..=EXECUTIONS {
        level += (reachable - level) * speed * rng.random_range(0.0..0.6);
        if (level.round() as u32) > covered {
            covered = level.round() as u32;
            let (steps, wall_ms) = (executions * 90, executions * 2);
            timeline.push(TimelinePoint { work: vec![executions, steps], wall_ms, covered });
        }
    }
    let blocks = Criterion { name: "blocks".to_owned(), goals, covered: (0..covered).collect() };
    let record = RunRecord {
        work: BTreeMap::from([
            ("executions".to_owned(), EXECUTIONS),
            ("steps".to_owned(), EXECUTIONS * 90),
        ]),
        timeline,
        suite: SuiteSize { tests: 7, size: 70, unit: "events".to_owned(), removed: 30 },
        metrics: BTreeMap::from([("iterations".to_owned(), 3.into())]),
        artifacts: BTreeMap::from([("suite.json".to_owned(), "[]".to_owned())]),
        mutants: if seed == 0 { mutants() } else { Vec::new() },
        resources: Resources {
            wall_ms: 700,
            search_ms: 600,
            peak_rss_kib: 40_000,
            ..Resources::default()
        },
        provenance: Provenance {
            host: "ant".to_owned(),
            machine: String::new(),
            worker: "w1".to_owned(),
            core: Some(0),
            attempt: 1,
            memory_limit: String::new(),
            isolation: String::new(),
        },
        ..RunRecord::new(&spec, vec![blocks])
    };
    (spec, record)
}
