//! Generators of suites: the algorithms of the search, and the algorithms for games.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_games::{Game, GameConfiguration, GameRequest};
use catherd_scratch_sb3::Project;
use catherd_scratch_testgen::{
    Assertions, Configuration, GenerateError, Generated, GenerationSettings, Prepared, Request,
};
use catherd_search::{Budget, Parameters, Progress, Setting};

/// A named algorithm with all its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Search(Configuration),
    Game(GameConfiguration),
}

/// The seed, budget and other inputs of a run.
#[derive(Clone, Debug)]
pub struct GeneratorRequest {
    /// Seed of all random numbers of the run.
    pub seed: u64,
    /// Budget of the search.
    pub budget: Budget,
    /// Name of the project in suites, usually its digest.
    pub project: String,
    /// Regression assertions to add to the suite; `None` for a suite without assertions.
    pub assertions: Option<Assertions>,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct GeneratedSuite {
    /// The part of the result that all algorithms produce.
    pub generated: Generated,
    /// Counts that only some algorithms report, by name.
    pub further: Vec<(&'static str, u64)>,
}

impl Generator {
    /// The names of all algorithms.
    pub fn names() -> Vec<&'static str> {
        let long = catherd_scratch_games::LONG.iter().map(|(name, ..)| *name);
        catherd_search::Algorithm::NAMES.into_iter().chain(long).chain(Game::NAMES).collect()
    }

    /// Creates a named algorithm with named parameters, and defaults for the other parameters.
    ///
    /// # Errors
    ///
    /// If the algorithm or a parameter does not exist, or if a value is not allowed.
    pub fn new(name: &str, parameters: &[(&str, Setting<'_>)]) -> Result<Self, GenerateError> {
        let kind = if Game::NAMES.contains(&name) {
            Kind::Game(GameConfiguration::new(name, parameters)?)
        } else {
            let long = catherd_scratch_games::long(name, parameters);
            Kind::Search(long.unwrap_or_else(|| Configuration::new(name, parameters))?)
        };
        Ok(Self { name: name.to_owned(), kind })
    }

    /// A summary of the algorithm in one line.
    pub fn summary(&self) -> &'static str {
        match &self.kind {
            Kind::Game(configuration) => configuration.game.summary(),
            Kind::Search(configuration) => {
                let long = catherd_scratch_games::LONG.iter().find(|(name, ..)| *name == self.name);
                long.map_or(configuration.algorithm.summary(), |(.., summary)| summary)
            }
        }
    }

    /// The parameters of the algorithm and of test generation.
    pub fn parameters(&self) -> Vec<catherd_search::Parameter> {
        match &self.kind {
            Kind::Game(configuration) => configuration.parameters(),
            Kind::Search(configuration) => configuration.parameters(),
        }
    }

    /// Whether this is an algorithm for games.
    pub fn is_for_games(&self) -> bool {
        matches!(self.kind, Kind::Game(_))
    }

    /// Settings of test generation.
    pub fn settings(&self) -> &GenerationSettings {
        match &self.kind {
            Kind::Game(configuration) => &configuration.settings,
            Kind::Search(configuration) => &configuration.settings,
        }
    }

    /// Mutable settings of test generation.
    pub fn settings_mut(&mut self) -> &mut GenerationSettings {
        match &mut self.kind {
            Kind::Game(configuration) => &mut configuration.settings,
            Kind::Search(configuration) => &mut configuration.settings,
        }
    }

    /// Generates a suite for a project that was prepared with the [settings](Generator::settings).
    /// `on_progress` is called during the search and may end it.
    pub fn generate(
        &self,
        prepared: &Arc<Prepared>,
        project: &Project,
        request: GeneratorRequest,
        on_progress: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> GeneratedSuite {
        let GeneratorRequest { seed, budget, project: digest, assertions } = request;
        match &self.kind {
            Kind::Search(configuration) => {
                let algorithm = configuration.algorithm.clone();
                let request = Request { algorithm, seed, budget, project: digest, assertions };
                let mut generated = prepared.generate(&request, on_progress);
                generated.suite.algorithm.clone_from(&self.name);
                GeneratedSuite { generated, further: Vec::new() }
            }
            Kind::Game(configuration) => {
                let game = configuration.game.clone();
                let request = GameRequest { game, seed, budget, project: digest, assertions };
                let made =
                    catherd_scratch_games::generate(prepared, project, &request, on_progress);
                GeneratedSuite { generated: made.generated, further: made.counts }
            }
        }
    }
}
