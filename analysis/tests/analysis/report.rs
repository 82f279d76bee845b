//! Tests reports through the public API.

use std::fs;

use catherd_analysis::comparison::Samples;
use catherd_analysis::findings::{AaTest, MutationAnalysis, Speed, VersionChange};
use catherd_analysis::report::{
    Address, AddressError, Check, FigureFormat, FileSettings, Item, Report, ReportSettings,
};
use catherd_analysis::table::{Cell, LatexWidth};
use catherd_analysis::tables;
use catherd_analysis::tidy::{self, Results};
use catherd_experiments::{RunRecord, RunSpec};
use tempfile::TempDir;

fn results(runs: impl Iterator<Item = (RunSpec, RunRecord)>) -> (Results, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    tidy::write(dir.path(), &crate::synthetic::subject(), runs, &[]).unwrap();
    (Results::read(dir.path()).unwrap(), dir)
}

#[test]
#[ignore = "slow"]
fn the_page_and_the_files_contain_everything() {
    let nasty = crate::synthetic::runs(6, 4).map(|(mut spec, record)| {
        spec.project_name = spec.project_name.replace("project-3", "</script><b>&\"");
        (spec, record)
    });
    let (results, _dir) = results(nasty);
    let mut titles = Vec::new();
    let report = Report::new(&results, "A <study>", |title| titles.push(title.to_owned())).unwrap();
    assert_eq!(titles.len(), report.sections.len());
    let out = tempfile::tempdir().unwrap();
    let page = fs::read_to_string(report.write(out.path(), &FigureFormat::ALL).unwrap()).unwrap();

    assert!(page.contains("<h1>A &lt;study&gt;</h1>") && !page.contains("</script><b>"));
    let plain = page.replace("http://www.w3.org/2000/svg", "");
    for foreign in ["http://", "https://", "<link", "src=", "@import", "url(h"] {
        assert!(!plain.contains(foreign), "the page loads {foreign}");
    }
    assert!(!page.contains("NaN") && !page.contains(">inf"));
    assert!(report.tables().count() >= 16 && report.figures().count() >= 24);
    for table in report.tables() {
        assert!(page.contains(&format!("<table id=\"{}\">", table.name)), "{}", table.name);
        for kind in ["csv", "md", "tex"] {
            let file = out.path().join("tables").join(table.name).with_extension(kind);
            assert!(fs::metadata(file).unwrap().len() > 20, "{}.{kind}", table.name);
        }
    }
    for figure in report.figures() {
        let file = out.path().join("figures").join(&figure.name).with_extension("svg");
        let svg = fs::read_to_string(&file).unwrap();
        let size = |kind: &str| fs::metadata(file.with_extension(kind)).unwrap().len();
        assert!(size("pdf") > 1_000 && size("png") > 1_000, "{}", figure.name);
        let widths = ["width=\"84mm\"", "width=\"174mm\""];
        assert!(widths.iter().any(|width| svg.contains(width)), "{}", figure.name);
        assert_eq!(svg.matches("font-size=").count(), 1, "{}", figure.name);
        assert!(svg.starts_with("<svg viewBox=") && svg.contains(">n "), "{}", figure.name);
        assert!(
            page.contains(&svg) && figure.svg.as_str() == svg && figure.caption.contains(' '),
            "{}",
            figure.name
        );
    }
    let items = report.sections.iter().flat_map(|s| &s.items);
    let unavailable: Vec<_> = items.filter(|i| matches!(i, Item::Unavailable(_))).collect();
    // The study has no table of goals, no project covered equally by all algorithms, and no missing
    // run.
    assert_eq!(unavailable.len(), 3, "{unavailable:?}");

    // The data of the script contain all runs and sets of runs.
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(&page[start..end]).unwrap();
    assert_eq!(data["ids"].as_array().unwrap().len(), results.runs.len());
    let sets = data["sets"].as_array().unwrap();
    let all = format!("0-{}", results.runs.len() - 1);
    assert!(sets.iter().any(|set| *set == all.as_str()), "{sets:?}");
    for number in page.split("data-runs=\"").skip(1) {
        let number = number.split('"').next().unwrap();
        assert!(number.is_empty() || number.parse::<usize>().unwrap() < sets.len());
    }
    let again = Report::new(&results, "A <study>", |_| ()).unwrap();
    again.write(out.path(), &[]).unwrap();
    let again = fs::read_to_string(out.path().join("report.html")).unwrap();
    assert!(again == page, "the page has changed");
}

