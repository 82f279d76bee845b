//! Assertions in suite files.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An expectation about an object after an event of a test (Whisker paper, Table 4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// The position in the test, from 0, of the event after which the assertion must hold: after
    /// the steps of the event and the wait of one step that follows them.
    pub after: u32,
    /// The sprite; `None` for the stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprite: Option<String>,
    /// The instance of the sprite: 0 for the original; living clones are numbered from 1 in the
    /// order of their creation.
    #[serde(default, skip_serializing_if = "is_original")]
    pub clone: u32,
    /// The attribute and its expected value.
    pub expect: Expected,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_original(clone: &u32) -> bool {
    *clone == 0
}

/// An attribute and its expected value. Numbers that JSON cannot represent are written as the
/// strings `NaN`, `Infinity` and `-Infinity`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expected {
    /// The stage's costume, from 0.
    Backdrop(u32),
    /// The number of clones of the sprite, without the original.
    CloneCount(u32),
    /// The costume, from 0.
    Costume(u32),
    /// The direction in degrees, compared with [`Tolerances::direction`].
    Direction(#[serde(with = "number")] f64),
    /// A graphic effect.
    Effect {
        /// The effect.
        effect: Effect,
        /// The value in the unit of the effect.
        #[serde(with = "number")]
        value: f64,
    },
    /// The position in the drawing order, counted from the back: the stage has 0; a used pen layer
    /// and bubbles have positions as well.
    Layer(u32),
    /// The length of a list.
    List {
        /// Name of the list.
        list: String,
        /// Number of items.
        length: u64,
    },
    /// The position in stage units; each coordinate is compared with [`Tolerances::position`].
    Position {
        /// Horizontal coordinate.
        #[serde(with = "number")]
        x: f64,
        /// Vertical coordinate.
        #[serde(with = "number")]
        y: f64,
    },
    /// The text of the speech or thought bubble; `None` without a bubble.
    Bubble(Option<String>),
    /// The size in percent, without its fraction, compared with [`Tolerances::size`].
    Size(#[serde(with = "number")] f64),
    /// Whether the object touches any instance of another sprite.
    Touching {
        /// The other sprite.
        sprite: String,
        /// Whether the object touches the other sprite.
        touching: bool,
    },
    /// Whether the object touches the edge of the stage.
    TouchingEdge(bool),
    /// The value of a variable, as a string. A number equals a string that represents the number.
    Variable {
        /// Name of the variable.
        variable: String,
        /// The value.
        value: String,
    },
    /// The range of a variable's values after the steps of the policy. The policy counts as the
    /// event after which the range is checked.
    Range {
        /// Name of the variable.
        variable: String,
        /// The minimum value.
        #[serde(with = "number")]
        least: f64,
        /// The maximum value.
        #[serde(with = "number")]
        most: f64,
        /// Whether the value must never decrease.
        #[serde(default, skip_serializing_if = "is_false")]
        rises: bool,
    },
    /// Whether the object is shown.
    Visible(bool),
    /// The volume in percent.
    Volume(#[serde(with = "number")] f64),
}

/// The graphic effects, in the VM's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // Scratch's names.
pub enum Effect {
    Color,
    Fisheye,
    Whirl,
    Pixelate,
    Mosaic,
    Brightness,
    Ghost,
}

impl Effect {
    /// All effects, in the order of the VM.
    pub const ALL: [Effect; 7] = [
        Effect::Color,
        Effect::Fisheye,
        Effect::Whirl,
        Effect::Pixelate,
        Effect::Mosaic,
        Effect::Brightness,
        Effect::Ghost,
    ];

    /// The name of the effect in Scratch.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Color => "color",
            Effect::Fisheye => "fisheye",
            Effect::Whirl => "whirl",
            Effect::Pixelate => "pixelate",
            Effect::Mosaic => "mosaic",
            Effect::Brightness => "brightness",
            Effect::Ghost => "ghost",
        }
    }
}

