//! Calls to the libraries that read and draw documents.
//!
//! The libraries make assumptions about numbers, for example that a width is not too small compared
//! to a position, and panic if a document violates an assumption.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static IS_CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Returns `None` if the function panics; the panic is not reported.
pub(crate) fn call<T>(function: impl FnOnce() -> T) -> Option<T> {
    install_panic_hook();
    let outer = IS_CALLING.replace(true);
    // Unwinding is safe, because after a panic callers keep only pictures, whose pixels are valid
    // at any time.
    let result = panic::catch_unwind(AssertUnwindSafe(function));
    IS_CALLING.set(outer);
    result.ok()
}

fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_CALLING.get() {
                usual(info);
            }
        }));
    });
}
