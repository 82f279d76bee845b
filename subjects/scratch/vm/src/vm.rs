//! The virtual machine: a program, its state, and the operations that callers perform on them.

use std::sync::Arc;

use catherd_scratch_render::SkinSet;
use catherd_scratch_sb3::{BlockNo, Opcode};

use crate::code::NONE;
use crate::interpreter::{Buffers, Interpreter};
use crate::limits::{Hits, Limit};
use crate::linear::Steps;
use crate::program::Program;
use crate::random::Random;
use crate::settings::VmSettings;
use crate::state::State;
use crate::tracer::Tracer;
use crate::trigger::Trigger;

/// A Scratch virtual machine. The caller applies inputs and executes steps.
pub struct Vm<T: Tracer = ()> {
    /// Observer of the execution.
    pub tracer: T,
    pub(crate) program: Arc<Program>,
    pub(crate) settings: VmSettings,
    pub(crate) state: State,
    pub(crate) buffers: Buffers,
    pub(crate) linear: Steps<T>,
}

/// The state of a VM, for [`Vm::restore`].
#[derive(Clone)]
pub struct Snapshot(State);

impl Snapshot {
    /// Estimated bytes of this snapshot that are not shared with `earlier`, a snapshot of the same
    /// program.
    pub fn unshared_bytes(&self, earlier: &Snapshot) -> usize {
        self.0.unshared_bytes(&earlier.0) + self.0.unshared_list_text_bytes(&earlier.0)
    }
}

impl<T: Tracer> Vm<T> {
    /// Creates a VM in which no scripts are running.
    pub fn new(program: Arc<Program>, settings: VmSettings, random: Random, tracer: T) -> Vm<T> {
        let skins = Arc::clone(&program.skins);
        Vm::with_skins(program, skins, settings, random, tracer)
    }

    /// Creates a VM that draws the edges of costumes in finer detail than a graphics device
    /// ([`SkinSet::with_fine_edges`]).
    pub fn with_fine_edges(
        program: Arc<Program>,
        settings: VmSettings,
        random: Random,
        tracer: T,
    ) -> Vm<T> {
        let skins = Arc::new(program.skins.with_fine_edges());
        Vm::with_skins(program, skins, settings, random, tracer)
    }

    fn with_skins(
        program: Arc<Program>,
        skins: Arc<SkinSet>,
        settings: VmSettings,
        random: Random,
        tracer: T,
    ) -> Vm<T> {
        let state = State::new(&program, skins, random);
        let (buffers, linear) = (Buffers::default(), Steps::default());
        Vm { tracer, program, settings, state, buffers, linear }
    }

    /// The program that the VM executes.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Executes every block with the interpreter from now on, with the same results.
    pub fn interpret(&mut self) {
        self.buffers.interprets = true;
    }

    /// Executes custom blocks without native code from now on, with the same results.
    pub fn handle(&mut self) {
        self.linear.native.disable();
    }

    /// Compiles custom blocks to native code when they are first executed, with the same results.
    pub fn hurry(&mut self) {
        self.linear.native.hurry();
    }

    /// A copy of the whole state, for [`Vm::restore`].
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.state.clone())
    }

    /// Replaces the state with a snapshot. The tracer is not changed.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.state.clone_from(&snapshot.0);
    }

    /// Estimated bytes that a snapshot taken now would not share with `earlier`, without the
    /// strings in lists.
    pub fn unshared_bytes(&self, earlier: &Snapshot) -> usize {
        self.state.unshared_bytes(&earlier.0)
    }

    /// The random stream.
    pub fn random(&self) -> &Random {
        &self.state.random
    }

    /// Replaces the random stream.
    pub fn set_random(&mut self, random: Random) {
        self.state.random = random;
    }

    /// Sets the clock on which, for example, the timer hat and `current` depend, in milliseconds
    /// since the green flag.
    pub fn set_clock(&mut self, milliseconds: f64) {
        self.state.clock = milliseconds / self.settings.pace.step_ms;
    }

    /// Lets Makey Makey hats react to held keys as if they were pressed again. In the original,
    /// this happens after an interval in real time.
    pub fn press_makey_keys_again(&mut self) {
        for target in &mut self.state.targets {
            let sprite = &self.program.sprites[target.sprite as usize];
            let hat = Trigger::Edge(Opcode::MakeyMakeyWhenMakeyKeyPressed);
            for &script in sprite.scripts_by_trigger.get(&hat).into_iter().flatten() {
                if let Some(edge) = sprite.scripts[script as usize].edge_hat {
                    target.edges[edge as usize] = Some(false);
                }
            }
        }
    }

    /// Sets [`VmSettings::days_since_2000`].
    pub fn set_date(&mut self, days_since_2000: f64) {
        self.settings.days_since_2000 = days_since_2000;
        self.buffers.stretches.forget();
    }

    /// Sets [`VmSettings::pace`](crate::VmSettings::pace).
    pub fn set_pace(&mut self, pace: crate::settings::Pace) {
        self.settings.pace = pace;
        self.buffers.stretches.forget();
    }

    /// Number of steps since the green flag.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Fuel consumed so far, in blocks (see [`VmSettings`]).
    pub fn executed_blocks(&self) -> u64 {
        self.state.executed
    }

    /// Sets the fuel of all further steps together, in blocks. When the fuel is used up, steps
    /// execute only edge-activated hats.
    pub fn set_fuel(&mut self, blocks: u64) {
        self.state.fuel = blocks;
    }

    /// Whether the steps have consumed all fuel of [`Vm::set_fuel`].
    pub fn is_out_of_fuel(&self) -> bool {
        self.state.fuel == 0
    }

    /// Whether a thread is alive or ended in the last step.
    pub fn is_running(&self) -> bool {
        self.state.active_threads > 0
    }

    /// Whether the last step executed so many blocks that the original would hang if every step did
    /// so.
    pub fn is_overloaded(&self) -> bool {
        self.state.overloaded
    }

    /// Number of threads that have not been removed.
    pub fn thread_count(&self) -> usize {
        self.state.thread_list.len()
    }

    /// Whether the script under this top block is running in any target.
    pub fn is_active(&self, top: BlockNo) -> bool {
        self.state.thread_list.iter().any(|&t| {
            let thread = &self.state.threads[t as usize];
            !thread.is_done()
                && thread.hat != NONE
                && self.program.commands[thread.hat as usize].no == top
        })
    }

    /// Description of the limit on the blocks of a step or on nesting, whichever was hit first;
    /// `None` if neither was hit.
    pub fn fault(&self) -> Option<&'static str> {
        let faults = [
            (Limit::Step, "a step reached its limit of blocks"),
            (Limit::CallDepth, "a script was nested deeper than allowed and was stopped"),
        ];
        let met = faults.map(|(limit, words)| (self.state.hits.of(limit), words));
        met.into_iter()
            .filter(|(hit, _)| hit.times > 0)
            .min_by_key(|(hit, _)| hit.first)
            .map(|f| f.1)
    }

    /// The limits that the program has hit since it was loaded.
    pub fn hits(&self) -> &Hits {
        &self.state.hits
    }

    pub(crate) fn interpreter(&mut self) -> Interpreter<'_, T> {
        Interpreter {
            program: &self.program,
            settings: &self.settings,
            thread: self.state.reporting,
            state: &mut self.state,
            tracer: &mut self.tracer,
            buffers: &mut self.buffers,
            linear: &mut self.linear,
            target: 0,
            slice_fuel: 0,
            redraw: false,
            aborted: false,
            failed: false,
        }
    }
}
