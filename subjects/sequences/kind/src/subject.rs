//! A loaded model with the data that its runs share: states, items, pools, matrices.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_experiments::Digest;
use catherd_interface::Recent;
use catherd_sequences_testing::suite::Matrix;
use catherd_sequences_testing::{
    Alphabet, Criterion, MAX_POOL_EVENTS, Model, ModelSource, Pool, Space, Walker,
};

use crate::configuration::{Configuration, Letters, PoolSettings};

/// Maximum number of pools that are kept. The pools of all seeds of a study could fill the memory.
const KEPT_POOLS: usize = 2;
const KEPT_MATRICES: usize = 12;
const KEPT_ITEMS: usize = 24;

pub(crate) type GoOn<'g> = dyn FnMut() -> Result<(), Stop> + 'g;

/// The reason why a computation has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The caller or the budget of real time stopped the computation.
    Asked,
    Failed(String),
}

#[derive(Clone, Debug, PartialEq)]
struct PoolKey {
    settings: PoolSettings,
    seed: u64,
    states: usize,
    /// Maximum number of events of all walks.
    events: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Items {
    pub(crate) criterion: Criterion,
    /// The reachable items, ascending; `None` if they cannot be computed exactly.
    pub(crate) reachable: Option<Vec<u64>>,
}

#[derive(Clone, Debug)]
pub(crate) struct RunPool {
    key: PoolKey,
    pub(crate) pool: Arc<Pool>,
}

#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) digest: Digest,
    pub(crate) model: Model,
    spaces: Recent<usize, Arc<Space>>,
    items: Recent<(usize, Letters, String), Arc<Items>>,
    pools: Recent<PoolKey, Arc<Pool>>,
    matrices: Recent<(PoolKey, String), Arc<Matrix>>,
}

impl Subject {
    pub(crate) fn read(digest: Digest, bytes: &[u8]) -> Result<Subject, String> {
        let source = ModelSource::unpack("model", bytes).map_err(|error| error.to_string())?;
        let model = source.model().map_err(|error| error.to_string())?;
        Ok(Subject {
            digest,
            model,
            spaces: Recent::new(2),
            items: Recent::new(KEPT_ITEMS),
            pools: Recent::new(KEPT_POOLS),
            matrices: Recent::new(KEPT_MATRICES),
        })
    }

    pub(crate) fn space(&mut self, limit: usize) -> Result<Arc<Space>, Stop> {
        let program = &self.model.program;
        let space = self.spaces.get(limit, || {
            let space = Space::explore(program, limit);
            space.map(Arc::new).map_err(|broken| Stop::Failed(broken.to_string()))
        });
        space.cloned()
    }

    pub(crate) fn alphabet(&self, letters: &Letters) -> Result<Alphabet, Stop> {
        let events = self.model.program.events();
        Ok(match letters {
            Letters::Names => Alphabet::names(events),
            Letters::Events => Alphabet::events(events),
            Letters::Mapped(map) => {
                Alphabet::mapped(events, map).map_err(|error| Stop::Failed(error.to_string()))?
            }
        })
    }

    pub(crate) fn items(
        &mut self,
        text: &str,
        configuration: &Configuration,
    ) -> Result<Arc<Items>, Stop> {
        let space = self.space(configuration.states)?;
        let letters = &configuration.pool.letters;
        let alphabet = self.alphabet(letters)?;
        let strength = self.model.strength;
        let key = (configuration.states, letters.clone(), text.to_owned());
        let items = self.items.get(key, || {
            let none = |_: &str| Err("files of criteria do not travel with a study".to_owned());
            let known = (!space.truncated()).then_some(&*space);
            let criterion = Criterion::parse(text, &alphabet, strength, known, &none)
                .map_err(|error| Stop::Failed(format!("{error}; {}", error.hint)))?;
            let reachable = criterion.reachable(&space, &alphabet).ok();
            Ok(Arc::new(Items { criterion, reachable }))
        });
        items.cloned()
    }

    /// `events` limits the events of all walks: the walk that exceeds the limit and all later walks
    /// are left out.
    pub(crate) fn pool(
        &mut self,
        configuration: &Configuration,
        seed: u64,
        events: Option<u64>,
        go_on: &mut GoOn<'_>,
    ) -> Result<RunPool, Stop> {
        let space = self.space(configuration.states)?;
        let settings = &configuration.pool;
        let alphabet = self.alphabet(&settings.letters)?;
        let key = PoolKey {
            settings: settings.clone(),
            seed: settings.seed.unwrap_or(seed),
            states: configuration.states,
            events,
        };
        let program = &self.model.program;
        let pool = self.pools.get(key.clone(), || {
            let failed = |cause: String| Stop::Failed(cause);
            let walker =
                Walker::new(program, Some(&space), settings.sampler, key.seed, settings.length)
                    .map_err(|error| failed(error.to_string()))?;
            let limit = events.unwrap_or(u64::MAX).min(MAX_POOL_EVENTS);
            let mut asked = None;
            let walks = walker.walks_within(settings.walks, limit, &mut || match go_on() {
                Ok(()) => ControlFlow::Continue(()),
                Err(stop) => {
                    asked = Some(stop);
                    ControlFlow::Break(())
                }
            });
            match walks.map_err(|fault| failed(fault.to_string()))? {
                Some((tests, _))
                    if (tests.len() as u64) < settings.walks
                        && events.is_none_or(|n| n > limit) =>
                {
                    let cause = "the walks of the pool have more than";
                    Err(failed(format!("{cause} {limit} events: set fewer or shorter ones")))
                }
                Some((tests, cut)) => Ok(Arc::new(Pool { cut, ..Pool::new(&tests, &alphabet) })),
                None => Err(asked.unwrap_or(Stop::Asked)),
            }
        })?;
        Ok(RunPool { key, pool: Arc::clone(pool) })
    }

    pub(crate) fn matrix(
        &mut self,
        pool: &RunPool,
        items: &Items,
        go_on: &mut GoOn<'_>,
    ) -> Result<Arc<Matrix>, Stop> {
        let space = self.space(pool.key.states)?;
        let key = (pool.key.clone(), items.criterion.to_string());
        let matrix = self.matrices.get(key, || {
            go_on()?;
            let tests = pool.pool.letters.iter().map(Vec::as_slice);
            let refused = |error: catherd_sequences_testing::CriterionError| {
                Stop::Failed(format!("{error}; {}", error.hint))
            };
            items.criterion.check_tests(tests).map_err(refused)?;
            Ok(Arc::new(Matrix::new(&items.criterion, &pool.pool, Some(&space))))
        });
        matrix.cloned()
    }
}
