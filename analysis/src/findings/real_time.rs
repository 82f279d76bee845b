//! Tests of whether runs slowed each other down or were slowed down by other programs, which would
//! make results that depend on real time unreliable.

use std::collections::BTreeMap;

use crate::stats::{Exchangeability, holm, mean};
use crate::terms::counted;
use crate::tidy::{Error, PlacedRuns, Results, RunConditions, SHARES};

/// The level of significance of all tests of a study together.
const DISTURBANCE_LEVEL: f64 = 0.02;

const MIN_RUNS: usize = 20;

/// Shares of a run's time, in the order of [`SHARES`], above which the run counts as disturbed.
/// `None`: other cores of the machine may be busy.
const TOO_MUCH: [Option<f64>; 4] = [Some(0.05), Some(0.05), None, Some(0.02)];

/// Maximum share of disturbed runs in an undisturbed study.
const TOO_MANY: f64 = 0.05;

/// The verdict on the real time of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A disturbance of runs was found.
    Disturbed,
    /// The tests and measurements found no disturbance.
    NoneFound,
    /// There are too few data for a verdict.
    Unknown,
}

/// A test of whether the speed of runs depends on a factor other than project and algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct DisturbanceTest {
    /// The tested factor, as a phrase after "speed depends on".
    pub about: String,
    /// The difference in speed as a share of the speed of the other runs, negative if slower, and a
    /// description of the compared runs.
    pub effect: Option<(f64, String)>,
    /// The p-value.
    pub p: f64,
    /// The p-value with Holm's correction over all tests.
    pub p_holm: f64,
    /// The runs, as indices into [`Results::runs`].
    pub runs: Vec<u32>,
}

/// Runs that were disturbed by other programs or slowed down by the processor.
#[derive(Clone, Debug, PartialEq)]
pub struct Disturbance {
    /// Description of the disturbance, as a phrase after "in 3 of 20 runs".
    pub about: String,
    /// Number of runs with a measurement.
    pub measured: usize,
    /// The disturbed runs, as indices into [`Results::runs`].
    pub runs: Vec<u32>,
}

impl Disturbance {
    fn matters(&self) -> bool {
        self.runs.len() as f64 > TOO_MANY * self.measured as f64
    }
}

/// The runs on a core, or on a host if the core is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceSpeed {
    /// The host and, if known, the core.
    pub name: String,
    /// Mean speed of the runs, relative to the geometric mean speed of all runs with the same
    /// project and algorithm.
    pub speed: Option<f64>,
    /// Means of the shares of time, in the order of [`SHARES`].
    pub shares: [Option<f64>; 4],
    /// Number of times that the core was slowed down because of its temperature during these runs.
    pub throttled: Option<u64>,
    /// The runs, as indices into [`Results::runs`].
    pub runs: Vec<u32>,
}

/// The reliability of results that depend on real time, with the measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct RealTime {
    /// Number of runs with a known host.
    pub placed: usize,
    /// Number of runs with a known start.
    pub measured: usize,
    /// Definition of speed, such as `executions by time`.
    pub response: String,
    /// The tests.
    pub tests: Vec<DisturbanceTest>,
    /// The measured disturbances.
    pub disturbances: Vec<Disturbance>,
    /// The cores or hosts.
    pub places: Vec<PlaceSpeed>,
    /// For each compared run: the index into [`Results::runs`], the seconds since the first start,
    /// the speed relative to the geometric mean speed of its project and algorithm, and the index
    /// into [`RealTime::places`].
    pub speeds: Vec<(u32, Option<f64>, f64, usize)>,
    /// The verdict.
    pub verdict: Verdict,
}

