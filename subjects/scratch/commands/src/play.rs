//! `catherd play`: an animation of a test.

mod caption;

use std::error::Error;
use std::path::PathBuf;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, Pair, output};
use catherd_scratch_suite::{Bounds, LinkedSuite, Runner, Suite, SuiteTest};
use catherd_scratch_vm::{Compat, Vm, VmSettings};
use clap::Args;
use gif::{Encoder, EncodingError, Frame, Repeat};

use crate::project::{compile_for_scripts, open_pair, suite_failure};

const STEPS_PER_SECOND: u32 = 30;

/// Sampling factor with which the encoder chooses 256 colours for pictures that have more colours.
const SPEED: i32 = 10;

/// Draws the stage while a test runs, as an animation.
///
/// Sprites, clones, effects, the backdrop, lines and stamps are drawn as the Scratch machine senses
/// them. Speech bubbles are drawn without their text, and monitors are not drawn. If the test has a
/// policy with rules, the rule that acts is written below the stage.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd play game.sb3 suite.json -o win.gif
  catherd play game.sb3 suite.json --test 3 --seed 7 -o test.gif
  catherd play game.sb3 suite.json --every 1 -o smooth.gif

The suite is a JSON file with tests for a Scratch project. The animation has the speed of Scratch: 30
steps a second. --seed shows whether a policy also wins with other random numbers.

Exit codes: 0 if the animation was written, 1 if not.")]
pub struct Arguments {
    /// The project: an .sb3 or .sb2 file or an unpacked folder
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// The suite: a JSON file that catherd generate or catherd run wrote
    #[arg(value_name = "SUITE")]
    suite: PathBuf,

    /// Accept a suite that was generated for another project, such as a model solution
    #[arg(long)]
    any_project: bool,

    /// File for the animation, *.gif
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Number of the test, from 0 [default: the first with a policy, or else 0]
    #[arg(long, value_name = "N")]
    test: Option<usize>,

    /// Seed of the machine's random numbers [default: the seed of the test]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// The machine: today, which is Scratch as learners use it, or 2022, as in Whisker's study
    #[arg(long, value_name = "MACHINE", default_value_t = Compat::Today)]
    compat: Compat,

    /// Number of steps from one picture to the next
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=300))]
    every: u32,

    /// Maximum length of the test, in steps of 1/30 s of Scratch time
    #[arg(long, value_name = "N", default_value_t = Bounds::default().steps)]
    steps: u64,
}

/// Executes `catherd play`.
///
/// # Errors
///
/// If the project or the suite cannot be used, or the animation cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.out.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("gif")) {
        let error = format!("{}: not the name of an animation", arguments.out.display());
        return Err(Failure::new(error).hint("name a file *.gif"));
    }
    output::check(&arguments.out)?;
    let Arguments { project, suite, any_project, .. } = arguments;
    let pair = &Pair { project: project.clone(), suite: suite.clone(), any_project: *any_project };
    let (subject, mut suite) = open_pair(pair)?;
    if suite.machine.compat != arguments.compat {
        suite.machine = VmSettings::of(arguments.compat);
    }
    let program = compile_for_scripts(&pair.project, &subject, arguments.compat, None)?;
    let linked = LinkedSuite::new(&suite, &program).map_err(|error| suite_failure(pair, error))?;
    let test = number_of_test(arguments, &suite)?;
    if linked.steps(test) > arguments.steps {
        let error = format!(
            "{}: test {test} has up to {} steps, more than {}",
            pair.suite.display(),
            linked.steps(test),
            arguments.steps
        );
        return Err(Failure::new(error).hint("allow more with --steps"));
    }
    let seed = arguments.seed.unwrap_or_else(|| linked.seed_of(test));
    let spinner = terminal::spinner(format!("test {test}"));
    let mut bytes = Vec::new();
    let failure = |error: &dyn Error| Failure::new(format!("{}: {error}", arguments.out.display()));
    let rules = captions(&suite.tests[test]);
    let film = Film::new(&mut bytes, arguments.every, rules);
    let mut film = film.map_err(|error| failure(&error))?;
    let mut runner = Runner::new(program, suite.machine.clone(), ());
    runner.watch(&linked, test, seed, |vm, rule| film.step(vm, rule));
    let steps = film.end();
    spinner.finish_and_clear();
    let steps = steps.map_err(|error| failure(&error))?;
    output::write(&arguments.out, &bytes)?;
    terminal::note(&format!(
        "{}: {} of test {test} under seed {seed}, {:.1} s",
        arguments.out.display(),
        plural(steps as usize, "step"),
        steps as f64 / f64::from(STEPS_PER_SECOND),
    ));
    Ok(Exit::Success)
}

/// The text for no rule, then the text for each rule.
fn captions(test: &SuiteTest) -> Vec<String> {
    let rules = test.policy.as_ref().map_or(&[][..], |policy| &policy.rules);
    if rules.is_empty() {
        return Vec::new();
    }
    let all = rules.len();
    let texts =
        rules.iter().zip(1..).map(|(rule, number)| format!("rule {number} of {all}: {rule}"));
    std::iter::once("no rule acts".to_owned()).chain(texts).collect()
}

