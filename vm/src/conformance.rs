//! Projects that test the machine which runs them: they say `plan N`, `pass ...`,
//! `fail ...` and `end`.

use std::sync::Arc;

use crate::machine::Vm;
use crate::program::Program;
use crate::random::Random;
use crate::settings::Settings;
use crate::text::Text;
use crate::tracer::Tracer;

/// What a self-testing project said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conformance {
    /// Passes that the project announced.
    pub planned: Option<u32>,
    /// Passes.
    pub passed: u32,
    /// Texts of failures.
    pub failed: Vec<String>,
    /// Times that it said `end`.
    pub ends: u32,
    /// The threads had ended by themselves.
    pub ended: bool,
}

impl Conformance {
    /// As many passes as planned, no failure, one end.
    pub fn is_ok(&self) -> bool {
        self.planned == Some(self.passed) && self.failed.is_empty() && self.ends == 1
    }
}

impl Tracer for Conformance {
    const ACTIVE: bool = true;

    fn said(&mut self, text: &Text) {
        let text = text.to_str();
        if let Some(plan) = text.strip_prefix("plan") {
            self.planned = plan.trim().parse().ok();
        } else if text.starts_with("pass") {
            self.passed += 1;
        } else if text.starts_with("fail") {
            self.failed.push(text.into_owned());
        } else if text.starts_with("end") {
            self.ends += 1;
        }
    }
}

/// Runs a self-testing project: green flag, then steps until no thread is left, at most
/// `max_steps`.
pub fn conformance(program: &Arc<Program>, max_steps: u64) -> Conformance {
    let (settings, random) = (Settings::default(), Random::portable(0));
    let mut vm = Vm::new(program.clone(), settings, random, Conformance::default());
    vm.green_flag();
    while vm.thread_count() > 0 && vm.steps() < max_steps {
        vm.step();
    }
    let ended = vm.thread_count() == 0;
    Conformance { ended, ..vm.tracer }
}
