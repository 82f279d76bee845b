// Writable streams.
const resetBuffer = state => {
    assign(state, {buffered: [], bufferedIndex: 0, allBuffers: true, allNoop: true});
};
function WritableState(options, stream, isDuplex) {
    startWriting(this, 'sync', 'constructed', 'emitClose', 'autoDestroy');
    this.objectMode = options?.objectMode || isDuplex && options?.writableObjectMode;
    this.highWaterMark = highWaterMark(this, options, 'writableHighWaterMark', isDuplex);
    this.decodeStrings = options?.decodeStrings !== false;
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.defaultEncoding = checkedEncoding(options);
    this.length = 0;
    this.corked = 0;
    this.onwrite = error => written(stream, error);
    this.writelen = 0;
    this.bufferedIndex = 0;
    resetBuffer(this);
    this.pendingcb = 0;
}
const startWriting = defineFlags(WritableState, ['objectMode', 'errorEmitted', 'autoDestroy', 'emitClose', 'destroyed', 'closed',
    'closeEmitted', 'constructed', 'sync', 'finalCalled', 'needDrain', 'ending', 'finished', 'decodeStrings', 'writing',
    'bufferProcessing', 'prefinished', 'allBuffers', 'allNoop', 'expectsCall', 'afterWritePending', 'ended']);
