//! Checksums of rows, which show whether bits have changed on the disk.

use catherd_experiments::Digest;

#[derive(Clone, Copy, Debug)]
pub(super) struct RecordIntegers {
    pub(super) number: i64,
    pub(super) token: i64,
    pub(super) goals: i64,
    pub(super) covered: i64,
    pub(super) done: i64,
    pub(super) wall_ms: i64,
}

impl RecordIntegers {
    /// `digest` is the digest of the record, and `content` is the digest of its JSON.
    pub(super) fn checksum(&self, digest: Digest, content: Digest) -> Digest {
        let RecordIntegers { number, token, goals, covered, done, wall_ms } = *self;
        let integers = [number, token, goals, covered, done, wall_ms].map(i64::to_le_bytes);
        let integers = integers.iter().map(<[u8; 8]>::as_slice);
        Digest::of_parts(integers.chain([digest.0.as_slice(), content.0.as_slice()]))
    }
}

pub(super) fn of_breakdown(integers: [i64; 3], worker: &str, reason: &str) -> Digest {
    let integers = integers.map(i64::to_le_bytes);
    let length = (worker.len() as u64).to_le_bytes();
    let integers = integers.iter().map(<[u8; 8]>::as_slice);
    Digest::of_parts(integers.chain([length.as_slice(), worker.as_bytes(), reason.as_bytes()]))
}
