//! Compares pages of the documentation with the code.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use catherd_experiments::{Study, StudyError};
use catherd_scratch_mutation::Operator;
use clap::{Arg, Command, CommandFactory};

use super::{pages, parts, read, root, shown};
use crate::Cli;
use crate::failure::{ENVIRONMENT, EXIT_CODES};
use crate::help::GROUPS;
use crate::subjects;
use catherd_analysis_results::contents;

fn commands_page() -> String {
    let mut page =
        "# Commands\n\nEvery command with its arguments and flags, from the program's own help. \
                    The `--help` of a command has examples as well. This page is generated: \
                    `CATHERD_WRITE_DOCS=1 cargo test -p catherd commands_page`.\n"
            .to_owned();
    page = wrap(&page);
    let program = Cli::command();
    for group in &GROUPS {
        let _ = write!(page, "\n## {}\n", group.title);
        for name in group.commands {
            describe(program.find_subcommand(name).unwrap(), "catherd", &mut page);
        }
    }
    for (heading, section) in [("Exit codes", EXIT_CODES), ("Environment", ENVIRONMENT)] {
        let lines = section.lines().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line));
        let lines = lines.collect::<Vec<_>>().join("\n");
        let _ = write!(page, "\n## {heading}\n\n```text\n{lines}\n```\n");
    }
    page
}

fn describe(command: &Command, parent: &str, page: &mut String) {
    if command.get_name() == "help" {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let level = "#".repeat(2 + name.matches(' ').count());
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n{level} {name}\n\n{}", wrap(&sentence(&about)));
    let arguments: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    let arguments: Vec<&Arg> = arguments
        .into_iter()
        .filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()))
        .collect();
    if !arguments.is_empty() {
        page.push_str("\n| argument | meaning |\n| --- | --- |\n");
    }
    for argument in arguments {
        let _ = writeln!(page, "| `{}` | {} |", spelling(argument), meaning(argument));
    }
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        describe(command, &name, page);
    }
}

/// The first line of a help text lacks the full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    format!("{text}{}\n", if text.ends_with('.') { "" } else { "." })
}

fn wrap(text: &str) -> String {
    let mut wrapped = String::new();
    for paragraph in text.trim_end().split('\n') {
        let mut width = 0;
        for word in paragraph.split(' ') {
            if width > 0 && width + 1 + word.chars().count() > 100 {
                wrapped.push('\n');
                width = 0;
            } else if width > 0 {
                wrapped.push(' ');
                width += 1;
            }
            wrapped.push_str(word);
            width += word.chars().count();
        }
        wrapped.push('\n');
    }
    wrapped
}

fn spelling(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let values = names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" ");
    let Some(long) = argument.get_long() else { return values };
    let short = argument.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let takes = argument.get_action().takes_values();
    format!("{short}--{long}{}", if takes { format!(" {values}") } else { String::new() })
}

fn meaning(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let mut text = help.replace('\n', " ");
    let defaults = argument.get_default_values();
    if !defaults.is_empty() && argument.get_action().takes_values() {
        let values: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        let _ = write!(text, " [default: {}]", values.join(" "));
    }
    if let Some(variable) = argument.get_env() {
        let _ = write!(text, " [env: {}]", variable.to_string_lossy());
    }
    text.replace('|', "\\|").replace('<', "\\<")
}

#[test]
fn commands_page_is_current() {
    let file = root().join("docs/reference/commands.md");
    let page = commands_page();
    if std::env::var_os("CATHERD_WRITE_DOCS").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let found = read(&file);
    let differing = found.lines().zip(page.lines()).find(|(found, page)| found != page);
    assert!(
        found == page,
        "docs/reference/commands.md differs from the program: {differing:?}; write it with \
         CATHERD_WRITE_DOCS=1 cargo test -p catherd commands_page"
    );
}

/// Returns the keys that a part of a study file may have, from the error about an unknown key.
fn keys(text: &str) -> Vec<String> {
    let refused = Study::parse(text, Path::new("study.toml")).expect_err("an unknown key");
    let StudyError::Invalid { problem, advice, .. } = refused else { panic!("{refused}") };
    assert_eq!(problem, "unknown key", "{text}");
    if let Some(only) = advice.strip_suffix("`: there is no other") {
        return vec![only.trim_start_matches("write `").to_owned()];
    }
    let (_, list) = advice.split_once("use one of ").expect("a list of keys");
    list.split(", ").map(str::to_owned).collect()
}

