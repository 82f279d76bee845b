//! Functions that calls of targets enter, and targets of observed classes.

use catherd_javascript_machine::Execution;
use catherd_javascript_machine::instrument::Goal;
use catherd_search::Stream;

use crate::genes::Genes;
use crate::model::Model;
use crate::problem::Subject;
use crate::results::CallResults;
use crate::texts::Texts;
use crate::types;

/// Number of noted targets of a function after which no more targets are noted.
const MAX_CALLERS: usize = 8;

impl Subject {
    /// Adds the methods of the classes from number `from` as targets.
    pub(crate) fn take_observed(&mut self, from: usize) {
        self.model.add_observed(&self.program, from);
        let known = types::from_text(&self.program, &self.model);
        self.knowledge.extend(known.into_iter().skip(self.knowledge.len()));
        self.results.resize(self.model.targets.len(), CallResults::default());
        self.target_of_goal = targets_of_goals(&self.goals, &self.model);
        if let Some(words) = &mut self.words {
            words.know(&self.program, &self.model);
        }
    }

    pub(crate) fn note_entries(&mut self, genes: &Genes, execution: &Execution) {
        let mut targets = genes.targets.clone();
        targets.sort_unstable();
        targets.dedup();
        if targets.len() > MAX_CALLERS / 2 {
            return;
        }
        for (entries, function) in self.entries.iter_mut().zip(&self.program.units.functions) {
            if entries.len() < MAX_CALLERS && execution.counters[function.counter as usize] > 0 {
                let new = targets.iter().filter(|target| !entries.contains(target)).copied();
                let new: Vec<usize> = new.collect();
                entries.extend(new);
            }
        }
    }

    /// A target from which an uncovered goal may be reached, because its calls enter the function
    /// of the goal, or a function that contains this function.
    pub(crate) fn pick_entry(&self, rng: &mut Stream) -> Option<usize> {
        let open: Vec<usize> = (0..self.goals.len()).filter(|goal| !self.covered[*goal]).collect();
        for _ in 0..if open.is_empty() { 0 } else { 5 } {
            let goal = *rng.pick(&open);
            if let Some(target) = self.target_of_goal[goal].filter(|_| rng.chance(0.5)) {
                return Some(target);
            }
            let mut function = self.goals[goal].function;
            while let Some(number) = function {
                let entries = &self.entries[number as usize];
                if !entries.is_empty() {
                    return Some(*rng.pick(entries));
                }
                function = self.program.units.functions[number as usize].holder;
            }
        }
        None
    }

    pub(crate) fn keep_goals_of(&mut self, functions: &[u32]) {
        self.goals.retain(|goal| goal.function.is_some_and(|f| functions.contains(&f)));
        self.covered = vec![false; self.goals.len()];
        self.target_of_goal = targets_of_goals(&self.goals, &self.model);
        self.texts = self.texts.is_some().then(|| Texts::of(&self.program, &self.goals));
    }
}

pub(crate) fn targets_of_goals(goals: &[Goal], model: &Model) -> Vec<Option<usize>> {
    let of =
        |function: u32| model.targets.iter().position(|target| target.function == Some(function));
    goals.iter().map(|goal| goal.function.and_then(of)).collect()
}
