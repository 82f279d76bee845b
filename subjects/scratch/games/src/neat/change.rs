//! Mutation and crossover of genomes.

use catherd_search::Stream;

use super::genome::{Gene, Genome, Innovations};
use super::genome_settings::Operators;
use super::interface::Interface;

/// Maximum number of further attempts to create a new network with links to an output.
const TRIES: usize = 20;
/// Probability that a new link is recurrent, and probability that a recurrent link leads from a
/// node to itself.
const RECURRENT: (f64, f64) = (0.1, 0.25);
/// Probability that a weight is replaced instead of changed.
const REPLACED: f64 = 0.1;
/// Probability that links are switched on or off, and maximum number of such links.
const TOGGLED: (f64, usize) = (0.1, 4);
/// Probability that a disabled link is enabled again.
const REENABLED: f64 = 0.03;
/// Probability that a crossover takes the means of weights.
const AVERAGED: f64 = 0.4;

pub(super) struct Changes<'a> {
    pub(super) operators: Operators,
    pub(super) interface: &'a Interface,
    innovations: Innovations,
}

impl<'a> Changes<'a> {
    pub(super) fn new(operators: Operators, interface: &'a Interface) -> Self {
        Self { operators, interface, innovations: Innovations::new(interface) }
    }

    pub(super) fn random(&mut self, rng: &mut Stream) -> Genome {
        let start = self.operators.start;
        let mut genome = Genome::new(start, self.interface, &mut self.innovations, rng);
        for _ in 0..TRIES {
            if genome.is_whole(self.interface) {
                break;
            }
            genome = Genome::new(start, self.interface, &mut self.innovations, rng);
        }
        genome
    }

    pub(super) fn mutate(&mut self, genome: &mut Genome, rng: &mut Stream) {
        if rng.chance(self.operators.add_node) {
            self.add_node(genome, rng);
        } else if rng.chance(self.operators.add_link) {
            self.add_link(genome, rng);
        } else {
            self.change_links(genome, rng);
        }
    }

    pub(super) fn change_links(&self, genome: &mut Genome, rng: &mut Stream) {
        let mut changed = false;
        if rng.chance(TOGGLED.0) {
            self.toggle(genome, rng);
            changed = true;
        }
        if rng.chance(REENABLED)
            && let Some(gene) = genome.genes.iter_mut().find(|gene| !gene.enabled)
        {
            gene.enabled = true;
            changed = true;
        }
        if rng.chance(self.operators.change_weights) || !changed {
            self.change_weights(genome, rng);
        }
    }

    pub(super) fn change_weights(&self, genome: &mut Genome, rng: &mut Stream) {
        let power = self.operators.weight_power;
        for gene in &mut genome.genes {
            gene.weight = if rng.chance(REPLACED) {
                (2.0 * rng.unit() - 1.0) * power
            } else {
                rng.gaussian(gene.weight, power)
            };
        }
    }

    /// Inserts a new node into a random enabled link that leads forwards and not from the bias, if
    /// there is such a link. Initially the new node hardly changes the value that the link passes
    /// on.
    pub(super) fn add_node(&mut self, genome: &mut Genome, rng: &mut Stream) {
        let interface = self.interface;
        let ahead = |gene: &Gene| {
            genome.depth(gene.from, interface) < genome.depth(gene.to, interface) && gene.from != 0
        };
        let possible: Vec<usize> = (0..genome.genes.len())
            .filter(|position| genome.genes[*position].enabled && ahead(&genome.genes[*position]))
            .collect();
        if possible.is_empty() || !genome.may_grow(interface) {
            return;
        }
        let position = *rng.pick(&possible);
        genome.genes[position].enabled = false;
        let Gene { innovation, from, to, weight, .. } = genome.genes[position];
        let node = self.innovations.split(innovation, genome);
        let depth = (genome.depth(from, interface) + genome.depth(to, interface)) / 2.0;
        genome.hidden.push((node, depth));
        self.insert(genome, from, node, 1.0);
        self.insert(genome, node, to, weight);
    }

    /// Links two nodes that are not linked yet, if a limited number of attempts finds such nodes.
    pub(super) fn add_link(&mut self, genome: &mut Genome, rng: &mut Stream) {
        let first = self.interface.first_output();
        let outputs = first..first + self.interface.output_nodes();
        let hidden = genome.hidden.iter().map(|(node, _)| *node);
        let targets: Vec<u32> = outputs.chain(hidden).collect();
        let sources: Vec<u32> = (0..first).chain(targets.iter().copied()).collect();
        if targets.is_empty() || !genome.may_grow(self.interface) {
            return;
        }
        let recurrent = rng.chance(RECURRENT.0);
        let known = genome.links();
        for _ in 0..self.operators.tries {
            let to = *rng.pick(&targets);
            let itself = recurrent && rng.chance(RECURRENT.1);
            let from = if itself { to } else { *rng.pick(&sources) };
            let back = genome.depth(from, self.interface) >= genome.depth(to, self.interface);
            if back == recurrent && !known.contains(&(from, to)) {
                self.insert(genome, from, to, 2.0 * rng.unit() - 1.0);
                return;
            }
        }
    }

    fn insert(&mut self, genome: &mut Genome, from: u32, to: u32, weight: f64) {
        let innovation = self.innovations.link(from, to);
        let at = genome.genes.partition_point(|gene| gene.innovation < innovation);
        genome.genes.insert(at, Gene { innovation, from, to, weight, enabled: true });
    }

    /// Switches random links on or off, but never switches off the last enabled link from a node.
    fn toggle(&self, genome: &mut Genome, rng: &mut Stream) {
        if genome.genes.is_empty() {
            return;
        }
        for _ in 0..TOGGLED.1 {
            let position = rng.index(genome.genes.len());
            let Gene { from, enabled, .. } = genome.genes[position];
            let mut others = genome.genes.iter().enumerate();
            let other =
                others.any(|(other, gene)| other != position && gene.enabled && gene.from == from);
            if !enabled || other {
                genome.genes[position].enabled = !enabled;
            }
        }
    }
}

/// Creates a child with the structure of the fitter parent. Genes that both parents have are taken
/// from one of the parents at random, or get the mean of both weights.
pub(super) fn cross(fitter: &Genome, other: &Genome, rng: &mut Stream) -> Genome {
    let averaged = rng.chance(AVERAGED);
    let mut child = fitter.clone();
    let mut others = other.genes.iter().peekable();
    for gene in &mut child.genes {
        while others.next_if(|other| other.innovation < gene.innovation).is_some() {}
        if let Some(other) = others.next_if(|other| other.innovation == gene.innovation) {
            if averaged {
                gene.weight = f64::midpoint(gene.weight, other.weight);
            } else if rng.chance(0.5) {
                (gene.weight, gene.enabled) = (other.weight, other.enabled);
            }
        }
    }
    child
}
