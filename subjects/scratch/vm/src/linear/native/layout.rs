//! The layout that the Rust compiler has chosen for the data that native code reads and writes.

use std::mem::MaybeUninit;
use std::sync::{Arc, LazyLock};

use crate::target::List;
use crate::text::Text;
use crate::thread::Frame;
use crate::value::Value;

/// Offsets of the fields of a vector, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorLayout {
    pub(super) address: i32,
    pub(super) length: i32,
    pub(super) capacity: i32,
}

/// Offsets and tags of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueLayout {
    /// The first byte of a number, which no other value has. The number is in the second half.
    pub(super) number: u8,
    /// The first byte of a string that is [kept](Text); the address of its data is in the second
    /// half.
    pub(super) kept: u8,
    /// The first byte of a string whose references are counted.
    pub(super) counted: u8,
    /// The first byte of an undefined value.
    pub(super) undefined: u8,
    /// Offset of the number in the data of a string.
    pub(super) text_number: i32,
}

/// What native code needs to know about the layout of values, vectors and shared items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) value: ValueLayout,
    pub(super) values: VectorLayout,
    pub(super) frames: VectorLayout,
    /// Offset of the vector of the items from the address to which the pointer to shared items
    /// points.
    pub(super) shared_items: i32,
}

impl Layout {
    pub(super) fn is_counted(&self, value: &Value) -> bool {
        tag(value) == self.value.counted
    }
}

/// The layout in this process; `None` if the layout is not as native code expects.
pub(super) static LAYOUT: LazyLock<Option<Layout>> = LazyLock::new(measure);

/// The bytes of a value with a size of `N` bytes. Some bytes may be undefined.
fn bytes<X, const N: usize>(of: &X) -> [MaybeUninit<u8>; N] {
    assert_eq!(size_of::<X>(), N, "the size of what is read");
    // SAFETY: the sizes are equal, and `MaybeUninit` bytes may be undefined and need no alignment.
    unsafe { std::ptr::from_ref(of).cast::<[MaybeUninit<u8>; N]>().read() }
}

/// The words of a value, all of which are defined.
///
/// # Safety
/// All bytes of `of` must be defined.
unsafe fn words<X, const N: usize>(of: &X) -> [usize; N] {
    assert_eq!(size_of::<X>(), size_of::<[usize; N]>(), "the size of what is read");
    // SAFETY: the sizes are equal, and the caller promises that all bytes are defined.
    unsafe { std::ptr::from_ref(of).cast::<[usize; N]>().read_unaligned() }
}

fn tag(value: &Value) -> u8 {
    let bytes: [MaybeUninit<u8>; 16] = bytes(value);
    // SAFETY: the tag of a value is at its beginning, because its largest variants have a number or
    // an address, which are aligned to 8 bytes, in the second half of the 16 bytes.
    unsafe { bytes[0].assume_init() }
}

/// The second half of a value that is a number or a string.
fn second(value: &Value) -> usize {
    assert!(matches!(value, Value::Number(_) | Value::Text(_)), "other values have no second half");
    let bytes: [MaybeUninit<u8>; 16] = bytes(value);
    let mut second = [0; 8];
    for (to, from) in second.iter_mut().zip(&bytes[8..]) {
        // SAFETY: the number or the address of the string is there (see `tag`).
        *to = unsafe { from.assume_init() };
    }
    usize::from_ne_bytes(second)
}

fn vector<X>(sample: impl Fn() -> X) -> Option<VectorLayout> {
    let mut vector: Vec<X> = Vec::with_capacity(7);
    vector.extend((0..3).map(|_| sample()));
    // SAFETY: a vector consists of an address, a length and a capacity of one word each.
    let words: [usize; 3] = unsafe { words(&vector) };
    let place = |word| words.iter().position(|is| *is == word).map(|place| place as i32 * 8);
    Some(VectorLayout {
        address: place(vector.as_ptr() as usize)?,
        length: place(vector.len())?,
        capacity: place(vector.capacity())?,
    })
}

/// Whether the first word of a reference to a slice is its address.
fn slices_begin_with_addresses() -> bool {
    let items = [1_u64, 2, 3];
    let slice: &[u64] = &items;
    // SAFETY: a reference to a slice is an address and a length.
    let words: [usize; 2] = unsafe { words(&slice) };
    words == [items.as_ptr() as usize, 3]
}

fn measure() -> Option<Layout> {
    if size_of::<Value>() != 16 || size_of::<usize>() != 8 || !slices_begin_with_addresses() {
        return None;
    }
    let number = 1.234_567_89_f64;
    let kept_text = Text::constant("12.5");
    let text_number = kept_text.place_of_number(second(&Value::Text(kept_text.clone())))?;
    let bits = second(&Value::Number(number));
    let [number_tag, kept_tag, counted_tag, true_tag, false_tag, undefined_tag] = [
        Value::Number(number),
        Value::Text(kept_text),
        Value::Text(Text::new("a string that is not kept")),
        Value::Bool(true),
        Value::Bool(false),
        Value::Undefined,
    ]
    .map(|value| tag(&value));
    let tags = [number_tag, kept_tag, counted_tag, true_tag, undefined_tag];
    let distinct = (1..tags.len()).all(|at| !tags[..at].contains(&tags[at]));
    if bits as u64 != number.to_bits() || !distinct || true_tag != false_tag {
        return None;
    }

    let values = vector(|| Value::Number(1.0))?;
    let items = Arc::new(vec![Value::Number(1.0)]);
    // SAFETY: a shared pointer is an address.
    let [address]: [usize; 1] = unsafe { words(&items) };
    let shared_items = Arc::as_ptr(&items) as usize - address;
    // A list that is not open has a negative number in place of the capacity.
    let closed = List { items, exists: true, open: None };
    let open = bytes::<_, 24>(&closed.open);
    let mut capacity = [0; 8];
    for (to, from) in capacity.iter_mut().zip(&open[values.capacity as usize..]) {
        // SAFETY: `None` has the size of a vector, so the compiler represents it by a value that a
        // field of a vector cannot have. It uses the field with the most such values, which is the
        // capacity.
        *to = unsafe { from.assume_init() };
    }
    if i64::from_ne_bytes(capacity) >= 0 {
        return None;
    }
    Some(Layout {
        value: ValueLayout {
            number: number_tag,
            kept: kept_tag,
            counted: counted_tag,
            undefined: undefined_tag,
            text_number,
        },
        values,
        frames: vector(|| Frame::new(0, true, 0))?,
        shared_items: i32::try_from(shared_items).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_this_build_is_what_native_code_expects() {
        let layout = LAYOUT.expect("native code is possible");
        assert_eq!(layout.shared_items, 16, "after the two counts of references");
        assert_ne!(layout.value.number, layout.value.kept);
    }
}
