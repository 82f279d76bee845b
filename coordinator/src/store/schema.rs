//! The tables, and the migrations from older schema versions.

use super::database::Database;
use super::error::StoreError;
use super::row::Row;

/// The version of [`TABLES`] and [`PROJECTS`].
pub(super) const VERSION: i64 = 5;

pub(super) const OLDEST_READABLE: i64 = 3;

const TABLES: &str = "
    create table schema (version bigint not null);
    create table studies (
        number   bigint primary key,           -- from 0; a new one for each plan
        name     text not null unique,
        state    bigint not null,              -- see StudyState and NOT_COUNTING
        plan     bytea not null,               -- JSON
        description bytea,                     -- JSON, of its projects; null if unknown
        owner    text not null default '',     -- name of the person who submitted it
        priority bigint not null default 0,    -- see Claim
        share    bigint not null default 1,
        quota    bigint                        -- null: no limit
    );
    create table runs (
        number   bigint primary key,           -- from 0, never changes
        id       bytea not null unique,        -- digest of the specification
        project  bytea not null,
        label    text not null,                -- of the algorithm when it was first planned
        spec     bytea not null,               -- JSON
        phase    bigint not null,              -- see Phase
        attempt  bigint not null,
        crashes  bigint not null,
        losses   bigint not null,
        token    bigint not null,              -- of the latest lease
        worker   text                          -- that holds the lease
    );
    create table members (                     -- the runs of a study, in its order
        study    bigint not null references studies,
        position bigint not null,
        run      bigint not null references runs,
        project  text not null,                -- name in the tables of this study
        label    text not null,
        primary key (study, position)
    );
    create index members_of_run on members (run, study);
    create table records (                     -- accepted; one per run, never changed
        number   bigint primary key references runs,
        token    bigint not null,
        digest   bytea not null,
        goals    bigint not null,
        covered  bigint not null,
        done     bigint not null,              -- 1: coverage counts
        wall_ms  bigint not null,
        record   bytea not null,               -- JSON
        checksum bytea,                        -- of this row; null before version 4
        stored   bigint                        -- seconds since 1970; null before version 5
    );
    create table superseded (                  -- after the end of their lease; never counted
        number   bigint not null references runs,
        token    bigint not null,
        digest   bytea not null,
        record   bytea not null,
        primary key (number, token)
    );
    create table breakdowns (                  -- attempts without a record
        number   bigint not null references runs,
        attempt  bigint not null,
        kind     bigint not null,              -- see Breakdown
        worker   text not null,
        reason   text not null,
        checksum bytea,                        -- of this row; null before version 4
        primary key (number, attempt)
    );
    create table worker_rules (                -- what workers are told
        name     text primary key,             -- of a worker or of a host
        rule     bigint not null               -- see WorkerRule
    );
";

/// The tables that version 3 added.
const PROJECTS: &str = "
    create table projects (                    -- completely stored projects
        digest   bytea primary key,            -- of the bytes of all chunks
        size     bigint not null
    );
    create table parts (                       -- chunks; also of projects that are being stored
        project  bytea not null,
        part     bigint not null,              -- from 0
        bytes    bytea not null,
        primary key (project, part)
    );
";

/// The columns that version 4 added.
const CHECKSUMS: &str = "
    alter table studies add column description bytea;
    alter table records add column checksum bytea;
    alter table breakdowns add column checksum bytea;
";

/// The columns and the table that version 5 added.
const CLAIMS: &str = "
    alter table studies add column owner text not null default '';
    alter table studies add column priority bigint not null default 0;
    alter table studies add column share bigint not null default 1;
    alter table studies add column quota bigint;
    alter table records add column stored bigint;
    create table worker_rules (                -- what workers are told
        name     text primary key,             -- of a worker or of a host
        rule     bigint not null               -- see WorkerRule
    );
";

/// Version 1 existed only on SQLite: one study per file, with the plan's order of runs in the
/// column `position`.
const FROM_1: [&str; 4] = [
    "drop index plan;
     alter table runs rename to runs_1;
     alter table records rename to records_1;
     alter table superseded rename to superseded_1;
     alter table breakdowns rename to breakdowns_1;",
    TABLES,
    PROJECTS,
    "insert into studies (number, name, state, plan) values (0, 'study', 0, x'');
     insert into runs select number, id, project, label, spec, max(phase, 1), attempt, crashes,
                             losses, token, worker from runs_1;
     insert into members select 0, position, number, json_extract(cast(spec as text),
                             '$.project_name'), label from runs_1 where position is not null;
     insert into records select *, null, null from records_1;
     insert into superseded select * from superseded_1;
     insert into breakdowns select number, attempt, 0, worker, reason, null from breakdowns_1;
     drop table breakdowns_1; drop table superseded_1; drop table records_1; drop table runs_1;",
];

