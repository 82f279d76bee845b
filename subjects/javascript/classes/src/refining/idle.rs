//! Removal of arguments, options and calls that change nothing, because a test does not show their
//! purpose.

use catherd_javascript_machine::{Argument, MachineError, Operation, Statement};

use super::simpler::shows_same_states;
use super::slices::renumbered;
use super::{Candidate, Refiner};

impl Refiner<'_> {
    /// Removes earlier calls, last arguments, and members of the last argument that do not change
    /// what the test shows. The result may cover fewer goals.
    pub(super) fn without_idle(&mut self, candidate: Candidate) -> Result<Candidate, MachineError> {
        let mut candidate = self.without_idle_calls(candidate)?;
        if self.all_values || candidate.faults > 0 {
            return Ok(candidate);
        }
        if self.has_idle_options(&candidate)? {
            candidate.faults += 1;
        }
        if candidate.documented || candidate.faults > 0 {
            return Ok(candidate);
        }
        while let Some(shorter) = self.shorter(&candidate)? {
            let goals = candidate.covered.intersection(&shorter.covered).copied().collect();
            candidate = Candidate { origin: candidate.origin, covered: goals, ..shorter };
            candidate.test.goals = self.goal_names(&candidate.covered);
        }
        if self.has_idle_function(&candidate)? {
            candidate.faults += 1;
        }
        Ok(candidate)
    }

    /// Removes earlier calls of methods that do not change what the test shows.
    fn without_idle_calls(&mut self, candidate: Candidate) -> Result<Candidate, MachineError> {
        let mut candidate = candidate;
        if self.all_values {
            return Ok(candidate);
        }
        let last = candidate.test.statements.len() - 1;
        for at in (0..candidate.test.focus.unwrap_or(last)).rev() {
            let statements = &candidate.test.statements;
            let used = statements.iter().any(|it| it.variables().contains(&at));
            if statements[at].operation != Operation::Method || used {
                continue;
            }
            let kept: Vec<usize> = (0..statements.len()).filter(|it| *it != at).collect();
            let fewer: Vec<Statement> =
                kept.iter().map(|at| renumbered(&statements[*at], &kept)).collect();
            let focus = candidate.test.focus.map(|focus| focus - 1);
            let Some(found) = self.observed(&fewer, focus)? else { continue };
            let states = |it: &Candidate| it.test.after.iter().any(|state| !state.is_null());
            let same = found.test.assertions.last() == candidate.test.assertions.last()
                && !states(&found)
                && !states(&candidate);
            if same && found.faults <= candidate.faults {
                let goals = candidate.covered.intersection(&found.covered).copied().collect();
                candidate = Candidate { origin: candidate.origin, covered: goals, ..found };
                candidate.test.goals = self.goal_names(&candidate.covered);
            }
        }
        Ok(candidate)
    }

    /// Whether a test shows the same result without the options of the constructor.
    fn has_idle_options(&mut self, candidate: &Candidate) -> Result<bool, MachineError> {
        let statements = &candidate.test.statements;
        let (Some(made), true) = (statements.first(), statements.len() > 1) else {
            return Ok(false);
        };
        let options = matches!(&made.arguments[..], [Argument::Object(_)]);
        if made.operation != Operation::New || !options {
            return Ok(false);
        }
        let mut other = statements.clone();
        other[0].arguments.clear();
        let found = self.executed(&other, candidate.test.focus)?;
        let last = |it: &Candidate| it.test.assertions.last().cloned();
        let reads = statements[1..].iter().all(|it| it.arguments.is_empty());
        Ok(reads && found.is_some_and(|it| last(&it) == last(candidate)))
    }

    /// Whether some function that is passed to the call has no effect on what the test shows.
    fn has_idle_function(&mut self, candidate: &Candidate) -> Result<bool, MachineError> {
        let statements = &candidate.test.statements;
        let at = candidate.test.focus.unwrap_or(statements.len() - 1);
        for (position, argument) in statements[at].arguments.iter().enumerate() {
            if !matches!(argument, Argument::Function(..)) {
                continue;
            }
            let mut other = statements.clone();
            let nothing = Box::new(Argument::Undefined);
            other[at].arguments[position] = Argument::Function("constant".to_owned(), nothing);
            let Some(found) = self.executed(&other, candidate.test.focus)? else { continue };
            if found.test.assertions == candidate.test.assertions
                && found.test.after == candidate.test.after
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same test with one fewer argument or member.
    fn shorter(&mut self, candidate: &Candidate) -> Result<Option<Candidate>, MachineError> {
        let statements = &candidate.test.statements;
        let at = candidate.test.focus.unwrap_or(statements.len() - 1);
        for arguments in less(&statements[at]) {
            let mut other = statements.clone();
            other[at].arguments = arguments;
            let focus = candidate.test.focus;
            let Some(found) = self.observed(&other, focus)? else { continue };
            let same = found.test.assertions.last() == candidate.test.assertions.last()
                && shows_same_states(&found.test.after, &candidate.test.after);
            if same && found.faults == 0 {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

fn less(statement: &Statement) -> Vec<Vec<Argument>> {
    let mut found = Vec::new();
    if let [others @ .., last] = &statement.arguments[..]
        && (!others.is_empty() || matches!(last, Argument::Object(_)))
    {
        found.push(others.to_vec());
        if let Argument::Object(members) = last
            && members.len() > 1
        {
            for at in 0..members.len() {
                let mut fewer = members.clone();
                fewer.remove(at);
                found.push([others, &[Argument::Object(fewer)]].concat());
            }
        }
    }
    found
}
