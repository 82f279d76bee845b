//! Windows bitmaps (BMP), without embedded pictures in other formats.

use super::Picture;

pub(super) struct Bmp<'a> {
    file: &'a [u8],
    width: u32,
    height: u32,
    top_down: bool,
    depth: u32,
    storage: Storage,
}

enum Storage {
    Palette(Palette),
    /// Runs of indices with 4 or 8 bits.
    Runs(Palette),
    Channels([Channel; 3], Option<Channel>),
}

/// A colour for each index; black for indices without a colour.
type Palette = Box<[[u8; 4]; 256]>;

const BLACK: [u8; 4] = [0, 0, 0, 255];

struct Channel {
    shift: u32,
    max: u32,
}

impl Channel {
    /// The channel of a mask, whose bits must be contiguous and inside the pixel.
    fn of(mask: u32, depth: u32) -> Option<Channel> {
        let max = mask.checked_shr(mask.trailing_zeros())?;
        if u64::from(mask) >> depth > 0 || max & max.wrapping_add(1) > 0 {
            return None;
        }
        // Use only the upper 8 bits of a larger channel.
        let lower = max.count_ones().saturating_sub(8);
        Some(Channel { shift: mask.trailing_zeros() + lower, max: max >> lower })
    }

    fn read(&self, pixel: u32) -> u8 {
        (((pixel >> self.shift & self.max) * 255 + self.max / 2) / self.max) as u8
    }
}

impl<'a> Bmp<'a> {
    pub(super) fn read(file: &'a [u8]) -> Option<Bmp<'a>> {
        let header = u32_at(file, 14)?;
        let (width, height, depth, compression, colors) = match header {
            12 => {
                let depth = u16_at(file, 24)?;
                if depth == 2 || depth == 16 || depth == 32 {
                    return None;
                }
                (u16_at(file, 18)?, u16_at(file, 20)? as i32, depth, 0, 0)
            }
            40 | 52 | 56 | 108 | 124 => (
                u32_at(file, 18)?,
                u32_at(file, 22)? as i32,
                u16_at(file, 28)?,
                u32_at(file, 30)?,
                u32_at(file, 46)?,
            ),
            _ => return None,
        };
        let planes = u16_at(file, if header == 12 { 22 } else { 26 })?;
        if planes != 1 || width == 0 || width > 0xffff || height == 0 {
            return None;
        }
        let palette = || {
            let entry = if header == 12 { 3 } else { 4 };
            let count = if colors == 0 { 1 << depth } else { colors as usize };
            let start = 14 + header as usize;
            let stored = file.get(start..start + count.min(257) * entry)?;
            let mut palette = Box::new([BLACK; 256]);
            for (color, stored) in palette.get_mut(..count)?.iter_mut().zip(stored.chunks(entry)) {
                *color = [stored[2], stored[1], stored[0], 255];
            }
            (count <= 1 << depth).then_some(palette)
        };
        let channels = |masks: [u32; 3], alpha: u32| {
            let [red, green, blue] = masks.map(|mask| Channel::of(mask, depth));
            let alpha = if alpha == 0 { None } else { Some(Channel::of(alpha, depth)?) };
            Some(Storage::Channels([red?, green?, blue?], alpha))
        };
        let storage = match (compression, depth) {
            (0, 1 | 2 | 4 | 8) => Storage::Palette(palette()?),
            (0, 16) => channels([0x7c00, 0x3e0, 0x1f], 0)?,
            (0, 24 | 32) => channels([0xff_0000, 0xff00, 0xff], 0)?,
            (1, 8) | (2, 4) if height > 0 => Storage::Runs(palette()?),
            (3, 16 | 32) => {
                let masks = [u32_at(file, 54)?, u32_at(file, 58)?, u32_at(file, 62)?];
                channels(masks, if header < 56 { 0 } else { u32_at(file, 66)? })?
            }
            _ => return None,
        };
        let (top_down, height) = (height < 0, height.unsigned_abs());
        Some(Bmp { file, width, height, top_down, depth, storage })
    }

    pub(super) fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    pub(super) fn decode(&self) -> Option<Picture> {
        let data = self.file.get(u32_at(self.file, 10)? as usize..)?;
        let (width, height) = (self.width as usize, self.height as usize);
        let mut pixels = vec![BLACK; width * height];
        let rows = pixels.chunks_mut(width);
        if let Storage::Runs(palette) = &self.storage {
            self.runs(data, palette, rows.rev().collect())?;
        } else {
            let stride = (width * self.depth as usize).div_ceil(32) * 4;
            let rows: Vec<_> = if self.top_down { rows.collect() } else { rows.rev().collect() };
            for (at, row) in rows.into_iter().enumerate() {
                self.row(data.get(at * stride..(at + 1) * stride)?, row);
            }
        }
        Some(Picture { width: self.width, height: self.height, pixels })
    }

    fn row(&self, data: &[u8], row: &mut [[u8; 4]]) {
        let depth = self.depth as usize;
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = match &self.storage {
                Storage::Palette(palette) | Storage::Runs(palette) => {
                    let bits = data[x * depth / 8] >> (8 - depth - x * depth % 8);
                    palette[usize::from(bits) & ((1 << depth) - 1)]
                }
                Storage::Channels(channels, alpha) => {
                    let bytes = &data[x * depth / 8..(x + 1) * depth / 8];
                    let bits =
                        bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
                    let [red, green, blue] = channels.each_ref().map(|channel| channel.read(bits));
                    [red, green, blue, alpha.as_ref().map_or(255, |alpha| alpha.read(bits))]
                }
            }
        }
    }

    /// Decodes runs of pixels. Pixels that no run sets are black.
    fn runs(&self, data: &[u8], palette: &Palette, mut rows: Vec<&mut [[u8; 4]]>) -> Option<()> {
        let mut data = data.iter().copied();
        let (mut x, mut y) = (0, 0);
        while y < rows.len() {
            let (count, value) = (data.next()?, data.next()?);
            let indices: Vec<u8> = match (count, value) {
                (0, 0) => {
                    (x, y) = (0, y + 1);
                    continue;
                }
                (0, 1) => break,
                (0, 2) => {
                    x += usize::from(data.next()?);
                    y += usize::from(data.next()?);
                    if x > self.width as usize || y >= rows.len() {
                        return None;
                    }
                    continue;
                }
                // Indices without repetition, padded to words of 16 bits.
                (0, count) => {
                    let bytes = (usize::from(count) * self.depth as usize).div_ceil(16) * 2;
                    let stored: Vec<u8> = data.by_ref().take(bytes).collect();
                    if stored.len() < bytes {
                        return None;
                    }
                    self.indices(stored.into_iter(), count)
                }
                (count, value) => self.indices(std::iter::repeat(value), count),
            };
            let row = rows[y].get_mut(x..)?;
            // Accept repeated indices of 8 bits that exceed their row, because some programs write
            // them.
            if indices.len() > row.len() && (count == 0 || self.depth == 4) {
                return None;
            }
            for (pixel, &index) in row.iter_mut().zip(&indices) {
                *pixel = palette[usize::from(index)];
            }
            x = (x + indices.len()).min(self.width as usize);
        }
        Some(())
    }

    fn indices(&self, bytes: impl Iterator<Item = u8>, count: u8) -> Vec<u8> {
        let count = usize::from(count);
        if self.depth == 4 {
            bytes.flat_map(|byte| [byte >> 4, byte & 15]).take(count).collect()
        } else {
            bytes.take(count).collect()
        }
    }
}

fn u16_at(file: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_le_bytes(*file.get(at..)?.first_chunk()?)))
}

fn u32_at(file: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?))
}
