//! Tests of pools, criteria and algorithms, and of tests that systems execute.

use std::ops::ControlFlow;

use catherd_sequences_testing::suite::{self, Evolution, Matrix, Profile, SearchResult, Ties};
use catherd_sequences_testing::systems::{self, Answer, Minimality, Online, Verdict};
use catherd_sequences_testing::{
    Alphabet, Cover, Criterion, DirectLimits, Event, Events, Model, Pool, Sampler, Space, TestCase,
    Tests, Walker, direct, reduced, shortest_trace,
};

struct Setup {
    model: Model,
    space: Space,
    alphabet: Alphabet,
}

fn setup(name: &str) -> Setup {
    let model = Model::open(name).unwrap();
    let space = Space::explore(&model.program, 1_000_000).unwrap();
    let alphabet = Alphabet::names(model.program.events());
    Setup { model, space, alphabet }
}

impl Setup {
    fn criterion(&self, text: &str) -> Criterion {
        criterion(text, &self.alphabet)
    }

    fn pool(&self, size: u64) -> Pool {
        let walker = Walker::new(&self.model.program, Some(&self.space), Sampler::Steps, 1, 1000);
        walker.unwrap().pool(size, &self.alphabet).unwrap()
    }
}

fn criterion(text: &str, alphabet: &Alphabet) -> Criterion {
    let none = |_: &str| Err("no files".to_owned());
    Criterion::parse(text, alphabet, Some(2), None, &none).unwrap_or_else(|e| panic!("{e}"))
}

fn go(_: &SearchResult) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
#[ignore = "slow"]
fn walks_are_the_same_with_and_without_the_space_and_for_all_numbers_of_threads() {
    let setup = setup("builtin:abp:2");
    let program = &setup.model.program;
    let walks = |space| {
        let walker = Walker::new(program, space, Sampler::Steps, 7, 50).unwrap();
        let (tests, cut) = walker.walks(0..9000).unwrap();
        ((0..tests.len()).map(|n| tests.test(n)).collect::<Vec<_>>(), cut)
    };
    let with = walks(Some(&setup.space));
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(with, pool(1).install(|| walks(Some(&setup.space))));
    assert_eq!(with, pool(3).install(|| walks(None)));
    assert!(with.1 > 0, "some walks are cut at 50 events");
    // A smaller pool is a prefix of a larger pool.
    let walker = Walker::new(program, Some(&setup.space), Sampler::Steps, 7, 50).unwrap();
    let (few, _) = walker.walks(0..10).unwrap();
    assert!((0..10).all(|n| few.test(n) == with.0[n]));
}

#[test]
fn traces_are_sampled_with_equal_probability() {
    let setup = setup("builtin:vault");
    let walker = Walker::new(&setup.model.program, Some(&setup.space), Sampler::Traces, 1, 1000);
    let pool = walker.unwrap().pool(5000, &setup.alphabet).unwrap();
    // If each enabled event were equally likely, the longest of the 41 traces would have
    // probability 1/9^5.
    assert_eq!(pool.len(), 41);
}

#[test]
fn moodle_has_the_published_numbers_exactly() {
    let setup = setup("builtin:moodle");
    for (text, items) in [
        ("subsequence:2", 103),
        ("consecutive:2", 66),
        ("subsequence:3", 700),
        ("consecutive:3", 205),
        ("unordered-cube:2", 136),
    ] {
        let criterion = setup.criterion(text);
        let reachable = criterion.reachable(&setup.space, &setup.alphabet).unwrap();
        let pool = setup.pool(20_000);
        let matrix = Matrix::new(&criterion, &pool, None);
        assert!(matrix.items().iter().all(|item| reachable.contains(item)), "{text}");
        if text == "unordered-cube:2" {
            assert_eq!(reachable, matrix.items(), "{text}");
        } else {
            assert_eq!(reachable.len(), items, "{text}");
        }
    }
}

