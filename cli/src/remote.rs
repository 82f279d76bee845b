//! The address of a coordinator, and the credentials of its workers and clients.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catherd_cli_console::Failure;
use catherd_proto::transport::{Access, Token};
use clap::Args;

use crate::certificates::read_tls;
use crate::local_token;

/// Default address of a coordinator.
pub(crate) const ADDRESS: &str = "127.0.0.1:7420";

/// The coordinator to which a command sends its requests.
#[derive(Args)]
pub(crate) struct Remote {
    /// Address of the coordinator, as host and port
    #[arg(long, value_name = "HOST:PORT", env = "CATHERD_COORDINATOR", default_value = ADDRESS)]
    coordinator: String,

    #[command(flatten)]
    credentials: Credentials,
}

impl Remote {
    /// The URL of the coordinator and the credentials for it.
    pub(crate) fn address(&self) -> Result<(String, Access), Failure> {
        self.credentials.reach(&self.coordinator)
    }
}

/// The credentials of a worker or client.
#[derive(Args)]
pub(crate) struct Credentials {
    /// Folder with ca.pem, cert.pem and key.pem, written by `catherd certs`
    #[arg(long, value_name = "DIR", env = "CATHERD_TLS")]
    tls: Option<PathBuf>,

    /// File with a token of `catherd token`, or - for the first line of standard input [default: the
    /// token of a coordinator of the same user on this machine]
    #[arg(long, value_name = "FILE", env = "CATHERD_TOKEN_FILE")]
    token_file: Option<PathBuf>,
}

impl Credentials {
    /// The files and folders that give others the same rights.
    pub(crate) fn secret_files(&self) -> Vec<PathBuf> {
        let keys = self.tls.iter().map(|folder| folder.join("key.pem"));
        let tokens = self.token_file.clone().into_iter().chain(local_token::folder());
        keys.chain(tokens).collect()
    }

    /// The URL of the coordinator at an address, and what is needed to be let in.
    pub(crate) fn reach(&self, address: &str) -> Result<(String, Access), Failure> {
        let mut found = self.reach_all(&[address.to_owned()])?;
        found.pop().ok_or_else(|| Failure::new("no address of a coordinator"))
    }

    /// Like [`Credentials::reach`] for several coordinators of the same store.
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
                false => format!("{scheme}://{address}"),
            };
            let token = token.clone().map_or(Token::None, Token::Known);
            Ok((url, Access { tls: tls.clone(), token }))
        };
        addresses.iter().map(reach).collect()
    }
}

/// Reads a token from a file, or from the first line of standard input if its name is `-`.
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
