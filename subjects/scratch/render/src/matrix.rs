//! Transformations from costume to stage coordinates and back.
//!
//! The original keeps its matrices in binary32 arrays but computes in binary64. Every entry here is
//! a binary32 number, but the arithmetic is binary64.

use crate::bounds::HullPoints;
use crate::bounds::Rect;

/// The affine part of the model matrix, which maps a skin to the stage.
///
/// It maps a local point (x, y) in [-0.5, 0.5]^2 to
/// `(xx * x + xy * y + tx, yx * x + yy * y + ty)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Model {
    xx: f32,
    yx: f32,
    xy: f32,
    yy: f32,
    tx: f32,
    ty: f32,
    /// Sine and cosine of the rotation, and the offset of the costume's middle from its centre
    /// before rotation. They are kept so that a move recomputes only `tx` and `ty`.
    sin: f32,
    cos: f32,
    ax: f32,
    ay: f32,
}

/// Sine and cosine of the angle of a rendered direction, with their rounding errors: at direction
/// 90, the sine is 1.2e-16 instead of 0, an error that shows in bounds near the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rotation {
    sin: f32,
    cos: f32,
}

impl Rotation {
    pub(crate) fn of_direction(direction: f64) -> Self {
        let angle = (270.0 - direction) * std::f64::consts::PI / 180.0;
        Self { sin: libm::sin(angle) as f32, cos: libm::cos(angle) as f32 }
    }
}

impl Model {
    /// The model of a skin with `size` and `center` in stage units; `scale` is in percent.
    pub(crate) fn new(
        rotation: Rotation,
        size: (f64, f64),
        center: (f32, f32),
        scale: (f32, f32),
        position: (f32, f32),
    ) -> Self {
        let (w, h) = size;
        let (sx, sy) = (f64::from(scale.0), f64::from(scale.1));
        let (cx, cy) = (f64::from(center.0), f64::from(center.1));
        let Rotation { sin, cos } = rotation;
        let (s, c) = (f64::from(sin), f64::from(cos));
        let width = f64::from((w * sx / 100.0) as f32);
        let height = f64::from((h * sy / 100.0) as f32);
        let mut model = Self {
            xx: (width * c) as f32,
            yx: (width * s) as f32,
            xy: (height * -s) as f32,
            yy: (height * c) as f32,
            tx: 0.0,
            ty: 0.0,
            sin,
            cos,
            ax: ((cx - w / 2.0) * sx / 100.0) as f32,
            ay: -((cy - h / 2.0) * sy / 100.0) as f32,
        };
        model.move_to(position);
        model
    }

    pub(crate) fn move_to(&mut self, (px, py): (f32, f32)) {
        let (s, c) = (f64::from(self.sin), f64::from(self.cos));
        let (ax, ay) = (f64::from(self.ax), f64::from(self.ay));
        self.tx = (c * ax + -s * ay + f64::from(px)) as f32;
        self.ty = (s * ax + c * ay + f64::from(py)) as f32;
    }

    pub(crate) fn entries(&self) -> [f32; 6] {
        [self.xx, self.yx, self.xy, self.yy, self.tx, self.ty]
    }

    pub(crate) fn apply(&self, (x, y): (f32, f32)) -> (f64, f64) {
        let (x, y) = (f64::from(x), f64::from(y));
        let to = |a: f32, b: f32, t: f32| {
            f64::from((f64::from(a) * x + f64::from(b) * y + f64::from(t)) as f32)
        };
        (to(self.xx, self.xy, self.tx), to(self.yx, self.yy, self.ty))
    }

    /// The box around local points after rotation and scaling but without translation. From this
    /// box, [`translated`](Self::translated) computes the box around the points after
    /// [`apply`](Self::apply), exact to the bit, because both addition and rounding are monotone.
    pub(crate) fn untranslated(&self, points: &HullPoints) -> Option<Rect> {
        let turned = |&(x, y): &(f32, f32)| {
            let (x, y) = (f64::from(x), f64::from(y));
            let to = |a: f32, b: f32| f64::from(a) * x + f64::from(b) * y;
            (to(self.xx, self.xy), to(self.yx, self.yy))
        };
        Rect::around(points.iter().map(turned))
    }

    pub(crate) fn translated(&self, untranslated: Rect) -> Rect {
        let x = |x: f64| f64::from((x + f64::from(self.tx)) as f32);
        let y = |y: f64| f64::from((y + f64::from(self.ty)) as f32);
        Rect {
            left: x(untranslated.left),
            right: x(untranslated.right),
            bottom: y(untranslated.bottom),
            top: y(untranslated.top),
        }
    }

    /// The box around the whole costume, transparent margins included.
    pub(crate) fn aabb(&self) -> Rect {
        self.aabb_of(1.0, 1.0)
    }

