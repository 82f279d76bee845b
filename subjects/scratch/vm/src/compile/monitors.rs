//! The monitors on the stage. In the original, each shown monitor is a thread; the scheduler only
//! needs to know whether any monitor is shown.

use catherd_scratch_sb3::{Monitor, Opcode};
use rustc_hash::FxHashMap;

pub(super) struct Monitors<'a> {
    pub(super) shown: Vec<bool>,
    /// By the id of the variable or list.
    by_id: FxHashMap<&'a str, u32>,
}

impl<'a> Monitors<'a> {
    pub(super) fn new(monitors: &'a [Monitor]) -> Monitors<'a> {
        let mut found = Monitors { shown: Vec::new(), by_id: FxHashMap::default() };
        for monitor in monitors {
            let new = found.shown.len() as u32;
            let number = match monitor.opcode {
                Opcode::DataVariable | Opcode::DataListContents => {
                    *found.by_id.entry(&monitor.id).or_insert(new)
                }
                _ => new,
            };
            if number == new {
                found.shown.push(monitor.visible);
            } else {
                // If a variable or list has several monitors, use the visibility of the last.
                found.shown[number as usize] = monitor.visible;
            }
        }
        found
    }

    pub(super) fn of(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }
}
