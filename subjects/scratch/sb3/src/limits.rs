//! Size limits of projects.

/// Size limits of the reader. They depend only on the project's bytes, so that a project is refused
/// on every computer or on none. The defaults are about ten times the needs of the largest known
/// projects; `docs/reference/limits.md` lists all limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the archive itself.
    pub archive_bytes: u64,
    /// Files in the archive or folder.
    pub entries: usize,
    /// Bytes of `project.json`, unpacked.
    pub json_bytes: u64,
    /// Bytes of `project.json` and all its media, unpacked.
    pub unpacked_bytes: u64,
    /// Unpacked bytes for each byte of the archive, checked beyond [`Limits::RATIO_FREE_BYTES`].
    pub ratio: u64,
    /// Values in `project.json`, keys included; this limits the memory for parsing.
    pub json_values: usize,
    /// Nesting of arrays and objects in `project.json`; values above 120 mean 120.
    pub json_depth: usize,
    /// Targets: the stage and sprites.
    pub targets: usize,
    /// Costumes and sounds.
    pub media: usize,
    /// Blocks of the project. Also limits the blocks of a target when a block with several parents
    /// is counted once for each parent, because a compiler visits it that often.
    pub blocks: usize,
    /// Nesting of blocks, as inputs or branches.
    pub block_depth: usize,
}

impl Limits {
    /// Bytes that may be unpacked from an archive of any size. Valid projects need them: a few
    /// seconds of silence are compressed by a factor of a thousand.
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
