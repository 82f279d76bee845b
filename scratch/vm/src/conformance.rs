//! Projects that test the machine which runs them: they say `plan N`, `pass ...`,
//! `fail ...` and `end`.

use std::sync::Arc;

use catherd_sb3::Project;

use crate::compile::CompileError;
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
    /// Names of the sprites from back to front, if their layers had to be assumed.
    pub layers: Option<Vec<String>>,
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

/// Sprites whose layers are tried in all orders, at most.
const SPRITES_TO_ORDER: usize = 5;

/// Runs a self-testing project: green flag, then steps until no thread is left, at most
/// `max_steps`. Such projects were written for unmodified Scratch: a step has several
/// batches of threads, at most 100, and there is one timer.
///
/// Some files say nothing of their sprites' layers, on which the order of scripts depends
/// (they were converted by a Scratch without a renderer, and the originals do not show in
/// them). If one fails in the order of the file, it passes if it does in another order of
/// its sprites, which [`Conformance::layers`] names.
///
/// # Errors
/// [`CompileError`] if the project cannot run at all.
pub fn conformance(project: &Project, max_steps: u64) -> Result<Conformance, CompileError> {
    let first = run(project, max_steps)?;
    let layers = |project: &Project| project.targets.iter().map(|t| t.layer_order).collect();
    let stated: Vec<f64> = layers(project);
    let sprites: Vec<usize> =
        (0..project.targets.len()).filter(|&i| !project.targets[i].is_stage).collect();
    let unstated = stated.iter().all(|layer| *layer == stated[0]);
    if first.is_ok() || !unstated || sprites.len() > SPRITES_TO_ORDER {
        return Ok(first);
    }
    let mut project = project.clone();
    let mut order = sprites;
    while next_permutation(&mut order) {
        for (layer, &sprite) in order.iter().enumerate() {
            project.targets[sprite].layer_order = stated[0] + 1.0 + layer as f64;
        }
        let report = run(&project, max_steps)?;
        if report.is_ok() {
            let names = order.iter().map(|&i| project.targets[i].name.to_string());
            return Ok(Conformance { layers: Some(names.collect()), ..report });
        }
    }
    Ok(first)
}

fn run(project: &Project, max_steps: u64) -> Result<Conformance, CompileError> {
    let program = Arc::new(Program::compile(project)?);
    let settings = Settings { batches: 100, one_timer: true, ..Settings::default() };
    let mut vm = Vm::new(program, settings, Random::portable(0), Conformance::default());
    vm.green_flag();
    while vm.thread_count() > 0 && vm.steps() < max_steps {
        vm.step();
    }
    let ended = vm.thread_count() == 0;
    Ok(Conformance { ended, ..vm.tracer })
}

/// The next order in the lexicographic sequence; false after the last.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(i) = (1..order.len()).rev().find(|&i| order[i - 1] < order[i]) else { return false };
    // The element at `i` is larger, so there is one.
    let j = (i..order.len()).rev().find(|&j| order[j] > order[i - 1]).unwrap_or(i);
    order.swap(i - 1, j);
    order[i..].reverse();
    true
}
