//! Checks the statistics on simulated and finished studies. `docs/measurements/statistics.md`
//! contains the results.
//!
//! ```text
//! cargo run --release -p catherd-analysis --example calibration intervals 2000
//! cargo run --release -p catherd-analysis --example calibration stopping 10000
//! cargo run --release -p catherd-analysis --example calibration estimators 1000
//! cargo run --release -p catherd-analysis --example calibration models RESULTS...
//! cargo run --release -p catherd-analysis --example calibration tenfold SMALL LARGE
//! cargo run --release -p catherd-analysis --example calibration larger SMALL LARGE
//! cargo run --release -p catherd-analysis --example calibration replay RESULTS MARGIN
//! ```

#![allow(clippy::print_stdout, reason = "the program prints its results")]

mod goals;
mod intervals;
mod stopping;
mod world;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["intervals", studies] => intervals::intervals(studies.parse()?),
        ["stopping", studies] => stopping::stopping(studies.parse()?),
        ["estimators", assemblages] => goals::estimators(assemblages.parse()?),
        ["models", ref folders @ ..] if !folders.is_empty() => goals::models(folders)?,
        ["tenfold", small, large] => goals::tenfold(small, large)?,
        ["larger", small, large] => goals::larger(small, large)?,
        ["replay", folder, margin] => stopping::replay(folder, margin.parse()?)?,
        _ => {
            return Err(
                "give a check with its arguments, which are listed at the beginning of main.rs"
                    .into(),
            );
        }
    }
    Ok(())
}

fn share(count: usize, all: usize) -> String {
    format!("{:.1} %", 100.0 * count as f64 / all as f64)
}
