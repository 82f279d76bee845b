//! Size limits of projects.

/// Size limits of the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of bytes of the archive.
    pub archive_bytes: u64,
    /// Maximum number of files and subfolders in the archive or folder.
    pub entries: usize,
    /// Maximum number of unpacked bytes of `project.json`.
    pub json_bytes: u64,
    /// Maximum number of unpacked bytes of `project.json` and all media.
    pub unpacked_bytes: u64,
    /// Maximum number of unpacked bytes for each byte of the archive. The ratio is checked only
    /// beyond [`Limits::RATIO_FREE_BYTES`].
    pub ratio: u64,
    /// Maximum number of values in `project.json`, including keys.
    pub json_values: usize,
    /// Maximum nesting of arrays and objects in `project.json`; values above 120 mean 120.
    pub json_depth: usize,
    /// Maximum number of targets (the stage and sprites).
    pub targets: usize,
    /// Maximum number of costumes and sounds together.
    pub media: usize,
    /// Maximum number of blocks of the project, and of blocks in the scripts and loose chains of a
    /// target if shared blocks are counted once for each path to them.
    pub blocks: usize,
    /// Maximum nesting of blocks in inputs or branches.
    pub block_depth: usize,
}

impl Limits {
    /// Number of bytes that may be unpacked from an archive of any size, because silent sounds
    /// compress well.
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
