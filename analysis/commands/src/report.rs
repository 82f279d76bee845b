//! `catherd report`: tables and figures of results, and checks of their numbers.

mod checks;
mod find;
mod origin;
pub(crate) mod pictures;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catherd_analysis::findings::VersionChange;
use catherd_analysis::published;
use catherd_analysis::report::{
    Address, ChosenColumns, FigureFormat, FileSettings, Report, ReportSettings, Sought,
};
use catherd_analysis::table::{Cell, LatexWidth, Table};
use catherd_analysis::tidy::{Results, Selection, SelectionError};
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure, exit_codes, places};
use catherd_cli_failures::{CHECK_FAILED, Worded};
use catherd_experiments::{Algorithm, instead, palette};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use crate::{Program, claims};
use checks::Checks;

/// Writes tables and figures of results as a page and as files.
///
/// The page contains every table and every figure. Files of tables are CSV, Markdown and LaTeX; files
/// of figures are SVG, PDF or PNG.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[CHECK_FAILED])))]
pub struct Arguments {
    /// Folders with tidy tables of studies or imports, which are read as one study, and with
    /// descriptions of their projects (`catherd dataset describe --out`)
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,

    /// Folder of the report [default: report; with --explain, --find or --check, no report is
    /// written]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Heading of the page [default: the names of the folders]
    #[arg(long)]
    title: Option<String>,

    /// Number whose source runs are listed; ROW is the words of the row, separated by commas, or
    /// its position
    #[arg(long, value_name = "TABLE/ROW/COLUMN")]
    explain: Vec<Address>,

    /// Number of a paper, such as "93.5 % mosa", whose addresses in the tables are listed; the
    /// words after it are in its row, its column or the title of its table
    #[arg(long, value_name = "NUMBER WORDS")]
    find: Vec<Sought>,

    #[command(flatten)]
    shown: Shown,

    #[command(flatten)]
    more: More,

    #[command(flatten)]
    forms: Forms,

    #[command(flatten)]
    checks: Checks,

    /// Print one JSON object instead of sentences: the findings, the paths of the pages, the
    /// explanations, the addresses and the checks
    #[arg(long)]
    json: bool,
}

/// Which algorithms the report shows, and how.
#[derive(Args)]
struct Shown {
    /// Algorithms to show, by their labels [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    algorithms: Vec<String>,

    /// Algorithms that come first, in this order
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    order: Vec<String>,

    /// New label of an algorithm; may be repeated
    #[arg(long, value_name = "LABEL=TEXT", value_parser = relabelled)]
    label: Vec<(String, String)>,
}

fn relabelled(text: &str) -> Result<(String, String), String> {
    match text.split_once('=').map(|(label, text)| (label.trim(), text.trim())) {
        Some((label, text)) if !label.is_empty() && !text.is_empty() => {
            Ok((label.to_owned(), text.to_owned()))
        }
        _ => Err("write LABEL=TEXT, such as mio=MIO".to_owned()),
    }
}

impl Shown {
    fn of(self, results: Results) -> Result<Results, Failure> {
        let Shown { algorithms, order, label: labels } = self;
        results.select(&Selection { algorithms, order, labels }).map_err(|error| {
            let hint = match &error {
                SelectionError::Unknown { label, known } => instead(label, known),
                SelectionError::Twice(_) => "give each algorithm its own label".to_owned(),
            };
            Failure::new(error).hint(hint)
        })
    }
}

/// What a report contains only on request.
#[derive(Args)]
struct More {
    /// Parameter to compare: configurations that differ only in it are compared by project and by
    /// group; may be repeated
    #[arg(long, value_name = "PARAMETER")]
    factor: Vec<String>,

    /// Label of the configuration with which all others are compared
    #[arg(long, value_name = "LABEL")]
    reference: Option<String>,

    /// CSV file of published numbers, which are shown next to the numbers of the results; or the
    /// folder of an earlier study, with which each algorithm is compared; may be repeated
    #[arg(long, value_name = "FILE|FOLDER")]
    against: Vec<PathBuf>,

    /// Write CSV files for spreadsheets: names that begin with = + - or @ get an apostrophe,
    /// because spreadsheets would treat them as formulas
    #[arg(long)]
    spreadsheet: bool,
}

