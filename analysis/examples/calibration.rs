//! Checks of the statistics on simulated studies whose truth is known, and of the estimators of
//! reachable goals on studies whose reachable goals are known. `docs/measurements/statistics.md` has the
//! results.
//!
//! ```text
//! cargo run --release -p catherd-analysis --example calibration intervals 2000
//! cargo run --release -p catherd-analysis --example calibration stopping 10000
//! cargo run --release -p catherd-analysis --example calibration estimators 1000
//! cargo run --release -p catherd-analysis --example calibration models RESULTS...
//! cargo run --release -p catherd-analysis --example calibration tenfold SMALL LARGE
//! cargo run --release -p catherd-analysis --example calibration replay RESULTS MARGIN
//! ```

#![allow(clippy::print_stdout, reason = "the program prints its results")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use catherd_analysis::comparison::Samples;
use catherd_analysis::findings::{Decision, Looks, MARGIN, Round, Sequential, Verdict};
use catherd_analysis::stats::{Estimator, Incidence, Interval, MeanPosterior, t_interval};
use catherd_analysis::tidy::Results;
use catherd_experiments::Stop;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["intervals", studies] => intervals(studies.parse()?),
        ["stopping", studies] => stopping(studies.parse()?),
        ["estimators", assemblages] => estimators(assemblages.parse()?),
        ["models", ref folders @ ..] if !folders.is_empty() => models(folders)?,
        ["tenfold", small, large] => tenfold(small, large)?,
        ["replay", folder, margin] => replay(folder, margin.parse()?)?,
        _ => return Err("name a check, as the comment of the example says".into()),
    }
    Ok(())
}

struct Random(ChaCha8Rng);

impl Random {
    fn new(seed: u64, stream: u64) -> Random {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Random(rng)
    }

    fn uniform(&mut self) -> f64 {
        (self.0.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64 + 1e-17
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(self.uniform())).sqrt();
        radius * libm::cos(2.0 * std::f64::consts::PI * self.uniform())
    }

    fn below(&mut self, n: u64) -> usize {
        self.0.random_range(0..n) as usize
    }
}

/// A simulated world: how projects and runs vary.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    projects: usize,
    seeds: usize,
    /// Standard deviations of the effects of projects and of the runs.
    between: f64,
    within: f64,
    /// Whether values end at 1, as coverage does.
    bounded: bool,
}

const WORLDS: [World; 5] = [
    World {
        name: "14 projects, 5 seeds",
        projects: 14,
        seeds: 5,
        between: 0.05,
        within: 0.08,
        bounded: false,
    },
    World {
        name: "14 projects, 30 seeds",
        projects: 14,
        seeds: 30,
        between: 0.05,
        within: 0.08,
        bounded: false,
    },
    World {
        name: "130 projects, 10 seeds",
        projects: 130,
        seeds: 10,
        between: 0.05,
        within: 0.08,
        bounded: false,
    },
    World {
        name: "8 projects, 10 seeds",
        projects: 8,
        seeds: 10,
        between: 0.02,
        within: 0.15,
        bounded: false,
    },
    World {
        name: "60 projects, 10 seeds, values end at 1",
        projects: 60,
        seeds: 10,
        between: 0.05,
        within: 0.08,
        bounded: true,
    },
];

impl World {
    /// The mean coverages of algorithms on projects: by project, then algorithm.
    fn draw(&self, effects: &[f64], seeds: usize, random: &mut Random) -> Vec<Vec<f64>> {
        (0..self.projects)
            .map(|_| {
                let ease = 0.8 + 0.15 * random.normal();
                effects
                    .iter()
                    .map(|effect| {
                        let place = ease + effect + self.between * random.normal();
                        let run = |random: &mut Random| {
                            let value = place + self.within * random.normal();
                            if self.bounded { value.clamp(0.0, 1.0) } else { value }
                        };
                        (0..seeds).map(|_| run(random)).sum::<f64>() / seeds as f64
                    })
                    .collect()
            })
            .collect()
    }

    /// The true difference of the means of two algorithms.
    fn truth(&self, effects: &[f64]) -> f64 {
        if !self.bounded {
            return effects[0] - effects[1];
        }
        let mut random = Random::new(99, 0);
        let big = World { projects: 200_000, ..*self };
        let blocks = big.draw(effects, 1, &mut random);
        blocks.iter().map(|block| block[0] - block[1]).sum::<f64>() / blocks.len() as f64
    }
}

