//! Self-testing projects, such as the execution tests of Scratch, which report their results with
//! `say` blocks.

use std::sync::Arc;

use catherd_scratch_sb3::Project;

use crate::compat::Compat;
use crate::compile::CompileError;
use crate::program::Program;
use crate::random::Random;
use crate::settings::VmSettings;
use crate::text::Text;
use crate::tracer::Tracer;
use crate::vm::Vm;

/// Report of a self-testing project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelfTestReport {
    /// Number of passes that the project announced.
    pub planned: Option<u32>,
    /// Number of passes.
    pub passed: u32,
    /// The text of each failure.
    pub failed: Vec<String>,
    /// Number of times that the project said `end`.
    pub ends: u32,
    /// Whether all threads ended within the maximum number of steps.
    pub ended: bool,
    /// The assumed order of the sprites from back to front; `None` if the layers of the file were
    /// used.
    pub layers: Option<Vec<String>>,
}

impl SelfTestReport {
    /// Whether there were as many passes as planned, no failure, and one end.
    pub fn is_ok(&self) -> bool {
        self.planned == Some(self.passed) && self.failed.is_empty() && self.ends == 1
    }
}

impl Tracer for SelfTestReport {
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

/// Maximum number of sprites of a project whose layers are tried in all orders.
const SPRITES_TO_ORDER: usize = 5;

/// Executes a self-testing project until no thread is left, but for at most `max_steps` steps.
///
/// If the file does not contain the layers of its sprites, several orders may be tried (see
/// [`SelfTestReport::layers`]).
///
/// # Errors
///
/// If the project cannot be compiled.
pub fn run_self_test(
    project: &Project,
    max_steps: u64,
    compat: Compat,
) -> Result<SelfTestReport, CompileError> {
    let first = run(project, max_steps, compat)?;
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
        let report = run(&project, max_steps, compat)?;
        if report.is_ok() {
            let names = order.iter().map(|&i| project.targets[i].name.to_string());
            return Ok(SelfTestReport { layers: Some(names.collect()), ..report });
        }
    }
    Ok(first)
}

fn run(project: &Project, max_steps: u64, compat: Compat) -> Result<SelfTestReport, CompileError> {
    let program = Arc::new(Program::compile_for(project, compat)?);
    let settings = VmSettings { batches: 100, one_timer: true, ..VmSettings::of(compat) };
    let mut vm = Vm::new(program, settings, Random::portable(0), SelfTestReport::default());
    vm.green_flag();
    while vm.thread_count() > 0 && vm.steps() < max_steps {
        vm.step();
    }
    let ended = vm.thread_count() == 0;
    Ok(SelfTestReport { ended, ..vm.tracer })
}

/// Returns false if `order` was the last permutation.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(i) = (1..order.len()).rev().find(|&i| order[i - 1] < order[i]) else { return false };
    // The search finds an element, because the element at `i` is larger.
    let j = (i..order.len()).rev().find(|&j| order[j] > order[i - 1]).unwrap_or(i);
    order.swap(i - 1, j);
    order[i..].reverse();
    true
}
