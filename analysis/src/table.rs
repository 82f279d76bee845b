//! Tables whose cells have a rounded form for display and a raw form with all digits.

mod latex;

pub use latex::{InvalidLatexWidth, LatexWidth};

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// An integer.
    Count(usize),
    /// A number, displayed with at most this number of decimals.
    Number(f64, usize),
    /// A share, displayed as a percentage with at most this number of decimals.
    Share(f64, usize),
    /// A missing value.
    Missing,
}

impl Cell {
    /// Returns a number, or [`Cell::Missing`] for `None`.
    pub fn number(value: Option<f64>, decimals: usize) -> Cell {
        value.map_or(Cell::Missing, |v| Cell::Number(v, decimals))
    }

    /// Returns a share, or [`Cell::Missing`] for `None`.
    pub fn share(value: Option<f64>, decimals: usize) -> Cell {
        value.map_or(Cell::Missing, |v| Cell::Share(v, decimals))
    }

    /// Returns the rounded form for display.
    pub fn display(&self) -> String {
        match self {
            // Line breaks would end the row.
            Cell::Text(text) => text.replace(char::is_control, " "),
            Cell::Count(n) => n.to_string(),
            Cell::Number(value, decimals) => rounded(*value, *decimals),
            Cell::Share(value, decimals) => format!("{} %", rounded(value * 100.0, *decimals)),
            Cell::Missing => "n/a".to_owned(),
        }
    }

    /// Returns the number with all digits; `None` for text and missing values.
    pub fn value(&self) -> Option<f64> {
        match self {
            Cell::Count(n) => Some(*n as f64),
            Cell::Number(value, _) | Cell::Share(value, _) => Some(*value),
            Cell::Text(_) | Cell::Missing => None,
        }
    }

    /// Returns the form in CSV files, with all digits. A missing value is empty.
    pub fn raw(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(n) => n.to_string(),
            Cell::Number(value, _) | Cell::Share(value, _) => value.to_string(),
            Cell::Missing => String::new(),
        }
    }
}

/// Formats a number with at most this many decimals. A small positive number is shown as less than
/// the smallest positive number with these decimals.
fn rounded(value: f64, decimals: usize) -> String {
    let decimals = if value.abs() >= 1e4 { 0 } else { decimals };
    let least = libm::pow(10.0, -(decimals as f64));
    if value > 0.0 && value < least / 2.0 {
        format!("<{least:.decimals$}")
    } else {
        // A rounded number must not be -0.
        let value = if value.abs() < least / 2.0 { 0.0 } else { value };
        format!("{value:.decimals$}")
    }
}

/// In characters.
const LINE_WIDTH: usize = 100;

const GAP: usize = 2;

/// A table. Each column has a name for files and addresses and a title for display.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<(String, String)>,
    rows: Vec<Vec<Cell>>,
    /// Source runs of rows (`None`) and of cells (`Some(column)`).
    source_runs: BTreeMap<(usize, Option<usize>), Vec<u32>>,
}

impl Table {
    /// Returns an empty table with columns of these names and titles.
    pub fn new<N: AsRef<str>, T: AsRef<str>>(columns: &[(N, T)]) -> Table {
        let owned = |(name, title): &(N, T)| (name.as_ref().to_owned(), title.as_ref().to_owned());
        let columns = columns.iter().map(owned).collect();
        Table { columns, rows: Vec::new(), source_runs: BTreeMap::new() }
    }

    /// Adds a row. Surplus cells are dropped, and missing cells are filled with [`Cell::Missing`].
    pub fn push(&mut self, mut row: Vec<Cell>) {
        row.resize(self.columns.len(), Cell::Missing);
        self.rows.push(row);
    }

    /// Adds a row whose numbers were computed from these runs, given as indices into
    /// [`Results::runs`](crate::tidy::Results::runs).
    pub fn push_with_runs(&mut self, row: Vec<Cell>, runs: impl IntoIterator<Item = u32>) {
        self.source_runs.insert((self.rows.len(), None), runs.into_iter().collect());
        self.push(row);
    }

