//! Scripts as bytecode: a script that many contexts evaluate is parsed only once.

// rquickjs has no safe functions for bytecode.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::ptr;
use std::rc::Rc;

use rquickjs::{Context, Ctx, Error, Runtime, Value, qjs};
use thiserror::Error;

use crate::allocator::MeteredAllocator;
use crate::context::{Intrinsics, limit_stack};
use crate::limits::{Limits, Meter, Stop};
use crate::thrown::Thrown;

/// A script as bytecode, which any context can evaluate
/// ([`Session::execute`](crate::Session::execute)).
#[derive(Clone, Debug)]
pub struct CompiledScript {
    pub(crate) file: String,
    bytecode: Vec<u8>,
}

/// The reason why a script cannot be compiled.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CompileError {
    /// The script cannot be parsed.
    #[error("{0}")]
    Thrown(Thrown),
    /// The script reached a limit.
    #[error("{0}")]
    Stopped(Stop),
    /// The limits leave too little memory for an engine.
    #[error("the JavaScript engine does not start: {0}")]
    Start(String),
}

impl CompiledScript {
    /// Compiles a script in a temporary context. `file` names the script in errors.
    ///
    /// # Errors
    /// If the script cannot be parsed or exceeds the limits, or if the engine does not start.
    pub fn compile(
        file: &str,
        script: &str,
        limits: Limits,
    ) -> Result<CompiledScript, CompileError> {
        let started = |error: Error| CompileError::Start(error.to_string());
        let meter = Rc::new(Meter::new(limits));
        let runtime = Runtime::new_with_alloc(MeteredAllocator::new(&meter)).map_err(started)?;
        let context = Context::custom::<Intrinsics>(&runtime).map_err(started)?;
        context.with(|ctx| {
            limit_stack(&ctx, limits.stack);
            let bytecode = compile(&ctx, file, script).map_err(|error| match meter.stopped() {
                Some(stop) => {
                    ctx.catch();
                    CompileError::Stopped(stop)
                }
                None => CompileError::Thrown(Thrown::of_error(&ctx, &error, file)),
            })?;
            Ok(CompiledScript { file: file.to_owned(), bytecode })
        })
    }

    /// Evaluates the script in the global scope of a context, within the limits of the context's
    /// engine.
    ///
    /// # Errors
    /// If the script throws or reaches a limit.
    pub fn execute<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>, Error> {
        let (raw, bytes) = (ctx.as_raw().as_ptr(), &self.bytecode);
        let flags = qjs::JS_READ_OBJ_BYTECODE as i32;
        // SAFETY: the context is alive, and the engine of this process wrote the bytes, which are
        // not checked. The context has all built-in objects that bytecode can refer to, because
        // this crate makes all contexts in the same way.
        let script = unsafe { qjs::JS_ReadObject(raw, bytes.as_ptr(), bytes.len() as _, flags) };
        // SAFETY: the value was made by this context; an exception has no reference to count.
        if unsafe { qjs::JS_IsException(script) } {
            return Err(Error::Exception);
        }
        // SAFETY: the script belongs to this context; the call takes ownership of the script.
        let result = unsafe { qjs::JS_EvalFunction(raw, script) };
        owned(ctx, result)
    }
}

fn owned<'js>(ctx: &Ctx<'js>, value: qjs::JSValue) -> Result<Value<'js>, Error> {
    // SAFETY: the value was made by this context.
    if unsafe { qjs::JS_IsException(value) } {
        return Err(Error::Exception);
    }
    // SAFETY: the value was made by this context, and the caller gives up its reference to it.
    Ok(unsafe { Value::from_raw(ctx.clone(), value) })
}

fn compile(ctx: &Ctx<'_>, file: &str, script: &str) -> Result<Vec<u8>, Error> {
    let (source, name) = (CString::new(script)?, CString::new(file)?);
    let raw = ctx.as_raw().as_ptr();
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    // SAFETY: the context is alive, and both strings end with a zero byte, which the length of the
    // script does not count.
    let compiled = unsafe {
        qjs::JS_Eval(raw, source.as_ptr(), script.len() as _, name.as_ptr(), flags as i32)
    };
    let compiled = owned(ctx, compiled)?;
    let (mut size, flags) = (0, qjs::JS_WRITE_OBJ_BYTECODE as i32);
    // SAFETY: the compiled script is alive; the engine writes the size.
    let block =
        unsafe { qjs::JS_WriteObject(raw, ptr::from_mut(&mut size), compiled.as_raw(), flags) };
    if block.is_null() {
        return Err(Error::Exception);
    }
    // SAFETY: the engine has returned a block of this size, which nothing else refers to.
    let bytes = unsafe { std::slice::from_raw_parts(block, size as usize) }.to_vec();
    // SAFETY: the engine allocated the block, and nothing refers to it now.
    unsafe { qjs::js_free(raw, block.cast()) };
    Ok(bytes)
}
