//! Converts figures from SVG to PDF and PNG. Text in PDF is drawn as outlines, so no font needs to
//! be embedded.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Filter, Finish as _, Name, Pdf, Rect, Ref};
use resvg::tiny_skia::{Color, PathSegment, Pixmap, Transform};
use resvg::usvg::{FillRule, Group, LineCap, LineJoin, Node, Options, Paint, Path, Tree};

use super::Svg;
use super::font;

const DPI: f32 = 300.0;

/// CSS pixels per inch. The size of a parsed picture is in CSS pixels.
const CSS_DPI: f32 = 96.0;

/// Why a picture cannot be converted to PDF or PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The SVG cannot be parsed.
    #[error(transparent)]
    Svg(#[from] resvg::usvg::Error),
    /// The PNG cannot be encoded.
    #[error(transparent)]
    Png(#[from] png::EncodingError),
    /// The picture has no pixels, or too many.
    #[error("the picture has no size that can be drawn")]
    Size,
    /// The PDF cannot be compressed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Svg {
    fn tree(&self) -> Result<Tree, ExportError> {
        let options = Options {
            fontdb: font::database(),
            font_resolver: font::resolver(),
            ..Options::default()
        };
        Ok(Tree::from_str(self.as_str(), &options)?)
    }

    /// Converts the picture to a PNG file with 300 pixels per inch.
    ///
    /// # Errors
    /// [`ExportError`] if the picture cannot be converted.
    pub fn png(&self) -> Result<Vec<u8>, ExportError> {
        let tree = self.tree()?;
        let scale = DPI / CSS_DPI;
        let pixels = |length: f32| (length * scale).round() as u32;
        let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
        let mut map = Pixmap::new(width, height).ok_or(ExportError::Size)?;
        map.fill(Color::WHITE);
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut map.as_mut());
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        let per_metre = (DPI / 0.0254).round() as u32;
        let unit = png::Unit::Meter;
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: per_metre,
            yppu: per_metre,
            unit,
        }));
        let mut writer = encoder.write_header()?;
        // The background is opaque.
        let colours: Vec<u8> =
            map.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
        writer.write_image_data(&colours)?;
        writer.finish()?;
        Ok(file)
    }

    /// Converts the picture to a PDF file with one page of the picture's size.
    ///
    /// # Errors
    /// [`ExportError`] if the picture cannot be converted.
    pub fn pdf(&self) -> Result<Vec<u8>, ExportError> {
        let tree = self.tree()?;
        let scale = 72.0 / CSS_DPI;
        let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
        let mut drawing = Drawing { content: Content::new(), opacities: BTreeMap::new() };
        // The vertical axis of PDF points upwards.
        drawing.content.transform([scale, 0.0, 0.0, -scale, 0.0, height]);
        drawing.group(tree.root());
        let Drawing { content, opacities } = drawing;
        let mut compressed = ZlibEncoder::new(Vec::new(), Compression::default());
        compressed.write_all(&content.finish())?;
        let compressed = compressed.finish()?;

        let [catalog, pages, page, stream] = [1, 2, 3, 4].map(Ref::new);
        let states: Vec<_> = (5..).map(Ref::new).zip(&opacities).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        let mut written = pdf.page(page);
        written.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(stream);
        let mut resources = written.resources();
        let mut names = resources.ext_g_states();
        for (id, (_, name)) in &states {
            names.pair(Name(name.as_bytes()), *id);
        }
        names.finish();
        resources.finish();
        written.finish();
        for (id, ((fill, stroke), _)) in states {
            let opacity = |byte: u8| f32::from(byte) / 255.0;
            let mut state = pdf.ext_graphics(id);
            state.non_stroking_alpha(opacity(*fill)).stroking_alpha(opacity(*stroke));
        }
        pdf.stream(stream, &compressed).filter(Filter::FlateDecode);
        Ok(pdf.finish())
    }
}

struct Drawing {
    content: Content,
    /// Names of pairs of opacities: the opacity of a fill and of a stroke, each in 0..=255.
    opacities: BTreeMap<(u8, u8), String>,
}

