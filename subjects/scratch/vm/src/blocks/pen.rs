//! Pen blocks.

use catherd_scratch_render::PenStroke;

use crate::code::{ExprId, PenParam};
use crate::interpreter::Interpreter;
use crate::midstep::{Change, PenMark};
use crate::target::Pen;
use crate::text::Text;
use crate::tracer::Tracer;
use crate::value::{Value, clamp, to_rgba, wrap};

/// Number of pixels of a line whose drawing costs as much as one block.
const PIXELS_PER_BLOCK: f64 = 64.0;

impl Pen {
    fn stroke(&self) -> PenStroke {
        PenStroke { rgba: self.rgba, diameter: self.diameter }
    }

    fn update(&mut self) {
        let rgb = hsv_to_rgb(
            self.color * 360.0 / 100.0,
            self.saturation / 100.0,
            self.brightness / 100.0,
        );
        let [r, g, b] = rgb.map(|c| c / 255.0);
        self.rgba = [r, g, b, 1.0 - self.transparency / 100.0];
    }

    fn set_rgb(&mut self, rgb: [f64; 3]) {
        let (h, s, v) = rgb_to_hsv(rgb);
        self.color = h / 360.0 * 100.0;
        self.saturation = s * 100.0;
        self.brightness = v * 100.0;
    }

    fn set_param(&mut self, param: PenParam, value: f64, change: bool) {
        let slot = match param {
            PenParam::Color => &mut self.color,
            PenParam::Saturation => &mut self.saturation,
            PenParam::Brightness => &mut self.brightness,
            PenParam::Transparency => &mut self.transparency,
        };
        let value = if change { *slot + value } else { value };
        *slot = match param {
            PenParam::Color => wrap(value, 0.0, 100.0),
            _ => clamp(value, 0.0, 100.0),
        };
        self.update();
    }

