//! The compiler from the project model to [`Program`].

mod commands;
mod expressions;
mod monitors;
mod scope;
mod today;

use std::sync::Arc;

use catherd_scratch_render::{Limits, SkinSet, SkinSetBuilder};
use catherd_scratch_sb3::{self as sb3, Block, BlockIndex, Opcode, Project};
use rustc_hash::FxHashMap;

use crate::code::*;
use crate::compat::Compat;
use crate::linear::{Source, Units, lower};
use crate::program::*;
use crate::text::Text;
use crate::trigger::Trigger;
use crate::value::{Value, clamp};
use monitors::Monitors;
use scope::Scope;

/// Maximum nesting of reporters.
pub(crate) const MAX_NESTING: usize = 400;

/// Error in compiling a project.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// Reporters are nested too deeply.
    #[error("{target}: block `{block}` is in reporters nested more than {MAX_NESTING} deep")]
    Nesting {
        /// Name of the target.
        target: String,
        /// Block id.
        block: String,
    },
    /// The project has no stage.
    #[error("{0}")]
    Project(String),
}

impl Program {
    /// Compiles a project.
    ///
    /// # Errors
    /// If the project has no stage, or if reporters are nested too deeply.
    pub fn compile(project: &Project) -> Result<Program, CompileError> {
        Self::compile_for(project, Compat::default())
    }

    /// Compiles a project for a version of Scratch.
    ///
    /// # Errors
    /// Like [`Program::compile`].
    pub fn compile_for(project: &Project, compat: Compat) -> Result<Program, CompileError> {
        Self::with_skins(project, compat, SkinSetBuilder::new(Limits::default()))
    }

    /// Compiles a project for the version of Scratch of this program, and shares the costumes that
    /// both projects have.
    ///
    /// # Errors
    /// Like [`Program::compile`].
    pub fn compile_sharing(&self, project: &Project) -> Result<Program, CompileError> {
        Self::with_skins(project, self.compat, SkinSetBuilder::sharing(&self.skins))
    }

    fn with_skins(
        project: &Project,
        compat: Compat,
        mut skins: SkinSetBuilder,
    ) -> Result<Program, CompileError> {
        let targets = project.targets.iter();
        let costumes = targets.map(|target| costumes(project, target, compat, &mut skins));
        let costumes = costumes.collect();
        compile(project, compat, costumes, Arc::new(skins.build()))
    }

    /// Compiles a version of this program's project in which only blocks were changed.
    ///
    /// # Errors
    /// Like [`Program::compile`].
    ///
    /// # Panics
    /// If the number of targets differs.
    pub fn recompile(&self, project: &Project) -> Result<Program, CompileError> {
        assert_eq!(project.targets.len(), self.sprites.len(), "the same project");
        let costumes = self.sprites.iter().map(|sprite| sprite.costumes.clone()).collect();
        compile(project, self.compat, costumes, Arc::clone(&self.skins))
    }
}

fn compile(
    project: &Project,
    compat: Compat,
    costumes: Vec<Arc<[Costume]>>,
    skins: Arc<SkinSet>,
) -> Result<Program, CompileError> {
    let repaired = (compat == Compat::Today).then(|| today::repaired(project));
    let project = repaired.as_ref().unwrap_or(project);
    Compiler::new(project, compat).program(costumes, skins)
}

