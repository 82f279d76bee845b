//! The memory that contains native code.

use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use super::abi::{Abi, Address};
use super::bridge;

/// The code of a unit. Continues an executor at the instruction with the index `at`. Returns the
/// index of the next instruction, or `u64::MAX` if the executor has stopped.
pub(super) type Entry = unsafe extern "C" fn(executor: *mut u8, at: u64) -> u64;

/// How native code calls Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A call may change registers, so the code around calls keeps few values in registers.
    Direct,
    /// Most calls go through the [bridge], which takes longer but changes no register, and longer
    /// paths leave native code.
    Bridged,
}

/// The native code of a program, which is freed when this structure is dropped.
pub(super) struct Memory {
    /// `None` after the memory has been freed.
    module: Option<JITModule>,
    /// The address of the [bridge]; 0 before it is compiled.
    bridge: Address,
}

impl Memory {
    /// Returns `None` if no code can be generated on this computer.
    pub(super) fn new(abi: &Abi) -> Option<Memory> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        // Verify the generated code in debug builds, which tests use.
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let target = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let module = JITModule::new(JITBuilder::with_isa(target, default_libcall_names()));
        let mut memory = Memory { module: Some(module), bridge: 0 };
        let bridge = memory.compile(|function, target| bridge::generate(function, abi, target))?;
        memory.bridge = bridge.addr();
        Some(memory)
    }

    /// Returns `None` if the compilation fails.
    pub(super) fn compile_unit(
        &mut self,
        mode: Mode,
        build: impl FnOnce(&mut Function, (TargetFrontendConfig, Option<Address>)),
    ) -> Option<Entry> {
        let bridge = (mode == Mode::Bridged).then_some(self.bridge);
        let address = self.compile(|function, target| build(function, (target, bridge)))?;
        // SAFETY: `generate` gives the function the signature of `Entry`, and the code stays where
        // it is until `drop`.
        Some(unsafe { std::mem::transmute::<*const u8, Entry>(address) })
    }

    fn compile(
        &mut self,
        build: impl FnOnce(&mut Function, TargetFrontendConfig),
    ) -> Option<*const u8> {
        let module = self.module.as_mut()?;
        let mut context = module.make_context();
        build(&mut context.func, module.target_config());
        let id = module.declare_anonymous_function(&context.func.signature).ok()?;
        let compiled = module.define_function(id, &mut context);
        debug_assert!(compiled.is_ok(), "{compiled:?}");
        compiled.ok()?;
        module.finalize_definitions().ok()?;
        Some(module.get_finalized_function(id))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: entries are called only by the dispatcher, which then holds the `Code` that
            // owns this memory.
            unsafe { module.free_memory() };
        }
    }
}
