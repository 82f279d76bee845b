//! A simple [`Test`] for unit tests.

use crate::problem::Test;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    fitness: Vec<f64>,
    length: usize,
}

impl Point {
    pub(crate) fn new(fitness: &[f64], length: usize) -> Self {
        Self { fitness: fitness.to_vec(), length }
    }
}

impl Test for Point {
    fn fitness(&self) -> &[f64] {
        &self.fitness
    }

    fn length(&self) -> usize {
        self.length
    }

    fn same_genes(&self, other: &Self) -> bool {
        self == other
    }
}
