//! Outcomes of probing ids and of fetching projects.

use serde::{Deserialize, Serialize};

/// The outcome of probing an id, or of fetching a project from an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeOutcome {
    /// The project is acceptable.
    Accepted,
    /// No shared project was found, or the request for an address was refused.
    Absent,
    /// The project is not shared.
    Unshared,
    /// A remix of another project.
    Remix,
    /// The contents of a described project are not available.
    Gone,
    /// A project of Scratch 2 or 1.
    OldFormat,
    /// The project or its description cannot be read.
    Unreadable,
    /// A project without blocks.
    NoBlocks,
    /// The project exceeds a limit.
    TooLarge,
    /// A costume or sound is not available.
    MissingMedia,
    /// A costume or sound has a wrong checksum.
    DamagedMedia,
    /// An excluded corpus contains the project.
    Excluded,
    /// The project does not have the SHA-256 in the list.
    Changed,
    /// All attempts at a request failed.
    Undecided,
}

impl ProbeOutcome {
    /// All outcomes.
    pub const ALL: [ProbeOutcome; 14] = [
        ProbeOutcome::Accepted,
        ProbeOutcome::Absent,
        ProbeOutcome::Unshared,
        ProbeOutcome::Remix,
        ProbeOutcome::Gone,
        ProbeOutcome::OldFormat,
        ProbeOutcome::Unreadable,
        ProbeOutcome::NoBlocks,
        ProbeOutcome::TooLarge,
        ProbeOutcome::MissingMedia,
        ProbeOutcome::DamagedMedia,
        ProbeOutcome::Excluded,
        ProbeOutcome::Changed,
        ProbeOutcome::Undecided,
    ];

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            ProbeOutcome::Accepted => "accepted",
            ProbeOutcome::Absent => "absent",
            ProbeOutcome::Unshared => "unshared",
            ProbeOutcome::Remix => "remix",
            ProbeOutcome::Gone => "gone",
            ProbeOutcome::OldFormat => "old-format",
            ProbeOutcome::Unreadable => "unreadable",
            ProbeOutcome::NoBlocks => "no-blocks",
            ProbeOutcome::TooLarge => "too-large",
            ProbeOutcome::MissingMedia => "missing-media",
            ProbeOutcome::DamagedMedia => "damaged-media",
            ProbeOutcome::Excluded => "excluded",
            ProbeOutcome::Changed => "changed",
            ProbeOutcome::Undecided => "undecided",
        }
    }

    /// Explanation for tables.
    pub fn meaning(self) -> &'static str {
        match self {
            ProbeOutcome::Accepted => "in the corpus",
            ProbeOutcome::Absent => "no shared project found, or the address refused",
            ProbeOutcome::Unshared => "not shared",
            ProbeOutcome::Remix => "remix of another project",
            ProbeOutcome::Gone => "contents withheld, or deleted between requests",
            ProbeOutcome::OldFormat => "Scratch 2 or 1",
            ProbeOutcome::Unreadable => "cannot be read",
            ProbeOutcome::NoBlocks => "has no blocks",
            ProbeOutcome::TooLarge => "beyond the limits of the reader",
            ProbeOutcome::MissingMedia => "a costume or sound does not exist",
            ProbeOutcome::DamagedMedia => "a costume or sound has a wrong checksum",
            ProbeOutcome::Excluded => "in an excluded corpus",
            ProbeOutcome::Changed => "changed since the list was frozen",
            ProbeOutcome::Undecided => "every attempt failed",
        }
    }
}
