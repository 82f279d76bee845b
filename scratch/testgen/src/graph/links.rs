//! The graph of a project: scripts linked by events and calls.

use catherd_sb3::{BlockNo, Mutation, Opcode, Project, Slot};
use rustc_hash::FxHashMap;

use super::dead_code::{live, reachable};
use super::event::{self, Link};
use super::script::{Next, Statement, statements};
use super::statement::takes_time;
use super::{ENTRY, EXIT, Edge, FIRST_EVENT, Graph, NodeId, Outcomes};
use crate::Compat;
use crate::goals::Goals;

/// The graph of a project without its dead code.
pub(super) fn graph(project: &Project, goals: Goals, compat: Compat) -> Graph {
    let statements = statements(project);
    let mut events = event::links(project, &statements, compat);
    let definitions = definitions(project, &statements);
    let definition = |call| definitions.get(&call).copied();
    let live = match goals {
        Goals::Published => live(&statements, &events, definition),
        Goals::Reachable => reachable(&statements, &events, definition),
    };
    for link in &mut events {
        link.hats.retain(|hat| live[hat.0 as usize]);
    }
    events.retain(|link| !link.hats.is_empty());

    let blocks: Vec<BlockNo> =
        (0..statements.len() as u32).map(BlockNo).filter(|b| live[b.0 as usize]).collect();
    let first_block = FIRST_EVENT + events.len() as u32;
    let nodes = blocks.iter().copied().zip(first_block..).collect();
    let mut callers: FxHashMap<_, Vec<_>> = FxHashMap::default();
    for &call in &blocks {
        if let Some(&definition) = definitions.get(&call) {
            callers.entry(definition).or_default().push(call);
        }
    }
    let mut linker = Linker {
        project,
        compat,
        statements: &statements,
        definitions: &definitions,
        callers,
        nodes,
        edges: Vec::new(),
    };
    for &block in &blocks {
        linker.leave(block);
    }
    for (link, node) in events.iter().zip(FIRST_EVENT..) {
        linker.announce(link, node);
    }
    let edges = linker.edges;
    Graph::new(events.into_iter().map(|link| link.event).collect(), blocks, edges)
}

/// The definition of each call that has one: the first in its sprite with that signature.
fn definitions(project: &Project, statements: &[Option<Statement>]) -> FxHashMap<BlockNo, BlockNo> {
    let block = |s: &Statement| &project.targets[s.target].blocks[s.index as usize];
    let mut definitions = FxHashMap::default();
    let numbered =
        || statements.iter().zip(0..).filter_map(|(s, n)| Some((s.as_ref()?, BlockNo(n))));
    for (statement, number) in numbered().filter(|(s, _)| s.opcode == Opcode::ProceduresDefinition)
    {
        let blocks = &project.targets[statement.target].blocks;
        if let Some(Slot::Block(prototype)) =
            block(statement).input("custom_block").map(|i| &i.block)
            && let Some(Mutation::Prototype { proccode, .. }) =
                &blocks[*prototype as usize].mutation
        {
            definitions.entry((statement.target, &**proccode)).or_insert(number);
        }
    }
    let call = |(statement, number): (&Statement, BlockNo)| match &block(statement).mutation {
        Some(Mutation::Call { proccode }) if statement.opcode == Opcode::ProceduresCall => {
            Some((number, *definitions.get(&(statement.target, &**proccode))?))
        }
        _ => None,
    };
    numbered().filter_map(call).collect()
}

struct Linker<'a> {
    project: &'a Project,
    compat: Compat,
    statements: &'a [Option<Statement>],
    /// By call.
    definitions: &'a FxHashMap<BlockNo, BlockNo>,
    /// Live calls by definition.
    callers: FxHashMap<BlockNo, Vec<BlockNo>>,
    /// Live blocks.
    nodes: FxHashMap<BlockNo, NodeId>,
    edges: Vec<(NodeId, Edge)>,
}