impl Drawing {
    fn group(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.group(text.flattened()),
                // Figures do not contain other pictures.
                Node::Image(_) => {}
            }
        }
    }

    fn path(&mut self, path: &Path) {
        let opacity = |opacity: f32| (opacity * 255.0).round() as u8;
        let fill = path.fill().and_then(|fill| match fill.paint() {
            Paint::Color(colour) => Some((fill, *colour)),
            _ => None,
        });
        let stroke = path.stroke().and_then(|stroke| match stroke.paint() {
            Paint::Color(colour) => Some((stroke, *colour)),
            _ => None,
        });
        let opacities = (
            fill.map_or(255, |(fill, _)| opacity(fill.opacity().get())),
            stroke.map_or(255, |(stroke, _)| opacity(stroke.opacity().get())),
        );
        let number = self.opacities.len();
        let name = self.opacities.entry(opacities).or_insert_with(|| format!("o{number}"));
        let content = &mut self.content;
        content.save_state();
        content.set_parameters(Name(name.as_bytes()));
        let t = path.abs_transform();
        content.transform([t.sx, t.ky, t.kx, t.sy, t.tx, t.ty]);
        if let Some((_, colour)) = fill {
            let [red, green, blue] = [colour.red, colour.green, colour.blue].map(channel);
            content.set_fill_rgb(red, green, blue);
        }
        if let Some((stroke, colour)) = stroke {
            let [red, green, blue] = [colour.red, colour.green, colour.blue].map(channel);
            content.set_stroke_rgb(red, green, blue).set_line_width(stroke.width().get());
            content.set_line_cap(match stroke.linecap() {
                LineCap::Butt => LineCapStyle::ButtCap,
                LineCap::Round => LineCapStyle::RoundCap,
                LineCap::Square => LineCapStyle::ProjectingSquareCap,
            });
            content.set_line_join(match stroke.linejoin() {
                LineJoin::Round => LineJoinStyle::RoundJoin,
                LineJoin::Bevel => LineJoinStyle::BevelJoin,
                LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
            });
            if let Some(dashes) = stroke.dasharray() {
                content.set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
            }
        }
        outline(content, path);
        let even_odd = fill.is_some_and(|(fill, _)| fill.rule() == FillRule::EvenOdd);
        match (fill.is_some(), stroke.is_some()) {
            (true, true) if even_odd => content.fill_even_odd_and_stroke(),
            (true, true) => content.fill_nonzero_and_stroke(),
            (true, false) if even_odd => content.fill_even_odd(),
            (true, false) => content.fill_nonzero(),
            (false, true) => content.stroke(),
            (false, false) => content.end_path(),
        };
        content.restore_state();
    }
}

fn channel(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}

fn outline(content: &mut Content, path: &Path) {
    let mut last = (0.0, 0.0);
    for segment in path.data().segments() {
        last = match segment {
            PathSegment::MoveTo(p) => {
                content.move_to(p.x, p.y);
                (p.x, p.y)
            }
            PathSegment::LineTo(p) => {
                content.line_to(p.x, p.y);
                (p.x, p.y)
            }
            // PDF has only cubic curves.
            PathSegment::QuadTo(c, p) => {
                let toward = |from: (f32, f32)| {
                    (from.0 + 2.0 / 3.0 * (c.x - from.0), from.1 + 2.0 / 3.0 * (c.y - from.1))
                };
                let (first, second) = (toward(last), toward((p.x, p.y)));
                content.cubic_to(first.0, first.1, second.0, second.1, p.x, p.y);
                (p.x, p.y)
            }
            PathSegment::CubicTo(c, d, p) => {
                content.cubic_to(c.x, c.y, d.x, d.y, p.x, p.y);
                (p.x, p.y)
            }
            PathSegment::Close => {
                content.close_path();
                last
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::intervals::{Row, draw};
    use super::super::{Axis, Series};
    use super::*;

    fn figure() -> Svg {
        let row = |label: &str, number, value| Row {
            label: label.to_owned(),
            series: Series::Algorithm(number),
            value,
            interval: Some((value - 1.0, value + 1.0)),
        };
        draw(
            Axis::round("Difference", -5.0, 1.0),
            &[row("mio", 0, 0.0), row("x", 1, -3.0)],
            "n = 9",
        )
    }

    #[test]
    fn a_png_has_300_pixels_per_inch_and_text() {
        let file = figure().png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        assert_eq!(reader.info().width, 992);
        assert_eq!(reader.info().pixel_dims.unwrap().xppu, 11_811);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let dark = |row: usize| pixels[row * 992 * 3..(row + 1) * 992 * 3].iter().any(|b| *b < 80);
        assert!((0..40).any(dark), "no text is drawn");
        assert_eq!(figure().png().unwrap(), file);
    }

    #[test]
    fn a_pdf_has_one_page_of_the_size_of_the_figure() {
        let file = figure().pdf().unwrap();
        assert!(file.starts_with(b"%PDF-1.") && file.ends_with(b"%%EOF"), "{}", file.len());
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("/MediaBox [0 0 238.1"), "{text}");
        assert!(!text.contains("/Font"), "text is outlines");
        assert_eq!(figure().pdf().unwrap(), file);
    }
}