#[test]
fn missing_data_is_stated() {
    let bare = crate::synthetic::runs(2, 1).take(2).map(|(spec, mut record)| {
        record.timeline.clear();
        record.mutants.clear();
        record.suite.tests = 0;
        (spec, record)
    });
    let (one, _dir) = results(bare.filter(|(spec, _)| spec.algorithm.name == "random"));
    let report = Report::new(&one, "bare", |_| ()).unwrap();
    let sentences: Vec<&str> = report
        .sections
        .iter()
        .flat_map(|s| &s.items)
        .filter_map(|item| if let Item::Unavailable(line) = item { Some(*line) } else { None })
        .collect();
    for subject in ["Pairs of algorithms", "A/A test", "Mutation scores", "Lengths of tests"] {
        assert!(sentences.iter().any(|s| s.starts_with(subject)), "{subject}: {sentences:?}");
    }
    let (nothing, _dir) = results(std::iter::empty());
    let out = tempfile::tempdir().unwrap();
    Report::new(&nothing, "nothing", |_| ()).unwrap().write(out.path(), &[]).unwrap();
}

#[test]
#[ignore = "slow"]
fn a_number_is_found_with_its_runs_and_checked() {
    let (results, _dir) = results(crate::synthetic::runs(6, 4));
    let report = Report::new(&results, "study", |_| ()).unwrap();
    let find = |text: &str| text.parse::<Address>().unwrap().find(&report);
    let mean = find("algorithms/mio/mean").unwrap();
    assert_eq!((mean.runs.len(), mean.cell.value().unwrap() > 0.5), (24, true));
    assert_eq!(find("algorithms/3/mean").unwrap().cell, mean.cell);
    let own = find("coverage/project-4,mosa/mean").unwrap().runs.to_vec();
    let id = |run: u32| results.projects[results.runs[run as usize].project as usize].name.clone();
    assert_eq!(own.iter().map(|&run| id(run)).collect::<Vec<_>>(), ["project-4"; 4]);
    // The number of better projects was computed only from the runs on these projects.
    let better = find("table6/mio,random/better").unwrap();
    assert_eq!(better.runs.len(), better.cell.value().unwrap() as usize * 8);
    for (bad, part) in [("x/1/y", "table"), ("table6/x/better", "row"), ("table6/1/x", "column")] {
        match find(bad) {
            Err(AddressError::Unknown { part: found, known, .. }) => {
                assert!(found == part && !known.is_empty(), "{bad}");
            }
            other => panic!("{bad}: {other:?}"),
        }
    }
    let check = |text: &str| text.parse::<Check>().unwrap().holds(&report);
    let holds = |text: &str| check(text).unwrap();
    assert!(holds("algorithms/mio/mean >= 50 %") && !holds("algorithms/mio/mean > 100%"));
    match find("table6/mio/better") {
        Err(AddressError::Ambiguous { candidates, .. }) => {
            assert_eq!(candidates, "row 2 (mio,random,1.00); row 3 (mio,mosa,0.54)");
        }
        other => panic!("{other:?}"),
    }
    match find("budget/mio,random/better") {
        Err(AddressError::Ambiguous { candidates, .. }) => {
            assert!(candidates.contains("row 18 (mio,random,300)"), "{candidates}");
        }
        other => panic!("{other:?}"),
    }
    let at_end = find("budget/mio,random,300/better").unwrap();
    assert_eq!(at_end.cell, find("table6/mio,random/better").unwrap().cell);
    assert_eq!(find("convergence/mio,50 %/runs").unwrap().runs.len(), 24);
    let digest = &results.projects[4].digest;
    let by_digest = find(&format!("coverage/{},mosa/mean", &digest[..9])).unwrap();
    assert_eq!(by_digest.runs, own);
    for (bad, meaning) in [
        ("algorithms/mio/mean > 50", "`50 %`"),
        ("algorithms/mio/mean < 50", "`50 %`"),
        ("table6/1/better > 50 %", "`50` without %"),
    ] {
        match check(bad) {
            Err(AddressError::Unit { meaning: found, .. }) => {
                assert!(found.contains(meaning), "{bad}: {found}");
            }
            other => panic!("{bad}: {other:?}"),
        }
    }
    for bad in ["algorithms/mio/mean < 120 %", "algorithms/mio/mean > -0.5"] {
        let refused = check(bad).unwrap_err().to_string();
        assert!(refused.contains("out of range") && !refused.contains("unit"), "{refused}");
    }
    assert!(matches!(check("algorithms/mio/algorithm > 0"), Err(AddressError::Text { .. })));
    assert!(holds("algorithms/mio/mean <= 1") && holds("table6/mio,random/mean_a12 > 50 %"));
    let old = find("calibration/mio/false_findings").unwrap();
    assert_eq!(old.cell, find("aa-test/mio/false_positive_rate").unwrap().cell);
    assert_eq!(find("cost/1/execution_ms").unwrap().cell, find("cost/1/ms_per_unit").unwrap().cell);
    assert!(holds("table6/1/missing = 0"));
}

