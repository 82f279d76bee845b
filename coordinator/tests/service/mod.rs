//! Tests the coordinator through its gRPC services, with a real client on loopback. The tests are
//! the same for both databases: each test program declares them with `service_tests!`, and its
//! module `database` creates the databases.

use std::time::Instant;

use catherd_coordinator::store::Store;
use catherd_coordinator::{
    Coordinator, CoordinatorError, Policy, Progress, StoreError, StudyState,
};
use catherd_experiments::{Digest, RunOutcome, RunSpec};
use catherd_proto::v1::verdict::Kind;
use catherd_proto::v1::{self, completion::End};
use tokio::net::TcpListener;
use tonic_health::pb::health_check_response::ServingStatus;

use crate::database;
pub(crate) use harness::{Harness, commit_of, lease_request, plan};
use harness::{PROJECT, again, done, manual, options, record};

pub(crate) mod bounds;
pub(crate) mod faults;
mod harness;

/// Declares the tests of this module with the given attributes.
macro_rules! service_tests {
    (@all $attributes:tt $($test:ident $(:: $name:ident)?,)*) => {
        $($crate::service::service_tests! { @one $attributes $test $(:: $name)? })*
    };
    (@one [$($attribute:tt)*] $module:ident :: $name:ident) => {
        $($attribute)*
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            service::$module::$name().await;
        }
    };
    (@one [$($attribute:tt)*] $name:ident) => {
        $($attribute)*
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            service::$name().await;
        }
    };
    ($($attribute:tt)*) => {
        $crate::service::service_tests! { @all [$($attribute)*]
            an_expired_lease_returns_its_run_and_its_late_commit_does_not_count,
            heartbeats_renew_leases,
            a_study_continues_after_a_restart,
            errors_in_records_end_a_run_and_crashes_are_retried,
            malformed_requests_are_refused_and_change_nothing,
            projects_are_streamed_by_digest,
            watching_the_status_ends_with_the_study,
            studies_share_common_runs,
            a_study_changes_with_its_last_page,
            a_store_that_fails_loses_nothing,
            bounds::a_plan_out_of_bounds_is_refused_by_field,
            bounds::a_large_study_does_not_delay_a_small_one,
            bounds::a_study_is_cancelled_and_deleted_while_it_is_being_planned,
            bounds::results_of_a_study_that_changes_end_with_an_error,
            bounds::uploads_are_bounded_in_all,
            bounds::only_its_holder_ends_a_lease,
            bounds::an_implausible_record_is_refused,
            bounds::reasons_and_rates_are_bounded,
            bounds::a_run_waits_for_a_worker_that_executes_it,
            bounds::the_work_of_a_request_is_bounded,
            bounds::results_continue_after_a_cursor,
            bounds::claims_and_rules_are_kept,
            nothing_is_served_beyond_loopback,
            commits_share_transactions,
            faults::changes_written_before_a_failure_count_once,
            faults::changes_that_were_not_written_have_no_effect,
        }
    };
}
pub(crate) use service_tests;

pub(crate) async fn an_expired_lease_returns_its_run_and_its_late_commit_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let (options, clock) = manual(options);
    let mut harness = Harness::open(options, plan(1..=1)).await;

    let zombie = harness.lease("zombie", &[]).await.leases.remove(0);
    assert_eq!((zombie.attempt, harness.lease("other", &[]).await.leases.len()), (1, 0));
    harness.settled(|progress| progress.leased == 1).await;
    clock.advance(Policy::default().term);
    harness.settled(|progress| progress.pending == 1).await;

    let second = harness.lease("other", &[]).await.leases.remove(0);
    assert_eq!((second.run, second.attempt), (zombie.run, 2));
    assert!(second.token > zombie.token);
    let late = v1::HeartbeatRequest {
        worker: "zombie".into(),
        held: vec![v1::HeldLease { token: zombie.token, progress: None }],
    };
    let reply = harness.client.heartbeat(late).await.unwrap().into_inner();
    assert_eq!(reply.drop, [zombie.token]);

    assert_eq!(harness.commit("zombie", vec![done(&zombie)]).await, [Kind::Superseded]);
    assert_eq!(harness.records().count(), 0);
    assert_eq!(harness.commit("other", vec![done(&second)]).await, [Kind::Accepted]);
    assert_eq!(harness.commit("other", vec![done(&second)]).await, [Kind::Repeated]);
    assert_eq!(harness.commit("zombie", vec![done(&zombie)]).await, [Kind::Superseded]);

    let progress = harness.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.planned), (1, 1));
    assert_eq!(progress.mean_coverage, Some(0.5));
    assert!(harness.lease("other", &[]).await.finished);
    assert_eq!(harness.records().count(), 1);
    harness.close().await;
}

