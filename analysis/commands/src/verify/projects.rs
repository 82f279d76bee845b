//! The projects of a verified package, from the package itself or from paths that the user names.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use catherd_analysis_archive::{Contents, Package};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::{self, plural};
use catherd_cli_failures::Worded;
use catherd_experiments::{Digest, Plan, ProjectSource};
use catherd_interface::FoundProject;

use super::Choice;
use crate::Program;
use crate::archive::corpus::project_names;

pub(super) struct Projects {
    pub(super) included: HashMap<Digest, String>,
    pub(super) found: HashMap<Digest, FoundProject>,
}

pub(super) struct OfSample {
    projects: Projects,
    package: Mutex<Package>,
}

impl Projects {
    pub(super) fn find(
        program: &Program,
        plan: &Plan,
        contents: &Contents,
        paths: &[PathBuf],
    ) -> Result<Projects, Failure> {
        let digests = plan.projects.iter().map(|project| project.digest);
        let included = match contents.with_projects {
            true => digests.zip(project_names(program, plan)).collect(),
            false => HashMap::new(),
        };
        let mut found = HashMap::new();
        if !paths.is_empty() {
            let kind = program.kind(&plan.subject)?;
            let bar = terminal::spinner("looking for projects");
            let projects = kind
                .find(&ProjectSource::Paths(paths.to_vec()), &())
                .map_err(Worded::worded)?
                .projects;
            bar.finish_and_clear();
            found.extend(projects.into_iter().map(|project| (project.digest, project)));
        }
        Ok(Projects { included, found })
    }

    pub(super) fn of_sample(self, package: Package, choice: &Choice) -> Result<OfSample, Failure> {
        let lacks = |digest: &Digest| {
            !self.included.contains_key(digest) && !self.found.contains_key(digest)
        };
        let mut missing: Vec<_> = choice.chosen.iter().map(|(spec, _)| spec).collect();
        missing.retain(|spec| lacks(&spec.project));
        missing.dedup_by_key(|spec| spec.project);
        match missing.first() {
            None => Ok(OfSample { projects: self, package: Mutex::new(package) }),
            Some(first) => {
                let projects = plural(missing.len(), "project");
                Err(Failure::new(format_args!(
                    "{projects} of the sample not found, such as {} ({})",
                    first.project_name, first.project
                ))
                .hint(
                    "use --projects to name where the projects are, or get a package that was made \
                     with --with-projects",
                ))
            }
        }
    }
}

impl OfSample {
    pub(super) fn bytes(&self, digest: Digest) -> Result<Arc<[u8]>, String> {
        let Projects { included, found } = &self.projects;
        let bytes = match (included.get(&digest), found.get(&digest)) {
            (Some(name), _) => {
                let mut package = self.package.lock().unwrap_or_else(PoisonError::into_inner);
                package
                    .read(name, catherd_interface::files::LARGEST_PROJECT)
                    .map_err(|e| e.to_string())
            }
            (None, Some(project)) => project.bytes().map_err(|cause| cause.to_string()),
            (None, None) => Err(format!("project {digest} is missing")),
        }?;
        match Digest::of(&bytes) == digest {
            true => Ok(Arc::from(bytes)),
            false => Err(format!("project {digest} has different bytes")),
        }
    }
}