#[test]
fn an_algorithm_does_not_differ_from_itself() {
    let same = crate::synthetic::runs(8, 10).map(|(spec, mut record)| {
        record.criteria[0].covered = (0..10 + spec.seed as u32 / 2).collect();
        (spec, record)
    });
    let (results, _dir) = results(same);
    let rows = AaTest::all(&Samples::coverage(&results));
    assert_eq!(rows.len(), 3);
    // Seeds 0 and 1 have the same coverage, as do seeds 2 and 3, so the halves are equal.
    assert!(rows.iter().all(|row| row.comparison.mean_a12() == Some(0.5)));
    assert_eq!(rows[0].false_positive_rate(), Some(0.0));
    let runs: Vec<u32> = rows[1].comparison.runs(&rows[1].samples, |d| d.project == 0).collect();
    assert_eq!(runs, [10, 12, 14, 16, 18, 11, 13, 15, 17, 19]);
}

/// Halves of three runs cannot differ significantly, so there is no false-positive rate.
#[test]
fn an_aa_test_with_too_few_runs_has_no_false_positive_rate() {
    for (seeds, rate) in [(6, None), (8, Some(0.0))] {
        let runs = crate::synthetic::runs(3, seeds).map(|(spec, mut record)| {
            record.criteria[0].covered = (0..10 + spec.seed as u32 / 2).collect();
            (spec, record)
        });
        let (results, _dir) = results(runs);
        let rows = AaTest::all(&Samples::coverage(&results));
        assert_eq!(rows[0].false_positive_rate(), rate, "{seeds}");
        let table = tables::aa_test(&results, &rows);
        let column = table.table.columns().iter().position(|c| c.0 == "false_positive_rate");
        let shown = table.table.rows()[0][column.unwrap()].display();
        assert_eq!(shown, if rate.is_none() { "n/a" } else { "0.0 %" });
        assert_eq!(table.caption.contains("8 runs of an algorithm are needed"), rate.is_none());
    }
}

