//! The beginning of a report: the main findings, in five sentences.

use std::collections::BTreeMap;

use crate::comparison::{Comparison, Correction, LEVEL, Samples};
use crate::figures::selection;
use crate::findings::{Best, Cause, Missing, Other, Ranking};
use crate::stats::runs_needed;
use crate::terms::counted;
use crate::tidy::Results;

/// Sentences that say which algorithm is best, by how much, how certain that is, on how many
/// projects, and what is missing. A study of one algorithm has no comparison and fewer sentences.
pub(super) fn sentences(results: &Results, samples: &Samples, best: Option<&Best>) -> Vec<String> {
    let mut sentences = Vec::new();
    match best {
        None => sentences.push("No project has runs of every algorithm, so none is best.".into()),
        Some(best) => {
            sentences.push(best_algorithm(results, best));
            if let Some(second) = best.others.first() {
                sentences.push(how_much(results, best, second));
                sentences.extend(how_sure(results, samples, best, second));
                sentences.push(how_many(results, best, second));
            }
        }
    }
    sentences.push(missing(results));
    sentences.extend(selection(results));
    sentences
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn best_algorithm(results: &Results, best: &Best) -> String {
    let name = |algorithm: usize| &results.algorithms[algorithm];
    let (label, mean) = (name(best.algorithm), percent(best.mean));
    let n = counted(best.projects.len(), "project");
    let others: Vec<String> = best
        .others
        .iter()
        .map(|o| format!("{} of {}", percent(o.mean), name(o.algorithm)))
        .collect();
    match &others[..] {
        [] => {
            format!("{label} has a mean coverage of {mean} over {n}; there is nothing to compare.")
        }
        [.., last] if others.len() > 3 => format!(
            "{label} has the highest mean coverage of {} algorithms over {n}: {mean}, against {}, \
             the second, and {last}, the last.",
            others.len() + 1,
            others[0]
        ),
        [first @ .., last] => {
            let first = first.join(", ");
            let joined =
                if first.is_empty() { last.clone() } else { format!("{first} and {last}") };
            format!("{label} has the highest mean coverage over {n}: {mean}, against {joined}.")
        }
    }
}

fn how_much(results: &Results, best: &Best, second: &Other) -> String {
    let [first, other] = [best.algorithm, second.algorithm].map(|a| &results.algorithms[a]);
    let points = |share: f64| format!("{:.1}", share * 100.0);
    let interval = match second.interval {
        Ok(interval) => format!(
            " (95 % confidence interval over projects: {} to {})",
            points(interval.low),
            points(interval.high)
        ),
        Err(_) => String::new(),
    };
    let effect = match second.comparison.mean_a12() {
        Some(a12) => {
            format!(", and a run of {first} covers more with probability {a12:.2} (mean A12)")
        }
        None => String::new(),
    };
    format!(
        "Over {other}, that is {} percentage points{interval}{effect}.",
        points(second.difference)
    )
}

/// The test over all projects; `None` if the algorithms cannot be ranked.
fn how_sure(results: &Results, samples: &Samples, best: &Best, second: &Other) -> Option<String> {
    let ranking = Ranking::new(samples).ok()?;
    let position = |algorithm| ranking.algorithms.iter().position(|&a| a == algorithm);
    let (own, other) = (position(best.algorithm)?, position(second.algorithm)?);
    let p = ranking.nemenyi.p(own, other);
    let differ =
        if p.value < LEVEL { "differ significantly" } else { "do not differ significantly" };
    let [first, second] = [best.algorithm, second.algorithm].map(|a| &results.algorithms[a]);
    let ranks = &ranking.nemenyi.mean_ranks;
    Some(format!(
        "The mean ranks of {first} ({:.2}) and {second} ({:.2}) over {} {differ} (Nemenyi test, {}).",
        ranks[own],
        ranks[other],
        counted(ranking.projects.len(), "project"),
        p.equation()
    ))
}

fn how_many(results: &Results, best: &Best, second: &Other) -> String {
    let [first, other] = [best.algorithm, second.algorithm].map(|a| &results.algorithms[a]);
    let pair = &second.comparison;
    let (counts, holm) = (pair.counts(Correction::None), pair.counts(Correction::Holm));
    let n = counted(pair.per_project.len(), "project");
    let found = format!(
        "On {} of {n} {first} is better than {other} and on {} worse",
        counts.better, counts.worse
    );
    match too_few_runs(pair) {
        Some(reason) => format!("{found}; {reason}."),
        None => format!(
            "{found}, significantly on {} and {} (Mann-Whitney U test, p < {LEVEL}; {} and {} after \
             Holm's correction).",
            counts.significantly_better,
            counts.significantly_worse,
            holm.significantly_better,
            holm.significantly_worse
        ),
    }
}

/// Why no project can differ significantly; `None` if one can.
fn too_few_runs(pair: &Comparison) -> Option<String> {
    let most = pair.per_project.iter().map(|p| p.runs.0.min(p.runs.1)).max()?;
    (pair.too_few_runs() == pair.per_project.len()).then(|| {
        format!(
            "with {} of an algorithm on a project, none of these differences can be significant: \
             {} are needed for p < {LEVEL}",
            counted(most, "run"),
            runs_needed(LEVEL)
        )
    })
}

fn missing(results: &Results) -> String {
    let missing = Missing::new(results);
    let absent = missing.planned - missing.covered;
    let skipped = match missing.skipped.len() {
        0 => "no project was skipped".to_owned(),
        1 => "1 project was skipped".to_owned(),
        n => format!("{n} projects were skipped"),
    };
    if absent == 0 {
        return format!("All {} planned runs have a coverage, and {skipped}.", missing.planned);
    }
    let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
    for group in &missing.groups {
        *causes.entry(group.cause).or_default() += group.count;
    }
    let causes: Vec<String> =
        causes.iter().map(|(cause, n)| format!("{n} {}", cause.label())).collect();
    format!(
        "{absent} of {} planned runs have no coverage ({}), and {skipped}.",
        missing.planned,
        causes.join(", ")
    )
}
