// The module `assert`.
const assertModule = () => {
    class AssertionError extends Error {
        constructor({message, actual, expected, operator} = {}) {
            super(message);
            assign(this, {generatedMessage: false, code: 'ERR_ASSERTION', actual, expected, operator});
            defineProperty(this, 'name', {value: 'AssertionError', writable: true, configurable: true});
        }
    }
    const isPlain = value => typeof value !== 'object' && typeof value !== 'function' || value === null;
    const fails = (message, generated, more = {}) => {
        if (message instanceof Error) {
            throw message;
        }
        const error = new AssertionError({message: message ?? generated, ...more});
        error.generatedMessage = message === undefined;
        throw error;
    };
    const comparing = (operator, holds, generated) => (actual, expected, message) => {
        if (!holds(actual, expected)) {
            fails(message, generated(actual, expected), {actual, expected, operator});
        }
    };
    const both = sign => (a, b) => inspect(a) + ' ' + sign + ' ' + inspect(b);
    const loose = (a, b) => a == b || a !== a && b !== b;
    const strictText = (a, b) => 'Expected values to be strictly equal:\n\n' + inspect(a) + ' !== ' + inspect(b) + '\n';
    const deepText = what => (a, b) => 'Expected values to be ' + what + ':\n\n' + inspect(a) + '\n\nshould be\n\n' + inspect(b);
    const notDeepText = what => (a, b) => 'Expected "actual" not to be ' + what + ' to:\n\n' + inspect(b);
    const ok = (operator, given) => {
        if (given.length === 0) {
            fails(undefined, 'No value argument passed to `assert.ok()`', {expected: true, operator});
        }
        if (!given[0]) {
            fails(given[1], 'The expression evaluated to a falsy value', {actual: given[0], expected: true, operator});
        }
    };
    /** Whether a thrown value is as expected. `expected` may be a class, a pattern, an object with members, or a
        predicate. */
    const isExpected = (thrown, expected) => {
        if (expected === undefined || typeof expected === 'string') {
            return true;
        }
        if (expected instanceof RegExp) {
            return matches(expected, String(thrown)) !== null;
        }
        if (typeof expected === 'function') {
            if (expected.prototype !== undefined && thrown instanceof expected) {
                return true;
            }
            return !(expected === Error || Error.isPrototypeOf(expected)) && apply(expected, {}, [thrown]) === true;
        }
        const names = expected instanceof Error ? [...keys(expected), 'name', 'message'] : keys(expected);
        return names.every(name => expected[name] instanceof RegExp && typeof thrown?.[name] === 'string'
            ? matches(expected[name], thrown[name]) !== null : deepEqual(thrown?.[name], expected[name], true));
    };
    const arrived = (operator, thrown, expected, message) => {
        if (thrown === undefined) {
            const name = typeof expected === 'function' && ownName(expected) !== '' ? ' (' + ownName(expected) + ')' : '';
            const text = message ?? (typeof expected === 'string' ? expected : undefined);
            const what = operator === 'rejects' ? 'rejection' : 'exception';
            fails(text === undefined ? undefined : 'Missing expected ' + what + name + ': ' + text, 'Missing expected ' + what
                + name + '.', {expected, operator});
        }
        if (!isExpected(thrown.value, expected)) {
            const isKind = typeof expected === 'function' && (expected === Error || Error.isPrototypeOf(expected));
            const text = isKind ? 'The error is expected to be an instance of "' + ownName(expected) + '". Received "'
                + className(thrown.value) + '"\n\nError message:\n\n' + thrown.value?.message : 'The error is not the expected one';
            fails(message, text, {actual: thrown.value, expected, operator});
        }
    };
    const outcome = f => {
        try {
            f();
        } catch (value) {
            return {value};
        }
        return undefined;
    };
    const promised = async f => {
        try {
            await (typeof f === 'function' ? f() : f);
        } catch (value) {
            return {value};
        }
        return undefined;
    };
    const unwanted = (operator, thrown, message) => {
        if (thrown !== undefined) {
            const what = operator === 'doesNotReject' ? 'rejection' : 'exception';
            const text = 'Got unwanted ' + what + (typeof message === 'string' ? ': ' + message : '.')
                + '\nActual message: "' + (thrown.value?.message ?? '') + '"';
            fails(undefined, text, {actual: thrown.value, operator});
        }
    };
    const assert = (...given) => ok('==', given);
    assign(assert, {
        AssertionError,
        ok: (...given) => ok('==', given),
        fail: message => fails(message, 'Failed', {operator: 'fail'}),
        equal: comparing('==', loose, both('==')),
        notEqual: comparing('!=', (a, b) => !loose(a, b), both('!=')),
        strictEqual: comparing('strictEqual', Object.is, strictText),
        notStrictEqual: comparing('notStrictEqual', (a, b) => !Object.is(a, b),
            (a, b) => 'Expected "actual" to be strictly unequal to' + (isPlain(b) ? ': ' : ':\n\n') + inspect(b)),
        deepEqual: comparing('deepEqual', (a, b) => deepEqual(a, b, false), deepText('loosely deep-equal')),
        notDeepEqual: comparing('notDeepEqual', (a, b) => !deepEqual(a, b, false), notDeepText('loosely deep-equal')),
        deepStrictEqual: comparing('deepStrictEqual', (a, b) => deepEqual(a, b, true), deepText('strictly deep-equal')),
        notDeepStrictEqual: comparing('notDeepStrictEqual', (a, b) => !deepEqual(a, b, true), notDeepText('strictly deep-equal')),
        match: comparing('match', (text, pattern) => typeof text === 'string' && matches(pattern, text) !== null,
            (text, pattern) => 'The input did not match the regular expression ' + inspect(pattern) + '. Input:\n\n' + inspect(text) + '\n'),
        doesNotMatch: comparing('doesNotMatch', (text, pattern) => typeof text !== 'string' || matches(pattern, text) === null,
            (text, pattern) => 'The input was expected to not match the regular expression ' + inspect(pattern) + '. Input:\n\n'
                + inspect(text) + '\n'),
        throws: (f, expected, message) => {
            checkArgument(f, 'fn', 'function');
            arrived('throws', outcome(f), expected, message);
        },
        doesNotThrow: (f, expected, message) => unwanted('doesNotThrow', outcome(f), typeof expected === 'string' ? expected : message),
        rejects: async (f, expected, message) => arrived('rejects', await promised(f), expected, message),
        doesNotReject: async (f, expected, message) => unwanted('doesNotReject', await promised(f), message),
        ifError: value => {
            if (value !== null && value !== undefined) {
                const text = typeof value === 'object' && typeof value.message === 'string' ? value.message : inspect(value);
                fails(undefined, 'ifError got unwanted exception: ' + text, {actual: value, expected: null, operator: 'ifError'});
            }
        },
    });
    const strict = assign((...given) => ok('==', given), assert, {
        equal: assert.strictEqual, notEqual: assert.notStrictEqual,
        deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
    });
    return assign(assert, {strict: assign(strict, {strict})});
};
