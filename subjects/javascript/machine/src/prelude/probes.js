// The probes that instrumented code calls.
const {counters, taken, refused, least, lastTrue, lastFalse, depth} = host;
const chains = host.chains;
const discriminants = [];
const stackTrue = [];
const stackFalse = [];
let frames = 0;
/** Whether outcomes and distances are recorded at sites that are not settled. During loading, this is the case only if the units that loading
    reaches count. */
let measured = true;

/** 1 for each site that is an operand of a logical chain; 0 again once the chain
    is settled. */
const operands = new Uint8Array(taken.length);
for (let i = 0; i < chains.length; i++) {
    for (let k = 0; k < chains[i].length; k++) {
        if (chains[i][k] >= 0) {
            operands[chains[i][k]] = 1;
        }
    }
}
const operandsAtFirst = new Uint8Array(operands);
/** Chains whose sites have all had both outcomes. */
const settledChains = new Uint8Array(chains.length);
/** Sites that have had both outcomes and whose distances are no longer needed, so their outcomes are only
    counted. The functions below check this array themselves, because a call would be slow. */
const settledSites = new Uint8Array(taken.length);

/** Records an outcome at a site with the distances in `toTrue` and `toFalse`. */
const decided = (id, outcome) => {
    const site = id >> 1;
    let yes = toTrue;
    let no = toFalse;
    if (id & 1) {
        outcome = !outcome;
        yes = toFalse;
        no = toTrue;
    }
    outcome ? taken[site]++ : refused[site]++;
    if (taken[site] > 0 && refused[site] > 0 && operands[site] === 0) {
        settledSites[site] = 1;
    }
    lastTrue[site] = yes;
    lastFalse[site] = no;
    if (yes < least[site * 2]) {
        least[site * 2] = yes;
    }
    if (no < least[site * 2 + 1]) {
        least[site * 2 + 1] = no;
    }
};
const truth = (id, value) => {
    if (tracing && measured && typeof value === 'function') {
        truthSeen(value);
    }
    const site = id >> 1;
    if (settledSites[site] === 1) {
        ((id & 1) === 0) === !!value ? taken[site]++ : refused[site]++;
        return value;
    }
    if (!measured) {
        return value;
    }
    measureTruth(value);
    decided(id, !!value);
    return value;
};
const textTest = (id, code, object, part, literal) => {
    const result = code === 0 ? object.startsWith(part) : code === 1 ? object.endsWith(part) : code === 2 ? object.includes(part)
        : object.test(part);
    if (tracing && typeof result === 'function') {
        truthSeen(result);
    }
    const site = id >> 1;
    if (settledSites[site] === 1) {
        ((id & 1) === 0) === !!result ? taken[site]++ : refused[site]++;
        return result;
    }
    if (!measured) {
        return result;
    }
    if (code < 3) {
        measurePart(MODES[code], object, part, result);
    } else {
        measurePart(MODES[code], part, literal, result);
    }
    decided(id, !!result);
    return result;
};
const comparison = (id, code, a, b) => {
    if (tracing) {
        operandsSeen(code, a, b);
    }
    const operator = code & 31;
    const result = operator === 2 ? a === b : operator === 3 ? a !== b : OPERATIONS[operator](a, b);
    if (tracing) {
        operatorLine = 0;
    }
    const site = id >> 1;
    if (settledSites[site] === 1) {
        ((id & 1) === 0) === result ? taken[site]++ : refused[site]++;
    } else if (measured) {
        MEASURES[operator](a, b, result);
        decided(id, result);
    }
    return result;
};
/** Called after the evaluation of a chain with its value, which it returns. */
const chain = (number, id, value) => {
    if (!measured) {
        return value;
    }
    if (settledChains[number] === 1) {
        if (id >= 0) {
            ((id & 1) === 0) === !!value ? taken[id >> 1]++ : refused[id >> 1]++;
        }
        return value;
    }
    const program = chains[number];
    let top = 0;
    for (let i = 0; i < program.length; i++) {
        const item = program[i];
        if (item >= 0) {
            stackTrue[top] = lastTrue[item];
            stackFalse[top] = lastFalse[item];
            top++;
            // Reset the operand, so that it is far from both outcomes if it is not evaluated next time.
            lastTrue[item] = 1;
            lastFalse[item] = 1;
        } else if (item <= -10) {
            const site = -10 - item;
            const yes = stackTrue[top - 1];
            const no = stackFalse[top - 1];
            // A part that was evaluated has an outcome at distance 0.
            if (yes === 0 && no > 0) {
                taken[site]++;
            } else if (no === 0 && yes > 0) {
                refused[site]++;
            }
            if (yes < least[site * 2]) {
                least[site * 2] = yes;
            }
            if (no < least[site * 2 + 1]) {
                least[site * 2 + 1] = no;
            }
        } else {
            top--;
            const a = top - 1;
            if (item === -1) {
                stackTrue[a] = (stackTrue[a] + stackTrue[top]) / 2;
                stackFalse[a] = stackFalse[a] < stackFalse[top] ? stackFalse[a] : stackFalse[top];
            } else if (item === -2) {
                stackTrue[a] = stackTrue[a] < stackTrue[top] ? stackTrue[a] : stackTrue[top];
                stackFalse[a] = (stackFalse[a] + stackFalse[top]) / 2;
            } else {
                measureTruth(value);
                stackTrue[a] = toTrue;
                stackFalse[a] = toFalse;
            }
        }
    }
    if (id >= 0) {
        toTrue = value ? 0 : stackTrue[0];
        toFalse = value ? stackFalse[0] : 0;
        decided(id, !!value);
    }
    settle(number, id);
    return value;
};
/** Marks a chain as settled if all its parts and its own decision have had both outcomes. */
const settle = (number, id) => {
    if (id >= 0 && settledSites[id >> 1] === 0) {
        return;
    }
    const program = chains[number];
    for (let i = 0; i < program.length; i++) {
        const item = program[i];
        const site = item >= 0 ? item : item <= -10 ? -10 - item : -1;
        if (site >= 0 && !(taken[site] > 0 && refused[site] > 0)) {
            return;
        }
    }
    settledChains[number] = 1;
    for (let i = 0; i < program.length; i++) {
        if (program[i] >= 0) {
            operands[program[i]] = 0;
            settledSites[program[i]] = 1;
        }
    }
};
/** Whether the last value that `nullish` received was null or undefined, which stops an optional chain. */
let linkStopped = false;
const nullish = (site, value) => {
    const is = value === null || value === undefined;
    linkStopped = is;
    if (settledSites[site] === 1) {
        is ? taken[site]++ : refused[site]++;
        return value;
    }
    if (!measured) {
        return value;
    }
    toTrue = is ? 0 : TYPE;
    toFalse = is ? TYPE : 0;
    decided(site * 2, is);
    return value;
};
/** The method of an object in an optional call, with its receiver. In a chain, the object may be missing because an
    earlier link has stopped. The key may be a function, so that it is evaluated only if the object exists. */
