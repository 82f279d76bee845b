// Conversion of values to data, which assertions compare, and types of results.
const MAX_NODES = 200;
const DEEPEST = 5;
const className = value => {
    const prototype = getPrototypeOf(value);
    if (prototype === null || prototype === ObjectPrototype) {
        return '';
    }
    const maker = getOwn(prototype, 'constructor');
    return maker !== undefined && typeof maker.value === 'function' ? ownName(maker.value) : '';
};
const ownName = f => {
    const name = getOwn(f, 'name');
    return name !== undefined && typeof name.value === 'string' ? name.value : '';
};
/** Whether a literal with the enumerable members of an object makes an equal object, apart from the prototype. */
const isLiteral = value => {
    const isHidden = name => getOwn(value, name)?.enumerable === false;
    // Errors have hidden messages and stacks, and `arguments` objects have hidden functions.
    if (symbolsOf(value).length > 0 || isHidden('message') || isHidden('stack') || isHidden('callee')) {
        return false;
    }
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
        const member = getOwn(value, names[i]);
        if (member === undefined || !('value' in member)) {
            return false;
        }
    }
    return true;
};
const numberText = value => Object.is(value, -0) ? '-0' : String(value);
/** A value as data. Getters are not called, except `name` and `message` of errors. */
const observe = value => {
    const seen = new Map();
    let nodes = 0;
    const see = (value, level) => {
        switch (typeof value) {
        case 'undefined': return {undefined: true};
        case 'boolean': return {boolean: value};
        case 'number': return {number: numberText(value)};
        case 'string': return {string: toWellFormed(value)};
        case 'bigint': return {bigint: String(value)};
        case 'symbol': return {type: 'symbol'};
        case 'function': return {type: 'function'};
        }
        if (value === null) {
            return {null: true};
        }
        if (mapHas(seen, value)) {
            return {same_as: '#' + mapGet(seen, value)};
        }
        if (level > DEEPEST || ++nodes > MAX_NODES) {
            return {type: 'object'};
        }
        mapSet(seen, value, nodes - 1);
        if (isArray(value)) {
            const array = [];
            for (let i = 0; i < value.length && i < MAX_NODES; i++) {
                const item = getOwn(value, String(i));
                push(array, item === undefined ? {hole: true} : 'value' in item ? see(item.value, level + 1) : {type: 'accessor'});
            }
            if (value.length > MAX_NODES) {
                return {type: 'array'};
            }
            // Indices come first among the keys.
            const names = keys(value);
            const last = names.length > 0 ? names[names.length - 1] : '0';
            return String(last >>> 0) === last ? {array} : {array, named: true};
        }
        const tag = builtinTag(value);
        if (tag === 'Map') {
            const map = [];
            mapEach(value, (item, key) => push(map, [see(key, level + 1), see(item, level + 1)]));
            return {map};
        }
        if (tag === 'Set') {
            const set = [];
            setEach(value, item => push(set, see(item, level + 1)));
            return {set};
        }
        if ((tag === 'Date' || tag === 'RegExp') && keys(value).length > 0) {
            return {type: 'object'};
        }
        if (tag === 'Date') {
            return {date: numberText(getTime(value))};
        }
        if (tag === 'RegExp') {
            return {regexp: regexpText(value)};
        }
        if (tag === 'Promise') {
            return {type: 'promise'};
        }
        const isError = value instanceof Error;
        // Without a prototype, `__proto__` is a member like any other.
        const members = create(null);
        let count = 0;
        const names = keys(value);
        for (let i = 0; i < names.length; i++) {
            const member = getOwn(value, names[i]);
            const shown = isError && (names[i] === 'name' || names[i] === 'message' || names[i] === 'stack');
            if (!shown && member !== undefined && 'value' in member) {
                members[names[i]] = see(member.value, level + 1);
                count++;
            }
        }
        if (isError) {
            const error = {error: String(value.name), message: String(value.message)};
            return count === 0 ? error : {...error, members};
        }
        const name = className(value);
        if (name === '') {
            const prototype = isLiteral(value) ? getPrototypeOf(value) : undefined;
            return prototype === ObjectPrototype ? {object: members}
                : {object: members, prototype: prototype === null ? null : 'other'};
        }
        return count === 0 ? {object: name} : {object: name, members};
    };
    return see(value, 0);
};
const safely = f => {
    try {
        return f();
    } catch {
        return undefined;
    }
};
/** The type of a value in one word; for an instance, with the name of its class or shape. */
const typeName = value => {
    if (value === null) {
        return 'null';
    }
    if (typeof value !== 'object') {
        const shape = typeof value === 'function' ? shapeName(value) : '';
        return shape === '' ? typeof value : 'object:' + shape;
    }
    if (weakHas(isProxy, value)) {
        return 'unknown';
    }
    if (isArray(value)) {
        return 'array';
    }
    const tag = builtinTag(value);
    return tag !== '' ? tag.toLowerCase() : 'object:' + (className(value) || shapeName(value));
};
const thrownData = value => {
    if (value instanceof Error) {
        const text = name => safely(() => toWellFormed(String(value[name]))) ?? '';
        return {name: text('name'), message: text('message')};
    }
    return {name: '', message: safely(() => toWellFormed(String(value))) ?? '', value: safely(() => observe(value)) ?? {type: 'object'}};
};
