//! User events that tests send to a program (Whisker paper, Table 1 and section 3.2).

mod interaction;
mod vocabulary;

pub use interaction::{Interaction, center_mouse};
pub use vocabulary::{KeyNo, TextNo, Vocabulary};

/// A user event with all its parameters. The green flag is not an event: it is sent once, before
/// the first event of every test.
///
/// Keys, answers and sprites are given by their numbers in a [`Vocabulary`], so lists of events can
/// be built and compared without strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A key is held down for a number of steps.
    KeyPress {
        /// The key.
        key: KeyNo,
        /// Number of steps, at least 1.
        steps: u32,
    },
    /// The click hats of a sprite start.
    ClickSprite {
        /// Position in `Project::targets`.
        sprite: u16,
    },
    /// The mouse clicks at the position of a clone.
    ClickClone {
        /// Position in `Project::targets`.
        sprite: u16,
        /// The clone: living clones are numbered from 1 in the order of their creation. 0 clicks at
        /// the position (x, y) if a sprite or clone is exactly there.
        instance: u32,
        /// Horizontal position of the clone when the event was chosen, in stage units.
        x: f64,
        /// Vertical position of the clone when the event was chosen, in stage units.
        y: f64,
    },
    /// The click hats of the stage start.
    ClickStage,
    /// The oldest open question is answered with a string.
    TypeText {
        /// The string.
        text: TextNo,
    },
    /// The oldest open question is answered with a number.
    TypeNumber {
        /// The number.
        number: i32,
    },
    /// The mouse button is pressed or released at the position of the mouse.
    MouseDown {
        /// Whether the button is pressed; otherwise it is released.
        down: bool,
    },
    /// The mouse moves.
    MouseMove {
        /// Horizontal position, clamped to -240..=240 when the event is sent.
        x: f64,
        /// Vertical position, clamped to -180..=180 when the event is sent.
        y: f64,
    },
    /// The mouse moves to the position of a sprite.
    MouseMoveTo {
        /// Horizontal position in stage units.
        x: f64,
        /// Vertical position in stage units.
        y: f64,
    },
    /// A sprite or clone is moved.
    DragSprite {
        /// Position in `Project::targets`.
        sprite: u16,
        /// 0 for the original; living clones are numbered from 1 in the order of their creation.
        instance: u32,
        /// Horizontal position in stage units.
        x: f64,
        /// Vertical position in stage units.
        y: f64,
    },
    /// There is a sound for one step.
    Sound {
        /// Loudness, clamped to 0..=100 when the event is sent.
        volume: f64,
    },
    /// No input is sent for a number of steps.
    Wait {
        /// Number of steps, at least 1.
        steps: u32,
    },
}

impl Event {
    /// A wait of one step.
    pub const WAIT: Event = Event::Wait { steps: 1 };

    /// Whether the event answers a question.
    pub fn is_answer(&self) -> bool {
        matches!(self, Event::TypeText { .. } | Event::TypeNumber { .. })
    }

    /// Whether the event is a wait.
    pub fn is_wait(&self) -> bool {
        matches!(self, Event::Wait { .. })
    }

    /// Whether the position of a sprite or the volume in the event is finite; true for events
    /// without such a number.
    pub fn is_finite(&self) -> bool {
        match *self {
            Event::ClickClone { x, y, .. }
            | Event::MouseMoveTo { x, y }
            | Event::DragSprite { x, y, .. } => x.is_finite() && y.is_finite(),
            Event::Sound { volume } => volume.is_finite(),
            _ => true,
        }
    }

    /// Number of steps that run for the event, including the wait of one step after it.
    pub fn steps(&self) -> u64 {
        u64::from(self.held()) + 1
    }

    /// Number of steps of the event, without the wait of one step after it; 0 for events that take
    /// no time.
    pub fn held(&self) -> u32 {
        match *self {
            Event::KeyPress { steps, .. } | Event::Wait { steps } => steps,
            _ => 0,
        }
    }

    /// The event with this number of steps; unchanged if the event takes no time.
    #[must_use]
    pub fn held_for(self, steps: u32) -> Event {
        match self {
            Event::KeyPress { key, .. } => Event::KeyPress { key, steps },
            Event::Wait { .. } => Event::Wait { steps },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_after_an_event_is_counted() {
        assert_eq!(Event::KeyPress { key: KeyNo(0), steps: 4 }.steps(), 5);
        assert_eq!(Event::Wait { steps: 100 }.steps(), 101);
        assert_eq!(Event::ClickStage.steps(), 1);
    }
}
