//! The named algorithms for games, and their parameters.

use catherd_scratch_testgen::{Configuration, GenerateError, GenerationSettings};
use catherd_search::{Field, Parameters, Setting, UnknownAlgorithm};

use crate::explore::Explore;
use crate::neat::{MioNeatest, MosaNeatest, Neatest, NewsdNeatest};
use crate::reflex::Reflex;

/// Names of baselines, each with its algorithm of `catherd-search` and a summary. By default, the
/// tests of these baselines have up to [`LONG_EVENTS`] events.
pub const LONG: [(&str, &str, &str); 2] = [
    ("mio-long", "mio", "mio with tests of up to 150 events, for games"),
    ("mosa-long", "mosa", "mosa with tests of up to 150 events, for games"),
];

/// Default maximum number of events of a test of an algorithm in [`LONG`].
pub const LONG_EVENTS: usize = 150;

/// The configuration of the algorithm with a name in [`LONG`]; `None` for other names.
///
/// # Errors
/// If a parameter is unknown, or a value is not allowed.
pub fn long(
    name: &str,
    parameters: &[(&str, Setting<'_>)],
) -> Option<Result<Configuration, GenerateError>> {
    let (_, algorithm, _) = LONG.iter().find(|(long, ..)| *long == name)?;
    let events = [("max_events", Setting::Number(LONG_EVENTS as f64))];
    // A given value replaces the default, because the last value of a parameter is used.
    let all: Vec<_> = events.into_iter().chain(parameters.iter().copied()).collect();
    Some(Configuration::new(algorithm, &all))
}

/// An algorithm for games with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Game {
    /// State-space search for tests that each cover goals under one seed.
    Explore(Explore),
    /// Search for policies that cover goals under any seed.
    Reflex(Reflex),
    /// Both searches.
    Play {
        /// Parameters of the state-space search.
        explore: Box<Explore>,
        /// Parameters of the search for policies.
        reflex: Box<Reflex>,
    },
    /// Neuroevolution of networks that cover goals under any seed, a baseline for the other
    /// algorithms.
    Neatest(Neatest),
    /// Neuroevolution for all goals at once, sorted as in MOSA.
    MosaNeatest(MosaNeatest),
    /// Neuroevolution with a population for each goal, as in MIO.
    MioNeatest(MioNeatest),
    /// Neuroevolution for all goals at once, decomposed as in NEWS/D.
    NewsdNeatest(NewsdNeatest),
}

impl Game {
    /// The names of all algorithms.
    pub const NAMES: [&'static str; 7] =
        ["explore", "reflex", "play", "neatest", "mosa-neatest", "mio-neatest", "newsd-neatest"];

    /// The algorithm with this name and its default parameters.
    ///
    /// # Errors
    /// If there is no such algorithm.
    pub fn named(name: &str) -> Result<Self, UnknownAlgorithm> {
        match name {
            "explore" => Ok(Self::Explore(Explore::default())),
            "reflex" => Ok(Self::Reflex(Reflex::default())),
            "play" => Ok(Self::Play { explore: Box::default(), reflex: Box::default() }),
            "neatest" => Ok(Self::Neatest(Neatest::default())),
            "mosa-neatest" => Ok(Self::MosaNeatest(MosaNeatest::default())),
            "mio-neatest" => Ok(Self::MioNeatest(MioNeatest::default())),
            "newsd-neatest" => Ok(Self::NewsdNeatest(NewsdNeatest::default())),
            _ => Err(UnknownAlgorithm(name.to_owned())),
        }
    }

    /// Name of the algorithm.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Explore(_) => Self::NAMES[0],
            Self::Reflex(_) => Self::NAMES[1],
            Self::Play { .. } => Self::NAMES[2],
            Self::Neatest(_) => Self::NAMES[3],
            Self::MosaNeatest(_) => Self::NAMES[4],
            Self::MioNeatest(_) => Self::NAMES[5],
            Self::NewsdNeatest(_) => Self::NAMES[6],
        }
    }

    /// Summary in one line.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::Explore(_) => "state-space search from snapshots, for tests under one seed each",
            Self::Reflex(_) => "search for policies: readable rules that hold under any seed",
            Self::Play { .. } => "explore and reflex, with one suite of both kinds of tests",
            Self::Neatest(_) => "neuroevolution of networks that play (Neatest), a baseline",
            Self::MosaNeatest(_) => {
                "neuroevolution for all goals at once, sorted as in MOSA, a baseline"
            }
            Self::MioNeatest(_) => {
                "neuroevolution with networks kept for each goal, as in MIO, a baseline"
            }
            Self::NewsdNeatest(_) => {
                "neuroevolution with new topologies protected, as in NEWS/D, a baseline"
            }
        }
    }
}

