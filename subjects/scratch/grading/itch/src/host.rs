//! The native functions through which the JavaScript code of the prelude accesses the VM and its
//! log.

use std::rc::Rc;

use catherd_javascript_engine::quickjs::{
    Array, Ctx, Exception, Function, IntoJs, Object, Result, Value as Js,
};
use catherd_scratch_sb3::Project;
use catherd_scratch_vm::{PenMark, StartEvent, TargetId, Text, Value};

use crate::events::What;
use crate::machine::{Profile, Shared};
use crate::snapshots::Record;
use crate::{model, values};

/// Adds a function to an object. The function shares ownership of the state.
macro_rules! function {
    ($object:expr, $ctx:expr, $shared:expr, $name:literal, |$s:ident $(, $arg:ident : $type:ty)* $(,)?| $body:expr) => {{
        let shared = Rc::clone($shared);
        $object.set(
            $name,
            Function::new($ctx.clone(), move |$($arg: $type),*| {
                let $s = &*shared;
                $body
            })?,
        )?;
    }};
}

/// Like `function!`, with the context as the first parameter; the body returns a `Result`.
macro_rules! function_in {
    ($object:expr, $ctx:expr, $shared:expr, $name:literal, |$c:ident, $s:ident $(, $arg:ident : $type:ty)* $(,)?| $body:expr) => {{
        let shared = Rc::clone($shared);
        let body = move |$c: Ctx<'js> $(, $arg: $type)*| -> Result<Js<'js>> {
            let $s = &*shared;
            $body
        };
        $object.set($name, Function::new($ctx.clone(), body)?)?;
    }};
}

pub(crate) fn functions<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    install_model(ctx, &host, shared)?;
    install_log(ctx, &host, shared)?;
    install_inputs(ctx, &host, shared)?;
    install_course(ctx, &host, shared)?;
    Ok(host)
}

fn install_model<'js>(ctx: &Ctx<'js>, host: &Object<'js>, shared: &Rc<Shared>) -> Result<()> {
    function!(host, ctx, shared, "blocks", |s, project: usize, sprite: usize| {
        let target = s.project(project).targets.get(sprite);
        target.map_or_else(|| "[]".to_owned(), model::blocks)
    });
    function_in!(host, ctx, shared, "costumes", |ctx, s, project: usize, sprite: usize| {
        let project = s.project(project);
        let costumes = project.targets.get(sprite).map(|target| model::costumes(project, target));
        ctx.json_parse(costumes.unwrap_or_default().to_string())
    });
    function_in!(host, ctx, shared, "record", |ctx, s, number: usize| {
        let snapshots = s.snapshots.borrow();
        match snapshots.records.get(number) {
            Some(record) => describe(&ctx, s.project(record.project), record),
            None => Ok(Js::new_undefined(ctx)),
        }
    });
    function_in!(host, ctx, shared, "variables", |ctx, s, number: usize| {
        let snapshots = s.snapshots.borrow();
        match snapshots.records.get(number) {
            Some(record) => variables(&ctx, s.project(record.project), record),
            None => Ok(Js::new_undefined(ctx)),
        }
    });
    function!(host, ctx, shared, "clones", |s, number: usize| {
        let snapshots = s.snapshots.borrow();
        snapshots.records.get(number).map(|record| record.clones.clone()).unwrap_or_default()
    });
    function!(host, ctx, shared, "timeOf", |s, number: i32| {
        s.snapshots.borrow().get(number).map_or(0.0, |found| found.timestamp)
    });
    function!(host, ctx, shared, "originOf", |s, number: i32| {
        s.snapshots.borrow().get(number).map_or_else(String::new, |found| found.origin.to_string())
    });
    function!(host, ctx, shared, "targets", |s, number: i32| {
        let snapshots = s.snapshots.borrow();
        snapshots.get(number).map(|found| found.targets.to_vec()).unwrap_or_default()
    });
    function!(host, ctx, shared, "find", |s, number: i32, name: String| {
        let snapshots = s.snapshots.borrow();
        let found = snapshots.get(number).and_then(|snapshot| {
            snapshot.targets.iter().copied().find(|at| {
                let record = &snapshots.records[*at as usize];
                let target = s.project(record.project).targets.get(record.sprite);
                target.is_some_and(|target| *target.name == *name)
            })
        });
        found.map_or(-1.0, f64::from)
    });
    function!(host, ctx, shared, "hasSprite", |s, name: String| {
        sprite(&s.submission, &name).is_some()
    });
    Ok(())
}

/// The stage is not a sprite.
fn sprite(project: &Project, name: &str) -> Option<usize> {
    project.targets.iter().position(|target| !target.is_stage && *target.name == *name)
}

