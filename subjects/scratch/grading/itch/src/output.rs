//! Judgements: the commands of the partial format, and the tree of the full format.

use catherd_scratch_grading_report::without_lone_surrogates;
use serde_json::{Map, Value, json};

/// Maximum size of the commands of a judgement, in bytes.
const SIZE_LIMIT: usize = 16 << 20;

/// The message at the limit.
const FULL: &str = "(the output is full; what follows is left out)";

/// The message for a command that cannot be read.
const UNREADABLE: &str = "a command is left out, because its values are nested too deeply";

/// Maximum number of groups within each other.
const MAX_GROUPS: usize = 500;

/// Maximum size of a message that explains a status after the limit, in bytes.
const EXPLANATION_LIMIT: usize = 64 << 10;

/// The status of a test or judgement. The variants are in order from the best to the worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// All checks succeeded.
    #[default]
    Correct,
    /// A check failed.
    Wrong,
    /// An action of the schedule took too long, or a counted limit was reached.
    TimeLimit,
    /// The plan threw an error in a phase.
    Testplan,
    /// The plan threw an error in the schedule.
    Internal,
}

impl Status {
    /// All statuses.
    pub const ALL: [Status; 5] =
        [Status::Correct, Status::Wrong, Status::TimeLimit, Status::Testplan, Status::Internal];

    /// The name of the status in the formats.
    pub fn name(self) -> &'static str {
        match self {
            Status::Correct => "correct",
            Status::Wrong => "wrong",
            Status::TimeLimit => "time limit exceeded",
            Status::Testplan => "testplan error",
            Status::Internal => "internal error",
        }
    }

    /// Plans may close tests with any string; unknown strings mean wrong.
    pub(crate) fn named(name: &str) -> Status {
        Status::ALL.into_iter().find(|status| status.name() == name).unwrap_or(Status::Wrong)
    }
}

/// How a judgement ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JudgementEnd {
    /// The judgement was closed without an error of the plan, and no limit was reached.
    Closed,
    /// The plan threw an error in a phase.
    Rejected(String),
    /// The plan threw an error in the schedule.
    Failed(String),
    /// A counted limit was reached.
    Limited(String),
}

/// The result of judging a submission by a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The commands of the partial format, each as JSON on one line.
    pub lines: Vec<String>,
    /// How the judgement ended.
    pub end: JudgementEnd,
    /// Lines that the plan wrote to its console, and warnings about the plan.
    pub log: Vec<String>,
    /// Number of steps of the VM, of 1/60 s each.
    pub steps: u64,
    /// Number of blocks that the VM executed.
    pub blocks: u64,
    /// Whether commands were left out because their size limit was reached.
    pub cut: bool,
}

impl Judgement {
    /// The partial format: one command on each line.
    pub fn partial(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    pub(crate) fn commands(&self) -> impl Iterator<Item = Value> + '_ {
        self.lines.iter().filter_map(|line| serde_json::from_str(line).ok())
    }

    /// The worst status of all tests and of all escalations.
    pub fn status(&self) -> Status {
        let statuses = self.commands().filter_map(|command| {
            let status = command.get("status")?.as_str()?;
            Some(Status::named(status))
        });
        statuses.max().unwrap_or_default()
    }

    /// The number of correct tests and the number of all tests.
    pub fn tests(&self) -> (usize, usize) {
        let closed = self.commands().filter(|command| command["command"] == "close-test");
        closed.fold((0, 0), |(correct, all), test| {
            (correct + usize::from(test["status"] == "correct"), all + 1)
        })
    }

    /// The full format: one object with the whole tree.
    pub fn full(&self) -> Value {
        let mut tree = Tree::default();
        self.commands().for_each(|command| tree.add(&command));
        let (correct, all) = self.tests();
        tree.finish(correct, all)
    }
}

#[derive(Default)]
struct Open {
    fields: Map<String, Value>,
    children: Vec<Value>,
    messages: Vec<Value>,
}

#[derive(Default)]
struct Tree {
    judgement: Open,
    /// The open objects in the judgement, innermost last.
    open: Vec<Open>,
}

impl Tree {
    fn top(&mut self) -> &mut Open {
        self.open.last_mut().unwrap_or(&mut self.judgement)
    }

