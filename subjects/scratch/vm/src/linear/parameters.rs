//! The parameters of calls while the linear form executes.

use crate::text::Text;
use crate::value::Value;

/// Longer texts are not kept: a block that extends a text in place would have to copy one that is kept.
const LONGEST: usize = 16;

/// Parameters of the calls of a thread. Values that were popped stay where they are, because to overwrite
/// a number takes less time than to push one, and to push the text that is there already takes none: a
/// change of a text's count of references costs more than all else of a parameter.
pub(super) struct Parameters {
    values: Vec<Value>,
    length: usize,
}

impl Parameters {
    pub(super) fn new(values: Vec<Value>) -> Parameters {
        Parameters { length: values.len(), values }
    }

    /// The values, without those that were popped.
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

    /// Pushes a number, which is to be overwritten. Pushes nothing and returns `None` if there is something
    /// else in its place.
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

    /// Pushes a text of the code.
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

    /// The place of a parameter that is pushed. Values are written there in their parts: one that is written
    /// in its parts elsewhere and copied as a whole right after that has to wait.
    #[inline(always)]
    fn next(&mut self) -> &mut Value {
        if self.length == self.values.len() {
            self.values.push(Value::Undefined);
        }
        self.length += 1;
        &mut self.values[self.length - 1]
    }

    /// Pops all but so many.
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
