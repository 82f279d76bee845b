//! Tables as LaTeX that fit the page: headings are broken, long text cells become paragraphs, and a
//! table that is too wide is split into several parts, each with some of the columns.

use std::fmt::Write as _;

use super::Table;

/// Width of a page in points, as in LaTeX's class `article` with letters of 10 pt, which is the
/// narrowest of the common page widths.
const PAGE: f64 = 345.0;
/// Room between columns in points.
const GAP: f64 = 8.0;
/// Maximum share of the page for the columns that name a row, which every part repeats, and for any
/// other text.
const MAX_NAMES: f64 = 0.5;
const MAX_TEXT: f64 = 0.4;
/// Maximum number of lines, of all parts together, of a table that is not broken between pages.
const MAX_LINES: usize = 40;
/// Number of letters after which a long word may be broken, and length from which a word counts as
/// long.
const CHUNK: usize = 4;
const LONG_WORD: usize = 12;

/// A displayed column.
struct Column {
    /// Lines of the heading.
    heading: Vec<String>,
    cells: Vec<String>,
    is_text: bool,
    /// Width in points.
    width: f64,
    /// Whether the cells are paragraphs, because some of them are wider than the column.
    is_paragraph: bool,
}

impl Column {
    /// A column whose text is broken into lines if it is wider than `most`.
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

    /// The letter of the column in the argument of `tabular`.
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

    /// An upper bound on the number of lines of a cell.
    fn lines(&self, row: usize) -> usize {
        // A line that is broken between words is shorter than the column.
        let lines = 1.5 * width_of(&self.cells[row]) / self.width.max(1.0);
        if self.is_paragraph { lines.ceil() as usize } else { 1 }
    }

    fn cell(&self, row: usize) -> String {
        let text = &self.cells[row];
        if self.is_paragraph { format!("\\raggedright {}", breakable(text)) } else { escaped(text) }
    }
}

impl Table {
    /// LaTeX with the rules of `booktabs`, a caption and the label `tab:NAME`, at most 345 pt wide,
    /// which is the text width of `article`. Each part of a wider table contains the first columns
    /// and some of the others. A table of more than 40 lines is a `longtable`, because it would not
    /// fit on a page.
    pub fn latex(&self, name: &str, caption: &str) -> String {
        let columns = self.latex_columns();
        let names = columns.iter().take_while(|column| column.is_text).count().min(3);
        let parts = parts(&columns, names);
        let rows = self.rows.len();
        let highest = |part: &Vec<&Column>, row| {
            part.iter().map(|column| column.lines(row)).max().unwrap_or(1)
        };
        let lines: usize =
            parts.iter().map(|part| (0..rows).map(|row| highest(part, row)).sum::<usize>()).sum();
        let title = format!("\\caption{{{}}}\\label{{tab:{name}}}", escaped(caption));
        let mut text = String::from("% Packages: booktabs, longtable\n");
        // Writing to a string does not fail.
        if lines > MAX_LINES {
            text += "\\begingroup\\small\\setlength{\\tabcolsep}{4pt}\n";
            for (number, part) in parts.iter().enumerate() {
                let title = match number {
                    0 => title.clone(),
                    _ => format!(
                        "\\caption[]{{Further columns of table~\\ref{{tab:{name}}}}}\
                         \\addtocounter{{table}}{{-1}}"
                    ),
                };
                let (format, head) = head(part);
                let _ = write!(
                    text,
                    "\\begin{{longtable}}{{{format}}}\n{title}\\tabularnewline\n{head}\\endfirsthead\n\
                     {head}\\endhead\n\\bottomrule\n\\endfoot\n{}\\end{{longtable}}\n",
                    body(part, rows)
                );
            }
            text += "\\endgroup\n";
        } else {
            let _ = write!(
                text,
                "\\begin{{table}}\n\\centering\\small\\setlength{{\\tabcolsep}}{{4pt}}\n{title}\n"
            );
            for (number, part) in parts.iter().enumerate() {
                let gap = if number == 0 { "" } else { "\\par\\medskip\n" };
                let (format, head) = head(part);
                let _ = write!(
                    text,
                    "{gap}\\begin{{tabular}}{{{format}}}\n{head}{}\\bottomrule\n\\end{{tabular}}\n",
                    body(part, rows)
                );
            }
            text += "\\end{table}\n";
        }
        text
    }

    fn latex_columns(&self) -> Vec<Column> {
        let shown = self.shown();
        let names =
            shown.iter().take_while(|&&column| self.has_text_cells(column)).count().clamp(1, 3);
        let column = |(at, &column): (usize, &usize)| {
            let cells = self.rows.iter().map(|row| row[column].display()).collect();
            let most = if at < names { PAGE * MAX_NAMES / names as f64 } else { PAGE * MAX_TEXT };
            Column::new(&self.columns[column].1, cells, self.has_text_cells(column), most)
        };
        shown.iter().enumerate().map(column).collect()
    }
}

