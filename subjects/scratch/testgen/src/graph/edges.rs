//! Control flow edges of a project: scripts linked by events and calls.

use catherd_scratch_sb3::{BlockNo, Opcode, Project};
use catherd_scratch_suite::goals::statement::takes_time;
use catherd_scratch_suite::goals::{EventLink, LiveCode, Next, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ENTRY, EXIT, Edge, FIRST_EVENT, Graph, NodeId, Outcomes};

/// Number of edges above which custom blocks return to the exit, and only one sender of an event
/// counts. No usual project has so many.
const MAX_EDGES: usize = 4_000_000;

/// The graph of a project's live code. See [`Compat`](crate::Compat::call_edges) for `call_edges`.
pub(super) fn graph(project: &Project, code: &LiveCode, call_edges: bool) -> Graph {
    let first_block = FIRST_EVENT + code.events.len() as u32;
    let nodes = code.blocks.iter().copied().zip(first_block..).collect();
    let mut callers: FxHashMap<_, Vec<_>> = FxHashMap::default();
    for &call in &code.blocks {
        if let Some(&definition) = code.definitions.get(&call) {
            callers.entry(definition).or_default().push(call);
        }
    }
    let mut linker =
        Linker { project, code, call_edges, callers, nodes, edges: Vec::new(), followed: 0 };
    for &block in &code.blocks {
        linker.add_block(block);
    }
    for (link, node) in code.events.iter().zip(FIRST_EVENT..) {
        linker.add_event(link, node);
    }
    let edges = linker.edges;
    let events = code.events.iter().map(|link| link.event.clone()).collect();
    Graph::new(events, code.blocks.clone(), edges)
}

struct Linker<'a> {
    project: &'a Project,
    code: &'a LiveCode,
    call_edges: bool,
    /// Live calls by definition.
    callers: FxHashMap<BlockNo, Vec<BlockNo>>,
    nodes: FxHashMap<BlockNo, NodeId>,
    edges: Vec<(NodeId, Edge)>,
    /// Number of targets that were followed to find the ends of calls.
    followed: usize,
}

impl Linker<'_> {
    /// Whether there are too many edges to add one for each return of a custom block to each of its
    /// calls, and for each sender of an event.
    fn is_full(&self) -> bool {
        self.edges.len().max(self.followed) > MAX_EDGES
    }

    fn statement(&self, block: BlockNo) -> &Statement {
        self.code.statements[block.0 as usize].as_ref().expect("live blocks are statements")
    }

    fn add(&mut self, from: NodeId, to: NodeId, when: Outcomes) {
        self.edges.push((from, Edge { to, when }));
    }

    fn add_block(&mut self, block: BlockNo) {
        use Opcode::*;
        use Outcomes as O;
        let from = self.nodes[&block];
        let s = self.statement(block).clone();
        let own = Next::Block(block);
        let [first, second] = s.branches;
        // A test may end within a loop, so loops lead to the exit as well, and the blocks after a
        // loop depend on the loop, as on blocks that take time.
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
            ProceduresCall => match self.code.definitions.get(&block) {
                Some(&definition) if self.call_edges => {
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
            // In a custom block, `stop this script` ends only this call.
            "this script" => stop.end,
            _ => stop.next,
        }
    }

    fn add_event(&mut self, link: &EventLink, event: NodeId) {
        if link.event.is_from_user() {
            self.add(ENTRY, event, Outcomes::ANY);
        }
        let most = if self.is_full() { 1 } else { usize::MAX };
        let senders = link.all_senders().filter_map(|sender| self.nodes.get(&sender).copied());
        for sender in senders.take(most).collect::<Vec<_>>() {
            self.add(sender, event, Outcomes::ANY);
        }
        for hat in &link.hats {
            self.add(event, self.nodes[hat], Outcomes::TRUE);
        }
        self.add(event, EXIT, Outcomes::FALSE);
    }

    /// The nodes to which control may go. From the end of a custom block, control may go to the
    /// block after each call to it.
    fn arrivals(&mut self, next: Next) -> Vec<NodeId> {
        let mut arrivals = Vec::new();
        let mut returned = FxHashSet::default();
        let mut pending = vec![next];
        while let Some(next) = pending.pop() {
            self.followed += 1;
            match next {
                Next::Block(block) => arrivals.push(self.nodes[&block]),
                Next::Exit => arrivals.push(EXIT),
                Next::Return(_) if self.call_edges || self.is_full() => arrivals.push(EXIT),
                Next::Return(definition) if returned.insert(definition) => {
                    let callers = self.callers.get(&definition).into_iter().flatten().rev();
                    pending.extend(callers.map(|&call| self.statement(call).next));
                }
                // Follow each definition only once, because custom blocks may end by calling each
                // other.
                Next::Return(_) => {}
            }
        }
        if arrivals.is_empty() {
            arrivals.push(EXIT);
        }
        arrivals
    }
}
