// Some functions of lodash, for plans.
(function (kit) {
    'use strict';
    const isObject = value => value !== null && typeof value === 'object';
    const tag = value => Object.prototype.toString.call(value);
    const WRAPPED = ['[object String]', '[object Number]', '[object Boolean]'];
    const isPlain = value => isObject(value) && !WRAPPED.includes(tag(value));

    /** Whether two values are deeply equal. `seen` has the pairs that are being compared. */
    const isEqual = (a, b, seen = []) => {
        if (a === b || a !== a && b !== b) {
            return true;
        }
        if (!isPlain(a) || !isPlain(b)) {
            const boxed = isObject(a) || isObject(b);
            return boxed && tag(a) === tag(b) && Object.is(a.valueOf(), b.valueOf());
        }
        const kind = tag(a);
        if (kind !== tag(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) {
            return false;
        }
        if (kind === '[object Date]') {
            return Object.is(+a, +b);
        }
        if (kind === '[object RegExp]') {
            return String(a) === String(b);
        }
        if (seen.some(pair => pair[0] === a && pair[1] === b)) {
            return true;
        }
        const pairs = [...seen, [a, b]];
        if (kind === '[object Set]') {
            return a.size === b.size && [...a].every(x => b.has(x) || [...b].some(y => isEqual(x, y, pairs)));
        }
        if (kind === '[object Map]') {
            return a.size === b.size && [...a].every(x => [...b].some(y => isEqual(x, y, pairs)));
        }
        const keys = Object.keys(a);
        return keys.length === Object.keys(b).length && (!Array.isArray(a) || a.length === b.length) &&
            keys.every(key => Object.hasOwn(b, key) && isEqual(a[key], b[key], pairs));
    };
    const cloneDeep = (value, seen = new Map()) => {
        if (!isPlain(value)) {
            return value;
        }
        if (seen.has(value)) {
            return seen.get(value);
        }
        const copy = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
        seen.set(value, copy);
        for (const key of Object.keys(value)) {
            copy[key] = cloneDeep(value[key], seen);
        }
        return copy;
    };

    const path = key => Array.isArray(key) ? key : String(key).split(/[.[\]]/).filter(part => part !== '');
    const get = (object, key, otherwise) => {
        let found = object;
        for (const part of path(key)) {
            found = found?.[part];
        }
        return found === undefined ? otherwise : found;
    };
    /** Converts an iteratee of lodash (a function, a path or an object) to a function. */
    const iteratee = by => {
        if (typeof by === 'function') {
            return by;
        }
        if (by === undefined) {
            return item => item;
        }
        return isObject(by) ? item => Object.keys(by).every(key => isEqual(item?.[key], by[key])) : item => get(item, by);
    };
    const list = items => {
        if (items === undefined || items === null) {
            return [];
        }
        return typeof items === 'string' || Array.isArray(items) ? [...items] : Object.values(items);
    };
    const range = (start, end, step) => {
        if (end === undefined) {
            [start, end] = [0, start];
        }
        step ??= start < end ? 1 : -1;
        const length = Math.max(Math.ceil((end - start) / (step || 1)), 0);
        return Array.from({length}, (_, at) => start + at * step);
    };
    const extreme = (items, by, better) => {
        let best;
        let least;
        for (const item of list(items)) {
            const value = iteratee(by)(item);
            if (value !== undefined && value !== null && (least === undefined || better(value, least))) {
                [best, least] = [item, value];
            }
        }
        return best;
    };
    const uniqBy = (items, by) => {
        const known = new Set();
        return list(items).filter(item => {
            const key = iteratee(by)(item);
            return !known.has(key) && known.add(key);
        });
    };
    const flatten = items => list(items).flat();
    const _ = function (value) {
        return value;
    };
    Object.assign(_, {
        range, isEqual: (a, b) => isEqual(a, b), cloneDeep: value => cloneDeep(value), get,
        last: items => list(items).at(-1),
        first: items => list(items)[0],
        head: items => list(items)[0],
        uniq: items => [...new Set(list(items))],
        uniqBy,
        sum: items => list(items).reduce((a, b) => a + b, 0),
        sumBy: (items, by) => list(items).reduce((sum, item) => sum + iteratee(by)(item), 0),
        max: items => extreme(items, undefined, (a, b) => a > b),
        min: items => extreme(items, undefined, (a, b) => a < b),
        maxBy: (items, by) => extreme(items, by, (a, b) => a > b),
        minBy: (items, by) => extreme(items, by, (a, b) => a < b),
        groupBy: (items, by) => {
            const groups = {};
            for (const item of list(items)) {
                (groups[iteratee(by)(item)] ??= []).push(item);
            }
            return groups;
        },
        sortBy: (items, by) => {
            const keys = (Array.isArray(by) ? by : [by]).map(iteratee);
            const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
            return list(items).sort((a, b) => keys.reduce((sum, key) => sum || order(key(a), key(b)), 0));
        },
        flatten,
        flatMap: (items, f) => list(items).flatMap((item, at) => f(item, at)),
        zip: (...lists) => range(Math.max(0, ...lists.map(items => items.length))).map(at => lists.map(items => items[at])),
        difference: (items, ...others) => list(items).filter(item => !flatten(others).includes(item)),
        intersection: (items, ...others) => [...new Set(list(items))].filter(item => others.every(o => o.includes(item))),
        times: (count, f = at => at) => range(count).map(at => f(at)),
        random: (low = 0, high = 1, floating = false) => floating || low % 1 || high % 1
            ? low + Math.random() * (high - low)
            : low + Math.floor(Math.random() * (high - low + 1)),
        isEmpty: value => value instanceof Map || value instanceof Set ? value.size === 0 : list(value).length === 0,
        isNil: value => value === undefined || value === null,
        has: (object, key) => {
            const parts = path(key);
            const owner = parts.length > 1 ? get(object, parts.slice(0, -1)) : object;
            return owner !== undefined && owner !== null && Object.hasOwn(Object(owner), parts.at(-1));
        },
        pick: (object, ...keys) => Object.fromEntries(keys.flat().filter(key => key in object).map(key => [key, object[key]])),
        omit: (object, ...keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.flat().includes(key))),
        keys: value => Object.keys(value ?? {}),
        values: value => Object.values(value ?? {}),
        entries: value => Object.entries(value ?? {}),
        map: (items, by) => list(items).map((item, at) => iteratee(by)(item, at)),
        filter: (items, by) => list(items).filter((item, at) => iteratee(by)(item, at)),
        find: (items, by) => list(items).find((item, at) => iteratee(by)(item, at)),
        some: (items, by) => list(items).some((item, at) => iteratee(by)(item, at)),
        every: (items, by) => list(items).every((item, at) => iteratee(by)(item, at)),
        reduce: (items, f, ...start) => list(items).reduce(f, ...start),
        includes: (items, item) => typeof items === 'string' ? items.includes(item) : list(items).includes(item),
        capitalize: text => String(text).charAt(0).toUpperCase() + String(text).slice(1).toLowerCase(),
    });
    Object.setPrototypeOf(_, new Proxy(Function.prototype, {
        get(target, name, receiver) {
            if (typeof name === 'string' && !(name in target)) {
                throw new TypeError(`\`_.${name}\` does not exist in catherd: write it in the plan`);
            }
            return Reflect.get(target, name, receiver);
        },
    }));
    kit.lodash = _;
    kit.isEqual = _.isEqual;
})
