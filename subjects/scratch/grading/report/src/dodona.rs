//! The output of a judge for the learning platform Dodona, in its partial format: one command on
//! each line.

use serde_json::{Value, json};

use crate::report::{Audience, Feedback, Limit, Status, SuiteReport, TestReport, Visibility};

/// Writes a report as the commands of a judge. Each top-level group is a tab, and all tests outside
/// groups are in one additional tab. A group in a tab, or a test directly in a tab, is a context.
pub fn dodona(report: &SuiteReport) -> String {
    let mut commands = vec![json!({ "command": "start-judgement" })];
    for said in &report.messages {
        commands.push(append(said));
    }
    let outside: Vec<usize> = tests_of(report, None);
    if !outside.is_empty() {
        tab(report, &report.suite, false, &outside, &mut commands);
    }
    for (number, group) in report.groups.iter().enumerate() {
        if group.parent.is_none() {
            let hidden = group.visibility == Visibility::Hide;
            tab(report, &group.name, hidden, &tests_of(report, Some(number)), &mut commands);
        }
    }
    commands.push(json!({ "command": "close-judgement" }));
    commands.iter().map(|command| format!("{command}\n")).collect()
}

fn tests_of(report: &SuiteReport, top: Option<usize>) -> Vec<usize> {
    let is = |at: &usize| groups_of(report, &report.tests[*at]).first().copied() == top;
    (0..report.tests.len()).filter(is).collect()
}

/// The groups that contain a test, the outermost first.
fn groups_of(report: &SuiteReport, test: &TestReport) -> Vec<usize> {
    let (mut groups, mut group) = (Vec::new(), test.group);
    while let Some((at, found)) = group.and_then(|at| Some((at, report.groups.get(at)?))) {
        groups.push(at);
        group = found.parent.filter(|parent| *parent < at);
    }
    groups.reverse();
    groups
}

fn tab(
    report: &SuiteReport,
    title: &str,
    hidden: bool,
    tests: &[usize],
    commands: &mut Vec<Value>,
) {
    let accepted = |at: &usize| accepted(&report.tests[*at]);
    let mut start = json!({ "command": "start-tab", "title": title });
    if hidden && tests.iter().all(accepted) {
        start["hidden"] = json!(true);
    }
    commands.push(start);
    let mut open: Option<usize> = None;
    for at in tests {
        let test = &report.tests[*at];
        let groups = groups_of(report, test);
        let inner = groups.get(1).copied();
        if inner.is_none() || inner != open {
            if open.is_some() {
                commands.push(json!({ "command": "close-context" }));
            }
            let names = report.path(*at);
            let description = inner.map_or(names.last(), |group| Some(&report.groups[group].name));
            commands.push(json!({ "command": "start-context", "description": description }));
            open = inner;
        }
        // Groups inside the context become part of the name.
        let path = report.path(*at);
        let shown = path[groups.len().min(2).min(path.len() - 1)..].join(" / ");
        testcase(test, &shown, commands);
        if inner.is_none() {
            commands.push(json!({ "command": "close-context" }));
        }
    }
    if open.is_some() {
        commands.push(json!({ "command": "close-context" }));
    }
    let wrong = tests.iter().filter(|at| !accepted(at)).count();
    commands.push(json!({ "command": "close-tab", "badgeCount": wrong }));
}

fn testcase(test: &TestReport, description: &str, commands: &mut Vec<Value>) {
    let shown = |value: &Option<Value>| match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    commands.push(json!({ "command": "start-testcase", "description": description }));
    commands.push(json!({ "command": "start-test", "expected": shown(&test.expected) }));
    if !test.message.is_empty() {
        commands.push(append(&Feedback::pupil(&test.message)));
    }
    if let Some(at) = test.location {
        commands.push(append(&Feedback::teacher(format!("line {} of the suite", at.line))));
    }
    test.feedback.iter().for_each(|said| commands.push(append(said)));
    let status = status(test);
    commands.push(json!({
        "command": "close-test",
        "generated": shown(&test.actual),
        "accepted": accepted(test),
        "status": { "enum": status, "human": status },
    }));
    commands.push(json!({ "command": "close-testcase" }));
}

fn append(said: &Feedback) -> Value {
    let permission = match said.audience {
        Audience::Pupil => "student",
        Audience::Teacher => "staff",
    };
    json!({
        "command": "append-message",
        "message": { "format": "plain", "description": said.text, "permission": permission },
    })
}

fn accepted(test: &TestReport) -> bool {
    matches!(test.status, Status::Pass | Status::Skip)
}

/// The word of the platform for the status of a test. Limits count only for tests that ended with
/// an error.
fn status(test: &TestReport) -> &'static str {
    let met = |limit| test.limits.contains(&limit);
    match test.status {
        Status::Pass | Status::Skip => "correct",
        Status::Fail => "wrong",
        Status::Error if met(Limit::Time) => "time limit exceeded",
        Status::Error if met(Limit::Memory) => "memory limit exceeded",
        Status::Error if met(Limit::Output) => "output limit exceeded",
        Status::Error => "runtime error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn commands_are_nested_and_name_the_statuses() {
        let text = dodona(&samples::report());
        let commands: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut open = Vec::new();
        for command in &commands {
            let name = command["command"].as_str().unwrap();
            if let Some(what) = name.strip_prefix("start-") {
                open.push(what);
            } else if let Some(what) = name.strip_prefix("close-") {
                assert_eq!(open.pop(), Some(what), "{text}");
            }
        }
        assert!(open.is_empty());
        let of = |name: &str| {
            commands.iter().filter(|command| command["command"] == name).collect::<Vec<_>>()
        };
        let tabs: Vec<_> = of("start-tab").iter().map(|tab| tab["title"].clone()).collect();
        assert_eq!(tabs, ["tests.js", "Cat"]);
        // A hidden tab is shown, because a test in it fails.
        assert!(of("start-tab").iter().all(|tab| tab.get("hidden").is_none()));
        let badges: Vec<_> = of("close-tab").iter().map(|tab| tab["badgeCount"].clone()).collect();
        assert_eq!(badges, [1, 1]);
        let statuses: Vec<_> =
            of("close-test").iter().map(|test| test["status"]["enum"].clone()).collect();
        assert_eq!(statuses, ["correct", "time limit exceeded", "correct", "wrong"]);
        assert_eq!(of("start-context").last().unwrap()["description"], "walks");
        assert_eq!(of("start-test").last().unwrap()["expected"], "2");
        let staff = of("append-message").iter().any(|m| m["message"]["permission"] == "staff");
        assert!(staff);
    }
}
