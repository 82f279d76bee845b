//! The sensing places of a project, script by script.

use std::ops::Range;
use std::sync::Arc;

use catherd_sb3::{BlockNo, Opcode, Project, Target};

use super::Extraction;
use super::answers::{compared_literals, compares_numbers};
use super::scan::{Scanner, literal_number};
use catherd_suite::event::{KeyNo, Vocabulary};

/// A place in a script that can make an event useful, with what is known of the event
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
    /// Loudness, as bits so that sources can be compared.
    Sound(u64),
    /// A call: the sources of that procedure follow.
    Call(u32),
}

impl Source {
    /// True if the events depend on the sprite or clone that senses: clones of a sprite
    /// need to look at these only, the rest is the same for all of them.
    pub(super) fn is_personal(self) -> bool {
        self.is_drag() || matches!(self, Source::TouchMouse | Source::Call(_))
    }

    /// True if the event moves the sprite or clone that senses.
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

/// Sources of a stack of blocks, as ranges of [`Tables::sources`].
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) all: Range<u32>,
    /// Those that are [personal](Source::is_personal).
    pub(super) personal: Range<u32>,
}

/// What an inactive script waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hat {
    Key(KeyNo),
    SpriteClick,
    StageClick,
    Loudness(f64),
    /// Receives messages, backdrops or its birth as a clone: no event, but may start and
    /// end within one step.
    Brief,
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) top: BlockNo,
    pub(super) hat: Hat,
    pub(super) body: Body,
}

/// A custom block.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    /// Its signature.
    pub(super) code: Arc<str>,
    /// The position of its target in `Project::targets`.
    pub(super) sprite: u16,
    pub(super) body: Body,
}

/// What event extraction knows of a project before it runs.
#[derive(Clone, Debug)]
pub struct Tables {
    pub(super) sources: Vec<Source>,
    pub(super) scripts: Vec<Script>,
    /// The scripts of each target.
    pub(super) targets: Vec<Range<u32>>,
    pub(super) procedures: Vec<Procedure>,
    /// Literals that are compared with answers or variables.
    pub(super) literals: Vec<Arc<str>>,
    /// Are answers or variables compared by size, or answers computed with?
    pub(super) numbers: bool,
    words: Vocabulary,
    parameters: usize,
}

impl Tables {
    /// Scans all scripts of a project.
    pub fn new(project: &Project) -> Self {
        let mut words = Vocabulary::new(project);
        let mut scanner = Scanner::default();
        let mut scripts = Vec::new();
        let mut targets = Vec::new();
        for (target, sprite) in project.targets.iter().zip(0..) {
            scanner.enter(target);
            let first = scripts.len() as u32;
            for top in target.scripts() {
                let block = &target.blocks[top as usize];
                if block.opcode.is_hat() {
                    scripts.push(Script {
                        top: target.number(top),
                        hat: hat(target, top, &mut words),
                        body: scanner.scan(block.next, &mut words),
                    });
                }
            }
            targets.push(first..scripts.len() as u32);
            scanner.scan_procedures(sprite, &mut words);
        }
        let (sources, procedures) = scanner.finish();
        let mut tables = Self {
            sources,
            scripts,
            targets,
            procedures,
            literals: compared_literals(project),
            numbers: compares_numbers(project),
            words,
            parameters: 1,
        };
        if tables.senses_mouse() {
            tables.parameters = 2;
        }
        tables
    }

    /// The words of the project's events; texts are added for each run.
    pub fn words(&self) -> &Vocabulary {
        &self.words
    }

    /// Parameter codons of a group, `n_p`: the most that any event of the extractor
    /// consumes (Whisker paper, section 5.1). A wait consumes 1, a mouse move 2.
    pub fn parameters(&self, extraction: Extraction) -> usize {
        match extraction {
            Extraction::Dynamic | Extraction::Static => self.parameters,
            Extraction::Naive => 2,
            Extraction::Wait => 1,
        }
    }

    /// Whether some script, or a procedure that it calls, asks where the mouse is.
    fn senses_mouse(&self) -> bool {
        let mut called = vec![false; self.procedures.len()];
        let mut open: Vec<_> = self.scripts.iter().map(|script| script.body.all.clone()).collect();
        while let Some(range) = open.pop() {
            for source in &self.sources[range.start as usize..range.end as usize] {
                match *source {
                    Source::MouseMove => return true,
                    Source::Call(procedure) => {
                        let procedure = procedure as usize;
                        if !std::mem::replace(&mut called[procedure], true) {
                            open.push(self.procedures[procedure].body.all.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        false
    }
}

fn hat(target: &Target, top: u32, words: &mut Vocabulary) -> Hat {
    let block = &target.blocks[top as usize];
    let field = |name| block.field(name).map_or("", |field| field.text());
    match block.opcode {
        Opcode::EventWhenKeyPressed => Hat::Key(words.key_no(field("KEY_OPTION"))),
        Opcode::EventWhenThisSpriteClicked if !target.is_stage => Hat::SpriteClick,
        Opcode::EventWhenStageClicked => Hat::StageClick,
        Opcode::EventWhenGreaterThan
            if field("WHENGREATERTHANMENU").eq_ignore_ascii_case("loudness") =>
        {
            let limit = block.input("VALUE").and_then(|input| literal_number(target, &input.block));
            Hat::Loudness(limit.map_or(100.0, |limit| limit + 1.0))
        }
        Opcode::EventWhenBroadcastReceived
        | Opcode::EventWhenBackdropSwitchesTo
        | Opcode::ControlStartAsClone => Hat::Brief,
        _ => Hat::Other,
    }
}
