//! The options of a coordinator: where studies are stored, and the rules for executing them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_experiments::Engines;
use catherd_proto::tls::Tls;

use crate::auth::TokenStore;
use crate::clock::{Clock, Monotonic};
use crate::ledger::Policy;
use crate::store::{StoreUrl, TransactionObserver};
use crate::traces::SpanSink;

/// Where studies are stored, and the rules for executing them.
pub struct CoordinatorOptions {
    /// The folder of the studies, for everything that is not in a database elsewhere. The
    /// documentation of the crate lists the contents of the folder.
    pub folder: PathBuf,
    /// The database of runs and records. Default: `study.db` in the folder.
    pub store: StoreUrl,
    /// Whether to wait instead of returning an error if another coordinator leads a PostgreSQL
    /// database or if the server of the database cannot be reached.
    pub stand_by: bool,
    /// Engine ids of the subject kinds of this program. Plans with another engine for one of these
    /// kinds are refused.
    pub engines: Engines,
    /// Names of the criteria of subject kinds: records with another criterion are refused. Records
    /// of kinds that are not listed may have any criteria.
    pub criteria: BTreeMap<String, Vec<String>>,
    /// The rules by which runs are leased, repeated and quarantined.
    pub policy: Policy,
    /// The clock that determines when leases expire.
    pub clock: Arc<dyn Clock>,
    /// Certificate and key; `None` if connections are not encrypted. Only loopback is then served.
    pub tls: Option<Tls>,
    /// Accepted tokens; an empty store accepts no request. `None` if every process that can connect
    /// is trusted. Only loopback is then served.
    pub tokens: Option<TokenStore>,
    /// Whether to serve clients, which watch, submit and change studies. If false, only workers are
    /// served.
    pub serve_clients: bool,
    /// Receives the traces of runs; `None` if nothing is traced.
    pub traces: Option<SpanSink>,
    /// Observes the transactions of the store, only in tests; otherwise `None`.
    pub observer: Option<Arc<dyn TransactionObserver>>,
}

impl CoordinatorOptions {
    /// The default rules, the computer's clock, and an SQLite file in this folder.
    pub fn new(folder: &Path) -> CoordinatorOptions {
        CoordinatorOptions {
            folder: folder.to_owned(),
            store: StoreUrl::Sqlite(folder.join("study.db")),
            stand_by: false,
            engines: Engines::new(),
            criteria: BTreeMap::new(),
            policy: Policy::default(),
            clock: Arc::new(Monotonic::default()),
            tls: None,
            tokens: None,
            serve_clients: true,
            traces: None,
            observer: None,
        }
    }
}
