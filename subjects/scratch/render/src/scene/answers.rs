//! Answers to queries, found by the fingerprint of all data that a query reads.
//!
//! Fingerprints depend on the appearance of drawables, not on their ids, because clones often have
//! the same appearance one after another.

use super::fingerprint::Fingerprint;

/// Initial and maximum size of the table; both are powers of two.
const MIN_SIZE: usize = 1 << 8;
const MAX_SIZE: usize = 1 << 16;

/// Answers by fingerprint. A new answer replaces any answer at the same place in the table.
#[derive(Debug)]
pub(super) struct Answers<A> {
    table: Vec<Option<(Fingerprint, A)>>,
    count: usize,
}

impl<A> Default for Answers<A> {
    fn default() -> Self {
        Self { table: Vec::new(), count: 0 }
    }
}

impl<A: Copy> Answers<A> {
    pub(super) fn get(&self, question: Fingerprint) -> Option<A> {
        if self.table.is_empty() {
            return None;
        }
        let (known, answer) = self.table[question.place(self.table.len())]?;
        (known == question).then_some(answer)
    }

    pub(super) fn insert(&mut self, question: Fingerprint, answer: A) {
        if self.count * 2 >= self.table.len() && self.table.len() < MAX_SIZE {
            let larger = (self.table.len() * 2).max(MIN_SIZE);
            let table = std::mem::replace(&mut self.table, vec![None; larger]);
            self.count = 0;
            for (question, answer) in table.into_iter().flatten() {
                self.put(question, answer);
            }
        }
        self.put(question, answer);
    }

    fn put(&mut self, question: Fingerprint, answer: A) {
        let place = question.place(self.table.len());
        self.count += usize::from(self.table[place].is_none());
        self.table[place] = Some((question, answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_belongs_to_its_question() {
        let mut answers = Answers::default();
        let questions = 4 * MAX_SIZE as u64;
        for number in 0..questions {
            assert_eq!(answers.get(Fingerprint::of(number)), None);
            answers.insert(Fingerprint::of(number), number);
            assert_eq!(answers.get(Fingerprint::of(number)), Some(number));
        }
        let known = (0..questions).filter_map(|number| {
            let answer = answers.get(Fingerprint::of(number));
            assert!(answer.is_none_or(|answer| answer == number));
            answer
        });
        let known = known.count();
        assert!(known > MAX_SIZE / 2 && known <= MAX_SIZE, "{known}");
        assert_eq!(answers.table.len(), MAX_SIZE);
    }
}
