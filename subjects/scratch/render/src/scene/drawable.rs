//! The drawables of a scene.

use std::cell::Cell;
use std::sync::Arc;

use super::bubble::Bubble;
use super::fingerprint::Fingerprint;
use crate::bounds::HullPoints;
use crate::bounds::Rect;
use crate::effect::{Effect, Effects};
use crate::matrix::{Model, Rotation};
use crate::rounding::round_half_up;
use crate::skin::{Level, SkinId, SkinSet};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Look {
    Nothing,
    Costume(SkinId),
    PenLayer,
    Bubble(Arc<Bubble>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawable {
    pub(super) look: Look,
    pub(super) visible: bool,
    pub(super) effects: Effects,
    /// The raster of the costume for the scale.
    pub(super) level: Level,
    /// Size and rotation centre of the picture.
    pub(super) size: (f64, f64),
    center: (f32, f32),
    position: (f32, f32),
    direction: f64,
    scale: (f32, f32),
    rotation: Rotation,
    /// Whether the drawable is rotated by a multiple of 90 degrees and scaled to between 99 and 101
    /// percent, mirrored or not.
    axis_aligned: bool,
    pub(super) model: Model,
    /// The hull, if it is valid and has points. It is part of the state, not only a cache,
    /// because its presence changes answers.
    hull: Option<Hull>,
    boxes: Boxes,
    appearance: KnownAppearance,
}

/// The boxes returned by [`fast_bounds`](Drawable::fast_bounds) and
/// [`snapped_bounds`](Drawable::snapped_bounds). They are computed on demand, because most
/// drawables move more often than they are sensed. Until then, the left side is NaN, because an
/// `Option` would enlarge states that are copied often.
#[derive(Clone, Debug)]
struct Boxes(Cell<(Rect, Rect)>);

impl Default for Boxes {
    fn default() -> Boxes {
        let unknown = Rect { left: f64::NAN, right: 0.0, bottom: 0.0, top: 0.0 };
        Boxes(Cell::new((unknown, unknown)))
    }
}

/// The boxes are determined by the other fields of a drawable.
impl PartialEq for Boxes {
    fn eq(&self, _: &Boxes) -> bool {
        true
    }
}

/// The cached [appearance](Drawable::appearance); the default fingerprint if it has not been
/// computed since the last change.
#[derive(Clone, Debug, Default)]
struct KnownAppearance(Cell<Fingerprint>);

/// The appearance is determined by the other fields of a drawable.
impl PartialEq for KnownAppearance {
    fn eq(&self, _: &KnownAppearance) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hull {
    pub(super) points: Arc<HullPoints>,
    /// The box around the points before the translation to the drawable's position.
    untranslated: Rect,
}

impl Drawable {
    pub(super) fn new() -> Self {
        let mut drawable = Self {
            look: Look::Nothing,
            visible: true,
            effects: Effects::default(),
            level: Level::NONE,
            size: (0.0, 0.0),
            center: (0.0, 0.0),
            position: (0.0, 0.0),
            direction: 90.0,
            scale: (100.0, 100.0),
            rotation: Rotation::of_direction(90.0),
            axis_aligned: true,
            model: Model::default(),
            hull: None,
            boxes: Boxes::default(),
            appearance: KnownAppearance::default(),
        };
        drawable.update_model();
        drawable
    }

    pub(super) fn set_look(&mut self, look: Look, skins: &SkinSet) {
        if look == self.look {
            return;
        }
        (self.size, self.center) = match &look {
            Look::Nothing => ((0.0, 0.0), (0.0, 0.0)),
            Look::Costume(id) => (skins.skin(*id).size, skins.skin(*id).center),
            Look::PenLayer => ((480.0, 360.0), (240.0, 180.0)),
            Look::Bubble(bubble) => (bubble.size(), (0.0, 0.0)),
        };
        self.look = look;
        self.hull = None;
        self.choose_level(skins);
        self.update_model();
    }

    pub(super) fn move_to(&mut self, x: f64, y: f64) {
        self.position = (round_half_up(x) as f32, round_half_up(y) as f32);
        self.model.move_to(self.position);
        self.boxes = Boxes::default();
        self.appearance = KnownAppearance::default();
    }

    pub(super) fn set_direction_scale(
        &mut self,
        direction: f64,
        scale: (f32, f32),
        skins: &SkinSet,
    ) {
        if direction != self.direction {
            self.direction = direction;
            self.rotation = Rotation::of_direction(direction);
        } else if scale == self.scale {
            return;
        }
        if scale != self.scale {
            self.scale = scale;
            self.choose_level(skins);
        }
        let near_full_size = |scale: f32| scale.abs() > 99.0 && scale.abs() < 101.0;
        self.axis_aligned =
            direction % 90.0 == 0.0 && near_full_size(scale.0) && near_full_size(scale.1);
        self.update_model();
    }

    pub(super) fn set_visible(&mut self, visible: bool) {
        if self.visible != visible {
            self.visible = visible;
            self.forget_hull();
        }
    }

    pub(super) fn set_effect(&mut self, effect: Effect, raw: f64) {
        self.effects.set(effect, raw);
        self.appearance = KnownAppearance::default();
        if effect.changes_shape() {
            self.forget_hull();
        }
    }

    pub(super) fn has_hull(&self) -> bool {
        self.hull.is_some()
    }

    /// Sets the hull. An empty hull counts as unknown.
    pub(super) fn set_hull(&mut self, points: Arc<HullPoints>) {
        self.hull =
            self.model.untranslated(&points).map(|untranslated| Hull { points, untranslated });
        self.boxes = Boxes::default();
    }

    pub(super) fn hull_points(&self) -> &HullPoints {
        self.hull.as_ref().map_or(&[], |hull| &hull.points)
    }

    pub(super) fn forget_hull(&mut self) {
        if self.hull.take().is_some() {
            self.boxes = Boxes::default();
        }
    }

    pub(super) fn fast_bounds(&self) -> Rect {
        self.boxes().0
    }

    pub(super) fn snapped_bounds(&self) -> Rect {
        self.boxes().1
    }

    fn boxes(&self) -> (Rect, Rect) {
        let known = self.boxes.0.get();
        if !known.0.left.is_nan() {
            return known;
        }
        let fast = match &self.hull {
            Some(hull) => self.model.translated(hull.untranslated),
            None => self.model.aabb(),
        };
        let boxes = (fast, fast.snapped());
        self.boxes.0.set(boxes);
        boxes
    }

    /// The fingerprint of the drawable's own properties that determine its colours at the points of
    /// the stage. It contains neither the pixels of bubbles and the pen layer nor the largest
    /// raster of the costume.
    pub(super) fn appearance(&self) -> Fingerprint {
        let known = self.appearance.0.get();
        if known != Fingerprint::default() {
            return known;
        }
        let skin = if let Look::Costume(skin) = self.look { skin.0 } else { u32::MAX };
        let (effects, enabled) = self.effects.parts();
        let flags = [self.level.rank(), enabled, u8::from(self.axis_aligned)];
        let flags = flags.iter().fold(0, |word, &flag| word << 8 | u64::from(flag));
        let plain = Fingerprint::of(u64::from(skin)).singles(&self.model.entries()).with(flags, 0);
        let print = if enabled == 0 { plain } else { plain.numbers(effects) };
        self.appearance.0.set(print);
        print
    }

    pub(super) fn pose(&self) -> (f64, (f32, f32)) {
        (self.direction, self.scale)
    }

    pub(super) fn position(&self) -> (f64, f64) {
        (f64::from(self.position.0), f64::from(self.position.1))
    }

    /// Whether touching uses one sample instead of four.
    pub(super) fn samples_nearest(&self, skins: &SkinSet) -> bool {
        let Look::Costume(skin) = self.look else { return true };
        !skins.skin(skin).is_vector() || !self.effects.changes_shape() && self.axis_aligned
    }

    fn choose_level(&mut self, skins: &SkinSet) {
        self.level = match self.look {
            Look::Costume(skin) => skins.skin(skin).level(self.scale),
            _ => Level::NONE,
        };
    }

    fn update_model(&mut self) {
        self.model = Model::new(self.rotation, self.size, self.center, self.scale, self.position);
        self.appearance = KnownAppearance::default();
        match self.hull.take() {
            Some(hull) => self.set_hull(hull.points),
            None => self.boxes = Boxes::default(),
        }
    }
}
