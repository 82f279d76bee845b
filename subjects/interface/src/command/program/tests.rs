//! Tests of the runner of external programs.

use catherd_experiments::{Algorithm, Budget, Criterion, Parameter, RunOutcome};

use super::super::{CRITERION, KIND};

use super::*;
use crate::command::working_folder::PATH;

fn spec(command: &str) -> RunSpec {
    let mut algorithm = Algorithm::plain("mio");
    algorithm.parameters.insert(template::PARAMETER.into(), Parameter::Text(command.into()));
    RunSpec {
        project: Digest::of(b"one\ntwo\n"),
        project_name: "../x y.txt".into(),
        subject: KIND.into(),
        algorithm,
        seed: 7,
        budget: Budget::wall_ms(1500),
        engine: "e".into(),
        mutation: None,
    }
}

fn run(command: &str, limits: Limits) -> (Result<RunRecord, RunError>, usize) {
    let place = tempfile::tempdir().unwrap();
    let programs = Programs { folder: place.path().to_owned(), ..Programs::default() };
    let mut program = Program::new(&programs, limits);
    let spec = spec(command);
    program.load(spec.project, Arc::from(*b"one\ntwo\n")).unwrap();
    let ended = program.run(&spec, &mut |_| ControlFlow::Continue(()));
    (ended, fs::read_dir(place.path()).unwrap().count())
}

#[test]
fn a_result_makes_a_record() {
    let script = r#"sh -c 'test "$(wc -l < "$1")" = 2 && test "$2 $3 $4" = "mio 7 2" &&
            echo "{\"goals\": 4, \"covered\": [2, 0]}" > "$5"; exit 3' x
            {project} {algorithm} {seed} {budget} {out}"#;
    let (record, left) = run(script, Limits::default());
    let record = record.unwrap();
    assert_eq!(record.outcome, RunOutcome::Done);
    let goals = Criterion { name: CRITERION.to_owned(), goals: 4, covered: vec![0, 2] };
    assert_eq!(record.criteria, [goals]);
    assert_eq!(record.provenance.isolation, "without supervising programs");
    assert_eq!(left, 0);
}

