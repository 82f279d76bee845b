//! Networks in suite files, for tests in which a neural network chooses the events.

use serde::{Deserialize, Serialize};

/// A network that chooses the events of a test, depending on the state of the program.
///
/// The nodes are numbered in the order in which they are evaluated: 0 is the bias, whose value is
/// 1; then come the nodes of `inputs`, the hidden nodes, and the nodes of `outputs`. An output has
/// one node whose value is the preference of the network for the output, and another node for each
/// parameter of the event. A link whose source does not come before its target reads the value of
/// the previous decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteNetwork {
    /// Maximum number of steps for which a key or the mouse button is held, at least 1.
    pub press: u32,
    /// Maximum number of steps of a wait, at least 1.
    pub wait: u32,
    /// Number of hidden nodes. The value of a hidden node is the hyperbolic tangent of the weighted
    /// sum over its links.
    pub hidden: u32,
    /// Sources of the values of the input nodes. The values are in -1..=1, and 0 for sprites that
    /// are hidden or do not exist.
    pub inputs: Vec<Sight>,
    /// The events that the network may choose.
    pub outputs: Vec<Choice>,
    /// Source, target and weight of each link.
    pub links: Vec<(u32, u32, f64)>,
}

/// The source of the value of an input node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "see", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sight {
    /// Horizontal position of the mouse, divided by 240 stage units.
    MouseX,
    /// Vertical position of the mouse, divided by 180 stage units.
    MouseY,
    /// Horizontal position of a sprite or clone, divided by 240 stage units.
    X(Instance),
    /// Vertical position of a sprite or clone, divided by 180 stage units.
    Y(Instance),
    /// Direction of a sprite or clone, divided by 180 degrees.
    Direction(Instance),
    /// Size `s` of a sprite or clone in percent: `(s - 100) / (s + 100)`.
    Size(Instance),
    /// Costume of a sprite or clone: -1 is the first, 1 the last.
    Costume(Instance),
    /// Value `v` of a variable: `v / (|v| + 10)`; 0 if the value is not a number.
    Variable {
        /// The sprite that owns the variable; `None` for the stage.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sprite: Option<String>,
        /// 0 for the sprite itself; its living clones are numbered from 1.
        #[serde(default, skip_serializing_if = "is_original")]
        clone: u32,
        /// Name of the variable.
        variable: String,
    },
    /// Distance by which the second sprite is to the right of the first, divided by 480 stage
    /// units.
    Right(Pair),
    /// Distance by which the second sprite is above the first, divided by 360 stage units.
    Above(Pair),
    /// Distance to a pixel of a colour, found by a search from the sprite, divided by 600 stage
    /// units.
    Color {
        /// The sprite from which the distance is measured.
        sprite: String,
        /// 0 for the sprite itself; its living clones are numbered from 1.
        #[serde(default, skip_serializing_if = "is_original")]
        clone: u32,
        /// Red, green and blue.
        color: [u8; 3],
    },
}

/// A sprite or a clone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The sprite.
    pub sprite: String,
    /// 0 for the sprite itself; its living clones are numbered from 1 in the order of their
    /// creation.
    #[serde(default, skip_serializing_if = "is_original")]
    pub clone: u32,
}

/// Two sprites or clones: the position of the second is measured from the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The sprite from which the position is measured.
    pub sprite: String,
    /// 0 for the sprite itself; its living clones are numbered from 1.
    #[serde(default, skip_serializing_if = "is_original")]
    pub clone: u32,
    /// The sprite whose position is measured.
    pub to: String,
    /// 0 for the sprite itself; its living clones are numbered from 1.
    #[serde(default, skip_serializing_if = "is_original")]
    pub to_clone: u32,
}

// Serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_original(clone: &u32) -> bool {
    *clone == 0
}

/// An event that a network may choose, and the condition for the choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The event.
    pub send: Sent,
    /// Scripts that react to the event. The network may choose the event only if at least one of
    /// these scripts is in the required state or the list is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Reacting>,
}

/// A script that reacts to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reacting {
    /// Number of the block on top of the script, among all blocks of the project.
    pub script: u32,
    /// Whether the script reacts while it runs. If false, the event starts the script.
    pub runs: bool,
}

/// An event that a network can choose. The network also determines the parameters of the event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sent {
    /// A key is pressed, unless it is down, and held while the network makes further decisions. The
    /// parameter is the number of steps.
    Key(String),
    /// The mouse moves. The two parameters are the coordinates.
    MouseMove,
    /// The mouse moves onto a visible sprite or clone.
    MouseTo(Instance),
    /// The mouse button is pressed, unless it is down, and held while the network makes further
    /// decisions. The parameter is the number of steps.
    MouseDown,
    /// A click on a visible sprite or clone.
    Click(Instance),
    /// A click on the stage.
    ClickStage,
    /// A sound of this loudness.
    Sound(f64),
    /// An answer, while a question is open.
    Text(String),
    /// A number as an answer, while a question is open. The parameter is the number.
    Number,
    /// No input is sent. The parameter is the number of steps.
    Wait,
}

impl Sent {
    /// Number of parameters, each of which has a node.
    pub fn parameters(&self) -> u32 {
        match self {
            Self::Key(_) | Self::MouseDown | Self::Number | Self::Wait => 1,
            Self::MouseMove => 2,
            _ => 0,
        }
    }
}

impl SuiteNetwork {
    /// Number of the first hidden node.
    pub fn first_hidden(&self) -> u32 {
        1 + self.inputs.len() as u32
    }

    /// Number of the first node of the first output.
    pub fn first_output(&self) -> u32 {
        self.first_hidden().saturating_add(self.hidden)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        let outputs = self.outputs.iter().map(|output| 1 + output.send.parameters()).sum();
        self.first_output().saturating_add(outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Suite, SuitePolicy, SuiteTest};

    #[test]
    fn networks_need_the_fifth_format_and_keep_every_bit() {
        let text = r#"{ "press": 10, "wait": 50, "hidden": 1,
            "inputs": [ {"see": "mouse_x"}, {"see": "x", "sprite": "Cat \"1\"", "clone": 2},
                {"see": "variable", "variable": "v"},
                {"see": "above", "sprite": "Cat", "to": "Dog"},
                {"see": "color", "sprite": "Cat", "color": [1, 2, 255]} ],
            "outputs": [ {"send": {"key": "space"}, "scripts": [{"script": 3, "runs": true}]},
                {"send": "mouse_move"}, {"send": {"click": {"sprite": "Cat"}}}, {"send": "wait"} ],
            "links": [[0, 6, 0.1], [6, 7, -1.5e-7]] }"#;
        let network: SuiteNetwork = serde_json::from_str(text).unwrap();
        assert_eq!((network.first_hidden(), network.first_output(), network.nodes()), (6, 7, 15));
        let policy = SuitePolicy { most: 30, network: Some(network), ..SuitePolicy::default() };
        let test = SuiteTest { policy: Some(policy), ..SuiteTest::default() };
        let suite = Suite { tests: vec![test], ..Suite::default() };
        let text = suite.to_json();
        assert!(text.contains("\"format\": 5,"), "{text}");
        assert_eq!(Suite::from_json(&text).unwrap(), suite, "{text}");
        let js = suite.to_javascript();
        assert!(js.contains("// Test 0 is left out because a network plays it."), "{js}");
        assert!(js.contains("module.exports = [\n];"), "{js}");
        for unknown in [r#"{"see":"x","sprite":"Cat","mood":1}"#, r#"{"see":"mood"}"#] {
            assert!(serde_json::from_str::<Sight>(unknown).is_err(), "{unknown}");
        }
    }
}
