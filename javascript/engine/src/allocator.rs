//! The engine's memory, counted in the sizes that the engine asks for: what the platform's
//! allocator adds differs from one to the next.

use std::ptr;
use std::rc::Rc;

use rquickjs::allocator::{Allocator, RustAllocator};

use crate::limits::Meter;

/// Rust's allocator within the limits of a meter.
pub(crate) struct MeteredAllocator(pub(crate) Rc<Meter>);

/// Largest block; no sum with a header overflows below it.
const LARGEST: usize = 1 << 40;

// SAFETY: all blocks come from `RustAllocator`, which fulfils the contract; this type only counts
// their sizes, and refuses some, which the contract allows by a null pointer.
unsafe impl Allocator for MeteredAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if size > LARGEST || !self.0.allocate(size) {
            return ptr::null_mut();
        }
        let block = RustAllocator.alloc(size);
        self.settle(size, block)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let total = count.checked_mul(size).filter(|total| *total <= LARGEST);
        let Some(total) = total.filter(|total| self.0.allocate(*total)) else {
            return ptr::null_mut();
        };
        let block = RustAllocator.calloc(count, size);
        self.settle(total, block)
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: the caller passes a block of this allocator, which has a header.
        unsafe {
            self.0.free(RustAllocator::usable_size(block));
            RustAllocator.dealloc(block);
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, new_size: usize) -> *mut u8 {
        if block.is_null() {
            return self.alloc(new_size);
        }
        // SAFETY: the caller passes a block of this allocator, which has a header.
        let old_size = unsafe { RustAllocator::usable_size(block) };
        if new_size > LARGEST || (new_size > old_size && !self.0.allocate(new_size)) {
            return ptr::null_mut();
        }
        // SAFETY: as above; the new size is not zero, because the engine frees such blocks.
        let moved = unsafe { RustAllocator.realloc(block, new_size) };
        if new_size <= old_size {
            self.0.free(old_size);
            self.0.grow(new_size.next_multiple_of(size_of::<u64>()));
            return moved;
        }
        if moved.is_null() {
            self.0.free(new_size);
        } else {
            self.0.free(old_size);
            self.settle(new_size, moved);
        }
        moved
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: the caller passes a block of this allocator, which has a header.
        unsafe { RustAllocator::usable_size(block) }
    }
}

impl MeteredAllocator {
    /// Corrects the count from the size that was asked for to the size of the block.
    fn settle(&self, size: usize, block: *mut u8) -> *mut u8 {
        if block.is_null() {
            self.0.free(size);
        } else {
            // SAFETY: the block was allocated by `RustAllocator` just now.
            self.0.grow(unsafe { RustAllocator::usable_size(block) } - size);
        }
        block
    }
}
