//! The posterior of the means over projects of several algorithms whose true means are regarded as
//! draws from a normal distribution with an unknown mean and standard deviation (the hierarchical
//! model of Gelman, 2006, with a flat prior on the standard deviation).
//!
//! The posterior is drawn by Gibbs sampling.

use super::matrix::{cholesky, solve, solve_transposed, times};
use super::posterior::{MeanPosterior, Normals};
use super::{Unavailable, finite, mean, treatments};

const THINNING: usize = 5;

const WARM_UP: usize = 500;

/// Share of the mean variance that is added to each variance, because the covariance matrix may be
/// singular.
const RIDGE: f64 = 1e-9;

const SEED: u64 = 47;

impl MeanPosterior {
    /// The means over blocks, such as projects, of treatments whose true means are regarded as
    /// draws from a normal distribution. If this distribution cannot be estimated, the result
    /// equals the result of [`MeanPosterior::over_blocks`].
    ///
    /// # Errors
    /// [`Unavailable`] if the posterior does not exist for these blocks.
    pub fn exchangeable<B: AsRef<[f64]> + Sync>(
        blocks: &[B],
    ) -> Result<MeanPosterior, Unavailable> {
        let count = treatments(blocks, 1)?;
        let found = blocks.len();
        if found < 2 {
            return Err(Unavailable::TooFew { needed: 2, found });
        }
        blocks.iter().try_for_each(|block| finite(block.as_ref()))?;
        let same = |one: usize, other: usize| {
            blocks.iter().all(|block| block.as_ref()[one] == block.as_ref()[other])
        };
        let mut different: Vec<usize> = Vec::new();
        let mut places = Vec::with_capacity(count);
        for treatment in 0..count {
            let known = different.iter().position(|&one| same(one, treatment));
            places.push(known.unwrap_or(different.len()));
            if known.is_none() {
                different.push(treatment);
            }
        }
        let values: Vec<Vec<f64>> = blocks
            .iter()
            .map(|block| different.iter().map(|&one| block.as_ref()[one]).collect())
            .collect();
        let Some(drawn) = draws(&values) else { return MeanPosterior::over_blocks(blocks) };
        let means =
            (0..count).filter_map(|t| mean(blocks.iter().map(|block| block.as_ref()[t]))).collect();
        let expanded = |draw: Vec<f64>| places.iter().map(|&place| draw[place]).collect();
        Ok(MeanPosterior::of_draws(means, drawn.into_iter().map(expanded).collect()))
    }
}

/// The orthonormal contrasts of values (Helmert): the scaled deviation of each value after the
/// first from the mean of the values before it.
fn contrasts(values: &[f64]) -> Vec<f64> {
    let mut sum = values[0];
    let mut found = Vec::with_capacity(values.len() - 1);
    for (before, value) in (1_u32..).zip(&values[1..]) {
        let n = f64::from(before);
        found.push((n * value - sum) / (n * (n + 1.0)).sqrt());
        sum += value;
    }
    found
}

/// The values with these contrasts and the mean 0.
fn values_of(contrasts: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; contrasts.len() + 1];
    for (before, contrast) in (1_usize..).zip(contrasts) {
        let n = before as f64;
        let unit = contrast / (n * (n + 1.0)).sqrt();
        values[before] += n * unit;
        values[..before].iter_mut().for_each(|value| *value -= unit);
    }
    values
}