pub(crate) async fn heartbeats_renew_leases() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let (options, clock) = manual(options);
    let mut harness = Harness::open(options, plan(1..=1)).await;
    let lease = harness.lease("w", &[]).await.leases.remove(0);
    for covered in 1..=4 {
        clock.advance(Policy::default().term / 2);
        let work = [("executions".to_owned(), 9), ("steps".to_owned(), 90)].into();
        let progress = Some(v1::RunProgress { work, covered, goals: 7 });
        let beat = v1::HeartbeatRequest {
            worker: "w".into(),
            held: vec![v1::HeldLease { token: lease.token, progress }],
        };
        assert!(harness.client.heartbeat(beat).await.unwrap().into_inner().drop.is_empty());
    }
    let shown = |progress: &Progress| progress.executing.first().map(|run| run.progress.covered);
    let progress = harness.settled(|progress| shown(progress) == Some(4)).await;
    assert_eq!(
        (progress.executing[0].run, progress.executing[0].worker.as_str()),
        (lease.run, "w")
    );
    assert_eq!(harness.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    assert_eq!(harness.settled(Progress::is_finished).await.executing, []);
    harness.close().await;
}

pub(crate) async fn a_study_continues_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::open(again(&options), plan(1..=3)).await;
    let first = harness.lease("w", &[]).await.leases.remove(0);
    let accepted = harness.commit("w", vec![done(&first)]).await;
    assert_eq!(accepted, [Kind::Accepted]);
    let held = harness.lease("w", &[]).await.leases.remove(0);
    let busy = Coordinator::open_study(again(&options), plan(1..=3));
    let busy = busy.err().unwrap();
    assert!(
        matches!(
            busy,
            CoordinatorError::Busy { .. }
                | CoordinatorError::Store { cause: StoreError::LedByAnother, .. }
        ),
        "{busy}"
    );
    harness.close().await;

    // The lease of the earlier process is valid for one more term.
    let mut harness = Harness::open(again(&options), plan(1..=5)).await;
    let progress = harness.coordinator.progress();
    assert_eq!((progress.planned, progress.done, progress.leased), (5, 1, 1));
    assert_eq!(progress.mean_coverage, Some(0.5));
    assert_eq!(harness.commit("w", vec![done(&first)]).await, [Kind::Repeated]);
    assert_eq!(harness.commit("w", vec![done(&held)]).await, [Kind::Accepted]);
    let next = harness.lease("w", &[]).await.leases.remove(0);
    assert!(next.token > held.token);
    harness.close().await;

    // A smaller plan counts only its own runs, in its own order.
    let harness = Harness::open(again(&options), plan([2, 1])).await;
    assert_eq!(harness.coordinator.progress().planned, 2);
    let seeds: Vec<_> = harness.records().map(|record| record.unwrap().0.seed).collect();
    assert_eq!(seeds, [2, 1]);
    harness.close().await;
}

pub(crate) async fn errors_in_records_end_a_run_and_crashes_are_retried() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::open(again(&options), plan(1..=2)).await;

    let lease = harness.lease("w", &[]).await.leases.remove(0);
    let spec: RunSpec = lease.spec.as_ref().unwrap().read().unwrap();
    let failed = v1::Document::write(&record(&spec, RunOutcome::Failed)).unwrap();
    let end = Some(End::Record(failed));
    let failed = v1::Completion { run: lease.run, token: lease.token, end };
    assert_eq!(harness.commit("w", vec![failed]).await, [Kind::Accepted]);

    for (attempt, worker) in [(1, "w"), (2, "w"), (3, "x")] {
        let lease = harness.lease(worker, &[]).await.leases.remove(0);
        assert_eq!(lease.attempt, attempt);
        let end = Some(End::Crash(format!("panicked in attempt {attempt}")));
        let crash = v1::Completion { run: lease.run, token: lease.token, end };
        assert_eq!(harness.commit(worker, vec![crash]).await, [Kind::Accepted]);
    }
    let progress = harness.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.failed, progress.quarantined), (0, 1, 1));
    assert_eq!(progress.mean_coverage, None);
    let quarantined = harness.coordinator.quarantined(harness.study()).unwrap();
    assert_eq!(quarantined[0].attempts, 3);
    assert_eq!(quarantined[0].reason, "panicked in attempt 3");
    harness.close().await;
}

