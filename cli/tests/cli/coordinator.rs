//! Tests a separate coordinator with workers and clients.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::cluster::{Process, coordinator, run_with, start, succeed, worker};
use crate::support::{catherd, digests, stderr, two_files, two_projects};
use serde_json::Value;
use tempfile::TempDir;

const STUDY: [&str; 8] =
    ["--algorithms", "random,mio", "--seeds", "2", "--executions", "20", "--name", "games"];

#[test]
#[ignore = "slow"]
fn a_study_is_submitted_paused_resumed_and_fetched() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let projects = folder.path().join("projects");
    two_projects(&projects);
    std::fs::copy(projects.join("packed.sb3"), projects.join("second.sb3")).unwrap();
    let (projects, local, out) = (path("projects"), path("local"), path("out"));
    let (process, address) = coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);

    let submit = [&["submit", "--projects", &projects][..], &STUDY].concat();
    succeed(&submit, &address);
    let text = succeed(&["status", "games"], &address);
    assert!(text.contains("2 pending") && text.contains(": there is no worker"), "{text}");
    succeed(&["pause", "games"], &address);
    let text = succeed(&["status", "games"], &address);
    assert!(text.contains(": the study is paused"), "{text}");
    let _worker = worker(&address, folder.path(), &[]);
    succeed(&["watch"], &address);
    let status: Value = serde_json::from_str(&succeed(&["status", "--json"], &address)).unwrap();
    let study = &status["studies"][0];
    assert_eq!((&study["state"], &study["pending"]), (&"paused".into(), &8.into()), "{status}");

    drop(process);
    let (_process, address) = coordinator(&folder.path().join("data"), &["--listen", &address]);
    succeed(&["resume", "games"], &address);
    let watched = succeed(&["watch", "--json"], &address);
    for line in watched.lines() {
        let status: Value = serde_json::from_str(line).expect(line);
        assert!(status["runs_per_second"].is_number() && status["workers"].is_number(), "{line}");
    }
    assert!(!watched.is_empty());
    let text = succeed(&["status", "games"], &address);
    assert!(text.contains("complete") && text.contains("Nothing is missing."), "{text}");
    succeed(&["results", "games", "--out", &out], &address);

    let run = [&["run", "--projects", &projects, "--out", &local, "--quiet"][..], &STUDY].concat();
    let output = catherd().args(&run).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let duplicate = "second.sb3: the same project as packed, run once";
    assert!(stderr(&output).contains(duplicate), "{}", stderr(&output));
    assert_eq!(digests(Path::new(&out)), digests(Path::new(&local)));
    // The status of a folder of results needs no coordinator.
    let status = |more: &[&str]| {
        let output = catherd().args(["status", &local]).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let status: Value = serde_json::from_str(&status(&["--json"])).unwrap();
    let study = &status["studies"][0];
    assert_eq!((&study["state"], &study["done"]), (&"complete".into(), &8.into()), "{status}");
    // The files in both folders that do not depend on the machine have the same bytes.
    let same = [
        "criteria.csv",
        "mutants.csv",
        "skipped.csv",
        "dropped.csv",
        "projects.csv",
        "subject.json",
        "study.json",
        "study-state.json",
        "table6.csv",
        "comparisons.csv",
        "coverage.csv",
        "algorithms.csv",
        "table6.md",
        "suites/packed/mio-1.json",
    ];
    for file in same {
        let read = |folder: &str| std::fs::read_to_string(Path::new(folder).join(file)).unwrap();
        assert_eq!(read(&out), read(&local), "{file}");
    }
    let skipped = std::fs::read_to_string(Path::new(&out).join("skipped.csv")).unwrap();
    assert!(skipped.contains("second.sb3,the same project as packed"), "{skipped}");
    assert_eq!(std::fs::read_dir(folder.path().join("cache")).unwrap().count(), 2);

    // Half of the runs of this study have already ended.
    let more = ["--seeds", "4", "--name", "larger", "--algorithms", "random,mio"];
    let larger = ["submit", "--projects", &projects, "--executions", "20"];
    let output = run_with(&[&larger[..], &more].concat(), &address);
    assert!(
        stderr(&output).contains("larger: 16 runs, 8 of them ended earlier"),
        "{}",
        stderr(&output)
    );
    let unknown = run_with(&["results", "nothing"], &address);
    assert!(stderr(&unknown).contains("there is no study `nothing`; known studies: games, larger"));
}