const optionalMethod = (site, inChain, object, key) => {
    if (inChain && linkStopped && (object === null || object === undefined)) {
        return undefined;
    }
    const method = nullish(site, object[inChain && typeof key === 'function' ? key() : key]);
    return typeof method === 'function' ? (...values) => apply(method, object, values) : method;
};
const discriminant = (site, value) => discriminants[site] = value;
const inCase = (site, base, value) => {
    const asked = discriminants[base];
    if (tracing) {
        const code = typeof value === 'number' ? 2 + 128 : typeof value === 'string' ? 2 + 256 : 2;
        operandsSeen(code, asked, value);
    }
    const result = asked === value;
    if (settledSites[site] === 1) {
        result ? taken[site]++ : refused[site]++;
        return value;
    }
    if (!measured) {
        return value;
    }
    MEASURES[2](asked, value, result);
    decided(site * 2, result);
    return value;
};
const overflow = () => {
    frames++;
    throw new RangeError('Maximum call stack size exceeded');
};
const operation = (code, a, b) => {
    operandsSeen(code, a, b);
    const result = OPERATIONS[code & 31](a, b);
    operatorLine = 0;
    return result;
};
/** A value that an object literal spreads. Strings become objects, because the engine does not spread strings. */
const spreadable = value => typeof value === 'string' ? Object(value) : value;
const clearProbes = () => {
    fill(counters, 0);
    fill(taken, 0);
    fill(refused, 0);
    fill(least, 1);
    fill(lastTrue, 1);
    fill(lastFalse, 1);
    setAll(operands, operandsAtFirst);
    fill(settledSites, 0);
    fill(settledChains, 0);
    depth[0] = 0;
    frames = 0;
};
