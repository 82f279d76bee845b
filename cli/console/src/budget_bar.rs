//! A progress bar for the budget of a search.

use std::time::Instant;

use catherd_experiments::Budget;
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal;

/// A progress bar for the budget of a search, which shows the largest spent share of executions,
/// steps and time.
pub struct BudgetBar {
    bar: Option<ProgressBar>,
    budget: Budget,
    start: Instant,
}

/// What a search has spent and reached.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// Number of test executions.
    pub executions: u64,
    /// Number of steps of the program under test.
    pub steps: u64,
    /// Number of covered goals.
    pub covered: usize,
    /// Number of goals.
    pub goals: usize,
}

/// Length of the progress bar.
const PARTS: u64 = 1000;

impl BudgetBar {
    /// Creates a bar whose time begins now. The bar is hidden if `quiet` is true.
    pub fn new(budget: Budget, quiet: bool) -> BudgetBar {
        let bar = (!quiet).then(|| terminal::bar(PARTS as usize));
        let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {msg} {eta}");
        if let (Some(bar), Ok(style)) = (&bar, style) {
            bar.set_style(style);
        }
        BudgetBar { bar, budget, start: Instant::now() }
    }

    /// Shows what is spent and reached.
    pub fn show(&self, spent: Spent) {
        let Some(bar) = &self.bar else { return };
        let Spent { executions, steps, covered, goals } = spent;
        let part = |spent: u64, limit: Option<u64>| {
            limit.map_or(0, |limit| spent.saturating_mul(PARTS) / limit.max(1))
        };
        let position = part(executions, self.budget.limit("executions"))
            .max(part(steps, self.budget.limit("steps")))
            .max(part(self.start.elapsed().as_millis() as u64, self.budget.wall_ms));
        bar.set_position(position.min(PARTS));
        let executions = terminal::plural(executions as usize, "execution");
        bar.set_message(format!("{executions}, {covered}/{goals} goals"));
    }

    /// Removes the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
