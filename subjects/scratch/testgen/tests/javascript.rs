//! Tests of exported suites on the original Scratch VM and in the original Whisker. All tests need
//! `node`. The tests on the VM need a folder with `scratch-vm` and `scratch-storage`
//! (`CATHERD_NODE_MODULES`), and a folder with `@scratch/scratch-vm` (`CATHERD_SCRATCH_VM`). The
//! tests in Whisker need a built checkout (`CATHERD_WHISKER`) and a Chromium (`CHROME_BIN`, by
//! default `/usr/bin/chromium`).

#![allow(clippy::print_stdout)] // A test prints measurements.

use std::fs::Permissions;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use catherd_scratch_sb3::Project;
use catherd_scratch_testgen::{Assertions, GenerationSettings, Prepared, Request};
use catherd_scratch_vm::Compat;
use catherd_search::Budget;

fn generate(project: &Project, seed: u64) -> catherd_scratch_suite::Suite {
    generate_for(project, seed, Compat::Of2022)
}

fn generate_for(project: &Project, seed: u64, compat: Compat) -> catherd_scratch_suite::Suite {
    let mut settings = GenerationSettings::default();
    settings.machine.compat = compat;
    let prepared = Prepared::new(project, settings).unwrap();
    let budget = Budget { executions: Some(60), ..Budget::default() };
    let mut request = Request::new("mio", &[], seed, budget).unwrap();
    request.assertions = Some(Assertions::default());
    prepared.generate(&request, |_| ControlFlow::Continue(())).suite
}

/// The demo projects that do not sense rendering. The driver executes only these, because it has
/// no renderer.
const BLIND: [&str; 7] =
    ["apple-catch", "combination-lock", "kiosk", "seedling", "sketchpad", "spirograph", "story"];

fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo")
}

#[test]
#[ignore = "needs node"]
fn exported_suites_parse() {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(demo()).unwrap() {
        let project = entry.unwrap().path();
        if !project.is_dir() {
            continue;
        }
        let suite = generate(&Project::read(&project).unwrap(), 1);
        let file = folder.path().join("suite.js");
        std::fs::write(&file, suite.to_javascript()).unwrap();
        let check = Command::new("node").arg("--check").arg(&file).output().unwrap();
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    }
}

#[test]
#[ignore = "needs node and CATHERD_NODE_MODULES"]
fn exported_suites_pass_on_the_original_machine() {
    let modules = std::env::var_os("CATHERD_NODE_MODULES")
        .expect("CATHERD_NODE_MODULES names a folder with scratch-vm");
    all_pass(Path::new(&modules), Compat::Of2022);
}

#[test]
#[ignore = "needs node and CATHERD_SCRATCH_VM"]
fn exported_suites_pass_on_the_machine_of_today() {
    let modules = std::env::var_os("CATHERD_SCRATCH_VM")
        .expect("CATHERD_SCRATCH_VM names a folder with @scratch/scratch-vm");
    all_pass(Path::new(&modules), Compat::Today);
}

fn all_pass(modules: &Path, compat: Compat) {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whisker/driver.js");
    let folder = tempfile::tempdir().unwrap();
    for project in BLIND.map(|name| demo().join(name)) {
        let suite = generate_for(&Project::read(&project).unwrap(), 1, compat);
        assert_eq!(suite.machine.compat, compat);
        let file = folder.path().join("suite.js");
        std::fs::write(&file, suite.to_javascript()).unwrap();
        let archive = folder.path().join("project.sb3");
        std::fs::write(&archive, catherd_scratch_sb3::pack(&project).unwrap()).unwrap();
        let mut node = Command::new("node");
        node.arg(&driver).args([modules, &archive, &file]);
        if compat == Compat::Today {
            node.arg("today");
        }
        let output = node.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["tests"], suite.tests.len(), "{}", project.display());
        assert_eq!(report["unmet"], serde_json::json!([]), "{}", project.display());
        assert_eq!(report["passed"], report["tests"], "{}", project.display());
    }
}

struct Job {
    project: PathBuf,
    file: PathBuf,
    suite: catherd_scratch_suite::Suite,
    /// The names that the original Whisker gives the goals, in the order of the goals' numbers.
    goals: Vec<String>,
}

