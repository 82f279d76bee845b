//! One project and its suites, without a study.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use catherd_experiments::{Algorithm, Budget, Digest};
use catherd_javascript_classes::machine::instrument::is_typescript;
use catherd_javascript_classes::machine::{ExecuteOptions, Package, Program};
use catherd_javascript_classes::mutation::{self, MutationReport, MutationSettings};
use catherd_javascript_classes::{
    Code, Coverage, Generated, GenerationSettings, Journal, Model, Refined, Refinement, Request,
    Style, Subject, Suite, Verdict, check_config, exported_classes, generate_with, machine_of,
    mentioned, name_of_export, refined,
};
use catherd_search::{Progress, Stream};
use serde_json::{Value, json};

use crate::configuration;
use crate::runner::on_a_large_stack;
use crate::since;

/// A project that was read.
#[derive(Clone, Debug)]
pub struct Project {
    package: Package,
    digest: Digest,
}

/// The reason why a project cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProjectError(String);

impl From<String> for ProjectError {
    fn from(line: String) -> ProjectError {
        ProjectError(line)
    }
}

/// The coverage of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteCoverage {
    /// The numbers of covered and of all statements, branches, functions and lines.
    pub totals: [(usize, usize); 4],
    /// Names of the goals that neither loading the project nor a test covers.
    pub uncovered: Vec<String>,
    /// Number of goals.
    pub goals: usize,
    /// The content of `coverage-final.json`.
    pub json: Value,
}

/// Whether a path looks like a JavaScript project.
pub fn is_project(path: &Path) -> bool {
    if path.is_dir() {
        return ["package.json", "subject.toml"].iter().any(|name| path.join(name).is_file());
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["js", "cjs", "mjs", "tgz"].contains(&extension))
        || is_typescript(&path.to_string_lossy())
}

/// Options of the generation of a suite, in addition to algorithm, seed and budget.
#[derive(Debug, Default)]
pub struct GenerateOptions<'a> {
    /// Whether the suite may be minimised, if the algorithm permits it.
    pub minimise: bool,
    /// An earlier version of the project. Only functions that have changed since are tested.
    pub since: Option<&'a Project>,
    /// The journal that stores the tests of the search, or contains the tests of an earlier search.
    pub journal: Journal,
}

impl Project {
    /// Reads a project; `class` and `method` override the values in `subject.toml`.
    ///
    /// # Errors
    /// If the project cannot be read or its configuration is invalid.
    pub fn open(
        path: &Path,
        class: Option<String>,
        method: Option<String>,
    ) -> Result<Project, ProjectError> {
        let mut package = Package::read(path).map_err(|error| error.to_string())?;
        check_config(&package.config).map_err(|error| error.to_string())?;
        let digest = Digest::of(&package.pack());
        package.config.class = class.or(package.config.class);
        package.config.method = method.or(package.config.method);
        Ok(Project { package, digest })
    }

    /// The digest of the project's files.
    pub fn digest(&self) -> String {
        self.digest.to_string()
    }

    fn with_program<T: Send>(
        &self,
        work: impl FnOnce(&Rc<Program>) -> Result<T, String> + Send,
    ) -> Result<T, ProjectError> {
        let package = self.package.clone();
        on_a_large_stack(move || {
            let program = Program::new(package).map_err(|error| error.to_string())?;
            Ok(work(&program)?)
        })
    }

    /// Generates a suite.
    ///
    /// # Errors
    /// If the algorithm or one of its parameters cannot be used, the project cannot be loaded, or the
    /// machine cannot continue.
    pub fn generate(
        &self,
        algorithm: &Algorithm,
        seed: u64,
        budget: &Budget,
        options: GenerateOptions<'_>,
        observer: &mut (dyn FnMut(&Progress) -> ControlFlow<()> + Send),
    ) -> Result<Generated, ProjectError> {
        let (method, mut settings) = configuration::read_for(algorithm, &self.package.config)
            .map_err(|error| error.cause)?;
        settings.minimise &= options.minimise;
        let mut request = Request {
            method,
            settings,
            seed,
            budget: configuration::budget(budget),
            project: self.digest(),
            engine: crate::ENGINE.to_owned(),
            functions: None,
        };
        let before = options.since.map(|before| before.package.clone());
        let journal = options.journal;
        self.with_program(|program| {
            if let Some(before) = before {
                // All functions are new compared to a version that cannot be loaded.
                let before = Program::new(before).ok();
                request.functions = Some(since::changed(program, before.as_deref()));
            }
            generate_with(program, &request, journal, observer).map_err(|error| error.to_string())
        })
    }

