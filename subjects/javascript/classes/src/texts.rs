//! Creation of tests by changing one string of earlier tests.

use std::cell::{Cell, LazyCell};
use std::collections::VecDeque;
use std::rc::Rc;

use catherd_javascript_machine::instrument::{Goal, Literal, SourceFile};
use catherd_javascript_machine::{Argument, Execution, Program, Statement};
use catherd_search::Stream;

use crate::building::Maker;
use crate::genes::Genes;

/// Maximum number of tests that are kept because they covered a new goal or a counter had a value in
/// a new range.
const MAX_FOUND: usize = 400;
/// Maximum length of a changed string, in characters, if the string was not longer before.
const LONGEST: usize = 160;
/// Number of bytes from the beginning of a decision that are searched for its literals.
const DECISION: u32 = 100;
/// Cost of an execution in addition to its steps, in steps.
const OVERHEAD: f64 = 300.0;
/// Factor by which known gains are multiplied after each execution, so that older gains lose
/// weight.
const MEMORY: f64 = 0.999;

/// A test with a string, and its cost.
#[derive(Clone, Debug)]
struct Kept {
    genes: Rc<Genes>,
    steps: u64,
}

/// The tests that are changed, and the gains from changes of their strings.
#[derive(Debug)]
pub(crate) struct Texts {
    /// For each goal, the test that came nearest to it, with its fitness; if there are several, the
    /// cheapest.
    nearest: Vec<Option<(f64, Kept)>>,
    found: VecDeque<Kept>,
    /// For each goal, the strings with which its decision compares.
    tokens: Vec<Vec<String>>,
    /// For each goal, the number of tests created for it since a test last came nearer.
    tries: Vec<Cell<u32>>,
    /// For each counter, the ranges in which its values were, one bit per range.
    reached: Vec<u8>,
    /// Goals covered for the first time, and the steps for them: by other tests, and by tests that
    /// differ in a string.
    gained: [f64; 2],
    spent: [f64; 2],
}

impl Texts {
    pub(crate) fn of(program: &Program, goals: &[Goal]) -> Texts {
        let files: Vec<_> = program.units.files.iter().map(tokens).collect();
        let tokens = goals.iter().map(|goal| {
            let file = &files[goal.file as usize];
            let first = file.partition_point(|(at, _)| *at < goal.start);
            let end = goal.start.saturating_add(DECISION);
            let mut found = Vec::new();
            for (_, token) in file[first..].iter().take_while(|(at, _)| *at < end) {
                if !found.contains(token) {
                    found.push(token.clone());
                }
            }
            found
        });
        Texts {
            nearest: vec![None; goals.len()],
            found: VecDeque::new(),
            tokens: tokens.collect(),
            tries: vec![Cell::new(0); goals.len()],
            reached: vec![0; program.units.counters as usize],
            gained: [3.0, 1.0],
            spent: [10_000.0; 2],
        }
    }

    /// The probability of changing a string instead of another part of a test.
    fn share(&self) -> f64 {
        let [other, own] = [0, 1].map(|kind| self.gained[kind] / self.spent[kind]);
        (own / (own + other)).clamp(0.1, 0.9)
    }

    /// Draws whether a change of another part of a test is skipped.
    pub(crate) fn replaces(&self, rng: &mut Stream) -> bool {
        !self.found.is_empty() && rng.chance(self.share())
    }

    /// `covered` states which goals had been covered before the test.
    pub(crate) fn learn(
        &mut self,
        genes: &Genes,
        execution: &Execution,
        fitness: &[f64],
        covered: &[bool],
        goals: &[Goal],
    ) {
        let kind = usize::from(genes.varied);
        let new = fitness.iter().zip(covered).filter(|(now, before)| **now == 0.0 && !**before);
        let new = new.count();
        for each in 0..2 {
            self.gained[each] *= MEMORY;
            self.spent[each] *= MEMORY;
        }
        self.gained[kind] += new as f64;
        self.spent[kind] += execution.steps as f64 + OVERHEAD;
        if !has_text(genes) {
            return;
        }
        let kept = LazyCell::new(|| Kept {
            genes: Rc::new(Genes { varied: false, ..genes.clone() }),
            steps: execution.steps,
        });
        for (goal, now) in fitness.iter().enumerate() {
            if *now == 0.0 || covered[goal] {
                self.nearest[goal] = None;
                continue;
            }
            if *now >= 1.0 + goals[goal].control.len() as f64 {
                continue;
            }
            let known = self.nearest[goal].as_ref();
            let nearer = known.is_none_or(|(known, _)| now < known);
            if nearer
                || known.is_some_and(|(known, test)| now == known && execution.steps < test.steps)
            {
                if nearer {
                    self.tries[goal].set(0);
                }
                self.nearest[goal] = Some((*now, Kept::clone(&kept)));
            }
        }
        if genes.varied || new > 0 {
            let mut more = new > 0;
            for (seen, count) in self.reached.iter_mut().zip(&execution.counters) {
                let power = match count {
                    0 => 0,
                    1 => 1,
                    2 => 2,
                    3 => 4,
                    4..=7 => 8,
                    8..=15 => 16,
                    16..=31 => 32,
                    32..=127 => 64,
                    _ => 128u8,
                };
                more |= *seen & power != power;
                *seen |= power;
            }
            if more {
                self.found.push_back(Kept::clone(&kept));
                if self.found.len() > MAX_FOUND {
                    self.found.pop_front();
                }
            }
        }
    }

