//! Measures of Scratch projects, which are the rows of `projects.csv`.

use catherd_experiments::Digest;
use catherd_interface::{FindError, FoundProject, ProjectTable};
use catherd_scratch_corpora::{Authors, describe, structure};
use catherd_scratch_sb3::{Limits, Project};
use catherd_scratch_suite::goals::{self, GoalSettings};
use catherd_scratch_vm::{Compat, unsupported};

/// The measures of one project.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectMeasures {
    /// The name in tables.
    pub project: String,
    /// The digest of the project's bytes.
    pub sha256: Digest,
    /// Number of statement blocks.
    pub statements: usize,
    /// Number of statements that are goals of test generation.
    pub reachable: usize,
    /// Number of statements that are not goals of test generation.
    pub dead: usize,
    /// Number of groups of blocks that no event, clone or call can start.
    pub loose_scripts: usize,
    /// Number of blocks in loose scripts.
    pub loose_blocks: usize,
    /// Number of blocks of all kinds.
    pub blocks: usize,
    /// Number of scripts that can be started.
    pub scripts: usize,
    /// Number of sprites, without the stage.
    pub sprites: usize,
    /// Number of definitions of custom blocks.
    pub custom_blocks: usize,
    /// Number of branches, loops that can end, and waits for a condition.
    pub decisions: usize,
    /// Mean cyclomatic complexity of the scripts; `None` without scripts.
    pub mccabe: Option<f64>,
    /// Number of variables of the stage and sprites.
    pub variables: usize,
    /// Number of lists of the stage and sprites.
    pub lists: usize,
    /// Number of costumes and backdrops.
    pub costumes: usize,
    /// Number of sounds.
    pub sounds: usize,
    /// Extensions in use, separated by spaces.
    pub extensions: String,
    /// Number of blocks that the VM does not execute as Scratch does.
    pub unsupported_blocks: usize,
    /// Number of costumes and sounds whose file is missing.
    pub missing_media: usize,
    /// The digest of the block structure, to find near-duplicates.
    pub structure: Digest,
}

impl ProjectMeasures {
    /// Measures a project.
    pub fn of(name: &str, sha256: Digest, project: &Project) -> ProjectMeasures {
        let description = describe(project);
        let blocks = project.targets.iter().flat_map(|target| &target.blocks);
        let unsupported_blocks =
            blocks.filter(|block| unsupported(block.opcode, Compat::Of2022).is_some()).count();
        let statements = description.statements;
        let reachable = goals::find(project, GoalSettings::default()).len();
        ProjectMeasures {
            project: name.to_owned(),
            sha256,
            statements,
            reachable,
            dead: statements.saturating_sub(reachable),
            loose_scripts: description.loose_scripts,
            loose_blocks: description.loose_blocks,
            blocks: description.blocks,
            scripts: description.scripts,
            sprites: description.sprites,
            custom_blocks: description.custom_blocks,
            decisions: description.decisions,
            mccabe: description.mccabe(),
            variables: description.variables,
            lists: description.lists,
            costumes: description.costumes,
            sounds: description.sounds,
            extensions: description.extensions.join(" "),
            unsupported_blocks,
            missing_media: description.missing_media,
            structure: Digest(structure(project).0),
        }
    }

    /// The names of the table's columns, and the cells of this project.
    pub fn cells(&self) -> Vec<(&'static str, String)> {
        vec![
            ("project", self.project.clone()),
            ("sha256", self.sha256.to_string()),
            ("statements", self.statements.to_string()),
            ("reachable", self.reachable.to_string()),
            ("dead", self.dead.to_string()),
            ("loose_scripts", self.loose_scripts.to_string()),
            ("loose_blocks", self.loose_blocks.to_string()),
            ("blocks", self.blocks.to_string()),
            ("scripts", self.scripts.to_string()),
            ("sprites", self.sprites.to_string()),
            ("custom_blocks", self.custom_blocks.to_string()),
            ("decisions", self.decisions.to_string()),
            // `{:?}` writes whole numbers with a decimal point, so the whole column is read as
            // decimal numbers.
            ("mccabe", self.mccabe.map(|mean| format!("{mean:?}")).unwrap_or_default()),
            ("variables", self.variables.to_string()),
            ("lists", self.lists.to_string()),
            ("costumes", self.costumes.to_string()),
            ("sounds", self.sounds.to_string()),
            ("extensions", self.extensions.clone()),
            ("unsupported_blocks", self.unsupported_blocks.to_string()),
            ("missing_media", self.missing_media.to_string()),
            ("structure", self.structure.to_string()),
        ]
    }
}

pub(crate) fn table(projects: &[FoundProject]) -> Result<ProjectTable, FindError> {
    let mut table = ProjectTable::default();
    let mut authors = Authors::default();
    let groups: Vec<String> =
        projects.iter().map(|found| authors.of(&found.path).to_owned()).collect();
    let grouped = groups.iter().any(|group| !group.is_empty());
    for (found, group) in projects.iter().zip(groups) {
        let file = found.path.display().to_string();
        let read = Project::from_bytes(&file, &found.bytes()?, &Limits::default());
        let project = read.map_err(|error| FindError {
            cause: error.to_string(),
            advice: "report this as a bug: the project could be read when it was found".to_owned(),
        })?;
        let mut cells = ProjectMeasures::of(&found.name, found.digest, &project).cells();
        if grouped {
            cells.push(("group", group));
        }
        let (columns, cells) = cells.into_iter().unzip();
        table.columns = columns;
        table.rows.push(cells);
    }
    Ok(table)
}
