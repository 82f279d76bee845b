//! The width of LaTeX tables.

use std::fmt;
use std::str::FromStr;

/// The maximum width of a table in LaTeX.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LatexWidth {
    /// At most the width of a column in a two-column paper, 241 pt. A table that would need many
    /// parts may span both columns (`table*`).
    #[default]
    Column,
    /// At most the width of a page with one column, 345 pt. In two-column papers, the table spans
    /// both columns.
    Text,
    /// At most this number of points. With more than 256 points, the table spans both columns of a
    /// two-column paper.
    Points(f64),
}

/// A string that is not a width of LaTeX tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid width `{0}`: expected columnwidth, textwidth, or points from 100pt to 2000pt, such as 252pt"
)]
pub struct InvalidLatexWidth(String);

impl FromStr for LatexWidth {
    type Err = InvalidLatexWidth;

    fn from_str(text: &str) -> Result<LatexWidth, InvalidLatexWidth> {
        let invalid = || InvalidLatexWidth(text.to_owned());
        match text {
            "columnwidth" => Ok(LatexWidth::Column),
            "textwidth" => Ok(LatexWidth::Text),
            _ => {
                let points = text.strip_suffix("pt").ok_or_else(invalid)?;
                let points: f64 = points.trim().parse().map_err(|_| invalid())?;
                let fits = (100.0..=2000.0).contains(&points);
                fits.then_some(LatexWidth::Points(points)).ok_or_else(invalid)
            }
        }
    }
}

impl fmt::Display for LatexWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LatexWidth::Column => f.pad("columnwidth"),
            LatexWidth::Text => f.pad("textwidth"),
            LatexWidth::Points(points) => f.pad(&format!("{points}pt")),
        }
    }
}