#[test]
fn an_incomplete_study_is_marked_everywhere() {
    let (_, dir) = results(crate::synthetic::runs(6, 4).take(50));
    let state = |complete: bool| {
        let json = serde_json::json!({
            "format": 1, "planned": 72, "done": if complete { 69 } else { 47 }, "failed": 2,
            "quarantined": 1, "pending": if complete { 0 } else { 22 }, "complete": complete,
        });
        fs::write(dir.path().join("study-state.json"), json.to_string()).unwrap();
        Results::read(dir.path()).unwrap()
    };
    let written = |results: &Results| {
        let out = tempfile::tempdir().unwrap();
        let report = Report::new(results, "half", |_| ()).unwrap();
        report.write(out.path(), &[FigureFormat::Svg]).unwrap();
        let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
        let captions: Vec<String> = report
            .tables()
            .map(|table| table.caption.clone())
            .chain(report.figures().map(|figure| figure.caption.clone()))
            .collect();
        let json: serde_json::Value = serde_json::from_str(&read("report.json")).unwrap();
        (captions, read("report.html"), json, read("tables/table6.tex"))
    };
    let (captions, page, json, latex) = written(&state(false));
    assert!(captions.iter().all(|c| c.starts_with("Interim: 50 of 72 runs. ")), "{captions:?}");
    assert!(page.contains("<p class=\"interim\">interim: 50 of 72 runs</p>"));
    assert!(latex.contains("Interim: 50 of 72 runs."));
    assert_eq!(json["interim"]["text"], "interim: 50 of 72 runs");
    assert_eq!((&json["interim"]["planned"], &json["interim"]["ended"]), (&72.into(), &50.into()));
    assert_eq!(json["summary"][0], "Interim: 50 of 72 runs.");

    let (captions, page, json, _) = written(&state(true));
    assert!(captions.iter().all(|caption| !caption.contains("nterim")));
    assert!(!page.contains("class=\"interim\"") && json["interim"].is_null());
}

#[test]
#[ignore = "slow"]
fn a_report_begins_with_the_main_findings() {
    let (results, _dir) = results(crate::synthetic::runs(8, 6));
    let report = Report::new(&results, "study", |_| ()).unwrap();
    let [certain, headline, who, how_much, how_many, rule, missing] = report.summary() else {
        panic!("{:?}", report.summary())
    };
    let mean = |name: &str| {
        let address: Address = format!("algorithms/{name}/mean").parse().unwrap();
        100.0 * address.find(&report).unwrap().cell.value().unwrap()
    };
    let [mio, mosa] = ["mio", "mosa"].map(mean);
    assert!(headline.contains("more than random (by "), "{headline}");
    let row =
        report.tables().find(|table| table.name == "decisions").unwrap().table.rows()[1].clone();
    assert_eq!([0, 1, 2].map(|cell| row[cell].display()), ["mio", "random", "better"]);
    assert!(certain.contains("the order ") && certain.contains("with probability"), "{certain}");
    let start = format!("mio has the highest mean coverage over 8 projects: {mio:.1} %, ");
    assert!(who.starts_with(&start), "{who}");
    let points =
        format!("That is {:.1} percentage points more than mosa (95 % interval", mio - mosa);
    assert!(how_much.contains(&points) && how_much.contains("(mean A12)"), "{how_much}");
    assert!(how_much.contains("Wilcoxon signed-rank test over 8 projects: p "), "{how_much}");
    assert!(rule.starts_with("One rule decides"), "{rule}");
    let address: Address = "table6/mio,mosa/better".parse().unwrap();
    let better = address.find(&report).unwrap().cell.display();
    assert!(how_many.starts_with(&format!("On {better} of 8 projects mio is better than mosa")));
    assert!(how_many.contains("significantly on"), "{how_many}");
    assert_eq!(missing, "All 144 planned runs have a coverage, and no project was skipped.");
    assert_eq!(report.figures().next().unwrap().name, "best");
}

#[test]
#[ignore = "needs pdflatex"]
fn tables_fit_the_page_of_latex() {
    let long = crate::synthetic::runs(6, 4).chain(crate::synthetic::runs(50, 1).skip(18)).map(
        |(mut spec, mut record)| {
            let word = "a_really-long/name.of_a_folder/and";
            spec.project_name = format!("{word}{word}/{} & more.sb3", spec.project_name);
            if spec.algorithm.name == "mio" {
                spec.algorithm.label =
                    "MIO with a population of 100 and WWWWWWWWWWWWWWWWWWWW".to_owned();
                if spec.seed == 0 {
                    record.outcome = catherd_experiments::RunOutcome::Failed;
                    record.reason =
                        "error: cannot open /a/very/long/path/to/a/file.json: {".repeat(4);
                }
            }
            (spec, record)
        },
    );
    let (results, _dir) = results(long);
    let report = Report::new(&results, "study", |_| ()).unwrap();
    // Document classes, each with a width in points that fits. The other widths fit all classes.
    let classes = [
        ("\\documentclass{article}", 345.0),
        ("\\documentclass[conference]{IEEEtran}", 252.0),
        ("\\documentclass[sigconf,nonacm]{acmart}", 505.0),
        ("\\documentclass[runningheads]{llncs}", 200.0),
    ];
    for (class, points) in classes {
        for width in [LatexWidth::Column, LatexWidth::Text, LatexWidth::Points(points)] {
            compile(&report, class, width);
        }
    }
}