    /// Sets the runs from which a cell of the last row was computed, in place of the runs of the
    /// row.
    pub fn set_source_runs(&mut self, column: &str, runs: impl IntoIterator<Item = u32>) {
        let column = self.columns.iter().position(|c| c.0 == column);
        if let (Some(row), Some(column)) = (self.rows.len().checked_sub(1), column) {
            self.source_runs.insert((row, Some(column)), runs.into_iter().collect());
        }
    }

    /// Returns the runs set for a cell, otherwise the runs set for the row.
    pub fn source_runs(&self, row: usize, column: usize) -> &[u32] {
        self.source_runs_of_cell(row, column).unwrap_or_else(|| self.source_runs_of_row(row))
    }

    /// Returns the runs set for a row.
    pub fn source_runs_of_row(&self, row: usize) -> &[u32] {
        self.source_runs.get(&(row, None)).map_or(&[], Vec::as_slice)
    }

    /// Returns the runs set for a cell; `None` if the runs of the row apply.
    pub fn source_runs_of_cell(&self, row: usize, column: usize) -> Option<&[u32]> {
        self.source_runs.get(&(row, Some(column))).map(Vec::as_slice)
    }

    /// Returns the name and title of each column.
    pub fn columns(&self) -> &[(String, String)] {
        &self.columns
    }

