//! Multiple testing: p-values that are corrected for the size of their family.

use super::Unavailable;

/// Holm's step-down correction, which bounds the family-wise error rate. The results are in the
/// order of the p-values.
///
/// # Errors
/// [`Unavailable::NotANumber`] if a p-value is not in 0..=1.
pub fn holm(p: &[f64]) -> Result<Vec<f64>, Unavailable> {
    let order = ascending(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut floor = 0.0_f64;
    for (index, &i) in order.iter().enumerate() {
        floor = floor.max((p.len() - index) as f64 * p[i]).min(1.0);
        adjusted[i] = floor;
    }
    Ok(adjusted)
}

/// Benjamini and Hochberg's step-up correction, which bounds the false discovery rate. The results
/// are in the order of the p-values.
///
/// # Errors
/// [`Unavailable::NotANumber`] if a p-value is not in 0..=1.
pub fn benjamini_hochberg(p: &[f64]) -> Result<Vec<f64>, Unavailable> {
    let order = ascending(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut ceiling = 1.0_f64;
    for (index, &i) in order.iter().enumerate().rev() {
        ceiling = ceiling.min(p[i] * p.len() as f64 / (index + 1) as f64);
        adjusted[i] = ceiling;
    }
    Ok(adjusted)
}

fn ascending(p: &[f64]) -> Result<Vec<usize>, Unavailable> {
    if p.iter().any(|p| !(0.0..=1.0).contains(p)) {
        return Err(Unavailable::NotANumber);
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_of_three() {
        assert_eq!(holm(&[0.5, 0.0625, 0.25]).unwrap(), [0.5, 0.1875, 0.5]);
        assert_eq!(benjamini_hochberg(&[0.5, 0.0625, 0.25]).unwrap(), [0.5, 0.1875, 0.375]);
        assert_eq!(holm(&[]).unwrap(), [0.0; 0]);
        assert_eq!(holm(&[f64::NAN]), Err(Unavailable::NotANumber));
        assert_eq!(benjamini_hochberg(&[1.5]), Err(Unavailable::NotANumber));
    }
}
