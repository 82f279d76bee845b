//! Decides how many tasks to submit or cancel.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::engine::{Task, TaskState};
use crate::workers::WorkerCount;

/// The limits of an allocation.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Number of workers that stay, and maximum number of workers.
    pub count: WorkerCount,
    /// Number of workers of a task.
    pub cores_per_task: u32,
    /// Maximum time limit of a task.
    pub time: Duration,
    /// Time without a run after which a worker ends.
    pub idle: Duration,
    /// Time from the start of a task to its first run.
    pub startup: Duration,
    /// Maximum share of the allocated time in which workers may be idle, between 0 and 1.
    pub max_idle: f64,
    /// Maximum number of core-seconds of all tasks together.
    pub budget: Option<f64>,
}

/// Pending runs that are expected to take the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Number of runs.
    pub runs: u64,
    /// Expected time of each run in seconds, if it is known.
    pub expected: Option<f64>,
}

/// The remaining work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// Pending runs.
    pub waiting: Vec<Waiting>,
    /// Number of runs that workers have leased.
    pub leased: u64,
}

/// A task that the manager lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The task.
    pub task: Task,
    /// Whether a worker of the task has leased a run.
    pub worked: bool,
}

/// An action that the caller must take.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Submit tasks.
    Submit {
        /// Number of tasks.
        tasks: u32,
        /// Time limit of each task.
        time: Duration,
    },
    /// Cancel tasks that wait.
    Cancel(Vec<Task>),
}

/// Seconds that a run is expected to take if nothing was measured.
const UNMEASURED: f64 = 10.0;

/// The share of the permitted idle time that plans use. The rest is reserved for tasks that are
/// lost.
const IDLE_SHARE: f64 = 0.75;

/// Time in seconds at the end of a task in which no run may be executed.
const HAND_BACK: f64 = 10.0;

/// First and longest pause after a failure, in seconds.
const PAUSES: (f64, f64) = (10.0, 600.0);

#[derive(Clone, Debug)]
struct Allocation {
    state: TaskState,
    /// Time at which the task was first observed to be running since it was last queued.
    started: Option<f64>,
    /// Time limit in seconds.
    limit: f64,
    worked: bool,
    cancelled: bool,
}

impl Allocation {
    fn new(state: TaskState, limit: f64) -> Allocation {
        Allocation { state, started: None, limit, worked: false, cancelled: false }
    }

    fn remaining(&self, now: f64) -> f64 {
        let passed = self.started.map_or(0.0, |started| now - started);
        (self.limit - passed).max(0.0)
    }
}

/// Decides when tasks are submitted and cancelled.
#[derive(Clone, Debug)]
pub struct Planner {
    policy: Policy,
    tasks: BTreeMap<String, Allocation>,
    /// Core-seconds that were allocated.
    spent: f64,
    /// Core-seconds that were allocated before this planner was made.
    before: f64,
    /// Number of workers that were started.
    started: f64,
    seen: Option<f64>,
    /// Time limit in seconds of the tasks that were submitted last.
    limit: f64,
    /// Number of tasks that were submitted since the last observation and not refused.
    unseen: u32,
    /// Number of failures since a task was last observed to have worked.
    failures: u32,
    /// Time before which no task is submitted.
    pause: f64,
}

impl Planner {
    /// Creates a planner for an allocation that has already spent `spent` core-seconds.
    pub fn new(policy: Policy, spent: f64) -> Planner {
        let limit = policy.time.as_secs_f64();
        Planner {
            policy,
            tasks: BTreeMap::new(),
            spent,
            before: spent,
            started: 0.0,
            seen: None,
            limit,
            unseen: 0,
            failures: 0,
            pause: f64::NEG_INFINITY,
        }
    }

