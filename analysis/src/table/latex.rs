//! Tables in LaTeX for papers with one or two columns.

mod text;
mod width;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Table;
use text::{breakable, escaped, width_of};
pub use width::{InvalidLatexWidth, LatexWidth};

/// Width in points that fits a column of common two-column classes.
const COLUMN: f64 = 241.0;
/// Width in points that fits a page of common classes.
const PAGE: f64 = 345.0;
const GAP: f64 = 6.0;
/// Maximum share of the width for the first text columns of a row together.
const MAX_NAMES: f64 = 0.5;
const MAX_TEXT: f64 = 0.4;
const MAX_REPEATED: usize = 4;
/// Maximum share of the width for the repeated columns, if these include numbers.
const MAX_REPEATED_SHARE: f64 = 0.65;
/// Number of parts above which a table may span both columns.
const MAX_PARTS: usize = 2;
/// Maximum number of lines of a table that is not broken between pages, including headings and the
/// note.
const MAX_LINES: usize = 40;
/// Maximum number of lines of the rows in a piece of a table that is broken between pages, unless a
/// single row has more lines.
const PIECE: usize = 18;

struct Column {
    heading: Vec<String>,
    cells: Vec<String>,
    is_text: bool,
    width: f64,
    /// Whether the cells are paragraphs, because some are wider than the column.
    is_paragraph: bool,
}

