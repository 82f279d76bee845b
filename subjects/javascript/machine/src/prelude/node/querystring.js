// The modules `querystring` and `url`.
const querystringModule = () => {
    const escape = text => {
        const plain = typeof text === 'string' ? text : typeof text === 'object' ? String(text) : text + '';
        let encoded = '';
        for (let i = 0; i < plain.length; i++) {
            const code = charCodeAt(plain, i);
            if (code >= 0xd800 && code < 0xe000 && !(code < 0xdc00 && charCodeAt(plain, i + 1) >= 0xdc00 && charCodeAt(plain, i + 1) < 0xe000)
                && !(code >= 0xdc00 && charCodeAt(plain, i - 1) >= 0xd800 && charCodeAt(plain, i - 1) < 0xdc00)) {
                throw coded(KINDS_OF_ERRORS.URIError, 'ERR_INVALID_URI', 'URI malformed');
            }
        }
        for (const letter of plain) {
            encoded += matches(/^[A-Za-z0-9!'()*\-._~]$/, letter) !== null ? letter : encodeSet(letter, letter);
        }
        return encoded;
    };
    const unescape = text => safely(() => globalThis.decodeURIComponent(text)) ?? decodePercent(String(text));
    const module = {
        escape, unescape,
        stringify(value, separator = '&', equals = '=', options) {
            const encode = options?.encodeURIComponent ?? module.escape;
            const primitive = each => typeof each === 'string' ? each : typeof each === 'number' && Number.isFinite(each) || typeof each === 'bigint'
                || typeof each === 'boolean' ? String(each) : '';
            if (value === null || typeof value !== 'object') {
                return '';
            }
            const parts = [];
            for (const key of keys(value)) {
                const name = encode(primitive(key)) + (equals || '=');
                const values = isArray(value[key]) ? value[key] : [value[key]];
                values.forEach(each => push(parts, name + encode(primitive(each))));
            }
            return parts.join(separator || '&');
        },
        parse(text, separator = '&', equals = '=', options) {
            const found = create(null);
            if (typeof text !== 'string' || text === '') {
                return found;
            }
            const decode = options?.decodeURIComponent ?? module.unescape;
            const safe = half => {
                const spaced = half.replaceAll('+', ' ');
                return safely(() => decode(spaced)) ?? decodePercent(spaced);
            };
            const most = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
            let parts = text.split(separator || '&');
            parts = most > 0 ? parts.slice(0, most) : parts;
            for (const part of parts.filter(each => each !== '')) {
                const at = part.indexOf(equals || '=');
                const key = safe(at < 0 ? part : part.slice(0, at));
                const value = at < 0 ? '' : safe(part.slice(at + (equals || '=').length));
                if (key in found) {
                    found[key] = isArray(found[key]) ? [...found[key], value] : [found[key], value];
                } else {
                    found[key] = value;
                }
            }
            return found;
        },
    };
    return assign(module, {encode: module.stringify, decode: module.parse});
};
/** The module `url`: the classes and some conversions. The older functions of the module do not exist here. */
const urlModule = () => {
    const {URL, URLSearchParams} = globalThis;
    const fileURLToPath = value => {
        const url = typeof value === 'string' ? new URL(value) : value;
        if (!(url instanceof URL)) {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "path" argument must be of type string or an instance of URL. ' + received(value));
        }
        if (url.protocol !== 'file:') {
            throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
        }
        if (url.hostname !== '') {
            throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
        }
        if (matches(/%2f/i, url.pathname) !== null) {
            throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
        }
        return globalThis.decodeURIComponent(url.pathname);
    };
    const pathToFileURL = path => {
        checkArgument(path, 'path', 'string');
        const full = builtinModule('path').resolve(path) + (path.endsWith('/') && path.length > 1 ? '/' : '');
        return new URL('file://' + encodeSet(full, '%\\ "#<>?`{}\n\r\t').replaceAll('\\', '%5C'));
    };
    const urlToHttpOptions = url => {
        const {protocol, hostname, hash, search, pathname, href, port, username, password} = url;
        return {protocol, hostname: hostname[0] === '[' ? hostname.slice(1, -1) : hostname, hash, search, pathname, path: pathname + search, href,
            ...port === '' ? {} : {port: Number(port)}, ...username || password ? {auth: decodePercent(username) + ':' + decodePercent(password)} : {}};
    };
    return {URL, URLSearchParams, fileURLToPath, pathToFileURL, urlToHttpOptions};
};
