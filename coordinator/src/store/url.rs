//! The location of a store.

use std::fmt;
use std::path::PathBuf;

/// The location of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// The path of an SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database: `postgres://user@host/name` or key-value pairs.
    Postgres(String),
}

impl StoreUrl {
    /// Parses a location given by a user: a URL that begins with `postgres://` or `postgresql://`;
    /// anything else is the path of an SQLite file.
    pub fn parse(text: &str) -> StoreUrl {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            StoreUrl::Postgres(text.to_owned())
        } else {
            StoreUrl::Sqlite(text.into())
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreUrl::Sqlite(path) => write!(f, "{}", path.display()),
            // Leave out the part before the @, which may contain a password.
            StoreUrl::Postgres(url) => {
                let after = url.rsplit_once('@').map_or(url.as_str(), |(_, after)| after);
                write!(f, "postgres {}", after.trim_start_matches("postgres://"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_displayed() {
        let url = StoreUrl::parse("postgres://me:secret@db.example.org/catherd");
        assert_eq!(url.to_string(), "postgres db.example.org/catherd");
        assert_eq!(StoreUrl::parse("study.db"), StoreUrl::Sqlite("study.db".into()));
    }
}
