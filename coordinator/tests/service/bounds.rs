//! Tests of bounds on requests, changes to studies, and the choice of workers.

use catherd_coordinator::{
    Coordinator, PlanningRefused, Policy, Progress, StudyState, SubmitError,
};
use catherd_experiments::{Digest, Plan, RunOutcome, RunRecord, RunSpec, TimelinePoint};
use catherd_proto::transport::PROJECT_CHUNK;
use catherd_proto::v1::verdict::Kind;
use catherd_proto::v1::{self, completion::End};
use catherd_proto::{PROTOCOL, v1::Document};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use super::harness::{
    ENGINE, Harness, PROJECT, again, done, lease_request, manual, options, plan, record,
};
use crate::database;

async fn without_studies(folder: &std::path::Path) -> Harness {
    let coordinator = Coordinator::open(options(folder)).unwrap();
    coordinator.projects().insert(PROJECT).unwrap();
    Harness::serve(coordinator).await
}

fn named(name: &str, seeds: impl IntoIterator<Item = u64>) -> Plan {
    let mut plan = plan(seeds);
    plan.name = name.into();
    plan
}

fn submission(plan: &Plan, waiting: bool) -> v1::SubmitRequest {
    let plan = Some(Document::write(plan).unwrap());
    v1::SubmitRequest { plan, waiting, ..Default::default() }
}

pub(crate) async fn a_plan_out_of_bounds_is_refused_by_field() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = without_studies(folder.path()).await;
    let mut refused = async |plan: Plan, code: Code, expected: &str| {
        let refusal = harness.studies.submit(submission(&plan, false)).await.unwrap_err();
        assert_eq!(refusal.code(), code, "{refusal}");
        assert!(refusal.message().contains(expected), "{refusal}");
    };
    let invalid = Code::InvalidArgument;
    refused(named(&"x".repeat(1 << 20), [1]), invalid, "name: 1048576 bytes").await;
    refused(named("\u{1b}[2J", [1]), invalid, "name: has the character '\\u{1b}'").await;
    let mut none = plan([1]);
    none.budget.work.clear();
    refused(none, invalid, "budget: is empty; give at least one").await;
    let mut none = plan([1]);
    none.seeds.clear();
    refused(none, invalid, "seeds: is empty").await;
    let mut other = plan([1]);
    other.engine = "noop/2".to_owned();
    refused(other, Code::FailedPrecondition, "the plan was made for engine noop/2").await;
    let mut missing = plan([1]);
    missing.projects[0].digest = Digest([9; 32]);
    refused(missing, Code::Aborted, "was not uploaded").await;

    // The total size of the projects is too large.
    database::execute(harness.coordinator.url(), "update projects set size = 99999999999").await;
    refused(plan([1]), Code::OutOfRange, "divide the study into several").await;
    assert!(harness.coordinator.progress().studies.is_empty());
    harness.close().await;
}

pub(crate) async fn a_large_study_does_not_delay_a_small_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = without_studies(folder.path()).await;
    let large = named("large", 1..=1_000_000);
    let mut client = harness.studies.clone();
    let submitted = tokio::spawn(async move { client.submit(submission(&large, false)).await });
    let planned = |progress: &Progress| progress.planning.iter().any(|one| one.planned > 0);
    harness.settled(planned).await;

    harness.coordinator.submit(named("small", 1..=2)).await.unwrap();
    for _ in 0..2 {
        let lease = harness.lease("w", &[]).await.leases.remove(0);
        assert_eq!(harness.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    }
    let finished = |progress: &Progress| {
        progress.study("small").is_some_and(|study| study.counts.is_finished())
    };
    let progress = harness.settled(finished).await;
    assert!(progress.study("large").is_none());
    let [planning] = &progress.planning[..] else { panic!("{:?}", progress.planning) };
    assert!(planning.total == 1_000_000 && planning.planned < 500_000, "{planning:?}");

    assert!(harness.coordinator.delete("large").await.unwrap());
    // The reply may have been sent before the study was deleted.
    match submitted.await.unwrap() {
        Ok(reply) => assert!(reply.into_inner().unplanned > 0),
        Err(status) => assert_eq!(status.code(), Code::Aborted, "{status}"),
    }
    harness.close().await;
}