defineHidden(WritableState, 'errored', () => null, value => value ?? null);
defineHidden(WritableState, 'writable', () => undefined, value => value ?? undefined);
defineHidden(WritableState, 'defaultEncoding', () => 'utf8');
defineHidden(WritableState, 'writecb', () => nothing, value => value ?? nothing);
defineHidden(WritableState, 'afterWriteTickInfo', () => null, value => value ?? null);
defineHidden(WritableState, 'buffered', () => []);
defineHidden(WritableState, 'whenFinished', () => undefined);
WritableState.prototype.getBuffer = function getBuffer() {
    return this.buffered.slice(this.bufferedIndex);
};
defineProperty(WritableState.prototype, 'bufferedRequestCount', {get() {
    return this.buffered.length - this.bufferedIndex;
}, configurable: true});
const startWrite = (stream, state, length, done, write) => {
    state.writelen = length;
    if (done !== nothing) {
        state.writecb = done;
    }
    assign(state, {writing: true, sync: true, expectsCall: true});
    write();
    state.sync = false;
};
const writeChunk = (stream, given, name, callback) => {
    const state = stream._writableState;
    const done = typeof callback === 'function' ? callback : nothing;
    let [chunk, encoding] = [given, name];
    if (chunk === null) {
        throw nullValues();
    }
    if (!state.objectMode) {
        if (!encoding) {
            encoding = state.defaultEncoding;
        } else if (encoding !== 'buffer' && !globalThis.Buffer.isEncoding(encoding)) {
            throw unknownEncoding(encoding);
        }
        if (typeof chunk === 'string') {
            if (state.decodeStrings) {
                chunk = globalThis.Buffer.from(chunk, encoding);
                encoding = 'buffer';
            }
        } else if (chunk instanceof globalThis.Buffer || ArrayBuffer.isView(chunk)) {
            chunk = chunk instanceof globalThis.Buffer ? chunk : asBuffer(chunk);
            encoding = 'buffer';
        } else {
            throw wrongChunk(chunk);
        }
    }
    const error = state.ending ? streamError('ERR_STREAM_WRITE_AFTER_END') : state.destroyed ? streamError('ERR_STREAM_DESTROYED', 'write')
        : undefined;
    if (error !== undefined) {
        tick(done, error);
        errorOrDestroy(stream, error, true);
        return error;
    }
    state.pendingcb++;
    const length = state.objectMode ? 1 : chunk.length;
    state.length += length;
    if (state.writing || state.errored || state.corked > 0 || !state.constructed) {
        push(state.buffered, {chunk, encoding, callback: done});
        state.allBuffers = state.allBuffers && encoding === 'buffer';
        state.allNoop = state.allNoop && done === nothing;
    } else {
        startWrite(stream, state, length, done, () => stream._write(chunk, encoding, state.onwrite));
    }
    const hasRoom = state.length < state.highWaterMark || state.length === 0;
    if (!hasRoom) {
        state.needDrain = true;
    }
    return hasRoom && !state.destroyed && !state.errored;
};
const writeFailed = (stream, state, error, done) => {
    state.pendingcb--;
    done(error);
    refuseBuffered(state);
    errorOrDestroy(stream, error);
};
/** The callback of `_write`. */
const written = (stream, error) => {
    const state = stream._writableState;
    if (!state.expectsCall) {
        errorOrDestroy(stream, streamError('ERR_MULTIPLE_CALLBACK'));
        return;
    }
    const {sync: isSynchronous, writecb: done} = state;
    state.writecb = nothing;
    assign(state, {writing: false, expectsCall: false});
    state.length -= state.writelen;
    state.writelen = 0;
    if (error) {
        keepError(error, statesOf(stream));
        if (isSynchronous) {
            tick(writeFailed, stream, state, error, done);
        } else {
            writeFailed(stream, state, error, done);
        }
        return;
    }
    if (state.buffered.length > 0) {
        writeBuffered(stream, state);
    }
    if (!isSynchronous) {
        afterWrite(stream, state, 1, done);
        return;
    }
    const isNeeded = state.needDrain && state.length === 0 || done !== nothing;
    if (done === nothing ? isNeeded && !state.afterWritePending : isNeeded && state.afterWriteTickInfo?.cb !== done) {
        state.afterWritePending = true;
        if (done === nothing) {
            tick(afterWrite, stream, state, 1, done);
        } else {
            const info = {count: 1, cb: done, stream, state};
            state.afterWriteTickInfo = info;
            tick(() => {
                state.afterWriteTickInfo = null;
                afterWrite(stream, state, info.count, done);
            });
        }
    } else if (done !== nothing) {
        state.afterWriteTickInfo.count++;
    } else {
        state.pendingcb--;
        if (state.ending) {
            finishMaybe(stream, state, true);
        }
    }
};
const afterWrite = (stream, state, count, done) => {
    state.afterWritePending = false;
    if (!state.ending && state.needDrain && !state.destroyed && state.length === 0) {
        state.needDrain = false;
        stream.emit('drain');
    }
    for (let i = 0; i < count; i++) {
        state.pendingcb--;
        done(null);
    }
    if (state.destroyed) {
        refuseBuffered(state);
    }
    if (state.ending) {
        finishMaybe(stream, state, true);
    }
};
const refuseBuffered = state => {
    if (state.writing) {
        return;
    }
    for (let i = state.bufferedIndex; i < state.buffered.length; i++) {
        const {chunk, callback} = state.buffered[i];
        state.length -= state.objectMode ? 1 : chunk.length;
        callback(state.errored ?? streamError('ERR_STREAM_DESTROYED', 'write'));
    }
    callFinished(state, state.errored ?? streamError('ERR_STREAM_DESTROYED', 'end'));
    resetBuffer(state);
};
const writeBuffered = (stream, state) => {
    const {buffered, objectMode} = state;
    const count = buffered.length - state.bufferedIndex;
    if (state.corked > 0 || state.bufferProcessing || state.destroyed || !state.constructed || count <= 0) {
        return;
    }
    let i = state.bufferedIndex;
    state.bufferProcessing = true;
    if (count > 1 && stream._writev) {
        state.pendingcb -= count - 1;
        const callback = state.allNoop ? nothing : error => {
            for (let n = i; n < buffered.length; n++) {
                buffered[n].callback(error);
            }
        };
        const chunks = state.allNoop && i === 0 ? buffered : buffered.slice(i);
        chunks.allBuffers = state.allBuffers;
        startWrite(stream, state, state.length, callback, () => stream._writev(chunks, state.onwrite));
        resetBuffer(state);
    } else {
        do {
            const {chunk, encoding, callback} = buffered[i];
            buffered[i++] = null;
            startWrite(stream, state, objectMode ? 1 : chunk.length, callback, () => {
                if (state.destroyed) {
                    state.onwrite(streamError('ERR_STREAM_DESTROYED', 'write'));
                } else {
                    stream._write(chunk, encoding, state.onwrite);
                }
            });
        } while (i < buffered.length && !state.writing);
        if (i === buffered.length) {
            resetBuffer(state);
        } else if (i > 256) {
            buffered.splice(0, i);
            state.bufferedIndex = 0;
        } else {
            state.bufferedIndex = i;
        }
    }
    state.bufferProcessing = false;
};
const needFinish = state => state.ending && state.constructed && !state.destroyed && !state.finished && !state.writing
    && !state.errorEmitted && !state.closeEmitted && !state.errored && state.buffered.length === 0 && state.length === 0;
