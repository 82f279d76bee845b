// The common parts of web streams (https://streams.spec.whatwg.org), with the errors of Node.js and without byte
// streams.
const KEY = Symbol('made');
const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));
const invalidThis = name => coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type ' + name);
const invalidState = message => coded(TypeError, 'ERR_INVALID_STATE', 'Invalid state: ' + message);
const wrongRange = (name, value) => coded(RangeError, 'ERR_INVALID_ARG_VALUE', wrongValue(name, value).message);
/** Refuses a constructor that a program calls, because only the streams themselves make controllers. */
const checkKey = key => {
    if (key !== KEY) {
        throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }
};
const checkOptions = (value, name, permitsNull = true) => {
    if (value === null ? !permitsNull : typeof value !== 'object' && typeof value !== 'function') {
        throw wrongType(name, 'of type object', value);
    }
};
const settledWith = value => new Promise(done => done(value));
const rejectedWith = error => new Promise((_, fail) => fail(error));
/** Prevents a report of an unhandled rejection of a promise. */
const handled = promise => {
    then(promise, nothing, nothing);
    return promise;
};
/** A promise with methods that settle it. */
class Later {
    isPending = true;
    constructor() {
        this.promise = new Promise((resolve, reject) => assign(this, {done: resolve, fail: reject}));
    }
    resolve(value) {
        this.isPending = false;
        this.done(value);
    }
    reject(error) {
        this.isPending = false;
        this.fail(error);
    }
    /** Rejects the promise or, if it is settled, replaces it with a rejected promise. The rejection is not reported.
        */
    breakWith(error) {
        if (this.isPending) {
            this.reject(error);
        } else {
            this.promise = rejectedWith(error);
        }
        handled(this.promise);
    }
    static resolved() {
        const made = new Later();
        made.resolve(undefined);
        return made;
    }
    static rejected(error) {
        const made = new Later();
        made.reject(error);
        handled(made.promise);
        return made;
    }
}
const asyncNothing = async () => undefined;
/** Wraps a function of the program in a function that returns a promise. */
const promising = (f, name, self) => {
    if (!f) {
        return asyncNothing;
    }
    checkArgument(f, name, 'function');
    return async (...values) => apply(f, self, values);
};
/** The result of the program's function `start`. */
const started = (start, self, controller) => {
    if (!start) {
        return undefined;
    }
    if (typeof start !== 'function') {
        throw new TypeError('Bind must be called on a function');
    }
    return apply(start, self, [controller]);
};
/** Continues after the result of `start`, which may be a promise. */
const afterStart = (result, done, fail) => then(settledWith(result), done, fail);
const markOf = (value, fallback) => {
    if (value === undefined) {
        return fallback;
    }
    const mark = +value;
    if (!(mark >= 0)) {
        throw wrongRange('strategy.highWaterMark', mark);
    }
    return mark;
};
const one = () => 1;
const sizeOf = size => {
    if (size === undefined) {
        return one;
    }
    checkArgument(size, 'strategy.size', 'function');
    return size;
};
/** A queue of values with sizes. */
class Queue {
    #entries = [];
    total = 0;
    get isEmpty() {
        return this.#entries.length === 0;
    }
    get first() {
        return this.#entries[0].value;
    }
    add(value, given) {
        const size = +given;
        if (!(size >= 0) || size === Infinity) {
            throw wrongRange('size', size);
        }
        push(this.#entries, {value, size});
        this.total += size;
    }
    take() {
        const [{value, size}] = this.#entries.splice(0, 1);
        this.total = Math.max(0, this.total - size);
        return value;
    }
    clear() {
        this.#entries = [];
        this.total = 0;
    }
}
/** Makes the members of a class enumerable, and defines its name and its output of `util.inspect`. */
const finishClass = (Class, name, shown) => {
    const prototype = Class.prototype;
    for (const key of Object.getOwnPropertyNames(prototype)) {
        if (key !== 'constructor') {
            defineProperty(prototype, key, {enumerable: true});
        }
    }
    defineProperty(prototype, Symbol.toStringTag, {value: name, configurable: true});
    defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), {value(depth, options) {
        const left = options?.depth === undefined || options.depth === null ? null : options.depth - 1;
        return depth < 0 ? this : name + ' ' + inspect(shown(this), {...options, depth: left});
    }, writable: true, enumerable: false, configurable: true});
};
const strategyClass = (name, size) => {
    defineProperty(size, 'name', {value: 'size'});
    const Class = {[name]: class {
        #mark;
        constructor(init) {
            checkObject(init, 'init');
            if (init.highWaterMark === undefined) {
                throw coded(TypeError, 'ERR_MISSING_OPTION', 'init.highWaterMark is required');
            }
            this.#mark = +init.highWaterMark;
        }
        get highWaterMark() {
            if (!(#mark in this)) {
                throw invalidThis(name);
            }
            return this.#mark;
        }
        get size() {
            if (!(#mark in this)) {
                throw invalidThis(name);
            }
            return size;
        }
    }}[name];
    finishClass(Class, name, strategy => ({highWaterMark: strategy.highWaterMark}));
    return Class;
};
