// Branch distances of mixed types, in [0, 1): how far a comparison is from the other outcome.
// Values that fail by type are farther than those that fail by value.
const TYPE = 0.875;
const NULLISH = 0.75;
const UNIT = 0.25;
const half = d => d === Infinity ? 0.5 : d / (d + 1) / 2;
const isObject = value => value !== null && (typeof value === 'object' || typeof value === 'function');

/** Distances of the last comparison from true and from false. */
let toTrue = 0;
let toFalse = 0;

const textDistance = (a, b) => {
    let d = abs(a.length - b.length);
    const common = a.length < b.length ? a.length : b.length;
    for (let i = 0; i < common; i++) {
        const unit = abs(charCodeAt(a, i) - charCodeAt(b, i));
        d += unit / (unit + 1);
    }
    return d;
};
const numbersEqual = (a, b) => a !== a || b !== b ? TYPE : a === b ? 0 : half(abs(a - b));
const equality = (a, b, loose) => {
    const type = typeof a;
    if (type === typeof b) {
        switch (type) {
        case 'number': return numbersEqual(a, b);
        case 'string': return half(textDistance(a, b));
        case 'bigint': return half(abs(Number(a - b)));
        case 'object': case 'function': return a === null || b === null ? TYPE : TYPE;
        default: return UNIT;
        }
    }
    if (a === null && b === undefined || a === undefined && b === null) {
        return NULLISH;
    }
    if (!loose || isObject(a) || isObject(b) || a === null || a === undefined || b === null || b === undefined
        || type === 'symbol' || typeof b === 'symbol') {
        return TYPE;
    }
    return numbersEqual(Number(a), Number(b));
};
/** Distance of `a < b` from true, or of `a <= b` if `extra` is 0. */
const order = (a, b, extra) => {
    if (isObject(a) || isObject(b) || typeof a === 'symbol' || typeof b === 'symbol') {
        return TYPE;
    }
    if (typeof a === 'string' && typeof b === 'string') {
        let i = 0;
        while (i < a.length && i < b.length && charCodeAt(a, i) === charCodeAt(b, i)) {
            i++;
        }
        const left = i < a.length ? charCodeAt(a, i) : 0;
        const right = i < b.length ? charCodeAt(b, i) : 0;
        return half(abs(left - right) + extra);
    }
    const left = Number(a);
    const right = Number(b);
    return left !== left || right !== right ? TYPE : half(left === right ? extra : abs(left - right) + extra);
};
const keyDistance = value => isObject(value) ? UNIT : TYPE;

/** Sets both distances of a comparison that had a result. */
const measure = (operator, a, b, result) => {
    toTrue = 0;
    toFalse = 0;
    switch (operator) {
    case 0: case 2:
        result ? toFalse = UNIT : toTrue = equality(a, b, operator === 0);
        break;
    case 1: case 3:
        result ? toFalse = equality(a, b, operator === 1) : toTrue = UNIT;
        break;
    case 4:
        result ? toFalse = order(b, a, 0) : toTrue = order(a, b, 1);
        break;
    case 5:
        result ? toFalse = order(b, a, 1) : toTrue = order(a, b, 0);
        break;
    case 6:
        result ? toFalse = order(a, b, 0) : toTrue = order(b, a, 1);
        break;
    case 7:
        result ? toFalse = order(a, b, 1) : toTrue = order(b, a, 0);
        break;
    case 20:
        result ? toFalse = UNIT : toTrue = keyDistance(b);
        break;
    default:
        result ? toFalse = UNIT : toTrue = keyDistance(a);
    }
};
const measureTruth = value => {
    toTrue = 0;
    toFalse = 0;
    if (!value) {
        toTrue = value === null || value === undefined ? TYPE : UNIT;
    } else if (typeof value === 'number') {
        toFalse = half(abs(value));
    } else if (typeof value === 'string') {
        toFalse = half(value.length);
    } else if (typeof value === 'bigint') {
        toFalse = half(abs(Number(value)));
    } else {
        toFalse = value === true ? UNIT : TYPE;
    }
};
const compare = (operator, a, b) => {
    switch (operator) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a === b;
    case 3: return a !== b;
    case 4: return a < b;
    case 5: return a <= b;
    case 6: return a > b;
    case 7: return a >= b;
    case 8: return a + b;
    case 9: return a - b;
    case 10: return a * b;
    case 11: return a / b;
    case 12: return a % b;
    case 13: return a ** b;
    case 14: return a << b;
    case 15: return a >> b;
    case 16: return a >>> b;
    case 17: return a | b;
    case 18: return a ^ b;
    case 19: return a & b;
    case 20: return a in b;
    default: return a instanceof b;
    }
};
const OPERATORS = {'==': 0, '!=': 1, '===': 2, '!==': 3, '<': 4, '<=': 5, '>': 6, '>=': 7};
/** The distance of an operator or of `truthy` from an outcome, for examples. */
const distance = (name, a, b, want) => {
    if (name === 'truthy') {
        measureTruth(a);
    } else {
        measure(OPERATORS[name], a, b, compare(OPERATORS[name], a, b));
    }
    return want ? toTrue : toFalse;
};
