//! The address of a coordinator, and the credentials of its workers and clients.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catherd_cli_console::Failure;
use catherd_proto::transport::{Access, Token};
use clap::Args;

use crate::certificates::read_tls;
use crate::{local_token, rendezvous};

/// Default address of a coordinator.
pub(crate) const ADDRESS: &str = "127.0.0.1:7420";

/// The coordinator to which a command sends requests, or several coordinators on one store.
#[derive(Args)]
pub(crate) struct Remote {
    /// Address of the coordinator, as host and port; for several coordinators on one store, their
    /// addresses, separated by commas; or file:PATH for a rendezvous file
    #[arg(long, alias = "connect", value_name = "HOST:PORT", env = "CATHERD_COORDINATOR", default_value = ADDRESS, value_delimiter = ',')]
    coordinator: Vec<String>,

    #[command(flatten)]
    credentials: Credentials,
}

impl Remote {
    pub(crate) fn addresses(&self) -> Result<Vec<(String, Access)>, Failure> {
        self.credentials.reach_all(&rendezvous::resolved(&self.coordinator)?)
    }
}

/// The credentials of a worker or client.
#[derive(Args, Clone, Debug)]
pub(crate) struct Credentials {
    /// Folder with ca.pem, cert.pem and key.pem, written by `catherd certs`
    #[arg(long, value_name = "DIR", env = "CATHERD_TLS")]
    tls: Option<PathBuf>,

    /// File with a token of `catherd token`, or - for the first line of standard input [default:
    /// the token of a coordinator of the same user on this machine]
    #[arg(long, value_name = "FILE", env = "CATHERD_TOKEN_FILE")]
    token_file: Option<PathBuf>,
}

impl Credentials {
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let options = [("--tls", &self.tls), ("--token-file", &self.token_file)];
        options.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    pub(crate) fn reads_standard_input(&self) -> bool {
        self.token_file.as_deref() == Some(Path::new("-"))
    }

    /// Returns the files and folders with credentials, which would give other processes the same
    /// rights.
    pub(crate) fn secret_files(&self) -> Vec<PathBuf> {
        let keys = self.tls.iter().map(|folder| folder.join("key.pem"));
        let tokens = self.token_file.clone().into_iter().chain(local_token::folder());
        keys.chain(tokens).collect()
    }

    pub(crate) fn reach_all(&self, addresses: &[String]) -> Result<Vec<(String, Access)>, Failure> {
        let tls = self.tls.as_deref().map(read_tls).transpose()?;
        let token = self.token_file.as_deref().map(read_token).transpose()?;
        let reach = |address: &String| {
            if token.is_none()
                && tls.is_none()
                && let Some((address, token)) = local_token::find(address)?
            {
                return Ok((format!("http://{address}"), Access { tls: None, token }));
            }
            let scheme = if tls.is_some() { "https" } else { "http" };
            let url = match address.contains("://") {
                true => address.clone(),
                false => format!("{scheme}://{}", with_port(address)?),
            };
            let token = token.clone().map_or(Token::None, Token::Known);
            Ok((url, Access { tls: tls.clone(), token }))
        };
        addresses.iter().map(reach).collect()
    }
}

fn with_port(address: &str) -> Result<&str, Failure> {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    // An IPv6 address has colons inside brackets.
    let missing = port.is_empty() || port.ends_with(']') || host.is_empty();
    let cause = match port.parse::<u16>() {
        _ if missing => "host or port is missing".to_owned(),
        Ok(0) | Err(_) => format!("`{port}` is not a port, which is a number from 1 to 65535"),
        Ok(_) => return Ok(address),
    };
    let host = match (missing, host) {
        (true, "") if !address.starts_with(':') => address,
        (true, "") => "",
        (true, _) => address.trim_end_matches(':'),
        (false, host) => host,
    };
    let host = if host.is_empty() { "127.0.0.1" } else { host };
    let port = ADDRESS.rsplit_once(':').map_or("", |(_, port)| port);
    Err(Failure::new(format_args!("coordinator {address}: {cause}"))
        .hint(format!("write HOST:PORT, such as {host}:{port}")))
}

fn read_token(file: &Path) -> Result<String, Failure> {
    let read = if file == Path::new("-") {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|_| line)
    } else {
        fs::read_to_string(file)
    };
    let token = read.map_err(|cause| {
        Failure::new(format_args!("cannot read the token in {}: {cause}", file.display()))
            .hint("name a file that `catherd token ROLE -o FILE` wrote")
    })?;
    match token.trim() {
        "" => Err(Failure::new(format_args!("there is no token in {}", file.display()))
            .hint("name a file that `catherd token ROLE -o FILE` wrote")),
        token => Ok(token.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn clients_and_workers_accept_the_flag_of_each_other() {
        for line in [
            "submit study.toml --connect ant:7420",
            "status --connect ant:7420",
            "worker --coordinator ant:7420",
        ] {
            let words = std::iter::once("catherd").chain(line.split(' '));
            assert!(Cli::command().try_get_matches_from(words).is_ok(), "{line}");
        }
    }

    #[test]
    fn addresses_have_a_host_and_a_port() {
        for good in ["ant:7420", "127.0.0.1:1", "[::1]:7420"] {
            assert!(with_port(good).is_ok(), "{good}");
        }
        for (bad, cause, hint) in [
            ("ant", "port is missing", "such as ant:7420"),
            ("ant:", "port is missing", "such as ant:7420"),
            (":7420", "host or port", "such as 127.0.0.1:7420"),
            ("[::1]", "port is missing", "such as [::1]:7420"),
            ("ant:99999", "`99999` is not a port", "such as ant:7420"),
            ("ant:http", "`http` is not a port", "such as ant:7420"),
        ] {
            let failure = with_port(bad).unwrap_err().to_string();
            assert!(failure.contains(cause) && failure.contains(hint), "{failure}");
        }
    }
}
