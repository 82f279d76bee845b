//! Checks both headers of each file in a zip archive, because programs that unpack an archive may
//! read only one of the two.

use std::io::{self, Read, Seek, SeekFrom};

use crate::error::Problem;
use crate::is_executable;
use crate::tail::Tail;

/// Lengths in bytes of the fixed parts of a header before a file and of a header in the central
/// directory.
const LOCAL: usize = 30;
const CENTRAL: usize = 46;

/// External attributes of a file: the Unix mode in the upper 16 bits.
const ATTRIBUTES: u32 = 0o100_644 << 16;
const EXECUTABLE: u32 = 0o100_755 << 16;

/// Id of Unix as the system that defines the external attributes.
const UNIX: u8 = 3;

/// 1980-01-01 and 00:00 in the format of MS-DOS.
const DATE: u16 = 0x21;
const TIME: u16 = 0;

const UTF_8: u16 = 0x800;

/// Id of the extra field with 64-bit sizes, and the value of a 32-bit size if this field contains
/// the size.
const ZIP_64: u16 = 1;
const IN_ZIP_64: u32 = u32::MAX;

pub(crate) type Flawed = (String, Problem);

pub(crate) fn check<F: Read + Seek>(file: &mut F, tail: &Tail) -> io::Result<Result<(), Flawed>> {
    let mut directory = vec![0; usize::try_from(tail.size).unwrap_or(usize::MAX)];
    file.seek(SeekFrom::Start(tail.start))?;
    file.read_exact(&mut directory)?;
    let mut rest = &directory[..];
    for _ in 0..tail.files {
        let (central, after) = match Header::split(rest, CENTRAL, b"PK\x01\x02") {
            Some(found) => found,
            None => return Ok(Err(flawed(b"the central directory", "is damaged"))),
        };
        rest = after;
        if let Some(flaw) = central.flaw_of_central() {
            return Ok(Err(flawed(central.name, flaw)));
        }
        let mut fixed = [0; LOCAL];
        file.seek(SeekFrom::Start(central.offset()))?;
        file.read_exact(&mut fixed)?;
        let more = usize::from(u16_at(&fixed, 26)) + usize::from(u16_at(&fixed, 28));
        let mut bytes = fixed.to_vec();
        bytes.resize(LOCAL + more, 0);
        file.read_exact(&mut bytes[LOCAL..])?;
        let flaw = match Header::split(&bytes, LOCAL, b"PK\x03\x04") {
            Some((local, _)) => local.flaw_of_local(&central),
            None => Some("has a damaged header"),
        };
        if let Some(flaw) = flaw {
            return Ok(Err(flawed(central.name, flaw)));
        }
    }
    match rest {
        [] => Ok(Ok(())),
        _ => Ok(Err(flawed(b"the central directory", "is damaged"))),
    }
}

fn flawed(name: &[u8], flaw: &'static str) -> Flawed {
    (String::from_utf8_lossy(name).into_owned(), Problem::Header(flaw))
}

struct Header<'a> {
    fixed: &'a [u8],
    name: &'a [u8],
    extra: &'a [u8],
    comment: &'a [u8],
}

impl<'a> Header<'a> {
    fn split(bytes: &'a [u8], fixed: usize, signature: &[u8]) -> Option<(Header<'a>, &'a [u8])> {
        let (fixed, rest) = bytes.split_at_checked(fixed)?;
        if !fixed.starts_with(signature) {
            return None;
        }
        let is_central = fixed.len() == CENTRAL;
        let lengths = if is_central { 28 } else { 26 };
        let length = |at| usize::from(u16_at(fixed, at));
        let (name, rest) = rest.split_at_checked(length(lengths))?;
        let (extra, rest) = rest.split_at_checked(length(lengths + 2))?;
        let (comment, rest) = rest.split_at_checked(if is_central { length(32) } else { 0 })?;
        Some((Header { fixed, name, extra, comment }, rest))
    }

    /// The fields that both headers contain: version needed, flags, method, time, date, checksum
    /// and sizes.
    fn shared(&self) -> &'a [u8] {
        let start = if self.fixed.len() == CENTRAL { 6 } else { 4 };
        &self.fixed[start..start + 22]
    }

    /// The compressed and the uncompressed size in bytes.
    fn sizes(&self) -> Option<(u64, u64)> {
        let shared = self.shared();
        let (compressed, size) = (u32_at(shared, 14), u32_at(shared, 18));
        let mut fields = Fields::of(self.extra)?;
        let mut wide = |narrow: u32| match narrow {
            IN_ZIP_64 => fields.next(),
            narrow => Some(u64::from(narrow)),
        };
        // The 64-bit sizes are in the opposite order: the uncompressed size comes first.
        let size = wide(size)?;
        Some((wide(compressed)?, size))
    }

    fn offset(&self) -> u64 {
        let narrow = u32_at(self.fixed, 42);
        let wide =
            || Fields::of(self.extra)?.0.last_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        match narrow {
            IN_ZIP_64 => wide().unwrap_or(u64::MAX >> 1),
            narrow => u64::from(narrow),
        }
    }

    fn flaw_of_central(&self) -> Option<&'static str> {
        let shared = self.shared();
        let flags = u16_at(shared, 2);
        let is_plain = self.name.is_ascii();
        let executable = std::str::from_utf8(self.name).is_ok_and(is_executable);
        let attributes = if executable { EXECUTABLE } else { ATTRIBUTES };
        if u32_at(self.fixed, 38) != attributes {
            Some("has permissions that this file never has in a package")
        } else if self.fixed[4..6] != [self.fixed[6], UNIX]
            || self.fixed[34..38] != [0; 4]
            || !self.comment.is_empty()
        {
            Some("has a header that no file of a package has")
        } else if flags & !UTF_8 != 0 || (flags == 0) != is_plain {
            Some("has flags that this file never has in a package")
        } else if (u16_at(shared, 6), u16_at(shared, 8)) != (TIME, DATE) {
            Some("has a time that no file of a package has")
        } else if self.sizes().is_none() {
            Some("has fields in its header that no file of a package has")
        } else {
            None
        }
    }

    fn flaw_of_local(&self, central: &Header<'_>) -> Option<&'static str> {
        let (own, other) = (self.shared(), central.shared());
        if self.name != central.name {
            Some("has a different name in the header before it")
        } else if own[..14] != other[..14] || self.sizes() != central.sizes() {
            Some("has two headers that differ")
        } else {
            None
        }
    }
}

/// The 64-bit values in the extra field of a header.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn of(extra: &'a [u8]) -> Option<Fields<'a>> {
        match extra {
            [] => Some(Fields(extra)),
            [id_low, id_high, length_low, length_high, rest @ ..] => {
                let id = u16::from_le_bytes([*id_low, *id_high]);
                let length = usize::from(u16::from_le_bytes([*length_low, *length_high]));
                let fits = id == ZIP_64 && length == rest.len() && length.is_multiple_of(8);
                (fits && length <= 24).then_some(Fields(rest))
            }
            _ => None,
        }
    }

    fn next(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
