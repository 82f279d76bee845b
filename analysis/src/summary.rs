//! The summary of a study.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::comparison::{Comparison, LEVEL, Samples};
use crate::findings::{Cause, Decision, Missing, RealTime, Sequential};
use crate::progress::Progress;
use crate::stats::runs_needed;
use crate::table::Table;
use crate::tables::CaptionedTable;
use crate::terms::{capitalised, counted};
use crate::tidy::{Error, Results};
use crate::{figures, tables};

/// The summary of a study.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Text for the terminal.
    pub text: String,
    /// Paths of the written files.
    pub files: Vec<PathBuf>,
}

/// Summarises the tidy tables of a folder and writes the summary to files in the folder.
///
/// # Errors
/// [`Error`] if a table cannot be read or a file cannot be written.
pub fn summarise(dir: &Path) -> Result<Summary, Error> {
    let results = Results::read(dir)?;
    let samples = Samples::coverage(&results);
    let comparisons = Comparison::pairs(&samples);
    let looked = results.is_looked_at();
    let shown = |table: CaptionedTable| if looked { table.without_tests() } else { table };
    let table6 = shown(tables::table6(&results, &samples, &comparisons)).table;
    let rounds = looked.then(|| Sequential::of_results(&results));
    let decisions = Decision::pairs(&samples, rounds.as_ref());
    let decisions = tables::decisions(&results, &samples, &decisions).table;
    let algorithms = tables::algorithms(&results, &samples, None).table;
    let believed = RealTime::new(&results)?.map(|found| found.sentence());

    let mut files = Files { dir, written: Vec::new() };
    let said = believed.as_ref().map(|sentence| format!("{sentence}\n\n")).unwrap_or_default();
    files.write("table6.md", said + &table6.markdown())?;
    files.csv("table6.csv", &table6)?;
    files.csv(
        "comparisons.csv",
        &shown(tables::comparisons_by_project(&results, &samples, &comparisons)).table,
    )?;
    files.csv("coverage.csv", &tables::coverage(&results, &samples).table)?;
    files.csv("algorithms.csv", &algorithms)?;
    files.csv("decisions.csv", &decisions)?;
    if let Some(progress) = Progress::new(&results, &results.clock())? {
        let figure = figures::coverage_over_time(&results, &progress);
        let svg = match results.interim() {
            Some(interim) => figure.svg.marked(&capitalised(&interim.to_string())),
            None => figure.svg,
        };
        files.write("coverage-over-time.svg", svg.as_str())?;
    }

    let mut text = String::new();
    if let Some(interim) = results.interim() {
        let _ = writeln!(text, "{}\n", capitalised(&interim.to_string()));
    }
    if let Some(sentence) = believed {
        let _ = writeln!(text, "{sentence}\n");
    }
    if comparisons.is_empty() {
        text.push_str("Fewer than two algorithms: nothing to compare.\n");
    } else {
        let how = if looked {
            "an interval that is valid for all looks decides"
        } else {
            "Wilcoxon signed-rank test over projects with Holm's correction decides"
        };
        let _ = writeln!(
            text,
            "Mean coverage of the first minus that of the second, in percentage points ({how})\n"
        );
        let columns = DECISION_COLUMNS.iter().filter(|name| !looked || !name.starts_with("p_"));
        text.push_str(&decisions.selected(&columns.copied().collect::<Vec<_>>()).text());
        let tests = if looked { String::new() } else { format!(" (Mann-Whitney U, p < {LEVEL})") };
        let _ = writeln!(text, "\nThe same by project: mean A12, and projects by result{tests}\n");
        let columns = TERMINAL_COLUMNS.iter().filter(|name| !looked || !name.starts_with("signif"));
        text.push_str(&table6.selected(&columns.copied().collect::<Vec<_>>()).text());
        if !looked {
            text.push_str("\nCorrections for multiple comparisons are in table6.csv.\n");
        }
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

const DECISION_COLUMNS: [&str; 7] =
    ["first", "second", "verdict", "difference", "low", "high", "p_holm"];

const TERMINAL_COLUMNS: [&str; 10] = [
    "first",
    "second",
    "mean_a12",
    "a12_low",
    "a12_high",
    "significantly_better",
    "better",
    "equal",
    "worse",
    "significantly_worse",
];

struct Files<'a> {
    dir: &'a Path,
    written: Vec<PathBuf>,
}

impl Files<'_> {
    fn write(&mut self, name: &str, content: impl AsRef<[u8]>) -> Result<(), Error> {
        let path = self.dir.join(name);
        fs::write(&path, content).map_err(|cause| Error::Io { path: path.clone(), cause })?;
        self.written.push(path);
        Ok(())
    }

    fn csv(&mut self, name: &str, table: &Table) -> Result<(), Error> {
        let csv =
            table.csv().map_err(|e| Error::Io { path: self.dir.join(name), cause: e.into() })?;
        self.write(name, csv)
    }
}

fn notes(results: &Results, comparisons: &[Comparison]) -> String {
    let mut notes = String::new();
    let missing = Missing::new(results);
    let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
    for group in &missing.groups {
        *causes.entry(group.cause).or_default() += group.count;
    }
    if !causes.is_empty() {
        let causes: Vec<String> =
            causes.iter().map(|(cause, n)| format!("{n} {}", cause.label())).collect();
        let _ = writeln!(
            notes,
            "{} of {} runs {} no coverage ({}), which is not counted as 0 %.",
            missing.planned - missing.covered,
            missing.planned,
            if missing.planned - missing.covered == 1 { "has" } else { "have" },
            causes.join(", ")
        );
    }
    let few = comparisons.iter().map(Comparison::too_few_runs).max().unwrap_or(0);
    if few > 0 {
        let _ = writeln!(
            notes,
            "On {} there are too few runs for any difference to be significant: {} of each \
             algorithm are needed for p < {LEVEL}.",
            counted(few, "project"),
            runs_needed(LEVEL)
        );
    }
    for skipped in &results.skipped {
        let _ = writeln!(notes, "Skipped {}: {}", skipped.project, skipped.reason);
    }
    notes
}
