//! JavaScript strings: sequences of UTF-16 code units.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, RwLock};

use rustc_hash::FxHashMap;

/// A string that is cheap to clone, and that stores its number after the first use.
#[derive(Clone)]
pub struct Text(Place);

#[derive(Clone)]
enum Place {
    Shared(Arc<Data>),
    /// Data that exist until the process ends, without reference counts, whose updates would take
    /// longer than setting a variable.
    Kept(&'static Data),
}

struct Data {
    units: Units,
    /// The bits of JavaScript's `Number(text)`, or [`NOT_PARSED`] or [`BLANK`].
    number: AtomicU64,
}

/// The bits of a NaN that no string has as its number.
const NOT_PARSED: u64 = u64::MAX;

/// The bits of a NaN for blank strings, whose number is 0 although they are compared as strings.
const BLANK: u64 = u64::MAX - 1;

/// Maximum length of a numeral that is kept.
const LONGEST_KEPT: usize = 15;

/// Maximum number of numerals that are kept, which bounds their memory.
const MAX_KEPT: usize = 1 << 14;

impl Data {
    fn new(units: Units) -> Data {
        Data { units, number: AtomicU64::new(NOT_PARSED) }
    }
}

/// The code units of a string. Invariant: `Wide` contains at least one unit outside ASCII, so
/// equal strings have equal representations.
enum Units {
    /// A string that [`Text::append`] may extend.
    Ascii(String),
    Wide(Box<[u16]>),
}

impl Text {
    /// Creates a string from UTF-8.
    pub fn new(text: impl Into<String>) -> Text {
        let text = text.into();
        if text.is_ascii() {
            Text::ascii(text)
        } else {
            Text::from_units(text.encode_utf16().collect())
        }
    }

    /// Strings with at most one character are not allocated.
    fn ascii(text: String) -> Text {
        match *text.as_bytes() {
            [] => Text::interned(None),
            [letter] => Text::interned(Some(letter)),
            _ => Text::of(Units::Ascii(text)),
        }
    }

    fn of(units: Units) -> Text {
        Text(Place::Shared(Arc::new(Data::new(units))))
    }

    /// A string in the code or in the initial values of a program.
    pub(crate) fn constant(text: &str) -> Text {
        static KEPT: LazyLock<RwLock<FxHashMap<String, &'static Data>>> =
            LazyLock::new(RwLock::default);
        let is_numeral = (2..=LONGEST_KEPT).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'))
            && !parse_number(text).is_nan();
        if !is_numeral {
            return Text::new(text);
        }
        let known = KEPT.read().ok().and_then(|kept| kept.get(text).copied());
        if let Some(data) = known {
            return Text(Place::Kept(data));
        }
        match KEPT.write() {
            Ok(mut kept) if kept.len() < MAX_KEPT => {
                let data = *kept.entry(text.to_owned()).or_insert_with(|| {
                    Box::leak(Box::new(Data::new(Units::Ascii(text.to_owned()))))
                });
                let text = Text(Place::Kept(data));
                text.number();
                text
            }
            _ => Text::new(text),
        }
    }

    #[inline(always)]
    fn data(&self) -> &Data {
        match &self.0 {
            Place::Shared(data) => data,
            Place::Kept(data) => data,
        }
    }

    /// The string of one ASCII character or, for `None`, the empty string.
    fn interned(letter: Option<u8>) -> Text {
        static EMPTY: LazyLock<Data> = LazyLock::new(|| Data::new(Units::Ascii(String::new())));
        static LETTERS: LazyLock<[Data; 128]> = LazyLock::new(|| {
            std::array::from_fn(|letter| {
                Data::new(Units::Ascii(char::from(letter as u8).to_string()))
            })
        });
        Text(Place::Kept(letter.map_or(&*EMPTY, |letter| &LETTERS[usize::from(letter)])))
    }

    /// Creates a string from UTF-16 code units, which need not be well-formed.
    pub fn from_units(units: Vec<u16>) -> Text {
        if units.iter().all(|&u| u < 0x80) {
            let bytes = units.iter().map(|&u| u as u8).collect();
            return Text::ascii(String::from_utf8(bytes).unwrap_or_default());
        }
        Text::of(Units::Wide(units.into()))
    }