#[test]
fn nothing_but_a_valid_result_counts() {
    let crash = |command: &str| match run(command, Limits::default()).0 {
        Err(RunError::Crashed(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let invalid = |command: &str| match run(command, Limits::default()).0 {
        Err(RunError::Failed(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let reason = crash("sh -c 'echo oh no >&2; exit 4' {out}");
    assert!(reason.contains("no result") && reason.contains("exit status: 4"), "{reason}");
    assert!(reason.ends_with("its last line: oh no"), "{reason}");
    assert!(crash("/no/such/tool {out}").starts_with("cannot start /no/such/tool"));
    let truncated = invalid("sh -c 'echo { > $0; exit 1' {out}");
    assert!(truncated.contains("the file ends in the middle of the JSON object"), "{truncated}");
    let string = invalid("sh -c 'echo \"{\\\"goals\" > $0' {out}");
    assert!(string.contains("the file ends in the middle of the JSON object"), "{string}");
    assert!(truncated.contains("it begins with `{`; the program ended with"), "{truncated}");
    let words = invalid("sh -c 'echo all done > $0' {out}");
    assert!(
        words.contains("malformed: expected value at line 1 column 1; it begins with `all done`"),
        "{words}"
    );
    assert!(invalid("sh -c ': > $0' {out}").contains("malformed: the file is empty; the program"));
    let list = invalid("sh -c 'echo [1] > $0' {out}");
    assert!(list.contains("malformed: expected a JSON object: "), "{list}");
    // The program may write the complete file when the run is repeated.
    assert!(crash("sh -c 'echo { > $0; kill -9 $$' {out}").contains("malformed"));
    assert!(crash("sh -c 'echo { > $0; exit 137' {out}").contains("malformed"));
    let twice = r#"sh -c 'echo "{\"goals\": 2, \"covered\": [1, 1]}" > $0' {out}"#;
    assert!(invalid(twice).contains("covered twice"));
    let beyond = r#"sh -c 'echo "{\"goals\": 1, \"covered\": [1]}" > $0' {out}"#;
    assert!(invalid(beyond).contains("goal 1 is covered, but there are 1 goals"));
}

#[test]
fn the_environment_is_built() {
    let script = r#"sh -c 'env; cat "$HOME/none"' {out}"#;
    let place = tempfile::tempdir().unwrap();
    let list = place.path().join("list");
    let script = script.replace("env;", &format!("env > {};", list.display()));
    let mut spec = spec(&script);
    let extra = Parameter::Text("SEED={seed} NAME='a b' TZ=CET".into());
    spec.algorithm.parameters.insert(template::ENVIRONMENT.into(), extra);
    let programs = Programs { folder: place.path().to_owned(), ..Programs::default() };
    let mut program = Program::new(&programs, Limits::default());
    program.load(spec.project, Arc::from(*b"one\ntwo\n")).unwrap();
    let ended = program.run(&spec, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(ended, Err(RunError::Crashed(_))), "{ended:?}");
    let list = fs::read_to_string(list).unwrap();
    let own = ["_", "PWD", "OLDPWD", "SHLVL"].map(|name| format!("{name}="));
    let mut lines: Vec<&str> =
        list.lines().filter(|line| !own.iter().any(|own| line.starts_with(own))).collect();
    lines.sort_unstable();
    let work = place.path().join(format!("run-{}-{}", spec.id().short(), std::process::id()));
    let (home, temporary) = (work.join("home"), work.join("tmp"));
    let expected = [
        format!("HOME={}", home.display()),
        "LANG=C.UTF-8".to_owned(),
        "NAME=a b".to_owned(),
        format!("PATH={PATH}"),
        "SEED=7".to_owned(),
        format!("TMPDIR={}", temporary.display()),
        "TZ=CET".to_owned(),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_error_names_a_result_that_cannot_be_read() {
    let invalid = |command: &str| match run(command, Limits::default()) {
        (Err(RunError::Failed(reason)), left) => (reason, left),
        other => panic!("{other:?}"),
    };
    for (script, what) in [
        ("mkfifo $0", "result.json: a FIFO, not a regular file"),
        ("mkdir $0", "result.json: a folder, not a regular file"),
        ("ln -s /dev/zero $0", "result.json: a symbolic link, not a regular file"),
        ("truncate -s 1T $0", "result.json: 1099511627776 bytes; at most 16777216 are read"),
    ] {
        let (reason, left) = invalid(&format!("sh -c '{script}' {{out}}"));
        assert!(reason.contains(what), "{reason}");
        assert_eq!(left, 0, "{script}");
    }
    let (_, left) = run("sh -c 'mkdir -p a/b; chmod 0 a/b a' {out}", Limits::default());
    assert_eq!(left, 0);
}

#[test]
fn long_output_is_read_to_its_last_line() {
    let script = "sh -c 'yes | head -c 3000000; echo last' {out}";
    let ended = run(script, Limits::default()).0;
    let Err(RunError::Crashed(reason)) = ended else { panic!("{ended:?}") };
    assert!(reason.ends_with("its last line: last"), "{reason}");
}

#[test]
fn a_program_that_does_not_end_is_killed_with_all_it_started() {
    let place = tempfile::tempdir().unwrap();
    let pid = place.path().join("pid");
    let script = format!("sh -c 'sleep 1000 & echo $! > {}; wait' {{out}}", pid.display());
    let limits = Limits { wall: Some(Duration::from_millis(300)), ..Limits::default() };
    let ended = run(&script, limits).0;
    assert!(matches!(ended, Err(RunError::TimedOut(_))), "{ended:?}");
    let grandchild = fs::read_to_string(pid).unwrap();
    let stat = format!("/proc/{}/stat", grandchild.trim());
    // Delivering the signal takes time. A killed process disappears or becomes a zombie.
    let dead = || fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
    let deadline = Instant::now() + Duration::from_secs(10);
    while !dead() {
        assert!(Instant::now() < deadline, "{:?}", fs::read_to_string(&stat));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_file_that_a_killed_worker_left_is_removed() {
    let place = tempfile::tempdir().unwrap();
    let programs = Programs { folder: place.path().to_owned(), ..Programs::default() };
    let left = place.path().join(format!("{FOLDER_PREFIX}space"));
    fs::write(left, "space").unwrap();
    fs::create_dir(place.path().join(format!("{FOLDER_PREFIX}7"))).unwrap();
    fs::write(place.path().join("of-others"), "").unwrap();
    programs.prepare().unwrap();
    let kept: Vec<_> =
        fs::read_dir(place.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(kept, ["of-others"]);
}
