//! Measures mean ranks, detection and speed on the two published systems, and prints the mean ranks
//! next to reference values: `cargo run --release -p catherd-sequences-testing --example reference
//! [SEEDS]`.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::ops::ControlFlow;
use std::time::Instant;

use catherd_sequences_testing::suite::{self, Matrix, Profile, SearchResult, Ties};
use catherd_sequences_testing::systems::{self, Verdict};
use catherd_sequences_testing::{Alphabet, Criterion, Model, Pool, Sampler, Space, Walker};

/// System, criterion and size of suites, and the reference mean ranks of the suites of [`METHODS`].
const RANKS: [(&str, &str, usize, [f64; 6]); 18] = [
    ("abp", "subsequence:2", 5, [96.7, 99.4, 107.5, 113.3, 111.3, 117.0]),
    ("abp", "subsequence:2", 10, [100.4, 102.7, 109.5, 116.2, 114.9, 117.0]),
    ("abp", "subsequence:2", 20, [103.9, 105.0, 111.3, 116.8, 116.1, 117.0]),
    ("abp", "unordered-cube:2", 5, [108.8, 113.5, 121.0, 120.98, 120.7, 121.0]),
    ("abp", "unordered-cube:2", 10, [113.6, 117.4, 121.0, 121.0, 121.0, 121.0]),
    ("abp", "unordered-cube:2", 20, [117.8, 119.2, 121.0, 121.0, 121.0, 121.0]),
    ("abp", "consecutive:2", 5, [52.1, 54.2, 65.8, 74.2, 72.3, 81.5]),
    ("abp", "consecutive:2", 10, [62.3, 64.4, 74.4, 87.2, 84.8, 94.1]),
    ("abp", "consecutive:2", 20, [71.0, 72.9, 81.6, 98.0, 94.9, 101.0]),
    ("abp", "consecutive:3", 5, [132.9, 140.1, 177.4, 214.3, 205.0, 247.0]),
    ("abp", "consecutive:3", 10, [183.3, 190.8, 228.1, 292.2, 281.4, 331.7]),
    ("abp", "consecutive:3", 20, [237.0, 245.4, 280.9, 370.3, 361.4, 421.8]),
    ("moodle", "subsequence:3", 5, [585.6, 604.8, 666.1, 687.7, 681.6, 699.0]),
    ("moodle", "subsequence:3", 10, [621.6, 636.3, 685.7, 696.0, 691.6, 700.0]),
    ("moodle", "subsequence:3", 20, [647.1, 657.9, 696.2, 699.2, 696.3, 700.0]),
    ("moodle", "consecutive:3", 5, [56.1, 58.2, 67.1, 71.2, 70.2, 71.7]),
    ("moodle", "consecutive:3", 10, [84.1, 87.2, 98.9, 111.4, 108.9, 114.9]),
    ("moodle", "consecutive:3", 20, [116.5, 119.6, 132.8, 156.9, 154.1, 166.2]),
];

const METHODS: [&str; 6] = ["unranked", "best of 2", "best of 1000", "ga", "released", "greedy"];

struct System {
    model: Model,
    space: Space,
    alphabet: Alphabet,
    pool: Pool,
}

impl System {
    fn open(name: &str, walks: u64) -> System {
        let start = Instant::now();
        let model = Model::open(&format!("builtin:{name}")).expect("a built-in model");
        let space = Space::explore(&model.program, 1_000_000).expect("a sound model");
        let alphabet = Alphabet::names(model.program.events());
        println!("{name}: explored in {:.1} ms", ms(start));
        let start = Instant::now();
        let walker = Walker::new(&model.program, Some(&space), Sampler::Steps, 1, 1000);
        let pool = walker.map(|w| w.pool(walks, &alphabet)).expect("a sampler of steps");
        let pool = pool.expect("a sound model");
        println!("{name}: {walks} walks, {} distinct, in {:.1} ms", pool.len(), ms(start));
        let mean = pool.steps as f64 / walks as f64;
        println!("{name}: mean length {mean:.2}");
        System { model, space, alphabet, pool }
    }

