//! Conversion between policies with names, as in suite files, and policies with numbers.

use catherd_scratch_vm::{Program, Value};

use super::{Action, Condition, Policy, Rule};
use crate::event::{Event, KeyNo, Vocabulary};
use crate::format::{
    Axis, Edge, Follow, Guard, Mouse, Near, Press, Proposal, SuiteEvent, SuitePolicy, SuiteRule,
};

const MAX_RULES: usize = 100;

impl SuitePolicy {
    /// New keys and strings are added to the vocabulary.
    pub(crate) fn resolve(
        &self,
        words: &mut Vocabulary,
        program: &Program,
    ) -> Result<Policy, String> {
        if self.rules.len() > MAX_RULES {
            return Err(format!(
                "the policy has {} rules; the maximum is {MAX_RULES}",
                self.rules.len()
            ));
        }
        let rules = self.rules.iter().map(|rule| rule.resolve(words, program));
        let rules = rules.collect::<Result<_, _>>()?;
        let answers = self.answers.iter().map(|text| words.text_no(text)).collect();
        let network = self.network.as_ref().map(|network| network.resolve(words, program));
        Ok(Policy { rules, answers, most: self.most, network: network.transpose()? })
    }

    /// Creates a policy with the names of a vocabulary and the variables of a program.
    pub fn new(policy: &Policy, words: &Vocabulary, program: &Program) -> Self {
        Self {
            rules: policy.rules.iter().map(|rule| SuiteRule::new(rule, words, program)).collect(),
            answers: policy.answers.iter().map(|text| words.text(*text).to_owned()).collect(),
            most: policy.most,
            network: policy.network.as_ref().map(|network| network.with_names(words, program)),
        }
    }
}

pub(super) fn sprite(name: &str, words: &Vocabulary) -> Result<u16, String> {
    words.sprite_no(name).ok_or_else(|| format!("the project has no sprite `{name}`"))
}

fn keys(names: &[String; 2], words: &mut Vocabulary) -> [KeyNo; 2] {
    names.each_ref().map(|name| words.key_no(name))
}

/// Checks that there is at least one step, and that the steps take at most an hour.
pub(super) fn steps(name: &str, steps: u32) -> Result<u32, String> {
    let most = 108_000;
    let fits = (1..=most).contains(&steps);
    fits.then_some(steps).ok_or_else(|| format!("`{name}` is {steps}, but must be 1 to {most}"))
}

pub(super) fn finite(name: &str, number: f64) -> Result<f64, String> {
    number.is_finite().then_some(number).ok_or_else(|| format!("`{name}` is not a finite number"))
}

impl SuiteRule {
    fn resolve(&self, words: &mut Vocabulary, program: &Program) -> Result<Rule, String> {
        let action = match &self.proposal {
            Proposal::Follow(follow) => Action::Follow {
                sprite: sprite(&follow.follow, words)?,
                to: sprite(&follow.to, words)?,
                axis: follow.axis,
                dead: finite("dead", follow.dead)?,
                flee: follow.flee,
                aim: finite("aim", follow.aim)?,
                sway: finite("sway", follow.sway)?,
                lead: follow.lead,
                keys: keys(&follow.keys, words),
                steps: steps("steps", follow.steps)?,
            },
            Proposal::Mouse(mouse) => Action::Mouse {
                to: sprite(&mouse.mouse, words)?,
                dx: finite("dx", mouse.dx)?,
                dy: finite("dy", mouse.dy)?,
            },
            Proposal::Press(press) => {
                let event = press.press.resolve(words);
                let event = event.map_err(|error| error.to_string())?;
                if let Event::KeyPress { steps: n, .. } | Event::Wait { steps: n } = event {
                    steps("steps", n)?;
                }
                let near = press.near.as_ref().map(|near| {
                    let within = finite("within", near.within)?;
                    Ok::<_, String>((
                        sprite(&near.sprite, words)?,
                        sprite(&near.to, words)?,
                        within,
                    ))
                });
                Action::Press {
                    event,
                    every: steps("every", press.every)?,
                    near: near.transpose()?,
                }
            }
            Proposal::Edge(edge) => {
                if edge.axis == Axis::Heading {
                    return Err("the axis of an `edge` rule must be x or y".to_owned());
                }
                Action::Edge {
                    sprite: sprite(&edge.edge, words)?,
                    axis: edge.axis,
                    margin: finite("margin", edge.margin)?,
                    keys: keys(&edge.keys, words),
                    steps: steps("steps", edge.steps)?,
                }
            }
        };
        let when = self.when.as_ref().map(|guard| guard.resolve(words, program)).transpose()?;
        Ok(Rule { action, when })
    }

