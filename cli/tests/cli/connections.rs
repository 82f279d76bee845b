//! Tests connections to coordinators and their dashboards: idle, failing, restored and refused
//! connections.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::cluster::{Process, coordinator, postgres, run_with, start, worker};
use crate::support::{ENVIRONMENT, catherd, program, stderr, two_files};
use catherd_coordinator::StoreUrl;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tempfile::TempDir;

type ErrorLines = Lines<BufReader<ChildStderr>>;

fn lines(process: &mut Process) -> ErrorLines {
    BufReader::new(process.0.stderr.take().unwrap()).lines()
}

fn find(lines: &mut ErrorLines, text: &str) -> String {
    lines.map(Result::unwrap).find(|line| line.contains(text)).expect(text)
}

fn limited(files: u32, arguments: &[&str]) -> (Process, ErrorLines, String) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {files}; exec \"$@\""), "sh"]);
    command.arg(program()).arg("coordinator").args(arguments).args(["--listen", "127.0.0.1:0"]);
    command.envs(ENVIRONMENT).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut process = Process(command.spawn().unwrap());
    let mut lines = lines(&mut process);
    let address = find(&mut lines, "serving ").rsplit(' ').next().unwrap().to_owned();
    (process, lines, address)
}

fn hold(address: &str, number: usize) -> Vec<TcpStream> {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(4096, |maximum| maximum.min(4096));
    let raised = Rlimit { current: Some(wanted), ..limit };
    setrlimit(Resource::Nofile, raised).unwrap();
    (0..number).map(|_| TcpStream::connect(address).unwrap()).collect()
}

