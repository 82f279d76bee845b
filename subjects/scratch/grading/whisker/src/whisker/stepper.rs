//! Steps of the VM that a suite watches.

use std::ops::ControlFlow;
use std::rc::Rc;

use catherd_javascript_engine::Session;
use catherd_javascript_engine::quickjs::{Function, Value};
use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::CoveredBlocks;
use catherd_scratch_vm::{Change, Midstep, TargetId, Tracer, Vm, VmSettings};

use super::driver::{CHANGED, Content, Driver, LOOKS, MOVED, SAID};
use super::target_key::TargetKey;
use crate::seed::Seed;

/// The reason why a function of a suite failed: the value that it threw, or `None` if a limit ended
/// the function.
pub(crate) type Raised<'js> = Option<Value<'js>>;

struct Observer<'a, 'js> {
    driver: Rc<Driver>,
    session: &'a Session<'js>,
    /// The function of the prelude that is called with the kind of a change, the target, and the
    /// name of the variable.
    changed: Function<'js>,
    covered: Option<CoveredBlocks>,
    raised: Option<Raised<'js>>,
}

/// Executes steps. If a suite watches nothing and coverage is not measured, the steps are executed
/// without an observer.
pub(crate) struct Stepper<'a, 'js> {
    driver: Rc<Driver>,
    observed: Vm<Observer<'a, 'js>>,
}

impl<'a, 'js> Stepper<'a, 'js> {
    pub(crate) fn new(
        driver: &Rc<Driver>,
        session: &'a Session<'js>,
        changed: &Function<'js>,
        covers: bool,
    ) -> Stepper<'a, 'js> {
        let covered = covers.then(|| CoveredBlocks::new(driver.program.block_count()));
        let (driver, changed) = (Rc::clone(driver), changed.clone());
        let program = driver.program.clone();
        let settings =
            VmSettings { timer_increment: driver.options.timer_increment, ..VmSettings::default() };
        let observer =
            Observer { driver: Rc::clone(&driver), session, changed, covered, raised: None };
        // The state of this VM is never used, because each step exchanges it with the state of the
        // shared VM.
        let observed = Vm::new(program, settings, Seed::default().machine(), observer);
        Stepper { driver, observed }
    }

    pub(crate) fn step(&mut self) -> Result<(), Raised<'js>> {
        let covers = self.observed.tracer.covered.is_some();
        if covers {
            self.driver.note_hats();
        }
        let raised = if covers || self.driver.watches() {
            self.observed.exchange_state(&mut self.driver.vm_mut());
            self.observed.step();
            self.observed.exchange_state(&mut self.driver.vm_mut());
            self.observed.tracer.raised.take()
        } else {
            self.driver.vm_mut().step();
            None
        };
        self.driver.project_running.set(self.driver.vm().is_running());
        raised.map_or(Ok(()), Err)
    }

    /// The blocks that were covered since the last call; empty if coverage is not measured.
    pub(crate) fn take_covered(&mut self) -> CoveredBlocks {
        let Some(covered) = &mut self.observed.tracer.covered else {
            return CoveredBlocks::default();
        };
        let mut covered = covered.take();
        covered.extend(&self.driver.started_hats.borrow_mut().take());
        covered
    }
}

impl Tracer for Observer<'_, '_> {
    const ACTIVE: bool = true;
    const WATCHES: bool = true;

    #[inline]
    fn covered(&mut self, block: BlockNo) {
        if let Some(covered) = &mut self.covered {
            covered.covered(block);
        }
    }

    /// Returns distances of 0, so that the VM does not compute distances.
    #[inline]
    fn known_distances(&self, _: BlockNo) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn watch(&mut self, change: &Change, state: Midstep<'_>) -> ControlFlow<()> {
        let driver = Rc::clone(&self.driver);
        let watched = |kind: u32| driver.watched.get() & kind != 0;
        let handled = |key: TargetKey, kind: u32| {
            driver.handled.borrow().get(&key).is_some_and(|kinds| kinds & kind != 0)
        };
        match change {
            Change::Moved { target, from } if driver.wrapped.get() => {
                let key = TargetKey::new(*target, state.serial(*target));
                driver.moved_from(key, *from);
                if watched(MOVED) || handled(key, MOVED) {
                    return self.call(state, MOVED, *target, String::new());
                }
            }
            Change::Appearance(target) if driver.wrapped.get() => {
                let key = TargetKey::new(*target, state.serial(*target));
                if watched(LOOKS) || handled(key, LOOKS) {
                    return self.call(state, LOOKS, *target, String::new());
                }
            }
            Change::Bubble(target) if watched(SAID) => {
                return self.call(state, SAID, *target, String::new());
            }
            Change::Variable { target, number, old } if watched(CHANGED) => {
                let owner = TargetKey::new(*target, state.serial(*target));
                let key = (owner, *number as u32, false);
                if let Some(content) = driver.old_variables.borrow_mut().get_mut(&key) {
                    *content = Content::Scalar(old.clone());
                }
                let name = driver.program.variables(state.sprite(*target)).nth(*number);
                let name = name.map(|name| name.to_str().into_owned()).unwrap_or_default();
                return self.call(state, CHANGED, *target, name);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Observer<'_, '_> {
    /// Calls the suite in the middle of a step, with the current state of the VM.
    fn call(
        &mut self,
        mut state: Midstep<'_>,
        kind: u32,
        target: TargetId,
        name: String,
    ) -> ControlFlow<()> {
        let key = TargetKey::new(target, state.serial(target)).number();
        state.exchange(&mut self.driver.vm_mut());
        self.driver.lent.set(true);
        let result = self.changed.call::<_, ()>((kind, key, name));
        self.driver.lent.set(false);
        state.exchange(&mut self.driver.vm_mut());
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => {
                let thrown = self.session.ctx().catch();
                self.raised = Some(self.session.stopped().is_none().then_some(thrown));
                ControlFlow::Break(())
            }
        }
    }
}
