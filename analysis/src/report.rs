//! The report of a study: all tables and figures in sections, on one page without external files,
//! and as separate files.

mod address;
mod html;
mod json;
mod sections;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rayon::prelude::*;

use crate::figure::{ExportError, Svg};
use crate::figures::Figure;
use crate::published::PublishedNumber;
use crate::tables::CaptionedTable;
use crate::terms::capitalised;
use crate::tidy::{Error, Interim, Results};

pub use address::{Address, AddressError, Check, FoundCell};

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Item {
    /// The main findings, in sentences.
    Summary(Vec<String>),
    /// A table.
    Table(CaptionedTable),
    /// A figure.
    Figure(Figure),
    /// A sentence in place of a table or figure for which the results have no data.
    Unavailable(&'static str),
}

/// A file format of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureFormat {
    /// For browsers and for editing.
    Svg,
    /// For LaTeX; text is drawn as outlines.
    Pdf,
    /// For word processors, with 300 pixels per inch.
    Png,
}

impl FigureFormat {
    /// All formats.
    pub const ALL: [FigureFormat; 3] = [FigureFormat::Svg, FigureFormat::Pdf, FigureFormat::Png];

    /// The extension of files of this format.
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
    /// The anchor of the section on the page.
    pub name: &'static str,
    /// The heading.
    pub title: &'static str,
    /// The items in the order of reading.
    pub items: Vec<Item>,
}

impl Section {
    fn new(name: &'static str, title: &'static str) -> Section {
        Section { name, title, items: Vec::new() }
    }

    /// Adds a table unless it is empty.
    fn table(&mut self, table: impl Into<Option<CaptionedTable>>) {
        self.items.extend(table.into().filter(|t| !t.table.rows().is_empty()).map(Item::Table));
    }

    fn figures(&mut self, figures: impl IntoIterator<Item = Figure>) {
        self.items.extend(figures.into_iter().map(Item::Figure));
    }

    /// Adds a figure, or else a sentence about the data that it needs.
    fn figure_or(&mut self, figure: Option<Figure>, unavailable: &'static str) {
        self.items.push(figure.map_or(Item::Unavailable(unavailable), Item::Figure));
    }
}

/// Optional contents of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSettings {
    /// Parameters whose effect is shown: configurations that only differ in one of them are
    /// compared.
    pub factors: Vec<String>,
    /// Label of the configuration with which the others are compared.
    pub reference: Option<String>,
    /// Published numbers, which are shown next to the corresponding numbers of the results.
    pub published: Vec<PublishedNumber>,
}

/// The report of a study.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The heading of the page.
    pub title: String,
    /// The results.
    pub results: &'a Results,
    /// Progress of the study, repeated in every caption; `None` if the study is complete.
    pub interim: Option<Interim>,
    /// The sections in the order of reading.
    pub sections: Vec<Section>,
}

impl<'a> Report<'a> {
    /// Computes all tables and figures. `on_progress` is called with the title of each section
    /// before it is computed.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn new(
        results: &'a Results,
        title: &str,
        on_progress: impl FnMut(&str),
    ) -> Result<Report<'a>, Error> {
        Report::with(results, title, &ReportSettings::default(), on_progress)
    }

    /// Like [`Report::new`], with optional contents.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn with(
        results: &'a Results,
        title: &str,
        settings: &ReportSettings,
        on_progress: impl FnMut(&str),
    ) -> Result<Report<'a>, Error> {
        let mut sections = sections::all(results, settings, on_progress)?;
        let interim = results.interim();
        if let Some(interim) = interim {
            let mark = capitalised(&interim.to_string());
            for item in sections.iter_mut().flat_map(|section| &mut section.items) {
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
        Ok(Report { title: title.to_owned(), results, interim, sections })
    }

    /// The main findings, in sentences.
    pub fn summary(&self) -> &[String] {
        let mut items = self.sections.iter().flat_map(|section| &section.items);
        let summary = items.find_map(|item| match item {
            Item::Summary(sentences) => Some(&sentences[..]),
            Item::Table(_) | Item::Figure(_) | Item::Unavailable(_) => None,
        });
        summary.unwrap_or_default()
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &CaptionedTable> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Table(table) => Some(table),
            Item::Summary(_) | Item::Figure(_) | Item::Unavailable(_) => None,
        })
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Figure(figure) => Some(figure),
            Item::Summary(_) | Item::Table(_) | Item::Unavailable(_) => None,
        })
    }

    /// Writes `report.html`, `report.json`, `tables/NAME.csv`, `.md` and `.tex`, and `figures/NAME`
    /// in these formats into a folder, which is created if it is missing. Returns the path of the
    /// page.
    ///
    /// # Errors
    /// [`WriteError`] if a file or folder cannot be written.
    pub fn write(&self, dir: &Path, formats: &[FigureFormat]) -> Result<PathBuf, WriteError> {
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
            let csv = table.csv().map_err(|e| Error::Io { path: path("csv"), cause: e.into() })?;
            write(path("csv"), &csv)?;
            let text = format!("**{title}.** {caption}\n\n{}", table.markdown());
            write(path("md"), text.as_bytes())?;
            let caption = format!("{title}. {caption}");
            write(path("tex"), table.latex(name, caption.trim_end()).as_bytes())?;
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
        Ok(write(dir.join("report.html"), html::page(self).into_string().as_bytes())?)
    }
}
