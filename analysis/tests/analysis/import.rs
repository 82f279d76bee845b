//! Tests the import of results of other tools through the public API.

use std::fs;
use std::path::PathBuf;

use catherd_analysis::comparison::{Comparison, Samples};
use catherd_analysis::import::{
    Columns, Format, FuzzBench, ImportError, ImportSummary, Pynguin, Whisker, import,
};
use catherd_analysis::progress::Progress;
use catherd_analysis::tidy::{Clock, Results, UNCOUNTED};
use catherd_experiments::{Budget, RunOutcome, Unit};
use tempfile::TempDir;

fn scene(text: &str) -> (TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("raw.csv"), dir.path().join("tables"));
    fs::write(&file, text).unwrap();
    (dir, file, out)
}

fn imported(format: &dyn Format, text: &str) -> (Results, ImportSummary, TempDir) {
    let (dir, file, out) = scene(text);
    let budget = Budget { wall_ms: Some(600_000), ..Budget::default() };
    let summary = import(format, &[file], budget, &out).unwrap();
    (Results::read(&out).unwrap(), summary, dir)
}

fn refusal(format: &dyn Format, text: &str) -> String {
    let (_dir, file, out) = scene(text);
    let error = import(format, &[file], Budget::default(), &out).unwrap_err();
    assert!(!out.join("runs.parquet").exists(), "no tables of an incomplete file");
    error.to_string()
}

const WHISKER: &str = "\
projectName,configName,fitnessFunctionCount,iterationCount,coveredFitnessFunctionCount,\
bestCoverage,testsuiteEventCount,executedEventsCount,executedTests,minimizedTests,\
minimizedEvents,averageTestExecutionTime,bestTestSuiteSize,numberFitnessEvaluations,\
createdTestsToReachFullCoverage,timeToReachFullCoverage";

#[test]
fn whisker_with_ragged_rows_commas_and_second_headers() {
    let text = format!(
        "{WHISKER},0,1000,2000\n\
         Cats, dogs, 3,mio,54,2,52,0.96,20,924,135,1,12,443.5,4,135,,,33,45,45\n\
         Pong,random,49,2,49,1,32,719,69,0,9,890,5,69,17,1500,20,49\n\
         {WHISKER},0\n\
         Pong,random,49,2,48,0.98,32,719,69,0,9,890,5,69,,,20\n\
         Broken,random,,,,,,,,,,,,,,\n"
    );
    let (results, summary, _dir) = imported(&Whisker::default(), &text);
    assert_eq!((summary.runs, summary.failed, summary.projects, summary.uncounted), (4, 1, 3, 0));
    assert_eq!(results.algorithms, ["mio", "random"]);
    assert_eq!(results.projects[0].name, "Cats, dogs, 3");
    let cats = results.runs[0];
    assert_eq!(cats.coverage(), Some(52.0 / 54.0));
    // Every second event is a wait.
    assert_eq!(
        (results.work[0][0], cats.suite_size, cats.suite_tests),
        (Some(135), Some(10), Some(4))
    );
    assert_eq!((results.runs[1].seed, results.runs[2].seed), (1, 2));
    assert_ne!(results.runs[1].id, results.runs[2].id);
    assert_eq!(results.runs[1].search_ms, Some(1500));
    assert_eq!((results.runs[3].outcome, results.runs[3].coverage()), (RunOutcome::Failed, None));
    let points: Vec<_> = results
        .improvements(&Clock::Wall)
        .unwrap()
        .iter()
        .map(|p| (p.run, p.at, p.covered))
        .collect();
    let expected =
        [(0, 0, 33), (0, 1000, 45), (0, 2000, 52), (1, 0, 20), (1, 1000, 49), (2, 0, 20)];
    assert_eq!(points[..6], expected);
    assert_eq!(points[6..], [(2, 0, 48)]);
    assert_eq!(results.clock(), Clock::Wall);
    let steps = Clock::Work(Unit::new("steps", "step", "steps", ""));
    assert_eq!(results.spent(0, &steps), None);
    assert!(results.improvements(&steps).unwrap().is_empty());
    assert_eq!(results.measure("iterationCount").unwrap()[0], Some(2.0));
    assert!(Progress::new(&results, &steps).unwrap().is_none());
}

