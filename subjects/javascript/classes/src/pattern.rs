//! Regular expressions from which strings are drawn.

use catherd_search::Stream;

/// Maximum number of repetitions that `*` and `+` draw.
const MOST: u32 = 20;
/// Maximum length of a pattern, in characters.
const LONGEST: usize = 500;
/// Maximum nesting of groups.
const DEEPEST: usize = 20;
/// Approximate maximum length of a drawn string, in bytes.
const LONGEST_TEXT: usize = 10_000;

/// A regular expression of literals, classes, `\d \w \s`, `.`, groups, `|` and `* + ? {m,n}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Letters(Vec<char>),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeated(Box<Node>, u32, u32),
}

/// Error for a string that is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A character is not permitted or not supported at its position.
    #[error("`{pattern}`, character {at}: {cause}")]
    Character {
        /// The pattern.
        pattern: String,
        /// Number of characters that were read.
        at: usize,
        /// The reason.
        cause: &'static str,
    },
    /// The pattern is too long.
    #[error("the pattern has {0} characters; the maximum is {LONGEST}")]
    Long(usize),
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

type Read<T> = Result<T, &'static str>;

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// If the pattern is not valid or not supported.
    pub fn parse(text: &str) -> Result<Pattern, PatternError> {
        let letters: Vec<char> = text.chars().collect();
        if letters.len() > LONGEST {
            return Err(PatternError::Long(letters.len()));
        }
        let mut reader = Reader { letters, at: 0 };
        let read = reader.choice(0).and_then(|node| match reader.peek() {
            None => Ok(Pattern(node)),
            Some(_) => Err("a closing bracket without an opening bracket"),
        });
        read.map_err(|cause| {
            let pattern = text.to_owned();
            PatternError::Character { pattern, at: reader.at, cause }
        })
    }

    /// Draws a string.
    pub fn draw(&self, rng: &mut Stream) -> String {
        let mut text = String::new();
        self.0.draw(rng, &mut text);
        text
    }
}

impl Node {
    fn draw(&self, rng: &mut Stream, text: &mut String) {
        if text.len() >= LONGEST_TEXT {
            return;
        }
        match self {
            Node::Letters(letters) => text.push(*rng.pick(letters)),
            Node::Sequence(nodes) => nodes.iter().for_each(|node| node.draw(rng, text)),
            Node::Choice(nodes) => rng.pick(nodes).draw(rng, text),
            Node::Repeated(node, least, most) => {
                for _ in 0..rng.between(u64::from(*least), u64::from(*most)) {
                    node.draw(rng, text);
                }
            }
        }
    }
}

fn range(first: char, last: char) -> impl Iterator<Item = char> {
    first..=last
}

/// The characters for which an escaped letter stands.
fn escaped(letter: char) -> Vec<char> {
    match letter {
        'd' => range('0', '9').collect(),
        'w' => range('a', 'z').chain(range('A', 'Z')).chain(range('0', '9')).chain(['_']).collect(),
        's' => vec![' ', '\t', '\n'],
        'n' => vec!['\n'],
        't' => vec!['\t'],
        letter => vec![letter],
    }
}

