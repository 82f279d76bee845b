//! Scan of scripts for blocks that sense input, in the order in which events are listed.

use std::borrow::Cow;

use catherd_scratch_sb3::{BlockIndex, Literal, Mutation, Opcode, Slot, Target, Value};
use catherd_scratch_suite::event::Vocabulary;
use catherd_scratch_vm::color_of;
use rustc_hash::{FxHashMap, FxHashSet};

use super::source::{Body, Procedure, Source};

/// Scanner for stacks of blocks, which processes one target after another.
#[derive(Default)]
pub(super) struct Scanner<'a> {
    sources: Vec<Source>,
    procedures: Vec<Procedure>,
    target: Option<&'a Target>,
    /// Signatures and first blocks of the target's definitions. `by_code` contains the numbers of
    /// the procedures by signature.
    definitions: Vec<(&'a str, Option<BlockIndex>)>,
    by_code: FxHashMap<&'a str, u32>,
    /// For each block, the last scan that visited the block. Unusual files have blocks with several
    /// predecessors.
    seen: Vec<u32>,
    scans: u32,
    open: Vec<(BlockIndex, Option<BlockIndex>, Visit)>,
}

#[derive(Clone, Copy)]
enum Visit {
    /// The block, its branches, and the blocks below it.
    Stack,
    /// The block and its inputs.
    Expression,
    /// The events of a custom block, after the events of its arguments.
    Call(u32),
}

impl<'a> Scanner<'a> {
    pub(super) fn enter(&mut self, target: &'a Target) {
        self.target = Some(target);
        self.seen = vec![0; target.blocks.len()];
        self.scans = 0;
        self.definitions.clear();
        self.by_code.clear();
        for block in &target.blocks {
            let number = (self.procedures.len() + self.definitions.len()) as u32;
            if let Some(code) = definition(target, block) {
                // The first definition is used, as in the VM.
                self.by_code.entry(code).or_insert_with(|| {
                    self.definitions.push((code, block.next));
                    number
                });
            }
        }
    }

    /// Scans the procedures of the current target, whose position is `sprite`. Must be called once,
    /// after the scripts of the target.
    pub(super) fn scan_procedures(&mut self, sprite: u16, words: &mut Vocabulary) {
        for (code, first) in std::mem::take(&mut self.definitions) {
            let body = self.scan(first, words);
            self.procedures.push(Procedure { code: code.into(), sprite, body });
        }
    }

    pub(super) fn finish(self) -> (Vec<Source>, Vec<Procedure>) {
        (self.sources, self.procedures)
    }

    /// Scans a stack: each block, then its substacks, then its condition or inputs, then the custom
    /// block that it calls, then the block below.
    pub(super) fn scan(&mut self, first: Option<BlockIndex>, words: &mut Vocabulary) -> Body {
        let Some(target) = self.target else { return Body::default() };
        self.scans += 1;
        let start = self.sources.len();
        self.open.extend(first.map(|block| (block, None, Visit::Stack)));
        while let Some((index, parent, visit)) = self.open.pop() {
            if let Visit::Call(procedure) = visit {
                self.sources.push(Source::Call(procedure));
                continue;
            }
            if std::mem::replace(&mut self.seen[index as usize], self.scans) == self.scans {
                continue;
            }
            sources_of(target, index, parent, words, &mut self.sources);
            self.open_parts(target, index, visit);
        }
        self.close(start)
    }

    /// Pushes the parts that follow a block onto `open`, the last part first.
    fn open_parts(&mut self, target: &Target, index: BlockIndex, visit: Visit) {
        let block = &target.blocks[index as usize];
        if let Visit::Stack = visit {
            self.open.extend(block.next.map(|next| (next, None, Visit::Stack)));
            if let Some(Mutation::Call { proccode }) = &block.mutation
                && let Some(&procedure) = self.by_code.get(&**proccode)
            {
                self.open.push((index, None, Visit::Call(procedure)));
            }
        }
        for input in block.inputs.iter().rev() {
            if let Slot::Block(child) = input.block
                && !matches!(&*input.name, "SUBSTACK" | "SUBSTACK2")
            {
                self.open.push((child, Some(index), Visit::Expression));
            }
        }
        for which in [2, 1] {
            self.open.extend(block.substack(which).map(|head| (head, None, Visit::Stack)));
        }
    }

    /// Removes repeated sources since `start`, and appends a copy of the personal sources. Repeated
    /// edges are kept, because each of them stands for a different random position.
    fn close(&mut self, start: usize) -> Body {
        let mut known = FxHashSet::default();
        let mut scanned = self.sources.split_off(start);
        scanned.retain(|source| *source == Source::TouchEdge || known.insert(*source));
        if self.target.is_some_and(|target| target.is_stage) {
            // The stage cannot be dragged.
            scanned.retain(|source| !source.is_drag());
        }
        self.sources.extend_from_slice(&scanned);
        let middle = self.sources.len() as u32;
        scanned.retain(|source| source.is_personal());
        self.sources.extend_from_slice(&scanned);
        Body { all: start as u32..middle, personal: middle..self.sources.len() as u32 }
    }
}

