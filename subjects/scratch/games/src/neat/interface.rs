//! The nodes through which networks observe a project and act on it.

use catherd_scratch_sb3::{Block, Literal, Opcode, Project, RotationStyle, Slot, Target, Value};
use catherd_scratch_suite::event::TextNo;
use catherd_scratch_suite::policy::{Network, Output, Sense, Signal, Subject};
use catherd_scratch_testgen::extraction::{Input, Tables};
use catherd_scratch_vm::color_of;

/// Maximum number of clones of a sprite that networks observe, and maximum number of clones at
/// which they can aim the mouse.
const SEEN: u32 = 5;
const CLICKED: u32 = 3;

/// Counts of input nodes and of output nodes that are kept if there are more nodes than networks of
/// suites may have. The rest is for hidden nodes.
const KEPT_INPUTS: u32 = 11_000;
const KEPT_OUTPUTS: u32 = 6_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    pub(super) inputs: Vec<Sense>,
    /// Input nodes of the stage and the mouse, and of each sprite.
    pub(super) groups: Vec<Vec<u32>>,
    pub(super) outputs: Vec<Output>,
    pub(super) press: u32,
    pub(super) wait: u32,
}

impl Interface {
    /// Creates the interface of a project. Questions are answered with `answers`; `press` and
    /// `wait` are the maximum durations of a key press and of a wait, in steps.
    pub(crate) fn new(
        project: &Project,
        tables: &Tables,
        answers: &[TextNo],
        (press, wait): (u32, u32),
    ) -> Self {
        let mut interface = Self { press, wait, ..Self::default() };
        let cloned = cloned(project);
        interface.find_outputs(project, tables, answers, &cloned);
        interface.find_inputs(project, &cloned);
        interface.bound();
        interface
    }

    fn bound(&mut self) {
        let hidden = self.groups.len() as u32;
        if self.first_output() + self.output_nodes() + hidden <= Network::MAX_NODES {
            return;
        }
        self.inputs.truncate(KEPT_INPUTS as usize);
        self.groups.iter_mut().for_each(|group| group.retain(|node| *node <= KEPT_INPUTS));
        self.groups.retain(|group| !group.is_empty());
        let wait = self.outputs.pop();
        let mut nodes = 0;
        self.outputs.retain(|output| {
            nodes += 1 + output.signal.parameters();
            nodes <= KEPT_OUTPUTS
        });
        self.outputs.extend(wait);
    }

    pub(super) fn first_output(&self) -> u32 {
        1 + self.inputs.len() as u32
    }

    pub(super) fn output_nodes(&self) -> u32 {
        self.outputs.iter().map(|output| 1 + output.signal.parameters()).sum()
    }

    /// The output nodes that decide which event is sent.
    pub(super) fn class_nodes(&self) -> Vec<u32> {
        let mut next = self.first_output();
        let nodes = self.outputs.iter().map(|output| {
            let node = next;
            next += 1 + output.signal.parameters();
            node
        });
        nodes.collect()
    }

    fn find_outputs(
        &mut self,
        project: &Project,
        tables: &Tables,
        answers: &[TextNo],
        cloned: &[bool],
    ) {
        let stage = project.stage();
        for reaction in tables.reactions() {
            let sprite = reaction.sprite;
            let clones = if cloned[usize::from(sprite)] { CLICKED } else { 0 };
            let instances = || (0..=clones).map(move |clone| Subject { sprite, clone });
            let signals: Vec<Signal> = match reaction.input {
                Input::Key(key) => vec![Signal::Key(key)],
                Input::MouseMove => vec![Signal::MouseMove],
                Input::MouseTo => instances().map(Signal::MouseTo).collect(),
                Input::MouseDown => vec![Signal::MouseDown],
                Input::Click if usize::from(sprite) == stage => vec![Signal::ClickStage],
                Input::Click => instances().map(Signal::Click).collect(),
                Input::Sound(volume) => vec![Signal::Sound(volume)],
                Input::Answer => {
                    let number = tables.asks_for_numbers().then_some(Signal::Number);
                    number.into_iter().chain(answers.iter().copied().map(Signal::Text)).collect()
                }
            };
            for signal in signals {
                let script = (reaction.top, reaction.runs);
                match self.outputs.iter_mut().find(|output| output.signal == signal) {
                    Some(output) => output.scripts.push(script),
                    None => self.outputs.push(Output { signal, scripts: vec![script] }),
                }
            }
        }
        self.outputs.push(Output { signal: Signal::Wait, scripts: Vec::new() });
    }

    fn find_inputs(&mut self, project: &Project, cloned: &[bool]) {
        let stage = project.stage();
        let uses_mouse =
            |output: &Output| matches!(output.signal, Signal::MouseMove | Signal::MouseTo(_));
        let mut senses = Vec::new();
        if self.outputs.iter().any(uses_mouse) {
            senses.extend([Sense::MouseX, Sense::MouseY]);
        }
        let whole = Subject { sprite: stage as u16, clone: 0 };
        senses.extend(numbers(&project.targets[stage]).map(|it| Sense::Variable(whole, Some(it))));
        self.add_group(senses);
        for (number, target) in project.targets.iter().enumerate() {
            if number != stage {
                let count = if cloned[number] { SEEN } else { 0 };
                let mut senses = Vec::new();
                for clone in 0..=count {
                    let own = Subject { sprite: number as u16, clone };
                    see_instance(own, target, &mut senses);
                    see_touched(own, target, project, cloned, &mut senses);
                }
                self.add_group(senses);
            }
        }
    }