impl More {
    fn settings(&self, results: &Results, folders: &[PathBuf]) -> Result<ReportSettings, Failure> {
        let configurations = results.configurations().map_err(Worded::worded)?;
        for factor in &self.factor {
            let has = |one: &Algorithm| one.parameters.contains_key(factor);
            let known = configurations.iter().all(Option::is_some);
            if known && !configurations.iter().flatten().any(has) {
                return Err(Failure::new(format_args!(
                    "no configuration has the parameter {factor}"
                ))
                .hint(instead(factor, &parameters(&configurations))));
            }
        }
        if let Some(label) = &self.reference
            && !results.algorithms.contains(label)
        {
            return Err(Failure::new(format_args!("no configuration is called {label}"))
                .hint(instead(label, &results.algorithms)));
        }
        let (mut published, mut history) = (Vec::new(), Vec::new());
        for path in &self.against {
            places::check(
                path,
                "name the folder of an earlier study, or a file of published numbers",
            )?;
            if path.is_dir() {
                let old = Results::read(path).map_err(Worded::worded)?;
                history.extend(VersionChange::all(&origin::name_of(path), &old, results));
            } else {
                published.extend(published::read(path).map_err(Worded::worded)?);
            }
        }
        Ok(ReportSettings {
            factors: self.factor.clone(),
            reference: self.reference.clone(),
            published,
            history,
            spreadsheet: self.spreadsheet,
            claims: claims::of_folders(folders)?,
        })
    }
}

fn parameters(configurations: &[Option<Algorithm>]) -> Vec<&String> {
    let all = configurations.iter().flatten().flat_map(|one| one.parameters.keys());
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

#[derive(Args)]
struct Forms {
    /// Draw one test of each project on the page pictures.html: of the run with the most covered
    /// goals, the test that covers the most; only for kinds that draw tests, from folders with the
    /// store of their study
    #[arg(long)]
    pictures: bool,

    /// File formats of figures, separated by commas: svg, pdf, png
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "svg,pdf")]
    figures: Vec<FigureFormat>,

    /// Width of tables in LaTeX: columnwidth (a column of a paper with two columns, or both if
    /// needed), textwidth (a page with one column), or points, such as 252pt
    #[arg(long, value_name = "WIDTH", default_value_t)]
    latex_width: LatexWidth,

    /// Columns of a table in LaTeX and Markdown, in this order; may be repeated for several tables
    #[arg(long, value_name = "TABLE=COLUMN,COLUMN")]
    columns: Vec<ChosenColumns>,

    /// Colour of an algorithm in all figures: blue, vermilion, green, purple, orange, sky or olive;
    /// may be repeated
    #[arg(long, value_name = "LABEL=COLOUR", value_parser = colour)]
    colour: Vec<(String, usize)>,
}

fn colour(text: &str) -> Result<(String, usize), String> {
    let names = palette::COLOUR_NAMES;
    let (label, name) = text.rsplit_once('=').ok_or("expected LABEL=COLOUR")?;
    match names.iter().position(|known| *known == name) {
        Some(number) => Ok((label.to_owned(), number)),
        None => Err(format!("unknown colour `{name}`: choose one of {}", names.join(", "))),
    }
}

impl Forms {
    fn paint(&self, results: &mut Results) -> Result<(), Failure> {
        for (label, style) in &self.colour {
            if !results.algorithms.contains(label) {
                return Err(Failure::new(format_args!("--colour: no algorithm is called {label}"))
                    .hint(format!("choose one of {}", results.algorithms.join(", "))));
            }
            results.styles.insert(label.clone(), *style);
        }
        Ok(())
    }

