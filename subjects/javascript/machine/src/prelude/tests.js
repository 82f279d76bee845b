// Execution of tests, statement by statement.
let test = [];
let variables = [];
let exported;
let thrown;
let pending;
let settled = 0;

/** The value of an argument. */
const value = argument => {
    const [kind, data, more] = argument;
    switch (kind) {
    case 'variable': return variables[data];
    case 'number': return Number(data);
    case 'string': return data;
    case 'boolean': return data;
    case 'null': return null;
    case 'undefined': return undefined;
    case 'bigint': return BigInt(data);
    case 'symbol': return Symbol(data);
    case 'regexp': return new RegExp(data, more);
    case 'date': return new Date(data);
    case 'array': return data.map(value);
    case 'map': return new Map(data.map(([key, item]) => [value(key), value(item)]));
    case 'set': return new Set(data.map(value));
    case 'object': {
        const object = {};
        for (const [name, item] of data) {
            defineProperty(object, name, {value: value(item), writable: true, enumerable: true, configurable: true});
        }
        return object;
    }
    case 'function': return functionValue(data, more);
    case 'promise': {
        const inner = value(data);
        if (more) {
            const rejected = Promise.reject(new Error('e'));
            then(rejected, undefined, silent);
            return rejected;
        }
        return Promise.resolve(inner);
    }
    default: return collectingProxy(data);
    }
};
/** A function as a value: returns a constant or its first argument, throws, writes a member of its argument, or calls
    one of its arguments. The source text is the same as in suites that are written as code, because a program can read
    it. */
const functionValue = (what, result) => {
    switch (what) {
    case 'first': return value => value;
    case 'throws': return () => { throw new Error('e'); };
    case 'writes': return a => { if (a !== null && typeof a === 'object') a.changed = true; return a; };
    case 'calls': {
        const passed = value(result);
        return (...values) => values.findLast(each => typeof each === 'function')?.(null, passed);
    }
    case 'passes': {
        const passed = value(result);
        return (...values) => values.find(each => typeof each === 'function')?.(passed);
    }
    default: {
        return (value => () => value)(value(result));
    }
    }
};
const target = path => {
    let found = exported;
    for (let i = 0; i < path.length; i++) {
        found = found[path[i]];
    }
    return found;
};
const ownerOf = path => path.length === 0 ? undefined : target(path.slice(0, -1));
/** Loads the subject. Afterwards, all counters are 0 unless the units that loading reaches count. */
const prepare = (infer, loading) => {
    clearProbes();
    records = [];
    traps = 0;
    tracing = false;
    thrown = undefined;
    testing = false;
    measured = loading;
    ticks = [];
    stores = null;
    exported = load(infer);
    for (const name of host.namespace) {
        exported = exported[name];
    }
    if (!loading) {
        clearProbes();
    }
    measured = true;
    tracing = infer;
};
/** Takes the statements of a test. */
const begin = text => {
    test = parse(text);
    testing = true;
    variables = new Array(test.length);
};
const PASSED = 0;
const THREW = 1;
const WAITS = 2;
const execute = statement => {
    const {op} = statement;
    switch (op) {
    case 'new': return construct(target(statement.path), statement.arguments.map(value));
    case 'call': {
        const f = target(statement.path);
        const owner = ownerOf(statement.path);
        return apply(f, owner, statement.arguments.map(value));
    }
    case 'method': {
        const receiver = variables[statement.receiver];
        const values = statement.arguments.map(value);
        return receiver[statement.name](...values);
    }
    case 'get': return variables[statement.receiver][statement.name];
    case 'set': {
        variables[statement.receiver][statement.name] = value(statement.arguments[0]);
        return undefined;
    }
    case 'static-get': return target(statement.path);
    case 'code': return snippet(statement.code);
    default: return value(statement.arguments[0]);
    }
};
const named = create(null);
/** The value of a line of code in an example, where exports and earlier variables have their names. */
const snippet = code => {
    const scope = create(null);
    for (const name of keys(exported)) {
        scope[name] = exported[name];
    }
    assign(scope, named);
    let unknown = 0;
    scope.$unknown = () => collectingProxy(unknown++);
    return new Function('$scope', 'with ($scope) { return (' + code + '\n); }')(scope);
};
/** Executes a statement. Returns PASSED, THREW or WAITS. */
const run = index => {
    const statement = test[index];
    try {
        const result = synchronously(() => execute(statement));
        if (typeof result === 'string' && result.length > MAX_UNITS) {
            tooLong();
        }
        variables[index] = result;
        if (statement.name !== undefined && statement.op === 'code') {
            named[statement.name] = result;
        }
        if (statement.await && result instanceof Promise) {
            settled = 0;
            pending = result;
            then(result, value => {
                settled = 1;
                variables[index] = value;
            }, reason => {
                settled = 2;
                thrown = reason;
            });
            return WAITS;
        }
        return PASSED;
    } catch (error) {
        thrown = error;
        return THREW;
    }
};
/** 0 while a promise waits, 1 if it was fulfilled, 2 if it was rejected. */
const isSettled = () => settled;
const observed = index => stringify(observe(variables[index]));
const exception = () => stringify(thrownData(thrown));
/** The records of collecting proxies, the traps, how often recursion was too deep, and the types of results. */
const report = () => {
    const types = [];
    for (let i = 0; i < variables.length; i++) {
        push(types, safely(() => typeName(variables[i])) ?? '');
    }
    return stringify({records, traps, frames, types});
};
/** The value of a variable as data. */
const stateOf = index => stringify(observe(variables[index]));