    fn add_group(&mut self, senses: Vec<Sense>) {
        if !senses.is_empty() {
            let first = self.first_output();
            self.inputs.extend(senses);
            self.groups.push((first..self.first_output()).collect());
        }
    }
}

/// Positions of the variables of a target whose value in the file is a number.
fn numbers(target: &Target) -> impl Iterator<Item = usize> + '_ {
    let is_number = |value: &Value| match value {
        Value::Number(_) => true,
        Value::Text(text) => text.trim().parse::<f64>().is_ok(),
        Value::Bool(_) => false,
    };
    let variables = target.variables.iter().enumerate();
    variables.filter(move |(_, variable)| is_number(&variable.value)).map(|(number, _)| number)
}

/// Adds the position and the numeric variables of an instance, and its direction, size and costume
/// if scripts of the sprite contain blocks that change them visibly.
fn see_instance(own: Subject, target: &Target, senses: &mut Vec<Sense>) {
    use Opcode::*;
    let has =
        |opcodes: &[Opcode]| target.blocks.iter().any(|block| opcodes.contains(&block.opcode));
    senses.extend([Sense::X(own), Sense::Y(own)]);
    let turns = [
        MotionTurnRight,
        MotionTurnLeft,
        MotionPointInDirection,
        MotionPointTowards,
        MotionIfOnEdgeBounce,
    ];
    if target.rotation_style == RotationStyle::AllAround && has(&turns) {
        senses.push(Sense::Direction(own));
    }
    if has(&[LooksChangeSizeBy, LooksSetSizeTo]) {
        senses.push(Sense::Size(own));
    }
    if has(&[LooksSwitchCostumeTo, LooksNextCostume]) && target.costumes.len() > 1 {
        senses.push(Sense::Costume(own));
    }
    senses.extend(numbers(target).map(|number| Sense::Variable(own, Some(number))));
}

/// Adds, once each, the distances to the sprites and colours that touching blocks of an instance
/// name in menus and literals.
fn see_touched(
    own: Subject,
    target: &Target,
    project: &Project,
    cloned: &[bool],
    senses: &mut Vec<Sense>,
) {
    let mut add = |sense: Sense| {
        if !senses.contains(&sense) {
            senses.push(sense);
        }
    };
    for block in &target.blocks {
        let color = match block.opcode {
            Opcode::SensingTouchingColor => literal(block, "COLOR"),
            Opcode::SensingColorIsTouchingColor => literal(block, "COLOR2"),
            _ => None,
        };
        if let Some(color) = color {
            add(Sense::Color(own, color_of(color)));
        }
        let touched = (block.opcode == Opcode::SensingTouchingObject)
            .then(|| menu(target, block, "TOUCHINGOBJECTMENU"))
            .flatten();
        let Some(sprite) = touched.and_then(|name| sprite(project, name)) else { continue };
        let clones = if cloned[usize::from(sprite)] { SEEN } else { 0 };
        for clone in 0..=clones {
            let other = Subject { sprite, clone };
            if other != own {
                add(Sense::Right(own, other));
                add(Sense::Above(own, other));
            }
        }
    }
}

fn cloned(project: &Project) -> Vec<bool> {
    let mut cloned = vec![false; project.targets.len()];
    for (own, target) in project.targets.iter().enumerate() {
        let clone = |block: &&Block| block.opcode == Opcode::ControlCreateCloneOf;
        for block in target.blocks.iter().filter(clone) {
            match menu(target, block, "CLONE_OPTION") {
                Some("_myself_") => cloned[own] = true,
                Some(name) => {
                    if let Some(sprite) = sprite(project, name) {
                        cloned[usize::from(sprite)] = true;
                    }
                }
                // A computed name may be the name of any sprite.
                None => cloned.fill(true),
            }
        }
    }
    cloned
}

fn sprite(project: &Project, name: &str) -> Option<u16> {
    let found = project.targets.iter().position(|target| !target.is_stage && *target.name == *name);
    found.map(|number| number as u16)
}

/// The entry of a menu whose input and field have this name, unless a reporter covers the menu.
fn menu<'a>(target: &'a Target, block: &Block, name: &str) -> Option<&'a str> {
    let Slot::Block(menu) = block.input(name)?.block else { return None };
    let menu = target.blocks.get(menu as usize).filter(|menu| menu.shadow)?;
    menu.field(name).map(|field| field.text())
}

fn literal<'a>(block: &'a Block, name: &str) -> Option<&'a str> {
    match &block.input(name)?.block {
        Slot::Literal(Literal::Value { value: Value::Text(text), .. }) => Some(text),
        _ => None,
    }
}
