//! Writes packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use catherd_experiments::{Digest, DigestBuilder};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use crate::contents::{Contents, FileEntry};
use crate::error::{PackageError, Problem};
use crate::{MAX_RATIO, RATIO_FREE_BYTES, is_executable, names};

/// The level must not change, because it determines the bytes of a package.
const LEVEL: u32 = 6;

/// In bytes. The size is constant, because the output of a compressor may depend on it.
const PART: usize = 64 << 10;

enum Source {
    Bytes(Vec<u8>),
    File(PathBuf),
}

struct Measured {
    bytes: u64,
    sha256: Digest,
    method: CompressionMethod,
}

/// Collects the files of a package and writes the package.
#[derive(Default)]
pub struct Builder {
    files: BTreeMap<String, Source>,
}

impl Builder {
    /// Adds a file with these bytes, in place of an earlier file with this name.
    pub fn bytes(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(name.into(), Source::Bytes(bytes.into()));
    }

    /// Adds a copy of a file, in place of an earlier file with this name. The original must not
    /// change until the package is written.
    pub fn file(&mut self, name: impl Into<String>, path: impl Into<PathBuf>) {
        self.files.insert(name.into(), Source::File(path.into()));
    }

    /// The sorted names of the files so far.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The total size of the files so far, in bytes.
    ///
    /// # Errors
    /// If the size of a file cannot be determined.
    pub fn total(&self) -> Result<u64, PackageError> {
        let size = |source: &Source| match source {
            Source::Bytes(bytes) => Ok(bytes.len() as u64),
            Source::File(path) => match fs::metadata(path) {
                Ok(found) => Ok(found.len()),
                Err(cause) => Err(PackageError::Io { path: path.clone(), cause }),
            },
        };
        self.files.values().map(size).sum()
    }

    /// The entries of the files in the list of a package, sorted by name.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn entries(&self) -> Result<Vec<FileEntry>, PackageError> {
        let entry = |(name, source): (&String, &Source)| {
            let mut digest = DigestBuilder::default();
            let mut bytes = 0;
            let read = each_part(source, |part| {
                digest.add(part);
                bytes += part.len() as u64;
                Ok(())
            });
            read.map_err(|cause| unreadable(source, Path::new(name), cause))?;
            Ok(FileEntry { name: name.clone(), bytes, sha256: digest.finish() })
        };
        self.files.iter().map(entry).collect()
    }

    /// Writes the package to `path`, and returns `contents` with the list of files. `on_bytes` is
    /// called with the number of bytes in each part that was read.
    ///
    /// # Errors
    /// If a file cannot be read or included, or the package cannot be written.
    pub fn write(
        &self,
        path: &Path,
        mut contents: Contents,
        mut on_bytes: impl FnMut(u64),
    ) -> Result<Contents, PackageError> {
        let mut folded = BTreeSet::new();
        if let Some(name) = self.names().find(|name| !folded.insert(names::folded(name))) {
            return Err(refused(path, name, Problem::Twice));
        }
        let mut measured = BTreeMap::new();
        contents.files.clear();
        for (name, source) in &self.files {
            if let Some(flaw) = names::flaw(name) {
                return Err(refused(path, name, Problem::Name(flaw)));
            }
            let of =
                measure(source, &mut on_bytes).map_err(|cause| unreadable(source, path, cause))?;
            let (bytes, sha256) = (of.bytes, of.sha256);
            contents.files.push(FileEntry { name: name.clone(), bytes, sha256 });
            measured.insert(name.clone(), of);
        }
        let written = |cause| PackageError::Io { path: path.to_owned(), cause };
        let list = Source::Bytes(contents.to_json().map_err(|e| written(e.into()))?);
        let of_list =
            measure(&list, &mut |_| {}).map_err(|cause| unreadable(&list, path, cause))?;
        let mut files: BTreeMap<&str, (&Source, &Measured)> =
            self.files.iter().map(|(name, source)| (&**name, (source, &measured[name]))).collect();
        files.insert(Contents::FILE, (&list, &of_list));

        let mut partial = path.as_os_str().to_owned();
        partial.push(".part");
        let partial = PathBuf::from(partial);
        let result = zip_files(&partial, path, &files, &mut on_bytes);
        let result = result.and_then(|()| fs::rename(&partial, path).map_err(written));
        if result.is_err() {
            // The error in writing is more important than an error in removing the partial file.
            let _ = fs::remove_file(&partial);
        }
        result.map(|()| contents)
    }
}

