//! The language of policies: drawing and changing rules.

use catherd_scratch_suite::event::Event;
use catherd_scratch_suite::policy::{Action, Condition, Policy, Rule};
use catherd_scratch_suite::{Axis, Comparison};
use catherd_scratch_vm::Value;
use catherd_search::Stream;

use super::alphabet::Alphabet;
use super::settings::Reflex;
use crate::states::Layout;

const DEAD: [f64; 5] = [4.0, 10.0, 20.0, 40.0, 80.0];
const EVERY: [u32; 6] = [1, 4, 16, 40, 64, 100];
const WITHIN: [f64; 5] = [30.0, 60.0, 90.0, 120.0, 160.0];
const MARGIN: [f64; 4] = [20.0, 40.0, 60.0, 100.0];
/// Standard deviations of changes to an aim, and of changes to an offset or a distance.
const DEVIATION: (f64, f64) = (10.0, 20.0);
/// Probability with which a condition is drawn for a rule if guards are set.
const GUARDED: f64 = 0.2;
/// Probability that a press depends on a distance, and probability that the distance is between two
/// sprites of [`Layout::meetings`] if there are any.
const NEAR: (f64, f64) = (0.4, 0.7);
/// Amplitudes of the waves that are added to an aim.
const SWAY: [f64; 3] = [5.0, 10.0, 20.0];
const HEADINGS: [f64; 4] = [-90.0, 0.0, 90.0, 180.0];
/// Standard deviation of the coordinates with which conditions compare the coordinates of a sprite.
const PLACES: f64 = 120.0;
/// Factor by which the weight of a kind of rule grows when a policy with such a rule becomes the
/// best of a population, and the maximum weight.
const LEARNED: (f64, f64) = (1.1, 20.0);

pub(super) struct Language<'a> {
    settings: &'a Reflex,
    alphabet: &'a Alphabet,
    layout: &'a Layout,
    /// Weights of the kinds of rules: follow, mouse, press, edge.
    weights: [f64; 4],
    /// The constants of the layout that are not numbers.
    texts: Vec<&'a (u16, usize, String)>,
}

