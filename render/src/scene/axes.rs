//! Texels of the rows and columns of an area, for drawables at right angles.
//!
//! A query visits thousands of points, and for most drawables the texel's column depends on one
//! stage coordinate alone and its row on the other. Rounding dirt may break that rule, so it is
//! checked: every operation from a stage coordinate to a texel's index is monotonic, hence equal
//! indices at both ends of a line of points are equal all along it.

use crate::bounds::Rect;
use crate::matrix::Inverse;
use crate::silhouette::Silhouette;

/// One coordinate of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Texel {
    /// Column or row; negative when it is far outside.
    pub(super) index: i64,
    /// Whether the texture coordinate is one that has a colour.
    pub(super) colored: bool,
}

impl Texel {
    fn new(index: i64, t: f64) -> Self {
        Self { index, colored: (0.0..=1.0).contains(&t) }
    }
}

/// The texels of an area.
#[derive(Clone, Copy)]
pub(super) struct Axes<'a> {
    /// For every whole x from the left.
    across: &'a [Texel],
    /// For every whole y from the bottom.
    up: &'a [Texel],
    left: f64,
    bottom: f64,
    /// Whether x decides about rows.
    turned: bool,
}

impl<'a> Axes<'a> {
    /// Whether tables cost less than they save.
    pub(super) fn pay_off(area: Rect) -> bool {
        let (width, height) = (area.width() + 1.0, area.height() + 1.0);
        width * height > 8.0 * (width + height)
    }

    /// Appends the texels of an area of whole points to `texels`, first those along x. `None`
    /// if the rule does not hold; what was appended is useless then.
    pub(super) fn tabulate(
        silhouette: &Silhouette,
        inverse: &Inverse,
        area: Rect,
        texels: &mut Vec<Texel>,
    ) -> Option<bool> {
        // Points without coordinates have rules of their own.
        if !inverse.is_precise() {
            return None;
        }
        let turned = inverse.ux.abs() < inverse.uy.abs();
        let both = |point: (f64, f64)| {
            let (u, v) = inverse.texture(point);
            let column = Texel::new(silhouette.column(u), u);
            let row = Texel::new(silhouette.row(v), v);
            if turned { (row, column) } else { (column, row) }
        };
        let whole = |from: f64, to: f64| (from as i32..=to as i32).map(f64::from);
        for x in whole(area.left, area.right) {
            let texel = both((x, area.bottom)).0;
            if both((x, area.top)).0 != texel {
                return None;
            }
            texels.push(texel);
        }
        for y in whole(area.bottom, area.top) {
            let texel = both((area.left, y)).1;
            if both((area.right, y)).1 != texel {
                return None;
            }
            texels.push(texel);
        }
        Some(turned)
    }

    /// Reads a table that starts at the beginning of `texels`.
    pub(super) fn new(texels: &'a [Texel], area: Rect, turned: bool) -> Self {
        let (across, rest) = texels.split_at(area.width() as usize + 1);
        let up = &rest[..area.height() as usize + 1];
        Self { across, up, left: area.left, bottom: area.bottom, turned }
    }

    /// Column and row of the texel at a whole point of the area.
    #[inline]
    pub(super) fn texel(&self, (x, y): (f64, f64)) -> (Texel, Texel) {
        let across = self.across[(x - self.left) as i32 as usize];
        let up = self.up[(y - self.bottom) as i32 as usize];
        if self.turned { (up, across) } else { (across, up) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matrix::{Model, Rotation};
    use crate::silhouette::Alpha;

    #[test]
    fn upright_drawables_have_tables() {
        let silhouette = Silhouette::new(40, 30, vec![[1; 4]; 1200], Alpha::Premultiplied);
        // At 0 and 180 the dirt shows where points lie exactly on the costume's edge.
        for direction in [90.0, -90.0] {
            let model = Model::new(
                Rotation::of_direction(direction),
                (40.0, 30.0),
                (20.0, 15.0),
                (100.0, 100.0),
                (17.0, -5.0),
            );
            let area = model.aabb().snapped();
            let table = Axes::tabulate(&silhouette, &model.inverse(), area, &mut Vec::new());
            assert_eq!(table, Some(false), "direction {direction}");
        }
    }

    proptest! {
        #[test]
        fn tables_say_what_the_points_say(
            quarter in -2_i32..3,
            tilt in prop::sample::select(vec![0.0, 0.0, 1e-3, 1.0]),
            scale in (prop::sample::select(vec![100.0_f32, -100.0, 33.3, 271.0]), 5.0_f32..300.0),
            position in (-240_i16..240, -180_i16..180),
            size in (1_usize..40, 1_usize..40),
        ) {
            let (width, height) = size;
            let silhouette = Silhouette::new(
                width,
                height,
                vec![[1; 4]; width * height],
                Alpha::Premultiplied,
            );
            let model = Model::new(
                Rotation::of_direction(f64::from(quarter) * 90.0 + tilt),
                (width as f64, height as f64),
                (width as f32 / 3.0, height as f32),
                scale,
                (f32::from(position.0), f32::from(position.1)),
            );
            let area = model.aabb().on_stage().snapped();
            let inverse = model.inverse();
            let mut texels = Vec::new();
            if let Some(turned) = Axes::tabulate(&silhouette, &inverse, area, &mut texels) {
                let axes = Axes::new(&texels, area, turned);
                for x in area.left as i32..=area.right as i32 {
                    for y in area.bottom as i32..=area.top as i32 {
                        let point = (f64::from(x), f64::from(y));
                        let (u, v) = inverse.texture(point);
                        let (column, row) = axes.texel(point);
                        prop_assert_eq!(column, Texel::new(silhouette.column(u), u));
                        prop_assert_eq!(row, Texel::new(silhouette.row(v), v));
                    }
                }
            }
        }
    }
}
