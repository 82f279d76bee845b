// Values that the scripts of the prelude share: functions of the host, and built-in functions,
// which are saved before a suite can change them. This script is evaluated first.
(function (host, options) {
    'use strict';
    const {apply, defineProperty, ownKeys, getPrototypeOf, setPrototypeOf} = Reflect;
    const NativeString = String;
    const wellFormed = String.prototype.toWellFormed;
    const objects = Object.prototype;

    const define = (object, name, value) =>
        defineProperty(object, name, {value, writable: true, enumerable: false, configurable: true});

    /**
     * Tells the host when a member that does not exist is read, for a hint if the test ends
     * with an error. The value stays undefined, because suites ask whether a member exists.
     */
    const members = (object, owner) => {
        setPrototypeOf(object, new Proxy({}, {
            get(_, name) {
                if (typeof name === 'string' && !(name in objects) && name !== 'then' && name !== 'toJSON') {
                    host.missing(owner, apply(wellFormed, name, []));
                }
                return objects[name];
            },
            has: (_, name) => name in objects,
        }));
        return object;
    };

    return {
        host, apply, define, defineProperty, ownKeys, getPrototypeOf, members,
        cells: options.cells, lastRow: options.lastRow,
        compatP: options.compatP, strict: options.strict, separator: options.compatP ? '' : ' ',
        isNaN, JSON: {stringify: JSON.stringify}, NativeString, NativeNumber: Number, NativeMap: Map,
        NativeRegExp: RegExp, NativePromise: Promise, NativeError: Error,
        then: Promise.prototype.then,
        slice: String.prototype.slice, arraySlice: Array.prototype.slice, concat: Array.prototype.concat,
        text: value => apply(wellFormed, NativeString(value), []),
        join: names => {
            let text = '';
            for (let i = 0; i < names.length; i++) {
                text += (i === 0 ? '' : ', ') + NativeString(names[i]);
            }
            return text;
        },
        mapped: (items, f) => {
            const list = [];
            for (let i = 0; i < items.length; i++) {
                list[i] = f(items[i]);
            }
            return list;
        },
    };
})
