//! A quiz service as a system under test: sessions, a course, a quiz with questions, and attempts.

use std::collections::BTreeSet;

use crate::events::{Event, FieldValue};

use super::{Answer, CommandError, System};

/// The service, with or without the race between questions and attempts.
#[derive(Clone, Debug)]
pub(super) struct Quiz {
    race: bool,
    state: State,
}

#[derive(Clone, Debug, Default)]
struct State {
    sessions: BTreeSet<String>,
    /// Open forms, by object and fields.
    forms: BTreeSet<String>,
    /// Forms that were opened before the first attempt was submitted.
    opened_before_attempt: BTreeSet<String>,
    roles: BTreeSet<String>,
    course: bool,
    quiz: bool,
    questions: BTreeSet<String>,
    attempts: u32,
    /// The names of the last two events.
    before: [String; 2],
}

impl Quiz {
    pub(super) fn new(race: bool) -> Quiz {
        Quiz { race, state: State::default() }
    }
}

impl System for Quiz {
    fn reset(&mut self) -> Result<(), CommandError> {
        self.state = State::default();
        Ok(())
    }

    fn execute(&mut self, event: &Event) -> Result<Answer, CommandError> {
        let answer = self.state.execute(event, self.race);
        self.state.before.rotate_left(1);
        self.state.before[1].clone_from(&event.name);
        Ok(match answer {
            Ok(answer) => answer,
            Err(why) => Answer::Failed(format!("{}: {why}", event.name)),
        })
    }
}

fn field(event: &Event, name: &str) -> String {
    event.field(name).map(FieldValue::to_string).unwrap_or_default()
}

impl State {
    fn execute(&mut self, event: &Event, race: bool) -> Result<Answer, &'static str> {
        let holds = |condition: bool, text| if condition { Ok(()) } else { Err(text) };
        let Some((object, action)) = event.name.split_once('.') else {
            return Ok(Answer::Skipped);
        };
        let fields: Vec<String> =
            event.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let form = format!("{object} {}", fields.join(" "));
        match (object, action) {
            ("Session", "Start") => {
                holds(self.sessions.insert(field(event, "s")), "the session has begun already")?;
            }
            ("Session", "End") => {
                holds(self.sessions.remove(&field(event, "s")), "there is no such session")?;
            }
            (_, "Begin" | "Start") => {
                self.permitted(object)?;
                if object == "AnswerQuestion" {
                    let known = self.questions.contains(&field(event, "question"));
                    holds(known, "there is no such question")?;
                }
                if self.attempts == 0 {
                    self.opened_before_attempt.insert(form.clone());
                }
                self.forms.insert(form);
            }
            (_, "Submit") => {
                self.permitted(object)?;
                holds(self.forms.remove(&form), "the form was not opened")?;
                match object {
                    "AddCourse" => self.course = true,
                    "EnrollUser" => {
                        self.roles.insert(field(event, "role"));
                    }
                    "AddQuiz" => self.quiz = true,
                    "AddQuestion" if self.attempts > 0 => {
                        // An attempt was submitted between opening the form and submitting it.
                        let between = ["AddQuestion.Start", "AnswerQuestion.Submit"];
                        if race
                            && self.before == between
                            && self.opened_before_attempt.contains(&form)
                        {
                            return Err("an exception, not a refusal");
                        }
                        // The question is not added, as the model expects.
                    }
                    "AddQuestion" => {
                        self.questions.insert(field(event, "question"));
                    }
                    "AnswerQuestion" => self.attempts += 1,
                    _ => return Ok(Answer::Skipped),
                }
            }
            _ => return Ok(Answer::Skipped),
        }
        Ok(Answer::Done)
    }

    fn permitted(&self, object: &str) -> Result<(), &'static str> {
        let (session, ready) = match object {
            "AddCourse" => ("admin", true),
            "EnrollUser" => ("admin", self.course),
            "AddQuiz" => ("teacher", self.roles.contains("Teacher")),
            "AddQuestion" => ("teacher", self.quiz),
            _ => ("student", self.roles.contains("Student")),
        };
        match (self.sessions.contains(session), ready) {
            (true, true) => Ok(()),
            (false, _) => Err("the user has no session"),
            (true, false) => {
                Err("the course, the quiz or the role that this event needs does not exist")
            }
        }
    }
}
