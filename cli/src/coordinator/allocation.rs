//! `catherd coordinator --allocate`: allocates workers on a cluster while runs wait.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use catherd_cli_console::{Failure, terminal};
use catherd_coordinator::{Phase, Progress, StudyState};
use catherd_deploy_launch::{
    Action, Demand, Engine, Observed, Pilot, Planner, Policy, Task, Waiting,
};
use clap::Parser;
use tokio::sync::watch;

use crate::launch::execution::{self, State};
use crate::launch::shape::Shape;
use crate::launch::{check, worded, write_files};
use crate::remote::Credentials;

/// The argument of `--allocate`: a manager, and the options of `catherd launch` for it.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    engine: Engine,
    options: Options,
}

#[derive(Parser, Clone, Debug)]
#[command(name = "--allocate", no_binary_name = true, disable_help_flag = true)]
struct Options {
    /// Address of the coordinator for its workers.
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    connect: Vec<String>,

    #[command(flatten)]
    credentials: Credentials,

    #[command(flatten)]
    shape: Shape,

    /// Core-hours that may be allocated.
    #[arg(long, value_name = "HOURS", value_parser = hours)]
    budget: Option<f64>,

    /// Maximum share of the allocated time that may be idle, in percent.
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = share)]
    max_idle: f64,

    /// Do not ask the coordinator whether it admits the workers.
    #[arg(long)]
    no_check: bool,

    /// Options that are passed to the command that submits tasks.
    #[arg(last = true)]
    submit: Vec<String>,
}

/// Default of `--idle` in seconds, which is short because the planner submits new tasks when runs
/// wait again.
const IDLE: u64 = 10;

/// Time between two observations of the tasks.
const INTERVAL: Duration = Duration::from_secs(5);

/// Expected time from the start of a task to its first run.
const STARTUP: Duration = Duration::from_secs(3);

fn hours(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('h').parse::<f64>().ok();
    let number = number.filter(|hours| hours.is_finite() && *hours > 0.0);
    number.ok_or_else(|| format!("`{text}` is not a number of core-hours above 0"))
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok();
    let number = number.filter(|percent| *percent > 0.0 && *percent < 100.0);
    let number =
        number.ok_or_else(|| format!("`{text}` is not a percentage above 0 and below 100"))?;
    Ok(number / 100.0)
}

impl std::str::FromStr for Allocation {
    type Err = String;

    fn from_str(text: &str) -> Result<Allocation, String> {
        let (engine, options) = text.split_once(':').unwrap_or((text, ""));
        let engine = engine.trim().parse::<Engine>().map_err(|cause| cause.to_string())?;
        let options = Options::try_parse_from(words(options)?).map_err(|cause| {
            let text = cause.render().to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            first.trim_start_matches("error: ").replace('\n', " ")
        })?;
        Ok(Allocation { engine, options })
    }
}

/// Splits a line into words. Quotation marks join several words into one.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for char in line.chars() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, _) if char.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

pub(super) struct Allocator {
    engine: Engine,
    pilot: Pilot,
    planner: Planner,
    state: State,
    shape: Shape,
    credentials: Credentials,
    /// Tasks of which at least one worker has leased a run.
    worked: BTreeSet<Task>,
    start: Instant,
    /// Whether the check that the coordinator admits the workers has succeeded or is not wanted.
    checked: bool,
    /// The failure of the last step; empty if the step succeeded.
    told: String,
}

impl Allocation {
    /// Workers connect to `address` unless the options name other addresses.
    pub(super) fn allocator(self, address: &str) -> Result<Allocator, Failure> {
        let Allocation { engine, options } = self;
        let shape = options.shape;
        let dir: PathBuf = shape.folder(engine)?;
        let state = State::of_launch(&dir, engine)?;
        let connect = match &options.connect[..] {
            [] => address.to_owned(),
            given => given.join(","),
        };
        let idle = shape.idle.unwrap_or(IDLE);
        let mut pilot = Pilot {
            connect,
            idle,
            // Do not queue tasks again, because the planner replaces them and keeps the time limits
            // of all tasks within the budget.
            requeue: false,
            submit_options: options.submit,
            ..shape.pilot(engine, &options.credentials, dir, state.tag.clone())?
        };
        execution::read_array_limit(engine, &mut pilot);
        let policy = Policy {
            count: shape.workers,
            cores_per_task: pilot.cores_per_task,
            time: pilot.time,
            idle: Duration::from_secs(idle),
            startup: STARTUP,
            max_idle: options.max_idle,
            budget: options.budget.map(|hours| hours * 3600.0),
        };
        Ok(Allocator {
            engine,
            pilot,
            planner: Planner::new(policy, state.spent),
            state,
            shape,
            credentials: options.credentials,
            worked: BTreeSet::new(),
            start: Instant::now(),
            checked: options.no_check,
            told: String::new(),
        })
    }
}

