//! Events of an execution, each with the snapshots before and after it.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::{PenMark, Text, Value};

const MAX_EVENTS: usize = 2_000_000;
/// Number of characters in events above which the log is full.
const MAX_CHARACTERS: usize = 64 << 20;

pub(crate) enum What {
    /// An action of the schedule; the JavaScript code keeps its data.
    Scheduled(String),
    /// A target said or thought something.
    Said { value: Value, thinks: bool, target: u32, sprite: usize },
    /// A question was answered. The text of the question is empty if a bubble shows the question.
    Answered { question: Text, answer: Option<Text> },
    /// A pen drew.
    Pen(PenMark),
    /// All drawings were removed. Contains the lines and points that had been drawn.
    PenCleared { lines: Vec<[f64; 4]>, points: Vec<[f64; 2]> },
    /// The picture of a bubble was created or changed.
    Skin { number: u32, text: Text, created: bool },
    /// The picture of a bubble was removed.
    SkinDestroyed(u32),
    /// A block was executed.
    Block(BlockNo),
    /// The appearance of a tracked sprite has changed.
    Updated(usize),
    /// A tracked message was sent.
    Sent(Text),
}

impl What {
    fn characters(&self) -> usize {
        match self {
            What::Said { value: Value::Text(text), .. } => text.len(),
            What::Answered { question, answer } => {
                question.len() + answer.as_ref().map_or(0, Text::len)
            }
            What::Skin { text, .. } | What::Sent(text) => text.len(),
            _ => 0,
        }
    }
}

pub(crate) struct Event {
    pub(crate) what: What,
    /// Number of the snapshot before the event.
    pub(crate) previous: usize,
    /// Number of the snapshot after the event; `None` while the event lasts.
    pub(crate) next: Option<usize>,
}

impl Event {
    pub(crate) fn kind(&self) -> &str {
        match &self.what {
            What::Scheduled(kind) => kind,
            What::Said { .. } => "say",
            What::Answered { .. } => "answer",
            What::Pen(_) | What::PenCleared { .. } | What::Skin { .. } | What::SkinDestroyed(_) => {
                "renderer"
            }
            What::Block(_) => "block_execution",
            What::Updated(_) => "target_update",
            What::Sent(_) => "broadcast_sent",
        }
    }
}

#[derive(Default)]
pub(crate) struct Events {
    pub(crate) list: Vec<Event>,
    pub(crate) full: bool,
    characters: usize,
}

impl Events {
    /// Adds an event and returns the number of the last event. Once the log is full, only events of
    /// the schedule are added.
    pub(crate) fn add(&mut self, what: What, previous: usize, next: Option<usize>) -> usize {
        self.full |= self.list.len() >= MAX_EVENTS || self.characters > MAX_CHARACTERS;
        if !self.full || matches!(what, What::Scheduled(_)) {
            self.characters += what.characters();
            self.list.push(Event { what, previous, next });
        }
        self.list.len().saturating_sub(1)
    }

    pub(crate) fn close_all(&mut self, snapshot: usize) {
        for event in &mut self.list {
            event.next.get_or_insert(snapshot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_fill_the_log() {
        let mut events = Events::default();
        let text = Text::new("x".repeat(MAX_CHARACTERS / 2 + 1));
        for _ in 0..3 {
            events.add(What::Sent(text.clone()), 0, Some(0));
        }
        events.add(What::Scheduled("wait".to_owned()), 0, None);
        assert_eq!((events.list.len(), events.full), (3, true));
    }
}
