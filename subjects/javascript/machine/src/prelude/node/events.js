// The module `events`. Emitters have the same members as in Node.js, because tests compare the members.
const eventsModule = () => {
    function EventEmitter(options) {
        EventEmitter.init.call(this, options);
    }
    EventEmitter.init = function () {
        if (this._events === undefined || this._events === getPrototypeOf(this)._events) {
            this._events = create(null);
            this._eventsCount = 0;
        }
        this._maxListeners = this._maxListeners || undefined;
    };
    const listOf = (emitter, name) => {
        const known = emitter._events?.[name];
        return known === undefined ? [] : typeof known === 'function' ? [known] : known;
    };
    const keep = (emitter, name, list) => {
        if (list.length > 0) {
            emitter._events[name] = list.length === 1 ? list[0] : list;
        } else if (getPrototypeOf(emitter._events) !== null) {
            // The object `_events` of a stream keeps its members.
            emitter._eventsCount--;
            emitter._events[name] = undefined;
        } else if (--emitter._eventsCount === 0) {
            emitter._events = create(null);
        } else {
            delete emitter._events[name];
        }
    };
    const addTo = (emitter, name, f, first) => {
        checkArgument(f, 'listener', 'function');
        if (emitter._events === undefined) {
            emitter._events = create(null);
            emitter._eventsCount = 0;
        } else if (emitter._events.newListener !== undefined) {
            emitter.emit('newListener', name, f.listener ?? f);
        }
        const list = listOf(emitter, name);
        if (list.length === 0) {
            emitter._eventsCount++;
        }
        emitter._events[name] = list.length === 0 ? f : first ? [f, ...list] : [...list, f];
        return emitter;
    };
    const onceOf = (emitter, name, f) => {
        checkArgument(f, 'listener', 'function');
        let fired = false;
        const once = function (...values) {
            if (!fired) {
                emitter.removeListener(name, once);
                fired = true;
                return apply(f, emitter, values);
            }
        };
        once.listener = f;
        return once;
    };
    assign(EventEmitter.prototype, {
        _events: undefined,
        _eventsCount: 0,
        _maxListeners: undefined,
        setMaxListeners(n) {
            if (typeof n !== 'number' || !(n >= 0)) {
                const message = 'The value of "setMaxListeners" is out of range. It must be >= 0. Received ' + inspect(n);
                throw coded(RangeError, 'ERR_OUT_OF_RANGE', message);
            }
            this._maxListeners = n;
            return this;
        },
        getMaxListeners() {
            return this._maxListeners === undefined ? EventEmitter.defaultMaxListeners : this._maxListeners;
        },
        emit(name, ...values) {
            const list = listOf(this, name);
            if (list.length === 0 && name === 'error') {
                if (values[0] instanceof Error) {
                    throw values[0];
                }
                const text = typeof values[0] === 'string' ? "'" + values[0] + "'" : inspect(values[0]);
                const error = coded(Error, 'ERR_UNHANDLED_ERROR', 'Unhandled error. (' + text + ')');
                error.context = values[0];
                throw error;
            }
            for (const f of [...list]) {
                apply(f, this, values);
            }
            return list.length > 0;
        },
        addListener(name, f) {
            return addTo(this, name, f, false);
        },
        on(name, f) {
            return addTo(this, name, f, false);
        },
        prependListener(name, f) {
            return addTo(this, name, f, true);
        },
        once(name, f) {
            return this.on(name, onceOf(this, name, f));
        },
        prependOnceListener(name, f) {
            return this.prependListener(name, onceOf(this, name, f));
        },
        removeListener(name, f) {
            checkArgument(f, 'listener', 'function');
            const list = listOf(this, name);
            const at = list.findLastIndex(each => each === f || each.listener === f);
            if (at >= 0) {
                keep(this, name, list.toSpliced(at, 1));
                if (this._events.removeListener !== undefined) {
                    this.emit('removeListener', name, f);
                }
            }
            return this;
        },
        removeAllListeners(...names) {
            const wanted = names.length === 0 ? ownKeys(this._events ?? {}) : names;
            for (const name of wanted) {
                for (const f of listOf(this, name).toReversed()) {
                    this.removeListener(name, f);
                }
            }
            return this;
        },
        listeners(name) {
            return listOf(this, name).map(f => f.listener ?? f);
        },
        rawListeners(name) {
            return [...listOf(this, name)];
        },
        listenerCount(name) {
            return listOf(this, name).length;
        },
        eventNames() {
            return this._eventsCount > 0 ? ownKeys(this._events) : [];
        },
    });
    EventEmitter.prototype.off = EventEmitter.prototype.removeListener;
    for (const name of ['addAbortListener', 'once', 'on', 'getEventListeners', 'getMaxListeners', 'setMaxListeners']) {
        lazily(EventEmitter, name, true, () => streams().eventsParts(EventEmitter)[name]);
    }
    return assign(EventEmitter, {EventEmitter, defaultMaxListeners: 10, usingDomains: false,
        errorMonitor: Symbol('events.errorMonitor'), captureRejectionSymbol: Symbol.for('nodejs.rejection'),
        listenerCount: (emitter, name) => emitter.listenerCount(name)});
};
