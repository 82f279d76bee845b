//! Programs that only compute, in the notation of [`crate::language`]. Each step calls `work` once.

/// A program: its name, its scripts, and the values of `out` that its first two steps log.
pub(crate) type Computation = (&'static str, &'static str, [&'static str; 2]);

/// The source of a project that contains a program.
pub(crate) fn source((_, scripts, _): &Computation) -> String {
    format!(
        "(sprite A (var i 0) (var j 0) (var k 0) (var a 0) (var b 0) (var c 0) (var out 0) (list l)
           {scripts}
           (flag (forever [(call work) (log $out) (if (> (items log) 9) [(delete-all log)])])))"
    )
}

pub(crate) const COMPUTATIONS: [Computation; 8] = [
    (
        "arithmetic",
        "(define-warp work ()
           (set a 1) (set b 0)
           (repeat 1000 [
             (set a (mod (+ (* $a 31) 7) 1009))
             (set b (+ (/ $a 4) (math floor $b)))
             (set c (round (- $b $a)))])
           (set out $b))",
        ["125898.5", "125898.5"],
    ),
    (
        "calls",
        "(define-warp step (n m) (if (> (arg n) (arg m)) [(change a 1)]) (change b (arg m)))
         (define-warp work ()
           (set a 0) (set b 0) (set i 0)
           (repeat 1000 [(change i 1) (call step $i 400)])
           (set out (+ $a $b)))",
        ["400600", "400600"],
    ),
    (
        "recursion",
        "(define-warp fib (n)
           (if-else (< (arg n) 2)
             [(change a (arg n))]
             [(call fib (- (arg n) 1)) (call fib (- (arg n) 2))]))
         (define-warp work () (set a 0) (call fib 14) (set out $a))",
        ["377", "377"],
    ),
    (
        "sieve",
        "(define-warp work ()
           (delete-all l) (repeat 2000 [(add l 1)])
           (set i 2) (set out 0)
           (repeat 1999 [
             (if (= (item l $i) 1) [
               (change out 1)
               (set j (* $i 2))
               (until (> $j 2000) [(replace l $j 0) (change j $i)])])
             (change i 1)]))",
        ["303", "303"],
    ),
    (
        "sorting",
        "(define-warp work ()
           (delete-all l) (set a 17)
           (repeat 90 [(set a (mod (+ (* $a 75) 74) 65537)) (add l $a)])
           (set i 2)
           (repeat 89 [
             (set k (item l $i)) (set j (- $i 1))
             (until (or (< $j 1) (not (> (item l $j) $k)))
               [(replace l (+ $j 1) (item l $j)) (change j -1)])
             (replace l (+ $j 1) $k)
             (change i 1)])
           (set out (join (item l 1) (join \" \" (item l 90)))))",
        ["1349 65296", "1349 65296"],
    ),
    (
        "texts",
        "(define-warp work ()
           (set a \"\") (set b 0) (set i 0)
           (repeat 300 [
             (change i 1)
             (set a (join $a (letter (+ (mod $i 5) 1) apple)))
             (if (= (letter $i $a) p) [(change b 1)])])
           (if (contains $a leap) [(change b 1000)])
           (set out (join (length $a) (join / $b))))",
        ["300/1120", "300/1120"],
    ),
    (
        "angles",
        "(define-warp work ()
           (set a 0) (set i 0)
           (repeat 700 [
             (change i 1.7)
             (change a (* (math sin $i) (math cos (* $i 3))))
             (change a (math sqrt $i))])
           (set out (round $a)))",
        ["16104", "16104"],
    ),
    (
        "nested-loops",
        "(define-warp work ()
           (set out 0) (set i -2)
           (repeat 20 [
             (set j -1.2)
             (repeat 12 [
               (set a 0) (set b 0) (set k 0)
               (until (or (> (+ (* $a $a) (* $b $b)) 4) (= $k 20)) [
                 (set c (+ (- (* $a $a) (* $b $b)) $i))
                 (set b (+ (* 2 (* $a $b)) $j))
                 (set a $c)
                 (change k 1)])
               (change out $k)
               (change j 0.2)])
             (change i 0.15)]))",
        ["1997", "1997"],
    ),
];