pub(crate) async fn a_study_is_cancelled_and_deleted_while_it_is_being_planned() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = without_studies(folder.path()).await;
    harness.coordinator.submit(named("games", 1..=3)).await.unwrap();
    let huge = named("games", 1..=200_000);
    let state =
        |state: v1::StudyState| v1::SetStateRequest { study: "games".into(), state: state.into() };
    for delete in [false, true] {
        let (coordinator, mut studies) = (&harness.coordinator, harness.studies.clone());
        let mut watch = coordinator.watch();
        let end = async {
            watch.wait_for(|progress| !progress.planning.is_empty()).await.unwrap();
            match delete {
                false => studies.set_state(state(v1::StudyState::Cancelled)).await.map(drop),
                true => {
                    let request = v1::DeleteRequest { study: "games".into() };
                    studies.delete(request).await.map(drop)
                }
            }
        };
        let (submitted, ended) = tokio::join!(coordinator.submit(huge.clone()), end);
        ended.unwrap();
        let refused = submitted.unwrap_err();
        assert!(matches!(refused, SubmitError::Refused(PlanningRefused::Ended)), "{refused}");
        let progress = harness.settled(|progress| progress.planning.is_empty()).await;
        // A client that waits for the planning is told that the planning has ended, and does not
        // start the planning again.
        let refusal = harness.studies.submit(submission(&huge, true)).await.unwrap_err();
        assert_eq!(refusal.code(), Code::Aborted, "{refusal}");
        match delete {
            // The results of the earlier study are not lost.
            false => {
                let study = progress.study("games").unwrap();
                assert_eq!(study.state, StudyState::Cancelled);
                assert_eq!(study.counts.planned(), 3);
                harness.studies.set_state(state(v1::StudyState::Active)).await.unwrap();
            }
            true => assert!(progress.studies.is_empty()),
        }
    }
    let refusal = harness.studies.delete(v1::DeleteRequest { study: "games".into() }).await;
    assert_eq!(refusal.unwrap_err().code(), Code::NotFound);
    // The study can be submitted again, and paused while it is being planned.
    let again = named("games", 1..=10_000);
    let paused = async {
        let mut watch = harness.coordinator.watch();
        watch.wait_for(|progress| !progress.planning.is_empty()).await.unwrap();
        harness.coordinator.set_state("games", StudyState::Paused).await
    };
    let (submitted, paused) = tokio::join!(harness.coordinator.submit(again), paused);
    assert!(submitted.is_ok() && paused.unwrap());
    let progress = harness.settled(|progress| progress.study("games").is_some()).await;
    assert_eq!(progress.study("games").unwrap().state, StudyState::Paused);
    harness.close().await;
}

pub(crate) async fn results_of_a_study_that_changes_end_with_an_error() {
    const RUNS: u64 = 400;
    let folder = tempfile::tempdir().unwrap();
    let mut harness = without_studies(folder.path()).await;
    harness.coordinator.submit(named("games", 1..=RUNS)).await.unwrap();
    let mut accepted = 0;
    while accepted < RUNS {
        let leases = harness.lease("w", &[]).await.leases;
        let completions = leases.iter().map(|lease| {
            let spec: RunSpec = lease.spec.as_ref().unwrap().read().unwrap();
            let mut record = record(&spec, RunOutcome::Done);
            // The results must be larger than the buffers of connections and channels.
            record.artifacts = [("suite.txt".to_owned(), "x".repeat(10_000))].into();
            v1::Completion {
                end: Some(End::Record(Document::write(&record).unwrap())),
                ..done(lease)
            }
        });
        accepted += harness.commit("w", completions.collect()).await.len() as u64;
    }
    let request = v1::ResultsRequest { study: "games".into(), ..Default::default() };
    let mut results = harness.studies.results(request.clone()).await.unwrap().into_inner();
    assert!(results.message().await.unwrap().is_some());
    harness.coordinator.submit(named("games", 2..=RUNS)).await.unwrap();
    let refusal = loop {
        match results.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the results of a study that was replaced look complete"),
            Err(refusal) => break refusal,
        }
    };
    assert_eq!(refusal.code(), Code::Aborted, "{refusal}");
    let mut results = harness.studies.results(request).await.unwrap().into_inner();
    let mut count = 0;
    while results.message().await.unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, RUNS - 1);
    harness.close().await;
}

