//! The two versions of Scratch whose behaviour a VM can reproduce.

use std::fmt;
use std::str::FromStr;

/// The version of Scratch for which a program is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compat {
    /// The version of the Whisker paper: Scratch of November 2020 with Whisker's changes.
    #[default]
    Of2022,
    /// The current version of Scratch, with version 15.1.1 of its virtual machine.
    Today,
}

impl Compat {
    /// All versions.
    pub const ALL: [Compat; 2] = [Compat::Of2022, Compat::Today];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Compat::Of2022 => "2022",
            Compat::Today => "today",
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error for an unknown name of a version.
#[derive(Debug, thiserror::Error)]
#[error("unknown version of Scratch `{0}`; the versions are 2022 and today")]
pub struct UnknownCompat(String);

impl FromStr for Compat {
    type Err = UnknownCompat;

    fn from_str(name: &str) -> Result<Compat, UnknownCompat> {
        let found = Compat::ALL.into_iter().find(|compat| compat.name() == name);
        found.ok_or_else(|| UnknownCompat(name.to_owned()))
    }
}
