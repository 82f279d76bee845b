//! Tests the planner on a simulated cluster, second by second.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use catherd_deploy_launch::{
    Action, Demand, Observed, Planner, Policy, Task, TaskState, Waiting, WorkerCount,
};

#[derive(Clone)]
struct Worker {
    /// Seconds until the startup or the run of the worker ends.
    busy: u64,
    run: Option<u64>,
    idle: u64,
    ended: bool,
}

struct Running {
    since: u64,
    limit: u64,
    workers: Vec<Worker>,
    worked: bool,
}

/// Tasks start when nodes are free, and may be preempted.
struct Cluster {
    nodes: usize,
    cores: u32,
    /// Seconds after which a task is preempted.
    preemption: Option<u64>,
    /// Whether tasks end at once, because their workers cannot reach the coordinator.
    broken: bool,
    idle_limit: u64,
    startup: u64,
    next: u32,
    waiting: BTreeMap<String, u64>,
    running: BTreeMap<String, Running>,
    queue: VecDeque<u64>,
    done: u64,
    /// Allocated core-seconds.
    allocated: u64,
    busy: u64,
    most: usize,
    preempted: u32,
    submissions: u32,
}

impl Cluster {
    fn new(nodes: usize, cores: u32, runs: impl IntoIterator<Item = u64>) -> Cluster {
        Cluster {
            nodes,
            cores,
            preemption: None,
            broken: false,
            idle_limit: 5,
            startup: 3,
            next: 0,
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            queue: runs.into_iter().collect(),
            done: 0,
            allocated: 0,
            busy: 0,
            most: 0,
            preempted: 0,
            submissions: 0,
        }
    }

    fn observed(&self) -> Vec<Observed> {
        let observed =
            |id: &String, state, worked| Observed { task: Task { id: id.clone(), state }, worked };
        let waiting = self.waiting.keys().map(|id| observed(id, TaskState::Waiting, false));
        let running = self.running.iter();
        let running = running.map(|(id, task)| observed(id, TaskState::Running, task.worked));
        waiting.chain(running).collect()
    }

    fn demand(&self) -> Demand {
        let workers = self.running.values().flat_map(|task| &task.workers);
        let total: u64 = self.queue.iter().sum();
        let runs = self.queue.len() as u64;
        let expected = (runs > 0).then(|| total as f64 / runs as f64);
        Demand {
            waiting: vec![Waiting { runs, expected }],
            leased: workers.filter(|worker| worker.run.is_some()).count() as u64,
        }
    }

