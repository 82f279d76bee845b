//! Reads received packages.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use catherd_experiments::DigestBuilder;
use zip::{CompressionMethod, ZipArchive};

use crate::contents::{Contents, FileEntry};
use crate::error::{PackageError, Problem};
use crate::{
    MAX_CONTENTS_BYTES, MAX_FILES, MAX_RATIO, RATIO_FREE_BYTES, headers, names, tail, write,
};

/// Mask of the file type in a Unix mode, and the type of regular files.
const FILE_TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

const PART: usize = 64 << 10;

/// An open package whose structure was checked.
pub struct Package {
    archive: Archive,
    contents: Contents,
}

struct Archive {
    path: PathBuf,
    zip: ZipArchive<BufReader<File>>,
}

impl Package {
    /// Opens a package and checks its structure, but not the contents of its files (see
    /// [`Package::check`]).
    ///
    /// # Errors
    /// If the archive cannot be read or is not a valid package.
    pub fn open(path: &Path) -> Result<Package, PackageError> {
        let unreadable = |cause| PackageError::Io { path: path.to_owned(), cause };
        let not = |cause: String| PackageError::NotAPackage { path: path.to_owned(), cause };
        let mut file = File::open(path).map_err(unreadable)?;
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(not("is not a regular file".to_owned()));
        }
        // Check the end first, because the zip library reads the list of files into memory.
        let tail = tail::read(&mut file).map_err(unreadable)?.map_err(not)?;
        let zip = ZipArchive::new(BufReader::new(file));
        let zip = zip.map_err(|cause| not(format!("is not an intact zip archive: {cause}")))?;
        if zip.offset() != 0 || zip.central_directory_start() != tail.start {
            return Err(not("is not an intact zip archive".to_owned()));
        }
        if zip.has_duplicate_names() || zip.len() as u64 != tail.files {
            return Err(not("two of its files have the same name".to_owned()));
        }
        let mut archive = Archive { path: path.to_owned(), zip };
        let found = archive.check_entries(tail.start)?;
        let mut file = File::open(path).map_err(unreadable)?;
        let headers = headers::check(&mut file, &tail);
        let headers =
            headers.map_err(|cause| not(format!("is not an intact zip archive: {cause}")))?;
        if let Err((name, problem)) = headers {
            return Err(archive.refused(&name, problem));
        }
        let contents = archive.read_contents(&found)?;
        archive.compare_with_list(&contents, &found)?;
        Ok(Package { archive, contents })
    }

    /// Opens a package that was unpacked into a folder. An archive of its files is written to
    /// `work`.
    ///
    /// # Errors
    /// If the folder cannot be read, the archive cannot be written, or the files are not a valid
    /// package.
    pub fn open_folder(folder: &Path, work: &Path) -> Result<Package, PackageError> {
        let mut names = Vec::new();
        let mut open = vec![(String::new(), folder.to_owned())];
        while let Some((prefix, path)) = open.pop() {
            let unreadable = |cause| PackageError::Io { path: path.clone(), cause };
            for entry in fs::read_dir(&path).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                let kind = entry.file_type().map_err(unreadable)?;
                if kind.is_dir() {
                    open.push((format!("{name}/"), entry.path()));
                } else if kind.is_file() && names.len() < MAX_FILES {
                    names.push((name, entry.path()));
                } else if kind.is_file() {
                    let cause = format!("the folder has more than {MAX_FILES} files");
                    return Err(unreadable(io::Error::other(cause)));
                } else {
                    let problem = Problem::NotRegular(if kind.is_symlink() {
                        "link"
                    } else {
                        "special file"
                    });
                    return Err(PackageError::File { path: folder.to_owned(), name, problem });
                }
            }
        }
        write::zip_folder(work, &names)?;
        let named = |error| match error {
            PackageError::File { name, problem, .. } => {
                PackageError::File { path: folder.to_owned(), name, problem }
            }
            PackageError::NotAPackage { cause, .. } => {
                PackageError::NotAPackage { path: folder.to_owned(), cause }
            }
            error => error,
        };
        let mut package = Package::open(work).map_err(named)?;
        package.archive.path = folder.to_owned();
        Ok(package)
    }

    /// The description of the package.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Compares the files with the digests in the list. `on_bytes` is called with the number of
    /// bytes in each part that was read.
    ///
    /// # Errors
    /// If a file cannot be read or differs from the list.
    pub fn check(&mut self, mut on_bytes: impl FnMut(u64)) -> Result<(), PackageError> {
        for number in 0..self.contents.files.len() {
            let FileEntry { name, bytes, sha256 } = self.contents.files[number].clone();
            let (mut digest, mut found) = (DigestBuilder::default(), 0);
            let mut reader = self.reader(&name)?;
            let mut part = vec![0; PART];
            let end = loop {
                match reader.read(&mut part) {
                    Ok(0) => break Ok(()),
                    Ok(read) => {
                        digest.add(&part[..read]);
                        found += read as u64;
                        on_bytes(read as u64);
                    }
                    Err(cause) => break Err(Problem::Invalid(format!("is damaged: {cause}"))),
                }
            };
            drop(reader);
            end.map_err(|problem| self.refused(&name, problem))?;
            if found != bytes {
                return Err(self.refused(&name, Problem::Size { found, expected: bytes }));
            }
            let found = digest.finish();
            if found != sha256 {
                return Err(self.refused(&name, Problem::Digest { found, expected: sha256 }));
            }
        }
        Ok(())
    }

    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// If the package does not contain the file, or the file is larger or damaged.
    pub fn read(&mut self, name: &str, most: u64) -> Result<Vec<u8>, PackageError> {
        self.archive.read(name, most)
    }

    /// Returns a reader of a file.
    ///
    /// # Errors
    /// If the package does not contain the file, or the file is damaged.
    pub fn reader(&mut self, name: &str) -> Result<impl Read + '_, PackageError> {
        self.archive.reader(name).map(|(reader, _)| reader)
    }

    /// Returns the error for a refused file of the package.
    pub fn refused(&self, name: &str, problem: Problem) -> PackageError {
        self.archive.refused(name, problem)
    }
}

