//! Kinds of figures, drawn as SVG, with a module for each kind. [`figures`](crate::figures) selects
//! the data of a study for them.
//!
//! A figure is as wide as a column (84 mm) or a page (174 mm) of a journal, and all of its text has
//! a size of 8 pt. Figures can be read in black and white and by colour-blind readers, because
//! series differ in their dashes or markers as well as in their colour. An algorithm usually has
//! the same colour in all figures, and pairs of algorithms are grey. Two strokes mark an axis that
//! does not contain its origin, which is usually 0.

mod axis;
pub(crate) mod bars;
pub(crate) mod boxes;
mod chart;
pub(crate) mod effects;
mod export;
mod font;
pub(crate) mod histogram;
pub(crate) mod intervals;
mod layout;
pub(crate) mod lines;
mod numbers;
pub(crate) mod race;
pub(crate) mod ranks;
pub(crate) mod scatter;
mod svg;
pub(crate) mod violins;

pub(crate) use axis::{Axis, truncated};
pub use export::ExportError;
pub(crate) use numbers::{grouped, round_step, three_digits};
pub use svg::Svg;

use catherd_experiments::palette;
use svg::{Fill, Stroke};

/// The meaning of a line or marker in a figure, which determines its colour, dashes and shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    /// An algorithm, by the number of its style (see [`Results::series`](crate::tidy::Results)).
    Algorithm(usize),
    /// Anything else, such as a pair of algorithms, by a number.
    Other(usize),
}

/// Shades of series that are not algorithms. They differ in lightness.
const GREYS: [&str; 4] = ["#333333", "#777777", "#a3a3a3", "#555555"];

impl Series {
    fn number(self) -> usize {
        match self {
            Series::Algorithm(number) | Series::Other(number) => number,
        }
    }

    fn style(self) -> Style {
        let colour = match self {
            Series::Algorithm(number) => palette::colour(number),
            Series::Other(number) => GREYS[number % GREYS.len()],
        };
        Style { colour, dashes: palette::dashes(self.number()) }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Style {
    colour: &'static str,
    dashes: &'static str,
}

impl Style {
    fn solid(colour: &'static str) -> Style {
        Style { colour, dashes: "" }
    }

    fn stroke(self, width: f64) -> Stroke {
        Stroke { colour: self.colour, width, dashes: self.dashes }
    }

    fn fill(self, opacity: f64) -> Fill {
        Fill { colour: self.colour, opacity }
    }
}
