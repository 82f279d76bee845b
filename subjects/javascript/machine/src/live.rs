//! A context with the prelude (the JavaScript part of this crate), in which a program is loaded.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use catherd_javascript_engine::quickjs::{
    Ctx, Error, Exception, FromJs, Function, IntoArgs, IntoJs, Null, Object, Persistent,
};
use catherd_javascript_engine::{
    CompileError, Engine, Host, Limits, Session, SharedArray, Stop, Thrown,
};
use catherd_search::Stream;

use crate::compile::CompiledFile;
use crate::execution::Reached;
use crate::images::Images;
use crate::prelude;
use crate::program::Program;
use crate::resolve;
use crate::settings::MachineSettings;
use crate::zlib;

/// 2020-01-01T00:00:00.000Z, the beginning of logical time.
const BEGINNING: f64 = 1_577_836_800_000.0;

/// Maximum number of counters and distances that are compared after each statement.
const MAX_REACHED: usize = 4_096;

/// State that the host functions of the prelude share with the machine.
pub(crate) struct Shared {
    /// The limit with which the host ended the script.
    pub(crate) reason: Cell<Option<&'static str>>,
    pub(crate) subject: RefCell<Stream>,
    /// Whether a random number was drawn from `subject` or `proxy`.
    pub(crate) drawn: Cell<bool>,
    pub(crate) proxy: RefCell<Stream>,
    pub(crate) most_steps: Cell<u64>,
    /// Whether functions that were passed to `process.nextTick` wait to be called.
    pub(crate) waiting: Cell<bool>,
    compiled: RefCell<BTreeSet<String>>,
    pub(crate) arrays: Arrays,
    /// Indices of the counters that count steps.
    steps: Vec<u32>,
}

impl Shared {
    pub(crate) fn steps(&self) -> u64 {
        let counters = &self.arrays.counters;
        self.steps.iter().filter_map(|index| counters.get(*index as usize)).map(u64::from).sum()
    }

    /// Two numbers, of which at least one changes whenever a test reaches a unit for the first time
    /// or comes nearer to an outcome.
    pub(crate) fn reached(&self) -> Option<(usize, f64)> {
        let Arrays { counters, taken, refused, least, .. } = &self.arrays;
        let (count, sites) = self.arrays.sizes;
        if count + 4 * sites > MAX_REACHED {
            return None;
        }
        let hit = |array: &SharedArray<u32>, length: usize| {
            (0..length).filter(|index| array.get(*index).is_some_and(|count| count > 0)).count()
        };
        let near = (0..2 * sites).filter_map(|index| least.get(index)).sum();
        Some((hit(counters, count) + hit(taken, sites) + hit(refused, sites), near))
    }

    pub(crate) fn reached_now(&self) -> Reached {
        let Arrays { counters, taken, refused, .. } = &self.arrays;
        Reached { counters: counters.to_vec(), outcomes: [taken.to_vec(), refused.to_vec()] }
    }

    /// The counters, how often each decision was true and false, and the smallest distances, from 0
    /// to 1.
    pub(crate) fn counts(&self) -> (Vec<u32>, [Vec<u32>; 2], Vec<f64>) {
        let Arrays { counters, taken, refused, least, .. } = &self.arrays;
        let mut least = least.to_vec();
        // A script may have written any number, NaN included.
        for distance in least.iter_mut().filter(|distance| !(0.0..=1.0).contains(*distance)) {
            *distance = 1.0;
        }
        (counters.to_vec(), [taken.to_vec(), refused.to_vec()], least)
    }
}

/// The arrays that probes write. A script that finds the probes, which `eval` permits, can change
/// only these numbers, and only until the next test clears them.
pub(crate) struct Arrays {
    counters: SharedArray<u32>,
    /// How often each site was decided true.
    taken: SharedArray<u32>,
    /// How often each site was decided false.
    refused: SharedArray<u32>,
    /// The smallest distances of each site from true and from false, alternating.
    least: SharedArray<f64>,
    /// The distances of the last decision at each site from true.
    last_true: SharedArray<f64>,
    /// The distances of the last decision at each site from false.
    last_false: SharedArray<f64>,
    /// The current depth of recursive calls.
    depth: SharedArray<i32>,
    /// Number of counters and of sites.
    sizes: (usize, usize),
}

/// The contents of [`Arrays`], in the order of its fields.
pub(crate) struct ArraysImage {
    counts: [Vec<u32>; 3],
    distances: [Vec<f64>; 3],
    depth: Vec<i32>,
}

