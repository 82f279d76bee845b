//! Event parameters that codons or random numbers determine.

use catherd_scratch_suite::event::Event;
use catherd_search::Stream;

/// The largest codon. The smallest codon is 0.
pub const MAX_CODON: u16 = 480;

const STAGE: (u16, u16) = (480, 360);

/// Bounds on the durations of events, in steps (Whisker paper, Algorithm 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationBounds {
    /// Bound on the duration of key presses, which last at least one step. Default: 10.
    pub key: usize,
    /// Bound on the duration of waits, which last at least one step. Default: 100. Some codons
    /// choose longer waits (see [`with_codons`]).
    pub wait: usize,
}

impl Default for DurationBounds {
    fn default() -> Self {
        Self { key: 10, wait: 100 }
    }
}

/// The event with the parameters that codons choose. `codon(i)` is the parameter codon at index `i`
/// in the event's group.
///
/// Waits of 480 steps and of multiples of 100 steps may exceed the bound, because extension creates
/// such waits (Whisker paper, section 5.3.1), and replays must reproduce them.
pub fn with_codons(
    event: Event,
    bounds: DurationBounds,
    codon: impl Fn(usize) -> u16,
) -> EventChoice {
    let event = match event {
        Event::KeyPress { key, .. } => Event::KeyPress { key, steps: below(codon(0), bounds.key) },
        Event::TypeNumber { .. } => Event::TypeNumber { number: i32::from(codon(0)) - 240 },
        Event::MouseMove { .. } => Event::MouseMove {
            x: f64::from(codon(0) % STAGE.0) - 240.0,
            y: f64::from(codon(1) % STAGE.1) - 180.0,
        },
        Event::DragSprite { .. } => return EventChoice::turned(event, codon(0)),
        Event::Wait { .. } => {
            let codon = codon(0);
            let kept = codon.is_multiple_of(100) || codon == MAX_CODON;
            let bound = if kept { usize::MAX } else { bounds.wait };
            Event::Wait { steps: below(codon, bound) }
        }
        inferred => inferred,
    };
    event.into()
}

/// The event with random parameters.
pub fn with_random(event: Event, bounds: DurationBounds, rng: &mut Stream) -> EventChoice {
    let event = match event {
        Event::KeyPress { key, .. } => {
            Event::KeyPress { key, steps: rng.between(1, bounds.key as u64) as u32 }
        }
        Event::TypeNumber { .. } => Event::TypeNumber { number: rng.between(0, 100) as i32 },
        Event::MouseMove { .. } => {
            let x = rng.between(0, 480) as f64 - 240.0;
            Event::MouseMove { x, y: rng.between(0, 360) as f64 - 180.0 }
        }
        Event::DragSprite { .. } => {
            return EventChoice::turned(event, rng.between(0, u64::from(MAX_CODON)) as u16);
        }
        Event::Wait { .. } => {
            Event::Wait { steps: rng.between(0, bounds.wait as u64).max(1) as u32 }
        }
        inferred => inferred,
    };
    event.into()
}

/// An event with its chosen parameters. The end of a drag may also depend on the size of the
/// dragged object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventChoice {
    event: Event,
    /// Direction in which a drag is shifted, in degrees; `None` for no shift.
    angle: Option<u16>,
}

impl From<Event> for EventChoice {
    fn from(event: Event) -> Self {
        Self { event, angle: None }
    }
}

impl EventChoice {
    fn turned(event: Event, angle: u16) -> Self {
        Self { event, angle: Some(angle).filter(|angle| *angle < 360) }
    }

    /// The chosen event. A drag has the listed position.
    pub(crate) fn listed(&self) -> Event {
        self.event
    }

    pub(crate) fn angle(&self) -> Option<u16> {
        self.angle
    }

    /// Returns the event to be sent. `extent` returns the width and height of the bounding box of a
    /// dragged object.
    pub fn event(self, extent: impl FnOnce() -> (f64, f64)) -> Event {
        match (self.event, self.angle) {
            (Event::DragSprite { sprite, instance, x, y }, Some(angle)) => {
                let (width, height) = extent();
                let radians = f64::from(angle).to_radians();
                Event::DragSprite {
                    sprite,
                    instance,
                    x: (x + width * libm::cos(radians)).clamp(-240.0, 240.0),
                    y: (y + height * libm::sin(radians)).clamp(-180.0, 180.0),
                }
            }
            (event, _) => event,
        }
    }
}

