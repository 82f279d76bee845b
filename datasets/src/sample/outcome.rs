//! What can come of probing an id.

use serde::{Deserialize, Serialize};

/// What came of an id. All but [`Outcome::Undecided`] are final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Part of the sample, or would have been if it had not been complete before.
    Accepted,
    /// There is no shared project of this id: never was, deleted, or not shared.
    Absent,
    /// There is a project, but it is not shared.
    Unshared,
    /// A remix of another project.
    Remix,
    /// Its description was there, its contents were not: deleted between two requests, or
    /// withheld.
    Gone,
    /// Of Scratch 2 or 1.
    OldFormat,
    /// Scratch 3, but cannot be read.
    Unreadable,
    /// Holds no blocks.
    NoBlocks,
    /// Larger than catherd reads.
    TooLarge,
    /// A costume or sound does not exist.
    MissingMedia,
    /// The contents of a costume or sound are not those of its name.
    DamagedMedia,
    /// In a corpus that this one is to be disjoint from, by id or by contents.
    Excluded,
    /// Not what the list says: the project was changed since it was frozen.
    Changed,
    /// Trouble at every attempt; nothing is known.
    Undecided,
}

impl Outcome {
    /// All there are.
    pub const ALL: [Outcome; 14] = [
        Outcome::Accepted,
        Outcome::Absent,
        Outcome::Unshared,
        Outcome::Remix,
        Outcome::Gone,
        Outcome::OldFormat,
        Outcome::Unreadable,
        Outcome::NoBlocks,
        Outcome::TooLarge,
        Outcome::MissingMedia,
        Outcome::DamagedMedia,
        Outcome::Excluded,
        Outcome::Changed,
        Outcome::Undecided,
    ];

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::Absent => "absent",
            Outcome::Unshared => "unshared",
            Outcome::Remix => "remix",
            Outcome::Gone => "gone",
            Outcome::OldFormat => "old-format",
            Outcome::Unreadable => "unreadable",
            Outcome::NoBlocks => "no-blocks",
            Outcome::TooLarge => "too-large",
            Outcome::MissingMedia => "missing-media",
            Outcome::DamagedMedia => "damaged-media",
            Outcome::Excluded => "excluded",
            Outcome::Changed => "changed",
            Outcome::Undecided => "undecided",
        }
    }

    /// What it means, for tables.
    pub fn meaning(self) -> &'static str {
        match self {
            Outcome::Accepted => "in the sample",
            Outcome::Absent => "no shared project of this id",
            Outcome::Unshared => "not shared",
            Outcome::Remix => "remix of another project",
            Outcome::Gone => "contents withheld, or deleted between requests",
            Outcome::OldFormat => "Scratch 2 or 1",
            Outcome::Unreadable => "cannot be read",
            Outcome::NoBlocks => "holds no blocks",
            Outcome::TooLarge => "larger than catherd reads",
            Outcome::MissingMedia => "a costume or sound does not exist",
            Outcome::DamagedMedia => "a costume or sound has another checksum",
            Outcome::Excluded => "in a corpus to be disjoint from",
            Outcome::Changed => "changed since the list was frozen",
            Outcome::Undecided => "trouble at every attempt",
        }
    }
}
