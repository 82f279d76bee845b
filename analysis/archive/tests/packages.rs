//! Tests packages through the public API.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use catherd_analysis_archive::{Builder, Contents, FileEntry, Package, RunCounts};
use catherd_experiments::Digest;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// In bytes. The compression ratio of this many spaces exceeds the maximum for packages.
const BLANKS: usize = 1_100_000;

fn contents() -> Contents {
    Contents {
        format: Contents::FORMAT,
        catherd: "1.2.3".to_owned(),
        study: "games".to_owned(),
        subject: "noop".to_owned(),
        engine: "noop/1".to_owned(),
        runs: RunCounts { planned: 3, done: 2, pending: 1, ..RunCounts::default() },
        interim: true,
        results: Digest::of(b""),
        with_projects: false,
        with_program: false,
        authors: Vec::new(),
        files: Vec::new(),
    }
}

struct Fixture {
    folder: TempDir,
    modified: SystemTime,
}

impl Fixture {
    fn new() -> Fixture {
        Fixture { folder: tempfile::tempdir().unwrap(), modified: SystemTime::now() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn package(&self, name: &str) -> PathBuf {
        let mut input = fs::File::create(self.path("input")).unwrap();
        input.write_all("x,y\n1,2\n".repeat(20_000).as_bytes()).unwrap();
        input.set_modified(self.modified).unwrap();
        let mut builder = Builder::default();
        builder.file("results/runs.csv", self.path("input"));
        builder.bytes("README.md", "# games\n");
        builder.bytes("größe.txt", vec![b' '; BLANKS]);
        builder.bytes("empty", "");
        let path = self.path(name);
        let mut bytes = 0;
        let written = builder.write(&path, contents(), |n| bytes += n).unwrap();
        assert_eq!(bytes, 2 * written.files.iter().map(|file| file.bytes).sum::<u64>());
        path
    }

    fn refused(&self, bytes: &[u8]) -> String {
        let path = self.path("refused.zip");
        fs::write(&path, bytes).unwrap();
        let checked = Package::open(&path).and_then(|mut package| package.check(|_| {}));
        let text = checked.expect_err("the package is refused").to_string();
        assert!(text.contains("refused.zip: "), "{text}");
        text
    }
}

fn archive(files: &[(&str, &[u8])], options: SimpleFileOptions) -> Vec<u8> {
    let entry = |&(name, bytes): &(&str, &[u8])| FileEntry {
        name: name.to_owned(),
        bytes: bytes.len() as u64,
        sha256: Digest::of(bytes),
    };
    let mut list = Contents { files: files.iter().map(entry).collect(), ..contents() };
    list.files.sort_by(|a, b| a.name.cmp(&b.name));
    let json = list.to_json().unwrap();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files.iter().chain([&(Contents::FILE, &json[..])]) {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn plain() -> SimpleFileOptions {
    SimpleFileOptions::default()
}

#[test]
fn a_package_has_the_same_bytes_each_time() {
    let fixture = Fixture::new();
    let first = fs::read(fixture.package("first.zip")).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let elsewhere = Fixture { modified: long_ago, ..Fixture::new() };
    assert!(first == fs::read(elsewhere.package("second.zip")).unwrap());
    // This digest changes with the algorithm and the level of compression, which are part of the
    // format of packages.
    assert_eq!(Digest::of(&first).short(), "232a5769c4c0");
    let mut package = Package::open(&fixture.path("first.zip")).unwrap();
    package.check(|_| {}).unwrap();
    assert_eq!(package.read("README.md", 100).unwrap(), b"# games\n");
    assert_eq!(package.read("größe.txt", 4 << 20).unwrap().len(), BLANKS);
    assert!(package.read("größe.txt", 100).unwrap_err().to_string().contains("more than the"));
    assert!(package.read("gone", 100).unwrap_err().to_string().contains("gone: is missing"));
    let names: Vec<_> = package.contents().files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["README.md", "empty", "größe.txt", "results/runs.csv"]);
    assert!(!fixture.path("first.zip.part").exists());
}

#[test]
fn a_package_with_a_changed_or_missing_byte_is_refused() {
    let fixture = Fixture::new();
    let bytes = fs::read(fixture.package("good.zip")).unwrap();
    for length in [0, 10, 21, 22, 100, bytes.len() / 2, bytes.len() - 23, bytes.len() - 1] {
        fixture.refused(&bytes[..length]);
    }
    fixture.refused(&[&bytes[..], b"x"].concat());
    fixture.refused(&[b"#!/bin/sh\n", &bytes[..]].concat());
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    for at in (0..directory).step_by(directory / 40).chain(directory..bytes.len()) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let path = fixture.path("refused.zip");
        fs::write(&path, &damaged).unwrap();
        let read = Package::open(&path).and_then(|mut package| {
            package.check(|_| {})?;
            Ok(package.contents().files.clone())
        });
        // A flipped bit need not change the data, because compressed data can end within a byte.
        if let Ok(files) = read {
            assert!(at < directory, "byte {at} of the list of files");
            assert!(files == Package::open(&fixture.path("good.zip")).unwrap().contents().files);
        }
    }
}

#[test]
fn hostile_archives_are_refused() {
    let fixture = Fixture::new();
    let refused = |files: &[(&str, &[u8])]| fixture.refused(&archive(files, plain()));
    fs::write(fixture.path("good.zip"), archive(&[("a", b"1")], plain())).unwrap();
    Package::open(&fixture.path("good.zip")).unwrap().check(|_| {}).unwrap();

    for name in ["../evil", "a/../../evil", "/etc/passwd", "a\\b", "C:/x", "a//b", "a/./b"] {
        let text = refused(&[(name, b"1")]);
        assert!(text.contains(&format!("{name}: its name ")), "{name}: {text}");
    }
    let text = refused(&[("a/b", b"1"), ("A/B", b"2")]);
    assert!(text.contains("A/B: two files have this name"), "{text}");
    let text = refused(&[("gr\u{f6}\u{df}e", b"1"), ("gro\u{308}\u{df}e", b"2")]);
    assert!(
        text.contains(": two files have this name, or their names differ only in case"),
        "{text}"
    );
    for mode in [0o4755, 0o2755, 0o755, 0o600] {
        let text = fixture.refused(&archive(&[("a", b"1")], plain().unix_permissions(mode)));
        assert!(
            text.contains("a: has permissions that this file never has in a package"),
            "{text}"
        );
    }
    let good = archive(&[("one", b"1"), ("two", b"2")], plain());
    let first = good.windows(4).position(|bytes| bytes == b"PK\x03\x04").unwrap();
    for at in first + 4..first + 30 {
        let mut damaged = good.clone();
        damaged[at] ^= 1;
        fixture.refused(&damaged);
    }
    let text = refused(&[("bomb", &vec![b' '; 5 << 20])]);
    assert!(text.contains("bomb: expands to 5242880 bytes from"), "{text}");

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("link", "/etc/passwd", plain()).unwrap();
    let text = fixture.refused(&zip.finish().unwrap().into_inner());
    assert!(text.contains("link: is a link, not a regular file"), "{text}");
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_directory("folder", plain()).unwrap();
    let text = fixture.refused(&zip.finish().unwrap().into_inner());
    assert!(text.contains("folder/: is a folder"), "{text}");

    let two = archive(&[("one", b"1"), ("two", b"2")], plain());
    let text = fixture.refused(&replaced(&two, b"two", b"one"));
    assert!(text.contains("two of its files have the same name"), "{text}");
    let text = fixture.refused(&replaced(&two, b"two", b"six"));
    assert!(text.contains("six: is not in the list"), "{text}");
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("notes.txt", plain()).unwrap();
    let text = fixture.refused(&zip.finish().unwrap().into_inner());
    assert!(text.contains("has no archive.json"), "{text}");
    assert!(fixture.refused(b"").contains("is not an intact zip archive"));
}

/// In an archive, the replacement affects headers, but not the compressed list of files.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

#[test]
fn a_name_that_cannot_be_in_a_package_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.zip");
    let write = |name: &str, file: &Path| {
        let mut builder = Builder::default();
        builder.file(name, file);
        builder.write(&path, contents(), |_| {}).unwrap_err().to_string()
    };
    assert!(write("../a", folder.path()).contains("../a: its name has the part `..`"));
    let missing = folder.path().join("missing");
    assert!(write("a", &missing).contains("missing: "));
    assert!(!path.exists() && !folder.path().join("p.zip.part").exists());
}
