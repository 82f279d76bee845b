// Values as strings, in the format of Node's `util.inspect` without colours.
const CUSTOM = Symbol.for('nodejs.util.inspect.custom');
const ESCAPES = {'\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\'};
/** A string in quotes, preferably of a kind that does not occur in the string. */
const quoted = text => {
    const quote = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
    let inside = '';
    for (const letter of text) {
        const c = letter.codePointAt(0);
        if (letter === quote) {
            inside += '\\' + letter;
        } else if (ESCAPES[letter] !== undefined) {
            inside += ESCAPES[letter];
        } else if (c < 0x20 || c >= 0x7f && c < 0xa0) {
            inside += '\\x' + c.toString(16).toUpperCase().padStart(2, '0');
        } else {
            inside += c >= 0xd800 && c < 0xe000 ? '\\u' + c.toString(16) : letter;
        }
    }
    return quote + inside + quote;
};
const keyText = key => typeof key === 'symbol' ? '[' + symbolText(key) + ']'
    : matches(/^[a-zA-Z_][a-zA-Z_0-9]*$/, key) !== null ? key : quoted(key);
const symbolText = symbol => 'Symbol(' + (symbol.description ?? '') + ')';
/** The name of the class with which an object is shown, or null if there is none. */
const shownClass = value => {
    for (let object = value; object !== null; object = getPrototypeOf(object)) {
        const maker = getOwn(object, 'constructor');
        if (maker !== undefined && typeof maker.value === 'function' && ownName(maker.value) !== ''
            && safely(() => value instanceof maker.value)) {
            return ownName(maker.value);
        }
    }
    return null;
};
const functionBase = (f, tag) => {
    const text = functionText(f);
    const name = ownName(f);
    if (matches(/^class[\s{]/, text) !== null) {
        const parent = getPrototypeOf(f);
        const base = typeof parent === 'function' && ownName(parent) !== '' ? ' extends ' + ownName(parent) : '';
        return '[class ' + (name || '(anonymous)') + base + ']';
    }
    const kind = tag === 'AsyncFunction' || tag === 'GeneratorFunction' || tag === 'AsyncGeneratorFunction' ? tag : 'Function';
    const isBare = getPrototypeOf(f) === null ? ' (null prototype)' : '';
    return '[' + kind + isBare + (name === '' ? ' (anonymous)' : ': ' + name) + ']';
};
const inspect = (value, options, depth) => inspectWith(value, options, depth, false);
/** Like `inspect`, for programs: a test has no result if the output depends on something that the engine does not
    reveal. */
const inspectStrictly = (value, options, depth) => inspectWith(value, options, depth, true);
const inspectWith = (value, options, depth, isStrict) => {
    const given = typeof options === 'object' && options !== null ? options : {showHidden: options, depth};
    const settings = {showHidden: false, breakLength: 80, compact: 3, sorted: false, maxArrayLength: 100, maxStringLength: 10000, ...given};
    settings.maxArrayLength ??= Infinity;
    settings.maxStringLength ??= Infinity;
    settings.depth = given.depth === undefined ? 2 : given.depth === null ? Infinity : given.depth;
    // `open` are the enclosing objects, `rings` the enclosing objects that are referred to again.
    return shown(value, 0, {settings, open: [], rings: [], indentation: 0, last: 0, isStrict});
};
const shownPrimitive = (value, state) => {
    switch (typeof value) {
    case 'string': {
        const {breakLength, maxStringLength} = state.settings;
        if (value.length > maxStringLength) {
            const rest = value.length - maxStringLength;
            return quoted(slice(value, 0, maxStringLength)) + '... ' + rest + ' more character' + (rest > 1 ? 's' : '');
        }
        if (value.length > 16 && value.length > breakLength - state.indentation - 4 && state.open.length > 0) {
            return value.split(/(?<=\n)/).map(quoted).join(' +\n' + ' '.repeat(state.indentation + 2));
        }
        return quoted(value);
    }
    case 'number': return numberText(value);
    case 'bigint': return value + 'n';
    case 'symbol': return symbolText(value);
    default: return String(value);
    }
};
const shown = (value, level, state) => {
    if (value === null || typeof value !== 'object' && typeof value !== 'function') {
        return shownPrimitive(value, state);
    }
    const custom = value[CUSTOM];
    if (state.settings.customInspect !== false && typeof custom === 'function' && custom !== inspect
        && value.constructor?.prototype !== value) {
        const {depth} = state.settings;
        const settings = {...state.settings, depth: depth === Infinity ? null : depth, stylize: text => String(text)};
        const own = (...values) => inspectWith(values[0], values[1], values[2], state.isStrict);
        const text = apply(custom, value, [depth === Infinity ? null : depth - level, settings, own]);
        if (text !== value) {
            return typeof text === 'string' ? text.replaceAll('\n', '\n' + ' '.repeat(state.indentation)) : shown(text, level, state);
        }
    }
    if (state.open.includes(value)) {
        if (!state.rings.includes(value)) {
            push(state.rings, value);
        }
        return '[Circular *' + (state.rings.indexOf(value) + 1) + ']';
    }
    return shownObject(value, level, state);
};
/** Whether Node.js shows something of a value that the engine does not reveal: the state of a promise, the rest of an
    iterator, the lines of a stack, or the parts of a URL. */
const dependsOnTheEngine = value => value instanceof Promise || matches(/^\[object (?:Map|Set) Iterator\]$/, toText(value)) !== null
    || value instanceof Error && typeof value.stack === 'string' && value.stack !== '' || value instanceof globalThis.URL;
/** The beginning and the end of an object, and its parts that are not members: `{base, braces, items, isList}`. */
const frameOf = (value, name, tag, state) => {
    if (state.isStrict && testing && dependsOnTheEngine(value)) {
        stop('unsupported');
    }
    const prefix = (fallback, size = '') => {
        const shownTag = tag !== '' && tag !== name ? '[' + tag + '] ' : '';
        return (name === null ? '[' + fallback + size + ': null prototype] ' : name + size + ' ') + shownTag;
    };
    const sized = (fallback, size) => prefix(fallback, '(' + size + ')');
    if (isArray(value)) {
        const start = name === 'Array' && tag === '' ? '' : sized('Array', value.length);
        return {braces: [start + '[', ']'], items: 'elements', isList: true};
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
        return {braces: [sized('TypedArray', value.length) + '[', ']'], items: 'elements', isList: true};
    }
    switch (builtinTag(value)) {
    case 'Map': return {braces: [sized('Map', [...value].length) + '{', '}'], items: 'map'};
    case 'Set': return {braces: [sized('Set', [...value].length) + '{', '}'], items: 'set'};
    case 'Date': return {base: Number.isNaN(getTime(value)) ? 'Invalid Date' : value.toISOString(), braces: ['{', '}']};
    case 'RegExp': return {base: regexpText(value), braces: ['{', '}']};
    case 'Promise': return {braces: [prefix('Promise') + '{', '}'], items: 'promise'};
    }
    if (typeof value === 'function') {
        return {base: functionBase(value, tag), braces: ['{', '}']};
    }
    if (value instanceof ArrayBuffer || value instanceof DataView) {
        return {braces: [prefix(value instanceof DataView ? 'DataView' : 'ArrayBuffer') + '{', '}'],
            items: value instanceof DataView ? 'view' : 'bytes'};
    }
    if (value instanceof Error) {
        return {base: '[' + safely(() => String(value)) + ']', braces: ['{', '}']};
    }
    const plain = boxedValue(value);
    if (plain !== undefined) {
        const kind = (typeof plain)[0].toUpperCase() + (typeof plain).slice(1).replace('int', 'Int');
        return {base: '[' + kind + ': ' + (typeof plain === 'string' ? quoted(plain) : shownPrimitive(plain)) + ']', braces: ['{', '}']};
    }
    if (value instanceof WeakMap || value instanceof WeakSet) {
        return {braces: [prefix('WeakSet') + '{', '}'], items: 'unknown'};
    }
    if (toText(value) === '[object Arguments]') {
        return {braces: ['[Arguments] {', '}']};
    }
    return {braces: [name === 'Object' && tag === '' ? '{' : prefix('Object') + '{', '}']};
};
const shownObject = (value, level, state) => {
    const name = shownClass(value);
    const given = getOwn(value, Symbol.toStringTag)?.enumerable ? '' : safely(() => value[Symbol.toStringTag]);
    const {base = '', braces, items, isList = false} = frameOf(value, name, typeof given === 'string' ? given : '', state);
    const isItem = key => isWhole(key) && (items === 'elements' || typeof boxedValue(value) === 'string');
    const isTold = key => value instanceof Error && (key === 'name' || key === 'message' || key === 'stack') && base.includes(String(value[key]));
    const members = [...keys(value).filter(key => !isItem(key) && !isTold(key)), ...enumerableSymbols(value)];
    const isEmpty = members.length === 0 && (items === undefined || items === 'elements' && value.length === 0
        || value.size === 0);
    if (isEmpty) {
        return base === '' ? braces[0] + braces[1] : base;
    }
    if (level > state.settings.depth) {
        return '[' + (name ?? 'Object: null prototype') + ']';
    }
    push(state.open, value);
    state.last = level;
    const nested = item => {
        state.indentation += 2;
        const text = shown(item, level + 1, state);
        state.indentation -= 2;
        return text;
    };
    const parts = itemsOf(value, items, nested, state);
    for (const key of members) {
        const {get, set, value: member} = getOwn(value, key);
        const text = get !== undefined ? set === undefined ? '[Getter]' : '[Getter/Setter]'
            : set !== undefined ? '[Setter]' : nested(member);
        push(parts, keyText(key) + ': ' + text);
    }
    if (state.settings.sorted && !isList) {
        parts.sort(state.settings.sorted === true ? undefined : state.settings.sorted);
    }
    state.open.pop();
    const ring = state.rings.indexOf(value);
    const reference = ring < 0 ? '' : '<ref *' + (ring + 1) + '>';
    const full = reference === '' || base === '' ? reference + base : reference + ' ' + base;
    const lines = isList && state.settings.compact >= 1 && parts.length > 6 ? columns(value, parts, state) : parts;
    return joined(lines, full, braces, lines === parts && state.last - level < state.settings.compact, state);
};
/** The strings for elements, for entries, or for items that cannot be inspected. */
const itemsOf = (value, items, nested, state) => {
    const parts = [];
    const most = state.settings.maxArrayLength ?? Infinity;
    const rest = count => {
        if (count > 0) {
            push(parts, '... ' + count + ' more item' + (count > 1 ? 's' : ''));
        }
    };
    if (items === 'elements') {
        let i = 0;
        while (i < value.length && parts.length < most) {
            const begin = i;
            while (i < value.length && getOwn(value, String(i)) === undefined) {
                i++;
            }
            if (i > begin) {
                push(parts, '<' + (i - begin) + ' empty item' + (i - begin > 1 ? 's' : '') + '>');
            } else {
                const item = getOwn(value, String(i++));
                push(parts, 'value' in item ? nested(item.value) : '[Getter]');
            }
        }
        rest(value.length - i);
    } else if (items === 'map' || items === 'set') {
        const entries = [...value];
        for (const entry of entries.slice(0, most)) {
            push(parts, items === 'set' ? nested(entry) : nested(entry[0]) + ' => ' + nested(entry[1]));
        }
        rest(entries.length - parts.length);
    } else if (items === 'bytes') {
        const bytes = new Uint8Array(value);
        const shownBytes = Array.from(bytes.subarray(0, most), byte => (byte < 16 ? '0' : '') + byte.toString(16)).join(' ');
        const left = bytes.length - most;
        push(parts, '[Uint8Contents]: <' + shownBytes + (left > 0 ? ' ... ' + left + ' more byte' + (left > 1 ? 's' : '') : '') + '>',
            'byteLength: ' + value.byteLength);
    } else if (items === 'view') {
        push(parts, 'byteLength: ' + value.byteLength, 'byteOffset: ' + value.byteOffset, 'buffer: ' + nested(value.buffer));
    } else if (items !== undefined) {
        push(parts, items === 'promise' ? '<pending>' : '<items unknown>');
    }
    return parts;
};
/** Parts between braces: on one line if `mayFit` is true and the parts fit, otherwise one part per line. */
const joined = (parts, base, braces, mayFit, state) => {
    const start = (base === '' ? '' : base + ' ') + braces[0];
    const length = parts.reduce((sum, part) => sum + part.length + 2, 10 + state.indentation + base.length + braces[0].length);
    if (mayFit && length <= state.settings.breakLength && !parts.some(part => part.includes('\n'))) {
        return start + ' ' + parts.join(', ') + ' ' + braces[1];
    }
    const margin = '\n' + ' '.repeat(state.indentation);
    return start + margin + '  ' + parts.join(',' + margin + '  ') + margin + braces[1];
};
/** Arranges parts in lines of several parts each, about two and a half times as wide as high, if the parts are
    suitable. */
const columns = (value, parts, state) => {
    const {breakLength, compact} = state.settings;
    const hasRest = value.length > state.settings.maxArrayLength;
    const items = hasRest ? parts.slice(0, -1) : parts;
    const total = items.reduce((sum, part) => sum + part.length + 2, 0);
    const widest = items.reduce((most, part) => part.length + 2 > most ? part.length + 2 : most, 0);
    const room = breakLength - state.indentation;
    if (widest * 3 >= room || total / widest <= 5 && widest > 8 || items.some(part => part.includes('\n'))) {
        return parts;
    }
    const usual = widest - 3 - (widest - total / parts.length) ** 0.5;
    const wide = usual > 1 ? usual : 1;
    const limits = [Math.floor(room / widest), compact * 4, 15];
    const count = limits.reduce((least, limit) => limit < least ? limit : least,
        Math.round((2.5 * wide * items.length) ** 0.5 / wide));
    if (count <= 1) {
        return parts;
    }
    const widths = items.slice(0, count).map((_, column) => items.reduce((most, part, at) =>
        at % count === column && part.length > most ? part.length : most, 0));
    const isNumeric = items.every((_, at) => typeof value[at] === 'number' || typeof value[at] === 'bigint');
    const lines = [];
    for (let i = 0; i < items.length; i += count) {
        const row = items.slice(i, i + count);
        const cells = row.map((part, column) => {
            const comma = column < row.length - 1 ? ', ' : '';
            const width = widths[column] + comma.length;
            return isNumeric ? (part + comma).padStart(width) : comma === '' ? part : (part + comma).padEnd(width);
        });
        push(lines, cells.join(''));
    }
    return hasRest ? [...lines, parts.at(-1)] : lines;
};
/** Inserts values at the placeholders (`%`) of a string, and appends the remaining values. */
const formatStrictly = (options, values) => {
    const [first, ...rest] = values;
    const plain = value => typeof value === 'string' ? value : inspectStrictly(value, options ?? {});
    if (typeof first !== 'string') {
        return values.map(plain).join(' ');
    }
    if (rest.length === 0) {
        return first;
    }
    const numeric = (value, convert) => typeof value === 'bigint' ? value + 'n' : typeof value === 'symbol' ? 'NaN'
        : numberText(convert(value));
    const text = first.replace(/%[sdifjoOc%]/g, mark => {
        if (mark === '%%') {
            return '%';
        }
        if (rest.length === 0) {
            return mark;
        }
        const value = rest.shift();
        switch (mark) {
        case '%s': {
            const isPlain = typeof value !== 'object' || value === null;
            return typeof value === 'bigint' ? value + 'n' : Object.is(value, -0) ? '-0' : isPlain ? String(value)
                : hasOwnText(value) ? String(value) : inspectStrictly(value, {...options, depth: 0, compact: 3});
        }
        case '%d': return typeof value === 'object' && value !== null ? numberText(Number(value)) : numeric(value, Number);
        case '%i': return numeric(value, parseInt);
        case '%f': return typeof value === 'symbol' ? 'NaN' : numberText(parseFloat(value));
        case '%j': return jsonText(value);
        case '%o':
            // `%o` shows members that are not enumerable.
            return testing && value !== null && (typeof value === 'object' || typeof value === 'function') ? stop('unsupported')
                : inspectStrictly(value, {...options, depth: 4});
        case '%O': return inspectStrictly(value, options ?? {});
        default: return '';
        }
    });
    return [text, ...rest.map(plain)].join(' ');
};
const jsonText = value => {
    try {
        return String(stringify(value));
    } catch (error) {
        if (error instanceof TypeError && String(error.message).includes('circular')) {
            return '[Circular]';
        }
        throw error;
    }
};
/** Whether an object is shown with `toString`, because it is an error or the program defines the method. */
const hasOwnText = value => {
    let object = value;
    while (object !== null && getOwn(object, 'toString') === undefined) {
        object = getPrototypeOf(object);
    }
    const maker = object === null ? undefined : getOwn(object, 'constructor')?.value;
    const isNative = maker === Date || typeof maker === 'function' && functionText(maker).includes('[native code]');
    return object !== null && (object === value || !isNative || value instanceof Error);
};
