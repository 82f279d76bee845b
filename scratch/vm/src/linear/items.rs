//! Items of lists while the linear form executes.

use std::mem::take;
use std::sync::Arc;

use super::form::ListNo;
use super::machine::Machine;
use crate::target::List;
use crate::tracer::Tracer;
use crate::value::Value;

/// Writes to shared items before a list is opened: opening and closing cost as much as two.
const WRITES: u32 = 4;

/// Lists that are open: their items are in the linear form alone until it closes them, so that a write need
/// not check whether a snapshot shares them.
#[derive(Default)]
pub(crate) struct Items {
    open: Vec<(ListNo, Vec<Value>)>,
    /// Writes to other lists since the last close.
    writes: u32,
}

impl<T: Tracer> Machine<'_, T> {
    #[inline(always)]
    fn list(&mut self, list: ListNo) -> &mut List {
        let list = &mut self.lists[usize::from(list.is_own())][list.index()];
        list.exists = true;
        list
    }

    /// The items of a list.
    #[inline(always)]
    pub(super) fn items(&mut self, list: ListNo) -> &[Value] {
        match self.list(list).open {
            0 => &self.list(list).items,
            open => &self.items.open[usize::from(open) - 1].1,
        }
    }

    /// The items of a list that exists.
    #[inline(always)]
    pub(super) fn existing_items(&self, list: ListNo) -> &[Value] {
        let list = &self.lists[usize::from(list.is_own())][list.index()];
        match list.open {
            0 => &list.items,
            open => &self.items.open[usize::from(open) - 1].1,
        }
    }

    /// The items of a list, to be changed.
    #[inline(always)]
    pub(super) fn items_mut(&mut self, list: ListNo) -> &mut Vec<Value> {
        match self.list(list).open {
            0 => self.open(list),
            open => &mut self.items.open[usize::from(open) - 1].1,
        }
    }

    /// The items of a list that is open.
    #[inline(always)]
    pub(super) fn open_items(&mut self, list: ListNo) -> Option<&mut [Value]> {
        match self.list(list).open {
            0 => None,
            open => Some(&mut self.items.open[usize::from(open) - 1].1),
        }
    }

    #[inline(never)]
    fn open(&mut self, no: ListNo) -> &mut Vec<Value> {
        let place = self.items.open.len();
        let opens = self.items.writes >= WRITES && place < usize::from(u8::MAX);
        self.items.writes += 1;
        if !opens {
            return Arc::make_mut(&mut self.list(no).items);
        }
        let list = self.list(no);
        list.open = place as u8 + 1;
        let items = take(Arc::make_mut(&mut list.items));
        self.items.open.push((no, items));
        &mut self.items.open[place].1
    }

    /// Closes all lists.
    #[inline]
    pub(super) fn close(&mut self) {
        self.items.writes = 0;
        while let Some((no, items)) = self.items.open.pop() {
            let list = self.list(no);
            list.open = 0;
            *Arc::make_mut(&mut list.items) = items;
        }
    }
}
