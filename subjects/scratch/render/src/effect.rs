//! The seven graphic effects. Four of them transform texture coordinates.

use crate::rounding::{clamp, round_half_up, to_binary32};

/// A graphic effect of the looks blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum Effect {
    /// Rotates the hue; 200 is a full turn.
    Color,
    /// Bulges the costume around its middle.
    Fisheye,
    /// Twists the costume; the value is the angle in degrees at the middle.
    Whirl,
    /// Enlarges the pixels.
    Pixelate,
    /// Repeats the costume in a grid.
    Mosaic,
    /// Adds a number to every colour channel: -100 results in black, and 100 in white.
    Brightness,
    /// Transparency in percent.
    Ghost,
}

impl Effect {
    /// All effects, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Color,
        Self::Fisheye,
        Self::Whirl,
        Self::Pixelate,
        Self::Mosaic,
        Self::Brightness,
        Self::Ghost,
    ];

    /// The effect with a lower-case name, as written in project files.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "color" => Self::Color,
            "fisheye" => Self::Fisheye,
            "whirl" => Self::Whirl,
            "pixelate" => Self::Pixelate,
            "mosaic" => Self::Mosaic,
            "brightness" => Self::Brightness,
            "ghost" => Self::Ghost,
            _ => return None,
        })
    }

    pub(crate) const fn changes_shape(self) -> bool {
        matches!(self, Self::Fisheye | Self::Whirl | Self::Pixelate | Self::Mosaic)
    }

    const fn bit(self) -> u8 {
        1 << self as usize
    }

    fn converted(self, raw: f64) -> f64 {
        match self {
            Self::Color => (raw / 200.0) % 1.0,
            Self::Fisheye => ((raw + 100.0) / 100.0).max(0.0),
            Self::Whirl => -raw * std::f64::consts::PI / 180.0,
            Self::Pixelate => raw.abs() / 10.0,
            Self::Mosaic => clamp(round_half_up((raw.abs() + 10.0) / 10.0), 1.0, 512.0),
            Self::Brightness => clamp(raw, -100.0, 100.0) / 100.0,
            Self::Ghost => 1.0 - clamp(raw, 0.0, 100.0) / 100.0,
        }
    }
}

const SHAPE: u8 =
    Effect::Fisheye.bit() | Effect::Whirl.bit() | Effect::Pixelate.bit() | Effect::Mosaic.bit();

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effects {
    enabled: u8,
    converted: [f64; 7],
}

impl Default for Effects {
    fn default() -> Self {
        Self { enabled: 0, converted: Effect::ALL.map(|effect| effect.converted(0.0)) }
    }
}

impl Effects {
    pub(crate) fn set(&mut self, effect: Effect, raw: f64) {
        // As in the original, an effect is enabled if its raw value is neither 0 nor NaN.
        let raw = if raw.is_nan() { 0.0 } else { raw };
        if raw == 0.0 {
            self.enabled &= !effect.bit();
        } else {
            self.enabled |= effect.bit();
        }
        self.converted[effect as usize] = effect.converted(raw);
    }

    /// The converted values of all effects, and a bit for each effect that is enabled.
    pub(crate) fn parts(&self) -> (&[f64; 7], u8) {
        (&self.converted, self.enabled)
    }

    pub(crate) fn enabled(&self, effect: Effect) -> bool {
        self.enabled & effect.bit() != 0
    }

    pub(crate) fn any(&self) -> bool {
        self.enabled != 0
    }

    pub(crate) fn changes_shape(&self) -> bool {
        self.enabled & SHAPE != 0
    }

    pub(crate) fn value(&self, effect: Effect) -> f64 {
        self.converted[effect as usize]
    }

    /// Applies the enabled effects that change shapes to a texture coordinate, in the order of the
    /// original fragment program. `size` is the skin's logical size.
    pub(crate) fn transform(&self, (mut u, mut v): (f64, f64), size: (f64, f64)) -> (f64, f64) {
        if self.enabled(Effect::Mosaic) {
            let count = self.value(Effect::Mosaic);
            (u, v) = (to_binary32((count * u) % 1.0), to_binary32((count * v) % 1.0));
        }
        if self.enabled(Effect::Pixelate) {
            let pixel = self.value(Effect::Pixelate);
            let (tx, ty) = (size.0 / pixel, size.1 / pixel);
            u = to_binary32(((u * tx).floor() + 0.5) / tx);
            v = to_binary32(((v * ty).floor() + 0.5) / ty);
        }
        if self.enabled(Effect::Whirl) {
            let (ox, oy) = (u - 0.5, v - 0.5);
            let magnitude = (ox * ox + oy * oy).sqrt();
            let factor = (1.0 - magnitude / 0.5).max(0.0);
            let angle = self.value(Effect::Whirl) * factor * factor;
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            u = to_binary32(cos * ox + sin * oy + 0.5);
            v = to_binary32(-sin * ox + cos * oy + 0.5);
        }
        if self.enabled(Effect::Fisheye) {
            let (ex, ey) = ((u - 0.5) / 0.5, (v - 0.5) / 0.5);
            let length = (ex * ex + ey * ey).sqrt();
            let radius = libm::pow(length.min(1.0), self.value(Effect::Fisheye)) * length.max(1.0);
            // At the exact centre, `ex / length` is 0/0, so the coordinates are NaN and the point
            // touches nothing.
            u = to_binary32(0.5 + radius * (ex / length) * 0.5);
            v = to_binary32(0.5 + radius * (ey / length) * 0.5);
        }
        (u, v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (index, effect) in Effect::ALL.into_iter().enumerate() {
            assert_eq!(effect as usize, index);
            assert_eq!(Effect::from_name(&format!("{effect:?}").to_lowercase()), Some(effect));
        }
        assert_eq!(Effect::from_name("Ghost"), None);
    }

    #[test]
    fn an_effect_is_enabled_if_its_value_is_truthy() {
        let mut effects = Effects::default();
        for (raw, on) in [(1.0, true), (0.0, false), (-0.5, true), (f64::NAN, false)] {
            effects.set(Effect::Whirl, raw);
            assert_eq!(effects.any(), on, "{raw}");
        }
    }

    #[test]
    fn the_exact_centre_of_a_fisheye_has_no_coordinates() {
        let mut effects = Effects::default();
        effects.set(Effect::Fisheye, 50.0);
        let (u, v) = effects.transform((0.5, 0.5), (20.0, 20.0));
        assert!(u.is_nan() && v.is_nan());
    }

    #[test]
    fn mosaic_of_ten_repeats_the_costume_twice_on_each_axis() {
        let mut effects = Effects::default();
        effects.set(Effect::Mosaic, 10.0);
        assert_eq!(effects.transform((0.75, 0.25), (20.0, 20.0)), (0.5, 0.5));
    }
}
