//! The native functions that read and change targets and variables.

use std::rc::Rc;

use catherd_javascript_engine::quickjs::{
    Array, Coerced, Ctx, FromJs, Function, IntoJs, Object, Result, Value as Js,
};
use catherd_scratch_sb3::RotationStyle;
use catherd_scratch_vm::{TargetId, TargetView, Text, Value, Vm};

use super::driver::{Content, Driver};
use super::target_key::TargetKey;

fn to_js<'js>(ctx: &Ctx<'js>, value: &Value) -> Result<Js<'js>> {
    match value {
        Value::Number(number) => number.into_js(ctx),
        Value::Bool(flag) => flag.into_js(ctx),
        Value::Text(text) => (&*text.to_str()).into_js(ctx),
        Value::Undefined => Ok(Js::new_undefined(ctx.clone())),
    }
}

/// Converts a JavaScript value to a value of the VM. All values except numbers, strings and
/// Booleans are converted to strings.
fn from_js<'js>(ctx: &Ctx<'js>, value: Js<'js>) -> Result<Value> {
    if let Some(number) = value.as_number() {
        return Ok(Value::Number(number));
    }
    if let Some(flag) = value.as_bool() {
        return Ok(Value::Bool(flag));
    }
    let Coerced(text) = Coerced::<String>::from_js(ctx, value)?;
    Ok(Value::Text(Text::new(text)))
}

fn content_to_js<'js>(ctx: &Ctx<'js>, content: Option<Content>) -> Result<Js<'js>> {
    match content {
        None => Ok(Js::new_undefined(ctx.clone())),
        Some(Content::Scalar(value)) => to_js(ctx, &value),
        Some(Content::List(items)) => {
            let array = Array::new(ctx.clone())?;
            for (at, item) in items.iter().enumerate() {
                array.set(at, to_js(ctx, item)?)?;
            }
            array.into_js(ctx)
        }
    }
}

fn style(style: RotationStyle) -> &'static str {
    match style {
        RotationStyle::AllAround => "all around",
        RotationStyle::LeftRight => "left-right",
        RotationStyle::DontRotate => "don't rotate",
    }
}

/// Adds a function to an object. The function shares ownership of the driver.
macro_rules! function {
    ($object:expr, $ctx:expr, $driver:expr, $name:literal, |$d:ident $(, $arg:ident : $type:ty)* $(,)?| $body:expr) => {{
        let $d = Rc::clone($driver);
        let function = Function::new($ctx.clone(), move |$($arg: $type),*| $body)?;
        $object.set($name, function)?;
    }};
}
pub(super) use function;

/// The target of a key, even if it was deleted; `None` if another clone has its number.
fn view(vm: &Vm<()>, key: TargetKey) -> Option<TargetView<'_>> {
    vm.target_or_remains(key.target()).filter(|view| TargetKey::of(view) == key)
}

