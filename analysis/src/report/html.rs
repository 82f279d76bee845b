//! The report as an HTML page in a single file.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use catherd_experiments::file_names::FileNames;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use super::{Item, Report, Section};
use crate::figure::grouped;
use crate::figures::Figure;
use crate::table::{Cell, Table};
use crate::tables::CaptionedTable;
use crate::terms::{capitalised, counted, work};
use crate::tidy::{Clock, Results, Run, UNCOUNTED};

pub(super) const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

const MAX_UNFOLDED: usize = 40;

pub(super) fn page(report: &Report<'_>) -> Markup {
    let mut sets = RunSets::default();
    let sections: Vec<Markup> = report.sections.iter().map(|s| section(s, &mut sets)).collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (report.title) }
                    @if let Some(interim) = report.interim {
                        p class="interim" { (interim.to_string()) }
                    }
                    p { (summary(report.results)) }
                    p class="search" {
                        input type="search" id="search" aria-label="Search tables and figures"
                            placeholder="Search tables and figures";
                    }
                    nav {
                        @for section in &report.sections {
                            a href={ "#section-" (section.name) } { (section.title) }
                        }
                    }
                }
                main { @for section in sections { (section) } }
                dialog id="runs" {
                    form method="dialog" { button { "Close" } }
                    div {}
                }
                script type="application/json" id="data" {
                    (json(&Data::new(report.results, sets.texts)))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// `<` is escaped, because a string must not end the script element.
fn json(data: &Data<'_>) -> PreEscaped<String> {
    PreEscaped(serde_json::to_string(data).unwrap_or_default().replace('<', "\\u003c"))
}

fn summary(results: &Results) -> String {
    let mut text = format!(
        "{} of {} on {} with {}.",
        counted(results.runs.len(), "run"),
        results.algorithms.join(", "),
        counted(results.projects.len(), "project"),
        counted(results.seeds(), "seed"),
    );
    let mut budgets = results.budgets.clone();
    budgets.dedup();
    for budget in budgets {
        let units = results.subject.units.iter();
        let work = units.map(|unit| (budget.limit(&unit.name), unit.plural.as_str()));
        let limits = work.chain([(budget.wall_ms, "ms")]);
        let set: Vec<String> =
            limits.filter_map(|(n, unit)| n.map(|n| format!("{n} {unit}"))).collect();
        if !set.is_empty() {
            text += &format!(" Budget of a run: {}.", set.join(" and "));
        }
    }
    text + " Click a number to list the runs from which it was computed, a heading to sort, and an \
            entry of a legend to hide its series. Values that are not available are shown as n/a, \
            never as zero."
}

fn section(section: &Section, sets: &mut RunSets) -> Markup {
    let items: Vec<Markup> = section
        .items
        .iter()
        .map(|item| match item {
            Item::Summary(sentences) => html! {
                ul class="summary" { @for sentence in sentences { li { (unbroken(sentence)) } } }
            },
            Item::Unavailable(sentence) => html! { p class="unavailable" { (sentence) } },
            Item::Figure(figure) => figure_with_caption(figure),
            Item::Table(table) => table_with_caption(table, sets),
        })
        .collect();
    html! {
        section id={ "section-" (section.name) } {
            h2 { (section.title) }
            @for item in items { div class="item" { (item) } "\n" }
        }
    }
}

fn figure_with_caption(figure: &Figure) -> Markup {
    // On a small screen, a wide figure is scrolled rather than shrunk below a share of this width.
    let width = figure.svg.width();
    html! {
        figure id={ "figure-" (figure.name) } style={ "--width:" (width) "px" } {
            (figure.svg)
            figcaption { b { (figure.title) "." } " " (unbroken(&figure.caption)) }
        }
    }
}

fn table_with_caption(captioned: &CaptionedTable, sets: &mut RunSets) -> Markup {
    let CaptionedTable { name, title, caption, table } = captioned;
    let caption = unbroken(caption);
    let rows = table.rows().len();
    let table = table_element(name, table, sets);
    html! {
        @if rows > MAX_UNFOLDED {
            details {
                summary { b { (title) } " (" (rows) " rows). " (caption) }
                (table)
            }
        } @else {
            p class="caption" { b { (title) "." } " " (caption) }
            (table)
        }
    }
}

fn table_element(name: &str, table: &Table, sets: &mut RunSets) -> Markup {
    let columns: Vec<(usize, Option<&str>)> = table
        .shown()
        .into_iter()
        .map(|column| (column, table.has_text_cells(column).then_some("w")))
        .collect();
    html! {
        div class="wide" {
            table id=(name) {
                thead {
                    tr {
                        @for &(column, class) in &columns {
                            @let (name, title) = &table.columns()[column];
                            th scope="col" class=[class] title=(name) { (title) }
                        }
                    }
                }
                tbody {
                    @for (number, row) in table.rows().iter().enumerate() {
                        tr data-runs=[sets.number(table.source_runs_of_row(number))] {
                            @for &(column, class) in &columns {
                                @let runs = table.source_runs_of_cell(number, column);
                                td class=[class] data-runs=[runs.map(|runs| sets.attribute(runs))] {
                                    (displayed(&row[column]))
                                }
                            }
                        }
                        "\n"
                    }
                }
            }
        }
    }
}

fn displayed(cell: &Cell) -> Markup {
    html! {
        @match cell {
            Cell::Missing => i { "n/a" },
            Cell::Count(n) => (grouped(*n as f64)),
            cell => (cell.display()),
        }
    }
}

/// Distinct sets, written as ranges such as `0-19,40`.
#[derive(Default)]
struct RunSets {
    numbers: HashMap<String, usize>,
    texts: Vec<String>,
}

impl RunSets {
    fn number(&mut self, runs: &[u32]) -> Option<usize> {
        if runs.is_empty() {
            return None;
        }
        let text = ranges(runs);
        if let Some(&number) = self.numbers.get(&text) {
            return Some(number);
        }
        let number = self.texts.len();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        Some(number)
    }

    /// A cell without the attribute has the runs of its row.
    fn attribute(&mut self, runs: &[u32]) -> String {
        self.number(runs).map_or_else(String::new, |number| number.to_string())
    }
}

fn ranges(runs: &[u32]) -> String {
    let mut sorted = runs.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut text = String::new();
    for range in sorted.chunk_by(|a, b| a + 1 == *b) {
        if !text.is_empty() {
            text.push(',');
        }
        let (first, last) = (range[0], range[range.len() - 1]);
        let _ = write!(text, "{first}");
        if last > first {
            let _ = write!(text, "-{last}");
        }
    }
    text
}

#[derive(Serialize)]
struct Data<'a> {
    projects: Vec<&'a str>,
    algorithms: &'a [String],
    ids: Vec<String>,
    project: Vec<u32>,
    algorithm: Vec<u32>,
    seed: Vec<u64>,
    /// `None` for a run without coverage.
    covered: Vec<Option<u32>>,
    goals: Vec<u32>,
    unit: String,
    work: Vec<Option<u64>>,
    uncounted: u32,
    sets: Vec<String>,
    reasons: BTreeMap<usize, &'a str>,
    clock: String,
    spent: Vec<Option<u64>>,
    timelines: Option<String>,
    files: Option<FileNamesOfRuns>,
}

