//! What a study says at its end.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::Outcome;

use crate::comparison::{Comparison, LEVEL, MeanCoverage, Samples, mean};
use crate::figure;
use crate::progress::Progress;
use crate::table::{Cell, Table};
use crate::tidy::{Error, Results};

/// The summary of a study.
#[derive(Clone, Debug)]
pub struct Summary {
    /// For the terminal: the comparison of each pair of algorithms, mean coverages,
    /// and what is missing. Ends with a line break.
    pub text: String,
    /// Files written.
    pub files: Vec<PathBuf>,
}

/// Summarises the tidy tables of a folder and writes beside them:
///
/// - `table6.md`, `table6.csv`: each pair of algorithms, as Table 6 of the Whisker
///   paper;
/// - `comparisons.csv`: the same project by project, with U, p and its method;
/// - `coverage.csv`: coverage of each algorithm on each project;
/// - `algorithms.csv`: mean coverage of each algorithm;
/// - `coverage-over-time.svg`, unless no run has a coverage.
///
/// # Errors
/// [`Error`] if a table is missing, is not what it should be, mixes runs that cannot be
/// compared, or a file cannot be written.
pub fn summarise(dir: &Path) -> Result<Summary, Error> {
    let results = Results::read(dir)?;
    let samples = Samples::coverage(&results);
    let comparisons = Comparison::pairs(&samples);
    let table6 = table6(&results, &comparisons);
    let algorithms = algorithms(&results, &samples);

    let mut files = Files { dir, written: Vec::new() };
    files.write("table6.md", table6.markdown())?;
    files.csv("table6.csv", &table6)?;
    files.csv("comparisons.csv", &duels(&results, &comparisons))?;
    files.csv("coverage.csv", &coverage(&results, &samples))?;
    files.csv("algorithms.csv", &algorithms)?;
    if let Some(progress) = Progress::new(&results, results.clock())? {
        let svg = figure::coverage_over_time(&progress, &results.algorithms);
        files.write("coverage-over-time.svg", svg)?;
    }

    let mut text = String::new();
    if comparisons.is_empty() {
        text.push_str("One algorithm alone: nothing to compare.\n");
    } else {
        let _ = writeln!(
            text,
            "Coverage of the first against the second: mean A12, and projects by result \
             (Mann-Whitney U, p < {LEVEL})\n"
        );
        text.push_str(&table6.text());
    }
    text.push_str("\nMean coverage over projects\n\n");
    text.push_str(&algorithms.text());
    let notes = notes(&results, &comparisons);
    if !notes.is_empty() {
        text.push('\n');
        text.push_str(&notes);
    }
    Ok(Summary { text, files: files.written })
}

struct Files<'a> {
    dir: &'a Path,
    written: Vec<PathBuf>,
}

impl Files<'_> {
    fn write(&mut self, name: &str, content: impl AsRef<[u8]>) -> Result<(), Error> {
        let path = self.dir.join(name);
        fs::write(&path, content).map_err(|source| Error::Io { path: path.clone(), source })?;
        self.written.push(path);
        Ok(())
    }

    fn csv(&mut self, name: &str, table: &Table) -> Result<(), Error> {
        let csv =
            table.csv().map_err(|e| Error::Io { path: self.dir.join(name), source: e.into() })?;
        self.write(name, csv)
    }
}

fn table6(results: &Results, comparisons: &[Comparison]) -> Table {
    let mut table = Table::new(&[
        ("first", "First"),
        ("second", "Second"),
        ("mean_a12", "A12"),
        ("significantly_better", "Sig. better"),
        ("better", "Better"),
        ("equal", "Equal"),
        ("worse", "Worse"),
        ("significantly_worse", "Sig. worse"),
        ("missing", "Missing"),
        ("too_few_runs", "Too few runs"),
    ]);
    for row in comparisons {
        let counts = row.counts();
        table.push(vec![
            Cell::Text(results.algorithms[row.first].clone()),
            Cell::Text(results.algorithms[row.second].clone()),
            Cell::number(row.mean_a12(), 2),
            Cell::Count(counts.significantly_better),
            Cell::Count(counts.better),
            Cell::Count(counts.equal),
            Cell::Count(counts.worse),
            Cell::Count(counts.significantly_worse),
            Cell::Count(row.missing),
            Cell::Count(row.too_few_runs()),
        ]);
    }
    table
}

