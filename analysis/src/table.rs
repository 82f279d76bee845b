//! Tables for people and for programs, from the same cells.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A cell; what people see of a number is rounded, what programs see is not.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// How many.
    Count(usize),
    /// A number and its decimals for people.
    Number(f64, usize),
    /// A share, shown to people as a percentage with so many decimals.
    Share(f64, usize),
    /// Not available.
    Missing,
}

impl Cell {
    /// A number that may not be available.
    pub fn number(value: Option<f64>, decimals: usize) -> Cell {
        value.map_or(Cell::Missing, |v| Cell::Number(v, decimals))
    }

    /// A share that may not be available.
    pub fn share(value: Option<f64>, decimals: usize) -> Cell {
        value.map_or(Cell::Missing, |v| Cell::Share(v, decimals))
    }

    /// What people see.
    pub fn for_people(&self) -> String {
        match self {
            // A line break would end a row of a table.
            Cell::Text(text) => text.replace(char::is_control, " "),
            Cell::Count(n) => n.to_string(),
            Cell::Number(value, decimals) => rounded(*value, *decimals),
            Cell::Share(value, decimals) => format!("{} %", rounded(value * 100.0, *decimals)),
            Cell::Missing => "n/a".to_owned(),
        }
    }

    /// The number that it is, if it is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Cell::Count(n) => Some(*n as f64),
            Cell::Number(value, _) | Cell::Share(value, _) => Some(*value),
            Cell::Text(_) | Cell::Missing => None,
        }
    }

    /// What programs see: every digit, and nothing where it is missing.
    pub fn for_programs(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(n) => n.to_string(),
            Cell::Number(value, _) | Cell::Share(value, _) => value.to_string(),
            Cell::Missing => String::new(),
        }
    }
}

/// A number for people. A p-value that is not zero is not shown as if it were.
fn rounded(value: f64, decimals: usize) -> String {
    // Five digits are enough.
    let decimals = if value.abs() >= 1e4 { 0 } else { decimals };
    let least = libm::pow(10.0, -(decimals as f64));
    if value > 0.0 && value < least / 2.0 {
        format!("<{least:.decimals$}")
    } else {
        format!("{value:.decimals$}")
    }
}

/// A table: its columns have a name for programs and a title for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<(&'static str, &'static str)>,
    rows: Vec<Vec<Cell>>,
    /// The runs behind a row (no column) or one of its cells.
    behind: BTreeMap<(usize, Option<usize>), Vec<u32>>,
}

impl Table {
    /// An empty table with columns of these names and titles.
    pub fn new(columns: &[(&'static str, &'static str)]) -> Table {
        Table { columns: columns.to_vec(), rows: Vec::new(), behind: BTreeMap::new() }
    }

    /// Adds a row; cells without a column are left out, columns without a cell are
    /// missing.
    pub fn push(&mut self, mut row: Vec<Cell>) {
        row.resize(self.columns.len(), Cell::Missing);
        self.rows.push(row);
    }

    /// Adds a row whose numbers come from these runs: indices into
    /// [`Results::runs`](crate::tidy::Results::runs).
    pub fn push_explained(&mut self, row: Vec<Cell>, runs: impl IntoIterator<Item = u32>) {
        self.behind.insert((self.rows.len(), None), runs.into_iter().collect());
        self.push(row);
    }

    /// Says which runs are behind one cell of the row added last.
    pub fn explain(&mut self, column: &str, runs: impl IntoIterator<Item = u32>) {
        let column = self.columns.iter().position(|c| c.0 == column);
        if let (Some(row), Some(column)) = (self.rows.len().checked_sub(1), column) {
            self.behind.insert((row, Some(column)), runs.into_iter().collect());
        }
    }

    /// The runs behind a cell: its own, else those of its row. Empty for what no run is
    /// behind, as names and projects that were skipped.
    pub fn runs_behind(&self, row: usize, column: usize) -> &[u32] {
        self.runs_of_cell(row, column).unwrap_or_else(|| self.runs_of_row(row))
    }

    /// The runs behind a row, but for the cells that have their own.
    pub fn runs_of_row(&self, row: usize) -> &[u32] {
        self.behind.get(&(row, None)).map_or(&[], Vec::as_slice)
    }

    /// The runs behind a cell, if they are not those of its row.
    pub fn runs_of_cell(&self, row: usize, column: usize) -> Option<&[u32]> {
        self.behind.get(&(row, Some(column))).map(Vec::as_slice)
    }

