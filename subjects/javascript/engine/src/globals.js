// The host environment of scripts: what a browser or Node offers in addition to the language, on
// virtual time, and the same on every computer. Evaluated once in each context, before any script; it
// keeps the built-in functions that it needs, because scripts may change the built-in objects.
(function (host) {
    'use strict';
    const global = globalThis;
    const {apply, construct, defineProperty, deleteProperty, ownKeys} = Reflect;
    const NativeDate = Date;
    const NativeNumber = Number;
    const NativeString = String;
    const NativeMap = Map;
    const stringify = JSON.stringify;
    const wellFormed = String.prototype.toWellFormed;
    const resolved = Promise.resolve();
    const then = Promise.prototype.then;
    const {get: mapGet, set: mapSet, delete: mapDelete} = Map.prototype;

    const method = (object, name, value) =>
        defineProperty(object, name, {value, writable: true, enumerable: false, configurable: true});
    /** A function without `prototype`, with the name and number of parameters of a built-in one. */
    const named = (name, length, value) => {
        defineProperty(value, 'name', {value: name, configurable: true});
        return defineProperty(value, 'length', {value: length, configurable: true}) && value;
    };
    const text = value => apply(wellFormed, NativeString(value), []);

    for (const name of ['SharedArrayBuffer', 'Atomics']) {
        deleteProperty(global, name);
    }

    // When garbage is collected is up to the engine: here never, as far as a script can see.
    const isObject = value => value !== null && (typeof value === 'object' || typeof value === 'function');
    const checkObject = value => {
        if (!isObject(value)) {
            throw new TypeError('an object or a function is needed');
        }
    };
    class WeakRef {
        #target;
        constructor(target) {
            checkObject(target);
            this.#target = target;
        }
        deref() {
            return this.#target;
        }
    }
    class FinalizationRegistry {
        #callback;
        constructor(callback) {
            if (typeof callback !== 'function') {
                throw new TypeError('a function is needed');
            }
            this.#callback = callback;
        }
        register(target) {
            void this.#callback;
            checkObject(target);
        }
        unregister() {
            void this.#callback;
            return false;
        }
    }
    for (const kind of [WeakRef, FinalizationRegistry]) {
        defineProperty(kind.prototype, Symbol.toStringTag, {value: kind.name, configurable: true});
        method(global, kind.name, kind);
    }

    // Methods of arrays that the engine executes without counting, and whose time grows with a
    // length that costs no memory.
    const LONG = 65536;
    const count = length => {
        if (length > LONG && host.count(length)) {
            for (;;) {
                // The next poll ends the script.
            }
        }
    };
    for (const name of ['with', 'concat', 'join', 'toLocaleString', 'shift', 'unshift', 'reverse',
        'toReversed', 'sort', 'toSorted', 'slice', 'splice', 'toSpliced', 'copyWithin', 'flat', 'flatMap']) {
        const native = Array.prototype[name];
        method(Array.prototype, name, named(name, native.length, function (...values) {
            if (this !== null && typeof this === 'object') {
                count(this.length);
            }
            if (name === 'concat') {
                for (let i = 0; i < values.length; i++) {
                    const value = values[i];
                    if (value !== null && typeof value === 'object') {
                        count(value.length);
                    }
                }
            }
            return apply(native, this, values);
        }));
    }

    // Mathematics.
    for (const name of ownKeys(host.math)) {
        const f = host.math[name];
        if (name === 'atan2' || name === 'pow') {
            method(Math, name, named(name, 2, (x, y) => f(+x, +y)));
        } else if (name !== 'hypot') {
            method(Math, name, named(name, 1, x => f(+x)));
        }
    }
    const {hypot} = host.math;
    method(Math, 'hypot', named('hypot', 2, (...values) => {
        let sum = 0;
        for (let i = 0; i < values.length; i++) {
            sum = hypot(sum, +values[i]);
        }
        return sum;
    }));
    method(Math, 'random', named('random', 0, () => host.random()));

    // Timers. The host has their order, this table what they call.
    const calls = new NativeMap();
    const timer = (repeats, callback, delay, values) => {
        if (typeof callback !== 'function') {
            throw new TypeError('a timer needs a function');
        }
        const number = host.setTimer(+delay || 0, repeats);
        apply(mapSet, calls, [number, {callback, values}]);
        return number;
    };
    const clear = number => {
        number = +number;
        host.clearTimer(number);
        apply(mapDelete, calls, [number]);
    };
    method(global, 'setTimeout', named('setTimeout', 2, (f, delay, ...values) => timer(false, f, delay, values)));
    method(global, 'setInterval', named('setInterval', 2, (f, delay, ...values) => timer(true, f, delay, values)));
    method(global, 'setImmediate', named('setImmediate', 1, (f, ...values) => timer(false, f, 0, values)));
    for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) {
        method(global, name, named(name, 1, number => clear(number)));
    }
    method(global, 'queueMicrotask', named('queueMicrotask', 1, f => {
        if (typeof f !== 'function') {
            throw new TypeError('queueMicrotask needs a function');
        }
        apply(then, resolved, [() => void f()]);
    }));
    const fire = (number, again) => {
        const call = apply(mapGet, calls, [number]);
        if (!again) {
            apply(mapDelete, calls, [number]);
        }
        if (call !== undefined) {
            apply(call.callback, undefined, call.values);
        }
    };

    // Dates: the virtual clock, in UTC.
    const now = () => host.now();
    const zone = /(?:z|gmt|utc?|[+-]\d\d:?\d\d)\s*(?:\(.*\))?$/i;
    const test = RegExp.prototype.test;
    const parse = value => {
        const string = NativeString(value);
        if (!apply(test, zone, [string])) {
            const utc = NativeDate.parse(string + 'Z');
            if (utc === utc) {
                return utc;
            }
            const spaced = NativeDate.parse(string + ' UTC');
            if (spaced === spaced) {
                return spaced;
            }
        }
        return NativeDate.parse(string);
    };
    const dates = NativeDate.prototype;
    const UTC = NativeDate.UTC;
    const getTime = dates.getTime;
    const isDate = value => {
        try {
            apply(getTime, value, []);
            return true;
        } catch {
            return false;
        }
    };
    const primitive = value => {
        if (value === null || typeof value !== 'object' && typeof value !== 'function') {
            return value;
        }
        const convert = value[Symbol.toPrimitive];
        if (convert !== undefined && convert !== null) {
            return apply(convert, value, ['default']);
        }
        const plain = value.valueOf();
        return plain !== null && typeof plain === 'object' ? value.toString() : plain;
    };
    const time = values => {
        if (values.length === 0) {
            return now();
        }
        if (values.length > 1) {
            return apply(UTC, NativeDate, values);
        }
        const value = isDate(values[0]) ? apply(getTime, values[0], []) : primitive(values[0]);
        return typeof value === 'string' ? parse(value) : NativeNumber(value);
    };
    function UtcDate(...values) {
        if (new.target === undefined) {
            return new UtcDate().toString();
        }
        return construct(NativeDate, [time(values)], new.target);
    }
    method(UtcDate, 'now', named('now', 0, () => now()));
    method(UtcDate, 'parse', named('parse', 1, value => parse(value)));
    method(UtcDate, 'UTC', UTC);
    defineProperty(UtcDate, 'prototype', {value: dates, writable: false});
    named('Date', 7, UtcDate);
    method(dates, 'constructor', UtcDate);
    for (const field of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
        method(dates, 'get' + field, dates['getUTC' + field]);
        if (field !== 'Day') {
            method(dates, 'set' + field, dates['setUTC' + field]);
        }
    }
    method(dates, 'getTimezoneOffset', named('getTimezoneOffset', 0, function () {
        return apply(getTime, this, []) * 0;
    }));
    method(dates, 'getYear', named('getYear', 0, function () {
        return this.getUTCFullYear() - 1900;
    }));
    method(global, 'Date', UtcDate);
    const start = now();
    method(global, 'performance', {now: named('now', 0, () => now() - start)});

    // The console.
    const shown = value => {
        if (typeof value !== 'object' || value === null) {
            return text(value);
        }
        if (value instanceof Error) {
            return text(value);
        }
        try {
            const json = stringify(value);
            return json === undefined ? text(value) : text(json);
        } catch {
            return '[object]';
        }
    };
    const print = level => (...values) => {
        let line = '';
        for (let i = 0; i < values.length; i++) {
            line += (i === 0 ? '' : ' ') + shown(values[i]);
        }
        host.log(level, line);
    };
    const console = {};
    for (const name of ['debug', 'log', 'info', 'warn', 'error', 'trace', 'dir', 'table']) {
        method(console, name, print(name));
    }
    method(console, 'assert', (holds, ...values) => {
        if (!holds) {
            print('error')('Assertion failed:', ...values);
        }
    });
    for (const name of ['group', 'groupEnd', 'time', 'timeEnd', 'count', 'clear']) {
        method(console, name, () => undefined);
    }
    method(global, 'console', console);

    return fire;
})
