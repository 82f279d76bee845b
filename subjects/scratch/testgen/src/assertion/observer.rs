//! Observation of the attributes about which assertions are made.

use catherd_scratch_sb3::{Literal, Project, Slot, Target};
use catherd_scratch_suite::attribute::{Attribute, AttributeValue, Object};
use catherd_scratch_suite::event::Vocabulary;
use catherd_scratch_suite::{Assertion, Effect, Expected};
use catherd_scratch_vm::{Program, Tracer, Vm};
use rustc_hash::FxHashSet;

/// Maximum length of a string in an assertion, in UTF-16 code units.
const MAX_TEXT: usize = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Observer {
    /// The attributes of the original and of the clones of each target.
    attributes: Vec<(Vec<Attribute>, Vec<Attribute>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) attribute: Attribute,
    pub(crate) object: Object,
    pub(crate) value: AttributeValue,
}

impl Observation {
    fn key(&self) -> (Attribute, Object) {
        (self.attribute, self.object)
    }
}

impl Observer {
    /// Selects the attributes of all kinds of assertions in the Whisker paper. Skips objects that a
    /// test would not find by name, because an earlier object has the same name.
    pub(crate) fn new(project: &Project) -> Self {
        let words = Vocabulary::new(project);
        let found_by_name = |target: u16| words.sprite_no(words.sprite(target)) == Some(target);
        let attributes = project.targets.iter().zip(0..).map(|(target, number)| {
            let mut own = Vec::new();
            let mut clones = Vec::new();
            if number == words.stage() {
                own.extend([Attribute::Backdrop, Attribute::Volume]);
            } else if found_by_name(number) {
                clones.extend([
                    Attribute::Costume,
                    Attribute::Direction,
                    Attribute::Layer,
                    Attribute::Position,
                    Attribute::Bubble,
                    Attribute::Size,
                    Attribute::Visible,
                    Attribute::Volume,
                ]);
                clones.extend((0..Effect::ALL.len() as u8).map(Attribute::Effect));
                clones.push(Attribute::TouchingEdge);
                let others = (0..project.targets.len() as u16)
                    .filter(|&other| other != number && found_by_name(other));
                clones.extend(others.map(Attribute::Touching));
                own.clone_from(&clones);
                own.push(Attribute::CloneCount);
            } else {
                return (own, clones);
            }
            let lists = target.lists.iter().map(|list| &*list.name);
            own.extend(first_of_name(lists).map(Attribute::List));
            let named = (number != words.stage()).then(|| ids(target));
            let variables = target.variables.iter().map(|variable| &*variable.name);
            let variables = first_of_name(variables).filter(|&variable| {
                let id = &target.variables[variable as usize].id;
                named.as_ref().is_none_or(|named| named.contains(&**id))
            });
            own.extend(variables.map(Attribute::Variable));
            (own, clones)
        });
        Self { attributes: attributes.collect() }
    }

    /// The observed variables, as positions of the target and of the variable in the target.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        self.attributes.iter().zip(0..).flat_map(|((own, _), target)| {
            own.iter().filter_map(move |attribute| match attribute {
                Attribute::Variable(variable) => Some((target, *variable)),
                _ => None,
            })
        })
    }

    /// Observes the attributes, in the order of assertions.
    pub(crate) fn observe<T: Tracer>(&self, vm: &mut Vm<T>, touching: bool) -> Vec<Observation> {
        let mut objects = Vec::new();
        let mut instances = vec![0; self.attributes.len()];
        for view in vm.targets().filter_map(|id| vm.target(id)) {
            // Originals come before clones, and clones are in the order of their creation.
            let clone = &mut instances[view.sprite];
            objects.push((view.id, Object { target: view.sprite as u16, clone: *clone }));
            *clone += 1;
        }
        let mut observations = Vec::new();
        for (id, object) in objects {
            let (own, clones) = &self.attributes[usize::from(object.target)];
            for &attribute in if object.clone == 0 { own } else { clones } {
                if !touching && attribute.is_about_touching() {
                    continue;
                }
                if let Some(value) = attribute.read(id, vm) {
                    observations.push(Observation { attribute, object, value });
                }
            }
        }
        observations.sort_unstable_by_key(Observation::key);
        observations
    }
}

