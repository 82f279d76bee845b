//! Claims: sentences about a study, with the numbers that decide them.

pub mod tex;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::report::{Address, Check, FoundCell, Report};
use crate::table::{Cell, Table};
use crate::tables::CaptionedTable;

/// Name of the file in a folder of results.
pub const FILE: &str = "claims.toml";

const MIN_RUNS: usize = 2;

const MAX_BYTES: u64 = 16 << 20;

const LEVEL: f64 = 0.05;

/// A sentence with the number that decides it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The sentence.
    pub sentence: String,
    /// The place of publication, such as `Table 6` of a paper.
    #[serde(default)]
    pub source: String,
    number: String,
    #[serde(default)]
    value: Option<Written>,
    /// Maximum distance from the published number apart from rounding, in the unit of the number. A
    /// percentage is relative, unless the number is a share.
    #[serde(default)]
    tolerance: Option<Written>,
    #[serde(default)]
    relation: Option<String>,
    #[serde(default)]
    p: Option<String>,
    #[serde(default)]
    level: Option<f64>,
    #[serde(default)]
    runs: Option<usize>,
}

/// A value as written in the file, such as `95.5` or `"95.5 %"`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Whole(i64),
    Number(f64),
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Written::Text(text) => f.write_str(text),
            Written::Whole(number) => number.fmt(f),
            // Keep the decimal of `95.0`, because the number of decimals determines the rounding
            // error.
            Written::Number(number) => write!(f, "{number:?}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Quantity {
    value: f64,
    /// Maximum rounding error of the number.
    rounding: f64,
    percent: bool,
}

impl Quantity {
    fn of(text: &str) -> Option<Quantity> {
        let (number, percent) = match text.trim().strip_suffix('%') {
            Some(number) => (number.trim(), true),
            None => (text.trim(), false),
        };
        let value: f64 = number.parse().ok().filter(|value: &f64| value.is_finite())?;
        let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let last = exponent.parse::<i32>().ok()?.checked_sub(decimals as i32)?;
        let factor = if percent { 0.01 } else { 1.0 };
        // The error is slightly more than half a unit of the last digit, because a number exactly
        // between two rounded numbers must agree with both.
        let rounding = 0.5 * 10_f64.powi(last) * factor * (1.0 + 1e-9);
        Some(Quantity { value: value * factor, rounding, percent })
    }
}

/// Why claims cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// The file cannot be read.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// The file is not a valid file of claims.
    #[error("{}: {cause}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: String,
    },
}

/// Reads a file of claims.
///
/// # Errors
/// If the file cannot be read or is not a valid file of claims.
pub fn read(path: &Path) -> Result<Vec<Claim>, ClaimsError> {
    let failed = |cause| ClaimsError::Io { path: path.to_owned(), cause };
    // Reading pipes and devices might never end.
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        let cause = "is not a regular file of at most 16 MiB".to_owned();
        return Err(ClaimsError::Form { path: path.to_owned(), cause });
    }
    let text = fs::read_to_string(path).map_err(failed)?;
    parse(&text).map_err(|cause| ClaimsError::Form { path: path.to_owned(), cause })
}

fn parse(text: &str) -> Result<Vec<Claim>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        claim: Vec<Claim>,
    }
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    for claim in &file.claim {
        claim.check().map_err(|flaw| format!("claim `{}`: {flaw}", claim.sentence))?;
    }
    Ok(file.claim)
}

/// The decision on a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The claim holds.
    Holds,
    /// Apart from rounding, the number differs from the published number by at most the tolerance.
    WithinTolerance,
    /// The claim does not hold.
    DoesNotHold,
    /// The claim cannot be decided, for this reason.
    CannotBeDecided(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Holds => f.write_str("holds"),
            Verdict::WithinTolerance => f.write_str("within tolerance"),
            Verdict::DoesNotHold => f.write_str("does not hold"),
            Verdict::CannotBeDecided(reason) => write!(f, "cannot be decided: {reason}"),
        }
    }
}