    /// Returns the rows, each with a cell for every column.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Formats the table for the terminal, with text aligned to the left and numbers to the right.
    pub fn text(&self) -> String {
        let (mut cells, mut widths) = self.displayed_cells(str::to_owned);
        let are_text = self.which_are_text();
        if widths.iter().map(|width| width + GAP).sum::<usize>() > LINE_WIDTH + GAP {
            (cells, widths) = with_broken_headings(&cells);
        }
        let mut text = String::new();
        for row in &cells {
            let mut line = String::new();
            for (i, cell) in row.iter().enumerate() {
                let width = widths[i];
                let padded =
                    if are_text[i] { format!("{cell:width$}") } else { format!("{cell:>width$}") };
                line.push_str(&" ".repeat(if i == 0 { 0 } else { GAP }));
                line.push_str(&padded);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// Clears the chosen columns, and returns whether any cells were cleared.
    pub(crate) fn clear_columns(&mut self, clear: impl Fn(&str) -> bool) -> bool {
        let chosen: Vec<usize> =
            (0..self.columns.len()).filter(|&column| clear(&self.columns[column].0)).collect();
        for row in &mut self.rows {
            for &column in &chosen {
                row[column] = Cell::Missing;
            }
        }
        !chosen.is_empty() && !self.rows.is_empty()
    }

    pub(crate) fn has_values(&self) -> bool {
        let mut cells = self.rows.iter().flatten();
        let is_value = |cell: &Cell| cell.value().is_some();
        let has_numbers =
            |column| self.rows.iter().any(|row| !matches!(row[column], Cell::Text(_)));
        cells.any(is_value) || !(0..self.columns.len()).any(has_numbers)
    }

    /// Returns a table of the columns with these names, in this order, without source runs.
    #[must_use]
    pub fn selected(&self, names: &[&str]) -> Table {
        let at = |name: &&str| self.columns.iter().position(|column| column.0 == *name);
        let chosen: Vec<usize> = names.iter().filter_map(at).collect();
        let columns: Vec<_> = chosen.iter().map(|&column| self.columns[column].clone()).collect();
        let mut table = Table::new(&columns);
        for row in &self.rows {
            table.push(chosen.iter().map(|&column| row[column].clone()).collect());
        }
        table
    }

    /// Returns the table in Markdown. The columns are also aligned in the source.
    pub fn markdown(&self) -> String {
        let (cells, widths) = self.displayed_cells(|cell| cell.replace('|', "\\|"));
        let are_text = self.which_are_text();
        let mut text = String::new();
        for (number, row) in cells.iter().enumerate() {
            for (i, cell) in row.iter().enumerate() {
                let width = widths[i];
                let _ = if are_text[i] {
                    write!(text, "| {cell:width$} ")
                } else {
                    write!(text, "| {cell:>width$} ")
                };
            }
            text.push_str("|\n");
            if number == 0 {
                for (i, width) in widths.iter().enumerate() {
                    let (left, right) = if are_text[i] { (':', '-') } else { ('-', ':') };
                    let _ = write!(text, "|{left}{}{right}", "-".repeat(*width));
                }
                text.push_str("|\n");
            }
        }
        text
    }

    /// Returns comma-separated values with a header line. Missing values are empty.
    ///
    /// # Errors
    /// [`csv::Error`] if a row cannot be encoded.
    pub fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|c| &c.0))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::raw))?;
        }
        writer.into_inner().map_err(|e| e.into_error().into())
    }

    /// Returns comma-separated values for spreadsheets: text that could be a formula is prefixed
    /// with an apostrophe.
    ///
    /// # Errors
    /// [`csv::Error`] if a row cannot be encoded.
    pub fn spreadsheet(&self) -> Result<Vec<u8>, csv::Error> {
        let mut safe = self.clone();
        for cell in safe.rows.iter_mut().flatten() {
            if let Cell::Text(text) = cell
                && text.starts_with(['=', '+', '-', '@', '\t', '\r'])
            {
                text.insert(0, '\'');
            }
        }
        safe.csv()
    }

    /// Returns an object for each row, with the cells by column name. Missing and non-finite values
    /// are `null`.
    pub fn json(&self) -> Vec<Map<String, Value>> {
        let value = |cell: &Cell| match cell {
            Cell::Text(text) => Value::from(text.as_str()),
            Cell::Count(n) => Value::from(*n),
            Cell::Number(number, _) | Cell::Share(number, _) => Value::from(*number),
            Cell::Missing => Value::Null,
        };
        let row = |row: &Vec<Cell>| {
            let cells = self.columns.iter().zip(row);
            cells.map(|((name, _), cell)| (name.clone(), value(cell))).collect()
        };
        self.rows.iter().map(row).collect()
    }

    /// Returns the indices of the displayed columns, which are all columns except digests.
    pub fn shown(&self) -> Vec<usize> {
        (0..self.columns.len())
            .filter(|&column| !self.columns[column].0.ends_with("digest"))
            .collect()
    }

    fn which_are_text(&self) -> Vec<bool> {
        self.shown().into_iter().map(|column| self.has_text_cells(column)).collect()
    }

    /// Whether a column contains text cells.
    pub fn has_text_cells(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[column], Cell::Text(_)))
    }

    fn displayed_cells(&self, escape: impl Fn(&str) -> String) -> (Vec<Vec<String>>, Vec<usize>) {
        let shown = self.shown();
        let of = |cell: &dyn Fn(usize) -> String| -> Vec<String> {
            shown.iter().map(|&column| escape(&cell(column))).collect()
        };
        let mut cells = vec![of(&|column| self.columns[column].1.clone())];
        cells.extend(self.rows.iter().map(|row| of(&|column| row[column].display())));
        let widths = (0..shown.len())
            .map(|i| cells.iter().map(|row| row[i].chars().count()).max().unwrap_or(0))
            .collect();
        (cells, widths)
    }
}

