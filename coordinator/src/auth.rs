//! Who may ask for what. A token is a secret text; the coordinator knows only its digest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::{fmt, fs, io};

use catherd_experiments::Digest;
use catherd_proto::transport;
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// What the owner of a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Lease and commit runs.
    Worker,
    /// Add, pause and cancel studies, and see everything.
    Submitter,
    /// See everything.
    Viewer,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Worker, Role::Submitter, Role::Viewer];

    /// Whether this role includes the rights of another.
    fn includes(self, other: Role) -> bool {
        self == other || (self, other) == (Role::Submitter, Role::Viewer)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Worker => "worker",
            Role::Submitter => "submitter",
            Role::Viewer => "viewer",
        })
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Role, String> {
        let found = Role::ALL.into_iter().find(|role| role.to_string() == text);
        found.ok_or_else(|| format!("`{text}` is none of worker, submitter and viewer"))
    }
}

/// A file of tokens that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenStoreError {
    /// It cannot be read or written.
    #[error("{}: {cause}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A line is not `DIGEST ROLE NAME`.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// The tokens that a coordinator accepts.
#[derive(Clone, Debug, Default)]
pub struct TokenStore(BTreeMap<Digest, Role>);

impl TokenStore {
    /// Reads a file of tokens: a line each with the digest of the token, its role and a name
    /// for people. Empty lines and lines that begin with `#` are passed over.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or a line is something else.
    pub fn read(file: &Path) -> Result<TokenStore, TokenStoreError> {
        let text = fs::read_to_string(file)
            .map_err(|cause| TokenStoreError::Io { file: file.to_owned(), cause })?;
        let mut keys = TokenStore::default();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong =
                |problem| TokenStoreError::Line { file: file.to_owned(), line: number, problem };
            let mut words = line.split_whitespace();
            let Some(digest) = words.next().filter(|word| !word.starts_with('#')) else { continue };
            let digest: Digest = digest.parse().map_err(|error| wrong(format!("{error}")))?;
            let role = words.next().unwrap_or_default().parse().map_err(wrong)?;
            keys.0.insert(digest, role);
        }
        Ok(keys)
    }

    /// Adds a token to a file of tokens, which is made if it is missing and readable for its
    /// owner alone.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn add(file: &Path, token: &str, role: Role, name: &str) -> Result<(), TokenStoreError> {
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;
        let name = name.replace(char::is_control, " ");
        let line = format!("{} {role} {name}\n", Digest::of(token.as_bytes()));
        let mut options = fs::OpenOptions::new();
        let opened = options.create(true).append(true).mode(0o600).open(file);
        let written = opened.and_then(|mut opened| opened.write_all(line.as_bytes()));
        written.map_err(|cause| TokenStoreError::Io { file: file.to_owned(), cause })
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Who has asked.
#[derive(Clone, Copy)]
enum Caller {
    /// The owner of a token.
    Known(Role),
    /// Anybody: the coordinator has no tokens and listens on loopback alone.
    Local,
}

/// Lets known callers in.
#[derive(Clone)]
pub(crate) struct AuthInterceptor(pub(crate) Option<Arc<TokenStore>>);

impl Interceptor for AuthInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let caller = match &self.0 {
            None => Caller::Local,
            Some(keys) => {
                let token = transport::token(&request)
                    .ok_or_else(|| Status::unauthenticated("a token is needed"))?;
                let role = keys.0.get(&Digest::of(token.as_bytes()));
                Caller::Known(*role.ok_or_else(|| Status::unauthenticated("an unknown token"))?)
            }
        };
        request.extensions_mut().insert(caller);
        Ok(request)
    }
}

/// Refuses a request of somebody who lacks a role.
pub(crate) fn require_role<T>(request: &Request<T>, role: Role) -> Result<(), Status> {
    match request.extensions().get() {
        Some(Caller::Local) => Ok(()),
        Some(Caller::Known(known)) if known.includes(role) => Ok(()),
        _ => Err(Status::permission_denied(format!("this needs the token of a {role}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_kept_as_digests() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        assert!(matches!(TokenStore::read(&file), Err(TokenStoreError::Io { .. })));
        TokenStore::add(&file, "secret", Role::Worker, "ant").unwrap();
        TokenStore::add(&file, "other", Role::Viewer, "me\n# x").unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("secret") && text.lines().count() == 2, "{text}");
        let keys = TokenStore::read(&file).unwrap();
        assert_eq!(keys.0[&Digest::of(b"secret")], Role::Worker);
        fs::write(&file, "# mine\n\nabc worker x\n").unwrap();
        let refusal = TokenStore::read(&file).unwrap_err().to_string();
        assert!(refusal.contains("tokens:3: "), "{refusal}");
    }

    #[test]
    fn submitters_see_what_viewers_see() {
        assert!(Role::Submitter.includes(Role::Viewer) && Role::Worker.includes(Role::Worker));
        assert!(!Role::Viewer.includes(Role::Submitter) && !Role::Submitter.includes(Role::Worker));
    }
}