fn number_of_test(arguments: &Arguments, suite: &Suite) -> Result<usize, Failure> {
    let reacts = || suite.tests.iter().position(|test| test.policy.is_some()).unwrap_or(0);
    let number = arguments.test.unwrap_or_else(reacts);
    if number < suite.tests.len() {
        return Ok(number);
    }
    let (file, tests) = (arguments.suite.display(), plural(suite.tests.len(), "test"));
    let hint = match suite.tests.len().checked_sub(1) {
        Some(last) => format!("name one from 0 to {last} with --test"),
        None => "generate a suite with catherd generate".to_owned(),
    };
    Err(Failure::new(format!("{file}: no test {number}; the suite has {tests}")).hint(hint))
}

/// Each picture after the first is written as the box of the pixels that differ from the previous
/// picture.
struct Film<'a> {
    encoder: Encoder<&'a mut Vec<u8>>,
    every: u32,
    steps: u64,
    captions: Vec<String>,
    /// The last rule that has acted since the last picture.
    rule: Option<usize>,
    last: Vec<Pixel>,
    /// The changed part of the last picture, which is not yet written, and the number of steps for
    /// which the picture is shown.
    pending: Option<(Frame<'static>, u32)>,
    /// Number of steps for which the pictures before the last one are shown.
    shown: u64,
    result: Result<(), EncodingError>,
}

/// Red, green and blue.
type Pixel = [u8; 3];

impl<'a> Film<'a> {
    fn new(
        bytes: &'a mut Vec<u8>,
        every: u32,
        captions: Vec<String>,
    ) -> Result<Self, EncodingError> {
        let (width, mut height) = Vm::<()>::PICTURE_SIZE;
        if !captions.is_empty() {
            height += caption::HEIGHT as u16;
        }
        let mut encoder = Encoder::new(bytes, width, height, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self {
            encoder,
            every,
            steps: 0,
            captions,
            rule: None,
            last: Vec::new(),
            pending: None,
            shown: 0,
            result: Ok(()),
        })
    }

    fn step(&mut self, vm: &Vm, rule: Option<usize>) {
        self.rule = rule.or(self.rule);
        if self.steps.is_multiple_of(self.every.into()) {
            let mut picture = vm.picture();
            let rule = self.rule.take().map_or(0, |rule| rule + 1);
            if let Some(text) = self.captions.get(rule) {
                let width = usize::from(Vm::<()>::PICTURE_SIZE.0);
                picture.extend(caption::draw(text, width));
            }
            if let Some(frame) = changed(&self.last, &picture) {
                self.write_pending();
                self.pending = Some((frame, 0));
                self.last = picture;
            }
        }
        self.steps += 1;
        if let Some((_, shown)) = &mut self.pending {
            *shown += 1;
        }
    }

    fn write_pending(&mut self) {
        let Some((mut frame, steps)) = self.pending.take() else { return };
        // The unit of the format is a hundredth of a second. Times are rounded instead of delays, so
        // that errors do not add up.
        let time = |steps: u64| steps.saturating_mul(100) / u64::from(STEPS_PER_SECOND);
        let before = time(self.shown);
        self.shown += u64::from(steps);
        frame.delay = (time(self.shown) - before).try_into().unwrap_or(u16::MAX);
        if self.result.is_ok() {
            self.result = self.encoder.write_frame(&frame);
        }
    }

    /// Writes the last picture and returns the number of steps.
    fn end(mut self) -> Result<u64, EncodingError> {
        self.write_pending();
        self.result.map(|()| self.steps)
    }
}

/// The box of the pixels in which a picture differs from the previous picture.
fn changed(before: &[Pixel], picture: &[Pixel]) -> Option<Frame<'static>> {
    let width = usize::from(Vm::<()>::PICTURE_SIZE.0);
    let pixels = picture.iter().enumerate();
    let mut sides: Option<[usize; 4]> = None;
    for (at, _) in pixels.filter(|&(at, pixel)| before.get(at) != Some(pixel)) {
        let (x, y) = (at % width, at / width);
        let [left, top, right, bottom] = sides.unwrap_or([x, y, x, y]);
        sides = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
    }
    let [left, top, right, bottom] = sides?;
    let rows = picture.chunks(width).take(bottom + 1).skip(top);
    let bytes: Vec<u8> = rows.flat_map(|row| row[left..=right].as_flattened()).copied().collect();
    // The conversion is exact, because the width and height of a picture are less than 2^16.
    let [left, top, right, bottom] = [left, top, right, bottom].map(|side| side as u16);
    let mut frame = Frame::from_rgb_speed(right - left + 1, bottom - top + 1, &bytes, SPEED);
    (frame.left, frame.top) = (left, top);
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_animation_has_the_speed_of_scratch() {
        let mut bytes = Vec::new();
        let mut film = Film::new(&mut bytes, 1, Vec::new()).unwrap();
        for _ in 0..30 {
            film.pending = Some((Frame::from_rgb(1, 1, &[0, 0, 0]), 1));
            film.write_pending();
        }
        film.end().unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&*bytes).unwrap();
        let mut time = 0;
        while let Some(frame) = decoder.next_frame_info().unwrap() {
            time += u32::from(frame.delay);
        }
        assert_eq!(time, 100);
    }
}
