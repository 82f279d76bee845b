//! Compares estimates of the number of reachable goals with the true number, or with the number of
//! goals covered in larger studies.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use catherd_analysis::stats::{Estimator, Incidence, Interval};
use catherd_analysis::tidy::Results;

use crate::share;
use crate::world::Random;

#[derive(Clone, Copy, Default)]
struct Score {
    assemblages: usize,
    /// Number of sets with a reachable goal that no run covered.
    open: usize,
    covered: usize,
    covered_open: usize,
    bias: f64,
    error: f64,
}

impl Score {
    fn add(&mut self, value: f64, interval: Interval, truth: f64, seen: f64) {
        let inside = interval.low <= truth + 1e-9 && truth <= interval.high + 1e-9;
        self.assemblages += 1;
        self.covered += usize::from(inside);
        if truth > seen {
            self.open += 1;
            self.covered_open += usize::from(inside);
            self.bias += (value - truth) / truth;
            self.error += ((value - truth) / truth).abs();
        }
    }

    fn line(&self, name: &str) {
        let open = self.open.max(1) as f64;
        println!(
            "| {name} | {} | {} | {} | {} | {:+.1} % | {:.1} % |",
            self.assemblages,
            share(self.covered, self.assemblages.max(1)),
            self.open,
            share(self.covered_open, self.open.max(1)),
            100.0 * self.bias / open,
            100.0 * self.error / open
        );
    }
}

const HEAD: &str = "| estimator | sets of goals | interval covers | with goals left | covers there | bias | error |\n\
                    | --- | --- | --- | --- | --- | --- | --- |";

/// Each element of `sets` consists of the number of runs, for each goal the number of runs that
/// cover it, and the true number of reachable goals.
fn judge(sets: &[(u64, Vec<u64>, u64)]) {
    println!("{HEAD}");
    for estimator in Estimator::ALL {
        let mut score = Score::default();
        for (runs, covering, truth) in sets {
            // The estimator must not know the number of all goals, which is the truth here.
            let Ok(incidence) = Incidence::new(*runs, 1 << 40, covering.iter().copied()) else {
                continue;
            };
            let found = incidence.reachable(estimator, 0.95);
            score.add(found.value, found.interval, *truth as f64, incidence.observed() as f64);
        }
        score.line(estimator.name());
    }
    let mut score = Score::default();
    for (runs, covering, truth) in sets {
        let seen = covering.iter().filter(|&&count| count > 0).count() as f64;
        if *runs >= 2 {
            score.add(seen, Interval { low: seen, high: seen }, *truth as f64, seen);
        }
    }
    score.line("what all runs cover");
}

pub(crate) fn estimators(count: u64) {
    for (name, spread) in
        [("equal goals", 0.3), ("different goals", 1.0), ("very different goals", 2.0)]
    {
        for runs in [10, 30] {
            println!("\n{name}, {runs} runs\n");
            let one = |number: u64| {
                let mut random = Random::new(11, number);
                let goals = 20 + random.below(200) as u64;
                let centre = -3.0 + 2.0 * random.normal();
                let probability = |random: &mut Random| {
                    1.0 / (1.0 + libm::exp(-(centre + spread * random.normal())))
                };
                let covering: Vec<u64> = (0..goals)
                    .map(|_| {
                        let p = probability(&mut random);
                        (0..runs).filter(|_| random.uniform() < p).count() as u64
                    })
                    .collect();
                (runs, covering, goals)
            };
            let sets: Vec<_> = (0..count).map(one).collect();
            judge(&sets);
        }
    }
}

/// All goals of the subject kind must be reachable, so that the true number is known.
pub(crate) fn models(folders: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut sets = BTreeMap::<_, Vec<_>>::new();
    for folder in folders {
        let results = Results::read(Path::new(folder))?;
        for set in results.goals()? {
            for label in &results.algorithms {
                let Some((runs, covering)) = set.covering_of(label) else { continue };
                let goals = set.goals.len() as u64;
                sets.entry((runs, label.clone())).or_default().push((runs, covering, goals));
            }
        }
    }
    for ((runs, label), sets) in sets {
        println!("\n{label}, {runs} runs, {} models\n", sets.len());
        judge(&sets);
    }
    Ok(())
}