/// Compares the exact reachable items of many criteria with the items of a large pool.
#[test]
#[ignore = "slow"]
fn reachable_items_are_the_items_of_all_traces() {
    let setup = setup("builtin:readers-writers");
    let walker = Walker::new(&setup.model.program, Some(&setup.space), Sampler::Traces, 1, 1000);
    let pool = walker.unwrap().pool(60_000, &setup.alphabet).unwrap();
    for text in [
        "subsequence:1",
        "subsequence:2",
        "subsequence:3 distinct",
        "consecutive:2",
        "consecutive:3 until=unlock",
        "exclusive:2",
        "exclusive:1",
        "unordered-cube:2",
        "order([lock check], [log write.end])",
        "safety([check], [log])",
        "expressions(.* lock .* log .* ; check .* ; for a in [lock log]: [^$a]* $a check .*)",
        "subsequence:3 relax=by-set",
        "consecutive:2 relax=by-first",
        "subsequence:auto",
    ] {
        let criterion = setup.criterion(text);
        let reachable = criterion.reachable(&setup.space, &setup.alphabet).unwrap();
        let mut cover = Cover::new(&criterion);
        for (number, letters) in pool.letters.iter().enumerate() {
            cover.test(letters, &pool.tests.test(number), None);
        }
        assert_eq!(reachable, cover.items(), "{text}");
        assert!(!reachable.is_empty() && reachable.len() as u64 <= criterion.bound(), "{text}");
    }
}

#[test]
fn a_cycle_through_the_event_that_cuts_tests_does_not_count() {
    let text = "events a, c, cut\n\
                thread t { loop { request a  request cut, block c } }\n\
                thread u { request c  block all }\n";
    let model = Model::parse("m", text).unwrap();
    let space = Space::explore(&model.program, 100).unwrap();
    let alphabet = Alphabet::names(model.program.events());
    let reachable = |text: &str| criterion(text, &alphabet).reachable(&space, &alphabet).unwrap();
    assert_eq!(reachable("subsequence:1 until=cut").len(), 2);
    for text in ["subsequence:2", "consecutive:2", "order([a], [c])"] {
        assert!(!reachable(text).is_empty(), "{text}");
        assert_eq!(reachable(&format!("{text} until=cut")), Vec::<u64>::new(), "{text}");
    }
}

#[test]
fn the_fast_and_the_plain_computation_of_subsequences_agree() {
    let alphabet = Alphabet::names(&Events::plain(["a", "b", "c", "d", "e"]));
    let mut stream = catherd_search::Stream::new(3, 0);
    for t in 1..=4 {
        let criterion = criterion(&format!("subsequence:{t}"), &alphabet);
        for length in [0, 1, 3, 9, 40] {
            let test: Vec<u32> = (0..length).map(|_| stream.below(5) as u32).collect();
            let word = |item: u64| -> Vec<u32> {
                (0..t).rev().map(|at| (item / 5_u64.pow(at) % 5) as u32).collect()
            };
            let plain = (0..5_u64.pow(t)).filter(|&w| systems::contains(&test, &word(w), true));
            assert_eq!(criterion.items_of_letters(&test), plain.collect::<Vec<_>>(), "{test:?}");
        }
    }
}

