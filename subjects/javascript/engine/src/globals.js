// The host environment of scripts: some of what a browser or Node offers beyond the language, on
// virtual time, and the same on every computer. This script is evaluated once in each context,
// before any other script. It keeps the built-in functions that it needs, because scripts may
// change the built-in objects.
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
    /** Gives a function the name and the number of parameters of a built-in function. */
    const named = (name, length, value) => {
        defineProperty(value, 'name', {value: name, configurable: true});
        return defineProperty(value, 'length', {value: length, configurable: true}) && value;
    };
    const text = value => apply(wellFormed, NativeString(value), []);

    for (const name of ['SharedArrayBuffer', 'Atomics']) {
        deleteProperty(global, name);
    }

    // Scripts cannot observe that garbage is collected.
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
    const {guarded} = host;
    let debt = 0;
    const spend = polls => {
        if (host.count(polls)) {
            for (;;) {
                // The next poll ends the script.
            }
        }
    };
    const count = length => {
        if (length > LONG) {
            spend(length);
        } else if (guarded && typeof length === 'number' && length > 0) {
            debt += length;
            if (debt > LONG) {
                const polls = debt;
                debt = 0;
                spend(polls);
            }
        }
    };
    const isCountable = value => isObject(value) && (guarded || typeof value === 'object');
    // Nested arrays are joined level by level. The levels are counted, and a cycle yields an empty
    // string, as in other engines.
    const MAX_LEVELS = 2000;
    // The first levels are compared one by one, because most arrays are not nested deeper.
    const FEW_LEVELS = 16;
    const joined = {__proto__: null};
    const deeper = new Set();
    const {has, add, delete: remove} = Set.prototype;
    let levels = 0;
    const tooDeep = () => {
        throw new RangeError('Maximum call stack size exceeded');
    };
    const join = (native, array, values) => {
        if (!guarded || !isObject(array)) {
            return apply(native, array, values);
        }
        for (let i = 0; i < levels && i < FEW_LEVELS; i++) {
            if (joined[i] === array) {
                return '';
            }
        }
        if (levels >= FEW_LEVELS && apply(has, deeper, [array])) {
            return '';
        }
        if (levels >= MAX_LEVELS) {
            tooDeep();
        }
        const level = levels++;
        if (level < FEW_LEVELS) {
            joined[level] = array;
        } else {
            apply(add, deeper, [array]);
        }
        try {
            return apply(native, array, values);
        } finally {
            levels = level;
            if (level < FEW_LEVELS) {
                joined[level] = undefined;
            } else {
                apply(remove, deeper, [array]);
            }
        }
    };
    for (const name of ['with', 'concat', 'join', 'toLocaleString', 'shift', 'unshift', 'reverse',
        'toReversed', 'sort', 'toSorted', 'slice', 'splice', 'toSpliced', 'copyWithin', 'flat', 'flatMap']) {
        const native = Array.prototype[name];
        const joins = name === 'join' || name === 'toLocaleString';
        method(Array.prototype, name, named(name, native.length, function (...values) {
            if (isCountable(this)) {
                count(this.length);
            }
            if (name === 'concat') {
                for (let i = 0; i < values.length; i++) {
                    const value = values[i];
                    if (isCountable(value)) {
                        count(value.length);
                    }
                }
            }
            return joins ? join(native, this, values) : apply(native, this, values);
        }));
    }

    // Other functions whose time grows faster than their memory, or whose recursion depends on a
    // string.
    if (guarded) {
        const wrap = (object, name, make) => {
            const native = object[name];
            method(object, name, named(name, native.length, make(native)));
        };
        wrap(Object, 'fromEntries', native => entries => {
            if (isObject(entries)) {
                count(entries.length);
            }
            return native(entries);
        });
        wrap(BigInt.prototype, 'toString', native => function (radix) {
            const digits = apply(native, this, [radix]);
            // The time grows with the square of the number of digits.
            count(digits.length * digits.length / 5000);
            return digits;
        });
        const marks = /\p{M}{64}/u;
        const matches = RegExp.prototype.test;
        wrap(String.prototype, 'normalize', native => function (...values) {
            const string = this === null || this === undefined ? this : NativeString(this);
            if (typeof string === 'string' && string.length > 256 && apply(matches, marks, [string])) {
                // Marks in a row are sorted by exchanging neighbours.
                count(string.length * string.length / 16);
            }
            return apply(native, string, values);
        });
        const MAX_JSON = 10000;
        wrap(JSON, 'parse', native => (text, reviver) => {
            const string = typeof text === 'string' ? text : `${text}`;
            if (string.length > MAX_JSON && host.nesting(string, true) > MAX_JSON) {
                tooDeep();
            }
            return native(string, reviver);
        });

        const NativeRegExp = RegExp;
        const MAX_GROUPS = 1000;
        const checked = pattern => {
            if (typeof pattern === 'string' && pattern.length > MAX_GROUPS && host.nesting(pattern, false) > MAX_GROUPS) {
                throw new SyntaxError('Invalid regular expression: too many nested groups');
            }
            return pattern;
        };
        const isRegExp = value => {
            const matcher = isObject(value) ? value[Symbol.match] : undefined;
            return matcher !== undefined ? !!matcher : isObject(value) && isNativeRegExp(value);
        };
        const nativeCompile = NativeRegExp.prototype.compile;
        const sourceOf = Object.getOwnPropertyDescriptor(NativeRegExp.prototype, 'source').get;
        const isNativeRegExp = value => {
            try {
                return value !== NativeRegExp.prototype && typeof apply(sourceOf, value, []) === 'string';
            } catch {
                return false;
            }
        };
        const patternOf = pattern =>
            checked(pattern === undefined || typeof pattern === 'string' || isRegExp(pattern) ? pattern : `${pattern}`);
        const GroupedRegExp = function (pattern, flags) {
            const own = new.target === undefined;
            if (own && flags === undefined && isRegExp(pattern) && pattern.constructor === GroupedRegExp) {
                return pattern;
            }
            return construct(NativeRegExp, [patternOf(pattern), flags], own ? GroupedRegExp : new.target);
        };
        for (const name of ownKeys(NativeRegExp)) {
            defineProperty(GroupedRegExp, name, Object.getOwnPropertyDescriptor(NativeRegExp, name));
        }
        method(NativeRegExp.prototype, 'constructor', GroupedRegExp);
        method(NativeRegExp.prototype, 'compile', named('compile', 2, function (pattern, flags) {
            return apply(nativeCompile, this, [patternOf(pattern), flags]);
        }));
        method(global, 'RegExp', GroupedRegExp);
        for (const name of ['match', 'matchAll', 'search']) {
            wrap(String.prototype, name, native => function (pattern) {
                return apply(native, this, [checked(pattern)]);
            });
        }
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

    // Timers. The host keeps their order, and this table keeps their functions.
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
