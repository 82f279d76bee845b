//! Estimated memory of snapshots, for callers that limit the memory of many snapshots.

use std::sync::Arc;

use catherd_scratch_render::Scene;

use crate::state::State;
use crate::target::{List, Target};
use crate::thread::{Frame, Thread};
use crate::value::Value;

/// Estimated bytes of a state and of a target, without the scene and without the memory to which
/// fields point. The numbers are fixed, because the results of callers depend on these estimates,
/// so a new field must not change them.
const STATE_BYTES: usize = 632;
const TARGET_BYTES: usize = 352;

impl State {
    /// Estimated bytes that are not shared with an earlier state, without strings in lists.
    pub(crate) fn unshared_bytes(&self, earlier: &State) -> usize {
        let targets = self.targets.iter().enumerate();
        let targets = targets.map(|(i, target)| target.unshared_bytes(earlier.targets.get(i)));
        let threads = self.threads.iter().map(Thread::bytes).sum::<usize>();
        STATE_BYTES
            + Scene::BYTES
            + self.scene.unshared_bytes(&earlier.scene)
            + targets.sum::<usize>()
            + threads
            + self.answer.len()
    }

    /// Upper bound on the bytes of the strings in lists that are not shared with an earlier state.
    pub(crate) fn unshared_list_text_bytes(&self, earlier: &State) -> usize {
        let targets = self.targets.iter().enumerate();
        let lists = targets.flat_map(|(i, target)| target.unshared_lists(earlier.targets.get(i)));
        lists.flat_map(|list| &*list.items).map(text_bytes).sum()
    }
}

impl Target {
    fn unshared_bytes(&self, earlier: Option<&Target>) -> usize {
        let lists = self.unshared_lists(earlier).map(|list| size_of_val(&**list.items));
        TARGET_BYTES
            + size_of_val(&*self.variables)
            + self.variables.iter().map(text_bytes).sum::<usize>()
            + size_of_val(&*self.lists)
            + lists.sum::<usize>()
            + size_of_val(&*self.running)
    }

    fn unshared_lists<'a>(&'a self, earlier: Option<&'a Target>) -> impl Iterator<Item = &'a List> {
        self.lists.iter().enumerate().filter_map(move |(i, list)| {
            let before = earlier.and_then(|earlier| earlier.lists.get(i));
            let shared = before.is_some_and(|before| Arc::ptr_eq(&before.items, &list.items));
            (!shared).then_some(list)
        })
    }
}

impl Thread {
    fn bytes(&self) -> usize {
        size_of::<Thread>() + self.stack.len() * size_of::<Frame>() + size_of_val(&*self.parameters)
    }
}

/// Upper bound on the bytes of a string: two for each code unit.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => 2 * text.len(),
        Value::Number(_) | Value::Bool(_) | Value::Undefined => 0,
    }
}
