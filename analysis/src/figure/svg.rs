//! SVG canvas: the shapes of a figure, in pixels from the top left corner.

use std::fmt::Write as _;

use maud::{Markup, Render, html};

use super::font;

/// Font families of every figure, with the preferred family first.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', sans-serif";

/// In pixels.
const MARGIN: f64 = 2.0;

const MARK: &str = "#b22200";

/// A finished SVG picture: well-formed XML that does not need any other file.
#[derive(Clone, Debug, PartialEq)]
pub struct Svg {
    canvas: Canvas,
    text: String,
}

impl Svg {
    /// The picture as the contents of an SVG file.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The width in pixels, rounded up. A pixel is 2/3 pt.
    pub fn width(&self) -> u32 {
        self.canvas.width.ceil() as u32
    }

    pub(crate) fn marked(&self, text: &str) -> Svg {
        let mut canvas = self.canvas.clone();
        canvas.height += 1.5 * canvas.font_size;
        let place = (4.0, canvas.height - 0.5 * canvas.font_size);
        canvas.text(place, Label::new(text, Anchor::Start, MARK));
        canvas.finish()
    }
}

impl Render for Svg {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&self.text);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub(crate) colour: &'static str,
    /// In pixels.
    pub(crate) width: f64,
    /// Lengths in pixels; empty for a solid line.
    pub(crate) dashes: &'static str,
}

impl Stroke {
    pub(crate) fn solid(colour: &'static str, width: f64) -> Stroke {
        Stroke { colour, width, dashes: "" }
    }

    fn dashes(self) -> Option<&'static str> {
        Some(self.dashes).filter(|dashes| !dashes.is_empty())
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) colour: &'static str,
    pub(crate) opacity: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Label<'a> {
    pub(crate) text: &'a str,
    pub(crate) anchor: Anchor,
    pub(crate) colour: &'static str,
    /// Clockwise rotation around the coordinates, in degrees.
    pub(crate) rotation: f64,
}

impl<'a> Label<'a> {
    pub(crate) fn new(text: &'a str, anchor: Anchor, colour: &'static str) -> Label<'a> {
        Label { text, anchor, colour, rotation: 0.0 }
    }
}

/// Later shapes cover earlier shapes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Canvas {
    width: f64,
    height: f64,
    mm: f64,
    font_size: f64,
    shapes: String,
}

impl Canvas {
    /// A white canvas with a size and a font size in pixels, and with a width in millimetres.
    pub(crate) fn new((width, height): (f64, f64), mm: f64, font_size: f64) -> Canvas {
        Canvas { width, height, mm, font_size, shapes: String::new() }
    }

    fn add(&mut self, shape: Markup) {
        self.shapes.push_str(&shape.into_string());
        self.shapes.push('\n');
    }