const finalDone = (stream, state, error) => {
    if (state.prefinished) {
        errorOrDestroy(stream, error ?? streamError('ERR_MULTIPLE_CALLBACK'));
        return;
    }
    state.pendingcb--;
    if (error) {
        callFinished(state, error);
        errorOrDestroy(stream, error, state.sync);
    } else if (needFinish(state)) {
        state.prefinished = true;
        stream.emit('prefinish');
        state.pendingcb++;
        tick(finishNow, stream, state);
    }
};
const finishMaybe = (stream, state, isSynchronous) => {
    if (!needFinish(state)) {
        return;
    }
    if (!state.prefinished && !state.finalCalled) {
        state.finalCalled = true;
        if (typeof stream._final === 'function' && !state.destroyed) {
            state.sync = true;
            state.pendingcb++;
            try {
                stream._final(error => finalDone(stream, state, error));
            } catch (error) {
                finalDone(stream, state, error);
            }
            state.sync = false;
        } else {
            state.prefinished = true;
            stream.emit('prefinish');
        }
    }
    if (state.pendingcb !== 0) {
        return;
    }
    if (isSynchronous) {
        state.pendingcb++;
        tick(() => {
            if (needFinish(state)) {
                finishNow(stream, state);
            } else {
                state.pendingcb--;
            }
        });
    } else if (needFinish(state)) {
        state.pendingcb++;
        finishNow(stream, state);
    }
};
const finishNow = (stream, state) => {
    state.pendingcb--;
    state.finished = true;
    callFinished(state, null);
    stream.emit('finish');
    const reading = stream._readableState;
    if (state.autoDestroy && (!reading || reading.autoDestroy && (reading.endEmitted || reading.readable === false))) {
        stream.destroy();
    }
};
const callFinished = (state, error) => {
    const list = state.whenFinished;
    if (list !== undefined) {
        state.whenFinished = undefined;
        list.forEach(f => f(error));
    }
};
const writableMethods = {
    pipe() {
        errorOrDestroy(this, streamError('ERR_STREAM_CANNOT_PIPE'));
    },
    write(chunk, encoding, done) {
        return typeof encoding === 'function' ? writeChunk(this, chunk, null, encoding) === true
            : writeChunk(this, chunk, encoding, done) === true;
    },
    cork() {
        this._writableState.corked++;
    },
    uncork() {
        const state = this._writableState;
        if (state.corked > 0) {
            state.corked--;
            if (!state.writing) {
                writeBuffered(this, state);
            }
        }
    },
    setDefaultEncoding(encoding) {
        const name = typeof encoding === 'string' ? encoding.toLowerCase() : encoding;
        if (!globalThis.Buffer.isEncoding(name)) {
            throw unknownEncoding(name);
        }
        this._writableState.defaultEncoding = name === 'utf-8' ? 'utf8' : name;
        return this;
    },
    _write(chunk, encoding, done) {
        if (!this._writev) {
            throw streamError('ERR_METHOD_NOT_IMPLEMENTED', '_write()');
        }
        this._writev([{chunk, encoding}], done);
    },
    _writev: null,
    end(chunk, encoding, done) {
        const state = this._writableState;
        let callback = typeof chunk === 'function' ? chunk : typeof encoding === 'function' ? encoding : done;
        let error;
        if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') {
            const result = writeChunk(this, chunk, typeof encoding === 'function' ? null : encoding);
            error = result instanceof Error ? result : undefined;
        }
        if (state.corked > 0) {
            state.corked = 1;
            this.uncork();
        }
        if (error !== undefined) {
            // The write has reported the error.
        } else if (!state.ending && !state.errored) {
            state.ending = true;
            finishMaybe(this, state, true);
            state.ended = true;
        } else if (state.finished) {
            error = streamError('ERR_STREAM_ALREADY_FINISHED', 'end');
        } else if (state.destroyed) {
            error = streamError('ERR_STREAM_DESTROYED', 'end');
        }
        if (typeof callback === 'function') {
            if (error || state.errored || state.finished) {
                tick(callback, error ?? (state.errored || null));
            } else {
                state.whenFinished = [...state.whenFinished ?? [], callback];
            }
        }
        return this;
    },
    destroy(error, done) {
        const state = this._writableState;
        if ((state.buffered.length > 0 || state.whenFinished !== undefined) && !state.destroyed) {
            tick(refuseBuffered, state);
        }
        apply(destroyMethod, this, [error, done]);
        return this;
    },
    _undestroy: undestroyMethod,
    _destroy(error, done) {
        done(error);
    },
};
/** Members of writable streams, computed from the state. */
const writableViews = {
    closed: state => state ? state.closed : false, destroyed: state => state ? state.destroyed : false,
    writable: state => Boolean(state) && state.writable !== false && !state.ending && !state.ended && !state.destroyed && !state.errored,
    writableFinished: state => state ? state.finished : false, writableObjectMode: state => state ? state.objectMode : false,
    writableBuffer: state => state && state.getBuffer(), writableEnded: state => state ? state.ending : false,
    writableNeedDrain: state => state ? !state.destroyed && !state.ending && state.needDrain : false,
    writableHighWaterMark: state => state && state.highWaterMark, writableCorked: state => state ? state.corked : 0,
    writableLength: state => state && state.length, errored: state => state ? state.errored : null,
    writableAborted: state => state.writable !== false && (state.destroyed || Boolean(state.errored)) && !state.finished,
};
