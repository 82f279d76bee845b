//! Tests wrong inputs: each error states the place, the cause, and what to write instead.

mod studies;
mod tools;

use std::fs;
use std::path::Path;

use crate::support::{catherd, packed, small, stderr};
use tempfile::TempDir;

use studies::{STUDIES, STUDY};
use tools::{ADAPTER, ADAPTERS, RESULTS, TOOL_STUDY};

/// Arguments, words of the error, and words of the hint.
const COMMANDS: &[(&[&str], &str, &str)] = &[
    (&["run", "studdy.toml"], "studdy.toml: no such file or folder", "there is study.toml"),
    (&["run"], "no study to run", "name a study file"),
    (&["run", "study.toml", "--algorithms", "samll"], "unknown algorithm `samll`", "write `small`"),
    (&["run", "study.toml", "--algorithms", "miox"], "unknown algorithm `miox`", "write `mio`"),
    (
        &["run", "study.toml", "--subject", "javascrip"],
        "--subject: unknown subject kind `javascrip`",
        "write `javascript`",
    ),
    (&["run", "study.toml", "--seeds", "0"], "--seeds: 0 is too small", "at least 1"),
    (&["run", "study.toml", "--seeds", "1,x"], "--seeds: `x` is not a seed", "whole numbers"),
    (&["run", "study.toml", "--executions", "-5"], "--executions: -5 is negative", "at least 1"),
    (&["run", "study.toml", "--wall", "5"], "--wall: `5` has no unit", "10s"),
    (
        &["run", "--projects", "gam.sb3", "--algorithms", "mio", "--executions", "3"],
        "gam.sb3: no such file or folder",
        "there is game.sb3",
    ),
    (
        &["run", "--projects", "game.sb3", "--executions", "3"],
        "--algorithms: no algorithms",
        "catherd subjects",
    ),
    (
        &["run", "--projects", "game.sb3", "--algorithms", "mio"],
        "--wall: no budget",
        "--executions",
    ),
    (
        &["run", "study.toml", "--dashboard", "0.0.0.0:0"],
        "--dashboard: 0.0.0.0:0 could be reached",
        "127.0.0.1",
    ),
    (&["check", "studdy.toml"], "studdy.toml: no such file or folder", "there is study.toml"),
    (&["init", "study.toml", "--yes"], "study.toml: exists already", "--force"),
    (
        &["init", "new.toml", "--yes", "--subject", "scrtch"],
        "unknown subject kind `scrtch`",
        "write `scratch`",
    ),
    (
        &["init", "new.toml", "--yes", "--algorithms", "moi"],
        "unknown algorithm `moi`",
        "write `mio`",
    ),
    (
        &["init", "new.toml", "--yes", "--projects", "gam.sb3"],
        "gam.sb3: no such file or folder",
        "there is game.sb3",
    ),
    (&["subjects", "scrtch"], "unknown subject kind `scrtch`", "write `scratch`"),
    (&["report", "resluts"], "resluts: no such file or folder", "there is results"),
    (
        &["report", "results", "--reference", "randum"],
        "no configuration is called randum",
        "write `random`",
    ),
    (
        &["report", "results", "--factor", "populaton"],
        "no configuration has the parameter populaton",
        "write `population`",
    ),
    (
        &["report", "results", "--explain", "algorithm/mosa/mean"],
        "unknown table `algorithm`",
        "write `algorithms`",
    ),
    (
        &["report", "results", "--explain", "algorithms/small/men"],
        "unknown column `men`",
        "write `mean`",
    ),
    (
        &["report", "results", "--explain", "algorithms/smal/mean"],
        "unknown row `smal`",
        "write `small`",
    ),
    (
        &["report", "results", "--check", "algorithms/small/mean > 50"],
        "check `algorithms/small/mean > 50`",
        "correct the bound",
    ),
    (&["verify", "reslts"], "reslts: no such file or folder", "there is results"),
    (&["verify", "study.toml"], "study.toml: is not an intact zip archive", "catherd archive"),
    (&["replay", "results", "zzz"], "no finished run has an id that starts with `zzz`", "runs.csv"),
    (&["doctor", "tol"], "tol: no such file or folder", "there is tool"),
    (&["tool", "try", "tol", "module.py"], "tol: no such file or folder", "there is tool"),
    (
        &["tool", "try", "tool", "modle.py"],
        "modle.py: no such file or folder",
        "there is module.py",
    ),
    (
        &["tool", "try", "tool", "module.py", "--algorithm", "randm"],
        "tries has no algorithm `randm`",
        "write `random`",
    ),
    (
        &["tool", "try", "tool", "module.py", "--parameter", "factr=2"],
        "tries has no parameter `factr`",
        "write `factor`",
    ),
    (
        &["tool", "try", "tool", "module.py", "--parameter", "factor=200"],
        "tries does not take this value of `factor`",
        "1 to 10",
    ),
    (&["run", "game.sb3"], "game.sb3: is not a study file", "--projects game.sb3"),
    (&["check", "tool"], "tool: is not a study file", "--projects tool"),
    (
        &["run", "study.toml", "--seeds", "1-5"],
        "--seeds: `1-5` is neither a number nor a list",
        "such as 3,14,15",
    ),
    (&["coverage", "reslts", "--uncovered"], "reslts: no such file or folder", "there is results"),
    (&["archive", "reslts"], "reslts: no such file or folder", "there is results"),
    (
        &["report", "results", "--against", "reslts"],
        "reslts: no such file or folder",
        "there is results",
    ),
    (
        &["report", "results", "--columns", "algoritms=mean"],
        "unknown table `algoritms`",
        "write `algorithms`",
    ),
    (
        &["report", "results", "--columns", "algorithms=maen"],
        "unknown column `maen`",
        "write `mean`",
    ),
    (&["tool", "try", "tool/adapter.toml", "module.py"], "adapter.toml", "name its folder: tool"),
    (
        &["sequences", "generate", "builtin:abp", "--criterion", "consecutve:2", "--size", "4"],
        "criterion `consecutve:2`: unknown criterion",
        "write consecutive",
    ),
    (
        &["sequences", "walk", "builtin:mooodle"],
        "there is no built-in model `mooodle`",
        "write builtin:moodle",
    ),
    (&["tool", "prepare", "game.sb3"], "game.sb3: cannot read the study file", "name a study file"),
    (&["report", "results", "-o", "game.sb3/x"], "game.sb3/x/tables: ", "with -o, name a folder"),
    (&["report", "results", "-o", "study.toml"], "study.toml/tables: ", "with -o, name a folder"),
    (
        &["report", "study.toml", "-o", "page"],
        "study.toml: is a file, not a folder",
        "folders of results",
    ),
    (
        &["claims", "study.toml"],
        "study.toml: is a file, not a folder",
        "the folders of one or more",
    ),
    (&["claims", "results"], "results: no claims: there is no claims.toml", "--claims"),
    (
        &["claims", "results", "--claims", "studdy.toml"],
        "studdy.toml: no such file",
        "there is study.toml",
    ),
    (&["archive", "study.toml"], "study.toml: is a file, not a folder", "catherd run"),
    (
        &["archive", "results", "-o", "game.sb3/p.zip"],
        "game.sb3: cannot be written to: ",
        "with -o",
    ),
    (
        &["run", "study.toml", "--out", "game.sb3"],
        "game.sb3: is a file, not a folder",
        "with --out",
    ),
    (&["coordinator", "--dir", "game.sb3"], "game.sb3: is a file, not a folder", "with --dir"),
    (&["coverage", "study.toml", "--uncovered"], "study.toml: is a file", "the folder of a study"),
    (&["replay", "study.toml", "00"], "study.toml: is a file, not a folder", "folder of a study"),
    (
        &["generate", "cut.sb3"],
        "cut.sb3: is not an intact zip archive: its end is missing",
        "unpacked",
    ),
    (
        &["generate", "empty.sb3"],
        "empty.sb3: is not an intact zip archive: the file is empty",
        "unpacked",
    ),
    (
        &["inspect", "other.sb3"],
        "other.sb3: is not an intact zip archive: the file has a different format",
        "unpacked",
    ),
    (&["inspect", "gmae.sb3"], "gmae.sb3: no such file or folder", "there is game.sb3"),
    (
        &["coverage", "game.sb3", "game.sb3"],
        "game.sb3: is not UTF-8 text, unlike a suite",
        "catherd generate",
    ),
    (&["coverage", "suite.json", "game.sb3"], "game.sb3: is not UTF-8 text", "the project first"),
    (&["coverage", "game.sb3", "results"], "results: is a folder, not a suite", "suites/"),
    (
        &["coverage", "game.sb3", "suit.json"],
        "suit.json: no such file or folder",
        "there is suite.json",
    ),
    (
        &["mutate", "game.sb3", "suite.json", "--operators", "SBT"],
        "--operators: unknown mutation operator `SBT`",
        "write `SBD`",
    ),
    (
        &["status", "--coordinator", "ant"],
        "coordinator ant: host or port is missing",
        "such as ant:7420",
    ),
    (
        &["status", "--coordinator", "ant:99999"],
        "coordinator ant:99999: `99999` is not a port",
        "such as ant:7420",
    ),
    (
        &["worker", "--connect", "ant"],
        "coordinator ant: host or port is missing",
        "such as ant:7420",
    ),
    (&["submit", "study.toml", "--coordinator", ":7420"], "coordinator :7420: ", "127.0.0.1:7420"),
    (
        &["coordinator", "--store", "mysql://ant/x", "--dir", "data"],
        "--store: there is no store of the kind `mysql`",
        "postgres://",
    ),
    (
        &["archive", "results", "--with-program", "--source", "suit.json"],
        "suit.json: no such file or folder",
        "there is suite.json",
    ),
    (&["sequences", "walk", "gmae.sb3"], "gmae.sb3: no such file or folder", "there is game.sb3"),
    (&["vm", "replay", "nope"], "nope: no such file or folder", "recording"),
    (&["dataset", "describe", "gmae.sb3"], "gmae.sb3: no such file or folder", "there is game.sb3"),
    (&["generate", "game.sb3", "--algorithm", "moi"], "unknown algorithm `moi`", "write `mio`"),
    (
        &["generate", "game.sb3", "--parameter", "max_event=3"],
        "unknown parameter `max_event`",
        "write `max_events`",
    ),
    (
        &["generate", "game.sb3", "-o", "suite.txt"],
        "suite.txt: a suite is JSON or JavaScript",
        "suite.json",
    ),
];

