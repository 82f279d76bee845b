//! Tests of parameter grids in study files, and of study files that are made from plans.

use std::path::Path;

use catherd_experiments::format_1::subject_info;
use catherd_experiments::{
    Algorithm, Digest, Flags, Parameter, Plan, PlannedProject, SourceLocation, Study,
};

fn parse(algorithms: &str) -> Result<Study, String> {
    let text = format!(
        "projects = ['p']\nseeds = 2\nalgorithms = [\n{algorithms}\n]\n[budget]\nexecutions = 300\n"
    );
    Study::parse(&text, Path::new("grid.toml")).map_err(|error| error.to_string())
}

fn labels(algorithms: &str) -> Vec<String> {
    parse(algorithms).unwrap().algorithms.into_iter().map(|algorithm| algorithm.label).collect()
}

#[test]
fn lists_define_every_combination_in_the_order_of_the_file() {
    let study = parse(
        "'random',\n{ name = 'mio', parameters = { p = [0.5, 1.0], elitist = true, n = [10, 2] } }",
    )
    .unwrap();
    let labels: Vec<_> = study.algorithms.iter().map(|a| a.label.as_str()).collect();
    let grid = ["mio[p=0.5 n=10]", "mio[p=0.5 n=2]", "mio[p=1 n=10]", "mio[p=1 n=2]"];
    assert_eq!(labels, [&["random"][..], &grid].concat());
    let third = &study.algorithms[3];
    assert_eq!(third.name, "mio");
    let expected = [
        ("p".to_owned(), Parameter::Number(1.0)),
        ("elitist".to_owned(), Parameter::Bool(true)),
        ("n".to_owned(), Parameter::Integer(10)),
    ];
    assert_eq!(third.parameters, expected.into());
}

#[test]
fn labels_name_the_parameters_that_are_lists() {
    assert_eq!(
        labels("{ name = 'mio', label = 'new', parameters = { x = ['all', 'a b'], y = 1 } }"),
        ["new[x=all]", "new[x=\"a b\"]"]
    );
    // The label of a configuration must not change when values are added to the list.
    assert_eq!(labels("{ name = 'mio', parameters = { x = [true] } }"), ["mio[x=true]"]);
    let nested = "{ name = 'a', parameters = { z = [1], compat = { clone_links = [false] } } }";
    assert_eq!(labels(nested), ["a[z=1 compat.clone_links=false]"]);
    let all = Flags { algorithms: Some("mio".to_owned()), ..Flags::default() };
    let study = parse("'random', { name = 'mio', parameters = { x = [1, 2] } }").unwrap();
    assert_eq!(study.clone().overridden(&all).unwrap().algorithms, study.algorithms[1..]);
    let one = Flags { algorithms: Some("mio[x=2]".to_owned()), ..Flags::default() };
    assert_eq!(study.clone().overridden(&one).unwrap().algorithms, study.algorithms[2..]);
}

#[test]
fn a_list_of_criteria_is_one_value() {
    let both = Parameter::Text("blocks,branches".to_owned());
    let study = parse("{ name = 'mio', parameters = { criteria = ['blocks', 'branches'] } }");
    let study = study.unwrap();
    assert_eq!(study.algorithms.len(), 1);
    assert_eq!(
        (&*study.algorithms[0].label, &study.algorithms[0].parameters["criteria"]),
        ("mio", &both)
    );
    let grid = "{ name = 'mio', parameters = { criteria = [['blocks'], ['blocks', 'branches']] } }";
    assert_eq!(labels(grid), ["mio[criteria=blocks]", "mio[criteria=\"blocks,branches\"]"]);
    let wrong = parse("{ name = 'mio', parameters = { criteria = [1] } }").unwrap_err();
    assert!(wrong.contains("cannot be a parameter"), "{wrong}");
}

#[test]
fn criteria_have_the_same_name_as_a_default_and_as_a_parameter() {
    let text = |algorithms: &str| {
        format!(
            "subject = 'scratch'\nprojects = ['p']\nseeds = 2\nalgorithms = [{algorithms}]\n\
             [budget]\nexecutions = 300\n[scratch]\ncriteria = ['blocks', 'branches']\n"
        )
    };
    let parse = |algorithms: &str| Study::parse(&text(algorithms), Path::new("grid.toml"));
    let study = parse("'mio'").unwrap();
    let both = Parameter::Text("blocks,branches".to_owned());
    assert_eq!(study.algorithms[0].parameters["criteria"], both);
    // Both are one configuration.
    let twice = "'mio', { name = 'mio', label = 'a', \
                 parameters = { criteria = ['blocks', 'branches'] } }";
    let error = parse(twice).unwrap_err().to_string();
    assert!(error.contains("is the same configuration as `mio`"), "{error}");
}

