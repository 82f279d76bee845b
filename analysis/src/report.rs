//! The report of a study: all tables and figures in sections, as one self-contained page and as
//! separate files.

mod address;
mod html;
mod json;
mod pictures;
mod provenance;
mod sections;
mod sought;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rayon::prelude::*;

use crate::claims::{self, Claim};
use crate::figure::{ExportError, Svg};
use crate::figures::Figure;
use crate::findings::VersionChange;
use crate::published::PublishedNumber;
use crate::table::LatexWidth;
use crate::tables::CaptionedTable;
use crate::terms::capitalised;
use crate::tidy::{Error, Interim, Results};

pub use address::{Address, AddressError, Check, FoundCell};
pub use pictures::{Pictured, pictures_page};
pub use sought::{Sought, SoughtError};

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Item {
    /// The main findings, in sentences.
    Summary(Vec<String>),
    /// A table.
    Table(CaptionedTable),
    /// A figure.
    Figure(Figure),
    /// A sentence in place of a table or figure that is not available.
    Unavailable(&'static str),
}

/// A file format of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureFormat {
    /// SVG, for browsers and editors.
    Svg,
    /// PDF, for LaTeX. Text is drawn as outlines.
    Pdf,
    /// PNG with 300 pixels per inch, for word processors.
    Png,
}

impl FigureFormat {
    /// All formats.
    pub const ALL: [FigureFormat; 3] = [FigureFormat::Svg, FigureFormat::Pdf, FigureFormat::Png];

    /// Returns the extension of files of this format.
    pub fn name(self) -> &'static str {
        match self {
            FigureFormat::Svg => "svg",
            FigureFormat::Pdf => "pdf",
            FigureFormat::Png => "png",
        }
    }

    fn content(self, svg: &Svg) -> Result<Vec<u8>, ExportError> {
        match self {
            FigureFormat::Svg => Ok(svg.as_str().as_bytes().to_vec()),
            FigureFormat::Pdf => svg.pdf(),
            FigureFormat::Png => svg.png(),
        }
    }
}

impl FromStr for FigureFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<FigureFormat, String> {
        let mut all = FigureFormat::ALL.into_iter();
        all.find(|format| format.name() == name)
            .ok_or_else(|| format!("unknown format `{name}`: expected svg, pdf or png"))
    }
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file or folder could not be written.
    #[error(transparent)]
    File(#[from] Error),
    /// A figure could not be converted.
    #[error("{}: {cause}", path.display())]
    Figure {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: ExportError,
    },
}

/// Tables and figures on one subject.
#[derive(Clone, Debug)]
pub struct Section {
    /// Name of the section in anchors on the page.
    pub name: &'static str,
    /// The heading.
    pub title: &'static str,
    /// The items in reading order.
    pub items: Vec<Item>,
}

impl Section {
    fn new(name: &'static str, title: &'static str) -> Section {
        Section { name, title, items: Vec::new() }
    }

    fn table(&mut self, table: impl Into<Option<CaptionedTable>>) {
        let table = table.into();
        let has_values = |t: &CaptionedTable| !t.table.rows().is_empty() && t.table.has_values();
        self.items.extend(table.filter(has_values).map(Item::Table));
    }

    /// Tables about real time get no caveat, because the verdict is among them.
    fn add_caveat(&mut self, caveat: &str) {
        for item in &mut self.items {
            match item {
                Item::Table(table)
                    if (table.has_tests() || table.name == "cost")
                        && !OF_REAL_TIME.contains(&table.name) =>
                {
                    table.caption = format!("{} {caveat}", table.caption).trim().to_owned();
                }
                Item::Figure(figure)
                    if is_of_tests(&figure.name)
                        || figure.caption.contains("p = ")
                        || figure.caption.contains("p < ") =>
                {
                    figure.caption = format!("{} {caveat}", figure.caption);
                }
                _ => {}
            }
        }
    }

    /// Neither p-values nor figures of significance are valid for a study whose results were
    /// inspected while it was executed.
    fn remove_tests(&mut self) {
        self.items.retain(|item| match item {
            Item::Figure(figure) => !is_of_tests(&figure.name),
            Item::Summary(_) | Item::Table(_) | Item::Unavailable(_) => true,
        });
        for item in &mut self.items {
            match item {
                Item::Table(table) => {
                    *table = table.clone().without_tests();
                    table.caption = without_p_values(&table.caption);
                }
                Item::Figure(figure) => figure.caption = without_p_values(&figure.caption),
                Item::Summary(_) | Item::Unavailable(_) => {}
            }
        }
    }

    fn figures(&mut self, figures: impl IntoIterator<Item = Figure>) {
        self.items.extend(figures.into_iter().map(Item::Figure));
    }

    fn figure_or(&mut self, figure: Option<Figure>, unavailable: &'static str) {
        self.items.push(figure.map_or(Item::Unavailable(unavailable), Item::Figure));
    }
}

const OF_REAL_TIME: [&str; 2] = ["real-time", "places"];

