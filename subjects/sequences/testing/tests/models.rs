//! Tests models: their semantics, errors and formats.

use catherd_sequences_testing::{
    Alphabet, BUILTIN, Model, ModelSource, Sampler, Space, Stepper, Walker,
};

fn space(text: &str) -> Space {
    let model = Model::parse("test", text).unwrap_or_else(|error| panic!("{error}"));
    Space::explore(&model.program, 1_000_000).unwrap()
}

fn error(text: &str) -> String {
    let error = Model::parse("m.bp", text).expect_err("the model is wrong");
    assert!(!error.hint.is_empty() || error.cause.len() > 10, "{error}");
    error.to_string()
}

#[test]
fn threads_that_request_an_event_both_advance_on_it() {
    let text = "events a, b
        thread one { request a  request b }
        thread two { request a }";
    let space = space(text);
    assert_eq!((space.states(), space.edge_count()), (3, 2));
}

#[test]
fn a_blocked_request_stays_pending_and_ended_threads_block_nothing() {
    let text = "events a, b
        thread asks { request a }
        thread blocks { request b, block a }";
    let space = space(text);
    assert_eq!(space.edges(0).len(), 1);
    assert_eq!((space.states(), space.edge_count()), (3, 2));
}

#[test]
fn only_waiting_enables_no_event() {
    assert_eq!(space("events a thread w { wait a }").edge_count(), 0);
}

#[test]
fn an_interrupt_ends_a_thread_and_block_all_the_program() {
    let text = "events a, b, c
        thread x { request a  request b }
        thread i { request c, interrupt a }";
    assert_eq!((space(text).states(), space(text).edge_count()), (4, 4));
    assert_eq!(
        space("events a thread x { loop { request a } } thread y { wait a block all }").states(),
        2
    );
}

#[test]
fn only_the_highest_priority_that_is_enabled_remains() {
    let text = "events a, b, c
        thread x { request a }
        thread y { request b, priority 1 }
        thread z { request c, priority 2, block none }";
    assert!(error(text).contains("unknown event `none`"));
    let text = text.replace(", block none", "") + " thread w { wait b, block c }";
    let space = space(&text);
    assert_eq!(space.edges(0).len(), 1);
    assert_eq!(space.edges(0)[0].event, 1);
}

#[test]
fn guards_begin_and_drop_threads_as_data_changes() {
    // After `hit`, the thread has ended until its guard holds again, so the event cannot happen
    // twice in succession.
    let text = "events up, down, hit
        data on: bool = false
        request up when not on
        request down when on
        thread once when on { request hit }
        on up { on = true }
        on down { on = false }";
    assert!(error(text).contains("expected the name of a variable"));
    let space = space(
        &text
            .replace("on:", "live:")
            .replace("when not on", "when not live")
            .replace("when on", "when live")
            .replace("{ on =", "{ live ="),
    );
    // The states: off, on before the hit, and on after the hit.
    assert_eq!((space.states(), space.edge_count()), (3, 4));
}

#[test]
fn loops_conditions_and_events_with_fields_work() {
    let text = "model m
        const N = 3
        events go(n: 1..N, who: anna | ben), done
        data { seen: list 4 of (n: 1..N, who: {anna, ben}) = [], total: 0..20 = 0 }
        on go(*) as e {
          push seen, (n: e.n, who: e.who)
          if e.who == anna { total = total + e.n } else { total = total + 0 }
        }
        thread walk {
          for i in 1..N {
            let e = request go(n: i, *)
            while false { break }
            if e.who == anna and i == N { stop }
          }
          request done
        }";
    let space = space(text);
    let counts = space.counts(None);
    let traces = counts.traces.unwrap();
    // Each of three steps chooses anna or ben. `done` follows if ben is chosen last.
    assert_eq!(traces.maximal, 8_u32.into());
    assert_eq!(counts.longest, Some(4));
    assert_eq!(counts.shortest, Some(3));
}

#[test]
fn a_set_uses_the_data_at_the_time_of_its_statement() {
    let text = "events set(n: 0..1), get(n: 0..1)
        data x: 0..1 = 0
        on set(*) as e { x = e.n }
        thread s { request set(n: 1) }
        thread g { request get(n: x) }";
    let model = Model::parse("m", text).unwrap();
    let mut stepper = Stepper::new(&model.program);
    let (mut state, mut enabled) = (Vec::new(), Vec::new());
    let initial = stepper.initial().unwrap();
    stepper.step(&initial, 1, &mut state).unwrap();
    stepper.enabled(&state, &mut enabled).unwrap();
    assert_eq!(enabled, [2], "get(n: 0), as x was at the beginning");
}

