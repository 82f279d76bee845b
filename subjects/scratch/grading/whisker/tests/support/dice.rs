//! Fuzzing with random scripts, which must end without a panic and have the same result in two
//! executions.

use std::time::{Duration, Instant};

use catherd_scratch_vm::Random;

pub(crate) struct Dice(Random);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Random::arc4(&format!("{seed}").encode_utf16().collect::<Vec<_>>()))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.0.draw() * n as f64) as usize
    }

    pub(crate) fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    /// Damages one in four scripts at up to three positions, and leaves the other scripts
    /// unchanged.
    fn damaged(&mut self, text: &str) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..if self.below(4) == 0 { 1 + self.below(3) } else { 0 } {
            let (from, to) = (self.below(letters.len()), self.below(letters.len()));
            match self.below(3) {
                0 => letters.swap(from, to),
                1 => drop(letters.remove(from)),
                _ => letters.insert(from, letters[to]),
            }
        }
        letters.into_iter().collect()
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// For `CATHERD_FUZZ_SECONDS` seconds, creates a script for each seed, beginning with
/// `CATHERD_FUZZ_SEED`, and executes it twice. Both executions must have the same result; an error
/// means that the script cannot be loaded.
pub(crate) fn fuzz(
    mut script: impl FnMut(&mut Dice) -> String,
    mut execute: impl FnMut(u64, &str) -> Result<String, String>,
) {
    let end = Instant::now() + Duration::from_secs(number("CATHERD_FUZZ_SECONDS", 60));
    let first = number("CATHERD_FUZZ_SEED", 1);
    let (mut seed, mut loaded) = (first, 0);
    while Instant::now() < end {
        let mut dice = Dice::new(seed);
        let text = script(&mut dice);
        let text = dice.damaged(&text);
        // The last line of the output is the seed with which a script panics or does not end.
        println!("seed {seed}");
        let outcome = execute(seed, &text);
        loaded += u64::from(outcome.is_ok());
        assert_eq!(execute(seed, &text), outcome, "seed {seed}:\n{text}");
        seed += 1;
    }
    println!("{} scripts, of which {loaded} were loaded", seed - first);
    assert!(loaded > 0);
}
