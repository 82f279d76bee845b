//! The names of a target during compilation.

use std::sync::Arc;

use catherd_scratch_sb3::{self as sb3, Block, BlockIndex, Opcode};
use rustc_hash::FxHashMap;

use crate::code::{CommandId, NONE};
use crate::program::{ListDef, Procedure, VariableDef};
use crate::text::Text;
use crate::value::Value;

/// Ids and names of a custom block's parameters.
type Parameters<'a> = (&'a [Arc<str>], &'a [Arc<str>]);

pub(super) struct Scope<'a> {
    pub(super) target: &'a sb3::Target,
    pub(super) is_stage: bool,
    pub(super) variables: Vec<VariableDef>,
    pub(super) lists: Vec<ListDef>,
    pub(super) by_id: FxHashMap<&'a str, u32>,
    pub(super) list_by_id: FxHashMap<&'a str, u32>,
    pub(super) procedures: Vec<Procedure>,
    pub(super) by_proccode: FxHashMap<&'a str, u32>,
    /// Parameters of each procedure: ids and names, in the first prototype's order.
    pub(super) parameters: Vec<Parameters<'a>>,
    pub(super) commands: FxHashMap<BlockIndex, CommandId>,
    /// Blocks whose command is reserved but not yet compiled, and their procedures.
    pub(super) pending: Vec<(BlockIndex, CommandId, Option<u32>)>,
    /// The procedure whose body is being compiled.
    pub(super) procedure: Option<u32>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(target: &'a sb3::Target) -> Scope<'a> {
        let variables: Vec<_> = target
            .variables
            .iter()
            .map(|v| VariableDef { name: Text::new(&*v.name), value: Value::from(&v.value) })
            .collect();
        let lists: Vec<_> = target
            .lists
            .iter()
            .map(|l| ListDef {
                name: Text::new(&*l.name),
                items: Arc::new(l.items.iter().map(Value::from).collect()),
                declared: true,
            })
            .collect();
        let ids = |ids: &mut dyn Iterator<Item = &'a Arc<str>>| {
            ids.enumerate().map(|(i, id)| (&**id, i as u32)).collect()
        };
        let mut scope = Scope {
            target,
            is_stage: target.is_stage,
            variables,
            lists,
            by_id: ids(&mut target.variables.iter().map(|v| &v.id)),
            list_by_id: ids(&mut target.lists.iter().map(|l| &l.id)),
            procedures: Vec::new(),
            by_proccode: FxHashMap::default(),
            parameters: Vec::new(),
            commands: FxHashMap::default(),
            pending: Vec::new(),
            procedure: None,
        };
        scope.find_procedures();
        scope
    }

    /// The first prototype in block order defines the parameters.
    fn find_procedures(&mut self) {
        for block in &self.target.blocks {
            if block.opcode != Opcode::ProceduresPrototype {
                continue;
            }
            let Some(sb3::Mutation::Prototype { proccode, ids, names, defaults, .. }) =
                &block.mutation
            else {
                continue;
            };
            if self.by_proccode.contains_key(&**proccode) {
                continue;
            }
            self.by_proccode.insert(proccode, self.procedures.len() as u32);
            // In damaged files, there can be more ids than names, or fewer.
            let count = ids.len().min(names.len());
            let defaults =
                (0..count).map(|i| defaults.get(i).map_or(Value::Undefined, Value::from)).collect();
            self.procedures.push(Procedure { definition: NONE, warp: false, defaults });
            self.parameters.push((&ids[..count], &names[..count]));
        }
    }

    pub(super) fn defined_by(&self, block: &Block) -> Option<(u32, bool)> {
        let sb3::Slot::Block(prototype) = block.input("custom_block")?.block else { return None };
        match &self.target.blocks.get(prototype as usize)?.mutation {
            Some(sb3::Mutation::Prototype { proccode, warp, .. }) => {
                Some((*self.by_proccode.get(&**proccode)?, *warp))
            }
            _ => None,
        }
    }
}
