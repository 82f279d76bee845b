//! Tables on whether results that depend on real time are reliable.

use super::CaptionedTable;
use crate::findings::RealTime;
use crate::table::{Cell, Table};
use crate::tidy::SHARES;

/// The tests for disturbances, and the measured disturbances.
pub fn real_time(found: &RealTime) -> CaptionedTable {
    let mut table = Table::new(&[
        ("disturbance", "Disturbance"),
        ("runs", "Runs"),
        ("disturbed", "Disturbed"),
        ("effect", "Effect"),
        ("between", "Of"),
        ("p", "p"),
        ("p_holm", "p (Holm)"),
    ]);
    for one in &found.disturbances {
        let cells = vec![
            Cell::Text(one.about.clone()),
            Cell::Count(one.measured),
            Cell::Count(one.runs.len()),
            Cell::Missing,
            Cell::Missing,
            Cell::Missing,
            Cell::Missing,
        ];
        table.push_with_runs(cells, one.runs.iter().copied());
    }
    for test in &found.tests {
        let effect = test.effect.as_ref();
        let cells = vec![
            Cell::Text(format!("speed depends on {}", test.about)),
            Cell::Count(test.runs.len()),
            Cell::Missing,
            Cell::share(effect.map(|effect| effect.0), 1),
            effect.map_or(Cell::Missing, |effect| Cell::Text(effect.1.clone())),
            Cell::Number(test.p, 4),
            Cell::Number(test.p_holm, 4),
        ];
        table.push_with_runs(cells, test.runs.iter().copied());
    }
    CaptionedTable {
        name: "real-time",
        title: "Whether results that depend on real time are reliable".to_owned(),
        caption: format!(
            "{} Disturbed: runs with the disturbance. Permutation tests over the runs of the same \
             project and algorithm, with ranks of their speed ({}) (Good, 2005); p-values with Holm's \
             correction over all tests. Effect: relative difference between the mean speed of the runs under \
             Of and the mean speed of the other runs.",
            found.sentence(),
            found.response
        ),
        table,
    }
}

/// Speed and conditions by core, or by host if the core is not known.
pub fn places(found: &RealTime) -> CaptionedTable {
    let mut table = Table::new(&[
        ("place", "Place"),
        ("runs", "Runs"),
        ("speed", "Relative speed"),
        (SHARES[0], "Others on the core"),
        (SHARES[1], "Siblings busy"),
        (SHARES[2], "Machine busy"),
        (SHARES[3], "Steal"),
        ("throttled", "Throttled"),
    ]);
    for place in &found.places {
        let mut cells = vec![
            Cell::Text(place.name.clone()),
            Cell::Count(place.runs.len()),
            Cell::number(place.speed, 3),
        ];
        cells.extend(place.shares.map(|share| Cell::share(share, 1)));
        cells.push(super::count(place.throttled));
        table.push_with_runs(cells, place.runs.iter().copied());
    }
    CaptionedTable {
        name: "places",
        title: "Speed by core".to_owned(),
        caption: format!(
            "Relative speed: mean over runs of the speed ({}) divided by the geometric mean speed of the runs of the same \
             project and algorithm. Means of the shares of the time of runs in which other processes used the \
             core, its other hyper-threads and the other cores of the machine were busy, and the hypervisor \
             took the core; and how often the core was slowed down because of its temperature.",
            found.response
        ),
        table,
    }
}