impl Allocator {
    /// Allocates workers until the future is dropped. Tasks continue afterwards, and the next
    /// coordinator with the same folder manages them.
    pub(super) async fn run(mut self, progress: watch::Receiver<Progress>) {
        loop {
            let current = progress.borrow().clone();
            // Do not block this thread, because the commands of the manager may take seconds.
            let stepped = tokio::task::spawn_blocking(move || {
                // While another coordinator leads, only that coordinator allocates.
                if !current.standby {
                    let result = self.step(&current);
                    self.report(result);
                }
                self
            });
            match stepped.await {
                Ok(allocator) => self = allocator,
                Err(defect) => {
                    tracing::error!("no workers are allocated any more: {defect}");
                    return;
                }
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Logs a failure that differs from the failure of the last step.
    fn report(&mut self, result: Result<(), Failure>) {
        let told = result.err().map(|failure| failure.to_string()).unwrap_or_default();
        if !told.is_empty() && told != self.told {
            tracing::error!("cannot allocate workers: {}", told.trim_start_matches("error: "));
        }
        self.told = told;
    }

    fn step(&mut self, progress: &Progress) -> Result<(), Failure> {
        if !self.checked {
            let addresses: Vec<String> = self.pilot.connect.split(',').map(str::to_owned).collect();
            let addresses = crate::rendezvous::resolved(&addresses)?;
            check::admits_workers(&self.credentials, &addresses)?;
            self.checked = true;
        }
        let tasks = execution::listed(self.engine, &self.pilot)?;
        let now = self.start.elapsed().as_secs_f64();
        let observed = self.observed(tasks, progress);
        self.planner.observe(now, &observed);
        let actions = self.planner.plan(now, &demand(progress));
        for action in actions {
            match action {
                Action::Submit { tasks, time } => {
                    let submitted = self.submit(tasks, time, &observed);
                    if submitted.is_err() {
                        self.planner.note_refusal(now);
                    }
                    submitted?;
                }
                Action::Cancel(tasks) => {
                    tracing::info!("cancelling {}", terminal::plural(tasks.len(), "waiting task"));
                    execution::execute_all(&self.engine.cancellation(&self.pilot, &tasks))?;
                }
            }
        }
        self.state.spent = self.planner.spent();
        self.state.write(&self.pilot.dir)
    }

    fn observed(&mut self, tasks: Vec<Task>, progress: &Progress) -> Vec<Observed> {
        let useful = progress.workers.iter();
        let useful = useful.filter(|worker| worker.leases > 0 || worker.accepted > 0);
        let useful: BTreeSet<&str> = useful.map(|worker| worker.name.as_str()).collect();
        let listed: BTreeSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        self.worked.retain(|task| listed.contains(task.id.as_str()));
        let mut observed = Vec::new();
        for task in tasks {
            let prefix = self.engine.worker_prefix(&self.pilot.tag, &task);
            let of_task = |name: &&str| {
                let rest = name.strip_prefix(&*prefix);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            };
            let known = self.worked.iter().any(|worked| worked.id == task.id);
            let worked = known || useful.iter().any(of_task);
            if worked && !known {
                self.worked.insert(task.clone());
            }
            observed.push(Observed { task, worked });
        }
        observed
    }

    fn submit(&mut self, tasks: u32, time: Duration, live: &[Observed]) -> Result<(), Failure> {
        let live: Vec<Task> = live.iter().map(|observed| observed.task.clone()).collect();
        let next = self.state.next;
        // If fewer workers than the minimum exist, the workers of some new tasks stay even if they
        // have no run.
        let least = self.shape.workers.min.div_ceil(self.pilot.cores_per_task);
        let staying = match least.saturating_sub(live.len() as u32) {
            0 => 0,
            few => next - 1 + few,
        };
        let pilot = Pilot { time, staying, ..self.pilot.clone() };
        let numbers = next..=next + (tasks - 1);
        let submission = self.engine.submission(&pilot, numbers, &live).map_err(worded)?;
        write_files(&submission)?;
        self.state.next += tasks;
        self.state.hosts.clone_from(&pilot.hosts);
        self.state.submit_options.clone_from(&pilot.submit_options);
        self.state.write(&pilot.dir)?;
        let number = terminal::plural(tasks as usize, "task");
        tracing::info!(
            "{number} of {} on {} for at most {} s",
            terminal::plural(pilot.cores_per_task as usize, "worker"),
            self.engine,
            time.as_secs()
        );
        execution::execute_all(&submission.calls)
    }
}

fn demand(progress: &Progress) -> Demand {
    let active = progress.studies.iter().filter(|study| study.state == StudyState::Active);
    let waiting = active.map(|study| {
        let runs = study.counts.of(Phase::Pending);
        let expected = study.left.filter(|_| runs > 0);
        let expected = expected.map(|left| left.as_secs_f64() / runs as f64);
        Waiting { runs, expected }
    });
    Demand { waiting: waiting.collect(), leased: progress.leased }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_has_a_manager_and_the_options_of_a_launch() {
        let read = |text: &str| text.parse::<Allocation>();
        let line = "slurm: --workers 0..64 --cores-per-task 4 --prologue 'module load gcc' --budget 2000 \
                    --max-idle 3% -- --nice=7";
        let Allocation { engine, options } = read(line).unwrap();
        assert_eq!(
            (engine, options.shape.workers.max, options.budget),
            (Engine::Slurm, 64, Some(2e3))
        );
        assert_eq!((options.max_idle, &*options.submit), (0.03, &["--nice=7".to_owned()][..]));
        for (wrong, words) in [
            ("lsf: --workers 4", "not a manager of a cluster"),
            ("slurm", "--workers"),
            ("slurm: --workers many", "not a whole number"),
            ("slurm: --workers 4 --prologue 'x", "quote"),
            ("slurm: --workers 4 --budget 0", "--budget"),
            ("slurm: --workers 4 --wrokers 5", "--wrokers"),
        ] {
            let failure = read(wrong).unwrap_err();
            assert!(failure.contains(words), "{wrong}: {failure}");
        }
    }
}
