// Streams: flags of states, predicates, errors and other helpers.
const nothing = () => undefined;
const {AggregateError} = globalThis;
const BITS = Symbol('kState');
/** Adds boolean members, which are stored in one number, to a class of states. Returns a function that sets up the number. */
const defineFlags = (State, names) => {
    const bits = create(null);
    names.forEach((name, index) => {
        const bit = 1 << index;
        bits[name] = bit;
        defineProperty(State.prototype, name, {
            get() {
                return (this[BITS] & bit) !== 0;
            },
            set(value) {
                this[BITS] = value ? this[BITS] | bit : this[BITS] & ~bit;
            },
            configurable: true,
        });
    });
    return (state, ...set) => defineProperty(state, BITS, {
        value: set.reduce((sum, name) => sum | bits[name], 0), writable: true, enumerable: true, configurable: true});
};
/** Adds a member with a default value to a class of states. The value is not an own property. */
const defineHidden = (State, name, fallback, convert = value => value) => {
    const values = new WeakMap();
    defineProperty(State.prototype, name, {
        get() {
            const known = weakGet(values, this);
            return known === undefined ? fallback() : known.value;
        },
        set(value) {
            weakSet(values, this, {value: convert(value)});
        },
        configurable: true,
    });
};
const tick = (f, ...values) => globalThis.process.nextTick(f, ...values);
const onlyOnce = f => {
    let called = false;
    return function (...values) {
        if (!called) {
            called = true;
            apply(f, this, values);
        }
    };
};
class AbortError extends Error {
    constructor(message = 'The operation was aborted', options = undefined) {
        super(message, options);
        this.code = 'ABORT_ERR';
        this.name = 'AbortError';
    }
}
const STREAM_ERRORS = create(null);
assign(STREAM_ERRORS, {
    ERR_MULTIPLE_CALLBACK: () => 'Callback called multiple times', ERR_STREAM_CANNOT_PIPE: () => 'Cannot pipe, not readable',
    ERR_STREAM_PUSH_AFTER_EOF: () => 'stream.push() after EOF', ERR_STREAM_WRITE_AFTER_END: () => 'write after end',
    ERR_STREAM_UNSHIFT_AFTER_END_EVENT: () => 'stream.unshift() after end event', ERR_STREAM_PREMATURE_CLOSE: () => 'Premature close',
    ERR_METHOD_NOT_IMPLEMENTED: name => 'The ' + name + ' method is not implemented',
    ERR_STREAM_DESTROYED: name => 'Cannot call ' + name + ' after a stream was destroyed',
    ERR_STREAM_ALREADY_FINISHED: name => 'Cannot call ' + name + ' after a stream was finished',
});
const streamError = (code, name) => coded(Error, code, STREAM_ERRORS[code](name));
const nullValues = () => coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
const wrongType = (name, wanted, value) => {
    const word = name.includes('.') ? 'property' : 'argument';
    return coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "' + name + '" ' + word + ' must be ' + wanted + '. ' + received(value));
};
const wrongValue = (name, value, reason = 'is invalid') => {
    const shown = inspect(value);
    const text = shown.length > 128 ? slice(shown, 0, 128) + '...' : shown;
    const word = name.includes('.') ? 'property' : 'argument';
    return coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'The ' + word + " '" + name + "' " + reason + '. Received ' + text);
};
const wrongChunk = value => wrongType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', value);
const unknownEncoding = name => coded(TypeError, 'ERR_UNKNOWN_ENCODING', 'Unknown encoding: ' + name);
const wrongResult = (wanted, name, value) => {
    const kind = value?.constructor?.name ? 'an instance of ' + value.constructor.name : 'type ' + typeof value;
    return coded(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected ' + wanted + ' to be returned from the "' + name + '" function but got '
        + kind + '.');
};
/** Combines two errors, each of which may be missing, into one. */
const bothErrors = (inner, outer) => {
    if (inner && outer && inner !== outer) {
        if (isArray(inner.errors)) {
            push(inner.errors, outer);
            return inner;
        }
        return assign(new AggregateError([outer, inner], outer.message), {code: outer.code});
    }
    return inner || outer;
};
const checkObject = (value, name) => {
    if (value === null || typeof value !== 'object' || isArray(value)) {
        throw wrongType(name, 'of type object', value);
    }
};
const checkSignal = (signal, name) => {
    if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal))) {
        throw wrongType(name, 'an instance of AbortSignal', signal);
    }
};
const checkWhole = (value, name, least) => {
    if (typeof value !== 'number') {
        throw wrongType(name, 'of type number', value);
    }
    if (!Number.isInteger(value)) {
        throw outOfRange(name, 'an integer', value);
    }
    if (value < least || value > Number.MAX_SAFE_INTEGER) {
        throw outOfRange(name, '>= ' + least + ' && <= 9007199254740991', value);
    }
};
/** Calls a function when a signal aborts, or soon if it has aborted. The result stops waiting for the signal. */
const whenAborted = (signal, f) => {
    if (signal.aborted) {
        globalThis.queueMicrotask(() => f());
        return nothing;
    }
    signal.addEventListener('abort', f, {once: true});
    return () => signal.removeEventListener('abort', f);
};
const isReadableNode = (stream, strict = false) => Boolean(stream && typeof stream.pipe === 'function' && typeof stream.on === 'function'
    && (!strict || typeof stream.pause === 'function' && typeof stream.resume === 'function')
    && (!stream._writableState || stream._readableState?.readable !== false) && (!stream._writableState || stream._readableState));
