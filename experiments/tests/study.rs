//! Tests study files, flags and planning through the public API.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catherd_experiments::format_1::subject_info;
use catherd_experiments::{
    ASSERTIONS, Algorithm, AlgorithmError, Budget, Digest, Flags, Mutation, Parameter, Plan,
    PlannedProject, ProjectSource, Race, Stop, Study, SubjectInfo, duplicates,
};
use proptest::prelude::*;
use rusty_fork::rusty_fork_test;

const GOOD: &str = r#"projects = ["demo", "/abs/cat.sb3"]
algorithms = ["random", { label = "small", name = "mosa", parameters = { population = 10, crossover = 0.7, elitist = true, mode = "x" } }]
seeds = 3

[budget]
executions = 300
wall = "1.5 min"
"#;

fn info() -> SubjectInfo {
    subject_info("noop", "noop/1")
}

fn work(executions: &str) -> BTreeMap<String, String> {
    [("executions".to_owned(), executions.to_owned())].into()
}

fn paths(paths: &[&str]) -> ProjectSource {
    ProjectSource::Paths(paths.iter().map(PathBuf::from).collect())
}

fn parse(text: &str) -> Result<Study, String> {
    Study::parse(text, Path::new("studies/mine.toml")).map_err(|error| error.to_string())
}

#[test]
fn a_full_study_file() {
    let study = parse(GOOD).unwrap();
    assert_eq!(study.name, "mine");
    assert_eq!(study.subject, None);
    assert_eq!(study.projects, paths(&["studies/demo", "/abs/cat.sb3"]));
    assert_eq!(study.seeds, [1, 2, 3]);
    assert_eq!(study.budget, Budget { wall_ms: Some(90_000), ..Budget::of("executions", 300) });
    assert_eq!(study.algorithms[0], Algorithm::plain("random"));
    let small = &study.algorithms[1];
    assert_eq!((small.label.as_str(), small.name.as_str()), ("small", "mosa"));
    assert_eq!(small.parameters["population"], Parameter::Integer(10));
    assert_eq!(small.parameters["crossover"], Parameter::Number(0.7));
    assert_eq!(small.parameters["elitist"], Parameter::Bool(true));
    assert_eq!(small.parameters["mode"], Parameter::Text("x".into()));
}

#[test]
fn parameters_may_be_in_nested_tables() {
    let text = GOOD.replace("mode = \"x\"", "compat = { clone_links = true, a.b = 2 }");
    let parameters = parse(&text).unwrap().algorithms[1].parameters.clone();
    assert_eq!(parameters["compat.clone_links"], Parameter::Bool(true));
    assert_eq!(parameters["compat.a.b"], Parameter::Integer(2));
    let error = parse(&text.replace("= 2 }", "= [] }")).unwrap_err();
    assert!(error.contains("algorithms.parameters.compat.a.b: no values; list at"), "{error}");
}

#[test]
fn the_table_of_the_subject_kind_has_defaults_of_all_algorithms() {
    let table = "\n[sequences]\nmode = \"y\"\nlist = [\"a:2\", \"b\"]\nmap = { a.b = 1 }\n";
    let text = format!("subject = \"sequences\"\n{GOOD}{table}");
    let study = parse(&text).unwrap();
    let [plain, small] = &study.algorithms[..] else { panic!("two algorithms") };
    assert_eq!(plain.parameters["mode"], Parameter::Text("y".into()));
    assert_eq!(plain.parameters["list"], Parameter::Text("a:2, b".into()));
    assert_eq!(plain.parameters["map.a.b"], Parameter::Integer(1));
    assert_eq!(plain.parameters.len(), 3);
    // The parameters that an algorithm sets itself are kept.
    assert_eq!(small.parameters["mode"], Parameter::Text("x".into()));
    assert_eq!(small.parameters["list"], plain.parameters["list"]);
    // Grids set parameters, and configurations that become equal through the defaults are refused.
    let grid = text.replace("mode = \"x\"", "mode = [\"y\", \"z\"]");
    assert_eq!(parse(&grid).unwrap().algorithms.len(), 3);
    let same = text.replace(
        "{ label = \"small\"",
        "{ name = \"random\", label = \"b\", \
        parameters = { mode = \"y\" } }, { label = \"small\"",
    );
    assert!(parse(&same).unwrap_err().contains("is the same configuration as `random`"));
    // The table of a different kind is an unknown key.
    let error = parse(&format!("{GOOD}{table}")).unwrap_err();
    assert!(error.contains("9: sequences: unknown key; use one of name,"), "{error}");
    assert!(error.ends_with("subject kind: set subject = \"sequences\""), "{error}");
    let error = parse(&text.replace("map = { a.b = 1 }", "map = [1]")).unwrap_err();
    assert!(error.contains("13: sequences.map: not all values are words; list"), "{error}");
}