impl Parameters for Game {
    fn fields(&mut self) -> Vec<Field<'_>> {
        match self {
            Self::Explore(explore) => explore.fields(),
            Self::Reflex(reflex) => reflex.fields(),
            Self::Play { explore, reflex } => {
                let mut fields = explore.fields();
                fields.extend(reflex.fields());
                fields
            }
            Self::Neatest(neatest) => neatest.fields(),
            Self::MosaNeatest(mosa) => mosa.fields(),
            Self::MioNeatest(mio) => mio.fields(),
            Self::NewsdNeatest(newsd) => newsd.fields(),
        }
    }
}

/// An algorithm for games with all its parameters and the settings of test generation.
#[derive(Clone, Debug, PartialEq)]
pub struct GameConfiguration {
    /// The algorithm.
    pub game: Game,
    /// Settings of test generation.
    pub settings: GenerationSettings,
}

impl GameConfiguration {
    /// Creates a configuration of a named algorithm, with named parameters of the algorithm and of
    /// test generation, and defaults for the other parameters.
    ///
    /// # Errors
    /// If the algorithm or a parameter is unknown, or a value is not allowed.
    pub fn new(name: &str, parameters: &[(&str, Setting<'_>)]) -> Result<Self, GenerateError> {
        let mut configuration =
            Self { game: Game::named(name)?, settings: GenerationSettings::default() };
        for &(name, value) in parameters {
            configuration.set(name, value)?;
        }
        let GenerationSettings { min_events, max_events, .. } = configuration.settings;
        if min_events > max_events {
            return Err(GenerateError::Events { min_events, max_events });
        }
        Ok(configuration)
    }
}

impl Parameters for GameConfiguration {
    fn fields(&mut self) -> Vec<Field<'_>> {
        let mut fields = self.game.fields();
        fields.extend(self.settings.fields());
        fields
    }
}

#[cfg(test)]
mod tests {
    use catherd_search::ParameterKind;

    use super::*;

    fn refusal(name: &str, parameter: &str, value: f64) -> String {
        let value = Setting::Number(value);
        GameConfiguration::new(name, &[(parameter, value)]).unwrap_err().to_string()
    }

    /// An invalid configuration is refused before anything is allocated or executed.
    #[test]
    fn values_out_of_range_are_refused_with_the_parameter_and_its_range() {
        for name in Game::NAMES {
            for parameter in Game::named(name).unwrap().parameters() {
                let (low, high, whole) = match parameter.kind {
                    ParameterKind::Number { low, high } => (low, high, false),
                    ParameterKind::Count { low, high } => (low as f64, high as f64, true),
                    _ => continue,
                };
                let mut wrong = vec![low - 1.0, high * 2.0 + 1.0];
                wrong.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
                wrong.extend(whole.then_some(low + 0.5));
                for value in wrong {
                    let (given, kind) = (Setting::Number(value), &parameter.kind);
                    let of = parameter.name;
                    let expected = format!("parameter `{of}` is {given}, but must be {kind}");
                    assert_eq!(refusal(name, of, value), expected, "{name}");
                }
            }
        }
    }

    #[test]
    fn populations_of_hostile_sizes_are_refused() {
        for value in [0.0, -1.0, 999_999_999.0] {
            let refused = refusal("newsd-neatest", "population", value);
            let range = "but must be a whole number from 4 to 10000";
            assert_eq!(refused, format!("parameter `population` is {value}, {range}"));
        }
    }

    #[test]
    fn a_minimum_of_events_above_the_maximum_is_refused() {
        let events = [("min_events", Setting::Number(9.0)), ("max_events", Setting::Number(1.0))];
        let refused = GameConfiguration::new("explore", &events).unwrap_err().to_string();
        assert_eq!(refused, "min_events is 9, but max_events is 1");
    }

    #[test]
    fn parameters_that_an_algorithm_lacks_are_refused() {
        let refused = refusal("newsd-neatest", "generations", -1.0);
        assert_eq!(refused, "unknown parameter `generations`");
    }
}
