//! Parameters of test generation, in addition to the parameters of the search.

use catherd_search::{Field, Parameters};

/// How types are inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As in Flycatcher's thesis: one type is chosen, after a delay.
    Flycatcher,
    /// A distribution of types by points.
    Scored,
}

/// How a type is drawn from a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// In proportion to points.
    Proportional,
    /// The type with the most points.
    Ranked,
    /// A random type, regardless of points.
    None,
}

/// The goals of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goals {
    /// Branches, loops, optional chaining and entries of functions.
    Branch,
    /// Statements and entries of functions.
    Statement,
    /// Statements of the methods under test, as in the thesis.
    Mut,
}

/// The source of points for primitive types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hints {
    /// The operator that converts the proxy.
    Site,
    /// The text of the line, as in the thesis.
    Line,
}

/// The goals for which `flycatcher` keeps a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only goals of the method under test, as in the thesis.
    Mut,
    /// All goals.
    Class,
}

/// Settings of test generation.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationSettings {
    /// Number of uses of a parameter before its type is inferred.
    pub delay: usize,
    /// Whether types are inferred by the rule of the thesis' draft instead of after the delay.
    pub draft_delay: bool,
    /// Upper bound (exclusive) on the number of calls before the method under test.
    pub sequence: usize,
    /// Probability that an argument reuses a value of the test.
    pub reuse: f64,
    /// Number of traps of a collecting proxy after which a test ends.
    pub trap_threshold: usize,
    /// Number of traps after which an idle proxy of the analyser throws an exception.
    pub idle_threshold: usize,
    /// Probability that a collecting proxy is 0.
    pub zero: f64,
    /// The source of points for primitive types.
    pub hints: Hints,
    /// How types are inferred.
    pub profile: Profile,
    /// How types are drawn.
    pub types: Drawing,
    /// Probability that a random type is used instead of a type by points.
    pub random_type: f64,
    /// Probability that a primitive is a constant of the program.
    pub constants: f64,
    /// Number of tests without new coverage after which `flycatcher` continues with another method;
    /// 0 for never.
    pub patience: usize,
    /// The goals of the search.
    pub goals: Goals,
    /// The goals for which `flycatcher` keeps a test.
    pub scope: Scope,
    /// Maximum number of statements of a test.
    pub maximum_length: usize,
    /// Probability that a search uses a new random test instead of a mutated test.
    pub fresh: f64,
    /// Share of the executions that infer types before a search.
    pub inference: f64,
    /// Whether the coverage of tests that throw is ignored.
    pub discard_throwing: bool,
    /// Whether comments are included when points are computed from lines, as in Flycatcher's
    /// program.
    pub line_comments: bool,
    /// Whether calls and operators are goals in addition to statements, as in Flycatcher's program.
    pub nodes: bool,
    /// Whether values are made from the program's own words, and functions in results are called.
    pub words: bool,
    /// Whether the words include words of documentation, tests and examples.
    pub mined: bool,
    /// Whether suites are minimised.
    pub minimise: bool,
}

impl GenerationSettings {
    /// Whether values are made from the program's words.
    pub fn uses_words(&self) -> bool {
        self.words && self.profile == Profile::Scored
    }
}

impl Default for GenerationSettings {
    fn default() -> GenerationSettings {
        GenerationSettings {
            delay: 20,
            draft_delay: false,
            sequence: 10,
            reuse: 0.25,
            trap_threshold: 15,
            idle_threshold: 50,
            zero: 0.2,
            hints: Hints::Site,
            profile: Profile::Scored,
            types: Drawing::Proportional,
            random_type: 0.1,
            constants: 0.5,
            patience: 0,
            goals: Goals::Branch,
            scope: Scope::Class,
            maximum_length: 40,
            fresh: 0.4,
            inference: 0.1,
            discard_throwing: false,
            line_comments: false,
            nodes: false,
            words: false,
            mined: true,
            minimise: true,
        }
    }
}

impl Parameters for GenerationSettings {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::count("delay", &mut self.delay, 0, 1_000).meaning(
                "uses of a parameter before its type is inferred; draft: as in the thesis' draft",
            ),
            Field::count("sequence", &mut self.sequence, 1, 200)
                .meaning("calls before the method under test: fewer than this"),
            Field::share("reuse", &mut self.reuse)
                .meaning("probability that an argument reuses a value of the test"),
            Field::count("trap_threshold", &mut self.trap_threshold, 1, 10_000)
                .meaning("traps of a collecting proxy after which a test ends"),
            Field::count("idle_threshold", &mut self.idle_threshold, 1, 10_000)
                .meaning("traps after which an idle proxy of the analyser throws an exception"),
            Field::share("zero", &mut self.zero)
                .meaning("probability that a collecting proxy is the number 0"),
            Field::choice(
                "hints",
                &mut self.hints,
                &[("site", Hints::Site), ("line", Hints::Line)],
            )
            .meaning("where points of numbers and strings come from: operator or line"),
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
                .meaning("probability of a random type instead of a type by points"),
            Field::share("constants", &mut self.constants)
                .meaning("probability that a primitive is a constant of the program"),
            Field::count("patience", &mut self.patience, 0, 1_000_000)
                .meaning("tests without new coverage before another method is tested; 0: no limit"),
            Field::choice(
                "goals",
                &mut self.goals,
                &[("branch", Goals::Branch), ("statement", Goals::Statement), ("mut", Goals::Mut)],
            )
            .meaning("what is to be covered"),
            Field::choice(
                "scope",
                &mut self.scope,
                &[("mut", Scope::Mut), ("class", Scope::Class)],
            )
            .meaning("goals for which flycatcher keeps tests: of the method under test, or all"),
            Field::count("maximum_length", &mut self.maximum_length, 1, 200)
                .meaning("maximum number of statements of a test"),
            Field::share("fresh", &mut self.fresh)
                .meaning("probability of a new random test in place of a mutated one"),
            Field::share("inference", &mut self.inference)
                .meaning("share of the executions that infer types before a search"),
            Field::switch("compat.discard_throwing", &mut self.discard_throwing)
                .meaning("ignore the coverage of tests that throw"),
            Field::switch("compat.line_comments", &mut self.line_comments)
                .meaning("with hints = line: comments in the line count as well"),
            Field::switch("compat.nodes", &mut self.nodes)
                .meaning("with goals = mut: calls and operators are goals, too"),
            Field::switch("words", &mut self.words)
                .meaning("profile scored: values from the program's own words; returned functions are called"),
            Field::switch("mined", &mut self.mined)
                .meaning("with words: also from documentation, tests and examples of the package"),
            Field::switch("minimise", &mut self.minimise)
                .meaning("leave out tests and statements that no goal needs"),
        ]
    }
}
