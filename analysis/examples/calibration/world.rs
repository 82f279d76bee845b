//! Simulated studies, for which the true differences between algorithms are known.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Random(rng)
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64 + 1e-17
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(self.uniform())).sqrt();
        radius * libm::cos(2.0 * std::f64::consts::PI * self.uniform())
    }

    pub(crate) fn below(&mut self, n: u64) -> usize {
        self.0.random_range(0..n) as usize
    }
}

#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) name: &'static str,
    pub(crate) projects: usize,
    pub(crate) seeds: usize,
    /// Standard deviation of the effect of an algorithm across projects.
    pub(crate) between: f64,
    /// Standard deviation of the runs of an algorithm on a project.
    pub(crate) within: f64,
    pub(crate) bounded: bool,
}

pub(crate) const WORLDS: [World; 5] = [
    World {
        name: "14 projects, 5 seeds",
        projects: 14,
        seeds: 5,
        between: 0.05,
        within: 0.08,
        bounded: false,
    },
    World {
        name: "14 projects, 30 seeds",
        projects: 14,
        seeds: 30,
        between: 0.05,
        within: 0.08,
        bounded: false,
    },
    World {
        name: "130 projects, 10 seeds",
        projects: 130,
        seeds: 10,
        between: 0.05,
        within: 0.08,
        bounded: false,
    },
    World {
        name: "8 projects, 10 seeds",
        projects: 8,
        seeds: 10,
        between: 0.02,
        within: 0.15,
        bounded: false,
    },
    World {
        name: "60 projects, 10 seeds, values end at 1",
        projects: 60,
        seeds: 10,
        between: 0.05,
        within: 0.08,
        bounded: true,
    },
];

impl World {
    /// Returns values by project, algorithm and seed.
    pub(crate) fn runs(
        &self,
        effects: &[f64],
        seeds: usize,
        random: &mut Random,
    ) -> Vec<Vec<Vec<f64>>> {
        let project = |random: &mut Random| {
            let ease = 0.8 + 0.15 * random.normal();
            let algorithm = |effect: &f64| {
                let place = ease + effect + self.between * random.normal();
                let run = |random: &mut Random| {
                    let value = place + self.within * random.normal();
                    if self.bounded { value.clamp(0.0, 1.0) } else { value }
                };
                (0..seeds).map(|_| run(random)).collect()
            };
            effects.iter().map(algorithm).collect()
        };
        (0..self.projects).map(|_| project(random)).collect()
    }

    /// For bounded values, the difference is estimated from many projects.
    pub(crate) fn truth(&self, effects: &[f64]) -> f64 {
        if !self.bounded {
            return effects[0] - effects[1];
        }
        let mut random = Random::new(99, 0);
        let big = World { projects: 200_000, ..*self };
        let blocks = means(&big.runs(effects, 1, &mut random));
        blocks.iter().map(|block| block[0] - block[1]).sum::<f64>() / blocks.len() as f64
    }
}

pub(crate) fn means(runs: &[Vec<Vec<f64>>]) -> Vec<Vec<f64>> {
    let mean = |sample: &Vec<f64>| sample.iter().sum::<f64>() / sample.len() as f64;
    runs.iter().map(|project| project.iter().map(mean).collect()).collect()
}
