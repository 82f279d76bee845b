//! The subject kind `command`: any external tool, started by a command line on a file of its
//! choice, that leaves a result file.
//!
//! The algorithm's parameter `command` is the template of the command line, a part of the run's
//! name like every parameter. It is split into words at white space (`'...'` and `"..."` keep
//! words together; no shell is involved), and in each word these are replaced:
//!
//! | | |
//! | --- | --- |
//! | `{project}` | path of the project's file; its extension is that of the project's name |
//! | `{algorithm}`, `{seed}` | of the run |
//! | `{executions}`, `{steps}`, `{seconds}` | the limits of the budget, 0 for those not set |
//! | `{budget}` | the first of them that is set |
//! | `{out}` | path of the result file |
//!
//! Each run has a new working folder and a process group of its own, which is killed whole
//! when the run takes longer than [`Limits::wall`] or is cancelled. Only a valid result file
//! makes a record, whatever the program's exit code says:
//!
//! ```json
//! {"criteria": [{"name": "goals", "goals": 20, "covered": [0, 3]}],
//!  "work": {"executions": 7, "steps": 0},
//!  "timeline": [{"work": [1, 0], "wall_ms": 12, "covered": 2}],
//!  "suite": {"tests": 1, "size": 5, "unit": "events", "removed": 0},
//!  "metrics": {"lines": 40}, "artifacts": {"suite.json": "..."}}
//! ```
//!
//! The file is a part of a [`RunRecord`] as JSON. Only `criteria` is needed (numbers below
//! `goals`, each once); `outcome` may be `failed` with a `reason`. Files of version 0.3.0 are
//! read as well: `goals`, `covered`, `executions`, `steps`, `timeline`, `suite_tests`,
//! `suite_events`, `suite` and `counts`.

mod result;
mod template;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{
    Algorithm, CriterionInfo, Digest, Noun, ProjectSource, RunRecord, RunSpec, SubjectInfo, Unit,
};

use crate::algorithm::{ANY_ALGORITHM, AlgorithmInfo, FieldError, ParameterInfo, Values};
use crate::files;
use crate::kind::SubjectKind;
use crate::projects::{FindError, Found, Progress};
use crate::runner::{Limits, RunError, RunProgress, Runner, RunnerContext};

/// The kind's name.
pub const KIND: &str = "command";

/// Name of the only criterion.
const CRITERION: &str = "goals";

/// Units of work, by name.
const UNITS: [&str; 2] = ["executions", "steps"];

/// The interval at which the process is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The part of the program's output that a reason is made from, from its end, in bytes.
const OUTPUT_TAIL: u64 = 2000;

/// The subject kind of external tools. Its projects are files as they are.
#[derive(Clone, Copy, Debug)]
pub struct Command;

impl SubjectKind for Command {
    fn info(&self) -> SubjectInfo {
        let unit = |name: &str, singular: &str, plural: &str| {
            Unit::new(name, singular, plural, "as the program counts them")
        };
        SubjectInfo {
            kind: KIND.to_owned(),
            // As of version 0.3.0, so that its runs keep their ids.
            engine: "catherd/0.3.0".to_owned(),
            units: vec![
                unit(UNITS[0], "test execution", "test executions"),
                unit(UNITS[1], "step", "steps"),
            ],
            criteria: vec![CriterionInfo::new("goal", CRITERION)],
            suite_unit: Noun::new("event", "events"),
            mutant_levels: Vec::new(),
            artifact_extension: "json".to_owned(),
            measures: Vec::new(),
        }
    }

    fn summary(&self) -> &'static str {
        "an external tool: a command line that runs on a file and leaves a result file"
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        vec![AlgorithmInfo {
            name: ANY_ALGORITHM.to_owned(),
            summary: "any name, passed to the tool as {algorithm}".to_owned(),
            parameters: vec![ParameterInfo {
                name: template::PARAMETER.to_owned(),
                default: None,
                values: Values::Text,
                meaning: "template of the command line, with places such as {project} and {out}"
                    .to_owned(),
            }],
        }]
    }

    fn check_algorithm(&self, algorithm: &Algorithm) -> Result<(), FieldError> {
        template::check(algorithm)
    }

    fn find(&self, projects: &ProjectSource, progress: &dyn Progress) -> Result<Found, FindError> {
        match projects {
            ProjectSource::Paths(paths) => files::find(paths, |_| true, progress),
            ProjectSource::Synthetic { .. } => Err(FindError {
                cause: format!("subject kind `{KIND}` has no synthetic projects"),
                advice: "name files; `catherd dataset synth` writes synthetic projects".to_owned(),
            }),
        }
    }

    fn runner(&self, context: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::new(Program::new(context.programs?, context.limits)))
    }
}

