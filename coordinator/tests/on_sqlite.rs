//! Tests the coordinator on an SQLite file.

mod service;

service::service_tests! {}

mod database {
    use std::path::Path;

    use catherd_coordinator::StoreUrl;

    pub(crate) fn create(folder: &Path) -> StoreUrl {
        StoreUrl::Sqlite(folder.join("study.db"))
    }

    pub(crate) async fn execute(url: &StoreUrl, sql: &str) {
        let StoreUrl::Sqlite(path) = url else { panic!("{url} is not a file") };
        rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
    }

    /// SQL that makes the store refuse records, and SQL that makes the store accept them again.
    pub(crate) const REFUSE: (&str, &str) = (
        "create trigger full before insert on records
         begin select raise(abort, 'disk is full'); end",
        "drop trigger full",
    );
}
