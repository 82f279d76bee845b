//! A project with its suites as one file for workers: an archive without compression. The same
//! content always results in the same bytes.

use std::io::{Cursor, Read, Write};

use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

pub(crate) const MAX_SUITE_BYTES: u64 = 8 << 20;
pub(crate) const MAX_SUITES: usize = 1_000;
const MAX_PROJECT_BYTES: u64 = 512 << 20;

const PROJECT: &str = "project";
const FOLDER: &str = "suites/";

/// A suite of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteText {
    /// The name by which algorithms of studies refer to the suite.
    pub name: String,
    /// The content of the suite: JSON or JavaScript.
    pub text: String,
}

/// A project with its suites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The packed project.
    pub project: Vec<u8>,
    /// The suites, sorted by name; names are unique.
    pub suites: Vec<SuiteText>,
}

/// Error for a bundle that cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The archive cannot be read or written.
    #[error("project with suites: {0}")]
    Archive(zip::result::ZipError),
    /// A file of the archive cannot be read or written.
    #[error("project with suites: {0}")]
    Read(std::io::Error),
    /// The archive does not contain the files of a bundle.
    #[error("not a project with suites: {0}")]
    Form(String),
}

impl From<zip::result::ZipError> for BundleError {
    fn from(cause: zip::result::ZipError) -> BundleError {
        BundleError::Archive(cause)
    }
}

impl From<std::io::Error> for BundleError {
    fn from(cause: std::io::Error) -> BundleError {
        BundleError::Read(cause)
    }
}

/// Error for an unknown name of a suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSuite(String);

impl Bundle {
    /// The bundle as bytes.
    ///
    /// # Errors
    /// If the archive cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BundleError> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        // A fixed date, so that equal bundles have equal bytes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default());
        archive.start_file(PROJECT, options)?;
        archive.write_all(&self.project)?;
        for suite in &self.suites {
            archive.start_file(format!("{FOLDER}{}", suite.name), options)?;
            archive.write_all(suite.text.as_bytes())?;
        }
        Ok(archive.finish()?.into_inner())
    }

    /// Reads a bundle from untrusted bytes.
    ///
    /// # Errors
    /// If the bytes are not a valid bundle.
    pub fn from_bytes(bytes: &[u8]) -> Result<Bundle, BundleError> {
        let mut archive = ZipArchive::new(Cursor::new(bytes))?;
        let form = |cause: &str| BundleError::Form(cause.to_owned());
        if archive.len() > MAX_SUITES + 1 {
            return Err(form("it has more files than a project may have suites"));
        }
        let (mut project, mut suites): (Option<Vec<u8>>, Vec<SuiteText>) = (None, Vec::new());
        for at in 0..archive.len() {
            let file = archive.by_index(at)?;
            let name = file.name()?.into_owned();
            let mut content = Vec::new();
            let suite = name.strip_prefix(FOLDER).filter(|name| !name.is_empty());
            let most = if suite.is_some() { MAX_SUITE_BYTES } else { MAX_PROJECT_BYTES };
            if suite.is_none() && name != PROJECT {
                return Err(form("it has a file that is neither project nor suite"));
            }
            if file.take(most + 1).read_to_end(&mut content)? as u64 > most {
                return Err(form("it has a file that is too large"));
            }
            let Some(suite) = suite else {
                if project.replace(content).is_some() {
                    return Err(form("it has several projects"));
                }
                continue;
            };
            let text = String::from_utf8(content)
                .map_err(|_| BundleError::Form(format!("suite `{suite}` is not text")))?;
            suites.push(SuiteText { name: suite.to_owned(), text });
        }
        suites.sort_by(|a, b| a.name.cmp(&b.name));
        if suites.windows(2).any(|pair| pair[0].name == pair[1].name) {
            return Err(form("it has several suites with the same name"));
        }
        let project = project.ok_or_else(|| form("it has no project"))?;
        Ok(Bundle { project, suites })
    }

    /// The suite with this name.
    ///
    /// # Errors
    /// If there is no such suite.
    pub fn suite(&self, name: &str) -> Result<&SuiteText, NoSuite> {
        self.suites.iter().find(|suite| suite.name == name).ok_or_else(|| {
            let names: Vec<_> = self.suites.iter().map(|suite| &*suite.name).collect();
            NoSuite(match names.is_empty() {
                true => format!("the project has no suite `{name}`, nor any other"),
                false => format!("the project has no suite `{name}`; it has {}", names.join(", ")),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Bundle {
        let suite =
            |name: &str, text: &str| SuiteText { name: name.to_owned(), text: text.to_owned() };
        let suites = vec![suite("a", "{}"), suite("manual", "module.exports = []")];
        Bundle { project: b"bytes".to_vec(), suites }
    }

    #[test]
    fn bundles_are_read_as_written_and_equal_ones_are_equal_bytes() {
        let bytes = bundle().to_bytes().unwrap();
        assert_eq!(bytes, bundle().to_bytes().unwrap());
        assert_eq!(Bundle::from_bytes(&bytes).unwrap(), bundle());
        assert_eq!(bundle().suite("a").unwrap().text, "{}");
        let error = bundle().suite("b").unwrap_err();
        assert_eq!(error.to_string(), "the project has no suite `b`; it has a, manual");
    }

    #[test]
    fn other_bytes_are_refused() {
        for length in [0, 10, 100] {
            let bytes = bundle().to_bytes().unwrap();
            assert!(Bundle::from_bytes(&bytes[..length]).is_err());
        }
        let refused = |names: &[&str]| {
            let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
            for name in names {
                archive.start_file(*name, SimpleFileOptions::default()).unwrap();
                archive.write_all(b"\xff").unwrap();
            }
            let bytes = archive.finish().unwrap().into_inner();
            Bundle::from_bytes(&bytes).unwrap_err().to_string()
        };
        assert!(refused(&["project.json"]).contains("neither project nor suite"));
        assert!(refused(&["project", "suites/a"]).contains("suite `a` is not text"));
        assert!(refused(&[]).contains("it has no project"));
    }
}
