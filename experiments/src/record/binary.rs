//! Binary files of a run, such as inputs that crash a program.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Maximum size of all binary files of a record together, in bytes. They must fit into a message as
/// base64.
pub const MAX_BINARY_BYTES: usize = 16 << 20;

/// The bytes of a file; base64 in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binary(pub Vec<u8>);

impl Serialize for Binary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Binary, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Binary).map_err(de::Error::custom)
    }
}