impl Job {
    fn new(folder: &Path, project: &Path) -> Job {
        let name = project.file_stem().unwrap().to_string_lossy().into_owned();
        let model = Project::read(project).unwrap();
        let suite = generate(&model, 1);
        let file = folder.join(format!("{name}.js"));
        std::fs::write(&file, suite.to_javascript()).unwrap();
        let archive = folder.join(format!("{name}.sb3"));
        if project.is_dir() {
            std::fs::write(&archive, catherd_scratch_sb3::pack(project).unwrap()).unwrap();
        } else {
            std::fs::copy(project, &archive).unwrap();
        }
        let goals = catherd_scratch_suite::goals::find(&model, Default::default());
        let named = |goal: &catherd_scratch_sb3::BlockNo| {
            let (target, block) = model.locate(*goal);
            let target = &model.targets[target];
            format!("{}-{}", target.blocks[block as usize].id, target.name)
        };
        Job { project: archive, file, suite, goals: goals.iter().map(named).collect() }
    }

    /// The names of the goals that the suite covers, and not only by chance.
    fn robust(&self) -> Vec<&str> {
        let tests = self.suite.tests.iter();
        let goals = tests.flat_map(|test| test.covers.iter().filter(|g| !test.chance.contains(g)));
        let mut goals: Vec<_> = goals.map(|goal| self.goals[*goal as usize].as_str()).collect();
        goals.sort_unstable();
        goals.dedup();
        goals
    }
}

/// Accelerations of the original, each with a different seed.
const ACCELERATIONS: [u32; 3] = [50, 10, 1];

/// Executes suites in the original under three seeds, each at a different acceleration. Returns the
/// counts of passed tests and of all tests, and the counts of covered robust goals and of all
/// robust goals.
fn in_the_original(jobs: &[Job]) -> ([usize; 2], [usize; 2]) {
    let checkout = std::env::var_os("CATHERD_WHISKER").expect("CATHERD_WHISKER names a checkout");
    let browser = std::env::var_os("CHROME_BIN").unwrap_or_else(|| "/usr/bin/chromium".into());
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whisker/original.js");
    let mut node = Command::new("node");
    node.arg(&driver).arg(checkout).arg(browser);
    let mut node = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = node.stdin.take().unwrap();
    for job in jobs {
        for (seed, acceleration) in ACCELERATIONS.into_iter().enumerate() {
            let (project, suite) = (&job.project, &job.file);
            let line = serde_json::json!({
                "project": project, "suite": suite, "seed": seed, "acceleration": acceleration,
            });
            writeln!(input, "{line}").unwrap();
        }
    }
    drop(input);
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    let (mut passed, mut covered) = ([0, 0], [0, 0]);
    let lines = std::str::from_utf8(&output.stdout).unwrap().lines();
    for (line, job) in lines.zip(jobs.iter().flat_map(|job| [job; ACCELERATIONS.len()])) {
        let result: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = job.file.display();
        assert!(result["failed"].is_null(), "{name}: {result}");
        assert_eq!(result["goals"], job.goals.len(), "{name}");
        let tests = result["tests"].as_array().unwrap();
        assert_eq!(tests.len(), job.suite.tests.len(), "{name}");
        for test in tests {
            assert_ne!(test["outcome"], "error", "{name}: {test}");
            passed[0] += usize::from(test["outcome"] == "pass");
            passed[1] += 1;
        }
        let blocks = result["covered"].as_array().unwrap();
        let robust = job.robust();
        covered[0] += robust.iter().filter(|goal| blocks.iter().any(|b| b == **goal)).count();
        covered[1] += robust.len();
    }
    (passed, covered)
}

/// The demo projects and, if there is a corpus, the example projects of Whisker.
fn examples() -> Vec<PathBuf> {
    let mut projects: Vec<_> =
        std::fs::read_dir(demo()).unwrap().map(|e| e.unwrap().path()).collect();
    if let Some(corpus) = std::env::var_os("CATHERD_CORPUS") {
        let examples = Path::new(&corpus).join("whisker-examples");
        projects.extend(std::fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path()));
    }
    projects.retain(|path| path.is_dir() || path.extension().is_some_and(|name| name == "sb3"));
    projects.sort();
    projects
}

