//! Events: what starts scripts, and what sends it.

use std::fmt;
use std::sync::Arc;

use catherd_sb3::{Block, BlockNo, Literal, Opcode, Project, Slot, Target, Value};
use rustc_hash::FxHashMap;

use super::script::Statement;
use crate::Compat;

/// What starts scripts. All hats of one event share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The green flag.
    Flag,
    /// The sprite of that name is clicked.
    SpriteClicked(Arc<str>),
    /// The stage is clicked.
    StageClicked,
    /// A key is pressed; `any` is a key of its own.
    Key(Arc<str>),
    /// Loudness or timer, as named, exceeds a number.
    Greater(Arc<str>),
    /// A message with that name, in lower case, is sent.
    Broadcast(Arc<str>),
    /// The sprite of that name is cloned.
    Clone(Arc<str>),
    /// The backdrop with that name, in lower case, is switched to.
    Backdrop(Arc<str>),
}

impl Event {
    /// True if the event comes from outside, not from a block.
    pub fn is_from_user(&self) -> bool {
        !matches!(self, Event::Broadcast(_) | Event::Clone(_) | Event::Backdrop(_))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Flag => write!(f, "green flag"),
            Event::SpriteClicked(sprite) => write!(f, "click on {sprite}"),
            Event::StageClicked => write!(f, "click on the stage"),
            Event::Key(key) => write!(f, "key {key}"),
            Event::Greater(sensor) => write!(f, "{sensor} exceeded"),
            Event::Broadcast(name) => write!(f, "message {name}"),
            Event::Clone(sprite) => write!(f, "clone of {sprite}"),
            Event::Backdrop(name) => write!(f, "backdrop {name}"),
        }
    }
}

/// An event with the blocks that it starts and those that send it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) event: Event,
    pub(super) hats: Vec<BlockNo>,
    pub(super) senders: Vec<BlockNo>,
}

/// The events that have hats and, unless they come from the user, senders; in order of
/// their first hats.
pub(super) fn links(
    project: &Project,
    statements: &[Option<Statement>],
    compat: Compat,
) -> Vec<Link> {
    let stage = &project.targets[project.stage()];
    let has_backdrop = |name: &str| {
        stage.costumes.iter().any(|costume| costume.name.to_lowercase() == name.to_lowercase())
    };
    let mut links: Vec<Link> = Vec::new();
    let mut positions = FxHashMap::default();
    for (number, target, block) in blocks(project, statements) {
        let Some(event) = received(target, block) else { continue };
        if matches!(&event, Event::Backdrop(name) if !has_backdrop(name)) {
            continue;
        }
        let position = *positions.entry(event.clone()).or_insert_with(|| {
            links.push(Link { event, hats: Vec::new(), senders: Vec::new() });
            links.len() - 1
        });
        links[position].hats.push(number);
    }
    for (number, target, block) in blocks(project, statements) {
        match sent(stage, target, block, compat) {
            Sent::Nothing => {}
            Sent::Event(event) => {
                if let Some(&position) = positions.get(&event) {
                    links[position].senders.push(number);
                }
            }
            Sent::AnyOf(kind) => {
                for link in links.iter_mut().filter(|link| kind(&link.event)) {
                    link.senders.push(number);
                }
            }
        }
    }
    links.retain(|link| link.event.is_from_user() || !link.senders.is_empty());
    links
}

fn blocks<'a>(
    project: &'a Project,
    statements: &'a [Option<Statement>],
) -> impl Iterator<Item = (BlockNo, &'a Target, &'a Block)> {
    statements.iter().zip(0..).filter_map(|(statement, number)| {
        let statement = statement.as_ref()?;
        let target = &project.targets[statement.target];
        Some((BlockNo(number), target, &target.blocks[statement.index as usize]))
    })
}

