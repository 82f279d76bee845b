//! Confirmation of suites in Node.js: assertions that differ there are rewritten, and tests without
//! stable results are dropped.

mod file;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use catherd_javascript_classes::machine::{Argument, Statement};
use catherd_javascript_classes::{
    Code, DATA, RELOAD, Suite, SuiteTest, adopt, asserted_of, code_of_constant, names_of_script,
};
use catherd_search::Stream;
use serde_json::{Value, json};

const EXECUTIONS: usize = 3;

/// Time zones of the executions, so that local times do not agree by chance.
const ZONES: [&str; EXECUTIONS] = ["UTC", "America/New_York", "Asia/Kolkata"];

/// Time without an answer after which a process is killed.
const SILENCE: Duration = Duration::from_secs(10);

/// The oldest version of Node.js in which suites are confirmed.
const OLDEST: u32 = 20;

/// From this version on, the option for permissions is not experimental.
const PERMISSIONS: u32 = 24;

const ORDER: u64 = 43;

const HARNESS: &str = include_str!("confirmation/harness.js");

const TYPED: &str = include_str!("confirmation/typed.js");

/// The option that permits the threads in which Node.js executes hooks for loading modules.
const WORKERS: &str = "--allow-worker";

/// Node.js on this computer.
#[derive(Clone, Debug)]
pub struct Node {
    program: PathBuf,
    /// The version, such as `20.11.1`.
    version: String,
    major: u32,
}

/// The reason why a suite was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotConfirmed(String);

/// The changes that confirmation has made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmation {
    /// The version of Node.js.
    pub version: String,
    /// Number of assertions that were rewritten.
    pub rewritten: usize,
    /// The number of each dropped test in the original suite, with the reason.
    pub dropped: Vec<(usize, String)>,
}

impl Node {
    /// Checks that a program is Node.js 20 or later.
    ///
    /// # Errors
    /// If the program cannot be executed or is not Node.js 20 or later.
    pub fn find(program: &Path) -> Result<Node, NotConfirmed> {
        let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
        let output = output.map_err(|error| {
            NotConfirmed(format!("{} cannot be executed ({error})", program.display()))
        })?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.trim().trim_start_matches('v').to_owned();
        let major = version.split('.').next().and_then(|major| major.parse().ok());
        match major {
            Some(major) if major >= OLDEST => {
                Ok(Node { program: program.to_owned(), version, major })
            }
            _ => Err(NotConfirmed(format!(
                "{} is not Node.js {OLDEST} or later ({version})",
                program.display()
            ))),
        }
    }

    /// Whether the test runner of this Node.js compares values with snapshots.
    pub fn has_snapshots(&self) -> bool {
        let minor = self.version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
        self.major > 22 || self.major == 22 && minor.is_some_and(|minor| minor >= 3)
    }

