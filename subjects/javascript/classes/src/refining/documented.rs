//! Candidates from the package itself: the calls in its documentation, tests and examples whose arguments are literals,
//! and of functions without examples, calls by convention.

use catherd_javascript_machine::instrument::Literal;
use catherd_javascript_machine::{Argument, MachineError, Operation, Statement};

use super::{Candidate, Refiner, usage};
use crate::model::{Target, TargetKind};

/// Maximum number of calls of a target that are tried.
const MAX_CALLS: usize = 16;

/// Maximum number of calls that are tried.
const MAX_ALL: usize = 240;

/// Maximum length of the arguments of a call, in characters of their data.
const LONGEST: usize = 400;

impl Refiner<'_> {
    /// Tests that make the calls that the package documents.
    pub(super) fn documented(&mut self) -> Result<Vec<Candidate>, MachineError> {
        let mut tests = Vec::new();
        for target in self.usage.targets() {
            for call in self.usage.calls(target).into_iter().take(MAX_CALLS) {
                let Some(arguments) = literals(call) else { continue };
                tests.extend(self.documented_call(target, arguments));
            }
            if let Some(arguments) = self.usage.conventional(target) {
                tests.extend(self.documented_call(target, arguments));
            }
        }
        tests.truncate(MAX_ALL);
        let mut candidates = Vec::new();
        for (number, statements) in tests.iter().enumerate() {
            if let Some(found) = self.shown(statements)? {
                candidates.push(Candidate { origin: (0, number), ..found });
            }
        }
        Ok(candidates)
    }

    /// The statements of a call; `None` if its receiver cannot be made.
    fn documented_call(&self, target: &Target, arguments: Vec<Argument>) -> Option<Vec<Statement>> {
        let statement = |operation, path: &[String], name: &str, arguments| Statement {
            operation,
            path: path.to_vec(),
            receiver: 0,
            name: name.to_owned(),
            arguments,
            awaits: true,
        };
        match target.kind {
            TargetKind::Function => {
                Some(vec![statement(Operation::Call, &target.path, "", arguments)])
            }
            TargetKind::Constructor => {
                Some(vec![statement(Operation::New, &target.path, "", arguments)])
            }
            TargetKind::Method => {
                let maker = self.usage.constructor(target)?;
                let calls = self.usage.calls(maker);
                let mut known: Vec<Vec<Argument>> =
                    calls.into_iter().filter_map(|call| literals(call)).collect();
                known.sort_by_key(Vec::len);
                let made = known.into_iter().next();
                let made = made.or_else(|| maker.parameters.is_empty().then(Vec::new));
                let made = made.or_else(|| self.made.get(&maker.path).cloned())?;
                Some(vec![
                    statement(Operation::New, &maker.path, "", made),
                    statement(Operation::Method, &[], &target.member, arguments),
                ])
            }
            _ => None,
        }
    }
}

/// The arguments of a call that consists of literals and is not long.
fn literals(call: &[Literal]) -> Option<Vec<Argument>> {
    let arguments: Vec<Argument> = call.iter().map(usage::argument).collect::<Option<_>>()?;
    let length: usize = arguments.iter().map(|it| it.to_json().to_string().len()).sum();
    (length <= LONGEST && !arguments.is_empty()).then_some(arguments)
}
