//! The many-objective sorting algorithm (MOSA) and its dynamic variant.

use crate::local_search::LocalSearch;
use crate::parameters::{Field, Parameters};
use crate::problem::Problem;
use crate::ranking::{draw_rank, preference_sorting, sort_by_crowding};
use crate::search_algorithm::SearchAlgorithm;
use crate::session::{Ended, Session};
use crate::targets::Targets;

/// MOSA with local search (Whisker paper, Algorithm 8). The defaults are the values of section
/// 6.1.4 of the Whisker paper and of its published program.
#[derive(Clone, Debug, PartialEq)]
pub struct Mosa {
    /// The number of tests in the population. Default: 30.
    pub population: usize,
    /// The probability that two parents are crossed. Default: 0.7.
    pub crossover: f64,
    /// The probability that a child is mutated. Default: 1.
    pub mutation: f64,
    /// The probability of extension for each member in each generation. Default: 0.3.
    pub extension: f64,
    /// The probability of reduction for each member in each generation. Default: 0.3.
    pub reduction: f64,
    /// Whether the parents are mutated instead of the children, as in the published program.
    /// Default: off.
    pub mutate_parents: bool,
}

impl Default for Mosa {
    fn default() -> Self {
        Self {
            population: 30,
            crossover: 0.7,
            mutation: 1.0,
            extension: 0.3,
            reduction: 0.3,
            mutate_parents: false,
        }
    }
}

impl Parameters for Mosa {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::count("population", &mut self.population, 1, 10_000)
                .meaning("tests in the population"),
            Field::share("crossover", &mut self.crossover)
                .meaning("probability that two parents are crossed"),
            Field::share("mutation", &mut self.mutation)
                .meaning("probability that a child is mutated"),
            Field::share("extension", &mut self.extension).meaning(LocalSearch::MEANING),
            Field::share("reduction", &mut self.reduction).meaning(LocalSearch::MEANING),
            Field::switch("compat.mutate_parents", &mut self.mutate_parents).meaning(
                "mutate the parents instead of the children, as the published program does, so \
                 that crossover affects only children that are not mutated",
            ),
        ]
    }
}

impl SearchAlgorithm for Mosa {
    const NAME: &'static str = "mosa";
    const SUMMARY: &'static str =
        "many-objective sorting with local search (Whisker paper, Algorithm 8)";

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        let targets = Targets::all(session.archive.goals());
        self.evolve(session, targets)
    }
}

/// DynaMOSA: MOSA that respects [`Problem::dependencies`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynaMosa(pub Mosa);

impl Parameters for DynaMosa {
    fn fields(&mut self) -> Vec<Field<'_>> {
        self.0.fields()
    }
}

impl SearchAlgorithm for DynaMosa {
    const NAME: &'static str = "dynamosa";
    const SUMMARY: &'static str = "MOSA, but a goal with dependencies counts only after one of \
                                   them is covered (Panichella et al. 2018; Pynguin paper, 3.1.4)";

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        let targets = Targets::dynamic(session.problem.dependencies());
        self.0.evolve(session, targets)
    }
}

#[derive(Clone, Copy)]
enum Selection {
    Uniform,
    ByRank,
}

impl Mosa {
    fn evolve<P: Problem>(&self, session: &mut Session<'_, P>, mut targets: Targets) -> Ended {
        let mut population = Vec::with_capacity(self.population);
        while population.len() < self.population {
            let genes = session.sample();
            population.push(session.execute(genes)?);
        }
        self.local_search(session, population.iter_mut());
        let mut selection = Selection::Uniform;
        loop {
            for genes in self.offspring(session, &population, selection) {
                population.push(session.execute(genes)?);
            }
            population = self.survivors(session, population, &mut targets);
            selection = Selection::ByRank;
            self.local_search(session, population.iter_mut().rev());
            session.iterations += 1;
        }
    }

    fn offspring<P: Problem>(
        &self,
        session: &mut Session<'_, P>,
        population: &[P::Test],
        selection: Selection,
    ) -> Vec<P::Genes> {
        let mut children = Vec::with_capacity(self.population + 1);
        while children.len() < self.population {
            let parents = [(); 2].map(|()| {
                let index = match selection {
                    Selection::Uniform => session.rng.index(population.len()),
                    Selection::ByRank => {
                        population.len() - draw_rank(session.rng, population.len())
                    }
                };
                session.problem.genes(&population[index])
            });
            let [a, b] = &parents;
            let crossed: [P::Genes; 2] = if session.rng.chance(self.crossover) {
                session.problem.crossover(a, b, session.rng).into()
            } else {
                parents.clone()
            };
            for (parent, child) in parents.iter().zip(crossed) {
                children.push(if !session.rng.chance(self.mutation) {
                    child
                } else if self.mutate_parents {
                    session.mutate(parent)
                } else {
                    session.mutate(&child)
                });
            }
        }
        children.truncate(self.population);
        children
    }

    /// The result is ordered best first.
    fn survivors<P: Problem>(
        &self,
        session: &Session<'_, P>,
        tests: Vec<P::Test>,
        targets: &mut Targets,
    ) -> Vec<P::Test> {
        targets.follow(&session.archive);
        let mut chosen = Vec::with_capacity(self.population);
        for mut front in preference_sorting(&tests, targets.current(), self.population) {
            sort_by_crowding(&tests, &mut front, targets.crowding());
            front.truncate(self.population - chosen.len());
            chosen.extend(front);
            if chosen.len() == self.population {
                break;
            }
        }
        chosen.into_iter().map(|index| tests[index].clone()).collect()
    }

    /// An improved test replaces the member immediately, so reduction starts from a successful
    /// extension.
    fn local_search<'t, P: Problem<Test: 't>>(
        &self,
        session: &mut Session<'_, P>,
        members: impl Iterator<Item = &'t mut P::Test>,
    ) {
        let local = LocalSearch { extension: self.extension, reduction: self.reduction };
        for member in members {
            for (operator, probability) in local.operators() {
                let Some(test) = session.improve((operator, probability), member) else { continue };
                session.credit(&test, 0.0);
                if operator.improved(member, &test) {
                    *member = test;
                }
            }
        }
    }
}
