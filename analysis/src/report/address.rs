//! Addresses of numbers in a report, and checks of these numbers.

use std::fmt;
use std::str::FromStr;

use super::Report;
use crate::table::Cell;
use crate::tables::CaptionedTable;

/// The address of a number: `TABLE/ROW/COLUMN`. A row is given by texts of its cells, separated by
/// commas (`table6/mio,random/better`), or by its number, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    table: String,
    row: String,
    column: String,
}

/// The cell at an address.
#[derive(Clone, Copy, Debug)]
pub struct Found<'r> {
    /// Its table.
    pub table: &'r CaptionedTable,
    /// The cell.
    pub cell: &'r Cell,
    /// The runs from which it was computed: indices into [`Results::runs`](crate::tidy::Results::runs).
    pub runs: &'r [u32],
}

/// Why an address or a check is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The text is no address.
    #[error("invalid address `{0}`: expected TABLE/ROW/COLUMN")]
    Syntax(String),
    /// The text is no check.
    #[error("invalid check `{0}`: expected TABLE/ROW/COLUMN, one of < <= = >= >, and a number")]
    CheckSyntax(String),
    /// The report has no such table, row or column.
    #[error("unknown {part} `{name}`: the report has {known}")]
    Unknown {
        /// `table`, `row` or `column`.
        part: &'static str,
        /// The requested name.
        name: String,
        /// The names that exist.
        known: String,
    },
}

/// Old and new names of tables.
const TABLE_ALIASES: [(&str, &str); 1] = [("calibration", "aa-test")];

/// Old and new names of columns.
const COLUMN_ALIASES: [(&str, &str); 7] = [
    ("false_findings", "false_positive_rate"),
    ("agreeing", "identical"),
    ("mean_events", "mean_size"),
    ("median_events", "median_size"),
    ("removed_events", "mean_removed"),
    ("mean_test_events", "mean_test_size"),
    ("execution_ms", "ms_per_unit"),
];

/// The new name of a table or column, or the same name if it was not renamed.
fn current<'a>(aliases: &[(&str, &'a str)], name: &'a str) -> &'a str {
    aliases.iter().find(|alias| alias.0 == name).map_or(name, |alias| alias.1)
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let invalid = || AddressError::Syntax(text.to_owned());
        // Names of projects may contain slashes.
        let (table, rest) = text.trim().split_once('/').ok_or_else(invalid)?;
        let (row, column) = rest.rsplit_once('/').ok_or_else(invalid)?;
        if [table, row, column].contains(&"") {
            return Err(invalid());
        }
        Ok(Address { table: table.to_owned(), row: row.to_owned(), column: column.to_owned() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.table, self.row, self.column)
    }
}

impl Address {
    /// Finds the cell. Tables and columns that were renamed are also found by their old names.
    ///
    /// # Errors
    /// [`AddressError::Unknown`] if the report has no such table, row or column.
    pub fn find<'r>(&self, report: &'r Report<'_>) -> Result<Found<'r>, AddressError> {
        let unknown = |part, name: &str, known: Vec<String>| AddressError::Unknown {
            part,
            name: name.to_owned(),
            known: listed(&known),
        };
        let names = || report.tables().map(|table| table.name.to_owned()).collect();
        let table = report
            .tables()
            .find(|table| table.name == current(&TABLE_ALIASES, &self.table))
            .ok_or_else(|| unknown("table", &self.table, names()))?;
        let cells = &table.table;
        let name = current(&COLUMN_ALIASES, &self.column);
        let by_name = |name: &str| cells.columns().iter().position(|c| c.0 == name);
        let column = by_name(&self.column).or_else(|| by_name(name)).ok_or_else(|| {
            let names = cells.columns().iter().map(|c| c.0.clone());
            unknown("column", &self.column, names.collect())
        })?;
        let row = self.row(cells.rows()).ok_or_else(|| {
            let rows = cells.rows().iter().map(|row| texts(row).join(","));
            unknown("row", &self.row, rows.collect())
        })?;
        Ok(Found { table, cell: &cells.rows()[row][column], runs: cells.source_runs(row, column) })
    }