#[test]
fn the_former_default_folder_is_used_if_it_has_a_store() {
    let folder = TempDir::new().unwrap();
    // The command fails after opening the store, because the address is not on loopback.
    let start = || {
        let arguments = ["coordinator", "--listen", "0.0.0.0:0"];
        stderr(&catherd().args(arguments).current_dir(folder.path()).output().unwrap())
    };
    let (former, current) = (folder.path().join("herd"), folder.path().join("catherd-data"));
    std::fs::create_dir(&former).unwrap();
    assert!(!start().contains("herd,") && current.join("study.db").exists());

    std::fs::rename(&current, folder.path().join("moved")).unwrap();
    std::fs::copy(folder.path().join("moved/study.db"), former.join("study.db")).unwrap();
    let text = start();
    assert!(text.contains("using the store in herd, the default folder of earlier"), "{text}");
    assert!(!current.exists());
}

#[test]
fn the_log_is_json_on_request() {
    let folder = TempDir::new().unwrap();
    two_projects(&folder.path().join("projects"));
    let projects = folder.path().join("projects").display().to_string();
    let data = folder.path().join("data").display().to_string();
    let arguments = ["coordinator", "--dir", &data, "--listen", "127.0.0.1:0", "--log", "json"];
    let mut process = start(&arguments);
    let lines = BufReader::new(process.0.stderr.take().unwrap()).lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let mut next = |message: &str| {
        let matches = |line: &Value| line["message"].as_str().unwrap().contains(message);
        lines.find(matches).unwrap()
    };
    let serving = next("serving 0 studies");
    assert!(serving["timestamp"].is_string() && serving["level"] == "INFO", "{serving}");
    let port = serving["message"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    let address = format!("127.0.0.1:{port}");
    succeed(&[&["submit", "--projects", &projects][..], &STUDY].concat(), &address);
    let planned = next("a study was planned");
    assert_eq!((&planned["study"], &planned["runs"]), (&"games".into(), &8.into()), "{planned}");
    let worker = worker(&address, folder.path(), &[]);
    assert_eq!(next("a worker registered")["worker"], "w");
    drop(worker);
}

/// A coordinator with a dashboard and a finished study, in which two runs failed.
struct Dashboard {
    address: String,
    folder: TempDir,
    _process: Process,
}

impl Dashboard {
    fn start() -> Dashboard {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        two_files(&folder.path().join("projects"));
        let study = path("jumpy.toml");
        let text = "subject = 'noop'\nprojects = ['projects']\nseeds = 2\n\
                    algorithms = [{ name = 'calm' }, { name = 'jumpy', parameters = { panic = 2 } }]\n\
                    [budget]\nexecutions = 16\n";
        std::fs::write(&study, text).unwrap();
        let pages = ["--dashboard", "127.0.0.1:0"];
        let listen = ["--listen", "127.0.0.1:0"];
        let data = path("data");
        let arguments = [&["coordinator", "--dir", &data][..], &listen, &pages].concat();
        let mut process = start(&arguments);
        let lines = BufReader::new(process.0.stderr.take().unwrap()).lines();
        let mut lines = lines.map(Result::unwrap).filter(|line| !line.starts_with("token: "));
        let mut address = || {
            let line = lines.next().unwrap();
            let port = line.trim_end_matches('/').rsplit(':').next().unwrap().to_owned();
            format!("127.0.0.1:{port}")
        };
        let (dashboard, served) = (address(), address());
        succeed(&["submit", &study], &served);
        let mut worker = worker(&served, folder.path(), &["--idle", "1"]);
        assert!(worker.0.wait().unwrap().success());
        Dashboard { address: dashboard, folder, _process: process }
    }

    fn page(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }
}

#[test]
fn the_dashboard_shows_studies_and_failures() {
    let dashboard = Dashboard::start();
    assert!(dashboard.page("/health").ends_with("ok\n"));
    let metrics = dashboard.page("/metrics");
    assert!(metrics.contains("catherd_runs{study=\"jumpy\",phase=\"done\"} 6\n"), "{metrics}");
    assert!(dashboard.page("/missing?study=jumpy").contains("panic on request with seed 2"));
    assert!(dashboard.page("/missing?study=x").starts_with("HTTP/1.1 404"));
    assert!(!dashboard.page("/").contains("https://"), "the page needs no network");
}

/// Returns the first run of an algorithm on the project `one`, as listed by the dashboard.
fn first_run(dashboard: &Dashboard, algorithm: &str) -> serde_json::Value {
    let page = dashboard.page(&format!("/runs?study=jumpy&project=one&algorithm={algorithm}"));
    let (_, body) = page.split_once("\r\n\r\n").unwrap();
    // The body may be sent in chunks.
    let json = &body[body.find('[').unwrap()..=body.rfind(']').unwrap()];
    serde_json::from_str::<serde_json::Value>(json).unwrap()[0].clone()
}

#[test]
fn the_dashboard_leads_from_cells_to_runs() {
    let dashboard = Dashboard::start();
    let cells = dashboard.page("/cells?study=jumpy");
    assert!(cells.contains("\"calm\":{\"coverage\":") && cells.contains("\"failed\":1"), "{cells}");
    let run = first_run(&dashboard, "calm");
    assert_eq!((&run["seed"], &run["phase"]), (&1.into(), &"done".into()));
    let id = run["run"].as_str().unwrap();
    let page = dashboard.page(&format!("/run?run={id}"));
    assert!(
        page.contains("\"project\":\"one\"") && page.contains("\"algorithm\":\"calm\""),
        "{page}"
    );
    assert!(page.contains("\"outcome\":\"done\"") && page.contains("\"timeline\":["), "{page}");
    assert!(dashboard.page(&format!("/run?run={}", "0".repeat(64))).starts_with("HTTP/1.1 404"));
    assert!(dashboard.page("/run?run=x").starts_with("HTTP/1.1 400"));
}

/// Serves the dashboard with a picture that takes three seconds to load. Browsers print the
/// document when everything is loaded, which could otherwise be before the page has received its
/// data.
fn slowly(dashboard: &Dashboard) -> String {
    let (listener, target) = (TcpListener::bind("127.0.0.1:0").unwrap(), dashboard.address.clone());
    let page = dashboard.page("/");
    let page = &page[page.find('<').unwrap()..=page.rfind('>').unwrap()];
    let page = format!("{page}<img src=\"slow\" alt=\"\">");
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (target, page) = (target.clone(), page.clone());
            std::thread::spawn(move || answer(stream, &target, &page));
        }
    });
    address
}