    fn new(rule: &Rule, words: &Vocabulary, program: &Program) -> Self {
        let sprite = |number: u16| words.sprite(number).to_owned();
        let names = |keys: [KeyNo; 2]| keys.map(|key| words.key(key).to_owned());
        let proposal = match rule.action {
            Action::Follow { sprite: own, to, axis, dead, flee, aim, sway, lead, keys, steps } => {
                Proposal::Follow(Follow {
                    follow: sprite(own),
                    to: sprite(to),
                    axis,
                    dead,
                    flee,
                    aim,
                    sway,
                    lead,
                    keys: names(keys),
                    steps,
                })
            }
            Action::Mouse { to, dx, dy } => Proposal::Mouse(Mouse { mouse: sprite(to), dx, dy }),
            Action::Press { event, every, near } => Proposal::Press(Press {
                press: SuiteEvent::new(event, words),
                every,
                near: near.map(|(own, to, within)| Near {
                    sprite: sprite(own),
                    to: sprite(to),
                    within,
                }),
            }),
            Action::Edge { sprite: own, axis, margin, keys, steps } => {
                Proposal::Edge(Edge { edge: sprite(own), axis, margin, keys: names(keys), steps })
            }
        };
        let when = rule.when.as_ref().map(|condition| Guard::new(condition, words, program));
        Self { proposal, when }
    }
}

impl Guard {
    fn resolve(&self, words: &Vocabulary, program: &Program) -> Result<Condition, String> {
        Ok(match self {
            Self::Visible { sprite: name, is } => Condition::Visible(sprite(name, words)?, *is),
            Self::Costume { sprite: name, is } => {
                Condition::Costume(sprite(name, words)?, *is as usize)
            }
            Self::Place { sprite: name, axis, is, than } => {
                let than = finite("than", *than)?;
                Condition::Place(sprite(name, words)?, *axis, *is, than)
            }
            Self::Variable { sprite: owner, variable, is, than } => {
                let target = match owner {
                    Some(name) => sprite(name, words)?,
                    None => words.stage(),
                };
                let mut names = program.variables(usize::from(target));
                let found = names.position(|name| *name == **variable);
                Condition::Variable(target, found, *is, Value::from(than.as_str()))
            }
        })
    }

    fn new(condition: &Condition, words: &Vocabulary, program: &Program) -> Self {
        let name = |number: u16| words.sprite(number).to_owned();
        match condition {
            Condition::Visible(sprite, is) => Self::Visible { sprite: name(*sprite), is: *is },
            Condition::Costume(sprite, is) => {
                Self::Costume { sprite: name(*sprite), is: *is as u32 }
            }
            Condition::Place(sprite, axis, is, than) => {
                Self::Place { sprite: name(*sprite), axis: *axis, is: *is, than: *than }
            }
            Condition::Variable(target, variable, is, than) => {
                let mut names = program.variables(usize::from(*target));
                let found = variable.and_then(|number| names.nth(number));
                Self::Variable {
                    sprite: (*target != words.stage()).then(|| name(*target)),
                    variable: found.map_or_else(String::new, |text| text.to_str().into_owned()),
                    is: *is,
                    than: than.to_text().to_str().into_owned(),
                }
            }
        }
    }
}