fn share(count: usize, all: usize) -> String {
    format!("{:.1} %", 100.0 * count as f64 / all as f64)
}

fn intervals(studies: u64) {
    println!("| studies | covers the truth | width of twice the seeds | by theory |");
    println!("| --- | --- | --- | --- |");
    for world in WORLDS {
        let effects = [0.02, 0.0];
        let truth = world.truth(&effects);
        let width = |interval: Interval| interval.high - interval.low;
        let one = |study: u64| {
            let mut random = Random::new(1, study);
            let mut of = |seeds: usize| {
                let blocks = world.draw(&effects, seeds, &mut random);
                let differences: Vec<f64> = blocks.iter().map(|b| b[0] - b[1]).collect();
                t_interval(&differences, 0.95).map(|found| found.1)
            };
            let (own, double) = (of(world.seeds).ok()?, of(2 * world.seeds).ok()?);
            Some((own.low <= truth && truth <= own.high, width(own), width(double)))
        };
        let found: Vec<_> = (0..studies).into_par_iter().filter_map(one).collect();
        let covered = found.iter().filter(|one| one.0).count();
        let sum = |of: fn(&(bool, f64, f64)) -> f64| found.iter().map(of).sum::<f64>();
        let ratio = sum(|one| one.2) / sum(|one| one.1);
        let variance = |seeds: usize| {
            2.0 * (world.between * world.between + world.within * world.within / seeds as f64)
        };
        let theory = if world.bounded {
            "n/a".to_owned()
        } else {
            format!("{:.3}", (variance(2 * world.seeds) / variance(world.seeds)).sqrt())
        };
        println!("| {} | {} | {ratio:.3} | {theory} |", world.name, share(covered, found.len()));
    }
    println!("\n| P(best) stated | studies | first is best |\n| --- | --- | --- |");
    // The true effects are drawn as well, so that the probabilities can be compared with frequencies.
    let world = WORLDS[0];
    let one = |study: u64| {
        let mut random = Random::new(2, study);
        let effects: Vec<f64> = (0..3).map(|_| 0.03 * random.normal()).collect();
        let blocks = world.draw(&effects, world.seeds, &mut random);
        let posterior = MeanPosterior::over_blocks(&blocks).ok()?;
        let best = (0..3).all(|other| effects[other] <= effects[0]);
        Some((posterior.best()[0], best))
    };
    let found: Vec<(f64, bool)> = (0..studies).into_par_iter().filter_map(one).collect();
    for decile in 0..10 {
        let (low, high) = (f64::from(decile) / 10.0, f64::from(decile + 1) / 10.0);
        let own = found.iter().filter(|one| one.0 >= low && (one.0 < high || decile == 9));
        let own: Vec<_> = own.collect();
        let stated = own.iter().map(|one| one.0).sum::<f64>() / own.len().max(1) as f64;
        let best = own.iter().filter(|one| one.1).count();
        println!("| {:.1} % | {} | {} |", 100.0 * stated, own.len(), share(best, own.len().max(1)));
    }
}

/// A round of coverage: by algorithm, then project.
fn round(places: &[Vec<f64>], kind: u32, random: &mut Random) -> Round {
    let run = |place: f64, random: &mut Random| match kind {
        // Coverage near its end, with a long tail.
        0 => (place + 0.1 * random.normal()).clamp(0.0, 1.0),
        // Few distinct values.
        1 => (10.0 * (place + 0.1 * random.normal())).round().clamp(0.0, 10.0) / 10.0,
        // All or nothing.
        _ => f64::from(u8::from(random.uniform() < place.clamp(0.05, 0.95))),
    };
    places.iter().map(|own| own.iter().map(|&place| Some(run(place, random))).collect()).collect()
}

const STOP: Stop = Stop { margin: MARGIN, first: 5, every: 1 };