#[test]
fn errors_name_line_column_and_remedy() {
    assert_eq!(
        error("events a\nthread t { requst a }"),
        "m.bp:2:12: `requst` does not begin a statement"
    );
    assert_eq!(error("events a\nthread t { request b }"), "m.bp:2:20: unknown event `b`");
    assert_eq!(error("events a thread t { request a"), "m.bp:1:19: this `{` is never closed");
    assert_eq!(error("thread t { }"), "m.bp:1:1: the model has no events");
    assert!(error("events a(x: 1), a(x: q)").contains("field `x` is a number elsewhere"));
    assert!(
        error("events a(x: 1 | 2) thread t { request a(x: 1, y: 2) }").contains("no field `y`")
    );
    assert!(
        error("events a(x: 1, y: 1) thread t { request a(x: 1) }")
            .contains("`y` of `a` is not named")
    );
    assert!(error("events a data x: 0..3 = 7").contains("7 is not in 0..3"));
    assert!(error("events a data x: 0..3 = 0 thread t { x = 1 }").contains("cannot change data"));
    assert!(error("events a thread t { break }").contains("`break` outside a loop"));
    assert!(error("events a thread t { } thread t { }").contains("a second thread named `t`"));
    assert!(error("const a = 1 const a = 2 events b").contains("a second constant"));
    assert!(
        error("events a thread t { if 1 { } }").contains("expected true or false, found a number")
    );
    let near = Model::parse("m", "events sAck thread t { request sack }").unwrap_err();
    assert_eq!(near.hint, "write `sAck`, if that is what you mean");
}

#[test]
fn rules_that_break_at_run_time_are_reported_with_a_trace() {
    let broken = |text: &str| {
        let model = Model::parse("m", text).unwrap();
        Space::explore(&model.program, 1000).unwrap_err().to_string()
    };
    let text = "events a data q: queue 2 of 0..9 = [] on a { push q, 1 }
        thread t { loop { request a } }";
    assert_eq!(broken(text), "the list is full: it holds at most 2, after the events a, a, a");
    let text = "events a data q: queue 2 of 0..9 = [] on a { pop front q } thread t { request a }";
    assert_eq!(broken(text), "nothing to take: the list is empty, after the events a");
    assert!(broken("events a thread t { request a loop { } }").contains("within 100000"));
    let text = "events a data x: 0..9 = 0 on a { x = 5 mod x } thread t { request a }";
    assert!(broken(text).starts_with("5 mod 0 has no value"), "{}", broken(text));
}

#[test]
#[ignore = "slow"]
fn hostile_models_end_in_a_named_error_or_a_truncation() {
    let threads: String = (0..100_000).map(|n| format!("thread t{n} {{ request a }}\n")).collect();
    assert!(error(&format!("events a\n{threads}")).contains("at most 4096"));
    assert!(error("events 1..1000000").contains("more than 65536 events"));
    let names: Vec<String> = (0..70_000).map(|n| format!("e{n}")).collect();
    assert!(error(&format!("events {}", names.join(", "))).contains("more than 65536 events"));
    assert!(
        error(&format!("events a thread t {}", "{ loop ".repeat(100_000))).contains("100 levels")
    );
    assert!(error(&format!("const x = {}1", "(".repeat(100_000))).contains("100 levels"));
    assert!(error(&format!("const x = 1{}", " + 1".repeat(100_000))).contains("400 operators"));
    assert!(error(&format!("const x = {}1", "-".repeat(100_000))).contains("100 levels"));
    assert!(
        error("events a data x: list 4096 of list 4096 of 0..1 = []").contains("more than 4096")
    );
    // The model has 2^100 states.
    let bits: String = (0..100)
        .map(|n| format!("thread t{n} {{ loop {{ request e{n} request e{n} }} }}\n"))
        .collect();
    let events: Vec<String> = (0..100).map(|n| format!("e{n}")).collect();
    let space_text = format!("events {}\n{bits}", events.join(", "));
    let model = Model::parse("m", &space_text).unwrap();
    let space = Space::explore(&model.program, 10_000).unwrap();
    assert!(space.truncated());
    assert_eq!(space.states(), 10_000);
    // A thread that counts without bound is not converted to a table.
    let model = Model::parse("m", "events a thread t { let n = 0 loop { request a n = n + 1 } }");
    assert!(Space::explore(&model.unwrap().program, 5000).unwrap().truncated());
}

