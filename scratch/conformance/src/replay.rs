//! Running a recorded project again and finding the first difference.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catherd_sb3::{BlockNo, Project, RotationStyle};
use catherd_vm::{
    Program, Random, Settings, Snapshot, TargetView, Text, Tracer, Value as Scalar, Vm,
};
use serde::Serialize;
use serde_json::Value;

use crate::limits::{LimitHit, limit_hits};
use crate::surroundings::{DAY_MS, Devices, Readings, Surroundings, flag_instants};
use crate::trace::{Change, Event, Inputs, Properties, Trace};

/// How a replay went.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Replay {
    /// The first difference, none if all states agree.
    pub divergence: Option<Divergence>,
    /// Statement blocks that only the recording covered, as `SPRITE: OPCODE (ID)`.
    pub missed: Vec<String>,
    /// Statement blocks that only the replay covered.
    pub extra: Vec<String>,
    /// What the recording does not say and the replay assumed.
    pub surroundings: Surroundings,
    /// Limits of the machine that the replay met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitHit>,
}

impl Replay {
    /// States and covered statement blocks agree.
    pub fn is_identical(&self) -> bool {
        self.divergence.is_none() && self.missed.is_empty() && self.extra.is_empty()
    }
}

/// The first difference between recording and replay.
#[derive(Clone, Debug, Serialize)]
pub struct Divergence {
    /// 0 is the state before the first step.
    pub step: u64,
    /// The sprite, or `-` for the number of threads.
    pub sprite: String,
    /// Position in execution order.
    pub index: usize,
    /// In words: `x`, `direction`, `variable score`.
    pub property: String,
    /// What the recording has.
    pub expected: String,
    /// What the replay has.
    pub got: String,
    /// Blocks that ran in that sprite during that step, as `OPCODE (ID)`.
    pub blocks: Vec<String>,
}

/// Watches a replay: covered blocks, and those of the current step.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    covered: BTreeSet<BlockNo>,
    step: Vec<BlockNo>,
}

impl Tracer for Watch {
    const ACTIVE: bool = true;

    fn step(&mut self) {
        self.step.clear();
    }

    fn covered(&mut self, block: BlockNo) {
        self.covered.insert(block);
        self.step.push(block);
    }
}

/// The world of the recordings: the paper's timer, no network, no clock.
fn settings() -> Settings {
    Settings {
        timer_increment: 0.075,
        speech_rate: None,
        distances_touch_hulls: true,
        ..Settings::default()
    }
}

/// Replays a trace in given surroundings and reports the first difference.
pub fn replay(
    trace: &Trace,
    project: &Project,
    program: &Arc<Program>,
    surroundings: &Surroundings,
) -> Replay {
    let mut player = Player::new(trace, project, program, surroundings);
    let mut result = Replay { surroundings: surroundings.clone(), ..Replay::default() };
    let mut readings = surroundings.flag.map(|_| Readings::default());
    result.divergence = player.compare();
    while result.divergence.is_none() && player.step + 1 < trace.states.len() {
        result.divergence = match &mut readings {
            None => player.advance(),
            Some(readings) => readings.advance(&mut player),
        };
    }
    result.surroundings.elapsed = readings.map(|readings| readings.last());
    result.limits = limit_hits(player.vm.hits());
    if result.divergence.is_none() {
        compare_coverage(&player.vm, trace, project, &mut result);
    }
    result
}

/// A replay under way: the machine beside the recorded state of the same step.
pub(crate) struct Player<'a> {
    trace: &'a Trace,
    project: &'a Project,
    vm: Vm<Watch>,
    step: usize,
    threads: u64,
    expected: Vec<Properties>,
}

/// A place in a replay to come back to.
pub(crate) struct Bookmark {
    state: Snapshot,
    watch: Watch,
    step: usize,
    threads: u64,
    expected: Vec<Properties>,
}

