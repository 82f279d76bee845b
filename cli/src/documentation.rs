//! What people are told to type, against what the program takes: README, `docs/`, `deploy/` and
//! the examples of every `--help`.

use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory, Parser};

use crate::Cli;

/// The commands of a line of shell, each as its words.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let (mut word, mut quote) = (None::<String>, None);
    for char in line.chars().chain(['\n']) {
        match (quote, char) {
            (Some(open), _) if char == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | '&' | ';' | '<' | '>') => {
                all.last_mut().unwrap().extend(word.take());
                all.push(Vec::new());
            }
            (None, _) if char.is_whitespace() => all.last_mut().unwrap().extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    all.last_mut().unwrap().extend(word);
    all.retain(|words| words.first().is_some_and(|first| first == "catherd"));
    all
}

/// Why the program would not take one of the commands of these lines; how many there are.
fn whole(lines: &str, flaws: &mut Vec<String>) -> usize {
    let joined = lines.replace("\\\n", " ");
    let commands: Vec<_> = joined.lines().flat_map(commands).collect();
    for words in &commands {
        if let Err(refusal) = Cli::try_parse_from(words)
            && refusal.use_stderr()
        {
            flaws.push(format!("{}\n  {}", words.join(" "), refusal.kind()));
        }
    }
    commands.len()
}

/// The same of a command that is only mentioned: its subcommands and flags are there.
fn mentioned(words: &[String], flaws: &mut Vec<String>) {
    let root = Cli::command();
    let mut command = &root;
    for word in &words[1..] {
        let flag = word.strip_prefix("--").map(|flag| flag.split('=').next().unwrap());
        let known = match flag {
            Some("help") => true,
            Some(flag) => command.get_arguments().any(|known| known.get_long() == Some(flag)),
            None => match command.find_subcommand(word) {
                Some(found) => {
                    command = found;
                    true
                }
                // An argument, or the end of the sentence.
                None => !command.has_subcommands(),
            },
        };
        if !known {
            flaws.push(format!("{}\n  there is no {word}", words.join(" ")));
        }
    }
}

/// The examples of a command and of all below it.
fn examples(command: &Command, flaws: &mut Vec<String>) -> usize {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let below = command.get_subcommands().map(|command| examples(command, flaws));
    let below: usize = below.sum();
    below + whole(&lines.join("\n"), flaws)
}

#[test]
fn commands_in_documents_and_examples_are_taken() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![top.join("README.md")];
    for folder in ["docs", "deploy"] {
        let entries = fs::read_dir(top.join(folder)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()));
    }
    let (mut flaws, mut checked) = (Vec::new(), 0);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let before = flaws.len();
        // Every second part is code in a block of its own.
        for (number, part) in text.split("\n```").enumerate() {
            if number % 2 == 1 {
                checked += whole(part, &mut flaws);
                continue;
            }
            let spans = part.split('`').skip(1).step_by(2);
            for words in spans.flat_map(|span| commands(&span.replace('\n', " "))) {
                mentioned(&words, &mut flaws);
                checked += 1;
            }
            // In other files than Markdown these are comments.
            let comments = part.lines().filter_map(|line| line.strip_prefix("#  "));
            checked += whole(&comments.collect::<Vec<_>>().join("\n"), &mut flaws);
        }
        for flaw in &mut flaws[before..] {
            *flaw = format!("{}: {flaw}", file.file_name().unwrap().display());
        }
    }
    let examples = examples(&Cli::command(), &mut flaws);
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
    assert!(checked > 60 && examples > 40, "{checked} in documents, {examples} in examples");
}

#[test]
fn a_command_is_read_as_a_shell_reads_it() {
    let read = commands("FOO=1 x | catherd report a --check \"b/c >= 9 %\" '' > d & # catherd e");
    assert_eq!(read, [["catherd", "report", "a", "--check", "b/c >= 9 %", ""]]);
    let mut flaws = Vec::new();
    assert_eq!(whole("catherd watch\ncatherd wotch", &mut flaws), 2);
    mentioned(&commands("catherd vm bench --seconds-off DIR")[0], &mut flaws);
    assert_eq!(flaws.len(), 2, "{flaws:?}");
}
