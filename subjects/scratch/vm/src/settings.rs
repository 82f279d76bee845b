//! Settings of a VM.

use crate::compat::Compat;

/// Duration of a step in milliseconds, as the original computes it.
pub(crate) const STEP_MS: f64 = 1000.0 / 30.0;

pub(crate) const DAY_MS: f64 = 86_400_000.0;

/// Settings of a VM. All of them influence results.
///
/// Budgets are counted in blocks; a block with much work counts as several.
#[derive(Clone, Debug, PartialEq)]
pub struct VmSettings {
    /// The version of Scratch for which programs are compiled
    /// ([`Program::compile_for`](crate::Program::compile_for)).
    pub compat: Compat,
    /// Seconds by which the `timer` block advances in each step. 1/30 is Scratch time; the Whisker
    /// paper found 0.075 empirically (section 3.2).
    pub timer_increment: f64,
    /// Maximum number of batches of a step. With 1, as in the Whisker paper, every thread executes
    /// one slice in a step.
    pub batches: u32,
    /// Whether `reset timer` also resets the clock of `when timer >`, as in unmodified Scratch.
    pub one_timer: bool,
    /// Maximum number of blocks that one thread executes "without screen refresh" in a slice; the
    /// original limits the time to 500 ms.
    pub warp_budget: u32,
    /// Maximum number of blocks that all threads together execute in one step.
    pub step_budget: u64,
    /// Number of slices of a thread that use up their budget before the budget of the thread is
    /// halved, and likewise for steps. Halving bounds the time of programs that never end.
    pub overruns_per_halving: u32,
    /// Maximum number of frames on one thread's stack. A deeper recursion ends the thread.
    pub stack_limit: usize,
    /// Maximum length of a string in UTF-16 code units. Longer results are truncated.
    pub text_limit: usize,
    /// Characters that speech synthesis speaks in a second; `None` if speech never ends.
    pub speech_rate: Option<f64>,
    /// Whether `translate` waits and returns an empty string in [`Compat::Of2022`], as in the
    /// original without a network.
    pub awaits_translations: bool,
    /// Date of the green flag for `current` and `days since 2000`, in days since the beginning of
    /// the year 2000, UTC.
    pub days_since_2000: f64,
    /// Whether a false `color is touching color` computes the hull of the target, as the
    /// recording of branch distances does in the original.
    pub distances_touch_hulls: bool,
    /// Time that passes in a step.
    pub pace: Pace,
}

/// Duration of a step, and turbo mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Duration of a step in milliseconds, except for sounds.
    pub step_ms: f64,
    /// Duration of a step for sounds, in milliseconds, because sounds are not accelerated.
    pub sound_step_ms: f64,
    /// Whether turbo mode is on: batches follow one another even if something must be drawn.
    pub turbo: bool,
}

impl Default for Pace {
    /// 30 steps per second.
    fn default() -> Pace {
        Pace { step_ms: STEP_MS, sound_step_ms: STEP_MS, turbo: false }
    }
}

impl VmSettings {
    /// Defaults for a version of Scratch.
    pub fn of(compat: Compat) -> VmSettings {
        let today = compat == Compat::Today;
        let default = VmSettings { compat, ..VmSettings::default() };
        if today { VmSettings { batches: 100, one_timer: true, ..default } } else { default }
    }

    /// Not rounded, because a wait ends in the first step at which at least this time has passed.
    pub(crate) fn step_count(&self, seconds: f64) -> f64 {
        (1000.0 * seconds).max(0.0) / self.pace.step_ms
    }

    pub(crate) fn halved_budget(&self, budget: u64, times: u32) -> u64 {
        if times == 0 {
            return budget;
        }
        budget >> (times / self.overruns_per_halving.max(1)).min(6)
    }
}

impl Default for VmSettings {
    fn default() -> VmSettings {
        VmSettings {
            compat: Compat::Of2022,
            timer_increment: 1.0 / 30.0,
            batches: 1,
            one_timer: false,
            warp_budget: 1_000_000,
            step_budget: 4_000_000,
            overruns_per_halving: 8,
            stack_limit: 20_000,
            text_limit: 1_000_000,
            speech_rate: Some(15.0),
            awaits_translations: false,
            days_since_2000: 8_766.5,
            distances_touch_hulls: false,
            pace: Pace::default(),
        }
    }
}
