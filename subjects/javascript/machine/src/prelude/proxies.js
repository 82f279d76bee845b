// Proxies that stand for arguments of unknown type. Idle proxies permit every operation; collecting proxies also record
// the operations.
const PLAIN_MEMBERS = new Set(['__proto__', 'constructor', 'toString', 'toLocaleString', 'valueOf', 'hasOwnProperty',
    'isPrototypeOf', 'propertyIsEnumerable', '__defineGetter__', '__defineSetter__', '__lookupGetter__',
    '__lookupSetter__', 'inspect', 'toSource', 'watch', 'unwatch', '__parent__', '__noSuchMethod__']);
const IDLE_THRESHOLD = host.idleThreshold;
const TRAP_THRESHOLD = host.trapThreshold;
/** Records by recording proxy. */
const collecting = new WeakMap();
const isProxy = new WeakSet();
/** Records of the current test, in the order in which they were made. */
let records = [];
let traps = 0;
let tracing = false;
/** The line of the operator that is evaluated, from 1; 0 if it is not known. */
let operatorLine = 0;
/** Points of each line for number and string if hints come from lines; otherwise undefined. */
const LINES = host.lines;
/** Whether values that come from a collecting proxy are recorded too, by path. */
const PATHS = host.paths;
const DEEPEST_PATH = 3;
const MAX_PATHS = 32;

const stop = reason => {
    host.stop(reason);
    for (;;) {
        // The next poll ends the test.
    }
};
const trapped = count => {
    traps++;
    if (++count.n > count.most) {
        if (count.throws) {
            throw new RangeError('too many operations');
        }
        stop('trap-threshold');
    }
};
const add = (table, name, points) => table[name] = (table[name] ?? 0) + points;

/** The primitive value to which a proxy is converted. */
const converted = (idle, hint) => {
    if (idle) {
        return hint === 'string' ? '1' : 1;
    }
    const number = host.proxyNumber();
    return hint === 'string' ? host.proxyText(number) : number;
};
/** An idle proxy. `record` is the record of the value from which the proxy comes, or `null` in the analyser. */
const idleProxy = (count, record, name) => {
    const next = () => idleProxy(count, record, undefined);
    const proxy = new Proxy(function () {}, {
        get(target, key) {
            trapped(count);
            switch (key) {
            case Symbol.toPrimitive: return hint => converted(record === null, hint);
            case 'valueOf': return () => converted(record === null, 'number');
            case 'toString': return () => converted(record === null, 'string');
            case 'toJSON': return () => converted(record === null, 'number');
            case Symbol.iterator: return twice(next);
            case 'then': return undefined;
            case 'length': return 2;
            case 'prototype': return target.prototype;
            default: return typeof key === 'symbol' ? undefined : next();
            }
        },
        apply() {
            trapped(count);
            if (record !== null && name !== undefined) {
                add(record.called, name, 1);
            }
            return next();
        },
        construct() {
            trapped(count);
            return next();
        },
        set() {
            trapped(count);
            return true;
        },
        defineProperty() {
            trapped(count);
            return true;
        },
        deleteProperty() {
            trapped(count);
            return true;
        },
        has() {
            trapped(count);
            return true;
        },
        getPrototypeOf() {
            trapped(count);
            return FunctionPrototype;
        },
    });
    weakAdd(isProxy, proxy);
    return proxy;
};
const twice = next => function* () {
    yield next();
    yield next();
};
const newRecord = id => ({id, members: {}, called: {}, written: {}, scores: {number: 0, string: 0}, more: {}, arity: 0, traps: 0,
    paths: {}});
/** The value that comes from a collecting proxy through a path: `.name`, `[]` for elements, `()` for results. */
const offspring = (record, count, level, path, name) => {
    if (!PATHS || level >= DEEPEST_PATH) {
        return idleProxy(count, record, name);
    }
    let child = record.paths[path];
    if (child === undefined) {
        if (keys(record.paths).length >= MAX_PATHS) {
            return idleProxy(count, record, name);
        }
        child = record.paths[path] = newRecord(0);
    }
    return recordingProxy(child, count, level + 1, record, name);
};
/** A proxy with a new record. */
const collectingProxy = id => {
    const record = newRecord(id);
    push(records, record);
    return recordingProxy(record, {n: 0, most: TRAP_THRESHOLD}, 0, undefined, undefined);
};
/** Adds the points of the line whose operator converts a proxy. */
const lineSeen = record => {
    if (LINES !== undefined && operatorLine > 0) {
        record.scores.number += LINES[operatorLine * 2 - 2];
        record.scores.string += LINES[operatorLine * 2 - 1];
    }
};
/** A proxy that records. `owner` is the record of the value from which the proxy comes as the member `name`, if any.
    */
