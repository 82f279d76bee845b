//! Algorithms of the kind, and the parameters that studies set.

mod values;

use catherd_experiments::{Algorithm, Mutation, Parameter};
use catherd_interface::{AlgorithmInfo, FieldError, ParameterInfo, Values};
use catherd_sequences_testing::suite::{Evolution, Profile, Ties};
use catherd_sequences_testing::{Criterion, DEFAULT_LENGTH, Sampler, split_list};

use values::Settings;

/// The prefix of parameters that map events to letters: `alphabet.EVENT = "LETTER"`.
const LETTERS: &str = "alphabet.";

/// The value of `criterion` that stands for the criterion of the parameter `goals`.
const SAME: &str = "goals";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Configuration {
    pub(crate) method: Method,
    /// The criterion that the search optimises.
    pub(crate) criterion: String,
    /// The criterion by which coverage is reported.
    pub(crate) goals: String,
    /// Further criteria by which the suite is ranked.
    pub(crate) measure: Vec<String>,
    /// Number of tests of a suite.
    pub(crate) size: usize,
    pub(crate) pool: PoolSettings,
    /// Maximum number of states that are explored.
    pub(crate) states: usize,
    pub(crate) bugs: Bugs,
    pub(crate) rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PoolSettings {
    pub(crate) letters: Letters,
    pub(crate) sampler: Sampler,
    pub(crate) walks: u64,
    /// The seed of the pool; `None` for the seed of the run.
    pub(crate) seed: Option<u64>,
    pub(crate) length: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Letters {
    Names,
    Events,
    /// The letter of each listed event or name; other events have no letter.
    Mapped(Vec<(String, String)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Method {
    Unranked,
    BestOf { tries: u64 },
    Evolution(Evolution),
    Greedy { ties: Ties },
    Local { restarts: u64 },
    Direct,
    Optimal,
    Risk { rule: Rule, keep: u64, repeats: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bugs {
    All,
    None,
    Named(Vec<String>),
}

/// The rule by which a test detects a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The test contains the events of the fault directly after one another.
    Trigger,
    /// The test contains the events of the fault in this order, possibly with other events between
    /// them.
    TriggerSubsequence,
    /// The test fails on the faulty system.
    Replay,
}

impl Rule {
    pub(crate) const ALL: [Rule; 3] = [Rule::Trigger, Rule::TriggerSubsequence, Rule::Replay];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Rule::Trigger => "trigger",
            Rule::TriggerSubsequence => "trigger-subsequence",
            Rule::Replay => "replay",
        }
    }
}

const NAMES: [(&str, &str); 8] = [
    ("unranked", "tests of the pool at random"),
    ("best-of", "the best of some random suites"),
    ("ga", "a genetic algorithm over suites (Elyasaf et al., section 5)"),
    ("greedy", "adds the test with the most new items"),
    ("local", "a greedy suite, then random ones, improved by swaps of single tests"),
    ("direct", "no pool: shortest traces to items that are not covered, continued by walks"),
    ("optimal", "the best of all suites, for at most 4 tests from a pool of at most 300"),
    ("risk", "executes the pool on a faulty system and estimates the risk of each item"),
];

fn parameter(name: &str, default: Parameter, values: Values, meaning: &str) -> ParameterInfo {
    ParameterInfo {
        name: name.to_owned(),
        default: Some(default),
        values,
        meaning: meaning.to_owned(),
    }
}

/// For parameters whose defaults the algorithm sets.
fn without_default(name: &str, values: Values, meaning: &str) -> ParameterInfo {
    ParameterInfo { name: name.to_owned(), default: None, values, meaning: meaning.to_owned() }
}

fn evolution_parameters() -> Vec<ParameterInfo> {
    let share = || Values::Number { low: 0.0, high: 1.0 };
    vec![
        parameter(
            "profile",
            text("paper"),
            choice(&["paper", "released", "released-grouped"]),
            "settings: of the paper by Elyasaf et al., of its released program, or of the latter with \
             mutations in groups",
        ),
        without_default(
            "population",
            whole(1, 100_000),
            "suites of a generation; the profile paper has 100, the others 50",
        ),
        without_default(
            "tournament",
            whole(1, 1000),
            "suites that are drawn, of which the best is a parent; 3 by default",
        ),
        without_default(
            "crossover",
            share(),
            "probability that two parents exchange tests; 0.7 by default",
        ),
        without_default(
            "mutation",
            share(),
            "probability that a test of a child is replaced; 0.05 by default",
        ),
    ]
}

fn choice(words: &[&str]) -> Values {
    Values::Choice { words: words.iter().map(|&word| word.to_owned()).collect() }
}

/// Every algorithm accepts the common parameters, even if it ignores some, so that a study can set
/// them for all algorithms.
fn parameters(algorithm: &str) -> Vec<ParameterInfo> {
    let mut all = common();
    all.extend(own(algorithm));
    all
}

fn text(text: &str) -> Parameter {
    Parameter::Text(text.to_owned())
}

fn whole(low: i64, high: i64) -> Values {
    Values::Integer { low, high }
}

fn common() -> Vec<ParameterInfo> {
    let int = Parameter::Integer;
    let rules = Rule::ALL.map(Rule::name).join(", ");
    vec![
        parameter(
            "criterion",
            text(SAME),
            Values::Text,
            "criterion that the search optimises; goals: the same as the parameter goals",
        ),
        parameter(
            "goals",
            text("consecutive:2"),
            Values::Text,
            "criterion by which coverage is measured; should be the same for all algorithms of a \
             study",
        ),
        parameter(
            "measure",
            text(""),
            Values::Text,
            "list of further criteria by which suites are ranked",
        ),
        parameter("size", int(10), whole(1, 100_000), "tests of a suite"),
        parameter(
            "alphabet",
            text("names"),
            Values::Text,
            "letters of criteria: names of events, events with their fields, or a table of the \
             letter of each event",
        ),
        parameter("pool", int(50_000), whole(1, 100_000_000), "walks of the pool"),
        parameter(
            "pool_seed",
            int(1),
            Values::Text,
            "seed of the pool; run: the seed of the run, so that each seed has its own pool",
        ),
        parameter(
            "sampler",
            text("steps"),
            choice(&Sampler::NAMES),
            "how walks choose events: all equally likely, all traces equally likely, by weight, or \
             those that earlier walks took least",
        ),
        parameter(
            "length",
            int(DEFAULT_LENGTH as i64),
            whole(1, 1_000_000),
            "maximum number of events of a test",
        ),
        parameter(
            "states",
            int(1_000_000),
            whole(1, 100_000_000),
            "maximum number of states that are explored",
        ),
        parameter(
            "bugs",
            text("all"),
            Values::Text,
            "faults for which suites are checked: all, none, or a list of names",
        ),
        parameter(
            "detect",
            text(&rules),
            Values::Text,
            &format!("rules by which a test detects a fault: a list of some of {rules}"),
        ),
    ]
}

fn own(algorithm: &str) -> Vec<ParameterInfo> {
    let int = Parameter::Integer;
    match algorithm {
        "best-of" => {
            vec![parameter("tries", int(1000), whole(1, i64::MAX), "random suites")]
        }
        "ga" => evolution_parameters(),
        "greedy" => vec![parameter(
            "ties",
            text("first"),
            choice(&["first", "random"]),
            "which of several tests with the same gain is added",
        )],
        "local" => vec![parameter(
            "restarts",
            int(2),
            whole(0, 1_000_000),
            "random suites that are improved after the greedy one",
        )],
        "risk" => vec![
            parameter(
                "rule",
                text("trigger"),
                choice(&Rule::ALL.map(Rule::name)),
                "when a test fails: it detects one of the faults by this rule",
            ),
            parameter(
                "keep",
                int(1000),
                whole(0, i64::MAX),
                "minimum number of tests that must cover an item for its variance to count",
            ),
            parameter(
                "duplicates",
                text("removed"),
                choice(&["removed", "kept"]),
                "whether a test that several walks of the pool make is executed once or for each \
                 walk",
            ),
        ],
        _ => Vec::new(),
    }
}

pub(crate) fn algorithms() -> Vec<AlgorithmInfo> {
    let info = |&(name, summary): &(&str, &str)| AlgorithmInfo {
        name: name.to_owned(),
        summary: summary.to_owned(),
        parameters: parameters(name),
    };
    NAMES.iter().map(info).collect()
}

pub(crate) fn read(algorithm: &Algorithm) -> Result<Configuration, FieldError> {
    if !NAMES.iter().any(|(name, _)| *name == algorithm.name) {
        return Err(FieldError::unknown_algorithm(&algorithm.name, &NAMES.map(|(name, _)| name)));
    }
    let (letters, others): (Vec<_>, Vec<_>) =
        algorithm.parameters.iter().partition(|(name, _)| name.starts_with(LETTERS));
    let settings = Settings::new(parameters(&algorithm.name), &others)?;
    let criterion = |name: &str, text: &str| match Criterion::check(text) {
        Ok(()) => Ok(text.trim().to_owned()),
        Err(error) => Err(values::refused(name, error.to_string(), error.hint)),
    };
    let goals = criterion("goals", &settings.text("goals"))?;
    let own = match &*settings.text("criterion") {
        "" | SAME => goals.clone(),
        text => criterion("criterion", text)?,
    };
    let measure = split_list(&settings.text("measure"));
    let measure: Vec<String> =
        measure.iter().map(|text| criterion("measure", text)).collect::<Result<_, _>>()?;
    let bugs = match &*settings.text("bugs") {
        "all" => Bugs::All,
        "none" => Bugs::None,
        names => Bugs::Named(split_list(names)),
    };
    Ok(Configuration {
        method: method(&algorithm.name, &settings),
        criterion: own,
        goals,
        measure,
        size: settings.number("size") as usize,
        pool: PoolSettings {
            letters: alphabet(&settings, &letters)?,
            sampler: Sampler::named(&settings.text("sampler")).unwrap_or_default(),
            walks: settings.number("pool"),
            seed: pool_seed(&settings)?,
            length: settings.number("length") as usize,
        },
        states: settings.number("states") as usize,
        bugs,
        rules: rules(&settings)?,
    })
}

/// The mutants are the few faults of a built-in system, so samples of them are not supported.
pub(crate) fn check_mutation(mutation: &Mutation) -> Result<(), FieldError> {
    let set = [
        ("sample", mutation.sample.is_some()),
        ("seed", mutation.seed.is_some()),
        ("block_factor", mutation.block_factor.is_some()),
    ];
    match set.into_iter().find(|(_, is_set)| *is_set) {
        Some((name, _)) => Err(FieldError {
            field: None,
            cause: format!("mutation.{name}: the mutants of a model are the faults of its system"),
            advice: "name some of them by mutation.operators, or write mutation = true".to_owned(),
        }),
        None => Ok(()),
    }
}

fn method(name: &str, settings: &Settings) -> Method {
    let is = |parameter: &str, word: &str| settings.text(parameter) == word;
    match name {
        "unranked" => Method::Unranked,
        "best-of" => Method::BestOf { tries: settings.number("tries") },
        "ga" => Method::Evolution(evolution(settings)),
        "greedy" if is("ties", "random") => Method::Greedy { ties: Ties::Random },
        "greedy" => Method::Greedy { ties: Ties::First },
        "local" => Method::Local { restarts: settings.number("restarts") },
        "direct" => Method::Direct,
        "optimal" => Method::Optimal,
        _ => {
            let rule = Rule::ALL.into_iter().find(|rule| is("rule", rule.name()));
            let rule = rule.unwrap_or(Rule::Trigger);
            let repeats = is("duplicates", "kept");
            Method::Risk { rule, keep: settings.number("keep"), repeats }
        }
    }
}

fn evolution(settings: &Settings) -> Evolution {
    let profile = match &*settings.text("profile") {
        "released" => Profile::Released,
        "released-grouped" => Profile::ReleasedGrouped,
        _ => Profile::Paper,
    };
    let usual = Evolution::from(profile);
    let count = |name, usual| settings.whole(name).map_or(usual, |number| number as usize);
    Evolution {
        profile,
        population: count("population", usual.population),
        tournament: count("tournament", usual.tournament),
        crossover: settings.real("crossover").unwrap_or(usual.crossover),
        mutation: settings.real("mutation").unwrap_or(usual.mutation),
    }
}

fn alphabet(settings: &Settings, letters: &[(&String, &Parameter)]) -> Result<Letters, FieldError> {
    if !letters.is_empty() {
        let pair = |(name, value): &(&String, &Parameter)| match value {
            Parameter::Text(letter) if !letter.is_empty() => {
                Ok((name[LETTERS.len()..].to_owned(), letter.clone()))
            }
            _ => Err(values::refused(
                name,
                "a letter must be a non-empty string",
                "write \"EVENT\" = \"a\"",
            )),
        };
        return letters.iter().map(pair).collect::<Result<_, _>>().map(Letters::Mapped);
    }
    match &*settings.text("alphabet") {
        "names" => Ok(Letters::Names),
        "events" => Ok(Letters::Events),
        other => {
            let cause = format!("parameter `alphabet` is `{other}`");
            let advice = "write names, events, or a table such as { \"Quiz.Submit\" = \"quiz\" }";
            Err(values::refused("alphabet", cause, advice))
        }
    }
}

fn pool_seed(settings: &Settings) -> Result<Option<u64>, FieldError> {
    match &*settings.text("pool_seed") {
        "run" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            let cause = format!("parameter `pool_seed` is `{text}`");
            values::refused("pool_seed", cause, "write a whole number, or run")
        }),
    }
}

fn rules(settings: &Settings) -> Result<Vec<Rule>, FieldError> {
    let rule = |name: &String| {
        Rule::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| {
            let cause = format!("parameter `detect` names `{name}`");
            let known = Rule::ALL.map(Rule::name).join(", ");
            values::refused("detect", cause, format!("write some of {known}"))
        })
    };
    split_list(&settings.text("detect")).iter().map(rule).collect()
}