#[derive(Serialize)]
struct FileNamesOfRuns {
    projects: Vec<String>,
    algorithms: Vec<String>,
    extension: String,
}

impl<'a> Data<'a> {
    fn new(results: &'a Results, sets: Vec<String>) -> Data<'a> {
        let runs = &results.runs;
        let clock = results.clock();
        let reason = |(number, run): (usize, &Run)| {
            Some((number, results.reasons[run.reason? as usize].as_str()))
        };
        Data {
            projects: results.projects.iter().map(|project| project.name.as_str()).collect(),
            algorithms: &results.algorithms,
            ids: runs.iter().map(|run| run.id.short()).collect(),
            project: runs.iter().map(|run| run.project).collect(),
            algorithm: runs.iter().map(|run| run.algorithm).collect(),
            seed: runs.iter().map(|run| run.seed).collect(),
            covered: runs.iter().map(|run| run.coverage().map(|_| run.covered)).collect(),
            goals: runs.iter().map(|run| run.goals).collect(),
            unit: capitalised(work(&results.subject)),
            work: results.work.first().cloned().unwrap_or_default(),
            uncounted: UNCOUNTED,
            sets,
            reasons: runs.iter().enumerate().filter_map(reason).collect(),
            spent: (0..runs.len()).map(|run| results.spent(run, &clock)).collect(),
            timelines: timelines(results, &clock),
            clock: clock.unit().to_owned(),
            files: files(results),
        }
    }
}

/// In bytes, encoded in base 64.
const MAX_TIMELINES: usize = 4_000_000;

/// For each run, the number of its points, and for each point, the differences in time and in
/// covered goals from the previous point.
fn timelines(results: &Results, clock: &Clock) -> Option<String> {
    let mut points: Vec<Vec<(u64, u32)>> = vec![Vec::new(); results.runs.len()];
    for improvement in results.improvements(clock).ok()? {
        points[improvement.run as usize].push((improvement.at, improvement.covered));
    }
    let mut bytes = Vec::new();
    for mut run in points {
        run.sort_unstable();
        number(&mut bytes, run.len() as u64);
        let mut before = (0, 0);
        for (at, covered) in run {
            number(&mut bytes, at - before.0);
            number(&mut bytes, u64::from(covered.saturating_sub(before.1)));
            before = (at, covered.max(before.1));
        }
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes).ok()?;
    let compressed = encoder.finish().ok()?;
    (compressed.len() * 4 / 3 <= MAX_TIMELINES).then(|| BASE64.encode(&compressed))
}

/// Appends a number in groups of 7 bits, lowest first. The highest bit of a byte is set if another
/// group follows.
fn number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn files(results: &Results) -> Option<FileNamesOfRuns> {
    if results.folders() != 1 || results.subject.artifact_extension.is_empty() {
        return None;
    }
    let (mut projects, mut algorithms) = (FileNames::default(), FileNames::default());
    let mut known = (vec![None; results.projects.len()], vec![None; results.algorithms.len()]);
    // Files were named in the order of the runs.
    for run in &results.runs {
        let (project, algorithm) = (run.project as usize, run.algorithm as usize);
        if known.0[project].is_none() {
            let own = &results.projects[project];
            known.0[project] = Some(projects.of(own.digest.clone(), &own.name).to_owned());
        }
        if known.1[algorithm].is_none() {
            let label = &results.algorithms[algorithm];
            known.1[algorithm] = Some(algorithms.of(label.clone(), label).to_owned());
        }
    }
    let text =
        |names: Vec<Option<String>>| names.into_iter().map(Option::unwrap_or_default).collect();
    Some(FileNamesOfRuns {
        projects: text(known.0),
        algorithms: text(known.1),
        extension: results.subject.artifact_extension.clone(),
    })
}

fn unbroken(text: &str) -> String {
    [" = ", " < ", " %", " ms"]
        .iter()
        .fold(text.to_owned(), |text, part| text.replace(part, &part.replace(' ', "\u{a0}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_groups_of_7_bits() {
        let mut bytes = Vec::new();
        for value in [0, 127, 128, 300] {
            number(&mut bytes, value);
        }
        assert_eq!(bytes, [0, 127, 128, 1, 172, 2]);
    }

    #[test]
    fn captions_break_between_statements() {
        assert_eq!(unbroken("(n = 9, p < 5 %)"), "(n\u{a0}=\u{a0}9, p\u{a0}<\u{a0}5\u{a0}%)");
    }

    #[test]
    fn sets_of_runs_are_ranges_and_kept_once() {
        let mut sets = RunSets::default();
        assert_eq!(sets.number(&[]), None);
        assert_eq!(sets.number(&[7, 3, 4, 5, 5]), Some(0));
        assert_eq!(sets.number(&[9]), Some(1));
        assert_eq!(sets.number(&[3, 4, 5, 7]), Some(0));
        assert_eq!(sets.texts, ["3-5,7", "9"]);
    }
}