#[test]
fn a_sample_of_a_large_grid_is_the_same_everywhere() {
    let axis = |name: &str| {
        let values: Vec<_> = (0..100).map(|n| n.to_string()).collect();
        format!("{name} = [{}]", values.join(", "))
    };
    let axes = ["a", "b", "c", "d", "e", "f"].map(axis).join(", ");
    let entry = |sample: &str| format!("{{ name = 'mio', parameters = {{ {axes} }}, {sample} }}");
    let three = labels(&entry("sample = 3, sample_seed = 7"));
    assert_eq!(
        three,
        [
            "mio[a=17 b=52 c=16 d=19 e=25 f=32]",
            "mio[a=29 b=65 c=99 d=92 e=70 f=70]",
            "mio[a=56 b=1 c=19 d=23 e=62 f=94]",
        ]
    );
    let more = labels(&entry("sample = 40, sample_seed = 7"));
    assert_eq!(more.len(), 40);
    assert!(three.iter().all(|label| more.contains(label)));
    assert_ne!(labels(&entry("sample = 40")), more);
    let error = parse(&entry("label = 'x'")).unwrap_err();
    let expected = "grid.toml:4: algorithms.parameters: 1000000000000 combinations are more than the \
                    maximum of 10000; shorten the lists, or draw some of the combinations, such as \
                    sample = 100";
    assert_eq!(error, expected);
    // A sample that is not smaller than the grid contains the whole grid.
    let small = |sample: &str| format!("{{ name = 'a', parameters = {{ x = [1, 2] }}{sample} }}");
    assert_eq!(labels(&small(", sample = 2")), labels(&small("")));
}

#[test]
fn wrong_grids_are_refused_with_the_line() {
    let bad = [
        ("x = []", "4: algorithms.parameters.x: no values; list at least one value"),
        ("x = [1,\n1.0]", "5: algorithms.parameters.x: 1 is given twice; list each value once"),
        ("x = [1,\n\n'1']", "6: algorithms.parameters.x: 1 is given twice; list each value once"),
        ("x = [1,\n[2]]", "5: algorithms.parameters.x: a list cannot be a parameter"),
        ("x = [1,\n{ y = 2 }]", "5: algorithms.parameters.x: a table cannot be a parameter"),
        ("x = [1,\nnan]", "5: algorithms.parameters.x: nan is not finite"),
        ("x.y = 1,\n'x.y' = [2]", "4: algorithms.parameters.x.y: given twice"),
        ("x = 1 }, sample = 3, label = { ", "4: algorithms.label: a table is not a string"),
        (
            "x = 1 },\nsample = 3, parameters2 = { ",
            "algorithms.parameters2: unknown key; write `parameters`",
        ),
        ("x = [1] }, sample = 0, label = 'l', a = {", "algorithms.a: unknown key"),
    ];
    for (parameters, error) in bad {
        let found = parse(&format!("{{ name = 'a', parameters = {{ {parameters} }} }}"));
        let found = found.unwrap_err();
        assert!(found.contains(error), "{parameters}: {found}");
    }
    let bad = [
        ("x = 1", "sample = 3", "algorithms.sample: no parameter is a list; give lists of values"),
        (
            "x = [1]",
            "sample_seed = 3",
            "algorithms.sample_seed: there is no sample; add the number",
        ),
        ("x = [1]", "sample = 0", "algorithms.sample: 0 is too small; give a whole number"),
        ("x = [1]", "sample = 10001", "algorithms.sample: 10001 configurations are more than"),
        ("x = [1]", "sample = 1, sample_seed = -1", "algorithms.sample_seed: `-1` is not a seed"),
    ];
    for (parameters, sample, error) in bad {
        let entry = format!("{{ name = 'a', parameters = {{ {parameters} }}, {sample} }}");
        let found = parse(&entry).unwrap_err();
        assert!(found.contains(&format!("4: {error}")), "{sample}: {found}");
    }
    let overflowing: Vec<_> = (0..70).map(|n| format!("p{n} = [0, 1]")).collect();
    let entry =
        format!("{{ name = 'a', parameters = {{ {} }}, sample = 3 }}", overflowing.join(", "));
    assert!(parse(&entry).unwrap_err().contains("4: algorithms.sample: at least 2^64"));
    let clash = "{ name = 'a', label = 'a[x=1]' },\n{ name = 'a', parameters = { x = [1, 2] } }";
    let error = parse(clash).unwrap_err();
    assert!(error.contains("5: algorithms: the label `a[x=1]` is given twice"), "{error}");
    let same = "{ name = 'a', label = 'b', parameters = { x = 2 } },\n\
                { name = 'a', parameters = { x = [1, 2] } }";
    let error = parse(same).unwrap_err();
    assert!(error.contains("5: algorithms: `a[x=2]` is the same configuration as `b`"), "{error}");
}

