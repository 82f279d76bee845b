//! Test harness: a VM with a tracer that records its calls.

use std::sync::Arc;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{Program, Random, TargetId, TargetView, Value, Vm, VmSettings};

use crate::language;
use crate::noted::{Log, Noted};

pub(crate) const SEED: u32 = 1;

pub(crate) type Logging = Vm<Noted<false>>;

pub(crate) struct Harness {
    pub(crate) vm: Logging,
    project: Project,
    /// Number of items of `log` that were already reported.
    reported: usize,
}

/// Settings of the original with the changes of the Whisker paper.
pub(crate) fn paper() -> VmSettings {
    VmSettings { timer_increment: 0.075, ..VmSettings::default() }
}

impl Harness {
    pub(crate) fn new(source: &str) -> Harness {
        Harness::with(language::project(source), paper())
    }

    pub(crate) fn with(project: Project, settings: VmSettings) -> Harness {
        let program = Arc::new(Program::compile_for(&project, settings.compat).unwrap());
        let vm = Vm::new(program, settings, Random::reference(SEED), Noted::logging());
        Harness { vm, project, reported: 0 }
    }

    pub(crate) fn flag(source: &str) -> Harness {
        let mut harness = Harness::new(source);
        harness.vm.green_flag();
        harness
    }

    pub(crate) fn after(n: usize, source: &str) -> Harness {
        let mut harness = Harness::flag(source);
        harness.steps(n);
        harness
    }

    pub(crate) fn log(&self) -> &Log {
        self.vm.tracer.log.as_ref().expect("it logs")
    }

    pub(crate) fn steps(&mut self, n: usize) {
        for _ in 0..n {
            self.vm.step();
        }
    }

    /// The items that each of `n` steps adds to the list `log`.
    pub(crate) fn run(&mut self, n: usize) -> Vec<String> {
        (0..n)
            .map(|_| {
                self.vm.step();
                self.logged()
            })
            .collect()
    }

    /// The items added to `log` since the last call.
    pub(crate) fn logged(&mut self) -> String {
        let log = self.list("log");
        let new = log[self.reported.min(log.len())..].join(" ");
        self.reported = log.len();
        new
    }

    pub(crate) fn target(&self, name: &str) -> TargetView<'_> {
        self.targets(name).next().unwrap_or_else(|| panic!("no target {name}"))
    }

    /// The targets with this name: the original, then the clones.
    pub(crate) fn targets(&self, name: &str) -> impl Iterator<Item = TargetView<'_>> {
        let views = self.vm.targets().map(|id| self.vm.target(id).unwrap());
        views.filter(move |t| *t.name == *name)
    }

    pub(crate) fn id(&self, name: &str) -> TargetId {
        self.target(name).id
    }

    /// The value of a variable: `v` of the stage, or `A.v` of the sprite `A`.
    pub(crate) fn value(&self, name: &str) -> Value {
        let (owner, name) = name.split_once('.').unwrap_or(("Stage", name));
        let found = self.target(owner).variables().find(|(n, _)| **n == *name);
        found.unwrap_or_else(|| panic!("no variable {name}")).1.clone()
    }

    pub(crate) fn var(&self, name: &str) -> String {
        self.value(name).to_text().to_string()
    }

    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let (owner, name) = name.split_once('.').unwrap_or(("Stage", name));
        let found = self.target(owner).lists().find(|(n, _)| **n == *name);
        let items = found.unwrap_or_else(|| panic!("no list {name}")).1;
        items.iter().map(|v| v.to_text().to_string()).collect()
    }

    pub(crate) fn position(&self, name: &str) -> (f64, f64) {
        let target = self.target(name);
        (target.x, target.y)
    }

    pub(crate) fn bubble(&self, name: &str) -> Option<String> {
        self.target(name).bubble.map(ToString::to_string)
    }

    pub(crate) fn block(&self, id: &str) -> BlockNo {
        let mut blocks =
            self.project.targets.iter().flat_map(|t| {
                t.blocks.iter().enumerate().map(|(i, b)| (&b.id, t.number(i as u32)))
            });
        blocks.find(|(known, _)| ***known == *id).unwrap_or_else(|| panic!("no block {id}")).1
    }

    pub(crate) fn covered(&self, id: &str) -> usize {
        let no = self.block(id);
        self.log().covered.iter().filter(|&&b| b == no).count()
    }

    pub(crate) fn pairs(&self, id: &str) -> Vec<(f64, f64)> {
        let no = self.block(id);
        let of = self.log().distances.iter().filter(|d| d.0 == no);
        of.map(|&(_, t, f)| (t, f)).collect()
    }

    pub(crate) fn least(&self, id: &str) -> (f64, f64) {
        let pairs = self.pairs(id);
        assert!(!pairs.is_empty(), "{id} has no distances");
        pairs.iter().fold((f64::INFINITY, f64::INFINITY), |a, b| (a.0.min(b.0), a.1.min(b.1)))
    }
}

pub(crate) fn eval(expression: &str) -> Value {
    eval_in("", expression)
}

/// The value of an expression in a project with further declarations.
pub(crate) fn eval_in(globals: &str, expression: &str) -> Value {
    let source = format!("(var result) {globals} (sprite A (flag (set result {expression})))");
    Harness::after(1, &source).value("result")
}

/// The first `n` random numbers of the reference generator, computed from its published definition.
pub(crate) fn draws(n: usize) -> Vec<f64> {
    let mut state = SEED;
    let mut draw = || {
        state = state.wrapping_add(0x6D2B_79F5);
        let mut t = (state ^ (state >> 15)).wrapping_mul(state | 1);
        t ^= t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61));
        f64::from(t ^ (t >> 14)) / 4_294_967_296.0
    };
    (0..n).map(|_| draw()).collect()
}

/// The text that the scripts of a project log in each of the first `N` steps after the green flag.
pub(crate) fn steps<const N: usize>(source: &str) -> [String; N] {
    Harness::flag(source).run(N).try_into().unwrap()
}
