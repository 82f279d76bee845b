//! The files of a project: an archive or a folder, read within limits.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use zip::ZipArchive;

use crate::{Asset, Cause, Limits, Warning};

/// Where the files of a project lie. All kinds know their files by bare name, at the top
/// or one folder deep, so that no name out of a project ever becomes a path.
enum Files<'a> {
    Archive { zip: ZipArchive<Cursor<&'a [u8]>>, entries: HashMap<String, usize> },
    Folder { paths: HashMap<String, PathBuf> },
    Memory(&'a BTreeMap<String, Vec<u8>>),
}

/// Reads the files of a project and counts what it unpacks.
pub(crate) struct Source<'a> {
    files: Files<'a>,
    limits: &'a Limits,
    /// Bytes that may still be unpacked, and the limit to name when they are spent.
    left: u64,
    exceeded: (&'static str, u64),
    assets: Vec<Asset>,
    known: HashMap<Arc<str>, Option<u32>>,
}

impl<'a> Source<'a> {
    pub(crate) fn archive(bytes: &'a [u8], limits: &'a Limits) -> Result<Source<'a>, Cause> {
        let size = bytes.len() as u64;
        if size > limits.archive_bytes {
            return Err(Cause::limit("bytes of archive", limits.archive_bytes));
        }
        // `ZipArchive` keeps all entries in memory; each has a header with this signature.
        if memmem::find_iter(bytes, b"PK\x01\x02").nth(limits.entries).is_some() {
            return Err(Cause::limit("files in the archive", limits.entries as u64));
        }
        let zip = ZipArchive::new(Cursor::new(bytes))?;
        let mut entries = HashMap::new();
        for folded in [false, true] {
            for index in 0..zip.len() {
                let Some(Ok(name)) = zip.name_for_index(index) else { continue };
                let (folder, file) = name.split_once('/').unwrap_or(("", &name));
                if folded == folder.is_empty() || file.contains('/') {
                    continue;
                }
                entries.entry(file.to_owned()).or_insert(index);
            }
        }
        let by_ratio = size.saturating_mul(limits.ratio).max(Limits::RATIO_FREE_BYTES);
        let source = Source::new(Files::Archive { zip, entries }, limits);
        Ok(if by_ratio < source.left {
            Source {
                left: by_ratio,
                exceeded: ("times its own size unpacked", limits.ratio),
                ..source
            }
        } else {
            source
        })
    }

    pub(crate) fn folder(path: &Path, limits: &'a Limits) -> Result<Source<'a>, Cause> {
        if !path.join("project.json").is_file() {
            fs::read_dir(path)?;
            return Err(Cause::NoProjectJson);
        }
        let mut count = 0;
        let mut list = |folder: &Path| -> Result<Vec<PathBuf>, Cause> {
            let mut paths = Vec::new();
            for entry in fs::read_dir(folder)? {
                count += 1;
                if count > limits.entries {
                    return Err(Cause::limit("files in the folder", limits.entries as u64));
                }
                paths.push(entry?.path());
            }
            // The order of a listing is the file system's affair.
            paths.sort();
            Ok(paths)
        };
        let (folders, mut files): (Vec<_>, Vec<_>) =
            list(path)?.into_iter().partition(|path| path.is_dir());
        for folder in folders {
            files.extend(list(&folder)?.into_iter().filter(|path| !path.is_dir()));
        }
        let mut paths = HashMap::new();
        for path in files {
            if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
                paths.entry(name.to_owned()).or_insert(path);
            }
        }
        Ok(Source::new(Files::Folder { paths }, limits))
    }

    pub(crate) fn memory(files: &'a BTreeMap<String, Vec<u8>>, limits: &'a Limits) -> Source<'a> {
        Source::new(Files::Memory(files), limits)
    }

    fn new(files: Files<'a>, limits: &'a Limits) -> Source<'a> {
        Source {
            files,
            limits,
            left: limits.unpacked_bytes,
            exceeded: ("bytes unpacked", limits.unpacked_bytes),
            assets: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub(crate) fn project_json(&mut self) -> Result<Vec<u8>, Cause> {
        self.read("project.json", self.limits.json_bytes)?.ok_or(Cause::NoProjectJson)
    }

    /// The number of a media file among [`Source::into_assets`]; none if it is missing
    /// or damaged, which adds a warning. `owner` is the target and its costume or sound.
    pub(crate) fn asset(
        &mut self,
        file: &Arc<str>,
        owner: (&Arc<str>, &Arc<str>),
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<u32>, Cause> {
        let missing = || Warning::MissingAsset {
            target: owner.0.clone(),
            name: owner.1.clone(),
            file: file.clone(),
        };
        if let Some(number) = self.known.get(file) {
            if number.is_none() {
                warnings.push(missing());
            }
            return Ok(*number);
        }
        let number = match self.read(file, u64::MAX) {
            Ok(Some(bytes)) => {
                self.assets.push(Asset { name: file.clone(), bytes: bytes.into() });
                Some(self.assets.len() as u32 - 1)
            }
            Ok(None) => {
                warnings.push(missing());
                None
            }
            Err(limit @ Cause::Limit { .. }) => return Err(limit),
            Err(damage) => {
                warnings.push(Warning::Other(format!("{file} {damage}").into()));
                warnings.push(missing());
                None
            }
        };
        self.known.insert(file.clone(), number);
        Ok(number)
    }

    pub(crate) fn into_assets(self) -> Arc<[Asset]> {
        self.assets.into()
    }

    /// The contents of a file, none if it does not exist; `own` is its own limit in bytes.
    fn read(&mut self, name: &str, own: u64) -> Result<Option<Vec<u8>>, Cause> {
        let most = own.min(self.left);
        let bytes = match &mut self.files {
            Files::Archive { zip, entries } => match entries.get(name) {
                Some(&index) => read_up_to(zip.by_index(index)?, most)?,
                None => return Ok(None),
            },
            Files::Folder { paths } => match paths.get(name) {
                Some(path) => read_up_to(open(path)?, most)?,
                None => return Ok(None),
            },
            Files::Memory(files) => match files.get(name) {
                Some(bytes) => read_up_to(&**bytes, most)?,
                None => return Ok(None),
            },
        };
        let Some(bytes) = bytes else {
            let (unit, most) =
                if own < self.left { ("bytes of project.json", own) } else { self.exceeded };
            return Err(Cause::limit(unit, most));
        };
        self.left -= bytes.len() as u64;
        Ok(Some(bytes))
    }
}

/// Opens a regular file. A pipe might never yield anything, and a device never end.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// Everything the reader yields, none if that is more than `most` bytes. Declared sizes
/// are not believed.
pub(crate) fn read_up_to(reader: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
