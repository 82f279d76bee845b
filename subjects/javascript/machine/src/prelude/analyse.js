// The analyser: finds classes, methods and fields by executing the program.
const numberOf = value => {
    const found = typeof value === 'function' ? safely(() => host.marker(functionText(value))) : undefined;
    return found === undefined || found < 0 ? null : found;
};
const isCallable = value => typeof value === 'function';
const isClassText = value => safely(() => matches(/^class\b/, functionText(value))) != null;
const isClass = value => {
    if (isClassText(value)) {
        return true;
    }
    const prototype = getOwn(value, 'prototype');
    if (prototype === undefined || prototype.value === null || typeof prototype.value !== 'object') {
        return false;
    }
    const names = ownKeys(prototype.value).filter(name => name !== 'constructor');
    return names.length > 0 || host.assignsThis(numberOf(value) ?? -1);
};
const hidden = name => typeof name === 'symbol' || name[0] === '$';
const idle = () => {
    // If a constructor does not end with this argument, something else is tried.
    return idleProxy({n: 0, most: IDLE_THRESHOLD, throws: true}, null, undefined);
};
/** An instance, made with the first arguments that the constructor accepts. */
const instanceOf = (C, count) => {
    const attempts = [Array.from({length: count}, idle), [], Array.from({length: count}, () => undefined),
        Array.from({length: count}, () => ({}))];
    for (const values of attempts) {
        try {
            return {instance: construct(C, values)};
        } catch {
            // The next attempt passes something else.
        }
    }
    return undefined;
};
const memberOf = (name, owner) => {
    const member = getOwn(owner, name);
    if (member === undefined) {
        return undefined;
    }
    if (!('value' in member)) {
        return {name, kind: 'accessor', callable: numberOf(member.get ?? member.set), reads: member.get !== undefined,
            writes: member.set !== undefined};
    }
    if (weakHas(isProxy, typeof member.value === 'function' ? member.value : {})) {
        return {name, kind: 'field'};
    }
    return isCallable(member.value) ? {name, kind: 'method', callable: numberOf(member.value), length: member.value.length}
        : {name, kind: 'field'};
};
const membersOf = (start, until) => {
    const found = new Map();
    for (let owner = start; owner !== null && owner !== ObjectPrototype && owner !== FunctionPrototype && owner !== until;
        owner = getPrototypeOf(owner)) {
        for (const name of ownKeys(owner)) {
            if (!hidden(name) && name !== 'constructor' && !found.has(name)) {
                const member = memberOf(name, owner);
                if (member !== undefined) {
                    found.set(name, member);
                }
            }
        }
    }
    return [...found.values()];
};
const describeClass = (name, path, C) => {
    const callable = numberOf(C);
    const count = callable === null ? C.length : host.parameterCount(callable, C.length);
    const made = instanceOf(C, count);
    const start = made === undefined ? C.prototype : made.instance;
    const usable = start !== null && (typeof start === 'object' || typeof start === 'function');
    const statics = [];
    for (const key of ownKeys(C)) {
        if (!hidden(key) && !['length', 'name', 'prototype', 'arguments', 'caller'].includes(key)) {
            const member = memberOf(key, C);
            if (member !== undefined) {
                statics.push(member);
            }
        }
    }
    return {name, own: ownName(C), path, callable, length: C.length, members: usable ? membersOf(start, null) : [], statics,
        crashed: made === undefined};
};
const walk = (path, value, level, found, seen) => {
    if (value === null || typeof value !== 'object' && typeof value !== 'function' || seen.has(value)) {
        return;
    }
    const names = safely(() => keys(value)) ?? [];
    for (const name of names) {
        if (hidden(name)) {
            continue;
        }
        const member = safely(() => value[name]);
        const at = [...path, name];
        if (isCallable(member)) {
            if (!seen.has(member)) {
                seen.add(member);
                found.push(isClass(member) ? {kind: 'class', ...describeClass(name, at, member)}
                    : {kind: 'function', name, path: at, callable: numberOf(member), length: member.length});
            }
        } else if (member !== null && typeof member === 'object' && path.length === 0 && name === 'default' && !isArray(member)) {
            // The default export of a module is like the exports of a script.
            walk(at, member, level, found, seen);
        } else if (member !== null && typeof member === 'object' && level < 1 && !isArray(member)
            && keys(member).some(key => isCallable(safely(() => member[key])))) {
            walk(at, member, level + 1, found, seen);
        } else {
            found.push({kind: 'value', name, path: at});
        }
    }
};
/** Maximum number of members of a plain object that are looked at. */
const MAX_SHAPE = 30;
/** A name for a function of the program, or for a plain object with such functions; empty for other values. */
const shapeName = value => {
    if (!host.shapes) {
        return '';
    }
    if (typeof value === 'function') {
        const number = isClassText(value) ? null : numberOf(value);
        return number === null ? '' : 'function ' + number;
    }
    const names = keys(value);
    let shape = '';
    for (let i = 0; i < names.length && i < MAX_SHAPE; i++) {
        const member = getOwn(value, names[i]);
        if (member !== undefined && typeof member.value === 'function' && numberOf(member.value) !== null) {
            shape += (shape === '' ? 'object with ' : ', ') + names[i];
        }
    }
    return shape;
};
/** Sources of the regular expressions that loading constructs. */
const constructedPatterns = () => {
    const found = [];
    const noted = made => {
        push(found, String(made.source));
        return made;
    };
    const recorded = new Proxy(RegExp, {
        construct: (target, values, asked) => noted(construct(target, values, asked === recorded ? target : asked)),
        apply: (target, _, values) => noted(apply(target, undefined, values)),
    });
    globalThis.RegExp = recorded;
    RegExp.prototype.constructor = recorded;
    load(false);
    return stringify(found);
};
/** Describes the class of a variable, which is not among the exports. */
const describe = index => stringify(safely(() => {
    const shape = className(variables[index]) === '' || typeof variables[index] === 'function' ? shapeName(variables[index]) : '';
    if (shape !== '') {
        const called = typeof variables[index] === 'function';
        const members = called ? [{name: 'call', kind: 'method', callable: numberOf(variables[index]), length: variables[index].length}]
            : membersOf(variables[index], null);
        return {kind: called ? 'function' : 'shape', name: shape, callable: null, length: 0, members};
    }
    const maker = getOwn(getPrototypeOf(variables[index]), 'constructor').value;
    const name = ownName(maker);
    return {kind: 'observed', name, callable: numberOf(maker), length: maker.length, members: membersOf(variables[index], null)};
}) ?? null);
/** The classes, functions and values of the subject, in the order of definition. */
const analyse = () => {
    traps = 0;
    let start = load(true);
    for (const name of host.namespace) {
        start = start[name];
    }
    const found = [];
    const seen = new Set();
    if (isCallable(start)) {
        seen.add(start);
        const name = ownName(start) || 'default';
        found.push(isClass(start) ? {kind: 'class', ...describeClass(name, [], start)}
            : {kind: 'function', name, path: [], callable: numberOf(start), length: start.length});
    }
    if (host.shapes && isCallable(start) && !isClass(start)) {
        // Add the members of a function that is the whole export.
        seen.delete(start);
        walk([], start, 0, found, new Set([...seen]));
        return stringify(found.filter((each, index) => index === 0 || each.callable === null || each.callable !== found[0].callable));
    }
    walk([], start, 0, found, seen);
    return stringify(found);
};
