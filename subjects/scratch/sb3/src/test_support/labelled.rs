//! Projects written as text.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::SplitWhitespace;

use super::{bare_block, empty_target, project_of};
use crate::{
    Block, BlockNo, Costume, Field, Input, Mutation, Opcode, Project, Slot, Target, Value,
};

/// A project written as text, with the labels of its blocks.
///
/// ```text
/// # Cat
/// flag set if { G=say } wait
/// receive(go) ifelse { move } { broadcast(go) }
/// ```
///
/// A line is a target (`# name`) or a script of the target above. `label=` names a block,
/// `(argument)` is a field, a menu or the signature of a custom block, and `*` is a computed menu;
/// `stop` takes `all`, `this` or `other`; braces hold branches. Every target has the costumes or
/// backdrops `day` and `Night`.
pub struct LabelledProject {
    /// The project.
    pub project: Project,
    labels: HashMap<String, BlockNo>,
}

impl LabelledProject {
    /// Reads the text.
    ///
    /// # Panics
    /// If the text is not a project.
    pub fn new(source: &str) -> Self {
        let mut this = Self { project: project_of(Vec::new()), labels: HashMap::new() };
        for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(name) = line.strip_prefix("# ") {
                let first_block = this.project.block_count() as u32;
                this.project.targets.push(target(name, first_block));
            } else {
                let mut words = line.split_whitespace().peekable();
                let top = this.chain(&mut words, None).expect("an empty script");
                assert_eq!(words.next(), None, "{line}");
                this.target().blocks[top as usize].top_level = true;
            }
        }
        this
    }

    /// The block with a label.
    ///
    /// # Panics
    /// If no block has the label.
    pub fn block(&self, label: &str) -> BlockNo {
        self.labels[label]
    }

    /// The label of a block, or its number.
    pub fn label(&self, block: BlockNo) -> String {
        let label = self.labels.iter().find(|(_, labelled)| **labelled == block);
        label.map_or_else(|| block.0.to_string(), |(label, _)| label.clone())
    }

    fn target(&mut self) -> &mut Target {
        self.project.targets.last_mut().expect("scripts follow a target")
    }

    fn push(&mut self, block: Block) -> u32 {
        self.target().blocks.push(block);
        self.target().blocks.len() as u32 - 1
    }

    fn chain(
        &mut self,
        words: &mut Peekable<SplitWhitespace<'_>>,
        parent: Option<u32>,
    ) -> Option<u32> {
        let (mut first, mut last) = (None, None);
        while let Some(word) = words.next_if(|&word| word != "}") {
            let (label, word) = word.split_once('=').map_or((None, word), |(l, w)| (Some(l), w));
            let (word, argument) = word.split_once('(').unwrap_or((word, ")"));
            let index = self.push(block(word, last.or(parent)));
            self.argue(index, argument.strip_suffix(')').expect("`)`"));
            if let Some(label) = label {
                let number = self.target().number(index);
                assert!(self.labels.insert(label.into(), number).is_none(), "{label} twice");
            }
            for name in ["SUBSTACK", "SUBSTACK2"] {
                if words.next_if_eq(&"{").is_some() {
                    let head = self.chain(words, Some(index)).map_or(Slot::Empty, Slot::Block);
                    assert_eq!(words.next(), Some("}"));
                    self.plug(index, name, head);
                }
            }
            if let Some(last) = last {
                self.target().blocks[last as usize].next = Some(index);
            }
            first = first.or(Some(index));
            last = Some(index);
        }
        first
    }

    fn plug(&mut self, block: u32, name: &str, slot: Slot) {
        let input = Input { name: name.into(), block: slot, shadow: Slot::Empty };
        self.target().blocks[block as usize].inputs.push(input);
    }

    fn argue(&mut self, index: u32, argument: &str) {
        use Opcode::*;
        let opcode = self.target().blocks[index as usize].opcode;
        let argument = match (opcode, argument) {
            (ControlStop, "this") => "this script",
            (ControlStop, "other") => "other scripts in sprite",
            _ => argument,
        };
        let field = |name: &str| {
            vec![Field { name: name.into(), value: Value::Text(argument.into()), id: None }]
        };
        let (input, menu) = match opcode {
            EventBroadcast | EventBroadcastAndWait => ("BROADCAST_INPUT", EventBroadcastMenu),
            ControlCreateCloneOf => ("CLONE_OPTION", ControlCreateCloneOfMenu),
            LooksSwitchBackdropTo => ("BACKDROP", LooksBackdrops),
            ProceduresDefinition => ("custom_block", ProceduresPrototype),
            SensingTouchingObject => ("TOUCHINGOBJECTMENU", SensingTouchingObjectMenu),
            ProceduresCall => {
                self.target().blocks[index as usize].mutation =
                    Some(Mutation::Call { proccode: argument.into() });
                return;
            }
            _ => {
                let name = match opcode {
                    EventWhenKeyPressed => "KEY_OPTION",
                    EventWhenBroadcastReceived => "BROADCAST_OPTION",
                    EventWhenBackdropSwitchesTo => "BACKDROP",
                    EventWhenGreaterThan => "WHENGREATERTHANMENU",
                    ControlStop => "STOP_OPTION",
                    _ => return,
                };
                self.target().blocks[index as usize].fields = field(name);
                return;
            }
        };
        let computed = argument == "*";
        let menu = self.push(Block {
            opcode: if computed { DataVariable } else { menu },
            fields: field(input),
            shadow: !computed,
            mutation: (menu == ProceduresPrototype).then(|| Mutation::Prototype {
                proccode: argument.into(),
                ids: Vec::new(),
                names: Vec::new(),
                defaults: Vec::new(),
                warp: false,
            }),
            ..block("?", Some(index))
        });
        self.plug(index, input, Slot::Block(menu));
    }
}

fn block(word: &str, parent: Option<u32>) -> Block {
    use Opcode::*;
    let opcode = match word {
        "flag" => EventWhenFlagClicked,
        "key" => EventWhenKeyPressed,
        "clicked" => EventWhenThisSpriteClicked,
        "exceeded" => EventWhenGreaterThan,
        "touching" => EventWhenTouchingObject,
        "receive" => EventWhenBroadcastReceived,
        "broadcast" => EventBroadcast,
        "cloned" => ControlStartAsClone,
        "clone" => ControlCreateCloneOf,
        "delete" => ControlDeleteThisClone,
        "backdrop" => EventWhenBackdropSwitchesTo,
        "switch" => LooksSwitchBackdropTo,
        "nextbackdrop" => LooksNextBackdrop,
        "define" => ProceduresDefinition,
        "call" => ProceduresCall,
        "if" => ControlIf,
        "ifelse" => ControlIfElse,
        "repeat" => ControlRepeat,
        "repeatuntil" => ControlRepeatUntil,
        "forever" => ControlForever,
        "while" => ControlWhile,
        "wait" => ControlWait,
        "waituntil" => ControlWaitUntil,
        "stop" => ControlStop,
        "say" => LooksSay,
        "move" => MotionMoveSteps,
        "set" => DataSetVariableTo,
        "senses" => SensingTouchingObject,
        "?" => Unknown,
        _ => panic!("no block is called {word}"),
    };
    Block { parent, ..bare_block(word, opcode) }
}

fn target(name: &str, first_block: u32) -> Target {
    let backdrop = |name: &str| Costume {
        name: name.into(),
        asset: None,
        vector: true,
        bitmap_resolution: None,
        rotation_center: None,
    };
    Target {
        first_block,
        costumes: vec![backdrop("day"), backdrop("Night")],
        ..empty_target(name == "Stage", name)
    }
}
