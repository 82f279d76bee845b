//! Coordinators and workers as processes of the binary.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use catherd_coordinator::Place;

use super::{catherd, program, skip, stderr};

/// A process that ends with the test.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process of the binary; what it says of itself can be read.
pub(crate) fn start(arguments: &[&str]) -> Process {
    let mut command = Command::new(program());
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    Process(command.spawn().unwrap())
}

/// A coordinator and where it serves.
pub(crate) fn coordinator(folder: &Path, more: &[&str]) -> (Process, String) {
    let folder = folder.to_str().unwrap();
    let mut process = start(&[&["coordinator", "--dir", folder], more].concat());
    let lines = BufReader::new(process.0.stderr.take().unwrap()).lines();
    let serving = lines.map(Result::unwrap).find(|line| line.contains(" on ")).unwrap();
    let port = serving.rsplit(':').next().unwrap().to_owned();
    (process, format!("127.0.0.1:{port}"))
}

pub(crate) fn worker(address: &str, folder: &Path, more: &[&str]) -> Process {
    let spool = folder.join("spool");
    let spool = spool.to_str().unwrap();
    start(&[&["worker", "--connect", address, "--spool", spool, "--name", "w"], more].concat())
}

pub(crate) fn ask(arguments: &[&str], address: &str) -> Output {
    catherd().args(arguments).args(["--coordinator", address]).output().unwrap()
}

pub(crate) fn told(arguments: &[&str], address: &str) -> String {
    let output = ask(arguments, address);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// A new database of the server that `CATHERD_POSTGRES` names; says so where there is none.
pub(crate) fn postgres(name: &str) -> Option<Place> {
    let Ok(server) = std::env::var("CATHERD_POSTGRES") else {
        skip("CATHERD_POSTGRES names no server");
        return None;
    };
    let name = format!("catherd_{name}_{}", std::process::id());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) =
            tokio_postgres::connect(&server, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(&format!("create database {name}")).await.unwrap();
    });
    let (address, _) = server.rsplit_once('/').unwrap();
    Some(Place::Server(format!("{address}/{name}")))
}