pub(super) fn migrate(database: &mut Database) -> Result<(), StoreError> {
    match version(database)? {
        Some(VERSION) => Ok(()),
        Some(1) => {
            // With foreign keys, references would be changed to the new names of renamed tables.
            database.batch("pragma foreign_keys = off; pragma legacy_alter_table = on;")?;
            database.transaction(|database| {
                FROM_1.iter().try_for_each(|step| database.batch(step))?;
                write_version(database)
            })?;
            database.batch("pragma legacy_alter_table = off; pragma foreign_keys = on;")
        }
        Some(found @ 2..VERSION) => database.transaction(|database| {
            for (added, tables) in [(3, PROJECTS), (4, CHECKSUMS), (5, CLAIMS)] {
                if found < added {
                    database.batch(tables)?;
                }
            }
            write_version(database)
        }),
        Some(found) => Err(StoreError::Schema { found, known: VERSION }),
        None => database.transaction(|database| {
            database.batch(TABLES)?;
            database.batch(PROJECTS)?;
            write_version(database)
        }),
    }
}

fn write_version(database: &mut Database) -> Result<(), StoreError> {
    database.batch("delete from schema")?;
    database.execute("insert into schema values (?1)", &[vec![VERSION.into()]])
}

pub(super) fn version(database: &mut Database) -> Result<Option<i64>, StoreError> {
    let tables = match database {
        Database::Sqlite(_) => "select name from sqlite_master where type = 'table'",
        #[cfg(feature = "postgres")]
        Database::Postgres(_) => {
            "select cast(tablename as text) from pg_tables where schemaname = current_schema()"
        }
    };
    let mut names = Vec::new();
    database.query(tables, &[], &mut |mut row| {
        names.push(row.text()?);
        Ok(())
    })?;
    let has = |name: &str| names.iter().any(|other| other == name);
    match (has("schema"), has("runs")) {
        (true, _) => database.first("select version from schema", &[], Row::integer),
        (false, true) => Ok(Some(1)),
        (false, false) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use catherd_experiments::{Algorithm, Budget, Digest, RunSpec};

    use crate::ledger::Phase;
    use crate::store::{Store, StoreReader, StoreUrl};

    const VERSION_1: &str = "
        create table runs (
            number integer primary key, id blob not null unique, position integer,
            project blob not null, label text not null, spec blob not null,
            phase integer not null default 1, attempt integer not null default 0,
            crashes integer not null default 0, losses integer not null default 0,
            token integer not null default 0, worker text
        );
        create index plan on runs (position) where position is not null;
        create table records (
            number integer primary key references runs, token integer not null,
            digest blob not null, goals integer not null, covered integer not null,
            done integer not null, wall_ms integer not null, record blob not null
        );
        create table superseded (
            number integer not null references runs, token integer not null,
            digest blob not null, record blob not null, primary key (number, token)
        );
        create table breakdowns (
            number integer not null references runs, attempt integer not null,
            worker text not null, reason text not null, primary key (number, attempt)
        );
        pragma user_version = 1;";

    #[test]
    fn a_store_of_version_1_keeps_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.db");
        let spec = RunSpec {
            project: Digest::of(b"p"),
            project_name: "größer".into(),
            subject: "scratch".into(),
            algorithm: Algorithm::plain("mio"),
            seed: 7,
            budget: Budget::default(),
            mutation: None,
            engine: "catherd/0.1.0".into(),
        };
        let old = rusqlite::Connection::open(&path).unwrap();
        old.execute_batch(VERSION_1).unwrap();
        old.execute(
            "insert into runs values (0, ?1, 0, ?2, 'mio', ?3, 5, 2, 2, 0, 9, null)",
            (spec.id().0, spec.project.0, serde_json::to_vec(&spec).unwrap()),
        )
        .unwrap();
        old.execute("insert into breakdowns values (0, 2, 'w', 'why')", ()).unwrap();
        drop(old);

        let url = StoreUrl::Sqlite(path);
        let mut store = Store::open(&url).unwrap();
        let mut runs = Vec::new();
        let mut note =
            |run: crate::store::StoredRun| runs.push((run.status.phase, run.status.token));
        store
            .runs(|run| {
                note(run);
                Ok(())
            })
            .unwrap();
        assert_eq!(runs, [(Phase::Quarantined, 9)]);
        let problems = StoreReader::open(&url).unwrap().quarantined(0).unwrap();
        assert_eq!((&problems[0].spec, problems[0].reason.as_str()), (&spec, "why"));
        drop(store);
        Store::open(&url).unwrap();
    }

    #[test]
    fn a_store_of_version_2_gets_tables_for_projects() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.db");
        let url = StoreUrl::Sqlite(path.clone());
        Store::open(&url).unwrap();
        let old = rusqlite::Connection::open(&path).unwrap();
        old.execute_batch(
            "drop table projects; drop table parts; update schema set version = 2;
             alter table studies drop column description;
             alter table studies drop column owner; alter table studies drop column priority;
             alter table studies drop column share; alter table studies drop column quota;
             drop table worker_rules; alter table records drop column stored;
             alter table records drop column checksum;
             alter table breakdowns drop column checksum;",
        )
        .unwrap();
        drop(old);
        Store::open(&url).unwrap();
        Store::open(&url).unwrap().put_project(b"cat").unwrap();
        assert_eq!(StoreReader::open(&url).unwrap().project(Digest::of(b"cat")).unwrap(), b"cat");
    }
}
