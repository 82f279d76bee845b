//! Compression and decompression for the module `zlib`.

mod deflate;
mod host;
mod inflate;
mod trees;

use flate2::Crc;

pub(crate) use deflate::{DeflateSettings, Flush, Strategy};
pub(crate) use host::offer;
pub(crate) use inflate::{Format, Inflated, inflate};

/// The result is complete if the last flush is [`Flush::Finish`]; `None` if it would depend on more
/// than the input.
pub(crate) fn compress(
    parts: &[(&[u8], Flush)],
    format: Format,
    settings: DeflateSettings,
) -> Option<Vec<u8>> {
    let mut bytes = header(format, settings);
    bytes.extend(deflate::deflate(parts, settings)?);
    if parts.last().is_some_and(|(_, flush)| *flush == Flush::Finish) {
        let all = parts.iter().flat_map(|(bytes, _)| *bytes);
        match format {
            Format::Raw => {}
            Format::Zlib => bytes.extend(adler32(all).to_be_bytes()),
            Format::Gzip => {
                let mut crc = Crc::new();
                parts.iter().for_each(|(bytes, _)| crc.update(bytes));
                bytes.extend(crc.sum().to_le_bytes());
                bytes.extend((all.count() as u32).to_le_bytes());
            }
        }
    }
    Some(bytes)
}

/// The CRC-32 of bytes that follow other bytes, whose CRC-32 is `before`.
pub(crate) fn crc32(bytes: &[u8], before: u32) -> u32 {
    let mut remainder = !before;
    for byte in bytes {
        remainder ^= u32::from(*byte);
        for _ in 0..8 {
            remainder = remainder >> 1 ^ if remainder & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !remainder
}

fn header(format: Format, settings: DeflateSettings) -> Vec<u8> {
    let simple =
        settings.level < 2 || !matches!(settings.strategy, Strategy::Usual | Strategy::Filtered);
    match format {
        Format::Raw => Vec::new(),
        Format::Zlib => {
            let level = match settings.level {
                _ if simple => 0,
                ..6 => 1,
                6 => 2,
                _ => 3,
            };
            let header = (8 + ((settings.window_bits - 8) << 4)) << 8 | level << 6;
            ((header + 31 - header % 31) as u16).to_be_bytes().to_vec()
        }
        Format::Gzip => {
            let level = if settings.level == 9 { 2 } else { u8::from(simple) << 2 };
            vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, level, 3]
        }
    }
}

fn adler32<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    high << 16 | low
}
