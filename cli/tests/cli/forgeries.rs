//! Tests that forged packages are refused. Forgeries are made from a seed, and follow the format of
//! packages: unless the archive itself is damaged, the list of files matches the files.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use catherd_analysis_archive::{Contents, FileEntry};
use catherd_experiments::{Digest, RunRecord};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::support::{catherd, stderr, two_projects};

/// Number of forgeries, unless `CATHERD_FORGERIES` sets a different number.
const FORGERIES: u64 = 36;

/// Maximum time for checking one package.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Clone, PartialEq)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    mode: u32,
}

pub(crate) fn files(package: &[u8]) -> Vec<File> {
    let mut zip = ZipArchive::new(Cursor::new(package)).unwrap();
    let mut files = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let mode = entry.unix_mode().unwrap_or(0o644) & 0o7777;
        files.push(File { name, bytes, mode });
    }
    files
}

/// Makes a package with these files and a matching list of files.
pub(crate) fn package_of(mut files: Vec<File>) -> Vec<u8> {
    let at = files.iter().position(|file| file.name == Contents::FILE).unwrap();
    let mut list: Contents = serde_json::from_slice(&files.remove(at).bytes).unwrap();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let entry = |file: &File| FileEntry {
        name: file.name.clone(),
        bytes: file.bytes.len() as u64,
        sha256: Digest::of(&file.bytes),
    };
    list.files = files.iter().map(entry).collect();
    let bytes = list.to_json().unwrap();
    files.push(File { name: Contents::FILE.to_owned(), bytes, mode: 0o644 });
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for File { name, bytes, mode } in &files {
        let options = SimpleFileOptions::default().unix_permissions(*mode);
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A forgery: its description, the package, and the name of a file, or the beginning of a name, that
/// the error must contain.
struct Forgery {
    how: String,
    package: Vec<u8>,
    named: Option<String>,
}

struct Forger<'p> {
    package: &'p [u8],
    files: Vec<File>,
    random: ChaCha8Rng,
}

impl Forger<'_> {
    fn pick(&mut self, most: usize) -> usize {
        self.random.random_range(0..most)
    }

    fn file(&mut self, wanted: impl Fn(&str) -> bool) -> usize {
        let files = self.files.iter().enumerate();
        let fitting: Vec<usize> =
            files.filter(|(_, file)| wanted(&file.name)).map(|(at, _)| at).collect();
        fitting[self.pick(fitting.len())]
    }

    fn forge(&mut self, number: u64) -> Forgery {
        match number % 12 {
            0 | 1 => self.flipped(),
            2 => self.headers(),
            3 => self.cut(),
            4 => self.record(),
            5 => self.list(),
            6 => self.names(),
            7 => self.modes(),
            8 => self.table(),
            9 => self.removed(),
            _ => self.digit(),
        }
    }

    fn flipped(&mut self) -> Forgery {
        let mut package = self.package.to_vec();
        let at = self.pick(package.len());
        package[at] ^= 1 << self.pick(8);
        Forgery { how: format!("byte {at} flipped"), package, named: None }
    }

    /// Changes a byte of a header, either before a file or in the central directory.
    fn headers(&mut self) -> Forgery {
        let mut package = self.package.to_vec();
        let (signature, length): (&[u8], usize) =
            [(&b"PK\x01\x02"[..], 46), (&b"PK\x03\x04"[..], 30)][self.pick(2)];
        let starts: Vec<usize> =
            (0..package.len() - 46).filter(|at| package[*at..].starts_with(signature)).collect();
        let at = starts[self.pick(starts.len())] + 4 + self.pick(length - 4);
        package[at] = package[at].wrapping_add(1 + self.pick(255) as u8);
        Forgery { how: format!("header byte {at} changed"), package, named: None }
    }

    fn cut(&mut self) -> Forgery {
        let mut package = self.package.to_vec();
        let at = self.pick(package.len());
        match self.pick(3) {
            0 => package.truncate(at),
            1 => package.splice(at..at, *b"more").for_each(drop),
            _ => package.extend(b"more"),
        }
        Forgery { how: format!("cut or extended at {at}"), package, named: None }
    }

    fn packed(&self, how: String, files: Vec<File>, named: &str) -> Forgery {
        Forgery { how, package: package_of(files), named: Some(named.to_owned()) }
    }

    /// Changes a record, and computes its digest again.
    fn record(&mut self) -> Forgery {
        let mut files = self.files.clone();
        let at = self.file(|name| name == "records.jsonl");
        let text = String::from_utf8(files[at].bytes.clone()).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let line = self.pick(lines.len());
        let mut json: Value = serde_json::from_str(&lines[line]).unwrap();
        let mut record: RunRecord = serde_json::from_value(json["record"].clone()).unwrap();
        let how = match self.pick(4) {
            0 => {
                for criterion in &mut record.criteria {
                    criterion.covered = (0..criterion.goals).collect();
                }
                "covers everything"
            }
            1 => {
                record.suite.tests += 1;
                "has another test"
            }
            2 => {
                record.work.values_mut().for_each(|work| *work += 1);
                "has more work"
            }
            _ => {
                record.resources.wall_ms += 1000;
                "took longer"
            }
        };
        json["digest"] = record.digest().to_string().into();
        json["record"] = serde_json::to_value(&record).unwrap();
        // Write the fields in the order of real records.
        let mut forged = String::from("{");
        for (number, name) in
            ["project", "sha256", "algorithm", "seed", "digest", "record"].iter().enumerate()
        {
            let value = match *name {
                "record" => serde_json::to_string(&record).unwrap(),
                name => json[name].to_string(),
            };
            let comma = if number > 0 { "," } else { "" };
            forged += &format!("{comma}\"{name}\":{value}");
        }
        lines[line] = forged + "}";
        files[at].bytes = (lines.join("\n") + "\n").into_bytes();
        self.packed(format!("record {line} {how}"), files, "re")
    }

    fn list(&mut self) -> Forgery {
        let mut files = self.files.clone();
        let at = self.file(|name| name == Contents::FILE);
        let mut list: Contents = serde_json::from_slice(&files[at].bytes).unwrap();
        let how = match self.pick(6) {
            0 => {
                list.runs.planned += 1;
                list.runs.pending += 1;
                list.interim = true;
                "one run is pending"
            }
            1 => {
                list.runs.planned += 1;
                list.runs.dropped += 1;
                "one run is dropped"
            }
            2 => {
                list.catherd = "9.9.9".to_owned();
                "of another version"
            }
            3 => {
                list.results = Digest::of(b"other");
                "other results"
            }
            4 => {
                list.authors = vec!["Somebody Else".to_owned()];
                "other authors"
            }
            _ => {
                list.with_projects = false;
                "without projects"
            }
        };
        files[at].bytes = list.to_json().unwrap();
        Forgery { how: how.to_owned(), package: package_of(files), named: None }
    }

    /// Adds a file, possibly with a name that some systems do not distinguish from the name of
    /// another file.
    fn names(&mut self) -> Forgery {
        let mut files = self.files.clone();
        let names = [
            "extra.txt",
            "results/extra.csv",
            "report/tables/extra.csv",
            "projects/extra.sb3",
            "corpora/extra/readme.md",
            "corpora/more.txt",
            "readme.md",
            "RESULTS/runs.csv",
            "results/RUNS.CSV",
            "report/report.html/inner",
        ];
        let name = names[self.pick(names.len())].to_owned();
        let bytes = b"extra".to_vec();
        files.push(File { name: name.clone(), bytes, mode: 0o644 });
        self.packed(format!("{name} added"), files, &name)
    }

    fn modes(&mut self) -> Forgery {
        let at = self.file(|name| name != Contents::FILE);
        let modes = [0o4755, 0o2755, 0o755, 0o666, 0o1644, 0o600];
        let mode = modes[self.pick(modes.len())];
        let name = self.files[at].name.clone();
        let mut package = package_of(self.files.clone());
        set_mode(&mut package, &name, mode);
        Forgery { how: format!("{name} has mode {mode:o}"), package, named: Some(name) }
    }

    /// Swaps two rows of a table, or removes one of the rows if they are equal.
    fn table(&mut self) -> Forgery {
        let mut files = self.files.clone();
        let at = self.file(|name| name.ends_with(".csv"));
        let name = files[at].name.clone();
        let text = String::from_utf8(files[at].bytes.clone()).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let (one, other) = (self.pick(lines.len()), self.pick(lines.len()));
        if lines[one] == lines[other] {
            lines.remove(one);
        } else {
            lines.swap(one, other);
        }
        files[at].bytes = (lines.join("\n") + "\n").into_bytes();
        self.packed(format!("rows {one} and {other} of {name}"), files, &name)
    }

    fn removed(&mut self) -> Forgery {
        let mut files = self.files.clone();
        let at = self.file(|name| name != Contents::FILE);
        let name = files.remove(at).name;
        self.packed(format!("{name} removed"), files, &name)
    }

    /// Changes a digit or a letter of a file, or removes the file if it contains neither.
    fn digit(&mut self) -> Forgery {
        let mut files = self.files.clone();
        let at = self.file(|name| name != Contents::FILE && !name.starts_with("projects/"));
        let name = files[at].name.clone();
        let bytes = &mut files[at].bytes;
        let places: Vec<usize> =
            (0..bytes.len()).filter(|at| bytes[*at].is_ascii_alphanumeric()).collect();
        let Some(place) =
            (!places.is_empty()).then(|| places[self.random.random_range(0..places.len())])
        else {
            return self.removed();
        };
        bytes[place] = match bytes[place] {
            b'0' => b'9',
            b'1'..=b'9' => bytes[place] - 1,
            b'a' | b'A' => b'b',
            _ => b'a',
        };
        let mut forgery = self.packed(format!("byte {place} of {name}"), files, &name);
        // If the plan was changed, the error names the records instead, because the records belong
        // to the original plan.
        forgery.named = forgery.named.filter(|name| name != "results/study.json");
        forgery
    }
}

