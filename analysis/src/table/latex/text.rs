//! Text in LaTeX: widths, possible breaks in words, and special characters.

/// Maximum number of letters between possible breaks in a word that is wider than its column.
const CHUNK: usize = 4;

/// Returns an estimate of the width of a string in points, usually too high, for Computer Modern at
/// 9 pt.
pub(super) fn width_of(text: &str) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | '(' | ')' | '[' | ']' => 3.7,
        ' ' | 'f' | 'r' | 's' | 't' | '-' => 3.8,
        'm' | 'M' | 'w' | 'W' | '%' | '<' | '>' | '@' | '=' | '+' | 'χ' => 9.6,
        letter if letter.is_ascii_uppercase() => 7.3,
        letter if letter.is_ascii() => 5.3,
        _ => 9.6,
    };
    text.chars().map(letter).sum()
}

pub(super) fn breakable(text: &str, width: f64) -> String {
    let word = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        if width_of(word) <= width {
            return escaped(word);
        }
        let chunk = ((width / width_of("W")) as usize).clamp(1, CHUNK);
        let chunks = letters.chunks(chunk).map(|chunk| escaped(&chunk.iter().collect::<String>()));
        chunks.collect::<Vec<_>>().join("\\allowbreak{}")
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for (index, letter) in text.chars().enumerate() {
        match letter {
            // At the start of a row, TeX would read these characters as arguments of the preceding
            // line break.
            '[' | '*' if index == 0 => escaped.extend(['{', letter, '}']),
            // Two hyphens would become a dash.
            '-' if before == '-' => escaped.push_str("{}-"),
            '|' => escaped.push_str("\\textbar{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', letter]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("$<$"),
            '>' => escaped.push_str("$>$"),
            'χ' => escaped.push_str("$\\chi$"),
            'ρ' => escaped.push_str("$\\rho$"),
            'τ' => escaped.push_str("$\\tau$"),
            '²' => escaped.push_str("$^2$"),
            '×' => escaped.push_str("$\\times$"),
            '\u{2009}' => escaped.push_str("\\,"),
            letter => escaped.push(letter),
        }
        before = letter;
    }
    escaped
}