pub(crate) async fn uploads_are_bounded_in_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = without_studies(folder.path()).await;
    // Two uploads announce 480 MiB in total and then stall.
    let stalled = [300_u64 << 20, 180 << 20].map(|size| {
        let (sender, receiver) = mpsc::channel(1);
        sender.try_send(v1::ProjectChunk { size, data: vec![0].into() }).unwrap();
        let mut client = harness.studies.clone();
        let upload = async move { client.put_project(ReceiverStream::new(receiver)).await };
        (sender, tokio::spawn(upload))
    });
    let upload = |size: usize| {
        let chunks = vec![7; size];
        let chunk =
            move |data: &[u8]| v1::ProjectChunk { size: size as u64, data: data.to_vec().into() };
        tokio_stream::iter(chunks.chunks(PROJECT_CHUNK).map(chunk).collect::<Vec<_>>())
    };
    // A further upload is refused as soon as both have arrived at the coordinator.
    let refusal = loop {
        match harness.studies.put_project(upload(40 << 20)).await {
            Ok(_) => {}
            Err(refusal) => break refusal,
        }
    };
    assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal}");
    harness.studies.put_project(upload(1 << 20)).await.unwrap();
    for (sender, upload) in stalled {
        drop(sender);
        let _ = upload.await.unwrap();
    }
    harness.studies.put_project(upload(40 << 20)).await.unwrap();
    let chunks = [2, 3].map(|size| v1::ProjectChunk { size, data: vec![0].into() });
    let refusal = harness.studies.put_project(tokio_stream::iter(chunks)).await.unwrap_err();
    assert_eq!(refusal.code(), Code::InvalidArgument, "{refusal}");
    let size = u64::MAX;
    let huge = tokio_stream::iter([v1::ProjectChunk { size, data: vec![0].into() }]);
    let refusal = harness.studies.put_project(huge).await.unwrap_err();
    assert_eq!(refusal.code(), Code::OutOfRange, "{refusal}");
    harness.close().await;
}

pub(crate) async fn only_its_holder_ends_a_lease() {
    let folder = tempfile::tempdir().unwrap();
    let (options, clock) = manual(options(folder.path()));
    let mut harness = Harness::open(options, plan(1..=1)).await;
    let lease = harness.lease("holder", &[]).await.leases.remove(0);
    let with = |end: End| v1::Completion { end: Some(end), ..done(&lease) };
    let ends = || {
        let crash = with(End::Crash("it was not me".into()));
        vec![done(&lease), crash, with(End::Returned(v1::Returned {}))]
    };
    assert_eq!(harness.commit("stranger", ends()).await, [Kind::Refused; 3]);
    let progress = harness.coordinator.progress();
    assert_eq!((progress.done, harness.records().count()), (0, 0));
    let beat = v1::HeartbeatRequest {
        worker: "stranger".into(),
        held: vec![v1::HeldLease {
            token: lease.token,
            progress: Some(v1::RunProgress { covered: 1, goals: 1, ..Default::default() }),
        }],
    };
    let reply = harness.client.heartbeat(beat).await.unwrap().into_inner();
    assert_eq!(reply.drop, [lease.token], "the other worker does not hold it");

    // A stranger cannot renew the lease of another worker.
    clock.advance(Policy::default().term);
    let progress = harness.settled(|progress| progress.pending == 1).await;
    assert_eq!(progress.executing, []);
    assert_eq!(harness.commit("stranger", ends()).await, [Kind::Refused; 3]);
    assert_eq!(harness.commit("holder", vec![done(&lease)]).await, [Kind::Accepted]);
    assert_eq!(harness.records().count(), 1);
    harness.close().await;
}

pub(crate) async fn an_implausible_record_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = Harness::open(options(folder.path()), plan(1..=1)).await;
    let bad: [fn(&mut RunRecord); 6] = [
        |record| record.criteria[0].covered = (0..31).collect(),
        |record| {
            record.timeline = vec![TimelinePoint { work: vec![1], wall_ms: 1, covered: 31 }];
        },
        |record| record.criteria[0].name = "branches".into(),
        |record| record.resources.wall_ms = u64::MAX,
        |record| record.reason = "x".repeat(1 << 20),
        |record| _ = record.artifacts.insert("../suite".into(), "x".into()),
    ];
    // The attempt counts as a crash, so the run is not repeated forever.
    for (attempt, change) in (1..).zip(bad) {
        let lease = harness.lease("w", &[]).await.leases.remove(0);
        assert_eq!(lease.attempt, attempt);
        let spec: RunSpec = lease.spec.as_ref().unwrap().read().unwrap();
        let mut record = record(&spec, RunOutcome::Done);
        change(&mut record);
        let end = Some(End::Record(Document::write(&record).unwrap()));
        let completion = v1::Completion { run: lease.run, token: lease.token, end };
        assert_eq!(harness.commit("w", vec![completion]).await, [Kind::Refused], "{attempt}");
        assert_eq!(harness.records().count(), 0);
    }
    let progress = harness.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.quarantined, progress.mean_coverage), (0, 1, None));
    let quarantined = harness.coordinator.quarantined(harness.study()).unwrap();
    let reason = &quarantined[0].reason;
    assert!(reason.starts_with("the record was refused: artifacts: \"../suite\""), "{reason}");
    harness.close().await;
}

