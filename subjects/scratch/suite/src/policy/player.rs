//! Execution of policies, which determine the next event from the state of the program.

use std::cmp::Ordering;

use catherd_scratch_vm::{TargetId, Tracer, Vm};

use super::brain::Brain;
use super::{Action, Condition, Policy, Rule};
use crate::event::{Event, Interaction, KeyNo, Vocabulary};
use crate::format::{Axis, Comparison};

/// Period of the wave of [`Action::Follow::sway`](super::Action::Follow), in steps.
const WAVE: u64 = 300;
/// Exclusive maximum difference of coordinates or directions that count as equal.
const EQUAL: f64 = 0.5;
/// Half the width and height of the stage.
const STAGE: (f64, f64) = (240.0, 180.0);

/// Position of a visible instance of a sprite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    id: TargetId,
    serial: u32,
    /// Horizontal position in stage units.
    pub x: f64,
    /// Vertical position in stage units.
    pub y: f64,
    /// Direction in degrees.
    pub direction: f64,
    /// Whether the instance is the original.
    pub original: bool,
}

/// State of the execution of a policy.
#[derive(Clone, Debug, Default)]
pub struct Player {
    /// For each rule, the step from which its press may be repeated.
    ready: Vec<u64>,
    /// Number of answered questions.
    answered: usize,
    /// For each sprite, the visible instances, originals first.
    places: Vec<Vec<Place>>,
    /// The value of `places` at the previous evaluation of the rules.
    earlier: Vec<Vec<Place>>,
    /// Number of steps of the last event.
    elapsed: u64,
    /// The step in which the execution of the policy began.
    began: u64,
    /// The rule that chose the last event; `None` if no rule chose it.
    rule: Option<usize>,
}

impl Policy {
    /// Executes the policy until its steps are used up, the program ends or hangs, or the fuel of
    /// the VM is used up. `before` is called before each decision and ends the execution if it
    /// returns false.
    pub fn play<T: Tracer>(
        &self,
        vm: &mut Vm<T>,
        interaction: &mut Interaction,
        words: &Vocabulary,
        before: impl FnMut(&mut Vm<T>) -> bool,
    ) {
        self.play_watched(vm, interaction, words, before, &mut |_| {});
    }

    /// Like [`play`](Policy::play), but calls a function after each step.
    pub(crate) fn play_watched<T: Tracer>(
        &self,
        vm: &mut Vm<T>,
        interaction: &mut Interaction,
        words: &Vocabulary,
        before: impl FnMut(&mut Vm<T>) -> bool,
        each: &mut impl FnMut(&Vm<T>),
    ) {
        self.play_shown(vm, interaction, words, before, &mut |vm, _| each(vm));
    }

    /// Like [`play`](Policy::play), but calls a function after each step, with the number of the
    /// rule that chose the event, if a rule chose it.
    pub(crate) fn play_shown<T: Tracer>(
        &self,
        vm: &mut Vm<T>,
        interaction: &mut Interaction,
        words: &Vocabulary,
        mut before: impl FnMut(&mut Vm<T>) -> bool,
        each: &mut impl FnMut(&Vm<T>, Option<usize>),
    ) {
        let end = vm.steps().saturating_add(self.most);
        let mut player = Player { began: vm.steps(), ..Player::default() };
        let mut brain = Brain::default();
        while vm.steps() < end
            && !interaction.has_ended()
            && !interaction.is_hung()
            && !vm.is_out_of_fuel()
            && before(vm)
        {
            let from = vm.steps();
            let event = player.decide(self, vm);
            let rule = player.rule;
            let each = &mut |vm: &Vm<T>| each(vm, rule);
            match (event, &self.network) {
                (Some(event), _) => interaction.send_watched(event, vm, words, each),
                (None, Some(network)) => brain.act(network, vm, interaction, words, each),
                (None, None) => interaction.pause_watched(vm, each),
            }
            player.elapsed = vm.steps() - from;
        }
    }
}