/// The verdict on a claim, with the number that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The number that was found, as it is displayed; empty if the number was not found.
    pub found: String,
    /// The runs from which the number was computed, as indices into
    /// [`Results::runs`](crate::tidy::Results::runs).
    pub runs: Vec<u32>,
}

impl Claim {
    /// The address of the number.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// The value or condition that the claim states for the number, such as `> 50 %`.
    pub fn expected(&self) -> String {
        let mut text = match (&self.value, &self.relation) {
            (Some(value), _) => value.to_string(),
            (None, relation) => relation.clone().unwrap_or_default(),
        };
        if let Some(tolerance) = &self.tolerance {
            text += &format!(" ± {tolerance}");
        }
        if self.p.is_some() {
            text += &format!(", p < {}", self.level.unwrap_or(LEVEL));
        }
        text
    }

    fn check(&self) -> Result<(), String> {
        self.address(&self.number)?;
        match (&self.value, &self.relation) {
            (Some(_), None) => {}
            (None, Some(relation)) => {
                let Some((_, bound)) = split(relation) else {
                    return Err(format!("`{relation}` is not a relation, such as `> 50 %`"));
                };
                if Quantity::of(bound).is_none() {
                    self.address(bound)?;
                }
            }
            _ => return Err("needs either a value or a relation".to_owned()),
        }
        if let Some(tolerance) = &self.tolerance {
            let number = Quantity::of(&tolerance.to_string());
            if number.is_none_or(|number| number.value < 0.0) || self.relation.is_some() {
                return Err(
                    "`tolerance` must be a number of at least 0, and needs `value`".to_owned()
                );
            }
        }
        match (self.level, &self.p) {
            (Some(level), _) if !(level > 0.0 && level < 1.0) => {
                return Err(format!("the level {level} is not between 0 and 1"));
            }
            (Some(_), None) => {
                return Err("`level` needs `p`, the address of a p-value".to_owned());
            }
            _ => {}
        }
        self.p.as_ref().map_or(Ok(()), |p| self.address(p).map(|_| ()))
    }

    fn address(&self, text: &str) -> Result<Address, String> {
        text.parse().map_err(|error: crate::report::AddressError| error.to_string())
    }

    /// Decides the claim by the numbers of a report. With the report of an incomplete study, no
    /// claim can be decided.
    pub fn judge(&self, report: &Report<'_>) -> Judged {
        let found = self.address(&self.number);
        let found = found.and_then(|at| at.find(report).map_err(|error| error.to_string()));
        let (verdict, found) = match found {
            Ok(found) => {
                (self.verdict(report, &found).unwrap_or_else(Verdict::CannotBeDecided), Some(found))
            }
            Err(reason) => (Verdict::CannotBeDecided(reason), None),
        };
        let verdict = match (report.interim, verdict) {
            (Some(interim), _) => Verdict::CannotBeDecided(interim.to_string()),
            (None, verdict) => verdict,
        };
        let runs = found.map(|found| found.runs.to_vec()).unwrap_or_default();
        Judged { verdict, found: found.map(|found| found.cell.display()).unwrap_or_default(), runs }
    }

    fn verdict(&self, report: &Report<'_>, found: &FoundCell<'_>) -> Result<Verdict, String> {
        let fewest = self.runs.unwrap_or(MIN_RUNS);
        if (1..fewest).contains(&found.runs.len()) {
            return Err(format!("only {} of the {fewest} runs that are needed", found.runs.len()));
        }
        if matches!(found.cell, Cell::Missing) {
            return Err("the number is not available".to_owned());
        }
        let verdict = match &self.value {
            Some(value) => self.compare(found.cell, &value.to_string())?,
            None => self.relate(report, found)?,
        };
        let Some(p) = &self.p else { return Ok(verdict) };
        let p = self.address(p)?.find(report).map_err(|error| error.to_string())?;
        match p.cell.value() {
            None => Err("the p-value is not available".to_owned()),
            Some(p) if p < self.level.unwrap_or(LEVEL) => Ok(verdict),
            Some(_) => Ok(Verdict::DoesNotHold),
        }
    }

