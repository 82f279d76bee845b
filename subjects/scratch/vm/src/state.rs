//! The state of a VM: everything that a snapshot contains.

use std::collections::VecDeque;
use std::sync::Arc;

use catherd_scratch_render::{DrawableId, Group, Scene, SkinSet};
use smallvec::SmallVec;

use crate::compat::Compat;
use crate::keys::Key;
use crate::limits::Hits;
use crate::program::Program;
use crate::promises::Promises;
use crate::random::Random;
use crate::target::{Target, TargetId, clone_fields};
use crate::text::Text;
use crate::thread::{NO_CURRENT, Thread};

/// An existing target, with copies of the fields that searches read, so that a search need not load
/// a cache line of each [`Target`].
#[derive(Clone, Copy)]
pub(crate) struct LiveTarget {
    pub(crate) id: TargetId,
    pub(crate) sprite: u32,
    pub(crate) drawable: DrawableId,
}

impl LiveTarget {
    pub(crate) fn new(id: TargetId, target: &Target) -> LiveTarget {
        LiveTarget { id, sprite: target.sprite, drawable: target.drawable }
    }
}

pub(crate) struct State {
    pub(crate) scene: Scene,
    pub(crate) random: Random,
    /// Originals first, then clones; the indices of deleted clones are reused.
    pub(crate) targets: Vec<Target>,
    pub(crate) free_targets: Vec<u32>,
    /// Originals in file order, then clones in order of creation.
    pub(crate) live_targets: Vec<LiveTarget>,
    /// The live targets, in the reverse order of execution.
    pub(crate) execution_order: Vec<TargetId>,
    pub(crate) clone_count: u32,
    /// Number of clones created so far.
    pub(crate) clone_serial: u32,

    /// All threads by slot; `thread_list` has the slots of threads that are not yet removed, in
    /// execution order.
    pub(crate) threads: Vec<Thread>,
    pub(crate) free_threads: Vec<u32>,
    pub(crate) thread_list: Vec<u32>,
    /// The previous `thread_list`, after a `stop all` within the batch that still iterates over it.
    pub(crate) detached_threads: Option<Vec<u32>>,
    pub(crate) next_serial: u64,
    /// Slot of the thread in whose slice a watcher is being called; `NO_CURRENT` otherwise.
    pub(crate) reporting: usize,
    /// Number of threads that are alive or ended in the last step.
    pub(crate) active_threads: usize,

    /// Steps since the green flag.
    pub(crate) steps: u64,
    /// Value of the `timer` block in seconds.
    pub(crate) timer: f64,
    /// The clock of the timer hat, the calendar and music, in steps since the green flag.
    pub(crate) clock: f64,
    /// Reading of `clock` at which the timer hat is 0 (see [`crate::VmSettings::one_timer`]).
    pub(crate) clock_start: f64,
    pub(crate) counter: f64,
    pub(crate) tempo: f64,
    pub(crate) loudness: Option<f64>,
    pub(crate) answer: Text,
    pub(crate) questions: VecDeque<Question>,
    pub(crate) monitors: Vec<bool>,
    pub(crate) shows_monitors: bool,
    pub(crate) keys: SmallVec<[Key; 4]>,
    pub(crate) mouse: Mouse,
    /// Remaining fuel of this step, in blocks.
    pub(crate) step_fuel: u64,
    /// Fuel consumed by all steps so far, in blocks.
    pub(crate) executed: u64,
    /// Remaining fuel for all further steps together, in blocks.
    pub(crate) fuel: u64,
    /// See [`crate::Vm::is_overloaded`].
    pub(crate) overloaded: bool,
    pub(crate) step_overruns: u32,
    pub(crate) hits: Hits,
    /// Waits that end between steps in today's Scratch; `None` in the version of 2022.
    pub(crate) promises: Option<Box<Promises>>,
}

