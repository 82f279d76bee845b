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
    /// Parses a location given by a user: a URL of PostgreSQL, or the path of an SQLite file.
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
            // The parts that are left out may contain a password.
            StoreUrl::Postgres(url) => match url.split_once("://") {
                Some((_, url)) => {
                    let after = url.split_once('@').map_or(url, |(_, after)| after);
                    let before_query = after.split('?').next().unwrap_or_default();
                    let address =
                        before_query.rsplit_once('@').map_or(before_query, |(_, end)| end);
                    // A `?` before the first @ may be a part of a password or begin the query.
                    let is_clear = url.find('@').is_none_or(|at| !url[..at].contains('?'));
                    write!(f, "postgres {}", if is_clear { address } else { "" })
                }
                None => {
                    let shown =
                        |pair: &&str| pair.starts_with("host=") || pair.starts_with("dbname=");
                    let pairs: Vec<_> = url.split_whitespace().filter(shown).collect();
                    write!(f, "postgres {}", pairs.join(" "))
                }
            },
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
        let shown = |url: &str| StoreUrl::parse(url).to_string();
        assert_eq!(shown("postgresql://db/catherd?user=me&password=secret"), "postgres db/catherd");
        assert_eq!(shown("postgres://me:a@b@db/catherd?password=c@d"), "postgres db/catherd");
        assert_eq!(shown("postgres://me:se?cret@db/catherd"), "postgres ");
        let pairs = StoreUrl::Postgres("host=db user=me password=secret dbname=a".to_owned());
        assert_eq!(pairs.to_string(), "postgres host=db dbname=a");
        assert_eq!(StoreUrl::parse("study.db"), StoreUrl::Sqlite("study.db".into()));
    }
}
