//! Tests of the fitness of traces written by hand, and a comparison of the fitness of random traces
//! with the definition.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_sb3::test_support::LabelledProject;
use proptest::prelude::*;

use super::*;
use crate::Compat;
use crate::graph::tests::any_graph;
use crate::graph::{EXIT, Graph};

struct Execution {
    sample: LabelledProject,
    model: Model,
    trace: Trace,
}

impl Execution {
    fn of(source: &str) -> Self {
        let sample = LabelledProject::new(source);
        let model = Model::new(&sample.project, Compat::default());
        let trace = Trace::new(model.block_count());
        Self { sample, model, trace }
    }

    fn covers(mut self, labels: &str) -> Self {
        for label in labels.split_whitespace() {
            self.trace.cover(self.sample.block(label));
        }
        self
    }

    fn records(mut self, label: &str, to_true: f64, to_false: f64) -> Self {
        self.trace.record_min(self.sample.block(label), to_true, to_false);
        self.covers(label)
    }

    fn distance(&self, label: &str) -> Distance {
        self.model.explain(&self.trace, self.model.goal(self.sample.block(label)).unwrap())
    }

    #[track_caller]
    fn is(&self, label: &str, level: u32, branch: f64, flow: Option<u32>) -> &Self {
        let alpha = |x: f64| x / (1.0 + x);
        let fitness =
            2.0 * f64::from(level) + alpha(branch) + flow.map_or(1.0, |d| alpha(f64::from(d)));
        let expected = Distance {
            approach_level: Some(level),
            branch_distance: branch,
            control_flow_distance: flow,
            fitness,
        };
        assert_eq!(self.distance(label), expected, "{label}");
        self
    }
}

#[test]
fn nested_conditions_guide_step_by_step() {
    let run = || Execution::of("# Cat\n h=flag o=if { m=set i=if { c=set G=say } }").covers("h");
    run().records("o", 9.0, 0.0).is("G", 1, 9.0, None);
    run().records("o", 0.0, 1.0).covers("m").records("i", 6.0, 0.0).is("G", 0, 6.0, None);
    // Both conditions hold, but the test ended before the goal.
    run().records("o", 0.0, 1.0).records("i", 0.0, 1.0).is("G", 0, 0.0, Some(2));
    run().records("o", 0.0, 1.0).records("i", 0.0, 1.0).covers("c").is("G", 0, 0.0, Some(1));
    // The outer condition holds, and the inner condition was not yet evaluated.
    run().records("o", 0.0, 1.0).is("G", 1, 0.0, Some(2)).is("i", 0, 0.0, Some(2));
    run().records("o", 0.0, 1.0).records("i", 0.0, 1.0).covers("c G").is("G", 0, 0.0, Some(0));
}

#[test]
fn an_event_that_is_missing_counts_half() {
    let run = Execution::of("# Cat\n h=flag\n k=key(a) b=say\n key(b) c=if { d=say }").covers("h");
    run.is("k", 0, 1.0, None).is("b", 0, 1.0, None).is("c", 0, 1.0, None).is("d", 1, 1.0, None);
    assert_eq!(run.distance("b").fitness, 1.5);
    run.covers("k").is("b", 0, 0.0, Some(1));
}

#[test]
fn messages_carry_the_distance_of_their_senders() {
    let source = "# Cat\n h=flag i=if { s=broadcast(go) }\n r=receive(go) G=say";
    let run = || Execution::of(source).covers("h");
    run().records("i", 4.0, 0.0).is("r", 2, 4.0, None).is("G", 2, 4.0, None);
    run().records("i", 0.0, 1.0).covers("s").is("r", 0, 1.0, None);
    run().records("i", 0.0, 1.0).covers("s r").is("G", 0, 0.0, Some(1));
    // The condition holds, but the test ended before the message was sent.
    run().records("i", 0.0, 1.0).is("G", 2, 0.0, Some(1));
}