impl Player {
    /// The event that the answers or rules of the policy choose now; `None` if they choose no
    /// event. The network is not evaluated.
    pub fn decide<T: Tracer>(&mut self, policy: &Policy, vm: &Vm<T>) -> Option<Event> {
        self.rule = None;
        if vm.is_asking() && !policy.answers.is_empty() {
            let text = policy.answers[self.answered % policy.answers.len()];
            self.answered += 1;
            return Some(Event::TypeText { text });
        }
        if policy.rules.is_empty() {
            return None;
        }
        self.look(vm);
        self.ready.resize(policy.rules.len(), 0);
        let mut proposals = policy.rules.iter().enumerate();
        let (rule, event) =
            proposals.find_map(|(number, rule)| Some((number, self.propose(number, rule, vm)?)))?;
        self.rule = Some(rule);
        Some(event)
    }

    fn look<T: Tracer>(&mut self, vm: &Vm<T>) {
        std::mem::swap(&mut self.places, &mut self.earlier);
        self.places.iter_mut().for_each(Vec::clear);
        for view in vm.targets().filter_map(|id| vm.target(id)) {
            if view.sprite >= self.places.len() {
                self.places.resize(view.sprite + 1, Vec::new());
            }
            if !view.is_stage && view.visible {
                self.places[view.sprite].push(Place {
                    id: view.id,
                    serial: view.serial,
                    x: view.x,
                    y: view.y,
                    direction: view.direction,
                    original: view.original,
                });
            }
        }
    }

    fn propose<T: Tracer>(&mut self, number: usize, rule: &Rule, vm: &Vm<T>) -> Option<Event> {
        if let Some(condition) = &rule.when
            && !condition.holds(vm)
        {
            return None;
        }
        match rule.action {
            Action::Follow { sprite, to, axis, dead, flee, aim, sway, lead, keys, steps } => {
                let aim = aim + sway * wave(vm.steps() - self.began);
                let (own, other) = self.nearest(sprite, to)?;
                let (dx, dy) = self.ahead(to, other, lead);
                let (dx, dy) = (other.x + dx - own.x, other.y + dy - own.y);
                let distance = match axis {
                    Axis::X => dx + aim,
                    Axis::Y => dy + aim,
                    Axis::Heading => turn(dx, dy, own.direction, aim),
                };
                let acts = if flee { distance.abs() < dead } else { distance.abs() > dead };
                acts.then(|| press(keys, (distance > 0.0) != flee, steps))
            }
            Action::Mouse { to, dx, dy } => {
                let (x, y) = vm.mouse();
                let from = |place: &&Place| (place.x - x).powi(2) + (place.y - y).powi(2);
                let place = self.of(to).iter().min_by(|a, b| from(a).total_cmp(&from(b)))?;
                let x_to = (place.x + dx).trunc().clamp(-STAGE.0, STAGE.0);
                let y_to = (place.y + dy).trunc().clamp(-STAGE.1, STAGE.1);
                let elsewhere = (x, y) != (x_to, y_to) && x_to.is_finite() && y_to.is_finite();
                elsewhere.then_some(Event::MouseMove { x: x_to, y: y_to })
            }
            Action::Press { event, every, near } => {
                if vm.steps() < self.ready[number] {
                    return None;
                }
                if let Some((sprite, to, within)) = near {
                    let (own, other) = self.nearest(sprite, to)?;
                    if own.squared(&other) > within * within {
                        return None;
                    }
                }
                let event = match event {
                    Event::MouseDown { .. } => Event::MouseDown { down: !vm.mouse_down() },
                    Event::ClickClone { sprite, .. } => {
                        let clone = self.of(sprite).iter().find(|place| !place.original)?;
                        Event::ClickClone { sprite, instance: 0, x: clone.x, y: clone.y }
                    }
                    event => event,
                };
                if !event.is_finite() {
                    return None;
                }
                self.ready[number] = vm.steps() + u64::from(every);
                Some(event)
            }
            Action::Edge { sprite, axis, margin, keys, steps } => {
                let own = self.of(sprite).first()?;
                let (at, end) = match axis {
                    Axis::X | Axis::Heading => (own.x, STAGE.0),
                    Axis::Y => (own.y, STAGE.1),
                };
                (at.abs() > end - margin).then(|| press(keys, at < 0.0, steps))
            }
        }
    }

