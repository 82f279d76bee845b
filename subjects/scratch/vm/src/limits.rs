//! Limits hit during execution. A limit never aborts an execution; its hits are counted.

/// A limit of the VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// [`VmSettings::warp_budget`](crate::VmSettings::warp_budget): a slice "without screen
    /// refresh" was interrupted.
    Slice,
    /// [`VmSettings::step_budget`](crate::VmSettings::step_budget): a thread was not executed in a
    /// step, or was interrupted.
    Step,
    /// [`VmSettings::stack_limit`](crate::VmSettings::stack_limit): a thread was stopped.
    CallDepth,
    /// [`VmSettings::text_limit`](crate::VmSettings::text_limit): a string was truncated.
    Text,
    /// 200,000 items: an item was not added, or the last item was removed.
    List,
    /// 300 clones: a clone was not created.
    Clones,
    /// [`catherd_scratch_render::Limits`]: a costume is larger than allowed and shows nothing.
    Costume,
}

impl Limit {
    /// All limits, in the order in which they are reported.
    pub const ALL: [Limit; 7] = [
        Limit::Slice,
        Limit::Step,
        Limit::CallDepth,
        Limit::Text,
        Limit::List,
        Limit::Clones,
        Limit::Costume,
    ];

    /// Name in reports and records.
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

/// Hits of one limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// Step of the first hit, counted from the green flag.
    pub first: u64,
    /// Number of hits; 0 if the limit was never hit.
    pub times: u64,
}

/// Hits of all limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits([Hit; Limit::ALL.len()]);

impl Hits {
    /// The limits that were hit at least once, in the order of [`Limit::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Limit, Hit)> {
        Limit::ALL.into_iter().zip(self.0).filter(|(_, hit)| hit.times > 0)
    }

    /// The hits of one limit.
    pub fn of(&self, limit: Limit) -> Hit {
        self.0[limit as usize]
    }

    /// Whether no limit was hit.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(crate) fn since(&self, earlier: &Hits) -> Hits {
        let mut hits = *self;
        for (hit, before) in hits.0.iter_mut().zip(earlier.0) {
            hit.times -= before.times;
        }
        hits
    }

    pub(crate) fn add(&mut self, hits: &Hits, step: u64) {
        for (hit, more) in self.0.iter_mut().zip(hits.0) {
            if hit.times == 0 && more.times > 0 {
                hit.first = step;
            }
            hit.times += more.times;
        }
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