    fn execute(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Submit { tasks, time } => {
                    self.submissions += 1;
                    for _ in 0..tasks {
                        self.next += 1;
                        self.waiting.insert(format!("{:09}", self.next), time.as_secs());
                    }
                }
                Action::Cancel(tasks) => {
                    for task in tasks {
                        assert!(self.waiting.remove(&task.id).is_some(), "{}", task.id);
                    }
                }
            }
        }
    }

    fn step(&mut self, now: u64) {
        while self.running.len() < self.nodes
            && let Some((id, limit)) = self.waiting.pop_first()
        {
            let worker = Worker { busy: self.startup, run: None, idle: 0, ended: false };
            let workers = vec![worker; self.cores as usize];
            self.running.insert(id, Running { since: now, limit, workers, worked: false });
        }
        self.most = self.most.max(self.running.len());
        let (mut queue, mut done, mut busy) = (std::mem::take(&mut self.queue), 0, 0);
        for task in self.running.values_mut() {
            let left = task.limit - (now - task.since);
            for worker in task.workers.iter_mut().filter(|worker| !worker.ended) {
                if worker.busy == 0 {
                    if let Some(run) = worker.run.take() {
                        done += 1;
                        assert!(run > 0);
                    }
                    task.worked = true;
                    // Runs that do not fit wait for another worker.
                    match queue.front() {
                        Some(&run) if run + 10 <= left => {
                            queue.pop_front();
                            (worker.run, worker.busy, worker.idle) = (Some(run), run, 0);
                        }
                        _ => worker.idle += 1,
                    }
                    worker.ended = worker.idle > self.idle_limit;
                }
                busy += u64::from(worker.run.is_some());
                worker.busy = worker.busy.saturating_sub(1);
            }
        }
        self.allocated += self.running.len() as u64 * u64::from(self.cores);
        self.busy += busy;
        self.done += done;
        let (preemption, broken) = (self.preemption, self.broken);
        self.running.retain(|_, task| {
            let passed = now + 1 - task.since;
            let preempted = preemption.is_some_and(|limit| passed >= limit);
            let keep = !broken
                && !preempted
                && passed < task.limit
                && task.workers.iter().any(|worker| !worker.ended);
            if !keep {
                self.preempted += u32::from(preempted);
                queue.extend(task.workers.iter().filter_map(|worker| worker.run));
            }
            keep
        });
        self.queue = queue;
    }

    /// Simulates until no work is left, but at most `seconds` seconds, and returns the elapsed
    /// time.
    fn run(&mut self, planner: &mut Planner, seconds: u64) -> u64 {
        for now in 0..seconds {
            if now % 5 == 0 {
                planner.observe(now as f64, &self.observed());
                let actions = planner.plan(now as f64, &self.demand());
                self.execute(actions);
            }
            self.step(now);
            if self.queue.is_empty() && self.running.is_empty() && self.waiting.is_empty() {
                return now;
            }
        }
        seconds
    }

    fn idle(&self) -> f64 {
        1.0 - self.busy as f64 / self.allocated as f64
    }
}

fn policy(max: u32, cores_per_task: u32) -> Policy {
    Policy {
        count: WorkerCount { min: 0, max },
        cores_per_task,
        time: Duration::from_secs(4 * 3600),
        idle: Duration::from_secs(5),
        startup: Duration::from_secs(3),
        max_idle: 0.02,
        budget: None,
    }
}

/// Runs of 10 to 109 seconds.
fn runs(number: u64) -> impl Iterator<Item = u64> {
    (0..number).map(|run| 10 + run.wrapping_mul(6_364_136_223_846_793_005) % 100)
}

#[test]
#[ignore = "slow"]
fn ten_thousand_runs_are_done_with_two_percent_idle_although_each_task_is_preempted() {
    for (nodes, cores) in [(64, 1), (4, 1), (16, 4)] {
        let mut cluster = Cluster::new(nodes, cores, runs(10_000));
        cluster.preemption = Some(600);
        let mut planner = Planner::new(policy(nodes as u32 * cores, cores), 0.0);
        let end = cluster.run(&mut planner, 1_000_000);
        assert_eq!(cluster.done, 10_000);
        assert!(cluster.idle() <= 0.02, "{nodes} nodes of {cores}: {}", cluster.idle());
        assert!(cluster.preempted > 100, "{}", cluster.preempted);
        assert!(cluster.running.is_empty() && cluster.waiting.is_empty());
        assert!(end > 1000 && cluster.most <= nodes, "{end} {}", cluster.most);
    }
}

#[test]
fn workers_grow_with_the_work_and_never_beyond_the_maximum() {
    // There are more nodes than workers, so only the maximum limits the number of workers.
    let mut cluster = Cluster::new(1000, 4, runs(10_000));
    let mut planner = Planner::new(policy(30, 4), 0.0);
    cluster.run(&mut planner, 1_000_000);
    assert_eq!((cluster.done, cluster.most), (10_000, 7));
    // Little work is not worth many workers.
    let mut cluster = Cluster::new(1000, 1, [3; 40]);
    let mut planner = Planner::new(policy(30, 1), 0.0);
    cluster.run(&mut planner, 1_000_000);
    assert_eq!((cluster.done, cluster.most), (40, 1));
}

