// Transform streams of the Web API, and the module `stream/web`.
const transformCores = new WeakMap();
const transformCore = value => value instanceof Object ? weakGet(transformCores, value) : undefined;
/** The shared state of a transform stream and its controller. */
class TransformCore {
    #isFull = true;
    #change = new Later();
    #finishing = null;
    constructor(first, {writableMark, writableSize, readableMark, readableSize}) {
        const writable = new WritableCore({mark: writableMark, size: writableSize, write: value => this.#write(value),
            close: () => this.#ends(() => this.flush(this.controller), this.readable, () => this.readable.finish(),
                error => this.readable.fail(error)),
            abort: async reason => this.#ends(() => this.cancel(reason), this.readable, () => this.readable.fail(reason),
                error => this.readable.fail(error))});
        const breakWritable = error => {
            writable.fail(error);
            this.#unblock();
        };
        const readable = new ReadableCore({mark: readableMark, size: readableSize, pull: () => {
            this.#setFull(false);
            return this.#change.promise;
        }, cancel: reason => this.#ends(() => this.cancel(reason), writable, () => breakWritable(reason), breakWritable)});
        assign(this, {readable, writable, readableStream: create(ReadableStream.prototype), writableStream: create(WritableStream.prototype)});
        weakSet(readableCores, this.readableStream, readable);
        weakSet(writableCores, this.writableStream, writable);
        writable.start(first, undefined);
        readable.start(first, undefined);
    }
    give(value) {
        if (!this.readable.takes) {
            throw invalidState('Unable to enqueue');
        }
        try {
            this.readable.give(value);
        } catch (error) {
            this.#breakWritable(error);
            throw this.readable.error;
        }
        if (!this.readable.wantsMore && !this.#isFull) {
            this.#setFull(true);
        }
    }
    fail(error) {
        this.readable.fail(error);
        this.#breakWritable(error);
    }
    terminate() {
        this.readable.finish();
        this.#breakWritable(invalidState('TransformStream has been terminated'));
    }
    #breakWritable(error) {
        this.#forget();
        this.writable.fail(error);
        this.#unblock();
    }
    #unblock() {
        if (this.#isFull) {
            this.#setFull(false);
        }
    }
    #setFull(isFull) {
        this.#change.resolve(undefined);
        this.#change = new Later();
        this.#isFull = isFull;
    }
    #forget() {
        assign(this, {transform: undefined, flush: undefined, cancel: undefined});
    }
    async #perform(value) {
        try {
            return await this.transform(value, this.controller);
        } catch (error) {
            this.fail(error);
            throw error;
        }
    }
    #write(value) {
        if (!this.#isFull) {
            return this.#perform(value);
        }
        return then(this.#change.promise, () => {
            if (this.writable.state === 'erroring') {
                throw this.writable.error;
            }
            return this.#perform(value);
        });
    }
    /** Ends both sides: `act` is the function of the program, `other` the side that did not request the end. */
    #ends(act, other, done, failed) {
        if (this.#finishing === null) {
            const finishing = this.#finishing = new Later();
            const result = act();
            this.#forget();
            then(result, () => {
                if (other.state === 'errored') {
                    finishing.reject(other.error);
                } else {
                    done();
                    finishing.resolve(undefined);
                }
            }, error => {
                failed(error);
                finishing.reject(error);
            });
        }
        return this.#finishing.promise;
    }
}
class TransformStreamDefaultController {
    #core;
    constructor(key, core) {
        checkKey(key);
        this.#core = core;
    }
    static #of(controller) {
        if (!(#core in controller)) {
            throw invalidThis('TransformStreamDefaultController');
        }
        return controller.#core;
    }
    get desiredSize() {
        return TransformStreamDefaultController.#of(this).readable.desired;
    }
    enqueue(chunk = undefined) {
        TransformStreamDefaultController.#of(this).give(chunk);
    }
    error(reason = undefined) {
        TransformStreamDefaultController.#of(this).fail(reason);
    }
    terminate() {
        TransformStreamDefaultController.#of(this).terminate();
    }
}
class TransformStream {
    constructor(transformer = {}, writableStrategy = {}, readableStrategy = {}) {
        checkOptions(transformer, 'transformer', false);
        checkOptions(writableStrategy, 'writableStrategy');
        checkOptions(readableStrategy, 'readableStrategy');
        const {readableType, writableType, start} = transformer;
        for (const [name, type] of [['readableType', readableType], ['writableType', writableType]]) {
            if (type !== undefined) {
                throw wrongRange('transformer.' + name, type);
            }
        }
        const marks = [readableStrategy?.highWaterMark, readableStrategy?.size, writableStrategy?.highWaterMark, writableStrategy?.size];
        const strategies = {readableMark: markOf(marks[0], 0), readableSize: sizeOf(marks[1]), writableMark: markOf(marks[2], 1),
            writableSize: sizeOf(marks[3])};
        const first = new Later();
        const core = new TransformCore(first.promise, strategies);
        weakSet(transformCores, this, core);
        const controller = new TransformStreamDefaultController(KEY, core);
        const {transform, flush, cancel} = transformer;
        assign(core, {controller,
            transform: transform ? promising(transform, 'transformer.transform', transformer) : async value => core.give(value),
            flush: promising(flush, 'transformer.flush', transformer), cancel: promising(cancel, 'transformer.cancel', transformer)});
        first.resolve(start === undefined ? undefined : apply(start, transformer, [controller]));
    }
    static #of(stream) {
        const core = transformCore(stream);
        if (core === undefined) {
            throw invalidThis('TransformStream');
        }
        return core;
    }
    get readable() {
        return TransformStream.#of(this).readableStream;
    }
    get writable() {
        return TransformStream.#of(this).writableStream;
    }
}
/** The streams that convert between text and bytes are based on transform streams. */
class TextEncoderStream {
    #transform;
    constructor() {
        const encoder = new globalThis.TextEncoder();
        let half = '';
        this.#transform = new TransformStream({
            transform(chunk, controller) {
                const text = half + String(chunk);
                const last = charCodeAt(text, text.length - 1);
                half = last >= 0xd800 && last < 0xdc00 ? text[text.length - 1] : '';
                const whole = toWellFormed(slice(text, 0, text.length - half.length));
                if (whole !== '') {
                    controller.enqueue(encoder.encode(whole));
                }
            },
            flush(controller) {
                if (half !== '') {
                    controller.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
                }
            },
        });
    }
    static #of(stream) {
        if (!(#transform in stream)) {
            throw invalidThis('TextEncoderStream');
        }
        return stream.#transform;
    }
    get encoding() {
        return TextEncoderStream.#of(this) && 'utf-8';
    }
    get readable() {
        return TextEncoderStream.#of(this).readable;
    }
    get writable() {
        return TextEncoderStream.#of(this).writable;
    }
}
class TextDecoderStream {
    #decoder;
    #transform;
    constructor(encoding = 'utf-8', options = {}) {
        const decoder = this.#decoder = new globalThis.TextDecoder(encoding, options);
        const give = (text, controller) => {
            if (text !== '') {
                controller.enqueue(text);
            }
        };
        this.#transform = new TransformStream({
            transform: (chunk, controller) => give(decoder.decode(chunk, {stream: true}), controller),
            flush(controller) {
                give(decoder.decode(), controller);
                controller.terminate();
            },
        });
    }
    static #of(stream) {
        if (!(#transform in stream)) {
            throw invalidThis('TextDecoderStream');
        }
        return stream;
    }
    get encoding() {
        return TextDecoderStream.#of(this).#decoder.encoding;
    }
    get fatal() {
        return TextDecoderStream.#of(this).#decoder.fatal;
    }
    get ignoreBOM() {
        return TextDecoderStream.#of(this).#decoder.ignoreBOM;
    }
    get readable() {
        return TextDecoderStream.#of(this).#transform.readable;
    }
    get writable() {
        return TextDecoderStream.#of(this).#transform.writable;
    }
}
/** `util.inspect` of classes that have more state in Node.js ends a test with the limit `unsupported`. */
const nothingShown = () => unavailable('util.inspect of a web stream').call();
const webStreams = () => {
    finishClass(ReadableStream, 'ReadableStream', stream => ({locked: stream.locked, state: readableCore(stream).state, supportsBYOB: false}));
    defineProperty(ReadableStream, 'from', {enumerable: true});
    defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {value: ReadableStream.prototype.values, writable: true,
        enumerable: false, configurable: true});
    finishClass(ReadableStreamDefaultController, 'ReadableStreamDefaultController', () => ({}));
    finishClass(ReadableStreamDefaultReader, 'ReadableStreamDefaultReader', nothingShown);
    finishClass(WritableStreamDefaultWriter, 'WritableStreamDefaultWriter', nothingShown);
    finishClass(WritableStreamDefaultController, 'WritableStreamDefaultController', nothingShown);
    finishClass(TransformStream, 'TransformStream', nothingShown);
    finishClass(WritableStream, 'WritableStream', stream => ({locked: stream.locked, state: writableCore(stream).state}));
    finishClass(TransformStreamDefaultController, 'TransformStreamDefaultController', nothingShown);
    for (const Class of [TextEncoderStream, TextDecoderStream]) {
        for (const name of Object.getOwnPropertyNames(Class.prototype).slice(1)) {
            defineProperty(Class.prototype, name, {enumerable: true});
        }
    }
    return {ReadableStream, ReadableStreamDefaultReader, ReadableStreamBYOBReader: unavailable('ReadableStreamBYOBReader'),
        ReadableStreamBYOBRequest: unavailable('ReadableStreamBYOBRequest'),
        ReadableByteStreamController: unavailable('ReadableByteStreamController'), ReadableStreamDefaultController, TransformStream,
        TransformStreamDefaultController, WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController,
        ByteLengthQueuingStrategy: strategyClass('ByteLengthQueuingStrategy', chunk => chunk.byteLength),
        CountQueuingStrategy: strategyClass('CountQueuingStrategy', () => 1), TextEncoderStream, TextDecoderStream,
        CompressionStream: unavailable('CompressionStream'), DecompressionStream: unavailable('DecompressionStream')};
};
