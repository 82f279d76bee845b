//! Makes strings that approximately match a regular expression of the program.

use catherd_search::Stream;

/// Maximum length of an expression, in characters.
const LONGEST: usize = 4_000;
/// Maximum nesting of groups.
const DEEPEST: usize = 30;
/// Approximate maximum length of a string, in bytes.
const LONGEST_TEXT: usize = 300;

/// A regular expression from which strings are made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matching(Part);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Letters(Vec<char>),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeated(Box<Part>, u32, u32),
    Nothing,
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

fn letters(ranges: &[(char, char)]) -> Vec<char> {
    ranges.iter().flat_map(|(first, last)| *first..=*last).collect()
}

fn printable_except(excluded: &[char]) -> Vec<char> {
    let all = (' '..='~').chain(['\n', '\t']);
    all.filter(|letter| !excluded.contains(letter)).collect()
}

impl Matching {
    pub(crate) fn of(text: &str) -> Option<Matching> {
        let letters: Vec<char> = text.chars().collect();
        if letters.len() > LONGEST {
            return None;
        }
        let mut reader = Reader { letters, at: 0 };
        let part = reader.choice(0)?;
        (reader.at == reader.letters.len()).then_some(Matching(part))
    }

    pub(crate) fn draw(&self, rng: &mut Stream) -> String {
        let mut text = String::new();
        self.0.draw(rng, &mut text);
        text
    }
}

impl Part {
    fn of_letters(letters: Vec<char>) -> Part {
        if letters.is_empty() { Part::Nothing } else { Part::Letters(letters) }
    }

    fn draw(&self, rng: &mut Stream, text: &mut String) {
        if text.len() >= LONGEST_TEXT {
            return;
        }
        match self {
            Part::Nothing => {}
            Part::Letters(letters) => text.push(*rng.pick(letters)),
            Part::Sequence(parts) => parts.iter().for_each(|part| part.draw(rng, text)),
            Part::Choice(parts) => rng.pick(parts).draw(rng, text),
            Part::Repeated(part, least, most) => {
                let mut count = *least;
                while count < *most && rng.chance(0.5) {
                    count += 1;
                }
                (0..count).for_each(|_| part.draw(rng, text));
            }
        }
    }
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