fn draws(blocks: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let size = blocks[0].len().checked_sub(1).filter(|size| *size >= 2)?;
    let (all, freedom) = (blocks.len() as f64, (blocks.len() - 1) as f64);
    let rows: Vec<Vec<f64>> = blocks.iter().map(|block| contrasts(block)).collect();
    let observed: Vec<f64> =
        (0..size).filter_map(|at| mean(rows.iter().map(|row| row[at]))).collect();
    let covariance = |one: usize, other: usize| {
        let product = |row: &Vec<f64>| (row[one] - observed[one]) * (row[other] - observed[other]);
        rows.iter().map(product).sum::<f64>() / (all * freedom)
    };
    let mut errors: Vec<Vec<f64>> =
        (0..size).map(|one| (0..size).map(|other| covariance(one, other)).collect()).collect();
    let variance = (0..size).map(|at| errors[at][at]).sum::<f64>() / size as f64;
    if variance == 0.0 {
        return None;
    }
    (0..size).for_each(|at| errors[at][at] += RIDGE * variance);
    let factor = cholesky(&errors);
    let unit = |at: usize| (0..size).map(|k| f64::from(u8::from(k == at))).collect::<Vec<_>>();
    let precision: Vec<Vec<f64>> = (0..size).map(|at| solve(&factor, &unit(at))).collect();
    let pull = times(&precision, &observed);
    let mut rng = Normals::new(SEED, 0);
    let (mut effects, mut scale) = (observed.clone(), 1.0);
    let mut kept = Vec::with_capacity(MeanPosterior::DRAWS as usize);
    for sweep in 1..=WARM_UP + THINNING * MeanPosterior::DRAWS as usize {
        let squares: f64 = effects.iter().map(|effect| effect * effect).sum();
        let between = squares.max(RIDGE * variance) / rng.chi_squared((size - 1) as f64);
        let mut joint: Vec<Vec<f64>> =
            precision.iter().map(|row| row.iter().map(|value| value * scale).collect()).collect();
        (0..size).for_each(|at| joint[at][at] += 1.0 / between);
        let factor = cholesky(&joint);
        let centre = solve(&factor, &pull.iter().map(|value| value * scale).collect::<Vec<_>>());
        let normals: Vec<f64> = (0..size).map(|_| rng.next()).collect();
        let shift = solve_transposed(&factor, &normals);
        effects = centre.iter().zip(&shift).map(|(centre, shift)| centre + shift).collect();
        let miss: Vec<f64> = effects.iter().zip(&observed).map(|(a, b)| a - b).collect();
        let distance: f64 = times(&precision, &miss).iter().zip(&miss).map(|(a, b)| a * b).sum();
        scale = rng.chi_squared(freedom + size as f64) / (freedom + distance);
        if sweep > WARM_UP && sweep % THINNING == 0 {
            kept.push(values_of(&effects));
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_keep_differences() {
        let values = [0.3, 0.9, 0.5, 0.1];
        let again = values_of(&contrasts(&values));
        for (one, other) in values.iter().zip(&again) {
            assert!((one - 0.45 - other).abs() < 1e-12, "{again:?}");
        }
    }

    /// Estimates of large effects hardly change, and estimates of small effects move towards each
    /// other.
    #[test]
    fn effects_are_pulled_together_as_far_as_they_are_uncertain() {
        let blocks = |step: f64| -> Vec<Vec<f64>> {
            let mut rng = Normals::new(3, 0);
            let block = |_| (0..4).map(|t| step * f64::from(t) + 0.1 * rng.next()).collect();
            (0..12).map(block).collect()
        };
        let both = |step: f64| {
            let blocks = blocks(step);
            let flat = MeanPosterior::over_blocks(&blocks).unwrap().best();
            (flat, MeanPosterior::exchangeable(&blocks).unwrap().best())
        };
        let (flat, pulled) = both(1.0);
        assert!(flat[3] > 0.999 && pulled[3] > 0.999, "{flat:?} {pulled:?}");
        let (flat, pulled) = both(0.0);
        let highest = (0..4).max_by(|&a, &b| flat[a].total_cmp(&flat[b])).unwrap();
        assert!(pulled[highest] < flat[highest] && pulled[highest] > 0.25, "{flat:?} {pulled:?}");
        assert!((pulled.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn equal_treatments_share_draws() {
        let blocks: Vec<[f64; 4]> = (0..8)
            .map(|i| {
                let value = f64::from(i * 7 % 5) / 10.0;
                [value, 0.2, value, f64::from(i % 3) / 10.0]
            })
            .collect();
        let posterior = MeanPosterior::exchangeable(&blocks).unwrap();
        assert_eq!(posterior.pair(0, 2, 0.0), (0.5, 1.0));
        assert_eq!(posterior, MeanPosterior::exchangeable(&blocks).unwrap());
        let two: Vec<[f64; 2]> = blocks.iter().map(|b| [b[0], b[3]]).collect();
        assert_eq!(MeanPosterior::exchangeable(&two), MeanPosterior::over_blocks(&two));
    }
}