impl Column {
    fn new(heading: &str, cells: Vec<String>, is_text: bool, most: f64) -> Column {
        let body = cells.iter().map(|cell| width_of(cell)).fold(0.0, f64::max);
        let is_paragraph = is_text && body > most;
        let body = if is_paragraph { most } else { body };
        let longest = heading.split(' ').map(width_of).fold(body, f64::max);
        let mut lines: Vec<String> = Vec::new();
        for word in heading.split(' ') {
            match lines.last_mut() {
                Some(line) if width_of(&format!("{line} {word}")) <= longest => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        Column { heading: lines, cells, is_text, width: longest, is_paragraph }
    }

    fn format(&self) -> String {
        match (self.is_paragraph, self.is_text) {
            (true, _) => format!("p{{{:.1}pt}}", self.width),
            (false, true) => "l".to_owned(),
            (false, false) => "r".to_owned(),
        }
    }

    fn heading(&self) -> String {
        match &self.heading[..] {
            [line] => escaped(line),
            lines => {
                let side = if self.is_text { 'l' } else { 'r' };
                let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
                format!("\\shortstack[{side}]{{{}}}", lines.join("\\\\"))
            }
        }
    }

    fn lines(&self, row: usize) -> usize {
        // Lines broken between words are shorter than the column.
        let lines = 1.5 * width_of(&self.cells[row]) / self.width.max(1.0);
        if self.is_paragraph { lines.ceil() as usize } else { 1 }
    }

    fn cell(&self, row: usize) -> String {
        let text = &self.cells[row];
        if self.is_paragraph {
            format!("\\raggedright {}", breakable(text, self.width))
        } else {
            escaped(text)
        }
    }
}

struct Layout {
    columns: Vec<Column>,
    parts: Vec<Vec<usize>>,
    width: f64,
}

impl Layout {
    fn new(table: &Table, width: f64) -> Layout {
        let columns = table.latex_columns(width);
        let parts = parts(&columns, repeated(&columns, width), width);
        Layout { columns, parts, width }
    }

    fn of(table: &Table, width: LatexWidth) -> Layout {
        match width {
            LatexWidth::Points(points) => Layout::new(table, points),
            LatexWidth::Text => Layout::new(table, PAGE),
            LatexWidth::Column => {
                let narrow = Layout::new(table, COLUMN);
                let wide = Layout::new(table, PAGE);
                let splits = narrow.parts.len() > MAX_PARTS || narrow.is_wide();
                if splits && wide.parts.len() < narrow.parts.len() { wide } else { narrow }
            }
        }
    }

    fn is_wide(&self) -> bool {
        self.parts.iter().any(|part| width_of_part(&self.columns, part) > self.width)
    }

    fn spans(&self) -> bool {
        self.width > COLUMN + 15.0
    }

    fn lines(&self, part: &[usize], row: usize) -> usize {
        part.iter().map(|&column| self.columns[column].lines(row)).max().unwrap_or(1)
    }
}

impl Table {
    /// Returns the table in LaTeX, with the rules of `booktabs`, a caption, a note and the label
    /// `tab:NAME`. A long table does not float, because it might not fit on a page.
    pub fn latex(&self, name: &str, caption: &str, note: &str, width: LatexWidth) -> String {
        let rows = self.rows.len();
        let mut layout = Layout::of(self, width);
        let lines = |layout: &Layout| -> usize {
            let of = |part: &Vec<usize>| {
                let heading = |&column: &usize| layout.columns[column].heading.len();
                let body = (0..rows).map(|row| layout.lines(part, row)).sum::<usize>();
                part.iter().map(heading).max().unwrap_or(1) + body
            };
            let note = (0.8 * width_of(note) / layout.width).ceil() as usize;
            layout.parts.iter().map(of).sum::<usize>() + note
        };
        let is_long = lines(&layout) > MAX_LINES;
        if is_long && width == LatexWidth::Column {
            layout = Layout::new(self, COLUMN);
        }
        let title = format!("\\caption{{{}}}\\label{{tab:{name}}}\n", escaped(caption));
        let note = match note {
            "" => String::new(),
            note => format!(
                "\\par\\smallskip\n\\begin{{minipage}}{{\\linewidth}}\\raggedright\\scriptsize\n\
                 {}\n\\end{{minipage}}\n",
                breakable(note, COLUMN / 2.0)
            ),
        };
        let style = "\\footnotesize\\setlength{\\tabcolsep}{3pt}";
        let mut text = String::from("% Packages: booktabs\n");
        if is_long {
            // A table that does not float can span both columns only on separate pages.
            let (open, close) = if layout.spans() {
                (
                    "\\makeatletter\\if@twocolumn\\onecolumn\\def\\aftertable{\\twocolumn}\
                     \\else\\def\\aftertable{}\\fi\\makeatother\n",
                    "\\aftertable\n",
                )
            } else {
                ("", "")
            };
            // The caption stays on the page of the first piece.
            let _ = write!(
                text,
                "{open}\\begingroup\\raggedbottom\n\\par\\bigskip\\centering{style}\n\
                 \\begin{{minipage}}{{\\linewidth}}\\centering{style}\n\
                 {{\\makeatletter\\def\\@captype{{table}}\\makeatother\n{title}}}\n"
            );
            let mut end = "\n\\end{minipage}";
            for part in &layout.parts {
                let mut from = 0;
                while from < rows {
                    let mut to = from;
                    let mut high = 0;
                    while to < rows && (to == from || high + layout.lines(part, to) <= PIECE) {
                        high += layout.lines(part, to);
                        to += 1;
                    }
                    let piece = tabular(&layout, part, from..to);
                    let _ = writeln!(text, "\\par\\smallskip\n{piece}{end}");
                    end = "";
                    from = to;
                }
            }
            let _ = write!(text, "{note}\\par\\bigskip\n\\endgroup\n{close}");
        } else {
            let environment = if layout.spans() { "table*" } else { "table" };
            let _ = write!(text, "\\begin{{{environment}}}\n\\centering{style}\n{title}");
            for (number, part) in layout.parts.iter().enumerate() {
                let gap = if number == 0 { "" } else { "\\par\\medskip\n" };
                let _ = writeln!(text, "{gap}{}", tabular(&layout, part, 0..rows));
            }
            let _ = writeln!(text, "{note}\\end{{{environment}}}");
        }
        text
    }

    fn latex_columns(&self, width: f64) -> Vec<Column> {
        let shown = self.shown();
        let names =
            shown.iter().take_while(|&&column| self.has_text_cells(column)).count().clamp(1, 3);
        let column = |(at, &column): (usize, &usize)| {
            let cells = self.rows.iter().map(|row| row[column].display()).collect();
            let most = if at < names { width * MAX_NAMES / names as f64 } else { width * MAX_TEXT };
            Column::new(&self.columns[column].1, cells, self.has_text_cells(column), most)
        };
        shown.iter().enumerate().map(column).collect()
    }
}

/// Counts the first text columns, and number columns that distinguish rows, such as a budget.
fn repeated(columns: &[Column], width: f64) -> usize {
    let names = columns.iter().take_while(|column| column.is_text).count().min(3);
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let are_distinct = |count: usize| {
        let row = |row: usize| columns[..count].iter().map(|c| &c.cells[row]).collect::<Vec<_>>();
        (0..rows).map(row).collect::<BTreeSet<_>>().len() == rows
    };
    let fits = |count: usize| {
        let of_part: Vec<usize> = (0..count).collect();
        width_of_part(columns, &of_part) <= width * MAX_REPEATED_SHARE
    };
    let most = MAX_REPEATED.min(columns.len());
    let more = (names..=most).take_while(|&count| count == names || fits(count));
    more.into_iter().find(|&count| are_distinct(count)).unwrap_or(names)
}

fn width_of_part(columns: &[Column], part: &[usize]) -> f64 {
    part.iter().map(|&column| columns[column].width + GAP).sum::<f64>() - GAP
}

/// Each part contains the first `names` columns and as many of the others as fit.
fn parts(columns: &[Column], names: usize, width: f64) -> Vec<Vec<usize>> {
    let repeated: Vec<usize> = (0..names).collect();
    let mut parts: Vec<Vec<usize>> = vec![repeated.clone()];
    for column in names..columns.len() {
        let last = parts.len() - 1;
        parts[last].push(column);
        if width_of_part(columns, &parts[last]) > width && parts[last].len() > names + 1 {
            parts[last].pop();
            parts.push(repeated.iter().copied().chain([column]).collect());
        }
    }
    parts
}

fn tabular(layout: &Layout, part: &[usize], rows: std::ops::Range<usize>) -> String {
    let columns: Vec<&Column> = part.iter().map(|&column| &layout.columns[column]).collect();
    let format: String = columns.iter().map(|column| column.format()).collect();
    let headings: Vec<String> = columns.iter().map(|column| column.heading()).collect();
    let row = |row: usize| {
        let cells: Vec<String> = columns.iter().map(|column| column.cell(row)).collect();
        format!("{}\\tabularnewline\n", cells.join(" & "))
    };
    let body: String = rows.map(row).collect();
    format!(
        "\\begin{{tabular}}{{@{{}}{format}@{{}}}}\n\\toprule\n{}\\tabularnewline\n\\midrule\n\
         {body}\\bottomrule\n\\end{{tabular}}",
        headings.join(" & ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[("name", "Name"), ("mean", "Mean"), ("n", "n")]);
        table.push(vec![Cell::Text("mio | 2".into()), Cell::Share(0.955_449, 2), Cell::Count(7)]);
        table.push(vec![Cell::Text("a, b".into()), Cell::Missing, Cell::Count(12)]);
        table
    }

    #[test]
    fn latex_has_booktabs() {
        let latex = table().latex("means", "Means", "50 % of χ²", LatexWidth::Column);
        let expected = "% Packages: booktabs\n\\begin{table}\n\
                        \\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}\n\
                        \\caption{Means}\\label{tab:means}\n\
                        \\begin{tabular}{@{}lrr@{}}\n\\toprule\nName & Mean & n\\tabularnewline\n\
                        \\midrule\nmio \\textbar{} 2 & 95.54 \\% & 7\\tabularnewline\n\
                        a, b & n/a & 12\\tabularnewline\n\\bottomrule\n\
                        \\end{tabular}\n\\par\\smallskip\n\
                        \\begin{minipage}{\\linewidth}\\raggedright\\scriptsize\n\
                        50 \\% of $\\chi$$^2$\n\\end{minipage}\n\\end{table}\n";
        assert_eq!(latex, expected);
        assert_eq!(escaped("a_b\\"), "a\\_b\\textbackslash{}");
        assert_eq!(escaped("[a]--b---c*"), "{[}a]-{}-b-{}-{}-c*");
        assert_eq!(
            breakable("a_very_long_word_1 fits", 60.0),
            "a\\_ve\\allowbreak{}ry\\_l\\allowbreak{}ong\\_\\allowbreak{}word\\allowbreak{}\\_1 fits"
        );
    }

    #[test]
    fn wide_tables_are_split_and_headings_broken() {
        let mut columns = vec![("first".to_owned(), "First".to_owned())];
        columns.extend((0..14).map(|n| (format!("c{n}"), format!("Distance to the best {n}"))));
        let mut table = Table::new(&columns);
        let mut row = vec![Cell::Text("mio".to_owned())];
        row.extend((0..14).map(|n| Cell::Number(f64::from(n) * 1_000.0, 2)));
        table.push(row);
        for (width, points) in [
            (LatexWidth::Column, COLUMN),
            (LatexWidth::Text, PAGE),
            (LatexWidth::Points(150.0), 150.0),
            (LatexWidth::Points(505.0), 505.0),
        ] {
            let latex = table.latex("wide", "Wide", "", width);
            let parts: Vec<&str> = latex.split("\\begin{tabular}").skip(1).collect();
            assert!(parts.len() > 1, "{latex}");
            assert!(parts.iter().all(|part| part.contains("\nmio & ")), "{latex}");
            let headings: usize =
                parts.iter().map(|part| part.matches("\\shortstack[r]").count()).sum();
            assert_eq!(headings, 14);
            let layout = Layout::of(&table, width);
            assert!(!layout.is_wide() && layout.width >= points, "{width}");
            assert_eq!(latex.contains("\\begin{table*}"), layout.spans(), "{width}");
        }
        assert!(table.latex("wide", "Wide", "", LatexWidth::Text).contains("table*"));
    }

    #[test]
    fn parts_repeat_what_tells_rows_apart() {
        let many = ["one", "two", "three", "four", "five"].map(|name| (name, "Percentage of all"));
        let mut columns = vec![("first", "First"), ("second", "Second"), ("at", "Budget")];
        columns.extend(many);
        let mut table = Table::new(&columns);
        for at in 0..24 {
            let label = |name: &str| Cell::Text(name.to_owned());
            let mut row = vec![label("mosa"), label("random"), Cell::Count(at)];
            row.resize(columns.len(), Cell::Number(12_345.0, 2));
            table.push(row);
        }
        let latex = table.latex("budget", "Budget", "", LatexWidth::Points(200.0));
        let parts: Vec<&str> = latex.split("\\begin{tabular}").skip(1).collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.contains("Budget")), "{latex}");
        // The parts together have more than `MAX_LINES` lines. The caption stays on the page of the
        // first piece.
        assert!(!latex.contains("\\begin{table}"), "{latex}");
        let first = latex.split("\\end{minipage}").next().unwrap();
        assert!(first.contains("\\caption") && first.contains("\\end{tabular}"), "{latex}");
    }

    #[test]
    fn widths_are_read() {
        assert_eq!("252pt".parse(), Ok(LatexWidth::Points(252.0)));
        for width in [LatexWidth::Column, LatexWidth::Text, LatexWidth::Points(252.5)] {
            assert_eq!(width.to_string().parse(), Ok(width));
        }
        for bad in ["", "252", "pt", "-3pt", "nanpt", "1e9pt", "linewidth"] {
            assert!(bad.parse::<LatexWidth>().is_err(), "{bad}");
        }
    }

    /// Every row has a cell for each column, every brace is closed, and every special character of
    /// TeX is escaped.
    #[test]
    fn latex_survives_any_name() {
        let nasty = "[*] 50 % of a_b & c # $x^2$ {~} \\end{tabular} <i> | --- \"q\"\n";
        let mut table = table();
        table.push(vec![Cell::Text(nasty.to_owned()), Cell::Count(1), Cell::Count(2)]);
        for rows in [3, 60] {
            while table.rows().len() < rows {
                table.push(vec![Cell::Text(nasty.to_owned()), Cell::Missing, Cell::Count(2)]);
            }
            let latex = table.latex("nasty", nasty, nasty, LatexWidth::Column);
            let pieces = latex.matches("\\end{tabular}").count();
            assert_eq!((pieces > 1, latex.contains("\\begin{table}")), (rows > 40, rows < 40));
            let lines: Vec<&str> = latex.lines().filter(|line| line.contains(" & ")).collect();
            // Each piece of the table repeats the heading.
            assert_eq!(lines.len(), rows + pieces);
            for line in lines {
                let row = line.strip_suffix("\\tabularnewline").unwrap();
                assert!(!row.starts_with(['[', '*']), "{row}");
                let mut plain = row.replace("\\raggedright ", "");
                let words =
                    ["textbackslash", "textasciitilde", "textasciicircum", "textbar", "allowbreak"];
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
}
