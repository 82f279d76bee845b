// Searches everything that scripts can reach from `globalThis` and the values in `more` for the host's object and
// its members: (host, more) => "<number of objects reached>: <paths of members found>".
(function (host, more) {
    'use strict';
    const isObject = value => value !== null && (typeof value === 'object' || typeof value === 'function');

    const sought = new Map();
    const seek = (value, path) => {
        if (!isObject(value) || sought.has(value)) {
            return;
        }
        sought.set(value, path);
        for (const key of Reflect.ownKeys(value)) {
            seek(Reflect.getOwnPropertyDescriptor(value, key).value, path + '.' + String(key));
        }
    };
    seek(host, 'host');

    const reached = new Set();
    const waiting = [];
    const reach = value => {
        if (isObject(value) && !reached.has(value)) {
            reached.add(value);
            waiting.push(value);
        }
    };
    reach(globalThis);
    more.forEach(reach);
    // Start from iterators too, because no member of an object leads to their prototypes.
    const iterators = [[], new Map(), new Set(), '', new Uint8Array(1)].map(each => each[Symbol.iterator]());
    [
        ...iterators, (function () { return arguments; })(), /a/g, Object(1n), Object(Symbol()), new Date(0), new Promise(() => {}), new Proxy({}, {}),
        'a'.matchAll(/a/g), [].values().map?.(x => x), function* () {}, async () => {}, async function* () {},
        (function* () {})(), (async function* () {})(),
    ].forEach(reach);

    while (waiting.length > 0) {
        const object = waiting.pop();
        reach(Reflect.getPrototypeOf(object));
        for (const key of Reflect.ownKeys(object)) {
            const {value, get, set} = Reflect.getOwnPropertyDescriptor(object, key);
            [value, get, set].forEach(reach);
            if (get !== undefined) {
                try {
                    reach(Reflect.apply(get, object, []));
                } catch {
                    // The getter works only on instances.
                }
            }
        }
        if (object instanceof Map || object instanceof Set) {
            try {
                object.forEach((value, key) => [value, key].forEach(reach));
            } catch {
                // The value is a prototype, on which the method does not work.
            }
        }
    }
    const found = [...sought].filter(([value]) => reached.has(value)).map(([, path]) => path);
    return reached.size + ': ' + found.join(' ');
})