#[test]
#[cfg_attr(not(feature = "certificates"), ignore = "needs the feature certificates")]
fn connections_that_are_only_held_open_keep_no_worker_out() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (tokens, data, certs) = (path("tokens"), path("data"), path("certs"));
    let owner = path("owner");
    for arguments in [
        &["certs", "--dir", &certs, "--for", "127.0.0.1", "--for", "me"][..],
        &["token", "owner", "--file", &tokens, "-o", &owner],
    ] {
        assert!(catherd().args(arguments).output().unwrap().status.success());
    }
    let server = path("certs/127.0.0.1");
    let (_coordinator, _lines, address) =
        limited(1024, &["--dir", &data, "--tls", &server, "--tokens", &tokens]);
    let _held = hold(&address, 1100);
    let credentials = ["--tls", &path("certs/me"), "--token-file", &owner];
    let start = Instant::now();
    let output = run_with(&[&["status"][..], &credentials].concat(), &address);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut worker =
        worker(&address, folder.path(), &[&credentials[..], &["--idle", "1"]].concat());
    assert!(worker.0.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_coordinator_without_free_descriptors_continues_to_accept() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data").display().to_string();
    // There are fewer descriptors than connections that may be held open.
    let (_coordinator, mut lines, address) = limited(100, &["--dir", &data]);
    let _held = hold(&address, 300);
    find(&mut lines, "cannot accept connections, trying again: ");
    let output = run_with(&["status"], &address);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
#[ignore = "slow"]
fn a_worker_reports_an_outage_and_its_end() {
    let folder = TempDir::new().unwrap();
    // The port is free again after this line.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let started = Instant::now();
    let mut worker = worker(&address, folder.path(), &["--idle", "1"]);
    let mut said = lines(&mut worker);
    let line = find(&mut said, "has not been reachable");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(line.contains(&address) && line.contains("nothing listens there"), "{line}");
    // The worker finds the token of a coordinator that starts later.
    let (_coordinator, _) = coordinator(&folder.path().join("data"), &["--listen", &address]);
    find(&mut said, "answers again after ");
    assert!(worker.0.wait().unwrap().success());
}

#[test]
fn a_coordinator_that_does_not_answer_is_noticed() {
    let folder = TempDir::new().unwrap();
    // The system accepts connections to this address, but nothing reads from the connections.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let started = Instant::now();
    let mut worker = worker(&address, folder.path(), &[]);
    let mut client = start(&["status", "--coordinator", &address]);
    let line = find(&mut lines(&mut worker), "has not been reachable");
    assert!(line.contains("no answer"), "{line}");
    let line = find(&mut lines(&mut client), "has not answered for 4 s");
    assert!(line.contains(&address), "{line}");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn watch_continues_after_a_restart_of_the_coordinator() {
    let folder = TempDir::new().unwrap();
    two_files(&folder.path().join("projects"));
    let study = folder.path().join("study.toml");
    let text = "subject = 'noop'\nprojects = ['projects']\nseeds = 2\n\
                algorithms = ['calm']\n[budget]\nexecutions = 1\n";
    fs::write(&study, text).unwrap();
    let data = folder.path().join("data");
    let (process, address) = coordinator(&data, &["--listen", "127.0.0.1:0"]);
    let submitted = run_with(&["submit", study.to_str().unwrap()], &address);
    assert!(submitted.status.success(), "{}", stderr(&submitted));
    let mut watch = start(&["watch", "--coordinator", &address]);
    let mut said = lines(&mut watch);
    // Wait until the coordinator has answered the command, because the command would end if its
    // first request were lost.
    wait_for_watcher(&address);
    drop(process);
    find(&mut said, "cannot be reached");
    let (_process, _) = coordinator(&data, &["--listen", &address]);
    find(&mut said, "answers again");
    let mut worker = worker(&address, folder.path(), &["--idle", "1"]);
    assert!(worker.0.wait().unwrap().success());
    assert!(watch.0.wait().unwrap().success());
}

/// Waits until a client is connected and its first request has been answered. Until then, this
/// process sends no request, because its connection could be mistaken for the client's connection.
fn wait_for_watcher(address: &str) {
    let port = address.rsplit(':').next().unwrap().parse::<u16>().unwrap();
    let start = Instant::now();
    loop {
        // A connection to the port has the state 01 (established) in the fourth column.
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        let established = table.lines().any(|line| {
            let columns: Vec<_> = line.split_whitespace().collect();
            columns[2].ends_with(&format!(":{port:04X}")) && columns[3] == "01"
        });
        if established {
            // The client has already sent its request, which is answered before this request.
            assert!(run_with(&["status"], address).status.success());
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
#[cfg_attr(not(feature = "postgres"), ignore = "needs the feature postgres")]
fn a_coordinator_waits_for_a_postgresql_server_that_is_down() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data").display().to_string();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let store = format!("postgres://nobody@127.0.0.1:{port}/nothing");
    let arguments = ["coordinator", "--dir", &data, "--store", &store, "--listen", "127.0.0.1:0"];
    let mut process = start(&arguments);
    let mut said = lines(&mut process);
    find(&mut said, "waiting for the store");
    let address = find(&mut said, "serving ").rsplit(' ').next().unwrap().to_owned();
    let output = run_with(&["status"], &address);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Store error: ") && text.contains("refused"), "{text}");
}

fn page(address: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_dashboard_only_answers_under_its_own_names() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data").display().to_string();
    let arguments = ["coordinator", "--dir", &data, "--listen", "127.0.0.1:0"];
    let pages = ["--dashboard", "127.0.0.1:0", "--dashboard-name", "ant.example.org"];
    let mut process = start(&[&arguments[..], &pages].concat());
    let line = find(&mut lines(&mut process), "dashboard: http://");
    let address = line.rsplit("//").next().unwrap().trim_end_matches('/').to_owned();
    for host in ["localhost:7421", "127.0.0.1", "ANT.example.org:80"] {
        let shown = page(&address, "/", &format!("Host: {host}\r\n"));
        assert!(shown.starts_with("HTTP/1.1 200"), "{host}: {shown}");
    }
    for path in ["/", "/events", "/missing?study=x", "/metrics", "/health", "/nothing"] {
        let refused = page(&address, path, "Host: evil.example.org\r\n");
        assert!(refused.starts_with("HTTP/1.1 421"), "{path}: {refused}");
        assert!(refused.contains("--dashboard-name"), "{refused}");
    }
    let shown = page(&address, "/", "Host: localhost\r\n").to_lowercase();
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
    ] {
        assert!(shown.contains(header), "{header}: {shown}");
    }
    // The page contains nothing that its content security policy forbids.
    assert!(!shown.contains("<style") && !shown.contains("style=") && !shown.contains(" onload"));
    assert!(shown.contains("src=\"script.js\"") && !shown.contains("<script>"), "{shown}");
    for (path, start) in [("/script.js", "\"use strict\""), ("/style.css", ":root")] {
        let shown = page(&address, path, "Host: localhost\r\n");
        assert!(shown.starts_with("HTTP/1.1 200") && shown.contains(start), "{path}: {shown}");
    }
}

#[test]
#[cfg_attr(not(feature = "certificates"), ignore = "needs the feature certificates")]
fn beyond_loopback_the_dashboard_needs_the_token_of_a_viewer() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (tokens, data, certs) = (path("tokens"), path("data"), path("certs"));
    let arguments = ["coordinator", "--dir", &data, "--listen", "127.0.0.1:0", "--dashboard"];
    let exposed = catherd().args(arguments).arg("0.0.0.0:0").output().unwrap();
    assert_eq!(exposed.status.code(), Some(1));
    assert!(stderr(&exposed).contains("only loopback is safe"), "{}", stderr(&exposed));
    for arguments in [
        &["certs", "--dir", &certs, "--for", "127.0.0.1"][..],
        &["token", "viewer", "--file", &tokens, "-o", &path("viewer")],
        &["token", "worker", "--file", &tokens, "-o", &path("worker")],
    ] {
        assert!(catherd().args(arguments).output().unwrap().status.success());
    }
    let secured = ["0.0.0.0:0", "--tls", &path("certs/127.0.0.1"), "--tokens", &tokens];
    let mut process = start(&[&arguments[..], &secured].concat());
    let line = find(&mut lines(&mut process), "dashboard: https://");
    let port = line.rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
    // A browser has no certificate, and asks the user for a name and a password.
    let get = |path: &str, credentials: Option<&str>| {
        let mut command = Command::new("curl");
        command.args(["--silent", "--max-time", "10", "--cacert", &format!("{certs}/ca.pem")]);
        command.args(["--write-out", "%{http_code}", "--output", "/dev/null"]);
        if let Some(file) = credentials {
            let token = fs::read_to_string(folder.path().join(file)).unwrap();
            command.args(["--user", &format!("me:{}", token.trim())]);
        }
        let output = command.arg(format!("https://127.0.0.1:{port}{path}")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(get("/", None), "401");
    assert_eq!(get("/metrics", Some("worker")), "401");
    assert_eq!(get("/", Some("viewer")), "200");
    assert_eq!(get("/metrics", Some("viewer")), "200");
    assert_eq!(get("/health", None), "200");
}

#[test]
#[ignore = "needs PostgreSQL: set CATHERD_POSTGRES"]
fn a_coordinator_serves_when_its_postgresql_server_has_started() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data").display().to_string();
    let StoreUrl::Postgres(url) = postgres("late") else { panic!("no PostgreSQL") };
    // The address of a server that is still down. A proxy will listen on the address later.
    let down = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (user, rest) = url.trim_start_matches("postgres://").split_once('@').unwrap();
    let (server, name) = rest.split_once('/').unwrap();
    let (server, store) = (server.to_owned(), format!("postgres://{user}@{down}/{name}"));
    let arguments = ["coordinator", "--dir", &data, "--store", &store, "--listen", "127.0.0.1:0"];
    let mut process = start(&arguments);
    let mut said = lines(&mut process);
    find(&mut said, "waiting for the store");
    let address = find(&mut said, "serving ").rsplit(' ').next().unwrap().to_owned();
    let proxy = TcpListener::bind(down).unwrap();
    std::thread::spawn(move || {
        for client in proxy.incoming().map(Result::unwrap) {
            let server = TcpStream::connect(&server).unwrap();
            for (mut from, mut to) in
                [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)]
            {
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            }
        }
    });
    find(&mut said, "this coordinator leads the store from now on");
    // The error of the store is shown until the next request to the store succeeds.
    let status = || {
        let output = run_with(&["status"], &address);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let deadline = Instant::now() + Duration::from_secs(300);
    while status().contains("Store error") {
        assert!(Instant::now() < deadline, "{}", status());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
#[cfg(not(any(feature = "certificates", feature = "postgres")))]
fn what_only_clusters_need_says_how_it_is_built() {
    let folder = TempDir::new().unwrap();
    let dir = folder.path().display().to_string();
    let store = "postgres://me@localhost/catherd";
    for (arguments, what) in [
        (&["certs", "--dir", &dir, "--for", "me"][..], "without `certificates`"),
        (&["coordinator", "--dir", &dir, "--store", store], "without PostgreSQL"),
        (&["replay", "smoke", "3fa9c1", "--store", store], "without PostgreSQL"),
    ] {
        let output = catherd().args(arguments).output().unwrap();
        let text = stderr(&output);
        assert!(text.contains(what) && text.contains("--features cluster"), "{text}");
        assert!(!output.status.success());
    }
}
