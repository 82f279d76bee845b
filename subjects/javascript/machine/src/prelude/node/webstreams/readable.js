// Readable web streams.
/** The shared state of a readable stream and its controller. */
class ReadableCore {
    state = 'readable';
    error = undefined;
    /** The reader to which the stream is locked: `{core, asked, closed}`. */
    reader = null;
    isDisturbed = false;
    queue = new Queue();
    #isStarted = false;
    #isPulling = false;
    #pullsAgain = false;
    #isClosing = false;
    constructor({mark = 1, size = one, pull = asyncNothing, cancel = asyncNothing}) {
        assign(this, {mark, size, pull, cancel});
    }
    start(result, controller) {
        this.controller = controller;
        afterStart(result, () => {
            this.#isStarted = true;
            this.pullIfNeeded();
        }, error => this.fail(error));
    }
    get takes() {
        return !this.#isClosing && this.state === 'readable';
    }
    get desired() {
        return this.state === 'errored' ? null : this.state === 'closed' ? 0 : this.mark - this.queue.total;
    }
    get #isAsked() {
        return this.reader !== null && this.reader.asked.length > 0;
    }
    get wantsMore() {
        return this.takes && this.#isStarted && (this.#isAsked || this.desired > 0);
    }
    pullIfNeeded() {
        if (!this.wantsMore) {
            return;
        }
        if (this.#isPulling) {
            this.#pullsAgain = true;
            return;
        }
        this.#isPulling = true;
        then(this.pull(this.controller), () => {
            this.#isPulling = false;
            if (this.#pullsAgain) {
                this.#pullsAgain = false;
                this.pullIfNeeded();
            }
        }, error => this.fail(error));
    }
    /** Adds a value, if the stream accepts values. */
    give(value) {
        if (!this.takes) {
            return;
        }
        if (this.#isAsked) {
            this.reader.asked.shift().take(value);
        } else {
            try {
                this.queue.add(value, apply(this.size, undefined, [value]));
            } catch (error) {
                this.fail(error);
                throw error;
            }
        }
        this.pullIfNeeded();
    }
    /** Closes the stream after the values in the queue. */
    finish() {
        if (this.takes) {
            this.#isClosing = true;
            if (this.queue.isEmpty) {
                this.#forget();
                this.#close();
            }
        }
    }
    fail(error) {
        if (this.state === 'readable') {
            this.queue.clear();
            this.#forget();
            this.state = 'errored';
            this.error = error;
            if (this.reader !== null) {
                handled(this.reader.closed.promise);
                this.reader.closed.reject(error);
                this.reader.asked.splice(0).forEach(request => request.fail(error));
            }
        }
    }
    cancelFor(reason) {
        this.isDisturbed = true;
        if (this.state === 'closed') {
            return settledWith(undefined);
        }
        if (this.state === 'errored') {
            return rejectedWith(this.error);
        }
        this.#close();
        this.queue.clear();
        const result = this.cancel(reason);
        this.#forget();
        return then(result, nothing);
    }
    /** Reads one value for a request `{take, close, fail}`. */
    read(request) {
        this.isDisturbed = true;
        if (this.state === 'closed') {
            request.close();
        } else if (this.state === 'errored') {
            request.fail(this.error);
        } else if (this.queue.isEmpty) {
            push(this.reader.asked, request);
            this.pullIfNeeded();
        } else {
            const value = this.queue.take();
            if (this.#isClosing && this.queue.isEmpty) {
                this.#forget();
                this.#close();
            } else {
                this.pullIfNeeded();
            }
            request.take(value);
        }
    }
    /** Locks the stream and returns the reader. */
    lock() {
        if (this.reader !== null) {
            throw invalidState('ReadableStream is locked');
        }
        const closed = this.state === 'readable' ? new Later() : this.state === 'closed' ? Later.resolved() : Later.rejected(this.error);
        return this.reader = {core: this, asked: [], closed};
    }
    #close() {
        this.state = 'closed';
        if (this.reader !== null) {
            this.reader.closed.resolve(undefined);
            this.reader.asked.splice(0).forEach(request => request.close());
        }
    }
    #forget() {
        assign(this, {pull: undefined, cancel: undefined, size: undefined});
    }
}
/** Unlocks the stream of a reader. */
const releaseReader = reader => {
    reader.closed.breakWith(invalidState('Reader released'));
    reader.core.reader = null;
    reader.core = null;
};
const notAttached = () => invalidState('The reader is not attached to a stream');
const readableCores = new WeakMap();
const readableCore = value => value instanceof Object ? weakGet(readableCores, value) : undefined;
/** A stream whose source consists of functions of the prelude. */
const readableOf = parts => {
    const stream = create(ReadableStream.prototype);
    const core = new ReadableCore(parts);
    weakSet(readableCores, stream, core);
    core.start(parts.start?.(), undefined);
    return stream;
};
class ReadableStreamDefaultController {
    #core;
    constructor(key, core) {
        checkKey(key);
        this.#core = core;
    }
    get desiredSize() {
        return this.#core.desired;
    }
    close() {
        if (!this.#core.takes) {
            throw invalidState('Controller is already closed');
        }
        this.#core.finish();
    }
    enqueue(chunk = undefined) {
        if (!this.#core.takes) {
            throw invalidState('Controller is already closed');
        }
        this.#core.give(chunk);
    }
    error(error = undefined) {
        this.#core.fail(error);
    }
}
class ReadableStreamDefaultReader {
    #reader;
    constructor(stream) {
        const core = readableCore(stream);
        if (core === undefined) {
            throw wrongType('stream', 'an instance of ReadableStream', stream);
        }
        this.#reader = core.lock();
    }
    static #isOne(value) {
        return value instanceof Object && #reader in value;
    }
    static #refusal() {
        return rejectedWith(invalidThis('ReadableStreamDefaultReader'));
    }
    read() {
        if (!ReadableStreamDefaultReader.#isOne(this)) {
            return ReadableStreamDefaultReader.#refusal();
        }
        const {core} = this.#reader;
        if (core === null) {
            return rejectedWith(notAttached());
        }
        return new Promise((resolve, reject) => core.read({
            take: value => resolve({value, done: false}), close: () => resolve({value: undefined, done: true}), fail: reject}));
    }
    releaseLock() {
        if (!ReadableStreamDefaultReader.#isOne(this)) {
            throw invalidThis('ReadableStreamDefaultReader');
        }
        if (this.#reader.core !== null) {
            releaseReader(this.#reader);
            this.#reader.asked.splice(0).forEach(request => request.fail(invalidState('Releasing reader')));
        }
    }
    get closed() {
        return ReadableStreamDefaultReader.#isOne(this) ? this.#reader.closed.promise : ReadableStreamDefaultReader.#refusal();
    }
    cancel(reason = undefined) {
        if (!ReadableStreamDefaultReader.#isOne(this)) {
            return ReadableStreamDefaultReader.#refusal();
        }
        return this.#reader.core === null ? rejectedWith(notAttached()) : this.#reader.core.cancelFor(reason);
    }
}
/** The iterator of a stream. Each result waits for the previous result. */
const iterateReadable = (core, keepsOpen) => {
    const reader = core.lock();
    let [isDone, isStarted, current] = [false, false, undefined];
    const notBound = () => invalidState('The reader is not bound to a ReadableStream');
    const next = () => {
        if (isDone) {
            return settledWith({done: true, value: undefined});
        }
        if (reader.core === null) {
            return rejectedWith(notBound());
        }
        const finish = f => value => {
            current = undefined;
            isDone = true;
            releaseReader(reader);
            f(value);
        };
        return new Promise((resolve, reject) => reader.core.read({
            take(value) {
                current = undefined;
                resolve({value, done: false});
            },
            close: finish(() => resolve({done: true, value: undefined})), fail: finish(reject)}));
    };
    const end = async value => {
        if (!isDone) {
            isDone = true;
            if (reader.core === null) {
                throw notBound();
            }
            const cancelled = keepsOpen ? undefined : reader.core.cancelFor(value);
            releaseReader(reader);
            if (!keepsOpen) {
                await cancelled;
            }
        }
        return {done: true, value};
    };
    const after = f => current === undefined ? f() : then(current, f, f);
    const iterator = {
        next() {
            if (!isStarted) {
                current = settledWith(undefined);
                isStarted = true;
            }
            return current = after(next);
        },
        return(value) {
            isStarted = true;
            return current = after(() => end(value));
        },
        [Symbol.asyncIterator]() {
            return this;
        },
    };
    return Object.setPrototypeOf(iterator, AsyncIteratorPrototype);
};
