//! Items of lists while the linear form executes.

use std::mem::take;
use std::sync::Arc;

use super::executor::Executor;
use super::form::ListNo;
use crate::target::List;
use crate::tracer::Tracer;
use crate::value::Value;

/// Number of writes to closed lists before a list is opened.
const WRITES: u32 = 4;

impl<T: Tracer> Executor<'_, T> {
    #[inline(always)]
    fn list(&mut self, list: ListNo) -> &mut List {
        let list = &mut self.lists[usize::from(list.is_own())][list.index()];
        list.exists = true;
        list
    }

    #[inline(always)]
    pub(super) fn items(&mut self, list: ListNo) -> &[Value] {
        let list = self.list(list);
        list.open.as_deref().unwrap_or(&list.items)
    }

    /// The items of a list that exists.
    #[inline(always)]
    pub(super) fn read_items(&self, list: ListNo) -> &[Value] {
        let list = &self.lists[usize::from(list.is_own())][list.index()];
        list.open.as_deref().unwrap_or(&list.items)
    }

    #[inline(always)]
    pub(super) fn open_items(&mut self, list: ListNo) -> Option<&mut Vec<Value>> {
        self.list(list).open.as_mut()
    }

    /// Opens the list after enough writes to closed lists.
    #[inline(never)]
    pub(super) fn items_mut(&mut self, no: ListNo) -> &mut Vec<Value> {
        let closed = self.list(no).open.is_none();
        let opens = closed && self.items.writes >= WRITES;
        self.items.writes += u32::from(closed);
        if opens {
            self.items.open.push(no);
        }
        let list = self.list(no);
        if opens {
            list.open = Some(take(Arc::make_mut(&mut list.items)));
        }
        list.open.as_mut().unwrap_or_else(|| Arc::make_mut(&mut list.items))
    }

    #[inline]
    pub(super) fn close(&mut self) {
        self.items.writes = 0;
        while let Some(no) = self.items.open.pop() {
            let list = self.list(no);
            if let Some(items) = list.open.take() {
                *Arc::make_mut(&mut list.items) = items;
            }
        }
    }
}