pub(crate) async fn malformed_requests_are_refused_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::open(again(&options), plan(1..=2)).await;
    let lease = harness.lease("w", &[]).await.leases.remove(0);

    let good = done(&lease);
    let document = |json: &'static str| v1::Document { version: 1, json: json.into() };
    let malformed = vec![
        v1::Completion { run: 99, ..good.clone() },
        v1::Completion { run: lease.run + 1, ..good.clone() },
        v1::Completion { token: 99, end: Some(End::Record(document("{}"))), ..good.clone() },
        v1::Completion { end: None, ..good.clone() },
        good,
    ];
    let verdicts = harness.commit("w", malformed).await;
    assert_eq!(verdicts[..4], [Kind::Refused; 4]);
    assert_eq!(verdicts[4], Kind::Accepted);
    let nameless = lease_request("a\nb");
    let refusal = harness.client.lease(nameless).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::InvalidArgument);
    harness.close().await;
}

pub(crate) async fn projects_are_streamed_by_digest() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::open(again(&options), plan(1..=1)).await;
    let large: Vec<u8> = (0..1_000_000_u32).map(|i| (i * 31) as u8).collect();
    let digest = harness.coordinator.projects().insert(&large).unwrap();
    let fetch = |digest: Digest| v1::FetchProjectRequest { digest: digest.0.to_vec().into() };

    let mut stream = harness.client.fetch_project(fetch(digest)).await.unwrap().into_inner();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.message().await.unwrap() {
        assert_eq!(chunk.size, large.len() as u64);
        bytes.extend_from_slice(&chunk.data);
    }
    assert_eq!(Digest::of(&bytes), digest);

    let stream = harness.client.fetch_project(fetch(Digest::of(b"other"))).await;
    let refusal = stream.unwrap().into_inner().message().await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::NotFound);
    harness.close().await;
}

pub(crate) async fn watching_the_status_ends_with_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::open(again(&options), plan(1..=1)).await;
    let request = v1::WatchRequest { interval_ms: 100 };
    let mut watch = harness.studies.watch(request).await.unwrap().into_inner();
    let first = watch.message().await.unwrap().unwrap();
    assert_eq!((first.planned, first.pending), (1, 1));
    let lease = harness.lease("w", &[]).await.leases.remove(0);
    harness.commit("w", vec![done(&lease)]).await;
    let mut last = first;
    while let Some(status) = watch.message().await.unwrap() {
        last = status;
    }
    assert_eq!((last.done, last.pending, last.mean_coverage), (1, 0, Some(0.5)));
    harness.close().await;
}

/// Common runs are executed once, and each study has its own names, order and state.
pub(crate) async fn studies_share_common_runs() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let coordinator = Coordinator::open(again(&options)).unwrap();
    coordinator.projects().insert(PROJECT).unwrap();
    let mut harness = Harness::serve(coordinator).await;
    harness.coordinator.submit(plan([1, 2])).await.unwrap();
    let mut other = plan([3, 2]);
    other.name = "other".into();
    other.projects[0].name = "q".into();
    harness.coordinator.submit(other).await.unwrap();

    let progress = harness.settled(|progress| progress.studies.len() == 2).await;
    assert_eq!((progress.planned, progress.studies[1].counts.planned()), (3, 2));
    assert!(harness.coordinator.set_state("other", StudyState::Paused).await.unwrap());
    assert!(!harness.coordinator.set_state("third", StudyState::Paused).await.unwrap());
    for _ in 0..2 {
        let lease = harness.lease("w", &[]).await.leases.remove(0);
        assert_eq!(harness.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    }
    let progress = harness.settled(Progress::is_finished).await;
    assert_eq!((progress.planned, progress.done), (2, 2));
    assert_eq!(progress.studies[1].mean_coverage, Some(0.5));

    assert!(harness.coordinator.set_state("other", StudyState::Active).await.unwrap());
    let lease = harness.lease("w", &[]).await.leases.remove(0);
    assert_eq!(harness.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    harness.settled(|progress| progress.done == 3).await;
    let other = harness.coordinator.study("other").unwrap();
    let runs = harness.coordinator.records(other).unwrap().map(|record| record.unwrap().0);
    let runs: Vec<_> = runs.map(|spec| (spec.project_name, spec.seed)).collect();
    assert_eq!(runs, [("q".to_owned(), 3), ("q".to_owned(), 2)]);
    harness.close().await;
}

/// The study is unchanged until its last page is planned, even if that never happens.
pub(crate) async fn a_study_changes_with_its_last_page() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut store = Store::open(&options.store).unwrap();
    store.plan(plan(1..=2)).unwrap();
    let members = |store: &mut Store| {
        let mut runs = Vec::new();
        store.members(|run, _| runs.push(run)).unwrap();
        runs
    };
    let mut planning = store.begin_planning(plan(2..=3000)).unwrap();
    let mut pages = 0;
    let active = StudyState::Active;
    while store.plan_next_page(&mut planning, active).unwrap().is_none() {
        pages += 1;
        assert_eq!((members(&mut store).len(), planning.progress().1), (2, 2999));
    }
    assert!(pages >= 2 && members(&mut store).len() == 2999);
    let mut dropped = store.begin_planning(plan(1..=5000)).unwrap();
    assert!(store.plan_next_page(&mut dropped, active).unwrap().is_none());
    drop(store);

    let harness = Harness::serve(Coordinator::open(again(&options)).unwrap()).await;
    assert_eq!(harness.coordinator.progress().planned, 2999);
    let mut large = plan(1..=20_000);
    large.name = "large".into();
    let (mut client, submit) = (harness.client.clone(), harness.coordinator.submit(large));
    let served = async {
        let mut served = 0;
        while harness.coordinator.study("large").is_none() {
            client.lease(lease_request("w")).await.unwrap();
            served += 1;
        }
        served
    };
    let (study, served) = tokio::join!(submit, served);
    assert!(study.is_ok() && served >= 5, "{served} answers while a study was planned");
    assert_eq!(harness.coordinator.progress().study("large").unwrap().counts.planned(), 20_000);
    harness.close().await;
}

