//! Inputs to which the scripts of a project react in some state.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::KeyNo;

use super::source::{Body, Hat, Source};
use super::tables::Tables;

/// An input to which a script reacts. Keys are numbers in [`Tables::words`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// A key press.
    Key(KeyNo),
    /// A move of the mouse.
    MouseMove,
    /// A move of the mouse onto the sprite.
    MouseTo,
    /// The mouse button.
    MouseDown,
    /// A click on the sprite, or on the stage.
    Click,
    /// A sound of this loudness.
    Sound(f64),
    /// An answer.
    Answer,
}

/// A script that reacts to an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// The input.
    pub input: Input,
    /// Position of the script's target in `Project::targets`.
    pub sprite: u16,
    /// The block on top of the script.
    pub top: BlockNo,
    /// Whether the script reacts while it runs. If false, the input starts the script.
    pub runs: bool,
}

impl Tables {
    /// All reactions except reactions to drags, each once, in the order of targets, scripts and
    /// blocks.
    pub fn reactions(&self) -> Vec<Reaction> {
        let mut found: Vec<Reaction> = Vec::new();
        for (scripts, sprite) in self.targets.iter().zip(0..) {
            for script in &self.scripts[scripts.start as usize..scripts.end as usize] {
                let reaction = |input, runs| Reaction { input, sprite, top: script.top, runs };
                let started = match script.hat {
                    Hat::Key(key) => Some(Input::Key(key)),
                    Hat::SpriteClick | Hat::StageClick => Some(Input::Click),
                    Hat::Loudness(volume) => Some(Input::Sound(volume)),
                    Hat::Brief | Hat::Other => None,
                };
                found.extend(started.map(|input| reaction(input, false)));
                let sensed: Vec<Input> =
                    self.reachable(&script.body).into_iter().filter_map(input).collect();
                for input in sensed {
                    let new = reaction(input, true);
                    if !found.contains(&new) {
                        found.push(new);
                    }
                }
            }
        }
        found
    }

    /// Whether numbers are useful as answers.
    pub fn asks_for_numbers(&self) -> bool {
        self.numbers
    }

    /// The sources of a script and of the procedures that it calls.
    fn reachable(&self, body: &Body) -> Vec<Source> {
        let mut called = vec![false; self.procedures.len()];
        let (mut open, mut found) = (vec![body.all.clone()], Vec::new());
        while let Some(range) = open.last_mut() {
            let Some(position) = range.next() else {
                open.pop();
                continue;
            };
            match self.sources[position as usize] {
                Source::Call(procedure) => {
                    let procedure = procedure as usize;
                    if !std::mem::replace(&mut called[procedure], true) {
                        open.push(self.procedures[procedure].body.all.clone());
                    }
                }
                source => found.push(source),
            }
        }
        found
    }
}

fn input(source: Source) -> Option<Input> {
    match source {
        Source::Key(key) => Some(Input::Key(key)),
        Source::MouseMove => Some(Input::MouseMove),
        Source::TouchMouse => Some(Input::MouseTo),
        Source::MouseDown => Some(Input::MouseDown),
        Source::Sound(bits) => Some(Input::Sound(f64::from_bits(bits))),
        Source::Ask => Some(Input::Answer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use catherd_scratch_sb3::Opcode;
    use catherd_scratch_sb3::test_support::{TargetBuilder, project};

    use super::*;

    #[test]
    fn hats_react_while_they_do_not_run_and_sensors_while_they_do() {
        let mut cat = TargetBuilder::new("Cat");
        let menu = cat.menu(Opcode::SensingKeyOptions, "KEY_OPTION", "a");
        let down = cat.value(Opcode::SensingKeyPressed, &[("KEY_OPTION", menu)]);
        let wait = cat.block(Opcode::ControlWaitUntil, &[("CONDITION", down)]);
        cat.flag(&[wait]);
        let hide = cat.block(Opcode::LooksHide, &[]);
        cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "a")), &[hide]);
        let tables = Tables::new(&project(vec![TargetBuilder::new("Stage"), cat]));
        let found: Vec<_> =
            tables.reactions().iter().map(|r| (r.input, r.sprite, r.runs)).collect();
        let Input::Key(key) = found[0].0 else { panic!("{found:?}") };
        assert_eq!(tables.words().key(key), "a");
        assert_eq!(found.len(), 2);
        assert!(found.contains(&(Input::Key(key), 1, true)), "{found:?}");
        assert!(found.contains(&(Input::Key(key), 1, false)), "{found:?}");
    }
}