#[test]
fn better_algorithms_find_better_suites() {
    let setup = setup("builtin:moodle");
    let criterion = setup.criterion("consecutive:3");
    let matrix = Matrix::new(&criterion, &setup.pool(3000), None);
    let mean = |search: &dyn Fn(u64) -> u64| (1..=5).map(search).sum::<u64>() as f64 / 5.0;
    let random = mean(&|seed| suite::unranked(&matrix, 5, seed, 1, &mut go).best.rank);
    let best = mean(&|seed| suite::best_of(&matrix, 5, 1000, seed, 1000, &mut go).best.rank);
    let limit = u64::MAX;
    let ga =
        |profile| mean(&|seed| suite::evolve(&matrix, 5, profile, seed, limit, &mut go).best.rank);
    let (paper, released) = (ga(Profile::Paper), ga(Profile::Released));
    let usual = Evolution::from(Profile::Paper);
    let of = |settings| suite::evolve(&matrix, 5, settings, 1, 2000, &mut go);
    assert_eq!(of(usual), suite::evolve(&matrix, 5, Profile::Paper, 1, 2000, &mut go));
    for other in [
        Evolution { population: 99, ..usual },
        Evolution { tournament: 4, ..usual },
        Evolution { crossover: 0.6, ..usual },
        Evolution { mutation: 0.04, ..usual },
    ] {
        assert_ne!(of(other), of(usual), "{other:?}");
    }
    let least = Evolution { population: 1, tournament: 1, crossover: 1.0, mutation: 0.0, ..usual };
    for profile in [Profile::Paper, Profile::Released, Profile::ReleasedGrouped] {
        let found = of(Evolution { profile, ..least });
        assert!(found.converged && found.best.suite.len() == 5, "{found:?}");
    }
    let greedy =
        mean(&|seed| suite::greedy(&matrix, 5, Ties::Random, seed, limit, &mut go).best.rank);
    assert!(
        random < best && best < released && released <= paper && paper <= greedy + 0.5,
        "{random} {best} {released} {paper} {greedy}"
    );
    let local = suite::local(&matrix, 5, 0, 1, 1000, &mut go).best;
    assert!(local.rank as f64 >= greedy, "{}", local.rank);
    // The same seed yields the same suite, and a suite contains each test at most once.
    let again = |seed| suite::evolve(&matrix, 5, Profile::Paper, seed, limit, &mut go);
    assert_eq!(again(3), again(3));
    let mut suite = again(3).best.suite;
    suite.sort_unstable();
    suite.dedup();
    assert_eq!(suite.len(), 5);
    assert_eq!(again(3).best.rank, matrix.rank(&suite));
}

#[test]
fn the_exact_optimum_bounds_the_others() {
    let setup = setup("builtin:moodle");
    let criterion = setup.criterion("consecutive:2");
    let matrix = Matrix::new(&criterion, &setup.pool(60), None);
    let optimum = suite::optimal(&matrix, 3, u64::MAX, &mut go).unwrap().best;
    let mut brute = 0;
    let tests = matrix.tests() as u32;
    for a in 0..tests {
        for b in a + 1..tests {
            for c in b + 1..tests {
                brute = brute.max(matrix.rank(&[a, b, c]));
            }
        }
    }
    assert_eq!(optimum.rank, brute);
    let greedy = suite::greedy(&matrix, 3, Ties::First, 0, u64::MAX, &mut go).best.rank;
    assert!(greedy <= brute && greedy as f64 >= 0.63 * brute as f64);
    assert!(suite::optimal(&matrix, 5, 1, &mut go).is_err());
}

