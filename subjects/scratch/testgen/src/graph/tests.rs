//! Tests of the graphs of small programs, and a comparison of control dependence with its
//! definition.

use catherd_scratch_sb3::test_support::LabelledProject;
use catherd_scratch_suite::goals::GoalSettings;
use proptest::prelude::*;

use super::*;

fn graph_of(project: &Project, clone_links: bool, call_edges: bool) -> Graph {
    let settings = GoalSettings { clone_links, ..GoalSettings::default() };
    Graph::of(project, &LiveCode::of(project, settings), call_edges)
}

fn graph(source: &str) -> (LabelledProject, Graph) {
    let sample = LabelledProject::new(source);
    let graph = graph_of(&sample.project, false, false);
    (sample, graph)
}

/// Name of a node in these tests: the label of a block, an event, `entry`, `exit` or `start`.
fn name(sample: &LabelledProject, graph: &Graph, node: NodeId) -> String {
    match node {
        ENTRY => "entry".into(),
        EXIT => "exit".into(),
        START => "start".into(),
        _ if node < graph.first_block() => graph.events[(node - FIRST_EVENT) as usize].to_string(),
        _ => sample.label(graph.blocks[(node - graph.first_block()) as usize]),
    }
}

fn outcomes(when: Outcomes) -> String {
    [(Outcomes::ANY, '-'), (Outcomes::TRUE, 'T'), (Outcomes::FALSE, 'F')]
        .iter()
        .filter(|(outcome, _)| when.has(*outcome))
        .map(|(_, letter)| letter)
        .collect()
}

/// The outgoing edges of the named node, sorted, in the format `T say`.
fn edges(
    sample: &LabelledProject,
    graph: &Graph,
    edges: &Adjacency<Edge>,
    from: &str,
) -> Vec<String> {
    let from = (0..graph.len() as NodeId)
        .find(|&node| name(sample, graph, node) == from)
        .unwrap_or_else(|| panic!("no node {from}"));
    let mut described: Vec<_> = edges
        .of(from)
        .iter()
        .map(|edge| format!("{} {}", outcomes(edge.when), name(sample, graph, edge.to)))
        .collect();
    described.sort();
    described
}

fn assert_flow(source: &str, expected: &[(&str, &[&str])]) {
    let (sample, graph) = graph(source);
    for (from, to) in expected {
        assert_eq!(edges(&sample, &graph, &graph.flow, from), *to, "from {from} in {source}");
    }
}

/// The nodes on which the named block is control dependent, in the format `T if`.
fn controls(sample: &LabelledProject, graph: &Graph, of: &str) -> Vec<String> {
    let mut controls: Vec<_> = graph
        .dependence
        .iter()
        .filter(|(_, edge)| name(sample, graph, edge.to) == of)
        .map(|(from, edge)| format!("{} {}", outcomes(edge.when), name(sample, graph, from)))
        .collect();
    controls.sort();
    controls
}

fn assert_controls(source: &str, expected: &[(&str, &[&str])]) {
    let (sample, graph) = graph(source);
    for (of, by) in expected {
        assert_eq!(controls(&sample, &graph, of), *by, "of {of} in {source}");
    }
}

#[test]
fn branches_lead_to_their_blocks_or_past_them() {
    assert_flow(
        "# Cat
         h=flag a=if { b=say } c=if d=ifelse { e=say } { } f=ifelse { } { g=say }",
        &[
            ("entry", &["- green flag"]),
            ("green flag", &["F exit", "T h"]),
            ("h", &["- a"]),
            ("a", &["F c", "T b"]),
            ("b", &["- c"]),
            ("c", &["F d", "T d"]),
            ("d", &["F f", "T e"]),
            ("e", &["- f"]),
            ("f", &["F g", "T exit"]),
            ("g", &["- exit"]),
        ],
    );
}

#[test]
fn loops_lead_inside_outside_and_to_the_exit() {
    assert_flow(
        "# Cat
         flag a=repeat { b=if { c=say } } d=repeatuntil { } e=while { f=say } g=forever { i=say }",
        &[
            ("a", &["- exit", "F d", "T b"]),
            ("b", &["F a", "T c"]),
            ("c", &["- a"]),
            ("d", &["- exit", "F d", "T e"]),
            ("e", &["- exit", "F g", "T f"]),
            ("g", &["F exit", "T i"]),
            ("i", &["- g"]),
        ],
    );
}

#[test]
fn waiting_blocks_lead_to_the_exit_too() {
    assert_flow(
        "# Cat
         flag a=wait b=waituntil c=stop(other) d=stop(all)
         cloned g=delete
         flag e=clone(Cat) f=stop(this)",
        &[
            ("a", &["F exit", "T b"]),
            ("b", &["F b", "F exit", "T c"]),
            ("c", &["- d"]),
            ("d", &["- exit"]),
            ("e", &["- clone of Cat", "- f"]),
            ("g", &["- exit"]),
        ],
    );
}