/// A question of `ask and wait` without an answer.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) text: Text,
    /// Slot and serial number.
    pub(crate) thread: (u32, u64),
    pub(crate) target: TargetId,
    pub(crate) bubble: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Mouse {
    /// Position of the pointer in stage coordinates, unrounded.
    pub(crate) pointer: (f64, f64),
    /// Position on the 480 x 360 canvas, y downwards.
    pub(crate) canvas: (Option<f64>, Option<f64>),
    /// Values of the `mouse x` and `mouse y` blocks.
    pub(crate) x: Option<f64>,
    pub(crate) y: Option<f64>,
    pub(crate) down: bool,
}

impl Mouse {
    /// The point of the stage at which the renderer senses the pointer.
    pub(crate) fn sensed_point(&self) -> Option<(f64, f64)> {
        let (x, y) = (self.canvas.0?, self.canvas.1?);
        Some(((x - 240.0).floor(), (180.0 - y).ceil()))
    }
}

impl State {
    pub(crate) fn new(program: &Program, skins: Arc<SkinSet>, random: Random) -> State {
        let mut scene = Scene::new(skins);
        if !program.senses_colors {
            scene.ignore_colors();
        }
        let mut drawables = vec![None; program.sprites.len()];
        for &i in &program.execution_order {
            let stage = program.sprites[i as usize].is_stage;
            drawables[i as usize] =
                Some(scene.add(if stage { Group::Background } else { Group::Sprite }));
        }
        let targets: Vec<Target> = program
            .sprites
            .iter()
            .zip(drawables)
            .enumerate()
            // Every sprite is in `execution_order` exactly once, so it has a drawable.
            .map(|(i, (sprite, drawable))| {
                Target::new(i as u32, sprite, drawable.unwrap_or(DrawableId(0)))
            })
            .collect();
        for target in &targets {
            let skin = program.sprites[target.sprite as usize].costumes[target.costume].skin;
            scene.set_skin(target.drawable, skin);
            target.update_drawable(&mut scene);
            scene.set_visible(target.drawable, target.visible);
        }
        scene.end_frame();
        let stage = &program.sprites[program.stage].initial;
        State {
            scene,
            random,
            live_targets: targets
                .iter()
                .zip(0..)
                .map(|(t, id)| LiveTarget::new(TargetId(id), t))
                .collect(),
            execution_order: program.execution_order.iter().map(|&i| TargetId(i)).collect(),
            targets,
            free_targets: Vec::new(),
            clone_count: 0,
            clone_serial: 0,
            threads: Vec::new(),
            free_threads: Vec::new(),
            thread_list: Vec::new(),
            detached_threads: None,
            next_serial: 0,
            reporting: NO_CURRENT,
            active_threads: 0,
            steps: 0,
            timer: 0.0,
            clock: 0.0,
            clock_start: 0.0,
            counter: 0.0,
            tempo: stage.tempo,
            loudness: None,
            answer: Text::new(""),
            questions: VecDeque::new(),
            monitors: program.monitors.clone(),
            shows_monitors: program.monitors.contains(&true),
            keys: SmallVec::new(),
            mouse: Mouse::default(),
            step_fuel: 0,
            executed: 0,
            fuel: u64::MAX,
            overloaded: false,
            step_overruns: 0,
            hits: Hits::default(),
            promises: (program.compat == Compat::Today).then(Box::default),
        }
    }
}

clone_fields!(State {
    scene,
    random,
    targets,
    free_targets,
    live_targets,
    execution_order,
    clone_count,
    clone_serial,
    threads,
    free_threads,
    thread_list,
    detached_threads,
    next_serial,
    reporting,
    active_threads,
    steps,
    timer,
    clock,
    clock_start,
    counter,
    tempo,
    loudness,
    answer,
    questions,
    monitors,
    shows_monitors,
    keys,
    mouse,
    step_fuel,
    executed,
    fuel,
    overloaded,
    step_overruns,
    hits,
    promises,
});
