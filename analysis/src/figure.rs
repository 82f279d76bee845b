//! Kinds of figures, drawn as SVG. Figures should also be readable in black and white.

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

/// The meaning of a line or marker in a figure, which determines its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    /// An algorithm, by the number of its style (see [`Results::series`](crate::tidy::Results)).
    Algorithm(usize),
    Other(usize),
}

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