#[test]
fn mutation_is_a_truth_value_or_a_table() {
    let with = |line: &str| parse(&GOOD.replace("seeds = 3", &format!("seeds = 3\n{line}")));
    assert_eq!(parse(GOOD).unwrap().mutation, None);
    assert_eq!(with("mutation = false").unwrap().mutation, None);
    assert_eq!(with("mutation = true").unwrap().mutation, Some(Mutation::default()));
    let line = r#"mutation = { operators = ["SBD", "ncm"], sample = 50, seed = 0 }"#;
    let expected = Mutation {
        operators: vec!["SBD".into(), "ncm".into()],
        sample: Some(50),
        seed: Some(0),
        block_factor: None,
    };
    assert_eq!(with(line).unwrap().mutation, Some(expected));
    for (line, error) in [
        ("mutation = 3", "mutation: a number is neither a truth value nor a table"),
        (
            "mutation = { sampel = 3 }",
            "mutation.sampel: unknown key; write `sample`; the others are operators",
        ),
        ("mutation = { sample = 0 }", "mutation.sample: 0 is too small"),
        ("mutation = { operators = [] }", "mutation.operators: no operators; leave it out"),
    ] {
        let found = with(line).unwrap_err();
        assert!(found.contains(&format!("4: {error}")), "{found}");
    }
    let flags = Flags { mutation: true, ..Flags::default() };
    let study = parse(GOOD).unwrap().overridden(&flags).unwrap();
    assert_eq!(study.mutation, Some(Mutation::default()));
}

#[test]
fn the_shipped_smoke_study() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("smoke.toml");
    let study = Study::read(&file).unwrap();
    assert_eq!(study.runs(12), 12 * 3 * 5);
    assert!(
        matches!(study.projects, ProjectSource::Paths(paths) if paths[0].ends_with("datasets/demo"))
    );
}

#[test]
fn the_shipped_random1000_needs_no_network() {
    let study =
        Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("random1000.toml")).unwrap();
    assert_eq!(
        study.projects,
        ProjectSource::Synthetic { count: 1000, seed: 1, shape: BTreeMap::new() }
    );
    assert_eq!((study.algorithms.len(), study.seeds.len()), (3, 20));
    let flags = Flags { projects: vec!["corpora/random1000".into()], ..Flags::default() };
    assert_eq!(study.overridden(&flags).unwrap().projects, paths(&["corpora/random1000"]));
}

