//! The engine's memory. Requested sizes are counted, rounded up to multiples of 8 bytes, because
//! the overhead of allocators differs between platforms.

// The engine is C code, so its allocator returns and takes raw pointers.
#![allow(unsafe_code)]

use std::ptr;
use std::rc::Rc;

use catherd_javascript_heap::Heap;
use rquickjs::allocator::Allocator;

use crate::collector::Collector;
use crate::limits::Meter;

pub(crate) struct MeteredAllocator {
    meter: Rc<Meter>,
    heap: Rc<Heap>,
    collector: Rc<Collector>,
}

/// Maximum size of a block, in bytes. Adding a header to a smaller size cannot overflow.
const LARGEST: usize = 1 << 40;

// SAFETY: all blocks come from one heap, which fulfils the contract: blocks are aligned like `u64`,
// which is at least what rquickjs asks for (`usize`). This type only counts the sizes of blocks and
// returns null for some requests, which the contract allows.
unsafe impl Allocator for MeteredAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if size > LARGEST || !self.meter.allocate(size) {
            return self.refuse();
        }
        let block = self.heap.allocate(size);
        self.settle(size, block)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let total = count.checked_mul(size).filter(|total| *total <= LARGEST);
        let Some(total) = total.filter(|total| self.meter.allocate(*total)) else {
            return self.refuse();
        };
        // As `RustAllocator` of rquickjs does.
        if total == 0 {
            return ptr::null_mut();
        }
        let block = self.heap.allocate(total);
        if !block.is_null() {
            // SAFETY: the block is new and has at least `total` bytes.
            unsafe { block.write_bytes(0, total) };
        }
        self.settle(total, block)
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: the caller passes a block of this allocator, which has a header. rquickjs never
        // passes null.
        unsafe {
            self.meter.free(Heap::usable_size(block));
            self.heap.free(block);
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, new_size: usize) -> *mut u8 {
        if block.is_null() {
            return self.alloc(new_size);
        }
        // SAFETY: the caller passes a block of this allocator, which has a header.
        let old_size = unsafe { Heap::usable_size(block) };
        if new_size > LARGEST || (new_size > old_size && !self.meter.allocate(new_size)) {
            return self.refuse();
        }
        // SAFETY: as above; the new size is not zero, because the engine frees such blocks.
        let moved = unsafe { self.heap.reallocate(block, new_size) };
        if new_size <= old_size {
            self.meter.free(old_size);
            self.meter.grow(new_size.next_multiple_of(size_of::<u64>()));
            return moved;
        }
        if !moved.is_null() {
            self.meter.free(old_size);
        }
        self.settle(new_size, moved)
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: as in `dealloc`: a block with a header, never null.
        unsafe { Heap::usable_size(block) }
    }
}

impl MeteredAllocator {
    pub(crate) fn new(meter: &Rc<Meter>) -> MeteredAllocator {
        let heap = Rc::new(Heap::new(meter.limits().memory));
        MeteredAllocator { meter: Rc::clone(meter), heap, collector: Rc::default() }
    }

    pub(crate) fn collector(&self) -> &Rc<Collector> {
        &self.collector
    }

    pub(crate) fn heap(&self) -> &Rc<Heap> {
        &self.heap
    }

    fn settle(&self, size: usize, block: *mut u8) -> *mut u8 {
        if block.is_null() {
            self.meter.free(size);
            return self.refuse();
        }
        // SAFETY: the block was allocated by the heap just now.
        self.meter.grow(unsafe { Heap::usable_size(block) } - size);
        block
    }

    fn refuse(&self) -> *mut u8 {
        self.collector.switch_off();
        ptr::null_mut()
    }
}
