//! What influenced a recording without being recorded: devices and the clock.

use std::collections::BTreeSet;
use std::fmt;

use catherd_sb3::{Opcode, Project};
use catherd_vm::Vm;
use serde::Serialize;
use serde_json::Value;

use crate::replay::{Bookmark, Divergence, Player, Watch};
use crate::trace::{Event, Trace};

/// Milliseconds of a day.
pub(crate) const DAY_MS: f64 = 86_400_000.0;

/// Milliseconds that a step of the recordings usually took.
const PACE: u32 = 10;

/// What a replay assumes about its recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Surroundings {
    /// Keyboard and mouse when the recording began.
    pub devices: Devices,
    /// The instant of the green flag on the recorder's clock, in milliseconds since the
    /// beginning of the year 2000, UTC. None: the machine's own clock, which counts steps.
    pub flag: Option<f64>,
    /// What that clock showed at the end, in milliseconds since the flag.
    pub elapsed: Option<f64>,
}

impl Surroundings {
    /// Nothing but what every replay assumes: untouched devices, the machine's clock.
    pub fn is_default(&self) -> bool {
        *self == Surroundings::default()
    }
}

impl fmt::Display for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.devices == Devices::default() {
            write!(f, "untouched devices")?;
        } else {
            write!(f, "{}", self.devices)?;
        }
        if let (Some(flag), Some(elapsed)) = (self.flag, self.elapsed) {
            let days = flag / DAY_MS;
            write!(f, ", a clock that showed {days:.6} days since 2000 at the flag")?;
            write!(f, " and {:.3} s more at the end", elapsed / 1000.0)?;
        }
        Ok(())
    }
}

/// What the recorder's keyboard and mouse looked like when a recording began. It kept them
/// from one recording to the next, but does not say which came before. At first, the mouse
/// is nowhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Devices {
    keys: BTreeSet<String>,
    mouse: Option<(f64, f64)>,
    down: bool,
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mouse {
            Some((x, y)) => write!(f, "mouse at ({x}, {y})")?,
            None => write!(f, "mouse nowhere")?,
        }
        if self.down {
            write!(f, ", its button down")?;
        }
        self.keys.iter().try_for_each(|key| write!(f, ", key `{key}` down"))
    }
}

impl Devices {
    /// Their state after the inputs of a trace.
    #[must_use]
    pub fn after(mut self, trace: &Trace) -> Devices {
        for event in trace.inputs.iter().flat_map(|i| &i.events) {
            match event {
                Event::Key { key, down: true } => _ = self.keys.insert(key.clone()),
                Event::Key { key, down: false } => _ = self.keys.remove(key),
                Event::Mouse { x, y } => self.mouse = Some((*x, *y)),
                Event::Button { down } => self.down = *down,
                Event::Answer { .. } => {}
            }
        }
        self
    }

    pub(crate) fn post(&self, vm: &mut Vm<Watch>) {
        for key in &self.keys {
            vm.key(key, true);
        }
        if let Some((x, y)) = self.mouse {
            vm.mouse_move(x, y);
        }
        if self.down {
            vm.mouse_button(true);
        }
    }
}

/// The recorder's clock, read off the recording: in each step the reading, in whole
/// milliseconds and never going back, with which the whole state agrees. A difference that
/// does not come from the clock agrees with no reading.
#[derive(Default)]
pub(crate) struct Readings {
    now: u32,
    /// The replay before the last step, and the reading then.
    before: Option<(Bookmark, u32)>,
}

impl Readings {
    /// Milliseconds since the flag in the last step.
    pub(crate) fn last(&self) -> f64 {
        f64::from(self.now)
    }

    /// Runs one step with the first reading that leaves no difference; without one, returns
    /// the difference at the usual pace.
    pub(crate) fn advance(&mut self, player: &mut Player<'_>) -> Option<Divergence> {
        let here = player.bookmark();
        let mut usual = None;
        for taken in steps_of_clock() {
            if usual.is_some() {
                player.back_to(&here);
            }
            match run(player, self.now + taken) {
                None => {
                    self.before = Some((here, self.now));
                    self.now += taken;
                    return None;
                }
                difference => usual = usual.or(difference),
            }
        }
        // What the reading of the step before did may show only now.
        let Some((before, then)) = self.before.take() else { return usual };
        for taken in steps_of_clock() {
            player.back_to(&before);
            if run(player, then + taken).is_none() && run(player, then + taken + PACE).is_none() {
                self.now = then + taken + PACE;
                return None;
            }
        }
        usual
    }
}

/// Milliseconds that a step may have taken, the usual ones first.
fn steps_of_clock() -> impl Iterator<Item = u32> {
    [PACE].into_iter().chain(0..300).chain((300..=2000).step_by(10))
}

fn run(player: &mut Player<'_>, reading: u32) -> Option<Divergence> {
    player.set_clock(f64::from(reading));
    player.advance()
}

/// Instants at which the flag may have been clicked, in milliseconds since 2000, judging by
/// what the recording shows in the step in which the machine's own clock does not suffice.
/// Empty for projects that do not go by a clock.
pub(crate) fn flag_instants(trace: &Trace, project: &Project, step: u64) -> Vec<f64> {
    let Some(change) = trace.states.get(step as usize) else { return Vec::new() };
    let blocks = || project.targets.iter().flat_map(|t| &t.blocks);
    let reads = |opcode| blocks().any(|b| b.opcode == opcode);
    let mut shown = Vec::new();
    let changed = change.ch.values().chain(change.ts.iter().flatten());
    changed.flat_map(|t| t.get("vars")).for_each(|vars| numbers(vars, &mut shown));
    let mut instants = Vec::new();
    if reads(Opcode::SensingDaysSince2000) {
        // Fractions of a day that are whole milliseconds.
        let whole = |days: &f64| {
            let ms = days * DAY_MS;
            days.fract() != 0.0
                && (3_650.0..36_500.0).contains(days)
                && ms.round() / DAY_MS == *days
        };
        instants.extend(shown.iter().copied().filter(whole).map(|days| (days * DAY_MS).round()));
    }
    if reads(Opcode::SensingCurrent) {
        let field = |name: &str, range: std::ops::Range<i64>| {
            let read = blocks().filter(|b| b.opcode == Opcode::SensingCurrent).any(|b| {
                b.field("CURRENTMENU").is_some_and(|f| {
                    matches!(&f.value, catherd_sb3::Value::Text(t) if t.eq_ignore_ascii_case(name))
                })
            });
            let mut values: Vec<i64> = shown
                .iter()
                .filter(|n| read && n.fract() == 0.0)
                .map(|n| *n as i64)
                .filter(|n| range.contains(n))
                .collect();
            values.sort_unstable();
            values.dedup();
            if values.is_empty() { vec![range.start] } else { values }
        };
        let mut days = Vec::new();
        for year in field("year", 2000..2100) {
            for month in field("month", 1..13) {
                days.extend(field("date", 1..32).iter().map(|date| day_number(year, month, *date)));
            }
        }
        for day in days {
            for hour in field("hour", 0..24) {
                for minute in field("minute", 0..60) {
                    instants.extend(field("second", 0..60).iter().map(|second| {
                        (((day * 24 + hour) * 60 + minute) * 60 + second) as f64 * 1000.0
                    }));
                }
            }
        }
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
    if instants.is_empty() && by_clock.into_iter().any(reads) {
        instants.push(0.0);
    }
    // A recording that shows very many numbers determines nothing.
    instants.truncate(256);
    instants.iter().map(|instant| (instant - step as f64 * f64::from(PACE)).max(0.0)).collect()
}

/// All numbers in a JSON value, also within texts.
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
