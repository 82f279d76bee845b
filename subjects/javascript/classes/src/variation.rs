//! Changes of tests: mutation and crossover.

use catherd_javascript_machine::{Argument, Operation, Statement};
use catherd_search::Stream;

use crate::building::{Building, Maker};
use crate::genes::Genes;
use crate::model::{RECEIVER, TargetKind};
use crate::values;

/// Probability that an inserted call repeats a call of the test. States that count calls, such as
/// scores and fill levels, cannot be reached by single new calls.
const REPEATED: f64 = 0.25;
/// Probability that a changed argument becomes an object of the test. Effects of two calls on the
/// same object cannot be reached by new objects.
const ANOTHER_VARIABLE: f64 = 0.2;

impl Genes {
    /// Adds statements of another test. Statements whose variables cannot be replaced are left out.
    fn append(
        maker: &Maker<'_>,
        genes: Genes,
        other: &Genes,
        from: usize,
        map: Vec<Option<usize>>,
        rng: &mut Stream,
    ) -> Genes {
        let mut map = map;
        map.resize(other.statements.len(), None);
        let mut building = Building::new(maker, genes, rng);
        for index in from..other.statements.len() {
            let mut statement = other.statements[index].clone();
            let mut repaired = true;
            for used in statement.variables() {
                if map[used].is_none() {
                    map[used] = building.substitute(other.targets[used]);
                }
                repaired &= map[used].is_some();
            }
            if repaired {
                statement.rename(&map);
                map[index] = Some(building.add(statement, other.targets[index]));
            }
        }
        building.genes
    }

    /// The test without a statement.
    pub fn without(&self, maker: &Maker<'_>, index: usize, rng: &mut Stream) -> Genes {
        let head = self.head(index);
        let map = (0..index).map(Some).collect();
        Genes::append(maker, head, self, index + 1, map, rng)
    }

    /// The test without a statement and the statements that depend on it. Nothing is added.
    pub fn left_out(&self, index: usize) -> Genes {
        self.kept_only(|number| number != index)
    }

    /// The test with only the wanted statements, except statements that depend on an unwanted
    /// statement.
    pub(crate) fn kept_only(&self, wanted: impl Fn(usize) -> bool) -> Genes {
        let mut map: Vec<Option<usize>> = Vec::new();
        let mut kept = Genes::default();
        for (number, statement) in self.statements.iter().enumerate() {
            let usable = statement.variables().iter().all(|used| map[*used].is_some());
            if !wanted(number) || !usable {
                map.push(None);
                continue;
            }
            let mut statement = statement.clone();
            statement_rename(&mut statement, &map);
            map.push(Some(kept.statements.len()));
            kept.statements.push(statement);
            kept.targets.push(self.targets[number]);
        }
        kept
    }

    /// The first statements.
    pub fn head(&self, length: usize) -> Genes {
        Genes {
            statements: self.statements[..length].to_vec(),
            targets: self.targets[..length].to_vec(),
            ends: self.ends && length == self.statements.len(),
            varied: false,
        }
    }

    fn truncated(mut self, maker: &Maker<'_>) -> Genes {
        self.statements.truncate(maker.settings.maximum_length);
        self.targets.truncate(maker.settings.maximum_length);
        self.ends = false;
        self
    }

    /// A child: the beginning of this test and the end of another.
    pub fn crossed(
        &self,
        maker: &Maker<'_>,
        cut: usize,
        other: &Genes,
        other_cut: usize,
        rng: &mut Stream,
    ) -> Genes {
        let genes = Genes::append(maker, self.head(cut), other, other_cut, Vec::new(), rng);
        genes.truncated(maker)
    }

    /// A mutated copy, in which statements are left out, changed or inserted.
    pub fn mutated(&self, maker: &Maker<'_>, targets: &[usize], rng: &mut Stream) -> Genes {
        let mut genes = self.clone();
        let mut done = false;
        while !done {
            if rng.chance(1.0 / 3.0) && genes.statements.len() > 1 {
                let index = rng.index(genes.statements.len());
                genes = genes.without(maker, index, rng);
                done = true;
            }
            if rng.chance(1.0 / 3.0) && !genes.statements.is_empty() {
                genes.change(maker, rng);
                done = true;
            }
            if rng.chance(1.0 / 3.0) || genes.statements.is_empty() {
                let mut probability = 1.0;
                while rng.chance(probability) {
                    genes = genes.inserted(maker, targets, rng);
                    probability /= 2.0;
                }
                done = true;
            }
        }
        genes.truncated(maker)
    }

