// Rarely used functions of `util`, and `tracingChannel` of `diagnostics_channel`.
const COLORS = create(null);
const colorsOf = () => {
    const color = (names, first, end) => names.split(' ').forEach((name, index) => COLORS[name] = [first + index, end]);
    assign(COLORS, {reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27],
        hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24]});
    const names = 'black red green yellow blue magenta cyan white';
    const bright = 'gray redBright greenBright yellowBright blueBright magentaBright cyanBright whiteBright';
    const background = list => list.split(' ').map(name => 'bg' + name[0].toUpperCase() + slice(name, 1)).join(' ');
    color(names, 30, 39);
    color(background(names), 40, 49);
    assign(COLORS, {framed: [51, 54], overlined: [53, 55]});
    color(bright, 90, 39);
    color(background(bright), 100, 49);
    return defineProperty(COLORS, 'grey', {value: COLORS.gray, enumerable: false, configurable: true});
};
/** A pattern for the control sequences of terminals. */
const CONTROLS = '[\\u001B\\u009B][[\\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\\d\\/\\#&.:=?%@~_]+)*|[a-zA-Z\\d]+(?:;[-a-zA-Z\\d\\/\\#&.:=?%@~_]*)*)?'
    + '(?:\\u0007|\\u001B\\u005C|\\u009C))|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-ntqry=><~]))';
const styleText = (format, text, options = {}) => {
    const {validateStream = true} = options;
    checkArgument(text, 'text', 'string');
    const colors = COLORS.reset === undefined ? colorsOf() : COLORS;
    const codesOf = name => {
        if (colors[name] === undefined) {
            const allowed = keys(colors).filter(each => each !== 'grey').map(each => "'" + each + "'").join(', ');
            throw wrongValue('format', name, 'must be one of: ' + allowed);
        }
        return colors[name].map(code => '\u001b[' + code + 'm');
    };
    if (isArray(format)) {
        const codes = format.map(codesOf);
        return codes.map(each => each[0]).join('') + text + codes.map(each => each[1]).reverse().join('');
    }
    const [begin, end] = codesOf(format);
    if (validateStream) {
        // Whether the output has colours depends on the terminal.
        unavailable('util.styleText').call();
    }
    return begin + text + end;
};
const argumentError = (code, message) => coded(TypeError, code, message);
const unknownOption = (name, allowPositionals) => argumentError('ERR_PARSE_ARGS_UNKNOWN_OPTION', "Unknown option '" + name + "'"
    + (allowPositionals && name.startsWith('-') ? '. To specify a positional argument starting with a \'-\', place it at the end of the '
        + "command after '--', as in '-- " + stringify(name) : ''));
