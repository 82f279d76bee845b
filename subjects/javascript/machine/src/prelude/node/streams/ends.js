// The ends of streams. `errorOrDestroy` and the other functions work on readable and writable streams.
const BUILT = Symbol('kConstruct');
const ENDING = Symbol('kDestroy');
const statesOf = stream => [stream._writableState, stream._readableState].filter(Boolean);
const keepError = (error, states) => {
    if (error) {
        for (const state of states) {
            if (!state.errored) {
                state.errored = error;
            }
        }
    }
};
const emitError = (stream, error) => {
    const states = statesOf(stream);
    if (states.some(state => state.errorEmitted)) {
        return;
    }
    states.forEach(state => state.errorEmitted = true);
    stream.emit('error', error);
};
const emitClose = stream => {
    const states = statesOf(stream);
    states.forEach(state => state.closeEmitted = true);
    if (states.some(state => state.emitClose)) {
        stream.emit('close');
    }
};
const emitErrorAndClose = (stream, error) => {
    emitError(stream, error);
    emitClose(stream);
};
const startDestroying = (stream, error, done) => {
    const destroyed = onlyOnce(failure => {
        const states = statesOf(stream);
        keepError(failure, states);
        states.forEach(state => state.closed = true);
        if (typeof done === 'function') {
            done(failure);
        }
        if (failure) {
            tick(emitErrorAndClose, stream, failure);
        } else {
            tick(emitClose, stream);
        }
    });
    try {
        stream._destroy(error || null, destroyed);
    } catch (failure) {
        destroyed(failure);
    }
};
const destroyMethod = function destroy(error, done) {
    const states = statesOf(this);
    if (states.some(state => state.destroyed)) {
        if (typeof done === 'function') {
            done();
        }
        return this;
    }
    keepError(error, states);
    states.forEach(state => state.destroyed = true);
    if (!states[0].constructed) {
        this.once(ENDING, failure => startDestroying(this, bothErrors(failure, error), done));
    } else {
        startDestroying(this, error, done);
    }
    return this;
};
const undestroyMethod = function undestroy() {
    const [reading, writing] = [this._readableState, this._writableState];
    if (reading) {
        const isOff = reading.readable === false;
        assign(reading, {constructed: true, closed: false, closeEmitted: false, destroyed: false, errored: null, errorEmitted: false,
            reading: false, ended: isOff, endEmitted: isOff});
    }
    if (writing) {
        const isOff = writing.writable === false;
        assign(writing, {constructed: true, destroyed: false, closed: false, closeEmitted: false, errored: null, errorEmitted: false,
            finalCalled: false, prefinished: false, ended: isOff, ending: isOff, finished: isOff});
    }
};
const errorOrDestroy = (stream, error, isSynchronous) => {
    const states = statesOf(stream);
    if (states.some(state => state.destroyed)) {
        return;
    }
    if (states.some(state => state.autoDestroy)) {
        stream.destroy(error);
    } else if (error) {
        keepError(error, states);
        if (isSynchronous) {
            tick(emitError, stream, error);
        } else {
            emitError(stream, error);
        }
    }
};
/** Calls `_construct` of a stream, if it has this method, and then `done` unless there was an error. */
const constructStream = (stream, done) => {
    if (typeof stream._construct !== 'function') {
        return;
    }
    statesOf(stream).forEach(state => state.constructed = false);
    stream.once(BUILT, done);
    if (stream.listenerCount(BUILT) > 1) {
        return;
    }
    tick(() => {
        let called = false;
        const constructed = error => {
            if (called) {
                errorOrDestroy(stream, error ?? streamError('ERR_MULTIPLE_CALLBACK'));
                return;
            }
            called = true;
            const states = statesOf(stream);
            states.forEach(state => state.constructed = true);
            if (states[0].destroyed) {
                stream.emit(ENDING, error);
            } else if (error) {
                errorOrDestroy(stream, error, true);
            } else {
                stream.emit(BUILT);
            }
        };
        try {
            stream._construct(error => tick(constructed, error));
        } catch (error) {
            tick(constructed, error);
        }
    });
};
/** Ends a stream of any kind, with an `AbortError` if the stream has not finished and there is no other error. */
const endStream = (stream, error) => {
    if (!stream || isDestroyed(stream)) {
        return;
    }
    const reason = !error && !isFinished(stream) ? new AbortError() : error;
    if (typeof stream.destroy === 'function') {
        stream.destroy(reason);
    } else if (typeof stream.close === 'function') {
        stream.close();
    } else {
        tick(() => {
            if (reason) {
                stream.emit('error', reason);
                tick(() => stream.emit('close'));
            } else {
                stream.emit('close');
            }
        });
    }
    if (!stream.destroyed) {
        stream[DESTROYED] = true;
    }
};
/** Calls a function when a stream has ended or failed. Returns a function that cancels the call. */
const finished = function (stream, options, callback) {
    const [settings, f] = arguments.length === 2 ? [{}, options] : [options ?? {}, callback];
    checkObject(settings, 'options');
    checkArgument(f, 'callback', 'function');
    checkSignal(settings.signal, 'options.signal');
    let done = onlyOnce(f);
    if (!isNode(stream)) {
        throw wrongType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
    }
    const readable = settings.readable ?? isReadableNode(stream);
    const writable = settings.writable ?? isWritableNode(stream);
    const [writing, reading] = [stream._writableState, stream._readableState];
    let awaitsClose = willEmitClose(stream) && isReadableNode(stream) === readable && isWritableNode(stream) === writable;
    let isWritten = isWritableFinished(stream, false);
    let isRead = isReadableFinished(stream, false);
    const half = (other, isOther, isDone) => {
        if (stream.destroyed) {
            awaitsClose = false;
        }
        if (!(awaitsClose && (!stream[other] || isOther)) && (!isOther || isDone())) {
            done.call(stream);
        }
    };
    const onfinish = () => {
        isWritten = true;
        half('readable', readable, () => isRead);
    };
    const onend = () => {
        isRead = true;
        half('writable', writable, () => isWritten);
    };
    const onlegacyfinish = () => {
        if (!stream.writable) {
            onfinish();
        }
    };
    const onerror = error => done.call(stream, error);
    let closed = isClosed(stream);
    const failure = () => {
        const error = erroredWith(stream, 'writableErrored', '_writableState') || erroredWith(stream, 'readableErrored', '_readableState');
        return error && typeof error !== 'boolean' ? error : undefined;
    };
    const onclosed = () => {
        closed = true;
        const error = failure();
        done.apply(stream, error === undefined ? [] : [error]);
    };
    const onclose = () => {
        closed = true;
        const isEarly = readable && !isRead && isReadableNode(stream, true) && !isReadableFinished(stream, false)
            || writable && !isWritten && !isWritableFinished(stream, false);
        if (failure() === undefined && isEarly) {
            done.call(stream, streamError('ERR_STREAM_PREMATURE_CLOSE'));
        } else {
            onclosed();
        }
    };
    const listeners = [['end', onend], ['finish', onfinish], ...settings.error !== false ? [['error', onerror]] : [], ['close', onclose]];
    if (writable && !writing) {
        listeners.unshift(['end', onlegacyfinish], ['close', onlegacyfinish]);
    }
    if (!awaitsClose && typeof stream.aborted === 'boolean') {
        listeners.unshift(['aborted', onclose]);
    }
    listeners.forEach(([name, listener]) => stream.on(name, listener));
    if (closed) {
        tick(onclose);
    } else if (writing?.errorEmitted || reading?.errorEmitted) {
        if (!awaitsClose) {
            tick(onclosed);
        }
    } else if (!readable && (!awaitsClose || isReadable(stream)) && (isWritten || isWritable(stream) === false)
        && !writing?.pendingcb) {
        tick(onclosed);
    } else if (!writable && (!awaitsClose || isWritable(stream)) && (isRead || isReadable(stream) === false)) {
        tick(onclosed);
    }
    const cleanup = () => {
        done = nothing;
        listeners.forEach(([name, listener]) => stream.removeListener(name, listener));
    };
    if (settings.signal && !closed) {
        const abort = () => {
            const last = done;
            cleanup();
            last.call(stream, new AbortError(undefined, {cause: settings.signal.reason}));
        };
        if (settings.signal.aborted) {
            tick(abort);
        } else {
            const forget = whenAborted(settings.signal, abort);
            const last = done;
            done = onlyOnce(function (...values) {
                forget();
                apply(last, stream, values);
            });
        }
    }
    return cleanup;
};
const finishedPromise = (stream, options) => {
    const settings = options === null ? {} : options;
    if (settings?.cleanup) {
        checkArgument(settings.cleanup, 'cleanup', 'boolean');
    }
    return new Promise((resolve, reject) => {
        const cleanup = finished(stream, settings, error => {
            if (settings?.cleanup) {
                cleanup();
            }
            if (error) {
                reject(error);
            } else {
                resolve();
            }
        });
    });
};
const addAbortSignal = (signal, stream) => {
    if (signal === undefined || signal === null || typeof signal !== 'object' || !('aborted' in signal)) {
        throw wrongType('signal', 'an instance of AbortSignal', signal);
    }
    if (!isNode(stream)) {
        throw wrongType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
    }
    const abort = () => stream.destroy(new AbortError(undefined, {cause: signal.reason}));
    if (signal.aborted) {
        abort();
    } else {
        const forget = whenAborted(signal, abort);
        finished(stream, forget);
    }
    return stream;
};
