//! Episodes, which are executions of policies or recorded events from the green flag.

use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::{Event, Interaction, TextNo, Vocabulary, center_mouse};
use catherd_scratch_suite::policy::{Network, Policy};
use catherd_scratch_testgen::Prepared;
use catherd_scratch_testgen::extraction::Extractor;
use catherd_scratch_testgen::fitness::Workspace;
use catherd_scratch_vm::{Random, Snapshot, TargetId, Vm};
use catherd_search::Stream;

use crate::states::LatestRecorder;

/// Number of steps between two checks of which scripts are running.
const PULSE: u64 = 10;

/// Executor of tests of one project, each from the green flag.
pub(crate) struct Arena<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) vm: Vm<LatestRecorder>,
    pub(super) loaded: Snapshot,
    pub(super) extractor: Extractor<TargetId>,
    workspace: Workspace,
    /// Top blocks of watched scripts, ascending. `lives` contains the last checked step in which
    /// each script was running.
    tops: Vec<BlockNo>,
    lives: Vec<u64>,
    pub(crate) episodes: u64,
    pub(crate) steps: u64,
}

impl<'a> Arena<'a> {
    /// Creates an arena for a project. `rng` draws the random answer of the run.
    pub(crate) fn new(prepared: &'a Prepared, rng: &mut Stream) -> Self {
        let model = prepared.model();
        let tracer = LatestRecorder::new(model.block_count(), model.has_branches(), true);
        let settings = prepared.settings();
        let (program, machine) = (Arc::clone(prepared.program()), settings.machine.clone());
        let mut vm = Vm::new(program, machine, Random::portable(0), tracer);
        center_mouse(&mut vm);
        let loaded = vm.snapshot();
        let tables = Arc::clone(prepared.tables());
        let mut extractor = Extractor::new(tables, settings.extraction, settings.compat, rng);
        let mut extraction = Stream::new(0, Stream::EXTRACTION);
        extractor.read_procedures(&mut vm, &mut extraction);
        vm.restore(&loaded);
        let workspace = Workspace::default();
        let (tops, lives) = (Vec::new(), Vec::new());
        Self { prepared, vm, loaded, extractor, workspace, tops, lives, episodes: 0, steps: 0 }
    }

    pub(crate) fn words(&self) -> &Vocabulary {
        self.extractor.words()
    }

    pub(crate) fn words_mut(&mut self) -> &mut Vocabulary {
        self.extractor.words_mut()
    }

    pub(crate) fn answers(&self) -> &[TextNo] {
        self.extractor.answers()
    }

    /// Starts to record how long the scripts with these top blocks, which are ascending, run during
    /// policies.
    pub(super) fn watch(&mut self, tops: &[BlockNo]) {
        self.tops = tops.to_vec();
        self.lives = vec![0; tops.len()];
    }

    /// The last checked step of the last policy in which a script with this top block was running;
    /// 0 if there is no such step or the script is not watched.
    pub(super) fn life(&self, top: BlockNo) -> u64 {
        self.tops.binary_search(&top).map_or(0, |position| self.lives[position])
    }

    pub(super) fn begin(&mut self, seed: u64) {
        self.vm.restore(&self.loaded);
        self.vm.set_random(Random::portable(seed));
        self.vm.tracer.clear();
        self.vm.green_flag();
    }

    /// Executes a policy under a seed until the policy ends or, if `goals` is not empty, has
    /// covered all these goals. Returns the number of executed steps.
    pub(crate) fn play(&mut self, policy: &Policy, seed: u64, goals: &[u32]) -> u64 {
        self.begin(seed);
        let blocks = self.prepared.model().goals();
        let mut interaction = Interaction::default();
        let (tops, lives) = (&self.tops, &mut self.lives);
        lives.fill(0);
        let mut next = 0;
        policy.play(&mut self.vm, &mut interaction, self.extractor.words(), |vm| {
            if vm.steps() >= next {
                next = vm.steps() + PULSE;
                let alive =
                    tops.iter().zip(lives.iter_mut()).filter(|(top, _)| vm.is_active(**top));
                alive.for_each(|(_, life)| *life = vm.steps());
            }
            let trace = vm.tracer.trace();
            goals.is_empty() || !goals.iter().all(|goal| trace.covered(blocks[*goal as usize]))
        });
        self.end()
    }

    /// Sends events under a seed until the goal is covered or all events are sent. Returns the
    /// number of events sent and whether the goal is covered.
    pub(crate) fn replay(&mut self, events: &[Event], seed: u64, goal: u32) -> (usize, bool) {
        self.begin(seed);
        let block = self.prepared.model().goals()[goal as usize];
        let mut interaction = Interaction::default();
        let mut sent = 0;
        for &event in events {
            if self.vm.tracer.trace().covered(block) {
                break;
            }
            interaction.send(event, &mut self.vm, self.extractor.words());
            sent += 1;
        }
        self.end();
        (sent, self.vm.tracer.trace().covered(block))
    }

    fn end(&mut self) -> u64 {
        self.vm.tracer.flush();
        self.episodes += 1;
        self.steps += self.vm.steps();
        self.vm.steps()
    }

    pub(crate) fn seen(&mut self, network: &Network) -> Vec<f64> {
        network.seen(&mut self.vm)
    }

    pub(crate) fn covers(&self, goal: u32) -> bool {
        let block = self.prepared.model().goals()[goal as usize];
        self.vm.tracer.trace().covered(block)
    }

    pub(crate) fn fitness(&mut self, to: &mut Vec<f64>) {
        self.prepared.model().evaluate(self.vm.tracer.trace(), to, &mut self.workspace);
    }
}