fn costumes(
    project: &Project,
    target: &sb3::Target,
    compat: Compat,
    skins: &mut SkinSetBuilder,
) -> Arc<[Costume]> {
    // The version of 2022 shows an empty costume instead of one that cannot be read; today's
    // Scratch shows a question mark.
    let replacement = |costume: &sb3::Costume, skins: &mut SkinSetBuilder| {
        let shown = match (compat, costume.vector) {
            (Compat::Of2022, _) => return skins.add_blank(),
            (Compat::Today, true) => skins.add_svg(today::default_vector(), None),
            (Compat::Today, false) => {
                skins.add_bitmap(today::default_bitmap(), costume.bitmap_resolution, None)
            }
        };
        shown.unwrap_or_else(|_| skins.add_blank())
    };
    let add = |costume: &sb3::Costume, skins: &mut SkinSetBuilder| {
        let Some(asset) = costume.asset.and_then(|a| project.assets.get(a as usize)) else {
            return replacement(costume, skins);
        };
        let (bytes, center) = (asset.bytes.clone(), costume.rotation_center);
        let skin = if costume.vector {
            skins.add_svg(bytes, center)
        } else {
            skins.add_bitmap(bytes, costume.bitmap_resolution, center)
        };
        skin.unwrap_or_else(|error| {
            // The original may be able to read a picture that exceeds our limit, so the picture for
            // damaged costumes is not shown instead.
            if error.is_limit() { skins.add_blank() } else { replacement(costume, skins) }
        })
    };
    if target.costumes.is_empty() {
        let (name, upper) = (Text::new(""), Text::new(""));
        return [Costume { name, upper_name: upper, skin: skins.add_blank() }].into();
    }
    let named = |c: &sb3::Costume| {
        let name = Text::new(&*c.name);
        Costume { upper_name: name.upper(), name, skin: add(c, skins) }
    };
    target.costumes.iter().map(named).collect()
}

struct Compiler<'a> {
    project: &'a Project,
    compat: Compat,
    stage: usize,
    commands: Vec<Command>,
    exprs: Vec<Expr>,
    /// For each expression, whether its evaluation may take random numbers.
    draws: Vec<bool>,
    constants: Vec<Value>,
    early_inputs: Vec<ExprId>,
    arguments: Vec<(u32, ExprId)>,
    messages: FxHashMap<Text, u32>,
    monitors: Monitors<'a>,
    stage_variables: FxHashMap<&'a str, u32>,
    stage_lists: FxHashMap<&'a str, u32>,
    scope: Scope<'a>,
    depth: usize,
    translates: bool,
    error: Option<CompileError>,
}

