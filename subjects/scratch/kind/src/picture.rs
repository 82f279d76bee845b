//! Animations of tests for reports, with few colours and small files.

use std::collections::HashMap;

use catherd_interface::{Picture, PictureError};
use catherd_scratch_sb3::{Limits, Project};
use catherd_scratch_suite::{Bounds, LinkedSuite, Runner, Suite, SuiteTest};
use catherd_scratch_vm::{Program, Vm};
use gif::{Encoder, EncodingError, Frame, Repeat};

/// Maximum size of a file in bytes.
const MAX_BYTES: usize = 300_000;
/// Maximum number of frames: 9.5 s.
const MAX_FRAMES: u64 = 95;
/// Hundredths of a second from one frame to the next.
const DELAY: u16 = 10;
/// Additional hundredths of a second of the last frame.
const END: u16 = 50;
/// Steps of the VM during a frame at the speed of Scratch.
const STEPS: u64 = 3;
/// Number of colours, without the colour for pixels that do not change.
const COLOURS: usize = 63;
/// The colour for pixels that do not change.
const SAME: u8 = COLOURS as u8;

/// Red, green and blue.
type Pixel = [u8; 3];

/// Draws the test that covers the largest number of goals. If the suite has tests with policies,
/// other tests are not considered.
pub(crate) fn draw(project: &[u8], suite: &str) -> Result<Option<Picture>, PictureError> {
    let error = |cause: &dyn std::fmt::Display| PictureError(cause.to_string());
    let suite = Suite::from_json(suite).map_err(|cause| error(&cause))?;
    let project = Project::from_bytes("project", project, &Limits::default());
    let project = project.map_err(|cause| error(&cause))?;
    let program = Program::compile_for(&project, suite.machine.compat);
    let program = std::sync::Arc::new(program.map_err(|cause| error(&cause))?.with_colors());
    let linked = LinkedSuite::new(&suite, &program).map_err(|cause| error(&cause))?;
    let Some(test) = winning(&suite.tests) else { return Ok(None) };
    if linked.steps(test) > Bounds::default().steps {
        return Ok(None);
    }
    let mut film = Film::default();
    let mut runner = Runner::new(program, suite.machine.clone(), ());
    runner.watch(&linked, test, linked.seed_of(test), |vm, _| film.step(vm));
    let Some(bytes) = film.encoded().map_err(|cause| error(&cause))? else { return Ok(None) };
    let (covered, speed) = (suite.tests[test].covers.len(), film.interval / STEPS);
    let mut caption = match covered {
        1 => format!("Test {test}, which covers 1 goal"),
        _ => format!("Test {test}, which covers {covered} goals"),
    };
    if speed > 1 {
        caption += &format!(", shown at {speed} times the speed of Scratch");
    }
    Ok(Some(Picture { bytes, extension: "gif", caption }))
}

fn winning(tests: &[SuiteTest]) -> Option<usize> {
    let reacts = tests.iter().any(|test| test.policy.is_some());
    let candidates = (0..tests.len()).filter(|&test| tests[test].policy.is_some() || !reacts);
    candidates.max_by_key(|&test| (tests[test].covers.len(), std::cmp::Reverse(test)))
}

/// A number of steps, and the picture that is shown after these steps.
type Shown = (u64, Vec<Pixel>);

#[derive(Default)]
struct Film {
    /// Steps from one frame to the next, a multiple of [`STEPS`].
    interval: u64,
    steps: u64,
    /// Pictures at multiples of the interval.
    frames: Vec<Shown>,
}

impl Film {
    fn step(&mut self, vm: &Vm) {
        self.interval = self.interval.max(STEPS);
        if self.steps.is_multiple_of(self.interval) {
            self.add(halved(&vm.picture()));
        }
        self.steps += 1;
    }

    fn add(&mut self, picture: Vec<Pixel>) {
        if self.frames.last().is_some_and(|(_, last)| *last == picture) {
            return;
        }
        while self.steps >= MAX_FRAMES * self.interval {
            self.halve();
        }
        self.show((self.steps.next_multiple_of(self.interval), picture));
    }

