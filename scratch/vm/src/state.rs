//! The state of a machine: everything that a snapshot holds.

use std::collections::VecDeque;
use std::sync::Arc;

use catherd_render::{DrawableId, Group, Scene};
use catherd_sb3::RotationStyle;
use smallvec::SmallVec;

use crate::keys::Key;
use crate::limits::Hits;
use crate::program::Program;
use crate::random::Random;
use crate::text::Text;
use crate::thread::Thread;
use crate::value::Value;

/// A stage, sprite or clone of a machine. The originals have the positions of their
/// targets in the project; the number of a deleted clone is given to a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId(pub u32);

/// "No thread" in [`Target::running`].
pub(crate) const NO_THREAD: u32 = u32::MAX;

pub(crate) struct State {
    pub(crate) scene: Scene,
    pub(crate) random: Random,
    /// Originals first, then clones; places of deleted clones are used again.
    pub(crate) targets: Vec<Target>,
    pub(crate) free_targets: Vec<u32>,
    /// Living targets: originals in file order, clones in order of creation.
    pub(crate) list: Vec<TargetId>,
    /// Living targets in execution order, back to front.
    pub(crate) order: Vec<TargetId>,
    pub(crate) clones: u32,

    /// All threads by slot; `thread_list` says which are in the machine's list, in order.
    pub(crate) threads: Vec<Thread>,
    pub(crate) free_threads: Vec<u32>,
    pub(crate) thread_list: Vec<u32>,
    /// The list that `stop all` took away from the pass that still walks it.
    pub(crate) detached: Option<Vec<u32>>,
    pub(crate) next_serial: u64,
    /// Threads left plus threads ended in the last step.
    pub(crate) active: usize,

    /// Steps since the green flag.
    pub(crate) steps: u64,
    /// Seconds, a sum of increments.
    pub(crate) timer: f64,
    /// The clock of the timer hat, the calendar and of music, in steps since the flag:
    /// `reset timer` leaves it alone.
    pub(crate) clock: f64,
    /// Where the clock of the timer hat begins, see [`crate::Settings::one_timer`].
    pub(crate) clock_start: f64,
    pub(crate) counter: f64,
    pub(crate) tempo: f64,
    pub(crate) loudness: Option<f64>,
    pub(crate) answer: Text,
    pub(crate) questions: VecDeque<Question>,
    pub(crate) keys: SmallVec<[Key; 4]>,
    pub(crate) mouse: Mouse,
    /// Blocks that this step may still execute.
    pub(crate) blocks_left: u64,
    /// Blocks that steps have executed, and how many they may execute yet.
    pub(crate) executed: u64,
    pub(crate) allowance: u64,
    /// In the last step, a slice used up its budget, or all together as much.
    pub(crate) overloaded: bool,
    /// Steps that used up their budget.
    pub(crate) exhausted: u32,
    pub(crate) hits: Hits,
}

#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) text: Text,
    /// The thread that asks: slot and serial.
    pub(crate) thread: (u32, u64),
    pub(crate) target: TargetId,
    /// Shown as a bubble.
    pub(crate) bubble: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Mouse {
    /// Where the pointer is, in stage coordinates, unrounded.
    pub(crate) pointer: (f64, f64),
    /// Position on the 480 x 360 canvas, downwards; none before the first event.
    pub(crate) client: (Option<f64>, Option<f64>),
    /// What the blocks report: none before the first event.
    pub(crate) x: Option<f64>,
    pub(crate) y: Option<f64>,
    pub(crate) down: bool,
}

impl Mouse {
    /// The point at which the renderer feels the pointer.
    pub(crate) fn sensed(&self) -> Option<(f64, f64)> {
        let (x, y) = (self.client.0?, self.client.1?);
        Some(((x - 240.0).floor(), (180.0 - y).ceil()))
    }
}

pub(crate) struct Target {
    /// Position in [`Program::sprites`].
    pub(crate) sprite: u32,
    pub(crate) original: bool,
    pub(crate) alive: bool,
    pub(crate) drawable: DrawableId,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) direction: f64,
    pub(crate) size: f64,
    pub(crate) visible: bool,
    pub(crate) draggable: bool,
    pub(crate) dragging: bool,
    pub(crate) style: RotationStyle,
    pub(crate) costume: usize,
    pub(crate) volume: f64,
    pub(crate) effects: [f64; 7],
    /// Pitch and pan.
    pub(crate) sound_effects: [f64; 2],
    pub(crate) bubble: Bubble,
    pub(crate) pen: Pen,
    pub(crate) variables: Vec<Value>,
    pub(crate) lists: Vec<List>,
    /// Last value of each edge hat's predicate; none before the first evaluation.
    pub(crate) edges: SmallVec<[Option<bool>; 2]>,
    /// The listed thread of each script, by position in [`crate::program::Sprite::scripts`].
    pub(crate) running: Vec<u32>,
}

#[derive(Clone)]
pub(crate) struct List {
    pub(crate) items: Arc<Vec<Value>>,
    pub(crate) exists: bool,
}

/// A speech or thought bubble; the text outlives a hidden sprite.
#[derive(Clone)]
pub(crate) struct Bubble {
    pub(crate) text: Option<Text>,
    pub(crate) drawable: Option<DrawableId>,
    pub(crate) on_right: bool,
}

#[derive(Clone)]
pub(crate) struct Pen {
    pub(crate) down: bool,
    pub(crate) color: f64,
    pub(crate) saturation: f64,
    pub(crate) brightness: f64,
    pub(crate) transparency: f64,
    pub(crate) shade: f64,
    pub(crate) diameter: f64,
    pub(crate) rgba: [f64; 4],
}

