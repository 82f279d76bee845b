// Readable streams.
let highWaterMarks = [16384, 16];
const highWaterMark = (state, options, name, isDuplex) => {
    const given = options?.highWaterMark ?? (isDuplex ? options?.[name] : undefined);
    if (given === undefined || given === null) {
        return highWaterMarks[state.objectMode ? 1 : 0];
    }
    if (!Number.isInteger(given) || given < 0) {
        throw wrongValue(isDuplex ? 'options.' + name : 'options.highWaterMark', given);
    }
    return given;
};
const checkedEncoding = options => {
    const name = options?.defaultEncoding;
    if (name !== undefined && name !== null && !globalThis.Buffer.isEncoding(name)) {
        throw unknownEncoding(name);
    }
    return name === undefined || name === null || name === 'utf-8' ? 'utf8' : name;
};
function ReadableState(options, stream, isDuplex) {
    startReading(this, 'emitClose', 'autoDestroy', 'constructed', 'sync');
    this.objectMode = options?.objectMode || isDuplex && options?.readableObjectMode;
    this.highWaterMark = highWaterMark(this, options, 'readableHighWaterMark', isDuplex);
    this.buffer = [];
    this.bufferIndex = 0;
    this.length = 0;
    this.pipes = [];
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.defaultEncoding = checkedEncoding(options);
    this.awaitDrainWriters = null;
    if (options?.encoding) {
        this.decoder = new (decoderClass())(options.encoding);
        this.encoding = options.encoding;
    }
}
const startReading = defineFlags(ReadableState, ['objectMode', 'errorEmitted', 'autoDestroy', 'emitClose', 'destroyed', 'closed',
    'closeEmitted', 'constructed', 'ended', 'endEmitted', 'reading', 'sync', 'needReadable', 'emittedReadable', 'readableListening',
    'resumeScheduled', 'multiAwaitDrain', 'readingMore', 'dataEmitted', 'hasPaused', 'isPaused', 'dataListening']);