    /// Computes the colour of lines from hue and shade, as in Scratch 2.
    fn update_legacy(&mut self) {
        let rgb = hsv_to_rgb(self.color * 360.0 / 100.0, 1.0, 1.0);
        let shade = if self.shade > 100.0 { 200.0 - self.shade } else { self.shade };
        let rgb = if shade < 50.0 {
            mix([0.0; 3], rgb, (10.0 + shade) / 60.0)
        } else {
            mix(rgb, [255.0; 3], (shade - 50.0) / 60.0)
        };
        self.set_rgb(rgb);
        self.update();
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    fn pen(&mut self) -> &mut Pen {
        &mut self.state.targets[self.target].pen
    }

    pub(super) fn pen_down(&mut self) {
        let target = &mut self.state.targets[self.target];
        target.pen.down = true;
        let (at, rgba) = ((target.x, target.y), target.pen.rgba);
        self.report(|| Change::Pen(PenMark::Point { at, rgba }));
        self.draw_line(self.target, at, at);
    }

    /// Consumes fuel according to the area of the line.
    pub(super) fn draw_line(&mut self, target: usize, from: (f64, f64), to: (f64, f64)) {
        self.redraw = true;
        let stroke = self.state.targets[target].pen.stroke();
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt() + stroke.diameter;
        let area = (length.min(600.0) * stroke.diameter.min(360.0)).min(480.0 * 360.0);
        self.consume_fuel((area / PIXELS_PER_BLOCK) as usize);
        self.state.scene.pen_line(from, to, &stroke);
    }

    pub(crate) fn pen_color(&mut self, color: &Value) {
        let ([r, g, b], alpha) = to_rgba(color);
        let pen = self.pen();
        pen.set_rgb([r, g, b].map(f64::from));
        pen.transparency = alpha.map_or(0.0, |a| 100.0 * (1.0 - f64::from(a) / 255.0));
        pen.update();
        pen.shade = pen.brightness / 2.0;
    }

    pub(super) fn pen_param(&mut self, param: &Text, value: f64, change: bool) {
        match pen_param(param) {
            Some(param) => self.pen().set_param(param, value, change),
            None => self.pen().update(),
        }
    }

    pub(super) fn pen_size(&mut self, value: f64, change: bool) {
        let pen = self.pen();
        pen.diameter = clamp(if change { pen.diameter + value } else { value }, 1.0, 1200.0);
    }

    pub(super) fn pen_hue(&mut self, value: ExprId, change: bool) {
        let hue = self.number(value) / 2.0;
        let pen = self.pen();
        pen.set_param(PenParam::Color, hue, change);
        if !change {
            pen.set_param(PenParam::Transparency, 0.0, false);
        }
        pen.update_legacy();
    }

    pub(super) fn pen_shade(&mut self, value: ExprId, change: bool) {
        let value = self.number(value);
        let pen = self.pen();
        let shade = (if change { pen.shade + value } else { value }) % 200.0;
        pen.shade = if shade < 0.0 { shade + 200.0 } else { shade };
        pen.update_legacy();
    }
}

fn pen_param(name: &Text) -> Option<PenParam> {
    Some(match &*name.to_str() {
        "color" => PenParam::Color,
        "saturation" => PenParam::Saturation,
        "brightness" => PenParam::Brightness,
        "transparency" => PenParam::Transparency,
        _ => return None,
    })
}

/// Converts HSV (hue in degrees, saturation and value from 0 to 1) to RGB (whole numbers from 0 to
/// 255).
fn hsv_to_rgb(h: f64, s: f64, v: f64) -> [f64; 3] {
    let h = if h % 360.0 < 0.0 { h % 360.0 + 360.0 } else { h % 360.0 };
    let (s, v) = (clamp(s, 0.0, 1.0), clamp(v, 0.0, 1.0));
    let i = (h / 60.0).floor();
    let f = h / 60.0 - i;
    let p = v * (1.0 - s);
    let q = v * (1.0 - s * f);
    let t = v * (1.0 - s * (1.0 - f));
    let rgb = match i as u8 {
        1 => [q, v, p],
        2 => [p, v, t],
        3 => [p, q, v],
        4 => [t, p, v],
        5 => [v, p, q],
        _ => [v, t, p],
    };
    rgb.map(|c| (c * 255.0).floor())
}

/// Converts RGB (from 0 to 255) to HSV (hue in degrees, saturation and value from 0 to 1).
fn rgb_to_hsv(rgb: [f64; 3]) -> (f64, f64, f64) {
    let [r, g, b] = rgb.map(|c| c / 255.0);
    let (low, high) = (r.min(g).min(b), r.max(g).max(b));
    if low == high {
        return (0.0, 0.0, high);
    }
    let (f, i) = if r == low {
        (g - b, 3.0)
    } else if g == low {
        (b - r, 5.0)
    } else {
        (r - g, 1.0)
    };
    (((i - f / (high - low)) * 60.0) % 360.0, (high - low) / high, high)
}

fn mix(a: [f64; 3], b: [f64; 3], fraction: f64) -> [f64; 3] {
    if fraction <= 0.0 {
        return a;
    }
    if fraction >= 1.0 {
        return b;
    }
    [0, 1, 2].map(|i| (1.0 - fraction) * a[i] + fraction * b[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_colour_is_blue() {
        let mut pen = Pen::default();
        pen.update();
        assert_eq!(pen.rgba, [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn the_colour_wheel_has_101_places() {
        let mut pen = Pen::default();
        pen.set_param(PenParam::Color, 100.9, false);
        assert_eq!(pen.color, 100.9);
        pen.set_param(PenParam::Color, 101.0, false);
        assert_eq!(pen.color, 0.0);
    }

    #[test]
    fn red_survives_the_colour_model() {
        let mut pen = Pen::default();
        pen.set_rgb([255.0, 0.0, 0.0]);
        pen.update();
        assert_eq!((pen.color, pen.rgba), (0.0, [1.0, 0.0, 0.0, 1.0]));
    }
}
