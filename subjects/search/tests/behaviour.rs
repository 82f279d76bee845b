//! Tests of searches through the public interface, with a small problem.

mod toy;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use catherd_search::{
    Algorithm, Budget, Clock, Improvement, ParameterError, Parameters, Search, Setting, Stop,
    Stopwatch, Stream, Test,
};
use proptest::prelude::*;
use toy::{Chains, Codons};

/// A clock that changes by a different amount each time it is read.
struct Erratic(Cell<u64>);

impl Clock for Erratic {
    fn now(&self) -> Duration {
        let n = self.0.get();
        self.0
            .set(n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        Duration::from_millis(n % 1_000_000)
    }
}

fn executions(limit: u64) -> Budget {
    Budget { executions: Some(limit), ..Budget::default() }
}

fn search(
    algorithm: &Algorithm,
    problem: &mut Chains,
    budget: &Budget,
    seed: u64,
) -> Search<Codons> {
    let mut rng = Stream::new(seed, Stream::SEARCH);
    algorithm
        .search(problem, budget, &mut rng, &Stopwatch::start(), &mut |_| ControlFlow::Continue(()))
}

fn named(name: &str) -> Algorithm {
    Algorithm::named(name).unwrap()
}

fn repeatable(search: &Search<Codons>) -> impl PartialEq + std::fmt::Debug {
    let archive: Vec<_> =
        search.archive.iter().map(|(goal, test)| (goal, test.genes().to_vec())).collect();
    let timeline: Vec<_> = search
        .timeline
        .iter()
        .map(|point| (point.executions, point.steps, point.covered))
        .collect();
    (archive, timeline, search.meter, search.iterations, search.stop)
}

#[test]
fn guided_searches_beat_random_search() {
    let covered = |name| -> usize {
        (1..=5)
            .map(|seed| {
                let mut problem = Chains::new(seed, 3, 6, 20);
                search(&named(name), &mut problem, &executions(10_000), seed).archive.covered()
            })
            .sum()
    };
    let random = covered("random");
    for name in Algorithm::NAMES.into_iter().filter(|name| !name.starts_with("random")) {
        let guided = covered(name);
        assert!(guided > random + 20, "{name} covered {guided}, random search {random}");
    }
}

/// A change of these values also changes results of studies, and needs a new engine id.
#[test]
fn searches_end_as_recorded() {
    let end = |name| {
        let mut rng = Stream::new(42, Stream::SEARCH);
        let mut problem = Chains::new(42, 5, 6, 20);
        let result = named(name).search(
            &mut problem,
            &executions(1500),
            &mut rng,
            &Stopwatch::start(),
            &mut |_| ControlFlow::Continue(()),
        );
        (name, result.archive.covered(), result.meter.steps(), rng.next_u64())
    };
    assert_eq!(
        Algorithm::NAMES.map(end),
        [
            ("random", 13, 89_847, 15_818_412_678_466_090_854),
            ("random-events", 13, 89_847, 15_818_412_678_466_090_854),
            ("mosa", 24, 35_197, 3_489_015_563_017_795_681),
            ("dynamosa", 19, 29_315, 6_080_082_488_545_526_193),
            ("mio", 14, 101_086, 17_325_248_075_376_524_839),
            ("whole-suite", 13, 76_509, 11_635_145_875_357_507_341),
            ("one-plus-one", 11, 66_746, 11_336_582_771_687_034_328),
        ]
    );
}

#[test]
fn crossover_is_lost_when_parents_are_mutated() {
    let branded = |mutate_parents| {
        let mut mosa = named("mosa");
        mosa.set("compat.mutate_parents", mutate_parents).unwrap();
        mosa.set("extension", 0.0).unwrap();
        let mut problem = Chains::new(1, 3, 20, 5);
        // Only crossover appends this codon.
        problem.brand = Some(1_000_000);
        search(&mosa, &mut problem, &executions(90), 1);
        problem.executed.iter().filter(|genes| genes.contains(&1_000_000)).count()
    };
    assert!(branded(false) > 20);
    assert_eq!(branded(true), 0);
}

#[test]
fn searches_end_where_the_budget_says() {
    for name in Algorithm::NAMES {
        let mut problem = Chains::new(3, 4, 12, 1);
        let result = search(&named(name), &mut problem, &executions(137), 3);
        assert_eq!((result.stop, result.meter.executions()), (Stop::Executions, 137), "{name}");
        let budget = Budget { steps: Some(5000), ..executions(1_000_000) };
        let result = search(&named(name), &mut problem, &budget, 3);
        assert_eq!(result.stop, Stop::Steps, "{name}");
        assert!((5000..5300).contains(&result.meter.steps()), "one execution too many at most");
        let result = search(&named(name), &mut problem, &executions(0), 3);
        assert_eq!((result.stop, result.meter.executions()), (Stop::Executions, 0), "{name}");
    }
}

#[test]
fn iterations_count_what_each_algorithm_repeats() {
    let budget = Budget { iterations: Some(7), ..Budget::default() };
    let run = |name: &str, local: bool| {
        let mut algorithm = named(name);
        if !local {
            for operator in ["extension", "reduction"] {
                let _ = algorithm.set(operator, 0.0);
            }
        }
        search(&algorithm, &mut Chains::new(3, 4, 12, 1), &budget, 3)
    };
    assert_eq!(run("random", true).meter.executions(), 7);
    // The first population and seven generations.
    assert_eq!(run("mosa", false).meter.executions(), 8 * 30);
    assert_eq!(run("mio", false).meter.executions(), 7);
    // The first test and seven mutants.
    assert_eq!(run("one-plus-one", true).meter.executions(), 8);
    for name in Algorithm::NAMES {
        let result = run(name, true);
        assert_eq!((result.stop, result.iterations), (Stop::Iterations, 7), "{name}");
    }
}

#[test]
fn full_coverage_and_observers_end_a_search() {
    for name in Algorithm::NAMES {
        let mut problem = Chains::new(5, 3, 1, 100);
        let result = search(&named(name), &mut problem, &Budget::default(), 5);
        assert_eq!(result.stop, Stop::Covered, "{name}");
        let last = result.timeline.last().unwrap();
        assert_eq!((last.covered, last.executions), (3, result.meter.executions()), "{name}");

        let mut problem = Chains::new(5, 3, 20, 0);
        let mut rng = Stream::new(5, Stream::SEARCH);
        let mut seen = 0;
        let result = named(name).search(
            &mut problem,
            &Budget::default(),
            &mut rng,
            &Stopwatch::start(),
            &mut |progress| {
                seen = progress.meter.executions();
                if seen >= 50 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!((result.stop, result.meter.executions(), seen), (Stop::Cancelled, 50, 50));
    }
}

#[test]
fn a_problem_without_goals_is_covered_at_once() {
    for name in Algorithm::NAMES {
        let result = search(&named(name), &mut Chains::new(1, 0, 0, 0), &executions(10), 1);
        assert_eq!((result.stop, result.meter.executions()), (Stop::Covered, 0), "{name}");
    }
}

#[test]
fn mio_samples_when_no_uncovered_goal_has_a_candidate() {
    // A test covers as many goals as it has codons, and is infinitely far from the goals after the
    // first uncovered goal.
    let mut mio = named("mio");
    for name in ["random_start", "random_end", "extension", "reduction"] {
        mio.set(name, 0.0).unwrap();
    }
    mio.set("mutations_start", 3.0).unwrap();
    let mut problem = Chains::new(2, 1, 30, 480);
    problem.infinite = true;
    let result = search(&mio, &mut problem, &executions(100), 2);
    assert_eq!(result.stop, Stop::Executions);
}

#[test]
fn a_wall_limit_ends_a_search() {
    let budget = Budget { wall: Some(Duration::from_millis(20)), ..Budget::default() };
    for name in Algorithm::NAMES {
        let result = search(&named(name), &mut Chains::new(1, 4, 20, 0), &budget, 1);
        assert_eq!(result.stop, Stop::Wall, "{name}");
        assert!(result.elapsed >= Duration::from_millis(20));
    }
}

#[test]
fn parameters_are_set_by_name_within_their_ranges() {
    let mut mosa = named("mosa");
    assert_eq!(
        mosa.names(),
        ["population", "crossover", "mutation", "extension", "reduction", "compat.mutate_parents"]
    );
    mosa.set("population", 50.0).unwrap();
    mosa.set("compat.mutate_parents", true).unwrap();
    let Algorithm::Mosa(settings) = &mosa else { panic!("not MOSA") };
    assert_eq!((settings.population, settings.mutate_parents), (50, true));

    let before = mosa.clone();
    let message = |name, value: f64| match before.clone().set(name, value) {
        Err(error @ (ParameterError::Unknown { .. } | ParameterError::Value { .. })) => {
            error.to_string()
        }
        Ok(()) => panic!("{name} = {value} was accepted"),
    };
    assert_eq!(
        message("population", 0.0),
        "parameter `population` is 0, but must be a whole number from 1 to 10000"
    );
    assert_eq!(
        message("crossover", 1.5),
        "parameter `crossover` is 1.5, but must be a number from 0 to 1"
    );
    assert_eq!(
        message("compat.mutate_parents", 2.0),
        "parameter `compat.mutate_parents` is 2, but must be true or false"
    );
    message("population", 2.5);
    message("crossover", f64::NAN);
    message("population", f64::INFINITY);
    assert_eq!(message("cross over", 0.5), "unknown parameter `cross over`");
    assert_eq!(
        named("random").set("population", 1.0).unwrap_err().to_string(),
        "unknown parameter `population`: this algorithm has none"
    );
    let mut mio = named("mio");
    assert_eq!(
        mio.set("targets", "some").unwrap_err().to_string(),
        "parameter `targets` is `some`, but must be one of independent, all"
    );
    mio.set("targets", "all").unwrap();
    let targets = |mio: &Algorithm| mio.parameters().into_iter().find(|p| p.name == "targets");
    assert_eq!(targets(&mio).unwrap().value, Setting::Word("all"));
    assert_eq!(targets(&named("mio")).unwrap().value, Setting::Word("independent"));
    assert_eq!(Algorithm::named("mossa").unwrap_err().to_string(), "unknown algorithm `mossa`");
    for name in Algorithm::NAMES {
        let mut algorithm = named(name);
        assert_eq!(algorithm.name(), name);
        for parameter in algorithm.parameters() {
            algorithm.set(parameter.name, parameter.value).unwrap();
        }
        assert_eq!(algorithm, named(name));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn searches_keep_their_promises(
        name in prop::sample::select(&Algorithm::NAMES[..]),
        chains in 1_usize..6,
        depth in 1_usize..8,
        tolerance in 0_u64..60,
        infinite: bool,
        seed: u64,
        limit in 1_u64..400,
    ) {
        let problem = || {
            let mut problem = Chains::new(seed, chains, depth, tolerance);
            problem.infinite = infinite;
            problem
        };
        let budget = executions(limit);
        let mut rng = Stream::new(seed, Stream::SEARCH);
        let mut covered = 0;
        let clock = Erratic(Cell::new(seed));
        let mut subject = problem();
        let result = named(name).search(&mut subject, &budget, &mut rng, &clock, &mut |progress| {
            assert!(progress.covered >= covered, "a covered goal was lost");
            covered = progress.covered;
            ControlFlow::Continue(())
        });

        for (goal, test) in result.archive.iter() {
            prop_assert!(test.covers(goal));
        }
        prop_assert_eq!(result.archive.iter().count(), result.archive.covered());
        prop_assert!(result.archive.uncovered().iter().all(|goal| result.archive.get(*goal).is_none()));
        prop_assert_eq!(result.archive.covered() + result.archive.uncovered().len(), chains * depth);
        prop_assert!(result.archive.tests().len() <= result.archive.covered());

        let rises = |a: &Improvement, b: &Improvement| {
            a.covered < b.covered && a.executions < b.executions && a.steps < b.steps
        };
        prop_assert!(result.timeline.is_sorted_by(rises));
        prop_assert_eq!(result.timeline.last().map_or(0, |point| point.covered), covered);
        prop_assert_eq!(result.archive.covered(), covered);
        prop_assert!(result.timeline.first().is_none_or(|point| point.executions > 0));

        match result.stop {
            Stop::Covered => prop_assert_eq!(covered, chains * depth),
            stop => {
                prop_assert_eq!(stop, Stop::Executions);
                prop_assert_eq!(result.meter.executions(), limit);
            }
        }

        // A different clock changes neither the result nor the position of the stream.
        let mut again = Stream::new(seed, Stream::SEARCH);
        let mut subject = problem();
        let repeated = named(name).search(&mut subject, &budget, &mut again, &Stopwatch::start(), &mut |_| {
            ControlFlow::Continue(())
        });
        prop_assert_eq!(repeatable(&result), repeatable(&repeated));
        prop_assert_eq!(rng.next_u64(), again.next_u64());
    }
}