    /// Doubles the interval, and keeps the last picture of each interval.
    fn halve(&mut self) {
        self.interval *= 2;
        for (step, picture) in std::mem::take(&mut self.frames) {
            self.show((step.next_multiple_of(self.interval), picture));
        }
    }

    fn show(&mut self, shown: Shown) {
        self.frames.pop_if(|(step, _)| *step == shown.0);
        self.frames.push(shown);
    }

    fn encoded(&mut self) -> Result<Option<Vec<u8>>, EncodingError> {
        while !self.frames.is_empty() {
            let bytes = encode(&self.frames, self.interval)?;
            if bytes.len() <= MAX_BYTES {
                return Ok(Some(bytes));
            }
            if self.frames.len() == 1 {
                break;
            }
            self.halve();
        }
        Ok(None)
    }
}

fn width() -> usize {
    usize::from(Vm::<()>::PICTURE_SIZE.0) / 2
}

fn halved(picture: &[Pixel]) -> Vec<Pixel> {
    let full = usize::from(Vm::<()>::PICTURE_SIZE.0);
    let rows = picture.chunks_exact(2 * full);
    let halves = rows.flat_map(|rows| (0..width()).map(move |x| (rows, 2 * x)));
    let mean = |(rows, x): (&[Pixel], usize)| {
        let four = [rows[x], rows[x + 1], rows[full + x], rows[full + x + 1]];
        std::array::from_fn(|channel| {
            let sum: u16 = four.iter().map(|pixel| u16::from(pixel[channel])).sum();
            ((sum + 2) / 4) as u8
        })
    };
    halves.map(mean).collect()
}

/// Colours with the same upper 5 bits in each channel are counted together and represented by the
/// most frequent of them.
fn palette(frames: &[Shown]) -> Vec<Pixel> {
    let mut counts: HashMap<Pixel, u64> = HashMap::new();
    for pixel in frames.iter().flat_map(|(_, picture)| picture) {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut colours: Vec<(u64, Pixel)> =
        counts.into_iter().map(|(pixel, count)| (count, pixel)).collect();
    colours.sort_unstable_by(|one, other| other.cmp(one));
    let mut cells: HashMap<Pixel, (u64, Pixel)> = HashMap::new();
    for (count, pixel) in colours {
        cells.entry(pixel.map(|level| level / 8)).or_insert((0, pixel)).0 += count;
    }
    let mut cells: Vec<(u64, Pixel)> = cells.into_values().collect();
    cells.sort_unstable_by(|one, other| other.cmp(one));
    cells.into_iter().take(COLOURS).map(|(_, pixel)| pixel).collect()
}

fn nearest(palette: &[Pixel], pixel: Pixel) -> u8 {
    let distance = |colour: &Pixel| -> u32 {
        colour.iter().zip(pixel).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
    };
    let numbered = palette.iter().zip(0..).min_by_key(|(colour, _)| distance(colour));
    numbered.map_or(0, |(_, number)| number)
}

/// `interval` is the number of steps from one frame to the next.
fn encode(frames: &[Shown], interval: u64) -> Result<Vec<u8>, EncodingError> {
    let mut palette = palette(frames);
    let mut known: HashMap<Pixel, u8> = HashMap::new();
    let numbered = |(step, picture): &Shown| -> (u64, Vec<u8>) {
        let number =
            |&pixel: &Pixel| *known.entry(pixel).or_insert_with(|| nearest(&palette, pixel));
        (*step, picture.iter().map(number).collect())
    };
    let mut numbered: Vec<(u64, Vec<u8>)> = frames.iter().map(numbered).collect();
    // Remove pictures that differ only in colours that are not in the palette.
    numbered.dedup_by(|next, frame| next.1 == frame.1);
    // Extend the palette to the colour for pixels that do not change.
    palette.resize(COLOURS + 1, [0; 3]);
    let height = Vm::<()>::PICTURE_SIZE.1 / 2;
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width() as u16, height, palette.as_flattened())?;
    encoder.set_repeat(Repeat::Infinite)?;
    for (at, (step, frame)) in numbered.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &numbered[before].1);
        let Some(mut changed) = changed(before, frame) else { continue };
        changed.delay = match numbered.get(at + 1) {
            // The quotient is at most `MAX_FRAMES`.
            Some((next, _)) => ((next - step) / interval) as u16 * DELAY,
            None => DELAY + END,
        };
        encoder.write_frame(&changed)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// The smallest box that contains all pixels in which a frame differs from the previous frame.
