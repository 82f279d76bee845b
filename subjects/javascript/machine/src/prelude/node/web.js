// Events, signals and errors of the Web API that Node.js also has, and the modules
// `diagnostics_channel` and `crypto`.
const ERRORS_OF_THE_WEB = create(null);
assign(ERRORS_OF_THE_WEB, {IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5, NotFoundError: 8,
    NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
    InvalidAccessError: 15, SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23,
    InvalidNodeTypeError: 24, DataCloneError: 25});
const webClasses = () => {
    class DOMException extends Error {
        #name;
        constructor(message = '', options = 'Error') {
            super(String(message));
            this.#name = String(typeof options === 'object' ? options.name ?? 'Error' : options);
            delete this.message;
            defineProperty(this, 'message', {value: String(message), writable: true, enumerable: false, configurable: true});
        }
        get name() {
            return this.#name;
        }
        get code() {
            return ERRORS_OF_THE_WEB[this.#name] ?? 0;
        }
    }
    class Event {
        #type;
        #options;
        stopped = false;
        prevented = false;
        constructor(type, options = {}) {
            if (arguments.length === 0) {
                throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
            }
            this.#type = String(type);
            this.#options = options ?? {};
            for (const name of ['stopped', 'prevented']) {
                defineProperty(this, name, {enumerable: false});
            }
            defineProperty(this, 'place', {value: {target: null}, enumerable: false});
        }
        get type() {
            return this.#type;
        }
        get bubbles() {
            return Boolean(this.#options.bubbles);
        }
        get cancelable() {
            return Boolean(this.#options.cancelable);
        }
        get composed() {
            return Boolean(this.#options.composed);
        }
        get defaultPrevented() {
            return this.cancelable && this.prevented;
        }
        get target() {
            return this.place.target;
        }
        get currentTarget() {
            return this.place.current ?? null;
        }
        preventDefault() {
            this.prevented = true;
        }
        stopPropagation() {}
        stopImmediatePropagation() {
            this.stopped = true;
        }
    }
    class CustomEvent extends Event {
        #detail;
        constructor(type, options) {
            super(type, options);
            this.#detail = options?.detail ?? null;
        }
        get detail() {
            return this.#detail;
        }
    }
    class EventTarget {
        #listeners = new Map();
        constructor() {
            weakSet(targets, this, type => (mapGet(this.#listeners, String(type)) ?? []).map(each => each.listener));
        }
        addEventListener(type, listener, options) {
            if (listener === null || listener === undefined) {
                return;
            }
            const name = String(type);
            const list = mapGet(this.#listeners, name) ?? [];
            if (!list.some(each => each.listener === listener)) {
                push(list, {listener, once: Boolean(options?.once)});
            }
            mapSet(this.#listeners, name, list);
            options?.signal?.addEventListener('abort', () => this.removeEventListener(name, listener), {once: true});
        }
        removeEventListener(type, listener) {
            const list = mapGet(this.#listeners, String(type)) ?? [];
            mapSet(this.#listeners, String(type), list.filter(each => each.listener !== listener));
        }
        dispatchEvent(event) {
            if (!(event instanceof Event)) {
                throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "event" argument must be an instance of Event. ' + received(event));
            }
            assign(event.place, {target: this, current: this});
            for (const each of [...mapGet(this.#listeners, event.type) ?? []]) {
                if (event.stopped) {
                    break;
                }
                if (each.once) {
                    this.removeEventListener(event.type, each.listener);
                }
                if (typeof each.listener === 'function') {
                    apply(each.listener, this, [event]);
                } else {
                    each.listener.handleEvent(event);
                }
            }
            event.place.current = null;
            return !event.defaultPrevented;
        }
    }
    const KEY = Symbol('made');
    class AbortSignal extends EventTarget {
        #state = {aborted: false, reason: undefined};
        #onabort = null;
        constructor(key, take) {
            super();
            if (key !== KEY) {
                throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
            }
            take(reason => {
                if (!this.#state.aborted) {
                    this.#state = {aborted: true, reason: reason ?? new DOMException('This operation was aborted', 'AbortError')};
                    this.dispatchEvent(new Event('abort'));
                }
            });
        }
        get onabort() {
            return this.#onabort;
        }
        set onabort(listener) {
            this.removeEventListener('abort', this.#onabort);
            this.#onabort = typeof listener === 'function' ? listener : null;
            this.addEventListener('abort', this.#onabort);
        }
        get aborted() {
            return this.#state.aborted;
        }
        get reason() {
            return this.#state.reason;
        }
        throwIfAborted() {
            if (this.aborted) {
                throw this.reason;
            }
        }
        static abort(reason) {
            const controller = new AbortController();
            controller.abort(reason);
            return controller.signal;
        }
        static any(signals) {
            const controller = new AbortController();
            for (const signal of signals) {
                if (signal.aborted) {
                    controller.abort(signal.reason);
                } else {
                    signal.addEventListener('abort', () => controller.abort(signal.reason));
                }
            }
            return controller.signal;
        }
        static timeout(delay) {
            const controller = new AbortController();
            const late = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
            globalThis.setTimeout(late, delay);
            return controller.signal;
        }
    }
    class AbortController {
        #abort;
        #signal = new AbortSignal(KEY, abort => this.#abort = abort);
        get signal() {
            return this.#signal;
        }
        abort(reason) {
            this.#abort(reason);
        }
    }
    for (const C of [DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController]) {
        defineProperty(C.prototype, Symbol.toStringTag, {value: C.name, configurable: true});
    }
    return {DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController};
};
/** The module `diagnostics_channel`. */
const channelsModule = () => {
    const channels = new Map();
    class Channel {
        #listeners = [];
        #stores = new Map();
        constructor(name) {
            this.name = name;
        }
        get hasSubscribers() {
            return this.#listeners.length > 0 || this.#stores.size > 0;
        }
        subscribe(listener) {
            checkArgument(listener, 'subscription', 'function');
            push(this.#listeners, listener);
        }
        unsubscribe(listener) {
            const at = this.#listeners.indexOf(listener);
            this.#listeners = this.#listeners.filter((_, index) => index !== at);
            return at >= 0;
        }
        publish(data) {
            this.#listeners.forEach(listener => listener(data, this.name));
        }
        bindStore(store, transform) {
            mapSet(this.#stores, store, transform);
        }
        unbindStore(store) {
            return this.#stores.delete(store);
        }
        runStores(data, f, receiver, ...values) {
            let run = () => {
                this.publish(data);
                return apply(f, receiver, values);
            };
            for (const [store, transform] of this.#stores) {
                const inner = run;
                run = () => store.run(transform ? transform(data) : data, inner);
            }
            return run();
        }
    }
    const channel = name => {
        if (typeof name !== 'string' && typeof name !== 'symbol') {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "channel" argument must be one of type string or symbol. ' + received(name));
        }
        if (!mapHas(channels, name)) {
            mapSet(channels, name, new Channel(name));
        }
        return mapGet(channels, name);
    };
    return {channel, hasSubscribers: name => mapHas(channels, name) && mapGet(channels, name).hasSubscribers,
        subscribe: (name, listener) => channel(name).subscribe(listener),
        unsubscribe: (name, listener) => channel(name).unsubscribe(listener), Channel};
};
/** Hashes and a few other functions of the module `crypto`. The rest of this module does not exist here. */
const cryptoModule = () => {
    const NAMES = {md5: 'md5', sha256: 'sha256', 'sha-256': 'sha256', sha224: 'sha224', sha384: 'sha384', sha512: 'sha512', 'sha-512': 'sha512',
        sha1: 'sha1', 'sha-1': 'sha1'};
    const BLOCKS = {sha384: 128, sha512: 128};
    const data = (value, encoding) => {
        if (typeof value === 'string') {
            return encodedBytes(value, encodingOf(encoding));
        }
        if (ArrayBuffer.isView(value)) {
            return Array.from(bytesOf(value));
        }
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "data" argument must be of type string or an instance of Buffer, TypedArray, or '
            + 'DataView. ' + received(value));
    };
    const digest = (name, bytes) => host.hash(name, bytes);
    const shown = (bytes, encoding) => encoding === undefined || encoding === 'buffer' ? globalThis.Buffer.from(bytes)
        : decodedText(new Uint8Array(bytes), encodingOf(encoding));
    const known = name => {
        checkArgument(name, 'algorithm', 'string');
        return NAMES[name.toLowerCase()];
    };
    const finished = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    class Hash {
        #bytes = [];
        #name;
        #done = false;
        constructor(name, bytes = []) {
            this.#name = name;
            this.#bytes = bytes;
        }
        update(value, encoding) {
            if (this.#done) {
                throw finished();
            }
            for (const byte of data(value, encoding)) {
                push(this.#bytes, byte);
            }
            return this;
        }
        digest(encoding) {
            if (this.#done) {
                throw finished();
            }
            this.#done = true;
            return shown(digest(this.#name, this.#bytes), encoding);
        }
        copy() {
            if (this.#done) {
                throw finished();
            }
            return new Hash(this.#name, [...this.#bytes]);
        }
    }
    class Hmac {
        #inner;
        #outer;
        #name;
        #done = false;
        constructor(name, key) {
            const block = BLOCKS[name] ?? 64;
            let bytes = data(key);
            bytes = bytes.length > block ? digest(name, bytes) : bytes;
            const padded = pad => Array.from({length: block}, (_, i) => (bytes[i] ?? 0) ^ pad);
            [this.#inner, this.#outer, this.#name] = [padded(0x36), padded(0x5c), name];
        }
        update(value, encoding) {
            if (this.#done) {
                throw finished();
            }
            for (const byte of data(value, encoding)) {
                push(this.#inner, byte);
            }
            return this;
        }
        digest(encoding) {
            const result = this.#done ? [] : digest(this.#name, [...this.#outer, ...digest(this.#name, this.#inner)]);
            this.#done = true;
            return shown(result, encoding);
        }
    }
    const module = {
        createHash(name) {
            const found = known(name);
            return found === undefined ? unavailable('crypto.createHash').call() : new Hash(found);
        },
        createHmac(name, key) {
            checkArgument(name, 'hmac', 'string');
            const found = known(name);
            return found === undefined ? unavailable('crypto.createHmac').call() : new Hmac(found, key);
        },
        timingSafeEqual(a, b) {
            const [left, right] = [data(a), data(b)];
            if (left.length !== right.length) {
                throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
            }
            return left.every((byte, index) => byte === right[index]);
        },
        getHashes: onlyLoading(keys(NAMES)), Hash, Hmac,
    };
    return new Proxy(module, {get: (_, key) => key in module || typeof key === 'symbol' || key === '__esModule' || key === 'then'
        ? module[key] : unavailable('crypto')[key]});
};