    fn take(&mut self, text: &str) -> bool {
        let found =
            text.chars().enumerate().all(|(i, l)| self.letters.get(self.at + i) == Some(&l));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn choice(&mut self, depth: usize) -> Option<Part> {
        let mut parts = vec![self.sequence(depth)?];
        while self.take("|") {
            parts.push(self.sequence(depth)?);
        }
        Some(if parts.len() == 1 { parts.swap_remove(0) } else { Part::Choice(parts) })
    }

    fn sequence(&mut self, depth: usize) -> Option<Part> {
        if depth > DEEPEST {
            return None;
        }
        let mut parts = Vec::new();
        while let Some(letter) = self.peek() {
            if letter == '|' || letter == ')' {
                break;
            }
            self.at += 1;
            let part = match letter {
                '(' => self.group(depth)?,
                '[' => Part::of_letters(self.class()?),
                '.' => Part::Letters(letters(&[('a', 'z'), ('A', 'Z'), ('0', '9'), (' ', '/')])),
                '\\' => Part::of_letters(self.escape()?),
                '^' | '$' => Part::Nothing,
                letter => Part::Letters(vec![letter]),
            };
            parts.push(self.repeated(part));
        }
        Some(Part::Sequence(parts))
    }

    fn group(&mut self, depth: usize) -> Option<Part> {
        let mut condition = false;
        if self.take("?=") || self.take("?!") || self.take("?<=") || self.take("?<!") {
            condition = true;
        } else if self.take("?<") {
            while self.next()? != '>' {}
        } else {
            self.take("?:");
        }
        let part = self.choice(depth + 1)?;
        self.take(")").then_some(if condition { Part::Nothing } else { part })
    }

    fn repeated(&mut self, part: Part) -> Part {
        let range = if self.take("*") {
            Some((0, 6))
        } else if self.take("+") {
            Some((1, 6))
        } else if self.take("?") {
            Some((0, 1))
        } else {
            self.counted()
        };
        let Some((least, most)) = range else { return part };
        self.take("?");
        Part::Repeated(Box::new(part), least, most)
    }

    /// `{m}`, `{m,}` or `{m,n}`; anything else is literal.
    fn counted(&mut self) -> Option<(u32, u32)> {
        let start = self.at;
        let read = |this: &mut Reader| -> Option<u32> {
            let mut digits = String::new();
            while let Some(digit) = this.peek().filter(char::is_ascii_digit) {
                digits.push(digit);
                this.at += 1;
            }
            digits.parse().ok()
        };
        let found = self.take("{").then(|| {
            let least = read(self)?;
            let most = match self.take(",") {
                false => least,
                true => read(self).unwrap_or(least.saturating_add(4)),
            };
            (self.take("}") && most >= least).then_some((least.min(64), most.min(64)))
        });
        let found = found.flatten();
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// The characters of an escape; none for conditions and references.
    fn escape(&mut self) -> Option<Vec<char>> {
        let letter = self.next()?;
        Some(match letter {
            'd' => letters(&[('0', '9')]),
            'w' => letters(&[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
            's' => vec![' ', '\t', '\n'],
            'D' => printable_except(&letters(&[('0', '9')])),
            'W' => printable_except(&letters(&[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')])),
            'S' => letters(&[('!', '~')]),
            'n' => vec!['\n'],
            'r' => vec!['\r'],
            't' => vec!['\t'],
            'f' => vec!['\u{c}'],
            'v' => vec!['\u{b}'],
            '0' => vec!['\0'],
            'b' | 'B' => Vec::new(),
            'k' => {
                while self.next()? != '>' {}
                Vec::new()
            }
            'p' | 'P' => {
                let named = self.take("{");
                while named && self.next()? != '}' {}
                if letter == 'p' {
                    letters(&[('a', 'z'), ('A', 'Z'), ('é', 'ü')])
                } else {
                    vec![' ']
                }
            }
            'c' => vec![char::from(self.next()? as u8 % 32)],
            'x' | 'u' => {
                let mut digits = String::new();
                if letter == 'u' && self.take("{") {
                    while let Some(digit) = self.next().filter(|digit| *digit != '}') {
                        digits.push(digit);
                    }
                } else {
                    let count = if letter == 'u' { 4 } else { 2 };
                    digits.extend((0..count).filter_map(|_| self.next()));
                }
                let code = u32::from_str_radix(&digits, 16).ok();
                vec![code.and_then(char::from_u32).unwrap_or('a')]
            }
            digit if digit.is_ascii_digit() => {
                while self.peek().is_some_and(|next| next.is_ascii_digit()) {
                    self.at += 1;
                }
                Vec::new()
            }
            letter => vec![letter],
        })
    }

    fn class(&mut self) -> Option<Vec<char>> {
        let excluded = self.take("^");
        let mut found = Vec::new();
        loop {
            let first = match self.next()? {
                ']' => break,
                '\\' if self.take("b") => vec!['\u{8}'],
                '\\' => self.escape()?,
                letter => vec![letter],
            };
            let is_range = self.peek() == Some('-')
                && self.letters.get(self.at + 1).is_some_and(|letter| *letter != ']');
            let ([low], true) = (first.as_slice(), is_range) else {
                found.extend(first);
                continue;
            };
            self.at += 1;
            let last = match self.next()? {
                '\\' => self.escape()?,
                letter => vec![letter],
            };
            let high = last.first().copied().filter(|high| low <= high)?;
            // Use only a part of a large range.
            let size = high as u32 - *low as u32;
            match size > 512 {
                true => found.extend([*low, high].into_iter().chain((*low..=high).take(64))),
                false => found.extend(*low..=high),
            }
        }
        Some(if excluded { printable_except(&found) } else { found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(pattern: &str) -> Vec<String> {
        let mut rng = Stream::new(1, 2);
        let pattern = Matching::of(pattern).unwrap();
        (0..100).map(|_| pattern.draw(&mut rng)).collect()
    }

    #[test]
    fn texts_match_what_can_be_followed() {
        for text in drawn(r"^v?(?<major>0|[1-9]\d{0,3})\.(\d+)(?:-(?=x)beta)?$") {
            let rest = text.strip_prefix('v').unwrap_or(&text);
            let (major, minor) = rest.split_once('.').unwrap();
            assert!(major.parse::<u32>().is_ok(), "{text}");
            let minor = minor.strip_suffix("-beta").unwrap_or(minor);
            assert!(!minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()), "{text}");
        }
        assert!(drawn(r"[^\s\S]?a{2}\u{41}\x42").iter().all(|text| text.ends_with("aaAB")));
        assert!(drawn(r"(a)\1+?\bx{").iter().all(|text| text == "ax{"));
    }

    #[test]
    fn invalid_and_long_expressions_are_refused() {
        for text in ["(a", "a)", "[a", "\\", &"(".repeat(100), &"a".repeat(5_000)] {
            assert_eq!(Matching::of(text), None, "{text}");
        }
    }
}
