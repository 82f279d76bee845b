// The built-in objects as a program finds them, to notice programs that change them.
const builtins = [];
/** Objects to which a program adds members by mistake, with the number of their members. */
const watched = [];
const KEPT = new Set(['process', 'console', 'global', 'structuredClone', 'TextEncoder', 'TextDecoder']);
const remember = () => {
    const seen = new Set();
    const open = [globalThis];
    while (open.length > 0) {
        const object = open.pop();
        if (seen.has(object)) {
            continue;
        }
        seen.add(object);
        const names = ownKeys(object);
        const values = [];
        for (let i = 0; i < names.length; i++) {
            const {value, get, set} = getOwn(object, names[i]);
            push(values, value, get, set);
            for (const next of [value, get, set]) {
                if (next !== null && (typeof next === 'object' || typeof next === 'function')
                    && !(object === globalThis && KEPT.has(names[i]))) {
                    open.push(next);
                }
            }
        }
        push(builtins, {object, names, values, prototype: getPrototypeOf(object)});
    }
    for (const object of [ObjectPrototype, FunctionPrototype, Array.prototype, String.prototype, Number.prototype,
        Object, Function, Array]) {
        push(watched, {object, count: ownKeys(object).length});
    }
};
/** Whether one of the objects that are watched has more or fewer members than before. */
const touched = () => {
    for (let k = 0; k < watched.length; k++) {
        if (ownKeys(watched[k].object).length !== watched[k].count) {
            return true;
        }
    }
    return false;
};
/** Whether every built-in object is as it was. */
const unchanged = () => {
    for (let k = 0; k < builtins.length; k++) {
        const {object, names, values, prototype} = builtins[k];
        const now = ownKeys(object);
        if (now.length !== names.length || getPrototypeOf(object) !== prototype) {
            return false;
        }
        for (let i = 0; i < names.length; i++) {
            const member = getOwn(object, names[i]);
            if (member === undefined) {
                return false;
            }
            const kept = object === globalThis && setHasOwn(KEPT, names[i]);
            if (!kept && !(Object.is(member.value, values[3 * i]) && member.get === values[3 * i + 1]
                && member.set === values[3 * i + 2])) {
                return false;
            }
        }
    }
    return true;
};