impl RealTime {
    /// Examines a study with a budget in real time.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn new(results: &Results) -> Result<Option<RealTime>, Error> {
        if results.budgets.iter().all(|budget| budget.wall_ms.is_none()) {
            return Ok(None);
        }
        let PlacedRuns { hosts, runs } = results.conditions()?;
        let names: Vec<String> = runs.iter().map(|run| place_of(&hosts, run)).collect();
        let mut numbers: BTreeMap<&String, usize> = names.iter().map(|name| (name, 0)).collect();
        for (number, place) in numbers.values_mut().enumerate() {
            *place = number;
        }
        let own_places: Vec<usize> = names.iter().map(|name| numbers[name]).collect();
        let (response, values) = speeds(results, &runs)?;
        let measurements: Vec<Measured> = runs
            .iter()
            .zip(&own_places)
            .zip(values)
            .filter_map(|((run, &place), value)| {
                let of = &results.runs[run.run as usize];
                let group = of.project as usize * results.algorithms.len() + of.algorithm as usize;
                Some(Measured { run, group, value: value?, place })
            })
            .collect();
        let measurements = with_others(measurements);
        let names: Vec<String> = numbers.into_keys().cloned().collect();
        let tests = match measurements.len() {
            found if found < MIN_RUNS => Vec::new(),
            _ => tests(&measurements, &names, hosts.len()),
        };
        let disturbances = disturbances(&runs);
        let measured = runs.iter().filter(|run| run.started_ms.is_some()).count();
        let found = tests.iter().any(|test| test.p_holm < DISTURBANCE_LEVEL);
        let timed = measurements.iter().any(|one| one.run.started_ms.is_some());
        let verdict = match () {
            () if found || disturbances.iter().any(Disturbance::matters) => Verdict::Disturbed,
            () if tests.is_empty() || !timed => Verdict::Unknown,
            () => Verdict::NoneFound,
        };
        let first = measurements.iter().filter_map(|one| one.run.started_ms).min();
        let relative = relative_speeds(&measurements);
        let speeds: Vec<(u32, Option<f64>, f64, usize)> = measurements
            .iter()
            .zip(&relative)
            .map(|(one, &speed)| {
                let since = one.run.started_ms.zip(first);
                let since = since.map(|(at, first)| (at - first) as f64 / 1000.0);
                (one.run.run, since, speed, one.place)
            })
            .collect();
        let places = places(&runs, &own_places, names, &speeds);
        let placed = runs.len();
        Ok(Some(RealTime {
            placed,
            measured,
            response,
            tests,
            disturbances,
            places,
            speeds,
            verdict,
        }))
    }

    /// Describes whether real time is reliable.
    pub fn sentence(&self) -> String {
        let found = self.tests.iter().filter(|test| test.p_holm < DISTURBANCE_LEVEL);
        let found = found.map(|test| match &test.effect {
            Some((effect, between)) => format!(
                "speed depends on {} ({between} {:.0} % {}, p {})",
                test.about,
                100.0 * effect.abs(),
                if *effect < 0.0 { "slower" } else { "faster" },
                probability(test.p_holm)
            ),
            None => format!("speed depends on {} (p {})", test.about, probability(test.p_holm)),
        });
        let facts = self.disturbances.iter().filter(|one| one.matters()).map(|one| {
            format!("in {} of {} {}", one.runs.len(), counted(one.measured, "run"), one.about)
        });
        let reasons: Vec<String> = facts.chain(found).collect();
        match self.verdict {
            Verdict::Disturbed => format!(
                "Real time is not to be trusted in this study, because runs disturbed each other or were \
                 disturbed: {}. Differences between algorithms may be due to the machine.",
                reasons.join("; ")
            ),
            Verdict::NoneFound => {
                let tested: Vec<&str> = self.tests.iter().map(|test| &*test.about).collect();
                format!(
                    "Nothing shows that the {} disturbed each other: their speed ({}) does not \
                     depend on {}.",
                    counted(self.speeds.len(), "run"),
                    self.response,
                    tested.join(", ")
                )
            }
            Verdict::Unknown => format!(
                "Whether runs disturbed each other is not known, so results that depend on real time must be treated \
                 with care: {} of {} have measured conditions and {} can be compared with others of the same \
                 project and algorithm ({MIN_RUNS} are needed).",
                self.measured,
                counted(self.placed, "run"),
                self.speeds.len()
            ),
        }
    }

    /// The sentence that is shown next to tests and intervals of results that depend on real time.
    pub fn caveat(&self) -> &'static str {
        match self.verdict {
            Verdict::Disturbed => {
                "Runs disturbed each other or were disturbed (table real-time), so differences and \
                 their significance may be due to the machine."
            }
            Verdict::NoneFound => "No disturbance of runs was found (table real-time).",
            Verdict::Unknown => "Whether runs disturbed each other is not known.",
        }
    }
}

struct Measured<'r> {
    run: &'r RunConditions,
    group: usize,
    value: f64,
    place: usize,
}

fn place_of(hosts: &[String], run: &RunConditions) -> String {
    let host = &hosts[run.host as usize];
    match run.core {
        Some(core) => format!("{host}, core {core}"),
        None => host.clone(),
    }
}

/// The metric of tools that count executions without making them a unit of work.
const EXECUTIONS: &str = "executions";

