//! Bitmap costumes.

use std::sync::{Arc, OnceLock};

use crate::limits::{Limits, SkinError};
use crate::picture::{Format, Picture};
use crate::silhouette::{Alpha, Silhouette};

#[derive(Debug)]
pub(super) struct Bitmap {
    bytes: Arc<[u8]>,
    /// Width and height of the raster: the size in the file, doubled for resolution 1.
    pixels: (u32, u32),
    doubled: bool,
    center: (f64, f64),
    silhouette: OnceLock<Silhouette>,
}

impl Bitmap {
    pub(super) fn new(
        bytes: Arc<[u8]>,
        resolution: Option<f64>,
        center: Option<(f64, f64)>,
        limits: &Limits,
    ) -> Result<Self, SkinError> {
        let format = Format::of(&bytes);
        let format = format.ok_or_else(|| SkinError::Picture("its format is unknown".into()))?;
        let (width, height) = format.size(&bytes).map_err(SkinError::Picture)?;
        let doubled = resolution == Some(1.0);
        let factor = if doubled { 2 } else { 1 };
        let &Limits { side, pixels, .. } = limits;
        let all = u64::from(width) * u64::from(height) * u64::from(factor * factor);
        if width.max(height) > side || all > pixels {
            let (width, height) = (f64::from(width), f64::from(height));
            return Err(SkinError::PictureTooLarge { width, height, side, pixels });
        }
        let pixels = (width * factor, height * factor);
        let size = (f64::from(pixels.0) / 2.0, f64::from(pixels.1) / 2.0);
        let factor = f64::from(factor);
        let center = if width == 0 || height == 0 {
            (0.0, 0.0)
        } else {
            center
                .map_or((size.0 / 2.0, size.1 / 2.0), |(x, y)| (x * factor / 2.0, y * factor / 2.0))
        };
        Ok(Self { bytes, pixels, doubled, center, silhouette: OnceLock::new() })
    }

    pub(super) fn size(&self) -> (f64, f64) {
        let (width, height) = self.pixels;
        if width == 0 || height == 0 {
            return (0.0, 0.0);
        }
        (f64::from(width) / 2.0, f64::from(height) / 2.0)
    }

    pub(super) fn center(&self) -> (f64, f64) {
        self.center
    }

    pub(super) fn silhouette(&self) -> &Silhouette {
        self.silhouette.get_or_init(|| {
            let (width, height) = (self.pixels.0 as usize, self.pixels.1 as usize);
            let pixels =
                self.decode().unwrap_or_else(|| vec![[0; 4]; width.saturating_mul(height)]);
            Silhouette::new(width, height, pixels, Alpha::Straight)
        })
    }

    fn decode(&self) -> Option<Vec<[u8; 4]>> {
        let picture = Picture::decode(&self.bytes)?;
        let factor = if self.doubled { 2 } else { 1 };
        if (picture.width * factor, picture.height * factor) != self.pixels {
            return None;
        }
        Some(pixels(&picture, factor as usize))
    }
}

/// The picture as read from a canvas, every pixel repeated `factor` times on both axes.
fn pixels(picture: &Picture, factor: usize) -> Vec<[u8; 4]> {
    let width = picture.width as usize * factor;
    let mut pixels = Vec::with_capacity(width * picture.height as usize * factor);
    // A picture without columns has no pixels, and no rows either.
    for row in picture.pixels.chunks(picture.width.max(1) as usize) {
        let start = pixels.len();
        for &pixel in row {
            pixels.extend(std::iter::repeat_n(through_canvas(pixel), factor));
        }
        for _ in 1..factor {
            pixels.extend_from_within(start..start + width);
        }
    }
    pixels
}

/// A pixel after it is written to a canvas and read back. A canvas stores colours multiplied by
/// alpha as bytes.
fn through_canvas([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    match a {
        0 => [0; 4],
        255 => [r, g, b, a],
        _ => {
            let alpha = f64::from(a);
            let there_and_back = |channel: u8| {
                let stored = (f64::from(channel) * alpha / 255.0).round();
                (stored * 255.0 / alpha).round() as u8
            };
            [there_and_back(r), there_and_back(g), there_and_back(b), a]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faint_colours_lose_their_lower_bits() {
        assert_eq!(through_canvas([200, 100, 3, 255]), [200, 100, 3, 255]);
        assert_eq!(through_canvas([200, 100, 3, 0]), [0; 4]);
        assert_eq!(through_canvas([200, 100, 3, 10]), [204, 102, 0, 10]);
    }

    #[test]
    fn resolution_one_doubles_pixels_and_keeps_the_size_in_units() {
        let file = Picture::from_fn(2, 1, |x, _| [x as u8, 0, 0, 255]).to_png();
        let bitmap =
            Bitmap::new(file.into(), Some(1.0), Some((1.0, 0.5)), &Limits::default()).unwrap();
        assert_eq!(bitmap.size(), (2.0, 1.0));
        assert_eq!(bitmap.center(), (1.0, 0.5));
        let silhouette = bitmap.silhouette();
        assert_eq!((silhouette.width(), silhouette.height()), (4, 2));
        let reds: Vec<u8> = (0..4).map(|x| silhouette.pixel(x, 1)[0]).collect();
        assert_eq!(reds, [0, 0, 1, 1]);
    }
}
