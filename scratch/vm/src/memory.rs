//! How much memory a state takes, for those who keep many.

use std::sync::Arc;

use crate::state::{List, State, Target};
use crate::thread::{Frame, Thread};
use crate::value::Value;

impl State {
    /// Bytes that are not shared with an earlier state, without texts in lists: it takes a look
    /// at everything that a copy would copy, but not at what copies share.
    pub(crate) fn bytes_beyond(&self, earlier: &State) -> usize {
        let targets = self.targets.iter().enumerate();
        let targets = targets.map(|(i, target)| target.bytes_beyond(earlier.targets.get(i)));
        let threads = self.threads.iter().map(Thread::bytes).sum::<usize>();
        size_of::<State>()
            + self.scene.bytes_beyond(&earlier.scene)
            + targets.sum::<usize>()
            + threads
            + self.answer.len()
    }

    /// Bytes of the texts in lists that are not shared with an earlier state.
    pub(crate) fn listed_texts_beyond(&self, earlier: &State) -> usize {
        let targets = self.targets.iter().enumerate();
        let lists = targets.flat_map(|(i, target)| target.lists_beyond(earlier.targets.get(i)));
        lists.flat_map(|list| &*list.items).map(text_bytes).sum()
    }
}

impl Target {
    fn bytes_beyond(&self, earlier: Option<&Target>) -> usize {
        let lists = self.lists_beyond(earlier).map(|list| size_of_val(&**list.items));
        size_of::<Target>()
            + size_of_val(&*self.variables)
            + self.variables.iter().map(text_bytes).sum::<usize>()
            + size_of_val(&*self.lists)
            + lists.sum::<usize>()
            + size_of_val(&*self.running)
    }

    /// The lists whose items an earlier state of the target does not share.
    fn lists_beyond<'a>(&'a self, earlier: Option<&'a Target>) -> impl Iterator<Item = &'a List> {
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

/// Texts may be wide, and shared.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => 2 * text.len(),
        Value::Number(_) | Value::Bool(_) | Value::Undefined => 0,
    }
}