/// Studies of algorithms that do not differ, looked at after every seed.
fn stopping(studies: u64) {
    println!(
        "| projects | algorithms | coverage | studies | some false difference in 26 looks | all equivalent | runs saved |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (projects, algorithms, kind, words) in [
        (14, 3, 0, "continuous, ends at 1"),
        (14, 7, 0, "continuous, ends at 1"),
        (14, 3, 1, "eleven values"),
        (1, 3, 1, "eleven values"),
        (3, 3, 2, "all or nothing"),
        (130, 3, 0, "continuous, ends at 1"),
    ] {
        let first = Sequential::new(algorithms, Looks::of_stop(STOP, 30));
        let one = |study: u64, first: &Sequential| {
            let mut random = Random::new(7, study);
            let places: Vec<f64> = (0..projects).map(|_| 0.85 + 0.1 * random.normal()).collect();
            let places = vec![places; algorithms];
            let mut found = first.restarted();
            let mut runs = 0;
            for _ in 1..=30 {
                runs += found.active().len();
                found.push(&round(&places, kind, &mut random));
            }
            let verdicts = verdicts(&found, algorithms);
            let wrong = |verdict: &Verdict| matches!(verdict, Verdict::Better | Verdict::Worse);
            let equivalent = verdicts.iter().all(|verdict| *verdict == Verdict::Equivalent);
            ((verdicts.iter().any(wrong), equivalent, runs), found)
        };
        // What a study computes about the looks serves the others.
        let first = (0..5).fold(first, |known, study| one(study, &known).1);
        let all = (0..studies).into_par_iter().map(|study| one(study, &first).0);
        let found: Vec<(bool, bool, usize)> = all.collect();
        let wrong = found.iter().filter(|one| one.0).count();
        let equivalent = found.iter().filter(|one| one.1).count();
        let runs: usize = found.iter().map(|one| one.2).sum();
        let all = found.len() * 30 * algorithms;
        println!(
            "| {projects} | {algorithms} | {words} | {studies} | {} | {} | {} |",
            share(wrong, found.len()),
            share(equivalent, found.len()),
            share(all - runs, all)
        );
    }
}

/// The verdicts on all pairs, in a fixed order.
fn verdicts(found: &Sequential, algorithms: usize) -> Vec<Verdict> {
    let pairs = (1..algorithms).flat_map(|first| (0..first).map(move |second| (first, second)));
    pairs.filter_map(|(first, second)| Some(found.pair(first, second)?.verdict)).collect()
}

/// Sums of an estimator over assemblages.
#[derive(Clone, Copy, Default)]
struct Score {
    assemblages: usize,
    /// Assemblages in which some goal is left.
    open: usize,
    covered: usize,
    covered_open: usize,
    bias: f64,
    error: f64,
}

impl Score {
    fn add(&mut self, value: f64, interval: Interval, truth: f64, seen: f64) {
        let inside = interval.low <= truth + 1e-9 && truth <= interval.high + 1e-9;
        self.assemblages += 1;
        self.covered += usize::from(inside);
        if truth > seen {
            self.open += 1;
            self.covered_open += usize::from(inside);
            self.bias += (value - truth) / truth;
            self.error += ((value - truth) / truth).abs();
        }
    }

    fn line(&self, name: &str) {
        let open = self.open.max(1) as f64;
        println!(
            "| {name} | {} | {} | {} | {} | {:+.1} % | {:.1} % |",
            self.assemblages,
            share(self.covered, self.assemblages.max(1)),
            self.open,
            share(self.covered_open, self.open.max(1)),
            100.0 * self.bias / open,
            100.0 * self.error / open
        );
    }
}

const HEAD: &str = "| estimator | sets of goals | interval covers | with goals left | covers there | bias | error |\n\
                    | --- | --- | --- | --- | --- | --- | --- |";

/// Judges all estimators on sets of goals: runs, runs that cover each goal, and reachable goals.
fn judge(sets: &[(u64, Vec<u64>, u64)]) {
    println!("{HEAD}");
    for estimator in Estimator::ALL {
        let mut score = Score::default();
        for (runs, covering, truth) in sets {
            // The number of all goals is not given to the estimator, because it is the truth here.
            let Ok(incidence) = Incidence::new(*runs, 1 << 40, covering.iter().copied()) else {
                continue;
            };
            let found = incidence.reachable(estimator, 0.95);
            score.add(found.value, found.interval, *truth as f64, incidence.observed() as f64);
        }
        score.line(estimator.name());
    }
    let mut score = Score::default();
    for (runs, covering, truth) in sets {
        let seen = covering.iter().filter(|&&count| count > 0).count() as f64;
        if *runs >= 2 {
            score.add(seen, Interval { low: seen, high: seen }, *truth as f64, seen);
        }
    }
    score.line("what all runs cover");
}