impl<'a> Compiler<'a> {
    fn new(project: &'a Project, compat: Compat) -> Compiler<'a> {
        let stage = project.stage();
        let target = &project.targets[stage];
        let stage_scope = Scope::new(target);
        Compiler {
            project,
            compat,
            stage,
            commands: Vec::new(),
            exprs: Vec::new(),
            draws: Vec::new(),
            constants: Vec::new(),
            early_inputs: Vec::new(),
            arguments: Vec::new(),
            messages: FxHashMap::default(),
            monitors: Monitors::new(&project.monitors),
            stage_variables: stage_scope.by_id.clone(),
            stage_lists: stage_scope.list_by_id.clone(),
            scope: stage_scope,
            depth: 0,
            translates: false,
            error: None,
        }
    }

    fn program(
        mut self,
        costumes: Vec<Arc<[Costume]>>,
        skins: Arc<SkinSet>,
    ) -> Result<Program, CompileError> {
        let project = self.project;
        if !project.targets.iter().any(|t| t.is_stage) {
            return Err(CompileError::Project("the project has no stage".to_owned()));
        }
        let targets = project.targets.iter().zip(costumes);
        let sprites: Vec<Sprite> =
            targets.map(|(target, costumes)| self.sprite(target, costumes)).collect();
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut order: Vec<u32> = (0..sprites.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let layer = |i: u32| project.targets[i as usize].layer_order;
            layer(a).partial_cmp(&layer(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let broadcasts = project.targets[self.stage]
            .broadcasts
            .iter()
            .map(|(_, name)| {
                let name = Text::new(&**name);
                let message = message(&mut self.messages, &name);
                Broadcast { lower: name.lower(), name, message }
            })
            .collect();
        let mut edge_hats = Vec::new();
        for opcode in [
            Opcode::EventWhenTouchingObject,
            Opcode::EventWhenGreaterThan,
            Opcode::VideoSensingWhenMotionGreaterThan,
            Opcode::MakeyMakeyWhenMakeyKeyPressed,
            Opcode::MakeyMakeyWhenCodePressed,
            Opcode::FaceSensingWhenTilted,
            Opcode::FaceSensingWhenSpriteTouchesPart,
            Opcode::FaceSensingWhenFaceDetected,
        ] {
            if sprites.iter().any(|s| s.scripts_by_trigger.contains_key(&Trigger::Edge(opcode))) {
                edge_hats.push(opcode);
            }
        }
        let senses_colors = self
            .exprs
            .iter()
            .any(|e| matches!(e, Expr::TouchingColor(_) | Expr::ColorTouchingColor(..)));
        let linear = lower(Source {
            commands: &self.commands,
            exprs: &self.exprs,
            constants: &self.constants,
            arguments: &self.arguments,
            sprites: &sprites,
            stage: self.stage,
        });
        Ok(Program {
            compat: self.compat,
            linear,
            native: Units::default(),
            senses_colors,
            commands: self.commands,
            exprs: self.exprs,
            constants: self.constants,
            early_inputs: self.early_inputs,
            arguments: self.arguments,
            sprites,
            stage: self.stage,
            execution_order: order,
            broadcasts,
            messages: self.messages,
            skins,
            edge_hats,
            monitors: self.monitors.shown,
            block_count: project.block_count(),
        })
    }

    fn sprite(&mut self, target: &'a sb3::Target, costumes: Arc<[Costume]>) -> Sprite {
        self.scope = Scope::new(target);
        let mut scripts = Vec::new();
        #[expect(
            clippy::mutable_key_type,
            reason = "no hash depends on whether a number is parsed"
        )]
        let mut scripts_by_trigger: FxHashMap<Trigger, Vec<u32>> = FxHashMap::default();
        let mut edges = 0;
        for top in target.scripts() {
            let block = &target.blocks[top as usize];
            if block.opcode == Opcode::ProceduresDefinition {
                self.definition(top, block);
            } else if let Some(trigger) = self.trigger(block) {
                let edge_hat = matches!(trigger, Trigger::Edge(_)).then(|| {
                    edges += 1;
                    edges - 1
                });
                let hat = self.command(top);
                scripts_by_trigger.entry(trigger).or_default().push(scripts.len() as u32);
                scripts.push(Script { hat, edge_hat });
            }
            self.compile_pending();
        }
        let sounds = target
            .sounds
            .iter()
            .map(|s| Sound { name: Text::new(&*s.name), length: s.seconds() })
            .collect();
        let last = costumes.len() - 1;
        let scope = std::mem::replace(&mut self.scope, Scope::new(target));
        Sprite {
            name: Text::new(&*target.name),
            is_stage: target.is_stage,
            variables: scope.variables,
            lists: scope.lists,
            costumes,
            sounds,
            procedures: scope.procedures,
            scripts,
            scripts_by_trigger,
            initial: InitialState {
                x: target.x,
                y: target.y,
                // The file does not contain the size and direction of the stage.
                size: if target.is_stage { 100.0 } else { target.size },
                direction: if target.is_stage { 90.0 } else { target.direction },
                visible: target.is_stage || target.visible,
                draggable: target.draggable,
                rotation_style: target.rotation_style,
                costume: clamp(target.current_costume, 0.0, last as f64) as usize,
                volume: target.volume,
                tempo: target.tempo,
            },
        }
    }

    fn definition(&mut self, top: BlockIndex, block: &'a Block) {
        let Some((procedure, warp)) = self.scope.defined_by(block) else { return };
        // Use the first definition in block order.
        if self.scope.procedures[procedure as usize].definition != NONE {
            return;
        }
        self.scope.procedure = Some(procedure);
        let definition = self.command(top);
        let entry = &mut self.scope.procedures[procedure as usize];
        (entry.definition, entry.warp) = (definition, warp);
        self.compile_pending();
        self.scope.procedure = None;
    }

    fn trigger(&mut self, block: &'a Block) -> Option<Trigger> {
        let target = self.scope.target;
        let option = |name: &str| match block.field(name) {
            Some(field) => Some(field.text()),
            // The menu is an input in old files.
            None => menu_field(target, block, name),
        };
        Trigger::of(block.opcode, option, |name| Some(message(&mut self.messages, name)))
    }

    /// A new command is compiled by [`Self::compile_pending`].
    fn command(&mut self, block: BlockIndex) -> CommandId {
        if let Some(&id) = self.scope.commands.get(&block) {
            return id;
        }
        let id = self.commands.len() as CommandId;
        let no = self.scope.target.number(block);
        self.commands.push(Command { op: Op::Nothing, next: NONE, no, early_inputs: (0, 0) });
        self.scope.commands.insert(block, id);
        self.scope.pending.push((block, id, self.scope.procedure));
        id
    }

    fn command_or_none(&mut self, block: Option<BlockIndex>) -> CommandId {
        block.map_or(NONE, |b| self.command(b))
    }

    fn compile_pending(&mut self) {
        while let Some((block, id, procedure)) = self.scope.pending.pop() {
            self.scope.procedure = procedure;
            let target = self.scope.target;
            let block = &target.blocks[block as usize];
            let (op, before) = self.operation(block);
            let next = self.command_or_none(block.next);
            let command = &mut self.commands[id as usize];
            (command.op, command.next, command.early_inputs) = (op, next, before);
        }
    }

    /// Returns the slot of a variable, and whether the variable must be created when it is first
    /// read.
    fn variable(&mut self, id: &'a str, name: &str) -> (Slot, bool) {
        let own = |i: u32| if self.scope.is_stage { Slot::Stage(i) } else { Slot::Own(i) };
        if let Some(&i) = self.scope.by_id.get(id) {
            let lazy = self.scope.variables[i as usize].value == Value::Undefined;
            return (own(i), lazy);
        }
        if let Some(&i) = self.stage_variables.get(id) {
            return (Slot::Stage(i), false);
        }
        let named = Text::new(name);
        if let Some(i) = self.scope.variables.iter().position(|v| v.name == named) {
            return (own(i as u32), self.scope.variables[i].value == Value::Undefined);
        }
        let stage = &self.project.targets[self.stage].variables;
        if let Some(i) = stage.iter().position(|v| *v.name == *name) {
            return (Slot::Stage(i as u32), false);
        }
        let i = self.scope.variables.len() as u32;
        self.scope.variables.push(VariableDef { name: named, value: Value::Undefined });
        self.scope.by_id.insert(id, i);
        (own(i), true)
    }

    fn list(&mut self, id: &'a str, name: &str) -> Slot {
        let own = |i: u32| if self.scope.is_stage { Slot::Stage(i) } else { Slot::Own(i) };
        if let Some(&i) = self.scope.list_by_id.get(id) {
            return own(i);
        }
        if let Some(&i) = self.stage_lists.get(id) {
            return Slot::Stage(i);
        }
        let named = Text::new(name);
        if let Some(i) = self.scope.lists.iter().position(|l| l.name == named) {
            return own(i as u32);
        }
        let stage = &self.project.targets[self.stage].lists;
        if let Some(i) = stage.iter().position(|l| *l.name == *name) {
            return Slot::Stage(i as u32);
        }
        let i = self.scope.lists.len() as u32;
        self.scope.lists.push(ListDef { name: named, items: Arc::default(), declared: false });
        self.scope.list_by_id.insert(id, i);
        own(i)
    }
}

fn menu_field<'a>(target: &'a sb3::Target, block: &'a Block, name: &str) -> Option<&'a str> {
    block.inputs.iter().find_map(|input| match input.block {
        sb3::Slot::Block(menu) => Some(target.blocks.get(menu as usize)?.field(name)?.text()),
        _ => None,
    })
}

#[expect(clippy::mutable_key_type, reason = "no hash depends on whether a number is parsed")]
fn message(messages: &mut FxHashMap<Text, u32>, name: &Text) -> u32 {
    let next = messages.len() as u32;
    *messages.entry(name.upper()).or_insert(next)
}
