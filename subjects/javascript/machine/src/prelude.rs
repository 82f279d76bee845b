//! The JavaScript part of this crate, compiled once for all contexts of a process.

use std::sync::OnceLock;

use catherd_javascript_engine::{CompileError, CompiledScript, Limits};

const PRELUDE: &str = concat!(
    "(function (host) {'use strict';\n",
    include_str!("prelude/head.js"),
    include_str!("prelude/texts.js"),
    include_str!("prelude/distances.js"),
    include_str!("prelude/proxies.js"),
    include_str!("prelude/probes.js"),
    include_str!("prelude/observe.js"),
    include_str!("prelude/node/errors.js"),
    include_str!("prelude/node/equality.js"),
    include_str!("prelude/node/inspect.js"),
    include_str!("prelude/node/text.js"),
    include_str!("prelude/node/clone.js"),
    include_str!("prelude/node/events.js"),
    include_str!("prelude/node/assert.js"),
    include_str!("prelude/node/util.js"),
    include_str!("prelude/node/path.js"),
    include_str!("prelude/node/host.js"),
    include_str!("prelude/node/locales.js"),
    include_str!("prelude/modules.js"),
    include_str!("prelude/analyse.js"),
    include_str!("prelude/tests.js"),
    include_str!("prelude/install.js"),
    "\n})"
);

/// Functions that few programs use. They are loaded on demand, because the memory of a program is
/// restored for each execution.
const EXTRAS: &str = concat!(
    "(function (prelude) {'use strict';\n",
    include_str!("prelude/node/extras.js"),
    include_str!("prelude/node/buffer.js"),
    include_str!("prelude/node/decoder.js"),
    include_str!("prelude/node/web.js"),
    include_str!("prelude/node/url.js"),
    include_str!("prelude/node/querystring.js"),
    include_str!("prelude/node/fs.js"),
    "return {atob, btoa, bufferClass, bufferModule, stringDecoderModule, webClasses, \
     channelsModule, cryptoModule, urlClasses, querystringModule, urlModule, fsModule, outOfRange};\n})"
);

/// Streams and further modules that even fewer programs use.
const STREAMS: &str = concat!(
    "(function (prelude) {'use strict';\n",
    include_str!("prelude/node/streams/head.js"),
    include_str!("prelude/node/streams/state.js"),
    include_str!("prelude/node/streams/ends.js"),
    include_str!("prelude/node/streams/readable.js"),
    include_str!("prelude/node/streams/pipes.js"),
    include_str!("prelude/node/streams/writable.js"),
    include_str!("prelude/node/streams/classes.js"),
    include_str!("prelude/node/streams/pipeline.js"),
    include_str!("prelude/node/streams/operators.js"),
    include_str!("prelude/node/zlib.js"),
    include_str!("prelude/node/contexts.js"),
    include_str!("prelude/node/os.js"),
    include_str!("prelude/node/tools.js"),
    include_str!("prelude/node/listening.js"),
    include_str!("prelude/node/windows.js"),
    include_str!("prelude/node/mime.js"),
    "return {streamModule, consumersModule, zlibModule, asyncHooksModule, osModule, utilParts, eventsParts, \
     windowsPathOf, mimeClasses};\n})"
);

/// The streams of the Web API, such as `ReadableStream`.
const WEB_STREAMS: &str = concat!(
    "(function (prelude) {'use strict';\n",
    include_str!("prelude/node/streams/head.js"),
    include_str!("prelude/node/streams/state.js"),
    include_str!("prelude/node/webstreams/support.js"),
    include_str!("prelude/node/webstreams/readable.js"),
    include_str!("prelude/node/webstreams/writable.js"),
    include_str!("prelude/node/webstreams/pipe.js"),
    include_str!("prelude/node/webstreams/transform.js"),
    "return {webStreams};\n})"
);

type Compiled = Result<CompiledScript, CompileError>;

pub(crate) fn beginning() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| CompiledScript::compile("prelude.js", PRELUDE, Limits::default()))
}

pub(crate) fn extras() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| CompiledScript::compile("extras.js", EXTRAS, Limits::default()))
}

pub(crate) fn streams() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| CompiledScript::compile("streams.js", STREAMS, Limits::default()))
}

pub(crate) fn web_streams() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED
        .get_or_init(|| CompiledScript::compile("web-streams.js", WEB_STREAMS, Limits::default()))
}
