// The function `structuredClone`.
const cannotClone = text => {
    const error = new Error(text + ' could not be cloned.');
    return assign(defineProperty(error, 'name', {value: 'DataCloneError', writable: true, configurable: true}), {code: 25});
};
const clone = (value, seen) => {
    if (typeof value === 'symbol' || typeof value === 'function') {
        throw cannotClone(String(value));
    }
    if (value === null || typeof value !== 'object') {
        return value;
    }
    if (mapHas(seen, value)) {
        return mapGet(seen, value);
    }
    const keep = copy => {
        mapSet(seen, value, copy);
        return copy;
    };
    if (ArrayBuffer.isView(value)) {
        const buffer = clone(value.buffer, seen);
        const length = value instanceof DataView ? value.byteLength : value.length;
        return keep(new value.constructor(buffer, value.byteOffset, length));
    }
    if (value instanceof ArrayBuffer) {
        return keep(value.slice(0));
    }
    const plain = boxedValue(value);
    if (plain !== undefined) {
        return keep(Object(plain));
    }
    switch (builtinTag(value)) {
    case 'Date': return keep(new Date(getTime(value)));
    case 'RegExp': return keep(new RegExp(value.source, value.flags));
    case 'Promise': throw cannotClone('#<Promise>');
    case 'Map': {
        const copy = keep(new Map());
        mapEach(value, (item, key) => mapSet(copy, clone(key, seen), clone(item, seen)));
        return copy;
    }
    case 'Set': {
        const copy = keep(new Set());
        setEach(value, item => copy.add(clone(item, seen)));
        return copy;
    }
    }
    if (value instanceof WeakMap || value instanceof WeakSet) {
        throw cannotClone('#<' + className(value) + '>');
    }
    if (value instanceof Error) {
        const copy = keep(new (KINDS_OF_ERRORS[value.name] ?? Error)(value.message));
        if (getOwn(value, 'cause') !== undefined) {
            defineProperty(copy, 'cause', {value: clone(value.cause, seen), writable: true, configurable: true});
        }
        return copy;
    }
    const copy = keep(isArray(value) ? new Array(value.length) : {});
    for (const key of keys(value)) {
        copy[key] = clone(value[key], seen);
    }
    return copy;
};