    /// JavaScript's `Number(text)`.
    #[inline]
    pub fn number(&self) -> f64 {
        match self.data().number.load(Relaxed) {
            NOT_PARSED => self.parse(),
            BLANK => 0.0,
            bits => f64::from_bits(bits),
        }
    }

    /// The number by which the string is compared: NaN if the string is blank or not a numeral.
    #[inline]
    pub(crate) fn comparand(&self) -> f64 {
        match self.data().number.load(Relaxed) {
            NOT_PARSED => {
                self.parse();
                f64::from_bits(self.data().number.load(Relaxed))
            }
            bits => f64::from_bits(bits),
        }
    }

    /// The number of a numeral of at most 15 ASCII characters; NaN for other strings, and for
    /// strings whose number has not been used before.
    #[inline(always)]
    pub(crate) fn numeral(&self) -> f64 {
        let data = self.data();
        let number = f64::from_bits(data.number.load(Relaxed));
        let is_short = matches!(&data.units, Units::Ascii(text) if text.len() <= LONGEST_KEPT);
        if is_short { number } else { f64::NAN }
    }

    /// The offset, in bytes, of the string's number from the address `word` of its data.
    #[cfg(feature = "native")]
    pub(crate) fn place_of_number(&self, word: usize) -> Option<i32> {
        let data = self.data();
        (word == std::ptr::from_ref(data).addr())
            .then_some(std::mem::offset_of!(Data, number) as i32)
    }

    #[cold]
    fn parse(&self) -> f64 {
        let number = match &self.data().units {
            Units::Ascii(text) => parse_number(text.trim_matches(is_js_space)),
            Units::Wide(units) => {
                let start = units.iter().position(|&u| !is_js_space_unit(u)).unwrap_or(units.len());
                let end =
                    units.iter().rposition(|&u| !is_js_space_unit(u)).map_or(start, |i| i + 1);
                match String::from_utf16(&units[start..end]) {
                    Ok(core) if core.is_ascii() => parse_number(&core),
                    _ => f64::NAN,
                }
            }
        };
        // A race is harmless, because every thread stores the same number.
        let bits = if number == 0.0 && self.is_blank() { BLANK } else { number.to_bits() };
        self.data().number.store(bits, Relaxed);
        number
    }

    /// Whether the string contains nothing but white space.
    pub fn is_blank(&self) -> bool {
        match &self.data().units {
            Units::Ascii(text) => text.bytes().all(|byte| is_js_space(char::from(byte))),
            Units::Wide(units) => units.iter().all(|&unit| is_js_space_unit(unit)),
        }
    }

    /// Length in UTF-16 code units.
    pub fn len(&self) -> usize {
        match &self.data().units {
            Units::Ascii(s) => s.len(),
            Units::Wide(u) => u.len(),
        }
    }

    /// Whether both strings have the same data in memory.
    pub fn is_shared_with(&self, other: &Text) -> bool {
        std::ptr::eq(self.data(), other.data())
    }

    /// Whether the string is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code unit at an index, as a string of length 1, even if it is a lone surrogate.
    pub fn unit(&self, index: usize) -> Option<Text> {
        match &self.data().units {
            Units::Ascii(s) => Some(Text::interned(Some(*s.as_bytes().get(index)?))),
            Units::Wide(u) => Some(Text::from_units(vec![*u.get(index)?])),
        }
    }

    pub(crate) fn code_unit(&self, index: usize) -> Option<u16> {
        match &self.data().units {
            Units::Ascii(s) => s.as_bytes().get(index).map(|byte| u16::from(*byte)),
            Units::Wide(u) => u.get(index).copied(),
        }
    }

    /// The first `n` code units, or all if there are fewer.
    pub fn truncated(&self, n: usize) -> Text {
        match &self.data().units {
            _ if self.len() <= n => self.clone(),
            Units::Ascii(s) => Text::new(&s[..n]),
            Units::Wide(u) => Text::from_units(u[..n].to_vec()),
        }
    }

    /// The concatenation of two strings.
    pub fn join(&self, other: &Text) -> Text {
        match (&self.data().units, &other.data().units) {
            (Units::Ascii(a), Units::Ascii(b)) => Text::ascii([&**a, &**b].concat()),
            _ => Text::from_units(self.units().chain(other.units()).collect()),
        }
    }