    /// The project as it was at a revision of Git, with the present configuration and untracked
    /// files.
    ///
    /// # Errors
    /// If Git cannot read the revision, or its files are not a valid project.
    pub fn at_revision(&self, path: &Path, revision: &str) -> Result<Project, ProjectError> {
        let package = since::at_revision(path, revision, &self.package)?;
        let digest = Digest::of(&package.pack());
        Ok(Project { package, digest })
    }

    /// The options for exporting a suite as code to the file `out`.
    ///
    /// # Errors
    /// If the project cannot be loaded or is an archive, or a path does not exist.
    pub fn code(&self, path: &Path, out: &Path, style: Style) -> Result<Code, ProjectError> {
        if path.extension().is_some_and(|extension| extension == "tgz") {
            return Err(
                "the code of a suite cannot load an archive: unpack it and name the folder"
                    .to_owned()
                    .into(),
            );
        }
        let real = |path: &Path| {
            path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
        };
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = real(folder.unwrap_or(Path::new(".")))?;
        let (path, out) = (real(path)?, folder.join(out.file_name().unwrap_or_default()));
        let config = &self.package.config;
        let (entry, module, typed, hidden, classes, own_name, names) =
            self.with_program(|program| {
                let typed = program.typed_files().map_err(|error| error.to_string())?;
                let classes = exported_classes(program).map_err(|error| error.to_string())?;
                let module = program.is_module(&program.entry);
                let own_name = name_of_export(program, &classes);
                let names = mentioned(program).map_err(|error| error.to_string())?;
                let hidden = program.hidden().into_iter().chain(names.hidden.iter().cloned());
                let hidden = hidden.collect();
                Ok((program.entry.clone(), module, typed, hidden, classes, own_name, names))
            })?;
        let root = if path.is_dir() { path.clone() } else { folder_of(&path) };
        let entry = if path.is_dir() { path.join(entry) } else { path };
        let namespace = config.namespace.as_deref().unwrap_or("");
        Ok(Code {
            style,
            subject: relative(&folder, &entry),
            root: relative(&folder, &root),
            module,
            in_module: in_module(&out),
            namespace: namespace.split('.').filter(|n| !n.is_empty()).map(str::to_owned).collect(),
            script: config.globals && !module,
            all_errors: false,
            hidden,
            typed,
            confirmed: false,
            note: String::new(),
            classes,
            own_name,
            variables: names.variables,
            members: names.members,
            parameters: names.parameters,
            snapshots: false,
        })
    }

    /// Refines a suite before it is written as code (see [`refined`]).
    ///
    /// # Errors
    /// If the project cannot be loaded, or the machine cannot continue.
    pub fn refine(&self, suite: &Suite, settings: &Refinement) -> Result<Refined, ProjectError> {
        self.with_program(|program| {
            refined(program, suite, settings).map_err(|error| error.to_string())
        })
    }

    /// Executes a suite. Returns the verdict on each test and the number of its steps.
    ///
    /// # Errors
    /// If the project cannot be loaded, or the machine cannot continue.
    pub fn check(
        &self,
        suite: &Suite,
        seed: u64,
        steps: Option<u64>,
    ) -> Result<Vec<(Verdict, u64)>, ProjectError> {
        self.with_program(|program| {
            let mut machine = machine_of(program, &GenerationSettings::default(), seed, true);
            let options = ExecuteOptions { seed, steps, ..ExecuteOptions::default() };
            let tests = suite.tests.iter().map(|test| {
                let checked =
                    catherd_javascript_classes::check(program, &mut machine, test, options);
                let (verdict, execution) = checked.map_err(|error| error.to_string())?;
                Ok((verdict, execution.steps))
            });
            tests.collect()
        })
    }