    fn matrix(&self, text: &str) -> Matrix {
        let none = |_: &str| Err(String::new());
        let criterion = Criterion::parse(text, &self.alphabet, None, None, &none);
        let criterion = criterion.expect("a criterion");
        let start = Instant::now();
        let reachable = criterion.reachable(&self.space, &self.alphabet).expect("a small model");
        let exact = ms(start);
        let start = Instant::now();
        let matrix = Matrix::new(&criterion, &self.pool, None);
        println!(
            "{text}: {} reachable in {exact:.1} ms; {} in the pool, bitsets in {:.1} ms",
            reachable.len(),
            matrix.items().len(),
            ms(start)
        );
        matrix
    }
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

fn go(_: &SearchResult) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn search(method: usize, matrix: &Matrix, size: usize, seed: u64) -> SearchResult {
    let limit = u64::MAX;
    match method {
        0 => suite::unranked(matrix, size, seed, limit, &mut go),
        1 => suite::best_of(matrix, size, 2, seed, limit, &mut go),
        2 => suite::best_of(matrix, size, 1000, seed, limit, &mut go),
        3 => suite::evolve(matrix, size, Profile::Paper, seed, limit, &mut go),
        4 => suite::evolve(matrix, size, Profile::Released, seed, limit, &mut go),
        _ => suite::greedy(matrix, size, Ties::Random, seed, limit, &mut go),
    }
}

fn main() {
    let seeds: u64 = std::env::args().nth(1).and_then(|seeds| seeds.parse().ok()).unwrap_or(300);
    let systems =
        [("abp", System::open("abp", 50_000)), ("moodle", System::open("moodle", 30_000))];
    let mut worst = 0.0_f64;
    let (mut matrix, mut last) = (None, ("", ""));
    for (name, criterion, size, reference) in RANKS {
        let system = &systems.iter().find(|(known, _)| *known == name).expect("two systems").1;
        if last != (name, criterion) {
            matrix = Some(system.matrix(criterion));
            last = (name, criterion);
        }
        let Some(matrix) = &matrix else { continue };
        for (method, reference) in reference.into_iter().enumerate() {
            let repetitions = if method == 5 { seeds.min(100) } else { seeds };
            let start = Instant::now();
            let sum: u64 =
                (1..=repetitions).map(|seed| search(method, matrix, size, seed).best.rank).sum();
            let mean = sum as f64 / repetitions as f64;
            let off = 100.0 * (mean / reference - 1.0);
            let bound = if method == 3 || method == 4 { 2.5 } else { 1.5 };
            worst = worst.max(off.abs() / bound);
            println!(
                "{name} {criterion} {size} {}: {mean:.2} ({reference}, {off:+.2} %), {:.3} ms{}",
                METHODS[method],
                ms(start) / repetitions as f64,
                if off.abs() > bound { " DIFFERS" } else { "" }
            );
        }
    }
    println!("largest difference: {worst:.2} of what is allowed");
    detection(
        &systems[0].1,
        seeds,
        &["subsequence:2", "unordered-cube:2", "consecutive:2", "consecutive:3"],
    );
    detection(&systems[1].1, seeds, &["subsequence:3", "consecutive:3"]);
    let abp = &systems[0].1;
    let start = Instant::now();
    let walker = Walker::new(&abp.model.program, Some(&abp.space), Sampler::Steps, 1, 1000);
    let walks = walker.map(|walker| walker.walks(0..1_000_000));
    if let Ok(Ok((tests, _))) = walks {
        println!("{} walks of abp, {} events, in {:.0} ms", tests.len(), tests.events(), ms(start));
    }
}

/// Prints how often each fault is detected.
fn detection(system: &System, seeds: u64, criteria: &[&str]) {
    let mut suites: Vec<(String, Vec<Vec<u32>>)> = Vec::new();
    for text in criteria {
        let matrix = system.matrix(text);
        for method in [0, 1, 3, 4, 5] {
            let seeds = if method == 5 { seeds.min(50) } else { seeds };
            let found = (1..=seeds).map(|seed| search(method, &matrix, 10, seed).best.suite);
            suites.push((format!("{} {text}", METHODS[method]), found.collect()));
        }
    }
    for fault in &system.model.faults {
        let letter = |of: &Vec<u32>| of.first().and_then(|&event| system.alphabet.letter(event));
        let word: Vec<u32> = fault.word.iter().filter_map(letter).collect();
        let pool = &system.pool;
        let has =
            |test: &u32, apart| systems::contains(&pool.letters[*test as usize], &word, apart);
        let all: Vec<u32> = (0..pool.len() as u32).collect();
        let share = all.iter().filter(|test| has(test, false)).count() as f64 / pool.len() as f64;
        let mut faulty = systems::builtin(&system.model.name, Some(&fault.name)).expect("a system");
        let mut failing = 0;
        let sample = pool.len().min(20_000);
        for test in 0..sample {
            let test = pool.tests.test(test);
            let verdict = systems::execute(&mut *faulty, system.model.program.events(), &test);
            failing += usize::from(!matches!(verdict, Ok(Verdict::Passed)));
        }
        println!(
            "{}: trigger {share:.4} of the pool, replay {:.4}",
            fault.name,
            failing as f64 / sample as f64
        );
        for (label, suites) in &suites {
            let detects = |apart| {
                let found = suites.iter().filter(|suite| suite.iter().any(|t| has(t, apart)));
                found.count() as f64 / suites.len() as f64
            };
            println!(
                "  {label}: trigger {:.3}, trigger-subsequence {:.3}",
                detects(false),
                detects(true)
            );
        }
    }
}
