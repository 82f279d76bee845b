//! What an extractor sees of a running program.

use catherd_sb3::BlockNo;

/// The original of a sprite, the stage, or a clone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance<Id> {
    /// How the program knows it.
    pub id: Id,
    /// Position in `Project::targets`.
    pub sprite: u16,
    /// 0 for the original; living clones count from 1 in order of creation.
    pub number: u32,
    /// Stage units.
    pub x: f64,
    /// Stage units.
    pub y: f64,
    /// Shown?
    pub visible: bool,
}

/// A running program between two steps. Questions that need pixels may draw, hence
/// `&mut`; none of them changes how the program goes on.
pub trait Scene {
    /// How the program knows its targets.
    type Id: Copy;

    /// Fills `instances` with the stage and the sprites in file order, then the clones in
    /// order of creation.
    fn instances(&self, instances: &mut Vec<Instance<Self::Id>>);
    /// A thread of the script with this top block is alive, in any clone.
    fn is_active(&self, top: BlockNo) -> bool;
    /// The hat was executed in the last step.
    fn ran_last_step(&self, hat: BlockNo) -> bool;
    /// A question is open.
    fn is_asking(&self) -> bool;
    /// Where the mouse is.
    fn mouse(&self) -> (f64, f64);
    /// Whether the mouse button is down.
    fn mouse_down(&self) -> bool;
    /// Touches the edge of the stage.
    fn touches_edge(&mut self, id: Self::Id) -> bool;
    /// Touches the sprite of that name or a clone of it.
    fn touches(&mut self, id: Self::Id, sprite: &str) -> bool;
    /// Touches a colour.
    fn touches_color(&mut self, id: Self::Id, color: [u8; 3]) -> bool;
    /// A colour of its own touches another colour.
    fn color_touches(&mut self, id: Self::Id, own: [u8; 3], other: [u8; 3]) -> bool;
    /// The nearest sample of a colour, the instance itself left out.
    fn find_color(&mut self, id: Self::Id, from: (f64, f64), color: [u8; 3]) -> Option<(f64, f64)>;
    /// The nearest sample of a colour on the instance itself.
    fn find_own_color(&mut self, id: Self::Id, color: [u8; 3]) -> Option<(f64, f64)>;
    /// Width and height of the bounding box.
    fn extent(&mut self, id: Self::Id) -> (f64, f64);
}
