// Errors with codes, as in the modules of Node.js.
/** Describes a received value in the words of errors in Node.js. */
const received = value => {
    if (value === null || value === undefined) {
        return 'Received ' + value;
    }
    if (typeof value === 'function') {
        return 'Received function ' + ownName(value);
    }
    if (typeof value === 'object') {
        const name = className(value) || (getPrototypeOf(value) === null ? '' : 'Object');
        return name === '' ? 'Received ' + inspect(value, {depth: -1}) : 'Received an instance of ' + name;
    }
    const text = inspect(value);
    return 'Received type ' + typeof value + ' (' + (text.length > 28 ? text.slice(0, 25) + '...' : text) + ')';
};
const coded = (Kind, code, message) => assign(new Kind(message), {code});
const checkArgument = (value, name, type) => {
    if (typeof value !== type) {
        const word = name.includes('.') ? 'property' : 'argument';
        const message = 'The "' + name + '" ' + word + ' must be of type ' + type + '. ' + received(value);
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', message);
    }
};

// Members that calls in a stack trace have in Node.js but not in the engine.
(() => {
    const before = Error.prepareStackTrace;
    let calls = [];
    Error.prepareStackTrace = (_, found) => { calls = found; };
    void new Error().stack;
    Error.prepareStackTrace = before;
    if (calls.length === 0) {
        return;
    }
    const prototype = getPrototypeOf(calls[0]);
    const more = {
        getThis() {}, getTypeName() { return null; }, getMethodName() { return null; }, getEvalOrigin() {},
        isToplevel() { return true; }, isEval() { return false; }, isAsync() { return false; }, isPromiseAll() { return false; },
        getPromiseIndex() { return null; }, getScriptNameOrSourceURL() { return this.getFileName(); },
    };
    for (const name of keys(more)) {
        defineProperty(prototype, name, {value: more[name], writable: true, enumerable: false, configurable: true});
    }
})();