const isWritableNode = stream => Boolean(stream && typeof stream.write === 'function' && typeof stream.on === 'function'
    && (!stream._readableState || stream._writableState?.writable !== false));
const isNode = stream => Boolean(stream && (stream._readableState || stream._writableState
    || typeof stream.write === 'function' && typeof stream.on === 'function'
    || typeof stream.pipe === 'function' && typeof stream.on === 'function'));
const isIterable = (value, isAsync) => {
    if (value === null || value === undefined) {
        return false;
    }
    const [later, now] = [typeof value[Symbol.asyncIterator] === 'function', typeof value[Symbol.iterator] === 'function'];
    return isAsync === true ? later : isAsync === false ? now : later || now;
};
const DESTROYED = Symbol.for('nodejs.stream.destroyed');
const READABLE = Symbol.for('nodejs.stream.readable');
const WRITABLE = Symbol.for('nodejs.stream.writable');
const isDestroyed = stream => isNode(stream)
    ? Boolean(stream.destroyed || stream[DESTROYED] || (stream._writableState || stream._readableState)?.destroyed) : null;
const isWritableEnded = stream => {
    if (!isWritableNode(stream)) {
        return null;
    }
    const state = stream._writableState;
    return stream.writableEnded === true ? true : state?.errored ? false : typeof state?.ended === 'boolean' ? state.ended : null;
};
const isWritableFinished = (stream, strict) => {
    if (!isWritableNode(stream)) {
        return null;
    }
    const state = stream._writableState;
    if (stream.writableFinished === true || state?.errored || typeof state?.finished !== 'boolean') {
        return stream.writableFinished === true ? true : state?.errored ? false : null;
    }
    return state.finished || strict === false && state.ended === true && state.length === 0;
};
const isReadableFinished = (stream, strict) => {
    if (!isReadableNode(stream)) {
        return null;
    }
    const state = stream._readableState;
    if (state?.errored || typeof state?.endEmitted !== 'boolean') {
        return state?.errored ? false : null;
    }
    return state.endEmitted || strict === false && state.ended === true && state.length === 0;
};
const isReadable = stream => {
    if (stream && stream[READABLE] !== undefined && stream[READABLE] !== null) {
        return stream[READABLE];
    }
    return typeof stream?.readable !== 'boolean' ? null
        : !isDestroyed(stream) && isReadableNode(stream) && stream.readable && !isReadableFinished(stream);
};
const isWritable = stream => {
    if (stream && stream[WRITABLE] !== undefined && stream[WRITABLE] !== null) {
        return stream[WRITABLE];
    }
    return typeof stream?.writable !== 'boolean' ? null
        : !isDestroyed(stream) && isWritableNode(stream) && stream.writable && !isWritableEnded(stream);
};
const isFinished = stream => isNode(stream) ? isDestroyed(stream) || !isReadable(stream) && !isWritable(stream) : null;
const erroredWith = (stream, own, state) => isNode(stream) ? stream[own] || (stream[state]?.errored ?? null) : null;
const isClosed = stream => {
    if (!isNode(stream)) {
        return null;
    }
    const [writing, reading] = [stream._writableState, stream._readableState];
    return typeof stream.closed === 'boolean' ? stream.closed
        : typeof writing?.closed === 'boolean' || typeof reading?.closed === 'boolean' ? writing?.closed || reading?.closed : null;
};
const willEmitClose = stream => {
    const state = stream._writableState || stream._readableState;
    return Boolean(state && state.autoDestroy && state.emitClose && state.closed === false);
};
const isDisturbed = stream => Boolean(stream && (stream[Symbol.for('nodejs.stream.disturbed')] ?? (stream.readableDidRead || stream.readableAborted)));
const isErrored = stream => Boolean(stream && (stream[Symbol.for('nodejs.stream.errored')] ?? stream.readableErrored ?? stream.writableErrored
    ?? stream._readableState?.errorEmitted ?? stream._writableState?.errorEmitted ?? stream._readableState?.errored
    ?? stream._writableState?.errored));