/// The runner: starts a program for each run.
struct Program {
    /// The folder in which the working folders are made.
    folder: PathBuf,
    limits: Limits,
    project: Arc<[u8]>,
    digest: Option<Digest>,
}

impl Program {
    fn new(folder: &Path, limits: Limits) -> Program {
        Program { folder: folder.to_owned(), limits, project: Arc::default(), digest: None }
    }

    fn attempt(
        &self,
        spec: &RunSpec,
        folder: &Path,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let here = |cause: io::Error| RunError::Crashed(format!("{}: {cause}", folder.display()));
        let project = folder.join(format!("project{}", extension(&spec.project_name)));
        let out = folder.join("result.json");
        fs::write(&project, &self.project).map_err(here)?;
        let output = File::create_new(folder.join("output.txt")).map_err(here)?;
        let words = template::fill(spec, &project, &out).map_err(failed)?;
        let mut command = process::Command::new(&words[0]);
        command
            .args(&words[1..])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(here)?)
            .stderr(output.try_clone().map_err(here)?);
        let child = catherd_platform::new_group(&mut command)
            .spawn()
            .map_err(|cause| RunError::Crashed(format!("cannot start {}: {cause}", words[0])))?;
        let mut group = Group(child);
        let kills = || catherd_platform::oom_kills(&catherd_platform::own_cgroup_leaf()?);
        let kills_before = kills();
        let status = loop {
            if let Some(status) = group.0.try_wait().map_err(here)? {
                break status;
            }
            if on_progress(RunProgress::default()).is_break() {
                return Err(RunError::Stopped);
            }
            if self.limits.wall.is_some_and(|wall| start.elapsed() > wall) {
                let seconds = start.elapsed().as_secs();
                return Err(RunError::TimedOut(format!("killed after {seconds} s")));
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        // Processes that the program left running in its group are killed here.
        drop(group);
        let wall_ms = start.elapsed().as_millis() as u64;
        let output = output_tail(output).unwrap_or_default();
        match result::read(&out) {
            Ok(file) => result::record(spec, file, wall_ms)
                .map_err(|flaw| RunError::Crashed(format!("invalid result file: {flaw}"))),
            Err(flaw) => {
                let reason = format!("{flaw}; {}", how_it_ended(status, &output));
                // This process is alive, so the kill that was counted hit the program.
                let out_of_memory = kills() > kills_before;
                Err(if out_of_memory {
                    RunError::OutOfMemory(reason)
                } else {
                    RunError::Crashed(reason)
                })
            }
        }
    }
}

impl Runner for Program {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String> {
        (self.project, self.digest) = (bytes, Some(digest));
        Ok(())
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        if self.digest != Some(spec.project) {
            return Err(RunError::Failed("another project is loaded".to_owned()));
        }
        template::check(&spec.algorithm).map_err(failed)?;
        let folder = self.folder.join(format!("run-{}", spec.id().short()));
        // A worker that was killed during an earlier attempt left its folder behind.
        let _ = fs::remove_dir_all(&folder);
        let made = fs::create_dir_all(&folder);
        made.map_err(|cause| RunError::Crashed(format!("{}: {cause}", folder.display())))?;
        let ended = self.attempt(spec, &folder, on_progress);
        let _ = fs::remove_dir_all(&folder);
        ended
    }
}

fn failed(error: FieldError) -> RunError {
    RunError::Failed(error.cause)
}

/// A process with all that it started; killed when dropped.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // Ignore the error: the process group may already have exited.
        let _ = catherd_platform::kill_group(&mut self.0);
        let _ = self.0.wait();
    }
}

/// The extension of a project's name with its dot; empty unless it is short and alphanumeric.
fn extension(name: &str) -> String {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let harmless = |text: &&str| text.len() <= 10 && text.chars().all(char::is_alphanumeric);
    extension.filter(harmless).map(|text| format!(".{text}")).unwrap_or_default()
}

