//! Live code: the statements of a project that are not dead according to a [`GoalSet`].

use catherd_scratch_sb3::{BlockNo, Mutation, Opcode, Project, Slot};
use rustc_hash::FxHashMap;

use super::dead_code::{live, reachable};
use super::hat_event::{self, EventLink};
use super::script::{Statement, statements};
use super::{GoalSet, GoalSettings};

/// Statements of a project without its dead code, with the events and calls that connect them.
#[derive(Clone, Debug)]
pub struct LiveCode {
    /// The live statements, ascending: the goals.
    pub blocks: Vec<BlockNo>,
    /// All statements including dead statements, indexed by block number; `None` for other blocks.
    pub statements: Vec<Option<Statement>>,
    /// The events that start live scripts.
    pub events: Vec<EventLink>,
    /// The definition for each call to a defined custom block.
    pub definitions: FxHashMap<BlockNo, BlockNo>,
}

impl LiveCode {
    /// Analyses a project.
    pub fn of(project: &Project, settings: GoalSettings) -> Self {
        let statements = statements(project);
        let mut events = hat_event::links(project, &statements, settings.clone_links);
        let definitions = definitions(project, &statements);
        let definition = |call| definitions.get(&call).copied();
        let live = match settings.set {
            GoalSet::Published => live(&statements, &events, definition),
            GoalSet::Reachable => reachable(&statements, &events, definition),
        };
        for link in &mut events {
            link.hats.retain(|hat| live[hat.0 as usize]);
        }
        events.retain(|link| !link.hats.is_empty());
        let numbers = (0..statements.len() as u32).map(BlockNo);
        let blocks = numbers.filter(|block| live[block.0 as usize]).collect();
        Self { blocks, statements, events, definitions }
    }
}

/// The definition of each call, which is the first definition in its sprite with the signature of
/// the call. Calls without a definition are left out.
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