    pub(crate) fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        self.add(html! {
            polyline points=(Points(points)) fill="none" stroke=(stroke.colour)
                stroke-width=(Px(stroke.width)) stroke-dasharray=[stroke.dashes()] {}
        });
    }

    pub(crate) fn polygon(&mut self, corners: &[(f64, f64)], fill: Fill, stroke: Option<Stroke>) {
        self.add(html! {
            polygon points=(Points(corners)) fill=(fill.colour) fill-opacity=(Px(fill.opacity))
                stroke=[stroke.map(|s| s.colour)] stroke-width=[stroke.map(|s| Px(s.width))] {}
        });
    }

    pub(crate) fn rectangle(
        &mut self,
        a: (f64, f64),
        b: (f64, f64),
        fill: Fill,
        stroke: Option<Stroke>,
    ) {
        self.add(html! {
            rect x=(Px(a.0.min(b.0))) y=(Px(a.1.min(b.1)))
                width=(Px((a.0 - b.0).abs())) height=(Px((a.1 - b.1).abs()))
                fill=(fill.colour) fill-opacity=(Px(fill.opacity))
                stroke=[stroke.map(|s| s.colour)] stroke-width=[stroke.map(|s| Px(s.width))] {}
        });
    }

    pub(crate) fn circle(&mut self, centre: (f64, f64), radius: f64, fill: Fill, stroke: Stroke) {
        self.add(html! {
            circle cx=(Px(centre.0)) cy=(Px(centre.1)) r=(Px(radius))
                fill=(fill.colour) fill-opacity=(Px(fill.opacity))
                stroke=(stroke.colour) stroke-width=(Px(stroke.width)) {}
        });
    }

    /// The picture states the width of the text, because a reader's font may be wider than the
    /// layout assumes.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), label: Label<'_>) {
        // Most control characters are not permitted in XML even if they are escaped, and a viewer
        // shows repeated spaces as one space.
        let text = label.text.replace(char::is_control, " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return;
        }
        let width = font::width(&text, self.font_size);
        let (x, y) = self.inside((x, y), width, label);
        let rotation = (label.rotation != 0.0)
            .then(|| format!("rotate({} {} {})", label.rotation, Px(x), Px(y)));
        self.add(html! {
            text x=(Px(x)) y=(Px(y)) fill=(label.colour) text-anchor=(label.anchor.name())
                textLength=(Px(width)) lengthAdjust="spacingAndGlyphs"
                transform=[rotation] { (text) }
        });
    }

    fn inside(&self, (x, y): (f64, f64), width: f64, label: Label<'_>) -> (f64, f64) {
        let before = match label.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let within = |at: f64, before: f64, after: f64, length: f64| {
            let (low, high) = (before + MARGIN, length - after - MARGIN);
            if low <= high { at.clamp(low, high) } else { at }
        };
        let (up, down) = (self.font_size * 0.8, self.font_size * 0.25);
        match label.rotation {
            0.0 => {
                (within(x, before, width - before, self.width), within(y, up, down, self.height))
            }
            -90.0 => {
                (within(x, up, down, self.width), within(y, width - before, before, self.height))
            }
            _ => (x, y),
        }
    }

    /// Shapes belong to the series until [`Canvas::end`].
    pub(crate) fn begin(&mut self, series: &str, tooltip: &str) {
        let clean = |text: &str| text.replace(char::is_control, " ");
        let series = Some(clean(series)).filter(|series| !series.is_empty());
        let element = html! { g data-series=[series] { title { (clean(tooltip)) } } };
        let element = element.into_string();
        let open = element.strip_suffix("</g>").unwrap_or(&element);
        let open = open.strip_suffix("<title></title>").unwrap_or(open);
        self.shapes.push_str(open);
    }

    /// Shapes belong to the entry of the legend until [`Canvas::end`].
    pub(crate) fn begin_key(&mut self, series: &str) {
        let series = series.replace(char::is_control, " ");
        let element = html! { g data-key=(series) {} }.into_string();
        self.shapes.push_str(element.strip_suffix("</g>").unwrap_or(&element));
    }

    pub(crate) fn end(&mut self) {
        self.shapes.push_str("</g>\n");
    }

    pub(crate) fn finish(self) -> Svg {
        let (width, height) = (Px(self.width), Px(self.height));
        let height_mm = Px(self.height / self.width * self.mm);
        let mut text = html! {
            svg viewBox={ "0 0 " (width) " " (height) } width={ (Px(self.mm)) "mm" }
                height={ (height_mm) "mm" } xmlns="http://www.w3.org/2000/svg" font-family=(FONTS)
                font-size=(Px(self.font_size)) {
                "\n"
                rect width=(width) height=(height) fill="#ffffff" {}
                "\n"
                (maud::PreEscaped(&self.shapes))
            }
        }
        .into_string();
        text.push('\n');
        Svg { canvas: self, text }
    }
}

#[derive(Clone, Copy)]
struct Px(f64);

impl std::fmt::Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Adding 0 turns -0 into 0.
        write!(f, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

impl Render for Px {
    fn render_to(&self, buffer: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(buffer, "{self}");
    }
}

struct Points<'a>(&'a [(f64, f64)]);

impl Render for Points<'_> {
    fn render_to(&self, buffer: &mut String) {
        for (number, (x, y)) in self.0.iter().enumerate() {
            let gap = if number == 0 { "" } else { " " };
            // Writing to a string does not fail.
            let _ = write!(buffer, "{gap}{},{}", Px(*x), Px(*y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_control_characters_are_replaced() {
        let mut canvas = Canvas::new((20.25, 10.0), 40.5, 12.0);
        let label = Label {
            text: "</svg>&\u{1b}\n\"",
            anchor: Anchor::End,
            colour: "#000000",
            rotation: -90.0,
        };
        canvas.text((1.004, -0.001), label);
        canvas.text((1.0, 1.0), Label { text: "", ..label });
        let svg = canvas.finish();
        assert_eq!(svg.width(), 21);
        let size = "<svg viewBox=\"0 0 20.25 10\" width=\"40.5mm\" height=\"20mm\"";
        assert!(svg.as_str().starts_with(size), "{svg:?}");
        let text = "<text x=\"11.6\" y=\"0\" fill=\"#000000\" text-anchor=\"end\" \
                    textLength=\"51.62\" lengthAdjust=\"spacingAndGlyphs\" \
                    transform=\"rotate(-90 11.6 0)\">&lt;/svg&gt;&amp; &quot;</text>";
        assert!(svg.as_str().contains(text), "{svg:?}");
        assert_eq!(svg.as_str().matches("<text").count(), 1);
        let marked = svg.marked("interim");
        assert!(marked.as_str().contains(">interim</text>"), "{marked:?}");
        assert!(marked.as_str().starts_with("<svg viewBox=\"0 0 20.25 28\""), "{marked:?}");
    }

    #[test]
    fn numbers_have_at_most_two_decimals() {
        let shown = [1.0, -0.004, 1.239, 1e4].map(|v| Px(v).to_string());
        assert_eq!(shown, ["1", "0", "1.24", "10000"]);
    }
}
