//! Inference of the clock of the recorder from a recording.

use std::ops::Range;

use catherd_scratch_sb3::{Opcode, Project};
use serde_json::Value;

use crate::comparison::Divergence;
use crate::environment::DAY_MS;
use crate::replayer::{Checkpoint, Replayer};
use crate::trace::Trace;

/// Milliseconds that a step of the recordings usually took.
const USUAL_STEP_MS: u32 = 10;

const MAX_FLAG_TIMES: usize = 256;

/// Readings of the recorder's clock, inferred for each step: the first candidate, in whole
/// milliseconds, with which the whole state agrees.
#[derive(Default)]
pub(crate) struct InferredClock {
    now: u32,
    /// The replay before the last step, and the reading at that time.
    before: Option<(Checkpoint, u32)>,
}

impl InferredClock {
    pub(crate) fn elapsed(&self) -> f64 {
        f64::from(self.now)
    }

    /// Runs one step with the first clock reading that leaves no difference. If all readings fail,
    /// returns the difference after a step of the usual duration.
    pub(crate) fn advance(&mut self, replayer: &mut Replayer<'_>) -> Option<Divergence> {
        let here = replayer.checkpoint();
        let mut usual = None;
        for duration in step_durations() {
            if usual.is_some() {
                replayer.restore(&here);
            }
            match advance_at(replayer, self.now + duration) {
                None => {
                    self.before = Some((here, self.now));
                    self.now += duration;
                    return None;
                }
                difference => usual = usual.or(difference),
            }
        }
        // An effect of the previous step's reading may become visible only in this step.
        let Some((before, then)) = self.before.take() else { return usual };
        for duration in step_durations() {
            replayer.restore(&before);
            let now = then + duration + USUAL_STEP_MS;
            if advance_at(replayer, then + duration).is_none()
                && advance_at(replayer, now).is_none()
            {
                self.now = now;
                return None;
            }
        }
        usual
    }
}

fn step_durations() -> impl Iterator<Item = u32> {
    [USUAL_STEP_MS].into_iter().chain(0..300).chain((300..=2000).step_by(10))
}

fn advance_at(replayer: &mut Replayer<'_>, reading: u32) -> Option<Divergence> {
    replayer.set_clock(f64::from(reading));
    replayer.advance()
}

/// Candidates for the time of the green flag, in milliseconds since 2000.
pub(crate) fn flag_times(trace: &Trace, project: &Project, step: u64) -> Vec<f64> {
    let Some(change) = trace.states.get(step as usize) else { return Vec::new() };
    let uses = |opcode| {
        project.targets.iter().flat_map(|target| &target.blocks).any(|b| b.opcode == opcode)
    };
    let mut shown = Vec::new();
    let changed = change.ch.values().chain(change.ts.iter().flatten());
    changed.flat_map(|t| t.get("vars")).for_each(|vars| numbers(vars, &mut shown));
    let mut times = Vec::new();
    if uses(Opcode::SensingDaysSince2000) {
        times.extend(times_of_days(&shown));
    }
    if uses(Opcode::SensingCurrent) {
        times.extend(times_of_fields(project, &shown));
    }
    let by_clock = [
        Opcode::EventWhenGreaterThan,
        Opcode::MusicPlayDrumForBeats,
        Opcode::MusicPlayNoteForBeats,
        Opcode::MusicRestForBeats,
        Opcode::MusicMidiPlayDrumForBeats,
        Opcode::MicrobitDisplayText,
        Opcode::MicrobitDisplaySymbol,
        Opcode::MicrobitDisplayClear,
    ];
    if times.is_empty() && by_clock.into_iter().any(uses) {
        times.push(0.0);
    }
    times.truncate(MAX_FLAG_TIMES);
    let elapsed = step as f64 * f64::from(USUAL_STEP_MS);
    times.iter().map(|time| (time - elapsed).max(0.0)).collect()
}

/// Times that `days since 2000` may have shown: fractional numbers of days between 3650 and 36,500
/// that correspond to whole milliseconds.
fn times_of_days(shown: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let is_time = |days: &f64| {
        let ms = days * DAY_MS;
        days.fract() != 0.0 && (3_650.0..36_500.0).contains(days) && ms.round() / DAY_MS == *days
    };
    shown.iter().copied().filter(is_time).map(|days| (days * DAY_MS).round())
}

/// Times that `current [...]` may have shown: all combinations of the numbers that fit the fields.
fn times_of_fields(project: &Project, shown: &[f64]) -> Vec<f64> {
    let values = |name: &str, range: Range<i64>| possible_values(project, name, range, shown);
    let mut days = Vec::new();
    for year in values("year", 2000..2100) {
        for month in values("month", 1..13) {
            days.extend(values("date", 1..32).iter().map(|date| day_number(year, month, *date)));
        }
    }
    let mut times = Vec::new();
    for day in days {
        for hour in values("hour", 0..24) {
            for minute in values("minute", 0..60) {
                times.extend(values("second", 0..60).iter().map(|second| {
                    (((day * 24 + hour) * 60 + minute) * 60 + second) as f64 * 1000.0
                }));
            }
        }
    }
    times
}

/// The recorded numbers that fit a field of `current [...]`, ascending; the start of the range if
/// there are none.
fn possible_values(project: &Project, name: &str, range: Range<i64>, shown: &[f64]) -> Vec<i64> {
    let mut blocks = project.targets.iter().flat_map(|target| &target.blocks);
    let is_read = blocks.any(|block| {
        block.opcode == Opcode::SensingCurrent
            && block.field("CURRENTMENU").is_some_and(|field| {
                matches!(&field.value, catherd_scratch_sb3::Value::Text(text) if text.eq_ignore_ascii_case(name))
            })
    });
    let mut values: Vec<i64> = shown
        .iter()
        .filter(|number| is_read && number.fract() == 0.0)
        .map(|number| *number as i64)
        .filter(|number| range.contains(number))
        .collect();
    values.sort_unstable();
    values.dedup();
    if values.is_empty() { vec![range.start] } else { values }
}

/// Strings may contain times such as `11:19`, so runs of up to four digits count.
fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(n) => found.extend(n.as_f64()),
        Value::String(text) => {
            let digits = text.split(|c: char| !c.is_ascii_digit()).filter(|d| d.len() < 5);
            found.extend(digits.filter_map(|d| d.parse::<f64>().ok()));
            found.extend(text.parse::<f64>().ok());
        }
        Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        Value::Object(map) => map.values().for_each(|item| numbers(item, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Days from 2000-01-01 to a date of the Gregorian calendar.
fn day_number(year: i64, month: i64, date: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + date - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 730_425
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        assert_eq!(day_number(2000, 1, 1), 0);
        assert_eq!(day_number(2000, 2, 29), 59);
        assert_eq!(day_number(2026, 11, 21), 9821);
    }

    #[test]
    fn numbers_in_texts() {
        let mut found = Vec::new();
        numbers(&serde_json::json!(["11:19", 7, "3.5"]), &mut found);
        assert_eq!(found, [11.0, 19.0, 7.0, 3.0, 5.0, 3.5]);
    }
}
