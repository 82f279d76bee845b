//! The main findings of a report as sentences.

use std::collections::BTreeMap;

use crate::comparison::{Correction, LEVEL, MIN_SAMPLE};
use crate::figures::selection;
use crate::findings::{Best, Cause, Decision, MARGIN, Missing, Order, Other, Verdict};
use crate::stats::{Unavailable, runs_needed};
use crate::terms::counted;
use crate::tidy::Results;

const MAX_CLAIMS: usize = 3;
const MAX_PAIRS: usize = 3;

pub(super) struct Facts<'a> {
    pub(super) results: &'a Results,
    pub(super) decisions: &'a [Decision],
    pub(super) order: Result<&'a Order, &'a Unavailable>,
    /// `None` if no project has runs of every algorithm.
    pub(super) best: Option<&'a Best>,
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// In percentage points, never -0.0.
fn points(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

/// The posterior has too few draws for more digits.
fn probability(share: f64) -> String {
    match share {
        p if p > 0.995 => "more than 99 %".to_owned(),
        p if p < 0.005 => "less than 1 %".to_owned(),
        p => format!("{:.0} %", p * 100.0),
    }
}

fn joined(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl Facts<'_> {
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if !self.decisions.is_empty() {
            sentences.extend(self.certainty());
            sentences.push(self.headline());
        }
        match self.best {
            None => sentences
                .push("No project has runs of every algorithm, so no algorithm is best.".into()),
            Some(best) => {
                sentences.push(self.means(best));
                if let Some(second) = best.others.first() {
                    sentences.push(self.best_pair(best, second));
                    sentences.push(self.by_project(best, second));
                }
            }
        }
        if !self.decisions.is_empty() {
            sentences.push(self.rule());
        }
        sentences.push(missing(self.results));
        sentences.extend(selection(self.results));
        sentences
    }

    fn name(&self, algorithm: usize) -> String {
        self.results.algorithms[algorithm].clone()
    }

    fn headline(&self) -> String {
        let mut beaten: BTreeMap<usize, Vec<&Decision>> = BTreeMap::new();
        for decision in self.decisions {
            if let Some((winner, _)) = decision.winner_and_loser() {
                beaten.entry(winner).or_default().push(decision);
            }
        }
        let open = |verdict| {
            let names =
                |one: &Decision| format!("{} and {}", self.name(one.first), self.name(one.second));
            let pairs = self.decisions.iter().filter(|one| one.verdict == verdict);
            pairs.map(names).collect::<Vec<String>>()
        };
        let listed = |pairs: &[String]| match pairs.len() {
            n if n > MAX_PAIRS => format!("{n} pairs"),
            _ => pairs.join("; "),
        };
        let (few, undecided, equivalent) =
            (open(Verdict::TooFew), open(Verdict::Undecided), open(Verdict::Equivalent));
        let most = self.decisions.iter().map(|one| one.projects.len()).max().unwrap_or(0);
        let mut winners: Vec<(usize, Vec<&Decision>)> = beaten.into_iter().collect();
        winners.sort_by_key(|(winner, own)| (std::cmp::Reverse(own.len()), *winner));
        let mut claimed: Vec<(Vec<usize>, Vec<String>, Vec<String>)> = Vec::new();
        for (winner, own) in &winners {
            let losers: Vec<usize> =
                own.iter().filter_map(|one| Some(one.winner_and_loser()?.1)).collect();
            let by: Vec<String> = own.iter().map(|one| points(one.difference.abs())).collect();
            match claimed.iter_mut().find(|(same, _, _)| *same == losers) {
                Some((_, names, margins)) => {
                    names.push(self.name(*winner));
                    margins.push(by.join(" and "));
                }
                None => claimed.push((losers, vec![self.name(*winner)], vec![by.join(", ")])),
            }
        }
        let more = claimed.len().saturating_sub(MAX_CLAIMS);
        let mut claims: Vec<String> = claimed
            .iter()
            .take(MAX_CLAIMS)
            .map(|(losers, names, by)| {
                let losers: Vec<String> = losers.iter().map(|&loser| self.name(loser)).collect();
                let verb = if names.len() > 1 { "cover" } else { "covers" };
                let by = by.join(" and ");
                format!("{} {verb} more than {} (by {by} points)", joined(names), joined(&losers))
            })
            .collect();
        if more > 0 {
            claims.push(format!("{more} more in the table of verdicts"));
        }
        let over = counted(most, "project");
        let looked = if self.results.is_looked_at() { " so far" } else { "" };
        let mut text = if claims.is_empty() && few.len() == self.decisions.len() {
            format!("Nothing is decided{looked}: {}", self.too_few(most))
        } else if claims.is_empty() && undecided.is_empty() {
            format!("No algorithm covers more than another{looked} over {over}")
        } else if claims.is_empty() {
            format!("No difference between algorithms is shown{looked} over {over}")
        } else {
            format!("{}, over {over}", claims.join("; "))
        };
        if !equivalent.is_empty() {
            text += &format!("; equivalent: {}", listed(&equivalent));
        }
        if !undecided.is_empty() && !claims.is_empty() {
            text += &format!("; undecided{looked}: {}", listed(&undecided));
        }
        if !few.is_empty() && few.len() < self.decisions.len() {
            text += &format!("; too few to decide: {}", listed(&few));
        }
        text + "."
    }

    fn too_few(&self, most: usize) -> String {
        if self.results.is_looked_at() {
            let needed = crate::findings::MIN_ROUNDS;
            return format!(
                "{needed} seeds with which all runs have ended are needed, because interim results \
                 are looked at repeatedly"
            );
        }
        format!("a test over projects needs at least {MIN_SAMPLE} projects, not {most}")
    }

    fn certainty(&self) -> Option<String> {
        let order = self.order.ok()?;
        let first = order.algorithms.first()?;
        let names: Vec<String> =
            order.algorithms.iter().map(|one| self.name(one.algorithm)).collect();
        let shown = match &names[..] {
            [_, _] | [_, _, _] | [_, _, _, _] => names.join(", "),
            all => format!("{}, ..., {}", all[..2].join(", "), all[all.len() - 1]),
        };
        let here = match first.best_here {
            Some(here) => format!(" ({} on exactly these projects)", probability(here)),
            None => String::new(),
        };
        Some(format!(
            "On projects like these, {} has the highest mean coverage with probability {}{here}, and \
             the order {shown} holds with probability {}.",
            self.name(first.algorithm),
            probability(first.best),
            probability(order.probability)
        ))
    }

    fn means(&self, best: &Best) -> String {
        let (label, mean) = (self.name(best.algorithm), percent(best.mean));
        let n = counted(best.projects.len(), "project");
        let others: Vec<String> = best
            .others
            .iter()
            .map(|o| format!("{} for {}", percent(o.mean), self.name(o.algorithm)))
            .collect();
        match &others[..] {
            [] => format!(
                "{label} has a mean coverage of {mean} over {n}; there is nothing to compare."
            ),
            [.., last] if others.len() > 3 => format!(
                "{label} has the highest mean coverage of {} algorithms over {n}: {mean}, against {}, \
                 the second, and {last}, the last.",
                others.len() + 1,
                others[0]
            ),
            all => {
                format!(
                    "{label} has the highest mean coverage over {n}: {mean}, against {}.",
                    joined(all)
                )
            }
        }
    }

    fn best_pair(&self, best: &Best, second: &Other) -> String {
        let [first, other] = [best.algorithm, second.algorithm].map(|a| self.name(a));
        let pair = (best.algorithm, second.algorithm);
        let found = self
            .decisions
            .iter()
            .find(|one| (one.first, one.second) == pair || (one.second, one.first) == pair);
        let mut text =
            format!("That is {} percentage points more than {other}", points(second.difference));
        if let Some((one, interval)) = found.and_then(|one| Some((one, one.interval.ok()?))) {
            let (low, high) = if one.first == best.algorithm {
                (interval.low, interval.high)
            } else {
                (-interval.high, -interval.low)
            };
            let about = if one.rounds.is_some() { "valid for all looks" } else { "over projects" };
            text += &format!(" (95 % interval {about}: {} to {})", points(low), points(high));
        }
        if let Some(a12) = second.comparison.mean_a12() {
            text +=
                &format!(", and a run of {first} covers more with probability {a12:.2} (mean A12)");
        }
        if let Some(one) = found {
            let p = one.p.and_then(Result::ok).zip(one.p_holm);
            if let Some((p, corrected)) = p {
                text += &format!(
                    "; Wilcoxon signed-rank test over {}: {}, {} after Holm's correction",
                    counted(one.projects.len(), "project"),
                    p.equation(),
                    if corrected < 5e-5 {
                        "< 0.0001".to_owned()
                    } else {
                        format!("{corrected:.4}")
                    }
                );
            }
        }
        text + "."
    }

    fn by_project(&self, best: &Best, second: &Other) -> String {
        let [first, other] = [best.algorithm, second.algorithm].map(|a| self.name(a));
        let pair = &second.comparison;
        let (counts, holm) = (pair.counts(Correction::None), pair.counts(Correction::Holm));
        let n = counted(pair.per_project.len(), "project");
        let found = format!(
            "On {} of {n} {first} is better than {other} by A12 and on {} worse",
            counts.better, counts.worse
        );
        if self.results.is_looked_at() {
            return format!("{found}.");
        }
        let most = pair.per_project.iter().map(|p| p.runs.0.min(p.runs.1)).max().unwrap_or(0);
        if pair.too_few_runs() == pair.per_project.len() {
            return format!(
                "{found}; with {} of an algorithm on a project, none of these differences can be \
                 significant: {} are needed for p < {LEVEL}.",
                counted(most, "run"),
                runs_needed(LEVEL)
            );
        }
        format!(
            "{found}, significantly on {} and {} after Holm's correction over the projects \
             (Mann-Whitney U test, p < {LEVEL}; {} and {} without it).",
            holm.significantly_better,
            holm.significantly_worse,
            counts.significantly_better,
            counts.significantly_worse
        )
    }

    fn rule(&self) -> String {
        let margin = MARGIN * 100.0;
        if self.results.is_looked_at() {
            return format!(
                "One rule decides: an algorithm covers more on these projects if the interval of the mean \
                 difference over seeds, which holds for all looks, does not contain 0, and two algorithms are \
                 equivalent if it is within ±{} percentage points; p-values are not shown, because they \
                 are not valid for a study that is looked at repeatedly.",
                self.results.margin() * 100.0
            );
        }
        format!(
            "One rule decides: an algorithm covers more if the Wilcoxon signed-rank test over projects \
             has p < {LEVEL} after Holm's correction over all pairs, and two are equivalent if the 95 % \
             interval of their difference is within {margin} percentage point; tests on single projects \
             say where algorithms differ, not which is better."
        )
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_read_them() {
        assert_eq!((points(-0.0001), points(0.123)), ("0.0".to_owned(), "12.3".to_owned()));
        assert_eq!(probability(0.9999), "more than 99 %");
        assert_eq!(joined(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