/// A browser may close the connection at any time.
fn answer(mut stream: TcpStream, target: &str, page: &str) -> Option<()> {
    let mut first = String::new();
    BufReader::new(stream.try_clone().ok()?).read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?;
    if path == "/slow" {
        std::thread::sleep(Duration::from_secs(3));
        return write!(stream, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").ok();
    }
    if path == "/" {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
        return write!(stream, "{head}{page}").ok();
    }
    let mut server = TcpStream::connect(target).ok()?;
    write!(server, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    std::io::copy(&mut server, &mut stream).ok().map(drop)
}

/// Returns the document of a page of the dashboard in a browser. The page is requested until the
/// document contains `words`, because answers may take longer than the picture.
fn browse(dashboard: &Dashboard, page: &str, words: &[&str]) -> String {
    let (start, address) = (Instant::now(), slowly(dashboard));
    loop {
        let output = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
            ])
            .args(["--disable-component-update", "--no-first-run", "--timeout=20000", "--dump-dom"])
            .arg(format!("--user-data-dir={}", dashboard.folder.path().join("browser").display()))
            .arg(format!("http://{address}/{page}"))
            .stderr(Stdio::null())
            .output()
            .expect("chromium is installed");
        let document = String::from_utf8_lossy(&output.stdout).into_owned();
        if words.iter().all(|word| document.contains(word)) {
            return document;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{words:?}: {document}");
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_browser_shows_the_dashboard() {
    let dashboard = Dashboard::start();
    // The means are over projects that all algorithms have finished, up to the budget of 16
    // executions.
    let words = [
        "<b>6</b>",
        "polyline",
        "Mean coverage on the 2 projects that all shown algorithms",
        ">16</text>",
        "aria-label=\"one, calm: mean coverage ",
        "Failures by reason",
        "panic on request",
    ];
    let shown = browse(&dashboard, "", &words);
    assert!(!shown.contains(">32</text>"), "{shown}");
    let id = first_run(&dashboard, "calm")["run"].as_str().unwrap().to_owned();
    browse(&dashboard, "#cell/jumpy/one/calm", &["2 runs of jumpy", &format!("#run/{id}")]);
    browse(
        &dashboard,
        &format!("#run/{id}"),
        &[", calm, seed ", "catherd replay FOLDER", " goals (", "viewBox=\"0 0 "],
    );
}

#[test]
#[cfg_attr(not(feature = "certificates"), ignore = "needs the feature certificates")]
fn callers_without_credentials_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    two_projects(&folder.path().join("projects"));
    let (projects, tokens, certs) = (path("projects"), path("tokens"), path("certs"));
    let exposed = catherd()
        .args(["coordinator", "--dir", &path("data"), "--listen", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(exposed.status.code(), Some(1));
    assert!(stderr(&exposed).contains("only loopback is safe"), "{}", stderr(&exposed));

    let make = ["certs", "--dir", &certs, "--for", "localhost,127.0.0.1", "--for", "clients"];
    assert!(catherd().args(make).output().unwrap().status.success());
    let mut token_files = Vec::new();
    for role in ["worker", "submitter", "viewer"] {
        let output = catherd().args(["token", role, "--file", &tokens]).output().unwrap();
        let file = path(role);
        std::fs::write(&file, output.stdout).unwrap();
        token_files.push(file);
    }
    let [worker_token, submitter_token, viewer_token] = token_files.try_into().unwrap();
    let (server, clients) = (path("certs/localhost"), path("certs/clients"));
    let (_process, address) = coordinator(
        &folder.path().join("data"),
        &["--listen", "0.0.0.0:0", "--tls", &server, "--tokens", &tokens],
    );

    let submit = [&["submit", "--projects", &projects][..], &STUDY].concat();
    let refused = |command: &[&str], credentials: &[&str], reason: &str| {
        let output = run_with(&[command, credentials].concat(), &address);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    };
    refused(&["status"], &[], "");
    refused(&["status"], &["--tls", &clients], "the request has no token");
    refused(
        &submit,
        &["--tls", &clients, "--token-file", &viewer_token],
        "requires a submitter token",
    );
    refused(
        &["status"],
        &["--tls", &clients, "--token-file", &worker_token],
        "requires a viewer token",
    );
    succeed(
        &[&submit[..], &["--tls", &clients, "--token-file", &submitter_token]].concat(),
        &address,
    );
    let text = succeed(&["status", "--tls", &clients, "--token-file", &viewer_token], &address);
    assert!(text.contains("games"), "{text}");
    let credentials = ["--tls", &clients, "--token-file", &worker_token, "--idle", "1"];
    let mut worker = worker(&address, folder.path(), &credentials);
    assert!(worker.0.wait().unwrap().success());
    let text = succeed(&["status", "--tls", &clients, "--token-file", &viewer_token], &address);
    assert!(text.contains("complete"), "{text}");
}

/// A worker that may not execute programs leaves runs of the kind `command` to a worker that may.
#[test]
fn a_run_waits_for_a_worker_that_executes_its_kind() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    two_files(&folder.path().join("projects"));
    let study = path("tools.toml");
    let text = r#"
subject = "command"
projects = ["projects"]
seeds = 1
algorithms = [{ name = "copy", parameters = { command = "cp RESULT {out}" } }]
budget.executions = 1
"#;
    let result = path("result.json");
    let criteria = r#"{"criteria": [{"name": "goals", "goals": 4, "covered": [0]}]}"#;
    std::fs::write(&result, criteria).unwrap();
    std::fs::write(&study, text.replace("RESULT", &result)).unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    succeed(&["submit", &study], &address);

    let mut without = worker(&address, folder.path(), &["--idle", "0"]);
    assert!(without.0.wait().unwrap().success());
    let text = succeed(&["status", "tools"], &address);
    assert!(text.contains("no worker serves `command` (engine catherd/"), "{text}");
    assert!(text.contains("2 runs wait"), "{text}");
    let status: Value = serde_json::from_str(&succeed(&["status", "--json"], &address)).unwrap();
    assert_eq!(status["unserved"][0]["runs"], 2, "{status}");
    assert_eq!((&status["studies"][0]["failed"], &status["eta_ms"]), (&0.into(), &Value::Null));

    let programs = path("programs");
    let with = worker(&address, folder.path(), &["--programs", &programs]);
    succeed(&["watch"], &address);
    drop(with);
    let text = succeed(&["status", "tools"], &address);
    assert!(text.contains("complete") && !text.contains("no worker serves"), "{text}");
}

#[test]
fn a_study_is_deleted_and_its_records_are_kept() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    two_projects(&folder.path().join("projects"));
    let projects = path("projects");
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let submit = [&["submit", "--projects", &projects][..], &STUDY].concat();
    succeed(&submit, &address);
    let worker = worker(&address, folder.path(), &[]);
    succeed(&["watch"], &address);
    drop(worker);
    succeed(&["delete", "games"], &address);
    let status: Value = serde_json::from_str(&succeed(&["status", "--json"], &address)).unwrap();
    assert_eq!(status["studies"], serde_json::json!([]), "{status}");
    let again = run_with(&["delete", "games"], &address);
    assert!(stderr(&again).contains("there is no study `games`"), "{}", stderr(&again));
    let output = run_with(&submit, &address);
    assert!(stderr(&output).contains("8 runs, 8 of them ended"), "{}", stderr(&output));
}

/// A study that the coordinator would refuse is refused before anything is uploaded.
#[test]
fn a_study_out_of_bounds_is_refused_by_the_client() {
    let folder = TempDir::new().unwrap();
    two_projects(&folder.path().join("projects"));
    let projects = folder.path().join("projects").display().to_string();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let refused = |name: &str, seeds: &str, algorithms: &str, expected: &str| {
        let arguments = ["submit", "--projects", &projects, "--executions", "1", "--name", name];
        let more = ["--seeds", seeds, "--algorithms", algorithms];
        let output = run_with(&[&arguments[..], &more].concat(), &address);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(expected) && text.contains("\n hint: "), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    };
    refused("\u{1b}[2Jx", "1", "random", "name: has the character '\\u{1b}'");
    refused(&"x".repeat(1000), "1", "random", "name: 1000 bytes are more than the maximum of 256");
    let all = "random,random-events,mosa,dynamosa,mio,one-plus-one";
    refused("large", "1000000", all, "runs: 12000000 are more than the maximum of 10000000");
    assert!(succeed(&["status", "--json"], &address).contains("\"studies\": []"));
}
