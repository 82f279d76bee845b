//! Parameters of the state-space search.

use catherd_search::{Field, Parameters};

use crate::account::Counted;

/// The data in the key of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// The bucket of the fitness, the positions of scripts and the places of sprites.
    Full,
    /// Only the bucket.
    Bucket,
    /// Only the positions of scripts and the places of sprites.
    Place,
    /// There are no cells: every rollout starts from a root.
    None,
}

impl Cells {
    const WORDS: &[(&str, Self)] = &[
        ("full", Self::Full),
        ("bucket", Self::Bucket),
        ("place", Self::Place),
        ("none", Self::None),
    ];
}

/// The distances from which the fitness of a state is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// The distances of the latest evaluation of each condition.
    Latest,
    /// The smallest distances of the whole path.
    Minima,
}

impl Guidance {
    const WORDS: &[(&str, Self)] = &[("latest", Self::Latest), ("minima", Self::Minima)];
}

/// Parameters of `explore`.
#[derive(Clone, Debug, PartialEq)]
pub struct Explore {
    /// The steps that count for the budget.
    pub counted: Counted,
    /// Probability that a rollout is continued with one more action.
    pub going_on: f64,
    /// Maximum number of actions of a rollout.
    pub rollout: usize,
    /// Probability of moving on to the next worse bucket.
    pub decay: f64,
    /// Maximum number of cells of a bucket.
    pub cells_per_bucket: usize,
    /// Probability of repeating the last event.
    pub sticky: f64,
    /// Size of the cells of positions, in stage units.
    pub grid: f64,
    /// Size of the cells of directions, in degrees.
    pub turn: f64,
    /// Approximate minimum share of rollouts that start from roots.
    pub root_share: f64,
    /// Approximate share of rollouts that start from the archive of novelty, once goals have cells.
    pub novelty_share: f64,
    /// Probability that a rollout from a root with an empty path uses a new seed.
    pub reseed: f64,
    /// Number of seeds that are tried first if goals may depend on chance.
    pub chance_seeds: usize,
    /// Whether rollouts prefer states whose viability is estimated to be high.
    pub viability: bool,
    /// Number of steps of the wait that shows whether a state is doomed; 0 for no such wait.
    pub look_ahead: usize,
    /// Whether values of variables are features from which viability is estimated.
    pub watch_variables: bool,
    /// Maximum memory for states, in MiB.
    pub memory: usize,
    /// Maximum number of steps of a path.
    pub most_steps: usize,
    /// The data in the key of a cell.
    pub cells: Cells,
    /// The distances that guide the search.
    pub guidance: Guidance,
    /// Whether each goal has an archive.
    pub goals: bool,
    /// Whether positions of scripts are in the key of a cell.
    pub positions: bool,
    /// Whether only places of controlled sprites are in the key of a cell.
    pub controlled: bool,
    /// Whether states are kept that differ from a state in their bucket at most in time.
    pub duplicates: bool,
}

impl Default for Explore {
    fn default() -> Self {
        Self {
            counted: Counted::Logical,
            going_on: 0.8,
            rollout: 20,
            decay: 0.6,
            cells_per_bucket: 64,
            sticky: 0.3,
            grid: 40.0,
            turn: 45.0,
            root_share: 0.05,
            novelty_share: 0.1,
            reseed: 0.0,
            chance_seeds: 32,
            viability: true,
            look_ahead: 60,
            watch_variables: true,
            memory: 256,
            most_steps: 6_000,
            cells: Cells::Full,
            guidance: Guidance::Latest,
            goals: true,
            positions: true,
            controlled: true,
            duplicates: true,
        }
    }
}

impl Parameters for Explore {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::choice("counted", &mut self.counted, Counted::WORDS).meaning(
                "steps that count; logical: restored prefixes count each time; executed: they do not",
            ),
            Field::share("continue", &mut self.going_on)
                .meaning("probability that a rollout has one more action"),
            Field::count("rollout", &mut self.rollout, 1, 1_000)
                .meaning("maximum number of actions of a rollout"),
            Field::share("decay", &mut self.decay)
                .meaning("probability of taking the next worse bucket"),
            Field::count("cells_per_bucket", &mut self.cells_per_bucket, 1, 100_000)
                .meaning("maximum number of cells of a bucket"),
            Field::share("sticky", &mut self.sticky)
                .meaning("probability of repeating the last event"),
            Field::number("grid", &mut self.grid, 1.0, 480.0)
                .meaning("size of the cells of positions in stage units"),
            Field::number("turn", &mut self.turn, 1.0, 360.0)
                .meaning("size of the cells of directions in degrees"),
            Field::share("root_share", &mut self.root_share)
                .meaning("minimum share of rollouts that start from a root"),
            Field::share("novelty_share", &mut self.novelty_share).meaning(
                "share of rollouts from the archive of novelty; 0.9 while no goal has cells",
            ),
            Field::share("reseed", &mut self.reseed)
                .meaning("probability of a new seed for a rollout from a root with an empty path"),
            Field::count("chance_seeds", &mut self.chance_seeds, 0, 10_000)
                .meaning("seeds that are tried first if goals may depend on chance"),
            Field::switch("viability", &mut self.viability)
                .meaning("prefer states that are likely to lead to new coverage"),
            Field::count("look_ahead", &mut self.look_ahead, 0, 1_000)
                .meaning("steps of the wait that shows whether a state leads nowhere; 0: none"),
            Field::switch("watch_variables", &mut self.watch_variables)
                .meaning("use variables in conditions for the estimate of viability"),
            Field::count("memory", &mut self.memory, 0, 1 << 20)
                .meaning("maximum memory for states in MiB; results do not depend on it"),
            Field::count("most_steps", &mut self.most_steps, 1, 100_000)
                .meaning("maximum number of steps of a path"),
            Field::choice("cells", &mut self.cells, Cells::WORDS)
                .meaning("data by which states are distinguished; none: only restarts from roots"),
            Field::choice("guidance", &mut self.guidance, Guidance::WORDS)
                .meaning("distances that guide the search: the latest, or the minima of the path"),
            Field::switch("goal_archives", &mut self.goals)
                .meaning("an archive for each goal, otherwise only the archive of novelty"),
            Field::switch("positions", &mut self.positions)
                .meaning("distinguish states by positions of scripts"),
            Field::switch("controlled", &mut self.controlled)
                .meaning("distinguish states by places of controlled sprites, otherwise of all"),
            Field::switch("duplicates", &mut self.duplicates)
                .meaning("keep states that differ from a state in their bucket at most in time"),
        ]
    }
}