/// Returns the first cells of table rows that begin with code.
fn first_cells(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect()
}

const STUDY: &str = "projects = [\"p\"]\nalgorithms = [\"a\"]\nseeds = 1\n";

#[test]
fn every_key_of_a_study_file_is_documented_and_exists() {
    let budget = "[budget]\nexecutions = 1\nwall = \"1s\"\n";
    let parts = [
        ("", format!("unknown = 1\n{STUDY}{budget}")),
        ("projects.", format!("{}{budget}", STUDY.replace("[\"p\"]", "{ unknown = 1 }"))),
        (
            "projects.synthetic.",
            format!("{}{budget}", STUDY.replace("[\"p\"]", "{ synthetic = { unknown = 1 } }")),
        ),
        ("algorithms.", format!("{}{budget}", STUDY.replace("[\"a\"]", "[{ unknown = 1 }]"))),
        ("mutation.", format!("{STUDY}{budget}[mutation]\nunknown = 1\n")),
        ("race.", format!("{STUDY}{budget}[race]\nunknown = 1\n")),
        ("stop.", format!("{STUDY}{budget}[stop]\nunknown = 1\n")),
    ];
    let known = parts
        .iter()
        .flat_map(|(prefix, text)| keys(text).into_iter().map(move |key| format!("{prefix}{key}")));
    let mut known: BTreeSet<String> = known.collect();
    // Limits are real time and the units of work of the subject kind.
    known.extend(["budget.wall", "budget.wall_ms"].map(str::to_owned));
    let units = subjects::kinds().default_kind().info().units;
    known.extend(units.into_iter().map(|unit| format!("budget.{}", unit.name)));
    let documented = first_cells(&read(&root().join("docs/reference/study-file.md")));
    let differing: Vec<_> = documented.symmetric_difference(&known).collect();
    assert!(differing.is_empty(), "documented or known, but not both: {differing:?}");
}

/// Parses every study file on the pages. Required keys that an excerpt lacks are added first.
#[test]
fn study_files_on_pages_are_read() {
    let mut checked = 0;
    for page in pages() {
        let text = read(&page);
        let blocks = parts(&text).filter(|(code, _)| *code);
        for block in blocks.filter_map(|(_, part)| part.strip_prefix("toml\n")) {
            let lacks = |key: &str| {
                !block.lines().any(|line| {
                    line.starts_with(&format!("{key} =")) || line.starts_with(&format!("[[{key}]]"))
                })
            };
            let mut study: String = STUDY
                .lines()
                .filter(|line| lacks(line.split(' ').next().unwrap()))
                .flat_map(|line| [line, "\n"])
                .collect();
            study.push_str(block);
            if !block.contains("[budget]") {
                study.push_str("[budget]\nexecutions = 1\n");
            }
            let read = Study::parse(&study, Path::new("study.toml"));
            assert!(read.is_ok(), "{}: {}\n{study}", shown(&page), read.unwrap_err());
            checked += 1;
        }
    }
    assert!(checked >= 6, "{checked}");
}

#[test]
fn every_file_of_a_results_folder_is_documented() {
    let page = read(&root().join("docs/reference/results-folder.md"));
    let is_documented =
        |name: &&str| page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}/"));
    let missing: Vec<&str> = contents().filter(|name| !is_documented(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn mutation_operators_are_documented_as_in_the_program() {
    let page = read(&root().join("docs/reference/mutation-operators.md")).replace('`', "");
    for operator in Operator::ALL {
        let (name, title, change) = (operator.name(), operator.title(), operator.change());
        let row = format!("| {name} | {title} | {change} |");
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn the_glossary_is_sorted_and_has_the_states_of_runs() {
    let text = read(&root().join("docs/glossary.md"));
    let terms = text.lines().filter_map(|line| line.strip_prefix("**")?.split("**").next());
    let terms: Vec<String> = terms.map(str::to_lowercase).collect();
    assert!(terms.is_sorted(), "{terms:?}");
    for term in ["pending", "leased", "done", "failed", "quarantined", "engine id", "run id"] {
        assert!(terms.iter().any(|known| known == term), "{term}");
    }
}
