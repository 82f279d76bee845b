//! Rules of policies as sentences.

use std::fmt;

use super::event::SuiteEvent;
use super::policy::{Axis, Comparison, Guard, Proposal, SuiteRule};

impl fmt::Display for SuiteRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.when {
            write!(f, "if {guard}: ")?;
        }
        write!(f, "{}", self.proposal)
    }
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Follow(rule) => {
                let [up, down] = &rule.keys;
                let verb = if rule.flee { "keep" } else { "move" };
                let to = if rule.flee { "away from" } else { "to" };
                write!(f, "{verb} {} {to} {} along {}", rule.follow, rule.to, rule.axis)?;
                if rule.aim != 0.0 {
                    write!(f, ", offset by {}", rule.aim)?;
                }
                if rule.sway != 0.0 {
                    write!(f, ", swaying by {}", rule.sway)?;
                }
                if rule.lead > 0 {
                    write!(f, ", {} ahead", Steps(rule.lead))?;
                }
                write!(f, ", with {up} and {down}")
            }
            Self::Mouse(rule) if (rule.dx, rule.dy) == (0.0, 0.0) => {
                write!(f, "move the mouse to {}", rule.mouse)
            }
            Self::Mouse(rule) => {
                write!(f, "move the mouse to {}, {} right and {} up", rule.mouse, rule.dx, rule.dy)
            }
            Self::Press(rule) => {
                write!(f, "{} every {}", Sentence(&rule.press), Steps(rule.every))?;
                match &rule.near {
                    Some(near) => {
                        write!(f, " if {} is within {} of {}", near.sprite, near.within, near.to)
                    }
                    None => Ok(()),
                }
            }
            Self::Edge(rule) => {
                let [up, down] = &rule.keys;
                write!(f, "keep {} {} from the edge", rule.edge, rule.margin)?;
                write!(f, " along {}, with {up} and {down}", rule.axis)
            }
        }
    }
}

struct Steps(u32);

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 step"),
            steps => write!(f, "{steps} steps"),
        }
    }
}

/// An event as the beginning of a sentence.
struct Sentence<'a>(&'a SuiteEvent);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            SuiteEvent::KeyPress { key, steps } => write!(f, "press {key} for {}", Steps(*steps)),
            SuiteEvent::ClickSprite { sprite } => write!(f, "click {sprite}"),
            SuiteEvent::ClickClone { sprite, .. } => write!(f, "click a clone of {sprite}"),
            SuiteEvent::ClickStage => write!(f, "click the stage"),
            SuiteEvent::TypeText { text } => write!(f, "answer {text:?}"),
            SuiteEvent::TypeNumber { number } => write!(f, "answer {number}"),
            SuiteEvent::MouseDown { .. } => write!(f, "press or release the mouse button"),
            SuiteEvent::MouseMove { x, y } | SuiteEvent::MouseMoveTo { x, y } => {
                write!(f, "move the mouse to ({x}, {y})")
            }
            SuiteEvent::DragSprite { sprite, x, y, .. } => write!(f, "drag {sprite} to ({x}, {y})"),
            SuiteEvent::Sound { volume } => write!(f, "make a sound of {volume}"),
            SuiteEvent::Wait { steps } => write!(f, "wait {}", Steps(*steps)),
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |comparison: &Comparison| match comparison {
            Comparison::Below => "below",
            Comparison::Equal => "equal to",
            Comparison::Above => "above",
        };
        match self {
            Self::Visible { sprite, is: true } => write!(f, "{sprite} is shown"),
            Self::Visible { sprite, is: false } => write!(f, "{sprite} is hidden"),
            Self::Costume { sprite, is } => write!(f, "{sprite} has costume {}", is + 1),
            Self::Place { sprite, axis, is, than } => {
                write!(f, "the {axis} of {sprite} is {} {than}", word(is))
            }
            Self::Variable { variable, is, than, .. } => {
                write!(f, "{variable} is {} {than:?}", word(is))
            }
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Heading => "heading",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sentences() {
        for (json, text) in [
            (
                r#"{"follow": "Bowl", "to": "Apple", "axis": "x", "dead": 4.0, "lead": 5,
                    "keys": ["right arrow", "left arrow"], "steps": 2}"#,
                "move Bowl to Apple along x, 5 steps ahead, with right arrow and left arrow",
            ),
            (
                r#"{"press": {"event": "KeyPress", "key": "space", "steps": 4}, "every": 16,
                    "when": {"variable": {"variable": "turn", "is": "equal", "than": "Tim"}}}"#,
                "if turn is equal to \"Tim\": press space for 4 steps every 16 steps",
            ),
            (r#"{"mouse": "Bird"}"#, "move the mouse to Bird"),
        ] {
            let rule: SuiteRule = serde_json::from_str(json).unwrap();
            assert_eq!(rule.to_string(), text);
        }
    }
}
