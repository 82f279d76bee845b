//! The help of the whole program: commands in groups, and `catherd help`.

use std::{io, iter};

use catherd_cli_console::{Exit, Failure};
use catherd_experiments::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command};

pub(crate) struct CommandGroup {
    /// The heading in the list of commands.
    pub(crate) title: &'static str,
    /// A sentence about what the commands have in common.
    summary: &'static str,
    /// The names of the group for `catherd help`.
    words: &'static [&'static str],
    /// Names of the commands, in the order of the list.
    pub(crate) commands: &'static [&'static str],
}

/// The groups, in the order of the list. Every visible command is in one group.
pub(crate) const GROUPS: [CommandGroup; 5] = [
    CommandGroup {
        title: "Studies",
        summary: "Execute studies, on this machine or through a coordinator, and follow them.",
        words: &["studies", "study"],
        commands: &[
            "run",
            "init",
            "check",
            "reproduce",
            "submit",
            "status",
            "watch",
            "pause",
            "resume",
            "cancel",
            "delete",
            "share",
            "why",
        ],
    },
    CommandGroup {
        title: "Results",
        summary: "Fetch, report, check and publish the results of studies.",
        words: &["results", "result"],
        commands: &[
            "results", "report", "claims", "stats", "import", "verify", "replay", "archive",
            "backup",
        ],
    },
    CommandGroup {
        title: "Clusters",
        summary: "Run a coordinator and workers on several machines.",
        words: &["clusters", "cluster"],
        commands: &[
            "coordinator",
            "worker",
            "launch",
            "drain",
            "block",
            "undrain",
            "prune",
            "token",
            "certs",
            "health",
        ],
    },
    CommandGroup {
        title: "One project",
        summary: "Work with one project and its test suites, without a study.",
        words: &["project", "projects"],
        commands: &["generate", "export", "test", "coverage", "mutate", "judge", "play", "inspect"],
    },
    CommandGroup {
        title: "Kinds and data",
        summary: "See which subjects can be tested, and prepare projects and external tools.",
        words: &["kinds", "kind", "data"],
        commands: &[
            "subjects",
            "schema",
            "tool",
            "doctor",
            "dataset",
            "sequences",
            "javascript",
            "vm",
            "completions",
            "licences",
        ],
    },
];

/// Shows the help of a command, or the commands of a group
#[derive(Args)]
pub(crate) struct Arguments {
    /// Words of a command, or a group: studies, results, clusters, project or kinds
    #[arg(value_name = "COMMAND|GROUP")]
    of: Vec<String>,
}

/// Makes the help of the program list the commands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let styles = command.get_styles().clone();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let width = GROUPS.iter().flat_map(|group| group.commands).map(|name| name.len()).max();
    let width = width.unwrap_or_default();
    let mut list = String::new();
    for group in &GROUPS {
        list += &format!("{header}{}:{header:#}\n", group.title);
        for name in group.commands {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            list += &format!("  {literal}{name:width$}{literal:#}  {about}\n");
        }
        list.push('\n');
    }
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}\n\n\
         `catherd COMMAND --help` explains a command, and `catherd help GROUP` the commands of a group:\n\
         studies, results, clusters, project or kinds.{{after-help}}"
    ))
}

/// Messages of the standard library, each with a plainer message.
const PLAIN: [(&str, &str); 7] = [
    ("invalid digit found in string", "not a whole number"),
    ("cannot parse integer from empty string", "a number is missing"),
    ("number too large to fit in target type", "the number is too large"),
    ("number too small to fit in target type", "the number is too small"),
    ("invalid float literal", "not a number"),
    ("cannot parse float from empty string", "a number is missing"),
    ("invalid socket address syntax", "not an address and a port such as 127.0.0.1:7420"),
];

pub(crate) fn in_plain_words(error: &clap::Error) -> Option<String> {
    let message = error.render();
    let ansi = std::io::IsTerminal::is_terminal(&io::stderr());
    let text = if ansi { message.ansi().to_string() } else { message.to_string() };
    let plain = PLAIN.iter().fold(text.clone(), |text, (cause, plain)| text.replace(cause, plain));
    (plain != text).then_some(plain)
}

