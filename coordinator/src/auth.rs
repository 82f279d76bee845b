//! Authentication and authorisation. The coordinator stores only digests of tokens.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};
use std::{fmt, fs, io};

use catherd_experiments::text::is_printable;
use catherd_experiments::{Digest, instead};
use catherd_proto::transport;
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::connections::Peer;

/// The name of [`Role::Administrator`] in earlier versions.
const FORMER_ADMINISTRATOR: &str = "owner";

const MAX_NAME_CHARS: usize = 100;

/// The rights of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Lease and commit runs.
    Worker,
    /// Add studies, change one's own studies, and read what viewers can read.
    Submitter,
    /// Read the state and the results of all studies.
    Viewer,
    /// All rights, for the studies of all owners.
    Administrator,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 4] = [Role::Worker, Role::Submitter, Role::Viewer, Role::Administrator];

    fn includes(self, other: Role) -> bool {
        self == other
            || self == Role::Administrator
            || (self, other) == (Role::Submitter, Role::Viewer)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Worker => "worker",
            Role::Submitter => "submitter",
            Role::Viewer => "viewer",
            Role::Administrator => "administrator",
        })
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Role, String> {
        if text == FORMER_ADMINISTRATOR {
            return Ok(Role::Administrator);
        }
        let found = Role::ALL.into_iter().find(|role| role.to_string() == text);
        found.ok_or_else(|| {
            let known = Role::ALL.map(|role| role.to_string());
            format!("unknown role `{text}`: {}", instead(text, &known))
        })
    }
}

/// Why the token file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenStoreError {
    /// The file cannot be read or written.
    #[error("cannot use the token file {}: {cause}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A line is not `DIGEST ROLE [NAME]`.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        problem: String,
    },
}

/// The digests of the tokens that a coordinator accepts, and the persons who have the tokens.
#[derive(Clone, Debug, Default)]
pub struct TokenStore(BTreeMap<Digest, Caller>);

impl TokenStore {
    /// A store with one token of a person.
    pub fn of(token: &str, role: Role, name: &str) -> TokenStore {
        TokenStore([(Digest::of(token.as_bytes()), Caller::new(role, name))].into())
    }

    /// Reads a token file. A line contains the digest of a token, a role and optionally the name of
    /// a person. Lines may be empty or comments (`#`). Tokens with the same name belong to the same
    /// person.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not valid.
    pub fn read(file: &Path) -> Result<TokenStore, TokenStoreError> {
        let text = fs::read_to_string(file)
            .map_err(|cause| TokenStoreError::Io { file: file.to_owned(), cause })?;
        let mut tokens = TokenStore::default();
        for (number, line) in (1..).zip(text.lines()) {
            let malformed =
                |problem| TokenStoreError::Line { file: file.to_owned(), line: number, problem };
            let mut words = line.split_whitespace();
            let Some(digest) = words.next().filter(|word| !word.starts_with('#')) else { continue };
            let digest: Digest = digest.parse().map_err(|error| malformed(format!("{error}")))?;
            let role = words.next().unwrap_or_default().parse().map_err(malformed)?;
            let name = words.collect::<Vec<_>>().join(" ");
            let name = if name.is_empty() { format!("token {}", digest.short()) } else { name };
            tokens.0.insert(digest, Caller::new(role, &name));
        }
        Ok(tokens)
    }