fn compile(report: &Report<'_>, class: &str, latex_width: LatexWidth) {
    let out = tempfile::tempdir().unwrap();
    let figures = if latex_width == LatexWidth::Text { vec![FigureFormat::Pdf] } else { vec![] };
    let settings = FileSettings { figures, latex_width, ..FileSettings::default() };
    report.write_with(out.path(), &settings).unwrap();
    let inputs: String =
        report.tables().map(|t| format!("\\input{{tables/{}}}\\clearpage\n", t.name)).collect();
    let included = report.figures().filter(|_| !settings.figures.is_empty());
    let figures: String = included
        .map(|f| {
            format!(
                "\\begin{{figure*}}\\makebox[0pt]{{\\includegraphics{{figures/{}}}}}\\end{{figure*}}\
                 \\clearpage\n",
                f.name
            )
        })
        .collect();
    let document = format!(
        "{class}\n\\usepackage{{booktabs,graphicx}}\n\\begin{{document}}\n\
         \\title{{T}}\\author{{A}}\\maketitle Text.\n{inputs}{figures}\
         \\end{{document}}\n"
    );
    fs::write(out.path().join("all.tex"), document).unwrap();
    let mut command = std::process::Command::new("pdflatex");
    let arguments = ["-interaction=nonstopmode", "-halt-on-error", "all.tex"];
    let output = command.args(arguments).current_dir(&out).output().unwrap();
    let log = fs::read(out.path().join("all.log")).unwrap();
    let log = String::from_utf8_lossy(&log);
    let end = log.char_indices().rev().nth(3_000).map_or(0, |at| at.0);
    assert!(output.status.success(), "{class} {latex_width}: {}", &log[end..]);
    // A line may be too wide by at most 1 pt.
    let is_wrong = |line: &&str| {
        let excess =
            line.strip_prefix("Overfull \\hbox (").and_then(|rest| rest.split("pt").next());
        excess.is_some_and(|points| points.parse::<f64>().is_ok_and(|points| points > 1.0))
            || line.contains("Float too large")
    };
    let wrong: Vec<&str> = log.lines().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{class} {latex_width}: {wrong:?}");
    if !settings.figures.is_empty() {
        assert!(
            log.matches("figures/").count() >= report.figures().count(),
            "figures are included"
        );
    }
}

/// Text at the border would be cut off.
#[test]
#[ignore = "slow"]
fn no_figure_has_ink_at_its_border() {
    let long = crate::synthetic::runs(7, 8).map(|(mut spec, record)| {
        if spec.algorithm.name == "mio" {
            spec.algorithm.label =
                "MIO with a population of 100 and WWWWWWWWWWWWWWWWWWWW".to_owned();
        }
        (spec, record)
    });
    for (results, _dir) in [results(long), results(crate::synthetic::runs(2, 3))] {
        let report = Report::new(&results, "study", |_| ()).unwrap();
        assert!(report.figures().count() > 5);
        for figure in report.figures() {
            assert_no_ink_at_border(&figure.name, &figure.svg.png().unwrap());
        }
    }
}

fn assert_no_ink_at_border(name: &str, file: &[u8]) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let (width, height) = (info.width as usize, info.height as usize);
    let is_white = |x: usize, y: usize| bytes[(y * width + x) * 3..][..3].iter().all(|&b| b == 255);
    for y in 0..height {
        assert!(is_white(0, y) && is_white(width - 1, y), "{name}: ink at the side, row {y}");
    }
    for x in 0..width {
        assert!(is_white(x, 0) && is_white(x, height - 1), "{name}: ink above or below, {x}");
    }
}