/// Arguments that the parser of the command line refuses, and words of its answer.
const FLAGS: &[(&[&str], &[&str])] = &[
    (&["rnu", "study.toml"], &["rnu", "run"]),
    (&["run", "study.toml", "--seed", "3"], &["--seed", "--seeds"]),
    (&["run", "study.toml", "--algorithm", "mio"], &["--algorithm", "--algorithms"]),
    (&["run", "study.toml", "--workers", "0"], &["--workers", "at least 1"]),
    (&["run", "study.toml", "--isolation", "on"], &["--isolation", "required, wanted, off"]),
    (&["report", "results", "--figures", "gif"], &["--figures", "svg"]),
    (&["verify", "results", "--sample", "0%"], &["--sample", "5%"]),
    (&["run", "study.toml", "--workers", "-1"], &["--workers", "at least 1"]),
    (&["run", "study.toml", "--dashboard", "abc"], &["--dashboard", "127.0.0.1:7421"]),
    (&["verify", "results", "--sample", "-1"], &["--sample", "5%"]),
    (&["completions", "bsh"], &["bsh", "bash"]),
    (&["worker", "--run-limit", "5m"], &["--run-limit", "not a whole number"]),
    (&["launch", "slurm", "--workers", "many"], &["--workers", "not a whole number"]),
    (&["coordinator", "--listen", "nowhere"], &["--listen", "such as 127.0.0.1:7420"]),
    (&["token", "wroker"], &["unknown role `wroker`", "write `worker`"]),
    (&["javascript", "run", "study.toml"], &["unrecognized subcommand 'run'", "'catherd run'"]),
    (&["vm", "relpay", "x"], &["unrecognized subcommand 'relpay'", "'replay'"]),
    (
        &["sequences", "generate", "builtin:moodle", "--criterion", "consecutive:2", "--size", "0"],
        &["--size", "0 is not in 1.."],
    ),
];

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    fs::write(folder.join(name), text).unwrap();
}

