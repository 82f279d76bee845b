//! Parameters of the search for policies.

use catherd_search::{Field, Parameters};

/// Parameters of `reflex`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reflex {
    /// Maximum number of steps of an episode.
    pub play_steps: usize,
    /// Maximum number of rules of a policy.
    pub most_rules: usize,
    /// Probability of a new policy instead of a changed policy.
    pub new_policy: f64,
    /// Maximum number of policies that are kept for each goal.
    pub policies: usize,
    /// Number of seeds under which policies are trained.
    pub training_seeds: usize,
    /// Number of further seeds under which a policy is confirmed if it covers its goal under all
    /// training seeds.
    pub confirming_seeds: usize,
    /// Probability of trying all seeds for a goal that some policy covers under some seeds.
    pub retry: f64,
    /// Whether there are rules by which sprites follow others, with the keys that were found to
    /// move them.
    pub effects: bool,
    /// Whether policies are executed under all training seeds.
    pub reexecution: bool,
    /// Whether rules may extrapolate, have conditions, and keep sprites away from the edge.
    pub guards: bool,
    /// Whether tests without policies are tried for goals that policies do not cover.
    pub plans: bool,
    /// Whether rules of good policies are used in other policies.
    pub lend: bool,
    /// Whether a policy that is as good as the best for its goal also becomes a parent.
    pub equals: bool,
    /// Probability that a changed policy consists of the rules for its goal and the rules for
    /// another goal.
    pub compose: f64,
    /// Probability that a rule depends on a string with which scripts compare a variable, such as
    /// the name of the player whose turn it is.
    pub turns: f64,
}

impl Default for Reflex {
    fn default() -> Self {
        Self {
            play_steps: 2_000,
            most_rules: 6,
            new_policy: 0.4,
            policies: 8,
            training_seeds: 10,
            confirming_seeds: 30,
            retry: 0.05,
            effects: true,
            reexecution: true,
            guards: true,
            plans: true,
            lend: true,
            equals: true,
            compose: 0.0,
            turns: 0.0,
        }
    }
}

impl Parameters for Reflex {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::count("play_steps", &mut self.play_steps, 1, 100_000)
                .meaning("maximum number of steps of an episode"),
            Field::count("most_rules", &mut self.most_rules, 1, 50)
                .meaning("maximum number of rules of a policy"),
            Field::share("new_policy", &mut self.new_policy)
                .meaning("probability of a new policy instead of a changed one"),
            Field::count("policies", &mut self.policies, 1, 1_000)
                .meaning("policies kept for each goal"),
            Field::count("training_seeds", &mut self.training_seeds, 1, 1_000)
                .meaning("seeds under which policies are trained"),
            Field::count("confirming_seeds", &mut self.confirming_seeds, 0, 1_000)
                .meaning("further seeds that confirm a policy"),
            Field::share("retry", &mut self.retry).meaning(
                "probability of trying all seeds for a goal that a policy covers under some seeds",
            ),
            Field::switch("effects", &mut self.effects)
                .meaning("rules by which sprites follow others, with the keys that move them"),
            Field::switch("reexecution", &mut self.reexecution)
                .meaning("execute policies under all training seeds, not only one"),
            Field::switch("guards", &mut self.guards).meaning(
                "rules that extrapolate, have conditions or keep sprites away from the edge",
            ),
            Field::switch("plans", &mut self.plans)
                .meaning("try tests without policies for goals that policies do not cover"),
            Field::switch("lend", &mut self.lend)
                .meaning("use rules of the best policy for a goal in policies for other goals"),
            Field::switch("equals", &mut self.equals)
                .meaning("also change policies that are as good as the best for their goal"),
            Field::share("compose", &mut self.compose).meaning(
                "probability of joining the rules for a goal and the rules for another goal",
            ),
            Field::share("turns", &mut self.turns).meaning(
                "probability that a rule depends on a string with which scripts compare a variable",
            ),
        ]
    }
}
