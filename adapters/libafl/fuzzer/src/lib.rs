//! A fuzzer in one process for targets with `LLVMFuzzerTestOneInput`, with counters of edges,
//! operands of comparisons, and a power schedule. It is linked to a target that clang has compiled
//! with `-fsanitize-coverage=trace-pc-guard,trace-cmp`.
//!
//! ```text
//! PROGRAM SEEDS CORPUS CRASHES RANDOM_SEED COMPARISONS
//! ```
//!
//! SEEDS, CORPUS and CRASHES are folders. `RANDOM_SEED` is the seed of all random choices, and
//! COMPARISONS is 1 to use operands of comparisons or 0. The program fuzzes until it is killed. It
//! writes each input that covers something new to CORPUS and each input that crashes or takes too
//! long to CRASHES, and prints the count of executions about once a second.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, process};

use libafl::corpus::{Corpus, InMemoryOnDiskCorpus, OnDiskCorpus};
use libafl::events::{ProgressReporter, SimpleRestartingEventManager};
use libafl::executors::{ExitKind, InProcessExecutor};
use libafl::feedbacks::{CrashFeedback, MaxMapFeedback, TimeFeedback, TimeoutFeedback};
use libafl::fuzzer::{Fuzzer, StdFuzzer};
use libafl::inputs::{BytesInput, HasTargetBytes};
use libafl::monitors::SimpleMonitor;
use libafl::mutators::{HavocScheduledMutator, I2SRandReplace, havoc_mutations};
use libafl::observers::{CanTrack, HitcountsMapObserver, TimeObserver};
use libafl::schedulers::powersched::PowerSchedule;
use libafl::schedulers::{IndexesLenTimeMinimizerScheduler, StdWeightedScheduler};
use libafl::stages::{
    CalibrationStage, IfStage, StdMutationalStage, StdPowerMutationalStage, TracingStage,
};
use libafl::state::{HasCorpus, StdState};
use libafl::{Error, feedback_or, feedback_or_fast};
use libafl_bolts::rands::StdRand;
use libafl_bolts::shmem::{ShMemProvider, StdShMemProvider};
use libafl_bolts::tuples::tuple_list;
use libafl_targets::{CmpLogObserver, std_edges_map_observer};

/// Maximum time of an execution whose comparisons are not recorded.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum time of an execution whose comparisons are recorded.
const TRACED_TIMEOUT: Duration = Duration::from_secs(5);

/// How often the count of executions is printed.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

unsafe extern "C" {
    /// The target.
    fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> i32;
}

/// The arguments of the command line.
struct Options {
    seeds: PathBuf,
    corpus: PathBuf,
    crashes: PathBuf,
    random_seed: u64,
    comparisons: bool,
}

impl Options {
    fn of(words: &[String]) -> Option<Options> {
        let [seeds, corpus, crashes, random_seed, comparisons] = words else { return None };
        Some(Options {
            seeds: seeds.into(),
            corpus: corpus.into(),
            crashes: crashes.into(),
            random_seed: random_seed.parse().ok()?,
            comparisons: comparisons == "1",
        })
    }
}

/// The entry point of the program, because a target does not define one.
#[unsafe(no_mangle)]
pub extern "C" fn main(_count: i32, _words: *const *const u8) -> i32 {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some(options) = Options::of(&words) else {
        eprintln!("usage: PROGRAM SEEDS CORPUS CRASHES RANDOM_SEED COMPARISONS");
        return 2;
    };
    match fuzz(&options) {
        Ok(()) | Err(Error::ShuttingDown) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}

fn fuzz(options: &Options) -> Result<(), Error> {
    let mut memory = StdShMemProvider::new()?;
    let monitor = SimpleMonitor::new(|line| println!("{line}"));
    // A process that crashes is started again with the state that it has left in shared memory.
    let (state, mut events) = SimpleRestartingEventManager::launch(monitor, &mut memory, true)?;

    // SAFETY: the counters of the target live as long as the process, and only this observer refers
    // to them.
    let edges = unsafe { std_edges_map_observer("edges") };
    let edges = HitcountsMapObserver::new(edges).track_indices();
    let time = TimeObserver::new("time");
    let compared = CmpLogObserver::new("comparisons", true);

    let coverage = MaxMapFeedback::new(&edges);
    let calibration = CalibrationStage::new(&coverage);
    let mut feedback = feedback_or!(coverage, TimeFeedback::new(&time));
    let mut objective = feedback_or_fast!(CrashFeedback::new(), TimeoutFeedback::new());

    let mut state = match state {
        Some(state) => state,
        None => StdState::new(
            StdRand::with_seed(options.random_seed),
            InMemoryOnDiskCorpus::<BytesInput>::no_meta(&options.corpus)?,
            OnDiskCorpus::no_meta(&options.crashes)?,
            &mut feedback,
            &mut objective,
        )?,
    };

    let schedule =
        StdWeightedScheduler::with_schedule(&mut state, &edges, Some(PowerSchedule::fast()));
    let scheduler = IndexesLenTimeMinimizerScheduler::new(&edges, schedule);
    let mut fuzzer = StdFuzzer::new(scheduler, feedback, objective);

    let mut target = |input: &BytesInput| {
        let bytes = input.target_bytes();
        let bytes: &[u8] = &bytes;
        // SAFETY: the pointer and the length come from a slice, which lives until the target
        // returns.
        unsafe { LLVMFuzzerTestOneInput(bytes.as_ptr(), bytes.len()) };
        ExitKind::Ok
    };
    let mut traced_target = target;

    let mut executor = InProcessExecutor::builder()
        .harness(&mut target)
        .observers(tuple_list!(edges, time))
        .fuzzer(&mut fuzzer)
        .state(&mut state)
        .event_mgr(&mut events)
        .timeout(TIMEOUT)
        .crashdump(false)
        .build()?;
    let tracer = InProcessExecutor::builder()
        .harness(&mut traced_target)
        .observers(tuple_list!(compared))
        .fuzzer(&mut fuzzer)
        .state(&mut state)
        .event_mgr(&mut events)
        .timeout(TRACED_TIMEOUT)
        .crashdump(false)
        .build()?;

    let replace =
        StdMutationalStage::new(HavocScheduledMutator::new(tuple_list!(I2SRandReplace::new())));
    let havoc = StdPowerMutationalStage::new(HavocScheduledMutator::new(havoc_mutations()));
    let used = options.comparisons;
    let mut stages = tuple_list!(
        calibration,
        IfStage::new(|_, _, _, _| Ok(used), tuple_list!(TracingStage::new(tracer), replace)),
        havoc,
    );

    // After a seed has crashed, the restarted process loads the remaining seeds.
    if state.must_load_initial_inputs() {
        let seeds = [options.seeds.clone()];
        state.load_initial_inputs(&mut fuzzer, &mut executor, &mut events, &seeds)?;
    }
    if state.corpus().count() == 0 {
        eprintln!("{}: every seed crashes or covers nothing", options.seeds.display());
        process::abort();
    }
    loop {
        events.maybe_report_progress(&mut state, REPORT_INTERVAL)?;
        fuzzer.fuzz_one(&mut stages, &mut executor, &mut state, &mut events)?;
    }
}
