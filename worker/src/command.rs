//! Any program as a subject: a command line that runs a tool on a project and leaves a
//! result file.
//!
//! The algorithm's parameter `command` is the template, a part of the run's name like every
//! parameter. It is split into words at white space (`'...'` and `"..."` keep words together;
//! no shell is involved), and in each word these are replaced:
//!
//! | | |
//! | --- | --- |
//! | `{project}` | path of the project's file; its extension is that of the project's name |
//! | `{algorithm}`, `{seed}` | of the run |
//! | `{executions}`, `{steps}`, `{seconds}` | the budget's limits, 0 where there is none |
//! | `{budget}` | the first of them that there is |
//! | `{out}` | path of the result file |
//!
//! Each run has a new working folder and a process group of its own, which is killed whole
//! when the run takes longer than [`Limits::wall`] or is not wanted any more. Only a valid
//! result file makes a record, whatever the program's exit code says:
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

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{
    Algorithm, CriterionInfo, Digest, Noun, Outcome, Parameter, Resources, RunRecord, RunSpec,
    SubjectInfo, TimelinePoint, Unit,
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::limits::{self, Limits};
use crate::{Live, RunError, Subject};

/// The kind's name.
pub const KIND: &str = "command";

/// The parameter with the template.
const TEMPLATE: &str = "command";

/// What is replaced in a template.
const PLACES: [&str; 8] =
    ["project", "algorithm", "seed", "executions", "steps", "seconds", "budget", "out"];

/// Name of the only criterion.
const CRITERION: &str = "goals";

/// Units of work, by name.
const UNITS: [&str; 2] = ["executions", "steps"];

/// What programs report.
pub fn info() -> SubjectInfo {
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

/// The process is looked at this often.
const LOOK: Duration = Duration::from_millis(20);

/// As much of the program's output as a reason shows, from its end, in bytes.
const OUTPUT: u64 = 2000;

/// Largest result file in bytes.
const LARGEST_RESULT: u64 = 16 << 20;

/// Is there a template with known places?
///
/// # Errors
///
/// What is wrong with it.
pub fn check(algorithm: &Algorithm) -> Result<(), String> {
    let words = words(template(algorithm)?)?;
    let places = words.iter().flat_map(|word| Parts(word)).filter_map(|part| part.1);
    let places: Vec<&str> = places.collect();
    if let Some(unknown) = places.iter().find(|place| !PLACES.contains(place)) {
        let known = PLACES.map(|place| format!("{{{place}}}")).join(" ");
        return Err(format!("`{{{unknown}}}` in `command`: there are {known}"));
    }
    if places.contains(&"out") {
        Ok(())
    } else {
        Err("`command` lacks {out}, where the program leaves its result".to_owned())
    }
}

fn template(algorithm: &Algorithm) -> Result<&str, String> {
    match algorithm.parameters.get(TEMPLATE) {
        Some(Parameter::Text(template)) => Ok(template),
        Some(_) => Err("`command` is not a text".to_owned()),
        None => Err(format!(
            "`{}` lacks the parameter `command`, such as \"tool {{project}} --seed {{seed}} -o {{out}}\"",
            algorithm.label
        )),
    }
}

/// Splits a template as a shell would, without its other powers.
fn words(template: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in template.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match (quote, words.is_empty()) {
        (Some(quote), _) => Err(format!("`command` has a {quote} without an end")),
        (None, true) => Err("`command` is empty".to_owned()),
        (None, false) => Ok(words),
    }
}

/// The parts of a word from left to right: text, and the place that follows it. A place is
/// a name in braces; other braces are text.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = (&'a str, Option<&'a str>);

    fn next(&mut self) -> Option<(&'a str, Option<&'a str>)> {
        if self.0.is_empty() {
            return None;
        }
        for (open, _) in self.0.match_indices('{') {
            let rest = &self.0[open + 1..];
            let length = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
            if length > 0 && rest[length..].starts_with('}') {
                let text = &self.0[..open];
                self.0 = &rest[length + 1..];
                return Some((text, Some(&rest[..length])));
            }
        }
        Some((std::mem::take(&mut self.0), None))
    }
}

/// Runs programs.
pub struct Program {
    /// Working folders are made in here.
    place: PathBuf,
    limits: Limits,
    project: Arc<[u8]>,
    digest: Option<Digest>,
}

impl Program {
    /// Programs that work in folders below `place`.
    pub fn new(place: &Path, limits: Limits) -> Program {
        Program { place: place.to_owned(), limits, project: Arc::default(), digest: None }
    }

    fn attempt(
        &self,
        spec: &RunSpec,
        folder: &Path,
        watch: &mut dyn FnMut(Live) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let here = |cause: io::Error| RunError::Crashed(format!("{}: {cause}", folder.display()));
        let project = folder.join(format!("project{}", extension(&spec.project_name)));
        let out = folder.join("result.json");
        fs::write(&project, &self.project).map_err(here)?;
        let output = File::create_new(folder.join("output.txt")).map_err(here)?;
        let words = fill(spec, &project, &out).map_err(RunError::Failed)?;
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(here)?)
            .stderr(output.try_clone().map_err(here)?)
            .process_group(0);
        let child = command
            .spawn()
            .map_err(|cause| RunError::Crashed(format!("cannot start {}: {cause}", words[0])))?;
        let mut group = Group(child);
        let kills = || limits::oom_kills(&limits::own_leaf()?);
        let kills_before = kills();
        let status = loop {
            if let Some(status) = group.0.try_wait().map_err(here)? {
                break status;
            }
            if watch(Live::default()).is_break() {
                return Err(RunError::Stopped);
            }
            if self.limits.wall.is_some_and(|wall| start.elapsed() > wall) {
                let seconds = start.elapsed().as_secs();
                return Err(RunError::TimedOut(format!("killed after {seconds} s")));
            }
            std::thread::sleep(LOOK);
        };
        // What the program left behind in its group goes with it.
        drop(group);
        let wall_ms = start.elapsed().as_millis() as u64;
        let told = told(output).unwrap_or_default();
        match read(&out) {
            Ok(result) => record(spec, result, wall_ms)
                .map_err(|flaw| RunError::Crashed(format!("a result that cannot be: {flaw}"))),
            Err(flaw) => {
                let reason = format!("{flaw}; {}", ended(status, &told));
                // One process of the leaf runs programs, and this one is alive.
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

impl Subject for Program {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String> {
        (self.project, self.digest) = (bytes, Some(digest));
        Ok(())
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        watch: &mut dyn FnMut(Live) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        if self.digest != Some(spec.project) {
            return Err(RunError::Failed("another project is loaded".to_owned()));
        }
        check(&spec.algorithm).map_err(RunError::Failed)?;
        let folder = self.place.join(format!("run-{}", spec.id().short()));
        // An earlier attempt may have been killed here.
        let _ = fs::remove_dir_all(&folder);
        let made = fs::create_dir_all(&folder);
        made.map_err(|cause| RunError::Crashed(format!("{}: {cause}", folder.display())))?;
        let ended = self.attempt(spec, &folder, watch);
        let _ = fs::remove_dir_all(&folder);
        ended
    }
}

/// A process and what it started; killed when dropped.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// The extension of a project's name with its dot, if it has a harmless one.
fn extension(name: &str) -> String {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let harmless = |text: &&str| text.len() <= 10 && text.chars().all(char::is_alphanumeric);
    extension.filter(harmless).map(|text| format!(".{text}")).unwrap_or_default()
}

/// The words of a run's command line.
fn fill(spec: &RunSpec, project: &Path, out: &Path) -> Result<Vec<String>, String> {
    let budget = &spec.budget;
    let seconds = budget.wall_ms.map(|ms| ms.div_ceil(1000));
    let limits = [budget.limit(UNITS[0]), budget.limit(UNITS[1]), seconds];
    let first = limits.into_iter().flatten().next().unwrap_or_default();
    let [executions, steps, seconds] = limits.map(|limit| limit.unwrap_or_default().to_string());
    let values = [
        project.display().to_string(),
        spec.algorithm.name.clone(),
        spec.seed.to_string(),
        executions,
        steps,
        seconds,
        first.to_string(),
        out.display().to_string(),
    ];
    let words = words(template(&spec.algorithm)?)?.into_iter();
    let value =
        |place: &str| PLACES.iter().position(|known| *known == place).map_or("", |at| &values[at]);
    let fill = |word: String| {
        let parts = Parts(&word).flat_map(|(text, place)| [text, place.map_or("", value)]);
        parts.collect::<String>()
    };
    Ok(words.map(fill).collect())
}

/// The end of what the program wrote.
fn told(mut output: File) -> io::Result<String> {
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(OUTPUT)))?;
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

fn ended(status: ExitStatus, told: &str) -> String {
    match told.lines().last() {
        Some(last) => format!("the program ended with {status}, its last line: {last}"),
        None => format!("the program ended with {status} and wrote nothing"),
    }
}

/// Keys of a result file.
const KEYS: [&str; 8] =
    ["criteria", "outcome", "reason", "work", "timeline", "suite", "metrics", "artifacts"];

/// Keys of a result file of version 0.3.0, and what they are if left out.
fn defaults_of_format_1() -> [(&'static str, Value); 9] {
    [
        ("reason", json!("")),
        ("executions", json!(0)),
        ("steps", json!(0)),
        ("timeline", json!([])),
        ("suite_tests", json!(0)),
        ("suite_events", json!(0)),
        ("minimised_events", json!(0)),
        ("suite", json!("")),
        ("counts", json!({})),
    ]
}

fn read(out: &Path) -> Result<Map<String, Value>, String> {
    let file = File::open(out).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "the program left no result".to_owned(),
        _ => format!("the result cannot be read: {error}"),
    })?;
    let mut bytes = Vec::new();
    let read = file.take(LARGEST_RESULT + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("the result cannot be read: {error}"))?;
    if bytes.len() as u64 > LARGEST_RESULT {
        return Err(format!("a result of more than {LARGEST_RESULT} bytes"));
    }
    serde_json::from_slice(&bytes).map_err(|error| format!("the result is malformed: {error}"))
}

/// The record of a result file.
fn record(spec: &RunSpec, file: Map<String, Value>, wall_ms: u64) -> Result<RunRecord, String> {
    let mut record = parse(spec, file)?;
    if let Some(unit) = record.work.keys().find(|unit| !UNITS.contains(&unit.as_str())) {
        return Err(format!("unknown unit `{unit}`: there are {}", UNITS.join(" and ")));
    }
    let ascends =
        |pair: &[TimelinePoint]| pair[0].work <= pair[1].work && pair[0].covered < pair[1].covered;
    if !record.timeline.windows(2).all(ascends) {
        return Err("the timeline does not ascend".to_owned());
    }
    if record.timeline.last().is_some_and(|last| last.covered != record.covered()) {
        return Err("the timeline does not end with what is covered".to_owned());
    }
    record.resources = Resources { wall_ms, search_ms: wall_ms, ..Resources::default() };
    Ok(record)
}

/// Reads a result file as a record, of which it is a part.
fn parse(spec: &RunSpec, mut file: Map<String, Value>) -> Result<RunRecord, String> {
    let format_1 = !file.contains_key("criteria");
    let own: Vec<&str> = if format_1 {
        let defaults = defaults_of_format_1();
        let own = defaults.iter().map(|(key, _)| *key).chain(["goals", "covered", "outcome"]);
        let own = own.collect();
        for (key, default) in defaults {
            file.entry(key).or_insert(default);
        }
        own
    } else {
        let format = catherd_experiments::RECORD_FORMAT;
        for (key, default) in [("work", json!({})), ("timeline", json!([]))] {
            file.entry(key).or_insert(default);
        }
        let suite = json!({"tests": 0, "size": 0, "unit": "events", "removed": 0});
        file.entry("suite").or_insert(suite);
        file.insert("format".to_owned(), json!(format));
        KEYS.to_vec()
    };
    if let Some(key) = file.keys().find(|key| !own.contains(&key.as_str()) && *key != "format") {
        return Err(format!("unknown key `{key}`: there are {}", own.join(", ")));
    }
    let sets = match file.get_mut("criteria") {
        Some(Value::Array(criteria)) => {
            criteria.iter_mut().filter_map(|one| one.get_mut("covered")).collect()
        }
        _ => file.get_mut("covered").into_iter().collect::<Vec<_>>(),
    };
    for covered in sets.into_iter().filter_map(Value::as_array_mut) {
        covered.sort_unstable_by_key(Value::as_u64);
    }
    let goals = match file.get("criteria") {
        Some(criteria) => criteria.get(0).and_then(|first| first.get("goals")),
        None => file.get("goals"),
    };
    let none = goals.and_then(Value::as_u64) == Some(0);
    file.entry("outcome").or_insert(json!(if none { Outcome::NoGoals } else { Outcome::Done }));
    file.insert("run".to_owned(), json!(spec.id()));
    file.insert("resources".to_owned(), json!(Resources::default()));
    file.insert("provenance".to_owned(), json!(catherd_experiments::Provenance::default()));
    let mut record =
        RunRecord::deserialize(Value::Object(file)).map_err(|error| error.to_string())?;
    if format_1 && let Some(only) = record.criteria.first_mut() {
        only.name = CRITERION.to_owned();
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use catherd_experiments::{Budget, Criterion};

    use super::*;

    fn spec(command: &str) -> RunSpec {
        let mut algorithm = Algorithm::plain("mio");
        algorithm.parameters.insert(TEMPLATE.into(), Parameter::Text(command.into()));
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
    fn result_files_of_both_formats_are_read() {
        let read = |text: &str| record(&spec("x {out}"), serde_json::from_str(text).unwrap(), 9);
        let old = r#"{"goals": 20, "covered": [3, 0], "executions": 7, "steps": 0,
            "timeline": [{"executions": 1, "steps": 0, "wall_ms": 12, "covered": 2}],
            "suite_tests": 1, "suite_events": 5, "counts": {"lines": 40}}"#;
        let new = r#"{"criteria": [{"name": "goals", "goals": 20, "covered": [0, 3]}],
            "work": {"executions": 7, "steps": 0},
            "timeline": [{"work": [1, 0], "wall_ms": 12, "covered": 2}],
            "suite": {"tests": 1, "size": 5, "unit": "events", "removed": 0},
            "metrics": {"lines": 40}}"#;
        let record = read(new).unwrap();
        assert_eq!(read(old).unwrap(), record);
        assert_eq!((record.covered(), record.work["executions"]), (2, 7));
        assert_eq!(
            read(r#"{"criteria": [], "outcome": "failed"}"#).unwrap().outcome,
            Outcome::Failed
        );
        for (text, flaw) in [
            (r#"{"criteria": [], "suites": 1}"#, "unknown key `suites`"),
            (r#"{"goals": 2, "covered": [], "work": {}}"#, "unknown key `work`"),
            (r#"{"criteria": [], "work": {"meters": 3}}"#, "unknown unit `meters`"),
            (r#"{"covered": []}"#, "missing field `goals`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(flaw), "{error}");
        }
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
        // Gone, or a zombie that nobody has collected yet. A signal takes its time.
        let dead = || fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        let patience = Instant::now() + Duration::from_secs(10);
        while !dead() {
            assert!(Instant::now() < patience, "{:?}", fs::read_to_string(&stat));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn templates_are_checked() {
        let flaw = |command: &str| check(&spec(command).algorithm).unwrap_err();
        assert!(flaw("tool {oops} {out}").contains("there are {project}"));
        assert!(flaw("tool {seed}").contains("lacks {out}"));
        assert!(flaw("tool 'x {out}").contains("without an end"));
        assert!(flaw(" ").contains("empty"));
        assert!(check(&Algorithm::plain("x")).unwrap_err().contains("lacks the parameter"));
        assert_eq!(words(r#"a "b c"'d' ''"#).unwrap(), ["a", "b cd", ""]);
    }
}
