//! Colours: how close two must be, and what effects make of one.

use crate::effect::{Effect, Effects};
use crate::rounding::clamped_byte;

/// Whether two colours count as the same: upper 5 bits of red and green, 4 of blue.
#[inline]
pub(crate) fn matches(a: [u8; 3], b: [u8; 3]) -> bool {
    (a[0] ^ b[0]) & 0xf8 == 0 && (a[1] ^ b[1]) & 0xf8 == 0 && (a[2] ^ b[2]) & 0xf0 == 0
}

/// Whether a sampled colour is the one of a mask: something is there, and the upper 6 bits agree.
#[inline]
pub(crate) fn matches_mask(sample: [u8; 4], mask: [u8; 3]) -> bool {
    sample[3] > 0 && sample.iter().zip(mask).all(|(a, b)| (a ^ b) & 0xfc == 0)
}

/// Which of the effects on colours a sense honours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ghosting {
    /// All effects: what others see of a drawable.
    Seen,
    /// All but ghost: a drawable's own colour.
    Ignored,
}

/// Applies the colour effects to a premultiplied colour. Every assignment is rounded to a byte.
pub(crate) fn with_effects(sample: [u8; 4], effects: &Effects, ghosting: Ghosting) -> [u8; 4] {
    let [mut r, mut g, mut b, mut a] = sample;
    if a == 0 {
        return sample;
    }
    let each = |channels: [u8; 3], f: &dyn Fn(f64) -> f64| {
        channels.map(|channel| clamped_byte(f(f64::from(channel))))
    };
    let (color, brightness) = (effects.enabled(Effect::Color), effects.enabled(Effect::Brightness));
    if color || brightness {
        let alpha = f64::from(a) / 255.0;
        [r, g, b] = each([r, g, b], &|channel| channel / alpha);
        if color {
            [r, g, b] = turned_hue([r, g, b], effects.value(Effect::Color));
        }
        if brightness {
            let more = effects.value(Effect::Brightness) * 255.0;
            [r, g, b] = each([r, g, b], &|channel| channel + more);
        }
        [r, g, b] = each([r, g, b], &|channel| channel * alpha);
    }
    if ghosting == Ghosting::Seen && effects.enabled(Effect::Ghost) {
        let opacity = effects.value(Effect::Ghost);
        [r, g, b] = each([r, g, b], &|channel| channel * opacity);
        a = clamped_byte(f64::from(a) * opacity);
    }
    [r, g, b, a]
}

/// The colour effect: hue turned by `turn` (1 is a full circle), dark and grey colours made
/// colourful enough for that to show.
fn turned_hue(rgb: [u8; 3], turn: f64) -> [u8; 3] {
    let [hue, mut saturation, mut value] = hsv(rgb);
    let mut hue = hue;
    if value < 0.11 / 2.0 {
        [hue, saturation, value] = [0.0, 1.0, 0.11 / 2.0];
    } else if saturation < 0.09 {
        [hue, saturation] = [0.0, 0.09];
    }
    rgb_of([(turn + hue + 1.0) % 1.0, saturation, value])
}

fn hsv(rgb: [u8; 3]) -> [f64; 3] {
    let [mut r, mut g, mut b] = rgb.map(|channel| f64::from(channel) / 255.0);
    let mut k = 0.0;
    if g < b {
        std::mem::swap(&mut g, &mut b);
        k = -1.0;
    }
    if r < g {
        std::mem::swap(&mut r, &mut g);
        k = -2.0 / 6.0 - k;
    }
    let chroma = r - g.min(b);
    let hue = (k + (g - b) / (6.0 * chroma + f64::EPSILON)).abs();
    [hue, chroma / (r + f64::EPSILON), r]
}

