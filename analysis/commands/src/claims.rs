//! `catherd claims`: decides whether sentences about a study hold, and writes numbers for papers.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_analysis::claims::{self, Claim, Verdict, tex};
use catherd_analysis::report::{Report, ReportSettings};
use catherd_analysis::tidy::Results;
use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, exit_codes, output, places};
use catherd_cli_failures::Worded;
use clap::Args;

use crate::report;

/// Decides the claims about a study by its numbers.
///
/// A claim is a sentence with the address of the number that decides it, in the file claims.toml of
/// the results. The command shows whether each holds, is within its tolerance, does not hold or
/// cannot be decided, with the number of runs from which its number was computed (catherd report
/// --explain lists them).
///
/// A paper takes its numbers from the study with \catherd{TABLE/ROW/COLUMN}: --from finds them, and
/// --tex writes the definition of the macro.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[FAILED])))]
pub struct Arguments {
    /// Folders with tidy tables of studies or imports, which are read as one study
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,

    /// Files of claims [default: claims.toml in RESULTS]
    #[arg(long, value_name = "FILE")]
    claims: Vec<PathBuf>,

    /// LaTeX file of a paper that takes its numbers from the study
    #[arg(long, value_name = "PAPER.tex")]
    from: Vec<PathBuf>,

    /// LaTeX file to write, with the numbers of the claims and of the papers
    #[arg(long, value_name = "FILE.tex")]
    tex: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  catherd claims results/random1000
  catherd claims results/random1000 --claims paper/claims.toml
  catherd claims results/random1000 --from paper/main.tex --tex paper/numbers.tex";

const FAILED: (Exit, &str) = (Exit::CheckFailed, "a claim does not hold");

/// Executes `catherd claims`.
///
/// # Errors
/// If an input cannot be used or the file of macros cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    for folder in &arguments.results {
        places::folder(folder, "name the folders of one or more studies")?;
    }
    for file in &arguments.claims {
        places::check(file, "name a file of claims (docs/reference/claims.md)")?;
    }
    let claims = match arguments.claims.is_empty() {
        true => of_folders(&arguments.results)?,
        false => read_all(&arguments.claims)?,
    };
    if claims.is_empty() && arguments.from.is_empty() {
        let folders: Vec<String> =
            arguments.results.iter().map(|folder| folder.display().to_string()).collect();
        let (file, folders) = (claims::FILE, folders.join(", "));
        return Err(Failure::new(format_args!("{folders}: no claims: there is no {file}"))
            .hint("write one (docs/reference/claims.md), or name it with --claims"));
    }
    let results = Results::read_all(&arguments.results).map_err(Worded::worded)?;
    let report = report::make(&results, "claims", &ReportSettings::default())?;
    let mut exit = Exit::Success;
    let mut holding = 0;
    for claim in &claims {
        let judged = claim.judge(&report);
        let mut text = format!("{}: {}", judged.verdict, claim.sentence);
        if !claim.source.is_empty() {
            text += &format!(" [{}]", claim.source);
        }
        text += &format!("\n  {} {}", claim.number(), claim.expected());
        if !judged.found.is_empty() {
            text += &format!("; it is {}, {}", judged.found, plural(judged.runs.len(), "run"));
        }
        terminal::print(&format!("{text}\n"));
        match judged.verdict {
            Verdict::Holds | Verdict::WithinTolerance => holding += 1,
            Verdict::DoesNotHold => exit = Exit::CheckFailed,
            Verdict::CannotBeDecided(_) => {}
        }
    }
    if !claims.is_empty() {
        let verb = if claims.len() == 1 { "holds" } else { "hold" };
        terminal::print(&format!("{holding} of {} {verb}\n", plural(claims.len(), "claim")));
    }
    let mut addresses: Vec<String> = claims.iter().map(|claim| claim.number().to_owned()).collect();
    for paper in &arguments.from {
        addresses.extend(numbers_of(paper, &report)?);
    }
    if let Some(file) = &arguments.tex {
        write(file, &report, &addresses)?;
    }
    Ok(exit)
}

pub(crate) fn of_folders(folders: &[PathBuf]) -> Result<Vec<Claim>, Failure> {
    let files = folders.iter().map(|folder| folder.join(claims::FILE));
    read_all(&files.filter(|file| file.exists()).collect::<Vec<_>>())
}

fn read_all(files: &[PathBuf]) -> Result<Vec<Claim>, Failure> {
    let mut all = Vec::new();
    for file in files {
        all.extend(claims::read(file).map_err(Worded::worded)?);
    }
    Ok(all)
}

/// The file of claims next to a study file: `NAME.claims.toml` for `NAME.toml`.
pub fn next_to(study: &Path) -> Option<PathBuf> {
    let file = study.with_extension("claims.toml");
    file.is_file().then_some(file)
}

/// Checks a file of claims, and copies the file into a folder of results.
pub fn copy(file: &Path, results: &Path) -> Result<(), Failure> {
    claims::read(file).map_err(Worded::worded)?;
    let to = results.join(claims::FILE);
    fs::copy(file, &to).map(|_| ()).map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", to.display()))
            .hint("check that you may write there")
    })
}

/// Prints the numbers that a paper takes from the study, and returns their addresses.
fn numbers_of(paper: &Path, report: &Report<'_>) -> Result<Vec<String>, Failure> {
    let text = fs::read_to_string(paper).map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", paper.display())).hint("name a LaTeX file")
    })?;
    let mut addresses = Vec::new();
    for tex::Used { line, address } in tex::used(&text) {
        let at = format!("{}:{line}: ", paper.display());
        let found = address.parse::<catherd_analysis::report::Address>();
        let found = found.map_err(Worded::worded).map_err(|failure| failure.at(&at))?;
        let found = found.find(report).map_err(Worded::worded);
        let found = found.map_err(|failure| failure.at(&at))?;
        let runs = plural(found.runs.len(), "run");
        terminal::print(&format!("{at}{address} is {}, {runs}\n", found.cell.display()));
        addresses.push(address);
    }
    Ok(addresses)
}

fn write(file: &Path, report: &Report<'_>, addresses: &[String]) -> Result<(), Failure> {
    let known = addresses.iter().map(String::as_str).filter(|address| {
        let address = address.parse::<catherd_analysis::report::Address>();
        address.is_ok_and(|address| address.find(report).is_ok())
    });
    let text = tex::macros(report, known).map_err(Worded::worded)?;
    output::write(file, text)
}
