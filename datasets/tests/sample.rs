//! Sampling from a server that speaks Scratch's language, with faults on purpose.

#[path = "../examples/simulated_scratch/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catherd_datasets::corpus::{Corpus, Recipe, compare, export_frozen, verify};
use catherd_datasets::sample::{
    Ended, Ids, Outcome, Progress, Request, SampleError, Settings, sample,
};
use server::{Population, Server};
use tempfile::TempDir;

const IDS: std::ops::Range<u64> = 7_000..7_300;

fn serve(population: Population) -> Server {
    Server::start(population, 0).unwrap()
}

/// As fast as it goes.
fn hasty(server: &Server) -> Settings {
    Settings {
        addresses: server.addresses(),
        rate: 100_000.0,
        backoff: Duration::from_millis(1),
        timeout: Duration::from_secs(5),
        ..Settings::default()
    }
}

fn ten() -> Request {
    Request { ids: Ids::Range(IDS, 3), count: Some(10), disjoint_from: Vec::new() }
}

fn run(request: &Request, settings: &Settings, folder: &Path) -> Ended {
    sample(request, settings, folder, &AtomicBool::new(false), |_| {}).unwrap().0
}

fn whole(request: &Request, settings: &Settings, folder: &Path) -> Corpus {
    match run(request, settings, folder) {
        Ended::Whole(corpus) => corpus,
        other => panic!("{other:?}"),
    }
}

/// Everything that the corpus is, by path: without the date of fetching and the log.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for place in [folder.to_owned(), folder.join("projects")] {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && !path.ends_with("probes.jsonl") {
                let mut bytes = fs::read(&path).unwrap();
                if path.ends_with("manifest.csv") {
                    let text = String::from_utf8(bytes).unwrap();
                    let today = format!(",{},", catherd_datasets::today());
                    bytes = text.replace(&today, ",date,").into_bytes();
                }
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), bytes);
            }
        }
    }
    assert!(!folder.join(".staging").exists());
    files
}

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

#[test]
fn every_id_ends_as_the_population_says() {
    let place = Place::new();
    let population = Population::new(5, 100);
    let server = serve(population.clone());
    let all = Request { count: Some(1_000), ..ten() };
    let Ended::Short(corpus) = run(&all, &hasty(&server), &place.at("all")) else { panic!() };
    let frame = fs::read_to_string(place.at("all/frame.csv")).unwrap();
    let mut probed = 0;
    for line in frame.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let id = cells[1].parse().unwrap();
        assert_eq!(cells[2], population.truth(id).name(), "{line}");
        probed += 1;
    }
    assert_eq!(probed, IDS.count());
    assert_eq!(corpus.about.frame.values().sum::<u64>(), probed as u64);
    // Every cause occurs, or this tests less than it says.
    assert!(corpus.about.frame.len() >= 9, "{:?}", corpus.about.frame);
    assert_eq!(corpus.about.frame["accepted"] as usize, corpus.members.len());
    assert_eq!(verify(&corpus, || {}).unwrap(), []);

    let member = &corpus.members[0];
    assert_eq!(member.title, format!("Project \"{}\", a game", member.id));
    assert_eq!(member.source, format!("https://scratch.mit.edu/projects/{}", member.id));
    assert_eq!((member.licence.as_str(), member.author.len()), ("CC-BY-SA-2.0", 16));
    assert!(server.log().iter().all(|r| r.user_agent.starts_with("catherd/")));
}

#[test]
fn neither_faults_nor_threads_change_the_corpus() {
    let place = Place::new();
    let calm = serve(Population::new(5, 0));
    let one = Settings { connections: 1, ..hasty(&calm) };
    let corpus = whole(&ten(), &one, &place.at("calm"));
    assert_eq!(corpus.members.len(), 10);
    assert_eq!(calm.most_at_once(), 1);
    let expected = contents(&place.at("calm"));

    let wild = serve(Population::new(5, 300));
    let eight = Settings { connections: 8, retries: 8, ..hasty(&wild) };
    whole(&ten(), &eight, &place.at("wild"));
    assert_eq!(contents(&place.at("wild")), expected);
    assert!(wild.most_at_once() <= 8);
}

