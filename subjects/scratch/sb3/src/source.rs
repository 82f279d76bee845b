//! Files of a project, which are read from an archive, a folder or memory within limits.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use zip::ZipArchive;
use zip::read::ZipFile;

use crate::{Asset, Cause, Limits, Warning};

/// Files are addressed by names without folders, so a name in a project never becomes a path.
enum Storage<'a> {
    Archive { zip: ZipArchive<Cursor<&'a [u8]>>, entries: HashMap<String, usize> },
    Folder { paths: HashMap<String, PathBuf> },
    Memory(&'a BTreeMap<String, Vec<u8>>),
}

fn what_it_is(bytes: &[u8]) -> Option<&'static str> {
    let has_end = memmem::rfind(bytes, b"PK\x05\x06").is_some();
    match bytes {
        [] => Some("the file is empty"),
        [b'P', b'K', ..] if !has_end => {
            Some("its end is missing, so it was not copied or downloaded completely")
        }
        [b'P', b'K', ..] => None,
        _ if !has_end => Some("the file has a different format"),
        _ => None,
    }
}

pub(crate) struct FileSource<'a> {
    files: Storage<'a>,
    limits: &'a Limits,
    /// Number of bytes that may still be unpacked.
    left: u64,
    /// The limit of the unpacked bytes for error messages: its unit and its value.
    limit: (&'static str, u64),
    assets: Vec<Asset>,
    /// Indices of the media files read so far; `None` for a missing or damaged file.
    known: HashMap<Arc<str>, Option<u32>>,
}

impl<'a> FileSource<'a> {
    pub(crate) fn archive(bytes: &'a [u8], limits: &'a Limits) -> Result<FileSource<'a>, Cause> {
        let size = bytes.len() as u64;
        if size > limits.archive_bytes {
            return Err(Cause::limit("bytes in the archive", limits.archive_bytes));
        }
        // `ZipArchive` stores all entries in memory, so count them first, by the signature of their
        // headers.
        if memmem::find_iter(bytes, b"PK\x01\x02").nth(limits.entries).is_some() {
            return Err(Cause::limit("files in the archive", limits.entries as u64));
        }
        let zip = ZipArchive::new(Cursor::new(bytes));
        let zip = zip.map_err(|cause| what_it_is(bytes).map_or(cause.into(), Cause::NoArchive))?;
        let mut entries = HashMap::new();
        for in_folder in [false, true] {
            for index in 0..zip.len() {
                let Some(Ok(name)) = zip.name_for_index(index) else { continue };
                let (folder, file) = name.split_once('/').unwrap_or(("", &name));
                if in_folder == folder.is_empty() || file.contains('/') {
                    continue;
                }
                entries.entry(file.to_owned()).or_insert(index);
            }
        }
        let by_ratio = size.saturating_mul(limits.ratio).max(Limits::RATIO_FREE_BYTES);
        let source = FileSource::new(Storage::Archive { zip, entries }, limits);
        Ok(if by_ratio < source.left {
            FileSource {
                left: by_ratio,
                limit: ("times its own size unpacked", limits.ratio),
                ..source
            }
        } else {
            source
        })
    }

    pub(crate) fn folder(path: &Path, limits: &'a Limits) -> Result<FileSource<'a>, Cause> {
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
            // The order of a listing depends on the file system.
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
        Ok(FileSource::new(Storage::Folder { paths }, limits))
    }

    pub(crate) fn memory(
        files: &'a BTreeMap<String, Vec<u8>>,
        limits: &'a Limits,
    ) -> FileSource<'a> {
        FileSource::new(Storage::Memory(files), limits)
    }

    fn new(files: Storage<'a>, limits: &'a Limits) -> FileSource<'a> {
        FileSource {
            files,
            limits,
            left: limits.unpacked_bytes,
            limit: ("bytes unpacked", limits.unpacked_bytes),
            assets: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub(crate) fn project_json(&mut self) -> Result<Vec<u8>, Cause> {
        self.read("project.json", self.limits.json_bytes)?.ok_or(Cause::NoProjectJson)
    }

    /// `owner` contains the names of the target and of the costume or sound.
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

    /// `own_limit` is the limit for this file in bytes.
    fn read(&mut self, name: &str, own_limit: u64) -> Result<Option<Vec<u8>>, Cause> {
        let most = own_limit.min(self.left);
        let bytes = match &mut self.files {
            Storage::Archive { zip, entries } => match entries.get(name) {
                Some(&index) => read_member(zip.by_index(index)?, most)?,
                None => return Ok(None),
            },
            Storage::Folder { paths } => match paths.get(name) {
                Some(path) => read_up_to(open(path)?, most)?,
                None => return Ok(None),
            },
            Storage::Memory(files) => match files.get(name) {
                Some(bytes) => read_up_to(&**bytes, most)?,
                None => return Ok(None),
            },
        };
        let Some(bytes) = bytes else {
            let (unit, most) = if own_limit < self.left {
                ("bytes in project.json", own_limit)
            } else {
                self.limit
            };
            return Err(Cause::limit(unit, most));
        };
        self.left -= bytes.len() as u64;
        Ok(Some(bytes))
    }
}

/// Pipes and devices are refused, because reading them may never end.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        let problem = "it is a pipe, a device or a socket; expected an .sb3 or .sb2 file, or a folder \
                       with a project.json";
        Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
    }
}

/// A wrong checksum is not an error, because Scratch does not check checksums.
fn read_member<R: Read>(mut file: ZipFile<'_, R>, most: u64) -> io::Result<Option<Vec<u8>>> {
    let declared = file.size();
    let mut bytes = Vec::new();
    let end = file.by_ref().take(most.saturating_add(1)).read_to_end(&mut bytes);
    match end {
        Err(error)
            if error.kind() != io::ErrorKind::InvalidData || bytes.len() as u64 != declared =>
        {
            Err(error)
        }
        _ => Ok((bytes.len() as u64 <= most).then_some(bytes)),
    }
}

/// Declared sizes are not trusted.
pub(crate) fn read_up_to(reader: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
