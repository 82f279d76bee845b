// What Node offers beside the language, as far as it depends on nothing outside.
const UNAVAILABLE = new Set(['fs', 'net', 'http', 'https', 'http2', 'os', 'child_process', 'cluster', 'crypto', 'dgram', 'dns',
    'domain', 'inspector', 'module', 'perf_hooks', 'process', 'punycode', 'querystring', 'readline', 'repl', 'stream',
    'string_decoder', 'timers', 'tls', 'tty', 'url', 'v8', 'vm', 'wasi', 'worker_threads', 'zlib', 'async_hooks', 'buffer',
    'constants', 'diagnostics_channel', 'fs/promises', 'stream/promises', 'timers/promises', 'util/types', 'sys', 'test']);
const silent = () => undefined;
const installHost = () => {
    const process = {env: {NODE_ENV: 'test'}, argv: [], platform: 'linux', version: 'v20.0.0', versions: {node: '20.0.0'},
        nextTick: (f, ...values) => queueMicrotask(() => apply(f, undefined, values)), cwd: () => '/subject',
        on: silent, emitWarning: silent, hrtime: () => [0, 0], exitCode: undefined};
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
    put('TextEncoder', TextEncoder);
    put('TextDecoder', TextDecoder);
};
const clone = (value, seen) => {
    if (typeof value === 'function' || typeof value === 'symbol') {
        throw new Error('a value could not be cloned');
    }
    if (value === null || typeof value !== 'object') {
        return value;
    }
    if (seen.has(value)) {
        return seen.get(value);
    }
    const keep = copy => {
        seen.set(value, copy);
        return copy;
    };
    switch (builtinTag(value)) {
    case 'Date': return keep(new Date(getTime(value)));
    case 'RegExp': return keep(new RegExp(value.source, value.flags));
    case 'Map': {
        const copy = keep(new Map());
        mapEach(value, (item, key) => copy.set(clone(key, seen), clone(item, seen)));
        return copy;
    }
    case 'Set': {
        const copy = keep(new Set());
        setEach(value, item => copy.add(clone(item, seen)));
        return copy;
    }
    }
    const copy = keep(isArray(value) ? new Array(value.length) : value instanceof Error ? create(getPrototypeOf(value)) : {});
    if (value instanceof Error) {
        defineProperty(copy, 'message', {value: value.message, writable: true, configurable: true});
    }
    for (const key of keys(value)) {
        copy[key] = clone(value[key], seen);
    }
    return copy;
};
class TextEncoder {
    get encoding() {
        return 'utf-8';
    }
    encode(text = '') {
        const bytes = [];
        for (const letter of toWellFormed(String(text))) {
            const c = letter.codePointAt(0);
            if (c < 0x80) {
                bytes.push(c);
            } else if (c < 0x800) {
                bytes.push(c >> 6 | 0xc0, c & 63 | 0x80);
            } else if (c < 0x10000) {
                bytes.push(c >> 12 | 0xe0, c >> 6 & 63 | 0x80, c & 63 | 0x80);
            } else {
                bytes.push(c >> 18 | 0xf0, c >> 12 & 63 | 0x80, c >> 6 & 63 | 0x80, c & 63 | 0x80);
            }
        }
        return new Uint8Array(bytes);
    }
}
class TextDecoder {
    get encoding() {
        return 'utf-8';
    }
    decode(bytes = []) {
        let text = '';
        for (let i = 0; i < bytes.length;) {
            const b = bytes[i];
            const more = b < 0x80 ? 0 : b >= 0xc2 && b < 0xe0 ? 1 : b >= 0xe0 && b < 0xf0 ? 2 : b >= 0xf0 && b < 0xf5 ? 3 : -1;
            let c = more <= 0 ? b : b & 0x3f >> more;
            let valid = more >= 0;
            for (let k = 1; valid && k <= more; k++) {
                valid = (bytes[i + k] & 0xc0) === 0x80;
                c = c << 6 | bytes[i + k] & 63;
            }
            text += valid ? String.fromCodePoint(c) : '\ufffd';
            i += valid ? more + 1 : 1;
        }
        return text;
    }
}
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
    case 'assert': case 'assert/strict': return assertModule();
    case 'util': return utilModule();
    case 'path': case 'path/posix': return pathModule();
    default: return unavailable(name);
    }
};
const eventsModule = () => {
    function EventEmitter() {
        this._events = new Map();
    }
    const table = emitter => emitter._events instanceof Map ? emitter._events : emitter._events = new Map();
    const addTo = (emitter, name, f, first) => {
        const list = table(emitter).get(name) ?? [];
        table(emitter).set(name, first ? [f, ...list] : [...list, f]);
        return emitter;
    };
    assign(EventEmitter.prototype, {
        on(name, f) {
            return addTo(this, name, f, false);
        },
        addListener(name, f) {
            return addTo(this, name, f, false);
        },
        prependListener(name, f) {
            return addTo(this, name, f, true);
        },
        once(name, f) {
            const once = (...values) => {
                this.off(name, once);
                return apply(f, this, values);
            };
            once.listener = f;
            return addTo(this, name, once, false);
        },
        off(name, f) {
            const list = table(this).get(name) ?? [];
            const at = list.findLastIndex(each => each === f || each.listener === f);
            if (at >= 0) {
                list.length === 1 ? table(this).delete(name) : table(this).set(name, list.toSpliced(at, 1));
            }
            return this;
        },
        emit(name, ...values) {
            const list = table(this).get(name) ?? [];
            if (list.length === 0 && name === 'error') {
                throw values[0] instanceof Error ? values[0] : new Error('Unhandled error.');
            }
            for (const f of list) {
                apply(f, this, values);
            }
            return list.length > 0;
        },
        listeners(name) {
            return (table(this).get(name) ?? []).map(f => f.listener ?? f);
        },
        listenerCount(name) {
            return (table(this).get(name) ?? []).length;
        },
        eventNames() {
            return [...table(this).keys()];
        },
        removeAllListeners(name) {
            name === undefined ? table(this).clear() : table(this).delete(name);
            return this;
        },
        setMaxListeners() {
            return this;
        },
    });
    EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
    EventEmitter.EventEmitter = EventEmitter;
    EventEmitter.default = EventEmitter;
    return EventEmitter;
};
const deepEqual = (a, b, strict) => {
    if (strict ? Object.is(a, b) : a == b || a !== a && b !== b) {
        return true;
    }
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
        return false;
    }
    return stringify(observe(a)) === stringify(observe(b));
};
const assertModule = () => {
    class AssertionError extends Error {
        constructor(message) {
            super(message);
            this.name = 'AssertionError';
            this.code = 'ERR_ASSERTION';
        }
    }
    const check = (holds, message) => {
        if (!holds) {
            throw message instanceof Error ? message : new AssertionError(message ?? 'assertion failed');
        }
    };
    const assert = (value, message) => check(value, message);
    assign(assert, {
        AssertionError,
        ok: assert,
        equal: (a, b, m) => check(a == b || a !== a && b !== b, m),
        notEqual: (a, b, m) => check(a != b, m),
        strictEqual: (a, b, m) => check(Object.is(a, b), m),
        notStrictEqual: (a, b, m) => check(!Object.is(a, b), m),
        deepEqual: (a, b, m) => check(deepEqual(a, b, false), m),
        deepStrictEqual: (a, b, m) => check(deepEqual(a, b, true), m),
        notDeepEqual: (a, b, m) => check(!deepEqual(a, b, false), m),
        notDeepStrictEqual: (a, b, m) => check(!deepEqual(a, b, true), m),
        fail: m => check(false, m),
        throws: (f, m) => {
            try {
                f();
            } catch {
                return;
            }
            check(false, typeof m === 'string' ? m : 'Missing expected exception.');
        },
        doesNotThrow: f => void f(),
        match: (text, pattern, m) => check(pattern.test(text), m),
    });
    assert.strict = assert;
    return assert;
};
const utilModule = () => ({
    inherits(child, parent) {
        child.super_ = parent;
        Object.setPrototypeOf(child.prototype, parent.prototype);
    },
    inspect: value => typeof value === 'string' ? "'" + value + "'" : stringify(observe(value)),
    promisify: f => (...values) => new Promise((done, fail) => f(...values, (error, value) => error ? fail(error) : done(value))),
    isDeepStrictEqual: (a, b) => deepEqual(a, b, true),
    deprecate: f => f,
    format: (...values) => values.map(String).join(' '),
    types: {},
});
const pathModule = () => {
    const normalizeParts = path => {
        const parts = [];
        for (const part of path.split('/')) {
            if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') {
                parts.pop();
            } else if (part !== '' && part !== '.' && !(part === '..' && path[0] === '/')) {
                parts.push(part);
            }
        }
        return parts.join('/');
    };
    const path = {
        sep: '/',
        delimiter: ':',
        normalize(text) {
            const body = normalizeParts(text);
            const tail = text.endsWith('/') && body !== '' ? '/' : '';
            return text[0] === '/' ? '/' + body + tail : body + tail || '.';
        },
        join: (...parts) => path.normalize(parts.filter(part => part !== '').join('/') || '.'),
        resolve(...parts) {
            let full = '';
            for (const part of ['/subject', ...parts]) {
                full = part[0] === '/' ? part : part === '' ? full : full + '/' + part;
            }
            return '/' + normalizeParts(full);
        },
        isAbsolute: text => text[0] === '/',
        dirname(text) {
            const cut = text.replace(/\/+$/, '').lastIndexOf('/');
            return cut < 0 ? '.' : cut === 0 ? '/' : text.slice(0, cut);
        },
        basename(text, end = '') {
            const name = text.replace(/\/+$/, '').split('/').at(-1);
            return end !== '' && name !== end && name.endsWith(end) ? name.slice(0, -end.length) : name;
        },
        extname(text) {
            const name = path.basename(text);
            const cut = name.lastIndexOf('.');
            return cut <= 0 ? '' : name.slice(cut);
        },
        relative(from, to) {
            const a = path.resolve(from).split('/').filter(Boolean);
            const b = path.resolve(to).split('/').filter(Boolean);
            let common = 0;
            while (common < a.length && common < b.length && a[common] === b[common]) {
                common++;
            }
            return [...a.slice(common).map(() => '..'), ...b.slice(common)].join('/');
        },
        parse(text) {
            const base = path.basename(text);
            const ext = path.extname(text);
            return {root: text[0] === '/' ? '/' : '', dir: path.dirname(text), base, ext, name: base.slice(0, base.length - ext.length)};
        },
        format: ({dir, base, name = '', ext = ''}) => (dir ? dir + '/' : '') + (base ?? name + ext),
    };
    path.posix = path;
    return path;
};
