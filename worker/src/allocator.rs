//! A global allocator that marks allocation failures in a file. A process that runs out of memory
//! usually aborts, and the mark then tells another process the reason.

// A global allocator is unsafe to implement.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, which writes a mark into a file when it refuses a request. A program
/// that calls [`run_worker`](crate::run_worker) should use it as the global allocator.
#[derive(Clone, Copy, Debug)]
pub struct OomMarkingAllocator;

static FILE: OnceLock<File> = OnceLock::new();

/// Whether a request was refused since the last call to [`take_mark`].
static MARKED: AtomicBool = AtomicBool::new(false);

/// Only the first call in a process has an effect.
pub(crate) fn mark_in(file: File) {
    let _ = FILE.set(file);
}

/// Whether a request was refused since the last call. A program can survive a refusal.
pub(crate) fn take_mark() -> bool {
    MARKED.swap(false, Ordering::Relaxed)
}

#[cold]
fn write_mark() {
    // These calls must not allocate memory.
    if let Some(mut file) = FILE.get() {
        MARKED.store(true, Ordering::Relaxed);
        let _ = file.write(b"refused\n");
    }
}

fn checked(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        write_mark();
    }
    block
}

// SAFETY: every call is forwarded to `System` unchanged, and so is its result; `write_mark` neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for OomMarkingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of `System.alloc`, which is the same.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of `System.alloc_zeroed`, which is the same.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of `System.realloc`, which is the same.
        checked(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller fulfils the contract of `System.dealloc`, which is the same.
        unsafe { System.dealloc(block, layout) }
    }
}