fn is_of_tests(figure: &str) -> bool {
    const TESTS: [&str; 4] = ["significance", "significance-over-budget", "effects-", "projects-"];
    TESTS.iter().any(|test| match test.ends_with('-') {
        true => figure.starts_with(test),
        false => figure == *test,
    })
}

/// Replaces each p-value of a caption, such as `p = 0.0123`, with `p n/a`.
fn without_p_values(caption: &str) -> String {
    let mut parts = caption.split("p = ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(part.len());
        // A full stop after the number ends the sentence.
        let number = part[..number].trim_end_matches('.').len();
        text += "p n/a";
        text += &part[number..];
    }
    text.replace("p < 0.0001", "p n/a")
}

/// Optional contents of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSettings {
    /// Parameters whose effects are shown.
    pub factors: Vec<String>,
    /// Label of the configuration with which the others are compared, if any.
    pub reference: Option<String>,
    /// Published numbers to be compared with the results.
    pub published: Vec<PublishedNumber>,
    /// Whether the CSV files are written with
    /// [`Table::spreadsheet`](crate::table::Table::spreadsheet).
    pub spreadsheet: bool,
    /// Claims about the study, checked against the report.
    pub claims: Vec<Claim>,
    /// Comparisons of algorithms with the same algorithms in earlier studies.
    pub history: Vec<VersionChange>,
}

impl ReportSettings {
    fn has_factors(&self) -> bool {
        !self.factors.is_empty() || self.reference.is_some() || !self.published.is_empty()
    }
}

/// Settings for the files of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSettings {
    /// Formats of figures.
    pub figures: Vec<FigureFormat>,
    /// Width of tables in LaTeX.
    pub latex_width: LatexWidth,
    /// Columns of tables in LaTeX and Markdown.
    pub columns: Vec<ChosenColumns>,
}

/// The columns of a table in LaTeX and Markdown, parsed from `TABLE=COLUMN,COLUMN,...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenColumns {
    /// Name of the table.
    pub table: String,
    /// Names of the columns, in the requested order.
    pub columns: Vec<String>,
}

/// Why columns cannot be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChosenColumnsError {
    /// The string does not have the form `TABLE=COLUMN,COLUMN,...`.
    #[error("invalid columns `{0}`: expected TABLE=COLUMN,COLUMN")]
    Syntax(String),
    /// The report has no such table.
    #[error("unknown table `{name}`: the report has {known}")]
    Table {
        /// The requested name.
        name: String,
        /// The tables of the report.
        known: String,
    },
    /// The table has no such column.
    #[error("unknown column `{name}` of table `{table}`, which has {known}")]
    Column {
        /// The table.
        table: String,
        /// The requested name.
        name: String,
        /// The columns of the table.
        known: String,
    },
}

impl FromStr for ChosenColumns {
    type Err = ChosenColumnsError;

    fn from_str(text: &str) -> Result<ChosenColumns, ChosenColumnsError> {
        let invalid = || ChosenColumnsError::Syntax(text.to_owned());
        let (table, columns) = text.split_once('=').ok_or_else(invalid)?;
        let columns: Vec<String> = columns.split(',').map(|name| name.trim().to_owned()).collect();
        if table.is_empty() || columns.iter().any(String::is_empty) {
            return Err(invalid());
        }
        Ok(ChosenColumns { table: table.trim().to_owned(), columns })
    }
}

impl ChosenColumns {
    /// Checks that a report contains the table and the columns.
    ///
    /// # Errors
    /// [`ChosenColumnsError`] if the table or a column is missing.
    pub fn check(&self, report: &Report<'_>) -> Result<(), ChosenColumnsError> {
        let Some(table) = report.tables().find(|table| table.name == self.table) else {
            let known: Vec<&str> = report.tables().map(|table| table.name).collect();
            return Err(ChosenColumnsError::Table {
                name: self.table.clone(),
                known: known.join(", "),
            });
        };
        let known: Vec<&str> = table.table.columns().iter().map(|column| &*column.0).collect();
        match self.columns.iter().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(ChosenColumnsError::Column {
                table: self.table.clone(),
                name: name.clone(),
                known: known.join(", "),
            }),
        }
    }
}

/// The report of a study.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The heading of the page.
    pub title: String,
    /// The results.
    pub results: &'a Results,
    /// The optional contents that were requested.
    pub settings: ReportSettings,
    /// Progress of an incomplete study.
    pub interim: Option<Interim>,
    /// The sections in reading order.
    pub sections: Vec<Section>,
}