#[test]
fn goals_may_need_opposite_outcomes_of_a_decision() {
    let run = |source: &str| Execution::of(source).covers("h");
    run("# Cat\n h=flag n=waituntil G=say").records("n", 42.0, 0.0).is("G", 0, 42.0, None);
    run("# Cat\n h=flag n=repeatuntil { b=move } G=say")
        .records("n", 42.0, 0.0)
        .covers("b")
        .is("G", 0, 42.0, None);
    run("# Cat\n h=flag n=ifelse { } { G=say }").records("n", 0.0, 42.0).is("G", 0, 42.0, None);
    run("# Cat\n h=flag n=if { o=if { G=say } }").records("n", 42.0, 0.0).is("G", 1, 42.0, None);
    run("# Cat\n h=flag n=repeatuntil { G=say }").records("n", 0.0, 1.0).is("G", 0, 1.0, None);
    run("# Cat\n h=flag n=repeatuntil { o=if { G=say } }")
        .records("n", 0.0, 1.0)
        .is("G", 1, 1.0, None);
    run("# Cat\n h=flag n=repeat { G=say }").records("n", 1.0, 0.0).is("G", 0, 1.0, None);
    run("# Cat\n h=flag n=repeat { o=forever { p=say } } G=say")
        .records("n", 0.0, 9.0)
        .records("o", 0.0, 1.0)
        .covers("p")
        .is("G", 0, 9.0, None);
    run("# Cat\n h=flag n=wait G=say").records("n", 0.25, 0.0).is("G", 0, 0.25, None);
}

#[test]
fn each_distance_is_the_smallest_over_the_iterations() {
    let run = Execution::of("# Cat\n h=flag n=repeatuntil { b=move } G=say").covers("h b");
    let run = [10.0, 30.0, 20.0].iter().fold(run, |run, &t| run.records("n", t, 0.0));
    run.is("G", 0, 10.0, None);
}

#[test]
fn unknown_distances_give_a_large_but_finite_fitness() {
    let run = Execution::of("# Cat\n h=flag n=if { G=say }").covers("h");
    let run = run.records("n", f64::NAN, 0.0);
    assert_eq!(run.distance("G").branch_distance, f64::INFINITY);
    assert_eq!(run.distance("G").fitness, 2.0);
}

#[test]
fn unreachable_goals_are_infinitely_far() {
    let run = Execution::of("# Cat\n h=flag\n r=receive(x) broadcast(x)").covers("h");
    assert_eq!(run.distance("r").approach_level, None);
    assert_eq!(run.distance("r").fitness, f64::INFINITY);
}

#[test]
fn the_switch_hides_events_that_did_not_happen() {
    let sample = LabelledProject::new("# Cat\n h=flag b=say\n k=key(a) i=say");
    let compat = Compat { unreached_event_is_infinite: true, ..Compat::default() };
    let model = Model::new(&sample.project, compat);
    let mut trace = Trace::new(model.block_count());
    trace.cover(sample.block("h"));
    let mut fitness = Vec::new();
    model.evaluate(&trace, &mut fitness, &mut Workspace::default());
    assert_eq!(fitness, [0.0, 0.5, f64::INFINITY, f64::INFINITY]);
}

/// The definition of fitness for each goal, without optimisation.
struct Definition<'a> {
    graph: &'a Graph,
    trace: &'a Trace,
}