pub(crate) fn zip_folder(path: &Path, names: &[(String, PathBuf)]) -> Result<(), PackageError> {
    let mut measured = Vec::new();
    for (name, file) in names {
        let source = Source::File(file.clone());
        let method = CompressionMethod::Stored;
        let (mut digest, mut bytes) = (DigestBuilder::default(), 0);
        let read = each_part(&source, |part| {
            digest.add(part);
            bytes += part.len() as u64;
            Ok(())
        });
        read.map_err(|cause| unreadable(&source, path, cause))?;
        measured.push((name.as_str(), source, Measured { bytes, sha256: digest.finish(), method }));
    }
    let files = measured.iter().map(|(name, source, of)| (*name, (source, of))).collect();
    zip_files(path, path, &files, &mut |_| {})
}

/// Errors name `path` instead of `partial`.
fn zip_files(
    partial: &Path,
    path: &Path,
    files: &BTreeMap<&str, (&Source, &Measured)>,
    on_bytes: &mut impl FnMut(u64),
) -> Result<(), PackageError> {
    let written = |cause: io::Error| PackageError::Io { path: path.to_owned(), cause };
    let file = File::create(partial).map_err(written)?;
    let mut zip = ZipWriter::new(BufWriter::new(file));
    for (name, (source, of)) in files {
        let options = SimpleFileOptions::default()
            .compression_method(of.method)
            .compression_level((of.method == CompressionMethod::Deflated).then_some(LEVEL.into()))
            .last_modified_time(DateTime::default())
            .unix_permissions(if is_executable(name) { 0o755 } else { 0o644 })
            .system(System::Unix)
            .large_file(of.bytes >= u64::from(u32::MAX));
        zip.start_file(*name, options).map_err(|e| written(e.into()))?;
        let mut digest = DigestBuilder::default();
        let copied = each_part(source, |part| {
            digest.add(part);
            if *name != Contents::FILE {
                on_bytes(part.len() as u64);
            }
            zip.write_all(part)
        });
        copied.map_err(|cause| unreadable(source, path, cause))?;
        if digest.finish() != of.sha256 {
            let cause = Problem::Invalid("changed while the package was written".to_owned());
            return Err(refused(path, name, cause));
        }
    }
    let file = zip.finish().map_err(|e| written(e.into()))?;
    let file = file.into_inner().map_err(|e| written(e.into_error()))?;
    file.sync_all().map_err(written)
}

fn measure(source: &Source, on_bytes: &mut impl FnMut(u64)) -> io::Result<Measured> {
    let mut digest = DigestBuilder::default();
    let mut bytes = 0;
    let mut encoder = DeflateEncoder::new(Counter(0), Compression::new(LEVEL));
    each_part(source, |part| {
        digest.add(part);
        bytes += part.len() as u64;
        on_bytes(part.len() as u64);
        encoder.write_all(part)
    })?;
    let compressed = encoder.finish()?.0;
    let fits = bytes <= RATIO_FREE_BYTES || bytes / MAX_RATIO < compressed;
    let method = if fits { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    Ok(Measured { bytes, sha256: digest.finish(), method })
}

fn each_part(source: &Source, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    match source {
        Source::Bytes(bytes) => bytes.chunks(PART).try_for_each(take),
        Source::File(path) => {
            let mut file = BufReader::new(File::open(path)?);
            let mut part = Vec::with_capacity(PART);
            loop {
                part.clear();
                file.by_ref().take(PART as u64).read_to_end(&mut part)?;
                if part.is_empty() {
                    return Ok(());
                }
                take(&part)?;
            }
        }
    }
}

struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn refused(path: &Path, name: &str, problem: Problem) -> PackageError {
    PackageError::File { path: path.to_owned(), name: name.to_owned(), problem }
}

fn unreadable(source: &Source, package: &Path, cause: io::Error) -> PackageError {
    let path = match source {
        Source::File(path) => path.clone(),
        Source::Bytes(_) => package.to_owned(),
    };
    PackageError::Io { path, cause }
}
