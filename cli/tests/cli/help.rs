//! Tests of the help and the version of the binary, and of arguments that it refuses.

use crate::support::{catherd, stderr};

fn help(arguments: &[&str]) -> String {
    let output = catherd().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_has_help_with_examples() {
    let commands = [
        "run",
        "generate",
        "test",
        "coverage",
        "worker",
        "coordinator",
        "submit",
        "status",
        "watch",
        "results",
        "health",
        "verify",
        "replay",
        "token",
        "stats",
        "import",
        "report",
        "reproduce",
        "mutate",
        "subjects",
    ];
    let commands = commands.iter().map(std::slice::from_ref).chain([&["vm", "conformance"][..]]);
    let datasets = ["sample", "add", "describe", "verify", "diff", "split", "export", "synth"];
    let datasets = datasets.map(|command| ["dataset", command]);
    let datasets = datasets.iter().map(|command| &command[..]);
    for command in commands.chain(datasets) {
        let text = help(&[command, &["--help"]].concat());
        let example = format!("Examples:\n  catherd {}", command.join(" "));
        assert!(text.contains(&example), "{text}");
    }
    let run = help(&["run", "--help"]);
    for flag in ["--algorithms", "--seeds", "--executions", "--steps", "--wall", "--out", "--fresh"]
    {
        assert!(run.contains(flag), "{flag}");
    }
    assert!(run.contains("Exit codes:") && run.contains("same command continues it"), "{run}");
    // Each command lists only its own exit codes.
    assert!(!run.contains("a --check does not hold"), "{run}");
    assert!(help(&["report", "--help"]).contains("4  a --check does not hold"));
    assert!(!help(&["import", "--help"]).contains("  2  "));
    let mutate = help(&["mutate", "--help"]);
    assert!(mutate.contains("  SBD  single block deletion: a command is removed"), "{mutate}");
    for command in [&["run"][..], &["results"], &["report"], &["generate"], &["dataset", "export"]]
    {
        let text = help(&[command, &["--help"]].concat());
        assert!(text.contains("  -o, --"), "{text}");
    }
    assert!(!help(&["worker", "--help"]).contains("--exit-with-parent"));
}

#[test]
fn help_lists_the_commands_and_the_version_is_printed() {
    let text = help(&["--help"]);
    for command in
        ["run", "generate", "test", "coverage", "worker", "stats", "import", "vm", "dataset"]
    {
        assert!(text.contains(&format!("\n  {command}")), "{text}");
    }
    let headings = ["Studies:", "Results:", "Clusters:", "One project:", "Kinds and data:"];
    let places: Vec<_> = headings.iter().map(|heading| text.find(heading).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    assert_eq!(text, help(&["help"]));
    let version = help(&["--version"]);
    assert!(version.starts_with(concat!("catherd ", env!("CARGO_PKG_VERSION"))), "{version}");
}

#[test]
fn invalid_arguments_are_explained_and_fail_with_1() {
    for arguments in [&[][..], &["walk"], &["run", "--algorithm"], &["worker"]] {
        let output = catherd().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains("Usage:"), "{arguments:?}");
    }
}

#[test]
fn help_shows_a_group_or_a_command() {
    for word in ["study", "studies"] {
        let text = help(&["help", word]);
        for command in ["run", "submit", "cancel"] {
            assert!(text.contains(&format!("\n  {command}\n")), "{text}");
        }
        assert!(text.contains("Runs a study on this machine and writes its results"), "{text}");
        assert!(!text.contains("coordinator\n"), "{text}");
    }
    // A group and a command have this name; the help of the command is shown by `--help`.
    assert!(help(&["help", "results"]).contains("\n  archive\n"));
    assert_eq!(help(&["help", "run"]), help(&["run", "--help"]));
    assert_eq!(help(&["help", "dataset", "sample"]), help(&["dataset", "sample", "--help"]));
    let output = catherd().args(["help", "walk"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no command or group `walk`"));
}

#[test]
fn former_names_of_commands_are_accepted() {
    let former: [&[&str]; 5] = [
        &["sequences", "synth"],
        &["sequences", "examples"],
        &["javascript", "check"],
        &["vm", "digest"],
        &["vm", "fuzz"],
    ];
    for command in former {
        let text = help(&[command, &["--help"]].concat());
        let now = [&["dev"], command].concat();
        assert!(text.contains(&format!("\n  catherd {}", now.join(" "))), "{text}");
        assert!(help(&[&now[..], &["--help"]].concat()).contains("Usage: catherd dev"), "{now:?}");
        let above = help(&[command[0], "--help"]);
        assert!(!above.contains(&format!("\n  {} ", command[1])), "{above}");
    }
}