fn definition<'a>(target: &'a Target, block: &catherd_scratch_sb3::Block) -> Option<&'a str> {
    if block.opcode != Opcode::ProceduresDefinition {
        return None;
    }
    let Slot::Block(prototype) = block.input("custom_block")?.block else { return None };
    match target.blocks[prototype as usize].mutation.as_ref()? {
        Mutation::Prototype { proccode, .. } => Some(proccode),
        _ => None,
    }
}

/// The sources of one block, without the sources of its parts.
fn sources_of(
    target: &Target,
    index: BlockIndex,
    parent: Option<BlockIndex>,
    words: &mut Vocabulary,
    sources: &mut Vec<Source>,
) {
    use Opcode::*;
    let block = &target.blocks[index as usize];
    let points_at_mouse = |input, field| menu(target, index, input, field) == Some("_mouse_");
    let color = |input| literal_text(target, &block.input(input)?.block).map(|c| color_of(&c));
    match block.opcode {
        SensingKeyPressed => {
            let key = menu(target, index, "KEY_OPTION", "KEY_OPTION");
            sources.extend(key.map(|key| Source::Key(words.key_no(key))));
        }
        SensingMouseX | SensingMouseY | PenPenDown => sources.push(Source::MouseMove),
        MotionGoTo | MotionGlideTo if points_at_mouse("TO", "TO") => {
            sources.push(Source::MouseMove);
        }
        MotionPointTowards if points_at_mouse("TOWARDS", "TOWARDS") => {
            sources.push(Source::MouseMove);
        }
        SensingDistanceTo if points_at_mouse("DISTANCETOMENU", "DISTANCETOMENU") => {
            sources.push(Source::MouseMove);
        }
        SensingMouseDown => sources.push(Source::MouseDown),
        SensingTouchingObject => {
            match menu(target, index, "TOUCHINGOBJECTMENU", "TOUCHINGOBJECTMENU") {
                Some("_mouse_") => sources.extend([Source::TouchMouse, Source::MouseMove]),
                Some("_edge_") => sources.push(Source::TouchEdge),
                Some(name) => sources.extend(words.sprite_no(name).map(Source::TouchSprite)),
                None => {}
            }
        }
        SensingTouchingColor => sources.extend(color("COLOR").map(Source::TouchColor)),
        SensingColorIsTouchingColor => {
            let pair = color("COLOR").zip(color("COLOR2"));
            sources.extend(pair.map(|(own, other)| Source::ColorTouch { own, other }));
        }
        SensingAskAndWait => sources.push(Source::Ask),
        SensingLoudness => {
            sources.push(Source::Sound(loudness_across(target, index, parent).to_bits()));
        }
        _ => {}
    }
}

/// A volume that makes a comparison of `loudness` with a literal true; 100 without such a
/// comparison.
fn loudness_across(target: &Target, index: BlockIndex, parent: Option<BlockIndex>) -> f64 {
    let across = || {
        let comparison = &target.blocks[parent? as usize];
        let [left, right] = ["OPERAND1", "OPERAND2"].map(|name| comparison.input(name));
        let (left, right) = (&left?.block, &right?.block);
        let on_the_left = *left == Slot::Block(index);
        let limit = literal_number(target, if on_the_left { right } else { left })?;
        match comparison.opcode {
            Opcode::OperatorEquals => Some(limit),
            Opcode::OperatorGt => Some(if on_the_left { limit + 1.0 } else { limit - 1.0 }),
            Opcode::OperatorLt => Some(if on_the_left { limit - 1.0 } else { limit + 1.0 }),
            _ => None,
        }
    };
    across().unwrap_or(100.0)
}

/// The entry of a menu input that no reporter covers.
pub(super) fn menu<'a>(
    target: &'a Target,
    block: BlockIndex,
    input: &str,
    field: &str,
) -> Option<&'a str> {
    let Slot::Block(menu) = target.blocks[block as usize].input(input)?.block else { return None };
    let menu = &target.blocks[menu as usize];
    if menu.shadow { menu.field(field).map(|field| field.text()) } else { None }
}

pub(super) fn literal_text<'a>(target: &'a Target, slot: &'a Slot) -> Option<Cow<'a, str>> {
    match slot {
        Slot::Literal(Literal::Value { value, .. }) => Some(text_of(value)),
        // Old projects contain literals as blocks.
        Slot::Block(block) => {
            let block = &target.blocks[*block as usize];
            let value = &block.fields.first()?.value;
            (block.shadow && block.fields.len() == 1 && is_literal(block.opcode))
                .then(|| text_of(value))
        }
        _ => None,
    }
}

fn is_literal(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        MathNumber
            | MathPositiveNumber
            | MathWholeNumber
            | MathInteger
            | MathAngle
            | ColourPicker
            | Text
    )
}

fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Text(text) => Cow::Borrowed(text),
        Value::Number(number) => Cow::Owned(ryu_js::Buffer::new().format(*number).to_owned()),
        Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
    }
}

/// The finite number of a literal input; a blank string is 0, as in Scratch.
pub(super) fn literal_number(target: &Target, slot: &Slot) -> Option<f64> {
    let text = literal_text(target, slot)?;
    let text = text.trim();
    if text.is_empty() { Some(0.0) } else { text.parse().ok().filter(|n: &f64| n.is_finite()) }
}