#[test]
fn senders_lead_to_their_receivers() {
    assert_flow(
        "# Stage
         p=backdrop(NIGHT)
         q=backdrop(day)
         backdrop(dusk) say
         # Cat
         flag a=broadcast(Go) b=broadcast(*) c=broadcast(nobody) d=switch(Night) e=switch(night)
         flag f=nextbackdrop g=clone(_myself_) i=clone(*) j=clone(Dog)
         r=receive(go)
         s=receive(stop)
         t=cloned
         # Dog
         u=cloned",
        &[
            ("a", &["- b", "- message go"]),
            ("b", &["- c", "- message go", "- message stop"]),
            ("c", &["- d"]),
            ("d", &["- backdrop night", "- e"]),
            ("e", &["- exit"]),
            ("f", &["- backdrop day", "- backdrop night", "- g"]),
            ("g", &["- clone of Cat", "- i"]),
            ("i", &["- clone of Cat", "- clone of Dog", "- j"]),
            ("j", &["- clone of Dog", "- exit"]),
            ("message go", &["F exit", "T r"]),
            ("backdrop night", &["F exit", "T p"]),
            ("clone of Dog", &["F exit", "T u"]),
        ],
    );
}

#[test]
fn calls_lead_to_the_definition_and_its_ends_to_all_returns() {
    assert_flow(
        "# Cat
         flag a=call(jump) b=say
         flag j=repeat { c=call(jump) } d=call(fly)
         e=define(jump) f=if { g=stop(this) } i=say
         define(jump) say
         # Dog
         define(fly)
         flag call(fly)",
        &[
            ("a", &["- e"]),
            ("c", &["- e"]),
            ("d", &["- exit"]),
            ("e", &["- f"]),
            ("f", &["F i", "T g"]),
            ("g", &["- b", "- j"]),
            ("i", &["- b", "- j"]),
        ],
    );
}

#[test]
fn returns_of_the_last_call_go_to_the_callers_of_the_caller() {
    assert_flow(
        "# Cat
         flag a=call(outer) b=say
         g=define(outer) c=if { d=call(outer) } e=call(inner)
         define(inner) f=say",
        &[("d", &["- g"]), ("f", &["- b", "- e"]), ("c", &["F e", "T d"])],
    );
}

#[test]
fn switches_restore_the_published_edges() {
    let sample = LabelledProject::new(
        "# Cat
         flag a=call(jump) b=say
         define(jump) c=stop(this)
         flag d=clone(Cat)
         # Dog
         e=cloned",
    );
    let published = graph_of(&sample.project, true, true);
    let flow = |from| edges(&sample, &published, &published.flow, from);
    assert_eq!(flow("a"), ["- 3", "- b"]);
    assert_eq!(flow("c"), ["- exit"]);
    assert_eq!(flow("d"), ["- clone of Dog", "- exit"]);
    assert_eq!(graph_of(&sample.project, false, false).events.len(), 1);
}

#[test]
fn unknown_blocks_are_passed_over() {
    let source = "# Cat
         h=flag ? a=say ? ? b=if { ? } c=say ?
         ? say";
    assert_flow(
        source,
        &[("h", &["- a"]), ("a", &["- b"]), ("b", &["F c", "T c"]), ("c", &["- exit"])],
    );
    assert_eq!(graph(source).1.blocks.len(), 4);
}

#[test]
fn control_dependence_follows_branches_loops_and_time() {
    assert_controls(
        "# Cat
         h=flag a=set b=if { c=say } d=wait e=say f=repeat { g=say } i=say",
        &[
            ("green flag", &["- start"]),
            ("h", &["T green flag"]),
            ("a", &["T green flag"]),
            ("c", &["T b"]),
            ("d", &["T green flag"]),
            ("e", &["T d"]),
            ("f", &["T d", "T f"]),
            ("g", &["T f"]),
            ("i", &["F f"]),
        ],
    );
}

#[test]
fn control_dependence_crosses_messages() {
    assert_controls(
        "# Cat
         h=flag a=if { b=broadcast(go) c=say } d=say
         key(space) i=say
         r=receive(go) s=say",
        &[
            ("green flag", &["- entry"]),
            ("b", &["T a"]),
            // The broadcast is not a decision, so blocks after it do not depend on it.
            ("c", &["T a"]),
            ("d", &["T green flag"]),
            ("message go", &["- b"]),
            ("r", &["T message go"]),
            ("s", &["T message go"]),
        ],
    );
}

#[test]
fn blocks_after_several_calls_depend_on_the_end_of_the_body() {
    assert_controls(
        "# Cat
         flag a=call(jump) b=say c=say
         flag d=call(jump) e=say
         define(jump) f=say",
        &[("b", &["- f"]), ("c", &["- f"]), ("e", &["- f"])],
    );
    // If there is only one call, the body is a part of the script.
    assert_controls(
        "# Cat
         flag a=call(jump) b=say
         define(jump) f=say",
        &[("b", &["T green flag"]), ("f", &["T green flag"])],
    );
}