#[test]
fn limits_and_callbacks_end_a_search() {
    let setup = setup("builtin:vault");
    let criterion = setup.criterion("consecutive:2");
    let matrix = Matrix::new(&criterion, &setup.pool(300), None);
    assert_eq!(suite::best_of(&matrix, 3, 1000, 1, 17, &mut go).executions, 17);
    assert_eq!(suite::evolve(&matrix, 3, Profile::Paper, 1, 250, &mut go).executions, 250);
    let mut seen = 0;
    let found = suite::best_of(&matrix, 3, 1000, 1, 1000, &mut |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert_eq!((seen, found.executions), (1, 1));
    // The requested size may be larger than the pool.
    let all = suite::greedy(&matrix, 1000, Ties::First, 0, u64::MAX, &mut go).best.suite;
    assert_eq!(all.len(), matrix.tests());
    let found = suite::evolve(&matrix, 1000, Profile::Paper, 1, 300, &mut go);
    assert_eq!(found.best.suite.len(), matrix.tests());
}

#[test]
#[ignore = "slow"]
fn many_items_are_kept_as_lists_with_the_same_ranks() {
    let names: Vec<String> = (0..300).map(|n| format!("e{n}")).collect();
    let alphabet = Alphabet::names(&Events::plain(names));
    let mut stream = catherd_search::Stream::new(1, 0);
    let mut tests = Tests::default();
    for _ in 0..40 {
        let test: Vec<u32> = (0..120).map(|_| stream.below(300) as u32).collect();
        tests.push(&test);
    }
    let pool = Pool::new(&tests, &alphabet);
    let criterion = criterion("subsequence:2", &alphabet);
    let matrix = Matrix::new(&criterion, &pool, None);
    assert!(matrix.items().len() > 1 << 16, "{}", matrix.items().len());
    let mut cover = Cover::new(&criterion);
    [3, 5, 9].iter().for_each(|&test: &usize| cover.test(&pool.letters[test], &[], None));
    assert_eq!(matrix.rank(&[3, 5, 9]), cover.items().len() as u64);
    assert_eq!(matrix.covered(&[3, 5, 9]), cover.items());
    let none = |_: &str| Err(String::new());
    let error = Criterion::parse("subsequence:9", &alphabet, None, None, &none).unwrap_err();
    assert!(
        error.to_string().contains("300 letters have 2^63 or more words of length 9"),
        "{error}"
    );
}

#[test]
fn tests_are_made_for_items() {
    let setup = setup("builtin:abp:2");
    let criterion = setup.criterion("consecutive:2");
    let reachable = criterion.reachable(&setup.space, &setup.alphabet).unwrap();
    let aim = DirectLimits { size: 1000, length: 200, limit: u64::MAX };
    let make = |seed| {
        direct(&criterion, &setup.space, &setup.alphabet, &reachable, aim, seed, &mut |_| {
            ControlFlow::Continue(())
        })
    };
    let suite = make(1);
    assert_eq!(suite, make(1));
    let items: Vec<Vec<u64>> =
        suite.iter().map(|test| criterion.items(test, &setup.alphabet, None)).collect();
    let union = |numbers: &[usize]| {
        let mut all: Vec<u64> = numbers.iter().flat_map(|&n| items[n].clone()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let all: Vec<usize> = (0..suite.len()).collect();
    assert_eq!(union(&all), reachable);
    let few = reduced(&items);
    assert_eq!(union(&few), reachable);
    assert!(few.len() <= suite.len());
    // A shortest trace covers its item and is a trace of the model.
    for &item in &reachable {
        let trace = shortest_trace(&criterion, &setup.space, &setup.alphabet, item).unwrap();
        assert!(systems::allowed(&setup.space, &trace));
        assert!(criterion.items(&trace, &setup.alphabet, None).contains(&item));
    }
}

#[test]
fn correct_systems_pass_and_faults_fail_when_triggered() {
    for (name, faults) in systems::BUILTIN {
        let setup = setup(&format!("builtin:{name}"));
        let pool = setup.pool(2000);
        let events = setup.model.program.events();
        let mut correct = systems::builtin(name, None).unwrap();
        for number in 0..pool.len() {
            let verdict = systems::execute(&mut *correct, events, &pool.tests.test(number));
            assert_eq!(verdict, Ok(Verdict::Passed), "{name}");
        }
        for fault in faults {
            let word = &setup.model.faults.iter().find(|f| f.name == *fault).unwrap().word;
            let word: Vec<u32> =
                word.iter().map(|of| setup.alphabet.letter(of[0]).unwrap()).collect();
            let mut faulty = systems::builtin(name, Some(fault)).unwrap();
            let mut failed = 0;
            for (number, letters) in pool.letters.iter().enumerate() {
                let test = TestCase::from(pool.tests.test(number));
                let verdict = systems::confirm(&mut *faulty, events, &test, 1).unwrap();
                if let Verdict::Failed { .. } = verdict {
                    failed += 1;
                    assert!(systems::contains(letters, &word, false), "{fault}: {letters:?}");
                    if failed == 1 {
                        let short =
                            systems::shorten(&mut *faulty, events, &setup.space, &test, 3000)
                                .unwrap()
                                .case;
                        assert!(short.events.len() <= test.events.len());
                        assert!(systems::allowed(&setup.space, &short.events));
                        let again = systems::execute(&mut *faulty, events, &short.events).unwrap();
                        assert!(matches!(again, Verdict::Failed { .. }), "{fault}");
                    }
                }
            }
            assert!(failed > 0, "{fault}");
        }
    }
}

/// A system that accepts every event, or only the events that a model allows.
struct Obedient<'s> {
    model: Option<&'s Space>,
    events: &'s Events,
    state: u32,
}

impl systems::System for Obedient<'_> {
    fn reset(&mut self) -> Result<(), systems::CommandError> {
        self.state = 0;
        Ok(())
    }

    fn execute(&mut self, event: &Event) -> Result<Answer, systems::CommandError> {
        let Some(space) = self.model else { return Ok(Answer::Done) };
        let event = self.events.find(&event.to_string()).unwrap();
        Ok(match space.step(self.state, event) {
            Some(next) => {
                self.state = next;
                Answer::Done
            }
            None => Answer::Failed("refused".to_owned()),
        })
    }
}

#[test]
fn negative_tests_pass_on_systems_that_refuse_and_fail_on_others() {
    let setup = setup("builtin:tcp-handshake");
    let (space, events) = (&setup.space, setup.model.program.events());
    let pool = setup.pool(200);
    let tests: Vec<_> = (0..pool.len()).map(|number| pool.tests.test(number)).collect();
    let negatives = catherd_sequences_testing::negatives(space, events.len(), &tests, 1);
    assert_eq!(negatives.len(), tests.len());
    let refused: std::collections::BTreeSet<_> = negatives.iter().map(|one| one.refused).collect();
    assert_eq!(refused.len(), events.len(), "each event is refused somewhere");
    let mut strict = Obedient { model: Some(space), events, state: 0 };
    let mut lax = Obedient { model: None, events, state: 0 };
    for case in &negatives {
        let passed = systems::execute_case(&mut strict, events, case);
        assert_eq!(passed, Ok(Verdict::Passed), "{case:?}");
        let failed = systems::confirm(&mut lax, events, case, 2).unwrap();
        let Verdict::Failed { at, why } = failed else { panic!("{case:?}") };
        assert_eq!(at, case.events.len());
        assert!(why.ends_with("accepted, but the model does not allow it"), "{why}");
        let short = systems::shorten(&mut lax, events, space, case, 1000).unwrap().case;
        assert_eq!(short.refused, case.refused);
        assert!(short.events.len() <= case.events.len());
        assert!(!systems::allowed(space, &[&short.events[..], &[short.refused.unwrap()]].concat()));
    }
}

/// A system that fails at every `c`.
struct Fragile;

impl systems::System for Fragile {
    fn reset(&mut self) -> Result<(), systems::CommandError> {
        Ok(())
    }

    fn execute(&mut self, event: &Event) -> Result<Answer, systems::CommandError> {
        Ok(if event.name == "c" { Answer::Failed("c".to_owned()) } else { Answer::Done })
    }
}

#[test]
fn a_shortened_test_states_whether_it_is_a_shortest_one() {
    let text =
        "events a, b, c, d\nthread t { let e = request a | d if e == a { request b } request c }";
    let model = Model::parse("m", text).unwrap();
    let space = Space::explore(&model.program, 100).unwrap();
    let events = model.program.events();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| events.find(name).unwrap());
    let shorten = |test: Vec<_>, tries| {
        let short = systems::shorten(&mut Fragile, events, &space, &test.into(), tries).unwrap();
        (short.case.events, short.minimality)
    };
    // Neither a nor b can be left out of a, b, c, but d, c is shorter.
    assert_eq!(shorten(vec![a, b, c], 100), (vec![d, c], Minimality::Shortest));
    assert_eq!(shorten(vec![d, c], 100), (vec![d, c], Minimality::Shortest));
    assert_eq!(shorten(vec![a, b, c], 3), (vec![a, b, c], Minimality::Local));
    assert_eq!(shorten(vec![a, b, c], 1), (vec![a, b, c], Minimality::Unfinished));
}

#[test]
fn online_tests_follow_the_answers_of_the_system() {
    let setup = setup("builtin:tcp-handshake");
    let (space, events) = (&setup.space, setup.model.program.events());
    let mut strict = Obedient { model: Some(space), events, state: 0 };
    let mut online = Online::new(space, events, 1, 100);
    for _ in 0..300 {
        let (test, verdict) = online.test(&mut strict).unwrap();
        assert_eq!(verdict, Verdict::Passed);
        assert!(systems::allowed(space, &test));
    }
    let walks = setup.pool(300);
    let none = |_: &str| Err(String::new());
    let edges = Criterion::parse("transitions", &setup.alphabet, None, Some(space), &none).unwrap();
    let by_walks = Matrix::new(&edges, &walks, Some(space)).best();
    assert!(online.coverage() * space.edge_count() as f64 >= by_walks as f64);
}
