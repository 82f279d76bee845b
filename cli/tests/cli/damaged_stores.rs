//! Continues studies on damaged copies of a store. Each study must end with complete results, or
//! with an error that names the store. `CATHERD_DAMAGED_STORES` is the number of copies, 12 by
//! default.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use crate::support::{catherd, digests, stderr};

/// Time limit for one copy.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Size of a page of the store in bytes.
const PAGE: usize = 4096;

/// Writes a study of the kind `noop`, whose projects fill most of the store.
fn study(folder: &Path) -> PathBuf {
    let files = folder.join("files");
    fs::create_dir_all(&files).unwrap();
    for (number, size) in [40, 3_000, 9_000, 70_000, 300_000].into_iter().enumerate() {
        let bytes: Vec<u8> = (0..size).map(|at| (at * 31 + number * 7) as u8).collect();
        fs::write(files.join(format!("p{number}")), bytes).unwrap();
    }
    let file = folder.join("study.toml");
    let text = "subject = 'noop'\nprojects = ['files']\nseeds = 2\n\
                algorithms = [{ name = 'calm' }, { name = 'cool' }]\n[budget]\nexecutions = 1\n";
    fs::write(&file, text).unwrap();
    file
}

fn damage_bytes(path: &Path, random: &mut ChaCha8Rng) -> String {
    let mut bytes = fs::read(path).unwrap();
    let at = random.random_range(0..bytes.len());
    let what = match random.random_range(0..5) {
        0 => {
            let bit = random.random_range(0..8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at}")
        }
        1 => {
            // The first bytes of a page are the header of the file, the header of a part of a tree,
            // or a pointer to the next page.
            let page = random.random_range(0..bytes.len() / PAGE);
            let at = page * PAGE + random.random_range(0..100);
            bytes[at] = random.random::<u8>();
            format!("byte {at}")
        }
        2 => {
            let end = bytes.len().min(at + 24);
            bytes[at..end].iter_mut().for_each(|byte| *byte = random.random::<u8>());
            format!("bytes {at} to {end}")
        }
        3 => {
            let start = at - at % PAGE;
            bytes[start..start + PAGE].fill(0);
            format!("page at {start}")
        }
        _ => {
            bytes.truncate(at);
            format!("length {at}")
        }
    };
    fs::write(path, bytes).unwrap();
    what
}

/// Changes a value or deletes a row, as a defective program would, and returns the SQL statement.
fn damage_rows(path: &Path, random: &mut ChaCha8Rng) -> String {
    let database = rusqlite::Connection::open(path).unwrap();
    database.execute_batch("pragma foreign_keys = off").unwrap();
    let columns: [(&str, &[&str]); 6] = [
        ("projects", &["digest", "size"]),
        ("parts", &["project", "part", "bytes"]),
        ("runs", &["id", "project", "label", "spec", "phase", "token", "worker"]),
        ("members", &["position", "run", "project", "label"]),
        ("records", &["token", "digest", "goals", "covered", "done", "record", "checksum"]),
        ("studies", &["name", "state", "plan", "owner", "share"]),
    ];
    let (table, columns) = columns[random.random_range(0..columns.len())];
    let row =
        format!("rowid = (select rowid from {table} limit 1 offset {})", random.random_range(0..6));
    let values = ["0", "1", "-1", "7", "4294967296", "x'00'", "'text'", "zeroblob(9999)"];
    let sql = match random.random_range(0..4) {
        0 => format!("delete from {table} where {row}"),
        _ => {
            let column = columns[random.random_range(0..columns.len())];
            let value = values[random.random_range(0..values.len())];
            format!("update or ignore {table} set {column} = {value} where {row}")
        }
    };
    database.execute_batch(&sql).unwrap();
    sql
}

#[expect(clippy::print_stdout, reason = "the numbers are for readers of --nocapture")]
#[test]
#[ignore = "slow"]
fn a_study_with_a_damaged_store_ends() {
    let number = |name, default| std::env::var(name).map_or(default, |n| n.parse().unwrap());
    let copies: u64 = number("CATHERD_DAMAGED_STORES", 12);
    let first: u64 = number("CATHERD_DAMAGED_FIRST", 0);
    let folder = TempDir::new().unwrap();
    let file = study(folder.path());
    let run = |out: &Path, seeds: &str| {
        let mut command = catherd();
        command.arg("run").arg(&file).arg("--out").arg(out).args([
            "--seeds",
            seeds,
            "--workers",
            "1",
        ]);
        command.args(["--retry-timeout", "5"]).timeout(TIME_LIMIT).output().unwrap()
    };
    let [original, grown] = ["original", "grown"].map(|name| folder.path().join(name));
    assert_eq!(run(&original, "2").status.code(), Some(0));
    assert_eq!(run(&grown, "3").status.code(), Some(0));
    let expected = digests(&grown);
    let (mut continued, mut refused, mut wrong) = (0, 0, Vec::new());
    for seed in first..first + copies {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let copy = folder.path().join("copy");
        fs::create_dir(&copy).unwrap();
        for name in ["study.db", "study.json"] {
            fs::copy(original.join(name), copy.join(name)).unwrap();
        }
        let store = copy.join("study.db");
        let what = match seed % 3 {
            0 => damage_rows(&store, &mut random),
            _ => damage_bytes(&store, &mut random),
        };
        let start = Instant::now();
        let output = run(&copy, "3");
        let told = stderr(&output);
        match output.status.code() {
            Some(0) if digests(&copy) == expected => continued += 1,
            Some(1) if told.contains("study.db") && told.contains("hint: ") => refused += 1,
            code => wrong
                .push(format!("copy {seed}, {what}: {code:?} in {:?}: {told}", start.elapsed())),
        }
        assert!(!told.contains("panicked"), "copy {seed}, {what}: {told}");
        fs::remove_dir_all(&copy).unwrap();
    }
    println!("{copies} copies: {continued} continued, {refused} refused");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(copies < 12 || (continued > 0 && refused > 0));
}