const recordingProxy = (record, count, level, owner, name) => {
    const seen = key => {
        if (typeof key === 'symbol' || weakHas(PLAIN_MEMBERS, key)) {
            return undefined;
        }
        const name = String(key);
        if (isWhole(name)) {
            add(record.more, 'index', 1);
            return undefined;
        }
        add(record.members, name, 1);
        return name;
    };
    const step = () => {
        record.traps++;
        trapped(count);
    };
    const element = () => offspring(record, count, level, '[]', undefined);
    const result = () => offspring(record, count, level, '()', undefined);
    const called = values => {
        step();
        add(record.more, 'applied', 1);
        record.arity = values.length > record.arity ? values.length : record.arity;
        if (owner !== undefined && name !== undefined) {
            add(owner.called, name, 1);
        }
        return result();
    };
    const proxy = new Proxy(function () {}, {
        get(target, key) {
            step();
            const read = seen(key);
            switch (key) {
            case Symbol.toPrimitive: return hint => {
                add(record.more, hint === 'string' ? 'asText' : 'asNumber', 1);
                lineSeen(record);
                return converted(false, hint);
            };
            case 'valueOf': return () => converted(false, 'number');
            case 'toString': return () => converted(false, 'string');
            case 'toJSON': return () => converted(false, 'number');
            case Symbol.iterator:
                add(record.more, 'iterated', 1);
                return twice(element);
            case 'then':
                add(record.more, 'then', 1);
                return undefined;
            case 'length': return 2;
            case 'prototype': return target.prototype;
            default:
                if (typeof key === 'symbol') {
                    return undefined;
                }
                if (read !== undefined) {
                    return offspring(record, count, level, '.' + read, read);
                }
                return isWhole(key) ? element() : idleProxy(count, record, undefined);
            }
        },
        apply(_, __, values) {
            return called(values);
        },
        construct(_, values) {
            return called(values);
        },
        set(_, key) {
            step();
            const written = seen(key);
            if (written !== undefined) {
                add(record.written, written, 1);
            }
            return true;
        },
        defineProperty(_, key) {
            step();
            seen(key);
            return true;
        },
        deleteProperty(_, key) {
            step();
            seen(key);
            return true;
        },
        has(_, key) {
            step();
            seen(key);
            add(record.more, 'keys', 1);
            return true;
        },
        ownKeys(target) {
            step();
            add(record.more, 'keys', 1);
            return ownKeys(target);
        },
        getPrototypeOf() {
            step();
            return FunctionPrototype;
        },
    });
    weakAdd(isProxy, proxy);
    weakSet(collecting, proxy, record);
    return proxy;
};

// Observations of collecting proxies by instrumented operators.
const recordOf = value => typeof value === 'function' ? weakGet(collecting, value) : undefined;
const knownType = value => value === null || value === undefined ? 'null' : typeof value !== 'object' ? typeof value
    : isArray(value) ? 'array' : builtinTag(value) || className(value) || 'object';
const operandSeen = (record, operator, other, literal) => {
    if (LINES !== undefined) {
        return;
    }
    if (operator >= 4 && operator <= 7) {
        record.scores.number += 2;
        record.scores.string += 1;
    } else if (operator >= 9 && operator <= 19) {
        record.scores.number += 2;
    }
    if (literal === 1) {
        record.scores.number += 5;
    } else if (literal === 2) {
        record.scores.string += 5;
    } else if (recordOf(other) === undefined) {
        if (operator === 8) {
            add(record.more, 'plus:' + knownType(other), 1);
        } else if (operator <= 3) {
            add(record.more, 'equals:' + knownType(other), 1);
        }
    }
};
const operandsSeen = (code, a, b) => {
    const left = recordOf(a);
    const right = recordOf(b);
    const operator = code & 31;
    operatorLine = code >> 9;
    if (left !== undefined && operator < 20) {
        operandSeen(left, operator, b, code >> 7 & 3);
    }
    if (right !== undefined && operator < 20) {
        operandSeen(right, operator, a, code >> 5 & 3);
    }
    if (left !== undefined && operator === 21) {
        add(left.more, 'instanceof:' + (typeof b === 'function' ? String(b.name) : ''), 1);
    }
};
const converting = (points, value) => {
    const record = recordOf(value);
    operatorLine = points >> 9;
    if (record !== undefined && LINES === undefined) {
        record.scores.number += points & 511;
    }
    return value;
};
const SIGNATURES = ['passed:number', 'passed:string', 'passed:object', 'isArray'];
/** Whether the objects whose methods are being called are arrays, by the place of the call. */
const callees = new Map();
/** Records an argument of a built-in function. From 16 on, `kind` stands for the place of a call whose first argument
    must be a function if its object is an array. A negative `kind` reports the object of the call. */
const passedTo = (kind, value) => {
    if (kind < 0) {
        mapSet(callees, -kind, isArray(value));
        return value;
    }
    const record = recordOf(value);
    if (record !== undefined && (kind < 16 || mapGet(callees, kind - 16))) {
        add(record.more, kind < 16 ? SIGNATURES[kind] : 'passed:function', 1);
    }
    return value;
};
const compound = (code, left, right) => {
    operandsSeen(code, left, right);
    return right;
};
const typeAsked = (value, text) => {
    const record = recordOf(value);
    if (record !== undefined) {
        add(record.more, 'typeof:' + text, 1);
    }
};
const truthSeen = value => {
    const record = recordOf(value);
    if (record !== undefined) {
        add(record.more, 'truth', 1);
    }
    return value;
};