    fn add(&mut self, command: &Value) {
        let copy = |object: &mut Open, names: &[&str]| {
            for name in names {
                if let Some(value) = command.get(*name) {
                    object.fields.insert((*name).to_owned(), value.clone());
                }
            }
        };
        match command["command"].as_str().unwrap_or_default() {
            "start-group" => {
                let mut group = Open::default();
                copy(&mut group, &["name", "visibility", "sprite"]);
                self.open.push(group);
            }
            "start-test" => {
                let mut test = Open::default();
                copy(&mut test, &["name"]);
                self.open.push(test);
            }
            "append-message" => self.top().messages.push(command["message"].clone()),
            "append-diff" => {
                let diff = json!({
                    "expected": command["expected"], "actual": command["actual"],
                });
                self.top().fields.insert("diff".to_owned(), diff);
            }
            "escalate-status" => {
                let Some(status) = command["status"].as_str() else { return };
                let open = self.open.iter_mut().chain([&mut self.judgement]);
                for object in open {
                    object.fields.insert("status".to_owned(), json!(status));
                }
            }
            "close-test" => {
                if let Some(mut test) = self.open.pop() {
                    let escalated = test.fields.get("status").cloned();
                    copy(&mut test, &["status", "feedback"]);
                    if let Some(status) = escalated {
                        test.fields.insert("status".to_owned(), status);
                    }
                    test.fields.insert("messages".to_owned(), Value::Array(test.messages));
                    self.top().children.push(Value::Object(test.fields));
                }
            }
            "close-group" => {
                if let Some(mut group) = self.open.pop() {
                    copy(&mut group, &["summary"]);
                    let Open { fields, children, messages } = &mut group;
                    fields.insert("messages".to_owned(), Value::Array(std::mem::take(messages)));
                    fields.insert("children".to_owned(), Value::Array(std::mem::take(children)));
                    self.top().children.push(Value::Object(group.fields));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self, correct: usize, all: usize) -> Value {
        while !self.open.is_empty() {
            self.add(&json!({ "command": "close-group" }));
        }
        let Open { mut fields, children, messages } = self.judgement;
        fields.insert("version".to_owned(), json!(2));
        fields.insert("children".to_owned(), json!(children));
        fields.insert("messages".to_owned(), json!(messages));
        fields.insert("meta".to_owned(), json!({ "totalTests": all, "correctTests": correct }));
        Value::Object(fields)
    }
}

#[derive(Default)]
pub(crate) struct Output {
    lines: Vec<String>,
    bytes: usize,
    /// Number of open groups whose opening commands were added.
    groups: usize,
    /// Number of open groups whose opening commands were left out.
    left_out: usize,
    test: bool,
    closed: bool,
    cut: bool,
    /// The worst status in the commands that escalate it.
    escalated: Status,
    /// Whether the last command added a status after the limit, which a message may explain.
    explains: bool,
    log: Vec<String>,
    log_bytes: usize,
    log_limit: usize,
}

impl Output {
    pub(crate) fn new(log_limit: usize) -> Output {
        Output { log_limit, ..Output::default() }
    }

    /// Adds a command. Once the commands exceed 16 MiB, only commands that close objects or make the
    /// status worse are added, with the message after the latter. Lines that are not commands, and
    /// commands after the end of the judgement, are left out. A command with values that are nested
    /// too deeply becomes an internal error, because a test must not disappear.
    pub(crate) fn emit(&mut self, line: String) {
        if self.closed {
            return;
        }
        let line = without_lone_surrogates(line);
        let Ok(command) = serde_json::from_str::<Value>(&line) else {
            let status = Status::Internal.name();
            self.emit(json!({"command": "escalate-status", "status": status}).to_string());
            self.emit(json!({"command": "append-message", "message": UNREADABLE}).to_string());
            return;
        };
        let name = command["command"].as_str();
        let status = command["status"].as_str().map(Status::named).unwrap_or_default();
        self.bytes += line.len();
        let closes = name.is_some_and(|name| name.starts_with("close-"));
        if self.bytes > SIZE_LIMIT && !closes {
            self.leave_out(line, name, status);
            return;
        }
        // Leave out the command that closes an object if the command that opened it was left out.
        match name {
            Some("start-group") if self.groups >= MAX_GROUPS => {
                if self.left_out == 0 {
                    let deep = format!("warning: groups in {MAX_GROUPS} groups are left out");
                    self.log(&deep);
                }
                self.left_out += 1;
                return;
            }
            Some("start-group") => self.groups += 1,
            Some("close-group") if self.left_out > 0 => {
                self.left_out -= 1;
                return;
            }
            Some("close-group") => self.groups = self.groups.saturating_sub(1),
            Some("start-test") => self.test = true,
            Some("close-test") if !self.test && self.cut => {
                self.escalate(status);
                return;
            }
            Some("close-test") => self.test = false,
            Some("close-judgement") => self.closed = true,
            Some("escalate-status") => self.escalated = self.escalated.max(status),
            Some(_) => {}
            None => return,
        }
        self.explains = false;
        self.lines.push(line);
    }

    fn leave_out(&mut self, line: String, name: Option<&str>, status: Status) {
        if !self.cut {
            self.cut = true;
            self.lines.push(json!({"command": "append-message", "message": FULL}).to_string());
        }
        match name {
            Some("start-group") => self.left_out += 1,
            Some("escalate-status") => {
                self.explains = self.escalate(status);
                return;
            }
            Some("append-message") if self.explains && line.len() <= EXPLANATION_LIMIT => {
                self.lines.push(line);
            }
            _ => {}
        }
        self.explains = false;
    }

    /// Adds a status if it is worse than the earlier ones. Returns whether it is.
    fn escalate(&mut self, status: Status) -> bool {
        let worse = status > self.escalated;
        if worse {
            self.escalated = status;
            let status = status.name();
            self.lines.push(json!({"command": "escalate-status", "status": status}).to_string());
        }
        worse
    }

    pub(crate) fn log(&mut self, line: &str) {
        if self.log_bytes > self.log_limit {
            return;
        }
        self.log_bytes += line.len() + 1;
        let full = "(the log is full; what follows is left out)";
        self.log.push(if self.log_bytes > self.log_limit { full } else { line }.to_owned());
    }

    /// Adds a status and a message, and closes all open objects without calling the prelude, which
    /// may have failed.
    pub(crate) fn close(&mut self, status: Status, message: &str) {
        if self.lines.is_empty() {
            self.emit(json!({ "command": "start-judgement", "version": 2 }).to_string());
        }
        self.emit(format!(r#"{{"command":"escalate-status","status":"{}"}}"#, status.name()));
        self.emit(format!(r#"{{"command":"append-message","message":{}}}"#, json!(message)));
        if self.test {
            self.emit(r#"{"command":"close-test","status":"wrong"}"#.to_owned());
        }
        self.left_out = 0;
        for _ in 0..self.groups {
            self.emit(r#"{"command":"close-group"}"#.to_owned());
        }
        self.emit(r#"{"command":"close-judgement"}"#.to_owned());
    }

    pub(crate) fn finish(self, end: JudgementEnd, steps: u64, blocks: u64) -> Judgement {
        let Output { lines, log, cut, .. } = self;
        Judgement { lines, end, log, steps, blocks, cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_nested_too_deeply_is_an_error() {
        let mut output = Output::new(0);
        output.emit(json!({"command": "start-judgement", "version": 2}).to_string());
        let feedback = "[".repeat(200) + &"]".repeat(200);
        let close = format!(r#"{{"command":"close-test","status":"wrong","feedback":{feedback}}}"#);
        output.emit(close);
        let judgement = output.finish(JudgementEnd::Closed, 0, 0);
        assert_eq!(judgement.status(), Status::Internal);
    }

    /// Output with an open group, in which the opening command of another group was left out.
    fn cut() -> Output {
        let mut output = Output::new(0);
        output.emit(json!({"command": "start-judgement", "version": 2}).to_string());
        output.emit(json!({"command": "start-group", "name": "outer"}).to_string());
        let message = "x".repeat(SIZE_LIMIT);
        output.emit(json!({"command": "append-message", "message": message}).to_string());
        output.emit(json!({"command": "start-group", "name": "inner"}).to_string());
        output
    }

    fn children(output: Output) -> Value {
        output.finish(JudgementEnd::Closed, 0, 0).full()["children"].take()
    }

    #[test]
    fn groups_that_are_left_out_close_no_others() {
        let mut output = cut();
        output.emit(json!({"command": "close-group", "summary": "inner"}).to_string());
        output.emit(json!({"command": "close-group", "summary": "outer"}).to_string());
        output.emit(json!({"command": "close-judgement"}).to_string());
        let mut outer = json!({"name": "outer", "summary": "outer", "children": []});
        outer["messages"] = json!([FULL]);
        assert_eq!(children(output), json!([outer]));

        let mut output = cut();
        output.close(Status::Wrong, "");
        let closed = output.lines.iter().filter(|line| line.contains("close-group")).count();
        assert_eq!((closed, output.groups), (1, 0));
    }

    #[test]
    fn groups_in_many_groups_are_left_out() {
        let mut output = Output::new(100);
        output.emit(json!({"command": "start-judgement", "version": 2}).to_string());
        let depth = 20_000;
        for _ in 0..depth {
            output.emit(json!({"command": "start-group", "name": "g"}).to_string());
        }
        output.emit(json!({"command": "start-test", "name": "t"}).to_string());
        output.emit(json!({"command": "close-test", "status": "correct"}).to_string());
        for _ in 0..depth {
            output.emit(json!({"command": "close-group"}).to_string());
        }
        assert_eq!((output.groups, output.left_out, output.log.len()), (0, 0, 1));
        let full = output.finish(JudgementEnd::Closed, 0, 0).full();
        let innermost = (0..MAX_GROUPS).fold(&full, |group, _| &group["children"][0]);
        assert_eq!(innermost["children"][0]["name"], "t");
    }

    #[test]
    fn a_status_after_the_limit_counts_and_is_explained() {
        let mut output = cut();
        output.emit(json!({"command": "start-test", "name": "late"}).to_string());
        output.emit(json!({"command": "close-test", "status": "wrong"}).to_string());
        let judgement = output.finish(JudgementEnd::Closed, 0, 0);
        assert_eq!((judgement.status(), judgement.tests()), (Status::Wrong, (0, 0)));

        let mut output = cut();
        let message =
            |text: &str| json!({"command": "append-message", "message": text}).to_string();
        output.emit(message("left out"));
        output.close(Status::TimeLimit, "too many steps");
        let judgement = output.finish(JudgementEnd::Closed, 0, 0);
        assert_eq!(judgement.status(), Status::TimeLimit);
        let full = judgement.full();
        assert_eq!(full["status"], "time limit exceeded");
        let group = &full["children"][0];
        assert_eq!(group["status"], "time limit exceeded");
        assert_eq!(group["messages"], json!([FULL, "too many steps"]));
        assert!(judgement.cut);
    }
}
