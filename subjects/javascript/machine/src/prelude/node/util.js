// The module `util`. Each load makes its functions anew, because a program may change them.
const utilModule = () => {
    const promisify = f => {
        checkArgument(f, 'original', 'function');
        const custom = f[promisify.custom];
        if (typeof custom === 'function') {
            return custom;
        }
        const promised = function (...values) {
            return new Promise((done, fail) => apply(f, this, [...values, (error, value) => error ? fail(error) : done(value)]));
        };
        return defineProperty(promised, 'name', {value: ownName(f), configurable: true});
    };
    promisify.custom = Symbol.for('nodejs.util.promisify.custom');
    const callbackify = f => function (...values) {
        const done = values.pop();
        then(apply(f, this, values), value => done(null, value), error => done(error));
    };
    const inherits = (child, parent) => {
        checkArgument(child, 'ctor', 'function');
        checkArgument(parent, 'superCtor', 'function');
        defineProperty(child, 'super_', {value: parent, writable: true, configurable: true});
        Object.setPrototypeOf(child.prototype, parent.prototype);
    };
    const types = {
        isNativeError: value => value instanceof Error,
        isTypedArray: value => ArrayBuffer.isView(value) && !(value instanceof DataView),
        isArrayBuffer: value => value instanceof ArrayBuffer,
        isUint8Array: value => value instanceof Uint8Array,
        isBoxedPrimitive: value => typeof value === 'object' && value !== null && boxedValue(value) !== undefined,
    };
    for (const tag of ['Date', 'RegExp', 'Promise', 'Map', 'Set']) {
        types['is' + tag] = value => builtinTag(value) === tag;
    }
    const {inspect: shownValue} = {inspect: (value, options, depth) => inspect(value, options, depth)};
    assign(shownValue, {custom: CUSTOM, defaultOptions: {depth: 2, breakLength: 80, compact: 3}});
    return {inherits, inspect: shownValue, format: (...values) => format(...values), promisify, callbackify, types, isArray,
        TextEncoder: globalThis.TextEncoder, TextDecoder: globalThis.TextDecoder, debuglog: () => silent, deprecate: f => f,
        isDeepStrictEqual: (a, b) => deepEqual(a, b, true)};
};
