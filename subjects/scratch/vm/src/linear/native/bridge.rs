//! A function through which native code calls Rust without saving registers.
//!
//! The bridge saves all registers itself, so that native code can keep values in registers across
//! calls.

use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, Signature};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::abi::Abi;
use super::generator::{D, I, TRUSTED};

/// The signature of the bridge: the function, the executor, a word and two numbers.
pub(super) fn signature() -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.extend([I, I, I, D, D].map(AbiParam::new));
    signature
}

/// The bridge stores the result where native code reads it.
pub(super) fn generate(function: &mut Function, abi: &Abi, target: TargetFrontendConfig) {
    function.signature = signature();
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(function, &mut context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let mut helper = Signature::new(CallConv::SystemV);
    helper.params.extend([I, I, D, D].map(AbiParam::new));
    helper.returns.push(AbiParam::new(I));
    let helper = builder.import_signature(helper);
    let parameters = builder.block_params(entry).to_vec();
    if let [address, executor, ..] = parameters[..] {
        let call = builder.ins().call_indirect(helper, address, &parameters[1..]);
        let native = builder.ins().load(I, TRUSTED, executor, abi.native);
        if let Some(&result) = builder.inst_results(call).first() {
            builder.ins().store(TRUSTED, result, native, abi.result);
        }
    }
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(target);
}