#[test]
fn the_line_of_a_value_is_found_by_its_configuration() {
    let folder = tempfile_of(
        "projects = ['p']\nseeds = 1\nbudget.executions = 1\nalgorithms = [\n'a',\n\
         { name = 'b', parameters = { y = 3, x = [\n1,\n2,\n] } },\n]\n",
    );
    let line = |number, parameter| match Study::algorithm_location(&folder, number, parameter) {
        Some(SourceLocation::Line(_, line)) => Some(line),
        _ => None,
    };
    assert_eq!((line(0, None), line(1, None), line(2, None)), (Some(5), Some(6), Some(6)));
    assert_eq!((line(1, Some("x")), line(2, Some("x"))), (Some(7), Some(8)));
    assert_eq!((line(2, Some("y")), line(2, Some("z")), line(3, None)), (Some(6), None, None));
    std::fs::remove_file(folder).unwrap();
}

fn tempfile_of(text: &str) -> std::path::PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.toml", std::process::id()));
    std::fs::write(&file, text).unwrap();
    file
}

/// The configurations of `tuning.toml` and `tuning-race.toml`, written out.
fn written_out() -> Vec<Algorithm> {
    let mosa: [(&str, Parameter); 10] = [
        ("max_events", Parameter::Integer(10)),
        ("max_events", Parameter::Integer(40)),
        ("extension", Parameter::Number(0.0)),
        ("extension", Parameter::Number(0.6)),
        ("reduction", Parameter::Number(0.0)),
        ("reduction", Parameter::Number(0.6)),
        ("population", Parameter::Integer(10)),
        ("population", Parameter::Integer(50)),
        ("crossover", Parameter::Number(0.5)),
        ("crossover", Parameter::Number(0.9)),
    ];
    let mio = [
        ("focus", Parameter::Number(0.5)),
        ("random_start", Parameter::Number(0.5)),
        ("targets", Parameter::Text("all".to_owned())),
    ];
    let with = |name: &str, (parameter, value): (&str, Parameter)| Algorithm {
        parameters: [(parameter.to_owned(), value)].into(),
        ..Algorithm::plain(name)
    };
    let mut algorithms = vec![Algorithm::plain("mosa")];
    algorithms.extend(mosa.map(|parameter| with("mosa", parameter)));
    algorithms.push(Algorithm::plain("mio"));
    algorithms.extend(mio.map(|parameter| with("mio", parameter)));
    algorithms
}

#[test]
fn the_grids_of_the_tuning_studies_have_the_run_ids_of_the_written_out_configurations() {
    for file in ["tuning.toml", "tuning-race.toml"] {
        let study = Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        let ids = |study: &Study| -> Vec<Digest> {
            let project = PlannedProject { name: "p".into(), digest: Digest::of(b"p") };
            let info = subject_info("scratch", "scratch/1");
            let plan = Plan::new(study, &info, vec![project], |_| Ok(())).unwrap();
            plan.into_runs().map(|run| run.id()).collect()
        };
        let mut algorithms = written_out();
        for (number, algorithm) in algorithms.iter_mut().enumerate() {
            algorithm.label = format!("configuration {number}");
        }
        let before = Study { algorithms, ..study.clone() };
        assert_eq!(ids(&study).len(), 15 * study.seeds.len());
        assert_eq!(ids(&study), ids(&before), "{file}");
    }
}

#[test]
fn the_study_file_of_a_plan_has_its_runs() {
    let plan = |text: &str| {
        let study = Study::parse(text, Path::new("s.toml")).unwrap();
        let project = PlannedProject { name: "p".into(), digest: Digest::of(b"p") };
        let mut info = subject_info("noop", "noop/1");
        info.kind = study.subject.clone().unwrap_or_else(|| "noop".to_owned());
        Plan::new(&study, &info, vec![project], |_| Ok(())).unwrap()
    };
    let texts = [
        "projects = ['p']\nseeds = 2\nalgorithms = ['a']\nbudget.executions = 300\n",
        "name = 'a \"b\" = c'\nsubject = 'noop'\nprojects = ['p']\nseeds = [3, 1]\nassertions = true\n\
         algorithms = ['a', { name = 'b', label = 'β [x]', parameters = { 'a.b' = [1.0, 1e300, -0.5], \
         c = 'it''s\"', d = true, e.f = -3 } }]\nbudget = { executions = 3, wall = '1s' }\n\
         mutation = { sample = 3, operators = ['SBD'] }\nrace = { level = 0.1 }\n"
            .replace("'it''s\"'", "\"it's\\\"\"")
            .as_str(),
        "projects = ['p']\nseeds = 1\nalgorithms = ['a']\nbudget.steps = 1\nmutation = true\n",
    ]
    .map(str::to_owned);
    for text in texts {
        let before = plan(&text);
        let file = before.study_file(&["elsewhere".to_owned()]).unwrap();
        let after = plan(&file);
        assert_eq!(after, before, "{file}");
        let ids = |plan: Plan| plan.into_runs().map(|run| run.id()).collect::<Vec<_>>();
        assert_eq!(ids(after), ids(before));
    }
}
