//! Tests of the programs that benchmarks measure.

use crate::harness::Harness;
use crate::programs::{COMPUTATIONS, source};

#[test]
fn the_measured_programs_compute_what_they_should() {
    for program in &COMPUTATIONS {
        let mut harness = Harness::flag(&source(program));
        assert_eq!(harness.run(2), program.2, "{}", program.0);
        assert!(harness.vm.hits().is_empty(), "{}", program.0);
    }
}
