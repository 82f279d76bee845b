//! `catherd import` through the binary.

use std::fs;

use crate::support::{catherd, stderr};

const WHISKER: &str = "\
projectName,configName,fitnessFunctionCount,coveredFitnessFunctionCount,executedTests,0,1000
Pong,random,49,48,69,20,48
Pong,mio,49,49,75,20,49
";

#[test]
fn results_of_other_tools_become_tidy_tables() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("raw.csv"), WHISKER).unwrap();
    let import = |arguments: &[&str]| {
        catherd().current_dir(&directory).arg("import").args(arguments).output().unwrap()
    };
    let output = import(&["whisker", "raw.csv", "--out", "tables", "--budget", "600"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("2 runs of 1 project with random, mio in tables"), "{text}");
    let runs = fs::read_to_string(directory.path().join("tables/runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 3);
    assert!(runs.contains(",600000,whisker,done,,49,48,"), "{runs}");
    let timeline = fs::read_to_string(directory.path().join("tables/timeline.csv")).unwrap();
    assert_eq!(timeline.lines().count(), 5);

    // The same file, imported as CSV with named columns.
    let columns = [
        "project=projectName",
        "algorithm=configName",
        "goals=fitnessFunctionCount",
        "covered=coveredFitnessFunctionCount",
    ];
    let mut arguments = vec!["csv", "raw.csv", "--out", "other"];
    arguments.extend(columns.iter().flat_map(|column| ["--column", *column]));
    assert_eq!(import(&arguments).status.code(), Some(0));

    let output = import(&["pynguin", "raw.csv", "--out", "third"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("raw.csv") && text.contains("hint:"), "{text}");
    assert!(!directory.path().join("third/runs.csv").exists());
    assert_eq!(
        import(&["csv", "raw.csv", "--out", "x", "--column", "cat=dog"]).status.code(),
        Some(1)
    );
    // A study is not overwritten.
    fs::write(directory.path().join("tables/study.json"), "{}").unwrap();
    let output = import(&["whisker", "raw.csv", "--out", "tables"]);
    assert!(stderr(&output).contains("contains a study"), "{}", stderr(&output));
}
