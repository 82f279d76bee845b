// Methods of readable streams, for example for pipes, listeners and iteration, and streams of
// iterables.
const prependTo = (emitter, name, f) => {
    if (typeof emitter.prependListener === 'function') {
        emitter.prependListener(name, f);
    } else {
        emitter.on(name, f);
    }
};
const pipeMethod = function pipe(target, options) {
    const [source, state] = [this, this._readableState];
    if (state.pipes.length === 1 && !state.multiAwaitDrain) {
        state.multiAwaitDrain = true;
        state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
    }
    push(state.pipes, target);
    const {process} = globalThis;
    const isEnding = options?.end !== false && target !== process.stdout && target !== process.stderr;
    let ondrain;
    let isClean = false;
    const unpipe = () => source.unpipe(target);
    const onend = () => target.end();
    const onunpipe = (readable, info) => {
        if (readable === source && info && info.hasUnpiped === false) {
            info.hasUnpiped = true;
            cleanup();
        }
    };
    const pause = () => {
        if (!isClean) {
            if (state.pipes.length === 1 && state.pipes[0] === target) {
                state.awaitDrainWriters = target;
                state.multiAwaitDrain = false;
            } else if (state.pipes.length > 1 && state.pipes.includes(target)) {
                state.awaitDrainWriters.add(target);
            }
            source.pause();
        }
        if (!ondrain) {
            ondrain = () => {
                if (state.awaitDrainWriters === target) {
                    state.awaitDrainWriters = null;
                } else if (state.multiAwaitDrain) {
                    state.awaitDrainWriters.delete(target);
                }
                if ((!state.awaitDrainWriters || state.awaitDrainWriters.size === 0) && state.dataListening) {
                    source.resume();
                }
            };
            target.on('drain', ondrain);
        }
    };
    const ondata = chunk => {
        if (target.write(chunk) === false) {
            pause();
        }
    };
    const onerror = error => {
        unpipe();
        target.removeListener('error', onerror);
        if (target.listenerCount('error') === 0) {
            const known = target._writableState || target._readableState;
            if (known && !known.errorEmitted) {
                errorOrDestroy(target, error);
            } else {
                target.emit('error', error);
            }
        }
    };
    const onclose = () => {
        target.removeListener('finish', onfinish);
        unpipe();
    };
    const onfinish = () => {
        target.removeListener('close', onclose);
        unpipe();
    };
    const cleanup = () => {
        target.removeListener('close', onclose);
        target.removeListener('finish', onfinish);
        if (ondrain) {
            target.removeListener('drain', ondrain);
        }
        target.removeListener('error', onerror);
        target.removeListener('unpipe', onunpipe);
        source.removeListener('end', onend);
        source.removeListener('end', unpipe);
        source.removeListener('data', ondata);
        isClean = true;
        if (ondrain && state.awaitDrainWriters && (!target._writableState || target._writableState.needDrain)) {
            ondrain();
        }
    };
    const atTheEnd = isEnding ? onend : unpipe;
    if (state.endEmitted) {
        tick(atTheEnd);
    } else {
        source.once('end', atTheEnd);
    }
    target.on('unpipe', onunpipe);
    source.on('data', ondata);
    prependTo(target, 'error', onerror);
    target.once('close', onclose);
    target.once('finish', onfinish);
    target.emit('pipe', source);
    if (target.writableNeedDrain === true) {
        pause();
    } else if (!state.flowing) {
        source.resume();
    }
    return target;
};
const unpipeMethod = function unpipe(target) {
    const state = this._readableState;
    if (state.pipes.length === 0) {
        return this;
    }
    if (!target) {
        const targets = state.pipes;
        state.pipes = [];
        this.pause();
        targets.forEach(each => each.emit('unpipe', this, {hasUnpiped: false}));
        return this;
    }
    const at = state.pipes.indexOf(target);
    if (at >= 0) {
        state.pipes.splice(at, 1);
        if (state.pipes.length === 0) {
            this.pause();
        }
        target.emit('unpipe', this, {hasUnpiped: false});
    }
    return this;
};
/** Decides whether a stream waits for `readable` or flows, after listeners have been removed. */
const updateListening = stream => {
    const state = stream._readableState;
    state.readableListening = stream.listenerCount('readable') > 0;
    if (state.resumeScheduled && state.hasPaused && !state.isPaused) {
        state.flowing = true;
    } else if (state.dataListening) {
        stream.resume();
    } else if (!state.readableListening) {
        state.flowing = null;
    }
};
const listening = Legacy => ({
    on(name, f) {
        const result = apply(Legacy.prototype.on, this, [name, f]);
        const state = this._readableState;
        if (name === 'data') {
            state.dataListening = true;
            if (this.listenerCount('readable') > 0) {
                state.readableListening = true;
            }
            if (state.flowing !== false) {
                this.resume();
            }
        } else if (name === 'readable' && !state.endEmitted && !state.readableListening) {
            assign(state, {readableListening: true, needReadable: true, flowing: false, emittedReadable: false});
            if (state.length > 0) {
                emitReadable(this);
            } else if (!state.reading) {
                tick(() => this.read(0));
            }
        }
        return result;
    },
    removeListener(name, f) {
        const result = apply(Legacy.prototype.removeListener, this, [name, f]);
        if (name === 'readable') {
            tick(updateListening, this);
        } else if (name === 'data' && this.listenerCount('data') === 0) {
            this._readableState.dataListening = false;
        }
        return result;
    },
    removeAllListeners(...names) {
        const result = apply(Legacy.prototype.removeAllListeners, this, names);
        if (names[0] === 'readable' || names[0] === undefined) {
            tick(updateListening, this);
        }
        return result;
    },
});
const resumeMethod = function resume() {
    const state = this._readableState;
    if (!state.flowing) {
        state.flowing = !state.readableListening;
        if (!state.resumeScheduled) {
            state.resumeScheduled = true;
            tick(() => {
                if (!state.reading) {
                    this.read(0);
                }
                state.resumeScheduled = false;
                this.emit('resume');
                flow(this);
                if (state.flowing && !state.reading) {
                    this.read(0);
                }
            });
        }
    }
    state.hasPaused = true;
    state.isPaused = false;
    return this;
};
const pauseMethod = function pause() {
    const state = this._readableState;
    if (state.flowing !== false) {
        state.flowing = false;
        this.emit('pause');
    }
    state.hasPaused = true;
    state.isPaused = true;
    return this;
};
const wrapMethod = function wrap(stream) {
    let isPaused = false;
    stream.on('data', chunk => {
        if (!this.push(chunk) && stream.pause) {
            isPaused = true;
            stream.pause();
        }
    });
    stream.on('end', () => void this.push(null));
    stream.on('error', error => errorOrDestroy(this, error));
    stream.on('close', () => void this.destroy());
    stream.on('destroy', () => void this.destroy());
    this._read = () => {
        if (isPaused && stream.resume) {
            isPaused = false;
            stream.resume();
        }
    };
    for (const name of keys(stream).slice(1)) {
        if (this[name] === undefined && typeof stream[name] === 'function') {
            this[name] = stream[name].bind(stream);
        }
    }
    return this;
};
const iterated = async function* (stream, options) {
    let callback = nothing;
    const next = function (resolve) {
        if (this === stream) {
            callback();
            callback = nothing;
        } else {
            callback = resolve;
        }
    };
    stream.on('readable', next);
    let error;
    const cleanup = finished(stream, {writable: false}, failure => {
        error = failure ? bothErrors(error, failure) : null;
        callback();
        callback = nothing;
    });
    try {
        for (;;) {
            const chunk = stream.destroyed ? null : stream.read();
            if (chunk !== null) {
                yield chunk;
            } else if (error) {
                throw error;
            } else if (error === null) {
                return;
            } else {
                await new Promise(next);
            }
        }
    } catch (failure) {
        error = bothErrors(error, failure);
        throw error;
    } finally {
        if ((error || options?.destroyOnReturn !== false) && (error === undefined || stream._readableState.autoDestroy)) {
            endStream(stream, null);
        } else {
            stream.off('readable', next);
            cleanup();
        }
    }
};
/** Creates a stream of the items of an iterable, or of a single string or buffer. */
const fromIterable = (Readable, source, options) => {
    if (typeof source === 'string' || source instanceof globalThis.Buffer) {
        return new Readable({objectMode: true, ...options, read() {
            this.push(source);
            this.push(null);
        }});
    }
    const [later, now] = [source?.[Symbol.asyncIterator], source?.[Symbol.iterator]];
    if (!later && !now) {
        throw wrongType('iterable', 'an instance of Iterable', source);
    }
    const iterator = apply(later || now, source, []);
    const readable = new Readable({objectMode: true, highWaterMark: 1, ...options});
    let isReading = false;
    const given = value => {
        if (value === null) {
            isReading = false;
            throw nullValues();
        }
        const more = readable.push(value);
        isReading = more;
        return more;
    };
    const ending = async error => {
        if (error !== undefined && error !== null && typeof iterator.throw === 'function') {
            const {value, done} = await iterator.throw(error);
            await value;
            if (done) {
                return;
            }
        }
        if (typeof iterator.return === 'function') {
            const {value} = await iterator.return();
            await value;
        }
    };
    const asynchronously = async first => {
        try {
            let more = first === undefined || given(await first);
            while (more) {
                const {value, done} = later ? await iterator.next() : iterator.next();
                if (done) {
                    readable.push(null);
                    return;
                }
                more = given(!later && typeof value?.then === 'function' ? await value : value);
            }
        } catch (error) {
            readable.destroy(error);
        }
    };
    let hasPromises = Boolean(later);
    const synchronously = () => {
        try {
            for (let more = true; more;) {
                const {value, done} = iterator.next();
                if (done) {
                    readable.push(null);
                    return;
                }
                if (typeof value?.then === 'function') {
                    hasPromises = true;
                    asynchronously(value);
                    return;
                }
                more = given(value);
            }
        } catch (error) {
            readable.destroy(error);
        }
    };
    readable._read = () => {
        if (!isReading) {
            isReading = true;
            if (hasPromises) {
                asynchronously();
            } else {
                synchronously();
            }
        }
    };
    readable._destroy = (error, done) => then(ending(error), () => tick(done, error), failure => tick(done, failure || error));
    return readable;
};
