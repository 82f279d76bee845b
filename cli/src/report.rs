//! `catherd report`: writes tables and figures of results as one page and as files, lists the runs
//! of a number, and checks numbers against bounds. `catherd reproduce` runs the study first.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catherd_analysis::published;
use catherd_analysis::report::{Address, Check, FigureFormat, Report, ReportSettings};
use catherd_analysis::table::{Cell, Table};
use catherd_analysis::tidy::Results;
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_experiments::Algorithm;
use clap::Args;
use indicatif::ProgressBar;

use crate::failure::{CHECK_FAILED, STUDY_INCOMPLETE, STUDY_STOPPED, Worded};
use crate::run;

/// Writes tables and figures of results as a page and as files.
///
/// The page has every table and every figure. Files of tables are CSV, Markdown and LaTeX; files of
/// figures are SVG, PDF and PNG.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[CHECK_FAILED])))]
pub(crate) struct Arguments {
    /// Folders with tidy tables of studies or imports, which are read as one study, and with
    /// descriptions of their projects (`catherd dataset describe --out`)
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,

    /// Folder of the report [default: report; with --explain, no report is written]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Heading of the page [default: the names of the folders]
    #[arg(long)]
    title: Option<String>,

    /// Number whose source runs are listed; ROW is the words of the row, separated by commas, or its
    /// position
    #[arg(long, value_name = "TABLE/ROW/COLUMN")]
    explain: Vec<Address>,

    #[command(flatten)]
    more: More,

    #[command(flatten)]
    figures: Figures,

    #[command(flatten)]
    checks: Checks,
}

/// Tables that a report has only on request.
#[derive(Args)]
struct More {
    /// Parameter to compare: configurations that differ in it only are compared by project and by
    /// group; may be repeated
    #[arg(long, value_name = "PARAMETER")]
    factor: Vec<String>,

    /// Label of the configuration with which all others are compared
    #[arg(long, value_name = "LABEL")]
    reference: Option<String>,

    /// CSV file of published numbers, which are shown next to the numbers of the results
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

impl More {
    fn settings(&self, results: &Results) -> Result<ReportSettings, Failure> {
        let configurations = results.configurations().map_err(Worded::worded)?;
        for factor in &self.factor {
            let has = |one: &Algorithm| one.parameters.contains_key(factor);
            let known = configurations.iter().all(Option::is_some);
            if known && !configurations.iter().flatten().any(has) {
                return Err(Failure::new(format_args!(
                    "no configuration has the parameter {factor}"
                ))
                .hint("name a parameter that study.json in the results has"));
            }
        }
        if let Some(label) = &self.reference
            && !results.algorithms.contains(label)
        {
            return Err(Failure::new(format_args!("no configuration is called {label}"))
                .hint(format!("choose one of {}", results.algorithms.join(", "))));
        }
        let published =
            self.against.as_deref().map(published::read).transpose().map_err(Worded::worded)?;
        Ok(ReportSettings {
            factors: self.factor.clone(),
            reference: self.reference.clone(),
            published: published.unwrap_or_default(),
        })
    }
}

#[derive(Args)]
struct Figures {
    /// File formats of figures, separated by commas: svg, pdf, png
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "svg,pdf")]
    figures: Vec<FigureFormat>,
}

#[derive(Args)]
struct Checks {
    /// Condition on a number, such as "algorithms/mio/mean >= 90 %"; the command exits with code 4 if
    /// it does not hold. The bound of a share is a percentage, or a number from 0 to 1
    #[arg(long, value_name = "NUMBER >= BOUND")]
    check: Vec<Check>,

    /// Apply checks to an incomplete study, by the runs that have ended; without this flag, every check
    /// of an incomplete study fails
    #[arg(long)]
    interim: bool,
}

const EXAMPLES: &str = "\
Examples:
  catherd report results/smoke
  catherd report results/random1000 whisker -o report --title \"Random1000\"
  catherd report imported description                  # coverage against size and complexity
  catherd report results/smoke --figures pdf,png
  catherd report results/pynguin --factor types --reference DYNAMOSA-TypeHints \
      --against experiments/pynguin/published.csv
  catherd report results/smoke --explain table6/mio,random/better
  catherd report results/ci-smoke --check \"algorithms/mio/mean >= 90 %\"";

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { results: folders, out, title, explain, more, figures, checks } = arguments;
    let out = out.or_else(|| explain.is_empty().then(|| PathBuf::from("report")));
    let title = title.unwrap_or_else(|| {
        let names = folders.iter().map(|folder| name_of(folder));
        names.collect::<Vec<_>>().join(", ")
    });
    let results = Results::read_all(&folders).map_err(Worded::worded)?;
    let report = make(&results, &title, &more.settings(&results)?)?;
    for address in &explain {
        terminal::print(&explanation(address, &report)?);
    }
    if let Some(out) = out {
        write(&report, &out, &figures)?;
    }
    checks.execute(&report)
}