/// The keys of the targets for which a function returns true, in the order of their creation.
fn keys(driver: &Driver, of: impl Fn(&TargetView<'_>) -> bool) -> Vec<f64> {
    let vm = driver.vm();
    let views = vm.targets().filter_map(|target| vm.target(target));
    views.filter(|view| of(view)).map(|view| TargetKey::of(&view).number()).collect()
}

pub(super) fn install_reading<'js>(
    ctx: &Ctx<'js>,
    host: &Object<'js>,
    driver: &Rc<Driver>,
) -> Result<()> {
    function!(host, ctx, driver, "targets", |d| keys(&d, |_| true));
    // The keys of all targets; undefined if they have not changed since the last call.
    function!(host, ctx, driver, "changedTargets", |d| {
        let now = keys(&d, |_| true);
        let mut known = d.known_targets.borrow_mut();
        (now != *known).then(|| {
            known.clone_from(&now);
            now
        })
    });
    function!(host, ctx, driver, "forgetTargets", |d| d.known_targets.borrow_mut().clear());
    // Writes the row of a target in the mirror.
    function!(host, ctx, driver, "mirror", |d, key: f64| {
        let (key, vm) = (TargetKey::from_number(key), d.vm());
        d.mirror.write(key, view(&vm, key));
    });
    function!(host, ctx, driver, "frontToBack", |d| {
        let vm = d.vm();
        let views = vm.targets().filter_map(|target| vm.target(target));
        let mut views: Vec<_> = views.filter(|view| !view.is_stage).collect();
        views.sort_by_key(|view| std::cmp::Reverse(view.order()));
        views.iter().map(|view| TargetKey::of(view).number()).collect::<Vec<f64>>()
    });
    function!(host, ctx, driver, "wrapAll", |d| wrap_all(&d));
    function!(host, ctx, driver, "original", |d, name: String| {
        match d.originals.get(&name) {
            Some(at) => f64::from(*at),
            None => {
                d.note(&d.unknown_sprites, name);
                -1.0
            }
        }
    });
    function!(host, ctx, driver, "unknownVariable", |d, owner: f64, name: String, list: bool| {
        note_unknown_variable(&d, TargetKey::from_number(owner), &name, list);
    });
    function!(host, ctx, driver, "stage", |d| d.program.stage() as f64);
    function!(host, ctx, driver, "instances", |d, key: f64| {
        let sprite = view(&d.vm(), TargetKey::from_number(key)).map(|view| view.sprite);
        keys(&d, |view| Some(view.sprite) == sprite)
    });
    function!(host, ctx, driver, "x", |d, key: f64| {
        view(&d.vm(), TargetKey::from_number(key)).map(|view| view.x)
    });
    function!(host, ctx, driver, "y", |d, key: f64| {
        view(&d.vm(), TargetKey::from_number(key)).map(|view| view.y)
    });
    function!(host, ctx, driver, "number", |d, key: f64, field: String| {
        let vm = d.vm();
        let view = view(&vm, TargetKey::from_number(key))?;
        Some(match field.as_str() {
            "direction" => view.direction,
            "rounded size" => (view.size + 0.5).floor(),
            "size" => view.size,
            "costume" => view.costume as f64,
            "volume" => view.volume,
            "clone id" => f64::from(view.siblings),
            _ if !view.exists() => return None,
            _ => view.order() as f64,
        })
    });
    function!(host, ctx, driver, "text", |d, key: f64, field: String| {
        let vm = d.vm();
        let view = view(&vm, TargetKey::from_number(key))?;
        Some(match field.as_str() {
            "id" => format!("{}-{}", view.sprite, view.serial),
            "name" => view.name.to_str().into_owned(),
            "costume" => {
                let name = d.program.costumes(view.sprite).nth(view.costume)?;
                name.to_str().into_owned()
            }
            "bubble" => d.bubble(&vm, view.id)?,
            _ => style(view.rotation_style).to_owned(),
        })
    });
    function!(host, ctx, driver, "flag", |d, key: f64, field: String| {
        let vm = d.vm();
        let view = view(&vm, TargetKey::from_number(key));
        view.is_some_and(|view| match field.as_str() {
            "original" => view.original,
            "stage" => view.is_stage,
            "visible" => view.visible,
            "draggable" => view.draggable,
            _ => view.exists(),
        })
    });
    function!(host, ctx, driver, "effects", |d, key: f64| {
        let effects = view(&d.vm(), TargetKey::from_number(key)).map(|view| view.effects);
        effects.unwrap_or_default().to_vec()
    });
    function!(host, ctx, driver, "bounds", |d, key: f64| {
        let key = TargetKey::from_number(key);
        let mut vm = d.sensing();
        if !vm.target(key.target()).is_some_and(|view| TargetKey::of(&view) == key) {
            return vec![f64::NAN; 4];
        }
        let bounds = vm.bounds(key.target());
        vec![bounds.left, bounds.right, bounds.top, bounds.bottom]
    });
    function!(host, ctx, driver, "costumes", |d, key: f64| {
        let sprite = view(&d.vm(), TargetKey::from_number(key)).map(|view| view.sprite);
        let names = sprite.map(|sprite| d.program.costumes(sprite));
        names.into_iter().flatten().map(|name| name.to_str().into_owned()).collect::<Vec<_>>()
    });
    install_sensing(ctx, host, driver)
}