/// `words` are the words of the command line, which show whether a subcommand was meant.
pub(crate) fn suggest_command(error: &mut clap::Error, program: &Command, words: &[String]) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    if words.first() != Some(word) {
        // The parser only proposes subcommands, so look for the commands of the program here.
        let known = program.get_subcommands().any(|command| command.get_name() == word);
        if known {
            let whole = format!("{} {word}", program.get_name());
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![whole]));
        }
        return;
    }
    if error.get(ContextKind::SuggestedSubcommand).is_some() {
        return;
    }
    let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
    let near = nearest(word, visible.map(Command::get_name)).map(str::to_owned);
    if let Some(near) = near {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near]));
    }
}

/// Returns a command whose help is the page of a group.
fn page(group: &CommandGroup, program: &Command) -> Command {
    let below = group.commands.iter().filter_map(|name| program.find_subcommand(name));
    let below = below.map(|command| {
        let about = command.get_long_about().or(command.get_about()).cloned().unwrap_or_default();
        Command::new(command.get_name().to_owned()).about(about)
    });
    let header = program.get_styles().get_header();
    Command::new("catherd")
        .max_term_width(100)
        .disable_help_subcommand(true)
        .next_line_help(true)
        .help_template(format!(
            "{}\n\n{header}{}:{header:#}\n{{subcommands}}\n\n`catherd COMMAND --help` has the arguments and \
             examples of a command.\n",
            group.summary, group.title
        ))
        .subcommands(below)
}

/// If a word is the name of a command and of a group, the group is shown.
pub(crate) fn run(arguments: &Arguments, program: Command) -> Result<Exit, Failure> {
    let words = &arguments.of[..];
    let named = if let [word] = words { group(word) } else { None };
    let printed = match named {
        Some(group) => page(group, &program).print_help(),
        None => {
            let words = words.iter().map(String::as_str);
            let words = iter::once("catherd").chain(words).chain(["--help"]);
            match program.try_get_matches_from(words) {
                Err(help) if help.kind() == ErrorKind::DisplayHelp => help.print(),
                _ => {
                    let words = arguments.of.join(" ");
                    let line = format!("there is no command or group `{words}`");
                    return Err(Failure::new(line).hint("catherd help lists the commands"));
                }
            }
        }
    };
    match printed {
        // A broken pipe is not a failure, because readers such as `head` close standard output
        // early.
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(cause)),
        _ => Ok(Exit::Success),
    }
}

fn group(word: &str) -> Option<&'static CommandGroup> {
    GROUPS.iter().find(|group| group.words.contains(&word))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn every_visible_command_is_in_one_group() {
        let program = Cli::command();
        let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
        let visible: Vec<_> = visible.map(Command::get_name).collect();
        let listed: Vec<_> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        for name in &visible {
            let groups = listed.iter().filter(|listed| *listed == name).count();
            assert_eq!(groups, 1, "{name} is in {groups} groups");
        }
        assert_eq!(visible.len(), listed.len(), "{visible:?} {listed:?}");
        let words: Vec<_> = GROUPS.iter().flat_map(|group| group.words).collect();
        for (number, word) in words.iter().enumerate() {
            assert!(!words[..number].contains(word), "{word} names two groups");
        }
    }

    #[test]
    fn a_command_is_one_line_of_the_list() {
        const MAX_ABOUT: usize = 70;
        const MAX_LINE: usize = 80;
        let help = grouped(Cli::command()).render_help().to_string();
        for group in &GROUPS {
            for name in group.commands {
                let prefix = format!("  {name} ");
                let line = help.lines().find(|line| line.starts_with(&prefix)).unwrap();
                let about = line[prefix.len()..].trim_start();
                let (line, about_length) = (line.chars().count(), about.chars().count());
                assert!(about_length > 0 && about_length <= MAX_ABOUT, "{name}: {about}");
                assert!(line <= MAX_LINE, "{name}: {line} characters");
                let program = Cli::command();
                let command = program.find_subcommand(name).unwrap();
                assert_eq!(command.get_about().unwrap().to_string(), about);
            }
        }
    }
}