impl Definition<'_> {
    fn covered(&self, node: NodeId) -> bool {
        let first = self.graph.first_block();
        node == ENTRY
            || node >= first && self.trace.covered(self.graph.blocks()[(node - first) as usize])
    }

    fn event(&self, node: NodeId) -> Option<&HatEvent> {
        (FIRST_EVENT..self.graph.first_block())
            .contains(&node)
            .then(|| &self.graph.events()[(node - FIRST_EVENT) as usize])
    }

    fn is_edge(edges: &Adjacency<Edge>, from: NodeId, to: NodeId) -> bool {
        edges.of(from).iter().any(|edge| edge.to == to)
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + Clone {
        0..self.graph.len() as NodeId
    }

    fn reached(&self, node: NodeId) -> bool {
        match self.event(node) {
            Some(event) if event.is_from_user() => true,
            Some(_) => self
                .nodes()
                .any(|n| n > START && self.covered(n) && Self::is_edge(self.graph.flow(), n, node)),
            None => node == START || self.covered(node),
        }
    }

    /// Breadth-first search against the direction of edges; the sources have level 0.
    fn levels(&self, edges: &Adjacency<Edge>, sources: Vec<NodeId>) -> Vec<Option<u32>> {
        let mut levels = vec![None; self.graph.len()];
        let mut frontier = sources;
        for level in 0.. {
            frontier.retain(|&node| levels[node as usize].is_none());
            if frontier.is_empty() {
                break;
            }
            for &node in &frontier {
                levels[node as usize] = Some(level);
            }
            frontier = self
                .nodes()
                .filter(|&from| frontier.iter().any(|&to| Self::is_edge(edges, from, to)))
                .collect();
        }
        levels
    }

    fn decision(&self, node: NodeId, when: Outcomes) -> f64 {
        if let Some(event) = self.event(node) {
            let happened = *event == HatEvent::Flag
                || self.graph.flow().of(node).iter().any(|e| e.to != EXIT && self.covered(e.to));
            return if happened { 0.0 } else { 1.0 };
        }
        let first = self.graph.first_block();
        let record = (node >= first)
            .then(|| self.trace.record(self.graph.blocks()[(node - first) as usize]))
            .flatten();
        let Some((to_true, to_false)) = record else { return 0.0 };
        [(Outcomes::ANY, 0.0), (Outcomes::TRUE, to_true), (Outcomes::FALSE, to_false)]
            .iter()
            .filter(|(outcome, _)| when.has(*outcome))
            .fold(f64::INFINITY, |nearest, &(_, distance)| nearest.min(distance))
    }

    fn flow_distance(&self, target: NodeId) -> Option<u32> {
        let levels = self.levels(self.graph.flow(), vec![target]);
        self.nodes().filter(|&node| self.covered(node)).filter_map(|n| levels[n as usize]).min()
    }

    /// Approach levels of all nodes as seen from the goal.
    fn approach_levels(&self, goal: NodeId) -> Vec<Option<u32>> {
        let dependence = self.graph.dependence();
        let direct = self.nodes().filter(|&n| Self::is_edge(dependence, n, goal)).collect();
        self.levels(dependence, direct)
    }

    fn distance(&self, goal: NodeId) -> Distance {
        if self.covered(goal) {
            return Distance::COVERED;
        }
        let levels = self.approach_levels(goal);
        let reached = self.nodes().filter(|&node| self.reached(node));
        let level = reached.clone().filter_map(|node| levels[node as usize]).min();
        let Some(level) = level else {
            return Distance {
                approach_level: None,
                branch_distance: f64::INFINITY,
                control_flow_distance: None,
                fitness: f64::INFINITY,
            };
        };
        let mut branch = f64::INFINITY;
        let mut rest: Option<u32> = None;
        for node in reached.filter(|&node| levels[node as usize] == Some(level)) {
            let leads = |edge: &&Edge| match level {
                0 => edge.to == goal,
                _ => levels[edge.to as usize] == Some(level - 1),
            };
            for edge in self.graph.dependence().of(node).iter().filter(leads) {
                let distance = self.decision(node, edge.when);
                branch = branch.min(distance);
                // The other branch may also lead to the goal, but it was not taken.
                if distance == 0.0 {
                    rest = rest.into_iter().chain(self.flow_distance(edge.to)).min();
                }
            }
        }
        let alpha = |x: f64| if x.is_finite() { x / (1.0 + x) } else { 1.0 };
        let flow = rest.map_or(1.0, |rest| alpha(f64::from(rest)));
        Distance {
            approach_level: Some(level),
            branch_distance: branch,
            control_flow_distance: rest,
            fitness: 2.0 * f64::from(level) + alpha(branch) + flow,
        }
    }
}

fn any_trace(blocks: usize) -> impl Strategy<Value = Trace> {
    let distance = prop::sample::select(vec![0.0, 0.0, 0.5, 1.0, 7.0, f64::INFINITY]);
    let block = (prop::bool::ANY, prop::option::of((distance.clone(), distance)));
    prop::collection::vec(block, blocks).prop_map(move |blocks| {
        let mut trace = Trace::new(blocks.len());
        for ((covered, record), number) in blocks.into_iter().zip(0..) {
            if covered {
                trace.cover(BlockNo(number));
                if let Some((to_true, to_false)) = record {
                    trace.record_min(BlockNo(number), to_true, to_false);
                }
            }
        }
        trace
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn all_goals_at_once_are_as_defined_one_by_one(
        (graph, trace) in any_graph().prop_flat_map(|graph| {
            let blocks = graph.blocks().len();
            (Just(graph), any_trace(blocks))
        })
    ) {
        let model = Model::of_graph(graph);
        let mut fitness = Vec::new();
        model.evaluate(&trace, &mut fitness, &mut Workspace::default());
        let definition = Definition { graph: &model.graph, trace: &trace };
        prop_assert_eq!(fitness.len(), model.goals().len());
        for (goal, &fitness) in fitness.iter().enumerate() {
            let node = model.graph.first_block() + goal as NodeId;
            let expected = definition.distance(node);
            prop_assert_eq!(model.explain(&trace, goal), expected);
            prop_assert_eq!(fitness, expected.fitness);
            prop_assert_eq!(fitness == 0.0, trace.covered(model.goals()[goal]));
            let depth = definition.approach_levels(node).into_iter().flatten().max();
            prop_assert_eq!(model.depth(goal), depth.unwrap_or(0));
        }
    }
}
