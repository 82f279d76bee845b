//! The items with the largest estimated risk.

use statrs::distribution::{Beta, ContinuousCDF};

use super::{CaptionedTable, runs_of_project};
use crate::table::{Cell, Table};
use crate::terms::capitalised;
use crate::tidy::{ItemEvidence, Results};

const SHOWN: usize = 10;

/// The items with the largest probability that a test of the item fails (Elyasaf et al., section 6),
/// estimated from the tests of all runs.
pub fn riskiest(results: &Results, evidence: &[ItemEvidence]) -> CaptionedTable {
    let noun = results.subject.main_criterion().map_or("item", |criterion| &criterion.goal);
    let mut table = Table::new(&[
        ("project", "Project"),
        ("algorithm", "Algorithm"),
        ("item", &*capitalised(noun)),
        ("tests", "Tests"),
        ("failed", "Failed"),
        ("risk", "Risk"),
        ("low", "Low"),
        ("high", "High"),
    ]);
    let same = |a: &ItemEvidence, b: &ItemEvidence| {
        (&a.project_digest, &a.algorithm) == (&b.project_digest, &b.algorithm)
    };
    for group in evidence.chunk_by(same) {
        let is_own = |run: &u32| {
            let algorithm = results.runs[*run as usize].algorithm as usize;
            results.algorithms[algorithm] == group[0].algorithm
        };
        let runs = runs_of_project(results, &group[0].project_digest);
        let runs: Vec<u32> = runs.filter(is_own).collect();
        let mut order: Vec<&ItemEvidence> =
            group.iter().filter(|one| one.failed + one.passed > 0.0).collect();
        order.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        for one in order.into_iter().take(SHOWN) {
            let beta = Beta::new(1.0 + one.failed, 1.0 + one.passed).ok();
            let at = |p: f64| Cell::share(beta.as_ref().map(|beta| beta.inverse_cdf(p)), 2);
            let cells = vec![
                Cell::Text(one.project.clone()),
                Cell::Text(one.algorithm.clone()),
                Cell::Text(one.item.clone()),
                Cell::Count((one.failed + one.passed) as usize),
                Cell::Count(one.failed as usize),
                Cell::Share(mean(one), 2),
                at(0.025),
                at(0.975),
            ];
            table.push_with_runs(cells, runs.iter().copied());
        }
    }
    CaptionedTable {
        name: "riskiest",
        title: "The largest risks".to_owned(),
        caption: format!(
            "For each project and algorithm, the {SHOWN} items with the largest estimated risk, given the \
             tests of all runs and a uniform prior. Risk: posterior mean of the probability that a test \
             which covers the item fails; low and high: the 95 % credible interval of this probability. A test may cover several items, so \
             the estimates are not a partition of the failures."
        ),
        table,
    }
}

fn mean(one: &ItemEvidence) -> f64 {
    (1.0 + one.failed) / (2.0 + one.failed + one.passed)
}
