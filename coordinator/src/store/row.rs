//! Values and rows, in the types that both databases have in common.

use std::time::Duration;

use catherd_experiments::Digest;

use super::error::StoreError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Integer(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Integer(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Value {
        Value::Bytes(value.to_owned())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// The values are read in order.
pub(super) struct Row(std::vec::IntoIter<Value>);

impl Row {
    pub(super) fn new(values: Vec<Value>) -> Row {
        Row(values.into_iter())
    }

    pub(super) fn take(&mut self) -> Row {
        Row(std::mem::take(&mut self.0))
    }

    pub(super) fn take_first(&mut self, count: usize) -> Row {
        Row(self.0.by_ref().take(count).collect::<Vec<_>>().into_iter())
    }

    pub(super) fn next_is_null(&self) -> bool {
        matches!(self.0.as_slice().first(), None | Some(Value::Null))
    }

    fn next(&mut self) -> Result<Value, StoreError> {
        self.0.next().ok_or_else(|| StoreError::Damaged("a row is too short".to_owned()))
    }

    pub(super) fn integer(&mut self) -> Result<i64, StoreError> {
        match self.next()? {
            Value::Integer(value) => Ok(value),
            other => Err(unexpected("an integer", &other)),
        }
    }

    pub(super) fn integer_as<T: TryFrom<i64>>(&mut self) -> Result<T, StoreError> {
        let value = self.integer()?;
        T::try_from(value).map_err(|_| StoreError::Damaged(format!("{value} is out of range")))
    }

    pub(super) fn optional_integer(&mut self) -> Result<Option<i64>, StoreError> {
        match self.next()? {
            Value::Null => Ok(None),
            Value::Integer(value) => Ok(Some(value)),
            other => Err(unexpected("an integer", &other)),
        }
    }

    pub(super) fn real(&mut self) -> Result<f64, StoreError> {
        match self.next()? {
            Value::Real(value) => Ok(value),
            Value::Integer(value) => Ok(value as f64),
            other => Err(unexpected("a number", &other)),
        }
    }

    pub(super) fn text(&mut self) -> Result<String, StoreError> {
        match self.next()? {
            Value::Text(value) => Ok(value),
            other => Err(unexpected("text", &other)),
        }
    }

    pub(super) fn optional_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.next()? {
            Value::Null => Ok(None),
            Value::Text(value) => Ok(Some(value)),
            other => Err(unexpected("text", &other)),
        }
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, StoreError> {
        match self.next()? {
            Value::Bytes(value) => Ok(value),
            other => Err(unexpected("bytes", &other)),
        }
    }

    pub(super) fn optional_digest(&mut self) -> Result<Option<Digest>, StoreError> {
        if self.next_is_null() { self.next().map(|_| None) } else { self.digest().map(Some) }
    }

    pub(super) fn digest(&mut self) -> Result<Digest, StoreError> {
        let bytes = self.bytes()?;
        let length = bytes.len();
        let wrong = |_| StoreError::Damaged(format!("a digest of {length} bytes"));
        Ok(Digest(bytes.try_into().map_err(wrong)?))
    }
}

fn unexpected(wanted: &str, found: &Value) -> StoreError {
    StoreError::Damaged(format!("{found:?} instead of {wanted}"))
}

pub(super) type RowCallback<'a> = &'a mut dyn FnMut(Row) -> Result<(), StoreError>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    Write,
    /// Write, and terminate the session of another writer that has been silent for this time.
    TakeOver(Duration),
}
