//! The coordinator on PostgreSQL: the server that `CATHERD_POSTGRES` names (an address
//! such as `postgres://user@localhost/postgres`, of a user who may create databases).
//! Without the variable the tests reply_later so and are skipped.

mod service;

use std::time::{Duration, Instant};

use catherd_coordinator::{
    Coordinator, CoordinatorError, Options, Policy, Progress, StoreError, Writer,
};
use catherd_proto::v1;
use catherd_proto::v1::verdict::Kind;

/// Databases for the tests, one each.
mod database {
    use std::path::Path;
    use std::sync::atomic::{AtomicU32, Ordering};

    use catherd_coordinator::StoreUrl;
    use tokio_postgres::NoTls;

    static NUMBER: AtomicU32 = AtomicU32::new(0);

    pub(crate) fn create(_: &Path) -> Option<StoreUrl> {
        let Ok(server) = std::env::var("CATHERD_POSTGRES") else {
            let skipped = "skipped: CATHERD_POSTGRES names no server\n";
            std::io::Write::write_all(&mut std::io::stderr(), skipped.as_bytes()).unwrap();
            return None;
        };
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
        Some(StoreUrl::Postgres(format!("{address}/{name}")))
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

    /// Makes the store refuse records, and what ends that.
    pub(crate) const REFUSE: (&str, &str) = (
        "create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'disk is full'; end $$;
         create trigger full_disk before insert on records
         for each row execute function refuse();",
        "drop trigger full_disk on records",
    );
}

/// Of two coordinators on a database one leads. When its session ends, however that
/// happens, the other goes on with the same leases.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_coordinator_stands_by_and_takes_over() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(url) = database::create(first.path()) else { return };
    let options = |folder: &std::path::Path, stand_by| Options {
        store: url.clone(),
        stand_by,
        ..Options::new(folder)
    };
    let mut leader = service::Bench::open(options(first.path(), false), service::plan(1..=2)).await;
    let lease = leader.lease("w", &[]).await.leases.remove(0);

    let refused = Coordinator::open(options(second.path(), false)).err();
    let led = |error| {
        matches!(error, Some(CoordinatorError::Store { cause: StoreError::LedByAnother, .. }))
    };
    assert!(led(refused));
    let standby = Coordinator::open(options(second.path(), true)).unwrap();
    let mut standby = service::Bench::serve(standby).await;
    let asked = service::commit_of(&lease);
    let refusal = standby.client.commit(asked.clone()).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::Unavailable);
    let last_error = standby.coordinator.progress().last_error.unwrap();
    assert!(last_error.contains("another coordinator leads"), "{last_error}");

    // The server ends the leader's session, as it does when its machine dies.
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

/// Has a writer process_pending, as its thread would, until this has an answer.
async fn turned<T: Send + 'static>(
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

/// A coordinator that is stopped keeps its session, and is silent on it. When it goes on, the
/// store has another writer.
#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_stopped_is_succeeded_and_can_write_no_more() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(url) = database::create(first.path()) else { return };
    let term = Duration::from_secs(1);
    let options = |folder: &std::path::Path| Options {
        store: url.clone(),
        stand_by: true,
        policy: Policy { term, ..Policy::default() },
        ..Options::new(folder)
    };
    // Nobody but this test has its writer process_pending: between two turns it is stopped.
    let (stopped, mut writer) =
        Coordinator::new_manual(options(first.path()), service::plan(1..=2)).unwrap();
    let mut stopped = service::Bench::serve(stopped).await;
    let mut client = stopped.client.clone();
    let ask = v1::LeaseRequest { worker: "w".into(), ..Default::default() };
    let lease = turned(&mut writer, async move { client.lease(ask).await }).await;
    let lease = lease.unwrap().into_inner().leases.remove(0);

    let standby = Coordinator::open(options(second.path())).unwrap();
    let mut standby = service::Bench::serve(standby).await;
    let stands_by = |progress: &Progress| progress.last_error.is_some();
    assert!(stands_by(&standby.coordinator.progress()));
    // As long as it is heard of, it leads.
    let start = Instant::now();
    while start.elapsed() < 3 * term {
        assert!(writer.process_pending());
        assert!(stands_by(&standby.coordinator.progress()));
        tokio::time::sleep(term / 10).await;
    }
    let leads = |progress: &Progress| progress.planned == 2 && progress.last_error.is_none();
    standby.settled(leads).await;

    let mut client = stopped.client.clone();
    let asked = service::commit_of(&lease);
    let refused = turned(&mut writer, async move { client.commit(asked).await }).await;
    assert_eq!(refused.unwrap_err().code(), tonic::Code::Unavailable);
    let waiting = tokio::time::timeout(Duration::from_secs(5), async {
        let led = |last_error: &String| last_error.contains("another coordinator leads");
        while !stopped.coordinator.progress().last_error.as_ref().is_some_and(led) {
            writer.process_pending();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waiting.await.expect("it stands by");
    assert_eq!(standby.coordinator.progress().done, 0);
    let lease = standby.lease("w", &[]).await.leases.remove(0);
    let accepted = standby.commit("w", service::commit_of(&lease).completions).await;
    assert_eq!(accepted, [Kind::Accepted]);
    standby.settled(|progress: &Progress| progress.done == 1).await;
    stopped.settled(stands_by).await;
    drop(writer);
    standby.close().await;
    stopped.close().await;
}