/// `cells` begins with the headings. Returns the rows and the widths.
fn with_broken_headings(cells: &[Vec<String>]) -> (Vec<Vec<String>>, Vec<usize>) {
    let length = |text: &str| text.chars().count();
    let (headings, rows) = cells.split_first().map_or((&[][..], &[][..]), |(h, r)| (&**h, r));
    let widths: Vec<usize> = (0..headings.len())
        .map(|i| {
            let words = headings[i].split(' ').map(length);
            rows.iter().map(|row| length(&row[i])).chain(words).max().unwrap_or(0)
        })
        .collect();
    let broken: Vec<Vec<String>> = headings
        .iter()
        .zip(&widths)
        .map(|(heading, width)| {
            let mut lines: Vec<String> = Vec::new();
            for word in heading.split(' ') {
                match lines.last_mut() {
                    Some(line) if length(line) + 1 + length(word) <= *width => {
                        line.push(' ');
                        line.push_str(word);
                    }
                    _ => lines.push(word.to_owned()),
                }
            }
            lines
        })
        .collect();
    let height = broken.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| -> Vec<String> {
        let part = |lines: &Vec<String>| {
            let blank = height - lines.len();
            number.checked_sub(blank).map(|at| lines[at].clone()).unwrap_or_default()
        };
        broken.iter().map(part).collect()
    };
    ((0..height).map(line).chain(rows.iter().cloned()).collect(), widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[("name", "Name"), ("mean", "Mean"), ("n", "n")]);
        table.push(vec![Cell::Text("mio | 2".into()), Cell::Share(0.955_449, 2), Cell::Count(7)]);
        table.push(vec![Cell::Text("a, b".into()), Cell::Missing, Cell::Count(12)]);
        table
    }

    #[test]
    fn text_and_markdown_are_aligned() {
        let text = "Name        Mean   n\nmio | 2  95.54 %   7\na, b         n/a  12\n";
        assert_eq!(table().text(), text);
        let markdown = "\
| Name     |    Mean |  n |
|:---------|--------:|---:|
| mio \\| 2 | 95.54 % |  7 |
| a, b     |     n/a | 12 |
";
        assert_eq!(table().markdown(), markdown);
    }

    #[test]
    fn headings_are_broken_in_wide_tables() {
        let long = "x".repeat(90);
        let columns = [("name", "Name"), ("n", "Runs of it"), ("left_out", "n"), ("s", "Sum")];
        let mut table = Table::new(&columns);
        table.push(vec![Cell::Text(long.clone()), Cell::Count(3), Cell::Count(4), Cell::Count(5)]);
        let pad = " ".repeat(86);
        let expected = format!(
            "{blank}  Runs\n{blank}    of\nName{pad}    it  Sum\n{long}     3    5\n",
            blank = " ".repeat(90)
        );
        assert_eq!(table.selected(&["name", "n", "s"]).text(), expected);
    }

    #[test]
    fn cells_have_their_source_runs() {
        let mut table = Table::new(&[("n", "n"), ("better", "Better")]);
        table.push_with_runs(vec![Cell::Count(3), Cell::Count(1)], [4, 5, 6]);
        table.set_source_runs("better", [5]);
        table.push(vec![Cell::Count(0)]);
        assert_eq!((table.source_runs(0, 0), table.source_runs(0, 1)), (&[4, 5, 6][..], &[5][..]));
        assert!(table.source_runs(1, 0).is_empty());
    }

    #[test]
    fn spreadsheets_get_no_formulas() {
        let mut table = Table::new(&[("name", "Name"), ("n", "n")]);
        for name in ["=1+1", "@a", "-b", "+c", "d-e"] {
            table.push(vec![Cell::Text(name.into()), Cell::Number(-1.5, 1)]);
        }
        let csv = String::from_utf8(table.spreadsheet().unwrap()).unwrap();
        assert_eq!(csv, "name,n\n'=1+1,-1.5\n'@a,-1.5\n'-b,-1.5\n'+c,-1.5\nd-e,-1.5\n");
    }

    #[test]
    fn csv_has_every_digit() {
        let csv = String::from_utf8(table().csv().unwrap()).unwrap();
        assert_eq!(csv, "name,mean,n\nmio | 2,0.955449,7\n\"a, b\",,12\n");
    }
}
