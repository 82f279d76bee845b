//! State spaces as files for other programs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::str::FromStr;

use serde_json::json;

use crate::events::{EventId, Events};

use super::Space;

/// A format of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// The language of Graphviz.
    Dot,
    /// JSON with `events`, `states` and `edges`.
    Json,
    /// GraphML.
    Graphml,
}

/// Error for an unknown name of a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{0}`: use dot, json or graphml")]
pub struct UnknownGraphFormat(String);

impl FromStr for GraphFormat {
    type Err = UnknownGraphFormat;

    fn from_str(name: &str) -> Result<GraphFormat, UnknownGraphFormat> {
        match name {
            "dot" => Ok(GraphFormat::Dot),
            "json" => Ok(GraphFormat::Json),
            "graphml" => Ok(GraphFormat::Graphml),
            _ => Err(UnknownGraphFormat(name.to_owned())),
        }
    }
}

impl Space {
    /// Writes the space in a format.
    pub fn export(&self, events: &Events, format: GraphFormat) -> String {
        match format {
            GraphFormat::Dot => self.dot(events),
            GraphFormat::Json => self.json(events),
            GraphFormat::Graphml => self.graphml(events),
        }
    }

    fn all_edges(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (0..self.states() as u32).flat_map(|state| {
            self.edges(state).iter().map(move |edge| (state, edge.event, edge.target))
        })
    }

    fn dot(&self, events: &Events) -> String {
        let mut text = "digraph model {\n  node [shape=circle];\n  0 [style=bold];\n".to_owned();
        for state in self.deadlocks() {
            let _ = writeln!(text, "  {state} [shape=doublecircle];");
        }
        for (from, event, to) in self.all_edges() {
            let label = dot_label(events, event);
            let _ = writeln!(text, "  {from} -> {to} [label=\"{label}\"];");
        }
        text + "}\n"
    }

    /// Writes the space in the language of Graphviz, with the coverage of tests. Edges that tests
    /// take are solid and labelled with the number of these tests; the other edges are dashed. A
    /// test ends at the first event that the space does not allow.
    pub fn coverage(&self, events: &Events, tests: &[Vec<EventId>]) -> String {
        let mut taken = vec![0_u32; self.edge_count()];
        for test in tests {
            let mut edges = BTreeSet::new();
            let mut state = 0;
            for &event in test {
                let Some(at) = self.edges(state).iter().position(|edge| edge.event == event) else {
                    break;
                };
                edges.insert(self.first_edge(state) + at);
                state = self.edges(state)[at].target;
            }
            edges.into_iter().for_each(|edge| taken[edge] += 1);
        }
        let mut text = "digraph coverage {\n  node [shape=circle];\n  0 [style=bold];\n".to_owned();
        for state in self.deadlocks() {
            let _ = writeln!(text, "  {state} [shape=doublecircle];");
        }
        for ((from, event, to), count) in self.all_edges().zip(taken) {
            let label = dot_label(events, event);
            let _ = match count {
                0 => {
                    writeln!(text, "  {from} -> {to} [label=\"{label}\" style=dashed color=gray];")
                }
                _ => writeln!(text, "  {from} -> {to} [label=\"{label} ({count})\" penwidth=2];"),
            };
        }
        text + "}\n"
    }

    fn json(&self, events: &Events) -> String {
        let edges: Vec<_> =
            self.all_edges().map(|(from, event, to)| json!([from, event, to])).collect();
        let space = json!({
            "format": "catherd-sequences-space/1",
            "events": events.list(),
            "states": self.states(),
            "truncated": self.truncated(),
            "edges": edges,
        });
        space.to_string() + "\n"
    }

    fn graphml(&self, events: &Events) -> String {
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
            <key id=\"event\" for=\"edge\" attr.name=\"event\" attr.type=\"string\"/>\n\
            <graph edgedefault=\"directed\">\n"
            .to_owned();
        for state in 0..self.states() {
            let _ = writeln!(text, "<node id=\"{state}\"/>");
        }
        for (from, event, to) in self.all_edges() {
            let label = events.get(event).to_string();
            let label = label.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ = writeln!(
                text,
                "<edge source=\"{from}\" target=\"{to}\"><data key=\"event\">{label}</data></edge>"
            );
        }
        text + "</graph>\n</graphml>\n"
    }
}

fn dot_label(events: &Events, event: EventId) -> String {
    events.get(event).to_string().replace('\\', "\\\\").replace('"', "\\\"")
}