impl<'a> Player<'a> {
    /// After the green flag.
    fn new(
        trace: &'a Trace,
        project: &'a Project,
        program: &Arc<Program>,
        surroundings: &Surroundings,
    ) -> Player<'a> {
        let random = Random::reference(trace.seed);
        let mut vm = Vm::new(program.clone(), settings(), random.clone(), Watch::default());
        // The recorder lets one step pass between loading and the flag.
        vm.step();
        surroundings.devices.post(&mut vm);
        vm.set_random(random);
        vm.tracer = Watch::default();
        vm.green_flag();
        if let Some(flag) = surroundings.flag {
            vm.set_date(flag / DAY_MS);
        }
        let mut player = Player { trace, project, vm, step: 0, threads: 0, expected: Vec::new() };
        player.expect();
        player
    }

    /// Sets the clock, see [`Vm::set_clock`].
    pub(crate) fn set_clock(&mut self, milliseconds: f64) {
        self.vm.set_clock(milliseconds);
    }

    /// Runs one step in machine and recording and compares.
    pub(crate) fn advance(&mut self) -> Option<Divergence> {
        self.step += 1;
        let due = |inputs: &&Inputs| inputs.step == self.step as u64;
        for event in self.trace.inputs.iter().filter(due).flat_map(|inputs| &inputs.events) {
            apply(&mut self.vm, event);
        }
        self.vm.step();
        self.expect();
        self.compare()
    }

    /// Takes over what the recording says of this step.
    fn expect(&mut self) {
        let Some(change) = self.trace.states.get(self.step) else { return };
        self.threads = change.threads.unwrap_or(self.threads);
        if let Some(targets) = &change.ts {
            self.expected.clone_from(targets);
        }
        for (index, changed) in &change.ch {
            if let Some(target) = self.expected.get_mut(*index) {
                merge(target, changed);
            }
        }
        forget_nowhere(&self.vm, change, &mut self.expected);
    }

    fn compare(&self) -> Option<Divergence> {
        compare(&self.vm, self.threads, &self.expected).map(|divergence| Divergence {
            step: self.step as u64,
            blocks: blocks_of(&self.vm, self.project, &divergence.sprite),
            ..divergence
        })
    }

    pub(crate) fn bookmark(&self) -> Bookmark {
        Bookmark {
            state: self.vm.snapshot(),
            watch: self.vm.tracer.clone(),
            step: self.step,
            threads: self.threads,
            expected: self.expected.clone(),
        }
    }

    pub(crate) fn back_to(&mut self, bookmark: &Bookmark) {
        self.vm.restore(&bookmark.state);
        self.vm.tracer.clone_from(&bookmark.watch);
        (self.step, self.threads) = (bookmark.step, bookmark.threads);
        self.expected.clone_from(&bookmark.expected);
    }
}

/// Replays a trace with untouched devices and, should that diverge, in other surroundings
/// that the recording may have had: with each of the given states of the devices, then with
/// a clock. The surroundings that agree longest count.
pub fn replay_best(
    trace: &Trace,
    project: &Project,
    program: &Arc<Program>,
    devices: &[Devices],
) -> Replay {
    let length = |r: &Replay| r.divergence.as_ref().map_or(u64::MAX, |d| d.step);
    let mut best = replay(trace, project, program, &Surroundings::default());
    let attempt = |surroundings: &Surroundings, best: &mut Replay| {
        let other = replay(trace, project, program, surroundings);
        if length(&other) > length(best) {
            *best = other;
        }
    };
    for devices in devices {
        if best.divergence.is_none() {
            return best;
        }
        attempt(&Surroundings { devices: devices.clone(), ..Surroundings::default() }, &mut best);
    }
    if let Some(divergence) = &best.divergence {
        let devices = best.surroundings.devices.clone();
        for flag in flag_instants(trace, project, divergence.step) {
            let clock = Surroundings { devices: devices.clone(), flag: Some(flag), elapsed: None };
            attempt(&clock, &mut best);
            if best.divergence.is_none() {
                break;
            }
        }
    }
    best
}

fn apply(vm: &mut Vm<Watch>, event: &Event) {
    match event {
        Event::Key { key, down } => vm.key(key, *down),
        Event::Mouse { x, y } => vm.mouse_move(*x, *y),
        Event::Button { down } => vm.mouse_button(*down),
        Event::Answer { text } => vm.answer(text),
    }
}

