//! Test suites as files: JSON, readable by people, versioned.

use serde::{Deserialize, Serialize};

use crate::event::{Event, Vocabulary};

/// The version of the format that this release writes and reads.
pub const FORMAT: u32 = 1;

/// A generated test suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Version of this format.
    pub format: u32,
    /// What generated it, with its version.
    pub engine: String,
    /// The project that it tests, as the caller names it: usually the digest.
    pub project: String,
    /// The search algorithm.
    pub algorithm: String,
    /// The seed of the run. Replays need it: the machine draws from it.
    pub seed: u64,
    /// Goals of the project.
    pub goals: u32,
    /// The tests, in the order in which they were chosen.
    pub tests: Vec<SuiteTest>,
}

/// A test: the green flag, then events, each followed by a wait of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteTest {
    /// The numbers of the goals that it covers, ascending.
    pub covers: Vec<u32>,
    /// Codons of the chromosome that it comes from.
    pub codons: u32,
    /// Its events.
    pub events: Vec<SuiteEvent>,
}

/// An [`Event`] with names in place of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event")]
#[allow(missing_docs)] // The fields are those of `Event`.
pub enum SuiteEvent {
    KeyPress { key: String, steps: u32 },
    ClickSprite { sprite: String },
    ClickClone { sprite: String, x: f64, y: f64 },
    ClickStage,
    TypeText { text: String },
    TypeNumber { number: i32 },
    MouseDown { down: bool },
    MouseMove { x: f64, y: f64 },
    MouseMoveTo { x: f64, y: f64 },
    DragSprite { sprite: String, clone: u32, x: f64, y: f64 },
    Sound { volume: f64 },
    Wait { steps: u32 },
}

/// A suite that cannot be read or does not belong to a project.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Not a suite.
    #[error("not a test suite: {0}")]
    Json(#[from] serde_json::Error),
    /// Another version of the format.
    #[error("the suite has format {found}, but this release reads format {FORMAT}")]
    Format {
        /// The version found.
        found: u32,
    },
    /// Another project, or another setting of its goals.
    #[error("the suite was made for {suite} goals, but the project has {project}")]
    Goals {
        /// Goals according to the suite.
        suite: u32,
        /// Goals of the project.
        project: u32,
    },
    /// A sprite that the project lacks.
    #[error("test {test}: the project has no sprite `{sprite}`")]
    Sprite {
        /// Position of the test, from 0.
        test: usize,
        /// The name.
        sprite: String,
    },
}

/// A value as JSON on one line.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    // Writing fails for maps with keys that are no strings; there are no maps here.
    serde_json::to_string(value).expect("suites hold numbers, texts and lists")
}

impl Suite {
    /// The suite as JSON text, one event a line.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        text.push_str("{\n");
        let head: [(&str, String); 6] = [
            ("format", json(&self.format)),
            ("engine", json(&self.engine)),
            ("project", json(&self.project)),
            ("algorithm", json(&self.algorithm)),
            ("seed", json(&self.seed)),
            ("goals", json(&self.goals)),
        ];
        for (name, value) in head {
            text.push_str(&format!("  \"{name}\": {value},\n"));
        }
        text.push_str("  \"tests\": [");
        for (position, test) in self.tests.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            let (covers, codons) = (json(&test.covers), test.codons);
            text.push_str(&format!("{comma}\n    {{ \"covers\": {covers}, \"codons\": {codons}, "));
            let events: Vec<_> =
                test.events.iter().map(|event| format!("\n      {}", json(event))).collect();
            text.push_str(&format!("\"events\": [{}\n    ] }}", events.join(",")));
        }
        text.push_str("\n  ]\n}\n");
        text
    }

    /// Reads a suite.
    ///
    /// # Errors
    /// If it is none, or of another version.
    pub fn from_json(text: &str) -> Result<Suite, SuiteError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let Version { format } = serde_json::from_str(text)?;
        if format != FORMAT {
            return Err(SuiteError::Format { found: format });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// Events of all tests, the waits between them not counted.
    pub fn events(&self) -> u64 {
        self.tests.iter().map(|test| test.events.len() as u64).sum()
    }
}

