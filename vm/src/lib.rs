//! The deterministic Scratch virtual machine.
#![allow(missing_docs, clippy::unimplemented, unused_variables)]
use std::sync::Arc;

use catherd_sb3::{BlockNo, Project};

pub mod api_sketch {
    //! Interface first; bodies follow.
    use super::*;

    /// A compiled project: immutable, `Send + Sync`, shared by all machines that run it.
    pub struct Program;
    impl Program {
        pub fn compile(project: &Project) -> Result<Program, CompileError> {
            unimplemented!()
        }
    }
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    pub struct CompileError(pub String);

    /// What a machine is told about its world.
    #[derive(Clone, Debug)]
    pub struct Settings {
        /// Seconds by which the `timer` advances a step (1/30; the paper's 0.075 is a setting).
        pub timer_increment: f64,
        /// Blocks that one slice may execute in warp before it ends.
        pub warp_budget: u32,
        /// Blocks that one step may execute in all.
        pub step_budget: u64,
    }
    impl Default for Settings {
        fn default() -> Self {
            unimplemented!()
        }
    }

    /// The source of all randomness in a machine.
    #[derive(Clone, Debug)]
    pub struct Random;
    impl Random {
        /// The portable stream of studies (ChaCha8).
        pub fn portable(seed: u64) -> Random {
            unimplemented!()
        }
        /// The generator of the reference recordings.
        pub fn reference(seed: u32) -> Random {
            unimplemented!()
        }
    }

    /// Watches execution. `()` is the tracer that sees nothing and costs nothing.
    pub trait Tracer {
        const ACTIVE: bool;
        /// A step begins.
        fn step(&mut self) {}
        /// A statement block was evaluated (hats when their predicate or start is evaluated too).
        fn covered(&mut self, block: BlockNo) {}
        /// A control block was evaluated: distance to its outcome true and false; exactly one of them is 0.
        fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {}
    }
    impl Tracer for () {
        const ACTIVE: bool = false;
    }

    /// A stage, sprite or clone of a machine; valid until it is deleted.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct TargetId(pub u32);

    pub struct Vm<T: Tracer = ()> {
        pub tracer: T,
    }
    /// The whole state of a machine; cheap to take and to put back.
    #[derive(Clone)]
    pub struct Snapshot;

    impl<T: Tracer> Vm<T> {
        pub fn new(program: Arc<Program>, settings: Settings, random: Random, tracer: T) -> Vm<T> {
            unimplemented!()
        }
        pub fn snapshot(&self) -> Snapshot {
            unimplemented!()
        }
        pub fn restore(&mut self, snapshot: &Snapshot) {
            unimplemented!()
        }
        pub fn set_random(&mut self, random: Random) {
            unimplemented!()
        }

        // Running.
        pub fn green_flag(&mut self) {
            unimplemented!()
        }
        /// One step of 1/30 s.
        pub fn step(&mut self) {
            unimplemented!()
        }
        /// Steps since the machine was made or restored to (part of the snapshot).
        pub fn steps(&self) -> u64 {
            unimplemented!()
        }
        /// True while threads were alive, or ended, in the last step (before the first: any thread).
        pub fn is_running(&self) -> bool {
            unimplemented!()
        }
        /// Some thread of the script with this top block (of the original or any clone) is alive.
        pub fn is_active(&self, top: BlockNo) -> bool {
            unimplemented!()
        }
        /// A limit that the program ran into, first one only.
        pub fn fault(&self) -> Option<&str> {
            unimplemented!()
        }

