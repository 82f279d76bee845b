//! A store that fails: before it writes, or afterwards, when nobody knows that it has written.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use catherd_coordinator::store::{Change, TransactionObserver};
use catherd_coordinator::{Options, Progress, StoreError};
use catherd_proto::v1;
use catherd_proto::v1::verdict::Kind;
use tonic::Code;

use super::{Bench, commit_of, done, options, plan};

/// How many transactions fail yet, on either side.
#[derive(Debug, Default)]
struct Failures {
    before: AtomicU32,
    after: AtomicU32,
}

impl TransactionObserver for Failures {
    fn before(&self, _: &[Change]) -> Result<(), StoreError> {
        fail(&self.before)
    }

    fn after(&self, _: &[Change]) -> Result<(), StoreError> {
        fail(&self.after)
    }
}

fn fail(left: &AtomicU32) -> Result<(), StoreError> {
    let one_less = |left: u32| left.checked_sub(1);
    match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) {
        Ok(_) => Err(StoreError::Runtime(io::Error::other("rehearsing a failure"))),
        Err(_) => Ok(()),
    }
}

async fn bench(folder: &Path) -> Option<(Bench, Arc<Failures>)> {
    let failures = Arc::new(Failures::default());
    let options = Options { observer: Some(failures.clone()), ..options(folder)? };
    Some((Bench::open(options, plan(1..=1)).await, failures))
}

async fn refused(bench: &mut Bench, lease: Option<&v1::Lease>) {
    let code = match lease {
        Some(lease) => bench.client.commit(commit_of(lease)).await.unwrap_err().code(),
        None => {
            let request = v1::LeaseRequest { worker: "w".into(), ..Default::default() };
            bench.client.lease(request).await.unwrap_err().code()
        }
    };
    assert_eq!(code, Code::Unavailable, "which workers repeat");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_store_wrote_before_it_failed_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let Some((mut bench, failures)) = bench(folder.path()).await else { return };

    failures.after.store(1, Ordering::Relaxed);
    refused(&mut bench, None).await;
    // The run is leased, and the worker never heard of it.
    let lease = bench.lease("w", &[]).await.leases.remove(0);
    assert_eq!((lease.attempt, lease.token), (2, 2));

    failures.after.store(1, Ordering::Relaxed);
    refused(&mut bench, Some(&lease)).await;
    assert_eq!(bench.commit("w", vec![done(&lease)]).await, [Kind::Repeated]);
    let progress = bench.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.planned, progress.mean_coverage), (1, 1, Some(0.5)));
    assert_eq!(bench.records().count(), 1);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_store_failed_to_write_did_not_happen() {
    let folder = tempfile::tempdir().unwrap();
    let Some((mut bench, failures)) = bench(folder.path()).await else { return };

    failures.before.store(3, Ordering::Relaxed);
    for _ in 0..3 {
        refused(&mut bench, None).await;
    }
    let lease = bench.lease("w", &[]).await.leases.remove(0);
    assert_eq!((lease.attempt, lease.token), (1, 1));

    failures.before.store(1, Ordering::Relaxed);
    refused(&mut bench, Some(&lease)).await;
    assert_eq!(bench.records().count(), 0);
    let last_error =
        bench.settled(|progress| progress.last_error.is_some()).await.last_error.unwrap();
    assert!(last_error.contains("rehearsing a failure"), "{last_error}");
    assert_eq!(bench.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    let progress = bench.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.last_error), (1, None));
    assert_eq!(bench.records().count(), 1);
    bench.close().await;
}
