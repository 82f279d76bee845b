//! The mutation operators.

use std::fmt;
use std::str::FromStr;

/// A mutation operator (Whisker paper, Table 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// Key replacement: a hat or a key sensor names a different key.
    Krm,
    /// Single block deletion: a command is removed, and the command below takes its place.
    Sbd,
    /// Script deletion: all blocks below a hat are removed.
    Sdm,
    /// Arithmetic operator replacement.
    Aor,
    /// Logical operator replacement.
    Lor,
    /// Relational operator replacement.
    Ror,
    /// Negation of a condition.
    Ncm,
    /// Variable replacement: a reporter reports a different variable.
    Vrm,
}

impl Operator {
    /// All operators, in the order of Table 5 of the Whisker paper.
    pub const ALL: [Operator; 8] = [
        Operator::Krm,
        Operator::Sbd,
        Operator::Sdm,
        Operator::Aor,
        Operator::Lor,
        Operator::Ror,
        Operator::Ncm,
        Operator::Vrm,
    ];

    /// The abbreviation in the Whisker paper.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Krm => "KRM",
            Operator::Sbd => "SBD",
            Operator::Sdm => "SDM",
            Operator::Aor => "AOR",
            Operator::Lor => "LOR",
            Operator::Ror => "ROR",
            Operator::Ncm => "NCM",
            Operator::Vrm => "VRM",
        }
    }

    /// The full name in the Whisker paper.
    pub fn title(self) -> &'static str {
        match self {
            Operator::Krm => "key replacement",
            Operator::Sbd => "single block deletion",
            Operator::Sdm => "script deletion",
            Operator::Aor => "arithmetic operator replacement",
            Operator::Lor => "logical operator replacement",
            Operator::Ror => "relational operator replacement",
            Operator::Ncm => "negate conditional",
            Operator::Vrm => "variable replacement",
        }
    }

    /// A short description of the change.
    pub fn change(self) -> &'static str {
        match self {
            Operator::Krm => "a hat or a key sensor asks for another key",
            Operator::Sbd => "a command is removed, and the block below takes its place",
            Operator::Sdm => "a hat starts nothing",
            Operator::Aor => "another of +, -, *, /",
            Operator::Lor => "and becomes or, or vice versa",
            Operator::Ror => "another of <, =, >",
            Operator::Ncm => "a condition is negated",
            Operator::Vrm => "a reporter reports another variable that the target can read",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error: no mutation operator has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown mutation operator `{0}`: expected KRM, SBD, SDM, AOR, LOR, ROR, NCM or VRM")]
pub struct UnknownOperator(pub String);

impl FromStr for Operator {
    type Err = UnknownOperator;

    fn from_str(name: &str) -> Result<Self, UnknownOperator> {
        let named = |operator: &Operator| operator.name().eq_ignore_ascii_case(name.trim());
        Self::ALL.into_iter().find(named).ok_or_else(|| UnknownOperator(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case() {
        for operator in Operator::ALL {
            assert_eq!(operator.name().parse(), Ok(operator));
            assert_eq!(operator.name().to_lowercase().parse(), Ok(operator));
        }
        let error = "XYZ".parse::<Operator>().unwrap_err();
        assert!(error.to_string().starts_with("unknown mutation operator `XYZ`"));
    }
}
