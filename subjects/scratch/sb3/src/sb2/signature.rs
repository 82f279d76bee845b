//! Parameters of a custom block's signature.

/// The kinds of the parameters of a signature such as `move %n to %s`. Like Scratch, splits the
/// signature one character before each marker without a preceding backslash, and trims the parts.
pub(super) fn parameters(signature: &str) -> Vec<char> {
    let chars: Vec<char> = signature.chars().collect();
    let cuts = (1..chars.len()).filter(|&at| {
        chars[at] != '\\'
            && chars.get(at + 1) == Some(&'%')
            && matches!(chars.get(at + 2), Some('n' | 'b' | 's'))
    });
    let mut parameters = Vec::new();
    let mut start = 0;
    for end in cuts.chain([chars.len()]) {
        let mut piece = chars[start..end].iter().skip_while(|c| c.is_whitespace());
        if piece.next() == Some(&'%') {
            parameters.push(*piece.next().unwrap_or(&' '));
        }
        start = end;
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn markers_follow_a_space_or_nothing() {
        for (signature, kinds) in [
            ("jump", ""),
            ("jump %n", "n"),
            ("%s jump %b high %n", "sbn"),
            ("%n %n%s", "n "),
            ("100%n", ""),
            (r"escaped \%n %n", "n"),
            ("", ""),
        ] {
            assert_eq!(parameters(signature), kinds.chars().collect::<Vec<_>>(), "{signature}");
        }
    }
}