impl<'a> Language<'a> {
    pub(super) fn new(settings: &'a Reflex, alphabet: &'a Alphabet, layout: &'a Layout) -> Self {
        let follows =
            settings.effects && !alphabet.steered.is_empty() && !layout.sprites.is_empty();
        let mouse = alphabet.mouse && !layout.sprites.is_empty();
        let weight = |possible: bool, weight: f64| if possible { weight } else { 0.0 };
        let weights = [
            weight(follows, 1.0),
            weight(mouse, 0.5),
            weight(!alphabet.events.is_empty(), 0.5),
            weight(follows && settings.guards, 0.1),
        ];
        let constants = layout.constants.iter();
        let texts = constants.filter(|(.., text)| text.trim().parse::<f64>().is_err()).collect();
        Self { settings, alphabet, layout, weights, texts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.weights.iter().sum::<f64>() <= 0.0
    }

    pub(super) fn learn(&mut self, policy: &Policy) {
        for rule in &policy.rules {
            let weight = &mut self.weights[match rule.action {
                Action::Follow { .. } => 0,
                Action::Mouse { .. } => 1,
                Action::Press { .. } => 2,
                Action::Edge { .. } => 3,
            }];
            *weight = (*weight * LEARNED.0).min(LEARNED.1);
        }
    }

    pub(super) fn policy(&self, rng: &mut Stream) -> Policy {
        let most = self.settings.play_steps as u64;
        let count = if self.is_empty() { 0 } else { 1 + rng.index(4) };
        let rules = (0..count.min(self.settings.most_rules)).map(|_| self.rule(rng)).collect();
        Policy { rules, answers: self.answers(rng), most, network: None }
    }

    fn answers(&self, rng: &mut Stream) -> Vec<catherd_scratch_suite::event::TextNo> {
        if self.alphabet.answers.is_empty() {
            return Vec::new();
        }
        let count = 1 + rng.index(3);
        (0..count).map(|_| *rng.pick(&self.alphabet.answers)).collect()
    }

    fn rule(&self, rng: &mut Stream) -> Rule {
        let mut at = rng.unit() * self.weights.iter().sum::<f64>();
        let kind = self.weights.iter().position(|weight| {
            at -= weight;
            at < 0.0 && *weight > 0.0
        });
        let action = match kind {
            Some(0) => self.follow(rng),
            Some(1) => {
                let shift = |rng: &mut Stream| [0.0, 0.0, 20.0, -20.0][rng.index(4)];
                let to = *rng.pick(&self.layout.sprites);
                Action::Mouse { to, dx: shift(rng), dy: shift(rng) }
            }
            Some(3) => self.edge(rng),
            _ => self.press(rng),
        };
        let when = self.condition(rng);
        Rule { action, when }
    }

    fn follow(&self, rng: &mut Stream) -> Action {
        let (sprite, axis, keys) = *rng.pick(&self.alphabet.steered);
        let aim = if rng.chance(0.5) { 0.0 } else { rng.gaussian(0.0, 30.0).round() };
        let leads = self.settings.guards && rng.chance(0.2);
        Action::Follow {
            sprite,
            to: *rng.pick(&self.layout.sprites),
            axis,
            dead: *rng.pick(&DEAD),
            flee: rng.chance(0.2),
            aim,
            sway: if self.settings.guards && rng.chance(0.2) { *rng.pick(&SWAY) } else { 0.0 },
            lead: if leads { rng.between(1, 30) as u32 } else { 0 },
            keys,
            steps: 1 << rng.below(3),
        }
    }

    fn press(&self, rng: &mut Stream) -> Action {
        if self.alphabet.events.is_empty() {
            return Action::Press { event: Event::WAIT, every: 1, near: None };
        }
        let sprites = &self.layout.sprites;
        let near = (!sprites.is_empty() && rng.chance(NEAR.0)).then(|| {
            let meetings = &self.layout.meetings;
            let (own, other) = if !meetings.is_empty() && rng.chance(NEAR.1) {
                *rng.pick(meetings)
            } else {
                (*rng.pick(sprites), *rng.pick(sprites))
            };
            (own, other, *rng.pick(&WITHIN))
        });
        let event = match *rng.pick(&self.alphabet.events) {
            Event::KeyPress { key, .. } => Event::KeyPress { key, steps: 1 << rng.below(5) },
            event => event,
        };
        Action::Press { event, every: *rng.pick(&EVERY), near }
    }

    fn edge(&self, rng: &mut Stream) -> Action {
        let (sprite, axis, keys) = *rng.pick(&self.alphabet.steered);
        let axis = if axis == Axis::Heading { Axis::X } else { axis };
        Action::Edge { sprite, axis, margin: *rng.pick(&MARGIN), keys, steps: 1 << rng.below(3) }
    }

    fn condition(&self, rng: &mut Stream) -> Option<Condition> {
        if self.settings.turns > 0.0 && !self.texts.is_empty() && rng.chance(self.settings.turns) {
            let (target, variable, text) = *rng.pick(&self.texts);
            let text = Value::from(text.as_str());
            return Some(Condition::Variable(*target, Some(*variable), Comparison::Equal, text));
        }
        if !self.settings.guards || !rng.chance(GUARDED) {
            return None;
        }
        let (sprites, constants) = (&self.layout.sprites, &self.layout.constants);
        match rng.below(4) {
            0 if !constants.is_empty() => {
                let (target, variable, than) = rng.pick(constants);
                let comparisons = [Comparison::Below, Comparison::Equal, Comparison::Above];
                let comparison = *rng.pick(&comparisons);
                let than = Value::from(than.as_str());
                Some(Condition::Variable(*target, Some(*variable), comparison, than))
            }
            1 if !sprites.is_empty() => Some(Condition::Costume(*rng.pick(sprites), rng.index(3))),
            2 if !sprites.is_empty() => Some(self.place(rng)),
            _ if !sprites.is_empty() => {
                Some(Condition::Visible(*rng.pick(sprites), rng.chance(0.5)))
            }
            _ => None,
        }
    }

    /// Draws a condition on the place or direction of a sprite, preferably of a sprite that keys
    /// move.
    fn place(&self, rng: &mut Stream) -> Condition {
        let steered = &self.alphabet.steered;
        let sprite = if !steered.is_empty() && rng.chance(0.7) {
            rng.pick(steered).0
        } else {
            *rng.pick(&self.layout.sprites)
        };
        let comparison = if rng.chance(0.5) { Comparison::Below } else { Comparison::Above };
        let place = |rng: &mut Stream| (rng.gaussian(0.0, PLACES) / 20.0).round() * 20.0;
        match rng.below(3) {
            0 => Condition::Place(sprite, Axis::X, comparison, place(rng)),
            1 => Condition::Place(sprite, Axis::Y, comparison, place(rng)),
            _ => Condition::Place(sprite, Axis::Heading, Comparison::Equal, *rng.pick(&HEADINGS)),
        }
    }

    /// Combines two policies: the rules of the first come before the further rules of the second,
    /// up to the maximum number of rules.
    pub(super) fn composed(&self, first: &Policy, second: &Policy) -> Policy {
        let mut policy = first.clone();
        for rule in &second.rules {
            if !policy.rules.contains(rule) {
                policy.rules.push(rule.clone());
            }
        }
        policy.rules.truncate(self.settings.most_rules);
        policy
    }

    /// Changes a policy. `lent` is a rule to use instead of a random rule.
    pub(super) fn changed(&self, policy: &Policy, lent: Option<Rule>, rng: &mut Stream) -> Policy {
        let mut policy = policy.clone();
        if !policy.answers.is_empty() && rng.chance(0.2) {
            policy.answers = self.answers(rng);
        }
        if self.is_empty() {
            return policy;
        }
        let rules = &mut policy.rules;
        match rng.below(4) {
            0 if rules.len() > 1 => {
                rules.remove(rng.index(rules.len()));
            }
            1 => {
                let rule = lent.unwrap_or_else(|| self.rule(rng));
                rules.insert(rng.index(rules.len() + 1), rule);
            }
            2 if !rules.is_empty() => {
                let place = rng.index(rules.len());
                rules[place] = lent.unwrap_or_else(|| self.rule(rng));
            }
            _ if rules.is_empty() => rules.push(self.rule(rng)),
            _ => {
                let place = rng.index(rules.len());
                self.move_constants(&mut rules[place], rng);
            }
        }
        rules.truncate(self.settings.most_rules);
        policy
    }

    fn move_constants(&self, rule: &mut Rule, rng: &mut Stream) {
        match &mut rule.action {
            Action::Follow { dead, aim, sway, steps, lead, .. } => {
                if *sway > 0.0 {
                    *sway = *rng.pick(&SWAY);
                }
                *aim = (*aim + rng.gaussian(0.0, DEVIATION.0)).round();
                *dead = *rng.pick(&DEAD);
                *steps = 1 << rng.below(3);
                if *lead > 0 {
                    *lead = rng.between(1, 30) as u32;
                }
            }
            Action::Mouse { dx, dy, .. } => {
                *dx = rng.gaussian(*dx, DEVIATION.1).round();
                *dy = rng.gaussian(*dy, DEVIATION.1).round();
            }
            Action::Press { event, every, near } => {
                *every = *rng.pick(&EVERY);
                if let Event::KeyPress { steps, .. } = event {
                    *steps = 1 << rng.below(5);
                }
                if let Some((_, _, within)) = near {
                    *within = rng.gaussian(*within, DEVIATION.1).round().max(5.0);
                }
            }
            Action::Edge { margin, steps, .. } => {
                *margin = *rng.pick(&MARGIN);
                *steps = 1 << rng.below(3);
            }
        }
        if rng.chance(0.1) {
            rule.when = self.condition(rng);
        }
    }
}
