//! The report of a study: all tables and figures in sections, on one page without external files,
//! and as files of their own.

mod address;
mod html;
mod sections;

use std::fs;
use std::path::{Path, PathBuf};

use crate::figures::Figure;
use crate::tables::CaptionedTable;
use crate::tidy::{Error, Results};

pub use address::{Address, AddressError, Check, Found};

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Item {
    /// A table.
    Table(CaptionedTable),
    /// A figure.
    Figure(Figure),
    /// A sentence in place of a table or figure that the results have no data for.
    Unavailable(&'static str),
}

/// Tables and figures on one subject.
#[derive(Clone, Debug)]
pub struct Section {
    /// The anchor of the section on the page.
    pub name: &'static str,
    /// The heading.
    pub title: &'static str,
    /// In the order of reading.
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

    /// Adds a figure, or a sentence on the data that it needs.
    fn figure_or(&mut self, figure: Option<Figure>, unavailable: &'static str) {
        self.items.push(figure.map_or(Item::Unavailable(unavailable), Item::Figure));
    }
}

/// The report of a study.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The heading of the page.
    pub title: String,
    /// The results.
    pub results: &'a Results,
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
        let sections = sections::all(results, on_progress)?;
        Ok(Report { title: title.to_owned(), results, sections })
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &CaptionedTable> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Table(table) => Some(table),
            Item::Figure(_) | Item::Unavailable(_) => None,
        })
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Figure(figure) => Some(figure),
            Item::Table(_) | Item::Unavailable(_) => None,
        })
    }

    /// Writes `report.html`, `tables/NAME.csv`, `.md` and `.tex`, and `figures/NAME.svg` into a
    /// folder, which is created if it is missing; returns the path of the page.
    ///
    /// # Errors
    /// [`Error::Io`] if a file or folder cannot be written.
    pub fn write(&self, dir: &Path) -> Result<PathBuf, Error> {
        let write = |path: PathBuf, content: &[u8]| {
            fs::write(&path, content).map_err(|source| Error::Io { path: path.clone(), source })?;
            Ok(path)
        };
        let (tables, figures) = (dir.join("tables"), dir.join("figures"));
        for path in [&tables, &figures] {
            fs::create_dir_all(path).map_err(|source| Error::Io { path: path.clone(), source })?;
        }
        for CaptionedTable { name, title, caption, table } in self.tables() {
            let path = |extension: &str| tables.join(name).with_extension(extension);
            let csv = table.csv().map_err(|e| Error::Io { path: path("csv"), source: e.into() })?;
            write(path("csv"), &csv)?;
            let text = format!("**{title}.** {caption}\n\n{}", table.markdown());
            write(path("md"), text.as_bytes())?;
            let caption = format!("{title}. {caption}");
            write(path("tex"), table.latex(name, caption.trim_end()).as_bytes())?;
        }
        for figure in self.figures() {
            let path = figures.join(&figure.name).with_extension("svg");
            write(path, figure.svg.as_str().as_bytes())?;
        }
        write(dir.join("report.html"), html::page(self).into_string().as_bytes())
    }
}