/// `Stage` also names the stage if no target has this name.
fn target(project: &Project, name: &str) -> Option<usize> {
    let stage = || (name == "Stage").then(|| project.stage());
    project.targets.iter().position(|target| *target.name == *name).or_else(stage)
}

/// The fields of a record in the order in which `model.js` reads them.
fn describe<'js>(ctx: &Ctx<'js>, project: &Project, record: &Record) -> Result<Js<'js>> {
    let array = Array::new(ctx.clone())?;
    let name = project.targets.get(record.sprite).map_or("", |target| &*target.name);
    let looks = &record.looks;
    let mut at = 0;
    let mut push = |value: Js<'js>| -> Result<()> {
        array.set(at, value)?;
        at += 1;
        Ok(())
    };
    push(record.project.into_js(ctx)?)?;
    push(record.sprite.into_js(ctx)?)?;
    push(record.is_stage.into_js(ctx)?)?;
    push((record.serial == 0).into_js(ctx)?)?;
    push(record.serial.into_js(ctx)?)?;
    push(name.into_js(ctx)?)?;
    push(looks.costume.into_js(ctx)?)?;
    push(record.volume.into_js(ctx)?)?;
    push(record.layer.into_js(ctx)?)?;
    push(looks.visible.into_js(ctx)?)?;
    push(looks.x.into_js(ctx)?)?;
    push(looks.y.into_js(ctx)?)?;
    push(looks.size.into_js(ctx)?)?;
    push(looks.direction.into_js(ctx)?)?;
    push(record.draggable.into_js(ctx)?)?;
    push(values::style(looks.rotation_style).into_js(ctx)?)?;
    push(record.bounds.map(Vec::from).into_js(ctx)?)?;
    match &record.bubble {
        Some(bubble) => {
            let parts = Array::new(ctx.clone())?;
            parts.set(0, bubble.on_right)?;
            parts.set(1, &*bubble.text.to_str())?;
            parts.set(2, if bubble.thinks { "think" } else { "say" })?;
            push(parts.into_value())?;
        }
        None => push(Js::new_undefined(ctx.clone()))?,
    }
    let effects = (!record.is_static).then(|| looks.effects.to_vec());
    push(effects.into_js(ctx)?)?;
    push(record.tempo.into_js(ctx)?)?;
    Ok(array.into_value())
}

fn variables<'js>(ctx: &Ctx<'js>, project: &Project, record: &Record) -> Result<Js<'js>> {
    let all = Array::new(ctx.clone())?;
    let Some(target) = project.targets.get(record.sprite) else { return Ok(all.into_value()) };
    let mut at = 0;
    let mut push = |id: &str, name: &str, kind: &str, value: Js<'js>| -> Result<()> {
        let parts = Array::new(ctx.clone())?;
        for (place, text) in [id, name, kind].into_iter().enumerate() {
            parts.set(place, text)?;
        }
        parts.set(3, value)?;
        all.set(at, parts)?;
        at += 1;
        Ok(())
    };
    for (variable, value) in target.variables.iter().zip(&record.variables) {
        if *value != Value::Undefined {
            push(&variable.id, &variable.name, "", values::to_js(ctx, value)?)?;
        }
    }
    for (list, items) in target.lists.iter().zip(&record.lists) {
        push(&list.id, &list.name, "list", values::list_to_js(ctx, items)?)?;
    }
    for (id, name) in &target.broadcasts {
        push(id, name, "broadcast_msg", (&**name).into_js(ctx)?)?;
    }
    Ok(all.into_value())
}

fn install_log<'js>(ctx: &Ctx<'js>, host: &Object<'js>, shared: &Rc<Shared>) -> Result<()> {
    function!(host, ctx, shared, "emit", |s, line: String| s.output.borrow_mut().emit(line));
    function!(host, ctx, shared, "timestamp", |s| s.now());
    function!(host, ctx, shared, "snap", |s, origin: String| s.snap(&origin.as_str().into())
        as f64);
    function!(host, ctx, shared, "snapshotCount", |s| s.snapshots.borrow().list.len() as f64);
    function!(host, ctx, shared, "eventCount", |s| s.events.borrow().list.len() as f64);
    function_in!(host, ctx, shared, "event", |ctx, s, number: usize| {
        let events = s.events.borrow();
        let array = Array::new(ctx.clone())?;
        if let Some(event) = events.list.get(number) {
            array.set(0, event.kind())?;
            array.set(1, event.previous as f64)?;
            array.set(2, event.next.map_or(-1.0, |next| next as f64))?;
        }
        Ok(array.into_value())
    });
    function_in!(host, ctx, shared, "eventData", |ctx, s, number: usize| {
        let events = s.events.borrow();
        match events.list.get(number) {
            Some(event) => data(&ctx, s, &event.what),
            None => Ok(Js::new_undefined(ctx)),
        }
    });
    function!(host, ctx, shared, "addEvent", |s, kind: String, previous: usize| {
        s.events.borrow_mut().add(What::Scheduled(kind), previous, None) as f64
    });
    function!(host, ctx, shared, "closeEvent", |s, number: usize, snapshot: usize| {
        if let Some(event) = s.events.borrow_mut().list.get_mut(number) {
            event.next.get_or_insert(snapshot);
        }
    });
    function!(host, ctx, shared, "lines", |s| {
        s.lines.borrow().iter().map(|line| line.to_vec()).collect::<Vec<_>>()
    });
    function!(host, ctx, shared, "points", |s| {
        s.points.borrow().iter().map(|point| point.to_vec()).collect::<Vec<_>>()
    });
    function!(host, ctx, shared, "responses", |s| {
        s.responses.borrow().iter().map(|text| text.to_str().into_owned()).collect::<Vec<_>>()
    });
    Ok(())
}