    /// Extends the string in place if possible.
    pub(crate) fn append(&mut self, other: &Text) {
        if let (Place::Shared(data), Units::Ascii(other)) = (&mut self.0, &other.data().units)
            && let Some(data) = Arc::get_mut(data)
            && let Units::Ascii(text) = &mut data.units
        {
            text.push_str(other);
            *data.number.get_mut() = NOT_PARSED;
        } else {
            *self = self.join(other);
        }
    }

    /// The UTF-16 code units.
    pub fn units(&self) -> impl Iterator<Item = u16> + '_ {
        let (ascii, wide): (&[u8], &[u16]) = match &self.data().units {
            Units::Ascii(s) => (s.as_bytes(), &[]),
            Units::Wide(u) => (&[], u),
        };
        ascii.iter().map(|&b| u16::from(b)).chain(wide.iter().copied())
    }

    /// The string in UTF-8; lone surrogates become replacement characters.
    pub fn to_str(&self) -> Cow<'_, str> {
        match &self.data().units {
            Units::Ascii(s) => Cow::Borrowed(s),
            Units::Wide(u) => Cow::Owned(String::from_utf16_lossy(u)),
        }
    }

    /// JavaScript's `toLowerCase`.
    pub fn lower(&self) -> Text {
        self.map_case(str::to_ascii_lowercase, str::to_lowercase)
    }

    /// JavaScript's `toUpperCase`.
    pub fn upper(&self) -> Text {
        self.map_case(str::to_ascii_uppercase, str::to_uppercase)
    }

    fn map_case(&self, ascii: fn(&str) -> String, full: fn(&str) -> String) -> Text {
        match &self.data().units {
            Units::Ascii(s) => Text::new(ascii(s)),
            Units::Wide(u) => match String::from_utf16(u) {
                Ok(s) => Text::new(full(&s)),
                Err(_) => {
                    // Lone surrogates have no case: only the text around them is mapped.
                    let mut out = Vec::with_capacity(u.len());
                    let mut part = String::new();
                    for c in char::decode_utf16(u.iter().copied()) {
                        match c {
                            Ok(c) => part.push(c),
                            Err(lone) => {
                                out.extend(full(&part).encode_utf16());
                                part.clear();
                                out.push(lone.unpaired_surrogate());
                            }
                        }
                    }
                    out.extend(full(&part).encode_utf16());
                    Text::from_units(out)
                }
            },
        }
    }

    /// Order by UTF-16 code units after converting both to lower case.
    pub fn compare_ignoring_case(&self, other: &Text) -> Ordering {
        if let (Units::Ascii(a), Units::Ascii(b)) = (&self.data().units, &other.data().units) {
            let lower = |s: &str| s.as_bytes().to_owned().into_iter();
            if a.len() + b.len() < 64 {
                let a = a.bytes().map(|c| c.to_ascii_lowercase());
                return a.cmp(b.bytes().map(|c| c.to_ascii_lowercase()));
            }
            return lower(&a.to_ascii_lowercase()).cmp(lower(&b.to_ascii_lowercase()));
        }
        self.lower().units().cmp(other.lower().units())
    }

    /// Equality after converting both to lower case.
    pub fn equals_ignoring_case(&self, other: &Text) -> bool {
        match (&self.data().units, &other.data().units) {
            (Units::Ascii(a), Units::Ascii(b)) => a.eq_ignore_ascii_case(b),
            _ => self.compare_ignoring_case(other).is_eq(),
        }
    }

    /// Whether the string equals a word, ignoring case. The word must be ASCII without the letter
    /// K, because the lower case of a letter outside ASCII is also `k`.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(&self.data().units, Units::Ascii(text) if text.eq_ignore_ascii_case(word))
    }

    /// Whether the lower-cased `self` contains the lower-cased `part`.
    pub fn contains_ignoring_case(&self, part: &Text) -> bool {
        let (whole, part) = (self.lower(), part.lower());
        if let (Units::Ascii(a), Units::Ascii(b)) = (&whole.data().units, &part.data().units) {
            return a.contains(&**b);
        }
        let (whole, part): (Vec<u16>, Vec<u16>) = (whole.units().collect(), part.units().collect());
        part.is_empty() || whole.windows(part.len()).any(|w| w == part)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        std::ptr::eq(self.data(), other.data())
            || match (&self.data().units, &other.data().units) {
                (Units::Ascii(a), Units::Ascii(b)) => a == b,
                (Units::Wide(a), Units::Wide(b)) => a == b,
                _ => false,
            }
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        match &self.data().units {
            Units::Ascii(s) => **s == *other,
            Units::Wide(u) => other.encode_utf16().eq(u.iter().copied()),
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str())
    }
}

