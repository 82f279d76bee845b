//! Coordinators and workers as processes of the binary.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use catherd_coordinator::StoreUrl;

use super::{ENVIRONMENT, catherd, program, stderr};

/// A process that is killed when it is dropped.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the binary as a process whose standard error can be read.
pub(crate) fn start(arguments: &[&str]) -> Process {
    start_with(arguments, &ENVIRONMENT)
}

/// Starts a process as [`start`] does, with these environment variables instead of [`ENVIRONMENT`].
pub(crate) fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Process {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .envs(environment.iter().copied())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    Process(command.spawn().unwrap())
}

pub(crate) fn coordinator(folder: &Path, more: &[&str]) -> (Process, String) {
    let folder = folder.to_str().unwrap();
    let mut process = start(&[&["coordinator", "--dir", folder], more].concat());
    let lines = BufReader::new(process.0.stderr.take().unwrap()).lines();
    let serving = lines.map(Result::unwrap).find(|line| line.starts_with("serving ")).unwrap();
    let port = serving.rsplit(':').next().unwrap().to_owned();
    (process, format!("127.0.0.1:{port}"))
}

pub(crate) fn worker(address: &str, folder: &Path, more: &[&str]) -> Process {
    let spool = folder.join("spool");
    let spool = spool.to_str().unwrap();
    start(&[&["worker", "--connect", address, "--spool", spool, "--name", "w"], more].concat())
}

pub(crate) fn run_with(arguments: &[&str], address: &str) -> Output {
    catherd().args(arguments).args(["--coordinator", address]).output().unwrap()
}

pub(crate) fn succeed(arguments: &[&str], address: &str) -> String {
    let output = run_with(arguments, address);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(not(feature = "postgres"))]
pub(crate) fn postgres(name: &str) -> StoreUrl {
    panic!("no database {name}: the test needs the feature postgres")
}

/// Creates a database on the server that `CATHERD_POSTGRES` names.
#[cfg(feature = "postgres")]
pub(crate) fn postgres(name: &str) -> StoreUrl {
    let server = std::env::var("CATHERD_POSTGRES").expect("CATHERD_POSTGRES names a server");
    let name = format!("catherd_{name}_{}", std::process::id());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) =
            tokio_postgres::connect(&server, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(&format!("create database {name}")).await.unwrap();
    });
    let (address, _) = server.rsplit_once('/').unwrap();
    StoreUrl::Postgres(format!("{address}/{name}"))
}