for (const name of ['errored', 'decoder', 'encoding', 'flowing']) {
    defineHidden(ReadableState, name, () => null, value => value ?? null);
}
defineHidden(ReadableState, 'readable', () => undefined);
defineHidden(ReadableState, 'defaultEncoding', () => 'utf8');
defineProperty(ReadableState.prototype, 'pipesCount', {get() {
    return this.pipes.length;
}, configurable: true});
defineProperty(ReadableState.prototype, 'paused', {get() {
    return this.isPaused;
}, set(value) {
    this.hasPaused = true;
    this.isPaused = value;
}, configurable: true});
const decoderClass = () => builtinModule('string_decoder').StringDecoder;
const asBuffer = view => globalThis.Buffer.from(view.buffer, view.byteOffset, view.byteLength);
const canPushMore = state => !state.ended && (state.length < state.highWaterMark || state.length === 0);
const emitReadable = stream => {
    const state = stream._readableState;
    state.needReadable = false;
    if (!state.emittedReadable) {
        state.emittedReadable = true;
        tick(emitReadableNow, stream);
    }
};
const emitReadableNow = stream => {
    const state = stream._readableState;
    if (!state.destroyed && !state.errored && (state.length > 0 || state.ended)) {
        stream.emit('readable');
        state.emittedReadable = false;
    }
    if (!state.flowing && !state.ended && state.length <= state.highWaterMark) {
        state.needReadable = true;
    }
    flow(stream);
};
const flow = stream => {
    const state = stream._readableState;
    while (state.flowing && stream.read() !== null) {
        // `read` emits what it reads.
    }
};
const readMore = (stream, state) => {
    if (!state.readingMore && state.constructed) {
        state.readingMore = true;
        tick(() => {
            while (!state.reading && !state.ended && (state.length < state.highWaterMark || state.flowing && state.length === 0)) {
                const before = state.length;
                stream.read(0);
                if (before === state.length) {
                    break;
                }
            }
            state.readingMore = false;
        });
    }
};
const atEnd = (stream, state) => {
    state.reading = false;
    if (state.ended) {
        return false;
    }
    const rest = state.decoder?.end();
    if (rest) {
        push(state.buffer, rest);
        state.length += state.objectMode ? 1 : rest.length;
    }
    state.ended = true;
    if (state.sync) {
        emitReadable(stream);
    } else {
        state.needReadable = false;
        state.emittedReadable = true;
        emitReadableNow(stream);
    }
    return false;
};
const forgetWriters = state => {
    if (state.multiAwaitDrain) {
        state.awaitDrainWriters.clear();
    } else {
        state.awaitDrainWriters = null;
    }
};
const addChunk = (stream, state, chunk, inFront) => {
    if (state.flowing && !state.sync && state.dataListening && state.length === 0) {
        forgetWriters(state);
        state.dataEmitted = true;
        stream.emit('data', chunk);
    } else {
        state.length += state.objectMode ? 1 : chunk.length;
        if (!inFront) {
            push(state.buffer, chunk);
        } else if (state.bufferIndex > 0) {
            state.buffer[--state.bufferIndex] = chunk;
        } else {
            state.buffer.unshift(chunk);
        }
        if (state.needReadable) {
            emitReadable(stream);
        }
    }
    readMore(stream, state);
};
const pushChunk = (stream, state, given, encoding) => {
    if (given === null) {
        return atEnd(stream, state);
    }
    let chunk = given;
    let isDecoded = Boolean(encoding);
    if (!state.objectMode) {
        isDecoded = false;
        if (typeof chunk === 'string') {
            const name = encoding || state.defaultEncoding;
            isDecoded = state.encoding === name;
            chunk = isDecoded ? chunk : globalThis.Buffer.from(chunk, name);
        } else if (!(chunk instanceof globalThis.Buffer) && ArrayBuffer.isView(chunk)) {
            chunk = asBuffer(chunk);
        } else if (chunk !== undefined && !(chunk instanceof globalThis.Buffer)) {
            errorOrDestroy(stream, wrongChunk(chunk));
            return false;
        }
        if (!chunk || chunk.length <= 0) {
            state.reading = false;
            readMore(stream, state);
            return canPushMore(state);
        }
    }
    if (state.ended) {
        errorOrDestroy(stream, streamError('ERR_STREAM_PUSH_AFTER_EOF'));
        return false;
    }
    if (state.destroyed || state.errored) {
        return false;
    }
    state.reading = false;
    if (state.decoder && !isDecoded) {
        chunk = state.decoder.write(chunk);
        if (!state.objectMode && chunk.length === 0) {
            readMore(stream, state);
            return canPushMore(state);
        }
    }
    addChunk(stream, state, chunk, false);
    return canPushMore(state);
};
const unshiftChunk = (stream, state, given, encoding) => {
    if (given === null) {
        return atEnd(stream, state);
    }
    let chunk = given;
    if (!state.objectMode) {
        if (typeof chunk === 'string') {
            const name = encoding || state.defaultEncoding;
            if (state.encoding !== name) {
                chunk = globalThis.Buffer.from(chunk, name);
                chunk = state.encoding ? chunk.toString(state.encoding) : chunk;
            }
        } else if (!(chunk instanceof globalThis.Buffer) && ArrayBuffer.isView(chunk)) {
            chunk = asBuffer(chunk);
        } else if (chunk !== undefined && !(chunk instanceof globalThis.Buffer)) {
            errorOrDestroy(stream, wrongChunk(chunk));
            return false;
        }
        if (!(chunk && chunk.length > 0)) {
            return canPushMore(state);
        }
    }
    if (state.endEmitted) {
        errorOrDestroy(stream, streamError('ERR_STREAM_UNSHIFT_AFTER_END_EVENT'));
    } else if (state.destroyed || state.errored) {
        return false;
    } else {
        addChunk(stream, state, chunk, true);
    }
    return canPushMore(state);
};
const howMuch = (n, state) => {
    if (n <= 0 || state.length === 0 && state.ended) {
        return 0;
    }
    if (state.objectMode) {
        return 1;
    }
    if (Number.isNaN(n)) {
        return state.flowing && state.length > 0 ? state.buffer[state.bufferIndex].length : state.length;
    }
    return n <= state.length ? n : state.ended ? state.length : 0;
};
/** Takes units from the front of the buffer: one object in object mode, otherwise at most `n` units, or all if `n` is
    0. */
