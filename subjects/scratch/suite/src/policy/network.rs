//! Networks with numbers instead of names, and their conversion from and to [`SuiteNetwork`], which
//! has names.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::Program;

use super::link::{finite, sprite, steps};
use crate::event::{KeyNo, TextNo, Vocabulary};
use crate::format::{Choice, Instance, Pair, Reacting, Sent, Sight, SuiteNetwork};

/// A network with numbers in place of names. Nodes are numbered as in [`SuiteNetwork`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Maximum number of steps for which a key or the mouse button is held, at least 1.
    pub press: u32,
    /// Maximum number of steps of a wait, at least 1.
    pub wait: u32,
    /// Number of hidden nodes.
    pub hidden: u32,
    /// Sources of the values of the input nodes.
    pub inputs: Vec<Sense>,
    /// The events that the network may choose.
    pub outputs: Vec<Output>,
    /// The links, grouped by target, with targets in ascending order.
    pub links: Vec<Link>,
}

/// A sprite or clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// Position in `Project::targets`.
    pub sprite: u16,
    /// 0 for the original; living clones are numbered from 1 in the order of their creation.
    pub clone: u32,
}

/// The source of the value of an input node (see [`Sight`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The variants are documented in `Sight`.
pub enum Sense {
    MouseX,
    MouseY,
    X(Subject),
    Y(Subject),
    Direction(Subject),
    Size(Subject),
    Costume(Subject),
    /// `None` if the program has no such variable.
    Variable(Subject, Option<usize>),
    Right(Subject, Subject),
    Above(Subject, Subject),
    Color(Subject, [u8; 3]),
}

/// An event that a network may choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The event.
    pub signal: Signal,
    /// Top blocks of scripts that react to the event, and whether they react while they run.
    pub scripts: Vec<(BlockNo, bool)>,
}

/// An event without the parameters that the network determines (see [`Sent`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The variants are documented in `Sent`.
pub enum Signal {
    Key(KeyNo),
    MouseMove,
    MouseTo(Subject),
    MouseDown,
    Click(Subject),
    ClickStage,
    Sound(f64),
    Text(TextNo),
    Number,
    Wait,
}

impl Signal {
    /// Number of parameters, each of which has a node.
    pub fn parameters(self) -> u32 {
        match self {
            Self::Key(_) | Self::MouseDown | Self::Number | Self::Wait => 1,
            Self::MouseMove => 2,
            _ => 0,
        }
    }
}

/// A link between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The node whose value is read.
    pub from: u32,
    /// The node to whose sum the value is added.
    pub to: u32,
    /// The factor of the value.
    pub weight: f64,
}

impl SuiteNetwork {
    /// New keys and strings are added to the vocabulary.
    pub(super) fn resolve(
        &self,
        words: &mut Vocabulary,
        program: &Program,
    ) -> Result<Network, String> {
        let nodes = self.nodes();
        let (most_nodes, most_links) = (Network::MAX_NODES, Network::MAX_LINKS);
        if nodes > most_nodes || self.links.len() > most_links {
            return Err(format!(
                "the network has {nodes} nodes and {} links; at most {most_nodes} nodes and \
                 {most_links} links are allowed",
                self.links.len()
            ));
        }
        let inputs = self.inputs.iter().map(|input| input.resolve(words, program));
        let inputs = inputs.collect::<Result<_, _>>()?;
        let outputs = self.outputs.iter().map(|output| output.resolve(words, program));
        let outputs = outputs.collect::<Result<_, _>>()?;
        let mut links = Vec::with_capacity(self.links.len());
        for &(from, to, weight) in &self.links {
            let first = self.first_hidden();
            if from >= nodes || !(first..nodes).contains(&to) {
                return Err(format!(
                    "a link leads from node {from} to node {to}, but the network has {nodes} nodes, \
                     and the first {first} nodes cannot be targets"
                ));
            }
            links.push(Link { from, to, weight: finite("weight", weight)? });
        }
        links.sort_by_key(|link| link.to);
        let (press, wait) = (steps("press", self.press)?, steps("wait", self.wait)?);
        Ok(Network { press, wait, hidden: self.hidden, inputs, outputs, links })
    }
}

impl Instance {
    fn resolve(&self, words: &Vocabulary) -> Result<Subject, String> {
        Ok(Subject { sprite: sprite(&self.sprite, words)?, clone: self.clone })
    }

    fn new(subject: Subject, words: &Vocabulary) -> Self {
        Self { sprite: words.sprite(subject.sprite).to_owned(), clone: subject.clone }
    }
}

impl Pair {
    fn resolve(&self, words: &Vocabulary) -> Result<(Subject, Subject), String> {
        let own = Subject { sprite: sprite(&self.sprite, words)?, clone: self.clone };
        Ok((own, Subject { sprite: sprite(&self.to, words)?, clone: self.to_clone }))
    }

    fn new(own: Subject, other: Subject, words: &Vocabulary) -> Self {
        Self {
            sprite: words.sprite(own.sprite).to_owned(),
            clone: own.clone,
            to: words.sprite(other.sprite).to_owned(),
            to_clone: other.clone,
        }
    }
}