    fn of(&self, sprite: u16) -> &[Place] {
        self.places.get(usize::from(sprite)).map_or(&[], |places| places)
    }

    /// The first visible instance of a sprite, and the nearest other visible instance of a second
    /// sprite.
    fn nearest(&self, sprite: u16, to: u16) -> Option<(Place, Place)> {
        let own = *self.of(sprite).first()?;
        let others = self.of(to).iter().filter(|other| other.id != own.id);
        let other = others.min_by(|a, b| own.squared(a).total_cmp(&own.squared(b)))?;
        Some((own, *other))
    }

    /// The distance by which an instance moves in this number of steps if it continues as before.
    fn ahead(&self, sprite: u16, place: Place, steps: u32) -> (f64, f64) {
        if steps == 0 || self.elapsed == 0 {
            return (0.0, 0.0);
        }
        let mut earlier = self.earlier.get(usize::from(sprite)).into_iter().flatten();
        let same = |old: &&Place| (old.id, old.serial) == (place.id, place.serial);
        earlier.find(same).map_or((0.0, 0.0), |old| {
            let factor = f64::from(steps) / self.elapsed as f64;
            ((place.x - old.x) * factor, (place.y - old.y) * factor)
        })
    }
}

impl Place {
    fn squared(&self, other: &Place) -> f64 {
        (self.x - other.x).powi(2) + (self.y - other.y).powi(2)
    }
}

/// A wave in -1..=1 that begins at 0 and rises.
fn wave(steps: u64) -> f64 {
    let at = (steps % WAVE) as f64 * 4.0 / WAVE as f64;
    if at < 1.0 {
        at
    } else if at < 3.0 {
        2.0 - at
    } else {
        at - 4.0
    }
}

/// Angle by which a direction must turn clockwise to point along a vector, plus `aim`; in degrees,
/// from -180 to less than 180.
fn turn(dx: f64, dy: f64, direction: f64, aim: f64) -> f64 {
    let wanted = libm::atan2(dx, dy).to_degrees() + aim;
    (wanted - direction + 540.0).rem_euclid(360.0) - 180.0
}

fn press([up, down]: [KeyNo; 2], raise: bool, steps: u32) -> Event {
    Event::KeyPress { key: if raise { up } else { down }, steps }
}

impl Condition {
    fn holds<T: Tracer>(&self, vm: &Vm<T>) -> bool {
        // The id of an original is the position of its sprite in `Project::targets`.
        let original = |sprite: u16| vm.target(TargetId(u32::from(sprite)));
        match self {
            Self::Visible(sprite, shown) => {
                original(*sprite).is_some_and(|view| view.visible == *shown)
            }
            Self::Costume(sprite, costume) => {
                original(*sprite).is_some_and(|view| view.costume == *costume)
            }
            Self::Place(sprite, axis, comparison, than) => original(*sprite).is_some_and(|view| {
                let value = match axis {
                    Axis::X => view.x,
                    Axis::Y => view.y,
                    Axis::Heading => view.direction,
                };
                match comparison {
                    Comparison::Below => value < *than,
                    Comparison::Equal => (value - than).abs() < EQUAL,
                    Comparison::Above => value > *than,
                }
            }),
            Self::Variable(sprite, variable, comparison, than) => {
                let view = original(*sprite);
                let value = view.as_ref().and_then(|view| view.variable((*variable)?));
                value.is_some_and(|value| {
                    let wanted = match comparison {
                        Comparison::Below => Ordering::Less,
                        Comparison::Equal => Ordering::Equal,
                        Comparison::Above => Ordering::Greater,
                    };
                    value.compare(than) == wanted
                })
            }
        }
    }
}