/// Records the `old` values of all targets from now on, as happens when a sprite is looked up.
fn wrap_all(driver: &Driver) {
    if !driver.wrapped.replace(true) {
        driver.remember_all();
    }
}

fn install_sensing<'js>(ctx: &Ctx<'js>, host: &Object<'js>, driver: &Rc<Driver>) -> Result<()> {
    let exists = |vm: &Vm<()>, key: TargetKey| {
        vm.target(key.target()).is_some_and(|view| TargetKey::of(&view) == key)
    };
    function!(host, ctx, driver, "touching", |d, key: f64, name: String| {
        let (key, mut vm) = (TargetKey::from_number(key), d.sensing());
        exists(&vm, key) && vm.is_touching(key.target(), &name)
    });
    function!(host, ctx, driver, "touchingColor", |d, key: f64, r: u8, g: u8, b: u8| {
        let (key, mut vm) = (TargetKey::from_number(key), d.sensing());
        exists(&vm, key) && vm.is_touching_color(key.target(), [r, g, b])
    });
    function!(
        host,
        ctx,
        driver,
        "colorTouchingColor",
        |d, key: f64, r: u8, g: u8, b: u8, mr: u8, mg: u8, mb: u8| {
            let (key, mut vm) = (TargetKey::from_number(key), d.sensing());
            exists(&vm, key) && vm.is_color_touching_color(key.target(), [mr, mg, mb], [r, g, b])
        }
    );
    Ok(())
}

pub(super) fn install_old<'js>(
    ctx: &Ctx<'js>,
    host: &Object<'js>,
    driver: &Rc<Driver>,
) -> Result<()> {
    // Encodes two constant properties in one number: twice the number of the sprite, plus 1 for an
    // original.
    function!(host, ctx, driver, "wrap", |d, key: f64| {
        wrap_all(&d);
        let key = TargetKey::from_number(key);
        if !d.olds.borrow().contains_key(&key) {
            d.remember(key);
        }
        let facts = |view: TargetView<'_>| view.sprite as f64 * 2.0 + f64::from(view.original);
        view(&d.vm(), key).map_or(-1.0, facts)
    });
    function!(host, ctx, driver, "remember", |d, key: f64| d.remember(TargetKey::from_number(key)));
    // Writes the old values of the target to the mirror, and returns its old bubble's text.
    function!(host, ctx, driver, "old", |d, key: f64| {
        let key = TargetKey::from_number(key);
        if !d.olds.borrow().contains_key(&key) {
            d.remember(key);
        }
        let olds = d.olds.borrow();
        let old = olds.get(&key);
        d.mirror.write_old(old);
        old.and_then(|old| old.bubble.clone())
    });
    function!(host, ctx, driver, "rememberVariable", |d, owner: f64, number: u32, list: bool| {
        let key = (TargetKey::from_number(owner), number, list);
        if let Some(content) = d.content(key) {
            d.old_variables.borrow_mut().insert(key, content);
        }
    });
    let d = Rc::clone(driver);
    let old = move |ctx: Ctx<'js>, owner: f64, number: u32, list: bool| {
        let key = (TargetKey::from_number(owner), number, list);
        content_to_js(&ctx, d.old_variables.borrow().get(&key).cloned())
    };
    host.set("oldVariable", Function::new(ctx.clone(), old)?)
}

/// The name of a variable or list, which is `null` in JavaScript while the program has not created
/// it.
struct Name(Option<String>);

impl<'js> IntoJs<'js> for Name {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Js<'js>> {
        match self.0 {
            Some(name) => name.into_js(ctx),
            None => Ok(Js::new_null(ctx.clone())),
        }
    }
}

