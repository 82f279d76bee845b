//! The values of targets that JavaScript reads in nearly every step, in memory that is shared with
//! the host, so reading them rarely calls a native function.
//!
//! `sprites.js` uses the same layout: two versions, the values of one target before the latest step
//! ([`OLD`]), and then a row for each target. A row is valid if it has the current version and the
//! key of the target; otherwise the script asks the host to write the row.

use std::cell::Cell;

use catherd_javascript_engine::SharedArray;
use catherd_javascript_engine::quickjs::{Ctx, Object, Result};
use catherd_scratch_sb3::RotationStyle;
use catherd_scratch_suite::Effect;
use catherd_scratch_vm::TargetView;

use super::target_key::TargetKey;

/// Position of the version of the VM's state.
const STATE_VERSION: usize = 0;
/// Position of the version of the values before the latest step.
const OLD_VERSION: usize = 1;
/// Position of the values before the latest step: x, y, direction, visible, size, costume, volume,
/// layer, rotation style, then the effects.
const OLD: usize = 2;
/// Position of the first row. A row has: version, key, x, y, direction, size, costume, volume,
/// visible, exists.
const ROWS: usize = 20;
const WIDTH: usize = 10;
/// Maximum number of clones that have a separate row. Targets with higher numbers share an
/// additional last row.
const CLONES: usize = 300;

/// The values of a sprite before the latest step.
#[derive(Clone)]
pub(crate) struct Old {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) direction: f64,
    pub(crate) visible: bool,
    pub(crate) size: f64,
    pub(crate) costume: usize,
    pub(crate) volume: f64,
    pub(crate) layer: usize,
    pub(crate) bubble: Option<String>,
    pub(crate) rotation_style: RotationStyle,
    pub(crate) effects: [f64; Effect::ALL.len()],
}

pub(crate) struct Mirror {
    cells: SharedArray<f64>,
    last: u32,
    state: Cell<f64>,
    old: Cell<f64>,
}

impl Mirror {
    /// Creates a mirror for a program with this number of original targets, including the stage.
    pub(crate) fn new(originals: usize) -> Mirror {
        let last = originals + CLONES;
        let mirror = Mirror {
            cells: SharedArray::zeroed(ROWS + (last + 1) * WIDTH),
            last: last as u32,
            state: Cell::new(0.0),
            old: Cell::new(0.0),
        };
        mirror.state_changes();
        mirror.old_changes();
        mirror
    }

    /// The memory as a JavaScript object, and the number of its last row.
    pub(crate) fn share<'js>(&self, ctx: &Ctx<'js>) -> Result<(Object<'js>, u32)> {
        Ok((self.cells.typed_array(ctx)?, self.last))
    }

    /// Makes all rows invalid.
    pub(crate) fn state_changes(&self) {
        self.state.set(self.state.get() + 1.0);
        self.cells.set(STATE_VERSION, self.state.get());
    }

    /// Makes the values before the latest step invalid.
    pub(crate) fn old_changes(&self) {
        self.old.set(self.old.get() + 1.0);
        self.cells.set(OLD_VERSION, self.old.get());
    }

    /// `view` is `None` if the target was deleted and another target has its number.
    pub(crate) fn write(&self, key: TargetKey, view: Option<TargetView<'_>>) {
        // NaN stands for a missing value, which JavaScript then requests from the host.
        let mut row = [f64::NAN; WIDTH - 2];
        [row[6], row[7]] = [0.0, 0.0];
        if let Some(view) = view {
            let size = (view.size + 0.5).floor();
            row = [
                view.x,
                view.y,
                view.direction,
                size,
                view.costume as f64,
                view.volume,
                f64::from(view.visible),
                f64::from(view.exists()),
            ];
        }
        let at = ROWS + key.target().0.min(self.last) as usize * WIDTH;
        self.cells.set(at, self.state.get());
        self.cells.set(at + 1, key.number());
        self.put(at + 2, &row);
    }

    pub(crate) fn write_old(&self, old: Option<&Old>) {
        let Some(old) = old else { return self.put(OLD, &[f64::NAN; ROWS - OLD]) };
        let style = f64::from(old.rotation_style as u8);
        let size = (old.size + 0.5).floor();
        let visible = f64::from(old.visible);
        self.put(
            OLD,
            &[
                old.x,
                old.y,
                old.direction,
                visible,
                size,
                old.costume as f64,
                old.volume,
                old.layer as f64,
                style,
            ],
        );
        self.put(OLD + 9, &old.effects);
    }

    fn put(&self, at: usize, values: &[f64]) {
        for (offset, value) in values.iter().enumerate() {
            self.cells.set(at + offset, *value);
        }
    }
}
