//! Tests `catherd import` through the binary.

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

    // Import the same file as CSV with named columns.
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

#[test]
fn raw_data_of_fuzzbench_become_a_report() {
    let directory = tempfile::tempdir().unwrap();
    let mut text =
        "experiment,fuzzer,benchmark,time_started,time_ended,trial_id,time,edges_covered\n"
            .to_owned();
    // On the first benchmark, the medians of afl and libfuzzer are 100 and 80; on the second
    // benchmark, 45 and 90.
    for (benchmark, edges) in [("zlib", [100, 80]), ("png", [45, 90])] {
        for trial in 0..6 {
            for (fuzzer, edges) in ["afl", "libfuzzer"].iter().zip(edges) {
                let number = text.lines().count();
                for (time, part) in [(900, edges / 2), (1800, edges + trial % 3 - 1)] {
                    text += &format!("e,{fuzzer},{benchmark},,,{number},{time},{part}\n");
                }
            }
        }
    }
    fs::write(directory.path().join("data.csv"), text).unwrap();
    let run = |arguments: &[&str]| {
        let output = catherd().current_dir(&directory).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let said = run(&["import", "fuzzbench", "data.csv", "--out", "tables"]);
    assert!(said.contains("24 runs of 2 projects with afl, libfuzzer in tables"), "{said}");
    run(&["report", "tables", "--out", "page"]);
    let scores = fs::read_to_string(directory.path().join("page/tables/scores.csv")).unwrap();
    let rows: Vec<Vec<&str>> =
        scores.lines().skip(1).map(|line| line.split(',').collect()).collect();
    // The score of libfuzzer is the mean of 80 and 100 %, and the score of afl is the mean of 100
    // and 50 %. Each fuzzer is the best on one benchmark.
    let score = |row: usize| rows[row][1].parse::<f64>().unwrap();
    assert_eq!((rows[0][0], rows[1][0]), ("libfuzzer", "afl"), "{scores}");
    assert!((score(0) - 90.0).abs() < 1e-9 && (score(1) - 75.0).abs() < 1e-9, "{scores}");
    assert!(rows.iter().all(|row| row[6] == "1" && row[7] == "1" && row[8] == "1"), "{scores}");
    let here = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert!(here(0, 4) < 90.0 && here(0, 5) > 90.0, "{scores}");
    assert!(directory.path().join("page/figures/growth-zlib.svg").exists());
}

#[test]
#[cfg(unix)]
#[ignore = "slow"]
fn a_file_that_never_ends_is_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    for tool in ["fuzzbench", "whisker"] {
        let arguments = ["import", tool, "/dev/zero", "--out", "out"];
        let output = catherd().current_dir(folder.path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("a line has more than"), "{}", stderr(&output));
    }
}
