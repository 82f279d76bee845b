//! The coordinator on PostgreSQL: the server that `CATHERD_POSTGRES` names (an address
//! such as `postgres://user@localhost/postgres`, of a user who may create databases).
//! Without the variable the tests say so and are skipped.

mod service;

use std::time::Duration;

use catherd_coordinator::{Coordinator, CoordinatorError, Options, Progress, StoreError};
use catherd_proto::v1::verdict::Kind;

/// Databases for the tests, one each.
mod database {
    use std::path::Path;
    use std::sync::atomic::{AtomicU32, Ordering};

    use catherd_coordinator::Place;
    use tokio_postgres::NoTls;

    static NUMBER: AtomicU32 = AtomicU32::new(0);

    pub(crate) fn create(_: &Path) -> Option<Place> {
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
        Some(Place::Server(format!("{address}/{name}")))
    }

    pub(crate) async fn execute(place: &Place, sql: &str) {
        let Place::Server(address) = place else { panic!("{place} is not a server") };
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
    let Some(place) = database::create(first.path()) else { return };
    let options = |folder: &std::path::Path, stand_by| Options {
        place: place.clone(),
        stand_by,
        ..Options::new(folder)
    };
    let mut leader = service::Bench::open(options(first.path(), false), service::plan(1..=2)).await;
    let lease = leader.lease("w", &[]).await.leases.remove(0);

    let refused = Coordinator::open(options(second.path(), false)).err();
    let led = |error| matches!(error, Some(CoordinatorError::Store { cause: StoreError::Led, .. }));
    assert!(led(refused));
    let standby = Coordinator::open(options(second.path(), true)).unwrap();
    let mut standby = service::Bench::serve(standby).await;
    let asked = service::commit_of(&lease);
    let refusal = standby.client.commit(asked.clone()).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::Unavailable);
    let trouble = standby.coordinator.progress().trouble.unwrap();
    assert!(trouble.contains("another coordinator leads"), "{trouble}");

    // The server ends the leader's session, as it does when its machine dies.
    database::execute(
        &place,
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
            (select oid from pg_database where datname = current_database())",
    )
    .await;
    leader.close().await;
    let progress = standby.settled(|progress: &Progress| progress.planned == 2).await;
    assert_eq!((progress.leased, progress.trouble), (1, None));
    assert_eq!(standby.commit("w", asked.completions).await, [Kind::Accepted]);
    tokio::time::sleep(Duration::from_millis(1)).await;
    standby.close().await;
}
