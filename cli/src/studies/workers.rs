//! The commands that tell workers what to do: `drain`, `block` and `undrain`.

use catherd_cli_console::terminal::plural;
use catherd_cli_console::{Exit, Failure, terminal};
use catherd_proto::v1;
use clap::Args;

use super::connection::Connection;
use crate::remote::Remote;

// The help of the commands is at the variants of `Command` in main.rs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd drain ant-core-3
  catherd block ant.example.org
  catherd undrain ant.example.org --coordinator ant:7420

The coordinator remembers the name, even after a restart: workers of this name or on this host that
start later are told the same, until `catherd undrain`.")]
pub(crate) struct Tell {
    /// Name of a worker or of a host
    #[arg(value_name = "WORKER|HOST")]
    name: String,

    #[command(flatten)]
    remote: Remote,
}

impl Tell {
    pub(crate) fn run(self, rule: v1::WorkerRule) -> Result<Exit, Failure> {
        let mut connection = Connection::new(&self.remote)?;
        let request = v1::SetWorkersRequest { name: self.name.clone(), rule: rule.into() };
        let told = connection.call(async |client| client.set_workers(request).await)?.workers;
        let name = &self.name;
        let verb = match rule {
            v1::WorkerRule::Admit => "will get runs again",
            v1::WorkerRule::Drain => "will finish their current runs and exit",
            v1::WorkerRule::Block => "will get no further runs",
        };
        terminal::note(&match &told[..] {
            [] => format!(
                "no live worker or host is called {name}; workers of this name or host that start \
                 later {verb}"
            ),
            [one] if one == name => format!("worker {name}: workers of this name {verb}"),
            all => format!("{name}: {} {verb}: {}", plural(all.len(), "worker"), all.join(", ")),
        });
        Ok(Exit::Success)
    }
}