/// The event that a hat waits for.
fn received(target: &Target, block: &Block) -> Option<Event> {
    let field = |name| block.field(name).map_or("", |field| field.text());
    block.top_level.then_some(())?;
    Some(match block.opcode {
        Opcode::EventWhenFlagClicked => Event::Flag,
        Opcode::EventWhenThisSpriteClicked => Event::SpriteClicked(target.name.clone()),
        Opcode::EventWhenStageClicked => Event::StageClicked,
        Opcode::EventWhenKeyPressed => Event::Key(field("KEY_OPTION").into()),
        Opcode::EventWhenGreaterThan => {
            Event::Greater(field("WHENGREATERTHANMENU").to_lowercase().into())
        }
        Opcode::EventWhenBroadcastReceived => broadcast(field("BROADCAST_OPTION")),
        Opcode::EventWhenBackdropSwitchesTo => backdrop(field("BACKDROP")),
        Opcode::ControlStartAsClone => Event::Clone(target.name.clone()),
        // Edge hats of sensors that a test cannot reach have no event.
        _ => return None,
    })
}

/// What a block sends.
enum Sent {
    Nothing,
    Event(Event),
    /// Not known before it runs: any event of a kind.
    AnyOf(fn(&Event) -> bool),
}

fn sent(stage: &Target, target: &Target, block: &Block, compat: Compat) -> Sent {
    match block.opcode {
        Opcode::EventBroadcast | Opcode::EventBroadcastAndWait => {
            match choice(target, block, "BROADCAST_INPUT") {
                Choice::Missing => Sent::Nothing,
                Choice::Fixed(name) => Sent::Event(broadcast(name)),
                Choice::Computed => Sent::AnyOf(|event| matches!(event, Event::Broadcast(_))),
            }
        }
        Opcode::ControlCreateCloneOf => match choice(target, block, "CLONE_OPTION") {
            _ if compat.clone_links => Sent::AnyOf(|event| matches!(event, Event::Clone(_))),
            Choice::Missing => Sent::Nothing,
            Choice::Fixed("_myself_") => Sent::Event(Event::Clone(target.name.clone())),
            Choice::Fixed(sprite) => Sent::Event(Event::Clone(sprite.into())),
            Choice::Computed => Sent::AnyOf(|event| matches!(event, Event::Clone(_))),
        },
        Opcode::LooksSwitchBackdropTo | Opcode::LooksSwitchBackdropToAndWait => {
            match choice(target, block, "BACKDROP") {
                Choice::Missing => Sent::Nothing,
                Choice::Computed
                | Choice::Fixed("next backdrop" | "previous backdrop" | "random backdrop") => {
                    Sent::AnyOf(is_backdrop)
                }
                Choice::Fixed(name) if stage.costumes.iter().any(|c| &*c.name == name) => {
                    Sent::Event(backdrop(name))
                }
                Choice::Fixed(_) => Sent::Nothing,
            }
        }
        Opcode::LooksNextBackdrop => Sent::AnyOf(is_backdrop),
        _ => Sent::Nothing,
    }
}

fn broadcast(name: &str) -> Event {
    Event::Broadcast(name.to_lowercase().into())
}

fn backdrop(name: &str) -> Event {
    Event::Backdrop(name.to_lowercase().into())
}

fn is_backdrop(event: &Event) -> bool {
    matches!(event, Event::Backdrop(_))
}

/// What is chosen in a menu.
enum Choice<'a> {
    Missing,
    Fixed(&'a str),
    /// A reporter covers the menu.
    Computed,
}

fn choice<'a>(target: &'a Target, block: &'a Block, input: &str) -> Choice<'a> {
    let Some(input) = block.input(input) else { return Choice::Missing };
    match &input.block {
        Slot::Empty => Choice::Missing,
        Slot::Literal(Literal::Broadcast { name, .. }) => Choice::Fixed(name),
        Slot::Literal(Literal::Value { value: Value::Text(text), .. }) => Choice::Fixed(text),
        Slot::Literal(_) => Choice::Computed,
        Slot::Block(menu) => match &target.blocks[*menu as usize] {
            menu if menu.shadow => {
                menu.fields.first().map_or(Choice::Missing, |field| Choice::Fixed(field.text()))
            }
            _ => Choice::Computed,
        },
    }
}