#[test]
#[ignore = "slow"]
fn an_algorithm_has_its_colour_in_every_study() {
    let colour_of_mio = |results: &Results| {
        let report = Report::new(results, "study", |_| ()).unwrap();
        let svg = report.figures().find(|f| f.name == "best").unwrap().svg.as_str().to_owned();
        let group = &svg[svg.find("data-series=\"mio").unwrap()..];
        let start = group.find("stroke=\"#").unwrap() + 8;
        group[start..start + 7].to_owned()
    };
    let (all, _one) = results(crate::synthetic::runs(6, 6));
    let (two, _two) =
        results(crate::synthetic::runs(6, 6).filter(|(spec, _)| spec.algorithm.name != "random"));
    assert_eq!(colour_of_mio(&all), colour_of_mio(&two));
    let mut chosen = all.clone();
    chosen.styles.insert("mio".to_owned(), 4);
    assert_eq!(colour_of_mio(&chosen), catherd_experiments::palette::colour(4));
}

#[test]
fn nothing_is_inferred_from_two_projects() {
    let (results, _dir) = results(crate::synthetic::runs(2, 20));
    let report = Report::new(&results, "study", |_| ()).unwrap();
    let summary = report.summary().join(" ");
    assert!(
        summary.starts_with(
            "Nothing is decided: a test over projects needs at least 6 projects, not 2"
        ),
        "{summary}"
    );
    assert!(!summary.contains("interval:") && !summary.contains("p = "), "{summary}");
    let find = |text: &str| text.parse::<Address>().unwrap().find(&report).unwrap().cell.clone();
    for address in ["decisions/1/low", "decisions/1/p", "table6/1/a12_low"] {
        assert_eq!(find(address).display(), "n/a", "{address}");
    }
    let names: Vec<&str> = report.figures().map(|figure| figure.name.as_str()).collect();
    let individual = ["effects-mosa-random", "projects-mosa-random", "sizes", "baseline-coverage"];
    for name in ["ranks", "effect-sizes"].into_iter().chain(individual) {
        assert!(!names.contains(&name), "{name}: {names:?}");
    }
}

/// Three runs cannot differ significantly with any budget, so the figure is not drawn.
#[test]
#[ignore = "slow"]
fn significance_by_budget_is_drawn_if_there_is_any() {
    for (runs, drawn) in [(3, false), (20, true)] {
        let (results, _dir) = results(crate::synthetic::runs(8, runs));
        let report = Report::new(&results, "study", |_| ()).unwrap();
        let found = report.figures().any(|figure| figure.name == "significance-over-budget");
        assert_eq!(found, drawn, "{runs} runs");
    }
}

#[test]
fn interim_results_have_no_p_values() {
    let (_, dir) = results(crate::synthetic::runs(6, 8));
    let json = serde_json::json!({
        "format": 1, "planned": 432, "done": 144, "failed": 0, "quarantined": 0, "dropped": 0,
        "pending": 288, "complete": false,
    });
    fs::write(dir.path().join("study-state.json"), json.to_string()).unwrap();
    let results = Results::read(dir.path()).unwrap();
    let report = Report::new(&results, "study", |_| ()).unwrap();
    let out = tempfile::tempdir().unwrap();
    report.write(out.path(), &[]).unwrap();
    let page = fs::read_to_string(out.path().join("report.html")).unwrap();
    let page = page.split("<script").next().unwrap();
    let digits = |text: &str| text.chars().take(5).any(|c| c.is_ascii_digit());
    for pattern in ["p = ", "p\u{a0}=\u{a0}", "p < 0.0001"] {
        assert!(!page.split(pattern).skip(1).any(digits), "{pattern}");
    }
    for table in report.tables() {
        for (at, (name, _)) in table.table.columns().iter().enumerate() {
            let of_tests = ["p", "p_holm", "p_bh", "significantly_better", "holm_better"];
            if of_tests.contains(&name.as_str()) {
                let mut cells = table.table.rows().iter().map(|row| row[at].display());
                assert!(cells.all(|cell| cell == "n/a"), "{} {name}", table.name);
            }
        }
    }
    let rounds: Address = "decisions/1/rounds".parse().unwrap();
    // The pair was decided by the analysis after five of the eight rounds.
    assert_eq!(rounds.find(&report).unwrap().cell.display(), "5");
    assert!(report.figures().all(|figure| figure.name != "significance"));
    catherd_analysis::summarise(dir.path()).unwrap();
    let table6 = fs::read_to_string(dir.path().join("table6.csv")).unwrap();
    assert!(table6.lines().nth(1).unwrap().contains(",,"), "{table6}");
}