pub(super) fn install_changes<'js>(
    ctx: &Ctx<'js>,
    host: &Object<'js>,
    driver: &Rc<Driver>,
) -> Result<()> {
    function!(host, ctx, driver, "variableNames", |d, owner: f64, list: bool| {
        let vm = d.vm();
        let Some(view) = view(&vm, TargetKey::from_number(owner)) else { return Vec::new() };
        let names: Vec<&Text> = if list {
            d.program.lists(view.sprite).collect()
        } else {
            d.program.variables(view.sprite).collect()
        };
        let exists =
            |at: usize| if list { view.list(at).is_some() } else { view.variable(at).is_some() };
        let named =
            |(at, name): (usize, &&Text)| Name(exists(at).then(|| name.to_str().into_owned()));
        names.iter().enumerate().map(named).collect::<Vec<_>>()
    });
    function!(host, ctx, driver, "variableNumber", |d, owner: f64, name: String, list: bool| {
        let vm = d.vm();
        let Some(view) = view(&vm, TargetKey::from_number(owner)) else { return -1.0 };
        let at = if list {
            d.program
                .lists(view.sprite)
                .position(|known| *known == *name.as_str())
                .filter(|at| view.list(*at).is_some())
        } else {
            d.program
                .variables(view.sprite)
                .position(|known| *known == *name.as_str())
                .filter(|at| view.variable(*at).is_some())
        };
        at.map_or(-1.0, |at| at as f64)
    });
    let d = Rc::clone(driver);
    let get = move |ctx: Ctx<'js>, owner: f64, number: u32, list: bool| {
        content_to_js(&ctx, d.content((TargetKey::from_number(owner), number, list)))
    };
    host.set("variable", Function::new(ctx.clone(), get)?)?;
    let d = Rc::clone(driver);
    let set =
        move |ctx: Ctx<'js>, owner: f64, number: u32, list: bool, value: Js<'js>| -> Result<()> {
            let target = TargetKey::from_number(owner).target();
            if list {
                let items = Array::from_js(&ctx, value)?;
                let items = items.iter::<Js>().map(|item| from_js(&ctx, item?));
                let items = items.collect::<Result<Vec<_>>>()?;
                d.vm_mut().set_list(target, number as usize, items);
            } else {
                let value = from_js(&ctx, value)?;
                d.vm_mut().set_variable(target, number as usize, value);
            }
            Ok(())
        };
    host.set("setVariable", Function::new(ctx.clone(), set)?)?;
    function!(host, ctx, driver, "setPosition", |d, key: f64, x: f64, y: f64, force: bool| {
        let (target, mut vm) = (TargetKey::from_number(key).target(), d.vm_mut());
        let from = vm.target(target).map(|view| (view.x, view.y));
        if force {
            vm.drag(target, x, y);
        } else {
            vm.set_position(target, x, y);
        }
        drop(vm);
        moved(&d, target, from);
    });
    function!(host, ctx, driver, "setLook", |d, key: f64, field: String, value: f64| {
        let (target, mut vm) = (TargetKey::from_number(key).target(), d.vm_mut());
        match field.as_str() {
            "Visible" => vm.set_visible(target, value != 0.0),
            "Direction" => vm.set_direction(target, value),
            "Size" => vm.set_size(target, value),
            _ => vm.set_costume(target, value),
        }
    });
    Ok(())
}

/// Records the former position of a target that the suite, not a block, has moved.
pub(super) fn moved(driver: &Driver, target: TargetId, from: Option<(f64, f64)>) {
    let Some(from) = from.filter(|_| driver.wrapped.get()) else { return };
    let key = driver.vm().target(target).map(|view| TargetKey::of(&view));
    if let Some(key) = key {
        driver.moved_from(key, from);
    }
}

fn note_unknown_variable(driver: &Driver, owner: TargetKey, name: &str, list: bool) {
    let vm = driver.vm();
    let Some(view) = view(&vm, owner) else { return };
    let names: Vec<String> = if list {
        driver.program.lists(view.sprite).map(|name| name.to_str().into_owned()).collect()
    } else {
        driver.program.variables(view.sprite).map(|name| name.to_str().into_owned()).collect()
    };
    let (kind, kinds) = if list { ("list", "lists") } else { ("variable", "variables") };
    let there = if names.is_empty() {
        "there is none".to_owned()
    } else {
        format!("{kinds}: {}", names.join(", "))
    };
    let target = driver
        .program
        .targets()
        .nth(view.sprite)
        .map(|name| name.to_str().into_owned())
        .unwrap_or_default();
    driver.note(
        &driver.unknown_variables,
        format!("no {kind} of `{target}` is named `{name}`; {there}"),
    );
}