/// The replaced string, its replacement, and the error message without the file name.
const BAD: &[(&str, &str, &str)] = &[
    (
        "seeds = 3",
        "sedes = 3",
        "3: sedes: unknown key; write `seeds`; the others are name, subject, projects, algorithms, budget, assertions, mutation, race, stop",
    ),
    (
        "seeds = 3\n\n[budget]\n",
        "\n[budget]\nseeds = 3\n",
        "5: seeds: is in the table `budget`, which begins on line 4; move it above line 4",
    ),
    (
        "executions = 300\n",
        "executions = 300\nrace = true\n",
        "7: race: is in the table `budget`, which begins on line 5; move it above line 5",
    ),
    (
        "seeds = 3",
        "seeds = 3\nexecutions = 5",
        "4: executions: unknown key; it belongs in [budget]",
    ),
    (
        "seeds = 3",
        "seeds = 3\nblock_factor = 5",
        "4: block_factor: unknown key; it belongs in [mutation]",
    ),
    (
        "seeds = 3",
        "seeds = 3\nrace = { wall = \"1s\" }",
        "4: race.wall: unknown key; it belongs in [budget]",
    ),
    (
        "parameters = { population = 10,",
        "seeds = 3, parameters = { population = 10,",
        "2: algorithms.seeds: unknown key; it belongs at the top of the file, above the first table",
    ),
    (
        "parameters = { population = 10,",
        "mutation = 0.1, parameters = { population = 10,",
        "2: algorithms.mutation: unknown key; a parameter of the algorithm belongs in parameters = { mutation = ... }; use one of name, label, parameters, sample, sample_seed",
    ),
    (
        "parameters = { population = 10,",
        "mutation = true, parameters = { population = 10,",
        "2: algorithms.mutation: unknown key; it belongs at the top of the file, above the first table",
    ),
    (
        "parameters = { population = 10,",
        "population = 10, parameters = {",
        "2: algorithms.population: unknown key; a parameter of the algorithm belongs in parameters = { population = ... }; use one of name, label, parameters, sample, sample_seed",
    ),
    ("seeds = 3", "seeds = 0", "3: seeds: 0 is too small; give a whole number of at least 1"),
    (
        "seeds = 3",
        "seeds = []",
        "3: seeds: no seeds; give at least one seed, or the number of seeds",
    ),
    ("seeds = 3", "seeds = [4, 4]", "3: seeds: seed 4 is given twice; give each seed once"),
    (
        "seeds = 3",
        "seeds = [-4]",
        "3: seeds: `-4` is not a seed; give whole numbers from 0 to 2^63 - 1",
    ),
    (
        "seeds = 3",
        "seeds = \"x\"",
        "3: seeds: a string is neither a number nor a list; give the number of seeds, such as 5, or a list such as [3, 14, 15]",
    ),
    (
        "seeds = 3\n",
        "",
        "6: seeds: missing; give the number of seeds, such as 5, or a list such as [3, 14, 15]",
    ),
    (
        "executions = 300",
        "executions = -3",
        "6: budget.executions: -3 is negative; give a whole number of at least 1",
    ),
    (
        "executions = 300",
        "executions = 1.5",
        "6: budget.executions: `1.5` is not a whole number; give a whole number of at least 1",
    ),
    (
        "1.5 min",
        "10 parsecs",
        "7: budget.wall: `parsecs` is not a unit of time; give a number and a unit of ms, s, min or h, such as \"10s\"",
    ),
    (
        "1.5 min",
        "10",
        "7: budget.wall: `10` has no unit; give a number and a unit of ms, s, min or h, such as \"10s\"",
    ),
    (
        "1.5 min",
        "-1s",
        "7: budget.wall: `-1s` is negative; give a number and a unit of ms, s, min or h, such as \"10s\"",
    ),
    (
        "wall = \"1.5 min\"",
        "wall = \"1s\"\nwall_ms = 3",
        "5: budget: both wall and wall_ms are set; keep one of them",
    ),
    (
        "executions = 300\nwall = \"1.5 min\"",
        "",
        "5: budget: no limit is set; set a unit of work, such as executions, or wall under [budget]",
    ),
    (
        "label = \"small\"",
        "label = \"random\"",
        "2: algorithms: the label `random` is given twice; give each configuration its own label",
    ),
    (
        "\"random\"",
        "\"random\", { label = \"again\", name = \"random\" }",
        "2: algorithms: `again` is the same configuration as `random`; drop one of them or change a parameter",
    ),
    ("name = \"mosa\", ", "", "2: algorithms.name: missing; add name = \"...\""),
    (
        "population = 10",
        "population = [[1]]",
        "2: algorithms.parameters.population: a list cannot be a parameter; give a number, a word, true or false",
    ),
    (
        "\"demo\", \"/abs/cat.sb3\"",
        "",
        "1: projects: no projects; list files or folders, such as [\"../datasets/demo\"], or write { synthetic = { count = 1000, seed = 1 } }",
    ),
    (
        "[\"demo\", \"/abs/cat.sb3\"]",
        "{ synthetic = { count = 0, seed = 1 } }",
        "1: projects.synthetic.count: 0 is too small; give a whole number of at least 1",
    ),
    (
        "[\"demo\", \"/abs/cat.sb3\"]",
        "{ synthetic = { count = 5 } }",
        "1: projects.synthetic.seed: missing; write { count = 1000, seed = 1 }",
    ),
    (
        "[\"demo\", \"/abs/cat.sb3\"]",
        "{ synthetic = 5 }",
        "1: projects.synthetic: a number is not a table; write { count = 1000, seed = 1 }",
    ),
    (
        "[\"demo\", \"/abs/cat.sb3\"]",
        "{ random = 5 }",
        "1: projects.random: unknown key; write `synthetic`: there is no other",
    ),
    (
        "seeds = 3",
        "seeds = 3\nrace = 5",
        "4: race: a number is neither a truth value nor a table; write true, or a table [race]",
    ),
    (
        "seeds = 3",
        "seeds = 3\nrace = { level = 5 }",
        "4: race.level: `5` is not between 0 and 1; give a number such as 0.05",
    ),
    (
        "seeds = 3",
        "seeds = 3\nrace = { first = 1 }",
        "4: race.first: 1 is too small; give a whole number of at least 2",
    ),
    (
        "0.7",
        "inf",
        "2: algorithms.parameters.crossover: inf is not finite; give an ordinary number",
    ),
];

