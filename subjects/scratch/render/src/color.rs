//! Colours: comparison, blending, and the effects that change them.

use crate::effect::{Effect, Effects};
use crate::rounding::{clamp, clamped_byte};

pub(crate) const BACKGROUND_COLOR: [u8; 3] = [255; 3];

/// The bits of a colour that comparisons consider: the upper 5 bits of red and green, and the upper
/// 4 bits of blue.
#[inline]
pub(crate) fn color_kind([r, g, b]: [u8; 3]) -> usize {
    usize::from(r >> 3) << 9 | usize::from(g >> 3) << 4 | usize::from(b >> 4)
}

#[inline]
pub(crate) fn matches(a: [u8; 3], b: [u8; 3]) -> bool {
    color_kind(a) == color_kind(b)
}

/// The minimum and the maximum of each channel among the colours that [match](matches) this colour.
pub(crate) fn similar([r, g, b]: [u8; 3]) -> [(u8, u8); 3] {
    [(r & !7, r | 7), (g & !7, g | 7), (b & !15, b | 15)]
}

#[inline]
pub(crate) fn matches_mask(sample: [u8; 4], mask: [u8; 3]) -> bool {
    sample[3] > 0 && sample.iter().zip(mask).all(|(a, b)| (a ^ b) & 0xfc == 0)
}

/// Whether each channel of a colour (premultiplied, 0 to 1) is within 2/255 of a mask colour, as
/// the graphics processor compares them. Alpha is ignored, so a black mask accepts transparent
/// pixels.
pub(crate) fn matches_mask_gpu(drawn: [f64; 4], mask: [u8; 3]) -> bool {
    drawn.iter().zip(mask).all(|(a, b)| (a - f64::from(b) / 255.0).abs() <= 2.0 / 255.0)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GhostEffect {
    Apply,
    Ignore,
}

/// Applies the colour effects to a premultiplied colour. The channels are rounded to bytes after
/// each effect and each change between premultiplied and straight colours.
#[inline(never)]
pub(crate) fn with_effects(sample: [u8; 4], effects: &Effects, ghost: GhostEffect) -> [u8; 4] {
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
            let unit = [r, g, b].map(|channel| f64::from(channel) / 255.0);
            let turned = turned_hue(hsv(unit, f64::EPSILON), effects.value(Effect::Color));
            // Add one half although the conversion rounds, because the original does the same.
            [r, g, b] = rgb(turned).map(|channel| clamped_byte(channel * 255.0 + 0.5));
        }
        if brightness {
            let more = effects.value(Effect::Brightness) * 255.0;
            [r, g, b] = each([r, g, b], &|channel| channel + more);
        }
        [r, g, b] = each([r, g, b], &|channel| channel * alpha);
    }
    if ghost == GhostEffect::Apply && effects.enabled(Effect::Ghost) {
        let opacity = effects.value(Effect::Ghost);
        [r, g, b] = each([r, g, b], &|channel| channel * opacity);
        a = clamped_byte(f64::from(a) * opacity);
    }
    [r, g, b, a]
}

/// Rotates the hue by `turn` (1 is a full circle). Dark and grey colours are changed first, so that
/// the rotation is visible.
fn turned_hue([hue, saturation, value]: [f64; 3], turn: f64) -> [f64; 3] {
    const MIN_VALUE: f64 = 0.11 / 2.0;
    const MIN_SATURATION: f64 = 0.09;
    let [hue, saturation, value] = if value < MIN_VALUE {
        [0.0, 1.0, MIN_VALUE]
    } else if saturation < MIN_SATURATION {
        [0.0, MIN_SATURATION, value]
    } else {
        [hue, saturation, value]
    };
    [fraction(turn + hue + 1.0), saturation, value]
}

/// Computes `number % 1.0`, usually without a library call.
fn fraction(number: f64) -> f64 {
    const LIMIT: f64 = (1_u64 << 52) as f64;
    if number.abs() < LIMIT {
        (number - (number as i64) as f64).copysign(number)
    } else {
        number % 1.0
    }
}