pub(crate) fn make<'a>(
    results: &'a Results,
    title: &str,
    settings: &ReportSettings,
) -> Result<Report<'a>, Failure> {
    let bar = BARS.add(ProgressBar::new_spinner());
    bar.enable_steady_tick(Duration::from_millis(200));
    let report =
        Report::with(results, title, settings, |section| bar.set_message(section.to_owned()));
    bar.finish_and_clear();
    report.map_err(Worded::worded)
}

fn write(report: &Report<'_>, out: &Path, figures: &Figures) -> Result<(), Failure> {
    let page = report.write(out, &figures.figures).map_err(Worded::worded)?;
    for sentence in report.summary() {
        terminal::print(&format!("{sentence}\n"));
    }
    terminal::print(&format!(
        "\n{}: {} and {}, also as files in {}\n",
        page.display(),
        plural(report.tables().count(), "table"),
        plural(report.figures().count(), "figure"),
        out.display()
    ));
    Ok(())
}

/// The last part of a path that has a name.
fn name_of(folder: &Path) -> String {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    absolute.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

/// The runs from which a number was computed, as text.
fn explanation(address: &Address, report: &Report<'_>) -> Result<String, Failure> {
    let found = address.find(report).map_err(Worded::worded)?;
    let results = report.results;
    let mut table = Table::new(&[
        ("project", "Project"),
        ("algorithm", "Algorithm"),
        ("seed", "Seed"),
        ("coverage", "Coverage"),
        ("executions", "Executions"),
        ("run", "Run"),
    ]);
    for &number in found.runs {
        let run = &results.runs[number as usize];
        table.push(vec![
            Cell::Text(results.projects[run.project as usize].name.clone()),
            Cell::Text(results.algorithms[run.algorithm as usize].clone()),
            Cell::Count(run.seed as usize),
            Cell::share(run.coverage(), 2),
            results
                .work
                .first()
                .and_then(|work| work[number as usize])
                .map_or(Cell::Missing, |n| Cell::Count(n as usize)),
            Cell::Text(run.id.to_string()),
        ]);
    }
    let mut text = format!("{address} is {}, ", found.cell.display());
    // Writing to a string does not fail.
    let _ = match found.runs.len() {
        0 => writeln!(text, "computed from no run"),
        n => write!(text, "computed from {}\n\n{}", plural(n, "run"), table.text()),
    };
    Ok(text)
}

impl Checks {
    /// Prints the result of each check.
    fn execute(&self, report: &Report<'_>) -> Result<Exit, Failure> {
        let mut exit = Exit::Success;
        for check in &self.check {
            let value = check.address.find(report).map_err(Worded::worded)?.cell.display();
            let (holds, interim) = match report.interim {
                Some(interim) if !self.interim => (false, format!("; {interim}")),
                Some(interim) => {
                    (check.holds(report).map_err(Worded::worded)?, format!("; {interim}"))
                }
                None => (check.holds(report).map_err(Worded::worded)?, String::new()),
            };
            let verdict = if holds { "holds" } else { "FAILED" };
            terminal::print(&format!("check {check}: {verdict}, it is {value}{interim}\n"));
            if !holds {
                exit = Exit::CheckFailed;
            }
        }
        if report.interim.is_some() && !self.interim && !self.check.is_empty() {
            terminal::note(
                "The study is not complete: continue it, or check what there is with --interim.",
            );
        }
        Ok(exit)
    }
}

/// Runs a study and writes its report.
///
/// The command is `catherd run`, then `catherd report` into the folder `report` of the results.
#[derive(Args)]
#[command(after_help = format!(
    "{REPRODUCE}\n\n{}",
    exit_codes(&[STUDY_INCOMPLETE, STUDY_STOPPED, CHECK_FAILED])
))]
pub(crate) struct Reproduce {
    #[command(flatten)]
    run: run::Arguments,

    #[command(flatten)]
    more: More,

    #[command(flatten)]
    figures: Figures,

    #[command(flatten)]
    checks: Checks,
}

const REPRODUCE: &str = "\
Examples:
  catherd reproduce experiments/smoke.toml
  catherd reproduce experiments/ci-smoke.toml --check \"algorithms/mio/mean >= 90 %\"";

pub(crate) fn reproduce(arguments: Reproduce) -> Result<Exit, Failure> {
    let (exit, folder) = run::execute(&arguments.run)?;
    if exit == Exit::Stopped {
        return Ok(exit);
    }
    let results = Results::read(&folder).map_err(Worded::worded)?;
    let settings = arguments.more.settings(&results)?;
    let report = make(&results, &name_of(&folder), &settings)?;
    write(&report, &folder.join("report"), &arguments.figures)?;
    // A failed check takes precedence over an incomplete study.
    Ok(match arguments.checks.execute(&report)? {
        Exit::Success => exit,
        failed => failed,
    })
}
