//! Measures the statistics of Table 6 for a study as large as the study in the Whisker paper.

use catherd_analysis::stats::{MannWhitney, PValue};
use divan::Bencher;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

fn main() {
    divan::main();
}

/// Fewer distinct values mean more ties.
fn samples(distinct: u32) -> Vec<[Vec<f64>; 3]> {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut sample = || {
        (0..20).map(|_| f64::from(rng.random_range(0..distinct)) / f64::from(distinct)).collect()
    };
    (0..1000).map(|_| [sample(), sample(), sample()]).collect()
}

fn table(samples: &[[Vec<f64>; 3]], p: impl Fn(&MannWhitney) -> PValue + Sync) -> f64 {
    let project = |[random, mosa, mio]: &[Vec<f64>; 3]| -> f64 {
        [(mosa, random), (mio, random), (mio, mosa)]
            .iter()
            .filter_map(|(x, y)| {
                let test = MannWhitney::new(x, y).ok()?;
                Some(p(&test).value + test.a12_interval(0.95).map_or(0.0, |i| i.low))
            })
            .sum()
    };
    samples.par_iter().map(project).sum()
}

#[divan::bench(args = [2, 10, 40, 1_000_000], sample_count = 5)]
fn exact(bencher: Bencher<'_, '_>, distinct: u32) {
    let samples = samples(distinct);
    bencher.bench(|| table(&samples, MannWhitney::p));
}

#[divan::bench(args = [2, 10, 40, 1_000_000], sample_count = 5)]
fn asymptotic(bencher: Bencher<'_, '_>, distinct: u32) {
    let samples = samples(distinct);
    bencher.bench(|| table(&samples, MannWhitney::asymptotic));
}
