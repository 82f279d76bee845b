//! All tables and figures of a study, in sections: on one page that needs nothing else, and
//! as files for papers and programs.

mod address;
mod html;

use std::fs;
use std::path::{Path, PathBuf};

use crate::comparison::{Comparison, Samples};
use crate::figures::{self, Figure};
use crate::findings::{
    Calibration, Convergence, Machine, Milestone, Mutation, Ranking, Relation, Speed, Suites,
    Trivial,
};
use crate::progress::Progress;
use crate::sheets::{self, Sheet};
use crate::tidy::{Error, Results};

pub use address::{Address, AddressError, Check, Found};

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Item {
    /// A table.
    Sheet(Sheet),
    /// A picture.
    Figure(Figure),
    /// What is not shown, and which data it needs.
    Lacks(&'static str),
}

/// What belongs together.
#[derive(Clone, Debug)]
pub struct Section {
    /// For links.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// In the order of reading.
    pub items: Vec<Item>,
}

impl Section {
    fn new(name: &'static str, title: &'static str) -> Section {
        Section { name, title, items: Vec::new() }
    }

    fn sheet(&mut self, sheet: impl Into<Option<Sheet>>) {
        self.items.extend(sheet.into().filter(|s| !s.table.rows().is_empty()).map(Item::Sheet));
    }

    fn figures(&mut self, figures: impl IntoIterator<Item = Figure>) {
        self.items.extend(figures.into_iter().map(Item::Figure));
    }

    /// A figure, or what it needs.
    fn either(&mut self, figure: Option<Figure>, lacks: &'static str) {
        self.items.push(figure.map_or(Item::Lacks(lacks), Item::Figure));
    }
}

/// The report of a study.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// What is above it.
    pub title: String,
    /// What it is about.
    pub results: &'a Results,
    /// What it says.
    pub sections: Vec<Section>,
}