/// The definition of speed, and its natural logarithm for each run.
fn speeds(results: &Results, runs: &[RunConditions]) -> Result<(String, Vec<Option<f64>>), Error> {
    let executions = results.metrics(|name| name == EXECUTIONS)?.remove(EXECUTIONS);
    let unit = results.subject.units.first();
    let by_time = |run: &RunConditions, work: Option<f64>| {
        let of = &results.runs[run.run as usize];
        let ms = of.search_ms.filter(|&ms| ms > 0).or(of.wall_ms).filter(|&ms| ms > 0)?;
        work.filter(|&work| work > 0.0).map(|work| libm::log(work / ms as f64))
    };
    let by_work = |run: &RunConditions| {
        let work = results.work.first().and_then(|work| work[run.run as usize]);
        by_time(run, work.map(|work| work as f64))
    };
    let by_executions = |run: &RunConditions| {
        by_time(run, executions.as_ref().and_then(|executions| executions[run.run as usize]))
    };
    let by_work: Vec<Option<f64>> = runs.iter().map(by_work).collect();
    let by_executions: Vec<Option<f64>> = runs.iter().map(by_executions).collect();
    let most = |known: &[Option<f64>]| known.iter().flatten().count() * 2 > runs.len();
    Ok(match unit {
        Some(unit) if most(&by_work) => (format!("{} by time", unit.plural), by_work),
        _ if most(&by_executions) => ("executions by time".to_owned(), by_executions),
        _ => {
            let covered = |run: &RunConditions| {
                let of = &results.runs[run.run as usize];
                of.coverage().map(|_| libm::log(f64::from(of.covered) + 1.0))
            };
            ("goals covered in the time".to_owned(), runs.iter().map(covered).collect())
        }
    })
}

/// Keeps the runs whose group has other runs, and renumbers the groups from 0.
fn with_others(mut runs: Vec<Measured<'_>>) -> Vec<Measured<'_>> {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for one in &runs {
        *sizes.entry(one.group).or_default() += 1;
    }
    sizes.retain(|_, size| *size > 1);
    let numbers: BTreeMap<usize, usize> =
        sizes.into_keys().enumerate().map(|(number, group)| (group, number)).collect();
    runs.retain_mut(|one| match numbers.get(&one.group) {
        Some(&number) => {
            one.group = number;
            true
        }
        None => false,
    });
    runs
}

fn relative_speeds(runs: &[Measured<'_>]) -> Vec<f64> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for one in runs {
        let (sum, count) = sums.entry(one.group).or_default();
        *sum += one.value;
        *count += 1.0;
    }
    let relative = |one: &Measured<'_>| {
        let (sum, count) = sums[&one.group];
        libm::exp(one.value - sum / count)
    };
    runs.iter().map(relative).collect()
}

