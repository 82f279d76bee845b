// Streams: the operators of readable streams, and the modules `stream`, `stream/promises` and
// `stream/consumers`.
const DROPPED = Symbol('kEmpty');
const FINAL = Symbol('kEof');
const checkOperator = (f, options, name = 'fn') => {
    if (f !== undefined && typeof f !== 'function') {
        throw wrongType(name, 'of type function or an instance of AsyncFunction', f);
    }
    if (options !== undefined && options !== null) {
        checkObject(options, 'options');
        checkSignal(options.signal ?? undefined, 'options.signal');
    }
};
const needFunction = (f, options, name = 'fn') => checkOperator(typeof f === 'function' ? f : f ?? null, options, name);
const unlessAborted = options => {
    if (options?.signal?.aborted) {
        throw new AbortError(undefined, {cause: options.signal.reason});
    }
};
const mapped = (stream, f, options) => {
    needFunction(f, options);
    const most = Math.floor(options?.concurrency ?? 1);
    const ahead = Math.floor(options?.highWaterMark ?? most - 1);
    checkWhole(most, 'options.concurrency', 1);
    checkWhole(ahead, 'options.highWaterMark', 0);
    const limit = ahead + most;
    return (async function* () {
        const {AbortSignal} = globalThis;
        const signal = AbortSignal.any([options?.signal].filter(Boolean));
        const queue = [];
        let [next, resume] = [null, null];
        let isDone = false;
        let running = 0;
        const wake = () => {
            const f = next;
            next = null;
            f?.();
        };
        const maybeResume = () => {
            if (resume && !isDone && running < most && queue.length < limit) {
                resume();
                resume = null;
            }
        };
        const processed = () => {
            running--;
            maybeResume();
        };
        const failed = () => {
            isDone = true;
            processed();
        };
        const run = async () => {
            try {
                for await (const item of stream) {
                    if (isDone) {
                        return;
                    }
                    if (signal.aborted) {
                        throw new AbortError();
                    }
                    let value;
                    try {
                        const result = f(item, {signal});
                        if (result === DROPPED) {
                            continue;
                        }
                        value = Promise.resolve(result);
                    } catch (error) {
                        value = Promise.reject(error);
                    }
                    running++;
                    then(value, processed, failed);
                    push(queue, value);
                    wake();
                    if (!isDone && (queue.length >= limit || running >= most)) {
                        await new Promise(resolve => resume = resolve);
                    }
                }
                push(queue, FINAL);
            } catch (error) {
                const value = Promise.reject(error);
                then(value, processed, failed);
                push(queue, value);
            } finally {
                isDone = true;
                wake();
            }
        };
        run();
        try {
            for (;;) {
                while (queue.length > 0) {
                    const value = await queue[0];
                    if (value === FINAL) {
                        return;
                    }
                    if (signal.aborted) {
                        throw new AbortError();
                    }
                    if (value !== DROPPED) {
                        yield value;
                    }
                    queue.shift();
                    maybeResume();
                }
                await new Promise(resolve => next = resolve);
            }
        } finally {
            isDone = true;
            resume?.();
            resume = null;
        }
    })();
};
const filtered = (stream, f, options) => {
    needFunction(f, options);
    return mapped(stream, async (value, more) => await f(value, more) ? value : DROPPED, options);
};
const counted = number => {
    const n = Number(number);
    if (n < 0) {
        throw outOfRange('number', '>= 0', n);
    }
    return Number.isNaN(n) ? 0 : n;
};
const generators = {
    asIndexedPairs(options) {
        checkOperator(undefined, options);
        const stream = this;
        return (async function* () {
            let index = 0;
            for await (const value of stream) {
                unlessAborted(options);
                yield [index++, value];
            }
        })();
    },
    drop(number, options) {
        checkOperator(undefined, options);
        const stream = this;
        let left = counted(number);
        return (async function* () {
            for await (const value of stream) {
                unlessAborted(options);
                if (left-- <= 0) {
                    yield value;
                }
            }
        })();
    },
    filter(f, options) {
        return filtered(this, f, options);
    },
    flatMap(f, options) {
        const values = mapped(this, f, options);
        return (async function* () {
            for await (const value of values) {
                yield* value;
            }
        })();
    },
    map(f, options) {
        return mapped(this, f, options);
    },
    take(number, options) {
        checkOperator(undefined, options);
        const stream = this;
        let left = counted(number);
        return (async function* () {
            for await (const value of stream) {
                unlessAborted(options);
                if (left-- > 0) {
                    yield value;
                }
                if (left <= 0) {
                    return;
                }
            }
        })();
    },
};
const reducers = {
    async every(f, options) {
        needFunction(f, options);
        return !await reducers.some.call(this, async (...values) => !await f(...values), options);
    },
    async forEach(f, options) {
        needFunction(f, options);
        const each = async (value, more) => {
            await f(value, more);
            return DROPPED;
        };
        for await (const _ of mapped(this, each, options)) {
            // Each value has been passed to the function.
        }
    },
    async reduce(f, initial, options) {
        needFunction(f, options, 'reducer');
        let hasValue = arguments.length > 1;
        if (options?.signal?.aborted) {
            const error = new AbortError(undefined, {cause: options.signal.reason});
            this.once('error', nothing);
            await finishedPromise(this.destroy(error));
            throw error;
        }
        const {AbortController} = globalThis;
        const controller = new AbortController();
        let value = initial;
        try {
            for await (const item of this) {
                unlessAborted(options);
                value = hasValue ? await f(value, item, {signal: controller.signal}) : item;
                hasValue = true;
            }
            if (!hasValue) {
                throw coded(TypeError, 'ERR_MISSING_ARGS', 'Reduce of an empty stream requires an initial value');
            }
        } finally {
            controller.abort();
        }
        return value;
    },
    async toArray(options) {
        checkOperator(undefined, options);
        const items = [];
        for await (const value of this) {
            unlessAborted(options);
            push(items, value);
        }
        return items;
    },
    async some(f, options) {
        for await (const _ of filtered(this, f, options)) {
            return true;
        }
        return false;
    },
    async find(f, options) {
        for await (const value of filtered(this, f, options)) {
            return value;
        }
        return undefined;
    },
};
const streamModule = () => {
    const EventEmitter = builtinModule('events');
    highWaterMarks = [16384, 16];
    const Stream = legacyClass(EventEmitter);
    const Readable = readableClass(Stream, EventEmitter);
    const Writable = writableClass(Stream, EventEmitter);
    const Duplex = duplexClass(Stream, Readable, Writable);
    const Transform = transformClass(Duplex);
    const PassThrough = passThroughClass(Transform);
    const method = (name, value) => defineProperty(Readable.prototype, name, {value, writable: true, enumerable: false, configurable: true});
    for (const name of keys(generators)) {
        method(name, {[name](...values) {
            return Readable.from(apply(generators[name], this, values));
        }}[name]);
    }
    keys(reducers).forEach(name => method(name, {[name](...values) {
        return apply(reducers[name], this, values);
    }}[name]));
    method('compose', unavailable('stream.Readable.compose'));
    Duplex.from = unavailable('stream.Duplex.from');
    const classes = {Readable, PassThrough};
    const pipeline = (...streams) => {
        const callback = streams.at(-1);
        checkArgument(callback, 'streams[stream.length - 1]', 'function');
        return runPipeline(classes, streams.slice(0, -1), onlyOnce(callback));
    };
    const promises = {finished: finishedPromise, pipeline: (...given) => new Promise((resolve, reject) => {
        const last = given.at(-1);
        const hasOptions = last && typeof last === 'object' && !isNode(last) && !isIterable(last);
        const streams = hasOptions ? given.slice(0, -1) : given;
        const {signal, end} = hasOptions ? last : {};
        runPipeline(classes, streams, (error, value) => error ? reject(error) : resolve(value), {signal, end});
    })};
    const custom = Symbol.for('nodejs.util.promisify.custom');
    defineProperty(pipeline, custom, {get: () => promises.pipeline, enumerable: true});
    const eos = defineProperty((...values) => apply(finished, undefined, values), 'name', {value: 'eos', configurable: true});
    defineProperty(eos, custom, {get: () => promises.finished, enumerable: true});
    assign(Stream, {
        isDestroyed, isDisturbed, isErrored, isReadable, isWritable, Readable, Writable, Duplex, Transform, PassThrough, pipeline,
        addAbortSignal, finished: eos, destroy: endStream, compose: unavailable('stream.compose'),
        duplexPair: unavailable('stream.duplexPair'),
        setDefaultHighWaterMark: (objectMode, value) => {
            checkWhole(value, 'value', 0);
            highWaterMarks[objectMode ? 1 : 0] = value;
        },
        getDefaultHighWaterMark: objectMode => highWaterMarks[objectMode ? 1 : 0],
        promises, Stream, _isArrayBufferView: ArrayBuffer.isView, _isUint8Array: value => value instanceof Uint8Array, _uint8ArrayToBuffer: asBuffer,
    });
    return Stream;
};
const consumersModule = () => {
    const bytes = async stream => {
        const parts = [];
        for await (const chunk of stream) {
            push(parts, globalThis.Buffer.from(chunk));
        }
        return globalThis.Buffer.concat(parts);
    };
    const text = async stream => new globalThis.TextDecoder().decode(await bytes(stream));
    return {
        arrayBuffer: async stream => {
            const found = await bytes(stream);
            return found.buffer.slice(found.byteOffset, found.byteOffset + found.byteLength);
        },
        blob: unavailable('stream/consumers.blob'), buffer: bytes, text, json: async stream => parse(await text(stream)),
    };
};
