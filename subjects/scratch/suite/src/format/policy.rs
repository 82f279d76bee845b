//! Policies in suite files: rules and networks by which tests react to the program.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::event::SuiteEvent;
use super::network::{Sent, SuiteNetwork};

/// Rules and possibly a network, which choose the events of a test while the test runs, after its
/// recorded events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuitePolicy {
    /// The rules. The first rule that proposes an event decides; if no rule does, the network
    /// decides; without a network, one step passes without input.
    pub rules: Vec<SuiteRule>,
    /// Answers to the questions of the program, used in turn and from the first again after the
    /// last. If the list is empty, only rules and the network can answer questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// Number of steps after which the policy ends. The policy ends earlier if the program ends or
    /// hangs. The steps of the last event are still executed.
    pub most: u64,
    /// The network that decides if no rule proposes an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<SuiteNetwork>,
}

/// A rule of a policy: one proposal, which may depend on a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct SuiteRule {
    /// The events that the rule can propose.
    #[serde(flatten)]
    pub proposal: Proposal,
    /// The condition under which the rule may propose an event; `None` if there is no condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Guard>,
}

/// The proposal of a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Proposal {
    /// Presses the key that moves a sprite to another sprite, or away from another sprite.
    Follow(Follow),
    /// Moves the mouse onto a sprite.
    Mouse(Mouse),
    /// Sends an event repeatedly.
    Press(Press),
    /// Turns a sprite back from the edge of the stage.
    Edge(Edge),
}

/// Axis of movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// The horizontal coordinate, in stage units.
    X,
    /// The vertical coordinate, in stage units.
    Y,
    /// The direction, in degrees clockwise.
    Heading,
}

/// Presses the key that moves the first visible instance of a sprite (the original if it is
/// visible) to the nearest visible instance of a second sprite, or away from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follow {
    /// The sprite that the keys move.
    pub follow: String,
    /// The sprite to follow.
    pub to: String,
    /// The axis along which the keys move the sprite.
    pub axis: Axis,
    /// Distance along the axis within which the rule proposes nothing.
    pub dead: f64,
    /// Whether the sprite keeps away. If so, the rule proposes the other key, and only within
    /// `dead`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub flee: bool,
    /// Number that is added to the distance: in stage units, or in degrees on the axis `heading`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub aim: f64,
    /// Amplitude of a wave that is added to `aim`, with a period of 10 s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sway: f64,
    /// Number of steps by which the position of `to` is extrapolated with its last velocity.
    #[serde(default, skip_serializing_if = "is_none")]
    pub lead: u32,
    /// The keys that raise and lower the coordinate or direction.
    pub keys: [String; 2],
    /// Number of steps of a key press, at least 1.
    pub steps: u32,
}

/// Moves the mouse to the nearest visible instance of a sprite, unless the mouse is already there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mouse {
    /// The sprite.
    pub mouse: String,
    /// Offset to the right of the sprite, in stage units.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dx: f64,
    /// Offset above the sprite, in stage units.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dy: f64,
}

/// Sends an event, and then waits for a number of steps before sending the event again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Press {
    /// The event. An event of the mouse button changes the state of the button, independently of
    /// the value in the event; a click on a clone is a click on the first visible clone of the
    /// sprite.
    pub press: SuiteEvent,
    /// Number of steps between two events, at least 1.
    pub every: u32,
    /// A condition on the distance between two sprites; `None` if there is no such condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<Near>,
}

/// A condition that two sprites are near each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Near {
    /// The first sprite, of which the first visible instance is used.
    pub sprite: String,
    /// The second sprite, of which the nearest visible instance is used.
    pub to: String,
    /// Maximum distance in stage units.
    pub within: f64,
}

/// Presses the key that moves a sprite back when it is near an edge of the stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The sprite that the keys move.
    pub edge: String,
    /// The axis along which the keys move the sprite, x or y.
    pub axis: Axis,
    /// Distance from the edge in stage units within which the rule acts.
    pub margin: f64,
    /// The keys that raise and lower the coordinate.
    pub keys: [String; 2],
    /// Number of steps of a key press, at least 1.
    pub steps: u32,
}

/// Condition of a rule on the current state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Guard {
    /// Whether the original of a sprite is shown.
    Visible {
        /// The sprite.
        sprite: String,
        /// Whether the sprite must be visible; otherwise, the sprite must be hidden.
        is: bool,
    },
    /// The costume of the original of a sprite, from 0.
    Costume {
        /// The sprite.
        sprite: String,
        /// The costume that the sprite must have.
        is: u32,
    },
    /// The place or direction of the original of a sprite.
    Place {
        /// The sprite.
        sprite: String,
        /// The coordinate, or the direction.
        axis: Axis,
        /// The comparison. `equal` accepts differences of less than 0.5.
        is: Comparison,
        /// The number, in stage units or degrees.
        than: f64,
    },
    /// The value of a variable, compared as the blocks of Scratch compare.
    Variable {
        /// The sprite that owns the variable; `None` for the stage.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sprite: Option<String>,
        /// Name of the variable.
        variable: String,
        /// The comparison.
        is: Comparison,
        /// The value with which the variable is compared.
        than: String,
    },
}

/// Comparison of a variable, a coordinate or a direction with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    /// Smaller.
    Below,
    /// Equal.
    Equal,
    /// Greater.
    Above,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn is_none(number: &u32) -> bool {
    *number == 0
}

impl TryFrom<Map<String, Value>> for SuiteRule {
    type Error = String;

    fn try_from(mut rule: Map<String, Value>) -> Result<Self, String> {
        fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, String> {
            serde_json::from_value(value).map_err(|error| format!("a rule: {error}"))
        }
        let when = rule.remove("when").map(read).transpose()?;
        let kinds = ["follow", "mouse", "press", "edge"];
        let kind = kinds.into_iter().find(|kind| rule.contains_key(*kind));
        let rule = Value::Object(rule);
        let proposal = match kind {
            Some("follow") => Proposal::Follow(read(rule)?),
            Some("mouse") => Proposal::Mouse(read(rule)?),
            Some("press") => Proposal::Press(read(rule)?),
            Some("edge") => Proposal::Edge(read(rule)?),
            _ => return Err(format!("a rule has none of the keys {}", kinds.join(", "))),
        };
        Ok(Self { proposal, when })
    }
}

impl SuitePolicy {
    /// Whether some rule or the network presses keys.
    pub fn presses_keys(&self) -> bool {
        let chooses = |network: &SuiteNetwork| {
            network.outputs.iter().any(|output| matches!(output.send, Sent::Key(_)))
        };
        self.network.as_ref().is_some_and(chooses) || self.has_key_rule()
    }

    /// Whether some rule needs the sixth version of the format of suite files.
    pub(super) fn sways_or_asks_for_places(&self) -> bool {
        self.rules.iter().any(|rule| {
            let sways = matches!(&rule.proposal, Proposal::Follow(follow) if follow.sway != 0.0);
            sways || matches!(rule.when, Some(Guard::Place { .. }))
        })
    }

    fn has_key_rule(&self) -> bool {
        self.rules.iter().any(|rule| match &rule.proposal {
            Proposal::Follow(_) | Proposal::Edge(_) => true,
            Proposal::Press(press) => matches!(press.press, SuiteEvent::KeyPress { .. }),
            Proposal::Mouse(_) => false,
        })
    }
}