/// The columns of each part: the first `names` columns, and as many of the others as fit, in their
/// order.
fn parts(columns: &[Column], names: usize) -> Vec<Vec<&Column>> {
    let (names, others) = columns.split_at(names);
    let width = |part: &[&Column]| part.iter().map(|c| c.width + GAP).sum::<f64>() - GAP;
    let mut parts: Vec<Vec<&Column>> = vec![names.iter().collect()];
    for column in others {
        let last = parts.len() - 1;
        parts[last].push(column);
        if width(&parts[last]) > PAGE && parts[last].len() > names.len() + 1 {
            parts[last].pop();
            parts.push(names.iter().chain([column]).collect());
        }
    }
    parts
}

/// The argument of `tabular`, and the heading between its rules.
fn head(part: &[&Column]) -> (String, String) {
    let format: String = part.iter().map(|column| column.format()).collect();
    let headings: Vec<String> = part.iter().map(|column| column.heading()).collect();
    let head = format!("\\toprule\n{}\\tabularnewline\n\\midrule\n", headings.join(" & "));
    (format!("@{{}}{format}@{{}}"), head)
}

fn body(part: &[&Column], rows: usize) -> String {
    let row = |row| {
        let cells: Vec<String> = part.iter().map(|column| column.cell(row)).collect();
        format!("{}\\tabularnewline\n", cells.join(" & "))
    };
    (0..rows).map(row).collect()
}

/// An upper bound on the width of a text in points, in Computer Modern of 9 pt.
fn width_of(text: &str) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | '(' | ')' | '[' | ']' => 3.7,
        ' ' | 'f' | 'r' | 's' | 't' | '-' => 3.8,
        'm' | 'M' | 'w' | 'W' | '%' | '<' | '>' | '@' | '=' | '+' | 'χ' => 9.6,
        letter if letter.is_ascii_uppercase() => 7.3,
        letter if letter.is_ascii() => 5.3,
        _ => 9.6,
    };
    text.chars().map(letter).sum()
}

/// Escaped text of a paragraph in which long words may be broken.
fn breakable(text: &str) -> String {
    let word = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        if letters.len() <= LONG_WORD {
            return escaped(word);
        }
        let chunks = letters.chunks(CHUNK).map(|chunk| escaped(&chunk.iter().collect::<String>()));
        chunks.collect::<Vec<_>>().join("\\allowbreak{}")
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Text escaped for LaTeX without Unicode packages.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for (index, letter) in text.chars().enumerate() {
        match letter {
            // At the start of a row they would be read as arguments of the preceding line break.
            '[' | '*' if index == 0 => escaped.extend(['{', letter, '}']),
            // Two hyphens would become a dash.
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
            '\u{2009}' => escaped.push_str("\\,"),
            letter => escaped.push(letter),
        }
        before = letter;
    }
    escaped
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
        let latex = table().latex("means", "50 % of χ²");
        let expected = "% Packages: booktabs, longtable\n\\begin{table}\n\
                        \\centering\\small\\setlength{\\tabcolsep}{4pt}\n\
                        \\caption{50 \\% of $\\chi$$^2$}\\label{tab:means}\n\
                        \\begin{tabular}{@{}lrr@{}}\n\\toprule\nName & Mean & n\\tabularnewline\n\
                        \\midrule\nmio \\textbar{} 2 & 95.54 \\% & 7\\tabularnewline\n\
                        a, b & n/a & 12\\tabularnewline\n\\bottomrule\n\
                        \\end{tabular}\n\\end{table}\n";
        assert_eq!(latex, expected);
        assert_eq!(escaped("a_b\\"), "a\\_b\\textbackslash{}");
        assert_eq!(escaped("[a]--b---c*"), "{[}a]-{}-b-{}-{}-c*");
        assert_eq!(
            breakable("a_very_long_word_1"),
            "a\\_ve\\allowbreak{}ry\\_l\\allowbreak{}ong\\_\\allowbreak{}word\\allowbreak{}\\_1"
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
        let latex = table.latex("wide", "Wide");
        let parts: Vec<&str> = latex.split("\\begin{tabular}").skip(1).collect();
        assert!(parts.len() > 1, "{latex}");
        assert!(parts.iter().all(|part| part.contains("\nmio & ")), "{latex}");
        let headings: usize =
            parts.iter().map(|part| part.matches("\\shortstack[r]").count()).sum();
        assert_eq!(headings, 14);
        for part in super::parts(&table.latex_columns(), 1) {
            assert!(part.iter().map(|c| c.width + GAP).sum::<f64>() <= PAGE + GAP);
        }
    }

    /// Whatever a name contains, every row has as many cells as the table has columns, every brace
    /// is closed, and no unescaped special character of TeX is left.
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
            // A table of several pages contains its header twice: for the first page and for the
            // other pages.
            assert_eq!(lines.len(), if rows > 40 { rows + 2 } else { rows + 1 });
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
