//! Who asks for more memory than there is ends at once: Rust aborts, and tells nobody which of
//! a process's deaths this was. An allocator can.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, which leaves a mark on disk when it refuses. To be made the global
/// allocator of a program that calls [`run_worker`](crate::run_worker).
#[derive(Clone, Copy, Debug)]
pub struct Memory;

/// Where the mark goes.
static FILE: OnceLock<File> = OnceLock::new();

/// There is a mark.
static MARKED: AtomicBool = AtomicBool::new(false);

/// Sets, once a process, the file that gets the mark.
pub(crate) fn mark_in(file: File) {
    let _ = FILE.set(file);
}

/// Whether there is a new mark since the last call; a refusal can be survived.
pub(crate) fn take_mark() -> bool {
    MARKED.swap(false, Ordering::Relaxed)
}

#[cold]
fn refused() {
    // Neither of these allocates.
    if let Some(mut file) = FILE.get() {
        MARKED.store(true, Ordering::Relaxed);
        let _ = file.write(b"refused\n");
    }
}

fn seen(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        refused();
    }
    block
}

// SAFETY: every call goes to `System` as it is, and so does what that returns; `refused`
// neither allocates nor unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` wants.
        seen(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        seen(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        seen(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}
