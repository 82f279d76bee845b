// Globals and built-in modules of Node.js, with stubs for the parts that do not exist here.
const silent = () => undefined;
/** The stores of `AsyncLocalStorage`: a list, or UNKNOWN after an `await`, where the engine does not reveal which
    call continues. */
const UNKNOWN = Symbol('unknown');
let stores = null;
/** A function that calls `f` with the current stores. */
const withStores = f => {
    const known = stores;
    return function (...values) {
        return inStores(known, () => apply(f, this, values));
    };
};
const inStores = (known, f) => {
    const before = stores;
    stores = known;
    try {
        return f();
    } finally {
        stores = before;
    }
};
/** Functions passed to `nextTick`. They are called when no job of a promise is left, and after each timer. */
let ticks = [];
const nextTick = (f, ...values) => {
    checkArgument(f, 'callback', 'function');
    push(ticks, {f, values, known: stores});
    host.waits();
};
/** Calls the functions passed to `nextTick`, including the functions that these pass to `nextTick`. Returns whether
    one of the functions threw an exception. An exception ends only the function that throws it. */
const runTicks = () => {
    let hasFailed = false;
    for (let i = 0; i < ticks.length; i++) {
        const {f, values, known} = ticks[i];
        try {
            inStores(known, () => apply(f, undefined, values));
        } catch {
            hasFailed = true;
        }
    }
    ticks = [];
    return hasFailed;
};
/** The result of the synchronous part of a statement. */
const synchronously = f => {
    stores = null;
    try {
        return f();
    } finally {
        stores = UNKNOWN;
    }
};
/** A stream that accepts everything and shows nothing. */
const silentStream = () => ({write: () => true, end: silent, on: silent, once: silent});
/** A function whose result depends on the machine: loading may use it, and a test that calls it has no result. */
const onlyLoading = value => () => testing ? stop('unsupported') : value;
/** Parts of the language that the engine may have but Node.js 20 does not. */
const LATER_THAN_NODE = [[Object, ['groupBy']], [Map, ['groupBy']], [Promise, ['withResolvers', 'try']], [Array, ['fromAsync']],
    [RegExp, ['escape']], [Error, ['isError']], [Math, ['sumPrecise', 'f16round']], [globalThis, ['Iterator', 'Float16Array']],
    [Uint8Array, ['fromBase64', 'fromHex']], [Uint8Array.prototype, ['toBase64', 'toHex', 'setFromBase64', 'setFromHex']],
    [ArrayBuffer.prototype, ['transfer', 'transferToFixedLength', 'detached']],
    [DataView.prototype, ['getFloat16', 'setFloat16']],
    [Set.prototype, ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
    [getPrototypeOf(getPrototypeOf([][Symbol.iterator]())), ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach',
        'some', 'every', 'find', 'constructor', Symbol.toStringTag]]];
const installHost = () => {
    loaded = new Map();
    stores = null;
    const process = {env: {NODE_ENV: 'test'}, argv: [], platform: 'linux', version: 'v20.0.0', versions: {node: '20.0.0'},
        nextTick, cwd: () => '/subject', exit: () => stop('exit'), on: silent, emitWarning: silent, hrtime: () => [0, 0],
        exitCode: undefined, getuid: onlyLoading(0), geteuid: onlyLoading(0), getgid: onlyLoading(0), getegid: onlyLoading(0),
        stdout: silentStream(), stderr: silentStream()};
    const console = {};
    for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'table', 'assert', 'group', 'groupEnd',
        'groupCollapsed', 'time', 'timeEnd', 'timeLog', 'count', 'countReset', 'clear']) {
        console[name] = silent;
    }
    const put = (name, value) => defineProperty(globalThis, name, {value, writable: true, enumerable: false, configurable: true});
    put('process', completed('process', process));
    put('console', console);
    put('global', globalThis);
    put('structuredClone', value => clone(value, new Map()));
    const {TextEncoder, TextDecoder} = textClasses();
    put('TextEncoder', TextEncoder);
    put('TextDecoder', TextDecoder);
    together(['atob', 'btoa'], extras);
    together(['Buffer'], () => ({Buffer: extras().bufferClass()}));
    together(['URL', 'URLSearchParams'], () => extras().urlClasses());
    together(['DOMException', 'Event', 'CustomEvent', 'EventTarget', 'AbortSignal', 'AbortController'], () => extras().webClasses());
    together(GLOBAL_WEB_STREAMS, webStreams);
    const later = (f, delay) => f[PROMISIFY] ?? defineProperty(f, PROMISIFY, {value: delay, enumerable: false, configurable: true});
    later(globalThis.setTimeout, (delay, value) => new Promise(done => globalThis.setTimeout(done, delay, value)));
    later(globalThis.setImmediate, value => new Promise(done => globalThis.setImmediate(done, value)));
    for (const name of MISSING_GLOBALS) {
        if (!(name in globalThis)) {
            lazily(globalThis, name, false, () => unavailable(name));
        }
    }
    for (const [owner, names] of LATER_THAN_NODE) {
        for (const name of names) {
            delete owner[name];
        }
    }
};
/** For each event target, the function that returns the listeners of an event. */
const targets = new WeakMap();
/** The functions of `extras`, once a program has used one of them. */
let evaluated;
const isTesting = () => testing;
const extras = () => evaluated ??= host.parts('extras')({
    Map, Set, Date, Promise, Error, RangeError, TypeError, Number, String, Symbol, Proxy, Object, Array, ArrayBuffer, DataView,
    BigInt, Uint8Array, Math, apply, ownKeys, getPrototypeOf, abs, keys, getOwn, defineProperty, create, assign, isArray,
    charCodeAt, slice, toWellFormed, push, setAll, getTime, mapGet, mapSet, mapHas, matches, KINDS_OF_ERRORS, encodeLetter,
    bytesOf, coded, checkArgument, received, inspect, CUSTOM, safely, unavailable, stop, onlyLoading, builtinModule, isTesting,
    weakSet, targets, host});