    fn compare(&self, cell: &Cell, value: &str) -> Result<Verdict, String> {
        let holds = |holds| if holds { Verdict::Holds } else { Verdict::DoesNotHold };
        if let Cell::Text(text) = cell {
            return Ok(holds(text == value));
        }
        let is_share = matches!(cell, Cell::Share(..));
        let (Some(found), Some(published)) = (cell.value(), Quantity::of(value)) else {
            return Err(format!("`{value}` is not a number"));
        };
        if published.percent != is_share && !(is_share && published.value <= 1.0) {
            return Err(format!("`{value}` is not in the unit of the number, {}", cell.display()));
        }
        let distance = (found - published.value).abs();
        if distance <= published.rounding {
            return Ok(Verdict::Holds);
        }
        let tolerance = self.tolerance.as_ref().and_then(|one| Quantity::of(&one.to_string()));
        let tolerance = tolerance.map_or(0.0, |tolerance| match tolerance.percent && !is_share {
            true => tolerance.value * published.value.abs(),
            false => tolerance.value,
        });
        let is_within = distance <= tolerance + published.rounding;
        Ok(if is_within { Verdict::WithinTolerance } else { Verdict::DoesNotHold })
    }

    fn relate(&self, report: &Report<'_>, found: &FoundCell<'_>) -> Result<Verdict, String> {
        let relation = self.relation.as_deref().unwrap_or_default();
        let (sign, bound) = split(relation).ok_or("the relation is malformed")?;
        let bound = match Quantity::of(bound) {
            Some(_) => bound.to_owned(),
            None => {
                let other = self.address(bound)?.find(report).map_err(|e| e.to_string())?;
                let fewest = self.runs.unwrap_or(MIN_RUNS);
                if (1..fewest).contains(&other.runs.len()) {
                    return Err(format!(
                        "only {} of the {fewest} runs that are needed",
                        other.runs.len()
                    ));
                }
                other.cell.value().ok_or("the bound is not available")?.to_string()
            }
        };
        if let Cell::Text(text) = found.cell {
            return Err(format!("`{text}` is not a number"));
        }
        let check = format!("{} {sign} {bound}", self.number);
        let check: Check =
            check.parse().map_err(|error: crate::report::AddressError| error.to_string())?;
        let holds = check.holds(report).map_err(|error| error.to_string())?;
        Ok(if holds { Verdict::Holds } else { Verdict::DoesNotHold })
    }
}

fn split(relation: &str) -> Option<(&'static str, &str)> {
    let relation = relation.trim();
    let signs = ["<=", ">=", "<", ">", "="];
    signs.into_iter().find_map(|sign| Some((sign, relation.strip_prefix(sign)?.trim())))
}

