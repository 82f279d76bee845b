//! Archives: unpacking, packing, and mutation of their files and bytes.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::rng::Rng;

pub(super) type Files = Vec<(String, Vec<u8>)>;

pub(super) fn unpack(bytes: &[u8]) -> Files {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else { return Files::new() };
    let mut files = Files::new();
    for i in 0..archive.len() {
        let Ok(entry) = archive.by_index(i) else { continue };
        let Ok(name) = entry.name().map(std::borrow::Cow::into_owned) else { continue };
        let mut bytes = Vec::new();
        if entry.take(64 << 20).read_to_end(&mut bytes).is_ok() {
            files.push((name, bytes));
        }
    }
    files
}

/// The writer refuses two files with the same name, so a repeated name is replaced with an alias of
/// the same length, which is overwritten in the packed bytes.
pub(super) fn pack(files: &Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut aliases = Vec::new();
    for (name, bytes) in files {
        let compressed = bytes.len() > 1 << 16 && bytes.iter().all(|&b| b == bytes[0]);
        let text = name.ends_with(".json");
        let method = if compressed || text {
            CompressionMethod::Deflated
        } else {
            CompressionMethod::Stored
        };
        let options = SimpleFileOptions::default().compression_method(method);
        let mut written = name.clone();
        if zip.start_file(&*written, options).is_err() {
            written = format!("{:0>1$}", aliases.len(), name.len());
            if written.len() != name.len() || zip.start_file(&*written, options).is_err() {
                continue;
            }
            aliases.push((written, name));
        }
        // Writing to memory cannot fail.
        let _ = zip.write_all(bytes);
    }
    let mut packed = zip.finish().map(Cursor::into_inner).unwrap_or_default();
    for (alias, name) in aliases {
        let header = alias.as_bytes();
        let mut at = 0;
        while let Some(found) = memchr::memmem::find(&packed[at..], header) {
            at += found;
            packed[at..at + header.len()].copy_from_slice(name.as_bytes());
        }
    }
    packed
}

pub(super) fn mutate_files(files: &mut Files, rng: &mut Rng) {
    if files.is_empty() {
        return;
    }
    let at = rng.below(files.len());
    match rng.below(7) {
        0 => drop(files.remove(at)),
        1 => files.push(files[at].clone()),
        2 => {
            let folder = rng.pick(&["a/", "a/b/c/", "../", "/", "C:\\", "\0/"]);
            files[at].0.insert_str(0, folder);
        }
        3 => files.push((format!("z{}.svg", rng.below(9)), vec![0; rng.log_uniform(25)])),
        4 => files[at].1 = vec![b' '; rng.log_uniform(25)],
        5 => {
            for i in 0..rng.log_uniform(14) {
                files.push((format!("{i}"), Vec::new()));
            }
        }
        _ => {
            let other = files[rng.below(files.len())].1.clone();
            files[at].1 = other;
        }
    }
}

pub(super) fn mutate_bytes(bytes: &mut Vec<u8>, rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..rng.log_uniform(5) {
        let at = rng.below(bytes.len());
        match rng.below(8) {
            0 => bytes.truncate(at.max(1)),
            1..=3 => bytes[at] ^= 1 << rng.below(8),
            4 => bytes[at] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            5 => {
                let end = (at + rng.log_uniform(6)).min(bytes.len());
                bytes[at..end].fill(0xff);
            }
            _ => {
                // Replace a byte of a header, for example of an offset or a size.
                let signature = rng.pick(&[b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"]);
                let headers: Vec<usize> =
                    memchr::memmem::find_iter(bytes, signature).take(64).collect();
                if let Some(&header) = headers.get(rng.below(headers.len())) {
                    let field = (header + 4 + rng.below(42)).min(bytes.len() - 1);
                    bytes[field] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]);
                }
            }
        }
    }
}