fn prepared() -> TempDir {
    let place = TempDir::new().unwrap();
    let folder = place.path();
    write(folder, "game.sb3", packed(&small("x")));
    write(folder, "study.toml", STUDY);
    write(folder, "module.py", "def f():\n    pass\n");
    write(folder, "tool.toml", TOOL_STUDY);
    fs::create_dir(folder.join("tool")).unwrap();
    write(folder, "tool/adapter.toml", ADAPTER);
    write(folder, "tool/run", "#!/bin/sh\ncp \"$(dirname \"$0\")/answer.json\" result.json\n");
    write(folder, "tool/answer.json", r#"{"contract": 1, "goals": 2, "covered": [0]}"#);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let run = folder.join("tool/run");
        fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run =
        ["run", "study.toml", "--seeds", "1", "--executions", "3", "--out", "results", "--quiet"];
    let output = catherd().current_dir(folder).args(run).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let archive = fs::read(place.path().join("game.sb3")).unwrap();
    write(place.path(), "cut.sb3", &archive[..archive.len() / 2]);
    write(place.path(), "empty.sb3", "");
    write(place.path(), "other.sb3", "a page of a server that says: not found");
    let suite = ["generate", "game.sb3", "--executions", "20", "-o", "suite.json"];
    assert!(catherd().current_dir(place.path()).args(suite).output().unwrap().status.success());
    place
}

/// Executes a command that must fail. Returns the line of the error and the hint, or the whole
/// output if it does not have this form.
fn refusal(folder: &Path, arguments: &[&str]) -> Result<(String, String), String> {
    let output = catherd().current_dir(folder).args(arguments).output().unwrap();
    let text = stderr(&output);
    let lines: Vec<&str> = text.lines().collect();
    let [.., line, hint] = lines[..] else { return Err(text) };
    match (output.status.code(), line.strip_prefix("error: "), hint.strip_prefix(" hint: ")) {
        (Some(1), Some(line), Some(hint)) => Ok((line.to_owned(), hint.to_owned())),
        _ => Err(format!("{:?}: {text}", output.status.code())),
    }
}

fn check(
    flaws: &mut Vec<String>,
    case: &str,
    answer: Result<(String, String), String>,
    (error, hint): (&str, &str),
) {
    match answer {
        Ok((line, given)) if line.contains(error) && given.contains(hint) => {}
        Ok((line, given)) => flaws.push(format!("{case}\n  {line}\n  hint: {given}")),
        Err(text) => flaws.push(format!("{case}\n  no error with a hint: {text}")),
    }
}

#[test]
#[ignore = "slow"]
fn two_hundred_wrong_inputs_are_answered_with_place_cause_and_remedy() {
    let cases = STUDIES.len() + COMMANDS.len() + FLAGS.len() + ADAPTERS.len() + RESULTS.len();
    assert!(cases >= 190, "{cases} cases");
    let place = prepared();
    let folder = place.path();
    let mut flaws = Vec::new();
    for (from, to, error, hint) in STUDIES {
        assert!(STUDY.contains(from), "{from}");
        write(folder, "wrong.toml", STUDY.replacen(from, to, 1));
        let answer = refusal(folder, &["check", "wrong.toml", "--no-sample"]);
        check(&mut flaws, to, answer, (&format!("wrong.toml:{error}"), hint));
    }
    for (arguments, error, hint) in COMMANDS {
        check(&mut flaws, &arguments.join(" "), refusal(folder, arguments), (error, hint));
    }
    for (arguments, words) in FLAGS {
        let output = catherd().current_dir(folder).args(*arguments).output().unwrap();
        let text = stderr(&output);
        if output.status.code() != Some(1) || !words.iter().all(|word| text.contains(word)) {
            flaws.push(format!("{}\n  {text}", arguments.join(" ")));
        }
    }
    for (from, to, error, hint) in ADAPTERS {
        assert!(ADAPTER.contains(from), "{from}");
        write(folder, "tool/adapter.toml", ADAPTER.replacen(from, to, 1));
        let answer = refusal(folder, &["check", "tool.toml", "--no-sample"]);
        check(&mut flaws, to, answer, (error, hint));
    }
    write(folder, "tool/adapter.toml", ADAPTER);
    for (result, error) in RESULTS {
        write(folder, "tool/answer.json", result);
        let output =
            catherd().current_dir(folder).args(["tool", "try", "tool", "module.py"]).output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let verdict = text.lines().last().unwrap_or_default();
        if output.status.code() != Some(2) || !verdict.contains(error) {
            flaws.push(format!("{result}\n  {verdict}{}", stderr(&output)));
        }
    }
    assert!(flaws.is_empty(), "{} of {cases} cases:\n{}", flaws.len(), flaws.join("\n"));
}
