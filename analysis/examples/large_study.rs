//! Writes and summarises a made-up study of any size, and says what that cost:
//! `cargo run --release -p catherd-analysis --example large_study -- PROJECTS SEEDS DIR`.
//! Three algorithms, so 1000 projects and 20 seeds are the 60,000 runs of Random1000.

#![expect(clippy::print_stdout, reason = "an example talks to its user")]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use catherd_analysis::comparison::{Comparison, Samples};
use catherd_analysis::tidy::{self, Results};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("give PROJECTS SEEDS DIR");
    let (projects, seeds) = (next()?.parse()?, next()?.parse()?);
    let dir = PathBuf::from(next()?);

    let start = Instant::now();
    tidy::write(&dir, synthetic::runs(projects, seeds), &[])?;
    println!("{:8.2} s to make and write the tables{}", start.elapsed().as_secs_f64(), peak());
    let start = Instant::now();
    let samples = Samples::coverage(&Results::read(&dir)?);
    println!("{:8.2} s to read the runs{}", start.elapsed().as_secs_f64(), peak());
    let start = Instant::now();
    Comparison::pairs(&samples);
    println!("{:8.2} s for the statistics of Table 6{}", start.elapsed().as_secs_f64(), peak());
    let start = Instant::now();
    let summary = catherd_analysis::summarise(&dir)?;
    println!("{:8.2} s for the whole summary{}\n", start.elapsed().as_secs_f64(), peak());
    print!("{}", summary.text);
    Ok(())
}

/// Peak memory of this process so far, where the system says it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map(|kib| format!(", peak memory {}", kib.trim())).unwrap_or_default()
}
