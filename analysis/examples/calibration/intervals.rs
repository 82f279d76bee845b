//! Measures how often confidence intervals contain the true value, and whether probabilities agree
//! with frequencies.

use catherd_analysis::stats::{Interval, MeanPosterior, TwoLevel, t_interval};
use rayon::prelude::*;

use crate::share;
use crate::world::{Random, WORLDS, World, means};

/// Whether intervals of a simulated study contain the true difference, and their widths with the
/// given number of seeds and with twice as many.
#[derive(Clone, Copy, Default)]
struct Covered {
    /// For the interval from Student's t distribution, and for the interval from the bootstrap over
    /// projects and runs.
    covers: [bool; 2],
    /// Whether the interval from the bootstrap over runs contains the difference on exactly the
    /// drawn projects, in another simulated study.
    covers_here: bool,
    widths: [[f64; 2]; 2],
    width_here: [f64; 2],
}

pub(crate) fn intervals(studies: u64) {
    println!(
        "| studies | t | bootstrap, both levels | bootstrap, runs | t: relative width with twice the seeds | bootstrap | by theory | bootstrap, runs | by theory |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for world in WORLDS {
        let effects = [0.02, 0.0];
        let truth = world.truth(&effects);
        let width = |interval: Interval| interval.high - interval.low;
        let inside =
            |interval: Interval, truth: f64| interval.low <= truth && truth <= interval.high;
        let one = |study: u64| {
            let mut found = Covered::default();
            for (at, seeds) in [world.seeds, 2 * world.seeds].into_iter().enumerate() {
                let mut random = Random::new(1 + at as u64, study);
                let runs = world.runs(&effects, seeds, &mut random);
                let blocks = means(&runs);
                let differences: Vec<f64> = blocks.iter().map(|b| b[0] - b[1]).collect();
                let own = t_interval(&differences, 0.95).ok()?.1;
                let drawn = TwoLevel::new(&runs).ok()?;
                let both = drawn.difference(0, 1, 0.95);
                let here = drawn.difference_here(0, 1, 0.95)?;
                found.widths[0][at] = width(own);
                found.widths[1][at] = width(both);
                found.width_here[at] = width(here);
                if at == 0 {
                    found.covers = [inside(own, truth), inside(both, truth)];
                    found.covers_here = covers_here(&world, study);
                }
            }
            Some(found)
        };
        let found: Vec<Covered> = (0..studies).into_par_iter().filter_map(one).collect();
        let count = |of: &dyn Fn(&Covered) -> bool| {
            share(found.iter().filter(|one| of(one)).count(), found.len())
        };
        let ratio = |of: &dyn Fn(&Covered) -> [f64; 2]| {
            let sum = |at: usize| found.iter().map(|one| of(one)[at]).sum::<f64>();
            sum(1) / sum(0)
        };
        let variance = |seeds: usize| {
            2.0 * (world.between * world.between + world.within * world.within / seeds as f64)
        };
        let theory = if world.bounded {
            "n/a".to_owned()
        } else {
            format!("{:.3}", (variance(2 * world.seeds) / variance(world.seeds)).sqrt())
        };
        println!(
            "| {} | {} | {} | {} | {:.3} | {:.3} | {theory} | {:.3} | 0.707 |",
            world.name,
            count(&|one| one.covers[0]),
            count(&|one| one.covers[1]),
            count(&|one| one.covers_here),
            ratio(&|one| one.widths[0]),
            ratio(&|one| one.widths[1]),
            ratio(&|one| one.width_here),
        );
    }
    reliability(studies);
}

fn covers_here(world: &World, study: u64) -> bool {
    let mut random = Random::new(5, study);
    let mut truth = 0.0;
    let project = |random: &mut Random| {
        let places: Vec<f64> =
            [0.02, 0.0].map(|effect| 0.8 + effect + world.between * random.normal()).to_vec();
        truth += (places[0] - places[1]) / world.projects as f64;
        let runs = |place: &f64| {
            (0..world.seeds).map(|_| place + world.within * random.normal()).collect::<Vec<_>>()
        };
        places.iter().map(runs).collect::<Vec<_>>()
    };
    let mut project = project;
    let runs: Vec<Vec<Vec<f64>>> = (0..world.projects).map(|_| project(&mut random)).collect();
    let found = TwoLevel::new(&runs).ok().and_then(|drawn| drawn.difference_here(0, 1, 0.95));
    found.is_some_and(|found| found.low <= truth && truth <= found.high)
}

/// True effects are drawn at random, because frequencies can only then be compared with
/// probabilities.
fn reliability(studies: u64) {
    for (algorithms, spread) in [(3_usize, 0.03), (3, 0.1), (7, 0.03)] {
        println!(
            "\n{algorithms} algorithms, standard deviation of effects {spread}\n\n\
             | P(best) stated | forecasts | best | flat priors: stated | forecasts | best | \
             bootstrap: stated | forecasts | best |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        );
        let world = WORLDS[0];
        let one = |study: u64| {
            let mut random = Random::new(2, study);
            let effects: Vec<f64> = (0..algorithms).map(|_| spread * random.normal()).collect();
            let runs = world.runs(&effects, world.seeds, &mut random);
            let blocks = means(&runs);
            let stated = [
                MeanPosterior::exchangeable(&blocks).ok()?.best(),
                MeanPosterior::over_blocks(&blocks).ok()?.best(),
                TwoLevel::new(&runs).ok()?.best(),
            ];
            let highest = effects.iter().copied().fold(f64::MIN, f64::max);
            // The probability of each algorithm is a separate forecast.
            let all = (0..algorithms)
                .map(|at| (stated.each_ref().map(|own| own[at]), effects[at] == highest));
            Some(all.collect::<Vec<_>>())
        };
        let found: Vec<([f64; 3], bool)> =
            (0..studies).into_par_iter().filter_map(one).flatten().collect();
        for decile in 0..10 {
            let (low, high) = (f64::from(decile) / 10.0, f64::from(decile + 1) / 10.0);
            let cells: Vec<String> = (0..3)
                .map(|method| {
                    let own = found.iter().filter(|(stated, _)| {
                        stated[method] >= low && (stated[method] < high || decile == 9)
                    });
                    let own: Vec<_> = own.collect();
                    let sum: f64 = own.iter().map(|one| one.0[method]).sum();
                    let best = own.iter().filter(|one| one.1).count();
                    let all = own.len().max(1);
                    format!(
                        "{:.1} % | {} | {}",
                        100.0 * sum / all as f64,
                        own.len(),
                        share(best, all)
                    )
                })
                .collect();
            println!("| {} |", cells.join(" | "));
        }
        let score = |method: usize| {
            let miss = |(stated, best): &([f64; 3], bool)| {
                let miss = stated[method] - f64::from(u8::from(*best));
                miss * miss
            };
            found.iter().map(miss).sum::<f64>() / found.len() as f64
        };
        println!(
            "\nBrier scores: {:.4}, flat priors {:.4}, bootstrap {:.4}",
            score(0),
            score(1),
            score(2)
        );
    }
}