/// Executes suites with the command of Whisker, at two accelerations, each with a separate seed.
/// Returns the counts of passed tests and of all tests, and the counts of covered blocks and of all
/// robust goals, because the command does not name the covered blocks.
fn with_the_servant(jobs: &[Job]) -> ([usize; 2], [usize; 2]) {
    let checkout = std::env::var_os("CATHERD_WHISKER").expect("CATHERD_WHISKER names a checkout");
    let browser = std::env::var_os("CHROME_BIN").unwrap_or_else(|| "/usr/bin/chromium".into());
    // Start the browser with a script that adds a flag without which newer browsers have no WebGL,
    // because the command cannot pass flags.
    let folder = tempfile::tempdir().unwrap();
    let with_webgl = folder.path().join("browser");
    let script = "#!/bin/sh\nexec \"$BROWSER\" --enable-unsafe-swiftshader \"$@\"\n";
    std::fs::write(&with_webgl, script).unwrap();
    std::fs::set_permissions(&with_webgl, Permissions::from_mode(0o755)).unwrap();
    let (mut passed, mut covered) = ([0, 0], [0, 0]);
    for job in jobs {
        for (acceleration, seed) in [("10", "0"), ("1", "1")] {
            let table = job.file.with_extension(format!("{acceleration}.csv"));
            let mut node = Command::new("node");
            node.current_dir(&checkout).args(["servant/servant.js", "run", "--headless"]);
            node.args(["--acceleration", acceleration, "--seed", seed, "--scratch-path"]);
            node.arg(&job.project).arg("--test-path").arg(&job.file).arg("--csv-file").arg(&table);
            node.env("CHROME_BIN", &with_webgl).env("BROWSER", &browser);
            node.env("NODE_ENV", "production");
            let name = job.file.display();
            // Repeat the command, because it writes no table if it reads the page between its two
            // outputs.
            let text = (0..5).find_map(|_| {
                node.output().unwrap();
                std::fs::read_to_string(&table).ok()
            });
            let text = text.unwrap_or_else(|| panic!("{name}: no table in five executions"));
            let lines: Vec<Vec<&str>> =
                text.lines().map(|line| line.split(',').collect()).collect();
            let count = |column: &str| -> usize {
                let at = lines[0].iter().position(|name| *name == column).unwrap();
                lines[1][at].parse().unwrap()
            };
            let tests = count("passed") + count("failed") + count("error") + count("skip");
            assert_eq!(tests, job.suite.tests.len(), "{name}: {text}");
            assert_eq!(count("totalBlocks"), job.goals.len(), "{name}: {text}");
            if count("passed") < tests {
                println!("{name} at acceleration {acceleration}: {text}");
            }
            passed[0] += count("passed");
            passed[1] += tests;
            covered[0] += count("coveredBlocks").min(job.robust().len());
            covered[1] += job.robust().len();
        }
    }
    (passed, covered)
}

#[test]
#[ignore = "needs node, chromium and CATHERD_WHISKER"]
fn exported_suites_pass_with_the_servant() {
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<_> = examples().iter().map(|project| Job::new(folder.path(), project)).collect();
    let (passed, covered) = with_the_servant(&jobs);
    println!("{passed:?} tests passed, {covered:?} robust goals covered");
    let most = |[some, all]: [usize; 2]| some * 100 >= all * 99;
    assert!(most(passed), "{passed:?} tests passed");
    assert!(most(covered), "{covered:?} robust goals covered");
}

#[test]
#[ignore = "needs node, chromium and CATHERD_WHISKER"]
fn exported_suites_pass_in_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<_> = examples().iter().map(|project| Job::new(folder.path(), project)).collect();
    let (passed, covered) = in_the_original(&jobs);
    let most = |[some, all]: [usize; 2]| some * 100 >= all * 99;
    assert!(most(passed), "{passed:?} tests passed");
    assert!(most(covered), "{covered:?} robust goals covered");
}