#[test]
fn wait_until_depends_on_itself() {
    assert_controls(
        "# Cat\nflag a=waituntil b=say",
        &[("a", &["F a", "T green flag"]), ("b", &["T a"])],
    );
}

#[test]
fn endless_recursion_has_an_end_for_analysis() {
    let (sample, graph) = graph(
        "# Cat
         h=flag a=call(loop) b=say
         d=define(loop) e=broadcast(go) f=call(loop)
         receive(go) c=say",
    );
    assert_eq!(controls(&sample, &graph, "a"), ["T green flag"]);
    assert_eq!(controls(&sample, &graph, "c"), ["T message go"]);
    assert!(!controls(&sample, &graph, "e").is_empty());
}

#[test]
#[ignore = "slow"]
fn edges_of_returns_and_of_messages_are_bounded() {
    let returns = format!(
        "# Cat\n flag {}\n define(jump) {}",
        "call(jump) ".repeat(3_000),
        "if { stop(this) } ".repeat(3_000)
    );
    let receivers: String = (0..3_000).map(|n| format!("receive(m{n}) say\n")).collect();
    let messages = format!("# Cat\n flag {}\n{receivers}", "broadcast(*) ".repeat(3_000));
    for source in [returns, messages] {
        let (_, graph) = graph(&source);
        assert!(graph.flow.iter().count() < 4_100_000);
    }
}

pub(crate) fn any_graph() -> impl Strategy<Value = Graph> {
    let kinds = prop::collection::vec(0..3usize, 0..4);
    let outcome = prop::sample::select(vec![Outcomes::ANY, Outcomes::TRUE, Outcomes::FALSE]);
    (kinds, 1..14usize).prop_flat_map(move |(kinds, blocks)| {
        let events: Vec<HatEvent> = kinds
            .iter()
            .map(|kind| match kind {
                0 => HatEvent::Flag,
                1 => HatEvent::Key("a".into()),
                _ => HatEvent::Broadcast("go".into()),
            })
            .collect();
        let first_block = FIRST_EVENT as usize + events.len();
        let nodes = first_block + blocks;
        let edge = (first_block..nodes, 0..nodes, outcome.clone());
        let hat = (FIRST_EVENT as usize..first_block.max(4), first_block..nodes);
        (prop::collection::vec(edge, 0..3 * nodes), prop::collection::vec(hat, 0..6)).prop_map(
            move |(edges, hats)| {
                let edge = |from: usize, to: usize, when| {
                    (from as NodeId, Edge { to: to as NodeId, when })
                };
                let is_user = |node: usize| events[node - 3].is_from_user();
                let mut all: Vec<_> = edges
                    .iter()
                    .filter(|(_, to, _)| ![ENTRY, START].contains(&(*to as NodeId)))
                    .filter(|(_, to, _)| *to == 1 || *to >= first_block || !is_user(*to))
                    .map(|&(from, to, when)| edge(from, to, when))
                    .collect();
                if !events.is_empty() {
                    all.extend(hats.iter().map(|&(from, to)| edge(from, to, Outcomes::TRUE)));
                }
                for event in 3..first_block {
                    all.push(edge(event, EXIT as usize, Outcomes::FALSE));
                    if is_user(event) {
                        all.push(edge(ENTRY as usize, event, Outcomes::ANY));
                    }
                }
                let blocks = (0..blocks as u32).map(BlockNo).collect();
                Graph::new(events.clone(), blocks, all)
            },
        )
    })
}

/// Whether the exit can be reached from `from` without passing through `without`.
fn ends(graph: &Graph, from: NodeId, without: NodeId) -> bool {
    let mut seen = vec![false; graph.len()];
    let mut pending = vec![from];
    while let Some(node) = pending.pop() {
        if node == without || std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        if node == EXIT {
            return true;
        }
        let is_sent = |to: NodeId| {
            node >= graph.first_block() && (FIRST_EVENT..graph.first_block()).contains(&to)
        };
        pending.extend(graph.flow.of(node).iter().map(|e| e.to).filter(|&to| !is_sent(to)));
    }
    false
}

proptest! {
    /// A node depends on an outcome if the node is certain to be reached after this outcome, but
    /// not before.
    #[test]
    fn control_dependence_agrees_with_its_definition(graph in any_graph()) {
        for from in 0..graph.len() as NodeId {
            for to in 0..graph.len() as NodeId {
                let mut expected = Outcomes(0);
                for edge in graph.flow.of(from) {
                    let certain = edge.to == to || !ends(&graph, edge.to, to);
                    let strictly_certain_before = from != to && !ends(&graph, from, to);
                    if certain && !strictly_certain_before {
                        expected.add(edge.when);
                    }
                }
                let mut found = graph.dependence.of(from).iter().filter(|edge| edge.to == to);
                prop_assert_eq!(found.next().map_or(0, |e| e.when.0), expected.0, "{} {}", from, to);
                prop_assert!(found.next().is_none());
            }
        }
    }
}
