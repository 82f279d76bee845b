//! Ranks of suites: the number or the total weight of the items of a criterion that a suite covers,
//! from the metrics `rank` and `rank.CRITERION` (Elyasaf et al., Table IV).

use std::collections::BTreeMap;

use catherd_experiments::Parameter;

use crate::stats::{Bootstrap, Correlation, Description, Interval, mean, spearman};
use crate::tidy::{Error, Results};

/// The ranks of the suites of an algorithm on a project.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteRank {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Name of the criterion.
    pub criterion: String,
    /// Whether the search optimised this criterion.
    pub optimised: bool,
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Number of tests of a suite that the configuration requests.
    pub size: Option<u64>,
    /// The ranks of the runs.
    pub ranks: Description,
    /// Bootstrap interval of the mean at level 0.95.
    pub interval: Option<Interval>,
    /// The rank of a suite that covers every item that some trace covers.
    pub reachable: Option<f64>,
    /// Mean time of the search in milliseconds.
    pub search_ms: Option<f64>,
    /// The runs.
    pub runs: Vec<u32>,
}

fn text(parameters: &BTreeMap<String, Parameter>, name: &str) -> String {
    match parameters.get(name) {
        Some(Parameter::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

impl SuiteRank {
    /// Returns a value for each project, criterion and algorithm, with the optimised criteria of a
    /// project first.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<SuiteRank>, Error> {
        let is_rank = |name: &str| name == "rank" || name.starts_with("rank.");
        let is_reachable = |name: &str| name == "reachable" || name.starts_with("reachable.");
        let metrics = results.metrics(|name| is_rank(name) || is_reachable(name))?;
        let parameters = results.parameters()?;
        let own = |algorithm: usize| match text(&parameters[algorithm], "criterion") {
            named if named.is_empty() || named == "goals" => text(&parameters[algorithm], "goals"),
            named => named,
        };
        let mut cells: BTreeMap<(usize, bool, String, usize), Vec<u32>> = BTreeMap::new();
        let mut names: BTreeMap<(bool, String), &str> = BTreeMap::new();
        for (name, values) in metrics.iter().filter(|(name, _)| is_rank(name)) {
            let measured = name.strip_prefix("rank.");
            for (number, (run, value)) in (0_u32..).zip(results.runs.iter().zip(values)) {
                if value.is_none() {
                    continue;
                }
                let algorithm = run.algorithm as usize;
                let criterion = measured.map_or_else(|| own(algorithm), str::to_owned);
                let key = (run.project as usize, measured.is_some(), criterion, algorithm);
                cells.entry(key).or_default().push(number);
            }
            if let Some(criterion) = measured {
                names.insert((true, criterion.to_owned()), name);
            }
        }
        let mut samples = Vec::new();
        let ranks = cells.into_iter().filter_map(|(key, runs)| {
            let (project, measured, criterion, algorithm) = key;
            let name = names.get(&(measured, criterion.clone())).copied().unwrap_or("rank");
            let of = |values: &[Option<f64>]| -> Vec<f64> {
                runs.iter().filter_map(|&run| values[run as usize]).collect()
            };
            let sample = of(&metrics[name]);
            let reachable = name.replacen("rank", "reachable", 1);
            let reachable = metrics.get(&reachable).map(|values| of(values));
            let times = runs.iter().filter_map(|&run| results.runs[run as usize].search_ms);
            let size = match parameters[algorithm].get("size") {
                Some(Parameter::Integer(size)) => u64::try_from(*size).ok(),
                _ => None,
            };
            let ranks = Description::of(&sample).ok()?;
            samples.push(sample);
            Some(SuiteRank {
                project,
                criterion,
                optimised: !measured,
                algorithm,
                size,
                ranks,
                interval: None,
                reachable: reachable.and_then(|values| values.first().copied()),
                search_ms: mean(times.map(|ms| ms as f64)),
                runs,
            })
        });
        let mut ranks: Vec<SuiteRank> = ranks.collect();
        let samples: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
        for (rank, interval) in ranks.iter_mut().zip(Bootstrap::default().means(&samples)) {
            rank.interval = interval.ok();
        }
        Ok(ranks)
    }
}

/// The relation between the rank of suites of one size and the detection of a fault, over the runs
/// of all algorithms.
#[derive(Clone, Debug, PartialEq)]
pub struct RankDetection {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Fault and rule: the name of the detection metric without `detected.`.
    pub fault: String,
    /// The criterion of the rank.
    pub criterion: String,
    /// Number of tests in each suite.
    pub size: u32,
    /// Spearman's correlation between rank and detection.
    pub correlation: Option<Correlation>,
    /// The runs.
    pub runs: Vec<u32>,
}

impl RankDetection {
    /// Returns a value for each project, fault, measured criterion and size with at least ten runs.
    /// Suites of a different size than their configuration requests are left out.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<RankDetection>, Error> {
        const FEWEST: usize = 10;
        let metrics =
            results.metrics(|name| name.starts_with("rank.") || name.starts_with("detected."))?;
        let parameters = results.parameters()?;
        let asked: Vec<Option<u32>> = parameters
            .iter()
            .map(|own| match own.get("size") {
                Some(Parameter::Integer(size)) => u32::try_from(*size).ok(),
                _ => None,
            })
            .collect();
        let split = |beginning: &'static str| {
            metrics.iter().filter_map(move |(name, values)| {
                Some((name.strip_prefix(beginning)?.to_owned(), values))
            })
        };
        let mut all = Vec::new();
        for (fault, detected) in split("detected.") {
            for (criterion, ranks) in split("rank.") {
                let mut cells: BTreeMap<(usize, u32), Vec<u32>> = BTreeMap::new();
                for (number, run) in (0_u32..).zip(&results.runs) {
                    let at = number as usize;
                    if let (Some(size), Some(_), Some(_)) =
                        (run.suite_tests, detected[at], ranks[at])
                        && asked[run.algorithm as usize].is_none_or(|asked| asked == size)
                    {
                        cells.entry((run.project as usize, size)).or_default().push(number);
                    }
                }
                for ((project, size), runs) in cells {
                    if runs.len() < FEWEST {
                        continue;
                    }
                    let of = |values: &[Option<f64>]| -> Vec<f64> {
                        runs.iter().filter_map(|&run| values[run as usize]).collect()
                    };
                    let correlation = spearman(&of(ranks), &of(detected)).ok();
                    let (fault, criterion) = (fault.clone(), criterion.clone());
                    all.push(RankDetection { project, fault, criterion, size, correlation, runs });
                }
            }
        }
        all.sort_by(|a, b| {
            let key = |one: &RankDetection| (one.project, one.fault.clone(), one.size);
            key(a).cmp(&key(b)).then_with(|| a.criterion.cmp(&b.criterion))
        });
        Ok(all)
    }
}
