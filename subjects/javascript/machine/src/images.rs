//! Images of contexts in which a program is loaded, so that an execution need not load it again.
//!
//! The methods of [`Live`] that restore images are in this file because restoring an engine is
//! unsafe and must not be possible elsewhere.

// The calls to `Engine::restore` are unsafe.
#![allow(unsafe_code)]

use catherd_javascript_engine::EngineImage;
use catherd_search::Stream;

use crate::live::{ArraysImage, Live, SUBJECT};
use crate::settings::{ExecuteOptions, MachineSettings};

const MAX_IMAGES: usize = 4;

#[derive(Default)]
pub(crate) struct Images {
    /// The context before anything was loaded; `None` if each execution has a new context.
    bare: Option<EngineImage>,
    /// The context with the program loaded; the most recently used image is last.
    loaded: Vec<Loaded>,
}

struct Loaded {
    engine: EngineImage,
    arrays: ArraysImage,
    infer: bool,
    /// The seed and the stream of `Math.random`; `None` if loading used no random number.
    random: Option<(u64, Stream)>,
    /// The time in milliseconds; `None` if loading did not ask for the time.
    time: Option<f64>,
}

impl Loaded {
    /// Whether loading with these options leads to the same state.
    fn is_for(&self, options: &ExecuteOptions) -> bool {
        self.infer == options.infer
            && self.random.as_ref().is_none_or(|(seed, _)| *seed == options.seed)
            && self.time.is_none_or(|time| time.total_cmp(&options.later).is_eq())
    }
}

impl Live {
    pub(crate) fn keep_bare(&mut self) -> Result<(), String> {
        self.images.bare = Some(self.engine.image().map_err(|error| error.to_string())?);
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        if let Some(bare) = &self.images.bare {
            // SAFETY: the image was made by this engine. Persistent values are the functions of the
            // prelude and the object of the host's functions and arrays; they were made before the
            // image and are kept until the context is dropped. No script reaches that object, so
            // its members stay.
            unsafe { self.engine.restore(bare) };
            self.shared.waiting.set(false);
        }
    }

    /// Returns whether an image was restored.
    pub(crate) fn restore(&mut self, options: &ExecuteOptions) -> bool {
        let found = self.images.loaded.iter().position(|image| image.is_for(options));
        let Some(found) = found.filter(|_| !options.loading) else { return false };
        let image = self.images.loaded.remove(found);
        // SAFETY: as in `clear`.
        unsafe { self.engine.restore(&image.engine) };
        self.shared.waiting.set(false);
        self.shared.arrays.write(&image.arrays);
        let stream = image.random.as_ref().map(|(_, stream)| stream.clone());
        self.shared.drawn.set(stream.is_some());
        *self.shared.subject.borrow_mut() =
            stream.unwrap_or_else(|| Stream::new(options.seed, SUBJECT));
        if image.time.is_none() {
            self.engine.clock().reset();
            self.engine.clock().advance_to(options.later);
        }
        self.images.loaded.push(image);
        true
    }

    /// Makes an image of the context after loading, and drops old images if there are too many or
    /// they take more memory than a context may.
    pub(crate) fn keep_loaded(&mut self, options: &ExecuteOptions, settings: &MachineSettings) {
        if self.images.bare.is_none() || options.loading {
            return;
        }
        let Ok(engine) = self.engine.image() else { return };
        let drawn = self.shared.drawn.get();
        let image = Loaded {
            arrays: self.shared.arrays.image(),
            infer: options.infer,
            random: drawn.then(|| (options.seed, self.shared.subject.borrow().clone())),
            time: self.engine.clock().was_asked().then_some(options.later),
            engine,
        };
        let images = &mut self.images.loaded;
        images.push(image);
        let bytes =
            |images: &[Loaded]| -> usize { images.iter().map(|image| image.engine.bytes()).sum() };
        while images.len() > MAX_IMAGES || bytes(images) > settings.heap {
            images.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use catherd_javascript_engine::quickjs::{Function, Object};

    use crate::{MachineSettings, Package, Program};

    use super::*;

    /// A module that collects all values that it can reach: its own variables, built-in modules,
    /// probes by name, and the functions in stack traces.
    const COLLECTOR: &str = "
        const all = globalThis.all = [module, require, exports, globalThis.process, this];
        for (const name of ['assert', 'events', 'path', 'util']) all.push(require(name));
        for (const letter of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ') {
            try { all.push(eval('$' + 'c_' + letter)); } catch { }
        }
        Error.prepareStackTrace = (_, frames) => { all.push(...frames.map(frame => frame.getFunction())); return ''; };
        for (const request of ['./missing', 'fs']) {
            try { require(request).readFile; } catch { }
        }
        try { [1].map(() => null.member); } catch { }
        exports.f = x => x > 1 ? 2 : 3;";

    #[test]
    fn programs_reach_no_function_of_the_host() {
        let program = Program::new(Package::of_source("collector.js", COLLECTOR).unwrap()).unwrap();
        let live = Live::new(&program, &MachineSettings::default()).unwrap();
        live.try_load().unwrap();
        let answer: String = live
            .enter(|session| {
                let host = live.functions.host.clone().restore(session.ctx()).unwrap();
                let all: Object = session.evaluate("all.js", "all").unwrap();
                let search = include_str!("../../engine/tests/support/reach.js");
                let search: Function = session.evaluate("reach.js", search).unwrap();
                session.call(&search, (host, all)).unwrap()
            })
            .unwrap();
        let (count, found) = answer.split_once(": ").unwrap();
        assert!(count.parse::<usize>().unwrap() > 700, "{count}");
        // Two arrays are passed to the instrumented code itself. They may be reached, because their
        // memory stays allocated.
        assert_eq!(found, "host.counters host.depth");
    }
}