/// The data of an event in the order in which `log.js` reads it.
fn data<'js>(ctx: &Ctx<'js>, shared: &Shared, what: &What) -> Result<Js<'js>> {
    let array = Array::new(ctx.clone())?;
    let name = |at: usize| shared.submission.targets.get(at).map_or("", |target| &*target.name);
    match what {
        What::Scheduled(_) => {}
        What::Said { value, thinks, target, sprite } => {
            array.set(0, values::to_js(ctx, value)?)?;
            array.set(1, if *thinks { "think" } else { "say" })?;
            array.set(2, *target)?;
            array.set(3, name(*sprite))?;
        }
        What::Answered { question, answer } => {
            array.set(0, &*question.to_str())?;
            if let Some(answer) = answer {
                array.set(1, &*answer.to_str())?;
            }
        }
        What::Pen(PenMark::Line { from, to, rgba }) => {
            array.set(0, "penLine")?;
            array.set(1, vec![from.0, from.1, to.0, to.1])?;
            array.set(2, rgba.to_vec())?;
        }
        What::Pen(PenMark::Point { at, rgba }) => {
            array.set(0, "penPoint")?;
            array.set(1, vec![at.0, at.1])?;
            array.set(2, rgba.to_vec())?;
        }
        What::Pen(PenMark::Clear) => array.set(0, "penClear")?,
        What::PenCleared { lines, points } => {
            array.set(0, "penClear")?;
            array.set(1, lines.iter().map(|line| line.to_vec()).collect::<Vec<_>>())?;
            array.set(2, points.iter().map(|point| point.to_vec()).collect::<Vec<_>>())?;
        }
        What::Skin { number, text, created } => {
            array.set(0, if *created { "createTextSkin" } else { "updateTextSkin" })?;
            array.set(1, *number)?;
            array.set(2, &*text.to_str())?;
        }
        What::SkinDestroyed(number) => {
            array.set(0, "destroySkin")?;
            array.set(1, *number)?;
        }
        What::Block(block) => {
            let (sprite, index) = shared.submission.locate(*block);
            let target = &shared.submission.targets[sprite];
            array.set(0, &*target.blocks[index as usize].id)?;
            array.set(1, &*target.name)?;
            // The static records of the submission have the positions of its targets as their
            // numbers.
            array.set(2, sprite)?;
        }
        What::Updated(sprite) => array.set(0, name(*sprite))?,
        What::Sent(message) => array.set(0, &*message.to_str())?,
    }
    Ok(array.into_value())
}

/// Returns an error if a step is being executed, because a condition that is evaluated within a
/// step must not send inputs or end the execution.
fn refuse_in_step(ctx: &Ctx<'_>, shared: &Shared) -> Result<()> {
    if shared.lent.get() {
        let message = "a condition cannot send inputs or end the execution: the step has not ended";
        return Err(Exception::throw_message(ctx, message));
    }
    Ok(())
}

/// Sends an input and returns the number of its action, or -1 if the input started no threads.
fn started<'js>(ctx: &Ctx<'js>, shared: &Shared, input: StartEvent<'_>) -> Result<Js<'js>> {
    refuse_in_step(ctx, shared)?;
    shared.start(input).map_or(-1.0, f64::from).into_js(ctx)
}

