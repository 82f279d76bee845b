//! Arguments and options that change nothing: a test of them does not show what they are for.

use catherd_javascript_machine::{Argument, MachineError, Statement};

use super::{Candidate, Refiner};

impl Refiner<'_> {
    /// The test of a call that is not documented without the last arguments, and without the members of the last one,
    /// that do not change what it shows, unless a person would not write it then. It may cover fewer goals.
    pub(super) fn without_idle(&mut self, candidate: Candidate) -> Result<Candidate, MachineError> {
        let mut candidate = candidate;
        if self.all_values || candidate.documented || candidate.faults > 0 {
            return Ok(candidate);
        }
        while let Some(shorter) = self.shorter(&candidate)? {
            let goals = candidate.covered.intersection(&shorter.covered).copied().collect();
            candidate = Candidate { origin: candidate.origin, covered: goals, ..shorter };
            candidate.test.goals = self.goal_names(&candidate.covered);
        }
        Ok(candidate)
    }

    /// The same test with an argument or a member less.
    fn shorter(&mut self, candidate: &Candidate) -> Result<Option<Candidate>, MachineError> {
        let statements = &candidate.test.statements;
        let at = candidate.test.focus.unwrap_or(statements.len() - 1);
        for arguments in less(&statements[at]) {
            let mut other = statements.clone();
            other[at].arguments = arguments;
            let focus = candidate.test.focus;
            let Some(found) = self.observed(&other, focus)? else { continue };
            let same = found.test.assertions.last() == candidate.test.assertions.last()
                && found.test.after.last() == candidate.test.after.last();
            if same && found.faults == 0 {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// The arguments of a statement without the last one, and without each member of the last one.
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
