// The module `zlib`, without Brotli and some rarely used functions. For each part of a stream, the
// host compresses or decompresses the whole input again, and the stream returns only the new
// output.
const ZLIB = {Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, Z_OK: 0, Z_STREAM_END: 1,
    Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4, Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6,
    Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2, Z_RLE: 3,
    Z_FIXED: 4, Z_DEFAULT_STRATEGY: 0, ZLIB_VERNUM: 4880, DEFLATE: 1, INFLATE: 2, GZIP: 3, GUNZIP: 4, DEFLATERAW: 5, INFLATERAW: 6,
    UNZIP: 7, BROTLI_DECODE: 8, BROTLI_ENCODE: 9, Z_MIN_WINDOWBITS: 8, Z_MAX_WINDOWBITS: 15, Z_DEFAULT_WINDOWBITS: 15, Z_MIN_CHUNK: 64,
    Z_MAX_CHUNK: Infinity, Z_DEFAULT_CHUNK: 16384, Z_MIN_MEMLEVEL: 1, Z_MAX_MEMLEVEL: 9, Z_DEFAULT_MEMLEVEL: 8, Z_MIN_LEVEL: -1,
    Z_MAX_LEVEL: 9, Z_DEFAULT_LEVEL: -1};
const ZLIB_CODES = ['Z_OK', 'Z_STREAM_END', 'Z_NEED_DICT', 'Z_ERRNO', 'Z_STREAM_ERROR', 'Z_DATA_ERROR', 'Z_MEM_ERROR', 'Z_BUF_ERROR',
    'Z_VERSION_ERROR'];
