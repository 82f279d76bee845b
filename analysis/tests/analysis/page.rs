//! Tests the page of a report in a browser.

use std::fs;
use std::process::{Command, Stdio};

use catherd_analysis::report::Report;
use catherd_analysis::tidy::{self, Results};
use serde_json::Value;

#[test]
#[ignore = "needs chromium"]
fn a_reader_uses_the_page() {
    let dir = tempfile::tempdir().unwrap();
    let runs = crate::synthetic::runs(15, 6);
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    let results = Results::read(dir.path()).unwrap();
    let report = Report::new(&results, "study", |_| ()).unwrap();
    let path = report.write(&dir.path().join("report"), &[]).unwrap();
    let page = fs::read_to_string(&path).unwrap();
    let script = format!("<script>{}</script></body>", include_str!("page/probe.js"));
    fs::write(&path, page.replace("</body>", &script)).unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"])
        .args(["--disable-component-update", "--no-first-run", "--dump-dom"])
        .arg("--virtual-time-budget=10000")
        .arg(format!("--user-data-dir={}", dir.path().join("browser").display()))
        .arg(format!("file://{}", path.display()))
        .stderr(Stdio::null())
        .output()
        .expect("chromium is installed");
    let text = String::from_utf8_lossy(&output.stdout);
    let start = text.find("<pre id=\"shown\">").expect("the page was used") + 16;
    let json = &text[start..start + text[start..].find("</pre>").unwrap()];
    let shown: Value = serde_json::from_str(&json.replace("&gt;", ">")).unwrap();

    let numbers = |name: &str| -> Vec<f64> {
        let cells = shown[name].as_array().unwrap().iter();
        cells.map(|cell| cell.as_str().unwrap().parse().unwrap()).collect()
    };
    let (up, down) = (numbers("ascending"), numbers("descending"));
    assert!(up.is_sorted() && down.iter().rev().is_sorted() && up.len() == 3, "{shown}");
    assert_eq!(shown["filtered"], "15 of 45 rows");
    assert_eq!(shown["opened"], true, "{shown}");
    assert_eq!(shown["runs"], "Computed from 6 runs:");
    assert!(shown["run"].as_str().unwrap().contains("mio, seed 0"), "{shown}");
    let facts = shown["facts"].to_string();
    assert!(facts.contains("catherd replay RESULTS ") && facts.contains("suites/"), "{facts}");
    assert!(shown["points"].as_u64().unwrap() > 1, "{shown}");
    assert_eq!(shown["pressed"], "false");
    assert!(shown["hidden"].as_u64().unwrap() >= 1 && shown["tooltips"].as_u64().unwrap() > 50);
    assert!((1..=8).contains(&shown["found"].as_u64().unwrap()), "{shown}");
}
