//! Events that start scripts, and the blocks that send them.

use std::fmt;
use std::sync::Arc;

use catherd_scratch_sb3::{Block, BlockNo, Literal, Opcode, Project, Slot, Target, Value};
use rustc_hash::FxHashMap;

use super::script::Statement;

/// An event that starts scripts. Several hats may have the same event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HatEvent {
    /// The green flag.
    Flag,
    /// The sprite with this name is clicked.
    SpriteClicked(Arc<str>),
    /// The stage is clicked.
    StageClicked,
    /// A key is pressed; `any` counts as a key.
    Key(Arc<str>),
    /// A sensor, such as the timer, exceeds a number. The sensor is given by its name in lower
    /// case.
    Greater(Arc<str>),
    /// A message with this name, in lower case, is sent.
    Broadcast(Arc<str>),
    /// A clone of the sprite with this name is created.
    Clone(Arc<str>),
    /// The stage switches to the backdrop with this name, in lower case.
    Backdrop(Arc<str>),
}

impl HatEvent {
    /// Whether the event comes from the user (or a sensor), not from a block.
    pub fn is_from_user(&self) -> bool {
        self.kind().is_none()
    }

    /// The kind of an event that blocks send.
    pub(super) fn kind(&self) -> Option<Kind> {
        match self {
            HatEvent::Broadcast(_) => Some(Kind::Broadcast),
            HatEvent::Clone(_) => Some(Kind::Clone),
            HatEvent::Backdrop(_) => Some(Kind::Backdrop),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Broadcast,
    Clone,
    Backdrop,
}

impl fmt::Display for HatEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HatEvent::Flag => write!(f, "green flag"),
            HatEvent::SpriteClicked(sprite) => write!(f, "click on {sprite}"),
            HatEvent::StageClicked => write!(f, "click on the stage"),
            HatEvent::Key(key) => write!(f, "key {key}"),
            HatEvent::Greater(sensor) => write!(f, "{sensor} exceeded"),
            HatEvent::Broadcast(name) => write!(f, "message {name}"),
            HatEvent::Clone(sprite) => write!(f, "clone of {sprite}"),
            HatEvent::Backdrop(name) => write!(f, "backdrop {name}"),
        }
    }
}

/// An event with its hats and its senders.
#[derive(Clone, Debug)]
pub struct EventLink {
    /// The event.
    pub event: HatEvent,
    /// Hats that the event starts.
    pub hats: Vec<BlockNo>,
    /// Blocks that send this event; empty if the event comes from the user.
    pub senders: Vec<BlockNo>,
    /// Blocks that may send any event of the kind of this event, because the event is unknown before
    /// they run. All events of the kind share the list.
    pub senders_of_kind: Arc<[BlockNo]>,
}

impl EventLink {
    /// All blocks that may send the event.
    pub fn all_senders(&self) -> impl Iterator<Item = BlockNo> + '_ {
        self.senders.iter().chain(&*self.senders_of_kind).copied()
    }
}

