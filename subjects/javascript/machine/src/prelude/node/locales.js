// Methods that depend on a locale. The engine has only en-US: a test that uses another locale, or options that the
// engine does not have, has no result.
const LOCALE = new RegExp('^(?:[a-z]{2,3}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\\d{3}))?(?:-(?:[a-z\\d]{5,8}|\\d[a-z\\d]{3}))*'
    + '(?:-[a-wy-z\\d](?:-[a-z\\d]{2,8})+)*(?:-x(?:-[a-z\\d]{1,8})+)?$', 'i');
/** The first requested locale, or `undefined` if there is none. */
const checkedLocale = locales => {
    if (locales === undefined) {
        return undefined;
    }
    if (locales === null) {
        throw new TypeError('Cannot convert undefined or null to object');
    }
    const list = typeof locales === 'string' ? [locales] : isArray(locales) ? locales : [];
    for (const tag of list) {
        if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null)) {
            throw new TypeError('Incorrect locale information provided');
        }
        if (matches(LOCALE, String(tag)) === null) {
            throw new RangeError('Incorrect locale information provided');
        }
    }
    return list.length > 0 ? String(list[0]) : undefined;
};
const LOCALES = [[Number.prototype, 'toLocaleString', 0, ['minimumFractionDigits', 'maximumFractionDigits', 'useGrouping']],
    [BigInt.prototype, 'toLocaleString', 0, []], [Date.prototype, 'toLocaleString', 0, []], [Date.prototype, 'toLocaleDateString', 0, []],
    [Date.prototype, 'toLocaleTimeString', 0, []], [String.prototype, 'localeCompare', 1, ['numeric', 'sensitivity']],
    [String.prototype, 'toLocaleUpperCase', 0, []], [String.prototype, 'toLocaleLowerCase', 0, []]];
for (const [owner, name, at, options] of LOCALES) {
    const native = owner[name];
    const wrapped = {[name](...values) {
        if (values.length > at) {
            const locale = checkedLocale(values[at]);
            const given = values[at + 1];
            const isOther = locale !== undefined && matches(/^en(?:-US)?$/i, locale) === null
                || given !== null && typeof given === 'object' && keys(given).some(key => given[key] !== undefined && !options.includes(key));
            if (isOther && testing) {
                stop('unsupported');
            }
        }
        return apply(native, this, values);
    }}[name];
    defineProperty(wrapped, 'length', {value: native.length, configurable: true});
    defineProperty(owner, name, {value: wrapped, writable: true, enumerable: false, configurable: true});
}