/// JavaScript's white space and line terminators.
pub(crate) fn is_js_space(c: char) -> bool {
    matches!(c, '\u{9}'..='\u{d}' | ' ' | '\u{a0}' | '\u{feff}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

fn is_js_space_unit(unit: u16) -> bool {
    char::from_u32(u32::from(unit)).is_some_and(is_js_space)
}

/// JavaScript's numeral grammar on trimmed text: NaN if the text does not match, 0 if it is empty.
fn parse_number(text: &str) -> f64 {
    let bytes = text.as_bytes();
    let Some(&first) = bytes.first() else { return 0.0 };
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.' | b'I')) {
        return f64::NAN;
    }
    if bytes.len() > 2 && first == b'0' {
        let radix = match bytes[1] | 0x20 {
            b'x' => 16,
            b'o' => 8,
            b'b' => 2,
            _ => 0,
        };
        if radix != 0 {
            return parse_radix(&text[2..], radix);
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" {
        return if first == b'-' { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // Rust also reads "inf", "nan" and "infinity", but JavaScript does not.
    let decimal = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    if !bytes.iter().all(decimal) {
        return f64::NAN;
    }
    text.parse().unwrap_or(f64::NAN)
}

/// The value of digits in radix 2, 8 or 16, correctly rounded for every length: digits that do not
/// fit into the mantissa are combined into a sticky bit.
fn parse_radix(digits: &str, radix: u32) -> f64 {
    let bits = radix.trailing_zeros();
    let (mut mantissa, mut exponent, mut sticky) = (0_u64, 0_i32, false);
    for c in digits.chars() {
        let Some(d) = c.to_digit(radix) else { return f64::NAN };
        if mantissa >> 58 == 0 {
            mantissa = (mantissa << bits) | u64::from(d);
        } else {
            sticky |= d != 0;
            exponent += bits as i32;
        }
    }
    // If any digit was dropped, the mantissa has at least 59 significant bits, so setting its
    // lowest bit can break a tie but does not change the 53 bits that remain.
    libm::ldexp((mantissa | u64::from(sticky)) as f64, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> f64 {
        Text::new(text).number()
    }

    #[test]
    fn numerals_are_javascripts() {
        for (text, want) in [
            ("", 0.0),
            ("  \t\n", 0.0),
            (" 12 ", 12.0),
            ("\u{a0}7\u{feff}", 7.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("-1e3", -1000.0),
            ("0x1F", 31.0),
            ("0b101", 5.0),
            ("0O17", 15.0),
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("0x20000000000001", 9007199254740993_u64 as f64),
        ] {
            assert_eq!(number(text), want, "{text:?}");
        }
        for text in [".", "-0x1F", "inf", "nan", "1_000", "1 2", "1e", "infinity", "0x", "+-1", "٣"]
        {
            assert!(number(text).is_nan(), "{text:?}");
        }
    }

    #[test]
    fn surrogate_halves_can_be_taken_apart_and_joined() {
        let smile = Text::new("😀");
        assert_eq!(smile.len(), 2);
        let (a, b) = (smile.unit(0).unwrap(), smile.unit(1).unwrap());
        assert_eq!(a.join(&b), smile);
        assert_ne!(a, b);
        assert_eq!(a.lower(), a);
    }

    #[test]
    fn comparison_ignores_case_by_units() {
        let cmp = |a: &str, b: &str| Text::new(a).compare_ignoring_case(&Text::new(b));
        assert_eq!(cmp("abc", "ABC"), Ordering::Equal);
        assert_eq!(cmp("a", "a "), Ordering::Less);
        assert_eq!(cmp("Ä", "ä"), Ordering::Equal);
        assert_eq!(cmp("", "x"), Ordering::Less);
        assert!(Text::new("Ärger").contains_ignoring_case(&Text::new("RGE")));
    }
}
