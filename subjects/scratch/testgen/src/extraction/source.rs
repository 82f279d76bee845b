//! Sources of events, such as blocks that sense input, and hats.

use std::ops::Range;
use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::KeyNo;

/// Source of an event: a block that can react to the event, with the parameters that are known
/// before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    Key(KeyNo),
    MouseMove,
    MouseDown,
    /// `touching mouse-pointer?`
    TouchMouse,
    TouchEdge,
    TouchSprite(u16),
    TouchColor([u8; 3]),
    ColorTouch {
        own: [u8; 3],
        other: [u8; 3],
    },
    Ask,
    /// Loudness as bits, which can be hashed.
    Sound(u64),
    /// A call to the procedure with this number.
    Call(u32),
}

impl Source {
    /// Whether the events depend on the sprite or clone that senses. Only such sources are
    /// evaluated for clones, because the events of other sources are the same for all instances of
    /// a sprite.
    pub(super) fn is_personal(self) -> bool {
        self.is_drag() || matches!(self, Source::TouchMouse | Source::Call(_))
    }

    pub(super) fn is_drag(self) -> bool {
        matches!(
            self,
            Source::TouchEdge
                | Source::TouchSprite(_)
                | Source::TouchColor(_)
                | Source::ColorTouch { .. }
        )
    }
}

/// Sources of a stack of blocks, as ranges of [`Tables::sources`](super::tables::Tables).
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) all: Range<u32>,
    /// The [personal](Source::is_personal) sources.
    pub(super) personal: Range<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hat {
    Key(KeyNo),
    SpriteClick,
    StageClick,
    Loudness(f64),
    /// The script starts with a message, a backdrop or a clone. No user event starts it, but it may
    /// start and end within one step.
    Brief,
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) top: BlockNo,
    pub(super) hat: Hat,
    pub(super) body: Body,
}

#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub(super) code: Arc<str>,
    /// Position of the target in `Project::targets`.
    pub(super) sprite: u16,
    pub(super) body: Body,
}
