//! Conditions on the numbers of a report.

use catherd_analysis::findings::{Change, VersionChange};
use catherd_analysis::report::{AddressError, Check, Report};
use catherd_cli_console::terminal;
use catherd_cli_console::{Exit, Failure};
use catherd_cli_failures::Worded;
use clap::Args;
use serde_json::{Value, json};

#[derive(Args)]
pub(super) struct Checks {
    /// Condition on a number, such as "algorithms/mio/mean >= 90 %"; the command exits with code 4
    /// if it does not hold. The bound of a share is a percentage, or a number from 0 to 1. "no
    /// worse" holds if, compared with each study of --against, no algorithm covers less by more than
    /// a tolerance
    #[arg(long, value_name = "NUMBER >= BOUND")]
    pub(super) check: Vec<Condition>,

    /// Apply checks to an incomplete study, by the runs that have ended; without this flag, every
    /// check of an incomplete study fails
    #[arg(long)]
    interim: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    Number(Check),
    NoWorse,
}

impl std::str::FromStr for Condition {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Condition, AddressError> {
        let no_worse = text.trim() == "no worse" || text.trim().starts_with("no worse than ");
        if no_worse { Ok(Condition::NoWorse) } else { text.parse().map(Condition::Number) }
    }
}

impl Checks {
    fn no_worse(
        &self,
        report: &Report<'_>,
        history: &[VersionChange],
        in_words: bool,
    ) -> Result<bool, Failure> {
        if history.is_empty() {
            return Err(Failure::new(
                "check no worse: there is no earlier study with an algorithm of this one",
            )
            .hint("name the folder of the earlier study with --against"));
        }
        let holds = |one: &VersionChange| self.applies_to(report) && one.change() != Change::Worse;
        let interim = interim_in_words(report);
        for one in history.iter().filter(|_| in_words) {
            let verdict = if holds(one) { "holds" } else { "FAILED" };
            terminal::print(&format!(
                "check no worse than {}: {verdict} for {}, {:+.2} percentage points; up to {:.2} may be \
                 chance{interim}\n",
                one.version,
                one.algorithm,
                100.0 * (one.new - one.old),
                100.0 * one.tolerance()
            ));
        }
        Ok(history.iter().all(holds))
    }

    fn applies_to(&self, report: &Report<'_>) -> bool {
        self.interim || report.interim.is_none()
    }

    pub(super) fn execute(
        &self,
        report: &Report<'_>,
        history: &[VersionChange],
        in_words: bool,
    ) -> Result<(Exit, Vec<Value>), Failure> {
        let (mut exit, mut verdicts) = (Exit::Success, Vec::new());
        let numbers = self.check.iter().filter_map(|condition| match condition {
            Condition::Number(check) => Some(check),
            Condition::NoWorse => None,
        });
        if numbers.clone().count() < self.check.len() {
            let holds = self.no_worse(report, history, in_words)?;
            verdicts.push(json!({ "check": "no worse", "holds": holds }));
            if !holds {
                exit = Exit::CheckFailed;
            }
        }
        for check in numbers {
            let value = check.address.find(report).map_err(Worded::worded)?.cell.display();
            let holds = self.applies_to(report) && check.holds(report).map_err(Worded::worded)?;
            let verdict = if holds { "holds" } else { "FAILED" };
            if in_words {
                terminal::print(&format!(
                    "check {check}: {verdict}, it is {value}{}\n",
                    interim_in_words(report)
                ));
            }
            verdicts.push(json!({ "check": check.to_string(), "holds": holds, "value": value }));
            if !holds {
                exit = Exit::CheckFailed;
            }
        }
        if !self.applies_to(report) && !self.check.is_empty() {
            terminal::note(
                "The study is not complete: continue it, or check what there is with --interim.",
            );
        }
        Ok((exit, verdicts))
    }
}

/// What a printed check adds if the study is not complete.
fn interim_in_words(report: &Report<'_>) -> String {
    report.interim.map(|interim| format!("; {interim}")).unwrap_or_default()
}
