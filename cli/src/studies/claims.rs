//! The claim of a study on workers: flags of `catherd submit`, and `catherd share`.

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_proto::v1;
use clap::Args;

use super::connection::Connection;
use crate::remote::Remote;

/// The claim of a study on workers.
#[derive(Args)]
pub(super) struct ClaimFlags {
    /// Priority among the studies of the same person, -1000 to 1000: studies with a higher priority
    /// get workers first [default: 0]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(i32).range(-1000..=1000))]
    priority: Option<i32>,

    /// Share of the study, 1 to 1000: of two studies with shares 3 and 1, the first gets three
    /// times as many workers as the other [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    share: Option<u32>,

    /// Largest number of workers of the study at the same time; 0 for no limit [default: 0]
    #[arg(long, value_name = "N")]
    quota: Option<u32>,
}

impl ClaimFlags {
    pub(super) fn claim(&self) -> v1::Claim {
        let ClaimFlags { priority, share, quota } = *self;
        v1::Claim { priority, share, quota }
    }
}

/// Changes how many workers a study gets.
///
/// Workers are divided among the people who have submitted studies, and then among the studies of a
/// person, over time and by shares. `catherd status` shows the shares.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd share games --share 3
  catherd share games --priority 10 --quota 16
  catherd share games --quota 0")]
pub(crate) struct Share {
    /// Name of the study
    study: String,

    #[command(flatten)]
    claim: ClaimFlags,

    #[command(flatten)]
    remote: Remote,
}

impl Share {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let claim = self.claim.claim();
        if claim == v1::Claim::default() {
            return Err(Failure::new("nothing to change")
                .hint("give --share, --priority or --quota; catherd status shows what they are"));
        }
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::SetClaimRequest { study: self.study.clone(), claim: Some(claim) };
        connection.call(async |client| client.set_claim(request).await)?;
        terminal::note(&format!("the claim of {} on workers is changed", self.study));
        Ok(Exit::Success)
    }
}
