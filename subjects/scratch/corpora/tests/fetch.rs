//! Tests of fetching the projects of a list from a server with faults.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use catherd_scratch_corpora::corpus::{Member, Recipe, Sha, verify};
use catherd_scratch_corpora::sample::{FetchEnd, ProbeOutcome, SampleError, SampleSettings, fetch};
use catherd_scratch_corpora::{Authors, synth};

/// A server of archives. `faults` contains the number of further requests that fail, by path.
struct Archives {
    port: u16,
    requests: Arc<AtomicUsize>,
    faults: Arc<Mutex<HashMap<String, usize>>>,
}

impl Archives {
    fn serve(files: HashMap<String, Vec<u8>>) -> Archives {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let faults: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
        let (counter, left) = (requests.clone(), faults.clone());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut line = String::new();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let _ = reader.read_line(&mut line);
                let mut header = String::new();
                while reader.read_line(&mut header).is_ok_and(|n| n > 2) {
                    header.clear();
                }
                counter.fetch_add(1, Ordering::SeqCst);
                let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                let mut left = left.lock().unwrap();
                let fault = left.get_mut(&path).filter(|n| **n > 0).map(|n| *n -= 1).is_some();
                let (status, body) = match files.get(&path) {
                    _ if fault => (503, &[][..]),
                    Some(body) => (200, &body[..]),
                    None => (404, &[][..]),
                };
                let head = format!(
                    "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
            }
        });
        Archives { port, requests, faults }
    }

    fn row(&self, id: &str, path: &str, archive: &[u8], author: &str) -> String {
        let address = format!("http://127.0.0.1:{}{path}", self.port);
        format!("{id},{address},{},{author},MIT\n", Sha::of(archive))
    }
}

fn fast() -> SampleSettings {
    SampleSettings {
        rate: 100_000.0,
        backoff: Duration::from_millis(1),
        retries: 2,
        ..SampleSettings::default()
    }
}

fn run(list: &Path, folder: &Path) -> Result<FetchEnd, SampleError> {
    fetch(list, &fast(), folder, &AtomicBool::new(false), |_| {})
}

#[test]
fn the_projects_of_a_list_are_fetched_once_and_checked() {
    let archives: Vec<Vec<u8>> = (0..4).map(|n| synth::project(5, n).archive).collect();
    let files = HashMap::from([
        ("/one.sb3".to_owned(), archives[0].clone()),
        ("/two%20words.sb3".to_owned(), archives[1].clone()),
        ("/changed.sb3".to_owned(), archives[2].clone()),
        ("/text.sb3".to_owned(), b"no project".to_vec()),
    ]);
    let server = Archives::serve(files);
    let place = tempfile::tempdir().unwrap();
    let (list, folder) = (place.path().join("list.csv"), place.path().join("corpus"));
    let text = "# A list.\nid,address,sha256,author,licence\n".to_owned()
        + &server.row("one", "/one.sb3", &archives[0], "Ada")
        + &server.row("two", "/two%20words.sb3", &archives[1], "ada")
        + &server.row("changed", "/changed.sb3", &archives[3], "")
        + &server.row("text", "/text.sb3", b"no project", "")
        + &server.row("gone", "/gone.sb3", &archives[3], "");
    fs::write(&list, &text).unwrap();

    // Every attempt to fetch one file fails, so no corpus is completed, but fetched files are kept.
    server.faults.lock().unwrap().insert("/two%20words.sb3".to_owned(), 3);
    let FetchEnd::Unreachable(cause) = run(&list, &folder).unwrap() else { panic!() };
    assert!(cause.contains("two") && cause.contains("503"), "{cause}");
    assert!(!folder.join("corpus.toml").exists());

    let before = server.requests.load(Ordering::SeqCst);
    let FetchEnd::Fetched(corpus, missing) = run(&list, &folder).unwrap() else { panic!() };
    // `one` and `text` were kept; `changed` is requested until its contents are certain.
    assert_eq!(server.requests.load(Ordering::SeqCst) - before, 1 + 3 + 1);
    let ids: Vec<&str> = corpus.members.iter().map(|member| &*member.id).collect();
    assert_eq!(ids, ["one", "two"]);
    assert_eq!(corpus.members[0].author, Member::author_hash("ada"));
    assert_eq!(corpus.members[1].author, corpus.members[0].author);
    assert!(matches!(corpus.metadata.recipe, Recipe::Addresses { projects: 5, .. }));
    let missing: Vec<_> = missing.iter().map(|(id, outcome, _)| (&**id, *outcome)).collect();
    assert_eq!(
        missing,
        [
            ("changed", ProbeOutcome::Changed),
            ("text", ProbeOutcome::Unreadable),
            ("gone", ProbeOutcome::Absent)
        ]
    );
    assert!(verify(&corpus, || {}).unwrap().is_empty());
    let mut authors = Authors::default();
    let file = corpus.project(corpus.members[1].sha256);
    assert_eq!(authors.of(&file), Member::author_hash("ADA"));
    assert_eq!(authors.of(&list), "");

    assert!(
        matches!(run(&list, &folder), Ok(FetchEnd::Fetched(again, _)) if again.metadata == corpus.metadata)
    );
    fs::write(&list, text.replace("gone,", "gone-2,")).unwrap();
    assert!(matches!(run(&list, &folder), Err(SampleError::OtherRecipe { .. })));
}

#[test]
fn a_server_that_never_answers_ends_the_fetch() {
    let place = tempfile::tempdir().unwrap();
    let list = place.path().join("list.csv");
    // A port on which no server listens.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let row = |n| format!("p{n},http://127.0.0.1:{port}/{n},{}\n", "0".repeat(64));
    let rows: String = (0..50).map(row).collect();
    fs::write(&list, "id,address,sha256\n".to_owned() + &rows).unwrap();
    assert!(matches!(run(&list, &place.path().join("c")), Ok(FetchEnd::Unreachable(_))));
}

#[test]
fn lists_with_defects_are_refused_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    let list = place.path().join("list.csv");
    let endless = run(Path::new("/dev/zero"), &place.path().join("c")).unwrap_err().to_string();
    assert!(endless.contains("at most 64 MiB"), "{endless}");
    let sha = "0".repeat(64);
    for (text, part) in [
        (String::new(), "no projects"),
        ("id,address,sha256\n".to_owned(), "no projects"),
        (format!("id,sha256\na,{sha}\n"), "address"),
        (format!("id,address,sha256\na,file:///etc/passwd,{sha}\n"), "not an address"),
        (format!("id,address,sha256\n../a,http://h/a,{sha}\n"), "without slashes"),
        (format!("id,address,sha256\na,http://h/a,{sha}\na,http://h/b,{sha}\n"), "repeated"),
        ("id,address,sha256\na,http://h/a,12\n".to_owned(), "SHA-256"),
    ] {
        fs::write(&list, &text).unwrap();
        let error = run(&list, &place.path().join("c")).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("list.csv"), "{text:?}: {error}");
    }
}