fn estimators(count: u64) {
    for (name, spread) in
        [("equal goals", 0.3), ("different goals", 1.0), ("very different goals", 2.0)]
    {
        for runs in [10, 30] {
            println!("\n{name}, {runs} runs\n");
            let one = |number: u64| {
                let mut random = Random::new(11, number);
                let goals = 20 + random.below(200) as u64;
                let centre = -3.0 + 2.0 * random.normal();
                let probability = |random: &mut Random| {
                    1.0 / (1.0 + libm::exp(-(centre + spread * random.normal())))
                };
                let covering: Vec<u64> = (0..goals)
                    .map(|_| {
                        let p = probability(&mut random);
                        (0..runs).filter(|_| random.uniform() < p).count() as u64
                    })
                    .collect();
                (runs, covering, goals)
            };
            let sets: Vec<_> = (0..count).map(one).collect();
            judge(&sets);
        }
    }
}

/// Judges estimators on studies of kinds that only name reachable goals.
fn models(folders: &[&str]) -> Result<(), Box<dyn Error>> {
    // By number of runs and algorithm: for each model the arguments of `judge`.
    let mut sets = BTreeMap::<_, Vec<_>>::new();
    for folder in folders {
        let results = Results::read(Path::new(folder))?;
        for set in results.goals()? {
            for label in &results.algorithms {
                let Some((runs, covering)) = set.covering_of(label) else { continue };
                let goals = set.goals.len() as u64;
                sets.entry((runs, label.clone())).or_default().push((runs, covering, goals));
            }
        }
    }
    for ((runs, label), sets) in sets {
        println!("\n{label}, {runs} runs, {} models\n", sets.len());
        judge(&sets);
    }
    Ok(())
}

/// Compares what ten times as many runs are estimated to cover with what runs with ten times the
/// budget cover.
fn tenfold(small: &str, large: &str) -> Result<(), Box<dyn Error>> {
    let (small, large) = (Results::read(Path::new(small))?, Results::read(Path::new(large))?);
    let (before, after) = (small.goals()?, large.goals()?);
    println!(
        "| algorithm | projects | by one run | predicted for ten times the budget | found | mean error | interval contains it |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for label in &small.algorithms {
        let (mut projects, mut inside) = (0, 0);
        let (mut one, mut predicted, mut found, mut error) = (0.0, 0.0, 0.0, 0.0);
        for set in &before {
            let same = after
                .iter()
                .find(|other| other.digest == set.digest && other.criterion == set.criterion);
            let Some(other) = same else { continue };
            let (Some((runs, covering)), Some((more, later))) =
                (set.covering_of(label), other.covering_of(label))
            else {
                continue;
            };
            let goals = covering.len() as u64;
            let mean = covering.iter().sum::<u64>() as f64 / runs as f64;
            let truth = later.iter().sum::<u64>() as f64 / more as f64;
            let incidence = Incidence::new(runs, goals, covering)?;
            // Ten independent runs cover what one run with ten times the budget covers.
            let (value, interval) = if runs >= 10 {
                let value = incidence.interpolated(10);
                let draws: Vec<f64> = incidence.interpolated_draws(10, 1);
                (value, Interval { low: draws[4], high: draws[draws.len() - 5] })
            } else {
                let estimate = incidence.extrapolated(10.0 / runs as f64, 0.95, 1);
                (estimate.value, estimate.interval)
            };
            projects += 1;
            inside += usize::from(interval.low - 0.5 <= truth && truth <= interval.high + 0.5);
            one += mean;
            predicted += value;
            found += truth;
            error += (value - truth).abs() / goals as f64;
        }
        println!(
            "| {label} | {projects} | {one:.0} | {predicted:.0} | {found:.0} | {:.1} % of the goals | {} |",
            100.0 * error / f64::from(projects.max(1)),
            share(inside, projects.max(1) as usize)
        );
    }
    Ok(())
}

