//! Statements about a package, in the form of in-toto attestations (Statement v1).

use std::collections::BTreeMap;

use catherd_experiments::Digest;
use serde::{Deserialize, Serialize};

use crate::contents::{Contents, RunCounts};

const TYPE: &str = "https://in-toto.io/Statement/v1";

/// The type of the predicate, which ends with the version of its format.
const PREDICATE_TYPE: &str = "urn:catherd:package:1";

/// The name of the subject for the archive, which does not depend on the file name of the archive.
const ARCHIVE: &str = "package.zip";

/// Maximum size of a statement in bytes.
pub const MAX_STATEMENT_BYTES: u64 = 256 << 20;

/// An error in a statement about a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StatementError(String);

/// A statement about a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    predicate: Predicate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subject {
    name: String,
    digest: Digests,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Digests {
    sha256: Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Predicate {
    catherd: String,
    study: String,
    subject: String,
    engine: String,
    runs: RunCounts,
    results: Digest,
    authors: Vec<String>,
}

impl Statement {
    /// The statement about a package with this description. `archive` is the SHA-256 of its archive.
    ///
    /// # Errors
    /// If the description cannot be converted to JSON, which does not occur.
    pub fn of(contents: &Contents, archive: Option<Digest>) -> serde_json::Result<Statement> {
        let subject =
            |name: &str, sha256| Subject { name: name.to_owned(), digest: Digests { sha256 } };
        let list = Digest::of(&contents.to_json()?);
        let mut subjects: Vec<Subject> =
            contents.files.iter().map(|file| subject(&file.name, file.sha256)).collect();
        subjects.push(subject(Contents::FILE, list));
        subjects.extend(archive.map(|archive| subject(ARCHIVE, archive)));
        let Contents { catherd, study, subject, engine, runs, results, authors, .. } =
            contents.clone();
        Ok(Statement {
            kind: TYPE.to_owned(),
            subject: subjects,
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: Predicate { catherd, study, subject, engine, runs, results, authors },
        })
    }

    /// Reads a statement.
    ///
    /// # Errors
    /// If `json` is not a statement about a package, or names a file twice.
    pub fn read(json: &[u8]) -> Result<Statement, StatementError> {
        let error = |cause: String| StatementError(cause);
        let statement: Statement = serde_json::from_slice(json)
            .map_err(|cause| error(format!("is not a statement about a package: {cause}")))?;
        if (&*statement.kind, &*statement.predicate_type) != (TYPE, PREDICATE_TYPE) {
            return Err(error(format!(
                "is a statement of type {} about {}, not of type {TYPE} about {PREDICATE_TYPE}",
                statement.kind, statement.predicate_type
            )));
        }
        match statement.digests().len() == statement.subject.len() {
            true => Ok(statement),
            false => Err(error("names a file twice".to_owned())),
        }
    }

    /// The statement as JSON.
    ///
    /// # Errors
    /// If the statement cannot be converted to JSON, which does not occur.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(json)
    }

    /// Compares this statement with the statement about a package. The digest of the archive is not
    /// compared if `package` has none.
    ///
    /// # Errors
    /// If the statements differ.
    pub fn check(&self, package: &Statement) -> Result<(), StatementError> {
        let error = |cause: String| Err(StatementError(cause));
        let (own, other) = (self.digests(), package.digests());
        if own.get(Contents::FILE) != other.get(Contents::FILE)
            && self.predicate != package.predicate
        {
            return error(format!(
                "is about another package, of the study `{}`",
                self.predicate.study
            ));
        }
        for (name, digest) in &other {
            match own.get(name) {
                None => return error(format!("does not name {name}")),
                Some(signed) if signed != digest => {
                    return error(format!("has a different SHA-256 for {name}: {signed}"));
                }
                Some(_) => {}
            }
        }
        let unpacked = !other.contains_key(ARCHIVE);
        let lacks = |name: &&&str| !(other.contains_key(**name) || unpacked && **name == ARCHIVE);
        if let Some(name) = own.keys().find(lacks) {
            return error(format!("names {name}, which the package does not have"));
        }
        match self.predicate == package.predicate {
            true => Ok(()),
            false => error("describes the package differently".to_owned()),
        }
    }

    fn digests(&self) -> BTreeMap<&str, Digest> {
        self.subject.iter().map(|subject| (&*subject.name, subject.digest.sha256)).collect()
    }
}
