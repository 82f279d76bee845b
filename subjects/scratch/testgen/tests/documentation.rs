//! Compares `docs/reference/algorithms.md` with the program: the page lists every algorithm with
//! its summary, and every parameter with its default and its meaning.

use std::collections::BTreeSet;
use std::path::Path;

use catherd_scratch_testgen::Configuration;
use catherd_search::{Algorithm, Parameters};

/// The cells of each row of a table whose first cell is code.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn names(cell: &str) -> Vec<&str> {
    cell.split(", ").map(|name| name.trim_matches('`')).collect()
}

#[test]
fn algorithms_and_defaults_are_documented() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/algorithms.md");
    let text = std::fs::read_to_string(file).unwrap();
    let mut algorithms = BTreeSet::new();
    let mut documented = BTreeSet::new();
    for cells in rows(&text) {
        let (of, defaults) = match cells.len() {
            2 => {
                algorithms.insert((names(cells[0])[0], cells[1].to_owned()));
                continue;
            }
            5 => (names(cells[1]), names(cells[2])),
            _ => (Algorithm::NAMES.to_vec(), names(cells[1])),
        };
        let meaning = cells[cells.len() - 1].replace('`', "");
        for (parameter, default) in names(cells[0]).into_iter().zip(defaults) {
            for algorithm in &of {
                documented.insert(format!("{algorithm}: {parameter} = {default}: {meaning}"));
            }
        }
    }
    let summary = |name| Algorithm::named(name).unwrap().summary().to_owned();
    let registered = Algorithm::NAMES.map(|name| (name, summary(name)));
    assert_eq!(algorithms, BTreeSet::from(registered));
    let known: BTreeSet<String> = Algorithm::NAMES
        .into_iter()
        .flat_map(|name| {
            let parameters = Configuration::new(name, &[]).unwrap().parameters();
            parameters.into_iter().map(move |parameter| {
                let default = parameter.value.to_string();
                let default = default.trim_matches('`');
                format!("{name}: {} = {default}: {}", parameter.name, parameter.meaning)
            })
        })
        .collect();
    let difference: Vec<_> = documented.symmetric_difference(&known).collect();
    assert!(difference.is_empty(), "{difference:#?}");
}