/// Converts RGB to HSV. `epsilon` keeps divisions by the chroma and the value finite.
fn hsv([mut r, mut g, mut b]: [f64; 3], epsilon: f64) -> [f64; 3] {
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
    let hue = (k + (g - b) / (6.0 * chroma + epsilon)).abs();
    [hue, chroma / (r + epsilon), r]
}

fn rgb([hue, saturation, value]: [f64; 3]) -> [f64; 3] {
    let sector = (hue * 6.0).trunc();
    let fraction = hue * 6.0 - sector;
    let p = value * (1.0 - saturation);
    let q = value * (1.0 - saturation * fraction);
    let t = value * (1.0 - saturation * (1.0 - fraction));
    match sector as i64 {
        0 => [value, t, p],
        1 => [q, value, p],
        2 => [p, value, t],
        3 => [p, q, value],
        4 => [t, p, value],
        _ => [value, p, q],
    }
}

/// Like [`with_effects`], but computed as in the fragment program of the graphics processor:
/// channels are from 0 to 1 and not rounded.
pub(crate) fn with_effects_gpu(
    sample: [f64; 4],
    effects: &Effects,
    ghost: GhostEffect,
) -> [f64; 4] {
    /// The original fragment program adds this number to divisors.
    const EPSILON: f64 = 1e-3;
    let [r, g, b, a] = sample;
    let mut color = [r, g, b];
    let (turns, brightens) = (effects.enabled(Effect::Color), effects.enabled(Effect::Brightness));
    if turns || brightens {
        color = color.map(|channel| clamp(channel / (a + EPSILON), 0.0, 1.0));
        if turns {
            color = rgb(turned_hue(hsv(color, EPSILON), effects.value(Effect::Color)));
        }
        if brightens {
            let more = effects.value(Effect::Brightness);
            color = color.map(|channel| clamp(channel + more, 0.0, 1.0));
        }
        color = color.map(|channel| channel * (a + EPSILON));
    }
    let opacity = match ghost {
        GhostEffect::Apply => effects.value(Effect::Ghost),
        GhostEffect::Ignore => 1.0,
    };
    [color[0], color[1], color[2], a].map(|channel| channel * opacity)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Blend {
    color: [u8; 3],
    /// Transparency of the blend, from 0 to 1.
    left: f64,
}

impl Blend {
    pub(crate) fn new() -> Self {
        Self { color: [0; 3], left: 1.0 }
    }

    #[inline]
    pub(crate) fn is_opaque(&self) -> bool {
        self.left == 0.0
    }

    /// Whether some channel is above its bound in `most`. Colours added later cannot decrease a
    /// channel.
    #[inline]
    pub(crate) fn exceeds(&self, most: [u8; 3]) -> bool {
        self.color.iter().zip(most).any(|(&channel, most)| channel > most)
    }

    #[inline]
    pub(crate) fn add_behind(&mut self, sample: [u8; 4]) {
        // These shortcuts have the same results as the formula below.
        if sample[3] == 0 && sample == [0; 4] {
            return;
        }
        if sample[3] == 255 && self.left == 1.0 && self.color == [0; 3] {
            *self = Self { color: [sample[0], sample[1], sample[2]], left: 0.0 };
            return;
        }
        for (channel, behind) in self.color.iter_mut().zip(sample) {
            *channel = clamped_byte(f64::from(*channel) + f64::from(behind) * self.left);
        }
        self.left *= 1.0 - f64::from(sample[3]) / 255.0;
    }

    #[inline]
    pub(crate) fn over_background(self) -> [u8; 3] {
        if self.is_opaque() {
            return self.color;
        }
        self.color.map(|channel| clamped_byte(f64::from(channel) + self.left * 255.0))
    }
}

/// Composites a premultiplied colour (0 to 1) over bytes.
#[inline]
pub(crate) fn source_over<const N: usize>(under: [u8; N], over: [f64; 4]) -> [u8; N] {
    let through = 1.0 - over[3];
    std::array::from_fn(|channel| {
        let under = if through == 0.0 { 0.0 } else { f64::from(under[channel]) / 255.0 * through };
        let sum = 255.0 * (over[channel] + under);
        // Round half up. The cast saturates and maps NaN to 0; without special instructions it is
        // much faster than a call to `round`.
        let whole = sum as u8;
        whole.saturating_add(u8::from(sum - f64::from(whole) >= 0.5))
    })
}

/// Whether a premultiplied colour (0 to 1) certainly changes no byte when it is composited over
/// bytes. Effects may leave channels above 0 although alpha is 0.
pub(crate) fn is_invisible(over: [f64; 4]) -> bool {
    /// Channels below this value do not change a rounded byte.
    const LEAST: f64 = 0.49 / 255.0;
    over[3] == 0.0 && over.iter().all(|channel| (0.0..LEAST).contains(channel))
}

/// What the frontmost drawable decides about a query for a colour at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The drawable is invisible at the point.
    Nothing,
    /// The wanted colour is visible, whatever is behind the drawable.
    Wanted,
    /// Another colour is visible, whatever is behind the drawable.
    Other,
    /// The result also depends on the drawables behind it.
    Blend,
}