/// After a store has returned errors, for example because the disk was full, no data is lost.
pub(crate) async fn a_store_that_fails_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let mut harness = Harness::open(again(&options), plan(1..=2)).await;
    let lease = harness.lease("w", &[]).await.leases.remove(0);
    database::execute(&options.store, database::REFUSE.0).await;

    let refusal = harness.client.commit(commit_of(&lease)).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::Unavailable);
    let progress = harness.settled(|progress| progress.last_error.is_some()).await;
    let last_error = progress.last_error.unwrap();
    assert!(last_error.contains("disk is full"), "{last_error}");
    harness.expect_health(ServingStatus::NotServing).await;
    harness.settled(|progress| (progress.done, progress.leased) == (0, 1)).await;

    database::execute(&options.store, database::REFUSE.1).await;
    assert_eq!(harness.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    let next = harness.lease("w", &[]).await.leases.remove(0);
    assert_eq!(harness.commit("w", vec![done(&next)]).await, [Kind::Accepted]);
    let progress = harness.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.last_error), (2, None));
    harness.expect_health(ServingStatus::Serving).await;
    harness.close().await;
}

pub(crate) async fn nothing_is_served_beyond_loopback() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let coordinator = Coordinator::open_study(again(&options), plan(1..=1)).unwrap();
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let refusal = coordinator.serve(listener).await.unwrap_err().to_string();
    assert!(refusal.contains("only loopback is safe"), "{refusal}");
}

/// Workers commit at the same time, so commits can share transactions. Prints the rate.
pub(crate) async fn commits_share_transactions() {
    const RUNS: u64 = 4000;
    const WORKERS: usize = 8;
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let harness = Harness::open(again(&options), plan(1..=RUNS)).await;
    let start = Instant::now();
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..WORKERS {
        let mut client = harness.client.clone();
        workers.spawn(async move {
            let worker = format!("w{worker}");
            loop {
                let reply = client.lease(lease_request(&worker)).await.unwrap().into_inner();
                if reply.finished {
                    return;
                }
                let completions = reply.leases.iter().map(done).collect();
                let request = v1::CommitRequest { worker: worker.clone(), completions };
                client.commit(request).await.unwrap();
            }
        });
    }
    workers.join_all().await;
    let rate = RUNS as f64 / start.elapsed().as_secs_f64();
    #[expect(clippy::print_stdout, reason = "the measurement is the point")]
    {
        println!("{RUNS} runs leased and committed durably: {rate:.0} a second");
    }
    let progress = harness.coordinator.progress();
    assert_eq!((progress.done, progress.planned), (RUNS, RUNS));
    assert_eq!(harness.records().count() as u64, RUNS);
    harness.close().await;
}
