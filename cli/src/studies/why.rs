//! `catherd why`: why a run waits, or how it ended.

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::text::printable;
use catherd_proto::v1;
use clap::Args;
use serde_json::json;

use super::connection::Connection;
use crate::remote::Remote;

/// Explains why a run waits, or how it ended.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd why 3f9a2c
  catherd why 3f9a2c --json | jq -r .reasons[]")]
pub(crate) struct Why {
    /// First hexadecimal digits of the id of the run, as in the column `run` of runs.csv
    run: String,

    #[command(flatten)]
    remote: Remote,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Why {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::WhyRequest { run: self.run.to_ascii_lowercase() };
        let reply = connection.call(async |client| client.why(request).await)?;
        let v1::WhyReply { run, studies, place, phase, attempts, reasons } = reply;
        let text = if self.json {
            let object = json!({
                "run": run, "studies": studies, "place": place, "phase": phase,
                "attempts": attempts, "reasons": reasons,
            });
            format!("{object:#}\n")
        } else {
            let mut text = format!("{run}\n{}\n", printable(&place));
            let of = studies.iter().map(|study| printable(study)).collect::<Vec<_>>().join(", ");
            let attempts = terminal::plural(attempts as usize, "attempt");
            text += &format!("{phase}, {attempts}; studies: {of}\n");
            for reason in reasons {
                text += &format!("- {}\n", printable(&reason.replace(['\n', '\t'], " ")));
            }
            text
        };
        terminal::print(&text);
        Ok(Exit::Success)
    }
}
