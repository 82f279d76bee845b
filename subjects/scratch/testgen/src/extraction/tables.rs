//! Tables of the blocks of a project that sense input, for each script.

use std::ops::Range;
use std::sync::Arc;

use catherd_scratch_sb3::{Opcode, Project, Target};
use catherd_scratch_suite::event::Vocabulary;

use super::Extraction;
use super::answers::{compared_literals, compares_numbers};
use super::scan::{Scanner, literal_number};
use super::source::{Hat, Procedure, Script, Source};

/// Tables of a project for event extraction, created before the project runs.
#[derive(Clone, Debug)]
pub struct Tables {
    pub(super) sources: Vec<Source>,
    pub(super) scripts: Vec<Script>,
    pub(super) targets: Vec<Range<u32>>,
    pub(super) procedures: Vec<Procedure>,
    /// Literals that are compared with answers or variables.
    pub(super) literals: Vec<Arc<str>>,
    /// Whether answers or variables are compared, or answers are used in arithmetic.
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

    /// The words of the project's events; answers are added for each run.
    pub fn words(&self) -> &Vocabulary {
        &self.words
    }

    /// Number of parameter codons in a group, `n_p`: the maximum number of codons that an event of
    /// the extractor consumes (Whisker paper, section 5.1). A wait consumes 1, a mouse move 2.
    pub fn parameters(&self, extraction: Extraction) -> usize {
        match extraction {
            Extraction::Dynamic | Extraction::Static => self.parameters,
            Extraction::Naive => 2,
            Extraction::Wait => 1,
        }
    }

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
