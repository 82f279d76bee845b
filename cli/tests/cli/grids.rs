//! Tests of parameter grids through the binary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{catherd, digests, stderr, two_files, two_projects};
use tempfile::TempDir;

fn run(folder: &Path, out: &str, code: i32, text: &str) -> String {
    let file = folder.join("study.toml");
    fs::write(&file, text).unwrap();
    let mut command = catherd();
    let output = command.arg("run").arg(&file).arg("--out").arg(folder.join(out)).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    stderr(&output)
}

fn column(folder: &Path, table: &str, name: &str) -> Vec<String> {
    let mut file = csv::Reader::from_path(folder.join(table)).unwrap();
    let number = file.headers().unwrap().iter().position(|header| header == name).unwrap();
    file.records().map(|row| row.unwrap()[number].to_owned()).collect()
}

#[test]
fn a_grid_has_the_runs_of_its_configurations_written_out() {
    let directory = TempDir::new().unwrap();
    let folder = directory.path();
    two_projects(&folder.join("games"));
    let study = |algorithms: &str| {
        format!(
            "projects = ['games']\nseeds = 1\nalgorithms = [{algorithms}]\nbudget.executions = 5\n"
        )
    };
    let grid = study(
        "'mosa', { name = 'mosa', parameters = { population = [4, 6], crossover = [0.5, 1.0] } }",
    );
    run(folder, "grid", 0, &grid);
    let labels = [
        "mosa",
        "mosa[population=4 crossover=0.5]",
        "mosa[population=4 crossover=1]",
        "mosa[population=6 crossover=0.5]",
        "mosa[population=6 crossover=1]",
    ];
    assert_eq!(column(&folder.join("grid"), "algorithms.csv", "algorithm"), labels);
    let plain = |n: usize, population: u32, crossover: &str| {
        format!(
            "{{ name = 'mosa', label = '{n}', parameters = {{ population = {population}, \
             crossover = {crossover} }} }}"
        )
    };
    let all = [plain(1, 4, "0.5"), plain(2, 4, "1.0"), plain(3, 6, "0.5"), plain(4, 6, "1.0")];
    run(folder, "plain", 0, &study(&format!("'mosa', {}", all.join(", "))));
    let records = digests(&folder.join("grid"));
    assert_eq!(records.len(), 10);
    assert_eq!(records, digests(&folder.join("plain")));
    // A longer list adds configurations to the same folder.
    let text = run(folder, "grid", 0, &grid.replace("[4, 6]", "[4, 6, 8]"));
    assert!(!text.contains("error"), "{text}");
    let more = digests(&folder.join("grid"));
    assert_eq!(more.len(), 14);
    assert!(records.iter().all(|(run, record)| more.get(run) == Some(record)));
}

#[test]
fn a_sample_of_a_large_grid_is_run() {
    let directory = TempDir::new().unwrap();
    let folder = directory.path();
    two_files(&folder.join("files"));
    let values: Vec<_> = (1..=200).map(|n| n.to_string()).collect();
    let study = |sample: &str| {
        let values = values.join(", ");
        format!(
            "subject = 'noop'\nprojects = ['files']\nseeds = 1\nbudget.executions = 1\n\
             algorithms = [{{ name = 'a', parameters = {{ panic = [{values}], abort = [{values}], \
             hog = [{values}] }}{sample} }}]\n"
        )
    };
    let text = run(folder, "all", 1, &study(""));
    assert!(text.contains("study.toml:5: algorithms.parameters: 8000000 combinations"), "{text}");
    let sampled = study(", sample = 6, sample_seed = 2").replace("[1, ", "[");
    run(folder, "one", 0, &sampled);
    run(folder, "two", 0, &sampled);
    let labels = column(&folder.join("one"), "runs.csv", "algorithm");
    assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), 6);
    assert!(labels.iter().all(|label| label.starts_with("a[panic=")), "{labels:?}");
    assert_eq!(digests(&folder.join("one")), digests(&folder.join("two")));
}

#[test]
fn a_value_that_the_kind_refuses_is_named_with_its_line() {
    let directory = TempDir::new().unwrap();
    let folder = directory.path();
    two_projects(&folder.join("games"));
    let text = "projects = ['games']\nseeds = 1\nbudget.executions = 5\nalgorithms = [\n'random',\n\
                { name = 'mosa', parameters = { population = [\n4,\n6,\n], crossover = [\n0.5,\n7,\n] \
                } },\n]\n";
    let error = run(folder, "out", 1, text);
    let expected = "study.toml:11: algorithms.parameters.crossover: algorithm \
                    `mosa[population=4 crossover=7]`: ";
    assert!(error.contains(expected), "{error}");
}

#[test]
#[ignore = "slow"]
fn reports_on_large_grids_compare_with_the_first_and_show_the_best() {
    let directory = TempDir::new().unwrap();
    let folder = directory.path();
    two_files(&folder.join("files"));
    let values: Vec<_> = (1..=19).map(|n| n.to_string()).collect();
    let study = format!(
        "subject = 'noop'\nprojects = ['files']\nseeds = 2\nbudget.executions = 1\n\
         algorithms = ['a', {{ name = 'a', parameters = {{ ms = [{}] }} }}]\n",
        values.join(", ")
    );
    run(folder, "out", 0, &study);
    assert_eq!(column(&folder.join("out"), "table6.csv", "second"), vec!["a"; 19]);
    assert_eq!(column(&folder.join("out"), "algorithms.csv", "algorithm").len(), 20);
    let report = |out: &str| {
        let mut command = catherd();
        command.arg("report").arg(folder.join(out)).arg("-o").arg(folder.join("report"));
        let output = command.args(["--figures", "svg"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = report("out");
    assert!(
        text.contains("\nMost figures show 12 of 20 algorithms, the first and those with"),
        "{text}"
    );
    let figures = fs::read_dir(folder.join("report/figures")).unwrap();
    let names = figures.map(|file| file.unwrap().file_name().into_string().unwrap());
    // There are too few projects for figures of single pairs.
    assert_eq!(names.filter(|name| name.starts_with("projects-")).count(), 0);
    // Up to 16 algorithms are compared in pairs, and all of them are shown.
    let small = study.replace(", 16, 17, 18, 19", "");
    run(folder, "small", 0, &small);
    assert_eq!(column(&folder.join("small"), "table6.csv", "second").len(), 16 * 15 / 2);
    assert!(!report("small").contains("figures show"));
}
