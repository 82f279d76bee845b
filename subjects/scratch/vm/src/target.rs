//! Targets: the stage, sprites and clones.

use std::sync::Arc;

use catherd_scratch_render::{DrawableId, Scene};
use catherd_scratch_sb3::RotationStyle;
use smallvec::SmallVec;

use crate::program::Sprite;
use crate::text::Text;
use crate::value::Value;

/// Number of a target of a VM: the stage, a sprite or a clone. The numbers of the stage and the
/// sprites are their positions in the project; the number of a deleted clone is reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId(pub u32);

/// Value in [`Target::running`] for a script without a thread.
pub(crate) const NO_THREAD: u32 = u32::MAX;

pub(crate) struct Target {
    /// Position in [`Program::sprites`](crate::program::Program).
    pub(crate) sprite: u32,
    pub(crate) original: bool,
    /// 0 for the stage and sprites; clones are numbered from 1 in the order of their creation.
    pub(crate) serial: u32,
    /// See [`crate::TargetView::siblings`].
    pub(crate) siblings: u16,
    pub(crate) alive: bool,
    pub(crate) drawable: DrawableId,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) direction: f64,
    pub(crate) size: f64,
    pub(crate) visible: bool,
    pub(crate) draggable: bool,
    pub(crate) rotation_style: RotationStyle,
    pub(crate) costume: usize,
    pub(crate) volume: f64,
    pub(crate) effects: [f64; 7],
    /// Pitch and pan.
    pub(crate) sound_effects: [f64; 2],
    pub(crate) bubble: Bubble,
    pub(crate) pen: Pen,
    pub(crate) variables: Vec<Value>,
    pub(crate) lists: Vec<List>,
    /// Last value of each edge-activated hat's predicate.
    pub(crate) edges: SmallVec<[Option<bool>; 2]>,
    /// Slot of the thread of each script, or [`NO_THREAD`].
    pub(crate) running: Vec<u32>,
}

#[derive(Clone)]
pub(crate) struct List {
    pub(crate) items: Arc<Vec<Value>>,
    pub(crate) exists: bool,
    /// The items while the linear form executes and has [opened](crate::linear::Items) the list.
    pub(crate) open: Option<Vec<Value>>,
}

/// A speech or thought bubble. The text is kept while the sprite is hidden.
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

impl Target {
    pub(crate) fn new(number: u32, sprite: &Sprite, drawable: DrawableId) -> Target {
        let initial = &sprite.initial;
        let lists = sprite.lists.iter();
        let edge_hats = sprite.scripts.iter().filter(|script| script.edge_hat.is_some());
        Target {
            sprite: number,
            original: true,
            serial: 0,
            siblings: 0,
            alive: true,
            drawable,
            x: initial.x,
            y: initial.y,
            direction: initial.direction,
            size: initial.size,
            visible: initial.visible,
            draggable: initial.draggable,
            rotation_style: initial.rotation_style,
            costume: initial.costume,
            volume: initial.volume,
            effects: [0.0; 7],
            sound_effects: [0.0; 2],
            bubble: Bubble { text: None, drawable: None, on_right: true },
            pen: Pen::default(),
            variables: sprite.variables.iter().map(|v| v.value.clone()).collect(),
            lists: lists
                .map(|l| List { items: l.items.clone(), exists: l.declared, open: None })
                .collect(),
            edges: edge_hats.map(|_| None).collect(),
            running: vec![NO_THREAD; sprite.scripts.len()],
        }
    }

    /// Direction, horizontal and vertical scale with which the target is drawn.
    pub(crate) fn drawn_transform(&self) -> (f64, f64, f64) {
        match self.rotation_style {
            RotationStyle::AllAround => (self.direction, self.size, self.size),
            RotationStyle::DontRotate => (90.0, self.size, self.size),
            RotationStyle::LeftRight if self.direction < 0.0 => (90.0, -self.size, self.size),
            RotationStyle::LeftRight => (90.0, self.size, self.size),
        }
    }

    pub(crate) fn update_drawable(&self, scene: &mut Scene) {
        scene.set_position(self.drawable, self.x, self.y);
        self.update_rotation(scene);
    }

    pub(crate) fn update_rotation(&self, scene: &mut Scene) {
        let (direction, sx, sy) = self.drawn_transform();
        scene.set_direction_scale(self.drawable, direction, sx, sy);
    }
}

/// Implements `Clone` field by field, with a `clone_from` that reuses allocations, because
/// snapshots are often restored.
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
pub(crate) use clone_fields;

clone_fields!(Target {
    sprite,
    original,
    serial,
    siblings,
    alive,
    drawable,
    x,
    y,
    direction,
    size,
    visible,
    draggable,
    rotation_style,
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