impl Arrays {
    pub(crate) fn image(&self) -> ArraysImage {
        ArraysImage {
            counts: [&self.counters, &self.taken, &self.refused].map(SharedArray::to_vec),
            distances: [&self.least, &self.last_true, &self.last_false].map(SharedArray::to_vec),
            depth: self.depth.to_vec(),
        }
    }

    pub(crate) fn write(&self, image: &ArraysImage) {
        let counts = [&self.counters, &self.taken, &self.refused];
        counts.iter().zip(&image.counts).for_each(|(array, numbers)| array.write(numbers));
        let distances = [&self.least, &self.last_true, &self.last_false];
        distances.iter().zip(&image.distances).for_each(|(array, numbers)| array.write(numbers));
        self.depth.write(&image.depth);
    }

    fn new(program: &Program) -> Arrays {
        let counters = program.units.counters.max(1) as usize;
        let sites = program.units.sites.max(1) as usize;
        Arrays {
            counters: SharedArray::zeroed(counters),
            taken: SharedArray::zeroed(sites),
            refused: SharedArray::zeroed(sites),
            least: SharedArray::zeroed(2 * sites),
            last_true: SharedArray::zeroed(sites),
            last_false: SharedArray::zeroed(sites),
            depth: SharedArray::zeroed(1),
            sizes: (counters, sites),
        }
    }

    fn offer<'js>(&self, ctx: &Ctx<'js>, host: &Object<'js>) -> Result<(), Error> {
        host.set("counters", self.counters.typed_array(ctx)?)?;
        host.set("taken", self.taken.typed_array(ctx)?)?;
        host.set("refused", self.refused.typed_array(ctx)?)?;
        host.set("least", self.least.typed_array(ctx)?)?;
        host.set("lastTrue", self.last_true.typed_array(ctx)?)?;
        host.set("lastFalse", self.last_false.typed_array(ctx)?)?;
        host.set("depth", self.depth.typed_array(ctx)?)
    }
}

pub(crate) struct Functions {
    offered: Vec<(&'static str, Persistent<Function<'static>>)>,
    /// The functions and numbers that were passed to the prelude, which must not be freed: see
    /// [`Engine::restore`].
    #[cfg_attr(not(test), expect(dead_code, reason = "kept alive; a test reads it"))]
    pub(crate) host: Persistent<Object<'static>>,
}

/// A context. Its fields are dropped in order: values before the engine.
pub(crate) struct Live {
    pub(crate) functions: Functions,
    pub(crate) shared: Rc<Shared>,
    pub(crate) engine: Engine,
    pub(crate) images: Images,
}

const NAMES: [&str; 13] = [
    "prepare",
    "begin",
    "run",
    "runTicks",
    "isSettled",
    "observed",
    "exception",
    "report",
    "stateOf",
    "analyse",
    "constructedPatterns",
    "describe",
    "distance",
];

impl Live {
    pub(crate) fn new(program: &Rc<Program>, settings: &MachineSettings) -> Result<Live, String> {
        let shared = Rc::new(Shared {
            reason: Cell::new(None),
            subject: RefCell::new(Stream::new(0, SUBJECT)),
            drawn: Cell::new(false),
            proxy: RefCell::new(Stream::new(0, PROXY)),
            most_steps: Cell::new(settings.load_steps),
            waiting: Cell::new(false),
            compiled: RefCell::default(),
            arrays: Arrays::new(program),
            steps: program.units.steps.clone(),
        });
        let (random, polled) = (Rc::clone(&shared), Rc::clone(&shared));
        let host = Host {
            random: Box::new(move || {
                random.drawn.set(true);
                random.subject.borrow_mut().unit()
            }),
            date: BEGINNING,
            poll: Box::new(move || {
                let spent = polled.steps() > polled.most_steps.get();
                if spent {
                    polled.reason.set(polled.reason.get().or(Some("steps")));
                }
                spent
            }),
            ..Host::default()
        };
        let mut engine = Engine::new(limits(settings), host).map_err(|error| error.to_string())?;
        engine.guard(&program.entry);
        let made = engine.enter(|session| functions(session, program, settings, &shared));
        let functions = made.map_err(|error| error.to_string())??;
        let mut live = Live { functions, shared, engine, images: Images::default() };
        if settings.reuse {
            live.keep_bare()?;
        }
        Ok(live)
    }

