// Functions of the module `events` that few programs use.
const LARGEST_WHOLE = 2 ** 53 - 1;
const checkAborted = signal => {
    if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal))) {
        throw wrongType('options.signal', 'an instance of AbortSignal', signal);
    }
    if (signal?.aborted) {
        throw new AbortError(undefined, {cause: signal.reason});
    }
};
const notEmitting = (name, value) => wrongType(name, 'an instance of EventEmitter or EventTarget', value);
/** Adds a listener to an emitter or an event target. Returns a function that removes the listener. */
const listenTo = (emitter, name, listener, once) => {
    if (typeof emitter?.on === 'function') {
        emitter[once ? 'once' : 'on'](name, listener);
        return () => emitter.removeListener(name, listener);
    }
    if (typeof emitter?.addEventListener !== 'function') {
        throw wrongType('emitter', 'an instance of EventEmitter', emitter);
    }
    emitter.addEventListener(name, listener, {once});
    return () => emitter.removeEventListener(name, listener);
};
const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));
/** Returns a promise for the next occurrence of an event. */
const onceOf = async (emitter, name, options = {}) => {
    const signal = options?.signal;
    checkAborted(signal);
    return new Promise((resolve, reject) => {
        const removers = [];
        const finish = done => value => {
            removers.forEach(remove => remove());
            done(value);
        };
        push(removers, listenTo(emitter, name, (...values) => finish(resolve)(values), true));
        if (name !== 'error' && typeof emitter.once === 'function') {
            push(removers, listenTo(emitter, 'error', finish(reject), true));
        }
        if (signal) {
            const abort = () => finish(reject)(new AbortError(undefined, {cause: signal.reason}));
            push(removers, listenTo(signal, 'abort', abort, true));
        }
    });
};
/** An iterator over the occurrences of an event, which keeps occurrences until they are requested. */
const onOf = (emitter, name, options = {}) => {
    const {signal, close} = options;
    checkAborted(signal);
    const most = options.highWaterMark ?? options.highWatermark ?? LARGEST_WHOLE;
    checkWhole(most, 'options.highWaterMark', 1);
    const least = options.lowWaterMark ?? options.lowWatermark ?? 1;
    checkWhole(least, 'options.lowWaterMark', 1);
    const [kept, asked, removers] = [[], [], []];
    let [failure, isPaused, isFinished] = [null, false, false];
    const finish = () => {
        removers.splice(0).forEach(remove => remove());
        isFinished = true;
        asked.splice(0).forEach(({resolve}) => resolve({value: undefined, done: true}));
        return Promise.resolve({value: undefined, done: true});
    };
    const fail = error => {
        if (asked.length > 0) {
            asked.shift().reject(error);
        } else {
            failure = error;
        }
        finish();
    };
    const arrive = (...values) => {
        if (asked.length > 0) {
            asked.shift().resolve({value: values, done: false});
            return;
        }
        push(kept, values);
        if (!isPaused && kept.length > most) {
            isPaused = true;
            emitter.pause();
        }
    };
    const iterator = Object.setPrototypeOf({
        next() {
            if (kept.length > 0) {
                const value = kept.shift();
                if (isPaused && kept.length < least) {
                    emitter.resume();
                    isPaused = false;
                }
                return Promise.resolve({value, done: false});
            }
            if (failure) {
                const error = failure;
                failure = null;
                return Promise.reject(error);
            }
            return isFinished ? finish() : new Promise((resolve, reject) => push(asked, {resolve, reject}));
        },
        return: finish,
        throw(error) {
            if (!(error instanceof Error)) {
                throw wrongType('EventEmitter.AsyncIterator', 'an instance of Error', error);
            }
            fail(error);
        },
        [Symbol.asyncIterator]() {
            return this;
        },
    }, AsyncIteratorPrototype);
    push(removers, listenTo(emitter, name, arrive, false));
    if (name !== 'error' && typeof emitter.on === 'function') {
        push(removers, listenTo(emitter, 'error', fail, false));
    }
    for (const each of close ?? []) {
        push(removers, listenTo(emitter, each, finish, false));
    }
    if (signal) {
        push(removers, listenTo(signal, 'abort', () => fail(new AbortError(undefined, {cause: signal.reason})), true));
    }
    return iterator;
};
/** The limits that `setMaxListeners` has set for event targets. */
const mostOfTargets = new WeakMap();
const isTarget = value => value instanceof Object && targets.has(value);
const eventsParts = EventEmitter => ({
    once: onceOf, on: onOf,
    addAbortListener(signal, listener) {
        if (signal === undefined) {
            throw wrongType('signal', 'an instance of AbortSignal', signal);
        }
        checkSignal(signal, 'signal');
        checkArgument(listener, 'listener', 'function');
        const forget = whenAborted(signal, listener);
        return defineProperty(create(null), Symbol.dispose, {value: () => forget(), writable: true, enumerable: true, configurable: true});
    },
    getEventListeners(emitter, name) {
        if (typeof emitter.listeners === 'function') {
            return emitter.listeners(name);
        }
        if (!isTarget(emitter)) {
            throw notEmitting('emitter', emitter);
        }
        return targets.get(emitter)(name);
    },
    getMaxListeners(emitter) {
        if (typeof emitter?.getMaxListeners === 'function') {
            return emitter._maxListeners ?? EventEmitter.defaultMaxListeners;
        }
        if (!isTarget(emitter)) {
            throw notEmitting('emitter', emitter);
        }
        return weakGet(mostOfTargets, emitter) ?? EventEmitter.defaultMaxListeners;
    },
    setMaxListeners(n = EventEmitter.defaultMaxListeners, ...emitters) {
        if (typeof n !== 'number') {
            throw wrongType('setMaxListeners', 'of type number', n);
        }
        if (!(n >= 0)) {
            throw outOfRange('setMaxListeners', '>= 0', n);
        }
        if (emitters.length === 0) {
            EventEmitter.defaultMaxListeners = n;
        }
        for (const emitter of emitters) {
            if (isTarget(emitter)) {
                weakSet(mostOfTargets, emitter, n);
            } else if (typeof emitter?.setMaxListeners === 'function') {
                emitter.setMaxListeners(n);
            } else {
                throw notEmitting('eventTargets', emitter);
            }
        }
    },
});
