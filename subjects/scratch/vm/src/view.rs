//! Read access to a VM between steps.

use std::sync::Arc;

use catherd_scratch_render::{ColorOf, Rect, Scene};

use crate::program::{Program, VariableDef};
use crate::target::{Target, TargetId};
use crate::text::Text;
use crate::tracer::Tracer;
use crate::value::Value;
use crate::vm::Vm;

/// The bounds of the stage in stage units.
pub(crate) const STAGE: Rect = Rect { left: -240.0, right: 240.0, bottom: -180.0, top: 180.0 };

/// The state of one target.
pub struct TargetView<'a> {
    /// Number of the target.
    pub id: TargetId,
    /// Position of the target's sprite in the project's targets.
    pub sprite: usize,
    /// Name of the target's sprite.
    pub name: &'a Text,
    /// Whether the target is the stage or a sprite, not a clone.
    pub original: bool,
    /// Distinguishes clones that have the same number at different times; 0 for the stage and
    /// sprites.
    pub serial: u32,
    /// For a clone, the number of clones of its sprite at its creation, including the clone; 0 for
    /// the stage and sprites. Whisker names clones by this number.
    pub siblings: u16,
    /// Whether the target is the stage.
    pub is_stage: bool,
    /// Horizontal position in stage units, to the right.
    pub x: f64,
    /// Vertical position in stage units, upwards.
    pub y: f64,
    /// Direction in degrees; 90 is to the right.
    pub direction: f64,
    /// Size in percent.
    pub size: f64,
    /// Whether the target is shown.
    pub visible: bool,
    /// Index of the costume, from 0.
    pub costume: usize,
    /// How the costume rotates with the direction.
    pub rotation_style: catherd_scratch_sb3::RotationStyle,
    /// Volume in percent.
    pub volume: f64,
    /// Whether the target can be dragged.
    pub draggable: bool,
    /// Values of the effects color, fisheye, whirl, pixelate, mosaic, brightness, ghost.
    pub effects: [f64; 7],
    /// Text of the target's bubble; `None` without a bubble.
    pub bubble: Option<&'a Text>,
    state: &'a Target,
    program: &'a Program,
    scene: &'a Scene,
    tempo: f64,
}

impl<'a> TargetView<'a> {
    /// Whether the target exists; false for a deleted clone.
    pub fn exists(&self) -> bool {
        self.state.alive
    }

    /// Whether the bubble is on the right of the target.
    pub fn is_bubble_on_right(&self) -> bool {
        self.state.bubble.on_right
    }

    /// Position in the drawing order from the back, which the original calls layer order.
    pub fn order(&self) -> usize {
        self.scene.order(self.state.drawable)
    }

    /// Rank among sprites and clones from the back, from 1; 0 for the stage.
    pub fn layer(&self) -> usize {
        if self.is_stage {
            return 0;
        }
        let sprites = self.scene.sprite_order().filter(|&d| !self.scene.is_bubble(d));
        sprites.take_while(|&d| d != self.state.drawable).count() + 1
    }

    /// Names and values of the target's scalar variables.
    pub fn variables(&self) -> impl Iterator<Item = (&'a Text, &'a Value)> {
        let names = &self.program.sprites[self.sprite].variables;
        let pairs = names.iter().zip(&self.state.variables);
        let exists = |def: &VariableDef, value: &Value| {
            def.value != Value::Undefined || *value != Value::Undefined
        };
        pairs.filter(move |(def, v)| exists(def, v)).map(|(def, value)| (&def.name, value))
    }

    /// Names and items of the target's lists.
    pub fn lists(&self) -> impl Iterator<Item = (&'a Text, &'a [Value])> {
        let names = &self.program.sprites[self.sprite].lists;
        let pairs = names.iter().zip(&self.state.lists);
        pairs.filter(|(_, l)| l.exists).map(|(def, list)| (&def.name, &list.items[..]))
    }

    /// The scalar variable at a position in [`Program::variables`]; `None` if the variable does not
    /// exist.
    pub fn variable(&self, number: usize) -> Option<&'a Value> {
        self.state.variables.get(number).filter(|value| **value != Value::Undefined)
    }

    /// The values of all scalar variables of the target, in the order of [`Program::variables`];
    /// undefined for variables that do not exist yet.
    pub fn all_variables(&self) -> impl ExactSizeIterator<Item = &'a Value> + use<'a> {
        self.state.variables.iter()
    }

    /// The items of all lists of the target, in the order of [`Program::lists`], shared with the VM
    /// until the VM changes them.
    pub fn all_lists(&self) -> impl ExactSizeIterator<Item = &'a Arc<Vec<Value>>> + use<'a> {
        self.state.lists.iter().map(|list| &list.items)
    }

    /// Tempo in beats per minute, the same for all targets.
    pub fn tempo(&self) -> f64 {
        self.tempo
    }

    /// The list at a position in [`Program::lists`]; `None` if the list does not exist.
    pub fn list(&self, number: usize) -> Option<&'a [Value]> {
        let list = self.state.lists.get(number).filter(|list| list.exists);
        list.map(|list| &list.items[..])
    }
}

