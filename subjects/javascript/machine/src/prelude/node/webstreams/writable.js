// Writable web streams.
const CLOSE = Symbol('close');
/** The shared state of a writable stream and its controller. */
class WritableCore {
    state = 'writable';
    error = undefined;
    /** The writer to which the stream is locked: `{core, ready, closed}`. */
    writer = null;
    queue = new Queue();
    /** Writes that wait. */
    #waiting = [];
    /** The write in progress. */
    #writing = null;
    /** The requested close, and the close in progress. */
    #asked = null;
    #closing = null;
    /** The waiting abort: `{later, reason, wasErroring}`. */
    #aborting = null;
    #isFull = false;
    #isStarted = false;
    #signals = new globalThis.AbortController();
    constructor({mark = 1, size = one, write = asyncNothing, close = asyncNothing, abort = asyncNothing}) {
        assign(this, {mark, size, write, close, abort});
        this.#isFull = this.desired <= 0;
    }
    start(result, controller) {
        this.controller = controller;
        afterStart(result, () => {
            this.#isStarted = true;
            this.#advance();
        }, error => {
            this.#isStarted = true;
            this.#reject(error);
        });
    }
    get signal() {
        return this.#signals.signal;
    }
    get desired() {
        return this.mark - this.queue.total;
    }
    get endsSoon() {
        return this.#asked !== null || this.#closing !== null;
    }
    lock() {
        if (this.writer !== null) {
            throw invalidState('WritableStream is locked');
        }
        const isOpen = this.state === 'writable';
        const closed = isOpen || this.state === 'erroring' ? new Later() : this.state === 'closed' ? Later.resolved() : Later.rejected(this.error);
        const waits = isOpen && !this.endsSoon && this.#isFull;
        const ready = waits ? new Later() : isOpen || this.state === 'closed' ? Later.resolved() : Later.rejected(this.error);
        return this.writer = {core: this, ready, closed};
    }
    abortFor(reason) {
        if (this.state === 'closed' || this.state === 'errored') {
            return settledWith(undefined);
        }
        const {state} = this;
        this.#signals.abort(reason);
        if (this.#aborting === null) {
            const wasErroring = state === 'erroring';
            this.#aborting = {later: new Later(), reason: wasErroring ? undefined : reason, wasErroring};
            const {promise} = this.#aborting.later;
            if (!wasErroring) {
                this.#startErroring(reason);
            }
            return promise;
        }
        return this.#aborting.later.promise;
    }
    finish() {
        if (this.state === 'closed' || this.state === 'errored') {
            return rejectedWith(invalidState('WritableStream is closed'));
        }
        this.#asked = new Later();
        const {promise} = this.#asked;
        if (this.writer !== null && this.#isFull && this.state === 'writable') {
            this.writer.ready.resolve(undefined);
        }
        this.queue.add(CLOSE, 0);
        this.#advance();
        return promise;
    }
    /** Writes a value for the current writer. */
    put(value) {
        const {writer} = this;
        const size = this.#sizeOf(value);
        if (writer.core !== this) {
            return rejectedWith(invalidState('Mismatched WritableStreams'));
        }
        if (this.state === 'errored') {
            return rejectedWith(this.error);
        }
        if (this.endsSoon || this.state === 'closed') {
            return rejectedWith(invalidState('WritableStream is closed'));
        }
        if (this.state === 'erroring') {
            return rejectedWith(this.error);
        }
        const later = new Later();
        push(this.#waiting, later);
        try {
            this.queue.add(value, size);
            this.#updateFull();
            this.#advance();
        } catch (error) {
            this.fail(error);
        }
        return later.promise;
    }
    /** Starts to fail with an error, if the stream is writable. */
    fail(error) {
        if (this.state === 'writable') {
            this.#forget();
            this.#startErroring(error);
        }
    }
    #sizeOf(value) {
        if (this.size === undefined) {
            if (this.state === 'closed') {
                // Node.js 20 fails here with an internal error, which other versions do not have.
                unavailable('WritableStreamDefaultWriter.write').call();
            }
            return 1;
        }
        try {
            return apply(this.size, undefined, [value]);
        } catch (error) {
            this.fail(error);
            return 1;
        }
    }
    #updateFull() {
        if (this.endsSoon || this.state !== 'writable') {
            return;
        }
        const isFull = this.desired <= 0;
        if (this.writer !== null && isFull !== this.#isFull) {
            if (isFull) {
                this.writer.ready = new Later();
            } else {
                this.writer.ready.resolve(undefined);
            }
        }
        this.#isFull = isFull;
    }
    #advance() {
        if (!this.#isStarted || this.#writing !== null) {
            return;
        }
        if (this.state === 'erroring') {
            this.#finishErroring();
        } else if (!this.queue.isEmpty) {
            if (this.queue.first === CLOSE) {
                this.#closeSink();
            } else {
                this.#writeToSink(this.queue.first);
            }
        }
    }
    #writeToSink(value) {
        this.#writing = this.#waiting.shift();
        then(this.write(value, this.controller), () => {
            this.#writing.resolve(undefined);
            this.#writing = null;
            this.queue.take();
            this.#updateFull();
            this.#advance();
        }, error => {
            if (this.state === 'writable') {
                this.#forget();
            }
            this.#writing.reject(error);
            this.#writing = null;
            this.#reject(error);
        });
    }
    #closeSink() {
        [this.#closing, this.#asked] = [this.#asked, null];
        this.queue.take();
        const result = this.close();
        this.#forget();
        then(result, () => {
            this.#closing.resolve(undefined);
            this.#closing = null;
            if (this.state === 'erroring') {
                this.error = undefined;
                this.#aborting?.later.resolve(undefined);
                this.#aborting = null;
            }
            this.state = 'closed';
            this.writer?.closed.resolve(undefined);
        }, error => {
            this.#closing.reject(error);
            this.#closing = null;
            this.#aborting?.later.reject(error);
            this.#aborting = null;
            this.#reject(error);
        });
    }
    /** Handles an error of the sink. */
    #reject(error) {
        if (this.state === 'writable') {
            this.#startErroring(error);
        } else {
            this.#finishErroring();
        }
    }
    #startErroring(error) {
        this.state = 'erroring';
        this.error = error;
        this.writer?.ready.breakWith(error);
        if (this.#writing === null && this.#closing === null && this.#isStarted) {
            this.#finishErroring();
        }
    }
    #finishErroring() {
        this.state = 'errored';
        this.queue.clear();
        this.#waiting.splice(0).forEach(each => each.reject(this.error));
        const aborting = this.#aborting;
        this.#aborting = null;
        if (aborting === null) {
            this.#rejectClosed();
        } else if (aborting.wasErroring) {
            aborting.later.reject(this.error);
            this.#rejectClosed();
        } else {
            const result = this.abort(aborting.reason);
            this.#forget();
            then(result, () => {
                aborting.later.resolve(undefined);
                this.#rejectClosed();
            }, error => {
                aborting.later.reject(error);
                this.#rejectClosed();
            });
        }
    }
    #rejectClosed() {
        this.#asked?.reject(this.error);
        this.#asked = null;
        if (this.writer !== null) {
            this.writer.closed.reject(this.error);
            handled(this.writer.closed.promise);
        }
    }
    #forget() {
        assign(this, {write: undefined, close: undefined, abort: asyncNothing, size: undefined});
    }
}
const releaseWriter = writer => {
    const error = invalidState('Writer has been released');
    writer.ready.breakWith(error);
    writer.closed.breakWith(error);
    writer.core.writer = null;
    writer.core = null;
};
const writableCores = new WeakMap();
const writableCore = value => value instanceof Object ? weakGet(writableCores, value) : undefined;
class WritableStreamDefaultController {
    #core;
    constructor(key, core) {
        checkKey(key);
        this.#core = core;
    }
    get signal() {
        if (!(#core in this)) {
            throw invalidThis('WritableStreamDefaultController');
        }
        return this.#core.signal;
    }
    error(error = undefined) {
        if (!(#core in this)) {
            throw invalidThis('WritableStreamDefaultController');
        }
        this.#core.fail(error);
    }
}
class WritableStream {
    constructor(sink = {}, strategy = {}) {
        checkOptions(sink, 'sink', false);
        checkOptions(strategy, 'strategy');
        const {type} = sink;
        if (type !== undefined) {
            throw wrongRange('type', type);
        }
        const size = sizeOf(strategy?.size);
        const mark = markOf(strategy?.highWaterMark, 1);
        const {start, write, close, abort} = sink;
        const core = new WritableCore({mark, size, write: promising(write, 'sink.write', sink), close: promising(close, 'sink.close', sink),
            abort: promising(abort, 'sink.abort', sink)});
        weakSet(writableCores, this, core);
        const controller = new WritableStreamDefaultController(KEY, core);
        core.start(started(start, sink, controller), controller);
    }
    get locked() {
        const core = writableCore(this);
        if (core === undefined) {
            throw invalidThis('WritableStream');
        }
        return core.writer !== null;
    }
    abort(reason = undefined) {
        const core = writableCore(this);
        if (core === undefined) {
            return rejectedWith(invalidThis('WritableStream'));
        }
        return core.writer === null ? core.abortFor(reason) : rejectedWith(invalidState('WritableStream is locked'));
    }
    close() {
        const core = writableCore(this);
        if (core === undefined) {
            return rejectedWith(invalidThis('WritableStream'));
        }
        if (core.writer !== null) {
            return rejectedWith(invalidState('WritableStream is locked'));
        }
        return core.endsSoon ? rejectedWith(invalidState('Failure closing WritableStream')) : core.finish();
    }
    getWriter() {
        if (writableCore(this) === undefined) {
            throw invalidThis('WritableStream');
        }
        return new WritableStreamDefaultWriter(this);
    }
}
class WritableStreamDefaultWriter {
    #writer;
    constructor(stream) {
        const core = writableCore(stream);
        if (core === undefined) {
            throw wrongType('stream', 'an instance of WritableStream', stream);
        }
        this.#writer = core.lock();
    }
    /** Calls a function with the stream of a writer. */
    static #with(writer, f) {
        if (!(writer instanceof Object && #writer in writer)) {
            return rejectedWith(invalidThis('WritableStreamDefaultWriter'));
        }
        const {core} = writer.#writer;
        return core === null ? rejectedWith(invalidState('Writer is not bound to a WritableStream')) : f(core);
    }
    get closed() {
        return #writer in this ? this.#writer.closed.promise : rejectedWith(invalidThis('WritableStreamDefaultWriter'));
    }
    get desiredSize() {
        if (!(#writer in this)) {
            throw invalidThis('WritableStreamDefaultWriter');
        }
        const {core} = this.#writer;
        if (core === null) {
            throw invalidState('Writer is not bound to a WritableStream');
        }
        return core.state === 'errored' || core.state === 'erroring' ? null : core.state === 'closed' ? 0 : core.desired;
    }
    get ready() {
        return #writer in this ? this.#writer.ready.promise : rejectedWith(invalidThis('WritableStreamDefaultWriter'));
    }
    abort(reason = undefined) {
        return WritableStreamDefaultWriter.#with(this, core => core.abortFor(reason));
    }
    close() {
        return WritableStreamDefaultWriter.#with(this, core => core.endsSoon
            ? rejectedWith(invalidState('Failure to close WritableStream')) : core.finish());
    }
    releaseLock() {
        if (!(#writer in this)) {
            throw invalidThis('WritableStreamDefaultWriter');
        }
        if (this.#writer.core !== null) {
            releaseWriter(this.#writer);
        }
    }
    write(chunk = undefined) {
        return WritableStreamDefaultWriter.#with(this, core => core.put(chunk));
    }
}
