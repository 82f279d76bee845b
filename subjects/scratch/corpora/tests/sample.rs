//! Tests of sampling from simulated servers of Scratch with injected faults.

#[path = "../examples/simulated_scratch/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catherd_scratch_corpora::corpus::{Corpus, Recipe, compare, export_frozen, verify};
use catherd_scratch_corpora::sample::{
    IdSource, ProbeOutcome, SampleEnd, SampleError, SampleProgress, SampleRequest, SampleSettings,
    sample,
};
use server::{Population, Server};
use tempfile::TempDir;

const IDS: std::ops::Range<u64> = 7_000..7_300;

fn serve(population: Population) -> Server {
    Server::start(population, 0).unwrap()
}

fn fast(server: &Server) -> SampleSettings {
    SampleSettings {
        addresses: server.addresses(),
        rate: 100_000.0,
        backoff: Duration::from_millis(1),
        timeout: Duration::from_secs(30),
        ..SampleSettings::default()
    }
}

fn ten() -> SampleRequest {
    SampleRequest { ids: IdSource::Range(IDS, 3), count: Some(10), disjoint_from: Vec::new() }
}

fn run(request: &SampleRequest, settings: &SampleSettings, folder: &Path) -> SampleEnd {
    sample(request, settings, folder, &AtomicBool::new(false), |_| {}).unwrap().0
}

fn complete(request: &SampleRequest, settings: &SampleSettings, folder: &Path) -> Corpus {
    match run(request, settings, folder) {
        SampleEnd::Complete(corpus) => corpus,
        other => panic!("{other:?}"),
    }
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for place in [folder.to_owned(), folder.join("projects")] {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && !path.ends_with("probes.jsonl") {
                let mut bytes = fs::read(&path).unwrap();
                if path.ends_with("manifest.csv") {
                    let text = String::from_utf8(bytes).unwrap();
                    let today = format!(",{},", catherd_scratch_corpora::today());
                    bytes = text.replace(&today, ",date,").into_bytes();
                }
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), bytes);
            }
        }
    }
    assert!(!folder.join(".staging").exists());
    files
}

struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> TestFolder {
        TestFolder(TempDir::new().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

#[test]
#[ignore = "slow"]
fn every_id_has_the_outcome_of_the_population() {
    let folders = TestFolder::new();
    let population = Population::new(5, 100);
    let server = serve(population.clone());
    let all = SampleRequest { count: Some(1_000), ..ten() };
    let SampleEnd::Short(corpus) = run(&all, &fast(&server), &folders.at("all")) else { panic!() };
    let frame = fs::read_to_string(folders.at("all/frame.csv")).unwrap();
    let mut probed = 0;
    for line in frame.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let id = cells[1].parse().unwrap();
        assert_eq!(cells[2], population.truth(id).name(), "{line}");
        probed += 1;
    }
    assert_eq!(probed, IDS.count());
    assert_eq!(corpus.metadata.frame.values().sum::<u64>(), probed as u64);
    assert!(corpus.metadata.frame.len() >= 9, "{:?}", corpus.metadata.frame);
    assert_eq!(corpus.metadata.frame["accepted"] as usize, corpus.members.len());
    assert_eq!(verify(&corpus, || {}).unwrap(), []);

    let member = &corpus.members[0];
    assert_eq!(member.title, format!("Project \"{}\", a game", member.id));
    assert_eq!(member.source, format!("https://scratch.mit.edu/projects/{}", member.id));
    assert_eq!((member.licence.as_str(), member.author.len()), ("CC-BY-SA-2.0", 16));
    assert!(server.log().iter().all(|r| r.user_agent.starts_with("catherd/")));
}

#[test]
fn neither_faults_nor_threads_change_the_corpus() {
    let folders = TestFolder::new();
    let calm = serve(Population::new(5, 0));
    let one = SampleSettings { connections: 1, ..fast(&calm) };
    let corpus = complete(&ten(), &one, &folders.at("calm"));
    assert_eq!(corpus.members.len(), 10);
    assert_eq!(calm.max_concurrent(), 1);
    let expected = contents(&folders.at("calm"));

    let faulty = serve(Population::new(5, 300));
    let eight = SampleSettings { connections: 8, retries: 8, ..fast(&faulty) };
    complete(&ten(), &eight, &folders.at("faulty"));
    assert_eq!(contents(&folders.at("faulty")), expected);
    assert!(faulty.max_concurrent() <= 8);
}

#[test]
#[ignore = "slow"]
fn a_sample_continues_after_any_interruption() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 100));
    let settings = fast(&server);
    complete(&ten(), &settings, &folders.at("undisturbed"));
    let expected = contents(&folders.at("undisturbed"));

    let folder = folders.at("stopped");
    let mut rounds = 0;
    loop {
        let stop = AtomicBool::new(false);
        let mut probes = 0;
        let on_progress = |_: &SampleProgress| {
            probes += 1;
            stop.store(probes > 3, Ordering::Relaxed);
        };
        rounds += 1;
        match sample(&ten(), &settings, &folder, &stop, on_progress).unwrap().0 {
            SampleEnd::Stopped => assert!(!folder.join("corpus.toml").exists()),
            SampleEnd::Complete(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(rounds > 3, "{rounds}");
    assert_eq!(contents(&folder), expected);

    // A process may be killed while it writes the journal.
    let journal = fs::read(folder.join("probes.jsonl")).unwrap();
    for cut in [0, 1, 100, journal.len() / 3, journal.len() / 2, journal.len() - 1] {
        for name in ["corpus.toml", "manifest.csv", "frame.csv"] {
            fs::remove_file(folder.join(name)).unwrap();
        }
        fs::write(folder.join("probes.jsonl"), &journal[..cut]).unwrap();
        fs::create_dir_all(folder.join(".staging/projects")).unwrap();
        fs::write(folder.join(".staging/projects/half.sb3.0.part"), "PK").unwrap();
        complete(&ten(), &settings, &folder);
        assert_eq!(contents(&folder), expected, "cut at {cut}");
    }

    // A complete sample sends no requests, and an enlarged sample keeps the first ten projects.
    let asked = server.log().len();
    complete(&ten(), &settings, &folder);
    assert_eq!(server.log().len(), asked);
    let more = SampleRequest { count: Some(13), ..ten() };
    let larger = complete(&more, &settings, &folder);
    let first = Corpus::read(&folders.at("undisturbed")).unwrap();
    assert_eq!(larger.members.len(), 13);
    assert_eq!(larger.members[..10], first.members);
    assert_eq!(verify(&larger, || {}).unwrap(), []);
    complete(&ten(), &settings, &folder);
    assert_eq!(contents(&folder), expected);
}

#[test]
fn an_accepted_project_without_its_archive_is_fetched_again() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 0));
    let corpus = complete(&ten(), &fast(&server), &folders.at("a"));
    let expected = contents(&folders.at("a"));
    fs::remove_file(corpus.project(corpus.members[3].sha256)).unwrap();
    complete(&ten(), &fast(&server), &folders.at("a"));
    assert_eq!(contents(&folders.at("a")), expected);
}

