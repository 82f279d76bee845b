// TextEncoder and TextDecoder, for UTF-8.
const encodeLetter = (bytes, c) => {
    if (c < 0x80) {
        push(bytes, c);
    } else if (c < 0x800) {
        push(bytes, c >> 6 | 0xc0, c & 63 | 0x80);
    } else if (c < 0x10000) {
        push(bytes, c >> 12 | 0xe0, c >> 6 & 63 | 0x80, c & 63 | 0x80);
    } else {
        push(bytes, c >> 18 | 0xf0, c >> 12 & 63 | 0x80, c >> 6 & 63 | 0x80, c & 63 | 0x80);
    }
    return bytes;
};
const UTF8_LABELS = new Set(['utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8']);
/** Beginnings of the names of other encodings that Node.js has. */
const OTHER_LABELS = /^(?:ansi|arabic|asmo|big5|chinese|cn|cp|cs|cyrillic|dos|ecma|elot|euc|gb|greek|hebrew|hz|ibm|iso|koi|kor|ks|l\d|latin|logical|mac|ms|shift|sjis|sun|tis|ucs|unicode|us-ascii|ascii|utf-?16|visual|windows|x-)/i;
/** The bytes of a buffer, or of a view of a buffer. */
const bytesOf = value => {
    if (value instanceof Uint8Array) {
        return value;
    }
    if (ArrayBuffer.isView(value)) {
        return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    }
    if (value instanceof ArrayBuffer) {
        return new Uint8Array(value);
    }
    const wanted = 'an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.';
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "list" argument must be ' + wanted);
};
/** How many bytes follow a first byte, and the least and the largest second byte; -1 for a byte that cannot be first.
    */
const sequenceOf = first => {
    if (first >= 0xc2 && first < 0xe0) {
        return [1, 0x80, 0xbf];
    }
    if (first >= 0xe0 && first < 0xf0) {
        return [2, first === 0xe0 ? 0xa0 : 0x80, first === 0xed ? 0x9f : 0xbf];
    }
    return first >= 0xf0 && first < 0xf5 ? [3, first === 0xf0 ? 0x90 : 0x80, first === 0xf4 ? 0x8f : 0xbf] : [-1, 0, 0];
};
/** The two classes. Each load makes new classes, because a program may change them. */
const textClasses = () => {
    class TextEncoder {
        get encoding() {
            return 'utf-8';
        }
        encode(text = '') {
            const bytes = [];
            for (const letter of toWellFormed(String(text))) {
                encodeLetter(bytes, letter.codePointAt(0));
            }
            return new Uint8Array(bytes);
        }
        encodeInto(text, target) {
            let [read, written] = [0, 0];
            for (const letter of toWellFormed(String(text))) {
                const bytes = encodeLetter([], letter.codePointAt(0));
                if (written + bytes.length > target.length) {
                    break;
                }
                setAll(target, bytes, written);
                read += letter.length;
                written += bytes.length;
            }
            return {read, written};
        }
    }
    class TextDecoder {
        #fatal;
        #ignoreBOM;
        /** Bytes of an unfinished letter, and whether the text has begun, between parts of a stream. */
        #kept = [];
        #hasBegun = false;
        constructor(label = 'utf-8', {fatal = false, ignoreBOM = false} = {}) {
            if (!setHasOwn(UTF8_LABELS, String(label).trim().toLowerCase())) {
                if (matches(OTHER_LABELS, String(label).trim()) !== null) {
                    unavailable('TextDecoder').call();
                }
                throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', 'The "' + label + '" encoding is not supported');
            }
            this.#fatal = Boolean(fatal);
            this.#ignoreBOM = Boolean(ignoreBOM);
        }
        get encoding() {
            return 'utf-8';
        }
        get fatal() {
            return this.#fatal;
        }
        get ignoreBOM() {
            return this.#ignoreBOM;
        }
        decode(input = new Uint8Array(0), options = undefined) {
            const more = Boolean(options?.stream);
            const bytes = this.#kept.length > 0 ? new Uint8Array([...this.#kept, ...bytesOf(input)]) : bytesOf(input);
            this.#kept = [];
            const begin = !this.#ignoreBOM && !this.#hasBegun && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
            let text = '';
            for (let i = begin; i < bytes.length;) {
                const start = i;
                const first = bytes[i++];
                const [count, least, most] = first < 0x80 ? [0, 0, 0] : sequenceOf(first);
                let c = count <= 0 ? first : first & 0x3f >> count;
                let left = count;
                // The longest prefix of a valid sequence is replaced once, and the byte after the prefix is read again.
                while (left > 0 && bytes[i] >= (left === count ? least : 0x80) && bytes[i] <= (left === count ? most : 0xbf)) {
                    c = c << 6 | bytes[i++] & 63;
                    left--;
                }
                if (left > 0 && more && i === bytes.length) {
                    this.#kept = Array.from(bytes.subarray(start));
                    break;
                }
                if (left !== 0 && this.#fatal) {
                    throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', 'The encoded data was not valid for encoding utf-8');
                }
                text += left === 0 ? String.fromCodePoint(c) : '\ufffd';
            }
            this.#hasBegun = more && (this.#hasBegun || bytes.length > this.#kept.length);
            return text;
        }
    }
    return {TextEncoder, TextDecoder};
};
