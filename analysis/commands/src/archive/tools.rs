//! Adds the external tools of a study to a package.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use catherd_analysis_archive::{Builder, TOOLS};
use catherd_cli_console::Failure;
use catherd_experiments::Plan;
use catherd_interface::command::{RelativeTool, Tool};

use super::assembly::files_below;
use super::corpus;

/// The folder with the packages for environments, such as Python wheels.
pub(crate) const WHEELS: &str = "wheels/";

/// Folders with this name keep paths with parent folders inside [`TOOLS`].
const STUDY: &str = "study";

pub(crate) struct Tools {
    named: BTreeSet<RelativeTool>,
    /// The folder in the package to which the paths of tools are relative.
    pub(crate) base: PathBuf,
    /// Maximum number of parent folders through which a path of a tool leads.
    above: usize,
    pub(crate) needs: Vec<String>,
    pub(crate) wheels: bool,
}

impl Tools {
    pub(crate) fn of(plan: &Plan) -> Option<Tools> {
        let named: BTreeSet<RelativeTool> = plan
            .algorithms
            .iter()
            .flat_map(|one| [RelativeTool::of(one), RelativeTool::measurer_of(one)])
            .flatten()
            .collect();
        let depth = |tool: &RelativeTool| {
            let mut low = 0;
            let mut level = 0;
            for part in tool.path.components() {
                level += match part {
                    Component::ParentDir => -1,
                    Component::Normal(_) => 1,
                    _ => 0,
                };
                low = low.min(level);
            }
            usize::try_from(-low).unwrap_or_default()
        };
        let above = named.iter().map(depth).max()?;
        let mut base = PathBuf::from(TOOLS.trim_end_matches('/'));
        base.extend(std::iter::repeat_n(STUDY, above));
        Some(Tools { named, base, above, needs: Vec::new(), wheels: false })
    }

    fn place(&self, tool: &RelativeTool) -> PathBuf {
        let mut place = PathBuf::new();
        for part in self.base.join(&tool.path).components() {
            match part {
                Component::ParentDir => drop(place.pop()),
                Component::Normal(name) => place.push(name),
                _ => {}
            }
        }
        place
    }

    pub(super) fn add(&mut self, builder: &mut Builder, folder: &Path) -> Result<(), Failure> {
        self.check(folder)?;
        for tool in &self.named {
            let files = tool.files(folder).map_err(|cause| unreadable(folder, tool, &cause))?;
            for (name, path) in files {
                let place = self.place(tool);
                let place = if name.is_empty() { place } else { place.join(name) };
                builder.file(place.display().to_string(), path);
            }
        }
        Ok(())
    }

    pub(super) fn add_wheels(
        &mut self,
        builder: &mut Builder,
        folder: &Path,
    ) -> Result<(), Failure> {
        self.wheels = true;
        for (name, path) in files_below(folder)? {
            builder.file(format!("{WHEELS}{name}"), path);
        }
        Ok(())
    }

    pub(crate) fn add_study(&self, builder: &mut Builder, plan: &Plan) -> Result<(), Failure> {
        let projects = format!("{}projects", "../".repeat(self.above + 1));
        let file = plan.study_file(&[projects]).map_err(Failure::new)?;
        builder.bytes(self.study(), file);
        Ok(())
    }

    pub(crate) fn study(&self) -> String {
        self.base.join("study.toml").display().to_string()
    }

    pub(crate) fn check(&mut self, folder: &Path) -> Result<(), Failure> {
        self.needs.clear();
        for tool in &self.named {
            let same = tool.is_in(folder).map_err(|cause| unreadable(folder, tool, &cause))?;
            let path = folder.join(&tool.path);
            if !same {
                return Err(Failure::new(format_args!(
                    "{}: is not the tool of the study: its digest differs",
                    path.display()
                ))
                .hint("use --tools to name a folder with the unchanged tools"));
            }
            if tool.is_adapter {
                let opened = Tool::open(&path).map_err(Failure::new)?;
                let python =
                    opened.python().map(|version| format!(", which needs Python {version}"));
                self.needs.push(format!("{}{}", opened.name(), python.unwrap_or_default()));
            }
        }
        Ok(())
    }

    /// The adapters that need an environment or may need one.
    pub(crate) fn adapters(&self, folder: &Path) -> Result<Vec<Tool>, Failure> {
        let adapters = self.named.iter().filter(|tool| tool.is_adapter);
        let opened = adapters.map(|tool| Tool::open(&folder.join(&tool.path)));
        let opened: Vec<Tool> = opened.collect::<Result<_, _>>().map_err(Failure::new)?;
        Ok(opened.into_iter().filter(|tool| !matches!(tool.environment(), Ok(None))).collect())
    }
}

fn unreadable(folder: &Path, tool: &RelativeTool, cause: &std::io::Error) -> Failure {
    Failure::new(format_args!("{}: {cause}", folder.join(&tool.path).display()))
        .hint("use --tools to name the folder to which the paths of the study's tools are relative")
}

pub(crate) fn is_of_tools(name: &str) -> bool {
    name.starts_with(TOOLS) || name.starts_with(WHEELS)
}

/// Whether the description of a package names only the folder of a file, not the file itself.
pub(super) fn is_of_folder(name: &str) -> bool {
    name.starts_with("projects/") || name.starts_with(&format!("{}/", corpus::CORPORA))
}
