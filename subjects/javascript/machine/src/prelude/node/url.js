// URL and URLSearchParams.
const encodeSet = (text, kept) => {
    let encoded = '';
    for (const letter of toWellFormed(text)) {
        const code = letter.codePointAt(0);
        if (code > 0x1f && code < 0x7f && !kept.includes(letter)) {
            encoded += letter;
        } else {
            for (const byte of encodeLetter([], code)) {
                encoded += '%' + (byte < 16 ? '0' : '') + byte.toString(16).toUpperCase();
            }
        }
    }
    return encoded;
};
/** Decodes `%` sequences, and then the bytes as UTF-8. */
const decodePercent = text => {
    const bytes = [];
    const source = encodedBytes(text, 'utf8');
    for (let i = 0; i < source.length; i++) {
        const hex = source[i] === 37 ? String.fromCharCode(source[i + 1] ?? 0, source[i + 2] ?? 0) : '';
        if (matches(/^[0-9a-f]{2}$/i, hex) !== null) {
            push(bytes, Number('0x' + hex));
            i += 2;
        } else {
            push(bytes, source[i]);
        }
    }
    return decodedText(new Uint8Array(bytes), 'utf8');
};
const PORTS = create(null);
assign(PORTS, {'http:': '80', 'https:': '443', 'ftp:': '21', 'ws:': '80', 'wss:': '443', 'file:': ''});
const FRAGMENT = ' "<>`';
const QUERY = ' "#<>';
const PATH = QUERY + '?`{}';
const USER = PATH + '/:;=@[\\]^|';
const invalidURL = (input, base) => {
    const error = coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
    error.input = input;
    if (base !== undefined) {
        error.base = base;
    }
    return error;
};
/** An IPv4 address in normal form, or the host itself if the host is not an address; `undefined` for an invalid
    address. */
