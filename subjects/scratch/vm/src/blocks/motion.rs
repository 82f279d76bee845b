//! Motion blocks.

use catherd_elementary as elementary;
use catherd_scratch_sb3::{BlockNo, RotationStyle};

use crate::code::ExprId;
use crate::interpreter::Interpreter;
use crate::midstep::{Change, PenMark};
use crate::target::{Target, TargetId};
use crate::text::Text;
use crate::thread::{Glide, Status, WaitTimer};
use crate::tracer::Tracer;
use crate::value::{js_round, wrap};

const PI: f64 = std::f64::consts::PI;

fn degrees(radians: f64) -> f64 {
    radians * 180.0 / PI
}

impl<T: Tracer> Interpreter<'_, T> {
    pub(crate) fn set_position(&mut self, target: usize, x: f64, y: f64) {
        if target == self.program.stage {
            return;
        }
        let from = self.move_clamped(target, x, y);
        let Target { x, y, ref pen, .. } = self.state.targets[target];
        if pen.down {
            let rgba = pen.rgba;
            self.report(|| Change::Pen(PenMark::Line { from, to: (x, y), rgba }));
            self.draw_line(target, from, (x, y));
        }
        self.report(|| Change::Moved { target: TargetId(target as u32), from });
    }

    pub(crate) fn move_clamped(&mut self, target: usize, x: f64, y: f64) -> (f64, f64) {
        let target = &mut self.state.targets[target];
        let from = (target.x, target.y);
        (target.x, target.y) = self.state.scene.clamp_to_stage(target.drawable, x, y);
        self.state.scene.set_position(target.drawable, target.x, target.y);
        self.redraw |= target.visible;
        from
    }

    pub(super) fn move_steps(&mut self, steps: f64) {
        let Target { x, y, direction, .. } = self.state.targets[self.target];
        let (sin, cos) = self.buffers.angle_cache.sin_cos(90.0 - direction);
        let (dx, dy) = (steps * cos, steps * sin);
        self.set_position(self.target, x + dx, y + dy);
    }

    pub(super) fn go_to(&mut self, place: ExprId) {
        let place = self.text(place);
        if let Some((x, y)) = self.destination(&place) {
            self.set_position(self.target, x, y);
        }
    }

    fn destination(&mut self, name: &Text) -> Option<(f64, f64)> {
        if *name == *"_mouse_" {
            return Some(self.mouse_position());
        }
        if *name == *"_random_" {
            let x = js_round(480.0 * (self.state.random.draw() - 0.5));
            let y = js_round(360.0 * (self.state.random.draw() - 0.5));
            return Some((x, y));
        }
        let Target { x, y, .. } = self.state.targets[self.program.sprite_named(name)?];
        Some((x, y))
    }

    pub(crate) fn set_direction(&mut self, direction: f64) {
        if self.target == self.program.stage || !direction.is_finite() {
            return;
        }
        let target = &mut self.state.targets[self.target];
        target.direction = wrap(direction, -179.0, 180.0);
        target.update_rotation(&mut self.state.scene);
        self.appearance_changed(self.target);
        self.report_appearance(self.target);
    }

    pub(super) fn set_rotation_style(&mut self, style: RotationStyle) {
        if self.target == self.program.stage {
            return;
        }
        let target = &mut self.state.targets[self.target];
        target.rotation_style = style;
        target.update_rotation(&mut self.state.scene);
        self.appearance_changed(self.target);
        self.report_appearance(self.target);
    }

    pub(super) fn point_towards(&mut self, place: ExprId) {
        let name = self.text(place);
        let (x, y) = if name == *"_random_" {
            let direction = js_round(self.state.random.draw() * 360.0) - 180.0;
            return self.set_direction(direction);
        } else if name == *"_mouse_" {
            self.mouse_position()
        } else {
            match self.program.sprite_named(&name) {
                Some(sprite) => (self.state.targets[sprite].x, self.state.targets[sprite].y),
                None => return,
            }
        };
        let own = &self.state.targets[self.target];
        let direction = 90.0 - degrees(elementary::atan2(y - own.y, x - own.x));
        self.set_direction(direction);
    }

    pub(super) fn glide_to(&mut self, no: BlockNo, seconds: ExprId, to: ExprId) {
        let seconds = self.number(seconds);
        let to = self.text(to);
        // The original evaluates the destination in every step, which may take random numbers, but
        // uses only the first value.
        if let Some((x, y)) = self.destination(&to) {
            // A glide casts its destination to numbers, so an unknown mouse position becomes 0.
            let to = |n: f64| if n.is_nan() { 0.0 } else { n };
            self.glide(no, seconds, (to(x), to(y)));
        }
    }

    pub(super) fn glide(&mut self, no: BlockNo, seconds: f64, to: (f64, f64)) {
        let target = self.target;
        if !self.frame().in_progress {
            let duration = self.settings.step_count(seconds);
            self.trace_wait(no, 0.0, duration);
            if duration <= 0.0 {
                return self.set_position(target, to.0, to.1);
            }
            let from = (self.state.targets[target].x, self.state.targets[target].y);
            self.frame().in_progress = true;
            let (start, clock) = (self.state.steps, self.state.clock);
            self.thread().wait_timer = WaitTimer { start, clock, duration };
            self.thread().glide = Glide { from, to };
            return self.set_status(Status::YieldTick);
        }
        let Glide { from, to } = self.state.threads[self.thread].glide;
        let WaitTimer { start, duration, .. } = self.state.threads[self.thread].wait_timer;
        let elapsed = (self.state.steps - start) as f64;
        self.trace_wait(no, elapsed, duration);
        if elapsed < duration {
            let part = elapsed / duration;
            let (dx, dy) = (part * (to.0 - from.0), part * (to.1 - from.1));
            self.set_position(target, from.0 + dx, from.1 + dy);
            self.set_status(Status::YieldTick);
        } else {
            self.set_position(target, to.0, to.1);
        }
    }

    pub(super) fn bounce_on_edge(&mut self) {
        let target = self.target;
        let drawable = self.state.targets[target].drawable;
        self.consume_hull_fuel(target);
        let bounds = self.state.scene.bounds(drawable);
        let distances = [
            (240.0 + bounds.left).max(0.0),
            (180.0 - bounds.top).max(0.0),
            (240.0 - bounds.right).max(0.0),
            (180.0 + bounds.bottom).max(0.0),
        ];
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for (edge, &distance) in distances.iter().enumerate() {
            if distance < least {
                (nearest, least) = (edge, distance);
            }
        }
        if least > 0.0 {
            return;
        }
        let (sin, cos) =
            self.buffers.angle_cache.sin_cos(90.0 - self.state.targets[target].direction);
        let (mut dx, mut dy) = (cos, -sin);
        match nearest {
            0 => dx = dx.abs().max(0.2),
            1 => dy = dy.abs().max(0.2),
            2 => dx = -dx.abs().max(0.2),
            _ => dy = -dy.abs().max(0.2),
        }
        self.set_direction(degrees(elementary::atan2(dy, dx)) + 90.0);
        let bounds = self.state.scene.bounds(drawable);
        let (mut cx, mut cy) = (0.0, 0.0);
        if bounds.left < -240.0 {
            cx += -240.0 - bounds.left;
        }
        if bounds.right > 240.0 {
            cx += 240.0 - bounds.right;
        }
        if bounds.top > 180.0 {
            cy += 180.0 - bounds.top;
        }
        if bounds.bottom < -180.0 {
            cy += -180.0 - bounds.bottom;
        }
        let Target { x, y, .. } = self.state.targets[target];
        self.set_position(target, x + cx, y + cy);
    }

    /// The mouse position for motion and distances, NaN before the first mouse event.
    pub(crate) fn mouse_position(&self) -> (f64, f64) {
        (self.state.mouse.x.unwrap_or(f64::NAN), self.state.mouse.y.unwrap_or(f64::NAN))
    }
}
