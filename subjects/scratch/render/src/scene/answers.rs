//! Answers of whole questions, kept by the fingerprint of everything that a question reads.
//!
//! Programs ask the same again: in the next step if nothing has moved, after a state is restored, and
//! in another execution that does the same for a while. Drawables count by their appearance, not by
//! their ids, because clones follow each other through the same states.

use super::fingerprint::Fingerprint;

/// Numbers of places of the table at first and at most, powers of two.
const FEWEST: usize = 1 << 8;
const MOST: usize = 1 << 16;

/// Answers by fingerprint. A new answer replaces another one at the same place of the table.
#[derive(Debug)]
pub(super) struct Answers<A> {
    /// `None` at places without an answer.
    table: Vec<Option<(Fingerprint, A)>>,
    /// Number of answers.
    count: usize,
}

impl<A> Default for Answers<A> {
    fn default() -> Self {
        Self { table: Vec::new(), count: 0 }
    }
}

impl<A: Copy> Answers<A> {
    /// The answer to a question, if it is known.
    pub(super) fn get(&self, question: Fingerprint) -> Option<A> {
        if self.table.is_empty() {
            return None;
        }
        let (known, answer) = self.table[question.place(self.table.len())]?;
        (known == question).then_some(answer)
    }

    /// Keeps an answer.
    pub(super) fn insert(&mut self, question: Fingerprint, answer: A) {
        if self.count * 2 >= self.table.len() && self.table.len() < MOST {
            let larger = (self.table.len() * 2).max(FEWEST);
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
    fn an_answer_is_that_of_its_question_or_none() {
        let mut answers = Answers::default();
        let questions = 4 * MOST as u64;
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
        assert!(known > MOST / 2 && known <= MOST, "{known}");
        assert_eq!(answers.table.len(), MOST);
    }
}
