//! The function that judges a submission by a plan.

use std::rc::Rc;

use catherd_javascript_engine::{Engine, Host, LogLevel};
use catherd_scratch_sb3::Project;

use crate::machine::Shared;
use crate::options::JudgeOptions;
use crate::output::{Judgement, JudgementEnd, Status};
use crate::plan::{Plan, PlanError};
use crate::session::Course;

/// Judges a submission that began as a copy of a template.
///
/// # Errors
/// If the submission cannot be judged by the plan.
pub fn judge(
    plan: &Plan,
    template: &Project,
    submission: &Project,
    options: &JudgeOptions,
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
    if let JudgementEnd::Limited(message) = &end {
        output.close(Status::TimeLimit, message);
    }
    // In strict mode, the judgement stays open after an error in a phase, as in the original.
    if let (JudgementEnd::Rejected(message), false) = (&end, options.strict) {
        output.close(Status::Testplan, message);
    }
    Ok(output.finish(end, shared.steps.get(), blocks))
}
