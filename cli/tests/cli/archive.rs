//! Tests replication packages.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, SystemTime};

use crate::forgeries::{files, package_of};
use crate::support::cluster::{coordinator, succeed, worker};
use crate::support::{catherd, digests, stderr, two_files, two_projects};
use catherd_experiments::{CorpusDescription, Digest};
use serde_json::Value;
use tempfile::TempDir;
use zip::ZipArchive;

/// A folder with a finished study of two projects.
pub(crate) struct Fixture {
    folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        let fixture = Fixture { folder: TempDir::new().unwrap() };
        two_projects(&fixture.path("games"));
        fixture.study("study", &[]);
        fixture
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn study(&self, out: &str, more: &[&str]) {
        let arguments = ["--algorithms", "random,mio", "--seeds", "2", "--executions", "20"];
        let output = catherd()
            .args(["run", "--projects", &self.text("games"), "--out", &self.text(out), "--quiet"])
            .args(arguments)
            .args(more)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }

    pub(crate) fn archive(&self, results: &str, package: &str, more: &[&str]) -> (Vec<u8>, String) {
        let output = catherd()
            .args(["archive", &self.text(results), "-o", &self.text(package)])
            .args(more)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (fs::read(self.path(package)).unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    fn verify(&self, package: &str, more: &[&str]) -> Output {
        catherd().arg("verify").arg(self.path(package)).args(more).output().unwrap()
    }

    fn refused(&self, bytes: &[u8]) -> String {
        fs::write(self.path("bad.zip"), bytes).unwrap();
        let output = self.verify("bad.zip", &[]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.starts_with("error: ") && text.contains("\n hint: "), "{text}");
        text
    }
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn file(package: &[u8], name: &str) -> String {
    let mut zip = ZipArchive::new(Cursor::new(package)).unwrap();
    let mut text = String::new();
    zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Changes files of a package, or removes a file if `change` returns `None`, and makes the
/// package's list of files match.
fn changed(package: &[u8], change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) -> Vec<u8> {
    let kept = files(package).into_iter().filter_map(|mut file| {
        file.bytes = change(&file.name, file.bytes)?;
        Some(file)
    });
    package_of(kept.collect())
}

/// Copies the files of a folder, with file times in the distant past.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            let copied = to.join(entry.file_name());
            fs::copy(entry.path(), &copied).unwrap();
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
            fs::File::options().write(true).open(copied).unwrap().set_modified(long_ago).unwrap();
        }
    }
}

/// A study that ends when its comparisons are decided has its records in the order of its rounds.
#[test]
fn a_study_of_several_rounds_is_archived() {
    let fixture = Fixture { folder: TempDir::new().unwrap() };
    fs::create_dir(fixture.path("files")).unwrap();
    for number in 0..8 {
        fs::write(fixture.path(&format!("files/{number}.txt")), number.to_string()).unwrap();
    }
    let study = "projects = ['files']\nsubject = 'noop'\nalgorithms = ['a', 'b']\nseeds = 30\n\
                 budget = { executions = 30 }\nstop = { margin = 0.05 }\n";
    fs::write(fixture.path("stop.toml"), study).unwrap();
    let run = ["run", &fixture.text("stop.toml"), "--out", &fixture.text("stop"), "--quiet"];
    let output = catherd().args(run).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let runs = fs::read_to_string(fixture.path("stop/runs.csv")).unwrap();
    assert!(runs.lines().count() > 1 + 2 * 8 * 5, "a second round: {}", runs.lines().count());
    fixture.archive("stop", "stop.zip", &[]);
    let verified = fixture.verify("stop.zip", &["--projects", &fixture.text("files")]);
    assert_eq!(verified.status.code(), Some(0), "{}", stderr(&verified));
}

#[test]
#[ignore = "slow"]
fn a_package_has_the_same_bytes_everywhere_and_is_verified() {
    let fixture = Fixture::new();
    let (package, text) = fixture.archive("study", "one.zip", &[]);
    assert!(text.contains("one.zip: 8 records, "), "{text}");
    assert!(text.contains(&format!("SHA-256 {}", Digest::of(&package))), "{text}");
    // The package is the same in another folder, under another name, with other file times, in
    // another time zone and with one thread.
    copy(&fixture.path("study"), &fixture.path("else/where"));
    let mut command = catherd();
    command
        .args(["archive", "else/where"])
        .current_dir(fixture.folder.path())
        .env("TZ", "Asia/Tokyo")
        .env("LANG", "de_DE.UTF-8")
        .env("RAYON_NUM_THREADS", "1")
        .env("SOURCE_DATE_EPOCH", "1");
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    assert!(package == fs::read(fixture.path("study.zip")).unwrap(), "the name is the study's");
    let names =
        fs::read_dir(fixture.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left = |name: &std::ffi::OsString| name.to_string_lossy().starts_with(".catherd-archive-");
    assert_eq!(names.filter(left).count(), 0);
    // The package contains no time, neither the file times nor the time of the command.
    let mut zip = ZipArchive::new(Cursor::new(&package)).unwrap();
    for index in 0..zip.len() {
        let entry = zip.by_index(index).unwrap();
        let (name, time) = (entry.name().unwrap().into_owned(), entry.last_modified());
        assert_eq!(time, Some(zip::DateTime::default()), "{name}");
    }

    let readme = file(&package, "README.md");
    assert!(readme.contains("| runs planned | 8 |"), "{readme}");
    assert!(!readme.contains("Interim"), "{readme}");
    let corpus = file(&package, "corpus.csv");
    assert_eq!(corpus.lines().count(), 3, "{corpus}");
    assert!(file(&package, "Cargo.lock").contains("name = \"catherd\""));
    assert!(file(&package, "VERSION").contains("\nscratch scratch/"));
    assert!(file(&package, "CITATION.cff").starts_with("cff-version: 1.2.0\n"));
    assert!(file(&package, "report/report.html").contains("<html"));
    assert_eq!(file(&package, "records.jsonl").lines().count(), 8);
    let runs = fs::read_to_string(fixture.path("study/runs.csv")).unwrap();
    assert_eq!(file(&package, "results/runs.csv"), runs);

    let output = fixture.verify("one.zip", &["--sample", "3"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("of the sample not found, such as "), "{}", stderr(&output));
    let games = fixture.text("games");
    let output = fixture.verify("one.zip", &["--sample", "3", "--projects", &games]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("one.zip: intact, ") && text.contains(" and 8 records\n"), "{text}");
    assert!(text.contains("3 of 3 runs agree; 3 of 8 sampled\n"), "{text}");
}

#[test]
fn a_package_contains_everything_needed_to_repeat_the_study() {
    let fixture = Fixture::new();
    let (package, _) = fixture.archive("study", "full.zip", &["--with-projects"]);
    let output = fixture.verify("full.zip", &["--sample", "100%"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("8 of 8 runs agree\n"), "{}", stdout(&output));

    // With the package's study file and projects, the records are the same, and so are the results
    // in a new package.
    let mut zip = ZipArchive::new(Cursor::new(&package)).unwrap();
    let unpacked = fixture.path("unpacked");
    zip.extract(&unpacked).unwrap();
    let output = catherd()
        .args(["run", "study.toml", "--out", "again", "--quiet"])
        .current_dir(&unpacked)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(digests(&unpacked.join("again")), digests(&fixture.path("study")));
    let (again, _) = fixture.archive("unpacked/again", "again.zip", &[]);
    let results = |package: &[u8]| -> Value {
        let list: Value = serde_json::from_str(&file(package, "archive.json")).unwrap();
        list["results"].clone()
    };
    assert_eq!(results(&again), results(&package));
    // A report can be made from the folder of tables in the package.
    let output = catherd().args(["report", "results", "-o", "r"]).current_dir(&unpacked).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
#[ignore = "slow"]
fn a_package_that_was_changed_is_refused_by_the_name_of_the_file() {
    let fixture = Fixture::new();
    let (package, _) = fixture.archive("study", "good.zip", &["--with-projects"]);
    let same = changed(&package, |_, bytes| Some(bytes));
    fs::write(fixture.path("same.zip"), same).unwrap();
    assert_eq!(fixture.verify("same.zip", &[]).status.code(), Some(0));

    let text = fixture.refused(&package[..package.len() / 2]);
    assert!(text.contains("bad.zip: is not an intact zip archive"), "{text}");
    let at = package.len() / 2;
    let flipped = [&package[..at], &[package[at] ^ 1], &package[at + 1..]].concat();
    fixture.refused(&flipped);
    let without =
        |gone: &'static str| changed(&package, move |name, bytes| (name != gone).then_some(bytes));
    for name in ["records.jsonl", "results/runs.csv", "results/study.json", "corpus.csv"] {
        let text = fixture.refused(&without(name));
        assert!(text.contains(&format!("bad.zip: {name}: is missing")), "{text}");
    }
    let edited = |which: &'static str, from: &'static str, to: &'static str| {
        changed(&package, move |name, bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let edit = name == which;
            assert!(!edit || text.contains(from), "{text}");
            Some(if edit { text.replacen(from, to, 1).into_bytes() } else { bytes })
        })
    };
    // Packages with a changed record, a repeated run, a changed table, another plan or other
    // projects are refused.
    let text = fixture.refused(&edited("records.jsonl", "\"covered\":[", "\"covered\":[0,"));
    assert!(text.contains("bad.zip: records.jsonl: line 1: "), "{text}");
    let first = file(&package, "records.jsonl").lines().next().unwrap().to_owned() + "\n";
    let twice = changed(&package, |name, bytes| {
        Some(if name == "records.jsonl" { [first.as_bytes(), &bytes].concat() } else { bytes })
    });
    let text = fixture.refused(&twice);
    assert!(text.contains("records.jsonl: line 2: occurs twice"), "{text}");
    let digest = file(&package, "results/runs.csv");
    let digest = digest.lines().nth(1).unwrap().split(',').nth(1).unwrap()[..9].to_owned();
    let text = fixture.refused(&changed(&package, |name, bytes| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let edit = name == "results/runs.csv";
        Some(if edit { text.replacen(&digest, "000000000", 1).into_bytes() } else { bytes })
    }));
    assert!(
        text.contains("bad.zip: results/runs.csv: is not the file that catherd makes"),
        "{text}"
    );
    let text =
        fixture.refused(&edited("results/study.json", "\"executions\": 20", "\"executions\": 30"));
    assert!(text.contains("records.jsonl: line 1: the record belongs to another run"), "{text}");
    let text = fixture.refused(&edited("corpus.csv", "packed,", "other,"));
    assert!(text.contains("bad.zip: corpus.csv: is not the file that catherd makes"), "{text}");
    // Packages with full coverage in every row of the table, or with changes in other files, are
    // refused.
    let text = fixture.refused(&changed(&package, |name, bytes| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let edit = name == "results/runs.csv";
        Some(if edit { covering_everything(&text).into_bytes() } else { bytes })
    }));
    assert!(
        text.contains("bad.zip: results/runs.csv: is not the file that catherd makes"),
        "{text}"
    );
    for (which, from, to) in [
        ("results/table6.md", "| mio", "| mio "),
        ("report/tables/table6.csv", "mio", "moi"),
        ("report/report.html", "<html", "<html "),
        ("README.md", "runs planned | 8", "runs planned | 9"),
        ("study.toml", "seeds", "seeds "),
        ("CITATION.cff", "dataset", "software"),
        ("results/projects.csv", "packed", "pakced"),
    ] {
        let text = fixture.refused(&edited(which, from, to));
        let named = format!("{which}: is not the file that catherd makes from the records");
        assert!(
            text.contains(&named) || text.contains(&format!("the same is true of {which}")),
            "{text}"
        );
    }
    // The changed measures are the same in both files, but do not match the project.
    let text = fixture.refused(&changed(&package, |name, bytes| {
        Some(match name {
            "results/corpus.json" => {
                let mut corpus: CorpusDescription = serde_json::from_slice(&bytes).unwrap();
                corpus.measures.as_mut().unwrap().rows[0][3] = "77".to_owned();
                [&serde_json::to_vec_pretty(&corpus).unwrap()[..], b"\n"].concat()
            }
            "results/projects.csv" => with_cell(&bytes, 0, 3, "77"),
            _ => bytes,
        })
    }));
    assert!(text.contains("bad.zip: results/"), "{text}");
}

fn with_cell(table: &[u8], row: usize, column: usize, cell: &str) -> Vec<u8> {
    let mut rows = csv::Reader::from_reader(table);
    let mut written = csv::Writer::from_writer(Vec::new());
    written.write_record(rows.headers().unwrap()).unwrap();
    for (number, record) in rows.records().enumerate() {
        let record = record.unwrap();
        let cells = record.iter().enumerate();
        let is_wanted = |at: usize| number == row && at == column;
        written
            .write_record(cells.map(|(at, old)| if is_wanted(at) { cell } else { old }))
            .unwrap();
    }
    written.into_inner().unwrap()
}

fn covering_everything(table: &str) -> String {
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let header = rows.headers().unwrap().clone();
    let at = header.iter().position(|name| name == "coverage").unwrap();
    let mut written = csv::Writer::from_writer(Vec::new());
    written.write_record(&header).unwrap();
    for row in rows.records() {
        let row = row.unwrap();
        let cells = row.iter().enumerate();
        written.write_record(cells.map(|(i, cell)| if i == at { "1.0" } else { cell })).unwrap();
    }
    String::from_utf8(written.into_inner().unwrap()).unwrap()
}

#[test]
#[ignore = "slow"]
fn tables_and_pages_that_the_records_do_not_give_are_named() {
    let fixture = Fixture::new();
    let study = fixture.path("study");
    let verify = || catherd().arg("verify").arg(&study).output().unwrap();
    let output = verify();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("files made again from the records: "), "{}", stdout(&output));
    let package = fixture.text("refused.zip");
    let archive =
        || catherd().args(["archive", &fixture.text("study"), "-o", &package]).output().unwrap();
    let edit = |name: &str, change: &dyn Fn(&str) -> String| {
        let path = study.join(name);
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&path, change(&before)).unwrap();
        let output = verify();
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        let text = stdout(&output);
        assert!(text.contains(&format!("study/{name}: is not the file that is made")), "{text}");
        if !name.contains('/') {
            let text = stderr(&archive());
            assert!(text.contains(&format!("study/{name}: is not the file")), "{text}");
        }
        fs::write(&path, before).unwrap();
    };
    edit("runs.csv", &covering_everything);
    edit("table6.md", &|text| text.replacen("mio", "moi", 1));
    edit("study.json", &|text| text.replacen('{', "{ ", 1));
    let suite = crate::forgeries::first_file(&study.join("suites"));
    let suite = suite.strip_prefix(&study).unwrap().to_str().unwrap().to_owned();
    edit(&suite, &|text| text.replacen('{', "{ ", 1));
    // A report of the folder is compared as well.
    let report = ["report", &fixture.text("study"), "-o", &fixture.text("study/report")];
    let output = catherd().args(report).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(verify().status.code(), Some(0), "{}", stdout(&verify()));
    edit("report/report.html", &|text| text.replacen("<html", "<html ", 1));
    edit("report/tables/table6.csv", &|text| text.replacen("mio", "moi", 1));
    fs::write(study.join("report/extra.html"), "extra").unwrap();
    let text = stdout(&verify());
    assert!(text.contains("study/report/extra.html: is not made from the records"), "{text}");
    fs::remove_file(study.join("report/extra.html")).unwrap();
    // A link is not followed.
    fs::write(fixture.path("secret"), fs::read(study.join("table6.md")).unwrap()).unwrap();
    fs::remove_file(study.join("table6.md")).unwrap();
    std::os::unix::fs::symlink(fixture.path("secret"), study.join("table6.md")).unwrap();
    for output in [archive(), verify()] {
        let text = stderr(&output) + &stdout(&output);
        assert!(text.contains("study/table6.md: is a link or a folder, not a file"), "{text}");
    }
}