#[test]
fn a_race_is_planned_round_by_round() {
    let race = |text: &str| parse(&GOOD.replacen("seeds = 3", text, 1)).unwrap().race;
    assert_eq!(race("seeds = 3"), None);
    assert_eq!(race("seeds = 3\nrace = true"), Some(Race::default()));
    let set = race("seeds = 3\nrace = { level = 0.1, every = 2 }").unwrap();
    assert_eq!((set.level, set.first, set.every), (0.1, 10, 2));

    let study = parse(&GOOD.replacen("seeds = 3", "seeds = 3\nrace = true", 1)).unwrap();
    let project =
        |name: &str| PlannedProject { name: name.to_owned(), digest: Digest::of(name.as_bytes()) };
    let projects = ["a", "b", "c"].map(project).to_vec();
    let plan = Plan::new(&study, &info(), projects, |_| Ok(())).unwrap();
    let round = plan.round(2, &[1], 1..3);
    assert_eq!(round.name, format!("{}, round 2", plan.name));
    let runs: Vec<_> = round.into_runs().map(|run| (run.project_name, run.seed)).collect();
    assert_eq!(runs.len(), 6);
    assert_eq!((&*runs[0].0, &*runs[5].0), ("b", "c"));
    let other = Study { race: None, ..study };
    let other = Plan::new(&other, &info(), plan.projects.clone(), |_| Ok(())).unwrap();
    let differs = other.is_variant_of(&plan).unwrap_err().to_string();
    assert!(
        differs.starts_with("another race: it has {") && differs.ends_with(", this one none"),
        "{differs}"
    );
}

#[test]
fn errors_name_file_line_and_field() {
    for (from, to, expected) in BAD {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        assert_eq!(parse(&text).unwrap_err(), format!("studies/mine.toml:{expected}"));
    }
    let broken = parse("seeds = = 3\n").unwrap_err();
    assert!(broken.starts_with("studies/mine.toml:1: syntax: "), "{broken}");
    assert!(!broken.contains('\n'), "{broken}");
    let missing = Study::read(Path::new("no/such.toml")).unwrap_err().to_string();
    assert!(missing.starts_with("no/such.toml: cannot read the study file: "), "{missing}");
}

#[test]
fn flags_define_a_study_and_wrong_flags_are_refused() {
    let flags = Flags {
        projects: vec!["demo".into()],
        algorithms: Some("random,mosa".into()),
        seeds: Some("3".into()),
        work: work("300"),
        wall: Some("10s".into()),
        ..Flags::default()
    };
    let study = Study::from_flags(&flags).unwrap();
    assert_eq!(study.seeds, [1, 2, 3]);
    assert_eq!(study.budget.wall_ms, Some(10_000));

    let wrong = |change: fn(&mut Flags)| {
        let mut flags = flags.clone();
        change(&mut flags);
        Study::from_flags(&flags).unwrap_err().to_string()
    };
    assert_eq!(
        wrong(|f| f.work = work("-5")),
        "--executions: -5 is negative; give a whole number of at least 1"
    );
    assert_eq!(
        wrong(|f| (f.work, f.wall) = (BTreeMap::new(), None)),
        "--wall: no budget; give a unit of work, such as --executions, or --wall"
    );
    assert!(
        wrong(|f| f.algorithms = Some("mio,mio".into()))
            .starts_with("--algorithms: the label `mio`")
    );
    assert!(wrong(|f| f.seeds = Some("0".into())).starts_with("--seeds: 0 is too small"));
    assert!(wrong(|f| f.projects.clear()).starts_with("--projects: no projects"));

    let one = Flags { seeds: Some("7,".into()), ..flags };
    assert_eq!(Study::from_flags(&one).unwrap().seeds, [7]);
}

#[test]
fn flags_replace_the_values_of_a_file() {
    let file = parse(GOOD).unwrap();
    assert_eq!(file.clone().overridden(&Flags::default()).unwrap(), file);
    let flags = Flags { algorithms: Some("mio".into()), work: work("7"), ..Flags::default() };
    let study = file.clone().overridden(&flags).unwrap();
    assert_eq!(study.algorithms, [Algorithm::plain("mio")]);
    // Flags replace the whole budget.
    assert_eq!(study.budget, Budget::of("executions", 7));
    assert_eq!((study.projects, study.seeds), (file.projects.clone(), file.seeds.clone()));
    let error = file
        .overridden(&Flags { work: [("steps".into(), "0".into())].into(), ..flags })
        .unwrap_err();
    assert!(error.to_string().starts_with("--steps: 0 is too small"), "{error}");
}