impl Archive {
    fn refused(&self, name: &str, problem: Problem) -> PackageError {
        PackageError::File { path: self.path.clone(), name: name.to_owned(), problem }
    }

    fn read(&mut self, name: &str, most: u64) -> Result<Vec<u8>, PackageError> {
        let (mut reader, size) = self.reader(name)?;
        let mut bytes = Vec::new();
        let problem = if size > most {
            Problem::TooLarge { bytes: size, most }
        } else {
            match reader.read_to_end(&mut bytes) {
                Ok(_) => return Ok(bytes),
                Err(cause) => Problem::Invalid(format!("is damaged: {cause}")),
            }
        };
        drop(reader);
        Err(self.refused(name, problem))
    }

    fn reader(&mut self, name: &str) -> Result<(impl Read + '_, u64), PackageError> {
        let path = self.path.clone();
        let refused = |problem| PackageError::File { path, name: name.to_owned(), problem };
        match self.zip.by_name(name) {
            Ok(file) => {
                let size = file.size();
                // One more byte than the stated size shows whether the file is longer.
                Ok((file.take(size.saturating_add(1)), size))
            }
            Err(zip::result::ZipError::FileNotFound) => Err(refused(Problem::Missing)),
            Err(cause) => Err(refused(Problem::Invalid(format!("is damaged: {cause}")))),
        }
    }

    /// Returns the names and sizes of all entries, which must occupy all bytes up to `end`.
    fn check_entries(&mut self, end: u64) -> Result<Vec<(String, u64)>, PackageError> {
        let path = self.path.clone();
        let not = |cause: String| PackageError::NotAPackage { path: path.clone(), cause };
        let mut known = BTreeSet::new();
        let mut found = Vec::new();
        let mut places = Vec::new();
        for index in 0..self.zip.len() {
            let file = self.zip.by_index_raw(index);
            let file =
                file.map_err(|cause| not(format!("is not an intact zip archive: {cause}")))?;
            let name = file.name().map(|name| name.into_owned());
            let name = name.unwrap_or_else(|_| String::from_utf8_lossy(file.name_raw()).into());
            let problem = problem_of(&file, &name);
            let problem =
                problem.or_else(|| (!known.insert(names::folded(&name))).then_some(Problem::Twice));
            if let Some(problem) = problem {
                return Err(PackageError::File { path: path.clone(), name, problem });
            }
            let start = file.data_start().unwrap_or(u64::MAX);
            places.push((file.header_start(), start.saturating_add(file.compressed_size())));
            found.push((name, file.size()));
        }
        places.sort_unstable();
        let mut covered = 0;
        for (start, after) in places {
            if start != covered {
                return Err(not("files overlap, or there are bytes between them".to_owned()));
            }
            covered = after;
        }
        if covered != end {
            return Err(not("there are bytes that belong to no file".to_owned()));
        }
        Ok(found)
    }

