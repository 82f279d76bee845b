//! Rendezvous files. The address of a coordinator that is a job of a cluster is not known before
//! the job starts, so the coordinator writes the address to a file that its workers can read.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use catherd_cli_console::{Failure, terminal};

/// Prefix of the path of a rendezvous file where an address is expected.
const PREFIX: &str = "file:";

/// Maximum size of a rendezvous file in bytes.
const MAX_BYTES: u64 = 4096;

/// Time between two attempts to read a file.
const INTERVAL: Duration = Duration::from_secs(1);

pub(crate) fn is_used(addresses: &[String]) -> bool {
    addresses.iter().any(|address| address.starts_with(PREFIX))
}

pub(crate) fn resolved(addresses: &[String]) -> Result<Vec<String>, Failure> {
    let resolve = |address: &String| match address.strip_prefix(PREFIX) {
        Some(file) => read(Path::new(file)).map_err(|cause| {
            Failure::new(format_args!("no coordinator in {file}: {cause}")).hint(
                "name the file of `catherd coordinator --rendezvous FILE`, and check that the \
                 coordinator runs",
            )
        }),
        None => Ok(vec![address.clone()]),
    };
    let found = addresses.iter().map(resolve).collect::<Result<Vec<_>, Failure>>()?;
    Ok(found.concat())
}

/// Retries [`resolved`] until it succeeds or the time `limit` has passed.
pub(crate) fn awaited(addresses: &[String], limit: Duration) -> Result<Vec<String>, Failure> {
    let start = Instant::now();
    let mut told = false;
    loop {
        match resolved(addresses) {
            Err(failure) if start.elapsed() >= limit => return Err(failure),
            Err(failure) => {
                if !told && start.elapsed() >= 4 * INTERVAL {
                    terminal::note(&format!("{}; trying again", failure.cause()));
                    told = true;
                }
                thread::sleep(INTERVAL.min(limit));
            }
            found => return found,
        }
    }
}

fn read(file: &Path) -> io::Result<Vec<String>> {
    // Limit the size, because a device such as `/dev/zero` has no end.
    let mut text = String::new();
    File::open(file)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    let wrong = || {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "its content is not a list of addresses HOST:PORT",
        )
    };
    let plain = |line: &&str| line.chars().all(|c| c.is_ascii_graphic()) && line.contains(':');
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() || text.len() as u64 > MAX_BYTES || !lines.iter().all(plain) {
        return Err(wrong());
    }
    Ok(lines.into_iter().map(str::to_owned).collect())
}

/// If the listener accepts connections on all addresses, the name of this host is used.
pub(crate) fn reachable(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("{}:{}", catherd_platform::host(), address.port()),
        false => address.to_string(),
    }
}

/// The file is replaced atomically.
pub(crate) fn write(file: &Path, address: &str) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let partial = file.with_file_name(name);
    fs::write(&partial, format!("{address}\n"))?;
    fs::rename(partial, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("coordinator");
        let named = [format!("file:{}", file.display())];
        assert!(resolved(&named).unwrap_err().to_string().contains("no coordinator in"));
        write(&file, "ant:7420").unwrap();
        assert_eq!(resolved(&named).unwrap(), ["ant:7420"]);
        write(&file, "bee:1").unwrap();
        assert_eq!(awaited(&named, Duration::ZERO).unwrap(), ["bee:1"]);
        assert_eq!(resolved(&["ant:1".to_owned()]).unwrap(), ["ant:1"]);
        for wrong in ["", "\n", "ant", "ant:1\u{7}", "a b:1", &"a:1\n".repeat(2000)] {
            fs::write(&file, wrong).unwrap();
            assert!(resolved(&named).is_err(), "{wrong:?}");
        }
        #[cfg(unix)]
        assert!(resolved(&["file:/dev/zero".to_owned()]).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(reachable("127.0.0.1:7".parse().unwrap()), "127.0.0.1:7");
    }
}