    /// Appends the digest of a token to a token file, with the role and the name of the person who
    /// has the token.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn add(file: &Path, token: &str, role: Role, name: &str) -> Result<(), TokenStoreError> {
        use std::io::Write;
        let name = name.replace(char::is_control, " ");
        let line = format!("{} {role} {name}\n", Digest::of(token.as_bytes()));
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        let opened = catherd_platform::with_mode(&mut options, 0o600).open(file);
        let written = opened.and_then(|mut opened| opened.write_all(line.as_bytes()));
        written.map_err(|cause| TokenStoreError::Io { file: file.to_owned(), cause })
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn caller(&self, token: &str) -> Option<&Caller> {
        // The duration of a comparison of tokens would reveal how much of a guess is correct.
        self.0.get(&Digest::of(token.as_bytes()))
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Access {
    Open,
    /// Requests need a token. The tokens may be replaced while requests are served.
    Tokens(Arc<RwLock<TokenStore>>),
}

impl Access {
    pub(crate) fn new(tokens: Option<TokenStore>) -> Access {
        tokens.map_or(Access::Open, |tokens| Access::Tokens(Arc::new(RwLock::new(tokens))))
    }

    pub(crate) fn replace(&self, tokens: TokenStore) {
        if let Access::Tokens(shared) = self {
            *shared.write().unwrap_or_else(PoisonError::into_inner) = tokens;
        }
    }

    pub(crate) fn permits(&self, token: &str, role: Role) -> bool {
        match self {
            Access::Open => true,
            Access::Tokens(tokens) => {
                let tokens = tokens.read().unwrap_or_else(PoisonError::into_inner);
                tokens.caller(token).is_some_and(|caller| caller.role.includes(role))
            }
        }
    }
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    role: Role,
    name: String,
}

impl Caller {
    /// A person with a role. The name is made printable and cut to 100 characters.
    pub fn new(role: Role, name: &str) -> Caller {
        let name = name.replace(|c: char| !is_printable(c), " ");
        let name: String = name.trim().chars().take(MAX_NAME_CHARS).collect();
        Caller { role, name }
    }

    /// The sender of requests without a token, with all rights.
    pub fn anyone() -> Caller {
        Caller { role: Role::Administrator, name: String::new() }
    }

    /// The name of the person; empty if unknown.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a caller who may submit studies may change a study of this owner. A study without an
    /// owner may be changed by every submitter.
    pub fn may_change(&self, owner: &str) -> bool {
        self.role == Role::Administrator || owner.is_empty() || owner == self.name
    }
}

/// Adds the sender to each accepted request.
#[derive(Clone)]
pub(crate) struct AuthInterceptor(pub(crate) Access);

impl Interceptor for AuthInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let caller = match &self.0 {
            Access::Open => Caller::anyone(),
            Access::Tokens(tokens) => {
                let token = transport::token(&request)
                    .ok_or_else(|| Status::unauthenticated("the request has no token"))?;
                let tokens = tokens.read().unwrap_or_else(PoisonError::into_inner);
                let caller = tokens.caller(token).cloned();
                caller.ok_or_else(|| Status::unauthenticated("unknown token"))?
            }
        };
        // Simulated connections have no peer.
        if let Some(peer) = request.extensions().get::<Peer>() {
            peer.release();
        }
        request.extensions_mut().insert(caller);
        Ok(request)
    }
}

pub(crate) fn require_role<T>(request: &Request<T>, role: Role) -> Result<Caller, Status> {
    match request.extensions().get::<Caller>() {
        Some(caller) if caller.role.includes(role) => Ok(caller.clone()),
        _ => {
            let article = if role == Role::Administrator { "an" } else { "a" };
            let rule = format!("this request requires {article} {role} token");
            Err(Status::permission_denied(rule))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_stored_as_digests() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        assert!(matches!(TokenStore::read(&file), Err(TokenStoreError::Io { .. })));
        TokenStore::add(&file, "secret", Role::Worker, "ant").unwrap();
        TokenStore::add(&file, "other", Role::Viewer, "me\n# x").unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("secret") && text.lines().count() == 2, "{text}");
        let tokens = TokenStore::read(&file).unwrap();
        assert_eq!(tokens.0[&Digest::of(b"secret")], Caller::new(Role::Worker, "ant"));
        assert_eq!(tokens.0[&Digest::of(b"other")].name(), "me # x");
        fs::write(&file, "# mine\n\nabc worker x\n").unwrap();
        let refusal = TokenStore::read(&file).unwrap_err().to_string();
        assert!(refusal.contains("tokens:3: "), "{refusal}");
    }

    #[test]
    fn a_submitter_has_the_rights_of_a_viewer() {
        assert!(Role::Submitter.includes(Role::Viewer) && Role::Worker.includes(Role::Worker));
        assert!(!Role::Viewer.includes(Role::Submitter) && !Role::Submitter.includes(Role::Worker));
        assert!(Role::ALL.iter().all(|&role| Role::Administrator.includes(role)));
        assert!(!Role::Submitter.includes(Role::Administrator));
        assert_eq!("owner".parse(), Ok(Role::Administrator), "the name in earlier versions");
    }

    #[test]
    fn a_study_is_changed_by_its_owner_and_by_administrators() {
        let ada = Caller::new(Role::Submitter, "ada");
        assert!(ada.may_change("ada") && ada.may_change("") && !ada.may_change("bob"));
        assert!(Caller::new(Role::Administrator, "eve").may_change("bob"));
        assert!(Caller::anyone().may_change("bob"));
        assert_eq!(Caller::new(Role::Viewer, "\u{1b}[2Jx").name(), "[2Jx");
    }

    #[test]
    fn an_empty_token_store_permits_nothing() {
        let access = Access::new(Some(TokenStore::default()));
        assert!(!access.permits("", Role::Viewer) && !access.permits("secret", Role::Viewer));
        access.replace(TokenStore::of("secret", Role::Viewer, "me"));
        assert!(access.permits("secret", Role::Viewer) && !access.permits("secret", Role::Worker));
        assert!(Access::new(None).permits("", Role::Worker));
    }
}
