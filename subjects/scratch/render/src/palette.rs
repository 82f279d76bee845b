//! The colours of rasters.

use rustc_hash::FxHashSet;

use crate::color::{BACKGROUND_COLOR, Shown, color_kind};

/// Maximum number of different pixels that are kept, including the transparent pixel.
const MAX_PIXELS: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct Palette {
    /// The [kinds](color_kind) of the opaque pixels, as a bit set.
    kinds: Box<[u64]>,
    translucent: bool,
    /// The different pixels and the transparent pixel; `None` if there are more than
    /// [`MAX_PIXELS`].
    pixels: Option<Box<[[u8; 4]]>>,
}

impl Palette {
    pub(crate) fn of(pixels: impl Iterator<Item = [u8; 4]>) -> Self {
        let mut palette = Self {
            kinds: vec![0; (color_kind(BACKGROUND_COLOR) + 1) / 64].into(),
            translucent: false,
            pixels: None,
        };
        let mut seen = FxHashSet::from_iter([[0; 4]]);
        // Skip repeated pixels, because neighbouring pixels often have the same colour.
        let mut last = [0; 4];
        for pixel in pixels {
            if pixel == last {
                continue;
            }
            last = pixel;
            match pixel {
                [0, 0, 0, 0] => {}
                [r, g, b, 255] => {
                    let kind = color_kind([r, g, b]);
                    palette.kinds[kind / 64] |= 1 << (kind % 64);
                }
                _ => palette.translucent = true,
            }
            if seen.len() <= MAX_PIXELS {
                seen.insert(pixel);
            }
        }
        palette.pixels = (seen.len() <= MAX_PIXELS).then(|| seen.into_iter().collect());
        palette
    }

    /// Whether some pixel may show a colour, by itself or blended with its background.
    pub(crate) fn may_show(&self, rgb: [u8; 3]) -> bool {
        let kind = color_kind(rgb);
        self.translucent || self.kinds[kind / 64] >> (kind % 64) & 1 == 1
    }

    /// Whether some pixel may show the wanted colour after effects, which `shown` applies.
    pub(crate) fn may_show_after(&self, shown: impl Fn([u8; 4]) -> Shown) -> bool {
        let may = |pixel: &[u8; 4]| matches!(shown(*pixel), Shown::Wanted | Shown::Blend);
        self.pixels.as_ref().is_none_or(|pixels| pixels.iter().any(may))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_asked_for_all_pixels() {
        let pixels = |count: u8| (0..=count).map(|grey| [grey, grey, grey, 255]);
        let few = Palette::of(pixels(200));
        for wanted in [0, 77, 200, 201] {
            let shown = |pixel| if pixel == [wanted; 4] { Shown::Wanted } else { Shown::Other };
            // Of these pixels, only the transparent pixel has four equal channels.
            assert_eq!(few.may_show_after(shown), wanted == 0);
            let shown = |pixel: [u8; 4]| {
                if pixel[0] == wanted && pixel[3] == 255 { Shown::Blend } else { Shown::Nothing }
            };
            assert_eq!(few.may_show_after(shown), wanted <= 200);
        }
        let many = Palette::of(pixels(255));
        assert!(many.may_show_after(|_| Shown::Other), "too many pixels to know");
    }
}
