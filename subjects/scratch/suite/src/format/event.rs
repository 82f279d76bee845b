//! Events with names, as in suites.

use serde::{Deserialize, Serialize};

use crate::error::UnknownSprite;
use crate::event::{Event, Vocabulary};

/// An [`Event`] with names in place of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", deny_unknown_fields)]
#[allow(missing_docs)] // The fields are documented in `Event`.
pub enum SuiteEvent {
    KeyPress {
        key: String,
        steps: u32,
    },
    ClickSprite {
        sprite: String,
    },
    ClickClone {
        sprite: String,
        #[serde(default, skip_serializing_if = "is_zero")]
        clone: u32,
        x: f64,
        y: f64,
    },
    ClickStage,
    TypeText {
        text: String,
    },
    TypeNumber {
        number: i32,
    },
    MouseDown {
        down: bool,
    },
    MouseMove {
        x: f64,
        y: f64,
    },
    MouseMoveTo {
        x: f64,
        y: f64,
    },
    DragSprite {
        sprite: String,
        clone: u32,
        x: f64,
        y: f64,
    },
    Sound {
        volume: f64,
    },
    Wait {
        steps: u32,
    },
}

// Serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl SuiteEvent {
    /// Creates an event with its key, its answer or the name of its sprite as a string.
    pub fn new(event: Event, words: &Vocabulary) -> Self {
        let sprite = |number| words.sprite(number).to_owned();
        match event {
            Event::KeyPress { key, steps } => {
                Self::KeyPress { key: words.key(key).to_owned(), steps }
            }
            Event::ClickSprite { sprite: number } => Self::ClickSprite { sprite: sprite(number) },
            Event::ClickClone { sprite: number, instance, x, y } => {
                Self::ClickClone { sprite: sprite(number), clone: instance, x, y }
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

    /// The event with numbers in place of names. A new key or answer is added to the vocabulary.
    ///
    /// # Errors
    /// If the sprite is not in the vocabulary.
    pub fn resolve(&self, words: &mut Vocabulary) -> Result<Event, UnknownSprite> {
        let sprite_no =
            |name: &String| words.sprite_no(name).ok_or_else(|| UnknownSprite(name.clone()));
        Ok(match *self {
            Self::KeyPress { ref key, steps } => Event::KeyPress { key: words.key_no(key), steps },
            Self::ClickSprite { ref sprite } => Event::ClickSprite { sprite: sprite_no(sprite)? },
            Self::ClickClone { ref sprite, clone, x, y } => {
                Event::ClickClone { sprite: sprite_no(sprite)?, instance: clone, x, y }
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