fn duels(results: &Results, comparisons: &[Comparison]) -> Table {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("first", "First"),
        ("second", "Second"),
        ("runs_first", "Runs"),
        ("runs_second", "Runs"),
        ("a12", "A12"),
        ("u1", "U"),
        ("p", "p"),
        ("method", "Method"),
    ]);
    for row in comparisons {
        for duel in &row.duels {
            let project = &results.projects[duel.project];
            table.push(vec![
                Cell::Text(project.name.clone()),
                Cell::Text(project.digest.clone()),
                Cell::Text(results.algorithms[row.first].clone()),
                Cell::Text(results.algorithms[row.second].clone()),
                Cell::Count(duel.runs.0),
                Cell::Count(duel.runs.1),
                Cell::Number(duel.a12, 2),
                Cell::Number(duel.u1, 1),
                Cell::Number(duel.p.value, 4),
                Cell::Text(duel.p.method.to_string()),
            ]);
        }
    }
    table
}

fn coverage(results: &Results, samples: &Samples) -> Table {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("missing", "Missing"),
        ("mean", "Mean"),
        ("median", "Median"),
        ("standard_deviation", "SD"),
        ("minimum", "Min."),
        ("maximum", "Max."),
    ]);
    let seeds = seeds(results);
    for (number, project) in results.projects.iter().enumerate() {
        for (algorithm, label) in results.algorithms.iter().enumerate() {
            let mut sample = samples.of(number, algorithm).to_vec();
            sample.sort_unstable_by(f64::total_cmp);
            let mean = mean(sample.iter().copied());
            let middle = [sample.len().saturating_sub(1) / 2, sample.len() / 2];
            let median =
                sample.get(middle[0]).zip(sample.get(middle[1])).map(|(a, b)| (a + b) / 2.0);
            let deviation = mean.filter(|_| sample.len() > 1).map(|mean| {
                let squares: f64 = sample.iter().map(|v| (v - mean) * (v - mean)).sum();
                (squares / (sample.len() - 1) as f64).sqrt()
            });
            table.push(vec![
                Cell::Text(project.name.clone()),
                Cell::Text(project.digest.clone()),
                Cell::Text(label.clone()),
                Cell::Count(sample.len()),
                Cell::Count(seeds.saturating_sub(sample.len())),
                Cell::share(mean, 2),
                Cell::share(median, 2),
                Cell::share(deviation, 2),
                Cell::share(sample.first().copied(), 2),
                Cell::share(sample.last().copied(), 2),
            ]);
        }
    }
    table
}

fn algorithms(results: &Results, samples: &Samples) -> Table {
    let means = MeanCoverage::all(samples);
    let complete = means.iter().all(|mean| mean.mean == mean.common);
    let mut columns = vec![
        ("algorithm", "Algorithm"),
        ("mean", "Mean"),
        ("projects", "Projects"),
        ("runs", "Runs"),
    ];
    // Only where runs are missing do the means of shared projects say more.
    if !complete {
        columns.push(("mean_common", "Mean on shared projects"));
    }
    let mut table = Table::new(&columns);
    for mean in &means {
        let mut row = vec![
            Cell::Text(results.algorithms[mean.algorithm].clone()),
            Cell::share(mean.mean, 2),
            Cell::Count(mean.projects),
            Cell::Count(mean.runs),
        ];
        if !complete {
            row.push(Cell::share(mean.common, 2));
        }
        table.push(row);
    }
    table
}

/// The number of seeds of a study: runs that each algorithm has on each project if
/// none is missing.
fn seeds(results: &Results) -> usize {
    results.runs.iter().map(|run| run.seed).collect::<BTreeSet<_>>().len()
}

/// What is missing and why, one line each.
fn notes(results: &Results, comparisons: &[Comparison]) -> String {
    let mut notes = String::new();
    let planned = results.projects.len() * results.algorithms.len() * seeds(results);
    let outcomes = [
        (Outcome::NoGoals, "without goals"),
        (Outcome::Failed, "failed"),
        (Outcome::TimedOut, "timed out"),
        (Outcome::OutOfMemory, "out of memory"),
    ];
    let mut causes: Vec<String> = Vec::new();
    for (outcome, words) in outcomes {
        let n = results.runs.iter().filter(|run| run.outcome == outcome).count();
        if n > 0 {
            causes.push(format!("{n} {words}"));
        }
    }
    if planned > results.runs.len() {
        causes.push(format!("{} not run", planned - results.runs.len()));
    }
    let with_coverage = results.runs.iter().filter(|run| run.coverage().is_some()).count();
    if planned > with_coverage {
        let _ = writeln!(
            notes,
            "{} of {planned} runs have no coverage ({}): they are missing, not 0 %.",
            planned - with_coverage,
            causes.join(", ")
        );
    }
    let few = comparisons.iter().map(Comparison::too_few_runs).max().unwrap_or(0);
    if few > 0 {
        let _ = writeln!(
            notes,
            "On {few} project{} there are too few runs for any difference to be significant.",
            if few == 1 { "" } else { "s" }
        );
    }
    for skipped in &results.skipped {
        let _ = writeln!(notes, "Skipped {}: {}", skipped.project, skipped.reason);
    }
    notes
}
