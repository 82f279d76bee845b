//! Writes the tables of an artificial study of any size: `cargo run --release -p catherd-analysis
//! --example large_study -- PROJECTS SEEDS DIR`. With the arguments `report DIR OUT`, the example
//! writes the report of the study in DIR to OUT.

#[path = "../tests/analysis/synthetic.rs"]
mod synthetic;

use std::error::Error;
use std::path::PathBuf;

use catherd_analysis::report::{FigureFormat, Report};
use catherd_analysis::tidy::{self, Results};
use catherd_experiments::{RunRecord, TimelinePoint};

const POINTS: u32 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("give PROJECTS SEEDS DIR, or report DIR OUT");
    let first = next()?;
    if first == "report" {
        let results = Results::read(&PathBuf::from(next()?))?;
        let report = Report::new(&results, "large", |_| ())?;
        report.write(&PathBuf::from(next()?), &[FigureFormat::Svg, FigureFormat::Pdf])?;
        return Ok(());
    }
    let (projects, seeds) = (first.parse()?, next()?.parse()?);
    let dir = PathBuf::from(next()?);
    let runs = synthetic::runs(projects, seeds).map(|(spec, record)| (spec, finer(record)));
    tidy::write(&dir, &synthetic::subject(), runs, &[])?;
    Ok(())
}

/// At each point of the timeline, at least one further goal is covered.
fn finer(mut record: RunRecord) -> RunRecord {
    let step = record.work["executions"] / u64::from(POINTS);
    let points = (1..=POINTS).map(|place| {
        let executions = u64::from(place) * step;
        let before = record.timeline.iter().take_while(|point| point.work[0] <= executions);
        let covered = before.last().map_or(0, |point| point.covered) * 15 + place;
        TimelinePoint { work: vec![executions, executions * 90], wall_ms: executions * 2, covered }
    });
    record.timeline = points.collect();
    let blocks = &mut record.criteria[0];
    blocks.goals *= 20;
    blocks.covered = (0..record.timeline.last().map_or(0, |point| point.covered)).collect();
    record
}