/// The table of the claims about a report, with their verdicts.
pub fn table(report: &Report<'_>, claims: &[Claim]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("claim", "Claim"),
        ("source", "Source"),
        ("number", "Number"),
        ("expected", "Expected"),
        ("found", "Found"),
        ("runs", "Runs"),
        ("verdict", "Verdict"),
    ]);
    let mut holding = 0;
    for claim in claims {
        let Judged { verdict, found, runs } = claim.judge(report);
        holding += usize::from(matches!(verdict, Verdict::Holds | Verdict::WithinTolerance));
        let text = |text: &str| match text {
            "" => Cell::Missing,
            text => Cell::Text(text.to_owned()),
        };
        let cells = vec![
            text(&claim.sentence),
            text(&claim.source),
            text(&claim.number),
            text(&claim.expected()),
            text(&found),
            Cell::Count(runs.len()),
            text(&verdict.to_string()),
        ];
        table.push_with_runs(cells, runs);
    }
    let caption = format!(
        "Sentences and the numbers of this report that decide them: {holding} of {} hold, or are within \
         their tolerance. A claim with a value holds if the number rounds to this value.",
        claims.len()
    );
    CaptionedTable { name: "claims", title: "Claims".to_owned(), caption, table }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_rounding() {
        let share = Quantity::of("95.5 %").unwrap();
        assert!((share.value - 0.955).abs() < 1e-12 && (share.rounding - 0.0005).abs() < 1e-9);
        let count = Quantity::of("12").unwrap();
        assert!(count.value == 12.0 && (count.rounding - 0.5).abs() < 1e-6 && !count.percent);
        for (text, rounding) in
            [("1e-3", 0.0005), ("1.5e-3", 0.000_05), ("2E2", 50.0), ("95.0", 0.05)]
        {
            let found = Quantity::of(text).unwrap().rounding;
            assert!((found / rounding - 1.0).abs() < 1e-6, "{text}: {found}");
        }
        for bad in ["", "mosa", "nan", "1 of 2", "1e999999999999", "inf"] {
            assert_eq!(Quantity::of(bad), None, "{bad}");
        }
    }

    #[test]
    fn claims_are_checked_when_they_are_read() {
        let claim = |more: &str| {
            parse(&format!("[[claim]]\nsentence = 's'\nnumber = 'algorithms/a/mean'\n{more}"))
        };
        for good in [
            "value = '95 %'\ntolerance = '1 %'",
            "relation = '> 50 %'",
            "relation = '> algorithms/b/mean'\np = 'table6/a,b/p'\nlevel = 0.01",
            "value = 3",
        ] {
            claim(good).expect(good);
        }
        for (bad, part) in [
            ("", "needs either a value or a relation"),
            ("value = 1\nrelation = '> 2'", "needs either a value or a relation"),
            ("relation = 'above 2'", "is not a relation"),
            ("relation = '> high'", "invalid address `high`"),
            ("value = 1\ntolerance = 'some'", "`tolerance` must be a number"),
            ("valeu = 1", "valeu"),
            ("value = 1\np = 'a/b/p'\nlevel = 5", "the level 5 is not between 0 and 1"),
            ("value = 1\np = 'a/b/p'\nlevel = nan", "the level NaN is not between 0 and 1"),
            ("value = 1\nlevel = 0.01", "`level` needs `p`"),
        ] {
            let error = claim(bad).unwrap_err();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }

    #[test]
    fn cells_are_compared_as_far_as_the_published_number_is_rounded() {
        let claim = |value: &str, tolerance: &str| {
            let text = format!(
                "[[claim]]\nsentence = 's'\nnumber = 'a/b/c'\nvalue = '{value}'\n{tolerance}"
            );
            parse(&text).unwrap().remove(0)
        };
        let verdict = |value: &str, tolerance: &str, cell: &Cell| {
            claim(value, tolerance).compare(cell, value).unwrap_or_else(Verdict::CannotBeDecided)
        };
        let share = Cell::Share(0.9553, 2);
        assert_eq!(verdict("95.5 %", "", &share), Verdict::Holds);
        assert_eq!(verdict("95.4 %", "", &share), Verdict::DoesNotHold);
        assert_eq!(verdict("95 %", "tolerance = '1 %'", &share), Verdict::WithinTolerance);
        assert_eq!(verdict("93 %", "tolerance = '1 %'", &share), Verdict::DoesNotHold);
        assert_eq!(
            verdict("100", "tolerance = '5 %'", &Cell::Count(104)),
            Verdict::WithinTolerance
        );
        assert!(matches!(verdict("95.5", "", &share), Verdict::CannotBeDecided(_)));
        assert!(matches!(verdict("50 %", "", &Cell::Count(3)), Verdict::CannotBeDecided(_)));
        assert_eq!(verdict("mosa", "", &Cell::Text("mosa".into())), Verdict::Holds);
    }
}
