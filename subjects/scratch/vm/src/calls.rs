//! Calls from a VM to the interpreter.

use crate::interpreter::Interpreter;
use crate::target::TargetId;
use crate::tracer::Tracer;
use crate::trigger::Trigger;
use crate::vm::Vm;

/// A call to the interpreter by a VM, with the work to do.
#[doc(hidden)]
pub struct Call<'a>(pub(crate) Work<'a>);

pub(crate) enum Work<'a> {
    Step,
    Flag,
    Start(&'a [Trigger], Option<TargetId>),
}

/// Compiles the interpreter for a tracer in the crate of the tracer. Without this macro in the
/// implementation of [`Tracer`], each crate that executes programs with the tracer compiles a copy.
#[macro_export]
macro_rules! compile_interpreter {
    () => {
        #[inline(never)]
        fn execute(vm: &mut $crate::Vm<Self>, call: $crate::Call<'_>) {
            vm.execute(call);
        }
    };
}

impl<T: Tracer> Vm<T> {
    #[doc(hidden)]
    pub fn execute(&mut self, Call(work): Call<'_>) {
        let mut interpreter: Interpreter<'_, T> = self.interpreter();
        match work {
            Work::Step => interpreter.step(),
            Work::Flag => interpreter.green_flag(),
            Work::Start(triggers, only) => {
                triggers.iter().for_each(|trigger| interpreter.start_hats(trigger, only));
            }
        }
    }

    pub(crate) fn call(&mut self, work: Work<'_>) {
        T::execute(self, Call(work));
    }
}
