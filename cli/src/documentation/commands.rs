//! Checks that the program accepts the commands that the documentation shows.

use clap::{Command, CommandFactory, Parser};

use super::{files_below, parts, read, root, shown};
use crate::Cli;

/// Returns the commands in a shell line that call catherd, each as a list of words. `catherd` may
/// have a path, or be `cargo run --`.
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
    all.into_iter().filter_map(of_catherd).collect()
}

fn of_catherd(mut words: Vec<String>) -> Option<Vec<String>> {
    let first = words.first()?;
    if first == "catherd" || first.ends_with("/catherd") {
        words[0] = "catherd".to_owned();
        return Some(words);
    }
    let other = words.iter().any(|word| word == "--example" || word == "-p");
    if *first == "cargo" && words.get(1).is_some_and(|word| word == "run") && !other {
        let end = words.iter().position(|word| word == "--")?;
        words[end] = "catherd".to_owned();
        return Some(words.split_off(end));
    }
    None
}

/// Returns the number of commands, and adds the commands that the program rejects to `flaws`.
fn check_commands(lines: &str, flaws: &mut Vec<String>) -> usize {
    let joined = lines.replace("\\\n", " ");
    let commands: Vec<_> = joined.lines().flat_map(commands).collect();
    commands.iter().for_each(|words| check_command(words, flaws));
    commands.len()
}

fn check_command(words: &[String], flaws: &mut Vec<String>) {
    if let Err(refusal) = Cli::try_parse_from(words)
        && refusal.use_stderr()
    {
        flaws.push(format!("{}\n  {}", words.join(" "), refusal.kind()));
    }
}

/// Checks a command in a sentence: subcommands and flags must exist, but required arguments may be
/// missing.
fn check_mention(words: &[String], flaws: &mut Vec<String>) {
    let root = Cli::command();
    let mut command = &root;
    for word in &words[1..] {
        let flag = word.strip_prefix("--").map(|flag| flag.split('=').next().unwrap());
        let known = match flag {
            Some("help" | "version") => true,
            Some(flag) => command.get_arguments().any(|known| known.get_long() == Some(flag)),
            None => match command.find_subcommand(word) {
                Some(found) => {
                    command = found;
                    true
                }
                // A word after the last subcommand is an argument.
                None => !command.has_subcommands(),
            },
        };
        if !known {
            flaws.push(format!("{}\n  there is no {word}", words.join(" ")));
        }
    }
}

fn examples(command: &Command, flaws: &mut Vec<String>) -> usize {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let below = command.get_subcommands().map(|command| examples(command, flaws));
    let below: usize = below.sum();
    below + check_commands(&lines.join("\n"), flaws)
}

fn check_page(text: &str, flaws: &mut Vec<String>) -> usize {
    let mut checked = 0;
    for (code, part) in parts(text) {
        if code {
            checked += check_commands(part, flaws);
            continue;
        }
        let spans = part.split('`').skip(1).step_by(2);
        for words in spans.flat_map(|span| commands(&span.replace('\n', " "))) {
            check_mention(&words, flaws);
            checked += 1;
        }
    }
    checked
}

fn check_configuration(text: &str, flaws: &mut Vec<String>) -> usize {
    let line = |line: &str| {
        let line = line.trim();
        let code = line.strip_prefix("- ").unwrap_or(line);
        let code = code.strip_prefix("run: ").unwrap_or(code);
        line.strip_prefix('#').unwrap_or(code).trim().to_owned()
    };
    // Folded lines (`run: >`) are one command.
    let folded = text.replace("run: >\n", "run: \\\n").replace("\n          --", " --");
    let lines: Vec<String> = folded.lines().map(line).collect();
    let mut checked = check_commands(&lines.join("\n"), flaws);
    for arguments in text.split("args: [").skip(1) {
        let list = arguments.split(']').next().unwrap();
        let mut words = vec!["catherd".to_owned()];
        words.extend(list.split(',').map(|word| word.trim().trim_matches('"').to_owned()));
        check_command(&words, flaws);
        checked += 1;
    }
    checked
}

#[test]
fn commands_in_documents_and_examples_are_accepted() {
    let mut files = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    for folder in ["docs", "deploy", ".github", "experiments"] {
        files.extend(files_below(folder));
    }
    // Leave out scripts of tasks, in which the program is a variable.
    files.retain(|file| !shown(file).starts_with("deploy/launch/"));
    let (mut flaws, mut checked) = (Vec::new(), 0);
    for file in files {
        let before = flaws.len();
        checked += match file.extension().and_then(|kind| kind.to_str()) {
            Some("rs" | "json") => 0,
            Some("md") => check_page(&read(&file), &mut flaws),
            _ => check_configuration(&read(&file), &mut flaws),
        };
        for flaw in &mut flaws[before..] {
            *flaw = format!("{}: {flaw}", shown(&file));
        }
    }
    let examples = examples(&Cli::command(), &mut flaws);
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
    assert!(checked > 180 && examples > 40, "{checked} in documents, {examples} in examples");
}

#[test]
fn commands_are_split_like_in_a_shell() {
    let read = commands("FOO=1 x | catherd report a --check \"b/c >= 9 %\" '' > d & # catherd e");
    assert_eq!(read, [["catherd", "report", "a", "--check", "b/c >= 9 %", ""]]);
    assert_eq!(commands("cargo run -- run a")[0], ["catherd", "run", "a"]);
    assert_eq!(commands("cargo run --release -- run a")[0], ["catherd", "run", "a"]);
    assert_eq!(commands("target/release/catherd run a")[0], ["catherd", "run", "a"]);
    assert!(commands("cargo run -p x --example y -- 1").is_empty());
    let mut flaws = Vec::new();
    assert_eq!(check_commands("catherd watch\ncatherd wotch", &mut flaws), 2);
    check_mention(&commands("catherd vm bench --seconds-off DIR")[0], &mut flaws);
    assert_eq!(flaws.len(), 2, "{flaws:?}");
    let yaml = "# catherd watch\nargs: [worker, --connect, \"a:1\",\n  --no-such-flag]\n";
    assert_eq!(check_configuration(yaml, &mut flaws), 2);
    assert_eq!(
        check_configuration("- run: >\n          catherd watch\n          --nope\n", &mut flaws),
        1
    );
    assert_eq!(flaws.len(), 4, "{flaws:?}");
}