fn rgb_of([hue, saturation, value]: [f64; 3]) -> [u8; 3] {
    // Half is added before a conversion that rounds anyway, as in the original.
    let byte = |channel: f64| clamped_byte(channel * 255.0 + 0.5);
    if saturation == 0.0 {
        return [byte(value); 3];
    }
    let sector = (hue * 6.0).trunc();
    let fraction = hue * 6.0 - sector;
    let p = byte(value * (1.0 - saturation));
    let q = byte(value * (1.0 - saturation * fraction));
    let t = byte(value * (1.0 - saturation * (1.0 - fraction)));
    let v = byte(value);
    match sector as i64 {
        0 => [v, t, p],
        1 => [q, v, p],
        2 => [p, v, t],
        3 => [p, q, v],
        4 => [t, p, v],
        _ => [v, p, q],
    }
}

/// Colours laid over each other from front to back, over white paper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blend {
    color: [u8; 3],
    /// What still shines through, from 1 down to 0.
    left: f64,
}

impl Blend {
    pub(crate) fn new() -> Self {
        Self { color: [0; 3], left: 1.0 }
    }

    /// Whether nothing behind can be seen any more.
    #[inline]
    pub(crate) fn opaque(&self) -> bool {
        self.left == 0.0
    }

    /// Lays a premultiplied colour behind what is there. The bytes are rounded every time.
    #[inline]
    pub(crate) fn behind(&mut self, sample: [u8; 4]) {
        for (channel, behind) in self.color.iter_mut().zip(sample) {
            *channel = clamped_byte(f64::from(*channel) + f64::from(behind) * self.left);
        }
        self.left *= 1.0 - f64::from(sample[3]) / 255.0;
    }

    /// The colour on white paper.
    #[inline]
    pub(crate) fn on_paper(self) -> [u8; 3] {
        self.color.map(|channel| clamped_byte(f64::from(channel) + self.left * 255.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(effect: Effect, raw: f64) -> Effects {
        let mut effects = Effects::default();
        effects.set(effect, raw);
        effects
    }

    #[test]
    fn colours_match_in_their_upper_bits() {
        assert!(matches([255, 255, 255], [248, 248, 240]));
        assert!(!matches([255, 255, 255], [247, 255, 255]));
        assert!(!matches([255, 255, 255], [255, 255, 239]));
        assert!(matches_mask([255, 0, 0, 1], [252, 3, 3]));
        assert!(!matches_mask([255, 0, 0, 1], [251, 3, 3]));
        assert!(!matches_mask([255, 0, 0, 0], [255, 0, 0]));
    }

    #[test]
    fn a_full_turn_of_the_hue_is_one_too_bright() {
        let turned =
            with_effects([100, 150, 200, 255], &effects(Effect::Color, 200.0), Ghosting::Seen);
        assert_eq!(turned, [101, 150, 200, 255]);
    }

    #[test]
    fn ghost_fades_all_four_channels() {
        let ghost = effects(Effect::Ghost, 50.0);
        let sample = [100, 150, 200, 255];
        assert_eq!(with_effects(sample, &ghost, Ghosting::Seen), [50, 75, 100, 128]);
        assert_eq!(with_effects(sample, &ghost, Ghosting::Ignored), sample);
    }

    #[test]
    fn half_red_over_blue_on_paper() {
        let mut blend = Blend::new();
        blend.behind([128, 0, 0, 128]);
        assert!(!blend.opaque());
        blend.behind([100, 150, 200, 255]);
        assert!(blend.opaque());
        assert_eq!(blend.on_paper(), [178, 75, 100]);
        assert_eq!(Blend::new().on_paper(), [255; 3]);
    }

    #[test]
    fn brightness_adds_to_straight_colours() {
        let bright = effects(Effect::Brightness, 100.0);
        assert_eq!(with_effects([10, 20, 30, 255], &bright, Ghosting::Seen), [255; 4]);
        assert_eq!(with_effects([0; 4], &bright, Ghosting::Seen), [0; 4]);
        assert_eq!(with_effects([64, 0, 0, 128], &bright, Ghosting::Seen), [128; 4]);
    }
}
