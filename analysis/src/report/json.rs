//! The report as JSON for programs, with all digits of the tables.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Report;
use crate::tables::CaptionedTable;

const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    title: &'a str,
    settings: Settings<'a>,
    /// `null` if the study is complete.
    interim: Option<Interim>,
    summary: &'a [String],
    tables: Vec<TableText<'a>>,
    figures: Vec<FigureText<'a>>,
}

#[derive(Serialize)]
struct Settings<'a> {
    factors: &'a [String],
    reference: Option<&'a str>,
    published: usize,
    spreadsheet: bool,
    claims: usize,
}

#[derive(Serialize)]
struct Interim {
    text: String,
    planned: u64,
    ended: u64,
}

#[derive(Serialize)]
struct TableText<'a> {
    name: &'a str,
    title: &'a str,
    caption: &'a str,
    /// An object for each row, with the cells by column name; `null` for a missing value.
    rows: Vec<Map<String, Value>>,
}

#[derive(Serialize)]
struct FigureText<'a> {
    name: &'a str,
    title: &'a str,
    caption: &'a str,
}

pub(super) fn document(report: &Report<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let interim = report.interim.map(|interim| Interim {
        text: interim.to_string(),
        planned: interim.planned,
        ended: interim.ended,
    });
    let figures = report.figures().map(|figure| FigureText {
        name: &figure.name,
        title: &figure.title,
        caption: &figure.caption,
    });
    let mut json = serde_json::to_vec_pretty(&Document {
        format: FORMAT,
        title: &report.title,
        settings: Settings {
            factors: &report.settings.factors,
            reference: report.settings.reference.as_deref(),
            published: report.settings.published.len(),
            spreadsheet: report.settings.spreadsheet,
            claims: report.settings.claims.len(),
        },
        interim,
        summary: report.summary(),
        tables: report.tables().map(table).collect(),
        figures: figures.collect(),
    })?;
    json.push(b'\n');
    Ok(json)
}

fn table(table: &CaptionedTable) -> TableText<'_> {
    let CaptionedTable { name, title, caption, table } = table;
    TableText { name, title, caption, rows: table.json() }
}
