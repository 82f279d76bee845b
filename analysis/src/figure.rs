//! Kinds of figures, drawn as SVG: one module for each. [`figures`](crate::figures) chooses the
//! data of a study that they show.
//!
//! Figures can be read in black and white and by colour-blind readers: series differ in their
//! dashes or markers as well as in their colour, and have their label beside them.

mod axis;
pub(crate) mod bars;
pub(crate) mod boxes;
mod chart;
pub(crate) mod effects;
pub(crate) mod histogram;
pub(crate) mod intervals;
pub(crate) mod lines;
mod numbers;
pub(crate) mod race;
pub(crate) mod ranks;
pub(crate) mod scatter;
mod svg;
pub(crate) mod violins;

pub(crate) use axis::{Axis, truncated};
pub(crate) use numbers::{grouped, round_step, three_digits};
pub use svg::Svg;

use svg::{Fill, Stroke};

/// The palette of Okabe and Ito, without its yellow, which is too pale for a line.
const COLOURS: [&str; 7] =
    ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// Lengths of dashes and gaps in pixels; the first is solid.
const DASHES: [&str; 5] = ["", "9 4", "2 3", "9 3 2 3", "16 4"];

/// The colour and the dashes of a series.
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

/// The style of a series. The numbers of colours and of dashes have no common divisor, so that 35
/// series differ.
fn style(series: usize) -> Style {
    Style { colour: COLOURS[series % COLOURS.len()], dashes: DASHES[series % DASHES.len()] }
}
