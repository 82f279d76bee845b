//! Tests the study in the README and the tutorial: its output must be the same as on the pages and
//! in the picture.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::support::{catherd, stderr};

/// Width of a character in pixels.
const CHARACTER: f64 = 7.8;
/// Height of a line in pixels.
const LINE: usize = 18;
/// Distance of the text from the left border in pixels.
const LEFT: f64 = 14.0;
/// Distance of the first line from the upper border in pixels.
const FIRST_LINE: usize = 27;

/// Returns the command of the README, followed by its output. The duration is taken from the page,
/// because durations differ between machines.
fn terminal(page: &str) -> String {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("smoke");
    let output = catherd()
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(["run", "experiments/smoke.toml", "--workers", "2", "--out"])
        .arg(&out)
        .timeout(Duration::from_secs(600))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let plan = stderr(&output).lines().next().unwrap().to_owned();
    let shown = String::from_utf8(output.stdout).unwrap();
    let shown = shown.replace(out.to_str().unwrap(), "results/smoke");
    let measured = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("smoke: 210 runs, 210 "));
        line.expect("a line of the runs and their duration").to_owned()
    };
    let shown = shown.replace(&measured(&shown), &measured(page));
    format!("$ catherd run experiments/smoke.toml\n{plan}\n\n{}\n", shown.trim())
}

/// Draws the terminal. Each cell is a text element with a stated width, which aligns columns in
/// every font.
fn picture(text: &str) -> String {
    let columns = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = (2.0 * LEFT + CHARACTER * columns as f64).ceil();
    let height = FIRST_LINE + LINE * text.lines().count();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#282c34\"/>\n"
    );
    for (row, line) in text.lines().enumerate() {
        let mut column = 0;
        for cell in line.split("  ") {
            let blanks = cell.len() - cell.trim_start().len();
            let words = cell.trim();
            if !words.is_empty() {
                let escaped = words.replace('&', "&amp;").replace('<', "&lt;");
                writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{}\" textLength=\"{:.1}\" \
                     lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\">{escaped}</text>",
                    LEFT + CHARACTER * (column + blanks) as f64,
                    FIRST_LINE + LINE * row,
                    CHARACTER * words.chars().count() as f64,
                    if row == 0 { "#98c379" } else { "#dcdfe4" },
                )
                .unwrap();
            }
            column += cell.chars().count() + 2;
        }
    }
    svg + "</svg>\n"
}

/// Returns the part of a page from the table of mean coverage to the end of the code block.
fn shown_by(page: &str) -> &str {
    let start = page.find("Mean coverage over projects").expect("a table of the study");
    page[start..].split("```").next().unwrap()
}

#[test]
#[ignore = "slow"]
fn pages_and_picture_show_what_the_study_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let tutorial = fs::read_to_string(root.join("docs/tutorial.md")).unwrap();
    let text = terminal(&readme);
    for page in [&readme, &tutorial] {
        assert!(text.contains(shown_by(page)), "the study prints\n{text}");
    }
    let file = root.join("docs/images/terminal.svg");
    if std::env::var_os("CATHERD_WRITE_DOCS").is_some() {
        fs::write(&file, picture(&text)).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap();
    assert!(
        kept == picture(&text),
        "docs/images/terminal.svg is not what the study prints; write it with CATHERD_WRITE_DOCS=1"
    );
}
