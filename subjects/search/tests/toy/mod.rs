//! A search problem that is structured like test generation: chains of goals, in which each goal
//! except the first depends on the previous goal.

use std::sync::Arc;

use catherd_search::{Cost, Meter, Problem, Stream, Test};

const CODONS: u64 = 480;
const MAXIMUM: usize = 20;

#[derive(Clone)]
pub(crate) struct Codons(Arc<Executed>);

struct Executed {
    genes: Vec<u64>,
    fitness: Vec<f64>,
}

impl Codons {
    pub(crate) fn genes(&self) -> &[u64] {
        &self.0.genes
    }
}

impl Test for Codons {
    fn fitness(&self) -> &[f64] {
        &self.0.fitness
    }

    fn length(&self) -> usize {
        self.0.genes.len()
    }

    fn same_genes(&self, other: &Self) -> bool {
        self.0.genes == other.0.genes
    }
}

pub(crate) struct Chains {
    secrets: Vec<Vec<u64>>,
    /// The maximum distance between matching codons.
    tolerance: u64,
    pub(crate) executed: Vec<Vec<u64>>,
    /// A codon that only crossover appends.
    pub(crate) brand: Option<u64>,
    /// Whether the distance to goals after the first uncovered goal of a chain is infinite.
    pub(crate) infinite: bool,
}

impl Chains {
    pub(crate) fn new(seed: u64, chains: usize, depth: usize, tolerance: u64) -> Self {
        let mut rng = Stream::new(seed, 99);
        let secrets =
            (0..chains).map(|_| (0..depth).map(|_| rng.between(0, CODONS)).collect()).collect();
        Self { secrets, tolerance, executed: Vec::new(), brand: None, infinite: false }
    }

    /// The number of codons that match a chain, and the distance of the next codon beyond the
    /// tolerance.
    fn matched(&self, genes: &[u64], secret: &[u64]) -> (usize, Option<f64>) {
        let far = |(a, b): (&u64, &u64)| a.abs_diff(*b).saturating_sub(self.tolerance);
        let matched = genes.iter().zip(secret).take_while(|pair| far(*pair) == 0).count();
        let next = genes.get(matched).zip(secret.get(matched));
        (matched, next.map(|pair| far(pair) as f64))
    }

    fn finish(&self, genes: Vec<u64>) -> Codons {
        let mut fitness = Vec::with_capacity(self.goals());
        for secret in &self.secrets {
            let (matched, next) = self.matched(&genes, secret);
            let distance = next.map_or(1.0, |next| next / (1.0 + next));
            fitness.extend((0..secret.len()).map(|level| match level.checked_sub(matched) {
                None => 0.0,
                Some(missing) if missing > 0 && self.infinite => f64::INFINITY,
                Some(missing) => missing as f64 + distance,
            }));
        }
        Codons(Arc::new(Executed { genes, fitness }))
    }

    fn cost(genes: &[u64], evaluations: u64) -> Cost {
        let steps = genes.iter().map(|codon| codon % 10 + 1).sum();
        Cost { evaluations, events: genes.len() as u64, steps }
    }
}

impl Problem for Chains {
    type Genes = Vec<u64>;
    type Test = Codons;

    fn goals(&self) -> usize {
        self.secrets.iter().map(Vec::len).sum()
    }

    fn dependencies(&self) -> Vec<Vec<usize>> {
        let depth = self.secrets.first().map_or(1, Vec::len);
        let before = |goal: usize| (!goal.is_multiple_of(depth)).then(|| goal - 1);
        (0..self.goals()).map(|goal| Vec::from_iter(before(goal))).collect()
    }

    fn sample(&mut self, rng: &mut Stream) -> Vec<u64> {
        (0..rng.between(2, MAXIMUM as u64)).map(|_| rng.between(0, CODONS)).collect()
    }

    fn genes(&self, test: &Codons) -> Vec<u64> {
        test.0.genes.clone()
    }

    fn mutate(&mut self, genes: &Vec<u64>, rng: &mut Stream) -> Vec<u64> {
        let mut mutant = Vec::new();
        let mut length = genes.len();
        for codon in genes {
            if !rng.chance(1.0 / genes.len() as f64) {
                mutant.push(*codon);
                continue;
            }
            match rng.below(3) {
                0 if length < MAXIMUM => {
                    length += 1;
                    mutant.extend([rng.between(0, CODONS), *codon]);
                }
                1 => {
                    let moved = rng.gaussian(*codon as f64, 5.0).round() as i64;
                    mutant.push(moved.rem_euclid(CODONS as i64 + 1) as u64);
                }
                2 if length > 1 => length -= 1,
                _ => mutant.push(*codon),
            }
        }
        mutant
    }

    fn crossover(&mut self, a: &Vec<u64>, b: &Vec<u64>, rng: &mut Stream) -> (Vec<u64>, Vec<u64>) {
        let psi = rng.unit();
        let cut = |genes: &[u64]| (psi * (genes.len() - 1) as f64) as usize;
        let (i, j) = (cut(a), cut(b));
        let child = |head: &[u64], tail: &[u64]| [head, tail, self.brand.as_slice()].concat();
        (child(&a[..i], &b[j..]), child(&b[..j], &a[i..]))
    }

    fn execute(&mut self, genes: Vec<u64>, meter: &mut Meter) -> Codons {
        meter.execution(Self::cost(&genes, 1));
        self.executed.push(genes.clone());
        self.finish(genes)
    }

    fn extend(&mut self, test: &Codons, rng: &mut Stream, meter: &mut Meter) -> Option<Codons> {
        if test.length() >= MAXIMUM {
            return None;
        }
        let mut genes = test.0.genes.clone();
        let secret = rng.pick(&self.secrets);
        let (matched, _) = self.matched(&genes, secret);
        let wanted = secret.get(matched).filter(|_| matched == genes.len()).copied();
        genes.push(wanted.unwrap_or_else(|| rng.between(0, CODONS)));
        meter.execution(Self::cost(&genes, 1));
        Some(self.finish(genes))
    }

    fn reduce(&mut self, test: &Codons) -> Option<Codons> {
        let genes = &test.0.genes;
        let needed =
            self.secrets.iter().map(|s| self.matched(genes, s).0).max().unwrap_or(0).max(1);
        (needed < genes.len()).then(|| self.finish(genes[..needed].to_vec()))
    }
}
