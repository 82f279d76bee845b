//! Seeds of suites.

use std::fmt;

use catherd_scratch_vm::Random;

/// A seed: a number that Whisker computes from a number or a string.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seed(f64);

impl Seed {
    /// The seed for a number.
    pub fn number(number: f64) -> Seed {
        Seed(number)
    }

    /// The seed for a string: the decimal integer at the beginning, or else the sum of the first
    /// UTF-16 units of its characters.
    pub fn text(text: &str) -> Seed {
        let trimmed = text.trim_start();
        let sign = usize::from(trimmed.starts_with(['-', '+']));
        let digits = trimmed[sign..].bytes().take_while(u8::is_ascii_digit).count();
        match trimmed[..sign + digits].parse() {
            Ok(number) => Seed(number),
            Err(_) => Seed(text.chars().map(|c| f64::from(c.encode_utf16(&mut [0; 2])[0])).sum()),
        }
    }

    /// The generator of the VM's random numbers: the generator of Whisker, with the decimal digits
    /// of the seed and a zero character as the key.
    pub(crate) fn machine(self) -> Random {
        Random::arc4(&format!("{self}\0").encode_utf16().collect::<Vec<_>>()).drawing_names()
    }

    /// The generator for `Math.random` in the suite, unless the suite shares the generator of the
    /// VM.
    pub(crate) fn script(self) -> Random {
        Random::arc4(&format!("{self} script").encode_utf16().collect::<Vec<_>>())
    }

    /// The first state of the generator of random inputs.
    pub(crate) fn inputs(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers_or_sums_of_their_units() {
        let seeds = ["12", " -3x", "1e3", "ab", "-", "\u{1f600}"].map(|text| Seed::text(text).0);
        assert_eq!(seeds, [12.0, -3.0, 1.0, 195.0, 45.0, 55_357.0]);
        assert_eq!(Seed::number(1.0).machine().draw(), 0.177_634_808_329_675_9);
        assert_eq!(Seed::text("0").machine().draw(), 0.038_085_370_776_470_735);
    }
}
