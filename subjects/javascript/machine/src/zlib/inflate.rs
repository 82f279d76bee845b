//! Decompression, with the errors of zlib.

use flate2::{Decompress, FlushDecompress, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Neither header nor checksum.
    Raw,
    /// The format of zlib (RFC 1950).
    Zlib,
    /// The format of gzip (RFC 1952), with any number of members in succession.
    Gzip,
}

#[derive(Debug, Default)]
pub(crate) struct Inflated {
    pub(crate) bytes: Vec<u8>,
    /// The number of bytes after the end of the compressed data.
    pub(crate) rest: usize,
    pub(crate) complete: bool,
    /// The error message of zlib; empty if there is no error.
    pub(crate) wrong: String,
    pub(crate) too_long: bool,
}

const STEP: usize = 32 << 10;

pub(crate) fn inflate(input: &[u8], format: Format, window_bits: u8, most: usize) -> Inflated {
    let mut result = Inflated::default();
    let mut rest = input;
    loop {
        let mut state = match format {
            Format::Raw => Decompress::new_with_window_bits(false, window_bits),
            Format::Zlib => Decompress::new_with_window_bits(true, window_bits),
            Format::Gzip => Decompress::new_gzip(window_bits),
        };
        loop {
            if result.bytes.len() > most {
                result.too_long = true;
                return result;
            }
            let (before, known) = (state.total_in(), result.bytes.len());
            result.bytes.reserve(STEP);
            let status = state.decompress_vec(rest, &mut result.bytes, FlushDecompress::None);
            rest = &rest[(state.total_in() - before) as usize..];
            match status {
                Ok(Status::StreamEnd) => break,
                Ok(_) if rest.is_empty() && result.bytes.len() == known => return result,
                Ok(_) if state.total_in() > before || result.bytes.len() > known => {}
                Ok(_) => return result,
                Err(error) => {
                    let dictionary = error.needs_dictionary().map(|_| "Missing dictionary");
                    let wrong = dictionary.or(error.message()).unwrap_or("invalid data");
                    result.wrong = wrong.trim_end_matches('\0').to_owned();
                    return result;
                }
            }
        }
        if format != Format::Gzip || rest.first().is_none_or(|next| *next == 0) {
            result.rest = rest.len();
            result.complete = true;
            return result;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::zlib::{DeflateSettings, Flush, Strategy, compress};

    use super::*;

    #[test]
    fn messages_for_damaged_data_are_those_of_zlib() {
        let wrong = |bytes: &[u8], format| inflate(bytes, format, 15, 1 << 20).wrong;
        assert_eq!(wrong(&[1, 2, 3], Format::Zlib), "incorrect header check");
        assert_eq!(wrong(&[0x79, 0x9c + 2], Format::Zlib), "incorrect header check");
        assert_eq!(wrong(&[7, 0, 0], Format::Raw), "invalid block type");
        assert_eq!(wrong(&[0, 1, 2, 3, 4], Format::Raw), "invalid stored block lengths");
        assert_eq!(wrong(&[0x4b, 4, 0x1b, 0], Format::Raw), "invalid distance too far back");
        assert_eq!(
            wrong(&[0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 3], Format::Gzip),
            "unknown compression method"
        );
    }

    #[test]
    fn data_that_becomes_too_long_is_not_decompressed_to_its_end() {
        let zeros = vec![0_u8; 1 << 20];
        let settings =
            DeflateSettings { level: 9, window_bits: 15, memory: 8, strategy: Strategy::Usual };
        let bytes = compress(&[(&zeros, Flush::Finish)], Format::Raw, settings).unwrap();
        let result = inflate(&bytes, Format::Raw, 15, 1_000);
        assert!(result.too_long && result.bytes.len() < 100_000);
        assert_eq!(inflate(&bytes, Format::Raw, 15, 1 << 20).bytes, zeros);
    }
}
