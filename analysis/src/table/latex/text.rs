//! Text in LaTeX: its width, where its words may be broken, and its special characters.

/// Maximum number of letters between the points at which a word that is wider than its column may
/// be broken.
const CHUNK: usize = 4;

/// An upper bound on the width of a text in points, in Computer Modern of 9 pt.
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

/// Escaped text of a paragraph in which words that are wider than its lines may be broken.
pub(super) fn breakable(text: &str, width: f64) -> String {
    let word = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        if width_of(word) <= width {
            return escaped(word);
        }
        // A chunk fits even if it consists of the widest letters.
        let chunk = ((width / width_of("W")) as usize).clamp(1, CHUNK);
        let chunks = letters.chunks(chunk).map(|chunk| escaped(&chunk.iter().collect::<String>()));
        chunks.collect::<Vec<_>>().join("\\allowbreak{}")
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Text escaped for LaTeX without Unicode packages.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for (index, letter) in text.chars().enumerate() {
        match letter {
            // Escape these at the start of a text, because at the start of a row TeX would read
            // them as arguments of the preceding line break.
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
