//! The engine's garbage collector, which does not run after a refused request for memory.

// The engine is C code, which takes raw pointers.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr::NonNull;

use rquickjs::{Ctx, qjs};

/// Switches the garbage collector off when a block is refused.
///
/// The engine then makes an error object, which may start a garbage collection in the middle of
/// `resize_properties`, while a shape is unlinked from the collector's list. The collector would
/// unlink the shape a second time, and dereference its null links.
#[derive(Default)]
pub(crate) struct Collector {
    runtime: Cell<Option<NonNull<qjs::JSRuntime>>>,
    /// The threshold before the collector was switched off.
    threshold: Cell<Option<qjs::size_t>>,
}

impl Collector {
    pub(crate) fn attach(&self, ctx: &Ctx<'_>) {
        // SAFETY: the context is alive; the function only reads it.
        self.runtime.set(NonNull::new(unsafe { qjs::JS_GetRuntime(ctx.as_raw().as_ptr()) }));
    }

    pub(crate) fn switch_off(&self) {
        if let (Some(runtime), None) = (self.runtime.get(), self.threshold.get()) {
            // SAFETY: the runtime is alive, because it is asking for memory, and is used by this
            // thread only. The functions only read and write a field of the runtime.
            unsafe {
                self.threshold.set(Some(qjs::JS_GetGCThreshold(runtime.as_ptr())));
                qjs::JS_SetGCThreshold(runtime.as_ptr(), qjs::size_t::MAX);
            }
        }
    }

    /// `ctx` proves that the runtime is alive.
    pub(crate) fn switch_on(&self, _ctx: &Ctx<'_>) {
        if let (Some(runtime), Some(threshold)) = (self.runtime.get(), self.threshold.take()) {
            // SAFETY: the context of this runtime is alive; the function only writes a field.
            unsafe { qjs::JS_SetGCThreshold(runtime.as_ptr(), threshold) };
        }
    }

    /// The memory of the runtime, with its threshold, has been restored.
    pub(crate) fn restored(&self) {
        self.threshold.set(None);
    }
}
