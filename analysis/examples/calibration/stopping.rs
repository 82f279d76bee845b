//! Measures how often repeatedly analysed studies find false differences.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use catherd_analysis::comparison::Samples;
use catherd_analysis::findings::{Decision, Looks, MARGIN, Round, Sequential, Verdict};
use catherd_analysis::tidy::Results;
use catherd_experiments::Stop;
use rayon::prelude::*;

use crate::share;
use crate::world::Random;

fn round(places: &[Vec<f64>], kind: u32, random: &mut Random) -> Round {
    let run = |place: f64, random: &mut Random| match kind {
        0 => (place + 0.1 * random.normal()).clamp(0.0, 1.0),
        1 => (10.0 * (place + 0.1 * random.normal())).round().clamp(0.0, 10.0) / 10.0,
        _ => f64::from(u8::from(random.uniform() < place.clamp(0.05, 0.95))),
    };
    places.iter().map(|own| own.iter().map(|&place| Some(run(place, random))).collect()).collect()
}

const STOP: Stop = Stop { margin: MARGIN, first: 5, every: 1 };

pub(crate) fn stopping(studies: u64) {
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
        // Simulate a few studies first, whose bounds the other studies reuse.
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

fn verdicts(found: &Sequential, algorithms: usize) -> Vec<Verdict> {
    let pairs = (1..algorithms).flat_map(|first| (0..first).map(move |second| (first, second)));
    pairs.filter_map(|(first, second)| Some(found.pair(first, second)?.verdict)).collect()
}

pub(crate) fn replay(folder: &str, margin: f64) -> Result<(), Box<dyn Error>> {
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
        "{folder}: {} fewer runs than with {} seeds",
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

fn stopped(rounds: &[Round], algorithms: usize, none: &Sequential) -> (Sequential, Vec<usize>) {
    let mut found = none.restarted();
    let mut ends = vec![0; algorithms];
    for round in rounds {
        found.active().into_iter().for_each(|algorithm| ends[algorithm] += 1);
        found.push(round);
    }
    (found, ends)
}

fn fixed(rounds: &[Round], algorithms: usize, margin: f64) -> Sequential {
    let looks = Looks { margin, after: vec![rounds.len()], gives_up: false };
    let mut found = Sequential::new(algorithms, looks);
    rounds.iter().for_each(|round| found.push(round));
    found
}

/// Runs are drawn with replacement.
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
        "\n{STUDIES} studies drawn from its runs: {} fewer runs, {} of pairs have a different verdict",
        share(all - runs, all),
        share(differ, pairs)
    );
}
