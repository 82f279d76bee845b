//! Where a number of a report stands, and what it should be.

use std::fmt;
use std::str::FromStr;

use super::Report;
use crate::sheets::Sheet;
use crate::table::Cell;

/// The place of a number: `TABLE/ROW/COLUMN`. A row is its number, from 1, or words that are
/// its cells, separated by commas (`table6/mio,random/better`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    table: String,
    row: String,
    column: String,
}

/// A cell that was found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'r> {
    /// Its table.
    pub sheet: &'r Sheet,
    /// The cell.
    pub cell: &'r Cell,
    /// The runs behind it: indices into [`Results::runs`](crate::tidy::Results::runs).
    pub runs: &'r [u32],
}

/// Why an address or a check leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not of the form.
    #[error("`{0}` is not TABLE/ROW/COLUMN")]
    Form(String),
    /// Not of the form.
    #[error("`{0}` is not TABLE/ROW/COLUMN, one of < <= = >= >, and a number")]
    CheckForm(String),
    /// No such part.
    #[error("there is no {part} `{name}`; there are {known}")]
    Unknown {
        /// `table`, `row` or `column`.
        part: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let form = || AddressError::Form(text.to_owned());
        // Names of projects may have slashes.
        let (table, rest) = text.trim().split_once('/').ok_or_else(form)?;
        let (row, column) = rest.rsplit_once('/').ok_or_else(form)?;
        if [table, row, column].contains(&"") {
            return Err(form());
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
    /// Finds the cell.
    ///
    /// # Errors
    /// [`AddressError::Unknown`], with what there is.
    pub fn find<'r>(&self, report: &'r Report<'_>) -> Result<Found<'r>, AddressError> {
        let unknown = |part, name: &str, known: Vec<String>| AddressError::Unknown {
            part,
            name: name.to_owned(),
            known: some(&known),
        };
        let names = || report.sheets().map(|sheet| sheet.name.to_owned()).collect();
        let sheet = report
            .sheets()
            .find(|sheet| sheet.name == self.table)
            .ok_or_else(|| unknown("table", &self.table, names()))?;
        let table = &sheet.table;
        let column = table.columns().iter().position(|c| c.0 == self.column).ok_or_else(|| {
            let names = table.columns().iter().map(|c| c.0.to_owned());
            unknown("column", &self.column, names.collect())
        })?;
        let row = self.row(sheet).ok_or_else(|| {
            let rows = table.rows().iter().map(|row| words(row).join(","));
            unknown("row", &self.row, rows.collect())
        })?;
        Ok(Found { sheet, cell: &table.rows()[row][column], runs: table.runs_behind(row, column) })
    }

    fn row(&self, sheet: &Sheet) -> Option<usize> {
        let rows = sheet.table.rows();
        let wanted: Vec<&str> = self.row.split(',').map(str::trim).collect();
        let named = rows.iter().position(|row| {
            let mut words = words(row).into_iter();
            self.row == *words.clone().collect::<Vec<_>>().join(",")
                || wanted.iter().all(|wanted| words.any(|word| word == *wanted))
        });
        // Words first: a project may be called 7.
        named.or_else(|| {
            let number: usize = self.row.parse().ok()?;
            (1..=rows.len()).contains(&number).then(|| number - 1)
        })
    }
}

/// The words of a row, without digests, by which nobody names it.
fn words(row: &[Cell]) -> Vec<&str> {
    row.iter()
        .filter_map(|cell| match cell {
            Cell::Text(text) if text.len() != 64 => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn some(names: &[String]) -> String {
    const MOST: usize = 24;
    match names.get(..MOST) {
        Some(first) => format!("{}, and {} more", first.join("; "), names.len() - MOST),
        None => names.join("; "),
    }
}

/// What a number of a report should be: `algorithms/mio/mean >= 90 %`.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Where it stands.
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

/// The longer ones first.
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
        let form = || AddressError::CheckForm(text.to_owned());
        let split = SIGNS.iter().find_map(|(sign, relation)| {
            // The last one: a name may have some.
            text.rsplit_once(sign).map(|(place, bound)| (place, bound, *relation))
        });
        let (place, bound, relation) = split.ok_or_else(form)?;
        let (number, whole) = match bound.trim().strip_suffix('%') {
            Some(percent) => (percent.trim(), 100.0),
            None => (bound.trim(), 1.0),
        };
        let bound: f64 = number.parse().map_err(|_| form())?;
        if !bound.is_finite() {
            return Err(form());
        }
        Ok(Check { address: place.parse().map_err(|_| form())?, relation, bound: bound / whole })
    }
}

impl Check {
    /// Whether the number is what it should be. What is not available is not.
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