    /// The box around the whole costume if it were larger by these factors, with the same middle.
    pub(crate) fn aabb_of(&self, wide: f64, high: f64) -> Rect {
        let half =
            |a: f32, b: f32| (0.5 * f64::from(a) * wide).abs() + (0.5 * f64::from(b) * high).abs();
        let (hx, hy) = (half(self.xx, self.xy), half(self.yx, self.yy));
        let (x, y) = (f64::from(self.tx), f64::from(self.ty));
        Rect { left: -hx + x, right: hx + x, bottom: -hy + y, top: hy + y }
    }

    pub(crate) fn inverse(&self) -> InverseModel {
        let [xx, yx, xy, yy, tx, ty] =
            [self.xx, self.yx, self.xy, self.yy, self.tx, self.ty].map(f64::from);
        let d = 1.0 / (xx * yy + xy * -yx);
        let stored = |value: f64| f64::from((d * value) as f32);
        InverseModel {
            ux: stored(yy),
            uy: stored(-xy),
            u0: stored(xy * ty - tx * yy),
            vx: stored(-yx),
            vy: stored(xx),
            v0: stored(tx * yx - xx * ty),
        }
    }
}

/// Transformation from stage points to texture coordinates: u to the right, v down, both from 0
/// to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InverseModel {
    pub(crate) ux: f64,
    pub(crate) uy: f64,
    pub(crate) u0: f64,
    pub(crate) vx: f64,
    pub(crate) vy: f64,
    pub(crate) v0: f64,
}

impl InverseModel {
    /// Whether a move by one stage unit changes the texture coordinates by much more than their
    /// rounding errors.
    pub(crate) fn is_precise(&self) -> bool {
        let precise = |a: f64, b: f64, t: f64| a.abs().max(b.abs()) > 1e-3 && t.abs() < 100.0;
        precise(self.ux, self.uy, self.u0) && precise(self.vx, self.vy, self.v0)
    }

    /// Whether the absolute values of all entries are below 1e6, so texture coordinates are
    /// finite near the stage.
    pub(crate) fn is_moderate(&self) -> bool {
        let Self { ux, uy, u0, vx, vy, v0 } = *self;
        [ux, uy, u0, vx, vy, v0].iter().all(|entry| entry.abs() < 1e6)
    }

    /// The texture coordinates of a stage point, before effects.
    #[inline]
    pub(crate) fn texture(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let u = f64::from((0.5 - (x * self.ux + y * self.uy + self.u0)) as f32);
        let v = f64::from((x * self.vx + y * self.vy + self.v0 + 0.5) as f32);
        let snapped = |t: f64| if t.abs() < 1e-6 { 0.0 } else { t };
        (snapped(u), snapped(v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(direction: f64) -> Model {
        Model::new(
            Rotation::of_direction(direction),
            (60.0, 60.0),
            (30.0, 30.0),
            (100.0, 100.0),
            (0.0, 0.0),
        )
    }

    #[test]
    fn the_rounding_error_of_a_half_turn_is_kept() {
        let bounds = square(90.0).aabb();
        assert_eq!(bounds.right, 30.000_000_000_000_004);
        assert_eq!(bounds.left, -30.000_000_000_000_004);
        assert_eq!(bounds.snapped().right, 31.0);
    }

    #[test]
    fn the_top_left_of_the_texture_is_the_top_left_of_the_costume() {
        let inverse = square(90.0).inverse();
        assert_eq!(inverse.texture((-30.0, 30.0)), (0.0, 0.0));
        assert_eq!(inverse.texture((30.0, -30.0)), (1.0, 1.0));
        // Direction 180 turns the costume clockwise by 90 degrees.
        let (u, v) = square(180.0).inverse().texture((30.0, 30.0));
        assert!(u.abs() < 1e-6 && v.abs() < 1e-6, "{u} {v}");
    }

    proptest::proptest! {
        #[test]
        fn the_box_surrounds_the_points(
            points in proptest::collection::vec((-0.5_f32..0.5, -0.5_f32..0.5), 0..20),
            direction in -180.0..180.0,
            size in (0.5..480.0, 0.5..360.0),
            center in (-100.0_f32..100.0, -100.0_f32..100.0),
            scale in (-300.0_f32..300.0, -300.0_f32..300.0),
            position in (-600.0_f32..600.0, -400.0_f32..400.0),
        ) {
            let model =
                Model::new(Rotation::of_direction(direction), size, center, scale, position);
            let plain = Rect::around(points.iter().map(|&point| model.apply(point)));
            let box_of = model.untranslated(&points).map(|untranslated| model.translated(untranslated));
            proptest::prop_assert_eq!(box_of, plain);
        }
    }
}
