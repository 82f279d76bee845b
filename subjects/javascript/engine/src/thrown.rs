//! Thrown values of scripts, as data.

use std::fmt;

use rquickjs::{Coerced, Ctx, Error, FromJs, Object, Value};

/// Maximum length, in characters, of each string that describes a thrown value.
const TEXT_LIMIT: usize = 4_096;

/// A value that a script has thrown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thrown {
    /// The `name` of an error, such as `TypeError`, or an empty string for other values.
    pub name: String,
    /// The `message` of an error; otherwise the value as text.
    pub message: String,
    /// Line of the innermost frame in the caller's script, from 1.
    pub line: Option<u32>,
    /// Column in that line, from 1.
    pub column: Option<u32>,
    /// The stack trace in the engine's notation, innermost frame first.
    pub stack: String,
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.as_str(), self.message.as_str()) {
            ("", message) => f.write_str(message),
            (name, "") => f.write_str(name),
            (name, message) => write!(f, "{name}: {message}"),
        }
    }
}

impl Thrown {
    pub(crate) fn of_error(ctx: &Ctx<'_>, error: &Error, file: &str) -> Thrown {
        match error {
            Error::Exception => Thrown::describe(ctx, &ctx.catch(), file),
            error => Thrown { message: error.to_string(), ..Thrown::default() },
        }
    }

    /// Describes a value that a script has thrown. `line` and `column` refer to `file`.
    pub fn describe<'js>(ctx: &Ctx<'js>, value: &Value<'js>, file: &str) -> Thrown {
        let Some(object) = value.as_object().filter(|_| value.is_error()) else {
            return Thrown { message: as_text(ctx, value.clone()), ..Thrown::default() };
        };
        let stack = property(ctx, object, "stack");
        let place = place(&stack, file);
        Thrown {
            name: property(ctx, object, "name"),
            message: property(ctx, object, "message"),
            line: place.map(|(line, _)| line),
            column: place.and_then(|(_, column)| column),
            stack,
        }
    }
}

fn property<'js>(ctx: &Ctx<'js>, object: &Object<'js>, name: &str) -> String {
    match object.get::<_, Value>(name) {
        Ok(value) if value.is_undefined() => String::new(),
        Ok(value) => as_text(ctx, value),
        Err(_) => {
            ctx.catch();
            String::new()
        }
    }
}

fn as_text<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> String {
    let kind = value.type_name();
    match Coerced::<String>::from_js(ctx, value) {
        Ok(Coerced(text)) => text.chars().take(TEXT_LIMIT).collect(),
        Err(_) => {
            ctx.catch();
            format!("[{kind}]")
        }
    }
}

fn place(stack: &str, file: &str) -> Option<(u32, Option<u32>)> {
    stack.lines().find_map(|frame| {
        let (_, place) = frame.rsplit_once(&format!("{file}:"))?;
        let mut numbers = place.trim_end_matches(')').split(':');
        let line = numbers.next()?.parse().ok()?;
        Some((line, numbers.next().and_then(|column| column.parse().ok())))
    })
}
