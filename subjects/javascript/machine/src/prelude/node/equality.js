// Equality of values as `assert` and `util` define it.
const toText = value => apply(ObjectPrototype.toString, value, []);
/** The primitive value of an object such as `new Number(1)`; undefined for other objects. */
const boxedValue = value => {
    if (isArray(value) || getPrototypeOf(value) === ObjectPrototype) {
        return undefined;
    }
    for (const unbox of UNBOXING) {
        const plain = safely(() => unbox(value));
        if (plain !== undefined) {
            return plain;
        }
    }
    return undefined;
};
const enumerableSymbols = value => ownKeys(value).filter(key => typeof key === 'symbol' && getOwn(value, key).enumerable);
const deepEqual = (a, b, strict, open = new Map()) => {
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
        const isObject = value => value !== null && typeof value === 'object';
        return Object.is(a, b) || !strict && !isObject(a) && !isObject(b) && a == b;
    }
    if (a === b) {
        return true;
    }
    if (strict && getPrototypeOf(a) !== getPrototypeOf(b) || isArray(a) !== isArray(b) || toText(a) !== toText(b)) {
        return false;
    }
    const tag = builtinTag(a);
    if (tag !== builtinTag(b) || ArrayBuffer.isView(a) !== ArrayBuffer.isView(b)) {
        return false;
    }
    if (tag === 'Date' && !Object.is(getTime(a), getTime(b)) || tag === 'Promise') {
        return false;
    }
    if (tag === 'RegExp' && (a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex)) {
        return false;
    }
    if ((a instanceof Error || b instanceof Error) && (a.message !== b.message || a.name !== b.name)) {
        return false;
    }
    const [plain, other] = [boxedValue(a), boxedValue(b)];
    if (!Object.is(plain, other) || isArray(a) && a.length !== b.length) {
        return false;
    }
    // Objects in a cycle that are already being compared are treated as equal.
    if (mapGet(open, a) === b) {
        return true;
    }
    mapSet(open, a, b);
    const equal = (x, y) => deepEqual(x, y, strict, open);
    const names = strict ? [...keys(a), ...enumerableSymbols(a)] : keys(a);
    const others = strict ? [...keys(b), ...enumerableSymbols(b)] : keys(b);
    const same = names.length === others.length
        && names.every(name => getOwn(b, name)?.enumerable === true && equal(a[name], b[name]))
        && (tag !== 'Map' || equalEntries([...a], [...b], equal))
        && (tag !== 'Set' || equalEntries([...a], [...b], equal));
    open.delete(a);
    return same;
};
/** Whether the entries equal the others in any order. */
const equalEntries = (entries, others, equal) => entries.length === others.length && entries.every(entry => {
    const at = others.findIndex(other => equal(entry, other));
    if (at >= 0) {
        others.splice(at, 1);
    }
    return at >= 0;
});