#[test]
#[ignore = "slow"]
fn too_few_runs_are_reported_with_the_number_needed() {
    let (results, _dir) = results(crate::synthetic::runs(6, 3));
    let report = Report::new(&results, "study", |_| ()).unwrap();
    let needed = "with 3 runs of an algorithm on a project, none of these differences can be \
                  significant: 4 are needed for p < 0.05";
    assert!(report.summary().iter().any(|s| s.contains(needed)), "{:?}", report.summary());
}

#[test]
fn mutants_are_counted_by_operator() {
    let runs = crate::synthetic::runs(4, 3).map(|(spec, mut record)| {
        record.metrics.insert("falsePositiveTests".to_owned(), 1.into());
        (spec, record)
    });
    let (results, _dir) = results(runs);
    let mutation = MutationAnalysis::new(&results).unwrap().unwrap();
    assert_eq!(mutation.operators, ["SBD"]);
    let total = mutation.totals().next().unwrap();
    assert_eq!((total.mutants, total.killed, total.runs.len()), (8, 4, 4));
    assert_eq!(total.per_run, [0.5; 4]);
    assert_eq!(mutation.false_positives[0], Some(1.0 / 7.0));

    // 27,000 steps of 1/30 s in 600 ms.
    let speed = Speed::all(&results).unwrap();
    assert!((speed[0].factor.as_ref().unwrap().median - 1_500.0).abs() < 1e-9);
    assert_eq!(speed[0].flaky, None);
}