#[test]
fn pynguin_with_shares_and_complexity() {
    let text = "\
TargetModule,ConfigurationId,RandomSeed,Goals,Coverage,TotalTime,Size,Length,LineNos,McCabeAST,\
CoverageTimeline_T1,CoverageTimeline_T2\n\
flutils.moduleutils,DYNAMOSA,7,3,0.6666666666666666,600123456789,4,31,120,\"[1, 2, 6]\",0.3333333333333333,0.6666666666666666\n\
flutils.moduleutils,MIO,7,1000,0.67,600123456789,4,31,120,\"{\"\"mean\"\": 3.0}\",0.3,0.67\n\
flutils.moduleutils,MIO,8,,,,,,,,,\n";
    let (results, summary, _dir) = imported(&Pynguin::default(), text);
    assert_eq!((summary.runs, summary.failed, summary.uncounted), (3, 1, 1));
    assert_eq!(summary.interpolated, 0);
    let (_, summary, _dir) =
        imported(&Pynguin::default(), &text.replace(",0.3333333333333333,", ",0.5,"));
    assert_eq!(summary.interpolated, 1);
    assert_eq!((results.runs[0].goals, results.runs[0].covered), (3, 2));
    assert_eq!((results.runs[1].goals, results.runs[1].coverage()), (UNCOUNTED, Some(0.67)));
    assert_eq!((results.runs[1].size(), results.runs[0].size()), (None, Some(3)));
    assert_eq!(results.runs[0].wall_ms, Some(600_123));
    assert_eq!(results.measure("mccabe").unwrap(), [Some(3.0), Some(3.0), None]);
    assert_eq!(results.measure("lines").unwrap()[0], Some(120.0));
    assert_eq!(results.runs[2].coverage(), None);
    let points = results.improvements(&Clock::Wall).unwrap();
    assert_eq!((points[1].at, points[1].covered), (2000, 2));
    let comparison = &Comparison::pairs(&Samples::coverage(&results))[0];
    assert_eq!(comparison.per_project[0].runs, (1, 1));
}

#[test]
fn any_file_is_read_by_the_names_of_its_columns() {
    let text = "Subject,Tool,Hit,Total,Cov,loc\ncalc,evo,3,7,43,12\ncalc,evo,,7,42.9,12\n";
    let names = [("project", "Subject"), ("algorithm", "Tool"), ("covered", "Hit")];
    let mut format = Columns { engine: "evosuite".to_owned(), percent: true, ..Columns::default() };
    let more = [("goals", "Total"), ("coverage", "Cov")];
    format.names = names.iter().chain(&more).map(|(f, c)| (f.to_string(), c.to_string())).collect();
    let (results, _, _dir) = imported(&format, text);
    // Counts take precedence over the rounded 43 %. In the second row, 42.9 % of 7 goals are 3
    // goals.
    assert_eq!(results.runs[0].coverage(), Some(3.0 / 7.0));
    assert_eq!(results.runs[1].coverage(), Some(3.0 / 7.0));
    assert_eq!(results.measure("loc").unwrap()[0], Some(12.0));
    format.percent = false;
    let problem = refusal(&format, text);
    assert!(
        problem
            .contains("line 3: invalid value `42.9` in column `Cov`: expected a share from 0 to 1"),
        "{problem}"
    );
}

