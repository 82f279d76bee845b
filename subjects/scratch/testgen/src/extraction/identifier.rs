//! Identity of extracted events.

use catherd_scratch_suite::event::Event;

/// Identity of an event in lists of extracted events. Parameters that codons set are not part of
/// the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identifier {
    kind: u8,
    object: u32,
    position: (u64, u64),
}

impl Identifier {
    /// The identity of an event.
    pub fn of(event: &Event) -> Self {
        let plain = |kind| Identifier { kind, object: 0, position: (0, 0) };
        let of = |kind, object| Identifier { kind, object, position: (0, 0) };
        // Adding 0 changes -0 to 0, so equal positions have the same identity.
        let at = |kind, object, x: f64, y: f64| Identifier {
            kind,
            object,
            position: ((x + 0.0).to_bits(), (y + 0.0).to_bits()),
        };
        match *event {
            Event::KeyPress { key, .. } => of(0, key.0.into()),
            Event::ClickSprite { sprite } => of(1, sprite.into()),
            Event::ClickClone { sprite, x, y, .. } => at(2, sprite.into(), x, y),
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
}

#[cfg(test)]
mod tests {
    use catherd_scratch_suite::event::{KeyNo, TextNo};

    use super::*;

    #[test]
    fn parameters_of_codons_are_not_part_of_the_identity() {
        let press = |key, steps| Identifier::of(&Event::KeyPress { key: KeyNo(key), steps });
        assert_eq!(press(1, 3), press(1, 4));
        assert_ne!(press(1, 3), press(2, 3));
        let down = |down| Identifier::of(&Event::MouseDown { down });
        assert_eq!(down(true), down(false));
        let text = |text| Identifier::of(&Event::TypeText { text: TextNo(text) });
        assert_ne!(text(0), text(1));
        let drag =
            |instance, x| Identifier::of(&Event::DragSprite { sprite: 1, instance, x, y: 0.0 });
        assert_eq!(drag(0, 0.0), drag(2, -0.0));
        assert_ne!(drag(0, 0.0), drag(0, 1.0));
    }
}