impl Shown {
    /// Evaluates a premultiplied colour as the original does on the CPU.
    #[inline]
    pub(crate) fn of(color: [u8; 4], rgb: [u8; 3]) -> Shown {
        match color {
            [0, 0, 0, 0] => Shown::Nothing,
            [r, g, b, 255] if matches([r, g, b], rgb) => Shown::Wanted,
            [.., 255] => Shown::Other,
            // Drawables behind can only increase the channels.
            [r, g, b, _] if [r, g, b].iter().zip(similar(rgb)).any(|(c, (_, most))| *c > most) => {
                Shown::Other
            }
            _ => Shown::Blend,
        }
    }

    /// Evaluates a premultiplied colour (0 to 1) as the original does on the graphics processor.
    #[inline]
    pub(crate) fn drawn(over: [f64; 4], rgb: [u8; 3]) -> Shown {
        /// More than rounding to bytes can add or subtract.
        const ROUNDING: f64 = 1.0;
        if over[3] == 1.0 {
            let shows = matches(source_over(BACKGROUND_COLOR, over), rgb);
            return if shows { Shown::Wanted } else { Shown::Other };
        }
        if is_invisible(over) {
            return Shown::Nothing;
        }
        // The drawables behind add a colour between transparent and white.
        let through = 255.0 * (1.0 - over[3]);
        let is_beyond = |(channel, (least, most)): (&f64, (u8, u8))| {
            let channel = 255.0 * channel;
            channel - ROUNDING > f64::from(most) || channel + through + ROUNDING < f64::from(least)
        };
        let beyond = over[..3].iter().zip(similar(rgb)).any(is_beyond);
        if beyond { Shown::Other } else { Shown::Blend }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_remainders() {
        let whole = [0.0, -0.0, 1.0, -1.0, 3.0, 1e15, -1e15, 4.6e15, 1e300];
        let parts = [0.5, -0.5, 1.25, -7.75, 0.1, 1e-300, f64::INFINITY, f64::NAN];
        for number in whole.into_iter().chain(parts) {
            let (found, expected) = (fraction(number), number % 1.0);
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
        }
    }

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
    fn similar_colours_match() {
        let wanted = [100, 150, 200];
        for channel in 0..3 {
            let (least, most) = similar(wanted)[channel];
            for value in 0..=255 {
                let mut other = wanted;
                other[channel] = value;
                assert_eq!(matches(other, wanted), (least..=most).contains(&value), "{other:?}");
            }
        }
    }

    #[test]
    fn a_full_turn_of_the_hue_is_one_too_bright() {
        let turned =
            with_effects([100, 150, 200, 255], &effects(Effect::Color, 200.0), GhostEffect::Apply);
        assert_eq!(turned, [101, 150, 200, 255]);
    }

    #[test]
    fn ghost_fades_all_four_channels() {
        let ghost = effects(Effect::Ghost, 50.0);
        let sample = [100, 150, 200, 255];
        assert_eq!(with_effects(sample, &ghost, GhostEffect::Apply), [50, 75, 100, 128]);
        assert_eq!(with_effects(sample, &ghost, GhostEffect::Ignore), sample);
    }

    #[test]
    fn half_red_over_blue_on_the_background() {
        let mut blend = Blend::new();
        blend.add_behind([128, 0, 0, 128]);
        assert!(!blend.is_opaque());
        blend.add_behind([100, 150, 200, 255]);
        assert!(blend.is_opaque());
        assert_eq!(blend.over_background(), [178, 75, 100]);
        assert_eq!(Blend::new().over_background(), [255; 3]);
    }

    #[test]
    fn invisible_colours_change_no_byte() {
        let channels = || (0..=60).map(|channel| f64::from(channel) / 60.0 * 0.003);
        let seen = channels().filter(|&channel| {
            let over = [channel, 0.0, channel, 0.0];
            let changes = (0..=255).any(|byte| source_over([byte; 3], over) != [byte; 3]);
            assert!(!(is_invisible(over) && changes), "{channel}");
            is_invisible(over)
        });
        assert_eq!(seen.count(), 39);
        assert!(!is_invisible([0.0, 0.0, 0.0, 0.001]) && !is_invisible([0.0, f64::NAN, 0.0, 0.0]));
    }

    #[test]
    fn brightness_adds_to_straight_colours() {
        let bright = effects(Effect::Brightness, 100.0);
        assert_eq!(with_effects([10, 20, 30, 255], &bright, GhostEffect::Apply), [255; 4]);
        assert_eq!(with_effects([0; 4], &bright, GhostEffect::Apply), [0; 4]);
        assert_eq!(with_effects([64, 0, 0, 128], &bright, GhostEffect::Apply), [128; 4]);
    }

    fn samples() -> impl Iterator<Item = [u8; 4]> {
        let channels = [0, 1, 7, 8, 40, 120, 127, 128, 200, 247, 248, 255];
        channels.into_iter().flat_map(move |alpha: u8| {
            let within = channels.into_iter().filter(move |channel| *channel <= alpha.max(1));
            within.clone().flat_map(move |r| within.clone().map(move |b| [r, b, b, alpha]))
        })
    }

    #[test]
    fn what_one_drawable_decides_does_not_depend_on_those_behind() {
        let wanted = [[0; 3], [255; 3], [40, 120, 200], [128, 8, 8]];
        let mut decided = [0; 4];
        for (front, rgb) in samples().flat_map(|front| wanted.map(|rgb| (front, rgb))) {
            let shown = Shown::of(front, rgb);
            let over = front.map(|channel| f64::from(channel) / 255.0);
            let drawn = Shown::drawn(over, rgb);
            decided[shown as usize] += 1;
            decided[drawn as usize] += 1;
            for behind in samples().filter(|behind| behind[3] == 255) {
                let mut blend = Blend::new();
                blend.add_behind(front);
                blend.add_behind(behind);
                let color = blend.over_background();
                let expected = match shown {
                    Shown::Nothing => matches([behind[0], behind[1], behind[2]], rgb),
                    Shown::Wanted => true,
                    Shown::Other => false,
                    Shown::Blend => matches(color, rgb),
                };
                assert_eq!(matches(color, rgb), expected, "{front:?} {behind:?} {rgb:?}");
                let under = [behind[0], behind[1], behind[2]];
                let color = source_over(under, over);
                let expected = match drawn {
                    Shown::Nothing => matches(under, rgb),
                    Shown::Wanted => true,
                    Shown::Other => false,
                    Shown::Blend => matches(color, rgb),
                };
                assert_eq!(matches(color, rgb), expected, "drawn {front:?} {behind:?} {rgb:?}");
            }
        }
        assert!(decided.iter().all(|count| *count > 0), "{decided:?}");
    }
}
