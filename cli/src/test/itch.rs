//! `catherd test` with a plan for Itch.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_datasets::LoadedProject;
use catherd_experiments::Digest;
use catherd_itch::{End, Judgement, Names, Options, Plan, PlanError, Status, judge};
use catherd_test_report::{ProjectReport, Table, TableError};
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde_json::Value;

use super::many;
use crate::failure::{Exit, Failure};
use crate::project;
use crate::terminal;

/// Options of plans for Itch.
#[derive(Args)]
#[command(next_help_heading = "Plans for Itch")]
pub(super) struct PlanChoices {
    /// Language of the judge's own texts
    #[arg(long, value_name = "LANGUAGE", default_value = "nl")]
    language: Language,

    /// Texts for `t` by language and key: a JSON file
    #[arg(long, value_name = "FILE")]
    translations: Option<PathBuf>,

    /// Check the code alone: the program is not executed
    #[arg(long = "static")]
    only_static: bool,
}

/// A language of the judge.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Dutch
    Nl,
    /// English
    En,
}

/// Judges one submission, or a folder of them.
pub(super) fn run(arguments: &super::Arguments, text: &str) -> Result<Exit, Failure> {
    let path = arguments.pair.suite.as_path();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plan = Plan::new(&name, text).map_err(|error| plan_failure(path, &error))?;
    let options = options(arguments)?;
    let template = arguments.template.as_deref().map(project::open).transpose()?;
    let submission = &arguments.pair.project;
    if let Some(paths) = many::projects_in(submission)? {
        if arguments.json {
            let error = Failure::new("--json: a folder of projects gives a table in CSV");
            return Err(error.hint("leave --json out, or name one project"));
        }
        let class = Class { plan: &plan, text, template, options: &options, name: &name };
        return class.judge(&paths);
    }
    let subject = project::open(submission)?;
    let started = &template.as_ref().unwrap_or(&subject).project;
    let judgement = judge(&plan, started, &subject.project, &options)
        .map_err(|error| plan_failure(path, &error))?;
    judgement.log.iter().for_each(|line| terminal::note(line));
    if arguments.json {
        terminal::print(&format!("{}\n", judgement.full()));
    } else {
        terminal::print(&judgement.partial());
    }
    match &judgement.end {
        End::Rejected(message) => {
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

fn options(arguments: &super::Arguments) -> Result<Options, Failure> {
    let PlanChoices { language, translations, only_static } = &arguments.itch;
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
    let default = Options::default();
    Ok(Options {
        language: language.to_owned(),
        translations,
        seed: arguments.seed.clone().unwrap_or(default.seed),
        strict: arguments.javascript.strict,
        only_static: *only_static,
        steps: arguments.steps,
        blocks: default.blocks,
        limits: default.limits,
    })
}

/// What all submissions of a folder are judged by.
struct Class<'a> {
    plan: &'a Plan,
    /// The text of the plan.
    text: &'a str,
    template: Option<LoadedProject>,
    options: &'a Options,
    /// The file name of the plan.
    name: &'a str,
}

impl Class<'_> {
    /// Judges all submissions and prints a table, in the order of the submissions.
    fn judge(&self, paths: &[PathBuf]) -> Result<Exit, Failure> {
        let bar = terminal::bar(paths.len());
        let reports: Vec<(bool, ProjectReport)> = paths
            .par_iter()
            .map(|path| {
                let report = self.report(path);
                bar.inc(1);
                report
            })
            .collect();
        bar.finish_and_clear();
        let mut table = Table::default();
        let mut text = String::new();
        let failed = |error: TableError| Failure::new(format!("the table: {error}"));
        for (_, report) in &reports {
            text += &table.row(report).map_err(failed)?;
        }
        text += &table.end().map_err(failed)?;
        terminal::print(&text);
        let fine = reports.iter().all(|(correct, _)| *correct);
        Ok(if fine { Exit::Success } else { Exit::Incomplete })
    }

    /// The report of a submission, and whether it is correct.
    fn report(&self, path: &Path) -> (bool, ProjectReport) {
        let project = path.display().to_string();
        match self.judgement(path) {
            Ok((judgement, subject)) => {
                let names = Names {
                    project,
                    digest: hex::encode(subject.digest),
                    plan: self.name.to_owned(),
                    inputs: self.inputs(&subject),
                };
                let correct = judgement.status() == Status::Correct;
                (correct, ProjectReport::Executed(judgement.report(names)))
            }
            Err(reason) => (false, ProjectReport::Unusable { project, reason }),
        }
    }

    fn judgement(&self, path: &Path) -> Result<(Judgement, LoadedProject), String> {
        let subject = project::open(path).map_err(|failure| failure.cause().to_owned())?;
        let template = &self.template.as_ref().unwrap_or(&subject).project;
        let judgement = judge(self.plan, template, &subject.project, self.options);
        Ok((judgement.map_err(|error| error.to_string())?, subject))
    }

    /// SHA-256 of all inputs of a judgement.
    fn inputs(&self, subject: &LoadedProject) -> String {
        let template = self.template.as_ref().unwrap_or(subject);
        let options = format!("{:?}", self.options);
        let parts =
            [&template.digest[..], &subject.digest, self.text.as_bytes(), options.as_bytes()];
        Digest::of_parts(parts).to_string()
    }
}