pub(crate) fn first_file(folder: &Path) -> std::path::PathBuf {
    let mut entries: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    match entries[0].is_dir() {
        true => first_file(&entries[0]),
        false => entries[0].clone(),
    }
}

fn set_mode(package: &mut [u8], name: &str, mode: u32) {
    let is_header = |at: &usize| {
        package[*at..].starts_with(b"PK\x01\x02") && package[at + 46..].starts_with(name.as_bytes())
    };
    let at = (0..package.len() - 46 - name.len()).rfind(is_header).unwrap();
    package[at + 38..at + 42].copy_from_slice(&((0o100_000 | mode) << 16).to_le_bytes());
}

/// Whether two archives have the same files, in which case neither is a forgery of the other.
fn same_files(one: &[u8], other: &[u8]) -> bool {
    let sorted = |package: &[u8]| {
        let mut files = files(package);
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files
    };
    ZipArchive::new(Cursor::new(other)).is_ok() && sorted(one) == sorted(other)
}

#[test]
#[ignore = "slow"]
fn no_forged_package_is_believed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    two_projects(Path::new(&path("games")));
    let run = |arguments: &[&str]| catherd().args(arguments).output().unwrap();
    let study = ["--algorithms", "random,mio", "--seeds", "2", "--executions", "20", "--quiet"];
    let output = run(&[
        &["run", "--projects", &path("games"), "--out", &path("study")][..],
        &study,
    ]
    .concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let output = run(&["archive", &path("study"), "-o", &path("good.zip"), "--with-projects"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let output = run(&["verify", &path("good.zip")]);
    assert!(output.status.success(), "{}", stderr(&output));
    let package = fs::read(path("good.zip")).unwrap();
    let number = std::env::var("CATHERD_FORGERIES").ok().and_then(|number| number.parse().ok());
    let first = std::env::var("CATHERD_FORGERIES_SEED").ok().and_then(|seed| seed.parse().ok());
    let first: u64 = first.unwrap_or(0);
    let mut slowest = Duration::ZERO;
    for seed in first..first + number.unwrap_or(FORGERIES) {
        let random = ChaCha8Rng::seed_from_u64(seed);
        let mut forger = Forger { package: &package, files: files(&package), random };
        let Forgery { how, package: forged, named } = forger.forge(seed);
        if forged == package {
            continue;
        }
        fs::write(path("forged.zip"), &forged).unwrap();
        let start = Instant::now();
        let output = run(&["verify", &path("forged.zip")]);
        slowest = slowest.max(start.elapsed());
        assert!(start.elapsed() < LONGEST, "seed {seed}: {how}");
        let text = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
        let code = output.status.code();
        if code == Some(0) {
            assert!(same_files(&package, &forged), "seed {seed}: {how}: believed: {text}");
            continue;
        }
        assert!(matches!(code, Some(1 | 2)), "seed {seed}: {how}: {code:?}: {text}");
        if let Some(named) = named {
            // The error names either of two names that some systems do not distinguish.
            let is_named = text.to_lowercase().contains(&named.to_lowercase());
            assert!(is_named, "seed {seed}: {how}: {named} is not named: {text}");
        }
    }
    if number.is_some() {
        let line = format!("slowest: {} ms\n", slowest.as_millis());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

/// A record in the store and its digest are changed, and everything else is made from the changed
/// record, so only executing the run reveals the forgery.
#[test]
#[ignore = "slow"]
fn a_record_that_fits_everything_is_found_by_an_execution() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    two_projects(Path::new(&path("games")));
    let run = |arguments: &[&str]| catherd().args(arguments).output().unwrap();
    let (games, out) = (path("games"), path("study"));
    let study = ["run", "--projects", &games, "--out", &out, "--algorithms", "random,mio"];
    let study = [&study[..], &["--seeds", "2", "--executions", "20", "--quiet"]].concat();
    assert!(run(&study).status.success());
    let database = rusqlite::Connection::open(path("study/study.db")).unwrap();
    let select = "select record from records where number = 3";
    let json: Vec<u8> = database.query_row(select, (), |row| row.get(0)).unwrap();
    let mut record: RunRecord = serde_json::from_slice(&json).unwrap();
    for criterion in &mut record.criteria {
        criterion.covered = (0..criterion.goals).collect();
    }
    let update = "update records set record = ?1, digest = ?2, checksum = null where number = 3";
    let json = serde_json::to_vec(&record).unwrap();
    database.execute(update, (json, record.digest().0)).unwrap();
    drop(database);
    // The tables are made from the forged record.
    let output = run(&study);
    assert!(output.status.success(), "{}", stderr(&output));
    let output = run(&["archive", &out, "-o", &path("forged.zip"), "--with-projects"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let output = run(&["verify", &path("forged.zip")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}{}", stderr(&output));
    assert!(text.contains("\n7 of 8 runs agree\n") && text.contains("the digest was"), "{text}");
}
