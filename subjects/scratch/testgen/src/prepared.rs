//! Projects prepared for test generation.

use std::sync::Arc;

use catherd_scratch_sb3::Project;
use catherd_scratch_vm::Program;

use crate::assertion::Observer;
use crate::error::GenerateError;
use crate::extraction::Tables;
use crate::model::Model;
use crate::settings::GenerationSettings;

/// A project prepared for any number of runs with the same settings.
pub struct Prepared {
    pub(crate) program: Arc<Program>,
    pub(crate) tables: Arc<Tables>,
    pub(crate) model: Model,
    pub(crate) settings: GenerationSettings,
    /// Number of parameter codons in a group.
    pub(crate) parameters: usize,
    pub(crate) order: Vec<u32>,
    pub(crate) observer: Observer,
}

impl Prepared {
    /// Compiles a project and analyses its goals and events.
    ///
    /// # Errors
    /// If the project cannot be compiled.
    pub fn new(
        project: &Project,
        settings: GenerationSettings,
    ) -> Result<Arc<Self>, GenerateError> {
        let settings = settings.for_machine();
        let model = Model::of(project, settings.goals, settings.criteria, settings.compat);
        let tables = Tables::new(project);
        let mut order: Vec<u32> = (0..model.goals().len() as u32).collect();
        order.sort_by_key(|&goal| std::cmp::Reverse(model.depth(goal as usize)));
        Ok(Arc::new(Self {
            program: Arc::new(Program::compile_for(project, settings.machine.compat)?),
            parameters: tables.parameters(settings.extraction),
            tables: Arc::new(tables),
            observer: Observer::new(project),
            order,
            model,
            settings,
        }))
    }

    /// The compiled project.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The tables for event extraction.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// The settings with which the project was prepared.
    pub fn settings(&self) -> &GenerationSettings {
        &self.settings
    }

    /// The numbers of the goals, deepest in the control dependence graph first.
    pub fn goal_order(&self) -> &[u32] {
        &self.order
    }

    /// The project's goals and the graph from which fitness values are computed.
    pub fn model(&self) -> &Model {
        &self.model
    }
}
