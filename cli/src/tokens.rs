//! Makes tokens for coordinators, and reads the token files of coordinators.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, output, terminal};
use catherd_coordinator::auth::{Role, TokenStore};
use clap::Args;

use crate::failure::Worded;

/// Makes a new token: 256 random bits in hexadecimal digits, after a prefix by which scanners for
/// secrets can recognise tokens.
pub(crate) fn new_token() -> Result<String, Failure> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|cause| Failure::new(format_args!("no random numbers: {cause}")))?;
    Ok(format!("catherd-{}", hex::encode(secret)))
}

/// The file must contain a token, because otherwise no worker and no client could use the
/// coordinator.
pub(crate) fn read(file: &Path) -> Result<TokenStore, Failure> {
    let tokens = TokenStore::read(file).map_err(Worded::worded)?;
    if tokens.is_empty() {
        return Err(Failure::new(format_args!(
            "no token in {}: nothing could connect",
            file.display()
        ))
        .hint(format!("make one: catherd token ROLE --file {}", file.display())));
    }
    Ok(tokens)
}

/// Makes a token for a worker or a client of a coordinator.
///
/// The token is written to a file of mode 0600, or printed once; only its digest is written to the
/// coordinator's token file. A running coordinator reads that file again on SIGHUP.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd token worker --name ants -o ants.token
  catherd token submitter --file /srv/catherd/tokens -o me.token")]
pub(crate) struct MakeToken {
    /// Role that the token permits: worker, submitter, viewer, or administrator, who may do
    /// everything
    role: Role,

    /// Name of the person who has the token. Studies belong to the person who submits them: only
    /// this person and administrators can pause, cancel, delete or extend them [default: token and
    /// the first digits of its digest]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Token file of the coordinator
    #[arg(long, value_name = "FILE", default_value = "tokens")]
    file: PathBuf,

    /// File of the new token, with mode 0600 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl MakeToken {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let token = new_token()?;
        // Write the token first, because the digest would be useless without the token.
        if let Some(out) = &self.out {
            let written = catherd_platform::write_private(out, &format!("{token}\n"));
            written.map_err(|cause| output::unwritable(out, &cause))?;
        }
        let name = self.name.as_deref().unwrap_or_default();
        TokenStore::add(&self.file, &token, self.role, name).map_err(Worded::worded)?;
        let tokens = self.file.display();
        match &self.out {
            Some(out) => terminal::note(&format!("The token is in {}.", out.display())),
            None => {
                terminal::print(&format!("{token}\n"));
                if !io::stdout().is_terminal() {
                    terminal::note(
                        "Other users may be able to read a token that does not go to a terminal; -o FILE \
                         writes a file of mode 0600.",
                    );
                }
            }
        }
        terminal::note(&format!(
            "The digest is in {tokens}; start the coordinator with --tokens {tokens}, or send \
             SIGHUP to the one that runs."
        ));
        Ok(Exit::Success)
    }
}
