// The classes for MIME types in the module `util`.
const MIME_NAME = /^[-!#$%&'*+.^_`|~A-Za-z0-9]+$/;
const MIME_OTHER = /[^-!#$%&'*+.^_`|~A-Za-z0-9]/;
const MIME_VALUE = /^[\t -~\x80-\xff]*$/;
const mimeError = (what, text, at) => coded(TypeError, 'ERR_INVALID_MIME_SYNTAX',
    'The MIME syntax for a ' + what + ' in "' + text + '" is invalid' + (at === -1 ? '' : ' at ' + at));
/** A name with ASCII letters in lower case. */
const mimeName = text => text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
const checkMimeName = (what, text, whole) => {
    if (!MIME_NAME.test(text)) {
        throw mimeError(what, whole, text.search(MIME_OTHER));
    }
    return mimeName(text);
};
const mimeClasses = () => {
    let made;
    class MIMEParams {
        #known = new Map();
        constructor() {
            made = (name, value) => this.#known.has(name) || this.#known.set(name, value);
        }
        delete(name) {
            this.#known.delete(name);
        }
        get(name) {
            return this.#known.has(name) ? this.#known.get(name) : null;
        }
        has(name) {
            return this.#known.has(name);
        }
        set(name, value) {
            const [key, text] = [`${name}`, `${value}`];
            if (!MIME_NAME.test(key)) {
                throw mimeError('parameter name', key, key.search(MIME_OTHER));
            }
            if (!MIME_VALUE.test(text)) {
                throw mimeError('parameter value', text, text.search(/[^\t -~\x80-\xff]/));
            }
            this.#known.set(key, text);
        }
        *entries() {
            yield* this.#known.entries();
        }
        *keys() {
            yield* this.#known.keys();
        }
        *values() {
            yield* this.#known.values();
        }
        toString() {
            const quoted = text => MIME_NAME.test(text) ? text : '"' + text.replace(/["\\]/g, '\\$&') + '"';
            return Array.from(this.#known, ([name, value]) => name + '=' + quoted(value)).join(';');
        }
    }
    const hide = (C, name, value) => defineProperty(C.prototype, name, {value, writable: true, configurable: true});
    hide(MIMEParams, Symbol.iterator, MIMEParams.prototype.entries);
    hide(MIMEParams, 'toJSON', MIMEParams.prototype.toString);
    /** The parameters in the text after a type. */
    const paramsOf = text => {
        const params = new MIMEParams();
        const add = made;
        let rest = text.replace(/[\r\n\t ]+$/, '');
        while (rest !== '') {
            const [head, name, end] = /^[\r\n\t ]*([^;=]*)([;=]?)/.exec(rest);
            rest = rest.slice(head.length);
            if (end === ';') {
                continue;
            }
            if (end === '' || rest === '') {
                break;
            }
            let value;
            if (rest[0] === '"') {
                const inside = /^"((?:\\[^]|[^"\\])*)(\\?)("?)/.exec(rest);
                value = inside[1].replace(/\\([^])/g, '$1') + inside[2];
                rest = rest.slice(inside[0].length + 1);
            } else {
                const whole = /^[^;]*/.exec(rest)[0];
                value = whole.replace(/[\r\n\t ]+$/, '');
                if (value === '') {
                    rest = rest.slice(whole.length);
                    continue;
                }
                rest = rest.slice(whole.length + 1);
            }
            if (MIME_NAME.test(name) && MIME_VALUE.test(value)) {
                add(mimeName(name), value);
            }
        }
        return params;
    };
    class MIMEType {
        #type;
        #subtype;
        #params;
        constructor(given) {
            const text = `${given}`;
            const start = text.search(/[^\r\n\t ]|$/);
            const cut = text.indexOf('/', start);
            const type = cut < 0 ? text.slice(start) : text.slice(start, cut);
            if (cut < 0 || !MIME_NAME.test(type)) {
                throw mimeError('type', text, type.search(MIME_OTHER));
            }
            const rest = text.slice(cut + 1);
            const subtype = /^[^;]*/.exec(rest)[0];
            this.#type = mimeName(type);
            this.#subtype = checkMimeName('subtype', subtype.replace(/[\r\n\t ]+$/, ''), text);
            this.#params = paramsOf(rest.slice(subtype.length + 1));
        }
        get type() {
            return this.#type;
        }
        set type(value) {
            this.#type = checkMimeName('type', `${value}`, `${value}`);
        }
        get subtype() {
            return this.#subtype;
        }
        set subtype(value) {
            this.#subtype = checkMimeName('subtype', `${value}`, `${value}`);
        }
        get essence() {
            return this.#type + '/' + this.#subtype;
        }
        get params() {
            return this.#params;
        }
        toString() {
            const params = apply(MIMEParams.prototype.toString, this.#params, []);
            return this.essence + (params === '' ? '' : ';' + params);
        }
    }
    hide(MIMEType, 'toJSON', MIMEType.prototype.toString);
    return {MIMEType, MIMEParams};
};