/// Maximum differences between expected and actual values that count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerances {
    /// For each coordinate of a position, in stage units.
    pub position: f64,
    /// For a direction, in degrees. The difference between 180 and -179 is 359, as in Whisker.
    pub direction: f64,
    /// For a size, in percent.
    pub size: f64,
}

impl Default for Tolerances {
    /// The tolerances of the Whisker paper, Table 4.
    fn default() -> Self {
        Self { position: 5.0, direction: 1.0, size: 1.0 }
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.sprite, self.clone) {
            (None, _) => f.write_str("the stage")?,
            (Some(sprite), 0) => write!(f, "`{sprite}`")?,
            (Some(sprite), clone) => write!(f, "clone {clone} of `{sprite}`")?,
        }
        write!(f, ": {}", self.expect)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Backdrop(index) => write!(f, "backdrop {index}"),
            Expected::CloneCount(1) => f.write_str("1 clone"),
            Expected::CloneCount(clones) => write!(f, "{clones} clones"),
            Expected::Costume(index) => write!(f, "costume {index}"),
            Expected::Direction(degrees) => write!(f, "direction {degrees}"),
            Expected::Effect { effect, value } => write!(f, "{} effect {value}", effect.name()),
            Expected::Layer(rank) => write!(f, "layer {rank}"),
            Expected::List { list, length } => write!(f, "list `{list}` of length {length}"),
            Expected::Position { x, y } => write!(f, "position ({x}, {y})"),
            Expected::Bubble(Some(text)) => write!(f, "bubble {text:?}"),
            Expected::Bubble(None) => f.write_str("no bubble"),
            Expected::Size(percent) => write!(f, "size {percent}"),
            Expected::Touching { sprite, touching: true } => write!(f, "touching `{sprite}`"),
            Expected::Touching { sprite, touching: false } => {
                write!(f, "not touching `{sprite}`")
            }
            Expected::TouchingEdge(true) => f.write_str("touching the edge"),
            Expected::TouchingEdge(false) => f.write_str("not touching the edge"),
            Expected::Variable { variable, value } => {
                write!(f, "variable `{variable}` {value:?}")
            }
            Expected::Range { variable, least, most, rises } => {
                let rising = if *rises { ", never decreasing" } else { "" };
                write!(f, "variable `{variable}` between {least} and {most} during play{rising}")
            }
            Expected::Visible(true) => f.write_str("shown"),
            Expected::Visible(false) => f.write_str("hidden"),
            Expected::Volume(percent) => write!(f, "volume {percent}"),
        }
    }
}

/// Serialisation of numbers, including numbers that JSON cannot represent.
mod number {
    use serde::de::{self, Deserializer, Visitor};
    use serde::ser::Serializer;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(number: &f64, out: S) -> Result<S::Ok, S::Error> {
        if number.is_finite() {
            out.serialize_f64(*number)
        } else if number.is_nan() {
            out.serialize_str("NaN")
        } else {
            out.serialize_str(if *number > 0.0 { "Infinity" } else { "-Infinity" })
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = f64;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, `NaN`, `Infinity` or `-Infinity`")
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<f64, E> {
                Ok(number)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<f64, E> {
                Ok(number as f64)
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<f64, E> {
                Ok(number as f64)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
                match text {
                    "NaN" => Ok(f64::NAN),
                    "Infinity" => Ok(f64::INFINITY),
                    "-Infinity" => Ok(f64::NEG_INFINITY),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }

        input.deserialize_any(Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_be_infinite() {
        let (variable, least, most) = ("n".to_owned(), f64::NEG_INFINITY, 1.0);
        let range = Expected::Range { variable, least, most, rises: true };
        let text = "variable `n` between -inf and 1 during play, never decreasing";
        assert_eq!(range.to_string(), text);
        let json = serde_json::to_string(&range).unwrap();
        let expected = r#"{"range":{"variable":"n","least":"-Infinity","most":1.0,"rises":true}}"#;
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Expected>(&json).unwrap(), range);
    }

    #[test]
    fn one_clone_is_singular() {
        assert_eq!(Expected::CloneCount(1).to_string(), "1 clone");
        assert_eq!(Expected::CloneCount(0).to_string(), "0 clones");
    }
}