let evaluatedStreams;
const partsOfStreams = () => ({
    Map, Set, WeakMap, Promise, Error, RangeError, TypeError, Number, String, Symbol, Object, Array, ArrayBuffer, DataView, BigInt,
    Date, RegExp, Proxy, Uint8Array, Math, apply, ownKeys, keys, getOwn, getPrototypeOf, defineProperty, create, assign, isArray, slice,
    charCodeAt, toWellFormed, push, then, parse, stringify, matches, mapGet, mapSet, mapHas, weakGet, weakSet, functionText, toText,
    boxedValue, coded, checkArgument, received, inspect, unavailable, stop, safely, builtinModule, FunctionPrototype,
    outOfRange: extras().outOfRange, bytesOf, contexts, targets, host});
const streams = () => evaluatedStreams ??= host.parts('streams')(partsOfStreams());
let evaluatedWebStreams;
const webStreams = () => evaluatedWebStreams ??= host.parts('web streams')(partsOfStreams()).webStreams();
/** Access to the stores of `AsyncLocalStorage` for the module `async_hooks`. */
const contexts = {UNKNOWN, withStores, inStores, get: () => stores, set: known => stores = known};
/** Built-in modules by name, which all files of a load share. */
let loaded = new Map();
/** Whether a test is being executed; false while the program is loaded. */
let testing = false;
/** Stubs for parts of Node.js that do not exist here. A program may load and keep stubs. A test that uses a stub has
    no result, because its result could differ in Node.js. */
const stubs = new WeakSet();
const unavailable = name => {
    const use = () => {
        if (testing) {
            stop('unsupported');
        }
        const error = new Error("'" + name + "' is not available");
        error.code = 'ERR_UNAVAILABLE';
        throw error;
    };
    let known;
    const target = defineProperty(function () {}, 'name', {value: name, configurable: true});
    const stub = new Proxy(target, {
        get: (_, key) => {
            if (typeof key === 'symbol' || key === '__esModule' || key === 'then' || key === 'prototype' || key === 'name'
                || key === 'length' || key === 'toJSON') {
                return target[key];
            }
            if (testing) {
                use();
            }
            known ??= new Map();
            if (!mapHas(known, key)) {
                mapSet(known, key, unavailable(name + '.' + key));
            }
            return mapGet(known, key);
        },
        apply: use,
        // A test must not use a value that loading constructs with a stub, so the value is a stub
        // too.
        construct: () => testing ? use() : unavailable('new ' + name),
        has: () => true,
        set: use,
    });
    weakAdd(stubs, stub);
    return stub;
};
/** Defines a member whose value is made when the member is first read. */
const lazily = (object, name, enumerable, make) => {
    const put = value => defineProperty(object, name, {value, writable: true, enumerable, configurable: true});
    const get = () => {
        const value = make();
        put(value);
        return value;
    };
    defineProperty(object, name, {get, set: put, enumerable, configurable: true});
};
/** Defines globals that are made together when one of them is first read. */
const together = (names, make) => {
    let made;
    for (const name of names) {
        lazily(globalThis, name, false, () => (made ??= make())[name]);
    }
};
/** Web streams, which are evaluated only for programs that use them. */
const GLOBAL_WEB_STREAMS = ['ByteLengthQueuingStrategy', 'CompressionStream', 'CountQueuingStrategy', 'DecompressionStream',
    'ReadableByteStreamController', 'ReadableStream', 'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest',
    'ReadableStreamDefaultController', 'ReadableStreamDefaultReader', 'TextDecoderStream', 'TextEncoderStream', 'TransformStream',
    'TransformStreamDefaultController', 'WritableStream', 'WritableStreamDefaultController', 'WritableStreamDefaultWriter'];
/** Globals of Node.js 20 that do not exist here. */
const MISSING_GLOBALS = ['Blob', 'BroadcastChannel', 'Crypto', 'CryptoKey', 'File', 'FormData', 'Headers', 'Intl', 'MessageChannel', 'MessageEvent', 'MessagePort', 'PerformanceEntry',
    'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver', 'Request', 'Response', 'SubtleCrypto',
    'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'crypto',
    'fetch'];
