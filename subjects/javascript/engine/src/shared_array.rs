//! Arrays of numbers in memory that scripts and the host share.

// Scripts and the host share memory.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::rc::Rc;

use rquickjs::{ArrayBuffer, ArrayBufferSource, Ctx, Object, Result, TypedArray};

mod sealed {
    use super::{ArrayBuffer, Object, Result, TypedArray};

    pub trait Sealed: Copy + Default {
        fn view(buffer: ArrayBuffer<'_>) -> Result<Object<'_>>;
    }

    macro_rules! elements {
        ($($number:ty)*) => { $(
            impl Sealed for $number {
                fn view(buffer: ArrayBuffer<'_>) -> Result<Object<'_>> {
                    TypedArray::<$number>::from_arraybuffer(buffer).map(TypedArray::into_object)
                }
            }
            impl super::Element for $number {}
        )* };
    }
    elements!(u32 i32 f64);
}

/// A number type of typed arrays. Every bit pattern is a valid number, and there is no padding.
pub trait Element: sealed::Sealed + 'static {}

/// An array of numbers in memory of the host, which scripts see as a typed array over a shared
/// buffer.
///
/// # Examples
///
/// ```
/// # use catherd_javascript_engine::{Engine, Host, Limits, SharedArray};
/// # let limits = Limits { turn: 1_000, test: 1_000, memory: 1 << 20, stack: 1 << 16, timers: 9 };
/// let counters = SharedArray::<u32>::zeroed(2);
/// let engine = Engine::new(limits, Host::default()).unwrap();
/// engine
///     .enter(|session| {
///         let count = session.evaluate("count.js", "a => { a[1] += 3; }").unwrap();
///         let array = counters.typed_array(session.ctx()).unwrap();
///         session.call::<_, ()>(&count, (array,)).unwrap();
///     })
///     .unwrap();
/// assert_eq!(counters.to_vec(), [0, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct SharedArray<T: Element>(Rc<[Cell<T>]>);

impl<T: Element> SharedArray<T> {
    /// An array of zeros.
    pub fn zeroed(length: usize) -> SharedArray<T> {
        SharedArray(vec![Cell::new(T::default()); length].into())
    }

    /// The number at an index.
    pub fn get(&self, index: usize) -> Option<T> {
        self.0.get(index).map(Cell::get)
    }

    /// Changes the number at an index, if there is one.
    pub fn set(&self, index: usize, number: T) {
        if let Some(cell) = self.0.get(index) {
            cell.set(number);
        }
    }

    /// A copy of all numbers.
    pub fn to_vec(&self) -> Vec<T> {
        self.0.iter().map(Cell::get).collect()
    }

    /// Overwrites the first elements with as many of the numbers as fit.
    pub fn write(&self, numbers: &[T]) {
        for (cell, number) in self.0.iter().zip(numbers) {
            cell.set(*number);
        }
    }

    /// The array as scripts see it.
    ///
    /// # Errors
    /// If the engine has no memory for the object.
    pub fn typed_array<'js>(&self, ctx: &Ctx<'js>) -> Result<Object<'js>> {
        let buffer = ArrayBuffer::from_source_shared(ctx.clone(), Source(Rc::clone(&self.0)))?;
        T::view(buffer)
    }
}

struct Source<T>(Rc<[Cell<T>]>);

// SAFETY: the cells stay at their address until the last `Rc` is dropped, and `self` has one. The
// cells may be written through the pointer, because they are cells, and may get any bits, because
// `Element` is implemented only for plain numbers. Engine and host are on the same thread, because
// `Rc` is not `Send`.
unsafe impl<T: Element> ArrayBufferSource for Source<T> {
    fn as_ptr(&self) -> *mut u8 {
        self.0.as_ptr().cast_mut().cast()
    }

    fn len(&self) -> usize {
        size_of_val(&*self.0)
    }
}
