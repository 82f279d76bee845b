//! The course of a judgement.

use std::rc::Rc;

use catherd_javascript_engine::{Engine, Host, Limits, LogLevel};
use catherd_scratch_sb3::Project;

use crate::machine::Shared;
use crate::output::{End, Judgement, Status};
use crate::plan::{Plan, PlanError};
use crate::session::Course;

/// How a submission is judged. All options influence the judgement.
#[derive(Clone, Debug)]
pub struct Options {
    /// Language of the texts of the judge itself: `nl` or `en`.
    pub language: String,
    /// Texts for `t`, by language and key: a JSON object.
    pub translations: serde_json::Value,
    /// The text that seeds `Math.random` and the random blocks.
    pub seed: String,
    /// Quirks of the original: what is thrown in a phase ends the commands, groups whose wrong
    /// tests are ignored share one buffer, messages may be objects.
    pub strict: bool,
    /// Only the phase before the execution: no machine is made.
    pub only_static: bool,
    /// Most steps of the machine, of 1/60 s each.
    pub steps: u64,
    /// Most blocks that the machine executes.
    pub blocks: u64,
    /// Most bytes of lines that the plan writes to its console.
    pub log_bytes: usize,
    /// Limits of the plan.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            language: "nl".to_owned(),
            translations: serde_json::Value::Null,
            seed: "itch-judge".to_owned(),
            strict: false,
            only_static: false,
            steps: 200_000,
            blocks: 400_000_000,
            log_bytes: 1 << 20,
            limits: Limits { turn: 5_000, test: 20_000, memory: 256 << 20, ..Limits::default() },
        }
    }
}

/// Judges a submission that began as a copy of a template.
///
/// # Errors
/// If the plan cannot be loaded, or the submission cannot be compiled. What the plan throws later
/// is part of the judgement.
pub fn judge(
    plan: &Plan,
    template: &Project,
    submission: &Project,
    options: &Options,
) -> Result<Judgement, PlanError> {
    let shared = Rc::new(Shared::new(submission, template, options));
    let (random, log) = (Rc::clone(&shared), Rc::clone(&shared));
    let host = Host {
        random: Box::new(move || random.random.borrow_mut().draw()),
        log: Box::new(move |level, line| {
            let line = match level {
                LogLevel::Info => line.to_owned(),
                LogLevel::Warning => format!("warning: {line}"),
                LogLevel::Error => format!("error: {line}"),
            };
            log.output.borrow_mut().log(&line);
        }),
        ..Host::default()
    };
    let stopped = |error: &dyn std::fmt::Display| PlanError::Stopped(error.to_string());
    let engine = Engine::new(options.limits, host).map_err(|error| stopped(&error))?;
    shared.clock.replace(Some(Rc::clone(engine.clock())));
    let course = engine.enter(|session| Course::run(session, &shared, plan));
    let end = course.map_err(|error| stopped(&error))??;
    let blocks = shared.with_vm(|vm| vm.executed_blocks()).unwrap_or(0);
    let mut output = shared.output.take();
    if let End::Limited(message) = &end {
        output.close(Status::TimeLimit, message);
    }
    // In strict mode an error in a phase leaves the judgement open.
    if let (End::Rejected(message), false) = (&end, options.strict) {
        output.close(Status::Testplan, message);
    }
    Ok(output.finish(end, shared.steps.get(), blocks))
}
