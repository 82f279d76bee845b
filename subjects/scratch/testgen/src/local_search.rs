//! Local search: the operators extension and reduction (Whisker paper, sections 5.3.1 and 5.3.2).

use std::rc::Rc;

use catherd_scratch_suite::event::Event;
use catherd_search::{Cost, Meter, Stream, Test};

use crate::chromosome::Chromosome;
use crate::execution::Recording;
use crate::extraction::Identifier;
use crate::parameters::MAX_CODON;
use crate::problem::{ScratchProblem, TestCase};

/// Number of steps of a wait that extension appends, and maximum number of steps by which extension
/// prolongs a wait in one move.
const WAIT: u16 = 100;

impl ScratchProblem<'_> {
    /// Extension: appends events to the test while each of them brings a goal closer. Extension
    /// answers questions, uses events that have just become possible, and otherwise waits.
    ///
    /// Returns `None` if the test cannot be extended.
    pub(crate) fn extension(
        &mut self,
        test: &TestCase,
        rng: &mut Stream,
        meter: &mut Meter,
    ) -> Option<TestCase> {
        let applicable = test.length() < self.genetics.max_length()
            && test.running
            && test.fitness.iter().any(|fitness| *fitness > 0.0)
            && !test.extended.replace(true);
        if !applicable {
            return None;
        }
        let mut recording = self.executor.run(&test.chromosome);
        let replayed = recording.events.len() as u64;
        let mut codons = test.chromosome.codons().to_vec();
        let mut fitness = test.fitness.to_vec();
        let mut next = Vec::with_capacity(fitness.len());
        let mut last: Vec<Identifier> = Vec::new();
        let mut waiting = false;
        let mut appended = 0;
        while codons.len() < self.genetics.max_length()
            && !self.executor.has_ended()
            && !self.executor.is_hung()
        {
            let position = self.executor.extraction().clone();
            self.executor.extract();
            let choice = self.choose(&last, waiting, rng);
            last.clear();
            last.extend(self.executor.extractor.events().iter().map(Identifier::of));
            let changed = match choice {
                Move::Send(index) => {
                    let before = recording.history.last_change();
                    waiting = self.append(index, &mut codons, &mut recording, rng);
                    appended += 1;
                    recording.history.last_change() > before
                }
                Move::WaitOn => {
                    // A replay extracts events once before the prolonged wait, so the draws of
                    // this extraction are undone.
                    *self.executor.extraction() = position;
                    let duration = codons.len() - self.genetics.group + 1;
                    let more = WAIT.min(MAX_CODON - codons[duration]);
                    codons[duration] += more;
                    waiting = codons[duration] < MAX_CODON;
                    self.executor.prolong(more.into(), &mut recording)
                }
                Move::None => break,
            };
            if !changed {
                break;
            }
            self.executor.fitness(&mut next);
            if !improved(&fitness, &next) {
                break;
            }
            std::mem::swap(&mut fitness, &mut next);
            if fitness.iter().all(|fitness| *fitness == 0.0) {
                break;
            }
        }
        meter.execution(Cost {
            evaluations: appended,
            events: replayed,
            steps: self.executor.steps(),
        });
        Some(TestCase::new(Chromosome::new(codons), recording, self.executor))
    }

    /// The next move of extension. `last` contains the events listed before the last event; the
    /// extractor contains the events listed now.
    fn choose(&self, last: &[Identifier], waiting: bool, rng: &mut Stream) -> Move {
        // Consider only the events that codons can select.
        let events = self.executor.extractor.events();
        let events = &events[..self.executor.prepared().settings.selection.reach(events.len())];
        let listed = |test: &dyn Fn(&Event) -> bool| -> Vec<usize> {
            (0..events.len()).filter(|&index| test(&events[index])).collect()
        };
        if self.executor.is_asking() {
            let answers = listed(&Event::is_answer);
            if !answers.is_empty() {
                return Move::Send(*rng.pick(&answers));
            }
        }
        if !last.is_empty() {
            let probability = self.executor.prepared().settings.new_event_probability;
            let new = listed(&|event| !last.contains(&Identifier::of(event)));
            if !new.is_empty() && rng.chance(probability) {
                return Move::Send(*rng.pick(&new));
            }
        }
        if waiting {
            return Move::WaitOn;
        }
        events.iter().position(Event::is_wait).map_or(Move::None, Move::Send)
    }

    /// Appends a group for the listed event at `index` and sends the event. Returns whether the
    /// event is a wait, which can be prolonged.
    fn append(
        &mut self,
        index: usize,
        codons: &mut Vec<u16>,
        recording: &mut Recording,
        rng: &mut Stream,
    ) -> bool {
        let events = self.executor.extractor.events();
        let is_wait = events[index].is_wait();
        codons.push(self.executor.prepared().settings.selection.codon(index, events.len()));
        let first = codons.len();
        codons.extend((1..self.genetics.group).map(|_| self.genetics.random_codon(rng)));
        if is_wait {
            codons[first] = WAIT;
        }
        let event = self.executor.decode(index, |i| codons[first + i]);
        self.executor.send(event, recording);
        is_wait
    }

    /// Reduction: removes the groups after the last event that brought a goal closer. The shorter
    /// test has the same fitness as the longer test, so it is not executed.
    pub(crate) fn reduction(&mut self, test: &TestCase) -> Option<TestCase> {
        let events = self.executor.last_improvement(&test.history, &test.fitness);
        let length = events as usize * self.genetics.group;
        if length >= test.length() {
            return None;
        }
        let recording = Recording {
            events: test.events[..events as usize].to_vec(),
            history: test.history.truncated(events),
        };
        let chromosome = Chromosome::new(test.chromosome.codons()[..length].to_vec());
        Some(TestCase::with_fitness(chromosome, recording, Rc::clone(&test.fitness), true))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    Send(usize),
    WaitOn,
    None,
}

fn improved(before: &[f64], after: &[f64]) -> bool {
    before.iter().zip(after).any(|(before, after)| after < before)
}