const ipv4 = text => {
    const parts = text.split('.');
    if (parts.at(-1) === '' && parts.length > 1) {
        parts.pop();
    }
    const last = parts.at(-1);
    if (matches(/^(?:\d+|0x[0-9a-f]*)$/i, last) === null) {
        return text;
    }
    const numbers = parts.map(part => part === '' ? NaN : matches(/^0x[0-9a-f]*$/i, part) ? Number(part.length === 2 ? 0 : part)
        : matches(/^0[0-7]+$/, part) ? Number('0o' + part.slice(1)) : matches(/^\d+$/, part) && !matches(/^0\d/, part) ? Number(part) : NaN);
    if (parts.length > 4 || numbers.some(Number.isNaN) || numbers.slice(0, -1).some(n => n > 255)
        || numbers.at(-1) >= 256 ** (5 - numbers.length)) {
        return undefined;
    }
    let value = numbers.at(-1);
    numbers.slice(0, -1).forEach((n, index) => value += n * 256 ** (3 - index));
    return [24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256).join('.');
};
const ipv6 = text => {
    const halves = text.split('::');
    if (halves.length > 2) {
        return undefined;
    }
    const read = half => half === '' ? [] : half.split(':').flatMap((part, index, all) => {
        if (index === all.length - 1 && part.includes('.')) {
            const four = matches(/^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, part);
            return four === null || four.slice(1).some(n => n > 255) ? [NaN] : [four[1] * 256 + +four[2], four[3] * 256 + +four[4]];
        }
        return [matches(/^[0-9a-f]{1,4}$/i, part) === null ? NaN : Number('0x' + part)];
    });
    const [head, tail] = [read(halves[0]), halves.length === 2 ? read(halves[1]) : []];
    const missing = 8 - head.length - tail.length;
    if ([...head, ...tail].some(Number.isNaN) || (halves.length === 2 ? missing < 1 : missing !== 0)) {
        return undefined;
    }
    const all = [...head, ...Array.from({length: missing}, () => 0), ...tail];
    let [best, length] = [-1, 1];
    for (let i = 0; i < 8; i++) {
        let end = i;
        while (end < 8 && all[end] === 0) {
            end++;
        }
        if (end - i > length) {
            [best, length] = [i, end - i];
        }
    }
    const hex = part => part.map(n => n.toString(16)).join(':');
    return '[' + (best < 0 ? hex(all) : hex(all.slice(0, best)) + '::' + hex(all.slice(best + length))) + ']';
};
const parsedHost = (text, special) => {
    if (text[0] === '[') {
        return text.endsWith(']') ? ipv6(text.slice(1, -1)) : undefined;
    }
    if (!special) {
        return matches(/[\0\t\n\r #/:<>?@[\\\]^|]/, text) === null ? encodeSet(text, '') : undefined;
    }
    const decoded = decodePercent(text).toLowerCase();
    for (const letter of decoded) {
        if (letter.codePointAt(0) > 127) {
            // The rules for names in other alphabets are not implemented.
            return isTesting() ? stop('unsupported') : undefined;
        }
    }
    return decoded === '' || matches(/[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/, decoded) !== null ? undefined : ipv4(decoded);
};
const isDrive = text => matches(/^[a-z][:|]$/i, text) !== null;
const addSegments = (path, text, special, file) => {
    const segments = text.split(special ? /[/\\]/ : '/');
    segments.forEach((segment, index) => {
        const last = index === segments.length - 1;
        const plain = segment.replace(/%2e/gi, '.');
        if (plain === '..') {
            if (!(file && path.length === 1 && isDrive(path[0]))) {
                path.pop();
            }
            if (last) {
                push(path, '');
            }
        } else if (plain === '.') {
            if (last) {
                push(path, '');
            }
        } else {
            push(path, file && path.length === 0 && isDrive(segment) ? segment[0] + ':' : encodeSet(segment, PATH));
        }
    });
    return path;
};
/** The parts of a URL, or `undefined` if the URL is invalid. */
const parsedURL = (input, base) => {
    let rest = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const url = {protocol: '', username: '', password: '', host: null, port: '', path: [], opaque: undefined, search: null, hash: null};
    const cut = mark => {
        const at = rest.indexOf(mark);
        const part = at < 0 ? null : rest.slice(at + 1);
        rest = at < 0 ? rest : rest.slice(0, at);
        return part;
    };
    const scheme = matches(/^([a-z][a-z0-9+.-]*):/i, rest);
    const hash = cut('#');
    url.hash = hash === null ? null : encodeSet(hash, FRAGMENT);
    if (scheme !== null) {
        url.protocol = scheme[1].toLowerCase() + ':';
        rest = rest.slice(scheme[0].length);
    } else if (base === undefined) {
        return undefined;
    } else {
        url.protocol = base.protocol;
    }
    const special = url.protocol in PORTS;
    const file = url.protocol === 'file:';
    const relative = scheme === null || (special && base !== undefined && base.protocol === url.protocol && !matches(/^[/\\]/, rest) && base.opaque === undefined && !file);
    if (scheme === null && base.opaque !== undefined) {
        return rest === '' && hash !== null ? {...base, hash: url.hash} : undefined;
    }
    const search = cut('?');
    url.search = search === null ? null : encodeSet(search, special ? QUERY + "'" : QUERY);
    const slashes = special ? matches(/^[/\\]{2}/, rest) : matches(/^\/\//, rest);
    if (slashes !== null || (special && !relative && !file)) {
        rest = rest.replace(special && !file ? /^[/\\]+/ : /^[/\\]{2}/, '');
        const end = rest.search(special ? /[/\\]/ : /\//);
        let authority = end < 0 ? rest : rest.slice(0, end);
        rest = end < 0 ? '' : rest.slice(end);
        if (file && isDrive(authority)) {
            [rest, authority] = ['/' + authority + rest, ''];
        }
        const at = authority.lastIndexOf('@');
        if (at >= 0 && !file) {
            const user = authority.slice(0, at);
            const colon = user.indexOf(':');
            url.username = encodeSet(colon < 0 ? user : user.slice(0, colon), USER);
            url.password = colon < 0 ? '' : encodeSet(user.slice(colon + 1), USER);
            authority = authority.slice(at + 1);
        }
        const port = file ? null : matches(/:([^:\]]*)$/, authority);
        const name = port === null ? authority : authority.slice(0, port.index);
        if (port !== null && (matches(/^\d*$/, port[1]) === null || Number(port[1]) > 65535)) {
            return undefined;
        }
        url.port = port === null || port[1] === '' || String(Number(port[1])) === PORTS[url.protocol] ? '' : String(Number(port[1]));
        url.host = name === '' ? special && !file ? undefined : '' : parsedHost(name, special);
        if (url.host === undefined || (name === '' && at >= 0) || (name === '' && port !== null && !file)) {
            return undefined;
        }
        url.host = file && url.host === 'localhost' ? '' : url.host;
    } else if (relative || (file && base?.protocol === 'file:')) {
        const {username, password, host: name, port} = base;
        assign(url, {username, password, host: name, port});
        if (rest === '') {
            return {...url, path: [...base.path], search: search === null ? base.search : url.search};
        }
        if (matches(special ? /^[/\\]/ : /^\//, rest) === null) {
            url.path = addSegments(base.path.slice(0, -1), rest, special, file);
            return url;
        }
    } else if (file) {
        url.host = '';
    } else if (rest[0] !== '/') {
        url.opaque = encodeSet(rest, '');
        return url;
    }
    if (rest !== '' || special) {
        url.path = addSegments([], rest.replace(special ? /^[/\\]/ : /^\//, ''), special, file);
    }
    return url;
};
const pathOf = url => url.opaque ?? (url.path.length === 0 ? '' : '/' + url.path.join('/'));
const hrefOf = url => url.protocol + (url.host === null ? url.opaque === undefined && url.path.length > 1 && url.path[0] === '' ? '/.' : ''
    : '//' + (url.username === '' && url.password === '' ? '' : url.username + (url.password === '' ? '' : ':' + url.password) + '@') + url.host
        + (url.port === '' ? '' : ':' + url.port)) + pathOf(url) + (url.search === null ? '' : '?' + url.search)
    + (url.hash === null ? '' : '#' + url.hash);
const formEncoded = text => {
    let encoded = '';
    for (const letter of toWellFormed(text)) {
        encoded += letter === ' ' ? '+' : matches(/^[*\-._0-9A-Za-z]$/, letter) !== null ? letter : encodeSet(letter, letter);
    }
    return encoded;
};
const urlClasses = () => {
    const INNER = Symbol('changed');
    class URLSearchParams {
        #list = [];
        constructor(init) {
            defineProperty(this, INNER, {value: undefined, writable: true, enumerable: false});
            if (init === undefined || init === null) {
                return;
            }
            if (typeof init === 'object' || typeof init === 'function') {
                const iterator = init[Symbol.iterator];
                if (iterator !== undefined && iterator !== null) {
                    if (typeof iterator !== 'function') {
                        throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
                    }
                    for (const pair of init) {
                        const values = pair !== null && typeof pair === 'object' && typeof pair[Symbol.iterator] === 'function' ? [...pair] : undefined;
                        if (values === undefined || values.length !== 2) {
                            const message = 'Each query pair must be an iterable [name, value] tuple';
                            throw coded(TypeError, 'ERR_INVALID_TUPLE', message);
                        }
                        push(this.#list, values.map(value => toWellFormed(String(value))));
                    }
                } else {
                    for (const key of ownKeys(init)) {
                        if (getOwn(init, key)?.enumerable) {
                            push(this.#list, [toWellFormed(String(key)), toWellFormed(String(init[key]))]);
                        }
                    }
                }
            } else {
                this.#read(String(init).replace(/^\?/, ''));
            }
        }
        #read(text) {
            this.#list = text.split('&').filter(part => part !== '').map(part => {
                const at = part.indexOf('=');
                const decoded = half => decodePercent(half.replaceAll('+', ' '));
                return at < 0 ? [decoded(part), ''] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
            });
        }
        static read(params, text) {
            params.#read(text);
        }
        #changed() {
            this[INNER]?.();
        }
        #needed(count, given) {
            if (given < count) {
                const names = count === 1 ? 'The "name" argument must be specified' : 'The "name" and "value" arguments must be specified';
                throw coded(TypeError, 'ERR_MISSING_ARGS', names);
            }
        }
        get size() {
            return this.#list.length;
        }
        append(name, value) {
            this.#needed(2, arguments.length);
            push(this.#list, [toWellFormed(String(name)), toWellFormed(String(value))]);
            this.#changed();
        }
        delete(name, value) {
            this.#needed(1, arguments.length);
            const same = ([key, known]) => key === String(name) && (value === undefined || known === String(value));
            this.#list = this.#list.filter(pair => !same(pair));
            this.#changed();
        }
        get(name) {
            this.#needed(1, arguments.length);
            return this.#list.find(([key]) => key === String(name))?.[1] ?? null;
        }
        getAll(name) {
            this.#needed(1, arguments.length);
            return this.#list.filter(([key]) => key === String(name)).map(pair => pair[1]);
        }
        has(name, value) {
            this.#needed(1, arguments.length);
            return this.#list.some(([key, known]) => key === String(name) && (value === undefined || known === String(value)));
        }
        set(name, value) {
            this.#needed(2, arguments.length);
            const first = this.#list.findIndex(([key]) => key === String(name));
            if (first < 0) {
                push(this.#list, [toWellFormed(String(name)), toWellFormed(String(value))]);
            } else {
                this.#list[first][1] = toWellFormed(String(value));
                this.#list = this.#list.filter(([key], index) => index <= first || key !== String(name));
            }
            this.#changed();
        }
        sort() {
            this.#list.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
            this.#changed();
        }
        forEach(f, self) {
            checkArgument(f, 'callback', 'function');
            this.#list.forEach(([key, value]) => apply(f, self, [value, key, this]));
        }
        * entries() {
            yield* this.#list.map(pair => [...pair]);
        }
        * keys() {
            yield* this.#list.map(pair => pair[0]);
        }
        * values() {
            yield* this.#list.map(pair => pair[1]);
        }
        toString() {
            return this.#list.map(([key, value]) => formEncoded(key) + '=' + formEncoded(value)).join('&');
        }
        [CUSTOM]() {
            const shown = this.#list.map(([key, value]) => inspect(key) + ' => ' + inspect(value)).join(', ');
            return 'URLSearchParams {' + (shown === '' ? '' : ' ' + shown + ' ') + '}';
        }
    }
    const {read} = URLSearchParams;
    delete URLSearchParams.read;
    defineProperty(URLSearchParams.prototype, Symbol.iterator, {value: URLSearchParams.prototype.entries, writable: true, configurable: true});
    class URL {
        #url;
        #params;
        constructor(input, base) {
            if (arguments.length === 0) {
                throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
            }
            const text = toWellFormed(String(input));
            const outer = base === undefined ? undefined : parsedURL(toWellFormed(String(base)), undefined);
            this.#url = base !== undefined && outer === undefined ? undefined : parsedURL(text, outer);
            if (this.#url === undefined) {
                throw invalidURL(text, base === undefined ? undefined : String(base));
            }
        }
        static canParse(input, base) {
            return safely(() => new URL(input, base)) !== undefined;
        }
        #query() {
            if (this.#params !== undefined) {
                read(this.#params, this.#url.search ?? '');
            }
        }
        get href() {
            return hrefOf(this.#url);
        }
        set href(text) {
            const url = parsedURL(String(text), undefined);
            if (url === undefined) {
                throw invalidURL(String(text));
            }
            this.#url = url;
            this.#query();
        }
        get origin() {
            const {protocol} = this.#url;
            return protocol in PORTS && protocol !== 'file:' ? protocol + '//' + this.host : 'null';
        }
        get protocol() {
            return this.#url.protocol;
        }
        set protocol(text) {
            const found = matches(/^([a-z][a-z0-9+.-]*)(?::|$)/i, String(text));
            const name = found === null ? '' : found[1].toLowerCase() + ':';
            if (name !== '' && name in PORTS === this.#url.protocol in PORTS && name !== 'file:' && this.#url.protocol !== 'file:') {
                this.#url.protocol = name;
                this.#url.port = this.#url.port === PORTS[name] ? '' : this.#url.port;
            }
        }
        get username() {
            return this.#url.username;
        }
        set username(text) {
            if (this.#url.host) {
                this.#url.username = encodeSet(String(text), USER);
            }
        }
        get password() {
            return this.#url.password;
        }
        set password(text) {
            if (this.#url.host) {
                this.#url.password = encodeSet(String(text), USER);
            }
        }
        get host() {
            return (this.#url.host ?? '') + (this.#url.port === '' ? '' : ':' + this.#url.port);
        }
        set host(text) {
            const found = matches(/^([^:/?#\\]*|\[[^\]]*\])(?::(\d*))?/, String(text));
            this.hostname = found?.[1] ?? '';
            if (found?.[2]) {
                this.port = found[2];
            }
        }
        get hostname() {
            return this.#url.host ?? '';
        }
        set hostname(text) {
            const name = this.#url.opaque === undefined ? parsedHost(String(text).replace(/[/?#:].*$/, ''), this.#url.protocol in PORTS) : undefined;
            if (name !== undefined && name !== '') {
                this.#url.host = name;
            }
        }
        get port() {
            return this.#url.port;
        }
        set port(text) {
            const found = matches(/^\d*/, String(text))[0];
            if (this.#url.host && this.#url.protocol !== 'file:' && (String(text) === '' || found !== '') && Number(found) <= 65535) {
                this.#url.port = found === '' || String(Number(found)) === PORTS[this.#url.protocol] ? '' : String(Number(found));
            }
        }
        get pathname() {
            return pathOf(this.#url);
        }
        set pathname(text) {
            if (this.#url.opaque === undefined) {
                const special = this.#url.protocol in PORTS;
                const plain = String(text).replaceAll('?', '%3F').replaceAll('#', '%23');
                this.#url.path = addSegments([], plain.replace(special ? /^[/\\]/ : /^\//, ''), special, this.#url.protocol === 'file:');
            }
        }
        get search() {
            return this.#url.search ? '?' + this.#url.search : '';
        }
        set search(text) {
            const plain = String(text).replace(/^\?/, '').replaceAll('#', '%23');
            this.#url.search = plain === '' ? null : encodeSet(plain, this.#url.protocol in PORTS ? QUERY + "'" : QUERY);
            this.#query();
        }
        get searchParams() {
            if (this.#params === undefined) {
                this.#params = new URLSearchParams(this.#url.search ?? '');
                this.#params[INNER] = () => {
                    const text = this.#params.toString();
                    this.#url.search = text === '' ? null : text;
                };
            }
            return this.#params;
        }
        get hash() {
            return this.#url.hash ? '#' + this.#url.hash : '';
        }
        set hash(text) {
            const plain = String(text).replace(/^#/, '');
            this.#url.hash = plain === '' ? null : encodeSet(plain, FRAGMENT);
        }
        toString() {
            return this.href;
        }
        toJSON() {
            return this.href;
        }
    }
    for (const [C, names] of [[URL, ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
        'searchParams', 'hash', 'toString', 'toJSON']]]) {
        for (const name of names) {
            defineProperty(C.prototype, name, {enumerable: true});
        }
    }
    defineProperty(URL.prototype, Symbol.toStringTag, {value: 'URL', configurable: true});
    defineProperty(URLSearchParams.prototype, Symbol.toStringTag, {value: 'URLSearchParams', configurable: true});
    return {URL, URLSearchParams};
};