    /// Names for programs and titles for people of the columns.
    pub fn columns(&self) -> &[(&'static str, &'static str)] {
        &self.columns
    }

    /// The rows, each with a cell for every column.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Aligned text for the terminal: words to the left, numbers to the right.
    pub fn text(&self) -> String {
        let (cells, widths) = self.laid_out(str::to_owned);
        let words = self.words_shown();
        let mut text = String::new();
        for row in &cells {
            let mut line = String::new();
            for (i, cell) in row.iter().enumerate() {
                let width = widths[i];
                let gap = if i == 0 { "" } else { "  " };
                let padded =
                    if words[i] { format!("{cell:width$}") } else { format!("{cell:>width$}") };
                line.push_str(gap);
                line.push_str(&padded);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// A Markdown table, aligned in its source as well.
    pub fn markdown(&self) -> String {
        let (cells, widths) = self.laid_out(|cell| cell.replace('|', "\\|"));
        let words = self.words_shown();
        let mut text = String::new();
        for (number, row) in cells.iter().enumerate() {
            for (i, cell) in row.iter().enumerate() {
                let width = widths[i];
                let _ = if words[i] {
                    write!(text, "| {cell:width$} ")
                } else {
                    write!(text, "| {cell:>width$} ")
                };
            }
            text.push_str("|\n");
            if number == 0 {
                for (i, width) in widths.iter().enumerate() {
                    let (left, right) = if words[i] { (':', '-') } else { ('-', ':') };
                    let _ = write!(text, "|{left}{}{right}", "-".repeat(*width));
                }
                text.push_str("|\n");
            }
        }
        text
    }

    /// Comma-separated values with a header line; what is missing is empty.
    pub fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|c| c.0))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::for_programs))?;
        }
        writer.into_inner().map_err(|e| e.into_error().into())
    }

    /// A LaTeX table with the rules of `booktabs`, with a caption and the label `tab:NAME`; a
    /// `longtable` if it does not fit a page.
    pub fn latex(&self, name: &str, caption: &str) -> String {
        const PAGE: usize = 40;
        let columns: String =
            self.words_shown().into_iter().map(|words| if words { 'l' } else { 'r' }).collect();
        let (cells, _) = self.laid_out(latex);
        let lines: Vec<String> =
            cells.iter().map(|cells| format!("{} \\\\\n", cells.join(" & "))).collect();
        let (head, rows) = lines.split_at(1);
        let (head, rows) = (head.concat(), rows.concat());
        let head = format!("\\toprule\n{head}\\midrule\n");
        let title = format!("\\caption{{{}}}\\label{{tab:{name}}}", latex(caption));
        if self.rows.len() > PAGE {
            format!(
                "\\begin{{longtable}}{{{columns}}}\n{title}\\\\\n{head}\\endfirsthead\n\
                 {head}\\endhead\n\\bottomrule\n\\endfoot\n{rows}\\end{{longtable}}\n"
            )
        } else {
            format!(
                "\\begin{{table}}\n\\centering\n{title}\n\\begin{{tabular}}{{{columns}}}\n\
                 {head}{rows}\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
            )
        }
    }

    /// The columns that people see: digests are for programs.
    pub fn shown(&self) -> Vec<usize> {
        (0..self.columns.len())
            .filter(|&column| !self.columns[column].0.ends_with("digest"))
            .collect()
    }

    /// Whether each column that people see holds words.
    fn words_shown(&self) -> Vec<bool> {
        self.shown().into_iter().map(|column| self.words(column)).collect()
    }

    /// Whether a column holds words.
    pub fn words(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[column], Cell::Text(_)))
    }

    /// The header and all rows as people see them, and the width of each column.
    fn laid_out(&self, escape: impl Fn(&str) -> String) -> (Vec<Vec<String>>, Vec<usize>) {
        let shown = self.shown();
        let of = |cell: &dyn Fn(usize) -> String| -> Vec<String> {
            shown.iter().map(|&column| escape(&cell(column))).collect()
        };
        let mut cells = vec![of(&|column| self.columns[column].1.to_owned())];
        cells.extend(self.rows.iter().map(|row| of(&|column| row[column].for_people())));
        let widths = (0..shown.len())
            .map(|i| cells.iter().map(|row| row[i].chars().count()).max().unwrap_or(0))
            .collect();
        (cells, widths)
    }
}

