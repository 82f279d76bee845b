//! User events: what a test sends to a program (Whisker paper, Table 1 and section 3.2).

mod application;
mod parameters;
mod vocabulary;

pub use application::Interaction;
pub use parameters::{Bounds, Choice};
pub use vocabulary::{KeyNo, TextNo, Vocabulary};

/// The largest codon; codons count from 0.
pub const MAX_CODON: u16 = 480;

/// An event, with all its parameters. The green flag is not among them: it is sent once,
/// before the first event of every test.
///
/// Keys, texts and sprites are numbers into a [`Vocabulary`], so that lists of events are
/// built and compared without touching text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A key goes down for a number of steps.
    KeyPress {
        /// Which key.
        key: KeyNo,
        /// For how many steps, at least 1.
        steps: u32,
    },
    /// The click hats of a sprite start.
    ClickSprite {
        /// Position in `Project::targets`.
        sprite: u16,
    },
    /// The mouse clicks where a clone stands.
    ClickClone {
        /// Position in `Project::targets`.
        sprite: u16,
        /// Stage units.
        x: f64,
        /// Stage units.
        y: f64,
    },
    /// The click hats of the stage start.
    ClickStage,
    /// A text answers the oldest open question.
    TypeText {
        /// Which text.
        text: TextNo,
    },
    /// A number answers the oldest open question.
    TypeNumber {
        /// In -240..=240.
        number: i32,
    },
    /// The mouse button goes down or up where the mouse is.
    MouseDown {
        /// Down or up?
        down: bool,
    },
    /// The mouse moves.
    MouseMove {
        /// In -240..=240.
        x: f64,
        /// In -180..=180.
        y: f64,
    },
    /// The mouse moves to a sprite that senses it.
    MouseMoveTo {
        /// Stage units.
        x: f64,
        /// Stage units.
        y: f64,
    },
    /// A sprite or clone is moved.
    DragSprite {
        /// Position in `Project::targets`.
        sprite: u16,
        /// 0 is the original; clones count from 1 in the order of their creation, among
        /// those that live.
        instance: u32,
        /// Stage units.
        x: f64,
        /// Stage units.
        y: f64,
    },
    /// A sound is heard for one step.
    Sound {
        /// Loudness, clamped to 0..=100 when it is sent.
        volume: f64,
    },
    /// Nothing is sent for a number of steps.
    Wait {
        /// How many, at least 1.
        steps: u32,
    },
}

/// What makes two extracted events the same: the kind and the parameters that the
/// extractor inferred, not those that codons set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identifier {
    kind: u8,
    object: u32,
    place: (u64, u64),
}

impl Event {
    /// A wait as the extractor lists it.
    pub const WAIT: Event = Event::Wait { steps: 1 };

    /// The event's identity in lists of extracted events.
    pub fn identifier(&self) -> Identifier {
        let plain = |kind| Identifier { kind, object: 0, place: (0, 0) };
        let of = |kind, object| Identifier { kind, object, place: (0, 0) };
        // Adding 0 turns -0 into 0: one place has one identity.
        let at = |kind, object, x: f64, y: f64| Identifier {
            kind,
            object,
            place: ((x + 0.0).to_bits(), (y + 0.0).to_bits()),
        };
        match *self {
            Event::KeyPress { key, .. } => of(0, key.0.into()),
            Event::ClickSprite { sprite } => of(1, sprite.into()),
            Event::ClickClone { sprite, x, y } => at(2, sprite.into(), x, y),
            Event::ClickStage => plain(3),
            Event::TypeText { text } => of(4, text.0.into()),
            Event::TypeNumber { .. } => plain(5),
            Event::MouseDown { .. } => plain(6),
            Event::MouseMove { .. } => plain(7),
            Event::MouseMoveTo { x, y } => at(8, 0, x, y),
            Event::DragSprite { sprite, x, y, .. } => at(9, sprite.into(), x, y),
            Event::Sound { volume } => at(10, 0, volume, 0.0),
            Event::Wait { .. } => plain(11),
        }
    }

    /// True for events that answer a question.
    pub fn is_answer(&self) -> bool {
        matches!(self, Event::TypeText { .. } | Event::TypeNumber { .. })
    }

    /// True for waits.
    pub fn is_wait(&self) -> bool {
        matches!(self, Event::Wait { .. })
    }

    /// Whether the event's place is one. Programs can move sprites to places that are not
    /// numbers, where nothing can be sent.
    pub fn is_finite(&self) -> bool {
        match *self {
            Event::ClickClone { x, y, .. }
            | Event::MouseMoveTo { x, y }
            | Event::DragSprite { x, y, .. } => x.is_finite() && y.is_finite(),
            Event::Sound { volume } => volume.is_finite(),
            _ => true,
        }
    }

    /// Steps that run for the event, the one-step wait after it included.
    pub fn steps(&self) -> u64 {
        match *self {
            Event::KeyPress { steps, .. } | Event::Wait { steps } => u64::from(steps) + 1,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_codons_are_no_part_of_the_identity() {
        let press = |key, steps| Event::KeyPress { key: KeyNo(key), steps }.identifier();
        assert_eq!(press(1, 3), press(1, 4));
        assert_ne!(press(1, 3), press(2, 3));
        let down = |down| Event::MouseDown { down }.identifier();
        assert_eq!(down(true), down(false));
        let text = |text| Event::TypeText { text: TextNo(text) }.identifier();
        assert_ne!(text(0), text(1));
        let drag = |instance, x| Event::DragSprite { sprite: 1, instance, x, y: 0.0 }.identifier();
        assert_eq!(drag(0, 0.0), drag(2, -0.0));
        assert_ne!(drag(0, 0.0), drag(0, 1.0));
    }

    #[test]
    fn the_wait_after_an_event_is_counted() {
        assert_eq!(Event::KeyPress { key: KeyNo(0), steps: 4 }.steps(), 5);
        assert_eq!(Event::Wait { steps: 100 }.steps(), 101);
        assert_eq!(Event::ClickStage.steps(), 1);
    }
}
