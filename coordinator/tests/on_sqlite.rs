//! The coordinator on an SQLite file.

mod service;

/// Databases for the tests.
mod database {
    use std::path::Path;

    use catherd_coordinator::Place;

    pub(crate) fn create(folder: &Path) -> Option<Place> {
        Some(Place::File(folder.join("study.db")))
    }

    pub(crate) async fn execute(place: &Place, sql: &str) {
        let Place::File(path) = place else { panic!("{place} is not a file") };
        rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
    }

    /// Makes the store refuse records, and what ends that.
    pub(crate) const REFUSE: (&str, &str) = (
        "create trigger full before insert on records
         begin select raise(abort, 'disk is full'); end",
        "drop trigger full",
    );
}
