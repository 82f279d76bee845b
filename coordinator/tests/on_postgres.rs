//! Tests the coordinator on PostgreSQL. The tests need a server whose URL is in `CATHERD_POSTGRES`,
//! for example `postgres://user@localhost/postgres`. The user must be allowed to create databases.

mod service;

use std::time::{Duration, Instant};

use catherd_coordinator::{
    Coordinator, CoordinatorError, CoordinatorOptions, Policy, Progress, StoreError, Writer,
};
use catherd_proto::v1::verdict::Kind;

service::service_tests! { #[ignore = "needs PostgreSQL: set CATHERD_POSTGRES"] }

mod database {
    use std::path::Path;
    use std::sync::atomic::{AtomicU32, Ordering};

    use catherd_coordinator::StoreUrl;
    use tokio_postgres::NoTls;

    static NUMBER: AtomicU32 = AtomicU32::new(0);

    pub(crate) fn create(_: &Path) -> StoreUrl {
        let server = std::env::var("CATHERD_POSTGRES").expect("CATHERD_POSTGRES is set");
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("catherd_test_{}_{number}", std::process::id());
        let create = format!("create database {name}");
        let create = execute_on(server.clone(), create);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(create);
        })
        .join()
        .unwrap();
        let (address, _) = server.rsplit_once('/').unwrap();
        StoreUrl::Postgres(format!("{address}/{name}"))
    }

    pub(crate) async fn execute(url: &StoreUrl, sql: &str) {
        let StoreUrl::Postgres(address) = url else { panic!("{url} is not a server") };
        execute_on(address.clone(), sql.to_owned()).await;
    }

    async fn execute_on(server: String, sql: String) {
        let (client, connection) = tokio_postgres::connect(&server, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(&sql).await.unwrap();
    }

    /// SQL that makes the store refuse records, and SQL that makes the store accept them again.
    pub(crate) const REFUSE: (&str, &str) = (
        "create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'disk is full'; end $$;
         create trigger full_disk before insert on records
         for each row execute function refuse();",
        "drop trigger full_disk on records",
    );
}

/// When the leader's session ends, the other coordinator takes over with the same leases.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: set CATHERD_POSTGRES"]
async fn a_second_coordinator_stands_by_and_takes_over() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = database::create(first.path());
    let options = |folder: &std::path::Path, stand_by| CoordinatorOptions {
        store: url.clone(),
        stand_by,
        ..CoordinatorOptions::new(folder)
    };
    let mut leader =
        service::Harness::open(options(first.path(), false), service::plan(1..=2)).await;
    let lease = leader.lease("w", &[]).await.leases.remove(0);

    let refused = Coordinator::open(options(second.path(), false)).err();
    let led = |error| {
        matches!(error, Some(CoordinatorError::Store { cause: StoreError::LedByAnother, .. }))
    };
    assert!(led(refused));
    let standby = Coordinator::open(options(second.path(), true)).unwrap();
    let mut standby = service::Harness::serve(standby).await;
    let asked = service::commit_of(&lease);
    let refusal = standby.client.commit(asked.clone()).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::Unavailable);
    let last_error = standby.coordinator.progress().last_error.unwrap();
    assert!(last_error.contains("another coordinator leads"), "{last_error}");

    // As if the leader's computer had failed.
    database::execute(
        &url,
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
            (select oid from pg_database where datname = current_database())",
    )
    .await;
    leader.close().await;
    let progress = standby.settled(|progress: &Progress| progress.planned == 2).await;
    assert_eq!((progress.leased, progress.last_error), (1, None));
    assert_eq!(standby.commit("w", asked.completions).await, [Kind::Accepted]);
    tokio::time::sleep(Duration::from_millis(1)).await;
    standby.close().await;
}

/// Processes requests of the writer, as its thread would, until `asked` is answered.
async fn answered<T: Send + 'static>(
    writer: &mut Writer,
    asked: impl Future<Output = T> + Send + 'static,
) -> T {
    let asked = tokio::spawn(asked);
    while !asked.is_finished() {
        writer.process_pending();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    asked.await.unwrap()
}

/// A suspended coordinator keeps its session, but the session is silent.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: set CATHERD_POSTGRES"]
async fn a_suspended_leader_is_replaced_and_can_write_no_more() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = database::create(first.path());
    let term = Duration::from_secs(1);
    let options = |folder: &std::path::Path| CoordinatorOptions {
        store: url.clone(),
        stand_by: true,
        policy: Policy { term, ..Policy::default() },
        ..CoordinatorOptions::new(folder)
    };
    // The writer runs only when this test calls it, so the coordinator is suspended between two
    // calls.
    let (suspended, mut writer) =
        Coordinator::new_manual(options(first.path()), service::plan(1..=2)).unwrap();
    let mut suspended = service::Harness::serve(suspended).await;
    let mut client = suspended.client.clone();
    let ask = service::lease_request("w");
    let lease = answered(&mut writer, async move { client.lease(ask).await }).await;
    let lease = lease.unwrap().into_inner().leases.remove(0);

    let standby = Coordinator::open(options(second.path())).unwrap();
    let mut standby = service::Harness::serve(standby).await;
    let stands_by = |progress: &Progress| progress.last_error.is_some();
    assert!(stands_by(&standby.coordinator.progress()));
    // The coordinator leads while its session is not silent.
    let start = Instant::now();
    while start.elapsed() < 3 * term {
        assert!(writer.process_pending());
        assert!(stands_by(&standby.coordinator.progress()));
        tokio::time::sleep(term / 10).await;
    }
    let leads = |progress: &Progress| progress.planned == 2 && progress.last_error.is_none();
    standby.settled(leads).await;

    let mut client = suspended.client.clone();
    let asked = service::commit_of(&lease);
    let refused = answered(&mut writer, async move { client.commit(asked).await }).await;
    assert_eq!(refused.unwrap_err().code(), tonic::Code::Unavailable);
    let waiting = tokio::time::timeout(Duration::from_secs(30), async {
        let led = |last_error: &String| last_error.contains("another coordinator leads");
        while !suspended.coordinator.progress().last_error.as_ref().is_some_and(led) {
            writer.process_pending();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waiting.await.expect("the suspended coordinator stands by");
    assert_eq!(standby.coordinator.progress().done, 0);
    let lease = standby.lease("w", &[]).await.leases.remove(0);
    let accepted = standby.commit("w", service::commit_of(&lease).completions).await;
    assert_eq!(accepted, [Kind::Accepted]);
    standby.settled(|progress: &Progress| progress.done == 1).await;
    suspended.settled(stands_by).await;
    drop(writer);
    standby.close().await;
    suspended.close().await;
}
