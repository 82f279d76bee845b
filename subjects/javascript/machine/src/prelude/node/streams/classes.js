// Classes of streams. Each load makes new classes, because a program may change them.
const readableViews = {
    readable: state => Boolean(state) && state.readable !== false && !state.destroyed && !state.errorEmitted && !state.endEmitted,
    readableDidRead: state => state.dataEmitted,
    readableAborted: state => Boolean(state.readable !== false && (state.destroyed || state.errored) && !state.endEmitted),
    readableHighWaterMark: state => state.highWaterMark, readableBuffer: state => state && state.buffer,
    readableFlowing: state => state.flowing, readableLength: state => state.length,
    readableObjectMode: state => state ? state.objectMode : false, readableEncoding: state => state ? state.encoding : null,
    errored: state => state ? state.errored : null, closed: state => state ? state.closed : false,
    destroyed: state => state ? state.destroyed : false, readableEnded: state => state ? state.endEmitted : false,
};
/** Members that may be written. */
const SETTABLE = ['readable', 'writable', 'destroyed', 'readableFlowing'];
const defineViews = (prototype, views, owner, names = keys(views)) => {
    for (const name of names) {
        const put = name === 'readableFlowing' ? 'flowing' : name;
        defineProperty(prototype, name, {
            get() {
                return views[name](this[owner]);
            },
            set: SETTABLE.includes(name) ? function (value) {
                if (this[owner]) {
                    this[owner][put] = name === 'readableFlowing' ? value : Boolean(value);
                }
            } : undefined,
            enumerable: false, configurable: true,
        });
    }
};
const inheritFrom = (Child, Parent) => {
    Object.setPrototypeOf(Child.prototype, Parent.prototype);
    Object.setPrototypeOf(Child, Parent);
};
const listOfEvents = names => {
    const events = {};
    names.forEach(name => events[name] = undefined);
    return events;
};
const takeOptions = (stream, options, names) => {
    for (const name of names) {
        if (typeof options?.[name] === 'function') {
            stream['_' + name] = options[name];
        }
    }
    if (options?.signal) {
        addAbortSignal(options.signal, stream);
    }
};
const readableConstructed = stream => {
    if (stream._readableState.needReadable) {
        readMore(stream, stream._readableState);
    }
};
const writableConstructed = stream => {
    const state = stream._writableState;
    if (!state.writing) {
        writeBuffered(stream, state);
    }
    if (state.ending) {
        finishMaybe(stream, state);
    }
};
const legacyClass = EventEmitter => {
    function Stream(options) {
        apply(EventEmitter, this, [options]);
    }
    inheritFrom(Stream, EventEmitter);
    Stream.prototype.pipe = function (target, options) {
        const source = this;
        let hasEnded = false;
        const ondata = chunk => {
            if (target.writable && target.write(chunk) === false && source.pause) {
                source.pause();
            }
        };
        const ondrain = () => {
            if (source.readable && source.resume) {
                source.resume();
            }
        };
        const onend = () => {
            if (!hasEnded) {
                hasEnded = true;
                target.end();
            }
        };
        const onclose = () => {
            if (!hasEnded) {
                hasEnded = true;
                if (typeof target.destroy === 'function') {
                    target.destroy();
                }
            }
        };
        const onerror = function (error) {
            cleanup();
            if (EventEmitter.listenerCount(this, 'error') === 0) {
                this.emit('error', error);
            }
        };
        const listeners = [[source, 'data', ondata], [target, 'drain', ondrain]];
        if (!target._isStdio && options?.end !== false) {
            push(listeners, [source, 'end', onend], [source, 'close', onclose]);
        }
        listeners.forEach(([emitter, name, f]) => emitter.on(name, f));
        const cleanup = () => {
            const own = [[source, 'error', onerror], [target, 'error', onerror], [source, 'end', cleanup], [source, 'close', cleanup],
                [target, 'close', cleanup]];
            [...listeners, ...own].forEach(([emitter, name, f]) => emitter.removeListener(name, f));
        };
        prependTo(source, 'error', onerror);
        prependTo(target, 'error', onerror);
        source.on('end', cleanup);
        source.on('close', cleanup);
        target.on('close', cleanup);
        target.emit('pipe', source);
        return target;
    };
    Stream.prototype.eventNames = function eventNames() {
        return ownKeys(this._events).filter(name => typeof this._events[name] === 'function' || this._events[name]?.length > 0);
    };
    return Stream;
};
const readableClass = (Stream, EventEmitter) => {
    function Readable(options) {
        if (!(this instanceof Readable)) {
            return new Readable(options);
        }
        this._events ??= listOfEvents(['close', 'error', 'data', 'end', 'readable']);
        this._readableState = new ReadableState(options, this, false);
        takeOptions(this, options, ['read', 'destroy', 'construct']);
        apply(Stream, this, [options]);
        if (this._construct !== undefined && this._construct !== null) {
            constructStream(this, () => readableConstructed(this));
        }
    }
    inheritFrom(Readable, Stream);
    const {on, removeListener, removeAllListeners} = listening(Stream);
    assign(Readable.prototype, {
        destroy: destroyMethod, _undestroy: undestroyMethod,
        _destroy(error, done) {
            done(error);
        },
        push(chunk, encoding) {
            return pushChunk(this, this._readableState, chunk, encoding);
        },
        unshift(chunk, encoding) {
            return unshiftChunk(this, this._readableState, chunk, encoding);
        },
        isPaused() {
            const state = this._readableState;
            return state.isPaused || state.flowing === false;
        },
        setEncoding(encoding) {
            const state = this._readableState;
            const decoder = new (decoderClass())(encoding);
            state.decoder = decoder;
            state.encoding = decoder.encoding;
            const text = state.buffer.slice(state.bufferIndex).map(data => decoder.write(data)).join('');
            state.buffer.length = 0;
            state.bufferIndex = 0;
            if (text !== '') {
                push(state.buffer, text);
            }
            state.length = text.length;
            return this;
        },
        read: readMethod,
        _read() {
            throw streamError('ERR_METHOD_NOT_IMPLEMENTED', '_read()');
        },
        pipe: pipeMethod, unpipe: unpipeMethod, on, addListener: on, removeListener, off: removeListener, removeAllListeners,
        resume: resumeMethod, pause: pauseMethod, wrap: wrapMethod,
        iterator(options) {
            if (options !== undefined) {
                checkObject(options, 'options');
            }
            return iteratorOf(this, options);
        },
    });
    const iteratorOf = (stream, options) => {
        const source = typeof stream.read === 'function' ? stream : Readable.wrap(stream, {objectMode: true});
        const iterator = iterated(source, options);
        iterator.stream = source;
        return iterator;
    };
    Readable.prototype[EventEmitter.captureRejectionSymbol] = function (error) {
        this.destroy(error);
    };
    Readable.prototype[Symbol.asyncIterator] = function () {
        return iteratorOf(this);
    };
    defineViews(Readable.prototype, readableViews, '_readableState');
    assign(Readable, {
        ReadableState, _fromList: take,
        from: (source, options) => fromIterable(Readable, source, options),
        fromWeb: unavailable('stream.Readable.fromWeb'), toWeb: unavailable('stream.Readable.toWeb'),
        wrap: (source, options) => new Readable({objectMode: source.readableObjectMode ?? source.objectMode ?? true, ...options,
            destroy(error, done) {
                endStream(source, error);
                done(error);
            }}).wrap(source),
    });
    return Readable;
};
const writableClass = (Stream, EventEmitter) => {
    function Writable(options) {
        if (!(this instanceof Writable)) {
            return new Writable(options);
        }
        this._events ??= listOfEvents(['close', 'error', 'prefinish', 'finish', 'drain']);
        this._writableState = new WritableState(options, this, false);
        takeOptions(this, options, ['write', 'writev', 'destroy', 'final', 'construct']);
        apply(Stream, this, [options]);
        if (this._construct !== undefined && this._construct !== null) {
            constructStream(this, () => writableConstructed(this));
        }
    }
    inheritFrom(Writable, Stream);
    const isInstance = FunctionPrototype[Symbol.hasInstance];
    defineProperty(Writable, Symbol.hasInstance, {value(object) {
        return apply(isInstance, this, [object]) || this === Writable && Boolean(object) && object._writableState instanceof WritableState;
    }});
    assign(Writable.prototype, writableMethods);
    Writable.prototype[EventEmitter.captureRejectionSymbol] = function (error) {
        this.destroy(error);
    };
    defineViews(Writable.prototype, writableViews, '_writableState');
    return assign(Writable, {WritableState, fromWeb: unavailable('stream.Writable.fromWeb'), toWeb: unavailable('stream.Writable.toWeb')});
};
const duplexClass = (Stream, Readable, Writable) => {
    function Duplex(options) {
        if (!(this instanceof Duplex)) {
            return new Duplex(options);
        }
        this._events ??= listOfEvents(['close', 'error', 'prefinish', 'finish', 'drain', 'data', 'end', 'readable']);
        this._readableState = new ReadableState(options, this, true);
        this._writableState = new WritableState(options, this, true);
        this.allowHalfOpen = options?.allowHalfOpen !== false;
        if (options?.readable === false) {
            assign(this._readableState, {readable: false, ended: true, endEmitted: true});
        }
        if (options?.writable === false) {
            assign(this._writableState, {writable: false, ending: true, ended: true, finished: true});
        }
        takeOptions(this, options, ['read', 'write', 'writev', 'destroy', 'final', 'construct']);
        apply(Stream, this, [options]);
        if (this._construct !== undefined && this._construct !== null) {
            constructStream(this, () => {
                readableConstructed(this);
                writableConstructed(this);
            });
        }
    }
    inheritFrom(Duplex, Readable);
    for (const name of keys(Writable.prototype)) {
        if (!Duplex.prototype[name]) {
            Duplex.prototype[name] = Writable.prototype[name];
        }
    }
    Duplex.prototype.destroy = Writable.prototype.destroy;
    defineViews(Duplex.prototype, writableViews, '_writableState', ['writable', 'writableHighWaterMark', 'writableObjectMode',
        'writableBuffer', 'writableLength', 'writableFinished', 'writableCorked', 'writableEnded', 'writableNeedDrain']);
    defineProperty(Duplex.prototype, 'destroyed', {get() {
        return Boolean(this._readableState && this._writableState) && this._readableState.destroyed && this._writableState.destroyed;
    }, set(value) {
        if (this._readableState && this._writableState) {
            this._readableState.destroyed = value;
            this._writableState.destroyed = value;
        }
    }, enumerable: false, configurable: true});
    return assign(Duplex, {fromWeb: unavailable('stream.Duplex.fromWeb'), toWeb: unavailable('stream.Duplex.toWeb')});
};