pub(crate) async fn reasons_and_rates_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let (options, clock) = manual(options(folder.path()));
    let mut harness = Harness::open(options, plan(1..=1)).await;
    for attempt in 1..=6 {
        let lease = harness.lease("w", &[]).await.leases.remove(0);
        assert_eq!(lease.attempt, attempt);
        let end = Some(End::Crash("no ".repeat(1 << 20)));
        let crash = v1::Completion { run: lease.run, token: lease.token, end };
        assert_eq!(harness.commit("w", vec![crash]).await, [Kind::Accepted]);
    }
    harness.settled(Progress::is_finished).await;
    let reason = harness.coordinator.quarantined(harness.study()).unwrap().remove(0).reason;
    assert!(reason.len() < 5000 && reason.ends_with(" more bytes)"), "{}", reason.len());

    let beat = || v1::HeartbeatRequest { worker: "w".into(), held: Vec::new() };
    let refusal = loop {
        match harness.client.heartbeat(beat()).await {
            Ok(_) => {}
            Err(refusal) => break refusal,
        }
    };
    assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal}");
    let other = v1::HeartbeatRequest { worker: "v".into(), held: Vec::new() };
    harness.client.heartbeat(other).await.unwrap();
    clock.advance(std::time::Duration::from_secs(1));
    harness.client.heartbeat(beat()).await.unwrap();

    let crash = |token| v1::Completion { run: 0, token, end: Some(End::Crash(String::new())) };
    let flood = |tokens: std::ops::Range<u64>| v1::CommitRequest {
        worker: "w".into(),
        completions: tokens.map(crash).collect(),
    };
    harness.client.commit(flood(100..1000)).await.unwrap();
    let refusal = harness.client.commit(flood(1000..2000)).await.unwrap_err();
    assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal}");
    harness.close().await;
}

