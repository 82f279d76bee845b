// The module `string_decoder`.
/** A decoder keeps the bytes of an unfinished letter or group for the next call. */
const stringDecoderModule = () => {
    const waiting = (bytes, encoding) => {
        switch (encoding) {
        case 'utf8': {
            for (let back = 1; back <= 3 && back <= bytes.length; back++) {
                const byte = bytes[bytes.length - back];
                if (byte >= 0xc0) {
                    return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
                }
                if (byte < 0x80) {
                    return 0;
                }
            }
            return 0;
        }
        case 'utf16le': {
            const odd = bytes.length % 2;
            const high = bytes.length - odd - 1;
            return odd + (high > 0 && bytes[high] >= 0xd8 && bytes[high] < 0xdc ? 2 : 0);
        }
        case 'base64': case 'base64url': return bytes.length % 3;
        default: return 0;
        }
    };
    function StringDecoder(encoding) {
        this.encoding = encodingOf(encoding);
        defineProperty(this, 'kept', {value: [], writable: true, enumerable: false});
    }
    StringDecoder.prototype.write = function (input) {
        if (typeof input === 'string') {
            return input;
        }
        const bytes = new Uint8Array([...this.kept, ...bytesOf(input)]);
        const left = waiting(bytes, this.encoding);
        this.kept = Array.from(bytes.subarray(bytes.length - left));
        return decodedText(bytes.subarray(0, bytes.length - left), this.encoding);
    };
    StringDecoder.prototype.end = function (input) {
        const text = input === undefined ? '' : this.write(input);
        const rest = decodedText(new Uint8Array(this.kept), this.encoding);
        this.kept = [];
        return text + rest;
    };
    return {StringDecoder};
};