#[test]
fn ranks_detection_and_risk_have_a_section_if_runs_measure_them() {
    let counted = crate::synthetic::runs(2, 12).map(|(spec, mut record)| {
        let better = spec.algorithm.label == "mio";
        let odd = i64::from(spec.seed % 4 == 0);
        let mut count = |name: &str, value: i64| record.metrics.insert(name.into(), value.into());
        count("rank", 10 + odd + if better { 5 } else { 0 });
        count("reachable", 20);
        count("rank.pairs", 7 + odd);
        count("detected.lost.trigger", i64::from(better || spec.seed % 4 == 0));
        count("detected.lost.replay", 0);
        for (tests, variance) in [(10, 0.5), (50, 0.125)] {
            let name = format!("risk.variance.max.{tests}");
            record.metrics.insert(name, catherd_experiments::Metric::Number(variance));
        }
        let table = "tests,item,alpha,beta,mean,variance\n1,\"a, b\",9,9,0,0\n\
                     50,\"a, b\",5,2,0,0\n50,c,1,4,0,0\n50,d,1,1,0,0\n";
        record.artifacts.insert("risk.csv".to_owned(), table.to_owned());
        (spec, record)
    });
    let (results, _dir) = results(counted);
    let report = Report::new(&results, "Ranks", |_| ()).unwrap();
    let value = |address: &str| {
        let address: Address = address.parse().unwrap();
        address.find(&report).unwrap_or_else(|error| panic!("{error}")).cell.value()
    };
    let project = &results.projects[0].name;
    let of = |rest: &str| value(&rest.replace("PROJECT", project));
    assert_eq!(of("detection/PROJECT,lost,trigger/mio"), Some(1.0));
    assert_eq!(of("detection/PROJECT,lost,trigger/random"), Some(0.25));
    assert_eq!(of("detection/PROJECT,lost,replay/mio"), Some(0.0));
    let p = of("detection-intervals/PROJECT,lost,trigger,mio/p").unwrap();
    // For 12 of 12 and 3 of 12 runs, 2 * C(15, 12) of C(24, 12) tables are at most as likely.
    let expected = 455.0 / 2_704_156.0 * 2.0;
    assert!((p / expected - 1.0).abs() < 1e-9, "{p} {expected}");
    assert_eq!(of("suite-ranks/PROJECT,optimised,mio/mean"), Some(15.25));
    assert_eq!(of("suite-ranks/PROJECT,optimised,mio/of_reachable"), Some(15.25 / 20.0));
    assert_eq!(of("suite-ranks/PROJECT,pairs,measured,mosa/maximum"), Some(8.0));
    assert_eq!(of("risk-stability/PROJECT,mio/ratio"), Some(0.25));
    assert_eq!(of("rank-detection/PROJECT,lost.trigger,pairs/runs"), Some(36.0));
    let spearman = of("rank-detection/PROJECT,lost.trigger,pairs/spearman").unwrap();
    assert!((spearman - 1.0 / 3.0_f64.sqrt()).abs() < 0.2, "{spearman}");
    // No suite detects the fault on replay in either project.
    let table = report.tables().find(|table| table.name == "rank-detection").unwrap();
    assert_eq!(table.table.rows().len(), 2);
    assert!(table.caption.ends_with(": 2 of 4."), "{}", table.caption);
    assert!(report.figures().any(|figure| figure.name.starts_with("variance-over-tests")));
    // Each of twelve runs has four failed tests and one passed test of the first item; the prior
    // adds one of each.
    let table = report.tables().find(|table| table.name == "riskiest").unwrap();
    let of = |row: usize, column: usize| table.table.rows()[row][column].value().unwrap();
    assert_eq!(table.table.rows().len(), 2 * 2 * 3);
    assert_eq!((of(0, 3), of(0, 4), of(0, 5)), (60.0, 48.0, 49.0 / 62.0));
    assert!(of(0, 6) < of(0, 5) && of(0, 5) < of(0, 7), "the interval contains the mean");
    assert_eq!((of(1, 3), of(1, 4)), (36.0, 0.0));

    // Without these metrics, a report has no section about them.
    let (plain, _dir) = self::results(crate::synthetic::runs(1, 2));
    let report = Report::new(&plain, "Plain", |_| ()).unwrap();
    assert!(report.tables().all(|table| table.name != "detection"));
    assert!(report.sections.iter().all(|section| !section.items.is_empty()));
}

/// Counts and the tables of missing data and projects need no runs.
#[test]
#[ignore = "slow"]
fn every_number_has_a_method_and_runs() {
    let (results, _dir) = results(crate::synthetic::runs(8, 6));
    let old = results.clone();
    let history = VersionChange::all("old", &old, &results);
    let settings = ReportSettings { history, ..ReportSettings::default() };
    let report = Report::with(&results, "study", &settings, |_| ()).unwrap();
    for figure in report.figures() {
        assert!(figure.caption.len() > 20, "figure {}: {}", figure.name, figure.caption);
    }
    let mut tables = Vec::new();
    for table in report.tables() {
        assert!(table.caption.len() > 20, "table {}: {}", table.name, table.caption);
        tables.push(table.name);
        for (number, row) in table.table.rows().iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let name = &table.table.columns()[column].0;
                // Counts may be 0 and then have no runs.
                let counted = ["missing", "dataset"].contains(&table.name)
                    || matches!(cell, Cell::Count(_) | Cell::Text(_) | Cell::Missing);
                let runs = table.table.source_runs(number, column);
                assert!(counted || !runs.is_empty(), "{}, row {number}, {name}", table.name);
            }
        }
    }
    for name in ["decisions", "ranks", "areas", "history", "difference-relations", "power"] {
        assert!(tables.contains(&name), "{name} is not among {tables:?}");
    }
    assert!(report.figures().any(|figure| figure.name == "history"));
    let explained: Address = "ranks/mio/best_drawn_probability".parse().unwrap();
    assert_eq!(explained.find(&report).unwrap().runs.len(), results.runs.len());
}
