//! The font of figures, and the widths of text in this font.

use std::sync::{Arc, LazyLock};

use resvg::usvg::{FontResolver, fontdb};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider as _};

/// Liberation Sans, whose letters are as wide as the letters of Helvetica and Arial.
const FONT: &[u8] = include_bytes!("../../fonts/LiberationSans-Regular.ttf");

/// A character that is not in the font is taken to be as wide as the font size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::new(FONT) else { return text.chars().count() as f64 * size };
    let letters = font.charmap();
    let widths = font.glyph_metrics(Size::unscaled(), LocationRef::default());
    let em = f64::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em);
    let width = |letter: char| widths.advance_width(letters.map(letter)?);
    text.chars().map(|letter| width(letter).map_or(size, |w| f64::from(w) / em * size)).sum()
}

/// A word that is wider than `most` pixels has a separate line.
pub(super) fn lines(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Pictures must be equal on every computer.
pub(super) fn database() -> Arc<fontdb::Database> {
    static DATABASE: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut database = fontdb::Database::new();
        database.load_font_source(fontdb::Source::Binary(Arc::new(FONT)));
        Arc::new(database)
    });
    Arc::clone(&DATABASE)
}

pub(super) fn resolver() -> FontResolver<'static> {
    FontResolver {
        select_font: Box::new(|_, database| database.faces().next().map(|face| face.id)),
        select_fallback: Box::new(|_, _, _| None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_width_of_helvetica() {
        // Adobe publishes these widths in thousandths of the size: 833 for M, 222 for i, and 278
        // for a space.
        assert!((width("Mi ", 1_000.0) - 1_333.0).abs() < 1.0, "{}", width("Mi ", 1_000.0));
        assert_eq!(width("\u{4e00}", 12.0), 12.0);
        assert_eq!(lines("n = 5  projects", 12.0, 40.0), ["n = 5", "projects"]);
        assert!(lines("", 12.0, 40.0).is_empty());
    }
}