    /// Returns the core-seconds that were allocated.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// Returns the number of failures since a task was last observed to have worked.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    fn cores(&self) -> f64 {
        f64::from(self.policy.cores_per_task)
    }

    /// Records the tasks that the manager lists. `now` is a time in seconds, which must not
    /// decrease.
    pub fn observe(&mut self, now: f64, listed: &[Observed]) {
        let passed = self.seen.map_or(0.0, |seen| (now - seen).max(0.0));
        self.seen = Some(now);
        // The times at which tasks started and ended are not known, so the whole time since the
        // last observation is counted.
        let running = |task: &Allocation| task.state == TaskState::Running;
        let mut allocated: BTreeSet<String> = BTreeSet::new();
        let was_running = self.tasks.iter().filter(|(_, task)| running(task));
        allocated.extend(was_running.map(|(id, _)| id.clone()));
        for Observed { task, worked } in listed {
            let unknown = Allocation::new(task.state, self.limit);
            if !self.tasks.contains_key(&task.id) {
                self.unseen = self.unseen.saturating_sub(1);
            }
            let known = self.tasks.entry(task.id.clone()).or_insert(unknown);
            known.state = task.state;
            known.worked |= worked;
            match task.state {
                TaskState::Running => {
                    if known.started.is_none() {
                        known.started = Some(now);
                        self.started += f64::from(self.policy.cores_per_task);
                    }
                    allocated.insert(task.id.clone());
                }
                // The task was queued again.
                TaskState::Waiting => known.started = None,
            }
        }
        // Tasks that were submitted since the last observation but are not listed are assumed to
        // have started and ended.
        let unseen = std::mem::take(&mut self.unseen);
        self.spent += (allocated.len() as f64 + f64::from(unseen)) * self.cores() * passed;
        let listed: BTreeSet<&str> = listed.iter().map(|seen| seen.task.id.as_str()).collect();
        let mut ended = vec![Allocation::new(TaskState::Waiting, 0.0); unseen as usize];
        self.tasks.retain(|id, task| {
            let keep = listed.contains(id.as_str());
            if !keep {
                ended.push(task.clone());
            }
            keep
        });
        if self.tasks.values().chain(&ended).any(|task| task.worked) {
            (self.failures, self.pause) = (0, f64::NEG_INFINITY);
            return;
        }
        let failed = ended.iter().filter(|task| !task.cancelled).count() as u32;
        if failed > 0 {
            self.note_failures(now, failed);
        }
    }

    /// Records that the manager refused the tasks that were submitted last.
    pub fn note_refusal(&mut self, now: f64) {
        self.unseen = 0;
        self.note_failures(now, 1);
    }

    fn note_failures(&mut self, now: f64, failed: u32) {
        let pause = PAUSES.0 * 2_f64.powi(self.failures.min(16) as i32);
        self.failures = self.failures.saturating_add(failed);
        self.pause = now + pause.min(PAUSES.1);
    }

    /// Returns the actions that the remaining work requires.
    pub fn plan(&mut self, now: f64, demand: &Demand) -> Vec<Action> {
        let cores = self.policy.cores_per_task;
        let mut outlook = Outlook::new(&self.policy, demand);
        let running = |task: &&Allocation| task.state == TaskState::Running;
        let running = self.tasks.values().filter(running).count() as u32 * cores;
        let worth = self.worth(&outlook, f64::from(running));
        outlook.workers =
            running.saturating_add(worth).min(outlook.workers).max(self.policy.count.min);
        let wanted = outlook.workers.div_ceil(cores);
        // A task that will not take further runs is not counted, but occupies its cores until it
        // ends.
        let lasting = |task: &&Allocation| {
            (task.state == TaskState::Waiting && !task.cancelled)
                || (task.state == TaskState::Running
                    && task.remaining(now) > outlook.longest + HAND_BACK)
        };
        let lasting = self.tasks.values().filter(lasting).count() as u32;
        let all = self.tasks.len() as u32;
        let most = self.policy.count.max / cores;
        let mut actions = Vec::new();
        if lasting > wanted {
            let surplus = (lasting - wanted) as usize;
            actions.extend(self.cancel(surplus));
        } else if now >= self.pause {
            let missing = (wanted - lasting).min(most.max(1).saturating_sub(all));
            actions.extend(self.submit(now, missing, &outlook));
        }
        actions
    }

    /// Returns the number of workers that can be started within the permitted idle time.
    fn worth(&self, outlook: &Outlook, running: f64) -> u32 {
        let startup = self.policy.startup.as_secs_f64();
        // Workers of a task may be idle until the last run of the task has ended.
        let shared = if self.policy.cores_per_task > 1 { outlook.longest } else { 0.0 };
        let end = self.policy.idle.as_secs_f64() + shared;
        let whole = self.spent - self.before + outlook.work;
        let allowed = IDLE_SHARE * self.policy.max_idle * whole;
        let left = allowed - self.started * startup - running * end;
        // Runs wait, so at least one worker is needed.
        let least = u32::from(running == 0.0 && outlook.work > 0.0);
        ((left / (startup + end).max(0.1)).max(0.0) as u32).max(least)
    }

    fn cancel(&mut self, surplus: usize) -> Option<Action> {
        let waiting = self.tasks.iter_mut().rev();
        let waiting =
            waiting.filter(|(_, task)| task.state == TaskState::Waiting && !task.cancelled);
        let mut cancelled = Vec::new();
        for (id, task) in waiting.take(surplus) {
            task.cancelled = true;
            cancelled.push(Task { id: id.clone(), state: TaskState::Waiting });
        }
        (!cancelled.is_empty()).then_some(Action::Cancel(cancelled))
    }

    /// All tasks together must stay within the budget even if they use their remaining time.
    fn submit(&mut self, now: f64, tasks: u32, outlook: &Outlook) -> Option<Action> {
        if tasks == 0 {
            return None;
        }
        let longest = self.policy.time.as_secs_f64();
        let (mut tasks, mut limit) = (tasks, longest);
        if let Some(budget) = self.policy.budget {
            let reserved: f64 = self.tasks.values().map(|task| task.remaining(now)).sum();
            let left = (budget - self.spent) / self.cores() - reserved;
            let needed = outlook.longest + HAND_BACK + self.policy.startup.as_secs_f64();
            // A longer limit than about twice the expected time would reserve a part of the budget
            // that other tasks need.
            let expected = 2.0 * outlook.work / f64::from(outlook.workers.max(1)) + needed;
            limit = expected.min(longest).min(left);
            if limit < needed {
                return None;
            }
            tasks = tasks.min((left / limit) as u32).max(1);
        }
        let time = Duration::from_secs(limit.max(1.0) as u64);
        self.limit = time.as_secs_f64();
        self.unseen = tasks;
        Some(Action::Submit { tasks, time })
    }
}

struct Outlook {
    /// Number of workers that the work needs, at most the maximum of the policy.
    workers: u32,
    /// Expected seconds of all waiting runs that a task can finish.
    work: f64,
    /// Expected seconds of the longest of these runs.
    longest: f64,
}

impl Outlook {
    fn new(policy: &Policy, demand: &Demand) -> Outlook {
        let startup = policy.startup.as_secs_f64();
        // No task could finish longer runs.
        let fits = |seconds: f64| seconds + HAND_BACK + startup <= policy.time.as_secs_f64();
        let (mut runs, mut work, mut longest) = (0_u64, 0.0_f64, 0.0_f64);
        for waiting in demand.waiting.iter().filter(|waiting| waiting.runs > 0) {
            let expected = waiting.expected.unwrap_or(UNMEASURED);
            if fits(expected) {
                runs += waiting.runs;
                work += waiting.runs as f64 * expected;
                longest = longest.max(expected);
            }
        }
        let busy = runs.saturating_add(demand.leased);
        let most = if runs > 0 { policy.count.max } else { 0 };
        let workers = busy.min(most.into()) as u32;
        Outlook { workers, work, longest }
    }
}
