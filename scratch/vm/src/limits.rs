//! Limits that a run ran into. Hitting one never ends a run: what is too much does not
//! happen, or happens later, and is on record.

/// A limit of the machine. What it bounds and how is in [`crate::Settings`]; lists and
/// clones are Scratch's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// [`Settings::warp_budget`](crate::Settings::warp_budget): a slice "without screen
    /// refresh" was broken off, to go on in the next step.
    Slice,
    /// [`Settings::step_budget`](crate::Settings::step_budget): a thread got no slice.
    Step,
    /// [`Settings::stack_limit`](crate::Settings::stack_limit): a thread was stopped.
    CallDepth,
    /// [`Settings::text_limit`](crate::Settings::text_limit): a text was cut.
    Text,
    /// 200,000 items: an item was not added, or the last one dropped.
    List,
    /// 300 clones: a clone was not made.
    Clones,
    /// [`catherd_render::Limits`]: a costume is larger than allowed and shows nothing, from the
    /// first green flag on. One time for each of them.
    Costume,
}

impl Limit {
    /// All limits, in the order of their reports.
    pub const ALL: [Limit; 7] = [
        Limit::Slice,
        Limit::Step,
        Limit::CallDepth,
        Limit::Text,
        Limit::List,
        Limit::Clones,
        Limit::Costume,
    ];

    /// Its name in reports and records.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Slice => "slice",
            Limit::Step => "step",
            Limit::CallDepth => "callDepth",
            Limit::Text => "text",
            Limit::List => "list",
            Limit::Clones => "clones",
            Limit::Costume => "costume",
        }
    }
}

/// How a run met one limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// The step of the first time, since the green flag.
    pub first: u64,
    /// How often; 0: never.
    pub times: u64,
}

/// How a run met every limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits([Hit; Limit::ALL.len()]);

impl Hits {
    /// The limits that were hit, in the order of [`Limit::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Limit, Hit)> {
        Limit::ALL.into_iter().zip(self.0).filter(|(_, hit)| hit.times > 0)
    }

    /// How one limit was met.
    pub fn of(&self, limit: Limit) -> Hit {
        self.0[limit as usize]
    }

    /// True if no limit was hit.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    #[cold]
    pub(crate) fn hit(&mut self, limit: Limit, step: u64) {
        let hit = &mut self.0[limit as usize];
        if hit.times == 0 {
            hit.first = step;
        }
        hit.times += 1;
    }
}