#[test]
fn algorithms_that_a_flag_names_keep_their_settings() {
    let configuration = |label: &str, population: i64| {
        let parameters =
            [("population", Parameter::Integer(population)), ("assertions", Parameter::Bool(true))];
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value)).into();
        Algorithm { label: label.to_owned(), name: "mosa".to_owned(), parameters }
    };
    let text = "projects = ['.']\nseeds = 1\nassertions = true\nbudget.steps = 5\nalgorithms = [
        'random',
        { label = 'small', name = 'mosa', parameters = { population = 4 } },
        { label = 'large', name = 'mosa', parameters = { population = 40 } },
    ]";
    let selected = |list: &str| {
        let flags = Flags { algorithms: Some(list.to_owned()), ..Flags::default() };
        parse(text).unwrap().overridden(&flags).map(|study| study.algorithms)
    };
    let [small, large] = [configuration("small", 4), configuration("large", 40)];
    assert_eq!(selected("large").unwrap(), std::slice::from_ref(&large));
    assert_eq!(selected("mosa").unwrap(), [small, large]);
    let both = selected("mio,random").unwrap();
    assert_eq!([&*both[0].name, &*both[1].name], ["mio", "random"]);
    assert!(
        both.iter().all(|algorithm| algorithm.parameters["assertions"] == Parameter::Bool(true))
    );
    let twice = selected("mosa,small").unwrap_err().to_string();
    assert!(twice.starts_with("--algorithms: the label `small` is given twice"), "{twice}");
}

#[test]
fn plans_the_matrix_in_order_and_each_run_once() {
    let study = parse(GOOD).unwrap();
    let project =
        |name: &str, bytes: &[u8]| PlannedProject { name: name.into(), digest: Digest::of(bytes) };
    let projects = [project("a", b"1"), project("b", b"2"), project("c", b"1")];
    assert_eq!(duplicates(&projects), [(2, 0)]);

    let plan = Plan::new(&study, &info(), projects.to_vec(), |_| Ok(())).unwrap();
    let engines = |id: &str| [("noop".to_owned(), id.to_owned())].into();
    assert_eq!(plan.check(&engines("noop/1")), Ok(()));
    let refused = plan.check(&engines("noop/2")).unwrap_err().to_string();
    assert_eq!(refused, "engine: the plan was made for engine noop/1; this catherd has noop/2");
    let runs: Vec<_> = plan.clone().into_runs().collect();
    assert_eq!((runs.len(), plan.count()), (study.runs(2), study.runs(2)));
    let order: Vec<_> = runs
        .iter()
        .map(|run| (run.project_name.as_str(), run.algorithm.label.as_str(), run.seed))
        .collect();
    assert_eq!(
        order[..4],
        [("a", "random", 1), ("a", "random", 2), ("a", "random", 3), ("a", "small", 1)]
    );
    let ids: std::collections::BTreeSet<_> = runs.iter().map(|run| run.id()).collect();
    assert_eq!(ids.len(), runs.len());

    let refused = Plan::new(&study, &info(), projects.to_vec(), |algorithm| {
        let unknown = || AlgorithmError::Name("unknown algorithm `mosa`".to_owned());
        if algorithm.name == "mosa" { Err(unknown()) } else { Ok(()) }
    });
    assert_eq!(refused.unwrap_err().to_string(), "algorithm `small`: unknown algorithm `mosa`");
    let meters = Study { budget: Budget::of("meters", 3), ..study.clone() };
    let unknown = Plan::new(&meters, &info(), projects.to_vec(), |_| Ok(())).unwrap_err();
    let expected = "subject kind `noop` does not count `meters`; set executions or steps or wall";
    assert!(unknown.to_string().starts_with(expected), "{unknown}");
    let empty = Plan::new(&study, &info(), Vec::new(), |_| Ok(())).unwrap_err();
    assert!(empty.to_string().contains("no usable project"));
}