fn tests(runs: &[Measured<'_>], names: &[String], hosts: usize) -> Vec<DisturbanceTest> {
    let values: Vec<f64> = runs.iter().map(|one| one.value).collect();
    let groups: Vec<usize> = runs.iter().map(|one| one.group).collect();
    let test = Exchangeability::new(&values, &groups);
    let relative = relative_speeds(runs);
    // The difference in speed, as a share of the mean speed of the other runs.
    let against = |chosen: &dyn Fn(usize) -> bool| {
        let of = |wanted: bool| {
            mean((0..runs.len()).filter(|&at| chosen(at) == wanted).map(|at| relative[at]))
        };
        Some(of(true)? / of(false)? - 1.0)
    };
    let all = || runs.iter().map(|one| one.run.run).collect::<Vec<u32>>();
    let mut found = Vec::new();
    let mut add = |about: &str, effect, p, runs| {
        found.push(DisturbanceTest { about: about.to_owned(), effect, p, p_holm: 1.0, runs });
    };
    let extreme = |of: &dyn Fn(usize) -> usize, name: &dyn Fn(usize) -> String| {
        let mut places: Vec<usize> = (0..runs.len()).map(of).collect();
        places.sort_unstable();
        places.dedup();
        let effects = places
            .into_iter()
            .filter_map(|place| Some((against(&|at| of(at) == place)?, name(place))));
        // Of two places that differ by about the same amount, the slower place is named.
        let size = |effect: f64| libm::log1p(effect).abs() + if effect < 0.0 { 1e-6 } else { 0.0 };
        effects.max_by(|a, b| size(a.0).total_cmp(&size(b.0)))
    };
    let place = |at: usize| runs[at].place;
    let host = |at: usize| runs[at].run.host as usize;
    if (1..runs.len()).any(|at| place(at) != place(0)) {
        let places: Vec<usize> = (0..runs.len()).map(place).collect();
        add("the core", extreme(&place, &|p| names[p].clone()), test.of_places(&places), all());
    }
    if hosts > 1 && (1..runs.len()).any(|at| host(at) != host(0)) {
        let places: Vec<usize> = (0..runs.len()).map(host).collect();
        let name = |p: usize| {
            let at = (0..runs.len()).find(|&at| host(at) == p).unwrap_or(0);
            names[runs[at].place].split(", core").next().unwrap_or_default().to_owned()
        };
        add("the host", extreme(&host, &name), test.of_places(&places), all());
    }
    let started = |at: usize| runs[at].run.started_ms;
    if (0..runs.len()).all(|at| started(at).is_some()) {
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|&at| (started(at), runs[at].run.run));
        let (p, before) = test.of_change(&order);
        let mut late = vec![false; runs.len()];
        order.iter().skip(before).for_each(|&at| late[at] = true);
        let effect = against(&|at| late[at]).map(|effect| (effect, format!("after {before} runs")));
        add("the time since the start", effect, p, all());
        add("what runs at about the same time do", None, test.of_succession(&order), all());
    }
    for (number, share) in SHARES.iter().enumerate() {
        let cause: Vec<Option<f64>> = runs.iter().map(|one| one.run.shares[number]).collect();
        let known: Vec<f64> = cause.iter().copied().flatten().collect();
        if known.len() < MIN_RUNS || known.iter().all(|&value| value == known[0]) {
            continue;
        }
        let about = match *share {
            "others_busy" => "other processes on the core",
            "siblings_busy" => "busy hyper-threads of the core",
            "machine_busy" => "busy cores of the machine",
            _ => "time that the hypervisor took",
        };
        let own = runs.iter().filter(|one| one.run.shares[number].is_some());
        add(about, None, test.of_cause(&cause), own.map(|one| one.run.run).collect());
    }
    let p: Vec<f64> = found.iter().map(|test| test.p).collect();
    // All p-values are in 0..=1, so the correction exists.
    for (test, corrected) in found.iter_mut().zip(holm(&p).unwrap_or_default()) {
        test.p_holm = corrected;
    }
    found
}

fn disturbances(runs: &[RunConditions]) -> Vec<Disturbance> {
    let mut found = Vec::new();
    for (number, name) in SHARES.iter().enumerate() {
        let Some(most) = TOO_MUCH[number] else { continue };
        let percent = 100.0 * most;
        let about = match *name {
            "others_busy" => format!("other processes used more than {percent} % of the core"),
            "siblings_busy" => format!(
                "another hyper-thread of the core was busy for more than {percent} % of the time"
            ),
            _ => format!("the hypervisor took more than {percent} % of the time"),
        };
        let share = |run: &&RunConditions| run.shares[number];
        let measured = runs.iter().filter(|run| share(run).is_some()).count();
        let own = runs.iter().filter(|run| share(run).is_some_and(|share| share > most));
        let runs: Vec<u32> = own.map(|run| run.run).collect();
        if measured > 0 {
            found.push(Disturbance { about, measured, runs });
        }
    }
    let measured = runs.iter().filter(|run| run.throttled.is_some()).count();
    if measured > 0 {
        let own = runs.iter().filter(|run| run.throttled.is_some_and(|times| times > 0));
        found.push(Disturbance {
            about: "the core was slowed down because of its temperature".to_owned(),
            measured,
            runs: own.map(|run| run.run).collect(),
        });
    }
    found
}

fn places(
    runs: &[RunConditions],
    own_places: &[usize],
    names: Vec<String>,
    speeds: &[(u32, Option<f64>, f64, usize)],
) -> Vec<PlaceSpeed> {
    let mut of_place: Vec<Vec<&RunConditions>> = vec![Vec::new(); names.len()];
    for (run, &place) in runs.iter().zip(own_places) {
        of_place[place].push(run);
    }
    let mut speeds_of: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for one in speeds {
        speeds_of[one.3].push(one.2);
    }
    let of = |((name, own), speeds): ((String, Vec<&RunConditions>), Vec<f64>)| {
        let throttled: Vec<u64> = own.iter().filter_map(|run| run.throttled).collect();
        PlaceSpeed {
            name,
            speed: mean(speeds),
            shares: std::array::from_fn(|at| mean(own.iter().filter_map(|run| run.shares[at]))),
            throttled: (!throttled.is_empty()).then(|| throttled.iter().sum()),
            runs: own.iter().map(|run| run.run).collect(),
        }
    };
    names.into_iter().zip(of_place).zip(speeds_of).map(of).collect()
}

fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("= {p:.3}") }
}
