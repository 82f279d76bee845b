//! Convex hulls of the visible pixels of drawables.

use crate::effect::Effects;
use crate::rounding::to_binary32;
use crate::silhouette::Silhouette;

/// The hull in the local coordinates of the model matrix, computed on the grid of logical units,
/// not of texels or stage pixels. Each row contributes the first and the last cell in which at
/// least one of four samples is solid; points are in the middle of their cells.
pub(crate) fn hull(
    silhouette: &Silhouette,
    effects: &Effects,
    (width, height): (f64, f64),
) -> Vec<(f32, f32)> {
    let touches = |x: f64, y: f64| {
        let mut point = (to_binary32(x / width), to_binary32(y / height));
        if effects.changes_shape() {
            point = effects.transform(point, (width, height));
        }
        silhouette.touches_linear(point)
    };
    let (mut left, mut right) = (HullSide::new(1.0), HullSide::new(-1.0));
    let mut y = 0.0;
    while y < height {
        if let Some(x) = steps(0.0, |x| x < width, 1.0).find(|&x| touches(x, y)) {
            left.push((x, y));
            let last = steps(width - 1.0, |x| x >= 0.0, -1.0).find(|&x| touches(x, y));
            right.push((last.unwrap_or(x), y));
        }
        y += 1.0;
    }
    let local = |&(x, y): &(f64, f64)| {
        (
            (0.5 + -x / width - 1.0 / width / 2.0) as f32,
            (y / height - 0.5 + 1.0 / height / 2.0) as f32,
        )
    };
    left.points.iter().chain(right.points.iter().rev()).map(local).collect()
}

fn steps(start: f64, inside: impl Fn(f64) -> bool, step: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(start), move |x| Some(x + step)).take_while(move |&x| inside(x))
}

struct HullSide {
    points: Vec<(f64, f64)>,
    /// 1 for the left side, -1 for the right.
    turn: f64,
}

impl HullSide {
    fn new(turn: f64) -> Self {
        Self { points: Vec::new(), turn }
    }

    fn push(&mut self, point: (f64, f64)) {
        while let [.., before, last] = self.points[..] {
            let area =
                (before.0 - last.0) * (point.1 - last.1) - (before.1 - last.1) * (point.0 - last.0);
            if area * self.turn > 0.0 {
                break;
            }
            self.points.pop();
        }
        self.points.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::silhouette::Alpha;

    #[test]
    fn collinear_points_are_dropped() {
        let square = Silhouette::new(20, 20, vec![[0, 0, 0, 255]; 400], Alpha::Straight);
        let points = hull(&square, &Effects::default(), (20.0, 20.0));
        let corner = 0.475_f32;
        assert_eq!(
            points,
            [(corner, -corner), (corner, corner), (-corner, corner), (-corner, -corner)]
        );
    }

    #[test]
    fn at_scale_one_the_right_edge_reaches_one_cell_further() {
        // Texels 5 to 9 of 20 are solid; cell x covers texels x-1 and x.
        let pixels = (0..400)
            .map(|i| if (5..10).contains(&(i % 20)) { [0, 0, 0, 255] } else { [0; 4] })
            .collect();
        let bar = Silhouette::new(20, 20, pixels, Alpha::Straight);
        let points = hull(&bar, &Effects::default(), (20.0, 20.0));
        let cells: Vec<f32> = points.iter().map(|p| (0.5 - p.0) * 20.0 - 0.5).collect();
        assert!(cells.iter().all(|&x| (x - 5.0).abs() < 1e-4 || (x - 10.0).abs() < 1e-4));
    }

    #[test]
    fn an_empty_costume_has_no_hull() {
        let empty = Silhouette::new(4, 4, vec![[0; 4]; 16], Alpha::Straight);
        assert!(hull(&empty, &Effects::default(), (4.0, 4.0)).is_empty());
    }
}
