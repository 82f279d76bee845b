//! Conversion of judgements to reports of tests.

use catherd_scratch_grading_report::{
    Feedback, Group, Limit, Status as Verdict, SuiteFacts, SuiteReport, TestReport, Visibility,
};
use serde_json::Value;

use crate::output::{Judgement, JudgementEnd, Status};

/// The names and digests of a report that are not part of the judgement.
#[derive(Clone, Debug, Default)]
pub struct ReportNames {
    /// The submission as the user named it.
    pub project: String,
    /// SHA-256 of the submission in hexadecimal digits.
    pub digest: String,
    /// The file name of the plan.
    pub plan: String,
    /// SHA-256 of all inputs in hexadecimal digits.
    pub inputs: String,
}

impl Judgement {
    /// The judgement as a report. What no test of the plan shows, such as an error of the plan,
    /// becomes an additional test.
    pub fn report(&self, names: ReportNames) -> SuiteReport {
        let ReportNames { project, digest, plan, inputs } = names;
        let mut builder = Builder {
            report: SuiteReport {
                project,
                digest,
                suite: plan,
                inputs,
                groups: Vec::new(),
                tests: Vec::new(),
                facts: SuiteFacts::default(),
                messages: Vec::new(),
                coverage: None,
                steps_per_second: 60,
            },
            open: Vec::new(),
            test: None,
        };
        self.commands().for_each(|command| builder.add(&command));
        builder.close_test(Verdict::Fail);
        let mut report = builder.report;
        let (name, message) = match &self.end {
            JudgementEnd::Closed => (None, ""),
            JudgementEnd::Rejected(message) => (Some(Status::Testplan.name()), message.as_str()),
            JudgementEnd::Failed(message) => (Some(Status::Internal.name()), message.as_str()),
            JudgementEnd::Limited(message) => (Some(Status::TimeLimit.name()), message.as_str()),
        };
        let escalated = self.status();
        let name = name.or_else(|| {
            let worse = escalated > Status::Wrong;
            worse.then(|| escalated.name())
        });
        if let Some(name) = name {
            let mut test = TestReport::new(Some("judgement".to_owned()), Verdict::Error);
            test.error = name.to_owned();
            test.message = message.to_owned();
            if escalated == Status::TimeLimit {
                test.limits.push(Limit::Time);
            }
            report.tests.push(test);
        } else if escalated == Status::Wrong && report.passed() {
            report.tests.push(TestReport::new(Some("judgement".to_owned()), Verdict::Fail));
        }
        if let Some(test) = report.tests.last_mut() {
            (test.steps, test.blocks) = (self.steps, self.blocks);
            test.log.extend(self.log.iter().cloned());
            if self.cut {
                test.limits.push(Limit::Output);
            }
        }
        report
    }
}

struct Builder {
    report: SuiteReport,
    /// The open groups, innermost last.
    open: Vec<usize>,
    test: Option<TestReport>,
}

fn text(command: &Value, name: &str) -> Option<String> {
    Some(match command.get(name)? {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

impl Builder {
    fn add(&mut self, command: &Value) {
        match command["command"].as_str().unwrap_or_default() {
            "start-group" => {
                let tags = command["tags"].as_array().into_iter().flatten();
                self.report.groups.push(Group {
                    name: text(command, "name").unwrap_or_default(),
                    parent: self.open.last().copied(),
                    sprite: text(command, "sprite"),
                    visibility: match command["visibility"].as_str() {
                        Some("summary") => Visibility::Summary,
                        Some("hide") => Visibility::Hide,
                        _ => Visibility::Show,
                    },
                    tags: tags.filter_map(|tag| Some(tag.as_str()?.to_owned())).collect(),
                    summary: None,
                });
                self.open.push(self.report.groups.len() - 1);
            }
            "close-group" => {
                self.close_test(Verdict::Fail);
                if let Some(group) = self.open.pop() {
                    self.report.groups[group].summary = text(command, "summary");
                }
            }
            "start-test" => {
                self.close_test(Verdict::Fail);
                let mut test = TestReport::new(text(command, "name"), Verdict::Fail);
                test.group = self.open.last().copied();
                self.test = Some(test);
            }
            "append-message" => {
                let said = Feedback::pupil(text(command, "message").unwrap_or_default());
                match &mut self.test {
                    Some(test) => test.feedback.push(said),
                    None => self.report.messages.push(said),
                }
            }
            "append-diff" => {
                if let Some(test) = &mut self.test {
                    test.expected = command.get("expected").cloned();
                    test.actual = command.get("actual").cloned();
                }
            }
            "close-test" => {
                if let (Some(test), Some(said)) = (&mut self.test, text(command, "feedback")) {
                    test.feedback.insert(0, Feedback::pupil(said));
                }
                let status = command["status"].as_str().map_or(Status::Wrong, Status::named);
                self.close_test(match status {
                    Status::Correct => Verdict::Pass,
                    Status::Wrong => Verdict::Fail,
                    _ => Verdict::Error,
                });
            }
            _ => {}
        }
    }

    fn close_test(&mut self, verdict: Verdict) {
        if let Some(mut test) = self.test.take() {
            test.status = verdict;
            self.report.tests.push(test);
        }
    }
}
