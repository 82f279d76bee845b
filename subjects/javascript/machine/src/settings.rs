//! Settings of a machine, and options for the execution of one test.

/// Counted limits of a machine, and settings of its proxies.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSettings {
    /// Maximum number of steps of a test.
    pub steps: u64,
    /// Maximum number of operations of the engine during a statement, in units of 10,000.
    pub polls: u64,
    /// Maximum memory of the engine, in bytes.
    pub heap: usize,
    /// Bytes of the engine's stack. The stack of the thread must be at least eight times as large.
    pub stack: usize,
    /// Maximum number of timers of a test.
    pub timers: usize,
    /// Maximum number of steps of loading.
    pub load_steps: u64,
    /// Maximum number of operations of the engine while the program is loaded, in units of 10,000.
    pub load_polls: u64,
    /// Number of traps after which an idle proxy of the analyser throws an exception.
    pub idle_threshold: u32,
    /// Number of traps of a collecting proxy after which a test ends.
    pub trap_threshold: u32,
    /// Probability that a collecting proxy converts to the number 0.
    pub zero: f64,
    /// The number to which collecting proxies convert, for examples; `None` for a random number.
    pub proxy_number: Option<f64>,
    /// Whether observations of values accessed through an unknown argument are recorded as well, by
    /// path.
    pub paths: bool,
    /// Whether plain objects with functions of the program, and such functions themselves, get
    /// separate types when tests return them.
    pub shapes: bool,
    /// The part of a line of code that determines the points of primitive types; `None` if
    /// operators do.
    pub line_hints: Option<LineHints>,
    /// Whether executions begin from an image of the context in which the program was loaded.
    pub reuse: bool,
}

impl Default for MachineSettings {
    fn default() -> MachineSettings {
        MachineSettings {
            steps: 200_000,
            polls: 400,
            heap: 64 << 20,
            stack: 32 << 20,
            timers: 1_000,
            load_steps: 2_000_000,
            load_polls: 10_000,
            idle_threshold: 50,
            trap_threshold: 15,
            zero: 0.2,
            proxy_number: None,
            paths: false,
            shapes: false,
            line_hints: None,
            reuse: true,
        }
    }
}

/// The part of a line of code that determines the points of primitive types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineHints {
    /// The line without comments.
    Code,
    /// The line with comments, as in Flycatcher's program.
    WithComments,
}

/// Options for the execution of a test.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecuteOptions {
    /// Whether unknown arguments and operators report evidence.
    pub infer: bool,
    /// Whether results are kept as data.
    pub observe: bool,
    /// Seed of `Math.random`.
    pub seed: u64,
    /// Whether the reached units are kept after each statement.
    pub trace: bool,
    /// Whether units that loading reaches count as well.
    pub loading: bool,
    /// Maximum number of steps of this test; `None` for the limit of the settings.
    pub steps: Option<u64>,
    /// Virtual time at which the test begins, in milliseconds after the start of the clock.
    pub later: f64,
}
