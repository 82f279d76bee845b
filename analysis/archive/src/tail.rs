//! Reads the end of a zip archive, and checks it before the sizes in it are used.

use std::io::{self, Read, Seek, SeekFrom};

use crate::MAX_FILES;

/// Length in bytes of the record at the end of the file.
const END: u64 = 22;
/// Lengths in bytes of the locator and the record that precede it in large archives (ZIP64).
const LOCATOR: u64 = 20;
const END_64: u64 = 56;
/// Maximum size in bytes of an entry of the central directory.
const MAX_HEADER: u64 = 46 + 512 + 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    pub(crate) files: u64,
    pub(crate) start: u64,
    pub(crate) size: u64,
}

/// Reads the end of an archive. The inner error says why the archive is refused.
pub(crate) fn read(file: &mut (impl Read + Seek)) -> io::Result<Result<Tail, String>> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(end) = length.checked_sub(END) else { return Ok(Err(damaged())) };
    let last: [u8; END as usize] = bytes_at(file, end)?;
    if last[..8] != *b"PK\x05\x06\0\0\0\0" || last[20..] != [0, 0] {
        return Ok(Err(damaged()));
    }
    let (files, of_16) = (u64::from(u16_at(&last, 10)), u64::from(u16_at(&last, 8)));
    let (size, start) = (u64::from(u32_at(&last, 12)), u64::from(u32_at(&last, 16)));
    let large = files == 0xffff || size == 0xffff_ffff || start == 0xffff_ffff;
    let (files, of, size, start, directory_end) = if large {
        let Some(locator_at) = end.checked_sub(LOCATOR) else { return Ok(Err(damaged())) };
        let locator: [u8; LOCATOR as usize] = bytes_at(file, locator_at)?;
        let at = u64_at(&locator, 8);
        if locator[..4] != *b"PK\x06\x07" || at.checked_add(END_64) != Some(locator_at) {
            return Ok(Err(damaged()));
        }
        let record: [u8; END_64 as usize] = bytes_at(file, at)?;
        if record[..4] != *b"PK\x06\x06" {
            return Ok(Err(damaged()));
        }
        let field = |position| u64_at(&record, position);
        (field(32), field(24), field(40), field(48), at)
    } else {
        (files, of_16, size, start, end)
    };
    if of != files {
        return Ok(Err(damaged()));
    }
    if files > MAX_FILES as u64 {
        return Ok(Err(format!("{files} files are more than the maximum of {MAX_FILES}")));
    }
    if size > files * MAX_HEADER || start.checked_add(size) != Some(directory_end) {
        return Ok(Err(damaged()));
    }
    Ok(Ok(Tail { files, start, size }))
}

fn damaged() -> String {
    "is not an intact zip archive: it is truncated or damaged, or there are bytes before or after it"
        .to_owned()
}

fn bytes_at<const N: usize>(file: &mut (impl Read + Seek), position: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(position))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