const take = (n, state) => {
    if (state.length === 0) {
        return null;
    }
    const list = state.buffer;
    const next = () => {
        const chunk = list[state.bufferIndex];
        list[state.bufferIndex++] = null;
        return chunk;
    };
    let taken;
    if (state.objectMode) {
        taken = next();
    } else {
        const parts = [];
        let left = !n || n >= state.length ? state.length : n;
        while (left > 0 && state.bufferIndex < list.length) {
            const chunk = list[state.bufferIndex];
            if (chunk.length <= left) {
                push(parts, next());
                left -= chunk.length;
            } else {
                push(parts, chunk.slice(0, left));
                list[state.bufferIndex] = chunk.slice(left);
                left = 0;
            }
        }
        taken = parts.length === 1 ? parts[0] : state.decoder ? parts.join('') : globalThis.Buffer.concat(parts);
    }
    if (state.bufferIndex === list.length) {
        list.length = 0;
        state.bufferIndex = 0;
    } else if (state.bufferIndex > 1024) {
        list.splice(0, state.bufferIndex);
        state.bufferIndex = 0;
    }
    return taken;
};
const endReadable = stream => {
    const state = stream._readableState;
    if (!state.endEmitted) {
        state.ended = true;
        tick(() => {
            if (state.errored || state.closeEmitted || state.endEmitted || state.length !== 0) {
                return;
            }
            state.endEmitted = true;
            stream.emit('end');
            if (stream.writable && stream.allowHalfOpen === false) {
                tick(() => stream.writable && !stream.writableEnded && !stream.destroyed && stream.end());
            } else if (state.autoDestroy) {
                const writing = stream._writableState;
                if (!writing || writing.autoDestroy && (writing.finished || writing.writable === false)) {
                    stream.destroy();
                }
            }
        });
    }
};
const MAX_HIGH_WATER_MARK = 0x40000000;
/** The smallest power of two that is at least `n`. */
const raised = n => {
    if (n > MAX_HIGH_WATER_MARK) {
        throw outOfRange('size', '<= 1GiB', n);
    }
    let power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
};
const readMethod = function read(given) {
    const state = this._readableState;
    const asked = given === undefined ? NaN : Number.isInteger(given) ? given : Number.parseInt(given, 10);
    if (asked > state.highWaterMark) {
        state.highWaterMark = raised(asked);
    }
    if (asked !== 0) {
        state.emittedReadable = false;
    }
    if (asked === 0 && state.needReadable
        && ((state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0) || state.ended)) {
        if (state.length === 0 && state.ended) {
            endReadable(this);
        } else {
            emitReadable(this);
        }
        return null;
    }
    let n = howMuch(asked, state);
    if (n === 0 && state.ended) {
        if (state.length === 0) {
            endReadable(this);
        }
        return null;
    }
    const wants = state.needReadable || state.length === 0 || state.length - n < state.highWaterMark;
    if (wants && !state.reading && !state.ended && !state.destroyed && !state.errored && state.constructed) {
        state.reading = true;
        state.sync = true;
        if (state.length === 0) {
            state.needReadable = true;
        }
        try {
            this._read(state.highWaterMark);
        } catch (error) {
            errorOrDestroy(this, error);
        }
        state.sync = false;
        if (!state.reading) {
            n = howMuch(asked, state);
        }
    }
    const taken = n > 0 ? take(n, state) : null;
    if (taken === null) {
        if (state.length <= state.highWaterMark) {
            state.needReadable = true;
        }
        n = 0;
    } else {
        state.length -= n;
        forgetWriters(state);
    }
    if (state.length === 0) {
        if (!state.ended) {
            state.needReadable = true;
        }
        if (asked !== n && state.ended) {
            endReadable(this);
        }
    }
    if (taken !== null && !state.errorEmitted && !state.closeEmitted) {
        state.dataEmitted = true;
        this.emit('data', taken);
    }
    return taken;
};
