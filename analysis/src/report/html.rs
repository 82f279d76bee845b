//! The report as one page: text, tables, pictures, style and script in a single file that
//! asks nobody for anything. A click on a number lists the runs behind it.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::{Item, Report, Section};
use crate::figure::grouped;
use crate::sheets::Sheet;
use crate::table::Cell;
use crate::tidy::{Results, UNCOUNTED};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Tables with more rows are folded.
const FOLDED: usize = 40;

/// The page.
pub(super) fn page(report: &Report<'_>) -> String {
    let mut sets = RunSets::default();
    let mut body = String::new();
    for part in &report.sections {
        section(&mut body, part, &mut sets);
    }
    let links = report
        .sections
        .iter()
        .map(|section| format!("<a href=\"#{}\">{}</a>", section.name, escaped(section.title)));
    let title = escaped(&report.title);
    let data = Data::new(report.results, sets.texts);
    // Whatever a name holds, it ends no script.
    let data = serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <h1>{title}</h1>\n<p>{}</p>\n<nav>{}</nav>\n</header>\n<main>\n{body}</main>\n\
         <dialog id=\"runs\"><form method=\"dialog\"><button>Close</button></form>\
         <div></div></dialog>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        summary(report.results),
        links.collect::<String>(),
    )
}

fn summary(results: &Results) -> String {
    let mut text = format!(
        "{} runs of {} on {} projects with {} seeds.",
        results.runs.len(),
        results.algorithms.iter().map(|label| escaped(label)).collect::<Vec<_>>().join(", "),
        results.projects.len(),
        results.seeds(),
    );
    let mut budgets = results.budgets.clone();
    budgets.dedup();
    for budget in budgets {
        let units = results.subject.units.iter();
        let work = units.filter_map(|unit| Some((budget.limit(&unit.name)?, &*unit.plural)));
        let wall = budget.wall_ms.map(|ms| (ms, "ms"));
        let set: Vec<String> = work.chain(wall).map(|(n, unit)| format!("{n} {unit}")).collect();
        if !set.is_empty() {
            let _ = write!(text, " Budget of a run: {}.", set.join(" and "));
        }
    }
    text + " Click a number for the runs behind it; what is missing is n/a, never zero."
}

fn section(page: &mut String, section: &Section, sets: &mut RunSets) {
    let Section { name, title, items } = section;
    let _ = writeln!(page, "<section id=\"{name}\">\n<h2>{}</h2>", escaped(title));
    for item in items {
        match item {
            Item::Lacks(line) => {
                let _ = writeln!(page, "<p class=\"lacks\">{}</p>", escaped(line));
            }
            Item::Figure(figure) => {
                let _ = writeln!(
                    page,
                    "<figure id=\"figure-{}\" style=\"--width:{}px\">{}<figcaption><b>{}.</b> {}\
                     </figcaption></figure>",
                    figure.name,
                    width(&figure.svg),
                    figure.svg,
                    escaped(&figure.title),
                    prose(&figure.caption)
                );
            }
            Item::Sheet(sheet) => table(page, sheet, sets),
        }
    }
    page.push_str("</section>\n");
}

/// The width that a picture has by itself, in pixels: on a small screen it is not made so small
/// that nobody can read it.
fn width(svg: &str) -> &str {
    let box_of = svg.split_once("viewBox=\"0 0 ").map_or("", |(_, rest)| rest);
    box_of.split_once(' ').map_or("0", |(width, _)| width)
}

