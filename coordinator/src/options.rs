//! The options of a coordinator.

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
    /// The folder of the studies.
    pub folder: PathBuf,
    /// The database of runs and records. Default: `study.db` in the folder.
    pub store: StoreUrl,
    /// Whether to wait if the database cannot be led at once.
    pub stand_by: bool,
    /// Engine ids of the subject kinds of this program. Clients' plans with other engine ids are
    /// refused.
    pub engines: Engines,
    /// Names of the criteria, by subject kind. Records of these kinds with other criteria are
    /// refused.
    pub criteria: BTreeMap<String, Vec<String>>,
    /// The rules by which runs are leased, repeated and quarantined.
    pub policy: Policy,
    /// The clock that determines when leases expire.
    pub clock: Arc<dyn Clock>,
    /// Certificates and key. Without them, connections are not encrypted, and only loopback is
    /// served.
    pub tls: Option<Tls>,
    /// Accepted tokens. Without them, every process that can connect is trusted, and only loopback
    /// is served.
    pub tokens: Option<TokenStore>,
    /// Whether to serve clients as well as workers.
    pub serve_clients: bool,
    /// Receives the traces of runs.
    pub traces: Option<SpanSink>,
    /// Observes changes to the store, in tests.
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