/// Variables change one by one, everything else as a whole.
fn merge(target: &mut Properties, changed: &Properties) {
    for (key, value) in changed {
        match (target.get_mut(key), value) {
            (Some(Value::Object(old)), Value::Object(new)) if key == "vars" => {
                old.extend(new.iter().map(|(k, v)| (k.clone(), v.clone())));
            }
            _ => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

/// A position that became undefined is missing in the recording, as JSON has no such value:
/// the target is among the changed ones, but without the coordinate.
fn forget_nowhere(vm: &Vm<Watch>, change: &Change, expected: &mut [Properties]) {
    for (index, changed) in &change.ch {
        let view = vm.targets().nth(*index).and_then(|id| vm.target(id));
        let (Some(view), Some(target)) = (view, expected.get_mut(*index)) else { continue };
        for (key, got) in [("x", view.x), ("y", view.y)] {
            if got.is_nan() && !changed.contains_key(key) {
                target.remove(key);
            }
        }
    }
}

fn compare(vm: &Vm<Watch>, threads: u64, expected: &[Properties]) -> Option<Divergence> {
    let differ = |sprite: &str, index, property: &str, expected: String, got: String| {
        let (sprite, property) = (sprite.to_owned(), property.to_owned());
        Some(Divergence { step: 0, sprite, index, property, expected, got, blocks: Vec::new() })
    };
    let views: Vec<_> = vm.targets().filter_map(|id| vm.target(id)).collect();
    let names = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<_>>().join(", ");
    for (index, (want, view)) in expected.iter().zip(&views).enumerate() {
        let name = want.get("n").and_then(Value::as_str).unwrap_or("");
        if *view.name != *name {
            break;
        }
        for (key, got) in [("x", view.x), ("y", view.y)] {
            if !want.contains_key(key) && !got.is_nan() {
                return differ(name, index, key, "nowhere".to_owned(), got.to_string());
            }
        }
        for (key, want) in want {
            if let Err((property, got)) = check(view, key, want) {
                return differ(name, index, &property, want_text(&property, want), got);
            }
        }
    }
    let order_differs = expected.len() != views.len()
        || expected.iter().zip(&views).any(|(want, view)| {
            want.get("n").and_then(Value::as_str).is_none_or(|n| *view.name != *n)
        });
    if order_differs {
        let want = names(
            &mut expected.iter().map(|t| t.get("n").map_or(String::new(), |n| n.to_string())),
        );
        let got = names(&mut views.iter().map(|v| format!("{:?}", v.name.to_str())));
        return differ("-", 0, "targets", want, got);
    }
    if vm.thread_count() as u64 != threads {
        return differ("-", 0, "threads", threads.to_string(), vm.thread_count().to_string());
    }
    None
}

fn want_text(property: &str, want: &Value) -> String {
    let name = property.split_once(' ').map(|(_, name)| name);
    let inner = name.and_then(|name| match property.split_once(' ')?.0 {
        "variable" => want.get(name),
        "list" => want.get(format!("[]{name}")),
        _ => want.get(name),
    });
    inner.unwrap_or(want).to_string()
}

/// Compares one recorded property: `Err((name in words, what the replay has))`.
fn check(view: &TargetView<'_>, key: &str, want: &Value) -> Result<(), (String, String)> {
    let number = |name: &str, got: f64| {
        if same_number(want, got) { Ok(()) } else { Err((name.to_owned(), got.to_string())) }
    };
    match key {
        "x" => number("x", view.x),
        "y" => number("y", view.y),
        "d" => number("direction", view.direction),
        "s" => number("size", view.size),
        "c" => number("costume", view.costume as f64),
        "l" => number("layer", view.layer() as f64),
        "vol" => number("volume", view.volume),
        "v" if want.as_bool() != Some(view.visible) => {
            Err(("visible".to_owned(), view.visible.to_string()))
        }
        "o" if want.as_bool() != Some(view.original) => {
            Err(("original".to_owned(), view.original.to_string()))
        }
        "r" => {
            let got = match view.rotation_style {
                RotationStyle::AllAround => "all around",
                RotationStyle::LeftRight => "left-right",
                RotationStyle::DontRotate => "don't rotate",
            };
            text("rotation style", want, got)
        }
        "b" => text("bubble", want, &view.bubble.map_or(String::new(), Text::to_string)),
        "e" => effects(view, want),
        "vars" => variables(view, want),
        _ => Ok(()),
    }
}

fn text(name: &str, want: &Value, got: &str) -> Result<(), (String, String)> {
    if want.as_str() == Some(got) { Ok(()) } else { Err((name.to_owned(), format!("{got:?}"))) }
}

const EFFECTS: [&str; 7] =
    ["color", "fisheye", "whirl", "pixelate", "mosaic", "brightness", "ghost"];

fn effects(view: &TargetView<'_>, want: &Value) -> Result<(), (String, String)> {
    for (name, got) in EFFECTS.iter().zip(view.effects) {
        let zero = Value::from(0);
        if !same_number(want.get(name).unwrap_or(&zero), got) {
            return Err((format!("effect {name}"), got.to_string()));
        }
    }
    Ok(())
}

fn variables(view: &TargetView<'_>, want: &Value) -> Result<(), (String, String)> {
    let Value::Object(want) = want else { return Ok(()) };
    let scalars: BTreeMap<String, &Scalar> =
        view.variables().map(|(name, value)| (name.to_string(), value)).collect();
    let lists: BTreeMap<String, &[Scalar]> =
        view.lists().map(|(name, items)| (name.to_string(), items)).collect();
    for (name, want) in want {
        match name.strip_prefix("[]") {
            Some(name) => {
                let got = lists.get(name).copied();
                if !got.is_some_and(|items| same_list(want, items)) {
                    let got = got.map_or("absent".to_owned(), |l| {
                        format!("{} items: {:?}", l.len(), &l[..l.len().min(20)])
                    });
                    return Err((format!("list {name}"), got));
                }
            }
            None => {
                let got = scalars.get(name).copied();
                if !got.is_some_and(|got| same_scalar(want, got)) {
                    return Err((format!("variable {name}"), format!("{got:?}")));
                }
            }
        }
    }
    Ok(())
}

/// Equal to 1e-9, relative for large numbers; non-finite numbers are recorded as text.
fn same_number(want: &Value, got: f64) -> bool {
    match want {
        Value::Number(n) => n.as_f64().is_some_and(|n| (n - got).abs() <= 1e-9 * n.abs().max(1.0)),
        Value::String(s) => match s.as_str() {
            "NaN" => got.is_nan(),
            "Infinity" => got == f64::INFINITY,
            "-Infinity" => got == f64::NEG_INFINITY,
            _ => false,
        },
        _ => false,
    }
}

fn same_scalar(want: &Value, got: &Scalar) -> bool {
    match got {
        Scalar::Number(n) => same_number(want, *n),
        Scalar::Text(t) => want.as_str().is_some_and(|w| *t == *w || t.to_str() == w),
        Scalar::Bool(b) => want.as_bool() == Some(*b),
        Scalar::Undefined => want.is_null(),
    }
}

fn same_list(want: &Value, got: &[Scalar]) -> bool {
    let same = |want: &[Value], got: &[Scalar]| {
        want.len() == got.len() && want.iter().zip(got).all(|(w, g)| same_scalar(w, g))
    };
    match want {
        Value::Array(items) => same(items, got),
        Value::Object(long) => {
            let part = |key: &str| long.get(key).and_then(Value::as_array);
            let (Some(head), Some(tail)) = (part("head"), part("tail")) else { return false };
            long.get("n").and_then(Value::as_u64) == Some(got.len() as u64)
                && got.len() >= head.len().max(tail.len())
                && same(head, &got[..head.len()])
                && same(tail, &got[got.len() - tail.len()..])
        }
        _ => false,
    }
}

fn blocks_of(vm: &Vm<Watch>, project: &Project, sprite: &str) -> Vec<String> {
    let of = |no: &BlockNo| {
        let (target, block) = project.locate(*no);
        let block = &project.targets[target].blocks[block as usize];
        (*project.targets[target].name == *sprite || sprite == "-")
            .then(|| format!("{} ({})", block.opcode_name(), block.id))
    };
    vm.tracer.step.iter().filter_map(of).collect()
}

fn compare_coverage(vm: &Vm<Watch>, trace: &Trace, project: &Project, result: &mut Replay) {
    let recorded: BTreeSet<&str> = trace.covered.iter().map(String::as_str).collect();
    let recorded = |id: &str, target: &str| recorded.contains(format!("{id}-{target}").as_str());
    // Blocks of Scratch 2 files have no ids; the recorder drew some.
    let known = |t: &catherd_sb3::Target| t.blocks.iter().any(|b| recorded(&b.id, &t.name));
    if !trace.covered.is_empty() && !project.targets.iter().any(known) {
        return;
    }
    let mut sprites_of: BTreeMap<&str, usize> = BTreeMap::new();
    for block in project.targets.iter().flat_map(|t| &t.blocks) {
        *sprites_of.entry(&block.id).or_default() += 1;
    }
    for no in vm.program().commands() {
        let (target, index) = project.locate(no);
        let target = &project.targets[target];
        let block = &target.blocks[index as usize];
        // The recorder files some blocks under the sprite whose script they started; where
        // only one sprite has the id, that is recognised.
        let elsewhere = || {
            sprites_of.get(&*block.id) == Some(&1)
                && project.targets.iter().any(|t| recorded(&block.id, &t.name))
        };
        let want = recorded(&block.id, &target.name) || elsewhere();
        let got = vm.tracer.covered.contains(&no);
        let name = || format!("{}: {} ({})", target.name, block.opcode_name(), block.id);
        match (want, got) {
            (true, false) => result.missed.push(name()),
            (false, true) => result.extra.push(name()),
            _ => {}
        }
    }
}
