//! Tests with a store that fails before it writes, or after it has written.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use catherd_coordinator::store::{StoreChange, TransactionObserver};
use catherd_coordinator::{CoordinatorOptions, Progress, StoreError};
use catherd_proto::v1;
use catherd_proto::v1::verdict::Kind;
use tonic::Code;

use super::harness::{Harness, commit_of, done, lease_request, options, plan};

/// The number of transactions that will fail before and after writing.
#[derive(Debug, Default)]
struct Failures {
    before: AtomicU32,
    after: AtomicU32,
}

impl TransactionObserver for Failures {
    fn before(&self, _: &[StoreChange]) -> Result<(), StoreError> {
        fail(&self.before)
    }

    fn after(&self, _: &[StoreChange]) -> Result<(), StoreError> {
        fail(&self.after)
    }
}

fn fail(left: &AtomicU32) -> Result<(), StoreError> {
    let one_less = |left: u32| left.checked_sub(1);
    match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) {
        Ok(_) => Err(StoreError::Runtime(io::Error::other("injected failure"))),
        Err(_) => Ok(()),
    }
}

async fn open(folder: &Path) -> (Harness, Arc<Failures>) {
    let failures = Arc::new(Failures::default());
    let options = CoordinatorOptions { observer: Some(failures.clone()), ..options(folder) };
    (Harness::open(options, plan(1..=1)).await, failures)
}

async fn refused(harness: &mut Harness, lease: Option<&v1::Lease>) {
    let code = match lease {
        Some(lease) => harness.client.commit(commit_of(lease)).await.unwrap_err().code(),
        None => harness.client.lease(lease_request("w")).await.unwrap_err().code(),
    };
    assert_eq!(code, Code::Unavailable, "workers repeat the request");
}

pub(crate) async fn changes_written_before_a_failure_count_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, failures) = open(folder.path()).await;

    failures.after.store(1, Ordering::Relaxed);
    refused(&mut harness, None).await;
    // The run was leased, but the worker did not receive the reply.
    let lease = harness.lease("w", &[]).await.leases.remove(0);
    assert_eq!((lease.attempt, lease.token), (2, 2));

    failures.after.store(1, Ordering::Relaxed);
    refused(&mut harness, Some(&lease)).await;
    assert_eq!(harness.commit("w", vec![done(&lease)]).await, [Kind::Repeated]);
    let progress = harness.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.planned, progress.mean_coverage), (1, 1, Some(0.5)));
    assert_eq!(harness.records().count(), 1);
    harness.close().await;
}

pub(crate) async fn changes_that_were_not_written_have_no_effect() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, failures) = open(folder.path()).await;

    failures.before.store(3, Ordering::Relaxed);
    for _ in 0..3 {
        refused(&mut harness, None).await;
    }
    let lease = harness.lease("w", &[]).await.leases.remove(0);
    assert_eq!((lease.attempt, lease.token), (1, 1));

    failures.before.store(1, Ordering::Relaxed);
    refused(&mut harness, Some(&lease)).await;
    assert_eq!(harness.records().count(), 0);
    let last_error =
        harness.settled(|progress| progress.last_error.is_some()).await.last_error.unwrap();
    assert!(last_error.contains("injected failure"), "{last_error}");
    assert_eq!(harness.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    let progress = harness.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.last_error), (1, None));
    assert_eq!(harness.records().count(), 1);
    harness.close().await;
}