fn install_inputs<'js>(ctx: &Ctx<'js>, host: &Object<'js>, shared: &Rc<Shared>) -> Result<()> {
    function_in!(host, ctx, shared, "greenFlag", |ctx, s| started(&ctx, s, StartEvent::Flag));
    function_in!(host, ctx, shared, "click", |ctx, s, name: String| {
        let found = target(&s.submission, &name).map(|at| TargetId(at as u32));
        started(&ctx, s, found.map_or(StartEvent::ClickSprites, StartEvent::Click))
    });
    function_in!(host, ctx, shared, "type", |ctx, s, key: String| {
        started(&ctx, s, StartEvent::Key(&key))
    });
    function_in!(host, ctx, shared, "send", |ctx, s, name: String, only: f64| {
        refuse_in_step(&ctx, s)?;
        s.message_sent(&Text::new(&*name));
        let only = (only >= 0.0).then_some(TargetId(only as u32));
        started(&ctx, s, StartEvent::Message(&name, only))
    });
    function_in!(host, ctx, shared, "key", |ctx, s, key: String, down: bool| {
        refuse_in_step(&ctx, s)?;
        s.with_vm(|vm| vm.key(&key, down));
        Ok(Js::new_undefined(ctx))
    });
    function_in!(host, ctx, shared, "mouse", |ctx, s, x: f64, y: f64, down: i32| {
        refuse_in_step(&ctx, s)?;
        s.with_vm(|vm| {
            let (old_x, old_y) = vm.mouse();
            let given = |new: f64, old: f64| if new.is_nan() { old } else { new };
            vm.mouse_move(given(x, old_x), given(y, old_y));
            if down >= 0 {
                vm.mouse_button(down > 0);
            }
        });
        Ok(Js::new_undefined(ctx))
    });
    function_in!(
        host,
        ctx,
        shared,
        "setVariable",
        |ctx, s, owner: String, name: String, value: Js<'js>| {
            let value = values::from_js(&ctx, value)?;
            let place = target(&s.submission, &owner).and_then(|at| {
                let variables = &s.submission.targets[at].variables;
                Some((at, variables.iter().position(|variable| *variable.name == *name)?))
            });
            if let Some((at, number)) = place {
                s.with_vm(|vm| vm.set_variable(TargetId(at as u32), number, value));
            }
            place.is_some().into_js(&ctx)
        }
    );
    function!(host, ctx, shared, "isTouching", |s, name: String, other: String| {
        let Some(at) = sprite(&s.submission, &name) else { return false };
        s.with_vm(|vm| vm.is_touching(TargetId(at as u32), &other)).unwrap_or(false)
    });
    Ok(())
}

fn install_course<'js>(ctx: &Ctx<'js>, host: &Object<'js>, shared: &Rc<Shared>) -> Result<()> {
    function!(host, ctx, shared, "isExecuting", |s| s.executing.get());
    function!(host, ctx, shared, "isOver", |s| s.over.get());
    function_in!(host, ctx, shared, "endExecution", |ctx, s| {
        refuse_in_step(&ctx, s)?;
        s.end_execution();
        Ok(Js::new_undefined(ctx))
    });
    let (s, ctx_shared) = (Rc::clone(shared), ctx.clone());
    let failed = move |ctx: Ctx<'js>, error: Js<'js>| {
        let thrown = catherd_javascript_engine::Thrown::describe(&ctx, &error, "");
        s.failed.replace(Some(thrown.to_string()));
    };
    host.set("failed", Function::new(ctx_shared, failed)?)?;
    function!(host, ctx, shared, "missing", |s, name: String| {
        s.missing.replace(Some(name));
    });
    function!(host, ctx, shared, "turbo", |s, on: bool| s.turbo.set(on));
    function!(host, ctx, shared, "profile", |s, on: bool, all: bool, names: Vec<String>| {
        let mut profile = s.profile.borrow_mut();
        if on && *profile != Profile::Off {
            return false;
        }
        *profile = match (on, all) {
            (false, _) => Profile::Off,
            (true, true) => Profile::All,
            (true, false) => Profile::Sprites(names.into_iter().collect()),
        };
        true
    });
    function!(host, ctx, shared, "ignoreWaits", |s, name: String| {
        s.impatient.borrow_mut().insert(name);
    });
    function!(host, ctx, shared, "watch", |s, moves: bool, messages: bool| {
        s.watches_moves.set(moves);
        s.watches_messages.set(messages);
    });
    function!(host, ctx, shared, "track", |s, name: String| {
        if let Some(at) = sprite(&s.submission, &name) {
            s.tracked.borrow_mut().insert(at);
        }
    });
    function!(host, ctx, shared, "trackBroadcast", |s, name: String| {
        s.tracked_messages.borrow_mut().insert(name);
    });
    function!(host, ctx, shared, "liveTargets", |s| {
        let live = s.with_vm(|vm| vm.targets().map(|id| id.0).collect::<Vec<u32>>());
        live.unwrap_or_else(|| (0..s.submission.targets.len() as u32).collect())
    });
    function!(host, ctx, shared, "current", |s, number: u32| {
        let (id, thinks) = (TargetId(number), s.thinkers.borrow().contains(&TargetId(number)));
        let record = s.with_vm(|vm| s.snapshots.borrow_mut().record(vm, id, thinks, Vec::new()));
        record.unwrap_or(number)
    });
    Ok(())
}