#[test]
fn files_are_included_once_and_never_recursively() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = place.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let main = write("main.bp", "include \"parts.bp\"\nthread t { request a }");
    write("parts.bp", "events a, b");
    let source = ModelSource::open(&main).unwrap();
    assert_eq!(source.model().unwrap().program.events().len(), 2);
    // Packed models need no files.
    let packed = ModelSource::unpack("main", &source.pack()).unwrap();
    assert_eq!(packed.model().unwrap().program.events().len(), 2);
    write("parts.bp", "events a\nthread u { request x }");
    assert!(
        Model::open(&main).unwrap_err().to_string().starts_with("parts.bp:2:20: unknown event")
    );
    write("parts.bp", "include \"main.bp\"");
    assert!(Model::open(&main).unwrap_err().cause.contains("the file includes itself"));
}

#[test]
fn built_in_models_are_sound() {
    for (name, _) in BUILTIN {
        let model =
            Model::open(&format!("builtin:{name}")).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(model.warnings.is_empty(), "{name}: {:?}", model.warnings);
        let space =
            Space::explore(&model.program, 200_000).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!space.truncated(), "{name}");
        let counts = space.counts(Some(30));
        assert!(counts.traces.unwrap().maximal >= 41_u32.into(), "{name}");
        assert_eq!(counts.events, model.program.events().len(), "{name}: an event never occurs");
    }
    let vault = Model::open("builtin:vault").unwrap();
    let space = Space::explore(&vault.program, 100).unwrap();
    assert_eq!((space.states(), space.edge_count()), (8, 46));
    assert!(Model::open("builtin:vault:3").unwrap_err().cause.contains("no size"));
    assert!(Model::open("builtin:volt").unwrap_err().hint.contains("vault"));
}

#[test]
fn the_table_form_has_the_same_states() {
    for name in ["vault", "moodle", "readers-writers", "saga-payment"] {
        let model = Model::open(&format!("builtin:{name}")).unwrap();
        let text = model.tables(100_000).unwrap();
        let again = Model::parse("again", &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let explore = |model: &Model| Space::explore(&model.program, 100_000).unwrap();
        let (a, b) = (explore(&model), explore(&again));
        assert_eq!((a.states(), a.edge_count()), (b.states(), b.edge_count()), "{name}");
        let alphabet = Alphabet::names(model.program.events());
        let again = Alphabet::names(again.program.events());
        assert_eq!(a.projected_traces(&alphabet), b.projected_traces(&again), "{name}");
    }
}

#[test]
fn weights_matter_only_for_walks() {
    let text = "events weight, b, c\n\
                thread t { request weight | b, weight 3 }\n\
                thread u { request c }\n\
                thread v { wait weight | b | c  block all }\n";
    let model = Model::parse("m", text).unwrap();
    let space = Space::explore(&model.program, 100).unwrap();
    let walks = |sampler, seed| {
        let walker = Walker::new(&model.program, Some(&space), sampler, seed, 10).unwrap();
        walker.walks(0..7000).unwrap().0
    };
    let shares = |sampler| {
        let tests = walks(sampler, 1);
        [0, 1, 2].map(|event| {
            (0..tests.len()).filter(|&test| tests.get(test) == [event]).count() as f64 / 7000.0
        })
    };
    let near = |found: [f64; 3], expected: [f64; 3]| {
        found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.03)
    };
    let weighted = shares(Sampler::Weighted);
    assert!(near(weighted, [3.0 / 7.0, 3.0 / 7.0, 1.0 / 7.0]), "{weighted:?}");
    let steps = shares(Sampler::Steps);
    assert!(near(steps, [1.0 / 3.0; 3]), "{steps:?}");
    // The events that were taken least often come next, so each group of three successive walks
    // contains each event once.
    let avoid = shares(Sampler::Avoid);
    assert!(near(avoid, [1.0 / 3.0; 3]), "{avoid:?}");
    let tests = walks(Sampler::Avoid, 2);
    for start in (0..6000).step_by(3) {
        let mut three: Vec<u16> = (start..start + 3).map(|test| tests.get(test)[0]).collect();
        three.sort_unstable();
        assert_eq!(three, [0, 1, 2]);
    }
    // Walks do not depend on how many walks are requested.
    let walker = Walker::new(&model.program, Some(&space), Sampler::Avoid, 2, 10).unwrap();
    let (later, _) = walker.walks(100..200).unwrap();
    assert_eq!(later.get(7), tests.get(107));
    let again = Model::parse("m", &model.tables(100).unwrap()).unwrap();
    let walker = Walker::new(&again.program, None, Sampler::Weighted, 1, 10).unwrap();
    assert_eq!(walker.walks(0..50).unwrap().0.get(49), walks(Sampler::Weighted, 1).get(49));

    let error = Model::parse("m", "events a\nthread t { request a, weight 0 }\n").unwrap_err();
    assert!(error.to_string().contains("2:30: a weight is a whole number"), "{error}");
}

