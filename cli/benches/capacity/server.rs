//! The coordinator that is measured: a separate process, observed through `/proc`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use catherd_cli_console::Failure;
use catherd_coordinator::WRITER_THREAD;

use super::Cost;

pub(super) struct Server {
    child: Child,
    pub(super) address: String,
    pub(super) dashboard: SocketAddr,
    /// Time from the start of the process until the coordinator served requests.
    pub(super) starting: Duration,
    /// Standard error, kept open so that writing to it does not fail.
    _stderr: BufReader<ChildStderr>,
}

impl Server {
    pub(super) fn start(dir: &Path, store: Option<&str>) -> Result<Server, Failure> {
        let cannot = |cause| Failure::new(format_args!("cannot start a coordinator: {cause}"));
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_catherd"));
        command.arg("coordinator").arg("--dir").arg(dir);
        command.args(["--listen", "127.0.0.1:0", "--dashboard", "127.0.0.1:0"]);
        // Accept requests without a token, which is harmless because no process executes the
        // submitted studies.
        command.arg("--open");
        if let Some(store) = store {
            command.args(["--store", store]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(cannot)?;
        let Some(stderr) = child.stderr.take() else {
            return Err(Failure::new(
                "cannot read the coordinator's standard error (internal error)",
            ));
        };
        let mut lines = BufReader::new(stderr);
        let (mut address, mut dashboard, mut printed) = (None, None, String::new());
        while address.is_none() {
            let mut line = String::new();
            if lines.read_line(&mut line).map_err(cannot)? == 0 {
                let _ = child.wait();
                return Err(Failure::new(format_args!(
                    "the coordinator ended: {}",
                    printed.trim()
                )));
            }
            if let Some(url) = line.trim().strip_prefix("dashboard: http://") {
                dashboard = url.trim_end_matches('/').parse().ok();
            }
            if line.starts_with("serving ") {
                address = line.trim().rsplit(' ').next().map(|at| format!("http://{at}"));
            }
            printed += &line;
        }
        let (Some(address), Some(dashboard)) = (address, dashboard) else {
            return Err(Failure::new(format_args!("the coordinator printed: {}", printed.trim())));
        };
        let starting = start.elapsed();
        Ok(Server { child, address, dashboard, starting, _stderr: lines })
    }

    pub(super) fn spent(&self) -> Cost {
        let mut spent = Cost::default();
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        for thread in threads.into_iter().flatten().flatten() {
            let read = |file: &str| fs::read_to_string(thread.path().join(file));
            let (Ok(name), Ok(times)) = (read("comm"), read("schedstat")) else { continue };
            // The first field is the nanoseconds spent on a core.
            let ns = times.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
            let us = 1e-3 * ns.unwrap_or_default();
            if name.trim() == WRITER_THREAD { spent.writer_us += us } else { spent.others_us += us }
        }
        spent
    }

    pub(super) fn memory(&self) -> (f64, f64) {
        memory(self.child.id())
    }

    pub(super) fn stop(&mut self) -> Result<(), Failure> {
        let cannot = |cause| Failure::new(format_args!("cannot end the coordinator: {cause}"));
        catherd_platform::terminate(&self.child).map_err(cannot)?;
        self.child.wait().map_err(cannot)?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ignore the error, because the process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Resident memory of a process in bytes, and its peak.
pub(super) fn memory(process: u32) -> (f64, f64) {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let kib = |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse().unwrap_or(0.0)
    };
    (1024.0 * kib("VmRSS:"), 1024.0 * kib("VmHWM:"))
}

/// Size in bytes of the files of an SQLite store.
pub(super) fn size(dir: &Path) -> f64 {
    let files = ["study.db", "study.db-wal"].map(|name| -> PathBuf { dir.join(name) });
    files.iter().filter_map(|file| fs::metadata(file).ok()).map(|file| file.len() as f64).sum()
}

pub(super) fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.unwrap_or("").trim_start_matches([' ', '\t', ':']).trim();
    let cores = catherd_platform::allowed_cores().len();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    format!("{cores} cores of {model}, load {load} at the start")
}