fn table(page: &mut String, sheet: &Sheet, sets: &mut RunSets) {
    let Sheet { name, title, caption, table } = sheet;
    let rows = table.rows();
    let (title, caption) = (escaped(title), prose(caption));
    let folded = rows.len() > FOLDED;
    let _ = if folded {
        write!(page, "<details><summary><b>{title}</b> ({} rows). {caption}</summary>", rows.len())
    } else {
        write!(page, "<p class=\"caption\"><b>{title}.</b> {caption}</p>")
    };
    let _ = write!(page, "<div class=\"wide\"><table id=\"{name}\"><thead><tr>");
    let words: Vec<bool> = (0..table.columns().len()).map(|column| table.words(column)).collect();
    let shown = table.shown();
    for &column in &shown {
        let class = if words[column] { " class=\"w\"" } else { "" };
        let (code, title) = table.columns()[column];
        let _ = write!(page, "<th{class} title=\"{code}\">{}</th>", escaped(title));
    }
    page.push_str("</tr></thead><tbody>\n");
    for (number, row) in rows.iter().enumerate() {
        match sets.number(table.runs_of_row(number)) {
            Some(set) => {
                let _ = write!(page, "<tr data-runs=\"{set}\">");
            }
            None => page.push_str("<tr>"),
        }
        for &column in &shown {
            let cell = &row[column];
            let class = if words[column] { " class=\"w\"" } else { "" };
            let own = table.runs_of_cell(number, column).map(|runs| sets.number(runs));
            let _ = match own {
                Some(Some(set)) => write!(page, "<td{class} data-runs=\"{set}\">"),
                // Behind this one is nothing, whatever is behind its row.
                Some(None) => write!(page, "<td{class} data-runs>"),
                None => write!(page, "<td{class}>"),
            };
            match cell {
                Cell::Missing => page.push_str("<i>n/a</i>"),
                Cell::Count(n) => page.push_str(&grouped(*n as f64)),
                cell => page.push_str(&escaped(&cell.for_people())),
            }
            page.push_str("</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>");
    page.push_str(if folded { "</details>\n" } else { "\n" });
}

/// Sets of runs, each kept once, as ranges: `0-19,40`.
#[derive(Default)]
struct RunSets {
    numbers: HashMap<String, usize>,
    texts: Vec<String>,
}

impl RunSets {
    /// The number of a set; none for the empty one.
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

/// What the page's script shows of runs, column by column.
#[derive(Serialize)]
struct Data<'a> {
    projects: Vec<&'a str>,
    algorithms: &'a [String],
    /// The first digits of each id.
    ids: Vec<String>,
    project: Vec<u32>,
    algorithm: Vec<u32>,
    seed: Vec<u64>,
    /// Covered goals; none where there is no coverage.
    covered: Vec<Option<u32>>,
    goals: Vec<u32>,
    executions: Vec<Option<u64>>,
    uncounted: u32,
    sets: Vec<String>,
}

impl<'a> Data<'a> {
    fn new(results: &'a Results, sets: Vec<String>) -> Data<'a> {
        let runs = &results.runs;
        Data {
            projects: results.projects.iter().map(|project| project.name.as_str()).collect(),
            algorithms: &results.algorithms,
            ids: runs.iter().map(|run| run.id.short()).collect(),
            project: runs.iter().map(|run| run.project).collect(),
            algorithm: runs.iter().map(|run| run.algorithm).collect(),
            seed: runs.iter().map(|run| run.seed).collect(),
            covered: runs.iter().map(|run| run.coverage().map(|_| run.covered)).collect(),
            goals: runs.iter().map(|run| run.goals).collect(),
            executions: results.work.first().cloned().unwrap_or_default(),
            uncounted: UNCOUNTED,
            sets,
        }
    }
}

/// Text of a caption, without line breaks within `n = 5`, `p < 0.05` and `12 %`.
fn prose(text: &str) -> String {
    let text = escaped(text);
    [" = ", " &lt; ", " %", " ms"]
        .iter()
        .fold(text, |text, part| text.replace(part, &part.replace(' ', "\u{a0}")))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_break_between_statements() {
        assert_eq!(prose("(n = 9, p < 5 %)"), "(n\u{a0}=\u{a0}9, p\u{a0}&lt;\u{a0}5\u{a0}%)");
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