pub(crate) fn changes<'a>(
    before: &'a [Observation],
    now: &'a [Observation],
) -> impl Iterator<Item = &'a Observation> {
    let mut before = before.iter().peekable();
    now.iter().filter(move |observation| {
        while before.next_if(|old| old.key() < observation.key()).is_some() {}
        before.peek().is_none_or(|old| {
            old.key() != observation.key() || !old.value.is_same(&observation.value)
        })
    })
}

/// Positions of the names that differ from all earlier names.
fn first_of_name<'a>(names: impl Iterator<Item = &'a str>) -> impl Iterator<Item = u32> {
    let mut known = FxHashSet::default();
    names.zip(0..).filter(move |(name, _)| known.insert(*name)).map(|(_, position)| position)
}

fn ids(target: &Target) -> FxHashSet<&str> {
    let blocks = target.blocks.iter();
    let fields = blocks.clone().flat_map(|block| &block.fields).filter_map(|f| f.id.as_deref());
    let inputs = blocks.flat_map(|block| &block.inputs);
    let literals = inputs.flat_map(|input| [&input.block, &input.shadow]).filter_map(|slot| {
        if let Slot::Literal(Literal::Variable { id, .. }) = slot { Some(&**id) } else { None }
    });
    fields.chain(literals).collect()
}

impl Observation {
    pub(crate) fn assertion(
        &self,
        after: u32,
        words: &Vocabulary,
        program: &Program,
    ) -> Option<Assertion> {
        let Object { target, clone } = self.object;
        let sprite = (target != words.stage()).then(|| words.sprite(target).to_owned());
        Some(Assertion { after, sprite, clone, expect: self.expected(words, program)? })
    }

    fn expected(&self, words: &Vocabulary, program: &Program) -> Option<Expected> {
        let target = usize::from(self.object.target);
        let short = |text: &catherd_scratch_vm::Text| {
            (text.len() <= MAX_TEXT).then(|| text.to_str().into_owned())
        };
        Some(match (self.attribute, &self.value) {
            (Attribute::Backdrop, AttributeValue::Number(index)) => {
                Expected::Backdrop(*index as u32)
            }
            (Attribute::Costume, AttributeValue::Number(index)) => Expected::Costume(*index as u32),
            (Attribute::CloneCount, AttributeValue::Number(clones)) => {
                Expected::CloneCount(*clones as u32)
            }
            (Attribute::Direction, AttributeValue::Number(degrees)) => {
                Expected::Direction(*degrees)
            }
            (Attribute::Effect(effect), AttributeValue::Number(value)) => {
                Expected::Effect { effect: Effect::ALL[usize::from(effect)], value: *value }
            }
            (Attribute::Layer, AttributeValue::Number(rank)) => Expected::Layer(*rank as u32),
            (Attribute::List(list), AttributeValue::Number(length)) => Expected::List {
                list: program.lists(target).nth(list as usize)?.to_str().into_owned(),
                length: *length as u64,
            },
            (Attribute::Position, AttributeValue::Position(x, y)) => {
                Expected::Position { x: *x, y: *y }
            }
            (Attribute::Bubble, AttributeValue::Bubble(None)) => Expected::Bubble(None),
            (Attribute::Bubble, AttributeValue::Bubble(Some(text))) => {
                Expected::Bubble(Some(short(text)?))
            }
            (Attribute::Size, AttributeValue::Number(percent)) => Expected::Size(*percent),
            (Attribute::Variable(variable), AttributeValue::Value(value)) => Expected::Variable {
                variable: program.variables(target).nth(variable as usize)?.to_str().into_owned(),
                value: short(&value.to_text())?,
            },
            (Attribute::Range(variable), AttributeValue::Range(range)) => Expected::Range {
                variable: program.variables(target).nth(variable as usize)?.to_str().into_owned(),
                least: range.least,
                most: range.most,
                rises: range.rises,
            },
            (Attribute::Visible, AttributeValue::Flag(visible)) => Expected::Visible(*visible),
            (Attribute::Volume, AttributeValue::Number(percent)) => Expected::Volume(*percent),
            (Attribute::Touching(other), AttributeValue::Flag(touching)) => {
                Expected::Touching { sprite: words.sprite(other).to_owned(), touching: *touching }
            }
            (Attribute::TouchingEdge, AttributeValue::Flag(touching)) => {
                Expected::TouchingEdge(*touching)
            }
            _ => return None,
        })
    }
}
