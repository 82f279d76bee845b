//! Limits of a machine, and how one test is executed in it.

/// Counted limits and the numbers of proxies.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Maximum number of steps of a test.
    pub steps: u64,
    /// Maximum units of 10,000 polls of a statement.
    pub polls: u64,
    /// Bytes of memory.
    pub heap: usize,
    /// Bytes of the engine's stack.
    pub stack: usize,
    /// Maximum number of timers of a test.
    pub timers: usize,
    /// Maximum number of steps of loading.
    pub load_steps: u64,
    /// Maximum units of 10,000 polls of loading.
    pub load_polls: u64,
    /// Traps of an idle proxy after which a test ends.
    pub idle_threshold: u32,
    /// Traps of a collecting proxy after which a test ends.
    pub trap_threshold: u32,
    /// Probability that a collecting proxy is the number 0.
    pub zero: f64,
    /// The number that every proxy is, for examples.
    pub proxy_number: Option<f64>,
    /// Whether what comes of an unknown argument records as well, by its path.
    pub paths: bool,
    /// Points of primitive types by the text of a line instead of by operators; `None` for operators.
    pub line_hints: Option<LineHints>,
    /// Whether executions begin from an image of the context in which the program was loaded. Each has a
    /// context of its own otherwise, with the same results.
    pub reuse: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            steps: 200_000,
            polls: 400,
            heap: 64 << 20,
            stack: 4 << 20,
            timers: 1_000,
            load_steps: 2_000_000,
            load_polls: 10_000,
            idle_threshold: 50,
            trap_threshold: 15,
            zero: 0.2,
            proxy_number: None,
            paths: false,
            line_hints: None,
            reuse: true,
        }
    }
}

/// How the text of a line is read for points of primitive types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineHints {
    /// Without comments.
    Code,
    /// With comments, as in Flycatcher's program.
    WithComments,
}

/// How a test is executed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecuteOptions {
    /// Whether unknown arguments and operators report evidence.
    pub infer: bool,
    /// Whether results are kept as data.
    pub observe: bool,
    /// Seed of `Math.random`.
    pub seed: u64,
    /// Whether what was reached is kept after each statement.
    pub trace: bool,
    /// Whether what loading reaches counts as well. Counters are 0 after loading otherwise.
    pub loading: bool,
    /// Maximum number of steps of this test; `None` for those of the settings.
    pub steps: Option<u64>,
    /// Milliseconds that have passed when the test begins.
    pub later: f64,
}
