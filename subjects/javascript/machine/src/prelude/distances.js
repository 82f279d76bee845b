// Branch distances of mixed types, in [0, 1): how far a comparison is from the other outcome. A
// difference in type is usually farther than a difference in value.
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
        case 'object': case 'function': return TYPE;
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
const ENDS = 1;
const CONTAINS = 2;
const WHOLE = 3;
/** The distance of `whole` from beginning with, ending with, containing or being `part`. */
const partDistance = (mode, whole, part) => {
    const n = part.length;
    if (mode === WHOLE) {
        return textDistance(whole, part);
    }
    const last = whole.length > n ? whole.length - n : 0;
    const first = mode === ENDS ? last : 0;
    let least = textDistance(slice(whole, first, first + n), part);
    if (mode === CONTAINS && n <= MAX_COMPARED) {
        for (let i = 1; i <= last && i < MAX_COMPARED && least > 0; i++) {
            const d = textDistance(slice(whole, i, i + n), part);
            least = d < least ? d : least;
        }
    }
    return least;
};
/** Maximum number of positions at which a string is compared with a part, and maximum length of this part. */
const MAX_COMPARED = 100;
/** Sets both distances of a string test. */
const measurePart = (mode, whole, part, result) => {
    if (typeof whole !== 'string' || typeof part !== 'string') {
        measureTruth(result);
        return;
    }
    toTrue = result ? 0 : half(partDistance(mode, whole, part));
    toFalse = result ? UNIT : 0;
};
/** How each string test compares: `startsWith`, `endsWith`, `includes`, then regular expressions without anchors,
    with `^`, with `$`, with both. */
const MODES = [0, 1, 2, 2, 0, 1, 3];
const keyDistance = value => isObject(value) ? UNIT : TYPE;

const measureEqual = (loose, a, b, result) => {
    toTrue = result ? 0 : equality(a, b, loose);
    toFalse = result ? UNIT : 0;
};
const measureUnequal = (loose, a, b, result) => {
    toTrue = result ? 0 : UNIT;
    toFalse = result ? equality(a, b, loose) : 0;
};
/** Sets the distances of `a < b` (`extra` is 1, `rest` is 0) or of `a <= b` (`extra` is 0, `rest` is 1). */
const measureOrder = (a, b, extra, rest, result) => {
    toTrue = result ? 0 : order(a, b, extra);
    toFalse = result ? order(b, a, rest) : 0;
};
const measureKey = (value, result) => {
    toTrue = result ? 0 : keyDistance(value);
    toFalse = result ? UNIT : 0;
};
/** Functions that set both distances of a comparison with a result, by the code of the operator. This is a table,
    because the engine counts each case of a switch as an operation. */
const MEASURES = [
    (a, b, result) => measureEqual(true, a, b, result),
    (a, b, result) => measureUnequal(true, a, b, result),
    (a, b, result) => measureEqual(false, a, b, result),
    (a, b, result) => measureUnequal(false, a, b, result),
    (a, b, result) => measureOrder(a, b, 1, 0, result),
    (a, b, result) => measureOrder(a, b, 0, 1, result),
    (a, b, result) => measureOrder(b, a, 1, 0, result),
    (a, b, result) => measureOrder(b, a, 0, 1, result),
];
MEASURES[20] = (a, b, result) => measureKey(b, result);
MEASURES[21] = (a, b, result) => measureKey(a, result);
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
/** The operators by code. */
const OPERATIONS = [
    (a, b) => a == b,
    (a, b) => a != b,
    (a, b) => a === b,
    (a, b) => a !== b,
    (a, b) => a < b,
    (a, b) => a <= b,
    (a, b) => a > b,
    (a, b) => a >= b,
    (a, b) => a + b,
    (a, b) => a - b,
    (a, b) => a * b,
    (a, b) => a / b,
    (a, b) => a % b,
    (a, b) => a ** b,
    (a, b) => a << b,
    (a, b) => a >> b,
    (a, b) => a >>> b,
    (a, b) => a | b,
    (a, b) => a ^ b,
    (a, b) => a & b,
    (a, b) => a in b,
    (a, b) => a instanceof b,
];
const OPERATORS = {'==': 0, '!=': 1, '===': 2, '!==': 3, '<': 4, '<=': 5, '>': 6, '>=': 7, in: 20, instanceof: 21};
const TEXT_TESTS = {startsWith: 0, endsWith: 1, includes: 2, test: 3};
/** The distance of an operator or of `truthy` from an outcome, for examples. */
const distance = (name, a, b, want) => {
    if (name === 'truthy') {
        measureTruth(a);
    } else if (name === '!') {
        measureTruth(a);
        want = !want;
    } else if (TEXT_TESTS[name] !== undefined) {
        const [whole, part] = name === 'test' ? [b, a.source] : [a, b];
        measurePart(MODES[TEXT_TESTS[name]], whole, part, name === 'test' ? a.test(b) : a[name](b));
    } else {
        const operator = OPERATORS[name];
        MEASURES[operator](a, b, OPERATIONS[operator](a, b));
    }
    return want ? toTrue : toFalse;
};
