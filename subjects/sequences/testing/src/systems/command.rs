//! Programs as systems under test: JSON, one message per line, on standard input and output.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use catherd_platform::{kill_group, new_group};
use serde::Deserialize;
use serde_json::json;

use crate::events::Event;

use super::{Answer, System};

/// Maximum length of an answer, in bytes.
const LONGEST: usize = 1 << 20;

/// Capacity of the queue of messages to the program, and of the queue of its answers. The queues of
/// a program that answers each message never contain more than one message.
const MAX_WAITING: usize = 16;

/// The reason why a program cannot be used as a system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{program}: {cause}")]
pub struct CommandError {
    /// The program.
    pub program: String,
    /// What is wrong, in one line.
    pub cause: String,
}

/// A program, which is killed when this value is dropped. A reset starts it again if it was killed.
pub(super) struct Command {
    program: Vec<String>,
    limit: Duration,
    running: Option<Running>,
    /// The events that the last answer named as next.
    next: Option<Vec<String>>,
    /// Reached goals that the caller has not taken yet.
    reached: BTreeSet<String>,
}

/// Maximum number of goals that are kept until they are taken.
const MAX_GOALS: usize = 1 << 20;

/// Maximum number of next events that are kept from an answer.
const MAX_NEXT: usize = 10_000;

struct Running {
    child: Child,
    messages: SyncSender<String>,
    answers: Receiver<Vec<u8>>,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    ok: Option<bool>,
    #[serde(default)]
    why: String,
    #[serde(default)]
    skip: bool,
    #[serde(default)]
    next: Option<Vec<String>>,
    #[serde(default)]
    coverage: Vec<Goal>,
}

impl Reply {
    fn parse(answer: &[u8]) -> Result<Reply, String> {
        let text = String::from_utf8_lossy(answer);
        // In an answer of the maximum length, the last character may be incomplete.
        if answer.len() < LONGEST && std::str::from_utf8(answer).is_err() {
            return Err(format!("the answer `{}` is not UTF-8", shown(&text)));
        }
        serde_json::from_str(&text)
            .map_err(|_| format!("the answer `{}` is not understood", shown(&text)))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Goal {
    Name(String),
    Number(i64),
}

impl Command {
    pub(super) fn start(program: &[String], limit: Duration) -> Result<Command, CommandError> {
        let mut command = Command {
            program: program.to_vec(),
            limit,
            running: None,
            next: None,
            reached: BTreeSet::new(),
        };
        command.running = Some(command.launch()?);
        Ok(command)
    }

    fn error(&self, cause: impl Into<String>) -> CommandError {
        let program = self.program.first().cloned().unwrap_or_default();
        CommandError { program, cause: cause.into() }
    }

    fn launch(&self) -> Result<Running, CommandError> {
        let Some((program, arguments)) = self.program.split_first() else {
            return Err(self.error("no program is named"));
        };
        let mut command = std::process::Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child =
            new_group(&mut command).spawn().map_err(|cause| self.error(cause.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(self.error("no pipes"));
        };
        let (messages, waiting) = sync_channel(MAX_WAITING);
        let (send, answers) = sync_channel(MAX_WAITING);
        std::thread::spawn(move || write(input, &waiting));
        std::thread::spawn(move || read(output, &send));
        Ok(Running { child, messages, answers })
    }

    /// The error is the reason why no answer can be read.
    fn ask(&mut self, message: &serde_json::Value) -> Result<Reply, String> {
        self.next = None;
        let Some(running) = &mut self.running else { return Err("the program has ended".into()) };
        let mut line = message.to_string();
        line.push('\n');
        if let Ok(answer) = running.answers.try_recv() {
            self.end();
            let answer = String::from_utf8_lossy(&answer);
            return Err(format!("the answer `{}` came before its message", shown(&answer)));
        }
        if let Err(TrySendError::Full(_)) = running.messages.try_send(line) {
            self.end();
            return Err("the program does not read its input".to_owned());
        }
        let answer = match running.answers.recv_timeout(self.limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                self.end();
                return Err(format!("no answer within {} ms", self.limit.as_millis()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.end();
                return Err("the program ended or closed its output".to_owned());
            }
        };
        let mut reply = Reply::parse(&answer)?;
        if let Some(next) = &mut reply.next {
            next.truncate(MAX_NEXT);
        }
        self.next = reply.next.take();
        for goal in reply.coverage.drain(..) {
            if self.reached.len() == MAX_GOALS {
                break;
            }
            self.reached.insert(match goal {
                Goal::Name(name) => shown(&name),
                Goal::Number(number) => number.to_string(),
            });
        }
        Ok(reply)
    }

    /// Kills the process group of the program.
    fn end(&mut self) {
        if let Some(mut running) = self.running.take() {
            drop(running.messages);
            // Ignore the error: the process group may already have exited.
            let _ = kill_group(&mut running.child);
            let _ = running.child.wait();
        }
    }
}

/// Runs in a separate thread, because writing blocks if the program does not read.
fn write(mut input: ChildStdin, messages: &Receiver<String>) {
    for message in messages {
        if input.write_all(message.as_bytes()).and_then(|()| input.flush()).is_err() {
            break;
        }
    }
}

/// Runs in a separate thread, and waits while the queue of answers is full.
fn read(output: ChildStdout, answers: &SyncSender<Vec<u8>>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while let Ok(1..) = Read::take(&mut output, LONGEST as u64).read_until(b'\n', &mut line) {
        if answers.send(std::mem::take(&mut line)).is_err() {
            break;
        }
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        self.end();
    }
}

impl System for Command {
    fn reset(&mut self) -> Result<(), CommandError> {
        if self.running.is_none() {
            self.running = Some(self.launch()?);
        }
        match self.ask(&json!({"reset": true})) {
            Ok(Reply { ok: Some(true), .. }) => Ok(()),
            Ok(_) => Err(self.error("the answer to a reset is not {\"ok\": true}")),
            Err(cause) => Err(self.error(format!("reset: {cause}"))),
        }
    }

    fn execute(&mut self, event: &Event) -> Result<Answer, CommandError> {
        let fields: serde_json::Map<_, _> =
            event.fields.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        Ok(match self.ask(&json!({"event": event.name, "fields": fields})) {
            Ok(Reply { skip: true, .. }) => Answer::Skipped,
            Ok(Reply { ok: Some(true), .. }) => Answer::Done,
            Ok(Reply { ok: Some(false), why, .. }) => {
                Answer::Failed(format!("{}: {}", event.name, shown(&why)))
            }
            Ok(_) => Answer::Broken(format!("{}: the answer has no `ok`", event.name)),
            Err(cause) => Answer::Broken(format!("{}: {cause}", event.name)),
        })
    }

    fn next(&self) -> Option<&[String]> {
        self.next.as_deref()
    }

    fn take_reached(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.reached)
    }
}

/// The beginning of a string from outside, on one line, for messages and names of goals.
fn shown(text: &str) -> String {
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn cause(script: &str) -> String {
        let program = ["sh", "-c", script].map(str::to_owned);
        let mut command = Command::start(&program, Duration::from_secs(60)).unwrap();
        command.reset().unwrap_err().cause
    }

    #[test]
    fn output_that_is_not_utf8_is_distinguished_from_the_end_of_output() {
        let wrong = cause("read line; printf '\\377\\n'; exec sleep 100");
        assert_eq!(wrong, "reset: the answer `\u{fffd}` is not UTF-8");
        let closed = cause("read line; exec sleep 100 >&-");
        assert_eq!(closed, "reset: the program ended or closed its output");
    }
}