fn printable() -> Vec<char> {
    range(' ', '~').collect()
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += 1;
        Some(letter)
    }

    fn take(&mut self, letter: char) -> bool {
        let found = self.peek() == Some(letter);
        self.at += usize::from(found);
        found
    }

    fn choice(&mut self, depth: usize) -> Read<Node> {
        if depth > DEEPEST {
            return Err("groups are nested too deeply");
        }
        let mut nodes = vec![self.sequence(depth)?];
        while self.take('|') {
            nodes.push(self.sequence(depth)?);
        }
        Ok(if nodes.len() == 1 { nodes.swap_remove(0) } else { Node::Choice(nodes) })
    }

    fn sequence(&mut self, depth: usize) -> Read<Node> {
        let mut nodes = Vec::new();
        while let Some(letter) = self.peek() {
            if letter == '|' || letter == ')' {
                break;
            }
            self.at += 1;
            let node = match letter {
                '(' => {
                    if self.take('?') && !self.take(':') {
                        return Err("only groups `(?:...)` and `(...)` are supported");
                    }
                    let node = self.choice(depth + 1)?;
                    if !self.take(')') {
                        return Err("the group is not closed");
                    }
                    node
                }
                '[' => Node::Letters(self.class()?),
                '.' => Node::Letters(printable()),
                '\\' => Node::Letters(self.escape()?),
                '*' | '+' | '?' | '{' => return Err("nothing to repeat"),
                // Ignore anchors, because a pattern describes the whole string.
                '^' | '$' => continue,
                letter => Node::Letters(vec![letter]),
            };
            nodes.push(self.repeated(node)?);
        }
        Ok(Node::Sequence(nodes))
    }

    fn repeated(&mut self, node: Node) -> Read<Node> {
        let (least, most) = match self.peek() {
            Some('*') => (0, MOST),
            Some('+') => (1, MOST),
            Some('?') => (0, 1),
            Some('{') => {
                self.at += 1;
                let least = self.number()?;
                let most = match self.take(',') {
                    false => least,
                    true if self.peek() == Some('}') => least.max(MOST),
                    true => self.number()?,
                };
                if self.peek() != Some('}') || most < least || most > 1_000 {
                    return Err("repetitions are `{m}`, `{m,}` or `{m,n}`, with m <= n <= 1,000");
                }
                (least, most)
            }
            _ => return Ok(node),
        };
        self.at += 1;
        Ok(Node::Repeated(Box::new(node), least, most))
    }

    fn number(&mut self) -> Read<u32> {
        let mut text = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            text.push(digit);
            self.at += 1;
        }
        text.parse().map_err(|_| "an invalid number of repetitions")
    }

    fn escape(&mut self) -> Read<Vec<char>> {
        match self.next() {
            None => Err("nothing follows the backslash"),
            Some(kind @ ('u' | 'x')) => {
                let count = if kind == 'u' { 4 } else { 2 };
                let digits: String = (0..count).filter_map(|_| self.next()).collect();
                let code = u32::from_str_radix(&digits, 16)
                    .map_err(|_| "an escape without hexadecimal digits")?;
                Ok(vec![char::from_u32(code).ok_or("half of a surrogate pair is not a character")?])
            }
            Some(letter) if letter.is_ascii_digit() || "DWSbBkpP".contains(letter) => {
                Err("this escape is not supported")
            }
            Some(letter) => Ok(escaped(letter)),
        }
    }

    fn class(&mut self) -> Read<Vec<char>> {
        let excluded = self.take('^');
        let mut letters = Vec::new();
        loop {
            let first = match self.next().ok_or("the class is not closed")? {
                ']' => break,
                '\\' => self.escape()?,
                letter => vec![letter],
            };
            let ranges = self.peek() == Some('-')
                && self.letters.get(self.at + 1).is_some_and(|letter| *letter != ']');
            let ([first], true) = (first.as_slice(), ranges) else {
                letters.extend(first);
                continue;
            };
            self.at += 1;
            let last = match self.next() {
                Some('\\') => self.escape()?,
                Some(letter) => vec![letter],
                None => return Err("the class is not closed"),
            };
            match last.as_slice() {
                [last] if first <= last => letters.extend(range(*first, *last)),
                _ => return Err("a range goes from a smaller to a larger character"),
            }
        }
        if excluded {
            letters = printable().into_iter().filter(|letter| !letters.contains(letter)).collect();
        }
        if letters.is_empty() { Err("a class without characters") } else { Ok(letters) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_strings_match_the_pattern() {
        let mut rng = Stream::new(1, 2);
        let mut drawn = |pattern: &str| {
            let pattern = Pattern::parse(pattern).unwrap();
            (0..200).map(|_| pattern.draw(&mut rng)).collect::<Vec<_>>()
        };
        let hands = drawn("[AKQJT98765432]{5}");
        let cards = |hand: &String| hand.chars().all(|card| "AKQJT98765432".contains(card));
        assert!(hands.iter().all(|hand| hand.len() == 5 && cards(hand)));
        let numbers = drawn(r"\d{1,10}");
        assert!(numbers.iter().all(|number| (1..=10).contains(&number.len())));
        assert!(numbers.iter().all(|number| number.parse::<u64>().is_ok()));
        let luhn = drawn("[0-9]+a?");
        assert!(luhn.iter().any(|text| text.ends_with('a')));
        assert!(luhn.iter().any(|text| !text.ends_with('a')));
        let encoded = drawn(r"\w+\u0100?");
        assert!(encoded.iter().any(|text| text.ends_with('\u{100}')));
        assert!(drawn("(ab|c)[^ -}]").iter().all(|text| text == "ab~" || text == "c~"));
    }

    #[test]
    fn what_is_not_supported_is_refused() {
        for pattern in
            ["(a", "a)", "[a", "*", "a{2", "a{3,1}", r"\1", "(?=a)", "[z-a]", "a{9999}", r"\", "[]"]
        {
            let error = Pattern::parse(pattern).unwrap_err().to_string();
            assert!(error.contains(pattern), "{error}");
        }
        assert!(Pattern::parse(&"(".repeat(400)).is_err());
        assert!(Pattern::parse(&"a".repeat(500)).is_ok());
        let long = Pattern::parse(&"a".repeat(501)).unwrap_err();
        assert_eq!(long.to_string(), "the pattern has 501 characters; the maximum is 500");
    }
}