#[test]
fn undecided_ids_are_reported_and_probed_again() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 0));
    let corpus = complete(&ten(), &fast(&server), &folders.at("calm"));
    let expected = contents(&folders.at("calm"));
    let victim: u64 = corpus.members[4].id.parse().unwrap();

    server.change(|population| {
        population.fixed.insert(victim, ProbeOutcome::Undecided);
    });
    let settings = SampleSettings { retries: 2, ..fast(&server) };
    let SampleEnd::Undecided(ids) = run(&ten(), &settings, &folders.at("ill")) else { panic!() };
    assert_eq!(ids.len(), 1);
    assert_eq!(ids[0].0, victim);
    assert!(ids[0].1.contains("500"), "{ids:?}");
    assert!(!folders.at("ill/corpus.toml").exists());

    let giving_up = SampleSettings { give_up: true, ..settings.clone() };
    let Recipe::Sample { count, .. } = corpus.metadata.recipe else { panic!() };
    let given_up = complete(&ten(), &giving_up, &folders.at("resigned"));
    assert_eq!((given_up.members.len(), given_up.metadata.frame["undecided"]), (count, 1));
    assert!(compare(&corpus, &given_up).only_first.contains(&victim.to_string()));

    server.change(|population| population.fixed.clear());
    complete(&ten(), &settings, &folders.at("ill"));
    assert_eq!(contents(&folders.at("ill")), expected);
}

#[test]
fn without_a_network_the_command_ends_and_the_sample_can_continue() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 0));
    let stop = AtomicBool::new(false);
    let on_progress =
        |progress: &SampleProgress| stop.store(progress.accepted >= 5, Ordering::Relaxed);
    let early = sample(&ten(), &fast(&server), &folders.at("a"), &stop, on_progress).unwrap().0;
    assert!(matches!(early, SampleEnd::Stopped));
    let mut gone = SampleSettings { retries: 1, ..fast(&server) };
    gone.addresses.api = "http://127.0.0.1:1".to_owned();
    let end = run(&ten(), &gone, &folders.at("a"));
    assert!(
        matches!(&end, SampleEnd::Unreachable(cause) if cause.contains("127.0.0.1:1")),
        "{end:?}"
    );
    let corpus = complete(&ten(), &fast(&server), &folders.at("a"));
    complete(&ten(), &fast(&server), &folders.at("b"));
    assert_eq!(contents(&folders.at("a")), contents(&folders.at("b")));
    assert_eq!(corpus.members.len(), 10);
}

