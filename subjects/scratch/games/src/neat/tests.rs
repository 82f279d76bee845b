//! Tests of genomes and their changes, and of searches on a project in which a bowl must catch an
//! apple.

use catherd_scratch_suite::event::KeyNo;
use catherd_scratch_suite::policy::{Output, Sense, Signal, Subject};
use catherd_scratch_suite::{LinkedSuite, Suite};
use catherd_scratch_testgen::{GenerationSettings, Prepared};
use catherd_search::Stream;

use super::change::{Changes, cross};
use super::genome::{Genome, Innovations, Start};
use super::interface::Interface;
use super::settings::Neatest;
use crate::reflex::tests::{catching, measured, run};

fn interface() -> Interface {
    let own = |sprite| Subject { sprite, clone: 0 };
    let inputs = vec![Sense::X(own(1)), Sense::Y(own(1)), Sense::X(own(2))];
    let signals = [Signal::Key(KeyNo(0)), Signal::Wait];
    let output = |signal| Output { signal, scripts: Vec::new() };
    Interface {
        inputs,
        groups: vec![vec![1, 2], vec![3]],
        outputs: signals.map(output).into(),
        press: 10,
        wait: 50,
    }
}

#[test]
fn a_new_network_has_a_hidden_node_for_each_sprite() {
    let interface = interface();
    let mut innovations = Innovations::new(&interface);
    let mut rng = Stream::new(1, 0);
    let genome = Genome::new(Start::Hidden, &interface, &mut innovations, &mut rng);
    assert_eq!(interface.class_nodes(), [4, 6]);
    // Each of the three inputs is linked to the hidden node of its sprite, and both hidden nodes
    // and the bias are linked to all four output nodes.
    assert_eq!((genome.hidden.len(), genome.genes.len()), (2, 3 + 3 * 4));
    let network = genome.network(&interface);
    assert_eq!(network.hidden, 2);
    assert!(network.links.iter().all(|link| link.from < link.to && (4..10).contains(&link.to)));
    assert!(network.links.is_sorted_by_key(|link| link.to));
    let other = Genome::new(Start::Hidden, &interface, &mut innovations, &mut rng);
    let numbers = |genome: &Genome| genome.genes.iter().map(|it| it.innovation).collect::<Vec<_>>();
    assert_eq!(numbers(&genome), numbers(&other), "the same links have the same numbers");
    let difference = genome.distance(&other, 0.5);
    assert!(genome.distance(&genome, 0.5) == 0.0 && difference > 0.0 && difference <= 1.0);
    let direct = Genome::new(Start::Direct, &interface, &mut innovations, &mut rng);
    assert_eq!((direct.hidden.len(), direct.genes.len()), (0, (1 + 3) * 4));
}

#[test]
fn networks_of_large_projects_fit_into_suites() {
    let own = |sprite| Subject { sprite, clone: 0 };
    let large = |sprites: u16| Interface {
        inputs: (0..sprites).map(|sprite| Sense::X(own(sprite))).collect(),
        groups: (1..=u32::from(sprites)).map(|input| vec![input]).collect(),
        outputs: (0..sprites)
            .map(|sprite| Output { signal: Signal::Click(own(sprite)), scripts: Vec::new() })
            .collect(),
        press: 10,
        wait: 50,
    };
    let start = |sprites, start| {
        let interface = large(sprites);
        let mut innovations = Innovations::new(&interface);
        let genome = Genome::new(start, &interface, &mut innovations, &mut Stream::new(1, 0));
        (genome.hidden.len(), genome.genes.len())
    };
    assert_eq!(start(446, Start::Direct), (0, 446 * 447));
    assert_eq!(start(447, Start::Direct), (1, 3 * 447));
    assert_eq!(start(447, Start::Hidden), (1, 3 * 447));
}

#[test]
fn changed_networks_stay_sound() {
    let interface = interface();
    let mut settings = Neatest::default();
    (settings.genome.add_node, settings.genome.add_link) = (0.3, 0.3);
    let mut changes = Changes::new(settings.operators(), &interface);
    let mut rng = Stream::new(7, 0);
    let mut genomes: Vec<Genome> = (0..4).map(|_| changes.random(&mut rng)).collect();
    let (mut recurrent, mut grown) = (0, 0);
    for turn in 0..400 {
        let (a, b) = (rng.index(4), rng.index(4));
        let mut child = cross(&genomes[a], &genomes[b], &mut rng);
        assert_eq!(child.hidden, genomes[a].hidden, "the structure of the fitter parent");
        changes.mutate(&mut child, &mut rng);
        assert!(child.genes.is_sorted_by(|a, b| a.innovation < b.innovation), "{turn}");
        let network = child.network(&interface);
        let nodes = 1 + 3 + network.hidden + 4;
        let first = 4;
        assert!(network.links.iter().all(|link| link.from < nodes));
        assert!(network.links.iter().all(|link| (first..nodes).contains(&link.to)));
        assert!(network.links.iter().all(|link| link.weight.is_finite()));
        recurrent += network.links.iter().filter(|link| link.from >= link.to).count();
        grown = grown.max(network.hidden);
        genomes[b] = child;
    }
    assert!(recurrent > 0 && grown > 2, "{recurrent} {grown}");
}

#[test]
fn genes_that_only_one_genome_has_are_a_share_of_the_longer() {
    let interface = interface();
    let settings = Neatest::default();
    let mut changes = Changes::new(settings.operators(), &interface);
    let mut rng = Stream::new(3, 0);
    let genome = changes.random(&mut rng);
    let mut longer = genome.clone();
    while longer.genes.len() == genome.genes.len() {
        changes.add_link(&mut longer, &mut rng);
    }
    assert_eq!(genome.distance(&longer, 0.5), 1.0 / 16.0);
    assert_eq!(longer.distance(&genome, 0.5), 1.0 / 16.0);
}

#[test]
fn networks_that_react_are_found_and_hold_under_fresh_seeds() {
    let parameters = [("network_steps", 300.0), ("population", 40.0), ("species", 5.0)];
    let (made, suite) = run("neatest", &parameters, 1_500_000);
    assert_eq!(made.generated.covered.len(), 8, "{:?}", made.counts);
    let (_, robust, _) = measured(&suite);
    assert!(robust >= 7, "{robust}: {}", suite.to_json());
    assert!(suite.tests.iter().all(|test| test.is_played_by_network()));
    let text = suite.to_json();
    assert_eq!(Suite::from_json(&text).unwrap(), suite, "weights keep every bit");
    let prepared = Prepared::new(&catching(), GenerationSettings::default()).unwrap();
    assert!(LinkedSuite::new(&suite, prepared.program()).is_ok());
}

#[test]
fn relatives_find_networks_that_hold_under_fresh_seeds() {
    for name in ["mosa-neatest", "mio-neatest", "newsd-neatest"] {
        let (made, suite) = run(name, &[("network_steps", 300.0)], 1_500_000);
        assert_eq!(made.generated.covered.len(), 8, "{name}: {:?}", made.counts);
        let (_, robust, _) = measured(&suite);
        assert!(robust >= 7, "{name}: {robust}: {}", suite.to_json());
        assert!(suite.tests.iter().all(|test| test.is_played_by_network()));
    }
}

#[test]
fn results_repeat() {
    for name in ["neatest", "mosa-neatest", "mio-neatest", "newsd-neatest"] {
        let once = || {
            let (made, suite) = run(name, &[("network_steps", 100.0)], 40_000);
            (made.counts, suite)
        };
        assert_eq!(once(), once(), "{name}");
    }
}
