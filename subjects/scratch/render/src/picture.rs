//! Pictures in the formats of bitmap costumes: PNG, JPEG, GIF, WebP and BMP.
//!
//! Colour profiles are ignored, and only the first picture of an animation is read.

mod bmp;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::io::Cursor;

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use bmp::Bmp;

/// Limit of the memory of the PNG decoder, in bytes.
const MAX_PNG_BYTES: usize = 512 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Jpeg,
    Gif,
    WebP,
    Bmp,
}

/// The pixels of a picture, row by row from the top: red, green, blue (not multiplied by alpha),
/// and alpha.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<[u8; 4]>,
}

impl Format {
    pub(crate) fn of(data: &[u8]) -> Option<Format> {
        Some(match data {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Format::Png,
            [0xff, 0xd8, 0xff, ..] => Format::Jpeg,
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Format::Gif,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Format::WebP,
            [b'B', b'M', ..] => Format::Bmp,
            _ => return None,
        })
    }

    pub(crate) fn size(self, data: &[u8]) -> Result<(u32, u32), String> {
        fn text(error: impl Display) -> String {
            error.to_string()
        }
        match self {
            Format::Png => Ok(png_reader(data).map_err(text)?.info().size()),
            Format::Jpeg => {
                let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), jpeg_options());
                decoder.decode_headers().map_err(text)?;
                let (width, height) = decoder.dimensions().ok_or("no size")?;
                Ok((u32::try_from(width).map_err(text)?, u32::try_from(height).map_err(text)?))
            }
            Format::Gif => {
                let reader = gif::DecodeOptions::new().read_info(data).map_err(text)?;
                Ok((u32::from(reader.width()), u32::from(reader.height())))
            }
            Format::WebP => {
                let decoder = image_webp::WebPDecoder::new(Cursor::new(data)).map_err(text)?;
                Ok(decoder.dimensions())
            }
            Format::Bmp => Ok(Bmp::read(data).ok_or("damaged header")?.size()),
        }
    }
}

impl Picture {
    /// Decodes a file. The caller must have checked the size of the picture.
    pub(crate) fn decode(data: &[u8]) -> Option<Picture> {
        match Format::of(data)? {
            Format::Png => png(data),
            Format::Jpeg => jpeg(data),
            Format::Gif => gif(data),
            Format::WebP => webp(data),
            Format::Bmp => Bmp::read(data)?.decode(),
        }
    }

    pub(crate) fn from_fn(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Picture {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Picture { width, height, pixels: places.map(|(x, y)| pixel(x, y)).collect() }
    }

    pub(crate) fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    fn of<const N: usize>(
        (width, height): (u32, u32),
        bytes: &[u8],
        of: impl Fn([u8; N]) -> [u8; 4],
    ) -> Picture {
        let pixels = bytes.as_chunks().0.iter().map(|&pixel| of(pixel)).collect();
        Picture { width, height, pixels }
    }

    #[cfg(test)]
    pub(crate) fn to_png(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(self.pixels.as_flattened()).unwrap();
        drop(writer);
        file
    }
}

fn png_reader(data: &[u8]) -> Result<png::Reader<Cursor<&[u8]>>, png::DecodingError> {
    let limits = png::Limits { bytes: MAX_PNG_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(data), limits);
    // Palettes and channels of fewer than 8 bits are expanded to 8 bits; channels of 16 bits are
    // rounded by the code below, not truncated.
    decoder.set_transformations(png::Transformations::EXPAND);
    decoder.read_info()
}

fn png(data: &[u8]) -> Option<Picture> {
    let mut reader = png_reader(data).ok()?;
    let size = reader.info().size();
    let mut bytes = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut bytes).ok()?;
    let (color, depth) = reader.output_color_type();
    if depth == png::BitDepth::Sixteen {
        let words = bytes.as_chunks().0.iter().map(|&word| u32::from(u16::from_be_bytes(word)));
        bytes = words.map(|word| ((word + 128) / 257) as u8).collect();
    }
    Some(match color {
        png::ColorType::Grayscale => Picture::of(size, &bytes, |[l]| [l, l, l, 255]),
        png::ColorType::GrayscaleAlpha => Picture::of(size, &bytes, |[l, a]| [l, l, l, a]),
        png::ColorType::Rgb => Picture::of(size, &bytes, |[r, g, b]| [r, g, b, 255]),
        png::ColorType::Rgba => Picture::of(size, &bytes, |pixel| pixel),
        png::ColorType::Indexed => return None,
    })
}

fn jpeg_options() -> DecoderOptions {
    DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX)
}

fn jpeg(data: &[u8]) -> Option<Picture> {
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), jpeg_options());
    decoder.decode_headers().ok()?;
    let (width, height) = decoder.dimensions()?;
    let size = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let gray = decoder.input_colorspace()? == ColorSpace::Luma;
    let color = if gray { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(jpeg_options().jpeg_set_out_colorspace(color));
    let bytes = decoder.decode().ok()?;
    Some(if gray {
        Picture::of(size, &bytes, |[l]| [l, l, l, 255])
    } else {
        Picture::of(size, &bytes, |[r, g, b]| [r, g, b, 255])
    })
}

/// The first frame of an animation, on a transparent canvas.
fn gif(data: &[u8]) -> Option<Picture> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(data).ok()?;
    let (width, height) = (reader.width(), reader.height());
    let frame = reader.read_next_frame().ok()??;
    let area = (u32::from(frame.width), u32::from(frame.height));
    let drawn = Picture::of(area, &frame.buffer, |pixel| pixel);
    let (left, top) = (u32::from(frame.left), u32::from(frame.top));
    Some(Picture::from_fn(u32::from(width), u32::from(height), |x, y| {
        let place = (x.wrapping_sub(left), y.wrapping_sub(top));
        if place.0 < area.0 && place.1 < area.1 { drawn.pixel(place.0, place.1) } else { [0; 4] }
    }))
}

fn webp(data: &[u8]) -> Option<Picture> {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(data)).ok()?;
    let size = decoder.dimensions();
    let mut bytes = vec![0; decoder.output_buffer_size()?];
    decoder.read_image(&mut bytes).ok()?;
    Some(if decoder.has_alpha() {
        Picture::of(size, &bytes, |pixel| pixel)
    } else {
        Picture::of(size, &bytes, |[r, g, b]| [r, g, b, 255])
    })
}