#[test]
fn a_sample_goes_on_from_wherever_it_was_cut_off() {
    let place = Place::new();
    let server = serve(Population::new(5, 100));
    let settings = hasty(&server);
    whole(&ten(), &settings, &place.at("undisturbed"));
    let expected = contents(&place.at("undisturbed"));

    // Called off again and again, each time with a few probes more.
    let folder = place.at("stopped");
    let mut rounds = 0;
    loop {
        let stop = AtomicBool::new(false);
        let mut probes = 0;
        let watch = |_: &Progress| {
            probes += 1;
            stop.store(probes > 3, Ordering::Relaxed);
        };
        rounds += 1;
        match sample(&ten(), &settings, &folder, &stop, watch).unwrap().0 {
            Ended::Stopped => assert!(!folder.join("corpus.toml").exists()),
            Ended::Whole(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(rounds > 3, "{rounds}");
    assert_eq!(contents(&folder), expected);

    // Killed while writing the log, at any byte: what follows is lost, archives are not.
    let log = fs::read(folder.join("probes.jsonl")).unwrap();
    for cut in [0, 1, 100, log.len() / 3, log.len() / 2, log.len() - 1] {
        for name in ["corpus.toml", "manifest.csv", "frame.csv"] {
            fs::remove_file(folder.join(name)).unwrap();
        }
        fs::write(folder.join("probes.jsonl"), &log[..cut]).unwrap();
        fs::create_dir_all(folder.join(".staging/projects")).unwrap();
        fs::write(folder.join(".staging/projects/half.sb3.0.part"), "PK").unwrap();
        whole(&ten(), &settings, &folder);
        assert_eq!(contents(&folder), expected, "cut at {cut}");
    }

    // Complete: nothing is asked again. Enlarged: the first ten stay.
    let asked = server.log().len();
    whole(&ten(), &settings, &folder);
    assert_eq!(server.log().len(), asked);
    let more = Request { count: Some(13), ..ten() };
    let larger = whole(&more, &settings, &folder);
    let first = Corpus::read(&place.at("undisturbed")).unwrap();
    assert_eq!(larger.members.len(), 13);
    assert_eq!(larger.members[..10], first.members);
    assert_eq!(verify(&larger, || {}).unwrap(), []);
    whole(&ten(), &settings, &folder);
    assert_eq!(contents(&folder), expected);
}

#[test]
fn an_accepted_project_without_its_archive_is_fetched_again() {
    let place = Place::new();
    let server = serve(Population::new(5, 0));
    let corpus = whole(&ten(), &hasty(&server), &place.at("a"));
    let expected = contents(&place.at("a"));
    fs::remove_file(corpus.project(corpus.members[3].sha256)).unwrap();
    whole(&ten(), &hasty(&server), &place.at("a"));
    assert_eq!(contents(&place.at("a")), expected);
}

#[test]
fn what_is_undecided_is_reported_asked_again_and_never_passed_over() {
    let place = Place::new();
    let server = serve(Population::new(5, 0));
    let corpus = whole(&ten(), &hasty(&server), &place.at("calm"));
    let expected = contents(&place.at("calm"));
    let victim: u64 = corpus.members[4].id.parse().unwrap();

    server.change(|population| {
        population.fixed.insert(victim, Outcome::Undecided);
    });
    let settings = Settings { retries: 2, ..hasty(&server) };
    let Ended::Undecided(ids) = run(&ten(), &settings, &place.at("ill")) else { panic!() };
    assert_eq!(ids.len(), 1);
    assert_eq!(ids[0].0, victim);
    assert!(ids[0].1.contains("500"), "{ids:?}");
    assert!(!place.at("ill/corpus.toml").exists());

    let resigned = Settings { give_up: true, ..settings.clone() };
    let Recipe::Sample { count, .. } = corpus.about.recipe else { panic!() };
    let given_up = whole(&ten(), &resigned, &place.at("resigned"));
    assert_eq!((given_up.members.len(), given_up.about.frame["undecided"]), (count, 1));
    assert!(compare(&corpus, &given_up).only_first.contains(&victim.to_string()));

    server.change(|population| population.fixed.clear());
    whole(&ten(), &settings, &place.at("ill"));
    assert_eq!(contents(&place.at("ill")), expected);
}

#[test]
fn a_network_that_is_gone_ends_the_command_and_not_the_sample() {
    let place = Place::new();
    let server = serve(Population::new(5, 0));
    let stop = AtomicBool::new(false);
    let watch = |progress: &Progress| stop.store(progress.accepted >= 5, Ordering::Relaxed);
    let early = sample(&ten(), &hasty(&server), &place.at("a"), &stop, watch).unwrap().0;
    assert!(matches!(early, Ended::Stopped));
    let mut gone = Settings { retries: 1, ..hasty(&server) };
    gone.addresses.api = "http://127.0.0.1:1".to_owned();
    let ended = run(&ten(), &gone, &place.at("a"));
    assert!(matches!(&ended, Ended::Unreachable(why) if why.contains("127.0.0.1:1")), "{ended:?}");
    let corpus = whole(&ten(), &hasty(&server), &place.at("a"));
    whole(&ten(), &hasty(&server), &place.at("b"));
    assert_eq!(contents(&place.at("a")), contents(&place.at("b")));
    assert_eq!(corpus.members.len(), 10);
}

#[test]
fn requests_keep_their_distance() {
    let place = Place::new();
    let server = serve(Population::new(5, 0));
    let settings = Settings { rate: 50.0, connections: 8, ..hasty(&server) };
    let request = Request { count: Some(3), ..ten() };
    let start = Instant::now();
    whole(&request, &settings, &place.at("a"));
    let requests = server.log().len() as u32;
    assert!(requests > 10);
    assert!(start.elapsed() >= Duration::from_millis(20) * (requests - 1), "{requests}");
}

#[test]
fn other_corpora_are_left_out_by_id_and_by_contents() {
    let place = Place::new();
    let server = serve(Population::new(5, 0));
    let first = whole(&ten(), &hasty(&server), &place.at("evaluation"));
    let others = Request { disjoint_from: vec![place.at("evaluation")], ..ten() };
    let tuning = whole(&others, &hasty(&server), &place.at("tuning"));
    assert_eq!(tuning.about.frame["excluded"], 10);
    let ids = |corpus: &Corpus| corpus.members.iter().map(|m| m.id.clone()).collect::<Vec<_>>();
    assert!(ids(&tuning).iter().all(|id| !ids(&first).contains(id)));

    let refused =
        sample(&ten(), &hasty(&server), &place.at("tuning"), &AtomicBool::new(false), |_| {});
    assert!(matches!(refused, Err(SampleError::Other { .. })), "{refused:?}");
}

#[test]
fn a_frozen_corpus_is_fetched_again_and_changes_are_told() {
    let place = Place::new();
    let server = serve(Population::new(5, 0));
    let original = whole(&ten(), &hasty(&server), &place.at("original"));
    export_frozen(&original, &place.at("frozen.csv")).unwrap();
    let listed = Request { ids: Ids::List(place.at("frozen.csv")), count: None, ..ten() };
    let again = whole(&listed, &hasty(&server), &place.at("again"));
    assert_eq!(again.about.digest, original.about.digest);
    assert!(compare(&original, &again).is_none());

    let text = fs::read_to_string(place.at("frozen.csv")).unwrap();
    let victim = original.members[7].sha256.to_string();
    fs::write(place.at("frozen.csv"), text.replace(&victim, &"0".repeat(64))).unwrap();
    let Ended::Short(changed) = run(&listed, &hasty(&server), &place.at("changed")) else {
        panic!()
    };
    assert_eq!((changed.members.len(), changed.about.frame["changed"]), (9, 1));

    // A ranked list may hold remixes.
    let population = Population::new(5, 0);
    let remix = IDS.clone().find(|&id| population.truth(id) == Outcome::Remix).unwrap();
    fs::write(place.at("ranked"), format!("# most loved\n{remix}\n")).unwrap();
    let ranked = Request { ids: Ids::List(place.at("ranked")), ..listed };
    assert_eq!(whole(&ranked, &hasty(&server), &place.at("top")).members.len(), 1);
    for (text, fault) in [("x1\n", "no project id"), ("5\n5\n", "twice"), ("#\n", "no ids")] {
        fs::write(place.at("bad"), text).unwrap();
        let bad = Request { ids: Ids::List(place.at("bad")), ..ten() };
        let error = sample(&bad, &hasty(&server), &place.at("c"), &AtomicBool::new(false), |_| {});
        assert!(error.unwrap_err().to_string().contains(fault));
    }
}

#[test]
fn a_folder_that_refuses_is_an_error_and_the_sample_goes_on_after_it() {
    let place = Place::new();
    let server = serve(Population::new(5, 0));
    let folder = place.at("a");
    let refuse = |progress: &Progress| {
        // In the way of every archive, as a full disk is.
        if progress.accepted == 5 {
            let _ = fs::rename(folder.join(".staging/projects"), folder.join(".staging/kept"));
        }
    };
    let stop = AtomicBool::new(false);
    let error = sample(&ten(), &hasty(&server), &folder, &stop, refuse).unwrap_err();
    assert!(error.to_string().contains(".staging/projects/"), "{error}");
    fs::rename(folder.join(".staging/kept"), folder.join(".staging/projects")).unwrap();
    whole(&ten(), &hasty(&server), &folder);
    whole(&ten(), &hasty(&server), &place.at("b"));
    assert_eq!(contents(&folder), contents(&place.at("b")));
}