impl Sight {
    fn resolve(&self, words: &Vocabulary, program: &Program) -> Result<Sense, String> {
        Ok(match self {
            Self::MouseX => Sense::MouseX,
            Self::MouseY => Sense::MouseY,
            Self::X(own) => Sense::X(own.resolve(words)?),
            Self::Y(own) => Sense::Y(own.resolve(words)?),
            Self::Direction(own) => Sense::Direction(own.resolve(words)?),
            Self::Size(own) => Sense::Size(own.resolve(words)?),
            Self::Costume(own) => Sense::Costume(own.resolve(words)?),
            Self::Variable { sprite: owner, clone, variable } => {
                let target = match owner {
                    Some(name) => sprite(name, words)?,
                    None => words.stage(),
                };
                let mut names = program.variables(usize::from(target));
                let found = names.position(|name| *name == **variable);
                Sense::Variable(Subject { sprite: target, clone: *clone }, found)
            }
            Self::Right(pair) => {
                let (own, other) = pair.resolve(words)?;
                Sense::Right(own, other)
            }
            Self::Above(pair) => {
                let (own, other) = pair.resolve(words)?;
                Sense::Above(own, other)
            }
            Self::Color { sprite: name, clone, color } => {
                Sense::Color(Subject { sprite: sprite(name, words)?, clone: *clone }, *color)
            }
        })
    }

    fn new(sense: Sense, words: &Vocabulary, program: &Program) -> Self {
        let instance = |subject| Instance::new(subject, words);
        match sense {
            Sense::MouseX => Self::MouseX,
            Sense::MouseY => Self::MouseY,
            Sense::X(own) => Self::X(instance(own)),
            Sense::Y(own) => Self::Y(instance(own)),
            Sense::Direction(own) => Self::Direction(instance(own)),
            Sense::Size(own) => Self::Size(instance(own)),
            Sense::Costume(own) => Self::Costume(instance(own)),
            Sense::Variable(own, variable) => {
                let mut names = program.variables(usize::from(own.sprite));
                let name = variable.and_then(|number| names.nth(number));
                let owner = (own.sprite != words.stage()).then(|| instance(own).sprite);
                let variable = name.map_or_else(String::new, |name| name.to_str().into_owned());
                Self::Variable { sprite: owner, clone: own.clone, variable }
            }
            Sense::Right(own, other) => Self::Right(Pair::new(own, other, words)),
            Sense::Above(own, other) => Self::Above(Pair::new(own, other, words)),
            Sense::Color(own, color) => {
                let Instance { sprite, clone } = instance(own);
                Self::Color { sprite, clone, color }
            }
        }
    }
}

impl Choice {
    fn resolve(&self, words: &mut Vocabulary, program: &Program) -> Result<Output, String> {
        let signal = match &self.send {
            Sent::Key(name) => Signal::Key(words.key_no(name)),
            Sent::MouseMove => Signal::MouseMove,
            Sent::MouseTo(to) => Signal::MouseTo(to.resolve(words)?),
            Sent::MouseDown => Signal::MouseDown,
            Sent::Click(on) => Signal::Click(on.resolve(words)?),
            Sent::ClickStage => Signal::ClickStage,
            Sent::Sound(volume) => Signal::Sound(finite("sound", *volume)?),
            Sent::Text(text) => Signal::Text(words.text_no(text)),
            Sent::Number => Signal::Number,
            Sent::Wait => Signal::Wait,
        };
        let blocks = program.block_count();
        let script = |reacting: &Reacting| {
            let known = (reacting.script as usize) < blocks;
            let number = reacting.script;
            known.then_some((BlockNo(number), reacting.runs)).ok_or_else(|| {
                format!("script {number} of an output is not one of the {blocks} blocks")
            })
        };
        let scripts = self.scripts.iter().map(script).collect::<Result<_, _>>()?;
        Ok(Output { signal, scripts })
    }

    fn new(output: &Output, words: &Vocabulary) -> Self {
        let instance = |subject| Instance::new(subject, words);
        let send = match output.signal {
            Signal::Key(key) => Sent::Key(words.key(key).to_owned()),
            Signal::MouseMove => Sent::MouseMove,
            Signal::MouseTo(to) => Sent::MouseTo(instance(to)),
            Signal::MouseDown => Sent::MouseDown,
            Signal::Click(on) => Sent::Click(instance(on)),
            Signal::ClickStage => Sent::ClickStage,
            Signal::Sound(volume) => Sent::Sound(volume),
            Signal::Text(text) => Sent::Text(words.text(text).to_owned()),
            Signal::Number => Sent::Number,
            Signal::Wait => Sent::Wait,
        };
        let scripts = output.scripts.iter();
        let scripts = scripts.map(|&(top, runs)| Reacting { script: top.0, runs }).collect();
        Self { send, scripts }
    }
}

impl Network {
    /// Maximum number of nodes, including the bias.
    pub const MAX_NODES: u32 = 20_000;
    /// Maximum number of links.
    pub const MAX_LINKS: usize = 200_000;

    pub(super) fn with_names(&self, words: &Vocabulary, program: &Program) -> SuiteNetwork {
        let inputs = self.inputs.iter().map(|sense| Sight::new(*sense, words, program));
        SuiteNetwork {
            press: self.press,
            wait: self.wait,
            hidden: self.hidden,
            inputs: inputs.collect(),
            outputs: self.outputs.iter().map(|output| Choice::new(output, words)).collect(),
            links: self.links.iter().map(|link| (link.from, link.to, link.weight)).collect(),
        }
    }
}
