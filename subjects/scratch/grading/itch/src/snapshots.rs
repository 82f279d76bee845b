//! Snapshots of an execution, which share unchanged data: a target that has not changed since the
//! previous snapshot has the same record, and a snapshot without any change shares the list of
//! records.

use std::rc::Rc;
use std::sync::Arc;

use catherd_scratch_sb3::{Project, RotationStyle};
use catherd_scratch_vm::{TargetId, TargetView, Text, Value, Vm};
use rustc_hash::FxHashMap;

use crate::values::from_saved;

const MAX_SNAPSHOTS: usize = 2_000_000;
/// Estimated size of the records and snapshots above which a log is full, in bytes.
const MAX_BYTES: usize = 256 << 20;

#[derive(Clone, PartialEq)]
pub(crate) struct Bubble {
    pub(crate) on_right: bool,
    pub(crate) text: Text,
    pub(crate) thinks: bool,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Looks {
    pub(crate) costume: usize,
    pub(crate) visible: bool,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) direction: f64,
    pub(crate) rotation_style: RotationStyle,
    pub(crate) effects: [f64; 7],
}

pub(crate) struct Record {
    /// 0 for the submission, 1 for the template.
    pub(crate) project: usize,
    pub(crate) sprite: usize,
    pub(crate) is_stage: bool,
    /// Serial number of a clone; 0 for originals.
    pub(crate) serial: u32,
    pub(crate) looks: Looks,
    pub(crate) volume: f64,
    pub(crate) layer: f64,
    pub(crate) draggable: bool,
    pub(crate) tempo: f64,
    /// Left, right, bottom and top edges; `None` for the stage and static records.
    pub(crate) bounds: Option<[f64; 4]>,
    pub(crate) bubble: Option<Bubble>,
    pub(crate) variables: Vec<Value>,
    pub(crate) lists: Vec<Arc<Vec<Value>>>,
    /// Record numbers of the clones, if the target is an original.
    pub(crate) clones: Vec<u32>,
    /// Whether the record was created from the project file without an execution.
    pub(crate) is_static: bool,
}

pub(crate) type Origin = Rc<str>;

#[derive(Clone)]
pub(crate) struct Snapshot {
    /// Milliseconds of the virtual clock.
    pub(crate) timestamp: f64,
    pub(crate) origin: Origin,
    /// Record numbers, originals first.
    pub(crate) targets: Rc<[u32]>,
}

pub(crate) struct Snapshots {
    pub(crate) records: Vec<Record>,
    pub(crate) template: Snapshot,
    pub(crate) list: Vec<Snapshot>,
    latest: FxHashMap<TargetId, u32>,
    bytes: usize,
    pub(crate) full: bool,
}

impl Snapshots {
    pub(crate) fn new(submission: &Project, template: &Project) -> Snapshots {
        let mut records = Vec::new();
        let origin: Origin = "template".into();
        let mut snapshot = |number: usize, project: &Project| {
            let start = records.len() as u32;
            records.extend((0..project.targets.len()).map(|at| saved(number, project, at)));
            let targets: Vec<u32> = (start..records.len() as u32).collect();
            Snapshot { timestamp: 0.0, origin: Rc::clone(&origin), targets: targets.into() }
        };
        let (submission, template) = (snapshot(0, submission), snapshot(1, template));
        let list = vec![submission];
        let latest = FxHashMap::default();
        Snapshots { records, template, list, latest, bytes: 0, full: false }
    }

    /// The snapshot with this number, where -1 is the template.
    pub(crate) fn get(&self, number: i32) -> Option<&Snapshot> {
        match usize::try_from(number) {
            Ok(at) => self.list.get(at),
            Err(_) => Some(&self.template),
        }
    }

    /// Returns the number of the last snapshot. Once the log is full, only snapshots of the schedule
    /// are added, which repeat the last state.
    pub(crate) fn take(
        &mut self,
        vm: &mut Vm<()>,
        thinks: &dyn Fn(TargetId) -> bool,
        (timestamp, origin, times): (f64, &Origin, usize),
        scheduled: bool,
    ) -> usize {
        if self.bytes > MAX_BYTES || self.list.len() >= MAX_SNAPSHOTS {
            self.full = true;
        }
        let targets =
            if self.full { self.last().targets.clone() } else { self.capture(vm, thinks) };
        if !self.full || scheduled {
            let times = times.min(MAX_SNAPSHOTS);
            let snapshot = Snapshot { timestamp, origin: Rc::clone(origin), targets };
            self.bytes += times * 40;
            self.list.extend(std::iter::repeat_n(snapshot, times));
        }
        self.list.len() - 1
    }