    fn read_contents(&mut self, found: &[(String, u64)]) -> Result<Contents, PackageError> {
        if !found.iter().any(|(name, _)| name == Contents::FILE) {
            return Err(PackageError::NotAPackage {
                path: self.path.clone(),
                cause: format!(
                    "has no {}: it was not written by `catherd archive`",
                    Contents::FILE
                ),
            });
        }
        let json = self.read(Contents::FILE, MAX_CONTENTS_BYTES)?;
        let invalid = |cause: String| self.refused(Contents::FILE, Problem::Invalid(cause));
        let format = serde_json::from_slice::<Format>(&json).map_err(|e| invalid(e.to_string()))?;
        if format.format != Contents::FORMAT {
            let (found, known) = (format.format, Contents::FORMAT);
            return Err(invalid(format!(
                "format {found}; this catherd reads format {known}: use the version of catherd that \
                 VERSION names"
            )));
        }
        let contents: Contents =
            serde_json::from_slice(&json).map_err(|e| invalid(e.to_string()))?;
        if !contents.runs.adds_up() || contents.interim != contents.runs.is_interim() {
            return Err(invalid(
                "the counts of runs do not add up, or contradict `interim`".to_owned(),
            ));
        }
        if contents.to_json().is_ok_and(|written| written != json) {
            return Err(invalid("is not written as `catherd archive` writes it".to_owned()));
        }
        if !contents.files.is_sorted_by(|a, b| a.name < b.name) {
            return Err(invalid("the list of files is not sorted, or has a file twice".to_owned()));
        }
        Ok(contents)
    }

    fn compare_with_list(
        &self,
        contents: &Contents,
        found: &[(String, u64)],
    ) -> Result<(), PackageError> {
        for (name, bytes) in found.iter().filter(|(name, _)| name != Contents::FILE) {
            let Some(entry) = contents.file(name) else {
                return Err(self.refused(name, Problem::Unlisted));
            };
            if entry.bytes != *bytes {
                let problem = Problem::Size { found: *bytes, expected: entry.bytes };
                return Err(self.refused(name, problem));
            }
        }
        let names: BTreeSet<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        match contents.files.iter().find(|entry| !names.contains(entry.name.as_str())) {
            Some(entry) => Err(self.refused(&entry.name, Problem::Missing)),
            None => Ok(()),
        }
    }
}

fn problem_of(file: &zip::read::ZipFile<'_, BufReader<File>>, name: &str) -> Option<Problem> {
    let kind = file.unix_mode().map_or(REGULAR, |mode| mode & FILE_TYPE);
    let (bytes, compressed) = (file.size(), file.compressed_size());
    if file.is_symlink() {
        Some(Problem::NotRegular("link"))
    } else if file.is_dir() {
        Some(Problem::NotRegular("folder"))
    } else if kind != REGULAR && kind != 0 {
        Some(Problem::NotRegular("special file"))
    } else if let Some(flaw) = names::flaw(name) {
        Some(Problem::Name(flaw))
    } else if file.encrypted() {
        Some(Problem::Encrypted)
    } else if !matches!(file.compression(), CompressionMethod::Stored | CompressionMethod::Deflated)
    {
        Some(Problem::Method)
    } else if bytes > RATIO_FREE_BYTES && bytes / MAX_RATIO >= compressed {
        Some(Problem::Bomb { bytes, compressed, most: MAX_RATIO })
    } else {
        None
    }
}

#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}