/// Errors that spreadsheets and manual editing introduce into files.
#[test]
fn ambiguous_files_are_refused_with_their_line() {
    const HEADER: &str = "project,algorithm,seed,coverage";
    let refused = |text: &str, expected: &str| {
        let problem = refusal(&Columns::default(), text);
        assert!(problem.contains(expected), "{text:?}: {problem}");
    };
    let row = |row: &str, expected: &str| refused(&format!("{HEADER}\n{row}\n"), expected);
    // Because of the decimal comma, this row would otherwise be read as a coverage of zero.
    row("a,mio,1,0,96", "line 2: 5 fields where the header has 4");
    row("a,mio,1", "line 2: 3 fields where the header has 4");
    row("a,mio,1,\"0,96\"", "line 2: invalid value `0,96` in column `coverage`: expected a number");
    row("a,mio,1,96 %", "line 2: invalid value `96 %` in column `coverage`: expected a number");
    row("\"a\nb\",mio,1,0.5\nc,mio,x,0.5", "line 4: invalid value `x` in column `seed`");
    row("a,mio,1,0.5\nb,mio,1,0.5\na,mio,1,0.7", "line 4: duplicate run of a with mio and seed 1");
    row("\"a,mio,1,0.5", "line 2: 1 field where the header has 4");
    refused(HEADER, "raw.csv: the file has no runs");
    refused("", "raw.csv: the file has no runs");
    refused("project,algorithm,seed,goals\na,mio,1,5\n", "missing column `coverage`");
    refused("project,seed,algorithm,seed,coverage\n", "line 1: two columns have the name `seed`");
    // A byte order mark, CRLF line breaks and an empty line do not change the values.
    let text = format!("\u{feff}{HEADER}\r\n\r\na,mio,18446744073709551615,0.5\r\n");
    let (results, ..) = imported(&Columns::default(), &text);
    assert_eq!((results.runs[0].seed, results.runs[0].coverage()), (u64::MAX, Some(0.5)));
}

#[test]
fn imported_runs_are_joined_with_others() {
    let text = format!("{WHISKER},0\nPong,mio,49,2,48,0.98,32,719,69,0,9,890,5,69,,,20\n");
    let (dir, file, out) = scene(&text);
    let other = |name: &str, seconds: u64| {
        let out = dir.path().join(name);
        let budget = Budget { wall_ms: Some(1_000 * seconds), ..Budget::default() };
        import(&Whisker::default(), std::slice::from_ref(&file), budget, &out).unwrap();
        out
    };
    let (again, longer) = (other("again", 60), other("longer", 600));
    import(&Whisker::default(), std::slice::from_ref(&file), Budget::default(), &out).unwrap();
    let results = Results::read_all(&[&out, &again, &longer, &out]).unwrap();
    assert_eq!((results.projects.len(), results.runs.len()), (1, 3));
    assert_eq!(results.algorithms, ["mio", "mio (again)", "mio (longer)"]);
    assert_eq!(results.improvements(&Clock::Wall).unwrap().len(), 6);
}

#[test]
fn damaged_files_are_refused_with_their_line() {
    let whisker = Whisker::default();
    assert!(refusal(&whisker, "a,b\n").contains("line 1: the first line"));
    assert!(refusal(&whisker, "projectName,x\n").contains("`fitnessFunctionCount`"));
    let row = "Pong,mio,49,2,50,0.98,32,719,69,0,9,890,5,69,,,20\n";
    let problem = refusal(&whisker, &format!("{WHISKER},0\n{row}"));
    assert!(
        problem.contains("line 2: invalid value `50` in column `coveredFitnessFunctionCount`"),
        "{problem}"
    );
    let pynguin = Pynguin::default();
    let problem = refusal(&pynguin, "TargetModule,ConfigurationId,Coverage\nm,MIO,1.5\n");
    assert!(problem.contains("line 2: invalid value `1.5` in column `Coverage`"), "{problem}");
    assert!(refusal(&pynguin, "ConfigurationId,Coverage\nMIO,0.5\n").contains("`TargetModule`"));
    let dir = tempfile::tempdir().unwrap();
    let missing = import(&whisker, &["absent.csv".into()], Budget::default(), dir.path());
    assert!(matches!(missing, Err(ImportError::Io { .. })));
}

/// Two benchmarks and two fuzzers, with two trials of each fuzzer on zlib and one on png. Trial 4
/// was lost after its second snapshot.
const FUZZBENCH: &str = "\
git_hash,experiment_filestore,experiment,fuzzer,benchmark,time_started,time_ended,trial_id,time,edges_covered,crash_key
abc,gs://data,one,afl,zlib,2020-01-01,,1,900,100,
abc,gs://data,one,afl,zlib,2020-01-01,,1,1800,150,\"Heap overflow
in parse\"
abc,gs://data,one,afl,zlib,2020-01-01,,1,1800,150,Abort
abc,gs://data,one,afl,zlib,2020-01-01,,1,2700,200,Abort
abc,gs://data,one,afl,zlib,2020-01-01,,2,900,80,
abc,gs://data,one,afl,zlib,2020-01-01,,2,1800,80,
abc,gs://data,one,afl,zlib,2020-01-01,,2,2700,120.0,
abc,gs://data,one,libfuzzer,zlib,2020-01-01,,3,900,90,
abc,gs://data,one,libfuzzer,zlib,2020-01-01,,3,2700,100,
abc,gs://data,one,libfuzzer,zlib,2020-01-01,,4,900,110,
abc,gs://data,one,libfuzzer,zlib,2020-01-01,,4,1800,300,
abc,gs://data,one,afl,png,2020-01-01,,5,900,10,
abc,gs://data,one,libfuzzer,png,2020-01-01,,6,900,40,
";

