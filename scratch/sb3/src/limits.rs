//! How large a project may be before it is refused.

/// Bounds on what a reader accepts. They depend on nothing but the project's
/// bytes, so a project is refused everywhere or nowhere. The defaults are some ten times
/// what the largest projects in the wild need; `docs/limits.md` has all limits in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the archive itself.
    pub archive_bytes: u64,
    /// Files in the archive or folder.
    pub entries: usize,
    /// Bytes of `project.json`, unpacked.
    pub json_bytes: u64,
    /// Bytes of `project.json` and all media that it names, unpacked.
    pub unpacked_bytes: u64,
    /// Unpacked bytes for each byte of the archive, checked beyond [`Limits::RATIO_FREE_BYTES`].
    pub ratio: u64,
    /// Values in `project.json`, keys included: bounds the memory for parsing.
    pub json_values: usize,
    /// Arrays and objects within each other in `project.json`; more than 120 is cut to 120.
    pub json_depth: usize,
    /// The stage and sprites.
    pub targets: usize,
    /// Costumes and sounds.
    pub media: usize,
    /// Blocks of the project. Also bounds the blocks of a target when those that are
    /// shared between parents are counted once for each parent, as a compiler meets them.
    pub blocks: usize,
    /// Blocks within each other, as inputs or branches.
    pub block_depth: usize,
}

impl Limits {
    /// So many bytes may be unpacked from an archive of any size: a few seconds of
    /// silence are a legitimate sound and compress a thousandfold.
    pub const RATIO_FREE_BYTES: u64 = 16 << 20;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            archive_bytes: 128 << 20,
            entries: 10_000,
            json_bytes: 32 << 20,
            unpacked_bytes: 256 << 20,
            ratio: 100,
            json_values: 4_000_000,
            json_depth: 120,
            targets: 2_000,
            media: 20_000,
            blocks: 250_000,
            block_depth: 256,
        }
    }
}
