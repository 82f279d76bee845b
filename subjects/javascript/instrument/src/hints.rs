//! Points for primitive types from the source text of a line, as in Flycatcher's program.

/// Points of a line for number and for string.
pub type LineScores = [u32; 2];

/// Operators with their points. Each operator precedes its prefixes.
const OPERATORS: [(&str, LineScores); 19] = [
    (">>>", [2, 0]),
    ("<<", [2, 0]),
    (">>", [2, 0]),
    ("++", [10, 0]),
    ("--", [10, 0]),
    ("&&", [0, 0]),
    ("||", [0, 0]),
    ("=>", [0, 0]),
    ("<", [2, 1]),
    (">", [2, 1]),
    ("-", [2, 0]),
    ("*", [2, 0]),
    ("/", [2, 0]),
    ("%", [2, 0]),
    ("^", [2, 0]),
    ("|", [2, 0]),
    ("&", [2, 0]),
    ("~", [2, 0]),
    ("=", [0, 0]),
];
const DIGITS: LineScores = [5, 0];
/// Points for a string in double quotes.
const QUOTED: LineScores = [0, 5];

/// The points of a line of code (Flycatcher thesis, table of primitive scores). Comments count
/// only if `comments` is true; the published program counts them.
pub fn line_scores(line: &str, comments: bool) -> LineScores {
    let code = if comments { line.to_owned() } else { without_comments(line) };
    let mut found = [false; OPERATORS.len()];
    let mut rest = code.as_str();
    while let Some(first) = rest.chars().next() {
        let operator = OPERATORS.iter().position(|(name, _)| rest.starts_with(name));
        if let Some(number) = operator {
            found[number] = true;
        }
        let length = operator.map_or(first.len_utf8(), |number| OPERATORS[number].0.len());
        rest = &rest[length..];
    }
    let mut points = [0, 0];
    let mut add = |more: LineScores| {
        points[0] += more[0];
        points[1] += more[1];
    };
    for ((_, score), _) in OPERATORS.iter().zip(found).filter(|(_, found)| *found) {
        add(*score);
    }
    if code.bytes().any(|byte| byte.is_ascii_digit()) {
        add(DIGITS);
    }
    if code.bytes().filter(|byte| *byte == b'"').count() > 1 {
        add(QUOTED);
    }
    points
}

/// A comment that began on an earlier line is not recognised.
fn without_comments(line: &str) -> String {
    let mut code = String::new();
    let mut quote = None;
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        match quote {
            None if rest.starts_with("//") => return code,
            None if rest.starts_with("/*") => {
                let Some(end) = rest.find("*/") else { return code };
                rest = &rest[end + 2..];
                continue;
            }
            None if matches!(letter, '"' | '\'' | '`') => quote = Some(letter),
            Some(_) if letter == '\\' => {
                code.push(letter);
                rest = &rest[1..];
                let Some(escaped) = rest.chars().next() else { return code };
                code.push(escaped);
                rest = &rest[escaped.len_utf8()..];
                continue;
            }
            Some(open) if letter == open => quote = None,
            _ => {}
        }
        code.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hint_counts_once_per_line() {
        assert_eq!(line_scores("return n - m - k;", false), [2, 0]);
        assert_eq!(line_scores("for (let i = 0; i < n; i++) {", false), [2 + 10 + 5, 1]);
        assert_eq!(line_scores("return a >>> b;", false), [2, 0]);
        assert_eq!(line_scores("x = a && b || c", false), [0, 0]);
        assert_eq!(line_scores("return \"Dear \" + name;", false), [0, 5]);
        assert_eq!(line_scores("return 'Dear ' + name;", false), [0, 0]);
    }

    #[test]
    fn comments_count_only_if_asked() {
        let line = "return a + b; // 2 < 3";
        assert_eq!(line_scores(line, false), [0, 0]);
        assert_eq!(line_scores(line, true), [2 + 2 + 5, 1]);
        assert_eq!(line_scores("a /* 1 */ + \"//\" + b", false), [2, 5]);
        assert_eq!(line_scores("'it\\'s' // 1", false), [0, 0]);
    }
}