        // Input, applied between steps.
        /// Key names as in the key menu: `space`, `left arrow`, `a`, `enter`.
        pub fn key(&mut self, key: &str, down: bool) {
            unimplemented!()
        }
        /// Stage coordinates.
        pub fn mouse_move(&mut self, x: f64, y: f64) {
            unimplemented!()
        }
        /// Presses or releases at the current position: picks, starts click hats.
        pub fn mouse_button(&mut self, down: bool) {
            unimplemented!()
        }
        pub fn answer(&mut self, text: &str) {
            unimplemented!()
        }
        /// Starts the click hats of one target directly, without a mouse.
        pub fn click(&mut self, target: TargetId) {
            unimplemented!()
        }
        /// Moves a target as the mouse would (fenced, no pen line, a glide starts anew from there).
        pub fn drag(&mut self, target: TargetId, x: f64, y: f64) {
            unimplemented!()
        }
        /// Virtual loudness 0..=100; `None`: silence.
        pub fn sound(&mut self, volume: Option<f64>) {
            unimplemented!()
        }

        // Looking.
        /// Stage, sprites in file order, clones in order of creation.
        pub fn targets(&self) -> impl Iterator<Item = TargetId> + '_ {
            std::iter::empty()
        }
        pub fn target(&self, id: TargetId) -> TargetView<'_> {
            unimplemented!()
        }
        pub fn mouse(&self) -> (f64, f64) {
            unimplemented!()
        }
        pub fn mouse_down(&self) -> bool {
            unimplemented!()
        }
        /// A question waits for an answer.
        pub fn is_asking(&self) -> bool {
            unimplemented!()
        }
        pub fn is_touching_edge(&mut self, target: TargetId) -> bool {
            unimplemented!()
        }
        /// Touches the sprite of that name (original or any clone of it) or `_mouse_`.
        pub fn is_touching(&mut self, target: TargetId, name: &str) -> bool {
            unimplemented!()
        }
        pub fn is_touching_color(&mut self, target: TargetId, rgb: [u8; 3]) -> bool {
            unimplemented!()
        }
        pub fn is_color_touching_color(
            &mut self,
            target: TargetId,
            own: [u8; 3],
            rgb: [u8; 3],
        ) -> bool {
            unimplemented!()
        }
        /// Nearest sample (grid search) of a colour on the stage, the target itself left out.
        pub fn find_color(
            &mut self,
            target: TargetId,
            from: (f64, f64),
            rgb: [u8; 3],
        ) -> Option<(f64, f64)> {
            unimplemented!()
        }
        /// Nearest sample of a colour on the target itself.
        pub fn find_own_color(&mut self, target: TargetId, rgb: [u8; 3]) -> Option<(f64, f64)> {
            unimplemented!()
        }
        /// Width and height of a target's bounding box.
        pub fn extent(&mut self, target: TargetId) -> (f64, f64) {
            unimplemented!()
        }
    }

    /// The visible state of one target.
    pub struct TargetView<'a> {
        pub id: TargetId,
        /// Index into `Project::targets`.
        pub sprite: usize,
        pub name: &'a str,
        /// False for clones.
        pub original: bool,
        pub is_stage: bool,
        pub x: f64,
        pub y: f64,
        pub direction: f64,
        pub size: f64,
        pub visible: bool,
        pub costume: usize,
        pub volume: f64,
        pub draggable: bool,
        /// color, fisheye, whirl, pixelate, mosaic, brightness, ghost.
        pub effects: [f64; 7],
        /// Speech or thought, `""` without.
        pub bubble: &'a str,
        /// Rank among sprites and clones from the back, from 1; 0 for the stage.
        pub layer: usize,
    }
    impl TargetView<'_> {
        /// Scalars by name with their values as Scratch prints them.
        pub fn variables(&self) -> impl Iterator<Item = (&str, String)> {
            std::iter::empty()
        }
        /// Lists by name: their items as Scratch prints them.
        pub fn lists(&self) -> impl Iterator<Item = (&str, Vec<String>)> {
            std::iter::empty()
        }
    }

    /// Parses a colour argument as Scratch does (`#rrggbb`, `#rgb`, number).
    pub fn color_of(text: &str) -> [u8; 3] {
        unimplemented!()
    }
}
