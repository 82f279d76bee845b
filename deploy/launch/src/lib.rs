//! Workers on clusters: the scripts and command lines that start, list and stop workers through the
//! manager of a cluster, and the planner that decides how many workers to allocate.
//!
//! A *task* is the unit that the manager of a cluster schedules. A task executes one worker on each
//! of its cores. All tasks of a launch are named after the *tag* of the launch.
//!
//! ```
//! use catherd_deploy_launch::{Engine, Pilot};
//!
//! let pilot = Pilot { connect: "ant:7420".into(), tag: "catherd-1".into(), ..Pilot::default() };
//! let submission = Engine::Slurm.submission(&pilot, 1..=64, &[]).unwrap();
//! assert!(submission.files[0].1.contains("#SBATCH --array=1-64\n"));
//! assert_eq!(submission.calls[0].program, "sbatch");
//! ```

mod engine;
mod pilot;
mod planner;
mod workers;

pub use engine::{Call, Engine, LaunchError, Submission, Task, TaskState};
pub use pilot::{Pilot, TimeError, read_time};
pub use planner::{Action, Demand, Observed, Planner, Policy, Waiting};
pub use workers::{WorkerCount, WorkerCountError};