#[test]
fn tasks_that_ended_at_their_limit_are_replaced() {
    let mut cluster = Cluster::new(8, 1, runs(2_000));
    let policy = Policy { time: Duration::from_secs(900), ..policy(8, 1) };
    let mut planner = Planner::new(policy, 0.0);
    cluster.run(&mut planner, 1_000_000);
    assert_eq!(cluster.done, 2_000);
    assert!(cluster.next > 100, "{}", cluster.next);
    // A run that does not fit waits for the next task.
    assert!(cluster.idle() < 0.03, "{}", cluster.idle());
}

#[test]
#[ignore = "slow"]
fn the_budget_is_never_exceeded() {
    let budget = 100_000.0;
    for preemption in [None, Some(600)] {
        let mut cluster = Cluster::new(64, 2, runs(10_000));
        cluster.preemption = preemption;
        let policy = Policy { budget: Some(budget), ..policy(64, 2) };
        let mut planner = Planner::new(policy, 20_000.0);
        cluster.run(&mut planner, 200_000);
        let allocated = cluster.allocated as f64;
        assert!(allocated <= 80_000.0, "{allocated}");
        assert!(allocated > 70_000.0, "{allocated}");
        assert!(cluster.running.is_empty() && cluster.waiting.is_empty() && cluster.done > 500);
    }
}

#[test]
#[ignore = "slow"]
fn tasks_that_never_work_are_submitted_ever_more_rarely() {
    let mut cluster = Cluster::new(4, 1, runs(10_000));
    cluster.broken = true;
    let mut planner = Planner::new(policy(4, 1), 0.0);
    cluster.run(&mut planner, 7200);
    assert!(cluster.submissions <= 20, "{}", cluster.submissions);
    assert!(planner.failures() > 10);
    // A task that works ends the pause.
    cluster.broken = false;
    let after = cluster.run(&mut planner, 1_000_000);
    assert_eq!((cluster.done, planner.failures()), (10_000, 0), "{after}");
}

#[test]
fn the_minimum_stays_without_runs() {
    let policy = Policy { count: WorkerCount { min: 3, max: 8 }, ..policy(8, 1) };
    let mut planner = Planner::new(policy, 0.0);
    planner.observe(0.0, &[]);
    let time = Duration::from_secs(4 * 3600);
    let submit = |tasks| vec![Action::Submit { tasks, time }];
    assert_eq!(planner.plan(0.0, &Demand::default()), submit(3));
    let waiting = |number: u32| Observed {
        task: Task { id: number.to_string(), state: TaskState::Waiting },
        worked: false,
    };
    planner.observe(5.0, &[waiting(1), waiting(2), waiting(3)]);
    assert_eq!(planner.plan(5.0, &Demand::default()), []);
    let work = |runs| Demand { waiting: vec![Waiting { runs, expected: Some(1e3) }], leased: 0 };
    assert_eq!(planner.plan(5.0, &work(5)), submit(2));
    let all: Vec<_> = (1..=5).map(waiting).collect();
    planner.observe(10.0, &all);
    let cancelled = [5, 4].map(|number: u32| waiting(number).task).to_vec();
    assert_eq!(planner.plan(10.0, &Demand::default()), [Action::Cancel(cancelled)]);
    // The tasks are cancelled only once.
    planner.observe(15.0, &all);
    assert_eq!(planner.plan(15.0, &Demand::default()), []);
}

#[test]
fn runs_that_no_task_could_finish_get_no_task() {
    let mut planner = Planner::new(policy(8, 1), 0.0);
    let waiting = |expected| Demand { waiting: vec![Waiting { runs: 9, expected }], leased: 0 };
    assert_eq!(planner.plan(0.0, &waiting(Some(5.0 * 3600.0))), []);
    assert!(!planner.plan(0.0, &waiting(Some(3600.0))).is_empty());
    assert!(!planner.plan(0.0, &waiting(None)).is_empty());
}
