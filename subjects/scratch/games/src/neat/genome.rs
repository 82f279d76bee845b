//! Genomes: networks as lists of genes that can be bred.

use catherd_scratch_suite::policy::{Link, Network};
use catherd_search::Stream;
use rustc_hash::{FxHashMap, FxHashSet};

use super::interface::Interface;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// One hidden node for each group of inputs, with links from these inputs and to all output
    /// nodes.
    Hidden,
    /// Links from all inputs to all output nodes.
    Direct,
    /// One hidden node with links from all inputs and to all output nodes.
    Single,
}

impl Start {
    /// The start, or one with fewer links if its networks would have more links than suites may
    /// contain.
    fn within_limits(self, interface: &Interface) -> Self {
        let (inputs, outputs) = (interface.inputs.len(), interface.output_nodes() as usize);
        let fits = |start: &Start| {
            let links = match start {
                Start::Hidden => inputs + interface.groups.len() * outputs,
                Start::Direct => inputs * outputs,
                Start::Single => inputs + outputs,
            };
            links + outputs <= Network::MAX_LINKS
        };
        [self, Start::Hidden].into_iter().find(fits).unwrap_or(Start::Single)
    }
}

/// A link. Nodes have the same numbers in all genomes of a run: 0 is the bias, then come inputs,
/// outputs, and hidden nodes as they appear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gene {
    /// Number of the link among all links of the run.
    pub(super) innovation: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) weight: f64,
    pub(super) enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Genome {
    /// Ascending by innovation.
    pub(super) genes: Vec<Gene>,
    /// The hidden nodes with their depths between 0 and 1. Inputs have depth 0, outputs depth 1.
    pub(super) hidden: Vec<(u32, f64)>,
}

/// Numbers the links and hidden nodes of a run. The same link or node has the same number in all
/// genomes.
#[derive(Clone, Debug)]
pub(super) struct Innovations {
    links: FxHashMap<(u32, u32), u32>,
    /// For each split link and number of earlier splits in the same genome, the new node.
    splits: FxHashMap<(u32, u32), u32>,
    next_node: u32,
}

impl Innovations {
    pub(super) fn new(interface: &Interface) -> Self {
        let next_node = 1 + interface.inputs.len() as u32 + interface.output_nodes();
        Self { links: FxHashMap::default(), splits: FxHashMap::default(), next_node }
    }

    pub(super) fn link(&mut self, from: u32, to: u32) -> u32 {
        let next = self.links.len() as u32;
        *self.links.entry((from, to)).or_insert(next)
    }

    /// The node that splits a link of a genome: the first such node that the genome does not have
    /// yet.
    pub(super) fn split(&mut self, link: u32, genome: &Genome) -> u32 {
        for times in 0.. {
            let next = self.next_node;
            let node = *self.splits.entry((link, times)).or_insert(next);
            if node == next {
                self.next_node += 1;
            }
            if genome.hidden.iter().all(|(known, _)| *known != node) {
                return node;
            }
        }
        unreachable!("a genome has finitely many nodes")
    }
}

impl Genome {
    /// Creates a random network. The bias is linked to all output nodes.
    pub(super) fn new(
        start: Start,
        interface: &Interface,
        innovations: &mut Innovations,
        rng: &mut Stream,
    ) -> Self {
        let start = start.within_limits(interface);
        let mut genome = Self::default();
        let outputs = interface.first_output()..interface.first_output() + interface.output_nodes();
        let mut weight = || 2.0 * rng.unit() - 1.0;
        let mut links = Vec::new();
        // Number the hidden nodes of the groups as if they split links that do not exist.
        let whole = [interface.groups.concat()];
        let groups = if start == Start::Single { &whole[..] } else { &interface.groups };
        for (inputs, group) in groups.iter().zip(0..) {
            if start == Start::Direct {
                let all = |input: &u32| {
                    let input = *input;
                    outputs.clone().map(move |output| (input, output))
                };
                links.extend(inputs.iter().flat_map(all));
                continue;
            }
            let node = innovations.split(u32::MAX - group, &genome);
            genome.hidden.push((node, 0.5));
            links.extend(inputs.iter().map(|input| (*input, node)));
            links.extend(outputs.clone().map(|output| (node, output)));
        }
        links.extend(outputs.map(|output| (0, output)));
        for (from, to) in links {
            let innovation = innovations.link(from, to);
            genome.genes.push(Gene { innovation, from, to, weight: weight(), enabled: true });
        }
        genome.genes.sort_by_key(|gene| gene.innovation);
        genome.hidden.sort_by_key(|(node, _)| *node);
        genome
    }