    fn settings(&self) -> FileSettings {
        FileSettings {
            figures: self.figures.clone(),
            latex_width: self.latex_width,
            columns: self.columns.clone(),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  catherd report results/smoke
  catherd report results/new --against results/old --check \"no worse\"
  catherd report results/random1000 whisker -o report --title \"Random1000\"
  catherd report imported description                  # coverage against size and complexity
  catherd report results/smoke --figures pdf,png --colour mio=green
  catherd report results/smoke --latex-width 252pt --columns table6=first,second,mean_a12
  catherd report results/smoke --figures pdf,png
  catherd report results/smoke --algorithms mosa,mio --order mio --label mio=MIO
  catherd report results/pynguin --factor types --reference DYNAMOSA-TypeHints \
      --against experiments/pynguin/published.csv
  catherd report results/games --pictures              # a test of each game
  catherd report results/smoke --find \"93.5 % mosa\"
  catherd report results/smoke --explain table6/mio,random/better
  catherd report results/ci-smoke --check \"algorithms/mio/mean >= 90 %\"";

/// Executes `catherd report`.
///
/// # Errors
/// If an input or a flag cannot be used, or the report cannot be written.
pub fn run(arguments: Arguments, program: &Program) -> Result<Exit, Failure> {
    let Arguments { results: folders, out, title, explain, find, shown, more, forms, checks, json } =
        arguments;
    let wanted = explain.is_empty() && find.is_empty() && checks.check.is_empty();
    let out = match out {
        None if wanted => {
            let folder = PathBuf::from("report");
            origin::check(&folder, &folders)?;
            Some(folder)
        }
        out => out,
    };
    for folder in &folders {
        places::folder(folder, "name folders of results (catherd run, results, import)")?;
    }
    let title = title.unwrap_or_else(|| {
        let names = folders.iter().map(|folder| origin::name_of(folder));
        names.collect::<Vec<_>>().join(", ")
    });
    let mut results = shown.of(Results::read_all(&folders).map_err(Worded::worded)?)?;
    forms.paint(&mut results)?;
    let settings = more.settings(&results, &folders)?;
    let report = make(&results, &title, &settings)?;
    let found: Vec<String> = find.iter().map(|sought| find::addresses(sought, &report)).collect();
    if !json {
        found.iter().for_each(|text| terminal::print(text));
    }
    let explained: Vec<_> =
        explain.iter().map(|address| explanation(address, &report)).collect::<Result<_, _>>()?;
    if !json {
        explained.iter().for_each(|text| terminal::print(text));
    }
    let page = match &out {
        Some(out) => Some(write(&report, &folders, out, &forms, !json)?),
        None => None,
    };
    let pictures = match &out {
        Some(out) if forms.pictures => {
            Some(pictures::write(&report, program.kinds, &folders, out, !json)?)
        }
        _ => None,
    };
    if !json {
        return checks.execute(&report, &settings.history, true).map(|(exit, _)| exit);
    }
    let (exit, verdicts) = checks.execute(&report, &settings.history, false)?;
    let document = json!({
        "page": page, "pictures": pictures, "findings": report.summary(), "explanations": explained, "found": found,
        "complete": report.interim.is_none(), "checks": verdicts,
    });
    terminal::print(&format!("{document:#}\n"));
    Ok(exit)
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

fn write(
    report: &Report<'_>,
    results: &[PathBuf],
    out: &Path,
    forms: &Forms,
    in_words: bool,
) -> Result<PathBuf, Failure> {
    for chosen in &forms.columns {
        chosen.check(report).map_err(Worded::worded)?;
    }
    let page = report.write_with(out, &forms.settings()).map_err(Worded::worded)?;
    origin::write(out, results)?;
    if !in_words {
        return Ok(page);
    }
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
    Ok(page)
}

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
    let _ = match found.runs.len() {
        0 => writeln!(text, "computed from no run"),
        n => write!(text, "computed from {}\n\n{}", plural(n, "run"), table.text()),
    };
    Ok(text)
}

/// The flags for the report of a study that has just been executed.
#[derive(Args)]
pub struct OfStudy {
    #[command(flatten)]
    more: More,

    #[command(flatten)]
    forms: Forms,

    #[command(flatten)]
    checks: Checks,
}

/// Writes the report of the study in a folder of results into the subfolder `report`, and applies
/// the checks.
///
/// # Errors
/// If the results or a flag cannot be used, or the report cannot be written.
pub fn of_study(flags: &OfStudy, folder: &Path, program: &Program) -> Result<Exit, Failure> {
    let OfStudy { more, forms, checks } = flags;
    let mut results = Results::read(folder).map_err(Worded::worded)?;
    forms.paint(&mut results)?;
    let folders = [folder.to_owned()];
    let settings = more.settings(&results, &folders)?;
    let report = make(&results, &origin::name_of(folder), &settings)?;
    let out = folder.join("report");
    write(&report, &folders, &out, forms, true)?;
    if forms.pictures {
        pictures::write(&report, program.kinds, &folders, &out, true)?;
    }
    Ok(checks.execute(&report, &settings.history, true)?.0)
}