impl<'a> Report<'a> {
    /// Computes everything that the results say. `tell` is given the title of each section
    /// when it begins.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn new(
        results: &'a Results,
        title: &str,
        mut tell: impl FnMut(&str),
    ) -> Result<Report<'a>, Error> {
        let samples = Samples::coverage(results);
        let clock = results.clock();
        let mut sections = Vec::new();
        let mut begin = |name, title| {
            tell(title);
            Section::new(name, title)
        };

        let mut s = begin("projects", "Projects");
        s.sheet(sheets::dataset(results)?);
        s.either(figures::sizes(results), "Sizes of the projects: needs runs with counted goals.");
        sections.push(s);

        let mut s = begin("coverage", "Coverage");
        s.sheet(sheets::algorithms(results, &samples));
        s.sheet(sheets::configurations(results, &samples));
        s.either(figures::coverage_boxes(results, &samples), "Coverage: needs runs that are done.");
        s.figures(figures::coverage_violins(results, &samples));
        s.sheet(sheets::coverage(results, &samples));
        sections.push(s);

        let mut s = begin("comparison", "Which algorithm is better");
        let pairs = Comparison::pairs(&samples);
        let calibrations = Calibration::all(&samples);
        s.sheet(sheets::table6(results, &samples, &pairs));
        s.sheet(sheets::calibration(results, &calibrations));
        s.either(
            figures::significance(results, &pairs),
            "Pairs of algorithms: need two algorithms with runs on the same projects.",
        );
        s.figures(figures::effect_sizes(results, &pairs));
        s.either(
            figures::calibration(results, &pairs, &calibrations),
            "A/A calibration: needs two runs of an algorithm on some project.",
        );
        s.figures(figures::duels(results, &samples, &pairs));
        s.figures(figures::effects_by_project(results, &pairs));
        s.sheet(sheets::race(results));
        s.figures(figures::race(results));
        s.sheet(sheets::ranks(results, &samples));
        let ranking = Ranking::new(&samples).ok();
        s.either(
            ranking.map(|ranking| figures::rank_diagram(results, &ranking)),
            "Mean ranks: need a project with runs of two algorithms.",
        );
        s.sheet(sheets::duels(results, &samples, &pairs));
        drop(pairs);
        sections.push(s);

        let mut s = begin("time", "Coverage over time");
        let progress = Progress::new(results, &clock)?;
        s.either(
            progress.map(|progress| figures::progress(results, &progress)),
            "Coverage over time: needs a timeline on the clock of the budgets.",
        );
        let milestones = Milestone::all(results, &clock, &Milestone::SHARES)?;
        s.figures(figures::effect_over_budget(results, &clock, &milestones));
        s.figures(figures::significance_over_budget(results, &clock, &milestones));
        s.sheet(sheets::milestones(results, &clock, &milestones));
        drop(milestones);
        let convergence = Convergence::all(results, &clock)?;
        s.figures(figures::convergence(results, &clock, &convergence));
        s.sheet(sheets::convergence(results, &clock, &convergence));
        sections.push(s);

        let mut s = begin("difficulty", "What makes projects difficult");
        let trivial = Trivial::baseline(results).map(|baseline| Trivial::new(results, baseline));
        let of = |draw: fn(&Results, &Trivial) -> Option<Figure>| {
            trivial.as_ref().and_then(|trivial| draw(results, trivial))
        };
        let lacks = "Trivially covered projects: need runs that count their executions.";
        s.either(of(figures::baseline_coverage), lacks);
        s.figures(of(figures::difficulty));
        let measured = results.measures(sheets::MEASURES.map(|(name, _)| name))?;
        let relations = measured.map(|values| Relation::all(&samples, &values));
        for (measure, rows) in sheets::MEASURES.into_iter().zip(&relations) {
            s.figures(figures::relation(results, measure, rows));
        }
        s.sheet(sheets::relations(results, &relations));
        s.sheet(sheets::trivial(results));
        sections.push(s);

        let mut s = begin("suites", "Test suites");
        let suites = Suites::new(results);
        s.sheet(sheets::suites(results));
        let lacks = "Sizes of suites: need runs with suites on projects that all cover alike.";
        s.either(figures::suite_sizes(results, &suites), lacks);
        s.figures(figures::suite_effects(results, &suites));
        s.either(figures::test_lengths(results), "Lengths of tests: need runs with suites.");
        sections.push(s);

        let mut s = begin("mutation", "Mutation analysis");
        match Mutation::new(results)? {
            Some(mutation) => {
                s.sheet(sheets::mutation(results, &mutation));
                s.figures(figures::mutation_operators(results, &mutation));
                s.figures(figures::mutation_violins(results, &mutation));
                s.figures(figures::mutation_against_coverage(results, &mutation));
            }
            None => s.items.push(Item::Lacks(
                "Mutation scores: need a study with mutation analysis (mutation = true).",
            )),
        }
        sections.push(s);

        let mut s = begin("cost", "Time and cost");
        let speed = Speed::all(results)?;
        s.sheet(sheets::cost(results));
        s.either(
            figures::execution_times(results),
            "Test execution time: needs runs that know theirs.",
        );
        s.either(
            figures::acceleration(results, &speed),
            "Acceleration: needs runs that count steps.",
        );
        s.sheet(sheets::speed(results, &speed));
        let machines = Machine::all(results)?;
        s.figures(figures::machines(&machines));
        s.sheet(sheets::machines(&machines));
        sections.push(s);

        let mut s = begin("missing", "What is missing");
        let missing = sheets::missing(results);
        if missing.table.rows().is_empty() {
            s.items.push(Item::Lacks("Nothing: every planned run has a coverage."));
        }
        s.sheet(missing);
        sections.push(s);

        Ok(Report { title: title.to_owned(), results, sections })
    }

    /// All tables.
    pub fn sheets(&self) -> impl Iterator<Item = &Sheet> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Sheet(sheet) => Some(sheet),
            _ => None,
        })
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
            Item::Figure(figure) => Some(figure),
            _ => None,
        })
    }

    /// Writes `report.html`, `tables/NAME.csv`, `.md` and `.tex`, and `figures/NAME.svg` into
    /// a folder, which is created; gives the page's path.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, dir: &Path) -> Result<PathBuf, Error> {
        let write = |path: PathBuf, content: &[u8]| {
            fs::write(&path, content).map_err(|source| Error::Io { path: path.clone(), source })?;
            Ok(path)
        };
        let (tables, pictures) = (dir.join("tables"), dir.join("figures"));
        for path in [&tables, &pictures] {
            fs::create_dir_all(path).map_err(|source| Error::Io { path: path.clone(), source })?;
        }
        for Sheet { name, title, caption, table } in self.sheets() {
            let path = |kind: &str| tables.join(name).with_extension(kind);
            let csv = table.csv().map_err(|e| Error::Io { path: path("csv"), source: e.into() })?;
            write(path("csv"), &csv)?;
            let text = format!("**{title}.** {caption}\n\n{}", table.markdown());
            write(path("md"), text.as_bytes())?;
            let caption = format!("{title}. {caption}");
            write(path("tex"), table.latex(name, caption.trim_end()).as_bytes())?;
        }
        for figure in self.figures() {
            write(pictures.join(&figure.name).with_extension("svg"), figure.svg.as_bytes())?;
        }
        write(dir.join("report.html"), html::page(self).as_bytes())
    }
}