    /// The index of the row.
    fn row(&self, rows: &[Vec<Cell>]) -> Option<usize> {
        let wanted: Vec<&str> = self.row.split(',').map(str::trim).collect();
        let named = rows.iter().position(|row| {
            let texts = texts(row);
            let mut rest = texts.iter();
            self.row == texts.join(",")
                || wanted.iter().all(|wanted| rest.any(|text| text == wanted))
        });
        // Match by name before by position: a project may be named `7`.
        named.or_else(|| {
            let number: usize = self.row.parse().ok()?;
            (1..=rows.len()).contains(&number).then(|| number - 1)
        })
    }
}

/// The texts of a row except digests.
fn texts(row: &[Cell]) -> Vec<&str> {
    row.iter()
        .filter_map(|cell| match cell {
            Cell::Text(text) if text.len() != 64 => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// The first names of a list, and the number of the others.
fn listed(names: &[String]) -> String {
    const MAX: usize = 24;
    match names.get(..MAX) {
        Some(first) => format!("{}, and {} more", first.join("; "), names.len() - MAX),
        None => names.join("; "),
    }
}

/// A bound on a number of a report, such as `algorithms/mio/mean >= 90 %`.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The address of the number.
    pub address: Address,
    relation: Relation,
    bound: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = SIGNS.iter().find(|sign| sign.1 == self.relation).map_or("", |sign| sign.0);
        write!(f, "{} {sign} {}", self.address, self.bound)
    }
}

/// Signs of relations, the longer ones first.
const SIGNS: [(&str, Relation); 5] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Less),
    (">", Relation::More),
    ("=", Relation::Equal),
];

impl FromStr for Check {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Check, AddressError> {
        let invalid = || AddressError::CheckSyntax(text.to_owned());
        let split = SIGNS.iter().find_map(|(sign, relation)| {
            // The last sign, because names may contain others.
            text.rsplit_once(sign).map(|(address, bound)| (address, bound, *relation))
        });
        let (address, bound, relation) = split.ok_or_else(invalid)?;
        let (number, whole) = match bound.trim().strip_suffix('%') {
            Some(percent) => (percent.trim(), 100.0),
            None => (bound.trim(), 1.0),
        };
        let bound: f64 = number.parse().map_err(|_| invalid())?;
        if !bound.is_finite() {
            return Err(invalid());
        }
        Ok(Check {
            address: address.parse().map_err(|_| invalid())?,
            relation,
            bound: bound / whole,
        })
    }
}

impl Check {
    /// Whether the number satisfies the relation. A number that is not available satisfies none.
    ///
    /// # Errors
    /// As [`Address::find`].
    pub fn holds(&self, report: &Report<'_>) -> Result<bool, AddressError> {
        let found = self.address.find(report)?;
        Ok(found.cell.value().is_some_and(|value| match self.relation {
            Relation::Less => value < self.bound,
            Relation::AtMost => value <= self.bound,
            Relation::Equal => value == self.bound,
            Relation::AtLeast => value >= self.bound,
            Relation::More => value > self.bound,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let address: Address = "coverage/games/cat.sb3,mio/mean".parse().unwrap();
        assert_eq!((address.row.as_str(), address.column.as_str()), ("games/cat.sb3,mio", "mean"));
        assert_eq!(address.to_string(), "coverage/games/cat.sb3,mio/mean");
        for bad in ["", "a/b", "a//b", "/a/b"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }

    #[test]
    fn checks_are_read() {
        let check: Check = "algorithms/mio/mean >= 90 %".parse().unwrap();
        assert_eq!((check.relation, check.bound), (Relation::AtLeast, 0.9));
        assert_eq!(check.address.to_string(), "algorithms/mio/mean");
        let check: Check = "table6/1/significantly_worse=0".parse().unwrap();
        assert_eq!((check.relation, check.bound), (Relation::Equal, 0.0));
        for bad in ["a/b/c", "a/b/c > x", "a > 1", "a/b/c < nan"] {
            assert!(bad.parse::<Check>().is_err(), "{bad}");
        }
    }
}
