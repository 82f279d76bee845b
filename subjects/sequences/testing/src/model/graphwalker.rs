//! Models of GraphWalker: graphs as JSON, which are converted to tables.
//!
//! An edge is an event, and a vertex is a state. Guards and actions are refused unless they have no
//! effect.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ModelError;
use crate::span::Span;

#[derive(Deserialize)]
struct File {
    models: Vec<Graph>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Graph {
    #[serde(default)]
    name: String,
    #[serde(default)]
    start_element_id: Option<String>,
    #[serde(default)]
    actions: Vec<Value>,
    #[serde(default)]
    vertices: Vec<Vertex>,
    #[serde(default)]
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vertex {
    id: String,
    #[serde(default)]
    shared_state: Option<String>,
    #[serde(default)]
    requirements: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Edge {
    id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    guard: Option<Value>,
    #[serde(default)]
    actions: Option<Vec<Value>>,
    #[serde(default)]
    source_vertex_id: Option<String>,
    #[serde(default)]
    target_vertex_id: Option<String>,
    #[serde(default)]
    requirements: Vec<String>,
}

fn failed(cause: impl Into<String>) -> ModelError {
    ModelError::new(Span::default(), cause)
}

impl Edge {
    fn event(&self) -> String {
        match &self.name {
            Some(name) if !name.is_empty() => name.clone(),
            _ => self.id.clone(),
        }
    }

    fn check(&self) -> Result<(), ModelError> {
        let is_set = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty() && text.trim() != "true",
            Value::Object(members) => members.values().any(|member| {
                member.as_str().is_some_and(|text| !text.trim().is_empty() && text != "true")
            }),
            _ => true,
        };
        let what = if self.guard.as_ref().is_some_and(is_set) {
            "a guard"
        } else if self.actions.iter().flatten().any(is_set) {
            "an action"
        } else {
            return Ok(());
        };
        Err(failed(format!("edge `{}` has {what}", self.event()))
            .hint("write the data of the model as *.bp: guards and actions are JavaScript"))
    }
}

/// The tables contain one b-thread that follows the edges.
pub(super) fn convert(text: &str) -> Result<String, ModelError> {
    let file: File = serde_json::from_str(text).map_err(|cause| {
        failed(format!("not a model of GraphWalker: {cause}"))
            .hint("export the model as JSON, with a list `models`")
    })?;
    let [graph] = &file.models[..] else {
        return Err(failed(format!("the file has {} models", file.models.len()))
            .hint("export one model to each file"));
    };
    if !graph.actions.is_empty() {
        return Err(failed("the model has actions")
            .hint("write the data of the model as *.bp: actions are JavaScript"));
    }
    if let Some(vertex) = graph.vertices.iter().find(|vertex| vertex.shared_state.is_some()) {
        return Err(failed(format!("vertex `{}` is shared with other models", vertex.id))
            .hint("join the models"));
    }
    graph.edges.iter().try_for_each(Edge::check)?;
    let numbers: BTreeMap<&str, usize> = graph
        .vertices
        .iter()
        .enumerate()
        .map(|(at, vertex)| (vertex.id.as_str(), at + 1))
        .collect();
    let number = |id: &Option<String>, edge: &Edge, end: &str| -> Result<usize, ModelError> {
        let known = id.as_deref().and_then(|id| numbers.get(id).copied());
        known.ok_or_else(|| failed(format!("edge `{}` has no known {end}", edge.event())))
    };
    // State 0 contains the edges from the start vertex, or the start element itself if this element
    // is an edge.
    let mut states = vec![Vec::new(); graph.vertices.len() + 1];
    let start = match &graph.start_element_id {
        Some(id) => id.clone(),
        None => {
            let first = graph.edges.iter().find(|edge| edge.source_vertex_id.is_none());
            let first = first.map(|edge| edge.id.clone());
            first.ok_or_else(|| failed("the model has no start").hint("set startElementId"))?
        }
    };
    let mut started = numbers.contains_key(start.as_str());
    for edge in &graph.edges {
        let target = number(&edge.target_vertex_id, edge, "target")?;
        let source = edge.source_vertex_id.as_ref();
        if edge.id == start {
            started = true;
            states[0].push((edge, target));
        }
        if source.is_some() {
            let source = number(&edge.source_vertex_id, edge, "source")?;
            if graph.vertices[source - 1].id == start {
                states[0].push((edge, target));
            }
            states[source].push((edge, target));
        }
    }
    if !started {
        return Err(failed(format!("the start `{start}` is neither a vertex nor an edge")));
    }
    Ok(tables(graph, &states))
}

/// If two edges from one vertex have the same name, all edges with this name get their ids as a
/// field.
fn tables(graph: &Graph, states: &[Vec<(&Edge, usize)>]) -> String {
    let mut ambiguous: BTreeSet<String> = BTreeSet::new();
    for edges in states {
        let mut names = BTreeSet::new();
        let again = edges.iter().map(|(edge, _)| edge.event());
        ambiguous.extend(again.filter(|name| !names.insert(name.clone())));
    }
    let event = |edge: &Edge| match edge.event() {
        name if ambiguous.contains(&name) => json!({"event": name, "edge": edge.id}),
        name => json!(name),
    };
    let label = |edge: &Edge| match edge.event() {
        name if ambiguous.contains(&name) => format!("{name}(edge: {})", edge.id),
        name => name,
    };
    let mut known = BTreeSet::new();
    let events = graph.edges.iter().map(event);
    let events: Vec<Value> = events.filter(|event| known.insert(event.to_string())).collect();
    let state = |edges: &Vec<(&Edge, usize)>| {
        let next: BTreeMap<String, usize> =
            edges.iter().map(|(edge, target)| (label(edge), *target)).collect();
        json!({"request": next.keys().collect::<Vec<_>>(), "next": next})
    };
    let name = if graph.name.is_empty() { "graph" } else { &graph.name };
    let states: Vec<Value> = states.iter().map(state).collect();
    let thread = json!({"name": name, "states": states});
    // A requirement of a vertex becomes a requirement of the edges that lead to it.
    let mut requirements: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    for edge in &graph.edges {
        let is_target = |vertex: &&Vertex| Some(&vertex.id) == edge.target_vertex_id.as_ref();
        let of_target = graph.vertices.iter().filter(is_target).flat_map(|v| &v.requirements);
        for requirement in edge.requirements.iter().chain(of_target) {
            requirements.entry(requirement).or_default().insert(label(edge));
        }
    }
    let words: BTreeMap<_, _> =
        requirements.into_iter().map(|(name, events)| (name, [events])).collect();
    json!({"name": name, "events": events, "threads": [thread], "requirements": words}).to_string()
}