    pub(crate) fn enter<R>(
        &self,
        body: impl for<'js> FnOnce(&Session<'js>) -> R,
    ) -> Result<R, String> {
        self.engine.enter(body).map_err(|error| error.to_string())
    }

    pub(crate) fn call<'js, A: IntoArgs<'js>, V: FromJs<'js>>(
        &self,
        session: &Session<'js>,
        name: &str,
        arguments: A,
    ) -> Result<V, Thrown> {
        let found = self.functions.offered.iter().find(|(known, _)| *known == name);
        let function = found.map(|(_, function)| function.clone().restore(session.ctx()));
        match function {
            Some(function) => session.call(&session.caught(function)?, arguments),
            None => Err(Thrown::default()),
        }
    }

    pub(crate) fn try_load(&self) -> Result<(), String> {
        self.enter(|session| {
            let result = self.call::<_, ()>(session, "prepare", (false, false));
            self.drain(session);
            self.stopped(session).map_or(Ok(()), |limit| Err(met(limit)))?;
            result.map_err(|thrown| thrown.to_string())
        })?
    }

    /// Executes jobs of promises and the functions passed to `process.nextTick` until nothing is
    /// left or a limit is reached. Returns whether one of these functions threw an exception.
    pub(crate) fn drain(&self, session: &Session<'_>) -> bool {
        let mut failed = false;
        session.drain();
        while self.shared.waiting.get() && session.stopped().is_none() {
            failed |= self.run_ticks(session);
            session.drain();
        }
        failed
    }

    /// Executes the functions passed to `process.nextTick`. Returns whether one of them threw an
    /// exception.
    pub(crate) fn run_ticks(&self, session: &Session<'_>) -> bool {
        self.shared.waiting.take() && self.call::<_, bool>(session, "runTicks", ()).unwrap_or(false)
    }

    pub(crate) fn stopped(&self, session: &Session<'_>) -> Option<&'static str> {
        Some(match session.stopped()? {
            Stop::Operations => "polls",
            Stop::Memory => "heap",
            Stop::Stack => "frames",
            Stop::Caller => self.shared.reason.get().unwrap_or("polls"),
        })
    }

    /// The paths of the compiled files. JSON files and modules of the host are not included.
    pub(crate) fn compiled(&self) -> Vec<String> {
        self.shared.compiled.borrow().iter().cloned().collect()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // Clear the context, because after a memory limit it can contain objects that the engine
        // cannot free, and that no image contains.
        self.clear();
    }
}

pub(crate) fn met(limit: &str) -> String {
    format!("the limit `{limit}` is reached")
}

fn limits(settings: &MachineSettings) -> Limits {
    Limits {
        turn: settings.load_polls,
        test: u64::MAX,
        memory: settings.heap,
        stack: settings.stack,
        timers: settings.timers,
    }
}

/// Number of the stream of `Math.random`.
pub(crate) const SUBJECT: u64 = 40;
/// Number of the stream of collecting proxies.
pub(crate) const PROXY: u64 = 41;

fn functions<'js>(
    session: &Session<'js>,
    program: &Rc<Program>,
    settings: &MachineSettings,
    shared: &Rc<Shared>,
) -> Result<Functions, String> {
    let failed = |error: Thrown| error.to_string();
    let host = session.caught(host(session, program, settings, shared)).map_err(failed)?;
    let compiled = prelude::beginning().as_ref().map_err(CompileError::to_string)?;
    let install: Function = session.execute(compiled).map_err(failed)?;
    let ctx = session.ctx();
    let kept = Persistent::save(ctx, host.clone());
    let offered: Object = session.call(&install, (host,)).map_err(failed)?;
    let mut functions = Vec::new();
    for name in NAMES {
        let function: Function = session.caught(offered.get(name)).map_err(failed)?;
        functions.push((name, Persistent::save(ctx, function)));
    }
    Ok(Functions { offered: functions, host: kept })
}

