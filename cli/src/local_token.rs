//! The token of a coordinator on loopback, which keeps out other users of the machine. The
//! coordinator writes the token to a file that only its user can read.

use std::fs;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_cli_console::Failure;
use catherd_proto::transport::Token;

use crate::tokens::new_token;

/// Maximum number of bytes that are read from a token file.
const MAX_BYTES: u64 = 4096;

/// Returns the token of the coordinator that listens on an address, and the token's file.
pub(crate) fn obtain(address: SocketAddr) -> Result<(String, PathBuf), Failure> {
    let file = folder().map(|folder| folder.join(name(address))).ok_or_else(|| {
        Failure::new(
            "no folder for the coordinator's token: neither HOME nor XDG_STATE_HOME is set",
        )
        .hint("set HOME, name a token file with --tokens, or trust all local users with --open")
    })?;
    if let Some(token) = read(&file)? {
        return Ok((token, file));
    }
    let token = new_token()?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let written = catherd_platform::create_private_folder(folder)
        .and_then(|()| check_private(folder))
        .and_then(|()| catherd_platform::write_private(&file, &format!("{token}\n")));
    written.map_err(|cause| refused(&file, &cause))?;
    Ok((token, file))
}

/// Returns the token of this user's coordinator at an address on loopback, and the IP address for
/// which the token was made. The token may be sent only to this address, because `localhost` may
/// refer to several addresses.
pub(crate) fn find(address: &str) -> Result<Option<(SocketAddr, Token)>, Failure> {
    let Some(folder) = folder() else { return Ok(None) };
    let addresses = loopback(address.strip_prefix("http://").unwrap_or(address));
    for &address in &addresses {
        if let Some(token) = read(&folder.join(name(address)))? {
            return Ok(Some((address, Token::Known(token))));
        }
    }
    let [address] = addresses[..] else { return Ok(None) };
    let file = folder.join(name(address));
    // Read the token when a request is sent, because the coordinator may start later. Ignore
    // errors, because they are reported at the next start.
    let late = move || read(&file).ok().flatten();
    Ok(Some((address, Token::Late(Arc::new(late)))))
}

fn loopback(address: &str) -> Vec<SocketAddr> {
    let address = address.trim_end_matches('/');
    if let Ok(address) = address.parse::<SocketAddr>() {
        return Vec::from_iter(address.ip().is_loopback().then_some(address));
    }
    let port = address.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let both: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    port.map_or_else(Vec::new, |port| both.map(|ip| SocketAddr::new(ip, port)).into())
}

/// Returns the name of an address's token file, such as `127.0.0.1-7420.token`.
fn name(address: SocketAddr) -> String {
    // Some systems do not permit colons in names.
    format!("{}-{}.token", address.ip().to_string().replace(':', "_"), address.port())
}

pub(crate) fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    // Ignore a relative path, as the XDG Base Directory Specification requires.
    let state = named.filter(|path| path.is_absolute());
    let state = state.or_else(|| {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        home.map(|home| home.join(".local/state"))
    });
    state.map(|state| state.join("catherd"))
}

fn read(file: &Path) -> Result<Option<String>, Failure> {
    let opened = match fs::File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.and_then(|opened| {
            catherd_platform::check_private(&opened.metadata()?)?;
            check_private(file.parent().unwrap_or(Path::new(".")))?;
            Ok(opened)
        }),
    };
    let mut text = String::new();
    let read = opened.and_then(|opened| opened.take(MAX_BYTES).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
        read => read.map_err(|cause| refused(file, &cause))?,
    };
    let token = text.trim();
    let valid = !token.is_empty() && token.chars().all(|c| c.is_ascii_graphic());
    Ok(valid.then(|| token.to_owned()))
}

fn check_private(folder: &Path) -> io::Result<()> {
    catherd_platform::check_private(&fs::metadata(folder)?)
}

fn refused(file: &Path, cause: &io::Error) -> Failure {
    Failure::new(format_args!("cannot use the token file {}: {cause}", file.display())).hint(format!(
        "remove the file and restart the coordinator, which makes a new one; the folder must have \
         mode 0700: chmod 700 {}",
        file.parent().unwrap_or(Path::new(".")).display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_only_for_loopback() {
        let texts = |address: &str| -> Vec<String> {
            loopback(address).iter().map(ToString::to_string).collect()
        };
        assert_eq!(texts("127.0.0.1:7420"), ["127.0.0.1:7420"]);
        assert_eq!(texts("[::1]:7420/"), ["[::1]:7420"]);
        assert_eq!(texts("localhost:1"), ["127.0.0.1:1", "[::1]:1"]);
        for elsewhere in ["10.0.0.7:7420", "ant:7420", "localhost", "localhost.example.org:1", ""] {
            assert!(loopback(elsewhere).is_empty(), "{elsewhere}");
        }
        assert_eq!(name("[::1]:7".parse().unwrap()), "__1-7.token");
    }
}