    /// Executes all tests of a suite several times in Node.js, rewrites assertions that differ
    /// there, and drops tests that cannot be confirmed. `folder` is the folder of the code.
    ///
    /// # Errors
    /// If Node.js cannot be started or executes no test.
    pub fn confirm(
        &self,
        suite: &mut Suite,
        code: &Code,
        folder: &Path,
    ) -> Result<Confirmation, NotConfirmed> {
        let subject = folder.join(&code.subject);
        let subject = subject.canonicalize().unwrap_or(subject);
        let root = folder.join(&code.root);
        let root = root.canonicalize().unwrap_or(root);
        let job = json!({
            "root": format!("{}/", root.display()),
            "subject": subject.display().to_string(),
            "module": code.module,
            "script": code.script,
            "namespace": code.namespace,
            "names": names_of_script(suite),
            "typed": typed(code, &root),
            "tests": suite.tests.iter().map(described).collect::<Vec<_>>(),
        });
        let current = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        // Use different folders, so that results that depend on the folder differ.
        let above = current.parent().unwrap_or(&current);
        let folders: [&Path; EXECUTIONS] =
            [&current, above, current.ancestors().last().unwrap_or(above)];
        let mut executions = Vec::new();
        for (number, zone) in ZONES.iter().enumerate() {
            let mut order: Vec<usize> = (0..suite.tests.len()).collect();
            let mut stream = Stream::new(suite.seed.wrapping_add(number as u64), ORDER);
            for at in (1..order.len()).rev() {
                order.swap(at, stream.below(at as u64 + 1) as usize);
            }
            executions.push(self.execute(&job, order, zone, folders[number])?);
        }
        let mut confirmation =
            Confirmation { version: self.version.clone(), ..Confirmation::default() };
        let places = [current.display().to_string(), root.display().to_string()];
        let mut kept = Vec::new();
        for (number, mut test) in std::mem::take(&mut suite.tests).into_iter().enumerate() {
            let agreed = agreed(&executions, number, &test, code).and_then(|shown| {
                let asserted = asserted_of(&test, &shown["values"], &shown["after"], code);
                match places.iter().any(|place| mentions(&asserted, place)) {
                    true => Err("a result with the folder of the execution".to_owned()),
                    false => Ok(shown),
                }
            });
            match agreed {
                Ok(shown) => {
                    let (values, after) = (&shown["values"], &shown["after"]);
                    let of = |test: &SuiteTest| {
                        asserted_of(test, &json!(test.assertions), &json!(test.after), code)
                    };
                    let before = of(&test);
                    let changed = adopt(&mut test, values, after);
                    confirmation.rewritten += if of(&test) == before { 0 } else { changed };
                    kept.push(test);
                }
                Err(reason) => confirmation.dropped.push((number, reason)),
            }
        }
        suite.tests = kept;
        Ok(confirmation)
    }

    /// Returns the result of each test by its number.
    fn execute(
        &self,
        job: &Value,
        mut order: Vec<usize>,
        zone: &str,
        folder: &Path,
    ) -> Result<BTreeMap<usize, Value>, NotConfirmed> {
        let mut shown = BTreeMap::new();
        while !order.is_empty() {
            let begun = self.process(job, &order, zone, folder, &mut shown)?;
            // Drop the test that ended or blocked its process, so that it is not executed again.
            let before = order.len();
            if let Some(number) = begun.filter(|number| !shown.contains_key(number)) {
                let reason = "the process ends or hangs";
                shown.insert(number, json!({"dropped": reason}));
            }
            order.retain(|number| !shown.contains_key(number));
            if order.len() == before {
                return Err(NotConfirmed("Node.js executes no test".to_owned()));
            }
        }
        Ok(shown)
    }

