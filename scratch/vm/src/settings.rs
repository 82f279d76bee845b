//! What a machine is told about its world.

/// Milliseconds of Scratch time a step, as the original computes it.
pub(crate) const STEP_MS: f64 = 1000.0 / 30.0;

pub(crate) const DAY_MS: f64 = 86_400_000.0;

/// Settings of a machine. All of them influence results.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Seconds by which the `timer` block advances a step. 1/30 is Scratch time; the
    /// Whisker paper found 0.075 empirically (section 3.2).
    pub timer_increment: f64,
    /// Batches of threads that a step runs at most. 1, as the paper has it: every thread
    /// runs once. More, as in unmodified Scratch: batches follow each other until
    /// something is to be drawn or no thread goes on; the original stops after three
    /// quarters of the step's real time.
    pub batches: u32,
    /// `reset timer` sets back what `when timer >` sees, as in unmodified Scratch. In the
    /// paper's machine these are two clocks.
    pub one_timer: bool,
    /// Blocks that one thread may execute "without screen refresh" before its slice
    /// ends, in place of the original's 500 ms of real time.
    pub warp_budget: u32,
    /// Blocks that all threads together may execute in one step; whoever comes later
    /// waits for the next step. Blocks whose work grows with texts, lists or the stage
    /// count as many, here and in `warp_budget`.
    pub step_budget: u64,
    /// Slices in which a thread may use up its budget before that is halved; as many again
    /// before the next halving, down to 1/64. The same holds for steps and their budget. A
    /// program that never comes to an end takes the original for ever; here it soon takes
    /// little.
    pub patience: u32,
    /// Frames on one thread's stack; a deeper recursion ends the thread.
    pub stack_limit: usize,
    /// Characters of text; longer results are cut.
    pub text_limit: usize,
    /// Characters that speech synthesis says in a second; none: speech never ends, as
    /// in the original without a network.
    pub speech_rate: Option<f64>,
    /// The instant at which `current` and `days since 2000` see the green flag clicked: days
    /// since the beginning of the year 2000, UTC. From there they advance with the steps.
    pub days_since_2000: f64,
    /// A false `color is touching color` computes the tester's hull, as the recording
    /// of branch distances does in the original.
    pub distances_touch_hulls: bool,
}

impl Settings {
    /// A budget that has been used up so many times.
    pub(crate) fn shrunk(&self, budget: u64, times: u32) -> u64 {
        budget >> (times / self.patience.max(1)).min(6)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            timer_increment: 1.0 / 30.0,
            batches: 1,
            one_timer: false,
            warp_budget: 1_000_000,
            step_budget: 4_000_000,
            patience: 8,
            stack_limit: 20_000,
            text_limit: 1_000_000,
            speech_rate: Some(15.0),
            days_since_2000: 8_766.5,
            distances_touch_hulls: false,
        }
    }
}
