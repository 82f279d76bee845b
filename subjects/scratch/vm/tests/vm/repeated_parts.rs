//! Tests that blocks and conditions that contain the same computation several times, and conditions
//! whose first side decides, behave as in the interpreter.

use proptest::prelude::*;

use crate::linear::{cases, compare, operands, program};

/// Blocks that repeat computations, or whose conditions are often decided by their first side. `P`,
/// `Q` and `R` stand for operands, and `X` stands for the following blocks.
const SHAPES: [&str; 19] = [
    "(if (or (= (+ P Q) R) (> (+ P Q) (math floor R))) [X])",
    "(if (or (= (+ (item l P) (item k (math floor (+ Q 1)))) R)
             (not (< (+ (item l P) (item k (math floor (+ Q 1)))) R))) [X])",
    "(if (and (< (item l (math floor (+ P 1))) (+ P 1)) (= (item l (+ P 1)) (+ P 1))) [X])",
    "(until (or (> $n 90) (= (* (item l Q) P) (* (item l Q) P))) [(change n 9) X])",
    "(if-else (> (letter (+ P 1) (item l (* Q 2))) (letter (+ P 1) $s)) [X] [(change o (* Q 2))])",
    "(if (and (= (round (/ P 9)) 0) (and (= (round (/ Q 9)) 0) (= (round (/ R 9)) 0))) [X])",
    "(if (and (< P Q) (> (+ (item l $n) (item k $p)) (* 2 (round Q)))) [X])",
    "(if (or (not (= P Q)) (and (> (+ P 1) (item l $o)) (< (* Q 2) (item l (arg a))))) [X])",
    "(until (or (= (mod $n 5) 3) (> (+ (mod $n 5) (* P 2)) (item k (+ $n 1)))) [(change n 1) X])",
    "(if-else (not (and (or (> P 0) (= (* Q Q) (+ R 1))) (< (+ P Q) (- R 1)))) [X] [(set m P)])",
    "(set n (* (+ P Q) (+ P Q)))",
    "(set s (mod (math floor (mod P 3)) (- (mod P 3) (math abs (mod P 3)))))",
    "(change m (+ (+ (item l P) (item l P)) (+ (item k last) (item k last))))",
    "(change o (- (random (+ P 1) (+ P 2)) (random (+ P 1) (+ P 2))))",
    "(replace l (math floor (mod P 3)) (- (mod P 3) (* (mod P 3) Q)))",
    "(replace k (math floor (/ P Q)) (item l (math floor (/ P Q))))",
    "(add k (+ (/ P Q) (round (/ P Q))))",
    "(goto-xy (* P 2) (+ (* P 2) (math sin (* P 2))))",
    "(pen-set color (* (+ P (x)) (+ P (x))))",
];

fn bodies() -> impl Strategy<Value = String> {
    let block = (prop::sample::select(SHAPES.to_vec()), operands(), operands(), operands());
    prop::collection::vec(block, 1..6).prop_map(|blocks| {
        blocks.into_iter().rev().fold(String::new(), |inner, (shape, p, q, r)| {
            let rest = if shape.contains('X') { String::new() } else { format!(" {inner}") };
            let shape = shape.replace('X', &inner).replace('P', &p).replace('Q', &q);
            shape.replace('R', &r) + &rest
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow"]
    fn repeated_parts_have_the_same_results(
        bodies in [bodies(), bodies(), bodies()],
        warp_budget in prop::sample::select(vec![100_u32, 300, 1000, 5000]),
    ) {
        compare(&program(&bodies), warp_budget, 1000);
    }
}
