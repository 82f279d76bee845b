//! Tests of the coordinator's benchmark: a short measurement, and predictions from given costs.

#[path = "../../benches/capacity/program.rs"]
mod program;

use std::fs;

use clap::Parser;
use serde_json::Value;

use program::analytic_model::{AnalyticModel, Cluster};
use program::simulation::{Outcome, Simulation};
use program::{Cost, Costs};

#[test]
#[ignore = "slow"]
fn the_costs_of_the_writer_are_measured() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (dir, json) = (path("coordinator"), path("costs.json"));
    let arguments = ["capacity", "measure", "--dir", &dir, "--json", &json];
    let sizes = ["--workers", "2", "--runs", "400", "--projects", "2"];
    let program = program::Program::try_parse_from(arguments.into_iter().chain(sizes)).unwrap();
    program.execute().unwrap();
    let costs: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    for request in ["lease", "commit"] {
        let writer = costs[request]["writer_us"].as_f64().unwrap();
        assert!(writer > 0.0, "{request}: {costs}");
    }
}

fn costs() -> Costs {
    let cost = Cost { writer_us: 100.0, others_us: 200.0 };
    Costs { lease: cost, commit: cost, lease_ms: 1.0, ..Costs::default() }
}

fn cluster(workers: u32, runs: u64, run_seconds: f64) -> Cluster {
    Cluster {
        workers,
        runs,
        run_seconds,
        projects: 1,
        project_mib: 0.0,
        record_kib: 0.0,
        cores: 4,
        network: 1.0,
        viewers: 0,
    }
}

fn simulate(workers: u32, runs: u64, run_seconds: f64) -> Outcome {
    let (costs, cluster) = (costs(), cluster(workers, runs, run_seconds));
    Simulation::new(AnalyticModel { costs: &costs, cluster: &cluster }).run()
}

#[test]
fn below_saturation_load_is_proportional_to_runs() {
    let seen = simulate(100, 10_000, 10.0);
    // Ten runs end in a second, each with one lease and one commit.
    assert!((seen.writer - 10.0 * 200e-6).abs() < 0.3e-3, "{seen:?}");
    assert!((seen.others - 10.0 * 400e-6 / 3.0).abs() < 0.2e-3, "{seen:?}");
    assert_eq!(seen, simulate(100, 10_000, 10.0));
}

#[test]
fn polls_longer_than_their_interval_do_not_pile_up() {
    let poll = Cost { writer_us: 20.0, others_us: 0.0 };
    let costs = Costs { poll_worker: poll, heartbeat: poll, ..costs() };
    let cluster = cluster(20_000, 40_000, 10.0);
    let seen = Simulation::new(AnalyticModel { costs: &costs, cluster: &cluster }).run();
    assert!(seen.writer > 0.95 && seen.seconds < 60.0, "{seen:?}");
}

#[test]
#[ignore = "slow"]
fn above_saturation_the_writer_is_always_busy() {
    // The writer needs 200 us a run, so at most 5,000 runs end in a second; 20,000 workers could
    // execute 20,000.
    let seen = simulate(20_000, 400_000, 1.0);
    let rate = seen.runs as f64 / seen.seconds;
    assert!(seen.writer > 0.85 && rate < 5_000.0 && rate > 4_000.0, "{seen:?}");
    assert!(seen.idle > 0.5, "{seen:?}");
}