    /// Whether a suite may contain the network with one more node and two more links.
    pub(super) fn may_grow(&self, interface: &Interface) -> bool {
        let nodes = interface.first_output() + interface.output_nodes();
        nodes + (self.hidden.len() as u32) < Network::MAX_NODES
            && self.genes.len() + 2 <= Network::MAX_LINKS
    }

    pub(super) fn depth(&self, node: u32, interface: &Interface) -> f64 {
        let first = interface.first_output();
        if node < first {
            0.0
        } else if node < first + interface.output_nodes() {
            1.0
        } else {
            self.hidden.iter().find(|(own, _)| *own == node).map_or(0.5, |(_, depth)| *depth)
        }
    }

    /// Whether some enabled link leads to the class node of an output.
    pub(super) fn is_whole(&self, interface: &Interface) -> bool {
        let classes = interface.class_nodes();
        let mut enabled = self.genes.iter().filter(|gene| gene.enabled);
        enabled.any(|gene| classes.contains(&gene.to))
    }

    /// Distance of two genomes (Stanley and Miikkulainen 2002, equation 1): the number of genes
    /// that only one of them has, divided by the length of the longer genome, plus a coefficient
    /// times the mean difference of the weights of the common genes.
    pub(super) fn distance(&self, other: &Self, coefficient: f64) -> f64 {
        let (mut a, mut b) = (self.genes.iter().peekable(), other.genes.iter().peekable());
        let (mut alone, mut both, mut difference) = (0_u32, 0_u32, 0.0);
        loop {
            match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), Some(y)) if x.innovation == y.innovation => {
                    both += 1;
                    difference += (x.weight - y.weight).abs();
                    a.next();
                    b.next();
                }
                (Some(x), y) if y.is_none_or(|y| x.innovation < y.innovation) => {
                    alone += 1;
                    a.next();
                }
                _ => {
                    alone += 1;
                    b.next();
                }
            }
        }
        let longer = self.genes.len().max(other.genes.len()).max(1);
        f64::from(alone) / longer as f64 + coefficient * difference / f64::from(both.max(1))
    }

    pub(super) fn network(&self, interface: &Interface) -> Network {
        let first_hidden = interface.first_output();
        let mut order: Vec<(u32, f64)> = self.hidden.clone();
        order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let hidden = order.len() as u32;
        let places: FxHashMap<u32, u32> = order.iter().map(|(node, _)| *node).zip(0..).collect();
        // Renumber the nodes, because in networks the hidden nodes precede the nodes of the
        // outputs.
        let number = |node: u32| match places.get(&node) {
            Some(place) => first_hidden + place,
            None if node < first_hidden => node,
            None => node + hidden,
        };
        let enabled = self.genes.iter().filter(|gene| gene.enabled);
        let links = enabled.map(|gene| Link {
            from: number(gene.from),
            to: number(gene.to),
            weight: gene.weight,
        });
        let mut links: Vec<Link> = links.collect();
        links.sort_by_key(|link| link.to);
        Network {
            press: interface.press,
            wait: interface.wait,
            hidden,
            inputs: interface.inputs.clone(),
            outputs: interface.outputs.clone(),
            links,
        }
    }

    pub(super) fn links(&self) -> FxHashSet<(u32, u32)> {
        self.genes.iter().map(|gene| (gene.from, gene.to)).collect()
    }
}
