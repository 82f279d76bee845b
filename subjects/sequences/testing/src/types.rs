//! Types of values: the number of words of a value, and the allowed values.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// Whole numbers in a range.
    Integer(i32, i32),
    Flag,
    /// Words, which are stored by number. The list contains the allowed words; if it is empty, all
    /// words are allowed.
    Text(Vec<i32>),
    Event,
    Tuple(Vec<(String, Type)>),
    /// Lists with a maximum number of items.
    List(Box<Type>, usize),
}

/// The type of numbers without a range.
pub(crate) const INTEGER: Type = Type::Integer(i32::MIN, i32::MAX);

impl Type {
    /// The number of words of a value; `None` if the number overflows.
    pub(crate) fn width(&self) -> Option<usize> {
        match self {
            Type::Integer(..) | Type::Flag | Type::Text(_) | Type::Event => Some(1),
            Type::Tuple(fields) => {
                fields.iter().try_fold(0_usize, |sum, (_, of)| sum.checked_add(of.width()?))
            }
            Type::List(of, capacity) => of.width()?.checked_mul(*capacity)?.checked_add(1),
        }
    }

    /// Whether both types are compatible, without regard to ranges and allowed words.
    pub(crate) fn fits(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Integer(..), Type::Integer(..))
            | (Type::Flag, Type::Flag)
            | (Type::Text(_), Type::Text(_))
            | (Type::Event, Type::Event) => true,
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((_, a), (_, b))| a.fits(b))
            }
            (Type::List(a, _), Type::List(b, _)) => a.fits(b) && a.width() == b.width(),
            _ => false,
        }
    }

    pub(crate) fn has_list(&self) -> bool {
        match self {
            Type::List(..) => true,
            Type::Tuple(fields) => fields.iter().any(|(_, of)| of.has_list()),
            _ => false,
        }
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Type::Integer(..) => "a number".to_owned(),
            Type::Flag => "true or false".to_owned(),
            Type::Text(_) => "a word".to_owned(),
            Type::Event => "an event".to_owned(),
            Type::Tuple(fields) => {
                let fields: Vec<_> = fields.iter().map(|(name, _)| name.as_str()).collect();
                format!("a tuple ({})", fields.join(", "))
            }
            Type::List(of, _) => format!("a list of {}", of.shown().trim_start_matches("a ")),
        }
    }

    pub(crate) fn check(&self, words: &[i32]) -> Result<(), String> {
        match self {
            Type::Integer(low, high) if !(*low..=*high).contains(&words[0]) => {
                Err(format!("{} is not in {low}..{high}", words[0]))
            }
            Type::Text(allowed) if !allowed.is_empty() && !allowed.contains(&words[0]) => {
                Err("the word is none of those that the variable may have".to_owned())
            }
            Type::Integer(..) | Type::Text(_) | Type::Flag | Type::Event => Ok(()),
            Type::Tuple(fields) => {
                let mut rest = words;
                for (_, of) in fields {
                    let (field, after) = rest.split_at(of.width().unwrap_or(0));
                    of.check(field)?;
                    rest = after;
                }
                Ok(())
            }
            Type::List(of, capacity) => {
                if words[0] as usize > *capacity {
                    return Err(format!("a list of {} items: at most {capacity} fit", words[0]));
                }
                let width = of.width().unwrap_or(1).max(1);
                words[1..].chunks(width).take(words[0] as usize).try_for_each(|item| of.check(item))
            }
        }
    }

    /// Appends the largest value of each word; `None` if the word has no bound, or may be negative.
    pub(crate) fn largest(&self, out: &mut Vec<Option<u32>>) {
        match self {
            Type::Integer(low, high) if *low >= 0 => out.push(Some(*high as u32)),
            Type::Integer(..) => out.push(None),
            Type::Flag => out.push(Some(1)),
            Type::Text(allowed) => {
                out.push(allowed.iter().max().map(|&largest| largest as u32));
            }
            Type::Event => out.push(Some(crate::events::MAX_EVENTS as u32)),
            Type::Tuple(fields) => fields.iter().for_each(|(_, of)| of.largest(out)),
            Type::List(of, capacity) => {
                out.push(Some(*capacity as u32));
                for _ in 0..*capacity {
                    of.largest(out);
                }
            }
        }
    }
}