/** The strengths of the kinds of flushes. */
const STRENGTH = [0, 2, 3, 4, 5, 1];
const MAX_OUTPUT = 2 ** 32;
/** A number within bounds, or the default. */
const within = (value, name, least, most, fallback) => {
    if (value === undefined || value !== value) {
        return fallback;
    }
    if (typeof value !== 'number') {
        throw wrongType(name, 'of type number', value);
    }
    if (value < least || value > most || !Number.isFinite(value)) {
        const range = most === Infinity ? '>= ' + least : '>= ' + least + ' and <= ' + most;
        throw outOfRange(name, Number.isFinite(value) ? range : 'a finite number', value);
    }
    return value;
};
/** Counts work that the host does. */
const spend = count => {
    for (let i = 0; i < count; i++) {
        // The engine counts the iterations.
    }
};
const zlibError = (code, message) => assign(new Error(message), {errno: ZLIB[code], code});
const tooLarge = most => coded(RangeError, 'ERR_BUFFER_TOO_LARGE', 'Cannot create a Buffer larger than ' + most + ' bytes');
/** A compression or decompression whose input arrives in parts. */
class Work {
    #input = [];
    #cuts = [];
    #given = 0;
    #used = 0;
    #isComplete = false;
    constructor(mode, settings) {
        this.mode = mode;
        this.settings = settings;
    }
    get compresses() {
        return this.mode === ZLIB.DEFLATE || this.mode === ZLIB.GZIP || this.mode === ZLIB.DEFLATERAW;
    }
    /** Adds a part of the input. Returns the new output, and how many bytes of the part were used. */
    add(bytes, flush) {
        if (this.#isComplete) {
            return {output: [], used: 0};
        }
        const before = this.#input.length;
        for (let i = 0; i < bytes.length; i++) {
            push(this.#input, bytes[i]);
        }
        const all = this.compresses ? this.#compress(bytes.length, flush) : this.#decompress(flush);
        const output = all.slice(this.#given);
        this.#given = all.length;
        const used = this.compresses ? bytes.length : this.#used - before;
        return {output, used: used < 0 ? 0 : used};
    }
    #compress(length, flush) {
        const last = this.#cuts.at(-1);
        if (length === 0 && flush !== ZLIB.Z_FINISH && last !== undefined && STRENGTH[flush] <= STRENGTH[last[1]]) {
            return {length: this.#given, slice: () => []};
        }
        if (flush === ZLIB.Z_BLOCK) {
            unavailable('zlib.constants.Z_BLOCK').call();
        }
        push(this.#cuts, [this.#input.length, flush]);
        const {level, windowBits, memLevel, strategy} = this.settings;
        const format = this.mode === ZLIB.DEFLATE ? 'zlib' : this.mode === ZLIB.GZIP ? 'gzip' : 'raw';
        spend(this.#input.length);
        const all = host.deflate(format, this.#input, this.#cuts.flat(), [level < 0 ? 6 : level, windowBits, memLevel, strategy]);
        if (all.length === 0 && flush === ZLIB.Z_FINISH) {
            unavailable('zlib without compression').call();
        }
        this.#isComplete = flush === ZLIB.Z_FINISH;
        return all;
    }
    #decompress(flush) {
        const input = this.#input;
        const isGzip = this.mode === ZLIB.GUNZIP || this.mode === ZLIB.UNZIP && input[0] === 0x1f && (input.length < 2 || input[1] === 0x8b);
        const format = isGzip ? 'gzip' : this.mode === ZLIB.INFLATERAW ? 'raw' : 'zlib';
        const {bytes, rest, complete, wrong, tooLong} = host.inflate(format, input, this.settings.windowBits || 15);
        if (tooLong) {
            stop('heap');
        }
        spend(input.length + bytes.length);
        if (wrong === 'Missing dictionary') {
            throw zlibError('Z_NEED_DICT', wrong);
        }
        if (wrong !== '') {
            throw zlibError('Z_DATA_ERROR', wrong);
        }
        if (!complete && flush === ZLIB.Z_FINISH) {
            throw zlibError('Z_BUF_ERROR', 'unexpected end of file');
        }
        this.#isComplete = complete;
        this.#used = input.length - rest;
        return bytes;
    }
}
const settingsOf = (options, mode) => {
    const isDecoding = mode === ZLIB.INFLATE || mode === ZLIB.GUNZIP || mode === ZLIB.UNZIP;
    const isOpen = options?.windowBits === undefined || options.windowBits === null || options.windowBits === 0;
    const settings = {
        windowBits: isOpen && isDecoding ? 0 : within(options?.windowBits, 'options.windowBits', mode === ZLIB.GZIP ? 9 : 8, 15, 15),
        level: within(options?.level, 'options.level', -1, 9, -1), memLevel: within(options?.memLevel, 'options.memLevel', 1, 9, 8),
        strategy: within(options?.strategy, 'options.strategy', 0, 4, 0)};
    if (options?.dictionary !== undefined) {
        if (!ArrayBuffer.isView(options.dictionary) && !(options.dictionary instanceof ArrayBuffer)) {
            throw wrongType('options.dictionary', 'an instance of Buffer, TypedArray, DataView, or ArrayBuffer', options.dictionary);
        }
        unavailable('zlib.options.dictionary').call();
    }
    return settings;
};
const WORK = Symbol('work');
const FLUSH = Symbol('kFlushFlag');
const zlibModule = () => {
    const {Transform, finished} = builtinModule('stream');
    const {Buffer, setImmediate} = globalThis;
    const closeWork = stream => stream[WORK] = null;
    function ZlibBase(options, mode) {
        const settings = settingsOf(options, mode);
        const size = within(options?.chunkSize, 'options.chunkSize', 64, Infinity, 16384);
        const flush = within(options?.flush, 'options.flush', 0, 5, 0);
        const last = within(options?.finishFlush, 'options.finishFlush', 0, 5, 4);
        const most = within(options?.maxOutputLength, 'options.maxOutputLength', 1, MAX_OUTPUT, MAX_OUTPUT);
        const plain = options && (options.encoding || options.objectMode || options.writableObjectMode)
            ? {...options, encoding: null, objectMode: false, writableObjectMode: false} : options;
        apply(Transform, this, [{autoDestroy: true, ...plain}]);
        this.bytesWritten = 0;
        defineProperty(this, WORK, {value: new Work(mode, settings), writable: true, enumerable: false});
        assign(this, {_outOffset: 0, _chunkSize: size, _defaultFlushFlag: flush, _finishFlushFlag: last, _defaultFullFlushFlag: ZLIB.Z_FULL_FLUSH,
            _info: options && options.info, _maxOutputLength: most, _level: settings.level, _strategy: settings.strategy});
    }
    Object.setPrototypeOf(ZlibBase.prototype, Transform.prototype);
    Object.setPrototypeOf(ZlibBase, Transform);
    /** Pushes output in pieces that fit into the chunks, one piece per turn, and waits while nothing is read. */
    const give = (stream, output, done) => {
        let at = 0;
        const next = () => {
            if (stream.destroyed) {
                done();
                return;
            }
            const room = stream._chunkSize - stream._outOffset;
            const isFull = output.length - at >= room;
            const count = isFull ? room : output.length - at;
            let hasRoom = true;
            if (count > 0) {
                hasRoom = stream.push(Buffer.from(output.slice(at, at + count)));
                at += count;
                stream._outOffset = isFull ? 0 : stream._outOffset + count;
            }
            if (stream.destroyed || !isFull) {
                done();
            } else if (hasRoom) {
                setImmediate(next);
            } else {
                const read = stream._read;
                stream._read = n => {
                    stream._read = read;
                    setImmediate(next);
                    stream._read(n);
                };
            }
        };
        setImmediate(next);
    };
    const process = (stream, chunk, flush, done) => {
        const work = stream[WORK];
        if (!work) {
            tick(done);
            return;
        }
        let found;
        try {
            found = work.add(chunk, flush);
        } catch (error) {
            setImmediate(() => stream.destroy(error));
            return;
        }
        give(stream, found.output, () => {
            stream.bytesWritten += found.used;
            if (!stream.destroyed && found.used < chunk.length) {
                stream.push(null);
            }
            done();
        });
    };
    const processNow = (stream, chunk, flush) => {
        const work = stream[WORK];
        closeWork(stream);
        const {output, used} = work.add(chunk, flush);
        if (output.length > stream._maxOutputLength) {
            throw tooLarge(stream._maxOutputLength);
        }
        stream.bytesWritten = used;
        return Buffer.from(output);
    };
    assign(ZlibBase.prototype, {
        reset() {
            this[WORK] = new Work(this[WORK].mode, this[WORK].settings);
        },
        _flush(done) {
            this._transform(Buffer.alloc(0), '', done);
        },
        _final(done) {
            done();
        },
        flush(kind, done) {
            const [how, callback] = typeof kind === 'function' || kind === undefined && !done ? [this._defaultFullFlushFlag, kind] : [kind, done];
            if (this.writableFinished) {
                if (callback) {
                    tick(callback);
                }
            } else if (this.writableEnded) {
                if (callback) {
                    this.once('end', callback);
                }
            } else {
                const mark = Buffer.alloc(0);
                mark[FLUSH] = how;
                this.write(mark, '', callback);
            }
        },
        close(done) {
            if (done) {
                finished(this, done);
            }
            this.destroy();
        },
        _destroy(error, done) {
            closeWork(this);
            done(error);
        },
        _transform(chunk, encoding, done) {
            let flush = typeof chunk[FLUSH] === 'number' ? chunk[FLUSH] : this._defaultFlushFlag;
            if (this.writableEnded && this.writableLength === chunk.byteLength && STRENGTH[this._finishFlushFlag] >= STRENGTH[flush]) {
                flush = this._finishFlushFlag;
            }
            process(this, chunk, flush, done);
        },
        _processChunk(chunk, flush, done) {
            return typeof done === 'function' ? process(this, chunk, flush, done) : processNow(this, chunk, flush);
        },
        params: unavailable('zlib.Zlib.params'),
    });
    defineProperty(ZlibBase.prototype, '_closed', {get() {
        return !this[WORK];
    }, enumerable: true, configurable: true});
    defineProperty(ZlibBase.prototype, 'bytesRead', {get() {
        return this.bytesWritten;
    }, set(value) {
        this.bytesWritten = value;
    }, enumerable: true, configurable: true});
    const viewOf = (data, isText) => {
        if (isText && typeof data === 'string') {
            return Buffer.from(data);
        }
        return data instanceof ArrayBuffer ? Buffer.from(data) : ArrayBuffer.isView(data) && !(data instanceof Uint8Array)
            ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : data;
    };
    const atOnce = (stream, given) => {
        const data = viewOf(given, true);
        if (!ArrayBuffer.isView(data)) {
            throw wrongType('buffer', 'of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer', given);
        }
        const buffer = processNow(stream, data, stream._finishFlushFlag);
        return stream._info ? {buffer, engine: stream} : buffer;
    };
    const later = (stream, data, callback) => {
        checkArgument(callback, 'callback', 'function');
        const parts = [];
        let count = 0;
        stream.on('data', chunk => {
            push(parts, chunk);
            count += chunk.length;
            if (count > stream._maxOutputLength) {
                stream.close();
                stream.removeAllListeners('end');
                callback(tooLarge(stream._maxOutputLength));
            }
        });
        stream.on('error', error => {
            stream.removeAllListeners('end');
            callback(error);
        });
        stream.on('end', () => {
            const buffer = parts.length === 1 ? parts[0] : Buffer.concat(parts, count);
            stream.close();
            callback(null, stream._info ? {buffer, engine: stream} : buffer);
        });
        stream.end(viewOf(data, false));
    };
    const module = {crc32(data, value = 0) {
        if (typeof data !== 'string' && !ArrayBuffer.isView(data)) {
            throw wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
        }
        checkWhole(value, 'value', 0);
        return host.crc32([...viewOf(data, true)], value);
    }};
    const MODES = {Deflate: ZLIB.DEFLATE, Inflate: ZLIB.INFLATE, Gzip: ZLIB.GZIP, Gunzip: ZLIB.GUNZIP, DeflateRaw: ZLIB.DEFLATERAW,
        InflateRaw: ZLIB.INFLATERAW, Unzip: ZLIB.UNZIP};
    for (const name of keys(MODES)) {
        const Class = {[name]: function (options) {
            if (!(this instanceof Class)) {
                return new Class(options);
            }
            apply(ZlibBase, this, [options, MODES[name]]);
        }}[name];
        Object.setPrototypeOf(Class.prototype, ZlibBase.prototype);
        Object.setPrototypeOf(Class, ZlibBase);
        module[name] = Class;
    }
    for (const name of ['BrotliCompress', 'BrotliDecompress']) {
        module[name] = unavailable('zlib.' + name);
    }
    for (const name of ['Deflate', 'Gzip', 'DeflateRaw', 'Unzip', 'Inflate', 'Gunzip', 'InflateRaw']) {
        const Class = module[name];
        const short = name[0].toLowerCase() + slice(name, 1);
        module[short] = (data, options, callback) => typeof options === 'function' ? later(new Class({}), data, options)
            : later(new Class(options), data, callback);
        module[short + 'Sync'] = (data, options) => atOnce(new Class(options), data);
    }
    for (const name of ['brotliCompress', 'brotliCompressSync', 'brotliDecompress', 'brotliDecompressSync', 'createBrotliCompress',
        'createBrotliDecompress']) {
        module[name] = unavailable('zlib.' + name);
    }
    for (const name of ['Deflate', 'Inflate', 'DeflateRaw', 'InflateRaw', 'Gzip', 'Gunzip', 'Unzip']) {
        module['create' + name] = options => new module[name](options);
    }
    const codes = {};
    for (const name of ZLIB_CODES) {
        codes[name] = ZLIB[name];
        codes[ZLIB[name]] = name;
    }
    defineProperty(module, 'constants', {value: {...ZLIB}, enumerable: true});
    defineProperty(module, 'codes', {value: Object.freeze(codes), enumerable: true});
    for (const name of keys(ZLIB)) {
        defineProperty(module, name, {value: ZLIB[name], enumerable: false});
    }
    return module;
};
