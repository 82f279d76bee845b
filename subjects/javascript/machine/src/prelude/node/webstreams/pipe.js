// Piping and copying of web streams, web streams from iterables, and the class `ReadableStream`.
/** Writes the values of a readable stream to a writable stream until one of the streams ends or `signal` aborts. Then ends the other
    stream, unless it must stay open. */
const pipeStreams = (source, destination, {keepsOpen, keepsWritable, keepsReadable}, signal) => {
    const [reader, writer] = [source.lock(), destination.lock()];
    source.isDisturbed = true;
    const result = new Later();
    let [isEnding, written, forget] = [false, settledWith(undefined), nothing];
    const finalize = (isFailure, error) => {
        releaseWriter(writer);
        releaseReader(reader);
        forget();
        if (isFailure) {
            result.reject(error);
        } else {
            result.resolve(undefined);
        }
    };
    const afterWrites = async () => {
        const last = written;
        await last;
        if (last !== written) {
            await afterWrites();
        }
    };
    const end = (action, isFailure = false, error = undefined) => {
        if (isEnding) {
            return;
        }
        isEnding = true;
        const failed = other => finalize(true, other);
        const act = () => action === null ? finalize(isFailure, error) : then(action(), () => finalize(isFailure, error), failed);
        if (destination.state === 'writable' && !destination.endsSoon) {
            then(afterWrites(), act, failed);
        } else {
            act();
        }
    };
    const abort = () => {
        const error = signal.reason;
        const actions = [];
        if (!keepsWritable) {
            push(actions, () => destination.state === 'writable' ? destination.abortFor(error) : settledWith(undefined));
        }
        if (!keepsReadable) {
            push(actions, () => source.state === 'readable' ? source.cancelFor(error) : settledWith(undefined));
        }
        end(() => Promise.all(actions.map(action => action())), true, error);
    };
    const step = async () => {
        if (isEnding) {
            return true;
        }
        await writer.ready.promise;
        return new Promise((resolve, reject) => source.read({
            take(value) {
                written = handled(destination.put(value));
                resolve(false);
            },
            close: () => resolve(true), fail: reject}));
    };
    const run = async () => {
        while (!await step()) {
            // The condition does the work.
        }
    };
    if (signal !== undefined) {
        if (signal.aborted) {
            abort();
            return result.promise;
        }
        forget = whenAborted(signal, abort);
    }
    handled(run());
    const whenFailed = (core, closed, f) => core.state === 'errored' ? f(core.error) : then(closed.promise, undefined, f);
    whenFailed(source, reader.closed, error => end(keepsWritable ? null : () => destination.abortFor(error), true, error));
    whenFailed(destination, writer.closed, error => end(keepsReadable ? null : () => source.cancelFor(error), true, error));
    const closeDestination = () => {
        if (destination.endsSoon || destination.state === 'closed') {
            return settledWith(undefined);
        }
        return destination.state === 'errored' ? rejectedWith(destination.error) : destination.finish();
    };
    const ended = () => end(keepsOpen ? null : closeDestination);
    if (source.state === 'closed') {
        ended();
    } else {
        then(reader.closed.promise, ended, nothing);
    }
    if (destination.endsSoon || destination.state === 'closed') {
        const error = invalidState('Destination WritableStream is closed');
        end(keepsReadable ? null : () => source.cancelFor(error), true, error);
    }
    return result.promise;
};
/** Returns two streams with the values of one stream. */
const teeReadable = source => {
    const reader = source.lock();
    const cancelled = new Later();
    let isReading = false;
    const branches = [];
    const pull = async () => {
        if (isReading) {
            return;
        }
        isReading = true;
        const open = () => branches.filter(branch => !branch.isCancelled);
        source.read({
            take: value => globalThis.queueMicrotask(() => {
                isReading = false;
                open().forEach(branch => branch.core.give(value));
            }),
            close: () => tick(() => {
                isReading = false;
                open().forEach(branch => branch.core.finish());
                if (open().length > 0) {
                    cancelled.resolve(undefined);
                }
            }),
            fail() {
                isReading = false;
            }});
    };
    for (const index of [0, 1]) {
        const branch = {isCancelled: false, reason: undefined};
        push(branches, branch);
        branch.stream = readableOf({pull, cancel(reason) {
            assign(branch, {isCancelled: true, reason});
            if (branches[1 - index].isCancelled) {
                cancelled.resolve(source.cancelFor(branches.map(each => each.reason)));
            }
            return cancelled.promise;
        }});
        branch.core = readableCore(branch.stream);
    }
    then(reader.closed.promise, undefined, error => {
        branches.forEach(branch => branch.core.fail(error));
        if (branches.some(branch => !branch.isCancelled)) {
            cancelled.resolve(undefined);
        }
    });
    return branches.map(branch => branch.stream);
};
const readableFrom = iterable => {
    const method = iterable[Symbol.asyncIterator] ?? undefined;
    const inner = method === undefined ? iterable[Symbol.iterator] : undefined;
    const notIterable = () => coded(TypeError, 'ERR_ARG_NOT_ITERABLE', inspect(iterable) + ' must be iterable');
    if (method === undefined && inner === undefined) {
        throw notIterable();
    }
    const made = apply(method ?? inner, iterable, []);
    if (typeof made !== 'object' || made === null) {
        throw invalidState('The iterator method must return an object');
    }
    const iterator = method === undefined ? (async function* () {
        return yield* {[Symbol.iterator]: () => made};
    })() : made;
    const {next} = iterator;
    const checked = (value, name) => {
        if (typeof value !== 'object' || value === null) {
            throw invalidState('The promise returned by the iterator.' + name + '() method must fulfill with an object');
        }
        return value;
    };
    let core;
    const stream = readableOf({mark: 0, async pull() {
        const result = apply(next, iterator, []);
        if (typeof result !== 'object' || result === null) {
            throw invalidState('The iterator.next() method must return an object');
        }
        return then(Promise.resolve(result), found => {
            const {done} = checked(found, 'next');
            if (done) {
                core.finish();
            } else {
                core.give(found.value);
            }
        });
    }, async cancel(reason) {
        const end = iterator.return;
        return end === undefined ? undefined : then(Promise.resolve(apply(end, iterator, [reason])), found => {
            checked(found, 'return');
        });
    }});
    core = readableCore(stream);
    return stream;
};
const pipingOf = options => {
    checkOptions(options, 'options');
    const {preventAbort, preventCancel, preventClose, signal} = options ?? {};
    checkSignal(signal, 'options.signal');
    return [{keepsWritable: Boolean(preventAbort), keepsReadable: Boolean(preventCancel), keepsOpen: Boolean(preventClose)}, signal];
};
const checkUnlocked = (source, destination) => {
    if (source.reader !== null) {
        throw invalidState('The ReadableStream is locked');
    }
    if (destination.writer !== null) {
        throw invalidState('The WritableStream is locked');
    }
};
class ReadableStream {
    constructor(source = {}, strategy = {}) {
        checkOptions(source, 'source', false);
        checkOptions(strategy, 'strategy');
        const [size, mark, type] = [strategy?.size, strategy?.highWaterMark, source.type];
        if (type !== undefined) {
            if (String(type) === 'bytes') {
                unavailable('ReadableStream of bytes').call();
            }
            throw wrongValue('source.type', type);
        }
        const [most, sizing] = [markOf(mark, 1), sizeOf(size)];
        const {start, pull, cancel} = source;
        const core = new ReadableCore({mark: most, size: sizing, pull: promising(pull, 'source.pull', source),
            cancel: promising(cancel, 'source.cancel', source)});
        weakSet(readableCores, this, core);
        const controller = new ReadableStreamDefaultController(KEY, core);
        core.start(started(start, source, controller), controller);
    }
    static from(iterable) {
        return readableFrom(iterable);
    }
    static #of(stream) {
        const core = readableCore(stream);
        if (core === undefined) {
            throw invalidThis('ReadableStream');
        }
        return core;
    }
    get locked() {
        return ReadableStream.#of(this).reader !== null;
    }
    cancel(reason = undefined) {
        const core = readableCore(this);
        if (core === undefined) {
            return rejectedWith(invalidThis('ReadableStream'));
        }
        return core.reader === null ? core.cancelFor(reason) : rejectedWith(invalidState('ReadableStream is locked'));
    }
    getReader(options = {}) {
        const core = ReadableStream.#of(this);
        checkOptions(options, 'options');
        const mode = options?.mode;
        if (mode === undefined) {
            return new ReadableStreamDefaultReader(this);
        }
        if (String(mode) !== 'byob') {
            throw wrongValue('options.mode', mode);
        }
        if (core.reader !== null) {
            throw invalidState('ReadableStream is locked');
        }
        throw wrongValue('stream', this, 'must be a byte stream');
    }
    pipeThrough(transform, options = {}) {
        const source = ReadableStream.#of(this);
        const readable = transform?.readable;
        if (readableCore(readable) === undefined) {
            throw wrongType('transform.readable', 'an instance of ReadableStream', readable);
        }
        const writable = transform?.writable;
        const destination = writableCore(writable);
        if (destination === undefined) {
            throw wrongType('transform.writable', 'an instance of WritableStream', writable);
        }
        const [kept, signal] = pipingOf(options);
        checkUnlocked(source, destination);
        handled(pipeStreams(source, destination, kept, signal));
        return readable;
    }
    pipeTo(destination, options = {}) {
        try {
            const source = ReadableStream.#of(this);
            const core = writableCore(destination);
            if (core === undefined) {
                throw wrongType('transform.writable', 'an instance of WritableStream', destination);
            }
            const [kept, signal] = pipingOf(options);
            checkUnlocked(source, core);
            return pipeStreams(source, core, kept, signal);
        } catch (error) {
            return rejectedWith(error);
        }
    }
    tee() {
        return teeReadable(ReadableStream.#of(this));
    }
    values(options = {}) {
        const core = ReadableStream.#of(this);
        checkOptions(options, 'options');
        return iterateReadable(core, Boolean(options?.preventCancel));
    }
}
