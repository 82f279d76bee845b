//! The native functions through which the JavaScript code of the prelude accesses the VM, and the
//! functions of the prelude that the host calls.

use std::rc::Rc;
use std::sync::OnceLock;

use catherd_javascript_engine::quickjs::{
    Array, Ctx, Error, Exception, Function, Object, Result, Value as Js,
};
use catherd_javascript_engine::{CompileError, CompiledScript, Limits, Session, Thrown};
use catherd_scratch_grading_report::Status;
use catherd_scratch_sb3::Opcode;
use catherd_scratch_vm::{StartEvent, TargetId};

use super::driver::{Driver, Finished};
use super::inputs::{Device, Down, Full, Input, key_name};
use super::module::SuiteFile;
use super::outcome::status_named;
use super::target_key::TargetKey;
use super::targets::{self, function};
use crate::seed::Seed;

pub(super) struct Parts<'js> {
    pub(super) require: Function<'js>,
    pub(super) load: Function<'js>,
    pub(super) reset: Function<'js>,
    pub(super) begin: Function<'js>,
    pub(super) check: Function<'js>,
    pub(super) settle: Function<'js>,
    pub(super) changed: Function<'js>,
    pub(super) before: Function<'js>,
    pub(super) after: Function<'js>,
    pub(super) random: Function<'js>,
    pub(super) constraints: Function<'js>,
    pub(super) models_before: Function<'js>,
    pub(super) models_after: Function<'js>,
    /// Adds models to the tests that a suite exports. If the suite exports nothing, creates tests
    /// that consist only of the models.
    pub(super) with_models: Option<Function<'js>>,
}

/// The compiled scripts of the prelude, which all suites of a process share.
static PRELUDE: OnceLock<std::result::Result<[CompiledScript; 6], CompileError>> = OnceLock::new();

fn prelude<'js>(session: &Session<'js>) -> std::result::Result<[Function<'js>; 6], Thrown> {
    let compile = |text| CompiledScript::compile("eval_script", text, Limits::default());
    let compiled = PRELUDE.get_or_init(|| {
        Ok([
            compile(include_str!("prelude/kit.js"))?,
            compile(include_str!("prelude/assertions.js"))?,
            compile(include_str!("prelude/sprites.js"))?,
            compile(include_str!("prelude/raw.js"))?,
            compile(include_str!("prelude/inputs.js"))?,
            compile(include_str!("prelude/driver.js"))?,
        ])
    });
    let [kit, assertions, sprites, raw, inputs, driver] = compiled
        .as_ref()
        .map_err(|error| Thrown { message: error.to_string(), ..Thrown::default() })?;
    Ok([
        session.execute(kit)?,
        session.execute(assertions)?,
        session.execute(sprites)?,
        session.execute(raw)?,
        session.execute(inputs)?,
        session.execute(driver)?,
    ])
}

pub(super) fn install<'js>(
    session: &Session<'js>,
    driver: &Rc<Driver>,
    suite: &SuiteFile,
) -> std::result::Result<Parts<'js>, Thrown> {
    let ctx = session.ctx();
    let [kit, assertions, sprites, raw, inputs, parts] = prelude(session)?;
    let make = || -> Result<Parts<'js>> {
        let host = Object::new(ctx.clone())?;
        targets::install_reading(ctx, &host, driver)?;
        targets::install_old(ctx, &host, driver)?;
        targets::install_changes(ctx, &host, driver)?;
        install_runs(ctx, &host, driver)?;
        install_inputs(ctx, &host, driver)?;
        install_reports(ctx, &host, driver, &suite.name)?;
        let options = Object::new(ctx.clone())?;
        let (cells, last_row) = driver.mirror.share(ctx)?;
        options.set("cells", cells)?;
        options.set("lastRow", last_row)?;
        options.set("strict", driver.options.strict)?;
        options.set("compatP", driver.options.compat_p)?;
        let kit: Object = kit.call((host, options))?;
        assertions.call::<_, ()>((kit.clone(),))?;
        sprites.call::<_, ()>((kit.clone(),))?;
        raw.call::<_, ()>((kit.clone(),))?;
        kit.set("makeInputs", inputs)?;
        let parts: Object = parts.call((kit.clone(),))?;
        let with_models = match &suite.models {
            None => None,
            Some(models) => {
                let settings = Object::new(ctx.clone())?;
                settings.set("duration", models.duration)?;
                settings.set("repetitions", models.repetitions)?;
                settings.set("caseSensitive", models.case_sensitive)?;
                let make: Function = ctx.eval(include_str!("prelude/models.js"))?;
                let t: Js<'js> = parts.get("t")?;
                Some(make.call((kit, t, models.text.as_str(), settings))?)
            }
        };
        Ok(Parts {
            with_models,
            require: parts.get("require")?,
            load: parts.get("load")?,
            reset: parts.get("reset")?,
            begin: parts.get("begin")?,
            check: parts.get("check")?,
            settle: parts.get("settle")?,
            changed: parts.get("changed")?,
            before: parts.get("before")?,
            after: parts.get("after")?,
            random: parts.get("random")?,
            constraints: parts.get("constraints")?,
            models_before: parts.get("modelsBefore")?,
            models_after: parts.get("modelsAfter")?,
        })
    };
    session.caught(make())
}