#[test]
#[ignore = "slow"]
fn the_package_of_an_interim_study_is_marked() {
    let fixture = Fixture::new();
    two_files(&fixture.path("files"));
    let toml = "subject = 'noop'\nname = 'slow'\nprojects = ['files']\nseeds = 2\n\
                algorithms = [{ name = 'a', label = 'quick' }, { name = 'a', label = 'slow', \
                parameters = { ms = 60000 } }]\nbudget.executions = 1\n";
    fs::write(fixture.path("slow.toml"), toml).unwrap();
    let mut child = std::process::Command::new(crate::support::program())
        .args(["run", &fixture.text("slow.toml"), "--out", &fixture.text("slow")])
        .args(["--tables-interval", "0", "--workers", "2"])
        .envs(crate::support::ENVIRONMENT)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    while !fs::read_to_string(fixture.path("slow/runs.csv"))
        .is_ok_and(|table| table.lines().count() >= 2)
    {
        assert!(start.elapsed() < std::time::Duration::from_secs(300));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let busy = catherd().args(["archive", &fixture.text("slow")]).output().unwrap();
    assert_eq!(busy.status.code(), Some(1));
    assert!(stderr(&busy).contains("another catherd is serving"), "{}", stderr(&busy));
    // Wait until the tables have not changed for a while, because the tables then contain all runs
    // that have ended.
    let table = || fs::read_to_string(fixture.path("slow/runs.csv")).unwrap();
    let (mut seen, mut since) = (table(), std::time::Instant::now());
    while since.elapsed() < std::time::Duration::from_secs(5) {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let now = table();
        if now != seen {
            (seen, since) = (now, std::time::Instant::now());
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (package, text) = fixture.archive("slow", "slow.zip", &[]);
    assert!(text.contains("slow.zip: interim: "), "{text}");
    assert!(file(&package, "README.md").contains("**Interim: "));
    let output = fixture.verify("slow.zip", &["--projects", &fixture.text("files")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("interim: ") && stdout(&output).contains(" of 8 runs\n"));
}

#[test]
#[ignore = "slow"]
fn results_of_a_cluster_are_archived_from_the_store_of_its_coordinator() {
    let fixture = Fixture::new();
    let (games, out) = (fixture.text("games"), fixture.text("fetched"));
    let data = fixture.path("data");
    {
        let (_process, address) = coordinator(&data, &["--listen", "127.0.0.1:0"]);
        let submit = ["submit", "--projects", &games, "--algorithms", "random,mio", "--seeds", "2"];
        succeed(&[&submit[..], &["--executions", "20"]].concat(), &address);
        let _worker = worker(&address, fixture.folder.path(), &[]);
        succeed(&["watch"], &address);
        succeed(&["results", "study", "--out", &out], &address);
    }
    let output = catherd().args(["archive", &out, "-o", &fixture.text("x.zip")]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("hint: use --store to name the store with the study's records")
    );
    let store = data.join("study.db").to_str().unwrap().to_owned();
    let (package, _) = fixture.archive("fetched", "cluster.zip", &["--store", &store]);
    let (single, _) = fixture.archive("study", "single.zip", &[]);
    let results = |package: &[u8]| -> Value {
        serde_json::from_str::<Value>(&file(package, "archive.json")).unwrap()["results"].clone()
    };
    assert_eq!(results(&package), results(&single));
    assert_eq!(fixture.verify("cluster.zip", &["--projects", &games]).status.code(), Some(0));
}

#[test]
#[ignore = "slow"]
fn programs_of_a_package_are_executed_only_on_request() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    two_files(&folder.path().join("files"));
    fs::write(
        folder.path().join("tool.sh"),
        "#!/bin/sh\necho '{\"goals\": 4, \"covered\": [1]}' > $1\n",
    )
    .unwrap();
    let toml = format!(
        "subject = 'command'\nname = 'tools'\nprojects = ['files']\nseeds = 1\nalgorithms = [{{ \
         name = 'a', parameters = {{ command = 'sh {} {{out}}' }} }}]\nbudget.executions = 1\n",
        path("tool.sh")
    );
    fs::write(folder.path().join("study.toml"), toml).unwrap();
    let run =
        |arguments: &[&str]| catherd().current_dir(folder.path()).args(arguments).output().unwrap();
    assert_eq!(run(&["run", "study.toml", "-o", "out", "-q"]).status.code(), Some(0));
    assert_eq!(run(&["archive", "out", "--with-projects"]).status.code(), Some(0));
    let output = run(&["verify", "tools.zip"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("give --run-programs"), "{}", stderr(&output));
    let output = run(&["verify", "tools.zip", "--run-programs", "--sample", "100%"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 of 2 runs agree\n"), "{}", stdout(&output));
}

#[test]
fn devices_are_neither_folders_nor_packages() {
    let output = catherd().args(["verify", "/dev/null"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("/dev/null is neither a results folder nor a package"), "{text}");
}
