//! Effects of events on sprites, found by executions from the same state with and without an event.

use catherd_scratch_suite::event::Event;
use catherd_scratch_suite::{Axis, event::KeyNo};
use catherd_scratch_testgen::extraction::Identifier;
use catherd_scratch_vm::{Tracer, Vm};
use rustc_hash::FxHashMap;

/// A sprite is controlled if events had an effect on it in more than this share of the probed
/// states in which it was visible.
const SHARE: f64 = 1.0 / 3.0;
/// Effects up to this size are ignored, in stage units or degrees.
const SMALLEST: f64 = 0.3;

/// Places of the originals of all targets: x, y, direction; `None` for hidden sprites and the
/// stage.
pub(crate) type Places = Vec<Option<[f64; 3]>>;

pub(crate) fn places<T: Tracer>(vm: &Vm<T>) -> Places {
    let mut places = vec![None; vm.program().targets().len()];
    for view in vm.targets().filter_map(|id| vm.target(id)) {
        if view.original && view.visible && !view.is_stage {
            places[view.sprite] = Some([view.x, view.y, view.direction]);
        }
    }
    places
}

/// Normalises a difference of directions to -180..180 degrees.
fn turn(by: f64) -> f64 {
    (by + 540.0).rem_euclid(360.0) - 180.0
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Axes {
    /// For each sprite, the number of probed states in which it was visible, and the number of
    /// probed states in which an event had an effect on it.
    seen: Vec<(u32, u32)>,
    /// For each event, sprite and axis, the effects that are not too small. Only looked up, never
    /// iterated.
    effects: FxHashMap<(Identifier, u16, usize), Vec<f64>>,
    /// For each event and sprite, the number of probes of the event in which the sprite was
    /// visible.
    tried: FxHashMap<(Identifier, u16), u32>,
    /// Keys in the order in which they were first probed.
    keys: Vec<Event>,
}

impl Axes {
    pub(crate) fn state(&mut self, quiet: &Places) {
        self.seen.resize(quiet.len(), (0, 0));
        for (seen, place) in self.seen.iter_mut().zip(quiet) {
            seen.0 += u32::from(place.is_some());
        }
    }

    /// `changed` collects the sprites that the event moved.
    pub(crate) fn note(
        &mut self,
        event: &Event,
        quiet: &Places,
        moved: &Places,
        changed: &mut Vec<u16>,
    ) {
        let id = Identifier::of(event);
        if matches!(event, Event::KeyPress { .. })
            && !self.keys.iter().any(|key| Identifier::of(key) == id)
        {
            self.keys.push(*event);
        }
        for (sprite, (quiet, moved)) in (0_u16..).zip(quiet.iter().zip(moved)) {
            let (Some(quiet), Some(moved)) = (quiet, moved) else { continue };
            *self.tried.entry((id, sprite)).or_default() += 1;
            let differences = [moved[0] - quiet[0], moved[1] - quiet[1], turn(moved[2] - quiet[2])];
            for (axis, by) in differences.into_iter().enumerate() {
                if by.abs() > SMALLEST {
                    self.effects.entry((id, sprite, axis)).or_default().push(by);
                    if !changed.contains(&sprite) {
                        changed.push(sprite);
                    }
                }
            }
        }
    }

    pub(crate) fn end(&mut self, changed: &[u16]) {
        for sprite in changed {
            self.seen[usize::from(*sprite)].1 += 1;
        }
    }

    pub(crate) fn controls(&self, sprite: usize) -> bool {
        self.seen
            .get(sprite)
            .is_some_and(|(seen, moved)| *moved > 0 && f64::from(*moved) > SHARE * f64::from(*seen))
    }

    /// For each sprite and axis along which keys move the sprite in both directions, the keys with
    /// the largest positive and the largest negative median effect. Only keys with an effect in
    /// enough of the probed states are considered.
    pub(crate) fn steered(&self) -> Vec<(u16, Axis, [KeyNo; 2])> {
        let mut steered = Vec::new();
        for sprite in 0..self.seen.len() as u16 {
            for (number, axis) in [Axis::X, Axis::Y, Axis::Heading].into_iter().enumerate() {
                let strongest = |sign: f64| {
                    let effects = self.keys.iter().filter_map(|key| {
                        let id = Identifier::of(key);
                        let effects = self.effects.get(&(id, sprite, number))?;
                        let tried = self.tried.get(&(id, sprite)).copied().unwrap_or(0);
                        let often = effects.len() as f64 >= 0.1 * f64::from(tried);
                        let Event::KeyPress { key, .. } = *key else { return None };
                        let effect = sign * median(effects);
                        (often && effect > SMALLEST).then_some((effect, key))
                    });
                    effects.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, key)| key)
                };
                if let (Some(up), Some(down)) = (strongest(1.0), strongest(-1.0)) {
                    steered.push((sprite, axis, [up, down]));
                }
            }
        }
        steered
    }
}

fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
