//! Tests claims and numbers for papers.

use std::fs;

use tempfile::TempDir;

use crate::support::{catherd, stderr, two_projects};

/// Claims of a study: one that holds, one within its tolerance, one that does not hold, one whose
/// number does not exist and one with too few runs.
const CLAIMS: &str = "\
[[claim]]
sentence = 'MIO covers something'
source = 'Table 1'
number = 'algorithms/mio/mean'
relation = '> 0 %'

[[claim]]
sentence = 'MIO has five runs'
number = 'algorithms/mio/runs'
value = 5
tolerance = '20 %'

[[claim]]
sentence = 'MIO covers less than random search'
number = 'algorithms/mio/mean'
relation = '< algorithms/random/mean'

[[claim]]
sentence = 'MOSA covers more'
number = 'algorithms/mosa/mean'
relation = '> 50 %'

[[claim]]
sentence = 'MIO covers everything'
number = 'algorithms/mio/mean'
value = '100 %'
runs = 1000
";

#[test]
#[ignore = "slow"]
fn claims_get_verdicts_in_reports_packages_and_papers() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    two_projects(&path("games"));
    let study = "name = 'study'\nprojects = ['games']\nalgorithms = ['random', 'mio']\nseeds = 2\n\
                 budget.executions = 20\n";
    fs::write(path("study.toml"), study).unwrap();
    fs::write(path("study.claims.toml"), CLAIMS).unwrap();
    let run =
        |arguments: &[&str]| catherd().current_dir(folder.path()).args(arguments).output().unwrap();
    let output = run(&["run", "study.toml", "-q", "-o", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = run(&["claims", "out"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(output.status.code(), Some(4), "{text}{}", stderr(&output));
    for line in [
        "holds: MIO covers something [Table 1]\n",
        "within tolerance: MIO has five runs\n",
        "does not hold: MIO covers less than random search\n",
        "cannot be decided: unknown row `mosa`: ",
        "cannot be decided: only 4 of the 1000 runs that are needed: MIO covers everything\n",
        "2 of 5 claims hold\n",
        ", 4 runs\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Claims are in the report, with the runs that decide each of them, and in a package.
    let output = run(&["report", "out", "-o", "report", "--explain", "claims/1/verdict"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("claims/1/verdict is holds, computed from 4 runs"), "{text}");
    let table = fs::read_to_string(path("report/tables/claims.csv")).unwrap();
    assert!(table.contains(",does not hold\n"), "{table}");
    let output = run(&["archive", "out", "-o", "package.zip", "--with-projects"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = run(&["verify", "package.zip"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // A paper takes its numbers from the study.
    let paper = "Coverage is \\catherd{algorithms/mio/mean} of\n% \\catherd{a/b/c}\n\
                 \\catherd{table6/mio,random/significantly\\_better}.\n";
    fs::write(path("paper.tex"), paper).unwrap();
    run(&["claims", "out", "--from", "paper.tex", "--tex", "numbers.tex"]);
    let numbers = fs::read_to_string(path("numbers.tex")).unwrap();
    assert!(numbers.contains("catherd@\\detokenize{algorithms/mio/mean}\\endcsname{"), "{numbers}");
    assert!(
        numbers.contains("\\detokenize{table6/mio,random/significantly\\_better}"),
        "{numbers}"
    );
    fs::write(path("paper.tex"), "one\n\\catherd{algorithms/moi/mean}").unwrap();
    let output = run(&["claims", "out", "--from", "paper.tex"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("paper.tex:2: unknown row `moi`"), "{}", stderr(&output));
    // Malformed claims are refused before the study runs.
    fs::write(path("study.claims.toml"), CLAIMS.replacen("relation", "relatoin", 1)).unwrap();
    let output = run(&["run", "study.toml", "-q", "-o", "other"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("relatoin"), "{}", stderr(&output));
}

#[test]
fn claims_of_shipped_studies_are_well_formed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments");
    let mut claims = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.to_str().unwrap().ends_with(".claims.toml") {
            let own = catherd_analysis::claims::read(&path).unwrap();
            assert!(own.iter().all(|claim| !claim.source.is_empty()), "{}", path.display());
            claims += own.len();
        }
    }
    assert!(claims >= 60, "{claims}");
}
