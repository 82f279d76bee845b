//! `catherd dev vm interpreted`: which blocks without screen refresh are interpreted.

use std::path::PathBuf;

use catherd_cli_console::terminal::{self, bar};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_conformance::{RandomInputDriver, WarpBlocks, warp_blocks};
use catherd_scratch_corpora::find;
use catherd_scratch_vm::Compat;
use clap::Args;

use crate::failure::Worded;

/// Counts the blocks without screen refresh that the machine interprets, by opcode.
///
/// Blocks in custom blocks that run without screen refresh are compiled to a faster form if it has
/// instructions for them. Projects run with input drawn from a seed. After two lines with totals,
/// each line has a number of executions, its share of all executed blocks without screen refresh,
/// and an opcode, which a reason may follow.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dev vm interpreted games
  catherd dev vm interpreted games --projects | sort -n | tail

Exit codes: 0 if all ran, 2 if a project was skipped, 1 if the command failed.")]
pub struct Arguments {
    /// Project files, unpacked project folders, or folders of them
    #[arg(required = true, value_name = "DIR")]
    projects: Vec<PathBuf>,

    /// Number of steps of each project (1/30 s of Scratch time each)
    #[arg(long, value_name = "N", default_value_t = 100)]
    steps: u64,

    /// Seed of the machine's random numbers and of the input
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Print interpreted and executed blocks of each project instead of opcodes
    #[arg(long = "projects")]
    by_project: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { projects, steps, seed, by_project } = arguments;
    let found = find(projects).map_err(Worded::worded)?;
    let named: Vec<_> = found.projects.iter().map(|e| (e.name.clone(), e.path.clone())).collect();
    let bar = bar(named.len());
    let driver = RandomInputDriver { steps, seed, interpret: false, compat: Compat::default() };
    let runs = warp_blocks(&named, driver, |_| bar.inc(1));
    bar.finish_and_clear();
    let mut failures: Vec<String> = found.skipped.iter().map(ToString::to_string).collect();
    let (mut all, mut text) = (WarpBlocks::default(), String::new());
    for run in runs {
        match run {
            Ok((name, counts)) => {
                if by_project && counts.executed > 0 {
                    let interpreted = counts.interpreted.values().sum::<u64>();
                    text += &format!("{interpreted:>12} {:>12}  {name}\n", counts.executed);
                }
                all.add(&counts);
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    terminal::print(&if by_project { text } else { table(&all) });
    for failure in &failures {
        terminal::note(&format!("skipped: {failure}"));
    }
    Ok(if failures.is_empty() { Exit::Success } else { Exit::Incomplete })
}

fn table(all: &WarpBlocks) -> String {
    let percent = |count: u64| 100.0 * count as f64 / (all.executed as f64).max(1.0);
    let mut rows: Vec<_> = all.interpreted.iter().map(|(name, count)| (*count, name)).collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let sum = rows.iter().map(|row| row.0).sum::<u64>();
    let mut text = format!("{:>12} 100.00 %  executed\n", all.executed);
    text += &format!("{sum:>12} {:>6.2} %  interpreted\n", percent(sum));
    for (count, name) in rows {
        text += &format!("{count:>12} {:>6.2} %  {name}\n", percent(count));
    }
    text
}
