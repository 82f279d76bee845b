//! Memory from the global allocator, and copies of its contents.

use std::alloc::{self, Layout};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use crate::STEP;

pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

pub(crate) struct Saved(Box<[MaybeUninit<u8>]>);

impl Block {
    pub(crate) fn new(bytes: usize) -> Option<Block> {
        let layout =
            Layout::from_size_align(bytes, STEP).ok().filter(|layout| layout.size() > 0)?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc::alloc(layout) })?;
        Some(Block { start, layout })
    }

    /// Changes the number of bytes, which must be more than zero. Returns false, without a change,
    /// on failure.
    pub(crate) fn resize(&mut self, bytes: usize) -> bool {
        let Ok(layout) = Layout::from_size_align(bytes, STEP) else { return false };
        // SAFETY: the memory was allocated with this layout, and the new size is not zero and forms
        // a valid layout.
        let moved = unsafe { alloc::realloc(self.start.as_ptr(), self.layout, layout.size()) };
        let Some(start) = NonNull::new(moved) else { return false };
        (self.start, self.layout) = (start, layout);
        true
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }

    pub(crate) fn bounds(&self) -> (*mut u8, *mut u8) {
        // SAFETY: the memory has this many bytes.
        (self.start(), unsafe { self.start().add(self.len()) })
    }

    pub(crate) fn save(&self, bytes: usize) -> Saved {
        let mut copy = Box::new_uninit_slice(bytes.min(self.len()));
        // SAFETY: the block and the copy have at least `copy.len()` bytes, and the copy is new.
        // Uninitialised bytes may be copied as such.
        unsafe {
            ptr::copy_nonoverlapping(
                self.start().cast_const().cast(),
                copy.as_mut_ptr(),
                copy.len(),
            );
        }
        Saved(copy)
    }

    /// # Safety
    /// The block has at least as many bytes as the copy, and nothing depends on its present
    /// contents.
    pub(crate) unsafe fn put_back(&self, saved: &Saved) {
        let bytes = &saved.0;
        // SAFETY: the caller's promise.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.start().cast(), bytes.len()) };
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout.
        unsafe { alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}

impl Saved {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