const ownOf = (object, name) => Object.hasOwn(object, name) ? object[name] : undefined;
const checkKind = (value, name, kind) => {
    if (kind === 'array' ? !isArray(value) : typeof value !== kind) {
        throw wrongType(name, kind === 'array' ? 'an instance of Array' : 'of type ' + kind, value);
    }
};
const checkOptions = options => {
    for (const [name, each] of Object.entries(options)) {
        checkObject(each, 'options.' + name);
        const type = ownOf(each, 'type');
        if (type !== 'string' && type !== 'boolean') {
            throw wrongType('options.' + name + '.type', "one of type ('string|boolean')".replace('one of type ', ''), type);
        }
        if (Object.hasOwn(each, 'short')) {
            checkKind(each.short, 'options.' + name + '.short', 'string');
            if (each.short.length !== 1) {
                throw wrongValue('options.' + name + '.short', each.short, 'must be a single character');
            }
        }
        if (Object.hasOwn(each, 'multiple')) {
            checkKind(each.multiple, 'options.' + name + '.multiple', 'boolean');
        }
        const fallback = ownOf(each, 'default');
        if (fallback !== undefined) {
            const label = 'options.' + name + '.default';
            if (ownOf(each, 'multiple')) {
                checkKind(fallback, label, 'array');
                fallback.forEach((item, index) => checkKind(item, label + '[' + index + ']', type));
            } else {
                checkKind(fallback, label, type);
            }
        }
    }
};
/** The arguments of a command line as options, positional arguments and the mark that ends options. */
const tokensOf = (given, options) => {
    const isText = name => Object.hasOwn(options, name) && options[name].type === 'string';
    const longOf = short => Object.entries(options).find(([, each]) => ownOf(each, 'short') === short)?.[0] ?? short;
    const tokens = [];
    const rest = [...given];
    let [index, grouped] = [-1, 0];
    const option = (name, rawName, value, inlineValue) => push(tokens, {kind: 'option', name, rawName, index, value, inlineValue});
    const separate = (name, raw) => {
        const takes = isText(name) && rest.length > 0 && rest[0] !== undefined && rest[0] !== null;
        option(name, raw, takes ? rest.shift() : undefined, takes ? false : undefined);
        index += takes ? 1 : 0;
    };
    while (rest.length > 0) {
        const arg = rest.shift();
        if (grouped > 0) {
            grouped--;
        } else {
            index++;
        }
        const isShort = arg.length > 1 && arg[0] === '-' && arg[1] !== '-';
        const equals = arg.indexOf('=');
        if (arg === '--') {
            push(tokens, {kind: 'option-terminator', index});
            rest.forEach(value => push(tokens, {kind: 'positional', index: ++index, value}));
            break;
        } else if (isShort && arg.length === 2) {
            separate(longOf(arg[1]), arg);
        } else if (isShort && !isText(longOf(arg[1]))) {
            const expanded = [];
            for (let at = 1; at < arg.length; at++) {
                if (isText(longOf(arg[at])) && at < arg.length - 1) {
                    push(expanded, '-' + slice(arg, at));
                    break;
                }
                push(expanded, '-' + arg[at]);
            }
            rest.unshift(...expanded);
            grouped = expanded.length;
        } else if (isShort) {
            option(longOf(arg[1]), '-' + arg[1], slice(arg, 2), true);
        } else if (arg.length > 2 && arg.startsWith('--') && equals < 0) {
            separate(slice(arg, 2), arg);
        } else if (arg.length > 2 && arg.startsWith('--') && equals > 2) {
            const name = slice(arg, 2, equals);
            option(name, '--' + name, slice(arg, equals + 1), true);
        } else {
            push(tokens, {kind: 'positional', index, value: arg});
        }
    }
    return tokens;
};
const checkUsage = (token, {options, allowPositionals, allowNegative}) => {
    const plain = allowNegative && token.name.startsWith('no-') && !Object.hasOwn(options, token.name) ? slice(token.name, 3) : token.name;
    if (!Object.hasOwn(options, plain) || plain !== token.name && options[plain].type !== 'boolean') {
        throw unknownOption(token.rawName, allowPositionals);
    }
    const {short, type} = options[plain];
    const shown = (short ? '-' + short + ', ' : '') + '--' + plain;
    if (type === 'string' && typeof token.value !== 'string') {
        throw argumentError('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', "Option '" + shown + " <value>' argument missing");
    }
    if (type === 'boolean' && token.value !== undefined && token.value !== null) {
        throw argumentError('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', "Option '" + shown + "' does not take an argument");
    }
    if (!token.inlineValue && token.value?.length > 1 && token.value[0] === '-') {
        const example = token.rawName.startsWith('--') ? "'" + token.rawName + "=-XYZ'" : "'--" + token.name + "=-XYZ' or '" + token.rawName
            + "-XYZ'";
        throw argumentError('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', "Option '" + token.rawName + "' argument is ambiguous.\nDid you forget to "
            + "specify the option argument for '" + token.rawName + "'?\nTo specify an option argument starting with a dash use " + example + '.');
    }
};
const parseArgs = (config = {}) => {
    const args = ownOf(config, 'args') ?? [];
    const strict = ownOf(config, 'strict') ?? true;
    const allowPositionals = ownOf(config, 'allowPositionals') ?? !strict;
    const hasTokens = ownOf(config, 'tokens') ?? false;
    const allowNegative = ownOf(config, 'allowNegative') ?? false;
    const options = ownOf(config, 'options') ?? create(null);
    checkKind(args, 'args', 'array');
    [['strict', strict], ['allowPositionals', allowPositionals], ['tokens', hasTokens], ['allowNegative', allowNegative]]
        .forEach(([name, value]) => checkKind(value, name, 'boolean'));
    checkObject(options, 'options');
    checkOptions(options);
    const tokens = tokensOf(args, options);
    const result = {values: create(null), positionals: [], ...hasTokens ? {tokens} : {}};
    const {values} = result;
    for (const token of tokens) {
        if (token.kind === 'positional') {
            if (!allowPositionals) {
                throw argumentError('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', "Unexpected argument '" + token.value + "'. This command does not take "
                    + 'positional arguments');
            }
            push(result.positionals, token.value);
        } else if (token.kind === 'option') {
            if (strict) {
                checkUsage(token, {options, allowPositionals, allowNegative});
            }
            if (token.name === '__proto__') {
                continue;
            }
            const isNegative = allowNegative && token.name.startsWith('no-') && token.value === undefined;
            token.name = isNegative ? slice(token.name, 3) : token.name;
            const value = isNegative ? false : token.value ?? true;
            if (ownOf(options, token.name)?.multiple) {
                values[token.name] = [...values[token.name] ?? [], value];
            } else {
                values[token.name] = value;
            }
        }
    }
    for (const [name, each] of Object.entries(options)) {
        const fallback = ownOf(each, 'default');
        if (fallback !== undefined && values[name] === undefined && name !== '__proto__') {
            values[name] = fallback;
        }
    }
    return result;
};
const tracingChannelOf = ({channel, Channel}) => {
    const NAMES = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
    class TracingChannel {
        constructor(given) {
            for (const name of NAMES) {
                const value = typeof given === 'string' ? channel('tracing:' + given + ':' + name) : given?.[name];
                if (!(value instanceof Channel)) {
                    throw typeof given === 'object' && given !== null ? wrongType('nameOrChannels.' + name, 'an instance of Channel', value)
                        : wrongType('nameOrChannels', 'of type string or an instance of TracingChannel or Object', given);
                }
                defineProperty(this, name, {value});
            }
        }
        get hasSubscribers() {
            return NAMES.some(name => this[name].hasSubscribers);
        }
        subscribe(handlers) {
            NAMES.filter(name => handlers[name]).forEach(name => this[name].subscribe(handlers[name]));
        }
        unsubscribe(handlers) {
            return NAMES.filter(name => handlers[name]).map(name => this[name].unsubscribe(handlers[name])).every(Boolean);
        }
        /** Calls a function between `start` and `end`, and publishes an error of the function. */
        #traced(context, f) {
            return this.start.runStores(context, () => {
                try {
                    return f();
                } catch (error) {
                    context.error = error;
                    this.error.publish(context);
                    throw error;
                } finally {
                    this.end.publish(context);
                }
            });
        }
        traceSync(f, context = {}, receiver, ...values) {
            return this.hasSubscribers ? this.#traced(context, () => context.result = apply(f, receiver, values)) : apply(f, receiver, values);
        }
        tracePromise(f, context = {}, receiver, ...values) {
            if (!this.hasSubscribers) {
                return apply(f, receiver, values);
            }
            const after = () => {
                this.asyncStart.publish(context);
                this.asyncEnd.publish(context);
            };
            return this.#traced(context, () => then(Promise.resolve(apply(f, receiver, values)), result => {
                context.result = result;
                after();
                return result;
            }, error => {
                context.error = error;
                this.error.publish(context);
                after();
                return Promise.reject(error);
            }));
        }
        traceCallback(f, position = -1, context = {}, receiver, ...values) {
            if (!this.hasSubscribers) {
                return apply(f, receiver, values);
            }
            const callback = values.at(position);
            checkArgument(callback, 'callback', 'function');
            const channels = this;
            values.splice(position, 1, function (...results) {
                const [error, result] = results;
                if (error) {
                    context.error = error;
                    channels.error.publish(context);
                } else {
                    context.result = result;
                }
                channels.asyncStart.runStores(context, () => {
                    try {
                        return apply(callback, this, results);
                    } finally {
                        channels.asyncEnd.publish(context);
                    }
                });
            });
            return this.#traced(context, () => apply(f, receiver, values));
        }
    }
    return given => new TracingChannel(given);
};
const utilParts = () => ({
    styleText, parseArgs, tracingChannelOf, colors: colorsOf(),
    stripVTControlCharacters: text => {
        checkArgument(text, 'str', 'string');
        return text.replace(new RegExp(CONTROLS, 'g'), '');
    },
    toUSVString: text => toWellFormed(String(text)),
});
