// Streams: transforms and pipelines.
const HELD = Symbol('kCallback');
const finalOfTransform = function final(done) {
    const ended = () => {
        this.push(null);
        done?.();
    };
    if (typeof this._flush !== 'function' || this.destroyed) {
        ended();
        return;
    }
    this._flush((error, data) => {
        if (error) {
            if (done) {
                done(error);
            } else {
                this.destroy(error);
            }
            return;
        }
        if (data !== undefined && data !== null) {
            this.push(data);
        }
        ended();
    });
};
const transformClass = Duplex => {
    function Transform(given) {
        if (!(this instanceof Transform)) {
            return new Transform(given);
        }
        let options = given;
        const most = options ? highWaterMark({objectMode: options.objectMode}, options, 'readableHighWaterMark', true) : null;
        if (most === 0) {
            options = {...options, highWaterMark: null, readableHighWaterMark: most, writableHighWaterMark: options.writableHighWaterMark || 0};
        }
        apply(Duplex, this, [options]);
        this._readableState.sync = false;
        this[HELD] = null;
        takeOptions(this, {transform: options?.transform, flush: options?.flush}, ['transform', 'flush']);
        this.on('prefinish', prefinish);
    }
    inheritFrom(Transform, Duplex);
    const prefinish = function () {
        if (this._final !== finalOfTransform) {
            apply(finalOfTransform, this, []);
        }
    };
    assign(Transform.prototype, {
        _final: finalOfTransform,
        _transform() {
            throw streamError('ERR_METHOD_NOT_IMPLEMENTED', '_transform()');
        },
        _write(chunk, encoding, done) {
            const [reading, writing] = [this._readableState, this._writableState];
            const before = reading.length;
            this._transform(chunk, encoding, (error, value) => {
                if (error) {
                    done(error);
                    return;
                }
                if (value !== undefined && value !== null) {
                    this.push(value);
                }
                if (reading.ended) {
                    tick(done);
                } else if (writing.ended || before === reading.length || reading.length < reading.highWaterMark) {
                    done();
                } else {
                    this[HELD] = done;
                }
            });
        },
        _read() {
            const done = this[HELD];
            if (done) {
                this[HELD] = null;
                done();
            }
        },
    });
    return Transform;
};
const passThroughClass = Transform => {
    function PassThrough(options) {
        if (!(this instanceof PassThrough)) {
            return new PassThrough(options);
        }
        apply(Transform, this, [options]);
    }
    inheritFrom(PassThrough, Transform);
    PassThrough.prototype._transform = function (chunk, encoding, done) {
        done(null, chunk);
    };
    return PassThrough;
};
/** `destroy` ends a stream of a pipeline, and `cleanup` stops observing the stream. */
const destroyerOf = (stream, readable, writable) => {
    let hasEnded = false;
    stream.on('close', () => hasEnded = true);
    const cleanup = finished(stream, {readable, writable}, error => hasEnded = !error);
    return {cleanup, destroy: error => {
        if (!hasEnded) {
            hasEnded = true;
            endStream(stream, error || streamError('ERR_STREAM_DESTROYED', 'pipe'));
        }
    }};
};
const pump = async (iterable, writable, finish, isEnding) => {
    let error;
    let waiting = null;
    const resume = failure => {
        error = failure || error;
        const callback = waiting;
        waiting = null;
        callback?.();
    };
    const wait = () => new Promise((resolve, reject) => {
        if (error) {
            reject(error);
        } else {
            waiting = () => error ? reject(error) : resolve();
        }
    });
    writable.on('drain', resume);
    const cleanup = finished(writable, {readable: false}, resume);
    try {
        if (writable.writableNeedDrain) {
            await wait();
        }
        for await (const chunk of iterable) {
            if (!writable.write(chunk)) {
                await wait();
            }
        }
        if (isEnding) {
            writable.end();
            await wait();
        }
        finish();
    } catch (failure) {
        finish(error !== failure ? bothErrors(error, failure) : failure);
    } finally {
        cleanup();
        writable.off('drain', resume);
    }
};
const pipeTo = (source, target, finish, isEnding) => {
    let hasEnded = false;
    target.on('close', () => {
        if (!hasEnded) {
            finish(streamError('ERR_STREAM_PREMATURE_CLOSE'));
        }
    });
    source.pipe(target, {end: false});
    if (isEnding) {
        const end = () => {
            hasEnded = true;
            target.end();
        };
        if (isReadableFinished(source)) {
            tick(end);
        } else {
            source.once('end', end);
        }
    } else {
        finish();
    }
    finished(source, {readable: true, writable: false}, error => {
        const state = source._readableState;
        if (error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && state && state.ended && !state.errored && !state.errorEmitted) {
            source.once('end', finish).once('error', finish);
        } else {
            finish(error);
        }
    });
    return finished(target, {readable: false, writable: true}, finish);
};
const runPipeline = ({Readable, PassThrough}, given, callback, options) => {
    const streams = given.length === 1 && isArray(given[0]) ? given[0] : given;
    if (streams.length < 2) {
        throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
    }
    checkSignal(options?.signal, 'options.signal');
    const {AbortController} = globalThis;
    const controller = new AbortController();
    const {signal} = controller;
    const lastCleanups = [];
    const destroys = [];
    let [error, value] = [undefined, undefined];
    let count = 0;
    const finishAll = (failure, isFinal) => {
        if (failure && (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE')) {
            error = failure;
        }
        if (!error && !isFinal) {
            return;
        }
        while (destroys.length > 0) {
            destroys.shift()(error);
        }
        forget();
        controller.abort();
        if (isFinal) {
            if (!error) {
                lastCleanups.forEach(cleanup => cleanup());
            }
            tick(callback, error, value);
        }
    };
    const finish = failure => finishAll(failure, --count === 0);
    const abort = () => finishAll(new AbortError(undefined, {cause: options?.signal?.reason}));
    const forget = options?.signal ? whenAborted(options.signal, abort) : nothing;
    const iterableOf = stream => {
        if (!isIterable(stream) && !isReadableNode(stream)) {
            throw wrongType('val', 'an instance of Readable, Iterable, or AsyncIterable', stream);
        }
        return isIterable(stream) ? stream : apply(Readable.prototype[Symbol.asyncIterator], stream, []);
    };
    /** The stream for the results of the last function of a pipeline. */
    const endingIn = (made, isEnding, isLast) => {
        const through = new PassThrough({objectMode: true});
        const follow = made?.then;
        count++;
        if (typeof follow === 'function') {
            apply(follow, made, [result => {
                value = result;
                if (result !== undefined && result !== null) {
                    through.write(result);
                }
                if (isEnding) {
                    through.end();
                }
                tick(finish);
            }, failure => {
                through.destroy(failure);
                tick(finish, failure);
            }]);
        } else if (isIterable(made, true)) {
            pump(made, through, finish, isEnding);
        } else {
            throw wrongResult('AsyncIterable or Promise', 'destination', made);
        }
        const {destroy, cleanup} = destroyerOf(through, false, true);
        push(destroys, destroy);
        if (isLast) {
            push(lastCleanups, cleanup);
        }
        return through;
    };
    let result;
    streams.forEach((stream, i) => {
        const [isReading, isLast] = [i < streams.length - 1, i === streams.length - 1];
        const isEnding = isReading || options?.end !== false;
        if (isNode(stream)) {
            const isOpen = isReadable(stream) && isLast;
            if (isEnding) {
                const {destroy, cleanup} = destroyerOf(stream, isReading, i > 0);
                push(destroys, destroy);
                if (isOpen) {
                    push(lastCleanups, cleanup);
                }
            }
            const onerror = failure => {
                if (failure && failure.name !== 'AbortError' && failure.code !== 'ERR_STREAM_PREMATURE_CLOSE') {
                    finish(failure);
                }
            };
            stream.on('error', onerror);
            if (isOpen) {
                push(lastCleanups, () => stream.removeListener('error', onerror));
            }
        }
        if (i === 0) {
            result = typeof stream === 'function' ? stream({signal}) : stream;
            if (typeof stream === 'function' && !isIterable(result)) {
                throw wrongResult('Iterable, AsyncIterable or Stream', 'source', result);
            }
            if (!isIterable(result) && !isReadableNode(result)) {
                unavailable('stream.Duplex.from').call();
            }
        } else if (typeof stream === 'function') {
            result = stream(iterableOf(result), {signal});
            if (!isReading) {
                result = endingIn(result, isEnding, isLast);
            } else if (!isIterable(result, true)) {
                throw wrongResult('AsyncIterable', 'transform[' + (i - 1) + ']', result);
            }
        } else if (isNode(stream)) {
            if (isReadableNode(result)) {
                count += 2;
                const cleanup = pipeTo(result, stream, finish, isEnding);
                if (isReadable(stream) && isLast) {
                    push(lastCleanups, cleanup);
                }
            } else if (isIterable(result)) {
                count++;
                pump(result, stream, finish, isEnding);
            } else {
                throw wrongType('val', 'an instance of Readable, Iterable, AsyncIterable, ReadableStream, or TransformStream', result);
            }
            result = stream;
        } else {
            unavailable('stream.Duplex.from').call();
        }
    });
    if (options?.signal?.aborted) {
        tick(abort);
    }
    return result;
};