    /// Creates a test by changing a string of an earlier test, with a probability that increases
    /// with the success of such tests. Statements that the string does not need may be left out.
    pub(crate) fn child(
        &self,
        maker: &Maker<'_>,
        goals: &[Goal],
        rng: &mut Stream,
    ) -> Option<Genes> {
        if !rng.chance(self.share()) {
            return None;
        }
        let near: Vec<usize> =
            (0..self.nearest.len()).filter(|goal| self.nearest[*goal].is_some()).collect();
        if near.is_empty() {
            return None;
        }
        let drawn = [(); 3].map(|()| *rng.pick(&near));
        let goal = drawn.into_iter().min_by_key(|goal| self.tries[*goal].get())?;
        self.tries[goal].set(self.tries[goal].get() + 1);
        let (kept, distance) = match &self.nearest[goal] {
            Some((fitness, kept)) if self.found.is_empty() || rng.chance(0.6) => {
                (kept, fitness.fract())
            }
            _ => {
                // Prefer tests that were found last.
                let all = self.found.len();
                let last = if rng.chance(0.3) { all.min(30) } else { all };
                (&self.found[all - last + rng.index(last)], 0.0)
            }
        };
        let mut genes = (*kept.genes).clone();
        let with_text: Vec<usize> = (0..genes.statements.len())
            .filter(|index| texts_of(&genes.statements[*index]).next().is_some())
            .collect();
        let mut index = *rng.pick(&with_text);
        if genes.statements.len() > 1 && rng.chance(0.8) {
            let wanted = needed(&genes, index);
            index = wanted[..index].iter().filter(|wanted| **wanted).count();
            genes = genes.kept_only(|number| wanted[number]);
        }
        let count = texts_of(&genes.statements[index]).count();
        let chosen = rng.index(count);
        let function = goals[goal].function;
        let mut number = 0;
        let statement = &mut genes.statements[index];
        for argument in &mut statement.arguments {
            argument.visit_mut(&mut |inner| {
                if let Argument::String(text) = inner
                    && !text.is_empty()
                {
                    if number == chosen {
                        let replaced = self.replaced(text, goal, distance, rng);
                        *text = replaced
                            .filter(|_| rng.chance(0.5))
                            .unwrap_or_else(|| self.changed(text, goal, function, maker, rng));
                    }
                    number += 1;
                }
            });
        }
        genes.ends = false;
        genes.varied = true;
        Some(genes)
    }

    /// Replaces a character with a character with which the decision of a goal compares, or appends
    /// such a character. Only characters at the distance of the decision are replaced, because they
    /// may be the characters that were compared.
    fn replaced(&self, text: &str, goal: usize, distance: f64, rng: &mut Stream) -> Option<String> {
        let mut letters: Vec<char> = text.chars().collect();
        let mut places = Vec::new();
        for token in &self.tokens[goal] {
            let mut signs = token.chars();
            let (Some(sign), None) = (signs.next(), signs.next()) else { continue };
            if distance >= 0.75 {
                places.push((letters.len(), sign));
                continue;
            }
            for difference in differences(distance) {
                let found = letters.iter().enumerate();
                let found = found
                    .filter(|(_, letter)| (**letter as u32).abs_diff(sign as u32) == difference);
                places.extend(found.map(|(at, _)| (at, sign)));
            }
        }
        if places.is_empty() {
            return None;
        }
        let (at, sign) = *rng.pick(&places);
        match letters.get_mut(at) {
            Some(letter) => *letter = sign,
            None => letters.push(sign),
        }
        Some(letters.into_iter().collect())
    }

