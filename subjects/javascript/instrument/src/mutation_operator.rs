//! Mutation operators.

/// A mutation operator, similar to the operators of Stryker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutationOperator {
    /// Arithmetic operator replaced.
    Aor,
    /// Relational operator replaced.
    Ror,
    /// Logical operator replaced.
    Lcr,
    /// Condition replaced by a constant.
    Cor,
    /// Unary operator replaced or left out.
    Uoi,
    /// Block emptied.
    Bsr,
    /// Expression statement left out.
    Sdl,
    /// Literal replaced.
    Lit,
    /// Optional chaining (`?.`) replaced by plain access or a plain call.
    Ocr,
    /// Method replaced or its call left out.
    Mer,
    /// Expression body of an arrow function replaced by `undefined`.
    Arf,
}

impl MutationOperator {
    /// All operators.
    pub const ALL: [MutationOperator; 11] = [
        MutationOperator::Aor,
        MutationOperator::Ror,
        MutationOperator::Lcr,
        MutationOperator::Cor,
        MutationOperator::Uoi,
        MutationOperator::Bsr,
        MutationOperator::Sdl,
        MutationOperator::Lit,
        MutationOperator::Ocr,
        MutationOperator::Mer,
        MutationOperator::Arf,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            MutationOperator::Aor => "AOR",
            MutationOperator::Ror => "ROR",
            MutationOperator::Lcr => "LCR",
            MutationOperator::Cor => "COR",
            MutationOperator::Uoi => "UOI",
            MutationOperator::Bsr => "BSR",
            MutationOperator::Sdl => "SDL",
            MutationOperator::Lit => "LIT",
            MutationOperator::Ocr => "OCR",
            MutationOperator::Mer => "MER",
            MutationOperator::Arf => "ARF",
        }
    }

    /// The operator with this name.
    pub fn named(name: &str) -> Option<MutationOperator> {
        Self::ALL.into_iter().find(|operator| operator.name() == name)
    }

    /// Whether a mutant is dropped if an operator for which `yields` is false makes the same
    /// change.
    pub(crate) fn yields(self) -> bool {
        matches!(self, MutationOperator::Cor | MutationOperator::Bsr | MutationOperator::Sdl)
    }
}
