//! Outcomes of probes of ids.

use serde::{Deserialize, Serialize};

/// Outcome of the probe of an id. All outcomes except [`ProbeOutcome::Undecided`] are final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeOutcome {
    /// Part of the sample, unless the sample is complete before this id.
    Accepted,
    /// No shared project has this id: the id was never used, or the project is deleted or unshared.
    Absent,
    /// The project exists, but is not shared.
    Unshared,
    /// A remix of another project.
    Remix,
    /// The server returns the description but not the contents: they were deleted between two
    /// requests, or the server refuses to send them.
    Gone,
    /// A project of Scratch 2 or 1.
    OldFormat,
    /// A project of Scratch 3 that cannot be read.
    Unreadable,
    /// A project without blocks.
    NoBlocks,
    /// A project that exceeds the limits of the reader.
    TooLarge,
    /// A costume or sound does not exist.
    MissingMedia,
    /// The contents of a costume or sound do not match the checksum in its name.
    DamagedMedia,
    /// A corpus whose projects are excluded contains the project, according to its id or its
    /// contents.
    Excluded,
    /// The project does not have the SHA-256 in the list, because it has been changed since the
    /// list was frozen.
    Changed,
    /// Every attempt failed, so nothing is known about the project.
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
            ProbeOutcome::Accepted => "in the sample",
            ProbeOutcome::Absent => "no shared project with this id",
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