    /// Measures what a suite covers.
    ///
    /// # Errors
    /// If the project cannot be loaded.
    pub fn coverage(&self, suite: &Suite) -> Result<SuiteCoverage, ProjectError> {
        self.with_program(|program| {
            let units = &program.units;
            let mut machine = machine_of(program, &GenerationSettings::default(), suite.seed, true);
            let coverage = Coverage::measure(program, &mut machine, &suite.tests, suite.seed);
            let uncovered = coverage.uncovered(units);
            Ok(SuiteCoverage {
                totals: coverage.totals(units),
                uncovered: uncovered.into_iter().map(|goal| units.goal_name(goal)).collect(),
                goals: units.goals.len(),
                json: coverage.to_json(units),
            })
        })
    }

    /// Executes a suite on the mutants of the project. Returns `None` if the observer stops it.
    ///
    /// # Errors
    /// If the project cannot be loaded, or the machine cannot continue.
    pub fn mutate(
        &self,
        suite: &Suite,
        settings: &MutationSettings,
        observer: &mut (dyn FnMut(usize, usize) -> ControlFlow<()> + Send),
    ) -> Result<Option<MutationReport>, ProjectError> {
        self.with_program(|program| {
            mutation::analyse(program, suite, settings, observer).map_err(|error| error.to_string())
        })
    }

    /// Describes the project, with types inferred from `executions` tests for each target.
    ///
    /// # Errors
    /// If the project cannot be loaded or the machine cannot continue.
    pub fn inspect(&self, executions: u64, seed: u64) -> Result<Value, ProjectError> {
        self.with_program(|program| {
            let settings = GenerationSettings::default();
            let machine = machine_of(program, &settings, seed, true);
            let mut subject = Subject::new(program, machine, settings, seed)
                .map_err(|error| error.to_string())?;
            let mut rng = Stream::new(seed, Stream::SEARCH);
            for _ in 0..executions {
                for target in 0..subject.model.targets.len() {
                    let genes = subject.maker(true).random(target, &mut rng);
                    if subject.run(&genes).is_none() {
                        return Err("the machine cannot continue".to_owned());
                    }
                }
            }
            let parameters = catherd_javascript_classes::report(&subject, &mut rng);
            Ok(description(program, &subject.model, &json!(parameters)))
        })
    }
}

fn description(program: &Program, model: &Model, parameters: &Value) -> Value {
    let classes = model.classes.iter().map(|class| {
        let names = |kind: &str, members: &[catherd_javascript_classes::Member]| -> Vec<String> {
            let of_kind = members.iter().filter(|member| member.kind == kind);
            of_kind.map(|member| member.name.clone()).collect()
        };
        json!({
            "name": class.name, "path": class.path, "crashed": class.crashed,
            "methods": names("method", &class.members),
            "accessors": names("accessor", &class.members),
            "fields": names("field", &class.members),
            "statics": names("method", &class.statics),
        })
    });
    let functions = model.functions.iter().map(|f| json!({"name": f.name, "path": f.path}));
    let targets: Vec<&str> = model.targets.iter().map(|target| target.name.as_str()).collect();
    json!({
        "entry": program.entry,
        "files": program.units.files.iter().map(|file| &file.path).collect::<Vec<_>>(),
        "goals": program.units.goals.len(),
        "dynamic": program.units.dynamic,
        "classes": classes.collect::<Vec<_>>(),
        "functions": functions.collect::<Vec<_>>(),
        "values": model.values,
        "targets": targets,
        "parameters": parameters,
    })
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// The path of a file relative to `folder`, with `/` as the separator.
fn relative(folder: &Path, file: &Path) -> String {
    let parts = |path: &Path| -> Vec<String> {
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (from, to) = (parts(folder), parts(file));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(from.len() - common);
    let start = if up.is_empty() { "./" } else { &up };
    format!("{start}{}", to[common..].join("/"))
}

/// Whether Node.js treats a file as a module.
fn in_module(file: &Path) -> bool {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("mjs") => return true,
        Some("cjs") => return false,
        _ => {}
    }
    let manifest = file.ancestors().skip(1).find_map(|folder| {
        let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
        serde_json::from_str::<Value>(&text).ok()
    });
    manifest.is_some_and(|manifest| manifest["type"] == "module")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_file_of_the_code() {
        let name = |folder: &str, file: &str| relative(Path::new(folder), Path::new(file));
        assert_eq!(name("/a/b", "/a/b/list.js"), "./list.js");
        assert_eq!(name("/a/b", "/a/c/list.js"), "../c/list.js");
        assert_eq!(name("/a", "/a/lib/list.js"), "./lib/list.js");
    }
}
