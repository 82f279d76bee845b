// Buffer, atob and btoa. Each load makes a new class, because a program may change the class.
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base64Text = (bytes, url) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 3) {
        const n = bytes[i] << 16 | (bytes[i + 1] ?? 0) << 8 | (bytes[i + 2] ?? 0);
        const left = bytes.length - i;
        text += BASE64[n >> 18] + BASE64[n >> 12 & 63] + (left > 1 ? BASE64[n >> 6 & 63] : '=') + (left > 2 ? BASE64[n & 63] : '=');
    }
    return url ? text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') : text;
};
/** Decodes Base64. Other characters are ignored, and the input ends at `=`. */
const base64Bytes = text => {
    const bytes = [];
    let [bits, count] = [0, 0];
    for (const letter of text) {
        if (letter === '=') {
            break;
        }
        const value = BASE64.indexOf(letter === '-' ? '+' : letter === '_' ? '/' : letter);
        if (value >= 0) {
            bits = (bits << 6 | value) & 0xffff;
            count += 6;
            if (count >= 8) {
                count -= 8;
                push(bytes, bits >> count & 255);
            }
        }
    }
    return bytes;
};
const webError = (message, name) => {
    const {DOMException} = globalThis;
    return new DOMException(message, name);
};
const btoa = text => {
    const codes = Array.from(String(text), letter => letter.codePointAt(0));
    if (codes.some(code => code > 255)) {
        throw webError('Invalid character', 'InvalidCharacterError');
    }
    return base64Text(codes, false);
};
const atob = text => {
    let kept = String(text).replace(/[\t\n\f\r ]/g, '');
    if (kept.length % 4 === 0) {
        kept = kept.replace(/={1,2}$/, '');
    }
    if (kept.length % 4 === 1 || matches(/[^A-Za-z0-9+/]/, kept) !== null) {
        throw webError('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
    }
    return String.fromCharCode(...base64Bytes(kept));
};
const ENCODINGS = create(null);
assign(ENCODINGS, {utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', ascii: 'ascii', latin1: 'latin1',
    binary: 'latin1', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le'});
const encodingOf = name => {
    if (name === undefined || name === null || name === '') {
        return 'utf8';
    }
    const known = ENCODINGS[String(name).toLowerCase()];
    if (known === undefined) {
        throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', 'Unknown encoding: ' + name);
    }
    return known;
};
const encodedBytes = (text, encoding) => {
    const bytes = [];
    switch (encoding) {
    case 'utf8':
        for (const letter of toWellFormed(text)) {
            encodeLetter(bytes, letter.codePointAt(0));
        }
        return bytes;
    case 'hex':
        for (let i = 0; i + 1 < text.length && matches(/^[0-9a-f]{2}$/i, slice(text, i, i + 2)) !== null; i += 2) {
            push(bytes, Number('0x' + slice(text, i, i + 2)));
        }
        return bytes;
    case 'base64': case 'base64url': return base64Bytes(text);
    case 'utf16le':
        for (let i = 0; i < text.length; i++) {
            push(bytes, charCodeAt(text, i) & 255, charCodeAt(text, i) >> 8);
        }
        return bytes;
    default:
        for (let i = 0; i < text.length; i++) {
            push(bytes, charCodeAt(text, i) & 255);
        }
        return bytes;
    }
};
const decodedText = (bytes, encoding) => {
    let text = '';
    switch (encoding) {
    case 'utf8': return new globalThis.TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes);
    case 'base64': case 'base64url': return base64Text(bytes, encoding === 'base64url');
    case 'hex':
        for (const byte of bytes) {
            text += (byte < 16 ? '0' : '') + byte.toString(16);
        }
        return text;
    case 'utf16le':
        for (let i = 0; i + 1 < bytes.length; i += 2) {
            text += String.fromCharCode(bytes[i] | bytes[i + 1] << 8);
        }
        return text;
    default:
        for (const byte of bytes) {
            text += String.fromCharCode(encoding === 'ascii' ? byte & 127 : byte);
        }
        return text;
    }
};
const outOfRange = (name, range, value) => {
    const text = typeof value === 'number' || typeof value === 'bigint' ? grouped(value) : inspect(value);
    return coded(RangeError, 'ERR_OUT_OF_RANGE', 'The value of "' + name + '" is out of range. It must be ' + range + '. Received ' + text);
};
/** A number as in errors of Node.js: a whole number of more than 2 ** 32 in absolute value has `_` between groups of
    three digits. */
const grouped = value => {
    const text = String(value);
    const large = typeof value === 'bigint' ? value > 4294967296n || value < -4294967296n : abs(value) > 4294967296 && Number.isInteger(value);
    return (large ? text.replace(/\B(?=(?:\d{3})+$)/g, '_') : text) + (typeof value === 'bigint' ? 'n' : '');
};
const bufferClass = () => {
    const {prototype: Bytes} = getPrototypeOf(Uint8Array);
    const view = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const sized = (size, name = 'size') => {
        if (typeof size !== 'number') {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "' + name + '" argument must be of type number. ' + received(size));
        }
        if (!(size >= 0 && size <= 2 ** 32)) {
            throw outOfRange(name, '>= 0 && <= 4294967296', size);
        }
        return size;
    };
    class FastBuffer extends Uint8Array {}
    const made = bytes => Object.setPrototypeOf(bytes instanceof FastBuffer ? bytes : new FastBuffer(bytes), Buffer.prototype);
    const wrapped = (buffer, offset, length) => Object.setPrototypeOf(new FastBuffer(buffer, offset, length), Buffer.prototype);
    function Buffer(value, encoding, length) {
        return typeof value === 'number' ? Buffer.alloc(value) : Buffer.from(value, encoding, length);
    }
    Object.setPrototypeOf(Buffer, Uint8Array);
    Buffer.prototype = FastBuffer.prototype;
    const wrong = value => coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The first argument must be of type string or an instance of Buffer, '
        + 'ArrayBuffer, or Array or an Array-like Object. ' + received(value));
    const needBytes = (value, name, kinds) => {
        if (!(value instanceof Uint8Array)) {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The ' + name + ' must be ' + kinds + '. ' + received(value));
        }
        return value;
    };
    const statics = {
        from(value, encoding, length) {
            if (typeof value === 'string') {
                return made(encodedBytes(value, typeof encoding === 'string' ? encodingOf(encoding) : 'utf8'));
            }
            if (typeof value === 'object' && value !== null) {
                if (value instanceof ArrayBuffer) {
                    return wrapped(value, encoding, length);
                }
                const inner = safely(() => value.valueOf());
                if (inner !== null && inner !== undefined && inner !== value && (typeof inner === 'string' || typeof inner === 'object')) {
                    return Buffer.from(inner, encoding, length);
                }
                if (value.length !== undefined || ArrayBuffer.isView(value)) {
                    return typeof value.length === 'number' ? made(Array.from({length: value.length}, (_, i) => value[i])) : made([]);
                }
                if (value.type === 'Buffer' && isArray(value.data)) {
                    return made(value.data);
                }
                const primitive = value[Symbol.toPrimitive];
                if (typeof primitive === 'function') {
                    const text = apply(primitive, value, ['string']);
                    if (typeof text === 'string') {
                        return Buffer.from(text, encoding);
                    }
                }
            }
            throw wrong(value);
        },
        alloc(size, fill, encoding) {
            const buffer = made(new FastBuffer(sized(size)));
            return fill !== undefined && fill !== 0 && size > 0 ? buffer.fill(fill, encoding) : buffer;
        },
        allocUnsafe: size => made(new FastBuffer(sized(size))),
        allocUnsafeSlow: size => made(new FastBuffer(sized(size))),
        byteLength(value, encoding) {
            if (typeof value === 'string') {
                const known = ENCODINGS[String(encoding ?? 'utf8').toLowerCase()] ?? 'utf8';
                return known === 'hex' ? value.length >>> 1 : encodedBytes(value, known).length;
            }
            if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
                return value.byteLength;
            }
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "string" argument must be of type string or an instance of Buffer or '
                + 'ArrayBuffer. ' + received(value));
        },
        compare(a, b) {
            needBytes(a, '"buf1" argument', 'an instance of Buffer or Uint8Array');
            return compareBytes(a, needBytes(b, '"buf2" argument', 'an instance of Buffer or Uint8Array'));
        },
        concat(list, total) {
            if (!isArray(list)) {
                throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "list" argument must be an instance of Array. ' + received(list));
            }
            const size = total === undefined ? list.reduce((sum, each) => sum + (each?.length ?? 0), 0) : sized(total, 'length');
            const buffer = Buffer.alloc(size);
            let at = 0;
            list.forEach((each, index) => {
                needBytes(each, '"list[' + index + ']" argument', 'an instance of Buffer or Uint8Array');
                const part = at + each.length > size ? each.subarray(0, size - at) : each;
                setAll(buffer, part, at);
                at += part.length;
            });
            return buffer;
        },
        isBuffer: value => value instanceof Buffer,
        isEncoding: name => typeof name === 'string' && ENCODINGS[name.toLowerCase()] !== undefined,
        of: (...values) => made(values),
        poolSize: 8192,
    };
    const compareBytes = (a, b) => {
        for (let i = 0; i < a.length && i < b.length; i++) {
            if (a[i] !== b[i]) {
                return a[i] < b[i] ? -1 : 1;
            }
        }
        return a.length < b.length ? -1 : a.length > b.length ? 1 : 0;
    };
    const bounds = (start, end, length) => {
        const first = start === undefined ? 0 : Math.trunc(Number(start)) || 0;
        const last = end === undefined ? length : Math.trunc(Number(end)) || 0;
        return [first < 0 ? 0 : first > length ? length : first, last < 0 ? 0 : last > length ? length : last];
    };
    /** The index of a value in a buffer. `way` is 1 for a search from the front and -1 for a search from the back. */
    const search = (buffer, value, offset, encoding, way) => {
        if (typeof offset === 'string') {
            [encoding, offset] = [offset, undefined];
        }
        let wanted;
        if (typeof value === 'number') {
            wanted = [value & 255];
        } else if (typeof value === 'string') {
            wanted = encodedBytes(value, encodingOf(encoding));
        } else if (value instanceof Uint8Array) {
            wanted = value;
        } else {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "value" argument must be one of type number or string or an instance of '
                + 'Buffer or Uint8Array. ' + received(value));
        }
        let start = Number(offset);
        start = Number.isNaN(start) ? way > 0 ? 0 : buffer.length : Math.trunc(start);
        start = start < 0 ? start + buffer.length : start;
        if (start < 0 && way < 0) {
            return -1;
        }
        const last = buffer.length - wanted.length;
        if (wanted.length === 0) {
            return start < 0 ? 0 : start > buffer.length ? buffer.length : start;
        }
        for (let i = way > 0 ? Math.max(start, 0) : Math.min(start, last); i >= 0 && i <= last; i += way) {
            let same = 0;
            while (same < wanted.length && buffer[i + same] === wanted[same]) {
                same++;
            }
            if (same === wanted.length) {
                return i;
            }
        }
        return -1;
    };
    const methods = {
        toString(encoding, start, end) {
            const [first, last] = bounds(start, end, this.length);
            return first >= last ? (encodingOf(encoding), '') : decodedText(this.subarray(first, last), encodingOf(encoding));
        },
        toJSON() {
            return {type: 'Buffer', data: Array.from(this)};
        },
        equals(other) {
            needBytes(other, '"otherBuffer" argument', 'an instance of Buffer or Uint8Array');
            return this === other || compareBytes(this, other) === 0;
        },
        compare(target, start, end, ownStart, ownEnd) {
            needBytes(target, '"target" argument', 'an instance of Buffer or Uint8Array');
            return compareBytes(this.subarray(ownStart ?? 0, ownEnd ?? this.length), target.subarray(start ?? 0, end ?? target.length));
        },
        indexOf(value, offset, encoding) {
            return search(this, value, offset, encoding, 1);
        },
        lastIndexOf(value, offset, encoding) {
            return search(this, value, offset, encoding, -1);
        },
        includes(value, offset, encoding) {
            return this.indexOf(value, offset, encoding) !== -1;
        },
        subarray(start, end) {
            const part = apply(Bytes.subarray, new FastBuffer(this.buffer, this.byteOffset, this.byteLength), [start, end]);
            return wrapped(part.buffer, part.byteOffset, part.length);
        },
        slice(start, end) {
            return this.subarray(start, end);
        },
        copy(target, at = 0, start = 0, end = this.length) {
            needBytes(target, '"target" argument', 'an instance of Buffer or Uint8Array');
            const [first, last] = bounds(start, end, this.length);
            const count = Math.max(0, Math.min(last - first, target.length - at));
            apply(Bytes.set, target, [apply(Bytes.slice, new Uint8Array(this.buffer, this.byteOffset + first, count), []), at]);
            return count;
        },
        write(text, offset, length, encoding) {
            checkArgument(text, 'argument', 'string');
            if (typeof offset === 'string') {
                [encoding, offset, length] = [offset, 0, undefined];
            } else if (typeof length === 'string') {
                [encoding, length] = [length, undefined];
            }
            const at = offset ?? 0;
            if (!(at >= 0 && at <= this.length)) {
                throw outOfRange('offset', '>= 0 && <= ' + this.length, at);
            }
            const most = Math.min(length ?? this.length - at, this.length - at);
            const known = encodingOf(encoding);
            let bytes = [];
            if (known === 'utf8') {
                for (const letter of toWellFormed(text)) {
                    const more = encodeLetter([], letter.codePointAt(0));
                    if (bytes.length + more.length > most) {
                        break;
                    }
                    push(bytes, ...more);
                }
            } else {
                bytes = encodedBytes(text, known).slice(0, most);
            }
            setAll(this, bytes, at);
            return bytes.length;
        },
        fill(value, offset, end, encoding) {
            if (typeof offset === 'string') {
                [encoding, offset, end] = [offset, 0, this.length];
            } else if (typeof end === 'string') {
                [encoding, end] = [end, this.length];
            }
            const bytes = typeof value === 'string' ? encodedBytes(value, encodingOf(encoding))
                : value instanceof Uint8Array ? value : [Number(value) & 255];
            for (let i = offset ?? 0; i < (end ?? this.length); i++) {
                this[i] = bytes.length === 0 ? 0 : bytes[(i - (offset ?? 0)) % bytes.length];
            }
            return this;
        },
        [CUSTOM]() {
            const shown = Array.from(apply(Bytes.subarray, this, [0, 50]), byte => (byte < 16 ? '0' : '') + byte.toString(16));
            const more = this.length - 50;
            return '<Buffer ' + shown.join(' ') + (more > 0 ? ' ... ' + more + ' more byte' + (more > 1 ? 's' : '') : '') + '>';
        },
    };
    for (const size of [2, 4, 8]) {
        methods['swap' + size * 8] = function () {
            if (this.length % size !== 0) {
                throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', 'Buffer size must be a multiple of ' + size * 8 + '-bits');
            }
            for (let i = 0; i < this.length; i += size) {
                apply(Bytes.reverse, new Uint8Array(this.buffer, this.byteOffset + i, size), []);
            }
            return this;
        };
    }
    const checkOffset = (buffer, offset, size) => {
        checkArgument(offset, 'offset', 'number');
        if (!Number.isInteger(offset)) {
            throw outOfRange('offset', 'an integer', offset);
        }
        if (buffer.length < size) {
            throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
        }
        if (offset < 0 || offset + size > buffer.length) {
            throw outOfRange('offset', '>= 0 and <= ' + (buffer.length - size), offset);
        }
    };
    const checkSize = size => {
        checkArgument(size, 'byteLength', 'number');
        if (!(size >= 1 && size <= 6 && Number.isInteger(size))) {
            throw outOfRange('byteLength', Number.isInteger(size) ? '>= 1 and <= 6' : 'an integer', size);
        }
    };
    const power = exponent => '2 ** ' + exponent;
    const NUMBERS = [['UInt8', 'Uint8', 1, 0, 255], ['Int8', 'Int8', 1, -128, 127], ['UInt16', 'Uint16', 2, 0, 65535],
        ['Int16', 'Int16', 2, -32768, 32767], ['UInt32', 'Uint32', 4, 0, 4294967295], ['Int32', 'Int32', 4, -2147483648, 2147483647],
        ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8]];
    for (const [name, kind, size, least, most] of NUMBERS) {
        for (const order of size === 1 ? [''] : ['LE', 'BE']) {
            const little = order === 'LE';
            const [get, put] = [DataView.prototype['get' + kind], DataView.prototype['set' + kind]];
            methods['read' + name + order] = function (offset = 0) {
                checkOffset(this, offset, size);
                return apply(get, view(this), [offset, little]);
            };
            methods['write' + name + order] = function (value, offset = 0) {
                const number = name.startsWith('Big') ? value : Number(value);
                if (least !== undefined && (number > most || number < least)) {
                    const range = least === 0 ? '>= 0 and <= ' + most : '>= ' + least + ' and <= ' + most;
                    throw outOfRange('value', size > 3 ? least === 0 ? '>= 0 and <= ' + grouped(most) : '>= ' + least + ' and <= ' + most : range, value);
                }
                checkOffset(this, offset, size);
                apply(put, view(this), [offset, number, little]);
                return offset + size;
            };
        }
    }
    for (const signed of [false, true]) {
        for (const order of ['LE', 'BE']) {
            const name = (signed ? 'Int' : 'UInt') + order;
            methods['read' + name] = function (offset, size) {
                checkArgument(offset, 'offset', 'number');
                checkSize(size);
                checkOffset(this, offset, size);
                let value = 0;
                for (let i = 0; i < size; i++) {
                    value = value * 256 + this[order === 'BE' ? offset + i : offset + size - 1 - i];
                }
                return signed && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
            };
            methods['write' + name] = function (value, offset, size) {
                checkSize(size);
                const [low, high] = signed ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1];
                if (value < low || value > high) {
                    throw outOfRange('value', signed ? '>= -(' + power(8 * size - 1) + ') and < ' + power(8 * size - 1) : '>= 0 and < '
                        + power(8 * size), value);
                }
                checkOffset(this, offset, size);
                let left = value < 0 ? value + 2 ** (8 * size) : value;
                for (let i = 0; i < size; i++) {
                    this[order === 'LE' ? offset + i : offset + size - 1 - i] = left % 256;
                    left = Math.floor(left / 256);
                }
                return offset + size;
            };
        }
    }
    for (const name of keys(methods)) {
        if (name.includes('UInt')) {
            methods[name.replace('UInt', 'Uint')] = methods[name];
        }
    }
    methods.toLocaleString = methods.toString;
    methods.inspect = methods[CUSTOM];
    const put = (owner, members) => {
        for (const name of ownKeys(members)) {
            defineProperty(owner, name, {value: members[name], writable: true, enumerable: true, configurable: true});
        }
    };
    put(Buffer, statics);
    put(Buffer.prototype, methods);
    defineProperty(Buffer.prototype, 'constructor', {value: Buffer, writable: true, enumerable: false, configurable: true});
    defineProperty(Buffer.prototype, 'parent', {get() {
        return this instanceof Buffer ? this.buffer : undefined;
    }, enumerable: true});
    defineProperty(Buffer.prototype, 'offset', {get() {
        return this instanceof Buffer ? this.byteOffset : undefined;
    }, enumerable: true});
    return Buffer;
};
/** The module `buffer`. */
const bufferModule = () => {
    const {Buffer} = globalThis;
    return {Buffer, SlowBuffer: Buffer.allocUnsafeSlow, atob: globalThis.atob, btoa: globalThis.btoa, kMaxLength: 2 ** 32,
        kStringMaxLength: 536870888, constants: {MAX_LENGTH: 2 ** 32, MAX_STRING_LENGTH: 536870888}, INSPECT_MAX_BYTES: 50};
};