/** Members of `process` that do not exist here. */
const MISSING_OF_PROCESS = ['abort', 'binding', 'chdir', 'config', 'cpuUsage', 'dlopen', 'getActiveResourcesInfo', 'kill', 'memoryUsage', 'permission', 'pid', 'ppid', 'report', 'resourceUsage', 'stdin', 'umask', 'uptime'];
/** Members of modules that do not exist here. */
const MISSING_MEMBERS = {
    util: ['_errnoException', '_exceptionWithHostPort', 'aborted', 'getSystemErrorMap', 'getSystemErrorName', 'parseEnv',
        'transferableAbortController', 'transferableAbortSignal'],
    events: ['EventEmitterAsyncResource'],
    assert: ['CallTracker'],
    buffer: ['Blob', 'File', 'isAscii', 'isUtf8', 'resolveObjectURL', 'transcode'],
    url: ['Url', 'domainToASCII', 'domainToUnicode', 'format', 'parse', 'resolve', 'resolveObject'],
    fs: ['Dir', 'FileReadStream', 'FileWriteStream', 'ReadStream', 'WriteStream', '_toUnixTimestamp', 'chown', 'chownSync', 'cp', 'cpSync',
        'createReadStream', 'createWriteStream', 'fchmod', 'fchmodSync', 'fchown', 'fchownSync', 'fdatasync', 'fdatasyncSync', 'lchmod',
        'lchmodSync', 'lchown', 'lchownSync', 'link', 'linkSync', 'lutimes', 'lutimesSync', 'openAsBlob', 'opendir', 'opendirSync', 'readlink',
        'readlinkSync', 'readv', 'readvSync', 'statfs', 'statfsSync', 'symlink', 'symlinkSync', 'unwatchFile', 'watch', 'watchFile', 'writev',
        'writevSync'],
    module: ['Module', 'SourceMap', 'builtinModules', 'findSourceMap', 'isBuiltin', 'register', 'runMain', 'syncBuiltinESMExports', 'wrap'],
    os: ['arch', 'availableParallelism', 'cpus', 'freemem', 'getPriority', 'hostname', 'loadavg', 'machine', 'networkInterfaces',
        'release', 'setPriority', 'totalmem', 'uptime', 'userInfo', 'version'],
};
/** Adds stubs for the members that a module or object lacks. */
const completed = (name, object) => {
    const missing = name === 'process' ? MISSING_OF_PROCESS : MISSING_MEMBERS[name] ?? [];
    for (const member of missing) {
        if (!(member in object)) {
            lazily(object, member, true, () => unavailable(name + '.' + member));
        }
    }
    return object;
};
const builtinModule = name => {
    if (!mapHas(loaded, name)) {
        mapSet(loaded, name, makeModule(name));
    }
    return mapGet(loaded, name);
};
const makeModule = name => {
    switch (name) {
    case 'events': return completed(name, eventsModule());
    case 'assert': return completed(name, assertModule());
    case 'assert/strict': return builtinModule('assert').strict;
    case 'util': return completed(name, utilModule());
    case 'sys': return builtinModule('util');
    case 'util/types': return builtinModule('util').types;
    case 'timers': return {setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, setInterval: globalThis.setInterval,
        clearInterval: globalThis.clearInterval, setImmediate: globalThis.setImmediate, clearImmediate: globalThis.clearImmediate};
    case 'timers/promises': return {setTimeout: globalThis.setTimeout[PROMISIFY], setImmediate: globalThis.setImmediate[PROMISIFY],
        setInterval: unavailable('timers/promises.setInterval'), scheduler: unavailable('timers/promises.scheduler')};
    case 'path': return pathModule();
    case 'path/posix': return builtinModule('path').posix;
    case 'path/win32': return builtinModule('path').win32;
    case 'process': return globalThis.process;
    case 'buffer': return completed(name, extras().bufferModule());
    case 'string_decoder': return extras().stringDecoderModule();
    case 'url': return completed(name, extras().urlModule());
    case 'querystring': return extras().querystringModule();
    case 'diagnostics_channel': {
        const module = extras().channelsModule();
        lazily(module, 'tracingChannel', true, () => streams().utilParts().tracingChannelOf(module));
        return module;
    }
    case 'crypto': return extras().cryptoModule();
    case 'fs': return completed(name, extras().fsModule());
    case 'fs/promises': return builtinModule('fs').promises;
    case 'constants': return builtinModule('fs').constants;
    case 'stream': return streams().streamModule();
    case 'stream/promises': return builtinModule('stream').promises;
    case 'stream/web': return {...webStreams()};
    case 'stream/consumers': return streams().consumersModule();
    case 'module': return completed(name, moduleModule());
    case 'zlib': return streams().zlibModule();
    case 'async_hooks': return completed(name, streams().asyncHooksModule());
    case 'os': return completed(name, streams().osModule());
    default: return unavailable(name);
    }
};
