//! Starts several workers with one command, for example the workers of a task with several cores.

use std::path::Path;
use std::process::Command;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use catherd_cli_console::{Exit, Failure};
use catherd_platform::{StopSignals, Topology, allowed_cores};
use catherd_worker::LocalFleet;
use clap::ValueEnum as _;

use super::Arguments;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processes {
    Number(usize),
    /// One for each physical core that the process may use or, with `--siblings`, for each
    /// hyper-thread.
    All,
}

/// Maximum number of workers of one command.
const MAX_PROCESSES: usize = 4096;

impl FromStr for Processes {
    type Err = String;

    fn from_str(text: &str) -> Result<Processes, String> {
        match text.parse() {
            _ if text == "all" => Ok(Processes::All),
            Ok(number) if (1..=MAX_PROCESSES).contains(&number) => Ok(Processes::Number(number)),
            _ => Err(format!("write a number from 1 to {MAX_PROCESSES}, or all")),
        }
    }
}

/// Time between two checks of the workers.
const INTERVAL: Duration = Duration::from_millis(100);

/// A given number of workers is pinned only if there are as many cores, because other processes may
/// otherwise use the same cores.
pub(super) fn run(
    arguments: &Arguments,
    processes: Processes,
    name: &str,
    spool: &Path,
    cache: &Path,
) -> Result<Exit, Failure> {
    let allowed = allowed_cores();
    let (places, pinned): (Vec<usize>, bool) = match processes {
        Processes::All => {
            let topology = Topology::of_this_machine();
            (topology.worker_cores(&allowed, arguments.siblings), true)
        }
        Processes::Number(number) if number == allowed.len() => (allowed, true),
        Processes::Number(number) => ((0..number).collect(), false),
    };
    let program = std::env::current_exe()
        .map_err(|cause| Failure::new(format_args!("cannot find this program: {cause}")))?;
    if arguments.credentials.reads_standard_input() {
        return Err(Failure::new("--token-file -: one line is not enough for several workers")
            .hint("name a file"));
    }
    let words = arguments.words(cache);
    let first = places.first().copied().unwrap_or_default();
    let command = {
        let (name, spool) = (name.to_owned(), spool.to_owned());
        move |place: usize| {
            let mut command = Command::new(&program);
            command.args(["worker", "--exit-with-parent", "--name", &format!("{name}-{place}")]);
            command.arg("--spool").arg(spool_of(&spool, place)).args(&words);
            if place != first {
                command.arg("--isolation-known");
            }
            if pinned {
                // Accept any hyper-thread, because the cores were chosen above.
                command.args(["--core", &place.to_string(), "--siblings"]);
            }
            command
        }
    };
    let cannot_start = |cause| Failure::new(format_args!("cannot start the workers: {cause}"));
    let spool = spool.to_owned();
    let spool = move |place: usize| spool_of(&spool, place);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(cannot_start)?;
    runtime.block_on(async {
        let mut stop = StopSignals::listen().map_err(cannot_start)?;
        let fleet =
            LocalFleet::start(&places, String::new(), spool, command).map_err(cannot_start)?;
        let mut told = false;
        while !fleet.has_ended() {
            tokio::select! {
                () = tokio::time::sleep(INTERVAL) => {}
                () = stop.received() => {
                    if told {
                        return Ok(Exit::Stopped);
                    }
                    told = true;
                    fleet.drain();
                }
            }
        }
        match fleet.abandoned_cores().first() {
            Some((_, reason)) => Err(Failure::new(reason.clone()).hint("see its messages above")),
            None => Ok(Exit::Success),
        }
    })
}

/// Returns the spool of a worker. `place` is the core of a pinned worker, otherwise a number.
fn spool_of(spool: &Path, place: usize) -> std::path::PathBuf {
    spool.join(place.to_string())
}

impl Arguments {
    fn words(&self, cache: &Path) -> Vec<std::ffi::OsString> {
        let mut words: Vec<std::ffi::OsString> = Vec::new();
        let mut add = |option: &str, value: std::ffi::OsString| {
            words.extend([option.into(), value]);
        };
        add("--connect", self.connect.join(",").into());
        add("--cache", cache.into());
        add("--cache-size", self.cache_size.to_string().into());
        add("--retry-timeout", self.retry_timeout.to_string().into());
        add("--memory", self.memory.to_string().into());
        if let Some(format) = self.log.to_possible_value() {
            add("--log", format.get_name().into());
        }
        for (option, path) in self.credentials.paths() {
            add(option, path.into());
        }
        let numbers =
            [("--idle", self.idle), ("--grace", self.grace), ("--run-limit", self.run_limit)];
        for (option, number) in numbers {
            if let Some(number) = number {
                add(option, number.to_string().into());
            }
        }
        if let Some(left) = self.until {
            // Pass the end as an absolute time, because a worker that is started again has less
            // time left.
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            add("--until", (now + left).as_secs().to_string().into());
        }
        if let Some(programs) = &self.programs {
            add("--programs", programs.into());
            add("--isolation", self.isolation.word().into());
            self.tools.iter().for_each(|tools| add("--tools", tools.into()));
            self.hide.iter().for_each(|path| add("--hide", path.into()));
        }
        words
    }
}
