//! Tests `catherd stats` through the binary.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use crate::support::catherd;
use serde_json::Value;

/// Returns the answers to the lines of the input, and the exit code.
fn answers(arguments: &[&str], input: &str) -> (Vec<Value>, i32) {
    let output =
        catherd().arg("stats").args(arguments).write_stdin(input.to_owned()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, output.status.code().unwrap())
}

#[test]
fn two_samples_have_every_statistic_that_applies() {
    let input = r#"{"x": [1, 2, 3, 9], "y": [4, 5, 6, 2], "note": "kept out"}"#;
    let (found, code) = answers(&[], input);
    assert_eq!(code, 0);
    let one = &found[0];
    assert_eq!((&one["u1"], &one["a12"]), (&5.5.into(), &0.343_75.into()));
    assert_eq!((&one["method"], &one["a12_magnitude"]), (&"exact".into(), &"medium".into()));
    for field in ["p", "p_exact", "p_asymptotic", "pearson_r", "pearson_p", "spearman_rho"] {
        assert!(one[field].is_f64(), "{field}: {one}");
    }
    for field in ["a12_ci", "wilcoxon", "kruskal"] {
        assert!(one[field][0].is_f64() && one[field][1].is_f64(), "{field}: {one}");
    }
    // Because of a tie, SciPy does not compute the exact p-value by default.
    let (found, _) = answers(&["--compat", "scipy"], input);
    assert_eq!(found[0]["method"], "asymptotic");
    let width = |alpha| {
        let ci = &answers(&["--alpha", alpha], input).0[0]["a12_ci"];
        ci[1].as_f64().unwrap() - ci[0].as_f64().unwrap()
    };
    assert!(width("0.2") < width("0.01"));
}

#[test]
fn blocks_families_and_tables() {
    let (found, code) = answers(
        &[],
        "{\"blocks\": [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]], \"p\": [0.01, 0.04]}\n\
         {\"table\": [[3, 1], [1, 3]]}",
    );
    assert_eq!(code, 0);
    assert_eq!(found[0]["friedman"][0], 8.0);
    assert_eq!(found[0]["wilcoxon_first_two"], found[0]["wilcoxon"]);
    assert_eq!(found[0]["mean_ranks"], serde_json::json!([1.0, 2.0, 3.0]));
    assert!(found[0]["nemenyi"]["critical_difference"].as_f64().unwrap() > 1.0);
    assert_eq!(found[0]["holm"], serde_json::json!([0.02, 0.04]));
    assert_eq!(found[1]["odds_ratio"], 9.0);
    assert!((found[1]["fisher"].as_f64().unwrap() - 34.0 / 70.0).abs() < 1e-12);
}

#[test]
fn unavailable_statistics_have_a_reason_and_bad_lines_do_not_end_the_command() {
    let (found, code) = answers(
        &[],
        "{\"x\": [], \"y\": [1]}\n\nnonsense\n{\"x\": [NaN, 1], \"y\": [1, 2]}\n\
         {\"x\": [1, 1], \"y\": [1, 1]}\n{\"x\": [Infinity, 2], \"y\": [0, 1]}\n",
    );
    assert_eq!((code, found.len()), (2, 5));
    assert!(found[0]["a12"].is_null());
    assert_eq!(found[0]["unavailable"]["a12"], "empty");
    assert_eq!(found[1]["line"], 3);
    assert!(found[1]["error"].as_str().unwrap().contains("column 2"), "{}", found[1]);
    assert_eq!(found[2]["unavailable"]["p"], "not-a-number");
    assert_eq!((&found[3]["p"], &found[3]["method"]), (&1.0.into(), &"degenerate".into()));
    assert_eq!(found[3]["unavailable"]["kruskal"], "constant");
    assert_eq!((&found[4]["a12"], &found[4]["mean"][0]), (&1.0.into(), &"Infinity".into()));
    assert_eq!(found[4]["unavailable"]["wilcoxon"], "infinite");
}

#[test]
fn an_answer_is_written_before_the_next_line_is_read() {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("catherd"))
        .arg("stats")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for u1 in ["1.0", "0.0"] {
        let x = if u1 == "1.0" { 2 } else { 0 };
        writeln!(stdin, "{{\"x\": [{x}], \"y\": [1]}}").unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"u1\":{u1}")), "{line}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn invalid_arguments_are_explained() {
    for arguments in [["--compat", "excel"], ["--alpha", "2"], ["--magnitude", "huge"]] {
        assert_eq!(answers(&arguments, "").1, 1, "{arguments:?}");
    }
}
