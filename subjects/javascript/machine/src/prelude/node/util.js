// The module `util`. Each load makes new functions, because a program may change them.
const PROMISIFY = Symbol.for('nodejs.util.promisify.custom');
const promisify = f => {
    checkArgument(f, 'original', 'function');
    const custom = f[PROMISIFY];
    if (custom) {
        checkArgument(custom, 'util.promisify.custom', 'function');
        return defineProperty(custom, PROMISIFY, {value: custom, enumerable: false, writable: false, configurable: true});
    }
    const promised = function (...values) {
        return new Promise((done, fail) => apply(f, this, [...values, (error, value) => error ? fail(error) : done(value)]));
    };
    Object.setPrototypeOf(promised, getPrototypeOf(f));
    defineProperty(promised, PROMISIFY, {value: promised, enumerable: false, writable: false, configurable: true});
    return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(f));
};
promisify.custom = PROMISIFY;
const callbackify = f => {
    checkArgument(f, 'original', 'function');
    const called = function (...values) {
        const done = values.pop();
        if (typeof done !== 'function') {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The last argument must be of type function. ' + received(done));
        }
        then(apply(f, this, values), value => nextTick(() => apply(done, this, [null, value])), reason => {
            const error = reason || assign(coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value'), {reason});
            nextTick(() => apply(done, this, [error]));
        });
    };
    const members = Object.getOwnPropertyDescriptors(f);
    if (typeof members.length.value === 'number') {
        members.length.value++;
    }
    if (typeof members.name.value === 'string') {
        members.name.value += 'Callbackified';
    }
    return Object.defineProperties(called, members);
};
const inherits = (child, parent) => {
    for (const [name, value] of [['ctor', child], ['superCtor', parent]]) {
        if (value === undefined || value === null) {
            checkArgument(value, name, 'function');
        }
    }
    if (parent.prototype === undefined) {
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "superCtor.prototype" property must be of type object. Received undefined');
    }
    defineProperty(child, 'super_', {value: parent, writable: true, configurable: true});
    Object.setPrototypeOf(child.prototype, parent.prototype);
};
const deprecate = f => {
    const deprecated = function (...values) {
        return new.target ? construct(f, values, new.target) : apply(f, this, values);
    };
    Object.setPrototypeOf(deprecated, f);
    if (f.prototype) {
        deprecated.prototype = f.prototype;
    }
    return defineProperty(defineProperty(deprecated, 'name', {value: 'deprecated', configurable: true}), 'length', {value: 0, configurable: true});
};
const debuglog = () => defineProperty(() => undefined, 'enabled', {value: false, configurable: true, enumerable: true});
/** Whether a value is an instance of a built-in class: a method of the class accepts the value. */
const tagged = tag => value => typeof value === 'object' && value !== null && safely(() => {
    apply(BRANDS[tag], value, []);
    return true;
}) === true;
const getterOf = (C, name) => Object.getOwnPropertyDescriptor(C.prototype, name).get;
const BRANDS = {Map: getterOf(Map, 'size'), Set: getterOf(Set, 'size'), ArrayBuffer: getterOf(ArrayBuffer, 'byteLength'),
    DataView: getterOf(DataView, 'byteLength'), Date: Date.prototype.getTime};
const tagOfArray = getterOf({prototype: getPrototypeOf(Uint8Array.prototype)}, Symbol.toStringTag);
const typesOf = () => {
    const types = {
        isExternal: () => false, isDate: tagged('Date'), isArgumentsObject: value => toText(value) === '[object Arguments]',
        isBigIntObject: boxed('bigint'), isBooleanObject: boxed('boolean'), isNumberObject: boxed('number'), isStringObject: boxed('string'),
        isSymbolObject: boxed('symbol'), isNativeError: value => value instanceof Error,
        isRegExp: value => value instanceof RegExp && value !== RegExp.prototype, isAsyncFunction: ofFunctions('AsyncFunction', 'AsyncGeneratorFunction'),
        isGeneratorFunction: ofFunctions('GeneratorFunction', 'AsyncGeneratorFunction'),
        isGeneratorObject: value => toText(value) === '[object Generator]' || toText(value) === '[object AsyncGenerator]',
        isPromise: value => value instanceof Promise, isMap: tagged('Map'), isSet: tagged('Set'),
        isMapIterator: value => toText(value) === '[object Map Iterator]', isSetIterator: value => toText(value) === '[object Set Iterator]',
        isWeakMap: value => value instanceof WeakMap, isWeakSet: value => value instanceof WeakSet, isArrayBuffer: tagged('ArrayBuffer'),
        isDataView: tagged('DataView'), isSharedArrayBuffer: () => false, isProxy: unavailable('util.types.isProxy'),
        isModuleNamespaceObject: value => toText(value) === '[object Module]', isAnyArrayBuffer: tagged('ArrayBuffer'),
        isBoxedPrimitive: value => typeof value === 'object' && value !== null && boxedValue(value) !== undefined,
        isArrayBufferView: value => ArrayBuffer.isView(value),
        isTypedArray: value => ArrayBuffer.isView(value) && apply(tagOfArray, value, []) !== undefined,
    };
    for (const kind of ['Uint8', 'Uint8Clamped', 'Uint16', 'Uint32', 'Int8', 'Int16', 'Int32', 'Float32', 'Float64', 'BigInt64', 'BigUint64']) {
        types['is' + kind + 'Array'] = value => ArrayBuffer.isView(value) && apply(tagOfArray, value, []) === kind + 'Array';
    }
    return assign(types, {isKeyObject: () => false, isCryptoKey: () => false});
};
const boxed = type => value => typeof value === 'object' && value !== null && typeof boxedValue(value) === type;
const ofFunctions = (...tags) => value => typeof value === 'function' && tags.some(tag => toText(value) === '[object ' + tag + ']');
/** Ends a test without a result if options ask for colours, or for something that the engine does not reveal. */
const checkOptions = options => {
    if (testing && options !== null && typeof options === 'object'
        && (options.colors || options.showHidden || options.showProxy || options.getters || options.numericSeparator)) {
        stop('unsupported');
    }
};
const utilModule = () => {
    const shownForProgram = function inspect(value, options, depth, colors) {
        checkOptions(typeof options === 'boolean' ? {showHidden: options, colors} : options);
        return inspectStrictly(value, options, depth);
    };
    assign(shownForProgram, {custom: CUSTOM, defaultOptions: {showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false,
        maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false}});
    lazily(shownForProgram, 'colors', true, () => streams().utilParts().colors);
    shownForProgram.styles = {special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow', undefined: 'grey', null: 'bold',
        string: 'green', symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline'};
    const kindOf = type => value => typeof value === type;
    const types = typesOf();
    const util = {
        _extend: (target, source) => source !== null && typeof source === 'object' ? assign(target, source) : target,
        callbackify, debug: debuglog, debuglog, deprecate, format: (...values) => formatStrictly(undefined, values),
        formatWithOptions: (options, ...values) => {
            if (options === null || typeof options !== 'object') {
                throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "inspectOptions" argument must be of type object. ' + received(options));
            }
            checkOptions(options);
            return formatStrictly(options, values);
        },
        inherits, inspect: shownForProgram, isArray, isBoolean: kindOf('boolean'),
        isBuffer: value => globalThis.Buffer.isBuffer(value), isDeepStrictEqual: (a, b) => deepEqual(a, b, true), isNull: value => value === null,
        isNullOrUndefined: value => value === null || value === undefined, isNumber: kindOf('number'), isString: kindOf('string'),
        isSymbol: kindOf('symbol'), isUndefined: value => value === undefined, isRegExp: types.isRegExp,
        isObject: value => value !== null && typeof value === 'object', isDate: types.isDate, isError: value => value instanceof Error,
        isFunction: kindOf('function'), isPrimitive: value => value === null || typeof value !== 'object' && typeof value !== 'function',
        log: silent, promisify, types, TextDecoder: globalThis.TextDecoder, TextEncoder: globalThis.TextEncoder,
    };
    let mime;
    for (const name of ['MIMEType', 'MIMEParams']) {
        lazily(util, name, true, () => (mime ??= streams().mimeClasses())[name]);
    }
    for (const name of ['styleText', 'stripVTControlCharacters', 'toUSVString', 'parseArgs']) {
        lazily(util, name, true, () => streams().utilParts()[name]);
    }
    return util;
};