pub(crate) async fn a_run_waits_for_a_worker_that_executes_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::serve(Coordinator::open(again(&options)).unwrap()).await;
    harness.coordinator.projects().insert(PROJECT).unwrap();
    let mut python = named("python", 1..=4);
    (python.subject, python.engine) = ("python".into(), "pynguin/1".into());
    harness.coordinator.submit(python).await.unwrap();
    harness.coordinator.submit(named("games", 1..=1)).await.unwrap();

    // A worker that names no kinds, such as a worker of an earlier version, would wait forever.
    let engines = Default::default();
    let old = v1::RegisterRequest {
        worker: "old".into(),
        protocol: PROTOCOL,
        engines,
        ..Default::default()
    };
    let refusal = harness.client.register(old.clone()).await.unwrap_err();
    assert_eq!(refusal.code(), Code::FailedPrecondition);
    assert!(refusal.message().contains("use the same catherd for both"), "{refusal}");
    // The coordinator supports the previous protocol, so it can be replaced while workers run.
    let engines = lease_request("v").engines;
    for (latest, oldest, is_known) in [
        (PROTOCOL - 2, 0, false),
        (PROTOCOL - 1, 0, true),
        (PROTOCOL - 1, PROTOCOL - 2, true),
        (PROTOCOL + 1, PROTOCOL, true),
        (PROTOCOL + 2, PROTOCOL + 1, false),
        (PROTOCOL + 1, 0, false),
    ] {
        let (protocol, engines) = (latest, engines.clone());
        let other =
            v1::RegisterRequest { protocol, oldest_protocol: oldest, engines, ..old.clone() };
        let answer = harness.client.register(other).await;
        assert_eq!(answer.is_ok(), is_known, "{latest} {oldest}");
        let Err(refusal) = answer else { continue };
        assert!(refusal.message().contains(&format!("has protocol {latest}")), "{refusal}");
    }
    let ask = v1::LeaseRequest { engines: Default::default(), ..lease_request("old") };
    assert_eq!(harness.client.lease(ask).await.unwrap_err().code(), Code::FailedPrecondition);

    let lease = harness.lease("scratchy", &[]).await.leases.remove(0);
    assert_eq!(harness.commit("scratchy", vec![done(&lease)]).await, [Kind::Accepted]);
    assert!(harness.lease("scratchy", &[]).await.leases.is_empty());
    // A different engine of the kind might produce different records.
    let with = |engine: &str| {
        let engines = [("python".to_owned(), engine.to_owned())];
        let noop = [("noop".to_owned(), ENGINE.to_owned())];
        let engines = engines.into_iter().chain(noop).collect();
        v1::LeaseRequest { engines, ..lease_request("snake") }
    };
    assert!(harness.client.lease(with("pynguin/2")).await.unwrap().into_inner().leases.is_empty());
    let progress = harness.settled(|progress| progress.workers.len() == 3).await;
    assert_eq!((progress.pending, progress.failed, progress.eta), (4, 0, None));
    let status = harness.studies.get_status(v1::StatusRequest {}).await.unwrap().into_inner();
    let [v1::Unserved { kind, engine, runs }] = &status.unserved[..] else { panic!("{status:?}") };
    assert_eq!((&**kind, &**engine, *runs), ("python", "pynguin/1", 4));

    // The kinds of runs are stored, so the next coordinator knows them.
    harness.close().await;
    let mut harness = Harness::serve(Coordinator::open(again(&options)).unwrap()).await;
    let progress = harness.settled(|progress| !progress.unserved.is_empty()).await;
    assert_eq!((progress.unserved[0].runs, &*progress.unserved[0].kind), (4, "python"));
    assert!(harness.lease("scratchy", &[]).await.leases.is_empty());
    let leases = harness.client.lease(with("pynguin/1")).await.unwrap().into_inner().leases;
    assert!(!leases.is_empty());
    harness.settled(|progress| progress.unserved.is_empty()).await;
    harness.close().await;
}

/// The work of a request is bounded, so heartbeats are answered in the meantime.
pub(crate) async fn the_work_of_a_request_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = Harness::open(options(folder.path()), plan(1..=1)).await;
    let lease = harness.lease("w", &[]).await.leases.remove(0);
    let end = Some(End::Returned(v1::Returned {}));
    let completion = v1::Completion { run: lease.run, token: lease.token, end };
    let commit = v1::CommitRequest { worker: "w".into(), completions: vec![completion; 300_000] };
    let digests = v1::ProjectDigests { digests: vec![vec![7; 32].into(); 200_000] };
    let held = vec![v1::HeldLease { token: 1, progress: None }; 100_000];
    let heartbeat = v1::HeartbeatRequest { worker: "w".into(), held };
    let wish = v1::LeaseRequest { held: (0..100_000).collect(), ..lease_request("w") };
    let start = std::time::Instant::now();
    let refusals = [
        harness.client.commit(commit).await.unwrap_err(),
        harness.studies.missing_projects(digests).await.unwrap_err(),
        harness.client.heartbeat(heartbeat).await.unwrap_err(),
        harness.client.lease(wish).await.unwrap_err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.code(), Code::InvalidArgument, "{refusal}");
        assert!(refusal.message().contains("a request has at most"), "{refusal}");
    }
    let beat = v1::HeartbeatRequest {
        worker: "w".into(),
        held: vec![v1::HeldLease { token: lease.token, progress: None }],
    };
    assert!(harness.client.heartbeat(beat).await.unwrap().into_inner().drop.is_empty());
    assert!(start.elapsed() < Policy::default().term, "{:?}", start.elapsed());

    let unknown = v1::SetStateRequest { study: "study".into(), state: 7 };
    let refusal = harness.studies.set_state(unknown).await.unwrap_err();
    assert_eq!(refusal.code(), Code::InvalidArgument, "{refusal}");
    assert!(refusal.message().contains("unknown state 7"), "{refusal}");
    assert_eq!(harness.coordinator.progress().studies[0].state, StudyState::Active);
    harness.close().await;
}

