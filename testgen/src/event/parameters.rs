//! Parameters that are not inferred: from codons, or at random.

use catherd_search::Stream;

use super::Event;

/// Width and height of the range that a mouse codon covers.
const STAGE: (u16, u16) = (480, 360);

impl Event {
    /// How many codons the event consumes (Whisker paper, Table 3).
    pub fn codons(&self) -> usize {
        match self {
            Event::MouseMove { .. } => 2,
            Event::KeyPress { .. }
            | Event::TypeNumber { .. }
            | Event::DragSprite { .. }
            | Event::Wait { .. } => 1,
            _ => 0,
        }
    }

    /// The event with the parameters that codons choose. `codon(i)` is the `i`-th
    /// parameter codon of the event's group; `extent` gives width and height of the
    /// bounding box of the sprite that is dragged, asked for drags only.
    pub fn with_codons(
        self,
        codon: impl Fn(usize) -> u16,
        extent: impl FnOnce() -> (f64, f64),
    ) -> Event {
        match self {
            Event::KeyPress { key, .. } => {
                Event::KeyPress { key, steps: u32::from(codon(0) % 10).max(1) }
            }
            Event::TypeNumber { .. } => Event::TypeNumber { number: i32::from(codon(0)) - 240 },
            Event::MouseMove { .. } => Event::MouseMove {
                x: f64::from(codon(0) % STAGE.0) - 240.0,
                y: f64::from(codon(1) % STAGE.1) - 180.0,
            },
            Event::DragSprite { .. } => self.turned(codon(0), extent),
            Event::Wait { .. } => Event::Wait { steps: wait_steps(codon(0)) },
            inferred => inferred,
        }
    }

    /// The event with parameters drawn uniformly: keys for 1 to 10 steps, waits of up to
    /// 100, numbers from 0 to 100, the mouse anywhere on the stage.
    pub fn with_random(self, rng: &mut Stream, extent: impl FnOnce() -> (f64, f64)) -> Event {
        match self {
            Event::KeyPress { key, .. } => {
                Event::KeyPress { key, steps: rng.between(1, 10) as u32 }
            }
            Event::TypeNumber { .. } => Event::TypeNumber { number: rng.between(0, 100) as i32 },
            Event::MouseMove { .. } => {
                let x = rng.between(0, 480) as f64 - 240.0;
                Event::MouseMove { x, y: rng.between(0, 360) as f64 - 180.0 }
            }
            Event::DragSprite { .. } => {
                let angle = rng.between(0, u64::from(super::MAX_CODON)) as u16;
                self.turned(angle, extent)
            }
            Event::Wait { .. } => Event::Wait { steps: rng.between(0, 100).max(1) as u32 },
            inferred => inferred,
        }
    }

    /// A drag shifted by the size of what is dragged, in the direction of `angle`
    /// degrees; not shifted from 360 on.
    fn turned(self, angle: u16, extent: impl FnOnce() -> (f64, f64)) -> Event {
        match self {
            Event::DragSprite { sprite, instance, x, y } if angle < 360 => {
                let (width, height) = extent();
                let radians = f64::from(angle).to_radians();
                Event::DragSprite {
                    sprite,
                    instance,
                    x: (x + width * libm::cos(radians)).clamp(-240.0, 240.0),
                    y: (y + height * libm::sin(radians)).clamp(-180.0, 180.0),
                }
            }
            other => other,
        }
    }
}

/// Steps of a wait. Multiples of 100 survive the modulo because extension search writes
/// them (Whisker paper, section 5.3.1) and its tests must replay.
fn wait_steps(codon: u16) -> u32 {
    let kept = codon.is_multiple_of(100) || codon == super::MAX_CODON;
    u32::from(if kept { codon } else { codon % 100 }).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{KeyNo, MAX_CODON};

    fn apply(event: Event, codons: [u16; 2]) -> Event {
        event.with_codons(|i| codons[i], || (40.0, 20.0))
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
    fn codons_are_consumed_as_the_table_says() {
        assert_eq!(Event::WAIT.codons(), 1);
        assert_eq!(Event::MouseMove { x: 0.0, y: 0.0 }.codons(), 2);
        assert_eq!(Event::ClickStage.codons(), 0);
        assert_eq!(Event::MouseDown { down: true }.codons(), 0);
    }

    #[test]
    fn random_parameters_fill_their_ranges() {
        let mut rng = Stream::new(5, 0);
        let mut steps: Vec<u32> = (0..2000)
            .map(|_| match Event::WAIT.with_random(&mut rng, || (0.0, 0.0)) {
                Event::Wait { steps } => steps,
                other => panic!("{other:?}"),
            })
            .collect();
        steps.sort_unstable();
        assert_eq!((steps[0], steps[1999]), (1, 100));
    }
}
