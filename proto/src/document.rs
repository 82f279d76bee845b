//! Specifications and records as documents.

use catherd_experiments::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::v1::Document;

/// Version of the vocabulary (`RunSpec`, `RunRecord`) that this build reads and writes.
pub const DOCUMENT_VERSION: u32 = 1;

/// A document or digest from the wire that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Written by another version.
    #[error("a document of version {0}; this build reads version {DOCUMENT_VERSION}")]
    Version(u32),
    /// Not what it should be.
    #[error("a malformed document: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Not 32 bytes.
    #[error("a digest of {0} bytes instead of 32")]
    DigestLength(usize),
}

impl Document {
    /// Writes a value of the vocabulary.
    ///
    /// # Errors
    ///
    /// When the value has no JSON form; the vocabulary's types have one.
    pub fn write(value: &impl Serialize) -> Result<Document, DocumentError> {
        let json = serde_json::to_vec(value)?.into();
        Ok(Document { version: DOCUMENT_VERSION, json })
    }

    /// Reads a value of the vocabulary.
    ///
    /// # Errors
    ///
    /// When the document is of another version or malformed.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, DocumentError> {
        if self.version != DOCUMENT_VERSION {
            return Err(DocumentError::Version(self.version));
        }
        Ok(serde_json::from_slice(&self.json)?)
    }
}

/// Reads a digest.
///
/// # Errors
///
/// When it is not of 32 bytes.
pub fn digest(bytes: &[u8]) -> Result<Digest, DocumentError> {
    bytes.try_into().map(Digest).map_err(|_| DocumentError::DigestLength(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_it_cannot_know() {
        let document = Document::write(&7).unwrap();
        assert_eq!(document.read::<u32>().unwrap(), 7);
        assert!(matches!(document.read::<String>(), Err(DocumentError::Malformed(_))));
        let later = Document { version: 2, ..document };
        assert!(matches!(later.read::<u32>(), Err(DocumentError::Version(2))));
        assert!(matches!(digest(&[0; 31]), Err(DocumentError::DigestLength(31))));
    }
}
