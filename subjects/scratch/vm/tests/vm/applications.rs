//! Tests that, in linear form, blocks that draw random numbers and blocks of motion, looks and pen
//! behave as in the interpreter.

use crate::linear::{compare, program};

#[test]
fn random_numbers_are_drawn_once_in_the_order_of_the_interpreter() {
    let bodies = [
        "(repeat (random 1 9) [(add l (random 1 $n)) (set o (random (item k 1) (random 2 9)))
           (change n 1)])",
        // After a random number is drawn, use words as indices, and short and long strings.
        "(repeat 9 [(set p last) (replace l $p (random 1 9)) (set p 2) (replace k $p (random 1 9))
           (set m (item l (random 1 9))) (set o (item l $p)) (change n 1)])",
        "(set s abcdefghijklmnopqrst) (repeat 30 [(if (or (= (random 1 2) 1) (= $s
           abcdefghijklmnopqrsu)) [(change n 1)]) (if (= (item l (random 1 9)) (item l 1))
           [(change o 1)]) (if (> (random 1 6) $n) [(set n 1)] )])",
        // Random numbers are arguments of calls, also next to strings. With the bound `1.0`, a
        // random number has a fraction.
        "(repeat 9 [(call g (random 1 6)) (call h (random 1.0 6) $s) (call h $s (random 1 6))
           (call f2 (random 1 6)) (set s (join a (arg a)))])",
    ];
    for body in bodies {
        let bodies = [body, "(change o (arg a))", "(set m (random (arg a) (arg b)))"];
        for budget in [100_000, 300, 90] {
            compare(&program(&bodies.map(str::to_owned)), budget, 20_000);
        }
    }
}

#[test]
fn series_of_blocks_that_draw_and_move_end_with_the_fuel() {
    let bodies = [
        "(repeat 40 [(pen-up) (goto-xy $n (* $o 3)) (pen-down) (pen-set color $n) (move 20)
           (pen-change brightness (+ $n 1)) (left 10) (pen-color (* $n 9000)) (change n 1)])",
        "(pen-down) (until (> $n 60) [(set-x (random -99 99)) (set-y (item l $n)) (stamp) (hide)
           (set-effect GHOST $n) (costume (+ $n 1)) (show) (change-size 1) (change n 1)])",
    ];
    for body in bodies {
        let bodies = [body, "(change-x (arg a))", "(if (> (y) (x)) [(set-y (- (x) 1))])"];
        for budget in [100_000, 1000, 300, 137, 90] {
            compare(&program(&bodies.map(str::to_owned)), budget, 20_000);
        }
    }
}