#[test]
fn tables_have_each_event_once_and_no_event_for_all_others() {
    for (events, expected) in [
        (r#"["a", "a"]"#, "a second event `a`"),
        (r#"["a", "*"]"#, "`*` stands for all other events"),
    ] {
        let tables = format!(r#"{{"events": {events}, "threads": []}}"#);
        let error = Model::parse("m", &tables).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn graphs_of_graphwalker_are_models() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("shop.json");
    let path = format!("graphwalker:{}", file.display());
    let graph = r#"{"name": "suite", "models": [{"name": "shop", "generator": "random(edge_coverage(100))",
        "startElementId": "e0",
        "vertices": [{"id": "v0", "name": "v_empty"}, {"id": "v1", "name": "v_full"}],
        "edges": [
            {"id": "e0", "name": "e_open", "targetVertexId": "v0"},
            {"id": "e1", "name": "e_add", "sourceVertexId": "v0", "targetVertexId": "v1"},
            {"id": "e2", "name": "e_add", "sourceVertexId": "v1", "targetVertexId": "v1"},
            {"id": "e3", "name": "e_clear", "sourceVertexId": "v1", "targetVertexId": "v0"},
            {"id": "e4", "name": "e_clear", "sourceVertexId": "v1", "targetVertexId": "v1"}
        ]}]}"#;
    std::fs::write(&file, graph).unwrap();
    let model = Model::open(&path).unwrap();
    assert_eq!(model.name, "shop");
    let labels: Vec<_> = model.program.events().list().iter().map(ToString::to_string).collect();
    assert_eq!(labels, ["e_open", "e_add", "e_clear(edge: e3)", "e_clear(edge: e4)"]);
    let space = Space::explore(&model.program, 100).unwrap();
    assert_eq!((space.states(), space.edge_count()), (3, 5));
    for (from, to, expected) in [
        ("\"e_open\",", "\"e_open\", \"guard\": \"n > 0\",", "edge `e_open` has a guard"),
        ("\"e_open\",", "\"e_open\", \"actions\": [\"n = 0;\"],", "edge `e_open` has an action"),
        (
            "\"startElementId\": \"e0\"",
            "\"startElementId\": \"e9\"",
            "the start `e9` is neither a vertex nor an edge",
        ),
        (
            "\"sourceVertexId\": \"v0\"",
            "\"sourceVertexId\": \"v7\"",
            "edge `e_add` has no known source",
        ),
        ("{\"name\": \"suite\", \"models\": [", "{\"models\": [{}, ", "2 models"),
        ("\"models\"", "\"graphs\"", "not a model of GraphWalker: missing field `models`"),
    ] {
        std::fs::write(&file, graph.replacen(from, to, 1)).unwrap();
        let error = Model::open(&path).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("shop.json"), "{error}");
    }
}

#[test]
fn some_trace_of_each_built_in_model_triggers_each_of_its_faults() {
    for (name, _) in BUILTIN {
        let model = Model::open(&format!("builtin:{name}")).unwrap();
        let space = Space::explore(&model.program, 1_000_000).unwrap();
        for fault in &model.faults {
            // The states in which some trace has just had a prefix of the fault's events.
            let mut states: Vec<u32> = (0..space.states() as u32).collect();
            for allowed in &fault.word {
                let edges = states.iter().flat_map(|&state| space.edges(state));
                let next: std::collections::BTreeSet<u32> =
                    edges.filter(|edge| allowed.contains(&edge.event)).map(|e| e.target).collect();
                states = next.into_iter().collect();
            }
            assert!(!states.is_empty(), "{name}: {}", fault.name);
        }
    }
}