impl Default for Pen {
    fn default() -> Pen {
        Pen {
            down: false,
            color: 66.66,
            saturation: 100.0,
            brightness: 100.0,
            transparency: 0.0,
            shade: 50.0,
            diameter: 1.0,
            rgba: [0.0, 0.0, 1.0, 1.0],
        }
    }
}

impl State {
    /// The project as loaded, one frame drawn.
    pub(crate) fn new(program: &Program, random: Random) -> State {
        let mut scene = Scene::new(program.skins.clone());
        if !program.senses_colors {
            scene.ignore_colors();
        }
        let mut drawables = vec![None; program.sprites.len()];
        for &i in &program.order {
            let stage = program.sprites[i as usize].is_stage;
            drawables[i as usize] =
                Some(scene.add(if stage { Group::Background } else { Group::Sprite }));
        }
        let targets: Vec<Target> = program
            .sprites
            .iter()
            .zip(drawables)
            .enumerate()
            .map(|(i, (sprite, drawable))| {
                let start = &sprite.initial;
                Target {
                    sprite: i as u32,
                    original: true,
                    alive: true,
                    // Every sprite is in `order` exactly once.
                    drawable: drawable.unwrap_or(DrawableId(0)),
                    x: start.x,
                    y: start.y,
                    direction: start.direction,
                    size: start.size,
                    visible: start.visible,
                    draggable: start.draggable,
                    dragging: false,
                    style: start.style,
                    costume: start.costume,
                    volume: start.volume,
                    effects: [0.0; 7],
                    sound_effects: [0.0; 2],
                    bubble: Bubble { text: None, drawable: None, on_right: true },
                    pen: Pen::default(),
                    variables: sprite.variables.iter().map(|v| v.value.clone()).collect(),
                    lists: sprite
                        .lists
                        .iter()
                        .map(|l| List { items: l.items.clone(), exists: l.declared })
                        .collect(),
                    edges: sprite
                        .scripts
                        .iter()
                        .filter(|s| s.edge.is_some())
                        .map(|_| None)
                        .collect(),
                    running: vec![NO_THREAD; sprite.scripts.len()],
                }
            })
            .collect();
        for target in &targets {
            let skin = program.sprites[target.sprite as usize].costumes[target.costume].skin;
            scene.set_skin(target.drawable, skin);
            target.place(&mut scene);
            scene.set_visible(target.drawable, target.visible);
        }
        scene.end_frame();
        let stage = &program.sprites[program.stage].initial;
        State {
            scene,
            random,
            list: (0..targets.len() as u32).map(TargetId).collect(),
            order: program.order.iter().map(|&i| TargetId(i)).collect(),
            targets,
            free_targets: Vec::new(),
            clones: 0,
            threads: Vec::new(),
            free_threads: Vec::new(),
            thread_list: Vec::new(),
            detached: None,
            next_serial: 0,
            active: 0,
            steps: 0,
            timer: 0.0,
            clock: 0.0,
            clock_start: 0.0,
            counter: 0.0,
            tempo: stage.tempo,
            loudness: None,
            answer: Text::new(""),
            questions: VecDeque::new(),
            keys: SmallVec::new(),
            mouse: Mouse::default(),
            blocks_left: 0,
            executed: 0,
            allowance: u64::MAX,
            overloaded: false,
            exhausted: 0,
            hits: Hits::default(),
        }
    }
}

impl Target {
    /// Direction and scale as drawn, by the rotation style.
    pub(crate) fn drawn(&self) -> (f64, f64, f64) {
        match self.style {
            RotationStyle::AllAround => (self.direction, self.size, self.size),
            RotationStyle::DontRotate => (90.0, self.size, self.size),
            RotationStyle::LeftRight if self.direction < 0.0 => (90.0, -self.size, self.size),
            RotationStyle::LeftRight => (90.0, self.size, self.size),
        }
    }

    /// Tells the scene position, direction and size.
    pub(crate) fn place(&self, scene: &mut Scene) {
        scene.set_position(self.drawable, self.x, self.y);
        self.turn(scene);
    }

    /// Tells the scene direction and size.
    pub(crate) fn turn(&self, scene: &mut Scene) {
        let (direction, sx, sy) = self.drawn();
        scene.set_direction_scale(self.drawable, direction, sx, sy);
    }
}

/// Field-wise copies that reuse the allocations of the left side: restoring is the
/// hottest operation outside the step loop.
macro_rules! clone_fields {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Clone for $name {
            fn clone(&self) -> $name {
                $name { $($field: self.$field.clone()),* }
            }

            fn clone_from(&mut self, source: &$name) {
                $(self.$field.clone_from(&source.$field);)*
            }
        }
    };
}

clone_fields!(Target {
    sprite,
    original,
    alive,
    drawable,
    x,
    y,
    direction,
    size,
    visible,
    draggable,
    dragging,
    style,
    costume,
    volume,
    effects,
    sound_effects,
    bubble,
    pen,
    variables,
    lists,
    edges,
    running,
});

clone_fields!(State {
    scene,
    random,
    targets,
    free_targets,
    list,
    order,
    clones,
    threads,
    free_threads,
    thread_list,
    detached,
    next_serial,
    active,
    steps,
    timer,
    clock,
    clock_start,
    counter,
    tempo,
    loudness,
    answer,
    questions,
    keys,
    mouse,
    blocks_left,
    executed,
    allowance,
    overloaded,
    exhausted,
    hits,
});
