// `t.assert` and `t.assume`. `kit` contains the values that the scripts share.
(function (kit) {
    'use strict';
    const {apply, isNaN, JSON, NativeString, NativeNumber, members} = kit;

    class AssertionError extends Error {}
    class AssumptionError extends Error {}
    for (const [type, name] of [[AssertionError, 'AssertionError'], [AssumptionError, 'AssumptionError']]) {
        kit.define(type.prototype, 'name', name);
    }

    /** The form of a value in messages, cut at 128 characters. */
    const display = value => {
        let text;
        if (typeof value === 'string') {
            text = JSON.stringify(value);
        } else if (typeof value === 'function') {
            text = '[Function' + (value.name ? ': ' + value.name : '') + ']';
        } else if (typeof value === 'object' && value !== null) {
            try {
                text = JSON.stringify(value);
            } catch {
                text = undefined;
            }
        }
        if (text === undefined) {
            text = NativeString(value);
        }
        return text.length > 128 ? apply(kit.slice, text, [0, 128]) : text;
    };

    const failure = (Type, actual, operator, expected, parts) => {
        const generated = parts.length === 0;
        let message = '';
        if (generated) {
            message = display(actual) + ' ' + operator + ' ' + display(expected);
        } else {
            for (let i = 0; i < parts.length; i++) {
                message += (i === 0 ? '' : kit.separator) + NativeString(parts[i]);
            }
        }
        const error = new Type(message);
        error.actual = actual;
        error.expected = expected;
        error.operator = operator;
        error.generatedMessage = generated;
        return error;
    };

    const boolean = (name, value) => {
        if (typeof value !== 'boolean') {
            throw new TypeError(name + ' needs a boolean, got ' + display(value));
        }
        return value;
    };
    const length = (name, value) => {
        if (value === null || value === undefined || value.length === undefined) {
            throw new TypeError(name + ' needs a value with a length, got ' + display(value));
        }
        return value.length;
    };
    const number = (name, value) => {
        if (kit.compatP) {
            return value;
        }
        const converted = NativeNumber(value);
        if (converted !== converted) {
            throw new TypeError(name + ' needs numbers, got ' + display(value));
        }
        return converted;
    };
    const loose = value => kit.compatP && apply(isNaN, undefined, [value]) ? 'NaN' : value;

    /** Name, operator, number of parameters before the message, condition, expected value. */
    const CHECKS = [
        ['ok', 'ok', 1, a => !!a, true],
        ['not', 'not', 1, a => !a, false],
        ['isTrue', 'isTrue', 1, a => boolean('isTrue', a) === true, true],
        ['isFalse', 'isFalse', 1, a => boolean('isFalse', a) === false, false],
        ['fail', 'fail', 0, () => false],
        ['equal', '==', 2, (a, e) => loose(a) == loose(e)],
        ['strictEqual', '===', 2, (a, e) => a === e],
        ['greater', '>', 2, (a, e) => number('greater', a) > number('greater', e)],
        ['greaterOrEqual', '>=', 2, (a, e) => number('greaterOrEqual', a) >= number('greaterOrEqual', e)],
        ['less', '<', 2, (a, e) => number('less', a) < number('less', e)],
        ['lessOrEqual', '<=', 2, (a, e) => number('lessOrEqual', a) <= number('lessOrEqual', e)],
        ['withinRange', 'withinRange', 3, (a, e, delta = 0) => a >= e - delta && a <= e + delta],
        ['matches', 'match', 2, (a, e) => {
            if (!kit.compatP && (typeof a !== 'string' || typeof e !== 'string' && !(e instanceof RegExp))) {
                throw new TypeError('matches needs a string and a string or regular expression');
            }
            return !!a.match(e);
        }],
        ['isEmpty', 'isEmpty', 1, a => length('isEmpty', a) === 0],
        ['isNotEmpty', 'isNotEmpty', 1, a => length('isNotEmpty', a) !== 0],
        ['equalDictionaries', '==', 2, (a, e) => JSON.stringify(a) === JSON.stringify(e)],
    ];

    const checks = (owner, Type) => {
        const object = {};
        for (const [name, operator, arity, holds, fixed] of CHECKS) {
            if (owner === 't.assume' && name === 'equalDictionaries') {
                continue;
            }
            // The original throws this wrong error, and suites may rely on it.
            const Thrown = kit.strict && name === 'withinRange' ? AssertionError : Type;
            kit.define(object, name, (...values) => {
                const actual = arity > 0 ? values[0] : undefined;
                const expected = arity > 1 ? values[1] : fixed;
                // Without a tolerance, the message may be in its position.
                const used = name === 'withinRange' && typeof values[2] === 'string' ? 2 : arity;
                if (!holds(actual, expected, used > 2 ? values[2] : undefined)) {
                    throw failure(Thrown, actual, operator, expected, apply(kit.arraySlice, values, [used]));
                }
            });
        }
        return members(object, owner);
    };

    kit.assert = checks('t.assert', AssertionError);
    kit.assume = checks('t.assume', AssumptionError);
})