#[test]
fn fuzzbench_is_compared_at_the_last_snapshot_of_half_of_the_trials() {
    let (results, summary, dir) = imported(&FuzzBench::default(), FUZZBENCH);
    assert_eq!((summary.runs, summary.failed, summary.projects), (6, 1, 2));
    assert_eq!(results.algorithms, ["afl", "libfuzzer"]);
    // Trials are numbered from 1 for each benchmark and fuzzer. Otherwise, runs would seem to be
    // missing.
    assert_eq!(results.runs.iter().map(|run| run.seed).collect::<Vec<_>>(), [1, 2, 1, 2, 1, 1]);
    let of = |trial: usize| &results.runs[trial - 1];
    // Three of four trials of zlib have a snapshot after 2,700 s. Trial 4 covered 300 edges before.
    let covered: Vec<_> = [1, 2, 3].map(|trial| (of(trial).covered, of(trial).goals)).into();
    assert_eq!(covered, [(200, 300), (120, 300), (100, 300)]);
    assert_eq!((of(4).outcome, of(4).coverage()), (RunOutcome::Failed, None));
    assert!(results.reasons[of(4).reason.unwrap() as usize].contains("last one is at 1800 s"));
    assert_eq!((of(5).covered, of(5).goals, of(6).covered), (10, 40, 40));
    assert_eq!(of(5).search_ms, Some(900_000));
    let improvements = results.improvements(&Clock::Wall).unwrap();
    let own: Vec<_> = improvements
        .iter()
        .filter(|point| point.run == 1)
        .map(|point| (point.at, point.covered))
        .collect();
    assert_eq!(own, [(900_000, 80), (2_700_000, 120)]);
    let faults =
        results.metrics(|name| name.starts_with("exposed_ms.") || name == "faults").unwrap();
    let at = |name: &str, trial: usize| faults[name][trial - 1];
    assert_eq!((at("faults", 1), at("faults", 2)), (Some(2.0), Some(0.0)));
    assert_eq!(at("exposed_ms.Heap overflow in parse", 1), Some(1_800_000.0));
    assert_eq!((at("exposed_ms.Abort", 1), at("exposed_ms.Abort", 3)), (Some(1_800_000.0), None));
    assert_eq!(FuzzBench::budget(&[dir.path().join("raw.csv")]).unwrap(), 2_700_000);
}

#[test]
fn fuzzbench_that_is_compressed_or_damaged() {
    use std::io::Write as _;
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("data.csv.gz"), dir.path().join("tables"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(FUZZBENCH.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    fs::write(&file, &packed).unwrap();
    let summary =
        import(&FuzzBench::default(), std::slice::from_ref(&file), Budget::default(), &out)
            .unwrap();
    assert_eq!((summary.runs, summary.algorithms.len()), (6, 2));
    fs::write(&file, &packed[..packed.len() / 2]).unwrap();
    assert!(
        import(&FuzzBench::default(), &[file], Budget::default(), &dir.path().join("x")).is_err()
    );

    let lines: Vec<&str> = FUZZBENCH.lines().collect();
    let without = format!("{}\n", lines[0].replace("edges_covered", "edges"));
    assert!(refusal(&FuzzBench::default(), &without).contains("missing column `edges_covered`"));
    let wrong = FUZZBENCH.replace("1,900,100", "1,900,-1");
    assert!(
        refusal(&FuzzBench::default(), &wrong).contains("expected a non-negative whole number")
    );
    let twice = FUZZBENCH.replace("afl,zlib,2020-01-01,,2,1800", "afl,png,2020-01-01,,2,1800");
    assert!(refusal(&FuzzBench::default(), &twice).contains("trial 2 belongs to afl on png here"));
}
