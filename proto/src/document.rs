//! Plans, specifications and records as documents in messages.

use catherd_experiments::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::v1::Document;

/// Version of the types `Plan`, `RunSpec` and `RunRecord` that this build writes. Earlier versions
/// are converted when they are read.
pub const DOCUMENT_VERSION: u32 = 2;

/// Why a document or a digest in a message cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// This build does not read the version.
    #[error("unsupported document version {0} (this build reads 1 to {DOCUMENT_VERSION})")]
    Version(u32),
    /// The JSON does not match the expected type.
    #[error("malformed document: {0}")]
    Malformed(serde_json::Error),
    /// The digest does not have 32 bytes.
    #[error("digest of {0} bytes instead of 32")]
    DigestLength(usize),
}

impl From<serde_json::Error> for DocumentError {
    fn from(cause: serde_json::Error) -> DocumentError {
        DocumentError::Malformed(cause)
    }
}

impl Document {
    /// Writes a value as a document.
    ///
    /// # Errors
    ///
    /// If the value cannot be converted to JSON.
    pub fn write(value: &impl Serialize) -> Result<Document, DocumentError> {
        let json = serde_json::to_vec(value)?.into();
        Ok(Document { version: DOCUMENT_VERSION, json })
    }

    /// Reads a value from a document.
    ///
    /// # Errors
    ///
    /// If the document is malformed, or if this build does not read its version.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, DocumentError> {
        if !(1..=DOCUMENT_VERSION).contains(&self.version) {
            return Err(DocumentError::Version(self.version));
        }
        Ok(serde_json::from_slice(&self.json)?)
    }
}

/// Converts the bytes of a message into a digest.
///
/// # Errors
///
/// If there are not exactly 32 bytes.
pub fn digest(bytes: &[u8]) -> Result<Digest, DocumentError> {
    bytes.try_into().map(Digest).map_err(|_| DocumentError::DigestLength(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_later_versions_are_refused() {
        let document = Document::write(&7).unwrap();
        assert_eq!(document.read::<u32>().unwrap(), 7);
        assert!(matches!(document.read::<String>(), Err(DocumentError::Malformed(_))));
        let earlier = Document { version: 1, ..document.clone() };
        assert_eq!(earlier.read::<u32>().unwrap(), 7);
        for version in [0, DOCUMENT_VERSION + 1] {
            let other = Document { version, ..document.clone() };
            assert!(matches!(other.read::<u32>(), Err(DocumentError::Version(v)) if v == version));
        }
        assert!(matches!(digest(&[0; 31]), Err(DocumentError::DigestLength(31))));
    }
}
