//! Affine transformations in SVG documents, and numbers in attributes.

use svgtypes::{TransformListParser, TransformListToken};

/// Maps `(x, y)` to `(a x + c y + e, b x + d y + f)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix {
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) c: f64,
    pub(super) d: f64,
    pub(super) e: f64,
    pub(super) f: f64,
}

impl Matrix {
    pub(super) const IDENTITY: Self = Self { a: 1.0, b: 0.0, c: 0.0, d: 1.0, e: 0.0, f: 0.0 };

    /// Parses a `transform` attribute. An invalid attribute results in the identity. Sines, cosines
    /// and tangents are computed without the functions of the platform, so they are the same
    /// everywhere.
    pub(super) fn parse(text: &str) -> Self {
        let one = Self::IDENTITY;
        let radians = |degrees: f64| degrees * std::f64::consts::PI / 180.0;
        TransformListParser::from(text)
            .try_fold(one, |matrix, token| {
                let next = match token? {
                    TransformListToken::Matrix { a, b, c, d, e, f } => Self { a, b, c, d, e, f },
                    TransformListToken::Translate { tx, ty } => Self { e: tx, f: ty, ..one },
                    TransformListToken::Scale { sx, sy } => Self { a: sx, d: sy, ..one },
                    TransformListToken::Rotate { angle } => {
                        let (sin, cos) = (libm::sin(radians(angle)), libm::cos(radians(angle)));
                        Self { a: cos, b: sin, c: -sin, d: cos, ..one }
                    }
                    TransformListToken::SkewX { angle } => {
                        Self { c: libm::tan(radians(angle)), ..one }
                    }
                    TransformListToken::SkewY { angle } => {
                        Self { b: libm::tan(radians(angle)), ..one }
                    }
                };
                Ok::<_, svgtypes::Error>(matrix.then_inner(next))
            })
            .unwrap_or(one)
    }

    /// The matrix that first applies `inner` and then this matrix.
    pub(super) fn then_inner(self, inner: Self) -> Self {
        let (a, b) = self.apply_direction((inner.a, inner.b));
        let (c, d) = self.apply_direction((inner.c, inner.d));
        let (e, f) = self.apply((inner.e, inner.f));
        Self { a, b, c, d, e, f }
    }

    pub(super) fn apply(self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)
    }

    fn apply_direction(self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.a * x + self.c * y, self.b * x + self.d * y)
    }

    /// The quadratic mean of the scales of both axes.
    pub(super) fn mean_scale(self) -> f64 {
        let Self { a, b, c, d, .. } = self;
        let determinant = a * d - b * c;
        let (kx, ky) = if a != 0.0 || b != 0.0 {
            let kx = (a * a + b * b).sqrt();
            (kx, determinant / kx)
        } else if c != 0.0 || d != 0.0 {
            let ky = (c * c + d * d).sqrt();
            (determinant / ky, ky)
        } else {
            (0.0, 0.0)
        };
        quadratic_mean(kx, ky)
    }
}

impl std::fmt::Display for Matrix {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { a, b, c, d, e, f } = self;
        write!(formatter, "matrix({a} {b} {c} {d} {e} {f})")
    }
}

pub(super) fn quadratic_mean(a: f64, b: f64) -> f64 {
    ((a * a + b * b) / 2.0).sqrt()
}

/// Converts text to a number as JavaScript does, but accepts only decimal notation.
pub(super) fn number(text: &str) -> f64 {
    let text = text.trim();
    if text.is_empty() {
        return 0.0;
    }
    // Rust also parses words such as `inf`, which JavaScript does not.
    if text.contains(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E') {
        return f64::NAN;
    }
    text.parse().unwrap_or(f64::NAN)
}

pub(super) fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_compose_from_the_left() {
        let matrix = Matrix::parse("translate(10 20) scale(2)");
        assert_eq!(matrix.apply((1.0, 1.0)), (12.0, 22.0));
        assert_eq!(Matrix::parse("nonsense"), Matrix::IDENTITY);
        let (x, y) = Matrix::parse("rotate(90 5 5)").apply((5.0, 0.0));
        assert!((x - 10.0).abs() < 1e-12 && (y - 5.0).abs() < 1e-12);
    }

    #[test]
    fn scales_are_averaged() {
        assert_eq!(Matrix::parse("scale(3 4)").mean_scale(), 12.5_f64.sqrt());
        assert_eq!(Matrix::parse("scale(0)").mean_scale(), 0.0);
    }

    #[test]
    fn numbers_with_units_are_nan() {
        assert_eq!(number(" 2.5e1 "), 25.0);
        assert_eq!(number(""), 0.0);
        assert!(number("2px").is_nan() && number("inf").is_nan());
    }
}