fn host<'js>(
    session: &Session<'js>,
    program: &Rc<Program>,
    settings: &MachineSettings,
    shared: &Rc<Shared>,
) -> Result<Object<'js>, Error> {
    let ctx = session.ctx();
    let host = Object::new(ctx.clone())?;
    let units = &program.units;
    shared.arrays.offer(ctx, &host)?;
    let chains = serde_json::to_string(&units.chains).unwrap_or_else(|_| "[]".to_owned());
    host.set("chains", ctx.json_parse(chains)?)?;
    host.set("idleThreshold", settings.idle_threshold)?;
    host.set("trapThreshold", settings.trap_threshold)?;
    host.set("paths", settings.paths)?;
    host.set("shapes", settings.shapes)?;
    if let Some(hints) = settings.line_hints {
        host.set("lines", program.line_scores(hints).as_flattened().to_vec())?;
    }
    host.set("entry", program.entry.clone())?;
    let namespace = program.package.config.namespace.as_deref().unwrap_or("");
    let parts: Vec<&str> = namespace.split('.').filter(|part| !part.is_empty()).collect();
    host.set("namespace", parts)?;
    let (numbers, zero, fixed) = (Rc::clone(shared), settings.zero, settings.proxy_number);
    let number = move || {
        numbers.drawn.set(true);
        let mut stream = numbers.proxy.borrow_mut();
        fixed.unwrap_or_else(|| if stream.chance(zero) { 0.0 } else { stream.below(32_768) as f64 })
    };
    host.set("proxyNumber", Function::new(ctx.clone(), number)?)?;
    let texts = Rc::clone(shared);
    let text = move |number: f64| {
        texts.drawn.set(true);
        let mut stream = texts.proxy.borrow_mut();
        if stream.chance(0.5) {
            return number.to_string();
        }
        let length = stream.between(1, 10);
        (0..length).map(|_| char::from(b'a' + stream.below(26) as u8)).collect::<String>()
    };
    host.set("proxyText", Function::new(ctx.clone(), text)?)?;
    let (reason, halt) = (Rc::clone(shared), session.halt());
    let stop = move |name: String| {
        let names = ["trap-threshold", "exit", "unsupported"];
        reason.reason.set(Some(names.into_iter().find(|known| *known == name).unwrap_or("polls")));
        halt.now();
    };
    let waiting = Rc::clone(shared);
    host.set("waits", Function::new(ctx.clone(), move || waiting.waiting.set(true))?)?;
    host.set("stop", Function::new(ctx.clone(), stop)?)?;
    let (compiling, compiled, limits) = (Rc::clone(program), Rc::clone(shared), limits(settings));
    let compile = move |ctx: Ctx<'js>, path: String, build: usize| {
        let made = Object::new(ctx.clone())?;
        match compiling.loaded(&path, build.min(1), limits).as_deref() {
            Ok(CompiledFile::Json(text)) => made.set("json", text)?,
            Ok(CompiledFile::Script { script, module }) => {
                compiled.compiled.borrow_mut().insert(path);
                made.set("make", script.execute(&ctx)?)?;
                made.set("esm", *module)?;
            }
            Err(cause) => return Err(Exception::throw_syntax(&ctx, cause)),
        }
        Ok(made)
    };
    host.set("compile", Function::new(ctx.clone(), compile)?)?;
    let resolving = Rc::clone(program);
    let resolve = move |ctx: Ctx<'js>, from: String, request: String| {
        let import = resolve::is_module(&resolving.package, &from).unwrap_or(false);
        match resolve::resolve(&resolving.package, &from, &request, import) {
            Some(path) => IntoJs::into_js(path, &ctx),
            None => IntoJs::into_js(Null, &ctx),
        }
    };
    host.set("resolve", Function::new(ctx.clone(), resolve)?)?;
    host.set("marker", Function::new(ctx.clone(), |text: String| marker(&text))?)?;
    let sources = Rc::clone(program);
    let source = move |number: usize| sources.callable_text(number).unwrap_or("").to_owned();
    host.set("source", Function::new(ctx.clone(), source)?)?;
    let assigning = Rc::clone(program);
    let assigns = move |callable: i32| {
        let callable =
            usize::try_from(callable).ok().and_then(|n| assigning.units.callables.get(n));
        let function = callable.and_then(|callable| callable.function);
        function.is_some_and(|function| assigning.units.functions[function as usize].assigns_this)
    };
    host.set("assignsThis", Function::new(ctx.clone(), assigns)?)?;
    let hash =
        |name: String, bytes: Vec<u8>| crate::hashes::hash(&name, &bytes).unwrap_or_default();
    let parts = |ctx: Ctx<'js>, name: String| {
        let part = match name.as_str() {
            "streams" => prelude::streams(),
            "web streams" => prelude::web_streams(),
            _ => prelude::extras(),
        };
        match part {
            Ok(script) => script.execute(&ctx),
            Err(cause) => Err(Exception::throw_syntax(&ctx, &cause.to_string())),
        }
    };
    host.set("parts", Function::new(ctx.clone(), parts)?)?;
    zlib::offer(ctx, &host)?;
    host.set("hash", Function::new(ctx.clone(), hash)?)?;
    let counting = Rc::clone(program);
    let count = move |callable: usize, length: usize| {
        counting.parameters(callable).map_or(length, <[_]>::len)
    };
    host.set("parameterCount", Function::new(ctx.clone(), count)?)?;
    Ok(host)
}

/// The number in the source text of an instrumented function; -1 if there is none.
fn marker(text: &str) -> i32 {
    let mut rest = text;
    while let Some(at) = rest.find("/*$c_") {
        rest = rest[at + 5..].trim_start_matches('_');
        if let Some(number) = rest.strip_prefix('F')
            && let Some((digits, _)) = number.split_once("*/")
            && let Ok(number) = digits.parse()
        {
            return number;
        }
    }
    -1
}
