//! Codons: the genes of a test (Whisker paper, section 5.1).
//!
//! A chromosome is a sequence of groups of equal size: an event codon, then as many parameter
//! codons as the event with the most parameters consumes. Codons that an event does not consume are
//! skipped, so a change of one group does not shift the codons of other groups.

use catherd_search::Stream;

use crate::compat::Compat;
use crate::parameters::MAX_CODON;
use crate::settings::GenerationSettings;

/// The codons of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chromosome(Vec<u16>);

impl Chromosome {
    /// Creates a chromosome from these codons.
    ///
    /// # Panics
    /// If `codons` is empty.
    pub fn new(codons: Vec<u16>) -> Self {
        assert!(!codons.is_empty(), "a chromosome has at least one group");
        Self(codons)
    }

    /// The codons.
    pub fn codons(&self) -> &[u16] {
        &self.0
    }

    /// Number of codons.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// The codon at a position; positions beyond the end wrap around.
    pub fn codon(&self, position: usize) -> u16 {
        self.0[position % self.0.len()]
    }
}

/// Genetic operators on the chromosomes of a project.
#[derive(Clone, Debug)]
pub struct Genetics {
    /// Number of codons in a group: one for the event, the others for its parameters.
    pub group: usize,
    /// Minimum number of groups in a sampled chromosome.
    pub min_groups: usize,
    /// Maximum number of groups in a chromosome.
    pub max_groups: usize,
    /// Standard deviation of the changes of mutated codons.
    pub deviation: f64,
    /// Deviations of the published code.
    pub compat: Compat,
}

impl Genetics {
    /// Creates the operators for these settings and for groups with this number of parameter
    /// codons.
    pub fn new(parameters: usize, settings: &GenerationSettings) -> Self {
        Self {
            group: parameters + 1,
            min_groups: settings.min_events,
            max_groups: settings.max_events,
            deviation: settings.deviation,
            compat: settings.compat,
        }
    }

    /// Length of a chromosome with `max_groups` groups, in codons.
    pub fn max_length(&self) -> usize {
        self.max_groups * self.group
    }

    /// A random chromosome.
    pub fn sample(&self, rng: &mut Stream) -> Chromosome {
        let groups = rng.between(self.min_groups as u64, self.max_groups as u64) as usize;
        let mut codons = Vec::with_capacity(groups * self.group);
        for _ in 0..groups {
            self.push_random(&mut codons, rng);
        }
        Chromosome::new(codons)
    }

    /// Returns a copy in which each group is mutated with a probability of 1 divided by the number
    /// of groups (Whisker paper, section 5.1.1).
    pub fn mutate(&self, parent: &Chromosome, rng: &mut Stream) -> Chromosome {
        let groups = parent.length().div_ceil(self.group);
        let probability = 1.0 / groups as f64;
        let mut left = groups;
        let mut codons = Vec::with_capacity(parent.length() + 2 * self.group);
        for group in parent.0.chunks(self.group) {
            if !rng.chance(probability) {
                codons.extend_from_slice(group);
                continue;
            }
            match self.mutation(rng) {
                Mutation::Insert => {
                    if left < self.max_groups {
                        self.push_random(&mut codons, rng);
                        left += 1;
                    }
                    codons.extend_from_slice(group);
                }
                Mutation::Change => {
                    codons.extend(group.iter().map(|&codon| self.shift(codon, rng)));
                }
                Mutation::ChangeParameters => {
                    codons.push(group[0]);
                    codons.extend(group[1..].iter().map(|&codon| self.shift(codon, rng)));
                }
                Mutation::Delete if left > 1 => left -= 1,
                Mutation::Delete => codons.extend_from_slice(group),
            }
        }
        Chromosome::new(codons)
    }

    /// Creates two children by relative one-point crossover (Whisker paper, section 5.1.2): both
    /// parents are cut after about the same share of their groups and exchange the rest.
    pub fn crossover(
        &self,
        a: &Chromosome,
        b: &Chromosome,
        rng: &mut Stream,
    ) -> (Chromosome, Chromosome) {
        let groups = |parent: &Chromosome| parent.length().div_ceil(self.group);
        if groups(a) < 2 || groups(b) < 2 {
            return (a.clone(), b.clone());
        }
        self.cross_at(a, b, rng.unit())
    }

    fn cross_at(&self, a: &Chromosome, b: &Chromosome, share: f64) -> (Chromosome, Chromosome) {
        let cut = |parent: &Chromosome| {
            let groups = parent.length().div_ceil(self.group);
            let cut = (share * (groups - 1) as f64).floor() as usize;
            (cut + usize::from(self.compat.crossover_plus_one)) * self.group
        };
        let (head_a, tail_a) = a.0.split_at(cut(a));
        let (head_b, tail_b) = b.0.split_at(cut(b));
        (Chromosome([head_a, tail_b].concat()), Chromosome([head_b, tail_a].concat()))
    }

    /// A random codon.
    pub fn random_codon(&self, rng: &mut Stream) -> u16 {
        rng.between(0, u64::from(MAX_CODON)) as u16
    }

    fn push_random(&self, codons: &mut Vec<u16>, rng: &mut Stream) {
        codons.extend((0..self.group).map(|_| self.random_codon(rng)));
    }

    fn shift(&self, codon: u16, rng: &mut Stream) -> u16 {
        let moved = rng.gaussian(f64::from(codon), self.deviation).round() as i64;
        moved.rem_euclid(i64::from(MAX_CODON) + 1) as u16
    }

