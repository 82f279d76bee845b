// What Node offers in addition to the language, as far as it needs no files, network or system.
const silent = () => undefined;
/** Functions for `nextTick`, which are called after the synchronous part of a statement, before the jobs of promises. */
let ticks = [];
let isSynchronous = false;
const nextTick = (f, ...values) => {
    checkArgument(f, 'callback', 'function');
    push(ticks, () => apply(f, undefined, values));
    if (!isSynchronous) {
        queueMicrotask(runTicks);
    }
};
/** Calls the functions passed to `nextTick`. An exception in one of them ends only that one. */
const runTicks = () => {
    for (let i = 0; i < ticks.length; i++) {
        safely(ticks[i]);
    }
    ticks = [];
};
/** The result of a synchronous part, with what `nextTick` got in it. */
const synchronously = f => {
    isSynchronous = true;
    try {
        return f();
    } finally {
        isSynchronous = false;
        runTicks();
    }
};
/** A stream that takes everything and shows nothing. */
const silentStream = () => ({write: () => true, end: silent, on: silent, once: silent});
const installHost = () => {
    const process = {env: {NODE_ENV: 'test'}, argv: [], platform: 'linux', version: 'v20.0.0', versions: {node: '20.0.0'},
        nextTick, cwd: () => '/subject', exit: () => stop('exit'), on: silent, emitWarning: silent, hrtime: () => [0, 0],
        exitCode: undefined, stdout: silentStream(), stderr: silentStream()};
    const console = {};
    for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'table', 'assert', 'group', 'groupEnd',
        'groupCollapsed', 'time', 'timeEnd', 'timeLog', 'count', 'countReset', 'clear']) {
        console[name] = silent;
    }
    const put = (name, value) => defineProperty(globalThis, name, {value, writable: true, enumerable: false, configurable: true});
    put('process', process);
    put('console', console);
    put('global', globalThis);
    put('structuredClone', value => clone(value, new Map()));
    const {TextEncoder, TextDecoder} = textClasses();
    put('TextEncoder', TextEncoder);
    put('TextDecoder', TextDecoder);
};
const unavailable = name => {
    const fail = () => {
        const error = new Error("the module '" + name + "' is not available");
        error.code = 'ERR_UNAVAILABLE';
        throw error;
    };
    return new Proxy({}, {get: (_, key) => typeof key === 'symbol' || key === '__esModule' || key === 'then' ? undefined : fail(),
        has: fail, set: fail});
};
const builtinModule = name => {
    switch (name) {
    case 'events': return eventsModule();
    case 'assert': return assertModule();
    case 'assert/strict': return assertModule().strict;
    case 'util': return utilModule();
    case 'path': case 'path/posix': return pathModule();
    case 'process': return globalThis.process;
    default: return unavailable(name);
    }
};
