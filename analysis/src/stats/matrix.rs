//! Cholesky factors of small symmetric matrices, with which systems of linear equations are solved.

/// Pivots below this share of the largest diagonal element count as 0.
const NEGLIGIBLE: f64 = 1e-12;

/// The lower triangular matrix L for which L Lᵀ equals a matrix without negative eigenvalues. The
/// column of a variable that depends linearly on earlier variables is 0.
pub(super) fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut factor = vec![vec![0.0; matrix.len()]; matrix.len()];
    let largest = (0..matrix.len()).map(|at| matrix[at][at]).fold(0.0, f64::max);
    for row in 0..matrix.len() {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
            let rest = matrix[row][column] - known;
            factor[row][column] = match factor[column][column] {
                _ if row == column && rest <= NEGLIGIBLE * largest => 0.0,
                _ if row == column => rest.sqrt(),
                pivot if pivot > 0.0 => rest / pivot,
                _ => 0.0,
            };
        }
    }
    factor
}

/// The solution x of L Lᵀ x = y, for a factor without zeros on the diagonal.
pub(super) fn solve(factor: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    solve_transposed(factor, &solve_lower(factor, y))
}

/// The solution x of L x = y; 0 for variables whose pivot is 0.
pub(super) fn solve_lower(factor: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let mut x = y.to_vec();
    for row in 0..x.len() {
        let known: f64 = (0..row).map(|k| factor[row][k] * x[k]).sum();
        let pivot = factor[row][row];
        x[row] = if pivot > 0.0 { (x[row] - known) / pivot } else { 0.0 };
    }
    x
}

/// The solution x of Lᵀ x = y, for a factor without zeros on the diagonal.
pub(super) fn solve_transposed(factor: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let mut x = y.to_vec();
    for row in (0..x.len()).rev() {
        let known: f64 = (row + 1..x.len()).map(|k| factor[k][row] * x[k]).sum();
        x[row] = (x[row] - known) / factor[row][row];
    }
    x
}

pub(super) fn times(factor: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    factor.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_their_equations() {
        let matrix = vec![vec![4.0, 2.0, 2.0], vec![2.0, 5.0, 3.0], vec![2.0, 3.0, 6.0]];
        let factor = cholesky(&matrix);
        let x = solve(&factor, &[8.0, 10.0, 11.0]);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-12), "{x:?}");
        assert_eq!(times(&factor, &solve_lower(&factor, &[8.0, 10.0, 11.0])), [8.0, 10.0, 11.0]);
    }

    #[test]
    fn equal_variables_have_a_factor() {
        let factor = cholesky(&[vec![2.0, 2.0, 1.0], vec![2.0, 2.0, 1.0], vec![1.0, 1.0, 3.0]]);
        assert!(factor[1][1] == 0.0 && (factor[1][0] - factor[0][0]).abs() < 1e-12);
        assert_eq!(factor[2][1], 0.0);
        assert!(solve_lower(&factor, &[1.0, 1.0, 1.0]).iter().all(|x| x.is_finite()));
    }
}