#[test]
fn the_request_rate_is_limited() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 0));
    let settings = SampleSettings { rate: 50.0, connections: 8, ..fast(&server) };
    let request = SampleRequest { count: Some(3), ..ten() };
    let start = Instant::now();
    complete(&request, &settings, &folders.at("a"));
    let requests = server.log().len() as u32;
    assert!(requests > 10);
    assert!(start.elapsed() >= Duration::from_millis(20) * (requests - 1), "{requests}");
}

#[test]
fn projects_of_other_corpora_are_excluded() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 0));
    let first = complete(&ten(), &fast(&server), &folders.at("evaluation"));
    let others = SampleRequest { disjoint_from: vec![folders.at("evaluation")], ..ten() };
    let tuning = complete(&others, &fast(&server), &folders.at("tuning"));
    assert_eq!(tuning.metadata.frame["excluded"], 10);
    let ids = |corpus: &Corpus| corpus.members.iter().map(|m| m.id.clone()).collect::<Vec<_>>();
    assert!(ids(&tuning).iter().all(|id| !ids(&first).contains(id)));

    let refused =
        sample(&ten(), &fast(&server), &folders.at("tuning"), &AtomicBool::new(false), |_| {});
    assert!(matches!(refused, Err(SampleError::OtherRecipe { .. })), "{refused:?}");
}

#[test]
fn a_frozen_corpus_is_fetched_again_and_changes_are_reported() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 0));
    let original = complete(&ten(), &fast(&server), &folders.at("original"));
    export_frozen(&original, &folders.at("frozen.csv")).unwrap();
    let listed =
        SampleRequest { ids: IdSource::List(folders.at("frozen.csv")), count: None, ..ten() };
    let again = complete(&listed, &fast(&server), &folders.at("again"));
    assert_eq!(again.metadata.digest, original.metadata.digest);
    assert!(compare(&original, &again).is_empty());

    let text = fs::read_to_string(folders.at("frozen.csv")).unwrap();
    let victim = original.members[7].sha256.to_string();
    fs::write(folders.at("frozen.csv"), text.replace(&victim, &"0".repeat(64))).unwrap();
    let SampleEnd::Short(changed) = run(&listed, &fast(&server), &folders.at("changed")) else {
        panic!()
    };
    assert_eq!((changed.members.len(), changed.metadata.frame["changed"]), (9, 1));

    // A ranked list may contain remixes.
    let population = Population::new(5, 0);
    let remix = IDS.clone().find(|&id| population.truth(id) == ProbeOutcome::Remix).unwrap();
    fs::write(folders.at("ranked"), format!("# most loved\n{remix}\n")).unwrap();
    let ranked = SampleRequest { ids: IdSource::List(folders.at("ranked")), ..listed };
    assert_eq!(complete(&ranked, &fast(&server), &folders.at("top")).members.len(), 1);
    for (text, fault) in [("x1\n", "not a project id"), ("5\n5\n", "repeated"), ("#\n", "no ids")] {
        fs::write(folders.at("bad"), text).unwrap();
        let bad = SampleRequest { ids: IdSource::List(folders.at("bad")), ..ten() };
        let error = sample(&bad, &fast(&server), &folders.at("c"), &AtomicBool::new(false), |_| {});
        assert!(error.unwrap_err().to_string().contains(fault));
    }
}

#[test]
fn a_sample_continues_after_a_write_error() {
    let folders = TestFolder::new();
    let server = serve(Population::new(5, 0));
    let folder = folders.at("a");
    let refuse = |progress: &SampleProgress| {
        // Make every later write of an archive fail, as on a full disk.
        if progress.accepted == 5 {
            let _ = fs::rename(folder.join(".staging/projects"), folder.join(".staging/kept"));
        }
    };
    let stop = AtomicBool::new(false);
    let error = sample(&ten(), &fast(&server), &folder, &stop, refuse).unwrap_err();
    assert!(error.to_string().contains(".staging/projects/"), "{error}");
    fs::rename(folder.join(".staging/kept"), folder.join(".staging/projects")).unwrap();
    complete(&ten(), &fast(&server), &folder);
    complete(&ten(), &fast(&server), &folders.at("b"));
    assert_eq!(contents(&folder), contents(&folders.at("b")));
}