/// A run of the large study has ten times the budget.
pub(crate) fn tenfold(small: &str, large: &str) -> Result<(), Box<dyn Error>> {
    let (small, large) = (Results::read(Path::new(small))?, Results::read(Path::new(large))?);
    let (before, after) = (small.goals()?, large.goals()?);
    println!(
        "| algorithm | projects | by one run | predicted for ten times the budget | found | mean error | interval contains it |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for label in &small.algorithms {
        let (mut projects, mut inside) = (0, 0);
        let (mut one, mut predicted, mut found, mut error) = (0.0, 0.0, 0.0, 0.0);
        for set in &before {
            let same = after
                .iter()
                .find(|other| other.digest == set.digest && other.criterion == set.criterion);
            let Some(other) = same else { continue };
            let (Some((runs, covering)), Some((more, later))) =
                (set.covering_of(label), other.covering_of(label))
            else {
                continue;
            };
            let goals = covering.len() as u64;
            let mean = covering.iter().sum::<u64>() as f64 / runs as f64;
            let truth = later.iter().sum::<u64>() as f64 / more as f64;
            let incidence = Incidence::new(runs, goals, covering)?;
            // The assumption is that ten independent runs together cover as many goals as one run
            // with ten times the budget.
            let (value, interval) = if runs >= 10 {
                let value = incidence.interpolated(10);
                let draws: Vec<f64> = incidence.interpolated_draws(10, 1);
                (value, Interval { low: draws[4], high: draws[draws.len() - 5] })
            } else {
                let estimate = incidence.extrapolated(10.0 / runs as f64, 0.95, 1);
                (estimate.value, estimate.interval)
            };
            projects += 1;
            inside += usize::from(interval.low - 0.5 <= truth && truth <= interval.high + 0.5);
            one += mean;
            predicted += value;
            found += truth;
            error += (value - truth).abs() / goals as f64;
        }
        println!(
            "| {label} | {projects} | {one:.0} | {predicted:.0} | {found:.0} | {:.1} % of the goals | {} |",
            100.0 * error / f64::from(projects.max(1)),
            share(inside, projects.max(1) as usize)
        );
    }
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Found {
    sets: usize,
    /// Counts of intervals that lie below, contain and lie above the number of covered goals.
    places: [usize; 3],
    bias: f64,
    error: f64,
}

impl Found {
    fn add(&mut self, value: f64, interval: Interval, found: f64) {
        self.sets += 1;
        let place = match found {
            found if interval.high < found - 1e-9 => 0,
            found if interval.low > found + 1e-9 => 2,
            _ => 1,
        };
        self.places[place] += 1;
        self.bias += (value - found) / found;
        self.error += ((value - found) / found).abs();
    }

    fn line(&self, name: &str) {
        let [below, around, above] = self.places.map(|count| share(count, self.sets.max(1)));
        let sets = self.sets.max(1) as f64;
        println!(
            "| {name} | {} | {around} | {below} | {above} | {:+.1} % | {:.1} % |",
            self.sets,
            100.0 * self.bias / sets,
            100.0 * self.error / sets
        );
    }
}

/// The runs of both studies together should cover as many goals as are estimated for ten times as
/// many runs.
pub(crate) fn larger(small: &str, large: &str) -> Result<(), Box<dyn Error>> {
    let (small, large) = (Results::read(Path::new(small))?, Results::read(Path::new(large))?);
    let (before, after) = (small.goals()?, large.goals()?);
    for label in &small.algorithms {
        let mut scores = vec![Found::default(); Estimator::ALL.len() + 2];
        let (mut all, mut seen, mut later) = (0, 0, 0);
        for set in &before {
            let same = after
                .iter()
                .find(|other| other.digest == set.digest && other.criterion == set.criterion);
            let pair = same.and_then(|other| other.covering_of(label));
            let (Some((runs, covering)), Some((_, more))) = (set.covering_of(label), pair) else {
                continue;
            };
            let goals = covering.len() as u64;
            let once = covering.contains(&1);
            let both = covering.iter().zip(&more).filter(|(one, other)| **one > 0 || **other > 0);
            let found = both.count() as u64;
            let incidence = Incidence::new(runs, goals, covering)?;
            all += 1;
            seen += incidence.observed();
            later += found;
            if found == 0 || (found == incidence.observed() && !once) {
                continue;
            }
            let observed = incidence.observed() as f64;
            let tenfold = incidence.extrapolated(10.0, 0.95, 1);
            scores[0].add(tenfold.value, tenfold.interval, found as f64);
            for (score, estimator) in scores[1..].iter_mut().zip(Estimator::ALL) {
                let one = incidence.reachable(estimator, 0.95);
                score.add(one.value, one.interval, found as f64);
            }
            let last = scores.len() - 1;
            scores[last].add(observed, Interval { low: observed, high: observed }, found as f64);
        }
        println!(
            "\n{label}: {all} projects, {seen} goals covered by the small study, {later} by both studies\n\n\
             | estimator | projects | interval contains what was found | below it | above it | bias | error |\n\
             | --- | --- | --- | --- | --- | --- | --- |"
        );
        let names =
            Estimator::ALL.into_iter().map(|estimator| format!("reachable: {}", estimator.name()));
        let names = std::iter::once("ten times as many runs (Colwell)".to_owned())
            .chain(names)
            .chain(["what all runs cover".to_owned()]);
        names.zip(&scores).for_each(|(name, score)| score.line(&name));
    }
    Ok(())
}