    /// Executes tests in one process. Returns the number of the test that began last.
    fn process(
        &self,
        job: &Value,
        order: &[usize],
        zone: &str,
        folder: &Path,
        shown: &mut BTreeMap<usize, Value>,
    ) -> Result<Option<usize>, NotConfirmed> {
        let mut job = job.clone();
        job["order"] = json!(order);
        job["token"] = json!(token());
        let (mut script, mut options) = (String::new(), Vec::new());
        if job["module"] == true {
            options.push(WORKERS.to_owned());
            script += "const { register } = require('node:module');\n";
            script += RELOAD;
        }
        script += &format!("{DATA}\n{TYPED}\n{HARNESS}");
        let mut begun = None;
        let mut said = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let word = words.next();
            let number = words.next().and_then(|number| number.parse::<usize>().ok());
            match (word, number) {
                (Some("begin"), number) => begun = number,
                (Some("end"), Some(number)) => {
                    let result = words.next().and_then(|text| serde_json::from_str(text).ok());
                    shown.insert(number, result.unwrap_or(Value::Null));
                }
                (Some("done"), _) => return ControlFlow::Break(()),
                _ => {}
            }
            ControlFlow::Continue(())
        };
        self.script(&script, &options, &job, (Some(zone), folder), &mut said)?;
        Ok(begun)
    }

    /// Executes a script in a process until the process ends, `said` breaks, or no line with the
    /// token is written for [`SILENCE`]. Returns whether the process ended by itself.
    fn script(
        &self,
        script: &str,
        options: &[String],
        job: &Value,
        (zone, folder): (Option<&str>, &Path),
        said: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<bool, NotConfirmed> {
        let failed = |error: std::io::Error| NotConfirmed(format!("Node.js: {error}"));
        let permission =
            if self.major >= PERMISSIONS { "--permission" } else { "--experimental-permission" };
        let mut child = Command::new(&self.program)
            // Allow reading files, but not writing files or starting processes.
            .args([permission, "--allow-fs-read=*", "--no-warnings"])
            .args(options)
            .args(["-e", script])
            .current_dir(folder)
            .envs(zone.map(|zone| ("TZ", zone)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (mut input, output) = (child.stdin.take(), child.stdout.take());
        let sent = job.to_string();
        let writer = thread::spawn(move || {
            // Ignore the error: if the process has ended, the missing results are noticed later.
            input.take().map(|mut input| input.write_all(sent.as_bytes()))
        });
        let (sender, lines) = mpsc::channel();
        let reader = thread::spawn(move || {
            let Some(output) = output else { return };
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let token = token();
        let mut last = Instant::now();
        let ended = loop {
            let Some(left) = SILENCE.checked_sub(last.elapsed()) else { break false };
            match lines.recv_timeout(left) {
                Ok(line) => {
                    let Some(line) = line.strip_prefix(&token).map(str::trim) else { continue };
                    last = Instant::now();
                    if said(line).is_break() {
                        break false;
                    }
                }
                Err(reason) => break reason == RecvTimeoutError::Disconnected,
            }
        };
        let _ = child.kill();
        let _ = child.wait();
        drop(lines);
        let _ = (writer.join(), reader.join());
        Ok(ended)
    }
}

/// The prefix of lines that are meant for this program.
fn token() -> String {
    format!("catherd-{}", std::process::id())
}

fn typed(code: &Code, root: &Path) -> Value {
    let place = |path: &str| root.join(path).display().to_string();
    let files = code.typed.iter().map(|file| {
        let requests =
            file.requests.iter().map(|(request, path)| (request.clone(), json!(place(path))));
        let requests: serde_json::Map<String, Value> = requests.collect();
        let described = json!({"text": file.text, "module": file.module, "requests": requests});
        (place(&file.path), described)
    });
    Value::Object(files.collect())
}

fn described(test: &SuiteTest) -> Value {
    let pending = test.assertions.iter().map(|expected| expected["type"] == "promise");
    let statement = |statement: &Statement| {
        let mut described = statement.to_json();
        with_code(&mut described["arguments"]);
        described
    };
    json!({
        "statements": test.statements.iter().map(statement).collect::<Vec<_>>(),
        "pending": pending.collect::<Vec<_>>(),
        "after": test.after.iter().map(|state| !state.is_null()).collect::<Vec<_>>(),
    })
}

fn with_code(arguments: &mut Value) {
    let code = Argument::from_json(arguments).and_then(|argument| code_of_constant(&argument));
    if let Value::Array(items) = arguments {
        items.iter_mut().for_each(with_code);
        items.extend(code.map(Value::from));
    }
}

/// Returns the result of a test if all executions agree on the values that the code asserts.
fn agreed(
    executions: &[BTreeMap<usize, Value>],
    number: usize,
    test: &SuiteTest,
    code: &Code,
) -> Result<Value, String> {
    let mut results = executions.iter().map(|shown| shown.get(&number).unwrap_or(&Value::Null));
    let first = results.next().unwrap_or(&Value::Null);
    for result in std::iter::once(first).chain(results.clone()) {
        if let Some(reason) = result["dropped"].as_str() {
            return Err(reason.to_owned());
        }
    }
    let asserted = |result: &Value| asserted_of(test, &result["values"], &result["after"], code);
    let shown = asserted(first);
    if results.any(|result| asserted(result) != shown) || first["values"].is_null() {
        return Err("results that differ between executions".to_owned());
    }
    Ok(first.clone())
}

fn mentions(data: &Value, folder: &str) -> bool {
    match data {
        Value::String(text) => folder.len() > 1 && text.contains(folder),
        Value::Array(items) => items.iter().any(|item| mentions(item, folder)),
        Value::Object(members) => members.values().any(|item| mentions(item, folder)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_the_folder_are_found_in_data() {
        let data = json!([{"object": {"path": {"string": "/home/a/list/x"}}}]);
        assert!(mentions(&data, "/home/a/list"));
        assert!(!mentions(&data, "/home/b") && !mentions(&data, "/"));
    }
}