    fn changed(
        &self,
        text: &str,
        goal: usize,
        function: Option<u32>,
        maker: &Maker<'_>,
        rng: &mut Stream,
    ) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        let longest = letters.len().max(LONGEST);
        let changes = [1, 1, 1, 2, 2, 3, 4, 6][rng.index(8)];
        for _ in 0..changes {
            let at = rng.index(letters.len() + 1);
            let length = [1, 1, 2, 3, 5, 8, 16, 32][rng.index(8)];
            let end = (at + length).min(letters.len());
            match rng.index(12) {
                0..=3 => {
                    let part = self.part(goal, function, maker, rng);
                    letters.splice(at..at, part);
                }
                4 | 5 => {
                    let part = self.part(goal, function, maker, rng);
                    let end = (at + part.len()).min(letters.len());
                    letters.splice(at..end, part);
                }
                6 | 7 => {
                    letters.drain(at..end);
                }
                8 => {
                    let copied: Vec<char> = letters[at..end].to_vec();
                    let to = if rng.chance(0.5) { at } else { rng.index(letters.len() + 1) };
                    letters.splice(to..to, copied);
                }
                9 => {
                    if let Some(letter) = letters.get_mut(at) {
                        *letter = char::from(b' ' + rng.below(95) as u8);
                    }
                }
                _ => {
                    let Some(other) = self.other(rng) else { continue };
                    let other: Vec<char> = other.chars().collect();
                    let from = rng.index(other.len());
                    if rng.chance(0.5) {
                        letters.splice(at.., other[from..].iter().copied());
                    } else {
                        let to = (from + length * 2).min(other.len());
                        letters.splice(at..at, other[from..to].iter().copied());
                    }
                }
            }
        }
        letters.truncate(longest);
        if letters.is_empty() {
            letters = self.part(goal, function, maker, rng);
        }
        letters.into_iter().collect()
    }

    fn part(
        &self,
        goal: usize,
        function: Option<u32>,
        maker: &Maker<'_>,
        rng: &mut Stream,
    ) -> Vec<char> {
        let tokens = &self.tokens[goal];
        if !tokens.is_empty() && rng.chance(0.5) {
            return rng.pick(tokens).chars().collect();
        }
        let word = maker.words.and_then(|words| match rng.chance(0.7) {
            true => words.token(function, rng),
            false => words.text(function, rng).map(|text| text.chars().take(60).collect()),
        });
        word.unwrap_or_else(|| maker.constants.text(0.5, rng)).chars().collect()
    }

    fn other(&self, rng: &mut Stream) -> Option<&str> {
        if self.found.is_empty() {
            return None;
        }
        let genes = &self.found[rng.index(self.found.len())].genes;
        let texts: Vec<&str> = genes.statements.iter().flat_map(texts_of).collect();
        (!texts.is_empty()).then(|| *rng.pick(&texts))
    }
}

/// The strings that a statement passes, except empty strings.
fn texts_of(statement: &Statement) -> impl Iterator<Item = &str> {
    let mut texts = Vec::new();
    for argument in &statement.arguments {
        argument.visit(&mut |inner| {
            if let Argument::String(text) = inner
                && !text.is_empty()
            {
                texts.push(text.as_str());
            }
        });
    }
    texts.into_iter()
}

/// The differences between two character codes, or between two strings of one character, that have
/// this distance. This is the inverse of the distances in the prelude of the machine.
fn differences(distance: f64) -> impl Iterator<Item = u32> {
    let whole = |number: f64| {
        let near = number.round();
        ((1.0..1_114_112.0).contains(&near) && (number - near).abs() < 1e-6 * near)
            .then_some(near as u32)
    };
    let number = (0.0..0.5).contains(&distance).then(|| 2.0 * distance / (1.0 - 2.0 * distance));
    let text = number.filter(|number| *number < 1.0).map(|number| number / (1.0 - number));
    // The decision compares the order of numbers that are not equal.
    let less = number.map(|number| number - 1.0);
    [number, text, less].into_iter().flatten().filter_map(whole)
}

fn has_text(genes: &Genes) -> bool {
    genes.statements.iter().any(|statement| texts_of(statement).next().is_some())
}

/// The statements that a statement needs, including itself.
fn needed(genes: &Genes, index: usize) -> Vec<bool> {
    let mut wanted = vec![false; genes.statements.len()];
    wanted[index] = true;
    for number in (0..=index).rev() {
        if wanted[number] {
            for used in genes.statements[number].variables() {
                wanted[used] = true;
            }
        }
    }
    wanted
}

/// Short strings and numbers of a file as strings, with their positions, in order.
fn tokens(file: &SourceFile) -> Vec<(u32, String)> {
    let codes = |name: &String| name == "charCodeAt" || name == "codePointAt";
    let codes = file.words.members.iter().any(|(_, _, name)| codes(name));
    let token = |literal: &Literal| match literal {
        Literal::Text(text) if (1..=40).contains(&text.len()) => Some(text.clone()),
        Literal::Number(bits) => {
            let number = f64::from_bits(*bits);
            let code = (number.fract() == 0.0 && (9.0..1_114_112.0).contains(&number))
                .then(|| char::from_u32(number as u32))
                .flatten();
            Some(code.filter(|_| codes).map_or_else(|| number.to_string(), String::from))
        }
        _ => None,
    };
    let literals = file.words.literals.iter();
    let mut found: Vec<_> =
        literals.filter_map(|(at, literal)| Some((*at, token(literal)?))).collect();
    found.sort_by_key(|(at, _)| *at);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_the_inverse_of_distances() {
        let half = |distance: f64| distance / (distance + 1.0) / 2.0;
        for difference in [1_u32, 2, 9, 26, 77, 1_000, 65_536] {
            let number = half(f64::from(difference));
            assert!(differences(number).any(|found| found == difference), "{difference}");
            let order = half(f64::from(difference) + 1.0);
            assert!(differences(order).any(|found| found == difference), "{difference}");
            let unit = f64::from(difference);
            let text = half(unit / (unit + 1.0));
            assert!(differences(text).any(|found| found == difference), "{difference}");
        }
        assert_eq!(differences(0.875).count(), 0);
        assert_eq!(differences(0.0).count(), 0);
    }
}