/// Repeats a finished study seed by seed: the seeds after which each algorithm ends, and whether the
/// verdicts are those of all seeds, without looks before the last.
fn replay(folder: &str, margin: f64) -> Result<(), Box<dyn Error>> {
    let results = Results::read(Path::new(folder))?;
    let (algorithms, projects) = (results.algorithms.len(), results.projects.len());
    let mut seeds = BTreeMap::new();
    for run in &results.runs {
        let round = seeds.entry(run.seed).or_insert_with(|| vec![vec![None; projects]; algorithms]);
        round[run.algorithm as usize][run.project as usize] = run.coverage();
    }
    let rounds: Vec<Round> = seeds.into_values().collect();
    let stop = Stop { margin, ..STOP };
    let none = Sequential::new(algorithms, Looks::of_stop(stop, rounds.len()));
    let (stopped, ends) = stopped(&rounds, algorithms, &none);
    let whole = fixed(&rounds, algorithms, margin);
    let all = algorithms * rounds.len();
    println!(
        "{folder}: {} fewer runs than {} seeds",
        share(all - ends.iter().sum::<usize>(), all),
        rounds.len()
    );
    for (label, end) in results.algorithms.iter().zip(&ends) {
        println!("- {label}: {end} seeds");
    }
    println!(
        "| pair | when stopped | after seeds | with all seeds | by the Wilcoxon rule |\n| --- | --- | --- | --- | --- |"
    );
    for one in Decision::pairs(&Samples::coverage(&results), None) {
        let [early, late] = [&stopped, &whole].map(|found| found.pair(one.first, one.second));
        let (Some(early), Some(late)) = (early, late) else { continue };
        println!(
            "| {} against {} | {} | {} | {} | {} |",
            results.algorithms[one.first],
            results.algorithms[one.second],
            early.verdict,
            early.rounds,
            late.verdict,
            one.verdict
        );
    }
    resampled(&rounds, algorithms, &stopped);
    Ok(())
}

/// The comparisons of rounds that end when they are decided, and the seeds of each algorithm.
fn stopped(rounds: &[Round], algorithms: usize, none: &Sequential) -> (Sequential, Vec<usize>) {
    let mut found = none.restarted();
    let mut ends = vec![0; algorithms];
    for round in rounds {
        found.active().into_iter().for_each(|algorithm| ends[algorithm] += 1);
        found.push(round);
    }
    (found, ends)
}

/// The comparisons of all rounds, without looks before the last.
fn fixed(rounds: &[Round], algorithms: usize, margin: f64) -> Sequential {
    let looks = Looks { margin, after: vec![rounds.len()], gives_up: false };
    let mut found = Sequential::new(algorithms, looks);
    rounds.iter().for_each(|round| found.push(round));
    found
}

/// Repeats studies whose runs are drawn with replacement from those of a study.
fn resampled(rounds: &[Round], algorithms: usize, none: &Sequential) {
    const STUDIES: u64 = 1_000;
    let one = |study: u64| {
        let mut random = Random::new(13, study);
        let mut drawn = rounds.to_vec();
        for round in &mut drawn {
            for (algorithm, own) in round.iter_mut().enumerate() {
                for (project, value) in own.iter_mut().enumerate() {
                    *value = rounds[random.below(rounds.len() as u64)][algorithm][project];
                }
            }
        }
        let (stopped, ends) = stopped(&drawn, algorithms, none);
        let (early, late) = (
            verdicts(&stopped, algorithms),
            verdicts(&fixed(&drawn, algorithms, none.margin()), algorithms),
        );
        let differ = early.iter().zip(&late).filter(|(one, other)| one != other).count();
        (ends.iter().sum::<usize>(), differ, early.len())
    };
    let found: Vec<_> = (0..STUDIES).into_par_iter().map(one).collect();
    let all = found.len() * algorithms * rounds.len();
    let runs: usize = found.iter().map(|one| one.0).sum();
    let (differ, pairs) =
        (found.iter().map(|one| one.1).sum(), found.iter().map(|one| one.2).sum());
    println!(
        "\n{STUDIES} studies drawn from its runs: {} fewer runs, {} of pairs have another verdict",
        share(all - runs, all),
        share(differ, pairs)
    );
}