#[test]
fn a_plan_may_have_variants_that_share_runs() {
    let study = parse(GOOD).unwrap();
    let project =
        |name: &str| PlannedProject { name: name.into(), digest: Digest::of(name.as_bytes()) };
    let plan = |study: &Study, projects: &[&str]| {
        let projects = projects.iter().map(|name| project(name)).collect();
        Plan::new(study, &info(), projects, |_| Ok(())).unwrap()
    };
    let small = plan(&study, &["a"]);
    let more_seeds = Study { seeds: vec![9, 1, 2, 3], ..study.clone() };
    let large = plan(&more_seeds, &["b", "a"]);
    for (one, other) in [(&small, &small), (&large, &small), (&small, &large)] {
        assert_eq!(one.is_variant_of(other), Ok(()));
    }
    let differs = |study: &Study, projects: &[&str]| {
        plan(study, projects).is_variant_of(&small).unwrap_err().to_string()
    };
    assert_eq!(differs(&study, &["b"]), "other projects: only it has a, and only this one has b");
    let other = Study { seeds: vec![1, 2, 7], ..study.clone() };
    assert_eq!(differs(&other, &["a"]), "other seeds: it has 1, 2, 3, this one 1, 2, 7");
    let other = Study { budget: Budget::of("executions", 5), ..study.clone() };
    let budget =
        "another budget: it has 300 executions and 90000 ms of real time, this one 5 executions";
    assert_eq!(differs(&other, &["a"]), budget);
    let other = Study { stop: Some(Stop::default()), ..study.clone() };
    assert!(differs(&other, &["a"]).starts_with("another stopping rule: it has none, this one {"));

    let with = |change: fn(&mut Algorithm)| {
        let mut other = study.clone();
        other.algorithms.reverse();
        change(&mut other.algorithms[0]);
        other
    };
    let relabelled = with(|small| small.label = "tiny".to_owned());
    let changed =
        with(|small| drop(small.parameters.insert("tool".into(), Parameter::Text("d".into()))));
    for other in [relabelled, changed] {
        assert_eq!(plan(&other, &["a"]).is_variant_of(&small), Ok(()));
    }
    let other =
        with(|small| drop(small.parameters.insert("population".into(), Parameter::Integer(7))));
    let expected = "other algorithms: `small`: population was 10, is 7";
    assert_eq!(differs(&other, &["a"]), expected);
    let other = with(|small| (small.label, small.name) = ("z".to_owned(), "zz".to_owned()));
    assert_eq!(
        differs(&other, &["a"]),
        "other algorithms: only it has small, and only this one has z"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The id of a run must be the same where it is planned and where it is executed.
    #[test]
    fn run_ids_survive_json(number in any::<f64>(), integer in any::<i64>(), text in ".*") {
        prop_assume!(number.is_finite());
        let mut study = parse(GOOD).unwrap();
        study.algorithms[1].parameters.insert("n".into(), Parameter::Number(number));
        study.algorithms[1].parameters.insert("i".into(), Parameter::Integer(integer));
        study.algorithms[1].parameters.insert("t".into(), Parameter::Text(text));
        let project = PlannedProject { name: "p".into(), digest: Digest::of(b"p") };
        let plan = Plan::new(&study, &info(), vec![project], |_| Ok(())).unwrap();
        let run = &plan.into_runs().last().unwrap();
        let json = serde_json::to_string(run).unwrap();
        let back: catherd_experiments::RunSpec = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&back, run);
        prop_assert_eq!(back.id(), run.id());
    }
}

rusty_fork_test! {
    #![rusty_fork(timeout_ms = 60_000)]

    #[test]
    fn no_input_breaks_the_parser() {
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(text in "(?s).{0,200}")| {
            let _ = parse(&text);
        });
    }
}

#[test]
fn assertions_are_a_parameter_of_every_algorithm() {
    let asserts = |study: &Study| -> Vec<_> {
        let set = |a: &Algorithm| a.parameters.get(ASSERTIONS).cloned();
        study.algorithms.iter().map(set).collect()
    };
    let yes = Some(Parameter::Bool(true));
    let text = r#"
projects = ["p"]
seeds = 1
algorithms = ["random", { name = "mio", parameters = { assertions = false } }]
budget.executions = 1
"#;
    let without = parse(text).unwrap();
    assert_eq!(asserts(&without), [None, Some(Parameter::Bool(false))]);
    let with = parse(&format!("assertions = true\n{text}")).unwrap();
    assert_eq!(asserts(&with), [yes.clone(), Some(Parameter::Bool(false))]);
    let flags = Flags { assertions: true, ..Flags::default() };
    assert_eq!(without.overridden(&flags).unwrap(), with);
    let wrong = parse(&format!("assertions = \"yes\"\n{text}")).unwrap_err();
    assert!(wrong.contains(":1: assertions: "), "{wrong}");
}
