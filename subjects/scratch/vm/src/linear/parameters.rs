//! The parameters of calls while the linear form executes.

use crate::text::Text;
use crate::value::Value;

/// Maximum length of a popped string that is kept. A string that is kept cannot be extended in
/// place.
const LONGEST: usize = 16;

/// Parameters of the calls of a thread. Popped values remain in memory, because overwriting a
/// number takes less time than pushing a number.
pub(super) struct Parameters {
    values: Vec<Value>,
    length: usize,
}

/// Offset of the vector of the values, for native code.
#[cfg(feature = "native")]
pub(super) const VALUES: usize = std::mem::offset_of!(Parameters, values);
/// Offset of the number of parameters, for native code.
#[cfg(feature = "native")]
pub(super) const LENGTH: usize = std::mem::offset_of!(Parameters, length);

impl Parameters {
    pub(super) fn new(values: Vec<Value>) -> Parameters {
        Parameters { length: values.len(), values }
    }

    /// The values, without popped values.
    #[inline(always)]
    pub(super) fn into_values(mut self) -> Vec<Value> {
        if self.values.len() > self.length {
            self.values.truncate(self.length);
        }
        self.values
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> Option<&Value> {
        self.values.get(index)
    }

    /// Pushes a number, which the caller must overwrite. Returns `None` unless there is a popped
    /// number at this position.
    #[inline(always)]
    pub(super) fn next_number(&mut self) -> Option<&mut f64> {
        match self.values.get_mut(self.length) {
            Some(Value::Number(n)) => {
                self.length += 1;
                Some(n)
            }
            _ => None,
        }
    }

    #[inline(never)]
    pub(super) fn push_number(&mut self, number: f64) {
        *self.next() = Value::Number(number);
    }

    #[inline(never)]
    pub(super) fn push_constant(&mut self, text: &Text) {
        match self.next() {
            Value::Text(old) if old.is_shared_with(text) => {}
            other => *other = Value::Text(text.clone()),
        }
    }

    #[inline(never)]
    pub(super) fn push_text(&mut self, text: Text) {
        *self.next() = Value::Text(text);
    }

    pub(super) fn push(&mut self, value: Value) {
        *self.next() = value;
    }

    /// The caller writes the fields of a value directly to the returned storage, because copying a
    /// whole value could stall the processor.
    #[inline(always)]
    fn next(&mut self) -> &mut Value {
        if self.length == self.values.len() {
            self.values.push(Value::Undefined);
        }
        self.length += 1;
        &mut self.values[self.length - 1]
    }

    #[inline(always)]
    pub(super) fn pop(&mut self, kept: usize) {
        let popped = kept..self.length;
        self.length = kept;
        for value in self.values.get_mut(popped).unwrap_or_default() {
            if let Value::Text(text) = value
                && text.len() > LONGEST
            {
                *value = Value::Number(0.0);
            }
        }
    }
}