    fn last(&self) -> &Snapshot {
        // The list is never empty: it begins with the snapshot of the submission.
        &self.list[self.list.len() - 1]
    }

    fn capture(&mut self, vm: &mut Vm<()>, thinks: &dyn Fn(TargetId) -> bool) -> Rc<[u32]> {
        let ids: Vec<TargetId> = vm.targets().collect();
        let mut numbers = vec![0; ids.len()];
        let mut clones: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        // Iterate backwards, because originals come first and need the numbers of the records of
        // their clones.
        for (at, id) in ids.iter().enumerate().rev() {
            let original = vm.target(*id).is_some_and(|view| view.original);
            let sprite = vm.target(*id).map_or(0, |view| view.sprite);
            let own = match original {
                true => clones.remove(&sprite).unwrap_or_default(),
                false => Vec::new(),
            };
            numbers[at] = self.record(vm, *id, thinks(*id), own);
            if !original {
                clones.entry(sprite).or_default().insert(0, numbers[at]);
            }
        }
        let last = &self.last().targets;
        if **last == *numbers { Rc::clone(last) } else { numbers.into() }
    }

    /// Returns the number of the record for the current state of a target, or of its latest record
    /// if the target no longer exists.
    pub(crate) fn record(
        &mut self,
        vm: &mut Vm<()>,
        id: TargetId,
        thinks: bool,
        clones: Vec<u32>,
    ) -> u32 {
        let latest = self.latest.get(&id).copied();
        let Some(view) = vm.target(id) else { return latest.unwrap_or(0) };
        let old = latest.map(|number| &self.records[number as usize]);
        if let (Some(old), Some(number)) = (old, latest)
            && is_same(old, &view, thinks, &clones)
        {
            return number;
        }
        let old_bounds = old.filter(|old| old.serial == view.serial && old.looks == looks(&view));
        let old_bounds = old_bounds.and_then(|old| old.bounds);
        let mut record = live(&view, thinks, clones);
        self.bytes += 400 + 24 * record.variables.len();
        self.bytes += changed_text_bytes(old, &record) + changed_list_bytes(old, &record);
        let is_stage = record.is_stage;
        if !is_stage {
            record.bounds = old_bounds.or_else(|| {
                let bounds = vm.bounds(id);
                Some([bounds.left, bounds.right, bounds.bottom, bounds.top])
            });
        }
        self.records.push(record);
        let number = self.records.len() as u32 - 1;
        self.latest.insert(id, number);
        number
    }
}

/// Number of characters of the variables and the bubble that a new record does not share with the
/// old record.
fn changed_text_bytes(old: Option<&Record>, new: &Record) -> usize {
    let values = new.variables.iter().enumerate().filter(|(at, value)| {
        let old = old.and_then(|old| old.variables.get(*at));
        old.is_none_or(|old| !shares_text(old, value))
    });
    let values: usize = values.map(|(_, value)| text_length(value)).sum();
    let said = new.bubble.as_ref().map(|bubble| &bubble.text).filter(|text| {
        let old = old.and_then(|old| old.bubble.as_ref());
        old.is_none_or(|old| !old.text.is_shared_with(text))
    });
    values + said.map_or(0, Text::len)
}

/// Estimated number of bytes of the lists that a new record does not share with the old record.
fn changed_list_bytes(old: Option<&Record>, new: &Record) -> usize {
    let lists = new.lists.iter().enumerate().map(|(at, list)| {
        match old.and_then(|old| old.lists.get(at)) {
            Some(old) if Arc::ptr_eq(old, list) => 0,
            old => 16 * list.len() + changed_item_bytes(old.map_or(&[], |old| old), list),
        }
    });
    lists.sum()
}

/// Number of characters of the items between the first and the last item that a list does not share
/// with its old version.
fn changed_item_bytes(old: &[Value], new: &[Value]) -> usize {
    let same = |(old, new): &(&Value, &Value)| shares_text(old, new);
    let before = old.iter().zip(new).take_while(same).count();
    let (old, new) = (&old[before..], &new[before..]);
    let after = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    new[..new.len() - after].iter().map(text_length).sum()
}

/// Whether no string has been added between two versions of a value.
fn shares_text(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Text(old), Value::Text(new)) => old.is_shared_with(new),
        (Value::Text(_), _) | (_, Value::Text(_)) => false,
        _ => true,
    }
}

fn text_length(value: &Value) -> usize {
    if let Value::Text(text) = value { text.len() } else { 0 }
}