    fn inserted(&self, maker: &Maker<'_>, targets: &[usize], rng: &mut Stream) -> Genes {
        let repeatable = |index: &usize| self.statements[*index].operation == Operation::Method;
        let known: Vec<usize> = (0..self.usable()).filter(repeatable).collect();
        if !known.is_empty() && rng.chance(REPEATED) {
            return self.repeated(maker, *rng.pick(&known), rng);
        }
        let last = self.usable();
        let at = if rng.chance(0.5) { last } else { rng.index(last + 1) };
        let Some(number) = (!targets.is_empty()).then(|| *rng.pick(targets)) else {
            return self.clone();
        };
        self.with_burst(maker, at, number, rng)
    }

    fn repeated(&self, maker: &Maker<'_>, index: usize, rng: &mut Stream) -> Genes {
        let mut head = self.head(index + 1);
        loop {
            head.statements.push(self.statements[index].clone());
            head.targets.push(self.targets[index]);
            if !rng.chance(0.5) {
                break;
            }
        }
        let map = (0..=index).map(Some).collect();
        Genes::append(maker, head, self, index + 1, map, rng)
    }

    pub(crate) fn with_burst(
        &self,
        maker: &Maker<'_>,
        at: usize,
        number: usize,
        rng: &mut Stream,
    ) -> Genes {
        let mut building = Building::new(maker, self.head(at), rng);
        building.burst(number);
        let head = building.genes;
        let map = (0..at).map(Some).collect();
        Genes::append(maker, head, self, at, map, rng)
    }

    /// Changes each of the n statements with probability 1/n, and at least one.
    fn change(&mut self, maker: &Maker<'_>, rng: &mut Stream) {
        let count = self.statements.len();
        let sure = rng.index(count);
        let mut index = 0;
        while index < self.statements.len() {
            if index == sure || rng.chance(1.0 / count as f64) {
                index = self.change_statement(index, maker, rng);
            }
            index += 1;
        }
    }

    /// Returns the new index of the statement.
    fn change_statement(&mut self, index: usize, maker: &Maker<'_>, rng: &mut Stream) -> usize {
        let number = self.targets[index];
        let target = &maker.model.targets[number];
        let arguments = self.statements[index].arguments.len();
        if arguments == 0 || rng.chance(0.15) {
            let Some(class) = target.class.filter(|_| target.kind != TargetKind::Constructor)
            else {
                return index;
            };
            let others = maker.model.methods(class);
            let other = *rng.pick(&others);
            let receiver = self.statements[index].receiver;
            return self.replace(index, maker, rng, |building| {
                building.call(other, Some(receiver), 0);
            });
        }
        // The receiver of a function that a call returned is not changed.
        let first = target.parameters.first();
        let fixed = usize::from(first.is_some_and(|parameter| parameter.name == RECEIVER));
        if arguments == fixed {
            return index;
        }
        let position = fixed + rng.index(arguments - fixed);
        let objects: Vec<usize> = (0..index)
            .filter(|earlier| self.statements[*earlier].operation == Operation::New)
            .collect();
        if !objects.is_empty() && rng.chance(ANOTHER_VARIABLE) {
            self.statements[index].arguments[position] = Argument::Variable(*rng.pick(&objects));
            return index;
        }
        let argument = &self.statements[index].arguments[position];
        let share = maker.settings.constants;
        if maker.words.is_some() && rng.chance(0.6) {
            let function = target.function;
            let first = target.first_parameter + position.min(target.parameters.len().max(1) - 1);
            let argument = argument.clone();
            return self.vary(index, maker, rng, |building| {
                building.parameter = Some(first);
                let words = building.maker.words?;
                let value = building.varied(words, function, &argument, 0)?;
                Some((position, value))
            });
        }
        let near = values::neighbour(argument, maker.constants, share, rng);
        if let Some(value) = near.filter(|_| rng.chance(0.7)) {
            self.statements[index].arguments[position] = value;
            return index;
        }
        let parameter = position.min(target.parameters.len().saturating_sub(1));
        if target.parameters.is_empty() {
            return index;
        }
        let parameter = target.first_parameter + parameter;
        let mut statement = self.statements[index].clone();
        self.replace(index, maker, rng, |building| {
            statement.arguments[position] = building.argument(parameter, 0);
            building.add(statement, number);
        })
    }