/// Returns an error if a watcher is being called, for functions that must not be called in the
/// middle of a step.
fn refuse_in_step(ctx: &Ctx<'_>, driver: &Driver, call: &str) -> Result<()> {
    if driver.lent.get() {
        let message = format!("`{call}` inside a watcher: the step has not ended");
        return Err(Exception::throw_message(ctx, &message));
    }
    Ok(())
}

fn install_runs<'js>(ctx: &Ctx<'js>, host: &Object<'js>, driver: &Rc<Driver>) -> Result<()> {
    function!(host, ctx, driver, "beginRun", |d, limit: f64, has_condition: bool| {
        d.run.active.set(true);
        d.run.cancelled.set(false);
        d.run.holds.set(false);
        d.run.has_condition.set(has_condition);
        d.run.limit.set(limit);
        d.run.executed.set(0);
    });
    function!(host, ctx, driver, "conditionHolds", |d| d.run.holds.set(true));
    function!(host, ctx, driver, "runFailed", |d| d.run.dead.set(true));
    function!(host, ctx, driver, "cancelRun", |d| d.run.cancelled.set(true));
    function!(host, ctx, driver, "isRunning", |d| d.run.active.get());
    function!(host, ctx, driver, "isProjectRunning", |d| d.project_running.get());
    function!(host, ctx, driver, "totalSteps", |d| d.total_steps.get() as f64);
    function!(host, ctx, driver, "runSteps", |d| d.run.executed.get() as f64);
    function!(host, ctx, driver, "acceleration", |d| d.options.acceleration);
    function!(host, ctx, driver, "phases", |d, phases: u32| d.phases.set(phases));
    function!(host, ctx, driver, "watch", |d, kinds: u32| d.watched.set(kinds));
    function!(host, ctx, driver, "watchSprite", |d, key: f64, kinds: u32| {
        d.handled.borrow_mut().insert(TargetKey::from_number(key), kinds);
    });
    let d = Rc::clone(driver);
    let green_flag = move |ctx: Ctx<'js>| -> Result<()> {
        refuse_in_step(&ctx, &d, "t.greenFlag()")?;
        d.vm_mut().green_flag();
        Ok(())
    };
    host.set("greenFlag", Function::new(ctx.clone(), green_flag)?)?;
    let d = Rc::clone(driver);
    let stop_all = move |ctx: Ctx<'js>| -> Result<()> {
        refuse_in_step(&ctx, &d, "vm.stopAll()")?;
        d.vm_mut().stop_all();
        Ok(())
    };
    host.set("stopAll", Function::new(ctx.clone(), stop_all)?)?;
    let d = Rc::clone(driver);
    let start_hats = move |ctx: Ctx<'js>, hat: String, option: String, target: f64| {
        refuse_in_step(&ctx, &d, "vm.runtime.startHats()")?;
        d.count_input();
        let only = (target >= 0.0).then(|| TargetKey::from_number(target).target());
        let hat = Opcode::from_name(&hat);
        let started = d.vm_mut().start(StartEvent::Hat { hat, option: &option, only });
        Ok::<_, Error>(started.len() as u32)
    };
    host.set("startHats", Function::new(ctx.clone(), start_hats)?)?;
    function!(host, ctx, driver, "end", |d| d.end());
    function!(host, ctx, driver, "inputSeed", |d| d.input_seed.get());
    function!(host, ctx, driver, "seed", |d, text: String, numeric: bool| {
        let seed = match text.parse() {
            Ok(number) if numeric => Seed::number(number),
            _ => Seed::text(&text),
        };
        d.seed(seed);
        seed.inputs()
    });
    Ok(())
}

