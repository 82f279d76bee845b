//! Formats numbers for figures and captions.

/// The smallest of the numbers 0.001, 0.002, 0.005, 0.01, ... that is not less than `minimum`.
pub(crate) fn round_step(minimum: f64) -> f64 {
    let mut power = 1e-3;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if factor * power >= minimum {
                return factor * power;
            }
        }
        power *= 10.0;
    }
}

pub(crate) fn grouped(value: f64) -> String {
    if value.fract() != 0.0 {
        return format!("{value}");
    }
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 && digits.len() > 4 {
            shown.push('\u{2009}');
        }
        shown.push(digit);
    }
    shown
}

pub(crate) fn three_digits(value: f64) -> String {
    match value.abs() {
        v if v.fract() == 0.0 || v >= 100.0 => grouped(value.round()),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_digits_grouped() {
        assert_eq!([0.3, 1.0, 11.0, 4_999.0].map(round_step), [0.5, 1.0, 20.0, 5_000.0]);
        assert_eq!(grouped(1_234_567.0), "1\u{2009}234\u{2009}567");
        assert_eq!(grouped(1_000.0), "1000");
        assert_eq!(grouped(0.5), "0.5");
        assert_eq!(three_digits(0.0012), "1.2e-3");
        assert_eq!(three_digits(12.345), "12.3");
    }
}
