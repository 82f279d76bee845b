//! The events that start scripts, and the hat blocks that react to them.

use catherd_scratch_sb3::Opcode;

use crate::keys::{Key, KeyQuery};
use crate::text::Text;

/// An event that starts scripts: the compiled form of a hat block.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Trigger {
    Flag,
    Key(KeyQuery),
    SpriteClicked,
    StageClicked,
    /// Name of the backdrop in upper case.
    Backdrop(Text),
    /// Number of a message (see [`Program::messages`](crate::Program)).
    Message(u32),
    Clone,
    /// An edge-activated hat of this opcode.
    Edge(Opcode),
}

impl Trigger {
    /// `option` returns the content of a named field, and `message` the number of a message.
    pub(crate) fn of<'a>(
        hat: Opcode,
        option: impl FnOnce(&str) -> Option<&'a str>,
        message: impl FnOnce(&Text) -> Option<u32>,
    ) -> Option<Trigger> {
        Some(match hat {
            Opcode::EventWhenFlagClicked => Trigger::Flag,
            Opcode::EventWhenKeyPressed => Trigger::Key(Key::of_hat(option("KEY_OPTION")?)?),
            Opcode::EventWhenThisSpriteClicked => Trigger::SpriteClicked,
            Opcode::EventWhenStageClicked => Trigger::StageClicked,
            Opcode::EventWhenBackdropSwitchesTo => {
                Trigger::Backdrop(Text::new(option("BACKDROP")?).upper())
            }
            Opcode::EventWhenBroadcastReceived => {
                Trigger::Message(message(&Text::new(option("BROADCAST_OPTION")?))?)
            }
            Opcode::ControlStartAsClone => Trigger::Clone,
            hat if hat.is_edge_hat() => Trigger::Edge(hat),
            _ => return None,
        })
    }
}