    fn mutation(&self, rng: &mut Stream) -> Mutation {
        use Mutation::*;
        if self.compat.four_mutations {
            *rng.pick(&[Insert, ChangeParameters, Change, Delete])
        } else {
            *rng.pick(&[Insert, Change, Delete])
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Mutation {
    Insert,
    Change,
    ChangeParameters,
    Delete,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn genetics() -> Genetics {
        Genetics::new(2, &GenerationSettings::default())
    }

    fn numbered(groups: u16, from: u16) -> Chromosome {
        Chromosome::new((from..from + 3 * groups).collect())
    }

    #[test]
    fn samples_have_2_to_20_groups_and_codons_up_to_480() {
        let (genetics, mut rng) = (genetics(), Stream::new(1, 0));
        let samples: Vec<_> = (0..2000).map(|_| genetics.sample(&mut rng)).collect();
        let groups = |pick: fn(std::vec::IntoIter<usize>) -> Option<usize>| {
            pick(samples.iter().map(|s| s.length() / 3).collect::<Vec<_>>().into_iter()).unwrap()
        };
        assert_eq!((groups(Iterator::min), groups(Iterator::max)), (2, 20));
        let codons = || samples.iter().flat_map(|s| s.codons());
        assert_eq!((*codons().min().unwrap(), *codons().max().unwrap()), (0, 480));
    }

    /// The example of the Whisker paper: parents with 5 and 3 groups are cut in the middle.
    #[test]
    fn crossover_cuts_both_parents_at_the_same_share() {
        let (a, b) = (numbered(5, 0), numbered(3, 100));
        let (first, second) = genetics().cross_at(&a, &b, 0.5);
        assert_eq!(first.codons(), [&a.codons()[..6], &b.codons()[3..]].concat());
        assert_eq!(second.codons(), [&b.codons()[..3], &a.codons()[6..]].concat());
        let (first, _) = genetics().cross_at(&a, &b, 0.0);
        assert_eq!(first, b, "a cut of 0 hands over a whole parent");
    }

    #[test]
    fn the_published_code_cuts_one_group_later() {
        let compat = Compat { crossover_plus_one: true, ..Compat::default() };
        let genetics = Genetics { compat, ..genetics() };
        let (a, b) = (numbered(5, 0), numbered(3, 100));
        let (first, _) = genetics.cross_at(&a, &b, 0.999_999);
        assert_eq!(first.codons(), [&a.codons()[..12], &b.codons()[6..]].concat());
    }

    #[test]
    fn parents_of_one_group_are_passed_on() {
        let (a, b) = (numbered(1, 0), numbered(3, 100));
        let children = genetics().crossover(&a, &b, &mut Stream::new(1, 0));
        assert_eq!(children, (a, b));
    }

    #[test]
    fn mutation_keeps_lengths_legal_and_hits_one_group_on_average() {
        let (genetics, mut rng) = (genetics(), Stream::new(2, 0));
        let (mut unchanged, mut longer, mut shorter) = (0, 0, 0);
        let parent = numbered(10, 200);
        let runs = 30_000;
        for _ in 0..runs {
            let child = genetics.mutate(&parent, &mut rng);
            assert_eq!(child.length() % 3, 0);
            unchanged += u32::from(child == parent);
            longer += u32::from(child.length() > parent.length());
            shorter += u32::from(child.length() < parent.length());
        }
        // The probability that no group is mutated is 0.9^10 = 0.349. Changes that round to 0 for
        // all codons of a group are rare (0.08^3).
        let share = f64::from(unchanged) / f64::from(runs);
        assert!((share - 0.349).abs() < 0.015, "{share}");
        let ratio = f64::from(longer) / f64::from(shorter);
        assert!((ratio - 1.0).abs() < 0.06, "insertions are as likely as deletions: {ratio}");
    }

    #[test]
    fn mutation_respects_the_bounds_on_groups() {
        let (genetics, mut rng) = (genetics(), Stream::new(3, 0));
        let (one, full) = (numbered(1, 0), numbered(20, 0));
        let mut grew = false;
        for _ in 0..500 {
            let child = genetics.mutate(&one, &mut rng);
            grew |= child.length() == 6;
            assert!((3..=6).contains(&child.length()));
            assert!(genetics.mutate(&full, &mut rng).length() <= 60);
        }
        assert!(grew);
    }

    #[test]
    fn changed_codons_move_by_the_deviation_and_wrap() {
        let (genetics, mut rng) = (genetics(), Stream::new(4, 0));
        let n = 20_000;
        let moves: Vec<f64> =
            (0..n).map(|_| f64::from(genetics.shift(240, &mut rng)) - 240.0).collect();
        let mean = moves.iter().sum::<f64>() / f64::from(n);
        let variance = moves.iter().map(|m| m * m).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 0.15, "{mean}");
        assert!((variance.sqrt() - 5.0).abs() < 0.15, "{variance}");
        let wrapped: Vec<u16> = (0..100).map(|_| genetics.shift(0, &mut rng)).collect();
        assert!(wrapped.iter().any(|&codon| codon > 460));
        assert!(wrapped.iter().all(|&codon| codon <= 480));
    }

    #[test]
    fn missing_codons_come_from_the_start() {
        let chromosome = Chromosome::new(vec![7, 8, 9]);
        assert_eq!(chromosome.codon(4), 8);
    }

    #[test]
    fn the_fourth_mutation_spares_the_event() {
        let compat = Compat { four_mutations: true, ..Compat::default() };
        let (genetics, mut rng) = (Genetics { compat, ..genetics() }, Stream::new(5, 0));
        let parent = Chromosome::new(vec![240; 3]);
        let parameters_only = (0..400)
            .map(|_| genetics.mutate(&parent, &mut rng))
            .filter(|c| c.length() == 3 && c.codons()[0] == 240 && c.codons()[1..] != [240, 240])
            .count();
        assert!(parameters_only > 60, "{parameters_only}");
    }
}