fn below(codon: u16, bound: usize) -> u32 {
    // The cast is lossless, because codons have 16 bits.
    (usize::from(codon) % bound).max(1) as u32
}

#[cfg(test)]
mod tests {
    use catherd_scratch_suite::event::KeyNo;

    use super::*;

    fn apply(event: Event, codons: [u16; 2]) -> Event {
        with_codons(event, DurationBounds::default(), |i| codons[i]).event(|| (40.0, 20.0))
    }

    #[test]
    fn waits_keep_what_extension_writes() {
        let expected =
            [(0, 1), (1, 1), (99, 99), (100, 100), (101, 1), (200, 200), (279, 79), (400, 400)];
        for (codon, steps) in expected.into_iter().chain([(479, 79), (480, 480)]) {
            assert_eq!(apply(Event::WAIT, [codon, 0]), Event::Wait { steps }, "codon {codon}");
        }
    }

    #[test]
    fn keys_are_pressed_for_one_to_nine_steps() {
        let press = |steps| Event::KeyPress { key: KeyNo(3), steps };
        for (codon, steps) in [(0, 1), (1, 1), (9, 9), (10, 1), (480, 1), (479, 9)] {
            assert_eq!(apply(press(7), [codon, 0]), press(steps), "codon {codon}");
        }
    }

    #[test]
    fn durations_respect_the_bounds() {
        let bounds = DurationBounds { key: 31, wait: 7 };
        let steps = |event: Event, codon| match with_codons(event, bounds, |_| codon).listed() {
            Event::KeyPress { steps, .. } | Event::Wait { steps } => steps,
            other => panic!("{other:?}"),
        };
        let key = Event::KeyPress { key: KeyNo(0), steps: 1 };
        assert_eq!([30, 31, 33].map(|codon| steps(key, codon)), [30, 1, 2]);
        assert_eq!([6, 7, 15, 300].map(|codon| steps(Event::WAIT, codon)), [6, 1, 1, 300]);
        let mut rng = Stream::new(6, 0);
        let drawn = (0..500).map(|_| match with_random(key, bounds, &mut rng).listed() {
            Event::KeyPress { steps, .. } => steps,
            other => panic!("{other:?}"),
        });
        assert_eq!(drawn.max(), Some(31));
    }

    #[test]
    fn numbers_and_the_mouse_are_centred() {
        assert_eq!(
            apply(Event::TypeNumber { number: 0 }, [0, 0]),
            Event::TypeNumber { number: -240 }
        );
        let mouse = Event::MouseMove { x: 0.0, y: 0.0 };
        assert_eq!(apply(mouse, [479, 359]), Event::MouseMove { x: 239.0, y: 179.0 });
        assert_eq!(apply(mouse, [480, 360]), Event::MouseMove { x: -240.0, y: -180.0 });
    }

    #[test]
    fn drags_shift_by_the_bounding_box_and_stay_on_the_stage() {
        let drag = |x, y| Event::DragSprite { sprite: 1, instance: 0, x, y };
        assert_eq!(apply(drag(10.0, 5.0), [0, 0]), drag(50.0, 5.0));
        assert_eq!(apply(drag(230.0, 5.0), [0, 0]), drag(240.0, 5.0));
        let Event::DragSprite { x, y, .. } = apply(drag(10.0, 170.0), [90, 0]) else { panic!() };
        assert!((x - 10.0).abs() < 1e-9);
        assert_eq!(y, 180.0);
        for codon in [360, MAX_CODON] {
            assert_eq!(apply(drag(10.0, 5.0), [codon, 0]), drag(10.0, 5.0));
        }
    }

    #[test]
    fn random_parameters_fill_their_ranges() {
        let mut rng = Stream::new(5, 0);
        let mut steps: Vec<u32> = (0..2000)
            .map(|_| match with_random(Event::WAIT, DurationBounds::default(), &mut rng).listed() {
                Event::Wait { steps } => steps,
                other => panic!("{other:?}"),
            })
            .collect();
        steps.sort_unstable();
        assert_eq!((steps[0], steps[1999]), (1, 100));
    }
}