fn looks(view: &TargetView<'_>) -> Looks {
    Looks {
        costume: view.costume,
        visible: view.visible,
        x: view.x,
        y: view.y,
        size: view.size,
        direction: view.direction,
        rotation_style: view.rotation_style,
        effects: view.effects,
    }
}

fn bubble(view: &TargetView<'_>, thinks: bool) -> Option<Bubble> {
    let text = view.bubble.cloned()?;
    Some(Bubble { on_right: view.is_bubble_on_right(), text, thinks })
}

fn is_same(old: &Record, view: &TargetView<'_>, thinks: bool, clones: &[u32]) -> bool {
    let same_bubble = match (&old.bubble, view.bubble) {
        (None, None) => true,
        (Some(old), Some(text)) => {
            old.text == *text && old.thinks == thinks && old.on_right == view.is_bubble_on_right()
        }
        _ => false,
    };
    old.serial == view.serial
        && same_bubble
        && old.looks == looks(view)
        && old.volume == view.volume
        && old.layer == view.order() as f64
        && old.draggable == view.draggable
        && old.tempo.to_bits() == view.tempo().to_bits()
        && old.clones == clones
        && old.variables.iter().eq(view.all_variables())
        && old.lists.len() == view.all_lists().count()
        && old.lists.iter().zip(view.all_lists()).all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
}

fn live(view: &TargetView<'_>, thinks: bool, clones: Vec<u32>) -> Record {
    Record {
        project: 0,
        sprite: view.sprite,
        is_stage: view.is_stage,
        serial: view.serial,
        looks: looks(view),
        volume: view.volume,
        layer: view.order() as f64,
        draggable: view.draggable,
        tempo: view.tempo(),
        bounds: None,
        bubble: bubble(view, thinks),
        variables: view.all_variables().cloned().collect(),
        lists: view.all_lists().map(Arc::clone).collect(),
        clones,
        is_static: false,
    }
}

fn saved(number: usize, project: &Project, at: usize) -> Record {
    let target = &project.targets[at];
    let items =
        |list: &catherd_scratch_sb3::List| Arc::new(list.items.iter().map(from_saved).collect());
    Record {
        project: number,
        sprite: at,
        is_stage: target.is_stage,
        serial: 0,
        looks: Looks {
            costume: target.current_costume.max(0.0) as usize,
            visible: target.visible,
            x: target.x,
            y: target.y,
            size: target.size,
            direction: target.direction,
            rotation_style: target.rotation_style,
            effects: [0.0; 7],
        },
        volume: target.volume,
        layer: target.layer_order,
        draggable: target.draggable,
        tempo: target.tempo,
        bounds: None,
        bubble: None,
        variables: target.variables.iter().map(|variable| from_saved(&variable.value)).collect(),
        lists: target.lists.iter().map(items).collect(),
        clones: Vec::new(),
        is_static: true,
    }
}

#[cfg(test)]
mod tests {
    use catherd_scratch_sb3::test_support::{TargetBuilder, project};
    use catherd_scratch_vm::{Program, Random, VmSettings};

    use super::*;

    #[test]
    fn a_full_log_has_only_snapshots_of_the_schedule() {
        let project = project(vec![TargetBuilder::new("Stage")]);
        let program = Arc::new(Program::compile(&project).unwrap());
        let mut vm = Vm::new(program, VmSettings::default(), Random::portable(0), ());
        let mut snapshots = Snapshots::new(&project, &project);
        let origin: Origin = "o".into();
        let mut take = |snapshots: &mut Snapshots, scheduled| {
            snapshots.take(&mut vm, &|_| false, (0.0, &origin, 1), scheduled)
        };
        assert_eq!([false, true].map(|scheduled| take(&mut snapshots, scheduled)), [1, 2]);
        snapshots.bytes = MAX_BYTES + 1;
        assert_eq!([false, true].map(|scheduled| take(&mut snapshots, scheduled)), [2, 3]);
    }

    #[test]
    fn only_new_strings_of_lists_are_counted() {
        let [a, b, c] = ["aaa", "bbb", "ccccc"].map(|text| Value::Text(Text::new(text)));
        let old = [a.clone(), Value::Number(1.0), b.clone()];
        let with = |new: &[Value]| changed_item_bytes(&old, new);
        assert_eq!(with(&[a.clone(), c, Value::Number(2.0), b.clone()]), 5);
        assert_eq!(with(std::slice::from_ref(&b)), 0);
        assert_eq!(with(&[a, Value::Number(1.0), Value::Text(Text::new("bbb"))]), 3);
        assert_eq!(changed_item_bytes(&[], &[b]), 3);
    }
}