    /// Changes an argument of a statement. Statements that make the new value may be inserted
    /// before the statement. Returns the new index of the statement.
    fn vary(
        &mut self,
        index: usize,
        maker: &Maker<'_>,
        rng: &mut Stream,
        value: impl FnOnce(&mut Building<'_, '_>) -> Option<(usize, Argument)>,
    ) -> usize {
        let mut statement = self.statements[index].clone();
        let number = self.targets[index];
        let unchanged = statement.clone();
        self.replace(index, maker, rng, |building| {
            match value(building) {
                Some((position, value)) => statement.arguments[position] = value,
                None => statement = unchanged,
            }
            building.add(statement, number);
        })
    }

    /// A child: this test up to some place, a statement of another test with everything on which it
    /// depends, and the rest of this test.
    pub(crate) fn grafted(&self, maker: &Maker<'_>, other: &Genes, rng: &mut Stream) -> Genes {
        if other.statements.is_empty() {
            return self.clone();
        }
        let chosen = rng.index(other.statements.len());
        let mut wanted = vec![false; other.statements.len()];
        wanted[chosen] = true;
        for index in (0..=chosen).rev() {
            let statement = &other.statements[index];
            let receives = statement.operation != Operation::New
                && statement.operation != Operation::Call
                && wanted[statement.receiver];
            if wanted[index] || receives {
                wanted[index] = true;
                statement.variables().into_iter().for_each(|used| wanted[used] = true);
            }
        }
        let at = rng.index(self.usable() + 1);
        let mut genes = self.head(at);
        let mut map: Vec<Option<usize>> = vec![None; other.statements.len()];
        for index in (0..=chosen).filter(|index| wanted[*index]) {
            let mut statement = other.statements[index].clone();
            let target = other.targets[index];
            let same = (0..at).rev().find(|own| self.targets[*own] == target);
            if statement.operation == Operation::New
                && let Some(own) = same
                && rng.chance(0.5)
            {
                map[index] = Some(own);
                continue;
            }
            statement.rename(&map);
            map[index] = Some(genes.statements.len());
            genes.statements.push(statement);
            genes.targets.push(target);
        }
        let own = (0..at).map(Some).collect();
        Genes::append(maker, genes, self, at, own, rng).truncated(maker)
    }

    /// Replaces a statement with newly built statements. Returns the index of the last of them.
    fn replace(
        &mut self,
        index: usize,
        maker: &Maker<'_>,
        rng: &mut Stream,
        build: impl FnOnce(&mut Building<'_, '_>),
    ) -> usize {
        let mut building = Building::new(maker, self.head(index), rng);
        build(&mut building);
        let head = building.genes;
        let Some(new) = head.statements.len().checked_sub(1) else { return index };
        let mut map: Vec<Option<usize>> = (0..index).map(Some).collect();
        let same_kind = head.targets.get(new) == self.targets.get(index);
        map.push(Some(new).filter(|_| same_kind));
        *self = Genes::append(maker, head, self, index + 1, map, rng);
        new
    }
}

impl Building<'_, '_> {
    fn substitute(&mut self, target: usize) -> Option<usize> {
        let known = self.genes.targets.iter().rposition(|known| *known == target);
        match known {
            Some(index) => Some(index),
            None => self.call(target, None, 1),
        }
    }
}

fn statement_rename(statement: &mut Statement, map: &[Option<usize>]) {
    let new = |old: usize| map.get(old).copied().flatten().unwrap_or(0);
    if matches!(statement.operation, Operation::Method | Operation::Get | Operation::Set) {
        statement.receiver = new(statement.receiver);
    }
    for argument in &mut statement.arguments {
        argument.visit_mut(&mut |inner| {
            if let Argument::Variable(index) = inner {
                *index = new(*index);
            }
        });
    }
}

trait Rename {
    fn rename(&mut self, map: &[Option<usize>]);
}

impl Rename for Statement {
    fn rename(&mut self, map: &[Option<usize>]) {
        statement_rename(self, map);
    }
}
