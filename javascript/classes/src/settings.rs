//! Parameters of test generation beside those of the search.

use catherd_search::{Field, Parameters};

/// How types are inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As the thesis has it: one type, after a delay.
    Flycatcher,
    /// A distribution of types by points.
    Scored,
}

/// How a type is drawn from a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// In proportion to points.
    Proportional,
    /// The one with most points.
    Ranked,
    /// Any.
    None,
}

/// The goals of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goals {
    /// Branches, loops, optional links, entries of functions.
    Branch,
    /// Statements and entries of functions.
    Statement,
    /// Statements of the methods under test alone, as in the thesis.
    Mut,
}

/// Settings of test generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Uses of a parameter before its type is inferred.
    pub delay: usize,
    /// Calls before the method under test: fewer than this.
    pub sequence: usize,
    /// Probability that a value is one that the test has.
    pub reuse: f64,
    /// Traps of a collecting proxy after which a test ends.
    pub trap_threshold: usize,
    /// Traps of an idle proxy after which the analyser gives up.
    pub idle_threshold: usize,
    /// Probability that a collecting proxy is 0.
    pub zero: f64,
    /// How types are inferred.
    pub profile: Profile,
    /// How types are drawn.
    pub types: Drawing,
    /// Probability of any type.
    pub random_type: f64,
    /// Probability that a primitive is a constant of the program.
    pub constants: f64,
    /// Tests without new coverage after which `flycatcher` leaves a method; 0: never.
    pub patience: usize,
    /// The goals.
    pub goals: Goals,
    /// Most statements of a test.
    pub maximum_length: usize,
    /// Probability that a search takes a new random test in place of a mutated one.
    pub fresh: f64,
    /// Share of the executions that infer types before a search.
    pub inference: f64,
    /// Whether coverage of tests that throw is thrown away.
    pub discard_throwing: bool,
    /// Whether suites are minimised.
    pub minimise: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            delay: 20,
            sequence: 10,
            reuse: 0.25,
            trap_threshold: 15,
            idle_threshold: 50,
            zero: 0.2,
            profile: Profile::Scored,
            types: Drawing::Proportional,
            random_type: 0.1,
            constants: 0.5,
            patience: 0,
            goals: Goals::Branch,
            maximum_length: 40,
            fresh: 0.4,
            inference: 0.1,
            discard_throwing: false,
            minimise: true,
        }
    }
}

impl Parameters for Settings {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::count("delay", &mut self.delay, 0, 1_000)
                .meaning("uses of a parameter before its type is inferred"),
            Field::count("sequence", &mut self.sequence, 1, 200)
                .meaning("calls before the method under test: fewer than this"),
            Field::share("reuse", &mut self.reuse)
                .meaning("probability that a value is one that the test has"),
            Field::count("trap_threshold", &mut self.trap_threshold, 1, 10_000)
                .meaning("traps of a collecting proxy after which a test ends"),
            Field::count("idle_threshold", &mut self.idle_threshold, 1, 10_000)
                .meaning("traps of an idle proxy after which the analyser gives up"),
            Field::share("zero", &mut self.zero)
                .meaning("probability that a collecting proxy is the number 0"),
            Field::choice(
                "profile",
                &mut self.profile,
                &[("flycatcher", Profile::Flycatcher), ("scored", Profile::Scored)],
            )
            .meaning("how types are inferred"),
            Field::choice(
                "types",
                &mut self.types,
                &[
                    ("proportional", Drawing::Proportional),
                    ("ranked", Drawing::Ranked),
                    ("none", Drawing::None),
                ],
            )
            .meaning("how types are drawn from points"),
            Field::share("random_type", &mut self.random_type)
                .meaning("probability of any type instead"),
            Field::share("constants", &mut self.constants)
                .meaning("probability that a primitive is a constant of the program"),
            Field::count("patience", &mut self.patience, 0, 1_000_000)
                .meaning("tests without new coverage before a method is left; 0: never"),
            Field::choice(
                "goals",
                &mut self.goals,
                &[("branch", Goals::Branch), ("statement", Goals::Statement), ("mut", Goals::Mut)],
            )
            .meaning("what is to be covered"),
            Field::count("maximum_length", &mut self.maximum_length, 1, 200)
                .meaning("most statements of a test"),
            Field::share("fresh", &mut self.fresh)
                .meaning("probability of a new random test in place of a mutated one"),
            Field::share("inference", &mut self.inference)
                .meaning("share of the executions that infer types before a search"),
            Field::switch("discard_throwing", &mut self.discard_throwing)
                .meaning("throw coverage of tests that throw away"),
            Field::switch("minimise", &mut self.minimise)
                .meaning("leave out statements that no goal needs"),
        ]
    }
}