/// The end of the program's output.
fn output_tail(mut output: File) -> io::Result<String> {
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_TAIL)))?;
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

fn how_it_ended(status: ExitStatus, output: &str) -> String {
    match output.lines().last() {
        Some(last) => format!("the program ended with {status}, its last line: {last}"),
        None => format!("the program ended with {status} and wrote nothing"),
    }
}

#[cfg(test)]
mod tests {
    use catherd_experiments::{Budget, Criterion, Outcome, Parameter};

    use super::*;

    pub(super) fn spec(command: &str) -> RunSpec {
        let mut algorithm = Algorithm::plain("mio");
        algorithm.parameters.insert(template::PARAMETER.into(), Parameter::Text(command.into()));
        RunSpec {
            project: Digest::of(b"one\ntwo\n"),
            project_name: "../x y.txt".into(),
            subject: KIND.into(),
            algorithm,
            seed: 7,
            budget: Budget::wall_ms(1500),
            engine: "e".into(),
            mutation: None,
        }
    }

    fn run(command: &str, limits: Limits) -> (Result<RunRecord, RunError>, usize) {
        let place = tempfile::tempdir().unwrap();
        let mut program = Program::new(place.path(), limits);
        let spec = spec(command);
        program.load(spec.project, Arc::from(*b"one\ntwo\n")).unwrap();
        let ended = program.run(&spec, &mut |_| ControlFlow::Continue(()));
        (ended, fs::read_dir(place.path()).unwrap().count())
    }

    #[test]
    fn a_result_makes_a_record() {
        let script = r#"sh -c 'test "$(wc -l < "$1")" = 2 && test "$2 $3 $4" = "mio 7 2" &&
            echo "{\"goals\": 4, \"covered\": [2, 0]}" > "$5"; exit 3' x
            {project} {algorithm} {seed} {budget} {out}"#;
        let (record, left) = run(script, Limits::default());
        let record = record.unwrap();
        assert_eq!(record.outcome, Outcome::Done);
        let goals = Criterion { name: CRITERION.to_owned(), goals: 4, covered: vec![0, 2] };
        assert_eq!(record.criteria, [goals]);
        assert_eq!(left, 0);
    }

    #[test]
    fn nothing_but_a_valid_result_counts() {
        let crash = |command: &str| match run(command, Limits::default()).0 {
            Err(RunError::Crashed(reason)) => reason,
            other => panic!("{other:?}"),
        };
        let reason = crash("sh -c 'echo oh no >&2; exit 4' {out}");
        assert!(reason.contains("no result") && reason.contains("exit status: 4"), "{reason}");
        assert!(reason.ends_with("its last line: oh no"), "{reason}");
        assert!(crash("/no/such/tool {out}").starts_with("cannot start /no/such/tool"));
        assert!(crash("sh -c 'echo { > $0' {out}").contains("malformed"));
        let twice = r#"sh -c 'echo "{\"goals\": 2, \"covered\": [1, 1]}" > $0' {out}"#;
        assert!(crash(twice).contains("covered twice"));
        let beyond = r#"sh -c 'echo "{\"goals\": 1, \"covered\": [1]}" > $0' {out}"#;
        assert!(crash(beyond).contains("goal 1 is covered, of 1 goals"));
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_with_all_it_started() {
        let place = tempfile::tempdir().unwrap();
        let pid = place.path().join("pid");
        let script = format!("sh -c 'sleep 1000 & echo $! > {}; wait' {{out}}", pid.display());
        let limits = Limits { wall: Some(Duration::from_millis(300)), ..Limits::default() };
        let ended = run(&script, limits).0;
        assert!(matches!(ended, Err(RunError::TimedOut(_))), "{ended:?}");
        let grandchild = fs::read_to_string(pid).unwrap();
        let stat = format!("/proc/{}/stat", grandchild.trim());
        // Gone, or a zombie that is not reaped yet. Delivery of a signal takes time.
        let dead = || fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        let deadline = Instant::now() + Duration::from_secs(10);
        while !dead() {
            assert!(Instant::now() < deadline, "{:?}", fs::read_to_string(&stat));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