impl Linker<'_> {
    fn statement(&self, block: BlockNo) -> &Statement {
        self.statements[block.0 as usize].as_ref().expect("live blocks are statements")
    }

    fn add(&mut self, from: NodeId, to: NodeId, when: Outcomes) {
        self.edges.push((from, Edge { to, when }));
    }

    /// Adds the edges from a block to where control goes from it.
    fn leave(&mut self, block: BlockNo) {
        use Opcode::*;
        use Outcomes as O;
        let from = self.nodes[&block];
        let s = self.statement(block).clone();
        let own = Next::Block(block);
        let [first, second] = s.branches;
        // Loops lead to the exit too: a test may end within them, so what follows
        // depends on them as it does on blocks that take time.
        let ways: &[(Next, Outcomes)] = match s.opcode {
            ControlIf => &[(first, O::TRUE), (s.next, O::FALSE)],
            ControlIfElse => &[(first, O::TRUE), (second, O::FALSE)],
            ControlRepeat | ControlWhile | ControlForEach => {
                &[(first, O::TRUE), (s.next, O::FALSE), (Next::Exit, O::ANY)]
            }
            ControlRepeatUntil => &[(first, O::FALSE), (s.next, O::TRUE), (Next::Exit, O::ANY)],
            ControlForever => &[(first, O::TRUE), (Next::Exit, O::FALSE)],
            ControlWaitUntil => &[(s.next, O::TRUE), (Next::Exit, O::FALSE), (own, O::FALSE)],
            ControlAllAtOnce => &[(first, O::ANY)],
            ControlDeleteThisClone => &[(Next::Exit, O::ANY)],
            ControlStop => &[(self.after_stop(&s), O::ANY)],
            ProceduresCall => match self.definitions.get(&block) {
                Some(&definition) if self.compat.call_edges => {
                    &[(Next::Block(definition), O::ANY), (s.next, O::ANY)]
                }
                Some(&definition) => &[(Next::Block(definition), O::ANY)],
                None => &[(s.next, O::ANY)],
            },
            opcode if takes_time(opcode) => &[(s.next, O::TRUE), (Next::Exit, O::FALSE)],
            _ => &[(s.next, O::ANY)],
        };
        for &(next, when) in ways {
            for to in self.arrivals(next) {
                self.add(from, to, when);
            }
        }
    }

    fn after_stop(&self, stop: &Statement) -> Next {
        let block = &self.project.targets[stop.target].blocks[stop.index as usize];
        match block.field("STOP_OPTION").map_or("", |field| field.text()) {
            "all" => Next::Exit,
            // In a custom block it stops this call only.
            "this script" => stop.end,
            _ => stop.next,
        }
    }

    /// Adds the edges to and from an event.
    fn announce(&mut self, link: &Link, event: NodeId) {
        if link.event.is_from_user() {
            self.add(ENTRY, event, Outcomes::ANY);
        }
        for sender in &link.senders {
            if let Some(&sender) = self.nodes.get(sender) {
                self.add(sender, event, Outcomes::ANY);
            }
        }
        for hat in &link.hats {
            self.add(event, self.nodes[hat], Outcomes::TRUE);
        }
        self.add(event, EXIT, Outcomes::FALSE);
    }

    /// The nodes at which control may arrive: several after a custom block, one for each
    /// call.
    fn arrivals(&self, next: Next) -> Vec<NodeId> {
        let mut arrivals = Vec::new();
        let mut returned = Vec::new();
        let mut pending = vec![next];
        while let Some(next) = pending.pop() {
            match next {
                Next::Block(block) => arrivals.push(self.nodes[&block]),
                Next::Exit => arrivals.push(EXIT),
                Next::Return(_) if self.compat.call_edges => arrivals.push(EXIT),
                Next::Return(definition) if !returned.contains(&definition) => {
                    returned.push(definition);
                    let callers = self.callers.get(&definition).into_iter().flatten().rev();
                    pending.extend(callers.map(|&call| self.statement(call).next));
                }
                // Custom blocks that end by calling each other.
                Next::Return(_) => {}
            }
        }
        if arrivals.is_empty() {
            arrivals.push(EXIT);
        }
        arrivals
    }
}