impl SuiteEvent {
    /// An event with the names of its key, text or sprite.
    pub fn new(event: Event, words: &Vocabulary) -> Self {
        let sprite = |number| words.sprite(number).to_owned();
        match event {
            Event::KeyPress { key, steps } => {
                Self::KeyPress { key: words.key(key).to_owned(), steps }
            }
            Event::ClickSprite { sprite: number } => Self::ClickSprite { sprite: sprite(number) },
            Event::ClickClone { sprite: number, x, y } => {
                Self::ClickClone { sprite: sprite(number), x, y }
            }
            Event::ClickStage => Self::ClickStage,
            Event::TypeText { text } => Self::TypeText { text: words.text(text).to_owned() },
            Event::TypeNumber { number } => Self::TypeNumber { number },
            Event::MouseDown { down } => Self::MouseDown { down },
            Event::MouseMove { x, y } => Self::MouseMove { x, y },
            Event::MouseMoveTo { x, y } => Self::MouseMoveTo { x, y },
            Event::DragSprite { sprite: number, instance, x, y } => {
                Self::DragSprite { sprite: sprite(number), clone: instance, x, y }
            }
            Event::Sound { volume } => Self::Sound { volume },
            Event::Wait { steps } => Self::Wait { steps },
        }
    }

    /// The event that can be sent, with keys and texts added to the vocabulary; none if
    /// there is no such sprite.
    ///
    /// # Errors
    /// The name of the sprite that is missing.
    pub fn resolve(&self, words: &mut Vocabulary) -> Result<Event, String> {
        let sprite_no = |name: &String| words.sprite_no(name).ok_or_else(|| name.clone());
        Ok(match *self {
            Self::KeyPress { ref key, steps } => Event::KeyPress { key: words.key_no(key), steps },
            Self::ClickSprite { ref sprite } => Event::ClickSprite { sprite: sprite_no(sprite)? },
            Self::ClickClone { ref sprite, x, y } => {
                Event::ClickClone { sprite: sprite_no(sprite)?, x, y }
            }
            Self::ClickStage => Event::ClickStage,
            Self::TypeText { ref text } => Event::TypeText { text: words.text_no(text) },
            Self::TypeNumber { number } => Event::TypeNumber { number },
            Self::MouseDown { down } => Event::MouseDown { down },
            Self::MouseMove { x, y } => Event::MouseMove { x, y },
            Self::MouseMoveTo { x, y } => Event::MouseMoveTo { x, y },
            Self::DragSprite { ref sprite, clone, x, y } => {
                Event::DragSprite { sprite: sprite_no(sprite)?, instance: clone, x, y }
            }
            Self::Sound { volume } => Event::Sound { volume },
            Self::Wait { steps } => Event::Wait { steps },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        let events = vec![
            SuiteEvent::KeyPress { key: "left arrow".into(), steps: 3 },
            SuiteEvent::ClickClone { sprite: "Cat \"1\"".into(), x: 0.1 + 0.2, y: -1e-7 },
            SuiteEvent::ClickStage,
        ];
        let test = SuiteTest { covers: vec![0, 3], codons: 9, events };
        Suite {
            format: FORMAT,
            engine: "catherd 0.1.0".into(),
            project: "abc".into(),
            algorithm: "mio".into(),
            seed: u64::MAX,
            goals: 5,
            tests: vec![test.clone(), SuiteTest { events: Vec::new(), ..test }],
        }
    }

    #[test]
    fn files_keep_every_bit() {
        let suite = suite();
        let text = suite.to_json();
        assert_eq!(Suite::from_json(&text).unwrap(), suite);
        assert!(
            text.contains(r#"      {"event":"KeyPress","key":"left arrow","steps":3},"#),
            "{text}"
        );
    }

    #[test]
    fn other_versions_are_refused() {
        let text = suite().to_json().replace("\"format\": 1", "\"format\": 2");
        let error = Suite::from_json(&text).unwrap_err();
        assert_eq!(error.to_string(), "the suite has format 2, but this release reads format 1");
        assert!(Suite::from_json("{").is_err());
    }
}
