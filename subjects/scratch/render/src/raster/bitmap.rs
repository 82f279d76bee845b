//! Bitmaps within documents, with nearest sampling.
//!
//! The browser first reduces a large bitmap once, by the largest power of two for which neither the
//! width nor the height becomes smaller than drawn; then the device samples the result. On the
//! border between two pixels, both steps select the left or the upper pixel.

use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::{self, ImageKind, ImageRendering};

use super::rectangle::Rectangle;
use super::samples::Area;
use crate::picture::Picture;

pub(super) struct Bitmap {
    picture: Picture,
    pub(super) place: Rectangle,
    mirrored: (bool, bool),
}

impl Bitmap {
    /// Returns `None` if `resvg` must draw the image.
    pub(super) fn of(image: &usvg::Image, transform: Transform) -> Option<Bitmap> {
        let Transform { sx, sy, kx, ky, tx, ty } = transform;
        let nearest = matches!(
            image.rendering_mode(),
            ImageRendering::OptimizeSpeed | ImageRendering::CrispEdges | ImageRendering::Pixelated
        );
        if !nearest || kx != 0.0 || ky != 0.0 {
            return None;
        }
        let data = match image.kind() {
            ImageKind::PNG(data)
            | ImageKind::JPEG(data)
            | ImageKind::GIF(data)
            | ImageKind::WEBP(data) => data,
            ImageKind::SVG(_) => return None,
        };
        let picture = Picture::decode(data)?;
        let (width, height) = (picture.width as f32, picture.height as f32);
        let place = Rectangle::between((tx, ty), (tx + width * sx, ty + height * sy));
        let picture = reduced(picture, place.size());
        Some(Bitmap { picture, place, mirrored: (sx < 0.0, sy < 0.0) })
    }

    /// Paints the bitmap over the pixels of an area according to `coverage`, whose rows correspond
    /// to the rows of `pixmap`.
    pub(super) fn paint(&self, area: Area, coverage: &[u8], pixmap: &mut Pixmap) {
        let Picture { width, height, .. } = self.picture;
        let (left, top) = self.place.corner();
        let (across, down) = self.place.size();
        let columns: Vec<u32> = (area.left..area.right)
            .map(|x| source(x as f64 + 0.5 - left, across, width, self.mirrored.0))
            .collect();
        let stride = pixmap.width() as usize;
        for y in area.top..area.bottom {
            let row = source(y as f64 + 0.5 - top, down, height, self.mirrored.1);
            let place = y * stride + area.left..y * stride + area.right;
            let painted = pixmap.pixels_mut()[place.clone()].iter_mut().zip(&coverage[place]);
            for ((pixel, &covered), &column) in painted.zip(&columns) {
                if covered > 0 {
                    *pixel = over(self.picture.pixel(column, row), covered, *pixel);
                }
            }
        }
    }
}

/// The column or row of a bitmap that is drawn at the distance `at` from the left or upper edge. The
/// distance and the drawn `length` are in the same unit.
fn source(at: f64, length: f64, count: u32, mirrored: bool) -> u32 {
    let at = at / length * f64::from(count);
    let at = if mirrored { f64::from(count) - at } else { at };
    // The cast saturates.
    ((at.ceil() - 1.0) as u32).min(count - 1)
}

fn reduced(picture: Picture, (across, down): (f64, f64)) -> Picture {
    let Picture { width, height, .. } = picture;
    let halved = |halvings: u32| ((width >> halvings).max(1), (height >> halvings).max(1));
    let mut halvings = 0;
    while width.max(height) >> halvings > 1 {
        let (next_width, next_height) = halved(halvings + 1);
        if f64::from(next_width) < across.ceil() || f64::from(next_height) < down.ceil() {
            break;
        }
        halvings += 1;
    }
    if halvings == 0 {
        return picture;
    }
    let (new_width, new_height) = halved(halvings);
    let at = |place: u32, count: u32, new: u32| {
        source(f64::from(place) + 0.5, f64::from(new), count, false)
    };
    Picture::from_fn(new_width, new_height, |x, y| {
        picture.pixel(at(x, width, new_width), at(y, height, new_height))
    })
}

fn over(color: [u8; 4], covered: u8, below: PremultipliedColorU8) -> PremultipliedColorU8 {
    let alpha = f32::from(color[3]) / 255.0;
    let share = f32::from(covered) / 255.0;
    let rest = 1.0 - alpha * share;
    let mix = |channel: u8, below: u8| {
        // The browser stores bitmaps with colours multiplied by alpha.
        let channel = (f32::from(channel) * alpha).round();
        (channel * share + f32::from(below) * rest).round() as u8
    };
    let alpha = (f32::from(color[3]) * share + f32::from(below.alpha()) * rest).round() as u8;
    let [red, green, blue] =
        [mix(color[0], below.red()), mix(color[1], below.green()), mix(color[2], below.blue())]
            .map(|channel| channel.min(alpha));
    PremultipliedColorU8::from_rgba(red, green, blue, alpha).unwrap_or(below)
}
