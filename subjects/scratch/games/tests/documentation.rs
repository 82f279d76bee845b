//! Compares `docs/reference/games.md` with the program: algorithms with their summaries, and
//! parameters with their defaults and meanings.

use std::collections::BTreeSet;
use std::path::Path;

use catherd_scratch_games::{Game, LONG};
use catherd_search::Parameters;

#[test]
fn algorithms_and_defaults_are_documented() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/games.md");
    let text = std::fs::read_to_string(file).unwrap();
    let mut section = "";
    let mut documented = BTreeSet::new();
    for line in text.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        if let Some(row) = line.strip_prefix("| `").filter(|_| section != "Measures") {
            documented
                .insert(format!("{section}: {}", row.trim_end_matches(" |").replace('`', "")));
        }
    }
    let mut known = BTreeSet::new();
    for (name, _, summary) in LONG {
        known.insert(format!(": {name} | {summary}"));
    }
    for name in Game::NAMES {
        let game = Game::named(name).unwrap();
        known.insert(format!(": {name} | {}", game.summary()));
        if name == "play" {
            // `play` has the parameters of `explore` and `reflex`.
            let of = |name| Game::named(name).unwrap().names();
            assert_eq!(game.names(), [of("explore"), of("reflex")].concat());
            continue;
        }
        for parameter in game.parameters() {
            let default = parameter.value.to_string().replace('`', "");
            known.insert(format!("{name}: {} | {default} | {}", parameter.name, parameter.meaning));
        }
    }
    let difference: Vec<_> = documented.symmetric_difference(&known).collect();
    assert!(difference.is_empty(), "{difference:#?}");
}
