//! Tests replication packages that contain the program.

use std::fs;
use std::io::Cursor;

use serde_json::Value;
use zip::ZipArchive;

use crate::archive::{Fixture, stdout};
use crate::support::stderr;

#[test]
#[ignore = "slow"]
fn a_package_with_the_program_checks_and_repeats_itself() {
    let fixture = Fixture::new();
    fs::write(fixture.path("source.tar"), "source").unwrap();
    let source = fixture.text("source.tar");
    let flags =
        ["--with-projects", "--with-program", "--author", "Ada Lovelace", "--source", &source];
    let (package, _) = fixture.archive("study", "own.zip", &flags);
    let (again, _) = fixture.archive("study", "again.zip", &flags);
    assert!(package == again);
    // The folder of results describes its files as well.
    let described = fs::read(fixture.path("study/ro-crate-metadata.json")).unwrap();
    let described: Value = serde_json::from_slice(&described).unwrap();
    let root = described["@graph"].as_array().unwrap().iter().find(|one| one["@id"] == "./");
    let parts = root.unwrap()["hasPart"].as_array().unwrap();
    assert!(parts.len() > 15, "{described}");
    for part in parts {
        let name = part["@id"].as_str().unwrap();
        assert!(fixture.path("study").join(name).is_file(), "{name}");
    }
    // File modes are part of the package.
    let folder = fixture.path("unpacked");
    ZipArchive::new(Cursor::new(&package)).unwrap().extract(&folder).unwrap();
    let run = |script: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(folder.join(script));
        command
            .current_dir(&folder)
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap()
    };
    let output = run("check", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("not checked: the execution of 8 runs; source code; times, "));
    let output = run("repeat", &["--sample", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 of 2 runs agree; 2 of 8 sampled\n"), "{}", stdout(&output));
    let output = run("repeat", &["--all"]);
    assert!(stdout(&output).contains("8 of 8 runs agree\n"), "{}", stdout(&output));
    // The README contains measured values, and an example with its output.
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(
        readme.contains("| time | ") && readme.contains(", measured on one machine |"),
        "{readme}"
    );
    assert!(
        readme.contains("| disk | ") && readme.contains(" MiB for each core in use |"),
        "{readme}"
    );
    let hardware = readme.lines().find(|line| line.starts_with("| measured with | ")).unwrap();
    assert!(hardware.contains(" core") && hardware.contains(" GiB"), "{hardware}");
    let licences = fs::read_to_string(folder.join("program/THIRD-PARTY-LICENSES.txt")).unwrap();
    assert!(licences.contains("\nserde ") && licences.contains("Permission is hereby granted"));
    // The README explains how to find the runs from which a number was computed.
    assert!(readme.contains("## From a number of the paper to its runs"), "{readme}");
    let run_of_number = {
        let output = run("program/catherd", &["report", "results", "--find", "4 configurations"]);
        let text = stdout(&output);
        let address = text.split_whitespace().find(|word| word.contains('/')).unwrap_or_default();
        let address = address.to_owned();
        assert!(address.contains('/'), "{text}");
        let output = run("program/catherd", &["report", "results", "--explain", &address]);
        let text = stdout(&output);
        assert!(text.contains("computed from "), "{text}");
        text.split_whitespace().next_back().unwrap().to_owned()
    };
    let output = run("program/catherd", &["replay", ".", &run_of_number[..12]]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).ends_with("The records are the same.\n"), "{}", stdout(&output));
    assert_eq!(run("check", &[]).status.code(), Some(0), "a replay changes nothing");
    let output = run("repeat", &["--sample", "1"]);
    let expected = stdout(&output).lines().last().unwrap().to_owned();
    assert!(readme.contains(&format!("\n```\n{expected}\n```\n")), "{readme}");
    assert!(readme.contains("| `./repeat --sample 5%` |"), "{readme}");
    let description = fs::read_to_string(folder.join("ro-crate-metadata.json")).unwrap();
    assert!(description.contains("https://w3id.org/ro/wfrun/process/0.5"), "{description}");
    let crate_of: Value = serde_json::from_str(&description).unwrap();
    let graph = crate_of["@graph"].as_array().unwrap();
    let entity = |id: &str| graph.iter().find(|entity| entity["@id"] == id).unwrap();
    assert_eq!(entity("#execution")["resourceUsage"]["@id"], "#machine-1");
    assert!(entity("#machine-1")["value"].as_str().unwrap().ends_with(" GiB"), "{description}");
    let schemas: Value =
        serde_json::from_slice(&fs::read(folder.join("datapackage.json")).unwrap()).unwrap();
    let runs = schemas["resources"].as_array().unwrap().iter().find(|one| one["name"] == "runs");
    let runs = fs::read_to_string(folder.join("results/runs.csv"))
        .map(|table| (table, runs.unwrap()["schema"]["fields"].as_array().unwrap().len()))
        .unwrap();
    assert_eq!(runs.0.lines().next().unwrap().split(',').count(), runs.1);
    for name in
        ["results/runs.csv", "program/LICENSE-MIT", "program/THIRD-PARTY-LICENSES.txt", "extra"]
    {
        let before = fs::read(folder.join(name)).ok();
        fs::write(folder.join(name), before.clone().unwrap_or_default().to_ascii_uppercase())
            .unwrap();
        let output = run("check", &[]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let text = stderr(&output);
        assert!(text.contains(&format!(": {name}: ")), "{text}");
        match before {
            Some(before) => fs::write(folder.join(name), before).unwrap(),
            None => fs::remove_file(folder.join(name)).unwrap(),
        }
    }
}

#[test]
#[ignore = "slow"]
fn a_package_has_its_tools_and_what_they_need() {
    let place = tempfile::TempDir::new().unwrap();
    let path = |name: &str| place.path().join(name);
    let write = |name: &str, text: &str| {
        fs::create_dir_all(path(name).parent().unwrap()).unwrap();
        fs::write(path(name), text).unwrap();
    };
    write("files/one.txt", "1\n");
    write("files/two.txt", "2\n");
    write("wheels/part.whl", "covered");
    write("adapters/tool/locks/lock.txt", "part\n");
    let toml =
        "contract = 1\ntool = 'tool'\nversion = '1.0'\npython = '3.11'\nenvironment = 'locks'\n";
    write("adapters/tool/adapter.toml", toml);
    // The result depends on an installed package.
    let run = r#"#!/bin/sh
value() { sed -n "s/^ *\"$1\": \"\(.*\)\",*$/\1/p" "$2" | head -1; }
environment=$(value environment "$2")
case $1 in
prepare) cp "$(value wheels "$2")/part.whl" "$environment/part" ;;
execute) echo "{\"contract\": 1, \"goals\": 4, \"$(cat "$environment/part")\": [1]}" > result.json ;;
esac
"#;
    write("adapters/tool/run", run);
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path("adapters/tool/run"), fs::Permissions::from_mode(0o755)).unwrap();
    let study = "subject = 'command'\nname = 'tools'\nprojects = ['../files']\nseeds = 2\n\
                 algorithms = ['a']\n[command]\nadapter = '../adapters/tool'\n[budget]\nexecutions = 1\n";
    write("studies/study.toml", study);
    let run = |arguments: &[&str]| {
        let output = crate::support::catherd().current_dir(place.path()).args(arguments).output();
        let output = output.unwrap();
        let text = stdout(&output) + &stderr(&output);
        (text, output.status.code())
    };
    let succeed = |arguments: &[&str]| {
        let (text, code) = run(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {text}");
        text
    };
    succeed(&["tool", "prepare", "studies/study.toml", "--wheels", "wheels"]);
    succeed(&["run", "studies/study.toml", "-o", "out", "-q"]);
    let flags = ["--with-projects", "--with-program", "--tools", "studies", "--wheels", "wheels"];
    for name in ["one.zip", "two.zip"] {
        succeed(&[&["archive", "out", "-o", name][..], &flags].concat());
    }
    let package = fs::read(path("one.zip")).unwrap();
    assert!(package == fs::read(path("two.zip")).unwrap());
    let text = succeed(&["verify", "one.zip", "--sample", "100%", "--run-programs"]);
    assert!(
        text.contains("4 of 4 runs agree") && text.contains("packages for environments"),
        "{text}"
    );

    // Only the package is left, whose study file names the tools in the package.
    let unpacked = path("elsewhere");
    ZipArchive::new(Cursor::new(&package)).unwrap().extract(&unpacked).unwrap();
    for gone in ["adapters", "files", "studies", "wheels"] {
        fs::remove_dir_all(path(gone)).unwrap();
    }
    let output = std::process::Command::new(unpacked.join("repeat")).arg("--all").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("4 of 4 runs agree"), "{text}");
    let readme = fs::read_to_string(unpacked.join("README.md")).unwrap();
    assert!(readme.contains("| tool | tool 1.0, which needs Python 3.11; `wheels/`"), "{readme}");
    let study = "elsewhere/tools/study/study.toml";
    assert!(
        readme.contains("catherd tool prepare tools/study/study.toml --wheels wheels"),
        "{readme}"
    );
    // Prepare the tool of the unpacked package, because environments are not part of packages.
    succeed(&["tool", "prepare", study, "--wheels", "elsewhere/wheels"]);
    succeed(&["run", study, "--out", "again", "-q"]);
    let digests = |folder: &str| crate::support::digests(&path(folder));
    assert_eq!(digests("again"), digests("out"));

    // A changed tool is refused and not executed.
    let mut files = crate::forgeries::files(&package);
    for file in files.iter_mut().filter(|file| file.name == "tools/adapters/tool/run") {
        file.bytes = b"#!/bin/sh\ntouch /tmp/executed\n".to_vec();
    }
    fs::write(path("forged.zip"), crate::forgeries::package_of(files)).unwrap();
    let (text, code) = run(&["verify", "forged.zip", "--run-programs"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("adapters/tool: is not the tool of the study"), "{text}");
}