/// Text as LaTeX writes it, without packages for Unicode.
fn latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for (place, letter) in text.chars().enumerate() {
        match letter {
            // At the start of a row these would be arguments of the line break before it.
            '[' | '*' if place == 0 => escaped.extend(['{', letter, '}']),
            // Two hyphens would be a dash.
            '-' if before == '-' => escaped.push_str("{}-"),
            '|' => escaped.push_str("\\textbar{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', letter]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("$<$"),
            '>' => escaped.push_str("$>$"),
            'χ' => escaped.push_str("$\\chi$"),
            'ρ' => escaped.push_str("$\\rho$"),
            '²' => escaped.push_str("$^2$"),
            '×' => escaped.push_str("$\\times$"),
            letter => escaped.push(letter),
        }
        before = letter;
    }
    escaped
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
    fn people_see_aligned_columns() {
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
    fn a_cell_knows_its_runs() {
        let mut table = Table::new(&[("n", "n"), ("better", "Better")]);
        table.push_explained(vec![Cell::Count(3), Cell::Count(1)], [4, 5, 6]);
        table.explain("better", [5]);
        table.push(vec![Cell::Count(0)]);
        assert_eq!((table.runs_behind(0, 0), table.runs_behind(0, 1)), (&[4, 5, 6][..], &[5][..]));
        assert!(table.runs_behind(1, 0).is_empty());
    }

    #[test]
    fn papers_see_booktabs() {
        let latex = table().latex("means", "50 % of χ²");
        let expected = "\\begin{table}\n\\centering\n\\caption{50 \\% of $\\chi$$^2$}\\label{tab:means}\n\
                        \\begin{tabular}{lrr}\n\\toprule\nName & Mean & n \\\\\n\\midrule\n\
                        mio \\textbar{} 2 & 95.54 \\% & 7 \\\\\na, b & n/a & 12 \\\\\n\\bottomrule\n\
                        \\end{tabular}\n\\end{table}\n";
        assert_eq!(latex, expected);
        assert_eq!(super::latex("a_b\\"), "a\\_b\\textbackslash{}");
        assert_eq!(super::latex("[a]--b---c*"), "{[}a]-{}-b-{}-{}-c*");
    }

    /// What a name may hold: every row has as many cells as the table has columns, every brace
    /// is closed and nothing is left that means something to TeX.
    #[test]
    fn latex_survives_any_name() {
        let nasty = "[*] 50 % of a_b & c # $x^2$ {~} \\end{tabular} <i> | --- \"q\"\n";
        let mut table = table();
        table.push(vec![Cell::Text(nasty.to_owned()), Cell::Count(1), Cell::Count(2)]);
        for rows in [3, 60] {
            while table.rows().len() < rows {
                table.push(vec![Cell::Text(nasty.to_owned()), Cell::Missing, Cell::Count(2)]);
            }
            let latex = table.latex("nasty", nasty);
            let kind = if rows > 40 { "longtable" } else { "tabular" };
            assert_eq!(latex.matches(&format!("\\end{{{kind}}}")).count(), 1);
            let lines: Vec<&str> = latex.lines().filter(|line| line.contains(" & ")).collect();
            // A table of several pages has its header twice: for the first and for the others.
            assert_eq!(lines.len(), if rows > 40 { rows + 2 } else { rows + 1 });
            for line in lines {
                let row = line.strip_suffix(" \\\\").unwrap();
                assert!(!row.starts_with(['[', '*']), "{row}");
                let mut plain = row.to_owned();
                let words = ["textbackslash", "textasciitilde", "textasciicircum", "textbar"];
                for word in words.map(|word| format!("\\{word}{{}}")) {
                    plain = plain.replace(&word, "");
                }
                for letter in "&%$#_{}".chars() {
                    plain = plain.replace(&format!("\\{letter}"), "");
                }
                plain = plain.replace("$<$", "").replace("$>$", "");
                assert_eq!(plain.matches('&').count(), 2, "{row}");
                assert_eq!(plain.matches('{').count(), plain.matches('}').count(), "{row}");
                assert!(!plain.contains(['%', '$', '#', '_', '^', '~', '\\']), "{row}");
            }
        }
    }

    #[test]
    fn programs_see_every_digit() {
        let csv = String::from_utf8(table().csv().unwrap()).unwrap();
        assert_eq!(csv, "name,mean,n\nmio | 2,0.955449,7\n\"a, b\",,12\n");
    }
}
