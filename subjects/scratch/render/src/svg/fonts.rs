//! Fonts for text in costumes. Fonts of the host are never used, because they differ between
//! computers.

use std::sync::{Arc, OnceLock};

use resvg::usvg::{self, FontFamily, fontdb};

const FAMILIES: [(&str, &[u8]); 7] = [
    (SANS_SERIF, include_bytes!("../../fonts/NotoSans-Medium.ttf")),
    (SERIF, include_bytes!("../../fonts/SourceSerifPro-Regular.otf")),
    ("Handwriting", include_bytes!("../../fonts/Handlee-Regular.ttf")),
    ("Marker", include_bytes!("../../fonts/Knewave-Regular.ttf")),
    ("Curly", include_bytes!("../../fonts/Griffy-Regular.ttf")),
    ("Pixel", include_bytes!("../../fonts/Grand9K-Pixel.ttf")),
    ("Scratch", include_bytes!("../../fonts/Scratch.ttf")),
];
const SANS_SERIF: &str = "Sans Serif";
const SERIF: &str = "Serif";
/// Sans-serif families that costumes use although Scratch has no font for them.
const WITHOUT_SERIFS: [&str; 6] =
    ["Arial", "Helvetica", "Helvetica Neue", "Roboto", "Tahoma", "Verdana"];

pub(super) fn resolver() -> usvg::FontResolver<'static> {
    usvg::FontResolver {
        select_font: Box::new(|font, database| {
            let fonts = Fonts::get();
            database.clone_from(&fonts.database);
            // For an unknown family, a browser uses its standard font, which usually has serifs.
            let known = font.families().iter().find_map(|family| fonts.face(name_of(family)));
            known.or_else(|| fonts.face(SERIF))
        }),
        select_fallback: usvg::FontResolver::default_fallback_selector(),
    }
}

fn name_of(family: &FontFamily) -> &str {
    match family {
        FontFamily::SansSerif | FontFamily::Monospace => SANS_SERIF,
        FontFamily::Serif => SERIF,
        FontFamily::Cursive | FontFamily::Fantasy => "Handwriting",
        FontFamily::Named(name) if WITHOUT_SERIFS.contains(&&name[..]) => SANS_SERIF,
        FontFamily::Named(name) => name,
    }
}

struct Fonts {
    database: Arc<fontdb::Database>,
    faces: Vec<(&'static str, fontdb::ID)>,
}

impl Fonts {
    fn get() -> &'static Self {
        static FONTS: OnceLock<Fonts> = OnceLock::new();
        FONTS.get_or_init(|| {
            let mut database = fontdb::Database::new();
            let mut faces = Vec::new();
            for (name, bytes) in FAMILIES {
                let source = fontdb::Source::Binary(Arc::new(bytes));
                faces.extend(database.load_font_source(source).first().map(|id| (name, *id)));
            }
            Self { database: Arc::new(database), faces }
        })
    }

    fn face(&self, family: &str) -> Option<fontdb::ID> {
        self.faces.iter().find(|(name, _)| *name == family).map(|(_, id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_a_font() {
        for (name, _) in FAMILIES {
            assert!(Fonts::get().face(name).is_some(), "{name}");
        }
    }
}