/// Fetching can be continued after any result.
pub(crate) async fn results_continue_after_a_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = Harness::open(options(folder.path()), plan(1..=6)).await;
    for number in 0.. {
        let Some(lease) = harness.lease("w", &[]).await.leases.into_iter().next() else { break };
        let end = match lease.run % 3 {
            0 => Some(End::Crash(format!("crash {number}"))),
            _ => done(&lease).end,
        };
        let completion = v1::Completion { run: lease.run, token: lease.token, end };
        assert_eq!(harness.commit("w", vec![completion]).await, [Kind::Accepted]);
    }
    let number = Some(harness.study());
    let mut fetch = async |after: u64, number: Option<u32>| {
        let request = v1::ResultsRequest { study: "study".into(), after, number };
        let mut stream = harness.studies.results(request).await?.into_inner();
        let mut results = Vec::new();
        while let Some(result) = stream.message().await? {
            results.push(result);
        }
        Ok::<_, tonic::Status>(results)
    };
    let all = fetch(0, number).await.unwrap();
    assert_eq!(all.len(), 6);
    for (position, result) in all.iter().enumerate() {
        assert!(position == 0 || result.cursor > all[position - 1].cursor);
        assert_eq!(fetch(result.cursor, number).await.unwrap(), all[position + 1..]);
    }
    let refusal = fetch(0, Some(99)).await.unwrap_err();
    assert_eq!(refusal.code(), Code::Aborted, "{refusal}");
    harness.close().await;
}

pub(crate) async fn claims_and_rules_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::serve(Coordinator::open(again(&options)).unwrap()).await;
    harness.coordinator.projects().insert(PROJECT).unwrap();
    let claim = v1::Claim { priority: Some(-3), share: Some(7), quota: Some(1) };
    let request =
        v1::SubmitRequest { claim: Some(claim), ..submission(&named("games", 1..=9), false) };
    harness.studies.submit(request).await.unwrap();
    let changed = |claim| v1::SetClaimRequest { study: "games".into(), claim: Some(claim) };
    let share = |share| changed(v1::Claim { share: Some(share), ..Default::default() });
    let refusal = harness.studies.set_claim(share(0)).await.unwrap_err();
    assert_eq!(refusal.code(), Code::InvalidArgument, "{refusal}");
    harness.studies.set_claim(share(5)).await.unwrap();
    let rule = |name: &str, rule: v1::WorkerRule| v1::SetWorkersRequest {
        name: name.into(),
        rule: rule.into(),
    };
    let lease =
        |name: &str, host: &str| v1::LeaseRequest { host: host.into(), ..lease_request(name) };
    assert_eq!(
        harness.client.lease(lease("one", "ant")).await.unwrap().into_inner().leases.len(),
        1
    );
    let told = harness.studies.set_workers(rule("ant", v1::WorkerRule::Drain)).await.unwrap();
    assert_eq!(told.into_inner().workers, ["one"]);
    harness.studies.set_workers(rule("three", v1::WorkerRule::Block)).await.unwrap();
    harness.close().await;

    // The next coordinator of the store knows the claim and the rules.
    let mut harness = Harness::serve(Coordinator::open(again(&options)).unwrap()).await;
    let progress = harness.settled(|progress| progress.study("games").is_some()).await;
    let claim = progress.study("games").unwrap().claim;
    assert_eq!((claim.priority, claim.share, claim.quota), (-3, 5, Some(1)));
    let beat = |worker: &str| v1::HeartbeatRequest { worker: worker.into(), held: Vec::new() };
    let leases = |reply: tonic::Response<v1::LeaseReply>| reply.into_inner().leases.len();
    assert_eq!(leases(harness.client.lease(lease("two", "ant")).await.unwrap()), 0);
    assert!(harness.client.heartbeat(beat("two")).await.unwrap().into_inner().drain);
    assert_eq!(leases(harness.client.lease(lease("three", "bee")).await.unwrap()), 0);
    assert!(!harness.client.heartbeat(beat("three")).await.unwrap().into_inner().drain);
    // The lease of the drained worker uses up the quota of the study.
    assert_eq!(leases(harness.client.lease(lease("four", "bee")).await.unwrap()), 0);
    let none = v1::Claim { quota: Some(0), ..Default::default() };
    harness.studies.set_claim(changed(none)).await.unwrap();
    assert_eq!(leases(harness.client.lease(lease("four", "bee")).await.unwrap()), 1);
    harness.studies.set_workers(rule("three", v1::WorkerRule::Admit)).await.unwrap();
    assert_eq!(leases(harness.client.lease(lease("three", "bee")).await.unwrap()), 1);
    harness.close().await;
}
