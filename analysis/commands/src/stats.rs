//! `catherd stats`: computes statistics for scripts, from and to JSON lines.

mod answer;
mod question;

use std::io::{self, BufRead as _, BufReader, BufWriter, Write};

use catherd_analysis::stats::{Compat, Convention};
use catherd_cli_console::{Exit, Failure};
use clap::Args;
use serde_json::json;

use answer::Answers;
use question::Question;

/// Computes statistics of samples on standard input.
///
/// The command reads JSON lines, and writes for each of them a JSON line with every statistic that
/// applies to the samples.
#[derive(Args)]
#[command(after_help = EXAMPLES, after_long_help = DETAILS)]
pub struct Arguments {
    /// Library whose conventions are followed: scipy or r [default: those of catherd]
    #[arg(long, value_name = "LIBRARY")]
    compat: Option<Compat>,

    /// Level of significance, between 0 and 1: intervals cover 1 - ALPHA
    #[arg(long, default_value_t = 0.05, value_parser = level)]
    alpha: f64,

    /// Convention for small, medium and large effects: vargha-delaney or hess-kromrey
    #[arg(long, value_name = "CONVENTION", default_value = "vargha-delaney", value_parser = convention)]
    magnitude: Convention,
}

const EXAMPLES: &str = r#"Examples:
  catherd stats <<< '{"x": [0.9, 0.8, 1.0], "y": [0.7, 0.8, 0.6]}'
  catherd stats --compat scipy --alpha 0.01 < samples.jsonl | jq .p
  echo '{"blocks": [[0.9, 0.8, 0.7], [1, 0.9, 0.8], [0.5, 0.6, 0.4]]}' | catherd stats"#;

const DETAILS: &str = r#"Examples:
  catherd stats <<< '{"x": [0.9, 0.8, 1.0], "y": [0.7, 0.8, 0.6]}'
  catherd stats --compat scipy --alpha 0.01 < samples.jsonl | jq .p
  echo '{"blocks": [[0.9, 0.8, 0.7], [1, 0.9, 0.8], [0.5, 0.6, 0.4]]}' | catherd stats

A line of input is an object with one or more of
  x, y    two samples: a12 with a12_ci and a12_magnitude, cliffs_delta, u1, u2, p with its
          method, p_exact, p_asymptotic (Mann-Whitney U, two-sided), kruskal;
          samples of equal length, as pairs: wilcoxon, pearson_r, pearson_p, spearman_rho,
          spearman_p, linear_fit;
          samples of 0 and 1: fisher, odds_ratio, odds_ratio_ci
  blocks  rows of measurements, one of each treatment: friedman, mean_ranks, nemenyi,
          kruskal of the columns, wilcoxon of the first two (wilcoxon_first_two is the same)
  p       a family of p-values: holm, benjamini_hochberg
  table   [[a, b], [c, d]], counts: fisher, odds_ratio, odds_ratio_ci
Other fields are ignored. NaN, Infinity, -Infinity and null (NaN) are understood.

friedman, kruskal and wilcoxon are pairs of statistic and p. A statistic that
does not exist for the samples is null, and `unavailable` gives the reason: empty, too-few,
not-a-number, infinite, constant, unpaired, too-many or ties. Infinite results are the strings
"Infinity" and "-Infinity". The answer to a line that cannot be read is {"line": N, "error": ...};
the other lines are answered, and the exit code is 2."#;

fn level(text: &str) -> Result<f64, String> {
    let level: f64 = text.parse().map_err(|_| "write a number between 0 and 1".to_owned())?;
    if level > 0.0 && level < 1.0 {
        Ok(level)
    } else {
        Err("the level must be between 0 and 1".to_owned())
    }
}

fn convention(name: &str) -> Result<Convention, String> {
    match name {
        "vargha-delaney" => Ok(Convention::VarghaDelaney),
        "hess-kromrey" => Ok(Convention::HessKromrey),
        _ => Err("write vargha-delaney or hess-kromrey".to_owned()),
    }
}

/// Executes `catherd stats`.
///
/// # Errors
/// If standard input cannot be read, or standard output cannot be written.
pub fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let answers = Answers {
        compat: arguments.compat,
        alpha: arguments.alpha,
        convention: arguments.magnitude,
    };
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    let mut exit = Exit::Success;
    for number in 1_u64.. {
        line.clear();
        let read = input.read_until(b'\n', &mut line).map_err(|cause| {
            Failure::new(format_args!("standard input, line {number}: {cause}"))
                .hint("check that standard input can be read; see catherd stats --help")
        })?;
        if read == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match Question::read(&line) {
            Ok(question) => answers.answer(number, &question),
            Err(problem) => {
                exit = Exit::Incomplete;
                json!({ "line": number, "error": problem })
            }
        };
        // The caller may wait for these answers before it sends the next line.
        let waiting = input.buffer().is_empty();
        let written = writeln!(output, "{answer}")
            .and_then(|()| if waiting { output.flush() } else { Ok(()) });
        match written {
            // A closed pipe is not an error: the reader, such as `head`, has read enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(exit),
            Err(error) => return Err(Failure::new(format_args!("standard output: {error}"))),
            Ok(()) => {}
        }
    }
    match output.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format_args!("standard output: {error}")))
        }
        _ => Ok(exit),
    }
}
