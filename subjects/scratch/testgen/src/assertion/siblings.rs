//! Assertions about the same attribute of clones of one sprite.

use std::mem::{Discriminant, discriminant};

use catherd_scratch_suite::{Assertion, Expected};
use rustc_hash::FxHashMap;

/// An attribute of a sprite's clones: the sprite, the kind of assertion, and the graphic effect or
/// the other sprite.
type Key<'a> = (Option<&'a str>, Discriminant<Expected>, &'a str);

/// The assertions of a test that are about clones, by sprite and attribute. Clones of a sprite have
/// the same scripts, so if one clone depends on chance, chance can influence all clones.
pub(super) struct Siblings {
    /// For each assertion about a clone, the number of the attribute, and the event.
    attributes: Vec<Option<(usize, u32)>>,
    /// For each attribute, the first event after which an assertion about the attribute is known to
    /// depend on chance; `u32::MAX` if there is none.
    since: Vec<u32>,
}

impl Siblings {
    pub(super) fn new(assertions: &[Assertion]) -> Self {
        let mut numbers = FxHashMap::default();
        let attributes = assertions.iter().map(|assertion| {
            let next = numbers.len();
            let number = || *numbers.entry(key(assertion)).or_insert(next);
            (assertion.clone > 0).then(number).map(|number| (number, assertion.after))
        });
        let attributes = attributes.collect();
        let since = vec![u32::MAX; numbers.len()];
        Self { attributes, since }
    }

    /// Returns the positions of all assertions about the same attribute of any clone of the same
    /// sprite, after the same event or a later event. Returns nothing for an original, or if an
    /// earlier call has returned all of them.
    pub(super) fn of(&mut self, position: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.attributes[position].filter(|(number, after)| {
            let since = &mut self.since[*number];
            let is_earlier = after < since;
            *since = (*since).min(*after);
            is_earlier
        });
        let attributes = self.attributes.iter().enumerate();
        attributes
            .filter(move |(_, other)| {
                first
                    .zip(**other)
                    .is_some_and(|((number, after), other)| other.0 == number && other.1 >= after)
            })
            .map(|(position, _)| position)
    }
}

fn key(assertion: &Assertion) -> Key<'_> {
    let detail = match &assertion.expect {
        Expected::Effect { effect, .. } => effect.name(),
        Expected::Touching { sprite, .. } => sprite,
        _ => "",
    };
    (assertion.sprite.as_deref(), discriminant(&assertion.expect), detail)
}

#[cfg(test)]
mod tests {
    use catherd_scratch_suite::Effect;

    use super::*;

    #[test]
    fn siblings_share_sprite_attribute_and_a_later_event() {
        let of = |sprite: &str, clone, after, expect| Assertion {
            after,
            sprite: Some(sprite.to_owned()),
            clone,
            expect,
        };
        let effect = |effect| Expected::Effect { effect, value: 25.0 };
        let assertions = [
            of("Cat", 2, 0, effect(Effect::Color)),
            of("Cat", 0, 1, effect(Effect::Color)),
            of("Cat", 1, 1, effect(Effect::Color)),
            of("Cat", 1, 1, effect(Effect::Ghost)),
            of("Dog", 1, 1, effect(Effect::Color)),
            of("Cat", 2, 1, effect(Effect::Color)),
            of("Cat", 2, 1, Expected::Size(25.0)),
            of("Cat", 3, 2, effect(Effect::Color)),
        ];
        let mut siblings = Siblings::new(&assertions);
        let mut of = |position| siblings.of(position).collect::<Vec<_>>();
        assert_eq!(of(1), [0; 0], "an original");
        assert_eq!(of(5), [2, 5, 7]);
        assert_eq!(of(2), [0; 0], "known");
        assert_eq!(of(7), [0; 0], "known, and later");
        assert_eq!(of(0), [0, 2, 5, 7], "earlier");
        assert_eq!(of(4), [4]);
    }
}