/// The events that have hats and, unless they come from the user, senders; in the order of their
/// first hats. With `clone_links`, every block that creates clones sends the clone events of all
/// sprites.
pub(super) fn links(
    project: &Project,
    statements: &[Option<Statement>],
    clone_links: bool,
) -> Vec<EventLink> {
    let stage = &project.targets[project.stage()];
    let has_backdrop = |name: &str| {
        stage.costumes.iter().any(|costume| costume.name.to_lowercase() == name.to_lowercase())
    };
    let mut links: Vec<EventLink> = Vec::new();
    let mut positions = FxHashMap::default();
    for (number, target, block) in blocks(project, statements) {
        let Some(event) = received(target, block) else { continue };
        if matches!(&event, HatEvent::Backdrop(name) if !has_backdrop(name)) {
            continue;
        }
        let position = *positions.entry(event.clone()).or_insert_with(|| {
            let senders_of_kind = Arc::default();
            links.push(EventLink { event, hats: Vec::new(), senders: Vec::new(), senders_of_kind });
            links.len() - 1
        });
        links[position].hats.push(number);
    }
    let mut of_kind = [Kind::Broadcast, Kind::Clone, Kind::Backdrop].map(|kind| (kind, Vec::new()));
    for (number, target, block) in blocks(project, statements) {
        match sent(stage, target, block, clone_links) {
            Sent::Nothing => {}
            Sent::Event(event) => {
                if let Some(&position) = positions.get(&event) {
                    links[position].senders.push(number);
                }
            }
            Sent::AnyOf(kind) => of_kind
                .iter_mut()
                .filter(|(known, _)| *known == kind)
                .for_each(|(_, senders)| senders.push(number)),
        }
    }
    for (kind, senders) in of_kind {
        let senders: Arc<[BlockNo]> = senders.into();
        for link in links.iter_mut().filter(|link| link.event.kind() == Some(kind)) {
            link.senders_of_kind = Arc::clone(&senders);
        }
    }
    links.retain(|link| link.event.is_from_user() || link.all_senders().next().is_some());
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

fn received(target: &Target, block: &Block) -> Option<HatEvent> {
    let field = |name| block.field(name).map_or("", |field| field.text());
    block.top_level.then_some(())?;
    Some(match block.opcode {
        Opcode::EventWhenFlagClicked => HatEvent::Flag,
        Opcode::EventWhenThisSpriteClicked => HatEvent::SpriteClicked(target.name.clone()),
        Opcode::EventWhenStageClicked => HatEvent::StageClicked,
        Opcode::EventWhenKeyPressed => HatEvent::Key(field("KEY_OPTION").into()),
        Opcode::EventWhenGreaterThan => {
            HatEvent::Greater(field("WHENGREATERTHANMENU").to_lowercase().into())
        }
        Opcode::EventWhenBroadcastReceived => broadcast(field("BROADCAST_OPTION")),
        Opcode::EventWhenBackdropSwitchesTo => backdrop(field("BACKDROP")),
        Opcode::ControlStartAsClone => HatEvent::Clone(target.name.clone()),
        // Other hats have no event.
        _ => return None,
    })
}

enum Sent {
    Nothing,
    Event(HatEvent),
    /// Any event of a kind, because the event is unknown before the block runs.
    AnyOf(Kind),
}

fn sent(stage: &Target, target: &Target, block: &Block, clone_links: bool) -> Sent {
    match block.opcode {
        Opcode::EventBroadcast | Opcode::EventBroadcastAndWait => {
            match choice(target, block, "BROADCAST_INPUT") {
                Choice::Missing => Sent::Nothing,
                Choice::Fixed(name) => Sent::Event(broadcast(name)),
                Choice::Computed => Sent::AnyOf(Kind::Broadcast),
            }
        }
        Opcode::ControlCreateCloneOf => match choice(target, block, "CLONE_OPTION") {
            _ if clone_links => Sent::AnyOf(Kind::Clone),
            Choice::Missing => Sent::Nothing,
            Choice::Fixed("_myself_") => Sent::Event(HatEvent::Clone(target.name.clone())),
            Choice::Fixed(sprite) => Sent::Event(HatEvent::Clone(sprite.into())),
            Choice::Computed => Sent::AnyOf(Kind::Clone),
        },
        Opcode::LooksSwitchBackdropTo | Opcode::LooksSwitchBackdropToAndWait => {
            match choice(target, block, "BACKDROP") {
                Choice::Missing => Sent::Nothing,
                Choice::Computed
                | Choice::Fixed("next backdrop" | "previous backdrop" | "random backdrop") => {
                    Sent::AnyOf(Kind::Backdrop)
                }
                Choice::Fixed(name) if stage.costumes.iter().any(|c| &*c.name == name) => {
                    Sent::Event(backdrop(name))
                }
                Choice::Fixed(_) => Sent::Nothing,
            }
        }
        Opcode::LooksNextBackdrop => Sent::AnyOf(Kind::Backdrop),
        _ => Sent::Nothing,
    }
}

fn broadcast(name: &str) -> HatEvent {
    HatEvent::Broadcast(name.to_lowercase().into())
}

fn backdrop(name: &str) -> HatEvent {
    HatEvent::Backdrop(name.to_lowercase().into())
}

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
