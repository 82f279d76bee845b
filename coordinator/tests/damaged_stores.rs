//! Tests damaged copies of a small store. Each copy must be refused, repaired, or equal to the
//! original. `CATHERD_DAMAGED_STORES` is the number of copies.

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use catherd_coordinator::ledger::RunStatus;
use catherd_coordinator::store::{Store, StoreChange, StoreReader, StoredRecord};
use catherd_coordinator::{
    Breakdown, Coordinator, CoordinatorOptions, Phase, StoreError, StoreUrl,
};
use catherd_experiments::format_1::subject_info;
use catherd_experiments::{
    Algorithm, Budget, Criterion, Digest, Plan, PlannedProject, ProjectSource, RunRecord, RunSpec,
    Study,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PROJECTS: [&[u8]; 2] = [b"the first project", b"the second project"];

const TIME_LIMIT: Duration = Duration::from_secs(300);

fn plan() -> Plan {
    let study = Study {
        name: "study".into(),
        projects: ProjectSource::Paths(Vec::new()),
        algorithms: vec![Algorithm::plain("random"), Algorithm::plain("mio")],
        seeds: vec![1, 2, 3],
        budget: Budget::of("executions", 7),
        mutation: None,
        race: None,
        stop: None,
        subject: None,
    };
    let projects = ["one", "two"].into_iter().zip(PROJECTS);
    let projects = projects
        .map(|(name, bytes)| PlannedProject { name: name.into(), digest: Digest::of(bytes) });
    let subject = subject_info("noop", "noop/1");
    Plan::new(&study, &subject, projects.collect(), |_| Ok(())).unwrap()
}

/// `None` if the run is quarantined.
fn result(position: usize, spec: &RunSpec) -> Option<RunRecord> {
    match position {
        5 => Some(RunRecord::failed(spec, "cannot be read", 12)),
        7 => None,
        _ => {
            let covered = (0..position as u32 % 4).collect();
            let goals = Criterion { name: "goals".into(), goals: 4, covered };
            // Some records fill several pages.
            let suite = "event ".repeat(300 * (position % 3));
            let mut record = RunRecord::new(spec, vec![goals]);
            record.artifacts.insert("suite.txt".to_owned(), suite);
            record.work.insert("executions".to_owned(), 7);
            record.resources.wall_ms = 1_000 + position as u64;
            record.provenance.host = "lab".to_owned();
            Some(record)
        }
    }
}

fn end(number: u32, token: u64, position: usize) -> Vec<StoreChange> {
    let spec = plan().run(position);
    let status = |phase| RunStatus { token, attempt: 1, ..RunStatus::new(phase, 0) };
    let Some(record) = result(position, &spec) else {
        let (worker, reason) = ("w".to_owned(), "panicked at tool.rs:7".to_owned());
        let kind = Breakdown::TimedOut;
        let breakdown = StoreChange::Breakdown { run: number, attempt: 1, kind, worker, reason };
        return vec![breakdown, StoreChange::Run(number, status(Phase::Quarantined), None)];
    };
    let failed = record.coverage().is_none();
    let json = serde_json::to_vec(&record).unwrap();
    let phase = if failed { Phase::Failed } else { Phase::Done };
    vec![
        StoreChange::Record(number, token, StoredRecord::new(&record, json)),
        StoreChange::Run(number, status(phase), None),
    ]
}

fn execute_pending(store: &mut Store) -> Result<(), StoreError> {
    let mut pending = Vec::new();
    store.runs(|run| {
        if !run.status.phase.is_final() {
            pending.push(run.number);
        }
        Ok(())
    })?;
    let ids = store.ids(&pending)?;
    for (number, id) in pending.into_iter().zip(ids) {
        let position = (0..plan().count()).find(|&position| Some(plan().run(position).id()) == id);
        // A run that no longer belongs to a study is not executed.
        if let Some(position) = position {
            store.apply(&end(number, 1_000 + u64::from(number), position))?;
        }
    }
    Ok(())
}

/// Everything in a store from which the tables of its study are made.
#[derive(Debug, PartialEq)]
struct Contents {
    records: Vec<(RunSpec, RunRecord)>,
    quarantined: Vec<(RunSpec, String)>,
}

fn read(url: &StoreUrl) -> Result<Contents, StoreError> {
    let mut reader = StoreReader::open(url)?;
    let study = reader.studies()?.into_iter().find(|study| study.name == "study");
    let study = study.ok_or_else(|| StoreError::NoStudy("study".to_owned()))?.number;
    let quarantined = reader.quarantined(study)?.into_iter();
    let records = reader.records(study).collect::<Result<_, _>>()?;
    let quarantined = quarantined.map(|run| (run.spec, format!("{:?} {}", run.kind, run.reason)));
    Ok(Contents { records, quarantined: quarantined.collect() })
}

/// If the coordinator was killed, a part of the study is in the write-ahead log.
fn original(folder: &Path, killed: bool) {
    let url = StoreUrl::Sqlite(folder.join("written.db"));
    let mut store = Store::open(&url).unwrap();
    for project in PROJECTS {
        store.put_project(project).unwrap();
    }
    store.plan(plan()).unwrap();
    execute_pending(&mut store).unwrap();
    if killed {
        for ending in ["", "-wal"] {
            let from = folder.join(format!("written.db{ending}"));
            fs::copy(from, folder.join(format!("study.db{ending}"))).unwrap();
        }
    } else {
        store.close();
        fs::rename(folder.join("written.db"), folder.join("study.db")).unwrap();
    }
}

fn damage(file: &mut Vec<u8>, random: &mut ChaCha8Rng) -> String {
    const PAGE: usize = 4096;
    let at = random.random_range(0..file.len());
    match random.random_range(0..6) {
        0 | 1 => {
            let bit = random.random_range(0..8);
            file[at] ^= 1 << bit;
            format!("bit {bit} of byte {at}")
        }
        2 => {
            file[at] = random.random::<u8>();
            format!("byte {at}")
        }
        3 => {
            let end = file.len().min(at + 24);
            file[at..end].iter_mut().for_each(|byte| *byte = random.random::<u8>());
            format!("bytes {at} to {end}")
        }
        4 => {
            let start = at - at % PAGE;
            let end = file.len().min(start + PAGE);
            file[start..end].fill(0);
            format!("page at {start}")
        }
        _ => {
            file.truncate(at);
            format!("length {at}")
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Refused,
    Repaired,
    Equal,
}

/// Fails if damaged data is accepted.
fn examine(folder: &Path, original: &Contents) -> Fate {
    let url = StoreUrl::Sqlite(folder.join("study.db"));
    let seen = read(&url);
    if let Ok(seen) = &seen {
        // Some records may be missing, because runs may wait for a worker again.
        let known = |record: &_| original.records.contains(record);
        assert!(seen.records.iter().all(known), "a damaged record was accepted");
        let known = |run: &_| original.quarantined.contains(run);
        assert!(seen.quarantined.iter().all(known), "a damaged quarantined run was accepted");
    }
    let options = || CoordinatorOptions { store: url.clone(), ..CoordinatorOptions::new(folder) };
    let repairs = match Coordinator::open_study(options(), plan()) {
        Ok(coordinator) => coordinator.repairs().len(),
        Err(_) => return Fate::Refused,
    };
    let resumed = Store::open(&url).and_then(|mut store| {
        execute_pending(&mut store)?;
        store.close();
        read(&url)
    });
    match resumed {
        Err(error) => {
            // Damage may be in pages that were not needed to open the store.
            assert!(error.is_damage() || matches!(error, StoreError::Sqlite(_)), "{error}");
            Fate::Refused
        }
        Ok(resumed) => {
            assert_eq!(resumed, *original, "after the repair");
            if repairs == 0 && seen.is_ok() { Fate::Equal } else { Fate::Repaired }
        }
    }
}

#[expect(clippy::print_stdout, reason = "the numbers are for readers of --nocapture")]
#[test]
#[ignore = "slow"]
fn a_damaged_store_is_refused_repaired_or_equal() {
    let copies = std::env::var("CATHERD_DAMAGED_STORES").map_or(60, |n| n.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (closed, killed) = (folder.path().join("closed"), folder.path().join("killed"));
    for (place, is_killed) in [(&closed, false), (&killed, true)] {
        fs::create_dir(place).unwrap();
        original(place, is_killed);
    }
    let contents = read(&StoreUrl::Sqlite(closed.join("study.db"))).unwrap();
    assert_eq!((contents.records.len(), contents.quarantined.len()), (11, 1));

    let (sender, results) = mpsc::channel();
    let place = folder.path().to_owned();
    std::thread::spawn(move || {
        for seed in 0..copies {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let copy = place.join("copy");
            fs::create_dir(&copy).unwrap();
            let from = if seed % 4 == 0 { &killed } else { &closed };
            let files: &[&str] =
                if seed % 4 == 0 { &["study.db", "study.db-wal"] } else { &["study.db"] };
            let hit = files[random.random_range(0..files.len())];
            let mut what = String::new();
            for file in files {
                let mut bytes = fs::read(from.join(file)).unwrap();
                if *file == hit {
                    what = format!("{file}: {}", damage(&mut bytes, &mut random));
                }
                fs::write(copy.join(file), bytes).unwrap();
            }
            let fate = std::panic::catch_unwind(|| examine(&copy, &contents));
            fs::remove_dir_all(&copy).unwrap();
            if sender.send((seed, what, fate.ok())).is_err() {
                return;
            }
        }
    });
    let mut fates = Vec::new();
    let mut believed = Vec::new();
    for seed in 0..copies {
        let (_, what, fate) =
            results.recv_timeout(TIME_LIMIT).unwrap_or_else(|_| panic!("copy {seed} hangs"));
        match fate {
            Some(fate) => fates.push(fate),
            None => believed.push(format!("copy {seed}, {what}")),
        }
    }
    let count = |fate| fates.iter().filter(|one| **one == fate).count();
    let (refused, repaired) = (count(Fate::Refused), count(Fate::Repaired));
    let equal = count(Fate::Equal);
    println!("{copies} copies: {refused} refused, {repaired} repaired, {equal} equal");
    assert!(believed.is_empty(), "{believed:#?}");
    assert!(refused > 0 && repaired > 0 && equal > 0);
}