fn install_inputs<'js>(ctx: &Ctx<'js>, host: &Object<'js>, driver: &Rc<Driver>) -> Result<()> {
    let added = |ctx: &Ctx<'js>, added: std::result::Result<u64, Full>| match added {
        Ok(number) => Ok(number as f64),
        Err(Full) => Err(Exception::throw_message(ctx, Full::MESSAGE)),
    };
    let d = Rc::clone(driver);
    let input = move |ctx: Ctx<'js>,
                      at: f64,
                      device: String,
                      down: u32,
                      key: String,
                      numbers: Array<'js>,
                      text: String|
          -> Result<f64> {
        let number = |at: usize| numbers.get::<f64>(at);
        let given = |at: usize| number(at).map(|n| (!n.is_nan()).then_some(n));
        let sprite = number(6)?;
        let device = match device.as_str() {
            "mouse" => Device::Mouse {
                x: given(0)?,
                y: given(1)?,
                sprite: (sprite >= 0.0).then(|| TargetKey::from_number(sprite)),
                offset: (number(2)?, number(3)?),
            },
            "keyboard" => Device::Keyboard(key),
            "text" => Device::Text(text),
            "drag" => Device::Drag { sprite: text, x: number(0)?, y: number(1)? },
            _ => Device::Microphone(number(4)?),
        };
        d.count_input();
        d.keys_pressed.set(d.keys_pressed.get() || matches!(device, Device::Keyboard(_)));
        let down = [Down::Absent, Down::No, Down::Yes, Down::Toggle][down.min(3) as usize];
        let input = Input { device, down, steps: given(5)? };
        let step = if d.run.active.get() { d.run.executed.get() as f64 } else { 0.0 };
        if at >= 0.0 || at.is_nan() {
            return added(&ctx, d.inputs.borrow_mut().add(input, at, false));
        }
        let original = |name: &str| d.originals.get(name).copied();
        let dragged = input.perform(&mut d.vm_mut(), original);
        if let Some((target, from)) = dragged {
            targets::moved(&d, target, Some(from));
        }
        added(&ctx, d.inputs.borrow_mut().add(input, step, true))
    };
    host.set("input", Function::new(ctx.clone(), input)?)?;
    let d = Rc::clone(driver);
    let press = move |ctx: Ctx<'js>, key: String, down: bool, steps: f64| -> Result<()> {
        d.count_input();
        d.keys_pressed.set(true);
        let down = if down { Down::Yes } else { Down::No };
        let steps = (!steps.is_nan()).then_some(steps);
        let input = Input { device: Device::Keyboard(key), down, steps };
        input.perform(&mut d.vm_mut(), |_| None);
        let step = if d.run.active.get() { d.run.executed.get() as f64 } else { 0.0 };
        added(&ctx, d.inputs.borrow_mut().add(input, step, true)).map(|_| ())
    };
    host.set("key", Function::new(ctx.clone(), press)?)?;
    function!(host, ctx, driver, "isInputActive", |d, number: f64| {
        d.inputs.borrow().is_active(number as u64)
    });
    function!(host, ctx, driver, "removeInput", |d, number: f64| {
        d.inputs.borrow_mut().remove(number as u64)
    });
    function!(host, ctx, driver, "clearInputs", |d| d.inputs.borrow_mut().clear());
    function!(host, ctx, driver, "resetKeyboard", |d| d.vm_mut().release_keys());
    function!(host, ctx, driver, "resetMouse", |d| {
        let mut vm = d.vm_mut();
        vm.mouse_move(0.0, 0.0);
        if vm.mouse_down() {
            vm.mouse_button(false);
        }
    });
    function!(host, ctx, driver, "click", |d, key: f64| {
        d.count_input();
        d.vm_mut().click(TargetKey::from_number(key).target());
    });
    function!(host, ctx, driver, "drag", |d, key: f64, x: f64, y: f64| {
        d.count_input();
        let target: TargetId = TargetKey::from_number(key).target();
        let mut vm = d.vm_mut();
        let from = vm.target(target).map(|view| (view.x, view.y));
        vm.drag(target, x, y);
        drop(vm);
        targets::moved(&d, target, from);
    });
    function!(host, ctx, driver, "mouse", |d| {
        let (x, y) = d.vm().mouse();
        vec![x, y]
    });
    function!(host, ctx, driver, "isMouseDown", |d| d.vm().mouse_down());
    function!(host, ctx, driver, "isKeyDown", |d, key: String| {
        d.vm().is_key_down(key_name(&key))
    });
    function!(host, ctx, driver, "answer", |d| d.vm().last_answer().to_str().into_owned());
    function!(host, ctx, driver, "isAsking", |d| d.vm().is_asking());
    function!(host, ctx, driver, "detectedInputs", |d| {
        let inputs = d.options.detected_inputs.iter();
        inputs.map(|(kind, text)| vec![(*kind).to_owned(), text.clone()]).collect::<Vec<_>>()
    });
    Ok(())
}

fn install_reports<'js>(
    ctx: &Ctx<'js>,
    host: &Object<'js>,
    driver: &Rc<Driver>,
    file: &str,
) -> Result<()> {
    function!(host, ctx, driver, "log", |d, line: String| d.log(&line));
    function!(host, ctx, driver, "mistake", |d, hint: String| d.mistake(&hint));
    function!(host, ctx, driver, "missing", |d, owner: String, name: String| {
        d.note(&d.missing, (owner, name));
    });
    function!(host, ctx, driver, "coverage", |d| {
        let (covered, total) = d.coverage.get();
        vec![covered as f64, total as f64]
    });
    let (d, file) = (Rc::clone(driver), file.to_owned());
    let finish = move |ctx: Ctx<'js>, status: String, details: String, error: Js<'js>| {
        if d.finished.borrow().is_some() {
            return;
        }
        let status = status_named(&status);
        let thrown = match status {
            Status::Pass => Thrown::default(),
            _ => Thrown::describe(&ctx, &error, &file),
        };
        d.finished.replace(Some(Finished { status, details, thrown }));
    };
    host.set("finish", Function::new(ctx.clone(), finish)?)
}
