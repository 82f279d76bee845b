//! `catherd test` with a plan for Itch.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_corpora::LoadedProject;
use catherd_scratch_grading_itch::{
    JudgeOptions, Judgement, JudgementEnd, Plan, PlanError, Status, judge,
};
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::output::unwritable;
use super::suite::file_name;
use crate::project;

/// Options of plans for Itch.
#[derive(Args)]
#[command(next_help_heading = "Plans for Itch")]
pub(super) struct PlanChoices {
    /// Language of the sentences that the judge adds to those of the plan
    #[arg(long, value_name = "LANGUAGE", default_value = "en")]
    language: Language,

    /// JSON file with the sentences that a plan looks up with `t`: {"en": {"key": "text"}}
    #[arg(long, value_name = "FILE")]
    translations: Option<PathBuf>,

    /// Check only the code of PROJECT, and do not execute it
    #[arg(long = "static")]
    only_static: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// English
    En,
    /// Dutch
    Nl,
}

pub(crate) struct PlanTests {
    plan: Plan,
    options: JudgeOptions,
    /// The project with which pupils start; `None` if each submission is compared with itself.
    template: Option<LoadedProject>,
}

impl PlanTests {
    pub(super) fn new(arguments: &super::Arguments<'_>, text: &str) -> Result<PlanTests, Failure> {
        let path = arguments.pair.suite.as_path();
        let plan = Plan::new(&file_name(path), text).map_err(|error| plan_failure(path, &error))?;
        let template = arguments.flags.template.as_deref().map(project::open).transpose()?;
        Ok(PlanTests { plan, options: options(arguments)?, template })
    }

    pub(crate) fn for_platform(
        path: &Path,
        text: &str,
        template: Option<&Path>,
        options: JudgeOptions,
    ) -> Result<PlanTests, Failure> {
        let plan = Plan::new(&file_name(path), text).map_err(|error| plan_failure(path, &error))?;
        let template = template.map(project::open).transpose()?;
        Ok(PlanTests { plan, options, template })
    }

    pub(super) fn judge(&self, submission: &LoadedProject) -> Result<Judgement, PlanError> {
        let template = &self.template.as_ref().unwrap_or(submission).project;
        judge(&self.plan, template, &submission.project, &self.options)
    }

    /// Everything on which a judgement depends, except the text of the plan and the submission.
    pub(super) fn inputs(&self) -> String {
        let template = self.template.as_ref().map(|template| hex::encode(template.digest));
        format!("{template:?} {:?}", self.options)
    }
}

pub(super) fn run(arguments: &super::Arguments<'_>, text: &str) -> Result<Exit, Failure> {
    let path = arguments.pair.suite.as_path();
    let plan = PlanTests::new(arguments, text)?;
    let submission = project::open(&arguments.pair.project)?;
    let judgement = plan.judge(&submission).map_err(|error| plan_failure(path, &error))?;
    judgement.log.iter().for_each(|line| terminal::note(line));
    let text = match arguments.flags.json {
        true => format!("{}\n", judgement.full()),
        false => judgement.partial(),
    };
    match &arguments.flags.output {
        Some(file) => fs::write(file, text).map_err(|error| unwritable(file, &error))?,
        None => terminal::print(&text),
    }
    match &judgement.end {
        JudgementEnd::Rejected(message) => {
            let error = Failure::new(format!("{}: {message}", path.display()));
            Err(error.hint("correct the plan"))
        }
        _ if judgement.status() == Status::Correct => Ok(Exit::Success),
        _ => Ok(Exit::Incomplete),
    }
}

fn plan_failure(path: &Path, error: &PlanError) -> Failure {
    let failure = Failure::new(format!("{}: {error}", path.display()));
    match error {
        PlanError::Program(_) => failure.hint("judge another submission, or use --static"),
        _ => failure.hint("correct the plan"),
    }
}

fn options(arguments: &super::Arguments<'_>) -> Result<JudgeOptions, Failure> {
    let PlanChoices { language, translations, only_static } = &arguments.flags.itch;
    let translations = match translations {
        None => Value::Null,
        Some(path) => {
            let failed = |error: &dyn std::fmt::Display| {
                Failure::new(format!("{}: {error}", path.display()))
                    .hint("name a JSON file such as {\"en\": {\"key\": \"text\"}}")
            };
            let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
            serde_json::from_str(&text).map_err(|error| failed(&error))?
        }
    };
    let language = if *language == Language::En { "en" } else { "nl" };
    let default = JudgeOptions::default();
    Ok(JudgeOptions {
        language: language.to_owned(),
        translations,
        seed: arguments.flags.seed.clone().unwrap_or_else(|| default.seed.clone()),
        strict: arguments.flags.javascript.strict,
        only_static: *only_static,
        steps: arguments.flags.steps,
        log_bytes: arguments.flags.javascript.log_bytes().unwrap_or(default.log_bytes),
        ..default
    })
}
