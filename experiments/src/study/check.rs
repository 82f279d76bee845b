//! Checks shared by study files and flags. The caller adds the location to a [`Flaw`].

use std::collections::BTreeMap;

use crate::plan::check::MAX_WALL_MS;
use crate::{Algorithm, Parameter};

/// A larger number of seeds is regarded as a typing error.
const MAX_SEEDS: u64 = 1_000_000;

pub(super) struct Flaw {
    pub(super) problem: String,
    pub(super) advice: String,
}

pub(super) fn flaw<T>(problem: impl Into<String>, advice: impl Into<String>) -> Result<T, Flaw> {
    Err(Flaw { problem: problem.into(), advice: advice.into() })
}

pub(super) fn positive(text: &str) -> Result<u64, Flaw> {
    let advice = "give a whole number of at least 1";
    match text.trim().parse::<i128>() {
        Ok(0) => flaw("0 is too small", advice),
        Ok(number) if number < 0 => flaw(format!("{number} is negative"), advice),
        Ok(number) => match i64::try_from(number) {
            Ok(number) => Ok(number.unsigned_abs()),
            Err(_) => flaw(format!("{number} is too large"), format!("give at most {}", i64::MAX)),
        },
        Err(_) => flaw(format!("`{text}` is not a whole number"), advice),
    }
}

pub(super) fn several(text: &str) -> Result<u64, Flaw> {
    match positive(text)? {
        1 => flaw("1 is too small", "give a whole number of at least 2"),
        number => Ok(number),
    }
}

/// A number between 0 and 1, exclusive, such as a level of significance.
pub(super) fn level(text: &str) -> Result<f64, Flaw> {
    let level = text.trim().parse::<f64>().ok().filter(|level| *level > 0.0 && *level < 1.0);
    level.map_or_else(
        || flaw(format!("`{text}` is not between 0 and 1"), "give a number such as 0.05"),
        Ok,
    )
}

/// For a unit of time that is misspelt: a factor and the permitted unit.
fn other_unit(unit: &str) -> Option<(f64, &'static str)> {
    Some(match unit.to_lowercase().as_str() {
        "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => (1.0, "ms"),
        "sec" | "secs" | "second" | "seconds" => (1.0, "s"),
        "m" | "mins" | "minute" | "minutes" => (1.0, "min"),
        "hr" | "hrs" | "hour" | "hours" => (1.0, "h"),
        "d" | "day" | "days" => (24.0, "h"),
        "w" | "week" | "weeks" => (168.0, "h"),
        "ms" => (1.0, "ms"),
        "s" => (1.0, "s"),
        "min" => (1.0, "min"),
        "h" => (1.0, "h"),
        _ => return None,
    })
}

pub(super) fn span_ms(text: &str) -> Result<u64, Flaw> {
    let advice = "give a number and a unit of ms, s, min or h, such as \"10s\"";
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+'))
        .unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim());
    let factor = match unit {
        "ms" => 1.0,
        "s" => 1e3,
        "min" => 60e3,
        "h" => 3600e3,
        "" => return flaw(format!("`{text}` has no unit"), advice),
        _ => {
            let meant = other_unit(unit).map_or_else(String::new, |(factor, unit)| {
                let number = number.parse::<f64>().map_or(0.0, |number| number * factor);
                format!("write \"{number}{unit}\": ")
            });
            let advice = match &*meant {
                "" => advice.to_owned(),
                meant => format!("{meant}the units are ms, s, min or h"),
            };
            return flaw(format!("`{unit}` is not a unit of time"), &advice);
        }
    };
    let Ok(number) = number.parse::<f64>() else {
        return flaw(format!("`{text}` is not a span of time"), advice);
    };
    let ms = (number * factor).round();
    if number < 0.0 {
        flaw(format!("`{text}` is negative"), advice)
    } else if ms < 1.0 {
        flaw(format!("`{text}` is shorter than a millisecond"), advice)
    } else if ms > MAX_WALL_MS as f64 {
        flaw(format!("`{text}` is longer than a year"), "give at most 8784h, which is 366 days")
    } else {
        Ok(ms as u64)
    }
}

pub(super) fn seed_count(text: &str) -> Result<Vec<u64>, Flaw> {
    let count = positive(text)?;
    if count > MAX_SEEDS {
        return flaw(
            format!("{count} seeds are more than a study can use"),
            format!("give at most {MAX_SEEDS}"),
        );
    }
    Ok((1..=count).collect())
}

pub(super) fn seed(text: &str) -> Result<u64, Flaw> {
    // TOML has no integers beyond `i64`, and every seed must be possible in files and flags.
    match text.trim().parse::<i64>().ok().and_then(|seed| u64::try_from(seed).ok()) {
        Some(seed) => Ok(seed),
        None => flaw(format!("`{text}` is not a seed"), "give whole numbers from 0 to 2^63 - 1"),
    }
}

pub(super) fn seed_list<'a>(strings: impl Iterator<Item = &'a str>) -> Result<Vec<u64>, Flaw> {
    let mut seeds = Vec::new();
    for text in strings {
        let seed = seed(text)?;
        if seeds.contains(&seed) {
            return flaw(format!("seed {seed} is given twice"), "give each seed once");
        }
        seeds.push(seed);
    }
    if seeds.is_empty() {
        return flaw("no seeds", "give at least one seed, or the number of seeds");
    }
    Ok(seeds)
}

/// The error contains the number of the first wrong entry.
pub(super) fn algorithms(algorithms: &[Algorithm]) -> Result<(), (usize, Flaw)> {
    let (mut labels, mut settings) = (BTreeMap::new(), BTreeMap::new());
    for (number, algorithm) in algorithms.iter().enumerate() {
        let at = |flawed: Result<(), Flaw>| flawed.map_err(|flaw| (number, flaw));
        let label = &algorithm.label;
        if label.trim().is_empty() || algorithm.name.trim().is_empty() {
            at(flaw("an algorithm without a name", "name one, such as \"random\""))?;
        }
        for (name, parameter) in &algorithm.parameters {
            if matches!(parameter, Parameter::Number(value) if !value.is_finite()) {
                at(flaw(format!("parameter `{name}` is not finite"), "give an ordinary number"))?;
            }
        }
        if labels.insert(label, number).is_some() {
            at(flaw(
                format!("the label `{label}` is given twice"),
                "give each configuration its own label",
            ))?;
        }
        // Every number is finite, so different configurations are different as JSON.
        let setting = serde_json::to_string(&(&algorithm.name, &algorithm.parameters));
        if let Some(other) = settings.insert(setting.unwrap_or_default(), label) {
            at(flaw(
                format!("`{label}` is the same configuration as `{other}`"),
                "drop one of them or change a parameter",
            ))?;
        }
    }
    Ok(())
}