impl<'a> Report<'a> {
    /// Computes all tables and figures. `on_progress` receives titles of sections while they are
    /// computed.
    ///
    /// # Errors
    /// [`Error`] if the results cannot be read.
    pub fn new(
        results: &'a Results,
        title: &str,
        on_progress: impl FnMut(&str),
    ) -> Result<Report<'a>, Error> {
        Report::with(results, title, &ReportSettings::default(), on_progress)
    }

    /// Computes a report as [`Report::new`] does, with optional contents.
    ///
    /// # Errors
    /// [`Error`] if the results cannot be read.
    pub fn with(
        results: &'a Results,
        title: &str,
        settings: &ReportSettings,
        on_progress: impl FnMut(&str),
    ) -> Result<Report<'a>, Error> {
        let mut sections = sections::all(results, settings, on_progress)?;
        if results.is_looked_at() {
            sections.iter_mut().for_each(Section::remove_tests);
        }
        let interim = results.interim();
        let (title, settings) = (title.to_owned(), settings.clone());
        let mut report = Report { title, results, settings, interim, sections };
        if !report.settings.claims.is_empty() {
            let mut section = Section::new("claims", "Claims");
            section.table(claims::table(&report, &report.settings.claims));
            report.sections.insert(1.min(report.sections.len()), section);
        }
        if let Some(interim) = interim {
            let mark = capitalised(&interim.to_string());
            for item in report.sections.iter_mut().flat_map(|section| &mut section.items) {
                match item {
                    Item::Summary(sentences) => sentences.insert(0, format!("{mark}.")),
                    Item::Table(table) => table.caption = format!("{mark}. {}", table.caption),
                    Item::Figure(figure) => {
                        figure.caption = format!("{mark}. {}", figure.caption);
                        figure.svg = figure.svg.marked(&mark);
                    }
                    Item::Unavailable(_) => {}
                }
            }
        }
        Ok(report)
    }

    /// Returns the main findings as sentences.
    pub fn summary(&self) -> &[String] {
        let mut items = self.sections.iter().flat_map(|section| &section.items);
        let summary = items.find_map(|item| match item {
            Item::Summary(sentences) => Some(&sentences[..]),
            Item::Table(_) | Item::Figure(_) | Item::Unavailable(_) => None,
        });
        summary.unwrap_or_default()
    }

    /// Returns all tables.
    pub fn tables(&self) -> impl Iterator<Item = &CaptionedTable> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Table(table) => Some(table),
            Item::Summary(_) | Item::Figure(_) | Item::Unavailable(_) => None,
        })
    }

    /// Returns all figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Figure(figure) => Some(figure),
            Item::Summary(_) | Item::Table(_) | Item::Unavailable(_) => None,
        })
    }

    /// Writes the report to a folder, which is created if missing, and returns the path of the
    /// page.
    ///
    /// # Errors
    /// [`WriteError`] if a file or folder cannot be written or a figure cannot be converted.
    pub fn write(&self, dir: &Path, formats: &[FigureFormat]) -> Result<PathBuf, WriteError> {
        self.write_with(dir, &FileSettings { figures: formats.to_vec(), ..FileSettings::default() })
    }

    /// Writes the report as [`Report::write`] does, with settings for the files.
    ///
    /// # Errors
    /// [`WriteError`] if a file or folder cannot be written or a figure cannot be converted.
    pub fn write_with(&self, dir: &Path, settings: &FileSettings) -> Result<PathBuf, WriteError> {
        let formats = &settings.figures;
        let write = |path: PathBuf, content: &[u8]| match fs::write(&path, content) {
            Ok(()) => Ok(path),
            Err(cause) => Err(Error::Io { path, cause }),
        };
        let (tables, figures) = (dir.join("tables"), dir.join("figures"));
        for path in [&tables, &figures] {
            fs::create_dir_all(path).map_err(|cause| Error::Io { path: path.clone(), cause })?;
        }
        for CaptionedTable { name, title, caption, table } in self.tables() {
            let path = |extension: &str| tables.join(name).with_extension(extension);
            let csv = if self.settings.spreadsheet { table.spreadsheet() } else { table.csv() };
            let csv = csv.map_err(|e| Error::Io { path: path("csv"), cause: e.into() })?;
            write(path("csv"), &csv)?;
            let chosen = settings.columns.iter().find(|chosen| chosen.table == *name);
            let selected = chosen.map(|chosen| {
                let names: Vec<&str> = chosen.columns.iter().map(String::as_str).collect();
                table.selected(&names)
            });
            let table = selected.as_ref().unwrap_or(table);
            let text = format!("**{title}.** {caption}\n\n{}", table.markdown());
            write(path("md"), text.as_bytes())?;
            let latex = table.latex(name, title, caption, settings.latex_width);
            write(path("tex"), latex.as_bytes())?;
        }
        let all: Vec<&Figure> = self.figures().collect();
        all.par_iter().try_for_each(|figure| -> Result<(), WriteError> {
            for format in formats {
                let path = figures.join(&figure.name).with_extension(format.name());
                let content = format.content(&figure.svg);
                let figure = |cause| WriteError::Figure { path: path.clone(), cause };
                write(path.clone(), &content.map_err(figure)?)?;
            }
            Ok(())
        })?;
        let json = json::document(self).map_err(|cause| {
            let path = dir.join("report.json");
            Error::Json { path, cause }
        })?;
        write(dir.join("report.json"), &json)?;
        let links = provenance::document(self).map_err(|cause| {
            let path = dir.join(provenance::FILE);
            Error::Json { path, cause }
        })?;
        write(dir.join(provenance::FILE), &links)?;
        Ok(write(dir.join("report.html"), html::page(self).into_string().as_bytes())?)
    }
}