impl Program {
    /// Names of the stage and sprites, in the order of the project's targets.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = &Text> {
        self.sprites.iter().map(|sprite| &sprite.name)
    }

    /// The stage's position among the targets.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// Names of a target's own scalar variables.
    pub fn variables(&self, target: usize) -> impl ExactSizeIterator<Item = &Text> {
        self.sprites[target].variables.iter().map(|def| &def.name)
    }

    /// Names of a target's own lists.
    pub fn lists(&self, target: usize) -> impl ExactSizeIterator<Item = &Text> {
        self.sprites[target].lists.iter().map(|def| &def.name)
    }
}

impl<T: Tracer> Vm<T> {
    /// All targets: the stage and sprites in file order, and then clones in the order of creation.
    pub fn targets(&self) -> impl Iterator<Item = TargetId> + '_ {
        self.state.live_targets.iter().map(|live| live.id)
    }

    /// All targets, in the reverse of the order in which events start their scripts.
    pub fn execution_order(&self) -> impl Iterator<Item = TargetId> + '_ {
        self.state.execution_order.iter().copied()
    }

    /// A target; `None` if there is no such target, or if it has been deleted.
    pub fn target(&self, id: TargetId) -> Option<TargetView<'_>> {
        self.target_or_remains(id).filter(|view| view.state.alive)
    }

    /// A target, or the last state of a deleted clone whose number has not been reused.
    pub fn target_or_remains(&self, id: TargetId) -> Option<TargetView<'_>> {
        let state = self.state.targets.get(id.0 as usize)?;
        let sprite = state.sprite as usize;
        Some(TargetView {
            id,
            sprite,
            name: &self.program.sprites[sprite].name,
            original: state.original,
            serial: state.serial,
            siblings: state.siblings,
            is_stage: sprite == self.program.stage,
            x: state.x,
            y: state.y,
            direction: state.direction,
            size: state.size,
            visible: state.visible,
            costume: state.costume,
            rotation_style: state.rotation_style,
            volume: state.volume,
            draggable: state.draggable,
            effects: state.effects,
            bubble: state.bubble.text.as_ref().filter(|t| !t.is_empty()),
            state,
            program: &self.program,
            scene: &self.state.scene,
            tempo: self.state.tempo,
        })
    }

    /// Position of the mouse, as reported by `mouse x` and `mouse y`, or 0 for a coordinate that is
    /// not set yet.
    pub fn mouse(&self) -> (f64, f64) {
        (self.state.mouse.x.unwrap_or(0.0), self.state.mouse.y.unwrap_or(0.0))
    }

    /// Whether the mouse button is pressed.
    pub fn mouse_down(&self) -> bool {
        self.state.mouse.down
    }

    /// Whether a question waits for an answer.
    pub fn is_asking(&self) -> bool {
        !self.state.questions.is_empty()
    }

    /// Whether the target touches the edge of the stage.
    pub fn is_touching_edge(&mut self, target: TargetId) -> bool {
        self.is_touching(target, "_edge_")
    }

    /// Whether the target touches a sprite with this name (the original or any clone), `_mouse_`
    /// or `_edge_`.
    pub fn is_touching(&mut self, target: TargetId, name: &str) -> bool {
        self.interpreter().touching_named(target.0 as usize, &Text::new(name))
    }

    /// Whether the target touches a colour.
    pub fn is_touching_color(&mut self, target: TargetId, rgb: [u8; 3]) -> bool {
        let drawable = self.state.targets[target.0 as usize].drawable;
        self.state.scene.touching_color(drawable, rgb)
    }

    /// Whether one colour of the target touches another.
    pub fn is_color_touching_color(
        &mut self,
        target: TargetId,
        own: [u8; 3],
        rgb: [u8; 3],
    ) -> bool {
        let drawable = self.state.targets[target.0 as usize].drawable;
        self.state.scene.color_touching_color(drawable, own, rgb)
    }

    /// A point near `from` at which the stage without the target has a colour; `None` if no sampled
    /// point has this colour.
    pub fn find_color(
        &mut self,
        target: TargetId,
        from: (f64, f64),
        rgb: [u8; 3],
    ) -> Option<(f64, f64)> {
        let drawable = self.state.targets[target.0 as usize].drawable;
        self.state.scene.find_color(from, STAGE, rgb, ColorOf::AllBut(drawable), f64::INFINITY)
    }

    /// A point of the target that has a colour, searched from the target's position; `None` if no
    /// sampled point has this colour.
    pub fn find_own_color(&mut self, target: TargetId, rgb: [u8; 3]) -> Option<(f64, f64)> {
        let state = &self.state.targets[target.0 as usize];
        let (drawable, start) = (state.drawable, (state.x, state.y));
        let bounds = self.state.scene.fast_bounds(drawable);
        self.state.scene.find_color(start, bounds, rgb, ColorOf::Only(drawable), f64::INFINITY)
    }

    /// Width and height of the target's bounding box, which may include transparent margins.
    pub fn extent(&self, target: TargetId) -> (f64, f64) {
        let bounds = self.state.scene.fast_bounds(self.state.targets[target.0 as usize].drawable);
        (bounds.right - bounds.left, bounds.top - bounds.bottom)
    }
}