fn changed(before: Option<&Vec<u8>>, frame: &[u8]) -> Option<Frame<'static>> {
    let width = width();
    let differs = |at: usize| before.is_none_or(|before| before[at] != frame[at]);
    let mut sides: Option<[usize; 4]> = None;
    for at in (0..frame.len()).filter(|&at| differs(at)) {
        let (x, y) = (at % width, at / width);
        let [left, top, right, bottom] = sides.unwrap_or([x, y, x, y]);
        sides = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
    }
    let [left, top, right, bottom] = sides?;
    let places = (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * width + x));
    let numbers = places.map(|at| if differs(at) { frame[at] } else { SAME });
    let buffer: Vec<u8> = numbers.collect();
    // The conversion is exact, because width and height of a frame are less than 2^16.
    let [left, top, right, bottom] = [left, top, right, bottom].map(|side| side as u16);
    Some(Frame {
        left,
        top,
        width: right - left + 1,
        height: bottom - top + 1,
        transparent: Some(SAME),
        buffer: buffer.into(),
        ..Frame::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(seed: u32, noise: bool) -> Vec<Pixel> {
        let pixels = width() * usize::from(Vm::<()>::PICTURE_SIZE.1) / 2;
        let colour = |at: u32| {
            let mixed = at.wrapping_add(seed * 7919).wrapping_mul(2_654_435_761) >> 8;
            if noise {
                mixed.to_le_bytes()[..3].try_into().unwrap()
            } else {
                [(seed % 3) as u8 * 80; 3]
            }
        };
        (0..pixels as u32).map(colour).collect()
    }

    #[test]
    #[ignore = "slow"]
    fn large_animations_lose_frames_until_they_are_small() {
        let frames = (0..28).map(|number| (STEPS * u64::from(number), frame(number, true)));
        let mut film = Film { interval: STEPS, steps: 84, frames: frames.collect() };
        assert!(encode(&film.frames, STEPS).unwrap().len() > MAX_BYTES);
        let bytes = film.encoded().unwrap().unwrap();
        assert!(bytes.len() <= MAX_BYTES && film.frames.len() < 28, "{}", bytes.len());
        assert!(film.interval > STEPS);
    }

    #[test]
    fn frames_that_are_the_same_are_shown_longer_but_not_at_the_end() {
        let mut film = Film { interval: STEPS, ..Film::default() };
        for (steps, seed) in [(0, 0), (3, 3), (6, 1), (9, 1), (999, 1)] {
            film.steps = steps;
            film.add(frame(seed, false));
        }
        let bytes = film.encoded().unwrap().unwrap();
        let mut decoder = gif::Decoder::new(&bytes[..]).unwrap();
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        assert_eq!(delays, [2 * DELAY, DELAY + END]);
    }

    #[test]
    fn long_animations_are_faster_and_end_with_the_last_picture() {
        let mut film = Film { interval: STEPS, ..Film::default() };
        for number in 0..200 {
            film.steps = STEPS * number;
            film.add(vec![[number as u8; 3]]);
        }
        assert_eq!(film.interval, 4 * STEPS);
        assert!(film.frames.len() as u64 <= MAX_FRAMES, "{}", film.frames.len());
        assert!(film.frames.is_sorted_by_key(|(step, _)| *step));
        assert_eq!(film.frames.last().unwrap().1, [[199; 3]]);
    }

    #[test]
    fn more_colours_than_a_palette_become_the_nearest() {
        let palette = palette(&[(0, frame(1, true))]);
        assert_eq!(palette.len(), COLOURS);
        assert_eq!(nearest(&[[0; 3], [255; 3], [0, 0, 250]], [10, 10, 200]), 2);
    }
}
