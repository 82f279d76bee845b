//! The interface through which extractors observe a running program.

use catherd_scratch_sb3::BlockNo;

/// The stage, the original of a sprite, or a clone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance<Id> {
    /// Number in the running program.
    pub id: Id,
    /// Position in `Project::targets`.
    pub sprite: u16,
    /// 0 for the original; living clones are numbered from 1 in the order of their creation.
    pub number: u32,
    /// Horizontal position in stage units.
    pub x: f64,
    /// Vertical position in stage units.
    pub y: f64,
    /// Whether the instance is shown.
    pub visible: bool,
}

/// A tracer that records which blocks were evaluated in the last step.
pub trait LastStep {
    /// Whether the block was evaluated in the last step.
    fn ran_last_step(&self, block: BlockNo) -> bool;
}

/// A running program between two steps. Queries that need pixels take `&mut self`, because they may
/// render. Queries do not change how the program continues, except that later sensing may use
/// outlines that queries computed.
pub trait Scene {
    /// Number of a target in the program.
    type Id: Copy;

    /// Fills `instances` with the stage and the sprites in file order, then the clones in the order
    /// of their creation.
    fn instances(&self, instances: &mut Vec<Instance<Self::Id>>);
    /// Whether a thread of the script with this top block is alive, in the original or a clone.
    fn is_active(&self, top: BlockNo) -> bool;
    /// Whether the hat was executed in the last step.
    fn ran_last_step(&self, hat: BlockNo) -> bool;
    /// Whether a question is open.
    fn is_asking(&self) -> bool;
    /// Position of the mouse.
    fn mouse(&self) -> (f64, f64);
    /// Whether the mouse button is down.
    fn mouse_down(&self) -> bool;
    /// Whether the instance touches the edge of the stage.
    fn touches_edge(&mut self, id: Self::Id) -> bool;
    /// Whether the instance touches the sprite with this name or a clone of that sprite.
    fn touches(&mut self, id: Self::Id, sprite: &str) -> bool;
    /// Whether the instance touches a colour.
    fn touches_color(&mut self, id: Self::Id, color: [u8; 3]) -> bool;
    /// Whether the colour `own` of the instance touches the colour `other`.
    fn color_touches(&mut self, id: Self::Id, own: [u8; 3], other: [u8; 3]) -> bool;
    /// The first sample of a colour in a search that starts at `from` and ignores the instance
    /// itself.
    fn find_color(&mut self, id: Self::Id, from: (f64, f64), color: [u8; 3]) -> Option<(f64, f64)>;
    /// The first sample of a colour on the instance itself.
    fn find_own_color(&mut self, id: Self::Id, color: [u8; 3]) -> Option<(f64, f64)>;
    /// Width and height of the bounding box.
    fn extent(&mut self, id: Self::Id) -> (f64, f64);
}
